//! One member in a separate file, or its glTF export, which is imported when it is saved.

use super::{
    open,
    options::Options,
    progress::Progress,
    put::{self, Stored},
};
use bytes::Bytes;
use refit_base::{
    contract::Model,
    path::Shown,
    secret,
    tree::{Form, Style, disk},
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline};
use refit_gltf::{self as gltf, import};
use std::path::{Path, PathBuf};

/// A member that was taken out of a file.
pub struct TakenOut {
    file: PathBuf,
    name: String,
    /// The member's full name.
    whole: String,
    /// The form of the member; `None` for glTF.
    form: Option<Form>,
    /// The file to edit.
    pub place: PathBuf,
    /// The saved text that was put back, or the first one.
    stored: Bytes,
    /// The member in the game's file, in this form, after refit last wrote or read it.
    member: Bytes,
    /// The saved text that could not be put back.
    pending: Option<Bytes>,
}

/// What became of the file that was edited.
pub enum Save {
    /// It was not saved since.
    None,
    /// It was put back; with the changes of a glTF file.
    Stored(Box<(Option<import::Report>, Stored)>),
}

/// The file extension for this content, so that programs recognise it.
fn ending(model: &dyn Model, index: usize, content: &[u8], name: &str, style: Style) -> String {
    let own = || {
        name.rsplit_once('.')
            .map_or("txt", |(_, end)| end)
            .to_owned()
    };
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
    /// Extracts a member into a folder, as a document or another editable form, or without a style
    /// as glTF. Returns an error if the file has no such member.
    pub fn new(
        file: &Path,
        name: &str,
        style: Option<Style>,
        folder: &Path,
        options: &Options,
    ) -> Result<Self> {
        let opened = open::open_file(file, options.hints)?;
        let model = opened.model.model();
        let index = pipeline::find_member(model, name);
        let member = index
            .as_ref()
            .ok()
            .and_then(|index| model.members().into_iter().nth(*index));
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
        let safe: String = stem
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || "-_".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let place = folder.join(format!("{safe}.{end}"));
        std::fs::write(&place, &known).map_err(|e| Error::io(&place, e))?;
        Ok(TakenOut {
            file: file.to_owned(),
            name: name.to_owned(),
            whole,
            form,
            place,
            stored: known.clone(),
            member: known,
            pending: None,
        })
    }

    /// True if the last save could not be put back.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Imports the member if it was saved since. After an error the game's file stays unchanged,
    /// and the next save is tried again.
    pub fn put_back(&mut self, options: &Options, progress: &dyn Progress) -> Result<Save> {
        // An editor may be replacing the file at this moment.
        let Ok(now) = disk::read(&self.place) else {
            return Ok(Save::None);
        };
        let same = self.pending.as_ref().unwrap_or(&self.stored);
        if now == *same || now.is_empty() {
            return Ok(Save::None);
        }
        self.store(now, options, progress)
    }

    /// Imports what the editor left. Fails if the last save could not be put back.
    pub fn finish(&mut self, options: &Options, progress: &dyn Progress) -> Result<Save> {
        let now = disk::read(&self.place).map_err(|e| {
            e.hint(match self.pending {
                Some(_) => "the editor left no file here; the last text that it saved is kept",
                None => "the editor left no file here, so nothing more was put back",
            })
        })?;
        if now == self.stored {
            self.pending = None;
            return Ok(Save::None);
        }
        if now.is_empty() && !self.stored.is_empty() {
            return Err(
                Error::say("the editor left an empty file, which refit did not put back")
                    .in_file(self.place.shown())
                    .hint("`refit put` replaces a member with nothing"),
            );
        }
        self.store(now, options, progress)
    }

    /// The file with the last save that was not put back, which is written again if the editor
    /// removed it.
    pub fn keep(&self) -> Result<PathBuf> {
        let Some(text) = self.pending.as_ref().filter(|_| !self.place.is_file()) else {
            return Ok(self.place.clone());
        };
        let mut place = self.place.clone();
        if place.symlink_metadata().is_ok() {
            // A folder or a pipe.
            place.set_file_name(format!(
                "saved-{}",
                place.file_name().unwrap_or_default().to_string_lossy()
            ));
        }
        std::fs::write(&place, text)
            .map(|()| place.clone())
            .map_err(|e| Error::io(&place, e))
    }

    /// The member in the game's file.
    fn member_of(&self, file: &File) -> Result<Bytes> {
        match self.form {
            Some(form) => file
                .model()
                .get(pipeline::find_member(file.model(), &self.name)?, form),
            None => gltf::view(file, &self.whole, &[]),
        }
    }

    fn store(&mut self, now: Bytes, options: &Options, progress: &dyn Progress) -> Result<Save> {
        self.pending = Some(now.clone());
        secret::check(&self.name, &now)?;
        let mut subject = put::open_to_change(&self.file, None, options, progress)?;
        if self.member_of(&subject.model)? != self.member {
            return Err(Error::say(format!(
                "{:?} changed in the file since it was opened in the editor",
                self.name
            ))
            .hint("`refit put` puts your text over that change"));
        }
        let report = match self.form {
            Some(form) => {
                let index = pipeline::find_member(&*subject.model, &self.name)?;
                subject
                    .model
                    .model_mut()
                    .put(index, &now, form)
                    .map_err(|e| e.in_file(self.place.shown()))?;
                None
            }
            None => Some(put::gltf_into(
                &mut subject.model,
                &self.name,
                &self.place,
                import::Options::default(),
            )?),
        };
        progress.notes(&self.file, subject.model.notes());
        let mut bytes = Vec::new();
        pipeline::write(&*subject.model, &mut bytes)?;
        let member = self.member_of(&subject.model)?;
        let stored = put::store(
            &self.file,
            None,
            subject,
            bytes,
            self.name.clone(),
            options,
            progress,
        )?;
        if !options.dry_run {
            self.member = member;
        }
        (self.stored, self.pending) = (now, None);
        Ok(Save::Stored(Box::new((report, stored))))
    }
}
