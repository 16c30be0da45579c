//! Sounds, effects, lights, fog, and what colours the picture.

use crate::{
    formats::anim::{
        fields::{Bool, Fields, FromTo, Layout, Side, body},
        names::{Kind, Ref},
    },
    game::Game,
    wire::{F32, Hex, Text, Vec3},
};

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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.at(32).index::<i32>(Kind::Light, &mut self.light);
        f.at(0).repeated(&mut self.name, Kind::Light, &self.light);
        f.at(36).plain(&mut self.range);
        f.some(&mut self.range_acceleration);
        f.at(60).plain(&mut self.color);
        f.some(&mut self.color_acceleration);
        f.at(96).plain(&mut self.run_time);
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.weapon);
        f.index::<i16>(Kind::Node, &mut self.at_node);
        f.plain(&mut self.position);
    }
}
