//! The preprocessor of configs: `#include`, `#define`, conditions and macros, with the rules of
//! Bohemia's tools.
//!
//! It differs from C's: arguments are always expanded before use, even before `#` and `##`, and
//! keep their blanks; text in quotes is never replaced.

use refit_base::wire::{Error, ErrorKind, Result, Within, count};
use std::{borrow::Cow, cell::Cell, collections::HashMap};

/// Longest result, in bytes.
const LONGEST: usize = 16 << 20;
/// Most bytes that are looked at: texts of files, bodies of macros, arguments, each as often as it
/// is read. Macros and files may also replace each other by nothing, so the length of the result
/// bounds no time.
pub(super) const WORK: usize = 128 << 20;
/// What an empty text counts: it takes as much time as this many bytes.
const EMPTY: usize = 16;
/// Most included files, each as often as it is included.
const INCLUDED: usize = 10_000;
/// Deepest nesting of files, of macros and their arguments, and of conditions.
const DEEPEST: usize = 64;
/// Most lines of the arguments of one macro.
const LINES: usize = 200;

/// Where a line continues on the next one. Arguments and bodies keep it until they are text in
/// quotes, which has no lines, or leave the preprocessor.
const JOINT: &str = "\\\n";
/// Most notes about one text.
const NOTED: usize = 20;
/// What may stand between words of a line.
const BLANKS: [char; 2] = [' ', '\t'];

/// Finds a file: gets the file that includes it and the name, and returns its path and its text.
pub type Include<'a> = dyn Fn(&str, &str) -> Result<(String, String)> + 'a;

/// The path in the game of a file, for `__FILE__`; `None` if it is not known.
pub type InGame<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// A text after the preprocessor.
#[derive(Default, Debug)]
pub struct Preprocessed {
    /// The text.
    pub text: String,
    /// The files that it consists of.
    files: Vec<String>,
    /// Where its lines come from, in order.
    origins: Vec<Origin>,
    /// How many lines it has.
    lines: usize,
    /// What was passed over, with its place.
    pub notes: Vec<String>,
}

/// Where a run of lines comes from.
#[derive(Debug)]
struct Origin {
    /// The first line of the run in the result, from 0.
    first: usize,
    /// The file of [`Preprocessed::files`], and the line in it, from 1.
    file: usize,
    line: usize,
    /// True if all lines of the run come from this line, false if the next comes from the next one,
    /// and so on.
    same: bool,
}

impl Preprocessed {
    /// Moves an error of the text to the original file and line.
    pub fn place(&self, error: Error) -> Error {
        let Some((line, column)) = error.place() else {
            return error;
        };
        let Some((file, at)) = self.origin(line) else {
            return error;
        };
        let message = match error.what() {
            refit_base::wire::Cause::Text { message, .. } => message.clone(),
            _ => error.to_string(),
        };
        Error::text(at, column, message)
            .in_file(file)
            .of_kind(error.kind())
    }

    /// The file and the line that a line of the result comes from, counted from 1.
    pub fn origin(&self, line: usize) -> Option<(&str, usize)> {
        // The end of the text is after its last line.
        let line = line.saturating_sub(1).min(self.lines.saturating_sub(1));
        let runs = self.origins.partition_point(|origin| origin.first <= line);
        let origin = runs.checked_sub(1).and_then(|run| self.origins.get(run))?;
        let at = if origin.same {
            origin.line
        } else {
            origin.line + (line - origin.first)
        };
        Some((self.files.get(origin.file)?, at))
    }
}

struct Macro {
    /// How many parameters it has. `None` without brackets.
    parameters: Option<usize>,
    /// Their positions.
    positions: HashMap<String, usize>,
    body: String,
    /// True while it is being replaced: its own name then stays.
    active: Cell<bool>,
}

/// A condition: whether its lines are active, whether a branch of it was, whether those of the other
/// branch could be, and where it began.
struct Condition {
    active: bool,
    taken: bool,
    outer: bool,
    seen_else: bool,
    line: usize,
}

/// Runs the preprocessor over a file.
///
/// Gives up when it has looked at as many bytes as `left` allows, and takes from it what it looked
/// at.
pub fn preprocess(
    path: &str,
    text: &str,
    include: &Include<'_>,
    in_game: &InGame<'_>,
    left: &Cell<usize>,
) -> Result<Preprocessed> {
    let mut it = Preprocessor {
        macros: HashMap::new(),
        include,
        in_game,
        out: Preprocessed::default(),
        file: 0,
        line: 0,
        most: left.get(),
        work: Cell::new(0),
        held: Cell::new(0),
        asked: Cell::new(0),
        counter: Cell::new(0),
    };
    let done = it.run(path, text, 0);
    left.set(it.most.saturating_sub(it.work.get()));
    done.map(|()| it.out)
}

struct Preprocessor<'a> {
    macros: HashMap<String, Macro>,
    include: &'a Include<'a>,
    in_game: &'a InGame<'a>,
    out: Preprocessed,
    /// The current place, for errors and `__LINE__`.
    file: usize,
    line: usize,
    /// How many bytes may be looked at.
    most: usize,
    /// How many bytes were looked at.
    work: Cell<usize>,
    /// How many bytes the arguments and bodies have that are being replaced.
    held: Cell<usize>,
    /// How many files were asked for by `__has_include`.
    asked: Cell<usize>,
    /// The next value of `__COUNTER__`.
    counter: Cell<usize>,
}

/// Words that the game replaces by something that a compiler cannot know.
const OF_THE_GAME: [&str; 8] = [
    "__GAME_VER__",
    "__GAME_VER_MAJ__",
    "__GAME_VER_MIN__",
    "__GAME_BUILD__",
    "__DATE_ARR__",
    "__DATE_STR__",
    "__TIMESTAMP_UTC__",
    "__TIME_UTC__",
];

/// True for a word that the game replaces by its state, the time or a random number.
fn is_of_the_game(word: &str) -> bool {
    word.starts_with("__")
        && (OF_THE_GAME.contains(&word)
            || word == "__TIME__"
            || word.starts_with("__RAND_INT")
            || word.starts_with("__RAND_UINT"))
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// The last part of a path of any system.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The length of the name at the beginning of a text; 0 if there is none.
fn name_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(b) if is_word(b) && !b.is_ascii_digit() => {
            text.bytes().take_while(|b| is_word(*b)).count()
        }
        _ => 0,
    }
}

/// The length of a text in quotes at the beginning of a text, up to the end of its line at most.
fn quoted_length(text: &str) -> usize {
    let inside = text.within(1..);
    match memchr::memchr2(b'"', b'\n', inside.as_bytes()) {
        Some(end) if inside.as_bytes().get(end) == Some(&b'"') => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}

/// True if a line ends inside a text in quotes.
fn is_quoted_at_end(line: &str) -> bool {
    let line = line.rsplit('\n').next().unwrap_or(line);
    memchr::memchr_iter(b'"', line.as_bytes()).count() % 2 == 1
}

/// True if a line ends inside a text in quotes. `is_quoted` is true for a line that begins in one.
fn ends_in_quotes(line: &str, in_comment: bool, is_quoted: bool) -> bool {
    let bytes = line.as_bytes();
    let (mut at, mut in_comment, mut is_quoted) = (0, in_comment, is_quoted);
    while let Some(b) = bytes.get(at) {
        let next = bytes.get(at + 1);
        match (b, next) {
            (b'*', Some(b'/')) if in_comment => (in_comment, at) = (false, at + 1),
            _ if in_comment => {}
            (b'"', _) => is_quoted = !is_quoted,
            _ if is_quoted => {}
            (b'/', Some(b'/')) => return false,
            (b'/', Some(b'*')) => (in_comment, at) = (true, at + 1),
            _ => {}
        }
        at += 1;
    }
    is_quoted
}

/// The length of refit's comment at the beginning of a text; 0 if there is none.
fn mark_length(text: &str) -> usize {
    let inside = text.get(2..).unwrap_or_default();
    let end = inside
        .find("*/")
        .filter(|end| inside.get(..*end).is_some_and(super::parse::is_mark));
    end.map_or(0, |end| end + 4)
}

/// A line without its comments, except refit's. `in_comment` is true while a comment continues on
/// the next line.
fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    loop {
        if *in_comment {
            let Some((_, behind)) = rest.split_once("*/") else {
                return out;
            };
            *in_comment = false;
            rest = behind;
        }
        let Some(at) = rest.find(['"', '/']) else {
            break;
        };
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let length = match behind.as_bytes() {
            [b'"', ..] => quoted_length(behind),
            [b'/', b'/', ..] => return out,
            [b'/', b'*', ..] if mark_length(behind) > 0 => mark_length(behind),
            [b'/', b'*', ..] => {
                *in_comment = true;
                rest = behind.within(2..);
                out.push(' ');
                continue;
            }
            _ => 1,
        };
        let (copied, behind) = behind.split_at(length);
        out.push_str(copied);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The names in the `#include` lines of a text.
pub fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let name = line
            .trim_start()
            .strip_prefix('#')?
            .trim_start()
            .strip_prefix("include")?
            .trim();
        let end = name.get(1..)?.find(['"', '>'])?;
        name.get(1..end + 1)
            .filter(|_| name.starts_with(['"', '<']))
    })
}

impl Preprocessor<'_> {
    #[cold]
    fn error(&self, message: impl Into<String>) -> Error {
        Error::text(self.line, 1, message)
            .in_file(self.out.files.get(self.file).cloned().unwrap_or_default())
    }

    /// An error about something that the games may know.
    #[cold]
    fn beyond(&self, message: impl Into<String>) -> Error {
        self.error(message).of_kind(ErrorKind::Limit)
    }

    #[cold]
    fn too_much(&self, message: impl Into<String>) -> Error {
        self.error(message).of_kind(ErrorKind::Limit)
    }

    /// The path of the current file.
    fn path(&self) -> &str {
        self.out.files.get(self.file).map_or("", |file| file)
    }

    /// Counts the bytes of a text that is about to be looked at.
    fn look(&self, text: &str) -> Result<()> {
        self.work
            .set(self.work.get().saturating_add(text.len() + EMPTY));
        if self.work.get() > self.most {
            return Err(self.too_much(format!(
                "macros and included files of more than {} MB",
                self.most >> 20
            )));
        }
        Ok(())
    }

    fn run(&mut self, path: &str, text: &str, depth: usize) -> Result<()> {
        if depth > DEEPEST {
            return Err(self.too_much(format!(
                "files include each other more than {DEEPEST} levels deep"
            )));
        }
        if self.out.files.len() > INCLUDED {
            return Err(self.too_much(format!("more than {INCLUDED} files are included")));
        }
        self.look(text)?;
        let outer = (self.file, self.line);
        self.file = self.out.files.len();
        self.out.files.push(path.to_owned());
        let mut conditions: Vec<Condition> = Vec::new();
        let mut in_comment = false;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines().enumerate();
        while let Some((n, line)) = lines.next() {
            self.line = n + 1;
            // Refit's marks are comments before the token that they change; the encoding is one,
            // too.
            if n == 0 && line.trim_end() == super::print::CP1252 {
                self.emit(line)?;
                continue;
            }
            // A text in quotes goes on behind a backslash, wherever it began.
            let (mut line, mut is_open) =
                (Cow::Borrowed(line), ends_in_quotes(line, in_comment, false));
            while is_open
                && let Some(before) = line.trim_end_matches(BLANKS).strip_suffix('\\')
                && let Some((_, next)) = lines.next()
            {
                is_open = ends_in_quotes(next, false, true);
                let length = before.len();
                let joined = line.to_mut();
                joined.truncate(length);
                joined.push_str(next);
            }
            let mut line = without_comments(&line, &mut in_comment);
            if let Some(directive) = line.trim_start().strip_prefix('#') {
                let mut directive = directive.to_owned();
                // A comment may follow the backslash, and may have lines of its own.
                loop {
                    let goes_on = directive.trim_end_matches(BLANKS).ends_with('\\');
                    if !goes_on && !in_comment {
                        break;
                    }
                    directive.truncate(directive.trim_end_matches(BLANKS).len());
                    let Some((_, next)) = lines.next() else {
                        directive.truncate(directive.len() - usize::from(goes_on));
                        break;
                    };
                    directive.push_str(if goes_on { "\n" } else { " " });
                    directive.push_str(&without_comments(next, &mut in_comment));
                }
                self.directive(directive.trim(), &mut conditions, path, depth)?;
                continue;
            }
            if !conditions.iter().all(|condition| condition.active) {
                continue;
            }
            let mut expanded = String::with_capacity(line.len());
            let mut count = 0;
            while let Some(open) = self.expand(&line, 0, &mut expanded)? {
                // Only the macro whose arguments go on is looked at again.
                line.drain(..line.len() - open);
                count += 1;
                let next = lines.next().filter(|_| count <= LINES);
                let Some((_, next)) = next else {
                    return Err(self.error("the arguments of a macro have no end"));
                };
                if line.ends_with(BLANKS) && line.trim_end_matches(BLANKS).ends_with('\\') {
                    line.truncate(line.trim_end_matches(BLANKS).len());
                }
                line.push('\n');
                line.push_str(&without_comments(next, &mut in_comment));
            }
            // A line that continues without a macro is the next line of the same text.
            let end = expanded.trim_end_matches(BLANKS);
            if let Some(joined) = end.strip_suffix('\\')
                && !is_quoted_at_end(joined)
            {
                expanded.truncate(joined.len());
            }
            self.emit(&expanded.replace(JOINT, "\n"))?;
        }
        if let Some(condition) = conditions.last() {
            self.line = condition.line;
            return Err(self.error("the condition has no #endif"));
        }
        if in_comment {
            return Err(self.error("a comment has no end"));
        }
        (self.file, self.line) = outer;
        Ok(())
    }

    /// Appends a line of a file, which macros may have made longer.
    fn emit(&mut self, text: &str) -> Result<()> {
        if self.out.text.len() + text.len() > LONGEST {
            return Err(self.too_much("the result is longer than 16 MB"));
        }
        let (first, file, line) = (self.out.lines, self.file, self.line);
        let added = text.split('\n').count();
        self.out.text.push_str(text);
        self.out.text.push('\n');
        self.out.lines += added;
        let same = added > 1;
        let goes_on = self.out.origins.last().is_some_and(|last| {
            !last.same
                && !same
                && last.file == file
                && first.checked_sub(last.first) == line.checked_sub(last.line)
        });
        if !goes_on {
            self.out.origins.push(Origin {
                first,
                file,
                line,
                same,
            });
        }
        Ok(())
    }

    fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || matches!(name, "__ARMA__" | "__ARMA3__")
    }

    /// Notes what is passed over at the current place.
    fn note(&mut self, what: &str) {
        if self.out.notes.len() < NOTED {
            let place = format!("{}:{}", self.path(), self.line);
            self.out.notes.push(format!("{place}: {what}"));
        }
    }

    fn directive(
        &mut self,
        directive: &str,
        conditions: &mut Vec<Condition>,
        path: &str,
        depth: usize,
    ) -> Result<()> {
        let word = name_length(directive);
        let (word, rest) = directive.split_at(word);
        let joined = match word {
            "define" => Cow::Borrowed(rest),
            _ => Cow::Owned(rest.replace(JOINT, " ")),
        };
        let rest: &str = &joined;
        let outer = conditions.iter().all(|condition| condition.active);
        let mut begin = |active: bool, line: usize| {
            conditions.push(Condition {
                active,
                taken: active,
                outer,
                seen_else: false,
                line,
            })
        };
        match word {
            "ifdef" => begin(self.is_defined(rest.trim()), self.line),
            "ifndef" => begin(!self.is_defined(rest.trim()), self.line),
            "if" => {
                let holds = if outer {
                    self.condition(rest.trim(), path)?
                } else {
                    false
                };
                begin(holds, self.line);
            }
            "elif" => match conditions.last_mut() {
                Some(condition) if !condition.seen_else => {
                    condition.active =
                        condition.outer && !condition.taken && self.condition(rest.trim(), path)?;
                    condition.taken |= condition.active;
                }
                _ => return Err(self.error("#elif without a condition")),
            },
            "else" => match conditions.last_mut() {
                Some(condition) if !condition.seen_else => {
                    condition.seen_else = true;
                    condition.active = condition.outer && !condition.taken;
                }
                _ => return Err(self.error("#else without a condition")),
            },
            "endif" => {
                if conditions.pop().is_none() {
                    return Err(self.error("#endif without a condition"));
                }
            }
            _ if !outer => {}
            "define" => self.define(rest)?,
            "undef" => {
                self.macros.remove(rest.trim());
            }
            "include" => {
                let name = rest.trim();
                let name = name
                    .strip_prefix('"')
                    .and_then(|name| name.strip_suffix('"'));
                let angled = rest
                    .trim()
                    .strip_prefix('<')
                    .and_then(|name| name.strip_suffix('>'));
                let Some(name) = name.or(angled) else {
                    return Err(self.error("#include needs a name in quotes"));
                };
                let (path, text) = (self.include)(path, name)
                    .map_err(|e| e.context(self.error(format!("#include {name:?}")).to_string()))?;
                self.run(&path, &text, depth + 1)?;
            }
            // Only HEMTT reads its own pragmas.
            "pragma" if rest.split_whitespace().next() == Some("hemtt") => {}
            // The games and their compilers pass over both.
            "pragma" => self.note(&format!(
                "#pragma {}: passed over, as the games do",
                refit_base::wire::shorten(rest.trim(), 80)
            )),
            "warning" => self.note(&format!(
                "#warning {}",
                refit_base::wire::shorten(rest.trim(), 200)
            )),
            "error" => {
                let what = format!("#error {}", refit_base::wire::shorten(rest.trim(), 200));
                return Err(self.error(what));
            }
            _ => {
                let what = format!("unknown directive #{word}");
                return Err(self.error(what).hint(
                    "there are #include #define #undef #ifdef #ifndef #if #elif #else #endif",
                ));
            }
        }
        if conditions.len() > DEEPEST {
            return Err(self.too_much(format!(
                "conditions are nested more than {DEEPEST} levels deep"
            )));
        }
        Ok(())
    }

    /// The condition of an `#if`.
    fn condition(&self, condition: &str, path: &str) -> Result<bool> {
        let known = self.without_questions(condition, path)?;
        let mut expanded = String::new();
        if self.expand(&known, 0, &mut expanded)?.is_some() {
            return Err(self.error("the arguments of a macro have no end"));
        }
        super::arithmetic::holds(&expanded.replace(JOINT, " "))
            .map_err(|why| self.beyond(format!("#if {condition}: {why}")))
    }

    /// A condition in which each `defined(NAME)` and `__has_include("FILE")` is 1 or 0.
    fn without_questions(&self, condition: &str, path: &str) -> Result<String> {
        const DEFINED: &str = "defined";
        const HAS_INCLUDE: &str = "__has_include";
        let mut out = String::with_capacity(condition.len());
        let mut rest = condition;
        while let Some(first) = rest.bytes().next() {
            let length = match first {
                b'"' => quoted_length(rest),
                b if is_word(b) => rest.bytes().take_while(|b| is_word(*b)).count(),
                _ => rest
                    .bytes()
                    .take_while(|b| !is_word(*b) && *b != b'"')
                    .count(),
            };
            let (word, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            rest = behind;
            let holds = match word {
                DEFINED => {
                    let name = behind.trim_start();
                    let (name, has_bracket) = match name.strip_prefix('(') {
                        Some(inside) => (inside.trim_start(), true),
                        None => (name, false),
                    };
                    let (name, behind) = name.split_at(name_length(name));
                    let behind = match has_bracket {
                        true => behind.trim_start().strip_prefix(')'),
                        false => Some(behind),
                    };
                    let Some(behind) = behind.filter(|_| !name.is_empty()) else {
                        return Err(self.error("defined needs a name"));
                    };
                    rest = behind;
                    self.is_defined(name)
                }
                HAS_INCLUDE => {
                    let inside = behind.trim_start().strip_prefix('(');
                    let Some((name, behind)) = inside.and_then(|inside| inside.split_once(')'))
                    else {
                        return Err(self.error("__has_include needs a file in brackets"));
                    };
                    rest = behind;
                    self.has_include(path, name.trim().trim_matches(['"', '<', '>']))?
                }
                _ => {
                    out.push_str(word);
                    continue;
                }
            };
            out.push(if holds { '1' } else { '0' });
        }
        Ok(out)
    }

    fn has_include(&self, path: &str, name: &str) -> Result<bool> {
        // It reads the file: that counts as an include does.
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > INCLUDED {
            return Err(self.too_much(format!("more than {INCLUDED} files are asked for")));
        }
        let found = (self.include)(path, name);
        if let Ok((_, text)) = &found {
            self.look(text)?;
        }
        Ok(found.is_ok())
    }

    fn define(&mut self, rest: &str) -> Result<()> {
        let rest = rest.trim_start();
        let length = name_length(rest);
        if length == 0 {
            return Err(self.error("#define needs a name"));
        }
        let (name, rest) = rest.split_at(length);
        let mut positions = HashMap::new();
        let (parameters, body) = match rest.strip_prefix('(') {
            None => (None, rest),
            Some(inside) => {
                let Some((list, body)) = inside.split_once(')') else {
                    return Err(self.error("the parameters have no end"));
                };
                let mut number = 0;
                for name in list
                    .replace(JOINT, " ")
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                {
                    positions.entry(name.to_owned()).or_insert(number);
                    number += 1;
                }
                (Some(number), body)
            }
        };
        // Blanks and line ends between the name and the body are not part of it.
        let mut body = body.trim_start_matches(BLANKS);
        while let Some(next) = body.strip_prefix(JOINT) {
            body = next.trim_start_matches(BLANKS);
        }
        let body = body.to_owned();
        self.macros.insert(
            name.to_owned(),
            Macro {
                parameters,
                positions,
                body,
                active: Cell::new(false),
            },
        );
        Ok(())
    }

    /// Appends a text with its macros replaced. `depth` is the number of macros that are being
    /// replaced. If the arguments of a macro continue after the text, it stops there and returns
    /// the length of what is left.
    fn expand(&self, text: &str, depth: usize, out: &mut String) -> Result<Option<usize>> {
        if depth > DEEPEST {
            return Err(self.too_much(format!("macros are nested more than {DEEPEST} levels deep")));
        }
        self.look(text)?;
        let mut rest = text;
        while let Some(first) = rest.bytes().next() {
            let length = match first {
                b'"' => quoted_length(rest),
                b if is_word(b) => rest.bytes().take_while(|b| is_word(*b)).count(),
                _ => rest
                    .bytes()
                    .take_while(|b| !is_word(*b) && *b != b'"')
                    .count(),
            };
            let here = rest.len();
            let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            rest = behind;
            let known = if name_length(token) == 0 {
                None
            } else {
                self.macros.get(token)
            };
            let Some(it) = known.filter(|it| !it.active.get()) else {
                match token {
                    "__LINE__" => out.push_str(&self.line.to_string()),
                    "__FILE__" => {
                        let path = (self.in_game)(self.path());
                        out.extend(["\"", path.as_deref().unwrap_or(self.path()), "\""]);
                    }
                    "__FILE_NAME__" => out.extend(["\"", file_name(self.path()), "\""]),
                    "__FILE_SHORT__" => {
                        let name = file_name(self.path());
                        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                        out.extend(["\"", stem, "\""]);
                    }
                    "__COUNTER__" => {
                        let next = self.counter.get();
                        self.counter.set(next + 1);
                        out.push_str(&next.to_string());
                    }
                    "__COUNTER_RESET__" => self.counter.set(0),
                    "__ARMA__" | "__ARMA3__" => out.push('1'),
                    _ if is_of_the_game(token) => {
                        return Err(self.beyond(format!(
                            "{token} is known only to the game, when it reads the text"
                        )));
                    }
                    _ => out.push_str(token),
                }
                continue;
            };
            let held = self.held.get();
            let mut arguments = Vec::new();
            if it.parameters.is_some() {
                let Some(list) = rest.strip_prefix('(') else {
                    out.push_str(token);
                    continue;
                };
                let Some((found, behind)) = split_arguments(list) else {
                    self.look(list)?;
                    return Ok(Some(here));
                };
                for argument in found {
                    let mut expanded = String::new();
                    if self.expand(argument, depth + 1, &mut expanded)?.is_some() {
                        return Err(self.error(format!(
                            "the arguments of a macro in those of {token} have no end"
                        )));
                    }
                    self.hold(token, expanded.len())?;
                    arguments.push(expanded);
                }
                rest = behind;
            }
            let wanted = it.parameters.unwrap_or_default();
            if wanted != arguments.len()
                && !(wanted == 0 && arguments.iter().all(|a| a.trim().is_empty()))
            {
                return Err(self.error(format!(
                    "{token} has {}, not {}",
                    count(wanted, "parameter"),
                    arguments.len()
                )));
            }
            let body = self.substitute(token, it, &arguments)?;
            it.active.set(true);
            let done = self.expand(&body, depth + 1, out);
            it.active.set(false);
            if done?.is_some() {
                return Err(self.error(format!("the arguments of a macro in {token} have no end")));
            }
            self.held.set(held);
            if self.out.text.len() + out.len() > LONGEST {
                return Err(self.expands_too_far(token));
            }
        }
        Ok(None)
    }

    #[cold]
    fn expands_too_far(&self, name: &str) -> Error {
        self.too_much(format!("{name} expands to more than 16 MB"))
    }

    /// Counts the bytes of an argument or a body of the macro `name`, which stay in memory while it
    /// is replaced.
    fn hold(&self, name: &str, bytes: usize) -> Result<()> {
        self.held.set(self.held.get() + bytes);
        if self.held.get() > LONGEST {
            Err(self.expands_too_far(name))
        } else {
            Ok(())
        }
    }

    /// The body of a macro with its arguments.
    fn substitute(&self, name: &str, it: &Macro, arguments: &[String]) -> Result<String> {
        self.look(&it.body)?;
        let mut out = String::with_capacity(it.body.len());
        let mut rest = it.body.as_str();
        let argument = |token: &str| it.positions.get(token).and_then(|n| arguments.get(*n));
        while let Some(first) = rest.bytes().next() {
            if out.len() > LONGEST {
                return Err(self.expands_too_far(name));
            }
            if let Some(behind) = rest.strip_prefix("##") {
                rest = behind;
                continue;
            }
            if let Some(behind) = rest.strip_prefix('#') {
                let length = name_length(behind);
                let (name, behind) = behind.split_at(length);
                match argument(name) {
                    Some(argument) => {
                        self.look(argument)?;
                        out.extend(["\"", &argument.replace(JOINT, ""), "\""]);
                    }
                    None => out.extend(["#", name]),
                }
                rest = behind;
                continue;
            }
            let length = match first {
                b'"' => quoted_length(rest),
                b if is_word(b) => rest.bytes().take_while(|b| is_word(*b)).count(),
                _ => rest
                    .bytes()
                    .take_while(|b| !is_word(*b) && !matches!(b, b'"' | b'#'))
                    .count(),
            };
            let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            match argument(token) {
                Some(argument) => {
                    self.look(argument)?;
                    out.push_str(argument);
                }
                None => out.push_str(token),
            }
            rest = behind;
        }
        self.hold(name, out.len())?;
        Ok(out)
    }
}

/// The arguments up to the closing bracket, and the text after it. `None` if the bracket is
/// missing.
fn split_arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut arguments, mut depth, mut start, mut at) = (Vec::new(), 0usize, 0, 0);
    while let Some(b) = text.as_bytes().get(at) {
        match b {
            b'"' => {
                at += quoted_length(text.get(at..)?);
                continue;
            }
            b'(' => depth += 1,
            b')' if depth == 0 => {
                arguments.push(text.get(start..at)?);
                return Some((arguments, text.get(at + 1..)?));
            }
            b')' => depth -= 1,
            b',' if depth == 0 => {
                arguments.push(text.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Result<String> {
        let include = |from: &str, name: &str| match name {
            "a.hpp" => Ok(("lib/a.hpp".to_owned(), "#define ONE 1\nbad".to_owned())),
            "self.hpp" => Ok((from.to_owned(), "#include \"self.hpp\"".to_owned())),
            _ => Err(Error::missing(name)),
        };
        preprocess("config.cpp", text, &include, &|_| None, &Cell::new(WORK)).map(|done| done.text)
    }

    /// Macros without a body cost time, too: their number is bounded, not only their bytes.
    #[test]
    fn empty_macros_are_counted() {
        let most = 4 << 20;
        let text = |uses: usize| {
            format!(
                "#define E\n#define X {}\n{}",
                "E ".repeat(1000),
                "X ".repeat(uses)
            )
        };
        let run = |uses| {
            preprocess(
                "config.cpp",
                &text(uses),
                &|_, name| Err(Error::missing(name)),
                &|_| None,
                &Cell::new(most),
            )
        };
        assert!(run(10).is_ok());
        let e = run(1000).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit, "{e}");
    }

    #[test]
    fn macros_are_those_of_addons() {
        let cba = "#define DOUBLES(a,b) a##_##b\n#define PREFIX lab\n#define COMPONENT hut\n#define ADDON \
            DOUBLES(PREFIX,COMPONENT)\n#define QUOTE(a) #a\n#define GVAR(a) DOUBLES(ADDON,a)\n";
        for (text, expected) in [
            ("class ADDON {};", "class lab_hut {};"),
            ("a = QUOTE(GVAR(x));", "a = \"lab_hut_x\";"),
            (
                "a = \"ADDON\"; ADDONS; 1ADDON",
                "a = \"ADDON\"; ADDONS; 1ADDON",
            ),
            ("a[] = {DOUBLES(x,(1,2))};", "a[] = {x_(1,2)};"),
            ("a = QUOTE(b,\n c);", ""),
            ("a = __LINE__;", "a = 7;"),
            ("QUOTE", "QUOTE"),
        ] {
            match run(&format!("{cba}{text}")) {
                Ok(done) => assert_eq!(done.trim_end(), expected, "{text}"),
                Err(e) => assert!(
                    expected.is_empty() && e.to_string().contains("1 parameter, not 2"),
                    "{text}: {e}"
                ),
            }
        }
        assert_eq!(
            run("#define L(a) class a { \\\n x = 1; \\\n};\nL(B)\n")
                .unwrap()
                .trim(),
            "class B { \n x = 1; \n};"
        );
        assert_eq!(
            run("#define M(a,b) a b\nM(1,\n2)\nx").unwrap(),
            "1 \n2\nx\n"
        );
    }

    #[test]
    fn what_is_passed_over_is_told() {
        let text = "#pragma a b\nx = 1;\n#warning old\n#ifdef A\n#warning never\n#endif\n#pragma hemtt flag pe23_ignore\n";
        let include = |_: &str, _: &str| Err(Error::missing("none"));
        let done = preprocess("config.cpp", text, &include, &|_| None, &Cell::new(WORK)).unwrap();
        assert_eq!(
            done.notes,
            [
                "config.cpp:1: #pragma a b: passed over, as the games do",
                "config.cpp:3: #warning old"
            ]
        );
        let many = "#pragma x\n".repeat(1000);
        let done = preprocess("config.cpp", &many, &include, &|_| None, &Cell::new(WORK)).unwrap();
        assert_eq!(done.notes.len(), NOTED);
    }

    #[test]
    fn conditions_choose_lines() {
        for (text, expected) in [
            ("#ifdef A\nx\n#else\ny\n#endif", "y"),
            ("#define A\n#ifdef A\nx\n#else\ny\n#endif", "x"),
            (
                "#ifndef A\n#ifdef A\nx\n#else\ny\n#endif\n#else\n#ifdef A\nv\n#else\nw\n#endif\n#endif",
                "y",
            ),
            ("#define A\n#undef A\n#ifdef A\nx\n#endif", ""),
            (
                "#define A 3\n#if A == 2\nx\n#elif A > 2\ny\n#elif 1\nz\n#else\nw\n#endif",
                "y",
            ),
            ("#if 0\nx\n#elif 0\ny\n#else\nz\n#endif", "z"),
            ("#if 0\n#if A\n#elif B\n#endif\n#else\nz\n#endif", "z"),
            ("#define A\n#if defined(A) && !defined B\nx\n#endif", "x"),
            ("#define F(a) a + 1\n#if F(1) == 2\nx\n#endif", "x"),
            ("#define A 1 /* one\n or two */ + 2\nA", "1  + 2"),
            ("#define A 1 \\ // one\n + 2\nA", "1 \n + 2"),
            ("#define A \t \\\n  7\nx_A A", "x_A 7"),
            (
                "#define Q(a) #a\n#define B x \\\r\n y\nQ(B) Q(\\\r\n z)",
                "\"x  y\" \" z\"",
            ),
            ("class A {\\\n x = 1; \\ \n};", "class A {\n x = 1; \n};"),
            ("x = \"a\\\";", "x = \"a\\\";"),
            (
                "x = \"\\\n a \"\"b\"\" // c\\ \n\td\";\ny = __LINE__;",
                "x = \" a \"\"b\"\" // c\td\";\ny = 4;",
            ),
            ("// it is \"so\\\nx", "\nx"),
            ("x = \"a\nb\\", "x = \"a\nb"),
            (
                "__COUNTER__ __COUNTER__ __COUNTER_RESET__ __COUNTER__",
                "0 1  0",
            ),
            ("#ifdef __ARMA3__\nx __ARMA3__\n#endif", "x 1"),
            (
                "#if __has_include(\"a.hpp\") && !defined(A)\nx\n#elif __has_include(<b>)\ny\n#endif",
                "x",
            ),
            (
                "#if !__has_include(\"b.hpp\") && __has_include(\"a.hpp\")\nx\n#endif",
                "x",
            ),
            ("__FILE_NAME__ __FILE_SHORT__", "\"config.cpp\" \"config\""),
            (
                "#if __has_include(\"a.hpp\")\nx\n#endif\n#if __has_include(\"b.hpp\")\ny\n#endif",
                "x",
            ),
            (
                "#define A\na = /*x=0d*/ \"\"; /*y=1*/",
                "a = /*x=0d*/ \"\";",
            ),
            ("/* #ifdef A\n*/ x // y\nz = \"/*\";", " \n x \nz = \"/*\";"),
        ] {
            assert_eq!(run(text).unwrap().trim_end(), expected, "{text}");
        }
    }

    #[test]
    fn errors_have_a_place_and_expansion_is_bounded() {
        for (text, word) in [
            ("\n#include \"b.hpp\"", "config.cpp:2"),
            ("#include \"self.hpp\"", "levels deep"),
            ("#ifdef A\n\n", "config.cpp:1:1: the condition"),
            ("#else", "#else without"),
            ("\n#define A\n#pragm x", "config.cpp:3:1: unknown directive"),
            ("\n#error stop", "config.cpp:2:1: #error stop"),
            ("x\ny = __GAME_VER__;", "config.cpp:2:1: __GAME_VER__"),
            ("#if __has_include(\"a.hpp\"", "needs a file in brackets"),
            ("#define F(a) a\nF(1", "no end"),
            ("#define A B\n#define B A\nA", ""),
        ] {
            match run(text) {
                Err(e) => assert!(
                    !word.is_empty() && e.to_string().contains(word),
                    "{text}: {e}"
                ),
                Ok(done) => assert!(word.is_empty() && done.trim() == "A", "{text}: {done}"),
            }
        }
        let mut bomb = format!("#define X0 {}\n", "0123456789".repeat(100));
        for i in 1..60 {
            bomb += &format!("#define X{i} X{0} X{0} X{0} X{0}\n", i - 1);
        }
        let e = run(&format!("{bomb}a = X59;")).unwrap_err();
        assert!(e.to_string().contains("16 MB"), "{e}");
        let nested = format!(
            "#define F(a) a\nx = {}1{};",
            "F(".repeat(20_000),
            ")".repeat(20_000)
        );
        let e = run(&nested).unwrap_err();
        assert!(e.to_string().contains("64 levels deep"), "{e}");
        let empty = format!(
            "#define X {}\n{}",
            "#".repeat(400_000),
            "X ".repeat(200_000)
        );
        let e = run(&empty).unwrap_err();
        assert!(e.to_string().contains("of more than 128 MB"), "{e}");
        let wide = format!(
            "#define F(a) {}\nF({})",
            "a".to_owned() + &" a".repeat(100_000),
            "1".repeat(100_000)
        );
        let e = run(&wide).unwrap_err();
        assert!(
            e.to_string().contains("F expands to more than 16 MB"),
            "{e}"
        );
        // Each file includes the next one four times: 4^40 files.
        let next = |_: &str, name: &str| {
            let next = name.parse::<usize>().map_or(0, |n| n + 1);
            let text = if next > 40 {
                String::new()
            } else {
                format!("#include \"{next}\"\n").repeat(4)
            };
            Ok((name.to_owned(), text))
        };
        let e = preprocess(
            "config.cpp",
            "#include \"0\"",
            &next,
            &|_| None,
            &Cell::new(WORK),
        )
        .unwrap_err();
        assert!(
            e.to_string().contains("more than 10000 files are included"),
            "{e}"
        );
    }

    #[test]
    fn a_line_before_arguments_over_many_lines_is_read_once() {
        // Both would be looked at again for each further line: 150 times 8 MB.
        let text = format!(
            "#define F(a) [a]\n{}F({})",
            "x = 1; ".repeat(1 << 20),
            "2\n".repeat(150)
        );
        let done = run(&text).unwrap();
        assert!(done.ends_with(&format!("x = 1; [{}]\n", "2\n".repeat(150))));
        // Errors behind a macro over lines, and behind one whose body has lines, keep their lines.
        let include = |_: &str, _: &str| Err(Error::missing("none"));
        let text = "#define F(a) a\n#define L b; \\\n c;\nF(1\n\n)\nL\nbad";
        let done = preprocess("config.cpp", text, &include, &|_| None, &Cell::new(WORK)).unwrap();
        let line = done.text.lines().position(|line| line == "bad").unwrap() + 1;
        let e = done.place(Error::text(line, 1, "here"));
        assert!(e.to_string().starts_with("config.cpp:8:1"), "{e}");
        for (n, line) in [(1, 4), (3, 4), (4, 7), (5, 7), (6, 8), (7, 8)] {
            let e = done.place(Error::text(n, 1, "here"));
            assert!(
                e.to_string().starts_with(&format!("config.cpp:{line}:1")),
                "{n}: {e}"
            );
        }
    }

    #[test]
    fn errors_point_to_the_original_file() {
        let include = |_: &str, _: &str| Ok(("lib/a.hpp".to_owned(), "\n\n bad;".to_owned()));
        for (text, place) in [
            ("a = 1;\n#include \"a.hpp\"\n", "lib/a.hpp:3:"),
            ("#define A\na = 1;\nb", "config.cpp:3:"),
        ] {
            let done =
                preprocess("config.cpp", text, &include, &|_| None, &Cell::new(WORK)).unwrap();
            let e = done.place(super::super::parse::parse(done.text.clone()).unwrap_err());
            assert!(e.to_string().starts_with(place), "{e}");
        }
    }
}
