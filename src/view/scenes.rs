//! The scenes that pages show: kept, so that after an edit a page gets the rows that changed instead
//! of the whole scene.

use super::{View, lock};
use refit_base::wire::Result;
use refit_gltf::packed::Kept;
use std::sync::Arc;

/// How many scenes are kept, and how many bytes they may have; the last one stays whatever its
/// size. Two tabs may show different states of a file.
const MOST: usize = 3;
const MOST_BYTES: usize = 48 << 20;

/// A scene that was answered.
struct Answered {
    /// The number of the file.
    number: usize,
    /// What the page names it by: no other scene of this server has this version.
    version: u64,
    scene: Kept,
}

/// The scenes that were answered last, the newest at the end.
#[derive(Default)]
pub(super) struct Scenes {
    last: u64,
    kept: Vec<Arc<Answered>>,
}

impl Scenes {
    /// Keeps a scene; an equal one of the file keeps its version.
    fn keep(&mut self, number: usize, scene: Kept) -> Arc<Answered> {
        let known = self
            .kept
            .iter()
            .position(|one| one.number == number && one.scene.is_same(&scene));
        let one = match known {
            Some(at) => self.kept.remove(at),
            None => {
                self.last = self.last.saturating_add(1);
                Arc::new(Answered {
                    number,
                    version: self.last,
                    scene,
                })
            }
        };
        let bytes = |kept: &[Arc<Answered>]| kept.iter().map(|one| one.scene.size()).sum::<usize>();
        while self.kept.len() >= MOST
            || !self.kept.is_empty()
                && bytes(&self.kept).saturating_add(one.scene.size()) > MOST_BYTES
        {
            self.kept.remove(0);
        }
        self.kept.push(one.clone());
        one
    }

    /// The last scene of a file.
    fn last_of(&self, number: usize) -> Option<Arc<Answered>> {
        let own = |one: &&Arc<Answered>| one.number == number;
        self.kept.iter().rev().find(own).cloned()
    }

    fn find(&self, number: usize, version: u64) -> Option<Arc<Answered>> {
        let own = |one: &&Arc<Answered>| (one.number, one.version) == (number, version);
        self.kept.iter().find(own).cloned()
    }
}

impl View {
    /// The scene of a file for a page that shows its version `since`, or none: what differs, or the
    /// whole scene.
    pub(super) fn scene_since(&self, number: usize, name: &str, since: u64) -> Result<Vec<u8>> {
        let last = lock(&self.scenes).last_of(number);
        let scene = Kept::of(
            &self.file(number)?.loaded.model,
            last.as_ref().map(|last| &last.scene),
        )?;
        let (before, now) = {
            let mut scenes = lock(&self.scenes);
            (scenes.find(number, since), scenes.keep(number, scene))
        };
        let difference = match before {
            Some(before) => now
                .scene
                .since(&before.scene, (before.version, now.version))?,
            None => None,
        };
        match difference {
            Some(difference) => Ok(difference),
            None => now.scene.whole(name, now.version),
        }
    }
}
