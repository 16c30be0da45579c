//! The file that is compiled over: its entries, and which of them a source makes anew.

use super::{definition::Called, world::World};
use crate::{
    formats::anim::{Anim, Definition, definition::Scratch, names::NameTable},
    wire::Result,
};
use rayon::prelude::*;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// A compiled file with its definitions read.
pub struct Base {
    /// The file.
    pub anim: Anim,
    /// Its script table by names.
    pub table: Arc<NameTable>,
    /// The definitions; `None` for one whose typed form does not give its bytes.
    pub definitions: Vec<Option<Definition>>,
    /// What they are called.
    pub called: Vec<Called>,
    /// The nodes that they are bound to, where no world says which there are.
    pub names: World,
}

impl Base {
    /// Reads the definitions of a file.
    pub fn new(anim: Anim) -> Result<Base> {
        let table = Arc::new(super::decompile::bare_table(&anim));
        let game = anim.game;
        let definitions: Vec<Option<Definition>> = anim
            .definitions
            .par_iter()
            .map_init(Scratch::default, |scratch, bytes| Definition::read(bytes, game, &table, scratch).ok())
            .collect();
        let called: Vec<Called> = anim
            .definitions
            .iter()
            .map(|bytes| Called {
                animation: Definition::peek_animation_name(bytes, game).bytes().to_vec(),
                name: Definition::peek_name(bytes, game).bytes().to_vec(),
                root: Definition::peek_animation_root_name(bytes, game).bytes().to_vec(),
            })
            .collect();
        let names = World::new(called.iter().map(|called| called.name.clone()));
        Ok(Base { anim, table, definitions, called, names })
    }

    /// Which entry each of these was before: by all three names, then by two, then by what calls refer to; each in the order of the
    /// file.
    pub fn matches(&self, new: &[Called]) -> Vec<Option<usize>> {
        let mut found: Vec<Option<usize>> = vec![None; new.len()];
        let mut taken = vec![false; self.called.len()];
        type Part = fn(&Called) -> [&[u8]; 3];
        let parts: [Part; 3] = [|c| [&c.animation, &c.name, &c.root], |c| [&c.animation, &c.name, b""], |c| [&c.animation, b"", b""]];
        for part in parts {
            let mut free: HashMap<[&[u8]; 3], VecDeque<usize>> = HashMap::new();
            for (at, called) in self.called.iter().enumerate().filter(|(at, _)| taken.get(*at) == Some(&false)) {
                free.entry(part(called)).or_default().push_back(at);
            }
            for (new, found) in new.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
                *found = free.get_mut(&part(new)).and_then(VecDeque::pop_front);
                if let Some(taken) = found.and_then(|at| taken.get_mut(at)) {
                    *taken = true;
                }
            }
        }
        found
    }
}
