//! Texture packages (FORMAT.md): one layout in all four games, unpacked to PNGs and a manifest.
//!
//! * `package`: bytes ↔ images. * `manifest`: what a PNG cannot contain. *
//!   `convert`: images ↔ pictures. * `fit`: scaling. * `family`: one picture for every image of a
//!   name. * `color`: RGB565. * `look`: images as the games show them. * `shelf`: images one by
//!   one. * `sheet`: the contact sheet. * `judge`: lints.
//!
//! Decisions where the reference leaves a choice:
//!
//! * Order, gaps and shared data of a package with an irregular layout are fields of the images
//!   (`place`, `gap`, `shares`), so that such a package can be edited freely. Only overlapping
//!   images need the whole old file (`layout`).
//! * `.refit/palettes.bin` contains the local palettes, and the indices that do not follow from a
//!   colour. A picture saved as RGB, or with its palette sorted differently, thus converts back to
//!   the same bytes; without the file it gets a new palette.
//! * Games do not load a palette image with more than 256 colours: such a picture is an error
//!   unless its entry says `"quantize": true`.

mod color;
mod convert;
mod family;
mod fit;
mod fresh;
mod judge;
mod look;
mod manifest;
mod package;
mod sheet;
mod shelf;

pub use family::{Fitted, another};
pub use fit::fit as scaled;
pub use look::{Shown, Texels, Transparency, has_words, show, show_image, texels};
pub(crate) use manifest::Textures;
pub use manifest::{Alpha, ImageEntry, Layout, Loaded, PixelKind, Words};
pub use package::{Image, ImageInfo, Overlaid, Package, RenderFlags};
pub use shelf::Shelf;

use bytes::Bytes;
use convert::{Memory, Want};
use package::{ANY, ENTRY, HEADER, INFO, tables_of};
use refit_base::{
    contract::{
        Codec, Context, Detection, Export, Family, Info, Member, Members, Model, Stage, Suspect,
        Verdict,
    },
    format::Format,
    game::Game,
    lint::Lints,
    naming::{NameKind, Rule},
    par,
    picture::Picture,
    support::Faults,
    tree::{
        Blob, ByteSink, Document, Form, Sink, Style, TreeReader, TreeWriter, UniquePaths,
        plain::PlainFolder,
        proof::{self, RoundTrip},
    },
    wire::{Error, Record, Result, Trace},
};
use std::{
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicU64, Ordering},
};

/// The format, lint codes and schemas of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Textures],
    recognise: &[(Stage::Table, recognise)],
    codes: judge::CODES,
    schemas: || vec![refit_base::contract::schema::<Textures>()],
};

/// The path in a tree of the remembered palettes.
const MEMORY: &str = ".refit/palettes.bin";
const TRAILING: &str = "trailing.bin";
const LAYOUT: &str = "layout.bin";

/// The codec of [`TexturesModel`].
pub struct TexturesCodec;

/// A texture package as a model.
pub struct TexturesModel {
    /// The package.
    pub package: Package,
    /// The game, if known: the files do not contain it.
    pub game: Option<Game>,
    notes: Vec<String>,
    /// The file's name, which determines the renderer.
    name: String,
    /// The file that it was read from.
    file: Blob,
    faults: Faults,
}

/// Recognises a package by its table.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    let Some((data, images)) = tables_of(suspect.head) else {
        return Verdict::No;
    };
    // Without images, nothing follows the palettes.
    if data > suspect.len || images == 0 && data < suspect.len {
        return Verdict::No;
    }
    let Some(file) = suspect.all() else {
        return Verdict::All;
    };
    match is_textures(&file, images, data) {
        Ok(true) => Verdict::Is(Detection::new(
            Format::Textures,
            None,
            "a texture table that fits",
            true,
        )),
        Ok(false) => Verdict::No,
        Err(unread) => Verdict::Refused(unread),
    }
}

/// True for a texture package, judged by its table: the usual header words and starts inside the
/// file; or, for other words, images that follow each other from the end of the table, where the
/// `data` begin, to the end of the file.
fn is_textures(file: &Blob, images: u32, data: u64) -> Result<bool> {
    let head = file.slice(0, HEADER + ENTRY * u64::from(images))?.bytes()?;
    let usual = (
        Package::peek_unk00(&head, ANY),
        Package::peek_version(&head, ANY),
    ) == (0, 1);
    if images == 0 {
        return Ok(usual && data == file.len());
    }
    let mut at = data;
    let mut follow = true;
    for entry in head
        .get(HEADER as usize..)
        .unwrap_or_default()
        .chunks_exact(ENTRY as usize)
    {
        let start = Image::peek_start(entry, ANY).into();
        let info = file.slice(start, INFO)?.bytes()?;
        if (info.len() as u64) < INFO {
            return Ok(false);
        }
        follow &= start == at;
        // FORMAT.md: the size of an image follows from its info.
        at = start + INFO + ImageInfo::load(&info, ANY, &()).length();
    }
    Ok(usual || (follow && at == file.len()))
}

impl Codec for TexturesCodec {
    type Model = TexturesModel;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<TexturesModel> {
        fresh::package(folder)
    }

    fn names(&self) -> &'static [Rule] {
        const {
            &[Rule::defines(
                "textures",
                "images[].name",
                NameKind::Texture,
            )]
        }
    }
    fn read(&self, file: &Blob, context: &Context) -> Result<TexturesModel> {
        let (package, file) = (Package::read(file)?, file.clone());
        let (game, name) = (context.game, context.file.clone());
        Ok(TexturesModel {
            package,
            game,
            notes: Vec::new(),
            name,
            file,
            faults: Faults::default(),
        })
    }

    fn leaves_on_disk(&self) -> bool {
        true
    }

    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        Package::read_traced(file, Some(trace)).map(|_| ())
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<TexturesModel> {
        let manifest: Textures = tree.manifest()?;
        let place = |e: Error| e.in_file(refit_base::tree::manifest_path(tree.style));
        let palettes = global_palettes(&manifest).map_err(place)?;
        let memory = if tree.has(MEMORY) {
            Memory::load(&tree.file(MEMORY)?)
        } else {
            HashMap::new()
        };
        let overlaid = match &manifest.layout {
            Some(layout) => Some(Overlaid {
                file: tree.file(&layout.file)?,
                starts: layout.starts.clone(),
            }),
            None => None,
        };
        let game = tree.head.game;
        let (total, overlay) = (AtomicU64::new(0), overlaid.as_ref());
        let load = Load {
            tree,
            game,
            palettes: &palettes,
            memory: &memory,
            overlaid: overlay,
            total,
        };
        let (images, noted): (Vec<Option<Image>>, Vec<Vec<String>>) =
            par::try_map_with(&manifest.images, Scratch::default, |scratch, i, entry| {
                let mut notes = Vec::new();
                let image = load.image(i, entry, scratch, &mut notes);
                Ok((
                    image.map_err(|e| {
                        place(e.within(format!("[{i}] {}", entry.name)).within("images"))
                    })?,
                    notes,
                ))
            })?
            .into_iter()
            .unzip();
        let (mut images, mut notes) = (images, noted.concat());
        share(&manifest.images, &mut images).map_err(place)?;
        let mut images: Vec<Image> = images.into_iter().flatten().collect();
        if manifest.sorted {
            sort(&mut images, &mut notes);
        }
        notes.extend(strays(tree, &manifest.images));
        let trailing = manifest
            .trailing
            .as_ref()
            .map_or(Ok(Bytes::new()), |file| tree.file(file))?;
        let Textures {
            unk00,
            version,
            unk16,
            unk20,
            ..
        } = manifest;
        let package = Package {
            unk00,
            version,
            unk16,
            unk20,
            palettes,
            images,
            trailing,
            overlaid,
        };
        let (name, file, faults) = (
            tree.head.source.file.clone(),
            Blob::default(),
            Faults::default(),
        );
        Ok(TexturesModel {
            package,
            game,
            notes,
            name,
            file,
            faults,
        })
    }

    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        let manifest: Textures = tree.manifest()?;
        let one = |(i, entry): (usize, &ImageEntry)| Some((format!("[{i}]"), entry.path().ok()?));
        Ok(manifest.images.iter().enumerate().filter_map(one).collect())
    }
}

fn global_palettes(manifest: &Textures) -> Result<Vec<[u16; 256]>> {
    let one = |(i, words): (usize, &Words)| {
        words.0.as_slice().try_into().map_err(|_| {
            Error::say(format!(
                "a global palette has 256 words, this one has {}",
                words.0.len()
            ))
            .within(format!("[{i}]"))
            .within("global_palettes")
        })
    };
    manifest
        .global_palettes
        .iter()
        .enumerate()
        .map(one)
        .collect()
}

/// Buffers for reading one picture after the other: fresh memory costs as much as the reading.
#[derive(Default)]
struct Scratch {
    file: Vec<u8>,
    samples: Vec<u8>,
}

/// Reads images from a tree.
struct Load<'a> {
    tree: &'a TreeReader<'a>,
    game: Option<Game>,
    palettes: &'a [[u16; 256]],
    memory: &'a HashMap<String, Memory>,
    overlaid: Option<&'a Overlaid>,
    /// Total size of the images so far, in bytes.
    total: AtomicU64,
}

impl Load<'_> {
    /// Reads an image; `None` for one that shares another image's data.
    fn image(
        &self,
        i: usize,
        entry: &ImageEntry,
        scratch: &mut Scratch,
        notes: &mut Vec<String>,
    ) -> Result<Option<Image>> {
        if entry.shares.is_some() {
            return Ok(None);
        }
        let (info, data) = match (entry.size(), &entry.file) {
            (Some((width, height)), file) => {
                self.without_png(i, entry, width, height, file.as_deref())?
            }
            (None, _) if entry.width.is_some() || entry.height.is_some() => {
                let why = "an image without a PNG needs both `width` and `height`; one with a PNG has neither";
                return Err(Error::say(why));
            }
            (None, _) => self.png(entry, scratch, notes)?,
        };
        let gap = entry
            .gap
            .as_ref()
            .map_or(Ok(Bytes::new()), |file| self.tree.file(file))?;
        Ok(Some(Image {
            name: entry.name,
            global_palette: entry.global_palette(),
            info,
            data,
            gap,
            place: entry.place,
            shares: None,
        }))
    }

    fn png(
        &self,
        entry: &ImageEntry,
        scratch: &mut Scratch,
        notes: &mut Vec<String>,
    ) -> Result<(ImageInfo, Blob)> {
        let path = entry.path()?;
        // A cached result is valid for exactly this entry of the manifest: see `ImageTrip`.
        let proved = |stored: Blob| {
            let (stored, data) = Image::parse(&stored, 0)?;
            Ok((
                entry.info(stored.width, stored.height, stored.palette_count)?,
                data,
            ))
        };
        self.tree
            .part(&path, proved, || self.png_of(&path, entry, scratch, notes))
    }

    fn png_of(
        &self,
        path: &str,
        entry: &ImageEntry,
        scratch: &mut Scratch,
        notes: &mut Vec<String>,
    ) -> Result<(ImageInfo, Blob)> {
        let main = self.picture(path, scratch)?;
        let alpha = manifest::alpha_file(path);
        let plane = if self.tree.has(&alpha) {
            Some(self.picture(&alpha, scratch)?)
        } else {
            None
        };
        let want = Want {
            entry,
            game: self.game,
            globals: self.palettes,
            memory: self.memory.get(path),
            plane: None,
        };
        let mut noted = Vec::new();
        let (info, data) = convert::convert(&want, &main, plane.as_ref(), &mut noted)
            .map_err(|e| e.in_file(path))?;
        notes.extend(noted.into_iter().map(|note| format!("{path}: {note}")));
        scratch.samples = main.into_scratch();
        // Small files can decode to large pictures, and there can be many of them.
        let before = self.total.fetch_add(data.len() as u64, Ordering::Relaxed);
        if before + data.len() as u64 > u32::MAX.into() {
            return Err(
                Error::say("the images so far have more than the 4 GiB of a package").in_file(path),
            );
        }
        Ok((info, Bytes::from(data).into()))
    }

    fn picture(&self, path: &str, scratch: &mut Scratch) -> Result<Picture> {
        let file = self.tree.blob(path)?;
        file.read_into(
            0,
            usize::try_from(file.len()).unwrap_or(usize::MAX),
            &mut scratch.file,
        )?;
        Picture::decode_in(&scratch.file, std::mem::take(&mut scratch.samples))
            .map_err(|e| e.in_file(path))
    }

    /// Reads an empty image, one whose data is a raw file, or one that is part of overlapping
    /// images.
    fn without_png(
        &self,
        i: usize,
        entry: &ImageEntry,
        width: u16,
        height: u16,
        file: Option<&str>,
    ) -> Result<(ImageInfo, Blob)> {
        let count = match (entry.kind, &entry.palette) {
            (PixelKind::Local(_), Some(words)) => u16::try_from(words.0.len())
                .map_err(|_| Error::say("a palette has at most 65535 colours").within("palette"))?,
            (PixelKind::Local(count) | PixelKind::Global { count, .. }, _) => count,
            (PixelKind::Rgb565 | PixelKind::Gray8, _) => 0,
        };
        let info = entry.info(width, height, count)?;
        let length = info.length();
        if let Some(file) = file.filter(|f| f.ends_with(manifest::RAW)) {
            let data = self.tree.blob(file)?;
            let why = || {
                format!(
                    "the data have {} bytes, but an image of this kind and size has {length}",
                    data.len()
                )
            };
            return if data.len() == length {
                Ok((info, data))
            } else {
                Err(Error::say(why()).in_file(file))
            };
        }
        if info.is_empty() {
            let mut data = Vec::new();
            if let PixelKind::Local(_) = entry.kind {
                let words = entry.palette.as_ref().ok_or_else(|| {
                    Error::say("an empty palette image needs its palette").within("palette")
                })?;
                convert::push_palette(&mut data, &words.0, info.unit())?;
            }
            return Ok((info, Bytes::from(data).into()));
        }
        let part = self.overlaid.and_then(|o| {
            Blob::from(&o.file)
                .slice(u64::from(*o.starts.get(i)?) + INFO, length)
                .ok()
        });
        let part = part.filter(|part| part.len() == length).ok_or_else(|| {
            Error::say("the image has a size here, but no PNG is read for it")
                .hint("remove width and height")
        })?;
        Ok((info, part))
    }
}

/// Resolves `shares`.
fn share(entries: &[ImageEntry], images: &mut [Option<Image>]) -> Result<()> {
    if entries.iter().all(|e| e.shares.is_none()) {
        return Ok(());
    }
    let mut owners = HashMap::new();
    for (i, entry) in entries
        .iter()
        .enumerate()
        .filter(|(_, e)| e.shares.is_none())
    {
        if let Ok(path) = entry.path() {
            owners.entry(path).or_insert(i);
        }
    }
    for (i, entry) in entries.iter().enumerate() {
        let Some(file) = &entry.shares else { continue };
        let owner = owners
            .get(file)
            .and_then(|o| Some((*o, images.get(*o)?.clone()?)));
        let (owner, image) = owner.ok_or_else(|| {
            Error::say(format!(
                "no image has the file {file:?} whose data could be shared"
            ))
            .hint("remove \"shares\" to give the image a PNG of its own")
            .within(format!("[{i}] {}", entry.name))
            .within("images")
        })?;
        if let Some(slot) = images.get_mut(i) {
            *slot = Some(Image {
                name: entry.name,
                global_palette: entry.toc_palette.unwrap_or(-1),
                gap: Bytes::new(),
                place: None,
                shares: Some(owner),
                ..image
            });
        }
    }
    Ok(())
}

/// Sorts the images for the binary search of Crimson Skies.
fn sort(images: &mut Vec<Image>, notes: &mut Vec<String>) {
    let mut order: Vec<usize> = (0..images.len()).collect();
    let keys: Vec<Vec<u8>> = images.iter().map(|i| manifest::sort_key(&i.name)).collect();
    order.sort_by(|a, b| keys.get(*a).cmp(&keys.get(*b)));
    if order.is_sorted() {
        return;
    }
    let mut sorted: Vec<Image> = order
        .iter()
        .filter_map(|i| images.get(*i).cloned())
        .collect();
    for image in &mut sorted {
        image.shares = image
            .shares
            .and_then(|owner| order.iter().position(|old| *old == owner));
    }
    notes.push(
        "the table was sorted by name: the manifest says \"sorted\", and Crimson Skies finds images by binary search"
            .into(),
    );
    *images = sorted;
}

/// PNGs in the images' folders that no entry names.
fn strays(tree: &TreeReader<'_>, entries: &[ImageEntry]) -> Vec<String> {
    let mut known = HashSet::new();
    for path in entries.iter().filter_map(|e| e.path().ok()) {
        known.insert(manifest::alpha_file(&path));
        known.insert(path);
    }
    let stray = |p: &String| {
        p.starts_with("images/")
            && p.to_ascii_lowercase().ends_with(package::PNG)
            && !known.contains(p)
    };
    let say = |p: String| {
        format!(
            "{p}: not in the package; to add it, add {{ \"name\": … }} to \"images\" in the manifest"
        )
    };
    tree.paths().into_iter().filter(stray).map(say).collect()
}

/// The result of unpacking one image: its entry, and what is remembered of it.
type Unpacked = (ImageEntry, Option<Memory>);

/// The round-trip check of an image: its PNG, and the PNG of its alpha plane if it is separate.
struct ImageTrip<'a> {
    model: &'a TexturesModel,
    image: &'a Image,
    entry: &'a ImageEntry,
    memory: Option<&'a Memory>,
    rendered: Option<convert::Rendered>,
    small: bool,
}

impl RoundTrip for ImageTrip<'_> {
    type Model = (ImageInfo, Bytes);
    type Text = (Vec<u8>, Option<Vec<u8>>);
    fn decode(&mut self) -> Result<Self::Model> {
        Ok((self.image.info.clone(), self.image.data.bytes()?))
    }
    fn compare(&mut self, (info, data): &Self::Model) -> Result<()> {
        if *info != self.image.info {
            Err(proof::other_bytes())
        } else {
            proof::same(data, &self.image.data.bytes()?)
        }
    }
    fn print(&mut self, _: Self::Model, _: Style) -> Result<Self::Text> {
        let rendered = self
            .rendered
            .take()
            .ok_or_else(|| Error::say("an image is drawn once"))?;
        // Only one form of the picture is in memory at a time.
        let encode = |picture: Picture| picture.encode(self.small);
        Ok((
            encode(rendered.main)?,
            rendered.plane.map(encode).transpose()?,
        ))
    }
    fn read_back(&mut self, (main, plane): &mut Self::Text, _: Style) -> Result<Self::Model> {
        let globals = &self.model.package.palettes;
        let want = Want {
            entry: self.entry,
            game: self.model.game,
            globals,
            memory: self.memory,
            plane: None,
        };
        let plane = plane.as_deref().map(Picture::decode).transpose()?;
        let mut notes = Vec::new();
        let (info, data) =
            convert::convert(&want, &Picture::decode(main)?, plane.as_ref(), &mut notes)?;
        // A conversion that had to choose between colours may give other bytes: the check fails.
        if notes.is_empty() {
            Ok((info, data.into()))
        } else {
            Err(proof::other_bytes())
        }
    }
}

impl TexturesModel {
    /// Writes one image's PNGs. If no PNG can reproduce it, its data goes into a raw file.
    fn unpack_image(&self, tree: &TreeWriter<'_>, stored: &Image, path: &str) -> Result<Unpacked> {
        let image = &stored.loaded()?;
        let mut entry = ImageEntry::of(image, path);
        let rendered = convert::render(image, &self.package.palettes, self.game)?;
        entry.palette = rendered.explicit.clone();
        let memory = Memory::of(image, &self.package.palettes)?;
        let mut trip = ImageTrip {
            model: self,
            image,
            entry: &entry,
            memory: memory.as_ref(),
            rendered: Some(rendered),
            small: tree.options.small_png,
        };
        match trip.prove(tree.form, tree.proves()) {
            Ok(None) => Ok((entry, memory)),
            Ok(Some((main, plane))) => {
                let payload = if tree.proves() {
                    stored.stored_in(&self.file)?
                } else {
                    Blob::default()
                };
                tree.part_file(path, &Bytes::from(main).into(), payload)?;
                if let Some(plane) = plane {
                    tree.part_file(
                        &manifest::alpha_file(path),
                        &Bytes::from(plane).into(),
                        Bytes::new(),
                    )?;
                }
                Ok((entry, memory))
            }
            Err(e) => {
                let raw = format!(
                    "{}{}",
                    path.strip_suffix(package::PNG).unwrap_or(path),
                    manifest::RAW
                );
                tree.keep_raw(&image.name.text(), e.to_string());
                tree.blob(&raw, &stored.data)?;
                let (width, height) = (Some(image.info.width), Some(image.info.height));
                Ok((
                    ImageEntry {
                        file: Some(raw),
                        width,
                        height,
                        palette: None,
                        ..entry
                    },
                    None,
                ))
            }
        }
    }
}

impl TexturesModel {
    /// The record and data of an image with another picture.
    fn converted(
        &self,
        image: &Image,
        picture: &Picture,
        quantize: bool,
        notes: &mut Vec<String>,
    ) -> Result<(ImageInfo, Blob)> {
        let (info, palettes) = (&image.info, &self.package.palettes);
        let mut entry = ImageEntry {
            quantize,
            ..ImageEntry::of(image, "")
        };
        if !info.is_empty() {
            entry.palette = convert::render(image, palettes, self.game)?.explicit;
        }
        let memory = Memory::of(image, palettes)?;
        let [_, plane, _] = image.parts()?;
        let plane = info
            .has_plane()
            .then(|| (info.width.into(), info.height.into(), &*plane));
        let want = Want {
            entry: &entry,
            game: self.game,
            globals: palettes,
            memory: memory.as_ref(),
            plane,
        };
        let (info, data) = convert::convert(&want, picture, None, notes)?;
        Ok((info, Bytes::from(data).into()))
    }

    /// Replaces the content of an image and of those that share its data.
    fn replace(&mut self, owner: usize, info: &ImageInfo, data: &Blob) {
        let images = self.package.images.iter_mut().enumerate();
        for (_, image) in images.filter(|(i, image)| *i == owner || image.shares == Some(owner)) {
            (image.info, image.data) = (info.clone(), data.clone());
        }
    }

    /// The entry of an image without a PNG.
    fn without_png(image: &Image, path: &str) -> Result<ImageEntry> {
        let entry = ImageEntry::of(image, path);
        let indexed = image.info.is_empty() && matches!(entry.kind, PixelKind::Local(_));
        let palette = if indexed {
            Some(Words(image.local_palette()?))
        } else {
            None
        };
        Ok(ImageEntry {
            width: Some(image.info.width),
            height: Some(image.info.height),
            palette,
            ..entry
        })
    }

    /// Which images get PNGs. A small file of overlapping images can claim any number of pixels, so
    /// there is a limit.
    fn shown(&self) -> Vec<bool> {
        let mut budget = self
            .package
            .overlaid
            .as_ref()
            .map_or(u64::MAX, |o| 4 * o.file.len() as u64 + (1 << 20));
        let one = |image: &Image| {
            let show = !image.info.is_empty() && image.info.length() <= budget;
            budget -= if show { image.info.length() } else { 0 };
            show
        };
        self.package.images.iter().map(one).collect()
    }
}

impl Model for TexturesModel {
    fn game(&self) -> Option<Game> {
        self.game
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        self.package.write_to(out)
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn proves_parts(&self) -> bool {
        true
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let package = &self.package;
        let mut names = UniquePaths::new();
        let paths: Vec<String> = package
            .images
            .iter()
            .map(|image| {
                if image.shares.is_some() {
                    String::new()
                } else {
                    package::assign(&mut names, &image.name)
                }
            })
            .collect();
        let one = |((image, path), shown): ((&Image, &String), bool)| -> Result<Unpacked> {
            match image.shares {
                Some(owner) => Ok((
                    ImageEntry::sharing(image, paths.get(owner).cloned().unwrap_or_default()),
                    None,
                )),
                None if shown => self.unpack_image(tree, image, path),
                None => Ok((Self::without_png(image, path)?, None)),
            }
        };
        let shown = self.shown();
        let unpacked: Vec<Unpacked> = par::try_times(package.images.len(), |i| {
            package
                .images
                .get(i)
                .zip(paths.get(i))
                .zip(shown.get(i).copied())
                .map(one)
        })?;
        let mut memory = Vec::new();
        let mut entries = Vec::with_capacity(unpacked.len());
        for (((mut entry, own), image), path) in
            unpacked.into_iter().zip(&package.images).zip(&paths)
        {
            if let Some(own) = own {
                own.store(path, &mut memory);
            }
            if !image.gap.is_empty() {
                let file = names.assign(
                    &format!(
                        "gaps/{}",
                        path.trim_start_matches("images/")
                            .trim_end_matches(package::PNG)
                    ),
                    manifest::RAW,
                );
                tree.file(&file, &image.gap)?;
                entry.gap = Some(file);
            }
            entries.push(entry);
        }
        if !memory.is_empty() {
            tree.file(MEMORY, &memory.into())?;
        }
        if !package.trailing.is_empty() {
            tree.file(TRAILING, &package.trailing)?;
        }
        if let Some(overlaid) = &package.overlaid {
            tree.file(LAYOUT, &overlaid.file)?;
        }
        let free = package.images.len() > 1 && package.overlaid.is_none();
        let sorted = self.game == Some(Game::Cs) && free && package.is_sorted();
        let manifest = Textures::new(
            tree.head.clone(),
            package.unk00,
            package.version,
            package.unk16,
            package.unk20,
            sorted,
            entries,
            package.palettes.iter().map(|p| Words(p.to_vec())).collect(),
            (!package.trailing.is_empty()).then(|| TRAILING.to_owned()),
            package.overlaid.as_ref().map(|o| Layout {
                file: LAYOUT.to_owned(),
                starts: o.starts.clone(),
            }),
        );
        if tree.proves() {
            // The pictures were verified for these entries: the text must say exactly the same.
            let style = if let Form::Document(style) = tree.form {
                style
            } else {
                Style::default()
            };
            if Textures::from_text(&manifest.to_text(style)?, style)? != manifest {
                return Err(Error::say(
                    "the manifest reads back differently; this is a bug in refit, please report it",
                ));
            }
        }
        tree.manifest(manifest)
    }

    fn lint_edit(&self, before: &TexturesModel, lints: &mut Lints) {
        lints.of_game(self.game);
        self.faults.or_note(judge::smaller_versions(
            &self.package,
            &before.package,
            lints,
        ));
    }
    fn lint(&self, lints: &mut Lints) {
        judge::judge(&self.package, self.game, &self.name, &self.faults, lints);
    }

    fn fault(&self) -> Option<Error> {
        self.faults.take()
    }

    fn info(&self) -> Info {
        judge::info(&self.package)
    }

    refit_base::offers!(Members, Export);
}

impl Members for TexturesModel {
    fn members(&self) -> Vec<Member> {
        let one = |image: &Image| {
            let (kind, detail) = judge::describe(image);
            Member {
                name: image.name.text().into_owned(),
                bytes: INFO + image.data.len(),
                kind: kind.into(),
                detail,
            }
        };
        self.package.images.iter().map(one).collect()
    }

    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let image = self
            .package
            .images
            .get(index)
            .ok_or_else(|| refit_base::contract::no_member(index))?;
        if form == Form::Stored {
            return image.stored().map(Bytes::from);
        }
        if image.info.is_empty() {
            let ImageInfo { width, height, .. } = image.info;
            return Err(Error::say(format!(
                "the image has {width} × {height} pixels, which a PNG cannot express"
            )));
        }
        convert::render(image, &self.package.palettes, self.game)?
            .main
            .encode(false)
            .map(Bytes::from)
    }

    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let index = self
            .package
            .images
            .get(index)
            .and_then(|i| i.shares)
            .unwrap_or(index);
        let image = self
            .package
            .images
            .get(index)
            .ok_or_else(|| refit_base::contract::no_member(index))?;
        let (info, data) = match form {
            Form::Stored => {
                let bytes = Blob::Memory(Bytes::copy_from_slice(bytes));
                let (info, data) = Image::parse(&bytes, 0)?;
                if bytes.len() != INFO + info.length() {
                    let why = format!(
                        "{} bytes, but the image in them has {}",
                        bytes.len(),
                        INFO + info.length()
                    );
                    return Err(Error::say(why));
                }
                (info, data)
            }
            Form::Document(_) => {
                let mut notes = Vec::new();
                let converted =
                    self.converted(image, &Picture::decode(bytes)?, false, &mut notes)?;
                self.notes.append(&mut notes);
                converted
            }
        };
        self.replace(index, &info, &data);
        Ok(())
    }

    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        if form == Form::Stored {
            return Err(Error::say("an image is added as a picture"));
        }
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let done = self.add_by_name(stem, bytes)?;
        self.notes
            .extend(done.into_iter().flat_map(|fitted| fitted.notes));
        let is_new = |image: &Image| image.name.text().eq_ignore_ascii_case(stem);
        self.package
            .images
            .iter()
            .position(is_new)
            .ok_or_else(|| Error::say("the image was not added"))
    }
}

impl Export for TexturesModel {
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        sheet::export(&self.package, self.game, out)
    }
}

refit_base::tables! { Package, Image, package::ImageInfo }

#[cfg(test)]
mod tests;
