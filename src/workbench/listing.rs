//! The files of a folder or a project, and their roles.

use super::{
    files, names, open,
    options::Options,
    parallel::in_order,
    paths::Input,
    progress::Progress,
    report::{Report, Status},
};
use refit_base::{
    game::Game,
    tree::{DirSource, read_head},
    wire::Result,
};
use refit_bohemia::{
    models::{ModelNames, model_names},
    pbo::{ListedTexture, list_tex_headers},
};
use refit_files::{
    foreign,
    pipeline::{self, Hints},
};
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};

/// A file of a folder.
pub struct Listed {
    /// Its path below the folder, with `/`.
    pub file: String,
    /// Its game, format, size and role.
    pub report: Report,
}

impl Serialize for Listed {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut row = serde_json::to_value(&self.report).unwrap_or_default();
        if let Some(row) = row.as_object_mut() {
            // The state of a file is not part of a list.
            row.remove("status");
            row.insert("file".into(), self.file.as_str().into());
        }
        row.serialize(s)
    }
}

/// The recognised files of a folder or a project.
pub fn list(root: &Path, options: &Options, progress: &dyn Progress) -> Result<Vec<Listed>> {
    let items = names::items(&[root.to_owned()], options, progress)?;
    let mut found = Vec::new();
    let work = |item: &Input| listed(item, options.hints);
    in_order(
        &items,
        options,
        progress,
        (|_: &Input| 1, Input::name),
        work,
        |_, row| found.extend(row),
    );
    if found.is_empty() {
        Err(files::none_known(&[root.to_owned()], items.len()))
    } else {
        Ok(found)
    }
}

/// The names in a model, a skeleton animation or a terrain of Bohemia's games; `None` for another
/// file.
pub fn names_in(file: &Path) -> Result<Option<ModelNames>> {
    Ok(model_names(&open::load(file)?.bytes()?))
}

/// The textures of an addon's list of textures; `None` for another file.
pub fn textures_in(file: &Path) -> Result<Option<Vec<ListedTexture>>> {
    let bytes = open::load(file)?.bytes()?;
    let is_list = foreign::is_texture_list(&bytes);
    is_list.then(|| list_tex_headers(&bytes)).transpose()
}

fn listed(item: &Input, hints: Hints) -> Option<Listed> {
    let (bytes, format, game) = if item.path.is_dir() {
        let (_, head) = read_head(&DirSource::new(&item.path)).ok()?;
        (head.source.bytes, head.format, head.game)
    } else {
        let file = pipeline::load(&item.path).ok()?;
        let found = pipeline::recognise(&file, &item.name(), hints).ok()?;
        (file.len(), found.format, found.game)
    };
    let mut report = Report::new(&item.path);
    report.status = Status::Exact;
    (report.game, report.format, report.bytes) = (game.map(Game::code), Some(format), Some(bytes));
    let file = names::item(item).relative;
    report.part(&Input {
        relative: PathBuf::from(&file),
        explicit: false,
        ..item.clone()
    });
    Some(Listed { file, report })
}
