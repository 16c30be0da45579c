//! Tools that edit a project. Each edit is one step of its undo.

use super::Tool;
use crate::{
    desk::{Desk, query_of},
    pages::Reply,
    place::Place,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use refit_base::{
    path::Shown,
    tree::{check_foreign_path, is_project},
    wire::{Error, Result},
};
use refit_diff::{Value as Content, find};
use refit_session::{Edit, Edited, MemberEdit, NodeMotion, Session, WorldEdit};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// What an edit did, as fields and rows.
fn report(place: &Place, edited: &Edited, dry_run: bool) -> Reply {
    let changed = edited.changed.iter().map(|part| json!({ "changed": part }));
    let findings = edited
        .brought_in
        .iter()
        .map(|found| json!({ "brought_in": found }));
    let notes = edited.notes.iter().map(|note| json!({ "note": note }));
    let dry_run = dry_run.then_some(true);
    Reply::rows(
        json!({
            "project": place.name, "dry_run": dry_run, "number": edited.number, "label": edited.label,
        }),
        changed.chain(findings).chain(notes).collect::<Vec<_>>(),
    )
}

/// Makes an edit, or reports what it would do.
fn edit(desk: &Desk, folder: Option<&str>, dry_run: bool, edit: &Edit) -> Result<Reply> {
    let (place, mut session) = desk.project(folder)?;
    if let Edit::World {
        file,
        change:
            WorldEdit::Add { .. } | WorldEdit::Ground { .. } | WorldEdit::Copy { from: Some(_), .. },
    } = edit
        && let Some(game) = &place.game
    {
        stays_in(game, file)?;
    }
    if let Edit::World {
        change: WorldEdit::Copy {
            from: Some(from), ..
        },
        ..
    } = edit
    {
        stays_in(place.game.as_deref().unwrap_or(&place.path), from)?;
    }
    if !dry_run {
        return Ok(report(&place, &session.edit(edit)?, false));
    }
    Ok(match session.check(edit)? {
        Some(edited) => report(&place, &edited, true),
        None => Reply::fields(json!({
            "dry_run": true,
            "note": "this file is not in the project yet, so its edit was not tried; \
                the first edit of a file puts it there, and can be undone",
        })),
    })
}

/// An error for a world near the top of a folder: the game looks for its textures and animations in
/// the folders above, up to `zbd`, and these are not named.
fn stays_in(game: &Path, file: &str) -> Result<()> {
    check_foreign_path(file)?;
    let folders: Vec<&str> = file.split('/').rev().skip(1).collect();
    let whole = game.shown();
    let own = whole.rsplit('/').next().unwrap_or_default();
    let is_archives = |name: &&str| name.eq_ignore_ascii_case("zbd");
    match folders.len() >= 2 || folders.iter().any(is_archives) || is_archives(&own) {
        true => Ok(()),
        false => Err(Error::say(
            "the textures and animations of this world may be outside of the named folders",
        )
        .in_file(file)
        .hint("start the server with the game's folder, the one that has `zbd` in it")),
    }
}

/// The bytes for an edit: a file in one of the folders, or base64.
fn bytes(desk: &Desk, from: Option<&str>, base64: Option<&str>) -> Result<Vec<u8>> {
    match (from, base64) {
        (Some(from), None) => desk.content(from),
        (None, Some(text)) => STANDARD
            .decode(text)
            .map_err(|e| Error::say(format!("`base64` is no base64: {e}"))),
        _ => Err(Error::say("name either `from` or `base64`")),
    }
}

/// The name and the content of a glTF file.
fn gltf(desk: &Desk, from: &str, base64: Option<&str>) -> Result<(String, Vec<u8>)> {
    let name = from.rsplit('/').next().unwrap_or_default().to_owned();
    let bytes = match base64 {
        Some(text) => bytes(desk, None, Some(text))?,
        None => desk.content(from)?,
    };
    Ok((name, bytes))
}

/// Makes a project of a game, in which its files can be edited, or opens the one that is there.
/// Nothing is copied: a file gets its place in the project with its first edit.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Begin {
    /// The folder of the game.
    game: String,
    /// The new folder of the project in another folder, which must be among those of the server:
    /// `FOLDER/my-mod`.
    project: String,
}

impl Tool for Begin {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let game = desk.place(Some(&self.game))?;
        if game.is_project {
            return Err(Error::say("a project already").in_file(game.path.shown()));
        }
        let path = desk.new_place(&self.project)?;
        if let Some(above) = path.ancestors().skip(1).find(|above| is_project(above)) {
            return Err(Error::say("a project cannot be inside of a project")
                .in_file(self.project)
                .hint(above.shown()));
        }
        if is_project(&path) {
            let own = desk.folders.game_of(&path)?;
            if own.as_ref() != Some(&game.path) {
                return Err(Error::say("this is the project of another game").in_file(self.project));
            }
        } else {
            Session::begin(&game.path, &path)?;
        }
        let whole = refit_base::path::canonical(&path).map_err(|e| Error::io(&path, e))?;
        let name = desk.folders.add(&whole);
        Ok(Reply::fields(
            json!({ "project": name, "path": whole.shown() }),
        ))
    }
}

/// Sets a value of a document, or adds a field.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Set {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The document, as `parts` has it.
    part: String,
    /// The value: `nodes[3].name`.
    path: String,
    /// The new value.
    value: Content,
    /// `value` is a text of JSON. Numbers of readers need it in a list: 2 is an integer and 2.0 a
    /// float there, and a client may write both as 2. A single number keeps the kind of the old one.
    #[serde(default)]
    as_json: bool,
    /// The value that it replaces: if it is another one now, the edit is refused.
    #[serde(default, deserialize_with = "some")]
    old: Option<Content>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Reads a field that is present: `null` is a value, and differs from a missing field.
fn some<'de, D: serde::Deserializer<'de>>(d: D) -> std::result::Result<Option<Content>, D::Error> {
    Content::deserialize(d).map(Some)
}

/// The value of an edit.
fn value_of(value: Content, as_json: bool) -> Result<Content> {
    match (as_json, value) {
        (false, value) => Ok(value),
        (true, Content::Text(text)) => {
            Content::parse(&text).ok_or_else(|| Error::say("`value` is no JSON"))
        }
        (true, _) => Err(Error::say("`value` is no text, as `as_json` says")),
    }
}

/// True for a number that JSON has as a float.
fn is_float(value: &Content) -> bool {
    matches!(value, Content::Number(text) if text.contains(['.', 'e', 'E']))
}

impl Set {
    /// The value that is there now, if it is in this document.
    fn now(&self, desk: &mut Desk) -> Option<Content> {
        let place = desk.place(self.folder.as_deref()).ok()?;
        let (view, number) = desk.file(&place, &self.file).ok()?;
        let query = query_of(&[("path", Some(&self.part))]);
        let answer = view.answer(&format!("file/{number}/part"), &query).ok()?;
        let whole = Content::parse(std::str::from_utf8(&answer.body).ok()?)?;
        whole.at(&find(&whole, &self.path).ok()?).cloned()
    }
}

impl Tool for Set {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let mut value = value_of(self.value.clone(), self.as_json)?;
        if let Content::Number(text) = &mut value
            && !self.as_json
            && !text.contains(['.', 'e', 'E'])
            && self.now(desk).is_some_and(|now| is_float(&now))
        {
            *text = format!("{text}.0").into();
        }
        let change = Edit::Set {
            file: self.file,
            part: self.part,
            path: self.path,
            value,
            old: self.old,
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Inserts an item into a list of a document.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Insert {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The document, as `parts` has it.
    part: String,
    /// The list.
    path: String,
    /// The position that the item gets; 0 is the first.
    index: usize,
    /// The item.
    value: Content,
    /// `value` is a text of JSON, in which 2 and 2.0 differ: see `set`.
    #[serde(default)]
    as_json: bool,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for Insert {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::Insert {
            file: self.file,
            part: self.part,
            path: self.path,
            index: self.index,
            value: value_of(self.value, self.as_json)?,
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Removes a field or an item of a document.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remove {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The document, as `parts` has it.
    part: String,
    /// The field or item.
    path: String,
    /// The value that is removed: if it is another one now, the edit is refused.
    #[serde(default, deserialize_with = "some")]
    old: Option<Content>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for Remove {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::Remove {
            file: self.file,
            part: self.part,
            path: self.path,
            old: self.old,
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Moves an item within its list of a document.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The document, as `parts` has it.
    part: String,
    /// The item.
    path: String,
    /// The position that it gets; 0 is the first.
    to: usize,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for Move {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::Move {
            file: self.file,
            part: self.part,
            path: self.path,
            to: self.to,
            old: None,
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Replaces a text or a document as text, or adds it.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteText {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The text or document, as `parts` has it.
    part: String,
    /// The new text.
    text: String,
    /// The text that you read before. If another program changed it since, both changes are merged;
    /// without it, the new text replaces whatever is there.
    base: Option<String>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WriteText {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::Text {
            file: self.file,
            part: self.part,
            text: self.text,
            base: self.base,
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// The kind of a member that is replaced.
#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Media {
    /// A texture, with a PNG. Its size and its form follow the package.
    Picture,
    /// A sound, with a WAV. It gets the codec, rate, bits and channels of the old one.
    Sound,
}

/// Replaces a texture with a PNG, or a sound with a WAV.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replace {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it: a package of textures, or a bank of sounds.
    file: String,
    /// The texture or sound, as `info` has it.
    member: String,
    /// What it is.
    kind: Media,
    /// The new content: a file in one of the folders, `FOLDER/PATH`.
    from: Option<String>,
    /// The new content as base64, instead of `from`.
    base64: Option<String>,
    /// Replace it in every package or bank of the project that has it.
    #[serde(default)]
    everywhere: bool,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for Replace {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let bytes = bytes(desk, self.from.as_deref(), self.base64.as_deref())?;
        let (file, member, everywhere) = (self.file, self.member, self.everywhere);
        let change = match self.kind {
            Media::Picture => Edit::Picture {
                file,
                member,
                bytes,
                everywhere,
            },
            Media::Sound => Edit::Sound {
                file,
                member,
                bytes,
                everywhere,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Adds a member to an archive, a package or a bank: a text, a document, a picture or a sound.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddMember {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The name of the new member.
    name: String,
    /// Its content as text.
    text: Option<String>,
    /// Its content: a file in one of the folders, `FOLDER/PATH`, instead of `text`.
    from: Option<String>,
    /// Its content as base64, instead of `text`.
    base64: Option<String>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for AddMember {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let bytes = match (self.text, self.from, self.base64) {
            (Some(text), None, None) => text.into_bytes(),
            (Some(_), ..) => return Err(Error::say("name one of `text`, `from` and `base64`")),
            (None, from, base64) => bytes(desk, from.as_deref(), base64.as_deref())?,
        };
        let name = self.name;
        let change = Edit::Member {
            file: self.file,
            change: MemberEdit::Add { name, bytes },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Renames a member of an archive, a package or a bank.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameMember {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The member, as `info` has it.
    name: String,
    /// Its new name.
    to: String,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for RenameMember {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (name, to) = (self.name, self.to);
        let change = Edit::Member {
            file: self.file,
            change: MemberEdit::Rename { name, to },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Removes a member of an archive, a package or a bank.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveMember {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The member, as `info` has it.
    name: String,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for RemoveMember {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::Member {
            file: self.file,
            change: MemberEdit::Remove { name: self.name },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Adds the objects of a glTF file to a world, with their pictures.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldAdd {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world, as `list` has it.
    file: String,
    /// The glTF file in one of the folders, `FOLDER/tower.glb`; or its name, with `base64`.
    from: String,
    /// The content of the glTF file as base64, if it is in no folder.
    base64: Option<String>,
    /// The node that they are put below; the world by default.
    under: Option<String>,
    /// The place of the first one in its parent: x, y, z.
    at: Option<[f32; 3]>,
    /// How far it is turned about the vertical axis, in degrees.
    turn: Option<f32>,
    /// Its new scale along its own axes: x, y, z.
    scale: Option<[f32; 3]>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldAdd {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (name, bytes) = gltf(desk, &self.from, self.base64.as_deref())?;
        let motion = NodeMotion {
            at: self.at,
            by: None,
            turn: self.turn,
            scale: self.scale,
        };
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Add {
                name,
                bytes,
                under: self.under,
                motion,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Lays the meshes of a glTF file as ground of a world, cut at its cells.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldGround {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world, as `list` has it.
    file: String,
    /// The glTF file in one of the folders, `FOLDER/hills.glb`; or its name, with `base64`. Its
    /// positions are those of the world.
    from: String,
    /// The content of the glTF file as base64, if it is in no folder.
    base64: Option<String>,
    /// The beginning of the names of the pieces; `ground` by default.
    prefix: Option<String>,
    /// Allow craters unless the file says otherwise (Recoil).
    #[serde(default)]
    craters: bool,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldGround {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (name, bytes) = gltf(desk, &self.from, self.base64.as_deref())?;
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Ground {
                name,
                bytes,
                prefix: self.prefix,
                craters: self.craters,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Copies a node of a world with everything below it, also from another world of the game with its
/// models, pictures and animations.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldCopy {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world that gets the copy, as `list` has it.
    file: String,
    /// The node: a name, or `#` and a position.
    node: String,
    /// Another world that has the node, as `list` has it.
    from: Option<String>,
    /// The parent of the copy; that of the node by default.
    under: Option<String>,
    /// The name of the copy.
    name: Option<String>,
    /// The place of the copy in its parent: x, y, z.
    at: Option<[f32; 3]>,
    /// The offset from the place of the node, instead of `at`.
    by: Option<[f32; 3]>,
    /// How far it is turned about the vertical axis, in degrees.
    turn: Option<f32>,
    /// Its new scale along its own axes: x, y, z.
    scale: Option<[f32; 3]>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldCopy {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let motion = NodeMotion {
            at: self.at,
            by: self.by,
            turn: self.turn,
            scale: self.scale,
        };
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Copy {
                node: self.node,
                from: self.from,
                under: self.under,
                name: self.name,
                motion,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Moves, turns or scales a node of a world.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldMove {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world, as `list` has it.
    file: String,
    /// The node: a name, or `#` and a position.
    node: String,
    /// The new place in its parent: x, y, z.
    at: Option<[f32; 3]>,
    /// The offset that is added to its place, instead of `at`.
    by: Option<[f32; 3]>,
    /// How far it is turned about the vertical axis, in degrees.
    turn: Option<f32>,
    /// Its new scale along its own axes: x, y, z.
    scale: Option<[f32; 3]>,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldMove {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let motion = NodeMotion {
            at: self.at,
            by: self.by,
            turn: self.turn,
            scale: self.scale,
        };
        if motion == NodeMotion::default() {
            return Err(Error::say("it would stay where it is")
                .hint("`at`, `by`, `turn` or `scale` says how"));
        }
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Move {
                node: self.node,
                motion,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Puts a node of a world below another one. It stays where it is in the world.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldReparent {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world, as `list` has it.
    file: String,
    /// The node: a name, or `#` and a position.
    node: String,
    /// Its new parent: an object, a level of detail or the world.
    under: String,
    /// Keep its place relative to its parent instead of that in the world.
    #[serde(default)]
    local: bool,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldReparent {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Reparent {
                node: self.node,
                under: self.under,
                local: self.local,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Renames a node of a world. It is refused while other files use the old name.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldRename {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world, as `list` has it.
    file: String,
    /// The node: a name, or `#` and a position.
    node: String,
    /// Its new name.
    name: String,
    /// Rename it even if other files use the old name.
    #[serde(default)]
    force: bool,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldRename {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Rename {
                node: self.node,
                name: self.name,
                force: self.force,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

/// Removes a node of a world with everything below it. It is refused while other files use it.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldRemove {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The world, as `list` has it.
    file: String,
    /// The node: a name, or `#` and a position.
    node: String,
    /// Remove it even if other files use it.
    #[serde(default)]
    force: bool,
    /// Report what it would do, and write nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for WorldRemove {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let change = Edit::World {
            file: self.file,
            change: WorldEdit::Remove {
                node: self.node,
                force: self.force,
            },
        };
        edit(desk, self.folder.as_deref(), self.dry_run, &change)
    }
}

fn done(place: &Place, edited: Option<Edited>) -> Reply {
    match edited {
        Some(edited) => report(place, &edited, false),
        None => Reply::fields(
            json!({ "project": place.name, "label": "nothing to do", "number": Value::Null }),
        ),
    }
}

/// Takes back the last edit of a project, or the one with a number of `changes`; later ones stay.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Undo {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
    /// The number of an edit. Taking it back is an edit itself.
    number: Option<u64>,
}

impl Tool for Undo {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (place, mut session) = desk.project(self.folder.as_deref())?;
        let edited = match self.number {
            Some(number) => Some(session.revert(number)?),
            None => session.undo()?,
        };
        Ok(done(&place, edited))
    }
}

/// Makes the edit again that was undone last.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Redo {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
}

impl Tool for Redo {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (place, mut session) = desk.project(self.folder.as_deref())?;
        let edited = session.redo()?;
        Ok(done(&place, edited))
    }
}
