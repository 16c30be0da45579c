//! Options for a folder that is not a tree.

use clap::Args;
use refit_bohemia::pbo::build::{self, Variant};
use refit_workbench::{configs::Search, glob};
use std::path::PathBuf;

/// For a folder that is no tree.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "With --format pbo, for any folder")]
pub struct New {
    /// The virtual path of the files, with / or \ [default: from the file $PBOPREFIX$]. Also with
    /// --format rap: the path in the game of the config's folder
    #[arg(long)]
    prefix: Option<String>,
    /// Add a property; repeatable
    #[arg(long = "property", value_name = "KEY=VALUE", value_parser = property)]
    properties: Vec<(String, String)>,
    /// Compress matching files; repeatable
    #[arg(long, value_name = "GLOB")]
    compress: Vec<String>,
    /// The games that will load it
    #[arg(long, value_name = "GAMES")]
    variant: Option<Variant>,
    /// A folder that has files which the config includes: laid out as the drive P:, or with headers;
    /// repeatable
    #[arg(
        short = 'I',
        value_name = "DIR",
        help_heading = "With --format rap, for the text of a config"
    )]
    folders: Vec<PathBuf>,
    /// Use the order, flags, times and comments of this file. With --format sounds and sounds.zrd
    /// (or its archive): make the three banks of a game, each sound within the rate, bits and
    /// channels that are declared for it
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "With --format, for a folder without a manifest"
    )]
    pub like: Option<PathBuf>,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or("a property is written KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

impl New {
    /// Where the files are that a text of a config includes.
    pub fn search(&self) -> Search {
        Search {
            folders: self.folders.clone(),
            prefix: self.prefix.clone(),
            within: None,
        }
    }

    /// True if folders of included files are given.
    pub fn has_folders(&self) -> bool {
        !self.folders.is_empty()
    }

    /// True if a path in the game is given.
    pub fn has_prefix(&self) -> bool {
        self.prefix.is_some()
    }

    /// True if an option of new archives is given that nothing else has.
    pub fn is_given(&self) -> bool {
        !self.properties.is_empty() || !self.compress.is_empty() || self.variant.is_some()
    }

    /// The options of a new PBO.
    pub fn archive(self, exclude: &[String]) -> refit_base::Result<build::Options> {
        let globs = |globs: &[String], option: &str| -> refit_base::Result<Vec<_>> {
            globs
                .iter()
                .map(|pattern| {
                    glob(pattern).map_err(|e| e.context(format!("the pattern of {option}")))
                })
                .collect()
        };
        let (compress, exclude) = (
            globs(&self.compress, "--compress")?,
            globs(exclude, "--exclude")?,
        );
        let New {
            prefix,
            properties,
            variant,
            ..
        } = self;
        let variant = variant.unwrap_or_default();
        Ok(build::Options {
            prefix,
            properties,
            compress,
            exclude,
            variant,
            time: 0,
        })
    }
}
