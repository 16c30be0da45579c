//! Converts an edited tree to the bytes of the changed resources (FORMAT.md).

use super::{
    dll::{Dll, TableKind, TextEntry, TextTable},
    doc::{Message, Texts, outside},
    image::STRING,
    pages::{Page, page_of},
    rebuild::{Changes, NewResource},
};
use refit_base::wire::{Error, Plain, Result, fit};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

/// The code page number for UTF-16: strings may then contain any character.
const UTF_16: u16 = 1200;

/// A text after the edit.
enum EditedText {
    /// Unchanged: the range of a message's whole entry, or of a string's units.
    Same(Range<usize>),
    /// Changed: the new bytes of the same parts.
    New(Vec<u8>),
    /// Deleted.
    Gone,
}

impl EditedText {
    fn bytes<'a>(&'a self, file: &'a [u8]) -> &'a [u8] {
        match self {
            EditedText::Same(range) => file.get(range.clone()).unwrap_or_default(),
            EditedText::New(bytes) => bytes,
            EditedText::Gone => &[],
        }
    }
}

/// Adds the resources of `table` that `texts` changes to `changes`.
pub fn plan(
    file: &[u8],
    dll: &Dll,
    table: &TextTable,
    texts: &Texts,
    changes: &mut Changes,
) -> Result<()> {
    check_keys(file, dll, texts)?;
    let own = Page::new(table.page)?;
    let language = texts.language.map(|l| l.0);
    let number = texts.code_page.unwrap_or_else(|| page_of(language));
    let page = if table.kind == TableKind::StringTable && number == UTF_16 {
        None
    } else {
        Some(Page::new(number)?)
    };
    plan_language(table, dll, language, changes)?;

    let mut items: Vec<EditedText> = table.entries.iter().map(|_| EditedText::Gone).collect();
    let mut added: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    let mut index: Option<HashMap<(u32, u32), usize>> = None;
    let mut edited = false;
    for (i, message) in texts.messages.iter().enumerate() {
        let place = |e: Error| {
            e.within(message.called(table.kind))
                .within(format!("messages[{i}]"))
        };
        let wanted = (message.id, message.occurrence.unwrap_or(1));
        let is = |e: &TextEntry| (e.id, e.occurrence) == wanted;
        // The list is usually in the order of the DLL.
        let at = if table.entries.get(i).is_some_and(is) {
            Some(i)
        } else {
            let all = || {
                table
                    .entries
                    .iter()
                    .enumerate()
                    .map(|(k, e)| ((e.id, e.occurrence), k))
                    .collect()
            };
            index.get_or_insert_with(all).get(&wanted).copied()
        };
        let twice = || {
            Error::say("there is another message with this id")
                .hint("every id occurs once in the list")
        };
        match at.and_then(|at| Some((table.entries.get(at)?, items.get_mut(at)?))) {
            Some((entry, item)) => {
                if !matches!(item, EditedText::Gone) {
                    return Err(place(twice()));
                }
                *item = match encode(file, table, entry, message, &own, page.as_ref())
                    .map_err(place)?
                {
                    Some(bytes) => {
                        edited = true;
                        EditedText::New(bytes)
                    }
                    None => EditedText::Same(entry.at.clone()),
                };
            }
            None => {
                if wanted.1 != 1 {
                    return Err(place(Error::say(format!(
                        "the DLL has no text number {} with this id",
                        wanted.1
                    ))));
                }
                let bytes = fresh(
                    table.kind,
                    message,
                    page.as_ref().unwrap_or(&own),
                    page.is_none(),
                )
                .map_err(place)?;
                if added.insert(message.id, bytes).is_some() {
                    return Err(place(twice()));
                }
            }
        }
    }
    // An empty string counts as missing.
    if table.kind == TableKind::StringTable {
        added.retain(|_, bytes| !bytes.is_empty());
    }
    if !edited && added.is_empty() && !items.iter().any(|item| matches!(item, EditedText::Gone)) {
        return Ok(());
    }
    match table.kind {
        TableKind::MessageTable => {
            let leaf = table
                .leaves
                .first()
                .ok_or_else(|| Error::say("the table has no resource"))?;
            changes
                .replaced
                .insert(*leaf, message_table(file, table, items, added)?);
        }
        TableKind::StringTable => {
            string_blocks(file, dll, table, &items, added, language, changes)?
        }
    }
    Ok(())
}

/// The new bytes of a text; `None` if it did not change.
fn encode(
    file: &[u8],
    table: &TextTable,
    entry: &TextEntry,
    message: &Message,
    own: &Page,
    page: Option<&Page>,
) -> Result<Option<Vec<u8>>> {
    // Compare decoded text first, so that padding and bytes after the terminator of an unchanged
    // entry are preserved.
    let old = Message::read(file, table, entry, own);
    if old.says_the_same(message) {
        return Ok(None);
    }
    // The same bytes in another code page are not a change, either.
    let used = page.unwrap_or(own);
    if message.flag_word() == old.flag_word()
        && message
            .encode(table.kind, used)
            .is_ok_and(|bytes| bytes == super::doc::stored(file, table.kind, entry))
    {
        return Ok(None);
    }
    fresh(table.kind, message, used, page.is_none()).map(Some)
}

/// The new bytes of a text: a whole message entry, or a string's units.
fn fresh(kind: TableKind, message: &Message, page: &Page, any: bool) -> Result<Vec<u8>> {
    if kind == TableKind::MessageTable {
        return message.entry(page);
    }
    if let Some(c) = message
        .text
        .as_deref()
        .filter(|_| !any)
        .and_then(|text| page.lacks(text))
    {
        return Err(outside(c, page).hint(
            "the game shows strings in that code page; `\"code_page\": 1200` lifts the check",
        ));
    }
    message.encode(kind, page)
}

/// Returns an error if a key in the tree differs from the DLL: keys are read-only.
fn check_keys(file: &[u8], dll: &Dll, texts: &Texts) -> Result<()> {
    let known = |id: u32, key: &[u8]| {
        dll.keys_of(id)
            .any(|k| file.get(k.name.clone()) == Some(key))
    };
    let refuse = |id: u32, key: &refit_base::wire::Str| {
        Error::say(format!("the DLL has no key {key} for id {id}; keys cannot be added or changed"))
            .hint("the game's code contains the bounds of the key table; keep the keys unchanged, or omit them")
    };
    for (i, message) in texts.messages.iter().enumerate() {
        for key in message.key.iter().chain(&message.keys) {
            if !known(message.id, &key.0) {
                return Err(refuse(message.id, key).within(format!("messages[{i}]")));
            }
        }
    }
    for (i, row) in texts.keys_without_text.iter().enumerate() {
        if !known(row.id, &row.key.0) {
            return Err(refuse(row.id, &row.key).within(format!("keys_without_text[{i}]")));
        }
    }
    Ok(())
}

fn plan_language(
    table: &TextTable,
    dll: &Dll,
    language: Option<u32>,
    changes: &mut Changes,
) -> Result<()> {
    if language == table.language {
        return Ok(());
    }
    let refuse = |why: &str| {
        Err(Error::say(format!("the language cannot be changed: {why}")).within("language"))
    };
    let (Some(new), Some(_)) = (language, table.language) else {
        return refuse("the resource has none, or the tree lost it");
    };
    if new >> 31 != 0 {
        return refuse("it is not a language identifier");
    }
    if table.kind == TableKind::StringTable
        && dll
            .tables
            .iter()
            .any(|t| t.kind == table.kind && t.language == language)
    {
        return refuse("the DLL already has another table of strings in that language");
    }
    let mut languages: HashMap<_, u32> = HashMap::new();
    for leaf in &dll.resources.leaves {
        *languages.entry(leaf.path.get(..2)).or_default() += 1;
    }
    for leaf in table
        .leaves
        .iter()
        .filter_map(|i| dll.resources.leaves.get(*i))
    {
        let Some(slot) = leaf.language_at else {
            return refuse("the resource directory has no room for it");
        };
        // The languages of one resource are sorted, without duplicates.
        if languages.get(&leaf.path.get(..2)) != Some(&1) {
            return refuse("the resource has several languages");
        }
        changes.languages.push((slot, new));
    }
    Ok(())
}

/// A run of ids with their texts.
struct Run {
    low: u32,
    high: u32,
    items: Vec<EditedText>,
}

/// Rebuilds a message table. The old blocks keep contiguous runs of entries: deleted ids split
/// them, new ids extend them or form new blocks.
fn message_table(
    file: &[u8],
    table: &TextTable,
    items: Vec<EditedText>,
    added: BTreeMap<u32, Vec<u8>>,
) -> Result<Vec<u8>> {
    let mut runs: Vec<Run> = Vec::with_capacity(table.blocks.len());
    let mut items = items.into_iter();
    for block in &table.blocks {
        if block.entries.is_empty() {
            runs.push(Run {
                low: block.low,
                high: block.high,
                items: Vec::new(),
            });
            continue;
        }
        let mut open: Option<Run> = None;
        for (id, item) in (block.low..=block.high).zip(items.by_ref().take(block.entries.len())) {
            if matches!(item, EditedText::Gone) {
                runs.extend(open.take());
            } else {
                let run = open.get_or_insert_with(|| Run {
                    low: id,
                    high: id,
                    items: Vec::new(),
                });
                run.high = id;
                run.items.push(item);
            }
        }
        runs.extend(open);
    }

    // New ids in ascending order go to the end of a run, to the beginning of one, or into a new run
    // before the first run with a higher id.
    let (mut by_high, mut by_low): (HashMap<u32, usize>, HashMap<u32, usize>) = Default::default();
    for (i, run) in runs
        .iter()
        .enumerate()
        .filter(|(_, run)| !run.items.is_empty())
    {
        by_high.entry(run.high).or_insert(i);
        by_low.entry(run.low).or_insert(i);
    }
    let mut highest = 0;
    let mut reach = Vec::with_capacity(runs.len());
    for run in &runs {
        highest = run.low.max(highest);
        reach.push(highest);
    }
    let mut inserted: Vec<(usize, Run)> = Vec::new();
    let old = runs.len();
    for (id, bytes) in added {
        let (before, after) = (
            id.checked_sub(1).and_then(|n| by_high.remove(&n)),
            id.checked_add(1).and_then(|n| by_low.get(&n)),
        );
        let item = EditedText::New(bytes);
        if let Some(at) = before {
            let run = match at.checked_sub(old) {
                None => runs.get_mut(at),
                Some(at) => inserted.get_mut(at).map(|(_, run)| run),
            };
            if let Some(run) = run {
                run.high = id;
                run.items.push(item);
            }
            by_high.insert(id, at);
        } else if let Some(run) = after.and_then(|at| runs.get_mut(*at)) {
            run.low = id;
            run.items.insert(0, item);
        } else {
            by_high.insert(id, old + inserted.len());
            inserted.push((
                reach.partition_point(|low| *low <= id),
                Run {
                    low: id,
                    high: id,
                    items: vec![item],
                },
            ));
        }
    }

    // New runs come before the old one at their position.
    let mut all: Vec<((usize, bool), Run)> = inserted
        .into_iter()
        .map(|(at, run)| ((at, false), run))
        .collect();
    all.extend(
        runs.into_iter()
            .enumerate()
            .map(|(i, run)| ((i, true), run)),
    );
    all.sort_by_key(|(at, _)| *at);
    let all: Vec<Run> = all.into_iter().map(|(_, run)| run).collect();
    table_bytes(file, &all)
}

/// The bytes of a message table.
fn table_bytes(file: &[u8], all: &[Run]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    out.extend(fit::<u32>(all.len(), "the number of blocks")?.to_le_bytes());
    let mut at = 4 + 12 * all.len();
    for run in all {
        let bytes: usize = run.items.iter().map(|item| item.bytes(file).len()).sum();
        for word in [run.low, run.high, fit(at, "an entry's offset")?] {
            out.extend(word.to_le_bytes());
        }
        at += bytes;
    }
    all.iter()
        .flat_map(|run| &run.items)
        .for_each(|item| out.extend_from_slice(item.bytes(file)));
    Ok(out)
}

/// Rebuilds the string resources that changed, and creates new ones for ids that have none.
fn string_blocks(
    file: &[u8],
    dll: &Dll,
    table: &TextTable,
    items: &[EditedText],
    added: BTreeMap<u32, Vec<u8>>,
    language: Option<u32>,
    changes: &mut Changes,
) -> Result<()> {
    // Windows uses the first resource that contains an id.
    let mut by_low: HashMap<u32, usize> = HashMap::new();
    for (i, block) in table.blocks.iter().enumerate() {
        by_low.entry(block.low).or_insert(i);
    }
    let mut extra: HashMap<usize, BTreeMap<u32, Vec<u8>>> = HashMap::new();
    let mut fresh: BTreeMap<u32, BTreeMap<u32, Vec<u8>>> = BTreeMap::new();
    for (id, bytes) in added {
        match by_low.get(&(id & !15)) {
            Some(block) => extra.entry(*block).or_default().insert(id & 15, bytes),
            None => fresh.entry(id / 16 + 1).or_default().insert(id & 15, bytes),
        };
    }
    for (i, block) in table.blocks.iter().enumerate() {
        let old = table.entries.get(block.entries.clone()).unwrap_or_default();
        let new = items.get(block.entries.clone()).unwrap_or_default();
        let more = extra.remove(&i).unwrap_or_default();
        if more.is_empty() && new.iter().all(|item| matches!(item, EditedText::Same(_))) {
            continue;
        }
        let mut slots: BTreeMap<u32, &[u8]> = old
            .iter()
            .zip(new)
            .map(|(e, item)| (e.id & 15, item.bytes(file)))
            .collect();
        slots.extend(more.iter().map(|(slot, bytes)| (*slot, bytes.as_slice())));
        let leaf = dll
            .resources
            .leaves
            .get(block.leaf)
            .ok_or_else(|| Error::say("the block has no resource"))?;
        let data = file.get(leaf.data.clone()).unwrap_or_default();
        let tail = data
            .get(data.len() - block.tail.min(data.len())..)
            .unwrap_or_default();
        // A short resource stays short unless a new id is beyond its end.
        let strings = more
            .keys()
            .next_back()
            .map_or(block.strings, |last| block.strings.max(last + 1));
        changes
            .replaced
            .insert(block.leaf, block_bytes(&slots, strings, tail)?);
    }
    for (number, strings) in fresh {
        if number > u32::from(u16::MAX) {
            let id = (number - 1).saturating_mul(16);
            return Err(Error::say(format!(
                "string id {id} is above 1048559, the highest possible"
            )));
        }
        let like = table
            .leaves
            .first()
            .copied()
            .ok_or_else(|| Error::say("the table has no resource"))?;
        let slots = strings
            .iter()
            .map(|(slot, bytes)| (*slot, bytes.as_slice()))
            .collect();
        let language =
            language.ok_or_else(|| Error::say("new string resources need a language"))?;
        changes.added.push(NewResource {
            kind: STRING,
            name: number,
            language,
            like,
            data: block_bytes(&slots, 16, &[])?,
        });
    }
    Ok(())
}

fn block_bytes(slots: &BTreeMap<u32, &[u8]>, strings: u32, tail: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for slot in 0..strings {
        let units = slots.get(&slot).copied().unwrap_or_default();
        let mut count = [0; 2];
        fit::<u16>(units.len() / 2, "a string's length")?.put(&mut count);
        out.extend(count);
        out.extend_from_slice(units);
    }
    out.extend_from_slice(tail);
    Ok(out)
}
