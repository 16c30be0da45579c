//! The banks of a game from one set of sounds: `refit repack DIR --format sounds --like sounds.zrd`.

use crate::cli::{
    family,
    report::{ShownPath, size},
    session::{Originals, Session},
};
use bytes::Bytes;
use refit::{
    formats::{
        archive,
        sounds::banks::{self, Bank, Quality},
    },
    game::Game,
    par,
    path::Shown,
    tree::disk::{self, Backup, Replace, Together},
    wire::{Error, Result, count},
    workbench::{Progress, paths},
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A bank in what `--json` prints.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    place: ShownPath,
    quality: Quality,
    sounds: usize,
    /// Sounds whose bytes are those of their files.
    as_they_are: usize,
    bytes: usize,
    /// Declared, and not in the folder.
    missing: &'a [String],
    /// In the folder, and not declared.
    undeclared: &'a [String],
}

/// The WAV files below a folder, by their names alone: a bank has no folders.
fn sounds(folder: &Path) -> Result<Vec<(String, Bytes)>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(disk::walk_error)?;
        let wav = entry.path().extension().is_some_and(|e| e.eq_ignore_ascii_case("wav"));
        if wav && entry.file_type().is_file() && !paths::is_litter(entry.path()) {
            paths.push(entry.into_path());
        }
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut seen = std::collections::HashMap::new();
    for path in &paths {
        if let Some(first) = seen.insert(name(path).to_lowercase(), path) {
            let message = format!("{} has the name of {}: a bank has no folders", path.shown(), first.shown());
            return Err(Error::say(message).hint("rename one of them"));
        }
    }
    if paths.is_empty() {
        return Err(Error::say("there is no WAV file").in_file(folder.shown()));
    }
    par::try_map(&paths, |_, path| Ok((name(path), disk::read(path)?)))
}

/// Makes the three banks in a folder: all of them, or none.
pub fn make(session: &Session, folder: &Path, like: &Path, output: Option<&Path>, originals: &Originals) -> Result<()> {
    if !folder.is_dir() {
        return Err(Error::say("there is no such folder").in_file(folder.shown()));
    }
    let declared = family::declarations(like)?;
    let files = sounds(folder)?;
    let into = output.map_or_else(|| paths::folder_of(folder), Path::to_owned);
    let into = if into.as_os_str().is_empty() { PathBuf::from(".") } else { into };
    if into.is_file() {
        return Err(Error::say("three banks need a folder behind -o").in_file(into.shown()));
    }
    let game = session.global.game;
    let mut made: Vec<(Quality, PathBuf, Bank, Vec<u8>)> = Vec::new();
    for quality in Quality::ALL {
        let bank = banks::fill(&files, &declared, quality, game == Some(Game::Cs)).map_err(|e| match e.file().map(ToOwned::to_owned) {
            Some(file) => e.in_file(folder.join(file).shown()),
            None => e,
        })?;
        let members: Vec<(String, Bytes)> = bank.sounds.iter().map(|s| (s.name.clone(), s.shaped.file.clone())).collect();
        let bytes = archive::build(game, &members)?;
        made.push((quality, into.join(quality.file()), bank, bytes));
    }
    let may = Replace { backup: originals.backup(Backup::Foreign), ..Replace::new(session.global.force) };
    if session.global.dry_run {
        made.iter().try_for_each(|(_, path, ..)| disk::check_file(path, may).map(|_| ()))?;
    } else {
        let (mut together, recovered) = Together::begin(&into, "repack")?;
        session.recovered(recovered.as_ref());
        let mut kept = Vec::new();
        for (_, path, _, bytes) in &made {
            session.outputs.claim(path)?;
            let write = |out: &mut (dyn std::io::Write + Send)| out.write_all(bytes).map_err(|e| Error::io(path, e));
            let written = together.write(path, may, write, |_, _| Ok(()))?;
            kept.push((path, written.kept));
        }
        together.commit()?;
        kept.iter().for_each(|(path, kept)| session.kept(path, kept.as_ref()));
    }
    let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
    for (quality, path, bank, bytes) in &made {
        let as_they_are = bank.sounds.iter().filter(|s| files.iter().any(|(name, file)| *name == s.name && *file == s.shaped.file)).count();
        for sound in &bank.sounds {
            let name = &sound.name;
            session.detail(format!("{}: {name}: {} → {}", path.shown(), sound.shaped.was, sound.shaped.now));
            // What is left out is left out of all of them: it is said once.
            if *quality == Quality::High {
                sound.shaped.notes.iter().for_each(|note| session.warn(format!("{}: {note}", folder.join(name).shown())));
            }
        }
        if let [first, ..] = bank.missing.as_slice() {
            let all = count(bank.missing.len(), "sound");
            session.warn(format!("{}: {all} that {} declares are not there, such as {first}", path.shown(), like.shown()));
        }
        if let ([first, ..], Quality::High) = (bank.undeclared.as_slice(), quality) {
            let all = count(bank.undeclared.len(), "sound");
            session.warn(format!("{}: {all} that {} does not declare, such as {first}", folder.shown(), like.shown()));
        }
        if session.global.json {
            session.json(&Row {
                place: ShownPath::of(path),
                quality: *quality,
                sounds: bank.sounds.len(),
                as_they_are,
                bytes: bytes.len(),
                missing: &bank.missing,
                undeclared: &bank.undeclared,
            });
        }
        session.tell(format!(
            "{} → {} ({}, {as_they_are} as they are, {}{would})",
            folder.shown(),
            path.shown(),
            count(bank.sounds.len(), "sound"),
            size(bytes.len() as u64)
        ));
    }
    Ok(())
}
