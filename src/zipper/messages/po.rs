//! Texts for translation tools: gettext PO export and import, and CSV export.
//!
//! If there is a PO file beside a table's document (`messages.po` beside `messages.json`), packing
//! applies it: each translation replaces the text whose id is in `msgctxt`. Untranslated and fuzzy
//! entries keep the text of the document. Line ends inside a text are CR LF in the games and LF in
//! PO; they are converted unless a text has other line ends.

use super::{
    dll::{TableKind, TextTable},
    doc::{Message, Texts},
};
use refit_base::wire::{Error, Result, Str};
use std::{
    collections::HashMap,
    fmt::{Display, Write},
};

/// The path of the PO file for a table's document.
pub fn beside(document: &str) -> String {
    format!(
        "{}.po",
        document.rsplit_once('.').map_or(document, |(stem, _)| stem)
    )
}

/// True if every line end in the text is CR LF: PO then uses LF.
fn has_plain_line_ends(text: &str) -> bool {
    let pairs = text.matches("\r\n").count();
    pairs == text.matches('\n').count() && pairs == text.matches('\r').count()
}

fn to_po(text: &str) -> String {
    if has_plain_line_ends(text) {
        text.replace("\r\n", "\n")
    } else {
        text.to_owned()
    }
}

/// The characters that PO writes as a backslash and a letter.
const ESCAPES: [(char, char); 5] = [
    ('\\', '\\'),
    ('"', '"'),
    ('\n', 'n'),
    ('\r', 'r'),
    ('\t', 't'),
];

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let _ = match ESCAPES.iter().find(|(shown, _)| *shown == c) {
            Some((_, letter)) => write!(out, "\\{letter}"),
            None if u32::from(c) < 0x20 => write!(out, "\\{:03o}", u32::from(c)),
            None => out.write_char(c),
        };
    }
    out.push('"');
    out
}

/// Writes a keyword with its string; a text of several lines is written on several lines, as usual
/// in PO.
fn field(out: &mut String, keyword: &str, text: &str) {
    let _ = write!(out, "{keyword} ");
    if text.trim_end_matches('\n').contains('\n') {
        out.push_str("\"\"\n");
        for line in text.split_inclusive('\n') {
            let _ = writeln!(out, "{}", quoted(line));
        }
    } else {
        let _ = writeln!(out, "{}", quoted(text));
    }
}

fn context(message: &Message) -> String {
    let mut out = message.id.to_string();
    if let Some(n) = message.occurrence {
        let _ = write!(out, "#{n}");
    }
    if let Some(key) = message.first_key() {
        let _ = write!(out, " {key}");
    }
    out
}

/// A table's texts as a PO file without translations.
pub fn po(table: &TextTable, texts: &Texts) -> String {
    let mut out = String::new();
    out.push_str(
        "# Texts of a game, written by refit. msgctxt is the id and the key; do not change it.\n",
    );
    let language = texts.language.map(|l| l.to_string()).unwrap_or_default();
    field(&mut out, "msgid", "");
    let kind = if table.kind == TableKind::MessageTable {
        "message table"
    } else {
        "string table"
    };
    let header = format!(
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\nLanguage: \n\
         X-Source-Language: {language}\nX-Generator: refit\nX-Table: {kind}\n"
    );
    field(&mut out, "msgstr", &header);
    for message in &texts.messages {
        let Some(text) = message.text.as_deref().filter(|t| !t.is_empty()) else {
            continue;
        };
        out.push('\n');
        if table.kind == TableKind::StringTable
            && let Some(tag) = super::judge::font_tag(text)
        {
            let _ = writeln!(out, "#. {tag} at the beginning is the font; keep it.");
        }
        field(&mut out, "msgctxt", &context(message));
        field(&mut out, "msgid", &to_po(text));
        field(&mut out, "msgstr", "");
    }
    out
}

/// A table's texts as CSV (RFC 4180): id, key, text.
pub fn csv(texts: &Texts) -> String {
    fn cell(out: &mut String, value: &dyn Display) {
        let value = value.to_string();
        if value.contains(['"', ',', '\r', '\n']) {
            let _ = write!(out, "\"{}\"", value.replace('"', "\"\""));
        } else {
            out.push_str(&value);
        }
    }
    let mut out = String::from("id,key,text\r\n");
    for message in &texts.messages {
        cell(&mut out, &message.id);
        out.push(',');
        cell(
            &mut out,
            &message
                .first_key()
                .map(ToString::to_string)
                .unwrap_or_default(),
        );
        out.push(',');
        cell(&mut out, &message.text.as_deref().unwrap_or_default());
        out.push_str("\r\n");
    }
    out
}

/// One entry of a PO file.
#[derive(Default, Debug)]
struct PoEntry {
    line: usize,
    fuzzy: bool,
    context: Option<String>,
    id: Option<String>,
    translation: Option<String>,
}

/// Parses a C string of a PO line, including its quotes.
fn unquoted(text: &str) -> Result<String, &'static str> {
    let inner = text
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .ok_or("a string in double quotes is expected")?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '"' {
            return Err("a double quote in a string is written \\\"");
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some(c @ ('\'' | '?')) => out.push(c),
            Some(first @ '0'..='7') => {
                let mut n = first.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) {
                        n = n * 8 + digit;
                        chars.next();
                    }
                }
                out.push(char::from_u32(n).unwrap_or('\u{fffd}'));
            }
            letter => match ESCAPES.iter().find(|(_, known)| Some(*known) == letter) {
                Some((meant, _)) => out.push(*meant),
                None => return Err("an escape that PO does not have"),
            },
        }
    }
    Ok(out)
}

/// Reads a PO file.
fn parse(text: &str) -> Result<Vec<PoEntry>> {
    #[derive(Clone, Copy)]
    enum PoField {
        Context,
        Id,
        Translation,
    }
    let mut out: Vec<PoEntry> = Vec::new();
    let mut entry = PoEntry::default();
    let mut part: Option<PoField> = None;
    for (n, line) in text
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim()))
    {
        let wrong = |what: &str| Error::text(n, 1, what);
        if line.is_empty() || line.starts_with('#') {
            // A comment after a complete entry belongs to the next one.
            if entry.translation.is_some() {
                out.push(std::mem::take(&mut entry));
                part = None;
            }
            if line.starts_with("#,") && line.split([',', ' ']).any(|flag| flag == "fuzzy") {
                entry.fuzzy = true;
            }
            continue;
        }
        let (keyword, value) = line.split_at(line.find('"').unwrap_or(line.len()));
        let value = unquoted(value).map_err(wrong)?;
        let other = "msgctxt, msgid or msgstr is expected";
        let new = match keyword.trim() {
            "msgctxt" => Some(PoField::Context),
            "msgid" => Some(PoField::Id),
            "msgstr" => Some(PoField::Translation),
            "" => None,
            word if word == "msgid_plural" || word.starts_with("msgstr[") => {
                return Err(wrong("the games' texts have no plural forms"));
            }
            _ => return Err(wrong(other)),
        };
        if matches!(new, Some(PoField::Context)) && entry.id.is_some()
            || matches!(new, Some(PoField::Id)) && entry.translation.is_some()
        {
            out.push(std::mem::take(&mut entry));
        }
        if new.is_some() {
            part = new;
        }
        let slot = match part {
            Some(PoField::Context) => &mut entry.context,
            Some(PoField::Id) => &mut entry.id,
            Some(PoField::Translation) => &mut entry.translation,
            None => return Err(wrong(other)),
        };
        if entry.line == 0 {
            entry.line = n;
        }
        match (slot, new) {
            (Some(_), Some(_)) => return Err(wrong("the keyword occurs twice in one entry")),
            (Some(text), None) => text.push_str(&value),
            (slot @ None, _) => *slot = Some(value),
        }
    }
    if entry.id.is_some() || entry.context.is_some() {
        out.push(entry);
    }
    Ok(out)
}

/// Replaces texts by their translations. Returns the line of each translation, by the position of
/// its text.
pub fn take_in(po: &str, texts: &mut Texts, kind: TableKind) -> Result<HashMap<usize, usize>> {
    let mut lines = HashMap::new();
    let po = po.strip_prefix('\u{feff}').unwrap_or(po);
    let index: HashMap<(u32, u32), usize> = texts
        .messages
        .iter()
        .enumerate()
        .map(|(i, m)| ((m.id, m.occurrence.unwrap_or(1)), i))
        .collect();
    for entry in parse(po)? {
        let at = |message: String| Error::text(entry.line, 1, message);
        let (Some(id), Some(translation)) = (&entry.id, &entry.translation) else {
            return Err(at("an entry without msgid or msgstr".into()));
        };
        if entry.fuzzy || translation.is_empty() || (id.is_empty() && entry.context.is_none()) {
            continue;
        }
        let context = entry.context.as_deref().unwrap_or_default();
        let number = context.split(' ').next().unwrap_or_default();
        let (number, nth) = number.split_once('#').unwrap_or((number, "1"));
        let place = number.parse::<u32>().ok().zip(nth.parse::<u32>().ok());
        let place =
            place.ok_or_else(|| at(format!("msgctxt {context:?} does not begin with an id")))?;
        let at_place = index.get(&place).copied();
        lines.extend(at_place.map(|i| (i, entry.line)));
        let message = at_place.and_then(|i| texts.messages.get_mut(i));
        let message = message.ok_or_else(|| at(format!("there is no text with id {number}")))?;
        match &message.text {
            Some(old) if to_po(old) == *id => {
                let plain = has_plain_line_ends(old) && !translation.contains('\r');
                message.text = Some(if plain {
                    translation.replace('\n', "\r\n")
                } else {
                    translation.clone()
                });
            }
            _ => {
                return Err(at(format!(
                    "msgid is not the text of {} in the tree",
                    message.called(kind)
                ))
                .hint("export the PO file again, or delete it to pack the tree's own texts"));
            }
        }
    }
    Ok(lines)
}

/// The texts of a PO file as new messages: the translation, or the original text if there is none.
pub(super) fn messages(po: &str) -> Result<Vec<Message>> {
    let po = po.strip_prefix('\u{feff}').unwrap_or(po);
    let mut out = Vec::new();
    for entry in parse(po)? {
        let at = |message: String| Error::text(entry.line, 1, message);
        let (Some(original), Some(context)) = (&entry.id, &entry.context) else {
            continue;
        };
        let translation = entry
            .translation
            .as_ref()
            .filter(|text| !text.is_empty() && !entry.fuzzy);
        let text = translation.unwrap_or(original);
        let (id, key) = context.split_once(' ').unwrap_or((context, ""));
        let id = id
            .parse()
            .map_err(|_| at(format!("msgctxt {context:?} does not begin with an id")))?;
        let key = (!key.is_empty()).then(|| Str(key.as_bytes().to_vec()));
        let text = if text.contains('\r') {
            text.clone()
        } else {
            text.replace('\n', "\r\n")
        };
        out.push(Message {
            id,
            key,
            text: Some(text),
            ..Message::default()
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_quoting() {
        let all: String = (0u8..0x80)
            .map(char::from)
            .chain("äж€\u{81}".chars())
            .collect();
        assert_eq!(unquoted(&quoted(&all)).unwrap(), all);
        assert!(unquoted("\"a").is_err());
        assert!(unquoted("\"a\"b\"").is_err());
        assert!(unquoted("\"a\\q\"").is_err());
    }

    #[test]
    fn po_files_of_other_tools_are_read() {
        let text = "# comment\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#. note\n#, fuzzy, c-format\nmsgctxt \
            \"1 A\"\nmsgid \"x\"\nmsgstr \"y\"\nmsgctxt \"2 B\"\nmsgid \"\"\n\"one\\n\"\n\"two\"\nmsgstr \
            \"\"\n\"eins\\n\"\n\"zwei\"\n\n#~ msgid \"old\"\n#~ msgstr \"alt\"\n";
        let entries = parse(text).unwrap();
        assert_eq!(entries.len(), 3);
        assert!(entries[1].fuzzy && !entries[2].fuzzy);
        assert_eq!(entries[2].id.as_deref(), Some("one\ntwo"));
        assert_eq!(entries[2].translation.as_deref(), Some("eins\nzwei"));
        assert_eq!(
            parse("\nmsgid x").unwrap_err().to_string(),
            "line 2, column 1: a string in double quotes is expected"
        );
        assert!(parse("msgid \"a\"\nmsgid \"b\"").is_err());
    }
}
