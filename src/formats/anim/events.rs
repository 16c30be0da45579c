//! The bodies of events (anim.md, section 10; crimson-skies.md, section 6.7). Keys are those of the reader files.

use super::{
    fields::{Bool, Fields, FromTo, Layout, body},
    names::{Kind, Ref},
    scripts::Script,
};
use crate::{
    game::Game,
    wire::{Extra, F32, Hex, Odd, Text, Vec3},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

type Range = [F32; 2];
type Bool32 = Bool<u32>;

body! {
    /// Plays a sound that the definition lists among its static sounds.
    pub struct Sound {
        sound: Ref,
        /// Where it plays; nowhere in the world when absent.
        at_node? Ref,
        /// Offset from the node.
        position? Vec3,
    }
}

impl Layout for Sound {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.index::<i16>(Kind::StaticSound, &mut self.sound);
        f.maybe::<i16>(Kind::Node, &mut self.at_node, 0);
        f.some(&mut self.position);
    }
}

body! {
    /// Switches a dynamic sound on or off.
    pub struct SoundNode {
        sound: Ref,
        /// The event's own copy of the name, where it is not that of the sound.
        name~ Text<32>,
        active_state: Bool<u32>,
        at_node? Ref,
        position? Vec3,
        /// The position is one in the world.
        absolute! bool,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for SoundNode {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.at(32).index::<i32>(Kind::DynamicSound, &mut self.sound);
        f.at(0).repeated(&mut self.name, Kind::DynamicSound, &self.sound);
        f.at(36).flags();
        f.plain(&mut self.active_state);
        f.bit(0x1, &mut self.absolute);
        f.on_index::<i32>(0x2, Kind::Node, &mut self.at_node, 0);
        f.some(&mut self.position);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Shows an effect (Recoil).
    pub struct Effect {
        effect: Ref,
        at_node? Ref,
        position? Vec3,
    }
}

impl Layout for Effect {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.index::<i16>(Kind::Effect, &mut self.effect);
        f.maybe::<i16>(Kind::Node, &mut self.at_node, 0);
        f.some(&mut self.position);
    }
}

crate::open_enum! {
    /// What kind of light it is.
    pub enum LightType: u32 { Directed = 0 "DIRECTED", PointSource = 1 "POINT_SOURCE" }
}

body! {
    /// Sets properties of a light; only those that are named change.
    pub struct LightState {
        light: Ref,
        /// The event's own copy of the name, where it is not that of the light.
        name~ Text<32>,
        active_state: Bool<u32>,
        /// `POINT_SOURCE` when absent.
        r#type? LightType,
        at_node? Ref,
        position? Vec3,
        /// The position is one in the world.
        absolute! bool,
        orientation? Vec3,
        /// Near and far.
        range? [F32; 2],
        /// Red, green, blue, 0 to 1.
        color? Vec3,
        ambient_color? Vec3,
        ambient? F32,
        diffuse? F32,
        directional? Bool<u32>,
        saturated? Bool<u32>,
        subdivide? Bool<u32>,
        lightmap? Bool<u32>,
        r#static? Bool<u32>,
        bicolored? Bool<u32>,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for LightState {
    fn fields(&mut self, f: &mut Fields<'_>) {
        let (rc, wide) = (f.game == Game::Rc, matches!(f.game, Game::Pm | Game::Cs));
        f.at(32).index::<i32>(Kind::Light, &mut self.light);
        f.at(0).repeated(&mut self.name, Kind::Light, &self.light);
        f.at(36).flags();
        f.plain(&mut self.active_state);
        f.usual(&mut self.r#type, LightType::PointSource);
        f.on(0x80, &mut self.directional);
        f.on(0x100, &mut self.saturated);
        if !rc {
            f.on(0x200, &mut self.subdivide);
        }
        if wide {
            f.on(0x2000, &mut self.lightmap);
        }
        if !rc {
            f.on(0x400, &mut self.r#static);
        }
        if wide {
            f.on(0x1000, &mut self.bicolored);
        }
        f.on_index::<i32>(0x2, Kind::Node, &mut self.at_node, 0);
        f.bit(0x1, &mut self.absolute);
        f.some_when(f.has(0x3), &mut self.position);
        f.on(0x4, &mut self.orientation);
        f.on(0x8, &mut self.range);
        f.on(0x10, &mut self.color);
        if wide {
            f.on(0x800, &mut self.ambient_color);
        }
        f.on(0x20, &mut self.ambient);
        f.on(0x40, &mut self.diffuse);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Changes a light's range and colour at constant rates.
    pub struct LightAnimation {
        light: Ref,
        /// The event's own copy of the name, where it is not that of the light.
        name~ Text<32>,
        /// Change of near and far, per second.
        range: [F32; 2],
        range_acceleration? [F32; 2],
        /// Change of red, green, blue, per second.
        color: Vec3,
        color_acceleration? Vec3,
        /// Seconds.
        run_time: F32,
    }
}

impl Layout for LightAnimation {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.at(32).index::<i32>(Kind::Light, &mut self.light);
        f.at(0).repeated(&mut self.name, Kind::Light, &self.light);
        f.at(36).plain(&mut self.range);
        f.some(&mut self.range_acceleration);
        f.at(60).plain(&mut self.color);
        f.some(&mut self.color_acceleration);
        f.at(96).plain(&mut self.run_time);
    }
}

body! {
    /// Shows or hides a node.
    pub struct ObjectActiveState {
        node: Ref,
        state: Bool<u32>,
    }
}

impl Layout for ObjectActiveState {
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
fn launch(f: &mut Fields<'_>, bit: u32, at: usize, value: &mut Option<Launch>) {
    f.group(bit, value, |f, v| {
        f.at(at).plain(&mut v.yaw);
        f.at(at + 8).plain(&mut v.pitch);
        f.at(at + 16).plain(&mut v.speed);
        f.at(at + 24).plain(&mut v.acceleration);
    });
}

impl Layout for ObjectMotion {
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
            Game::Rc => 20,
            Game::Mw | Game::Pm => 24,
            Game::Cs => 64,
        }
    }
}

impl Layout for ObjectMotionSiScript {
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
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
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.odd(&mut self.flags, Hex(1));
        f.index::<i16>(Kind::Node, &mut self.node);
        f.plain(&mut self.reset);
    }
}

body! {
    /// Stretches an object between two points.
    pub struct ObjectConnector {
        node: Ref,
        /// Seconds.
        run_time: F32,
        from_node? Ref,
        from_input_node! bool,
        from_pos? Vec3,
        from_input_pos! bool,
        /// The start stays where it is at the first tick.
        from_freeze! bool,
        /// Where on the line the object begins, 0 to 1.
        from_t? F32,
        /// The same, moving: start and end.
        from_t_range? [F32; 2],
        /// Change per second, only where it is not the one that start and end give.
        from_t_rate~ F32,
        to_node? Ref,
        to_input_node! bool,
        to_pos? Vec3,
        to_input_pos! bool,
        /// The end stays where it is at the first tick.
        to_freeze! bool,
        /// Where on the line the object ends, 0 to 1; 1 when absent.
        to_t? F32,
        to_t_range? [F32; 2],
        to_t_rate~ F32,
        max_length? F32,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

/// A place on the line: one number, or two that it moves between.
fn connector_t(
    f: &mut Fields<'_>,
    (one_bit, range_bit): (u32, u32),
    off: f32,
    (one, range, odd_rate): (&mut Option<F32>, &mut Option<Range>, &mut Odd<F32>),
    run_time: F32,
) {
    let mut ends = range.or(one.map(|t| [t, t])).unwrap_or([F32::from(off); 2]);
    f.plain(&mut ends);
    if f.reads() {
        let single = f.has(one_bit) && !f.has(range_bit) && ends[0] == ends[1];
        *one = single.then_some(ends[0]);
        *range = (!single && f.has(one_bit | range_bit)).then_some(ends);
        // Switched off, the rate is that of the canonical ends.
    }
    f.imply(one_bit, one.is_some() && range.is_none());
    f.imply(range_bit, range.is_some());
    let [from, to] = if one.is_some() || range.is_some() { ends } else { [F32::from(off); 2] };
    f.odd(odd_rate, super::fields::rate(from, to, run_time));
}

impl Layout for ObjectConnector {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.at(68).plain(&mut self.run_time);
        let time = self.run_time;
        f.at(0).flags();
        f.index::<i16>(Kind::Node, &mut self.node);
        f.on_index::<i16>(0x1, Kind::Node, &mut self.from_node, 0);
        f.on_index::<i16>(0x20, Kind::Node, &mut self.to_node, 0);
        f.bit(0x2, &mut self.from_input_node);
        f.bit(0x4, &mut self.from_freeze);
        f.bit(0x10, &mut self.from_input_pos);
        f.bit(0x40, &mut self.to_input_node);
        f.bit(0x80, &mut self.to_freeze);
        f.bit(0x200, &mut self.to_input_pos);
        f.at(12).on(0x8, &mut self.from_pos);
        f.on(0x100, &mut self.to_pos);
        connector_t(f, (0x400, 0x800), 0.0, (&mut self.from_t, &mut self.from_t_range, &mut self.from_t_rate), time);
        f.at(52);
        connector_t(f, (0x1000, 0x2000), 1.0, (&mut self.to_t, &mut self.to_t_range, &mut self.to_t_rate), time);
        f.at(72).on(0x8000, &mut self.max_length);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Calls an animation that stretches an object between two points.
    pub struct CallObjectConnector {
        animation: Text<32>,
        /// The animation reference that keeps the running call.
        reference? Ref,
        from_node? Ref,
        from_node_pos? Ref,
        from_input_node! bool,
        from_input_node_pos! bool,
        from_pos? Vec3,
        from_input_pos! bool,
        to_node? Ref,
        to_node_pos? Ref,
        to_input_node! bool,
        to_input_node_pos! bool,
        to_pos? Vec3,
        to_input_pos! bool,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

/// Two ways to use the one node that is stored here.
fn two_uses(f: &mut Fields<'_>, (a_bit, a): (u32, &mut Option<Ref>), (b_bit, b): (u32, &mut Option<Ref>)) {
    let at = f.pos();
    f.on_index::<i16>(a_bit, Kind::Node, a, 0);
    if f.reads() || b.is_some() {
        f.at(at).on_index::<i16>(b_bit, Kind::Node, b, 0);
    }
    f.at(at + 2);
}

impl Layout for CallObjectConnector {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.flags();
        f.plain(&mut self.animation);
        f.at(38).maybe::<i16>(Kind::Reference, &mut self.reference, -1);
        two_uses(f, (0x1, &mut self.from_node), (0x2, &mut self.from_node_pos));
        two_uses(f, (0x40, &mut self.to_node), (0x80, &mut self.to_node_pos));
        f.bit(0x4, &mut self.from_input_node);
        f.bit(0x8, &mut self.from_input_node_pos);
        f.bit(0x20, &mut self.from_input_pos);
        f.bit(0x100, &mut self.to_input_node);
        f.bit(0x200, &mut self.to_input_node_pos);
        f.bit(0x800, &mut self.to_input_pos);
        f.on(0x10, &mut self.from_pos);
        f.on(0x400, &mut self.to_pos);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Sets properties of a camera.
    pub struct CameraState {
        node: Ref,
        near_clip? F32,
        far_clip? F32,
        lod_multiplier? F32,
        h_fov? F32,
        v_fov? F32,
        h_zoom? F32,
        v_zoom? F32,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for CameraState {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.flags();
        f.index::<i32>(Kind::Node, &mut self.node);
        let channels = [
            &mut self.near_clip,
            &mut self.far_clip,
            &mut self.lod_multiplier,
            &mut self.h_fov,
            &mut self.v_fov,
            &mut self.h_zoom,
            &mut self.v_zoom,
        ];
        for (i, channel) in channels.into_iter().enumerate() {
            f.on(1 << i, channel);
        }
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Changes properties of a camera.
    pub struct CameraFromTo {
        node: Ref,
        /// Seconds.
        run_time: F32,
        near_clip? FromTo<F32>,
        far_clip? FromTo<F32>,
        lod_multiplier? FromTo<F32>,
        h_fov? FromTo<F32>,
        v_fov? FromTo<F32>,
        h_zoom? FromTo<F32>,
        v_zoom? FromTo<F32>,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for CameraFromTo {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.at(92).plain(&mut self.run_time);
        let time = self.run_time;
        f.at(0).flags();
        f.index::<i32>(Kind::Node, &mut self.node);
        let channels = [
            &mut self.near_clip,
            &mut self.far_clip,
            &mut self.lod_multiplier,
            &mut self.h_fov,
            &mut self.v_fov,
            &mut self.h_zoom,
            &mut self.v_zoom,
        ];
        for (i, channel) in channels.into_iter().enumerate() {
            f.group(1 << i, channel, |f, v| f.at(8 + 12 * i).change(v, time));
        }
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Starts or stops a sequence of this definition.
    pub struct CallSequence {
        name: Text<32>,
    }
}

impl Layout for CallSequence {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.plain(&mut self.name);
        // The sequence's index, found at run time.
        f.put(&-1i32);
    }
}

body! {
    /// Starts another animation.
    pub struct CallAnimation {
        name: Text<32>,
        operand_node? Ref,
        at_node? Ref,
        with_node? Ref,
        position? Vec3,
        translate? Vec3,
        /// The sequence goes on when the animation has ended: the animation reference that keeps the running call.
        wait_for_completion? Ref,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for CallAnimation {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.plain(&mut self.name);
        f.maybe::<i16>(Kind::Node, &mut self.operand_node, 0);
        f.flags16();
        f.at(38).on_index::<i16>(0x10, Kind::Reference, &mut self.wait_for_completion, -1);
        two_uses(f, (0x1, &mut self.at_node), (0x8, &mut self.with_node));
        f.at(44).on(0x2, &mut self.position);
        f.on(0x4, &mut self.translate);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Stops, resets or invalidates another animation.
    pub struct OfAnimation {
        name: Text<32>,
        /// What is resolved at run time: not what the game's files usually hold.
        resolved~ Hex<u32>,
    }
}

impl OfAnimation {
    fn fields(&mut self, f: &mut Fields<'_>, resolved: u32) {
        f.plain(&mut self.name);
        f.odd(&mut self.resolved, Hex(resolved));
    }
}

/// STOP_ANIMATION.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StopAnimation(pub OfAnimation);

impl Layout for StopAnimation {
    fn fields(&mut self, f: &mut Fields<'_>) {
        self.0.fields(f, if matches!(f.game, Game::Pm | Game::Cs) { !0 } else { 0 });
    }
}

impl Layout for OfAnimation {
    fn fields(&mut self, f: &mut Fields<'_>) {
        OfAnimation::fields(self, f, 0);
    }
}

crate::open_enum! {
    /// How fog thickens.
    pub enum FogType: u32 { Off = 0 "OFF", Linear = 1 "LINEAR", Exponential = 2 "EXPONENTIAL" }
}

body! {
    /// Sets properties of the fog.
    pub struct FogState {
        /// `default_fog_name` when absent.
        name~ Text<32>,
        r#type? FogType,
        /// Red, green, blue, 0 to 1.
        color? Vec3,
        altitude? [F32; 2],
        /// Near and far.
        range? [F32; 2],
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for FogState {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.odd(&mut self.name, Text::new(b"default_fog_name").unwrap_or_default());
        f.flags();
        f.on_or(0x1, &mut self.r#type, FogType::Linear);
        f.on(0x2, &mut self.color);
        f.on(0x4, &mut self.altitude);
        f.on(0x8, &mut self.range);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Goes back to the beginning of the sequence.
    pub struct Loop {
        /// How often; -1 is for ever.
        loop_count? i16,
        /// How long, in seconds.
        loop_run_time? F32,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for Loop {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.flags();
        f.at(4).on(0x1, &mut self.loop_count);
        if f.reads() || self.loop_run_time.is_some() {
            f.at(4).on(0x2, &mut self.loop_run_time);
        }
        f.end_flags(&mut self.flags_differ);
    }
}

/// A distance that the file holds squared.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squared {
    /// The square.
    pub squared: F32,
}

/// A distance: the file holds its square. Where that is no square of a 32-bit number the square itself stands here.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distance {
    /// The distance.
    Plain(F32),
    /// What the file holds.
    Square(F32),
}

impl Distance {
    fn of(square: F32) -> Self {
        let root = F32::from(square.get().sqrt());
        let distance = Distance::Plain(root);
        if root.get().is_finite() && distance.square() == square { distance } else { Distance::Square(square) }
    }
    fn square(self) -> F32 {
        match self {
            Distance::Plain(d) => F32::from(d.get() * d.get()),
            Distance::Square(s) => s,
        }
    }
}

impl Serialize for Distance {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Distance::Plain(d) => d.serialize(s),
            Distance::Square(squared) => Squared { squared: *squared }.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Distance {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        use serde::de::{Error, IntoDeserializer, MapAccess, value};
        struct V;
        impl<'de> serde::de::Visitor<'de> for V {
            type Value = Distance;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a distance, or { \"squared\": … }")
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Distance, E> {
                let d: value::F64Deserializer<E> = v.into_deserializer();
                F32::deserialize(d).map(Distance::Plain)
            }
            fn visit_f32<E: Error>(self, v: f32) -> Result<Distance, E> {
                Ok(Distance::Plain(F32::from(v)))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Distance, E> {
                self.visit_f64(v as f64)
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Distance, E> {
                self.visit_f64(v as f64)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distance, A::Error> {
                let mut squared = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key != "squared" || squared.replace(map.next_value()?).is_some() {
                        return Err(A::Error::custom("expected `squared` alone"));
                    }
                }
                squared.map(Distance::Square).ok_or_else(|| A::Error::missing_field("squared"))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for Distance {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Distance".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (plain, square) = (generator.subschema_for::<F32>(), generator.subschema_for::<Squared>());
        schemars::json_schema!({ "description": "A distance; the file holds its square.", "anyOf": [plain, square] })
    }
}

/// A condition on a node's height.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeHeight {
    /// The node.
    pub node: Ref,
    /// Height.
    pub height: F32,
}

/// A condition on a node's state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeActive {
    /// The node.
    pub node: Ref,
    /// Its state.
    pub state: Bool32,
}

/// A condition that is not known, or is stored in another way than known ones.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherCondition {
    /// Which one.
    pub condition: Hex<u32>,
    /// The value's bits.
    pub value: Hex<u32>,
    /// A node's index.
    #[serde(default, skip_serializing_if = "crate::wire::is_zero")]
    pub node: i32,
}

/// What IF and ELSEIF ask.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Condition {
    /// True with this probability, 0 to 1.
    RandomWeight(F32),
    /// The player is within this distance.
    PlayerRange(Distance),
    /// The level of detail.
    AnimationLod(u32),
    /// There is this much room above the player (Recoil).
    PlayerClearance(F32),
    /// The node has cover within this height.
    NodeUndercover(NodeHeight),
    /// Hardware draws the picture.
    HwRender(Bool32),
    /// The player looks from inside.
    #[serde(rename = "PLAYER_1ST_PERSON")]
    Player1stPerson(Bool32),
    /// The node is below this altitude (CS).
    NodeBelowAltitude(NodeHeight),
    /// Health (CS).
    Health(F32),
    /// Health between two values (CS).
    HealthRange([F32; 2]),
    /// The node is active (CS).
    NodeActive(NodeActive),
    /// Another one.
    Other(OtherCondition),
}

impl Default for Condition {
    fn default() -> Self {
        Condition::RandomWeight(F32::default())
    }
}

impl Layout for Condition {
    fn fields(&mut self, f: &mut Fields<'_>) {
        if f.reads() {
            let (condition, index, bits): (u32, i32, u32) = (f.peek(0), f.peek(4), f.peek(8));
            let float = F32::from_bits(bits);
            let node = || f.tables.name(Kind::Node, index);
            let above = f.game == Game::Cs;
            *self = match condition {
                1 => Condition::RandomWeight(float),
                2 => Condition::PlayerRange(Distance::of(float)),
                4 => Condition::AnimationLod(bits),
                8 => Condition::PlayerClearance(float),
                16 => Condition::NodeUndercover(NodeHeight { node: node(), height: float }),
                32 => Condition::HwRender(Bool(bits)),
                64 => Condition::Player1stPerson(Bool(bits)),
                0x100 if above => Condition::NodeBelowAltitude(NodeHeight { node: node(), height: float }),
                0x800 if above => Condition::Health(float),
                0x1000 if above => Condition::HealthRange([float, F32::from_bits(f.peek(12))]),
                0x2000 if above => Condition::NodeActive(NodeActive { node: node(), state: Bool(bits) }),
                other => Condition::Other(OtherCondition { condition: Hex(other), value: Hex(bits), node: index }),
            };
            return;
        }
        let word = |f: &mut Fields<'_>, condition: u32, bits: u32| {
            f.at(0).put(&condition);
            f.at(8).put(&bits);
        };
        match self {
            Condition::RandomWeight(v) => word(f, 1, v.bits()),
            Condition::PlayerRange(v) => word(f, 2, v.square().bits()),
            Condition::AnimationLod(v) => word(f, 4, *v),
            Condition::PlayerClearance(v) => word(f, 8, v.bits()),
            Condition::NodeUndercover(v) => {
                word(f, 16, v.height.bits());
                f.at(4).index::<i32>(Kind::Node, &mut v.node);
            }
            Condition::HwRender(v) => word(f, 32, v.0),
            Condition::Player1stPerson(v) => word(f, 64, v.0),
            Condition::NodeBelowAltitude(v) => {
                word(f, 0x100, v.height.bits());
                f.at(4).index::<i32>(Kind::Node, &mut v.node);
            }
            Condition::Health(v) => word(f, 0x800, v.bits()),
            Condition::HealthRange([a, b]) => {
                word(f, 0x1000, a.bits());
                if f.size() > 12 {
                    f.at(12).put(b);
                }
            }
            Condition::NodeActive(v) => {
                word(f, 0x2000, v.state.0);
                f.at(4).index::<i32>(Kind::Node, &mut v.node);
            }
            Condition::Other(v) => {
                word(f, v.condition.0, v.value.0);
                f.at(4).put(&v.node);
            }
        }
    }
}

body! {
    /// ELSE, ENDIF: nothing more to say.
    pub struct Nothing {}
}

impl Layout for Nothing {
    fn fields(&mut self, _: &mut Fields<'_>) {}
}

body! {
    /// Calls the game's code.
    pub struct Callback {
        value: u32,
    }
}

impl Layout for Callback {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.plain(&mut self.value);
    }
}

body! {
    /// Shows a message (Recoil): an index into the file's messages, from 0; negative for none.
    pub struct ShowMessage {
        message: i32,
    }
}

impl Layout for ShowMessage {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.plain(&mut self.message);
    }
}

body! {
    /// Does nothing in the games.
    pub struct AnimVerbose {
        on: Bool<u32>,
    }
}

impl Layout for AnimVerbose {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.plain(&mut self.on);
    }
}

body! {
    /// Colours the whole picture: red, green, blue, alpha, 0 to 1.
    pub struct FbfxColorFromTo {
        from: [F32; 4],
        to: [F32; 4],
        /// Seconds.
        run_time: F32,
        /// Change per second, only where it is not `(to - from) / run_time`.
        rate~ [F32; 4],
    }
}

impl Layout for FbfxColorFromTo {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.at(48).plain(&mut self.run_time);
        let mut color = FromTo { from: self.from, to: self.to, rate: self.rate };
        f.at(0).channels(&mut color, self.run_time);
        *self = FbfxColorFromTo { from: color.from, to: color.to, rate: color.rate, run_time: self.run_time };
    }
}

body! {
    /// A change whose rate is not stored.
    pub struct Between {
        from: F32,
        to: F32,
    }
}

body! {
    /// A wave through the picture.
    pub struct FbfxCsinwaveFromTo {
        at_node? Ref,
        /// Offset from the node.
        offset? Vec3,
        screen_pos? FromTo<[F32; 2]>,
        world_radius? Between,
        screen_radius? FromTo<F32>,
        csin: FromTo<Vec3>,
        /// Seconds.
        run_time: F32,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for FbfxCsinwaveFromTo {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.at(96).plain(&mut self.run_time);
        let time = self.run_time;
        f.at(0).flags16();
        f.on_index::<i16>(0x2, Kind::Node, &mut self.at_node, 0);
        f.some_when(f.has(0x2), &mut self.offset);
        f.group(0x1, &mut self.screen_pos, |f, v| f.at(16).channels(v, time));
        f.group(0x8, &mut self.world_radius, |f, v| {
            f.at(40).plain(&mut v.from);
            f.plain(&mut v.to);
        });
        f.group(0x4, &mut self.screen_radius, |f, v| f.at(48).change(v, time));
        f.at(60).channels(&mut self.csin, time);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Lets a weapon explode.
    pub struct DetonateWeapon {
        weapon: Text<10>,
        at_node: Ref,
        /// Offset from the node.
        position: Vec3,
    }
}

impl Layout for DetonateWeapon {
    fn fields(&mut self, f: &mut Fields<'_>) {
        f.plain(&mut self.weapon);
        f.index::<i16>(Kind::Node, &mut self.at_node);
        f.plain(&mut self.position);
    }
}
