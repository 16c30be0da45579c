//! Finds the objects of a file that a world contains already, if the file is an edited export of
//! the world itself.

use crate::{
    scene::{
        Forest, Glb,
        import::{
            self,
            file::{GltfFile, Node},
            report::{Report, listed},
            scene::{self, Matrix, Placed},
        },
    },
    worlds,
};
use refit_base::wire::{Error, Result};
use refit_zipper::gamez::Gamez;
use std::collections::{HashMap, HashSet};

/// Finds the node that an object of the file is.
type Way<'a> = &'a dyn Fn(&Node) -> Option<usize>;

/// Advice for such a file.
const HINT: &str = "export only what is new, in Blender with Selected Objects; `refit put FILE world NAME.glb` puts a \
    whole edited world back";

/// Objects of a file that exist in the world.
#[derive(Default)]
pub struct There {
    /// Their nodes, by position in the file.
    pub objects: HashMap<usize, usize>,
    /// The existing parent nodes of new objects, by position in the file.
    pub parents: HashMap<usize, usize>,
    /// The moved objects: object, node, and its matrix in the export.
    pub moved: Vec<(usize, usize, Matrix)>,
    /// Nodes of the export that the file does not show.
    pub absent: Vec<usize>,
    names: Vec<String>,
}

impl There {
    /// Removes these objects from the list and reports them. Returns an error if the others show no
    /// mesh.
    pub fn leave_out(
        &self,
        file: &GltfFile,
        placed: &mut Vec<Placed>,
        total: &mut Report,
    ) -> Result<()> {
        if self.objects.is_empty() {
            return Ok(());
        }
        let (all, names) = (placed.len(), listed(&self.names));
        placed.retain(|n| !self.objects.contains_key(&n.node));
        if placed.iter().all(|n| n.mesh(file).is_none()) {
            return Err(Error::say(format!(
                "all {all} objects of the file exist already: {names}"
            ))
            .hint(HINT));
        }
        let there = self.objects.len();
        total.lost.push(format!(
            "{there} of {all} objects exist already, and stay unchanged: {names} ({HINT})"
        ));
        if !self.moved.is_empty() {
            let name = |object: &usize| {
                file.root
                    .nodes
                    .get(*object)
                    .map(|n| n.name.clone())
                    .unwrap_or_default()
            };
            let moved = listed(
                &self
                    .moved
                    .iter()
                    .map(|(object, ..)| name(object))
                    .collect::<Vec<_>>(),
            );
            total.lost.push(format!(
                "objects that exist already and have another position in the file: {moved}"
            ));
        }
        Ok(())
    }
}

/// The nodes in an export.
#[derive(Default)]
pub struct Exported {
    /// The nodes by their exported names.
    pub names: HashMap<String, usize>,
    /// Positions in the scene by node.
    pub places: HashMap<usize, Matrix>,
}

impl Exported {
    /// Adds the nodes of a file. For each name, the first node is used.
    pub fn add(&mut self, glb: Glb) {
        for node in glb.root.nodes {
            let index = node
                .extras
                .as_ref()
                .and_then(|extras| extras.get("index")?.as_u64())
                .map(usize::try_from);
            let Some(Ok(index)) = index else { continue };
            let widened = |v: [f32; 3]| v.map(f64::from);
            let place = scene::local(&Node {
                translation: node.translation.map(widened),
                rotation: node.rotation.map(|v| v.map(f64::from)),
                scale: node.scale.map(widened),
                ..Default::default()
            });
            self.names.entry(node.name).or_insert(index);
            self.places.entry(index).or_insert(place);
        }
    }

    /// Maps objects to nodes: by name, then by the name without Blender's `.001`, then in further
    /// ways. A node with several parents is shown several times, each time with its own name; every
    /// other node gets one object.
    pub fn partners(
        &self,
        file: &GltfFile,
        placed: &[Placed],
        further: &[Way<'_>],
    ) -> HashMap<usize, usize> {
        let mut out = HashMap::new();
        let (mut taken, mut names) = (HashSet::new(), HashSet::new());
        for object in placed.iter().map(|p| p.node) {
            let Some(node) = file.root.nodes.get(object) else {
                continue;
            };
            if let Some(at) = self
                .names
                .get(&node.name)
                .filter(|_| names.insert(&node.name))
            {
                taken.insert(*at);
                out.insert(object, *at);
            }
        }
        let plain = |node: &Node| self.names.get(import::plain(&node.name)).copied();
        let by_name: [Way<'_>; 1] = [&plain];
        for way in by_name.iter().chain(further) {
            for object in placed.iter().map(|p| p.node) {
                let Some(node) = file
                    .root
                    .nodes
                    .get(object)
                    .filter(|_| !out.contains_key(&object))
                else {
                    continue;
                };
                if let Some(at) = way(node).filter(|at| taken.insert(*at)) {
                    out.insert(object, at);
                }
            }
        }
        out
    }
}

/// The objects that exist already. A file that contains a root of the world and one of its children
/// under it is an export of the world; in any other file, an object is new even if its name exists
/// in the world.
pub fn of_world(world: &Gamez, file: &GltfFile, placed: &[Placed]) -> There {
    let forest = Forest::of_world(&world.nodes);
    let files = worlds::files(world, &forest);
    let children = |object: usize| {
        file.root
            .nodes
            .get(object)
            .map_or(&[][..], |n| n.children.as_slice())
    };
    let noted = |object: usize| {
        let index = file
            .root
            .nodes
            .get(object)?
            .extras
            .as_ref()?
            .get("index")?
            .as_u64()?;
        usize::try_from(index).ok()
    };
    let mut best: Option<(Exported, HashMap<usize, usize>)> = None;
    for (.., grove, levels) in files.iter().filter(|(path, ..)| path != "unattached.glb") {
        let mut glb = Glb::new();
        forest.plant(grove, *levels, "", &mut glb, &mut |_, _, _| None);
        let mut view = Exported::default();
        view.add(glb);
        let partners = view.partners(file, placed, &[]);
        let shows = |(object, node): (&usize, &usize)| {
            if !grove.roots.contains(node) {
                return false;
            }
            let own: HashSet<usize> = forest.children(*node).iter().copied().collect();
            // A root without children shows itself only if the export's note of its position is
            // still there.
            if own.is_empty() && noted(*object) == Some(*node) {
                return true;
            }
            children(*object)
                .iter()
                .filter_map(|c| partners.get(c))
                .any(|c| own.contains(c))
        };
        if partners.iter().any(shows)
            && best
                .as_ref()
                .is_none_or(|(_, others)| others.len() < partners.len())
        {
            best = Some((view, partners));
        }
    }
    let Some((view, objects)) = best else {
        return There::default();
    };
    let mut there = There::default();
    for object in placed {
        let Some(at) = objects.get(&object.node) else {
            continue;
        };
        let name = file
            .root
            .nodes
            .get(object.node)
            .map(|n| n.name.clone())
            .unwrap_or_default();
        let place = view.places.get(at).filter(|place| object.differs(place));
        there
            .moved
            .extend(place.map(|place| (object.node, *at, *place)));
        there.names.push(name);
        let new = children(object.node)
            .iter()
            .filter(|child| !objects.contains_key(child));
        there.parents.extend(new.map(|child| (*child, *at)));
    }
    let shown: HashSet<usize> = objects.values().copied().collect();
    there.absent = view
        .places
        .keys()
        .copied()
        .filter(|at| !shown.contains(at))
        .collect();
    there.absent.sort_unstable();
    there.objects = objects;
    there
}
