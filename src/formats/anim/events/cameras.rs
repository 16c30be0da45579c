//! Cameras.

use crate::{
    formats::anim::{
        fields::{Fields, FromTo, Layout, Side, body},
        names::{Kind, Ref},
    },
    wire::{F32, Hex},
};

/// The properties of a camera in the order of their flags and slots.
macro_rules! channels {
    ($it:ident) => {
        [&mut $it.near_clip, &mut $it.far_clip, &mut $it.lod_multiplier, &mut $it.h_fov, &mut $it.v_fov, &mut $it.h_zoom, &mut $it.v_zoom]
    };
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.flags();
        f.index::<i32>(Kind::Node, &mut self.node);
        for (i, channel) in channels!(self).into_iter().enumerate() {
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
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.at(92).plain(&mut self.run_time);
        let time = self.run_time;
        f.at(0).flags();
        f.index::<i32>(Kind::Node, &mut self.node);
        for (i, channel) in channels!(self).into_iter().enumerate() {
            f.group(1 << i, channel, |f, v| f.at(8 + 12 * i).change(v, time));
        }
        f.end_flags(&mut self.flags_differ);
    }
}
