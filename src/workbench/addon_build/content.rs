//! The content of an addon's archive: its files, converted to what the games read.

use super::{
    cache::{Asked, ELSEWHERE, Made},
    listed::Listed,
    stamps::{Stamp, Stamps, size_and_time},
};
use crate::{
    addon_sources::{ADDON, Addon},
    configs::{Includes, is_text_config},
    options::Filter,
};
use bytes::Bytes;
use image::{ImageFormat, ImageReader, Limits};
use rayon::prelude::*;
use refit_base::{
    contract::Model,
    format::LFS_POINTER,
    path::Shown,
    picture::{Picture, Pixels},
    tree::{Blob, disk},
    wire::{Error, ErrorKind, Result},
};
use refit_bohemia::{
    paa,
    pbo::{
        CPRS, Label, Pbo,
        build::{Found, is_mark},
        tex_headers_of,
    },
    rap::{Rap, decoded},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    io::Cursor,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Pictures that become textures.
const PICTURES: [&str; 2] = ["png", "tga"];
/// The list of an addon's textures.
const TEXTURE_LIST: &str = "texHeaders.bin";
/// Largest side of a picture, in pixels.
const LARGEST_SIDE: u32 = 16_384;
/// Most bytes of an unpacked picture.
const UNPACKED: u64 = 1 << 30;

/// Where the content of a file is.
pub(super) enum Place {
    /// On disk.
    Disk(PathBuf),
    /// In memory.
    Made(Bytes),
}

impl Place {
    pub fn open(&self) -> Result<Blob> {
        match self {
            Place::Disk(path) => Blob::of_file(path),
            Place::Made(bytes) => Ok(Blob::Memory(bytes.clone())),
        }
    }
}

/// The content of an archive.
pub(super) struct Content {
    pub files: Vec<Found<Place>>,
    /// What its author should know.
    pub notes: Vec<String>,
    /// How many files were converted.
    pub converted: usize,
    /// All that went into it: see [`Made`].
    pub inputs: BTreeMap<String, Stamp>,
    pub asked: Vec<Asked>,
}

/// What becomes of a file.
enum Step {
    /// It is packed unchanged.
    Keep,
    /// It is packed unchanged, and judged as the text of a config.
    Judge { is_read: bool },
    /// It is compiled, and gets this name.
    Compile(Vec<u8>),
    /// It becomes a texture of this name.
    Paint(Vec<u8>),
    /// It is left out.
    Drop,
}

/// A file after its step.
enum Outcome {
    File(Found<Place>, bool),
    Nothing,
}

impl Content {
    /// Converts the files of an addon. `old` says what the archive at `archive` was made of:
    /// textures of pictures that did not change are taken from there.
    pub fn of(
        addon: &Addon,
        listed: Vec<Listed>,
        includes: &Includes,
        old: Option<&Made>,
        archive: &Path,
        stamps: &mut Stamps,
    ) -> Result<Self> {
        let mut inputs = BTreeMap::new();
        for file in listed.iter().filter(|file| file.is_regular) {
            let known = old.and_then(|old| old.inputs.get(&file.shown));
            inputs.insert(file.shown.clone(), stamps.of(&file.path, known)?);
        }
        let questions = Questions::new(includes);
        let mut notes = Vec::new();
        let parts = parts_of_others(&listed, includes)?;
        let steps = steps(addon, &listed, &parts, &mut notes)?;
        let before = OldTextures::of(old, archive, &inputs, stamps);
        let one = |(file, step): (&Listed, &Step)| {
            apply(file, step, &questions, &before).map_err(|e| match e.file() {
                Some(_) => e.elsewhere(),
                None => e.about(&file.path).elsewhere(),
            })
        };
        let made: Vec<Result<(Outcome, Vec<String>)>> =
            listed.par_iter().zip(&steps).map(one).collect();
        let (mut files, mut converted) = (Vec::new(), 0);
        for made in made {
            let (made, mut more) = made?;
            notes.append(&mut more);
            if let Outcome::File(file, is_converted) = made {
                converted += usize::from(is_converted);
                files.push(file);
            }
        }
        // The games read the list of an addon, and of no mission.
        if !is_mission(addon, &listed)
            && let Some(found) = texture_list(&files)?
        {
            files.push(found);
            converted += 1;
        }
        let asked = questions.into_asked();
        for found in asked.iter().filter_map(|asked| asked.found.as_ref()) {
            let key = format!("{ELSEWHERE}{}", found.shown());
            let known = old.and_then(|old| old.inputs.get(&key));
            inputs.insert(key, stamps.of(found, known)?);
        }
        Ok(Content {
            files,
            notes,
            converted,
            inputs,
            asked,
        })
    }
}

/// The texts that other texts of the addon include: alone they need not be whole.
fn parts_of_others(listed: &[Listed], includes: &Includes) -> Result<HashSet<PathBuf>> {
    const INCLUDING: [&str; 7] = ["cpp", "hpp", "h", "ext", "inc", "sqm", "cfg"];
    let own: HashMap<PathBuf, &Listed> = listed
        .iter()
        .map(|file| (file.path.clone(), file))
        .collect();
    let read = |file: &Listed| -> Result<Vec<PathBuf>> {
        let bytes = file.bytes()?;
        let Ok(text) = decoded(&bytes) else {
            return Ok(Vec::new());
        };
        Ok(refit_bohemia::rap::includes(&text)
            .filter_map(|name| includes.find(&file.path, &name.replace('\\', "/")))
            .filter(|found| own.contains_key(found) && *found != file.path)
            .collect())
    };
    let found: Vec<Vec<PathBuf>> = listed
        .par_iter()
        .filter(|file| file.is_regular && INCLUDING.contains(&&*file.ending()))
        .map(read)
        .collect::<Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// True for a mission: the games read its `mission.sqm` first, and its configs as texts.
fn is_mission(addon: &Addon, listed: &[Listed]) -> bool {
    let has = |name: &str| {
        listed
            .iter()
            .any(|file| file.is_at_root() && file.name() == name)
    };
    addon.prefix.is_none() && has("mission.sqm") && !has("config.cpp") && !has("config.bin")
}

/// Decides what becomes of each file.
fn steps(
    addon: &Addon,
    listed: &[Listed],
    parts: &HashSet<PathBuf>,
    notes: &mut Vec<String>,
) -> Result<Vec<Step>> {
    let names: BTreeSet<String> = listed
        .iter()
        .map(|file| file.shown.to_lowercase())
        .collect();
    let uncompiled = Filter::new(&[], &addon.uncompiled)?;
    let is_mission = is_mission(addon, listed);
    let mut shadowed = Vec::new();
    let mut steps = Vec::new();
    for file in listed {
        let (name, end) = (file.name(), file.ending());
        let renamed = |new: &str| {
            let mut last = file.below.last().cloned().unwrap_or_default();
            let stem = last.iter().rposition(|b| *b == b'.').unwrap_or(last.len());
            last.truncate(stem);
            last.extend_from_slice(new.as_bytes());
            last
        };
        let compiles = addon.compiles && uncompiled.keeps(Path::new(&file.shown));
        let is_part = parts.contains(&file.path);
        steps.push(match &*end {
            _ if !file.is_regular => Step::Keep,
            _ if file.is_at_root() && name == ADDON => Step::Drop,
            // Made again, of the textures that are there now.
            _ if name.eq_ignore_ascii_case(TEXTURE_LIST) && file.is_at_root() => Step::Drop,
            end if PICTURES.contains(&end) => match names.contains(&file.as_ending("paa")) {
                true => {
                    shadowed.push(file.shown.as_str());
                    Step::Drop
                }
                false => Step::Paint(renamed(".paa")),
            },
            // The games would read it once more, by itself.
            _ if is_part && name == "config.cpp" && compiles && !is_mission => {
                notes.push(format!(
                    "{}: left out, because another config includes it",
                    file.shown
                ));
                Step::Drop
            }
            _ if is_part => Step::Keep,
            _ if name == "config.cpp" && compiles && !is_mission => {
                if names.contains(&file.as_ending("bin")) {
                    return Err(Error::say(
                        "the addon has both config.cpp and config.bin, and the games read one",
                    )
                    .in_file(file.path.shown())
                    .elsewhere()
                    .hint("delete the one that is not the source"));
                }
                Step::Compile(renamed(".bin"))
            }
            "rvmat" if compiles => Step::Compile(file.below.last().cloned().unwrap_or_default()),
            _ if is_text_config(&name) => Step::Judge {
                is_read: is_mark(&name) || matches!(&*name, "description.ext"),
            },
            _ => Step::Keep,
        });
    }
    if let [first, rest @ ..] = shadowed.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        notes.push(format!(
            "{first}{more}: left out, because there is a texture of the same name; delete the \
            .paa to make it of the picture"
        ));
    }
    Ok(steps)
}

/// Carries out a step.
fn apply(
    file: &Listed,
    step: &Step,
    questions: &Questions<'_>,
    before: &OldTextures,
) -> Result<(Outcome, Vec<String>)> {
    let found = |below: Vec<Vec<u8>>, place: Place| Found {
        below,
        regular: file.is_regular,
        place,
    };
    let keep = || found(file.below.clone(), Place::Disk(file.path.clone()));
    let converted = |name: &Vec<u8>, bytes: Bytes| {
        let mut below = file.below.clone();
        below.pop();
        below.push(name.clone());
        found(below, Place::Made(bytes))
    };
    Ok(match step {
        Step::Drop => (Outcome::Nothing, Vec::new()),
        Step::Keep => {
            check_pointer(file)?;
            (Outcome::File(keep(), false), Vec::new())
        }
        Step::Judge { is_read } => {
            check_pointer(file)?;
            let notes = judged(file, *is_read, questions)?;
            (Outcome::File(keep(), false), notes)
        }
        Step::Compile(name) => {
            let bytes = file.bytes()?;
            if bytes.starts_with(b"\0raP") {
                return Ok((Outcome::File(converted(name, bytes), false), Vec::new()));
            }
            check_pointer(file)?;
            let rap = questions.compile(file, &bytes)?;
            let made = converted(name, rap.write()?.into());
            (Outcome::File(made, true), rap.notes().to_vec())
        }
        Step::Paint(name) => {
            if let Some(old) = before.made_of(file) {
                return Ok((Outcome::File(converted(name, old), true), Vec::new()));
            }
            check_pointer(file)?;
            let bytes = file.bytes()?;
            let picture = match &*file.ending() {
                "tga" => png_of_tga(&bytes)?,
                _ => bytes.to_vec(),
            };
            let made = paa::of_picture(&picture, &file.shown);
            let (made, notes) = made.map_err(|e| {
                e.hint("--exclude leaves a picture out that is no texture; so does addon.toml")
            })?;
            let notes = notes
                .into_iter()
                .map(|note| format!("{}: {note}", file.shown));
            (Outcome::File(converted(name, made), true), notes.collect())
        }
    })
}

/// An error for a file whose content is still in Git LFS.
fn check_pointer(file: &Listed) -> Result<()> {
    let is_short = size_and_time(&file.path).is_some_and(|(size, _)| size < 1024);
    if file.is_regular && is_short && disk::read(&file.path)?.starts_with(LFS_POINTER) {
        return Err(Error::say("its content is still in git LFS").hint("`git lfs pull` fetches it"));
    }
    Ok(())
}

/// Judges a text that the games read as it is. Only what they certainly refuse is an error.
fn judged(file: &Listed, is_read: bool, questions: &Questions<'_>) -> Result<Vec<String>> {
    let bytes = file.bytes()?;
    if bytes.starts_with(b"\0raP") {
        return Ok(Vec::new());
    }
    match questions.compile(file, &bytes) {
        Ok(_) => Ok(Vec::new()),
        // Nothing is known about what the game finds there.
        Err(e) if is_read && e.kind() == ErrorKind::Syntax && !says_include(&e) => Err(e),
        Err(e) => Ok(vec![format!("not judged: {e}")]),
    }
}

fn says_include(error: &Error) -> bool {
    error.to_string().contains("#include ")
}

/// A picture in TGA form as PNG.
fn png_of_tga(file: &[u8]) -> Result<Vec<u8>> {
    let wrong = |e: image::ImageError| Error::say(format!("not a readable TGA: {e}"));
    let mut reader = ImageReader::with_format(Cursor::new(file), ImageFormat::Tga);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    limits.max_alloc = Some(UNPACKED);
    reader.limits(limits);
    let picture = reader.decode().map_err(wrong)?.into_rgba8();
    let (width, height) = picture.dimensions();
    let pixels = Pixels::Rgba(picture.into_raw());
    Picture {
        width,
        height,
        pixels,
    }
    .encode(false)
}

/// The list of the textures of an archive.
fn texture_list(files: &[Found<Place>]) -> Result<Option<Found<Place>>> {
    let is_texture = |file: &&Found<Place>| {
        file.regular
            && file.below.last().is_some_and(|name| {
                let name = name.to_ascii_lowercase();
                name.ends_with(b".paa") || name.ends_with(b".pac")
            })
    };
    let mut textures = Vec::new();
    for file in files.iter().filter(is_texture) {
        let Ok(path) = String::from_utf8(file.below.join(&b'\\')) else {
            continue;
        };
        textures.push((path, file.place.open()?));
    }
    let made = tex_headers_of(&textures)?;
    Ok(made.map(|list| Found {
        below: vec![TEXTURE_LIST.as_bytes().to_vec()],
        regular: true,
        place: Place::Made(list),
    }))
}

/// The files that texts ask for.
struct Questions<'a> {
    includes: &'a Includes,
    asked: Mutex<BTreeSet<Asked>>,
}

impl<'a> Questions<'a> {
    fn new(includes: &'a Includes) -> Self {
        Questions {
            includes,
            asked: Mutex::default(),
        }
    }

    /// Compiles a text, and notes which files it asks for.
    fn compile(&self, file: &Listed, bytes: &[u8]) -> Result<Rap> {
        let path = file.path.shown();
        let text = decoded(bytes).map_err(|e| e.in_file(&path))?;
        let include = |from: &str, name: &str| {
            let from = Path::new(from);
            let asked = Asked {
                from: from.to_owned(),
                name: name.replace('\\', "/"),
                found: self.includes.find(from, &name.replace('\\', "/")),
            };
            let mut all = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(asked);
            drop(all);
            self.includes.read(from, name)
        };
        let in_game = |file: &str| self.includes.in_game(Path::new(file));
        Rap::compile_in_game(&path, &text, &include, &in_game)
    }

    fn into_asked(self) -> Vec<Asked> {
        let asked = self.asked.into_inner();
        asked
            .unwrap_or_else(PoisonError::into_inner)
            .into_iter()
            .collect()
    }
}

/// The textures of the archive that an earlier build made.
struct OldTextures {
    /// By the place of their picture in the addon.
    textures: HashMap<String, Bytes>,
}

impl OldTextures {
    /// Those of pictures that did not change. Empty if the archive is not the one that was built.
    fn of(
        old: Option<&Made>,
        archive: &Path,
        inputs: &BTreeMap<String, Stamp>,
        stamps: &mut Stamps,
    ) -> Self {
        let mut textures = HashMap::new();
        let read = |stamps: &mut Stamps| -> Result<Option<Pbo>> {
            match old {
                Some(old) if stamps.same(&old.archive)? => {
                    Pbo::read(&disk::read(archive)?).map(Some)
                }
                _ => Ok(None),
            }
        };
        let (Ok(Some(pbo)), Some(old)) = (read(stamps), old) else {
            return OldTextures { textures };
        };
        let names: HashMap<Vec<u8>, usize> = (0..)
            .zip(pbo.entries())
            .map(|(i, entry)| (entry.name.folded(), i))
            .collect();
        for (place, stamp) in inputs {
            let is_same = old
                .inputs
                .get(place)
                .is_some_and(|old| old.sum == stamp.sum);
            let stem = place.rsplit_once('.').map_or("", |(stem, _)| stem);
            let name = Label::from(format!("{}.paa", stem.replace('/', "\\")).as_str());
            let entry = names
                .get(&name.folded())
                .and_then(|i| pbo.entries().get(*i));
            if let Some(entry) = entry.filter(|entry| is_same && entry.method != CPRS)
                && let Ok(bytes) = entry.data.bytes()
            {
                textures.insert(place.clone(), bytes);
            }
        }
        OldTextures { textures }
    }

    fn made_of(&self, file: &Listed) -> Option<Bytes> {
        self.textures.get(&file.shown).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TGA of four pixels with alpha, from the top left: blue, green, red, alpha.
    fn tga(width: u16, pixels: &[[u8; 4]]) -> Vec<u8> {
        let height = pixels.len() as u16 / width.max(1);
        let mut file = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend(width.to_le_bytes());
        file.extend(height.to_le_bytes());
        file.extend([32, 0x28]);
        file.extend(pixels.iter().flatten());
        file
    }

    #[test]
    fn a_tga_has_the_same_pixels_as_a_png() {
        let pixels = [
            [1, 2, 3, 255],
            [4, 5, 6, 7],
            [8, 9, 10, 0],
            [11, 12, 13, 14],
        ];
        let png = png_of_tga(&tga(2, &pixels)).unwrap();
        let picture = Picture::decode(&png).unwrap();
        let expected: Vec<[u8; 4]> = pixels.iter().map(|[b, g, r, a]| [*r, *g, *b, *a]).collect();
        assert_eq!((picture.width, picture.height), (2, 2));
        assert_eq!(picture.pixels.all().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_damaged_or_vast_tga_is_refused() {
        let whole = tga(2, &[[0; 4]; 4]);
        for length in 0..whole.len() {
            assert!(png_of_tga(&whole[..length]).is_err(), "{length}");
        }
        let mut vast = tga(1, &[[0; 4]]);
        vast[12..16].fill(0xff);
        assert!(png_of_tga(&vast).is_err());
    }
}
