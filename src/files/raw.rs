//! A file kept as a whole: the fallback if the typed form fails the proof.

use refit_base::{
    contract::{Codec, Context, Family, Info, Model},
    format::Format,
    lint::Lints,
    tree::{
        Blob, ByteSink, TreeReader, TreeWriter,
        plain::{PlainFolder, nothing_new},
    },
    wire::{Notation, Result, Role, Trace},
};

refit_base::manifest! {
    /// The manifest of a file that is kept whole.
    pub(crate) struct RawManifest, "raw" {
        /// The file in the tree with the bytes.
        file: String,
    }
}

/// The format and schema of this module.
pub(crate) const FAMILY: Family = Family {
    formats: &[Format::Raw],
    recognise: &[],
    codes: &[],
    schemas: || vec![refit_base::contract::schema::<RawManifest>()],
};

/// A file's bytes.
pub struct RawFile(pub Blob);

/// The codec of [`RawFile`].
pub(crate) struct RawCodec;

impl Codec for RawCodec {
    type Model = RawFile;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<RawFile> {
        Err(nothing_new(
            folder.format,
            "the format is kept whole, so it has no folder form",
        ))
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<RawFile> {
        Ok(RawFile(file.clone()))
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        trace.note(0, file.len(), "file.bin", Notation::Bytes, Role::Payload);
        Ok(())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<RawFile> {
        let manifest: RawManifest = tree.manifest()?;
        Ok(RawFile(tree.blob(&manifest.file)?))
    }
}

impl Model for RawFile {
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        out.put_blobs(&mut std::iter::once(&self.0))
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        tree.blob("file.bin", &self.0)?;
        tree.manifest(RawManifest::new(tree.head.clone(), "file.bin".into()))
    }
    fn lint(&self, _: &mut Lints) {}
    fn info(&self) -> Info {
        vec![]
    }
}
