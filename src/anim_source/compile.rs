//! Compiles sources into an animation file.

use super::{
    base::Base,
    carry_over::{add_stale, finish},
    definition::{self, Called, called},
    files::{Defined, FileScripts, Sources},
    incremental::{Again, CompiledEntry as Before, EntryKey, FilePlace},
    report::{EntryReport, Status},
    scope::{self, KeptNames, Scope},
    source::List,
    world::{self, Bound, World, bind},
};
use bytes::Bytes;
use refit_base::{
    game::Game,
    lint::{Finding, Lints, Severity},
    par,
    wire::{Derived, Error, ErrorKind, F32, Hex, Result, UnixTime, count, decode_1252},
};
use refit_zipper::anim::{
    Anim, Definition, Script,
    header::{BaseFile, Header, Info},
    names::{Name, NameTable, Ref, StoredName},
    references::Array,
    sequences::Body,
};
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

/// Maximum number of definitions of a file, including the reserved one: Recoil's engine counts them
/// with a signed number.
pub const MOST_ENTRIES: usize = 32_767;
/// Maximum number of definitions that a file can count, including the reserved one.
const MOST_COUNTED: usize = 65_535;
/// Maximum size of a file's definitions in bytes: a pattern and a long script turn few bytes into
/// many.
const MOST_BYTES: u64 = 1 << 30;

/// What becomes of the list of source files and their times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "lowercase")
)]
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
    /// The world files that a new file names (CS).
    pub base_files: Vec<BaseFile>,
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
    pub fn has_failed(&self) -> bool {
        self.entries.iter().any(|entry| entry.error.is_some())
    }

    /// True if there is a finding above a note.
    pub fn has_findings(&self) -> bool {
        let all = self
            .findings
            .iter()
            .chain(self.entries.iter().flat_map(|entry| &entry.findings));
        all.into_iter()
            .any(|finding| finding.severity > Severity::Unusual)
    }
}

/// Maximum number of nodes that definitions may be bound to, including nodes that the world lacks.
const MOST_BOUND: usize = 1 << 18;

/// Maximum number of definitions without an entry for which to suggest similar names.
const MOST_NEAR: usize = 100;

/// An entry to compile.
struct Job<'s> {
    defined: &'s Defined,
    bound: Bound,
    called: Called,
    /// The findings about its names.
    findings: Vec<Finding>,
}

/// Compiles sources, over a base file if there is one.
pub fn compile(sources: &Sources<'_>, base: Option<&Base>, options: &Options) -> Result<Compiled> {
    compile_again(sources, base, options, &mut Again::default())
}

/// [`compile`] with the results of an earlier run: only entries affected by edits are compiled
/// again.
pub fn compile_again(
    sources: &Sources<'_>,
    base: Option<&Base>,
    options: &Options,
    again: &mut Again,
) -> Result<Compiled> {
    again.begin(sources.gravity, &sources.folders);
    let game = game_of(base, options.game)?;
    if base.is_none() && game == Game::Cs && options.base_files.is_empty() {
        return Err(Error::say(
            "a new file of Crimson Skies needs its world, because it stores the positions of nodes \
            there",
        )
        .hint("name them with --world and --planes, or name an existing file with --base"));
    }
    let gravity = gravity(sources, base);
    let table = base.map_or_else(Arc::default, |base| base.table.clone());
    let with = |table| Compile {
        sources,
        base,
        options,
        game,
        gravity,
        table,
        total: 0.into(),
        suggested: 0.into(),
    };
    let first = with(table);
    let mut files = Lints::new();
    files.of_game(Some(game));
    files.found.clone_from(&sources.lints.found);
    let paired = first.paired(first.jobs(&mut files)?);
    let used: HashSet<usize> = paired.iter().filter_map(|(_, before)| *before).collect();
    let mut seen: HashMap<(usize, (usize, usize)), u32> = HashMap::new();
    let mut key = |(job, _): &Paired<'_>| {
        let Ok(job) = job else {
            return EntryKey::default();
        };
        let (doc, place) = (sources.document_of(job.defined), job.defined.place);
        let nth = seen.entry((doc, place)).or_default();
        *nth += 1;
        (doc, place, *nth)
    };
    let keys: Vec<EntryKey> = paired.iter().map(&mut key).collect();
    let made = first.scripts(&paired, &keys, again)?;
    let new = made
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| first.table.position(name).is_none());
    let new: Vec<Name> = new.collect();
    again.with_names(&new);
    let one = with(if new.is_empty() {
        first.table.clone()
    } else {
        Arc::new(first.table.with(new.into_iter()))
    });
    let kept = &*again;
    one.expect(&paired, &keys, kept);
    let done: Vec<EntryResult> = par::map(&paired, |i, (job, before)| match job {
        Ok(job) => match unedited(job, *before, keys.get(i), kept) {
            Some(kept) => one.kept(job, kept),
            None => one.entry(job, *before),
        },
        Err(entry) => EntryResult {
            entry: entry.clone(),
            bytes: None,
            keep: None,
        },
    });
    let (mut entries, mut definitions) = (Vec::new(), Vec::new());
    for (made, key) in done.into_iter().zip(keys) {
        if let Some(keep) = made.keep {
            again.entries.insert(key, *keep);
        }
        definitions.extend(made.bytes);
        entries.push(made.entry);
    }
    if let Some(base) = base {
        let gone = base
            .called
            .iter()
            .enumerate()
            .filter(|(at, _)| !used.contains(at));
        entries.extend(gone.map(|(_, called)| EntryReport::new(called, Status::Gone)));
    }
    name_missing_animations(&mut entries, base);
    let failed = entries.iter().any(|entry| entry.status == Status::Failed);
    let anim = if failed {
        None
    } else {
        Some(one.file(definitions, made)?)
    };
    Ok(Compiled {
        anim,
        entries,
        findings: files.finish(),
    })
}

/// The gravity of sources, or that of the file that they are compiled over.
fn gravity(sources: &Sources<'_>, base: Option<&Base>) -> F32 {
    sources
        .gravity
        .or(base.and_then(|base| base.anim.header.info.gravity))
        .unwrap_or(F32::from(-9.8))
}

/// One entry of a file, compiled alone.
pub(super) struct OneEntry {
    pub bytes: Bytes,
    pub findings: Vec<Finding>,
    /// The node that it is bound to, if it is left out: then the bytes are the old ones.
    pub left_out: Option<String>,
}

/// Compiles sources with one definition, which makes the entry `at` of the base: the bytes that
/// [`compile`] gives this entry if the other entries have their sources, too.
pub(super) fn compile_entry(
    sources: &Sources<'_>,
    base: &Base,
    at: usize,
    options: &Options,
) -> Result<OneEntry> {
    let one = Compile {
        sources,
        base: Some(base),
        options,
        game: game_of(Some(base), options.game)?,
        gravity: gravity(sources, Some(base)),
        table: base.table.clone(),
        total: 0.into(),
        suggested: 0.into(),
    };
    let [defined] = sources.definitions.as_slice() else {
        let n = sources.definitions.len();
        return Err(Error::say(format!(
            "the source has {} (expected one)",
            count(n, "definition")
        )));
    };
    let list = sources
        .list(defined)
        .ok_or_else(|| Error::say("a definition without a place"))?;
    one.only(base, at, defined, list)
        .map_err(|e| scope::located(e, Some(list)).in_file(sources.path(defined.file)))
}

/// An entry as it was compiled before, if nothing that it is made of was edited.
fn unedited<'a>(
    job: &Job<'_>,
    before: Option<usize>,
    key: Option<&EntryKey>,
    again: &'a Again,
) -> Option<&'a Before> {
    let same = |kept: &&Before| {
        kept.before == before && kept.called == job.called && kept.bound == job.bound
    };
    again.entries.get(key?).filter(same)
}

/// The game to compile for: that of the base file, or the user's choice.
fn game_of(base: Option<&Base>, chosen: Option<Game>) -> Result<Game> {
    let game = match (base, chosen) {
        (Some(base), None) => base.anim.game,
        (Some(base), Some(game)) if base.anim.game.itself() != game.itself() => {
            return Err(Error::say(format!(
                "the base file is from {}, not from {}",
                base.anim.game.title(),
                game.title()
            )));
        }
        (_, Some(game)) => game,
        (None, None) => Game::Rc,
    };
    Ok(game)
}

/// The finding for an error about a limit; none for any other error.
fn limit(e: &Error, game: Game) -> Vec<Finding> {
    let mut lints = Lints::new();
    lints.of_game(Some(game));
    lints.check(e.kind() != ErrorKind::Limit, super::LIMIT, || e.to_string());
    lints.finish()
}

/// Reports calls of animations that neither the sources nor the base file define. These are only
/// notes, because missions call animations of other files.
fn name_missing_animations(entries: &mut [EntryReport], base: Option<&Base>) {
    let known: HashSet<String> = entries
        .iter()
        .filter(|entry| entry.status != Status::LeftOut)
        .map(|entry| entry.definition.clone())
        .chain(
            base.iter()
                .flat_map(|base| &base.called)
                .map(|called| decode_1252(&called.animation).into_owned()),
        )
        .collect();
    for entry in entries {
        entry.findings.retain_mut(|finding| {
            let is_call = finding.code == super::MISSING_ANIMATION.code;
            !(is_call
                && finding
                    .name
                    .as_ref()
                    .is_some_and(|name| known.contains(name)))
        });
    }
}

/// An entry, its bytes if it could be compiled, and what to keep for the next run if it was just
/// compiled.
struct EntryResult {
    entry: EntryReport,
    bytes: Option<Bytes>,
    keep: Option<Box<Before>>,
}

/// The script files that an entry uses, and the scripts that it adds to the file's table.
type UsedScripts = (Vec<FilePlace>, Vec<(Name, Script)>);

/// What the compilation of every entry needs.
struct Compile<'c, 's> {
    sources: &'c Sources<'s>,
    base: Option<&'c Base>,
    options: &'c Options,
    game: Game,
    gravity: F32,
    /// The script table of the base file.
    table: Arc<NameTable>,
    /// Size of all definitions so far, in bytes.
    total: AtomicU64,
    /// For how many definitions without an entry similar names were searched.
    suggested: AtomicUsize,
}

/// An entry to compile, or why there is none, and the base entry that it is compiled over.
type Paired<'s> = (Result<Job<'s>, EntryReport>, Option<usize>);

impl Compile<'_, '_> {
    /// The entry of a definition that is stored as bytes, which contain its names.
    fn held<'j>(&self, defined: &'j Defined, bytes: &[u8]) -> Job<'j> {
        let called = Called::of(bytes, self.game);
        Job {
            defined,
            bound: Bound::plain(&called.name),
            called,
            findings: Vec::new(),
        }
    }

    /// The entry that a definition makes for one node.
    fn job<'j>(&self, defined: &'j Defined, list: List<'_>, bound: Bound) -> Result<Job<'j>> {
        let mut scope = Scope::new(self.game, self.gravity, &self.table);
        scope.digits = &bound.digits;
        let called = called(&mut scope, list, &bound.name)?;
        let findings = scope.lints.finish();
        Ok(Job {
            defined,
            called,
            bound,
            findings,
        })
    }

    /// The only definition of the sources, which makes the entry `at` of the base.
    fn only(&self, base: &Base, at: usize, defined: &Defined, list: List<'_>) -> Result<OneEntry> {
        let job = match definition::held(list) {
            Some(held) => self.held(defined, &held?),
            None => {
                let world = self.options.world.as_ref();
                let mut bound = bind(list, self.game, world, Some(&base.names))?;
                match (bound.pop(), bound.len()) {
                    (Some(bound), 0) => self.job(defined, list, bound)?,
                    (last, n) => {
                        let n = n.saturating_add(usize::from(last.is_some()));
                        return Err(Error::say(format!(
                            "NAME fits {} (expected one: this is the source of one entry)",
                            count(n, "node")
                        )));
                    }
                }
            }
        };
        let mut names = base.called.clone();
        if let Some(own) = names.get_mut(at) {
            own.clone_from(&job.called);
        }
        let matches = base.matches(&names);
        let is_other = |(own, found): (usize, &Option<usize>)| own != at && *found != Some(own);
        if matches.iter().enumerate().any(is_other) {
            let name = decode_1252(&job.called.animation).into_owned();
            return Err(Error::say(format!(
                "another definition is called {name:?} as well, so it is not clear which one this is"
            ))
            .hint("choose another name, or edit the document as JSON"));
        }
        let before = matches.get(at).copied().flatten();
        let left_out = job.bound.left_out && job.bound.path.is_empty();
        if left_out {
            let old = base.anim.definitions.get(at).cloned().unwrap_or_default();
            return Ok(OneEntry {
                bytes: old,
                findings: Vec::new(),
                left_out: Some(decode_1252(&job.bound.name).into_owned()),
            });
        }
        let mut lints = Lints::new();
        lints.of_game(Some(self.game));
        lints.found.clone_from(&self.sources.lints.found);
        lints.found.extend(job.findings.iter().cloned());
        let mut own = Lints::new();
        own.of_game(Some(self.game));
        let name = decode_1252(&job.called.animation).into_owned();
        let (bytes, _) = self
            .bytes(&job, before, &mut own)
            .map_err(|e| e.within(format!("definition {name:?}")))?;
        let mut entry = EntryReport::new(&job.called, Status::Changed);
        entry.findings = lints.finish();
        entry.findings.extend(own.finish());
        let mut entries = [entry];
        name_missing_animations(&mut entries, Some(base));
        let [entry] = entries;
        Ok(OneEntry {
            bytes,
            findings: entry.findings,
            left_out: None,
        })
    }

    /// The entries that each definition makes. An error if there are too many.
    fn jobs(&self, files: &mut Lints) -> Result<Vec<Result<Job<'_>, EntryReport>>> {
        let (made, absent) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let jobs = par::map(&self.sources.definitions, |_, defined| {
            // Stop once there are too many.
            if made.load(Relaxed) >= MOST_COUNTED || absent.load(Relaxed) >= MOST_BOUND {
                return Vec::new();
            }
            let Some(list) = self.sources.list(defined) else {
                return Vec::new();
            };
            let failed = |e: Error, name: &[u8]| {
                let called = Called {
                    name: name.to_vec(),
                    ..Called::default()
                };
                let findings = limit(&e, self.game);
                let e = scope::located(e, Some(list)).in_file(self.sources.path(defined.file));
                EntryReport {
                    error: Some(e.to_string()),
                    findings,
                    ..EntryReport::new(&called, Status::Failed)
                }
            };
            if let Some(held) = definition::held(list) {
                return vec![held.map_err(|e| failed(e, b"")).map(|bytes| {
                    made.fetch_add(1, Relaxed);
                    self.held(defined, &bytes)
                })];
            }
            let bound = match bind(
                list,
                self.game,
                self.options.world.as_ref(),
                self.base.map(|base| &base.names),
            ) {
                Ok(bound) => bound,
                Err(e) => return vec![Err(failed(e, b""))],
            };
            let away = bound.iter().filter(|bound| bound.left_out).count();
            made.fetch_add(bound.len() - away, Relaxed);
            absent.fetch_add(away, Relaxed);
            if bound.is_empty() {
                return vec![Err(self.left_out(&world::wanted(list), defined))];
            }
            let job = |bound: Bound| {
                let name = bound.name.clone();
                self.job(defined, list, bound).map_err(|e| failed(e, &name))
            };
            bound.into_iter().map(job).collect()
        });
        let (count, absent) = (made.into_inner(), absent.into_inner());
        if count >= MOST_COUNTED || absent >= MOST_BOUND {
            let what = if count >= MOST_COUNTED {
                let most = MOST_COUNTED - 1;
                format!(
                    "the sources make {MOST_COUNTED} or more definitions (a file holds at most {most})"
                )
            } else {
                format!("the world lacks the nodes of {MOST_BOUND} or more definitions")
            };
            return Err(Error::say(what).of_kind(ErrorKind::Limit));
        }
        files.check(count < MOST_ENTRIES, super::LIMIT, || {
            format!(
                "the sources make {count} definitions (the game counts at most {})",
                MOST_ENTRIES - 1
            )
        });
        Ok(jobs.into_iter().flatten().collect())
    }

    /// Finds the base entry of each entry.
    fn paired<'j>(&self, jobs: Vec<Result<Job<'j>, EntryReport>>) -> Vec<Paired<'j>> {
        let names: Vec<Called> = jobs
            .iter()
            .flatten()
            .map(|job| job.called.clone())
            .collect();
        let matches = self
            .base
            .map_or_else(|| vec![None; names.len()], |base| base.matches(&names));
        // A definition whose node the world lacks makes an entry only if the base file has one with
        // a node that the world lacked as well.
        let stays = |at: &usize| {
            self.base
                .and_then(|base| base.called.get(*at))
                .is_some_and(|c| self.options.world.as_ref().is_none_or(|w| !w.has(&c.name)))
        };
        let mut before = matches.into_iter();
        let pair = |job: Result<Job<'j>, EntryReport>| match job {
            Err(failed) => (Err(failed), None),
            Ok(job) => match before.next().flatten() {
                found if !job.bound.left_out => (Ok(job), found),
                Some(at) if !job.bound.path.is_empty() || stays(&at) => (Ok(job), Some(at)),
                _ => (Err(self.left_out(&job.bound.name, job.defined)), None),
            },
        };
        jobs.into_iter().map(pair).collect()
    }

    /// The report for a definition that makes no entry.
    fn left_out(&self, name: &[u8], defined: &Defined) -> EntryReport {
        let list = self.sources.list(defined);
        let table = Arc::default();
        let mut scope = Scope::new(self.game, F32::default(), &table);
        let called = list.and_then(|list| called(&mut scope, list, name).ok());
        let called = called.unwrap_or_else(|| Called {
            animation: name.to_vec(),
            name: name.to_vec(),
            root: Vec::new(),
        });
        let shown = decode_1252(name).into_owned();
        let is_suggested = self.suggested.fetch_add(1, Relaxed) < MOST_NEAR;
        let near = self
            .options
            .world
            .as_ref()
            .filter(|_| is_suggested)
            .and_then(|world| world.near(&shown));
        let near = near.map_or_else(String::new, |near| format!(" ({near})"));
        let what = match (
            &self.options.world,
            name.iter().any(|b| matches!(b, b'*' | b'#')),
        ) {
            (Some(_), false) => format!("the world has no node {shown:?}: no entry is made{near}"),
            (Some(_), true) => format!("no node of the world fits {shown:?}: no entry is made"),
            (None, _) => format!("no entry of the base fits {shown:?}: no entry is made"),
        };
        let file = self.sources.path(defined.file);
        if self.options.strict {
            let e =
                Error::say(what).within(format!("definition {:?}", decode_1252(&called.animation)));
            let e = scope::located(e, list)
                .hint("without --strict it is left out")
                .in_file(file);
            return EntryReport {
                error: Some(e.to_string()),
                ..EntryReport::new(&called, Status::Failed)
            };
        }
        let mut lints = Lints::new();
        lints.at(format!("{file}{}", scope::place_of(list)), |lints| {
            lints.say(super::LEFT_OUT, what)
        });
        let mut findings = lints.finish();
        if !self.options.left_out {
            findings
                .iter_mut()
                .for_each(|finding| finding.severity = Severity::Unusual);
        }
        EntryReport {
            findings,
            ..EntryReport::new(&called, Status::LeftOut)
        }
    }

    /// An error if the definitions exceed the size limit.
    fn enough(&self, total: u64) -> Result<()> {
        let most = self
            .options
            .most_bytes
            .unwrap_or(MOST_BYTES)
            .min(MOST_BYTES);
        let e = || Error::say(format!("the definitions have more than {most} bytes"));
        if total > most {
            Err(e().hint("a pattern makes one entry for each node"))
        } else {
            Ok(())
        }
    }

    /// Detects in advance that the entries cannot fit, so that none are compiled: a pattern makes
    /// many entries, and the size of its first one is an estimate for all.
    fn expect(&self, paired: &[Paired<'_>], keys: &[EntryKey], again: &Again) {
        let most = self
            .options
            .most_bytes
            .unwrap_or(MOST_BYTES)
            .min(MOST_BYTES);
        // For each pattern: its first job, the entry that this had before, and how many jobs there
        // are.
        let mut patterns: HashMap<_, (&Job<'_>, Option<usize>, u64)> = HashMap::new();
        let mut values = 0u64;
        for ((job, before), (doc, place, _)) in paired.iter().zip(keys) {
            let Ok(job) = job else { continue };
            values = values.saturating_add(
                self.sources
                    .list(job.defined)
                    .map_or(0, |list| list.count() as u64),
            );
            patterns
                .entry((*doc, *place))
                .or_insert((job, *before, 0))
                .2 += 1;
        }
        // Few values make few bytes.
        if values < most / 64 || !again.entries.is_empty() {
            return;
        }
        let patterns: Vec<_> = patterns.into_values().filter(|(.., n)| *n > 1).collect();
        let sizes = par::map(&patterns, |_, (job, before, n)| {
            // Errors are reported when the entry is compiled.
            self.bytes(job, *before, &mut Lints::new())
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
        let e = scope::located(
            e.within(format!("definition {name:?}")),
            self.sources.list(job.defined),
        );
        entry.error = Some(e.in_file(self.sources.path(job.defined.file)).to_string());
        entry.status = Status::Failed;
        EntryResult {
            entry,
            bytes: None,
            keep: None,
        }
    }

    /// An unedited entry.
    fn kept(&self, job: &Job<'_>, kept: &Before) -> EntryResult {
        match self.counted(&kept.bytes) {
            Ok(()) => EntryResult {
                entry: kept.entry.clone(),
                bytes: Some(kept.bytes.clone()),
                keep: None,
            },
            Err(e) => self.failed(job, kept.entry.clone(), e),
        }
    }

    fn entry(&self, job: &Job<'_>, before: Option<usize>) -> EntryResult {
        let old = before.and_then(|at| self.base?.anim.definitions.get(at));
        let mut entry = EntryReport::new(&job.called, Status::Equal);
        let mut lints = Lints::new();
        lints.of_game(Some(self.game));
        let done = self.bytes(job, before, &mut lints);
        let done =
            done.and_then(|(bytes, scripts)| self.counted(&bytes).map(|()| (bytes, scripts)));
        entry.findings.clone_from(&job.findings);
        entry.findings.extend(lints.finish());
        match done {
            Ok((bytes, (scripts, made))) => {
                entry.status = match old {
                    Some(old) if *old == bytes => Status::Equal,
                    Some(_) => Status::Changed,
                    None => Status::New,
                };
                let (bound, called) = (job.bound.clone(), job.called.clone());
                let keep = Before {
                    bound,
                    called,
                    before,
                    entry: entry.clone(),
                    bytes: bytes.clone(),
                    scripts,
                    made,
                };
                EntryResult {
                    entry,
                    bytes: Some(bytes),
                    keep: Some(Box::new(keep)),
                }
            }
            Err(e) => self.failed(job, entry, e),
        }
    }

    /// The scripts whose text the sources have, in the order of their first use (PM, CS).
    fn scripts(
        &self,
        paired: &[Paired<'_>],
        keys: &[EntryKey],
        again: &Again,
    ) -> Result<Vec<(Name, Script)>> {
        if Script::is_inline(self.game) {
            return Ok(Vec::new());
        }
        let made = par::map(paired, |i, (job, before)| {
            let Some((job, list)) = job
                .as_ref()
                .ok()
                .and_then(|job| Some((job, self.sources.list(job.defined)?)))
            else {
                return Vec::new();
            };
            if definition::held(list).is_some() || !has_script(list) {
                return Vec::new();
            }
            // An entry that is left out was not compiled.
            let is_compiled = !job.bound.left_out;
            if let Some(kept) = unedited(job, *before, keys.get(i), again).filter(|_| is_compiled) {
                return kept.made.clone();
            }
            let mut scope = Scope::new(self.game, self.gravity, &self.table);
            scope.digits = &job.bound.digits;
            let scripts = FileScripts::new(self.sources, job.defined.file);
            scope.scripts = Some(&scripts);
            // Making the entry reports its errors.
            match definition::compile(&mut scope, list, &job.called) {
                Ok(_) => scope.made,
                Err(_) => Vec::new(),
            }
        });
        let mut all: Vec<(Name, Script)> = Vec::new();
        for (name, script) in made.into_iter().flatten() {
            match all.iter().find(|(own, _)| *own == name) {
                None => all.push((name, script)),
                Some((_, own)) if own.frames == script.frames => {}
                Some(_) => {
                    return Err(Error::say(format!(
                        "the script {:?} is used in two ways",
                        decode_1252(name.bytes())
                    ))
                    .hint("give each speed its own file"));
                }
            }
        }
        Ok(all)
    }

    /// The bytes of an entry, and the scripts that it uses.
    fn bytes(
        &self,
        job: &Job<'_>,
        before: Option<usize>,
        lints: &mut Lints,
    ) -> Result<(Bytes, UsedScripts)> {
        // Stop once the limit is exceeded.
        self.enough(self.total.load(Relaxed))?;
        let old_bytes = before.and_then(|at| self.base?.anim.definitions.get(at));
        if job.bound.left_out {
            let what = format!("the world has no node {:?}", decode_1252(&job.bound.name));
            let Some(bytes) = old_bytes else {
                return Err(Error::say(what));
            };
            if self.options.strict {
                return Err(Error::say(what).hint("without --strict the base's entry is kept"));
            }
            lints.say(
                super::LEFT_OUT,
                format!("{what}: the entry stays unchanged"),
            );
            return Ok((bytes.clone(), UsedScripts::default()));
        }
        let Some(list) = self.sources.list(job.defined) else {
            return Err(Error::say("a definition without a place"));
        };
        if let Some(held) = definition::held(list) {
            let bytes = held?;
            whole(&bytes, self.game)?;
            return Ok((bytes.into(), UsedScripts::default()));
        }
        let old = before.and_then(|at| self.base?.definition(at));
        let old = old.as_ref();
        let mut scope = Scope::new(self.game, self.gravity, &self.table);
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
            let what = "the new entry does not have it (REFIT ( flags … ) sets one)";
            lints.say(
                super::UNKNOWN,
                format!("the bit of {key} is not known: {what}"),
            );
        }
        let (mut new, flags) = (compiled.doc, compiled.flags);
        let kept = scope.lists.into(&mut new, self.options.prune);
        let made = std::mem::take(&mut scope.made);
        let scripts = (scripts.used(), made);
        // Findings of the parser have the line; add the file.
        let file = self.sources.path(job.defined.file);
        lints
            .found
            .iter_mut()
            .filter(|found| found.path.starts_with(':'))
            .for_each(|found| found.path.insert_str(0, &file));
        finish(&mut new, old, self.game, flags, &job.bound, &kept);
        self.nodes_of_world(&mut new, old, &job.bound, &kept)?;
        if self.game == Game::Cs {
            list_scripts(&mut new);
        }
        let bytes = new.write(self.game, &self.table)?;
        // An entry as it was shares the bytes of the base.
        let same = old_bytes.filter(|old| **old == bytes);
        // Unedited entries are not judged again.
        if same.is_none() || self.options.all {
            self.judge(&new, job, lints);
        }
        if let Some(same) = same {
            return Ok((same.clone(), scripts));
        }
        let bytes = bytes.into_boxed_slice();
        // Read the written bytes back as a check.
        let read = Definition::read(&bytes, self.game, &self.table)?;
        match read
            .event_lists()
            .map(|(_, list)| list.len())
            .eq(new.event_lists().map(|(_, list)| list.len()))
        {
            true => Ok((bytes.into(), scripts)),
            false => Err(Error::say(
                "the compiled definition reads back differently; this is a bug in refit, please report it",
            )),
        }
    }

    /// Fills in positions in the world, which Crimson Skies stores where the other games have
    /// addresses (CS). Keeps positions of the older entry and looks up new ones.
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
                None => Error::say(format!(
                    "{name:?} is new, and the file stores its position in the world"
                ))
                .hint("name the world with --world"),
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
            let twin = self
                .base
                .filter(|_| world.is_none())
                .and_then(|base| base.bound_to(name, &new.path));
            let node = match (world, &twin) {
                (None, Some(twin)) => Some(twin.pointers.anim.or(Hex(!0)).0),
                (None, None) => find(name, &[], true),
                (Some(_), _) => bound.node,
            };
            for (step, seen) in new
                .path
                .iter_mut()
                .zip(twin.as_ref().map_or(&[][..], |twin| &twin.path))
            {
                step.id = seen.id;
            }
            steps_known = twin.is_some();
            let node = node.ok_or_else(|| nowhere(name))?;
            new.pointers.anim = Derived((node != !0).then_some(Hex(node)));
        }
        let anim = new.pointers.anim.or(Hex(!0));
        if !same_root {
            let place = if root == name {
                Some(anim.0)
            } else {
                find(root, &[anim.0], true)
            };
            let place = place.ok_or_else(|| nowhere(root))?;
            new.pointers.root = Derived((place != anim.0).then_some(Hex(place)));
        } else if old.is_some_and(|old| old.pointers.root.is_none()) && !same_name {
            // The omitted position was equal to the other one.
            let place = old.map_or(Hex(!0), |old| old.pointers.anim.or(Hex(!0)));
            new.pointers.root = Derived((place != anim).then_some(place));
        }
        for (at, step) in new.path.iter_mut().enumerate().filter(|_| !steps_known) {
            if old
                .and_then(|old| old.path.get(at))
                .is_none_or(|old| old.name.text != step.name.text)
            {
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
        for array in [Array::Objects, Array::Nodes] {
            let names = new.names(array).clone().unwrap_or_default();
            for (at, label) in names.iter().enumerate().skip(kept.count(array)) {
                let text = label.text.bytes();
                let hint = if local {
                    "LOCAL_NODES_ONLY: the node must be below the root"
                } else {
                    "name a node of the world"
                };
                let id = find(text, &below, !local).ok_or_else(|| nowhere(text).hint(hint))?;
                match array {
                    Array::Objects => {
                        add_stale(&names, at, &mut new.stale.objects, |s| &mut s.pointer, id)
                    }
                    _ => add_stale(&names, at, &mut new.stale.nodes, |s| &mut s.pointer, id),
                }
            }
        }
        Ok(())
    }

    /// Reports what the game cannot handle.
    fn judge(&self, d: &Definition, job: &Job<'_>, lints: &mut Lints) {
        let shown = |name: &[u8]| decode_1252(name).into_owned();
        // The names of two lists, each once.
        fn names(lists: [&Option<Vec<StoredName>>; 2]) -> Vec<&[u8]> {
            let mut seen = HashSet::new();
            let all = lists
                .into_iter()
                .flatten()
                .flatten()
                .map(|label| label.text.bytes());
            all.filter(|name| seen.insert(*name)).collect()
        }
        // Recoil's own files have a time there.
        if let (None, Some(time), false) = (
            d.reset_time,
            d.reset_time_off.0,
            self.game.itself() == Game::Rc,
        ) {
            let what = format!(
                "RESET_TIME ( {time:?} -1 ): the reset is off, but the time is not -1 as in shipped \
                files"
            );
            lints.say(super::RESET_TIME, what);
        }
        if let Some(world) = &self.options.world {
            let made = names([&d.lights, &d.dynamic_sounds]);
            let all = names([&d.objects, &d.nodes]);
            for name in all
                .iter()
                .filter(|name| !world.has(name) && !made.contains(name))
            {
                let name = shown(name);
                let what = format!("the world has no node {name:?}");
                lints.say_of(super::MISSING_NODE, &name, what);
            }
            if !world.has(&job.called.root) {
                let root = shown(&job.called.root);
                let what = format!("the world has no node {root:?}, which is the root's name");
                lints.say_of(super::MISSING_NODE, &root, what);
            }
        }
        if let Some(effects) = &self.options.effects {
            for label in d
                .effects
                .iter()
                .flatten()
                .filter(|label| !effects.contains(label.text.bytes()))
            {
                let name = shown(label.text.bytes());
                let what = format!("no effect is called {name:?}");
                lints.say_of(super::MISSING_EFFECT, &name, what);
            }
        }
        if let Some(sounds) = &self.options.sounds {
            let all = names([&d.static_sounds, &d.dynamic_sounds]);
            for name in all.iter().filter(|name| !sounds.has(name)) {
                let name = shown(name);
                let what = format!("no sound is called {name:?}: nothing is played");
                lints.say_of(super::MISSING_SOUND, &name, what);
            }
        }
        let sequences: HashSet<&[u8]> = d
            .sequences
            .iter()
            .map(|sequence| sequence.name.bytes())
            .collect();
        let mut called: HashSet<&[u8]> = HashSet::new();
        for event in d.events() {
            match &event.body {
                Body::CallSequence(e) | Body::StopSequence(e)
                    if !sequences.contains(e.name.bytes()) =>
                {
                    lints.say(
                        super::MISSING_SEQUENCE,
                        format!("no sequence {:?}", shown(e.name.bytes())),
                    );
                }
                Body::ObjectMotion(e) => {
                    for name in [
                        &e.bounce_sequence,
                        &e.bounce_sequence_water,
                        &e.bounce_sequence_lava,
                    ]
                    .into_iter()
                    .flatten()
                    {
                        lints.check(
                            sequences.contains(name.bytes()),
                            super::MISSING_SEQUENCE,
                            || format!("no sequence {:?}", shown(name.bytes())),
                        );
                    }
                }
                // Whether the animation exists is known once all entries are compiled.
                Body::CallAnimation(e) if called.insert(e.name.bytes()) => {
                    let name = shown(e.name.bytes());
                    let what = format!("no animation {name:?} in the sources");
                    lints.say_of(super::MISSING_ANIMATION, &name, what)
                }
                _ => {}
            }
        }
    }

    /// Builds the file around the definitions.
    fn file(&self, definitions: Vec<Bytes>, scripts: Vec<(Name, Script)>) -> Result<Anim> {
        let mut anim = self.file_of(definitions);
        for (name, script) in scripts {
            match self
                .table
                .position(&name)
                .and_then(|at| anim.scripts.get_mut(at))
            {
                Some(own) => {
                    let mut changed = Script::from_pool(own, self.game)?;
                    if changed.frames != script.frames {
                        changed.frames = script.frames;
                        (changed.frame_count, changed.rest) = Default::default();
                        *own = changed.to_pool(self.game)?.into();
                    }
                }
                None => _ = anim.add_script(&script)?,
            }
        }
        Ok(anim)
    }

    fn file_of(&self, definitions: Vec<Bytes>) -> Anim {
        let usual = F32::from(-9.8);
        let Some(base) = self.base else {
            let gravity = (self.gravity != usual).then_some(self.gravity);
            let info = Info {
                gravity,
                ..Info::default()
            };
            let timestamp = (self.game == Game::Pm).then_some(UnixTime(0));
            let base_files = self.options.base_files.clone();
            let header = Header {
                info,
                timestamp,
                base_files,
                ..Header::default()
            };
            return Anim {
                header,
                definitions,
                ..Anim::new(self.game)
            };
        };
        let mut anim = Anim {
            definitions,
            ..base.anim.clone()
        };
        if let Some(gravity) = self.sources.gravity {
            anim.header.info.gravity = (gravity != usual).then_some(gravity);
        }
        if self.options.stamps == Stamps::None {
            anim.header.source_files.clear();
        }
        anim
    }
}

/// True if a list mentions a script.
fn has_script(list: List<'_>) -> bool {
    list.keys()
        .any(|(key, list)| key == b"OBJECT_MOTION_SI_SCRIPT" || list.is_some_and(has_script))
}

/// Completes the list of the scripts that a definition uses: an event refers to this list (CS).
fn list_scripts(new: &mut Definition) {
    let used = new.events().filter_map(|event| match &event.body {
        Body::Script(body) => body.script.clone(),
        _ => None,
    });
    let used: Vec<_> = used.collect();
    for script in used {
        if matches!(script, Ref::Name(_)) && !new.scripts.contains(&script) {
            new.scripts.push(script);
        }
    }
}

/// An error unless the bytes are exactly one definition, judging only by its framing.
fn whole(bytes: &[u8], game: Game) -> Result<()> {
    let mut r = refit_base::wire::Reader::new(bytes, game);
    refit_zipper::anim::definition::skip(&mut r)?;
    if r.is_empty() {
        Ok(())
    } else {
        Err(r.error(format!("{} trailing bytes after the definition", r.left())))
    }
}
