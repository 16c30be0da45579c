//! The tree: files as they are below `files/`, and in the manifest what they do not say (FORMAT.md).

use super::{
    CPRS, Content, Ending, Entries, Entry, Label, Pbo, Start, Trailer, litter,
    lzss::{self, Packer},
    paths::{FILES, Paths},
    table::{Builder, GROUP},
};
use crate::{
    formats::Followed,
    par,
    tree::{Blob, ByRow, Later, Rows, SomeRows, TreeReader, TreeWriter, fold},
    wire::{Error, Hex, HexBytes, Raw, Result, UnixTime, is_zero},
};
use bytes::Bytes;
use schemars::JsonSchema;
#[cfg(feature = "schemas")]
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
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
        original: SizeSpelling,
        /// What becomes of files below `files/` that have no line in `entries`, and of lines whose file is gone.
        #[serde(default, skip_serializing_if = "is_default")]
        unlisted: Unlisted,
        /// The files of the archive, in order.
        entries: Vec<EntryDoc>,
    }
}

impl Rows for PboManifest {
    type Row = EntryDoc;
    const LIST: &'static str = "entries";
    fn rows(&mut self) -> &mut Vec<EntryDoc> {
        &mut self.entries
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
    /// The bytes themselves, in hexadecimal.
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
#[schemars(rename = "Spelling")]
pub enum SizeSpelling {
    /// Its size.
    #[default]
    Same,
    /// Zero.
    Zero,
}

impl SizeSpelling {
    fn number(self, len: u64) -> u64 {
        match self {
            SizeSpelling::Same => len,
            SizeSpelling::Zero => 0,
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
pub enum OriginalSize {
    /// As the rule says.
    Rule(SizeSpelling),
    /// This number, which nothing explains.
    Number(u32),
}

impl Serialize for OriginalSize {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            OriginalSize::Rule(SizeSpelling::Same) => s.serialize_str("same"),
            OriginalSize::Rule(SizeSpelling::Zero) => s.serialize_str("zero"),
            OriginalSize::Number(n) => s.serialize_u32(*n),
        }
    }
}

impl<'de> Deserialize<'de> for OriginalSize {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = OriginalSize;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"same\", \"zero\" or a number of 32 bits")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<OriginalSize, E> {
                match v {
                    "same" => Ok(OriginalSize::Rule(SizeSpelling::Same)),
                    "zero" => Ok(OriginalSize::Rule(SizeSpelling::Zero)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(v), &self)),
                }
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<OriginalSize, E> {
                u32::try_from(v).map(OriginalSize::Number).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(v), &self))
            }
        }
        d.deserialize_any(V)
    }
}

#[cfg(feature = "schemas")]
impl JsonSchema for OriginalSize {
    fn schema_name() -> std::borrow::Cow<'static, str> {
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
    kept: Option<PackedBytes>,
    /// The packing method of a payload that is neither stored nor packed. The file holds it as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<Method>,
    /// The original size in the entry table, where it is not the archive's rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    original: Option<OriginalSize>,
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
#[schemars(rename = "Kept")]
pub struct PackedBytes {
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
    let (mut backslashes, mut slashes, mut zeros, mut same) = (0, 0, 0, 0);
    let mut paths = Paths::new();
    let mut others = BTreeMap::new();
    for (i, entry) in pbo.entries.iter().enumerate() {
        let entry = entry?;
        let has = |separator: u8| usize::from(entry.name.0.contains(&separator));
        backslashes += has(b'\\');
        slashes += has(b'/');
        if entry.method == 0 && !entry.data.is_empty() {
            zeros += usize::from(entry.original == 0);
            same += usize::from(u64::from(entry.original) == entry.data.len());
        }
        let path = paths.assign(&entry.name);
        if plain_path(&entry.name).as_ref() != Some(&path) {
            others.insert(i, path.into_boxed_str());
        }
    }
    drop(paths);
    let separator = if slashes > backslashes { Separator::Slash } else { Separator::Backslash };
    let original = if zeros > same { SizeSpelling::Zero } else { SizeSpelling::Same };
    let paths = FilePaths(others);

    let packers = |i, entry: Entry| Ok(if entry.method == CPRS { entry.packers().map(|packers| (i, packers)) } else { None });
    let found: BTreeMap<usize, Vec<Packer>> = pbo.entries.par_each(packers)?.into_iter().collect();
    let usual = lzss::usual(found.values());
    let rules = Rules { separator, original, usual };
    let unpack = |i, entry: Entry| {
        let packers = found.get(&i).map(Vec::as_slice).unwrap_or_default();
        let file = paths.of(i, &entry.name);
        let doc = unpack_entry(tree, i, &entry, file, packers, rules).map_err(|e| e.within(entry.name.show()))?;
        // Only packed files are remembered: the document of a stored file can be made again from its entry at any time.
        Ok((entry.method == CPRS).then_some((i, doc)))
    };
    // The trailer hashes the whole archive: beside the work on the files, not after it.
    let (packed, trailer) = rayon::join(|| pbo.entries.par_each(unpack), || pbo.trailer());
    let packed: BTreeMap<usize, EntryDoc> = packed?.into_iter().collect();
    let proved = packed.iter().filter(|(_, doc)| doc.packed.is_some() && doc.kept.is_none());
    let packers = proved.filter_map(|(i, _)| Some((*i, found.get(i)?.clone()))).collect();

    let (trailer, behind) = match trailer? {
        Trailer::None => (TrailerDoc::None, None),
        Trailer::Sha1 { sum, behind } => {
            // What the rest of the archive is compared with says it, too.
            tree.proved(SUM, Bytes::from(sum.map_or_else(Vec::new, Vec::from)).into());
            let behind = if behind.is_empty() { None } else { Some(store(tree, "behind_trailer.bin", behind)?) };
            (TrailerDoc::Sha1, behind)
        }
        Trailer::Wrong { stored, instead_of } => (TrailerDoc::WrongSha1 { stored: Raw(*stored), instead_of: Raw(*instead_of) }, None),
        Trailer::Raw(bytes) => match store(tree, "trailer.bin", bytes)? {
            Stored::Bytes(bytes) => (TrailerDoc::Bytes(bytes), None),
            Stored::File(path) => (TrailerDoc::File(path), None),
        },
    };
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
    let manifest = PboManifest::new(
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
        Vec::new(),
    );
    let made = Arc::new(UnpackedTo { entries: InOrder::new(pbo.entries.clone()), paths, packed, packers, rules });
    let same = Arc::clone(&made);
    tree.rows(manifest, pbo.entries.len(), move |i| same.row(i), Box::new(move |i, path| made.part(i, path)))
}

/// The paths below [`FILES`] that were given to the files of an archive.
#[derive(Default)]
struct FilePaths(
    /// Where they are not [`plain_path`].
    BTreeMap<usize, Box<str>>,
);

impl FilePaths {
    fn of(&self, index: usize, name: &Label) -> String {
        self.0.get(&index).map_or_else(|| plain_path(name).unwrap_or_default(), |path| path.to_string())
    }
}

/// The path that a name says, safe or not.
fn plain_path(name: &Label) -> Option<String> {
    name.plain().map(|name| name.replace('\\', "/"))
}

/// The entries of an archive for those who ask for one after the other, in several threads near to each other.
struct InOrder {
    entries: Entries,
    /// Groups of entries that were read last, each at the place that its number says: the position of its first entry, and all of them.
    /// More than the rows that are worked on at a time have, or their threads would read the same ones over and over.
    groups: [Mutex<(usize, Vec<Entry>)>; GROUPS],
}

/// Groups of entries that are remembered.
const GROUPS: usize = 16;

impl InOrder {
    fn new(entries: Entries) -> Self {
        InOrder { entries, groups: Default::default() }
    }

    fn get(&self, index: usize) -> Result<Option<Entry>> {
        let Some(place) = self.groups.get(index / GROUP % GROUPS) else { return self.entries.get(index) };
        let mut group = place.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |group: &(usize, Vec<Entry>)| index.checked_sub(group.0).and_then(|i| group.1.get(i)).cloned();
        if let Some(entry) = known(&group) {
            return Ok(Some(entry));
        }
        *group = self.entries.together_with(index)?;
        Ok(known(&group))
    }
}

/// What an archive was unpacked to.
struct UnpackedTo {
    entries: InOrder,
    paths: FilePaths,
    /// The rows of files that are marked as packed.
    packed: BTreeMap<usize, EntryDoc>,
    /// Of those that are spelled regularly the packers that choose as theirs did: each gives the payload.
    packers: BTreeMap<usize, Vec<Packer>>,
    rules: Rules,
}

/// In a proof, the SHA-1 of everything before the trailer, which was computed from the bytes that the proof compares with.
const SUM: &str = "trailer";

/// In a proof, the payload that a packer makes of a file.
fn payload_path(packer: Packer, file: &str) -> String {
    format!("{packer:?}/{file}")
}

impl UnpackedTo {
    fn row(&self, index: usize) -> Result<EntryDoc> {
        if let Some(doc) = self.packed.get(&index) {
            return Ok(doc.clone());
        }
        let entry = self.entries.get(index)?.ok_or_else(|| Error::say(format!("internal error: no entry {index}")))?;
        Ok(stored_doc(&entry, self.paths.of(index, &entry.name), self.rules))
    }

    /// The content of the file that the row at `index` names, if that is `path`, or its payload, if that is its [`payload_path`].
    fn part(&self, index: usize, path: &str) -> Option<Blob> {
        let entry = self.entries.get(index).ok()??;
        let file = self.paths.of(index, &entry.name);
        if self.packers.get(&index).is_some_and(|packers| packers.iter().any(|packer| path == payload_path(*packer, &file))) {
            return Some(entry.data);
        }
        if path.strip_prefix(FILES)?.strip_prefix('/')? != file {
            return None;
        }
        // The contents of a large archive would not fit into memory together.
        let again = |packed: &Blob, len: u64| Ok(lzss::unpack(packed, u32::try_from(len).unwrap_or(u32::MAX))??.content.into());
        let packed = self.packed.get(&index).is_some_and(|doc| doc.packed.is_some());
        Some(if packed { Blob::made(entry.data, entry.original.into(), again) } else { entry.data })
    }
}

/// What an archive's entries have in common.
#[derive(Clone, Copy)]
struct Rules {
    separator: Separator,
    original: SizeSpelling,
    usual: Option<Packer>,
}

/// The row of a file whose payload stands as it is.
fn stored_doc(entry: &Entry, file: String, rules: Rules) -> EntryDoc {
    let name = (rules.separator.name(&file) != entry.name).then(|| entry.name.clone());
    let (len, number) = (entry.data.len(), u64::from(entry.original));
    let original = [None, Some(SizeSpelling::Same), Some(SizeSpelling::Zero)]
        .into_iter()
        .find(|s| s.unwrap_or(rules.original).number(len) == number)
        .map_or(Some(OriginalSize::Number(entry.original)), |s| s.map(OriginalSize::Rule));
    EntryDoc {
        file,
        name,
        packed: None,
        kept: None,
        method: (entry.method != 0).then(|| Method::from_raw(entry.method)),
        original,
        reserved: entry.reserved,
        time: UnixTime(entry.time),
    }
}

/// Writes one file. `packers` are those that give its packed bytes.
fn unpack_entry(tree: &TreeWriter<'_>, index: usize, entry: &Entry, file: String, packers: &[Packer], rules: Rules) -> Result<EntryDoc> {
    let path = format!("{FILES}/{file}");
    let mut doc = stored_doc(entry, file, rules);
    match entry.content()? {
        Content::Packed(stream) => {
            doc.method = None;
            doc.original = None;
            doc.packed = Some(lzss::choose(packers, rules.usual));
            let regular = !packers.is_empty() && lzss::is_regular(&stream, &entry.data)?;
            let content = stream.content;
            if !regular {
                let data = format!("packed/{index:05}.lzss");
                tree.blob(&data, &entry.data)?;
                doc.kept = Some(PackedBytes { data, sha256: crate::sha256(&content) });
            }
            tree.part_file(&path, &Bytes::from(content).into(), None)?;
        }
        Content::Stored(data) | Content::Opaque(data, _) => tree.part_file(&path, &data, None)?,
    }
    Ok(doc)
}

/// How the lines of a manifest follow what became of the folder.
#[derive(Default)]
struct Follow {
    /// Lines, by their position, whose file is gone.
    gone: HashSet<usize>,
    /// Lines whose file got other letters.
    renamed: BTreeMap<usize, String>,
    /// New files with the key of their place, which all lines that stand before them do not exceed; sorted.
    found: Vec<(Vec<u8>, String)>,
    /// True when the files are sorted; else new ones stand at the end.
    sorted: bool,
    followed: Vec<Followed>,
    notes: Vec<String>,
}

/// A set of texts, of which there may be hundreds of thousands: of each only a hash. It is asked when it is [sorted](Hashes::sort).
#[derive(Default)]
struct Hashes(Vec<u64>, RandomState);

impl Hashes {
    fn insert(&mut self, text: &str) {
        self.0.push(self.1.hash_one(text));
    }
    fn sort(&mut self) {
        self.0.sort_unstable();
    }
    fn has(&self, text: &str) -> bool {
        self.0.binary_search(&self.1.hash_one(text)).is_ok()
    }
}

/// Hands out the rows of a manifest with their positions.
fn each_row(mut rows: SomeRows<EntryDoc>, see: &mut dyn FnMut(usize, EntryDoc) -> Result<()>) -> Result<()> {
    let mut i = 0;
    while let Some(some) = rows() {
        for row in some? {
            see(i, row)?;
            i += 1;
        }
    }
    Ok(())
}

/// Finds out how the lines of a manifest follow the folder: new files get a line, lines whose file is gone go. Tells both, and what
/// else should be known.
fn follow(tree: &TreeReader<'_>, doc: &PboManifest) -> Result<Follow> {
    let mut follow = Follow::default();
    if doc.unlisted == Unlisted::Ignore {
        return Ok(follow);
    }
    let separator = doc.separator;
    let (mut named, mut listed) = (Hashes::default(), Hashes::default());
    each_row(tree.rows::<PboManifest>()?.1, &mut |_, row| {
        named.insert(&row.file);
        listed.insert(&fold(&row.file));
        Ok(())
    })?;
    named.sort();
    listed.sort();
    let prefix = format!("{FILES}/");
    let (mut found, mut left): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    // Files that are listed but for the case of their letters.
    let mut alike: BTreeMap<String, String> = BTreeMap::new();
    tree.each_below(FILES, &mut |path| {
        let Some(file) = path.strip_prefix(&prefix).filter(|file| !named.has(file) && !litter::is_of_system(file)) else { return };
        let file = file.to_owned();
        match fold(&file) {
            // The last of several.
            folded if listed.has(&folded) => {
                let last = alike.entry(folded).or_default();
                if *last < file {
                    *last = file;
                }
            }
            _ if litter::is_of_tool(&file) => left.push(file),
            _ => found.push(file),
        }
    })?;
    drop((named, listed));
    found.sort_unstable();
    left.sort_unstable();
    if doc.unlisted == Unlisted::Refuse || tree.strict() {
        return match found.first() {
            None => Ok(Follow { notes: litter::note(left).into_iter().collect(), ..follow }),
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
    let name = |file: &str, name: &Option<Label>| name.clone().unwrap_or_else(|| separator.name(file));
    follow.sorted = true;
    let mut last: Option<Vec<u8>> = None;
    each_row(tree.rows::<PboManifest>()?.1, &mut |i, mut row| {
        // What leads out of the folder is no file that is gone: it is refused when it is read.
        let inside = !row.file.contains('\\') && row.file.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if inside && !tree.has(&format!("{prefix}{}", row.file)) {
            follow.followed.push(Followed::Removed(row.file.clone()));
            match alike.remove(&fold(&row.file)) {
                // Only the case of its letters was changed: it is the same file, and keeps its place in the archive.
                Some(file) => {
                    follow.followed.push(Followed::Added(file.clone()));
                    follow.renamed.insert(i, file.clone());
                    row.file = file;
                }
                None => {
                    follow.gone.insert(i);
                    return Ok(());
                }
            }
        }
        let key = name(&row.file, &row.name).folded();
        follow.sorted &= last.as_ref().is_none_or(|last| *last <= key);
        last = Some(key);
        Ok(())
    })?;
    follow.notes.extend(litter::note(left));
    let mut twins: Vec<String> = alike.into_values().collect();
    twins.sort();
    let twin = |file: &String| format!("{prefix}{file}: not packed, the manifest names a file of this name in other letters");
    follow.notes.extend(twins.iter().map(twin));
    found.sort_by_cached_key(|file| name(file, &None).folded());
    follow.followed.extend(found.iter().cloned().map(Followed::Added));
    follow.found = found.into_iter().map(|file| (name(&file, &None).folded(), file)).collect();
    Ok(follow)
}

/// Reads the tree of an archive.
pub(super) fn assemble(tree: &TreeReader<'_>) -> Result<Pbo> {
    let (doc, mut rows) = tree.rows::<PboManifest>()?;
    let (separator, rule) = (doc.separator, doc.original);
    let by_row = tree.take_by_row();
    // A proof reads what was just written.
    let Follow { gone, renamed, found, sorted, followed, notes } = if by_row.is_some() {
        Follow::default()
    } else {
        let follow = follow(tree, &doc)?;
        rows = tree.rows::<PboManifest>()?.1;
        follow
    };
    let mut found = found.into_iter().peekable();
    let mut made = Assembled {
        tree,
        separator,
        rule,
        by_row,
        later: tree.later(),
        entries: Builder::default(),
        paths: FilePaths::default(),
        contents: BTreeMap::new(),
    };
    let mut at = 0;
    while let Some(some) = rows() {
        let mut lines = Vec::new();
        for mut row in some? {
            let i = at;
            at += 1;
            if gone.contains(&i) {
                continue;
            }
            if let Some(file) = renamed.get(&i) {
                row.file.clone_from(file);
            }
            if sorted && found.peek().is_some() {
                let key = row.name.clone().unwrap_or_else(|| separator.name(&row.file)).folded();
                while let Some((_, file)) = found.next_if(|(new, _)| *new < key) {
                    lines.push(EntryDoc::new(file));
                }
            }
            lines.push(row);
        }
        made.lines(&lines)?;
    }
    made.lines(&found.map(|(_, file)| EntryDoc::new(file)).collect::<Vec<_>>())?;
    let entries = made.finish();

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
        TrailerDoc::Sha1 => {
            let sum = tree.part(SUM, |sum| Ok(sum.first_chunk().copied()), || Ok(None))?;
            Trailer::Sha1 { sum, behind: doc.behind_trailer.map(stored).transpose()?.unwrap_or_default() }
        }
        TrailerDoc::None => Trailer::None,
        TrailerDoc::Bytes(bytes) => Trailer::Raw(bytes.0.into()),
        TrailerDoc::File(path) => Trailer::Raw(tree.file(&path)?),
        TrailerDoc::WrongSha1 { stored, instead_of } => Trailer::Wrong { stored: stored.0, instead_of: instead_of.0 },
    };
    let end = doc.end_numbers.map_or([0; 5], |n| n.map(|n| n.0));
    Ok(Pbo { start, entries, end, ending: Ending::Stored(trailer), followed, notes })
}

/// Which file below `files/` each name of the archive stands for.
pub(super) fn places(tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
    let (doc, rows) = tree.rows::<PboManifest>()?;
    let separator = doc.separator;
    let mut places = Vec::new();
    each_row(rows, &mut |_, entry| {
        let name = entry.name.unwrap_or_else(|| separator.name(&entry.file));
        places.push((name.show().into_owned(), format!("{FILES}/{}", entry.file)));
        Ok(())
    })?;
    Ok(places)
}

/// An archive that is being assembled, line by line.
struct Assembled<'a> {
    tree: &'a TreeReader<'a>,
    separator: Separator,
    rule: SizeSpelling,
    /// In a proof.
    by_row: Option<ByRow>,
    later: Option<Later>,
    entries: Builder,
    /// Where the files stand.
    paths: FilePaths,
    /// Contents that are not simply those of the files.
    contents: BTreeMap<usize, Blob>,
}

impl Assembled<'_> {
    fn lines(&mut self, lines: &[EntryDoc]) -> Result<()> {
        let first = self.entries.len();
        let done = par::try_map(lines, |i, line| self.entry(first + i, line))?;
        for (i, ((entry, is_file), line)) in (first..).zip(done.into_iter().zip(lines)) {
            self.entries.push(&entry)?;
            let found_again = self.by_row.is_some() || self.later.is_some();
            if !(is_file && found_again) {
                self.contents.insert(i, entry.data);
            } else if plain_path(&entry.name).as_ref() != Some(&line.file) {
                self.paths.0.insert(i, line.file.as_str().into());
            }
        }
        Ok(())
    }

    fn blob(&self, index: usize, path: &str) -> Result<Blob> {
        match &self.by_row {
            Some(find) => find(index, path).ok_or_else(|| Error::missing(path)),
            None => self.tree.blob(path),
        }
    }

    /// In a proof, what `packer` makes of the file that a row names, where that is the payload.
    fn payload(&self, index: usize, doc: &EntryDoc, packer: Packer) -> Option<Blob> {
        self.by_row.as_ref().filter(|_| doc.kept.is_none())?(index, &payload_path(packer, &doc.file))
    }

    /// What a packer makes of content, or what the archive had of the same.
    fn packed(&self, doc: &EntryDoc, packer: Packer, content: &[u8]) -> Result<Blob> {
        match doc.kept.as_ref().filter(|kept| kept.sha256.eq_ignore_ascii_case(&crate::sha256(content))) {
            Some(kept) => self.tree.blob(&kept.data),
            None => Ok(Blob::Memory(lzss::pack(packer, content).into())),
        }
    }

    /// An entry, and whether its content is that of its file.
    fn entry(&self, index: usize, doc: &EntryDoc) -> Result<(Entry, bool)> {
        let path = format!("{FILES}/{}", doc.file);
        let mut data = self.blob(index, &path)?;
        let fit = |len: u64| u32::try_from(len).map_err(|_| Error::say("a file in an archive has at most 4 GiB").in_file(path.clone()));
        let (method, original) = match (doc.packed, doc.method) {
            (Some(_), Some(_)) => {
                return Err(Error::say("`packed` and `method` exclude each other").in_file(path.clone()));
            }
            (None, _) if doc.kept.is_some() => {
                return Err(Error::say("`kept` stands only beside `packed`").in_file(path.clone()));
            }
            (Some(packer), None) => {
                let original = fit(data.len())?;
                data = match self.payload(index, doc, packer) {
                    Some(payload) => payload,
                    None => self.packed(doc, packer, &data.bytes()?)?,
                };
                (CPRS, original)
            }
            (None, method) => {
                let original = match doc.original.unwrap_or(OriginalSize::Rule(self.rule)) {
                    OriginalSize::Rule(rule) => fit(rule.number(data.len()))?,
                    OriginalSize::Number(n) => n,
                };
                (method.map_or(0, Method::raw), original)
            }
        };
        let name = doc.name.clone().unwrap_or_else(|| self.separator.name(&doc.file));
        Ok((Entry { name, method, original, reserved: doc.reserved, time: doc.time.0, data }, doc.packed.is_none()))
    }

    fn finish(self) -> Entries {
        let Assembled { by_row, later, entries, paths, contents, .. } = self;
        entries.finish(Box::new(move |i, name, len| {
            if let Some(data) = contents.get(&i) {
                return Ok(data.clone());
            }
            let path = format!("{FILES}/{}", paths.of(i, name));
            match (&by_row, &later) {
                (Some(find), _) => find(i, &path).ok_or_else(|| Error::missing(&path)),
                (None, Some(later)) => later(&path, len.into()),
                (None, None) => Err(Error::missing(&path)),
            }
        }))
    }
}
