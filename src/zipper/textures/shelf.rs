//! A package whose images are read one by one: showing a few of them needs no more memory than
//! these.

use super::package::{INFO, Image, Package};
use refit_base::{
    tree::Blob,
    wire::{Error, Result},
};

/// The tables of a package, and the file with its images.
pub struct Shelf {
    file: Blob,
    /// Without pixels.
    package: Package,
    starts: Vec<u32>,
}

impl Shelf {
    /// Reads the tables of a package and the infos of its images.
    ///
    /// # Errors
    /// Counts or positions do not fit the file.
    pub fn open(file: Blob) -> Result<Self> {
        let (mut package, starts) = Package::read_tables(&file)?;
        for (image, start) in package.images.iter_mut().zip(&starts) {
            let start = u64::from(*start);
            image.info = Image::parse_info(&file.slice(start, INFO)?, start)?;
        }
        Ok(Shelf {
            file,
            package,
            starts,
        })
    }

    /// The images, without pixels.
    pub fn images(&self) -> &[Image] {
        &self.package.images
    }

    /// The global palettes.
    pub fn palettes(&self) -> &[[u16; 256]] {
        &self.package.palettes
    }

    /// Size in memory, in bytes, without the tables.
    pub fn held(&self) -> usize {
        match &self.file {
            Blob::Memory(bytes) => bytes.len(),
            Blob::Lazy(_) => 0,
        }
    }

    /// An image with its pixels.
    ///
    /// # Errors
    /// There is no such image, it reaches beyond the file, or the file changed since it was opened.
    pub fn image(&self, index: usize) -> Result<Image> {
        let none = || Error::say(format!("there is no image {index}"));
        let (image, start) = self
            .images()
            .get(index)
            .zip(self.starts.get(index))
            .ok_or_else(none)?;
        let start = u64::from(*start);
        let (info, data) = Image::parse(&self.file.slice(start, u64::MAX)?, start)?;
        Image {
            info,
            data,
            ..image.clone()
        }
        .loaded()
    }
}
