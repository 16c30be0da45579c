//! Decompiles an animation file into sources.

use super::{
    base::Base,
    carry_over::finish,
    definition::{self, Called, DefinitionForm, called, name},
    files::Sources,
    scope::{Scope, ScriptFile},
    script,
    source::{Doc, Item, List},
    world::{Bound, World, bind},
};
use bytes::Bytes;
use refit_base::{
    game::Game,
    par,
    tree::{Document, Head, Style, UniquePaths},
    wire::{F32, Result, decode_1252},
};
use refit_zipper::anim::{
    Definition, Script,
    names::{Name, Ref},
    prerequisites::Reference,
    references::Array,
    sequences::{Body, Event},
    sources::{BaseFile, Manifest},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::atomic::AtomicI64,
};

/// How sources are spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "lowercase")
)]
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
    /// The files, each with its path and content; none if they were passed on one by one.
    pub files: Vec<(String, Bytes)>,
    /// For each entry, the name that calls use, and the node that it is bound to.
    pub entries: Vec<[String; 2]>,
    /// Number of entries that keys cannot express.
    pub raw: usize,
    /// Number of entries whose text comes from `--defs`.
    pub own: usize,
}

/// An entry as a source.
pub(super) struct Written {
    pub doc: Doc,
    pub scripts: Vec<ScriptFile>,
    pub raw: bool,
}

/// Writes the keys of a definition so that compiling them over the file reproduces the entry.
pub(super) fn written(
    base: &Base,
    at: usize,
    d: Option<&Definition>,
    gravity: F32,
    first_script: usize,
    budget: &AtomicI64,
) -> Written {
    let game = base.anim.game;
    let bytes = base.anim.definitions.get(at).cloned().unwrap_or_default();
    if let (Some(d), Some(called)) = (d, base.called.get(at)) {
        let entry = Entry {
            base,
            d,
            called,
            gravity,
            first_script,
            texts: texts(d, game, first_script, budget),
        };
        for form in entry.forms() {
            let Some((doc, scripts)) = entry.write(&form) else {
                continue;
            };
            if entry
                .compiled(&doc, &scripts)
                .is_some_and(|gives| gives == bytes)
            {
                return Written {
                    doc,
                    scripts,
                    raw: false,
                };
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
    Written {
        doc,
        scripts: Vec::new(),
        raw: true,
    }
}

/// Texts that reproduce the scripts of a definition's events (RC), by script number.
fn texts(
    d: &Definition,
    game: Game,
    first: usize,
    budget: &AtomicI64,
) -> HashMap<usize, (F32, Vec<u8>)> {
    let mut out = HashMap::new();
    let scripts = d.events().filter_map(|event| {
        if let Body::Script(e) = &event.body {
            Some(e)
        } else {
            None
        }
    });
    for (number, event) in (first..).zip(scripts) {
        // The text refers to its object by one word.
        if let (Game::Rc, Some(script), Ref::Name(name)) =
            (game.itself(), &event.inline, &event.node)
            && !name.bytes().is_empty()
            && !name
                .bytes()
                .iter()
                .any(|b| b.is_ascii_whitespace() || b.is_ascii_control())
        {
            let text = |rate: f32| {
                let rate = F32::from(rate);
                script::decompile(script, name.bytes(), rate, budget)
                    .ok()
                    .map(|text| (rate, text))
            };
            out.extend(
                script::USUAL_RATES
                    .into_iter()
                    .find_map(text)
                    .map(|text| (number, text)),
            );
        }
    }
    out
}

/// A definition that keys can express.
struct Entry<'b> {
    base: &'b Base,
    d: &'b Definition,
    called: &'b Called,
    gravity: F32,
    /// The number of its first script.
    first_script: usize,
    /// The scripts that have a text, by number.
    texts: HashMap<usize, (F32, Vec<u8>)>,
}

impl Entry<'_> {
    /// The forms in which it may be written, simplest first.
    fn forms(&self) -> Vec<DefinitionForm> {
        let mut plain = self.own_tables();
        // Only Recoil's files are compiled without a base file that provides the tables.
        if self.base.anim.game.itself() != Game::Rc {
            plain.tables.clear();
        }
        let listed = DefinitionForm {
            prerequisites: !self.d.prerequisites.is_empty(),
            ..plain.clone()
        };
        [plain, listed]
            .into_iter()
            .flat_map(|form| {
                [
                    form.clone(),
                    DefinitionForm {
                        explicit: true,
                        ..form
                    },
                ]
            })
            .collect()
    }

    fn scope(&self) -> Scope<'_> {
        Scope::new(self.base.anim.game, self.gravity, &self.base.table)
    }

    /// What does not follow from the events: tables, nodes that are not saved, animation
    /// references.
    fn own_tables(&self) -> DefinitionForm {
        let (d, game) = (self.d, self.base.anim.game);
        let fresh = || {
            let (doc, scripts) = self.write(&DefinitionForm::default())?;
            let given = Given(&scripts);
            let mut scope = self.scope();
            scope.scripts = Some(&given);
            let mut fresh = definition::compile(&mut scope, doc.root(), self.called)
                .ok()?
                .doc;
            scope.lists.into(&mut fresh, false);
            Some(fresh)
        };
        let Some(fresh) = fresh() else {
            return DefinitionForm {
                tables: Array::all(game).collect(),
                explicit: true,
                ..DefinitionForm::default()
            };
        };
        let names = |d: &Definition, array: Array| {
            d.names(array).as_ref().map(|list| {
                list.iter()
                    .map(|label| label.text.clone())
                    .collect::<Vec<_>>()
            })
        };
        let saved: HashSet<Name> = names(d, Array::Objects).into_iter().flatten().collect();
        let fresh_objects = names(&fresh, Array::Objects).into_iter().flatten();
        let (kept, unsaved): (Vec<Name>, Vec<Name>) =
            fresh_objects.partition(|name| saved.contains(name));
        let left = |array: Array| match array {
            Array::Objects if !unsaved.is_empty() => {
                Some(kept.clone()).filter(|kept| !kept.is_empty())
            }
            _ => names(&fresh, array),
        };
        let tables = Array::all(game)
            .filter(|array| left(*array) != names(d, *array))
            .collect();
        let one = |r: &Reference| {
            (
                r.name.text.clone(),
                r.local_name.as_ref().map(|local| local.text.clone()),
            )
        };
        let explicit = !fresh
            .animation_references
            .iter()
            .map(one)
            .eq(d.animation_references.iter().map(one));
        DefinitionForm {
            tables,
            unsaved,
            prerequisites: false,
            explicit,
        }
    }

    fn write(&self, form: &DefinitionForm) -> Option<(Doc, Vec<ScriptFile>)> {
        let (d, game) = (self.d, self.base.anim.game);
        let mut scope = self.scope();
        scope.first_script = self.first_script;
        scope.texts.clone_from(&self.texts);
        scope.lists.seed(d, game);
        scope.known.clone_from(&d.animation_references);
        for reference in d.animation_references.iter().filter(|_| form.explicit) {
            scope.lists.refer(reference.clone()).ok()?;
        }
        let mut doc = Doc::default();
        definition::decompile(
            &mut scope,
            &mut doc,
            d,
            &d.tables(game, &self.base.table),
            form,
        )
        .ok()?;
        Some((doc, scope.written))
    }

    /// The bytes from compiling its keys over it.
    fn compiled(&self, doc: &Doc, scripts: &[ScriptFile]) -> Option<Vec<u8>> {
        let bound = bind(doc.root(), self.base.anim.game, None, None).ok()?;
        let [bound] = bound.as_slice() else {
            return None;
        };
        let given = Given(scripts);
        let mut scope = self.scope();
        scope.scripts = Some(&given);
        let called = called(&mut scope, doc.root(), &bound.name).ok()?;
        if called == *self.called {
            over(scope, doc.root(), self.d, &called, bound)
        } else {
            None
        }
    }
}

/// Scripts that were just written.
struct Given<'a>(&'a [ScriptFile]);

impl super::scope::Scripts for Given<'_> {
    fn load(&self, file: &[u8], _: &[u8], _: F32) -> Result<Script> {
        let found = self
            .0
            .iter()
            .find(|written| written.name.as_bytes() == file);
        found
            .map(|written| written.script.clone())
            .ok_or_else(|| refit_base::wire::Error::say("no such script"))
    }
}

/// The bytes from compiling a source over an entry.
fn over(
    mut scope: Scope<'_>,
    source: List<'_>,
    old: &Definition,
    called: &Called,
    bound: &Bound,
) -> Option<Vec<u8>> {
    let (game, table) = (scope.game, scope.table);
    scope.lists.seed(old, game);
    let compiled = definition::compile(&mut scope, source, called).ok()?;
    let mut new = compiled.doc;
    let kept = scope.lists.into(&mut new, false);
    finish(&mut new, Some(old), game, compiled.flags, bound, &kept);
    new.write(game, table).ok()
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
            let Some(list) = sources.list(defined) else {
                continue;
            };
            let all = bind(list, game, world, Some(&base.names)).unwrap_or_default();
            for bound in all.into_iter().filter(|bound| !bound.left_out) {
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
            let gives = || {
                let entry = (*matches.get(i)?)?;
                let old = &base.definition(entry)?;
                let defined = sources.definitions.get(*at)?;
                let scripts = super::files::FileScripts::new(sources, defined.file);
                let mut scope = Scope::new(game, gravity, &base.table);
                scope.digits = digits;
                scope.scripts = Some(&scripts);
                let path = old
                    .path
                    .iter()
                    .map(|step| (step.name.text.bytes().to_vec(), None))
                    .collect();
                let bound = Bound {
                    digits: digits.clone(),
                    path,
                    ..Bound::plain(&called.name)
                };
                let bytes = over(scope, sources.list(defined)?, old, called, &bound)?;
                Some(*base.anim.definitions.get(entry)? == bytes)
            };
            gives() == Some(true)
        });
        let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (((at, ..), found), same) in made.iter().zip(&matches).zip(same) {
            // If one entry differs, the whole definition does not match.
            all.entry(*at)
                .or_default()
                .push(found.filter(|_| same).unwrap_or(usize::MAX));
        }
        for (at, entries) in all
            .into_iter()
            .filter(|(_, entries)| !entries.contains(&usize::MAX))
        {
            // The entries of a pattern must be consecutive, or their order would change.
            if entries
                .windows(2)
                .all(|pair| matches!(pair, [a, b] if a + 1 == *b))
            {
                of.extend(entries.into_iter().map(|entry| (entry, at)));
            }
        }
        Known { sources, of }
    }

    /// The name of a definition's file, without extension.
    fn stem(&self, definition: usize) -> Vec<u8> {
        let path = self
            .sources
            .definitions
            .get(definition)
            .map_or_else(String::new, |d| self.sources.path(d.file));
        path.rsplit('/')
            .next()
            .unwrap_or_default()
            .split('.')
            .next()
            .unwrap_or_default()
            .as_bytes()
            .to_vec()
    }

    /// The keys of a definition.
    fn list(&self, definition: usize) -> Option<List<'_>> {
        self.sources
            .definitions
            .get(definition)
            .and_then(|d| self.sources.list(d))
    }
}

/// Decompiles a file. `head` is the start of the manifest; `path` leads from the folder to the
/// file.
pub fn decompile(
    base: &Base,
    head: Head,
    path: &str,
    spelling: Spelling,
    known: Option<&Known<'_, '_>>,
) -> Result<Decompiled> {
    let mut files = Vec::new();
    let made = decompile_to(base, head, path, spelling, known, &mut |path, bytes| {
        files.push((path, bytes));
        Ok(())
    })?;
    Ok(Decompiled { files, ..made })
}

/// How many definitions are in memory as sources at a time.
const AT_ONCE: usize = 256;

/// [`decompile`], which passes each file on as soon as it is made.
///
/// # Errors
/// Those of [`decompile`] and of `put`.
pub fn decompile_to(
    base: &Base,
    head: Head,
    path: &str,
    spelling: Spelling,
    known: Option<&Known<'_, '_>>,
    put: &mut dyn FnMut(String, Bytes) -> Result<()>,
) -> Result<Decompiled> {
    let anim = &base.anim;
    let (stored, gravity) = gravities(base);
    let budget = AtomicI64::new(script::MOST_TRIALS);
    let own = |at: usize| known.and_then(|known| Some((known, *known.of.get(&at)?)));
    let mut out = Decompiled {
        files: Vec::new(),
        entries: Vec::new(),
        raw: 0,
        own: 0,
    };
    let mut names = UniquePaths::new();
    names.assign("anim", "");
    names.assign("refit", "");
    let mut root = Doc::default();
    root.key("ANIMATION_DEFINITIONS");
    if stored.get().is_finite() {
        root.with("GRAVITY", |doc| doc.float(stored));
    }
    root.key("ANIMATION_LIST");
    // The file being written, and the origin of its definitions.
    let mut file: Option<(String, Doc)> = None;
    let mut last: Option<Vec<u8>> = None;
    let mut at_definition = None;
    // The number of the first script of the next definition: scripts in events are numbered in the
    // order of the file.
    let mut script = 1;
    let positions: Vec<usize> = (0..base.called.len()).collect();
    let sources = positions.chunks(AT_ONCE).flat_map(|positions| {
        let read = par::map(positions, |_, at| base.definition(*at));
        let numbered: Vec<(usize, Option<Definition>, usize)> = positions
            .iter()
            .zip(read)
            .map(|(at, d)| {
                let first = script;
                script += d.as_ref().map_or(0, |d| inline_scripts(d, anim.game));
                (*at, d, first)
            })
            .collect();
        par::map(&numbered, |_, (at, d, first)| {
            let is_new = own(*at).is_none();
            is_new.then(|| written(base, *at, d.as_ref(), gravity, *first, &budget))
        })
    });
    for (at, (called, written)) in base.called.iter().zip(sources).enumerate() {
        let text = |bytes: &[u8]| decode_1252(bytes).into_owned();
        out.entries
            .push([text(&called.animation), text(&called.name)]);
        let given = own(at);
        out.own += usize::from(given.is_some());
        // A pattern is written once for all its entries.
        let definition = given.map(|(_, definition)| definition);
        if std::mem::replace(&mut at_definition, definition) == definition && definition.is_some() {
            continue;
        }
        // One file per original file, otherwise per name.
        let origin = given.map_or_else(
            || called.name.clone(),
            |(known, definition)| known.stem(definition),
        );
        if last.as_ref() != Some(&origin) {
            if let Some((stem, doc)) = file.take() {
                let (name, bytes) = spelled(&stem, doc, spelling)?;
                put(name, bytes)?;
            }
            let stem = names.assign(&decode_1252(&origin).replace(['/', '\\'], "_"), "");
            root.with("ANIMATION_DEFINITION_FILE", |doc| {
                // Names in sources use the games' code page.
                let spelled = format!("{stem}.zrd");
                doc.text(
                    &refit_base::wire::encode_1252(&spelled)
                        .unwrap_or_else(|_| spelled.into_bytes()),
                );
            });
            let mut doc = Doc::default();
            doc.key("ANIMATION_DEFINITIONS");
            doc.key("ANIMATION_LIST");
            file = Some((stem, doc));
            last = Some(origin);
        }
        let Some((_, doc)) = &mut file else { continue };
        doc.key("ANIMATION_DEFINITION");
        if let Some(list) = given.and_then(|(known, definition)| known.list(definition)) {
            doc.copy(list);
        }
        if let Some(written) = written {
            out.raw += usize::from(written.raw);
            doc.copy(written.doc.root());
            for script in written.scripts {
                let (name, bytes) = script_file(script)?;
                put(name, bytes)?;
            }
        }
        doc.close();
    }
    if let Some((stem, doc)) = file {
        let (name, bytes) = spelled(&stem, doc, spelling)?;
        put(name, bytes)?;
    }
    let (name, bytes) = spelled("anim", root, spelling)?;
    put(name, bytes)?;
    let sum = head.source.sum.wait();
    let manifest = Manifest::new(
        head,
        "anim-definitions".into(),
        stored,
        out.entries.clone(),
        anim.header
            .source_files
            .iter()
            .map(|file| file.path.text().into_owned())
            .collect(),
        "keep".into(),
        BaseFile {
            path: path.to_owned(),
            sum,
        },
    );
    let text = manifest.to_text(Style::Json)?;
    put("refit.json".into(), text.into())?;
    Ok(out)
}

/// The gravity that a file stores, and the one that its definitions are compiled with.
pub(super) fn gravities(base: &Base) -> (F32, F32) {
    let usual = F32::from(-9.8);
    let stored = base.anim.header.info.gravity.unwrap_or(usual);
    let is_finite = stored.get().is_finite();
    (stored, if is_finite { stored } else { usual })
}

/// The path and content of a script.
pub(super) fn script_file(file: ScriptFile) -> Result<(String, Bytes)> {
    let ScriptFile { name, script, text } = file;
    let bytes = text.map_or_else(|| script.to_text(Style::Json).map(String::into_bytes), Ok)?;
    Ok((format!("scripts/{name}"), bytes.into()))
}

/// How many scripts the events of a definition hold.
pub(super) fn inline_scripts(d: &Definition, game: Game) -> usize {
    if !Script::is_inline(game) {
        return 0;
    }
    let is_script = |event: &&Event| matches!(event.body, Body::Script(_));
    d.events().filter(is_script).count()
}

/// The path and text of a document whose two outer lists are still open.
pub(super) fn spelled(stem: &str, mut doc: Doc, spelling: Spelling) -> Result<(String, Bytes)> {
    doc.close();
    doc.close();
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
    let list = doc.root().unwrapped().find(b"EFFECTS").flatten();
    let name = |item| match item {
        Item::Text(name) => Some(name.to_vec()),
        Item::List(list) => {
            let named = list
                .find(b"NAME")
                .flatten()
                .and_then(|list| list.items().next());
            match named.or_else(|| list.items().next()) {
                Some(Item::Text(name)) => Some(name.to_vec()),
                _ => None,
            }
        }
        _ => None,
    };
    list.into_iter()
        .flat_map(List::items)
        .filter_map(name)
        .collect()
}

/// The samples that a list of sounds declares: lists that begin with a name and the name of a WAV
/// file.
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
        open.extend(list.items().filter_map(|item| {
            if let Item::List(list) = item {
                Some(list)
            } else {
                None
            }
        }));
    }
    out
}
