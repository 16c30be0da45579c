//! Opens, unpacks, repacks, proves and lints files. The command line only parses and prints.
//!
//! **The proof.** [`unpack`] reads the file and compares what the model writes with it. Then
//! `Model::unpack` writes the tree through a `TreeWriter`: each document becomes text, and the text
//! is read back at once; refit keeps the value and drops the text. At the end `Codec::assemble`, the
//! code that repacks a tree from disk, runs over these values, and the result is compared with the
//! file. Parts are proved one by one first: `TreeWriter::part` notes what a part was compared with,
//! and `TreeReader::part` returns it in the proof of the whole; nothing else passes between the two.
//! A member whose typed form fails stays a plain file, and `verify` lists it with the reason. If the
//! whole fails, the whole file is kept. [`verify`] does the same without a disk.
//!
//! Reading proves nothing, so `list`, `get` and `info` cost no proof. The exception is a definition
//! of an animation that is read whole: only writing its fields shows what no field contains.
//!
//! **Memory.** Large archives and texture packages stay on disk: a file stays there if its format
//! can work on it in place (`Codec::leaves_on_disk`), the recognisers get a few bytes, the model
//! refers to ranges of the file (`Blob`), and the proofs compare piece by piece. Such a file needs
//! the memory of its largest member; 20,000 files need 64 MB more than one; an archive of 200,000
//! entries needs 1.5 times its size and 64 MB. A file that changes meanwhile is an error. An archive
//! is recognised by its members; its `Detection` brings the model along for [`read`], so the table
//! is read once.

#[cfg(feature = "disk")]
pub mod addon;
mod file;
mod find;

use crate::{
    detect::{self, Detection},
    file::File,
    foreign, raw, registry,
};
use bytes::Bytes;
#[cfg(feature = "disk")]
use refit_base::path::Shown;
use refit_base::{
    Sum,
    contract::{Context, Incremental, Model, Renewable},
    format::Format,
    game::Game,
    lint::{self, Finding, Lints, Unjudged},
    tree::{
        self, Blob, ByteSink, Form, Head, LaterSum, NullSink, Origin, Sink, Source, Style,
        TreeReader, TreeWriter, proof::RoundTrip,
    },
    wire::{Cause, Error, ErrorKind, Explainer, Line, LineSink, Result, Role, Trace, Within},
};
use refit_bohemia::pbo::explain_tex_headers;
use std::{
    any::Any,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
};

pub use file::{MemberId, explain as explain_bytes};
pub use find::find_member;

/// The user's choice of game and format, which overrides detection.
#[derive(Clone, Copy, Default, Debug)]
pub struct Hints {
    /// The game.
    pub game: Option<Game>,
    /// The format.
    pub format: Option<Format>,
}

impl Hints {
    /// Those of a tree for its file. A raw file has no hint: the reason why it is raw is reported
    /// again.
    pub fn of_tree(head: &Head) -> Self {
        Hints {
            game: head.game,
            format: Some(head.format).filter(|format| *format != Format::Raw),
        }
    }
}

/// How a round trip is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "lowercase")
)]
pub enum Via {
    /// Bytes → model → bytes.
    Bytes,
    /// Through JSON text.
    Json,
    /// Through RON text.
    Ron,
}

impl Via {
    fn form(self) -> Form {
        match self {
            Via::Bytes => Form::Stored,
            Via::Json => Form::Document(Style::Json),
            Via::Ron => Form::Document(Style::Ron),
        }
    }
}

/// A file that was read.
pub struct Opened {
    /// The result of detection.
    pub detection: Detection,
    /// Its model.
    pub model: File,
}

/// Turns a panic into an error that asks for a report; no input should cause one. (This requires
/// that panics unwind, which is the default. In the program `refit` a panic ends the program with
/// the same message.)
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal_error(&*panic, "")))
}

/// The error for a panic, with its message and `place` (` at FILE:LINE`, or empty).
pub fn internal_error(panic: &(dyn Any + Send), place: &str) -> Error {
    let what = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    Error::say(format!(
        "internal error: {}{place}",
        what.unwrap_or("no message")
    ))
    .hint("this is a bug in refit, please report it")
    .of_kind(ErrorKind::Internal)
}

#[cfg(feature = "disk")]
/// Files up to this size are read whole, which is faster than one system call per part.
const READ_WHOLE: u64 = 2 << 20;

#[cfg(feature = "disk")]
/// Opens a regular file. A large one stays on disk if its format allows it; any other is read into
/// memory.
///
/// A file on disk must not change while refit uses it; [`unpack`] and [`prove`] check that.
pub fn load(path: &std::path::Path) -> Result<Blob> {
    load_or_open(path, |file| {
        let found = detect::glance_at_codec(file, &path.shown())?;
        Ok(found.is_some_and(|found| registry::codec(found.format).leaves_on_disk()))
    })
}

#[cfg(feature = "disk")]
/// [`load`] for a file whose bytes are read once, into its model: any large file stays on disk, so
/// that the bytes are gone with the model.
pub fn load_once(path: &std::path::Path) -> Result<Blob> {
    load_or_open(path, |_| Ok(true))
}

#[cfg(feature = "disk")]
fn load_or_open(
    path: &std::path::Path,
    may_stay: impl FnOnce(&Blob) -> Result<bool>,
) -> Result<Blob> {
    tree::disk::note_unfinished(match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => std::path::Path::new("."),
    });
    if let Ok(Some(file)) = Blob::open(path)
        && file.len() > READ_WHOLE
        && may_stay(&file)?
    {
        return Ok(file);
    }
    tree::disk::read(path).map(Blob::Memory)
}

/// Recognises a file. `path` only decides what the content leaves open.
pub fn recognise(file: impl Into<Blob>, path: &str, hints: Hints) -> Result<Detection> {
    let file = file.into();
    guarded(|| {
        let glanced = match &file {
            Blob::Memory(_) => None,
            _ => detect::glance(&file, path)?,
        };
        let found = match glanced {
            Some(found) => Ok(found),
            None => detect::detect(&file.bytes()?, path),
        };
        let mut detection = match (found, hints.format) {
            (Ok(found), None) => found,
            (Err(e), None) => return Err(e),
            (Ok(found), Some(format)) if found.format == format => found,
            (_, Some(format)) => Detection::new(format, hints.game, "as specified", false),
        };
        detection.file = file_name(path);
        if let Some(game) = hints.game {
            detection.game = Some(game);
        }
        Ok(detection)
    })
}

/// True for the error of a file that belongs to another program: below a folder it is skipped and
/// counted. A damaged file of a game and one that cannot be read are failures.
pub fn is_unknown(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Unrecognised | ErrorKind::Unsupported
    )
}

/// Recognises and reads a file in memory.
pub fn open(file: &Bytes, path: &str, hints: Hints) -> Result<Opened> {
    read(file, recognise(file, path, hints)?)
}

/// Reads a recognised file.
pub fn read(file: impl Into<Blob>, detection: Detection) -> Result<Opened> {
    let file = file.into();
    let context = Context {
        game: detection.game,
        format: detection.format,
        file: detection.file.clone(),
    };
    let model = guarded(|| match File::begun(&detection, &file, &context) {
        Some(model) => model,
        None => registry::codec(detection.format).read(&file, &context),
    })?;
    Ok(Opened { detection, model })
}

/// The result of explaining a file.
#[derive(Debug)]
pub struct Explained {
    /// Where and why reading stopped. Everything before that place was explained.
    pub fault: Option<Error>,
}

/// Longest run of unclaimed bytes that may count as padding: alignment is short.
const MOST_PADDING: u64 = 1 << 16;

/// Explains every byte of a file that is in `want`, each once and in order.
pub fn explain(
    file: &Blob,
    path: &str,
    hints: Hints,
    want: Range<u64>,
    out: &mut dyn LineSink,
) -> Result<Explained> {
    let is_list = || Ok(foreign::is_texture_list(&file.slice(0, 4)?.bytes()?));
    let detection = match recognise(file.clone(), path, hints) {
        Ok(detection) => Some(detection),
        Err(e) if is_unknown(&e) && is_list()? => None,
        Err(e) => return Err(e),
    };
    let mut bytes = Vec::new();
    let mut out = |mut line: Line| {
        // Zeros that no table claims are padding.
        if line.role == Role::Gap && line.range.end - line.range.start <= MOST_PADDING {
            let size = usize::try_from(line.range.end - line.range.start).unwrap_or_default();
            file.read_into(line.range.start, size, &mut bytes)
                .map_err(std::io::Error::other)?;
            if bytes.iter().all(|byte| *byte == 0) {
                (line.role, line.path) = (Role::Padding, "padding".to_owned());
            }
        }
        out.line(line)
    };
    let explainer = Explainer::new(want, &mut out);
    let fault = match &detection {
        Some(detection) => trace(file, detection, &explainer),
        None => guarded(|| explain_tex_headers(&file.bytes()?, &explainer)),
    }
    .err();
    let rest = if fault.is_some() {
        Role::Unknown
    } else {
        Role::Gap
    };
    explainer.finish(file.len(), rest).map_err(Error::stopped)?;
    Ok(Explained { fault })
}

/// Passes everything that is read of a recognised file by name to `trace`, in the order of reading.
///
/// # Errors
/// The first error of the reader; what was read before was passed on.
pub fn trace(file: &Blob, detection: &Detection, trace: &dyn Trace) -> Result<()> {
    let context = Context {
        game: detection.game,
        format: detection.format,
        file: detection.file.clone(),
    };
    guarded(|| registry::codec(detection.format).explain(file, &context, trace))
}

/// The result of an unpack or a proof.
#[derive(Debug)]
pub struct Outcome {
    /// The result of detection.
    pub detection: Detection,
    /// The members that stayed raw, with the reason; `""` is the whole file.
    pub raw: Vec<(String, String)>,
    /// The file's checksum, if the operation was an unpack.
    pub sum: Sum,
}

/// Compares what a model writes with a file, without a second copy in memory.
struct Compare<'a> {
    file: &'a Blob,
    at: u64,
    /// Buffer for bytes of a file on disk.
    read: Vec<u8>,
}

/// How many bytes of a file on disk to compare at a time.
const AT_ONCE: usize = 1 << 18;

impl Compare<'_> {
    /// An error if `stored` does not start with `written`.
    fn same(at: u64, written: &[u8], stored: &[u8]) -> Result<()> {
        // Archives write their members as slices of the file itself: equal pointers need no
        // comparison.
        if stored
            .get(..written.len())
            .is_some_and(|stored| std::ptr::eq(stored, written) || stored == written)
        {
            return Ok(());
        }
        let same = written
            .iter()
            .zip(stored)
            .take_while(|(a, b)| a == b)
            .count();
        let show = |bytes: &[u8]| {
            let rest = bytes.within(same..);
            refit_base::wire::hex_of(rest.get(..8).unwrap_or(rest))
        };
        Err(Error::say(format!(
            "refit would write {:?}, but the file has {:?}",
            show(written),
            show(stored)
        ))
        .at(at + same as u64))
    }
}

impl ByteSink for Compare<'_> {
    fn put(&mut self, written: &[u8]) -> Result<()> {
        if let Blob::Memory(file) = self.file {
            Self::same(
                self.at,
                written,
                file.get(self.at as usize..).unwrap_or_default(),
            )?;
            self.at += written.len() as u64;
            return Ok(());
        }
        for piece in written.chunks(AT_ONCE) {
            self.file.read_into(self.at, piece.len(), &mut self.read)?;
            Self::same(self.at, piece, &self.read)?;
            self.at += piece.len() as u64;
        }
        Ok(())
    }

    fn put_blobs(&mut self, blobs: &mut dyn Iterator<Item = &Blob>) -> Result<()> {
        for blob in blobs {
            match blob.place_in(self.file) == Some(self.at) {
                true => self.at += blob.len(),
                false => blob.each(&mut |bytes| self.put(bytes))?,
            }
        }
        Ok(())
    }
}

fn compare(model: &dyn Model, file: &Blob) -> Result<()> {
    let mut out = Compare {
        file,
        at: 0,
        read: Vec::new(),
    };
    model.write_to(&mut out)?;
    if out.at < file.len() {
        return Err(Error::say(format!(
            "refit would write {} bytes, but the file has {}",
            out.at,
            file.len()
        ))
        .at(out.at));
    }
    Ok(())
}

/// Unpacks a file in memory into `sink`, and proves the round trip through the texts that it
/// writes.
///
/// If the proof fails, the tree contains the file itself, so that `repack` is still exact;
/// `restart` empties the sink first.
pub fn unpack(
    file: &Bytes,
    path: &str,
    hints: Hints,
    style: Style,
    proof: bool,
    sink: &dyn Sink,
    restart: &dyn Fn() -> Result<()>,
) -> Result<Outcome> {
    unpack_opened(
        file,
        path,
        open(file, path, hints)?,
        How { style, proof },
        sink,
        restart,
    )
}

/// Options of an unpack.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// The text format of the documents.
    pub style: Style,
    /// Prove the round trip through the texts, not only bytes → model → bytes.
    pub proof: bool,
}

/// [`unpack`] for a file that was already read.
pub fn unpack_opened(
    file: impl Into<Blob>,
    path: &str,
    opened: Opened,
    how: How,
    sink: &dyn Sink,
    restart: &dyn Fn() -> Result<()>,
) -> Result<Outcome> {
    let file = file.into();
    let later = LaterSum::pending();
    let compute = || {
        let computed = guarded(|| file.sum());
        // Set it even after an error, because the other thread waits for it.
        later.set(computed.as_ref().copied().unwrap_or_default());
        computed
    };
    std::thread::scope(|scope| {
        // Compute the checksum of a large file in parallel: only the manifest, which is written
        // last, needs it.
        let large = file.len() >= 1 << 20;
        let thread = if large {
            std::thread::Builder::new()
                .spawn_scoped(scope, compute)
                .ok()
        } else {
            None
        };
        let computed = if thread.is_none() {
            Some(compute())
        } else {
            None
        };
        let unpacked = unpack_summed(&file, path, opened, how, later.clone(), sink, restart);
        let computed = computed.or_else(|| thread.and_then(|thread| thread.join().ok()));
        let sum =
            computed.unwrap_or_else(|| Err(Error::say("the thread that hashes a file ended")))?;
        let (detection, raw) = unpacked?;
        file.check_unchanged()?;
        Ok(Outcome {
            detection,
            raw,
            sum,
        })
    })
}

/// [`unpack_opened`] for a file whose checksum is being computed. Returns the detection and the
/// members that stayed raw.
fn unpack_summed(
    file: &Blob,
    path: &str,
    opened: Opened,
    how: How,
    sum: LaterSum,
    sink: &dyn Sink,
    restart: &dyn Fn() -> Result<()>,
) -> Result<(Detection, Vec<(String, String)>)> {
    let Opened { detection, model } = opened;
    let origin = Origin {
        file: file_name(path),
        bytes: file.len(),
        sum,
    };
    let head = Head::new(detection.game, detection.format, origin);
    let (form, proof) = (Form::Document(how.style), how.proof);
    let typed = trip(file, model, head.clone(), form, proof, sink);
    let raw = match typed {
        Ok(raw) => raw,
        Err(Unfinished::Refused(e)) => return Err(e),
        Err(Unfinished::Unproved(why)) => {
            // If the file changed meanwhile, report that: refit is not at fault, and the tree would
            // be worthless.
            file.check_unchanged()?;
            restart()?;
            let model = File::from(raw::RawFile(file.clone()));
            let head = Head {
                format: Format::Raw,
                ..head
            };
            match trip(file, model, head, form, proof, sink) {
                Ok(_) => vec![(String::new(), why.to_string())],
                Err(Unfinished::Refused(e) | Unfinished::Unproved(e)) => return Err(e),
            }
        }
    };
    Ok((detection, raw))
}

/// Why a round trip failed.
enum Unfinished {
    /// The sink returned an error.
    Refused(Error),
    /// The proof failed.
    Unproved(Error),
}

/// The round trip of a file into a sink.
struct FileTrip<'a> {
    file: &'a Blob,
    /// The model before the proof, and after a proof of `Form::Stored`.
    model: Option<File>,
    head: Head,
    sink: &'a dyn Sink,
    reads_back: bool,
    /// The members that stayed raw, with the reason.
    raw: Vec<(String, String)>,
    /// True if the sink returned an error.
    refused: bool,
}

impl RoundTrip for FileTrip<'_> {
    type Model = File;
    type Text = TreeReader<'static>;
    fn decode(&mut self) -> Result<File> {
        self.model
            .take()
            .ok_or_else(|| Error::say("internal error: a file is proved once"))
    }
    fn compare(&mut self, model: &File) -> Result<()> {
        compare(&**model, self.file)
    }
    fn done(&mut self, model: File) {
        self.model = Some(model);
    }
    fn print(&mut self, model: File, style: Style) -> Result<TreeReader<'static>> {
        let tree = TreeWriter::new(
            self.sink,
            Form::Document(style),
            self.head.clone(),
            self.reads_back,
        );
        model
            .unpack(&tree)
            .inspect_err(|e| self.refused = matches!(e.what(), Cause::Io(_)))?;
        drop(model);
        tree.finish().inspect_err(|_| self.refused = true)?;
        self.raw = tree.raw_members();
        Ok(tree.into_reader())
    }
    fn read_back(&mut self, tree: &mut TreeReader<'static>, _: Style) -> Result<File> {
        registry::codec(self.head.format).assemble(tree)
    }
}

/// Proves a file while writing it into a sink. Returns the members that stayed raw, with the
/// reason; `Form::Stored` also proves the members one by one.
fn trip(
    file: &Blob,
    model: File,
    head: Head,
    form: Form,
    reads_back: bool,
    sink: &dyn Sink,
) -> Result<Vec<(String, String)>, Unfinished> {
    let mut trip = FileTrip {
        file,
        model: Some(model),
        head: head.clone(),
        sink,
        reads_back,
        raw: Vec::new(),
        refused: false,
    };
    let proved = guarded(|| trip.prove(form, reads_back));
    let FileTrip {
        model,
        raw,
        refused,
        ..
    } = trip;
    proved.map_err(|e| {
        if refused {
            Unfinished::Refused(e)
        } else {
            Unfinished::Unproved(e)
        }
    })?;
    let Some(model) = model.filter(|model| model.proves_parts()) else {
        return Ok(raw);
    };
    let tree = TreeWriter::new(sink, form, head, reads_back);
    guarded(|| model.unpack(&tree)).map_err(Unfinished::Unproved)?;
    Ok(tree.raw_members())
}

/// Writes the texts of a model as JSON without a proof, for reading only.
pub fn texts(model: &dyn Model, detection: &Detection, sink: &dyn Sink) -> Result<()> {
    let head = Head::new(
        detection.game,
        detection.format,
        Origin {
            file: detection.file.clone(),
            ..Origin::default()
        },
    );
    let tree = TreeWriter::new(sink, Form::Document(Style::Json), head, false);
    guarded(|| model.unpack(&tree))
}

/// Proves the round trip of a file in memory and writes nothing.
pub fn verify(file: &Bytes, path: &str, hints: Hints, via: Via) -> Result<Outcome> {
    prove(file, path, open(file, path, hints)?, via)
}

/// Proves the round trip of a file that was already read and writes nothing.
pub fn prove(file: impl Into<Blob>, path: &str, opened: Opened, via: Via) -> Result<Outcome> {
    let Opened { detection, model } = opened;
    let head = Head::new(
        detection.game,
        detection.format,
        Origin {
            file: file_name(path),
            ..Origin::default()
        },
    );
    let file = file.into();
    let raw = match trip(&file, model, head, via.form(), true, &NullSink) {
        Ok(raw) => raw,
        Err(Unfinished::Refused(e)) => return Err(e),
        Err(Unfinished::Unproved(why)) => vec![(String::new(), why.to_string())],
    };
    file.check_unchanged()?;
    Ok(Outcome {
        detection,
        raw,
        sum: Sum::default(),
    })
}

/// Files of trees up to this size are proved. A larger one that is the very file from which the
/// tree was unpacked was proved then.
pub const PROVED: u64 = 256 << 20;

/// Proves the file that a tree gives.
pub fn prove_packed(head: &Head, file: Vec<u8>, via: Via) -> Result<Outcome> {
    let (file, name) = (Blob::Memory(file.into()), &head.source.file);
    let opened = read(&file, recognise(&file, name, Hints::of_tree(head))?)?;
    prove(&file, name, opened, via)
}

/// The reason why writing the model does not reproduce the file, or `None` if it does. Does not
/// check the parts; [`prove`] does.
pub fn gives_back(file: impl Into<Blob>, opened: &Opened) -> Result<Option<Error>> {
    let file = file.into();
    let other = guarded(|| compare(&*opened.model, &file)).err();
    file.check_unchanged()?;
    Ok(other)
}

/// Builds the file of a tree.
pub fn repack(source: &dyn Source) -> Result<(Head, Vec<u8>)> {
    let (head, model) = assemble(source)?;
    let bytes = guarded(|| model.write()).map_err(|e| explained(source, e))?;
    Ok((head, bytes))
}

/// [`repack`] into `out`, without the file in memory.
pub fn repack_to(source: &dyn Source, out: &mut dyn std::io::Write) -> Result<Head> {
    let (head, model) = assemble(source)?;
    write(model.model(), out).map_err(|e| explained(source, e))?;
    Ok(head)
}

/// Reads a tree into a model.
pub fn assemble(source: &dyn Source) -> Result<(Head, File)> {
    assemble_plainly(source).map_err(|e| explained(source, e))
}

/// Reads the tree of a world again, after some of its files changed; `world` was read from it
/// before, and not changed since. Any other file is read as a whole.
pub fn assemble_again(
    world: &File,
    source: &dyn Source,
    is_changed: &(dyn Fn(&str) -> bool + Sync),
) -> Result<(Head, File)> {
    let File::World(before) = world else {
        return assemble(source);
    };
    let read = || {
        let tree = TreeReader::new(source)?;
        match tree.head.format {
            Format::Gamez | Format::Planes => {
                let again = guarded(|| before.assemble_again(source, is_changed))?;
                Ok((tree.head, File::from(again)))
            }
            _ => assemble_plainly(source),
        }
    };
    read().map_err(|e| explained(source, e))
}

/// Reads the tree of an edited file that lacks some documents: see `Codec::assemble_edited`.
pub fn assemble_edited(
    source: &dyn Source,
    before: &File,
    is_left_out: &(dyn Fn(&str) -> bool + Sync),
) -> Result<File> {
    let tree = TreeReader::new(source)?;
    guarded(|| registry::codec(tree.head.format).assemble_edited(&tree, before, is_left_out))
}

/// Improves an error about a tree, however long it takes: adds the place of the field in the text,
/// what happened to a missing file, and whether the documents belong to another game than the
/// manifest names.
#[cold]
pub fn explained(source: &dyn Source, error: Error) -> Error {
    let error = tree::placed(source, error);
    match error.what() {
        Cause::Said(_) => guarded(|| Ok(other_game(source, &error)))
            .ok()
            .flatten()
            .unwrap_or(error),
        _ => error,
    }
}

/// The error for a tree that could be written if its manifest named another game; `None` if no
/// other game fits.
fn other_game(source: &dyn Source, error: &Error) -> Option<Error> {
    let (style, head) = tree::read_head(source).ok()?;
    let named = head.game?;
    let fits = |game: &Game| {
        let Some(other) = tree::OtherGame::new(source, style, *game) else {
            return false;
        };
        assemble_plainly(&other)
            .and_then(|(_, model)| model.write_to(&mut std::io::sink()))
            .is_ok()
    };
    let fitting: Vec<String> = Game::ALL
        .into_iter()
        .filter(|game| *game != named)
        .filter(fits)
        .map(|game| format!("{:?}", game.code()))
        .collect();
    if fitting.is_empty() {
        return None;
    }
    let wrong = Error::say(format!(
        "the manifest says \"{}\", but the documents are of {}",
        named.code(),
        fitting.join(" or ")
    ))
    .within("game")
    .in_file(tree::manifest_path(style))
    .hint(format!("as \"{}\": {error}", named.code()));
    Some(tree::placed(source, wrong))
}

/// [`assemble`] for repeated builds of the same tree; see `Codec::assemble_to_renew`.
pub fn assemble_to_renew(source: &dyn Source) -> Result<(Head, Renewable<File>)> {
    let assembled = TreeReader::new(source).and_then(|tree| {
        let renewable = guarded(|| registry::codec(tree.head.format).assemble_to_renew(&tree))?;
        Ok((tree.head, renewable))
    });
    assembled.map_err(|e| explained(source, e))
}

/// Updates a model with edited files of its tree. False if the tree must be read completely, as
/// after an error.
pub fn renew(
    source: &dyn Source,
    renew: &mut dyn Incremental<File>,
    file: &mut File,
    paths: &mut dyn Iterator<Item = &str>,
) -> Result<bool> {
    let tree = TreeReader::new(source)?;
    guarded(|| {
        for path in paths {
            if !renew.renew(&tree, path, file)? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn assemble_plainly(source: &dyn Source) -> Result<(Head, File)> {
    let tree = TreeReader::new(source)?;
    let model = guarded(|| registry::codec(tree.head.format).assemble(&tree))?;
    Ok((tree.head, model))
}

/// Writes a model in pieces.
pub fn write(model: &dyn Model, mut out: &mut dyn std::io::Write) -> Result<()> {
    guarded(|| model.write_to(&mut out))
}

/// Lints a file. Fails if a part that is on disk cannot be read.
pub fn lint(model: &dyn Model) -> Result<Vec<Finding>> {
    Ok(judge(model, Lints::new(), |lints| model.lint(lints))?.finish())
}

/// [`lint()`] with a collector that may find included files. Also returns what could not be judged.
pub fn lint_with(model: &dyn Model, lints: Lints) -> Result<(Vec<Finding>, Vec<Unjudged>)> {
    let mut lints = judge(model, lints, |lints| model.lint(lints))?;
    let unjudged = std::mem::take(&mut lints.unjudged);
    Ok((lints.finish(), unjudged))
}

fn judge(model: &dyn Model, mut lints: Lints, work: impl FnOnce(&mut Lints)) -> Result<Lints> {
    guarded(|| {
        work(&mut lints);
        model.fault().map_or(Ok(lints), Err)
    })
}

/// The findings that an edit introduced: those that the unedited file does not have, and those that
/// only a comparison shows. Worst first.
pub fn lint_edit(file: &File, before: &File) -> Result<Vec<Finding>> {
    let (old, new) = rayon::join(|| Judged::of(before), || Judged::of(file));
    judged_edit((file, &new?), (before, &old?))
}

/// The findings of a file, to be compared with those of another state of it.
#[derive(Clone, Debug)]
pub struct Judged {
    found: Vec<Finding>,
    game: Option<Game>,
}

impl Judged {
    /// Lints a file. Fails if a part that is on disk cannot be read.
    pub fn of(file: &File) -> Result<Self> {
        let model = file.model();
        let lints = judge(model, Lints::to_compare(), |lints| model.lint(lints))?;
        let game = lints.game();
        Ok(Judged {
            found: lints.found,
            game,
        })
    }
}

/// [`lint_edit`] of files whose findings are known.
pub fn judged_edit(
    (file, now): (&File, &Judged),
    (before, was): (&File, &Judged),
) -> Result<Vec<Finding>> {
    let mut edit = Lints::new();
    edit.of_game(now.game);
    let mut found = lint::brought_in(&was.found, now.found.clone());
    found.extend(judge(file.model(), edit, |lints| file.lint_edit(before, lints))?.found);
    lint::worst_first(&mut found);
    Ok(found)
}

/// Maps the path of a finding to the file of the tree.
#[derive(Debug, Default)]
pub struct Places(std::collections::HashMap<String, String>);

impl Places {
    /// The paths of a tree.
    pub fn of(source: &dyn Source) -> Self {
        let places = guarded(|| {
            let tree = TreeReader::new(source)?;
            registry::codec(tree.head.format).places(&tree)
        });
        Places(places.unwrap_or_default().into_iter().collect())
    }

    /// True if no file is known for any path, for example because the tree has only one document.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The file, and the rest of the path within it; `None` if no single file contains the path.
    pub fn find<'a>(&self, path: &'a str) -> Option<(&str, &'a str)> {
        let ends = path
            .char_indices()
            .filter(|(_, c)| matches!(c, '.' | '[' | ' '))
            .map(|(at, _)| at)
            .chain([path.len()]);
        // The longest prefix wins, because names of members may contain dots.
        let (at, file) = ends
            .rev()
            .find_map(|at| Some((at, self.0.get(path.get(..at)?)?)))?;
        Some((file, path.get(at..)?.trim_start_matches(['.', ' '])))
    }
}

/// An error if refit could not read the file built from a tree. The game could not use such a file,
/// either.
pub fn check_readable(model: &dyn Model, head: &Head) -> Result<()> {
    let context = Context {
        game: head.game,
        format: head.format,
        file: head.source.file.clone(),
    };
    let read = guarded(|| {
        registry::codec(head.format).read(&Blob::Memory(model.write()?.into()), &context)
    });
    read.map(|_| ()).map_err(|e| {
        e.context("refit could not read the new file")
            .hint("nothing was written")
    })
}

/// The last component of a path, with either separator.
pub fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}
