//! Compiles sources into an animation file.

use super::{
    base::Base,
    carry_over::finish,
    definition::{self, Called, called},
    files::{Defined, FileScripts, Sources},
    incremental::{Again, CompiledEntry as Before, EntryKey, FilePlace},
    report::{EntryReport, Status},
    scope::{self, KeptNames, Scope},
    source::List,
    world::{self, Bound, World, bind},
};
use crate::{
    formats::anim::{
        Anim, Definition,
        definition::Scratch,
        header::{self, Header, Info},
        names::{NameTable, StoredName},
        references::{Array, StaleNode, StaleObject},
        sequences::Body,
    },
    game::Game,
    lint::{Finding, Lints, Severity},
    par,
    wire::{Derived, Error, ErrorKind, F32, Hex, Result, decode_1252},
};
use bytes::Bytes;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

/// Maximum number of definitions of a file, including the reserved one: Recoil's engine counts them with a signed
/// number.
pub const MOST_ENTRIES: usize = 32_767;
/// Maximum number of definitions that a file can count, including the reserved one.
const MOST_COUNTED: usize = 65_535;
/// Maximum size of a file's definitions in bytes: a pattern and a long script turn few bytes into many.
const MOST_BYTES: u64 = 1 << 30;

/// What becomes of the list of source files and their times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum), value(rename_all = "lowercase"))]
pub enum Stamps {
    /// No list: the game compares nothing.
    None,
    /// The list of the file that is compiled over.
    #[default]
    Keep,
    /// That list, with the times that the files have now.
    Update,
}

/// The names of a game's sounds, compared as the game does: without case and file extension.
#[derive(Clone, Default, Debug)]
pub struct Sounds(HashSet<Vec<u8>>);

impl Sounds {
    fn key(name: &[u8]) -> Vec<u8> {
        let mut key = name.to_ascii_lowercase();
        if key.ends_with(b".wav") {
            key.truncate(key.len() - 4);
        }
        key
    }

    /// Adds a sample, or a member of a bank.
    pub fn add(&mut self, name: &[u8]) {
        self.0.insert(Self::key(name));
    }

    /// True if there are no sounds.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, name: &[u8]) -> bool {
        self.0.contains(&Self::key(name))
    }
}

/// Options of a compilation.
#[derive(Default)]
pub struct Options {
    /// The game.
    pub game: Option<Game>,
    /// The world that the definitions are bound to.
    pub world: Option<World>,
    /// The effects of the game (RC).
    pub effects: Option<HashSet<Vec<u8>>>,
    /// The sounds of the game: samples, and members of banks.
    pub sounds: Option<Sounds>,
    /// What to do with the list of source files.
    pub stamps: Stamps,
    /// Remove entries of tables that nothing refers to.
    pub prune: bool,
    /// Report an error for a definition whose node is not in the world.
    pub strict: bool,
    /// Report a finding, not only a note, for a definition that makes no entry.
    pub left_out: bool,
    /// Judge unchanged entries, too.
    pub all: bool,
    /// Maximum size of all definitions in bytes, if it is less than a gibibyte.
    pub most_bytes: Option<u64>,
}

/// The result of a compilation.
pub struct Compiled {
    /// The file; `None` if something failed.
    pub anim: Option<Anim>,
    /// Its entries, and those that are gone.
    pub entries: Vec<EntryReport>,
    /// Findings about the files.
    pub findings: Vec<Finding>,
}

impl Compiled {
    /// True if an entry could not be compiled.
    pub(crate) fn has_failed(&self) -> bool {
        self.entries.iter().any(|entry| entry.error.is_some())
    }

    /// True if there is a finding above a note.
    pub(crate) fn has_findings(&self) -> bool {
        let all = self.findings.iter().chain(self.entries.iter().flat_map(|entry| &entry.findings));
        all.into_iter().any(|finding| finding.severity > Severity::Unusual)
    }
}

/// Maximum number of nodes that definitions may be bound to, including nodes that the world lacks.
const MOST_BOUND: usize = 1 << 18;

/// The report for a definition that makes no entry.
fn left_out(
    name: &[u8],
    sources: &Sources<'_>,
    defined: &Defined,
    options: &Options,
    game: Game,
    near: bool,
) -> EntryReport {
    let mut called = Called { animation: Vec::new(), name: name.to_vec(), root: Vec::new() };
    let list = sources.list(defined);
    let mut scope = Scope::new(game, F32::default(), NO_SCRIPTS.get_or_init(Arc::default));
    if let Some(names) = list.and_then(|list| definition::called(&mut scope, list, name).ok()) {
        called = names;
    } else if called.animation.is_empty() {
        called.animation = name.to_vec();
    }
    let shown = decode_1252(name).into_owned();
    let near = options.world.as_ref().filter(|_| near).and_then(|world| world.near(&shown));
    let near = near.map_or_else(String::new, |near| format!(" ({near})"));
    let what = match (&options.world, name.iter().any(|b| matches!(b, b'*' | b'#'))) {
        (Some(_), false) => format!("the world has no node {shown:?}: no entry is made{near}"),
        (Some(_), true) => format!("no node of the world fits {shown:?}: no entry is made"),
        (None, _) => format!("no entry of the base fits {shown:?}: no entry is made"),
    };
    if options.strict {
        let error =
            scope::located(Error::say(what).within(format!("definition {:?}", decode_1252(&called.animation))), list);
        let error = Some(error.hint("without --strict it is left out").in_file(sources.path(defined.file)).to_string());
        return EntryReport { error, ..EntryReport::new(&called, Status::Failed) };
    }
    let mut lints = Lints::new();
    let path = list.and_then(List::in_text).map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
    lints.at(format!("{}{path}", sources.path(defined.file)), |lints| lints.say(super::LEFT_OUT, what));
    let mut findings = lints.finish();
    if !options.left_out {
        findings.iter_mut().for_each(|finding| finding.severity = Severity::Unusual);
    }
    EntryReport { findings, ..EntryReport::new(&called, Status::LeftOut) }
}

/// An empty script table.
static NO_SCRIPTS: OnceLock<Arc<NameTable>> = OnceLock::new();

/// Maximum number of definitions without an entry for which to suggest similar names.
const MOST_NEAR: usize = 100;

/// An entry to compile.
struct Job<'s> {
    defined: &'s Defined,
    bound: Bound,
    called: Called,
    /// The findings about its names.
    said: Vec<Finding>,
}

/// Compiles sources, over a base file if there is one.
pub fn compile(sources: &Sources<'_>, base: Option<&Base>, options: &Options) -> Result<Compiled> {
    compile_again(sources, base, options, &mut Again::default())
}

/// [`compile`] with the results of an earlier run: only entries affected by edits are compiled again.
pub fn compile_again(
    sources: &Sources<'_>,
    base: Option<&Base>,
    options: &Options,
    again: &mut Again,
) -> Result<Compiled> {
    again.begin(sources.gravity, &sources.folders);
    let game = match (base, options.game) {
        (Some(base), None) => base.anim.game,
        (Some(base), Some(game)) if base.anim.game.itself() != game.itself() => {
            return Err(Error::say(format!(
                "the file that is compiled over is of {}, not of {}",
                base.anim.game.title(),
                game.title()
            )));
        }
        (_, Some(game)) => game,
        (None, None) => Game::Rc,
    };
    if base.is_none() && game != Game::Rc {
        return Err(Error::say(format!(
            "a new file of {} cannot be made: its files hold words that no source says",
            game.title()
        ))
        .hint("--base names the file that the sources are of; what was not edited stays as it is there"));
    }
    let gravity = sources.gravity.or(base.and_then(|base| base.anim.header.info.gravity)).unwrap_or(F32::from(-9.8));
    let none: Arc<NameTable> = Arc::default();
    let table = base.map_or(&none, |base| &base.table);
    let older = base.map(|base| &base.names);
    let (made, absent, nowhere) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let near = || nowhere.fetch_add(1, Relaxed) < MOST_NEAR;
    // The nodes that each definition is bound to.
    let bound: Vec<Vec<Result<Job<'_>, EntryReport>>> = par::map(&sources.definitions, |_, defined| {
        // Stop once there are too many.
        if made.load(Relaxed) >= MOST_COUNTED || absent.load(Relaxed) >= MOST_BOUND {
            return Vec::new();
        }
        let Some(list) = sources.list(defined) else { return Vec::new() };
        let failed = |e: Error, name: &[u8]| {
            let called = Called { animation: Vec::new(), name: name.to_vec(), root: Vec::new() };
            let findings = limit(&e, game).into_iter().collect();
            let error = Some(scope::located(e, Some(list)).in_file(sources.path(defined.file)).to_string());
            vec![Err(EntryReport { error, findings, ..EntryReport::new(&called, Status::Failed) })]
        };
        // A definition stored as bytes contains its own names.
        if let Some(held) = definition::held(list) {
            return match held {
                Ok(bytes) => {
                    let called = Called {
                        animation: Definition::peek_animation_name(&bytes, game).bytes().to_vec(),
                        name: Definition::peek_name(&bytes, game).bytes().to_vec(),
                        root: Definition::peek_animation_root_name(&bytes, game).bytes().to_vec(),
                    };
                    let bound = Bound::plain(&called.name);
                    made.fetch_add(1, Relaxed);
                    vec![Ok(Job { defined, called, bound, said: Vec::new() })]
                }
                Err(e) => failed(e, b""),
            };
        }
        let bound = match bind(list, game, options.world.as_ref(), older) {
            Ok(bound) => bound,
            Err(e) => return failed(e, b""),
        };
        let away = bound.iter().filter(|bound| bound.left_out).count();
        made.fetch_add(bound.len() - away, Relaxed);
        absent.fetch_add(away, Relaxed);
        if bound.is_empty() {
            return vec![Err(left_out(&world::wanted(list), sources, defined, options, game, near()))];
        }
        let job = |bound: Bound| {
            let mut scope = Scope::new(game, gravity, table);
            scope.digits = &bound.digits;
            let called = called(&mut scope, list, &bound.name);
            let said = scope.lints.finish();
            match called {
                Ok(called) => vec![Ok(Job { defined, called, bound, said })],
                Err(e) => failed(e, &bound.name),
            }
        };
        bound.into_iter().flat_map(job).collect()
    });
    let count = made.into_inner();
    let mut files = Lints::new();
    files.of_game(Some(game));
    files.found.clone_from(&sources.lints.found);
    if count >= MOST_COUNTED {
        let what =
            format!("the sources make {} definitions or more, a file holds at most {}", MOST_COUNTED, MOST_COUNTED - 1);
        return Err(Error::say(what).of_kind(ErrorKind::Limit));
    }
    if absent.into_inner() >= MOST_BOUND {
        let what = format!("the sources have {MOST_BOUND} definitions or more whose nodes the world does not have");
        return Err(Error::say(what).of_kind(ErrorKind::Limit));
    }
    files.check(count < MOST_ENTRIES, super::LIMIT, || {
        format!("the sources make {count} definitions, the game counts at most {}", MOST_ENTRIES - 1)
    });
    let jobs: Vec<Result<Job<'_>, EntryReport>> = bound.into_iter().flatten().collect();
    let names: Vec<Called> = jobs.iter().filter_map(|job| Some(job.as_ref().ok()?.called.clone())).collect();
    let matches = base.map_or_else(|| vec![None; names.len()], |base| base.matches(&names));
    // A definition whose node the world lacks makes an entry only if the base file has one with a node that the world
    // lacked as well.
    let stays = |at: &usize| {
        base.and_then(|base| base.called.get(*at))
            .is_some_and(|c| options.world.as_ref().is_none_or(|w| !w.has(&c.name)))
    };
    let mut before = matches.iter().copied();
    let mut paired: Vec<(Result<Job<'_>, EntryReport>, Option<usize>)> = Vec::with_capacity(jobs.len());
    for job in jobs {
        match job {
            Err(failed) => paired.push((Err(failed), None)),
            Ok(job) => match before.next().flatten() {
                found if !job.bound.left_out => paired.push((Ok(job), found)),
                Some(at) if !job.bound.path.is_empty() || stays(&at) => paired.push((Ok(job), Some(at))),
                _ => paired.push((Err(left_out(&job.bound.name, sources, job.defined, options, game, near())), None)),
            },
        }
    }
    let total = AtomicU64::new(0);
    let one = Compile { sources, base, options, game, gravity, table, total: &total };
    let used: HashSet<usize> = paired.iter().filter_map(|(_, before)| *before).collect();
    let mut seen: HashMap<(usize, (usize, usize)), u32> = HashMap::new();
    let keys: Vec<EntryKey> = paired
        .iter()
        .map(|(job, _)| {
            let Ok(job) = job else { return EntryKey::default() };
            let (doc, place) = (sources.document_of(job.defined), job.defined.place);
            let nth = seen.entry((doc, place)).or_default();
            *nth += 1;
            (doc, place, *nth)
        })
        .collect();
    let kept = &*again;
    one.expect(&paired, &keys, kept);
    let done: Vec<EntryResult> = par::map_with(&paired, Scratch::default, |scratch, i, (job, before)| match job {
        Ok(job) => {
            let same = |kept: &&Before| kept.before == *before && kept.called == job.called && kept.bound == job.bound;
            match keys.get(i).and_then(|key| kept.entry(key)).filter(same) {
                Some(kept) => one.kept(job, kept),
                None => one.entry(job, *before, scratch),
            }
        }
        Err(entry) => EntryResult { entry: entry.clone(), bytes: None, keep: None },
    });
    let mut entries = Vec::with_capacity(done.len());
    let mut definitions = Vec::with_capacity(done.len());
    for (made, key) in done.into_iter().zip(keys) {
        if let Some(keep) = made.keep {
            again.keep(key, *keep);
        }
        definitions.extend(made.bytes);
        entries.push(made.entry);
    }
    if let Some(base) = base {
        let gone = base.called.iter().enumerate().filter(|(at, _)| !used.contains(at));
        entries.extend(gone.map(|(_, called)| EntryReport::new(called, Status::Gone)));
    }
    name_missing_animations(&mut entries, base);
    let failed = entries.iter().any(|entry| entry.status == Status::Failed);
    let anim = if failed { None } else { Some(one.file(definitions)) };
    Ok(Compiled { anim, entries, findings: files.finish() })
}

/// A finding for an error about a limit; `None` for any other error.
fn limit(e: &Error, game: Game) -> Option<Finding> {
    let code = super::LIMIT;
    let severity = code.severity_in(Some(game));
    (e.kind() == ErrorKind::Limit).then(|| Finding {
        code: code.code,
        severity,
        path: String::new(),
        message: e.to_string(),
        more: 0,
    })
}

/// Reports calls of animations that neither the sources nor the base file define. These are only notes, because
/// missions call animations of other files.
fn name_missing_animations(entries: &mut [EntryReport], base: Option<&Base>) {
    let known: HashSet<String> = entries
        .iter()
        .filter(|entry| entry.status != Status::LeftOut)
        .map(|entry| entry.definition.clone())
        .chain(
            base.into_iter()
                .flat_map(|base| base.called.iter().map(|called| decode_1252(&called.animation).into_owned())),
        )
        .collect();
    for entry in entries {
        entry
            .findings
            .retain(|finding| finding.code != super::MISSING_ANIMATION.code || !known.contains(&finding.message));
        for finding in entry.findings.iter_mut().filter(|finding| finding.code == super::MISSING_ANIMATION.code) {
            finding.message = format!("no animation {:?} in the sources", finding.message);
        }
    }
}

/// An entry, its bytes if it could be compiled, and what to keep for the next run if it was just compiled.
struct EntryResult {
    entry: EntryReport,
    bytes: Option<Bytes>,
    keep: Option<Box<Before>>,
}

/// What the compilation of every entry needs.
struct Compile<'c, 's> {
    sources: &'c Sources<'s>,
    base: Option<&'c Base>,
    options: &'c Options,
    game: Game,
    gravity: F32,
    table: &'c Arc<NameTable>,
    total: &'c AtomicU64,
}

impl Compile<'_, '_> {
    /// An error if the definitions exceed the size limit.
    fn enough(&self, total: u64) -> Result<()> {
        let most = self.options.most_bytes.unwrap_or(MOST_BYTES).min(MOST_BYTES);
        match total > most {
            true => Err(Error::say(format!("the definitions have more than {most} bytes"))
                .hint("a pattern makes an entry of each node")),
            false => Ok(()),
        }
    }

    /// Detects in advance that the entries cannot fit, so that none are compiled: a pattern makes many entries, and the
    /// size of its first one is an estimate for all.
    fn expect(&self, paired: &[(Result<Job<'_>, EntryReport>, Option<usize>)], keys: &[EntryKey], again: &Again) {
        let most = self.options.most_bytes.unwrap_or(MOST_BYTES).min(MOST_BYTES);
        /// A pattern's first job, the entry that it had before, and how many jobs there are.
        type Pattern<'a, 'b> = (&'a Job<'b>, Option<usize>, u64);
        let mut patterns: HashMap<(usize, (usize, usize)), Pattern<'_, '_>> = HashMap::new();
        let mut values = 0u64;
        for ((job, before), (doc, place, _)) in paired.iter().zip(keys) {
            let Ok(job) = job else { continue };
            values = values.saturating_add(self.sources.list(job.defined).map_or(0, |list| list.count() as u64));
            patterns.entry((*doc, *place)).or_insert((job, *before, 0)).2 += 1;
        }
        // Few values make few bytes.
        if values < most / 64 || again.has_entries() {
            return;
        }
        let patterns: Vec<(&Job<'_>, Option<usize>, u64)> = patterns.into_values().filter(|(.., n)| *n > 1).collect();
        let sizes = par::map_with(&patterns, Scratch::default, |scratch, _, (job, before, n)| {
            // Errors are reported when the entry is compiled.
            self.bytes(job, *before, &mut Lints::new(), scratch)
                .map_or(0, |(bytes, _)| (bytes.len() as u64).saturating_mul(*n))
        });
        let all = sizes.into_iter().fold(0, u64::saturating_add);
        if all > most {
            self.total.store(all, Relaxed);
        }
    }

    /// Adds the bytes of an entry to the total.
    fn counted(&self, bytes: &Bytes) -> Result<()> {
        let before = self.total.fetch_add(bytes.len() as u64, Relaxed);
        self.enough(before.saturating_add(bytes.len() as u64))
    }

    fn failed(&self, job: &Job<'_>, mut entry: EntryReport, e: Error) -> EntryResult {
        entry.findings.extend(limit(&e, self.game));
        let name = decode_1252(&job.called.animation).into_owned();
        let e = scope::located(e.within(format!("definition {name:?}")), self.sources.list(job.defined));
        entry.error = Some(e.in_file(self.sources.path(job.defined.file)).to_string());
        entry.status = Status::Failed;
        EntryResult { entry, bytes: None, keep: None }
    }

    /// An unedited entry.
    fn kept(&self, job: &Job<'_>, kept: &Before) -> EntryResult {
        match self.counted(&kept.bytes) {
            Ok(()) => EntryResult { entry: kept.entry.clone(), bytes: Some(kept.bytes.clone()), keep: None },
            Err(e) => self.failed(job, kept.entry.clone(), e),
        }
    }

    fn entry(&self, job: &Job<'_>, before: Option<usize>, scratch: &mut Scratch) -> EntryResult {
        let old = before.and_then(|at| self.base?.anim.definitions.get(at));
        let mut entry = EntryReport::new(&job.called, Status::Equal);
        let mut lints = Lints::new();
        lints.of_game(Some(self.game));
        let done = self.bytes(job, before, &mut lints, scratch).and_then(|(bytes, scripts)| {
            self.counted(&bytes)?;
            Ok((bytes, scripts))
        });
        entry.findings.clone_from(&job.said);
        entry.findings.extend(lints.finish());
        match done {
            Ok((bytes, scripts)) => {
                entry.status = match old {
                    Some(old) if *old == bytes => Status::Equal,
                    Some(_) => Status::Changed,
                    None => Status::New,
                };
                let (bound, called) = (job.bound.clone(), job.called.clone());
                let keep = Before { bound, called, before, entry: entry.clone(), bytes: bytes.clone(), scripts };
                EntryResult { entry, bytes: Some(bytes), keep: Some(Box::new(keep)) }
            }
            Err(e) => self.failed(job, entry, e),
        }
    }

    /// The bytes of an entry, and the scripts that it uses.
    fn bytes(
        &self,
        job: &Job<'_>,
        before: Option<usize>,
        lints: &mut Lints,
        scratch: &mut Scratch,
    ) -> Result<(Bytes, Vec<FilePlace>)> {
        // Stop once the limit is exceeded.
        self.enough(self.total.load(Relaxed))?;
        let old_bytes = before.and_then(|at| self.base?.anim.definitions.get(at));
        if job.bound.left_out {
            let name = decode_1252(&job.bound.name).into_owned();
            let Some(bytes) = old_bytes else { return Err(Error::say(format!("the world has no node {name:?}"))) };
            if self.options.strict {
                return Err(Error::say(format!("the world has no node {name:?}"))
                    .hint("without --strict the entry of the base stays"));
            }
            lints.say(super::LEFT_OUT, format!("the world has no node {name:?}: the entry stays as it is"));
            return Ok((bytes.clone(), Vec::new()));
        }
        let Some(list) = self.sources.list(job.defined) else { return Err(Error::say("a definition without a place")) };
        if let Some(held) = definition::held(list) {
            let bytes = held?;
            whole(&bytes, self.game)?;
            return Ok((bytes.into(), Vec::new()));
        }
        let old = before.and_then(|at| self.base?.definitions.get(at)?.as_ref());
        let mut scope = Scope::new(self.game, self.gravity, self.table);
        scope.digits = &job.bound.digits;
        if let Some(old) = old {
            scope.lists.seed(old, self.game);
        }
        let scripts = FileScripts::new(self.sources, job.defined.file);
        scope.scripts = Some(&scripts);
        let compiled = definition::compile(&mut scope, list, &job.called);
        std::mem::swap(lints, &mut scope.lints);
        let compiled = compiled?;
        for key in compiled.bitless.iter().filter(|_| old.is_none()) {
            lints.say(
                super::UNKNOWN,
                format!("nobody knows the bit of {key}: the new entry does not have it (REFIT ( flags … ) sets one)"),
            );
        }
        let (mut new, flags) = (compiled.doc, compiled.own.flags);
        let kept = scope.lists.into(&mut new, self.options.prune);
        let scripts = scripts.used();
        // Findings of the parser have the line; add the file.
        let file = self.sources.path(job.defined.file);
        lints
            .found
            .iter_mut()
            .filter(|found| found.path.starts_with(':'))
            .for_each(|found| found.path.insert_str(0, &file));
        finish(&mut new, old, self.game, flags, &job.bound, &kept);
        self.nodes_of_world(&mut new, old, &job.bound, &kept)?;
        let bytes = new.write(self.game, self.table)?;
        let same = old_bytes.is_some_and(|old| *old == bytes);
        // Unedited entries are not judged again.
        if !same || self.options.all {
            self.judge(&new, job, lints);
        }
        let bytes = bytes.into_boxed_slice();
        if same {
            return Ok((bytes.into(), scripts));
        }
        // Read the written bytes back as a check.
        let read = Definition::read(&bytes, self.game, self.table, scratch)?;
        match read.event_lists().map(|(_, list)| list.len()).eq(new.event_lists().map(|(_, list)| list.len())) {
            true => Ok((bytes.into(), scripts)),
            false => Err(Error::say(
                "the compiled definition is not read as it was written; this is a bug in refit, please report it",
            )),
        }
    }

    /// Fills in positions in the world, which Crimson Skies stores where the other games have addresses (CS). Keeps
    /// positions of the older entry and looks up new ones.
    fn nodes_of_world(
        &self,
        new: &mut Definition,
        old: Option<&Definition>,
        bound: &Bound,
        kept: &KeptNames,
    ) -> Result<()> {
        if self.game != Game::Cs {
            return Ok(());
        }
        let world = self.options.world.as_ref();
        let nowhere = |name: &[u8]| {
            let name = decode_1252(name).into_owned();
            match world {
                Some(_) => Error::say(format!("the world has no node {name:?}, or several")),
                None => Error::say(format!("{name:?} is new, and its place in the world is stored with it"))
                    .hint("--world names the world"),
            }
        };
        // Without a world, the other entries of the file show where a node is.
        let find = |name: &[u8], below: &[u32], anywhere: bool| match world {
            Some(world) => world.find(name, below, anywhere),
            None => self.base?.place(name, below),
        };
        // The nodes that it is bound to and attached to.
        let (name, root) = (new.name, new.animation_root_name);
        let (name, root) = (name.bytes(), root.bytes());
        let same_name = old.is_some_and(|old| old.name.bytes() == name);
        let same_root = old.is_some_and(|old| old.animation_root_name.bytes() == root);
        let mut steps_known = false;
        if !same_name {
            let twin = self.base.filter(|_| world.is_none()).and_then(|base| base.bound_to(name, &new.path));
            let node = match (world, twin) {
                (None, Some(twin)) => Some(twin.pointers.anim.or(Hex(!0)).0),
                (None, None) => find(name, &[], true),
                (Some(_), _) => bound.node,
            };
            for (step, seen) in new.path.iter_mut().zip(twin.map_or(&[][..], |twin| &twin.path)) {
                step.id = seen.id;
            }
            steps_known = twin.is_some();
            let node = node.ok_or_else(|| nowhere(name))?;
            new.pointers.anim = Derived((node != !0).then_some(Hex(node)));
        }
        let anim = new.pointers.anim.or(Hex(!0));
        if !same_root {
            let place = if root == name { Some(anim.0) } else { find(root, &[anim.0], true) };
            let place = place.ok_or_else(|| nowhere(root))?;
            new.pointers.root = Derived((place != anim.0).then_some(Hex(place)));
        } else if old.is_some_and(|old| old.pointers.root.is_none()) && !same_name {
            // The omitted position was equal to the other one.
            let place = old.map_or(Hex(!0), |old| old.pointers.anim.or(Hex(!0)));
            new.pointers.root = Derived((place != anim).then_some(place));
        }
        for (at, step) in new.path.iter_mut().enumerate().filter(|_| !steps_known) {
            if old.and_then(|old| old.path.get(at)).is_none_or(|old| old.name.text != step.name.text) {
                let text = step.name.text.bytes();
                let place = if world.is_some() {
                    bound.path.get(at).and_then(|(_, place)| *place)
                } else {
                    find(text, &[], true)
                };
                step.id = Hex(place.ok_or_else(|| nowhere(text))?);
            }
        }
        let below = [new.pointers.root.or(anim).0, anim.0];
        let local = new.local_nodes_only;
        let fresh: Vec<(Array, usize, StoredName)> = [Array::Objects, Array::Nodes]
            .into_iter()
            .flat_map(|array| {
                let from = kept.count(array);
                new.names(array)
                    .iter()
                    .flatten()
                    .enumerate()
                    .skip(from)
                    .map(move |(at, label)| (array, at, label.clone()))
                    .collect::<Vec<_>>()
            })
            .collect();
        for (array, at, label) in fresh {
            let text = label.text.bytes();
            let id = find(text, &below, !local).ok_or_else(|| {
                let hint =
                    if local { "LOCAL_NODES_ONLY: it must hang below the root" } else { "name a node of the world" };
                nowhere(text).hint(hint)
            })?;
            let pointer = Derived(Some(Hex(id)));
            match array {
                Array::Objects => {
                    if new.stale.objects.len() < at {
                        let labels = new.objects.iter().flatten().take(at);
                        new.stale.objects =
                            labels.map(|l| StaleObject { name: l.text.clone(), ..StaleObject::default() }).collect();
                    }
                    new.stale.objects.push(StaleObject { name: label.text.clone(), pointer, ..StaleObject::default() });
                }
                _ => {
                    if new.stale.nodes.len() < at {
                        let labels = new.nodes.iter().flatten().take(at);
                        new.stale.nodes =
                            labels.map(|l| StaleNode { name: l.text.clone(), ..StaleNode::default() }).collect();
                    }
                    new.stale.nodes.push(StaleNode { name: label.text.clone(), pointer, ..StaleNode::default() });
                }
            }
        }
        Ok(())
    }

    /// Reports what the game cannot handle.
    fn judge(&self, d: &Definition, job: &Job<'_>, lints: &mut Lints) {
        let shown = |name: &[u8]| decode_1252(name).into_owned();
        // Recoil's own files have a time there.
        if let (None, Some(time), false) = (d.reset_time, d.reset_time_off.0, self.game.itself() == Game::Rc) {
            lints.say(
                super::RESET_TIME,
                format!("RESET_TIME ( {time:?} -1 ): the reset is off, and shipped files have -1 beside that"),
            );
        }
        if let Some(world) = &self.options.world {
            let made: HashSet<&[u8]> = [&d.lights, &d.dynamic_sounds]
                .into_iter()
                .flat_map(|list| list.iter().flatten())
                .map(|label| label.text.bytes())
                .collect();
            let mut told: HashSet<&[u8]> = HashSet::new();
            for list in [&d.objects, &d.nodes] {
                for label in list.iter().flatten() {
                    let name = label.text.bytes();
                    if !world.has(name) && !made.contains(name) && told.insert(name) {
                        lints.say(super::MISSING_NODE, format!("the world has no node {:?}", shown(name)));
                    }
                }
            }
            if !world.has(&job.called.root) {
                lints.say(
                    super::MISSING_NODE,
                    format!("the world has no node {:?}, the root's name", shown(&job.called.root)),
                );
            }
        }
        if let Some(effects) = &self.options.effects {
            for label in d.effects.iter().flatten().filter(|label| !effects.contains(label.text.bytes())) {
                lints.say(super::MISSING_EFFECT, format!("no effect is called {:?}", shown(label.text.bytes())));
            }
        }
        if let Some(sounds) = &self.options.sounds {
            let mut told: HashSet<&[u8]> = HashSet::new();
            for list in [&d.static_sounds, &d.dynamic_sounds] {
                for name in list.iter().flatten().map(|label| label.text.bytes()) {
                    if !sounds.has(name) && told.insert(name) {
                        lints.say(
                            super::MISSING_SOUND,
                            format!("no sound is called {:?}: nothing is played", shown(name)),
                        );
                    }
                }
            }
        }
        let sequences: HashSet<&[u8]> = d.sequences.iter().map(|sequence| sequence.name.bytes()).collect();
        let mut called: HashSet<&[u8]> = HashSet::new();
        for event in d.event_lists().flat_map(|(_, events)| events) {
            match &event.body {
                Body::CallSequence(e) | Body::StopSequence(e) if !sequences.contains(e.name.bytes()) => {
                    lints.say(super::MISSING_SEQUENCE, format!("no sequence {:?}", shown(e.name.bytes())));
                }
                Body::ObjectMotion(e) => {
                    for name in
                        [&e.bounce_sequence, &e.bounce_sequence_water, &e.bounce_sequence_lava].into_iter().flatten()
                    {
                        lints.check(sequences.contains(name.bytes()), super::MISSING_SEQUENCE, || {
                            format!("no sequence {:?}", shown(name.bytes()))
                        });
                    }
                }
                // Whether the animation exists is known once all entries are compiled.
                Body::CallAnimation(e) if called.insert(e.name.bytes()) => {
                    lints.say(super::MISSING_ANIMATION, shown(e.name.bytes()))
                }
                _ => {}
            }
        }
    }

    /// Builds the file around the definitions.
    fn file(&self, definitions: Vec<Bytes>) -> Anim {
        let usual = F32::from(-9.8);
        if let Some(base) = self.base {
            let old = &base.anim;
            let mut header = Header {
                version: old.header.version,
                timestamp: old.header.timestamp,
                base_files: old.header.base_files.clone(),
                source_files: old.header.source_files.clone(),
                info: old.header.info.clone(),
            };
            if let Some(gravity) = self.sources.gravity {
                header.info.gravity = (gravity != usual).then_some(gravity);
            }
            if self.options.stamps == Stamps::None {
                header.source_files.clear();
            }
            return Anim {
                game: old.game,
                header,
                definition_0: old.definition_0.clone(),
                definitions,
                scripts: old.scripts.clone(),
                messages: old.messages.clone(),
                trailing: old.trailing.clone(),
            };
        }
        let zero = Derived(Some(Hex(0)));
        let gravity = (self.gravity != usual).then_some(self.gravity);
        let info = Info { gravity, definitions_pointer: zero, world_pointer: zero, ..Info::default() };
        Anim {
            game: self.game,
            header: Header { info, ..Header::default() },
            definition_0: Some(header::definition_0(self.game).into()),
            definitions,
            scripts: Vec::new(),
            messages: Vec::new(),
            trailing: Bytes::new(),
        }
    }
}

/// An error unless the bytes are exactly one definition, judging only by its framing.
fn whole(bytes: &[u8], game: Game) -> Result<()> {
    let mut r = crate::wire::Reader::new(bytes, game);
    crate::formats::anim::definition::skip(&mut r)?;
    match r.is_empty() {
        true => Ok(()),
        false => Err(r.error(format!("{} bytes are left behind the definition", r.left()))),
    }
}
