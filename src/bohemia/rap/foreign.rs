//! Texts that are not UTF-8: the characters that keep their bytes until they are compiled.

use refit_base::wire::{Error, Result, utf8};
use std::borrow::Cow;

/// The first of the characters that stand for the bytes of a text that is not UTF-8. They are the
/// last ones of the private planes: see [`decoded`].
const FOREIGN: u32 = 0x10_fe00;

/// The character for a byte that is not UTF-8.
fn foreign(byte: u8) -> char {
    char::from_u32(FOREIGN + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that [`decoded`] turned into this character.
pub(super) fn foreign_byte(c: char) -> Option<u8> {
    u8::try_from(u32::from(c).checked_sub(FOREIGN)?).ok()
}

/// The text of a file. Most are UTF-8; texts of other encodings, such as Windows-1252, keep their
/// bytes: each byte that is not UTF-8 is a character that only [`Rap::compile`](super::Rap::compile)
/// knows, which writes the byte again.
///
/// Fails for UTF-16, which no game reads.
pub fn decoded(file: &[u8]) -> Result<Cow<'_, str>> {
    if file.starts_with(&[0xff, 0xfe]) || file.starts_with(&[0xfe, 0xff]) {
        return Err(Error::say("a text in UTF-16, which no game reads")
            .at(0)
            .hint("save it as UTF-8"));
    }
    if let Ok(text) = utf8(file)
        && !text.contains(|c| foreign_byte(c).is_some())
    {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = String::with_capacity(file.len());
    for chunk in file.utf8_chunks() {
        for c in chunk.valid().chars() {
            match foreign_byte(c) {
                // A real character of this range.
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(foreign)),
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(foreign));
    }
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_another_encoding_keep_their_bytes() {
        let bytes = |text: &str| -> Vec<u8> {
            let mut out = Vec::new();
            for c in text.chars() {
                match foreign_byte(c) {
                    Some(byte) => out.push(byte),
                    None => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                }
            }
            out
        };
        for file in [
            &b"// Gr\xfc\xdfe\nx = 1; /* \xe4 \n \xf6 */ y = \"//\";"[..],
            "x = \"\u{fc} \u{10fe41} \u{10feff}\u{10ffff}\";".as_bytes(),
            b"\xef\xbb\xbfx = \"\xe4\xc3\xa4\xc3\";",
        ] {
            assert_eq!(bytes(&decoded(file).unwrap()), file);
        }
        assert!(matches!(
            decoded("x = \"\u{fc}\";".as_bytes()),
            Ok(Cow::Borrowed(_))
        ));
        let error = decoded(b"\xff\xfex\0").unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
    }
}
