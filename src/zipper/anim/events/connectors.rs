//! Objects stretched between two points.

use crate::anim::{
    fields::{FromTo, Index, Node, Reference, Rounding},
    names::{Ref, Tables},
};
use refit_base::{
    game::Game,
    record,
    wire::{Describe, F32, FieldGroup, Notation, Plain, Result, Role, Text, Vec3, cut, cut_mut},
};

/// Declares the position of an end on the line: one number, or two that it moves between, and the
/// rate of change. `$bits` are the flags of a single position and of a range, `$off` is the
/// position of the end while they are off.
macro_rules! end {
    ($(#[$m:meta])* pub struct $end:ident: $t:ident $range:ident $rate:ident $rounding:ident,
        $bits:expr, $off:literal) => {
        $(#[$m])*
        pub struct $end;

        impl $end {
            const BITS: (u32, u32) = $bits;

            /// The first and the last position.
            fn ends(c: &ObjectConnector) -> [F32; 2] {
                c.$range.or(c.$t.map(|t| [t, t])).unwrap_or([F32::from($off); 2])
            }
        }

        impl FieldGroup<ObjectConnector, Tables> for $end {
            const SIZE: usize = 12;
            fn load(c: &mut ObjectConnector, bytes: &[u8], flags: u32, _: Game, _: &Tables) {
                let ends = <[F32; 2]>::get(bytes);
                let (one, range) = Self::BITS;
                let single = flags & one != 0 && flags & range == 0 && ends[0] == ends[1];
                c.$t = single.then_some(ends[0]);
                c.$range = (!single && flags & (one | range) != 0).then_some(ends);
                // If the flags are off, the file still has a rate, that of the default positions.
                let [from, to] = Self::ends(c);
                let change = FromTo::of(from, to, Plain::get(cut(bytes, 8, 4)), c.run_time);
                (c.$rate, c.$rounding) = (change.rate, change.rounding);
            }
            fn store(c: &ObjectConnector, bytes: &mut [u8], _: Game, _: &Tables) -> Result<()> {
                let [from, to] = Self::ends(c);
                [from, to].put(bytes);
                let change = FromTo { from, to, rate: c.$rate, rounding: c.$rounding };
                change.check()?;
                change.stored_rate(c.run_time).put(cut_mut(bytes, 8, 4));
                Ok(())
            }
            fn implied(c: &ObjectConnector, _: Game, _: &Tables) -> u32 {
                match (c.$t, c.$range) {
                    (_, Some(_)) => Self::BITS.1,
                    (Some(_), None) => Self::BITS.0,
                    (None, None) => 0,
                }
            }
            fn describe(c: &ObjectConnector, part: &mut Describe<'_>, _: Game, _: &Tables) {
                let role = if c.$t.is_some() || c.$range.is_some() { Role::Value } else { Role::Derived };
                for i in 0..2 {
                    let range = format!("{}[{i}]", stringify!($range));
                    let name = if c.$range.is_some() { range.as_str() } else { stringify!($t) };
                    part.note(4 * i, 4, name, Notation::Float, role, None);
                }
                part.note(8, 4, stringify!($rate), Notation::Float, part.odd(c.$rate.is_none()), None);
            }
        }
    };
}
end! {
    /// Where on the line the object begins.
    pub struct FromEnd: from_t from_t_range from_t_rate from_t_rounding, (0x400, 0x800), 0.0
}
end! {
    /// Where on the line the object ends.
    pub struct ToEnd: to_t to_t_range to_t_rate to_t_rounding, (0x1000, 0x2000), 1.0
}

record! {
    /// Stretches an object between two points.
    #[derive(Default)]
    pub struct ObjectConnector [Rc 76, Mw 76, Pm 76, Cs 76] with Tables {
        /// The object that is stretched.
        node @4: Ref as Index<i16, Node> key "NAME",
        /// How long the object is stretched, in seconds.
        run_time @68: F32 key "RUN_TIME",
        /// The node at which the line begins; not together with `from_input_node`.
        from_node? @6: Ref as Index<i16, Node> on 0x1 key "FROM_NODE",
        /// The line begins at the node that the caller gives.
        from_input_node!: bit 0x2 key "FROM_INPUT_NODE",
        _ @10: pad 2,
        /// Where the line begins, metres; relative to the node, if one is given.
        from_pos? @12: Vec3 on 0x8 key "FROM_POS",
        /// The line begins at the position that the caller gives.
        from_input_pos!: bit 0x10 key "FROM_INPUT_POS",
        /// The start keeps its position of the first tick.
        from_freeze!: bit 0x4 key "FROM_FREEZE",
        /// Where on the line the object begins, 0 to 1.
        from_t?: F32 in from_end,
        /// Where on the line the object begins, moving: start and end, 0 to 1.
        from_t_range?: [F32; 2] in from_end,
        /// Change per second, if it does not follow from start and end.
        from_t_rate~: F32 in from_end,
        /// How that was rounded, if not once.
        from_t_rounding?: Rounding in from_end,
        /// The node at which the line ends; not together with `to_input_node`.
        to_node? @8: Ref as Index<i16, Node> on 0x20 key "TO_NODE",
        /// The line ends at the node that the caller gives.
        to_input_node!: bit 0x40 key "TO_INPUT_NODE",
        /// Where the line ends, metres; relative to the node, if one is given.
        to_pos? @24: Vec3 on 0x100 key "TO_POS",
        /// The line ends at the position that the caller gives.
        to_input_pos!: bit 0x200 key "TO_INPUT_POS",
        /// The end keeps its position of the first tick.
        to_freeze!: bit 0x80 key "TO_FREEZE",
        /// Where on the line the object ends, 0 to 1; 1 when absent.
        to_t?: F32 in to_end,
        /// Where on the line the object ends, moving: start and end, 0 to 1.
        to_t_range?: [F32; 2] in to_end,
        /// Change of `to_t` per second, if it does not follow from start and end.
        to_t_rate~: F32 in to_end,
        /// How that rate was rounded, if not once.
        to_t_rounding?: Rounding in to_end,
        /// Where on the line the object begins: at the start, at the end, change per second.
        from_end @36: part FromEnd,
        _ @48: pad 4,
        /// Where on the line the object ends: at the start, at the end, change per second.
        to_end @52: part ToEnd,
        _ @64: pad 4,
        /// Maximum length of the line, metres.
        max_length? @72: F32 on 0x8000 key 1 "MAX_LENGTH",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}

record! {
    /// Calls an animation that stretches an object between two points.
    #[derive(Default)]
    pub struct CallObjectConnector [Rc 68, Mw 68, Pm 68, Cs 68] with Tables {
        /// The animation, by its `animation_name`.
        animation @4: Text<32> key "NAME",
        _ @36: pad 2,
        /// The animation reference of the running call.
        reference? @38: Ref as Index<i16, Reference> none -1i16,
        // Both fields share the same bytes: the flag selects how the node is used.
        /// The node at which the line begins, and which it follows; not together with
        /// `from_node_pos`.
        from_node? @40: Ref as Index<i16, Node> on 0x1 key "FROM_NODE",
        /// The node where the line begins, as placed at the call; not together with `from_node`.
        | from_node_pos? @40: Ref as Index<i16, Node> on 0x2 key "FROM_NODE_POS",
        /// The line begins at the node that the caller gives.
        from_input_node!: bit 0x4 key "FROM_INPUT_NODE",
        /// The line begins at the position of the node that the caller gives.
        from_input_node_pos!: bit 0x8 key "FROM_INPUT_NODE_POS",
        /// Where the line begins in the world, metres.
        from_pos? @44: Vec3 on 0x10 key "FROM_POS",
        /// The line begins at the position that the caller gives.
        from_input_pos!: bit 0x20 key "FROM_INPUT_POS",
        /// The node at which the line ends, and which it follows; not together with `to_node_pos`.
        to_node? @42: Ref as Index<i16, Node> on 0x40 key "TO_NODE",
        /// The node where the line ends, as placed at the call; not together with `to_node`.
        | to_node_pos? @42: Ref as Index<i16, Node> on 0x80 key "TO_NODE_POS",
        /// The line ends at the node that the caller gives.
        to_input_node!: bit 0x100 key "TO_INPUT_NODE",
        /// The line ends at the position of the node that the caller gives.
        to_input_node_pos!: bit 0x200 key "TO_INPUT_NODE_POS",
        /// Where the line ends in the world, metres.
        to_pos? @56: Vec3 on 0x400 key "TO_POS",
        /// The line ends at the position that the caller gives.
        to_input_pos!: bit 0x800 key "TO_INPUT_POS",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}
