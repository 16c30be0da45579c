//! The source of one entry, for a person who edits it beside the animation that plays.

use super::{
    base::Base,
    compile::{self, Options},
    decompile::{Spelling, Written, gravities, inline_scripts, script_file, spelled, written},
    files::{Root, Sources},
    script,
    source::{Doc, Item, List},
    world::World,
};
use bytes::Bytes;
use refit_base::{
    lint::Finding,
    tree::Folder,
    wire::{Error, Result, decode_1252, encode_1252},
};
use refit_zipper::anim::sequences::Body;
use std::sync::atomic::AtomicI64;

/// The source of one entry of a file.
pub struct EntrySource {
    /// A text `.zrd`, as [`super::decompile`] writes the file of a definition that is alone in it.
    pub text: String,
    /// The line of each event, from 1, with the path of the event in the entry's document:
    /// `sequences[0].events[2]`.
    pub events: Vec<(String, usize)>,
}

/// An entry that was compiled from its source.
pub struct CompiledEntry {
    /// The entry in the file.
    pub bytes: Bytes,
    /// What the compiler found. Paths begin with the line: `:12:5`.
    pub findings: Vec<Finding>,
    /// The node that it is bound to, if the world does not have it (or, of several names, neither
    /// the world nor the file): then the bytes are the old ones.
    pub left_out: Option<String>,
}

/// The entry `at` of a file as a source.
///
/// # Errors
/// If keys cannot express the entry, or if a text cannot express their values.
pub fn entry_source(base: &Base, at: usize) -> Result<EntrySource> {
    let Written { doc, .. } = keys(base, at)?;
    let mut out = Doc::default();
    out.key("ANIMATION_DEFINITIONS");
    out.key("ANIMATION_LIST");
    out.key("ANIMATION_DEFINITION");
    out.copy(doc.root());
    out.close();
    let (_, bytes) = spelled("entry", out, Spelling::Zrd).map_err(|e| Error::say(e.to_string()))?;
    let events = events(&Doc::read(&bytes, &file_name(base, at))?);
    Ok(EntrySource {
        text: decode_1252(&bytes).into_owned(),
        events,
    })
}

/// Compiles a source over the entry `at` of a file, whose hidden values it keeps, as
/// [`super::compile`] does with the sources of the whole file.
///
/// # Errors
/// Those of the compiler, with line and column. If the entry has no source, or if the source makes
/// several entries, or has the name of another one.
pub fn compile_entry(
    base: &Base,
    at: usize,
    text: &str,
    world: Option<World>,
) -> Result<CompiledEntry> {
    let folder = Folder::new();
    for file in keys(base, at)?.scripts {
        let (path, bytes) = script_file(file)?;
        folder.set(&path, bytes);
    }
    let name = file_name(base, at);
    let bytes = encoded(text).map_err(|e| e.in_file(&*name))?;
    // Errors of the text first: the file that names it is no concern of the author.
    Doc::read(&bytes, &name).map_err(|e| e.in_file(&*name))?;
    folder.set(&name, bytes);
    // Only a file that names this one may set the gravity.
    let root = format!(
        "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION_FILE ( \"{name}\" ) ) )"
    );
    folder.set("anim.zrd", root.into_bytes());
    let roots = vec![Root::of_paths("/", &folder)];
    let sources = Sources::read(roots, &[(0, "anim.zrd".to_owned())], &|_| false)?;
    let options = Options {
        world,
        ..Options::default()
    };
    let compile::OneEntry {
        bytes,
        mut findings,
        left_out,
    } = compile::compile_entry(&sources, base, at, &options)?;
    for finding in &mut findings {
        if let Some(place) = finding.path.strip_prefix(&*name) {
            finding.path = place.to_owned();
        }
    }
    Ok(CompiledEntry {
        bytes,
        findings,
        left_out,
    })
}

/// An entry in keys; an error if they cannot express it.
fn keys(base: &Base, at: usize) -> Result<Written> {
    if at >= base.called.len() {
        return Err(Error::say("there is no such definition"));
    }
    // Scripts in events are numbered from 1 in the order of the file.
    let before = (0..at).filter_map(|at| base.definition(at));
    let first = 1 + before
        .map(|d| inline_scripts(&d, base.anim.game))
        .sum::<usize>();
    let budget = AtomicI64::new(script::MOST_TRIALS);
    let d = base.definition(at);
    let written = written(base, at, d.as_ref(), gravities(base).1, first, &budget);
    match written.raw {
        true => Err(Error::say(
            "keys of a source cannot express this definition",
        )),
        false => Ok(written),
    }
}

/// The name of an entry's source, as errors show it: that of its node.
fn file_name(base: &Base, at: usize) -> String {
    let name = base.called.get(at).map_or(&[][..], |called| &called.name);
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    // `anim.zrd` is the root.
    let is_free = !name.eq_ignore_ascii_case(b"anim");
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_empty() && name.iter().all(is_plain) && is_free => {
            format!("{text}.zrd")
        }
        _ => "definition.zrd".to_owned(),
    }
}

/// A text in the code page of the games.
fn encoded(text: &str) -> Result<Vec<u8>> {
    encode_1252(text).map_err(|e| {
        let lines = (1usize..).zip(text.lines());
        let mut places = lines.flat_map(|(line, text)| {
            let columns = (1usize..).zip(text.chars());
            columns.map(move |(column, c)| (line, column, c))
        });
        let foreign = places
            .find(|(.., c)| !c.is_ascii() && encode_1252(c.encode_utf8(&mut [0; 4])).is_err());
        match foreign {
            Some((line, column, _)) => e.placed(line, column),
            None => e,
        }
    })
}

/// The lines of the events in a source with one definition.
fn events(doc: &Doc) -> Vec<(String, usize)> {
    let mut out = Vec::new();
    let mut sequences = 0usize;
    let definition = definition(doc.root());
    for (key, list) in definition.into_iter().flat_map(List::keys) {
        let Some(list) = list else { continue };
        let place = match key {
            b"RESET_STATE" => "reset_state".to_owned(),
            b"DAMAGE_SEQUENCE" => "damage_sequence.events".to_owned(),
            b"SEQUENCE_DEFINITION" => {
                sequences = sequences.saturating_add(1);
                format!("sequences[{}].events", sequences.saturating_sub(1))
            }
            _ => continue,
        };
        let lines = list.keys().filter(|(key, list)| is_event(key, *list));
        for (at, (_, list)) in lines.enumerate() {
            if let Some((line, _)) = list.and_then(List::in_text) {
                out.push((format!("{place}[{at}]"), line));
            }
        }
    }
    out
}

/// The keys of the first definition of a source.
fn definition(root: List<'_>) -> Option<List<'_>> {
    let mut list = root;
    for key in [
        "ANIMATION_DEFINITIONS",
        "ANIMATION_LIST",
        "ANIMATION_DEFINITION",
    ] {
        list = list.unwrapped().find(key.as_bytes()).flatten()?;
    }
    Some(list.unwrapped())
}

/// True for an event in the list of a sequence: one with a key, or one in bytes.
fn is_event(key: &[u8], list: Option<List<'_>>) -> bool {
    let is_raw = |list: List<'_>| {
        let first = list.items().next();
        matches!(first, Some(Item::Text(b"event")))
    };
    match key {
        b"REFIT" => list.is_some_and(is_raw),
        _ => Body::of_key(key).is_some(),
    }
}
