//! `refit world`: the objects of a world.

mod arguments;

use crate::{
    change::{print_stored, print_written},
    line::Line,
    session::Session,
};
use arguments::Action;
use clap::Args;
use refit_base::wire::{Error, Result};
use refit_workbench::world::{self, Along, Change, Row};
use serde_json::json;

/// List, add, copy, move, reparent, rename and remove objects of a world, or add ground
#[derive(Args, Debug)]
pub struct World {
    #[command(subcommand)]
    action: Action,
}

impl World {
    /// Runs the command.
    pub fn run(self, session: &Session) -> Result<()> {
        let mut along = Along::default();
        let (target, change) = match self.action {
            Action::List { file, node } => {
                let rows = world::list(&file, node.as_deref(), &session.options()?, session);
                let rows = rows.map_err(|e| e.about(&file))?;
                rows.iter().for_each(|row| print(session, row));
                return Ok(());
            }
            Action::Add {
                target,
                from,
                under,
                to,
                textures,
            } => {
                along.textures = textures.textures;
                (
                    target,
                    Change::Add {
                        from,
                        under,
                        motion: to.motion(),
                    },
                )
            }
            Action::Ground {
                target,
                from,
                name,
                craters,
                textures,
            } => {
                along.textures = textures.textures;
                (
                    target,
                    Change::Ground {
                        from,
                        name,
                        craters,
                    },
                )
            }
            Action::Copy {
                target,
                node,
                from,
                from_textures,
                animations,
                from_animations,
                under,
                name,
                to,
                textures,
            } => {
                let textures = textures.textures;
                along = Along {
                    textures,
                    from_textures,
                    animations,
                    from_animations,
                };
                (
                    target,
                    Change::Copy {
                        node,
                        from,
                        under,
                        name,
                        motion: to.motion(),
                    },
                )
            }
            Action::Move { target, node, to } => {
                if to.motion().is_none() {
                    return Err(Error::say("it would stay where it is")
                        .hint("--at, --by, --turn or --scale says how"));
                }
                (
                    target,
                    Change::Move {
                        node,
                        motion: to.motion(),
                    },
                )
            }
            Action::Reparent {
                target,
                node,
                parent,
                local,
            } => (
                target,
                Change::Reparent {
                    node,
                    under: parent,
                    local,
                },
            ),
            Action::Rename { target, node, name } => (target, Change::Rename { node, name }),
            Action::Remove { target, node } => (target, Change::Remove { node }),
        };
        let options = target.originals.options(session)?;
        let done = world::change(
            &target.file,
            target.output.as_deref(),
            &change,
            &along,
            &options,
            session,
        )?;
        print_written(session, &done.path, &done.label, done.world);
        done.others
            .into_iter()
            .for_each(|stored| print_stored(session, stored));
        Ok(())
    }
}

fn print(session: &Session, row: &Row) {
    if session.global.json {
        session.json(&json!({
            "slot": row.slot, "name": row.name, "class": row.class, "depth": row.depth, "at": row.at,
            "model": row.model,
        }));
        return;
    }
    let at = row
        .at
        .map_or(String::new(), |[x, y, z]| format!(" at {x},{y},{z}"));
    let model = row
        .model
        .map_or(String::new(), |model| format!(" model {model}"));
    let (indent, slot) = ("  ".repeat(row.depth.min(40)), row.slot);
    session.line(Line::new().text(format!(
        "{indent}#{slot} {} ({}{model}{at})",
        row.name, row.class
    )));
}
