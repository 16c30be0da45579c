//! Interpreter scripts: `interp.zbd` of all four games (interp/FORMAT.md).
//!
//! In the tree a script is a text file with the same lines, its tokens in an editable spelling; the
//! manifest contains the scripts' names and times. The type `Line` in the source describes the
//! spelling of odd lines.
//!
//! **Loose scripts.** When Recoil runs its first script, it checks every name of the index. If a
//! file with one of these names exists and its time of modification is not exactly the stored one,
//! older or newer, the engine closes the index and takes *all* scripts from loose files. These do
//! not exist, so no mission starts. (The engine's second rule, that a newer loose script overrides
//! the stored one, therefore never applies.) So a loose script cannot change the game. Two things
//! can: editing the stored script, or adding a script under a new name that the index lacks and
//! running it with `source`. MechWarrior 3 has the same script object, and so very likely the same
//! rules; for the other games they are unknown.
//!
//! Most scripts of Recoil were for the tool that built its worlds and do nothing in the game, whose
//! worlds are in `gamez.zbd`: `list` marks them. The game does run `support\initm*.gw`,
//! `m*_zbd.gs`, and the scripts that these source.

mod fresh;
mod judge;
mod words;

use bytes::Bytes;
use refit_base::{
    contract::{
        Codec, Context, Detection, Family, Info, ManifestLine, Member, Members, Model, Stage,
        Suspect, Verdict,
    },
    format::Format,
    game::Game,
    lint::Lints,
    naming::{Does, NameKind, NameUse, Rule},
    support::layout::{self, Holds, Plan, Span},
    tree::{
        Blob, ByteSink, Form, Head, TreeReader, TreeWriter, UniquePaths, plain::PlainFolder, sums,
    },
    wire::{
        Error, Items, Notation, Reader, Record, Result, Role, Str, Text, Trace, UnixTime, Writer,
        decode_1252, encode_1252, fit, utf8,
    },
};
use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    fmt::Write,
};

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Interp],
    recognise: &[(Stage::Signature, recognise)],
    codes: judge::CODES,
    schemas: || vec![refit_base::contract::schema::<InterpManifest>()],
};

const SIGNATURE: u32 = 0x0897_1119;
const VERSION: u32 = 7;
const HEADER: usize = 12;
const ENTRY: usize = ScriptLine::size(Game::Mw);

const ESCAPES: &str = "unknown escape; there are \\\" \\\\ \\n \\r \\t and \\xHH";
const MARKS: &str = "unknown mark; there are @open and @count=N, and quotes for a token with @";
const QUOTE: &str = "a quote inside a token: put the whole token in quotes and write \\\"";

/// A line: tokens as bytes, and deviations from the rule that a zero ends every token and the count
/// is their number.
///
/// In text: tokens separated by single blanks. A token is written in double quotes, with the
/// escapes `\"`, `\\`, `\n`, `\r`, `\t` and `\xHH`, if it is empty, contains blanks, commas,
/// quotes, `#` or control characters, or is the first of a line and begins with `@`; outside of
/// quotes a backslash is itself. `@open` before a line means that its last token has no zero;
/// `@count=N` that the file's count is N. When reading, blanks, tabs and commas separate tokens as
/// in the engine, and `#` begins a comment: one separator ends a token, and white space after it is
/// skipped. So a comma where a token could begin makes an empty one: `a , b` is `a`, nothing, `b`,
/// as are `a,,b` and `a ,b`, while `a, b` has two tokens; a comma at the beginning of a line makes
/// an empty first token.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Line {
    tokens: Vec<Str>,
    /// True if the last token has no terminating zero.
    open: bool,
    /// The stored count, if it is not the number of zeros.
    count: Option<u32>,
}

impl Line {
    /// Reads a line; `None` at the end of the script.
    fn read(r: &mut Reader<'_>) -> Result<Option<Line>> {
        let size: u32 = r.hidden("size", Role::Derived)?;
        if size == 0 {
            return Ok(None);
        }
        let count: u32 = r.hidden("token_count", Role::Derived)?;
        let bytes = r.bytes(size.into(), "line", Notation::Bytes, Role::Value)?;
        let open = bytes.last() != Some(&0);
        let mut tokens: Vec<Str> = bytes.split(|b| *b == 0).map(Str::from).collect();
        if !open {
            // The split adds an empty token after the last zero.
            tokens.pop();
        }
        let zeros = tokens.len() - usize::from(open);
        Ok(Some(Line {
            tokens,
            open,
            count: (count as usize != zeros).then_some(count),
        }))
    }

    fn write(&self, w: &mut Writer) -> Result<()> {
        let size =
            self.tokens.iter().map(|t| t.0.len() + 1).sum::<usize>() - usize::from(self.open);
        w.u32(fit(size, "a line's size")?);
        let zeros = self.tokens.len() - usize::from(self.open);
        w.u32(match self.count {
            Some(count) => count,
            None => fit(zeros, "the number of tokens")?,
        });
        for (i, token) in self.tokens.iter().enumerate() {
            w.raw(&token.0);
            if !(self.open && i + 1 == self.tokens.len()) {
                w.raw(&[0]);
            }
        }
        Ok(())
    }

    /// How many tokens the engine reads: the stored count, or the number of terminating zeros.
    fn stored_count(&self) -> usize {
        self.count.map_or_else(
            || self.tokens.len() - usize::from(self.open),
            |count| count as usize,
        )
    }

    /// Describes a contradiction in a line, and its effect in the engine.
    fn disagreement(&self) -> String {
        let (strings, count) = (self.tokens.len(), self.stored_count());
        let end = if self.open {
            ", the last without a zero"
        } else {
            ""
        };
        let does = match count {
            0 => "the line does nothing",
            _ if count > strings => "the engine reads past the line",
            _ if count < strings => "the engine ignores the rest",
            _ => "the engine reads on after the last",
        };
        format!("{strings} tokens{end}, the count is {count}: {does}")
    }

    fn lint(&self, lints: &mut Lints) {
        let (count, strings) = (self.stored_count(), self.tokens.len());
        let beyond = count > strings || self.open && count > 0 && count == strings;
        let code = if beyond {
            judge::INTERP_COUNT
        } else {
            judge::INTERP_LINE
        };
        lints.check(!self.open && self.count.is_none(), code, || {
            self.disagreement()
        });
        for token in &self.tokens {
            let odd = |b: &u8| matches!(b, b' ' | b',' | b'\t' | b'\n' | b'#');
            let bad = token.is_empty() || !token.0.is_ascii() || token.0.iter().any(odd);
            lints.check(!bad, judge::INTERP_TOKEN, || format!("{token:?}"));
        }
    }

    fn text(&self, out: &mut String) {
        if self.open {
            out.push_str("@open ");
        }
        if let Some(count) = self.count {
            let _ = write!(out, "@count={count} ");
        }
        for (i, token) in self.tokens.iter().enumerate() {
            if i > 0 {
                out.push(' ');
            }
            let text = token.text();
            let plain = !text.is_empty()
                && !text.starts_with('@')
                && text.chars().all(|c| {
                    !c.is_control() && !matches!(c, ' ' | ',' | '"' | '#' | '\u{a0}' | '\u{ad}')
                });
            if plain {
                out.push_str(&text);
                continue;
            }
            out.push('"');
            for c in text.chars() {
                let _ = match c {
                    '"' | '\\' => write!(out, "\\{c}"),
                    '\n' => out.write_str("\\n"),
                    '\r' => out.write_str("\\r"),
                    '\t' => out.write_str("\\t"),
                    c if c.is_control() => write!(out, "\\x{:02x}", u32::from(c)),
                    c => out.write_char(c),
                };
            }
            out.push('"');
        }
        out.push('\n');
    }

    /// Parses a line; `None` if it has no tokens, because a file cannot contain such a line.
    fn parse(text: &str, number: usize) -> Result<Option<Line>> {
        let mut line = Line::default();
        let mut chars = text.char_indices().peekable();
        let error = |at: usize, message: &str| {
            Error::text(
                number,
                text.get(..at).unwrap_or(text).chars().count() + 1,
                message,
            )
        };
        while let Some(&(at, c)) = chars.peek() {
            match c {
                '#' => break,
                ' ' | '\t' => {
                    chars.next();
                }
                ',' => {
                    chars.next();
                    line.tokens.push(Str::default());
                }
                _ => {
                    let mut token = String::new();
                    let quoted = c == '"';
                    if quoted {
                        chars.next();
                        loop {
                            match chars.next() {
                                None => {
                                    return Err(error(at, "the quote is not closed on its line"));
                                }
                                Some((_, '"')) => break,
                                Some((at, '\\')) => {
                                    token.push(match chars.next().map(|(_, c)| c) {
                                        Some(c @ ('"' | '\\')) => c,
                                        Some('n') => '\n',
                                        Some('r') => '\r',
                                        Some('t') => '\t',
                                        Some('x') => {
                                            let digits: String =
                                                chars.by_ref().take(2).map(|(_, c)| c).collect();
                                            u8::from_str_radix(&digits, 16)
                                                .map(char::from)
                                                .map_err(|_| {
                                                    error(at, "\\x needs two hexadecimal digits")
                                                })?
                                        }
                                        _ => return Err(error(at, ESCAPES)),
                                    })
                                }
                                Some((_, c)) => token.push(c),
                            }
                        }
                        if chars
                            .peek()
                            .is_some_and(|(_, c)| !matches!(c, ' ' | '\t' | ',' | '#'))
                        {
                            return Err(error(at, "a space must follow the quote"));
                        }
                    } else {
                        while let Some((at, c)) =
                            chars.next_if(|(_, c)| !matches!(c, ' ' | '\t' | ',' | '#'))
                        {
                            if c == '"' {
                                return Err(error(at, QUOTE));
                            }
                            token.push(c);
                        }
                        if let Some(word) =
                            token.strip_prefix('@').filter(|_| line.tokens.is_empty())
                        {
                            match word.strip_prefix("count=") {
                                Some(n) => {
                                    line.count = Some(
                                        n.parse()
                                            .map_err(|_| error(at, "@count= needs a number"))?,
                                    )
                                }
                                None if word == "open" => line.open = true,
                                None => return Err(error(at, MARKS)),
                            }
                            continue;
                        }
                    }
                    let bytes = encode_1252(&token).map_err(|e| error(at, &e.to_string()))?;
                    if bytes.contains(&0) {
                        return Err(error(at, "a token cannot contain a zero byte"));
                    }
                    line.tokens.push(Str(bytes));
                    // The one separator that ends the token.
                    chars.next_if(|(_, c)| *c != '#');
                }
            }
        }
        if line.open && line.tokens.last().is_none_or(Str::is_empty) {
            return Err(error(0, "@open needs a last token that is not empty"));
        }
        Ok((!line.tokens.is_empty()).then_some(line))
    }
}

/// A script's lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Script(Vec<Line>);

impl Script {
    fn read(r: &mut Reader<'_>) -> Result<Script> {
        r.within("lines", |r| {
            let mut lines = Vec::new();
            while let Some(line) = r.item(lines.len(), Line::read)? {
                lines.push(line);
            }
            Ok(Script(lines))
        })
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let mut w = Writer::new(Game::Mw);
        for (i, line) in self.0.iter().enumerate() {
            line.write(&mut w)
                .map_err(|e| e.within(format!("lines[{i}]")))?;
        }
        w.u32(0);
        Ok(w.bytes)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        self.0.iter().for_each(|line| line.text(&mut out));
        out
    }

    fn parse(text: &str) -> Result<Script> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text
            .split('\n')
            .enumerate()
            .map(|(i, line)| Line::parse(line.strip_suffix('\r').unwrap_or(line), i + 1));
        Ok(Script(
            lines.filter_map(Result::transpose).collect::<Result<_>>()?,
        ))
    }
}

refit_base::manifest! {
    /// The manifest of a file of interpreter scripts.
    pub(crate) struct InterpManifest, "interp" {
        /// The scripts in the order of the index.
        scripts: Vec<ScriptLine>,
        /// Present only if the scripts are not stored in the order of the index: the files and gaps
        /// in the order of the data.
        layout*: Box<str>,
    }
}

refit_base::record! {
    /// A script: its line in the manifest, and its entry of the index in the file.
    #[derive(Default)]
    pub(crate) struct ScriptLine [Rc 128, Mw 128, Pm 128, Cs 128] with u32 {
        /// The path by which the engine looks the script up.
        name: Text<120>,
        /// The file in the tree. Two scripts may share one.
        file: Box<str> in below,
        /// When the source was modified. If a loose file of this name exists with another time,
        /// older or newer, Recoil closes the whole file and no longer finds any script; never put
        /// loose scripts beside the game.
        time @120: UnixTime,
        /// Offset in the file.
        let start: u32 = |s| *s.cx,
        /// Present if the script begins inside its file because scripts overlap.
        offset?: u32 in below,
        /// Of the model: the piece of its data that the script is, or begins in.
        mut piece: usize in below,
    }
}

/// A part of the data region.
enum PieceContent {
    Script(Script),
    Raw(Bytes),
}

/// A file of scripts. Scripts are members: `get` and `put` use their texts.
pub struct Interp {
    pieces: Vec<PieceContent>,
    scripts: Vec<ScriptLine>,
    canonical: bool,
    /// Only used for lints and hints.
    game: Option<Game>,
}

/// The codec of interpreter scripts.
pub struct InterpCodec;

/// Recognises scripts by their signature.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    match suspect.word(0) {
        Some(SIGNATURE) => Verdict::Is(Detection::new(
            Format::Interp,
            None,
            format!("signature {SIGNATURE:#010x}"),
            true,
        )),
        _ => Verdict::No,
    }
}

/// Reports the names in the lines of a script, according to the arguments of its commands.
fn names_in_script(text: &str, see: &mut dyn FnMut(NameUse)) {
    for (n, line) in text.lines().enumerate() {
        let Ok(Some(line)) = Line::parse(line, n + 1) else {
            continue;
        };
        let mut tokens = line.tokens.iter().map(|token| decode_1252(&token.0));
        let Some(word) = tokens.next() else { continue };
        let Some(command) = words::meaning(&word).command() else {
            continue;
        };
        let mut say = |kind, does, name: &str| {
            // A name with a percent sign is a macro with an unknown value.
            if !name.is_empty() && !name.contains('%') {
                see(NameUse {
                    kind,
                    does,
                    name: name.to_owned(),
                    at: format!("line {}", n + 1),
                });
            }
        };
        let arguments = command.arguments.unwrap_or_default();
        for (letter, (i, name)) in arguments.chars().zip(tokens.enumerate()) {
            match (letter, command.name) {
                ('n', _) => say(NameKind::Node, Does::Uses, &name),
                ('t', _) => say(NameKind::Texture, Does::Uses, &name),
                ('s', "source") => say(NameKind::Script, Does::Uses, &name),
                ('s', "LoadGameGen") if i == 0 => say(NameKind::Model, Does::Uses, &name),
                ('s', "LoadGameGen") => say(NameKind::Node, Does::Defines, &name),
                ('s', "ModelNew") => say(NameKind::Model, Does::Defines, &name),
                ('s', new) if new.starts_with("New") || new.ends_with("New") => {
                    say(NameKind::Node, Does::Defines, &name)
                }
                _ => {}
            }
        }
    }
}

impl Codec for InterpCodec {
    type Model = Interp;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Interp> {
        fresh::interp(folder)
    }
    fn names(&self) -> &'static [Rule] {
        // Names within scripts are found by `names_in_script`.
        const { &[Rule::defines("interp", "scripts[].name", NameKind::Script)] }
    }
    fn names_in_text(&self, path: &str, text: &str, see: &mut dyn FnMut(NameUse)) {
        if !sums::is_of_git(path) {
            names_in_script(text, see);
        }
    }
    fn read(&self, file: &Blob, context: &Context) -> Result<Interp> {
        Ok(Interp {
            game: context.game,
            ..Interp::read(&file.bytes()?, None)?
        })
    }

    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        Interp::read(&file.bytes()?, Some(trace)).map(|_| ())
    }

    fn line_for(&self, path: &str, _: &Head) -> Option<ManifestLine> {
        let (name, time) = (path.replace('/', "\\"), UnixTime::default().to_string());
        Some(ManifestLine {
            list: "scripts",
            fields: vec![("name", name), ("file", path.to_owned()), ("time", time)],
        })
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Interp> {
        let manifest: InterpManifest = tree.manifest()?;
        let (mut scripts, canonical) = (manifest.scripts, manifest.layout.is_empty());
        let parts = scripts
            .iter()
            .map(|line| (&*line.file, line.offset.is_none()));
        let files = layout::files(&manifest.layout, parts)?;
        let piece = |(file, holds): &(&str, Holds)| match holds {
            Holds::Part(_) => Script::parse(&tree.text(file)?)
                .map(PieceContent::Script)
                .map_err(|e| e.in_file(*file)),
            _ => tree.file(file).map(PieceContent::Raw),
        };
        let pieces = files.list.iter().map(piece).collect::<Result<_>>()?;
        let places = files.places;
        scripts
            .iter_mut()
            .zip(places)
            .for_each(|(line, piece)| line.piece = piece);
        Ok(Interp {
            pieces,
            scripts,
            canonical,
            game: manifest.game,
        })
    }
}

impl Interp {
    /// Reads a file, reporting the fields to `trace`.
    fn read(file: &Bytes, trace: Option<&dyn Trace>) -> Result<Self> {
        let mut r = Reader::new(file, Game::Mw).traced(trace);
        for (name, expected) in [("signature", SIGNATURE), ("version", VERSION)] {
            let at = r.offset();
            let found: u32 = r.hidden(name, Role::Constant)?;
            if found != expected {
                return Err(Error::say(format!("{found:#x} (expected {expected:#x})"))
                    .within(name)
                    .at(at));
            }
        }
        let count: u32 = r.hidden("count", Role::Derived)?;
        let index_bytes = r
            .take_many(count.into(), ENTRY as u64)
            .map_err(|e| e.within("scripts"))?;
        let index = r.inner(index_bytes, HEADER as u64).within("scripts", |r| {
            let one = |i| {
                let start = ScriptLine::peek_start(r.peek(ENTRY), r.game);
                Ok((r.item(i, |r| ScriptLine::take(r, &start))?, start))
            };
            (0..count as usize)
                .map(one)
                .collect::<Result<Vec<(ScriptLine, u32)>>>()
        })?;
        let mut names = UniquePaths::new();
        let data = HEADER + index_bytes.len();
        let mut spans = Vec::new();
        let mut parsed: HashMap<u32, (Script, u64)> = HashMap::new();
        for (i, (entry, start)) in index.iter().enumerate() {
            let start = *start;
            let path = |e: Error| e.within(format!("{:?}", entry.name.text()));
            if (start as usize) < data || start as usize > file.len() {
                let at = (HEADER + i * ENTRY + ScriptLine::place_start(Game::Mw).start) as u64;
                let message = format!(
                    "{:#x} is outside the data, which are from {data:#x} to {:#x}",
                    start,
                    file.len()
                );
                return Err(path(Error::say(message).within("start").at(at)));
            }
            if let Entry::Vacant(e) = parsed.entry(start) {
                r.seek(start.into())?;
                let script = match trace {
                    None => Script::read(&mut r).map_err(path)?,
                    // The path of its document.
                    Some(_) => r.within(
                        &format!("{} › ", names.assign(&entry.name.text(), "")),
                        Script::read,
                    )?,
                };
                e.insert((script, r.offset()));
            }
            let end = parsed.get(&start).map_or(0, |(_, end)| *end);
            spans.push(Span {
                start: start.into(),
                len: end - u64::from(start),
            });
        }
        let plan = Plan::new(&spans, data as u64, file.len() as u64);
        let pieces = plan
            .pieces
            .iter()
            .zip(plan.held())
            .map(|(span, holds)| {
                match (
                    holds,
                    u32::try_from(span.start)
                        .ok()
                        .and_then(|at| parsed.remove(&at)),
                ) {
                    (Holds::Part(_), Some((script, _))) => PieceContent::Script(script),
                    _ => PieceContent::Raw(
                        file.slice(span.start as usize..(span.start + span.len) as usize),
                    ),
                }
            })
            .collect();
        let mut scripts = Vec::with_capacity(index.len());
        for ((mut line, _), place) in index.into_iter().zip(&plan.places) {
            line.piece = place.piece;
            if let Some(offset) = place.offset {
                line.offset = Some(fit(offset as usize, "an offset")?);
            }
            scripts.push(line);
        }
        Ok(Interp {
            pieces,
            scripts,
            canonical: plan.is_canonical(),
            game: None,
        })
    }

    fn script(&self, index: usize) -> Option<&Script> {
        match self.pieces.get(self.scripts.get(index)?.piece)? {
            PieceContent::Script(script) => Some(script),
            PieceContent::Raw(_) => None,
        }
    }

    /// The game, if known: the bytes are the same in all games, but Recoil is recognised by the
    /// names that its executable looks for.
    pub fn game(&self) -> Option<Game> {
        let names: Vec<_> = self.scripts.iter().map(|slot| slot.name.text()).collect();
        self.game
            .or_else(|| judge::is_recoil(names.iter().map(|name| &**name)).then_some(Game::Rc))
    }
}

impl Model for Interp {
    fn game(&self) -> Option<Game> {
        Interp::game(self)
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        let bytes = |piece: &PieceContent| match piece {
            PieceContent::Script(script) => script.bytes().map(Bytes::from),
            PieceContent::Raw(bytes) => Ok(bytes.clone()),
        };
        let pieces = self
            .pieces
            .iter()
            .map(bytes)
            .collect::<Result<Vec<Bytes>>>()?;
        let data = HEADER + self.scripts.len() * ENTRY;
        let starts = layout::starts(data as u64, pieces.iter().map(|piece| piece.len() as u64))?;
        let mut w = Writer::new(Game::Mw);
        w.u32(SIGNATURE);
        w.u32(VERSION);
        w.u32(fit(self.scripts.len(), "the number of scripts")?);
        for slot in &self.scripts {
            let start = starts.item(slot.piece);
            slot.append(&mut w, &start.wrapping_add(slot.offset.unwrap_or_default()))?;
        }
        out.put(&w.bytes)?;
        pieces.iter().try_for_each(|piece| out.put(piece))
    }

    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let mut names = UniquePaths::new();
        let mut files: Vec<Box<str>> = vec![Box::default(); self.pieces.len()];
        let whole = || self.scripts.iter().filter(|slot| slot.offset.is_none());
        if tree.options.keep_paths {
            for slot in whole() {
                names.take(&slot.file);
                if let Some(file) = files.get_mut(slot.piece) {
                    file.clone_from(&slot.file);
                }
            }
        }
        for slot in whole() {
            if let Some(file) = files.get_mut(slot.piece).filter(|file| file.is_empty()) {
                *file = names.assign(&slot.name.text(), "").into();
            }
        }
        for (i, file) in files
            .iter_mut()
            .enumerate()
            .filter(|(_, file)| file.is_empty())
        {
            *file = names.assign(&format!("gaps/{i}.bin"), "").into();
        }
        for (piece, file) in self.pieces.iter().zip(&files) {
            match piece {
                PieceContent::Script(script) => tree.text(file, script.text())?,
                PieceContent::Raw(bytes) => tree.file(file, bytes)?,
            }
        }
        let scripts = self
            .scripts
            .iter()
            .map(|slot| ScriptLine {
                file: files.get(slot.piece).cloned().unwrap_or_default(),
                ..slot.clone()
            })
            .collect();
        let layout = if self.canonical { Vec::new() } else { files };
        tree.manifest(InterpManifest::new(tree.head.clone(), scripts, layout))
    }

    fn lint(&self, lints: &mut Lints) {
        lints.of_game(self.game());
        lints.check(self.canonical, judge::INTERP_LAYOUT, || {
            format!(
                "{} scripts are stored in {} pieces",
                self.scripts.len(),
                self.pieces.len()
            )
        });
        let mut seen = HashMap::new();
        for (i, slot) in self.scripts.iter().enumerate() {
            let (name, text) = (slot.name.bytes(), slot.name.text());
            let first = *seen.entry(name.to_ascii_lowercase()).or_insert(i);
            lints.at(
                if first == i {
                    text.into_owned()
                } else {
                    format!("#{i} {text}")
                },
                |lints| {
                    let usual =
                        name.is_ascii() && slot.name.is_terminated() && slot.name.is_regular();
                    lints.check(usual, judge::INTERP_NAME, || format!("{:?}", slot.name));
                    lints.check(first == i, judge::INTERP_SHADOWED, || {
                        format!("script #{first} has the same name")
                    });
                    for (n, line) in self
                        .script(i)
                        .iter()
                        .flat_map(|script| &script.0)
                        .enumerate()
                    {
                        lints.at(format!("lines[{n}]"), |lints| line.lint(lints));
                    }
                },
            );
        }
        let scripts = self.scripts.iter().enumerate();
        let scripts =
            scripts.filter_map(|(i, slot)| Some((slot.name.text().into_owned(), self.script(i)?)));
        judge::judge(&scripts.collect::<Vec<_>>(), self.game(), lints);
    }

    fn info(&self) -> Info {
        let lines = || {
            self.pieces.iter().flat_map(|p| {
                if let PieceContent::Script(s) = p {
                    s.0.as_slice()
                } else {
                    &[]
                }
            })
        };
        let words: HashSet<_> = lines().filter_map(|l| l.tokens.first()).collect();
        vec![
            ("version", VERSION.into()),
            ("scripts", self.scripts.len().into()),
            ("lines", lines().count().into()),
            (
                "tokens",
                lines().map(|l| l.tokens.len()).sum::<usize>().into(),
            ),
            ("first words", words.len().into()),
        ]
    }

    refit_base::offers!(Members);
}

fn no_script(index: usize) -> Error {
    Error::say(format!("there is no script #{index} with bytes of its own"))
}

impl Members for Interp {
    fn members(&self) -> Vec<Member> {
        let recoil = self.game() == Some(Game::Rc);
        let tell = |(i, slot): (usize, &ScriptLine)| {
            let script = self.script(i);
            let tool = if recoil && judge::is_for_the_tool(&slot.name.text()) {
                ", not run by the game"
            } else {
                ""
            };
            Member {
                name: slot.name.text().into_owned(),
                bytes: script
                    .and_then(|s| s.bytes().ok())
                    .map_or(0, |b| b.len() as u64),
                kind: "script".into(),
                detail: format!(
                    "{} lines, {}{tool}",
                    script.map_or(0, |s| s.0.len()),
                    slot.time
                ),
            }
        };
        self.scripts.iter().enumerate().map(tell).collect()
    }

    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        let script = self.script(index).ok_or_else(|| no_script(index))?;
        if form == Form::Stored {
            Ok(script.bytes()?.into())
        } else {
            Ok(script.text().into())
        }
    }

    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let script = match form {
            Form::Document(_) => Script::parse(utf8(bytes)?)?,
            Form::Stored => Script::read(&mut Reader::new(bytes, Game::Mw))?,
        };
        let piece = self
            .scripts
            .get(index)
            .filter(|s| s.offset.is_none())
            .and_then(|s| self.pieces.get_mut(s.piece));
        *piece.ok_or_else(|| no_script(index))? = PieceContent::Script(script);
        Ok(())
    }

    fn add_member(&mut self, name: &str, bytes: &[u8], form: Form) -> Result<usize> {
        let name = name.replace('/', "\\").as_str().try_into()?;
        self.scripts.push(ScriptLine {
            name,
            piece: self.pieces.len(),
            ..ScriptLine::default()
        });
        self.pieces.push(PieceContent::Script(Script::default()));
        let index = self.scripts.len() - 1;
        self.put(index, bytes, form)?;
        Ok(index)
    }
}

refit_base::tables! { ScriptLine }

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tokens: &[&[u8]]) -> Line {
        Line {
            tokens: tokens.iter().map(|t| Str(t.to_vec())).collect(),
            ..Line::default()
        }
    }

    #[test]
    fn odd_tokens_are_quoted_and_plain_ones_stay_plain() {
        let odd = [
            (
                line(&[b"GameZReadZBDFile", b"%GAMEZ%", b"..\\data\\a;b"]),
                "GameZReadZBDFile %GAMEZ% ..\\data\\a;b\n",
            ),
            (
                line(&[b"", b"a b", b"", b"x,y"]),
                "\"\" \"a b\" \"\" \"x,y\"\n",
            ),
            (
                line(&[b"@open", b"a@b", b"#", b"q\"\\"]),
                "\"@open\" a@b \"#\" \"q\\\"\\\\\"\n",
            ),
            (line(&[b"\x01\n\xe4\x81"]), "\"\\x01\\nä\\x81\"\n"),
            (
                Line {
                    open: true,
                    count: Some(2),
                    ..line(&[b"set", b"X"])
                },
                "@open @count=2 set X\n",
            ),
        ];
        for (line, text) in odd {
            let mut out = String::new();
            line.text(&mut out);
            assert_eq!(out, text);
            assert_eq!(Script::parse(&out).unwrap().0, [line]);
        }
        let all: Vec<u8> = (1..=255).collect();
        let line = line(&[&all]);
        let mut out = String::new();
        line.text(&mut out);
        assert_eq!(Script::parse(&out).unwrap().0, [line]);
    }

    #[test]
    fn hand_written_lines_are_read_like_the_engine_does() {
        let script = Script::parse("# comment\r\n\r\nSetFog 1, 2,,3\t4 # more\r\n").unwrap();
        assert_eq!(script.0, [line(&[b"SetFog", b"1", b"2", b"", b"3", b"4"])]);
        // White space is skipped after a separator, not before one.
        for (text, tokens) in [
            ("a , b", &[&b"a"[..], b"", b"b"][..]),
            ("a ,b", &[b"a", b"", b"b"]),
            ("a,  b", &[b"a", b"b"]),
            ("a \t  b", &[b"a", b"b"]),
            (" , a", &[b"", b"a"]),
            ("a , , b,", &[b"a", b"", b"", b"b"]),
            ("a ,", &[b"a", b""]),
            ("a, # c", &[b"a"]),
            ("\"a\" ,\"b\",c#d", &[b"a", b"", b"b", b"c"]),
        ] {
            assert_eq!(Script::parse(text).unwrap().0, [line(tokens)], "{text}");
        }
        for (text, word) in [
            ("a \"b", "not closed"),
            ("a\"b", "inside"),
            ("@x a", "@open"),
            ("ok\n\"\\q\"", "line 2"),
        ] {
            let e = Script::parse(text).unwrap_err().to_string();
            assert!(e.contains(word), "{text}: {e}");
        }
    }
}
