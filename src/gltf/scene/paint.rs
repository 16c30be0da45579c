//! Materials and their textures.

use super::{
    axes,
    glb::{Glb, cut},
    json::{Image, Material, Pbr, Sampler, Texture, TextureInfo},
    with::With,
};
use refit_base::wire::F32;
use refit_zipper::{
    gamez::{materials, tree::some},
    textures::Transparency,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// A material of a game, with the names of its textures.
pub struct Paint {
    /// The texture; for a cycle, that of the first frame.
    pub(super) texture: Option<String>,
    /// The material's own texture, if a cycle shows another one.
    pub(super) named: Option<String>,
    /// Linear light and opacity.
    color: [f32; 4],
    extras: Value,
}

impl Paint {
    /// Converts the material at a position; `name` returns the texture at a reference.
    pub fn of(
        material: &materials::Material,
        index: usize,
        name: impl Fn(&materials::Material, usize) -> Option<String>,
    ) -> Self {
        let own = material
            .texture_name
            .as_ref()
            .map(|n| n.text().into_owned());
        let own = own.or_else(|| name(material, material.texture.as_ref()?.place()?));
        let [r, g, b] = axes::color(&material.color.or([F32::from(255.0); 3]));
        let mut extras = serde_json::Map::from_iter([("index".to_owned(), json!(index))]);
        if let Some(name) = &own {
            extras.insert("texture".into(), json!(name));
        }
        for (key, soil) in [
            ("soil", json!(material.soil.0)),
            ("soil", json!(material.crimson_soil.0)),
        ] {
            if !soil.is_null() {
                extras.insert(key.into(), soil);
            }
        }
        let named = own.clone();
        let mut texture = own;
        if let Some(cycle) = &material.cycle {
            let frames: Vec<_> = cycle
                .frames
                .iter()
                .map(|f| f.place().and_then(|f| name(material, f)))
                .collect();
            if let Some(Some(first)) = frames.first() {
                texture = Some(first.clone());
            }
            extras.insert(
                "cycle".into(),
                json!({ "textures": frames, "speed": cycle.speed, "looping": cycle.looping != 0 }),
            );
        }
        Paint {
            texture,
            named,
            color: [r, g, b, f32::from(material.alpha.or(255)) / 255.0],
            extras: extras.into(),
        }
    }

    /// True if a colour or opacity of a file differs from the export by more than half a byte.
    pub(super) fn is_other(&self, color: [f32; 4]) -> bool {
        let bytes = |[r, g, b, a]: [f32; 4]| {
            let [r, g, b] = axes::shown([r, g, b]).map(F32::get);
            [r, g, b, a.clamp(0.0, 1.0) * 255.0]
        };
        bytes(self.color)
            .iter()
            .zip(bytes(color))
            .any(|(own, found)| (own - found).abs() > HALF_A_BYTE)
    }

    /// True if a colour of a file differs from the export, regardless of its opacity.
    pub(super) fn is_tinted(&self, [r, g, b, _]: [f32; 4]) -> bool {
        let [.., opacity] = self.color;
        self.is_other([r, g, b, opacity])
    }

    /// True if two materials differ by no more than their colours.
    fn is_like(&self, other: &Paint) -> bool {
        let look = |paint: &Paint| {
            let mut extras = paint.extras.clone();
            extras
                .as_object_mut()
                .and_then(|extras| extras.remove("index"));
            extras
        };
        self.texture == other.texture && look(self) == look(other)
    }
}

/// The tolerance for colours, of 255: they are rounded to bytes, plus a little more.
const HALF_A_BYTE: f32 = 0.53;

/// The identity of a material in a file: position, two-sided, without its texture.
pub(super) type Variant = (Option<u32>, bool, bool);

/// Maximum length in bytes of a texture's name in a material's name, which has 63 bytes for other
/// parts, too.
const LONGEST: usize = 36;

const VARIANTS: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];

fn spelled(name: &str, two_sided: bool, plain: bool) -> String {
    format!(
        "{name}{}{}",
        if two_sided { ", two-sided" } else { "" },
        if plain { ", plain" } else { "" }
    )
}

/// The materials of a game's file, and their names in glTF. Names are the same in every export of
/// the file, and unique: the name of the texture for the first material that has it,
/// `texture#INDEX` for the others; then `, two-sided`, and `, plain` without its texture.
pub struct Palette {
    paints: Vec<Option<Paint>>,
    names: Vec<String>,
    known: HashMap<String, Variant>,
}

impl Palette {
    /// Builds the palette from materials by position.
    pub fn of(paints: Vec<Option<Paint>>) -> Self {
        let mut known = HashMap::new();
        let mut names = Vec::with_capacity(paints.len());
        for (i, paint) in (0u32..).zip(&paints) {
            let texture = paint
                .as_ref()
                .and_then(|p| p.texture.as_deref())
                .filter(|name| !name.is_empty());
            let own = texture.map_or_else(
                || format!("material {i}"),
                |name| cut(name, LONGEST).to_owned(),
            );
            let ends = [String::new(), format!("#{i}")]
                .into_iter()
                .chain((2u32..).map(|n| format!("#{i}-{n}")));
            let free = |name: &String| {
                VARIANTS
                    .iter()
                    .all(|[a, b]| !known.contains_key(&spelled(name, *a, *b)))
            };
            let name = ends
                .map(|end| own.clone() + &end)
                .find(free)
                .unwrap_or_default();
            for [two_sided, plain] in VARIANTS {
                known.insert(
                    spelled(&name, two_sided, plain),
                    (Some(i), two_sided, plain),
                );
            }
            names.push(name);
        }
        Palette {
            paints,
            names,
            known,
        }
    }

    /// A material.
    pub(super) fn paint(&self, index: Option<u32>) -> Option<&Paint> {
        self.paints.get(usize::try_from(index?).ok()?)?.as_ref()
    }

    /// The variant of a polygon's material.
    pub(super) fn variant(&self, index: Option<u32>, two_sided: bool, uvs: bool) -> Variant {
        (
            index,
            two_sided,
            !uvs && self
                .paint(index)
                .is_some_and(|paint| paint.texture.is_some()),
        )
    }

    /// The name of a variant.
    pub(super) fn called(&self, (index, two_sided, plain): Variant) -> String {
        let name = match index {
            None => "no material".to_owned(),
            Some(i) if self.paint(index).is_none() => format!("material {i} (missing)"),
            Some(i) => self.names.get(i as usize).cloned().unwrap_or_default(),
        };
        spelled(&name, two_sided, plain)
    }

    pub(super) fn find(&self, name: &str) -> Option<Variant> {
        self.known.get(name).copied()
    }

    /// The first material that has this colour and otherwise equals another one.
    pub(super) fn of_color(&self, like: u32, color: [f32; 4]) -> Option<u32> {
        let like = self.paint(Some(like))?;
        let fits = |paint: &Paint| paint.is_like(like) && !paint.is_other(color);
        let at = self
            .paints
            .iter()
            .position(|paint| paint.as_ref().is_some_and(fits))?;
        u32::try_from(at).ok()
    }

    /// Number of materials.
    pub(super) fn len(&self) -> usize {
        self.paints.len()
    }
}

/// Adds the materials that a file's meshes use, each once.
pub struct Painter<'a> {
    palette: &'a Palette,
    with: &'a With,
    materials: HashMap<Variant, usize>,
    textures: HashMap<&'a str, Option<usize>>,
    samplers: HashMap<[bool; 2], usize>,
    missing: BTreeSet<&'a str>,
}

/// Maximum number of names in the note on missing textures.
const MISSING: usize = 100;

const LINEAR: u32 = 9729;
const MIPMAPPED: u32 = 9987;
const REPEAT: u32 = 10497;
const CLAMP: u32 = 33071;

impl<'a> Painter<'a> {
    /// Prepares the materials of `palette` for a file.
    pub fn new(palette: &'a Palette, with: &'a With) -> Self {
        Painter {
            palette,
            with,
            materials: HashMap::new(),
            textures: HashMap::new(),
            samplers: HashMap::new(),
            missing: BTreeSet::new(),
        }
    }

    /// The position of a material in the file; added without its texture if there are no texture
    /// coordinates.
    pub fn material(
        &mut self,
        index: Option<u32>,
        two_sided: bool,
        uvs: bool,
        glb: &mut Glb,
    ) -> usize {
        let palette = self.palette;
        let variant = palette.variant(index, two_sided, uvs);
        if let Some(known) = self.materials.get(&variant) {
            return *known;
        }
        let paint = palette.paint(index);
        let texture = paint.and_then(|p| p.texture.as_deref());
        let drawn = texture.filter(|_| uvs).and_then(|name| {
            let index = self.texture(name, glb)?;
            let picture = self.with.picture(name)?;
            Some((index, picture.transparency, picture.additive))
        });
        let (color, mut extras) = match (paint, index) {
            (Some(paint), _) => (paint.color, Some(paint.extras.clone())),
            (None, Some(i)) => {
                glb.note(format!("material {i} does not exist"));
                ([1.0; 4], Some(json!({ "index": i })))
            }
            (None, None) => ([1.0; 4], None),
        };
        let [.., opacity] = color;
        let alpha_mode = match drawn.map(|(_, transparency, _)| transparency) {
            Some(Transparency::Mixed) => Some("BLEND"),
            _ if opacity < 1.0 => Some("BLEND"),
            Some(Transparency::Holes) => Some("MASK"),
            _ => None,
        };
        let pbr = Pbr {
            base_color_factor: (color != [1.0; 4]).then_some(color),
            base_color_texture: drawn.map(|(index, ..)| TextureInfo { index }),
            metallic_factor: 0.0,
            roughness_factor: 1.0,
        };
        let double_sided = two_sided.then_some(true);
        // glTF has no additive blending; an emissive material comes closest.
        let glows = drawn
            .filter(|(_, _, additive)| *additive)
            .map(|(index, ..)| TextureInfo { index });
        if let (Some(_), Some(Value::Object(extras))) = (&glows, &mut extras) {
            extras.insert("additive".into(), json!(true));
        }
        let emissive_factor = glows.is_some().then_some([1.0; 3]);
        let name = palette.called(variant);
        glb.root.materials.push(Material {
            name,
            pbr_metallic_roughness: pbr,
            emissive_factor,
            emissive_texture: glows,
            alpha_mode,
            double_sided,
            extras,
        });
        let at = glb.root.materials.len() - 1;
        self.materials.insert(variant, at);
        at
    }

    /// The position of a texture in the file; `None` if no package contains it.
    fn texture(&mut self, name: &'a str, glb: &mut Glb) -> Option<usize> {
        if let Some(known) = self.textures.get(name) {
            return *known;
        }
        let found = self.with.picture(name).map(|picture| {
            let [across, down] = picture
                .clamps
                .map(|clamp| if clamp { CLAMP } else { REPEAT });
            let sampler = *self.samplers.entry(picture.clamps).or_insert_with(|| {
                let sampler = Sampler {
                    mag_filter: LINEAR,
                    min_filter: MIPMAPPED,
                    wrap_s: across,
                    wrap_t: down,
                };
                glb.root.samplers.push(sampler);
                glb.root.samplers.len() - 1
            });
            let buffer_view = glb.image(picture.png.clone().into());
            glb.root.images.push(Image {
                name: name.to_owned(),
                mime_type: "image/png",
                buffer_view,
            });
            glb.root.textures.push(Texture {
                sampler,
                source: glb.root.images.len() - 1,
            });
            glb.root.textures.len() - 1
        });
        if found.is_none() {
            self.missing.insert(name);
        }
        self.textures.insert(name, found);
        found
    }

    /// Notes textures that were not found in the packages.
    pub fn finish(self, glb: &mut Glb) {
        self.with.asked(
            self.textures
                .iter()
                .map(|(name, found)| (*name, found.is_some())),
        );
        if self.with.has_textures() && !self.missing.is_empty() {
            let names: Vec<&str> = self.missing.into_iter().collect();
            glb.note(format!(
                "textures that are in none of the packages: {}",
                some(&names, MISSING)
            ));
        }
    }
}
