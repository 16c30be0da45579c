//! What `verify`, `unpack` and `repack` do, for one file of a view: nothing reaches the disk.

use super::{Bundle, Content, Entry, View};
use refit_base::{
    game::Game,
    tree::{Folder, Source, Style},
    wire::Result,
};
use refit_files::{
    detect::Detection,
    pipeline::{self, How, PROVED, Via},
};
use serde_json::{Value, json};

/// What became of a file, with the parts that stayed bytes and why.
fn outcome(detection: &Detection, bytes: u64, raw: Vec<(String, String)>, more: Value) -> Value {
    let raw: Vec<Value> = raw
        .into_iter()
        .map(|(member, why)| json!({ "member": member, "why": why }))
        .collect();
    let mut out = json!({
        "status": if raw.is_empty() { "exact" } else { "raw" }, "format": detection.format.name(),
        "game": detection.game.map(Game::code), "bytes": bytes, "raw": raw,
    });
    if let (Some(out), Value::Object(more)) = (out.as_object_mut(), more) {
        out.extend(more);
    }
    out
}

impl View {
    /// The number of files.
    pub fn len(&self) -> usize {
        self.files().list.len()
    }

    /// True if there are none, which [`View::of_files`] refuses.
    pub fn is_empty(&self) -> bool {
        self.files().list.is_empty()
    }

    /// The numbers of the trees.
    pub fn trees(&self) -> Vec<usize> {
        self.files()
            .iter()
            .filter(|(_, file)| file.is_tree)
            .map(|(number, _)| number)
            .collect()
    }

    /// Proves the round trip of a file or of a tree's file.
    ///
    /// # Errors
    /// The file does not exist or is damaged.
    pub fn verify(&self, number: usize) -> Result<Value> {
        let entry = self.entry(number)?;
        self.verified(&entry).map_err(|e| e.about(&entry.path))
    }

    fn verified(&self, entry: &Entry) -> Result<Value> {
        match self.storage.content(entry)? {
            Content::File(file) => {
                let name = entry.name();
                let opened = pipeline::read(&file, pipeline::recognise(&file, &name, self.hints)?)?;
                let proved = pipeline::prove(&file, &name, opened, Via::Json)?;
                Ok(outcome(
                    &proved.detection,
                    file.len(),
                    proved.raw,
                    Value::Null,
                ))
            }
            Content::Tree(source) => {
                let (head, file) = pipeline::repack(&*source)?;
                let (bytes, identical) = (file.len() as u64, head.source.sum.wait().fits(&file));
                let more = json!({ "source": head.source.file, "identical": identical });
                if identical && bytes > PROVED {
                    return Ok(outcome(&Detection::of_tree(&head), bytes, Vec::new(), more));
                }
                let proved = pipeline::prove_packed(&head, file, Via::Json)?;
                Ok(outcome(&proved.detection, bytes, proved.raw, more))
            }
        }
    }

    /// Unpacks a file into a folder of a bundle: its name without the extension, or with `.tree` if
    /// that is taken.
    ///
    /// # Errors
    /// It is not a file, or it is damaged.
    pub fn unpack(&self, number: usize, bundle: &mut Bundle) -> Result<Value> {
        let entry = self.entry(number)?;
        self.unpacked(&entry, bundle)
            .map_err(|e| e.about(&entry.path))
    }

    fn unpacked(&self, entry: &Entry, bundle: &mut Bundle) -> Result<Value> {
        let Content::File(file) = self.storage.content(entry)? else {
            return Err(refit_base::wire::Error::say("already an unpacked tree"));
        };
        let name = entry.name();
        let opened = pipeline::read(&file, pipeline::recognise(&file, &name, self.hints)?)?;
        let tree = Folder::new();
        let restart = || {
            tree.paths().iter().for_each(|path| _ = tree.remove(path));
            Ok(())
        };
        let how = How {
            style: Style::Json,
            proof: true,
        };
        let done = pipeline::unpack_opened(&file, &name, opened, how, &tree, &restart)?;
        let (folder, file_name) = entry
            .relative
            .rsplit_once('/')
            .unwrap_or(("", &entry.relative));
        let folder = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let short = file_name
            .rsplit_once('.')
            .map(|(stem, _)| stem)
            .filter(|stem| !stem.is_empty());
        let long = Some(format!("{folder}{file_name}.tree"));
        let names = short
            .map(|stem| format!("{folder}{stem}"))
            .into_iter()
            .chain(long);
        let tree = bundle.tree(names, &tree)?;
        Ok(outcome(
            &done.detection,
            file.len(),
            done.raw,
            json!({ "tree": tree }),
        ))
    }

    /// The file of a tree, and its name.
    ///
    /// # Errors
    /// It is not a tree, or refit could not read the file again.
    pub fn repack(&self, number: usize) -> Result<(String, Vec<u8>)> {
        let entry = self.entry(number)?;
        self.repacked(&entry).map_err(|e| e.about(&entry.path))
    }

    fn repacked(&self, entry: &Entry) -> Result<(String, Vec<u8>)> {
        let Content::Tree(source) = self.storage.content(entry)? else {
            return Err(refit_base::wire::Error::say(
                "a file; an unpacked tree is repacked",
            ));
        };
        let (head, model) = pipeline::assemble(&*source)?;
        pipeline::check_readable(&*model, &head)?;
        let mut bytes = Vec::new();
        pipeline::write(&*model, &mut bytes).map_err(|e| pipeline::explained(&*source, e))?;
        Ok((pipeline::file_name(&head.source.file), bytes))
    }

    /// Repacks a tree into a bundle, next to the tree's path.
    ///
    /// # Errors
    /// As [`View::repack`].
    pub fn repack_into(&self, number: usize, bundle: &mut Bundle) -> Result<Value> {
        let (name, bytes) = self.repack(number)?;
        let entry = self.entry(number)?;
        let folder = entry
            .relative
            .rsplit_once('/')
            .map_or(String::new(), |(folder, _)| format!("{folder}/"));
        bundle.file(&format!("{folder}{name}"), &bytes)?;
        Ok(json!({ "file": name, "bytes": bytes.len() }))
    }
}
