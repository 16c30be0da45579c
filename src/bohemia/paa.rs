//! PAA and PAC: the textures of Bohemia's games (paa/FORMAT.md).
//!
//! The tree has the largest level as a PNG, tags and type in the manifest, and the data of the
//! levels in files: blocks cannot be derived from pixels, nor smaller levels from the largest.
//! Data of unedited pixels keep their bytes, in all levels. If the picture alone is enough to
//! rebuild the file, the tree has no other data.
//!
//! * `container`: bytes ↔ parts. * `packing`, `lzo`: the data of a level. * `pixels`, `blocks`:
//!   data ↔ pixels. * `suffixes`: the form of a new picture. * `member`: textures in archives. *
//!   `lints`: findings.

mod blocks;
mod container;
mod lints;
mod lzo;
pub(crate) mod member;
mod packing;
mod pixels;
pub(crate) mod suffixes;

pub use container::{PaaKind, PaaTag};
pub(crate) use member::TextureExtras;
pub use member::of_picture;
pub use packing::Packing;

use bytes::Bytes;
use container::{Container, END, Level, Rgba};
use packing::Unpacked;
use refit_base::{
    contract::{
        Codec, Context, Detection, Export, Family, Info, Member, Members, Model, Stage, Suspect,
        Verdict, schema,
    },
    format::Format,
    lint::Lints,
    par,
    picture::Picture,
    sheet,
    tree::{Blob, ByteSink, Form, Sink, TreeReader, TreeWriter, UniquePaths, plain::PlainFolder},
    wire::{Error, Hex, Items, Raw, Result, Trace, hex_of},
};

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Paa],
    recognise: &[
        (Stage::Signature, recognise),
        (Stage::Name, recognise_named),
    ],
    codes: lints::CODES,
    schemas: || vec![schema::<PaaManifest>()],
};

refit_base::manifest! {
    /// The manifest of a texture of Bohemia's games.
    pub(crate) struct PaaManifest, "paa" {
        /// The pixel format. Absent if the file has no type word, like old palette textures.
        kind?: PaaKind,
        /// The largest level as a PNG.
        picture?: String,
        /// Tags, in the order of the file.
        tags*: PaaTag,
        /// A file with the colours of a palette texture: blue, green and red for each.
        palette?: String,
        /// How many levels to make from the picture, if not the usual number. Only without
        /// `levels`.
        count?: u16,
        /// The levels before the picture was edited, the largest first. Without them all levels are
        /// made from the picture.
        levels*: PaaLevel,
        /// A file with the end of the texture, if that is not the usual end mark.
        end?: String,
    }
}

refit_base::record! {
    /// A level of a texture.
    pub(crate) struct PaaLevel {
        /// Width and height.
        size: [u16; 2],
        /// The file with its pixels or blocks.
        file: String,
        /// How the data are packed. Without it, as usual: LZO for blocks wider than 128 pixels if
        /// that is shorter, LZSS for other pixels, run lengths for indices.
        packing?: Packing,
        /// The file contains the data as they are stored: packed in a way that no known packer
        /// does, or (`.raw`) damaged.
        stored!: bool,
    }
}

/// A texture.
pub struct Paa {
    container: Container,
    /// The file's name.
    name: String,
    notes: Vec<String>,
}

impl Paa {
    /// Reads a file. Its name matters only without a type word.
    pub fn from_bytes(file: &Bytes, name: &str) -> Result<Paa> {
        Ok(Paa {
            container: Container::read(file, None)?,
            name: name.to_owned(),
            notes: Vec::new(),
        })
    }

    /// Makes a texture from a PNG or JPEG file. The suffix of the name says what it is for, as in
    /// Bohemia's converter: `_co` becomes DXT1, `_ca` DXT5, and in a normal map, `_nohq`, red is
    /// stored as inverted alpha. Without a known suffix it is DXT5 if the picture has alpha,
    /// otherwise DXT1.
    pub(crate) fn from_picture(file: &[u8], name: &str) -> Result<Paa> {
        let (size, mut pixels) = Picture::decode_any(file).and_then(pixels::of_picture)?;
        if let Some(side) = size.iter().find(|side| !side.is_power_of_two()) {
            return Err(Error::say(format!("{side} pixels are not a power of two"))
                .hint("the games draw textures of 4, 8, 16 and so on pixels: scale the picture"));
        }
        let has_alpha = pixels.iter().any(|pixel| pixel[3] != 255);
        let suffix = suffixes::of(name);
        let usual = if has_alpha {
            PaaKind::Dxt5
        } else {
            PaaKind::Dxt1
        };
        let kind = suffix.and_then(|suffix| suffix.kind).unwrap_or(usual);
        let has_one_bit = matches!(kind, PaaKind::Dxt1 | PaaKind::Argb1555);
        let [r, g, b, a] = pixels::average(&pixels);
        let mut tags = vec![
            PaaTag::Average(Raw([b, g, r, a])),
            PaaTag::Brightest(Raw([255; 4])),
        ];
        let mut notes = Vec::new();
        if let Some(channels) = suffix.and_then(|suffix| suffix.swizzle) {
            tags.push(PaaTag::Swizzle(channels));
            pixels
                .iter_mut()
                .for_each(|pixel| *pixel = suffixes::stored(*pixel, channels));
        } else if has_alpha {
            tags.push(PaaTag::Flag(Hex(if has_one_bit { 2 } else { 1 })));
            if let Some(suffix) =
                suffix.filter(|_| has_one_bit && pixels.iter().any(|p| !matches!(p[3], 0 | 255)))
            {
                notes.push(format!(
                    "_{}: pixels are opaque or clear; half transparent ones become either",
                    suffix.name
                ));
            }
        }
        tags.push(PaaTag::Offsets);
        let container = Container {
            kind: Some(kind),
            tags,
            palette: Bytes::new(),
            levels: Vec::new(),
            end: Bytes::from_static(&END),
        };
        let mut paa = Paa {
            container,
            name: name.to_owned(),
            notes,
        };
        paa.container.levels = paa.fresh(size, pixels, usual_count(kind, size));
        Ok(paa)
    }

    /// The type word, or the type that the engine assumes for a texture without one.
    pub fn kind(&self) -> PaaKind {
        self.container
            .kind
            .unwrap_or_else(|| PaaKind::by_file(&self.name))
    }

    /// The tags.
    pub fn tags(&self) -> &[PaaTag] {
        &self.container.tags
    }

    fn form(&self, size: [u16; 2]) -> pixels::Form<'_> {
        pixels::Form {
            kind: self.kind(),
            size,
            palette: &self.container.palette,
        }
    }

    fn level(&self, index: usize) -> Result<&Level> {
        self.container
            .levels
            .get(index)
            .ok_or_else(|| refit_base::contract::no_member(index))
    }

    /// The pixels of a level.
    fn pixels(&self, level: &Level) -> Result<Vec<Rgba>> {
        self.form(level.size)
            .decode(&packing::unpack(self.kind(), level)?.content)
    }

    /// A level as a picture.
    fn picture(&self, index: usize) -> Result<Picture> {
        let level = self.level(index)?;
        Ok(pixels::picture(level.size, &self.pixels(level)?))
    }

    /// A level on a contact sheet.
    pub(crate) fn tile(&self, index: usize, name: String) -> Result<sheet::Tile> {
        let level = self.level(index)?;
        let unpacked = packing::unpack(self.kind(), level);
        let drawn = unpacked.and_then(|unpacked| {
            Ok((
                unpacked.packing.name(),
                self.form(level.size).decode(&unpacked.content)?,
            ))
        });
        // A level that cannot be unpacked has an empty square.
        let (how, size, pixels) = match drawn {
            Ok((how, pixels)) => (how, level.size.map(usize::from), pixels),
            Err(_) => ("cannot be unpacked", [0, 0], Vec::new()),
        };
        let [width, height] = level.size;
        let lines = [
            format!("{width}x{height} {}", kind_name(self.kind())),
            how.to_owned(),
        ];
        Ok(sheet::Tile {
            name,
            lines,
            size,
            pixels,
        })
    }

    /// The unpacked contents of all levels of a picture, with their sizes.
    fn contents(
        &self,
        mut size: [u16; 2],
        mut pixels: Vec<Rgba>,
        count: usize,
    ) -> impl Iterator<Item = ([u16; 2], Vec<u8>)> {
        (0..count).map(move |i| {
            if i > 0 {
                let next = half(size);
                pixels = pixels::smaller(&pixels, size, next, None);
                size = next;
            }
            (size, self.form(size).encode(&pixels, None))
        })
    }

    /// Makes all levels of a picture.
    fn fresh(&self, size: [u16; 2], pixels: Vec<Rgba>, count: usize) -> Vec<Level> {
        self.contents(size, pixels, count)
            .map(|(size, content)| {
                let (packing, data) = packing::usual(self.kind(), size, &content);
                packing::level(size, packing, data)
            })
            .collect()
    }

    /// True if [`Self::fresh`] makes these levels, which are not of blocks, of the pixels of the
    /// first. Packing takes the longest, so contents are compared first.
    fn is_fresh(&self, pixels: Vec<Rgba>, levels: &[(&Level, &Result<Unpacked>)]) -> bool {
        let Some((first, _)) = levels.first() else {
            return true;
        };
        let has_content =
            |((size, content), (level, unpacked)): (_, &(&Level, &Result<Unpacked>))| {
                level.size == size
                    && unpacked
                        .as_ref()
                        .is_ok_and(|unpacked| unpacked.content == content)
            };
        let is_packed_so = |(level, unpacked): &(&Level, &Result<Unpacked>)| {
            unpacked.as_ref().is_ok_and(|unpacked| {
                unpacked.packing == packing::preferred(self.kind(), level.size)
                    && packing::gives(unpacked.packing, &unpacked.content, &level.data)
            })
        };
        self.contents(first.size, pixels, levels.len())
            .zip(levels)
            .all(has_content)
            && levels.iter().all(is_packed_so)
    }

    /// Puts pixels into the level `from` and updates the smaller levels where it changed; unchanged
    /// parts keep their bytes. False if nothing changes.
    fn edit(&mut self, from: usize, pixels: Vec<Rgba>) -> Result<bool> {
        let kind = self.kind();
        let mut above: Option<([u16; 2], Vec<Rgba>, Vec<bool>)> = None;
        let mut pixels = Some(pixels);
        let mut edited = Vec::new();
        for level in self.container.levels.iter().skip(from) {
            let form = self.form(level.size);
            if !form.is_drawn() {
                break;
            }
            let old = packing::unpack(kind, level).ok();
            let was = old.as_ref().and_then(|old| form.decode(&old.content).ok());
            let now = match &above {
                Some((size, larger, changed)) => pixels::smaller(
                    larger,
                    *size,
                    level.size,
                    was.as_deref().map(|was| (was, changed.as_slice())),
                ),
                None => pixels.take().unwrap_or_default(),
            };
            let changed: Vec<bool> = match &was {
                Some(was) => now.iter().zip(was).map(|(now, was)| now != was).collect(),
                None => vec![true; now.len()],
            };
            if !changed.contains(&true) {
                break;
            }
            let content = form.encode(
                &now,
                old.as_ref()
                    .map(|old| old.content.as_slice())
                    .zip(was.as_deref()),
            );
            edited.push(repacked(kind, level.size, old.as_ref(), content));
            above = Some((level.size, now, changed));
        }
        let is_edited = !edited.is_empty();
        for (slot, level) in self.container.levels.iter_mut().skip(from).zip(edited) {
            *slot = level;
        }
        Ok(is_edited)
    }

    /// Puts a picture into the largest level.
    fn put_picture(&mut self, size: [u16; 2], pixels: Vec<Rgba>) -> Result<()> {
        let old = self.container.levels.first();
        let mut after = pixels::average(&pixels);
        let before = old
            .and_then(|level| self.pixels(level).ok())
            .map(|pixels| pixels::average(&pixels));
        if let Some([width, height]) = old.map(|level| level.size).filter(|old| *old != size) {
            self.notes.push(format!(
                "the picture has {} × {} pixels instead of {width} × {height}: refit rebuilds all levels",
                size[0], size[1]
            ));
            self.container.levels = self.fresh(size, pixels, usual_count(self.kind(), size));
        } else if !self.edit(0, pixels)? {
            return Ok(());
        } else if let Some(stored) = self
            .container
            .levels
            .first()
            .and_then(|level| self.pixels(level).ok())
        {
            // The average of what is stored now: blocks are not exact, and so was not what was
            // compared with it.
            after = pixels::average(&stored);
        }
        self.shift_average(before, after);
        Ok(())
    }

    /// Changes the average colour by as much as the average of the pixels changed: Bohemia's tools
    /// compute it by an unknown rule. With a swizzle it is not the average of the stored pixels.
    fn shift_average(&mut self, before: Option<Rgba>, after: Rgba) {
        let tags = &mut self.container.tags;
        if tags.iter().any(|tag| matches!(tag, PaaTag::Swizzle(_))) {
            return;
        }
        let stored = |[r, g, b, a]: Rgba| [b, g, r, a];
        let (after, before) = (stored(after), before.map(stored));
        for tag in tags {
            let PaaTag::Average(Raw(color)) = tag else {
                continue;
            };
            let old = *color;
            *color = match before {
                None => after,
                Some(before) => std::array::from_fn(|i| {
                    let at = |color: &[u8; 4]| color.get(i).copied().map_or(0, i16::from);
                    (at(&old) + at(&after) - at(&before)).clamp(0, 255) as u8
                }),
            };
            if old != *color {
                self.notes.push(format!(
                    "the average colour is {} now, not {}",
                    hex_of(color),
                    hex_of(&old)
                ));
            }
        }
    }
}

/// The size of the next smaller level.
fn half(size: [u16; 2]) -> [u16; 2] {
    size.map(|side| (side / 2).max(1))
}

/// The usual number of levels: down to a smaller side of 4 pixels; one for pixels that are not in
/// blocks, if a side is not a power of two.
fn usual_count(kind: PaaKind, size: [u16; 2]) -> usize {
    if !kind.is_block() && !size.iter().all(|side| side.is_power_of_two()) {
        return 1;
    }
    let smaller = size[0].min(size[1]);
    (1..16).take_while(|i| smaller >> i >= 4).count() + 1
}

/// A level with new content, packed as it was.
fn repacked(kind: PaaKind, size: [u16; 2], old: Option<&Unpacked>, content: Vec<u8>) -> Level {
    let (packing, data) = match old.map(|old| old.packing) {
        None | Some(Packing::Lzo) => packing::usual(kind, size, &content),
        Some(packing) => packing::packed(packing, content),
    };
    // A narrow level that was packed stays so.
    if old.is_some_and(|old| old.packing == Packing::Lzo) && packing == Packing::Plain {
        let shorter = packing::pack(Packing::Lzo, &data).filter(|packed| packed.len() < data.len());
        if let Some(packed) = shorter {
            return packing::level(size, Packing::Lzo, packed);
        }
    }
    packing::level(size, packing, data)
}

/// The ending of files with data that could not be unpacked.
const DAMAGED: &str = ".raw";

/// The files of a tree for one level: its entry, the content of its file, and the data in the
/// texture.
///
/// Packing with LZO takes a second for 2048 × 2048 pixels: with `stay_packed`, such data are not
/// packed again to see whether they come out the same.
fn entry(
    kind: PaaKind,
    i: usize,
    level: &Level,
    unpacked: Option<&Unpacked>,
    stay_packed: bool,
) -> (PaaLevel, Bytes) {
    let made = |packing, end: &str, stored| PaaLevel {
        size: level.size,
        file: format!("levels/{i}{end}"),
        packing,
        stored,
    };
    let Some(unpacked) = unpacked else {
        let packing = match (level.is_packed, level.is_special) {
            (true, true) => Packing::LzoHead,
            (true, false) => Packing::Lzo,
            (false, true) => Packing::LzssHead,
            (false, false) => Packing::Plain,
        };
        return (made(Some(packing), DAMAGED, true), level.data.clone());
    };
    let Unpacked {
        packing, content, ..
    } = unpacked;
    let stays = stay_packed && matches!(packing, Packing::Lzo | Packing::LzoHead);
    if stays || !packing::gives(*packing, content, &level.data) {
        let own = made(Some(*packing), &format!(".{}", packing.name()), true);
        return (own, level.data.clone());
    }
    let is_usual = match (packing::preferred(kind, level.size), *packing) {
        (Packing::Lzo, Packing::Lzo) => level.data.len() < content.len(),
        (Packing::Lzo, Packing::Plain) if !stay_packed => {
            packing::usual(kind, level.size, content).0 == Packing::Plain
        }
        (preferred, packing) => preferred == packing,
    };
    let packing = (!is_usual).then_some(*packing);
    (made(packing, ".bin", false), content.clone().into())
}

/// Reads a level of a tree.
fn load(tree: &TreeReader<'_>, kind: PaaKind, entry: &PaaLevel) -> Result<Level> {
    let PaaLevel {
        size,
        file,
        packing,
        stored,
    } = entry;
    let read = || {
        let content = tree.file(file)?;
        if *stored {
            let packing = packing.ok_or_else(|| {
                Error::say("stored data say how they are packed").within("packing")
            })?;
            let level = packing::level(*size, packing, content);
            // A picture must not quietly take the place of data that were damaged later.
            if !file.ends_with(DAMAGED) {
                packing::unpack(kind, &level).map_err(|e| {
                    e.in_file(file.clone())
                        .hint("a file with data that are damaged in the texture ends with .raw")
                })?;
            }
            return Ok(level);
        }
        if content.len() as u64 != kind.bytes(*size) {
            let [width, height] = size;
            let expected = kind.bytes(*size);
            return Err(Error::say(format!(
                "{} bytes, but {width} × {height} pixels of this kind take {expected}",
                content.len()
            ))
            .in_file(file.clone()));
        }
        let (packing, data) = match packing {
            Some(packing) => packing::packed(*packing, content.to_vec()),
            None => packing::usual(kind, *size, &content),
        };
        Ok(packing::level(*size, packing, data))
    };
    // Proved data are not packed again.
    let proved = |data: Blob| {
        let data = data.bytes()?;
        let is_short = (data.len() as u64) < kind.bytes(*size);
        let packing = packing.unwrap_or(if kind.is_block() && is_short {
            Packing::Lzo
        } else {
            Packing::Plain
        });
        Ok(packing::level(*size, packing, data))
    };
    tree.part(file, proved, read)
}

/// Recognises a texture by its first tag.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    let head = suspect.head;
    let tag = Some(container::TAG.as_slice());
    match head.get(..4) == tag || head.get(2..6) == tag {
        true => Verdict::Is(Detection::new(
            Format::Paa,
            None,
            "a tag of a texture",
            true,
        )),
        false => Verdict::No,
    }
}

/// Recognises a texture without tags by its name and its parts.
fn recognise_named(suspect: &Suspect<'_>) -> Verdict {
    if !suspect.ends_with(".paa") && !suspect.ends_with(".pac") {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match Container::read(file, None) {
        Ok(container) if !container.levels.is_empty() => Verdict::Is(Detection::new(
            Format::Paa,
            None,
            "the name, and levels that fit",
            false,
        )),
        _ => Verdict::No,
    }
}

/// The codec of [`Paa`].
pub struct PaaCodec;

impl Codec for PaaCodec {
    type Model = Paa;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Paa> {
        let picture = folder.only(&[".png", ".jpg", ".jpeg"], "picture")?;
        Paa::from_picture(&folder.get(picture)?, &folder.file).map_err(|e| e.in_file(picture))
    }
    fn read(&self, file: &Blob, context: &Context) -> Result<Paa> {
        Paa::from_bytes(&file.bytes()?, &context.file)
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        Container::read(&file.bytes()?, Some(trace)).map(|_| ())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Paa> {
        let manifest: PaaManifest = tree.manifest()?;
        let place = |e: Error| e.in_file(refit_base::tree::manifest_path(tree.style));
        let side = |path: &Option<String>| path.as_ref().map(|path| tree.file(path)).transpose();
        let container = Container {
            kind: manifest.kind,
            tags: manifest.tags,
            palette: side(&manifest.palette)?.unwrap_or_default(),
            levels: Vec::new(),
            end: side(&manifest.end)?.unwrap_or_else(|| Bytes::from_static(&END)),
        };
        let mut paa = Paa {
            container,
            name: tree.head.source.file.clone(),
            notes: Vec::new(),
        };
        let kind = paa.kind();
        paa.container.levels = par::try_map(&manifest.levels, |i, entry| {
            load(tree, kind, entry).map_err(|e| match e.file() {
                Some(_) => e,
                None => place(e.within(format!("[{i}]")).within("levels")),
            })
        })?;
        if manifest.count.is_some() && !manifest.levels.is_empty() {
            return Err(place(
                Error::say("the levels are listed: their number follows").within("count"),
            ));
        }
        let Some(path) = &manifest.picture else {
            return Ok(paa);
        };
        if kind.unit() == 0 {
            return Err(place(
                Error::say("pixels of an unknown kind cannot be a picture").within("picture"),
            ));
        }
        let decoded = Picture::decode(&tree.file(path)?).and_then(pixels::of_picture);
        let (size, pixels) = decoded.map_err(|e| e.in_file(path.clone()))?;
        if !manifest.levels.is_empty() {
            paa.put_picture(size, pixels)?;
            return Ok(paa);
        }
        let count = manifest
            .count
            .map_or_else(|| usual_count(kind, size), usize::from);
        if !(1..=MOST_LEVELS).contains(&count) {
            return Err(place(
                Error::say(format!("1 to {MOST_LEVELS} levels, not {count}")).within("count"),
            ));
        }
        paa.container.levels = paa.fresh(size, pixels, count);
        Ok(paa)
    }
}

/// Maximum number of levels to create for a picture.
const MOST_LEVELS: usize = 16;

impl Model for Paa {
    fn proves_parts(&self) -> bool {
        true
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        out.put(&self.container.write()?)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let Container {
            tags,
            palette,
            levels,
            end,
            ..
        } = &self.container;
        let kind = self.kind();
        let mut paths = UniquePaths::new();
        let mut side = |name: &str, content: &Bytes, is_usual: bool| {
            if is_usual {
                return Ok(None);
            }
            let path = paths.assign(name, "");
            tree.file(&path, content).map(|()| Some(path))
        };
        let (palette, end) = (
            side("palette.bin", palette, palette.is_empty())?,
            side("end.bin", end, end == &END[..])?,
        );
        let unpacked = par::map(levels, |_, level| packing::unpack(kind, level));
        for (i, result) in unpacked.iter().enumerate() {
            if let Err(e) = result {
                tree.keep_raw(&name_of(i), e.to_string());
            }
        }
        if tree.form == Form::Stored {
            return Ok(());
        }
        let both: Vec<(&Level, &Result<Unpacked>)> = levels.iter().zip(&unpacked).collect();
        let (mut picture, mut count, mut is_derived) = (None, None, false);
        if let (Some(level), Some(Ok(Unpacked { content, .. }))) =
            (levels.first(), unpacked.first())
            && let Ok(pixels) = self.form(level.size).decode(content)
        {
            let file = &tree.head.source.file;
            let stem = file
                .rsplit_once('.')
                .map_or(file.as_str(), |(stem, _)| stem);
            let stem = if stem.is_empty() { "picture" } else { stem };
            let path = paths.assign(stem, ".png");
            tree.file(
                &path,
                &pixels::picture(level.size, &pixels)
                    .encode(tree.options.small_png)?
                    .into(),
            )?;
            picture = Some(path);
            // Blocks would have to be encoded again.
            if !kind.is_block() && levels.len() <= MOST_LEVELS {
                let usual = usual_count(kind, level.size);
                count = u16::try_from(levels.len())
                    .ok()
                    .filter(|_| levels.len() != usual);
                is_derived = self.is_fresh(pixels, &both);
            }
        }
        let mut entries = Vec::new();
        if !is_derived {
            count = None;
            let made = par::map(&both, |i, (level, unpacked)| {
                let unpacked = unpacked.as_ref().ok();
                entry(kind, i, level, unpacked, tree.options.stay_packed)
            });
            for ((entry, content), level) in made.into_iter().zip(levels) {
                tree.part_file(&entry.file, &content.into(), &level.data)?;
                entries.push(entry);
            }
        }
        tree.manifest(PaaManifest::new(
            tree.head.clone(),
            self.container.kind,
            picture,
            tags.clone(),
            palette,
            count,
            entries,
            end,
        ))
    }
    fn notes(&self) -> &[String] {
        &self.notes
    }
    fn lint(&self, lints: &mut Lints) {
        lints::judge(&self.container, self.kind(), lints);
    }
    fn info(&self) -> Info {
        let Container { tags, levels, .. } = &self.container;
        let mut info: Info = vec![("type", kind_name(self.kind()).into())];
        if let Some(Level {
            size: [width, height],
            ..
        }) = levels.first()
        {
            info.extend([("width", (*width).into()), ("height", (*height).into())]);
        }
        info.push(("levels", levels.len().into()));
        let packed = levels.iter().filter(|level| level.is_packed).count();
        if packed > 0 {
            info.push(("packed levels", packed.into()));
        }
        for tag in tags {
            match tag {
                PaaTag::Average(color) => info.push(("average colour", hex_of(&color.0).into())),
                PaaTag::Flag(flag) => info.push(("flag", flag_name(flag.0).into())),
                PaaTag::Swizzle(channels) => info.push(("swizzle", swizzle(*channels).into())),
                _ => {}
            }
        }
        info
    }
    refit_base::offers!(Members, Export);
}

impl Export for Paa {
    /// A sheet with all levels.
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        sheet::write(
            self.container.levels.len(),
            &|i| self.tile(i, format!("level {i}")),
            out,
        )
    }
}

fn kind_name(kind: PaaKind) -> String {
    kind.name()
        .map_or_else(|| format!("{:#06x}", kind.raw()), str::to_owned)
}

/// The meaning of a flag.
fn flag_name(flag: u32) -> String {
    match flag {
        1 => "alpha".to_owned(),
        2 => "transparent".to_owned(),
        _ => format!("{flag:#x}"),
    }
}

/// The source of each channel in words: `alpha = 1-red`.
fn swizzle(channels: [u8; 4]) -> String {
    let names = ["alpha", "red", "green", "blue"];
    let one = |(name, source): (&str, u8)| {
        let channel = |i: u8| names.item(usize::from(i));
        match source {
            0..=3 if channel(source) == name => None,
            0..=3 => Some(format!("{name} = {}", channel(source))),
            4..=7 => Some(format!("{name} = 1 − {}", channel(source - 4))),
            8 => Some(format!("{name} = 1")),
            9 => Some(format!("{name} = 0")),
            _ => Some(format!("{name} = #{source}")),
        }
    };
    names
        .into_iter()
        .zip(channels)
        .filter_map(one)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The name of a level as a member.
fn name_of(index: usize) -> String {
    format!("level{index}.png")
}

impl Members for Paa {
    fn members(&self) -> Vec<Member> {
        let kind = self.kind();
        let row = |(i, level): (usize, &Level)| {
            let [width, height] = level.size;
            let (how, what) = match packing::unpack(kind, level) {
                Ok(unpacked) => (unpacked.packing.name(), "picture"),
                Err(_) => ("cannot be unpacked", "raw"),
            };
            Member {
                name: name_of(i),
                bytes: level.data.len() as u64,
                kind: what.into(),
                detail: format!("{width} x {height}, {}, {how}", kind_name(kind)),
            }
        };
        self.container.levels.iter().enumerate().map(row).collect()
    }
    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        match form {
            Form::Document(_) => Ok(self.picture(index)?.encode(true)?.into()),
            Form::Stored => Ok(self.level(index)?.data.clone()),
        }
    }
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let [width, height] = self.level(index)?.size;
        if let Form::Document(_) = form {
            let (size, pixels) = pixels::of_picture(Picture::decode(bytes)?)?;
            if size != [width, height] && index > 0 {
                let message = format!(
                    "{} x {} pixels, but the level has {width} x {height}",
                    size[0], size[1]
                );
                return Err(Error::say(message));
            }
            return if index == 0 {
                self.put_picture(size, pixels)
            } else {
                self.edit(index, pixels).map(|_| ())
            };
        }
        if let Some(level) = self.container.levels.get_mut(index) {
            let new = Level {
                data: Bytes::copy_from_slice(bytes),
                ..level.clone()
            };
            packing::unpack(
                self.container
                    .kind
                    .unwrap_or_else(|| PaaKind::by_file(&self.name)),
                &new,
            )?;
            *level = new;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
