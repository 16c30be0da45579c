//! `refit new`: files that need no input.

use crate::session::Session;
use clap::{Args, Subcommand};
use refit_base::{
    contract::Model as _,
    game::Game,
    path::Shown,
    tree::{Style, disk::Replace},
    wire::{Error, Result, count, size},
};
use refit_workbench::mission::{self, NewMission};
use refit_zipper::{
    gamez::{
        Gamez,
        fresh::{Area, cell_side},
    },
    reader::known::{self, KnownReader},
};
use std::path::{Path, PathBuf};

/// Create an empty world, a mission or a reader
#[derive(Args, Debug)]
pub struct New {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// An empty world: its cells, window, camera, display and light
    Gamez {
        /// Its edges (lowest x and z, highest x and z), extended to whole cells
        #[arg(long, value_name = "X0,Z0,X1,Z1", value_parser = area, allow_hyphen_values = true)]
        extents: Area,
        /// The side of a cell; known worlds have 256, in Crimson Skies 1024
        #[arg(long, value_name = "UNITS")]
        cell: Option<i32>,
        /// The file
        #[arg(short, long, value_name = "FILE", default_value = "gamez.zbd")]
        output: PathBuf,
    },
    /// A minimal reader that the game looks up by name; RON output has a comment for each value
    Reader {
        /// Which reader; without it, refit lists them
        name: Option<String>,
        /// The file: .ron or .json to edit, .zrd for the game
        #[arg(short, long, value_name = "FILE", requires = "name")]
        output: Option<PathBuf>,
    },
    /// A mission, as a project that copies an existing one
    Mission {
        /// Its name: m14 in Recoil, WORLD/MISSION in the other games
        name: String,
        /// The game's folder
        #[arg(value_name = "GAME")]
        folder: PathBuf,
        /// The mission to copy
        #[arg(long, value_name = "MISSION")]
        like: String,
        /// Use an empty world of the same size, without animations
        #[arg(long)]
        empty_world: bool,
        /// The folder for the new project
        #[arg(short, long, value_name = "PROJECT")]
        output: PathBuf,
    },
}

fn area(text: &str) -> Result<Area, String> {
    let numbers: Vec<i32> = text
        .split(',')
        .filter_map(|number| number.trim().parse().ok())
        .collect();
    match numbers.as_slice() {
        [x0, z0, x1, z1]
            if text.split(',').count() == 4
                && [x0, z0, x1, z1].iter().all(|n| n.abs() <= 1 << 24) =>
        {
            Ok(Area {
                left: *x0.min(x1),
                top: *z0.min(z1),
                right: *x0.max(x1),
                bottom: *z0.max(z1),
            })
        }
        _ => Err("an area is four whole numbers: 0,0,4096,4096".to_owned()),
    }
}

impl New {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        match self.what {
            What::Gamez {
                extents,
                cell,
                output,
            } => world(session, extents, cell, &output),
            What::Reader { name, output } => reader(session, name.as_deref(), output.as_deref()),
            What::Mission {
                name,
                folder,
                like,
                empty_world,
                output,
            } => mission(
                session,
                &folder,
                &output,
                &NewMission {
                    name,
                    like,
                    empty_world,
                },
            ),
        }
    }
}

fn world(session: &Session, extents: Area, cell: Option<i32>, output: &Path) -> Result<()> {
    let game = session.global.game;
    let game: Game =
        game.ok_or_else(|| Error::say("for which game?").hint("--game rc, mw, pm or cs"))?;
    if let Some(cell) = cell.filter(|cell| *cell != cell_side(game)) {
        let known = cell_side(game);
        return Err(Error::say(format!(
            "cells of {cell} units: all known worlds of {game} have {known}"
        )));
    }
    let world = Gamez::empty(game, extents)?;
    let bytes = world.write()?;
    session.write_file(output, &bytes, Replace::new(session.global.force))?;
    let Area {
        left,
        top,
        right,
        bottom,
    } = extents.of_whole_cells(game);
    let would = session.would();
    session.tell(format!(
        "{} ({} gamez, {}, x {left} to {right}, z {top} to {bottom}{would})",
        output.shown(),
        game.code(),
        size(bytes.len() as u64)
    ));
    Ok(())
}

fn reader(session: &Session, name: Option<&str>, output: Option<&Path>) -> Result<()> {
    let game = session.global.game.unwrap_or(Game::Rc);
    let Some(name) = name else {
        for known in known::of_game(game) {
            session.line(format!("{:<12}{}", known.name, known.about));
        }
        return Ok(());
    };
    let known = KnownReader::named(name, game)?;
    let Some(output) = output else {
        session.text(known.text().trim_end());
        return Ok(());
    };
    let bytes = known.bytes(Style::of(&output.to_string_lossy()))?;
    session.write_file(output, &bytes, Replace::new(session.global.force))?;
    session.tell(format!(
        "{} ({} reader {}{})",
        output.shown(),
        game.code(),
        known.name,
        session.would()
    ));
    Ok(())
}

fn mission(session: &Session, game: &Path, output: &Path, new: &NewMission) -> Result<()> {
    let made = mission::make(game, output, new, &session.options()?, session)?;
    for file in &made.files {
        session.tell(format!("{} (new)", output.join(file).shown()));
    }
    for (file, what) in &made.shared {
        session.tell(format!("{}: {what}", output.join(file).shown()));
    }
    made.notes.iter().for_each(|note| session.warn(note));
    let would = session.would();
    let files = count(made.files.len(), "new file");
    session.tell(format!(
        "{}: a project of mission {}, {files}{would}",
        output.shown(),
        new.name
    ));
    Ok(())
}
