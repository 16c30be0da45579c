//! The files of a mod around its archives: `mod.cpp`, `meta.cpp`, the key for servers, and what the
//! project names.

use super::{BuiltMod, Target, Work};
use crate::{addon_sources::Sources, options::Filter, progress::Progress, sign};
use refit_base::{
    Sum,
    path::Shown,
    secret,
    tree::{
        Blob,
        disk::{self, Backup, Replace},
    },
    wire::{Error, Result, Within},
};
use std::path::{Path, PathBuf};

/// Files at the root of a project that belong to every mod.
const USUAL: [&str; 7] = [
    "mod.cpp",
    "meta.cpp",
    "license",
    "license.*",
    "logo*.paa",
    "logo*.png",
    "picture.paa",
];

/// Writes what belongs around the archives.
pub(super) fn write(work: &Work<'_>, folder: &Path, done: &mut BuiltMod) -> Result<()> {
    let mut names = Vec::new();
    for (name, file) in own_files(work)? {
        let blob = Blob::of_file(&file)?;
        if secret::is_in(&name, &blob)? {
            work.progress.warn(&format!(
                "{}: a private key, which is left out",
                file.shown()
            ));
            continue;
        }
        let bytes = blob.bytes()?;
        put(work, &folder.join(&name), &bytes, true, done)?;
        names.push(name.to_lowercase());
    }
    for (name, text) in [
        ("mod.cpp", mod_text(work.sources)),
        ("meta.cpp", meta_text(work.sources)),
    ] {
        if !names.iter().any(|known| known == name) {
            put(work, &folder.join(name), text.as_bytes(), false, done)?;
        }
    }
    if let Some(key) = &work.build.key
        && !work.options.dry_run
    {
        let keys = folder.join("keys");
        let name = key.file_stem().unwrap_or_default();
        let before = disk::standing(&keys.join(format!("{}.bikey", name.to_string_lossy())));
        std::fs::create_dir_all(&keys).map_err(|e| Error::io(&keys, e))?;
        let made = sign::public_key(key, Some(&keys), work.options, work.progress)?;
        if before.ok().flatten() != disk::standing(&made)? {
            done.written.push(made);
        }
    }
    Ok(())
}

/// The files of the project's root that belong to the mod, by their names in it.
fn own_files(work: &Work<'_>) -> Result<Vec<(String, PathBuf)>> {
    let sources = work.sources;
    // The folder of a single addon is the content of its archive.
    if sources
        .addons
        .iter()
        .any(|addon| addon.folder == sources.root)
    {
        return Ok(Vec::new());
    }
    let usual = Filter::new(&USUAL.map(str::to_owned), &sources.exclude)?;
    let named = match sources.include.is_empty() {
        true => None,
        false => Some(Filter::new(&sources.include, &sources.exclude)?),
    };
    let is_other = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        let is_of_addons = entry.depth() == 1
            && ["addons", "optionals", "include", "keys", "releases"].contains(&&*name);
        entry.depth() > 0
            && entry.file_type().is_dir()
            && (is_of_addons || name.starts_with('.') || name.starts_with('@'))
    };
    let mut found = Vec::new();
    let walk = walkdir::WalkDir::new(&sources.root).min_depth(1);
    for entry in walk.into_iter().filter_entry(|entry| !is_other(entry)) {
        let entry = entry.map_err(disk::walk_error)?;
        if !entry.file_type().is_file() {
            continue;
        }
        let below = entry.path().strip_prefix(&sources.root);
        let Some(name) = below.ok().and_then(Path::to_str) else {
            continue;
        };
        let name = name.replace('\\', "/");
        let is_named = named
            .as_ref()
            .is_some_and(|named| named.takes(Path::new(&name)));
        if is_named || entry.depth() == 1 && usual.takes(Path::new(&name)) {
            found.push((name, entry.path().to_owned()));
        }
    }
    found.sort();
    Ok(found)
}

/// Writes a file of the mod, unless it is there. What another hand wrote stays, if refit only made
/// the file up.
fn put(
    work: &Work<'_>,
    file: &Path,
    bytes: &[u8],
    is_of_project: bool,
    done: &mut BuiltMod,
) -> Result<()> {
    let there = disk::standing(file)?;
    if there == Some(Sum::of(bytes)) {
        return Ok(());
    }
    let is_own = there.is_some_and(|sum| disk::own_note(file, sum).is_some());
    if file.exists() && !is_own && !is_of_project {
        work.progress
            .detail(&format!("{}: stays as it is", file.shown()));
        return Ok(());
    }
    if !work.options.dry_run {
        let may = Replace {
            backup: work.options.backup_or(Backup::Foreign),
            ..Replace::new(work.options.force || is_own)
        };
        let written = disk::write_file(file, bytes, may)?;
        work.progress.kept(file, written.kept.as_ref());
    }
    done.written.push(file.to_owned());
    Ok(())
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("\"{}\"", line.replace('"', "\"\""))
}

fn mod_text(sources: &Sources) -> String {
    let mut text = format!("name = {};\n", quoted(&sources.name));
    if let Some(author) = &sources.author {
        text.push_str(&format!("author = {};\n", quoted(author)));
    }
    if let Some(version) = &sources.version {
        text.push_str(&format!(
            "overview = {};\n",
            quoted(&format!("Version {version}"))
        ));
    }
    text
}

fn meta_text(sources: &Sources) -> String {
    format!(
        "protocol = 1;\npublishedid = 0;\nname = {};\ntimestamp = 0;\n",
        quoted(&sources.name)
    )
}

/// Warns of archives and signatures in the mod that this build does not make.
pub(super) fn strangers(folder: &Path, targets: &[Target<'_>], progress: &dyn Progress) {
    let addons = folder.join("addons");
    let mut names: Vec<String> = std::fs::read_dir(&addons)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        let lower = name.to_lowercase();
        let archive = match lower.find(".pbo.") {
            Some(end) if lower.ends_with(".bisign") => lower.within(..end + 4),
            _ => &lower,
        };
        let is_made = targets.iter().any(|target| {
            let made = target.archive.file_name().unwrap_or_default();
            made.to_string_lossy().to_lowercase() == archive
        });
        if archive.ends_with(".pbo") && !is_made {
            progress.warn(&format!(
                "{}: no addon of the project makes this file; delete it if it is an old one",
                addons.join(&name).shown()
            ));
        }
    }
}
