//! `texHeaders.bin`: the headers of an addon's textures, which the game reads instead of the
//! textures (FORMAT.md).
//!
//! Nearly all of it can be derived from the textures. The tree contains only their paths, and refit
//! writes the rest when it builds the archive: an edited texture would not match an old list.

use super::{Label, Pbo};
use crate::paa::{Paa, PaaKind, PaaTag, member};
use bytes::Bytes;
use refit_base::{
    game::Game,
    par,
    tree::Blob,
    wire::{
        Encode, Error, F32, Hex, HexBytes, Plain, Reader, Result, Role, Trace, Within, Writer,
        count, value_at,
    },
};
use std::collections::HashMap;

refit_base::record! {
    /// The list of the textures of an addon, `texHeaders.bin`. It omits what follows from the
    /// textures.
    pub struct TexHeaders {
        /// The textures, in the order of the file.
        textures: Vec<TexHeader>,
    }
}
refit_base::document!(TexHeaders, "pbo-tex-headers");

refit_base::record! {
    /// A texture in `texHeaders.bin`.
    #[derive(Default)]
    pub struct TexHeader {
        /// Its path below the folder of the list.
        path: Label,
        /// What it is for, by the end of its name: 0 colour, 1 linear colour, 2 detail, 3 normal
        /// map, 7 macro, 8 ambient shadow, 9 specular, 11 detail and specular, 12 mask, 13 thermal.
        kind!: u32,
        /// The average colour is divided by 255, not multiplied by 1/255.
        divided!: bool,
        /// The average colour as red, green, blue and alpha, if it does not follow from that of the
        /// texture.
        average?: [F32; 4],
        /// The entry without its path and kind, if it does not follow from the texture.
        stored?: HexBytes,
    }
}

/// The name of the list, in lower case.
const NAME: &[u8] = b"texheaders.bin";
const MAGIC: [u8; 4] = *b"0DHT";
const VERSION: u32 = 1;
/// Nothing depends on the game.
const ANY: Game = Game::Mw;
/// Bytes of an entry before its path.
const HEAD: usize = TextureHead::size(ANY);
/// Bytes of a level.
const LEVEL: u64 = LevelHead::size(ANY) as u64;

refit_base::record! {
    /// An entry before its path.
    pub(super) struct TextureHead [Rc 54, Mw 54, Pm 54, Cs 54] {
        /// Number of palettes.
        const palettes: u32 = |_| 1,
        /// A pointer to them.
        const palette_pointer: u32 = |_| 0,
        /// The average colour: red, green, blue, alpha. A byte times 1/255, or divided by 255.
        mut average: [F32; 4],
        /// AVGC of the texture.
        mut average_bytes: [u8; 4],
        /// MAXC of the texture; FF FF FF FF without it.
        const brightest: [u8; 4] = |_| [0xff; 4],
        const clamp_flags: Hex<u32> = |_| Hex(0),
        const transparent_color: Hex<u32> = |_| Hex(!0),
        /// 1 if the texture has MAXC.
        mut has_brightest: u8,
        /// Bit 0 of FLAG.
        mut is_alpha: u8,
        /// Bit 1 of FLAG.
        mut is_transparent: u8,
        /// 1 for alpha with an average below 80h.
        mut is_mostly_transparent: u8,
        mut levels: u32,
        /// 0 P8, 1 AI88, 2 565, 3 1555, 4 4444, 5 8888, 6 to 10 DXT1 to DXT5.
        mut pixels: u32,
        /// Unknown; 1 in known files.
        const unk52: u8 = |_| 1,
        /// 1 for `.paa`, 0 for `.pac`.
        mut is_paa: u8,
    }
}

refit_base::record! {
    /// A level of a texture.
    pub(super) struct LevelHead [Rc 12, Mw 12, Pm 12, Cs 12] {
        mut width: u16,
        mut height: u16,
        const unk04: u16 = |_| 0,
        /// As in the head.
        mut pixels: u8,
        /// Unknown; 3 in known files.
        const unk07: u8 = |_| 3,
        /// Position in the texture.
        mut start: u32,
    }
}

/// True for the name of such a list.
pub(super) fn is_name(name: &Label) -> bool {
    name.parts()
        .next_back()
        .is_some_and(|file| file.eq_ignore_ascii_case(NAME))
}

/// An entry in its stored form.
pub(super) struct StoredEntry {
    pub path: Label,
    kind: u32,
    /// The bytes before the path, and those after the kind.
    head: Vec<u8>,
    tail: Vec<u8>,
}

/// Reads a list.
pub(super) fn read(file: &[u8]) -> Result<Vec<StoredEntry>> {
    let mut r = Reader::new(file, ANY);
    let magic: [u8; 4] = r.hidden("magic", Role::Constant)?;
    let version: u32 = r.hidden("version", Role::Constant)?;
    if magic != MAGIC || version != VERSION {
        return Err(Error::say("not a list of textures (0DHT, version 1)").at(0));
    }
    let count: u32 = r.hidden("textures", Role::Derived)?;
    let mut entries = Vec::new();
    r.within("textures", |r| {
        for i in 0..count {
            entries.push(r.item(i as usize, entry)?);
        }
        Ok(())
    })?;
    match r.left() {
        0 => Ok(entries),
        n => Err(Error::say(format!("{n} bytes follow the last texture")).at(r.offset())),
    }
}

fn entry(r: &mut Reader<'_>) -> Result<StoredEntry> {
    let bytes = |r: &mut Reader<'_>, n: u64, name: &str| {
        r.bytes(n, name, refit_base::wire::Notation::Bytes, Role::Value)
            .map(<[u8]>::to_vec)
    };
    let head = bytes(r, HEAD as u64, "head")?;
    let path = Label(r.c_text("path", Role::Value)?.to_vec().into());
    let kind: u32 = r.field("kind")?;
    let levels: u32 = r.hidden("levels", Role::Derived)?;
    let mut tail = levels.to_le_bytes().to_vec();
    tail.extend(bytes(r, u64::from(levels) * LEVEL + 4, "levels")?);
    Ok(StoredEntry {
        path,
        kind,
        head,
        tail,
    })
}

/// The number that the list has for a kind of pixels.
fn format_code(kind: PaaKind) -> Option<u8> {
    Some(match kind {
        PaaKind::P8 => 0,
        PaaKind::Ai88 => 1,
        PaaKind::Argb1555 => 3,
        PaaKind::Argb4444 => 4,
        PaaKind::Argb8888 => 5,
        PaaKind::Dxt1 => 6,
        PaaKind::Dxt2 => 7,
        PaaKind::Dxt3 => 8,
        PaaKind::Dxt4 => 9,
        PaaKind::Dxt5 => 10,
        PaaKind::Other(_) => return None,
    })
}

/// The average colour as blue, green, red and alpha.
fn average(paa: &Paa) -> [u8; 4] {
    let found = |tag: &PaaTag| {
        if let PaaTag::Average(color) = tag {
            Some(color.0)
        } else {
            None
        }
    };
    paa.tags().iter().find_map(found).unwrap_or_default()
}

/// The four floats of an average colour.
fn floats([b, g, r, a]: [u8; 4], is_divided: bool) -> [F32; 4] {
    let one = |byte: u8| {
        if is_divided {
            f32::from(byte) / 255.0
        } else {
            f32::from(byte) * (1.0 / 255.0)
        }
    };
    [r, g, b, a].map(|byte| F32::from(one(byte)))
}

/// The bytes of an entry before its path and after its kind, derived from a texture of `size`
/// bytes. `None` for an unknown pixel format.
fn derive(paa: &Paa, size: u64, path: &Label, color: [F32; 4]) -> Option<(Vec<u8>, Vec<u8>)> {
    let format = format_code(paa.kind())?;
    let average = average(paa);
    let flag = paa.tags().iter().find_map(|tag| {
        if let PaaTag::Flag(flag) = tag {
            Some(flag.0)
        } else {
            None
        }
    });
    let flag = flag.unwrap_or(0);
    let has_brightest = paa
        .tags()
        .iter()
        .any(|tag| matches!(tag, PaaTag::Brightest(_)));
    let (is_alpha, is_transparent) = (flag & 1 != 0, flag & 2 != 0);
    let levels: Vec<([u16; 2], u32)> = paa.places().collect();
    let count = u32::try_from(levels.len()).ok()?;
    let head = TextureHead {
        average: color,
        average_bytes: average,
        has_brightest: has_brightest.into(),
        is_alpha: is_alpha.into(),
        is_transparent: is_transparent.into(),
        is_mostly_transparent: (is_alpha && average[3] < 0x80).into(),
        levels: count,
        pixels: format.into(),
        is_paa: (!path.0.to_ascii_lowercase().ends_with(b".pac")).into(),
    };
    let (mut before, mut behind) = (Writer::new(ANY), Writer::new(ANY));
    head.write(&mut before).ok()?;
    behind.u32(count);
    for ([width, height], start) in levels {
        LevelHead {
            width,
            height,
            pixels: format,
            start,
        }
        .write(&mut behind)
        .ok()?;
    }
    behind.u32(u32::try_from(size).ok()?);
    Some((before.bytes, behind.bytes))
}

/// What a texture is for, by the end of its name (FORMAT.md). Known lists agree on these.
fn kind_of(path: &str) -> u32 {
    let file = path.rsplit('\\').next().unwrap_or(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    if stem.ends_with("_ti_ca") {
        return 13;
    }
    match stem.rsplit_once('_').map_or("", |(_, end)| end) {
        "dt" | "cdt" | "mco" | "detail" => 2,
        "no" | "nohq" | "nopx" | "nof" | "nofhq" | "non" | "novhq" | "ns" | "nshq"
        | "normalmap" => 3,
        "mc" => 7,
        "as" | "ads" | "adshq" => 8,
        "sm" | "smdi" => 9,
        "dtsmdi" => 11,
        "mask" => 12,
        "ti" => 13,
        _ => 0,
    }
}

/// A new list of textures: their paths below the folder of the list, with `\` between the parts,
/// and their contents. Files that are no textures are left out; `None` if there are no textures.
pub fn made(textures: &[(String, Blob)]) -> Result<Option<Bytes>> {
    let mut sorted: Vec<(String, &Blob)> = textures
        .iter()
        .map(|(path, file)| (path.to_lowercase(), file))
        .collect();
    sorted.sort_by_cached_key(|(path, _)| path.clone());
    let found = par::try_map(&sorted, |_, (path, file)| {
        let Ok(Some(texture)) = member::Texture::read(file, path) else {
            return Ok::<_, Error>(None);
        };
        let (label, paa) = (Label::from(path.as_str()), texture.into_paa());
        let color = floats(average(&paa), false);
        let derived = derive(&paa, file.len(), &label, color);
        Ok(derived.map(|(head, tail)| (head, label, kind_of(path), tail)))
    })?;
    let (mut out, mut count) = (Vec::new(), 0u32);
    for (head, path, kind, tail) in found.into_iter().flatten() {
        count += 1;
        put(&mut out, &head, &path, kind, &tail);
    }
    let file = || {
        [
            &MAGIC[..],
            &VERSION.to_le_bytes(),
            &count.to_le_bytes(),
            &out,
        ]
        .concat()
    };
    Ok((count > 0).then(|| file().into()))
}

/// The textures of an archive, by the names of its files.
struct Textures<'a> {
    pbo: &'a Pbo,
    /// The folder of the list, with its separator, as the engine compares names.
    folder: Vec<u8>,
    by_name: HashMap<Vec<u8>, usize>,
}

impl<'a> Textures<'a> {
    fn new(pbo: &'a Pbo, list: &Label) -> Self {
        let name = list.looked_up();
        let folder = name
            .within(..name.len().saturating_sub(NAME.len()))
            .to_vec();
        let is_texture = |(i, entry): (usize, &super::Entry)| {
            let name = entry.name.looked_up();
            member::is_name(&name).then_some((name, i))
        };
        Textures {
            pbo,
            folder,
            by_name: pbo
                .entries()
                .iter()
                .enumerate()
                .filter_map(is_texture)
                .collect(),
        }
    }

    fn index(&self, path: &Label) -> Option<usize> {
        self.by_name
            .get(&[self.folder.as_slice(), &path.looked_up()].concat())
            .copied()
    }

    /// A texture and its size; `None` if the archive has no texture with this path.
    fn texture(&self, path: &Label) -> Result<Option<(Paa, u64)>> {
        let Some(entry) = self.index(path).and_then(|i| self.pbo.entries().get(i)) else {
            return Ok(None);
        };
        let Some(content) = entry.unpacked()? else {
            return Ok(None);
        };
        let texture = member::Texture::read(&content, &entry.name.show());
        Ok(texture
            .ok()
            .flatten()
            .map(|texture| (texture.into_paa(), content.len())))
    }
}

impl TexHeader {
    /// An entry, without what its texture determines.
    fn of(stored: &StoredEntry, texture: Option<&(Paa, u64)>) -> TexHeader {
        let StoredEntry {
            path,
            kind,
            head,
            tail,
        } = stored;
        let entry = TexHeader {
            path: path.clone(),
            kind: *kind,
            ..TexHeader::default()
        };
        let fits = |paa: &Paa, size: u64, color| {
            derive(paa, size, path, color).is_some_and(|(own, rest)| own == *head && rest == *tail)
        };
        if let Some((paa, size)) = texture {
            let average = average(paa);
            if fits(paa, *size, floats(average, false)) {
                return entry;
            }
            if fits(paa, *size, floats(average, true)) {
                return TexHeader {
                    divided: true,
                    ..entry
                };
            }
            let color = TextureHead::peek_average(head, ANY);
            if fits(paa, *size, color) {
                return TexHeader {
                    average: Some(color),
                    ..entry
                };
            }
        }
        TexHeader {
            stored: Some(HexBytes([head.as_slice(), tail].concat())),
            ..entry
        }
    }

    /// The bytes before the path and after the kind; `None` if their texture is missing.
    fn bytes(&self, texture: Option<&(Paa, u64)>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        if let Some(HexBytes(stored)) = &self.stored {
            let parts = stored
                .split_at_checked(HEAD)
                .filter(|(_, tail)| tail.len() >= 8);
            let (head, tail) =
                parts.ok_or_else(|| Error::say("an entry has more bytes").within("stored"))?;
            return Ok(Some((head.to_vec(), tail.to_vec())));
        }
        let Some((paa, size)) = texture else {
            return Ok(None);
        };
        let color = self
            .average
            .unwrap_or_else(|| floats(average(paa), self.divided));
        Ok(derive(paa, *size, &self.path, color))
    }
}

impl TexHeaders {
    /// Reads the list of this name in an archive.
    pub(super) fn of(pbo: &Pbo, list: &Label, file: &[u8]) -> Result<TexHeaders> {
        let stored = read(file)?;
        let textures = Textures::new(pbo, list);
        let textures = par::try_map(&stored, |_, entry| {
            Ok::<_, Error>(TexHeader::of(
                entry,
                textures.texture(&entry.path)?.as_ref(),
            ))
        })?;
        Ok(TexHeaders { textures })
    }

    /// Writes the list of this name for an archive. Also returns the paths of textures that the
    /// archive does not have: they are left out.
    pub(super) fn file(&self, pbo: &Pbo, list: &Label) -> Result<(Bytes, Vec<String>)> {
        let textures = Textures::new(pbo, list);
        let made = par::try_map(&self.textures, |i, entry| {
            entry
                .path
                .check("the path")
                .map_err(|e| e.within(format!("[{i}]")).within("textures"))?;
            let texture = if entry.stored.is_none() {
                textures.texture(&entry.path)?
            } else {
                None
            };
            entry
                .bytes(texture.as_ref())
                .map_err(|e| e.within(format!("[{i}]")).within("textures"))
        })?;
        let (mut out, mut missing) = (Vec::new(), Vec::new());
        let mut count = 0u32;
        for (entry, bytes) in self.textures.iter().zip(made) {
            let Some((head, tail)) = bytes else {
                missing.push(entry.path.show().into_owned());
                continue;
            };
            count += 1;
            put(&mut out, &head, &entry.path, entry.kind, &tail);
        }
        let file = [
            MAGIC.as_slice(),
            &VERSION.to_le_bytes(),
            &count.to_le_bytes(),
            &out,
        ]
        .concat();
        Ok((file.into(), missing))
    }
}

fn put(out: &mut Vec<u8>, head: &[u8], path: &Label, kind: u32, tail: &[u8]) {
    out.extend_from_slice(head);
    out.extend_from_slice(&path.0);
    out.push(0);
    out.extend(kind.to_le_bytes());
    out.extend_from_slice(tail);
}

/// Updates a list after `changed` got new content: entries that matched the old texture match the
/// new one. `None` if nothing changes.
pub(super) fn renewed(
    list: &Label,
    file: &[u8],
    changed: &Label,
    before: &Blob,
    after: &Blob,
) -> Option<Vec<u8>> {
    let stored = read(file).ok()?;
    let name = list.looked_up();
    let folder = name.get(..name.len().saturating_sub(NAME.len()))?;
    let texture = |content: &Blob| {
        let texture = member::Texture::read(content, &changed.show())
            .ok()
            .flatten()?;
        Some((texture.into_paa(), content.len()))
    };
    let (old, new) = (texture(before)?, texture(after)?);
    let mut out = [
        MAGIC.as_slice(),
        &VERSION.to_le_bytes(),
        &u32::try_from(stored.len()).ok()?.to_le_bytes(),
    ]
    .concat();
    let mut is_changed = false;
    for entry in &stored {
        let is_it = [folder, &entry.path.looked_up()].concat() == changed.looked_up();
        let derived =
            Some(TexHeader::of(entry, Some(&old))).filter(|entry| is_it && entry.stored.is_none());
        let bytes = derived.and_then(|mut derived| {
            // Floats of an old colour do not fit a new one.
            if average(&old.0) != average(&new.0) {
                derived.average = None;
            }
            derived.bytes(Some(&new)).ok().flatten()
        });
        is_changed |= bytes.is_some();
        let (head, tail) = bytes
            .as_ref()
            .map_or((&entry.head, &entry.tail), |(head, tail)| (head, tail));
        put(&mut out, head, &entry.path, entry.kind, tail);
    }
    is_changed.then_some(out)
}

/// Differences between a list and the textures of its archive: the path of each texture, and how it
/// differs.
pub(super) fn misfits(pbo: &Pbo, list: &Label, file: &[u8]) -> Result<Vec<(String, String)>> {
    let stored = read(file)?;
    let textures = Textures::new(pbo, list);
    let found = par::try_map(&stored, |_, entry| {
        let Some((paa, size)) = textures.texture(&entry.path)? else {
            return Ok(None);
        };
        let Some((_, tail)) = derive(&paa, size, &entry.path, [F32::default(); 4]) else {
            return Ok(None);
        };
        if tail == entry.tail {
            return Ok::<_, Error>(None);
        }
        let last = entry
            .tail
            .last_chunk::<4>()
            .map_or(0, |size| u32::get(size));
        let why = match u64::from(last) == size {
            true => "other levels than the texture".to_owned(),
            false => format!("{last} bytes in the list, but {size} in the archive"),
        };
        Ok(Some((entry.path.show().into_owned(), why)))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// A texture of a list, for people.
pub struct ListedTexture {
    /// Its path below the folder of the list.
    pub path: String,
    /// The size of its file, in bytes.
    pub bytes: u32,
    /// `dxt5 512x256, 8 levels`.
    pub detail: String,
}

/// The names of the kinds of pixels, by their numbers.
const PIXELS: [&str; 11] = [
    "p8", "ai88", "rgb565", "argb1555", "argb4444", "argb8888", "dxt1", "dxt2", "dxt3", "dxt4",
    "dxt5",
];

/// The textures of a list.
pub fn listed(file: &[u8]) -> Result<Vec<ListedTexture>> {
    let texture = |entry: StoredEntry| {
        let pixels = TextureHead::peek_pixels(&entry.head, ANY);
        let name = usize::try_from(pixels).ok().and_then(|n| PIXELS.get(n));
        let kind = name.map_or_else(|| format!("#{pixels}"), |name| (*name).to_owned());
        // A number of levels, the levels, and the size of the file.
        let levels: u32 = value_at(&entry.tail, 0).unwrap_or_default();
        let size = entry.tail.get(4..).filter(|_| levels > 0).map(|level| {
            let (width, height) = (
                LevelHead::peek_width(level, ANY),
                LevelHead::peek_height(level, ANY),
            );
            format!(" {width}x{height}, {}", count(levels as usize, "level"))
        });
        ListedTexture {
            path: entry.path.show().into_owned(),
            bytes: entry
                .tail
                .last_chunk::<4>()
                .map_or(0, |size| u32::get(size)),
            detail: format!("{kind}{}", size.unwrap_or_default()),
        }
    };
    Ok(read(file)?.into_iter().map(texture).collect())
}

/// The list as refit writes it, from what it read.
pub fn rewritten(file: &[u8]) -> Result<Vec<u8>> {
    let entries = read(file)?;
    let number = u32::try_from(entries.len()).map_err(|_| Error::say("too many textures"))?;
    let mut out = [&MAGIC[..], &VERSION.to_le_bytes(), &number.to_le_bytes()].concat();
    for entry in &entries {
        put(&mut out, &entry.head, &entry.path, entry.kind, &entry.tail);
    }
    Ok(out)
}

/// Reports the meaning of every byte of a list.
pub fn explain(file: &[u8], trace: &dyn Trace) -> Result<()> {
    // First without `trace`: an error halfway would leave lines in it.
    read(file)?;
    let mut r = Reader::new(file, ANY).traced(Some(trace));
    let _: [u8; 4] = r.hidden("magic", Role::Constant)?;
    let _: u32 = r.hidden("version", Role::Constant)?;
    let number: u32 = r.hidden("count", Role::Derived)?;
    r.within("textures", |r| {
        (0..number as usize).try_for_each(|i| {
            r.item(i, |r| {
                TextureHead::read(r)?;
                r.c_text("path", Role::Value)?;
                let _: u32 = r.field("kind")?;
                let levels: u32 = r.hidden("count", Role::Derived)?;
                r.within("levels", |r| {
                    (0..levels as usize).try_for_each(|i| r.item(i, LevelHead::read).map(|_| ()))
                })?;
                let _: u32 = r.field("size")?;
                Ok(())
            })
        })
    })
}

/// `82 textures (61 dxt5, 21 dxt1)`.
pub fn summary(file: &[u8]) -> Result<String> {
    let entries = read(file)?;
    let mut counts: Vec<(usize, &str)> = PIXELS.iter().map(|name| (0, *name)).collect();
    for entry in &entries {
        if let Some((n, _)) = counts.get_mut(TextureHead::peek_pixels(&entry.head, ANY) as usize) {
            *n += 1;
        }
    }
    counts.retain(|(n, _)| *n > 0);
    counts.sort_by_cached_key(|(n, _)| std::cmp::Reverse(*n));
    let kinds: Vec<String> = counts
        .iter()
        .map(|(n, name)| format!("{n} {name}"))
        .collect();
    let kinds = if kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", kinds.join(", "))
    };
    Ok(format!("{}{kinds}", count(entries.len(), "texture")))
}
