//! The three banks of sounds of a game from one set of WAV files.

use super::{
    batch::{self, Ready},
    options::Options,
    paths,
    progress::Progress,
    put_family,
};
use bytes::Bytes;
use refit_base::{
    format::Format,
    game::Game,
    par,
    path::Shown,
    tree::disk::{self, Backup, Replace},
    wire::{Error, Result},
};
use refit_files::pipeline::{self, Hints};
use refit_zipper::{
    archive,
    sounds::banks::{self, Bank, Quality},
};
use std::path::{Path, PathBuf};

/// A bank of sounds that was made.
pub struct MadeBank {
    /// The kind of bank.
    pub quality: Quality,
    /// The file.
    pub path: PathBuf,
    /// Its sounds, and those that are missing or not declared.
    pub bank: Bank,
    /// The number of sounds whose bytes are those of their files.
    pub same: usize,
    /// The size of the file.
    pub bytes: usize,
}

/// The WAV files below a folder, by their names alone: a bank has no folders.
fn sounds(folder: &Path) -> Result<Vec<(String, Bytes)>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(disk::walk_error)?;
        let wav = entry
            .path()
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("wav"));
        if wav && entry.file_type().is_file() && !refit_base::path::is_litter(entry.path()) {
            paths.push(entry.into_path());
        }
    }
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut seen = std::collections::HashMap::new();
    for path in &paths {
        if let Some(first) = seen.insert(name(path).to_lowercase(), path) {
            let message = format!(
                "{} has the same name as {} (a bank has no folders)",
                path.shown(),
                first.shown()
            );
            return Err(Error::say(message).hint("rename one of them"));
        }
    }
    if paths.is_empty() {
        return Err(Error::say("the folder has no WAV file").in_file(folder.shown()));
    }
    par::try_map(&paths, |_, path| Ok((name(path), disk::read(path)?)))
}

/// False for a bank: a file to take choices from, which declares no sounds.
pub fn declares(like: &Path) -> bool {
    let found = pipeline::load(like)
        .and_then(|file| pipeline::recognise(&file, &like.shown(), Hints::default()));
    !found.is_ok_and(|found| found.format == Format::Sounds)
}

/// Makes the three banks from the WAV files below a folder: all or none. `like` declares the
/// sounds: `sounds.zrd`, or an archive with it. The banks go into the folder `output`, or next to
/// the sounds.
pub fn make(
    folder: &Path,
    like: &Path,
    output: Option<&Path>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<MadeBank>> {
    if !folder.is_dir() {
        return Err(Error::say("there is no such folder").in_file(folder.shown()));
    }
    let declared = put_family::declarations(like)?;
    let files = sounds(folder)?;
    let into = output.map_or_else(|| paths::folder_of(folder), Path::to_owned);
    let into = if into.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        into
    };
    if into.is_file() {
        return Err(Error::say("three banks need a folder after -o").in_file(into.shown()));
    }
    let game = options.hints.game;
    let mut made = Vec::new();
    for quality in Quality::ALL {
        let bank =
            banks::fill(&files, &declared, quality, game == Some(Game::Cs)).map_err(|e| match e
                .file()
                .map(ToOwned::to_owned)
            {
                Some(file) => e.in_file(folder.join(file).shown()),
                None => e,
            })?;
        let members: Vec<(String, Bytes)> = bank
            .sounds
            .iter()
            .map(|s| (s.name.clone(), s.shaped.file.clone()))
            .collect();
        let bytes = archive::build(game, &members)?;
        let same = bank
            .sounds
            .iter()
            .filter(|s| {
                files
                    .iter()
                    .any(|(name, file)| *name == s.name && *file == s.shaped.file)
            })
            .count();
        made.push((
            MadeBank {
                quality,
                path: into.join(quality.file()),
                bank,
                same,
                bytes: bytes.len(),
            },
            bytes,
        ));
    }
    let may = Replace {
        backup: options.backup_or(Backup::Foreign),
        ..Replace::new(options.force)
    };
    let outputs = options.outputs();
    made.iter()
        .try_for_each(|(bank, _)| outputs.claim(&bank.path))?;
    let (made, files): (Vec<_>, Vec<_>) = made
        .into_iter()
        .map(|(bank, bytes)| {
            let ready = Ready {
                target: bank.path.clone(),
                bytes: bytes.into(),
                may,
                read: None,
                gone: false,
            };
            (bank, ready)
        })
        .unzip();
    batch::write(
        &into,
        "repack",
        &files.iter().collect::<Vec<_>>(),
        options,
        progress,
    )?;
    Ok(made)
}
