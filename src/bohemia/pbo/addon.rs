//! Findings about an addon: what its configs say about its own files and classes.
//!
//! Only names that belong to this archive are judged: those below its prefix, and classes that none
//! of its configs has, although they define others of the same kind.

use super::{
    Pbo,
    codes::{PBO_FUNCTION, PBO_PREFIX, PBO_UNITS},
};
use crate::rap::model::{ArrayItem, Config, ConfigValue, EntryContent};
use refit_base::lint::Lints;
use std::collections::{BTreeMap, HashSet};

/// Endings of files that configs name by their paths in the game.
const NAMED: [&[u8]; 9] = [
    b".paa", b".p3d", b".sqf", b".rvmat", b".wss", b".ogg", b".rtm", b".fsm", b".jpg",
];
/// How many files of an archive must be named with another prefix.
const ENOUGH: usize = 3;
/// Most findings of one kind in an archive.
const MOST: usize = 100;
/// Classes with what an addon lists in `units[]` and `weapons[]`.
const LISTED: [(&[u8], &[u8]); 2] = [(b"units", b"CfgVehicles"), (b"weapons", b"CfgWeapons")];

/// A config of an archive, and the name of its file.
pub(super) struct AddonConfig {
    pub file: String,
    pub config: Config,
}

/// Judges the configs of an archive together.
pub(super) fn judge(pbo: &Pbo, configs: &[AddonConfig], lints: &mut Lints) {
    if configs.is_empty() {
        return;
    }
    let names: HashSet<Vec<u8>> = pbo
        .entries
        .iter()
        .map(|entry| entry.name.looked_up())
        .collect();
    // Each class of the archive, in lower case, whether it is defined or only declared.
    let mut classes: HashSet<Vec<u8>> = HashSet::new();
    for entry in configs
        .iter()
        .flat_map(|one| &one.config.classes)
        .flat_map(|class| &class.entries)
    {
        if matches!(
            entry.content,
            EntryContent::Class(_) | EntryContent::External
        ) {
            classes.insert(entry.name.to_ascii_lowercase());
        }
    }
    for one in configs {
        lints.at(one.file.clone(), |lints| {
            units(&one.config, &classes, lints);
        });
    }
    let Some(prefix) = pbo.property("prefix").map(|prefix| prefix.looked_up()) else {
        return;
    };
    let own = Own {
        prefix: [prefix.trim_ascii(), b"\\"].concat(),
        names,
    };
    for one in configs {
        lints.at(one.file.clone(), |lints| {
            functions(&one.config, &own, lints);
        });
    }
    prefixes(configs, &own, lints);
}

/// The files of the archive.
struct Own {
    /// The prefix with a separator behind it, as names are looked up.
    prefix: Vec<u8>,
    names: HashSet<Vec<u8>>,
}

/// A path in the game as names are looked up.
fn looked_up(path: &[u8]) -> Vec<u8> {
    let mut path: Vec<u8> = path
        .iter()
        .map(|b| match b {
            b'/' => b'\\',
            b => b.to_ascii_lowercase(),
        })
        .collect();
    let start = path.iter().take_while(|b| **b == b'\\').count();
    path.drain(..start);
    path
}

fn shown(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}

fn class_of(config: &Config, class: usize, name: &[u8]) -> Option<usize> {
    match config.find(class, name)? {
        EntryContent::Class(class) => Some(*class),
        _ => None,
    }
}

fn text_of<'c>(config: &'c Config, class: usize, name: &[u8]) -> Option<&'c [u8]> {
    match config.find(class, name)? {
        EntryContent::Value(ConfigValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// `units[]` and `weapons[]` of `CfgPatches` without a class.
fn units(config: &Config, classes: &HashSet<Vec<u8>>, lints: &mut Lints) {
    let Some(patches) = class_of(config, 0, b"CfgPatches") else {
        return;
    };
    for (list, place) in LISTED {
        // An addon may list the classes of others. One that defines none of its own does.
        let defines = class_of(config, 0, place).is_some_and(|class| {
            config
                .entries(class)
                .iter()
                .any(|entry| matches!(entry.content, EntryContent::Class(_)))
        });
        if !defines {
            continue;
        }
        for patch in config.children(patches) {
            let Some(EntryContent::Array(items)) = config.find(patch, list) else {
                continue;
            };
            for item in items.iter().take(MOST) {
                let ArrayItem::Value(ConfigValue::Text(name)) = item else {
                    continue;
                };
                lints.check(
                    name.is_empty() || classes.contains(&name.to_ascii_lowercase()),
                    PBO_UNITS,
                    || {
                        format!(
                            "CfgPatches: {}[]: {} is no class of this addon",
                            String::from_utf8_lossy(list),
                            shown(name)
                        )
                    },
                );
            }
        }
    }
}

/// Functions of `CfgFunctions` whose file the archive should have and has not.
fn functions(config: &Config, own: &Own, lints: &mut Lints) {
    let Some(root) = class_of(config, 0, b"CfgFunctions") else {
        return;
    };
    let mut left = MOST;
    for tag in config.children(root) {
        for category in config.children(tag) {
            let folder = text_of(config, category, b"file");
            for entry in config.entries(category) {
                let EntryContent::Class(function) = entry.content else {
                    continue;
                };
                let inherits = config
                    .classes
                    .get(function)
                    .is_some_and(|class| !class.base.is_empty());
                let end = text_of(config, function, b"ext").unwrap_or(b".sqf");
                let path = match (text_of(config, function, b"file"), folder) {
                    (Some(file), _) => file.to_vec(),
                    (None, Some(folder)) if !inherits => {
                        [folder, b"\\fn_", &entry.name, end].concat()
                    }
                    _ => continue,
                };
                let path = looked_up(&path);
                let Some(name) = path.strip_prefix(&own.prefix[..]) else {
                    continue;
                };
                // The game also takes the compiled script (`.sqfc`).
                let has = own.names.contains(name)
                    || own.names.contains(&[name, b"c"].concat())
                    || !name.contains(&b'.');
                if !has && left > 0 {
                    left -= 1;
                    lints.say(
                        PBO_FUNCTION,
                        format!(
                            "CfgFunctions: {}: the archive has no file {}",
                            shown(&entry.name),
                            shown(name)
                        ),
                    );
                }
            }
        }
    }
}

/// Passes the paths of files that a config names to `see`, as names are looked up.
fn paths(config: &Config, see: &mut dyn FnMut(Vec<u8>)) {
    let mut value = |value: &ConfigValue| {
        if let ConfigValue::Text(text) = value
            && text.len() < 260
            && text.contains(&b'\\')
        {
            let path = looked_up(text);
            if NAMED.iter().any(|end| path.ends_with(end)) {
                see(path);
            }
        }
    };
    for entry in config.classes.iter().flat_map(|class| &class.entries) {
        match &entry.content {
            EntryContent::Value(one) => value(one),
            EntryContent::Array(items) | EntryContent::Changed(_, items) => {
                crate::rap::each_value(items, &mut value);
            }
            _ => {}
        }
    }
}

/// A prefix that none of the named files has, while the archive has them below another one.
fn prefixes(configs: &[AddonConfig], own: &Own, lints: &mut Lints) {
    let mut is_right = false;
    let mut others: BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, ()>> = BTreeMap::new();
    for one in configs {
        paths(&one.config, &mut |path| {
            if let Some(name) = path.strip_prefix(&own.prefix[..]) {
                is_right |= own.names.contains(name);
                return;
            }
            // The longest end with a folder that is a file of the archive.
            let ends = path.iter().enumerate().filter(|(_, b)| **b == b'\\');
            for (at, _) in ends {
                let (before, name) = (path.get(..at), path.get(at + 1..));
                let (Some(before), Some(name)) = (before, name) else {
                    continue;
                };
                if name.contains(&b'\\') && own.names.contains(name) {
                    let files = others.entry(before.to_vec()).or_default();
                    if files.len() < ENOUGH {
                        files.insert(name.to_vec(), ());
                    }
                    return;
                }
            }
        });
    }
    let found = others
        .iter()
        .find(|(_, files)| !is_right && files.len() >= ENOUGH);
    if let Some((prefix, files)) = found {
        let prefix = String::from_utf8_lossy(prefix);
        let first = files.keys().next().map(|name| shown(name));
        lints.say(
            PBO_PREFIX,
            format!(
                "configs name {} below {prefix:?}, but the prefix is {}",
                first.unwrap_or_default(),
                shown(own.prefix.strip_suffix(b"\\").unwrap_or(&own.prefix))
            ),
        );
    }
}
