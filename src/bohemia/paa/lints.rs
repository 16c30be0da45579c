//! Findings in textures.

use super::{
    container::{Container, END, PaaKind, PaaTag},
    half, packing,
};
use refit_base::{
    lint::{self, Lints, codes},
    wire::ErrorKind,
};
use std::collections::HashSet;

codes! {
    /// The kinds of findings in textures of Bohemia's games.
    pub CODES:
    PAA_LEVEL "paa-level" Refuses [] "a level that cannot be unpacked"
        "The level's data do not give its pixels: they are cut off, too long, or damaged. The tree keeps them \
        unchanged; an edited picture replaces them."
        "The released source of Operation Flashpoint gives up on such a level. None of 7,062 known files has one."
    PAA_SUM "paa-sum" Refuses [] "a packed level with a wrong checksum"
        "The four bytes after a level packed with LZSS are the sum of its bytes, taken as signed numbers."
        "The released source of Operation Flashpoint compares the sum. Of 485 known levels one has another value, \
        written by HEMTT, which adds unsigned bytes."
    PAA_OFFSETS "paa-offsets" Differs [] "the offset tag does not lead to the levels"
        "The OFFS tag has the position of each level in the file. The engine reads smaller levels from there. Set the \
        tag to \"offsets\" in the manifest, and refit computes it."
        "All 7,054 known files with this tag have correct positions."
    PAA_TAG "paa-tag" Unusual [] "an unusual tag"
        "In known files each tag occurs once, has its usual length, and follows the order AVGC, MAXC, FLAG, SWIZ, \
        OFFS."
        "7,061 of 7,062 known files; the other one has a damaged name."
    PAA_SIZE "paa-size" Unusual [] "an unusual level size"
        "Each level has half the width and height of the one before it, rounded down. In block-compressed textures the \
        sides are powers of two."
        "All 7,062 known files halve their levels. A few block-compressed textures have sides that are not powers of \
        two."
    PAA_MARK "paa-mark" Refuses [] "a level without blocks is marked as LZO"
        "Bit 15 of a width means that the blocks are packed with LZO. The games pack other pixels with LZSS, and do \
        not expect the mark there. refit keeps the level unchanged."
        "None of 7,062 known files has such a level."
    PAA_NO_PIXELS "paa-no-pixels" Refuses [] "a level without pixels"
        "Its width or height is zero. refit keeps the level unchanged."
        "None of 7,062 known files has such a level."
    PAA_END "paa-end" Unusual [] "the file does not end with six zero bytes"
        "A width, a height and a number of colours, all zero, end the levels. refit keeps other bytes."
        "9 of 7,062 known files: eight by one test program with four bytes, and one with thousands."
}

/// Checks a texture.
pub fn judge(container: &Container, kind: PaaKind, lints: &mut Lints) {
    let Container {
        tags, levels, end, ..
    } = container;
    lints.check(kind.unit() > 0, lint::UNKNOWN_VALUE, || {
        format!("the type {:#06x}", kind.raw())
    });
    judge_tags(tags, lints);
    let mut above: Option<[u16; 2]> = None;
    for (i, level) in levels.iter().enumerate() {
        let [width, height] = level.size;
        lints.at(format!("levels[{i}]"), |lints| {
            lints.check(
                !level.is_packed || kind.is_block() || kind.unit() == 0,
                PAA_MARK,
                || format!("{width} × {height}"),
            );
            lints.check(!level.size.contains(&0), PAA_NO_PIXELS, || {
                format!("{width} × {height}")
            });
            let follows = above.is_none_or(|above| half(above) == level.size);
            lints.check(follows, PAA_SIZE, || {
                format!("{width} × {height} is not half of the level before")
            });
            let sides = || {
                level
                    .size
                    .iter()
                    .all(|side| *side == 0 || side.is_power_of_two())
            };
            let powers = i > 0 || !kind.is_block() || sides();
            lints.check(powers, PAA_SIZE, || {
                format!("{width} × {height} are not powers of two")
            });
            match packing::unpack(kind, level) {
                Ok(unpacked) => lints.check(!unpacked.is_wrong_sum, PAA_SUM, || {
                    "it does not fit the pixels".into()
                }),
                Err(_) if kind.unit() == 0 => {}
                // Nothing is known of it, and refit writes such levels itself, of pictures of one
                // colour.
                Err(e) if e.kind() == ErrorKind::Limit => {}
                Err(e) => lints.say(PAA_LEVEL, e.to_string()),
            }
        });
        above = Some(level.size);
    }
    lints.check(*end == END[..], PAA_END, || match end.len() {
        0 => "there is no end mark".to_owned(),
        _ if end.get(2..4).is_some_and(|height| height != [0, 0]) => {
            "a width of 0 with a height".to_owned()
        }
        n => format!(
            "{} from the end mark on",
            refit_base::wire::count(n, "byte")
        ),
    });
}

fn judge_tags(tags: &[PaaTag], lints: &mut Lints) {
    const ORDER: [&[u8]; 6] = [b"AVGC", b"MAXC", b"FLAG", b"SWIZ", b"PROC", b"OFFS"];
    let (mut seen, mut last) = (HashSet::new(), 0);
    for (i, tag) in tags.iter().enumerate() {
        let name = refit_base::wire::decode_1252(tag.name());
        lints.at(format!("tags[{i}]"), |lints| {
            let place = ORDER.iter().position(|known| *known == tag.name());
            lints.check(seen.insert(tag.name()), PAA_TAG, || {
                format!("{name:?} again")
            });
            match (tag, place) {
                (PaaTag::Other { .. }, None) => {
                    lints.say(PAA_TAG, format!("{name:?} is not known"))
                }
                (PaaTag::Other { data, .. }, Some(5)) if data.0.len() == 64 => {
                    lints.say(PAA_OFFSETS, "positions without a level");
                }
                (PaaTag::Other { data, .. }, _) => {
                    lints.say(
                        PAA_TAG,
                        format!(
                            "{name:?} has {}",
                            refit_base::wire::count(data.0.len(), "byte")
                        ),
                    );
                }
                (PaaTag::Brightest(color), _) if color.0 != [0xff; 4] => {
                    lints.say(lint::ODD_VALUE, format!("{color:?} instead of ffffffff"));
                }
                (PaaTag::Flag(flag), _) if !matches!(flag.0, 1 | 2 | 0xffff_ff01) => {
                    lints.say(lint::UNKNOWN_FLAG, format!("{:#x}", flag.0));
                }
                (PaaTag::Swizzle(channels), _) if channels.iter().any(|source| *source > 9) => {
                    lints.say(lint::UNKNOWN_VALUE, format!("{channels:?}"));
                }
                _ => {}
            }
            if let Some(place) = place {
                lints.check(place >= last, PAA_TAG, || {
                    format!("{name:?} after a tag that usually follows it")
                });
                last = last.max(place);
            }
        });
    }
}
