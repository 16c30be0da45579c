//! Answers of tools, in pages: a model reads little at a time.

use base64::{Engine, engine::general_purpose::STANDARD};
use refit_base::wire::{Error, ErrorKind, Result, Within, shorten};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// Most bytes of the texts of one page, which are about 4,000 tokens.
pub(crate) const PAGE: usize = 12_000;

/// Most bytes of a row, of the fields before the rows, and of a text in these fields. A row and the
/// fields fit into one page together.
const ROW: usize = 7_000;
const HEAD: usize = 4_000;
const FIELD: usize = 600;

/// How far back from the end of a page a text is cut at the end of a line.
const LINE: usize = 2_000;

/// How many answers can be continued, and most bytes of all but the newest.
const KEPT: usize = 16;
const KEPT_BYTES: usize = 64 << 20;

/// What a tool answers.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Fields alone.
    Fields(Map<String, Value>),
    /// Fields, and any number of rows.
    Rows(Map<String, Value>, Vec<Value>),
    /// Fields, and a text.
    Text(Map<String, Value>, String),
    /// Fields, and a PNG.
    Picture(Map<String, Value>, Vec<u8>),
    /// The page of an earlier answer.
    Page(Vec<Value>),
}

impl Reply {
    /// An answer of fields and rows; `head` is an object.
    pub fn rows(head: Value, rows: impl IntoIterator<Item = Value>) -> Self {
        Reply::Rows(fields(head), rows.into_iter().collect())
    }

    /// An answer of fields only; `head` is an object.
    pub fn fields(head: Value) -> Self {
        Reply::Fields(fields(head))
    }
}

/// The fields of an object, without those that are null.
pub(crate) fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(mut fields) => {
            fields.retain(|_, value| !value.is_null());
            fields
        }
        _ => Map::new(),
    }
}

/// A long answer.
struct Kept {
    number: u64,
    content: Content,
}

enum Content {
    /// Rows as JSON.
    Rows(Vec<String>),
    Text(String),
}

impl Content {
    fn bytes(&self) -> usize {
        match self {
            Content::Rows(rows) => rows.iter().map(|row| row.len().saturating_add(24)).sum(),
            Content::Text(text) => text.len(),
        }
    }
}

/// The answers that are longer than a page.
#[derive(Default)]
pub(crate) struct Pages {
    kept: VecDeque<Kept>,
    last: u64,
}

/// A row as JSON, which a page has room for.
fn row(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= ROW {
        return text;
    }
    json!({ "shortened": shorten(&text, ROW / 2), "bytes": text.len() }).to_string()
}

/// Fields that leave room for a row: long texts and lists in them are cut.
fn short(head: Map<String, Value>) -> Map<String, Value> {
    let mut left = HEAD;
    let short = |(key, value): (String, Value)| {
        let value = match value {
            Value::String(text) if text.len() > FIELD => shorten(&text, FIELD).into(),
            other => other,
        };
        let bytes = key.len().saturating_add(value.to_string().len());
        let value = match bytes <= left {
            true => value,
            false => json!({ "left_out": bytes }),
        };
        left = left.saturating_sub(bytes);
        (key, value)
    };
    head.into_iter().map(short).collect()
}

fn text_block(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

impl Pages {
    /// The first page of an answer, as content of a tool's result.
    pub fn first(&mut self, reply: Reply) -> Vec<Value> {
        self.last = self.last.saturating_add(1);
        let number = self.last;
        let (page, content) = match reply {
            Reply::Page(content) => return content,
            Reply::Picture(head, png) => {
                let picture = json!({ "type": "image", "data": STANDARD.encode(png), "mimeType": "image/png" });
                return vec![picture, text_block(Value::from(short(head)).to_string())];
            }
            Reply::Fields(head) => {
                return vec![text_block(Value::from(short(head)).to_string())];
            }
            Reply::Rows(head, values) => {
                let rows: Vec<String> = values.iter().map(row).collect();
                (
                    page_of_rows(number, &rows, 0, short(head)),
                    Content::Rows(rows),
                )
            }
            Reply::Text(head, text) => (
                page_of_text(number, &text, 0, short(head)),
                Content::Text(text),
            ),
        };
        if page.goes_on {
            self.kept.push_back(Kept { number, content });
            let total = |kept: &VecDeque<Kept>| -> usize {
                kept.iter().map(|one| one.content.bytes()).sum()
            };
            while self.kept.len() > KEPT || self.kept.len() > 1 && total(&self.kept) > KEPT_BYTES {
                self.kept.pop_front();
            }
        }
        page.content
    }

    /// The page at a cursor.
    ///
    /// # Errors
    /// If the cursor is none of a page, or the answer is no longer kept.
    pub fn next(&self, cursor: &str) -> Result<Vec<Value>> {
        let parsed = cursor.split_once('.').and_then(|(number, at)| {
            Some((number.parse::<u64>().ok()?, at.parse::<usize>().ok()?))
        });
        let (number, at) =
            parsed.ok_or_else(|| Error::say(format!("{cursor:?} is no cursor of an answer")))?;
        let kept = self.kept.iter().find(|kept| kept.number == number);
        let kept = kept.ok_or_else(|| {
            Error::say("this answer is no longer kept")
                .hint("call the tool again")
                .of_kind(ErrorKind::NoMember)
        })?;
        let beyond = || Error::say(format!("{cursor:?} is no cursor of this answer"));
        match &kept.content {
            Content::Rows(rows) if at < rows.len() => {
                Ok(page_of_rows(number, rows, at, Map::new()).content)
            }
            Content::Text(text) if at < text.len() && text.is_char_boundary(at) => {
                Ok(page_of_text(number, text, at, Map::new()).content)
            }
            _ => Err(beyond()),
        }
    }
}

struct Page {
    content: Vec<Value>,
    goes_on: bool,
}

/// Where to continue.
fn continued(mut head: Map<String, Value>, number: u64, end: usize, total: usize) -> String {
    if end < total {
        head.insert("next".to_owned(), format!("{number}.{end}").into());
    }
    Value::from(head).to_string()
}

fn page_of_rows(number: u64, rows: &[String], at: usize, mut head: Map<String, Value>) -> Page {
    let mut left = PAGE
        .saturating_sub(Value::from(head.clone()).to_string().len())
        .saturating_sub(160);
    let fits = |row: &&String| {
        let bytes = row.len().saturating_add(1);
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    };
    let own: Vec<&String> = rows.iter().skip(at).take_while(fits).collect();
    let end = at.saturating_add(own.len());
    if at > 0 || end < rows.len() {
        head.insert("from".to_owned(), at.into());
        head.insert("of".to_owned(), rows.len().into());
    }
    let fields = continued(head, number, end, rows.len());
    let list: Vec<&str> = own.into_iter().map(String::as_str).collect();
    // The rows are JSON already.
    let before = fields.strip_suffix('}').unwrap_or(&fields);
    let comma = if before == "{" { "" } else { "," };
    let text = format!("{before}{comma}\"rows\":[{}]}}", list.join(","));
    Page {
        content: vec![text_block(text)],
        goes_on: end < rows.len(),
    }
}

fn page_of_text(number: u64, text: &str, at: usize, mut head: Map<String, Value>) -> Page {
    let room = PAGE
        .saturating_sub(Value::from(head.clone()).to_string().len())
        .saturating_sub(160);
    let rest = text.within(at..);
    let mut end = rest.len().min(room);
    while !rest.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let mut own = rest.within(..end);
    if end < rest.len()
        && let Some(line) = own.rfind('\n')
        && line >= end.saturating_sub(LINE)
    {
        own = own.get(..=line).unwrap_or(own);
    }
    let end = at.saturating_add(own.len());
    if at > 0 || end < text.len() {
        head.insert("from".to_owned(), at.into());
        head.insert("of".to_owned(), text.len().into());
    }
    let fields = continued(head, number, end, text.len());
    let mut content = vec![text_block(own)];
    if fields != "{}" {
        content.push(text_block(fields));
    }
    Page {
        content,
        goes_on: end < text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(content: &[Value]) -> Vec<&str> {
        content
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect()
    }

    /// All rows come, each once, in pages that are not too long; a row that is too long is cut.
    #[test]
    fn rows_come_in_pages() {
        let mut pages = Pages::default();
        let mut rows: Vec<Value> = (0..3_000).map(|i| json!({ "row": i, "ä": "…" })).collect();
        rows.insert(7, "x".repeat(100_000).into());
        let head = json!({ "name": "n".repeat(50_000), "none": null, "list": vec![1; 9_000] });
        let (mut content, mut found) = (pages.first(Reply::rows(head, rows)), Vec::new());
        loop {
            let texts = text_of(&content);
            assert!(
                texts.len() == 1 && texts[0].len() <= PAGE,
                "{}",
                texts[0].len()
            );
            let page: Value = serde_json::from_str(texts[0]).unwrap();
            found.extend(page["rows"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else {
                break;
            };
            content = pages.next(next).unwrap();
        }
        assert_eq!(found.len(), 3_001);
        assert_eq!(found[7]["bytes"], 100_002);
        assert!(
            (0..7)
                .chain(8..3_001)
                .all(|i| found[i]["row"] == i - usize::from(i > 7))
        );
        for bad in [
            "",
            "1",
            "1.",
            "1.999999",
            "9.0",
            "-1.0",
            "1.99999999999999999999999",
        ] {
            assert!(pages.next(bad).is_err(), "{bad}");
        }
    }

    /// The pages of a text give the text, and are cut at lines where possible.
    #[test]
    fn texts_come_in_pages() {
        for line in [
            "größe 日本\n".repeat(5_000),
            "é".repeat(40_000),
            String::new(),
        ] {
            let mut pages = Pages::default();
            let mut content = pages.first(Reply::Text(Map::new(), line.clone()));
            let mut found = String::new();
            loop {
                let texts = text_of(&content);
                assert!(texts.iter().map(|text| text.len()).sum::<usize>() <= PAGE);
                found += texts[0];
                let next = texts.get(1).and_then(|text| {
                    let page: Value = serde_json::from_str(text).unwrap();
                    page["next"].as_str().map(str::to_owned)
                });
                let Some(next) = next else { break };
                assert!(!line.contains('\n') || texts[0].ends_with('\n'));
                content = pages.next(&next).unwrap();
            }
            assert_eq!(found, line);
        }
    }

    /// Old answers are forgotten.
    #[test]
    fn few_answers_are_kept() {
        let mut pages = Pages::default();
        for _ in 0..KEPT + 1 {
            pages.first(Reply::Text(Map::new(), "x".repeat(2 * PAGE)));
        }
        assert!(pages.next("1.100").is_err() && pages.next("2.100").is_ok());
    }
}
