//! `refit build`: a mod from the sources of its addons.

use super::check;
use crate::session::{Originals, Session};
use clap::Args;
use refit_base::{
    path::Shown,
    wire::{Result, count, size},
};
use refit_workbench::{
    Options,
    addon_build::{Build as Work, BuiltAddon, BuiltMod},
    configs::Search,
};
use std::{path::PathBuf, time::Duration};

/// How often `--watch` looks for saved files.
const LOOK: Duration = Duration::from_millis(400);

/// Build a mod from the sources of its addons
#[derive(Args, Debug)]
pub struct Build {
    /// The folder of an addon, or of a project
    #[arg(value_name = "ADDON|PROJECT")]
    source: PathBuf,
    /// The folder of the mod [default: @NAME, in the project or next to the addon]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// The private key that signs the archives
    #[arg(long, value_name = "NAME.biprivatekey")]
    key: Option<PathBuf>,
    /// Version of the signatures: 2 for Arma 2, 3 for Arma 3 and DayZ [default: that of the project,
    /// or 3]
    #[arg(long = "signature-version", value_name = "2|3", value_parser = clap::value_parser!(u32).range(2..=3))]
    version: Option<u32>,
    /// A folder that has files which configs include: laid out as the drive P:, another project, or
    /// headers; repeatable
    #[arg(short = 'I', value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// The path in the game of an addon that has no $PBOPREFIX$ and no project
    #[arg(long)]
    prefix: Option<String>,
    /// Then report what a server with the .bikey files of this folder refuses
    #[arg(long, value_name = "KEYS")]
    check: Option<PathBuf>,
    /// Build again on every save
    #[arg(long)]
    watch: bool,
    /// Build everything again, also what did not change
    #[arg(long)]
    rebuild: bool,
    #[command(flatten)]
    originals: Originals,
}

impl Build {
    /// Runs the command. With `--watch` it ends with Ctrl-C, or when its output is closed.
    pub fn run(self, session: &Session) -> Result<()> {
        let options = self.originals.options(session)?;
        let mut work = Work {
            source: self.source,
            output: self.output,
            key: self.key,
            signature: self.version,
            search: Search {
                folders: self.folders,
                prefix: self.prefix,
                within: None,
            },
            exclude: session.global.exclude.clone(),
            rebuild: self.rebuild,
        };
        let check = self.check.as_deref();
        if !self.watch {
            let built = once(&work, &options, session)?;
            return match check {
                Some(keys) if !session.global.dry_run => {
                    check::folder(keys, &built.folder, session)
                }
                _ => Ok(()),
            };
        }
        let mut last = None;
        while !session.closed() {
            let now = work.pulse();
            if last != Some(now) {
                match once(&work, &options, session) {
                    Ok(built) => {
                        if let Some(keys) = check {
                            check::folder(keys, &built.folder, session)?;
                        }
                    }
                    Err(e) => session.error_for_now(e.to_string()),
                }
                if last.is_none() {
                    session.tell(format!("watching {} (Ctrl-C to stop)", work.source.shown()));
                }
                (last, work.rebuild) = (Some(now), false);
                session.flush();
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}

fn once(work: &Work, options: &Options, session: &Session) -> Result<BuiltMod> {
    let built = work.run(options, session, &mut |addon| print(addon, session))?;
    for file in &built.written {
        session.tell(format!("{}{}", file.shown(), session.would()));
    }
    let written = built.addons.iter().filter(|addon| addon.written).count();
    let signed = built
        .addons
        .iter()
        .filter(|addon| addon.signature.is_some())
        .count();
    let all = built.addons.len() + built.failed;
    let mut text = format!(
        "{}: {}, {written} built, {} up to date",
        built.folder.shown(),
        count(all, "addon"),
        built.addons.len() - written
    );
    if built.failed > 0 {
        text.push_str(&format!(", {} with errors", built.failed));
    }
    match (signed, &work.key) {
        (0, None) => text.push_str("; not signed (--key signs)"),
        (n, _) if n > 0 => text.push_str(&format!("; {n} signed")),
        _ => {}
    }
    session.tell(text);
    Ok(built)
}

fn print(addon: &BuiltAddon, session: &Session) {
    if session.global.json {
        session.row(
            &addon.archive,
            [
                (
                    "status",
                    if addon.written { "built" } else { "up to date" }.into(),
                ),
                ("bytes", addon.bytes.into()),
                ("files", addon.files.into()),
                ("converted", addon.converted.into()),
                (
                    "signature",
                    addon.signature.as_ref().map(|file| file.shown()).into(),
                ),
            ],
        );
        return;
    }
    if !addon.written {
        return session.detail(format!("{}: up to date", addon.archive.shown()));
    }
    let converted = match addon.converted {
        0 => String::new(),
        n => format!(", {n} converted"),
    };
    session.tell(format!(
        "{} ({}{converted}, {}){}",
        addon.archive.shown(),
        count(addon.files, "file"),
        size(addon.bytes),
        session.would()
    ));
}
