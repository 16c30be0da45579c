//! The free slots of a world's arrays: for the modder, and for the game, which creates objects in
//! them while it runs.

use super::{Gamez, nodes::Data};
use refit_base::{contract::Info, game::Game};

/// The most nodes of a world: their positions have 16 bits, with a sign.
pub(super) const NODES: usize = 32_767;
/// The most materials: their links have 16 bits, with a sign.
pub(super) const MATERIALS: usize = 32_767;
/// The most textures of Recoil.
pub(super) const TEXTURES: usize = 4096;

/// An array of a world.
pub(super) struct Budget {
    /// The kind of item in it.
    pub what: &'static str,
    /// What `info` calls its free slots.
    free: &'static str,
    /// Slots in use.
    pub used: usize,
    /// All slots.
    pub most: usize,
}

impl Budget {
    /// Free slots.
    pub fn left(&self) -> usize {
        self.most.saturating_sub(self.used)
    }

    /// True if less than a sixteenth is free. Exceeding the limit is a different finding.
    pub fn is_nearly_full(&self) -> bool {
        self.used <= self.most && self.left() < self.most / 16
    }
}

impl Gamez {
    /// The arrays whose size the game takes from the file, or has itself.
    pub(super) fn budgets(&self) -> Vec<Budget> {
        let game = self.game.itself();
        let live = self
            .nodes
            .iter()
            .flatten()
            .filter(|node| !matches!(node.data, Data::Empty))
            .count();
        // Pirate's Moon and Crimson Skies store used records only.
        let records = if matches!(game, Game::Pm | Game::Cs) {
            NODES
        } else {
            self.node_slots().min(NODES)
        };
        let mut all = vec![
            Budget {
                what: "materials",
                free: "free material slots",
                used: self.materials.materials.len(),
                most: super::grown(
                    self.materials.slots as usize,
                    self.materials.materials.len(),
                )
                .min(MATERIALS),
            },
            Budget {
                what: "models",
                free: "free model slots",
                used: self.models.iter().flatten().count(),
                most: self.model_slots(),
            },
            Budget {
                what: "nodes",
                free: "free node records",
                used: live,
                most: records,
            },
        ];
        if game == Game::Rc {
            let used = self.textures.len();
            all.push(Budget {
                what: "textures",
                free: "free textures",
                used,
                most: TEXTURES,
            });
        }
        all
    }

    /// The lines of `info` about the arrays.
    pub(super) fn budget_info(&self, out: &mut Info) {
        for budget in self.budgets() {
            out.push((budget.free, budget.left().into()));
        }
        let worlds = self.nodes.iter().flatten();
        let craters = worlds.filter_map(|n| {
            if let Data::World(w) = &n.data {
                Some(w.max_dec_features.or(16))
            } else {
                None
            }
        });
        if let Some(craters) = craters.max().filter(|_| self.game.itself() == Game::Rc) {
            out.push(("craters of a cell", craters.into()));
        }
    }
}
