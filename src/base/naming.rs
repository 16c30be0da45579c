//! Names of the things in a game, and the references between files by name.
//!
//! Each format declares which fields of its documents are names ([`Rule`]); for texts that are not
//! documents it extracts the names itself. Documents are walked in their text form, so there is no
//! second description of a file's content.

use crate::wire::{Scanner, Style, TokenKind};
use serde::Serialize;
use std::borrow::Cow;

/// The kind of a named thing.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "cli",
    derive(clap::ValueEnum),
    value(rename_all = "snake_case")
)]
pub enum NameKind {
    /// A picture of a texture package.
    Texture,
    /// A material of a world or of 'mechs. Its name is that of its texture.
    Material,
    /// A node of a world, of the planes or of a 'mech.
    Node,
    /// A model file, as tools and 'mech libraries call it.
    Model,
    /// An animation.
    Animation,
    /// The source of a definition, or another file that the compiler of animations read.
    Source,
    /// A sound: a sample, or the file of one.
    Sound,
    /// A text of a message library.
    Message,
    /// A script of the interpreter.
    Script,
    /// A member of a reader archive, or of another archive of files.
    Member,
    /// A motion of a 'mech.
    Motion,
    /// A template of an effect.
    Effect,
    /// A condition for an animation to run: an animation, or a node.
    Prerequisite,
    /// A light of an animation.
    Light,
    /// A puffer of an animation.
    Puffer,
    /// A file of an addon.
    File,
    /// A class of a config.
    Class,
    /// An addon, by its name in `CfgPatches`.
    Addon,
    /// A named part of a model, or a bone of a skeleton.
    Selection,
    /// A definition of an animation in a reader: the name of the animation that is compiled from it.
    Definition,
}

impl NameKind {
    /// All kinds.
    pub const ALL: [NameKind; 20] = [
        NameKind::Texture,
        NameKind::Material,
        NameKind::Node,
        NameKind::Model,
        NameKind::Animation,
        NameKind::Source,
        NameKind::Sound,
        NameKind::Message,
        NameKind::Script,
        NameKind::Member,
        NameKind::Motion,
        NameKind::Effect,
        NameKind::Prerequisite,
        NameKind::Light,
        NameKind::Puffer,
        NameKind::File,
        NameKind::Class,
        NameKind::Addon,
        NameKind::Selection,
        NameKind::Definition,
    ];

    /// The printed word: `texture`.
    pub fn name(self) -> &'static str {
        match self {
            NameKind::Texture => "texture",
            NameKind::Material => "material",
            NameKind::Node => "node",
            NameKind::Model => "model",
            NameKind::Animation => "animation",
            NameKind::Source => "source",
            NameKind::Sound => "sound",
            NameKind::Message => "message",
            NameKind::Script => "script",
            NameKind::Member => "member",
            NameKind::Motion => "motion",
            NameKind::Effect => "effect",
            NameKind::Prerequisite => "prerequisite",
            NameKind::Light => "light",
            NameKind::Puffer => "puffer",
            NameKind::File => "file",
            NameKind::Class => "class",
            NameKind::Addon => "addon",
            NameKind::Selection => "selection",
            NameKind::Definition => "definition",
        }
    }
}

/// Whether a place defines or uses a name.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// The thing itself is here.
    Defines,
    /// Refers to something else.
    Uses,
}

/// A field of a document type that contains a name.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The type of document; empty for documents without a schema, such as members of reader
    /// archives.
    pub document: &'static str,
    /// The field, without positions: `nodes[].name`. After `*.`, the end of its path.
    pub field: &'static str,
    /// The kind of thing that has the name.
    pub kind: NameKind,
    /// Whether the field defines or uses the name.
    pub does: Does,
}

impl Rule {
    /// A field that defines a name.
    pub const fn defines(document: &'static str, field: &'static str, kind: NameKind) -> Self {
        Rule {
            document,
            field,
            kind,
            does: Does::Defines,
        }
    }

    /// A field that uses a name.
    pub const fn uses(document: &'static str, field: &'static str, kind: NameKind) -> Self {
        Rule {
            document,
            field,
            kind,
            does: Does::Uses,
        }
    }

    /// True if the rule applies to this field, given without positions.
    pub fn fits(&self, document: &str, shape: &str) -> bool {
        // In a record with extra bytes or an ordinal, the name is one level deeper.
        let fits = |shape: &str| match self.field.strip_prefix("*.") {
            Some(end) => shape
                .strip_suffix(end)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
            None => shape == self.field,
        };
        let deeper = || {
            shape
                .strip_suffix(".text")
                .or_else(|| shape.strip_suffix(".name"))
                .is_some_and(fits)
        };
        self.document == document && (fits(shape) || deeper())
    }
}

/// A name at a position in a text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NameUse {
    /// The kind of thing that has the name.
    pub kind: NameKind,
    /// Whether the name is defined or used.
    pub does: Does,
    /// The name.
    pub name: String,
    /// The position in the text: a field's path, or `line 7`.
    pub at: String,
}

/// A name in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, serde::Deserialize)]
pub struct Name {
    /// The kind of thing that has the name.
    pub kind: NameKind,
    /// Whether this place defines or uses the name.
    pub does: Does,
    /// The name.
    pub name: String,
    /// The text of the tree that contains it; empty if the file has no tree of texts.
    pub document: String,
    /// Its path in that text.
    pub at: String,
}

/// Normalizes a name for comparison: the games ignore case, and the file extensions of textures and
/// sounds.
pub fn key(kind: NameKind, name: &str) -> String {
    let lower = name.to_ascii_lowercase().replace('/', "\\");
    let stem = |ends: &[&str]| {
        ends.iter()
            .find_map(|end| lower.strip_suffix(end))
            .map(str::to_owned)
    };
    match kind {
        NameKind::Texture | NameKind::Material => stem(&[".tif", ".tga", ".bmp", ".pcx", ".jpg"]),
        NameKind::Sound => stem(&[".wav"]),
        NameKind::Node | NameKind::Model => stem(&[".flt"]),
        _ => None,
    }
    .unwrap_or(lower)
}

/// Normalizes a name so that all names that a game may treat as equal are equal: lower case,
/// without the extensions of pictures, sounds, models and configurations.
pub fn coarse(name: &str) -> String {
    const ENDS: [&str; 13] = [
        ".tif", ".tga", ".bmp", ".pcx", ".jpg", ".wav", ".flt", ".paa", ".pac", ".png", ".cpp",
        ".bin", ".jpeg",
    ];
    let mut lower = name.to_ascii_lowercase().replace('/', "\\");
    while let Some(end) = ENDS.iter().find(|end| lower.ends_with(**end)) {
        lower.truncate(lower.len() - end.len());
    }
    lower
}

/// A value of a document, with its position.
#[derive(Debug)]
pub struct Leaf<'a> {
    /// The field's path: `nodes[3].name`.
    pub path: &'a str,
    /// The path without positions: `nodes[].name`.
    pub shape: &'a str,
    /// The text, or the number as spelled. A list that contains only numbers is one value.
    pub value: Cow<'a, str>,
    /// True for a text.
    pub is_text: bool,
}

struct OpenValue {
    /// Length of the path up to this list or record.
    path: usize,
    shape: usize,
    /// The next position; `None` in a record.
    next: Option<usize>,
    /// The numbers of a list that contains nothing else so far.
    numbers: Option<String>,
}

/// Walks a document: JSON as refit writes it. Any other text ends the walk early.
pub fn walk(text: &str, see: &mut dyn FnMut(&Leaf<'_>)) {
    let (mut path, mut shape) = (String::new(), String::new());
    let mut open: Vec<OpenValue> = Vec::new();
    let mut tokens = Scanner::new(text, Style::Json);
    while let Some(token) = tokens.next() {
        match token.kind {
            TokenKind::Open => {
                begin(&mut open, &mut path, &mut shape, see);
                let list = token.text == "[";
                let (next, numbers) = (list.then_some(0), list.then(String::new));
                open.push(OpenValue {
                    path: path.len(),
                    shape: shape.len(),
                    next,
                    numbers,
                });
            }
            TokenKind::Close => {
                let Some(frame) = open.pop() else { return };
                path.truncate(frame.path);
                shape.truncate(frame.shape);
                if let Some(numbers) = frame.numbers.filter(|numbers| !numbers.is_empty()) {
                    see(&Leaf {
                        path: &path,
                        shape: &shape,
                        value: numbers.into(),
                        is_text: false,
                    });
                }
            }
            TokenKind::Comma | TokenKind::Colon => {}
            TokenKind::Unclosed => return,
            TokenKind::Text => {
                let Ok(word) = token.value(Style::Json) else {
                    return;
                };
                if tokens
                    .peek()
                    .is_some_and(|token| token.kind == TokenKind::Colon)
                {
                    let Some(frame) = open.last() else { return };
                    path.truncate(frame.path);
                    shape.truncate(frame.shape);
                    for to in [&mut path, &mut shape] {
                        if !to.is_empty() {
                            to.push('.');
                        }
                        to.push_str(&word);
                    }
                } else {
                    begin(&mut open, &mut path, &mut shape, see);
                    see(&Leaf {
                        path: &path,
                        shape: &shape,
                        value: word,
                        is_text: true,
                    });
                }
            }
            TokenKind::Word | TokenKind::Other => {
                if let Some(OpenValue {
                    next: Some(next),
                    numbers: Some(numbers),
                    ..
                }) = open.last_mut()
                {
                    *next += 1;
                    if !numbers.is_empty() {
                        numbers.push(' ');
                    }
                    numbers.push_str(token.text);
                } else {
                    begin(&mut open, &mut path, &mut shape, see);
                    see(&Leaf {
                        path: &path,
                        shape: &shape,
                        value: token.text.into(),
                        is_text: false,
                    });
                }
            }
        }
    }
}

/// Handles the start of a value: sets the path of a list's item, and emits the numbers that were
/// pending before it.
fn begin(
    open: &mut [OpenValue],
    path: &mut String,
    shape: &mut String,
    see: &mut dyn FnMut(&Leaf<'_>),
) {
    let Some(frame) = open.last_mut() else { return };
    let Some(next) = &mut frame.next else { return };
    path.truncate(frame.path);
    shape.truncate(frame.shape);
    shape.push_str("[]");
    if let Some(numbers) = frame.numbers.take() {
        for (i, number) in numbers
            .split(' ')
            .filter(|number| !number.is_empty())
            .enumerate()
        {
            path.truncate(frame.path);
            path.push_str(&format!("[{i}]"));
            see(&Leaf {
                path,
                shape,
                value: number.into(),
                is_text: false,
            });
        }
        path.truncate(frame.path);
    }
    path.push_str(&format!("[{next}]"));
    *next += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        walk(text, &mut |leaf| {
            out.push(format!(
                "{}={}{}",
                leaf.path,
                leaf.value,
                if leaf.is_text { "" } else { "#" }
            ))
        });
        out
    }

    #[test]
    fn every_value_has_its_path() {
        let text = r#"{ "a": [{ "b": "x\"\u00e9\\" }, 3], "c": { "d": null }, "v": [1.5, -2, 3e5], "n": [1, "t", 2,
        [4]], "e": [], "s": -0.0 }"#;
        let expected = [
            "a[0].b=x\"é\\",
            "a[1]=3#",
            "c.d=null#",
            "v=1.5 -2 3e5#",
            "n[0]=1#",
            "n[1]=t",
            "n[2]=2#",
            "n[3]=4#",
            "s=-0.0#",
        ];
        assert_eq!(leaves(text), expected);
        assert_eq!(
            leaves("[\"A\", [1, 2], [\"B\"]]"),
            ["[0]=A", "[1]=1 2#", "[2][0]=B"]
        );
    }

    #[test]
    fn depth_needs_no_stack_and_broken_texts_end() {
        let deep = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut last = 0;
        walk(&deep, &mut |leaf| last = leaf.path.len());
        assert_eq!(last, 300_000);
        for text in [
            "\"open",
            "{\"a\": [",
            "]",
            "}{",
            "{\"a\" \"b\"}",
            "[,,]",
            "\"\\",
        ] {
            let _ = leaves(text);
        }
    }

    #[test]
    fn rules_are_about_fields() {
        let rule = Rule::uses("d", "*.CALL.name", NameKind::Animation);
        for (shape, fits) in [
            ("events[].CALL.name", true),
            ("CALL.name", true),
            ("events[].CALL.name.text", true),
            ("events[].CALL.name.name", true),
            ("events[].RECALL.name", false),
            ("events[].CALL.names", false),
        ] {
            assert_eq!(rule.fits("d", shape), fits, "{shape}");
        }
        assert!(
            !rule.fits("e", "CALL.name")
                && Rule::defines("d", "name", NameKind::Node).fits("d", "name.text")
        );
    }

    #[test]
    fn similar_names_share_a_coarse_name() {
        for name in ["Bark.TIF", "bark", "bark.wav", "bark.flt", "BARK.tga.flt"] {
            assert_eq!(coarse(name), "bark");
        }
        assert_eq!(coarse("x/A.paa"), coarse("x\\a.pac"));
        assert_ne!(coarse("x\\a.sqf"), coarse("x\\a.paa"));
    }
}
