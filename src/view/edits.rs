//! Edits of the page (PROTOCOL.md): which requests change something, and what they do.

use super::{LONGEST_FILE, View, blender, lock, questions::Query};
use refit_base::{
    path::Shown,
    tree::is_project,
    wire::{Error, Result},
};
use refit_mods::Prefer;
use refit_session::{
    AboutMod, BuildReport, Edit, Encoded, GameMods, ModContents, Notes, RestoreReport, Session,
    Signed, WorldEdit,
};
use refit_workbench::kept::KeptTrees;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// A request that changes something, without the leading `api/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Post {
    /// An edit of a value or of a world.
    Value,
    /// An edit of a text.
    Text,
    /// An edit with the content of a file.
    File,
    Undo,
    Redo,
    Revert,
    Build,
    Restore,
    /// Makes a project of the game.
    Begin,
    /// Says what an edit would do.
    Check,
    /// Makes a mod of the project.
    MakeMod,
    /// Says what is in mods, and what applying them would do.
    PlanMods,
    ApplyMods,
    RemoveMods,
    /// Opens a model in Blender.
    Blender,
    /// Takes back what was saved in Blender.
    Take,
    /// Signs an addon of the game.
    Sign,
    /// Checks the signatures of an addon.
    Signatures,
}

impl Post {
    /// The request at a path; `None` if it changes nothing.
    pub fn of(path: &str) -> Option<Self> {
        Some(match path.strip_prefix("api/")? {
            "edit" => Post::Value,
            "edit/text" => Post::Text,
            "edit/file" => Post::File,
            "undo" => Post::Undo,
            "redo" => Post::Redo,
            "revert" => Post::Revert,
            "build" => Post::Build,
            "restore" => Post::Restore,
            "begin" => Post::Begin,
            "check" => Post::Check,
            "mods/make" => Post::MakeMod,
            "mods/plan" => Post::PlanMods,
            "mods/apply" => Post::ApplyMods,
            "mods/remove" => Post::RemoveMods,
            "blender" => Post::Blender,
            "blender/take" => Post::Take,
            "addon/sign" => Post::Sign,
            "addon/check" => Post::Signatures,
            _ => return None,
        })
    }

    /// Most bytes of its body.
    pub fn most(self) -> usize {
        match self {
            Post::Value => 1 << 20,
            Post::Text | Post::Check => 16 << 20,
            // As base64.
            Post::File | Post::PlanMods | Post::ApplyMods => LONGEST_FILE,
            _ => 16 << 10,
        }
    }

    /// True for an edit that belongs to this request.
    fn takes(self, edit: &Edit) -> bool {
        let own = match edit {
            Edit::Set { .. } | Edit::Insert { .. } | Edit::Remove { .. } | Edit::Move { .. } => {
                Post::Value
            }
            Edit::World {
                change: WorldEdit::Add { .. } | WorldEdit::Ground { .. },
                ..
            } => Post::File,
            Edit::World { .. } => Post::Value,
            Edit::Text { .. } | Edit::Definition { .. } => Post::Text,
            Edit::Picture { .. } | Edit::Sound { .. } | Edit::Gltf { .. } | Edit::Member { .. } => {
                Post::File
            }
        };
        self == own
    }
}

/// The edits of what is opened.
pub(super) struct Editor {
    /// What was opened.
    opened: PathBuf,
    /// Why nothing can be edited, whatever is opened.
    why: Option<&'static str>,
    session: Mutex<Option<Session>>,
    /// How many requests were begun that may write; counted while `session` is locked.
    made: AtomicU64,
    /// What is open in Blender.
    blender: Mutex<blender::Opened>,
}

impl Editor {
    /// The edits of an opened path. `compares` is true for a view that shows the differences from
    /// something else.
    pub fn new(opened: &Path, compares: bool) -> Self {
        let why = match compares {
            true => Some("this page compares two states; open the project alone to edit it"),
            false => None,
        };
        let editor = Editor {
            opened: opened.to_owned(),
            why,
            session: Mutex::default(),
            made: AtomicU64::default(),
            blender: Mutex::default(),
        };
        if why.is_none() {
            let of_path = Session::open(opened).ok();
            *lock(&editor.session) = of_path.or_else(|| editor.of_an_earlier_day());
        }
        editor
    }

    /// The project that an earlier page made of the opened game, in the place that it proposed.
    fn of_an_earlier_day(&self) -> Option<Session> {
        let proposal = self.proposal().filter(|_| self.refusal().1)?;
        is_project(&proposal)
            .then(|| self.known(&proposal).ok())
            .flatten()
    }

    /// The project that is edited.
    pub fn project(&self) -> Option<PathBuf> {
        let session = lock(&self.session);
        session.as_ref().map(|session| session.root().to_owned())
    }

    /// The tree that was edited last.
    pub fn kept(&self) -> Option<Arc<KeptTrees>> {
        lock(&self.session).as_ref().and_then(Session::kept)
    }

    /// Why nothing can be edited now, and whether a project can be made.
    fn refusal(&self) -> (String, bool) {
        match self.why {
            Some(why) => (why.to_owned(), false),
            None if self.opened.is_dir() && !is_project(&self.opened) => (
                "this is a game without a project; the first edit asks where the project shall be"
                    .to_owned(),
                true,
            ),
            None => (
                "this file is in no project; open the game's folder to edit it".to_owned(),
                false,
            ),
        }
    }

    /// Where a project of the opened game would be: beside it.
    fn proposal(&self) -> Option<PathBuf> {
        let whole = refit_base::path::canonical(&self.opened).ok()?;
        let mut name = whole.file_name()?.to_owned();
        name.push("-mod");
        Some(whole.with_file_name(name))
    }

    /// Answers `api/edits`: what can be edited, and the edits so far.
    pub fn state(&self, query: &Query) -> Result<Value> {
        let limit = query.get("limit").and_then(|text| text.parse().ok());
        let session = lock(&self.session);
        let Some(session) = session.as_ref() else {
            let (why, can_begin) = self.refusal();
            let proposal = self.proposal().filter(|_| can_begin);
            let proposal = proposal.map(|path| path.shown());
            return Ok(json!({
                "editable": false, "why": why, "proposal": proposal, "can_undo": false, "can_redo": 0,
                "edits": [],
            }));
        };
        let (can_undo, can_redo) = session.can_undo_and_redo()?;
        let edits = session.changes(limit.unwrap_or(LISTED).min(LISTED))?;
        Ok(json!({
            "editable": true, "project": session.root().shown(),
            "game": session.game().ok().map(|game| game.shown()),
            "can_undo": can_undo, "can_redo": can_redo, "edits": edits,
            "blender": lock(&self.blender).rows(),
        }))
    }

    /// Why a definition of a file cannot be edited as a source: the project has its sources.
    pub fn sources_of(&self, file: &str) -> Result<Option<String>> {
        let session = lock(&self.session);
        let folder = match session.as_ref() {
            Some(session) => session.sources_of(file)?,
            None => None,
        };
        Ok(folder.map(|folder| {
            format!(
                "the project has the sources of this file in {}",
                folder.shown()
            )
        }))
    }

    /// Answers `api/built`: the files of the game that lack edits of the project. Finding out takes
    /// long, and edits are made meanwhile: it has a session of its own.
    pub fn built(&self) -> Result<Value> {
        loop {
            let (session, before) = {
                // No edit is half written now.
                let own = lock(&self.session);
                let Some(own) = own.as_ref() else {
                    return Ok(json!({ "waiting": [] }));
                };
                let made = self.made.load(Ordering::Relaxed);
                (Session::open(own.root())?, made)
            };
            let waiting = session.not_in_game();
            // What was read while an edit was written may be neither its old nor its new state.
            if self.made.load(Ordering::Relaxed) == before {
                return Ok(json!({ "waiting": waiting? }));
            }
        }
    }

    /// True if something can be edited, at once or after the first edit has made a project.
    pub fn may_edit(&self) -> bool {
        lock(&self.session).is_some() || self.refusal().1
    }

    /// Answers `api/mods`: the mods of the game.
    pub fn mods(&self) -> Result<Value> {
        let Some(game) = self.game() else {
            return Ok(json!({ "game": null, "mods": [] }));
        };
        let mods = GameMods::of(&game).applied()?;
        Ok(json!({ "game": game.shown(), "mods": mods }))
    }

    /// The folder of the game that mods are applied to: that of the project, or the opened one.
    fn game(&self) -> Option<PathBuf> {
        match lock(&self.session).as_ref() {
            Some(session) => session.game().ok(),
            None => (self.refusal().1).then(|| self.opened.clone()),
        }
    }

    /// Does what a request about mods asks for.
    fn post_mods(&self, post: Post, body: &[u8]) -> Result<Value> {
        let told = Notes::default();
        let game = || {
            self.game()
                .map(|game| GameMods::of(&game))
                .ok_or_else(|| Error::say("there is no game here that mods can be applied to"))
        };
        let files = |files: Vec<Encoded>| -> Vec<Vec<u8>> {
            files.into_iter().map(|file| file.0).collect()
        };
        let mut answer = match post {
            Post::MakeMod => {
                let about: AboutMod = read(body)?;
                let own = lock(&self.session);
                let session = own.as_ref().ok_or_else(|| Error::say(self.refusal().0))?;
                let (bytes, contents) = session.make_mod(&about, &told)?;
                json!({ "contents": contents, "bytes": Encoded(bytes) })
            }
            Post::RemoveMods => {
                let Named { names } = read(body)?;
                json!({ "plan": game()?.remove(&names, &told)? })
            }
            _ => {
                let Chosen { mods, prefer } = read(body)?;
                let mods = files(mods);
                let contents = mods.iter().map(|bytes| ModContents::of_file(bytes));
                let contents = contents.collect::<Result<Vec<_>>>()?;
                let plan = match post {
                    Post::ApplyMods => game()?.apply(&mods, prefer.into(), &told)?,
                    _ => game()?.plan(&mods, prefer.into())?,
                };
                json!({ "contents": contents, "plan": plan })
            }
        };
        answer["notes"] = told.take().into();
        Ok(answer)
    }

    /// Does what a request asks for, about the files of a view.
    pub fn post(&self, view: &View, post: Post, body: &[u8]) -> Result<Value> {
        if let Post::MakeMod | Post::PlanMods | Post::ApplyMods | Post::RemoveMods = post {
            return self.post_mods(post, body);
        }
        let mut own = lock(&self.session);
        if post != Post::Check {
            self.made.fetch_add(1, Ordering::Relaxed);
        }
        if post == Post::Begin {
            let Begin { project } = read(body)?;
            if own.is_some() {
                return Err(Error::say("there is a project already"));
            }
            let (why, can_begin) = self.refusal();
            if !can_begin {
                return Err(Error::say(why));
            }
            let project = Path::new(&project);
            if !project.is_absolute() {
                return Err(
                    Error::say("the path of the project must be absolute").in_file(project.shown())
                );
            }
            // The project of an earlier day.
            let session = match is_project(project) {
                true => self.known(project)?,
                false => Session::begin(&self.opened, project)?,
            };
            let root = session.root().shown();
            *own = Some(session);
            return Ok(json!({ "project": root }));
        }
        let Some(session) = own.as_mut() else {
            return Err(Error::say(self.refusal().0));
        };
        let nothing = || json!({ "number": null, "label": "nothing to do", "changed": [], "brought_in": [], "notes": [] });
        let done = match post {
            Post::Value | Post::Text | Post::File => {
                let edit: Edit = read(body)?;
                if !post.takes(&edit) {
                    return Err(Error::say("this edit has another address: see PROTOCOL.md"));
                }
                Some(session.edit(&edit)?)
            }
            Post::Check => session.check(&read(body)?)?,
            Post::Undo => session.undo()?,
            Post::Redo => session.redo()?,
            Post::Revert => {
                let Revert { number } = read(body)?;
                Some(session.revert(number)?)
            }
            Post::Blender => {
                let wanted: blender::Wanted = read(body)?;
                let glb = view.glb(&wanted)?;
                return lock(&self.blender).open(session, wanted, &glb);
            }
            Post::Take => lock(&self.blender).take(session)?,
            Post::Build => {
                let notes = Notes::default();
                let built = session.build(&notes);
                let notes = notes.take();
                let built = built.map_err(|e| match notes.is_empty() {
                    true => e,
                    false => e.context(notes.join("; ")),
                })?;
                return value(BuildReport::of(&built, notes));
            }
            Post::Restore => {
                let notes = Notes::default();
                let done = session.restore(&notes)?;
                return value(RestoreReport::of(&done, notes.take()));
            }
            Post::Sign => {
                let Sign { file, key, version } = read(body)?;
                let notes = Notes::default();
                let signature = session.sign(&file, &absolute(&key)?, version, &notes)?;
                return value(Signed {
                    signature,
                    notes: notes.take(),
                });
            }
            Post::Signatures => {
                let Signatures { file, keys } = read(body)?;
                let keys = keys.as_deref().map(absolute).transpose()?;
                return value(session.check_addon(&file, keys.as_deref())?);
            }
            Post::Begin | Post::MakeMod | Post::PlanMods | Post::ApplyMods | Post::RemoveMods => {
                None
            }
        };
        match done {
            Some(done) => value(done),
            None => Ok(nothing()),
        }
    }

    /// The project at a path, if it is one of the opened game.
    fn known(&self, project: &Path) -> Result<Session> {
        let session = Session::open(project)?;
        let whole = |path: &Path| refit_base::path::canonical(path).ok();
        let is_own = session
            .game()
            .ok()
            .and_then(|game| whole(&game))
            .is_some_and(|game| Some(game) == whole(&self.opened));
        match is_own {
            true => Ok(session),
            false => Err(Error::say("this is the project of another game")
                .in_file(project.shown())
                .hint("name another folder")),
        }
    }
}

/// An answer as JSON.
fn value(answer: impl Serialize) -> Result<Value> {
    serde_json::to_value(answer).map_err(|e| Error::say(e.to_string()))
}

/// Most edits in one answer.
const LISTED: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Begin {
    project: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Revert {
    number: u64,
}

/// A path that the user typed: the folder of this program is not known to the user.
fn absolute(path: &str) -> Result<PathBuf> {
    let path = PathBuf::from(path);
    match path.is_absolute() {
        true => Ok(path),
        false => Err(Error::say("the path must be absolute").in_file(path.shown())),
    }
}

/// The addon, the file of a private key, and the version of the signature.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    file: String,
    key: String,
    version: u32,
}

/// The addon, and the folder of a server's keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signatures {
    file: String,
    #[serde(default)]
    keys: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    names: Vec<String>,
}

/// `.refitmod` files, and which of them wins a conflict.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chosen {
    mods: Vec<Encoded>,
    #[serde(default)]
    prefer: Wins,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wins {
    #[default]
    None,
    First,
    Last,
}

impl From<Wins> for Prefer {
    fn from(wins: Wins) -> Self {
        match wins {
            Wins::None => Prefer::None,
            Wins::First => Prefer::First,
            Wins::Last => Prefer::Last,
        }
    }
}

fn read<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T> {
    // Values are walked recursively.
    let text = refit_base::wire::utf8(body)?;
    refit_diff::check_depth(text)?;
    serde_json::from_str(text)
        .map_err(|e| Error::say(format!("not a request that refit knows: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edit_has_one_address() {
        let edit = |text: &str| -> Edit { read(text.as_bytes()).unwrap() };
        for (post, text) in [
            (
                Post::Value,
                r#"{"do":"set","file":"a","part":"b","path":"c","value":1}"#,
            ),
            (
                Post::Value,
                r#"{"do":"set","file":"a","part":"b","path":"c","value":1,"old":null}"#,
            ),
            (
                Post::Value,
                r#"{"do":"world","file":"a","change":{"do":"move","node":"n","motion":{"at":[1,2,3]}}}"#,
            ),
            (
                Post::Text,
                r#"{"do":"text","file":"a","part":"b","text":"c"}"#,
            ),
            (
                Post::Text,
                r#"{"do":"definition","file":"a","part":"b","text":"c","base":"d"}"#,
            ),
            (
                Post::File,
                r#"{"do":"picture","file":"a","member":"b","bytes":"AAEC"}"#,
            ),
            (
                Post::File,
                r#"{"do":"world","file":"a","change":{"do":"add","name":"t.glb","bytes":"AAEC"}}"#,
            ),
            (
                Post::File,
                r#"{"do":"member","file":"a","change":{"do":"remove","name":"n"}}"#,
            ),
            (
                Post::File,
                r#"{"do":"gltf","file":"a","member":"b","name":"c.glb","bytes":"AAEC"}"#,
            ),
            (
                Post::Value,
                r#"{"do":"world","file":"a","change":{"do":"several","changes":[{"do":"remove","node":"n"}]}}"#,
            ),
        ] {
            for other in [Post::Value, Post::Text, Post::File] {
                assert_eq!(other.takes(&edit(text)), other == post, "{text}");
            }
        }
        let deep = format!("{{\"do\":\"set\",\"value\":{}", "[".repeat(100_000));
        for bad in [
            "",
            "{}",
            "[]",
            r#"{"do":"quit"}"#,
            r#"{"do":"set","file":"a"}"#,
            &deep,
        ] {
            assert!(read::<Edit>(bad.as_bytes()).is_err());
        }
        assert!(
            Post::of("api/edit").is_some()
                && Post::of("edit").is_none()
                && Post::of("api/opened").is_none()
        );
    }
}
