//! The registry of formats: codecs, kinds of findings, document types.

pub use crate::file::{FORMATS, FileCodec, codec};

use crate::file::FAMILIES;
use refit_base::{
    contract::Schema,
    format::Format,
    lint::{self, Code},
};
// A format without a family does not compile.
const _: () = {
    let (mut listed, mut i) = (0u64, 0);
    while i < FAMILIES.len() {
        let (formats, mut n) = (FAMILIES[i].formats, 0);
        while n < formats.len() {
            listed |= 1 << formats[n] as u32;
            n += 1;
        }
        i += 1;
    }
    assert!(listed.count_ones() as usize == FORMATS.len());
};

/// All kinds of findings: the general ones, then those of each format.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    lint::CODES
        .iter()
        .chain(FAMILIES.iter().flat_map(|f| f.codes))
        .copied()
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
    FAMILIES
        .iter()
        .filter(|f| f.formats.contains(&format))
        .flat_map(|f| (f.schemas)())
        .collect()
}

/// The tables of the declarations, for each FORMAT.md.
#[cfg(feature = "schemas")]
pub fn tables() -> Vec<(&'static str, Vec<refit_base::wire::RecordTable>)> {
    use refit_bohemia::pbo;
    use refit_zipper::{
        aircraft, anim, archive, gamez, interp, messages, motion, rof, savegame, textures, zmap,
    };
    vec![
        ("aircraft", aircraft::tables()),
        ("anim", anim::tables()),
        ("archive", archive::tables()),
        ("gamez", gamez::tables()),
        ("interp", interp::tables()),
        ("messages", messages::tables()),
        ("motion", motion::tables()),
        ("pbo", pbo::tables()),
        ("rof", rof::tables()),
        ("savegame", savegame::tables()),
        ("textures", textures::tables()),
        ("zmap", zmap::tables()),
    ]
}
