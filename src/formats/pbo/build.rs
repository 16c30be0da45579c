//! A new archive from any files (`refit repack FOLDER --format pbo`).
//!
//! The same folder gives the same archive everywhere: files in the order of their lower-case paths, as signature tools
//! want it, without times of the disk.

use super::{CPRS, Ending, Entry, Label, Pbo, Start, Trailer, litter, lzss};
use crate::{
    par,
    tree::Blob,
    wire::{Error, Result},
};
use bytes::Bytes;
use globset::{GlobBuilder, GlobMatcher};
use std::collections::HashMap;

/// For which games an archive is made (FORMAT.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum), value(rename_all = "lowercase"))]
pub enum Variant {
    /// Operation Flashpoint: Cold War Crisis. No properties, no trailer.
    Ofp,
    /// Operation Flashpoint: Resistance. A `product` property, no trailer.
    Resistance,
    /// Operation Flashpoint: Elite. A prefix, a trailer of five bytes.
    Elite,
    /// ArmA, Arma 2, Arma 3, DayZ. Any properties, a trailer with a SHA-1.
    #[default]
    Arma,
}

/// How an archive is made of a folder.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The virtual path of the files. When absent, the one in a file `$PBOPREFIX$` at the root of the folder, if there
    /// is one.
    pub prefix: Option<String>,
    /// Further properties, in order: key and value.
    pub properties: Vec<(String, String)>,
    /// Files to pack with LZSS, as globs over paths with `/`; `*` also crosses folders, upper and lower case are one.
    /// A file that does not get smaller is stored.
    pub compress: Vec<String>,
    /// Files to leave out, as globs of the same kind.
    pub exclude: Vec<String>,
    /// For which games.
    pub variant: Variant,
    /// The time stamp of every file, in seconds since 1970; 0 is none.
    pub time: u32,
}

/// An archive and what its maker should know.
#[derive(Debug)]
pub struct Built {
    /// The archive. It reads the folder's files while it is written: see [`crate::formats::Model::write_to`].
    pub pbo: Pbo,
    /// What was left out or looks wrong, one sentence each.
    pub notes: Vec<String>,
}

/// Names of the file that holds the prefix, in any case.
const PREFIX_FILES: [&str; 4] = ["$pboprefix$", "$pboprefix$.txt", "$prefix$", "$prefix$.txt"];

/// A file of the folder that an archive is made of.
pub struct Found<P> {
    /// The names of its folders and its own, below the root. Names have no encoding.
    pub below: Vec<Vec<u8>>,
    /// True for a regular file: nothing else is packed.
    pub regular: bool,
    /// Where it is, for whoever opens it.
    pub place: P,
}

/// Makes an archive of files. `open` gives the content of one; `own` is the path, with `/`, of the archive that is
/// being made, where it stands among the files.
///
/// `$PBOPREFIX$` (also `$PBOPREFIX$.txt`, `$PREFIX$`) at the root gives the prefix, and properties as `key=value`
/// lines; it is not stored itself. Left out as well: what the options exclude, what systems, editors and refit leave
/// behind (dot-files, `*~`, `*.bak`, `*.orig`, swap files), and the archive itself.
///
/// Fails on a bad glob, a name with a `\` in it, a file that cannot be opened, and on options that the variant has no
/// place for.
pub fn from_files<P: Sync>(
    files: impl Iterator<Item = Result<Found<P>>>,
    open: impl Fn(&P) -> Result<Blob> + Sync,
    options: &Options,
    own: Option<&str>,
) -> Result<Built> {
    let mut notes = Vec::new();
    let exclude = matchers(&options.exclude, "exclude")?;
    let compress = matchers(&options.compress, "compress")?;
    let any = |globs: &[GlobMatcher], shown: &str| globs.iter().any(|glob| glob.is_match(shown));

    let mut prefix = options.prefix.clone();
    let mut properties: Vec<(String, String)> = Vec::new();
    let mut found: Vec<(String, Label, P)> = Vec::new();
    let mut left = Vec::new();
    let mut excluded = 0usize;
    for file in files {
        let Found { below, regular, place } = file?;
        // For globs and messages.
        let shown = Label(below.join(&b'/').into()).show().into_owned();
        if any(&exclude, &shown) {
            excluded += 1;
            continue;
        }
        if litter::is_of_system(&shown) || own.is_some_and(|own| litter::is_of_archive(&shown, own)) {
            continue;
        }
        if litter::is_of_tool(&shown) {
            left.push(shown);
            continue;
        }
        if !regular {
            notes.push(format!("{shown} is not a regular file and was left out"));
            continue;
        }
        if below.len() == 1 && PREFIX_FILES.contains(&shown.to_ascii_lowercase().as_str()) {
            let said = read_prefix(&open(&place)?.bytes()?, &mut properties);
            prefix = prefix.or(said);
            continue;
        }
        if below.iter().any(|part| part.contains(&b'\\')) {
            return Err(Error::say("a name with a backslash would be a folder in the archive")
                .in_file(shown)
                .hint("rename or exclude it"));
        }
        found.push((shown, Label(below.join(&b'\\').into()), place));
    }
    notes.extend(litter::note(left));
    if found.is_empty() {
        let why = if excluded > 0 { format!(": --exclude leaves out all {excluded}") } else { String::new() };
        notes.push(format!("the archive has no files{why}"));
    }
    for (pattern, glob) in options.compress.iter().zip(&compress) {
        if !found.iter().any(|(shown, ..)| glob.is_match(shown)) {
            notes.push(format!("--compress {pattern} matches no file"));
        }
    }
    found.sort_by_cached_key(|(_, name, _)| (name.folded(), name.0.clone()));
    let mut seen: HashMap<Vec<u8>, &str> = HashMap::new();
    for (shown, name, _) in &found {
        if let Some(other) = seen.insert(name.folded(), shown) {
            notes.push(format!("{shown} and {other} are one name to the games: which file they get is not known"));
        }
    }

    let entries = par::try_map(&found, |_, (shown, name, place)| {
        let mut entry = Entry { name: name.clone(), time: options.time, data: open(place)?, ..Entry::default() };
        entry.original = u32::try_from(entry.data.len())
            .map_err(|_| Error::say("a file in an archive has at most 4 GiB").in_file(shown.clone()))?;
        if any(&compress, shown) {
            let content = entry.data.bytes()?;
            let packed = lzss::pack(lzss::Packer::Tree, &content);
            if packed.len() < content.len() {
                entry.method = CPRS;
                entry.data = Blob::Memory(packed.into());
            }
        }
        Ok(entry)
    })?;

    for (key, value) in &options.properties {
        properties.retain(|(k, _)| k != key);
        properties.push((key.clone(), value.clone()));
    }
    let prefix = prefix.map(|p| p.trim_matches(['\\', '/']).replace('/', "\\")).filter(|p| !p.is_empty());
    let refuse = |what: &str, which: &str| {
        Err(Error::say(format!("{which} archives have no {what}")).hint("leave it away, or choose another variant"))
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    let (start, trailer) = match options.variant {
        Variant::Ofp | Variant::Resistance if options.prefix.is_some() => {
            return refuse("prefix", "Operation Flashpoint");
        }
        Variant::Ofp if !options.properties.is_empty() => return refuse("properties", "Operation Flashpoint"),
        Variant::Elite if !options.compress.is_empty() => {
            return refuse("packed files: the game cannot read them", "Elite");
        }
        Variant::Ofp => (false, Trailer::None),
        Variant::Resistance => {
            pairs.push(("product".to_owned(), "OFP: Resistance".to_owned()));
            (true, Trailer::None)
        }
        Variant::Elite => {
            notes.push("what the last four bytes of an Elite archive mean is not known: they are zero".to_owned());
            (true, Trailer::Raw(Bytes::from_static(&[0; 5])))
        }
        Variant::Arma => (true, Trailer::Sha1 { sum: None, behind: Bytes::new() }),
    };
    match (options.variant, prefix) {
        (Variant::Elite | Variant::Arma, Some(prefix)) => pairs.push(("prefix".to_owned(), prefix)),
        (Variant::Ofp | Variant::Resistance, Some(prefix)) => {
            notes.push(format!("the prefix {prefix} of the folder was left out: these archives have none"));
        }
        (_, None) => {}
    }
    if options.variant != Variant::Ofp {
        pairs.extend(properties);
    }
    let label = |text: String| Label(text.into_bytes().into());
    let properties = pairs.into_iter().map(|(key, value)| (label(key), label(value))).collect();
    let start = start.then_some(Start { numbers: [0; 4], properties });
    let pbo = Pbo { entries, ending: Ending::Stored(trailer), ..Pbo::new(start, [0; 5]) };
    // What cannot be written is said now, before the first byte is.
    super::layout::header_pieces(&pbo, &mut |_| Ok(()))?;
    Ok(Built { pbo, notes })
}

/// True for the name of a file that the source of an addon, or of a mission, has at its root: one that says its prefix,
/// or a config.
pub(crate) fn is_mark(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PREFIX_FILES.contains(&name.as_str()) || matches!(name.as_str(), "config.cpp" | "config.bin" | "mission.sqm")
}

fn matchers(patterns: &[String], what: &str) -> Result<Vec<GlobMatcher>> {
    let bad = |e: globset::Error| Error::say(format!("the pattern of --{what} is not a glob: {e}"));
    let one = |pattern: &String| {
        Ok(GlobBuilder::new(&pattern.replace('\\', "/")).case_insensitive(true).build().map_err(bad)?.compile_matcher())
    };
    patterns.iter().map(one).collect()
}

/// The prefix in a `$PBOPREFIX$`: a bare line, or `prefix=…`; other `key=value` lines are properties, `//` begins a
/// comment.
fn read_prefix(text: &[u8], properties: &mut Vec<(String, String)>) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let mut prefix = None;
    for line in
        text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//"))
    {
        match line.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some((key, value)) if key.eq_ignore_ascii_case("prefix") => prefix = Some(value.to_owned()),
            Some((key, value)) if !key.is_empty() => properties.push((key.to_owned(), value.to_owned())),
            _ => prefix = prefix.or_else(|| Some(line.to_owned())),
        }
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Model;
    use crate::pipeline::addon;
    use std::{fs, path::Path};

    fn from_folder(root: &Path, options: &Options) -> Result<Built> {
        addon::from_folder(root, options, None)
    }

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        dir
    }

    /// The archive that issues and references quote, whole.
    #[test]
    fn the_references_archive_is_built_byte_for_byte() {
        let dir = folder(&[("f", b"x"), ("$PBOPREFIX$", b"a\r\n"), (".git/config", b"y"), ("Thumbs.db", b"z")]);
        let built = from_folder(dir.path(), &Options::default()).unwrap();
        let expected = "00 73726556 00000000 00000000 00000000 00000000 70726566697800 6100 00 6600 00000000 01000000 \
            00000000 00000000 01000000 00 00000000 00000000 00000000 00000000 00000000 78 00 \
            1C15387CEC53730A118D1FA4775C809D4B2E0007";
        let hex: String = built.pbo.write().unwrap().iter().map(|b| format!("{b:02X}")).collect();
        assert_eq!(hex, expected.replace(' ', ""));
        assert!(built.notes.is_empty());
    }

    #[test]
    fn files_come_in_the_order_of_their_lower_case_paths() {
        let dir = folder(&[
            ("b/x.sqf", b"1"),
            ("B_y.sqf", b"2"),
            ("a.sqf", b"3"),
            ("skip/me.txt", b"4"),
            ("Zz", b""),
            ("b/A.bin", &[b'a'; 99]),
        ]);
        let options = Options {
            exclude: vec!["skip\\*".into()],
            compress: vec!["*.BIN".into(), "*.sqf".into()],
            properties: vec![("version".into(), "2".into())],
            prefix: Some("/z/mod/".into()),
            ..Options::default()
        };
        let built = from_folder(dir.path(), &options).unwrap();
        let names: Vec<_> = built.pbo.entries.iter().map(|e| e.name.show().into_owned()).collect();
        assert_eq!(names, ["a.sqf", "b\\A.bin", "b\\x.sqf", "B_y.sqf", "Zz"]);
        let methods: Vec<_> = built.pbo.entries.iter().map(|e| (e.method, e.original)).collect();
        assert_eq!(methods, [(0, 1), (CPRS, 99), (0, 1), (0, 1), (0, 0)], "only what gets smaller is packed");
        assert_eq!(built.pbo.property("PREFIX").unwrap().show(), "z\\mod");
        assert_eq!(built.pbo.start.unwrap().properties.len(), 2);
    }

    #[test]
    fn variants_differ_in_start_and_trailer() {
        let dir = folder(&[("$PBOPREFIX$.txt", b"// comment\nprefix = z\\mod\\ \nversion=1.0\n"), ("f", b"x")]);
        let build = |variant| from_folder(dir.path(), &Options { variant, ..Options::default() }).unwrap();
        let ofp = build(Variant::Ofp);
        assert_eq!(
            (ofp.pbo.era(), ofp.pbo.write().unwrap().len(), ofp.notes.len()),
            ("Operation Flashpoint: Cold War Crisis", 22 + 21 + 1, 1)
        );
        assert_eq!(build(Variant::Resistance).pbo.era(), "Operation Flashpoint: Resistance");
        assert_eq!(build(Variant::Elite).pbo.era(), "Operation Flashpoint: Elite");
        let arma = build(Variant::Arma).pbo;
        assert_eq!(arma.era(), "ArmA and later");
        assert_eq!(arma.property("prefix").unwrap().show(), "z\\mod");
        assert_eq!(arma.property("version").unwrap().show(), "1.0");
        for wrong in [
            Options { variant: Variant::Ofp, prefix: Some("a".into()), ..Options::default() },
            Options { variant: Variant::Elite, compress: vec!["*".into()], ..Options::default() },
            Options { exclude: vec!["[".into()], ..Options::default() },
            Options { properties: vec![("a\0b".into(), "".into())], ..Options::default() },
            Options { properties: vec![("".into(), "x".into())], ..Options::default() },
        ] {
            assert!(from_folder(dir.path(), &wrong).is_err(), "{wrong:?}");
        }
        assert!(from_folder(&dir.path().join("f"), &Options::default()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = folder(&[("f", b"x")]);
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink("/etc", dir.path().join("folder")).unwrap();
        let built = from_folder(dir.path(), &Options::default()).unwrap();
        assert_eq!((built.pbo.entries.len(), built.notes.len()), (1, 2));
    }
}
