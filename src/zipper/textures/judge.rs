//! Lints of a package (FORMAT.md), and its description for `info` and `list`.
//!
//! Errors are what a game refuses or crashes on, warnings what it ignores or shows differently than
//! intended, notes what is only unusual. Nothing in the games' own packages is more than a note. No
//! finding stops a repack.

use super::{
    convert,
    manifest::{self, Alpha, ImageEntry, PixelKind},
    package::{Image, Package, RenderFlags, flag},
};
use refit_base::{
    contract::Info,
    game::Game,
    lint::{Lints, TEXT_TAIL, codes},
    support::Faults,
    wire::{Plain, Result},
};
use serde_json::{Map, Value};
use std::collections::HashMap;

codes! {
    /// The kinds of findings in texture packages.
    pub CODES:
    TEXTURES_VERSION "textures-version" Refuses [Rc Cs] "the package's version is not 1"
        "Recoil and Crimson Skies refuse a package of any other version and load nothing from it. Delete `version` \
        from the manifest to write 1."
        "Recoil's loader requires 1 (zVideo)."
    TEXTURES_HEADER "textures-header" Unusual [Rc] "a header word is not 0"
        "The words at 0, 16 and 20 are 0 in every known package. Recoil ignores them."
        "Recoil ignores these words."
    TEXTURES_NONE "textures-none" Unusual [] "a package without images"
        "Every known package has at least one."
        "Measured on shipped packages."
    TEXTURES_TOO_MANY "textures-too-many" Crashes [Rc] "more than 4,096 images"
        "Recoil has room for 4,096 textures in all packages together and does not check the number: with more it \
        crashes or misbehaves. Exactly 4,096 fit."
        "Recoil's directory of 4,096 textures, which it fills unchecked (0x46d810)."
    TEXTURES_LAYOUT "textures-layout" Unusual [Rc] "images are not stored one after the other"
        "There are gaps, another order, or shared or overlapping data. The games seek to each image, so it makes no \
        difference to them; other tools refuse such a package. To write the usual layout, delete `place`, `gap`, \
        `shares` and `layout` from the manifest."
        "Recoil seeks to each image."
    TEXTURES_TRAILING "textures-trailing" Unusual [] "trailing bytes after the last image"
        "No known package has any. The games ignore them; refit keeps them in trailing.bin."
        "Measured on shipped packages."
    TEXTURES_UNSORTED "textures-unsorted" Ignores [Cs] "an unsorted table in Crimson Skies"
        "Crimson Skies finds images by a binary search over the bytes of the names. In an unsorted table it misses \
        some images and ignores them. Sort `images` in the manifest, or set `sorted` to true. The other games search \
        from the first image on: Recoil sorts its packages by the folders of the source pictures."
        "Crimson Skies uses a binary search; all 49 shipped tables are sorted."
    TEXTURES_UPPER_CASE "textures-upper-case" Ignores [Cs] "an upper-case image name in Crimson Skies"
        "Crimson Skies converts the requested name to lower case and compares it exactly, so it never finds an image \
        with a capital letter. The other games ignore case."
        "Crimson Skies converts the request to lower case; all 37,004 shipped names are lower case."
    TEXTURE_NAME_EMPTY "texture-name-empty" Unusual [] "an image without a name"
        "Models refer to textures by name, so nothing can refer to this image."
        "Measured on shipped packages."
    TEXTURE_NAME_UNTERMINATED "texture-name-unterminated" Ignores [Rc] "a name without a terminating zero"
        "A name has at most 31 characters and a zero. The game reads on into the offset that follows."
        "Recoil compares up to the first zero, beyond the field."
    TEXTURE_NAME_ASCII "texture-name-ascii" Unusual [] "a name that is not plain ASCII"
        "No known package has one."
        "Measured on shipped packages."
    TEXTURE_NAME_DUPLICATE "texture-name-duplicate" Ignores [Cs] "two images share a name in Crimson Skies"
        "The game's binary search happens to find one of them and ignores the other. No package of the game repeats a \
        name."
        "Crimson Skies uses a binary search; no shipped package repeats a name."
    TEXTURE_NAME_HIDDEN "texture-name-hidden" Unusual [Rc] "an earlier image has the same name"
        "Recoil ignores case and takes the first image of a name, so it never shows the later one. Its own packages \
        repeat some names."
        "Recoil takes the first image of a name, ignoring case."
    TEXTURE_SMALLER "texture-smaller-version" Differs [Rc] "an edited image whose smaller versions were not edited"
        "NAME_1, NAME_2 and so on are NAME at half, a quarter and smaller sizes. The game shows them farther away, so \
        change them too. In Crimson Skies each package of a world has them all. Reported for edits only, by comparison \
        with the original."
        "Recoil takes NAME_1 as the next smaller level of NAME; Crimson Skies ships 542 such pairs, which no material \
        names."
    TEXTURE_GLOBAL_PALETTE "texture-global-palette" Crashes [Rc] "an image uses a global palette that does not exist"
        "The index of the palette is not below the number of global palettes. Recoil does not check it and reads \
        memory that is not a palette: it crashes or shows arbitrary colours. refit shows the image in grey."
        "Recoil does not check the palette index."
    TEXTURE_PALETTE_FLAG "texture-palette-flag" Unusual [Rc] "flag and table disagree about a global palette"
        "In every known file the flag 0x10 agrees with the index in the table of contents. In the games the flag alone \
        decides what is stored."
        "In Recoil the flag 0x10 alone decides where the palette is (0x46ee69)."
    TEXTURE_PALETTE_SIZE "texture-palette-size" Ignores [] "a palette with more than 256 colours"
        "Indices have 8 bits, so colours from 256 on cannot be used."
        "An index has 8 bits."
    TEXTURE_INDEX "texture-index" Crashes [Rc] "pixels beyond the image's own palette"
        "The game reads the memory after the palette: it crashes or shows arbitrary colours. No known image has such a \
        pixel."
        "Recoil looks colours up unchecked."
    TEXTURE_INDEX_UNUSED "texture-index-unused" Unusual [Rc] "pixels beyond the declared colours of a global palette"
        "The image declares how many of the palette's 256 colours it uses. Recoil ignores the number and shows the \
        colour; other programs refuse the image."
        "Recoil takes all 256 colours of a global palette."
    TEXTURE_FLAGS "texture-flags" Unusual [Rc] "unknown flag bits"
        "Bits 8 to 31 are 0 in every known file, and Recoil reads only the lowest byte. refit keeps them."
        "Recoil reads the lowest byte of the word."
    TEXTURE_ONE_BYTE "texture-one-byte" Unusual [] "one byte per pixel"
        "The flag for two bytes is set in every known image, including palette images. Without it 16-bit pixels and \
        palette entries have one byte."
        "Measured on shipped packages."
    TEXTURE_ALPHA_FLAGS "texture-alpha-flags" Unusual [] "contradictory alpha flags"
        "The known combinations are none (4), simple (2), and full (2 and 8). The engine reads an alpha plane whenever \
        8 is set."
        "Measured on shipped packages."
    TEXTURE_KEY "texture-key" Unusual [Rc] "simple alpha with a palette whose first colour is not black"
        "One colour of the image is transparent. With a palette it is index 0: Recoil's software renderer skips it \
        whatever its colour. What the other games do is not known, and refit makes index 0 transparent only if the \
        first colour is word 0. It shows this image opaque. If the game is Recoil, use `--game rc`."
        "Recoil's software renderer skips index 0 whatever its colour (0x49c230); what the other games do is not \
        known."
    TEXTURE_UNK08 "texture-unk08" Unusual [Rc Cs] "an image's word at offset 8 is not 0"
        "It is 0 in every known image. The games copy its lowest byte and never use it."
        "Recoil and Crimson Skies copy the byte and do not use it."
    TEXTURE_RENDER_FLAGS "texture-render-flags" Unusual [Rc] "unusual render flags"
        "Known flags are CLAMP_U (1) and CLAMP_V (2), in Crimson Skies also ADDITIVE (4) and an unnamed one (8). \
        Recoil ignores the others."
        "Recoil tests the lowest two bits."
    TEXTURE_SIZE "texture-size" Ignores [Rc] "an image larger than the games can show"
        "Recoil's software renderer does not draw images wider than 1,024 pixels, and graphics cards of the time do \
        not accept larger ones. The game shows its default texture or nothing instead. In Recoil's own packages no \
        side exceeds 256."
        "Recoil draws widths up to 1,024 (0x49bbf0) and asks the card for its largest side (0x4aa0f0)."
    TEXTURES_DEVICE "textures-device" Ignores [Rc] "an image that Recoil does not show"
        "From packages for 3D cards (rtexture…), Recoil shows its default texture instead of an image that has a \
        palette, a side that is not a power of two, or one side more than eight times the other. From packages for its \
        software renderer (texture…), it does not draw images wider than 1,024 pixels."
        "Recoil's checks of an image for Direct3D (0x4aa0f0) and for its software renderer (0x49bbf0)."
    TEXTURES_DEVICE_OTHER "textures-device-other" Unusual [Rc] "an image with a palette in a package for 3D cards"
        "All known images in packages for 3D cards (rtexture…, in MechWarrior 3 and Pirate's Moon also rmechtex and \
        rmechtex16) have 16-bit colours. Recoil shows its default texture instead of an image with a palette; what the \
        other games do is not known."
        "Recoil's checks of an image for Direct3D (0x4aa0f0); measured on the packages of all games."
    TEXTURES_SOFTWARE "textures-software" Unusual [Cs] "an image without a palette in a package for the software \
        renderer"
        "Every image in Crimson Skies' texture.zbd has its own palette; what its software renderer does with 16-bit \
        colours is not known. Set `kind` to `local` in the manifest to give the image one. MechWarrior 3 and Pirate's \
        Moon ship both kinds."
        "Measured: all 6,125 images of the eight texture.zbd of Crimson Skies have their own palette."
    TEXTURES_MEMORY "textures-memory" Unusual [Cs] "a package larger than the memory in its name"
        "Crimson Skies takes the largest rtextureN.zbd whose N does not exceed the MiB that the card has for textures, \
        and the game's own packages have at most N MiB. What happens on a card that cannot hold the whole package is \
        not known."
        "Measured on the 40 packages of Crimson Skies for 3D cards; the choice was read in its engine."
    TEXTURES_NARROW "textures-narrow" Ignores [Rc] "an image narrower than 8 pixels in a package for the software \
        renderer"
        "Recoil's software renderer does not draw it. As a smaller version of another image (NAME_1, NAME_2 …) it may \
        never be needed."
        "Recoil's software renderer draws widths from 8 to 1,024 (0x49bbf0)."
    TEXTURE_EMPTY "texture-empty" Unusual [] "an image without pixels"
        "Its width or height is 0. A PNG cannot express that, so the size is in the manifest."
        "Measured on shipped packages."
}

/// The renderer that uses a package.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Renderer {
    /// A 3D card: `rtexture` with a number of MiB.
    Card,
    /// The software renderer: `texture` with a number, or `max`. Recoil uses some of these as a
    /// fallback for cards, too.
    Software,
}

impl Renderer {
    /// Determined by the package's name: the file does not contain it. 'Mechs have separate
    /// packages, for cards of 2 MiB (`rmechtex16`) and of more (`rmechtex`), and for the software
    /// renderer (`rmechtexs`).
    fn of(file: &str) -> Option<Self> {
        let file = file.to_ascii_lowercase();
        let stem = file.strip_suffix(".zbd")?;
        let number = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
        match (
            stem.strip_prefix("rtexture")
                .or(stem.strip_prefix("rmechtex")),
            stem.strip_prefix("texture"),
        ) {
            (Some(rest), _) if number(rest) => Some(Renderer::Card),
            (_, Some(rest)) if number(rest) || rest == "max" => Some(Renderer::Software),
            _ if stem == "rmechtexs" => Some(Renderer::Software),
            _ => None,
        }
    }
}

/// The message for a package larger than its name allows: Crimson Skies picks `rtextureN.zbd` by
/// the card's memory in MiB.
fn too_large(file: &str, size: u64) -> Option<String> {
    let name = file.to_ascii_lowercase();
    let limit: u64 = name
        .strip_prefix("rtexture")?
        .strip_suffix(".zbd")?
        .parse()
        .ok()?;
    let over = size > limit.checked_mul(1 << 20)?;
    over.then(|| {
        format!(
            "{size} bytes, but the game uses {file} for cards with {limit} MiB of texture memory"
        )
    })
}

/// Checks a package; `file` is its name.
pub fn judge(
    package: &Package,
    game: Option<Game>,
    file: &str,
    faults: &Faults,
    lints: &mut Lints,
) {
    let version = package.version.or(1);
    lints.check(version == 1, TEXTURES_VERSION, || {
        format!("version {version}: the game refuses the package")
    });
    for (at, word) in [(0, package.unk00), (16, package.unk16), (20, package.unk20)] {
        lints.check(word.is_none(), TEXTURES_HEADER, || {
            format!("the word at {at} is {:#x}", word.or(0))
        });
    }
    let n = package.images.len();
    lints.check(n > 0, TEXTURES_NONE, || "0 images".into());
    lints.check(n <= 4096, TEXTURES_TOO_MANY, || format!("{n} images"));
    lints.check(package.overlaid.is_none(), TEXTURES_LAYOUT, || {
        "images overlap".into()
    });
    let trailing = package.trailing.len();
    lints.check(trailing == 0, TEXTURES_TRAILING, || {
        format!("{trailing} bytes")
    });
    let cs = game == Some(Game::Cs);
    lints.check(!cs || package.is_sorted(), TEXTURES_UNSORTED, || {
        let pair = package.images.iter().zip(package.images.iter().skip(1));
        let wrong = pair
            .map(|(a, b)| (&a.name, &b.name))
            .find(|(a, b)| manifest::sort_key(a) > manifest::sort_key(b));
        wrong
            .map(|(a, b)| format!("{b:?} comes after {a:?}: the game does not find all images"))
            .unwrap_or_default()
    });
    if let Some(message) = too_large(file, package.file_size()).filter(|_| cs) {
        lints.say(TEXTURES_MEMORY, message);
    }
    let renderer = Renderer::of(file);
    let mut seen = HashMap::new();
    for (i, image) in package.images.iter().enumerate() {
        lints.at(format!("[{i}] {}", image.name), |lints| {
            let name = image.name.bytes();
            // Crimson Skies compares names exactly, the other games ignore case.
            let key = if cs {
                name.to_vec()
            } else {
                name.to_ascii_lowercase()
            };
            if name.is_empty() {
                lints.say(TEXTURE_NAME_EMPTY, "the name is empty");
            } else if let Some(first) = seen.get(&key) {
                let message = format!("image [{first}] has the same name");
                lints.say(
                    if cs {
                        TEXTURE_NAME_DUPLICATE
                    } else {
                        TEXTURE_NAME_HIDDEN
                    },
                    message,
                );
            } else {
                seen.insert(key, i);
            }
            lints.check(
                !cs || !name.iter().any(u8::is_ascii_uppercase),
                TEXTURES_UPPER_CASE,
                || format!("{}: the game never finds it", image.name),
            );
            faults.or_note(judge_image(package, image, game, lints));
            judge_size(image, game, renderer, lints);
        });
    }
}

fn judge_image(
    package: &Package,
    image: &Image,
    game: Option<Game>,
    lints: &mut Lints,
) -> Result<()> {
    let (info, name) = (&image.info, &image.name);
    lints.check(name.is_terminated(), TEXTURE_NAME_UNTERMINATED, || {
        "32 characters".into()
    });
    lints.check(name.bytes().is_ascii(), TEXTURE_NAME_ASCII, || {
        name.to_string()
    });
    lints.check(name.is_regular(), TEXT_TAIL, || {
        "bytes after the end of the name".into()
    });
    lints.check(image.gap.is_empty(), TEXTURES_LAYOUT, || {
        format!("{} unused bytes before it", image.gap.len())
    });
    lints.check(image.place.is_none(), TEXTURES_LAYOUT, || {
        format!(
            "its data are number {} in the file",
            image.place.unwrap_or(0)
        )
    });
    lints.check(image.shares.is_none(), TEXTURES_LAYOUT, || {
        format!("its data are those of image {}", image.shares.unwrap_or(0))
    });
    let flags = info.flags.0;
    let global = flags & flag::GLOBAL != 0;
    let palette = image.global_palette;
    let exists = usize::try_from(palette).is_ok_and(|i| i < package.palettes.len());
    lints.check(exists || palette == -1, TEXTURE_GLOBAL_PALETTE, || {
        format!("global palette {palette} of {}", package.palettes.len())
    });
    lints.check(
        global == (palette != -1),
        TEXTURE_PALETTE_FLAG,
        || match global {
            true => "the flag declares a global palette, the table does not".into(),
            false => format!("the table declares global palette {palette}, the flag does not"),
        },
    );
    lints.check(!global || info.indexed(), TEXTURE_PALETTE_FLAG, || {
        "the flag declares a global palette, but none of its colours is used".into()
    });
    lints.check(info.palette_count <= 256, TEXTURE_PALETTE_SIZE, || {
        format!("{} colours", info.palette_count)
    });
    lints.check(flags & !flag::KNOWN == 0, TEXTURE_FLAGS, || {
        format!("{:#x}", flags & !flag::KNOWN)
    });
    lints.check(info.unit() == 2, TEXTURE_ONE_BYTE, || {
        format!("flags {flags:#x}")
    });
    let alpha = Alpha::from_raw((flags & flag::ALPHA) as u8);
    lints.check(alpha.name().is_some(), TEXTURE_ALPHA_FLAGS, || {
        format!("alpha flags {:#x}", alpha.raw())
    });
    lints.check(info.unk08.0 == 0, TEXTURE_UNK08, || {
        format!("{:?}", info.unk08)
    });
    // If the game is unknown, assume the one with the most features, to avoid false reports.
    let known = if matches!(game, Some(Game::Rc | Game::Mw | Game::Pm)) {
        3
    } else {
        15
    };
    lints.check(info.render_flags.0 <= known, TEXTURE_RENDER_FLAGS, || {
        format!("{:#x}", info.render_flags.0)
    });
    lints.check(!info.is_empty(), TEXTURE_EMPTY, || {
        format!("{} × {} pixels", info.width, info.height)
    });
    if !info.indexed() {
        return Ok(());
    }
    let image = image.loaded()?;
    if info.palette_count < 256 {
        let [pixels, ..] = image.parts()?;
        let count = info.palette_count;
        let beyond = pixels.iter().filter(|i| u16::from(**i) >= count).count();
        lints.check(beyond == 0, if global { TEXTURE_INDEX_UNUSED } else { TEXTURE_INDEX }, || {
            let highest = pixels.iter().max().unwrap_or(&0);
            format!("{beyond} pixels: the highest index is {highest}, but the palette has {count} colours")
        });
    }
    if alpha == Alpha::Simple && !info.is_empty() {
        let words = convert::shown(info, &image.local_palette()?, &package.palettes, palette);
        let first = words.first().copied().unwrap_or(0);
        lints.check(convert::keyed(info, &words, game), TEXTURE_KEY, || {
            format!("the first colour is {first:#06x}")
        });
    }
    Ok(())
}

/// Why the renderer for packages of this name does not show an image; empty if it does or if that
/// is unknown.
pub fn of_device(image: &Image, game: Option<Game>, file: &str) -> Vec<String> {
    let mut lints = Lints::new();
    judge_size(image, game, Renderer::of(file), &mut lints);
    lints
        .finish()
        .into_iter()
        .map(|finding| finding.message)
        .collect()
}

/// Checks an image's shape against what its renderer accepts.
///
/// Recoil's rules were read in its engine. For the other games only the shipped files are known:
///
/// - MechWarrior 3 and Pirate's Moon: no palettes in packages for cards, both kinds in those for
///   the software renderer. Limits for sides, aspect ratio and size are unknown.
/// - Crimson Skies: no palettes in packages for cards, only palettes in those for the software
///   renderer. 217 of its images have a side that is not a power of two, so that is not reported. A
///   limit for the aspect ratio is unknown.
///
/// Transparency does not depend on the renderer but on the stored form, and is the same in all
/// games: word 0 with simple alpha ([`super::convert`] avoids it for opaque black, and reports the
/// changes).
fn judge_size(image: &Image, game: Option<Game>, renderer: Option<Renderer>, lints: &mut Lints) {
    let info = &image.info;
    if info.is_empty() {
        return;
    }
    let (width, height) = (info.width, info.height);
    let size = || format!("{width} × {height} pixels");
    let (small, large) = (width.min(height), width.max(height));
    let rc = game == Some(Game::Rc);
    match renderer {
        Some(Renderer::Card) if rc => {
            lints.check(!info.indexed(), TEXTURES_DEVICE, || {
                "a palette: the game shows its default texture instead".into()
            });
            lints.check(
                width.is_power_of_two() && height.is_power_of_two(),
                TEXTURES_DEVICE,
                || {
                    format!(
                        "{}, a side is no power of two: the game shows its default texture instead",
                        size()
                    )
                },
            );
            lints.check(u32::from(large) <= 8 * u32::from(small), TEXTURES_DEVICE, || {
                size() + ", one side more than eight times the other: the game shows its default texture instead"
            });
        }
        Some(Renderer::Card) => lints.check(!info.indexed(), TEXTURES_DEVICE_OTHER, || {
            "a palette".into()
        }),
        Some(Renderer::Software) if rc => {
            lints.check(width <= 1024, TEXTURES_DEVICE, || {
                format!("{}: the game does not draw it", size())
            });
            lints.check(width >= 8, TEXTURES_NARROW, || {
                format!("{}: the game does not draw it", size())
            });
        }
        Some(Renderer::Software) if game == Some(Game::Cs) => {
            lints.check(info.indexed(), TEXTURES_SOFTWARE, || {
                "16-bit colours".into()
            })
        }
        _ => {}
    }
    let reported = rc && renderer == Some(Renderer::Software) && width > 1024;
    lints.check(large <= 1024 || reported, TEXTURE_SIZE, size);
}

/// Kind and details of an image, for `list`.
pub fn describe(image: &Image) -> (String, String) {
    let entry = ImageEntry::of(image, "");
    let info = &image.info;
    let kind = match entry.kind {
        PixelKind::Rgb565 => "rgb565".to_owned(),
        PixelKind::Gray8 => "gray8".to_owned(),
        PixelKind::Local(count) => format!("local {count}"),
        PixelKind::Global { palette, count } => format!("global {palette} ({count})"),
    };
    let mut detail = format!(
        "{} × {}, {}",
        info.width,
        info.height,
        alpha_text(entry.alpha)
    );
    let flags = info.render_flags;
    if let Some(names) = flags.meaning() {
        detail.push_str(&format!(", {names}"));
    }
    let unknown = flags.0 & !KNOWN.0;
    if unknown != 0 {
        detail.push_str(&format!(", render flags {unknown:#x}"));
    }
    if let Some(owner) = image.shares {
        detail.push_str(&format!(", shares the data of image {owner}"));
    }
    (kind, detail)
}

/// The drawing bits that have a name.
const KNOWN: RenderFlags = RenderFlags(
    RenderFlags::CLAMP_U.0 | RenderFlags::CLAMP_V.0 | RenderFlags::ADDITIVE.0 | RenderFlags::UNK3.0,
);

fn alpha_text(alpha: Alpha) -> String {
    match alpha.name() {
        Some("none") => "no alpha".to_owned(),
        Some(name) => format!("{name} alpha"),
        None => format!("alpha flags {:#x}", alpha.raw()),
    }
}

/// The description of a package for `info`.
pub fn info(package: &Package) -> Info {
    let mut kinds = Map::new();
    let mut alphas = Map::new();
    let count = |map: &mut Map<String, Value>, key: String| {
        let n = map.get(&key).and_then(Value::as_u64).unwrap_or(0);
        map.insert(key, (n + 1).into());
    };
    for image in &package.images {
        let entry = ImageEntry::of(image, "");
        let kind = match entry.kind {
            PixelKind::Rgb565 => "rgb565",
            PixelKind::Gray8 => "gray8",
            PixelKind::Local(_) => "local palette",
            PixelKind::Global { .. } => "global palette",
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
        (
            "layout",
            if package.is_canonical() {
                "one after the other"
            } else {
                "not canonical"
            }
            .into(),
        ),
        ("sorted", package.is_sorted().into()),
        ("list", Value::Array(list.collect())),
    ]
}

/// Images by lower-case name, as games look them up: the first of each name.
fn named(package: &Package) -> HashMap<String, usize> {
    let mut out = HashMap::new();
    for (i, image) in package.images.iter().enumerate() {
        out.entry(image.name.text().to_lowercase()).or_insert(i);
    }
    out
}

/// The lower-case names of an image's smaller versions, `NAME_1`, `NAME_2` and so on, each with
/// fewer pixels than the one before; and the next name in the series if it is not smaller, and so
/// another texture.
pub fn levels(package: &Package, name: &str) -> (Vec<String>, Option<String>) {
    levels_of(package, &named(package), &name.to_lowercase())
}

fn levels_of(
    package: &Package,
    named: &HashMap<String, usize>,
    name: &str,
) -> (Vec<String>, Option<String>) {
    let area = |name: &str| Some(package.images.get(*named.get(name)?)?.info.area());
    let mut levels = Vec::new();
    let Some(mut before) = area(name) else {
        return (levels, None);
    };
    for level in 1u32.. {
        let name = format!("{name}_{level}");
        match area(&name) {
            // Each level is smaller than the one before; only a single pixel may be repeated.
            Some(area) if area < before || area == before && area <= 1 => before = area,
            Some(_) => return (levels, Some(name)),
            None => break,
        }
        levels.push(name);
    }
    (levels, None)
}

/// Reports images that an edit changed without changing their smaller versions.
pub fn smaller_versions(now: &Package, before: &Package, lints: &mut Lints) -> Result<()> {
    let (new, old) = (named(now), named(before));
    // Whether the image of a name changed, unless it is new or gone.
    let mut changed = HashMap::new();
    for (name, at) in &new {
        let was = old.get(name).and_then(|at| before.images.get(*at));
        if let Some((new, old)) = now.images.get(*at).zip(was) {
            changed.insert(name, !new.is_like(old)?);
        }
    }
    for (i, image) in now.images.iter().enumerate() {
        let name = image.name.text().to_lowercase();
        if new.get(&name) != Some(&i) || changed.get(&name) != Some(&true) {
            continue;
        }
        // The former levels: the edit may have made the image itself smaller.
        let (levels, _) = levels_of(before, &old, &name);
        let left: Vec<String> = levels
            .into_iter()
            .filter(|level| changed.get(level) == Some(&false))
            .collect();
        let all = left.join(", ");
        lints.at(format!("[{i}] {}", image.name), |lints| {
            lints.check(left.is_empty(), TEXTURE_SMALLER, || {
                format!("not changed: {all}")
            })
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_shows_the_renderer_of_a_package() {
        for (file, renderer) in serde_json::from_str::<Vec<(String, Option<String>)>>(include_str!(
            "tests/renderers.json"
        ))
        .unwrap()
        {
            assert_eq!(
                Renderer::of(&file).map(|known| format!("{known:?}")),
                renderer,
                "{file}"
            );
        }
    }

    #[test]
    fn the_name_shows_the_memory_of_the_card() {
        assert!(too_large("rtexture4.zbd", 4 << 20).is_none());
        assert!(
            too_large("RTexture4.ZBD", (4 << 20) + 1)
                .unwrap()
                .contains("4 MiB")
        );
        assert!(
            too_large("texture.zbd", u64::MAX).is_none()
                && too_large("rtexture.zbd", u64::MAX).is_none()
        );
    }
}
