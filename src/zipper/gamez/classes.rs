//! The data of the node classes except the world (FORMAT.md).

use super::types::{Link, Ptr, ZoneSet, ptr_if, rule};
use refit_base::{
    game::Game,
    wire::{Defaulted, Derived, Encode, Error, F32, Hex, Raw, Reader, Result, Vec3, Writer, fit},
};

/// 0 as a field.
pub const ZERO: F32 = F32::from_bits(0);
/// 1 as a field.
pub const ONE: F32 = F32::from_bits(0x3f80_0000);

refit_base::record! {
    /// A camera. The engine derives most of it while it runs, so the file contains whatever was set
    /// last.
    pub struct Camera [Rc 488, Mw 488, Pm 488, Cs 488] {
        /// Position of the world node that it shows, usually 0; −1 for none.
        world: Link,
        /// Position of the window node that it draws into; −1 for none.
        window: Link,
        /// Position of the node that follows its horizon; −1 for none.
        horizon_node^: Link = |_| Link::to(-1),
        /// Position of the node that follows its horizon in x and z; −1 for none.
        horizon_node_xz^: Link = |_| Link::to(-1),
        /// Flags of the running camera. Unknown; 0 in known files.
        flags~: Hex<u32> = |_| Hex(0),
        /// Its position: x, y, z in the units of the world.
        translation^: Vec3 = |_| [ZERO; 3],
        /// Its rotation: angles about x, y, z in radians.
        rotation^: Vec3 = |_| [ZERO; 3],
        /// Its position in the world: x, y, z, as last computed by the engine.
        world_translation^: Vec3 = |_| [ZERO; 3],
        /// Its rotation in the world, in radians, as last computed by the engine.
        world_rotation^: Vec3 = |_| [ZERO; 3],
        /// Four rows of three: the transform of the nodes above it, as last computed by the engine.
        ancestor_matrix~: [F32; 12] = |_| [ZERO; 12],
        /// Its viewing direction, x, y, z, as last computed by the engine.
        view_vector~: Vec3 = |_| [ZERO; 3],
        /// Four rows of three: its own transform, as last computed by the engine.
        translation_matrix~: [F32; 12] = |_| [ZERO; 12],
        /// Near plane: minimum drawing distance, in the units of the world; greater than 0.
        clip_near: F32,
        /// Far plane: maximum drawing distance, in the units of the world; greater than
        /// `clip_near`.
        clip_far: F32,
        /// A vector of the near clip plane in the world, as last computed by the engine.
        near_in_world~: Vec3 = |_| [ZERO; 3],
        /// A vector of the far clip plane in the world, as last computed by the engine.
        far_in_world~: Vec3 = |_| [ZERO; 3],
        /// Factor for the distances of levels of detail, usually 1.0; 0.0 in CS.
        lod_multiplier: F32,
        /// 1 / `lod_multiplier`²; 0.0 for 0.0 in CS. Absent while it is that.
        lod_inverse_square~: F32 = |c| inverse(c.lod_multiplier.get() * c.lod_multiplier.get(), c.game),
        /// Zoom of the horizontal angle of view, a factor, usually 1.0.
        fov_h_scale: F32,
        /// Zoom of the vertical angle of view, a factor, usually 1.0.
        fov_v_scale: F32,
        /// Horizontal angle of view without zoom, in radians.
        fov_h_base: F32,
        /// Vertical angle of view without zoom, in radians.
        fov_v_base: F32,
        /// Horizontal angle of view with zoom, in radians. Absent while it is `fov_h_base` ×
        /// `fov_h_scale`.
        fov_h_scaled~: F32 = |c| rule(c.fov_h_base.get() * c.fov_h_scale.get()),
        /// Vertical angle of view with zoom, in radians. Absent while it is `fov_v_base` ×
        /// `fov_v_scale`.
        fov_v_scaled~: F32 = |c| rule(c.fov_v_base.get() * c.fov_v_scale.get()),
        /// Half the horizontal angle of view with zoom, in radians. Absent while it is that.
        fov_h_half~: F32 = |c| half(c.fov_h_scaled, c.fov_h_base, c.fov_h_scale),
        /// Half the vertical angle of view with zoom, in radians. Absent while it is that.
        fov_v_half~: F32 = |c| half(c.fov_v_scaled, c.fov_v_base, c.fov_v_scale),
        /// 1 makes the engine recompute the clip planes.
        clip_recalc~: i32 = |_| 1,
        /// Five vectors: the clip planes, as last computed by the engine.
        clip_planes~: [F32; 15] = |_| [ZERO; 15],
        /// 1 makes the engine recompute what follows from the angles of view.
        fov_recalc~: i32 = |_| 1,
        /// Six vectors of the view, as last computed by the engine.
        local_directions~: [F32; 18] = |_| [ZERO; 18],
        /// 1 makes the engine recompute what follows from the rotation.
        rotation_recalc~: i32 = |_| 1,
        /// Six vectors of the view in the world, as last computed by the engine.
        world_directions~: [F32; 18] = |_| [ZERO; 18],
        /// Unknown; 0 in known files.
        field464~: i32 = |_| 0,
        /// Cotangent of `fov_h_half`; 0.0 for 0.0 in CS. Absent while it is that.
        fov_h_cot~: F32 = |c| cot(c.fov_h_half.or(half(c.fov_h_scaled, c.fov_h_base, c.fov_h_scale)), c.game),
        /// Cotangent of `fov_v_half`; 0.0 for 0.0 in CS. Absent while it is that.
        fov_v_cot~: F32 = |c| cot(c.fov_v_half.or(half(c.fov_v_scaled, c.fov_v_base, c.fov_v_scale)), c.game),
        /// Unknown; 0 in known files.
        field476~: i32 = |_| 0,
        /// 1 while `zones` is up to date; 0 in known files.
        zone_set_valid~: i32 = |_| 0,
        /// Zones that it shows. Absent for none.
        zones^: ZoneSet = |_| ZoneSet::NONE,
    }
}

/// 1 / x; in Crimson Skies 0 stays 0, because its cameras are all zero.
fn inverse(x: f32, game: Game) -> F32 {
    if game == Game::Cs && x == 0.0 {
        ZERO
    } else {
        rule(1.0 / x)
    }
}

fn half(scaled: Derived<F32>, base: F32, scale: F32) -> F32 {
    rule(scaled.or(rule(base.get() * scale.get())).get() / 2.0)
}

/// The cotangent in f64, rounded once (FORMAT.md), with the portable tangent of `libm`: see
/// [`Object3d::matrix_rule`].
fn cot(half: F32, game: Game) -> F32 {
    if game == Game::Cs && half.get() == 0.0 {
        ZERO
    } else {
        rule((1.0 / libm::tan(half.get().into())) as f32)
    }
}

refit_base::record! {
    /// The display.
    pub struct Display [Rc 28, Mw 28, Pm 28, Cs 28] {
        /// Upper left corner on the screen: x, y in pixels.
        origin: [i32; 2],
        /// Width and height in pixels.
        resolution: [i32; 2],
        /// Colour of the empty display: red, green, blue, 0.0 to 1.0.
        clear_color: [F32; 3],
    }
}

refit_base::record! {
    /// A window of the display.
    pub struct Window [Rc 248, Mw 248, Pm 248, Cs 248] {
        /// Upper left corner in the display: x, y in pixels.
        origin: [i32; 2],
        /// Its width and height in pixels.
        resolution: [i32; 2],
        /// Four polygons of four corners and a count each, cleared before drawing.
        clear_polygons~: Raw<208> = |_| Raw([0; 208]) absent "if all bytes are zero",
        /// How many of `clear_polygons` are used.
        clear_polygon_count~: i32 = |_| 0,
        /// Index of a buffer of the running game; −1 for none.
        buffer_index~: i32 = |_| -1,
        /// Address of a surface of the running game.
        surface_ptr~: Ptr = |_| Hex(0),
        /// Width, height and depth of that surface.
        size~: [u32; 3] = |_| [0; 3],
    }
}

refit_base::flags! {
    /// How an object is placed.
    pub struct ObjectFlags: u32 {
        MATRIX_DIRTY = 0x1 "MATRIX_DIRTY", OPACITY = 0x2 "OPACITY", COLOR = 0x4 "COLOR",
        /// Neither turned, scaled nor moved: the matrix is the identity.
        INITIAL = 0x8 "INITIAL",
        /// The matrix was set directly: it is not derived from angles and scale.
        MATRIX = 0x10 "MATRIX", ALWAYS = 0x20 "ALWAYS",
    }
}

refit_base::record! {
    /// An object: its position and rotation.
    pub struct Object3d [Rc 144, RcDemo 156, Mw 144, Pm 144, Cs 144] {
        /// How it is placed, and which of the following fields are used.
        flags: ObjectFlags,
        /// 0.0 to 1.0; used with the flag OPACITY.
        opacity^: F32 = |_| ZERO,
        /// Red, green, blue; used with the flag COLOR. The range is not known.
        color^: [F32; 3] = |_| [ZERO; 3],
        /// Unknown; belongs to the colour.
        field020^: F32 = |_| ZERO,
        /// Angles about x, y, z in radians.
        rotation^: Vec3 = |_| [ZERO; 3],
        /// Factors along x, y, z.
        scale^: Vec3 = |_| [ONE; 3],
        /// Three unknown numbers in the demos of Recoil.
        [RcDemo] unk48^: Vec3 = |_| [ZERO; 3],
        /// The rotation and scale as three rows. Absent while it is the one that flags, rotation
        /// and scale give.
        matrix^: [F32; 9] = |o| o.matrix_rule(),
        /// Its position in its parent: x, y, z in the units of the world.
        translation^: Vec3 = |_| [ZERO; 3],
        /// Four rows of three: its transform in the world, which the engine computes while it runs.
        world_matrix~: [F32; 12] = |_| [ZERO; 12],
    }
}

/// The identity matrix, row by row.
const IDENTITY: [F32; 9] = [ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE];

impl Object3d {
    /// The matrix that follows from flags, rotation and scale (FORMAT.md).
    ///
    /// Sines and cosines come from `libm`, a software implementation in f64, and are rounded once
    /// to f32. The platform's own functions differ between machines, so a tree unpacked on one
    /// would repack differently on another; `libm` computes the same bits everywhere. If the
    /// program that wrote the file computed other last bits, the tree contains the matrix itself:
    /// nothing is lost, and an absent matrix follows an edited rotation. The reference for Crimson
    /// Skies advises to store every matrix; refit uses the same rule there and stores the matrices
    /// that do not match it.
    pub fn matrix_rule(&self) -> [F32; 9] {
        if self.flags.has(ObjectFlags::INITIAL) {
            return IDENTITY;
        }
        rotation_rows(self.rotation.or([ZERO; 3]), self.scale.or([ONE; 3]))
    }

    /// Marks an object as placed. Its matrix stays, whatever the flags are; only an object that was
    /// never placed gets the negative zeros that the engine then computes.
    pub fn begin_placing(&mut self) {
        let (rows, was_initial) = (self.matrix(), self.flags.has(ObjectFlags::INITIAL));
        self.flags = self.flags.with(ObjectFlags::INITIAL, false);
        let rule = self.matrix_rule();
        let same = rows
            .iter()
            .zip(rule)
            .all(|(row, rule)| row.get() == rule.get());
        self.matrix = Defaulted::of(if was_initial && same { rule } else { rows }, rule);
    }

    /// The matrix as stored.
    pub fn matrix(&self) -> [F32; 9] {
        self.matrix.or(self.matrix_rule())
    }

    /// Gives a placed object these rows: as angles and scale if they can represent them, otherwise
    /// as a matrix.
    pub fn set_rows(&mut self, rows: [[f64; 3]; 3]) {
        let (angles, scale) = angles(rows);
        // Angles that differ only in their last bits are unchanged.
        let old = self.rotation.or([ZERO; 3]);
        let near = |new: f32, was: F32| {
            if (new - was.get()).abs() <= 1e-6 {
                was
            } else {
                F32::from(new)
            }
        };
        let [x, y, z] = angles;
        self.rotation = Defaulted::of(
            [near(x, old[0]), near(y, old[1]), near(z, old[2])],
            [ZERO; 3],
        );
        self.scale = Defaulted::of(scale.map(F32::from), [ONE; 3]);
        self.flags = self.flags.with(ObjectFlags::MATRIX, false);
        let stored: [F32; 9] = rows
            .as_flattened()
            .first_chunk()
            .copied()
            .unwrap_or_default()
            .map(|v: f64| F32::from(v as f32));
        let largest = stored.iter().fold(1.0f32, |m, v| m.max(v.get().abs()));
        self.matrix = Defaulted(None);
        let exact = self
            .matrix_rule()
            .iter()
            .zip(&stored)
            .all(|(a, b)| (a.get() - b.get()).abs() <= 1e-5 * largest);
        if !exact {
            // Sheared or mirrored: angles and scale cannot represent it. With a matrix, they are
            // those of no rotation (FORMAT.md).
            (self.rotation, self.scale) = (Defaulted(None), Defaulted(None));
            self.flags = self.flags.with(ObjectFlags::MATRIX, true);
            self.matrix = Defaulted::of(stored, self.matrix_rule());
        }
    }
}

/// Angles about x, y, z and scales for three rows, if possible (FORMAT.md).
fn angles(rows: [[f64; 3]; 3]) -> ([f32; 3], [f32; 3]) {
    let length = rows.map(|r| r.iter().map(|v| v * v).sum::<f64>().sqrt());
    let [x, y, z] = rows;
    let [lx, ly, lz] = length.map(|l| if l > 0.0 { l } else { 1.0 });
    let sx = (-z[1] / lz).clamp(-1.0, 1.0);
    let cx = (1.0 - sx * sx).sqrt();
    let near = |v: f64| {
        if (v - 1.0).abs() < 1e-6 {
            1.0
        } else {
            v as f32
        }
    };
    let (ry, rz) = if cx > 1e-6 {
        ((z[0] / lz).atan2(z[2] / lz), (x[1] / lx).atan2(y[1] / ly))
    } else {
        ((-x[2] / lx * 1.0).atan2(x[0] / lx), 0.0)
    };
    ([sx.asin() as f32, ry as f32, rz as f32], length.map(near))
}

/// The rows of a rotation about z, then x, then y, each scaled (FORMAT.md).
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

refit_base::record! {
    /// A level of detail: its children are drawn in a range of distances.
    pub struct Lod [Rc 80, Mw 80, Pm 92, Cs 92] {
        /// Index among its parent's levels, 0 or 1 in known files.
        level: i32,
        /// Minimum distance at which its children are drawn, in the units of the world, squared.
        /// Kept squared, because not every value is the square of a float.
        range_near_sq: F32,
        /// Maximum distance at which its children are drawn, in the units of the world.
        range_far: F32,
        /// Square of `range_far`. Absent while it is that.
        range_far_sq~: F32 = |l| square(l.range_far),
        /// Unknown; zeros in known files.
        field16~: [F32; 8] = |_| [ZERO; 8],
        /// Unknown; 0 in known files.
        field48~: i32 = |_| 0,
        /// Unknown; zeros in known files.
        field52~: [F32; 2] = |_| [ZERO; 2],
        /// Unknown: any number in MW, 0.0 in RC, PM and CS.
        field60^: F32 = |_| ZERO,
        /// RC and MW: the square of `field60`.
        field64^: F32 = |l| if matches!(l.game.itself(),
            Game::Rc | Game::Mw) { square(l.field60.or(ZERO)) } else { ZERO }
            absent "if it follows from the rest",
        /// Unknown; 1 in known files.
        [Rc Mw] field68~: i32 = |_| 1,
        /// Square of `field64`. Absent while it is that.
        [Pm Cs] field64_sq~: F32 = |l| square(l.field64.or(ZERO)),
        /// Unknown; 0 or 1.
        [Rc Mw] field72^: u32 = |_| 0,
        /// Address of the running game, or 0.
        [Rc Mw] field76^: Hex<u32> = |_| Hex(0),
        /// Unknown: any number.
        [Pm Cs] field72_range^: F32 = |_| ZERO,
        /// Square of `field72_range`. Absent while it is that.
        [Pm Cs] field72_sq~: F32 = |l| square(l.field72_range.or(ZERO)),
        /// Unknown; 1 in known files.
        [Pm Cs] field80~: i32 = |_| 1,
        /// Unknown; 0.0 in known files.
        [Pm Cs] field84~: F32 = |_| ZERO,
        /// Unknown; 0.0 in known files.
        [Pm Cs] field88~: F32 = |_| ZERO,
    }
}

refit_base::flags! {
    /// Flags of a light: MW's numbering; in PM and CS `LIGHT_MAP` is 0x80 and the bits from there
    /// on are one higher.
    pub struct LightFlags: u32 {
        RECALC = 0x1 "RECALC", UNK1 = 0x2 "UNK1", DIRECTIONAL = 0x4 "DIRECTIONAL",
            DIRECTED_SOURCE = 0x8 "DIRECTED_SOURCE",
        POINT_SOURCE = 0x10 "POINT_SOURCE", SATURATED = 0x20 "SATURATED", SUBDIVIDE = 0x40 "SUBDIVIDE",
        BIT7 = 0x80 "BIT7", BIT8 = 0x100 "BIT8", BIT9 = 0x200 "BIT9", BIT10 = 0x400 "BIT10", ENABLED = 0x800 "ENABLED",
    }
}

refit_base::record! {
    /// A light of the world, usually the sun.
    pub struct Light [Rc 228, Mw 208, Pm 256, Cs 256] {
        /// 1 makes the engine recompute the light.
        [Rc] recalc: u32,
        /// Unknown; 0 or 1.
        [Rc] field004: u32,
        /// The direction in which it shines: x, y, z.
        orientation^: Vec3 = |_| [ZERO; 3],
        /// Its position: x, y, z in the units of the world.
        translation^: Vec3 = |_| [ZERO; 3],
        /// Its rotation: angles about x, y, z in radians.
        rotation^: Vec3 = |_| [ZERO; 3],
        /// Its position in the world: x, y, z, as last computed by the engine.
        world_translation^: Vec3 = |_| [ZERO; 3],
        /// Four rows of three: its transform, as last computed by the engine.
        transform~: [F32; 12] = |_| [ZERO; 12],
        /// Position of a point source in the world, as last computed by the engine.
        world_point_source~: Vec3 = |_| [ZERO; 3],
        /// Unknown; zeros in known files.
        unknown_vector~: Vec3 = |_| [ZERO; 3],
        /// Position of a point source in camera space, as last computed by the engine.
        camera_point_source~: Vec3 = |_| [ZERO; 3],
        /// Direction in the world, as last computed by the engine.
        world_view~: Vec3 = |_| [ZERO, ONE, ZERO],
        /// Direction in camera space, as last computed by the engine.
        camera_view~: Vec3 = |_| [ZERO; 3],
        /// Diffuse intensity, 0.0 to 1.0.
        diffuse: F32,
        /// Ambient intensity, 0.0 to 1.0.
        ambient: F32,
        /// Red, green, blue, 0.0 to 1.0.
        color: [F32; 3],
        /// Colour of its ambient part: red, green, blue.
        [Pm Cs] ambient_color: [F32; 3],
        /// Colour times `diffuse`, roughly: red, green, blue. How it is rounded is not known.
        [Pm Cs] diffuse_mixed: [F32; 3],
        /// Ambient colour times `ambient`, roughly: red, green, blue. How it is rounded is not
        /// known.
        [Pm Cs] ambient_mixed: [F32; 3],
        /// Both colours together: red, green, blue. How they are mixed is not known.
        [Pm Cs] combined: [F32; 3],
        /// 1 for a light from one direction.
        [Rc] directional: u32,
        /// 1 for a directed source.
        [Rc] directed_source: u32,
        /// 1 for a point source.
        [Rc] point_source: u32,
        /// 1 for a saturated light.
        [Rc] saturated: u32,
        /// Unknown; 0 or 1.
        [Rc] field200: u32,
        /// Kind of light. The names are uncertain.
        [Mw Pm Cs] flags: LightFlags,
        /// Near end of its range, in the units of the world; above 0.
        range_near: F32,
        /// Far end of its range, in the units of the world; above `range_near`.
        range_far: F32,
        /// Square of `range_near`. Absent while it is that.
        [Mw Pm Cs] range_near_sq~: F32 = |l| square(l.range_near),
        /// Square of `range_far`. Absent while it is that.
        range_far_sq~: F32 = |l| square(l.range_far),
        /// 1 / (`range_far` − `range_near`). Absent while it is that.
        range_inverse~: F32 = |l| rule(1.0 / (l.range_far.get() - l.range_near.get())),
        mut world_count: i32,
        /// Address of the list of worlds in the process that wrote the file. Absent for 1 with
        /// worlds (in RC always), and for 0 without.
        world_ptr^: Ptr = |l| ptr_if(l.game.itself() == Game::Rc || l.world_count != 0),
    } below {
        /// The worlds that it shines on.
        worlds: Vec<Link>,
    }
}

super::counted!(Light: worlds by world_count, "the number of worlds");

refit_base::record! {
    /// A sound of Recoil. Most of its 148 bytes are unknown.
    pub struct Sound [Rc 148] {
        /// Eight unknown bytes, in hexadecimal.
        field000: Raw<8>,
        /// Name of the sound.
        name: refit_base::wire::Text<36>,
        /// 80 unknown bytes, in hexadecimal.
        field044: Raw<80>,
        /// Unknown; the engine creates sounds with 32, 64, 4096 and 0.03125.
        field124: [F32; 4],
        mut world_count: i32,
        /// Unknown: probably the address of `worlds` in the process that wrote the file.
        field144: Hex<u32>,
    } below {
        /// The worlds in which it plays.
        worlds: Vec<Link>,
    }
}

super::counted!(Sound: worlds by world_count, "the number of worlds");

/// The length of a list; an error if it is negative.
pub(super) fn count(
    n: impl TryInto<u64> + std::fmt::Display + Copy,
    r: &Reader<'_>,
) -> Result<u64> {
    n.try_into()
        .map_err(|_| -> Error { r.error(format!("a list of {n} entries")) })
}
