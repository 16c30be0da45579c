//! A new archive from any files (`refit repack FOLDER --format pbo`).
//!
//! The same folder produces the same archive on every system: files are sorted by their lower-case
//! paths, which signature tools expect, and times on disk are ignored.

use super::{CPRS, Ending, Entry, Label, Pbo, Start, Trailer, litter, lzss};
use crate::paa::suffixes;
use bytes::Bytes;
use refit_base::{
    par,
    tree::Blob,
    wire::{Error, Result},
};
use std::{collections::HashMap, fmt, sync::Arc};

/// For which games an archive is made (FORMAT.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "lowercase")
)]
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

/// Paths of files, with `/`, that are treated in a special way.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    matches: Arc<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Pattern {
    /// The paths for which `matches` is true; messages show `text`. `refit_workbench::glob` makes
    /// a pattern of a glob.
    pub fn new(
        text: impl Into<String>,
        matches: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        Pattern {
            text: text.into(),
            matches: Arc::new(matches),
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// Options for building an archive from a folder.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The virtual path of the files. When absent, the one in a file `$PBOPREFIX$` at the root of
    /// the folder, if there is one.
    pub prefix: Option<String>,
    /// Further properties, in order: key and value.
    pub properties: Vec<(String, String)>,
    /// Files to pack with LZSS. A file that does not get smaller is stored.
    pub compress: Vec<Pattern>,
    /// Files to leave out.
    pub exclude: Vec<Pattern>,
    /// For which games.
    pub variant: Variant,
    /// The time stamp of every file, in seconds since 1970; 0 for none.
    pub time: u32,
}

/// A new archive, and notes for its author.
#[derive(Debug)]
pub struct Built {
    /// The archive. It reads the folder's files while it is written: see
    /// [`refit_base::contract::Model::write_to`].
    pub pbo: Pbo,
    /// What was left out or looks wrong, one sentence each.
    pub notes: Vec<String>,
}

/// Names of the file with the prefix, in any case.
const PREFIX_FILES: [&str; 4] = ["$pboprefix$", "$pboprefix$.txt", "$prefix$", "$prefix$.txt"];

/// A file of the source folder.
pub struct Found<P> {
    /// The names of its folders and its own, below the root. Names have no encoding.
    pub below: Vec<Vec<u8>>,
    /// True for a regular file: only these are packed.
    pub regular: bool,
    /// Where to open it.
    pub place: P,
}

/// Builds an archive from files. `open` returns the content of a file. `own` is the path, with `/`,
/// of the archive to be written, if it is among the files.
///
/// `$PBOPREFIX$` (also `$PBOPREFIX$.txt`, `$PREFIX$`) at the root defines the prefix, and
/// properties as `key=value` lines; it is not stored itself. Also left out: excluded files,
/// leftovers of operating systems, editors and refit (dot-files, `*~`, `*.bak`, `*.orig`, swap
/// files), and the archive itself.
///
/// Fails on a name with a `\` in it, a file that cannot be opened, and options that the variant
/// cannot store.
pub fn from_files<P>(
    files: impl Iterator<Item = Result<Found<P>>>,
    open: impl Fn(&P) -> Result<Blob>,
    options: &Options,
    own: Option<&str>,
) -> Result<Built> {
    let mut notes = Vec::new();
    let Contents {
        mut found,
        prefix,
        properties,
    } = contents(files, &open, &options.exclude, own, &mut notes)?;
    notes.extend(sources(found.iter().map(|(shown, ..)| shown.as_str())));
    for pattern in &options.compress {
        if !found.iter().any(|(shown, ..)| (pattern.matches)(shown)) {
            notes.push(format!("--compress {} matches no file", pattern.text));
        }
    }
    found.sort_by_cached_key(|(_, name, _)| (name.folded(), name.0.clone()));
    let mut seen: HashMap<Vec<u8>, &str> = HashMap::new();
    for (shown, name, _) in &found {
        if let Some(other) = seen.insert(name.folded(), shown) {
            notes.push(format!("{shown} and {other} are the same name to the games: which file they use is not known"));
        }
    }
    let entries = par::try_map(&found, |_, (shown, name, data)| {
        let mut entry = Entry {
            name: name.clone(),
            time: options.time,
            data: data.clone(),
            ..Entry::default()
        };
        entry.original = u32::try_from(entry.data.len()).map_err(|_| {
            Error::say("a file in an archive has at most 4 GiB").in_file(shown.clone())
        })?;
        if any(&options.compress, shown) {
            let content = entry.data.bytes()?;
            let packed = lzss::pack(lzss::Packer::Tree, &content);
            if packed.len() < content.len() {
                entry.method = CPRS;
                entry.data = Blob::Memory(packed.into());
            }
        }
        Ok(entry)
    })?;
    let mut packed = entries.iter().filter(|entry| entry.method == CPRS);
    if let (Variant::Arma, Some(first)) = (options.variant, packed.next()) {
        let more = match packed.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        notes.push(format!(
            "{}{more}: packed, which the first ArmA does not read and Arma 3 does not run with execVM",
            first.name.show()
        ));
    }
    let (start, trailer) = frame(options, prefix, properties, &mut notes)?;
    let pbo = Pbo {
        entries,
        ending: Ending::Stored(trailer),
        ..Pbo::new(start, [0; 5])
    };
    // Report what cannot be written before the first byte is written.
    super::layout::header(&pbo, &mut |_| Ok(()))?;
    Ok(Built { pbo, notes })
}

/// Warns of files that a tree converts and a game does not read.
fn sources<'a>(files: impl Iterator<Item = &'a str>) -> Vec<String> {
    let (mut pictures, mut lists) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
        if name.ends_with(".png") && suffixes::of(file).is_some() {
            pictures.push(file);
        } else if matches!(&*name, "texheaders.json" | "texheaders.ron") {
            lists.push(file);
        }
    }
    // The order of a folder is that of the file system.
    let mut notes = Vec::new();
    if let Some(first) = pictures.iter().min() {
        let more = if pictures.len() > 1 {
            format!(" and {} more", pictures.len() - 1)
        } else {
            String::new()
        };
        notes.push(format!(
            "{first}{more}: stored as PNG, which the games do not draw: `refit repack {first} --format paa` makes a \
            texture"
        ));
    }
    lists.sort_unstable();
    notes.extend(
        lists
            .iter()
            .map(|list| format!("{list}: the document of a tree, which the games do not read")),
    );
    notes
}

/// The content of a folder for an archive.
struct Contents {
    /// The files: displayed path, name, content.
    found: Vec<(String, Label, Blob)>,
    /// The text of `$PBOPREFIX$`.
    prefix: Option<String>,
    properties: Vec<(String, String)>,
}

/// Separates content from what is left out.
fn contents<P>(
    files: impl Iterator<Item = Result<Found<P>>>,
    open: &impl Fn(&P) -> Result<Blob>,
    exclude: &[Pattern],
    own: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<Contents> {
    let mut contents = Contents {
        found: Vec::new(),
        prefix: None,
        properties: Vec::new(),
    };
    let (mut left, mut excluded) = (Vec::new(), 0usize);
    for file in files {
        let Found {
            below,
            regular,
            place,
        } = file?;
        // For globs and messages.
        let shown = Label(below.join(&b'/').into()).show().into_owned();
        if any(exclude, &shown) {
            excluded += 1;
        } else if litter::is_of_system(&shown)
            || own.is_some_and(|own| litter::is_of_archive(&shown, own))
        {
            // Not worth a note.
        } else if litter::is_of_tool(&shown) {
            left.push(shown);
        } else if !regular {
            notes.push(format!("{shown} is not a regular file and was left out"));
        } else if below.iter().any(|part| part.contains(&b'\\')) {
            return Err(
                Error::say("a name with a backslash would be a folder in the archive")
                    .in_file(shown)
                    .hint("rename or exclude it"),
            );
        } else {
            let data = open(&place)?;
            let is_of_root = below.len() == 1;
            if litter::is_private_key(&data)? {
                notes.push(format!("{shown} is a private key and was left out"));
            } else if is_of_root && PREFIX_FILES.contains(&shown.to_ascii_lowercase().as_str()) {
                let prefix = read_prefix(&data.bytes()?, &mut contents.properties);
                contents.prefix = contents.prefix.or(prefix);
            } else {
                let name = Label(below.join(&b'\\').into());
                contents.found.push((shown, name, data));
            }
        }
    }
    notes.extend(litter::note(left));
    if contents.found.is_empty() {
        let why = if excluded > 0 {
            format!(": --exclude leaves out all {excluded}")
        } else {
            String::new()
        };
        notes.push(format!("the archive has no files{why}"));
    }
    Ok(contents)
}

/// The parts before and after the files, for the variant. `prefix` and `properties` are those of
/// the folder.
fn frame(
    options: &Options,
    prefix: Option<String>,
    mut properties: Vec<(String, String)>,
    notes: &mut Vec<String>,
) -> Result<(Option<Start>, Trailer)> {
    let (prefixes, given): (Vec<_>, Vec<_>) = options
        .properties
        .iter()
        .partition(|(key, _)| key.eq_ignore_ascii_case("prefix"));
    let given_prefix = match (&options.prefix, prefixes.as_slice()) {
        (prefix, []) => prefix.clone(),
        (None, [(_, prefix)]) => Some(prefix.clone()),
        _ => {
            return Err(
                Error::say("an archive has one prefix, but several are given")
                    .hint("leave one of them out"),
            );
        }
    };
    let refuse = |what: &str, which: &str| {
        Err(Error::say(format!("{which} archives have no {what}"))
            .hint("leave it out, or choose another variant"))
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    let trailer = match options.variant {
        Variant::Ofp | Variant::Resistance if given_prefix.is_some() => {
            return refuse("prefix", "Operation Flashpoint");
        }
        Variant::Ofp if !options.properties.is_empty() => {
            return refuse("properties", "Operation Flashpoint");
        }
        Variant::Elite if !options.compress.is_empty() => {
            return refuse("packed files: the game cannot read them", "Elite");
        }
        Variant::Ofp => Trailer::None,
        Variant::Resistance => {
            pairs.push(("product".to_owned(), "OFP: Resistance".to_owned()));
            Trailer::None
        }
        Variant::Elite => {
            notes.push(
                "what the last four bytes of an Elite archive mean is not known: they are zero"
                    .to_owned(),
            );
            Trailer::Raw(Bytes::from_static(&[0; 5]))
        }
        Variant::Arma => Trailer::Sha1 {
            sum: None,
            behind: Bytes::new(),
        },
    };
    let prefix = given_prefix
        .or(prefix)
        .map(|p| p.trim_matches(['\\', '/']).replace('/', "\\"));
    match (options.variant, prefix.filter(|p| !p.is_empty())) {
        (Variant::Elite | Variant::Arma, Some(prefix)) => pairs.push(("prefix".to_owned(), prefix)),
        (Variant::Ofp | Variant::Resistance, Some(prefix)) => {
            notes.push(format!(
                "the prefix {prefix} of the folder was left out: these archives have none"
            ));
        }
        (_, None) => {}
    }
    for (key, value) in given {
        properties.retain(|(k, _)| k != key);
        properties.push((key.clone(), value.clone()));
    }
    pairs.extend(properties);
    let label = |text: String| Label(text.into_bytes().into());
    let properties = pairs
        .into_iter()
        .map(|(key, value)| (label(key), label(value)))
        .collect();
    let start = (options.variant != Variant::Ofp).then_some(Start {
        numbers: [0; 4],
        properties,
    });
    Ok((start, trailer))
}

fn any(patterns: &[Pattern], shown: &str) -> bool {
    patterns.iter().any(|pattern| (pattern.matches)(shown))
}

/// True for a file that the source of an addon or of a mission has at its root: a prefix file or a
/// config.
pub fn is_mark(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PREFIX_FILES.contains(&name.as_str())
        || matches!(name.as_str(), "config.cpp" | "config.bin" | "mission.sqm")
}

/// True for the name of a file with the prefix of an addon.
pub fn is_prefix_file(name: &str) -> bool {
    PREFIX_FILES.contains(&name.to_ascii_lowercase().as_str())
}

/// The prefix that the text of a prefix file has.
pub fn prefix_in(text: &[u8]) -> Option<String> {
    read_prefix(text, &mut Vec::new())
}

/// The prefix in a `$PBOPREFIX$`: a bare line, or `prefix=…`; other `key=value` lines are
/// properties, `//` begins a comment.
fn read_prefix(text: &[u8], properties: &mut Vec<(String, String)>) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let mut prefix = None;
    for line in text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with("//"))
    {
        match line
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
        {
            Some((key, value)) if key.eq_ignore_ascii_case("prefix") => {
                prefix = Some(value.to_owned())
            }
            Some((key, value)) if !key.is_empty() => {
                properties.push((key.to_owned(), value.to_owned()))
            }
            _ => prefix = prefix.or_else(|| Some(line.to_owned())),
        }
    }
    prefix
}
