//! Proves the round trip of files and of trees; nothing is written.

use super::{
    files, open,
    options::Options,
    parallel::in_order,
    paths::Input,
    progress::Progress,
    report::{Report, Status},
    unknown_files::{self, UnknownFiles},
};
use refit_base::{Sha256, game::Game, tree::DirSource, wire::Result};
use refit_files::{
    foreign::{self, FileKind},
    pipeline::{self, Hints, PROVED, Via},
};
use std::path::PathBuf;

/// How many files fared how.
#[derive(Default)]
pub struct Verified {
    /// Files that came back exactly.
    pub exact: usize,
    /// Files that are kept whole because no typed form reproduces them.
    pub raw: usize,
    /// Files that failed.
    pub failed: usize,
    /// The files of other programs, by their kind.
    pub others: UnknownFiles,
    /// The size of all that were proved.
    pub bytes: u64,
}

/// Proves all files of these paths through the form `via`, and passes a report on each to `see`, in
/// order. `full` adds details to the reports.
pub fn verify(
    paths: &[PathBuf],
    (via, full): (Via, bool),
    options: &Options,
    progress: &dyn Progress,
    mut see: impl FnMut(Report),
) -> Result<Verified> {
    let inputs = files::files_and_trees(paths, options, progress)?;
    let mut done = Verified::default();
    let proof = |input: &Input| prove(input, options.hints, via, full);
    in_order(
        &inputs,
        options,
        progress,
        (Input::size, Input::name),
        proof,
        |_, report| {
            match report.status {
                Status::Exact => done.exact += 1,
                Status::Raw => done.raw += 1,
                Status::Error => done.failed += 1,
                Status::Unrecognised => done.others.add(report.other),
            }
            if matches!(report.status, Status::Exact | Status::Raw) {
                done.bytes += report.bytes.unwrap_or(0);
            }
            see(report);
        },
    );
    Ok(done)
}

/// Proves one file or tree. `full` adds its SHA-256 and the number of findings.
fn prove(input: &Input, hints: Hints, via: Via, full: bool) -> Report {
    let mut report = Report::new(&input.path);
    let prove = if input.path.is_dir() {
        prove_tree
    } else {
        prove_file
    };
    match prove(input, hints, (via, full), &mut report) {
        Ok(()) => report,
        Err(e) => report.failed(e.about(&input.path)),
    }
}

fn prove_file(
    input: &Input,
    hints: Hints,
    (via, full): (Via, bool),
    report: &mut Report,
) -> Result<()> {
    let name = input.name();
    let file = open::load(&input.path)?;
    report.bytes = Some(file.len());
    if full {
        report.sha256 = file.sha256().ok();
    }
    let detection = match pipeline::recognise(&file, &name, hints) {
        Err(e)
            if unknown_files::is_unknown(&e)
                && foreign::is_texture_list(&file.slice(0, 4)?.bytes()?) =>
        {
            report.other = Some(FileKind::TextureList);
            if let Some(proof) = foreign::prove(&file.bytes()?) {
                proof?;
                report.status = Status::Exact;
            }
            return Ok(());
        }
        Err(e) if !input.explicit && unknown_files::is_unknown(&e) => {
            report.status = Status::Unrecognised;
            report.note = Some(e.about(&input.path).to_string());
            report.other = unknown_files::recognise(&input.path, &file).map(|other| other.kind);
            return Ok(());
        }
        detection => detection?,
    };
    report.detected(&detection);
    report.part(input);
    let opened = pipeline::read(&file, detection)?;
    if full {
        report.findings = Some(pipeline::lint(&*opened.model)?.len());
    }
    report.outcome(pipeline::prove(&file, &name, opened, via)?.raw);
    Ok(())
}

/// Packs a tree, and proves its file.
fn prove_tree(
    input: &Input,
    _: Hints,
    (via, full): (Via, bool),
    report: &mut Report,
) -> Result<()> {
    let (head, model) = pipeline::assemble(&DirSource::new(&input.path))?;
    report.game = head.game.map(Game::code);
    report.format = Some(head.format);
    let (bytes, sum) = open::size_and_sum(&*model, head.source.sum.wait())?;
    let identical = sum == head.source.sum.wait();
    report.bytes = Some(bytes);
    report
        .more
        .insert("source", head.source.file.clone().into());
    report.more.insert("identical", identical.into());
    if full {
        report.findings = Some(pipeline::lint(&*model)?.len());
    }
    if identical && bytes > PROVED {
        if full {
            let mut sha256 = Sha256::default();
            pipeline::write(&*model, &mut sha256)?;
            report.sha256 = Some(sha256.hex());
        }
        report.outcome(Vec::new());
        return Ok(());
    }
    let mut written = Vec::new();
    pipeline::write(&*model, &mut written)?;
    drop(model);
    report.sha256 = full.then(|| refit_base::sha256(&written));
    report.outcome(pipeline::prove_packed(&head, written, via)?.raw);
    Ok(())
}
