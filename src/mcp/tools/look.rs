//! Tools that look.

use super::Tool;
use crate::{
    desk::{Desk, ask, inside, paths_of, query_of, split, with_paths},
    pages::Reply,
    place::options,
};
use refit_base::{
    path::Shown,
    picture,
    tree::is_tree,
    wire::{Error, ErrorKind, Result},
};
use refit_diff::{find, laid_out};
use refit_session::{GameMods, Session};
use refit_workbench::{Quiet, world};
use refit_zipper::textures;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Most pixels of a side of a picture that is shown, and of a whole picture that is made smaller.
const SIDE: u32 = 512;
const LARGEST: u64 = 1 << 24;

/// Most edits in one answer.
const EDITS: usize = 500;

/// A row without fields that say nothing.
fn bare(mut row: Value) -> Value {
    if let Some(fields) = row.as_object_mut() {
        fields.retain(|_, value| !value.is_null() && *value != false && *value != "");
    }
    row
}

/// Lists the folders that can be used: games, projects, and folders of files. Other tools take
/// these names.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Folders {}

impl Tool for Folders {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let folders = desk.folders.all().to_vec();
        let rows = folders.iter().map(|folder| {
            let game = match folder.is_project {
                true => desk.folders.game_of(&folder.path).ok().flatten(),
                false => None,
            };
            let game = game.map(|game| game.shown());
            let what = match folder.is_project {
                true => "project",
                false => "game or folder of files",
            };
            bare(json!({ "folder": folder.name, "what": what, "path": folder.path.shown(), "game": game }))
        });
        Ok(Reply::rows(
            json!({ "read_only": desk.read_only }),
            rows.collect::<Vec<_>>(),
        ))
    }
}

/// Lists the files of a folder with format, game and role. Of a project: all files of its game, with
/// `edited` for those that have edits.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// Only files below this path: `zbd/c1`.
    under: Option<String>,
    /// Only files of this format: `gamez`, `reader`, `textures`, `anim`, `pbo`.
    format: Option<String>,
}

impl Tool for List {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let (opened, rows) = desk.of_all(&place, ("opened", &[]), &["files"], "path")?;
        let under = self
            .under
            .map(|under| format!("{}/", under.trim_end_matches('/')));
        let is_meant = |row: &Value| {
            let path = row["path"].as_str().unwrap_or_default();
            under.as_ref().is_none_or(|under| path.starts_with(under))
                && self
                    .format
                    .as_ref()
                    .is_none_or(|format| row["format"] == format.as_str())
        };
        let rows = rows.into_iter().filter(is_meant).map(|mut row| {
            if let Some(fields) = row.as_object_mut() {
                fields.remove("number");
                fields.remove("group");
            }
            bare(row)
        });
        let head = json!({
            "folder": place.name, "game": opened["game"], "files_of_other_programs": opened["others"],
        });
        Ok(Reply::rows(head, rows))
    }
}

/// Describes a file and lists its members: images of a package, sounds of a bank, files of an
/// archive.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Info {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The file, as `list` has it: `zbd/c1/gamez.zbd`.
    file: String,
}

impl Tool for Info {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let answer = desk.ask_of(self.folder.as_deref(), &self.file, |number| {
            format!("file/{number}")
        })?;
        let (mut head, members) = split(answer, &["members"]);
        if let Some(fields) = head.as_object_mut() {
            fields.remove("number");
        }
        Ok(Reply::rows(head, members.into_iter().map(bare)))
    }
}

/// Lists the parts of a file: documents, texts, pictures, sounds and other bytes, with their sizes.
/// `document` is the kind of a document, for the tool `schema`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parts {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// Only parts below this path: `nodes`.
    under: Option<String>,
}

impl Tool for Parts {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let answer = desk.ask_of(self.folder.as_deref(), &self.file, |number| {
            format!("file/{number}/tree")
        })?;
        let (_, rows) = split(answer, &["parts"]);
        let under = self
            .under
            .map(|under| format!("{}/", under.trim_end_matches('/')));
        let is_meant = |row: &Value| {
            let path = row["path"].as_str().unwrap_or_default();
            under.as_ref().is_none_or(|under| path.starts_with(under))
        };
        Ok(Reply::rows(
            json!({ "file": self.file }),
            rows.into_iter().filter(is_meant).map(bare),
        ))
    }
}

/// Reads a part of a file: a text, a JSON document, or one value of a document. Pictures are shown
/// by `picture`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// The part, as `parts` has it: `nodes/00000-00063.json`.
    part: String,
    /// A value of the document: `nodes[3].name`. The whole part without it.
    path: Option<String>,
}

impl Tool for Read {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let (view, number) = desk.file(&place, &self.file)?;
        let query = query_of(&[("path", Some(&self.part))]);
        let answer = view.answer(&format!("file/{number}/part"), &query)?;
        if !answer.kind.starts_with("text/") && answer.kind != "application/json" {
            let what = format!("no text ({}, {} bytes)", answer.kind, answer.body.len());
            return Err(Error::say(what).in_file(self.part));
        }
        let text = String::from_utf8_lossy(&answer.body);
        let Some(path) = self.path else {
            return Ok(Reply::Text(Map::new(), text.into_owned()));
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let whole = refit_diff::Value::parse(text)
            .ok_or_else(|| Error::say("no JSON document").in_file(self.part.as_str()))?;
        let at = find(&whole, &path).map_err(|e| e.in_file(self.part.as_str()))?;
        let value = whole.at(&at).ok_or_else(|| {
            Error::say(format!("there is no value {path:?} here"))
                .in_file(self.part.as_str())
                .of_kind(ErrorKind::NoMember)
        })?;
        Ok(Reply::Text(Map::new(), laid_out(value)))
    }
}

/// Shows a picture: a PNG part of a file, or a texture by its name, as the game would choose it for
/// a world. A picture larger than 512 × 512 is made smaller.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Picture {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The file, as `list` has it: a package of textures, or a world with `texture`.
    file: String,
    /// The part: `images/brick.png`.
    part: Option<String>,
    /// The name of a texture, instead of `part`.
    texture: Option<String>,
}

/// The size of a PNG, as its first bytes say.
fn size_of(png: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| {
        let bytes = png.get(at..at.checked_add(4)?)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    Some((number(16)?, number(20)?))
}

impl Tool for Picture {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let (view, number) = desk.file(&place, &self.file)?;
        let answer = match (&self.part, &self.texture) {
            (Some(part), None) => {
                let query = query_of(&[("path", Some(part))]);
                view.answer(&format!("file/{number}/part"), &query)?
            }
            (None, Some(name)) => {
                let near = number.to_string();
                let query = query_of(&[("name", Some(name)), ("near", Some(&near))]);
                view.answer("texture", &query)?
            }
            _ => return Err(Error::say("name either `part` or `texture`")),
        };
        let name = self.part.or(self.texture).unwrap_or_default();
        if answer.body.is_empty() {
            return Err(
                Error::say("no package that this file sees has this texture")
                    .in_file(name)
                    .of_kind(ErrorKind::NoMember),
            );
        }
        let no_picture = || Error::say("no picture in PNG").in_file(name.as_str());
        if answer.kind != "image/png" {
            return Err(no_picture());
        }
        let (width, height) = size_of(&answer.body).ok_or_else(no_picture)?;
        let head = json!({ "name": name, "width": width, "height": height });
        let head = crate::pages::fields(head);
        if width.max(height) <= SIDE {
            return Ok(Reply::Picture(head, answer.body.to_vec()));
        }
        if u64::from(width).saturating_mul(u64::from(height)) > LARGEST {
            return Err(
                Error::say(format!("{width} × {height} pixels are too many to show")).in_file(name),
            );
        }
        let whole = picture::Picture::decode(&answer.body)?;
        let longer = u64::from(width.max(height));
        let scaled = |side: u32| {
            let scaled = u64::from(side)
                .saturating_mul(u64::from(SIDE))
                .checked_div(longer);
            scaled
                .and_then(|side| u32::try_from(side).ok())
                .unwrap_or(SIDE)
                .max(1)
        };
        let small = textures::scaled(&whole, scaled(width), scaled(height), [true; 2])?;
        Ok(Reply::Picture(head, small.encode(true)?))
    }
}

/// Lists the objects of a world as a tree: name, class, position, model. `depth` is the depth in the
/// tree; `#12` is a node by its position in the file.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct World {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The world, as `list` has it: `zbd/c1/gamez.zbd`.
    file: String,
    /// Only this node and what is below it: a name, or `#` and a position.
    node: Option<String>,
}

impl Tool for World {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let (view, number) = desk.file(&place, &self.file)?;
        let mut path = view.path_of(number)?;
        inside(&self.file)?;
        let tree = place.path.join(&self.file);
        if place.is_project && is_tree(&tree) {
            path = tree;
        }
        let rows = world::list(&path, self.node.as_deref(), &options(), &Quiet);
        let rows = rows.map_err(|e| e.about(&path))?;
        let rows = rows.into_iter().map(|row| {
            bare(json!({
                "depth": row.depth, "node": format!("#{}", row.slot), "name": row.name, "class": row.class,
                "at": row.at, "model": row.model,
            }))
        });
        Ok(Reply::rows(json!({ "file": self.file }), rows))
    }
}

/// Finds names that contain a text, in all files of a folder: nodes, textures, animations, sounds,
/// messages, classes of configs. The first call reads all files.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Find {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The text; upper and lower case are one.
    text: String,
    /// Only names of this kind: `node`, `texture`, `animation`, `sound`, `message`, `class`.
    kind: Option<String>,
}

impl Tool for Find {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let query = [
            ("q", Some(self.text.as_str())),
            ("kind", self.kind.as_deref()),
        ];
        let (head, rows) = desk.of_all(&place, ("find", &query), &["names"], "file")?;
        Ok(Reply::rows(bare(head), rows.into_iter().map(bare)))
    }
}

/// Lists where a name is defined and where it is used, in all files of a folder.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refs {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The kind of name, as `find` has it: `node`.
    kind: String,
    /// The whole name.
    name: String,
}

impl Tool for Refs {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let query = [
            ("kind", Some(self.kind.as_str())),
            ("name", Some(self.name.as_str())),
        ];
        let lists = ["defines", "uses"];
        let (_, rows) = desk.of_all(&place, ("refs", &query), &lists, "file")?;
        let defined = rows.iter().filter(|row| row["defines"] == true).count();
        let head = json!({ "defined": defined, "used": rows.len().saturating_sub(defined) });
        Ok(Reply::rows(head, rows.into_iter().map(bare)))
    }
}

/// Explains the bytes of a file, field by field: offset, size, path, role and meaning; of a project
/// those of the file in its game. Limit it by a part, a path in it, or a range of bytes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explain {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
    /// Only the bytes of this part.
    part: Option<String>,
    /// Only the bytes of this value of the part: `nodes[3].name`.
    path: Option<String>,
    /// The first byte.
    from: Option<u64>,
    /// The byte after the last.
    to: Option<u64>,
}

impl Tool for Explain {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let (view, number) = desk.stored(&place, &self.file)?;
        let (from, to) = (
            self.from.map(|n| n.to_string()),
            self.to.map(|n| n.to_string()),
        );
        let query = [
            ("path", self.part.as_deref()),
            ("at", self.path.as_deref()),
            ("from", from.as_deref()),
            ("to", to.as_deref()),
        ];
        let (head, lines) = split(
            ask(view, &format!("file/{number}/explain"), &query)?,
            &["lines"],
        );
        Ok(Reply::rows(bare(head), lines.into_iter().map(bare)))
    }
}

/// Lists findings, worst first: what the game would refuse, crash on, ignore, or what is unusual. Of
/// a whole folder also those across files; of a project those of its edited files. The first call for a
/// folder reads all files.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lint {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// Only this file, as `list` has it.
    file: Option<String>,
}

impl Tool for Lint {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let place = desk.place(self.folder.as_deref())?;
        let (answer, paths) = match &self.file {
            Some(file) => {
                let (view, number) = desk.file(&place, file)?;
                let answer = ask(view, &format!("file/{number}/findings"), &[])?;
                (answer, paths_of(view)?)
            }
            None => match desk.own_view(&place)? {
                Some(view) => (ask(view, "findings", &[])?, paths_of(view)?),
                None => return Ok(Reply::fields(json!({ "edited": 0 }))),
            },
        };
        let (answer, mut damaged) = split(answer, &["damaged"]);
        let (_, mut findings) = split(answer, &["findings"]);
        let head = json!({ "findings": findings.len(), "damaged": damaged.len() });
        let mut rows = Vec::new();
        rows.append(&mut damaged);
        rows.append(&mut findings);
        with_paths(&mut rows, &paths);
        // What a kind of finding means is said once.
        let mut known = HashSet::new();
        let rows = rows.into_iter().map(|row| {
            let mut row = bare(row);
            let is_new = row["code"]
                .as_str()
                .is_none_or(|code| known.insert(code.to_owned()));
            if !is_new && let Some(fields) = row.as_object_mut() {
                fields.remove("about");
            }
            if row["more"] == 0
                && let Some(fields) = row.as_object_mut()
            {
                fields.remove("more");
            }
            row
        });
        Ok(Reply::rows(head, rows))
    }
}

/// Shows how an edited file differs from its original, value by value.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Diff {
    /// The folder. May be left out if there is only one, or only one project.
    folder: Option<String>,
    /// The file, as `list` has it.
    file: String,
}

impl Tool for Diff {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let answer = desk.ask_of(self.folder.as_deref(), &self.file, |number| {
            format!("diff/{number}")
        })?;
        let (head, parts) = split(answer, &["parts"]);
        let rows = parts.into_iter().flat_map(|part| {
            let (own, fields) = split(part, &["fields"]);
            match fields.is_empty() {
                true => vec![own],
                false => fields,
            }
        });
        Ok(Reply::rows(bare(head), rows))
    }
}

/// The JSON Schema of a kind of document: what its fields mean, with units and ranges.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Schema {
    /// The kind, as `parts` has it: `gamez-nodes`.
    kind: String,
    /// A part of the schema, as a path of a value: `$defs.Node`. The whole schema without it.
    path: Option<String>,
}

impl Tool for Schema {
    fn call(self, _: &mut Desk) -> Result<Reply> {
        let known = refit_project::schemas();
        let found = known
            .iter()
            .find(|schema| schema.kind == self.kind)
            .ok_or_else(|| {
                let kinds: Vec<&str> = known.iter().map(|schema| schema.kind).collect();
                Error::say(format!("there is no kind of document {:?}", self.kind))
                    .hint(format!("the kinds are {}", kinds.join(", ")))
                    .of_kind(ErrorKind::NoMember)
            })?;
        let text = found.text.text().to_owned();
        let Some(path) = self.path else {
            return Ok(Reply::Text(Map::new(), text));
        };
        let whole =
            refit_diff::Value::parse(&text).ok_or_else(|| Error::say("the schema is no JSON"))?;
        let at = find(&whole, &path)?;
        let value = whole
            .at(&at)
            .ok_or_else(|| Error::say("there is no such place"))?;
        Ok(Reply::Text(Map::new(), laid_out(value)))
    }
}

/// Lists the edits of a project, the last one first, with their numbers for `undo`.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// The project. May be left out if there is only one.
    folder: Option<String>,
}

impl Tool for Changes {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (place, session): (_, Session) = desk.project(self.folder.as_deref())?;
        let (can_undo, can_redo) = session.can_undo_and_redo()?;
        let head = json!({ "project": place.name, "can_undo": can_undo, "can_redo": can_redo });
        let rows: Vec<Value> = session
            .changes(EDITS)?
            .iter()
            .map(|edit| json!(edit))
            .collect();
        Ok(Reply::rows(head, rows))
    }
}

/// Lists the mods that are applied to a game.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mods {
    /// The game, or a project of it. May be left out if there is only one folder or project.
    folder: Option<String>,
}

impl Tool for Mods {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        let (_, game) = desk.game(self.folder.as_deref())?;
        let mods = GameMods::of(&game).applied()?;
        let head = json!({ "game": game.shown(), "mods": mods.len() });
        Ok(Reply::rows(
            head,
            mods.iter().map(|one| json!(one)).collect::<Vec<_>>(),
        ))
    }
}

/// Continues an answer that is longer than a page.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct More {
    /// The value of `next` in the page before.
    cursor: String,
}

impl Tool for More {
    fn call(self, desk: &mut Desk) -> Result<Reply> {
        desk.pages.next(&self.cursor).map(Reply::Page)
    }
}
