//! Decompiles an animation file into sources.

use super::{
    base::Base,
    carry_over::finish,
    definition::{self, Called, DefinitionForm, called, name},
    files::Sources,
    scope::{Scope, ScriptFile},
    script,
    source::{Doc, Item, List},
    world::{World, bind},
};
use crate::{
    formats::anim::sources::{BaseFile, Manifest},
    formats::anim::{
        Definition, Script,
        names::{Name, Ref},
        references::Array,
        sequences::Body,
    },
    game::Game,
    par,
    tree::{Document, Head, Style, UniquePaths},
    wire::{F32, Result, decode_1252},
};
use bytes::Bytes;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::atomic::AtomicI64,
};

/// How sources are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum), value(rename_all = "lowercase"))]
pub enum Spelling {
    /// Reader documents in JSON.
    #[default]
    Json,
    /// Reader documents in RON.
    Ron,
    /// Text reader files.
    Zrd,
}

/// A folder of sources.
pub struct Decompiled {
    /// The files, each with its path and content.
    pub files: Vec<(String, Bytes)>,
    /// For each entry, the name that calls use, and the node that it is bound to.
    pub entries: Vec<[String; 2]>,
    /// Number of entries that keys cannot express.
    pub raw: usize,
    /// Number of entries whose text comes from `--defs`.
    pub own: usize,
}

/// An entry as a source.
struct Written {
    doc: Doc,
    scripts: Vec<ScriptFile>,
    raw: bool,
}

/// Writes the keys of a definition so that compiling them over the file reproduces the entry.
fn written(base: &Base, at: usize, gravity: F32, first_script: usize, budget: &AtomicI64) -> Written {
    let game = base.anim.game;
    let bytes = base.anim.definitions.get(at).cloned().unwrap_or_default();
    if let Some(Some(d)) = base.definitions.get(at) {
        let called = base.called.get(at);
        let texts = Texts { first: first_script, of: texts(d, game, first_script, budget) };
        for form in forms(base, d, gravity, &texts) {
            let (doc, scripts) = write(base, d, gravity, &texts, &form);
            let Some(doc) = doc else { continue };
            let gives = called.and_then(|called| compiled(base, &doc, d, called, gravity, &scripts));
            if gives.is_some_and(|gives| gives == bytes) {
                return Written { doc, scripts, raw: false };
            }
        }
    }
    let mut doc = Doc::default();
    let head = Definition {
        name: Definition::peek_name(&bytes, game),
        animation_name: Definition::peek_animation_name(&bytes, game),
        animation_root_name: Definition::peek_animation_root_name(&bytes, game),
        ..Definition::default()
    };
    name(&mut doc, &head, game);
    doc.with("REFIT", |doc| {
        doc.text(b"definition");
        doc.hex(&bytes);
    });
    Written { doc, scripts: Vec::new(), raw: true }
}

/// The scripts of a definition that have a text.
struct Texts {
    /// The number of the first script.
    first: usize,
    of: HashMap<usize, (F32, Vec<u8>)>,
}

/// Texts that reproduce the scripts of a definition's events (RC), by script number.
fn texts(d: &Definition, game: Game, first: usize, budget: &AtomicI64) -> HashMap<usize, (F32, Vec<u8>)> {
    let mut out = HashMap::new();
    let events = d.event_lists().flat_map(|(_, events)| events);
    let scripts = events.filter_map(|event| if let Body::Script(e) = &event.body { Some(e) } else { None });
    for (number, event) in (first..).zip(scripts) {
        // The text refers to its object by one word.
        if let (Game::Rc, Some(script), Ref::Name(name)) = (game.itself(), &event.inline, &event.node)
            && !name.bytes().is_empty()
            && !name.bytes().iter().any(|b| b.is_ascii_whitespace() || b.is_ascii_control())
        {
            let text = |rate: f32| {
                let rate = F32::from(rate);
                script::decompile(script, name.bytes(), rate, budget).ok().map(|text| (rate, text))
            };
            out.extend(script::USUAL_RATES.into_iter().find_map(text).map(|text| (number, text)));
        }
    }
    out
}

/// The forms in which a definition may be written, simplest first.
fn forms(base: &Base, d: &Definition, gravity: F32, texts: &Texts) -> Vec<DefinitionForm> {
    let game = base.anim.game;
    let plain = own_tables(base, d, gravity, texts);
    // Only Recoil's files are compiled without a base file that provides the tables.
    let plain = DefinitionForm { tables: if game.itself() == Game::Rc { plain.tables } else { Vec::new() }, ..plain };
    let listed = DefinitionForm { prerequisites: !d.prerequisites.is_empty(), ..plain.clone() };
    [plain, listed].into_iter().flat_map(|form| [form.clone(), DefinitionForm { explicit: true, ..form }]).collect()
}

/// What does not follow from the events: tables, nodes that are not saved, animation references.
fn own_tables(base: &Base, d: &Definition, gravity: F32, texts: &Texts) -> DefinitionForm {
    let game = base.anim.game;
    let (doc, scripts) = write(base, d, gravity, texts, &DefinitionForm::default());
    let all = || DefinitionForm { tables: Array::all(game).collect(), explicit: true, ..DefinitionForm::default() };
    let Some(doc) = doc else { return all() };
    let mut scope = Scope::new(game, gravity, &base.table);
    let given = Given(&scripts);
    scope.scripts = Some(&given);
    let called = Called {
        animation: d.animation_name.bytes().to_vec(),
        name: d.name.bytes().to_vec(),
        root: d.animation_root_name.bytes().to_vec(),
    };
    let Ok(compiled) = definition::compile(&mut scope, doc.root(), &called) else { return all() };
    let mut fresh = compiled.doc;
    scope.lists.into(&mut fresh, false);
    let names = |d: &Definition, array: Array| {
        d.names(array).as_ref().map(|list| list.iter().map(|label| label.text.clone()).collect::<Vec<_>>())
    };
    let saved: HashSet<Name> = names(d, Array::Objects).into_iter().flatten().collect();
    let unsaved: Vec<Name> =
        names(&fresh, Array::Objects).into_iter().flatten().filter(|name| !saved.contains(name)).collect();
    let left = |array: Array| {
        let all = names(&fresh, array);
        let kept = |list: Vec<Name>| -> Vec<Name> {
            list.into_iter().filter(|name| array != Array::Objects || saved.contains(name)).collect()
        };
        all.map(kept).filter(|list| array != Array::Objects || unsaved.is_empty() || !list.is_empty())
    };
    let tables = Array::all(game).filter(|array| left(*array) != names(d, *array)).collect();
    let reference = |d: &Definition| -> Vec<(Name, Option<Name>)> {
        d.animation_references
            .iter()
            .map(|r| (r.name.text.clone(), r.local_name.as_ref().map(|local| local.text.clone())))
            .collect()
    };
    DefinitionForm { tables, unsaved, prerequisites: false, explicit: reference(&fresh) != reference(d) }
}

fn write(
    base: &Base,
    d: &Definition,
    gravity: F32,
    texts: &Texts,
    form: &DefinitionForm,
) -> (Option<Doc>, Vec<ScriptFile>) {
    let game = base.anim.game;
    let tables = d.tables(game, &base.table);
    let mut scope = Scope::new(game, gravity, &base.table);
    scope.first_script = texts.first;
    scope.texts.clone_from(&texts.of);
    scope.lists.seed(d, game);
    scope.known.clone_from(&d.animation_references);
    if form.explicit {
        for reference in &d.animation_references {
            if scope.lists.refer(reference.clone()).is_err() {
                return (None, Vec::new());
            }
        }
    }
    let mut doc = Doc::default();
    let done = definition::decompile(&mut scope, &mut doc, d, &tables, form);
    (done.is_ok().then_some(doc), scope.written)
}

/// Scripts that were just written.
struct Given<'a>(&'a [ScriptFile]);

impl super::scope::Scripts for Given<'_> {
    fn load(&self, file: &[u8], _: &[u8], _: F32) -> Result<Script> {
        let found = self.0.iter().find(|written| written.name.as_bytes() == file);
        found.map(|written| written.script.clone()).ok_or_else(|| crate::wire::Error::say("no such script"))
    }
}

/// The bytes from compiling an entry's keys over the entry.
fn compiled(
    base: &Base,
    doc: &Doc,
    old: &Definition,
    called: &Called,
    gravity: F32,
    scripts: &[ScriptFile],
) -> Option<Vec<u8>> {
    let game = base.anim.game;
    let bound = bind(doc.root(), game, None, None).ok()?;
    let [bound] = bound.as_slice() else { return None };
    let given = Given(scripts);
    let mut scope = Scope::new(game, gravity, &base.table);
    scope.lists.seed(old, game);
    scope.scripts = Some(&given);
    if self::called(&mut scope, doc.root(), &bound.name).ok()? != *called {
        return None;
    }
    let compiled = definition::compile(&mut scope, doc.root(), called).ok()?;
    let mut new = compiled.doc;
    let kept = scope.lists.into(&mut new, false);
    finish(&mut new, Some(old), game, compiled.own.flags, bound, &kept);
    new.write(game, &base.table).ok()
}

/// The user's existing definitions, matched to entries.
pub struct Known<'k, 's> {
    sources: &'k Sources<'s>,
    /// For each entry, the definition that makes it.
    of: HashMap<usize, usize>,
}

impl<'k, 's> Known<'k, 's> {
    /// Finds the definitions whose entries all equal entries of the file.
    pub fn new(sources: &'k Sources<'s>, base: &Base, world: Option<&World>, gravity: F32) -> Self {
        let game = base.anim.game;
        let mut of = HashMap::new();
        let mut made: Vec<(usize, Called, Vec<u8>)> = Vec::new();
        for (at, defined) in sources.definitions.iter().enumerate() {
            let Some(list) = sources.list(defined) else { continue };
            for bound in bind(list, game, world, Some(&base.names))
                .unwrap_or_default()
                .into_iter()
                .filter(|bound| !bound.left_out)
            {
                let mut scope = Scope::new(game, gravity, &base.table);
                scope.digits = &bound.digits;
                if let Ok(called) = called(&mut scope, list, &bound.name) {
                    made.push((at, called, bound.digits));
                }
            }
        }
        let names: Vec<Called> = made.iter().map(|(_, called, _)| called.clone()).collect();
        let matches = base.matches(&names);
        let same: Vec<bool> = par::map(&made, |i, (at, called, digits)| {
            let Some((entry, old)) = matches
                .get(i)
                .copied()
                .flatten()
                .and_then(|entry| Some((entry, base.definitions.get(entry)?.as_ref()?)))
            else {
                return false;
            };
            let Some(defined) = sources.definitions.get(*at) else { return false };
            let Some(list) = sources.list(defined) else { return false };
            let scripts = super::files::FileScripts::new(sources, defined.file);
            let mut scope = Scope::new(game, gravity, &base.table);
            scope.digits = digits;
            scope.scripts = Some(&scripts);
            scope.lists.seed(old, game);
            let Ok(compiled) = definition::compile(&mut scope, list, called) else { return false };
            let mut new = compiled.doc;
            let kept = scope.lists.into(&mut new, false);
            let path = old.path.iter().map(|step| (step.name.text.bytes().to_vec(), None)).collect();
            let bound = super::world::Bound {
                name: called.name.clone(),
                digits: digits.clone(),
                node: None,
                path,
                left_out: false,
            };
            finish(&mut new, Some(old), game, compiled.own.flags, &bound, &kept);
            new.write(game, &base.table)
                .is_ok_and(|bytes| base.anim.definitions.get(entry).is_some_and(|old| *old == bytes))
        });
        let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (((at, ..), found), same) in made.iter().zip(&matches).zip(same) {
            let list = all.entry(*at).or_default();
            match (found, same) {
                (Some(entry), true) => list.push(*entry),
                // One entry differs, so the whole definition does not match.
                _ => list.push(usize::MAX),
            }
        }
        for (at, entries) in all.into_iter().filter(|(_, entries)| !entries.contains(&usize::MAX)) {
            // The entries of a pattern must be consecutive, or their order would change.
            if entries.windows(2).all(|pair| matches!(pair, [a, b] if a + 1 == *b)) {
                of.extend(entries.into_iter().map(|entry| (entry, at)));
            }
        }
        Known { sources, of }
    }
}

/// Decompiles a file. `head` is the start of the manifest; `path` leads from the folder to the file.
pub fn decompile(
    base: &Base,
    head: Head,
    path: &str,
    spelling: Spelling,
    known: Option<&Known<'_, '_>>,
) -> Result<Decompiled> {
    let anim = &base.anim;
    let usual = F32::from(-9.8);
    let stored = anim.header.info.gravity.unwrap_or(usual);
    let gravity = if stored.get().is_finite() { stored } else { usual };
    let mut first = 1;
    let numbers: Vec<usize> = base
        .definitions
        .iter()
        .map(|d| {
            let scripts = d
                .iter()
                .flat_map(|d| d.event_lists())
                .flat_map(|(_, events)| events)
                .filter(|e| matches!(e.body, Body::Script(_)));
            let count = if Script::is_inline(anim.game) { scripts.count() } else { 0 };
            let number = first;
            first += count;
            number
        })
        .collect();
    let budget = AtomicI64::new(script::MOST_TRIALS);
    let own = |at: usize| known.and_then(|known| Some((known, *known.of.get(&at)?)));
    let written: Vec<Option<Written>> =
        par::map(&numbers, |at, number| own(at).is_none().then(|| written(base, at, gravity, *number, &budget)));
    let mut out = Decompiled { files: Vec::new(), entries: Vec::new(), raw: 0, own: 0 };
    let mut names = UniquePaths::new();
    names.assign("anim", "");
    names.assign("refit", "");
    let mut root = Doc::default();
    root.key("ANIMATION_DEFINITIONS");
    if stored.get().is_finite() {
        root.with("GRAVITY", |doc| doc.float(stored));
    }
    root.key("ANIMATION_LIST");
    let mut file: Option<(String, Doc)> = None;
    let mut last: Option<Vec<u8>> = None;
    let end = |file: &mut Option<(String, Doc)>, out: &mut Decompiled| -> Result<()> {
        if let Some((stem, mut doc)) = file.take() {
            doc.close();
            doc.close();
            out.files.push(spelled(&stem, &doc, spelling)?);
        }
        Ok(())
    };
    let mut at_definition = None;
    for (at, (called, written)) in base.called.iter().zip(&written).enumerate() {
        let text = |bytes: &[u8]| decode_1252(bytes).into_owned();
        out.entries.push([text(&called.animation), text(&called.name)]);
        let given = own(at);
        if let Some((_, definition)) = given {
            out.own += 1;
            // A pattern is written once for all its entries.
            if at_definition.replace(definition) == Some(definition) {
                continue;
            }
        } else {
            at_definition = None;
        }
        // One file per original file, or else per name.
        let origin = match given {
            Some((known, definition)) => {
                let path =
                    known.sources.definitions.get(definition).map_or_else(String::new, |d| known.sources.path(d.file));
                path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default().as_bytes().to_vec()
            }
            None => called.name.clone(),
        };
        if last.as_ref() != Some(&origin) {
            end(&mut file, &mut out)?;
            let stem = names.assign(&decode_1252(&origin).replace(['/', '\\'], "_"), "");
            root.with("ANIMATION_DEFINITION_FILE", |doc| {
                // Names in sources use the games' code page.
                let spelled = format!("{stem}.zrd");
                doc.text(&crate::wire::encode_1252(&spelled).unwrap_or_else(|_| spelled.into_bytes()));
            });
            let mut doc = Doc::default();
            doc.key("ANIMATION_DEFINITIONS");
            doc.key("ANIMATION_LIST");
            file = Some((stem, doc));
            last = Some(origin);
        }
        let Some((_, doc)) = &mut file else { continue };
        doc.key("ANIMATION_DEFINITION");
        match (given, written) {
            (Some((known, definition)), _) => {
                if let Some(list) = known.sources.definitions.get(definition).and_then(|d| known.sources.list(d)) {
                    doc.copy(list);
                }
            }
            (None, Some(written)) => {
                out.raw += usize::from(written.raw);
                doc.copy(written.doc.root());
                for ScriptFile { name, script, text } in &written.scripts {
                    let bytes = text.clone().map_or_else(|| script.to_text(Style::Json).map(String::into_bytes), Ok)?;
                    out.files.push((format!("scripts/{name}"), bytes.into()));
                }
            }
            (None, None) => {}
        }
        doc.close();
    }
    end(&mut file, &mut out)?;
    root.close();
    root.close();
    out.files.push(spelled("anim", &root, spelling)?);
    let sha256 = head.source.sha256.wait().to_owned();
    let manifest = Manifest::new(
        head,
        "anim-definitions".into(),
        stored,
        out.entries.clone(),
        anim.header.source_files.iter().map(|file| file.path.text().into_owned()).collect(),
        "keep".into(),
        BaseFile { path: path.to_owned(), sha256 },
    );
    out.files.push(("refit.json".into(), manifest.to_text(Style::Json)?.into()));
    Ok(out)
}

/// The path and text of a document.
fn spelled(stem: &str, doc: &Doc, spelling: Spelling) -> Result<(String, Bytes)> {
    let style = match spelling {
        Spelling::Json => Style::Json,
        Spelling::Ron => Style::Ron,
        Spelling::Zrd => return Ok((format!("{stem}.zrd"), doc.to_zrd()?.into())),
    };
    let text = doc.to_reader()?.to_text(style)?;
    Ok((format!("{stem}.zrd.{}", style.ext()), text.into()))
}

/// The names that a list of effects has: `EFFECTS` and a list of items with a `NAME`, or of names.
pub fn effects(doc: &Doc) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let list = doc.root().unwrapped().keys().find(|(key, _)| *key == b"EFFECTS").and_then(|(_, list)| list);
    for item in list.into_iter().flat_map(List::items) {
        match item {
            Item::Text(name) => out.push(name.to_vec()),
            Item::List(list) => {
                let named = list.keys().find(|(key, _)| *key == b"NAME").and_then(|(_, list)| list?.items().next());
                if let Some(Item::Text(name)) = named.or_else(|| list.items().next()) {
                    out.push(name.to_vec());
                }
            }
            _ => {}
        }
    }
    out
}

/// The samples that a list of sounds declares: lists that begin with a name and the name of a WAV file.
pub fn sounds(doc: &Doc) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    let mut open = vec![doc.root()];
    while let Some(list) = open.pop() {
        let mut items = list.items();
        if let (Some(Item::Text(name)), Some(Item::Text(file))) = (items.next(), items.next())
            && file.to_ascii_lowercase().ends_with(b".wav")
        {
            out.push(name.to_vec());
            continue;
        }
        open.extend(list.items().filter_map(|item| if let Item::List(list) = item { Some(list) } else { None }));
    }
    out
}
