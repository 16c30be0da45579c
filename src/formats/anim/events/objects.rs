//! What happens to nodes: shown, moved, turned, scaled, faded, hung elsewhere.

use crate::{
    formats::anim::{
        fields::{Bool, Fields, FromTo, Layout, Side, body},
        names::{Kind, Ref},
        scripts::Script,
    },
    game::Game,
    wire::{Extra, F32, Hex, Text, Vec3},
};

body! {
    /// Shows or hides a node.
    pub struct ObjectActiveState {
        node: Ref,
        state: Bool<u32>,
    }
}

impl Layout for ObjectActiveState {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.state);
        f.index::<i16>(Kind::Node, &mut self.node);
    }
}

body! {
    /// Moves a node.
    pub struct ObjectTranslateState {
        node: Ref,
        state: Vec3,
        relative? Bool<u32>,
        at_node? Ref,
    }
}

impl Layout for ObjectTranslateState {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.some(&mut self.relative);
        f.plain(&mut self.state);
        f.index::<i16>(Kind::Node, &mut self.node);
        f.maybe::<i16>(Kind::Node, &mut self.at_node, 0);
    }
}

body! {
    /// Scales a node.
    pub struct ObjectScaleState {
        node: Ref,
        state: Vec3,
    }
}

impl Layout for ObjectScaleState {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.state);
        f.index::<i32>(Kind::Node, &mut self.node);
    }
}

crate::open_enum! {
    /// What a rotation is measured from.
    pub enum RotateMode: u32 { Absolute = 0 "ABSOLUTE", Relative = 1 "RELATIVE", NodeXyz = 2 "AT_NODE_XYZ", NodeMatrix = 4 "AT_NODE_MATRIX" }
}

body! {
    /// Turns a node.
    pub struct ObjectRotateState {
        node: Ref,
        /// Angles about x, y, z in radians.
        state: Vec3,
        /// `ABSOLUTE` when absent.
        mode? RotateMode,
        at_node? Ref,
    }
}

impl Layout for ObjectRotateState {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.usual(&mut self.mode, RotateMode::Absolute);
        f.plain(&mut self.state);
        f.index::<i16>(Kind::Node, &mut self.node);
        f.maybe::<i16>(Kind::Node, &mut self.at_node, 0);
    }
}

body! {
    /// A bound of a random launch.
    pub struct Launch {
        /// Degrees, as the engine reads it.
        yaw: F32,
        pitch: F32,
        /// Units per second.
        speed: F32,
        acceleration: F32,
    }
}

body! {
    /// A velocity and how it changes.
    pub struct Velocity {
        velocity: Vec3,
        acceleration: Vec3,
        /// A direction that the engine adds.
        random? Vec3,
    }
}

body! {
    /// A rotation in the direction of the movement.
    pub struct Forward {
        start: F32,
        rate: F32,
    }
}

body! {
    /// A sound at a bounce.
    pub struct BounceSound {
        name: Ref,
        full_volume_velocity: F32,
    }
}

body! {
    /// Lets a node fly, turn, grow, morph and bounce.
    pub struct ObjectMotion {
        node: Ref,
        /// Seconds.
        run_time? F32,
        impact_force! bool,
        /// Usually -9.8.
        gravity? F32,
        gravity_complex! bool,
        gravity_no_altitude! bool,
        /// The lower bound of a random launch.
        translation_range_min? Launch,
        /// The upper bound of a random launch.
        translation_range_max? Launch,
        translation? Velocity,
        /// By the distance covered: the start.
        forward_rotation_distance? F32,
        /// By time.
        forward_rotation_time? Forward,
        /// Radians per second.
        xyz_rotation? Velocity,
        scale? Velocity,
        /// Morph rate.
        morph? F32,
        /// The sequence that runs at a bounce.
        bounce_sequence? Text<32>,
        bounce_sequence_water? Text<32>,
        bounce_sequence_lava? Text<32>,
        bounce_sound? BounceSound,
        bounce_sound_water? BounceSound,
        bounce_sound_lava? BounceSound,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

/// One bound of the launch, whose four values stand apart.
fn launch(f: &mut Fields<'_, impl Side>, bit: u32, at: usize, value: &mut Option<Launch>) {
    f.group(bit, value, |f, v| {
        f.at(at).plain(&mut v.yaw);
        f.at(at + 8).plain(&mut v.pitch);
        f.at(at + 16).plain(&mut v.speed);
        f.at(at + 24).plain(&mut v.acceleration);
    });
}

impl Layout for ObjectMotion {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let rc = f.game == Game::Rc;
        f.flags();
        f.index::<i16>(Kind::Node, &mut self.node);
        f.bit(0x2, &mut self.impact_force);
        f.bit(0x2000, &mut self.gravity_complex);
        f.bit(0x4000, &mut self.gravity_no_altitude);
        f.at(12).on(0x1, &mut self.gravity);
        f.on(0x200, &mut self.morph);
        launch(f, 0x8, 20, &mut self.translation_range_min);
        launch(f, 0x10, 24, &mut self.translation_range_max);
        f.group(0x4, &mut self.translation, |f, v| {
            f.at(52).plain(&mut v.velocity);
            f.plain(&mut v.acceleration);
            f.at(100).some(&mut v.random);
        });
        f.at(112).on(0x40, &mut self.forward_rotation_distance);
        f.group(0x80, &mut self.forward_rotation_time, |f, v| {
            f.at(112).plain(&mut v.start);
            f.plain(&mut v.rate);
        });
        for (bit, at, value) in [(0x20, 124, &mut self.xyz_rotation), (0x100, 160, &mut self.scale)] {
            f.group(bit, value, |f, v| {
                f.at(at).plain(&mut v.velocity);
                f.plain(&mut v.acceleration);
            });
        }
        let slots = [
            (&mut self.bounce_sequence, &mut self.bounce_sound),
            (&mut self.bounce_sequence_water, &mut self.bounce_sound_water),
            (&mut self.bounce_sequence_lava, &mut self.bounce_sound_lava),
        ];
        // A set flag whose slots are all empty stands in `flags_differ`.
        let (named, loud) = (f.has(0x800), f.has(0x1000));
        for (i, (sequence, sound)) in slots.into_iter().enumerate().take(if rc { 1 } else { 3 }) {
            f.at(196 + 40 * i).some_when(named, sequence);
            f.imply(0x800, sequence.is_some());
            f.put(&if rc && sequence.is_none() { 0i16 } else { -1 });
            let mut there = sound.take().unwrap_or_default();
            f.index::<i16>(Kind::StaticSound, &mut there.name);
            f.plain(&mut there.full_volume_velocity);
            if there != BounceSound::default() && (loud || !f.reads()) {
                f.imply(0x1000, true);
                *sound = Some(there);
            }
        }
        f.at(if rc { 236 } else { 316 }).on(0x400, &mut self.run_time);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Moves, turns, grows or morphs a node from one state to another.
    pub struct ObjectMotionFromTo {
        node: Ref,
        /// Seconds.
        run_time: F32,
        translate? FromTo<Vec3>,
        /// Radians.
        rotate? FromTo<Vec3>,
        scale? FromTo<Vec3>,
        /// 0 to 1.
        morph? FromTo<F32>,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for ObjectMotionFromTo {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.at(128).plain(&mut self.run_time);
        let time = self.run_time;
        f.at(0).flags();
        f.index::<i32>(Kind::Node, &mut self.node);
        f.group(0x8, &mut self.morph, |f, v| f.at(8).change(v, time));
        for (bit, at, value) in [(0x1, 20, &mut self.translate), (0x2, 56, &mut self.rotate), (0x4, 92, &mut self.scale)] {
            f.group(bit, value, |f, v| f.at(at).change(v, time));
        }
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Moves a node along the frames of a script.
    pub struct ObjectMotionSiScript {
        node: Ref,
        /// The script's document, without its extension.
        script? Ref,
        /// The script itself, where it is not a document of its own (RC, MW).
        inline? Script,
    }
}

impl ObjectMotionSiScript {
    /// Bytes before the frames, or all.
    pub fn size(game: Game) -> usize {
        match game {
            Game::Rc | Game::RcDemo => 20,
            Game::Mw | Game::Pm => 24,
            Game::Cs => 64,
        }
    }

    /// True when a body can have `size` bytes: the frames follow where events hold them.
    pub fn fits(size: usize, game: Game) -> bool {
        size == Self::size(game) || size > Self::size(game) && Script::is_inline(game)
    }
}

impl Layout for ObjectMotionSiScript {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        if f.game == Game::Cs {
            f.skip(4);
        }
        f.index::<i32>(Kind::Node, &mut self.node);
        match f.game {
            // Frames follow: their count is written with them.
            Game::Rc | Game::Mw => {
                let frames = self.inline.as_ref().map_or(0, Script::frame_count);
                f.put(&frames);
            }
            game => {
                let mut there = self.script.take().unwrap_or_default();
                f.index::<i32>(if game == Game::Pm { Kind::FileScript } else { Kind::Script }, &mut there);
                self.script = Some(there).filter(|s| *s != Ref::default() || f.reads());
            }
        }
    }
}

body! {
    /// One of several scripts that run at once (CS).
    pub struct ScriptItem {
        node: Ref,
        script? Ref,
        /// What the event's typed form cannot say.
        #[serde(default, skip_serializing_if = "Extra::is_empty")]
        extra: Extra,
    }
}

body! {
    /// Sets a node's opacity.
    pub struct ObjectOpacityState {
        node: Ref,
        state: Bool<u16>,
        /// 0 to 1.
        opacity? F32,
        /// Bits in which the word that tells of an opacity differs.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for ObjectOpacityState {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.state);
        f.flags16();
        f.on(0x1, &mut self.opacity);
        f.index::<i16>(Kind::Node, &mut self.node);
        f.end_flags(&mut self.flags_differ);
    }
}

crate::open_enum! {
    /// Whether a node is translucent.
    pub enum Translucent: i16 { Leave = -1 "LEAVE", Off = 0 "OFF", On = 1 "ON" }
}

// The macro above owns the derives.
#[allow(clippy::derivable_impls)]
impl Default for Translucent {
    fn default() -> Self {
        Translucent::Off
    }
}

body! {
    /// Fades a node.
    pub struct ObjectOpacityFromTo {
        node: Ref,
        /// Seconds.
        run_time: F32,
        /// 0 to 1.
        opacity: FromTo<F32>,
        state_from: Translucent,
        state_to: Translucent,
    }
}

impl Layout for ObjectOpacityFromTo {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.at(20).plain(&mut self.run_time);
        f.at(0).index::<i32>(Kind::Node, &mut self.node);
        f.plain(&mut self.state_from);
        f.plain(&mut self.state_to);
        f.change(&mut self.opacity, self.run_time);
    }
}

body! {
    /// Hangs a node below another one, or takes it away.
    pub struct ParentChild {
        parent: Ref,
        child: Ref,
    }
}

impl Layout for ParentChild {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.index::<i16>(Kind::Node, &mut self.parent);
        f.index::<i16>(Kind::Node, &mut self.child);
    }
}

body! {
    /// Starts the animated texture of a node at a frame.
    pub struct ObjectCycleTexture {
        node: Ref,
        reset: u16,
        /// Always 1.
        flags~ Hex<u32>,
    }
}

impl Layout for ObjectCycleTexture {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.odd(&mut self.flags, Hex(1));
        f.index::<i16>(Kind::Node, &mut self.node);
        f.plain(&mut self.reset);
    }
}
