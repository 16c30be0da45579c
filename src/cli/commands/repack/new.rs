//! Options for a folder that is no tree.

use clap::Args;
use refit::formats::pbo::build::{self, Variant};
use std::path::PathBuf;

/// For a folder that is no tree.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "With --format pbo, for any folder")]
pub struct New {
    /// The virtual path of the files, with / or \ [default: what a file $PBOPREFIX$ says]
    #[arg(long)]
    prefix: Option<String>,
    /// A further property; repeatable
    #[arg(long = "property", value_name = "KEY=VALUE", value_parser = property)]
    properties: Vec<(String, String)>,
    /// Pack the files that match; repeatable
    #[arg(long, value_name = "GLOB")]
    compress: Vec<String>,
    /// The games it is for
    #[arg(long, value_name = "GAMES")]
    variant: Option<Variant>,
    /// A file to take order, flags, times and comments from. With --format sounds, what declares sounds (sounds.zrd, or
    /// the archive that holds it) makes the three banks of a game: each sound below the rate, bits and channels that it
    /// declares
    #[arg(long, value_name = "FILE", help_heading = "With --format, for a folder without a manifest")]
    pub like: Option<PathBuf>,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a property is written KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

impl New {
    /// True if an option of new archives is given.
    pub fn is_given(&self) -> bool {
        self.prefix.is_some() || !self.properties.is_empty() || !self.compress.is_empty() || self.variant.is_some()
    }

    /// The options of a new PBO.
    pub fn archive(self, exclude: &[String]) -> build::Options {
        let (exclude, variant) = (exclude.to_vec(), self.variant.unwrap_or_default());
        let New { prefix, properties, compress, .. } = self;
        build::Options { prefix, properties, compress, exclude, variant, time: 0 }
    }
}
