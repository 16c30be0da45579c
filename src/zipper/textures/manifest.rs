//! The manifest of an unpacked package: what a PNG cannot contain (FORMAT.md).

use super::package::{Image, ImageInfo, PNG, Package, RenderFlags, assign, flag};
use refit_base::{
    tree::UniquePaths,
    wire::{Error, Hex, Result, Text},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

// The four words of the file's head are fields here and in `Package`, whose record positions them:
// the manifest has them in addition to its own head, and documents do not flatten other structs.
refit_base::manifest! {
    /// The manifest of a texture package. The order of `images` is the order of the table of
    /// contents.
    pub(crate) struct Textures, "textures" {
        /// First word of the header.
        unk00~: u32,
        /// Format version. The games know 1.
        version~: u32,
        /// Word at offset 16 of the header.
        unk16~: u32,
        /// Word at offset 20 of the header.
        unk20~: u32,
        /// The table is sorted by name, and repack keeps it sorted: Crimson Skies finds images by
        /// binary search.
        sorted!: bool,
        /// The images, in the order of the table of contents.
        images: Vec<ImageEntry>,
        /// Palettes of 256 colours that several images use, as RGB565 words. Images refer to them
        /// by their position here.
        global_palettes*: Words,
        /// File with bytes after the last image.
        trailing?: String,
        /// Only for a package whose images overlap. Delete it to lay the images out one after the
        /// other.
        layout?: Layout,
    }
}

/// The positions of overlapping images.
#[derive(Clone, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// The file that the images are laid over.
    pub file: String,
    /// Where each image starts.
    pub starts: Vec<u32>,
}

refit_base::record! {
    /// One image.
    #[derive(Default)]
    #[schemars(rename = "Entry")]
    pub struct ImageEntry {
        /// Its name in the game: at most 31 characters, no extension.
        name: Text<32>,
        /// Its PNG. Absent: `images/NAME.png`.
        file?: String,
        /// What a pixel is.
        kind!: PixelKind,
        /// Which pixels are transparent: none; with simple alpha those of one colour (black, or
        /// index 0 of a palette: in Recoil whatever its colour, in the other games if it is black);
        /// with full alpha each by its own alpha. In Crimson Skies an image with alpha, simple or
        /// full, is also not lit: neither vertex lighting nor fog affects its polygons.
        alpha!: Alpha,
        /// The engine's bookkeeping; set in some files, with no known effect.
        loaded!: Loaded,
        /// How it is drawn: CLAMP_U and CLAMP_V stretch the edges outwards instead of repeating the
        /// image (across, down); ADDITIVE adds its colours to what is behind it (Crimson Skies:
        /// fire, flares); UNK3 is not known.
        render_flags!: RenderFlags,
        /// Reduces a picture with more than 256 colours to the palette instead of reporting an
        /// error.
        quantize!: bool,
        /// Only for an image without a PNG.
        width?: u16,
        /// Only for an image without a PNG.
        height?: u16,
        /// The global palette in the table of contents, if `kind` disagrees.
        toc_palette?: i32,
        /// Palette images: the flag for two bytes per pixel is clear. The entries of a local
        /// palette then have one byte.
        one_byte!: bool,
        /// Flag bits without a known meaning.
        extra_flags!: Hex<u32>,
        /// Word at offset 8 of the image's record.
        unk08!: Hex<u32>,
        /// The local palette, only if the PNG's palette cannot express it. It replaces the PNG's
        /// palette.
        palette?: Words,
        /// Rank of the image's data in the file; if absent, its position in the table.
        place?: u32,
        /// File with unused bytes before the image's data.
        gap?: String,
        /// The `file` of an earlier image with the same data. Only the name is then given in
        /// addition.
        shares?: String,
    }
}

/// What a pixel is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[schemars(rename = "Kind")]
pub enum PixelKind {
    /// A colour of 16 bits.
    #[default]
    Rgb565,
    /// One byte, shown as grey. Never seen in a game.
    Gray8,
    /// An index into the image's own palette; the number is its count of colours.
    Local(u16),
    /// An index into a global palette.
    Global {
        /// Position in `global_palettes`.
        palette: i32,
        /// How many of its 256 colours the image uses.
        count: u16,
    },
}

refit_base::open_enum! {
    /// Which pixels are transparent. Other numbers are the raw flag bits of a combination that has
    /// no name.
    pub enum Alpha: u8 {
        /// None.
        None = 4 "none",
        /// One colour. Without a palette that is word 0. With a palette it is index 0: in Recoil
        /// whatever its colour, in the other games as far as is known when its colour is word 0.
        Simple = 2 "simple",
        /// Each pixel has an alpha of 0 (transparent) to 255.
        Full = 10 "full",
    }
}

#[allow(clippy::derivable_impls)] // the macro declares the enum
impl Default for Alpha {
    fn default() -> Self {
        Alpha::None
    }
}

refit_base::flags! {
    /// The engine's bookkeeping.
    pub struct Loaded: u8 { IMAGE = 0x20 "image", ALPHA = 0x40 "alpha", PALETTE = 0x80 "palette" }
}

/// RGB565 words, in text as lines of 16 words.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Words(pub Vec<u16>);

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.chunks(16).map(|line| {
            line.iter()
                .map(|w| format!("{w:04x}"))
                .collect::<Vec<_>>()
                .join(" ")
        }))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut words = Vec::new();
        for line in Vec::<String>::deserialize(d)? {
            for word in line.split_whitespace() {
                let value = u16::from_str_radix(word, 16)
                    .ok()
                    .filter(|_| word.len() == 4 && !word.starts_with('+'));
                words.push(value.ok_or_else(|| {
                    de::Error::custom(format!("{word:?} is not a word of four hexadecimal digits"))
                })?);
            }
        }
        Ok(Words(words))
    }
}

refit_base::schema_form!(Words: "Words", |_| schemars::json_schema!({ "description": "RGB565 words of four hexadecimal \
    digits, any number per line.",
    "type": "array", "items": { "type": "string", "pattern": "^([0-9a-fA-F]{4}| )*$" } }));

/// The extension of raw image data, for images that no PNG can reproduce.
pub const RAW: &str = ".bin";

/// The default PNG path for a name; `None` if the name cannot be a file name.
fn usual_file(name: &Text<32>) -> Option<String> {
    let path = assign(&mut UniquePaths::new(), name);
    (path == format!("images/{}{PNG}", name.text())).then_some(path)
}

/// The path of an image's alpha plane.
pub fn alpha_file(file: &str) -> String {
    format!("{}.alpha{PNG}", file.strip_suffix(PNG).unwrap_or(file))
}

impl ImageEntry {
    /// The manifest's entry for an image whose PNG is `file`. Without a PNG, the entry includes
    /// size and palette.
    pub fn of(image: &Image, file: &str) -> Self {
        let info = &image.info;
        let flags = info.flags.0;
        let global = flags & flag::GLOBAL != 0;
        let kind = match (info.palette_count, global) {
            (0, _) if info.unit() == 1 => PixelKind::Gray8,
            (0, _) => PixelKind::Rgb565,
            (count, false) => PixelKind::Local(count),
            (count, true) => PixelKind::Global {
                palette: image.global_palette,
                count,
            },
        };
        let mut extra = flags & !flag::KNOWN;
        if global && !info.indexed() {
            extra |= flag::GLOBAL;
        }
        ImageEntry {
            name: image.name,
            file: (usual_file(&image.name).as_deref() != Some(file)).then(|| file.to_owned()),
            kind,
            alpha: Alpha::from_raw((flags & flag::ALPHA) as u8),
            loaded: Loaded((flags & flag::LOADED) as u8),
            render_flags: info.render_flags,
            toc_palette: (image.global_palette != usual_toc_palette(kind))
                .then_some(image.global_palette),
            one_byte: info.indexed() && info.unit() == 1,
            extra_flags: Hex(extra),
            unk08: info.unk08,
            place: image.place,
            ..ImageEntry::default()
        }
    }

    /// The path of the PNG.
    pub fn path(&self) -> Result<String> {
        match &self.file {
            Some(file) => Ok(file.clone()),
            None => usual_file(&self.name).ok_or_else(|| {
                Error::say("no file can have this name")
                    .hint("name the image's PNG as \"file\": \"images/….png\"")
            }),
        }
    }

    /// The size in the entry, which only an image without a PNG has.
    pub fn size(&self) -> Option<(u16, u16)> {
        Some((self.width?, self.height?))
    }

    /// The global palette for the table of contents.
    pub(crate) fn global_palette(&self) -> i32 {
        self.toc_palette.unwrap_or(usual_toc_palette(self.kind))
    }

    /// The image's record, for a size and a number of palette colours.
    pub fn info(&self, width: u16, height: u16, palette_count: u16) -> Result<ImageInfo> {
        let alpha = u32::from(self.alpha.raw());
        let loaded = u32::from(self.loaded.0);
        let colour = matches!(self.kind, PixelKind::Rgb565 | PixelKind::Gray8);
        let one_byte = self.one_byte || self.kind == PixelKind::Gray8;
        if alpha & !flag::ALPHA != 0 {
            return Err(Error::say(format!(
                "the bits of alpha are 2, 4 and 8; {alpha} has others"
            ))
            .within("alpha"));
        }
        if loaded & !flag::LOADED != 0 {
            return Err(Error::say("the bits of loaded are 0x20, 0x40 and 0x80").within("loaded"));
        }
        let free = !flag::KNOWN | if colour { flag::GLOBAL } else { 0 };
        if self.extra_flags.0 & !free != 0 {
            return Err(Error::say(format!(
                "{:#x} has bits that other fields set",
                self.extra_flags.0
            ))
            .within("extra_flags"));
        }
        if self.one_byte && colour {
            return Err(Error::say(
                "only for palette images; the kind with one byte per pixel and no palette is gray8",
            )
            .within("one_byte"));
        }
        if colour == (palette_count != 0) {
            return Err(Error::say(if colour {
                "a palette belongs to a local image"
            } else {
                "a palette image has at least one colour"
            })
            .within(if colour { "palette" } else { "kind" }));
        }
        let flags = if one_byte { 0 } else { flag::TWO_BYTES }
            | alpha
            | if matches!(self.kind, PixelKind::Global { .. }) {
                flag::GLOBAL
            } else {
                0
            }
            | loaded
            | self.extra_flags.0;
        Ok(ImageInfo {
            flags: Hex(flags),
            width,
            height,
            unk08: self.unk08,
            palette_count,
            render_flags: self.render_flags,
        })
    }

    /// The entry of an image that shares another image's data: its name, and its palette in the
    /// table of contents.
    pub(crate) fn sharing(image: &Image, owner: String) -> Self {
        ImageEntry {
            name: image.name,
            toc_palette: (image.global_palette != -1).then_some(image.global_palette),
            shares: Some(owner),
            ..ImageEntry::default()
        }
    }
}

fn usual_toc_palette(kind: PixelKind) -> i32 {
    match kind {
        PixelKind::Global { palette, .. } => palette,
        _ => -1,
    }
}

impl Package {
    /// True if the table is sorted for the binary search of Crimson Skies.
    pub(crate) fn is_sorted(&self) -> bool {
        self.images.is_sorted_by_key(|image| sort_key(&image.name))
    }
}

/// The bytes that Crimson Skies compares with the lower-cased name it looks for.
pub fn sort_key(name: &Text<32>) -> Vec<u8> {
    name.bytes().to_vec()
}
