//! Reader files: binary `.zrd` values, as members of archives and loose (reader/FORMAT.md).
//!
//! A value is modelled as its bytes, validated once: text and bytes are converted directly without
//! a tree in between, so that 300,000 nested lists need no stack and little memory.
//!
//! What the engines do with values (read in the executables of Recoil and MechWarrior 3): a member
//! is read from its start without regard to its length, so a value that claims more continues into
//! the next member. A key is searched depth first, in nested lists as they come, and is
//! case-sensitive. The first equal string wins, even if it is a value, and the next item is its
//! value, or unrelated memory if it was the last. The file does not say which strings are keys:
//! refit cannot distinguish a key at the end of a list from a list of names, and reports nothing.
//! The same holds for an integer among floats: MechWarrior 3 and Crimson Skies accept either for a
//! float, Recoil's loaders take the bits unchanged, and no file says which type a key expects.
//! Recoil never reads `anim.zrd` and the animation definitions in its `zrdr.zbd`: it uses
//! `anim.zbd`. Recoil and MechWarrior 3 do not read loose binary files; Crimson Skies reads one
//! that is newer than the archive's file.

mod items;
pub mod known;
pub mod schemas;
mod spelling;
pub(crate) mod text;
mod values;

pub use values::{Items, Value, View};

use bytes::Bytes;
use refit_base::{
    contract::{Context, Detection, Family, Info, Stage, Suspect, Verdict},
    format::Format,
    game::Game,
    lint::{Code, Lints, NOT_FINITE, codes},
    naming::{self, Does, NameKind, NameUse},
    support::{members::Typed, single::SingleFile},
    tree::{ByteSink, Document, Style},
    wire::{Error, F32, Notation, Reader, Result, Role, decode_1252},
};
use spelling::Parser;
use std::collections::BTreeSet;

/// Reports the names in a member of a reader archive, given its path in a tree and its text.
/// Readers have no types: names are found by the declarations of the members that the games look for
/// ([`known`]), by file extensions, by the keys of messages, and by the key of an animation's name.
pub(crate) fn names_in_member(path: &str, text: &str, see: &mut dyn FnMut(NameUse)) {
    let file = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    if matches!(file.as_str(), "refit.json") {
        return;
    }
    let member = file
        .split_once(".zrd")
        .map_or(file.as_str(), |(stem, _)| stem);
    let mut said = BTreeSet::new();
    let mut say = |kind, does, name: &str, at: &str| {
        said.insert(at.to_owned());
        see(NameUse {
            kind,
            does,
            name: name.to_owned(),
            at: at.to_owned(),
        })
    };
    // The previous text: its path, shape and value.
    let mut before: Option<(String, String, String)> = None;
    naming::walk(text, &mut |leaf| {
        if let (Some((path, shape, key)), "effects") = (&before, member)
            && matches!(shape.as_str(), "[]" | "[][]")
            && next_item(path).is_some_and(|next| {
                leaf.path
                    .strip_prefix(&next)
                    .is_some_and(|rest| rest.starts_with('[') || (rest.is_empty() && !leaf.is_text))
            })
        {
            say(NameKind::Effect, Does::Defines, key, path);
        }
        if !leaf.is_text {
            before = None;
            return;
        }
        if let Some((path, _, key)) = &before
            && key == "ANIMATION_NAME"
            && next_item(path).is_some_and(|next| leaf.path.strip_prefix(&next) == Some("[0]"))
        {
            say(NameKind::Definition, Does::Defines, &leaf.value, leaf.path);
        }
        let lower = leaf.value.to_ascii_lowercase();
        if lower.ends_with(".wav") {
            // A sample: name, file, playback parameters.
            if let (Some((path, _, name)), "sounds") = (&before, member)
                && path.ends_with("[0]")
                && next_item(path).is_some_and(|next| leaf.path == next)
            {
                say(NameKind::Sound, Does::Defines, name, path);
            }
            say(NameKind::Sound, Does::Uses, &leaf.value, leaf.path);
        } else if lower.starts_with("msg_") {
            say(NameKind::Message, Does::Uses, &leaf.value, leaf.path);
        } else if [".tif", ".tga", ".bmp", ".pcx"]
            .iter()
            .any(|end| lower.ends_with(end))
        {
            say(NameKind::Texture, Does::Uses, &leaf.value, leaf.path);
        } else if lower.ends_with(".flt") {
            say(NameKind::Model, Does::Uses, &leaf.value, leaf.path);
        } else if lower.ends_with(".zrd") {
            say(NameKind::Member, Does::Uses, &leaf.value, leaf.path);
        }
        before = Some((
            leaf.path.to_owned(),
            leaf.shape.to_owned(),
            leaf.value.clone().into_owned(),
        ));
    });
    if known::all().any(|known| known.has_member(member)) {
        let style = Style::of(&file).unwrap_or(Style::Json);
        if let Ok(doc) = ReaderDoc::from_text(text, style) {
            declared_names(member, &doc, &mut |kind, name, at| {
                if !said.contains(at) {
                    see(NameUse {
                        kind,
                        does: Does::Uses,
                        name: name.to_owned(),
                        at: at.to_owned(),
                    });
                }
            });
        }
    }
}

/// Reports the names in a member that a declaration of its name describes.
fn declared_names(member: &str, doc: &ReaderDoc, see: &mut dyn FnMut(NameKind, &str, &str)) {
    let Some(items) = items::Items::of(doc) else {
        return;
    };
    let names = |known: &'static known::KnownReader| -> Vec<(NameKind, usize)> {
        let values = known.described(&items, None).values;
        values
            .iter()
            .filter_map(|value| Some((value.names()?, value.at)))
            .collect()
    };
    let own = || known::all().filter(|known| known.has_member(member));
    // Which game the reader belongs to shows in its outermost list.
    let found = own()
        .filter(|known| known.may_be(&items))
        .chain(own())
        .map(names)
        .find(|found| !found.is_empty());
    let before = if doc.trailing.is_empty() { "" } else { "value" };
    let mut seen = BTreeSet::new();
    for (kind, at) in found.unwrap_or_default() {
        if let Some(name) = items.text(at).filter(|name| !name.is_empty())
            && seen.insert(at)
        {
            see(
                kind,
                &decode_1252(name),
                &format!("{before}{}", items.path(at)),
            );
        }
    }
}

/// The path of the next item of a list: `[2][4]` for `[2][3]`.
fn next_item(path: &str) -> Option<String> {
    let (list, position) = path.strip_suffix(']')?.rsplit_once('[')?;
    Some(format!(
        "{list}[{}]",
        position.parse::<usize>().ok()?.checked_add(1)?
    ))
}

/// The loose file format, lint codes and schema of this module. Members belong to
/// [`crate::archive`].
pub const FAMILY: Family = Family {
    formats: &[Format::ZrdBinary],
    recognise: &[(Stage::Content, recognise)],
    codes: CODES,
    schemas: || vec![refit_base::contract::schema::<ReaderDoc>()],
};

codes! {
    /// The kinds of findings in all reader files.
    pub CODES:
    READER_TRAILING "reader-trailing" Unusual [] "trailing bytes after the outermost value"
        "The engine ignores them; refit keeps them. No member of Crimson Skies has any."
        "Recoil and MechWarrior 3 read one value and stop. Members of Crimson Skies end with it."
    READER_ROOT "reader-root" Unusual [] "the outermost value is not a list"
        "In every known file it is a list."
        "Measured on shipped readers."
    READER_RAW "reader-raw" Crashes [Rc Mw] "a member's values do not end where the member ends"
        "A value claims to be longer than the member, a list counts 0, or a tag is unknown. The engine reads values \
        without checking the member's length, so it reads on in the next member, or corrupts its memory. refit keeps \
        the bytes unchanged."
        "Read in the engines of Recoil and MechWarrior 3 1.2. All 1,293 readers of Crimson Skies are valid."
    READER_STRING "reader-string" Unusual [] "a string that is not plain ASCII"
        "Known strings are ASCII. The engine reads a string only up to its first zero byte."
        "Measured on shipped readers."
}

const INT: u32 = 1;
const FLOAT: u32 = 2;
const STRING: u32 = 3;
const LIST: u32 = 4;

/// An event of a walk over a value.
#[derive(Clone, Copy)]
pub enum WalkStep<'a> {
    /// An integer.
    Int(i32),
    /// A float.
    Float(F32),
    /// A string.
    Text(&'a [u8]),
    /// The start of a list with this many items.
    Open(u32),
    /// The end of a list.
    Close,
}

/// Walks one outermost value up to its end. Not recursive.
fn walk<'a>(r: &mut Reader<'a>, mut see: impl FnMut(WalkStep<'a>)) -> Result<()> {
    // Remaining items and all items of every open list.
    let mut open: Vec<(u32, u32)> = Vec::new();
    let trace = r.trace();
    let enter = |open: &[(u32, u32)]| {
        if let (Some(trace), Some((left, all))) = (trace, open.last()) {
            trace.enter(&format!("[{}]", all - left));
        }
    };
    let leave = |open: &[(u32, u32)]| {
        if let (Some(trace), Some(_)) = (trace, open.last()) {
            trace.leave();
        }
    };
    loop {
        enter(&open);
        match value(r) {
            Ok(WalkStep::Open(n)) => {
                see(WalkStep::Open(n));
                open.push((n, n));
            }
            Ok(step) => {
                see(step);
                leave(&open);
                match open.last_mut() {
                    Some((left, _)) => *left -= 1,
                    None => return Ok(()),
                }
            }
            Err(e) => {
                let path: String = open
                    .iter()
                    .map(|(left, all)| format!("[{}]", all - left))
                    .collect();
                return Err(if path.is_empty() { e } else { e.within(path) });
            }
        }
        // A finished value closes every list that it completes.
        while let Some((0, _)) = open.last() {
            open.pop();
            see(WalkStep::Close);
            leave(&open);
            match open.last_mut() {
                Some((left, _)) => *left -= 1,
                None => return Ok(()),
            }
        }
    }
}

fn value<'a>(r: &mut Reader<'a>) -> Result<WalkStep<'a>> {
    let at = r.offset();
    match r.hidden::<u32>("tag", Role::Derived)? {
        // A value has no name: its position in the lists is its path.
        INT => r.field::<i32>("").map(WalkStep::Int),
        FLOAT => Ok(WalkStep::Float(r.field("")?)),
        STRING => {
            let n = r.hidden::<u32>("length", Role::Derived)?;
            let left = r.left();
            r.bytes(n.into(), "", Notation::Text, Role::Value)
                .map(WalkStep::Text)
                .map_err(|_| {
                    Error::say(format!("the string claims {n} bytes, but {left} are left")).at(at)
                })
        }
        LIST => {
            let n = r.hidden::<u32>("count", Role::Derived)?;
            let left = r.left();
            match n.checked_sub(1) {
                None => Err(Error::say(
                    "the list claims a count of 0, but the count includes the list itself",
                )
                .at(at)),
                Some(items) if u64::from(items) * 8 > left as u64 => Err(Error::say(format!(
                    "the list claims {items} items, but {left} bytes are left"
                ))
                .at(at)),
                Some(items) => Ok(WalkStep::Open(items)),
            }
        }
        tag => Err(Error::say(format!(
            "tag {tag} (a value has 1 for an integer, 2 for a float, 3 for a string, 4 for a \
                list)"
        ))
        .at(at)),
    }
}

/// Recognises a loose reader file: one value that fills the file.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    let (list, zrd) = (suspect.word(0) == Some(LIST), suspect.ends_with(".zrd"));
    if !list && !zrd {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match list && is_value(file) || zrd && ReaderDoc::read(file).is_ok() {
        true => Verdict::Is(Detection::new(
            Format::ZrdBinary,
            None,
            "one reader value to the end",
            file.len() > 16,
        )),
        false => Verdict::No,
    }
}

/// True if the bytes are exactly one value.
pub fn is_value(bytes: &[u8]) -> bool {
    let mut r = Reader::new(bytes, Game::Mw);
    !bytes.is_empty() && walk(&mut r, |_| {}).is_ok() && r.is_empty()
}

/// A string for a message, truncated.
fn shown(text: &[u8]) -> String {
    match text.get(..200) {
        Some(first) => format!("{:?}…, {} bytes", decode_1252(first), text.len()),
        None => format!("{:?}", decode_1252(text)),
    }
}

/// A reader value and the bytes after it. The bytes are valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReaderDoc {
    value: Vec<u8>,
    trailing: Vec<u8>,
}

impl ReaderDoc {
    /// Reads a value; bytes after it are kept.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::read_from(Reader::new(bytes, Game::Mw))
    }

    /// Reads a value at a cursor.
    pub(crate) fn read_from(mut r: Reader<'_>) -> Result<Self> {
        let bytes = r.peek(r.left());
        let start = r.pos();
        walk(&mut r, |_| {})?;
        let (value, trailing) = bytes
            .split_at_checked(r.pos() - start)
            .unwrap_or((bytes, &[]));
        r.rest_as("trailing", Role::Stale);
        Ok(ReaderDoc {
            value: value.to_vec(),
            trailing: trailing.to_vec(),
        })
    }

    /// The stored bytes.
    pub fn write(&self) -> Vec<u8> {
        [self.value.as_slice(), &self.trailing].concat()
    }

    /// Walks the value from start to end.
    pub fn walk<'a>(&'a self, see: impl FnMut(WalkStep<'a>)) {
        // This cannot fail: the bytes were valid when the document was made.
        let _ = walk(&mut Reader::new(&self.value, Game::Mw), see);
    }

    fn judge(&self, lints: &mut Lints) {
        lints.check(self.trailing.is_empty(), READER_TRAILING, || {
            format!("{} bytes", self.trailing.len())
        });
        lints.check(
            self.value.first() == Some(&(LIST as u8)),
            READER_ROOT,
            || "a single value".into(),
        );
        self.walk(|step| match step {
            WalkStep::Float(f) => lints.check(f.get().is_finite(), NOT_FINITE, || format!("{f:?}")),
            WalkStep::Text(text) => {
                lints.check(text.is_ascii() && !text.contains(&0), READER_STRING, || {
                    shown(text)
                })
            }
            _ => {}
        });
    }

    fn count(&self) -> (usize, usize) {
        let (mut values, mut depth, mut deepest) = (0, 0usize, 0);
        self.walk(|step| match step {
            WalkStep::Open(_) => {
                values += 1;
                depth += 1;
                deepest = deepest.max(depth);
            }
            WalkStep::Close => depth -= 1,
            _ => values += 1,
        });
        (values, deepest)
    }
}

impl Document for ReaderDoc {
    const KIND: &'static str = "reader";

    fn to_text(&self, style: Style) -> Result<String> {
        Ok(spelling::to_text(self, style))
    }

    fn from_text(text: &str, style: Style) -> Result<Self> {
        Parser::new(text, style).document(text.len())
    }

    const SCHEMA: refit_base::tree::Packed =
        refit_base::tree::Packed::new(refit_schemas::packed("reader"));
    #[cfg(feature = "schemas")]
    fn schema() -> schemars::Schema {
        refit_base::tree::schema::told_apart(schemars::json_schema!({
            "title": "A reader file",
            "description": "Integers and floats are different: 2 is an integer, 2.0 a float. A float that is not \
                finite is written as its bits.",
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "anyOf": [{ "type": "number" }, { "type": "string" }, { "type": "array",
            "items": { "$ref": "#/$defs/value" } }, {
                "type": "object", "additionalProperties": false, "required": ["value", "trailing"],
                "properties": {
                    "$schema": { "type": "string", "description": "Location of this document's schema, for editors. \
                        Not packed." },
                    "value": { "$ref": "#/$defs/value", "description": "The outermost value." },
                    "trailing": { "type": "string", "description": "Bytes after the value, in hexadecimal." } },
            }, {
                "type": "object", "additionalProperties": false, "required": ["float"],
                "properties": {
                    "$schema": { "type": "string", "description": "Location of this document's schema, for editors. \
                        Not packed." },
                    "float": { "$ref": "#/$defs/bits", "description": "The bits of a float that is not finite." } },
            }],
            "$defs": { "value": { "anyOf": [
                { "type": "number" },
                { "type": "string" },
                { "type": "array", "items": { "$ref": "#/$defs/value" } },
                { "type": "object", "additionalProperties": false, "required": ["float"], "properties": {
                    "float": { "$ref": "#/$defs/bits", "description": "The bits of a float that is not finite." } } },
            ] }, "bits": { "type": "string", "pattern": "^0x[0-9a-fA-F]{1,8}$", "description": "The bits of a \
                float." } },
        }))
    }
}

/// Reader files as members of an archive.
pub struct Members;

impl Typed for Members {
    type Doc = ReaderDoc;
    const RAW: &Code = READER_RAW;
    fn read(&self, _: &[u8], payload: Reader<'_>, _: &Context) -> Option<Result<ReaderDoc>> {
        Some(ReaderDoc::read_from(payload))
    }
    fn write(&self, doc: &ReaderDoc, _: &Context) -> Result<Vec<u8>> {
        Ok(doc.write())
    }
    fn gives(&self, doc: &ReaderDoc, payload: &[u8], _: &Context) -> Result<bool> {
        Ok(payload.strip_prefix(doc.value.as_slice()) == Some(doc.trailing.as_slice()))
    }
    fn lint(&self, doc: &ReaderDoc, lints: &mut Lints) {
        doc.judge(lints);
    }
    fn lint_named(&self, name: &[u8], doc: &ReaderDoc, context: &Context, lints: &mut Lints) {
        schemas::judge(name, doc, context.game, lints);
    }
    fn describe(&self, doc: &ReaderDoc) -> (refit_base::contract::Kind, String) {
        let (values, depth) = doc.count();
        ("reader".into(), format!("{values} values, depth {depth}"))
    }
}

impl SingleFile for ReaderDoc {
    const FORMAT: Format = Format::ZrdBinary;
    const OTHERWISE: &'static [&'static str] = &[".zrd", ".txt"];
    fn of_other(bytes: &Bytes, _: &Context) -> Result<Self> {
        if is_value(bytes) {
            ReaderDoc::read(bytes)
        } else {
            text::of_text(bytes)
        }
    }
    fn read_file(file: Reader<'_>, _: &Context) -> Result<Self> {
        ReaderDoc::read_from(file)
    }
    fn write_file(&self, _: &Context) -> Result<Vec<u8>> {
        Ok(self.write())
    }
    fn write_to(&self, _: &Context, out: &mut dyn ByteSink) -> Result<()> {
        out.put(&self.value).and_then(|()| out.put(&self.trailing))
    }
    fn judge(&self, lints: &mut Lints) {
        ReaderDoc::judge(self, lints);
    }
    fn tell(&self) -> Info {
        let (values, depth) = self.count();
        let by = "Crimson Skies, when newer than its archive; Recoil and MechWarrior 3 read binary values from \
            archives alone";
        vec![
            ("values", values.into()),
            ("depth", depth.into()),
            ("read by", by.into()),
        ]
    }
}

/// True for a comment of Recoil's reader archives: the path of a temporary file of its resource
/// compiler.
pub(crate) fn is_of_recoil(comment: &[u8]) -> bool {
    let comment = comment.to_ascii_lowercase();
    let has = |folder: &[u8]| comment.windows(folder.len()).any(|part| part == folder);
    comment.get(1..3) == Some(b":\\") && (has(b"\\battlesportdev\\") || has(b"\\recoilfull\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[&[u8]]) -> Vec<u8> {
        let mut out = [4u32.to_le_bytes(), (items.len() as u32 + 1).to_le_bytes()].concat();
        items.iter().for_each(|i| out.extend_from_slice(i));
        out
    }
    fn int(n: i32) -> Vec<u8> {
        [1u32.to_le_bytes(), n.to_le_bytes()].concat()
    }
    fn float(bits: u32) -> Vec<u8> {
        [2u32.to_le_bytes(), bits.to_le_bytes()].concat()
    }
    fn string(s: &[u8]) -> Vec<u8> {
        [&3u32.to_le_bytes(), &(s.len() as u32).to_le_bytes()[..], s].concat()
    }

    fn trip(bytes: &[u8]) -> String {
        let doc = ReaderDoc::read(bytes).unwrap();
        for style in [Style::Ron, Style::Json] {
            let text = doc.to_text(style).unwrap();
            assert_eq!(
                ReaderDoc::from_text(&text, style).unwrap().write(),
                bytes,
                "{text}"
            );
        }
        doc.to_text(Style::Json).unwrap()
    }

    #[test]
    fn every_kind_of_value_survives_the_round_trip_and_is_readable() {
        let bytes = list(&[
            &string(b"KEYS"),
            &list(&[
                &int(156),
                &float(0.5f32.to_bits()),
                &float(0x8000_0000),
                &float(2f32.to_bits()),
            ]),
            &list(&[]),
        ]);
        assert_eq!(trip(&bytes), "[\"KEYS\", [156, 0.5, -0.0, 2.0], []]\n");
        assert_eq!(
            trip(&float(0x7fc0_0001)),
            "{\"float\": \"0x7fc00001\"}\n"
                .replace("{", "{ ")
                .replace("}", " }")
        );
        assert_eq!(
            trip(&string(b"a\"\\\n\0\x81\xe4")),
            "\"a\\\"\\\\\\n\\u0000\\u0081ä\"\n"
        );
        trip(&string(&(0..=255).collect::<Vec<u8>>()));
        trip(&int(i32::MIN));
        trip(&list(&[]));
        assert_eq!(
            trip(&[int(1), vec![9]].concat()),
            "{ \"value\": 1, \"trailing\": \"09\" }\n"
        );
    }

    #[test]
    fn three_hundred_thousand_nested_lists_need_no_stack() {
        let deep = [4u32.to_le_bytes(), 2u32.to_le_bytes()]
            .concat()
            .repeat(300_000);
        trip(&[deep, list(&[])].concat());
    }

    #[test]
    fn errors_have_a_place_and_a_reason() {
        let e = ReaderDoc::read(&list(&[&int(1), &string(b"abcd")])[..26])
            .unwrap_err()
            .to_string();
        assert_eq!(e, "[1] at 0x10: the string claims 4 bytes, but 2 are left");
        let e = ReaderDoc::read(&[4, 0, 0, 0, 255, 255, 255, 255])
            .unwrap_err()
            .to_string();
        assert_eq!(
            e,
            "at 0x0: the list claims 4294967294 items, but 0 bytes are left"
        );
        for (text, word) in [
            ("[1, 2", "end"),
            ("[1,]", "']'"),
            ("2147483648", "2147483648.0"),
            ("[1] 2", "end"),
            ("3.5e38", "fit"),
            ("\"ж\"", "1252"),
            ("NaN", "'N'"),
            ("{ \"float\": \"10\" }", "0x7fc00001"),
        ] {
            let e = ReaderDoc::from_text(text, Style::Json)
                .unwrap_err()
                .to_string();
            assert!(e.contains("line 1") && e.contains(word), "{text}: {e}");
        }
    }
    /// A value from the numbers of a simple generator.
    fn random(next: &mut impl FnMut(u32) -> u32, depth: u32) -> Vec<u8> {
        match next(if depth > 3 { 6 } else { 12 }) {
            0 => int(next(1000) as i32 - 500),
            1 => float(next(u32::MAX)),
            2 => float((next(2000) as f32 / 8.0).to_bits()),
            3 => float(0x7fc0_0000 + next(9)),
            4 => string(&(0..next(12)).map(|_| next(256) as u8).collect::<Vec<_>>()),
            5 => string(&vec![b'a' + next(20) as u8; next(150) as usize]),
            _ => {
                let items: Vec<Vec<u8>> = (0..[0, 1, 1, 2, 3, 5, 40][next(7) as usize])
                    .map(|_| random(next, depth + 1))
                    .collect();
                list(&items.iter().map(Vec::as_slice).collect::<Vec<_>>())
            }
        }
    }

    #[test]
    fn any_value_survives_the_round_trip_through_text() {
        let mut state = 1u64;
        let mut next = |most: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(most)) as u32
        };
        let mut long = 0;
        for i in 0..600 {
            let mut bytes = random(&mut next, 0);
            if i % 4 == 0 {
                bytes.extend((0..next(90)).map(|_| 7));
            }
            let doc = ReaderDoc::read(&bytes).unwrap();
            for style in [Style::Json, Style::Ron] {
                let text = doc.to_text(style).unwrap();
                assert_eq!(ReaderDoc::from_text(&text, style).unwrap(), doc, "{text}");
                // Only a string or a float's bits may need a longer line.
                let long_line = |line: &&str| line.chars().count() > 101 && !line.contains('"');
                assert_eq!(text.lines().find(long_line), None);
                long += usize::from(text.len() > 2000);
            }
        }
        assert!(long > 50, "{long}");
    }

    #[test]
    fn large_values_have_texts() {
        let wide = string(&vec![0x81; 400_000]);
        let deep = [4u32.to_le_bytes(), 3u32.to_le_bytes()]
            .concat()
            .repeat(20_000);
        let tails = [list(&[]), int(5).repeat(20_000)].concat();
        let many: Vec<_> = (0..60_000)
            .map(|i| {
                if i % 3 == 0 {
                    float(0x7fc0_0001)
                } else {
                    int(i)
                }
            })
            .collect();
        let many = list(&many.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let bytes = [
            list(&[&wide, &[deep, tails].concat(), &many, &string(b"\"\\")]),
            vec![9; 300_000],
        ]
        .concat();
        let doc = ReaderDoc::read(&bytes).unwrap();
        assert!(doc.trailing.len() == 300_000);
        for style in [Style::Json, Style::Ron] {
            let text = doc.to_text(style).unwrap();
            assert!(text.lines().count() > 20_000);
            assert!(ReaderDoc::from_text(&text, style).unwrap() == doc);
            let e = ReaderDoc::from_text(&format!("{text}x"), style)
                .unwrap_err()
                .to_string();
            assert!(
                e.starts_with(&format!("line {}, column 1: ", text.lines().count() + 1)),
                "{e}"
            );
        }
    }

    #[test]
    fn comments_blanks_and_a_schema_are_allowed_anywhere() {
        let json = "\u{feff} {\n \"$schema\" : \"x\\\"y\", \"value\":[ 1 ,\t\"a\\u00e4\" ] , \"trailing\" : \"0102\"\r\n}\n";
        let expected = [list(&[&int(1), &string(b"a\xe4")]), vec![1, 2]].concat();
        assert_eq!(
            ReaderDoc::from_text(json, Style::Json).unwrap().write(),
            expected
        );
        let float_at_root = "{ \"$schema\": \"x\", \"float\": \"0x7fc00001\" }";
        assert_eq!(
            ReaderDoc::from_text(float_at_root, Style::Json)
                .unwrap()
                .write(),
            float(0x7fc0_0001)
        );
        let ron =
            "// a\n(/* b */value /* c **/ : [1, // d\n \"a\\u{e4}\",], trailing: \"01 02\",) /* e";
        assert_eq!(
            ReaderDoc::from_text(ron, Style::Ron).unwrap().write(),
            expected
        );
    }
}
