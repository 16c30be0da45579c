//! Files that do not belong to the games: programs, films, pictures, texts of the set-up program.
//! refit only identifies them, so that a run over a game's folder can count them, and `info` can
//! describe films and sounds. A run does not report them as failures: the root of Crimson Skies
//! alone has 21 programs, most without any text, one of them encrypted.

mod bohemia;

use refit_base::{
    contract::{Info, Recognise, Stage, Suspect, Verdict},
    format::LFS_POINTER,
    tree::proof,
    wire::{Error, ErrorKind, Result, value_at},
};
use refit_bohemia::pbo;
use refit_zipper::{film, sounds};
use serde::Serialize;

/// What a file is, roughly: what a walk counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A Windows or DOS program, a library or a driver; one without messages, or encrypted.
    Program,
    /// A film.
    Film,
    /// A sound or a piece of music.
    Sound,
    /// A picture.
    Picture,
    /// A font.
    Font,
    /// A document, or a plain text.
    Document,
    /// An archive of another program, or a set-up program's cabinet.
    Archive,
    /// An image of a disc.
    Disc,
    /// Effects of force feedback.
    ForceFeedback,
    /// A model of Bohemia's games.
    Model,
    /// An animation of a skeleton in Bohemia's games.
    Animation,
    /// A terrain of Bohemia's games.
    Terrain,
    /// The list of an addon's textures.
    TextureList,
    /// The name of a content that git LFS has not fetched yet.
    Pointer,
    /// A private key, which refit takes nowhere.
    PrivateKey,
    /// No bytes at all.
    Empty,
}

impl FileKind {
    /// The name of one such file in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            FileKind::Program => "program without messages",
            FileKind::Film => "film",
            FileKind::Sound => "sound",
            FileKind::Picture => "picture",
            FileKind::Font => "font",
            FileKind::Document => "document",
            FileKind::Archive => "archive of another program",
            FileKind::Disc => "disc image",
            FileKind::ForceFeedback => "file of force feedback",
            FileKind::Model => "model",
            FileKind::Animation => "skeleton animation",
            FileKind::Terrain => "terrain",
            FileKind::TextureList => "list of textures",
            FileKind::Pointer => "file whose content is still in git LFS",
            FileKind::PrivateKey => "private key",
            FileKind::Empty => "empty file",
        }
    }

    /// The name of several such files.
    pub fn names(self) -> &'static str {
        match self {
            FileKind::Program => "programs without messages",
            FileKind::Film => "films",
            FileKind::Sound => "sounds",
            FileKind::Picture => "pictures",
            FileKind::Font => "fonts",
            FileKind::Document => "documents",
            FileKind::Archive => "archives of other programs",
            FileKind::Disc => "disc images",
            FileKind::ForceFeedback => "files of force feedback",
            FileKind::Model => "models",
            FileKind::Animation => "skeleton animations",
            FileKind::Terrain => "terrains",
            FileKind::TextureList => "lists of textures",
            FileKind::Pointer => "files whose content is still in git LFS",
            FileKind::PrivateKey => "private keys",
            FileKind::Empty => "empty files",
        }
    }
}

/// A file of another kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Foreign {
    /// The kind under which it is counted.
    pub kind: FileKind,
    /// The exact type: `AVI`, `TGA`.
    pub what: &'static str,
    /// Its description, for films, sounds, and files of Bohemia's games.
    pub info: Info,
}

impl Foreign {
    fn new(kind: FileKind, what: &'static str) -> Self {
        Foreign {
            kind,
            what,
            info: Info::new(),
        }
    }

    /// `a sound, WAV`; `an empty file`.
    pub fn with_article(&self) -> String {
        let Foreign { kind, what, .. } = self;
        let article = if matches!(kind, FileKind::Archive | FileKind::Empty) {
            "an"
        } else {
            "a"
        };
        let what = if what.is_empty() {
            String::new()
        } else {
            format!(", {what}")
        };
        format!("{article} {}{what}", kind.name())
    }

    /// The error for a file that refit does not read.
    pub fn error(&self) -> Error {
        if self.what == GLTF {
            return Error::say("a glTF file: there is nothing to unpack")
                .of_kind(ErrorKind::Unsupported)
                .hint("`refit world add` puts it into a world, `refit put` into a model");
        }
        if self.kind == FileKind::Pointer {
            return Error::say("its content is still in git LFS")
                .of_kind(ErrorKind::Unsupported)
                .hint("fetch it with `git lfs pull`");
        }
        Error::say(format!(
            "{}: there is nothing to unpack",
            self.with_article()
        ))
        .of_kind(ErrorKind::Unsupported)
    }

    /// True for a kind that `info` describes instead of reporting an error.
    pub fn is_told(&self) -> bool {
        use FileKind::{Animation, Film, Model, Sound, Terrain, TextureList};
        matches!(
            self.kind,
            Film | Sound | Model | Animation | Terrain | TextureList
        )
    }
}

/// True for a list of an addon's textures. refit unpacks it only with its archive, but reads,
/// explains and proves it alone.
pub fn is_texture_list(file: &[u8]) -> bool {
    file.starts_with(b"0DHT")
}

/// Proves a list of textures: what is read is written again as the same bytes. `None` for any other
/// file.
pub fn prove(file: &[u8]) -> Option<Result<()>> {
    is_texture_list(file).then(|| proof::same(&pbo::rewrite_tex_headers(file)?, file))
}

/// What a glTF file is.
const GLTF: &str = "glTF";

/// The first bytes of files of other kinds.
const STARTS: &[(&[u8], FileKind, &str)] = &[
    (b"MZ", FileKind::Program, "Windows or DOS"),
    (b"BIK", FileKind::Film, "Bink"),
    (b"SMK", FileKind::Film, "Smacker"),
    (b"\x1a\x45\xdf\xa3", FileKind::Film, "Matroska"),
    (b"fLaC", FileKind::Sound, "FLAC"),
    (b"OggS", FileKind::Sound, "Ogg"),
    (b"ID3", FileKind::Sound, "MP3"),
    (b"MThd", FileKind::Sound, "MIDI"),
    (b"FORM", FileKind::Sound, "AIFF"),
    (b"RF64", FileKind::Sound, "WAVE for more than 4 GiB"),
    (b"\x89PNG\r\n", FileKind::Picture, "PNG"),
    (b"\xff\xd8\xff", FileKind::Picture, "JPEG"),
    (b"GIF8", FileKind::Picture, "GIF"),
    (b"II*\0", FileKind::Picture, "TIFF"),
    (b"MM\0*", FileKind::Picture, "TIFF"),
    (b"DDS ", FileKind::Picture, "DDS"),
    (b"{\\rtf", FileKind::Document, "RTF"),
    (b"%PDF", FileKind::Document, "PDF"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        FileKind::Document,
        "Word, or another of Microsoft Office",
    ),
    (b"?_\x03\0", FileKind::Document, "Windows help"),
    (b"\0\x01\0\0\0", FileKind::Font, "TrueType"),
    (b"OTTO", FileKind::Font, "OpenType"),
    (b"ISc(", FileKind::Archive, "InstallShield cabinet"),
    (b"MSCF", FileKind::Archive, "Microsoft cabinet"),
    (b"PK\x03\x04", FileKind::Archive, "ZIP"),
    (b"Rar!", FileKind::Archive, "RAR"),
    (b"7z\xbc\xaf\x27\x1c", FileKind::Archive, "7z"),
    (
        b"\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0",
        FileKind::Disc,
        "raw sectors",
    ),
];

/// Kinds that are recognised only by the file extension: their first bytes vary.
const NAMES: &[(&str, FileKind, &str)] = &[
    (".tga", FileKind::Picture, "TGA"),
    (".ico", FileKind::Picture, "icon"),
    (".pcx", FileKind::Picture, "PCX"),
    (".mp3", FileKind::Sound, "MP3"),
    (".ifr", FileKind::ForceFeedback, ""),
    (
        ".icd",
        FileKind::Program,
        "encrypted by the copy protection",
    ),
    (".mdf", FileKind::Disc, ""),
    (".nrg", FileKind::Disc, ""),
];

fn little(file: &[u8], at: usize) -> Option<u32> {
    value_at(file, at)
}

/// True if the length in a bitmap's header is that of the file.
fn is_bitmap(file: &[u8]) -> bool {
    file.starts_with(b"BM")
        && little(file, 2).is_some_and(|len| len as usize == file.len())
        && little(file, 14).is_some_and(|n| n >= 12)
}

fn is_disc(file: &[u8]) -> bool {
    file.get(0x8001..0x8006) == Some(b"CD001")
}

/// True if there are no control characters that text does not contain.
fn is_text(file: &[u8]) -> bool {
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a);
    !file.iter().any(control)
}

/// Identifies a film or sound, before weaker tests.
pub fn media(file: &[u8]) -> Option<Foreign> {
    if let Some(info) = film::avi(file) {
        return Some(Foreign {
            kind: FileKind::Film,
            what: "AVI",
            info,
        });
    }
    if let Some(info) = film::mpeg(file) {
        return Some(Foreign {
            kind: FileKind::Film,
            what: "MPEG",
            info,
        });
    }
    let wave = file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WAVE");
    wave.then(|| Foreign {
        kind: FileKind::Sound,
        what: "WAV",
        info: sounds::tell_one(file),
    })
}

/// Length of a header of a tape archive.
const TAR_HEADER: usize = 512;

/// True for a tape archive: the mark of POSIX, and the sum of the first header, in octal digits. Its
/// first bytes are also a PBO's table of one entry.
fn is_tar(file: &[u8]) -> bool {
    let Some(header) = file.get(..TAR_HEADER) else {
        return false;
    };
    let (sum, mark) = (148..156, 257..262);
    let value = |(at, byte): (usize, &u8)| match sum.contains(&at) {
        true => u32::from(b' '),
        false => u32::from(*byte),
    };
    let actual: u32 = header.iter().enumerate().map(value).sum();
    let stored = header
        .get(sum.clone())
        .and_then(|digits| std::str::from_utf8(digits).ok())
        .map(|digits| digits.trim_matches([' ', '\0']))
        .and_then(|digits| u32::from_str_radix(digits, 8).ok());
    header.get(mark) == Some(b"ustar") && stored == Some(actual)
}

/// Recognise files that refit does not read.
pub(crate) const RECOGNISE: &[(Stage, Recognise)] = &[
    (Stage::Signature, recognise_pointer),
    (Stage::Table, recognise_media),
    (Stage::Rest, recognise_rest),
];

/// Recognises what git leaves in place of a large file, before anything that its name could mean.
fn recognise_pointer(suspect: &Suspect<'_>) -> Verdict {
    match suspect.head.starts_with(LFS_POINTER) {
        true => Verdict::Refused(Foreign::new(FileKind::Pointer, "").error()),
        false => Verdict::No,
    }
}

/// Recognises films, sounds and tape archives, before tests that only look at a few bytes.
fn recognise_media(suspect: &Suspect<'_>) -> Verdict {
    let tar = is_tar(suspect.head).then(|| Foreign::new(FileKind::Archive, "tar"));
    match (tar.or_else(|| media(suspect.head)), suspect.whole) {
        (Some(_), None) => Verdict::All,
        (Some(media), Some(_)) if media.is_told() => {
            Verdict::Refused(media.error().hint("`refit info` identifies it"))
        }
        (Some(other), Some(_)) => Verdict::Refused(other.error()),
        (None, _) => Verdict::No,
    }
}

/// Identifies files that refit does not read.
fn recognise_rest(suspect: &Suspect<'_>) -> Verdict {
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    recognise(file, suspect.path).map_or(Verdict::No, |foreign| Verdict::Refused(foreign.error()))
}

/// Identifies a file that does not belong to a game; `None` if it is unknown.
pub fn recognise(file: &[u8], path: &str) -> Option<Foreign> {
    if file.is_empty() {
        return Some(Foreign::new(FileKind::Empty, ""));
    }
    if file.starts_with(LFS_POINTER) {
        return Some(Foreign::new(FileKind::Pointer, ""));
    }
    if is_tar(file) {
        return Some(Foreign::new(FileKind::Archive, "tar"));
    }
    if let Some(found) = media(file) {
        return Some(found);
    }
    if let Some(found) = bohemia::recognise(file) {
        return Some(found);
    }
    let name = path.to_ascii_lowercase();
    let film = name.ends_with(".avi");
    if let Some((start, kind, what)) = STARTS.iter().find(|(start, ..)| file.starts_with(start)) {
        let mut found = Foreign::new(*kind, what);
        if film && *start == b"ISc(" {
            found.what = "InstallShield cabinet instead of a film; MechWarrior 3 crashes on it";
        }
        return Some(found);
    }
    if file.starts_with(b"glTF")
        || name.ends_with(".gltf") && file.trim_ascii_start().starts_with(b"{")
    {
        return Some(Foreign::new(FileKind::Document, GLTF));
    }
    if file.get(4..8) == Some(b"ftyp") {
        return Some(Foreign::new(FileKind::Film, "MP4"));
    }
    if is_bitmap(file) {
        return Some(Foreign::new(FileKind::Picture, "BMP"));
    }
    if is_disc(file) {
        return Some(Foreign::new(FileKind::Disc, "ISO 9660"));
    }
    if let Some((_, kind, what)) = NAMES.iter().find(|(end, ..)| name.ends_with(end)) {
        return Some(Foreign::new(*kind, what));
    }
    is_text(file).then(|| Foreign::new(FileKind::Document, "plain text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first header of a tape archive is a PBO's table of one entry, too.
    #[test]
    fn a_tape_archive_is_no_addon() {
        let mut header = vec![0; TAR_HEADER * 3];
        header[..8].copy_from_slice(b"scripts/");
        header[257..262].copy_from_slice(b"ustar");
        header[148..156].fill(b' ');
        let sum: u32 = header[..TAR_HEADER].iter().map(|b| u32::from(*b)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        let found = recognise(&header, "mod").unwrap();
        assert_eq!((found.kind, found.what), (FileKind::Archive, "tar"));
        let detected = crate::detect::detect(&header.clone().into(), "mod");
        let refused = detected.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        header[0] = b'S';
        assert!(recognise(&header, "mod").is_none_or(|other| other.what != "tar"));
    }

    #[test]
    fn foreign_files_are_identified_by_their_first_bytes() {
        let bitmap = [
            &b"BM"[..],
            &18u32.to_le_bytes(),
            &[0; 8],
            &40u32.to_le_bytes(),
        ]
        .concat();
        let disc = [&[0; 0x8001][..], b"CD001"].concat();
        for (bytes, path, kind, what) in [
            (
                &b"MZ\x90\0"[..],
                "crimson.exe",
                FileKind::Program,
                "Windows or DOS",
            ),
            (
                b"\x8f\x13",
                "CRIMSON.ICD",
                FileKind::Program,
                "encrypted by the copy protection",
            ),
            (
                b"RIFF\0\0\0\0AVI ",
                "video/intro.avi",
                FileKind::Film,
                "AVI",
            ),
            (b"\0\0\x01\xba", "mpg/a.mpg", FileKind::Film, "MPEG"),
            (b"\0\0\0\x18ftypmp42", "intro.mp4", FileKind::Film, "MP4"),
            (b"RIFF\0\0\0\0WAVE", "a.wav", FileKind::Sound, "WAV"),
            (&bitmap, "00000409.256", FileKind::Picture, "BMP"),
            (b"\0\0\x02\0\0", "arial8.TGA", FileKind::Picture, "TGA"),
            (b"{\\rtf1\\ansi}", "EULA.RTF", FileKind::Document, "RTF"),
            (
                b"[Internet]\r\nURL=x\r\n",
                "zone.url",
                FileKind::Document,
                "plain text",
            ),
            (
                b"ISc(\0",
                "data1.cab",
                FileKind::Archive,
                "InstallShield cabinet",
            ),
            (
                b"ISc(\0",
                "c1.AVI",
                FileKind::Archive,
                "InstallShield cabinet instead of a film; MechWarrior 3 crashes on it",
            ),
            (&disc, "mw3.iso", FileKind::Disc, "ISO 9660"),
            (b"\x01\x02", "crimsonff.ifr", FileKind::ForceFeedback, ""),
            (b"", "EBUSetup.sem", FileKind::Empty, ""),
        ] {
            let found = recognise(bytes, path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!((found.kind, found.what), (kind, what), "{path}");
        }
        assert_eq!(recognise(&[1, 2, 3], "x.bin"), None);
        // A bitmap whose header has another length is not one.
        assert_eq!(recognise(&[&bitmap[..], &[1]].concat(), "x"), None);
    }
}
