//! PUFFER_STATE, the largest event (anim.md, section 10, type 42).

use crate::{
    formats::anim::{
        fields::{Bool, Fields, Layout, Side, body},
        names::{Kind, Ref},
    },
    game::Game,
    wire::{Error, F32, Hex, Odd, Plain, Text, Vec3},
};

crate::open_enum! {
    /// What an interval counts.
    pub enum Interval: u32 { Time = 0 "TIME", Distance = 1 "DISTANCE" }
}

crate::plain! {
    /// One texture of a puff.
    pub struct Texture {
        /// Seconds.
        run_time: F32,
        name: Text<32>,
    }
}

crate::plain! {
    /// One colour of a puff's life.
    pub struct Color {
        unk0: F32,
        /// Red, green, blue.
        color: Vec3,
        unk16: F32,
    }
}

// The macro above owns the derives.
#[allow(clippy::derivable_impls)]
impl Default for Texture {
    fn default() -> Self {
        Texture { run_time: F32::default(), name: Text::default() }
    }
}

// The macro above owns the derives.
#[allow(clippy::derivable_impls)]
impl Default for Color {
    fn default() -> Self {
        Color { unk0: F32::default(), color: Vec3::default(), unk16: F32::default() }
    }
}

body! {
    /// Sets properties of a puffer; only those that are named change.
    pub struct PufferState {
        puffer: Ref,
        /// The event's own copy of the name, where it is not that of the puffer.
        name~ Text<32>,
        active_state? u32,
        at_node? Ref,
        translate? Vec3,
        local_velocity? Vec3,
        world_velocity? Vec3,
        min_random_velocity? Vec3,
        max_random_velocity? Vec3,
        world_acceleration? Vec3,
        interval_type? Interval,
        /// Seconds or units.
        interval? F32,
        size_range? [F32; 2],
        lifetime_range? [F32; 2],
        start_age_range? [F32; 2],
        deviation_distance? F32,
        unk156? [F32; 2],
        fade_range? [F32; 2],
        friction? F32,
        wind_factor? F32,
        priority? F32,
        /// Pirate's Moon and later.
        number? u32,
        /// At most six.
        textures? Vec<Texture>,
        /// The textures' run times count.
        textures_timed? Bool<u32>,
        /// At most six.
        colors? Vec<Color>,
        /// The file's number of colours, where it is not that of `colors`.
        color_count~ u32,
        /// At most six.
        growth_factor? Vec<[F32; 2]>,
        /// The file's number of growth factors, where it is not that of `growth_factor`.
        growth_count~ u32,
        /// What stands in the place of the interval's type while that is off.
        interval_type_off~ Hex<u32>,
        /// What stands in the place of the interval while that is off.
        interval_off~ F32,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

/// Slots of textures, colours and growth factors.
const SLOTS: usize = 6;

fn most<T>(f: &mut Fields<'_, impl Side>, list: &Option<Vec<T>>, what: &str) {
    let n = list.as_ref().map_or(0, Vec::len);
    if n > SLOTS {
        f.fail(Error::say(format!("{n} {what}, a puffer has room for {SLOTS}")));
    }
}

/// A counted list in six slots.
fn counted<T: Plain + Default>(f: &mut Fields<'_, impl Side>, bit: u32, list: &mut Option<Vec<T>>, count: &mut Odd<u32>) {
    let at = f.pos();
    if f.reads() {
        let stored: u32 = f.peek(at);
        let n = (stored as usize).min(SLOTS);
        *list = f.has(bit).then(|| vec![T::default(); n]);
        *count = Odd::of(if list.is_some() { stored } else { 0 }, list.as_ref().map_or(0, |l| l.len() as u32));
    }
    let items = list.as_ref().map_or(0, Vec::len);
    f.put(&count.or(u32::try_from(items).unwrap_or(u32::MAX)));
    for item in list.iter_mut().flatten().take(SLOTS) {
        f.plain(item);
    }
    f.imply(bit, list.is_some());
    f.at(at + 4 + SLOTS * T::SIZE);
}

impl Layout for PufferState {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        let numbered = matches!(f.game, Game::Pm | Game::Cs);
        f.at(32).index::<i32>(Kind::Puffer, &mut self.puffer);
        f.at(0).repeated(&mut self.name, Kind::Puffer, &self.puffer);
        f.at(36).flags();
        f.on_index::<i32>(1 << 1, Kind::Node, &mut self.at_node, -1);
        f.on(1 << 2, &mut self.active_state);
        f.on(1 << 0, &mut self.translate);
        f.on(1 << 3, &mut self.local_velocity);
        f.on(1 << 4, &mut self.world_velocity);
        f.on(1 << 5, &mut self.min_random_velocity);
        f.on(1 << 6, &mut self.max_random_velocity);
        f.on(1 << 16, &mut self.world_acceleration);
        f.on(1 << 7, &mut self.interval_type);
        f.on(1 << 8, &mut self.interval);
        // Shipped files hold values here while the flags are off.
        if self.interval_type.is_none() {
            f.at(120).odd(&mut self.interval_type_off, Hex(0));
        }
        if self.interval.is_none() {
            f.at(124).odd(&mut self.interval_off, F32::default());
        }
        f.at(128).on(1 << 9, &mut self.size_range);
        f.on(1 << 10, &mut self.lifetime_range);
        f.on(1 << 15, &mut self.start_age_range);
        f.on(1 << 11, &mut self.deviation_distance);
        f.on(1 << 19, &mut self.unk156);
        f.on(1 << 12, &mut self.fade_range);
        f.on(1 << 17, &mut self.friction);
        f.on(1 << 20, &mut self.wind_factor);
        f.on(1 << 22, &mut self.priority);
        if numbered {
            f.on(1 << 21, &mut self.number);
        }
        most(f, &self.textures, "textures");
        most(f, &self.colors, "colours");
        most(f, &self.growth_factor, "growth factors");
        let textured = f.has(1 << 14);
        f.some_when(textured, &mut self.textures_timed);
        let at = f.pos();
        if f.reads() && textured {
            let mut list = vec![Texture::default(); SLOTS];
            list.iter_mut().for_each(|texture| f.plain(texture));
            let used = list.iter().rposition(|t| !t.name.bytes().is_empty()).map_or(0, |last| last + 1);
            list.truncate(used);
            self.textures = Some(list);
        }
        f.at(at);
        for texture in self.textures.iter_mut().flatten().take(SLOTS) {
            f.plain(texture);
        }
        f.imply(1 << 14, self.textures.is_some());
        f.at(at + SLOTS * 36);
        counted(f, 1 << 18, &mut self.colors, &mut self.color_count);
        counted(f, 1 << 13, &mut self.growth_factor, &mut self.growth_count);
        f.end_flags(&mut self.flags_differ);
    }
}
