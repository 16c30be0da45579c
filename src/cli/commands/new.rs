//! `refit new`: files that are made of nothing.

use crate::cli::{report::size, session::Session};
use clap::{Args, Subcommand};
use refit::{
    formats::{
        Model as _,
        gamez::{
            Gamez,
            fresh::{Area, cell_side},
        },
    },
    game::Game,
    path::Shown,
    tree::disk::{self, Replace},
    wire::{Error, Result},
    workbench::Progress,
};
use std::path::PathBuf;

/// Make a new file of nothing: an empty world
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  refit new gamez --game rc --extents 0,0,4096,4096 -o zbd/m14/gamez.zbd

For files of a folder: refit repack DIR --format F --game G.")]
pub struct New {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// An empty world: its cells, window, camera, display and light
    Gamez {
        /// Its edges: lowest x and z, highest x and z, moved outwards to whole cells
        #[arg(long, value_name = "X0,Z0,X1,Z1", value_parser = area, allow_hyphen_values = true)]
        extents: Area,
        /// The side of a cell; known worlds have 256, Crimson Skies 1024
        #[arg(long, value_name = "UNITS")]
        cell: Option<i32>,
        /// The file
        #[arg(short, long, value_name = "FILE", default_value = "gamez.zbd")]
        output: PathBuf,
    },
}

fn area(text: &str) -> Result<Area, String> {
    let numbers: Vec<i32> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers.as_slice() {
        [x0, z0, x1, z1] if text.split(',').count() == 4 && [x0, z0, x1, z1].iter().all(|n| n.abs() <= 1 << 24) => {
            Ok(Area { left: *x0.min(x1), top: *z0.min(z1), right: *x0.max(x1), bottom: *z0.max(z1) })
        }
        _ => Err("an area is four whole numbers: 0,0,4096,4096".to_owned()),
    }
}

impl New {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        let What::Gamez { extents, cell, output } = self.what;
        let game = session.global.game;
        let game: Game = game.ok_or_else(|| Error::say("for which game?").hint("--game rc, mw, pm or cs"))?;
        if let Some(cell) = cell.filter(|cell| *cell != cell_side(game)) {
            let known = cell_side(game);
            return Err(Error::say(format!("cells of {cell} units: all known worlds of {game} have {known}")));
        }
        let world = Gamez::empty(game, extents)?;
        let bytes = world.write()?;
        let may = Replace::new(session.global.force);
        if session.global.dry_run {
            disk::check_file(&output, may)?;
        } else {
            let written = disk::write_file(&output, &bytes, may)?;
            session.kept(&output, written.kept.as_ref());
        }
        let Area { left, top, right, bottom } = extents.of_whole_cells(game);
        let would = if session.global.dry_run { ", not written (dry run)" } else { "" };
        session.tell(format!(
            "{} ({} gamez, {}, x {left} to {right}, z {top} to {bottom}{would})",
            output.shown(),
            game.code(),
            size(bytes.len() as u64)
        ));
        Ok(())
    }
}
