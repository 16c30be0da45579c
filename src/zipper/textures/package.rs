//! The package itself: header, table of contents, global palettes, images and their positions
//! (FORMAT.md).

use bytes::Bytes;
use refit_base::{
    game::Game,
    tree::{Blob, ByteSink, UniquePaths},
    wire::{
        Encode, Error, Hex, Notation, Plain, Reader, Record, Result, Role, Text, Trace, Writer, fit,
    },
};

/// The layout is the same in all games.
pub const ANY: Game = Game::Mw;
/// Sizes in bytes of the header, an entry and a global palette.
pub const HEADER: u64 = Package::size(ANY) as u64;
pub const ENTRY: u64 = Image::size(ANY) as u64;
pub const PALETTE: u64 = <[u16; 256]>::SIZE as u64;
/// Size of an image's info record, in bytes.
pub const INFO: u64 = ImageInfo::size(ANY) as u64;

refit_base::record! {
    /// The fields before an image's pixels (FORMAT.md). In a tree the PNG contains most of it, and
    /// the manifest's line the rest, in other words: the two have only the last field in common.
    #[derive(Default)]
    pub struct ImageInfo [Rc 16, Mw 16, Pm 16, Cs 16] {
        flags: Hex<u32>,
        width: u16,
        height: u16,
        unk08: Hex<u32>,
        palette_count: u16,
        /// How it is drawn: bits, see [`RenderFlags`].
        render_flags: RenderFlags,
    }
}

refit_base::flags! {
    /// How a texture is drawn. Recoil's engine uses the first two bits for clamping. Crimson Skies'
    /// engine adds an image with the third to its background. The fourth is known from three
    /// textures of Crimson Skies only (`cloud1`, `cloud2`, `rotorblur`). Older programs call the
    /// word *stretch*; no engine resizes an image because of it.
    pub struct RenderFlags: u16 {
        /// The edges are stretched outwards instead of repeating, across.
        CLAMP_U = 1 "CLAMP_U",
        /// The same, down.
        CLAMP_V = 2 "CLAMP_V",
        /// Drawn by adding its colours to the background: fire, flares, lights (Crimson Skies).
        ADDITIVE = 4 "ADDITIVE",
        /// Not known (Crimson Skies).
        UNK3 = 8 "UNK3",
    }
}

/// The position of the data of a package, and its number of images; `None` if `head` is not a valid
/// header.
pub fn tables_of(head: &[u8]) -> Option<(u64, u32)> {
    let head = head.get(..HEADER as usize)?;
    let (palettes, images) = (
        Package::peek_global_palette_count(head, ANY),
        Package::peek_image_count(head, ANY),
    );
    Some((
        HEADER + ENTRY * u64::from(images) + PALETTE * u64::try_from(palettes).ok()?,
        images,
    ))
}

/// Flag bits (FORMAT.md).
pub mod flag {
    /// Two bytes per pixel and per palette entry; if clear, one.
    pub const TWO_BYTES: u32 = 0x01;
    /// The three bits for the kind of alpha. In Crimson Skies the bit 0x02 (simple or full alpha)
    /// also disables vertex lighting and fog for the polygons that use the image.
    pub const ALPHA: u32 = 0x0e;
    /// An alpha plane follows the pixels.
    pub const FULL_ALPHA: u32 = 0x08;
    /// The palette is global: none is stored with the image.
    pub const GLOBAL: u32 = 0x10;
    /// Bookkeeping of the engine: image, alpha and palette are loaded.
    pub const LOADED: u32 = 0xe0;
    /// Bits with a meaning.
    pub const KNOWN: u32 = 0xff;
}

impl ImageInfo {
    /// Number of pixels.
    pub fn area(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
    /// Bytes per pixel without a palette, and per palette entry.
    pub fn unit(&self) -> u64 {
        1 + u64::from(self.flags.0 & flag::TWO_BYTES)
    }
    /// True if pixels are palette indices.
    pub fn indexed(&self) -> bool {
        self.palette_count != 0
    }
    /// True if an alpha plane is stored.
    pub(crate) fn has_plane(&self) -> bool {
        self.flags.0 & flag::FULL_ALPHA != 0
    }
    /// Sizes in bytes of the pixels, the alpha plane and the palette (FORMAT.md).
    pub fn sizes(&self) -> [u64; 3] {
        let pixels = if self.indexed() {
            self.area()
        } else {
            self.area() * self.unit()
        };
        let plane = if self.has_plane() { self.area() } else { 0 };
        let palette = if self.indexed() && self.flags.0 & flag::GLOBAL == 0 {
            self.unit() * u64::from(self.palette_count)
        } else {
            0
        };
        [pixels, plane, palette]
    }
    /// Size in bytes of the data after the info.
    pub fn length(&self) -> u64 {
        self.sizes().iter().sum()
    }
    /// True for an image without pixels, which no PNG can represent.
    pub fn is_empty(&self) -> bool {
        self.area() == 0
    }
}

refit_base::record! {
    /// One image of a package, and its entry in the table of contents.
    pub struct Image [Rc 40, Mw 40, Pm 40, Cs 40] with u32 {
        /// The name field.
        name: Text<32>,
        /// Offset of its info in the file.
        let start: u32 = |i| *i.cx,
        /// Index of the global palette, from the table of contents; −1 for none.
        global_palette: i32,
    } below {
        /// Info record.
        mut info: ImageInfo,
        /// Pixels, alpha plane, palette; the info determines the length. Those of a large file stay
        /// on disk.
        mut data: Blob,
        /// Bytes between the end of the data stored before and this image.
        mut gap: Bytes,
        /// Rank of the data in the file; `None` is the image's own rank in the table.
        mut place: Option<u32>,
        /// Index of the earlier image whose stored bytes are also this one's.
        mut shares: Option<usize>,
    }
}

impl Image {
    /// Pixels, alpha plane and palette.
    pub fn parts(&self) -> Result<[Bytes; 3]> {
        let mut data = self.data.bytes()?;
        let [pixels, plane, palette] = self
            .info
            .sizes()
            .map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok([pixels, plane, palette].map(|n| data.split_to(n.min(data.len()))))
    }
    /// The local palette's words; those of a one-byte image are bytes.
    pub(crate) fn local_palette(&self) -> Result<Vec<u16>> {
        let [_, _, palette] = self.parts()?;
        Ok(if self.info.unit() == 1 {
            palette.iter().map(|b| u16::from(*b)).collect()
        } else {
            palette
                .as_chunks()
                .0
                .iter()
                .map(|b| u16::from_le_bytes(*b))
                .collect()
        })
    }
    /// True for the same record and data.
    pub(super) fn is_like(&self, other: &Image) -> Result<bool> {
        Ok(self.info == other.info && self.data.is(&other.data.bytes()?)?)
    }
    /// The same image with its data in memory. An error if its file on disk changed.
    pub(crate) fn loaded(&self) -> Result<Self> {
        let data = self.data.bytes()?.into();
        self.data.check_unchanged()?;
        Ok(Image {
            data,
            ..self.clone()
        })
    }
    /// The stored bytes: info and data.
    pub fn stored(&self) -> Result<Vec<u8>> {
        let data = self.data.bytes()?;
        let mut w = Writer::with_capacity(ANY, data.len() + INFO as usize);
        self.info.write(&mut w)?;
        w.raw(&data);
        Ok(w.bytes)
    }
    /// The stored bytes: a part of the file if the image was read from it, otherwise newly written.
    pub(crate) fn stored_in(&self, file: &Blob) -> Result<Blob> {
        if let Some(at) = self.data.place_in(file).and_then(|at| at.checked_sub(INFO)) {
            let part = file.slice(at, INFO + self.data.len())?;
            if Image::parse(&part, at)?.0 == self.info {
                return Ok(part);
            }
        }
        Ok(Bytes::from(self.stored()?).into())
    }
    /// Reports the fields of an image.
    fn explain(mut r: Reader<'_>) -> Result<()> {
        let info = ImageInfo::read(&mut r)?;
        for (name, size) in ["pixels", "alpha", "palette"].into_iter().zip(info.sizes()) {
            let kind = if name == "palette" && info.unit() == 2 {
                Notation::List(&Notation::Word, 2)
            } else {
                Notation::Bytes
            };
            r.bytes(
                size,
                name,
                kind,
                if name == "palette" {
                    Role::Value
                } else {
                    Role::Payload
                },
            )?;
        }
        Ok(())
    }

    /// Reads the info at the start of `bytes`, which begin at `at` in their file.
    pub(super) fn parse_info(bytes: &Blob, at: u64) -> Result<ImageInfo> {
        ImageInfo::read(&mut Reader::based(&bytes.slice(0, INFO)?.bytes()?, at, ANY))
    }

    /// Reads the info from the start of `bytes`, which begin at `at` in their file, and finds the
    /// data there.
    pub fn parse(bytes: &Blob, at: u64) -> Result<(ImageInfo, Blob)> {
        let info = Self::parse_info(bytes, at)?;
        let data = bytes.slice(INFO, info.length())?;
        match data.len() == info.length() {
            true => Ok((info, data)),
            false => Err(Error::short(at + INFO, info.length(), data.len()).within("data")),
        }
    }
}

/// The old file of a package whose images overlap each other or the header. The images are written
/// over it.
#[derive(Clone, PartialEq, Debug)]
pub struct Overlaid {
    /// The whole file.
    pub file: Bytes,
    /// Where each image starts.
    pub starts: Vec<u32>,
}

refit_base::record! {
    /// A texture package. Its record is the file's header; the manifest contains its words if they
    /// are unusual.
    pub struct Package [Rc 24, Mw 24, Pm 24, Cs 24] {
        /// First word, 0.
        unk00~: u32 = |_| 0,
        /// Format version, 1: the Recoil and Crimson Skies loaders refuse any other.
        version~: u32 = |_| 1,
        /// Palettes after the table of contents.
        let global_palette_count: i32 try |p| fit(p.palettes.len(), "the count of global palettes"),
        /// Images in the table of contents.
        let image_count: u32 try |p| fit(p.images.len(), "the count of images"),
        /// Word at 16, 0.
        unk16~: u32 = |_| 0,
        /// Word at 20, 0.
        unk20~: u32 = |_| 0,
    } below {
        /// Global palettes of 256 words.
        mut palettes: Vec<[u16; 256]>,
        /// Images in the order of the table of contents.
        mut images: Vec<Image>,
        /// Bytes after the last image.
        mut trailing: Bytes,
        /// Set when the images' places overlap.
        mut overlaid: Option<Overlaid>,
    }
}

impl Package {
    /// Reads a file. The only errors are counts and sizes that do not fit the file. The pixels of a
    /// file on disk stay there.
    pub fn read(file: impl Into<Blob>) -> Result<Self> {
        Self::read_traced(&file.into(), None)
    }

    /// [`Package::read`], reporting the fields to `trace`.
    pub(crate) fn read_traced(file: &Blob, trace: Option<&dyn Trace>) -> Result<Self> {
        let head = Self::head(file)?;
        let mut r = Reader::new(&head, ANY).traced(trace);
        let mut names = UniquePaths::new();
        let (mut package, starts) = Self::tables(&mut r, file.len())?;
        let base = package.base();
        for (i, (image, start)) in package.images.iter_mut().zip(&starts).enumerate() {
            let place = |e: Error| e.within(format!("[{i}] {}", image.name)).within("images");
            let start = u64::from(*start);
            if start > file.len() {
                let at = HEADER + ENTRY * i as u64 + Image::place_start(ANY).start as u64;
                let why = format!(
                    "starts at {start:#x}, but the file ends at {:#x}",
                    file.len()
                );
                return Err(place(Error::say(why).at(at)));
            }
            (image.info, image.data) =
                Image::parse(&file.slice(start, u64::MAX)?, start).map_err(place)?;
            if let Some(trace) = trace {
                let stored = file.slice(start, INFO + image.data.len())?.bytes()?;
                trace.enter(&format!("{} › ", assign(&mut names, &image.name)));
                Image::explain(r.inner(&stored, start))?;
                trace.leave();
            }
        }
        if !package.find_places(file, base, &starts)? {
            // Images that overlap are compared with each other: that needs memory.
            let file = file.bytes()?;
            for (image, start) in package.images.iter_mut().zip(&starts) {
                (image.gap, image.place, image.shares) = (Bytes::new(), None, None);
                image.data =
                    Blob::from(&file).slice(u64::from(*start) + INFO, image.info.length())?;
            }
            package.overlaid = Some(Overlaid { file, starts });
        }
        Ok(package)
    }

    /// The tables of a package, and where its images start.
    pub(super) fn read_tables(file: &Blob) -> Result<(Self, Vec<u32>)> {
        Self::tables(&mut Reader::new(&Self::head(file)?, ANY), file.len())
    }

    /// The bytes of the tables.
    fn head(file: &Blob) -> Result<Bytes> {
        let (tables, _) = tables_of(&file.slice(0, HEADER)?.bytes()?).unwrap_or((HEADER, 0));
        file.slice(0, tables)?.bytes()
    }

    /// Reads header, table of contents and global palettes of a package of `len` bytes. Returns it
    /// with images that have names only, and where they start.
    fn tables(r: &mut Reader<'_>, len: u64) -> Result<(Self, Vec<u32>)> {
        let head = r.peek(HEADER as usize);
        let (palette_count, image_count) = (
            Package::peek_global_palette_count(head, ANY),
            u64::from(Package::peek_image_count(head, ANY)),
        );
        let mut package: Package = Encode::read(r)?;
        let at = Package::place_global_palette_count(ANY).start as u64;
        let palette_count = u64::try_from(palette_count).map_err(|_| {
            Error::say(format!("the count of global palettes is {palette_count}")).at(at)
        })?;
        let base = HEADER + ENTRY * image_count + PALETTE * palette_count;
        if base > len {
            return Err(Error::say(format!(
                "{image_count} images and {palette_count} global palettes need {base} bytes of tables, but the file \
                has {len}"
            ))
            .at(at));
        }
        let mut starts = Vec::new();
        package.images = r.within("images", |r| {
            let one = |i| {
                let start = Image::peek_start(r.peek(ENTRY as usize), ANY);
                starts.push(start);
                r.item(i, |r| Image::take(r, &start))
            };
            (0..image_count as usize).map(one).collect::<Result<_>>()
        })?;
        package.palettes = r.plains::<[u16; 256]>(palette_count, "global_palettes")?;
        Ok((package, starts))
    }

    /// Derives order, gaps and shared data from the images' positions; false if images partly
    /// overlap.
    fn find_places(&mut self, file: &Blob, base: u64, starts: &[u32]) -> Result<bool> {
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.sort_by_key(|i| (starts.get(*i).copied(), *i));
        let mut cursor = base;
        let mut owner: Option<(u64, usize)> = None;
        let mut owners = Vec::new();
        for i in order {
            let (Some(start), Some(image)) =
                (starts.get(i).map(|s| u64::from(*s)), self.images.get_mut(i))
            else {
                return Ok(false);
            };
            match owner {
                // The same position means the same bytes.
                Some((at, first)) if at == start => {
                    image.shares = Some(first);
                    continue;
                }
                _ if start < cursor => return Ok(false),
                _ => {}
            }
            image.gap = file.slice(cursor, start - cursor)?.bytes()?;
            cursor = start + INFO + image.info.length();
            owner = Some((start, i));
            owners.push(i);
        }
        self.trailing = file.slice(cursor, u64::MAX)?.bytes()?;
        let mut rank: Vec<(usize, u32)> = owners
            .iter()
            .zip(0u32..)
            .map(|(i, place)| (*i, place))
            .collect();
        rank.sort();
        for ((i, place), own) in rank.into_iter().zip(0u32..) {
            if let Some(image) = self.images.get_mut(i)
                && place != own
            {
                image.place = Some(place);
            }
        }
        Ok(true)
    }

    /// Images with their own data, in the order of the data.
    fn stored_order(&self) -> Vec<usize> {
        let owners = self
            .images
            .iter()
            .enumerate()
            .filter(|(_, image)| image.shares.is_none());
        let mut order: Vec<(u32, usize)> = owners
            .zip(0u32..)
            .map(|((i, image), own)| (image.place.unwrap_or(own), i))
            .collect();
        order.sort();
        order.into_iter().map(|(_, i)| i).collect()
    }

    /// Position of the first image.
    fn base(&self) -> u64 {
        HEADER + ENTRY * self.images.len() as u64 + PALETTE * self.palettes.len() as u64
    }

    /// True if the images follow each other in the order of the table, with nothing between or
    /// after them.
    pub(crate) fn is_canonical(&self) -> bool {
        self.overlaid.is_none()
            && self.trailing.is_empty()
            && self
                .images
                .iter()
                .all(|i| i.gap.is_empty() && i.place.is_none() && i.shares.is_none())
    }

    /// Writes the file in pieces, without copying pixels.
    pub(crate) fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        if let Some(overlaid) = &self.overlaid {
            return out.put(&self.lay_over(overlaid)?);
        }
        let order = self.stored_order();
        let mut starts = vec![0u32; self.images.len()];
        let mut at = self.base();
        for (i, image) in order
            .iter()
            .filter_map(|i| self.images.get(*i).map(|image| (*i, image)))
        {
            at += image.gap.len() as u64;
            let start = u32::try_from(at).map_err(|_| {
                Error::say("the package is larger than 4 GiB, more than its offsets can express")
            })?;
            if let Some(slot) = starts.get_mut(i) {
                *slot = start;
            }
            at += INFO + image.data.len();
        }
        for (i, owner) in self
            .images
            .iter()
            .enumerate()
            .filter_map(|(i, image)| Some((i, image.shares?)))
        {
            let owns = self
                .images
                .get(owner)
                .is_some_and(|image| image.shares.is_none());
            let start = starts.get(owner).copied().filter(|_| owns).ok_or_else(|| {
                let why = format!("shares the data of image {owner}, which has none");
                Error::say(why).within(format!("[{i}]")).within("images")
            })?;
            if let Some(slot) = starts.get_mut(i) {
                *slot = start;
            }
        }
        let mut w = Writer::new(ANY);
        self.write_tables(&mut w, &starts)?;
        out.put(&w.bytes)?;
        for image in order.iter().filter_map(|i| self.images.get(*i)) {
            out.put(&image.gap)?;
            w.bytes.clear();
            image.info.write(&mut w)?;
            out.put(&w.bytes)?;
            out.put_blobs(&mut std::iter::once(&image.data))?;
        }
        out.put(&self.trailing)
    }

    /// Size of the file in bytes.
    pub(crate) fn file_size(&self) -> u64 {
        if let Some(overlaid) = &self.overlaid {
            return overlaid.file.len() as u64;
        }
        let stored = self.images.iter().filter(|i| i.shares.is_none());
        let stored: u64 = stored
            .map(|i| i.gap.len() as u64 + i.data.len() + INFO)
            .sum();
        self.base() + stored + self.trailing.len() as u64
    }

    fn write_tables(&self, w: &mut Writer, starts: &[u32]) -> Result<()> {
        self.write(w)?;
        for (image, start) in self.images.iter().zip(starts) {
            image.append(w, start)?;
        }
        w.plains(&self.palettes);
        Ok(())
    }

    /// Writes tables and images over the kept file; bytes that two of them cover must be the same
    /// in both.
    fn lay_over(&self, overlaid: &Overlaid) -> Result<Bytes> {
        const HOW: &str =
            "delete `layout` from the manifest to lay the images out one after the other";
        let Overlaid { file, starts } = overlaid;
        if starts.len() != self.images.len() {
            let (now, before) = (self.images.len(), starts.len());
            let why = format!(
                "images were added or removed ({now} now, {before} before), but this package's images overlap"
            );
            return Err(Error::say(why).hint(HOW));
        }
        let mut tables = Writer::new(ANY);
        self.write_tables(&mut tables, starts)?;
        // The patches: only bytes that differ from the file.
        let mut patches: Vec<(usize, Bytes)> = Vec::new();
        let mut claim = |at: usize, bytes: Bytes, what: String| -> Result<()> {
            match file.get(at..).and_then(|rest| rest.get(..bytes.len())) {
                // Slices of the file itself are not compared, so that thousands of overlapping
                // images stay cheap.
                Some(same) if std::ptr::eq(same.as_ptr(), bytes.as_ptr()) || same == bytes => {
                    Ok(())
                }
                Some(_) => {
                    patches.push((at, bytes));
                    Ok(())
                }
                None => Err(Error::say(format!("{what} does not fit into the file")).hint(HOW)),
            }
        };
        let tables = Bytes::from(tables.bytes);
        claim(0, tables.clone(), "the tables".into())?;
        for ((i, image), start) in self.images.iter().enumerate().zip(starts) {
            let what = format!("image [{i}] {}", image.name);
            let start = u64::from(*start);
            let (old, _) = Image::parse(&Blob::from(file).slice(start, u64::MAX)?, start)?;
            if old.length() != image.info.length() {
                return Err(Error::say(format!(
                    "{what} changed its size, but this package's images overlap"
                ))
                .hint(HOW));
            }
            let mut info = Writer::new(ANY);
            image.info.write(&mut info)?;
            claim(start as usize, info.bytes.into(), what.clone())?;
            claim((start + INFO) as usize, image.data.bytes()?, what)?;
        }
        if patches.is_empty() {
            return Ok(file.clone());
        }
        let mut out = file.to_vec();
        for (at, bytes) in &patches {
            if let Some(slot) = out.get_mut(*at..at + bytes.len()) {
                slot.copy_from_slice(bytes);
            }
        }
        let out = Bytes::from(out);
        let back = Package::read(&out)?;
        let same = |a: &Image, b: &Image| {
            a.name == b.name
                && a.global_palette == b.global_palette
                && a.info == b.info
                && a.data == b.data
        };
        if let Some(i) = back
            .images
            .iter()
            .zip(&self.images)
            .position(|(a, b)| !same(a, b))
        {
            let why = format!(
                "image [{i}] shares bytes with another one, and the two do not agree after the edit"
            );
            return Err(Error::say(why).hint(HOW));
        }
        if !out.starts_with(&tables) || back.images.len() != self.images.len() {
            let why =
                "an image shares bytes with the tables, and the two do not agree after the edit";
            return Err(Error::say(why).hint(HOW));
        }
        Ok(out)
    }
}

/// The extension of PNG paths.
pub const PNG: &str = ".png";

/// The path of an image's PNG.
pub fn assign(names: &mut UniquePaths, name: &Text<32>) -> String {
    names.assign(&format!("images/{}", plain(&name.text())), PNG)
}

/// The characters of a name that a file name keeps (FORMAT.md). A name `X.alpha` is changed,
/// because that is the alpha plane of `X`.
fn plain(name: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || "_-+@(),.".contains(c);
    let mut out: String = name
        .chars()
        .map(|c| if keep(c) { c } else { '_' })
        .collect();
    let alpha = if out.to_ascii_lowercase().ends_with(".alpha") {
        out.len().checked_sub(6)
    } else {
        None
    };
    for dot in [Some(0), out.len().checked_sub(1), alpha]
        .into_iter()
        .flatten()
    {
        if out.as_bytes().get(dot) == Some(&b'.') {
            out.replace_range(dot..=dot, "_");
        }
    }
    out
}
