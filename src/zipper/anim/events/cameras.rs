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
        node @4: Ref as Index<i32, Node> key "NAME",
        /// Near plane, metres: what is nearer is not drawn.
        near_clip?: F32 on 0x01 key "NEAR_CLIP",
        /// Far plane, metres: what is farther is not drawn.
        far_clip?: F32 on 0x02 key "FAR_CLIP",
        /// Factor on the distances at which levels of detail change.
        lod_multiplier?: F32 on 0x04 key "LOD_MULTIPLIER",
        /// Horizontal field of view; the unit is not known.
        h_fov?: F32 on 0x08 key "H_FOV",
        /// Vertical field of view; the unit is not known.
        v_fov?: F32 on 0x10 key "V_FOV",
        /// Horizontal zoom, a factor.
        h_zoom?: F32 on 0x20 key "H_ZOOM",
        /// Vertical zoom, a factor.
        v_zoom?: F32 on 0x40 key "V_ZOOM",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}

record! {
    /// Changes properties of a camera.
    #[derive(Default)]
    pub struct CameraFromTo [Rc 96, Mw 96, Pm 96, Cs 96] with Tables {
        /// The camera whose properties change.
        node @4: Ref as Index<i32, Node> key "NAME",
        /// How long the change takes, in seconds.
        run_time @92: F32 key "RUN_TIME",
        /// The near plane, metres: from and to.
        near_clip? @8: FromTo<F32> as Rated with run_time on 0x01 key "NEAR_CLIP_FROM_TO",
        /// The far plane, metres: from and to.
        far_clip?: FromTo<F32> as Rated with run_time on 0x02 key "FAR_CLIP_FROM_TO",
        /// The factor on the distances of levels of detail: from and to.
        lod_multiplier?: FromTo<F32> as Rated with run_time on 0x04 key "LOD_MULTIPLIER_FROM_TO",
        /// The horizontal field of view, from and to; the unit is not known.
        h_fov?: FromTo<F32> as Rated with run_time on 0x08 key "H_FOV_FROM_TO",
        /// The vertical field of view, from and to; the unit is not known.
        v_fov?: FromTo<F32> as Rated with run_time on 0x10 key "V_FOV_FROM_TO",
        /// The horizontal zoom, a factor: from and to.
        h_zoom?: FromTo<F32> as Rated with run_time on 0x20 key "H_ZOOM_FROM_TO",
        /// The vertical zoom, a factor: from and to.
        v_zoom?: FromTo<F32> as Rated with run_time on 0x40 key "V_ZOOM_FROM_TO",
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}
