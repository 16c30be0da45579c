//! What is unusual in a package (FORMAT.md), and what `info` and `list` tell of it.

use super::{
    manifest::{self, Alpha, Entry, Kind},
    package::{Image, Package, flag},
};
use crate::{
    formats::Info,
    game::Game,
    lint::{Code, Lints, Severity},
};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The kinds of findings in texture packages.
pub const CODES: &[Code] = &[
    Code {
        code: "textures-version",
        severity: Severity::Error,
        title: "the package's version is not 1",
        explain: "The loaders of Recoil and Crimson Skies refuse any other version. Delete `version` from the manifest to write 1.",
    },
    Code {
        code: "textures-header",
        severity: Severity::Note,
        title: "a header word is not 0",
        explain: "The words at 0, 16 and 20 are 0 in every known package; their meaning is not known.",
    },
    Code {
        code: "textures-none",
        severity: Severity::Warning,
        title: "the package has no images",
        explain: "Every known package has at least one.",
    },
    Code {
        code: "textures-too-many",
        severity: Severity::Warning,
        title: "more than 4096 images",
        explain: "Recoil has 4096 texture slots in all, and does not check them.",
    },
    Code {
        code: "textures-layout",
        severity: Severity::Note,
        title: "the images do not lie one after the other",
        explain: "Gaps, another order, shared or overlapping data. The games seek to each image and do not mind; other tools refuse such a \
                  package. Delete `place`, `gap`, `shares` and `layout` from the manifest to write the usual layout.",
    },
    Code {
        code: "textures-trailing",
        severity: Severity::Note,
        title: "bytes behind the last image",
        explain: "No known package has any. They are kept in trailing.bin.",
    },
    Code {
        code: "textures-unsorted",
        severity: Severity::Error,
        title: "a Crimson Skies table that is not sorted by name",
        explain: "Crimson Skies finds images by binary search of the lower-case name: in a table that is not sorted, some are never found. \
                  Sort `images` in the manifest, or set `sorted` to true.",
    },
    Code {
        code: "textures-upper-case",
        severity: Severity::Error,
        title: "a Crimson Skies image whose name is not lower case",
        explain: "Crimson Skies makes the wanted name lower case before it searches: an image with a capital letter is never found.",
    },
    Code {
        code: "texture-name-empty",
        severity: Severity::Warning,
        title: "an image without a name",
        explain: "Models refer to textures by name: nothing can refer to this one.",
    },
    Code {
        code: "texture-name-unterminated",
        severity: Severity::Warning,
        title: "a name without its final zero",
        explain: "A name has at most 31 characters and a zero. The game reads on into the offset that follows.",
    },
    Code {
        code: "texture-name-ascii",
        severity: Severity::Note,
        title: "a name with characters outside ASCII",
        explain: "No known package has one.",
    },
    Code {
        code: "texture-name-duplicate",
        severity: Severity::Warning,
        title: "two images of the same name",
        explain: "Recoil ignores case and takes the first; Crimson Skies finds one of them by chance. The others cannot be reached.",
    },
    Code {
        code: "texture-global-palette",
        severity: Severity::Error,
        title: "an image uses a global palette that does not exist",
        explain: "Its index is not below the count of global palettes. The image is shown in grey.",
    },
    Code {
        code: "texture-palette-flag",
        severity: Severity::Warning,
        title: "flag and table disagree about a global palette",
        explain: "The flag 0x10 and the index in the table of contents tell the same in every known file. The flag decides what is stored.",
    },
    Code {
        code: "texture-palette-size",
        severity: Severity::Warning,
        title: "a palette with more than 256 colours",
        explain: "Indices have 8 bits: the colours from 256 on cannot be used.",
    },
    Code {
        code: "texture-index",
        severity: Severity::Warning,
        title: "pixels with an index beyond the palette",
        explain: "With a local palette the game reads whatever stands behind it; with a global one it shows the colour all the same.",
    },
    Code {
        code: "texture-flags",
        severity: Severity::Note,
        title: "flag bits without a known meaning",
        explain: "Bits 8 to 31 are 0 in every known file. They are kept.",
    },
    Code {
        code: "texture-one-byte",
        severity: Severity::Warning,
        title: "one byte a pixel",
        explain: "The flag for two bytes is set in every known image, palette images included. Without it 16-bit pixels and palette entries \
                  have one byte.",
    },
    Code {
        code: "texture-alpha-flags",
        severity: Severity::Warning,
        title: "the alpha flags contradict each other",
        explain: "Known are: none (4), simple (2), full (2 and 8). The engine reads an alpha plane whenever 8 is set.",
    },
    Code {
        code: "texture-unk08",
        severity: Severity::Note,
        title: "the word at 8 of an image is not 0",
        explain: "It is 0 in every known image; its meaning is not known.",
    },
    Code {
        code: "texture-stretch",
        severity: Severity::Note,
        title: "an unknown value of stretch",
        explain: "Known are 0 to 3, and 4, 7 and 8 in Crimson Skies.",
    },
    Code {
        code: "texture-size",
        severity: Severity::Warning,
        title: "an image larger than the games can show",
        explain: "The software renderer draws images up to 1024 pixels wide, and cards of the time take no larger ones: the game shows its \
                  default texture or nothing instead. Sides should be powers of two, none more than eight times the other.",
    },
    Code {
        code: "texture-empty",
        severity: Severity::Warning,
        title: "an image without pixels",
        explain: "Its width or height is 0. No PNG can show it: its size stands in the manifest.",
    },
];

/// Judges a package.
pub fn judge(package: &Package, game: Option<Game>, lints: &mut Lints) {
    let version = package.version.or(1);
    lints.check(version == 1, "textures-version", || format!("version {version}"));
    for (at, word) in [(0, package.unk00), (16, package.unk16), (20, package.unk20)] {
        lints.check(word.is_none(), "textures-header", || format!("the word at {at} is {:#x}", word.or(0)));
    }
    let n = package.images.len();
    lints.check(n > 0, "textures-none", || "0 images".into());
    lints.check(n <= 4096, "textures-too-many", || format!("{n} images"));
    lints.check(package.overlaid.is_none(), "textures-layout", || "images overlap".into());
    let trailing = package.trailing.len();
    lints.check(trailing == 0, "textures-trailing", || format!("{trailing} bytes"));
    let cs = game == Some(Game::Cs);
    lints.check(!cs || package.is_sorted(), "textures-unsorted", || {
        let pair = package.images.iter().zip(package.images.iter().skip(1));
        let wrong = pair.map(|(a, b)| (&a.name, &b.name)).find(|(a, b)| manifest::sort_key(a) > manifest::sort_key(b));
        wrong.map(|(a, b)| format!("{b:?} stands behind {a:?}")).unwrap_or_default()
    });
    let mut seen = HashMap::new();
    for (i, image) in package.images.iter().enumerate() {
        lints.at(format!("[{i}] {}", image.name), |lints| {
            let name = image.name.bytes();
            if name.is_empty() {
                lints.say("texture-name-empty", "the name is empty");
            } else if let Some(first) = seen.get(&name.to_ascii_lowercase()) {
                lints.say("texture-name-duplicate", format!("image [{first}] has the same name"));
            } else {
                seen.insert(name.to_ascii_lowercase(), i);
            }
            lints.check(!cs || !name.iter().any(u8::is_ascii_uppercase), "textures-upper-case", || image.name.to_string());
            judge_image(package, image, cs, lints);
        });
    }
}

fn judge_image(package: &Package, image: &Image, cs: bool, lints: &mut Lints) {
    let (info, name) = (&image.info, &image.name);
    lints.check(name.is_terminated(), "texture-name-unterminated", || "32 characters".into());
    lints.check(name.bytes().is_ascii(), "texture-name-ascii", || name.to_string());
    lints.check(name.is_regular(), "text-tail", || "bytes behind the name's end".into());
    lints.check(image.gap.is_empty(), "textures-layout", || format!("{} unused bytes stand before it", image.gap.len()));
    lints.check(image.place.is_none(), "textures-layout", || format!("its data are number {} in the file", image.place.unwrap_or(0)));
    lints.check(image.shares.is_none(), "textures-layout", || format!("its data are those of image {}", image.shares.unwrap_or(0)));
    let flags = info.flags.0;
    let global = flags & flag::GLOBAL != 0;
    let palette = image.global_palette;
    let exists = usize::try_from(palette).is_ok_and(|i| i < package.palettes.len());
    lints.check(exists || palette == -1, "texture-global-palette", || format!("global palette {palette} of {}", package.palettes.len()));
    lints.check(global == (palette != -1), "texture-palette-flag", || match global {
        true => "the flag says a global palette, the table none".into(),
        false => format!("the table says global palette {palette}, the flag none"),
    });
    lints.check(!global || info.indexed(), "texture-palette-flag", || "the flag says a global palette, but no colour of it is used".into());
    lints.check(info.palette_count <= 256, "texture-palette-size", || format!("{} colours", info.palette_count));
    lints.check(flags & !flag::KNOWN == 0, "texture-flags", || format!("{:#x}", flags & !flag::KNOWN));
    lints.check(info.unit() == 2, "texture-one-byte", || format!("flags {flags:#x}"));
    let alpha = Alpha::from_raw((flags & flag::ALPHA) as u8);
    lints.check(alpha.name().is_some(), "texture-alpha-flags", || format!("alpha flags {:#x}", alpha.raw()));
    lints.check(info.unk08.0 == 0, "texture-unk08", || format!("{:?}", info.unk08));
    let known = matches!(info.stretch, 0..=3) || cs && matches!(info.stretch, 4 | 7 | 8);
    lints.check(known, "texture-stretch", || info.stretch.to_string());
    let large = info.width.max(info.height) > 1024;
    lints.check(!large, "texture-size", || format!("{} × {} pixels", info.width, info.height));
    lints.check(!info.is_empty(), "texture-empty", || format!("{} × {} pixels", info.width, info.height));
    if info.indexed() && info.palette_count < 256 {
        let [pixels, ..] = image.parts();
        let count = info.palette_count;
        let beyond = pixels.iter().filter(|i| u16::from(**i) >= count).count();
        lints.check(beyond == 0, "texture-index", || {
            format!("{beyond} pixels, the highest index is {}, the palette has {count} colours", pixels.iter().max().unwrap_or(&0))
        });
    }
}

/// Kind and details of an image, for `list`.
pub fn describe(image: &Image) -> (String, String) {
    let entry = Entry::of(image, "");
    let info = &image.info;
    let kind = match entry.kind {
        Kind::Rgb565 => "rgb565".to_owned(),
        Kind::Gray8 => "gray8".to_owned(),
        Kind::Local(count) => format!("local {count}"),
        Kind::Global { palette, count } => format!("global {palette} ({count})"),
    };
    let mut detail = format!("{} × {}, {}", info.width, info.height, alpha_text(entry.alpha));
    if info.stretch != 0 {
        detail.push_str(&format!(", stretch {}", info.stretch));
    }
    if let Some(owner) = image.shares {
        detail.push_str(&format!(", shares the data of image {owner}"));
    }
    (kind, detail)
}

fn alpha_text(alpha: Alpha) -> String {
    match alpha {
        Alpha::None => "no alpha".to_owned(),
        Alpha::Simple => "simple alpha".to_owned(),
        Alpha::Full => "full alpha".to_owned(),
        Alpha::Other(bits) => format!("alpha flags {bits:#x}"),
    }
}

/// What `info` tells of a package.
pub fn info(package: &Package) -> Info {
    let mut kinds = Map::new();
    let mut alphas = Map::new();
    let count = |map: &mut Map<String, Value>, key: String| {
        let n = map.get(&key).and_then(Value::as_u64).unwrap_or(0);
        map.insert(key, (n + 1).into());
    };
    for image in &package.images {
        let entry = Entry::of(image, "");
        let kind = match entry.kind {
            Kind::Rgb565 => "rgb565",
            Kind::Gray8 => "gray8",
            Kind::Local(_) => "local palette",
            Kind::Global { .. } => "global palette",
        };
        count(&mut kinds, kind.to_owned());
        count(&mut alphas, alpha_text(entry.alpha));
    }
    let pixels: u64 = package.images.iter().map(|i| i.info.area()).sum();
    let list = package.images.iter().map(|image| {
        let (kind, detail) = describe(image);
        Value::from(format!("{}: {kind}, {detail}", image.name))
    });
    vec![
        ("version", package.version.or(1).into()),
        ("images", package.images.len().into()),
        ("kinds", kinds.into()),
        ("alpha", alphas.into()),
        ("global_palettes", package.palettes.len().into()),
        ("pixels", pixels.into()),
        ("layout", if package.is_canonical() { "one after the other" } else { "not canonical" }.into()),
        ("sorted", package.is_sorted().into()),
        ("list", Value::Array(list.collect())),
    ]
}
