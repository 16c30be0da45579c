//! Where a name is defined and used.

use super::{names, options::Options, progress::Progress, report::Row};
use refit_base::{
    game::Game,
    naming::{Does, NameKind, key},
    wire::{Error, Result, did_you_mean, nearest},
};
use refit_index::{File, Index, Name, Place};
use serde_json::json;
use std::{collections::BTreeSet, path::PathBuf};

/// A place that defines or uses a name.
pub struct Reference {
    /// The file or tree.
    pub file: File,
    /// The name.
    pub name: Name,
    /// The place for display: file, document and path.
    pub place: String,
    /// The definitions that the game ignores because it takes this one.
    pub hides: Vec<String>,
    /// The definition that the game takes instead of this one.
    pub hidden_by: Option<String>,
    /// The rule by which it takes one of them.
    pub rule: Option<&'static str>,
}

impl Reference {
    /// `defines` or `uses`.
    pub fn does(&self) -> &'static str {
        if self.name.does == Does::Defines {
            "defines"
        } else {
            "uses"
        }
    }

    /// A row for the place, then one for each definition that it hides.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let row = |does: &str, hides: Option<&str>| {
            let row = [
                ("file", self.file.relative.as_str().into()),
                ("document", self.name.document.as_str().into()),
                ("at", self.name.at.as_str().into()),
                ("kind", json!(self.name.kind)),
                ("does", does.into()),
                ("name", self.name.name.as_str().into()),
                ("format", self.file.format.name().into()),
                ("game", self.file.game.map(Game::code).into()),
                ("taken", (!self.hides.is_empty()).then_some(true).into()),
                ("rule", self.rule.into()),
                ("hides", hides.into()),
                ("hidden_by", self.hidden_by.as_deref().into()),
            ];
            Row(&self.file.path, row.into())
        };
        let hides = self
            .hides
            .iter()
            .map(move |hidden| row("hides", Some(hidden)));
        std::iter::once(row(self.does(), None)).chain(hides)
    }
}

/// Finds the places that define or use a name in these files, definitions first; those of one kind
/// if it is given.
///
/// # Errors
/// No file has the name, or none is recognised.
pub fn references(
    wanted: &str,
    kind: Option<NameKind>,
    paths: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Reference>> {
    let is_kind = |name: &Name| kind.is_none_or(|kind| kind == name.kind);
    let mut files = Vec::new();
    // Names like it, as long as nothing has the name itself.
    let mut near: BTreeSet<String> = BTreeSet::new();
    names::search(paths, false, options, progress, |mut file| {
        if files.is_empty() {
            let names = file.content.names.iter().filter(|name| is_kind(name));
            near.extend(
                nearest(wanted, names.map(|name| name.name.as_str()))
                    .into_iter()
                    .map(str::to_owned),
            );
        }
        // Keeps only files with this name: the whole game need not be in memory.
        file.content
            .names
            .retain(|name| is_kind(name) && key(name.kind, &name.name) == key(name.kind, wanted));
        if !file.content.names.is_empty() {
            file.content.forget_values();
            files.push(file);
        }
    })?;
    let index = Index::new(files);
    let mut places = index.places(wanted);
    places.sort_by_cached_key(|place| index.name(*place).map(|(_, name)| (name.kind, name.does)));
    if places.is_empty() {
        let kind = kind.map_or_else(String::new, |kind| format!(" of a {}", kind.name()));
        let find = "`refit find` also searches for parts of names, texts and values";
        let near = did_you_mean(wanted, near.iter().map(String::as_str));
        let hint = near.map_or_else(|| find.to_owned(), |near| format!("{near} {find}"));
        return Err(Error::say(format!("no file uses the name {wanted:?}{kind}")).hint(hint));
    }
    let mut kinds: Vec<NameKind> = places
        .iter()
        .filter_map(|place| index.name(*place))
        .map(|(_, name)| name.kind)
        .collect();
    kinds.dedup();
    let hides: Vec<(Place, Place, &str)> = kinds
        .iter()
        .flat_map(|kind| index.hides(*kind, wanted))
        .collect();
    let shown = |place: Place| {
        index
            .name(place)
            .map(|(file, name)| names::place(file, &name.document, &name.at))
    };
    let found = places.into_iter().filter_map(|place| {
        let (file, name) = index.name(place)?;
        let won = hides.iter().filter(|(winner, ..)| *winner == place);
        let lost = hides.iter().find(|(_, loser, _)| *loser == place);
        Some(Reference {
            file: file.clone(),
            name: name.clone(),
            place: shown(place)?,
            hides: won
                .clone()
                .filter_map(|(_, loser, _)| shown(*loser))
                .collect(),
            hidden_by: lost.and_then(|(winner, ..)| shown(*winner)),
            rule: won.clone().next().or(lost).map(|(.., rule)| *rule),
        })
    });
    Ok(found.collect())
}
