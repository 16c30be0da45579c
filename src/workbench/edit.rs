//! One member in a separate file, or its glTF export, which is imported when it is saved.

use super::{
    open,
    options::Options,
    progress::Progress,
    put::{self, Stored},
};
use crate::{
    formats::Model,
    gltf::{self, import},
    path::Shown,
    pipeline,
    tree::{Form, Style, disk},
    wire::{Error, Result},
};
use bytes::Bytes;
use std::path::{Path, PathBuf};

/// A member that was taken out of a file.
pub struct TakenOut {
    file: PathBuf,
    name: String,
    /// The form of the member; `None` for glTF.
    form: Option<Form>,
    /// The file to edit.
    pub place: PathBuf,
    /// The current content of the file.
    known: Bytes,
}

/// The file extension for this content, so that programs recognise it.
fn ending(model: &dyn Model, index: usize, content: &[u8], name: &str, style: Style) -> String {
    let own = || name.rsplit_once('.').map_or("txt", |(_, end)| end).to_owned();
    match content {
        [0x89, b'P', b'N', b'G', ..] => "png".to_owned(),
        [b'R', b'I', b'F', b'F', ..] => "wav".to_owned(),
        _ if model.document(index).is_ok() => style.ext().to_owned(),
        // Texts of messages are documents without an own type.
        _ if content.starts_with(b"{") => style.ext().to_owned(),
        _ => own(),
    }
}

impl TakenOut {
    /// Extracts a member into a folder, as a document or another editable form, or without a style as glTF. Returns an
    /// error if the file has no such member.
    pub fn new(file: &Path, name: &str, style: Option<Style>, folder: &Path, options: &Options) -> Result<Self> {
        let opened = open::open_file(file, options.hints)?;
        let model = opened.model.model();
        let index = pipeline::find_member(model, name);
        let member = index.as_ref().ok().and_then(|index| model.members().into_iter().nth(*index));
        let whole = member.map_or_else(|| name.to_owned(), |member| member.name);
        let form = style.map(Form::Document);
        let (known, end) = match (form, style) {
            (Some(form), Some(style)) => {
                let index = index?;
                let known = model.get(index, form)?;
                let end = ending(model, index, &known, &whole, style);
                (known, end)
            }
            _ => (gltf::view(&opened.model, &whole, &[])?, "glb".to_owned()),
        };
        let last = whole.rsplit(['/', '\\']).next().unwrap_or(&whole);
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let safe: String =
            stem.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' }).collect();
        let place = folder.join(format!("{safe}.{end}"));
        std::fs::write(&place, &known).map_err(|e| Error::io(&place, e))?;
        Ok(TakenOut { file: file.to_owned(), name: name.to_owned(), form, place, known })
    }

    /// Imports the member if it was saved since. Returns the changes of a glTF file, and `None` if it was not saved.
    /// After an error the file stays unchanged, and the next save is tried again.
    pub fn put_back(
        &mut self,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Option<(Option<import::Report>, Stored)>> {
        // An editor may be replacing the file at this moment.
        let Ok(now) = disk::read(&self.place) else { return Ok(None) };
        if now == self.known || now.is_empty() {
            return Ok(None);
        }
        self.known = now.clone();
        let mut subject = put::open_to_change(&self.file, None, options, progress)?;
        let report = match self.form {
            Some(form) => {
                let index = pipeline::find_member(&*subject.model, &self.name)?;
                subject.model.model_mut().put(index, &now, form).map_err(|e| e.in_file(self.place.shown()))?;
                None
            }
            None => Some(put::gltf_into(&mut subject.model, &self.name, &self.place, import::Options::default())?),
        };
        progress.notes(&self.file, subject.model.notes());
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes)?;
        let stored = put::store(&self.file, None, subject, bytes, self.name.clone(), options, progress)?;
        Ok(Some((report, stored)))
    }
}
