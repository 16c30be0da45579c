//! Access to the single values of a reader file: to find, change and create them.

use super::{FLOAT, INT, LIST, ReaderDoc, STRING, WalkStep, value, walk};
use refit_base::{
    game::Game,
    wire::{Error, F32, Reader, Result, decode_1252, encode_1252},
};
use std::borrow::Cow;

/// A value as an enum.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// An integer.
    Int(i32),
    /// A float.
    Float(F32),
    /// The bytes of a string; Windows-1252 if it is text.
    Text(&'a [u8]),
    /// A list.
    List(Items<'a>),
}

impl<'a> View<'a> {
    /// The integer, if it is one.
    pub fn int(self) -> Option<i32> {
        match self {
            View::Int(n) => Some(n),
            _ => None,
        }
    }
    /// The number, if it is an integer or a float.
    pub fn number(self) -> Option<f32> {
        match self {
            View::Int(n) => Some(n as f32),
            View::Float(f) => Some(f.get()),
            _ => None,
        }
    }
    /// The string, if it is one.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            View::Text(text) => Some(decode_1252(text)),
            _ => None,
        }
    }
    /// The items, if it is a list.
    pub fn items(self) -> Option<Items<'a>> {
        match self {
            View::List(items) => Some(items),
            _ => None,
        }
    }
}

/// An iterator over the items of a list.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    /// Starts with the next item; the bytes after the list follow the last one.
    bytes: &'a [u8],
    left: u32,
}

impl Items<'_> {
    /// True if no items are left.
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = View<'a>;

    fn next(&mut self) -> Option<View<'a>> {
        self.left = self.left.checked_sub(1)?;
        let (view, end) = view(self.bytes)?;
        self.bytes = self.bytes.get(end..)?;
        Some(view)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// The first value in some bytes, and its end. The bytes must be valid.
fn view(bytes: &[u8]) -> Option<(View<'_>, usize)> {
    let mut r = Reader::new(bytes, Game::Mw);
    Some(match value(&mut r).ok()? {
        WalkStep::Int(n) => (View::Int(n), r.pos()),
        WalkStep::Float(f) => (View::Float(f), r.pos()),
        WalkStep::Text(text) => (View::Text(text), r.pos()),
        WalkStep::Open(left) => (
            View::List(Items {
                bytes: bytes.get(r.pos()..)?,
                left,
            }),
            end(bytes),
        ),
        WalkStep::Close => return None,
    })
}

/// The end of the first value in some bytes.
fn end(bytes: &[u8]) -> usize {
    let mut r = Reader::new(bytes, Game::Mw);
    match walk(&mut r, |_| {}) {
        Ok(()) => r.pos(),
        Err(_) => bytes.len(),
    }
}

/// A value of its own, to put into a file or to make a new file.
///
/// ```
/// use refit_zipper::reader::{ReaderDoc, Value};
/// let keys = Value::list([Value::text("FIRE")?, Value::list([Value::from(57), Value::from(0.5)])?])?;
/// let doc = ReaderDoc::from(keys);
/// assert_eq!(refit_base::tree::Document::to_text(&doc, refit_base::tree::Style::Json)?, "[\"FIRE\", [57, 0.5]]\n");
/// # Ok::<(), refit_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value(Vec<u8>);

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Value([INT.to_le_bytes(), n.to_le_bytes()].concat())
    }
}

impl From<F32> for Value {
    fn from(f: F32) -> Self {
        Value([FLOAT.to_le_bytes(), f.bits().to_le_bytes()].concat())
    }
}

impl From<f32> for Value {
    fn from(f: f32) -> Self {
        F32::from(f).into()
    }
}

impl From<View<'_>> for Value {
    fn from(view: View<'_>) -> Self {
        match view {
            View::Int(n) => n.into(),
            View::Float(f) => f.into(),
            View::Text(text) => Self::sized(STRING, text.len() as u64, text),
            View::List(items) => {
                let mut rest = items.bytes;
                for _ in 0..items.left {
                    rest = rest.get(end(rest)..).unwrap_or_default();
                }
                let inside = items.bytes.len() - rest.len();
                Self::sized(
                    LIST,
                    u64::from(items.left) + 1,
                    items.bytes.get(..inside).unwrap_or_default(),
                )
            }
        }
    }
}

impl Value {
    fn sized(tag: u32, size: u64, bytes: &[u8]) -> Self {
        Value([&tag.to_le_bytes(), &(size as u32).to_le_bytes(), bytes].concat())
    }

    /// A string. Returns an error if a character is not in Windows-1252, or if it is too long.
    pub fn text(text: &str) -> Result<Self> {
        Self::string(&encode_1252(text)?)
    }

    /// A string with these bytes.
    pub fn string(bytes: &[u8]) -> Result<Self> {
        match u32::try_from(bytes.len()) {
            Ok(_) => Ok(Self::sized(STRING, bytes.len() as u64, bytes)),
            Err(_) => Err(Error::say("a string has less than 4 GiB")),
        }
    }

    /// A list of values. Returns an error if there are too many.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Result<Self> {
        let (mut bytes, mut count) = (Vec::new(), 1u64);
        for Value(item) in items {
            bytes.extend_from_slice(&item);
            count += 1;
        }
        match u32::try_from(count) {
            Ok(_) => Ok(Self::sized(LIST, count, &bytes)),
            Err(_) => Err(Error::say("a list has less than 2³² - 1 items")),
        }
    }

    /// The value as an enum.
    pub fn view(&self) -> View<'_> {
        // A `Value` is only made of valid bytes.
        view(&self.0).map_or(View::Int(0), |(view, _)| view)
    }
}

impl From<Value> for ReaderDoc {
    fn from(value: Value) -> Self {
        ReaderDoc {
            value: value.0,
            trailing: Vec::new(),
        }
    }
}

/// The position in a value of the value after the first string that equals `key`.
fn place_behind(value: &[u8], key: &str) -> Option<Vec<usize>> {
    let key = encode_1252(key).ok()?;
    // The number of items begun in each open list.
    let (mut begun, mut found, mut place) = (Vec::<usize>::new(), false, None);
    let _ = walk(&mut Reader::new(value, Game::Mw), |step| {
        if let WalkStep::Close = step {
            // The end of a list: what follows belongs to the list around it.
            (found, _) = (false, begun.pop());
            return;
        }
        if let Some(begun) = begun.last_mut() {
            *begun += 1;
        }
        if found && place.is_none() {
            place = Some(begun.iter().map(|begun| begun - 1).collect());
        }
        found = matches!(step, WalkStep::Text(text) if text == key);
        if let WalkStep::Open(_) = step {
            begun.push(0);
        }
    });
    place
}

impl ReaderDoc {
    /// The outermost value.
    pub fn view(&self) -> View<'_> {
        view(&self.value).map_or(View::Int(0), |(view, _)| view)
    }

    /// The value at a position: the indices of the items from the outside in, each from 0. `&[]` is
    /// the outermost one.
    pub fn at(&self, place: &[usize]) -> Option<View<'_>> {
        view(self.value.get(self.offset(place)?..)?).map(|(view, _)| view)
    }

    /// Replaces the value at a position: see [`ReaderDoc::at`].
    pub(crate) fn set_at(&mut self, place: &[usize], value: impl Into<Value>) -> Result<()> {
        let path = || place.iter().map(|i| format!("[{i}]")).collect::<String>();
        let from = self
            .offset(place)
            .ok_or_else(|| Error::say("there is no such value").within(path()))?;
        let to = from + end(self.value.get(from..).unwrap_or_default());
        self.value.splice(from..to, value.into().0);
        Ok(())
    }

    /// The value at a path such as `SPEED/1`: keys, each with the value after it, and positions of
    /// items from 0.
    ///
    /// Looks up each key as [`ReaderDoc::find`] does, in the value reached so far.
    pub fn get(&self, path: &str) -> Option<View<'_>> {
        self.at(&self.place(path)?)
    }

    /// Replaces the strings for which `new` gives another one. Returns how many.
    pub fn replace_texts(&mut self, new: &mut dyn FnMut(&str) -> Option<String>) -> Result<usize> {
        let (mut begun, mut found) = (Vec::<usize>::new(), Vec::new());
        self.walk(|step| {
            if let WalkStep::Close = step {
                begun.pop();
                return;
            }
            begun.last_mut().into_iter().for_each(|begun| *begun += 1);
            match step {
                WalkStep::Open(_) => begun.push(0),
                WalkStep::Text(text) => {
                    if let Some(new) = new(&decode_1252(text)) {
                        found.push((
                            begun.iter().map(|begun| begun - 1).collect::<Vec<usize>>(),
                            new,
                        ));
                    }
                }
                _ => {}
            }
        });
        for (place, text) in &found {
            self.set_at(place, Value::text(text)?)?;
        }
        Ok(found.len())
    }

    /// Replaces the value at a path; see [`ReaderDoc::get`].
    pub fn set(&mut self, path: &str, value: impl Into<Value>) -> Result<()> {
        let place = self
            .place(path)
            .ok_or_else(|| Error::say("there is no such value").within(path.to_owned()))?;
        self.set_at(&place, value)
    }

    /// The position of the value at a path.
    fn place(&self, path: &str) -> Option<Vec<usize>> {
        path.split('/').try_fold(Vec::new(), |mut place, step| {
            match step.parse() {
                Ok(index) => place.push(index),
                Err(_) => {
                    let inside = Value::from(self.at(&place)?);
                    place.extend(place_behind(&inside.0, step)?);
                }
            }
            Some(place)
        })
    }

    /// The value after the first string that equals `key`, depth first, as the games look it up.
    pub fn find(&self, key: &str) -> Option<View<'_>> {
        self.at(&place_behind(&self.value, key)?)
    }

    /// The offset of a value in the bytes.
    fn offset(&self, place: &[usize]) -> Option<usize> {
        let mut at = 0;
        for index in place {
            let mut items = view(self.value.get(at..)?)?.0.items()?;
            if *index >= items.left as usize {
                return None;
            }
            for _ in 0..*index {
                items.next()?;
            }
            at = self.value.len() - items.bytes.len();
        }
        Some(at)
    }
}
