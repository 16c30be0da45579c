//! New message DLLs: based on another DLL, or with their own key table and lookup.

use super::{
    MessagesFile, blank,
    dll::{Dll, TableKind},
    doc::{KeyOf, Message, MessagesManifest, Texts},
    pages::Language,
    po,
};
use bytes::Bytes;
use refit_base::{
    game::Game,
    tree::{Document, Form, Source, Style, plain::PlainFolder, text},
    wire::{Error, Result, Str, utf8},
};
use std::collections::HashMap;

/// The default language of texts: English (United States).
const ENGLISH: u32 = 0x409;

/// Makes a DLL of the texts of a folder: documents, PO files (`msgctxt` is the id and the key) or
/// tables (`.csv`: id, key, text). The base is the DLL of `--like`, or one in the folder; without
/// one the DLL is new, and has all keys of the texts.
pub(super) fn messages(folder: &PlainFolder<'_>) -> Result<MessagesFile> {
    match base(folder)? {
        Some(base) => over(folder, base),
        None => new(folder),
    }
}

/// Adds a text. It is a document, or its plain text; `name` is its id, or a key that has no text
/// yet.
pub(super) fn add(file: &mut MessagesFile, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
    let mut all = file.texts()?.into_owned();
    let Form::Document(style) = form else {
        return Err(Error::say("a text is added as a text, not as bytes"));
    };
    let text = utf8(bytes)?;
    let mut message = match text.trim_start().starts_with(['{', '(']) {
        true => text::from_text::<Message>(text, style)?,
        false => Message {
            text: Some(text.trim_end_matches(['\r', '\n']).to_owned()),
            ..Message::default()
        },
    };
    let key = all
        .iter()
        .flat_map(|table| &table.keys_without_text)
        .find(|row| row.key.text() == name);
    match (name.parse::<u32>(), key) {
        (Ok(id), _) => message.id = id,
        (_, Some(row)) => (message.id, message.key) = (row.id, Some(row.key.clone())),
        _ => {
            return Err(Error::say(format!(
                "the DLL has no key {name:?}, and keys cannot be added to a DLL of the game"
            ))
            .hint(
                "use an id; or unpack the DLL, delete `base.dll` and `refit.json`, add the text with its key, and \
                    make a new DLL: `refit repack DIR --format messages --game …`",
            ));
        }
    }
    let table = all
        .first_mut()
        .ok_or_else(|| Error::say("the DLL has no table of texts"))?;
    if table.messages.iter().any(|other| other.id == message.id) {
        return Err(Error::say(format!(
            "there is already a text with the id {}",
            message.id
        ))
        .hint("`refit put` replaces it"));
    }
    let at = table
        .messages
        .partition_point(|other| other.id < message.id);
    table.messages.insert(at, message);
    file.set(all)?;
    // If the image cannot take the text, report the error now.
    file.rebuilt().map(|_| at)
}

/// The DLL to put the texts into.
fn base(folder: &PlainFolder<'_>) -> Result<Option<Bytes>> {
    if let (Some(like), Some(manifest)) = (folder.like, folder.like::<MessagesManifest>()?) {
        return like.get(&manifest.base.file).map(Some);
    }
    match folder.ending(&[".dll"]).as_slice() {
        [] => Ok(None),
        _ => folder.get(folder.only(&[".dll"], "DLL")?).map(Some),
    }
}

fn over(folder: &PlainFolder<'_>, base: Bytes) -> Result<MessagesFile> {
    let dll = Dll::read(&base)?;
    let game = folder.game.or(dll.game(&base).0);
    let mut model = MessagesFile::new(base, dll, game);
    let mut texts = model.texts()?.into_owned();
    let kinds: Vec<TableKind> = model.dll.tables.iter().map(|table| table.kind).collect();
    let documents = folder.ending(&[".json", ".ron"]);
    for (i, path) in documents.iter().enumerate() {
        let Some(table) = texts.get_mut(i) else {
            let message = format!(
                "the DLL has {}, and this is document number {}",
                counted(kinds.len()),
                i + 1
            );
            return Err(Error::say(message).in_file(*path));
        };
        *table = document(folder, path)?;
    }
    for path in folder.ending(&[".csv"]) {
        let table = texts
            .first_mut()
            .ok_or_else(|| Error::say("the DLL has no table").in_file(path))?;
        let rows = rows(folder, path)?;
        let at: HashMap<u32, usize> = table
            .messages
            .iter()
            .enumerate()
            .map(|(i, m)| (m.id, i))
            .collect();
        for row in rows {
            match at.get(&row.id).and_then(|i| table.messages.get_mut(*i)) {
                Some(message) if message.text == row.text => {}
                Some(message) => {
                    (message.text, message.units, message.bytes) = (row.text, None, None)
                }
                None => table.messages.push(row),
            }
        }
    }
    for path in folder.ending(&[".po"]) {
        let (Some(table), Some(kind)) = (texts.first_mut(), kinds.first()) else {
            continue;
        };
        po::take_in(utf8(&folder.get(path)?)?, table, *kind).map_err(|e| e.in_file(path))?;
    }
    model.set(texts)?;
    Ok(model)
}

fn counted(tables: usize) -> String {
    refit_base::wire::count(tables, "table")
}

fn document(folder: &PlainFolder<'_>, path: &str) -> Result<Texts> {
    let style = Style::of(path).unwrap_or_default();
    Texts::from_text(utf8(&folder.get(path)?)?, style).map_err(|e| e.in_file(path))
}

/// A DLL without a base.
fn new(folder: &PlainFolder<'_>) -> Result<MessagesFile> {
    let game = folder
        .game
        .ok_or_else(|| Error::say("the game of a new DLL is missing").hint("--game rc"))?;
    let mut all = Texts {
        language: None,
        code_page: None,
        messages: Vec::new(),
        keys_without_text: Vec::new(),
    };
    for path in folder.ending(&[".json", ".ron"]) {
        let texts = document(folder, path)?;
        (all.language, all.code_page) = (
            texts.language.or(all.language),
            texts.code_page.or(all.code_page),
        );
        all.messages.extend(texts.messages);
        all.keys_without_text.extend(texts.keys_without_text);
    }
    for path in folder.ending(&[".po"]) {
        all.messages
            .extend(po::messages(utf8(&folder.get(path)?)?).map_err(|e| e.in_file(path))?);
    }
    for path in folder.ending(&[".csv"]) {
        all.messages.extend(rows(folder, path)?);
    }
    if all.messages.is_empty() {
        return Err(Error::say("the folder has no texts")
            .hint("texts are documents (.json, .ron), .po or .csv"));
    }
    let language = all.language.map_or(ENGLISH, |language| language.0);
    if all.language.is_none() {
        folder.assume(format!("the language is {}", Language(ENGLISH)));
    }
    all.language = Some(Language(language));
    folder.assume(format!(
        "the DLL is new: it looks keys up itself, and its link time is one of {game}'s; --like DLL takes another one"
    ));
    // In the order of the ids, as the message compiler of the time wrote them.
    all.messages.sort_by_key(|message| message.id);
    let mut keys: Vec<KeyOf> = Vec::new();
    for message in &all.messages {
        keys.extend(message.key.iter().chain(&message.keys).map(|key| KeyOf {
            id: message.id,
            key: key.clone(),
        }));
    }
    keys.append(&mut all.keys_without_text.clone());
    check(&keys)?;
    let first = all.messages.first().map_or(1, |message| message.id);
    let base = Bytes::from(blank::dll(game, language, first, &keys)?);
    let mut model = MessagesFile::new(base.clone(), Dll::read(&base)?, Some(game.itself()));
    if game == Game::Cs {
        // Its strings have no code page.
        all.code_page = None;
    }
    model.set(vec![all])?;
    // The texts are the content of the new file, and no edit of another one.
    model.notes.clear();
    Ok(model)
}

/// An error for a duplicate or invalid key.
fn check(keys: &[KeyOf]) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    for KeyOf { id, key } in keys {
        let wrong = |what: &str| {
            Err(Error::say(format!("the key {key} {what}")).within(format!("id {id}")))
        };
        if *id == 0 {
            return wrong("has the id 0, which means no text to the game");
        }
        if key.0.is_empty() || key.0.contains(&0) {
            return wrong("has no character, or a zero in it");
        }
        if !seen.insert(&key.0) {
            return wrong("occurs twice");
        }
    }
    Ok(())
}

/// The rows of a table: id, key, text (RFC 4180).
fn rows(folder: &PlainFolder<'_>, path: &str) -> Result<Vec<Message>> {
    let bytes = folder.get(path)?;
    let text = utf8(&bytes).map_err(|e| e.in_file(path))?;
    let mut out = Vec::new();
    for (line, row) in cells(text.strip_prefix('\u{feff}').unwrap_or(text)) {
        let wrong = |what: &str| Error::text(line, 1, what).in_file(path);
        let [id, key, text] = row.as_slice() else {
            return Err(wrong("a row has three cells: id, key, text"));
        };
        if out.is_empty() && id.eq_ignore_ascii_case("id") {
            continue;
        }
        let id = id
            .trim()
            .parse()
            .map_err(|_| wrong("the first cell is the id, a number"))?;
        let key = (!key.is_empty()).then(|| Str(key.as_bytes().to_vec()));
        out.push(Message {
            id,
            key,
            text: Some(text.clone()),
            ..Message::default()
        });
    }
    Ok(out)
}

/// The cells of a table, row by row, each with its line. Line ends in quotes are part of a cell.
fn cells(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut began, mut quoted) = (1, 1, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push((began, std::mem::take(&mut row)));
                began = line;
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push((began, row));
    }
    rows.retain(|(_, row)| row.iter().any(|cell| !cell.is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_quotes_and_line_ends() {
        let rows = cells("id,key,text\r\n1,A,\"one, \"\"two\"\"\r\nthree\"\n\n2,,x");
        assert_eq!(
            rows[1],
            (
                2,
                vec!["1".into(), "A".into(), "one, \"two\"\r\nthree".into()]
            )
        );
        assert_eq!(rows[2], (5, vec!["2".into(), String::new(), "x".into()]));
        assert_eq!(rows.len(), 3);
    }
}
