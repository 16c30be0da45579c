//! The data of the node classes, but for the world (gamez.md, section 7; crimson-skies.md, 5.4).

use super::types::{Link, Ptr, ZoneSet, ptr_if, rule};
use crate::{
    game::Game,
    wire::{Error, F32, Hex, Odd, Only, Raw, Reader, Result, Usual, Vec3, Wire, Writer, fit},
};

/// Zero as a field.
pub const ZERO: F32 = F32::from_bits(0);
/// One as a field.
pub const ONE: F32 = F32::from_bits(0x3f80_0000);

crate::record! {
    /// A camera. The engine derives most of it while it runs, so a file shows what its last setter left.
    pub struct Camera [Rc 488, Mw 488, Pm 488, Cs 488] {
        world: Link,
        window: Link,
        horizon_node: Usual<Link> = |_| Link::to(-1),
        horizon_node_xz: Usual<Link> = |_| Link::to(-1),
        flags: Odd<Hex<u32>> = |_| Hex(0),
        translation: Usual<Vec3> = |_| [ZERO; 3],
        rotation: Usual<Vec3> = |_| [ZERO; 3],
        world_translation: Usual<Vec3> = |_| [ZERO; 3],
        world_rotation: Usual<Vec3> = |_| [ZERO; 3],
        ancestor_matrix: Odd<[F32; 12]> = |_| [ZERO; 12],
        view_vector: Odd<Vec3> = |_| [ZERO; 3],
        translation_matrix: Odd<[F32; 12]> = |_| [ZERO; 12],
        clip_near: F32,
        clip_far: F32,
        near_in_world: Odd<Vec3> = |_| [ZERO; 3],
        far_in_world: Odd<Vec3> = |_| [ZERO; 3],
        lod_multiplier: F32,
        lod_inverse_square: Odd<F32> = |c| inverse(c.lod_multiplier.get() * c.lod_multiplier.get(), c.game),
        fov_h_scale: F32,
        fov_v_scale: F32,
        /// Radians.
        fov_h_base: F32,
        fov_v_base: F32,
        fov_h_scaled: Odd<F32> = |c| rule(c.fov_h_base.get() * c.fov_h_scale.get()),
        fov_v_scaled: Odd<F32> = |c| rule(c.fov_v_base.get() * c.fov_v_scale.get()),
        fov_h_half: Odd<F32> = |c| half(c.fov_h_scaled, c.fov_h_base, c.fov_h_scale),
        fov_v_half: Odd<F32> = |c| half(c.fov_v_scaled, c.fov_v_base, c.fov_v_scale),
        clip_recalc: Odd<i32> = |_| 1,
        clip_planes: Odd<[F32; 15]> = |_| [ZERO; 15],
        fov_recalc: Odd<i32> = |_| 1,
        local_directions: Odd<[F32; 18]> = |_| [ZERO; 18],
        rotation_recalc: Odd<i32> = |_| 1,
        world_directions: Odd<[F32; 18]> = |_| [ZERO; 18],
        field464: Odd<i32> = |_| 0,
        fov_h_cot: Odd<F32> = |c| cot(c.fov_h_half.or(half(c.fov_h_scaled, c.fov_h_base, c.fov_h_scale)), c.game),
        fov_v_cot: Odd<F32> = |c| cot(c.fov_v_half.or(half(c.fov_v_scaled, c.fov_v_base, c.fov_v_scale)), c.game),
        field476: Odd<i32> = |_| 0,
        zone_set_valid: Odd<i32> = |_| 0,
        zones: Usual<ZoneSet> = |_| ZoneSet::NONE,
    }
}

/// 1 / x; in Crimson Skies, whose cameras are zero throughout, 0 stays 0.
fn inverse(x: f32, game: Game) -> F32 {
    if game == Game::Cs && x == 0.0 { ZERO } else { rule(1.0 / x) }
}

fn half(scaled: Odd<F32>, base: F32, scale: F32) -> F32 {
    rule(scaled.or(rule(base.get() * scale.get())).get() / 2.0)
}

/// The cotangent in f64, rounded once (gamez.md, 9.4), with the portable tangent of `libm`: see [`Object3d::matrix_rule`].
fn cot(half: F32, game: Game) -> F32 {
    if game == Game::Cs && half.get() == 0.0 { ZERO } else { rule((1.0 / libm::tan(half.get().into())) as f32) }
}

crate::record! {
    /// The display.
    pub struct Display [Rc 28, Mw 28, Pm 28, Cs 28] {
        origin: [i32; 2],
        resolution: [i32; 2],
        /// 0.0 to 1.0.
        clear_color: [F32; 3],
    }
}

crate::record! {
    /// A window of the display.
    pub struct Window [Rc 248, Mw 248, Pm 248, Cs 248] {
        origin: [i32; 2],
        resolution: [i32; 2],
        /// Four polygons of four corners and a count.
        clear_polygons: Odd<Raw<208>> = |_| Raw([0; 208]),
        clear_polygon_count: Odd<i32> = |_| 0,
        buffer_index: Odd<i32> = |_| -1,
        surface_ptr: Odd<Ptr> = |_| Hex(0),
        /// Width, height, depth.
        size: Odd<[u32; 3]> = |_| [0; 3],
    }
}

crate::flags! {
    /// How an object stands.
    pub struct ObjectFlags: u32 {
        MATRIX_DIRTY = 0x1 "MATRIX_DIRTY", OPACITY = 0x2 "OPACITY", COLOR = 0x4 "COLOR",
        /// Neither turned, scaled nor moved: the matrix is the identity.
        INITIAL = 0x8 "INITIAL",
        /// The matrix was set directly: angles and scale do not say it.
        MATRIX = 0x10 "MATRIX", ALWAYS = 0x20 "ALWAYS",
    }
}

crate::record! {
    /// An object: where it stands and how it is turned.
    pub struct Object3d [Rc 144, RcDemo 156, Mw 144, Pm 144, Cs 144] {
        flags: ObjectFlags,
        opacity: Usual<F32> = |_| ZERO,
        color: Usual<[F32; 3]> = |_| [ZERO; 3],
        field020: Usual<F32> = |_| ZERO,
        /// Angles about x, y, z in radians.
        rotation: Usual<Vec3> = |_| [ZERO; 3],
        scale: Usual<Vec3> = |_| [ONE; 3],
        /// Demos of Recoil: what it is, is not known.
        [RcDemo] unk48: Usual<Vec3> => |_| [ZERO; 3],
        /// Three rows. Absent while it is the one that flags, rotation and scale give.
        matrix: Usual<[F32; 9]> = |o| o.matrix_rule(),
        translation: Usual<Vec3> = |_| [ZERO; 3],
        world_matrix: Odd<[F32; 12]> = |_| [ZERO; 12],
    }
}

/// Row by row: no rotation, no scale.
const IDENTITY: [F32; 9] = [ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE];

impl Object3d {
    /// The matrix that flags, rotation and scale give (gamez.md, 9.3).
    ///
    /// Sines and cosines come from `libm`, a software implementation in f64 arithmetic, and are rounded once to f32. The
    /// platform's own functions differ between machines, so that a tree unpacked on one would repack differently on another;
    /// `libm` computes the same bits everywhere. Where the program that wrote the file used other last bits, the matrix
    /// itself stands in the tree: nothing is lost either way, and a matrix that is absent follows an edited rotation.
    /// Crimson Skies uses the same rule: its reference advises to store every matrix, which is what happens where it fails.
    pub fn matrix_rule(&self) -> [F32; 9] {
        if self.flags.has(ObjectFlags::INITIAL) {
            return IDENTITY;
        }
        rotation_rows(self.rotation.or([ZERO; 3]), self.scale.or([ONE; 3]))
    }

    /// The matrix as stored.
    pub fn matrix(&self) -> [F32; 9] {
        self.matrix.or(self.matrix_rule())
    }
}

/// The rows of a rotation about z, then x, then y, each scaled (gamez.md, 9.3).
pub fn rotation_rows(angles: Vec3, scale: Vec3) -> [F32; 9] {
    let [rx, ry, rz] = angles.map(|a| f64::from(a.get()));
    let [kx, ky, kz] = scale.map(F32::get);
    let (sx, cx) = (libm::sin(rx) as f32, libm::cos(rx) as f32);
    let (sy, cy) = (libm::sin(ry) as f32, libm::cos(ry) as f32);
    let (sz, cz) = (libm::sin(rz) as f32, libm::cos(rz) as f32);
    let scaled = |value: f32, scale: f32| rule(if scale == 1.0 { value } else { value * scale });
    [
        scaled((sy * sx) * sz + cy * cz, kx),
        scaled(cx * sz, kx),
        scaled((cy * sx) * sz - sy * cz, kx),
        scaled((sy * sx) * cz - cy * sz, ky),
        scaled(cx * cz, ky),
        scaled((cy * sx) * cz + sy * sz, ky),
        scaled(sy * cx, kz),
        scaled(-sx, kz),
        scaled(cy * cx, kz),
    ]
}

fn square(x: F32) -> F32 {
    rule(x.get() * x.get())
}

crate::record! {
    /// A level of detail: its children are drawn in a range of distances.
    pub struct Lod [Rc 80, Mw 80, Pm 92, Cs 92] {
        level: i32,
        /// Metres, squared. Stored as it is: not every value is the square of a float.
        range_near_sq: F32,
        range_far: F32,
        range_far_sq: Odd<F32> = |l| square(l.range_far),
        field16: Odd<[F32; 8]> = |_| [ZERO; 8],
        field48: Odd<i32> = |_| 0,
        field52: Odd<[F32; 2]> = |_| [ZERO; 2],
        field60: Usual<F32> = |_| ZERO,
        /// RC and MW: the square of `field60`.
        field64: Usual<F32> = |l| if matches!(l.game.itself(), Game::Rc | Game::Mw) { square(l.field60.or(ZERO)) } else { ZERO },
        [Rc Mw] field68: Odd<i32> => |_| 1,
        [Pm Cs] field64_sq: Odd<F32> => |l| square(l.field64.or(ZERO)),
        [Rc Mw] field72: Usual<u32> => |_| 0,
        [Rc Mw] field76: Usual<Hex<u32>> => |_| Hex(0),
        [Pm Cs] field72_range: Usual<F32> => |_| ZERO,
        [Pm Cs] field72_sq: Odd<F32> => |l| square(l.field72_range.or(ZERO)),
        [Pm Cs] field80: Odd<i32> => |_| 1,
        [Pm Cs] field84: Odd<F32> => |_| ZERO,
        [Pm Cs] field88: Odd<F32> => |_| ZERO,
    }
}

crate::flags! {
    /// Flags of a light: MW's numbering; in PM and CS `LIGHT_MAP` stands at 0x80 and the bits from there on are one higher.
    pub struct LightFlags: u32 {
        RECALC = 0x1 "RECALC", UNK1 = 0x2 "UNK1", DIRECTIONAL = 0x4 "DIRECTIONAL", DIRECTED_SOURCE = 0x8 "DIRECTED_SOURCE",
        POINT_SOURCE = 0x10 "POINT_SOURCE", SATURATED = 0x20 "SATURATED", SUBDIVIDE = 0x40 "SUBDIVIDE",
        BIT7 = 0x80 "BIT7", BIT8 = 0x100 "BIT8", BIT9 = 0x200 "BIT9", BIT10 = 0x400 "BIT10", ENABLED = 0x800 "ENABLED",
    }
}

crate::record! {
    /// A light of the world, usually the sun.
    pub struct Light [Rc 228, Mw 208, Pm 256, Cs 256] {
        [Rc] recalc: Only<u32>,
        [Rc] field004: Only<u32>,
        orientation: Usual<Vec3> = |_| [ZERO; 3],
        translation: Usual<Vec3> = |_| [ZERO; 3],
        rotation: Usual<Vec3> = |_| [ZERO; 3],
        world_translation: Usual<Vec3> = |_| [ZERO; 3],
        transform: Odd<[F32; 12]> = |_| [ZERO; 12],
        world_point_source: Odd<Vec3> = |_| [ZERO; 3],
        unknown_vector: Odd<Vec3> = |_| [ZERO; 3],
        camera_point_source: Odd<Vec3> = |_| [ZERO; 3],
        world_view: Odd<Vec3> = |_| [ZERO, ONE, ZERO],
        camera_view: Odd<Vec3> = |_| [ZERO; 3],
        diffuse: F32,
        ambient: F32,
        /// 0.0 to 1.0.
        color: [F32; 3],
        [Pm Cs] ambient_color: Only<[F32; 3]>,
        [Pm Cs] diffuse_mixed: Only<[F32; 3]>,
        [Pm Cs] ambient_mixed: Only<[F32; 3]>,
        [Pm Cs] combined: Only<[F32; 3]>,
        [Rc] directional: Only<u32>,
        [Rc] directed_source: Only<u32>,
        [Rc] point_source: Only<u32>,
        [Rc] saturated: Only<u32>,
        [Rc] field200: Only<u32>,
        [Mw Pm Cs] flags: Only<LightFlags>,
        /// Metres.
        range_near: F32,
        range_far: F32,
        [Mw Pm Cs] range_near_sq: Odd<F32> => |l| square(l.range_near),
        range_far_sq: Odd<F32> = |l| square(l.range_far),
        range_inverse: Odd<F32> = |l| rule(1.0 / (l.range_far.get() - l.range_near.get())),
        #[serde(skip)]
        world_count: i32,
        world_ptr: Usual<Ptr> = |l| ptr_if(l.game.itself() == Game::Rc || l.world_count != 0),
    } below {
        /// The worlds that it shines on.
        worlds: Vec<Link>,
    }
}

super::counted!(Light: worlds by world_count, "the number of worlds");

crate::record! {
    /// A sound of Recoil. Of its 148 bytes little is known.
    pub struct Sound [Rc 148] {
        field000: Raw<8>,
        name: crate::wire::Text<36>,
        field044: Raw<80>,
        field124: [F32; 4],
        #[serde(skip)]
        world_count: i32,
        field144: Hex<u32>,
    } below {
        /// The worlds that it sounds in.
        worlds: Vec<Link>,
    }
}

super::counted!(Sound: worlds by world_count, "the number of worlds");

/// The count of a list: a negative one is impossible.
pub(super) fn count(n: impl TryInto<u64> + std::fmt::Display + Copy, r: &Reader<'_>) -> Result<u64> {
    n.try_into().map_err(|_| -> Error { r.error(format!("a list of {n} entries")) })
}
