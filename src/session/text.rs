//! Changes values of a JSON text in place: everything else in the text stays as it is.

use refit_base::wire::{Error, Result, Scanner, Style, TokenKind};
use refit_diff::{Pos, Value};
use std::ops::Range;

/// A field or an item of a group.
struct Child<'t> {
    /// The field's name as the text spells it; `None` for an item.
    key: Option<&'t str>,
    /// From its first to its last byte, with the name.
    whole: Range<usize>,
    /// The bytes of its value.
    value: Range<usize>,
}

/// A record or a list, by its place in the text.
struct Group<'t> {
    children: Vec<Child<'t>>,
    /// Between the brackets.
    inside: Range<usize>,
    is_record: bool,
}

fn lost() -> Error {
    Error::say("the text is not JSON")
}

fn slice(text: &str, range: Range<usize>) -> Result<&str> {
    text.get(range).ok_or_else(lost)
}

/// The group that begins at a byte; `None` if another value does.
fn group(text: &str, at: usize) -> Result<Option<Group<'_>>> {
    let mut tokens = Scanner::new(text, Style::Json);
    tokens.go(at);
    let open = tokens.next().ok_or_else(lost)?;
    if open.kind != TokenKind::Open {
        return Ok(None);
    }
    let inner = open.depth.saturating_add(1);
    let (mut children, mut begin, mut value, mut key) = (Vec::new(), None, None, None);
    let mut end = open.end();
    loop {
        let token = tokens.next().ok_or_else(lost)?;
        let closes = token.kind == TokenKind::Close && token.depth <= open.depth;
        if closes || token.kind == TokenKind::Comma && token.depth == inner {
            if let (Some(begin), Some(value)) = (begin.take(), value.take()) {
                children.push(Child {
                    key: key.take(),
                    whole: begin..end,
                    value: value..end,
                });
            }
            if closes {
                return Ok(Some(Group {
                    children,
                    inside: open.end()..token.at,
                    is_record: open.text == "{",
                }));
            }
            continue;
        }
        if token.kind == TokenKind::Colon && token.depth == inner {
            key = begin.and_then(|begin| text.get(begin..end));
            value = None;
            end = token.end();
            continue;
        }
        begin.get_or_insert(token.at);
        value.get_or_insert(token.at);
        end = token.end();
    }
}

impl Group<'_> {
    fn find(&self, pos: &Pos) -> Option<&Child<'_>> {
        match pos {
            Pos::Index(index) if !self.is_record => self.children.get(*index),
            Pos::Key(key) if self.is_record => self.children.iter().find(|child| {
                let spelled = child
                    .key
                    .and_then(|key| serde_json::from_str::<String>(key).ok());
                spelled.as_ref() == Some(key)
            }),
            _ => None,
        }
    }
}

/// The start of the outermost value.
fn start(text: &str) -> usize {
    let mark = '\u{feff}'.len_utf8();
    let text_at = if text.starts_with('\u{feff}') {
        mark
    } else {
        0
    };
    let mut tokens = Scanner::new(text, Style::Json);
    tokens.go(text_at);
    tokens.at()
}

/// The bytes of a value; `None` if there is none.
fn range(text: &str, at: &[Pos]) -> Result<Option<Range<usize>>> {
    let mut found = start(text)..text.trim_end().len();
    for pos in at {
        let Some(group) = group(text, found.start)? else {
            return Ok(None);
        };
        match group.find(pos) {
            Some(child) => found = child.value.clone(),
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// The group around a place, and the last step to the place.
fn around<'t, 'p>(text: &'t str, at: &'p [Pos]) -> Result<(Group<'t>, &'p Pos)> {
    let (last, above) = at
        .split_last()
        .ok_or_else(|| Error::say("the whole document is no part of anything"))?;
    let group = match range(text, above)? {
        Some(range) => group(text, range.start)?,
        None => None,
    };
    let group = group.ok_or_else(|| Error::say("there is no list or record around this value"))?;
    Ok((group, last))
}

fn replaced(text: &str, range: Range<usize>, new: &str) -> Result<String> {
    let (before, behind) = (
        slice(text, 0..range.start)?,
        slice(text, range.end..text.len())?,
    );
    Ok([before, new, behind].concat())
}

/// Puts a child into a group, before the one at `index`, or after all.
fn put(text: &str, group: &Group<'_>, index: usize, new: &str) -> Result<String> {
    match (group.children.get(index), group.children.last()) {
        (Some(next), _) => replaced(
            text,
            next.whole.start..next.whole.start,
            &format!("{new}, "),
        ),
        (None, Some(last)) => replaced(text, last.whole.end..last.whole.end, &format!(", {new}")),
        (None, None) => {
            let spaced = if group.is_record {
                format!(" {new} ")
            } else {
                new.to_owned()
            };
            replaced(text, group.inside.clone(), &spaced)
        }
    }
}

/// Sets a value, or adds a field that the record does not have.
pub(crate) fn set(text: &str, at: &[Pos], value: &Value) -> Result<String> {
    let new = spaced(value);
    if let Some(range) = range(text, at)? {
        return replaced(text, range, &new);
    }
    match around(text, at)? {
        (group, Pos::Key(key)) if group.is_record => {
            let key = serde_json::Value::from(key.as_str());
            put(text, &group, usize::MAX, &format!("{key}: {new}"))
        }
        _ => Err(Error::say("there is no such item")),
    }
}

/// Inserts an item into the list at `at`, so that it gets this position.
pub(crate) fn insert(text: &str, at: &[Pos], index: usize, value: &Value) -> Result<String> {
    let list = match range(text, at)? {
        Some(range) => group(text, range.start)?.filter(|group| !group.is_record),
        None => None,
    };
    let list = list.ok_or_else(|| Error::say("there is no list here"))?;
    if index > list.children.len() {
        return Err(Error::say(format!(
            "the list has {} items, so no item can get the position {index}",
            list.children.len()
        )));
    }
    put(text, &list, index, &spaced(value))
}

/// Removes a field or an item.
pub(crate) fn remove(text: &str, at: &[Pos]) -> Result<String> {
    let (group, last) = around(text, at)?;
    let place = group
        .find(last)
        .map(|child| child.whole.start)
        .and_then(|start| {
            group
                .children
                .iter()
                .position(|child| child.whole.start == start)
        })
        .ok_or_else(|| Error::say("there is no such value"))?;
    let before = place.checked_sub(1).and_then(|at| group.children.get(at));
    let behind = group.children.get(place.saturating_add(1));
    let own = group.children.get(place).ok_or_else(lost)?;
    let gone = match (before, behind) {
        (_, Some(next)) => own.whole.start..next.whole.start,
        (Some(before), None) => before.whole.end..own.whole.end,
        (None, None) => group.inside.clone(),
    };
    replaced(text, gone, "")
}

/// Moves an item of a list to another position.
pub(crate) fn move_item(text: &str, at: &[Pos], to: usize) -> Result<String> {
    let (list, last) = around(text, at)?;
    if list.is_record {
        return Err(Error::say("the fields of a record have no order"));
    }
    let item = list
        .find(last)
        .ok_or_else(|| Error::say("there is no such item"))?;
    let item = slice(text, item.value.clone())?.to_owned();
    if to >= list.children.len() {
        return Err(Error::say(format!(
            "the list has {} items, so no item can get the position {to}",
            list.children.len()
        )));
    }
    let without = remove(text, at)?;
    let (_, above) = at.split_last().ok_or_else(lost)?;
    let list = match range(&without, above)? {
        Some(range) => group(&without, range.start)?,
        None => None,
    };
    put(&without, &list.ok_or_else(lost)?, to, &item)
}

/// A value on one line, spaced as trees have it.
fn spaced(value: &Value) -> String {
    refit_base::tree::text::Spaced::of(value.compact())
        .lay_out(false)
        .trim_end()
        .to_owned()
}

/// The schema of a document: the text of its key `$schema`.
pub(crate) fn schema_of(text: &str) -> Option<String> {
    let range = range(text, &[Pos::Key("$schema".to_owned())]).ok()??;
    serde_json::from_str(text.get(range)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Value::parse(text).unwrap()
    }

    fn at(document: &str, path: &str) -> Vec<Pos> {
        refit_diff::find(&value(document), path).unwrap()
    }

    const TEXT: &str =
        "{\n  \"a\": 1, // x\n  \"list\": [ 1,2 , [3] ],\n  \"r\": { \"k\\u0041\": {} }\n}\n";

    #[test]
    fn only_the_value_changes() {
        let text = TEXT.replace(" // x", "");
        let set = |path: &str, new: &str| set(&text, &at(&text, path), &value(new)).unwrap();
        assert_eq!(set("a", "2.5"), text.replace("\"a\": 1", "\"a\": 2.5"));
        assert_eq!(set("list[1]", "[7]"), text.replace("1,2 ,", "1,[7] ,"));
        assert_eq!(
            set("r.kA.new", "true"),
            text.replace("{}", "{ \"new\": true }")
        );
        assert_eq!(set("r.b", "[]"), text.replace("{} }", "{}, \"b\": [] }"));
        assert_eq!(set("", "[1]"), "[1]\n");
    }

    #[test]
    fn items_are_inserted_removed_and_moved() {
        let text = TEXT.replace(" // x", "");
        let list = at(&text, "list");
        let with = |list: &str| text.replace("[ 1,2 , [3] ]", list);
        for (index, expected) in [
            (0, "[ 9, 1,2 , [3] ]"),
            (2, "[ 1,2 , 9, [3] ]"),
            (3, "[ 1,2 , [3], 9 ]"),
        ] {
            assert_eq!(
                insert(&text, &list, index, &value("9")).unwrap(),
                with(expected)
            );
        }
        assert!(insert(&text, &list, 4, &value("9")).is_err());
        for (index, expected) in [(0, "[ 2 , [3] ]"), (1, "[ 1,[3] ]"), (2, "[ 1,2 ]")] {
            let own = at(&text, &format!("list[{index}]"));
            assert_eq!(remove(&text, &own).unwrap(), with(expected));
        }
        let own = at(&text, "list[2][0]");
        assert_eq!(remove(&text, &own).unwrap(), with("[ 1,2 , [] ]"));
        assert_eq!(
            insert(&text, &own[..2], 0, &value("{\"x\":1}")).unwrap(),
            with("[ 1,2 , [{ \"x\": 1 }, 3] ]")
        );
        assert_eq!(
            remove(&text, &at(&text, "a")).unwrap(),
            text.replace("\"a\": 1,\n  ", "")
        );
        let moved = |from: usize, to: usize| {
            value(&move_item(&text, &at(&text, &format!("list[{from}]")), to).unwrap())
                .field("list")
                .unwrap()
                .compact()
        };
        assert_eq!(moved(0, 2), "[2,[3],1]");
        assert_eq!(moved(2, 0), "[[3],1,2]");
        assert_eq!(moved(1, 1), "[1,2,[3]]");
        assert!(move_item(&text, &at(&text, "list[0]"), 3).is_err());
    }

    /// A text that is damaged or cut gives an error, and every edit of a whole one gives JSON.
    #[test]
    fn damaged_texts_are_refused() {
        let text = TEXT.replace(" // x", "");
        let place = at(&text, "list[2][0]");
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let part = &text[..cut];
            for done in [
                set(part, &place, &value("5")),
                insert(part, &place[..1], 1, &value("5")),
                remove(part, &place),
                move_item(part, &place, 0),
            ] {
                let _ = done.map(|text| text.len());
            }
        }
        assert_eq!(
            schema_of("{\"$schema\": \"x/y.schema.json\", \"a\": 1}").as_deref(),
            Some("x/y.schema.json")
        );
        assert_eq!(schema_of("[1]"), None);
    }
}
