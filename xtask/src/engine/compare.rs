//! The world that refit wrote beside the one that the engine's writer made of it.

use anyhow::Result;
use refit::{formats::Format, game::Game, pipeline::Hints};

/// How to read worlds of Recoil.
pub(crate) const HINTS: Hints = Hints {
    game: Some(Game::Rc),
    format: Some(Format::Gamez),
};

/// A field of a file: its path without the name of the document, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub path: String,
    pub from: usize,
    pub to: usize,
}

/// The fields of a world, in order.
pub(crate) fn fields(bytes: &[u8]) -> Result<Vec<Field>> {
    let lines = refit::explain(bytes.to_vec(), "gamez.zbd", HINTS)?;
    let field = |line: refit::wire::Line| {
        Some(Field {
            path: line.path.rsplit(" › ").next()?.to_owned(),
            from: usize::try_from(line.range.start).ok()?,
            to: usize::try_from(line.range.end).ok()?,
        })
    };
    Ok(lines.into_iter().filter_map(field).collect())
}

/// Differences that say nothing about the file: addresses, marks in the top byte of link words, and
/// values that the engine computes when it loads a world.
fn is_expected(path: &str, before: &[u8], after: &[u8]) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    let words = |bytes: &[u8]| -> Vec<u32> {
        let chunks = bytes.chunks_exact(4);
        chunks
            .map(|word| {
                word.iter()
                    .rev()
                    .fold(0, |n, byte| n << 8 | u32::from(*byte))
            })
            .collect()
    };
    let (was, is) = (words(before), words(after));
    match name {
        // The engine stores an address for a list with entries.
        _ if name.ends_with("_ptr") || name == "pointers" => true,
        // The place of the data, and the mark of a record in use.
        "link" => was.first().map(|w| w & 0xFF_FFFF) == is.first().map(|w| w & 0xFF_FFFF),
        // Pending updates of cells, and how many there is room for.
        "area_partition_used" | "area_partition_count" => true,
        // The angles of view follow from the field of view, and are stale afterwards.
        "fov_h_scaled" | "fov_v_scaled" | "fov_h_half" | "fov_v_half" | "fov_h_cot"
        | "fov_v_cot" | "clip_recalc" | "fov_recalc" => path.contains(".camera."),
        // The screen decides how a colour is packed.
        "rgb" => true,
        _ => false,
    }
}

/// Further differences of a world that was damaged: values that the engine computes or clears when
/// it loads or writes a world, whatever they were.
fn is_recomputed(path: &str, before: &[u8], after: &[u8]) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    let float = |bytes: &[u8]| {
        let bytes = bytes.first_chunk::<4>().copied().unwrap_or_default();
        f32::from_bits(u32::from_le_bytes(bytes))
    };
    let both_nan =
        |(was, is): (&[u8], &[u8])| was == is || float(was).is_nan() && float(is).is_nan();
    match name {
        // The place of the data in the file: the engine does not read it.
        "link" | "action_callback" => true,
        // Changes that are pending: the engine makes them.
        "flags" => path.contains(".world."),
        // A float that passes through the coprocessor becomes a quiet NaN.
        _ => {
            let words = before.chunks(4).zip(after.chunks(4));
            before.len() == after.len() && words.into_iter().all(both_nan)
        }
    }
}

/// What the engine changed in a damaged world: [`changes`] without what it computes anew.
pub(crate) fn changes_of_damaged(before: &[u8], after: &[u8]) -> Result<Vec<String>> {
    listed(before, after, |path, was, is| {
        is_expected(path, was, is) || is_recomputed(path, was, is)
    })
}

/// What the engine changed in a world, apart from the expected: one line for each field.
pub(crate) fn changes(before: &[u8], after: &[u8]) -> Result<Vec<String>> {
    listed(before, after, is_expected)
}

fn listed(
    before: &[u8],
    after: &[u8],
    is_expected: impl Fn(&str, &[u8], &[u8]) -> bool,
) -> Result<Vec<String>> {
    if before.len() != after.len() {
        return Ok(vec![format!(
            "{} bytes, and {} from the engine",
            before.len(),
            after.len()
        )]);
    }
    let mut out = Vec::new();
    for field in fields(before)? {
        let [was, is] =
            [before, after].map(|bytes| bytes.get(field.from..field.to).unwrap_or_default());
        if was != is && !is_expected(&field.path, was, is) {
            out.push(format!(
                "{}: {was:02x?}, and {is:02x?} from the engine",
                field.path
            ));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_engine_computes_may_differ() {
        let word = |n: u32| n.to_le_bytes();
        assert!(is_expected(
            "nodes[1].data_ptr",
            &word(1),
            &word(0x0819_d1b0)
        ));
        assert!(is_expected(
            "nodes[1].link",
            &word(0xdf4),
            &word(0x0100_0df4)
        ));
        assert!(!is_expected(
            "nodes[1].link",
            &word(0xdf4),
            &word(0x0100_0df8)
        ));
        assert!(!is_expected("nodes[1].zone", &word(255), &word(1)));
        assert!(!is_expected(
            "nodes[1].data.lod.fov_recalc",
            &word(1),
            &word(0)
        ));
        assert!(is_expected(
            "nodes[1].data.camera.fov_recalc",
            &word(0),
            &word(1)
        ));
        let world = crate::typical::recoil::small_recoil_world(0);
        let mut other = world.clone();
        let fields = fields(&world).unwrap();
        let zone = fields.iter().find(|f| f.path == "nodes[7].zone").unwrap();
        other[zone.from] ^= 1;
        let changes = changes(&world, &other).unwrap();
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert!(
            changes[0].starts_with("nodes[7].zone: [ff, 00"),
            "{changes:?}"
        );
    }
}
