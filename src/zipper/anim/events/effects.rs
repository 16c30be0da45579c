//! Sounds, effects, lights, fog, and screen colours.

use crate::anim::{
    fields::{
        Bool, Channels, DynamicSound as DynamicSounds, Effect as Effects, FromTo, Index, Light,
        Node, Rated, Rounding, StaticSound,
    },
    names::{ListKind, Ref, Tables},
};
use refit_base::{
    game::Game,
    record,
    wire::{Describe, F32, FieldGroup, Notation, Plain, Result, Role, Text, Vec3},
};

record! {
    /// Plays a sound that the definition lists among its static sounds.
    #[derive(Default)]
    pub struct Sound [Rc 16, Mw 16, Pm 16, Cs 16] with Tables {
        /// One of the definition's static sounds.
        sound: Ref as Index<i16, StaticSound> key "NAME",
        /// Where it plays; nowhere in the world when absent.
        at_node?: Ref as Index<i16, Node> none 0i16,
        /// Offset from the node, metres. Zero when absent.
        position?: Vec3,
    }
}

record! {
    /// Turns a dynamic sound on or off.
    #[derive(Default)]
    pub struct SoundNode [Rc 60, Mw 60, Pm 60, Cs 60] with Tables {
        /// One of the definition's dynamic sounds.
        sound @32: Ref as Index<i32, DynamicSounds> key "NAME",
        /// The event's own copy of the name, if it differs from that of the sound.
        name~ @0: Text<32> = |m| m.cx.repeated(ListKind::DynamicSound, &m.sound)
            absent "if it follows from the rest",
        /// Whether the sound is switched on or off.
        active_state @40: Bool<u32>,
        /// The node that it sounds at.
        at_node? @44: Ref as Index<i32, Node> on 0x2,
        /// Offset from the node, or a position in the world, metres. Zero when absent.
        position? @48: Vec3,
        /// The position is in world space.
        absolute!: bit 0x1,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @36: flags u32,
    }
}

record! {
    /// Shows an effect (Recoil).
    #[derive(Default)]
    pub struct Effect [Rc 16, Mw 16, Pm 16, Cs 16] with Tables {
        /// One of the definition's effects.
        effect: Ref as Index<i16, Effects> key "NAME",
        /// The node where it shows. None when absent.
        at_node?: Ref as Index<i16, Node> none 0i16,
        /// Offset from the node, metres. Zero when absent.
        position?: Vec3,
    }
}

refit_base::open_enum! {
    /// What kind of light it is.
    pub enum LightType: u32 { Directed = 0 "DIRECTED", PointSource = 1 "POINT_SOURCE" }
}

record! {
    /// Sets properties of a light; only the given ones change.
    #[derive(Default)]
    pub struct LightState [Rc 112, Mw 120, Pm 140, Cs 140] with Tables {
        /// One of the definition's lights.
        light @32: Ref as Index<i32, Light> key "NAME",
        /// The event's own copy of the name, if it differs from that of the light.
        name~ @0: Text<32> = |m| m.cx.repeated(ListKind::Light, &m.light) absent "if it follows from the rest",
        /// Whether the light is switched on or off.
        active_state @40: Bool<u32>,
        /// `POINT_SOURCE` when absent.
        r#type? @44: LightType else LightType::PointSource,
        /// The node that it is attached to.
        at_node? @[Rc 56, Mw 64, _ 72]: Ref as Index<i32, Node> on 0x2,
        /// Offset from the node, or a position in the world, metres.
        position? @[Rc 60, Mw 68, _ 76]: Vec3 if 0x3,
        /// The position is in world space.
        absolute!: bit 0x1,
        /// Angles about x, y, z, probably radians. In no known file.
        orientation? @[Rc 72, Mw 80, _ 88]: Vec3 on 0x4 key 2 "ORIENTATION",
        /// Metres: full light up to the first, none beyond the second.
        range? @[Rc 84, Mw 92, _ 100]: [F32; 2] on 0x8 key 2 "RANGE",
        /// Red, green, blue, 0 to 1.
        color? @[Rc 92, Mw 100, _ 108]: Vec3 on 0x10 key 2 "COLOR",
        /// Red, green, blue of the ambient part, 0 to 1 (PM, CS).
        [Pm Cs] ambient_color? @120: Vec3 on 0x800 key 2 "AMBIENT_COLOR",
        /// The ambient part, 0 to 1.
        ambient? @[Rc 104, Mw 112, _ 132]: F32 on 0x20 key 2 "AMBIENT",
        /// The diffuse part, 0 to 1.
        diffuse? @[Rc 108, Mw 116, _ 136]: F32 on 0x40 key 2 "DIFFUSE",
        /// It shines from a direction.
        directional? @48: Bool<u32> on 0x80 key 1 "DIRECTIONAL",
        /// Its colour may be brighter than that of the surface.
        saturated? @52: Bool<u32> on 0x100 key 1 "SATURATED",
        /// Large polygons are cut up for it (MW, PM, CS).
        [Mw Pm Cs] subdivide? @56: Bool<u32> on 0x200 key 1 "SUBDIVIDE",
        /// It is drawn as a texture over what it lights (PM, CS).
        [Pm Cs] lightmap? @60: Bool<u32> on 0x2000 key 1 "LIGHTMAP",
        /// It lights static objects (MW, PM, CS).
        [Mw Pm Cs] r#static? @[Mw 60, _ 64]: Bool<u32> on 0x400 key 1 "STATIC",
        /// It has its own colour for the ambient part (PM, CS).
        [Pm Cs] bicolored? @68: Bool<u32> on 0x1000 key 1 "BICOLORED",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @36: flags u32,
    }
}

record! {
    /// Changes a light's range and colour at constant rates.
    #[derive(Default)]
    pub struct LightAnimation [Rc 100, Mw 100, Pm 100, Cs 100] with Tables {
        /// One of the definition's lights.
        light @32: Ref as Index<i32, Light> key "NAME",
        /// The event's own copy of the name, if it differs from that of the light.
        name~ @0: Text<32> = |m| m.cx.repeated(ListKind::Light, &m.light) absent "if it follows from the rest",
        /// Change of the range, near and far, in metres per second.
        range @36: [F32; 2],
        /// Change of the change of near and far, per second squared. Zero in nearly all files.
        range_acceleration? @44: [F32; 2],
        _ @52: pad 8,
        /// Change of red, green, blue, per second.
        color @60: Vec3,
        /// Change of the change of red, green, blue, per second squared. Zero in known files.
        color_acceleration? @72: Vec3,
        _ @84: pad 12,
        /// How long the change takes, in seconds.
        run_time @96: F32 key 1 "RUN_TIME",
    }
}

refit_base::open_enum! {
    /// How fog thickens.
    pub enum FogType: u32 { Off = 0 "OFF", Linear = 1 "LINEAR", Exponential = 2 "EXPONENTIAL" }
}

/// The type of a fog, which is valid with its flag. Recoil never sets the flag, but stores a type.
pub struct FogKind;

impl FogKind {
    const BIT: u32 = 0x1;
}

impl FieldGroup<FogState, Tables> for FogKind {
    const SIZE: usize = 4;
    fn load(fog: &mut FogState, bytes: &[u8], flags: u32, game: Game, _: &Tables) {
        let kind = FogType::get(bytes);
        let shown = if game == Game::Rc {
            kind != FogType::Linear
        } else {
            flags & FogKind::BIT != 0
        };
        fog.r#type = shown.then_some(kind);
    }
    fn store(fog: &FogState, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
        fog.r#type.unwrap_or(FogType::Linear).put(bytes);
        Ok(())
    }
    fn implied(fog: &FogState, game: Game, _: &Tables) -> u32 {
        if game != Game::Rc && fog.r#type.is_some() {
            FogKind::BIT
        } else {
            0
        }
    }
    fn describe(fog: &FogState, part: &mut Describe<'_>, _: Game, _: &Tables) {
        let role = if fog.r#type.is_some() {
            Role::Value
        } else {
            Role::Derived
        };
        part.note(
            0,
            4,
            "type",
            Notation::Unsigned,
            role,
            FogType::get(part.cut(0, 4)).meaning(),
        );
    }
}

record! {
    /// Sets properties of the fog.
    #[derive(Default)]
    pub struct FogState [Rc 68, Mw 68, Pm 68, Cs 68] with Tables {
        /// `default_fog_name` when absent.
        name~ @0: Text<32> = |_| Text::new(b"default_fog_name").unwrap_or_default()
            absent "if it follows from the rest",
        /// RC: always shown, without an effect, because no file sets the flag that enables it.
        r#type?: FogType in kind,
        /// 0 off, 1 linear, 2 exponential.
        kind @36: part FogKind,
        /// Red, green, blue, 0 to 1.
        color? @40: Vec3 on 0x2 key "COLOR",
        /// Lowest and highest altitude, metres, in any order.
        altitude? @52: [F32; 2] on 0x4 key "ALTITUDE",
        /// Distances at which the fog begins and is thickest, in metres.
        range? @60: [F32; 2] on 0x8 key "RANGE",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @32: flags u32,
    }
}

/// The colours of a fade: for each of red, green, blue and alpha, start, end and rate are adjacent.
pub struct Fade;

type Rgba = [F32; 4];

impl Fade {
    fn of(event: &FbfxColorFromTo) -> FromTo<Rgba> {
        FromTo {
            from: event.from,
            to: event.to,
            rate: event.rate,
            rounding: event.rounding,
        }
    }
}

impl FieldGroup<FbfxColorFromTo, Tables> for Fade {
    const SIZE: usize = 3 * Rgba::SIZE;
    fn load(event: &mut FbfxColorFromTo, bytes: &[u8], _: u32, _: Game, _: &Tables) {
        let FromTo {
            from,
            to,
            rate,
            rounding,
        } = Channels::split(bytes, &event.run_time);
        (event.from, event.to, event.rate, event.rounding) = (from, to, rate, rounding);
    }
    fn store(event: &FbfxColorFromTo, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
        let fade = Fade::of(event);
        fade.check()?;
        Channels::join(&fade, bytes, &event.run_time);
        Ok(())
    }
    fn describe(event: &FbfxColorFromTo, part: &mut Describe<'_>, _: Game, _: &Tables) {
        Channels::note(&Fade::of(event), part, "");
    }
}

record! {
    /// Colours the whole picture: red, green, blue, alpha, 0 to 1.
    #[derive(Default)]
    pub struct FbfxColorFromTo [Rc 52, Mw 52, Pm 52, Cs 52] with Tables {
        /// Red, green, blue, alpha at the start, usually 0 to 1.
        from: Rgba in fade,
        /// Red, green, blue, alpha at the end, usually 0 to 1.
        to: Rgba in fade,
        /// How long the change takes, in seconds.
        run_time @48: F32 key "RUN_TIME",
        /// Change per second, if it is not `(to - from) / run_time` with any rounding.
        rate~: Rgba in fade,
        /// How the rate was rounded, if not once.
        rounding?: Rounding in fade,
        /// From, to and rate of red, then of green, blue and alpha.
        fade @0: part Fade,
    }
}

refit_base::plain! {
    /// A change whose rate is not stored.
    pub struct Between {
        /// The value at the start, in the unit of the field that changes.
        from: F32,
        /// The value at the end, in the unit of the field that changes.
        to: F32,
    }
}

record! {
    /// A wave through the picture.
    #[derive(Default)]
    pub struct FbfxCsinwaveFromTo [Rc 100, Mw 100, Pm 100, Cs 100] with Tables {
        /// The node from which the wave spreads.
        at_node? @2: Ref as Index<i16, Node> on 0x2,
        /// Offset of its middle from the node: x, y, z in metres.
        offset? @4: Vec3 if 0x2,
        /// The middle of the wave on the screen, x and y: from and to.
        screen_pos? @16: FromTo<[F32; 2]> as Channels with run_time on 0x1,
        /// Its radius in the world, metres: from and to.
        world_radius? @40: Between on 0x8,
        /// Its radius on the screen: from and to.
        screen_radius? @48: FromTo<F32> as Rated with run_time on 0x4,
        /// The three numbers of the wave itself: from and to.
        csin @60: FromTo<Vec3> as Channels with run_time,
        /// How long the wave lasts, in seconds.
        run_time @96: F32 key "RUN_TIME",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u16,
    }
}

record! {
    /// Makes a weapon explode.
    #[derive(Default)]
    pub struct DetonateWeapon [Rc 24, Mw 24, Pm 24, Cs 24] with Tables {
        /// The weapon's name, up to 9 characters.
        weapon: Text<10> key "WEAPON",
        /// The node where it explodes.
        at_node: Ref as Index<i16, Node>,
        /// Offset of the explosion from the node: x, y, z in metres.
        position: Vec3,
    }
}
