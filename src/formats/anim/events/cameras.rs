//! Cameras.

use crate::{
    formats::anim::{
        fields::{Fields, FromTo, Layout, body},
        names::{Kind, Ref},
    },
    wire::{F32, Hex},
};

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
