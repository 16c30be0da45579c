//! Formats whose files consist of one document each.

use crate::{
    contract::{Codec, Context, Info, Model},
    format::Format,
    game::Game,
    lint::Lints,
    tree::{
        Blob, ByteSink, Document, Style, TreeReader, TreeWriter, UniquePaths, plain::PlainFolder,
    },
    wire::{Reader, Result, Trace, utf8},
};
use bytes::Bytes;
use std::marker::PhantomData;

crate::manifest! {
    /// The manifest of a file that is one document.
    pub struct SingleManifest, "single" {
        /// The document in the tree.
        file: String,
    }
}

/// A file that consists of one document.
pub trait SingleFile: Document + Sync {
    /// The format.
    const FORMAT: Format;
    /// The game, if only one has such files.
    const GAME: Option<Game> = None;
    /// File extensions of other files that can be converted into a new file.
    const OTHERWISE: &'static [&'static str] = &[];
    /// Reads such a file.
    fn of_other(bytes: &Bytes, context: &Context) -> Result<Self> {
        Self::read_file(reader(bytes, context), context)
    }
    /// Reads the file. The game of the reader is the file's, or that of the format.
    fn read_file(file: Reader<'_>, context: &Context) -> Result<Self>;
    /// Encodes the file.
    fn write_file(&self, context: &Context) -> Result<Vec<u8>>;
    /// Writes the file in pieces.
    fn write_to(&self, context: &Context, out: &mut dyn ByteSink) -> Result<()> {
        out.put(&self.write_file(context)?)
    }
    /// Checks the file.
    fn judge(&self, lints: &mut Lints);
    /// The description for `info`.
    fn tell(&self) -> Info;
}

/// The codec of a [`SingleFile`].
pub struct Single<T>(PhantomData<fn() -> T>);

impl<T> Single<T> {
    /// The codec of the format.
    pub const CODEC: Self = Single(PhantomData);
}

/// The model of a file that consists of one document.
pub struct SingleModel<T> {
    /// The content of the file.
    pub document: T,
    /// The game, if known, and the name of the file.
    pub context: Context,
}

fn reader<'a>(file: &'a Bytes, context: &Context) -> Reader<'a> {
    Reader::new(file, context.game.unwrap_or(Game::Mw))
}

impl<T: SingleFile> Codec for Single<T> {
    type Model = SingleModel<T>;

    fn read(&self, file: &Blob, context: &Context) -> Result<SingleModel<T>> {
        let document = T::read_file(reader(&file.bytes()?, context), context)?;
        Ok(SingleModel {
            document,
            context: context.clone(),
        })
    }
    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        T::read_file(reader(&file.bytes()?, context).traced(Some(trace)), context).map(|_| ())
    }
    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<SingleModel<T>> {
        let context = Context {
            game: folder.game,
            format: T::FORMAT,
            file: folder.file.clone(),
        };
        if let [path] = folder.ending(T::OTHERWISE).as_slice() {
            let bytes = folder.get(path)?;
            let document = T::of_other(&bytes, &context).map_err(|e| e.in_file(*path))?;
            return Ok(SingleModel { document, context });
        }
        let path = folder.only(&[".json", ".ron"], "document")?;
        let text = folder.get(path)?;
        let document = T::from_text(utf8(&text)?, Style::of(path).unwrap_or_default())
            .map_err(|e| e.in_file(path))?;
        Ok(SingleModel { document, context })
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<SingleModel<T>> {
        let manifest: SingleManifest = tree.manifest()?;
        let context = Context {
            game: manifest.game,
            format: T::FORMAT,
            file: String::new(),
        };
        Ok(SingleModel {
            document: tree.doc::<T>(&manifest.file)?,
            context,
        })
    }
}

impl<T: SingleFile> Model for SingleModel<T> {
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        self.document.write_to(&self.context, out)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let stem = UniquePaths::new().assign(&tree.head.source.file, "");
        let file = tree.doc(&stem, &self.document)?;
        tree.manifest(SingleManifest::new(tree.head.clone(), file))
    }
    fn game(&self) -> Option<Game> {
        T::GAME.or(self.context.game)
    }
    fn lint(&self, lints: &mut Lints) {
        self.document.judge(lints);
    }
    fn info(&self) -> Info {
        self.document.tell()
    }
}
