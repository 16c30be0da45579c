//! Finds the value of a path that `diff`, `mod show` or `lint` prints: the inverse of
//! [`spelled`](crate::spelled).

use super::{pairs, value::Value};
use refit_base::wire::{Error, ErrorKind, Result};

/// A step of a path within a document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Pos {
    /// A field.
    Key(String),
    /// An item of a list, by its position.
    Index(usize),
}

/// The separator of paths in documents that contain only lists.
const BELOW: &str = " › ";

/// The positions for a path in a document: `nodes[3].name`, `nodes[door].name`,
/// `sequences[SEQ_0].events[2]` or `TABLE › SPEED`. A number in brackets is a position, any other
/// text the name of an item. The last step may be a field that the record does not have; an empty
/// path is the whole document.
///
/// # Errors
/// If the document has no such value.
pub fn find(document: &Value, path: &str) -> Result<Vec<Pos>> {
    let mut at = Vec::new();
    if step(document, path, None, &mut at) {
        return Ok(at);
    }
    Err(Error::say(format!("there is no value {path:?} here"))
        .hint("`refit diff` and `refit show` print the paths of values")
        .of_kind(ErrorKind::NoMember))
}

/// The value at a position; `None` if there is none.
pub(crate) fn child<'a>(value: &'a Value, pos: &Pos) -> Option<&'a Value> {
    match (value, pos) {
        (Value::Record(_), Pos::Key(key)) => value.field(key),
        (Value::List(items), Pos::Index(index)) => items.get(*index),
        _ => None,
    }
}

impl Value {
    /// The value at a place in this one; `None` if there is none.
    pub fn at(&self, at: &[Pos]) -> Option<&Value> {
        at.iter().try_fold(self, |value, pos| child(value, pos))
    }
}

/// Follows the rest of a path from a value. `before` is the name of the list's item before, as
/// [`spelled`](crate::spelled) uses it. The depth of the recursion is that of the document, which is limited.
fn step(value: &Value, rest: &str, before: Option<&str>, at: &mut Vec<Pos>) -> bool {
    match value {
        Value::List(items) if rest.is_empty() => {
            // The value after the name that the list begins with has no step of its own.
            if let Some(index) = before.and_then(|before| position_of(items, before)) {
                at.push(Pos::Index(index));
            }
            true
        }
        _ if rest.is_empty() => true,
        Value::Record(fields) => {
            let rest = rest.strip_prefix('.').unwrap_or(rest);
            // The longest key first: a key may contain a dot or a bracket.
            let mut keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
            keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
            for key in keys {
                let Some(behind) = rest.strip_prefix(key) else {
                    continue;
                };
                if !(behind.is_empty() || behind.starts_with(['.', '['])) {
                    continue;
                }
                let Some(inner) = value.field(key) else {
                    continue;
                };
                at.push(Pos::Key(key.to_owned()));
                if step(inner, behind, None, at) {
                    return true;
                }
                at.pop();
            }
            // A new field.
            let is_new = !rest.is_empty() && !rest.contains(['.', '[', ']', ' ']);
            if is_new {
                at.push(Pos::Key(rest.to_owned()));
            }
            is_new
        }
        Value::List(items) => list(items, rest, before, at),
        _ => false,
    }
}

fn list(items: &[Value], rest: &str, before: Option<&str>, at: &mut Vec<Pos>) -> bool {
    let rest = rest.strip_prefix(BELOW).unwrap_or(rest);
    if let Some((index, behind)) = index(rest) {
        let Some(item) = items.get(index) else {
            return false;
        };
        at.push(Pos::Index(index));
        if step(item, behind, None, at) {
            return true;
        }
        at.pop();
        return false;
    }
    if let Some(index) = before.and_then(|before| position_of(items, before)) {
        at.push(Pos::Index(index));
        if items
            .get(index)
            .is_some_and(|item| step(item, rest, None, at))
        {
            return true;
        }
        at.pop();
    }
    let names = pairs::names(items);
    let named = names
        .iter()
        .enumerate()
        .filter_map(|(index, name)| Some((index, name.as_ref()?)));
    // A name and the value after it are spelled alike: the value is meant.
    let (values, others): (Vec<_>, Vec<_>) = named.partition(|(_, name)| name.text.ends_with(':'));
    for (index, name) in values.into_iter().chain(others) {
        let nth = match name.nth {
            0 => String::new(),
            n => format!(" #{}", n.saturating_add(1)),
        };
        let plain = name.text.strip_suffix(':').unwrap_or(&name.text);
        let bracketed = rest.strip_prefix(&format!("[{}{nth}]", name.text));
        let bare = rest
            .strip_prefix(&format!("{plain}{nth}"))
            .filter(|behind| behind.is_empty() || behind.starts_with(BELOW));
        for behind in [bracketed, bare].into_iter().flatten() {
            at.push(Pos::Index(index));
            if items
                .get(index)
                .is_some_and(|item| step(item, behind, Some(&name.text), at))
            {
                return true;
            }
            at.pop();
        }
    }
    false
}

/// The value after the name that a list of this name begins with: in `["SPEED", 5]`, the 5.
fn position_of(items: &[Value], before: &str) -> Option<usize> {
    let names = pairs::names(items);
    names.iter().position(|name| {
        name.as_ref()
            .is_some_and(|name| name.nth == 0 && name.text.strip_suffix(':') == Some(before))
    })
}

/// A position in brackets, and what follows it.
fn index(rest: &str) -> Option<(usize, &str)> {
    let (digits, behind) = rest.strip_prefix('[')?.split_once(']')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((digits.parse().ok().filter(|_| is_number)?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChangeKind, compare, spelled};

    fn value(text: &str) -> Value {
        Value::parse(text).unwrap()
    }

    /// Each value that changes is found by the path that the difference prints.
    #[test]
    fn printed_paths_lead_to_their_values() {
        let pairs = [
            (
                r#"{"a":1,"nodes":[{"name":"door","at":[1,2]},{"name":"door","at":[3,4]},{"name":"x.y[0]","b":{"c":null}}]}"#,
                r#"{"a":2,"nodes":[{"name":"door","at":[1,9]},{"name":"door","at":[7,4]},{"name":"x.y[0]","b":{"c":true}}]}"#,
            ),
            (
                r#"["SPEED",[57,0.5],"NAMES",["a",1,"b",[2,"c"]],["TABLE",5]]"#,
                r#"["SPEED",[57,0.75],"NAMES",["a",4,"b",[3,"c"]],["TABLE",6]]"#,
            ),
            (r#"[[1,2],[3,[4,5]]]"#, r#"[[1,2],[3,[4,6]]]"#),
            (
                r#"{"a.b":{"c[0]":1},"a":{"d":2}}"#,
                r#"{"a.b":{"c[0]":3},"a":{"d":4}}"#,
            ),
        ];
        let mut found = 0;
        for (a, b) in pairs {
            let (a, b) = (value(a), value(b));
            for change in compare(&a, &b) {
                let ChangeKind::Set { old, .. } = &change.what else {
                    continue;
                };
                let path = spelled(&change.at);
                let at = find(&a, &path).unwrap();
                assert_eq!(a.at(&at), Some(old), "{path} → {at:?}");
                found += 1;
            }
        }
        assert!(found >= 11, "{found}");
    }

    #[test]
    fn positions_new_fields_and_what_is_missing() {
        let document = value(r#"{"list":[{"x":1},{"name":"7"}],"text":"t"}"#);
        let at = |path: &str| find(&document, path).ok();
        assert_eq!(at(""), Some(vec![]));
        assert_eq!(
            at("list[1].name").and_then(|at| document.at(&at).cloned()),
            Some("7".into())
        );
        assert_eq!(at("new"), Some(vec![Pos::Key("new".into())]));
        assert_eq!(at("list[0].new").map(|at| at.len()), Some(3));
        for path in [
            "list[2]",
            "list[9].x",
            "text.x",
            "list[x]",
            "new.x",
            "list[",
            "[0]",
            ".",
        ] {
            assert_eq!(at(path), None, "{path}");
        }
    }
}
