//! Textures as members of archives: the tree contains the largest level as a PNG, and the complete
//! original texture. Unedited parts keep their bytes.

use super::{
    Paa, Picture,
    container::{Container, TAG},
    packing, pixels,
};
use bytes::Bytes;
use refit_base::{
    Sum,
    contract::Model,
    lint::Lints,
    tree::{Blob, TreeReader, proof},
    wire::{Error, Result, Trace},
};

refit_base::record! {
    /// What the picture of a texture does not express.
    #[derive(Default)]
    pub struct TextureExtras {
        /// The texture before the picture was edited: a file of the tree. Without it the picture
        /// becomes a new texture, whose kind follows from the name.
        data?: String,
        /// The checksum of the picture that belongs to `data`. Another picture changes only the pixels
        /// that differ.
        #[serde(alias = "sha256")]
        sum?: Sum,
    }
}

/// Size of the largest texture in an archive that becomes a picture.
const LARGEST: u64 = 64 << 20;
/// Maximum number of pixels of such a picture: the games draw 4096 × 4096.
const MOST: u32 = 1 << 24;

/// A texture of an archive.
pub(crate) struct Texture {
    paa: Paa,
    file: Bytes,
}

/// True for the names of textures.
pub(crate) fn is_name(name: &[u8]) -> bool {
    let end = name
        .len()
        .checked_sub(4)
        .and_then(|at| name.get(at..))
        .unwrap_or_default();
    end.eq_ignore_ascii_case(b".paa") || end.eq_ignore_ascii_case(b".pac")
}

impl Texture {
    /// Reads a texture. `None` for a file that is not a texture or has no level; an error for a
    /// damaged one.
    pub(crate) fn read(content: &Blob, name: &str) -> Result<Option<Texture>> {
        if !is_name(name.as_bytes()) || content.len() > LARGEST {
            return Ok(None);
        }
        let head = content.slice(0, 6)?.bytes()?;
        let is_tagged = [head.get(..4), head.get(2..)].contains(&Some(TAG.as_slice()));
        let file = content.bytes()?;
        match Paa::from_bytes(&file, name) {
            Ok(paa) if paa.container.levels.is_empty() => Ok(None),
            // Without a tag, only levels that fit show that it is a texture.
            Ok(paa) if !is_tagged && paa.top().is_err() => Ok(None),
            Ok(paa) => Ok(Some(Texture { paa, file })),
            Err(_) if !is_tagged => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The largest level as a PNG. An error if the picture does not give the texture again;
    /// `reads_back` includes reading the PNG.
    pub(crate) fn picture(&self, small: bool, reads_back: bool) -> Result<Vec<u8>> {
        proof::same(&self.paa.write()?, &self.file)?;
        let (picture, png) = drawn(&self.paa, self.file.len(), small)?;
        if reads_back && Picture::decode(&png)? != picture {
            return Err(proof::other_bytes());
        }
        Ok(png)
    }

    /// Replaces the largest level by a picture. Returns the file, and notes for the user.
    pub(crate) fn with_picture(mut self, picture: &[u8]) -> Result<(Bytes, Vec<String>)> {
        let (size, pixels) = Picture::decode_any(picture).and_then(pixels::of_picture)?;
        self.paa.put_picture(size, pixels)?;
        Ok((self.paa.write()?.into(), self.paa.notes))
    }

    /// True if the kind of pixels does not follow from the name.
    pub(crate) fn has_type(&self) -> bool {
        self.paa.container.kind.is_some()
    }

    /// The texture.
    pub(crate) fn into_paa(self) -> Paa {
        self.paa
    }
}

impl Paa {
    /// Sizes and positions of the levels.
    pub(crate) fn places(&self) -> impl Iterator<Item = ([u16; 2], u32)> {
        self.container
            .levels
            .iter()
            .map(|level| level.size)
            .zip(self.container.positions())
    }

    /// The pixels of the largest level.
    pub(super) fn top(&self) -> Result<([u16; 2], Vec<super::Rgba>)> {
        let level = self.level(0)?;
        let [width, height] = level.size;
        if u32::from(width) * u32::from(height) > MOST {
            return Err(Error::say(format!(
                "{width} × {height} pixels are more than 4096 × 4096"
            )));
        }
        Ok((
            level.size,
            self.form(level.size)
                .decode(&packing::unpack(self.kind(), level)?.content)?,
        ))
    }
}

/// A new texture of a PNG or JPEG file, and notes for the user. The end of the name decides how its
/// pixels are stored (FORMAT.md).
pub fn of_picture(picture: &[u8], name: &str) -> Result<(Bytes, Vec<String>)> {
    let paa = Paa::from_picture(picture, name)?;
    Ok((paa.write()?.into(), paa.notes))
}

/// True for a file that is a texture by its tags.
pub(crate) fn is_texture(file: &[u8]) -> bool {
    [file.get(..4), file.get(2..6)].contains(&Some(TAG.as_slice()))
}

/// How many times as large as its texture an uncompressed PNG is at most.
const TIMES: usize = 64;

/// The picture of a texture, and its PNG. A texture that unpacks to a huge size gets a small one,
/// so that many of them do not fill the disk.
fn drawn(paa: &Paa, len: usize, small: bool) -> Result<(Picture, Vec<u8>)> {
    let (size, pixels) = paa.top()?;
    let picture = pixels::picture(size, &pixels);
    drop(pixels);
    let small = small
        || size
            .iter()
            .map(|side| usize::from(*side))
            .product::<usize>()
            * 3
            / TIMES
            > len;
    let png = picture.encode(small)?;
    Ok((picture, png))
}

/// The picture of a texture, for [`Blob::made`].
pub(crate) fn picture_again(content: &Blob, _: u64) -> Result<Bytes> {
    let file = content.bytes()?;
    drawn(&Paa::from_bytes(&file, "")?, file.len(), false).map(|(_, png)| png.into())
}

impl TextureExtras {
    /// The texture for a picture in a tree, and notes for the user.
    pub(crate) fn assemble(
        &self,
        tree: &TreeReader<'_>,
        path: &str,
        name: &str,
    ) -> Result<(Blob, Vec<String>)> {
        let picture = tree.blob(path)?;
        let done = |(file, notes): (Bytes, Vec<String>)| {
            let notes = notes
                .into_iter()
                .map(|note| format!("{path}: {note}"))
                .collect();
            (Blob::Memory(file), notes)
        };
        let Some(data) = &self.data else {
            return of_picture(&picture.bytes()?, name)
                .map(done)
                .map_err(|e| e.in_file(path));
        };
        let was = tree.blob(data)?;
        if let Some(sum) = &self.sum
            && picture.has_sum(sum)?
        {
            return Ok((was, Vec::new()));
        }
        let texture = Texture::read(&was, name).map_err(|e| e.in_file(data.clone()))?;
        let texture = texture.ok_or_else(|| Error::say("not a texture").in_file(data.clone()))?;
        texture
            .with_picture(&picture.bytes()?)
            .map(done)
            .map_err(|e| e.in_file(path))
    }
}

/// Reports the meaning of every byte of a texture. False if it is not a texture.
pub(crate) fn explain(content: &Blob, name: &str, trace: &dyn Trace) -> Result<bool> {
    let Ok(Some(texture)) = Texture::read(content, name) else {
        return Ok(false);
    };
    Container::read(&texture.file, Some(trace)).map(|_| true)
}

/// Checks a texture. An unreadable one has no findings: the tree keeps its bytes and says why.
pub(crate) fn lint(content: &Blob, name: &str, lints: &mut Lints) {
    if let Ok(Some(texture)) = Texture::read(content, name) {
        texture.paa.lint(lints);
    }
}
