//! Places in files without anything that a file says: positions, and the names of fields.

use refit_files::registry;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Stands for what is left out.
const LEFT_OUT: &str = "*";

/// Longest place, in bytes: classes of configs may be nested a hundred times.
const LONGEST: usize = 120;

/// Words of places that are no fields of documents.
const WORDS: &[&str] = &[
    "entries",
    "files",
    "line",
    "byte",
    "column",
    "json",
    "ron",
    "properties",
    "stale",
    "tail",
    "toc",
];

/// The names of fields: those of the schemas. A word that is none of them may come from a file.
static FIELDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut fields: HashSet<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    for schema in registry::schemas() {
        if let Ok(schema) = serde_json::from_str(&schema.text.text()) {
            properties(&schema, &mut fields);
        }
    }
    fields
});

/// Adds the names of the properties of a schema, at any depth.
fn properties(schema: &Value, fields: &mut HashSet<String>) {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        match schema {
            Value::Object(map) => {
                if let Some(Value::Object(properties)) = map.get("properties") {
                    fields.extend(properties.keys().cloned());
                }
                open.extend(map.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

/// True for the name of a field whose meaning is unknown: `unk24`, `field040`.
pub(super) fn is_unknown(step: &str) -> bool {
    let is_numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    ["unk", "field"]
        .iter()
        .any(|name| step.strip_prefix(name).is_some_and(is_numbered))
}

/// True for a word that may be in a report.
fn is_field(word: &str) -> bool {
    FIELDS.contains(word) || is_unknown(word) && word.len() <= 16 && is_word(word)
}

fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The positions of the members of a file, by their names and by the names of their documents.
#[derive(Default)]
pub(super) struct MemberNames(HashMap<String, usize>);

impl MemberNames {
    /// Members in their order. If two have one name, it means the first.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let mut all = HashMap::new();
        for (at, name) in names.into_iter().enumerate() {
            all.entry(format!("{name}.json")).or_insert(at);
            all.entry(name).or_insert(at);
        }
        MemberNames(all)
    }

    /// The position of the member whose name begins a path, and the rest of the path.
    fn strip<'a>(&self, path: &'a str) -> Option<(usize, &'a str)> {
        let ends = path
            .char_indices()
            .filter(|(_, c)| matches!(c, '.' | '[' | ' ' | ':'))
            .map(|(at, _)| at)
            .chain([path.len()]);
        // The longest name counts, because names contain dots. Documents of members may be in a
        // folder.
        ends.rev().find_map(|end| {
            let (name, rest) = path.split_at_checked(end)?;
            let in_folder = name.split_once('/').map(|(_, name)| name);
            let at = [Some(name), in_folder]
                .into_iter()
                .flatten()
                .find_map(|name| self.0.get(name))?;
            Some((*at, rest))
        })
    }
}

/// A path as findings, errors and `explain` print it, with the position of a member instead of its
/// name, and with `*` instead of every other word that is no field:
/// `keys.zrd[2].jump` is `#3[2].*`, and `nodes[22] hangar.children_ptr` is
/// `nodes[22].children_ptr`.
pub(super) fn place(path: &str, members: &MemberNames) -> String {
    let path = without_names(path);
    let (mut out, rest) = match (path.strip_prefix('#'), members.strip(&path)) {
        (Some(at), _) => {
            // What follows is the member's name.
            let at = at.split(' ').next().unwrap_or_default();
            return if is_count(at) {
                format!("#{at}")
            } else {
                LEFT_OUT.to_owned()
            };
        }
        (None, Some((at, rest))) => (format!("#{at}"), rest),
        (None, None) => (String::new(), path.as_str()),
    };
    for step in rest.split(['.', ' ', ':', ',', '›', '/']) {
        if !step.is_empty() {
            push(&mut out, step);
        }
        if out.len() > LONGEST {
            break;
        }
    }
    let end = out
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .take_while(|end| *end <= LONGEST)
        .last()
        .unwrap_or_default();
    out.truncate(end);
    out
}

/// A path without the names after positions.
fn without_names(path: &str) -> String {
    let mut parts = path.split("] ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push(']');
        let fields = part.find(['.', ':']).and_then(|at| part.get(at..));
        out.push_str(fields.unwrap_or_default());
    }
    out
}

/// The path of a field, in the same form and without any position: the same for all records of a
/// list.
pub(super) fn field(path: &str) -> String {
    let path = path.rsplit('›').next().unwrap_or(path);
    let mut out = String::new();
    for c in place(path.trim_start(), &MemberNames::default()).chars() {
        let in_brackets = out.ends_with('[') && c != ']';
        if !in_brackets {
            out.push(c);
        }
    }
    out
}

/// Appends a step with its positions: `nodes[3]`.
fn push(out: &mut String, step: &str) {
    let (word, positions) = step.split_at(step.find(['[', '#']).unwrap_or(step.len()));
    let known = is_field(word);
    if known || is_count(word) && (out.ends_with("line") || out.ends_with("byte")) {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(word);
    } else if !word.is_empty() && !out.ends_with(LEFT_OUT) {
        // The name after a position only repeats what the position says.
        let is_named = out.ends_with(']') && positions.is_empty();
        if !is_named {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(LEFT_OUT);
        }
    }
    for position in positions.split_inclusive(']') {
        let number = position.trim_matches(['[', ']', '#']);
        if is_count(number) || position == "[]" {
            out.push('[');
            out.push_str(number);
            out.push(']');
        }
    }
}

/// True for a number that can be a position.
fn is_count(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_positions_and_fields_only() {
        let members = MemberNames::new(["keys.zrd", "a b.zrd", "keys.zrd"].map(str::to_owned));
        for (path, expected) in [
            ("nodes[22] hangar.children_ptr", "nodes[22].children_ptr"),
            (
                "nodes[22] han gar.flt.data.object3d",
                "nodes[22].data.object3d",
            ),
            ("keys.zrd[2].jump[3]", "#0[2].*[3]"),
            ("a b.zrd", "#1"),
            ("startanims.zrd.json: [0]", "*.json[0]"),
            ("secret.words.only", "*"),
            ("m.zrd line 12, byte 7", "*.line.12.byte.7"),
            ("#3 keys.zrd", "#3"),
            ("[3] player", "[3]"),
            ("defs/a b.zrd.json: name", "#1.name"),
            ("nodes[secret].unk24", "nodes.unk24"),
            ("[1234567890123456]", ""),
            ("unk99999999999999999999", "*"),
        ] {
            assert_eq!(place(path, &members), expected, "{path}");
        }
        assert!(place(&"nodes[1].".repeat(500), &members).len() <= LONGEST);
    }

    #[test]
    fn fields_have_no_positions() {
        for (path, expected) in [
            (
                "nodes/00000-00031 › nodes[3].field200[1]",
                "nodes[].field200[]",
            ),
            ("secret.zrd › unk4", "unk4"),
            ("parts[7].secret.unk12", "parts[].unk12"),
        ] {
            assert_eq!(field(path), expected, "{path}");
        }
    }
}
