//! The documents of trees: their types, and edits of their values.

use super::text;
use refit_base::{
    contract::Schema,
    format::Format,
    tree::{Style, text::with_schema},
    wire::{Error, Result, utf8},
};
use refit_diff::{Pos, Value, find};
use refit_files::registry;

/// A change of one value of a document.
#[derive(Clone, Debug)]
pub(crate) enum Change<'a> {
    /// The value at the path, which may be a new field.
    Set(&'a Value),
    /// A new item of the list at the path, with this position.
    Insert(usize, &'a Value),
    /// The field or item at the path is removed.
    Remove,
    /// The item at the path gets this position.
    Move(usize),
}

/// A text of a tree that may be a document.
pub(crate) struct Document<'a> {
    /// Its path in the tree.
    pub part: &'a str,
    /// Its text, without a byte order mark.
    text: &'a str,
    style: Style,
    /// The address of its schema, as the text has it.
    address: Option<String>,
    /// Its type, if refit knows it.
    schema: Option<Schema>,
    /// True if the text is what refit prints.
    is_printed: bool,
}

/// The style of a part that may be a document.
fn style_of(part: &str) -> Option<Style> {
    match part.rsplit_once('.')?.1 {
        "json" => Some(Style::Json),
        "ron" => Some(Style::Ron),
        _ => None,
    }
}

impl<'a> Document<'a> {
    /// The document in these bytes; `None` if the part is not JSON or RON, by its name.
    pub fn of(part: &'a str, bytes: &'a [u8], format: Format) -> Result<Option<Self>> {
        let Some(style) = style_of(part) else {
            return Ok(None);
        };
        let text = utf8(bytes).map_err(|e| e.in_file(part))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let address = match style {
            Style::Json => text::schema_of(text),
            Style::Ron => None,
        };
        let mut document = Document {
            part,
            text,
            style,
            address,
            schema: None,
            is_printed: false,
        };
        document.schema = document.find_schema(format);
        if let Some(schema) = &document.schema {
            let printed = (schema.print)(text, style, style).map(|text| document.addressed(text));
            document.is_printed = printed.is_ok_and(|printed| printed == text);
        }
        Ok(Some(document))
    }

    /// The type that the address names, or else the first of the format's types that the text fits.
    fn find_schema(&self, format: Format) -> Option<Schema> {
        let kind = self.address.as_deref().and_then(|address| {
            let file = address.rsplit('/').next().unwrap_or(address);
            file.strip_suffix(".schema.json")
        });
        if let Some(kind) = kind {
            return registry::schemas().into_iter().find(|own| own.kind == kind);
        }
        let own = registry::schemas_of(format).into_iter();
        own.filter(|schema| (schema.check)(self.text, self.style).is_ok())
            .max_by_key(|schema| {
                let printed = (schema.print)(self.text, self.style, self.style);
                printed.is_ok_and(|printed| printed == self.text)
            })
    }

    fn addressed(&self, text: String) -> String {
        match &self.address {
            Some(address) => with_schema(text, address),
            None => text,
        }
    }

    /// The content as a value.
    pub fn value(&self) -> Result<Value> {
        let json;
        let text = match (self.style, &self.schema) {
            (Style::Json, _) => self.text,
            (Style::Ron, Some(schema)) => {
                json = (schema.print)(self.text, Style::Ron, Style::Json)
                    .map_err(|e| e.in_file(self.part))?;
                &json
            }
            (Style::Ron, None) => return Err(no_type().in_file(self.part)),
        };
        if let Some(value) = Value::parse(text) {
            return Ok(value);
        }
        // The parser of documents says where the fault is.
        if let Some(schema) = &self.schema {
            (schema.check)(text, Style::Json).map_err(|e| e.in_file(self.part))?;
        }
        let fault = serde_json::from_str::<serde_json::Value>(text).err();
        Err(match fault {
            Some(e) => Error::text(e.line(), e.column(), "not JSON"),
            None => Error::say("the text is nested too deep to edit its values")
                .hint("edit it as a text"),
        }
        .in_file(self.part))
    }

    /// The text with a change of the value at a path, which [`Document::value`] has.
    pub fn changed(&self, at: &[Pos], change: &Change<'_>) -> Result<String> {
        self.edited(at, change).map_err(|e| e.in_file(self.part))
    }

    fn edited(&self, at: &[Pos], change: &Change<'_>) -> Result<String> {
        let edit = |text: &str| match change {
            Change::Set(value) => text::set(text, at, value),
            Change::Insert(index, value) => text::insert(text, at, *index, value),
            Change::Remove => text::remove(text, at),
            Change::Move(to) => text::move_item(text, at, *to),
        };
        match (self.style, &self.schema) {
            (Style::Json, _) => {
                let mut new = edit(self.text)?;
                if at.is_empty() {
                    new = self.addressed(new);
                }
                self.printed_as_before(new)
            }
            (Style::Ron, Some(schema)) if self.is_printed => {
                let json = (schema.print)(self.text, Style::Ron, Style::Json)?;
                (schema.print)(&edit(&json)?, Style::Json, Style::Ron)
            }
            (Style::Ron, Some(_)) => Err(Error::say(
                "this RON is not as refit prints it, so an edit of one value would lose its layout and its comments",
            )
            .hint("edit it as a text")),
            (Style::Ron, None) => Err(no_type()),
        }
    }

    /// A new text of the document, printed as refit prints it if the old one was, and as it is
    /// otherwise. An error if it does not fit the document's type.
    fn printed_as_before(&self, new: String) -> Result<String> {
        match &self.schema {
            Some(schema) if self.is_printed => {
                (schema.print)(&new, self.style, self.style).map(|text| self.addressed(text))
            }
            Some(schema) => (schema.check)(&new, self.style).map(|()| new),
            None => Ok(new),
        }
    }

    /// The text of a value of this document, as refit prints it.
    pub fn printed(&self, value: &Value) -> Result<String> {
        let json = value.compact();
        match &self.schema {
            Some(schema) => {
                let text = (schema.print)(&json, Style::Json, self.style)
                    .map_err(|e| e.elsewhere().in_file(self.part))?;
                Ok(self.addressed(text))
            }
            None if self.style == Style::Json => Ok(refit_diff::laid_out(value)),
            None => Err(no_type().in_file(self.part)),
        }
    }

    /// True if an edit of a value loses nothing of its layout: it is JSON, which has no comments, or
    /// as refit prints it.
    pub fn has_values(&self) -> bool {
        self.style == Style::Json || self.is_printed
    }

    /// Checks a new text of this document against its type.
    pub fn check(&self, new: &str) -> Result<()> {
        let new = new.strip_prefix('\u{feff}').unwrap_or(new);
        match &self.schema {
            Some(schema) => (schema.check)(new, self.style).map_err(|e| e.in_file(self.part)),
            None => Ok(()),
        }
    }

    /// The place of a path in a value of this document.
    pub fn find(&self, value: &Value, path: &str) -> Result<Vec<Pos>> {
        find(value, path).map_err(|e| e.in_file(self.part))
    }
}

fn no_type() -> Error {
    Error::say("refit does not know the type of this document").hint("edit it as a text")
}
