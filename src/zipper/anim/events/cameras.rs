//! Cameras.

use crate::anim::{
    fields::{FromTo, Index, Node, Rated},
    names::{Ref, Tables},
};
use refit_base::{record, wire::F32};

record! {
    /// Sets properties of a camera.
    #[derive(Default)]
    pub struct CameraState [Rc 36, Mw 36, Pm 36, Cs 36] with Tables {
        /// The camera whose properties are set.
        node @4: Ref as Index<i32, Node>,
        /// Near plane, metres: what is nearer is not drawn.
        near_clip?: F32 on 0x01,
        /// Far plane, metres: what is farther is not drawn.
        far_clip?: F32 on 0x02,
        /// Factor on the distances at which levels of detail change.
        lod_multiplier?: F32 on 0x04,
        /// Horizontal field of view; the unit is not known.
        h_fov?: F32 on 0x08,
        /// Vertical field of view; the unit is not known.
        v_fov?: F32 on 0x10,
        /// Horizontal zoom, a factor.
        h_zoom?: F32 on 0x20,
        /// Vertical zoom, a factor.
        v_zoom?: F32 on 0x40,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}

record! {
    /// Changes properties of a camera.
    #[derive(Default)]
    pub struct CameraFromTo [Rc 96, Mw 96, Pm 96, Cs 96] with Tables {
        /// The camera whose properties change.
        node @4: Ref as Index<i32, Node>,
        /// How long the change takes, in seconds.
        run_time @92: F32,
        /// The near plane, metres: from and to.
        near_clip? @8: FromTo<F32> as Rated with run_time on 0x01,
        /// The far plane, metres: from and to.
        far_clip?: FromTo<F32> as Rated with run_time on 0x02,
        /// The factor on the distances of levels of detail: from and to.
        lod_multiplier?: FromTo<F32> as Rated with run_time on 0x04,
        /// The horizontal field of view, from and to; the unit is not known.
        h_fov?: FromTo<F32> as Rated with run_time on 0x08,
        /// The vertical field of view, from and to; the unit is not known.
        v_fov?: FromTo<F32> as Rated with run_time on 0x10,
        /// The horizontal zoom, a factor: from and to.
        h_zoom?: FromTo<F32> as Rated with run_time on 0x20,
        /// The vertical zoom, a factor: from and to.
        v_zoom?: FromTo<F32> as Rated with run_time on 0x40,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}
