//! One member in a separate file, or its glTF export, which is imported when it is saved.

use super::{
    open,
    options::Options,
    progress::Progress,
    put::{self, Written},
    put_tree,
};
use bytes::Bytes;
use refit_base::{
    contract::Model,
    path::Shown,
    secret,
    tree::{Form, Style, disk, is_tree},
    wire::{Error, Result},
};
use refit_files::{file::File, pipeline};
use refit_gltf::{self as gltf, import};
use std::path::{Path, PathBuf};

/// The start of a line with an error at the top of a text that is edited. Such lines are taken out
/// before the text is read.
const REMARK: &str = "// refit: ";

/// A text without the lines with errors at its top, and their number.
fn without_remarks(text: &Bytes) -> (Bytes, usize) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let (mark, mut rest) = match text.strip_prefix(MARK) {
        Some(rest) => (MARK, rest),
        None => (&b""[..], &text[..]),
    };
    let mut lines = 0;
    while rest.starts_with(REMARK.as_bytes()) {
        let end = rest.iter().position(|byte| *byte == b'\n');
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
        lines += 1;
    }
    match lines {
        0 => (text.clone(), 0),
        _ => ([mark, rest].concat().into(), lines),
    }
}

/// A member that was taken out of a file or a tree.
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
    /// The number of lines with errors at the top of the file to edit.
    remarks: usize,
}

/// What became of the file that was edited.
pub enum Save {
    /// It was not saved since.
    None,
    /// It was put back; with the changes of a glTF file.
    Stored(Box<(Option<import::Report>, Written)>),
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
        let opened = match is_tree(file) {
            true => open::open(file, options.hints)?,
            false => open::open_file(file, options.hints)?,
        };
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
            remarks: 0,
        })
    }

    /// The name of the member.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the user saved, without the lines with errors.
    fn saved(&mut self) -> Result<Bytes> {
        let (text, remarks) = without_remarks(&disk::read(&self.place)?);
        self.remarks = remarks;
        Ok(text)
    }

    /// An error about the saved text, with the line as the editor counts it.
    pub fn text_of(&self, error: &Error) -> String {
        Self::moved(error, self.remarks)
    }

    fn moved(error: &Error, lines: usize) -> String {
        let text = error.to_string();
        match error.place() {
            Some((line, column)) if lines > 0 => text.replacen(
                &format!(":{line}:{column}:"),
                &format!(":{}:{column}:", line.saturating_add(lines)),
                1,
            ),
            _ => text,
        }
    }

    /// Writes an error into the file to edit, as lines at its top that are taken out again when it
    /// is saved. Returns the line of the error in the file. Files that are no text stay as they
    /// are.
    pub fn remark(&mut self, error: &Error) -> Result<Option<usize>> {
        let line = error.place().map(|(line, _)| line);
        let Some(text) = self.pending.clone().filter(|_| self.form.is_some()) else {
            return Ok(line);
        };
        // Not a picture or a sound.
        let is_text = std::str::from_utf8(&text).is_ok() && !text.contains(&0);
        if !is_text {
            return Ok(line);
        }
        const LINES: usize = 2;
        let error = Self::moved(error, LINES);
        let top = format!(
            "{REMARK}{}\n{REMARK}these two lines are taken out when you save\n",
            error.replace(['\n', '\r'], " ")
        );
        let (mark, rest) = match text.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => (&text[..3.min(text.len())], rest),
            None => (&b""[..], &text[..]),
        };
        std::fs::write(&self.place, [mark, top.as_bytes(), rest].concat())
            .map_err(|e| Error::io(&self.place, e))?;
        self.remarks = LINES;
        Ok(line.map(|line| line.saturating_add(LINES)))
    }

    /// True if the last save could not be put back.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Imports the member if it was saved since. After an error the game's file stays unchanged,
    /// and the next save is tried again.
    pub fn put_back(&mut self, options: &Options, progress: &dyn Progress) -> Result<Save> {
        // An editor may be replacing the file at this moment.
        let Ok(now) = self.saved() else {
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
        let has_saved = self.pending.is_some();
        let now = self.saved().map_err(|e| {
            e.hint(match has_saved {
                true => "the editor left no file here; the last text that it saved is kept",
                false => "the editor left no file here, so nothing more was put back",
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
        let (report, member, written) = if is_tree(&self.file) {
            let change = |file: &mut File| {
                let report = self.import(&now, file)?;
                progress.notes(&self.file, file.notes());
                Ok((report, self.member_of(file)?))
            };
            let (done, names, news) = put_tree::change(&self.file, options, progress, change)?;
            let news = news.map(|news| (self.file.shown(), news));
            (done.0, done.1, Written::Tree(names, news))
        } else {
            let mut subject = put::open_to_change(&self.file, None, options, progress)?;
            let report = self.import(&now, &mut subject.model)?;
            progress.notes(&self.file, subject.model.notes());
            let mut bytes = Vec::new();
            pipeline::write(&*subject.model, &mut bytes)?;
            let member = self.member_of(&subject.model)?;
            let label = self.name.clone();
            let stored = put::store(&self.file, None, subject, bytes, label, options, progress)?;
            (report, member, Written::File(stored))
        };
        if !options.dry_run {
            self.member = member;
        }
        (self.stored, self.pending) = (now, None);
        Ok(Save::Stored(Box::new((report, written))))
    }

    /// Puts the saved member into the file, unless the member changed there meanwhile.
    fn import(&self, now: &Bytes, file: &mut File) -> Result<Option<import::Report>> {
        if self.member_of(file)? != self.member {
            return Err(Error::say(format!(
                "{:?} changed in the file since it was opened in the editor",
                self.name
            ))
            .hint("`refit put` puts your text over that change"));
        }
        let Some(form) = self.form else {
            let how = import::Options::default();
            return put::gltf_into(file, &self.name, &self.place, how).map(Some);
        };
        let index = pipeline::find_member(file.model(), &self.name)?;
        let done = file.model_mut().put(index, now, form);
        done.map_err(|e| e.in_file(self.place.shown()))?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Quiet;

    /// The golden reader, and one of its members taken out.
    fn taken_out(dir: &Path) -> (PathBuf, TakenOut) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = dir.join("reader.zbd");
        std::fs::copy(
            root.join("../../golden/reader/mw_typical_reader.zbd"),
            &file,
        )
        .unwrap();
        let model = open::open_file(&file, Options::default().hints)
            .unwrap()
            .model;
        let name = model.model().members().remove(0).name;
        let options = Options::default();
        let out = TakenOut::new(&file, &name, Some(Style::Json), dir, &options).unwrap();
        (file, out)
    }

    #[test]
    fn an_error_is_shown_in_the_editor_and_taken_out_again() {
        let dir = tempfile::tempdir().unwrap();
        let (file, mut out) = taken_out(dir.path());
        let before = std::fs::read(&file).unwrap();
        std::fs::write(&out.place, "[\n1,\n2\n").unwrap();
        let error = out.finish(&Options::default(), &Quiet).err().unwrap();
        assert!(out.is_pending());
        let (line, column) = error.place().unwrap();
        assert_eq!(out.remark(&error).unwrap(), Some(line + 2));
        let text = std::fs::read_to_string(&out.place).unwrap();
        assert!(text.starts_with(REMARK), "{text}");
        assert!(
            text.contains(&format!(":{}:{column}: ", line + 2)),
            "{text}"
        );
        assert!(text.ends_with("when you save\n[\n1,\n2\n"), "{text}");
        // The next error, with the lines still there, is at the line of the editor.
        let again = out.finish(&Options::default(), &Quiet).err().unwrap();
        assert!(
            out.text_of(&again)
                .contains(&format!(":{}:{column}: ", line + 2))
        );
        assert_eq!(std::fs::read(&file).unwrap(), before);
        // Mended, in an editor that writes a mark and the line ends of Windows.
        let mended = format!("\u{feff}{}]\n", text).replace('\n', "\r\n");
        std::fs::write(&out.place, mended).unwrap();
        assert!(matches!(
            out.finish(&Options::default(), &Quiet),
            Ok(Save::Stored(_))
        ));
        assert!(!out.is_pending());
        assert_eq!(out.member, Bytes::from_static(b"[1, 2]\n"));
    }
}
