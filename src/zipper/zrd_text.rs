//! Text reader files: the control configuration of MechWarrior 3 and other files of the same form
//! (zrd_text/FORMAT.md).
//!
//! The file is text already, and its spelling is data: the tree contains the same text. `unpack`
//! adds comments with key names after lines with key codes; `repack` removes them. `lexer` reads
//! the text as the engine does; the lints report where the result differs from what a reader of the
//! text expects.
//!
//! Such a file is read only by MechWarrior 3 (1.2), and only if no archive has a member of the same
//! name. Recoil cannot read text. Neither game reads a loose *binary* value. For Pirate's Moon and
//! Crimson Skies this is unknown. The syntax of the zStudio project (comments after `#`, escapes,
//! `f32:` numbers) is its own, not the game's, and is not recognised here.

pub mod lexer;

use self::lexer::{Directive, LONGEST_TOKEN, Slip, Token, Value, balance, skimmed, slips, tokens};
use bytes::Bytes;
use refit_base::{
    contract::{Codec, Context, Detection, Family, Info, Model, Stage, Suspect, Verdict},
    format::Format,
    lint::{Code, Lints, codes},
    tree::{Blob, ByteSink, TreeReader, TreeWriter, UniquePaths, plain::PlainFolder},
    wire::{Error, Notation, Result, Role, Trace, decode_1252, encode_1252},
};
use std::collections::BTreeSet;

/// The format, lint codes and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::ZrdText],
    recognise: &[(Stage::Text, recognise)],
    codes: CODES,
    schemas: || vec![refit_base::contract::schema::<ZrdTextManifest>()],
};

codes! {
    /// The kinds of findings in text reader files.
    pub CODES:
    ZRD_PARENTHESES "zrd-parentheses" Refuses [Mw] "unbalanced parentheses"
        "Before it reads a file, MechWarrior 3 counts all parentheses outside quotes and comments, including both \
        branches of an #ifdef. If the numbers of opening and closing ones differ, it treats the file as missing. While \
        it reads, a closing parenthesis too many ends the whole file, and the rest is not read."
        "MechWarrior 3 1.2 checks the balance before it reads the file (0x5562a0)."
    ZRD_QUOTE "zrd-quote" Refuses [Mw] "an unclosed quote"
        "Everything after it is one string, which reaches the end of the file and is dropped by MechWarrior 3. \
        Parentheses after the quote do not count, so the game may treat the file as missing."
        "MechWarrior 3 1.2: an open quote hides the parentheses after it from the balance check (0x5562a0)."
    ZRD_TOKEN "zrd-token" Crashes [Mw] "a token too long for the engine's buffer"
        "A token has at most 255 bytes. MechWarrior 3 crashes on one of 256. After a longer one it ends the list and \
        misreads everything that follows. It does not check a token with quotes at all: that one overwrites the stack, \
        and the game crashes."
        "MechWarrior 3 1.2 has a buffer of 256 bytes for a token, and checks the length only without quotes \
        (0x557650)."
    ZRD_LOST "zrd-lost" Ignores [Mw] "text that the engine drops"
        "MechWarrior 3 ends a string at its first closing quote and drops the rest of the token: KE\"YS\" is KEYS, but \
        \"KE\"YS is KE. It also drops a token that touches the end of the file: end the file with a line end."
        "MechWarrior 3 1.2 stores a zero at the closing quote (0x557650)."
    ZRD_COMMENT "zrd-comment" Ignores [Mw] "a comment joins two lines into one token"
        "A semicolon starts a comment even directly after a word, and the comment includes the line end, so \
        MechWarrior 3 continues the same token on the next line. Put a space before the semicolon."
        "MechWarrior 3 1.2 takes the line end of a comment as its last byte (0x557650)."
    ZRD_NUMBER "zrd-number" Ignores [Mw] "a number that the engine cannot hold"
        "Integers have 32 bits: for a number out of range MechWarrior 3 uses the largest or smallest one, and does not \
        make it a float. A float out of range becomes infinite. Write a decimal point for a float, or quotes for a \
        string."
        "MechWarrior 3 1.2 reads with strtol, which clamps, and with strtod."
    ZRD_EXPONENT "zrd-exponent" Ignores [Mw] "a word that the engine reads as a float"
        "In MechWarrior 3, digits with an exponent are a number, with the letters e, E, d and D: 1e5, 3D2. Put a name \
        that looks like one in quotes."
        "MechWarrior 3 1.2 takes a word as a float if strtod accepts all of it, with e, E, d and D."
    ZRD_DIRECTIVE "zrd-directive" Ignores [Mw] "a word with # that does not do what it seems to"
        "MechWarrior 3 knows #ifdef NAME, #else and #endif, spelled exactly like this and followed by white space. It \
        drops any other word that begins with # and reads the rest of the line: # is not a comment. While it skips a \
        branch, it looks at every # up to the end, even in quotes and comments, and an #else of an inner condition \
        ends the skipping."
        "The directives of MechWarrior 3 1.2 (0x557650 and following)."
    ZRD_ENDIF "zrd-endif" Crashes [Mw] "a condition without #endif"
        "If MechWarrior 3 skips such a branch, it searches for the end forever: the game hangs."
        "MechWarrior 3 1.2 searches for the end of a skipped branch without checking for the end of the file."
    ZRD_BYTE "zrd-byte" Ignores [Mw] "a byte above 0x7f outside quotes"
        "MechWarrior 3 asks its C library whether the byte is white space, but passes a number that the library does \
        not allow, so the answer is unpredictable. Put the word in quotes."
        "MechWarrior 3 1.2 passes signed bytes to isspace, which is undefined above 0x7f."
    ZRD_KEY "zrd-key" Unusual [Mw] "an unnamed key code"
        "Key codes are DirectInput scan codes, plus 0x100 for Alt, 0x200 for Control and 0x400 for Shift."
        "DirectInput's scan codes; Recoil packs the same modifiers into its registry."
}

refit_base::manifest! {
    /// The manifest of a text reader file.
    pub(crate) struct ZrdTextManifest, "zrd_text" {
        /// The text in the tree.
        file: String,
        /// The file contains control characters that editors do not keep, so the tree has its
        /// bytes, not UTF-8 text.
        bytes!: bool,
    }
}

/// The mark that begins refit's comments. A file that contains it already is unpacked without
/// comments.
const MARK: &str = " ;= ";

/// Recognises a text reader file by its tokens; by its name if they could be those of any text.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    // The skeletons of an addon of Bohemia's games.
    if suspect.name().eq_ignore_ascii_case("model.cfg") {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    if suspect.ends_with(".zrd") && is_blank(file) {
        return Verdict::Is(Detection::new(
            Format::ZrdText,
            None,
            "the name, and nothing but blanks",
            false,
        ));
    }
    let named = suspect.ends_with(".zrd") || suspect.ends_with(".cfg");
    match (named || looks_like_a_list(file)) && is_text(file) {
        true => Verdict::Is(Detection::new(
            Format::ZrdText,
            None,
            "the tokens of a text reader file",
            false,
        )),
        false => Verdict::No,
    }
}

/// True if the text begins with a reader list, after white space, comments and conditions.
pub(crate) fn looks_like_a_list(file: &[u8]) -> bool {
    let is_condition = |t: &Token<'_>| {
        matches!(
            t,
            Token::Directive(Directive::Ifdef(_) | Directive::Else | Directive::Endif)
        )
    };
    let mut head = tokens(file.get(..4096).unwrap_or(file));
    matches!(head.find(|(_, t)| !is_condition(t)), Some((_, Token::Open))) && is_text(file)
}

/// True for a text without a token: no bytes, white space, and zeros, which the engine reads as a
/// word that touches the end of the file and is dropped. The engine takes such a file for an empty
/// list; its parentheses are balanced.
fn is_blank(file: &[u8]) -> bool {
    file.iter().all(|b| lexer::is_space(*b) || *b == 0)
}

/// True if all bytes are valid in text, and there is at least one token.
pub(crate) fn is_text(file: &[u8]) -> bool {
    let control = |b: &u8| *b < 0x20 && !lexer::is_space(*b) && !matches!(b, 0x1a | 0);
    // A zero or 0x1A is allowed only at the end.
    let body = file.get(..file.len().saturating_sub(1)).unwrap_or_default();
    !file.iter().any(control) && !body.contains(&0) && tokens(file).any(|(_, t)| t != Token::Close)
}

/// The name of a key code: a DirectInput scan code with modifier bits (zrd_text/FORMAT.md).
/// Recoil's executable has the same bits, and shows them in this order.
pub fn key_name(code: u32) -> Option<String> {
    let key = match code & 0xff {
        n @ 0x02..=0x0a => return Some(modified(code, &(n - 1).to_string())),
        n @ 0x3b..=0x44 => return Some(modified(code, &format!("F{}", n - 0x3a))),
        n => KEYS.iter().find(|(key, _)| *key == n)?.1,
    };
    (code < 0x800).then(|| modified(code, key))
}

fn modified(code: u32, key: &str) -> String {
    let mut out = String::new();
    for (bit, name) in [(0x200, "Ctrl+"), (0x100, "Alt+"), (0x400, "Shift+")] {
        if code & bit != 0 {
            out.push_str(name);
        }
    }
    out + key
}

/// DirectInput keyboard codes (the public `DIK_` constants) except digits and F1 to F10.
const KEYS: &[(u32, &str)] = &[
    (0x01, "Escape"),
    (0x0b, "0"),
    (0x0c, "Minus"),
    (0x0d, "Equals"),
    (0x0e, "Backspace"),
    (0x0f, "Tab"),
    (0x10, "Q"),
    (0x11, "W"),
    (0x12, "E"),
    (0x13, "R"),
    (0x14, "T"),
    (0x15, "Y"),
    (0x16, "U"),
    (0x17, "I"),
    (0x18, "O"),
    (0x19, "P"),
    (0x1a, "Left bracket"),
    (0x1b, "Right bracket"),
    (0x1c, "Enter"),
    (0x1d, "Left Ctrl"),
    (0x1e, "A"),
    (0x1f, "S"),
    (0x20, "D"),
    (0x21, "F"),
    (0x22, "G"),
    (0x23, "H"),
    (0x24, "J"),
    (0x25, "K"),
    (0x26, "L"),
    (0x27, "Semicolon"),
    (0x28, "Apostrophe"),
    (0x29, "Grave"),
    (0x2a, "Left Shift"),
    (0x2b, "Backslash"),
    (0x2c, "Z"),
    (0x2d, "X"),
    (0x2e, "C"),
    (0x2f, "V"),
    (0x30, "B"),
    (0x31, "N"),
    (0x32, "M"),
    (0x33, "Comma"),
    (0x34, "Period"),
    (0x35, "Slash"),
    (0x36, "Right Shift"),
    (0x37, "Keypad *"),
    (0x38, "Left Alt"),
    (0x39, "Space"),
    (0x3a, "Caps Lock"),
    (0x45, "Num Lock"),
    (0x46, "Scroll Lock"),
    (0x47, "Keypad 7"),
    (0x48, "Keypad 8"),
    (0x49, "Keypad 9"),
    (0x4a, "Keypad -"),
    (0x4b, "Keypad 4"),
    (0x4c, "Keypad 5"),
    (0x4d, "Keypad 6"),
    (0x4e, "Keypad +"),
    (0x4f, "Keypad 1"),
    (0x50, "Keypad 2"),
    (0x51, "Keypad 3"),
    (0x52, "Keypad 0"),
    (0x53, "Keypad ."),
    (0x56, "OEM 102"),
    (0x57, "F11"),
    (0x58, "F12"),
    (0x64, "F13"),
    (0x65, "F14"),
    (0x66, "F15"),
    (0x8d, "Keypad ="),
    (0x9c, "Keypad Enter"),
    (0x9d, "Right Ctrl"),
    (0xb3, "Keypad ,"),
    (0xb5, "Keypad /"),
    (0xb7, "Print Screen"),
    (0xb8, "Right Alt"),
    (0xc5, "Pause"),
    (0xc7, "Home"),
    (0xc8, "Up"),
    (0xc9, "Page Up"),
    (0xcb, "Left"),
    (0xcd, "Right"),
    (0xcf, "End"),
    (0xd0, "Down"),
    (0xd1, "Page Down"),
    (0xd2, "Insert"),
    (0xd3, "Delete"),
    (0xdb, "Left Windows"),
    (0xdc, "Right Windows"),
    (0xdd, "Menu"),
];

/// The key codes of a text, with their offsets.
fn key_codes(text: &[u8]) -> Vec<(usize, u32)> {
    let mut out = Vec::new();
    let (mut first, mut second) = (None, None);
    for (at, token) in tokens(text) {
        if let (Some(Token::Word(key)), Some(Token::Open), Token::Word(code)) =
            (&first, &second, &token)
            && (key.text.eq_ignore_ascii_case(b"keya") || key.text.eq_ignore_ascii_case(b"keyb"))
            && let Some(code) = decode_1252(&code.text)
                .strip_prefix("0x")
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        {
            out.push((at, code));
        }
        first = second.replace(token);
    }
    out
}

/// Converts offsets to lines and columns.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &[u8]) -> Self {
        Lines(
            text.iter()
                .enumerate()
                .filter(|(_, b)| **b == b'\n')
                .map(|(at, _)| at)
                .collect(),
        )
    }
    fn place(&self, at: usize) -> String {
        format!(
            "line {}, byte {at}",
            self.0.partition_point(|end| *end < at) + 1
        )
    }
}

/// The state of a condition.
struct Condition {
    at: usize,
    /// Open lists before its branches.
    depth: usize,
    /// Open lists after the first branch, once there is an `#else`.
    first: Option<usize>,
}

/// Checks a text for problems in the engine.
fn judge(text: &[u8], lints: &mut Lints) {
    let lines = Lines::new(text);
    let say = |lints: &mut Lints, at: usize, code: &'static Code, what: String| {
        lints.at(lines.place(at), |lints| lints.say(code, what));
    };
    for (at, slip) in slips(text) {
        let (code, what) = match slip {
            Slip::Joined => (
                ZRD_COMMENT,
                "the comment's line end belongs to it: the next line continues this token"
                    .to_owned(),
            ),
            Slip::BehindQuote(1) => (
                ZRD_LOST,
                "the byte after the closing quote is dropped".to_owned(),
            ),
            Slip::BehindQuote(n) => (
                ZRD_LOST,
                format!("{n} bytes after the closing quote are dropped"),
            ),
            Slip::AtEnd => (
                ZRD_LOST,
                "the last token touches the end of the file and is dropped".to_owned(),
            ),
            Slip::OpenQuote => (
                ZRD_QUOTE,
                "this token's quote is not closed; the token is dropped".to_owned(),
            ),
            Slip::TooLong {
                bytes,
                quoted: false,
            } if bytes > LONGEST_TOKEN + 1 => (
                ZRD_TOKEN,
                format!(
                    "{bytes} bytes (at most {LONGEST_TOKEN} fit): the list ends here, and what follows is misread"
                ),
            ),
            Slip::TooLong { bytes, .. } => (
                ZRD_TOKEN,
                format!("{bytes} bytes (at most {LONGEST_TOKEN} fit): the game crashes"),
            ),
            Slip::HighByte(b) => (
                ZRD_BYTE,
                format!("{b:#04x}: whether it ends the token is unpredictable"),
            ),
        };
        say(lints, at, code, what);
    }
    for (at, token) in tokens(text) {
        let Token::Word(word) = token else { continue };
        let shown = || decode_1252(&word.text).into_owned();
        match word.value() {
            Value::Int(n, true) => {
                say(lints, at, ZRD_NUMBER, format!("{} is read as {n}", shown()))
            }
            Value::Float(f, _) if !f.is_finite() => say(
                lints,
                at,
                ZRD_NUMBER,
                format!("{} is read as an infinite float", shown()),
            ),
            Value::Float(f, true) => say(
                lints,
                at,
                ZRD_EXPONENT,
                format!("{} is read as the float {f:?}", shown()),
            ),
            _ => {}
        }
    }
    structure(text, &mut |at, code, what| say(lints, at, code, what));
    for (at, code) in key_codes(text) {
        lints.at(lines.place(at), |lints| {
            lints.check(key_name(code).is_some(), ZRD_KEY, || format!("{code:#x}"))
        });
    }
}

/// Checks lists and conditions. Both branches of a condition start at the same depth.
fn structure(text: &[u8], say: &mut dyn FnMut(usize, &'static Code, String)) {
    let mut open = Nesting {
        lists: Vec::new(),
        conditions: Vec::new(),
    };
    let mut ended = false;
    // The places of those so far, in order.
    let mut directives = Vec::new();
    let mut all = tokens(text).peekable();
    while let Some((at, token)) = all.next() {
        if matches!(token, Token::Directive(_)) {
            directives.push(at);
        }
        let mut odd = |what: String| say(at, ZRD_DIRECTIVE, what);
        match token {
            Token::Open => open.lists.push(at),
            Token::Close if open.lists.pop().is_none() && !ended => {
                ended = true;
                let rest = if all.peek().is_none() {
                    ""
                } else {
                    ", and what follows is not read"
                };
                say(
                    at,
                    ZRD_PARENTHESES,
                    format!(
                        "a closing parenthesis without a list: the game stops reading \
                    here{rest}"
                    ),
                );
            }
            Token::Directive(Directive::Ifdef(name)) => {
                if name.is_empty() || name.iter().any(|b| matches!(b, b'(' | b')' | b'"' | b';')) {
                    let name = decode_1252(name);
                    odd(format!(
                        "the name of this #ifdef is {name:?}: it runs to the next white space"
                    ));
                }
                open.conditions.push(Condition {
                    at,
                    depth: open.lists.len(),
                    first: None,
                });
            }
            Token::Directive(Directive::Else) => open.begin_second_branch(at, &mut odd),
            Token::Directive(Directive::Endif) => match open.conditions.pop() {
                None => odd("an #endif without #ifdef, which does nothing".into()),
                Some(condition) => {
                    open.end(&condition, at, &mut odd);
                    if open.conditions.is_empty() {
                        for hidden in skimmed(text, condition.at, at)
                            .filter(|at| directives.binary_search(at).is_err())
                        {
                            let what = "not a directive when the game reads this part, but one when it skips it";
                            say(hidden, ZRD_DIRECTIVE, what.into());
                        }
                    }
                }
            },
            Token::Directive(Directive::Other(word)) => {
                odd(format!(
                    "{:?} is dropped, and the rest of the line is read",
                    decode_1252(word)
                ));
            }
            Token::Close | Token::Word(_) => {}
        }
    }
    for condition in open.conditions {
        say(
            condition.at,
            ZRD_ENDIF,
            "no #endif: if this branch is skipped, the game hangs".into(),
        );
    }
    match balance(text) {
        0 => {}
        sum if sum > 0 => {
            let at = open.lists.last().copied().unwrap_or_default();
            say(
                at,
                ZRD_PARENTHESES,
                format!("{sum} lists are not closed: the game treats the file as missing"),
            );
        }
        sum => say(
            0,
            ZRD_PARENTHESES,
            format!(
                "{} closing parentheses too many: the game treats the file as missing",
                -sum
            ),
        ),
    }
}

/// The lists and conditions that are open at a place of a text.
struct Nesting {
    /// Where each list begins.
    lists: Vec<usize>,
    conditions: Vec<Condition>,
}

impl Nesting {
    /// An `#else`. `odd` reports a problem with it.
    fn begin_second_branch(&mut self, at: usize, odd: &mut dyn FnMut(String)) {
        if self.conditions.len() > 1 {
            odd("an #else inside another condition: if the outer branch is skipped, it ends the skipping".into());
        }
        let Some(condition) = self.conditions.last_mut() else {
            return odd("an #else without #ifdef: everything to the next #endif is skipped, and without one the game \
                hangs"
                .into());
        };
        if condition.first.is_some() {
            odd("a second #else of one condition".into());
        }
        condition.first = Some(self.lists.len());
        self.lists.resize(condition.depth, at);
    }

    /// The `#endif` of a condition: both branches should leave the same lists open.
    fn end(&mut self, condition: &Condition, at: usize, odd: &mut dyn FnMut(String)) {
        let (first, second) = (condition.first.unwrap_or(condition.depth), self.lists.len());
        if first != second {
            odd(format!(
                "{first} lists are open here without the last branch of the condition, {second} with it"
            ));
            self.lists.resize(condition.depth, at);
        } else if second != condition.depth {
            odd("both branches begin or end the same lists, and the check before reading counts both".into());
        }
    }
}

/// Adds the names of keys at the ends of lines.
fn annotate(text: &[u8]) -> String {
    let plain = decode_1252(text);
    // A quoted string may span lines; a comment in it would be part of the string.
    if plain.contains(MARK) || plain.contains('"') {
        return plain.into_owned();
    }
    let codes = key_codes(text);
    let mut codes = codes.iter().peekable();
    let mut out = String::with_capacity(plain.len() + 1024);
    let mut at = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        at += line.len();
        let mut names: Vec<String> = Vec::new();
        while let Some((_, code)) = codes.next_if(|(place, _)| *place < at) {
            names.push(key_name(*code).unwrap_or_else(|| format!("{code:#x}?")));
        }
        let end = line.len()
            - line
                .iter()
                .rev()
                .take_while(|b| matches!(b, b'\r' | b'\n'))
                .count();
        let (body, ending) = line.split_at(end);
        out.push_str(&decode_1252(body));
        // Without a line end refit's comment could not be distinguished from one of the file.
        if !names.is_empty() && !ending.is_empty() {
            out.push_str(MARK);
            out.push_str(&names.join(", "));
        }
        out.push_str(&decode_1252(ending));
    }
    out
}

/// Removes the names of keys.
fn strip(text: &str) -> Result<Vec<u8>> {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.find(MARK) {
            Some(at) => {
                out.push_str(line.get(..at).unwrap_or_default());
                let end = line.trim_end_matches(['\r', '\n']).len();
                out.push_str(line.get(end..).unwrap_or_default());
            }
            None => out.push_str(line),
        }
    }
    encode_1252(&out)
}

/// The codec of text reader files.
pub struct ZrdTextCodec;

/// A text of reader tokens.
pub struct ZrdText(Bytes);

impl ZrdText {
    /// Checks that the bytes are such a text.
    pub fn new(text: impl Into<Bytes>) -> Result<Self> {
        let text = text.into();
        if !is_text(&text) && !is_blank(&text) {
            return Err(Error::say("not a text of reader tokens").at(0));
        }
        Ok(ZrdText(text))
    }

    /// The bytes: ASCII, except in strings.
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }
}

impl Codec for ZrdTextCodec {
    type Model = ZrdText;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<ZrdText> {
        let text = folder.only(&[".zrd", ".cfg", ".txt"], "text")?;
        let text = folder.get(text)?;
        match std::str::from_utf8(&text) {
            Ok(text) => ZrdText::new(strip(text.strip_prefix('\u{feff}').unwrap_or(text))?),
            Err(_) => ZrdText::new(text),
        }
    }

    fn read(&self, file: &Blob, _: &Context) -> Result<ZrdText> {
        ZrdText::new(file.bytes()?)
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        let mut at = 0;
        for (i, line) in file.bytes()?.split_inclusive(|b| *b == b'\n').enumerate() {
            trace.note(
                at,
                line.len() as u64,
                &format!("line {}", i + 1),
                Notation::Text,
                Role::Value,
            );
            at += line.len() as u64;
        }
        Ok(())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<ZrdText> {
        let manifest: ZrdTextManifest = tree.manifest()?;
        if manifest.bytes {
            return Ok(ZrdText(tree.file(&manifest.file)?));
        }
        let text = tree.text(&manifest.file)?;
        Ok(ZrdText(
            strip(text.strip_prefix('\u{feff}').unwrap_or(&text))
                .map_err(|e| e.in_file(manifest.file))?
                .into(),
        ))
    }
}

impl Model for ZrdText {
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        out.put(&self.0)
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let text = annotate(&self.0);
        let bytes = strip(&text).ok().as_deref() != Some(&*self.0) || text.starts_with('\u{feff}');
        let file = UniquePaths::new().assign(&tree.head.source.file, "");
        tree.file(
            &file,
            &if bytes {
                self.0.clone()
            } else {
                Bytes::from(text)
            },
        )?;
        tree.manifest(ZrdTextManifest::new(tree.head.clone(), file, bytes))
    }
    fn lint(&self, lints: &mut Lints) {
        judge(&self.0, lints);
    }
    fn info(&self) -> Info {
        let mut info: Info = vec![
            ("tokens", tokens(&self.0).count().into()),
            ("keys", key_codes(&self.0).len().into()),
        ];
        let mut names = BTreeSet::new();
        for (_, token) in tokens(&self.0) {
            if let Token::Directive(Directive::Ifdef(name)) = token {
                names.insert(decode_1252(name).into_owned());
            }
        }
        let names: Vec<String> = names.into_iter().collect();
        if !names.is_empty() {
            info.push(("conditions", names.into()));
        }
        info.push((
            "read by",
            "MechWarrior 3, where no archive has a member of this name; Recoil reads no text"
                .into(),
        ));
        info
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_key_codes_are_added_and_removed() {
        let text = b"(\r\n\tKEYS (\r\n\t\t(CMD_A keya(0x1e) keyb(0x2c8)) ; \xe4\r\n\t\t(CMD_B keya(0x9c))\r\n\t)\r\n)";
        let shown = annotate(text);
        assert!(
            shown.contains("keyb(0x2c8)) ; ä ;= A, Ctrl+Up\r\n")
                && shown.contains("(CMD_B keya(0x9c)) ;= Keypad Enter\r\n"),
            "{shown}"
        );
        assert_eq!(strip(&shown).unwrap(), text);
        assert_eq!(key_name(0x539).as_deref(), Some("Alt+Shift+Space"));
        assert_eq!(key_name(0x00), None);
    }

    #[test]
    fn binary_files_are_not_text() {
        assert!(
            !is_text(&[4, 0, 0, 0])
                && !is_text(b"")
                && !is_text(b" ) ")
                && is_text(b"1.0")
                && is_text(b"(a)\x1a")
        );
        assert!(looks_like_a_list(b" ; c\n( a )") && !looks_like_a_list(b"plain words"));
        assert!(
            looks_like_a_list(b"#ifdef DEMO\n( a )\n#endif\n")
                && !looks_like_a_list(b"#!/bin/sh\n( a )\n")
        );
        assert!(is_text(b"( a\x0b\x0cb )"));
    }
}
