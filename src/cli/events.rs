//! Prints the events of the workbench.

use super::{
    line::{Line, Paint},
    session::Session,
};
use refit_base::{
    lint::Severity,
    path::Shown,
    tree::Blob,
    wire::{count, place, shorten, size},
};
use refit_files::registry;
use refit_workbench::{
    Event, Progress,
    banks::MadeBank,
    edits::EditReport,
    outcome::{Repacked, Unpacked},
    project::Outcome,
    report::Report,
};
use refit_zipper::sounds::banks::Quality;
use serde_json::json;
use std::path::Path;

impl Progress for Session {
    fn report(&self, event: Event<'_>) {
        match event {
            Event::Begin(total) => self.show_bar(total),
            Event::At(name) => self.on_bar(|bar| bar.say(name)),
            Event::Done(bytes) => self.on_bar(|bar| bar.add(bytes)),
            Event::End => self.hide_bar(),
            Event::Detail(text) => self.detail(text),
            Event::Warning(text) => self.warn(text),
            Event::Finding(severity, text) => {
                self.finding(severity, text, None);
                self.found();
            }
            Event::Failed(error) => self.error(error),
            Event::Repacked(tree) => {
                if let Some(news) = &tree.news {
                    print_news(self, news, &tree.tree.shown());
                }
                if tree.error.is_some() || !tree.staged {
                    print_repacked(self, tree);
                }
            }
            Event::Unpacked(file) => print_unpacked(self, file),
        }
    }
}

/// Findings of one code that are printed; all are counted.
const SHOWN: usize = 20;

/// Prints which original a tree or a file was compared with, or that there was none, and a change
/// of the game.
pub fn print_original(session: &Session, news: &EditReport, name: &str) {
    if let Some((now, was)) = news.games {
        session.warn(format!(
            "{name}: the manifest says \"game\": \"{}\", but the tree was unpacked from a file of {was}; refit packs \
            and checks it as a file of {now} (if you did not intend that, write \"{}\" again)",
            now.code(),
            was.code()
        ));
    }
    match &news.original {
        Some(path) => session.detail(format!("{name}: compared with {}", path.shown())),
        None if news.found.is_empty() => {}
        None => session.warn(format!(
            "{name}: the file that it was unpacked from is missing; the following problems in edited files may be \
            older than the edits"
        )),
    }
}

/// Prints the effects of an edit, and the game's reaction to them.
pub fn print_news(session: &Session, news: &EditReport, name: &str) {
    print_original(session, news, name);
    for group in news.found.chunk_by(|a, b| a.code == b.code) {
        for (i, new) in group.iter().take(SHOWN).enumerate() {
            let explain = if i == 0 {
                registry::find_code(new.code).map(|code| code.explain)
            } else {
                None
            };
            let file = new.file.as_ref().map_or_else(
                || name.to_owned(),
                |file| Path::new(name).join(file).shown(),
            );
            let text = place([&file, &new.at, &new.message]);
            session.finding(new.severity, format!("{text} [{}]", new.code), explain);
        }
        if let (more @ 1.., Some(new)) = (group.len().saturating_sub(SHOWN), group.first()) {
            let (more, code) = (count(more, "finding"), new.code);
            let all =
                format!("{name}: … and {more} more [{code}] (`refit lint --new --all` shows them)");
            session.finding(new.severity, all, None);
        }
    }
    if news
        .found
        .iter()
        .any(|new| new.severity > Severity::Unusual)
    {
        session.found();
    }
}

/// Prints what became of a file that was unpacked.
fn print_unpacked(session: &Session, file: &Unpacked) {
    let mut report = Report::of_unpacked(file);
    match (&report.error, &file.same_as) {
        (Some(error), _) if file.is_unknown => session.detail(error),
        (Some(error), _) => session.error(error),
        (None, Some(first)) => session.tell(format!(
            "{} is equal to {first}, and shares its tree",
            report.path
        )),
        (None, None) => {
            let would = session.would();
            let (tree, kind, files) = (file.tree.shown(), report.kind(), count(file.files, "file"));
            session.tell(format!("{} → {tree} ({kind}, {files}{would})", report.path));
            for (member, why) in &file.raw {
                let member = if member.is_empty() {
                    "the whole file"
                } else {
                    member
                };
                session.warn(format!("{}: {member} stays raw: {why}", report.path));
            }
        }
    }
    if session.global.json && !file.is_unknown {
        if file.error.is_none() {
            report.sha256 = sha256_of(&file.file);
        }
        session.json(&report);
        session.flush();
    }
}

/// Most bytes of a name from a manifest that are shown: no file of a longer one can be there.
const LONGEST: usize = 1000;

/// Prints what became of a tree that was packed.
pub fn print_repacked(session: &Session, tree: &Repacked) {
    let mut report = Report::of_repacked(tree);
    if let Some(error) = &report.error {
        session.error(error);
    } else {
        // If the same file is there already, what came and went was printed when it was written.
        let unchanged = tree.unchanged == Some(true);
        for (files, sign, paint) in [
            (&tree.added, "+", Paint::Green),
            (&tree.removed, "-", Paint::Red),
        ] {
            for file in files.iter().filter(|_| !unchanged) {
                session.tell(
                    Line::new()
                        .paint(paint, sign)
                        .text(format!(" {}", shorten(file, LONGEST))),
                );
            }
        }
        let file = tree
            .file
            .as_ref()
            .map_or_else(String::new, |file| file.shown());
        let same = if tree.identical == Some(true) {
            ", identical to the original"
        } else {
            ""
        };
        let unchanged = if unchanged { ", unchanged" } else { "" };
        let would = session.would();
        let definitions = tree
            .definitions
            .as_ref()
            .map_or(String::new(), |counts| format!(", definitions: {counts}"));
        let mods = match tree.mods.as_slice() {
            [] => String::new(),
            mods => format!(", with the changes of {}", mods.join(", ")),
        };
        let (kind, size) = (report.kind(), size(tree.bytes.unwrap_or(0)));
        session.tell(format!(
            "{} → {file} ({kind}, {size}{definitions}{mods}{same}{unchanged}{would})",
            report.path
        ));
        tree.assumed
            .iter()
            .for_each(|choice| session.tell(format!("  assumed: {choice}")));
    }
    if session.global.json {
        if tree.error.is_none() && !session.global.dry_run {
            report.sha256 = tree.file.as_deref().and_then(sha256_of);
        }
        session.json(&report);
        session.flush();
    }
}

/// The SHA-256 of a file for other programs: refit itself does not need it.
fn sha256_of(file: &Path) -> Option<String> {
    Blob::of_file(file).ok()?.sha256().ok()
}

/// Prints what became of a project that was packed into a game.
pub fn print_project(session: &Session, game: &Path, done: &Outcome, dry_run: bool) {
    let unchanged = done
        .built
        .iter()
        .filter(|tree| tree.unchanged == Some(true))
        .count();
    done.built
        .iter()
        .for_each(|tree| print_repacked(session, tree));
    for target in &done.restored {
        let would = if dry_run { " would be" } else { "" };
        session.tell(format!(
            "{}{would} the original again, because its tree is not edited",
            target.shown()
        ));
        if session.global.json {
            session.row(
                target,
                [("status", "exact".into()), ("restored", true.into())],
            );
        }
    }
    for target in &done.of_mods {
        let would = if dry_run { " would be" } else { "" };
        session.tell(format!(
            "{}{would} the result of the mods again, because its tree is not edited",
            target.shown()
        ));
        if session.global.json {
            session.row(
                target,
                [("status", "exact".into()), ("restored", true.into())],
            );
        }
    }
    for target in &done.removed {
        let would = if dry_run {
            "would be removed"
        } else {
            "removed"
        };
        session.tell(format!(
            "{} {would}, because the project added it and no longer has its tree",
            target.shown()
        ));
        if session.global.json {
            session.row(
                target,
                [("status", "removed".into()), ("removed", true.into())],
            );
        }
    }
    let would = if dry_run { "would be put" } else { "put" };
    let left = if unchanged > 0 {
        format!(", {unchanged} of them identical to the game's files")
    } else {
        String::new()
    };
    let removed = match done.removed.len() {
        0 => String::new(),
        n => format!(", {n} removed"),
    };
    session.tell(format!(
        "{}: {} built{left}, {} {would} in place{removed}, {} not edited",
        game.shown(),
        count(done.built.len(), "tree"),
        done.built.len() - unchanged + done.restored.len() + done.of_mods.len(),
        done.unedited
    ));
}

/// Prints a bank of sounds that was made from a folder, within the limits that `like` declares.
pub fn print_bank(session: &Session, folder: &Path, like: &Path, made: &MadeBank) {
    let MadeBank {
        quality,
        path,
        bank,
        same,
        bytes,
    } = made;
    for sound in &bank.sounds {
        let name = &sound.name;
        session.detail(format!(
            "{}: {name}: {} → {}",
            path.shown(),
            sound.shaped.was,
            sound.shaped.now
        ));
        // A file that is left out of one bank is left out of all: one note is enough.
        if *quality == Quality::High {
            sound
                .shaped
                .notes
                .iter()
                .for_each(|note| session.warn(format!("{}: {note}", folder.join(name).shown())));
        }
    }
    if let [first, ..] = bank.missing.as_slice() {
        let all = count(bank.missing.len(), "sound");
        session.warn(format!(
            "{}: {all} that {} declares are missing, such as {first}",
            path.shown(),
            like.shown()
        ));
    }
    if let ([first, ..], Quality::High) = (bank.undeclared.as_slice(), quality) {
        let all = count(bank.undeclared.len(), "sound");
        session.warn(format!(
            "{}: {all} that {} does not declare, such as {first}",
            folder.shown(),
            like.shown()
        ));
    }
    if session.global.json {
        let row = [
            ("quality", json!(quality)),
            ("sounds", bank.sounds.len().into()),
            ("as_they_are", (*same).into()),
            ("bytes", (*bytes).into()),
            ("missing", bank.missing.as_slice().into()),
            ("undeclared", bank.undeclared.as_slice().into()),
        ];
        session.row(path, row);
    }
    session.tell(format!(
        "{} → {} ({}, {same} unchanged, {}{})",
        folder.shown(),
        path.shown(),
        count(bank.sounds.len(), "sound"),
        size(*bytes as u64),
        session.would()
    ));
}
