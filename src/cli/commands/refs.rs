//! `refit refs`: who defines a name, and who uses it.

use crate::cli::{
    line::{Line, Paint},
    session::Session,
};
use crate::order::Order;
use clap::Args;
use refit::{
    index::{Index, Place},
    naming::{Does, NameKind},
    wire::{Error, Result, did_you_mean, nearest},
    workbench::names,
};
use serde_json::json;
use std::{collections::BTreeSet, path::PathBuf};

/// Find where a name is defined and used in a whole game
#[derive(Args, Debug)]
pub struct Refs {
    /// The name
    name: String,
    /// A game's folder, a project, files or trees [default: this folder]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only this kind of thing
    #[arg(long, value_name = "KIND")]
    kind: Option<NameKind>,
}

fn whereabouts(index: &Index, place: Place) -> String {
    index.name(place).map_or_else(String::new, |(file, name)| names::place(file, &name.document, &name.at))
}

impl Refs {
    pub fn run(self, session: &Session) -> Result<()> {
        let mut files = Vec::new();
        // Keeps only files with this name: the whole game need not be in memory.
        let wanted = |kind, name: &str| refit::naming::key(kind, name) == refit::naming::key(kind, &self.name);
        // Names like it, as long as nothing has the name itself.
        let mut near: BTreeSet<String> = BTreeSet::new();
        names::search(&self.paths, false, &session.options()?, session, |mut file| {
            if files.is_empty() {
                let names = file.content.names.iter().filter(|name| self.kind.is_none_or(|kind| kind == name.kind));
                near.extend(nearest(&self.name, names.map(|name| name.name.as_str())).into_iter().map(str::to_owned));
            }
            file.content
                .names
                .retain(|name| self.kind.is_none_or(|kind| kind == name.kind) && wanted(name.kind, &name.name));
            if !file.content.names.is_empty() {
                file.content.forget_values();
                files.push(file);
            }
        })?;
        let index = Index::new(files);
        let mut places = index.places(&self.name);
        // Definitions come before uses.
        places.order_by_key(|place| index.name(*place).map(|(_, name)| (name.kind, name.does)));
        if places.is_empty() {
            let kind = self.kind.map_or_else(String::new, |kind| format!(" of a {}", kind.name()));
            let find = "`refit find` also searches for parts of names, texts and values";
            let near = did_you_mean(&self.name, near.iter().map(String::as_str));
            let hint = near.map_or_else(|| find.to_owned(), |near| format!("{near} {find}"));
            return Err(Error::say(format!("no file uses the name {:?}{kind}", self.name)).hint(hint));
        }
        let mut kinds: Vec<NameKind> =
            places.iter().filter_map(|place| index.name(*place)).map(|(_, name)| name.kind).collect();
        kinds.dedup();
        let hides: Vec<(Place, Place, &str)> = kinds.iter().flat_map(|kind| index.hides(*kind, &self.name)).collect();
        for place in places {
            let Some((file, name)) = index.name(place) else { continue };
            let does = if name.does == Does::Defines { "defines" } else { "uses" };
            let won = hides.iter().find(|(winner, ..)| *winner == place);
            let lost = hides.iter().find(|(_, loser, _)| *loser == place);
            if session.global.json {
                let row = |does: &str, hides: Option<Place>| {
                    let row = [
                        ("file", file.relative.as_str().into()),
                        ("document", name.document.as_str().into()),
                        ("at", name.at.as_str().into()),
                        ("kind", json!(name.kind)),
                        ("does", does.into()),
                        ("name", name.name.as_str().into()),
                        ("format", file.format.name().into()),
                        ("game", file.game.map(refit::game::Game::code).into()),
                        ("taken", won.map(|_| true).into()),
                        ("rule", won.or(lost).map(|(.., rule)| *rule).into()),
                        ("hides", hides.map(|loser| whereabouts(&index, loser)).into()),
                        ("hidden_by", lost.map(|(winner, ..)| whereabouts(&index, *winner)).into()),
                    ];
                    session.row(&file.path, &row);
                };
                row(does, None);
                for (_, loser, _) in hides.iter().filter(|(winner, ..)| *winner == place) {
                    row("hides", Some(*loser));
                }
                continue;
            }
            let paint = if name.does == Does::Defines { Paint::Green } else { Paint::Yellow };
            let mut line = Line::new().text(format!("{}: ", whereabouts(&index, place))).paint(paint, does);
            line = line.text(format!(" {} {}", name.kind.name(), name.name));
            if let Some((_, loser, rule)) = won {
                line = line.text(format!(" (taken, hides {}: {rule})", whereabouts(&index, *loser)));
            } else if let Some((winner, _, rule)) = lost {
                line = line.text(format!(" (hidden by {}: {rule})", whereabouts(&index, *winner)));
            }
            session.line(line);
        }
        Ok(())
    }
}
