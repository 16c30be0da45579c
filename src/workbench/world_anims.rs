//! Copies the entries of an animation file that move the nodes of a copied object into another
//! file.
//!
//! The games bind entries to nodes by their names, so an entry is copied if all its nodes are.
//! Crimson Skies stores the numbers of nodes, too, which only a compilation with the new world can
//! determine.

use super::{
    inside, open,
    options::Options,
    progress::Progress,
    put::{Done, Planned},
};
use refit_base::{
    format::Format,
    game::Game,
    naming::{self, NameKind},
    path::Shown,
    tree::{Document, Style},
    wire::{Derived, Error, Result, TextOrRecord as _},
};
use refit_diff::Value;
use refit_files::file::File;
use refit_zipper::{
    anim::{Anim, Definition, NAMES, PoolName, Script},
    gamez::tree::some,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// A copied node of another world.
pub(super) struct Copied {
    /// The game of the worlds.
    pub(super) game: Game,
    /// The other world.
    pub(super) other: PathBuf,
    /// The node, as given by the user.
    pub(super) node: String,
    /// The names of the copied nodes in the other world.
    pub(super) names: Vec<String>,
    /// The name of the node there, and its name here.
    pub(super) renamed: Option<(String, String)>,
    /// The new textures.
    pub(super) textures: Vec<String>,
    /// The textures whose names the world had already.
    pub(super) shared: Vec<String>,
}

/// Copies the entries of a copied object into an animation file, in memory.
pub(super) fn plan(
    (world, into): (&Path, Option<&Path>),
    from: Option<&Path>,
    copied: &Copied,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Planned> {
    if copied.game == Game::Cs {
        return Err(Error::say("entries of Crimson Skies hold the numbers of nodes, and are not copied")
            .hint("`refit anim decompile` and `refit anim compile --world` bind them to the nodes of another world"));
    }
    let of_world = |world: &Path, option| match inside::of_world(world, Format::Anim, options)?
        .into_iter()
        .next()
    {
        Some(found) => Ok(found),
        None => Err(inside::none_of_world(world, Format::Anim, option)),
    };
    let named = |path| inside::only(path, Format::Anim, options, progress);
    let from = from.map_or_else(|| of_world(&copied.other, "--from-animations FILE"), named)?;
    let into = into.map_or_else(|| of_world(world, "--animations FILE"), named)?;
    let File::Anim(source) = open::open(&from, options.hints)
        .map_err(|e| e.about(&from))?
        .model
    else {
        return Err(Error::say("--from-animations takes an animation file").in_file(from.shown()));
    };
    let entries = Entries::of(&source, copied)?;
    let alter = |file: &mut File| {
        let File::Anim(anim) = file else {
            return Err(Error::say("--animations takes an animation file"));
        };
        let (brought, notes) = entries.bring(anim)?;
        let label = if brought.is_empty() {
            format!("no new animation of {} in {}", copied.node, from.shown())
        } else {
            format!("{} of {}", some(&brought, 8), from.shown())
        };
        Ok(Done { label, notes })
    };
    Planned::new(&into, alter, options, progress).map_err(|e| e.about(&into))
}

/// An entry that is bound to a copied node.
struct Entry {
    /// Its `animation_name`.
    name: String,
    /// Its document, with the names of the nodes in the new world.
    document: Value,
    /// The animations that it needs.
    needs: Vec<String>,
    /// The names of the scripts that it uses (PM).
    scripts: Vec<String>,
}

/// The entries of a copied object.
struct Entries {
    game: Game,
    entries: Vec<Entry>,
    /// The scripts of the file by their names, with the names of the nodes in the new world (PM).
    scripts: BTreeMap<String, Script>,
    /// The reasons why entries are not copied.
    notes: Vec<String>,
}

/// The renamed node: its old name in the form for comparisons, and the new one.
type Renamed = Option<(String, String)>;

fn animation(name: &str) -> String {
    naming::key(NameKind::Animation, name)
}

fn node(name: &str) -> String {
    naming::key(NameKind::Node, name)
}

/// The kind of thing that a text of an entry refers to, if any. Prerequisites refer to animations
/// and nodes.
fn kind(shape: &str) -> Option<NameKind> {
    match NAMES
        .iter()
        .find(|rule| rule.fits("anim-definition", shape))?
        .kind
    {
        NameKind::Prerequisite if shape.starts_with("prerequisites[].animation") => {
            Some(NameKind::Animation)
        }
        NameKind::Prerequisite => Some(NameKind::Node),
        kind => Some(kind),
    }
}

/// Renames a node wherever a document refers to it.
fn rename(value: &mut Value, shape: &str, renamed: &(String, String)) {
    let (from, to) = renamed;
    match value {
        Value::Text(text) => {
            let is_of_another = kind(shape).is_some_and(|kind| kind != NameKind::Node);
            if node(text) == *from && !is_of_another {
                let end = if text.to_ascii_lowercase().ends_with(".flt") {
                    ".flt"
                } else {
                    ""
                };
                *text = format!("{to}{end}").into();
            }
        }
        Value::List(list) => list
            .iter_mut()
            .for_each(|item| rename(item, &format!("{shape}[]"), renamed)),
        // A name with stale bytes after it loses them.
        Value::Record(fields) if fields.iter().any(|(key, _)| key == "tail") => {
            let text = fields
                .iter_mut()
                .find(|(key, _)| key == "text")
                .map(|(_, text)| text);
            if let Some(mut name) = text
                .filter(|text| text.text().is_some_and(|text| node(text) == *from))
                .cloned()
            {
                rename(&mut name, shape, renamed);
                *value = name;
            }
        }
        Value::Record(fields) => {
            for (key, value) in fields {
                let below = if shape.is_empty() {
                    key.to_string()
                } else {
                    format!("{shape}.{key}")
                };
                rename(value, &below, renamed);
            }
        }
        _ => {}
    }
}

/// A definition without the stale memory of the program that wrote its file.
fn bare(definition: Definition) -> Definition {
    Definition {
        pointers: Default::default(),
        stale: Default::default(),
        ..definition
    }
}

/// The scripts of a file without stale memory.
fn scripts(anim: &Anim) -> Result<Vec<Script>> {
    anim.scripts()
        .map(|script| {
            Ok(Script {
                pointers: Derived(None),
                ..script?
            })
        })
        .collect()
}

impl Entries {
    fn of(source: &Anim, copied: &Copied) -> Result<Self> {
        let own: BTreeSet<String> = copied.names.iter().map(|name| node(name)).collect();
        let renamed: Renamed = copied
            .renamed
            .as_ref()
            .map(|(from, to)| (node(from), to.clone()));
        let scripts = source
            .script_stems()
            .into_iter()
            .zip(scripts(source)?)
            .collect();
        let mut out = Entries {
            game: source.game,
            entries: Vec::new(),
            scripts,
            notes: Vec::new(),
        };
        for (i, definition) in source.definitions().enumerate() {
            let definition = match definition {
                Ok(definition) => bare(definition),
                Err(e) => {
                    out.notes
                        .push(format!("entry {} is not copied: {e}", i + 1));
                    continue;
                }
            };
            let is_bound = |name: &str| own.contains(&node(name));
            if is_bound(&definition.name.text()) || is_bound(&definition.animation_root_name.text())
            {
                let name = definition.animation_name.text().into_owned();
                match out.entry(&name, &definition.to_text(Style::Json)?, &own, &renamed) {
                    Ok(entry) => out.entries.push(entry),
                    Err(why) => out.notes.push(format!("{name} is not copied: {why}")),
                }
            }
        }
        if let Some((from, to)) = renamed {
            for object in out
                .scripts
                .values_mut()
                .filter_map(|script| script.object.as_mut())
            {
                if node(&object.text()) == from {
                    *object = PoolName::from_text(&to)?;
                }
            }
        }
        Ok(out)
    }

    /// The entry for a document, or the reason why it is not copied.
    fn entry(
        &self,
        name: &str,
        text: &str,
        own: &BTreeSet<String>,
        renamed: &Renamed,
    ) -> std::result::Result<Entry, String> {
        let (mut needs, mut nodes, mut scripts, mut others) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        naming::walk(text, &mut |leaf| {
            let name = leaf.value.to_string();
            match kind(leaf.shape).filter(|_| leaf.is_text) {
                Some(NameKind::Node) => nodes.push(name),
                Some(NameKind::Animation) if leaf.shape != "animation_name" => needs.push(name),
                Some(_) => others.push(name),
                None if leaf.shape.starts_with("sequences[].name") => others.push(name),
                None if leaf.is_text && self.scripts.contains_key(&name) => scripts.push(name),
                None => {}
            }
        });
        let objects = scripts
            .iter()
            .filter_map(|name| Some(self.scripts.get(name)?.object.as_ref()?.text()));
        if let Some(other) = nodes
            .iter()
            .cloned()
            .chain(objects)
            .find(|name| !own.contains(&node(name)))
        {
            return Err(format!("its node {other:?} was not copied"));
        }
        let mut document = Value::parse(text).ok_or("its document has too many levels")?;
        if let Some(renamed) = renamed {
            if let Some(other) = others.iter().find(|name| node(name) == renamed.0) {
                return Err(format!(
                    "{other:?} is its node and another thing in it: give the node no new name"
                ));
            }
            rename(&mut document, "", renamed);
        }
        Ok(Entry {
            name: name.to_owned(),
            document,
            needs,
            scripts,
        })
    }

    /// Copies the entries into a file. Returns their names, and the reasons why others are not
    /// copied.
    fn bring(&self, into: &mut Anim) -> Result<(Vec<String>, Vec<String>)> {
        if self.game.itself() != into.game.itself() {
            return Err(Error::say(format!(
                "the other animations are of {}, these of {}",
                self.game, into.game
            )));
        }
        let mut notes = self.notes.clone();
        let there = into.animation_names();
        let mut chosen: Vec<&Entry> = self.entries.iter().collect();
        // Others may need an entry that is not copied; they are then not copied, either.
        loop {
            let has: BTreeSet<String> = chosen
                .iter()
                .map(|entry| &entry.name)
                .chain(&there)
                .map(|name| animation(name))
                .collect();
            let missing = |entry: &Entry| {
                entry
                    .needs
                    .iter()
                    .find(|name| !has.contains(&animation(name)))
                    .cloned()
            };
            let before = chosen.len();
            chosen.retain(|entry| {
                let missing = missing(entry);
                notes.extend(missing.iter().map(|missing| {
                    format!(
                        "{} is not copied: the file has no animation {missing:?}, which it needs",
                        entry.name
                    )
                }));
                missing.is_none()
            });
            if chosen.len() == before {
                break;
            }
        }
        let mut brought = Vec::new();
        for entry in chosen {
            let same = |name: &&String| animation(name) == animation(&entry.name);
            let is_there = there.iter().any(|name| same(&name));
            let definition = self.definition(entry, into, !is_there)?;
            if !is_there {
                into.add_definition(&definition)
                    .map_err(|e| e.within(entry.name.clone()))?;
                brought.push(entry.name.clone());
                continue;
            }
            let places = there.iter().enumerate().filter(|(_, name)| same(name));
            let mut equal = places
                .filter_map(|(i, _)| into.definition(i).ok())
                .map(bare);
            if !equal.any(|other| other == definition) {
                notes.push(format!(
                    "{} is not copied: the file has another animation of this name",
                    entry.name
                ));
            }
        }
        Ok((brought, notes))
    }

    /// The definition of an entry, with the file's names for its scripts. New ones are added if
    /// `add`.
    fn definition(&self, entry: &Entry, into: &mut Anim, add: bool) -> Result<Definition> {
        let mut document = entry.document.clone();
        for name in &entry.scripts {
            let Some(script) = self.scripts.get(name) else {
                continue;
            };
            let known = scripts(into)?.iter().position(|own| own == script);
            let here = match known {
                Some(at) => into.script_stems().into_iter().nth(at).unwrap_or_default(),
                None if add => into.add_script(script)?,
                None => continue,
            };
            replace(&mut document, name, &here);
        }
        Definition::from_text(&document.compact(), Style::Json)
            .map_err(|e| e.within(entry.name.clone()))
    }
}

/// Replaces every occurrence of a text.
fn replace(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::Text(text) if **text == *from => *text = to.into(),
        Value::List(list) => list.iter_mut().for_each(|item| replace(item, from, to)),
        Value::Record(fields) => fields
            .iter_mut()
            .for_each(|(_, value)| replace(value, from, to)),
        _ => {}
    }
}
