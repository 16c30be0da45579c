//! A file kept whole: the fallback when no typed form proves itself.

use super::{Codec, Context, Family, Format, Info, Model};
use crate::{
    lint::Lints,
    tree::{TreeReader, TreeWriter},
    wire::Result,
};
use bytes::Bytes;

crate::manifest! {
    /// The manifest of a file that is kept whole.
    pub struct RawManifest, "raw" {
        /// The file in the tree that holds the bytes.
        file: String,
    }
}

/// What this module contributes.
pub const FAMILY: Family =
    Family { formats: &[Format::Raw], codec: Some(&RawCodec), codes: &[], schemas: || vec![super::schema::<RawManifest>()] };

/// A file's bytes.
pub struct RawFile(pub Bytes);

/// The codec of [`RawFile`].
pub struct RawCodec;

impl Codec for RawCodec {
    fn read(&self, file: &Bytes, _: &Context) -> Result<Box<dyn Model>> {
        Ok(Box::new(RawFile(file.clone())))
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Box<dyn Model>> {
        let manifest: RawManifest = tree.manifest()?;
        Ok(Box::new(RawFile(tree.file(&manifest.file)?)))
    }
}

impl Model for RawFile {
    fn write(&self) -> Result<Vec<u8>> {
        Ok(self.0.to_vec())
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        tree.file("file.bin", &self.0)?;
        tree.manifest(&RawManifest::new(tree.head.clone(), "file.bin".into()))
    }
    fn lint(&self, _: &mut Lints) {}
    fn info(&self) -> Info {
        vec![]
    }
}
