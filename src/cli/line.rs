//! One line of output, and its colours.

use refit_base::{
    lint::Severity,
    wire::{escaped, steers, visible},
};
use std::borrow::Cow;

/// Colours that are used.
#[derive(Clone, Copy)]
pub enum Paint {
    /// Errors.
    Red,
    /// Warnings and raw files.
    Yellow,
    /// Success.
    Green,
    /// Headings.
    Bold,
    /// What matters less.
    Dim,
}

impl Paint {
    /// The colour of a finding.
    pub fn of(severity: Severity) -> Self {
        match severity {
            Severity::Refuses | Severity::Crashes => Paint::Red,
            Severity::Ignores | Severity::Differs => Paint::Yellow,
            Severity::Unusual => Paint::Dim,
        }
    }
}

/// One line of output. Its pieces may come from files: control characters in a piece, line ends
/// too, are made visible when it is added. So the only line end and the only colours of a line are
/// refit's own.
#[derive(Default)]
pub struct Line(Vec<(Option<Paint>, String)>);

impl Line {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends text.
    pub fn text(mut self, text: impl AsRef<str>) -> Self {
        self.0.push((None, visible(text.as_ref()).into_owned()));
        self
    }

    /// Appends a line of a file; `escape` if other lines of the file [need escapes], too.
    ///
    /// [need escapes]: refit_base::wire::needs_escapes
    pub fn content(mut self, paint: Option<Paint>, line: impl AsRef<str>, escape: bool) -> Self {
        let line = line.as_ref();
        let text = match escape {
            true => escaped(line),
            false => visible(line).into_owned(),
        };
        self.0.push((paint, text));
        self
    }

    /// Appends coloured text.
    pub fn paint(mut self, paint: Paint, text: impl AsRef<str>) -> Self {
        self.0
            .push((Some(paint), visible(text.as_ref()).into_owned()));
        self
    }

    /// The line for printing, with or without colours.
    pub fn painted(&self, on: bool) -> String {
        self.0
            .iter()
            .map(|(paint, text)| {
                paint.map_or_else(|| text.clone(), |paint| painted(on, paint, text))
            })
            .collect()
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Line::new().text(text)
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Line::new().text(text)
    }
}

/// The widest column: a longer cell moves the rest of its row.
const WIDEST: usize = 60;

/// Passes the cells of each row to `print`, filled up to the widest of their column, until it
/// returns false. The columns at `right` are aligned to the right.
pub fn columns<T, const N: usize>(
    rows: &[T],
    right: &[usize],
    cells: impl Fn(&T) -> [String; N],
    mut print: impl FnMut(&T, [String; N]) -> bool,
) {
    let mut widths = [0; N];
    for row in rows {
        widths
            .iter_mut()
            .zip(cells(row))
            .for_each(|(width, cell)| *width = cell.chars().count().max(*width));
    }
    let widths = widths.map(|width| width.min(WIDEST));
    for row in rows {
        let mut column = 0..;
        let filled = cells(row).map(|cell| {
            let at = column.next().unwrap_or_default();
            let width = widths.get(at).copied().unwrap_or_default();
            if right.contains(&at) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:width$}")
            }
        });
        if !print(row, filled) {
            return;
        }
    }
}

/// Whether all lines of a text end with CR LF, as on Windows.
pub fn ends_with_returns(text: &str) -> bool {
    let returns = text.matches("\r\n").count();
    returns > 0 && returns == text.matches('\n').count()
}

/// The remark on a text whose lines end so.
pub const RETURNS: &str = "lines end with CR LF";

/// The remark on a text whose lines are escaped.
pub const ESCAPED: &str = r"\ and control characters are escaped";

/// JSON in which what would steer a terminal is escaped, as the control characters below U+0020 are
/// in any JSON.
pub fn escaped_json(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) {
            c.encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn painted(on: bool, paint: Paint, text: &str) -> String {
    if !on {
        return text.to_owned();
    }
    let code = match paint {
        Paint::Red => "1;31",
        Paint::Yellow => "33",
        Paint::Green => "32",
        Paint::Bold => "1",
        Paint::Dim => "2",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_contains_only_its_own_colours() {
        let line = Line::new()
            .paint(Paint::Green, "exact")
            .text("  a\u{1b}[8m\nb");
        assert_eq!(
            line.painted(true),
            "\u{1b}[32mexact\u{1b}[0m  a\\u{1b}[8m\\nb"
        );
        assert_eq!(line.painted(false), "exact  a\\u{1b}[8m\\nb");
    }

    #[test]
    fn json_keeps_its_values_when_it_is_escaped() {
        let value = "a\u{7f}\u{9b}\u{202e}\u{2028}é日";
        let text = serde_json::to_string(value).unwrap();
        let escaped = escaped_json(&text);
        assert!(
            !escaped.contains(steers) && escaped.contains("é日"),
            "{escaped}"
        );
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), value);
    }
}
