//! The questions of the page, and their answers (PROTOCOL.md).

use super::{
    Content, Found, View, check_shown, lock,
    parts::{is_listed, kind_of},
    textures::word,
};
use bytes::Bytes;
use refit_base::{
    format::Format,
    game::Game,
    lint::Finding,
    naming::{Does, NameKind, key},
    secret,
    tree::{Style, manifest_path},
    wire::{Error, ErrorKind, Line, Result},
};
use refit_diff::rows;
use refit_files::{file::File, pipeline, registry};
use refit_gltf::packed;
use refit_index as index;
use refit_zipper::{anim::Anim, reader::known, sounds::sound};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

/// The kind of a document, and of a reader that the game knows by its name, which one: its schema
/// has the meaning of its values.
fn document_kind(kind: &str, path: &str, game: Option<Game>) -> String {
    let member = path.rsplit('/').next().unwrap_or(path);
    let member = member.strip_suffix(".json").unwrap_or(member);
    game.filter(|_| kind == "reader")
        .and_then(|game| known::KnownReader::of(member, game))
        .map_or_else(|| kind.to_owned(), known::KnownReader::kind)
}

/// An answer, with headers in addition to its type.
pub struct Answer {
    /// The HTTP content type of the body; empty if there is no body.
    pub kind: &'static str,
    /// The answer itself.
    pub body: Bytes,
    /// Further headers of HTTP, in lower case.
    pub headers: Vec<(&'static str, String)>,
}

/// The type of an answer without content.
pub(super) const NOTHING: &str = "";

impl Answer {
    fn bytes(kind: &'static str, body: impl Into<Bytes>) -> Self {
        Answer {
            kind,
            body: body.into(),
            headers: Vec::new(),
        }
    }

    /// An answer without content.
    pub(super) fn nothing() -> Self {
        Answer::bytes(NOTHING, Bytes::new())
    }
}

/// The source of a definition, or why it has none.
#[cfg(feature = "disk")]
fn source_answer(anim: &Anim, at: usize) -> Result<Value> {
    Ok(match refit_workbench::definition_source::of(anim, at) {
        Ok(source) => json!({ "text": source.text, "events": source.events }),
        Err(e) => json!({ "text": null, "why": e.to_string() }),
    })
}

/// The page in memory edits nothing.
#[cfg(not(feature = "disk"))]
fn source_answer(_: &Anim, _: usize) -> Result<Value> {
    Err(missing("this page shows no sources of definitions"))
}

/// An error as the page reads it (PROTOCOL.md), and its status.
pub fn refusal(e: &Error) -> (u16, Value) {
    let error = json!({ "error": {
        "kind": format!("{:?}", e.kind()).to_lowercase(), "message": e.to_string(), "path": e.path(),
        "offset": e.offset(), "line": e.place().map(|(line, _)| line), "column": e.place().map(|(_, column)| column),
    } });
    (
        if e.kind() == ErrorKind::NoMember {
            404
        } else {
            422
        },
        error,
    )
}

impl std::convert::From<Value> for Answer {
    fn from(value: Value) -> Self {
        Answer::bytes("application/json", value.to_string().into_bytes())
    }
}

/// The query of a question, after `?`.
pub type Query = HashMap<String, String>;

/// Most lines of an explanation, names of a search, and fields of a difference in one answer.
const LINES: usize = 2_000;
const NAMES: usize = 500;
/// Most names of one text.
const MOST_NAMES: usize = 20_000;

/// The version of the questions and answers: a page of another one asks to be loaded again.
pub(super) const PROTOCOL: u32 = 1;

/// The key of a question about changes that must not wait.
pub(super) const AT_ONCE: &str = "at_once";

/// How long a question about changes waits, and the time between two checks of the disk.
const WAIT: Duration = Duration::from_secs(25);
const LOOK: Duration = Duration::from_millis(400);

pub(super) fn missing(what: impl Into<String>) -> Error {
    Error::say(what).of_kind(ErrorKind::NoMember)
}

/// What a question works on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// One file, or cached facts about all files.
    File,
    /// The names of all files, which are read once.
    Names,
    /// All files, one after the other.
    Files,
    /// Nothing: it waits for changes, or reports the progress of another question.
    Nothing,
}

impl Scope {
    /// The scope of the question at a path.
    pub fn of(path: &str) -> Self {
        match *path.split('/').collect::<Vec<_>>().as_slice() {
            ["changes"] | ["soon", _] => Scope::Nothing,
            ["find" | "refs"] | ["file", _, "names"] => Scope::Names,
            ["findings" | "status" | "differences"] => Scope::Files,
            _ => Scope::File,
        }
    }
}

impl View {
    /// Answers the question at a path, without the leading `api/`.
    pub fn answer(&self, path: &str, query: &Query) -> Result<Answer> {
        match Scope::of(path) {
            Scope::Nothing => self.found(path, query),
            Scope::Names | Scope::Files => {
                let _survey = self.surveys.clone();
                self.found(path, query)
            }
            Scope::File => {
                let _turn = self.turn.write().unwrap_or_else(PoisonError::into_inner);
                let answer = self.found(path, query);
                // Nothing stays open while a survey reads files.
                if Arc::strong_count(&self.surveys) > 1 {
                    self.close_all();
                }
                answer
            }
        }
    }

    fn found(&self, path: &str, query: &Query) -> Result<Answer> {
        let required = |key: &str| {
            query
                .get(key)
                .ok_or_else(|| Error::say(format!("the question has no `{key}`")))
        };
        let number = |text: &str| {
            text.parse::<usize>()
                .map_err(|_| Error::say(format!("{text:?} is not a number")))
        };
        let parts: Vec<&str> = path.split('/').collect();
        match *parts.as_slice() {
            ["opened"] => {
                let mut opened = self.opened()?;
                if let Some(since) = query.get("since").and_then(|text| text.parse().ok()) {
                    opened["changed"] = self.changed(since).into();
                }
                Ok(opened.into())
            }
            ["findings"] => Ok(self.all_findings()?.into()),
            ["find"] => Ok(self.find(&self.index().files, required("q")?, query).into()),
            ["refs"] => Ok(self.refs(required("kind")?, required("name")?)?.into()),
            ["soon", "find"] => {
                let reading = self.names_read.state();
                let found = self.find(&reading.names, required("q")?, query);
                Ok(with_progress(found, self.progress(&reading)).into())
            }
            ["soon", "refs"] => {
                let reading = self.names_read.state();
                let found =
                    self.refs_so_far(&reading.names, required("kind")?, required("name")?)?;
                Ok(with_progress(found, self.progress(&reading)).into())
            }
            ["soon", "findings"] => {
                let progress = self.progress(&self.findings_read.state());
                Ok(json!({ "findings": [], "complete": false, "progress": progress }).into())
            }
            ["status"] => Ok(self.storage.status(self)?.into()),
            ["changes"] => {
                let since = query.get("since").and_then(|v| v.parse().ok());
                Ok(self.changes(since, !query.contains_key(AT_ONCE)).into())
            }
            ["schema"] => self.schema(required("kind")?),
            ["texture"] => self.png_of_texture(required("name")?, number(required("near")?)?),
            ["textures"] => {
                let names: Vec<&str> = required("names")?
                    .split('\n')
                    .filter(|name| !name.is_empty())
                    .collect();
                let near = number(required("near")?)?;
                self.close_others(near);
                let pixels = self.pixels(&names, near, query.contains_key("sizes"))?;
                Ok(Answer::bytes("application/octet-stream", pixels))
            }
            ["differences"] => Ok(self.differences()?.into()),
            ["diff", n] => Ok(self.diff(number(n)?)?.into()),
            ["file", n] => Ok(self.summary(number(n)?)?.into()),
            ["file", n, "tree"] => Ok(self.tree(number(n)?)?.into()),
            ["file", n, "part"] => self.part(number(n)?, required("path")?),
            ["file", n, "scene"] => {
                let only = query.get("shape").map(|text| number(text)).transpose()?;
                let extent = packed::Extent {
                    only,
                    known_shapes: query.get("shapes").map(String::as_str),
                };
                let number = number(n)?;
                let name = &self.entry(number)?.relative;
                let scene = packed::scene(&self.file(number)?.loaded.model, name, extent)?;
                Ok(Answer::bytes("application/octet-stream", scene))
            }
            ["file", n, "findings"] => {
                let number = number(n)?;
                let mut found = pipeline::lint(self.file(number)?.loaded.model.model())?;
                refit_base::lint::worst_first(&mut found);
                let found: Vec<Value> = found
                    .iter()
                    .map(|finding| finding_row(number, finding, None))
                    .collect();
                Ok(json!({ "findings": found, "complete": true }).into())
            }
            ["file", n, "source"] => Ok(self.source(number(n)?, required("path")?)?.into()),
            ["file", n, "names"] => Ok(self.names_in(number(n)?, required("path")?)?.into()),
            ["file", n, "explain"] => Ok(self.explain(number(n)?, query)?.into()),
            _ => Err(missing("the page asked something that refit does not know")),
        }
    }

    pub(super) fn opened(&self) -> Result<Value> {
        let files = self.files();
        let games: Vec<Game> = files.iter().filter_map(|(_, file)| file.game).collect();
        let most = Game::ALL
            .into_iter()
            .max_by_key(|game| games.iter().filter(|other| *other == game).count());
        let rows = files.iter().map(|(number, file)| {
            let role = file.role();
            json!({
                "number": number, "path": file.relative, "format": file.format.map(Format::name),
                "game": file.game.map(Game::code), "bytes": file.bytes, "edited": file.edited, "why": file.why,
                "title": file.title, "role": role.as_ref().map(|role| role.said()),
                "group": role.map_or_else(String::new, |r| r.folder),
            })
        });
        let kinds: Vec<&str> = NameKind::ALL.iter().map(|kind| kind.name()).collect();
        Ok(json!({
            "what": self.what, "name": self.name, "protocol": PROTOCOL, "root": self.root, "refit": env!("CARGO_PKG_VERSION"),
            "game": most.filter(|_| !games.is_empty()).map(Game::code), "version": lock(&self.watched).version,
            "files": rows.collect::<Vec<_>>(), "others": self.others, "kinds": kinds,
            "against": self.storage.against(),
        }))
    }

    fn summary(&self, number: usize) -> Result<Value> {
        let entry = self.entry(number)?;
        let opened = self.file(number)?;
        let loaded = &opened.loaded;
        let info: Vec<Value> = loaded
            .model
            .info()
            .into_iter()
            .map(|(key, value)| json!([key.replace('_', " "), value]))
            .collect();
        let is_pbo = loaded.detection.format == Format::Pbo;
        let signatures = if is_pbo {
            self.storage.signatures(&entry)
        } else {
            Vec::new()
        };
        let members: Vec<Value> = loaded
            .model
            .all_members()?
            .iter()
            .enumerate()
            .map(|(index, m)| {
                json!({ "index": index, "name": m.name, "kind": m.kind, "bytes": m.bytes, "detail": m.detail })
            })
            .collect();
        Ok(json!({
            "number": number, "path": entry.relative, "format": loaded.detection.format.name(),
            "game": loaded.detection.game.map(Game::code), "evidence": loaded.detection.evidence,
            "bytes": entry.bytes, "info": info, "members": members, "scene": packed::has_scene(&loaded.model),
            "fault": loaded.model.fault().map(|e| e.to_string()), "signatures": signatures,
        }))
    }

    fn tree(&self, number: usize) -> Result<Value> {
        let (parts, kinds) = (self.parts(number)?, self.document_kinds(number)?);
        let rows = parts.list.iter().zip(kinds).map(|((path, part), document)| {
            json!({ "path": path, "bytes": part.bytes, "kind": part.kind(path), "document": document })
        });
        Ok(json!({ "parts": rows.collect::<Vec<_>>() }))
    }

    /// The kinds of the parts of a file that are documents, in the order of the parts.
    pub(super) fn document_kinds(&self, number: usize) -> Result<Vec<Option<String>>> {
        let parts = self.parts(number)?;
        let game = self.file(number)?.loaded.detection.game;
        let kind = |path: &str, kind| document_kind(kind, path, game);
        let kinds = parts.list.iter();
        Ok(kinds
            .map(|(path, part)| part.document.map(|own| kind(path, own)))
            .collect())
    }

    pub(super) fn part(&self, number: usize, path: &str) -> Result<Answer> {
        // A document of a tree is read alone: a list of all parts opens each file of the tree.
        let tree = match &self.file(number)?.loaded.content {
            Content::Tree(tree) if is_listed(path) && tree.has(path) => Some(tree.clone()),
            _ => None,
        };
        let bytes = match tree {
            Some(tree) => tree.get(path)?,
            None => self.parts(number)?.get(path)?,
        };
        secret::check(path, &bytes)?;
        Ok(match kind_of(path) {
            "json" => Answer::bytes("application/json", bytes),
            "picture" => Answer::bytes("image/png", bytes),
            // The page plays PCM; a sound in another format stays unchanged.
            "sound" => Answer::bytes("audio/wav", sound::unpacked(&bytes).unwrap_or(bytes)),
            _ if refit_diff::is_text(&bytes) => Answer::bytes("text/plain; charset=utf-8", bytes),
            _ => Answer::bytes("application/octet-stream", bytes),
        })
    }

    /// The source of a definition of an animation file.
    fn source(&self, number: usize, path: &str) -> Result<Value> {
        let none = || missing(format!("{path} is no document of a definition"));
        let manifest = self.parts(number)?.get(&manifest_path(Style::Json))?;
        let manifest: Value = serde_json::from_slice(&manifest).map_err(|_| none())?;
        let rows = manifest["definitions"].as_array().ok_or_else(none)?;
        let at = rows.iter().position(|row| row == path).ok_or_else(none)?;
        let opened = self.file(number)?;
        let File::Anim(anim) = &*opened.loaded.model else {
            return Err(none());
        };
        source_answer(anim, at)
    }

    fn schema(&self, kind: &str) -> Result<Answer> {
        if let Some(known) = known::all().find(|known| known.kind() == kind) {
            return Ok(known.schema().into());
        }
        let schema = refit_project::schemas()
            .into_iter()
            .find(|schema| schema.kind == kind);
        let schema =
            schema.ok_or_else(|| missing(format!("there is no kind of document {kind:?}")))?;
        Ok(Answer::bytes(
            "application/json",
            schema.text.text().to_owned().into_bytes(),
        ))
    }

    fn png_of_texture(&self, name: &str, near: usize) -> Result<Answer> {
        // A missing texture is not an error of the page: the game shows such worlds, too.
        let Some(shown) = self.texture(name, near)? else {
            return Ok(Answer::bytes(NOTHING, Bytes::new()));
        };
        let mut headers = vec![
            ("x-refit-transparency", word(shown.transparency).to_owned()),
            (
                "x-refit-clamps",
                shown
                    .clamps
                    .map(|clamp| if clamp { "1" } else { "0" })
                    .join(","),
            ),
        ];
        if shown.additive {
            headers.push(("x-refit-additive", "true".to_owned()));
        }
        Ok(Answer {
            headers,
            ..Answer::bytes("image/png", shown.png)
        })
    }

    fn all_findings(&self) -> Result<Value> {
        self.close_all();
        let (mut rows, mut damaged) = (Vec::new(), Vec::new());
        self.storage
            .findings(self, &mut |number, found| match found {
                Found::Finding(finding, across) => {
                    rows.push((
                        finding.severity,
                        number,
                        finding_row(number, finding, across),
                    ));
                }
                Found::Damaged(error) => {
                    damaged.push(json!({ "file": number, "message": error.to_string() }))
                }
            })?;
        rows.sort_by_cached_key(|(severity, number, _)| (std::cmp::Reverse(*severity), *number));
        let rows: Vec<Value> = rows.into_iter().map(|(.., row)| row).collect();
        Ok(json!({ "findings": rows, "damaged": damaged, "complete": true }))
    }

    fn explain(&self, number: usize, query: &Query) -> Result<Value> {
        let entry = self.entry(number)?;
        let Content::File(file) = self.storage.content(&entry)? else {
            return Err(Error::say("a tree has no bytes yet").hint("`refit repack` makes its file"));
        };
        check_shown(&entry, &file)?;
        // It is read again, field by field.
        self.close_all();
        let number = |key: &str| query.get(key).and_then(|text| text.parse::<u64>().ok());
        let from = number("from").unwrap_or(0);
        let to = number("to").unwrap_or(u64::MAX).min(file.len());
        let mut wanted = query.get("path").cloned().unwrap_or_default();
        if let Some(at) = query.get("at").filter(|at| !at.is_empty()) {
            wanted = format!("{wanted} › {at}");
        }
        let (mut lines, mut more) = (Vec::new(), false);
        let mut see = |line: Line| {
            let own = line.path.strip_prefix(&wanted).is_some_and(|rest| {
                wanted.is_empty() || rest.is_empty() || rest.starts_with([' ', '.', '['])
            });
            if own && lines.len() < LINES {
                lines.push(json!({
                    "offset": line.range.start, "bytes": line.range.end - line.range.start, "path": line.path,
                    "role": line.role.name(), "meaning": line.meaning,
                }));
            } else {
                more |= own;
            }
            Ok(())
        };
        let done = pipeline::explain(&file, &entry.name(), self.hints, from..to, &mut see);
        // What comes before the place of a fault is explained all the same.
        match done {
            Err(e) if lines.is_empty() => Err(e),
            done => Ok(
                json!({ "lines": lines, "more": more, "fault": done.err().map(|e| e.to_string()) }),
            ),
        }
    }

    fn place_row(&self, (file, name): (&index::File, &index::Name)) -> Value {
        let number = self.files().number(&file.path);
        json!({
            "kind": name.kind.name(), "name": name.name, "file": number, "document": name.document, "at": name.at,
            "defines": name.does == Does::Defines,
        })
    }

    fn find(&self, files: &[index::File], wanted: &str, query: &Query) -> Value {
        let wanted = wanted.to_lowercase();
        let kind = query.get("kind").filter(|kind| !kind.is_empty());
        let limit = query
            .get("limit")
            .and_then(|text| text.parse().ok())
            .unwrap_or(NAMES)
            .min(NAMES);
        let (mut rows, mut more) = (Vec::new(), false);
        // Each name once per file: definitions come first there.
        let mut seen = std::collections::HashSet::new();
        let places = files.iter().flat_map(|file| {
            let names = file.content.names.iter();
            let defining = names.clone().filter(|name| name.does == Does::Defines);
            defining.chain(names).map(move |name| (file, name))
        });
        for (file, name) in places {
            if kind.is_some_and(|kind| kind != name.kind.name())
                || !name.name.to_lowercase().contains(&wanted)
            {
                continue;
            }
            if !seen.insert((&file.path, name.kind, name.name.as_str())) {
                continue;
            }
            if rows.len() >= limit {
                more = true;
                break;
            }
            rows.push(self.place_row((file, name)));
        }
        json!({ "names": rows, "more": more })
    }

    /// The names in one text of a file, in its order.
    fn names_in(&self, number: usize, path: &str) -> Result<Value> {
        let entry = self.entry(number)?;
        let index = self.index();
        let file = index.files.iter().find(|file| file.path == entry.path);
        let own = file
            .into_iter()
            .flat_map(|file| &file.content.names)
            .filter(|name| name.document == path);
        let row = |name: &index::Name| {
            let defines = name.does == Does::Defines;
            json!({ "kind": name.kind.name(), "name": name.name, "at": name.at, "defines": defines })
        };
        Ok(json!({ "names": own.take(MOST_NAMES).map(row).collect::<Vec<_>>() }))
    }

    /// All names of all files.
    pub(super) fn all_names(&self) -> Value {
        let rows: Vec<Value> = names_of(&self.index().files)
            .map(|place| self.place_row(place))
            .collect();
        json!({ "names": rows })
    }

    fn refs(&self, kind: &str, name: &str) -> Result<Value> {
        let kind = kind_named(kind)?;
        let index = self.index();
        let places = index
            .places(name)
            .into_iter()
            .filter_map(|place| index.name(place));
        Ok(self.ref_rows(kind, name, places.filter(|(_, name)| name.kind == kind)))
    }

    /// The same, for the files that were read so far.
    fn refs_so_far(&self, files: &[index::File], kind: &str, name: &str) -> Result<Value> {
        let kind = kind_named(kind)?;
        let wanted = key(kind, name);
        Ok(self.ref_rows(
            kind,
            name,
            names_of(files).filter(|(_, own)| own.kind == kind && key(kind, &own.name) == wanted),
        ))
    }

    fn ref_rows<'a>(
        &self,
        kind: NameKind,
        name: &str,
        places: impl Iterator<Item = (&'a index::File, &'a index::Name)>,
    ) -> Value {
        let (defines, uses): (Vec<_>, Vec<_>) =
            places.partition(|(_, name)| name.does == Does::Defines);
        let rows = |places: Vec<_>| {
            places
                .into_iter()
                .map(|place| self.place_row(place))
                .collect::<Vec<Value>>()
        };
        json!({ "kind": kind.name(), "name": name, "defines": rows(defines), "uses": rows(uses) })
    }

    fn diff(&self, number: usize) -> Result<Value> {
        let entry = self.entry(number)?;
        let (against, both) = self.storage.differences(self, &entry)?;
        let mut parts: Vec<Value> = Vec::new();
        let mut left = LINES;
        both.each(&mut |found| {
            for difference in &found {
                let fields: Vec<Value> = rows::of(difference).into_iter().take(left).collect();
                left -= fields.len();
                parts.push(json!({
                    "part": difference.path, "change": rows::word(&difference.change),
                    "differences": difference.weight(), "fields": fields,
                }));
            }
            Ok(left > 0)
        })?;
        Ok(
            json!({ "against": against, "equal": parts.is_empty(), "parts": parts, "more": left == 0 }),
        )
    }

    /// The files that differ from the other side of the comparison.
    fn differences(&self) -> Result<Value> {
        let mut files = Vec::new();
        for (number, entry) in self.files().iter() {
            if self.storage.differs(entry)? {
                files.push(number);
            }
        }
        Ok(json!({ "against": self.storage.against(), "files": files }))
    }

    /// The files that changed after a version.
    fn changed(&self, since: u64) -> Vec<usize> {
        let changed = &lock(&self.watched).changed;
        let files = changed.iter().enumerate();
        files
            .filter(|(_, at)| **at > since)
            .map(|(number, _)| number)
            .collect()
    }

    /// Waits until something changed on disk.
    fn changes(&self, since: Option<u64>, waits: bool) -> Value {
        if !self.storage.is_live() {
            return json!({ "version": self.look(), "files": [] });
        }
        let begun = Instant::now();
        loop {
            let looked = Instant::now();
            let version = self.look();
            if since != Some(version) || !waits || begun.elapsed() > WAIT {
                let files = self.changed(since.unwrap_or(version));
                self.forget_packages(files.iter().copied());
                return json!({ "version": version, "files": files });
            }
            // Looking at many files must not take all of a processor.
            std::thread::sleep(LOOK.max(looked.elapsed() * 8));
        }
    }
}

fn names_of(files: &[index::File]) -> impl Iterator<Item = (&index::File, &index::Name)> {
    files
        .iter()
        .flat_map(|file| file.content.names.iter().map(move |name| (file, name)))
}

fn kind_named(kind: &str) -> Result<NameKind> {
    let kinds = NameKind::ALL.iter().find(|known| known.name() == kind);
    kinds
        .copied()
        .ok_or_else(|| missing(format!("there is no kind of names {kind:?}")))
}

fn with_progress(mut answer: Value, progress: Value) -> Value {
    if let Some(answer) = answer.as_object_mut() {
        answer.insert("progress".to_owned(), progress);
    }
    answer
}

fn finding_row(number: usize, finding: &Finding, across: Option<(&str, &str)>) -> Value {
    let code = registry::find_code(finding.code);
    json!({
        "file": number, "code": finding.code, "severity": finding.severity, "path": finding.path,
        "message": finding.message, "more": finding.more, "title": code.map(|code| code.title),
        "about": code.map(|code| code.explain), "reaction": across.map(|(reaction, _)| reaction),
        "other": across.map(|(_, other)| other),
    })
}
