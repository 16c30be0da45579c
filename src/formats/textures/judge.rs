//! What is unusual in a package (FORMAT.md), and what `info` and `list` tell of it.

use super::{
    manifest::{self, Alpha, Entry, Kind},
    package::{Image, Package, flag},
};
use crate::{
    formats::Info,
    game::Game,
    lint::{Lints, TEXT_TAIL, codes},
};
use serde_json::{Map, Value};
use std::collections::HashMap;

codes! {
    /// The kinds of findings in texture packages.
    pub CODES:
    TEXTURES_VERSION "textures-version" Error "the package's version is not 1"
        "The loaders of Recoil and Crimson Skies refuse any other version. Delete `version` from the manifest to write 1."
    TEXTURES_HEADER "textures-header" Note "a header word is not 0"
        "The words at 0, 16 and 20 are 0 in every known package; their meaning is not known."
    TEXTURES_NONE "textures-none" Warning "the package has no images"
        "Every known package has at least one."
    TEXTURES_TOO_MANY "textures-too-many" Warning "more than 4096 images"
        "Recoil has 4096 texture slots in all, and does not check them."
    TEXTURES_LAYOUT "textures-layout" Note "the images do not lie one after the other"
        "Gaps, another order, shared or overlapping data. The games seek to each image and do not mind; other tools refuse such a \
                  package. Delete `place`, `gap`, `shares` and `layout` from the manifest to write the usual layout."
    TEXTURES_TRAILING "textures-trailing" Note "bytes behind the last image"
        "No known package has any. They are kept in trailing.bin."
    TEXTURES_UNSORTED "textures-unsorted" Error "a Crimson Skies table that is not sorted by name"
        "Crimson Skies finds images by binary search of the lower-case name: in a table that is not sorted, some are never found. \
                  Sort `images` in the manifest, or set `sorted` to true."
    TEXTURES_UPPER_CASE "textures-upper-case" Error "a Crimson Skies image whose name is not lower case"
        "Crimson Skies makes the wanted name lower case before it searches: an image with a capital letter is never found."
    TEXTURE_NAME_EMPTY "texture-name-empty" Warning "an image without a name"
        "Models refer to textures by name: nothing can refer to this one."
    TEXTURE_NAME_UNTERMINATED "texture-name-unterminated" Warning "a name without its final zero"
        "A name has at most 31 characters and a zero. The game reads on into the offset that follows."
    TEXTURE_NAME_ASCII "texture-name-ascii" Note "a name with characters outside ASCII"
        "No known package has one."
    TEXTURE_NAME_DUPLICATE "texture-name-duplicate" Warning "two images of the same name"
        "Recoil ignores case and takes the first; Crimson Skies finds one of them by chance. The others cannot be reached."
    TEXTURE_GLOBAL_PALETTE "texture-global-palette" Error "an image uses a global palette that does not exist"
        "Its index is not below the count of global palettes. The image is shown in grey."
    TEXTURE_PALETTE_FLAG "texture-palette-flag" Warning "flag and table disagree about a global palette"
        "The flag 0x10 and the index in the table of contents tell the same in every known file. The flag decides what is stored."
    TEXTURE_PALETTE_SIZE "texture-palette-size" Warning "a palette with more than 256 colours"
        "Indices have 8 bits: the colours from 256 on cannot be used."
    TEXTURE_INDEX "texture-index" Warning "pixels with an index beyond the palette"
        "With a local palette the game reads whatever stands behind it; with a global one it shows the colour all the same."
    TEXTURE_FLAGS "texture-flags" Note "flag bits without a known meaning"
        "Bits 8 to 31 are 0 in every known file. They are kept."
    TEXTURE_ONE_BYTE "texture-one-byte" Warning "one byte a pixel"
        "The flag for two bytes is set in every known image, palette images included. Without it 16-bit pixels and palette entries \
                  have one byte."
    TEXTURE_ALPHA_FLAGS "texture-alpha-flags" Warning "the alpha flags contradict each other"
        "Known are: none (4), simple (2), full (2 and 8). The engine reads an alpha plane whenever 8 is set."
    TEXTURE_UNK08 "texture-unk08" Note "the word at 8 of an image is not 0"
        "It is 0 in every known image; its meaning is not known."
    TEXTURE_STRETCH "texture-stretch" Note "an unknown value of stretch"
        "Known are 0 to 3, and 4, 7 and 8 in Crimson Skies."
    TEXTURE_SIZE "texture-size" Warning "an image larger than the games can show"
        "The software renderer draws images up to 1024 pixels wide, and cards of the time take no larger ones: the game shows its \
                  default texture or nothing instead. Sides should be powers of two, none more than eight times the other."
    TEXTURE_EMPTY "texture-empty" Warning "an image without pixels"
        "Its width or height is 0. No PNG can show it: its size stands in the manifest."
}

/// Judges a package.
pub fn judge(package: &Package, game: Option<Game>, lints: &mut Lints) {
    let version = package.version.or(1);
    lints.check(version == 1, TEXTURES_VERSION, || format!("version {version}"));
    for (at, word) in [(0, package.unk00), (16, package.unk16), (20, package.unk20)] {
        lints.check(word.is_none(), TEXTURES_HEADER, || format!("the word at {at} is {:#x}", word.or(0)));
    }
    let n = package.images.len();
    lints.check(n > 0, TEXTURES_NONE, || "0 images".into());
    lints.check(n <= 4096, TEXTURES_TOO_MANY, || format!("{n} images"));
    lints.check(package.overlaid.is_none(), TEXTURES_LAYOUT, || "images overlap".into());
    let trailing = package.trailing.len();
    lints.check(trailing == 0, TEXTURES_TRAILING, || format!("{trailing} bytes"));
    let cs = game == Some(Game::Cs);
    lints.check(!cs || package.is_sorted(), TEXTURES_UNSORTED, || {
        let pair = package.images.iter().zip(package.images.iter().skip(1));
        let wrong = pair.map(|(a, b)| (&a.name, &b.name)).find(|(a, b)| manifest::sort_key(a) > manifest::sort_key(b));
        wrong.map(|(a, b)| format!("{b:?} stands behind {a:?}")).unwrap_or_default()
    });
    let mut seen = HashMap::new();
    for (i, image) in package.images.iter().enumerate() {
        lints.at(format!("[{i}] {}", image.name), |lints| {
            let name = image.name.bytes();
            if name.is_empty() {
                lints.say(TEXTURE_NAME_EMPTY, "the name is empty");
            } else if let Some(first) = seen.get(&name.to_ascii_lowercase()) {
                lints.say(TEXTURE_NAME_DUPLICATE, format!("image [{first}] has the same name"));
            } else {
                seen.insert(name.to_ascii_lowercase(), i);
            }
            lints.check(!cs || !name.iter().any(u8::is_ascii_uppercase), TEXTURES_UPPER_CASE, || image.name.to_string());
            judge_image(package, image, cs, lints);
        });
    }
}

fn judge_image(package: &Package, image: &Image, cs: bool, lints: &mut Lints) {
    let (info, name) = (&image.info, &image.name);
    lints.check(name.is_terminated(), TEXTURE_NAME_UNTERMINATED, || "32 characters".into());
    lints.check(name.bytes().is_ascii(), TEXTURE_NAME_ASCII, || name.to_string());
    lints.check(name.is_regular(), TEXT_TAIL, || "bytes behind the name's end".into());
    lints.check(image.gap.is_empty(), TEXTURES_LAYOUT, || format!("{} unused bytes stand before it", image.gap.len()));
    lints.check(image.place.is_none(), TEXTURES_LAYOUT, || format!("its data are number {} in the file", image.place.unwrap_or(0)));
    lints.check(image.shares.is_none(), TEXTURES_LAYOUT, || format!("its data are those of image {}", image.shares.unwrap_or(0)));
    let flags = info.flags.0;
    let global = flags & flag::GLOBAL != 0;
    let palette = image.global_palette;
    let exists = usize::try_from(palette).is_ok_and(|i| i < package.palettes.len());
    lints.check(exists || palette == -1, TEXTURE_GLOBAL_PALETTE, || format!("global palette {palette} of {}", package.palettes.len()));
    lints.check(global == (palette != -1), TEXTURE_PALETTE_FLAG, || match global {
        true => "the flag says a global palette, the table none".into(),
        false => format!("the table says global palette {palette}, the flag none"),
    });
    lints.check(!global || info.indexed(), TEXTURE_PALETTE_FLAG, || "the flag says a global palette, but no colour of it is used".into());
    lints.check(info.palette_count <= 256, TEXTURE_PALETTE_SIZE, || format!("{} colours", info.palette_count));
    lints.check(flags & !flag::KNOWN == 0, TEXTURE_FLAGS, || format!("{:#x}", flags & !flag::KNOWN));
    lints.check(info.unit() == 2, TEXTURE_ONE_BYTE, || format!("flags {flags:#x}"));
    let alpha = Alpha::from_raw((flags & flag::ALPHA) as u8);
    lints.check(alpha.name().is_some(), TEXTURE_ALPHA_FLAGS, || format!("alpha flags {:#x}", alpha.raw()));
    lints.check(info.unk08.0 == 0, TEXTURE_UNK08, || format!("{:?}", info.unk08));
    let known = matches!(info.stretch, 0..=3) || cs && matches!(info.stretch, 4 | 7 | 8);
    lints.check(known, TEXTURE_STRETCH, || info.stretch.to_string());
    let large = info.width.max(info.height) > 1024;
    lints.check(!large, TEXTURE_SIZE, || format!("{} × {} pixels", info.width, info.height));
    lints.check(!info.is_empty(), TEXTURE_EMPTY, || format!("{} × {} pixels", info.width, info.height));
    if info.indexed() && info.palette_count < 256 {
        let [pixels, ..] = image.parts();
        let count = info.palette_count;
        let beyond = pixels.iter().filter(|i| u16::from(**i) >= count).count();
        lints.check(beyond == 0, TEXTURE_INDEX, || {
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
