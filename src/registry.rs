//! The registry of formats: codecs, kinds of findings, document types.

use crate::{
    format::Format,
    formats::{
        Codec, Family, Schema, aircraft, anim, archive, gamez, interp, livery, mechlib, messages, motion, pbo, raw, reader, rof, savegame,
        sounds, textures, zmap, zrd_text,
    },
    lint::{self, Code},
};

/// All families. A new format adds its module and one line here.
const FAMILIES: &[&Family] = &[
    &archive::FAMILY,
    &sounds::FAMILY,
    &reader::FAMILY,
    &reader::schemas::FAMILY,
    &motion::FAMILY,
    &savegame::FAMILY,
    &aircraft::FAMILY,
    &livery::FAMILY,
    &zmap::FAMILY,
    &interp::FAMILY,
    &zrd_text::FAMILY,
    &raw::FAMILY,
    &anim::FAMILY,
    &anim::sources::FAMILY,
    &gamez::FAMILY,
    &mechlib::FAMILY,
    &textures::FAMILY,
    &messages::FAMILY,
    &rof::FAMILY,
    &pbo::FAMILY,
    &pbo::KEYS,
];

/// The codec of a format; `None` for one that this version does not read.
pub fn codec(format: Format) -> Option<&'static dyn Codec> {
    FAMILIES.iter().find(|f| f.formats.contains(&format))?.codec
}

/// All supported formats.
pub fn formats() -> impl Iterator<Item = Format> {
    FAMILIES.iter().flat_map(|f| f.formats).copied()
}

/// All kinds of findings: the general ones, then those of each format.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    lint::CODES.iter().chain(FAMILIES.iter().flat_map(|f| f.codes)).copied()
}

/// The kind of finding with this code.
pub fn find_code(code: &str) -> Option<&'static Code> {
    codes().find(|c| c.code == code)
}

/// The document types of all formats, for `schemas/`.
pub fn schemas() -> Vec<Schema> {
    FAMILIES.iter().flat_map(|f| (f.schemas)()).collect()
}

/// The document types of one format.
pub fn schemas_of(format: Format) -> Vec<Schema> {
    FAMILIES.iter().filter(|f| f.formats.contains(&format)).flat_map(|f| (f.schemas)()).collect()
}
