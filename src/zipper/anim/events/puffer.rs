//! PUFFER_STATE, the largest event (FORMAT.md, "42 PUFFER_STATE").

use crate::anim::{
    fields::{Bool, Index, Node, Puffer},
    names::{ListKind, Ref, Tables},
};
use refit_base::{
    game::Game,
    record,
    wire::{
        Derived, Describe, Error, ErrorKind, F32, FieldGroup, Hex, Notation, Plain, Result, Role,
        Text, Vec3,
    },
};

refit_base::open_enum! {
    /// What an interval counts.
    pub enum Interval: u32 { Time = 0 "TIME", Distance = 1 "DISTANCE" }
}

refit_base::plain! {
    /// One texture of a puff.
    pub struct Texture {
        /// When it begins, as a fraction of the particle's life.
        age: F32,
        /// The texture, by its name in texture packages.
        name: Text<32>,
    }
}

refit_base::plain! {
    /// One colour of a puff's life.
    pub struct Color {
        /// When it applies, as a fraction of the particle's life.
        age: F32,
        /// Red, green, blue, as the puffer takes them; the range is not known.
        color: Vec3,
        /// Opacity, 0 to 1.
        alpha: F32,
    }
}

refit_base::plain! {
    /// A stop of a particle's size.
    #[derive(Default)]
    pub struct ScaleStop {
        /// When it applies, as a fraction of the particle's life.
        age: F32,
        /// Factor on the size that the particle was born with.
        scale: F32,
    }
}

// Not derived: the macro above writes all derives itself.
#[allow(clippy::derivable_impls)]
impl Default for Texture {
    fn default() -> Self {
        Texture {
            age: F32::default(),
            name: Text::default(),
        }
    }
}

// Not derived: the macro above writes all derives itself.
#[allow(clippy::derivable_impls)]
impl Default for Color {
    fn default() -> Self {
        Color {
            age: F32::default(),
            color: Vec3::default(),
            alpha: F32::default(),
        }
    }
}

/// Number of slots for textures, colours and sizes.
const SLOTS: usize = 6;

/// Returns an error if a list has more items than slots.
fn most<T>(list: &Option<Vec<T>>, what: &str) -> Result<()> {
    match list.as_ref().map_or(0, Vec::len) {
        n if n > SLOTS => Err(
            Error::say(format!("{n} {what} (a puffer has room for {SLOTS})"))
                .of_kind(ErrorKind::Limit),
        ),
        _ => Ok(()),
    }
}

/// The textures of a puff: six slots, used up to the last one with a name.
pub struct Textures;

impl Textures {
    const BIT: u32 = 1 << 14;
}

impl FieldGroup<PufferState, Tables> for Textures {
    const SIZE: usize = SLOTS * Texture::SIZE;
    fn load(puffer: &mut PufferState, bytes: &[u8], flags: u32, _: Game, _: &Tables) {
        puffer.textures = (flags & Self::BIT != 0).then(|| {
            let mut list = <[Texture; SLOTS]>::get(bytes).to_vec();
            let used = list
                .iter()
                .rposition(|t| !t.name.bytes().is_empty())
                .map_or(0, |last| last + 1);
            list.truncate(used);
            list
        });
    }
    fn store(puffer: &PufferState, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
        most(&puffer.textures, "textures")?;
        for (texture, slot) in puffer
            .textures
            .iter()
            .flatten()
            .zip(bytes.chunks_exact_mut(Texture::SIZE))
        {
            texture.put(slot);
        }
        Ok(())
    }
    fn implied(puffer: &PufferState, _: Game, _: &Tables) -> u32 {
        if puffer.textures.is_some() {
            Self::BIT
        } else {
            0
        }
    }
    fn describe(puffer: &PufferState, part: &mut Describe<'_>, _: Game, _: &Tables) {
        note_slots::<Texture>(
            part,
            0,
            "textures",
            puffer.textures.as_ref().map_or(0, Vec::len),
        );
    }
}

/// Declares the bytes of a list with a count: the count, then six slots. `$bit` is the flag that
/// enables the list, `$what` names the items in errors.
macro_rules! counted {
    ($(#[$m:meta])* pub struct $name:ident: $item:ty = $bit:expr, $list:ident, $count:ident, $what:literal) => {
        $(#[$m])*
        pub struct $name;

        impl FieldGroup<PufferState, Tables> for $name {
            const SIZE: usize = u32::SIZE + SLOTS * <$item>::SIZE;
            fn load(puffer: &mut PufferState, bytes: &[u8], flags: u32, _: Game, _: &Tables) {
                let (count, items) = bytes.split_at_checked(u32::SIZE).unwrap_or_default();
                let stored = u32::get(count);
                let items = items.chunks_exact(<$item>::SIZE).take((stored as usize).min(SLOTS));
                let list: Option<Vec<$item>> = (flags & $bit != 0).then(|| items.map(<$item>::get).collect());
                // If the list is off, its count has no meaning; the stored value is kept with the
                // event.
                let length = list.as_ref().map_or(0, |list| list.len() as u32);
                puffer.$count = Derived::of(if list.is_some() { stored } else { 0 }, length);
                puffer.$list = list;
            }
            fn store(puffer: &PufferState, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
                most(&puffer.$list, $what)?;
                let length = puffer.$list.as_ref().map_or(0, Vec::len);
                let (count, slots) = bytes.split_at_mut_checked(u32::SIZE).unwrap_or_default();
                puffer.$count.or(u32::try_from(length).unwrap_or(u32::MAX)).put(count);
                for (item, slot) in puffer.$list.iter().flatten().zip(slots.chunks_exact_mut(<$item>::SIZE)) {
                    item.put(slot);
                }
                Ok(())
            }
            fn implied(puffer: &PufferState, _: Game, _: &Tables) -> u32 {
                if puffer.$list.is_some() { $bit } else { 0 }
            }
            fn describe(puffer: &PufferState, part: &mut Describe<'_>, _: Game, _: &Tables) {
                let role = part.odd(puffer.$count.is_none());
                part.note(0, u32::SIZE, stringify!($count), Notation::Unsigned, role, None);
                let used = puffer.$list.as_ref().map_or(0, Vec::len);
                note_slots::<$item>(part, u32::SIZE, stringify!($list), used);
            }
        }
    };
}

/// Reports six slots, the first of them used.
fn note_slots<T: Plain>(part: &mut Describe<'_>, from: usize, name: &str, used: usize) {
    for i in 0..SLOTS {
        let role = if i < used { Role::Value } else { Role::Padding };
        part.note(
            from + i * T::SIZE,
            T::SIZE,
            &format!("{name}[{i}]"),
            T::KIND,
            role,
            None,
        );
    }
}

counted! {
    /// The colours of a puff over its life.
    pub struct Colors: Color = 1 << 18, colors, color_count, "colours"
}
counted! {
    /// The size of a puff over its life.
    pub struct Growth: ScaleStop = 1 << 13, scale_sequence, scale_count, "stops of its size"
}

record! {
    /// Sets properties of a puffer; only the given ones change.
    #[derive(Default)]
    pub struct PufferState [Rc 580, Mw 580, Pm 584, Cs 584] with Tables {
        /// One of the definition's puffers.
        puffer @32: Ref as Index<i32, Puffer> key "NAME",
        /// The event's own copy of the name, if it differs from that of the puffer.
        name~ @0: Text<32> = |m| m.cx.repeated(ListKind::Puffer, &m.puffer) absent "if it follows from the rest",
        /// 0 is off; other numbers, up to 10, are on. Without it nothing else has an effect.
        active_state? @44: u32 on 1 << 2,
        /// The node that it is attached to.
        at_node? @40: Ref as Index<i32, Node> on 1 << 1 off -1i32,
        /// Offset from the node, metres.
        translate? @48: Vec3 on 1 << 0,
        /// Velocity of a puff along the axes of the node, metres per second.
        local_velocity?: Vec3 on 1 << 3 key 1 "LOCAL_VELOCITY",
        /// Velocity of a puff along the axes of the world, metres per second.
        world_velocity?: Vec3 on 1 << 4 key 1 "WORLD_VELOCITY",
        /// Lower bound of the random velocity added, metres per second.
        min_random_velocity?: Vec3 on 1 << 5 key 1 "MIN_RANDOM_VELOCITY",
        /// Upper bound of the random velocity added, metres per second.
        max_random_velocity?: Vec3 on 1 << 6 key 1 "MAX_RANDOM_VELOCITY",
        /// Metres per second squared, along the axes of the world.
        world_acceleration?: Vec3 on 1 << 16 key 1 "WORLD_ACCELERATION",
        /// What the interval between two puffs measures: time or distance.
        interval_type? @120: Interval on 1 << 7,
        /// Length of the interval: seconds, or metres for a distance.
        interval?: F32 on 1 << 8,
        /// Size of a puff at birth, metres: minimum and maximum.
        size_range? @128: [F32; 2] on 1 << 9 key 2 "SIZE_RANGE",
        /// Lifetime of a puff, seconds: minimum and maximum, in either order.
        lifetime_range?: [F32; 2] on 1 << 10 key 2 "LIFETIME_RANGE",
        /// Age at birth, seconds: minimum and maximum.
        start_age_range?: [F32; 2] on 1 << 15 key 2 "START_AGE_RANGE",
        /// Maximum distance from the puffer at birth, metres.
        deviation_distance?: F32 on 1 << 11 key 2 "DEVIATION_DISTANCE",
        /// Metres: invisible up to the first distance, fully visible from the second. Usually the
        /// first is the larger.
        near_fade?: [F32; 2] on 1 << 19 key 2 "NEAR_FADE",
        /// Distances at which it begins to fade and at which it is gone, in metres.
        fade_range?: [F32; 2] on 1 << 12 key 3 "FADE_RANGE",
        /// How fast a puff loses its speed: a factor, 0 is not at all.
        friction?: F32 on 1 << 17 key 3 "FRICTION",
        /// How much the wind moves a puff, as a factor; 0 is not at all.
        wind_factor?: F32 on 1 << 20 key 3 "WIND_FACTOR",
        /// Which puffs are dropped first if there are too many: a number without a unit.
        priority?: F32 on 1 << 22 key 3 "PRIORITY",
        /// Puffs at a time (PM, CS).
        [Pm Cs] number?: u32 on 1 << 21 key 3 "NUMBER",
        /// The textures of a puff in the order of its life: at most six.
        textures?: Vec<Texture> in texture_slots,
        /// The textures' ages are used.
        textures_timed?: Bool<u32> if 1 << 14,
        /// The colours of a puff in the order of its life: at most six.
        colors?: Vec<Color> in color_slots,
        /// The file's number of colours, if it differs from that of `colors`.
        color_count~: u32 in color_slots,
        /// The sizes of a puff in the order of its life: at most six.
        scale_sequence?: Vec<ScaleStop> in growth_slots,
        /// The file's number of stops, if it differs from that of `scale_sequence`.
        scale_count~: u32 in growth_slots,
        /// Six textures; used ones come first.
        texture_slots: part Textures,
        /// How many colours, and six of them.
        color_slots: part Colors,
        /// How many stops of size, and six of them.
        growth_slots: part Growth,
        /// The stored value of the interval's type while it is off.
        | interval_type_off~ @120: Hex<u32> = |_| Hex::default() when |p| p.interval_type.is_none(),
        /// The stored value of the interval while it is off.
        | interval_off~ @124: F32 = |_| F32::default() when |p| p.interval.is_none(),
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @36: flags u32,
    }
}
