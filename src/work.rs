//! The work itself: open, unpack, repack, verify. The command line only parses and prints.

use crate::{
    detect::{self, Detection},
    formats::{self, Context, Format, Model},
    game::Game,
    lint::{Finding, Lints},
    sha256,
    tree::{Head, NullSink, Origin, Sink, Source, Style, TreeReader, TreeWriter},
    wire::{Error, Result},
};
use bytes::Bytes;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the user says about a file: it overrides what the content says.
#[derive(Clone, Copy, Default, Debug)]
pub struct Hints {
    /// The game.
    pub game: Option<Game>,
    /// The format.
    pub format: Option<Format>,
}

/// How a round trip is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
#[value(rename_all = "lowercase")]
pub enum Via {
    /// Bytes → model → bytes.
    Bytes,
    /// Through JSON text.
    Json,
    /// Through RON text.
    Ron,
}

impl Via {
    fn style(self) -> Option<Style> {
        match self {
            Via::Bytes => None,
            Via::Json => Some(Style::Json),
            Via::Ron => Some(Style::Ron),
        }
    }
}

/// A file that was read.
pub struct Opened {
    /// What it was recognised as.
    pub detection: Detection,
    /// Its model.
    pub model: Box<dyn Model>,
}

/// No panic on any input: should one slip through, it is an error that asks for a report.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let what =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Error::say(format!("internal error: {what}")).hint("this is a bug in refit, please report it"))
    })
}

/// Recognises a file. `path` is only a hint for what the content leaves open.
pub fn recognise(file: &Bytes, path: &str, hints: Hints) -> Result<Detection> {
    guarded(|| {
        let found = detect::detect(file, path);
        let mut detection = match (found, hints.format) {
            (Ok(found), None) => found,
            (Err(e), None) => return Err(e),
            (Ok(found), Some(format)) if found.format == format => found,
            (_, Some(format)) => Detection { format, game: hints.game, evidence: "as you said".into(), certain: false },
        };
        if let Some(game) = hints.game {
            detection.game = Some(game);
        }
        Ok(detection)
    })
}

/// Recognises and reads a file.
pub fn open(file: &Bytes, path: &str, hints: Hints) -> Result<Opened> {
    read(file, recognise(file, path, hints)?)
}

/// Reads a file that was recognised.
pub fn read(file: &Bytes, detection: Detection) -> Result<Opened> {
    let codec = formats::codec(detection.format).ok_or_else(|| {
        Error::say(format!("{} files are recognised, but this refit does not read them yet", detection.format)).hint("nothing was written")
    })?;
    let context = Context { game: detection.game, format: detection.format };
    let model = guarded(|| codec.read(file, &context))?;
    Ok(Opened { detection, model })
}

/// The outcome of an unpack or a proof.
#[derive(Debug)]
pub struct Outcome {
    /// What the file was recognised as.
    pub detection: Detection,
    /// What stayed raw, and why: members, or `""` for the whole file.
    pub raw: Vec<(String, String)>,
}

/// Holds what a model writes against a file, without a second copy of it.
struct Compare<'a> {
    file: &'a [u8],
    at: usize,
    /// The first difference, as a sentence.
    differs: Option<Error>,
}

impl Compare<'_> {
    fn differ(&mut self, at: usize, written: &[u8]) -> std::io::Error {
        let show = |bytes: &[u8]| crate::wire::hex_of(bytes.get(..8).unwrap_or(bytes));
        let stored = self.file.get(at..).unwrap_or_default();
        let error = Error::say(format!("refit would write {:?} where the file has {:?}", show(written), show(stored))).at(at as u64);
        self.differs.get_or_insert(error);
        std::io::Error::other("differs")
    }
}

impl std::io::Write for Compare<'_> {
    fn write(&mut self, written: &[u8]) -> std::io::Result<usize> {
        let end = self.at.saturating_add(written.len());
        match self.file.get(self.at..end) {
            // A piece of the file itself, as archives write their members, need not be read again.
            Some(stored) if std::ptr::eq(stored, written) || stored == written => {
                self.at = end;
                Ok(written.len())
            }
            stored => {
                let stored = stored.unwrap_or(self.file.get(self.at..).unwrap_or_default());
                let same = written.iter().zip(stored).position(|(a, b)| a != b).unwrap_or(stored.len().min(written.len()));
                Err(self.differ(self.at + same, written.get(same..).unwrap_or_default()))
            }
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn compare(model: &dyn Model, file: &[u8]) -> Result<()> {
    let mut out = Compare { file, at: 0, differs: None };
    let written = model.write_to(&mut out);
    if let Some(error) = out.differs {
        return Err(error);
    }
    written?;
    if out.at < file.len() {
        return Err(Error::say(format!("refit would write {} bytes where the file has {}", out.at, file.len())).at(out.at as u64));
    }
    Ok(())
}

/// Unpacks a file into `sink`, proving the trip through the very texts that it writes.
///
/// When the proof fails the file itself is put into the tree, so that `repack` is exact all the same; `restart` is called
/// before, to empty the sink.
pub fn unpack(
    file: &Bytes,
    path: &str,
    hints: Hints,
    style: Style,
    proof: bool,
    sink: &dyn Sink,
    restart: &dyn Fn() -> Result<()>,
) -> Result<Outcome> {
    unpack_opened(file, path, open(file, path, hints)?, How { style, proof }, sink, restart)
}

/// How a file is unpacked.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// The spelling of the documents.
    pub style: Style,
    /// Prove the trip through the texts, and not only bytes → model → bytes.
    pub proof: bool,
}

/// [`unpack`] of a file that was read.
pub fn unpack_opened(
    file: &Bytes,
    path: &str,
    opened: Opened,
    how: How,
    sink: &dyn Sink,
    restart: &dyn Fn() -> Result<()>,
) -> Result<Outcome> {
    let Opened { detection, model } = opened;
    let origin = Origin { file: file_name(path), bytes: file.len() as u64, sha256: sha256(file) };
    let head = Head::new(detection.game, detection.format, origin);
    match trip(file, &*model, head.clone(), Some(how.style), how.proof, sink) {
        Ok(raw) => Ok(Outcome { detection, raw }),
        Err(Trip::Failed(e)) => Err(e),
        Err(Trip::Unproved(why)) => {
            restart()?;
            let model = formats::raw::RawFile(file.clone());
            let head = Head { format: Format::Raw, ..head };
            match trip(file, &model, head, Some(how.style), how.proof, sink) {
                Ok(_) => Ok(Outcome { detection, raw: vec![(String::new(), why.to_string())] }),
                Err(Trip::Failed(e) | Trip::Unproved(e)) => Err(e),
            }
        }
    }
}

enum Trip {
    /// The sink refused.
    Failed(Error),
    /// The proof failed.
    Unproved(Error),
}

fn trip(
    file: &Bytes,
    model: &dyn Model,
    head: Head,
    style: Option<Style>,
    proof: bool,
    sink: &dyn Sink,
) -> Result<Vec<(String, String)>, Trip> {
    let format = head.format;
    guarded(|| compare(model, file)).map_err(Trip::Unproved)?;
    let tree = TreeWriter::new(sink, style, head, proof);
    if style.is_none() {
        if model.has_typed_members() {
            guarded(|| model.unpack(&tree)).map_err(Trip::Unproved)?;
        }
        return Ok(tree.raw_members());
    }
    guarded(|| model.unpack(&tree)).map_err(|e| match e.what() {
        crate::wire::What::Io(_) => Trip::Failed(e),
        _ => Trip::Unproved(e),
    })?;
    tree.finish().map_err(Trip::Failed)?;
    let raw = tree.raw_members();
    if proof {
        let reader = tree.into_reader();
        guarded(|| {
            let codec = formats::codec(format).ok_or_else(|| Error::say("no codec"))?;
            let back = codec.assemble(&reader)?;
            drop(reader);
            compare(&*back, file)
        })
        .map_err(Trip::Unproved)?;
    }
    Ok(raw)
}

/// Proves the round trip of a file; nothing is written.
pub fn verify(file: &Bytes, path: &str, hints: Hints, via: Via) -> Result<Outcome> {
    prove(file, path, &open(file, path, hints)?, via)
}

/// Proves the round trip of a file that was read; nothing is written.
pub fn prove(file: &Bytes, path: &str, opened: &Opened, via: Via) -> Result<Outcome> {
    let detection = opened.detection.clone();
    let head = Head::new(detection.game, detection.format, Origin { file: file_name(path), ..Origin::default() });
    match trip(file, &*opened.model, head, via.style(), true, &NullSink) {
        Ok(raw) => Ok(Outcome { detection, raw }),
        Err(Trip::Failed(e)) => Err(e),
        Err(Trip::Unproved(why)) => Ok(Outcome { detection, raw: vec![(String::new(), why.to_string())] }),
    }
}

/// Turns a tree back into a file.
pub fn repack(source: &dyn Source) -> Result<(Head, Vec<u8>)> {
    let (head, model) = assemble(source)?;
    let bytes = guarded(|| model.write())?;
    Ok((head, bytes))
}

/// Reads a tree.
pub fn assemble(source: &dyn Source) -> Result<(Head, Box<dyn Model>)> {
    let tree = TreeReader::new(source)?;
    let codec = formats::codec(tree.head.format)
        .ok_or_else(|| Error::say(format!("the tree is a {} file, which this refit does not write", tree.head.format)))?;
    let model = guarded(|| codec.assemble(&tree))?;
    Ok((tree.head, model))
}

/// Writes a model, piece by piece.
pub fn write(model: &dyn Model, out: &mut dyn std::io::Write) -> Result<()> {
    guarded(|| model.write_to(out))
}

/// Judges a file.
pub fn lint(model: &dyn Model) -> Vec<Finding> {
    let mut lints = Lints::new();
    let _ = guarded(|| {
        model.lint(&mut lints);
        Ok(())
    });
    lints.found
}

/// The last component of a path, with either separator.
pub fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}
