//! Details that an error about a tree can only get when the tree is available.

use super::{
    Source, Style, Sums,
    explain::locate,
    sums::{FileSum, List},
};
use crate::wire::{Error, nearest};

/// Improves an error about a tree: adds the place in the text if the error only has a field path,
/// and a hint about a missing file.
#[cold]
pub fn placed(source: &dyn Source, error: Error) -> Error {
    let Some(file) = error.file().map(str::to_owned) else {
        return error;
    };
    if matches!(error.what(), crate::wire::Cause::Missing) {
        return error.hint(moved(source, &file));
    }
    if error.place().is_some() {
        return error;
    }
    let Some(path) = [file.clone(), format!("{file}.json"), format!("{file}.ron")]
        .into_iter()
        .find(|path| source.has(path))
    else {
        return error;
    };
    let Some(style) = Style::of(&path) else {
        return error;
    };
    let text = source
        .get(&path)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes.to_vec()).ok())
        .unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let quoted = match error.what() {
        crate::wire::Cause::Said(message) => {
            message.split('"').nth(1).unwrap_or_default().to_owned()
        }
        _ => String::new(),
    };
    let place = locate(text, style, error.steps(), &quoted);
    let error = error.renamed(path);
    match place {
        Some((line, column)) => error.placed(line, column),
        None => error,
    }
}

/// The hint for a missing file, which may only have been renamed.
fn moved(source: &dyn Source, file: &str) -> String {
    let mut sums = List::of(source)
        .and_then(|list| Sums::read(&list))
        .unwrap_or_default();
    let was = sums.remove(file);
    let ours =
        |path: &str| path.starts_with(".refit/") || path.starts_with("refit.") || sums.has(path);
    let others: Vec<String> = source
        .paths()
        .into_iter()
        .filter(|path| !ours(path))
        .collect();
    let same = |path: &&String, was: &FileSum| {
        source
            .blob(path)
            .and_then(|blob| was.fits_file(&blob))
            .unwrap_or_default()
    };
    if let Some(was) = was
        && let Some(other) = others
            .iter()
            .take(MOST_SUMMED)
            .find(|path| same(path, &was))
    {
        return format!("{other} has its content: rename it back, or name {other} in the manifest");
    }
    match nearest(file, others.iter().map(String::as_str)).first() {
        Some(other) => {
            format!(
                "did you mean {other}, which the manifest does not name? Rename it, or name it in the manifest"
            )
        }
        None => "the manifest names it; restore the file or remove it from the manifest".into(),
    }
}

/// How many files to read when searching for one by its content.
const MOST_SUMMED: usize = 100;
