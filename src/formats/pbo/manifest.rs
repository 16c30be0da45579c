//! The tree: files as they are below `files/`, and in the manifest what they do not say (FORMAT.md).

use super::{
    CPRS, Content, Ending, Entry, Label, Pbo, Start, Trailer, litter,
    lzss::{self, Packer},
    paths::{FILES, Paths},
};
use crate::{
    formats::Followed,
    tree::{Blob, TreeReader, TreeWriter, fold},
    wire::{Error, Hex, HexBytes, Raw, Result, UnixTime, is_zero},
};
use bytes::Bytes;
use rayon::prelude::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    fmt,
};

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

crate::manifest! {
    /// The manifest of an archive. The files are below `files/`; sizes, offsets and hashes follow from them.
    pub struct PboManifest, "pbo" {
        /// The virtual path of the archive's files: its first property. (A prefix that is not the first one stands in `properties`.)
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<Label>,
        /// The properties behind the prefix: key and value, in order. Without prefix and properties there is no start entry;
        /// an empty list is a start entry without properties.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        properties: Option<Vec<Property>>,
        /// The numbers of the start entry, where they are not zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_numbers: Option<[Hex<u32>; 4]>,
        /// The numbers of the end entry, where they are not zero.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end_numbers: Option<[Hex<u32>; 5]>,
        /// What ends the archive; when absent, a zero byte and the SHA-1 of everything before it.
        #[serde(default, skip_serializing_if = "is_default")]
        trailer: TrailerDoc,
        /// Bytes behind the SHA-1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        behind_trailer: Option<Stored>,
        /// What separates folders in the names of this archive.
        #[serde(default, skip_serializing_if = "is_default")]
        separator: Separator,
        /// What stored files of this archive have as their original size.
        #[serde(default, skip_serializing_if = "is_default")]
        original: Spelling,
        /// What becomes of files below `files/` that have no line in `entries`, and of lines whose file is gone.
        #[serde(default, skip_serializing_if = "is_default")]
        unlisted: Unlisted,
        /// The files of the archive, in order.
        entries: Vec<EntryDoc>,
    }
}

/// A property: its key and its value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Property(Label, Label);

/// What ends an archive.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrailerDoc {
    /// A zero byte and the SHA-1 of everything before it: ArmA and later.
    #[default]
    Sha1,
    /// Nothing: Operation Flashpoint and Resistance.
    None,
    /// These bytes, such as the five of Elite.
    Bytes(HexBytes),
    /// The bytes of this file in the tree.
    File(String),
    /// A zero byte and a wrong SHA-1, kept while nothing is edited.
    WrongSha1 {
        /// The hash in the file.
        stored: Raw<20>,
        /// The hash that the unedited archive should have.
        instead_of: Raw<20>,
    },
}

/// Bytes in the manifest or beside it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stored {
    /// These bytes.
    Bytes(HexBytes),
    /// The bytes of this file in the tree.
    File(String),
}

/// What separates folders in names.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Separator {
    /// `\`, as the games want it.
    #[default]
    Backslash,
    /// `/`, as a few tools write it.
    Slash,
}

impl Separator {
    /// The name that a path below `files/` says.
    fn name(self, path: &str) -> Label {
        match self {
            Separator::Backslash => Label(path.replace('/', "\\").into_bytes()),
            Separator::Slash => Label::from(path),
        }
    }
}

/// What a stored file has as its original size: both spellings are usual.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spelling {
    /// Its size.
    #[default]
    Same,
    /// Zero.
    Zero,
}

impl Spelling {
    fn number(self, len: u64) -> u64 {
        match self {
            Spelling::Same => len,
            Spelling::Zero => 0,
        }
    }
}

/// What becomes of files below `files/` that the manifest does not name, and of lines whose file is gone.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unlisted {
    /// The folder is the content: new files come into the archive, stored and without time, at their place where the archive is
    /// sorted and else at its end; what is gone leaves it.
    #[default]
    Add,
    /// The archive is not written: nothing gets lost or in by mistake.
    Refuse,
    /// New files are left out; a line whose file is gone is an error.
    Ignore,
}

/// The original size of one entry: a spelling, or a number of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Original {
    /// As the rule says.
    Rule(Spelling),
    /// This number, which nothing explains.
    Number(u32),
}

impl Serialize for Original {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Original::Rule(Spelling::Same) => s.serialize_str("same"),
            Original::Rule(Spelling::Zero) => s.serialize_str("zero"),
            Original::Number(n) => s.serialize_u32(*n),
        }
    }
}

impl<'de> Deserialize<'de> for Original {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Original;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"same\", \"zero\" or a number of 32 bits")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Original, E> {
                match v {
                    "same" => Ok(Original::Rule(Spelling::Same)),
                    "zero" => Ok(Original::Rule(Spelling::Zero)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(v), &self)),
                }
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Original, E> {
                u32::try_from(v).map(Original::Number).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(v), &self))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for Original {
    fn schema_name() -> Cow<'static, str> {
        "Original".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "enum": ["same", "zero"] }, { "type": "integer", "minimum": 0, "maximum": u32::MAX }] })
    }
}

crate::open_enum! {
    /// A packing method other than stored (FORMAT.md).
    pub enum Method: u32 {
        /// Marked as packed, but the payload does not unpack.
        Cprs = 0x4370_7273 "Cprs",
        /// The mark of the start entry on a named file.
        Vers = 0x5665_7273 "Vers",
        /// Encrypted.
        Encr = 0x456e_6372 "Encr",
        Enco = 0x456e_636f "Enco",
    }
}

/// One file of an archive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryDoc {
    /// The file below `files/`. With the archive's separator it is the name in the archive.
    file: String,
    /// The name in the archive, where `file` does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<Label>,
    /// The file is packed in the archive (`Cprs`), in the way of this packer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    packed: Option<Packer>,
    /// The packed bytes of the unedited file, where the packer would give others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<Kept>,
    /// The packing method of a payload that is neither stored nor packed. The file holds it as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<Method>,
    /// The original size in the entry table, where it is not the archive's rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    original: Option<Original>,
    /// The reserved number.
    #[serde(default, skip_serializing_if = "is_zero")]
    reserved: u32,
    /// The time stamp; absent for none.
    #[serde(default, skip_serializing_if = "is_default")]
    time: UnixTime,
}

impl EntryDoc {
    /// A stored file without time.
    fn new(file: String) -> Self {
        EntryDoc { file, name: None, packed: None, kept: None, method: None, original: None, reserved: 0, time: UnixTime::default() }
    }
}

/// Packed bytes that no known packer gives.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The file in the tree that holds them.
    data: String,
    /// SHA-256 of the unpacked file for which they stand. An edited file is packed anew.
    sha256: String,
}

/// Longest trailer that stands in the manifest.
const INLINE: usize = 64;

fn store(tree: &TreeWriter<'_>, path: &str, bytes: &Bytes) -> Result<Stored> {
    if bytes.len() <= INLINE {
        return Ok(Stored::Bytes(HexBytes(bytes.to_vec())));
    }
    tree.file(path, bytes)?;
    Ok(Stored::File(path.to_owned()))
}

/// Writes the tree of an archive.
pub(super) fn unpack(pbo: &Pbo, tree: &TreeWriter<'_>) -> Result<()> {
    let named = |separator: u8| pbo.entries.iter().filter(|e| e.name.0.contains(&separator)).count();
    let separator = if named(b'/') > named(b'\\') { Separator::Slash } else { Separator::Backslash };
    let stored = || pbo.entries.iter().filter(|e| e.method == 0 && !e.data.is_empty());
    let zeros = stored().filter(|e| e.original == 0).count();
    let same = stored().filter(|e| u64::from(e.original) == e.data.len()).count();
    let original = if zeros > same { Spelling::Zero } else { Spelling::Same };

    let found: Vec<Option<Vec<Packer>>> = pbo.entries.par_iter().map(Entry::packers).collect();
    let usual = lzss::usual(found.iter().flatten());
    let mut paths = Paths::new();
    let files: Vec<String> = pbo.entries.iter().map(|e| paths.assign(&e.name)).collect();
    drop(paths);
    let rules = Rules { separator, original, usual };
    let work: Vec<_> = pbo.entries.iter().zip(files).zip(&found).enumerate().collect();
    let entries = work.into_par_iter().map(|(i, ((entry, file), packers))| {
        unpack_entry(tree, i, entry, file, packers.as_deref().unwrap_or_default(), rules).map_err(|e| e.within(entry.name.show()))
    });
    // The trailer hashes the whole archive: beside the work on the files, not after it.
    let (entries, trailer) = rayon::join(|| entries.collect::<Result<Vec<_>>>(), || pbo.trailer());
    let entries = entries?;
    let proved = entries.iter().zip(found).filter(|(doc, _)| doc.packed.is_some() && doc.kept.is_none());
    let packers = proved.filter_map(|(doc, found)| Some((doc.file.clone(), found?))).collect();
    let mut known = Known { sum: None, packers };

    let (trailer, behind) = match trailer? {
        Trailer::None => (TrailerDoc::None, None),
        Trailer::Sha1 { sum, behind } => {
            known.sum = *sum;
            let behind = if behind.is_empty() { None } else { Some(store(tree, "behind_trailer.bin", behind)?) };
            (TrailerDoc::Sha1, behind)
        }
        Trailer::Wrong { stored, instead_of } => (TrailerDoc::WrongSha1 { stored: Raw(*stored), instead_of: Raw(*instead_of) }, None),
        Trailer::Raw(bytes) => match store(tree, "trailer.bin", bytes)? {
            Stored::Bytes(bytes) => (TrailerDoc::Bytes(bytes), None),
            Stored::File(path) => (TrailerDoc::File(path), None),
        },
    };
    tree.fact(known);
    let mut properties = pbo.start.as_ref().map(|s| s.properties.as_slice());
    let mut prefix = None;
    if let Some([(key, value), rest @ ..]) = properties
        && key.0 == b"prefix"
    {
        prefix = Some(value.clone());
        properties = (!rest.is_empty()).then_some(rest);
    }
    let properties = properties.map(|pairs| pairs.iter().map(|(k, v)| Property(k.clone(), v.clone())).collect());
    let start_numbers = pbo.start.as_ref().map(|s| s.numbers).filter(|n| *n != [0; 4]).map(|n| n.map(Hex));
    let end_numbers = (pbo.end != [0; 5]).then(|| pbo.end.map(Hex));
    tree.manifest(&PboManifest::new(
        tree.head.clone(),
        prefix,
        properties,
        start_numbers,
        end_numbers,
        trailer,
        behind,
        separator,
        original,
        Unlisted::default(),
        entries,
    ))
}

/// What an archive's entries have in common.
#[derive(Clone, Copy)]
struct Rules {
    separator: Separator,
    original: Spelling,
    usual: Option<Packer>,
}

/// Writes one file. `packers` are those that give its packed bytes.
fn unpack_entry(tree: &TreeWriter<'_>, index: usize, entry: &Entry, file: String, packers: &[Packer], rules: Rules) -> Result<EntryDoc> {
    let path = format!("{FILES}/{file}");
    let name = (rules.separator.name(&file) != entry.name).then(|| entry.name.clone());
    let mut doc = EntryDoc {
        file,
        name,
        packed: None,
        kept: None,
        method: None,
        original: None,
        reserved: entry.reserved,
        time: UnixTime(entry.time),
    };
    match entry.content()? {
        Content::Packed(stream) => {
            doc.packed = Some(lzss::choose(packers, rules.usual));
            let regular = !packers.is_empty() && lzss::is_regular(&stream, &entry.data.bytes()?);
            let content = stream.content;
            if !regular {
                let data = format!("packed/{index:05}.lzss");
                tree.blob(&data, &entry.data)?;
                doc.kept = Some(Kept { data, sha256: crate::sha256(&content) });
            }
            // The contents of a large archive would not fit into memory together.
            let again = |packed: &[u8], len: u64| Ok(lzss::unpack(packed, u32::try_from(len).unwrap_or(u32::MAX))?.content.into());
            tree.made(&path, &content, Blob::made(entry.data.clone(), content.len() as u64, again))?;
        }
        Content::Stored(data) | Content::Opaque(data, _) => {
            doc.method = (entry.method != 0).then(|| Method::from_raw(entry.method));
            let (len, number) = (data.len(), u64::from(entry.original));
            doc.original = [None, Some(Spelling::Same), Some(Spelling::Zero)]
                .into_iter()
                .find(|s| s.unwrap_or(rules.original).number(len) == number)
                .map_or(Some(Original::Number(entry.original)), |s| s.map(Original::Rule));
            tree.blob(&path, &data)?;
        }
    }
    Ok(doc)
}

/// What [`unpack`] computed from the very bytes with which a proof compares, and need not be computed again in it.
#[derive(Default)]
struct Known {
    /// The SHA-1 of everything before the trailer, where the trailer is that.
    sum: Option<[u8; 20]>,
    /// Of packed files that are spelled regularly: the packers that choose as theirs did, so that they give the payload.
    packers: HashMap<String, Vec<Packer>>,
}

impl Known {
    /// True when `packer` gives the payload of the file that `doc` means.
    fn gives(&self, doc: &EntryDoc, packer: Packer) -> bool {
        doc.kept.is_none() && self.packers.get(&doc.file).is_some_and(|packers| packers.contains(&packer))
    }
}

/// Lets the lines of a manifest follow what became of the folder: new files get a line, lines whose file is gone go. Tells both, and
/// what else should be known.
fn follow(tree: &TreeReader<'_>, doc: &mut PboManifest) -> Result<(Vec<Followed>, Vec<String>)> {
    if doc.unlisted == Unlisted::Ignore {
        return Ok(Default::default());
    }
    let separator = doc.separator;
    let named: HashSet<String> = doc.entries.iter().map(|e| e.file.clone()).collect();
    let listed: HashSet<String> = doc.entries.iter().map(|e| fold(&e.file)).collect();
    let prefix = format!("{FILES}/");
    let below = tree.below(FILES)?.into_iter().filter_map(|path| path.strip_prefix(&prefix).map(str::to_owned));
    let (mut found, mut left): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    // Files that are listed but for the case of their letters.
    let mut alike: HashMap<String, String> = HashMap::new();
    for file in below.filter(|file| !named.contains(file) && !litter::is_of_system(file)) {
        match fold(&file) {
            folded if listed.contains(&folded) => _ = alike.insert(folded, file),
            _ if litter::is_of_tool(&file) => left.push(file),
            _ => found.push(file),
        }
    }
    if doc.unlisted == Unlisted::Refuse || tree.strict() {
        return match found.first() {
            None => Ok((Vec::new(), litter::note(left).into_iter().collect())),
            Some(first) => {
                let more = match found.len() {
                    1 => String::new(),
                    n => format!(" (and {} more)", n - 1),
                };
                Err(Error::say(format!("no entry of the manifest names it{more}")).in_file(format!("{prefix}{first}")).hint(format!(
                    "add {{ \"file\": {first:?} }} to its entries, or let the archive follow the folder: without --strict, and with \
                     \"unlisted\": \"add\""
                )))
            }
        };
    }
    let mut followed = Vec::new();
    doc.entries.retain_mut(|entry| {
        // What leads out of the folder is no file that is gone: it is refused when it is read.
        let inside = !entry.file.contains('\\') && entry.file.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !inside || tree.has(&format!("{prefix}{}", entry.file)) {
            return true;
        }
        followed.push(Followed::Removed(entry.file.clone()));
        match alike.remove(&fold(&entry.file)) {
            // It got other letters: the file is the same one, and keeps its place.
            Some(file) => {
                followed.push(Followed::Added(file.clone()));
                entry.file = file;
                true
            }
            None => false,
        }
    });
    let mut notes: Vec<String> = litter::note(left).into_iter().collect();
    let mut twins: Vec<String> = alike.into_values().collect();
    twins.sort();
    notes.extend(twins.iter().map(|file| format!("{prefix}{file}: not packed, the manifest names a file of this name in other letters")));
    let name = |file: &str, name: &Option<Label>| name.clone().unwrap_or_else(|| separator.name(file));
    let mut keys: Vec<Vec<u8>> = doc.entries.iter().map(|entry| name(&entry.file, &entry.name).folded()).collect();
    let sorted = keys.is_sorted();
    found.sort_by_cached_key(|file| name(file, &None).folded());
    for file in found {
        let key = name(&file, &None).folded();
        let at = if sorted { keys.partition_point(|other| *other <= key) } else { keys.len() };
        followed.push(Followed::Added(file.clone()));
        keys.insert(at, key);
        doc.entries.insert(at, EntryDoc::new(file));
    }
    Ok((followed, notes))
}

/// Reads the tree of an archive.
pub(super) fn assemble(tree: &TreeReader<'_>) -> Result<Pbo> {
    let mut doc: PboManifest = tree.manifest()?;
    let known: Known = tree.fact().unwrap_or_default();
    let (followed, notes) = follow(tree, &mut doc)?;
    let entries = doc.entries.par_iter().map(|entry| assemble_entry(tree, &known, entry, doc.separator, doc.original));
    let entries = entries.collect::<Result<Vec<_>>>()?;

    let mut start = None;
    if doc.prefix.is_some() || doc.properties.is_some() || doc.start_numbers.is_some() {
        let mut properties: Vec<(Label, Label)> = doc.prefix.into_iter().map(|prefix| ("prefix".into(), prefix)).collect();
        properties.extend(doc.properties.into_iter().flatten().map(|Property(key, value)| (key, value)));
        start = Some(Start { numbers: doc.start_numbers.map_or([0; 4], |n| n.map(|n| n.0)), properties });
    }
    let stored = |stored: Stored| match stored {
        Stored::Bytes(bytes) => Ok(bytes.0.into()),
        Stored::File(path) => tree.file(&path),
    };
    if doc.behind_trailer.is_some() && doc.trailer != TrailerDoc::Sha1 {
        return Err(Error::say("behind_trailer stands only behind a trailer of SHA-1").in_file("refit"));
    }
    let trailer = match doc.trailer {
        TrailerDoc::Sha1 => Trailer::Sha1 { sum: known.sum, behind: doc.behind_trailer.map(stored).transpose()?.unwrap_or_default() },
        TrailerDoc::None => Trailer::None,
        TrailerDoc::Bytes(bytes) => Trailer::Raw(bytes.0.into()),
        TrailerDoc::File(path) => Trailer::Raw(tree.file(&path)?),
        TrailerDoc::WrongSha1 { stored, instead_of } => Trailer::Wrong { stored: stored.0, instead_of: instead_of.0 },
    };
    let end = doc.end_numbers.map_or([0; 5], |n| n.map(|n| n.0));
    Ok(Pbo { start, entries, end, ending: Ending::Said(trailer), followed, notes })
}

/// Which file below `files/` each name of the archive stands for.
pub(super) fn places(tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
    let doc: PboManifest = tree.manifest()?;
    let separator = doc.separator;
    let one = |entry: EntryDoc| {
        let name = entry.name.unwrap_or_else(|| separator.name(&entry.file));
        (name.show().into_owned(), format!("{FILES}/{}", entry.file))
    };
    Ok(doc.entries.into_iter().map(one).collect())
}

fn assemble_entry(tree: &TreeReader<'_>, known: &Known, doc: &EntryDoc, separator: Separator, rule: Spelling) -> Result<Entry> {
    let path = format!("{FILES}/{}", doc.file);
    let mut data = tree.blob(&path)?;
    let fit = |len: u64| u32::try_from(len).map_err(|_| Error::say("a file in an archive has at most 4 GiB").in_file(path.clone()));
    let (method, original) = match (doc.packed, doc.method) {
        (Some(_), Some(_)) => {
            return Err(Error::say("`packed` and `method` exclude each other").in_file(path.clone()));
        }
        (None, _) if doc.kept.is_some() => {
            return Err(Error::say("`kept` stands only beside `packed`").in_file(path.clone()));
        }
        (Some(packer), None) if known.gives(doc, packer) && data.made_of().is_some() => {
            let original = fit(data.len())?;
            data = data.made_of().cloned().unwrap_or_default();
            (CPRS, original)
        }
        (Some(packer), None) => {
            let content = data.bytes()?;
            let kept = doc.kept.as_ref().filter(|kept| kept.sha256.eq_ignore_ascii_case(&crate::sha256(&content)));
            data = match kept {
                Some(kept) => tree.blob(&kept.data)?,
                None => Blob::Memory(lzss::pack(packer, &content).into()),
            };
            (CPRS, fit(content.len() as u64)?)
        }
        (None, method) => {
            let original = match doc.original.unwrap_or(Original::Rule(rule)) {
                Original::Rule(rule) => fit(rule.number(data.len()))?,
                Original::Number(n) => n,
            };
            (method.map_or(0, Method::raw), original)
        }
    };
    let name = doc.name.clone().unwrap_or_else(|| separator.name(&doc.file));
    Ok(Entry { name, method, original, reserved: doc.reserved, time: doc.time.0, data })
}
