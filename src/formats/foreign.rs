//! Files that lie beside those of the games: programs, films, pictures, texts of the set-up program. refit does nothing with them;
//! it knows what they are, so that a walk over a game's folder can count them, and `info` can say what a film or a sound is.
//!
//! None of these are named by a walk as a failure: the root of Crimson Skies alone has 21 images of programs, most without any text, one
//! of them encrypted.

use super::{Info, Suspect, Verdict, film, sounds};
use crate::wire::{Error, ErrorKind};
use serde::Serialize;

/// What a file is, roughly: what a walk counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
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
    /// No bytes at all.
    Empty,
}

impl Kind {
    /// One of them, as a sentence names it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Program => "program without messages",
            Kind::Film => "film",
            Kind::Sound => "sound",
            Kind::Picture => "picture",
            Kind::Font => "font",
            Kind::Document => "document",
            Kind::Archive => "archive of another program",
            Kind::Disc => "disc image",
            Kind::ForceFeedback => "file of force feedback",
            Kind::Empty => "empty file",
        }
    }

    /// Several of them.
    pub fn names(self) -> &'static str {
        match self {
            Kind::Program => "programs without messages",
            Kind::Film => "films",
            Kind::Sound => "sounds",
            Kind::Picture => "pictures",
            Kind::Font => "fonts",
            Kind::Document => "documents",
            Kind::Archive => "archives of other programs",
            Kind::Disc => "disc images",
            Kind::ForceFeedback => "files of force feedback",
            Kind::Empty => "empty files",
        }
    }
}

/// A file of another kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Foreign {
    /// What a walk counts it as.
    pub kind: Kind,
    /// What it is: `AVI`, `TGA`.
    pub what: &'static str,
    /// What it says of itself: films and sounds.
    pub info: Info,
}

impl Foreign {
    fn new(kind: Kind, what: &'static str) -> Self {
        Foreign { kind, what, info: Info::new() }
    }

    /// Why there is nothing to do.
    pub fn error(&self) -> Error {
        let Foreign { kind, what, .. } = self;
        let article = if matches!(kind, Kind::Archive | Kind::Empty) { "an" } else { "a" };
        let what = if what.is_empty() { String::new() } else { format!(", {what}") };
        Error::say(format!("{article} {}{what}: there is nothing to unpack", kind.name())).of_kind(ErrorKind::Unsupported)
    }

    /// True for a kind that `info` answers for, rather than to say that it is none of the games' own.
    pub fn is_told(&self) -> bool {
        matches!(self.kind, Kind::Film | Kind::Sound)
    }
}

/// How files of other kinds begin.
const STARTS: &[(&[u8], Kind, &str)] = &[
    (b"MZ", Kind::Program, "Windows or DOS"),
    (b"BIK", Kind::Film, "Bink"),
    (b"SMK", Kind::Film, "Smacker"),
    (b"\x1a\x45\xdf\xa3", Kind::Film, "Matroska"),
    (b"fLaC", Kind::Sound, "FLAC"),
    (b"OggS", Kind::Sound, "Ogg"),
    (b"ID3", Kind::Sound, "MP3"),
    (b"MThd", Kind::Sound, "MIDI"),
    (b"FORM", Kind::Sound, "AIFF"),
    (b"RF64", Kind::Sound, "WAVE for more than 4 GiB"),
    (b"\x89PNG\r\n", Kind::Picture, "PNG"),
    (b"\xff\xd8\xff", Kind::Picture, "JPEG"),
    (b"GIF8", Kind::Picture, "GIF"),
    (b"II*\0", Kind::Picture, "TIFF"),
    (b"MM\0*", Kind::Picture, "TIFF"),
    (b"DDS ", Kind::Picture, "DDS"),
    (b"{\\rtf", Kind::Document, "RTF"),
    (b"%PDF", Kind::Document, "PDF"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind::Document, "Word, or another of Microsoft Office"),
    (b"?_\x03\0", Kind::Document, "Windows help"),
    (b"\0\x01\0\0\0", Kind::Font, "TrueType"),
    (b"OTTO", Kind::Font, "OpenType"),
    (b"ISc(", Kind::Archive, "InstallShield cabinet"),
    (b"MSCF", Kind::Archive, "Microsoft cabinet"),
    (b"PK\x03\x04", Kind::Archive, "ZIP"),
    (b"Rar!", Kind::Archive, "RAR"),
    (b"7z\xbc\xaf\x27\x1c", Kind::Archive, "7z"),
    (b"\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0", Kind::Disc, "raw sectors"),
];

/// Kinds that only the end of the name tells: their files begin with anything.
const NAMES: &[(&str, Kind, &str)] = &[
    (".tga", Kind::Picture, "TGA"),
    (".ico", Kind::Picture, "icon"),
    (".pcx", Kind::Picture, "PCX"),
    (".mp3", Kind::Sound, "MP3"),
    (".ifr", Kind::ForceFeedback, ""),
    (".icd", Kind::Program, "encrypted by the copy protection"),
    (".mdf", Kind::Disc, ""),
    (".nrg", Kind::Disc, ""),
];

fn little(file: &[u8], at: usize) -> Option<u32> {
    file.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// A bitmap's header says its length.
fn is_bitmap(file: &[u8]) -> bool {
    file.starts_with(b"BM") && little(file, 2).is_some_and(|len| len as usize == file.len()) && little(file, 14).is_some_and(|n| n >= 12)
}

fn is_disc(file: &[u8]) -> bool {
    file.get(0x8001..0x8006) == Some(b"CD001")
}

/// Nothing but letters, line ends, and what else stands in a text.
fn is_text(file: &[u8]) -> bool {
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a);
    !file.iter().any(control)
}

/// What a film or a sound is: what is asked of a file before weaker tests.
pub fn media(file: &[u8]) -> Option<Foreign> {
    if let Some(info) = film::avi(file) {
        return Some(Foreign { kind: Kind::Film, what: "AVI", info });
    }
    if let Some(info) = film::mpeg(file) {
        return Some(Foreign { kind: Kind::Film, what: "MPEG", info });
    }
    let wave = file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WAVE");
    wave.then(|| Foreign { kind: Kind::Sound, what: "WAV", info: sounds::tell_one(file) })
}

/// Recognises films and sounds, before anything is tried on them that only looks at their bytes.
pub fn recognise_media(suspect: &Suspect<'_>) -> Verdict {
    match (media(suspect.head), suspect.whole) {
        (Some(_), None) => Verdict::All,
        (Some(media), Some(_)) => Verdict::Refused(media.error().hint("`refit info` tells what it is")),
        (None, _) => Verdict::No,
    }
}

/// Tells what a file is that nothing reads.
pub fn recognise_rest(suspect: &Suspect<'_>) -> Verdict {
    let Some(file) = suspect.whole else { return Verdict::All };
    recognise(file, suspect.path).map_or(Verdict::No, |foreign| Verdict::Refused(foreign.error()))
}

/// What a file is that is none of the games' own; `None` where that is not known.
pub fn recognise(file: &[u8], path: &str) -> Option<Foreign> {
    if file.is_empty() {
        return Some(Foreign::new(Kind::Empty, ""));
    }
    if let Some(found) = media(file) {
        return Some(found);
    }
    let name = path.to_ascii_lowercase();
    let film = name.ends_with(".avi");
    if let Some((start, kind, what)) = STARTS.iter().find(|(start, ..)| file.starts_with(start)) {
        let mut found = Foreign::new(*kind, what);
        if film && *start == b"ISc(" {
            found.what = "InstallShield cabinet in place of a film, on which MechWarrior 3 crashes";
        }
        return Some(found);
    }
    if file.get(4..8) == Some(b"ftyp") {
        return Some(Foreign::new(Kind::Film, "MP4"));
    }
    if is_bitmap(file) {
        return Some(Foreign::new(Kind::Picture, "BMP"));
    }
    if is_disc(file) {
        return Some(Foreign::new(Kind::Disc, "ISO 9660"));
    }
    if let Some((_, kind, what)) = NAMES.iter().find(|(end, ..)| name.ends_with(end)) {
        return Some(Foreign::new(*kind, what));
    }
    is_text(file).then(|| Foreign::new(Kind::Document, "plain text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_the_games_are_told_by_their_beginning() {
        let bitmap = [&b"BM"[..], &18u32.to_le_bytes(), &[0; 8], &40u32.to_le_bytes()].concat();
        let disc = [&[0; 0x8001][..], b"CD001"].concat();
        for (bytes, path, kind, what) in [
            (&b"MZ\x90\0"[..], "crimson.exe", Kind::Program, "Windows or DOS"),
            (b"\x8f\x13", "CRIMSON.ICD", Kind::Program, "encrypted by the copy protection"),
            (b"RIFF\0\0\0\0AVI ", "video/intro.avi", Kind::Film, "AVI"),
            (b"\0\0\x01\xba", "mpg/a.mpg", Kind::Film, "MPEG"),
            (b"\0\0\0\x18ftypmp42", "intro.mp4", Kind::Film, "MP4"),
            (b"RIFF\0\0\0\0WAVE", "a.wav", Kind::Sound, "WAV"),
            (&bitmap, "00000409.256", Kind::Picture, "BMP"),
            (b"\0\0\x02\0\0", "arial8.TGA", Kind::Picture, "TGA"),
            (b"{\\rtf1\\ansi}", "EULA.RTF", Kind::Document, "RTF"),
            (b"[Internet]\r\nURL=x\r\n", "zone.url", Kind::Document, "plain text"),
            (b"ISc(\0", "data1.cab", Kind::Archive, "InstallShield cabinet"),
            (b"ISc(\0", "c1.AVI", Kind::Archive, "InstallShield cabinet in place of a film, on which MechWarrior 3 crashes"),
            (&disc, "mw3.iso", Kind::Disc, "ISO 9660"),
            (b"\x01\x02", "crimsonff.ifr", Kind::ForceFeedback, ""),
            (b"", "EBUSetup.sem", Kind::Empty, ""),
        ] {
            let found = recognise(bytes, path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!((found.kind, found.what), (kind, what), "{path}");
        }
        assert_eq!(recognise(&[1, 2, 3], "x.bin"), None);
        // A picture whose header does not say its length is none.
        assert_eq!(recognise(&[&bitmap[..], &[1]].concat(), "x"), None);
    }
}
