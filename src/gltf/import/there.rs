//! Finds the objects of a file that a world contains already, if the file is an edited export of the world itself.

use crate::{
    formats::gamez::Gamez,
    gltf::{
        scene::{
            Forest, Glb, Grove, Levels,
            import::{
                self,
                file::GltfFile,
                report::listed,
                scene::{self, Matrix, Placed},
            },
        },
        worlds,
    },
};
use std::collections::{HashMap, HashSet};

/// The advice for such a file.
pub const HINT: &str = "export only what is new, in Blender with Selected Objects; an edited model goes back with \
    `refit put FILE models/NAME`, and where a node stands is said by its document in a tree";

/// Objects of a file that exist in the world.
#[derive(Default)]
pub struct There {
    /// Their nodes, by position in the file.
    pub objects: HashMap<usize, usize>,
    /// The existing parent nodes of new objects, by position in the file.
    pub parents: HashMap<usize, usize>,
    /// The names of those that were moved.
    pub moved: Vec<String>,
    names: Vec<String>,
}

impl There {
    /// Their names, for messages.
    pub fn names(&self) -> String {
        listed(&self.names)
    }
}

/// The view of a tree of nodes in an export.
struct View {
    /// The nodes by their exported names.
    names: HashMap<String, usize>,
    places: HashMap<usize, Matrix>,
    roots: HashSet<usize>,
}

fn view(forest: &Forest<'_>, grove: &Grove, levels: Levels) -> View {
    let mut glb = Glb::new();
    forest.plant(grove, levels, "", &mut glb, &mut |_, _, _| None);
    let mut view = View { names: HashMap::new(), places: HashMap::new(), roots: grove.roots.iter().copied().collect() };
    for (name, index, place) in exported(glb) {
        view.names.entry(name).or_insert(index);
        view.places.entry(index).or_insert(place);
    }
    view
}

/// The nodes in an export: exported name, position in the world, position in the scene.
pub fn exported(glb: Glb) -> impl Iterator<Item = (String, usize, Matrix)> {
    glb.root.nodes.into_iter().filter_map(|node| {
        let index = usize::try_from(node.extras?.get("index")?.as_u64()?).ok()?;
        let widened = |v: [f32; 3]| v.map(f64::from);
        let place = scene::local(&import::file::Node {
            translation: node.translation.map(widened),
            rotation: node.rotation.map(|v| v.map(f64::from)),
            scale: node.scale.map(widened),
            ..Default::default()
        });
        Some((node.name, index, place))
    })
}

impl View {
    /// Maps objects to nodes: by name, else by the name without Blender's `.001`. Each node gets one object at most.
    fn partners(&self, file: &GltfFile, placed: &[Placed]) -> HashMap<usize, usize> {
        let mut out = HashMap::new();
        let mut taken = HashSet::new();
        for exact in [true, false] {
            for object in placed.iter().map(|p| p.node) {
                let Some(node) = file.root.nodes.get(object).filter(|_| !out.contains_key(&object)) else { continue };
                let name = if exact { node.name.as_str() } else { import::plain(&node.name) };
                if let Some(at) = self.names.get(name).filter(|at| taken.insert(**at)) {
                    out.insert(object, *at);
                }
            }
        }
        out
    }
}

/// The objects that exist already. A file that contains a root of the world and one of its children under it is an
/// export of the world; in any other file, an object is new even if its name exists in the world.
pub fn of_world(world: &Gamez, file: &GltfFile, placed: &[Placed]) -> There {
    let forest = Forest::of_world(&world.nodes);
    let files = worlds::files(world, &forest);
    let children = |object: usize| file.root.nodes.get(object).map_or(&[][..], |n| n.children.as_slice());
    let mut best: Option<(View, HashMap<usize, usize>)> = None;
    for (.., grove, levels) in files.iter().filter(|(path, ..)| path != "unattached.glb") {
        let view = view(&forest, grove, *levels);
        let partners = view.partners(file, placed);
        let shows = |(object, node): (&usize, &usize)| {
            if !view.roots.contains(node) {
                return false;
            }
            let own: HashSet<usize> = forest.children(*node).iter().copied().collect();
            children(*object).iter().filter_map(|c| partners.get(c)).any(|c| own.contains(c))
        };
        if partners.iter().any(shows) && best.as_ref().is_none_or(|(_, others)| others.len() < partners.len()) {
            best = Some((view, partners));
        }
    }
    let Some((view, objects)) = best else { return There::default() };
    let size = placed.iter().flat_map(|n| n.world.iter().map(|row| row[3].abs())).fold(1.0, f64::max);
    let mut there = There::default();
    for object in placed {
        let Some(at) = objects.get(&object.node) else { continue };
        let name = file.root.nodes.get(object.node).map(|n| n.name.clone()).unwrap_or_default();
        if view.places.get(at).is_some_and(|place| scene::differs(place, &object.local, size)) {
            there.moved.push(name.clone());
        }
        there.names.push(name);
        let new = children(object.node).iter().filter(|child| !objects.contains_key(child));
        there.parents.extend(new.map(|child| (*child, *at)));
    }
    there.objects = objects;
    there
}
