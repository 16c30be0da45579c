//! The page as static files, for a wiki or any web server: each answer is a file (PROTOCOL.md).

use super::{
    View,
    questions::{Answer, Query},
    server::{PAGE, SCRIPT},
};
use refit_base::{
    Sum,
    tree::{
        Sink,
        disk::{self, Replaced, StagedDir},
    },
    wire::{Error, Result, Within},
};
use refit_workbench::{Progress, Task};
use serde_json::{Value, json};
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

/// Marks the page as static: its answers are files.
const STATIC: &str = "<meta name=\"refit-source\" content=\"static\">";

/// The textures that a packed scene names, those of cycles too.
fn textures_of(scene: &[u8]) -> BTreeSet<String> {
    let length = scene
        .get(4..8)
        .and_then(|b| b.first_chunk().copied())
        .map(u32::from_le_bytes)
        .unwrap_or_default();
    let header: Value = scene
        .get(8..8 + length as usize)
        .and_then(|b| serde_json::from_slice(b).ok())
        .unwrap_or_default();
    let materials = header["materials"].as_array().into_iter().flatten();
    let cycled = materials.flat_map(|m| m["cycle"]["textures"].as_array().into_iter().flatten());
    let own = header["textures"].as_array().into_iter().flatten();
    own.chain(cycled)
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

impl View {
    /// Writes the page and the answers to its questions into a folder. Returns the number of files.
    ///
    /// # Errors
    /// The folder contains other files, or exists and `force` is not set. An unreadable file of the
    /// game is not an error: the page says why.
    pub fn export(
        &self,
        target: &Path,
        force: bool,
        progress: &dyn Progress,
    ) -> Result<(usize, Replaced)> {
        disk::check_folder(target, force)?;
        let staged = StagedDir::new(target, force)?;
        let sink = staged.sink();
        let mut out = Out {
            sink: &sink,
            written: 0,
            pictures: HashMap::new(),
            readers: BTreeSet::new(),
        };
        for (name, _, bytes) in PAGE {
            if name == SCRIPT {
                // After the ten bytes of gzip's header, and before the eight of its checksums.
                let packed = bytes.within(10..bytes.len().saturating_sub(8));
                let script = miniz_oxide::inflate::decompress_to_vec(packed);
                out.put(
                    name,
                    &script.map_err(|_| Error::say("the page's script is damaged"))?,
                )?;
                continue;
            }
            match std::str::from_utf8(bytes)
                .ok()
                .filter(|_| name == "index.html")
            {
                Some(text) => {
                    let head = text.find("<head>").map_or(0, |at| at + "<head>".len());
                    let (before, behind) = text.split_at_checked(head).unwrap_or((text, ""));
                    out.put(name, format!("{before}\n{STATIC}{behind}").as_bytes())?;
                }
                None => out.put(name, bytes)?,
            }
        }
        let mut opened = self.opened()?;
        // The page may be published: it must not contain a local path.
        opened["root"] = opened["name"].clone();
        out.json("data/opened.json", &opened)?;
        let task = Task::new(progress, 0);
        for (number, entry) in self.files().iter() {
            task.at(&entry.relative);
            self.export_file(number, &mut out)?;
        }
        out.answer("data/findings.json", self.answer("findings", &Query::new()))?;
        out.json("data/names.json", &self.all_names())?;
        for kind in refit_project::schemas() {
            out.put(
                &format!("data/schema/{}.json", kind.kind),
                kind.text.text().as_bytes(),
            )?;
        }
        for known in std::mem::take(&mut out.readers) {
            let file = format!("data/schema/{known}.json");
            out.answer(
                &file,
                self.answer("schema", &Query::from([("kind".to_owned(), known)])),
            )?;
        }
        sink.put(".refit/export", b"view")?;
        let written = out.written;
        Ok((written, staged.commit()?))
    }

    fn export_file(&self, number: usize, out: &mut Out<'_>) -> Result<()> {
        let folder = format!("data/file/{number}");
        let asked = |what: &str| self.answer(&format!("file/{number}{what}"), &Query::new());
        let summary = asked("");
        let has_scene = summary.as_ref().is_ok_and(|answer| {
            serde_json::from_slice::<Value>(&answer.body)
                .is_ok_and(|summary| summary["scene"] == true)
        });
        out.answer(&format!("{folder}/summary.json"), summary)?;
        out.answer(&format!("{folder}/findings.json"), asked("/findings"))?;
        let kinds = self.document_kinds(number).unwrap_or_default();
        let readers = kinds.into_iter().flatten();
        out.readers
            .extend(readers.filter(|kind| kind.starts_with("reader-")));
        out.answer(&format!("{folder}/tree.json"), asked("/tree"))?;
        if let Ok(parts) = self.parts(number) {
            for (k, (path, part)) in parts.list.iter().enumerate() {
                let ext = match part.kind(path) {
                    "json" => "json",
                    "picture" => "png",
                    "sound" => "wav",
                    "text" => "txt",
                    _ => "bin",
                };
                out.answer(&format!("{folder}/part/{k}.{ext}"), self.part(number, path))?;
            }
        }
        if !has_scene {
            return Ok(());
        }
        let scene = match asked("/scene") {
            Ok(answer) => answer.body,
            Err(e) => return out.json(&format!("{folder}/scene.json"), &error_body(&e)),
        };
        out.put(&format!("{folder}/scene.bin"), &scene)?;
        let mut textures = serde_json::Map::new();
        for name in textures_of(&scene) {
            let Some(shown) = self.texture(&name, number)? else {
                continue;
            };
            let sum = Sum::of(&shown.png);
            let next = format!("data/texture/{}.png", out.pictures.len());
            let file = match out.pictures.get(&sum) {
                Some(file) => file.clone(),
                None => {
                    out.put(&next, &shown.png)?;
                    out.pictures.insert(sum, next.clone());
                    next
                }
            };
            let transparency = super::textures::word(shown.transparency);
            textures.insert(
                name.to_lowercase(),
                json!({
                    "file": file, "transparency": transparency, "additive": shown.additive, "clamps": shown.clamps
                }),
            );
        }
        out.json(&format!("{folder}/textures.json"), &textures.into())
    }
}

fn error_body(e: &Error) -> Value {
    json!({ "error": { "message": e.to_string() } })
}

/// The files that are written.
struct Out<'a> {
    sink: &'a dyn Sink,
    written: usize,
    /// The files of pictures, by their checksums.
    pictures: HashMap<Sum, String>,
    /// The kinds of readers that games know by their names.
    readers: BTreeSet<String>,
}

impl Out<'_> {
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        self.written += 1;
        self.sink.put(path, bytes)
    }

    fn json(&mut self, path: &str, value: &Value) -> Result<()> {
        self.put(path, value.to_string().as_bytes())
    }

    /// Writes an answer, or the reason why there is none.
    fn answer(&mut self, path: &str, answer: Result<Answer>) -> Result<()> {
        match answer {
            Ok(answer) => self.put(path, &answer.body),
            Err(e) => self.json(path, &error_body(&e)),
        }
    }
}
