//! `refit lint`: what is unusual.

use crate::cli::{
    across,
    events::print_original,
    line::{Line, Paint},
    report::{Report, ShownPath, about},
    session::Session,
    wrap::fill,
};
use clap::Args;
use refit::{
    formats::foreign::FileKind,
    index::{
        File,
        lints::{CODES, Misfit},
    },
    lint::{self, Finding, Severity},
    path::Shown,
    pipeline::{self, Hints},
    project::Project,
    registry,
    tree::{DirSource, disk, is_project, is_tree},
    wire::{Error, Result, count, did_you_mean},
    workbench::{
        Input,
        changes::changes,
        edits::{self, EditFinding, EditReport},
        files, open, paths,
        project::compile_edited,
        unknown_files::{self, UnknownFiles},
    },
};
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// Tell what is unusual in files or trees
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit lint reader.zbd
  refit lint C:\\Games\\MW3 --json
  refit lint reader --new          what the edits of a tree brought in
  refit lint C:\\Games\\MW3 --since mymod    what the edits of a project brought in
  refit lint --explain odd-value   what a code means, and what it rests on
  refit lint --explain             all codes

What the game does with the value: refuses the file, crashes, ignores the value, behaves differently, or the value is merely unusual, \
which is all that shipped files have.

In a game's folder or a project, names are followed across files, too: such a finding says what the game does and where it looks.

Exit code 3 if there are findings, else 0.")]
pub struct Lint {
    /// Files, trees, or folders with files at any depth
    #[arg(required_unless_present = "explain", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Explain a code, or list all codes
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "")]
    explain: Option<String>,
    /// Only what the file that a tree was unpacked from (or that is kept as NAME.orig beside a file) does not have
    #[arg(long)]
    new: bool,
    /// Only what edits brought in since a project was unpacked: names that mean nothing now, or something else
    #[arg(long, value_name = "PROJECT")]
    since: Option<PathBuf>,
    /// All findings, also when there are hundreds of one kind
    #[arg(long)]
    all: bool,
}

/// Findings of one code in one file that are printed without `--all`.
const SHOWN: usize = 20;

#[derive(serde::Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    place: &'a ShownPath,
    code: &'a str,
    severity: Severity,
    at: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "refit::wire::is_zero")]
    more: usize,
    /// The other place, of a finding across files.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    /// What the game does, of a finding across files.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction: Option<&'a str>,
}

/// What became of a file.
enum Judged {
    Findings(Vec<Finding>, Vec<File>),
    News(EditReport),
    Skipped(String, Option<FileKind>),
    Failed(String),
}

/// What edits brought in.
fn news(path: &Path, hints: Hints) -> Result<EditReport> {
    if is_tree(path) {
        let (head, model) = pipeline::assemble(&DirSource::new(path))?;
        return edits::of_tree(path, &head, &model, &[]);
    }
    let backup = disk::backup_path(path);
    if !backup.is_file() {
        return Err(Error::say(format!("there is nothing to compare it with: no {}", backup.shown()))
            .hint("--new takes unpacked trees, and files whose original refit kept"));
    }
    let open = |path| Ok(open::open(path, hints)?.model);
    edits::of_file(&open(path)?, &open(&backup)?, &backup)
}

fn judge(input: &Input, hints: Hints, new: bool, survey: Option<&across::Survey>) -> Judged {
    if !input.path.is_dir() && !input.explicit {
        let file = match pipeline::load(&input.path) {
            Ok(file) => file,
            Err(e) => return Judged::Failed(about(&input.path, &e)),
        };
        if let Err(e) = pipeline::recognise(&file, &input.name(), hints) {
            if !unknown_files::is_unknown(&e) {
                return Judged::Failed(about(&input.path, &e));
            }
            return Judged::Skipped(about(&input.path, &e), unknown_files::recognise(&input.path, &file).map(|other| other.kind));
        }
    }
    if new {
        return match news(&input.path, hints) {
            Ok(news) => Judged::News(news),
            Err(e) if !input.explicit => Judged::Skipped(about(&input.path, &e), None),
            Err(e) => Judged::Failed(about(&input.path, &e)),
        };
    }
    let judged = open::open(&input.path, hints).and_then(|subject| Ok((pipeline::lint(&*subject.model)?, subject)));
    match judged {
        Ok((mut found, subject)) => {
            lint::worst_first(&mut found);
            Judged::Findings(found, survey.map(|survey| survey.read(input, &subject, hints)).unwrap_or_default())
        }
        Err(e) => Judged::Failed(about(&input.path, &e)),
    }
}

impl Lint {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        if let Some(code) = &self.explain {
            return explain(session, code);
        }
        let mut inputs = files::files_and_trees(&self.paths, &session.options()?, session)?;
        let new = self.new || self.since.is_some();
        let across = if new { across::brought_in(session, &self.paths, self.since.as_deref())? } else { Vec::new() };
        let survey = if !new && across::is_wanted(&self.paths) { Some(across::Survey::new(session, &self.paths)?) } else { None };
        let mut files = Vec::new();
        if self.since.is_some() {
            // What was not edited brought nothing in.
            inputs.retain(|input| is_tree(&input.path) || disk::backup_path(&input.path).is_file());
        }
        let hints = session.hints();
        let mut severities = [0usize; Severity::ALL.len()];
        let (mut odd, mut judged, mut others) = (HashSet::new(), 0, UnknownFiles::default());
        let mut add = |session: &Session, input: &Input, found: &[Finding]| {
            judged += 1;
            if !found.is_empty() {
                odd.insert(input.path.clone());
            }
            for finding in found {
                if let Some(n) = severities.get_mut(finding.severity as usize) {
                    *n += 1 + finding.more;
                }
            }
            tell(session, input, found, self.all);
        };
        session.in_order(
            &inputs,
            Input::size,
            Input::name,
            |input| judge(input, hints, new, survey.as_ref()),
            |session, input, result| match result {
                Judged::Skipped(why, kind) => {
                    others.add(kind);
                    session.detail(why);
                }
                Judged::Failed(why) => {
                    if session.global.json {
                        session.json(&Report::new(&input.path).failed(&why));
                    }
                    session.error(why);
                }
                Judged::News(news) => {
                    print_original(session, &news, &input.name());
                    let found: Vec<Finding> = news.found.into_iter().map(EditFinding::finding).collect();
                    add(session, input, &found);
                }
                Judged::Findings(found, names) => {
                    files.extend(names);
                    add(session, input, &found);
                }
            },
        );
        for root in paths::expand(&self.paths)?.iter().filter(|path| is_project(path)) {
            let is_edited = |folder: &Path| {
                let changes = changes(&root.join(folder));
                changes.map(|changes| !changes.is_empty()).map_err(|e| e.about(&root.join(folder)).elsewhere())
            };
            for (path, made) in compile_edited(&Project::open(root)?, &session.options()?, &is_edited)? {
                match made {
                    Ok(found) if found.is_empty() => {}
                    Ok(found) => add(session, &Input { relative: path.clone(), path, explicit: true }, &found),
                    Err(e) => {
                        let why = e.to_string();
                        if session.global.json {
                            session.json(&Report::new(&path).failed(&why));
                        }
                        session.error(why);
                    }
                }
            }
        }
        let mut see_across = |session: &Session, path: &Path, mut group: Vec<&Misfit>| {
            group.sort_by(|a, b| b.finding.severity.cmp(&a.finding.severity).then(a.finding.code.cmp(b.finding.code)));
            odd.insert(path.to_owned());
            for one in &group {
                if let Some(n) = severities.get_mut(one.finding.severity as usize) {
                    *n += 1;
                }
            }
            tell_across(session, path, &group, self.all);
        };
        for (path, group) in grouped(&across) {
            see_across(session, path, group);
        }
        if let Some(survey) = survey {
            survey.judge(files, |path, found| see_across(session, path, found.iter().collect()));
        }
        if others.len() == inputs.len() && across.is_empty() && self.since.is_none() {
            return Err(files::none_known(&self.paths, others.len()));
        }
        let odd = odd.len();
        let others = others.summary().map_or_else(String::new, |said| format!("; {said}"));
        let total: usize = severities.iter().sum();
        if total > 0 {
            session.found();
        }
        if total == 0 {
            session.tell(format!("nothing unusual in {}{others}", count(judged, "file")));
            return Ok(());
        }
        let total = count(total, "finding");
        let all = severities.iter().zip(Severity::ALL).rev().filter(|(n, _)| **n > 0);
        let parts = all.map(|(n, severity)| format!("{} {n}", severity.word())).collect::<Vec<_>>().join(", ");
        session.tell(format!("{total} ({parts}) in {odd} of {}{others}", count(judged, "file")));
        Ok(())
    }
}

/// The findings across files, file by file.
fn grouped(across: &[across::Across]) -> Vec<(&PathBuf, Vec<&Misfit>)> {
    let mut groups: Vec<(&PathBuf, Vec<&Misfit>)> = Vec::new();
    for one in across {
        match groups.iter_mut().find(|(path, _)| **path == one.path) {
            Some((_, group)) => group.push(&one.misfit),
            None => groups.push((&one.path, vec![&one.misfit])),
        }
    }
    groups
}

fn tell_across(session: &Session, path: &Path, found: &[&Misfit], all: bool) {
    if session.global.json {
        let place = &ShownPath::of(path);
        for misfit in found {
            let Finding { code, severity, path: at, message, more } = &misfit.finding;
            let (other, reaction) = (Some(misfit.other.as_str()), Some(misfit.reaction));
            session.json(&Row { place, code, severity: *severity, at, message, more: *more, other, reaction });
        }
        session.flush();
        return;
    }
    let input = Input { path: path.to_owned(), relative: path.to_owned(), explicit: true };
    let found: Vec<Finding> = found.iter().map(|misfit| misfit.finding.clone()).collect();
    tell(session, &input, &found, all);
}

fn tell(session: &Session, input: &Input, found: &[Finding], all: bool) {
    let path = input.name();
    if session.global.json {
        let place = &ShownPath::of(&input.path);
        for finding in found {
            let Finding { code, severity, path: at, message, more } = finding;
            session.json(&Row { place, code, severity: *severity, at, message, more: *more, other: None, reaction: None });
        }
        session.flush();
        return;
    }
    for group in found.chunk_by(|a, b| a.code == b.code) {
        let shown = if all { group.len() } else { SHOWN };
        for finding in group.iter().take(shown) {
            let (paint, word) = (Paint::of(finding.severity), finding.severity.word());
            let place = if finding.path.is_empty() { String::new() } else { format!("{}: ", finding.path) };
            let rest = format!(" [{}] {place}{}", finding.code, finding.message);
            session.tell(Line::new().text(format!("{path}: ")).paint(paint, word).text(rest));
        }
        let unlisted: usize = group.iter().skip(shown).map(|finding| 1 + finding.more).sum();
        if let (more @ 1.., Some(first)) = (unlisted, group.first()) {
            session.tell(format!("{path}: … and {} more [{}] (--all shows them)", count(more, "finding"), first.code));
        }
    }
}

fn explain(session: &Session, wanted: &str) -> Result<()> {
    let mut codes: Vec<&lint::Code> =
        registry::codes().chain(CODES.iter().copied()).filter(|code| wanted.is_empty() || code.code.eq_ignore_ascii_case(wanted)).collect();
    codes.sort_by_key(|code| code.code);
    if codes.is_empty() {
        let near = did_you_mean(wanted, registry::codes().chain(CODES.iter().copied()).map(|code| code.code));
        return Err(Error::say(format!("no finding has the code {wanted:?}"))
            .hint(near.unwrap_or_else(|| "`refit lint --explain` lists all".into())));
    }
    let width = codes.iter().map(|code| code.code.len()).max().unwrap_or(0);
    for code in codes {
        let severity = code.severity.word();
        let games: Vec<&str> = code.games.iter().map(|game| game.code()).collect();
        if session.global.json {
            session.json(&serde_json::json!({
                "code": code.code, "severity": code.severity, "games": games, "title": code.title, "explain": code.explain,
                "fact": code.fact,
            }));
        } else if wanted.is_empty() {
            session.line(format!("{:width$}  {severity:7}  {}", code.code, code.title));
        } else {
            session.line(Line::new().paint(Paint::Bold, code.code).text(format!(" ({severity}): {}", code.title)));
            session.text(&format!("\n{}", fill(code.explain, session.columns())));
            let known: Vec<&str> = code.games.iter().map(|game| game.title()).collect();
            let known = match (known.as_slice(), code.severity) {
                ([], _) => String::new(),
                (known, Severity::Unusual) => format!(" Known of: {}.", known.join(", ")),
                (known, _) => format!(" Known of: {}; told one step milder in the other games.", known.join(", ")),
            };
            session.text(&format!("\n{}", fill(&format!("Rests on: {}{known}", code.fact), session.columns())));
        }
    }
    Ok(())
}
