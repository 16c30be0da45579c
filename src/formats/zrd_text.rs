//! Text reader files: the control configuration of MechWarrior 3 and whatever else has its form (reader.md, section 4).
//!
//! The file is text already, and its spelling is data: the tree holds the same text. Key codes get a comment with the name of
//! the key behind their line; `repack` takes these comments away again.

use super::{Codec, Context, Family, Format, Info, Model};
use crate::{
    lint::{Lints, codes},
    tree::{Blob, Names, TreeReader, TreeWriter},
    wire::{Error, Kind, Result, Role, Trace, decode_1252, encode_1252, is_false},
};
use bytes::Bytes;

/// What this module contributes.
pub const FAMILY: Family =
    Family { formats: &[Format::ZrdText], codec: Some(&ZrdTextCodec), codes: CODES, schemas: || vec![super::schema::<ZrdTextManifest>()] };

codes! {
    /// The kinds of findings in text reader files.
    pub CODES:
    ZRD_PARENTHESES "zrd-parentheses" Error "parentheses do not match"
        "A list has no end, or an end has no list. The engine reads the rest of the file wrongly."
    ZRD_QUOTE "zrd-quote" Error "a quote has no end"
        "Everything behind it belongs to one string."
    ZRD_TOKEN "zrd-token" Warning "a token that the engine may not read"
        "Tokens have at most 255 bytes, and are ASCII without a zero byte."
    ZRD_KEY "zrd-key" Note "a key code without a name"
        "Key codes are DirectInput scan codes, with 0x100 for Alt, 0x200 for Control and 0x400 for Shift added."
}

crate::manifest! {
    /// The manifest of a text reader file.
    pub struct ZrdTextManifest, "zrd_text" {
        /// The text in the tree.
        file: String,
        /// The file holds control characters that no editor keeps: the tree has its bytes, not UTF-8 text.
        #[serde(default, skip_serializing_if = "is_false")]
        bytes: bool,
    }
}

/// The mark that begins refit's own comments. A file that has it already is unpacked without comments.
const MARK: &str = " ;= ";

/// What a token of the text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Open,
    Close,
    Word(&'a [u8]),
}

/// The tokens and what is wrong with them.
fn tokens(text: &[u8]) -> (Vec<(usize, Token<'_>)>, bool) {
    let mut out = Vec::new();
    let mut at = 0;
    let mut open_quote = false;
    while let Some(&b) = text.get(at) {
        match b {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'(' => {
                out.push((at, Token::Open));
                at += 1;
            }
            b')' => {
                out.push((at, Token::Close));
                at += 1;
            }
            b';' => at += text.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'\n')).unwrap_or(text.len()),
            _ => {
                let start = at;
                let mut quoted = false;
                while let Some(&b) = text.get(at) {
                    match b {
                        b'"' => quoted = !quoted,
                        b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' if !quoted => break,
                        _ => {}
                    }
                    at += 1;
                }
                open_quote |= quoted;
                out.push((start, Token::Word(text.get(start..at).unwrap_or_default())));
            }
        }
    }
    (out, open_quote)
}

/// True when a reader list stands at the beginning, behind white space and comments.
pub fn looks_like_a_list(file: &[u8]) -> bool {
    matches!(tokens(file.get(..4096).unwrap_or(file)).0.first(), Some((_, Token::Open))) && is_text(file)
}

/// True when all bytes are of the kind that a text has, and there is a token.
pub fn is_text(file: &[u8]) -> bool {
    let control = |b: &u8| *b < 0x20 && !matches!(b, b'\t' | b'\r' | b'\n' | 0x1a | 0);
    // A zero or 0x1A is known only at the end.
    let body = file.get(..file.len().saturating_sub(1)).unwrap_or_default();
    !file.iter().any(control) && !body.contains(&0) && tokens(file).0.iter().any(|(_, t)| *t != Token::Close)
}

/// The name of a key code: a DirectInput scan code with modifier bits (reader.md, section 4.3).
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
    for (bit, name) in [(0x400, "Shift+"), (0x200, "Ctrl+"), (0x100, "Alt+")] {
        if code & bit != 0 {
            out.push_str(name);
        }
    }
    out + key
}

/// DirectInput keyboard codes (the public `DIK_` constants) but for digits and F1 to F10.
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

/// The key codes of a text: where each stands, and its number.
fn key_codes(text: &[u8]) -> Vec<(usize, u32)> {
    let (tokens, _) = tokens(text);
    let mut out = Vec::new();
    for window in tokens.windows(3) {
        if let [(_, Token::Word(key)), (_, Token::Open), (at, Token::Word(code))] = window
            && (key.eq_ignore_ascii_case(b"keya") || key.eq_ignore_ascii_case(b"keyb"))
            && let Some(code) = decode_1252(code).strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok())
        {
            out.push((*at, code));
        }
    }
    out
}

/// The text with the names of its keys behind the lines.
fn annotate(text: &[u8]) -> String {
    let plain = decode_1252(text);
    // A quote may run over a line's end; there a comment would be part of the string.
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
        let end = line.len() - line.iter().rev().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let (body, ending) = line.split_at(end);
        out.push_str(&decode_1252(body));
        // Without a line end the comment could not be told from a comment of the file.
        if !names.is_empty() && !ending.is_empty() {
            out.push_str(MARK);
            out.push_str(&names.join(", "));
        }
        out.push_str(&decode_1252(ending));
    }
    out
}

/// The text without the names of keys.
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

struct ZrdText(Bytes);

impl Codec for ZrdTextCodec {
    fn read(&self, file: &Bytes, _: &Context) -> Result<Box<dyn Model>> {
        if !is_text(file) {
            return Err(Error::say("not a text of reader tokens").at(0));
        }
        Ok(Box::new(ZrdText(file.clone())))
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        let mut at = 0;
        for (i, line) in file.bytes()?.split_inclusive(|b| *b == b'\n').enumerate() {
            trace.note(at, line.len() as u64, &format!("line {}", i + 1), Kind::Text, Role::Value);
            at += line.len() as u64;
        }
        Ok(())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Box<dyn Model>> {
        let manifest: ZrdTextManifest = tree.manifest()?;
        if manifest.bytes {
            return Ok(Box::new(ZrdText(tree.file(&manifest.file)?)));
        }
        let text = tree.text(&manifest.file)?;
        Ok(Box::new(ZrdText(strip(text.strip_prefix('\u{feff}').unwrap_or(&text)).map_err(|e| e.in_file(manifest.file))?.into())))
    }
}

impl Model for ZrdText {
    fn write(&self) -> Result<Vec<u8>> {
        Ok(self.0.to_vec())
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let text = annotate(&self.0);
        let bytes = strip(&text).ok().as_deref() != Some(&*self.0) || text.starts_with('\u{feff}');
        let file = Names::new().assign(&tree.head.source.file, "");
        tree.file(&file, &if bytes { self.0.clone() } else { Bytes::from(text) })?;
        tree.manifest(&ZrdTextManifest::new(tree.head.clone(), file, bytes))
    }
    fn lint(&self, lints: &mut Lints) {
        let (tokens, open_quote) = tokens(&self.0);
        lints.check(!open_quote, ZRD_QUOTE, || "the last quote has no end".into());
        let mut depth = 0i64;
        for (at, token) in &tokens {
            lints.at(format!("byte {at}"), |lints| match token {
                Token::Open => depth += 1,
                Token::Close => {
                    depth -= 1;
                    lints.check(depth >= 0, ZRD_PARENTHESES, || "an end without a list".into());
                    depth = depth.max(0);
                }
                Token::Word(word) => {
                    let length = word.iter().filter(|b| **b != b'"').count();
                    lints.check(length <= 255 && word.is_ascii() && !word.contains(&0), ZRD_TOKEN, || format!("{length} bytes"));
                }
            });
        }
        lints.check(depth == 0, ZRD_PARENTHESES, || format!("{depth} lists have no end"));
        for (at, code) in key_codes(&self.0) {
            lints.at(format!("byte {at}"), |lints| lints.check(key_name(code).is_some(), ZRD_KEY, || format!("{code:#x}")));
        }
    }
    fn info(&self) -> Info {
        vec![("tokens", tokens(&self.0).0.len().into()), ("keys", key_codes(&self.0).len().into())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_codes_get_names_and_lose_them_again() {
        let text = b"(\r\n\tKEYS (\r\n\t\t(CMD_A keya(0x1e) keyb(0x2c8)) ; \xe4\r\n\t\t(CMD_B keya(0x9c))\r\n\t)\r\n)";
        let shown = annotate(text);
        assert!(
            shown.contains("keyb(0x2c8)) ; ä ;= A, Ctrl+Up\r\n") && shown.contains("(CMD_B keya(0x9c)) ;= Keypad Enter\r\n"),
            "{shown}"
        );
        assert_eq!(strip(&shown).unwrap(), text);
        assert_eq!(key_name(0x539).as_deref(), Some("Shift+Alt+Space"));
        assert_eq!(key_name(0x00), None);
    }

    #[test]
    fn binary_files_are_not_text() {
        assert!(!is_text(&[4, 0, 0, 0]) && !is_text(b"") && !is_text(b" ) ") && is_text(b"1.0") && is_text(b"(a)\x1a"));
        assert!(looks_like_a_list(b" ; c\n( a )") && !looks_like_a_list(b"plain words"));
    }
}
