//! Objects that are stretched between two points.

use crate::{
    formats::anim::{
        fields::{Fields, Layout, Side, body, rate},
        names::{Kind, Ref},
    },
    wire::{F32, Hex, Odd, Text, Vec3},
};

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
    f: &mut Fields<'_, impl Side>,
    (one_bit, range_bit): (u32, u32),
    off: f32,
    (one, range, odd_rate): (&mut Option<F32>, &mut Option<[F32; 2]>, &mut Odd<F32>),
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
    f.odd(odd_rate, rate(from, to, run_time));
}

impl Layout for ObjectConnector {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
pub(super) fn two_uses(f: &mut Fields<'_, impl Side>, (a_bit, a): (u32, &mut Option<Ref>), (b_bit, b): (u32, &mut Option<Ref>)) {
    let at = f.pos();
    f.on_index::<i16>(a_bit, Kind::Node, a, 0);
    if f.reads() || b.is_some() {
        f.at(at).on_index::<i16>(b_bit, Kind::Node, b, 0);
    }
    f.at(at + 2);
}

impl Layout for CallObjectConnector {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
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
