//! Changes one file or tree and prints the result: the shared part of `put`, `add`, `edit`,
//! `import` and `world`.

use super::{
    events::print_news,
    line::columns,
    session::{Originals, Session},
};
use refit_base::{
    path::Shown,
    secret,
    tree::disk,
    wire::{Error, Result, count, size},
};
use refit_files::File;
use refit_gltf::import::Report;
use refit_workbench::{
    Options, Progress as _,
    put::{GltfChange, Stored, Written},
    put_family::{PutFamily, PutMember},
};
use std::{
    io::{IsTerminal, Read},
    path::Path,
};

/// The bytes of a file that is going into another one, or of standard input for `-`. Fails for a
/// private key.
pub fn read(from: &Path, session: &Session) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // /dev/stdin and the pipes of a shell have a name, and are empty for the same reasons.
    let is_pipe = from
        .metadata()
        .is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
        && from != Path::new("/dev/null");
    let what = if from.as_os_str() == "-" {
        let mut stdin = std::io::stdin().lock();
        if stdin.is_terminal() {
            session.detail("reading from the terminal");
        }
        stdin
            .read_to_end(&mut bytes)
            .map_err(|e| Error::io(Path::new("standard input"), e))?;
        "standard input".to_owned()
    } else {
        bytes = disk::read_named(from)?.into();
        secret::check(&from.shown(), &bytes)?;
        if !is_pipe {
            return Ok(bytes);
        }
        from.shown()
    };
    secret::check(&what, &bytes)?;
    if bytes.is_empty() && !session.global.force {
        // A command before the pipe that failed, or no pipe at all.
        let hint = "name a file after the member, or use --force to replace it with nothing";
        return Err(Error::say(format!("{what} is empty")).hint(hint));
    }
    Ok(bytes)
}

/// Prints the result of an import; the pictures of new textures went into `packages` packages, and
/// `adds` is what puts them there.
pub fn print_report(session: &Session, from: &Path, report: &Report, packages: usize, adds: &str) {
    session.notes(from, &report.notes);
    let shown = from.shown();
    for sentence in report.missing_pictures(packages, adds) {
        session.warn(format!("{shown}: {sentence}"));
    }
    session.notes(from, &report.lost);
    if !report.lost.is_empty() {
        session.found();
    }
    for (what, n) in &report.defaults {
        session.tell(format!("{shown}: {what}: {n}"));
    }
    session.tell(format!("{shown}: {}", report.tell()));
}

impl Originals {
    /// The options of the run, with the user's choice about replaced files.
    pub fn options(&self, session: &Session) -> Result<Options> {
        Ok(Options {
            backup: self.chosen(),
            ..session.options()?
        })
    }
}

/// Changes a file or a tree by a glTF file, and prints the result.
pub fn by_gltf(
    what: &GltfChange<'_>,
    session: &Session,
    options: &Options,
    change: impl FnOnce(&mut File) -> Result<Report>,
) -> Result<()> {
    let done = what.run(options, session, change)?;
    print_report(
        session,
        what.from,
        &done.report,
        done.packages.len(),
        "--textures",
    );
    print_written(session, what.into, what.label, done.into);
    done.packages
        .into_iter()
        .for_each(|stored| print_stored(session, stored));
    Ok(())
}

/// Prints what a change of a file or a tree wrote.
pub fn print_written(session: &Session, into: &Path, label: &str, written: Written) {
    match written {
        Written::File(stored) => print_stored(session, stored),
        Written::Tree(files, news) => {
            if let Some((name, news)) = news {
                print_news(session, &news, &name);
            }
            let files = if files.is_empty() {
                "unchanged".to_owned()
            } else {
                files.join(", ")
            };
            session.tell(format!(
                "{label} → {} ({files}{})",
                into.shown(),
                session.would()
            ));
        }
    }
}

/// Prints what became of a file that was changed.
pub fn print_stored(
    session: &Session,
    Stored {
        target,
        label,
        unchanged,
        bytes,
        news,
    }: Stored,
) {
    if let Some((name, news)) = news {
        print_news(session, &news, &name);
    }
    let what = if unchanged {
        "unchanged".into()
    } else {
        size(bytes as u64)
    };
    session.tell(format!(
        "{label} → {} ({what}{})",
        target.shown(),
        session.would()
    ));
}

/// Puts a picture or a sound into every package or bank, and prints the result.
pub fn put_family(session: &Session, what: &PutFamily, originals: &Originals) -> Result<()> {
    let shown = what.file.shown();
    let done = what.run(&originals.options(session)?, session)?;
    let done = done.ok_or_else(|| Error::say("nothing was written").in_file(&shown))?;
    print_members(session, &done.members);
    for (path, news) in &done.news {
        print_news(session, news, &path.shown());
    }
    let changed = done.members.iter().filter(|member| member.changed).count();
    session.tell(format!(
        "{shown} → {} ({} changed{})",
        what.folder.shown(),
        count(changed, "member"),
        session.would()
    ));
    Ok(())
}

/// Prints a line for each member that took a picture or a sound.
fn print_members(session: &Session, members: &[PutMember]) {
    if session.global.json {
        for PutMember {
            path,
            member,
            was,
            now,
            form,
            changed,
            notes,
        } in members
        {
            let [member, was, now, form] =
                [member, was, now, form].map(|text| text.as_str().into());
            let notes = Some(notes.as_slice())
                .filter(|notes| !notes.is_empty())
                .into();
            let row = [
                ("member", member),
                ("was", was),
                ("now", now),
                ("form", form),
                ("changed", (*changed).into()),
            ];
            session.row(path, [&row[..], &[("notes", notes)]].concat());
        }
        return;
    }
    let cells = |PutMember {
                     path,
                     member,
                     was,
                     now,
                     form,
                     changed,
                     ..
                 }: &PutMember| {
        let form = if *changed {
            form.clone()
        } else {
            format!("{form}, unchanged")
        };
        [path.shown(), member.clone(), was.clone(), now.clone(), form]
    };
    columns(
        members,
        &[2],
        cells,
        |row, [path, member, was, now, form]| {
            session.line(format!("{path}  {member}  {was} → {now}  {form}").trim_end());
            row.notes.iter().for_each(|note| {
                session.warn(format!("{}: {}: {note}", row.path.shown(), row.member))
            });
            true
        },
    );
}
