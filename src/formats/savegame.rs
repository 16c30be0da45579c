//! Save games: members of archives (archive.md, section 8).
//!
//! Only the header and the activations of MechWarrior 3 are known. A section that does not fit their layout exactly is a
//! plain file.

use super::{Context, members::Typed};
use crate::{
    game::Game,
    lint::{Code, Lints, Severity},
    wire::{Hex, HexBytes, Odd, Raw, Reader, Result, Role, Str, Text, Wire, Writer, fit, is_zero},
};
use serde::{Deserialize, Serialize};

/// What this module contributes: the members belong to [`super::archive`].
pub const FAMILY: super::Family = super::Family { formats: &[], codec: None, codes: CODES, schemas: || vec![super::schema::<Section>()] };

/// The kinds of findings in save games.
pub const CODES: &[Code] = &[
    Code {
        code: "save-activation",
        severity: Severity::Note,
        title: "an activation with unknown values",
        explain: "Known activations have type 1, 2 or 5, status 1, 3 or 4, a node index from -1 to 19999, and a pointer exactly when the \
                  byte at 86 is 25.",
    },
    Code {
        code: "save-header",
        severity: Severity::Note,
        title: "an unusual save header",
        explain: "Known headers say their own length and format version 2.",
    },
];

/// A section of a save game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// `zSaveHeader`.
    Header(Header),
    /// The state of a running animation (MechWarrior 3).
    Activation(Activation),
}
crate::document!(Section, "savegame");

/// The header of a save game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Present only when it is not the header's length in bytes.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub length: Odd<u32>,
    /// Format version, 2.
    pub version: u32,
    /// Categories of sections (Crimson Skies): 1 Persist, 2 Status, 0x10000 sav, 0x20000 Mission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Hex<u32>>,
    /// Bytes behind the header.
    #[serde(default, skip_serializing_if = "HexBytes::is_empty")]
    pub tail: HexBytes,
}

impl Header {
    fn read(mut r: Reader<'_>) -> Result<Self> {
        let length: u32 = r.field("length")?;
        let version = r.field("version")?;
        let categories = if r.left() == 4 { Some(r.field("categories")?) } else { None };
        // What the header says of itself: a tail is not in its length.
        let known = if categories.is_some() { 12 } else { 8 };
        Ok(Header { length: Odd::of(length, known), version, categories, tail: HexBytes(r.rest_as("tail", Role::Unknown).to_vec()) })
    }
    fn write(&self, w: &mut Writer) {
        w.u32(self.length.or(if self.categories.is_some() { 12 } else { 8 }));
        w.u32(self.version);
        if let Some(categories) = &self.categories {
            w.put(categories);
        }
        w.raw(&self.tail.0);
    }
}

crate::record! {
    /// What every activation begins with.
    struct Fixed [Mw 88] {
        kind: i32,
        unk04: Odd<i32> = |_| 0,
        name: Text<32>,
        node_index: i32,
        values: Raw<36>,
        unk80: Hex<u32>,
        status: u8,
        count: u8,
        unk86: u8,
        unk87: Odd<u8> = |_| 0,
    }
}

/// The state of a running animation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Activation {
    /// 1, 2 or 5 in known saves.
    pub kind: i32,
    /// Absent for 0.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub unk04: Odd<i32>,
    /// The animation.
    pub name: Text<32>,
    /// The node, or -1.
    pub node_index: i32,
    /// Floats or stale memory, by kind. Absent when all are zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub values: Raw<36>,
    /// A pointer, not zero when `unk86` is 25. Absent for zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unk80: Hex<u32>,
    /// 1, 3 (executed) or 4 (invalid).
    pub status: u8,
    /// 0 or 25. Absent for 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unk86: u8,
    /// Absent for 0.
    #[serde(default, skip_serializing_if = "Odd::is_none")]
    pub unk87: Odd<u8>,
    /// Opaque node states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_states: Vec<Raw<68>>,
}

impl Activation {
    /// `None` when the payload is not exactly an activation.
    fn read(mut r: Reader<'_>) -> Option<Self> {
        r.game = Game::Mw;
        let f = Fixed::read(&mut r).ok()?;
        let node_states = r.plains(f.count.into(), "node_states").ok()?;
        (r.is_empty() && (1..=5).contains(&f.kind)).then_some(Activation {
            kind: f.kind,
            unk04: f.unk04,
            name: f.name,
            node_index: f.node_index,
            values: f.values,
            unk80: f.unk80,
            status: f.status,
            unk86: f.unk86,
            unk87: f.unk87,
            node_states,
        })
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        let fixed = Fixed {
            kind: self.kind,
            unk04: self.unk04,
            name: self.name,
            node_index: self.node_index,
            values: self.values,
            unk80: self.unk80,
            status: self.status,
            count: fit(self.node_states.len(), "the number of node states")?,
            unk86: self.unk86,
            unk87: self.unk87,
        };
        fixed.write(w)?;
        w.plains(&self.node_states);
        Ok(())
    }
}

/// Sections as members of an archive.
pub struct Members;

impl Typed for Members {
    type Doc = Section;
    fn read(&self, name: &Str, payload: Reader<'_>, context: &Context) -> Option<Result<Section>> {
        if name.0 == b"zSaveHeader" {
            return Header::read(payload).ok().map(Section::Header).map(Ok);
        }
        // In other games the size of such sections follows another rule.
        match context.game {
            None | Some(Game::Mw) => Activation::read(payload).map(Section::Activation).map(Ok),
            Some(_) => None,
        }
    }
    fn write(&self, doc: &Section, _: &Context) -> Result<Vec<u8>> {
        let mut w = Writer::new(Game::Mw);
        match doc {
            Section::Header(header) => header.write(&mut w),
            Section::Activation(activation) => activation.write(&mut w)?,
        }
        Ok(w.bytes)
    }
    fn lint(&self, doc: &Section, lints: &mut Lints) {
        lints.model(doc);
        match doc {
            Section::Header(h) => lints.check(h.version == 2 && h.tail.is_empty(), "save-header", || format!("version {}", h.version)),
            Section::Activation(a) => {
                let ok = matches!(a.kind, 1 | 2 | 5)
                    && matches!(a.status, 1 | 3 | 4)
                    && (-1..20_000).contains(&a.node_index)
                    && (a.unk80.0 != 0) == (a.unk86 == 25)
                    && (a.kind != 5 || a.node_states.is_empty());
                lints
                    .check(ok, "save-activation", || format!("type {}, status {}, node {}, {:?}", a.kind, a.status, a.node_index, a.unk80));
            }
        }
    }
    fn describe(&self, doc: &Section) -> (String, String) {
        match doc {
            Section::Header(h) => ("save header".into(), format!("version {}", h.version)),
            Section::Activation(a) => ("activation".into(), format!("{}, {} node states", a.name, a.node_states.len())),
        }
    }
}
