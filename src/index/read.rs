//! Indexes files and trees on disk, using the cache.

use super::met::Met;
use super::{Cache, Content, File, Item, cache::Stamp, content};
use refit_base::{
    Sum, Summing,
    contract::Model,
    path::Shown,
    tree::{Blob, DirSource, read_head},
    wire::Result,
};
use refit_files::{
    detect::Detection,
    pipeline::{self, Hints},
};
use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Indexes a file or a tree. `None` if it is not recognised; an error if it cannot be read.
pub fn file(item: &Item, hints: Hints, cache: &Cache, all: bool) -> Result<Option<File>> {
    file_with(item, hints, cache, all, None)
}

/// [`file()`] for [`File::keep_met`] with the names of `met`: also `None` for a file whose bytes show
/// that it has none of them.
pub fn file_that_meets(
    item: &Item,
    hints: Hints,
    cache: &Cache,
    met: &Met,
) -> Result<Option<File>> {
    file_with(item, hints, cache, false, Some(met))
}

fn file_with(
    item: &Item,
    hints: Hints,
    cache: &Cache,
    all: bool,
    met: Option<&Met>,
) -> Result<Option<File>> {
    let fits = |kept: &Content| !all || kept.is_complete;
    if item.path.is_dir() {
        let source = DirSource::new(&item.path);
        let sum = cache.is_open().then(|| tree_sum(&item.path)).flatten();
        if let Some(sum) = sum
            && let Ok((_, head)) = read_head(&source)
            && let Some(kept) = cache.of_sum(sum, head.format, head.game).filter(fits)
        {
            return Ok(Some(File::new(item, head.format, head.game, kept)));
        }
        let (head, model) = pipeline::assemble(&source)?;
        return indexed(
            item,
            &*model,
            &Detection::of_tree(&head),
            (None, sum),
            cache,
            all,
        )
        .map(Some);
    }
    let stamp = cache.stamp(&item.path, hints);
    if let Some((format, game, content)) = stamp
        .as_ref()
        .and_then(|stamp| cache.get(stamp))
        .filter(|(_, _, kept)| fits(kept))
    {
        return Ok(Some(File::new(item, format, game, content)));
    }
    let blob = pipeline::load(&item.path)?;
    let Ok(detection) = pipeline::recognise(&blob, &item.path.shown(), hints) else {
        return Ok(None);
    };
    if met.is_some_and(|met| !met.may_be_in(&blob, &detection)) {
        return Ok(None);
    }
    let sum = cache.is_open().then(|| blob.sum()).transpose()?;
    if let Some((sum, kept)) = sum
        .and_then(|sum| Some((sum, cache.of_sum(sum, detection.format, detection.game)?)))
        .filter(|(_, kept)| fits(kept))
    {
        cache.note(stamp, sum, detection.format, detection.game);
        return Ok(Some(File::new(
            item,
            detection.format,
            detection.game,
            kept,
        )));
    }
    let opened = pipeline::read(&blob, detection)?;
    indexed(
        item,
        &*opened.model,
        &opened.detection,
        (stamp, sum),
        cache,
        all,
    )
    .map(Some)
}

/// Indexes a file that is already open, or a tree if `blob` is `None`, without reading it again.
pub fn opened(
    item: &Item,
    blob: Option<&Blob>,
    model: &dyn Model,
    detection: &Detection,
    hints: Hints,
    cache: &Cache,
) -> Result<File> {
    let stamp = blob.and_then(|_| cache.stamp(&item.path, hints));
    let sum = match blob {
        _ if !cache.is_open() => None,
        Some(blob) => Some(blob.sum()?),
        None => tree_sum(&item.path),
    };
    if let Some((sum, kept)) =
        sum.and_then(|sum| Some((sum, cache.of_sum(sum, detection.format, detection.game)?)))
    {
        cache.note(stamp, sum, detection.format, detection.game);
        return Ok(File::new(item, detection.format, detection.game, kept));
    }
    indexed(item, model, detection, (stamp, sum), cache, false)
}

/// Indexes a model and caches the result under its checksum.
fn indexed(
    item: &Item,
    model: &dyn Model,
    detection: &Detection,
    (stamp, sum): (Option<Stamp>, Option<Sum>),
    cache: &Cache,
    all: bool,
) -> Result<File> {
    let (format, game) = (detection.format, detection.game);
    let found = content(model, detection, all)?;
    if let Some(sum) = sum {
        cache.put(sum, format, game, &found);
        cache.note(stamp, sum, format, game);
    }
    Ok(File::new(item, format, game, found))
}

/// A checksum of the names, sizes and modification times of a tree's files. `None` if a file is so
/// new that it could change again with the same timestamp.
fn tree_sum(tree: &Path) -> Option<Sum> {
    let mut sum = Summing::default();
    sum.update(b"tree\n");
    for entry in walkdir::WalkDir::new(tree).min_depth(1).sort_by_file_name() {
        let entry = entry.ok()?;
        if entry.file_type().is_dir() {
            continue;
        }
        let meta = entry.metadata().ok()?;
        let modified = meta.modified().ok()?;
        let age = SystemTime::now().duration_since(modified).ok()?;
        if age < Duration::from_secs(2) {
            return None;
        }
        let since = modified.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        sum.update(
            entry
                .path()
                .strip_prefix(tree)
                .ok()?
                .as_os_str()
                .as_encoded_bytes(),
        );
        sum.update(format!("\n{} {since}\n", meta.len()).as_bytes());
    }
    Some(sum.end())
}
