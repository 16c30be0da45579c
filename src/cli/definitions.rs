//! A folder of definitions that is watched: on every save it is compiled over the file that it came from.

use super::anim::{Places, Wanted, compiled_file, counts, is_there, manifest};
use refit::{
    animdef::{self, Base, Options, Sources},
    formats::Format,
    tree::disk::{self, Replace},
    wire::{Error, Result},
    work::{self, Hints},
};
use std::path::{Path, PathBuf};

/// A folder of definitions, and the file that it came from.
pub struct Definitions {
    folder: PathBuf,
    /// Where that file lies.
    pub path: PathBuf,
    base: Base,
    sha256: String,
}

impl Definitions {
    /// Opens a folder that `refit anim decompile` made; `None` for anything else. The file that it came from lies where the folder says, or
    /// beside it as `.orig`, once it was replaced.
    pub fn open(folder: &Path) -> Result<Option<Definitions>> {
        let Some(manifest) = manifest(folder) else { return Ok(None) };
        let path = folder.join(&manifest.base.path);
        let above = path.parent().and_then(|above| std::fs::canonicalize(above).ok());
        let path = above.zip(path.file_name()).map_or_else(|| path.clone(), |(above, name)| above.join(name));
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".orig");
        let original = path.with_file_name(name);
        let mut first = None;
        for at in [&original, &path].into_iter().filter(|path| path.exists()) {
            let (base, sha256, _) = compiled_file(at, Hints::default())?;
            if manifest.base.sha256.is_empty() || sha256 == manifest.base.sha256 {
                return Ok(Some(Definitions { folder: folder.to_owned(), path: path.clone(), base, sha256 }));
            }
            first = first.or(Some(at.clone()));
        }
        let what = match first {
            Some(_) => "the file that the definitions came from is another one now",
            None => "the file that the definitions came from is not there",
        };
        Err(Error::say(what).in_file(path.display().to_string()).hint("put the original back, or decompile the file again"))
    }

    /// Compiles the folder, and puts the file in place. Gives its size, whether it is the one that was there, and how its entries stand to the
    /// file that they came from.
    pub fn build(&self, target: &Path) -> Result<(u64, bool, String)> {
        let places = Places::of(std::slice::from_ref(&self.folder), Some(Wanted { path: &self.path, base: &self.base }))?;
        let sources = Sources::read(places.roots(), &places.start, &is_there)?;
        let compiled = animdef::compile(&sources, Some(&self.base), &Options::default())?;
        if let Some(error) = compiled.entries.iter().find_map(|entry| entry.error.as_ref()) {
            return Err(Error::say(error.clone()));
        }
        let told = counts(&compiled);
        let Some(anim) = compiled.anim else { return Err(Error::say("nothing was compiled")) };
        let mut bytes = Vec::new();
        work::write(&anim, &mut bytes)?;
        // What refit would refuse itself is not put in place.
        work::open(&bytes.clone().into(), "anim.zbd", Hints { game: Some(anim.game), format: Some(Format::Anim) })?;
        let may = Replace { source: Some(self.sha256.as_str()).filter(|sum| !sum.is_empty()), ..Replace::new(true) };
        let written = disk::write_file(target, &bytes, may)?;
        Ok((written.bytes, written.unchanged, told))
    }
}
