//! Images ↔ PNGs: an unedited picture converts back exactly, an edited one as closely as possible
//! (FORMAT.md).

use super::{
    color::{self, NEAR_BLACK},
    manifest::{ImageEntry, PixelKind, Words},
    package::{Image, ImageInfo, flag},
};
use bytes::Bytes;
use refit_base::{
    game::Game,
    picture::{Picture, Pixels},
    wire::{Error, Plain, Result},
};
use std::collections::{HashMap, HashSet};

/// The colour of missing palette entries: RGB(255, 0, 255).
const MAGENTA: u16 = 0xf81f;

/// The transparency of a colour image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlphaShape {
    Opaque,
    /// Word 0 is transparent.
    Simple,
    /// A plane of alpha values.
    Plane,
}

impl AlphaShape {
    fn of(flags: u32) -> Self {
        // The plane's bit alone decides, as in the engine; contradictory other bits count as
        // opaque.
        if flags & flag::FULL_ALPHA != 0 {
            AlphaShape::Plane
        } else if flags & flag::ALPHA == 2 {
            AlphaShape::Simple
        } else {
            AlphaShape::Opaque
        }
    }
}

/// The pictures of an image.
pub struct Rendered {
    pub main: Picture,
    /// The alpha plane, if the image's PNG cannot contain it.
    pub plane: Option<Picture>,
    /// The local palette, if the PNG's palette cannot represent it.
    pub explicit: Option<Words>,
}

/// The words for the palette indices of an image: the local palette or a global one (all 256 words,
/// as in the engine). A missing global palette is shown as greys.
pub fn shown(info: &ImageInfo, local: &[u16], globals: &[[u16; 256]], global: i32) -> Vec<u16> {
    let grey = |v: u8| color::word([v; 3]);
    if info.flags.0 & flag::GLOBAL != 0 {
        match usize::try_from(global).ok().and_then(|i| globals.get(i)) {
            Some(palette) => palette.to_vec(),
            None => (0..=255).map(grey).collect(),
        }
    } else if info.unit() == 1 {
        local.iter().take(256).map(|b| grey(*b as u8)).collect()
    } else {
        local.iter().take(256).copied().collect()
    }
}

/// True if index 0 is transparent: in an image with simple alpha and this palette.
///
/// Recoil's software renderer skips index 0 regardless of its colour (its Direct3D renderer takes
/// no palettes at all). For the other games this is unknown; refit takes index 0 as transparent if
/// its colour is word 0, which is transparent in images without a palette. An entry of that colour
/// at another index is opaque.
pub fn keyed(info: &ImageInfo, words: &[u16], game: Option<Game>) -> bool {
    let simple = info.indexed() && AlphaShape::of(info.flags.0) == AlphaShape::Simple;
    simple && (game == Some(Game::Rc) || words.first() == Some(&0))
}

/// How many colours of a global palette an image may use.
fn limit(count: u16) -> usize {
    usize::from(count).min(256)
}

fn highest(indices: &[u8]) -> Option<usize> {
    // A fold over values, because the compiler vectorizes it, unlike `max` over references.
    (!indices.is_empty()).then(|| indices.iter().copied().fold(0, u8::max).into())
}

/// True for an image whose pixels are words of colours without any transparency, as `words` returns
/// them.
pub fn has_words(info: &ImageInfo) -> bool {
    (info.indexed() || info.unit() == 2) && AlphaShape::of(info.flags.0) == AlphaShape::Opaque
}

/// The words of an image that [`has_words`]: the colours of [`render`] in the bytes of RGB565.
pub fn words(image: &Image, globals: &[[u16; 256]]) -> Result<Bytes> {
    let info = &image.info;
    let [pixels, ..] = image.parts()?;
    if !info.indexed() {
        return Ok(pixels);
    }
    let table = shown(info, &image.local_palette()?, globals, image.global_palette);
    Ok(pixels
        .iter()
        .flat_map(|i| word_at(&table, *i).to_le_bytes())
        .collect())
}

/// The pictures of an image, which must not be empty.
pub fn render(image: &Image, globals: &[[u16; 256]], game: Option<Game>) -> Result<Rendered> {
    let info = &image.info;
    let (width, height) = (info.width.into(), info.height.into());
    let [pixels, plane, _] = image.parts()?;
    let picture = |pixels| Picture {
        width,
        height,
        pixels,
    };
    if !info.indexed() && info.unit() == 2 {
        let words = pixels
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| u16::from_le_bytes(*b));
        let rgba = |(word, alpha): (u16, u8)| {
            let [r, g, b] = color::rgb(word);
            [r, g, b, alpha]
        };
        let simple = |word: u16| rgba((word, if word == 0 { 0 } else { 255 }));
        let samples = match AlphaShape::of(info.flags.0) {
            AlphaShape::Opaque => {
                Pixels::Rgb(words.map(color::rgb).collect::<Vec<_>>().into_flattened())
            }
            AlphaShape::Simple => {
                Pixels::Rgba(words.map(simple).collect::<Vec<_>>().into_flattened())
            }
            AlphaShape::Plane => Pixels::Rgba(
                words
                    .zip(plane.iter().copied())
                    .map(rgba)
                    .collect::<Vec<_>>()
                    .into_flattened(),
            ),
        };
        return Ok(Rendered {
            main: picture(samples),
            plane: None,
            explicit: None,
        });
    }
    let plane = info
        .has_plane()
        .then(|| picture(Pixels::Grey(plane.to_vec())));
    if !info.indexed() {
        return Ok(Rendered {
            main: picture(Pixels::Grey(pixels.to_vec())),
            plane,
            explicit: None,
        });
    }
    let local = image.local_palette()?;
    let table = shown(info, &local, globals, image.global_palette);
    let used = highest(&pixels).map_or(1, |i| i + 1);
    let (size, explicit) = if info.flags.0 & flag::GLOBAL != 0 {
        (limit(info.palette_count).max(used), None)
    } else {
        (
            table.len().max(used),
            (local.len() > 256 || used > local.len() || info.unit() == 1).then_some(Words(local)),
        )
    };
    let colours = table
        .iter()
        .copied()
        .chain(std::iter::repeat(MAGENTA))
        .take(size)
        .map(color::rgb)
        .collect();
    let main = picture(Pixels::Indexed {
        indices: pixels.to_vec(),
        palette: colours,
        alpha: if keyed(info, &table, game) {
            vec![0]
        } else {
            Vec::new()
        },
    });
    Ok(Rendered {
        main,
        plane,
        explicit,
    })
}

/// The palette and some indices of an image when it was unpacked. If an editor saves the picture
/// without a palette or with another one, pixels of the same colours get the same indices and
/// palette again.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Memory {
    pub width: u16,
    pub height: u16,
    /// The local palette; empty if the manifest contains the image's palette.
    pub palette: Vec<u16>,
    /// Pixels whose index does not follow from their colour: position and index.
    pub exceptions: Vec<(u32, u8)>,
}

impl Memory {
    /// The memory of an image; `None` if the colours determine everything.
    pub fn of(image: &Image, globals: &[[u16; 256]]) -> Result<Option<Self>> {
        let info = &image.info;
        if !info.indexed() || info.is_empty() {
            return Ok(None);
        }
        let local = image.local_palette()?;
        let table = shown(info, &local, globals, image.global_palette);
        let [pixels, ..] = image.parts()?;
        let global = info.flags.0 & flag::GLOBAL != 0;
        let fixed = global
            || local.len() > 256
            || info.unit() == 1
            || highest(&pixels).is_some_and(|h| h >= local.len());
        let lookup = Lookup::new(
            &table,
            0,
            if global {
                limit(info.palette_count)
            } else {
                256
            },
        );
        let sure: Vec<bool> = (0..=255u8)
            .map(|i| lookup.find(word_at(&table, i)) == Some(i))
            .collect();
        let exceptions: Vec<(u32, u8)> = if sure.iter().all(|s| *s) {
            Vec::new()
        } else {
            let odd = |i: u8| !sure.get(usize::from(i)).copied().unwrap_or(true);
            (0u32..).zip(pixels).filter(|(_, i)| odd(*i)).collect()
        };
        let palette = if fixed { Vec::new() } else { local };
        let memory = Memory {
            width: info.width,
            height: info.height,
            palette,
            exceptions,
        };
        Ok((!memory.palette.is_empty() || !memory.exceptions.is_empty()).then_some(memory))
    }

    /// Appends the memory of the image whose PNG is `path`.
    pub fn store(&self, path: &str, out: &mut Vec<u8>) {
        let mut word = |n: u32| out.extend_from_slice(&n.to_le_bytes());
        word(path.len() as u32);
        word(u32::from(self.width) | u32::from(self.height) << 16);
        word(self.palette.len() as u32);
        word(self.exceptions.len() as u32);
        out.extend_from_slice(path.as_bytes());
        out.extend(self.palette.iter().flat_map(|w| w.to_le_bytes()));
        let mut last = 0;
        for (at, index) in &self.exceptions {
            // The distance to the last position in groups of 7 bits, then the index.
            let mut step = at - last;
            last = *at;
            while step > 127 {
                out.push(step as u8 | 128);
                step >>= 7;
            }
            out.push(step as u8);
            out.push(*index);
        }
    }

    /// Reads what [`Memory::store`] wrote. Memory is optional: malformed data is ignored.
    pub fn load(mut bytes: &[u8]) -> HashMap<String, Memory> {
        let mut out = HashMap::new();
        while let Some((path, memory)) = Self::load_one(&mut bytes) {
            out.insert(path, memory);
        }
        out
    }

    fn load_one(bytes: &mut &[u8]) -> Option<(String, Memory)> {
        let mut word = || bytes.split_off(..4).map(u32::get);
        let (path, size, palette, exceptions) = (word()?, word()?, word()?, word()?);
        let path = String::from_utf8(bytes.split_off(..path as usize)?.to_vec()).ok()?;
        let palette = bytes.split_off(..(palette as usize).checked_mul(2)?)?;
        let palette = palette
            .as_chunks()
            .0
            .iter()
            .map(|b| u16::from_le_bytes(*b))
            .collect();
        let mut list = Vec::new();
        let mut at = 0u32;
        for _ in 0..exceptions {
            let mut step = 0u32;
            for shift in (0..32).step_by(7) {
                let byte = *bytes.split_off_first()?;
                step |= u32::from(byte & 127).checked_shl(shift)?;
                if byte < 128 {
                    break;
                }
            }
            at = at.checked_add(step)?;
            list.push((at, *bytes.split_off_first()?));
        }
        Some((
            path,
            Memory {
                width: size as u16,
                height: (size >> 16) as u16,
                palette,
                exceptions: list,
            },
        ))
    }
}

fn word_at(table: &[u16], index: u8) -> u16 {
    table.get(usize::from(index)).copied().unwrap_or(MAGENTA)
}

/// Maps a word to the lowest index of that colour.
struct Lookup(HashMap<u16, u8>);

impl Lookup {
    /// A lookup of the entries from `first` up to `limit`.
    fn new(table: &[u16], first: usize, limit: usize) -> Self {
        let mut map = HashMap::with_capacity(256);
        for (word, i) in table.iter().take(limit).zip(0u8..=255).skip(first) {
            map.entry(*word).or_insert(i);
        }
        Lookup(map)
    }
    fn find(&self, word: u16) -> Option<u8> {
        self.0.get(&word).copied()
    }
}

/// The target and the context of a conversion.
pub struct Want<'a> {
    pub entry: &'a ImageEntry,
    /// The game, if known.
    pub game: Option<Game>,
    /// The package's global palettes.
    pub globals: &'a [[u16; 256]],
    /// The memory of the unpacked image.
    pub memory: Option<&'a Memory>,
    /// The former alpha plane: width, height, plane. It is kept if no picture provides another one
    /// and the size is the same.
    pub plane: Option<(u32, u32, &'a [u8])>,
}

/// Converts a picture, and the picture of its alpha plane, into an image's record and data. Adds a
/// note for everything lost or doubtful.
pub fn convert(
    want: &Want<'_>,
    main: &Picture,
    plane: Option<&Picture>,
    notes: &mut Vec<String>,
) -> Result<(ImageInfo, Vec<u8>)> {
    let size = |n: u32| {
        u16::try_from(n)
            .map_err(|_| Error::say(format!("{n} pixels are more than the 65535 of a texture")))
    };
    let (width, height) = (size(main.width)?, size(main.height)?);
    // Test here, where it can be an error, whether there is memory for words, alpha and
    // intermediate lists: a failed allocation later would abort the program.
    Vec::<u8>::new()
        .try_reserve_exact((usize::from(width) * usize::from(height)).saturating_mul(4))
        .map_err(|_| {
            Error::say(format!(
                "no memory for an image of {width} × {height} pixels"
            ))
        })?;
    if let Some(plane) = plane
        && (plane.width, plane.height) != (main.width, main.height)
    {
        return Err(Error::say(format!(
            "the alpha picture has {} × {} pixels, but the image has {} × {}",
            plane.width, plane.height, main.width, main.height
        )));
    }
    let entry = want.entry;
    // The number of colours is not known yet. The flags do not depend on it, so any plausible
    // number will do.
    let indexed = matches!(entry.kind, PixelKind::Local(_) | PixelKind::Global { .. });
    let mut info = entry.info(width, height, u16::from(indexed))?;
    let mut holed = false;
    check_indices(main)?;
    let too_long = |_| Error::say("a palette has at most 65535 colours").within("palette");
    // Pixels, and the local palette.
    let (mut data, palette) = match (entry.kind, &entry.palette) {
        (PixelKind::Rgb565, _) => {
            return Ok((info.clone(), colour(want, main, plane, &info, notes)?));
        }
        (PixelKind::Gray8, _) => (grey(main, notes), Vec::new()),
        (PixelKind::Global { palette, count }, _) => {
            info.palette_count = count;
            let table = shown(&info, &[], want.globals, palette);
            holed = keyed(&info, &table, want.game);
            (
                to_fixed(want, main, &info, &table, limit(count), notes),
                Vec::new(),
            )
        }
        (PixelKind::Local(_), Some(Words(words))) => {
            info.palette_count = u16::try_from(words.len()).map_err(too_long)?;
            let table = shown(&info, words, want.globals, -1);
            holed = keyed(&info, &table, want.game);
            (
                to_fixed(want, main, &info, &table, 256, notes),
                words.clone(),
            )
        }
        (PixelKind::Local(count), None) => {
            let (indices, palette) = to_local(want, main, &info, count, notes)?;
            info.palette_count = palette.len() as u16;
            holed = keyed(&info, &palette, want.game);
            (indices, palette)
        }
    };
    if info.has_plane() {
        data.extend(alpha_plane(want, main, plane, notes));
    } else if !holed {
        note_lost_alpha(main, AlphaShape::of(info.flags.0), notes);
    }
    push_palette(&mut data, &palette, info.unit())?;
    Ok((entry.info(width, height, info.palette_count)?, data))
}

/// Appends a local palette.
pub fn push_palette(data: &mut Vec<u8>, words: &[u16], unit: u64) -> Result<()> {
    for word in words {
        if unit == 2 {
            data.extend(word.to_le_bytes());
        } else {
            data.push(u8::try_from(*word).map_err(|_| {
                Error::say(format!("{word:04x}: entries of this palette have one byte"))
                    .within("palette")
            })?);
        }
    }
    Ok(())
}

/// Returns an error if an index has no colour.
fn check_indices(picture: &Picture) -> Result<()> {
    if let Pixels::Indexed {
        indices, palette, ..
    } = &picture.pixels
        && let Some(high) = highest(indices).filter(|high| *high >= palette.len())
    {
        return Err(Error::say(format!(
            "a pixel has index {high}, the PNG's palette has {} colours",
            palette.len()
        )));
    }
    Ok(())
}

/// The word of every pixel, without alpha.
fn words_of(pixels: &Pixels) -> Vec<u16> {
    match pixels {
        Pixels::Indexed {
            indices, palette, ..
        } => {
            let table: Vec<u16> = palette.iter().map(|c| color::word(*c)).collect();
            indices.iter().map(|i| word_at(&table, *i)).collect()
        }
        Pixels::Grey(v) => v.iter().map(|v| color::word([*v; 3])).collect(),
        Pixels::Rgb(v) => v.as_chunks().0.iter().map(|c| color::word(*c)).collect(),
        Pixels::Rgba(v) => v
            .as_chunks()
            .0
            .iter()
            .map(|[r, g, b, _]| color::word([*r, *g, *b]))
            .collect(),
    }
}

/// The alpha of every pixel; `None` if the picture has no alpha, or a palette in which all used
/// colours are opaque.
pub fn alpha_of(pixels: &Pixels) -> Option<Vec<u8>> {
    match pixels {
        Pixels::Rgba(v) => Some(v.as_chunks::<4>().0.iter().map(|[.., a]| *a).collect()),
        _ => pixels
            .has_alpha()
            .then(|| pixels.all().map(|[.., a]| a).collect()),
    }
}

fn note_lost_alpha(main: &Picture, shape: AlphaShape, notes: &mut Vec<String>) {
    let n = alpha_of(&main.pixels)
        .into_iter()
        .flatten()
        .filter(|a| *a != 255)
        .count();
    if n > 0 {
        notes.push(match shape {
            AlphaShape::Simple => format!(
                "{n} pixels are not opaque, but the first colour of this image's palette is not black, and which \
                colour the game skips is not known. Their alpha was dropped (save the picture with a palette whose \
                first colour is black and transparent, or set \"alpha\": \"full\")"
            ),
            _ => format!(
                "{n} pixels are not opaque, but the image has no alpha: it was dropped (set \"alpha\": \"full\" to \
                keep it)"
            ),
        });
    }
}

/// The brightness of every pixel.
fn grey(picture: &Picture, notes: &mut Vec<String>) -> Vec<u8> {
    if let Pixels::Grey(v) = &picture.pixels {
        return v.clone();
    }
    let mut coloured = 0usize;
    let one = |[r, g, b, _]: [u8; 4]| {
        if r == g && g == b {
            return r;
        }
        coloured += 1;
        // Rec. 601 weights.
        ((299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) + 500) / 1000) as u8
    };
    let out = picture.pixels.all().map(one).collect();
    if coloured > 0 {
        notes
            .push(format!("{coloured} pixels are coloured, but the image stores only grey: their brightness was used"));
    }
    out
}

/// The alpha plane: its own picture, otherwise the main picture's alpha, otherwise the former
/// plane, otherwise opaque.
fn alpha_plane(
    want: &Want<'_>,
    main: &Picture,
    plane: Option<&Picture>,
    notes: &mut Vec<String>,
) -> Vec<u8> {
    let own = alpha_of(&main.pixels);
    if let Some(plane) = plane {
        if own.is_some_and(|a| a.iter().any(|a| *a != 255)) {
            notes.push("the alpha of the main picture was ignored in favour of the alpha picture beside it".into());
        }
        return grey(plane, notes);
    }
    if let Some(own) = own {
        return own;
    }
    match want.plane {
        Some((width, height, plane)) if (width, height) == (main.width, main.height) => {
            plane.to_vec()
        }
        _ => {
            notes.push(
                "the image has an alpha plane, but no picture has one: it is opaque now".into(),
            );
            vec![255; main.width as usize * main.height as usize]
        }
    }
}

/// A 16-bit image: words, and the alpha plane if it has one.
fn colour(
    want: &Want<'_>,
    main: &Picture,
    plane: Option<&Picture>,
    info: &ImageInfo,
    notes: &mut Vec<String>,
) -> Result<Vec<u8>> {
    let shape = AlphaShape::of(info.flags.0);
    let mut words = words_of(&main.pixels);
    // Counts of half-transparent and of nearly black pixels in an image with simple alpha.
    let (mut half, mut dark) = (0usize, 0usize);
    let simple = shape == AlphaShape::Simple;
    match simple.then(|| alpha_of(&main.pixels)) {
        Some(Some(alphas)) => {
            for (word, alpha) in words.iter_mut().zip(alphas) {
                half += usize::from(alpha != 0 && alpha != 255);
                *word = match (alpha < 128, *word) {
                    (true, _) => 0,
                    // Opaque black must not become transparent.
                    (false, 0) => NEAR_BLACK,
                    (false, word) => word,
                };
            }
        }
        Some(None) => {
            // In a picture without alpha, exact black is the transparent colour.
            for (word, exact) in words.iter_mut().zip(exact_black(&main.pixels)) {
                if *word == 0 && !exact {
                    dark += 1;
                    *word = NEAR_BLACK;
                }
            }
        }
        None => {}
    }
    let mut out = words
        .into_iter()
        .map(u16::to_le_bytes)
        .collect::<Vec<_>>()
        .into_flattened();
    match shape {
        AlphaShape::Plane => out.extend(alpha_plane(want, main, plane, notes)),
        AlphaShape::Opaque => note_lost_alpha(main, shape, notes),
        AlphaShape::Simple => {}
    }
    note_half(half, notes);
    if dark > 0 {
        notes.push(format!(
            "{dark} nearly black pixels became (0, 0, 8): black itself is transparent in this image"
        ));
    }
    if plane.is_some() && simple {
        notes.push("the alpha picture was ignored: the alpha of this image is simple".into());
    }
    Ok(out)
}

/// Which pixels are exactly black.
fn exact_black(pixels: &Pixels) -> impl Iterator<Item = bool> + '_ {
    pixels.all().map(|[r, g, b, _]| [r, g, b] == [0; 3])
}

/// The remembered exceptions of an image, if its size is unchanged.
fn exceptions<'a>(want: &Want<'a>, main: &Picture) -> &'a [(u32, u8)] {
    match want.memory {
        Some(m) if (u32::from(m.width), u32::from(m.height)) == (main.width, main.height) => {
            &m.exceptions
        }
        _ => &[],
    }
}

/// The transparent pixels of a keyed image: those with alpha below one half. In a picture without
/// alpha, those of exactly the transparent colour, except pixels remembered as another index of
/// that colour.
fn holes(
    want: &Want<'_>,
    main: &Picture,
    words: &[u16],
    table: &[u16],
    notes: &mut Vec<String>,
) -> Vec<bool> {
    if let Some(alpha) = alpha_of(&main.pixels) {
        let half = alpha.iter().filter(|a| !matches!(a, 0 | 255)).count();
        note_half(half, notes);
        return alpha.iter().map(|a| *a < 128).collect();
    }
    let key = word_at(table, 0);
    let exact = words.iter().zip(exact_black(&main.pixels));
    let mut holes: Vec<bool> = exact
        .map(|(word, exact)| *word == key && (key != 0 || exact))
        .collect();
    for (at, index) in exceptions(want, main) {
        if let Some(hole) = holes.get_mut(*at as usize) {
            *hole &= *index == 0 || word_at(table, *index) != key;
        }
    }
    holes
}

fn note_half(half: usize, notes: &mut Vec<String>) {
    if half > 0 {
        notes.push(format!(
            "{half} pixels are half transparent, but the image's alpha is simple: they became transparent below 128, \
            opaque above (set \"alpha\": \"full\" to keep them)"
        ));
    }
}

/// True if the transparency of an indexed picture is that of a keyed image: of the used indices,
/// index 0 alone is transparent. A picture without alpha passes, too.
fn says_key(indices: &[u8], alpha: &[u8]) -> bool {
    let clear = |i: u8| alpha.get(usize::from(i)).is_some_and(|a| *a < 128);
    alpha.is_empty()
        || used(indices)
            .iter()
            .zip(0u8..=255)
            .all(|(used, i)| !used || clear(i) == (i == 0))
}

/// Which indices occur.
fn used(indices: &[u8]) -> [bool; 256] {
    let mut used = [false; 256];
    indices.iter().for_each(|i| used[usize::from(*i)] = true);
    used
}

/// Words to convert to palette indices.
struct Map<'a> {
    words: &'a [u16],
    table: &'a [u16],
    /// Number of colours that may be used.
    limit: usize,
    exceptions: &'a [(u32, u8)],
    /// The pixels that must get index 0; all others must get another index. `None` if no index is
    /// transparent.
    holes: Option<Vec<bool>>,
}

impl Map<'_> {
    /// The index of every word: the remembered one if it has the same colour, otherwise the lowest
    /// one, otherwise `other`.
    fn indices(self, mut other: impl FnMut(u16) -> u8) -> Vec<u8> {
        let keyed = self.holes.is_some();
        let holes = self.holes.unwrap_or_default();
        let lookup = Lookup::new(self.table, usize::from(keyed), self.limit);
        let mut exceptions = self.exceptions.iter().copied().peekable();
        let one = |(at, word): (u32, &u16)| {
            let remembered = exceptions
                .next_if(|(pos, _)| *pos == at)
                .map(|(_, index)| index);
            if holes.get(at as usize) == Some(&true) {
                return 0;
            }
            let remembered =
                remembered.filter(|i| word_at(self.table, *i) == *word && !(keyed && *i == 0));
            remembered
                .or_else(|| lookup.find(*word))
                .unwrap_or_else(|| other(*word))
        };
        (0u32..).zip(self.words).map(one).collect()
    }
}

/// Converts to indices of a palette that the PNG cannot change: a global one, or one of the
/// manifest.
fn to_fixed(
    want: &Want<'_>,
    main: &Picture,
    info: &ImageInfo,
    table: &[u16],
    limit: usize,
    notes: &mut Vec<String>,
) -> Vec<u8> {
    let key = keyed(info, table, want.game);
    if let Pixels::Indexed {
        indices,
        palette,
        alpha,
    } = &main.pixels
    {
        // The colour of an invisible index does not matter.
        let unseen = |i: u8| key && i == 0 && alpha.first().is_some_and(|a| *a < 128);
        let same = |i: u8| {
            unseen(i)
                || palette
                    .get(usize::from(i))
                    .is_none_or(|c| color::word(*c) == word_at(table, i))
        };
        if used(indices)
            .iter()
            .zip(0u8..=255)
            .all(|(used, i)| !used || same(i))
            && (!key || says_key(indices, alpha))
        {
            return indices.clone();
        }
    }
    let mut strange: Vec<u16> = Vec::new();
    let mut known: HashMap<u16, u8> = HashMap::new();
    let first = usize::from(key);
    let choice = table.get(first..limit.min(table.len())).unwrap_or_default();
    let words = words_of(&main.pixels);
    let holes = key.then(|| holes(want, main, &words, table, notes));
    let map = Map {
        words: &words,
        table,
        limit,
        exceptions: exceptions(want, main),
        holes,
    };
    let indices = map.indices(|word| {
        *known.entry(word).or_insert_with(|| {
            strange.push(word);
            color::nearest(choice, word).map_or(0, |i| i + first) as u8
        })
    });
    if !strange.is_empty() {
        let whose = if want.entry.palette.is_some() {
            "the image's palette in the manifest"
        } else {
            "the global palette"
        };
        let list: Vec<String> = strange
            .iter()
            .take(8)
            .map(|w| format!("({:?})", color::rgb(*w)).replace(['[', ']'], ""))
            .collect();
        let (n, first) = (
            strange.len(),
            if key {
                " (its first one is transparent)"
            } else {
                ""
            },
        );
        let (list, more) = (list.join(", "), if n > 8 { ", …" } else { "" });
        notes.push(format!(
            "{n} colours are not in {whose}{first}; the nearest ones were used: {list}{more}"
        ));
    }
    indices
}

/// Converts to indices and a local palette.
fn to_local(
    want: &Want<'_>,
    main: &Picture,
    info: &ImageInfo,
    count: u16,
    notes: &mut Vec<String>,
) -> Result<(Vec<u8>, Vec<u16>)> {
    let before: &[u16] = want.memory.map_or(&[], |m| &m.palette);
    // A new image with simple alpha gets a transparent index; otherwise it depends on the former
    // palette.
    let key = keyed(
        info,
        if before.is_empty() { &[0] } else { before },
        want.game,
    );
    if let Pixels::Indexed {
        indices,
        palette,
        alpha,
    } = &main.pixels
    {
        // Use the PNG's own palette, truncated if an editor padded it.
        let used = highest(indices).map_or(1, |i| i + 1);
        let size = if palette.len() > usize::from(count) {
            used.max(usize::from(count))
        } else {
            palette.len()
        };
        let mut own: Vec<u16> = palette.iter().take(size).map(|c| color::word(*c)).collect();
        let clear = alpha.first().is_some_and(|a| *a < 128);
        if let Some(word) = own.first_mut().filter(|_| key && clear) {
            // Keep the former colour of the invisible index; editors change it.
            let usual = (want.game != Some(Game::Rc)).then_some(0);
            *word = before.first().copied().or(usual).unwrap_or(*word);
        }
        // A picture may also introduce a palette whose first colour is black and transparent.
        let own_key = key || clear && keyed(info, &own, want.game);
        let says = !own_key || says_key(indices, alpha);
        if own == before && says {
            return Ok((indices.clone(), own));
        }
        // If the palette was only sorted differently, or lost unused colours, keep the old one.
        if !before.is_empty() && own_key == key {
            let words = words_of(&main.pixels);
            let mut half = Vec::new();
            let holes =
                (key && !alpha.is_empty()).then(|| holes(want, main, &words, before, &mut half));
            let known: HashSet<u16> = before
                .iter()
                .skip(usize::from(holes.is_some()))
                .copied()
                .collect();
            let hole = |i: usize| holes.as_ref().is_some_and(|h| h.get(i) == Some(&true));
            if words
                .iter()
                .enumerate()
                .all(|(i, word)| hole(i) || known.contains(word))
            {
                notes.append(&mut half);
                let map = Map {
                    words: &words,
                    table: before,
                    limit: 256,
                    exceptions: exceptions(want, main),
                    holes,
                };
                return Ok((map.indices(|_| 0), before.to_vec()));
            }
        }
        if says {
            let shown = indices.iter().filter(|i| **i == 0).count();
            if shown > 0 && alpha.is_empty() && keyed(info, &own, want.game) {
                notes.push(format!(
                    "{shown} pixels have index 0, which is transparent in this image, but the picture shows them: save \
                    it with its first colour transparent, or give them another index"
                ));
            }
            return Ok((indices.clone(), own));
        }
    }
    let words = words_of(&main.pixels);
    let mut palette = before.to_vec();
    if key && palette.is_empty() {
        palette.push(0);
    }
    let holes = key.then(|| holes(want, main, &words, &palette, notes));
    let first = usize::from(key);
    let mut known: HashSet<u16> = palette.iter().skip(first).copied().collect();
    let seen: Vec<u16> = match &holes {
        Some(holes) => words
            .iter()
            .zip(holes)
            .filter(|(_, hole)| !**hole)
            .map(|(word, _)| *word)
            .collect(),
        None => words.clone(),
    };
    let fresh: Vec<u16> = seen
        .iter()
        .copied()
        .filter(|word| known.insert(*word))
        .collect();
    let full = palette.len() + fresh.len() > 256;
    let mut fresh = fresh.into_iter();
    if full {
        let distinct: HashSet<u16> = seen.iter().copied().collect();
        if distinct.len() + first > 256 {
            return quantised(
                want,
                &words,
                holes.as_deref(),
                palette.first().copied(),
                &seen,
                notes,
            );
        }
        // Colours no longer in use are replaced by the new ones.
        let mut kept = HashSet::new();
        for slot in palette.iter_mut().skip(first) {
            let needed = distinct.contains(slot) && kept.insert(*slot);
            if !needed && let Some(word) = fresh.next() {
                *slot = word;
            }
        }
    }
    palette.extend(fresh);
    let map = Map {
        words: &words,
        table: &palette,
        limit: 256,
        exceptions: exceptions(want, main),
        holes,
    };
    Ok((map.indices(|_| 0), palette))
}

/// Quantizes the visible pixels; a transparent index stays first.
fn quantised(
    want: &Want<'_>,
    words: &[u16],
    holes: Option<&[bool]>,
    key: Option<u16>,
    seen: &[u16],
    notes: &mut Vec<String>,
) -> Result<(Vec<u8>, Vec<u16>)> {
    let mut counts = HashMap::new();
    for word in seen {
        *counts.entry(*word).or_insert(0u32) += 1;
    }
    let distinct = counts.len();
    let (room, but) = if holes.is_some() {
        (255, ", of which one is transparent")
    } else {
        (256, "")
    };
    if !want.entry.quantize {
        return Err(Error::say(format!(
            "the picture has {distinct} different colours, a palette image at most 256{but}"
        ))
        .hint(
            "reduce its colours in an editor; or add \"quantize\": true to the image in the manifest; or remove \
            \"kind\" to make it a 16-bit image",
        ));
    }
    let (mut palette, index) = color::quantise(&counts, room);
    notes.push(format!(
        "{distinct} colours were reduced to {}",
        palette.len()
    ));
    let Some(holes) = holes else {
        return Ok((
            words
                .iter()
                .map(|w| index.get(w).copied().unwrap_or(0))
                .collect(),
            palette,
        ));
    };
    palette.insert(0, key.unwrap_or(0));
    let one = |(word, hole): (&u16, &bool)| {
        if *hole {
            0
        } else {
            index.get(word).map_or(0, |i| i.saturating_add(1))
        }
    };
    Ok((words.iter().zip(holes).map(one).collect(), palette))
}
