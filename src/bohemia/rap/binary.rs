//! raP as bytes: reader and writer of the layouts with offsets, and what they share with `table`.

use super::model::{
    ArrayItem, BodyLayout, Config, ConfigClass, ConfigEntry, ConfigValue, DEEPEST, EntryContent,
};
use bytes::Bytes;
use refit_base::wire::{
    Error, F32, Notation, Plain, Reader, Result, Role, decode_1252, fit, value_at,
};
use std::collections::HashSet;

/// The first four bytes.
pub const MAGIC: [u8; 4] = *b"\0raP";
/// The word after the magic and the version.
pub const USUAL: u32 = 8;
/// Where the root begins.
const ROOT: u64 = 16;

/// A parsed file.
#[derive(Default)]
pub struct Parsed {
    /// Its classes.
    pub config: Config,
    /// Their order.
    pub layout: BodyLayout,
    /// The word at offset 8, if it is not the usual one.
    pub unk8: Option<u32>,
    /// The enum offset, if it is not the end of the bodies.
    pub enum_offset: Option<u32>,
    /// The `next` fields that break the rule: the number of the body in the file, and the value.
    pub odd_next: Vec<[u32; 2]>,
    /// Bytes after the end.
    pub tail: Bytes,
}

impl Parsed {
    /// A file in the layout of Bohemia's programs.
    pub fn of(config: Config) -> Self {
        Parsed {
            config,
            ..Parsed::default()
        }
    }
}

/// A part of the file that shares its memory.
pub fn share(file: &Bytes, part: &[u8]) -> Bytes {
    if part.is_empty() {
        Bytes::new()
    } else {
        file.slice_ref(part)
    }
}

/// Reads a text up to its zero byte.
pub fn text(r: &mut Reader<'_>, file: &Bytes, name: &str) -> Result<Bytes> {
    Ok(share(file, r.c_text(name, Role::Value)?))
}

/// Reads a packed number. Longer spellings than necessary are refused: no program writes them.
pub fn packed(r: &mut Reader<'_>, name: &str) -> Result<u32> {
    let start = r.offset();
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let byte: u8 = r.get().map_err(|e| e.within(name))?;
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            let size = shift / 7;
            r.note(size, name, Notation::Bytes, Role::Derived);
            let value = u32::try_from(value).map_err(|_| {
                Error::say("a packed number above 32 bits")
                    .within(name)
                    .at(start)
            })?;
            if byte == 0 && size > 1 {
                return Err(Error::say("a packed number with more bytes than it needs")
                    .within(name)
                    .at(start));
            }
            return Ok(value);
        }
        if shift >= 35 {
            return Err(Error::say("a packed number of more than 5 bytes")
                .within(name)
                .at(start));
        }
    }
}

/// Appends a packed number.
pub fn put_packed(out: &mut Vec<u8>, count: usize, what: &str) -> Result<()> {
    let mut rest: u32 = fit(count, what)?;
    while rest > 0x7f {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
    Ok(())
}

/// Appends a text with its zero byte.
pub fn put_text(out: &mut Vec<u8>, text: &[u8]) -> Result<()> {
    if let Some(at) = memchr::memchr(0, text) {
        return Err(Error::say(format!(
            "a text with a zero byte (its byte {at}), which would end it"
        )));
    }
    out.extend_from_slice(text);
    out.push(0);
    Ok(())
}

/// An error unless `count` things of at least `each` bytes can be left.
pub fn check_count(r: &Reader<'_>, count: u32, each: u64, name: &str) -> Result<()> {
    match u64::from(count) * each > r.left() as u64 {
        true => Err(Error::say(format!(
            "{count} is more than the {} bytes left can hold",
            r.left()
        ))
        .within(name)
        .at(r.offset())),
        false => Ok(()),
    }
}

/// Reads the items of an array with `count`, which reads a count, and `value`, which reads a value
/// with this code. Nested arrays use an explicit stack.
pub fn read_items<'a>(
    r: &mut Reader<'a>,
    count: &mut dyn FnMut(&mut Reader<'a>) -> Result<u32>,
    value: &mut dyn FnMut(&mut Reader<'a>, u8) -> Result<Option<ConfigValue>>,
) -> Result<Vec<ArrayItem>> {
    let mut counted = |r: &mut Reader<'a>| {
        let n = count(r)?;
        check_count(r, n, 1, "count")?;
        Ok::<u32, Error>(n)
    };
    let mut open: Vec<(Vec<ArrayItem>, u32)> = vec![(Vec::new(), counted(r)?)];
    let trace = r.trace();
    let mut next = |r: &mut Reader<'a>, deep: usize| -> Result<Result<ConfigValue, u32>> {
        let start = r.offset();
        let code: u8 = r.hidden("code", Role::Derived)?;
        if code != 3 {
            return match value(r, code)? {
                Some(value) => Ok(Ok(value)),
                None => Err(Error::say(format!("no item has the code {code}")).at(start)),
            };
        }
        if deep >= DEEPEST {
            return Err(
                Error::say(format!("arrays are nested more than {DEEPEST} levels deep")).at(start),
            );
        }
        Ok(Err(counted(r)?))
    };
    loop {
        let Some((items, left)) = open.last_mut() else {
            return Ok(Vec::new());
        };
        if *left == 0 {
            let Some((done, _)) = open.pop() else {
                return Ok(Vec::new());
            };
            let Some((outer, _)) = open.last_mut() else {
                return Ok(done);
            };
            if let Some(trace) = trace {
                trace.leave();
            }
            outer.push(ArrayItem::Array(done));
            continue;
        }
        *left -= 1;
        if let Some(trace) = trace {
            trace.enter(&format!("[{}]", items.len()));
        }
        match next(r, open.len()) {
            Ok(Ok(value)) => {
                if let Some((items, _)) = open.last_mut() {
                    items.push(ArrayItem::Value(value));
                }
                if let Some(trace) = trace {
                    trace.leave();
                }
            }
            Ok(Err(count)) => open.push((Vec::new(), count)),
            Err(error) => {
                return Err(open.iter().rev().fold(error, |e, (items, _)| {
                    e.within(format!("[{}]", items.len()))
                }));
            }
        }
    }
}

/// Appends the items of an array with `count` and `value`, which append a count and a value with
/// its code.
pub fn put_items<'a>(
    out: &mut Vec<u8>,
    items: &'a [ArrayItem],
    count: &dyn Fn(&mut Vec<u8>, usize) -> Result<()>,
    value: &mut dyn FnMut(&mut Vec<u8>, &'a ConfigValue) -> Result<()>,
) -> Result<()> {
    count(out, items.len())?;
    let mut open = vec![items.iter()];
    while let Some(items) = open.last_mut() {
        match items.next() {
            None => {
                open.pop();
            }
            Some(ArrayItem::Value(v)) => value(out, v)?,
            Some(ArrayItem::Array(inner)) => {
                if open.len() >= DEEPEST {
                    return Err(Error::say(format!(
                        "arrays are nested more than {DEEPEST} levels deep"
                    )));
                }
                out.push(3);
                count(out, inner.len())?;
                open.push(inner.iter());
            }
        }
    }
    Ok(())
}

/// Reads a value with this code; `None` if the code is unknown.
fn read_value(r: &mut Reader<'_>, file: &Bytes, code: u8) -> Result<Option<ConfigValue>> {
    Ok(Some(match code {
        0 => ConfigValue::Text(text(r, file, "text")?),
        1 => ConfigValue::Float(r.field::<F32>("float")?),
        2 => ConfigValue::Int(r.field("int")?),
        4 => ConfigValue::Expression(text(r, file, "expression")?),
        6 => ConfigValue::Long(long(r)?),
        _ => return Ok(None),
    }))
}

fn long(r: &mut Reader<'_>) -> Result<i64> {
    Ok(i64::get(r.bytes(
        8,
        "long",
        Notation::Signed,
        Role::Value,
    )?))
}

fn code_of(value: &ConfigValue) -> u8 {
    match value {
        ConfigValue::Text(_) => 0,
        ConfigValue::Float(_) => 1,
        ConfigValue::Int(_) => 2,
        ConfigValue::Expression(_) => 4,
        ConfigValue::Long(_) => 6,
    }
}

fn put_value(out: &mut Vec<u8>, value: &ConfigValue) -> Result<()> {
    match value {
        ConfigValue::Text(text) | ConfigValue::Expression(text) => return put_text(out, text),
        ConfigValue::Float(f) => out.extend(f.bits().to_le_bytes()),
        ConfigValue::Int(n) => out.extend(n.to_le_bytes()),
        ConfigValue::Long(n) => out.extend(n.to_le_bytes()),
    }
    Ok(())
}

/// A name in a message or a path.
pub fn shown(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => decode_1252(name).into_owned(),
    }
}

/// The places of the classes of a file that is being read.
struct Reading {
    /// Start of the body.
    start: Vec<u64>,
    /// End of the entries.
    end: Vec<u64>,
    /// The outer class, and the name.
    parent: Vec<(usize, Bytes)>,
    depth: Vec<usize>,
    /// Where bodies begin: each must begin at another byte, and all together must not have more
    /// bytes than the file. Otherwise a small file with overlapping bodies would become a huge
    /// model.
    used: HashSet<u64>,
    /// The bytes that further bodies may have.
    left: u64,
}

impl Reading {
    /// The bytes of each body.
    fn sizes(&self) -> Vec<u64> {
        self.end
            .iter()
            .zip(&self.start)
            .map(|(end, start)| end.saturating_sub(*start))
            .collect()
    }

    /// The stored field after a body.
    fn next(&self, file: &Bytes, class: usize) -> Option<u32> {
        value_at(file, usize::try_from(*self.end.get(class)?).ok()?)
    }

    /// The class that an entry of `outer` points to, still without entries.
    fn enter(
        &mut self,
        r: &mut Reader<'_>,
        (outer, name): (usize, &Bytes),
        size: u64,
        config: &mut Config,
    ) -> Result<usize> {
        let offset = u64::from(in_entry(r, name, |r| {
            r.hidden::<u32>("offset", Role::Derived)
        })?);
        let wrong = |what: String| {
            Err(Error::say(what)
                .at(r.offset() - 4)
                .within("offset")
                .within(shown(name)))
        };
        if offset < ROOT || offset >= size {
            return wrong(format!(
                "points to {offset:#x}, outside the file (bodies begin at 0x10 to {size:#x})"
            ));
        }
        if !self.used.insert(offset) {
            return wrong(format!("points to {offset:#x}, where another class begins"));
        }
        let depth = self.depth.get(outer).copied().unwrap_or_default();
        if depth >= DEEPEST {
            return wrong(format!(
                "classes are nested more than {DEEPEST} levels deep"
            ));
        }
        let new = config.classes.len();
        config.classes.push(ConfigClass::default());
        self.start.push(offset);
        self.end.push(offset);
        self.parent.push((outer, name.clone()));
        self.depth.push(depth + 1);
        Ok(new)
    }

    /// The path of a class: `CfgVehicles.Car`.
    fn path(&self, class: usize) -> String {
        let mut steps = Vec::new();
        let mut class = class;
        while let Some((outer, name)) = self.parent.get(class).filter(|_| class != 0) {
            steps.push(shown(name));
            class = *outer;
        }
        steps.reverse();
        steps.join(".")
    }
}

/// Reads what follows the version of a file with offsets.
pub fn read<'a>(file: &'a Bytes, r: &mut Reader<'a>) -> Result<Parsed> {
    let unk8: u32 = r.hidden("unk8", Role::Constant)?;
    let enum_offset: u32 = r.hidden("enum_offset", Role::Derived)?;
    let mut config = Config::default();
    let reading = read_bodies(file, r, &mut config)?;
    let mut why = None;
    for (layout, places) in layouts(file, &config, &reading, enum_offset) {
        // Without a trace: the list may belong to another layout.
        let mut list = r.clone().traced(None);
        if let Err(error) = list
            .seek(places.end)
            .and_then(|()| enumerators(file, &mut list))
        {
            why.get_or_insert(error);
            continue;
        }
        let mut odd_next = Vec::new();
        for (position, class) in places.order.iter().enumerate() {
            let (Some(next), Some(stored)) = (places.next.get(*class), reading.next(file, *class))
            else {
                continue;
            };
            if u64::from(stored) != *next {
                odd_next.push([fit(position, "the number of bodies")?, stored]);
            }
        }
        if r.trace().is_some() && !places.next.is_empty() {
            for (class, end) in reading.end.iter().enumerate() {
                r.seek(*end)?;
                r.note_within(reading.path(class), |r| {
                    r.hidden::<u32>("next", Role::Derived)
                })?;
            }
        }
        r.seek(places.end)?;
        config.enums = enumerators(file, r)?;
        return Ok(Parsed {
            layout,
            unk8: (unk8 != USUAL).then_some(unk8),
            enum_offset: (u64::from(enum_offset) != places.end).then_some(enum_offset),
            odd_next,
            tail: share(file, r.rest_as("tail", Role::Gap)),
            config,
        });
    }
    Err(why.unwrap_or_else(|| {
        let usual = Places::new(&config, BodyLayout::DepthFirst, &reading.sizes());
        let other = (0..reading.start.len())
            .find(|class| usual.start.get(*class) != reading.start.get(*class))
            .unwrap_or(0);
        let at = reading.start.get(other).copied().unwrap_or(ROOT);
        Error::say("the body is not where any known program puts it")
            .within(reading.path(other))
            .at(at)
    }))
}

/// Reads the bodies of all classes, from the root on.
fn read_bodies<'a>(file: &'a Bytes, r: &mut Reader<'a>, config: &mut Config) -> Result<Reading> {
    let mut reading = Reading {
        start: vec![ROOT],
        end: vec![0],
        parent: vec![(0, Bytes::new())],
        depth: vec![0],
        used: HashSet::from([ROOT]),
        left: file.len() as u64,
    };
    let mut todo = vec![0];
    while let Some(class) = todo.pop() {
        let start = reading.start.get(class).copied().unwrap_or(ROOT);
        r.seek(start)?;
        let first = config.classes.len();
        let path = if r.trace().is_some() {
            reading.path(class)
        } else {
            String::new()
        };
        let read = r.note_within(&path, |r| read_body(file, r, class, config, &mut reading));
        if let Err(error) = read {
            return Err(error.within(reading.path(class)));
        }
        let end = r.offset();
        reading.left = reading.left.saturating_sub(end.saturating_sub(start));
        if let Some(slot) = reading.end.get_mut(class) {
            *slot = end;
        }
        todo.extend((first..config.classes.len()).rev());
    }
    Ok(reading)
}

/// The layouts that put the bodies at these positions, the most likely first. Only the starts of
/// the bodies must agree; differing fields are stored, and the layout with the fewest of them wins.
fn layouts(
    file: &Bytes,
    config: &Config,
    reading: &Reading,
    enum_offset: u32,
) -> Vec<(BodyLayout, Places)> {
    let sizes = reading.sizes();
    let all = BodyLayout::WITH_OFFSETS
        .into_iter()
        .map(|layout| (layout, Places::new(config, layout, &sizes)));
    let mut found: Vec<_> = all
        .filter(|(_, places)| places.start == reading.start)
        .collect();
    found.sort_by_cached_key(|(_, places)| {
        let stored = |class: usize| reading.next(file, class).map(u64::from);
        let odd = places
            .next
            .iter()
            .enumerate()
            .filter(|(class, next)| stored(*class) != Some(**next))
            .count();
        (places.end != u64::from(enum_offset), odd)
    });
    found
}

/// Reads the list of enumerators.
fn enumerators(file: &Bytes, r: &mut Reader<'_>) -> Result<Vec<(Bytes, i32)>> {
    r.within("enums", |r| {
        let count: u32 = r.hidden("count", Role::Derived)?;
        check_count(r, count, 5, "count")?;
        let mut enums = Vec::new();
        for i in 0..count as usize {
            enums.push(r.item(i, |r| Ok((text(r, file, "name")?, r.field("value")?)))?);
        }
        Ok(enums)
    })
}

/// Reads the body of a class, and appends the classes in it to `config`, still without entries.
fn read_body<'a>(
    file: &'a Bytes,
    r: &mut Reader<'a>,
    class: usize,
    config: &mut Config,
    reading: &mut Reading,
) -> Result<()> {
    let start = r.offset();
    let base = text(r, file, "base")?;
    let count = packed(r, "count")?;
    check_count(r, count, 2, "count")?;
    let mut entries: Vec<ConfigEntry> = Vec::new();
    for i in 0..count {
        let at = r.offset();
        if at - start > reading.left {
            return Err(Error::say("the bodies of classes overlap").at(start));
        }
        let here = |e: Error| e.within(format!("[{i}]"));
        let named = |r: &mut Reader<'a>| text(r, file, "name").map_err(here);
        let array = |r: &mut Reader<'a>, name: &Bytes| {
            let mut count = |r: &mut Reader<'a>| packed(r, "count");
            in_entry(r, name, |r| {
                read_items(r, &mut count, &mut |r, code| read_value(r, file, code))
            })
        };
        let (name, content) = match r.hidden::<u8>("code", Role::Derived).map_err(here)? {
            0 => {
                let name = named(r)?;
                let new = reading.enter(r, (class, &name), file.len() as u64, config)?;
                (name, EntryContent::Class(new))
            }
            1 => {
                let at = r.offset();
                let code: u8 = r.hidden("type", Role::Derived).map_err(here)?;
                let name = named(r)?;
                let value = in_entry(r, &name, |r| match read_value(r, file, code)? {
                    Some(value) => Ok(value),
                    None => Err(Error::say(format!("no value has the type {code}")).at(at)),
                })?;
                (name, EntryContent::Value(value))
            }
            2 => {
                let name = named(r)?;
                let items = array(r, &name)?;
                (name, EntryContent::Array(items))
            }
            3 => (named(r)?, EntryContent::External),
            4 => (named(r)?, EntryContent::Deleted),
            5 => {
                let flag: u32 = r.hidden("flag", Role::Value).map_err(here)?;
                let name = named(r)?;
                let items = array(r, &name)?;
                (name, EntryContent::Changed(flag, items))
            }
            code => {
                return Err(here(
                    Error::say(format!("no entry has the code {code} (0 to 5)")).at(at),
                ));
            }
        };
        entries.push(ConfigEntry { name, content });
    }
    if r.offset() - start > reading.left {
        return Err(Error::say("the bodies of classes overlap").at(start));
    }
    if let Some(slot) = config.classes.get_mut(class) {
        *slot = ConfigClass { base, entries };
    }
    Ok(())
}

/// Reads what follows the name of an entry. The name is a step of the path; it is only converted
/// when needed.
fn in_entry<'a, T>(
    r: &mut Reader<'a>,
    name: &[u8],
    read: impl FnOnce(&mut Reader<'a>) -> Result<T>,
) -> Result<T> {
    let read = match r.trace() {
        Some(_) => r.note_within(shown(name), read),
        None => read(r),
    };
    read.map_err(|e| e.within(shown(name)))
}

/// The positions of class bodies, and their `next` fields. The only description of the layouts, for
/// reader and writer.
struct Places {
    /// The classes in the order of their bodies.
    order: Vec<usize>,
    /// The start of each class.
    start: Vec<u64>,
    /// The field after each class; empty without such fields.
    next: Vec<u64>,
    /// The end of the last body.
    end: u64,
}

impl Places {
    /// The places of classes whose bodies without `next` have these sizes.
    fn new(config: &Config, layout: BodyLayout, sizes: &[u64]) -> Places {
        let order = if layout == BodyLayout::BreadthFirst {
            config.breadth_first()
        } else {
            config.depth_first()
        };
        let field = if layout == BodyLayout::WithoutNext {
            0
        } else {
            4
        };
        let mut start = vec![0; config.classes.len()];
        let mut at = ROOT;
        let mut ends = Vec::with_capacity(order.len());
        for class in &order {
            if let Some(slot) = start.get_mut(*class) {
                *slot = at;
            }
            at = at.saturating_add(sizes.get(*class).copied().unwrap_or_default() + field);
            ends.push(at);
        }
        let mut next = vec![0; if field == 0 { 0 } else { config.classes.len() }];
        if layout == BodyLayout::BreadthFirst {
            for (class, end) in order.iter().zip(&ends) {
                if let Some(slot) = next.get_mut(*class) {
                    *slot = *end;
                }
            }
        } else if field > 0 {
            // The last body below a class: that of its last class, and so on; the order visits it
            // later.
            let mut last: Vec<u64> = vec![0; config.classes.len()];
            for (class, end) in order.iter().zip(&ends).rev() {
                let below = config
                    .children(*class)
                    .next_back()
                    .and_then(|child| last.get(child).copied())
                    .unwrap_or(*end);
                if let (Some(last), Some(next)) = (last.get_mut(*class), next.get_mut(*class)) {
                    (*last, *next) = (below, below);
                }
            }
        }
        Places {
            order,
            start,
            next,
            end: at,
        }
    }
}

/// Writes a file of a layout with offsets.
pub fn write(parsed: &Parsed) -> Result<Vec<u8>> {
    let Parsed {
        config,
        layout,
        unk8,
        enum_offset,
        odd_next,
        tail,
    } = parsed;
    let mut scratch = Vec::new();
    let mut sizes = Vec::with_capacity(config.classes.len());
    for class in &config.classes {
        scratch.clear();
        put_body(&mut scratch, class, &[])?;
        sizes.push(scratch.len() as u64);
    }
    drop(scratch);
    let mut places = Places::new(config, *layout, &sizes);
    for [position, next] in odd_next {
        let class = usize::try_from(*position)
            .ok()
            .and_then(|position| places.order.get(position));
        if let Some(slot) = class.and_then(|class| places.next.get_mut(*class)) {
            *slot = u64::from(*next);
        }
    }
    // All other offsets are smaller.
    let end: u32 = fit(
        usize::try_from(places.end).unwrap_or(usize::MAX),
        "the enum offset",
    )?;
    let mut out = Vec::with_capacity(end as usize + 4 + tail.len());
    out.extend(MAGIC);
    out.extend(
        [
            0u32.to_le_bytes(),
            unk8.unwrap_or(USUAL).to_le_bytes(),
            enum_offset.unwrap_or(end).to_le_bytes(),
        ]
        .concat(),
    );
    for class in &places.order {
        if let Some(body) = config.classes.get(*class) {
            put_body(&mut out, body, &places.start)?;
        }
        if let Some(next) = places.next.get(*class) {
            out.extend((*next as u32).to_le_bytes());
        }
    }
    out.extend(fit::<u32>(config.enums.len(), "the number of enumerators")?.to_le_bytes());
    for (name, value) in &config.enums {
        put_text(&mut out, name).map_err(|e| e.within(shown(name)).within("enum"))?;
        out.extend(value.to_le_bytes());
    }
    out.extend_from_slice(tail);
    Ok(out)
}

/// Appends a body without `next`. Classes that are not in `start` have the offset 0.
fn put_body(out: &mut Vec<u8>, class: &ConfigClass, start: &[u64]) -> Result<()> {
    put_text(out, &class.base)?;
    put_packed(out, class.entries.len(), "the number of entries")?;
    for entry in &class.entries {
        put_entry(out, entry, start).map_err(|e| e.within(shown(&entry.name)))?;
    }
    Ok(())
}

fn put_entry(out: &mut Vec<u8>, entry: &ConfigEntry, start: &[u64]) -> Result<()> {
    let items = |out: &mut Vec<u8>, items: &[ArrayItem]| {
        let count = |out: &mut Vec<u8>, n: usize| put_packed(out, n, "the number of items");
        put_items(out, items, &count, &mut |out, value| {
            out.push(code_of(value));
            put_value(out, value)
        })
    };
    match &entry.content {
        EntryContent::Class(class) => {
            out.push(0);
            put_text(out, &entry.name)?;
            let start = start.get(*class).copied().unwrap_or_default();
            out.extend((start as u32).to_le_bytes());
        }
        EntryContent::Value(value) => {
            out.extend([1, code_of(value)]);
            put_text(out, &entry.name)?;
            put_value(out, value)?;
        }
        EntryContent::Array(list) => {
            out.push(2);
            put_text(out, &entry.name)?;
            items(out, list)?;
        }
        EntryContent::Changed(flag, list) => {
            out.push(5);
            out.extend(flag.to_le_bytes());
            put_text(out, &entry.name)?;
            items(out, list)?;
        }
        EntryContent::External => {
            out.push(3);
            put_text(out, &entry.name)?;
        }
        EntryContent::Deleted => {
            out.push(4);
            put_text(out, &entry.name)?;
        }
    }
    Ok(())
}
