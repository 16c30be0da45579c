//! Objects stretched between two points.

use crate::{
    formats::anim::{
        fields::{FromTo, Index, Node, Reference, Rounding},
        names::{Ref, Tables},
    },
    game::Game,
    record,
    wire::{Derived, Describe, F32, FieldGroup, Notation, Plain, Result, Role, Text, Vec3, cut, cut_mut},
};

/// Position of an end on the line: one number, or two that it moves between, and the rate of change.
///
/// `TO` is false for the start of the object, true for its end.
pub struct End<const TO: bool>;

/// The fields of one end: position, range, rate, rounding.
type NameUse = (Option<F32>, Option<[F32; 2]>, Derived<F32>, Option<Rounding>);

impl<const TO: bool> End<TO> {
    /// The flags of a single position and of a range.
    const BITS: (u32, u32) = if TO { (0x1000, 0x2000) } else { (0x400, 0x800) };
    /// The position of the end while its flags are off.
    const OFF: F32 = F32::from_bits(if TO { 0x3f80_0000 } else { 0 });

    fn of(c: &ObjectConnector) -> NameUse {
        match TO {
            true => (c.to_t, c.to_t_range, c.to_t_rate, c.to_t_rounding),
            false => (c.from_t, c.from_t_range, c.from_t_rate, c.from_t_rounding),
        }
    }

    fn set(c: &mut ObjectConnector, said: NameUse) {
        match TO {
            true => (c.to_t, c.to_t_range, c.to_t_rate, c.to_t_rounding) = said,
            false => (c.from_t, c.from_t_range, c.from_t_rate, c.from_t_rounding) = said,
        }
    }

    /// The first and the last position.
    fn ends((one, range, ..): &NameUse) -> [F32; 2] {
        range.or(one.map(|t| [t, t])).unwrap_or([Self::OFF; 2])
    }
}

impl<const TO: bool> FieldGroup<ObjectConnector, Tables> for End<TO> {
    const SIZE: usize = 12;
    fn load(c: &mut ObjectConnector, bytes: &[u8], flags: u32, _: Game, _: &Tables) {
        let ends = <[F32; 2]>::get(bytes);
        let (one, range) = Self::BITS;
        let single = flags & one != 0 && flags & range == 0 && ends[0] == ends[1];
        let mut said =
            (single.then_some(ends[0]), (!single && flags & (one | range) != 0).then_some(ends), Derived(None), None);
        // If the flags are off, the file still has a rate, that of the default positions.
        let [from, to] = Self::ends(&said);
        let FromTo { rate, rounding, .. } = FromTo::of(from, to, Plain::get(cut(bytes, 8, 4)), c.run_time);
        (said.2, said.3) = (rate, rounding);
        Self::set(c, said);
    }
    fn store(c: &ObjectConnector, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
        let said = Self::of(c);
        let [from, to] = Self::ends(&said);
        [from, to].put(bytes);
        let change = FromTo { from, to, rate: said.2, rounding: said.3 };
        change.check()?;
        change.stored_rate(c.run_time).put(cut_mut(bytes, 8, 4));
        Ok(())
    }
    fn implied(c: &ObjectConnector, _: Game, _: &Tables) -> u32 {
        let (one, range, ..) = Self::of(c);
        match (one.is_some(), range.is_some()) {
            (_, true) => Self::BITS.1,
            (true, false) => Self::BITS.0,
            (false, false) => 0,
        }
    }
    fn describe(c: &ObjectConnector, part: &mut Describe<'_>, _: Game, _: &Tables) {
        let (one, range, odd, _) = Self::of(c);
        let name = if TO { "to_t" } else { "from_t" };
        let names = if range.is_some() {
            [format!("{name}_range[0]"), format!("{name}_range[1]")]
        } else {
            [name.to_owned(), name.to_owned()]
        };
        let there = if one.is_some() || range.is_some() { Role::Value } else { Role::Derived };
        for (i, name) in names.iter().enumerate() {
            part.note(4 * i, 4, name, Notation::Float, there, None);
        }
        part.note(8, 4, &format!("{name}_rate"), Notation::Float, part.odd(odd.is_none()), None);
    }
}

record! {
    /// Stretches an object between two points.
    #[derive(Default)]
    pub struct ObjectConnector [Rc 76, Mw 76, Pm 76, Cs 76] with Tables {
        /// The object that is stretched.
        node @4: Ref as Index<i16, Node>,
        /// How long the object is stretched, in seconds.
        run_time @68: F32,
        /// The node at which the line begins; not together with `from_input_node`.
        from_node? @6: Ref as Index<i16, Node> on 0x1,
        /// The line begins at the node that the caller gives.
        from_input_node!: bit 0x2,
        _ @10: pad 2,
        /// Where the line begins, metres; from the node, where one is given.
        from_pos? @12: Vec3 on 0x8,
        /// The line begins at the position that the caller gives.
        from_input_pos!: bit 0x10,
        /// The start stays where it is at the first tick.
        from_freeze!: bit 0x4,
        /// Where on the line the object begins, 0 to 1.
        from_t?: F32 in from_end,
        /// Where on the line the object begins, moving: start and end, 0 to 1.
        from_t_range?: [F32; 2] in from_end,
        /// Change per second, only where it is not the one that start and end give.
        from_t_rate~: F32 in from_end,
        /// How that was rounded, where it was not once.
        from_t_rounding?: Rounding in from_end,
        /// The node at which the line ends; not together with `to_input_node`.
        to_node? @8: Ref as Index<i16, Node> on 0x20,
        /// The line ends at the node that the caller gives.
        to_input_node!: bit 0x40,
        /// Where the line ends, metres; from the node, where one is given.
        to_pos? @24: Vec3 on 0x100,
        /// The line ends at the position that the caller gives.
        to_input_pos!: bit 0x200,
        /// The end stays where it is at the first tick.
        to_freeze!: bit 0x80,
        /// Where on the line the object ends, 0 to 1; 1 when absent.
        to_t?: F32 in to_end,
        /// Where on the line the object ends, moving: start and end, 0 to 1.
        to_t_range?: [F32; 2] in to_end,
        /// Change of `to_t` per second, only where it is not the one that start and end give.
        to_t_rate~: F32 in to_end,
        /// How that rate was rounded, where it was not once.
        to_t_rounding?: Rounding in to_end,
        /// Where on the line the object begins: at the start, at the end, change per second.
        from_end @36: part End<false>,
        _ @48: pad 4,
        /// Where on the line the object ends: at the start, at the end, change per second.
        to_end @52: part End<true>,
        _ @64: pad 4,
        /// The longest that the line gets, metres.
        max_length? @72: F32 on 0x8000,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ @0: flags u32,
    }
}

record! {
    /// Calls an animation that stretches an object between two points.
    #[derive(Default)]
    pub struct CallObjectConnector [Rc 68, Mw 68, Pm 68, Cs 68] with Tables {
        /// The animation, by its `animation_name`.
        animation @4: Text<32>,
        _ @36: pad 2,
        /// The animation reference that keeps the running call.
        reference? @38: Ref as Index<i16, Reference> none -1i16,
        // Both fields share the same bytes: the flag selects how the node is used.
        /// The node at which the line begins, and which it follows; not together with `from_node_pos`.
        from_node? @40: Ref as Index<i16, Node> on 0x1,
        /// The node where the line begins, as it stands at the call; not together with `from_node`.
        | from_node_pos? @40: Ref as Index<i16, Node> on 0x2,
        /// The line begins at the node that the caller gives.
        from_input_node!: bit 0x4,
        /// The line begins where the node stands that the caller gives.
        from_input_node_pos!: bit 0x8,
        /// Where the line begins in the world, metres.
        from_pos? @44: Vec3 on 0x10,
        /// The line begins at the position that the caller gives.
        from_input_pos!: bit 0x20,
        /// The node at which the line ends, and which it follows; not together with `to_node_pos`.
        to_node? @42: Ref as Index<i16, Node> on 0x40,
        /// The node where the line ends, as it stands at the call; not together with `to_node`.
        | to_node_pos? @42: Ref as Index<i16, Node> on 0x80,
        /// The line ends at the node that the caller gives.
        to_input_node!: bit 0x100,
        /// The line ends where the node stands that the caller gives.
        to_input_node_pos!: bit 0x200,
        /// Where the line ends in the world, metres.
        to_pos? @56: Vec3 on 0x400,
        /// The line ends at the position that the caller gives.
        to_input_pos!: bit 0x800,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ @0: flags u32,
    }
}
