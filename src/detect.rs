//! Game and format from the bytes. The name of a file is only a tie-break.

use crate::{
    formats::{Format, aircraft::Aircraft, archive, foreign, livery::Livery, messages, pbo, reader, rof::Rof, zmap, zrd_text},
    game::Game,
    tree::Blob,
    wire::{Error, Result},
};
use bytes::Bytes;

/// What a file was recognised as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// The game, where content or name tell it.
    pub game: Option<Game>,
    /// Why.
    pub evidence: String,
    /// A signature and its structure, or a full walk; else the bytes are few or the name helped.
    pub certain: bool,
    /// The file's name without its folder.
    pub file: String,
}

const GAMEZ: u32 = 0x0297_1222;
const ANIM: u32 = 0x0817_0616;
const INTERP: u32 = 0x0897_1119;
/// A nameless entry with the method `Vers`.
const PBO_START: &[u8] = b"\0sreV";
const PBO_WITH_PROPERTIES: &str = "a PBO with properties";
const PBO_TABLE: &str = "a PBO entry table that fits";
const ROF_START: &str = "a ROF block with one entry, ASSETS";

fn word(file: &[u8], at: usize) -> Option<u32> {
    file.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// Recognises a file. The error names what it looks like when that is something refit knows of but does not read.
///
/// The order of the tests matters: signatures, then the archive's footer, then weak keys with a full walk.
pub fn detect(file: &[u8], path: &str) -> Result<Detection> {
    let found = |format, game: Option<Game>, evidence: &str, certain| Detection {
        format,
        game,
        evidence: evidence.to_owned(),
        certain,
        file: String::new(),
    };
    let by_version = |version: fn(Game) -> u32| {
        let stored = word(file, 4);
        Game::ALL.into_iter().find(|g| Some(version(*g)) == stored)
    };
    let mut detection = match word(file, 0) {
        Some(w) if w & 0xffff == 0x5a4d && pe(file) => match messages::recognise(file) {
            Ok(game) => found(Format::Messages, game, "a Windows DLL (PE)", true),
            // By its name the game reads it: then it is damaged.
            Err(_) if is_messages(path) => found(Format::Messages, None, "a Windows DLL (PE), and the name", false),
            Err(e) => return Err(Error::say(format!("a Windows program without messages ({e}): there is nothing to unpack"))),
        },
        Some(GAMEZ) => {
            let demo = (word(file, 4) == Some(Game::RcDemo.gamez_version())).then_some(Game::Rc);
            let game = by_version(Game::gamez_version).or(demo);
            let planes = game == Some(Game::Cs) && is_planes(file);
            found(if planes { Format::Planes } else { Format::Gamez }, game, "signature 0x02971222 and version", true)
        }
        Some(ANIM) => found(Format::Anim, by_version(Game::anim_version), "signature 0x08170616 and version", true),
        Some(INTERP) => found(Format::Interp, None, "signature 0x08971119", true),
        _ if file.starts_with(PBO_START) => found(Format::Pbo, None, PBO_WITH_PROPERTIES, true),
        _ if Rof::is_beginning(file) => found(Format::Rof, Some(Game::Cs), ROF_START, true),
        _ => match pbo::sign::recognise(file) {
            Some(Format::Bisign) => found(Format::Bisign, None, "an RSA key with three signatures", true),
            Some(format) => found(format, None, "an RSA key", true),
            None => weak(file, path)?,
        },
    };
    if !matches!(detection.format, Format::Pbo | Format::Bikey | Format::Bisign) && detection.game.is_none() {
        detection.game = game_by_path(path, detection.format);
    }
    Ok(detection)
}

/// Recognises a file that is on disk by a few bytes of it, where these decide as all would: [`detect`] says the same of it.
/// `None`: all bytes are needed.
pub fn glance(file: &Blob, path: &str) -> Result<Option<Detection>> {
    const HEAD: u64 = 1 << 16;
    let mut head = file.slice(0, HEAD)?.bytes()?;
    let found = |evidence: &str| {
        Some(Detection { format: Format::Pbo, game: None, evidence: evidence.to_owned(), certain: true, file: String::new() })
    };
    if head.starts_with(PBO_START) {
        return Ok(found(PBO_WITH_PROPERTIES));
    }
    if Rof::is_beginning(&head) {
        return Ok(Some(Detection {
            format: Format::Rof,
            game: Some(Game::Cs),
            evidence: ROF_START.to_owned(),
            certain: true,
            file: String::new(),
        }));
    }
    // All that is asked before the walk through a PBO's table, and cannot be excluded without the rest of the file.
    let [Some(first), _, Some(palettes), Some(images)] = [0, 4, 8, 12].map(|at| word(&head, at)) else { return Ok(None) };
    let weak_key = first < 0x20 || [GAMEZ, ANIM, INTERP].contains(&first) || first & 0xffff == 0x5a4d || head.starts_with(b"RIFF");
    let textures = images > 0 && i32::try_from(palettes).is_ok() && 24 + 40 * u64::from(images) + 512 * u64::from(palettes) <= file.len();
    let tail = file.slice(file.len().saturating_sub(12), 12)?.bytes()?;
    let archive = word(&tail, 4) == Some(1) || word(&tail, 0) == Some(2);
    if weak_key || textures || archive || path.to_ascii_lowercase().ends_with(".zrd") || pbo::sign::begins_as_key(&head) {
        return Ok(None);
    }
    loop {
        match is_pbo(&head, file.len()) {
            Some(true) => return Ok(found(PBO_TABLE)),
            None if (head.len() as u64) < file.len() => head = file.slice(0, head.len() as u64 * 4)?.bytes()?,
            _ => return Ok(None),
        }
    }
}

/// What has no signature of its own.
fn weak(file: &[u8], path: &str) -> Result<Detection> {
    let found = |format, game, evidence: String, certain| Ok(Detection { format, game, evidence, certain, file: String::new() });
    let archive = archive::recognise(file);
    let as_archive = |a: &archive::Recognised| {
        found(a.format, a.game, format!("a version {} archive footer whose table fits", a.version), file.len() > 12)
    };
    if let Ok(archive) = &archive
        && !archive.hollow
    {
        return as_archive(archive);
    }
    if is_textures(file) {
        return found(Format::Textures, None, "a texture table that fits".into(), true);
    }
    if word(file, 0) == Some(5) && zmap::is_zmap(file) {
        return found(Format::Zmap, Some(Game::Rc), "map version 5, features to the end".into(), true);
    }
    if let Some(media) = foreign::media(file) {
        return Err(media.error().hint("`refit info` tells what it is"));
    }
    let name = path.to_ascii_lowercase();
    let zrd = name.ends_with(".zrd");
    if word(file, 0) == Some(4) && reader::is_value(file) || zrd && reader::ReaderDoc::read(file).is_ok() {
        return found(Format::ZrdBinary, None, "one reader value to the end".into(), file.len() > 16);
    }
    if is_pbo(file, file.len() as u64) == Some(true) {
        return found(Format::Pbo, None, PBO_TABLE.into(), true);
    }
    if (zrd || name.ends_with(".cfg") || zrd_text::looks_like_a_list(file)) && zrd_text::is_text(file) {
        return found(Format::ZrdText, None, "the tokens of a text reader file".into(), false);
    }
    // Obfuscated archives begin with names and methods that no weak test would believe: the name decides that the walk is tried.
    if name.ends_with(".pbo") {
        return match pbo::Pbo::read_table(file) {
            Ok(()) => found(Format::Pbo, None, "the name, and an entry table that fits".into(), false),
            Err(e) => Err(Error::say(format!("a damaged PBO, or none at all: {e}"))),
        };
    }
    // Nothing but 204 bytes that begin with the name of the file.
    let own_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if Aircraft::is_file(file, own_name) {
        return found(Format::Aircraft, Some(Game::Cs), "204 bytes that hold an aircraft of the file's name".into(), false);
    }
    if name.ends_with(".bm") && Livery::is_livery(file) {
        return found(Format::Livery, Some(Game::Cs), "the name, and ten bytes for each pixel".into(), false);
    }
    // Other roots than the game's: only by name, and by the walk through all folders.
    if name.ends_with(".rof") {
        return match Rof::check(&Bytes::copy_from_slice(file)) {
            Ok(()) => found(Format::Rof, Some(Game::Cs), "the name, and ROF blocks that fit".into(), false),
            Err(e) => Err(Error::say(format!("a damaged ROF archive, or none at all: {e}"))),
        };
    }
    let archive = match archive {
        Ok(hollow) => return as_archive(&hollow),
        Err(e) => e,
    };
    // A footer that names a version, a table that does not fit: damaged rather than unknown.
    let version = |back: usize| file.len().checked_sub(back).and_then(|at| word(file, at));
    if version(8) == Some(1) || version(12) == Some(2) {
        return Err(Error::say(format!("a damaged ZBD archive: {archive}")).hint("was the file cut?"));
    }
    if let Some(foreign) = foreign::recognise(file, path) {
        return Err(foreign.error());
    }
    Err(Error::say("not a file of a known format").hint("name it with --format, if you know better"))
}

fn pe(file: &[u8]) -> bool {
    word(file, 60).is_some_and(|at| file.get(at as usize..).is_some_and(|rest| rest.starts_with(b"PE\0\0")))
}

/// The names under which the games ask for their messages.
fn is_messages(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    matches!(&*name, "messages.dll" | "mech3msg.dll" | "strings.dll" | "langui.dll" | "language.dll")
}

/// Node 0 of a world is of class 2 (world); of a planes file 5 or 6.
fn is_planes(file: &[u8]) -> bool {
    let class = word(file, 36).and_then(|nodes| word(file, (nodes as usize).checked_add(PLANES_CLASS)?));
    matches!(class, Some(5 | 6))
}

/// Offset of the class in a Crimson Skies node record.
const PLANES_CLASS: usize = 52;

/// A texture package by its table: the usual header words and starts inside the file, or, whatever the words are, images that
/// follow each other from the end of the table to the end of the file.
fn is_textures(file: &[u8]) -> bool {
    let head = [0, 4, 8, 12].map(|at| word(file, at));
    let [Some(unk00), Some(version), Some(palettes), Some(images)] = head else { return false };
    let data = 24 + 40 * u64::from(images) + 512 * u64::from(palettes);
    if i32::try_from(palettes).is_err() || data > file.len() as u64 {
        return false;
    }
    let usual = (unk00, version) == (0, 1);
    if images == 0 {
        return usual && data == file.len() as u64;
    }
    let mut at = data;
    let mut follow = true;
    for i in 0..images as usize {
        let Some(start) = word(file, 24 + 40 * i + 32).map(u64::from) else { return false };
        let Some(length) = image_length(file, start) else { return false };
        follow &= start == at;
        at = start + length;
    }
    usual || (follow && at == file.len() as u64)
}

/// Bytes of the image at `start` (src/formats/textures/FORMAT.md); `None` where no image info fits.
fn image_length(file: &[u8], start: u64) -> Option<u64> {
    let at = usize::try_from(start).ok()?;
    let info = file.get(at..at.checked_add(16)?)?;
    let half = |at: usize| Some(u64::from(u16::from_le_bytes(info.get(at..)?.first_chunk().copied()?)));
    let flags = word(info, 0)?;
    let (pixels, colors) = (half(4)? * half(6)?, half(12)?);
    let each = 1 + u64::from(flags & 1);
    let alpha = if flags & 8 != 0 { pixels } else { 0 };
    let palette = if colors != 0 && flags & 0x10 == 0 { each * colors } else { 0 };
    Some(16 + if colors != 0 { pixels } else { pixels * each } + alpha + palette)
}

/// A PBO without properties has no magic: its first entry must look like one, and the sizes must fit.
/// `file` is the beginning of `len` bytes; `None` where it is too short to tell.
fn is_pbo(file: &[u8], len: u64) -> Option<bool> {
    let mut at = 0usize;
    let mut data = 0u64;
    let mut entries = 0;
    loop {
        let rest = file.get(at..)?;
        let n = rest.iter().position(|b| *b == 0)?;
        let size = word(rest, n + 17)?;
        at += n + 21;
        if n == 0 {
            // An archive without entries is nothing but its end entry and a trailer.
            let empty = entries == 0 && file.get(..21) == Some(&[0; 21]) && matches!(len, 21 | 26 | 42);
            return Some(at as u64 + data <= len && (entries > 0 || empty));
        }
        let name = rest.get(..n).unwrap_or_default();
        let known = word(rest, n + 1).is_some_and(|m| matches!(m, 0 | 0x4370_7273 | 0x5665_7273 | 0x456e_6372 | 0x456e_636f));
        if entries == 0 && (!known || n > 255 || name.iter().any(|b| *b < 0x20)) {
            return Some(false);
        }
        entries += 1;
        data += u64::from(size);
    }
}

/// What the path says where the bytes do not decide.
fn game_by_path(path: &str, format: Format) -> Option<Game> {
    let lower = path.replace('\\', "/").to_ascii_lowercase();
    let mut parts: Vec<&str> = lower.split('/').collect();
    let name = parts.pop()?;
    let parent = parts.pop().unwrap_or_default();
    let grand = parts.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let mission = |part: &str, letter: char| {
        part.strip_prefix(letter).is_some_and(|n| !n.is_empty() && n.len() <= 2 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let world = |part: &str| matches!(part, "c1" | "c1b" | "c1c" | "c2" | "c2b" | "c3" | "c4" | "c5");
    match format {
        Format::Savegame if name.ends_with(".mw3") => Some(Game::Mw),
        Format::Savegame if name == "status.dat" || stem == "persist" || stem == "mission" => Some(Game::Cs),
        // Recoil keeps its saves in one folder, Crimson Skies in one for each pilot.
        Format::Savegame if name.ends_with(".sav") => Some(if parent == "savedgames" { Game::Rc } else { Game::Cs }),
        Format::Reader if stem == "zrdr" && mission(parent, 'm') && world(grand) => Some(Game::Cs),
        Format::Reader if stem == "zrdr" && mission(parent, 'm') => Some(Game::Rc),
        Format::Reader if stem == "zrdr" && world(parent) => Some(Game::Cs),
        Format::Reader if stem.starts_with("reader") => Some(Game::Mw),
        Format::Sounds if stem == "soundsm" => Some(Game::Rc),
        Format::ZrdText if stem == "defaultctlconfig" => Some(Game::Mw),
        Format::Messages if stem == "langui" || stem == "language" || stem == "strings" => Some(Game::Cs),
        Format::Textures if stem == "image" || mission(parent, 'm') => Some(Game::Rc),
        Format::Textures if stem.starts_with("rmechtex") => Some(Game::Mw),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_files_and_ambiguous_footers() {
        let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(detect(&words(&[1, 0]), "a.zbd").unwrap().format, Format::Archive);
        assert_eq!(detect(&words(&[2, 0, 0]), "a.zbd").unwrap().game, Some(Game::Pm));
        // One entry and checksum 0: the last eight bytes read as an empty version 1 archive.
        let mut one = b"data".to_vec();
        one.extend(words(&[0, 4]));
        one.extend([0; 140]);
        one.extend(words(&[2, 1, 0]));
        assert_eq!(detect(&one, "a.zbd").unwrap().game, Some(Game::Pm));
        assert!(detect(&words(&[3, 0]), "a.zbd").is_err());
        assert!(detect(b"", "a.zbd").is_err());
        let e = detect(&[&[0; 16][..], &words(&[1, 9])].concat(), "a.zbd").unwrap_err().to_string();
        assert!(e.contains("damaged") && e.contains("9 entries"), "{e}");
    }

    /// Whatever a glance says of a file, the whole file says too.
    #[test]
    fn a_glance_is_right() {
        let mut glanced = 0;
        for entry in walkdir::WalkDir::new(concat!(env!("CARGO_MANIFEST_DIR"), "/golden")).into_iter().filter_map(|e| e.ok()) {
            let Ok(bytes) = std::fs::read(entry.path()) else { continue };
            let (path, blob) = (entry.path().display().to_string(), Blob::Memory(bytes.into()));
            if let Some(found) = glance(&blob, &path).unwrap() {
                assert_eq!(found, detect(&blob.bytes().unwrap(), &path).unwrap(), "{path}");
                glanced += 1;
            }
        }
        assert!(glanced > 20, "{glanced}");
        // A table that is longer than what is read at first.
        let mut long: Vec<u8> = (0..5000u32).flat_map(|i| [format!("name{i}\0").as_bytes(), &[0; 20]].concat()).collect();
        long.extend([0; 21]);
        assert_eq!(glance(&Bytes::from(long.clone()).into(), "x").unwrap().unwrap().evidence, PBO_TABLE);
        long.truncate(long.len() - 1);
        assert_eq!(glance(&Bytes::from(long).into(), "x").unwrap(), None);
    }

    #[test]
    fn paths_decide_only_what_the_bytes_leave_open() {
        assert_eq!(game_by_path("x/zbd/m1/zrdr.zbd", Format::Reader), Some(Game::Rc));
        assert_eq!(game_by_path("ZBD\\C1\\M01\\zrdr.zbd", Format::Reader), Some(Game::Cs));
        assert_eq!(game_by_path("zbd/c1/readerm1.zbd", Format::Reader), Some(Game::Mw));
        assert_eq!(game_by_path("zbd/interp.zbd", Format::Interp), None);
    }
}
