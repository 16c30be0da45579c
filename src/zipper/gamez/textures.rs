//! The texture directory (FORMAT.md).

use super::types::{Ptr, TextureName};
use refit_base::{game::Game, wire::Hex};

refit_base::record! {
    /// An entry of the texture directory. Materials refer to its position.
    #[derive(Default)]
    pub struct Texture [Rc 36, Mw 40, Pm 44, Cs 44] {
        /// Address of the loaded image in the process that wrote the file; 0 in RC and MW.
        image_ptr^: Ptr = |_| Hex(0),
        /// Unknown; 0 in known files.
        [Pm Cs] field04~: u32 = |_| 0,
        /// Address of a surface of the running game; 0 in known files.
        surface_ptr~: Ptr = |_| Hex(0),
        /// File name of the image.
        name: TextureName,
        /// 1 loaded, 2 before its first load, 3 before a reload. Absent for 1 in PM and CS with an
        /// image, and for 2 elsewhere.
        state~: u32 = |t| if matches!(t.game, Game::Pm | Game::Cs) && t.image_ptr.or(Hex(0)).0 != 0 { 1 } else { 2 },
        /// Unknown; 0 in known files.
        [Mw Pm Cs] category~: u32 = |_| 0,
        /// Position of the next smaller mip level; −1 for none.
        mip^: i32 = |_| -1,
    }
}
