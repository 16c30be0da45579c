//! Models: vertices, normals, morphs, point lights, polygons, material references (FORMAT.md).

use super::types::{PTR, Pointers, Ptr, ZoneSet, ptr_if};
use refit_base::{
    game::Game,
    wire::{
        Defaulted, Derived, Describe, Encode, Error, F32, FieldGroup, Hex, InGame, Notation, Plain,
        Reader, Record, Result, Role, Vec3, Within, Writer, fit, flag_bits, flag_names,
    },
};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeMap;

refit_base::open_enum! {
    /// How a model is drawn.
    pub enum ModelType: u32 { Default = 0 "DEFAULT", Facade = 1 "FACADE", Points = 2 "POINTS" }
}
refit_base::open_enum! {
    /// How a facade rotates towards the camera.
    pub enum FacadeMode: u32 {
        CylindricalY = 0 "CYLINDRICAL_Y", SphericalY = 1 "SPHERICAL_Y", CylindricalX = 2 "CYLINDRICAL_X",
            CylindricalZ = 3 "CYLINDRICAL_Z",
    }
}
/// Flags of a model in MW, PM and CS. One bit has another meaning and name in CS: `BAND_FOG`, a
/// second fog that depends on height.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelFlags {
    bits: u32,
    crimson: bool,
}

/// The names of [`ModelFlags`]. If a bit has two names, the first is that of MW and PM.
const MODEL_FLAGS: [(&str, u64); 10] = [
    ("LIGHTING", 0x1),
    ("FOG", 0x2),
    ("TEXTURE_REGISTERED", 0x4),
    ("BAND_FOG", 0x4),
    ("MORPH", 0x8),
    ("TEXTURE_SCROLL", 0x10),
    ("CLOUDS", 0x20),
    ("FACADE_CENTROID", 0x40),
    ("HARDWARE_RENDER", 0x80),
    ("HAS_POLYGONS", 0x100),
];

impl ModelFlags {
    /// PM: set on models of the default type with polygons.
    pub const HARDWARE_RENDER: u32 = 0x80;
    /// CS: set on models with polygons.
    pub const HAS_POLYGONS: u32 = 0x100;
    /// The textures of the model move.
    pub const TEXTURE_SCROLL: u32 = 0x10;
    /// The model has morphs.
    const MORPH: u32 = 0x8;
    /// Flags that depend on the single model and are not copied to others: morphs, scrolling
    /// textures, clouds, the centre of a facade.
    const OWN: u32 = 0x78;

    /// True if all these bits are set.
    pub fn has(self, bits: u32) -> bool {
        self.bits & bits == bits
    }

    fn names(self) -> Vec<(&'static str, u64)> {
        let other = if self.crimson {
            "TEXTURE_REGISTERED"
        } else {
            "BAND_FOG"
        };
        MODEL_FLAGS
            .into_iter()
            .filter(|(name, _)| *name != other)
            .collect()
    }
}

impl PartialEq for ModelFlags {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl Plain for ModelFlags {
    const SIZE: usize = 4;
    const KIND: Notation = Notation::Word;
    fn get(bytes: &[u8]) -> Self {
        ModelFlags {
            bits: u32::get(bytes),
            crimson: false,
        }
    }
    fn put(&self, bytes: &mut [u8]) {
        self.bits.put(bytes);
    }
}

impl Serialize for ModelFlags {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        flag_names(self.bits.into(), &self.names(), s)
    }
}

impl<'de> Deserialize<'de> for ModelFlags {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let bits = flag_bits(d, &MODEL_FLAGS)?;
        let bits = u32::try_from(bits)
            .map_err(|_| serde::de::Error::custom(format!("flags {bits:#x} do not fit 32 bits")))?;
        Ok(ModelFlags {
            bits,
            crimson: false,
        })
    }
}

refit_base::schema_form!(ModelFlags: "ModelFlags", |_| schemars::json_schema!({ "type": "array", "items": { "anyOf": [
    { "type": "string", "enum": MODEL_FLAGS.map(|(name, _)| name) },
    { "description": "Bits without a name.", "type": "string", "pattern": "^0x[0-9a-fA-F]+$" },
] } }));

refit_base::flags! {
    /// Flags of a model in RC.
    pub struct RecoilModelFlags: u32 {
        LIGHTING = 0x1 "LIGHTING", FOG = 0x2 "FOG", TEXTURE_REGISTERED = 0x4 "TEXTURE_REGISTERED", MORPH = 0x8 "MORPH",
        FACADE_SPHERICAL = 0x10 "FACADE_SPHERICAL", TEXTURE_SCROLL = 0x20 "TEXTURE_SCROLL",
    }
}
refit_base::flags! {
    /// Flags of a point light.
    pub struct PointLightFlags: u16 {
        TRANSLATION_ABS = 0x1 "TRANSLATION_ABS", TRANSLATION = 0x2 "TRANSLATION", ROTATION = 0x4 "ROTATION",
            RANGE = 0x8 "RANGE",
        COLOR = 0x10 "COLOR", AMBIENT = 0x20 "AMBIENT", DIFFUSE = 0x40 "DIFFUSE", DIRECTIONAL = 0x80 "DIRECTIONAL",
        SATURATED = 0x100 "SATURATED", SUBDIVIDE = 0x200 "SUBDIVIDE", STATIC = 0x400 "STATIC",
    }
}
refit_base::flags! {
    /// Flags of a polygon, in one numbering for all games. `NO_CLUTTER`: nothing small is strewn on
    /// it (CS; the same bit in PM). NORMALS is not among them: it follows from the normals.
    pub struct PolygonFlags: u32 {
        SHOW_BACKFACE = 0x1 "SHOW_BACKFACE", TRI_STRIP = 0x4 "TRI_STRIP", NO_CLUTTER = 0x8 "NO_CLUTTER",
            IN_OUT = 0x10 "IN_OUT",
    }
}

/// The flag of polygons with normals, as numbered in [`PolygonFlags`].
const NORMALS: u32 = 0x2;

refit_base::record! {
    /// A point light: vertices of a model that shine. The names of its fields are guesses.
    pub struct PointLight [Rc 76, Mw 76, Pm 76, Cs 76] {
        /// Unknown; 0 or 1.
        unk00: i32,
        /// Unknown; 0 to 2.
        unk04: i32,
        /// Likely the scale of what is drawn at each point: CS has 0, 1, 2, 5.
        unk08: F32,
        mut vertex_count: i32,
        /// Unknown; 0 in known files.
        zero16~: i32 = |_| 0,
        /// Unknown; 0 in known files.
        zero20~: i32 = |_| 0,
        /// Unknown: probably an address of the process that wrote the file.
        unk24: Hex<u32>,
        /// Red, green, blue, 0.0 to 255.0.
        color: [F32; 3],
        /// The colour in 16 bits, which the engine computes; 0 in known files.
        rgb~: u16 = |_| 0,
        /// Properties of the light. The names are those of lights in animations, and uncertain
        /// here.
        flags: PointLightFlags,
        /// Address of its vertices in the process that wrote the file. Absent for 1.
        vertices_ptr^: Ptr = |_| PTR,
        /// Unknown; 0.0 to 2000.0.
        unk48: F32,
        /// Unknown; 0.0 to 3500.0.
        unk52: F32,
        /// Unknown; 0.0 to 5.1.
        unk56: F32,
        /// Unknown; 0 or 1.
        unk60: i32,
        /// Likely the largest size on the screen in pixels: CS has 30.
        unk64: F32,
        /// Unknown; 0.0 to 4000.0.
        unk68: F32,
        /// Unknown; 0.0 to 10000.0.
        unk72: F32,
    } below {
        /// Position, in the model's space: x, y, z in the units of the world.
        vertices: Vec<Vec3>,
    }
}

refit_base::record! {
    /// How often a model's polygons use a material. PM and CS.
    pub struct MaterialRef [Pm 12, Cs 12] {
        /// Position of the material.
        material: u32,
        /// Polygons that use it.
        uses: u32,
        /// Address of the first of them in the process that wrote the file; 0 in mechlib.
        polygon_ptr: Ptr,
    }
}

/// A list with an item per corner of a polygon: usually three or four, which fit without
/// allocation.
pub type Few<T> = SmallVec<[T; 4]>;

refit_base::record! {
    /// An additional material on a polygon. PM and CS.
    pub struct Layer {
        /// Position of its material in the list of materials, from 0.
        material: u32,
        /// Texture coordinates of each corner: u, v, from 0.0 to 1.0 across the texture, which
        /// repeats beyond.
        uvs?: Few<[F32; 2]>,
    }
}

refit_base::record! {
    /// A polygon: its corners in order, and their appearance.
    pub struct Polygon [Rc 28, Mw 36, Pm 40, Cs 40] {
        /// Position of its material. Absent only if a polygon of PM or CS has none.
        material?: u32 in material,
        /// SHOW_BACKFACE, TRI_STRIP, …
        flags!: PolygonFlags in word,
        /// Draw order, usually −50 to 50.
        priority! @4: i32,
        /// Zones in which it is drawn. Absent for everywhere.
        zones^ @[Rc 24, Mw 32, _ 36]: ZoneSet = |_| ZoneSet::NONE,
        /// Position of each corner's vertex.
        vertices: Few<u32> in below,
        /// Position of each corner's normal.
        normals?: Few<u32> in below,
        /// Texture coordinates of each corner: u, v, from 0.0 to 1.0 across the texture, which
        /// repeats beyond.
        uvs?: Few<[F32; 2]> in below,
        /// Colour of each corner: red, green, blue, 0.0 to 255.0. White while absent.
        [Mw Pm Cs] colors?: Few<[F32; 3]> in below,
        /// Additional materials, each with its own texture coordinates.
        [Pm Cs] layers*: Layer in below,
        /// The flag for normals, if it disagrees with them.
        normals_flag~: bool in word,
        /// Stale addresses.
        pointers^: Pointers in vertices_ptr,
        /// Number of corners, and flags above it.
        word @0: part Word,
        /// Address in the process that wrote the file; not 0.
        vertices_ptr @8: part Address<0>,
        /// The same; 0 without normals.
        normals_ptr: part Address<1>,
        /// Materials of the polygon, usually 1. Their positions follow it.
        [Pm Cs] let material_count: u32 try |p| fit(p.material_count(), "the number of materials"),
        /// Address in the process that wrote the file.
        [Pm Cs] materials_ptr: part Address<5>,
        /// The same; 0 without texture coordinates.
        uvs_ptr: part Address<2>,
        /// The same; not 0.
        [Mw Pm Cs] colors_ptr: part Address<3>,
        /// The same; not 0.
        [Mw Pm Cs] refs_ptr: part Address<4>,
        /// Position of the material.
        [Rc Mw] material: part OneMaterial,
    }
}

/// The word of a polygon with its corner count and flags.
pub struct Word;

impl FieldGroup<Polygon> for Word {
    const SIZE: usize = u32::SIZE;
    fn load(p: &mut Polygon, bytes: &[u8], _: u32, game: Game, (): &()) {
        let flags = flags_of(u32::get(bytes), game);
        p.flags = PolygonFlags(flags & !NORMALS);
        p.normals_flag = Derived(Some(flags & NORMALS != 0));
    }
    fn store(p: &Polygon, bytes: &mut [u8], game: Game, (): &()) -> Result<()> {
        let normals = if p.normals_flag.or(p.normals.is_some()) {
            NORMALS
        } else {
            0
        };
        word_of(p.vertices.len(), p.flags.0 | normals, game)?.put(bytes);
        Ok(())
    }
    fn describe(_: &Polygon, word: &mut Describe<'_>, _: Game, (): &()) {
        word.note(0, u32::SIZE, "flags", Notation::Word, Role::Value, None);
    }
}

/// One of a polygon's stale addresses, by its position in `pointers`.
pub struct Address<const I: usize>;

impl<const I: usize> FieldGroup<Polygon> for Address<I> {
    const SIZE: usize = u32::SIZE;
    fn load(p: &mut Polygon, bytes: &[u8], _: u32, _: Game, (): &()) {
        p.pointers.0.get_or_insert_default().0[I] = u32::get(bytes);
    }
    fn store(p: &Polygon, bytes: &mut [u8], game: Game, (): &()) -> Result<()> {
        p.stored_pointers(game).0[I].put(bytes);
        Ok(())
    }
    fn describe(p: &Polygon, word: &mut Describe<'_>, _: Game, (): &()) {
        const OF: [&str; 6] = [
            "vertices",
            "normals",
            "uvs",
            "colors",
            "material_refs",
            "materials",
        ];
        word.note(
            0,
            u32::SIZE,
            "pointers",
            Notation::Word,
            word.odd(p.pointers.is_none()),
            Some(format!("of {}", OF[I])),
        );
    }
}

/// The position of a polygon's material, if it has one.
pub struct OneMaterial;

impl FieldGroup<Polygon> for OneMaterial {
    const SIZE: usize = u32::SIZE;
    fn load(p: &mut Polygon, bytes: &[u8], _: u32, _: Game, (): &()) {
        p.material = Some(u32::get(bytes));
    }
    fn store(p: &Polygon, bytes: &mut [u8], _: Game, (): &()) -> Result<()> {
        p.material
            .ok_or_else(|| Error::say("a polygon of this game needs a material"))?
            .put(bytes);
        Ok(())
    }
    fn describe(_: &Polygon, word: &mut Describe<'_>, _: Game, (): &()) {
        word.note(0, u32::SIZE, "material", u32::KIND, Role::Value, None);
    }
}

const WHITE: [F32; 3] = [F32::from_bits(0x437f_0000); 3];

/// Number of bits for the corner count in a polygon's first word.
fn count_bits(game: Game) -> u32 {
    if matches!(game.itself(), Game::Rc | Game::Mw) {
        8
    } else {
        10
    }
}

/// The flags of a polygon's first word in the common numbering. RC and MW: backface, normals,
/// strip; PM and CS: backface, no clutter, normals, strip, in/out.
fn flags_of(word: u32, game: Game) -> u32 {
    let bits = word >> count_bits(game);
    match game.itself() {
        Game::Rc | Game::Mw => bits & 7 | (bits & !7) << 2,
        _ => bits & !0x1e | (bits & 0x2) << 2 | (bits & 0x4) >> 1 | (bits & 0x8) >> 1 | bits & 0x10,
    }
}

/// The first word, from the corner count and the flags in the common numbering.
fn word_of(corners: usize, flags: u32, game: Game) -> Result<u32> {
    let most = (1 << count_bits(game)) - 1;
    if corners > most {
        return Err(Error::say(format!(
            "{corners} corners; a polygon of this game has at most {most}"
        )));
    }
    let bits = match game.itself() {
        Game::Rc | Game::Mw if flags & 0x18 != 0 => {
            return Err(Error::say(
                "NO_CLUTTER and IN_OUT do not exist in this game",
            ));
        }
        Game::Rc | Game::Mw => flags & 7 | (flags >> 2) & !7,
        _ => {
            flags & !0x1e
                | (flags & 0x8) >> 2
                | (flags & 0x2) << 1
                | (flags & 0x4) << 1
                | flags & 0x10
        }
    };
    if u64::from(bits) << count_bits(game) > u64::from(u32::MAX) {
        return Err(Error::say(format!(
            "the flags {flags:#x} do not fit the word"
        )));
    }
    Ok(bits << count_bits(game) | corners as u32)
}

impl Polygon {
    /// Number of materials of a polygon of PM or CS.
    fn material_count(&self) -> usize {
        if self.material.is_some() {
            1 + self.layers.len()
        } else {
            0
        }
    }

    fn pointer_rule(&self, game: Game) -> Pointers {
        let p = |there: bool| ptr_if(there).0;
        let tail = game.itself() != Game::Rc;
        let many = matches!(game, Game::Pm | Game::Cs);
        Pointers([
            PTR.0,
            p(self.normals.is_some()),
            p(self.uvs.is_some()),
            p(tail),
            p(tail),
            p(many),
        ])
    }

    /// The addresses to write. Whether an address is null depends on the polygon's lists, not on
    /// the tree's address: readers decide by it which lists follow.
    fn stored_pointers(&self, game: Game) -> Pointers {
        let [vertices, n, u, colors, refs, materials] = self.pointers.or(self.pointer_rule(game)).0;
        let framing = |stored: u32, there: bool| match (stored, there) {
            (0, true) => PTR.0,
            (_, false) => 0,
            (p, true) => p,
        };
        // Without a material the UV pointer announces nothing and may have any value.
        let free = matches!(game, Game::Pm | Game::Cs) && self.material_count() == 0;
        let uvs = if free {
            u
        } else {
            framing(u, self.uvs.is_some())
        };
        Pointers([
            vertices,
            framing(n, self.normals.is_some()),
            uvs,
            colors,
            refs,
            materials,
        ])
    }

    /// Reads a polygon: its record from `heads`, the lists that the record announces from `r`.
    fn load(heads: &mut Reader<'_>, r: &mut Reader<'_>) -> Result<Self> {
        let (at, head) = (heads.offset(), heads.take(Polygon::size(r.game))?);
        let mut polygon = <Polygon as Record>::load(head, r.game, &());
        let done = polygon.load_data(head, r);
        if let Some(trace) = r.trace() {
            polygon.describe(head, at, r.game, &(), trace);
        }
        done.map(|()| polygon)
    }

    fn load_data(&mut self, head: &[u8], r: &mut Reader<'_>) -> Result<()> {
        let game = r.game;
        let word = u32::get(head.within(Polygon::place_word(game)));
        let corners = u64::from(word & ((1 << count_bits(game)) - 1));
        let Pointers([_, normals, uvs, ..]) = self.pointers.0.unwrap_or_default();
        self.vertices = r.few(corners, "vertices")?;
        if normals != 0 {
            self.normals = Some(r.few(corners, "normals")?);
        }
        if matches!(game, Game::Pm | Game::Cs) {
            let materials: Few<u32> =
                r.few(Polygon::peek_material_count(head, game).into(), "material")?;
            for (i, material) in materials.into_iter().enumerate() {
                let name = if i == 0 { "uvs" } else { "layers.uvs" };
                let uvs = if uvs != 0 {
                    Some(r.few(corners, name)?)
                } else {
                    None
                };
                if i == 0 {
                    (self.material, self.uvs) = (Some(material), uvs);
                } else {
                    self.layers.push(Layer { material, uvs });
                }
            }
        } else if uvs != 0 {
            self.uvs = Some(r.few(corners, "uvs")?);
        }
        if game.itself() != Game::Rc {
            self.colors = Some(r.few(corners, "colors")?)
                .filter(|c: &Few<[F32; 3]>| c.iter().any(|c| *c != WHITE));
        }
        self.normals_flag.settle(self.normals.is_some());
        self.pointers.settle(self.pointer_rule(game));
        Ok(())
    }

    /// Bytes of the lists that a record announces: see `load_data`.
    fn data_size(head: &[u8], game: Game) -> u64 {
        let word = |place| u32::get(head.within(place));
        let corners = u64::from(word(Polygon::place_word(game)) & ((1 << count_bits(game)) - 1));
        let (normals, uvs) = (
            word(Polygon::place_normals_ptr(game)),
            word(Polygon::place_uvs_ptr(game)),
        );
        let many = matches!(game, Game::Pm | Game::Cs);
        let materials = if many {
            u64::from(Polygon::peek_material_count(head, game))
        } else {
            1
        };
        let mut corner = 4 + if normals != 0 { 4 } else { 0 };
        corner += if uvs != 0 { 8 * materials } else { 0 };
        corner += if game.itself() != Game::Rc { 12 } else { 0 };
        corner * corners + if many { 4 * materials } else { 0 }
    }

    /// Rejects what no game can store, or what would be read back differently.
    fn check(&self, game: Game) -> Result<()> {
        let many = matches!(game, Game::Pm | Game::Cs);
        if many && self.material.is_none() && !self.layers.is_empty() {
            return Err(
                Error::say("a polygon with layers needs a material below them").within("layers"),
            );
        }
        let corners = self.vertices.len();
        let same = |n: Option<usize>, what: &str| match n {
            Some(n) if n != corners => {
                Err(Error::say(format!("{n} entries for {corners} corners")).within(what))
            }
            _ => Ok(()),
        };
        same(self.normals.as_ref().map(SmallVec::len), "normals")?;
        same(self.uvs.as_ref().map(SmallVec::len), "uvs")?;
        same(self.colors.as_ref().map(SmallVec::len), "colors")?;
        for layer in &self.layers {
            same(layer.uvs.as_ref().map(SmallVec::len), "layers.uvs")?;
            if layer.uvs.is_some() != self.uvs.is_some() {
                return Err(
                    Error::say("either all materials of a polygon have UVs or none")
                        .within("layers"),
                );
            }
        }
        if self.flags.0 & NORMALS != 0 {
            return Err(Error::say("the flag 0x2 follows from the normals").within("flags"));
        }
        if many && self.material.is_none() && self.uvs.is_some() {
            return Err(Error::say("UVs without a material").within("uvs"));
        }
        Ok(())
    }

    fn save(&self, w: &mut Writer) {
        let game = w.game;
        w.plains(&self.vertices);
        if let Some(normals) = &self.normals {
            w.plains(normals);
        }
        if matches!(game, Game::Pm | Game::Cs) {
            for material in self
                .material
                .iter()
                .chain(self.layers.iter().map(|l| &l.material))
            {
                w.u32(*material);
            }
        }
        for uvs in self
            .uvs
            .iter()
            .chain(self.layers.iter().filter_map(|l| l.uvs.as_ref()))
        {
            w.plains(uvs);
        }
        match &self.colors {
            Some(colors) => w.plains(colors),
            None if game.itself() == Game::Rc => {}
            None => (0..self.vertices.len()).for_each(|_| w.put(&WHITE)),
        }
    }
}

/// A line or two for readers of a tree; `repack` ignores it.
pub type Note = Option<String>;

refit_base::record! {
    /// A model.
    #[derive(Default)]
    pub struct Model [Rc 84, Mw 92, Pm 100, Cs 100] above {
        /// Who uses it. Ignored by repack.
        note!: Note,
    } {
        /// How it is drawn.
        model_type^: ModelType = |_| ModelType::Default,
        /// How a facade rotates towards the camera.
        [Mw Pm Cs] facade_mode^: FacadeMode = |_| FacadeMode::CylindricalY,
        /// Contents and drawing properties of the model, in Recoil's numbering.
        [Rc] recoil_flags: RecoilModelFlags,
        /// Contents and drawing properties of the model.
        [Mw Pm Cs] flags: ModelFlags,
        mut parent_count: u32,
        mut polygon_count: u32,
        mut vertex_count: u32,
        mut normal_count: u32,
        mut morph_count: u32,
        mut light_count: u32,
        /// How far it is morphed, 0.0 to 1.0.
        morph_factor~: F32 = |_| F32::from(0.0),
        /// How fast its textures scroll: u, v, where 1.0 is the whole texture; the unit of time is
        /// not known. Used with the flag TEXTURE_SCROLL.
        texture_scroll^: [F32; 2] = |_| [F32::from(0.0); 2],
        /// The frame in which its textures last scrolled.
        texture_scroll_frame~: u32 = |_| 0,
        /// Address in the process that wrote the file. Absent for 1 with polygons and for 0
        /// without.
        polygons_ptr^: Ptr = |m| ptr_if(m.polygon_count != 0),
        /// Address in the process that wrote the file. Absent for 1 with vertices and for 0
        /// without.
        vertices_ptr^: Ptr = |m| ptr_if(m.vertex_count != 0),
        /// Address in the process that wrote the file. Absent for 1 with normals and for 0 without.
        normals_ptr^: Ptr = |m| ptr_if(m.normal_count != 0),
        /// Address in the process that wrote the file. Absent for 1 with lights and for 0 without.
        lights_ptr^: Ptr = |m| ptr_if(m.light_count != 0),
        /// Address in the process that wrote the file. Absent for 1 with morphs and for 0 without.
        morphs_ptr^: Ptr = |m| ptr_if(m.morph_count != 0),
        /// Centre of the bounding sphere: x, y, z in the units of the world.
        bbox_mid: Vec3,
        /// Radius of the bounding sphere, in the units of the world.
        bbox_diag: F32,
        /// The polygon that was drawn last; 0 in known files.
        [Mw Pm Cs] active_polygon~: u32 = |_| 0,
        [Pm Cs] mut ref_count: u32,
        /// Address in the process that wrote the file. Absent for 1 with material references and
        /// for 0 without.
        [Pm Cs] refs_ptr^: Ptr = |m| ptr_if(m.ref_count.0.unwrap_or_default() != 0),
    } below {
        /// How many nodes use it, if it does not follow from the nodes.
        uses~: u32,
        /// The word after the slot, if it is not the position of the model's data.
        link~: Hex<u32>,
        /// Its vertices: x, y (up), z in the units of the world, from the node that shows it.
        vertices*: Vec3,
        /// Normals that corners of polygons refer to: x, y (up), z.
        normals*: Vec3,
        /// Positions of its vertices when fully morphed: x, y (up), z in the units of the world.
        morphs*: Vec3,
        /// Its polygons, in the order in which they are stored.
        polygons*: Polygon,
        /// Point lights on it.
        lights*: PointLight,
        /// PM and CS: how often each material is used, if it does not follow from the polygons.
        material_refs~: Vec<MaterialRef>,
    }
}
refit_base::document!(Model, "gamez-model");

/// What the rules of a model depend on in the rest of the file.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Whether each material has a texture cycle.
    pub cycled: &'a [bool],
    /// True in a mechlib, whose material references have no address.
    pub mechlib: bool,
    /// How many nodes use the model: the default use count.
    pub uses: u32,
}

impl Model {
    /// The model that a value of a document describes. Here, so that its parser is compiled once.
    ///
    /// # Errors
    /// If the value does not fit.
    pub fn of_value(value: &serde_json::Value) -> Result<Self> {
        refit_base::tree::text::from_value(value)
    }

    /// Reads the record of a slot.
    pub(crate) fn load_head(r: &mut Reader<'_>) -> Result<Self> {
        let mut model = Model::read(r)?;
        if let Some(flags) = &mut model.flags.0 {
            flags.crimson = r.game == Game::Cs;
        }
        Ok(model)
    }

    /// Reads the data that the counts of the record announce.
    pub(crate) fn load_data(
        &mut self,
        r: &mut Reader<'_>,
        around: &Surroundings<'_>,
    ) -> Result<()> {
        self.vertices = r.plains(self.vertex_count.into(), "vertices")?;
        self.normals = r.plains(self.normal_count.into(), "normals")?;
        self.morphs = r.plains(self.morph_count.into(), "morphs")?;
        self.lights = r.list(self.light_count as usize, "lights")?;
        r.within("lights", |r| {
            for (i, light) in self.lights.iter_mut().enumerate() {
                let count = light.vertex_count;
                light.vertices = r.item(i, |r| {
                    r.plains(
                        u64::try_from(count).map_err(|_| r.error(format!("{count} vertices")))?,
                        "vertices",
                    )
                })?;
            }
            Ok(())
        })?;
        // Records first, to detect an excessive count before allocating.
        let size = Polygon::size(r.game) as u64;
        let at = r.offset();
        let heads = r
            .take_many(self.polygon_count.into(), size)
            .map_err(|e| e.within("polygons"))?;
        let mut heads = r.inner(heads, at);
        self.polygons = r.within("polygons", |r| {
            let mut polygons = Vec::with_capacity(heads.left() / size.max(1) as usize);
            while !heads.is_empty() {
                polygons.push(r.item(polygons.len(), |r| Polygon::load(&mut heads, r))?);
            }
            Ok(polygons)
        })?;
        if let Some(n) = self.ref_count.0 {
            let refs: Vec<MaterialRef> = r.list(n as usize, "material_refs")?;
            self.material_refs = Derived::of(refs, self.ref_rule(around));
        }
        self.uses = Derived::of(self.parent_count, around.uses);
        Ok(())
    }

    /// Moves past the data, which need not be in memory as lists. `None` where [`Model::load_data`]
    /// returns an error.
    pub(crate) fn skip_data(&self, r: &mut Reader<'_>) -> Option<()> {
        let game = r.game;
        let (light, polygon) = (PointLight::size(game), Polygon::size(game));
        for n in [self.vertex_count, self.normal_count, self.morph_count] {
            r.take_many(n.into(), Vec3::SIZE as u64).ok()?;
        }
        for light in r
            .take_many(self.light_count.into(), light as u64)
            .ok()?
            .chunks_exact(light)
        {
            let vertices = PointLight::peek_vertex_count(light, game);
            r.take_many(vertices.try_into().ok()?, Vec3::SIZE as u64)
                .ok()?;
        }
        for head in r
            .take_many(self.polygon_count.into(), polygon as u64)
            .ok()?
            .chunks_exact(polygon)
        {
            r.take_many(Polygon::data_size(head, game), 1).ok()?;
        }
        let refs = self.ref_count.0.unwrap_or_default();
        r.take_many(refs.into(), MaterialRef::size(game) as u64)
            .ok()
            .map(drop)
    }

    /// The material references that the polygons imply (FORMAT.md): one for each use of a material
    /// with a texture cycle, then the other materials by first use. Only a polygon's first material
    /// counts.
    fn ref_rule(&self, around: &Surroundings<'_>) -> Vec<MaterialRef> {
        let base = self.polygons_ptr.or(ptr_if(!self.polygons.is_empty())).0;
        let mut cycled = Vec::new();
        let mut plain: Vec<MaterialRef> = Vec::new();
        // Most models use a handful of materials: for those it is faster than a hash map.
        let mut known: BTreeMap<u32, usize> = BTreeMap::new();
        for (i, polygon) in (0u32..).zip(&self.polygons) {
            let Some(material) = polygon.material else {
                continue;
            };
            let polygon_ptr = if around.mechlib {
                Hex(0)
            } else {
                Hex(base.wrapping_add(i.wrapping_mul(40)))
            };
            let entry = MaterialRef {
                material,
                uses: 1,
                polygon_ptr,
            };
            if !around.mechlib && around.cycled.get(material as usize) == Some(&true) {
                cycled.push(entry);
                continue;
            }
            let at = *known.entry(material).or_insert(plain.len());
            match plain.get_mut(at) {
                Some(known) => known.uses += 1,
                None => plain.push(entry),
            }
        }
        cycled.append(&mut plain);
        cycled
    }

    /// Writes the record of the slot to `head`, and returns the data that the slot points to.
    pub(crate) fn save(&self, head: &mut Writer, around: &Surroundings<'_>) -> Result<Vec<u8>> {
        let game = head.game;
        let mut record = self.bare();
        record.parent_count = self.uses.or(around.uses);
        record.vertex_count = fit(self.vertices.len(), "the number of vertices")?;
        record.normal_count = fit(self.normals.len(), "the number of normals")?;
        record.morph_count = fit(self.morphs.len(), "the number of morphs")?;
        record.light_count = fit(self.lights.len(), "the number of lights")?;
        record.polygon_count = fit(self.polygons.len(), "the number of polygons")?;
        let refs = match (game, &self.material_refs.0) {
            (Game::Pm | Game::Cs, stored) => {
                stored.clone().unwrap_or_else(|| self.ref_rule(around))
            }
            (_, None) => Vec::new(),
            _ => {
                return Err(
                    Error::say("models of this game have no material references")
                        .within("material_refs"),
                );
            }
        };
        if matches!(game, Game::Pm | Game::Cs) {
            record.ref_count = InGame(Some(fit(refs.len(), "the number of material references")?));
        }
        match game.itself() {
            Game::Rc => {
                record.recoil_flags = InGame(Some(record.recoil_flags.0.unwrap_or_default()))
            }
            _ => record.flags = InGame(Some(record.flags.0.unwrap_or_default())),
        }
        record.write(head)?;

        // Capacity for polygons of four corners; the buffer grows if there are more.
        let points = self.vertices.len() + self.normals.len() + self.morphs.len();
        let mut w = Writer::with_capacity(game, 12 * points + 128 * self.polygons.len());
        w.plains(&self.vertices);
        w.plains(&self.normals);
        w.plains(&self.morphs);
        for (i, light) in self.lights.iter().enumerate() {
            let mut record = light.bare();
            record.vertex_count = fit(light.vertices.len(), "the number of vertices")?;
            record
                .write(&mut w)
                .map_err(|e| e.within(format!("[{i}]")).within("lights"))?;
        }
        for light in &self.lights {
            w.plains(&light.vertices);
        }
        for (i, polygon) in self.polygons.iter().enumerate() {
            let step = |e: Error| e.within(format!("[{i}]")).within("polygons");
            polygon
                .check(game)
                .and_then(|()| polygon.write(&mut w))
                .map_err(step)?;
        }
        for polygon in &self.polygons {
            polygon.save(&mut w);
        }
        w.list(&refs, "material_refs")?;
        Ok(w.bytes)
    }

    /// True for a facade that turns in all directions.
    pub(super) fn is_spherical(&self, game: Game) -> bool {
        match game.itself() {
            Game::Rc => self
                .recoil_flags
                .0
                .is_some_and(|f| f.has(RecoilModelFlags::FACADE_SPHERICAL)),
            _ => self.facade_mode.or(FacadeMode::CylindricalY) == FacadeMode::SphericalY,
        }
    }

    /// Updates the flag that the model has polygons, in the games that have it.
    pub fn say_polygons(&mut self, game: Game, polygons: bool) {
        let bit = match game {
            Game::Pm if self.model_type.or(ModelType::Default) == ModelType::Default => {
                ModelFlags::HARDWARE_RENDER
            }
            Game::Cs => ModelFlags::HAS_POLYGONS,
            _ => return,
        };
        let flags = self.flags.0.get_or_insert_default();
        flags.bits = flags.bits & !bit | if polygons { bit } else { 0 };
    }

    /// Clears the morph flag; true if it was set.
    pub fn drop_morph(&mut self) -> bool {
        let had = self.flags.0.is_some_and(|f| f.has(ModelFlags::MORPH))
            || self
                .recoil_flags
                .0
                .is_some_and(|f| f.has(RecoilModelFlags::MORPH));
        self.flags.0 = self.flags.0.map(|f| ModelFlags {
            bits: f.bits & !ModelFlags::MORPH,
            ..f
        });
        self.recoil_flags.0 = self
            .recoil_flags
            .0
            .map(|f| f.with(RecoilModelFlags::MORPH, false));
        had
    }

    /// Takes the flags of another model, except those that concern only that model.
    pub fn draw_as(&mut self, like: &Model) {
        let own = [
            RecoilModelFlags::MORPH,
            RecoilModelFlags::FACADE_SPHERICAL,
            RecoilModelFlags::TEXTURE_SCROLL,
        ];
        self.flags.0 = like.flags.0.map(|f| ModelFlags {
            bits: f.bits & !ModelFlags::OWN,
            ..f
        });
        self.recoil_flags.0 = like
            .recoil_flags
            .0
            .map(|f| own.into_iter().fold(f, |f, bit| f.with(bit, false)));
    }

    /// True for models with the same content: they may differ by stale addresses, and by how often
    /// they are used.
    pub(crate) fn is_like(&self, other: &Model) -> bool {
        self.content() == other.content()
    }

    fn content(&self) -> Model {
        let mut model = Model {
            note: None,
            parent_count: 0,
            uses: Derived(None),
            link: Derived(None),
            polygons_ptr: Defaulted(None),
            vertices_ptr: Defaulted(None),
            normals_ptr: Defaulted(None),
            lights_ptr: Defaulted(None),
            morphs_ptr: Defaulted(None),
            refs_ptr: Defaulted(None),
            ..self.clone()
        };
        model
            .polygons
            .iter_mut()
            .for_each(|polygon| polygon.pointers = Defaulted(None));
        model
            .lights
            .iter_mut()
            .for_each(|light| light.vertices_ptr = Defaulted(None));
        model
    }

    /// The positions of the materials that the polygons use, ascending.
    pub fn materials(&self) -> Vec<u32> {
        let all = self.polygons.iter().flat_map(|p| {
            p.material
                .into_iter()
                .chain(p.layers.iter().map(|l| l.material))
        });
        let mut out: Vec<u32> = all.collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Two texture coordinates.
pub type Uv = [F32; 2];

const _: () = assert!(<Uv as Plain>::SIZE == 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn materials_are_counted_by_first_use_however_many_there_are() {
        // Each material appears again after all of them have appeared.
        for materials in [1u32, 16, 17, 18, 100] {
            let mut model =
                Model::read(&mut Reader::new(&vec![0; Model::size(Game::Pm)], Game::Pm)).unwrap();
            let order: Vec<u32> = (0..materials)
                .chain((0..materials).rev())
                .chain([materials / 2])
                .map(|m| m * 7 % 101)
                .collect();
            let polygon = |m: &u32| {
                serde_json::from_value(serde_json::json!({ "material": m, "vertices": [0, 1, 2] }))
                    .unwrap()
            };
            model.polygons = order.iter().map(polygon).collect();
            let mut expected: Vec<MaterialRef> = Vec::new();
            for material in order {
                match expected.iter_mut().find(|known| known.material == material) {
                    Some(known) => known.uses += 1,
                    None => expected.push(MaterialRef {
                        material,
                        uses: 1,
                        polygon_ptr: Hex(0),
                    }),
                }
            }
            assert_eq!(expected.len(), materials as usize);
            assert_eq!(
                model.ref_rule(&Surroundings {
                    cycled: &[],
                    mechlib: true,
                    uses: 1
                }),
                expected
            );
        }
    }
}
