//! Definitions and scripts bound to a world, and what events change.

use super::{
    pose::V3,
    stage::{Bound, Stage, States},
};
use refit_base::{game::Game, wire::Result};
use refit_zipper::anim::{Anim, Body, Definition, Script};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What conditions that only the game can answer are taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Assume {
    /// The player is near and looks from outside, details are high, hardware draws, chance decides
    /// against it.
    #[default]
    Usual,
    /// Every such condition is met.
    Holds,
    /// No such condition is met.
    Fails,
}

/// Definitions and scripts of an animation file, bound to a world.
pub struct Show<'a> {
    pub(super) game: Game,
    pub(super) stage: &'a Stage,
    /// Assumptions, see [`Assume`].
    pub assume: Assume,
    pub(super) definitions: Vec<Definition>,
    pub(super) bounds: Vec<Bound>,
    scripts: HashMap<String, Script>,
    named: HashMap<String, usize>,
}

impl<'a> Show<'a> {
    /// The definitions and scripts of a file, bound to a world.
    ///
    /// # Errors
    /// A definition or a script of the file cannot be read.
    pub fn new(anim: &Anim, stage: &'a Stage) -> Result<Self> {
        let definitions = anim.definitions().collect::<Result<Vec<_>>>()?;
        let scripts = anim.script_stems().into_iter().zip(anim.scripts());
        let scripts = scripts
            .map(|(stem, script)| Ok((stem, script?)))
            .collect::<Result<_>>()?;
        let mut named = HashMap::new();
        for (i, definition) in definitions.iter().enumerate() {
            named
                .entry(definition.animation_name.text().into_owned())
                .or_insert(i);
        }
        let bounds = stage.bind(&definitions);
        Ok(Show {
            game: anim.game,
            stage,
            assume: Assume::Usual,
            definitions,
            bounds,
            scripts,
            named,
        })
    }

    /// The definitions.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    pub(super) fn script(&self, stem: &str) -> Option<&Script> {
        self.scripts.get(stem)
    }

    /// The definition that calls of a name mean.
    pub(super) fn called(&self, name: &str) -> Option<usize> {
        self.named.get(name).copied()
    }

    /// A definition and all that it calls, in the order of the file.
    pub(super) fn reached(&self, first: usize) -> Vec<usize> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![first]);
        while let Some(next) = open.pop() {
            if reached.insert(next)
                && let Some(definition) = self.definitions.get(next)
            {
                let calls = definition.events().filter_map(|event| match &event.body {
                    Body::CallAnimation(call) => self.called(&call.name.text()),
                    _ => None,
                });
                open.extend(calls);
            }
        }
        reached.into_iter().collect()
    }
}

/// A light that a definition made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Light {
    /// It is on.
    pub active: bool,
    /// The node that it is attached to.
    pub node: Option<usize>,
    /// The offset from that node, or a place in the world.
    pub position: V3,
    /// Full light up to the first distance, none from the second on.
    pub range: Option<[f64; 2]>,
    /// Red, green, blue.
    pub color: Option<V3>,
    /// The ambient and the diffuse part.
    pub parts: [Option<f64>; 2],
}

/// What events changed about the fog.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fog {
    /// OFF, LINEAR or EXPONENTIAL.
    pub kind: Option<&'static str>,
    /// Red, green, blue, 0 to 1.
    pub color: Option<V3>,
    /// Lowest and highest altitude.
    pub altitude: Option<[f64; 2]>,
    /// Distances where it begins and where it is thickest.
    pub range: Option<[f64; 2]>,
}

/// A sound that was played, or switched.
#[derive(Clone, PartialEq, Debug)]
pub struct Sounded {
    /// When.
    pub time: f64,
    /// The sample.
    pub name: String,
    /// Where.
    pub node: Option<usize>,
    /// On or off, for one that stays.
    pub switched: Option<bool>,
}

/// Everything that events changed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Nodes, by their rows.
    pub nodes: States,
    /// Lights, by definition and name.
    pub lights: BTreeMap<(usize, String), Light>,
    /// The fog.
    pub fog: Fog,
    /// The colour over the picture while one is: red, green, blue, alpha.
    pub screen: Option<[f64; 4]>,
    /// Sounds, in the order of time.
    pub sounds: Vec<Sounded>,
}
