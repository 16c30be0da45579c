//! Proves a file or a tree, and prints how it went.

use super::{
    line::{Line, Paint},
    report::{Report, Status, about},
    session::Session,
};
use refit::{
    formats::Format,
    game::Game,
    pipeline::{self, Hints, Via},
    tree::{Blob, DirSource, disk::Summed},
    wire::Result,
    workbench::{Input, open, unknown_files},
};

/// Proves one file. `full` adds details that only `--json` prints.
pub fn prove(input: &Input, hints: Hints, via: Via, full: bool) -> Report {
    let mut report = Report::new(&input.path);
    if input.path.is_dir() {
        return match prove_tree(input, via, full, &mut report) {
            Ok(()) => report,
            Err(e) => report.failed(about(&input.path, &e)),
        };
    }
    let name = input.name();
    let file = match open::load(&input.path) {
        Ok(file) => file,
        Err(e) => return report.failed(about(&input.path, &e)),
    };
    report.bytes = Some(file.len());
    if full {
        report.sha256 = file.sha256().ok();
    }
    let detection = match pipeline::recognise(&file, &name, hints) {
        Ok(detection) => detection,
        Err(e) if input.explicit || !unknown_files::is_unknown(&e) => return report.failed(about(&input.path, &e)),
        Err(e) => {
            report.status = Status::Unrecognised;
            report.note = Some(about(&input.path, &e));
            report.other = unknown_files::recognise(&input.path, &file).map(|other| other.kind);
            return report;
        }
    };
    report.detected(&detection);
    report.part(input);
    let done = pipeline::read(&file, detection).and_then(|opened| {
        if full {
            report.findings = Some(pipeline::lint(&*opened.model)?.len());
        }
        pipeline::prove(&file, &name, opened, via)
    });
    match done {
        Ok(outcome) => report.outcome(outcome.raw),
        Err(e) => return report.failed(about(&input.path, &e)),
    }
    report
}

/// Files of trees up to this size are proved in memory. A larger one that produces the very file from which it was
/// unpacked was proved then.
const IN_MEMORY: u64 = 256 << 20;

/// Packs a tree, and proves its file.
fn prove_tree(input: &Input, via: Via, full: bool, report: &mut Report) -> Result<()> {
    let (head, model) = pipeline::assemble(&DirSource::new(&input.path))?;
    report.game = head.game.map(Game::code);
    report.format = Some(head.format);
    let mut nowhere = std::io::sink();
    let mut summed = Summed::new(&mut nowhere);
    pipeline::write(&*model, &mut summed)?;
    let (bytes, sum) = summed.end();
    let identical = sum == head.source.sha256.wait();
    report.bytes = Some(bytes);
    report.more.insert("source", head.source.file.clone().into());
    report.more.insert("identical", identical.into());
    if full {
        report.sha256 = Some(sum);
        report.findings = Some(pipeline::lint(&*model)?.len());
    }
    if identical && bytes > IN_MEMORY {
        report.outcome(Vec::new());
        return Ok(());
    }
    let mut written = Vec::new();
    pipeline::write(&*model, &mut written)?;
    drop(model);
    // No hint for a raw file: the reason why it is raw is reported again.
    let format = Some(head.format).filter(|format| *format != Format::Raw);
    let file = Blob::Memory(written.into());
    let name = head.source.file;
    let detection = pipeline::recognise(&file, &name, Hints { game: head.game, format })?;
    let opened = pipeline::read(&file, detection)?;
    report.outcome(pipeline::prove(&file, &name, opened, via)?.raw);
    Ok(())
}

/// Prints a report for people.
pub fn print(session: &Session, report: &Report) {
    match report.status {
        Status::Exact => {
            let tree = report.more.get("source").and_then(|file| file.as_str());
            let tree = tree.map_or(String::new(), |file| match report.more.get("identical") == Some(&true.into()) {
                true => format!(", a tree: packs to {file}, bit for bit"),
                false => format!(", a tree: packs to {file}, with edits"),
            });
            session.tell(Line::new().paint(Paint::Green, "exact").text(format!(
                "  {} ({}{tree})",
                report.path,
                report.kind()
            )));
        }
        Status::Raw => {
            session.tell(Line::new().paint(Paint::Yellow, "raw  ").text(format!(
                "  {} ({})",
                report.path,
                report.kind()
            )));
            for raw in &report.raw {
                let member = if raw.member.is_empty() { "the whole file" } else { &raw.member };
                session.tell(format!("         {member}: {}", raw.why));
            }
        }
        Status::Unrecognised => session.detail(report.note.as_deref().unwrap_or_default()),
        Status::Error => session.error(report.error.as_deref().unwrap_or_default()),
    }
}
