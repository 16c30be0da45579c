//! Events that act on nodes: show, move, turn, scale, fade, attach elsewhere.

use crate::anim::{
    fields::{Bool, DefinitionScript, FromTo, Index, Node, Rated, StaticSound},
    names::{ListKind, Ref, Tables},
    scripts::Script,
};
use refit_base::{
    game::Game,
    record,
    wire::{
        Describe, Extra, F32, FieldCodec, FieldGroup, Hex, Notation, Plain, Result, Role, Text,
        Vec3, cut, cut_mut,
    },
};

record! {
    /// Shows or hides a node.
    #[derive(Default)]
    pub struct ObjectActiveState [Rc 8, Mw 8, Pm 8, Cs 8] with Tables {
        /// The node that is shown or hidden.
        node @4: Ref as Index<i16, Node> key 1 "NAME",
        /// Shown or hidden.
        state @0: Bool<u32> key "STATE",
        _ @6: pad 2,
    }
}

record! {
    /// Moves a node.
    #[derive(Default)]
    pub struct ObjectTranslateState [Rc 20, Mw 20, Pm 20, Cs 20] with Tables {
        /// The node that is moved.
        node @16: Ref as Index<i16, Node> key "NAME",
        /// Position, metres, or what is added to it.
        state @4: Vec3,
        /// The node moves by `state` instead of to it. False if absent.
        relative? @0: Bool<u32>,
        /// The node that the position is relative to. The parent if absent.
        at_node? @18: Ref as Index<i16, Node> none 0i16,
    }
}

record! {
    /// Scales a node.
    #[derive(Default)]
    pub struct ObjectScaleState [Rc 16, Mw 16, Pm 16, Cs 16] with Tables {
        /// The node that is scaled.
        node @12: Ref as Index<i32, Node> key 1 "NAME",
        /// Factors along x, y, z.
        state @0: Vec3 key "STATE",
    }
}

refit_base::open_enum! {
    /// What a rotation is measured from.
    pub enum RotateMode: u32 { Absolute = 0 "ABSOLUTE", Relative = 1 "RELATIVE", NodeXyz = 2 "AT_NODE_XYZ",
        NodeMatrix = 4 "AT_NODE_MATRIX" }
}

record! {
    /// Rotates a node.
    #[derive(Default)]
    pub struct ObjectRotateState [Rc 20, Mw 20, Pm 20, Cs 20] with Tables {
        /// The node that is rotated.
        node @16: Ref as Index<i16, Node> key "NAME",
        /// Angles about x, y, z in radians.
        state @4: Vec3,
        /// What the angles are measured from. `ABSOLUTE` when absent.
        mode? @0: RotateMode else RotateMode::Absolute,
        /// The node whose angles are used, in modes that need one. None if absent.
        at_node? @18: Ref as Index<i16, Node> none 0i16,
    }
}

refit_base::plain! {
    /// A bound of a random launch.
    #[derive(Default)]
    pub struct Launch {
        /// Angle to the side, in degrees, as the engine reads it.
        yaw: F32,
        /// Angle upwards, in degrees, as the engine reads it.
        pitch: F32,
        /// Speed of the launch, in metres per second.
        speed: F32,
        /// Acceleration along the direction of the launch, in metres per second squared.
        acceleration: F32,
    }
}

/// The two bounds of a launch: in each of the four values, lower and upper bound are adjacent.
pub struct Launches;

impl Launches {
    const BITS: [u32; 2] = [0x8, 0x10];
    const NAMES: [&'static str; 2] = ["translation_range_min", "translation_range_max"];
    const VALUES: [&'static str; 4] = ["yaw", "pitch", "speed", "acceleration"];
    /// Bytes between two values of the same bound.
    const STEP: usize = 2 * F32::SIZE;

    fn bounds(m: &ObjectMotion) -> [&Option<Launch>; 2] {
        [&m.translation_range_min, &m.translation_range_max]
    }

    /// The bounds in the file, where the upper bound may be present although its flag is off.
    fn stored(m: &ObjectMotion) -> [&Option<Launch>; 2] {
        let [low, high] = Self::bounds(m);
        [
            low,
            if high.is_some() {
                high
            } else {
                &m.translation_range_max_off
            },
        ]
    }
}

impl FieldGroup<ObjectMotion, Tables> for Launches {
    const SIZE: usize = 2 * Launch::SIZE;
    fn load(m: &mut ObjectMotion, bytes: &[u8], flags: u32, _: Game, _: &Tables) {
        let bound = |i: usize| {
            let [yaw, pitch, speed, acceleration] = std::array::from_fn(|value| {
                Plain::get(cut(
                    bytes,
                    value * Launches::STEP + i * F32::SIZE,
                    F32::SIZE,
                ))
            });
            Launch {
                yaw,
                pitch,
                speed,
                acceleration,
            }
        };
        let [low, high] = Launches::BITS;
        m.translation_range_min = (flags & low != 0).then(|| bound(0));
        m.translation_range_max = (flags & high != 0).then(|| bound(1));
        m.translation_range_max_off = (flags & (low | high) == low)
            .then(|| bound(1))
            .filter(|launch| *launch != Launch::default());
    }
    fn store(m: &ObjectMotion, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
        for (i, bound) in Launches::stored(m).into_iter().enumerate() {
            let Some(Launch {
                yaw,
                pitch,
                speed,
                acceleration,
            }) = bound
            else {
                continue;
            };
            for (value, number) in [yaw, pitch, speed, acceleration].into_iter().enumerate() {
                number.put(cut_mut(
                    bytes,
                    value * Launches::STEP + i * F32::SIZE,
                    F32::SIZE,
                ));
            }
        }
        Ok(())
    }
    fn implied(m: &ObjectMotion, _: Game, _: &Tables) -> u32 {
        Launches::bounds(m)
            .into_iter()
            .zip(Launches::BITS)
            .filter(|(bound, _)| bound.is_some())
            .map(|(_, bit)| bit)
            .sum()
    }
    fn describe(m: &ObjectMotion, part: &mut Describe<'_>, _: Game, _: &Tables) {
        for (value, name) in Launches::VALUES.into_iter().enumerate() {
            for ((i, bound), outer) in Launches::stored(m)
                .into_iter()
                .enumerate()
                .zip(Launches::NAMES)
            {
                let off = i == 1 && m.translation_range_max.is_none() && bound.is_some();
                let outer = if off {
                    "translation_range_max_off"
                } else {
                    outer
                };
                let role = if bound.is_some() {
                    Role::Value
                } else {
                    Role::Padding
                };
                part.note(
                    value * Launches::STEP + i * F32::SIZE,
                    F32::SIZE,
                    &format!("{outer}.{name}"),
                    Notation::Float,
                    role,
                    None,
                );
            }
        }
    }
}

refit_base::record! {
    /// A velocity and how it changes.
    #[derive(Default)]
    pub struct Velocity {
        /// Change per second: metres, radians or factors, depending on the field that contains it.
        velocity: Vec3,
        /// Change of the velocity per second, in the same unit.
        acceleration: Vec3,
        /// Direction of a launch, which the studio's tool derived from yaw and pitch: x, y, z. Only
        /// for a translation.
        direction?: Vec3,
    }
}

const VELOCITY: &[(&str, usize, Notation)] = &[
    ("velocity", Vec3::SIZE, Vec3::KIND),
    ("acceleration", Vec3::SIZE, Vec3::KIND),
];

/// A velocity without the direction that is added.
pub struct Steady;

impl FieldCodec<Velocity, Tables> for Steady {
    type RuleInput = ();
    const SIZE: usize = 2 * Vec3::SIZE;
    const KIND: Notation = Notation::Fields(VELOCITY);
    fn load(bytes: &[u8], _: Game, _: &Tables, (): &()) -> Velocity {
        let [velocity, acceleration] = Plain::get(bytes);
        Velocity {
            velocity,
            acceleration,
            direction: None,
        }
    }
    fn store(value: &Velocity, bytes: &mut [u8], _: Game, _: &Tables, (): &()) -> Result<()> {
        if value.direction.is_some() {
            return Err(
                refit_base::wire::Error::say("only a `translation` has a direction")
                    .within("direction"),
            );
        }
        [value.velocity, value.acceleration].put(bytes);
        Ok(())
    }
}

/// A velocity and, after a gap, the direction that is added.
pub struct Thrown;

impl Thrown {
    const GAP: usize = 24;
    const DIRECTION: usize = 2 * Vec3::SIZE + Self::GAP;
}

impl FieldCodec<Velocity, Tables> for Thrown {
    type RuleInput = ();
    const SIZE: usize = Thrown::DIRECTION + Vec3::SIZE;
    const KIND: Notation = Notation::Bytes;
    fn load(bytes: &[u8], _: Game, _: &Tables, (): &()) -> Velocity {
        let [velocity, acceleration] = Plain::get(bytes);
        let direction = Vec3::get(cut(bytes, Thrown::DIRECTION, Vec3::SIZE));
        Velocity {
            velocity,
            acceleration,
            direction: (direction != Vec3::default()).then_some(direction),
        }
    }
    fn store(value: &Velocity, bytes: &mut [u8], _: Game, _: &Tables, (): &()) -> Result<()> {
        [value.velocity, value.acceleration].put(bytes);
        if let Some(direction) = &value.direction {
            direction.put(cut_mut(bytes, Thrown::DIRECTION, Vec3::SIZE));
        }
        Ok(())
    }
    fn describe(value: &Velocity, field: &Describe<'_>, name: &str, _: Game, _: &Tables) {
        let mut at = 0;
        let direction = if value.direction.is_some() {
            Role::Value
        } else {
            Role::Padding
        };
        for (inner, size, kind, role) in [
            (".velocity", Vec3::SIZE, Vec3::KIND, Role::Value),
            (".acceleration", Vec3::SIZE, Vec3::KIND, Role::Value),
            ("", Thrown::GAP, Notation::Bytes, Role::Padding),
            (".direction", Vec3::SIZE, Vec3::KIND, direction),
        ] {
            field.note(at, size, &format!("{name}{inner}"), kind, role, None);
            at += size;
        }
    }
}

refit_base::plain! {
    /// A rotation in the direction of movement.
    pub struct Forward {
        /// How fast it turns, in Recoil in radians per second.
        velocity: F32,
        /// Change of that velocity per second.
        acceleration: F32,
    }
}

/// A sound at a bounce.
#[derive(Clone, PartialEq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BounceSound {
    /// The sound, one of the definition's static sounds.
    pub name: Ref,
    /// Speed in metres per second at which the sound reaches its full volume.
    pub full_volume_velocity: F32,
}

/// The sound of a bounce: its index, and the speed.
pub struct SoundSlot;

impl FieldCodec<BounceSound, Tables> for SoundSlot {
    type RuleInput = ();
    const SIZE: usize = i16::SIZE + F32::SIZE;
    const KIND: Notation = Notation::Fields(&[
        ("name", i16::SIZE, i16::KIND),
        ("full_volume_velocity", F32::SIZE, F32::KIND),
    ]);
    fn load(bytes: &[u8], game: Game, tables: &Tables, (): &()) -> BounceSound {
        let (index, velocity) = bytes.split_at_checked(i16::SIZE).unwrap_or_default();
        let name =
            <Index<i16, StaticSound> as FieldCodec<Ref, Tables>>::load(index, game, tables, &());
        BounceSound {
            name,
            full_volume_velocity: Plain::get(velocity),
        }
    }
    fn store(
        sound: &BounceSound,
        bytes: &mut [u8],
        game: Game,
        tables: &Tables,
        (): &(),
    ) -> Result<()> {
        let (index, velocity) = bytes.split_at_mut_checked(i16::SIZE).unwrap_or_default();
        <Index<i16, StaticSound> as FieldCodec<Ref, Tables>>::store(
            &sound.name,
            index,
            game,
            tables,
            &(),
        )?;
        sound.full_volume_velocity.put(velocity);
        Ok(())
    }
    fn describe(_: &BounceSound, field: &Describe<'_>, name: &str, game: Game, tables: &Tables) {
        field.coded::<Index<i16, StaticSound>, Ref, Tables>(
            0,
            &format!("{name}.name"),
            Role::Value,
            game,
            tables,
        );
        field.plain::<F32>(
            i16::SIZE,
            &format!("{name}.full_volume_velocity"),
            Role::Value,
        );
    }
}

impl ObjectMotion {
    /// The index of a bounce's sequence, which the game finds at run time.
    fn index_of(sequence: &Option<Text<32>>, game: Game) -> i16 {
        if game.itself() == Game::Rc && sequence.is_none() {
            0
        } else {
            -1
        }
    }
}

record! {
    /// Makes a node fly, rotate, grow, morph and bounce.
    #[derive(Default)]
    pub struct ObjectMotion [Rc 240, Mw 320, Pm 320, Cs 320] with Tables {
        /// The node that moves.
        node @4: Ref as Index<i16, Node> key "NAME",
        _ @6: pad 6,
        /// How long the motion takes, in seconds.
        run_time? @[Rc 236, _ 316]: F32 on 0x400 key 4 "RUN_TIME",
        /// It flies off in the direction of what hit it.
        impact_force!: bit 0x2 key 1 "IMPACT_FORCE",
        /// Acceleration of the fall, in metres per second squared: usually -9.8.
        gravity? @12: F32 on 0x1,
        /// The fall takes account of the ground: the node bounces and slides.
        gravity_complex!: bit 0x2000,
        /// The fall does not end at the ground.
        gravity_no_altitude!: bit 0x4000,
        /// Falling stops at the first obstacle (CS).
        gravity_do_intersections!: bit 0x8000,
        /// The lower bound of a random launch.
        translation_range_min?: Launch in launches,
        /// The upper bound of a random launch.
        translation_range_max?: Launch in launches,
        /// The stored value of the upper bound if only the lower one has its flag, unless zero. The
        /// engine tests only the lower one's flag.
        translation_range_max_off?: Launch in launches,
        /// Least and greatest yaw, pitch, speed and acceleration of a random launch: the flags 0x8
        /// and 0x10.
        launches @20: part Launches,
        /// How it moves: metres per second along x, y, z.
        translation? @52: Velocity as Thrown on 0x4,
        /// Rotation in the direction of movement by distance covered: the value at the start.
        | forward_rotation_distance? @112: F32 on 0x40,
        /// Rotation in the direction of movement by time.
        forward_rotation_time? @112: Forward on 0x80,
        _ @120: pad 4,
        /// How it rotates about x, y, z: radians per second.
        xyz_rotation? @124: Velocity as Steady on 0x20,
        _ @148: pad 12,
        /// How it grows along x, y, z: factors per second.
        scale? @160: Velocity as Steady on 0x100,
        _ @184: pad 12,
        /// How fast its model morphs: share of the whole way per second, probably.
        morph? @16: F32 on 0x200 key 2 "MORPH",
        /// The sequence that runs at a bounce.
        bounce_sequence? @196: Text<32> on 0x800 if 0x800 key 2 "BOUNCE_SEQUENCE",
        /// The sequence that runs at a bounce on water (MW, PM, CS).
        [Mw Pm Cs] bounce_sequence_water? @236: Text<32> on 0x800 if 0x800
            key 3 "BOUNCE_SEQUENCE_WATER",
        /// The sequence that runs at a bounce on lava (MW, PM, CS).
        [Mw Pm Cs] bounce_sequence_lava? @276: Text<32> on 0x800 if 0x800
            key 3 "BOUNCE_SEQUENCE_LAVA",
        /// The sound of a bounce; on ground only, if water and lava have their own.
        bounce_sound? @230: BounceSound as SoundSlot on 0x1000 if 0x1000,
        /// The sound of a bounce on water (MW, PM, CS).
        [Mw Pm Cs] bounce_sound_water? @270: BounceSound as SoundSlot on 0x1000 if 0x1000,
        /// The sound of a bounce on lava (MW, PM, CS).
        [Mw Pm Cs] bounce_sound_lava? @310: BounceSound as SoundSlot on 0x1000 if 0x1000,
        /// The index of the sequence of a bounce, found at run time: −1, and 0 in Recoil without a
        /// sequence.
        let bounce_index @228: i16 = |m| ObjectMotion::index_of(&m.bounce_sequence, m.game),
        /// The same on water.
        [Mw Pm Cs] let bounce_index_water @268: i16 = |_| -1,
        /// The same on lava.
        [Mw Pm Cs] let bounce_index_lava @308: i16 = |_| -1,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}

record! {
    /// Moves, rotates, scales or morphs a node from one state to another.
    #[derive(Default)]
    pub struct ObjectMotionFromTo [Rc 132, Mw 132, Pm 132, Cs 132] with Tables {
        /// The node that moves.
        node @4: Ref as Index<i32, Node> key "NAME",
        /// How long the change takes, in seconds.
        run_time @128: F32,
        /// Position, metres: from and to.
        translate? @20: FromTo<Vec3> as Rated with run_time on 0x1,
        /// Angles about x, y, z in radians: from and to.
        rotate? @56: FromTo<Vec3> as Rated with run_time on 0x2,
        /// Factors along x, y, z: from and to.
        scale? @92: FromTo<Vec3> as Rated with run_time on 0x4,
        /// How far its model is morphed, 0 to 1: from and to.
        morph? @8: FromTo<F32> as Rated with run_time on 0x8,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}

/// The script of an event, by its position in the table of the file (PM) or of the definition (CS).
pub struct ScriptIndex;

impl ScriptIndex {
    fn table(game: Game) -> ListKind {
        if game == Game::Pm {
            ListKind::FileScript
        } else {
            ListKind::Script
        }
    }
}

impl FieldGroup<ObjectMotionSiScript, Tables> for ScriptIndex {
    const SIZE: usize = 4;
    fn load(event: &mut ObjectMotionSiScript, bytes: &[u8], _: u32, game: Game, tables: &Tables) {
        event.script = Some(tables.name(ScriptIndex::table(game), i32::get(bytes)));
    }
    fn store(
        event: &ObjectMotionSiScript,
        bytes: &mut [u8],
        game: Game,
        tables: &Tables,
    ) -> Result<()> {
        let none = Ref::default();
        tables
            .index(
                ScriptIndex::table(game),
                event.script.as_ref().unwrap_or(&none),
            )?
            .put(bytes);
        Ok(())
    }
    fn describe(_: &ObjectMotionSiScript, part: &mut Describe<'_>, game: Game, tables: &Tables) {
        let meaning = tables
            .name(ScriptIndex::table(game), i32::get(part.cut(0, 4)))
            .to_string();
        part.note(0, 4, "script", Notation::Signed, Role::Value, Some(meaning));
    }
}

record! {
    /// Moves a node along the frames of a script.
    #[derive(Default)]
    pub struct ObjectMotionSiScript [Rc 20, Mw 24, Pm 24, Cs 64] with Tables {
        [Cs] _ @0: pad 4,
        /// The node that the script moves.
        node @[Cs 4, _ 0]: Ref as Index<i32, Node> key "NAME",
        /// The script's document, without its extension.
        script?: Ref in script_index,
        /// The script: its position in the table of the file (PM) or in the list of the definition
        /// (CS).
        [Pm Cs] script_index @[Pm 4, Cs 8]: part ScriptIndex,
        /// The frames follow: their count is written with them.
        [Rc Mw] let frames @4: u32 = |m| m.inline.as_ref().map_or(0, Script::frame_count),
        [Rc] _ @8: pad 12,
        [Mw Pm] _ @8: pad 16,
        [Cs] _ @12: pad 52,
    } below {
        /// The script itself, if it does not have its own document (RC, MW).
        inline?: Script,
    }
}

impl ObjectMotionSiScript {
    /// True if a body can have `size` bytes. In RC and MW, the frames follow in the body.
    pub fn fits(size: usize, game: Game) -> bool {
        size == Self::size(game) || size > Self::size(game) && Script::is_inline(game)
    }
}

record! {
    /// One of several simultaneous scripts (CS): a whole event of type 12.
    #[derive(Default)]
    pub struct ScriptItem [Cs 76] with Tables {
        /// 12: the item is a whole event.
        let r#type @0: u8 = |_| 12,
        /// 1.
        let start @1: u8 = |_| 1,
        _ @2: pad 2,
        /// 76.
        let size @4: u32 = |_| 76,
        _ @8: pad 8,
        /// The node that the script moves.
        node @16: Ref as Index<i32, Node>,
        /// The script, one of the definition's `scripts`.
        script? @20: Ref as Index<i32, DefinitionScript> always,
        _ @24: pad 52,
    } below {
        /// Bytes of the event that no field expresses.
        extra!: Extra,
    }
}

record! {
    /// Sets a node's opacity.
    #[derive(Default)]
    pub struct ObjectOpacityState [Rc 12, Mw 12, Pm 12, Cs 12] with Tables {
        /// The node whose opacity is set.
        node @8: Ref as Index<i16, Node> key "NAME",
        _ @10: pad 2,
        /// Whether it is translucent.
        state @0: Bool<u16>,
        /// Its opacity: 0 is invisible, 1 is solid.
        opacity? @4: F32 on 0x1,
        /// Bits in which the word for an opacity differs.
        flags_differ~ @2: flags u16,
    }
}

refit_base::open_enum! {
    /// Whether a node is translucent.
    pub enum Translucent: i16 { Leave = -1 "LEAVE", Off = 0 "OFF", On = 1 "ON" }
}

// Not derived: the macro above writes all derives itself.
#[allow(clippy::derivable_impls)]
impl Default for Translucent {
    fn default() -> Self {
        Translucent::Off
    }
}

record! {
    /// Fades a node.
    #[derive(Default)]
    pub struct ObjectOpacityFromTo [Rc 24, Mw 24, Pm 24, Cs 24] with Tables {
        /// The node that fades.
        node @0: Ref as Index<i32, Node> key "NAME",
        /// How long the change takes, in seconds.
        run_time @20: F32 key "RUN_TIME",
        /// Its opacity, from and to: 0 is invisible, 1 is solid.
        opacity @8: FromTo<F32> as Rated with run_time,
        /// Whether it is translucent from the start.
        state_from @4: Translucent,
        /// Whether it is translucent after the end.
        state_to @6: Translucent,
    }
}

record! {
    /// Attaches a node below another one, or detaches it.
    #[derive(Default)]
    pub struct ParentChild [Rc 4, Mw 4, Pm 4, Cs 4] with Tables {
        /// The node that it is attached to or detached from.
        parent: Ref as Index<i16, Node>,
        /// The node that is attached or detached.
        child: Ref as Index<i16, Node>,
    }
}

record! {
    /// Starts the animated texture of a node at a frame.
    #[derive(Default)]
    pub struct ObjectCycleTexture [Rc 8, Mw 8, Pm 8, Cs 8] with Tables {
        /// The node whose texture is animated.
        node @4: Ref as Index<i16, Node> key "NAME",
        /// The frame at which it begins, from 0.
        reset @6: u16,
        /// Always 1.
        flags~ @0: Hex<u32> = |_| Hex(1),
    }
}
