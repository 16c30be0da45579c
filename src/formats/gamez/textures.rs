//! The texture directory (gamez.md, section 3; crimson-skies.md, 2.1).

use super::types::{Ptr, TextureName};
use crate::game::Game;
use crate::wire::{Hex, Odd, Usual};

crate::record! {
    /// An entry of the texture directory. Its position is what materials refer to.
    pub struct Texture [Rc 36, Mw 40, Pm 44, Cs 44] {
        /// Address of the loaded image; PM and CS store what it was.
        image_ptr: Usual<Ptr> = |_| Hex(0),
        [Pm Cs] field04: Odd<u32> => |_| 0,
        surface_ptr: Odd<Ptr> = |_| Hex(0),
        /// File name of the image.
        name: TextureName,
        /// 1 loaded, 2 pending its first load, 3 pending a reload. Follows the image's address.
        state: Odd<u32> = |t| if matches!(t.game, Game::Pm | Game::Cs) && t.image_ptr.or(Hex(0)).0 != 0 { 1 } else { 2 },
        [Mw Pm Cs] category: Odd<u32> => |_| 0,
        /// Position of the next smaller mip level; −1 for none.
        mip: Usual<i32> = |_| -1,
    }
}
