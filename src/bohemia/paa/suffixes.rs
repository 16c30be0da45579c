//! The forms in which Bohemia's converter stores a picture, by the suffix of its name (FORMAT.md).

use super::container::{PaaKind, Rgba};

/// The source of alpha, red, green and blue of each stored pixel, as in the tag SWIZ.
pub type Channels = [u8; 4];

/// A picture of this kind of texture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Suffix {
    /// The end of the name, after the last `_`.
    pub name: &'static str,
    /// The kind of pixels; `None` for DXT5 with alpha, and DXT1 without.
    pub kind: Option<PaaKind>,
    /// How channels are stored, if not unchanged.
    pub swizzle: Option<Channels>,
}

const fn plain(name: &'static str, kind: PaaKind) -> Suffix {
    Suffix {
        name,
        kind: Some(kind),
        swizzle: None,
    }
}

const fn mixed(name: &'static str, kind: PaaKind, swizzle: Channels) -> Suffix {
    Suffix {
        name,
        kind: Some(kind),
        swizzle: Some(swizzle),
    }
}

/// Alpha and red change places, inverted: DXT5 stores alpha best.
const NORMAL_MAP: Channels = [5, 4, 2, 3];
/// Colours without alpha.
const NO_ALPHA: Channels = [8, 1, 2, 3];
/// Alpha as a grey.
const DETAIL: Channels = [8, 0, 0, 0];

/// The suffixes that decide something.
const SUFFIXES: [Suffix; 42] = [
    plain("co", PaaKind::Dxt1),
    plain("ca", PaaKind::Dxt5),
    plain("cat", PaaKind::Dxt5),
    plain("can", PaaKind::Dxt5),
    plain("cdt", PaaKind::Dxt1),
    plain("lco", PaaKind::Dxt1),
    plain("lca", PaaKind::Dxt5),
    plain("mco", PaaKind::Dxt1),
    plain("mc", PaaKind::Dxt5),
    plain("mask", PaaKind::Dxt1),
    plain("pr", PaaKind::Dxt5),
    mixed("sky", PaaKind::Dxt5, [6, 1, 4, 3]),
    mixed("detail", PaaKind::Dxt1, DETAIL),
    mixed("dt", PaaKind::Dxt1, DETAIL),
    mixed("as", PaaKind::Dxt1, [8, 8, 2, 8]),
    mixed("ads", PaaKind::Dxt1, [8, 8, 2, 3]),
    mixed("adshq", PaaKind::Dxt5, [2, 9, 3, 9]),
    mixed("sm", PaaKind::Dxt1, NO_ALPHA),
    mixed("smdi", PaaKind::Dxt1, [8, 8, 2, 3]),
    mixed("dtsmdi", PaaKind::Dxt1, NO_ALPHA),
    mixed("no", PaaKind::Dxt1, NO_ALPHA),
    plain("non", PaaKind::Dxt5),
    mixed("nohq", PaaKind::Dxt5, NORMAL_MAP),
    mixed("nofhq", PaaKind::Dxt5, NORMAL_MAP),
    mixed("nshq", PaaKind::Dxt5, NORMAL_MAP),
    mixed("novhq", PaaKind::Dxt5, [5, 8, 2, 8]),
    mixed("nopx", PaaKind::Dxt5, [5, 0, 2, 3]),
    plain("noex", PaaKind::Argb4444),
    plain("nofex", PaaKind::Argb4444),
    plain("nsex", PaaKind::Argb4444),
    plain("gs", PaaKind::Ai88),
    plain("88", PaaKind::Ai88),
    plain("1555", PaaKind::Argb1555),
    plain("4444", PaaKind::Argb4444),
    plain("8888", PaaKind::Argb8888),
    plain("dxt1", PaaKind::Dxt1),
    plain("dxt5", PaaKind::Dxt5),
    Suffix {
        name: "normalmap",
        kind: None,
        swizzle: None,
    },
    Suffix {
        name: "nof",
        kind: None,
        swizzle: None,
    },
    Suffix {
        name: "ns",
        kind: None,
        swizzle: None,
    },
    Suffix {
        name: "em",
        kind: None,
        swizzle: None,
    },
    Suffix {
        name: "ti",
        kind: None,
        swizzle: None,
    },
];

/// The suffix of a file's name, if it is one of Bohemia's.
pub fn of(file: &str) -> Option<&'static Suffix> {
    let name = file
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(file)
        .to_ascii_lowercase();
    let stem = name
        .rsplit_once('.')
        .map_or(name.as_str(), |(stem, _)| stem);
    let (_, end) = stem.rsplit_once('_')?;
    SUFFIXES.iter().find(|suffix| suffix.name == end)
}

/// A pixel as a texture with this tag stores it.
pub fn stored(pixel: Rgba, channels: Channels) -> Rgba {
    let [r, g, b, a] = pixel;
    let source = |n: u8| match n {
        0 => a,
        1 => r,
        2 => g,
        3 => b,
        4 => 255 - a,
        5 => 255 - r,
        6 => 255 - g,
        7 => 255 - b,
        8 => 255,
        _ => 0,
    };
    let [alpha, red, green, blue] = channels;
    [red, green, blue, alpha].map(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_their_kind() {
        let kind = |file: &str| of(file).map(|suffix| (suffix.kind, suffix.swizzle));
        assert_eq!(kind("a/hut_CO.png"), Some((Some(PaaKind::Dxt1), None)));
        assert_eq!(
            kind("hut_nohq.paa"),
            Some((Some(PaaKind::Dxt5), Some(NORMAL_MAP)))
        );
        assert_eq!(kind("hut_ns.png"), Some((None, None)));
        for none in ["hut.png", "co.png", "x_co/hut.png", "hut_", ""] {
            assert_eq!(kind(none), None, "{none}");
        }
        let mut names: Vec<&str> = SUFFIXES.iter().map(|suffix| suffix.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SUFFIXES.len());
    }

    #[test]
    fn channels_come_from_their_sources() {
        let pixel = [10, 20, 30, 40];
        assert_eq!(stored(pixel, NORMAL_MAP), [215, 20, 30, 245]);
        assert_eq!(stored(pixel, [8, 8, 2, 8]), [255, 20, 255, 255]);
        assert_eq!(stored(pixel, [2, 9, 3, 9]), [0, 30, 0, 20]);
        assert_eq!(stored(pixel, [6, 1, 4, 3]), [10, 215, 30, 235]);
        assert_eq!(stored(pixel, DETAIL), [40, 40, 40, 255]);
    }
}
