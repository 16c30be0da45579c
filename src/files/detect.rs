//! Detects game and format of a file. Each format recognises its own files (`Recognise`); this
//! module asks them in the order of their stages. The name of a file is only a tie-break.

use crate::{
    file::FAMILIES,
    foreign::{self, FileKind},
};
use bytes::Bytes;
pub use refit_base::contract::Detection;
use refit_base::{
    contract::{Recognise, Stage, Suspect, Verdict},
    format::Format,
    game::Game,
    tree::Blob,
    wire::{Error, ErrorKind, Result, Within},
};

/// The recognisers in order: by stage, those of the formats before those that identify files that
/// refit does not read.
fn order() -> impl Iterator<Item = Recognise> {
    let all = || FAMILIES.iter().flat_map(|family| family.recognise);
    Stage::ALL.into_iter().flat_map(move |stage| {
        all()
            .chain(foreign::RECOGNISE)
            .filter(move |(of, _)| *of == stage)
            .map(|(_, recognise)| *recognise)
    })
}

/// Recognises a file. For a file that refit knows but does not read, the error says what it is.
///
/// The error's kind separates files of other programs ([`ErrorKind::Unrecognised`],
/// [`ErrorKind::Unsupported`]), which are skipped in a game's folder, from damaged game files,
/// identified by their name, which no command skips.
pub fn detect(file: &Bytes, path: &str) -> Result<Detection> {
    recognised(file, path).map_err(|e| match (named_as(path), e.kind()) {
        (Some(what), ErrorKind::Unrecognised | ErrorKind::Unsupported) => damaged(file, path, what),
        (None, ErrorKind::Invalid | ErrorKind::Truncated) => e.of_kind(ErrorKind::Unrecognised),
        _ => e,
    })
}

/// The type of a file whose name only game files have: `ZBD file`.
pub(crate) fn named_as(path: &str) -> Option<&'static str> {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit(['/', '\\']).next()?;
    Some(match name.rsplit_once('.')? {
        (_, "zbd") => "ZBD file",
        (_, "zrd") => "reader file",
        (_, "zmap") => "map",
        (_, "rof") => "ROF archive",
        (_, "pbo") => "PBO archive",
        (_, "paa") => "PAA texture",
        (_, "bikey") => "public key",
        (_, "bisign") => "signature",
        ("mech3msg" | "messages" | "strings", "dll") => "library of messages",
        _ => return None,
    })
}

/// The error for a damaged game file: `what` it should be, and how its bytes look.
fn damaged(file: &Bytes, path: &str, what: &str) -> Error {
    let found = foreign::recognise(file, path);
    let lfs = found
        .as_ref()
        .is_some_and(|found| found.kind == FileKind::Pointer);
    let seen = match found {
        _ if lfs => "its content is still in git LFS".to_owned(),
        Some(foreign) => format!("it looks like {}", foreign.with_article()),
        None => "its bytes have no known header and no table of contents at the end".to_owned(),
    };
    let hint = if lfs {
        "fetch it with `git lfs pull`"
    } else {
        "copy it again from the disc or a backup"
    };
    Error::say(format!(
        "truncated, damaged, or not a {what} as its name suggests: {seen}"
    ))
    .hint(hint)
    .of_kind(ErrorKind::Invalid)
}

fn recognised(file: &Bytes, path: &str) -> Result<Detection> {
    let tail = file.within(file.len().saturating_sub(TAIL)..);
    let (len, whole) = (file.len() as u64, Some(file));
    let suspect = Suspect {
        head: file,
        tail,
        len,
        whole,
        disk: None,
        path,
        roughly: false,
    };
    for recognise in order() {
        match recognise(&suspect) {
            Verdict::Is(detection) => return Ok(with_game(detection, path)),
            Verdict::Refused(error) => return Err(error),
            Verdict::No | Verdict::More | Verdict::All => {}
        }
    }
    Err(Error::say("not a file of a known format")
        .hint("if you know the format, name it with --format")
        .of_kind(ErrorKind::Unrecognised))
}

/// Size of the end of a file that recognisers see.
const TAIL: usize = 12;

/// Recognises a file on disk by its first and last bytes, if they suffice: the result is that of
/// [`detect`]. `None`: all bytes are needed.
pub fn glance(file: &Blob, path: &str) -> Result<Option<Detection>> {
    look(file, path, false)
}

/// [`glance`] for the codec alone: a file that ends like an archive is [`Format::Archive`], and its
/// table is not read.
pub(crate) fn glance_at_codec(file: &Blob, path: &str) -> Result<Option<Detection>> {
    look(file, path, true)
}

fn look(file: &Blob, path: &str, roughly: bool) -> Result<Option<Detection>> {
    let mut head = file.slice(0, 1 << 16)?.bytes()?;
    let tail = file
        .slice(file.len().saturating_sub(TAIL as u64), TAIL as u64)?
        .bytes()?;
    let mut order = order();
    let mut asked = order.next();
    while let Some(recognise) = asked {
        let (whole, disk) = (None, Some(file));
        match recognise(&Suspect {
            head: &head,
            tail: &tail,
            len: file.len(),
            whole,
            disk,
            path,
            roughly,
        }) {
            Verdict::Is(detection) => return Ok(Some(with_game(detection, path))),
            Verdict::No => asked = order.next(),
            Verdict::More if (head.len() as u64) < file.len() => {
                head = file.slice(0, head.len() as u64 * 4)?.bytes()?
            }
            Verdict::More | Verdict::All | Verdict::Refused(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// If the content leaves the game open, the path may show it. Bohemia's formats belong to none of
/// these games.
fn with_game(mut detection: Detection, path: &str) -> Detection {
    if !matches!(
        detection.format,
        Format::Pbo | Format::Bikey | Format::Bisign | Format::Rap | Format::Paa
    ) && detection.game.is_none()
    {
        detection.game = game_by_path(path, detection.format);
    }
    detection
}

/// The game according to the path.
fn game_by_path(path: &str, format: Format) -> Option<Game> {
    let lower = path.replace('\\', "/").to_ascii_lowercase();
    let mut parts: Vec<&str> = lower.split('/').collect();
    let name = parts.pop()?;
    let parent = parts.pop().unwrap_or_default();
    let grand = parts.pop().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let mission = |part: &str, letter: char| {
        part.strip_prefix(letter)
            .is_some_and(|n| !n.is_empty() && n.len() <= 2 && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let world = |part: &str| {
        matches!(
            part,
            "c1" | "c1b" | "c1c" | "c2" | "c2b" | "c3" | "c4" | "c5"
        )
    };
    match format {
        Format::Savegame if name.ends_with(".mw3") => Some(Game::Mw),
        Format::Savegame if name == "status.dat" || stem == "persist" || stem == "mission" => {
            Some(Game::Cs)
        }
        // Recoil has one folder for its saves, Crimson Skies has one per pilot.
        Format::Savegame if name.ends_with(".sav") => Some(if parent == "savedgames" {
            Game::Rc
        } else {
            Game::Cs
        }),
        Format::Reader if stem == "zrdr" && mission(parent, 'm') && world(grand) => Some(Game::Cs),
        Format::Reader if stem == "zrdr" && mission(parent, 'm') => Some(Game::Rc),
        Format::Reader if stem == "zrdr" && world(parent) => Some(Game::Cs),
        Format::Reader if stem.starts_with("reader") => Some(Game::Mw),
        Format::Sounds if stem == "soundsm" => Some(Game::Rc),
        Format::ZrdText if stem == "defaultctlconfig" => Some(Game::Mw),
        Format::Messages if stem == "langui" || stem == "language" || stem == "strings" => {
            Some(Game::Cs)
        }
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
        let words = |words: &[u32]| {
            words
                .iter()
                .flat_map(|w| w.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        assert_eq!(
            detect(&words(&[1, 0]).into(), "a.zbd").unwrap().format,
            Format::Archive
        );
        assert_eq!(
            detect(&words(&[2, 0, 0]).into(), "a.zbd").unwrap().game,
            Some(Game::Pm)
        );
        // One entry and checksum 0: the last eight bytes could also be an empty version 1 archive.
        let mut one = b"data".to_vec();
        one.extend(words(&[0, 4]));
        one.extend([0; 140]);
        one.extend(words(&[2, 1, 0]));
        assert_eq!(detect(&one.into(), "a.zbd").unwrap().game, Some(Game::Pm));
        assert!(detect(&words(&[3, 0]).into(), "a.zbd").is_err());
        assert!(detect(&Bytes::new(), "a.zbd").is_err());
        let e = detect(&[&[0; 16][..], &words(&[1, 9])].concat().into(), "a.zbd")
            .unwrap_err()
            .to_string();
        assert!(e.contains("damaged") && e.contains("9 entries"), "{e}");
    }

    /// Recognition by a file's first bytes gives the same result as with the whole file.
    #[test]
    fn recognition_needs_only_the_first_bytes() {
        let mut glanced = 0;
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
        for entry in walkdir::WalkDir::new(golden)
            .into_iter()
            .filter_map(|e| e.ok())
        {
            let Ok(bytes) = std::fs::read(entry.path()) else {
                continue;
            };
            let (path, blob) = (
                refit_base::path::shown(entry.path()),
                Blob::Memory(bytes.into()),
            );
            if let Some(found) = glance(&blob, &path).unwrap() {
                assert_eq!(
                    found,
                    detect(&blob.bytes().unwrap(), &path).unwrap(),
                    "{path}"
                );
                glanced += 1;
            }
        }
        assert!(glanced > 20, "{glanced}");
        // A table longer than the first read.
        let mut long: Vec<u8> = (0..5000u32)
            .flat_map(|i| [format!("name{i}\0").as_bytes(), &[0; 20]].concat())
            .collect();
        long.extend([0; 21]);
        assert_eq!(
            glance(&Bytes::from(long.clone()).into(), "x")
                .unwrap()
                .unwrap()
                .evidence,
            "a PBO entry table that fits"
        );
        long.truncate(long.len() - 1);
        assert_eq!(glance(&Bytes::from(long).into(), "x").unwrap(), None);
    }

    #[test]
    fn paths_decide_only_ambiguous_cases() {
        assert_eq!(
            game_by_path("x/zbd/m1/zrdr.zbd", Format::Reader),
            Some(Game::Rc)
        );
        assert_eq!(
            game_by_path("ZBD\\C1\\M01\\zrdr.zbd", Format::Reader),
            Some(Game::Cs)
        );
        assert_eq!(
            game_by_path("zbd/c1/readerm1.zbd", Format::Reader),
            Some(Game::Mw)
        );
        assert_eq!(game_by_path("zbd/interp.zbd", Format::Interp), None);
    }
}
