//! Edits of all kinds, made on the trees of golden files: what modders do, in every place where it can be done.

use bytes::Bytes;
use refit::{
    diff::{Kind, Part, Shelf, Tree, Value},
    tree::Source,
    work,
};

/// The kinds of edits.
pub const KINDS: &[&str] = &[
    "a number",
    "a small number",
    "a switch",
    "a text",
    "a longer text",
    "the first item removed",
    "an item removed",
    "the last item removed",
    "an item twice",
    "an item at the beginning",
    "a copied item, edited",
    "an item and its neighbour",
    "the first item at the end",
    "the last item at the beginning",
    "the items in reverse",
    "two items edited",
    "an item renamed",
    "a field removed",
    "half of the items removed",
    "a line changed",
    "a line added",
    "a line removed",
    "a byte of a plain file",
    "a plain file cut",
    "a plain file grown",
    "a member removed",
    "a member renamed",
    "a member added",
    "a member replaced",
    "the members in another order",
];

/// Small numbers that follow each other as if they were thrown.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }
}

/// All places of a document where something of a kind stands.
fn places(value: &Value, is: &dyn Fn(&Value) -> bool, at: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
    if is(value) {
        out.push(at.clone());
    }
    let inside: Vec<&Value> = match value {
        Value::List(items) => items.iter().collect(),
        Value::Record(fields) => fields.iter().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    };
    for (i, value) in inside.into_iter().enumerate() {
        at.push(i);
        places(value, is, at, out);
        at.pop();
    }
}

fn at<'a>(value: &'a mut Value, path: &[usize]) -> &'a mut Value {
    path.iter().fold(value, |value, i| match value {
        Value::List(items) => &mut items[*i],
        Value::Record(fields) => &mut fields[*i].1,
        other => other,
    })
}

/// A place, thrown.
fn some<'a>(value: &'a mut Value, dice: &mut Dice, is: &dyn Fn(&Value) -> bool) -> Option<&'a mut Value> {
    let mut found = Vec::new();
    places(value, is, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return None;
    }
    let path = found.swap_remove(dice.below(found.len()));
    Some(at(value, &path))
}

fn number(value: &mut Value, dice: &mut Dice) -> Option<()> {
    let place = some(value, dice, &|value| matches!(value, Value::Number(_)))?;
    let Value::Number(number) = place else { return None };
    *number = match number.parse::<i64>() {
        Ok(n) => (n ^ 1).to_string(),
        Err(_) => format!("{:?}", (number.parse::<f32>().ok()? + 0.5)),
    };
    Some(())
}

fn list<'a>(value: &'a mut Value, dice: &mut Dice, least: usize) -> Option<&'a mut Vec<Value>> {
    match some(value, dice, &|value| matches!(value, Value::List(items) if items.len() >= least))? {
        Value::List(items) => Some(items),
        _ => None,
    }
}

fn document(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    match kind {
        "a number" => number(value, dice)?,
        "a small number" => {
            let place = some(value, dice, &|value| matches!(value, Value::Number(number) if number.contains('.')))?;
            *place = Value::Number("0.001".into());
        }
        "a switch" => {
            let place = some(value, dice, &|value| matches!(value, Value::Bool(_)))?;
            *place = Value::Bool(*place == Value::Bool(false));
        }
        "a text" | "an item renamed" | "a longer text" => {
            let named = kind == "an item renamed";
            let place = match named {
                true => some(value, dice, &|value| value.field("name").is_some_and(|name| name.text().is_some()))?.field_mut("name")?,
                false => some(value, dice, &|value| value.text().is_some())?,
            };
            let Value::Text(text) = place else { return None };
            match kind {
                "a longer text" => text.push_str("xy"),
                _ if text.is_empty() => text.push('q'),
                _ => {
                    let last = text.pop()?;
                    text.push(if last == 'z' { 'y' } else { 'z' });
                }
            }
        }
        "the first item removed" => _ = list(value, dice, 1)?.remove(0),
        "an item removed" => {
            let items = list(value, dice, 2)?;
            let i = dice.below(items.len());
            items.remove(i);
        }
        "the last item removed" => _ = list(value, dice, 1)?.pop(),
        "an item twice" => {
            let items = list(value, dice, 1)?;
            let i = dice.below(items.len());
            items.insert(i, items[i].clone());
        }
        "an item at the beginning" => {
            let items = list(value, dice, 2)?;
            items.insert(0, items[items.len() - 1].clone());
        }
        "a copied item, edited" => {
            let items = list(value, dice, 1)?;
            let mut copy = items[dice.below(items.len())].clone();
            if number(&mut copy, dice).is_none() {
                document(&mut copy, "a longer text", dice)?;
            }
            items.push(copy);
        }
        "an item and its neighbour" => {
            let items = list(value, dice, 2)?;
            let i = dice.below(items.len() - 1);
            items.swap(i, i + 1);
        }
        "the first item at the end" => list(value, dice, 2)?.rotate_left(1),
        "the last item at the beginning" => list(value, dice, 2)?.rotate_right(1),
        "the items in reverse" => list(value, dice, 3)?.reverse(),
        "two items edited" => {
            let items = list(value, dice, 2)?;
            let i = dice.below(items.len() - 1);
            number(&mut items[i], dice).or_else(|| document(&mut items[i], "a longer text", dice))?;
            number(&mut items[i + 1], dice).or_else(|| document(&mut items[i + 1], "a longer text", dice))?;
        }
        "a field removed" => {
            let Value::Record(fields) = some(value, dice, &|value| matches!(value, Value::Record(fields) if fields.len() > 1))? else {
                return None;
            };
            let i = dice.below(fields.len());
            fields.remove(i);
        }
        "half of the items removed" => {
            let items = list(value, dice, 4)?;
            let mut keep = false;
            items.retain(|_| {
                keep = !keep;
                keep
            });
        }
        _ => return None,
    }
    Some(())
}

fn plain(bytes: &Bytes, kind: &str, dice: &mut Dice) -> Option<Bytes> {
    let mut bytes = bytes.to_vec();
    let lines =
        || -> Option<Vec<String>> { Some(String::from_utf8(bytes.clone()).ok()?.split_inclusive('\n').map(str::to_owned).collect()) };
    match kind {
        "a line changed" => {
            let mut lines = lines()?;
            let i = dice.below(lines.len());
            let line = lines.get_mut(i)?;
            *line = line.replacen(' ', "  x ", 1);
            bytes = lines.concat().into_bytes();
        }
        "a line added" => {
            let mut lines = lines()?;
            lines.insert(dice.below(lines.len() + 1), "set added 1\r\n".into());
            bytes = lines.concat().into_bytes();
        }
        "a line removed" => {
            let mut lines = lines()?;
            if lines.is_empty() {
                return None;
            }
            lines.remove(dice.below(lines.len()));
            bytes = lines.concat().into_bytes();
        }
        "a byte of a plain file" => {
            let i = bytes.len().checked_sub(1 + dice.below(bytes.len()))?;
            bytes[i] ^= 0x5a;
        }
        "a plain file cut" => bytes.truncate(bytes.len() * 2 / 3),
        "a plain file grown" => {
            let more = [0x5a, 1, 2, 3, 4, 5, 6, 7, 8];
            let i = dice.below(bytes.len() + 1);
            bytes.splice(i..i, more);
        }
        _ => return None,
    }
    Some(bytes.into())
}

/// The list of members of a manifest.
const ROWS: [&str; 5] = ["members", "entries", "images", "scripts", "definitions"];

fn members(tree: &Tree, shelf: &Shelf, kind: &str, dice: &mut Dice) -> Option<()> {
    let manifest = "refit.json";
    let text = String::from_utf8(shelf.get(manifest).ok()?.to_vec()).ok()?;
    let mut value = Value::parse(&text)?;
    let key = ROWS.into_iter().find(|key| matches!(value.field(key), Some(Value::List(rows)) if !rows.is_empty()))?;
    let Value::List(rows) = value.field_mut(key)? else { return None };
    let i = dice.below(rows.len());
    match kind {
        "a member removed" => _ = rows.remove(i),
        "a member renamed" => {
            let name = match &mut rows[i] {
                Value::Text(name) => name,
                row => match row.field_mut("name").or(None)? {
                    Value::Text(name) => name,
                    _ => return None,
                },
            };
            name.push('2');
        }
        "a member added" => {
            let mut row = rows[i].clone();
            let file = row.field("file").or_else(|| row.field("name"))?.text()?.to_owned();
            let bytes = shelf.get(&file).or_else(|_| shelf.get(&format!("images/{file}.png"))).ok()?;
            let new = format!("added-{file}");
            if let Some(Value::Text(name)) = row.field_mut("name") {
                name.insert(0, 'n');
            }
            if let Some(Value::Text(name)) = row.field_mut("file") {
                name.clone_from(&new);
            }
            rows.push(row);
            shelf.set(&new, bytes.into());
        }
        "a member replaced" => {
            let others: Vec<&Part> = tree
                .parts
                .values()
                .filter(|part| part.kind == Kind::Bytes || matches!(part.kind, Kind::Document(_)) && !part.is_manifest())
                .collect();
            let a = others.get(dice.below(others.len()))?;
            let b = others.iter().find(|b| {
                b.kind == a.kind && b.files[0].0 != a.files[0].0 && b.files[0].0.rsplit('.').next() == a.files[0].0.rsplit('.').next()
            })?;
            shelf.set(&a.files[0].0, b.files[0].1.clone());
            return Some(());
        }
        "the members in another order" => rows.rotate_left(1),
        _ => return None,
    }
    shelf.set(manifest, Bytes::from(value.compact()).into());
    Some(())
}

/// A file with an edit of this kind; nothing where the edit cannot be made, or the tree refuses it.
pub fn edited(tree: &Tree, kind: &str, seed: u64) -> Option<Vec<u8>> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tree.file.len());
    // Some places take the edit, some do not.
    for _ in 0..6 {
        let shelf = tree.shelf.clone();
        let done = members(tree, &shelf, kind, &mut dice).or_else(|| {
            let parts: Vec<(&String, &Part)> = tree.parts.iter().collect();
            let (_, part) = parts[dice.below(parts.len())];
            let (path, file) = &part.files[dice.below(part.files.len())];
            let bytes = shelf.get(path).unwrap_or(file.bytes().ok()?);
            match part.kind {
                Kind::Document(_) => {
                    let mut value = Value::parse(std::str::from_utf8(&bytes).ok()?)?;
                    document(&mut value, kind, &mut dice)?;
                    shelf.set(path, Bytes::from(value.compact()).into());
                }
                _ => shelf.set(path, plain(&bytes, kind, &mut dice)?.into()),
            }
            Some(())
        });
        if done.is_none() {
            continue;
        }
        if let Ok((_, bytes)) = work::repack(&shelf)
            && !tree.file.is(&bytes).unwrap_or(true)
        {
            return Some(bytes);
        }
    }
    None
}
