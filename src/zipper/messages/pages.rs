//! Code pages and languages of the texts (FORMAT.md).

use encoding_rs::{EncoderResult, Encoding};
use refit_base::wire::{Error, Refused, Result, Scalar};
use serde::{Serialize, Serializer};
use std::{borrow::Cow, fmt};

/// A Windows code page.
///
/// Single-byte pages are bijections of 256 bytes: a byte that the page leaves undefined becomes the
/// character with the same number. In multi-byte pages some byte strings have no text; they are
/// written as hexadecimal bytes.
pub struct Page {
    /// Its number, as in `code_page` of a tree.
    pub number: u16,
    kind: PageKind,
}

enum PageKind {
    /// The characters of 0x80..=0xFF, and the reverse mapping, sorted by character.
    Single {
        high: Box<[char; 128]>,
        back: Vec<(char, u8)>,
    },
    Multi(&'static Encoding),
}

/// The supported pages.
const PAGES: &[(u16, &Encoding)] = &[
    (874, encoding_rs::WINDOWS_874),
    (932, encoding_rs::SHIFT_JIS),
    (936, encoding_rs::GBK),
    (949, encoding_rs::EUC_KR),
    (950, encoding_rs::BIG5),
    (1250, encoding_rs::WINDOWS_1250),
    (1251, encoding_rs::WINDOWS_1251),
    (1252, encoding_rs::WINDOWS_1252),
    (1253, encoding_rs::WINDOWS_1253),
    (1254, encoding_rs::WINDOWS_1254),
    (1255, encoding_rs::WINDOWS_1255),
    (1256, encoding_rs::WINDOWS_1256),
    (1257, encoding_rs::WINDOWS_1257),
    (1258, encoding_rs::WINDOWS_1258),
];

impl Page {
    /// Finds a page by its number.
    pub fn new(number: u16) -> Result<Page> {
        let Some((_, encoding)) = PAGES.iter().find(|(n, _)| *n == number) else {
            let known: Vec<String> = PAGES.iter().map(|(n, _)| n.to_string()).collect();
            return Err(
                Error::say(format!("code page {number} is not one that refit knows"))
                    .hint(format!("known: {}", known.join(", "))),
            );
        };
        if !encoding.is_single_byte() {
            return Ok(Page {
                number,
                kind: PageKind::Multi(encoding),
            });
        }
        let mut high = ['\0'; 128];
        for (byte, slot) in (0x80u8..=0xff).zip(high.iter_mut()) {
            let bytes = [byte];
            let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes);
            *slot = text
                .and_then(|t| t.chars().next())
                .unwrap_or(char::from(byte));
        }
        let mut back: Vec<(char, u8)> = high.iter().copied().zip(0x80..=0xff).collect();
        back.sort();
        Ok(Page {
            number,
            kind: PageKind::Single {
                high: Box::new(high),
                back,
            },
        })
    }

    /// Decodes bytes; `None` if the text would not encode to the same bytes.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, str>> {
        if bytes.is_ascii() {
            return std::str::from_utf8(bytes).ok().map(Cow::Borrowed);
        }
        match &self.kind {
            PageKind::Single { high, .. } => {
                let char_of = |b: &u8| {
                    high.get(usize::from(b.wrapping_sub(0x80)))
                        .copied()
                        .unwrap_or(char::from(*b))
                };
                Some(Cow::Owned(bytes.iter().map(char_of).collect()))
            }
            PageKind::Multi(encoding) => {
                let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
                (self.encode(&text).ok()? == bytes).then_some(text)
            }
        }
    }

    /// Encodes text; the error is the first character that the page lacks.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, char> {
        if text.is_ascii() {
            return Ok(text.as_bytes().to_vec());
        }
        match &self.kind {
            PageKind::Single { back, .. } => {
                let byte_of = |c: char| match u8::try_from(u32::from(c)) {
                    Ok(ascii @ 0..=0x7f) => Ok(ascii),
                    _ => back
                        .binary_search_by_key(&c, |(c, _)| *c)
                        .ok()
                        .and_then(|i| back.get(i))
                        .map(|(_, b)| *b)
                        .ok_or(c),
                };
                text.chars().map(byte_of).collect()
            }
            PageKind::Multi(encoding) => {
                let mut encoder = encoding.new_encoder();
                let room = encoder
                    .max_buffer_length_from_utf8_without_replacement(text.len())
                    .unwrap_or(text.len().saturating_mul(4));
                let mut out = Vec::with_capacity(room);
                match encoder
                    .encode_from_utf8_to_vec_without_replacement(text, &mut out, true)
                    .0
                {
                    EncoderResult::Unmappable(c) => Err(c),
                    EncoderResult::InputEmpty => Ok(out),
                    EncoderResult::OutputFull => Err('\u{fffd}'),
                }
            }
        }
    }

    /// The first character that the page lacks.
    pub fn lacks(&self, text: &str) -> Option<char> {
        self.encode(text).err()
    }
}

/// The ANSI code page of a language (FORMAT.md, and Windows' own list for the rest); 1252 if
/// unknown.
pub fn page_of(language: Option<u32>) -> u16 {
    match language.unwrap_or_default() & 0x3ff {
        // Chinese: Taiwan, Hong Kong and Macau use traditional characters.
        0x04 => match language {
            Some(0x404 | 0xc04 | 0x1404) => 950,
            _ => 936,
        },
        // Serbian and Croatian share a primary language: 0x0c1a and 0x1c1a are Cyrillic.
        0x1a if matches!(language, Some(0xc1a | 0x1c1a)) => 1251,
        0x05 | 0x0e | 0x15 | 0x18 | 0x1a | 0x1b | 0x1c | 0x24 => 1250,
        0x02 | 0x19 | 0x22 | 0x23 | 0x2f => 1251,
        0x08 => 1253,
        0x1f => 1254,
        0x0d => 1255,
        0x01 | 0x20 | 0x29 => 1256,
        0x25..=0x27 => 1257,
        0x2a => 1258,
        0x11 => 932,
        0x12 => 949,
        0x1e => 874,
        _ => 1252,
    }
}

/// A Windows language identifier: the third level of a resource. In text `"en-US"`, or `"0x1234"`
/// if it has no known tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Language(pub u32);

/// Identifiers and tags, from Windows' list of language identifiers.
const TAGS: &[(u32, &str)] = &[
    (0x401, "ar-SA"),
    (0x402, "bg-BG"),
    (0x403, "ca-ES"),
    (0x404, "zh-TW"),
    (0x405, "cs-CZ"),
    (0x406, "da-DK"),
    (0x407, "de-DE"),
    (0x408, "el-GR"),
    (0x409, "en-US"),
    (0x40a, "es-ES-tradnl"),
    (0x40b, "fi-FI"),
    (0x40c, "fr-FR"),
    (0x40d, "he-IL"),
    (0x40e, "hu-HU"),
    (0x40f, "is-IS"),
    (0x410, "it-IT"),
    (0x411, "ja-JP"),
    (0x412, "ko-KR"),
    (0x413, "nl-NL"),
    (0x414, "nb-NO"),
    (0x415, "pl-PL"),
    (0x416, "pt-BR"),
    (0x418, "ro-RO"),
    (0x419, "ru-RU"),
    (0x41a, "hr-HR"),
    (0x41b, "sk-SK"),
    (0x41d, "sv-SE"),
    (0x41e, "th-TH"),
    (0x41f, "tr-TR"),
    (0x422, "uk-UA"),
    (0x423, "be-BY"),
    (0x424, "sl-SI"),
    (0x425, "et-EE"),
    (0x426, "lv-LV"),
    (0x427, "lt-LT"),
    (0x42a, "vi-VN"),
    (0x804, "zh-CN"),
    (0x807, "de-CH"),
    (0x809, "en-GB"),
    (0x80a, "es-MX"),
    (0x80c, "fr-BE"),
    (0x810, "it-CH"),
    (0x813, "nl-BE"),
    (0x816, "pt-PT"),
    (0xc07, "de-AT"),
    (0xc09, "en-AU"),
    (0xc0a, "es-ES"),
    (0xc0c, "fr-CA"),
    (0x1009, "en-CA"),
    (0x100c, "fr-CH"),
];

impl Language {
    fn parse(text: &str) -> Option<Language> {
        match text.strip_prefix("0x") {
            Some(digits) if !digits.starts_with('+') => {
                u32::from_str_radix(digits, 16).ok().map(Language)
            }
            _ => TAGS
                .iter()
                .find(|(_, tag)| tag.eq_ignore_ascii_case(text))
                .map(|(id, _)| Language(*id)),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match TAGS.iter().find(|(id, _)| *id == self.0) {
            Some((_, tag)) => f.write_str(tag),
            None => write!(f, "{:#06x}", self.0),
        }
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

refit_base::text_form!(Language: "a language as \"en-US\", or a Windows language identifier as \
    \"0x0409\"", |value| match value {
    Scalar::Unsigned(v) => u32::try_from(v).ok().map(Language).ok_or(Refused::Value),
    Scalar::Text(v) => Language::parse(v).ok_or(Refused::Value),
    _ => Err(Refused::Type),
});

refit_base::schema_form!(Language: "Language", |_| schemars::json_schema!({ "description": "A language as \"en-US\", or a \
    Windows language identifier as \"0x0409\".", "anyOf": [
    { "type": "string", "pattern": "^(0x[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9-]*)$" },
    { "type": "integer", "minimum": 0, "maximum": u32::MAX },
] }));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_byte_pages_are_bijections() {
        let all: Vec<u8> = (0..=255).collect();
        for number in [874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258] {
            let page = Page::new(number).unwrap();
            let text = page.decode(&all).unwrap();
            assert_eq!(text.chars().count(), 256, "{number}");
            assert_eq!(page.encode(&text).unwrap(), all, "{number}");
        }
        assert_eq!(
            Page::new(1251)
                .unwrap()
                .decode(b"\xcf\xf0\xe8\xe2\xe5\xf2")
                .unwrap(),
            "Привет"
        );
        // The same mapping as in all other formats.
        assert_eq!(
            Page::new(1252).unwrap().decode(&all).unwrap(),
            refit_base::wire::decode_1252(&all)
        );
        assert_eq!(Page::new(1252).unwrap().encode("zu früh: ж"), Err('ж'));
        assert!(Page::new(1200).is_err());
    }

    #[test]
    fn multi_byte_pages_show_text_only_if_it_survives_the_round_trip() {
        let page = Page::new(932).unwrap();
        let bytes = [0x83, 0x81, 0x83, 0x62, 0x83, 0x4e, b'3'];
        assert_eq!(page.decode(&bytes).unwrap(), "メック3");
        assert_eq!(page.encode("メック3").unwrap(), bytes);
        assert_eq!(page.decode(&[0x83]), None);
        assert_eq!(page.decode(&[0xff, 0xff]), None);
        assert_eq!(page.lacks("メ€"), Some('€'));
        for number in [932, 936, 949, 950] {
            let page = Page::new(number).unwrap();
            for high in 0x80..=0xffu8 {
                for low in 0..=0xffu8 {
                    if let Some(text) = page.decode(&[high, low]) {
                        assert_eq!(
                            page.encode(&text).unwrap(),
                            [high, low],
                            "{number} {high:x}{low:x}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn languages_choose_their_pages() {
        // The code pages that Windows uses for these languages.
        for (page, languages) in [
            (
                1252,
                &[0x407, 0x409, 0x40a, 0x40c, 0x410, 0x413, 0x416, 0x41d][..],
            ),
            (1250, &[0x405, 0x40e, 0x415]),
            (1251, &[0x419, 0x422]),
            (1253, &[0x408]),
            (1254, &[0x41f]),
            (932, &[0x411]),
            (1252, &[0, 0xffff, 0x3ff]),
        ] {
            for language in languages {
                assert_eq!(page_of(Some(*language)), page, "{language:#x}");
            }
        }
        assert_eq!(page_of(None), 1252);
        for id in 0..0x2000 {
            let text = Language(id).to_string();
            assert_eq!(Language::parse(&text), Some(Language(id)), "{text}");
        }
        assert_eq!(Language(0x407).to_string(), "de-DE");
        assert_eq!(Language(0x1).to_string(), "0x0001");
    }
}
