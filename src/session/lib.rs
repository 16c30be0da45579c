//! Edits of a project, with undo: the one door through which the page, the command line and other
//! programs change the documents of a project.
//!
//! The project on disk is the only truth. [`Session::edit`] writes the documents that an edit
//! changes, and its journal of undo (`.refit/undo`), in one transaction: all of them or none,
//! whenever the program ends. The game is only written by [`Session::build`].
//!
//! Other programs may edit the same documents at any time. An edit is made of what is on disk; an
//! undo whose documents changed since is merged with these changes, value by value, and refused if
//! both changed the same value.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod built;
mod document;
mod edit;
mod journal;
mod plan;
mod rebase;
mod share;
mod signing;
mod text;

pub use built::{BuildReport, Notes, RestoreReport};
pub use edit::{
    ChangedPart, Edit, EditDone, Edited, Encoded, FileFinding, MemberEdit, NodeMotion, PartDone,
    WorldEdit,
};
pub use share::{AboutMod, AppliedMod, GameMods, ModContents, ModFile, ModPlan, PlannedFile};
pub use signing::{AddonCheck, SignatureCheck, Signed};

use bytes::Bytes;
use edit::Everywhere;
use journal::{Contents, Journal, MOST, NewRecord, Record, State};
use plan::{NewParts, Plan, Tree, spelling};
use rebase::{Meeting, rebase};
use refit_base::{
    Sum,
    path::Shown,
    tree::{
        Document as _, Style,
        disk::{Backup, Replace, Together, together},
        is_project, is_tree, manifest_path,
    },
    wire::{Error, ErrorKind, Result},
};
use refit_diff::{Difference, Part, PartChange, PartKind, Value, rows};
use refit_files::pipeline;
use refit_project::{Project, ProjectFile};
use refit_workbench::{
    Options, Progress,
    edits::EditFinding,
    kept::KeptTrees,
    project::{self, Outcome},
    put_tree, restore, unpack, world,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

/// How long to wait for another edit of the same project.
const PATIENCE: Duration = Duration::from_secs(20);

/// A project that is edited.
#[derive(Debug)]
pub struct Session {
    root: PathBuf,
    options: Options,
    /// The tree of the file that was checked last and has none in this project.
    shadow: Mutex<Option<Box<Shadow>>>,
}

impl Session {
    /// Opens a project, or the project that contains a tree or a document.
    ///
    /// # Errors
    /// If the path is not in a project.
    pub fn open(path: &Path) -> Result<Self> {
        let whole = refit_base::path::canonical(path).map_err(|e| Error::io(path, e))?;
        let root = whole.ancestors().find(|above| is_project(above));
        let root = root.ok_or_else(|| {
            Error::say("not a project, so nothing in it can be edited with undo")
                .in_file(path.shown())
                .hint("`refit unpack GAME -o PROJECT` makes a project of a game")
        })?;
        Project::open(root)?;
        Ok(Session {
            root: root.to_owned(),
            options: Options {
                kept: Some(Arc::default()),
                ..Options::default()
            },
            shadow: Mutex::default(),
        })
    }

    /// Makes a project of a game that has no trees yet, and opens it. Each file gets its tree before
    /// its first edit, so this takes no time.
    ///
    /// # Errors
    /// If the folder exists already, or is inside of the game.
    pub fn begin(game: &Path, project: &Path) -> Result<Self> {
        unpack::empty_project(game, project)?;
        Self::open(project)
    }

    /// The tree that was edited last, for a program that shows it.
    pub fn kept(&self) -> Option<Arc<KeptTrees>> {
        self.options.kept.clone()
    }

    /// The folder of the project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the game that [`Session::build`] writes to.
    ///
    /// # Errors
    /// If this machine does not have it.
    pub fn game(&self) -> Result<PathBuf> {
        Project::open(&self.root)?.game("`refit repack PROJECT -o GAME`")
    }

    /// Makes an edit, and writes the documents that it changes. A file of the game that has no tree
    /// in the project yet gets one.
    ///
    /// # Errors
    /// If there is no such place, if the value does not fit, if another program changed the value
    /// meanwhile, or if the file could not be built with the edit. Nothing is written then.
    pub fn edit(&mut self, edit: &Edit) -> Result<Edited> {
        let mut work = self.begin_work("edit")?;
        self.ensure_tree(edit.file(), &mut work)?;
        if let Edit::World { file, change } = edit
            && change.has_others()
        {
            self.ensure_loaded_with(file, &mut work)?;
        }
        if let Edit::Gltf { file, .. } = edit
            && Tree::open(&self.root, file)?.format == refit_base::format::Format::Gamez
        {
            self.ensure_loaded_with(file, &mut work)?;
        }
        if let Some(everywhere) = edit.everywhere() {
            self.ensure_everywhere(&everywhere, &mut work)?;
        }
        let plan = self.plan(edit)?;
        self.finish(work, plan, Kind::New { reverts: None })
    }

    /// What an edit would do, without making it. A file that has no tree yet gets a temporary one for
    /// an edit of a text, and is not looked at for others: `None`.
    ///
    /// # Errors
    /// Those of [`Session::edit`].
    pub fn check(&self, edit: &Edit) -> Result<Option<Edited>> {
        refit_base::tree::check_inside_path(edit.file()).map_err(|e| e.in_file(edit.file()))?;
        if !is_tree(&self.root.join(edit.file())) {
            return match edit {
                Edit::Text { file, .. } | Edit::Definition { file, .. } => {
                    self.check_without_tree(file, edit)
                }
                _ => Ok(None),
            };
        }
        let Plan {
            label,
            mut parts,
            notes,
            judged,
        } = self.plan(edit)?;
        parts.retain(|_, (now, new)| now != new);
        let mut edited = Edited {
            label,
            notes,
            ..Edited::default()
        };
        self.judge(&parts, judged, &mut edited)?;
        edited.changed = changed(&parts);
        Ok(Some(edited))
    }

    /// [`Session::check`] in a temporary project with the tree of this file.
    fn check_without_tree(&self, file: &str, edit: &Edit) -> Result<Option<Edited>> {
        let game = self.game()?;
        let path = game.join(file);
        let state = std::fs::metadata(&path).map_err(|e| Error::io(&path, e))?;
        let state = (state.len(), state.modified().ok());
        let mut shadow = self.shadow.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shadow) = shadow.as_deref()
            && shadow.file == file
            && shadow.state == state
        {
            return shadow.session.check(edit);
        }
        *shadow = None;
        let folder = tempfile::tempdir().map_err(|e| Error::io(&std::env::temp_dir(), e))?;
        let session = Session::begin(&game, &folder.path().join("project"))?;
        let mut work = session.begin_work("check")?;
        session.ensure_tree(file, &mut work)?;
        drop(work);
        let made = shadow.insert(Box::new(Shadow {
            session,
            file: file.to_owned(),
            state,
            _folder: folder,
        }));
        made.session.check(edit)
    }

    /// Takes the last edit back that was not undone; `None` if there is none.
    ///
    /// # Errors
    /// If another program changed the same values since. Nothing is written then.
    pub fn undo(&mut self) -> Result<Option<Edited>> {
        let work = self.begin_work("undo")?;
        let Some(number) = work.state.done else {
            return Ok(None);
        };
        let Some(record) = work.journal.record(number)? else {
            return Ok(None);
        };
        let plan = self.back(&work, &record, "the undo")?;
        self.finish(work, plan, Kind::Undo(record)).map(Some)
    }

    /// Makes the edit again that was undone last; `None` if there is none.
    ///
    /// # Errors
    /// If another program changed the same values since. Nothing is written then.
    pub fn redo(&mut self) -> Result<Option<Edited>> {
        let work = self.begin_work("redo")?;
        let Some(record) = work
            .state
            .undone
            .last()
            .map(|number| work.journal.record(*number))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        let plan = self.parts_of(&work, &record, "the redo", |contents| {
            (contents.before, contents.after)
        })?;
        self.finish(work, plan, Kind::Redo(record)).map(Some)
    }

    /// Takes back the edit with this number, and leaves later ones as they are. This is an edit
    /// itself, which can be undone.
    ///
    /// # Errors
    /// If there is no such edit, or if a later edit or another program changed the same values.
    pub fn revert(&mut self, number: u64) -> Result<Edited> {
        let work = self.begin_work("revert")?;
        let record = work.journal.record(number)?;
        let record = record
            .filter(|record| !work.state.undone.contains(&record.number))
            .ok_or_else(|| {
                Error::say(format!("there is no edit {number} to take back"))
                    .in_file(self.root.shown())
                    .hint("`refit changes PROJECT` lists the edits")
                    .of_kind(ErrorKind::NoMember)
            })?;
        let plan = self.back(&work, &record, "taking the edit back")?;
        self.finish(
            work,
            plan,
            Kind::New {
                reverts: Some(number),
            },
        )
    }

    /// The edits that are in effect, the last one first, at most `limit` of them.
    pub fn changes(&self, limit: usize) -> Result<Vec<EditDone>> {
        self.recover()?;
        let journal = Journal::new(&self.root);
        let state = journal.state()?;
        let (mut out, mut next) = (Vec::new(), state.done);
        let mut seen = BTreeSet::new();
        while let Some(number) = next
            && out.len() < limit
            && let Some(record) = journal.record(number)?
        {
            next = record.before;
            out.push(self.described(&journal, &record, &mut seen)?);
        }
        Ok(out)
    }

    /// The number of edits that [`Session::redo`] can make again, and whether
    /// [`Session::undo`] can take one back.
    pub fn can_undo_and_redo(&self) -> Result<(bool, usize)> {
        self.recover()?;
        let journal = Journal::new(&self.root);
        let state = journal.state()?;
        let can_undo = match state.done {
            Some(number) => journal.record(number)?.is_some(),
            None => false,
        };
        Ok((can_undo, state.undone.len()))
    }

    /// Builds the edited files, and puts them into the game: all of them or none.
    ///
    /// # Errors
    /// If the game is not on this machine, or if a tree cannot be built.
    pub fn build(&self, progress: &dyn Progress) -> Result<Outcome> {
        self.recover()?;
        let project = Project::open(&self.root)?;
        let game = project.game("`refit repack PROJECT -o GAME`")?;
        project::repack(&project, &game, &self.options, progress)
    }

    /// What [`Session::build`] would do. Nothing in the game is written.
    ///
    /// # Errors
    /// Those of [`Session::build`].
    pub fn plan_build(&self, progress: &dyn Progress) -> Result<Outcome> {
        self.recover()?;
        let project = Project::open(&self.root)?;
        let game = project.game("`refit repack PROJECT -o GAME`")?;
        project::repack(&project, &game, &self.dry(), progress)
    }

    /// The files of the game that [`Session::build`] would change, by their paths below the game's
    /// folder: those that lack an edit, or have one that was taken back.
    ///
    /// # Errors
    /// Those of [`Session::build`].
    pub fn not_in_game(&self) -> Result<BTreeSet<String>> {
        let game = self.game()?;
        let plan = self.plan_build(&Notes::default())?;
        let own = |path: &PathBuf| path.strip_prefix(&game).ok().map(spelling);
        let others = [&plan.restored, &plan.of_mods, &plan.removed];
        let mut out: BTreeSet<String> = others.into_iter().flatten().filter_map(own).collect();
        for built in &plan.built {
            let (Some(path), Some(sum)) = (&built.file, built.sum) else {
                continue;
            };
            let is_there = path.exists() && pipeline::load(path)?.has_sum(&sum)?;
            out.extend(own(path).filter(|_| !is_there));
        }
        Ok(out)
    }

    fn dry(&self) -> Options {
        Options {
            dry_run: true,
            ..self.options.clone()
        }
    }

    /// Puts the originals of the game's files back. The project keeps its edits.
    ///
    /// # Errors
    /// If the game is not on this machine.
    pub fn restore(&self, progress: &dyn Progress) -> Result<restore::Outcome> {
        restore::restore(&self.game()?, &self.options, progress)
    }

    /// Finishes what a program that was ended had begun.
    fn recover(&self) -> Result<()> {
        match together::unfinished_above(&self.root) {
            // The work of another refit that is still running is not unfinished.
            Some(folder) if folder == self.root => {
                Together::begin_waiting(&self.root, "edit", PATIENCE).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The folder with the sources of an animation file's definitions, if this project has one: its
    /// path below the project's folder.
    pub fn sources_of(&self, file: &str) -> Result<Option<PathBuf>> {
        let project = Project::open(&self.root)?;
        let own = |definitions: &refit_project::Definitions| {
            definitions
                .tree
                .as_deref()
                .is_some_and(|tree| spelling(tree) == file)
        };
        let found = project.definitions()?.into_iter().find(own);
        Ok(found.map(|definitions| definitions.folder))
    }

    /// Waits for the turn of this edit, and reads the journal.
    fn begin_work(&self, what: &str) -> Result<Work> {
        let (together, recovered) = Together::begin_waiting(&self.root, what, PATIENCE)?;
        let journal = Journal::new(&self.root);
        let state = journal.state()?;
        Ok(Work {
            together,
            notes: recovered.iter().map(ToString::to_string).collect(),
            journal,
            state,
            rows: Vec::new(),
        })
    }

    /// Makes the tree of a file that has none yet.
    fn ensure_tree(&self, file: &str, work: &mut Work) -> Result<()> {
        refit_base::tree::check_inside_path(file).map_err(|e| e.in_file(file))?;
        let (path, below) = (self.root.join(file), Path::new(file));
        let project = Project::open(&self.root)?;
        let entry = project.entry(below);
        if is_tree(&path) {
            // An interrupted edit may have made the tree, and not its row.
            if entry.is_none()
                && let Some(game) = project.source()
                && game.join(below).is_file()
                && let Ok(row) = self.row_of_tree(file)
            {
                work.rows.push(row);
            }
            return Ok(());
        }
        let game = project.game("`refit unpack GAME -o PROJECT`")?;
        let how = unpack::Unpacking::default();
        let row = unpack::add_tree(&project, &game, below, how, &self.options)?;
        if entry.is_none() {
            work.rows.push(row);
        }
        Ok(())
    }

    /// Makes the trees of the texture packages and the animation file that the game loads with a
    /// world.
    fn ensure_loaded_with(&self, file: &str, work: &mut Work) -> Result<()> {
        let Ok(game) = self.game() else {
            return Ok(());
        };
        let (packages, animations) = world::loaded_with(&game.join(file), &self.options)?;
        for path in packages.iter().chain(&animations) {
            if let Ok(below) = path.strip_prefix(&game) {
                self.ensure_tree(&spelling(below), work)?;
            }
        }
        Ok(())
    }

    /// Makes the trees of the packages or banks of the game that have a picture or a sound.
    fn ensure_everywhere(&self, everywhere: &Everywhere<'_>, work: &mut Work) -> Result<()> {
        let Ok(game) = self.game() else {
            return Ok(());
        };
        let (_place, file) = plan::file_of(everywhere.name, everywhere.bytes)?;
        let notes = Notes::default();
        let found = plan::in_family(&game, &file, everywhere.member, &self.dry(), &notes)?;
        for each in found.members {
            if let Ok(below) = each.path.strip_prefix(&game) {
                self.ensure_tree(&spelling(below), work)?;
            }
        }
        Ok(())
    }

    /// The row of the project's manifest for a tree.
    fn row_of_tree(&self, file: &str) -> Result<ProjectFile> {
        let source = refit_base::tree::DirSource::new(self.root.join(file));
        let (_, head) = refit_base::tree::read_head(&source)?;
        Ok(ProjectFile {
            file: spelling(Path::new(file)),
            file_hex: None,
            bytes: head.source.bytes,
            sum: head.source.sum.wait(),
            game: head.game,
            format: head.format,
            same_as: None,
        })
    }

    /// The plan that takes an edit back.
    fn back(&self, work: &Work, record: &Record, who: &str) -> Result<Plan> {
        self.parts_of(work, record, who, |contents| {
            (contents.after, contents.before)
        })
    }

    /// The plan that changes the parts of an edit from one of its contents to the other; `sides` gives
    /// the old and the new one.
    fn parts_of(
        &self,
        work: &Work,
        record: &Record,
        who: &str,
        sides: impl Fn(Contents) -> (Option<Bytes>, Option<Bytes>),
    ) -> Result<Plan> {
        let mut parts = NewParts::new();
        let contents = work.journal.contents(record)?;
        for (part, contents) in record.parts.iter().zip(contents) {
            let (before, wanted) = sides(contents);
            let tree = Tree::open(&self.root, &part.file)?;
            let now = tree.get(&part.part)?;
            let place = tree.place(&part.part);
            let meeting = Meeting {
                who,
                place: &place,
                part: &part.part,
                format: tree.format,
            };
            let new = rebase(&meeting, before.as_ref(), now.as_ref(), wanted.as_ref())?;
            parts.insert((part.file.clone(), part.part.clone()), (now, new));
        }
        Ok(Plan {
            label: record.label.clone(),
            parts,
            notes: Vec::new(),
            judged: BTreeMap::new(),
        })
    }

    /// Judges the parts of a plan, and writes them with the journal: all or nothing.
    fn finish(&self, mut work: Work, plan: Plan, kind: Kind) -> Result<Edited> {
        let Plan {
            label,
            mut parts,
            notes,
            judged,
        } = plan;
        parts.retain(|_, (now, new)| now != new);
        let mut edited = Edited {
            notes: std::mem::take(&mut work.notes),
            ..Edited::default()
        };
        edited.notes.extend(notes);
        self.judge(&parts, judged, &mut edited)?;
        if parts.is_empty() && matches!(kind, Kind::New { .. }) {
            edited.label = "nothing changed".to_owned();
            return Ok(edited);
        }
        edited.changed = changed(&parts);
        let mut state = work.state.clone();
        let mut gone = Vec::new();
        match kind {
            Kind::New { reverts } => {
                let label = match reverts {
                    Some(number) => format!("taken back: edit {number} ({label})"),
                    None => label,
                };
                let contents: Vec<_> = parts
                    .iter()
                    .map(|((file, part), (before, after))| {
                        let (before, after) = (before.clone(), after.clone());
                        (file.clone(), part.clone(), Contents { before, after })
                    })
                    .collect();
                let new =
                    NewRecord::new(state.next, state.done, label.clone(), reverts, &contents)?;
                gone.append(&mut state.undone);
                state.done = Some(state.next);
                state.next = state.next.saturating_add(1);
                state.bytes = state.bytes.saturating_add(new.record.bytes);
                edited.number = Some(new.record.number);
                edited.label = label;
                self.make_room(&work.journal, &mut state, new.record.number, &mut gone)?;
                work.write(&work.journal.record_path(new.record.number), &new.text)?;
                work.write(
                    &work.journal.contents_path(new.record.number),
                    &new.contents,
                )?;
            }
            Kind::Undo(record) => {
                state.done = record.before;
                state.undone.push(record.number);
                edited.number = Some(record.number);
                edited.label = format!("undone: {label}");
            }
            Kind::Redo(record) => {
                state.undone.pop();
                state.done = Some(record.number);
                edited.number = Some(record.number);
                edited.label = format!("done again: {label}");
            }
        }
        for number in &gone {
            let size = work.journal.record(*number).ok().flatten();
            let size = size.map_or(0, |record| record.bytes);
            state.bytes = state.bytes.saturating_sub(size);
        }
        self.write(work, &parts, &state, &gone)?;
        Ok(edited)
    }

    /// Adds the oldest edits to `gone` until the journal has room.
    fn make_room(
        &self,
        journal: &Journal,
        state: &mut State,
        newest: u64,
        gone: &mut Vec<u64>,
    ) -> Result<()> {
        let mut bytes = state.bytes;
        while bytes > MOST && state.first < newest {
            let oldest = state.first;
            state.first = state.first.saturating_add(1);
            if let Ok(Some(record)) = journal.record(oldest)
                && !gone.contains(&oldest)
            {
                bytes = bytes.saturating_sub(record.bytes);
                gone.push(oldest);
            }
        }
        Ok(())
    }

    /// The findings of the new contents, unless they are known. An error if they cannot be built.
    fn judge(
        &self,
        parts: &NewParts,
        mut known: BTreeMap<String, Vec<EditFinding>>,
        edited: &mut Edited,
    ) -> Result<()> {
        let mut trees: BTreeMap<&str, BTreeMap<String, Option<Bytes>>> = BTreeMap::new();
        for ((file, part), (_, new)) in parts {
            let tree = trees.entry(file).or_default();
            tree.insert(part.clone(), new.clone());
        }
        let mut found_in = Vec::new();
        for (file, files) in trees {
            let found = match known.remove(file) {
                Some(found) => found,
                None => {
                    let judged = put_tree::judge(&self.root.join(file), &files, &self.options);
                    let judged = judged.map_err(|e| e.about(Path::new(file)))?;
                    if let Some(fault) = judged.fault {
                        edited.notes.push(format!(
                            "{file}: its tree has an error, before this edit and after it: {fault}"
                        ));
                    }
                    judged.news.map(|news| news.found).unwrap_or_default()
                }
            };
            found_in.push((file.to_owned(), found));
        }
        // What is left out of a source may be all that is new in it.
        found_in.extend(known);
        for (of, found) in found_in {
            let all = found.into_iter().map(|finding| FileFinding {
                of: of.clone(),
                finding,
            });
            edited.brought_in.extend(all);
        }
        Ok(())
    }

    /// Writes the parts of an edit, the journal's state and the project's manifest, and removes the
    /// edits that are `gone`.
    fn write(&self, mut work: Work, parts: &NewParts, state: &State, gone: &[u64]) -> Result<()> {
        for ((file, part), (now, new)) in parts {
            let path = self.root.join(file).join(part);
            let read = now.as_ref().map(|now| Sum::of(now));
            // The journal has the old content.
            let may = Replace {
                backup: Backup::Never,
                read,
                force: now.is_some(),
                ..Replace::default()
            };
            match new {
                Some(new) => work.put(&path, new, may)?,
                None => _ = work.together.remove(&path, may)?,
            }
        }
        if !work.rows.is_empty() {
            let manifest = with_rows(&Project::open(&self.root)?, std::mem::take(&mut work.rows))?;
            let path = self.root.join(manifest_path(Style::Json));
            work.write(&path, manifest.as_bytes())?;
        }
        let ignore = work.journal.ignore_path();
        if ignore.symlink_metadata().is_err() {
            work.write(
                &ignore,
                b"# Contents of the game, for undo on this machine.\n*\n",
            )?;
        }
        let text = serde_json::to_vec(state).map_err(|e| Error::say(e.to_string()))?;
        work.write(&work.journal.state_path(), &text)?;
        let may = Replace {
            backup: Backup::Never,
            ..Replace::new(true)
        };
        for number in gone {
            for path in [
                work.journal.record_path(*number),
                work.journal.contents_path(*number),
            ] {
                work.together.remove(&path, may)?;
            }
        }
        work.together.commit()
    }

    /// An edit for people. `seen` are the parts that later edits changed.
    fn described(
        &self,
        journal: &Journal,
        record: &Record,
        seen: &mut BTreeSet<(String, String)>,
    ) -> Result<EditDone> {
        let contents = journal.contents(record)?;
        let mut parts = Vec::new();
        for (part, contents) in record.parts.iter().zip(contents) {
            let is_last = seen.insert((part.file.clone(), part.part.clone()));
            let changed_since = is_last && {
                let tree = Tree::open(&self.root, &part.file);
                let now = tree.and_then(|tree| tree.get(&part.part));
                !now.is_ok_and(|now| now == contents.after)
            };
            parts.push(PartDone {
                file: part.file.clone(),
                part: part.part.clone(),
                lines: lines_of(&part.part, contents),
                changed_since,
            });
        }
        Ok(EditDone {
            number: record.number,
            time: record.time,
            label: record.label.clone(),
            reverts: record.reverts,
            parts,
        })
    }
}

fn changed(parts: &NewParts) -> Vec<ChangedPart> {
    let one = |(file, part): &(String, String)| ChangedPart {
        file: file.clone(),
        part: part.clone(),
    };
    parts.keys().map(one).collect()
}

/// What an edit makes of the journal.
enum Kind {
    New { reverts: Option<u64> },
    Undo(Record),
    Redo(Record),
}

/// A temporary project with the tree of one file.
#[derive(Debug)]
struct Shadow {
    session: Session,
    file: String,
    /// The size of the game's file, and when it was written, when the tree was made.
    state: (u64, Option<SystemTime>),
    _folder: tempfile::TempDir,
}

/// An edit in progress. It holds the lock of the project, so no other edit runs.
struct Work {
    together: Together,
    notes: Vec<String>,
    journal: Journal,
    state: State,
    /// New rows of the project's manifest.
    rows: Vec<ProjectFile>,
}

impl Work {
    fn put(&mut self, path: &Path, bytes: &[u8], may: Replace<'_>) -> Result<()> {
        let write = |out: &mut (dyn std::io::Write + Send)| {
            out.write_all(bytes).map_err(|e| Error::io(path, e))
        };
        self.together.write(path, may, write, |_, _| Ok(()))?;
        Ok(())
    }

    /// Writes a file of refit.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let may = Replace {
            backup: Backup::Never,
            ..Replace::new(true)
        };
        self.put(path, bytes, may)
    }
}

/// The project's manifest with further files.
fn with_rows(project: &Project, rows: Vec<ProjectFile>) -> Result<String> {
    let mut manifest = project.manifest.clone();
    for row in rows {
        manifest.game = manifest.game.or(row.game);
        manifest.files.retain(|file| file.file != row.file);
        manifest.files.push(row);
    }
    manifest.files.sort_by(|a, b| a.file.cmp(&b.file));
    manifest.to_text(Style::Json)
}

/// The difference of two contents in sentences.
fn lines_of(path: &str, contents: Contents) -> Vec<String> {
    let (before, after) = match (contents.before, contents.after) {
        (Some(before), Some(after)) => (before, after),
        (None, Some(_)) => return vec!["added".to_owned()],
        (Some(_), None) => return vec!["removed".to_owned()],
        (None, None) => return Vec::new(),
    };
    let text = |bytes: &Bytes| std::str::from_utf8(bytes).ok().map(str::to_owned);
    let value = |text: &str| Value::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
    let part = |bytes: Bytes| Part {
        kind: PartKind::Bytes,
        files: vec![(path.to_owned(), bytes.into())],
    };
    let change = match (text(&before), text(&after)) {
        (Some(old), Some(new)) => match (value(&old), value(&new)) {
            (Some(old), Some(new)) => PartChange::Fields {
                changes: refit_diff::compare(&old, &new),
                old,
                new,
                kind: "",
            },
            _ => return changed_lines(&old, &new),
        },
        _ => PartChange::Bytes {
            old: part(before),
            new: part(after),
        },
    };
    rows::lines(&Difference {
        path: path.to_owned(),
        change,
    })
}

/// The lines of a text that were removed and added.
fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let difference = Difference {
        path: String::new(),
        change: PartChange::Lines {
            old: old.to_owned(),
            new: new.to_owned(),
        },
    };
    let rows = rows::of(&difference);
    let texts = rows.iter().filter_map(|row| row.get("diff")?.as_str());
    let lines = texts.flat_map(str::lines).filter(|line| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    });
    lines.map(str::to_owned).collect()
}
