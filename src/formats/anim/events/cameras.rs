//! Cameras.

use crate::{
    formats::anim::{
        fields::{FromTo, Index, Node, Rated},
        names::{Ref, Tables},
    },
    record,
    wire::F32,
};

record! {
    /// Sets properties of a camera.
    #[derive(Default)]
    pub struct CameraState [Rc 36, Mw 36, Pm 36, Cs 36] with Tables {
        node @4: Ref as Index<i32, Node>,
        near_clip?: F32 on 0x01,
        far_clip?: F32 on 0x02,
        lod_multiplier?: F32 on 0x04,
        h_fov?: F32 on 0x08,
        v_fov?: F32 on 0x10,
        h_zoom?: F32 on 0x20,
        v_zoom?: F32 on 0x40,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ @0: flags u32,
    }
}

record! {
    /// Changes properties of a camera.
    #[derive(Default)]
    pub struct CameraFromTo [Rc 96, Mw 96, Pm 96, Cs 96] with Tables {
        node @4: Ref as Index<i32, Node>,
        /// Seconds.
        run_time @92: F32,
        near_clip? @8: FromTo<F32> as Rated with run_time on 0x01,
        far_clip?: FromTo<F32> as Rated with run_time on 0x02,
        lod_multiplier?: FromTo<F32> as Rated with run_time on 0x04,
        h_fov?: FromTo<F32> as Rated with run_time on 0x08,
        v_fov?: FromTo<F32> as Rated with run_time on 0x10,
        h_zoom?: FromTo<F32> as Rated with run_time on 0x20,
        v_zoom?: FromTo<F32> as Rated with run_time on 0x40,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ @0: flags u32,
    }
}
