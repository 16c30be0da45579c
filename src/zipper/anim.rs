//! Compiled animation definitions: `anim.zbd` of Recoil, MechWarrior 3 and Pirate's Moon,
//! `cam_anim.zbd` and `mis_anim.zbd` of Crimson Skies (FORMAT.md).
//!
//! Reading a file only divides it into header, definitions and scripts, and keeps the bytes of
//! each. Definitions and scripts become documents one at a time, so a whole tree is never in
//! memory.
//!
//! Decisions where the references are silent:
//! - Definition 0 is a bare record in every game (with its reset record in RC and MW), regardless
//!   of its counts.
//! - The unused array of PM definitions is kept as two words; nothing is read for it.
//! - Messages follow the scripts in PM and CS, where no known file has any.
//! - Effects have 36 bytes in CS too, where no known file has any.
//! - A sequence with a negative size has no events, as the engine reads it.

pub mod definition;
pub mod events;
pub mod fields;
mod fresh;
pub mod header;
mod lints;
mod members;
pub mod names;
pub mod prerequisites;
pub mod references;
pub mod scripts;
pub mod sequences;
pub mod sources;
#[cfg(test)]
pub(crate) mod tests;

pub use definition::{Activation, Definition, PathNode, Pointers, Reset};
pub use fields::{Bool, FromTo, Rounding};
pub use header::{BaseFile, Header, Info as InfoBlock, Message, SourceFile};
pub use names::{Name, Ref};
pub use prerequisites::{Prerequisite, Reference, WantedAnimation, WantedObject, WantedParent};
pub use references::{StaleEntries, ZeroElements};
pub use scripts::{Frame, Linear, PoolName, Rotation, Script, Spline};
pub use sequences::{Body, Event, RawEvent, ScriptList, Sequence, SequenceState, Start};

use bytes::Bytes;
use definition::script_table;
use header::Counts;
use names::NameTable;
use refit_base::{
    contract::{
        Codec, Context, Detection, Documents, Family, Incremental, Info, ManifestLine, Model,
        Renewable, Stage, Suspect, Verdict,
    },
    format::Format,
    game::Game,
    lint::Lints,
    naming::{NameKind, Rule},
    par,
    tree::{
        Blob, ByteSink, Document, Form, Style, TreeReader, TreeWriter,
        plain::PlainFolder,
        proof::{self, RoundTrip},
    },
    wire::{
        Error, Extra, Notation, Plain, Reader, Record, Result, Role, Text, Trace, UnixTime, Within,
        Writer, fit,
    },
};
use scripts::Lengths;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

refit_base::manifest! {
    /// The manifest of an animation file: everything except definitions and scripts.
    pub(crate) struct AnimManifest, "anim" {
        /// The version, if it differs from that of the game.
        version~: u32,
        /// When the file was made (PM).
        timestamp?: UnixTime,
        /// World files (CS): each time repeats that of the world's header.
        base_files*: BaseFile,
        /// The source files that the file was compiled from.
        source_files*: SourceFile,
        /// The info block.
        info!: header::Info,
        /// Definition 0, if it is not the usual one: offset → bytes.
        definition_0!: Extra,
        /// The file has no definition at all, not even the reserved one.
        no_definition_0!: bool,
        /// The definitions' documents, in the order of the file.
        definitions: Vec<String>,
        /// The scripts' documents, in the order of the file's table (PM, CS).
        scripts*: String,
        /// Messages (RC).
        messages*: Message,
        /// A file with the trailing bytes.
        trailing?: String,
    }
}

/// The format, lint codes and schemas of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Anim],
    recognise: &[(Stage::Signature, recognise)],
    codes: lints::CODES,
    schemas: || {
        vec![
            refit_base::contract::schema::<AnimManifest>(),
            refit_base::contract::schema::<Definition>(),
            refit_base::contract::schema::<Script>(),
        ]
    },
};

/// The codec of [`Anim`].
pub struct AnimCodec;

/// An animation file.
#[derive(Clone, PartialEq)]
pub struct Anim {
    /// The game.
    pub game: Game,
    /// Everything before the definitions.
    pub header: Header,
    /// `None` if the file counts no definition at all.
    pub definition_0: Option<Bytes>,
    /// The bytes of each definition.
    pub definitions: Vec<Bytes>,
    /// The bytes of each script: its record in the table, then its data.
    pub scripts: Vec<Bytes>,
    /// Messages.
    pub messages: Vec<Message>,
    /// Bytes after everything else.
    pub trailing: Bytes,
}

/// Recognises an animation file by its signature, and its game by its version.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word(0) != Some(header::SIGNATURE) {
        return Verdict::No;
    }
    let game = Game::ALL
        .into_iter()
        .find(|game| Some(game.anim_version()) == suspect.word(4));
    Verdict::Is(Detection::new(
        Format::Anim,
        game,
        format!("signature {:#010x} and version", header::SIGNATURE),
        true,
    ))
}

/// Which fields are names. Whatever events refer to is also in the lists of their definition.
pub const NAMES: &[Rule] = &[
    Rule::defines("anim-definition", "animation_name", NameKind::Animation),
    Rule::uses("anim-definition", "name", NameKind::Node),
    Rule::uses("anim-definition", "animation_root_name", NameKind::Node),
    Rule::uses("anim-definition", "objects[]", NameKind::Node),
    Rule::uses("anim-definition", "nodes[]", NameKind::Node),
    Rule::defines("anim-definition", "lights[]", NameKind::Light),
    Rule::defines("anim-definition", "puffers[]", NameKind::Puffer),
    Rule::uses("anim-definition", "dynamic_sounds[]", NameKind::Sound),
    Rule::uses("anim-definition", "static_sounds[]", NameKind::Sound),
    Rule::uses("anim-definition", "effects[]", NameKind::Effect),
    Rule::uses(
        "anim-definition",
        "animation_references[]",
        NameKind::Animation,
    ),
    Rule::uses(
        "anim-definition",
        "*.CALL_ANIMATION.name",
        NameKind::Animation,
    ),
    Rule::uses(
        "anim-definition",
        "*.STOP_ANIMATION.name",
        NameKind::Animation,
    ),
    Rule::uses(
        "anim-definition",
        "*.RESET_ANIMATION.name",
        NameKind::Animation,
    ),
    Rule::uses(
        "anim-definition",
        "*.INVALIDATE_ANIMATION.name",
        NameKind::Animation,
    ),
    Rule::uses(
        "anim-definition",
        "prerequisites[].animation",
        NameKind::Prerequisite,
    ),
    Rule::uses(
        "anim-definition",
        "prerequisites[].object",
        NameKind::Prerequisite,
    ),
    Rule::uses(
        "anim-definition",
        "prerequisites[].parent",
        NameKind::Prerequisite,
    ),
    Rule::uses("anim-script", "object", NameKind::Node),
    Rule::defines("anim", "source_files[].path", NameKind::Source),
];

impl Codec for AnimCodec {
    type Model = Anim;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Anim> {
        fresh::anim(folder)
    }
    fn names(&self) -> &'static [Rule] {
        NAMES
    }
    fn read(&self, file: &Blob, context: &Context) -> Result<Anim> {
        Anim::read(&file.bytes()?, context.game)
    }

    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        let file = file.bytes()?;
        let mut r = Reader::new(&file, context.game.unwrap_or(Game::Mw)).traced(Some(trace));
        let (mut anim, counts) = Anim::begin(&mut r, context.game)?;
        let start = r.offset();
        let framed = anim.frame(&file, &mut r, counts);
        anim.describe(start, trace)?;
        framed
    }

    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        let manifest: AnimManifest = tree.manifest()?;
        let definitions = members::DEFINITIONS.places(manifest.definitions);
        Ok(definitions
            .chain(members::SCRIPTS.places(manifest.scripts))
            .collect())
    }

    fn line_for(&self, path: &str, _: &refit_base::tree::Head) -> Option<ManifestLine> {
        [members::DEFINITIONS, members::SCRIPTS]
            .iter()
            .find_map(|list| list.line_for(path))
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Anim> {
        Ok(assemble(tree, None)?.0)
    }

    fn assemble_edited(
        &self,
        tree: &TreeReader<'_>,
        before: &Anim,
        is_left_out: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Anim> {
        Ok(assemble(tree, Some(&LeftOut::of(before, is_left_out)))?.0)
    }

    fn assemble_to_renew(&self, tree: &TreeReader<'_>) -> Result<Renewable<Anim>> {
        let (model, parts) = assemble(tree, None)?;
        Ok(Renewable {
            model,
            renew: Some(Box::new(parts)),
        })
    }
}

/// The definitions and scripts of an unedited file whose documents a tree lacks.
struct LeftOut<'a> {
    game: Game,
    /// The names of the file's script table.
    stems: Vec<String>,
    table: Arc<NameTable>,
    /// By the paths of their documents, without extensions.
    definitions: HashMap<String, &'a Bytes>,
    scripts: HashMap<String, &'a Bytes>,
}

impl<'a> LeftOut<'a> {
    fn of(before: &'a Anim, is_left_out: &dyn Fn(&str) -> bool) -> Self {
        let those = |stems: &[String], parts: &'a [Bytes]| {
            let parts = stems.iter().cloned().zip(parts);
            parts.filter(|(stem, _)| is_left_out(stem)).collect()
        };
        let stems = before.script_stems();
        LeftOut {
            game: before.game,
            table: script_table(&stems),
            definitions: those(&before.definition_stems(), &before.definitions),
            scripts: those(&stems, &before.scripts),
            stems,
        }
    }

    /// What the document of a definition gives in a file with this script table.
    fn definition(&self, path: &str, now: &Parts) -> Option<Result<Bytes>> {
        let bytes = *self.definitions.get(part_stem(path))?;
        if now.is_same_table {
            return Some(Ok(bytes.clone()));
        }
        // A definition that its document would not give is in the tree as these bytes.
        Some(match Definition::read(bytes, self.game, &self.table) {
            Ok(doc) => doc.write(self.game, &now.table).map(Bytes::from),
            Err(_) => Ok(bytes.clone()),
        })
    }

    /// What the document of a script gives.
    fn script(&self, path: &str) -> Option<Bytes> {
        self.scripts
            .get(part_stem(path))
            .map(|bytes| Bytes::clone(bytes))
    }
}

/// The documents of a tree that each part of a file was made from.
struct Parts {
    game: Game,
    /// The file's script table, by name.
    table: Arc<NameTable>,
    /// True if it is the one of the unedited file.
    is_same_table: bool,
    /// The document of each definition, with the scripts that its events name (RC, MW), without
    /// extensions.
    definitions: Vec<(String, Vec<String>)>,
    /// The document of each script of the table (PM, CS).
    scripts: Vec<String>,
}

impl Parts {
    /// Reads a definition and the names of its scripts.
    fn definition(&self, tree: &TreeReader<'_>, path: &str) -> Result<(Bytes, Vec<String>)> {
        let mut named = Vec::new();
        let bytes = match Style::of(path) {
            None => plain(tree, path, |bytes| whole_definition(bytes, self.game)),
            Some(_) => tree
                .member(path, |mut doc: Definition| {
                    put_scripts(&mut doc, self.game, |name| {
                        named.push(stem(name));
                        tree.doc(name)
                    })?;
                    doc.write(self.game, &self.table)
                })?
                .bytes(),
        }?;
        Ok((bytes, named))
    }

    /// Reads a script of the table.
    fn script(&self, tree: &TreeReader<'_>, path: &str) -> Result<Bytes> {
        match Style::of(path) {
            None => plain(tree, path, |bytes| whole_script(bytes, self.game)),
            Some(_) => tree
                .member(path, |doc: Script| doc.to_pool(self.game))?
                .bytes(),
        }
    }
}

impl Incremental<Anim> for Parts {
    fn renew(&mut self, tree: &TreeReader<'_>, path: &str, anim: &mut Anim) -> Result<bool> {
        let edited = stem(path);
        let is_part =
            |(document, named): &(String, Vec<String>)| document == path || named.contains(&edited);
        let all = self.definitions.iter().enumerate();
        let definitions: Vec<(usize, String)> = all
            .filter(|(_, part)| is_part(part))
            .map(|(at, (document, _))| (at, document.clone()))
            .collect();
        for (at, document) in &definitions {
            let (bytes, named) = self.definition(tree, document)?;
            // Decode the bytes as they will be in the file: a definition contains its own length,
            // so the rest of the file does not matter.
            whole_definition(&bytes, self.game)
                .and_then(|()| Definition::read(&bytes, self.game, &self.table))
                .and_then(|doc| proof::same(&doc.write(self.game, &self.table)?, &bytes))
                .map_err(|e| e.in_file(document.clone()))?;
            match (anim.definitions.get_mut(*at), self.definitions.get_mut(*at)) {
                (Some(slot), Some(part)) => (*slot, part.1) = (bytes, named),
                _ => return Ok(false),
            }
        }
        let mut is_known = !definitions.is_empty();
        for (_, slot) in self
            .scripts
            .iter()
            .zip(&mut anim.scripts)
            .filter(|(script, _)| *script == path)
        {
            let bytes = self.script(tree, path)?;
            whole_script(&bytes, self.game).map_err(|e| e.in_file(path))?;
            *slot = bytes;
            is_known = true;
        }
        Ok(is_known)
    }
}

/// Reads a tree, and takes what it lacks from the unedited file.
fn assemble(tree: &TreeReader<'_>, before: Option<&LeftOut<'_>>) -> Result<(Anim, Parts)> {
    let of_sources = || {
        tree.text("refit.json")
            .and_then(|text| sources::Manifest::from_text(&text, Style::Json))
    };
    let manifest: AnimManifest = tree.manifest().map_err(|e| match of_sources() {
        Ok(_) => Error::say("a folder of definitions, not an unpacked file")
            .hint("`refit anim compile` makes a file of it"),
        Err(_) => e,
    })?;
    let game = manifest.game.ok_or_else(|| {
        Error::say("`game` is missing in the manifest").hint("one of rc, mw, pm, cs")
    })?;
    if before.is_some_and(|before| before.game != game) {
        return Err(Error::say("the unedited file is one of another game"));
    }
    let stems: Vec<String> = manifest.scripts.iter().map(|path| stem(path)).collect();
    let mut parts = Parts {
        game,
        table: script_table(&stems),
        is_same_table: before.is_some_and(|before| before.stems == stems),
        definitions: Vec::new(),
        scripts: manifest.scripts,
    };
    let definitions = par::try_map(&manifest.definitions, |_, path| {
        match before.and_then(|before| before.definition(path, &parts)) {
            Some(known) => known.map(|bytes| (bytes, Vec::new())),
            None => parts.definition(tree, path),
        }
    })?;
    let scripts = par::try_map(&parts.scripts, |_, path| {
        match before.and_then(|before| before.script(path)) {
            Some(known) => Ok(known),
            None => parts.script(tree, path),
        }
    })?;
    let (definitions, named): (Vec<Bytes>, Vec<Vec<String>>) = definitions.into_iter().unzip();
    parts.definitions = manifest.definitions.into_iter().zip(named).collect();
    let mut definition_0 = header::definition_0(game);
    manifest
        .definition_0
        .lay_over(&mut definition_0)
        .map_err(|e| e.within("definition_0"))?;
    let anim = Anim {
        game,
        header: Header {
            version: manifest.version,
            timestamp: manifest.timestamp,
            base_files: manifest.base_files,
            source_files: manifest.source_files,
            info: manifest.info,
        },
        definition_0: (!manifest.no_definition_0).then(|| definition_0.into()),
        definitions,
        scripts,
        messages: manifest.messages,
        trailing: manifest
            .trailing
            .map_or(Ok(Bytes::new()), |path| tree.file(&path))?,
    };
    Ok((anim, parts))
}

/// Reads a definition or script that the tree keeps as bytes. If the bytes did not end where their
/// own counts say, the parts that follow in the file would be misread.
fn plain(
    tree: &TreeReader<'_>,
    path: &str,
    whole: impl FnOnce(&[u8]) -> Result<()>,
) -> Result<Bytes> {
    let bytes = tree.file(path)?;
    whole(&bytes).map_err(|e| {
        e.in_file(path)
            .hint("a file that is neither .json nor .ron is taken as the bytes to be stored")
    })?;
    Ok(bytes)
}

/// Returns an error unless the bytes are exactly one definition.
fn whole_definition(bytes: &[u8], game: Game) -> Result<()> {
    let mut r = Reader::new(bytes, game);
    definition::skip(&mut r)?;
    at_end(&r)
}

/// Returns an error unless the bytes are exactly one script: a record of the table and its data.
fn whole_script(bytes: &[u8], game: Game) -> Result<()> {
    let mut r = Reader::new(bytes, game);
    let record = r.take(Script::size(game))?;
    r.take_many(Lengths::of(record, game).sum(), 1)?;
    at_end(&r)
}

fn at_end(r: &Reader<'_>) -> Result<()> {
    if r.is_empty() {
        Ok(())
    } else {
        Err(r.error(format!("{} trailing bytes after it", r.left())))
    }
}

/// A document's path without the extension of its style, as references spell it.
fn stem(path: &str) -> String {
    path.strip_suffix(".json")
        .or_else(|| path.strip_suffix(".ron"))
        .unwrap_or(path)
        .to_owned()
}

/// A part's path without the extension that it has in a tree.
fn part_stem(path: &str) -> &str {
    [".json", ".ron", ".bin"]
        .iter()
        .find_map(|end| path.strip_suffix(end))
        .unwrap_or(path)
}

/// Moves the scripts out of a definition's events (RC, MW): each becomes a separate document that
/// the event names.
fn take_scripts(doc: &mut Definition, stem: &str) -> Vec<(String, Script)> {
    let mut out = Vec::new();
    for event in doc.events_mut() {
        if let Body::Script(event) = &mut event.body
            && let Some(script) = event.inline.take()
        {
            let stem = sequences::script_stem(stem, out.len() + 1);
            event.script = Some(Ref::Name(Name::from(
                &*refit_base::wire::encode_1252(&stem).unwrap_or_default(),
            )));
            out.push((stem, script));
        }
    }
    out
}

/// Moves the scripts that events name back into the events (RC, MW).
fn put_scripts(
    doc: &mut Definition,
    game: Game,
    mut load: impl FnMut(&str) -> Result<Script>,
) -> Result<()> {
    if matches!(game, Game::Pm | Game::Cs) {
        return Ok(());
    }
    for event in doc.events_mut() {
        if let Body::Script(event) = &mut event.body
            && let Some(script) = event.script.take()
        {
            match script {
                _ if event.inline.is_some() => {
                    return Err(Error::say(
                        "an event has a `script` or an `inline` one, not both",
                    ));
                }
                Ref::Name(stem) => event.inline = Some(load(&stem.text())?),
                other => {
                    return Err(Error::say(format!(
                        "a script of this game is a document's path, not {other}"
                    )));
                }
            }
        }
    }
    Ok(())
}

/// The name by which calls refer to a definition.
fn anim_name(bytes: &[u8]) -> Text<32> {
    Definition::peek_animation_name(bytes, Game::Mw)
}

/// The name of the definition's object.
fn object_name(bytes: &[u8], game: Game) -> Text<32> {
    Definition::peek_name(bytes, game)
}

impl Anim {
    /// Reads a file.
    pub fn read(file: &Bytes, hint: Option<Game>) -> Result<Self> {
        let mut r = Reader::new(file, hint.unwrap_or(Game::Mw));
        let (mut anim, counts) = Self::begin(&mut r, hint)?;
        anim.frame(file, &mut r, counts)?;
        Ok(anim)
    }

    /// Reads the header.
    fn begin(r: &mut Reader<'_>, hint: Option<Game>) -> Result<(Self, Counts)> {
        let (header, counts) = Header::read(r, hint)?;
        let anim = Anim {
            header,
            definition_0: None,
            ..Anim::new(r.game)
        };
        Ok((anim, counts))
    }

    /// Divides everything after the header into parts. After an error it has the parts before the
    /// fault.
    fn frame(&mut self, file: &Bytes, r: &mut Reader<'_>, counts: Counts) -> Result<()> {
        let game = r.game;
        let part = |r: &Reader<'_>, from: usize| file.slice(from..r.pos());
        if counts.definitions > 0 {
            let from = r.pos();
            r.take(header::definition_0_size(game))
                .map_err(|e| e.within("definitions[0]"))?;
            self.definition_0 = Some(part(r, from));
        }
        for i in 1..counts.definitions {
            let from = r.pos();
            definition::skip(r).map_err(|e| e.within(format!("definitions[{i}]")))?;
            self.definitions.push(part(r, from));
        }
        let from = r.offset();
        let size = Script::size(game);
        let heads = r
            .take_many(counts.scripts.into(), size as u64)
            .map_err(|e| e.within("scripts").at(from))?;
        for (i, head) in heads.chunks_exact(size).enumerate() {
            let data = r
                .take_many(Lengths::of(head, game).sum(), 1)
                .map_err(|e| e.within(format!("[{i}]")).within("scripts"))?;
            self.scripts.push(Bytes::from([head, data].concat()));
        }
        self.messages = r.plains(counts.messages.into(), "messages")?;
        self.trailing = file.slice(r.pos()..);
        Ok(())
    }

    /// Reports the fields after the header, which ends at `at`.
    fn describe(&self, mut at: u64, trace: &dyn Trace) -> Result<()> {
        let game = self.game;
        if let Some(bytes) = &self.definition_0 {
            let role = if *bytes == header::definition_0(game) {
                Role::Constant
            } else {
                Role::Value
            };
            trace.note(
                at,
                bytes.len() as u64,
                "definition_0",
                Notation::Bytes,
                role,
            );
            at += bytes.len() as u64;
        }
        let stems = self.script_stems();
        let table = script_table(&stems);
        for (stem, bytes) in self.definition_stems().iter().zip(&self.definitions) {
            match Definition::read(bytes, game, &table) {
                Ok(doc) => {
                    trace.enter(&format!("{stem}.json › "));
                    let done = doc.describe_all(bytes, at, game, &table, stem, trace);
                    trace.leave();
                    done?;
                }
                Err(_) => trace.note(
                    at,
                    bytes.len() as u64,
                    &format!("{stem}.bin"),
                    Notation::Bytes,
                    Role::Value,
                ),
            }
            at += bytes.len() as u64;
        }
        self.describe_scripts(at, &stems, trace)?;
        let behind = at
            + self.scripts.iter().map(Bytes::len).sum::<usize>() as u64
            + (self.messages.len() * Message::SIZE) as u64;
        trace.note(
            behind,
            self.trailing.len() as u64,
            "trailing.bin",
            Notation::Bytes,
            Role::Gap,
        );
        Ok(())
    }

    /// Reports the fields of the scripts: first all records, then the data of each.
    fn describe_scripts(&self, at: u64, stems: &[String], trace: &dyn Trace) -> Result<()> {
        let (game, size) = (self.game, Script::size(self.game));
        let read = |bytes: &Bytes| {
            Script::from_pool(bytes, game)
                .ok()
                .filter(|doc| doc.to_pool(game).is_ok_and(|back| back == *bytes))
        };
        let docs: Vec<Option<Script>> = self.scripts.iter().map(read).collect();
        let each = || stems.iter().zip(&self.scripts).zip(&docs);
        let mut from = at;
        for ((stem, bytes), doc) in each() {
            let record = bytes.within(..size);
            match doc {
                Some(doc) => {
                    trace.enter(&format!("{stem}.json › "));
                    doc.describe(record, from, game, &Lengths::of(record, game), trace);
                    trace.leave();
                }
                None => trace.note(
                    from,
                    size as u64,
                    &format!("{stem}.bin"),
                    Notation::Bytes,
                    Role::Value,
                ),
            }
            from += size as u64;
        }
        for ((stem, bytes), doc) in each() {
            let (record, data) = bytes.split_at_checked(size).unwrap_or_default();
            if doc.is_some() {
                let mut r = Reader::based(data, from, game).traced(Some(trace));
                r.document(&format!("{stem}.json"), |r| Script::from_table(record, r))?;
            } else {
                trace.note(
                    from,
                    data.len() as u64,
                    &format!("{stem}.bin"),
                    Notation::Bytes,
                    Role::Value,
                );
            }
            from += data.len() as u64;
        }
        Ok(())
    }

    /// Unique, safe paths for the definitions' documents, without extensions.
    fn definition_stems(&self) -> Vec<String> {
        let name = |bytes: &Bytes| {
            let (animation, object) = (anim_name(bytes), object_name(bytes, self.game));
            if animation.bytes().is_empty() {
                object.text().into_owned()
            } else {
                animation.text().into_owned()
            }
        };
        members::DEFINITIONS.stems(self.definitions.iter().map(name))
    }

    /// Unique, safe paths for the scripts' documents, without extensions.
    pub fn script_stems(&self) -> Vec<String> {
        let name = |bytes: &Bytes| match Script::from_pool(bytes, self.game) {
            Ok(script) => {
                let text = script.name.map_or_else(String::new, |n| n.text());
                let file = text.rsplit(['/', '\\']).next().unwrap_or_default();
                let file = file.strip_suffix(".zan").unwrap_or(file);
                let object = script.object.map_or_else(String::new, |n| n.text());
                if object.is_empty() {
                    file.to_owned()
                } else {
                    format!("{file}-{object}")
                }
            }
            Err(_) => String::new(),
        };
        members::SCRIPTS.stems(self.scripts.iter().map(name))
    }

    /// The file's script table, by name.
    pub fn table(&self) -> Arc<NameTable> {
        script_table(&self.script_stems())
    }
}

/// The round-trip check of a definition.
struct DefinitionTrip<'a> {
    game: Game,
    table: &'a Arc<NameTable>,
    stem: &'a str,
    bytes: &'a Bytes,
}

impl RoundTrip for DefinitionTrip<'_> {
    type Model = Definition;
    /// The text of the definition, and the texts of its scripts with their paths.
    type Text = (String, Vec<(String, String)>);
    // `Definition::read` writes the fields and compares, to find bytes that no field covers.
    const DECODE_COMPARES: bool = true;
    fn decode(&mut self) -> Result<Definition> {
        Definition::read(self.bytes, self.game, self.table)
    }
    fn compare(&mut self, doc: &Definition) -> Result<()> {
        proof::same(&doc.write(self.game, self.table)?, self.bytes)
    }
    fn print(&mut self, mut doc: Definition, style: Style) -> Result<Self::Text> {
        let scripts = take_scripts(&mut doc, self.stem);
        let text = doc.to_text(style)?;
        let spell = |(stem, script): (String, Script)| Ok((stem, script.to_text(style)?));
        Ok((text, scripts.into_iter().map(spell).collect::<Result<_>>()?))
    }
    fn read_back(&mut self, (text, scripts): &mut Self::Text, style: Style) -> Result<Definition> {
        let mut doc = Definition::from_text(text, style)?;
        put_scripts(&mut doc, self.game, |stem| {
            let text = scripts.iter().find(|(s, _)| s == stem);
            text.map_or_else(
                || Err(Error::say("a script is missing")),
                |(_, text)| Script::from_text(text, style),
            )
        })?;
        Ok(doc)
    }
}

/// The round-trip check of a script of the table.
struct ScriptTrip<'a> {
    game: Game,
    bytes: &'a Bytes,
}

impl RoundTrip for ScriptTrip<'_> {
    type Model = Script;
    type Text = String;
    fn decode(&mut self) -> Result<Script> {
        Script::from_pool(self.bytes, self.game)
    }
    fn compare(&mut self, doc: &Script) -> Result<()> {
        proof::same(&doc.to_pool(self.game)?, self.bytes)
    }
    fn print(&mut self, doc: Script, style: Style) -> Result<String> {
        doc.to_text(style)
    }
    fn read_back(&mut self, text: &mut String, style: Style) -> Result<Script> {
        Script::from_text(text, style)
    }
}

/// The editing API. Definitions and scripts are decoded and encoded one at a time; position 0 is
/// the first definition after the reserved one.
impl Anim {
    /// An empty file of a game.
    pub fn new(game: Game) -> Self {
        Anim {
            game,
            header: Header::default(),
            definition_0: Some(header::definition_0(game).into()),
            definitions: Vec::new(),
            scripts: Vec::new(),
            messages: Vec::new(),
            trailing: Bytes::new(),
        }
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// Number of definitions.
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// True if there are no definitions.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// The definitions, in the order of the file. A definition that has to be kept as bytes,
    /// because the typed form does not cover it, is an error.
    pub fn definitions(&self) -> impl Iterator<Item = Result<Definition>> {
        let table = self.table();
        self.definitions
            .iter()
            .map(move |bytes| Definition::read(bytes, self.game, &table))
    }

    /// The `animation_name` of each definition, including raw ones.
    pub fn animation_names(&self) -> Vec<String> {
        self.definitions
            .iter()
            .map(|bytes| anim_name(bytes).text().into_owned())
            .collect()
    }

    /// A definition.
    pub fn definition(&self, index: usize) -> Result<Definition> {
        let bytes = self
            .definitions
            .get(index)
            .ok_or_else(|| refit_base::contract::no_member(index))?;
        Definition::read(bytes, self.game, &self.table())
    }

    /// Replaces a definition. Everything it refers to must be in its own lists and in the scripts
    /// of the file.
    pub fn set_definition(&mut self, index: usize, definition: &Definition) -> Result<()> {
        let bytes = definition.write(self.game, &self.table())?;
        *self
            .definitions
            .get_mut(index)
            .ok_or_else(|| refit_base::contract::no_member(index))? = bytes.into();
        Ok(())
    }

    /// Appends a definition and returns its position.
    pub fn add_definition(&mut self, definition: &Definition) -> Result<usize> {
        let bytes = definition.write(self.game, &self.table())?;
        self.definition_0
            .get_or_insert_with(|| header::definition_0(self.game).into());
        self.definitions.push(bytes.into());
        Ok(self.definitions.len() - 1)
    }

    /// Removes a definition from the file.
    pub fn remove_definition(&mut self, index: usize) -> Result<()> {
        if index >= self.definitions.len() {
            return Err(refit_base::contract::no_member(index));
        }
        self.definitions.remove(index);
        Ok(())
    }

    /// The scripts of the file's table, in its order (PM, CS). In the other games, events contain
    /// the scripts.
    pub fn scripts(&self) -> impl Iterator<Item = Result<Script>> {
        self.scripts
            .iter()
            .map(|bytes| Script::from_pool(bytes, self.game))
    }

    /// Merges two edits of this file if they changed different entries, scripts and other parts,
    /// and added, removed or renamed none. Otherwise `None`: then the differences must be examined.
    pub fn with_both(&self, a: &Anim, b: &Anim) -> Option<Anim> {
        if a == self || b == self {
            return Some(if a == self { b } else { a }.clone());
        }
        /// The value that was edited; `None` if both edits differ from the old one and from each
        /// other.
        fn one<T: PartialEq + Clone>(old: &T, a: &T, b: &T) -> Option<T> {
            match (a == old, b == old) {
                (true, _) => Some(b.clone()),
                (_, true) => Some(a.clone()),
                _ => (a == b).then(|| a.clone()),
            }
        }
        let called = |bytes: &Bytes| {
            (
                anim_name(bytes),
                object_name(bytes, self.game),
                Definition::peek_animation_root_name(bytes, self.game),
            )
        };
        let each = |old: &[Bytes], a: &[Bytes], b: &[Bytes]| -> Option<Vec<Bytes>> {
            let all = old.iter().zip(a).zip(b).map(|((old, a), b)| one(old, a, b));
            all.collect::<Option<_>>()
                .filter(|_| old.len() == a.len() && old.len() == b.len())
        };
        let is_renamed = |other: &Anim| {
            !self
                .definitions
                .iter()
                .zip(&other.definitions)
                .all(|(old, new)| old == new || called(old) == called(new))
        };
        let moved = |other: &Anim| {
            self.scripts != other.scripts && self.script_stems() != other.script_stems()
        };
        if [a, b]
            .into_iter()
            .any(|other| self.game != other.game || is_renamed(other) || moved(other))
        {
            return None;
        }
        Some(Anim {
            game: self.game,
            header: one(&self.header, &a.header, &b.header)?,
            definition_0: one(&self.definition_0, &a.definition_0, &b.definition_0)?,
            definitions: each(&self.definitions, &a.definitions, &b.definitions)?,
            scripts: each(&self.scripts, &a.scripts, &b.scripts)?,
            messages: one(&self.messages, &a.messages, &b.messages)?,
            trailing: one(&self.trailing, &a.trailing, &b.trailing)?,
        })
    }

    /// Appends a script and returns the name by which events refer to it (PM, CS).
    pub fn add_script(&mut self, script: &Script) -> Result<String> {
        let bytes = script.to_pool(self.game)?;
        self.scripts.push(bytes.into());
        Ok(self.script_stems().pop().unwrap_or_default())
    }
}

impl Model for Anim {
    fn game(&self) -> Option<Game> {
        Some(self.game)
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        let mut w = Writer::new(self.game);
        if self.definition_0.is_none() && !self.definitions.is_empty() {
            return Err(
                Error::say("a file without definition 0 has no other definitions")
                    .within("no_definition_0"),
            );
        }
        if !matches!(self.game, Game::Pm | Game::Cs) && !self.scripts.is_empty() {
            return Err(Error::say(format!(
                "{}'s files have no table of scripts",
                self.game.title()
            ))
            .within("scripts"));
        }
        let definitions = self.definitions.len() + usize::from(self.definition_0.is_some());
        let counts = Counts {
            definitions: fit(definitions, "the number of definitions")?,
            scripts: fit(self.scripts.len(), "the number of scripts")?,
            messages: fit(self.messages.len(), "the number of messages")?,
        };
        self.header.write(&mut w, counts)?;
        let mut put = |bytes: &[u8]| out.put(bytes);
        put(&w.bytes)?;
        w.bytes.clear();
        self.definition_0
            .iter()
            .chain(&self.definitions)
            .try_for_each(|bytes| put(bytes))?;
        self.scripts
            .iter()
            .try_for_each(|bytes| put(bytes.within(..Script::size(self.game))))?;
        self.scripts
            .iter()
            .try_for_each(|bytes| put(bytes.within(Script::size(self.game)..)))?;
        w.plains(&self.messages);
        put(&w.bytes)?;
        put(&self.trailing)
    }

    fn proves_parts(&self) -> bool {
        true
    }

    fn documents(&self) -> Option<Documents> {
        let scripts = self.script_stems();
        let of = std::iter::once(self.game.code().to_owned())
            .chain(scripts.iter().cloned())
            .collect();
        let definitions = self
            .definition_stems()
            .into_iter()
            .zip(self.definitions.iter().cloned());
        Some(Documents {
            of,
            parts: definitions
                .chain(scripts.into_iter().zip(self.scripts.iter().cloned()))
                .map(|(path, bytes)| (path, vec![bytes.into()]))
                .collect(),
            single: false,
        })
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let script_stems = self.script_stems();
        let table = script_table(&script_stems);
        let definition = |(stem, bytes): (&String, &Bytes)| {
            let trip = DefinitionTrip {
                game: self.game,
                table: &table,
                stem,
                bytes,
            };
            let write = |path: &str, (text, scripts): (String, Vec<(String, String)>)| {
                for (stem, text) in scripts {
                    tree.part::<Script>(&format!("{stem}{}", tree.ext()), text, Bytes::new())?;
                }
                tree.part::<Definition>(path, text, bytes)
            };
            tree.prove_part(|| stem.clone(), trip, write, || bytes.clone())
        };
        let stems = self.definition_stems();
        let definitions = par::try_times(stems.len(), |i| {
            stems.get(i).zip(self.definitions.get(i)).map(definition)
        })?;
        let script = |(stem, bytes): (&String, &Bytes)| {
            let trip = ScriptTrip {
                game: self.game,
                bytes,
            };
            let write = |path: &str, text| tree.part::<Script>(path, text, bytes);
            tree.prove_part(|| stem.clone(), trip, write, || bytes.clone())
        };
        let scripts = par::try_times(script_stems.len(), |i| {
            script_stems.get(i).zip(self.scripts.get(i)).map(script)
        })?;
        if tree.form == Form::Stored {
            return Ok(());
        }
        let trailing = (!self.trailing.is_empty()).then(|| "trailing.bin".to_owned());
        if let Some(path) = &trailing {
            tree.file(path, &self.trailing)?;
        }
        let definition_0 = self
            .definition_0
            .as_ref()
            .map(|bytes| Extra::of(&header::definition_0(self.game), bytes));
        let mut head = tree.head.clone();
        head.game = Some(self.game);
        tree.manifest(AnimManifest::new(
            head,
            self.header.version,
            self.header.timestamp,
            self.header.base_files.clone(),
            self.header.source_files.clone(),
            self.header.info.clone(),
            definition_0.unwrap_or_default(),
            self.definition_0.is_none(),
            definitions,
            scripts,
            self.messages.clone(),
            trailing,
        ))
    }

    fn lint(&self, lints: &mut Lints) {
        self.judge(lints);
    }

    fn info(&self) -> Info {
        let mut events: BTreeMap<String, usize> = BTreeMap::new();
        let (mut sequences, mut all) = (0, 0);
        let table = Arc::default();
        for bytes in &self.definitions {
            let Ok(doc) = Definition::glance(bytes, self.game, &table) else {
                continue;
            };
            sequences += doc.sequences.len();
            for (_, list) in doc.event_lists() {
                for event in list {
                    all += 1;
                    let number = event.body.number();
                    let key = sequences::key_of(number)
                        .map_or_else(|| format!("type {number}"), str::to_owned);
                    *events.entry(key).or_default() += 1;
                }
            }
        }
        let mut info: Info = vec![
            (
                "version",
                self.header.version.or(self.game.anim_version()).into(),
            ),
            ("source files", self.header.source_files.len().into()),
            ("definitions", self.definitions.len().into()),
            (
                "free definitions",
                lints::MOST.saturating_sub(self.definitions.len()).into(),
            ),
            ("sequences", sequences.into()),
            ("events", all.into()),
        ];
        if matches!(self.game, Game::Pm | Game::Cs) {
            info.push(("scripts", self.scripts.len().into()));
        }
        if !self.messages.is_empty() {
            info.push(("messages", self.messages.len().into()));
        }
        if !self.trailing.is_empty() {
            info.push(("trailing bytes", self.trailing.len().into()));
        }
        if let Some(time) = self.header.timestamp {
            info.push(("timestamp", serde_json::to_value(time).unwrap_or_default()));
        }
        let gravity = self
            .header
            .info
            .gravity
            .unwrap_or(refit_base::wire::F32::from(-9.8));
        info.push(("gravity", serde_json::to_value(gravity).unwrap_or_default()));
        info.push((
            "events by type",
            serde_json::to_value(events).unwrap_or_default(),
        ));
        info
    }

    refit_base::offers!(Members);
}

/// The record tables, for `FORMAT.md`.
#[cfg(feature = "schemas")]
pub fn tables() -> Vec<refit_base::wire::RecordTable> {
    use {definition::*, events::*, prerequisites::*, references::*, scripts::*, sequences::Head};
    macro_rules! tables {
        ($($record:ident)*) => { vec![$($record::table()),*] };
    }
    tables! {
        SourceFile BaseFile InfoBlock Definition PathNode StaleObject StaleNode StaleLight StalePuffer
        StaleSound StaleEffect Prerequisite WantedAnimation WantedObject WantedParent WholeReference
        SplitReference Reset Sequence Head Sound SoundNode Effect LightState LightAnimation ObjectActiveState
        ObjectTranslateState ObjectScaleState ObjectRotateState ObjectMotion ObjectMotionFromTo
        ObjectMotionSiScript ObjectOpacityState ObjectOpacityFromTo ParentChild ObjectCycleTexture
        ObjectConnector CallObjectConnector CameraState CameraFromTo CallSequence CallAnimation StopAnimation
        OfAnimation FogState Loop Callback ShowMessage AnimVerbose FbfxColorFromTo FbfxCsinwaveFromTo
        DetonateWeapon PufferState Texture Color ScaleStop SoundAdjust ScriptItem Frame Linear Rotation
        Script Message
    }
}
