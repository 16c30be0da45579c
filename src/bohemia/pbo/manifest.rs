//! The tree: the files below `files/`, and a manifest with everything that they do not contain
//! (FORMAT.md).

use super::{
    CPRS, Content, Ending, Entry, Label, Pbo, Start, Trailer, litter,
    lzss::{self, Packer},
    paths::{self, FILES},
    tex_headers::{self, TexHeaders},
};
use crate::{
    paa::{
        TextureExtras,
        member::{self as texture, Texture},
        suffixes,
    },
    rap::{ConfigExtras, member},
};
use bytes::Bytes;
use refit_base::{
    Sum,
    contract::Followed,
    par,
    tree::{Blob, Document, Pictures, TreeReader, TreeWriter, UniquePaths, fold, proof},
    wire::{Error, Hex, HexBytes, Raw, Refused, Result, Scalar, UnixTime},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

refit_base::manifest! {
    /// The manifest of an archive. The files are below `files/`; sizes, offsets and hashes follow
    /// from them.
    pub(crate) struct PboManifest, "pbo" {
        /// The virtual path of the archive's files: its first property. (A prefix that is not the
        /// first one is in `properties`.)
        prefix?: Label,
        /// The properties after the prefix: key and value, in order. Without prefix and properties
        /// there is no start entry; an empty list is a start entry without properties.
        properties?: Vec<Property>,
        /// The numbers of the start entry, if they are not zero.
        start_numbers?: [Hex<u32>; 4],
        /// The numbers of the end entry, if they are not zero.
        end_numbers?: [Hex<u32>; 5],
        /// The end of the archive; if absent, a zero byte and the SHA-1 of everything before it.
        trailer!: TrailerDoc,
        /// Bytes after the SHA-1.
        behind_trailer?: Stored,
        /// What separates folders in the names of this archive.
        separator!: Separator,
        /// The original size of stored files in this archive.
        original!: SizeSpelling,
        /// How repack treats files below `files/` without a line in `entries`, and lines whose file
        /// is gone.
        unlisted!: Unlisted,
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
    /// A zero byte and a wrong SHA-1, kept until something is edited.
    WrongSha1 {
        /// The hash in the file.
        stored: Raw<20>,
        /// The hash that the unedited archive should have.
        instead_of: Raw<20>,
    },
}

/// Bytes in the manifest or in a separate file.
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
    /// `\`, as the games expect.
    #[default]
    Backslash,
    /// `/`, as a few tools write it.
    Slash,
}

impl Separator {
    /// The name of the texture that a picture becomes if its own name ends as Bohemia's converter
    /// expects it: `_co`, `_nohq`.
    fn texture_of(self, path: &str) -> Option<Label> {
        let (stem, end) = path.rsplit_once('.')?;
        let is_picture = ["png", "jpg", "jpeg"]
            .iter()
            .any(|picture| end.eq_ignore_ascii_case(picture));
        (is_picture && suffixes::of(path).is_some()).then(|| self.name(format!("{stem}.paa")))
    }

    /// The name for a path below `files/`.
    fn name(self, path: impl Into<String>) -> Label {
        let mut name = path.into().into_bytes();
        if self == Separator::Backslash {
            name.iter_mut()
                .filter(|b| **b == b'/')
                .for_each(|b| *b = b'\\');
        }
        Label(name.into())
    }
}

/// The original size of a stored file: both forms are common.
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

/// How repack treats files below `files/` that the manifest does not name, and lines whose file is
/// gone.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unlisted {
    /// The folder is the content: new files are added, stored and without a time, in order if the
    /// archive is sorted and otherwise at the end; missing files are removed.
    #[default]
    Add,
    /// The archive is not written, so nothing is lost or added by mistake.
    Refuse,
    /// New files are left out; a line whose file is gone is an error.
    Ignore,
}

/// The original size of one entry: a rule, or a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OriginalSize {
    /// By the rule.
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

refit_base::text_form!(OriginalSize: "\"same\", \"zero\" or a number of 32 bits", |value| match value {
    Scalar::Text("same") => Ok(OriginalSize::Rule(SizeSpelling::Same)),
    Scalar::Text("zero") => Ok(OriginalSize::Rule(SizeSpelling::Zero)),
    Scalar::Unsigned(n) => u32::try_from(n).map(OriginalSize::Number).map_err(|_| Refused::Value),
    Scalar::Text(_) => Err(Refused::Value),
    _ => Err(Refused::Type),
});

refit_base::schema_form!(OriginalSize: "Original", |_| schemars::json_schema!({
    "anyOf": [{ "enum": ["same", "zero"] }, { "type": "integer", "minimum": 0, "maximum": u32::MAX }]
}));

refit_base::open_enum! {
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

refit_base::record! {
    /// One file of an archive.
    #[derive(Default)]
    pub struct EntryDoc {
        /// The file below `files/`. Its path, with the archive's separator, is the name in the
        /// archive.
        file: Box<str>,
        /// The name in the archive, if it does not follow from `file`.
        name?: Label,
        /// The file is packed in the archive (`Cprs`), by this packer.
        packed?: Packer,
        /// The packed bytes of the unedited file, if no known packer produces them.
        kept?: Box<PackedBytes>,
        /// The file is the text of a binary config; this is what the text does not express.
        config?: Box<ConfigExtras>,
        /// The file is the picture of a texture; this is what the picture does not express.
        texture?: Box<TextureExtras>,
        /// The file is a document with the list of textures, `texHeaders.bin`.
        tex_headers!: bool,
        /// The packing method of a payload that is neither stored nor packed. The file contains it
        /// unchanged.
        method?: Method,
        /// The original size in the entry table, if it does not follow the archive's rule.
        original?: OriginalSize,
        /// The reserved number.
        reserved!: u32,
        /// The time stamp; absent for none.
        time!: UnixTime,
    }
}

/// Packed bytes that no known packer produces.
#[derive(Clone, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Kept")]
pub struct PackedBytes {
    /// The file in the tree with these bytes.
    data: String,
    /// The checksum of the unpacked file that they belong to. An edited file is packed again.
    #[serde(alias = "sha256")]
    sum: Sum,
}

/// The folder of the original textures of edited pictures.
const TEXTURES: &str = "textures";
/// Maximum length of a trailer in the manifest.
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
    let has = |separator: u8| {
        pbo.entries
            .iter()
            .filter(|entry| entry.name.0.contains(&separator))
            .count()
    };
    let separator = if has(b'/') > has(b'\\') {
        Separator::Slash
    } else {
        Separator::Backslash
    };
    let stored = || {
        pbo.entries
            .iter()
            .filter(|entry| entry.method == 0 && !entry.data.is_empty())
    };
    let zeros = stored().filter(|entry| entry.original == 0).count();
    let same = stored()
        .filter(|entry| u64::from(entry.original) == entry.data.len())
        .count();
    let original = if zeros > same {
        SizeSpelling::Zero
    } else {
        SizeSpelling::Same
    };
    let mut paths = UniquePaths::default();
    let line = |entry: &Entry| {
        stored_doc(
            entry,
            paths::assign(&mut paths, &entry.name),
            separator,
            original,
        )
    };
    let mut lines: Vec<EntryDoc> = pbo.entries.iter().map(line).collect();
    let others = other_paths(pbo, &mut paths, &tree.ext());
    drop(paths);

    let packers = par::try_times(pbo.entries.len(), |i| {
        Some(Ok::<_, Error>((i, pbo.entries.get(i)?.packers()?)))
    })?;
    let packers: HashMap<usize, Vec<Packer>> = packers.into_iter().collect();
    let unpacking = Unpacking {
        pbo,
        tree,
        usual: lzss::usual(packers.values()),
    };
    let unpack = |i| {
        let (entry, line) = pbo.entries.get(i).zip(lines.get(i))?;
        let packers = packers.get(&i).map(Vec::as_slice).unwrap_or_default();
        let other = others.get(&i).map(Option::as_deref);
        let paths = EntryPaths {
            file: &line.file,
            other: other.unwrap_or(Some(&line.file)),
        };
        let unpacked = unpacking
            .entry(i, entry, paths, packers)
            .map_err(|e| e.within(entry.name.show()));
        // Most entries need no line, and an archive may have a million entries.
        let is_plain =
            |done: &UnpackedEntry| done.packed.is_none() && matches!(done.form, MemberForm::Plain);
        unpacked
            .map(|done| (!is_plain(&done)).then_some((i, done)))
            .transpose()
    };
    // The trailer hashes the whole archive: in parallel with the files.
    let (unpacked, trailer) = rayon::join(
        || par::try_times(pbo.entries.len(), unpack),
        || pbo.trailer(),
    );
    for (i, UnpackedEntry { packed, form }) in unpacked? {
        let Some((line, entry)) = lines.get_mut(i).zip(pbo.entries.get(i)) else {
            continue;
        };
        if let Some((packer, kept)) = packed {
            (line.method, line.original, line.packed, line.kept) =
                (None, None, Some(packer), kept.map(Box::new));
        }
        match form {
            MemberForm::Plain => continue,
            MemberForm::Config(extras) => line.config = Some(extras),
            MemberForm::Texture(extras) => line.texture = Some(extras),
            MemberForm::TexHeaders => line.tex_headers = true,
        }
        if let Some(Some(file)) = others.get(&i) {
            line.file = file.as_str().into();
            line.name = (separator.name(file.as_str()) != entry.name).then(|| entry.name.clone());
        }
    }

    let (trailer, behind) = match trailer? {
        Trailer::None => (TrailerDoc::None, None),
        Trailer::Sha1 { sum, behind } => {
            // The rest of the archive is compared with it, so it is proved, too.
            tree.proved(
                SUM,
                Bytes::from(sum.map_or_else(Vec::new, Vec::from)).into(),
            );
            let behind = if behind.is_empty() {
                None
            } else {
                Some(store(tree, "behind_trailer.bin", behind)?)
            };
            (TrailerDoc::Sha1, behind)
        }
        Trailer::Wrong { stored, instead_of } => (
            TrailerDoc::WrongSha1 {
                stored: Raw(*stored),
                instead_of: Raw(*instead_of),
            },
            None,
        ),
        Trailer::Raw(bytes) => match store(tree, "trailer.bin", bytes)? {
            Stored::Bytes(bytes) => (TrailerDoc::Bytes(bytes), None),
            Stored::File(path) => (TrailerDoc::File(path), None),
        },
    };
    let mut properties = pbo.start.as_ref().map(|s| s.properties.as_slice());
    let mut prefix = None;
    if let Some([(key, value), rest @ ..]) = properties
        && *key.0 == *b"prefix"
    {
        prefix = Some(value.clone());
        properties = (!rest.is_empty()).then_some(rest);
    }
    let properties = properties.map(|pairs| {
        pairs
            .iter()
            .map(|(k, v)| Property(k.clone(), v.clone()))
            .collect()
    });
    let start_numbers = pbo
        .start
        .as_ref()
        .map(|s| s.numbers)
        .filter(|n| *n != [0; 4])
        .map(|n| n.map(Hex));
    let end_numbers = (pbo.end != [0; 5]).then(|| pbo.end.map(Hex));
    tree.manifest(PboManifest::new(
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
        lines,
    ))
}

/// In a proof, the SHA-1 of everything before the trailer, which was computed from the bytes that
/// the proof compares with.
const SUM: &str = "trailer";

/// In a proof, the payload that a packer makes of a file.
fn payload_path(packer: Packer, file: &str) -> String {
    format!("{packer:?}/{file}")
}

/// The line of a file whose payload is its content.
fn stored_doc(entry: &Entry, file: String, separator: Separator, rule: SizeSpelling) -> EntryDoc {
    let name = (separator.name(file.as_str()) != entry.name).then(|| entry.name.clone());
    let (len, number) = (entry.data.len(), u64::from(entry.original));
    let original = [None, Some(SizeSpelling::Same), Some(SizeSpelling::Zero)]
        .into_iter()
        .find(|s| s.unwrap_or(rule).number(len) == number)
        .map_or(Some(OriginalSize::Number(entry.original)), |s| {
            s.map(OriginalSize::Rule)
        });
    EntryDoc {
        file: file.into(),
        name,
        method: (entry.method != 0).then(|| Method::from_raw(entry.method)),
        original,
        reserved: entry.reserved,
        time: UnixTime(entry.time),
        ..EntryDoc::default()
    }
}

/// The paths of members that have another name in the tree: `config.cpp` for `config.bin`,
/// `hut_co.png` for `hut_co.paa`. `None` if the archive has a file with this name.
fn other_paths(
    pbo: &Pbo,
    paths: &mut UniquePaths,
    document: &str,
) -> HashMap<usize, Option<String>> {
    let other = |name: &Label| {
        let (stem, end) = name.0.split_at_checked(name.0.len().checked_sub(4)?)?;
        let other = if tex_headers::is_name(name) {
            document.as_bytes()
        } else if end.eq_ignore_ascii_case(b".bin") {
            b".cpp"
        } else if texture::is_name(&name.0) {
            b".png"
        } else {
            return None;
        };
        Some(Label([stem, other].concat().into()))
    };
    let found: Vec<(usize, Label)> = pbo
        .entries
        .iter()
        .enumerate()
        .filter_map(|(i, entry)| Some((i, other(&entry.name)?)))
        .collect();
    let wanted: HashSet<Vec<u8>> = found.iter().map(|(_, name)| name.looked_up()).collect();
    let taken: HashSet<Vec<u8>> = match wanted.is_empty() {
        true => HashSet::new(),
        false => pbo
            .entries
            .iter()
            .map(|entry| entry.name.looked_up())
            .filter(|name| wanted.contains(name))
            .collect(),
    };
    let path = |(i, name): (usize, Label)| {
        let is_free = !taken.contains(&name.looked_up());
        (i, is_free.then(|| paths::assign(paths, &name)))
    };
    found.into_iter().map(path).collect()
}

/// The path of an entry in the tree, below `files/`.
#[derive(Clone, Copy)]
struct EntryPaths<'a> {
    file: &'a str,
    /// Its path if it becomes a text or a picture; `None` if that path is taken.
    other: Option<&'a str>,
}

/// The line of an entry, without its path.
#[derive(Default)]
struct UnpackedEntry {
    /// The packer if it is packed, and its bytes if the packer would give others.
    packed: Option<(Packer, Option<PackedBytes>)>,
    form: MemberForm,
}

/// The form that a member has in the tree.
#[derive(Default)]
enum MemberForm {
    /// Its content.
    #[default]
    Plain,
    /// The text of a config, and what it does not express.
    Config(Box<ConfigExtras>),
    /// The picture of a texture, and what it does not express.
    Texture(Box<TextureExtras>),
    /// The document of a list of textures.
    TexHeaders,
}

/// Writes the entries of an archive into its tree.
struct Unpacking<'a> {
    pbo: &'a Pbo,
    tree: &'a TreeWriter<'a>,
    usual: Option<Packer>,
}

impl Unpacking<'_> {
    /// Writes one file. `packers` are those that give its packed bytes.
    fn entry(
        &self,
        index: usize,
        entry: &Entry,
        paths: EntryPaths<'_>,
        packers: &[Packer],
    ) -> Result<UnpackedEntry> {
        let tree = self.tree;
        let stream = match entry.content()? {
            Content::Packed(stream) => stream,
            Content::Opaque(data, _) => {
                tree.blob(&format!("{FILES}/{}", paths.file), &data)?;
                return Ok(UnpackedEntry::default());
            }
            Content::Stored(data) => {
                let form = self.write(entry, paths, &data, data.clone())?.1;
                return Ok(UnpackedEntry { packed: None, form });
            }
        };
        let packer = lzss::choose(packers, self.usual);
        let regular = !packers.is_empty() && lzss::is_regular(&stream);
        let content = Bytes::from(stream.content);
        let sum = (!regular).then(|| Sum::of(&content));
        // The contents of a large archive would not fit into memory together.
        let proved = entry.unpacked_on_demand();
        let (file, form) = self.write(entry, paths, &(&content).into(), proved)?;
        let kept = match sum {
            None => {
                tree.proved(&payload_path(packer, file), entry.data.clone());
                None
            }
            Some(sum) => {
                let data = format!("packed/{index:05}.lzss");
                tree.blob(&data, &entry.data)?;
                if litter::is_private_key(&(&content).into())? {
                    tree.secret(&data);
                }
                Some(PackedBytes { data, sum })
            }
        };
        Ok(UnpackedEntry {
            packed: Some((packer, kept)),
            form,
        })
    }

    /// Writes the content of an entry. Returns its path below `files/` and its form. `proved` is
    /// the content that a proof reads.
    fn write<'p>(
        &self,
        entry: &Entry,
        paths: EntryPaths<'p>,
        content: &Blob,
        proved: Blob,
    ) -> Result<(&'p str, MemberForm)> {
        if !self.tree.options.raw_members {
            let typed = self.typed(entry, paths, content, &proved)?;
            if let (Some(form), Some(file)) = (typed, paths.other) {
                return Ok((file, form));
            }
        }
        self.tree
            .part_file(&format!("{FILES}/{}", paths.file), content, proved)?;
        Ok((paths.file, MemberForm::Plain))
    }

    /// Writes a config as text, a texture as a picture, or a list of textures as a document. `None`
    /// for any other content, and if the result would not produce the same bytes.
    fn typed(
        &self,
        entry: &Entry,
        paths: EntryPaths<'_>,
        content: &Blob,
        proved: &Blob,
    ) -> Result<Option<MemberForm>> {
        let raw = |why: String| {
            self.tree.keep_raw(&entry.name.show(), why);
            Ok(None)
        };
        let no_place = |what: &str, ext: &str| {
            raw(format!(
                "a {what} has no name in the tree, because the archive has a {ext} of \
                that name"
            ))
        };
        let path = paths.other.map(|path| format!("{FILES}/{path}"));
        if member::has_config(content)? {
            let Some(path) = path else {
                return no_place("config; its text", ".cpp");
            };
            let (text, extras) = match member::member(&content.bytes()?, self.tree.judges_parts()) {
                Ok(found) => found,
                Err(e) => return raw(e.to_string()),
            };
            self.tree.config(&path, text.as_bytes(), proved.clone())?;
            return Ok(Some(MemberForm::Config(Box::new(extras))));
        }
        if tex_headers::is_name(&entry.name) {
            let Some(path) = path else {
                return no_place("list of textures; its document", "document");
            };
            return match self.tex_headers(entry, content) {
                Ok(text) => {
                    self.tree.part::<TexHeaders>(&path, text, proved.clone())?;
                    Ok(Some(MemberForm::TexHeaders))
                }
                Err(e) => raw(e.to_string()),
            };
        }
        if self.tree.options.pictures == Pictures::Never {
            return Ok(None);
        }
        match Texture::read(content, &entry.name.show()) {
            Ok(None) => Ok(None),
            Ok(Some(_)) if path.is_none() => no_place("texture; its picture", ".png"),
            Ok(Some(texture)) => {
                let Some(path) = path else { return Ok(None) };
                match texture.picture(self.tree.options.small_png, self.tree.judges_parts()) {
                    Ok(png) => self
                        .texture((paths, &path), &texture, png, content, proved)
                        .map(Some),
                    Err(e) => raw(e.to_string()),
                }
            }
            Err(e) => raw(e.to_string()),
        }
    }

    /// Writes the picture of a texture, and the texture itself.
    fn texture(
        &self,
        (paths, path): (EntryPaths<'_>, &str),
        texture: &Texture,
        png: Vec<u8>,
        content: &Blob,
        proved: &Blob,
    ) -> Result<MemberForm> {
        let tree = self.tree;
        let png = Bytes::from(png);
        let picture = match tree.options.pictures {
            Pictures::OnDemand if texture.has_type() => {
                Blob::made(proved.clone(), png.len() as u64, texture::picture_again)
            }
            _ => Blob::Memory(png.clone()),
        };
        tree.part_file(path, &picture, proved.clone())?;
        let data = format!("{TEXTURES}/{}", paths.file);
        tree.part_file(&data, content, proved.clone())?;
        Ok(MemberForm::Texture(Box::new(TextureExtras {
            data: Some(data),
            sum: Some(Sum::of(&png)),
        })))
    }

    /// The document of a list of textures. An error if it does not give the list again.
    fn tex_headers(&self, entry: &Entry, content: &Blob) -> Result<String> {
        let bytes = content.bytes()?;
        let list = TexHeaders::of(self.pbo, &entry.name, &bytes)?;
        proof::same(&list.file(self.pbo, &entry.name)?.0, &bytes)?;
        let style = self.tree.style();
        let text = list.to_text(style)?;
        if self.tree.judges_parts() && TexHeaders::from_text(&text, style)? != list {
            return Err(proof::other_bytes());
        }
        Ok(text)
    }
}

/// Updates the lines of a manifest to the files in the folder: adds lines for new files, and
/// removes those of missing files. Returns both, and notes for the user.
fn follow(tree: &TreeReader<'_>, doc: &mut PboManifest) -> Result<(Vec<Followed>, Vec<String>)> {
    if doc.unlisted == Unlisted::Ignore {
        return Ok(Default::default());
    }
    let prefix = format!("{FILES}/");
    let named: HashSet<&str> = doc.entries.iter().map(|line| &*line.file).collect();
    let below = tree.below(FILES)?;
    let unnamed = below
        .iter()
        .filter_map(|path| path.strip_prefix(&prefix))
        .filter(|file| !named.contains(file) && !litter::is_of_system(file));
    let unnamed: Vec<String> = unnamed.map(str::to_owned).collect();
    drop(below);
    let listed = if unnamed.is_empty() {
        HashSet::new()
    } else {
        doc.entries.iter().map(|line| fold(&line.file)).collect()
    };
    let (mut found, mut left) = (Vec::new(), Vec::new());
    // Files that are listed but for the case of their letters: the last of several.
    let mut alike: BTreeMap<String, String> = BTreeMap::new();
    for file in unnamed {
        match fold(&file) {
            folded if listed.contains(&folded) => _ = alike.insert(folded, file),
            _ if litter::is_of_tool(&file) => left.push(file),
            _ if litter::is_private_key(&tree.blob(&format!("{prefix}{file}"))?)? => {
                left.push(file)
            }
            _ => found.push(file),
        }
    }
    let mut notes: Vec<String> = litter::note(left).into_iter().collect();
    if doc.unlisted == Unlisted::Refuse || tree.strict() {
        let Some(first) = found.first() else {
            return Ok((Vec::new(), notes));
        };
        let more = match found.len() {
            1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        return Err(Error::say(format!("no entry of the manifest names it{more}"))
        .in_file(format!("{prefix}{first}"))
        .hint(format!(
            "add {{ \"file\": {first:?} }} to its entries, or let the archive follow the folder: without --strict, and \
            with \"unlisted\": \"add\""
        )));
    }
    let separator = doc.separator;
    let key = |line: &EntryDoc| {
        line.name
            .clone()
            .unwrap_or_else(|| separator.name(&*line.file))
            .folded()
    };
    let mut followed = Vec::new();
    doc.entries.retain_mut(|line| {
        // A path out of the folder is an error when it is read, not a file that is gone.
        let inside = !line.file.contains('\\')
            && line
                .file
                .split('/')
                .all(|part| !matches!(part, "" | "." | ".."));
        if !inside || tree.has(&format!("{prefix}{}", line.file)) {
            return true;
        }
        followed.push(Followed::Removed(line.file.to_string()));
        // Only the case of its letters was changed: it is the same file, and keeps its place in the
        // archive.
        let Some(file) = alike.remove(&fold(&line.file)) else {
            return false;
        };
        followed.push(Followed::Added(file.clone()));
        line.file = file.into();
        true
    });
    let mut twins: Vec<String> = alike.into_values().collect();
    twins.sort();
    let twin = |file: &String| {
        format!("{prefix}{file}: not packed, because the manifest spells this name in another case")
    };
    notes.extend(twins.iter().map(twin));
    if !found.is_empty() {
        found.sort_by_cached_key(|file| separator.name(file.as_str()).folded());
        followed.extend(found.iter().cloned().map(Followed::Added));
        let sorted = doc.entries.is_sorted_by_key(&key);
        let becomes = |file: String| match separator.texture_of(&file) {
            // The game has no use for a picture, and another one of this archive is a texture, too.
            Some(name) if !listed.contains(&fold(&name.show())) => {
                notes.push(format!(
                    "{prefix}{file}: becomes the texture {}",
                    name.show()
                ));
                EntryDoc {
                    file: file.into(),
                    name: Some(name),
                    texture: Some(Box::new(TextureExtras::default())),
                    ..EntryDoc::default()
                }
            }
            _ => EntryDoc {
                file: file.into(),
                ..EntryDoc::default()
            },
        };
        let found: Vec<EntryDoc> = found.into_iter().map(becomes).collect();
        let found = found.into_iter();
        let mut found = found.map(|line| (key(&line), line)).peekable();
        let mut lines = Vec::with_capacity(doc.entries.len());
        for line in std::mem::take(&mut doc.entries) {
            // In a sorted archive new files have their place, in another they are the last.
            if sorted {
                let behind = key(&line);
                lines.extend(
                    std::iter::from_fn(|| found.next_if(|(key, _)| *key < behind))
                        .map(|(_, new)| new),
                );
            }
            lines.push(line);
        }
        lines.extend(found.map(|(_, new)| new));
        doc.entries = lines;
    }
    Ok((followed, notes))
}

/// Reads the tree of an archive.
pub(super) fn assemble(tree: &TreeReader<'_>) -> Result<Pbo> {
    let mut doc: PboManifest = tree.manifest()?;
    // A proof reads a tree that was written a moment ago.
    let (followed, mut notes) = if tree.is_proof() {
        Default::default()
    } else {
        follow(tree, &mut doc)?
    };
    let separator = doc.separator;
    let noted = Mutex::new(BTreeMap::new());
    let payloads = par::try_map(&doc.entries, |i, line| {
        let (content, notes) = content(tree, line, separator)?;
        if !notes.is_empty() {
            noted
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(i, notes);
        }
        payload(tree, line, doc.original, content)
    })?;
    notes.extend(
        noted
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .into_values()
            .flatten(),
    );
    let lists: Vec<EntryDoc> = match tree.is_proof() {
        true => Vec::new(),
        false => doc
            .entries
            .iter()
            .filter(|line| line.tex_headers)
            .cloned()
            .collect(),
    };
    let entry = |(line, (method, original, data)): (EntryDoc, _)| {
        let name = line.name.unwrap_or_else(|| separator.name(line.file));
        Entry {
            name,
            method,
            original,
            reserved: line.reserved,
            time: line.time.0,
            data,
        }
    };
    let entries = doc.entries.into_iter().zip(payloads).map(entry).collect();

    let mut start = None;
    if doc.prefix.is_some() || doc.properties.is_some() || doc.start_numbers.is_some() {
        let mut properties: Vec<(Label, Label)> = doc
            .prefix
            .into_iter()
            .map(|prefix| ("prefix".into(), prefix))
            .collect();
        properties.extend(
            doc.properties
                .into_iter()
                .flatten()
                .map(|Property(key, value)| (key, value)),
        );
        start = Some(Start {
            numbers: doc.start_numbers.map_or([0; 4], |n| n.map(|n| n.0)),
            properties,
        });
    }
    let stored = |stored: Stored| match stored {
        Stored::Bytes(bytes) => Ok(bytes.0.into()),
        Stored::File(path) => tree.file(&path),
    };
    if doc.behind_trailer.is_some() && doc.trailer != TrailerDoc::Sha1 {
        return Err(
            Error::say("behind_trailer is only valid with a SHA-1 trailer").in_file("refit"),
        );
    }
    let trailer = match doc.trailer {
        TrailerDoc::Sha1 => {
            let sum = tree.part(
                SUM,
                |sum| Ok(sum.bytes()?.first_chunk().copied()),
                || Ok(None),
            )?;
            Trailer::Sha1 {
                sum,
                behind: doc
                    .behind_trailer
                    .map(stored)
                    .transpose()?
                    .unwrap_or_default(),
            }
        }
        TrailerDoc::None => Trailer::None,
        TrailerDoc::Bytes(bytes) => Trailer::Raw(bytes.0.into()),
        TrailerDoc::File(path) => Trailer::Raw(tree.file(&path)?),
        TrailerDoc::WrongSha1 { stored, instead_of } => Trailer::Wrong {
            stored: stored.0,
            instead_of: instead_of.0,
        },
    };
    let end = doc.end_numbers.map_or([0; 5], |n| n.map(|n| n.0));
    let mut pbo = Pbo {
        entries,
        ending: Ending::Stored(trailer),
        followed,
        notes,
        ..Pbo::new(start, end)
    };
    for line in lists {
        put_list(tree, &mut pbo, line, doc.original, separator)?;
    }
    Ok(pbo)
}

/// The file below `files/` for each name of the archive.
pub(super) fn places(tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
    let doc: PboManifest = tree.manifest()?;
    let place = |line: EntryDoc| {
        let path = format!("{FILES}/{}", line.file);
        (
            line.name
                .unwrap_or_else(|| doc.separator.name(line.file))
                .show()
                .into_owned(),
            path,
        )
    };
    Ok(doc.entries.into_iter().map(place).collect())
}

/// Makes the list of textures of a tree, `texHeaders.bin`, which follows from the textures of the
/// archive.
fn put_list(
    tree: &TreeReader<'_>,
    pbo: &mut Pbo,
    line: EntryDoc,
    rule: SizeSpelling,
    separator: Separator,
) -> Result<()> {
    let path = format!("{FILES}/{}", line.file);
    let name = line
        .name
        .clone()
        .unwrap_or_else(|| separator.name(&*line.file));
    let list: TexHeaders = tree.doc(&path)?;
    let (file, missing) = list.file(pbo, &name).map_err(|e| e.in_file(path.clone()))?;
    let missing = missing
        .into_iter()
        .map(|texture| format!("{path}: {texture} is not in the archive: left out"));
    pbo.notes.extend(missing);
    let (_, original, data) = payload(tree, &line, rule, Blob::Memory(file))?;
    if let Some(entry) = pbo.entries.iter_mut().find(|entry| entry.name == name) {
        (entry.original, entry.data) = (original, data);
    }
    Ok(())
}

/// The content of a line's file as the archive stores it, and notes for the user. The content of a
/// list of textures is built last.
fn content(
    tree: &TreeReader<'_>,
    line: &EntryDoc,
    separator: Separator,
) -> Result<(Blob, Vec<String>)> {
    let path = format!("{FILES}/{}", line.file);
    let excluded = [
        line.config.is_some(),
        line.texture.is_some(),
        line.tex_headers,
    ];
    if excluded.iter().filter(|is| **is).count() > 1 {
        return Err(
            Error::say("`config`, `texture` and `tex_headers` exclude each other").in_file(path),
        );
    }
    if tree.is_proof() {
        return Ok((tree.blob(&path)?, Vec::new()));
    }
    if let Some(extras) = &line.config {
        let compiled = extras
            .compile(tree.text(&path)?)
            .map_err(|e| e.in_file(path))?;
        return Ok((Blob::Memory(compiled.into()), Vec::new()));
    }
    if let Some(extras) = &line.texture {
        let name = line
            .name
            .clone()
            .unwrap_or_else(|| separator.name(&*line.file));
        return extras.assemble(tree, &path, &name.show());
    }
    Ok((
        if line.tex_headers {
            Blob::default()
        } else {
            tree.blob(&path)?
        },
        Vec::new(),
    ))
}

/// The method of an entry, its original size, and its payload.
fn payload(
    tree: &TreeReader<'_>,
    line: &EntryDoc,
    rule: SizeSpelling,
    content: Blob,
) -> Result<(u32, u32, Blob)> {
    let path = format!("{FILES}/{}", line.file);
    let fit = |len: u64| {
        u32::try_from(len)
            .map_err(|_| Error::say("a file in an archive has at most 4 GiB").in_file(path.clone()))
    };
    match (line.packed, line.method) {
        (Some(_), Some(_)) => {
            Err(Error::say("`packed` and `method` exclude each other").in_file(path))
        }
        (None, _) if line.kept.is_some() => {
            Err(Error::say("`kept` is only valid beside `packed`").in_file(path))
        }
        (Some(packer), None) => {
            let original = fit(content.len())?;
            let data = match &line.kept {
                None if tree.is_proof() => tree.blob(&payload_path(packer, &line.file))?,
                kept => packed(tree, kept.as_deref(), packer, &content.bytes()?)?,
            };
            Ok((CPRS, original, data))
        }
        (None, method) => {
            let original = match line.original.unwrap_or(OriginalSize::Rule(rule)) {
                OriginalSize::Rule(rule) => fit(rule.number(content.len()))?,
                OriginalSize::Number(n) => n,
            };
            Ok((method.map_or(0, Method::raw), original, content))
        }
    }
}

/// Packs content, or reuses the archive's packed bytes for the same content.
fn packed(
    tree: &TreeReader<'_>,
    kept: Option<&PackedBytes>,
    packer: Packer,
    content: &[u8],
) -> Result<Blob> {
    match kept.filter(|kept| kept.sum.fits(content)) {
        Some(kept) => tree.blob(&kept.data),
        None => Ok(Blob::Memory(lzss::pack(packer, content).into())),
    }
}
