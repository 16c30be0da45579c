//! Edits of all kinds in the trees of golden files: what modders do, everywhere it is possible.

use bytes::Bytes;
use refit::{
    diff::{Part, PartKind, Tree, TreeFiles, Value},
    pipeline,
    tree::Source,
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
    "a number made zero",
    "a number with the other sign",
    "a large number",
    "two numbers",
    "two numbers exchanged",
    "a text emptied",
    "a text cut",
    "a text twice",
    "a text in capitals",
    "an accented letter",
    "quotes and backslashes",
    "another first letter",
    "two texts exchanged",
    "a text and a number",
    "a hexadecimal digit",
    "a hexadecimal word",
    "a line twice",
    "two lines exchanged",
    "the first line removed",
    "a line at the end",
    "a plain file emptied",
    "a plain file without its beginning",
    "two bytes of a plain file",
    "a plain file twice",
    "a pixel",
    "a row of pixels",
    "a picture upside down",
    "a picture cut",
    "a larger picture",
    "two pixels",
    "a column of pixels",
    "a picture mirrored",
    "a picture of one colour",
    "a narrower picture",
    "a wider picture",
    "two rows of pixels exchanged",
    "the first row of pixels at the end",
    "half of a picture",
    "every pixel changed",
    "the pixels in reverse",
    "a number doubled",
    "a hexadecimal word removed",
    "a hexadecimal word added",
    "hexadecimal words exchanged",
    "a text in reverse",
    "blanks in a text",
    "a word changed",
    "a word removed",
    "two words exchanged",
    "a digit in a line",
    "a blank line",
    "blanks at the end of a line",
    "two lines changed",
];

/// Small numbers that follow each other as if they were thrown.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }
}

/// All places of a document with something of a kind.
fn places(
    value: &Value,
    is: &dyn Fn(&Value) -> bool,
    at: &mut Vec<usize>,
    out: &mut Vec<Vec<usize>>,
) {
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
fn some<'a>(
    value: &'a mut Value,
    dice: &mut Dice,
    is: &dyn Fn(&Value) -> bool,
) -> Option<&'a mut Value> {
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
    let Value::Number(number) = place else {
        return None;
    };
    *number = match number.parse::<i64>() {
        Ok(n) => (n ^ 1).to_string().into(),
        Err(_) => format!("{:?}", (number.parse::<f32>().ok()? + 0.5)).into(),
    };
    Some(())
}

/// Two values of a kind, each at the other's place.
fn exchange(value: &mut Value, dice: &mut Dice, is: &dyn Fn(&Value) -> bool) -> Option<()> {
    let mut found = Vec::new();
    places(value, is, &mut Vec::new(), &mut found);
    let a = found.get(dice.below(found.len()))?.clone();
    let b = found.get(dice.below(found.len()))?.clone();
    let first = at(value, &a).clone();
    let second = std::mem::replace(at(value, &b), first);
    *at(value, &a) = second;
    Some(())
}

fn list<'a>(value: &'a mut Value, dice: &mut Dice, least: usize) -> Option<&'a mut Vec<Value>> {
    match some(
        value,
        dice,
        &|value| matches!(value, Value::List(items) if items.len() >= least),
    )? {
        Value::List(items) => Some(items),
        _ => None,
    }
}

fn document(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    match kind {
        "a number" => number(value, dice),
        "a small number" => {
            let place = some(
                value,
                dice,
                &|value| matches!(value, Value::Number(number) if number.contains('.')),
            )?;
            *place = Value::Number("0.001".into());
            Some(())
        }
        "a switch" => {
            let place = some(value, dice, &|value| matches!(value, Value::Bool(_)))?;
            *place = Value::Bool(*place == Value::Bool(false));
            Some(())
        }
        "a number made zero"
        | "a number with the other sign"
        | "a large number"
        | "a number doubled" => other_number(value, kind, dice),
        "two numbers" => number(value, dice).and_then(|()| number(value, dice)),
        "a text and a number" => {
            document(value, "a text", dice)?;
            number(value, dice)
        }
        "two numbers exchanged" => {
            exchange(value, dice, &|value| matches!(value, Value::Number(_)))
        }
        "two texts exchanged" => exchange(value, dice, &|value| value.text().is_some()),
        "a text" | "an item renamed" | "a longer text" => other_end(value, kind, dice),
        "a text emptied"
        | "a text cut"
        | "a text twice"
        | "a text in capitals"
        | "an accented letter"
        | "quotes and backslashes"
        | "another first letter"
        | "a text in reverse"
        | "blanks in a text" => other_text(value, kind, dice),
        "a hexadecimal digit"
        | "a hexadecimal word"
        | "a hexadecimal word removed"
        | "a hexadecimal word added"
        | "hexadecimal words exchanged" => words(value, kind, dice),
        "a field removed" => {
            let place = some(
                value,
                dice,
                &|value| matches!(value, Value::Record(fields) if fields.len() > 1),
            )?;
            let Value::Record(fields) = place else {
                return None;
            };
            fields.remove(dice.below(fields.len()));
            Some(())
        }
        _ => items(value, kind, dice),
    }
}

fn other_number(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    let place = some(value, dice, &|value| matches!(value, Value::Number(_)))?;
    let Value::Number(number) = place else {
        return None;
    };
    let other: String = match (kind, number.contains('.'), number.strip_prefix('-')) {
        ("a number made zero", true, _) => "0.0".into(),
        ("a number made zero", ..) => "0".into(),
        ("a large number", true, _) => "16777216.0".into(),
        ("a large number", ..) => "32767".into(),
        ("a number doubled", true, _) => format!("{:?}", number.parse::<f32>().ok()? * 2.0),
        ("a number doubled", ..) => number.parse::<i64>().ok()?.checked_mul(2)?.to_string(),
        (_, _, Some(positive)) => positive.to_owned(),
        (_, _, None) => format!("-{number}"),
    };
    *number = other.into();
    Some(())
}

/// Another end of a text, or of the name of an item.
fn other_end(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    let place = match kind {
        "an item renamed" => some(value, dice, &|value| {
            value
                .field("name")
                .is_some_and(|name| name.text().is_some())
        })?
        .field_mut("name")?,
        _ => some(value, dice, &|value| value.text().is_some())?,
    };
    let Value::Text(word) = place else {
        return None;
    };
    let mut own = String::from(word.clone());
    let text = &mut own;
    match kind {
        "a longer text" => text.push_str("xy"),
        _ if text.is_empty() => text.push('q'),
        _ => {
            let last = text.pop()?;
            text.push(if last == 'z' { 'y' } else { 'z' });
        }
    }
    *word = own.into();
    Some(())
}

fn other_text(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    let place = some(value, dice, &|value| {
        value.text().is_some_and(|text| !text.is_empty())
    })?;
    let Value::Text(word) = place else {
        return None;
    };
    let mut own = String::from(word.clone());
    let text = &mut own;
    let half = text.chars().count() / 2;
    match kind {
        "a text emptied" => text.clear(),
        "a text cut" => *text = text.chars().take(half).collect(),
        "a text twice" => *text = text.repeat(2),
        "a text in capitals" => {
            *text = if text.to_uppercase() == *text {
                text.to_lowercase()
            } else {
                text.to_uppercase()
            }
        }
        "an accented letter" => text.push('é'),
        "a text in reverse" => *text = text.chars().rev().collect(),
        "blanks in a text" => {
            text.insert_str(text.char_indices().nth(half).map_or(0, |(at, _)| at), "  ")
        }
        "quotes and backslashes" => text.push_str("\\\"'"),
        _ => {
            let first = text.remove(0);
            text.insert(0, if first == 'A' { 'B' } else { 'A' });
        }
    }
    *word = own.into();
    Some(())
}

/// Another digit or word in a text of hexadecimal words.
fn words(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    let is = |value: &Value| {
        let digits = value
            .text()
            .map(|text| text.strip_prefix("0x").unwrap_or(text));
        digits.is_some_and(|text| {
            text.len() >= 8
                && text
                    .bytes()
                    .all(|byte| byte == b' ' || byte.is_ascii_hexdigit())
        })
    };
    let Value::Text(word) = some(value, dice, &is)? else {
        return None;
    };
    let mut own = String::from(word.clone());
    let text = &mut own;
    let mut words: Vec<&str> = text.split(' ').collect();
    match kind {
        "a hexadecimal word removed" => _ = words.pop().filter(|_| text.contains(' '))?,
        "a hexadecimal word added" => words.push("0badf00d"),
        "hexadecimal words exchanged" => words.reverse(),
        _ => words.clear(),
    }
    if !words.is_empty() {
        *word = words.join(" ").into();
        return Some(());
    }
    let many = if kind == "a hexadecimal digit" { 1 } else { 8 };
    let end = text.split_off(text.len() - many);
    text.extend(end.chars().map(|c| match c {
        '5' => 'a',
        ' ' => ' ',
        _ => '5',
    }));
    *word = own.into();
    Some(())
}

/// Adds, removes, moves or changes items of a list.
fn items(value: &mut Value, kind: &str, dice: &mut Dice) -> Option<()> {
    let least = match kind {
        "the first item removed"
        | "the last item removed"
        | "an item twice"
        | "a copied item, edited" => 1,
        "the items in reverse" => 3,
        "half of the items removed" => 4,
        "an item removed"
        | "an item at the beginning"
        | "an item and its neighbour"
        | "the first item at the end"
        | "the last item at the beginning"
        | "two items edited" => 2,
        _ => return None,
    };
    let items = list(value, dice, least)?;
    let edit = |item: &mut Value, dice: &mut Dice| {
        number(item, dice).or_else(|| document(item, "a longer text", dice))
    };
    match kind {
        "the first item removed" => _ = items.remove(0),
        "an item removed" => _ = items.remove(dice.below(items.len())),
        "the last item removed" => _ = items.pop(),
        "an item twice" => {
            let i = dice.below(items.len());
            items.insert(i, items[i].clone());
        }
        "an item at the beginning" => items.insert(0, items[items.len() - 1].clone()),
        "a copied item, edited" => {
            let mut copy = items[dice.below(items.len())].clone();
            edit(&mut copy, dice)?;
            items.push(copy);
        }
        "an item and its neighbour" => {
            let i = dice.below(items.len() - 1);
            items.swap(i, i + 1);
        }
        "the first item at the end" => items.rotate_left(1),
        "the last item at the beginning" => items.rotate_right(1),
        "the items in reverse" => items.reverse(),
        "two items edited" => {
            let i = dice.below(items.len() - 1);
            edit(&mut items[i], dice)?;
            edit(&mut items[i + 1], dice)?;
        }
        _ => {
            let mut keep = false;
            items.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }
    Some(())
}

fn plain(bytes: &Bytes, kind: &str, dice: &mut Dice) -> Option<Bytes> {
    let mut bytes = bytes.to_vec();
    let lines = || -> Option<Vec<String>> {
        Some(
            String::from_utf8(bytes.clone())
                .ok()?
                .split_inclusive('\n')
                .map(str::to_owned)
                .collect(),
        )
    };
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
        "a line twice" | "two lines exchanged" | "the first line removed" | "a line at the end" => {
            let mut lines = lines()?;
            match kind {
                "a line twice" => {
                    let i = dice.below(lines.len());
                    lines.insert(i, lines.get(i)?.clone());
                }
                "two lines exchanged" => {
                    let (i, j) = (dice.below(lines.len()), dice.below(lines.len()));
                    if i.max(j) >= lines.len() {
                        return None;
                    }
                    lines.swap(i, j);
                }
                "the first line removed" if !lines.is_empty() => _ = lines.remove(0),
                "a line at the end" => lines.push("set end 1\r\n".into()),
                _ => return None,
            }
            bytes = lines.concat().into_bytes();
        }
        "a word changed" | "a word removed" | "two words exchanged" | "a digit in a line" => {
            let mut words: Vec<String> = String::from_utf8(bytes.clone())
                .ok()?
                .split(' ')
                .map(str::to_owned)
                .collect();
            let is = |word: &String| match kind {
                "a digit in a line" => word.contains(|c: char| c.is_ascii_digit()),
                _ => {
                    word.len() > 1
                        && word
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                }
            };
            let fit: Vec<usize> = words
                .iter()
                .enumerate()
                .filter(|(_, word)| is(word))
                .map(|(i, _)| i)
                .collect();
            let (i, j) = (
                *fit.get(dice.below(fit.len()))?,
                *fit.get(dice.below(fit.len()))?,
            );
            match kind {
                "a word changed" => words[i] = "other".into(),
                "a word removed" => _ = words.remove(i),
                "two words exchanged" => words.swap(i, j),
                _ => {
                    words[i] = words[i]
                        .chars()
                        .map(|c| if c.is_ascii_digit() { '7' } else { c })
                        .collect()
                }
            }
            bytes = words.join(" ").into_bytes();
        }
        "a blank line" | "blanks at the end of a line" | "two lines changed" => {
            let mut lines = lines()?;
            let i = dice.below(lines.len());
            match kind {
                "a blank line" => lines.insert(i, "\r\n".into()),
                "blanks at the end of a line" => {
                    let line = lines.get_mut(i)?;
                    let end = line.trim_end_matches(['\r', '\n']).len();
                    line.insert_str(end, "  ");
                }
                _ => {
                    let j = dice.below(lines.len());
                    for i in [i, j] {
                        let line = lines.get_mut(i)?;
                        *line = line.replacen(' ', " y ", 1);
                    }
                }
            }
            bytes = lines.concat().into_bytes();
        }
        "a plain file emptied" => bytes.clear(),
        "a plain file without its beginning" => _ = bytes.drain(..bytes.len() / 3),
        "two bytes of a plain file" => {
            for _ in 0..2 {
                let i = bytes.len().checked_sub(1 + dice.below(bytes.len()))?;
                bytes[i] ^= 0x21;
            }
        }
        "a plain file twice" => bytes.extend_from_within(..),
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

/// A picture with another content or size.
fn picture(file: &Bytes, kind: &str, dice: &mut Dice) -> Option<Bytes> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file.as_ref()))
        .read_info()
        .ok()?;
    let mut samples = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut samples).ok()?;
    samples.truncate(frame.buffer_size());
    let info = reader.info();
    let (line, mut width, mut height) = (frame.line_size, frame.width, frame.height);
    let pixel = frame.color_type.samples();
    // The palette in the manifest determines the colour of an index.
    let most = info.palette.as_ref().map(|palette| palette.len() / 3);
    let change = |sample: &mut u8| {
        *sample = most.map_or(*sample ^ 0x80, |most| {
            ((usize::from(*sample) + 1) % most.max(1)) as u8
        })
    };
    if samples.is_empty() || line == 0 || frame.bit_depth != png::BitDepth::Eight {
        return None;
    }
    let rows = samples.len() / line;
    match kind {
        "a pixel" | "two pixels" => {
            for _ in 0..if kind == "a pixel" { 1 } else { 2 } {
                let i = dice.below(samples.len());
                change(&mut samples[i]);
            }
        }
        "a row of pixels" => {
            let row = dice.below(rows) * line;
            samples[row..row + line].iter_mut().for_each(change);
        }
        "a column of pixels" => {
            let at = dice.below(line);
            samples.iter_mut().skip(at).step_by(line).for_each(change);
        }
        "every pixel changed" => samples.iter_mut().for_each(change),
        "the pixels in reverse" => {
            samples = samples.chunks(pixel).rev().flatten().copied().collect()
        }
        "a picture upside down" => {
            samples = samples.chunks(line).rev().flatten().copied().collect()
        }
        "a picture mirrored" => {
            samples = samples
                .chunks(line)
                .flat_map(|row| row.chunks(pixel).rev().flatten())
                .copied()
                .collect()
        }
        "a picture of one colour" => samples = samples[..pixel].repeat(samples.len() / pixel),
        "a picture cut" if height > 1 => {
            height -= 1;
            samples.truncate(samples.len() - line);
        }
        "half of a picture" if height > 1 => {
            height /= 2;
            samples.truncate(height as usize * line);
        }
        "a larger picture" => {
            height += 1;
            samples.extend_from_within(samples.len() - line..);
        }
        "a narrower picture" if width > 1 => {
            width -= 1;
            samples = samples
                .chunks(line)
                .flat_map(|row| &row[..line - pixel])
                .copied()
                .collect();
        }
        "a wider picture" => {
            width += 1;
            samples = samples
                .chunks(line)
                .flat_map(|row| row.iter().chain(&row[line - pixel..]))
                .copied()
                .collect();
        }
        "two rows of pixels exchanged" => {
            let (i, j) = (dice.below(rows), dice.below(rows));
            for at in 0..line {
                samples.swap(i * line + at, j * line + at);
            }
        }
        "the first row of pixels at the end" => samples.rotate_left(line),
        _ => return None,
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(frame.color_type);
    encoder.set_depth(frame.bit_depth);
    if let Some(palette) = &info.palette {
        encoder.set_palette(palette.to_vec());
    }
    if let Some(trns) = &info.trns {
        encoder.set_trns(trns.to_vec());
    }
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&samples).ok()?;
    writer.finish().ok()?;
    Some(out.into())
}

/// The list of members of a manifest.
const ROWS: [&str; 5] = ["members", "entries", "images", "scripts", "definitions"];

fn members(tree: &Tree, shelf: &TreeFiles, kind: &str, dice: &mut Dice) -> Option<()> {
    let manifest = "refit.json";
    let text = String::from_utf8(shelf.get(manifest).ok()?.to_vec()).ok()?;
    let mut value = Value::parse(&text)?;
    let key = ROWS
        .into_iter()
        .find(|key| matches!(value.field(key), Some(Value::List(rows)) if !rows.is_empty()))?;
    let Value::List(rows) = value.field_mut(key)? else {
        return None;
    };
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
            *name = format!("{name}2").into();
        }
        "a member added" => {
            let mut row = rows[i].clone();
            let file = row
                .field("file")
                .or_else(|| row.field("name"))?
                .text()?
                .to_owned();
            let bytes = shelf
                .get(&file)
                .or_else(|_| shelf.get(&format!("images/{file}.png")))
                .ok()?;
            let new = format!("added-{file}");
            if let Some(Value::Text(name)) = row.field_mut("name") {
                *name = format!("n{name}").into();
            }
            if let Some(Value::Text(name)) = row.field_mut("file") {
                *name = new.as_str().into();
            }
            rows.push(row);
            shelf.set(&new, bytes.into());
        }
        "a member replaced" => {
            let others: Vec<&Part> = tree
                .parts
                .values()
                .filter(|part| {
                    part.kind == PartKind::Bytes
                        || matches!(part.kind, PartKind::Document(_)) && !part.is_manifest()
                })
                .collect();
            let a = others.get(dice.below(others.len()))?;
            let b = others.iter().find(|b| {
                b.kind == a.kind
                    && b.files[0].0 != a.files[0].0
                    && b.files[0].0.rsplit('.').next() == a.files[0].0.rsplit('.').next()
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

/// A file with an edit of this kind; `None` if the edit is impossible, or if the tree refuses it.
pub fn edited(tree: &Tree, kind: &str, seed: u64) -> Option<Vec<u8>> {
    edited_tree(tree, kind, seed).map(|(_, bytes)| bytes)
}

/// The same, and the files of the edited tree.
pub fn edited_tree(tree: &Tree, kind: &str, seed: u64) -> Option<(TreeFiles, Vec<u8>)> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tree.file.len());
    // Some places take the edit, some do not.
    for _ in 0..10 {
        let shelf = tree.shelf.clone();
        let done = members(tree, &shelf, kind, &mut dice).or_else(|| {
            let parts: Vec<(&String, &Part)> = tree.parts.iter().collect();
            let (_, part) = parts[dice.below(parts.len())];
            let (path, file) = &part.files[dice.below(part.files.len())];
            let bytes = shelf.get(path).unwrap_or(file.bytes().ok()?);
            match part.kind {
                PartKind::Document(_) => {
                    let mut value = Value::parse(std::str::from_utf8(&bytes).ok()?)?;
                    document(&mut value, kind, &mut dice)?;
                    shelf.set(path, Bytes::from(value.compact()).into());
                }
                _ if path.ends_with(".png") => {
                    shelf.set(path, picture(&bytes, kind, &mut dice)?.into())
                }
                _ => shelf.set(path, plain(&bytes, kind, &mut dice)?.into()),
            }
            Some(())
        });
        if done.is_none() {
            continue;
        }
        if let Ok((_, bytes)) = pipeline::repack(&shelf)
            && !tree.file.is(&bytes).unwrap_or(true)
        {
            return Some((shelf, bytes));
        }
    }
    None
}
