//! raP of Operation Flashpoint: one stream with a table of texts, without offsets.

use super::{
    binary::{self, MAGIC, Parsed, check_count, packed, put_packed, shown},
    model::{BodyLayout, Config, ConfigClass, ConfigEntry, ConfigValue, DEEPEST, EntryContent},
};
use bytes::Bytes;
use refit_base::wire::{Error, F32, Reader, Result, Role, fit};
use std::collections::{HashMap, HashSet};

/// The widths of a version's numbers.
#[derive(Clone, Copy)]
struct Version(u32);

impl Version {
    fn number(self, r: &mut Reader<'_>, is_packed: bool, name: &str) -> Result<u32> {
        if is_packed {
            packed(r, name)
        } else {
            r.hidden(name, Role::Derived)
        }
    }
    /// Positions in the table.
    fn index(self, r: &mut Reader<'_>, name: &str) -> Result<u32> {
        self.number(r, self.0 >= 3, name)
    }
    fn count(self, r: &mut Reader<'_>) -> Result<u32> {
        self.number(r, self.0 >= 4, "count")
    }
    fn put(out: &mut Vec<u8>, is_packed: bool, n: usize, what: &str) -> Result<()> {
        if is_packed {
            return put_packed(out, n, what);
        }
        out.extend(fit::<u32>(n, what)?.to_le_bytes());
        Ok(())
    }
}

/// The texts read so far.
struct Texts<'f> {
    file: &'f Bytes,
    version: Version,
    list: Vec<Bytes>,
    known: HashSet<Bytes>,
}

/// An entry, or the base of a class and the number of its entries.
type EntryOrClass = Result<EntryContent, (Bytes, u32)>;

impl Texts<'_> {
    fn read(&mut self, r: &mut Reader<'_>, name: &str) -> Result<Bytes> {
        let at = r.offset();
        let index = self.version.index(r, name)? as usize;
        if let Some(text) = self.list.get(index) {
            return Ok(text.clone());
        }
        if index > self.list.len() {
            return Err(Error::say(format!(
                "text {index}, but the table has {}",
                self.list.len()
            ))
            .within(name)
            .at(at));
        }
        let text = binary::text(r, self.file, name)?;
        if !self.known.insert(text.clone()) {
            return Err(Error::say("the table already has this text")
                .within(name)
                .at(at));
        }
        self.list.push(text.clone());
        Ok(text)
    }

    fn value(&mut self, r: &mut Reader<'_>, code: u8) -> Result<Option<ConfigValue>> {
        Ok(Some(match code {
            0 => ConfigValue::Text(self.read(r, "text")?),
            1 => ConfigValue::Float(r.field::<F32>("float")?),
            2 => ConfigValue::Int(r.field("int")?),
            _ => return Ok(None),
        }))
    }

    fn count(&mut self, r: &mut Reader<'_>) -> Result<u32> {
        let count = self.version.count(r)?;
        check_count(r, count, 2, "count").map(|()| count)
    }

    /// Reads the head of a class: its base, and the number of its entries.
    fn head(&mut self, r: &mut Reader<'_>) -> Result<(Bytes, u32)> {
        Ok((binary::text(r, self.file, "base")?, self.count(r)?))
    }

    /// Reads an entry. A class is returned with the number of its entries, which follow.
    fn entry<'a>(&mut self, r: &mut Reader<'a>) -> Result<(Bytes, EntryOrClass)> {
        let at = r.offset();
        let code: u8 = r.hidden("code", Role::Derived)?;
        if code == 1 {
            let at = r.offset();
            let kind: u8 = r.hidden("type", Role::Derived)?;
            let name = self.read(r, "name")?;
            let value = self.value(r, kind).map_err(|e| e.within(shown(&name)))?;
            let value = value.ok_or_else(|| {
                Error::say(format!("no value has the type {kind}"))
                    .at(at)
                    .within(shown(&name))
            })?;
            return Ok((name, Ok(EntryContent::Value(value))));
        }
        let name = self.read(r, "name")?;
        match code {
            0 => {
                let head = self.head(r).map_err(|e| e.within(shown(&name)))?;
                Ok((name, Err(head)))
            }
            2 => {
                let version = self.version;
                let mut count = |r: &mut Reader<'a>| version.count(r);
                let items = binary::read_items(r, &mut count, &mut |r, code| self.value(r, code));
                Ok((
                    name.clone(),
                    Ok(EntryContent::Array(
                        items.map_err(|e| e.within(shown(&name)))?,
                    )),
                ))
            }
            _ => Err(Error::say(format!("no entry has the code {code} (0 to 2)")).at(at)),
        }
    }
}

/// A class whose entries are being read.
struct Open {
    class: usize,
    name: Bytes,
    left: u32,
}

/// Reads what follows the version.
pub fn read(file: &Bytes, r: &mut Reader<'_>, version: u32) -> Result<Parsed> {
    let layout = match version {
        2 => BodyLayout::Table2,
        3 => BodyLayout::Table3,
        _ => BodyLayout::Table4,
    };
    let mut texts = Texts {
        file,
        version: Version(version),
        list: Vec::new(),
        known: HashSet::new(),
    };
    let mut config = Config {
        name: texts.read(r, "name")?,
        ..Config::default()
    };
    let (base, left) = texts.head(r)?;
    if let Some(root) = config.classes.first_mut() {
        root.base = base;
    }
    let mut open = vec![Open {
        class: 0,
        name: Bytes::new(),
        left,
    }];
    let trace = r.trace();
    while let Some(current) = open.last_mut() {
        if current.left == 0 {
            open.pop();
            if let Some(trace) = trace.filter(|_| !open.is_empty()) {
                trace.leave();
            }
            continue;
        }
        current.left -= 1;
        let (class, at) = (current.class, r.offset());
        let position = config.entries(class).len();
        let entry = r.note_within(format!("[{position}]"), |r| texts.entry(r));
        let entry = entry.and_then(|entry| match open.len() > DEEPEST && entry.1.is_err() {
            true => Err(Error::say(format!(
                "classes are nested more than {DEEPEST} levels deep"
            ))
            .at(at)),
            false => Ok(entry),
        });
        let (name, content) = entry.map_err(|e| {
            let names = open.iter().skip(1).rev();
            names.fold(e.within(format!("[{position}]")), |e, open| {
                e.within(shown(&open.name))
            })
        })?;
        let content = content.unwrap_or_else(|(base, left)| {
            let new = config.classes.len();
            config.classes.push(ConfigClass {
                base,
                entries: Vec::new(),
            });
            if let Some(trace) = trace {
                trace.enter(&shown(&name));
            }
            open.push(Open {
                class: new,
                name: name.clone(),
                left,
            });
            EntryContent::Class(new)
        });
        if let Some(class) = config.classes.get_mut(class) {
            class.entries.push(ConfigEntry { name, content });
        }
    }
    let tail = binary::share(file, r.rest_as("tail", Role::Gap));
    Ok(Parsed {
        config,
        layout,
        tail,
        ..Parsed::default()
    })
}

/// A table that is being written.
struct Table<'a> {
    version: u32,
    index: HashMap<&'a [u8], usize>,
}

impl<'a> Table<'a> {
    fn put(&mut self, out: &mut Vec<u8>, text: &'a [u8]) -> Result<()> {
        let next = self.index.len();
        let index = *self.index.entry(text).or_insert(next);
        Version::put(out, self.version >= 3, index, "the number of texts")?;
        if index == next {
            binary::put_text(out, text)
        } else {
            Ok(())
        }
    }

    fn put_value(&mut self, out: &mut Vec<u8>, value: &'a ConfigValue) -> Result<()> {
        match value {
            ConfigValue::Text(text) => self.put(out, text)?,
            ConfigValue::Float(f) => out.extend(f.bits().to_le_bytes()),
            ConfigValue::Int(n) => out.extend(n.to_le_bytes()),
            ConfigValue::Long(_) => return Err(cannot("integers above 32 bits")),
            ConfigValue::Expression(_) => return Err(cannot("expressions")),
        }
        Ok(())
    }
}

fn code_of(value: &ConfigValue) -> u8 {
    match value {
        ConfigValue::Text(_) => 0,
        ConfigValue::Float(_) => 1,
        _ => 2,
    }
}

#[cold]
fn cannot(what: &str) -> Error {
    Error::say(format!(
        "binary files of Operation Flashpoint have no {what}"
    ))
    .hint("the layout is in the manifest")
}

/// Writes a file of version 2, 3 or 4.
pub fn write(config: &Config, version: u32, tail: &[u8]) -> Result<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    out.extend(version.to_le_bytes());
    let mut table = Table {
        version,
        index: HashMap::new(),
    };
    table.put(&mut out, &config.name)?;
    if !config.enums.is_empty() {
        return Err(cannot("enumerators"));
    }
    let is_packed = version >= 4;
    let head = |out: &mut Vec<u8>, class: &ConfigClass| {
        binary::put_text(out, &class.base)?;
        Version::put(out, is_packed, class.entries.len(), "the number of entries")
    };
    let root = config.classes.first();
    root.map_or(Ok(()), |root| head(&mut out, root))?;
    let mut open = vec![config.entries(0).iter()];
    while let Some(entries) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            continue;
        };
        let inner = put_entry(&mut out, &mut table, entry, is_packed)
            .map_err(|e| e.within(shown(&entry.name)))?;
        if let Some(class) = inner.and_then(|class| config.classes.get(class)) {
            head(&mut out, class)?;
            open.push(class.entries.iter());
        }
    }
    out.extend_from_slice(tail);
    Ok(out)
}

/// Appends an entry; for a class, only the part before its base. Returns the class.
fn put_entry<'a>(
    out: &mut Vec<u8>,
    table: &mut Table<'a>,
    entry: &'a ConfigEntry,
    is_packed: bool,
) -> Result<Option<usize>> {
    match &entry.content {
        EntryContent::Class(class) => {
            out.push(0);
            table.put(out, &entry.name)?;
            return Ok(Some(*class));
        }
        EntryContent::Value(value) => {
            out.extend([1, code_of(value)]);
            table.put(out, &entry.name)?;
            table.put_value(out, value)?;
        }
        EntryContent::Array(items) => {
            out.push(2);
            table.put(out, &entry.name)?;
            put_items(out, table, items, is_packed)?;
        }
        EntryContent::Changed(..) => return Err(cannot("+= and -=")),
        EntryContent::External => return Err(cannot("external classes")),
        EntryContent::Deleted => return Err(cannot("deleted classes")),
    }
    Ok(None)
}

fn put_items<'a>(
    out: &mut Vec<u8>,
    table: &mut Table<'a>,
    items: &'a [super::model::ArrayItem],
    is_packed: bool,
) -> Result<()> {
    let count =
        |out: &mut Vec<u8>, n: usize| Version::put(out, is_packed, n, "the number of items");
    binary::put_items(out, items, &count, &mut |out, value| {
        out.push(code_of(value));
        table.put_value(out, value)
    })
}
