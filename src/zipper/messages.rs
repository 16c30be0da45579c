//! Message DLLs: `messages.dll` (Recoil), `Mech3Msg.dll` (MechWarrior 3, Pirate's Moon),
//! `Strings.dll` (Crimson Skies), and DLLs with only string resources (FORMAT.md).
//!
//! The tree consists of the original image (`base.dll`) and one `messages.json` for each table of
//! texts. Packing decodes the image again and compares: without a difference the result is the
//! original image, byte for byte. Otherwise only the changed resources are rebuilt, and the image
//! around them is adjusted.
//!
//! Decisions where the reference is silent: a DLL whose texts share a resource type but not a
//! language has a document for each language; a new string block is possible (copies of the
//! directories go after the data); the language of a table can be changed if its resources have one
//! language; code pages beyond the reference's list follow Windows; edited strings must be in the
//! language's code page, in which Crimson Skies shows them, unless the tree says
//! `"code_page": 1200`; resource data outside their sections and a string longer than its block are
//! errors, a string block that ends between two strings is not.

mod blank;
mod dll;
mod doc;
mod edit;
mod explain;
mod fresh;
mod image;
mod judge;
mod pages;
mod po;
mod rebuild;

pub use dll::{Dll, MessageKey, TableKind, TextEntry, TextTable};
pub use doc::{Base, Message, Texts};
pub(crate) use doc::{MessagesManifest, TableFile};
pub use pages::{Language, Page};
pub(crate) use rebuild::MadeRoom;

use bytes::Bytes;
use refit_base::{
    contract::{
        Codec, Context, Detection, Export, Family, Info, Member, Members, Model, Stage, Suspect,
        Verdict, schema,
    },
    format::Format,
    game::Game,
    lint::Lints,
    naming::{NameKind, Rule},
    sha256,
    tree::{
        Blob, ByteSink, Form, Sink, TreeReader, TreeWriter, UniquePaths, plain::PlainFolder, text,
    },
    wire::{Error, Result, Trace, UnixTime, utf8, value_at},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// The format, lint codes and schemas of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Messages],
    recognise: &[(Stage::Signature, recognise)],
    codes: judge::CODES,
    schemas: || {
        vec![
            schema::<MessagesManifest>(),
            schema::<Texts>(),
            schema::<Message>(),
        ]
    },
};

/// A message DLL, original or with other texts.
pub struct MessagesFile {
    /// The original image.
    base: Bytes,
    /// Its parts.
    dll: Dll,
    /// The texts of its tables, if they come from a tree or were edited.
    texts: Option<Vec<Texts>>,
    /// The changes that the texts make in the image.
    changes: rebuild::Changes,
    /// Notes on the edit, for the user.
    notes: Vec<String>,
    /// The documents of the tables, for errors.
    files: Vec<String>,
    /// For each table, the line in its PO file of each text that came from there.
    translated: Vec<HashMap<usize, usize>>,
    game: Option<Game>,
}

/// The codec of [`MessagesFile`].
pub struct MessagesCodec;

/// The game of a message DLL, if the content shows it. Returns an error if the file is not a
/// message DLL.
fn game_of(file: &[u8]) -> Result<Option<Game>> {
    Ok(Dll::read(file)?.game(file).0)
}

/// Recognises a message DLL by its resources, or by the file name that a game looks for.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word(0).is_none_or(|word| word & 0xffff != 0x5a4d) {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    if !pe(file) {
        return Verdict::No;
    }
    match game_of(file) {
        Ok(game) => Verdict::Is(Detection::new(
            Format::Messages,
            game,
            "a Windows DLL (PE)",
            true,
        )),
        // The game reads a file of this name, so one without messages is damaged rather than
        // foreign.
        Err(_) if is_messages(suspect.name()) => Verdict::Is(Detection::new(
            Format::Messages,
            None,
            "a Windows DLL (PE), and the name",
            false,
        )),
        Err(e) => Verdict::Refused(
            e.context("a Windows program without messages, so there is nothing to unpack"),
        ),
    }
}

fn pe(file: &[u8]) -> bool {
    value_at::<u32>(file, 60).is_some_and(|at| {
        file.get(at as usize..)
            .is_some_and(|rest| rest.starts_with(b"PE\0\0"))
    })
}

/// The file names that the games look for.
fn is_messages(name: &str) -> bool {
    matches!(
        &*name.to_ascii_lowercase(),
        "messages.dll" | "mech3msg.dll" | "strings.dll" | "langui.dll" | "language.dll"
    )
}

/// Which fields are names. A text without a key is identified by its number.
const NAMES: &[Rule] = &[
    Rule::defines("messages", "messages[].key", NameKind::Message),
    Rule::defines("messages", "messages[].keys[]", NameKind::Message),
    Rule::defines("messages", "messages[].id", NameKind::Message),
];

impl Codec for MessagesCodec {
    type Model = MessagesFile;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<MessagesFile> {
        fresh::messages(folder)
    }

    fn names(&self) -> &'static [Rule] {
        NAMES
    }
    fn read(&self, file: &Blob, context: &Context) -> Result<MessagesFile> {
        let file = file.bytes()?;
        let dll = Dll::read(&file)?;
        // Only lints need the game, so the user's choice takes precedence over the guess from the
        // link time.
        let game = context.game.or(dll.game(&file).0);
        Ok(MessagesFile::new(file, dll, game))
    }

    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        let file = file.bytes()?;
        explain::explain(&file, &Dll::read(&file)?, trace);
        Ok(())
    }

    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        let manifest: MessagesManifest = tree.manifest()?;
        Ok(manifest
            .tables
            .into_iter()
            .map(|table| (table.file.clone(), table.file))
            .collect())
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<MessagesFile> {
        let manifest: MessagesManifest = tree.manifest()?;
        let base = tree.file(&manifest.base.file)?;
        let place = |e: Error| e.in_file(manifest.base.file.clone());
        if manifest
            .base
            .sha256
            .as_ref()
            .is_some_and(|sum| !sum.eq_ignore_ascii_case(&sha256(&base)))
        {
            let why =
                "this is not the DLL that was unpacked: its SHA-256 differs from the manifest's";
            return Err(place(Error::say(why)).hint(
                "put the original back; or, to use the texts with this DLL, delete the \"sha256\" line from \"base\" \
                in the manifest",
            ));
        }
        let dll = Dll::read(&base).map_err(place)?;
        if dll.tables.len() != manifest.tables.len() {
            let (found, listed) = (dll.tables.len(), manifest.tables.len());
            return Err(place(Error::say(format!(
                "it has {found} tables of texts, the manifest lists {listed}"
            ))));
        }
        let game = manifest.game;
        let files: Vec<String> = manifest.tables.into_iter().map(|t| t.file).collect();
        let mut texts = files
            .iter()
            .map(|file| tree.doc::<Texts>(file))
            .collect::<Result<Vec<Texts>>>()?;
        let mut translated = Vec::new();
        for ((texts, table), file) in texts.iter_mut().zip(&dll.tables).zip(&files) {
            let name = po::beside(file);
            let lines = match tree.has(&name) {
                true => po::take_in(&tree.text(&name)?, texts, table.kind)
                    .map_err(|e| e.in_file(name))?,
                false => HashMap::new(),
            };
            translated.push(lines);
        }
        let mut model = MessagesFile {
            files,
            translated,
            ..MessagesFile::new(base, dll, game)
        };
        model.set(texts)?;
        Ok(model)
    }
}

impl MessagesFile {
    fn new(base: Bytes, dll: Dll, game: Option<Game>) -> Self {
        MessagesFile {
            base,
            dll,
            texts: None,
            changes: Default::default(),
            notes: Vec::new(),
            files: Vec::new(),
            translated: Vec::new(),
            game,
        }
    }

    /// Replaces the texts. Returns an error for what cannot be written.
    fn set(&mut self, texts: Vec<Texts>) -> Result<()> {
        let mut changes = rebuild::Changes::default();
        for (i, (table, texts)) in self.dll.tables.iter().zip(&texts).enumerate() {
            edit::plan(&self.base, &self.dll, table, texts, &mut changes)
                .map_err(|e| self.in_table(i, e))?;
        }
        self.notes.clear();
        if !changes.is_empty() && self.dll.image.directory(image::CERTIFICATE).is_some() {
            self.notes
                .push("the DLL is signed, and changed texts invalidate its signature".to_owned());
        }
        self.changes = changes;
        self.texts = Some(texts);
        Ok(())
    }

    /// The game, if the content shows it.
    pub fn game(&self) -> Option<Game> {
        self.game
    }

    /// The file with its new texts, and how room was made; `None` if nothing changed.
    pub(crate) fn rebuilt(&self) -> Result<Option<(Vec<u8>, MadeRoom)>> {
        let Some(texts) = self.texts.as_ref().filter(|_| !self.changes.is_empty()) else {
            return Ok(None);
        };
        let (file, room) = rebuild::rebuild(
            &self.base,
            &self.dll.image,
            &self.dll.resources,
            &self.changes,
        )?;
        self.prove(&file, texts)?;
        Ok(Some((file, room)))
    }

    /// Decodes a rebuilt image: it must have the texts of the tree.
    fn prove(&self, file: &[u8], texts: &[Texts]) -> Result<()> {
        let bug = |what: String| {
            Error::say(format!("the rebuilt DLL is wrong: {what}"))
                .hint("this is a bug in refit, please report it")
        };
        let dll = Dll::read(file).map_err(|e| bug(e.to_string()))?;
        if dll.tables.len() != texts.len() || dll.keys.len() != self.dll.keys.len() {
            return Err(bug(format!(
                "{} tables and {} keys",
                dll.tables.len(),
                dll.keys.len()
            )));
        }
        // A new block can be the first one of the file and move its language's strings to the
        // front. Strings are found by their language, which no two tables share.
        let mut left: Vec<&TextTable> = dll.tables.iter().collect();
        for (wanted, old) in texts.iter().zip(&self.dll.tables) {
            let is = |t: &&TextTable| {
                t.kind == old.kind
                    && (t.kind == TableKind::MessageTable
                        || t.language == wanted.language.map(|Language(number)| number))
            };
            let at = left
                .iter()
                .position(is)
                .ok_or_else(|| bug("a table is missing".to_owned()))?;
            let table = left.remove(at);
            let own = Page::new(table.page)?;
            let page = wanted.code_page.map_or(Ok(None), |n| {
                if n == 1200 {
                    Ok(None)
                } else {
                    Page::new(n).map(Some)
                }
            })?;
            let mut found: BTreeMap<(u32, u32), &TextEntry> = table
                .entries
                .iter()
                .map(|e| ((e.id, e.occurrence), e))
                .collect();
            // If the earlier of two texts with one id was deleted, the later one takes its number.
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            let mut order: Vec<&Message> = wanted.messages.iter().collect();
            order.sort_by_key(|m| (m.id, m.occurrence.unwrap_or(1)));
            for message in order {
                if table.kind == TableKind::StringTable
                    && message.encode(table.kind, &own).is_ok_and(|b| b.is_empty())
                {
                    continue;
                }
                let count = counts.entry(message.id).or_default();
                *count += 1;
                let entry = found
                    .remove(&(message.id, *count))
                    .ok_or_else(|| bug(format!("{} is not in it", message.called(table.kind))))?;
                let stored = doc::stored(file, table.kind, entry);
                let same = Message {
                    occurrence: message.occurrence,
                    ..Message::read(file, table, entry, &own)
                }
                .says_the_same(message)
                    || message
                        .encode(table.kind, page.as_ref().unwrap_or(&own))
                        .is_ok_and(|bytes| bytes == stored)
                    || self.still_says(message, table.kind, stored);
                if !same {
                    return Err(bug(format!(
                        "{} has another text",
                        message.called(table.kind)
                    )));
                }
            }
            if let Some(((id, _), _)) = found.first_key_value() {
                return Err(bug(format!("text {id} is in it")));
            }
        }
        Ok(())
    }

    /// True if an unedited text still has its original bytes, whichever code page the tree names
    /// now.
    fn still_says(&self, message: &Message, kind: TableKind, stored: &[u8]) -> bool {
        self.dll
            .tables
            .iter()
            .filter(|t| t.kind == kind)
            .any(|table| {
                Page::new(table.page).is_ok_and(|page| {
                    message
                        .encode(kind, &page)
                        .is_ok_and(|bytes| bytes == stored)
                })
            })
    }

    /// Adds the file to an error of a table: the one that the user edited.
    fn in_table(&self, i: usize, e: Error) -> Error {
        let Some(file) = self.files.get(i) else {
            return e;
        };
        let number = |step: &str| {
            step.strip_prefix("messages[")?
                .strip_suffix(']')?
                .parse()
                .ok()
        };
        let message: Option<usize> = e.steps().find_map(number);
        match message.and_then(|message| self.translated.get(i)?.get(&message).copied()) {
            Some(line) => e.in_file(po::beside(file)).placed(line, 1),
            None => e.in_file(file.clone()),
        }
    }

    /// Judges the texts of this file against the tables of the file that they came from.
    fn judge_texts(&self, before: &MessagesFile, texts: &[Texts], lints: &mut Lints) {
        let stems = self.stems();
        for (i, (table, texts)) in before.dll.tables.iter().zip(texts).enumerate() {
            let stem = || stems.get(i).map(|stem| format!("{stem}.json"));
            let file = self.files.get(i).cloned().or_else(stem).unwrap_or_default();
            let line =
                |message: usize| self.translated.get(i).and_then(|lines| lines.get(&message));
            let place = |message: Option<usize>| match (message, message.and_then(line)) {
                (_, Some(line)) => format!("{}:{line}", po::beside(&file)),
                (Some(message), None) => format!("{file}.messages[{message}]"),
                (None, None) => file.clone(),
            };
            judge::judge_edits(
                &before.base,
                &before.dll,
                (table, texts),
                self.game,
                &place,
                lints,
            );
        }
    }

    fn texts(&self) -> Result<Cow<'_, [Texts]>> {
        if let Some(texts) = &self.texts {
            return Ok(Cow::Borrowed(texts));
        }
        let all = self
            .dll
            .tables
            .iter()
            .map(|table| doc::texts_of(&self.base, &self.dll, table));
        all.collect::<Result<Vec<Texts>>>().map(Cow::Owned)
    }

    /// The position of a member: table and message.
    fn find(texts: &[Texts], index: usize) -> Result<(usize, usize)> {
        let mut all = texts
            .iter()
            .enumerate()
            .flat_map(|(t, table)| (0..table.messages.len()).map(move |m| (t, m)));
        all.nth(index)
            .ok_or_else(|| Error::say(format!("there is no text number {index}")))
    }

    fn page(&self, t: usize, texts: &Texts) -> Result<Page> {
        let own = self.dll.tables.get(t).map_or(1252, |t| t.page);
        Page::new(texts.code_page.filter(|n| *n != 1200).unwrap_or(own))
    }

    fn kind(&self, t: usize) -> TableKind {
        self.dll
            .tables
            .get(t)
            .map_or(TableKind::MessageTable, |t| t.kind)
    }

    /// The paths of the tables' documents, without extension.
    fn stems(&self) -> Vec<String> {
        let mut names = UniquePaths::new();
        names.assign("base.dll", "");
        let mut one = |(i, table): (usize, &TextTable)| {
            let first = i == 0;
            let kind = if first || table.kind == TableKind::MessageTable {
                "messages"
            } else {
                "strings"
            };
            let name = self
                .resource_name(table)
                .filter(|_| !first)
                .map(|name| format!("-{name}"));
            let language = table
                .language
                .filter(|_| !first)
                .map(|number| format!("-{}", Language(number)));
            let stem = [
                kind,
                name.as_deref().unwrap_or_default(),
                language.as_deref().unwrap_or_default(),
            ]
            .concat();
            // The name of a resource can contain anything, including separators.
            let path = names.assign(&stem.replace(['/', '\\'], "_"), ".json");
            path.strip_suffix(".json").unwrap_or(&path).to_owned()
        };
        self.dll.tables.iter().enumerate().map(&mut one).collect()
    }

    /// The name of a message table, unless it is the usual 1.
    fn resource_name(&self, table: &TextTable) -> Option<String> {
        let name = table
            .name
            .filter(|name| table.kind == TableKind::MessageTable && name.number() != Some(1))?;
        Some(name.show(&self.base))
    }
}

impl Model for MessagesFile {
    fn game(&self) -> Option<Game> {
        self.game
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        let rebuilt = self.rebuilt()?;
        out.put(rebuilt.as_ref().map_or(&self.base, |(file, _)| file))
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let mut tables = Vec::new();
        for ((table, texts), stem) in self
            .dll
            .tables
            .iter()
            .zip(self.texts()?.iter())
            .zip(self.stems())
        {
            let file = tree.doc(&stem, texts)?;
            tables.push(TableFile {
                file,
                kind: table.kind,
                resource: self.resource_name(table),
            });
        }
        tree.file("base.dll", &self.base)?;
        let base = Base {
            file: "base.dll".into(),
            sha256: Some(sha256(&self.base)),
        };
        let mut head = tree.head.clone();
        head.game = head.game.or(self.game);
        tree.manifest(MessagesManifest::new(head, base, tables))
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn lint(&self, lints: &mut Lints) {
        judge::judge(&self.base, &self.dll, self.game, lints);
        if let Some(texts) = &self.texts {
            self.judge_texts(self, texts, lints);
        }
    }

    fn lint_edit(&self, before: &MessagesFile, lints: &mut Lints) {
        // With texts of a tree, the file has been judged against its original already.
        let same = |(a, b): (&TextTable, &TextTable)| (a.kind, a.language) == (b.kind, b.language);
        let tables = self.dll.tables.iter().zip(&before.dll.tables);
        let is_alike =
            self.dll.tables.len() == before.dll.tables.len() && tables.into_iter().all(same);
        if self.texts.is_none()
            && is_alike
            && let Ok(texts) = self.texts()
        {
            self.judge_texts(before, &texts, lints);
        }
    }

    fn info(&self) -> Info {
        let (file, dll) = (&self.base, &self.dll);
        let mut out: Info = vec![("recognised by", dll.game(file).1.into())];
        let texts: usize = dll.tables.iter().map(|t| t.entries.len()).sum();
        out.push(("texts", texts.into()));
        let show = |t: &TextTable| {
            let name = || t.name.map_or_else(|| "1".to_owned(), |n| n.show(file));
            let strings = t.kind == TableKind::StringTable;
            let kind = if strings {
                "strings".to_owned()
            } else {
                format!("message table {}", name())
            };
            let language = t
                .language
                .map_or_else(|| "no language".to_owned(), |l| Language(l).to_string());
            let (texts, blocks) = (t.entries.len(), t.blocks.len());
            format!(
                "{kind}, {language}, code page {}, {texts} texts in {blocks} blocks",
                t.page
            )
        };
        out.push((
            "tables",
            dll.tables.iter().map(show).collect::<Vec<String>>().into(),
        ));
        out.push(("keys", dll.keys.len().into()));
        out.push((
            "keys without a text",
            doc::keys_without_text(file, dll).len().into(),
        ));
        let keyless = dll
            .tables
            .iter()
            .flat_map(|t| &t.entries)
            .filter(|e| dll.keys_of(e.id).next().is_none())
            .count();
        out.push(("texts without a key", keyless.into()));
        let others = dll
            .resources
            .leaves
            .iter()
            .filter(|l| !matches!(l.kind(), Some(image::MESSAGE_TABLE | image::STRING)));
        out.push(("other resources", others.count().into()));
        let sections = dll.image.sections.iter();
        let sections: Vec<String> = sections
            .map(|s| {
                format!(
                    "{} {:#x} bytes at {:#x}, address {:#x}",
                    s.name(),
                    s.raw_size,
                    s.raw_at,
                    s.address
                )
            })
            .collect();
        out.push(("sections", sections.into()));
        out.push(("exports", dll.exports.clone().into()));
        out.push(("linked", UnixTime(dll.image.file.time).to_string().into()));
        out.push((
            "checksum",
            dll.image.checksum_state(file).to_string().into(),
        ));
        if let Some(certificate) = dll.image.directory(image::CERTIFICATE) {
            out.push(("certificate", format!("{} bytes", certificate.size).into()));
        }
        out
    }

    refit_base::offers!(Members, Export);
}

impl Members for MessagesFile {
    fn members(&self) -> Vec<Member> {
        let Ok(texts) = self.texts() else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for (t, texts) in texts.iter().enumerate() {
            let page = self.page(t, texts).ok();
            for message in &texts.messages {
                let bytes = page
                    .as_ref()
                    .and_then(|page| message.encode(self.kind(t), page).ok());
                let bytes = bytes.map_or(0, |b| b.len() as u64);
                let name = message
                    .first_key()
                    .map_or_else(|| message.id.to_string(), ToString::to_string);
                let preview: String = message
                    .text
                    .as_deref()
                    .unwrap_or("(not text)")
                    .chars()
                    .take(60)
                    .collect();
                let kind = if self.kind(t) == TableKind::MessageTable {
                    "message"
                } else {
                    "string"
                };
                out.push(Member {
                    name,
                    bytes,
                    kind: kind.into(),
                    detail: format!("{}: {:?}", message.id, preview),
                });
            }
        }
        out
    }

    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let texts = self.texts()?;
        let (t, m) = Self::find(&texts, index)?;
        let found = texts
            .get(t)
            .and_then(|table| Some((table, table.messages.get(m)?)));
        let (table, message) = found.ok_or_else(|| Error::say("there is no such text"))?;
        match form {
            Form::Document(style) => text::to_text(message, style).map(Bytes::from),
            Form::Stored => message
                .encode(self.kind(t), &self.page(t, table)?)
                .map(Bytes::from),
        }
    }

    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let mut all = self.texts()?.into_owned();
        let (t, m) = Self::find(&all, index)?;
        let kind = self.kind(t);
        let found = all
            .get_mut(t)
            .map(|table| (self.page(t, table), table.messages.get_mut(m)));
        let Some((page, Some(slot))) = found else {
            return Err(Error::say("there is no such text"));
        };
        let page = page?;
        let new = match form {
            Form::Document(style) => text::from_text::<Message>(utf8(bytes)?, style)?,
            Form::Stored => slot.with_stored(bytes, kind, &page)?,
        };
        if new.id != slot.id || new.occurrence != slot.occurrence {
            return Err(Error::say(format!(
                "this is {}, not {}",
                new.called(kind),
                slot.called(kind)
            )));
        }
        *slot = new;
        self.set(all)?;
        // If the image cannot take the text, report the error now.
        self.rebuilt().map(|_| ())
    }

    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        fresh::add(self, name, bytes, form)
    }

    fn alias(&self, name: &str) -> Option<usize> {
        let texts = self.texts().ok()?;
        let id = name.parse::<u32>().ok();
        let is = |m: &Message| Some(m.id) == id || m.keys.iter().any(|key| key.text() == name);
        let mut found = texts
            .iter()
            .flat_map(|t| &t.messages)
            .enumerate()
            .filter(|(_, m)| is(m));
        // Texts with the same id can only be addressed by index.
        found
            .next()
            .map(|(i, _)| i)
            .filter(|_| found.next().is_none())
    }
}

impl Export for MessagesFile {
    fn export(&self, out: &dyn Sink) -> Result<Vec<String>> {
        let texts = self.texts()?;
        let mut written = Vec::new();
        for ((table, texts), stem) in self.dll.tables.iter().zip(texts.iter()).zip(self.stems()) {
            let (po, csv) = (format!("{stem}.po"), format!("{stem}.csv"));
            out.put(&po, po::po(table, texts).as_bytes())?;
            out.put(&csv, po::csv(texts).as_bytes())?;
            written.push(format!(
                "{po}: {} texts for translation tools; beside {stem}.json, repack uses its translations",
                texts.messages.len()
            ));
            written.push(format!("{csv}: {} texts as a table", texts.messages.len()));
        }
        Ok(written)
    }
}

refit_base::tables! {
    image::FileHeader, image::OptionalHeader, image::Directory, image::Section, image::ResourceDirectory,
    image::DataEntry, dll::BlockRow
}
