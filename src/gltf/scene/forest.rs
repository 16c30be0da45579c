//! The trees of a file's nodes, and their positions.
//!
//! The games' nodes form a graph: a node may have several parents, lists of children may contain
//! cycles, and the lists of parents need not agree (../gamez/FORMAT.md). glTF requires trees:
//!
//! * Lists of children take precedence. A node in no such list becomes a child of the first parent
//!   that it names; without a parent it is a root.
//! * A node with several parents appears several times, with the same mesh, as long as the file
//!   stays within a small multiple of the nodes; cycles are cut. Both are noted.
//! * Released records, the display and its windows have no position, and are left out.
//! * **Levels of detail.** Of the lods below one node, those with the nearest range are shown. The
//!   others go into a separate file at the same positions ([`Levels::Further`]): one file with all
//!   of them would show them on top of each other, and programs that import objects outside of any
//!   scene would show them at the origin. Their parent lists them (`further_levels` in its extras);
//!   lods have their ranges in metres.
//! * Nodes that belong to no world, such as models for animations, go into a separate file, too.
//!   Without a world, as in the planes of Crimson Skies, each tree gets its own file.
//! * The direction of a light or camera is computed from its angles, as for objects, along −z. No
//!   reference confirms this.

use super::{
    axes,
    glb::Glb,
    json::{self, Perspective, Scene},
};
use refit_base::wire::{F32, Vec3};
use refit_zipper::gamez::{
    classes::{self, Camera, Light, LightFlags, Lod, ONE, Object3d, ObjectFlags, ZERO},
    nodes::{Data, Node},
    types::Link,
};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    sync::OnceLock,
};

/// Nodes of a file, by position, and their edges.
pub struct Forest<'a> {
    nodes: Vec<Option<&'a Node>>,
    children: Vec<Vec<usize>>,
    leads: OnceLock<Vec<bool>>,
}

/// Trees that go into one file.
#[derive(Clone, Debug)]
pub struct Grove {
    pub roots: Vec<usize>,
    /// The number of their nodes.
    size: usize,
}

/// Which levels of detail a file shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Levels {
    /// The nearest ones.
    Nearest,
    /// The others, with the nodes above them but without the meshes of those.
    Further,
}

/// Puts the mesh of a node into a file.
pub type PutMesh<'a> = dyn FnMut(usize, &Node, &mut Glb) -> Option<usize> + 'a;

/// Maximum of glTF nodes per node of the game, in total.
const COPIES: usize = 4;

/// Maximum distance and scale of a node. Blender multiplies them along the tree, and its export
/// fails if the product exceeds an f32.
const FARTHEST: f32 = 1e15;

const LIGHTS: &str = "KHR_lights_punctual";

fn mark(flags: &mut [bool], i: usize) -> bool {
    flags
        .get_mut(i)
        .is_some_and(|flag| !std::mem::replace(flag, true))
}

impl<'a> Forest<'a> {
    pub fn of_world(nodes: &'a [Option<Node>]) -> Self {
        let there = |i: &usize| nodes.get(*i).is_some_and(Option::is_some);
        let mut children: Vec<Vec<usize>> = Vec::with_capacity(nodes.len());
        let mut named = vec![false; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let list = node
                .iter()
                .flat_map(|n| &n.children)
                .filter_map(Link::place)
                .filter(there)
                .filter(|c| *c != i);
            let mut seen = HashSet::new();
            let world = node.as_ref().and_then(|n| {
                if let Data::World(world) = &n.data {
                    Some(world)
                } else {
                    None
                }
            });
            let members = world
                .into_iter()
                .flat_map(|world| world.members())
                .filter(there)
                .filter(|c| *c != i);
            let list: Vec<usize> = list.chain(members).filter(|c| seen.insert(*c)).collect();
            for child in &list {
                mark(&mut named, *child);
            }
            children.push(list);
        }
        for (i, node) in nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            if named.get(i) == Some(&false)
                && let Some(parent) = node
                    .parents
                    .0
                    .iter()
                    .flatten()
                    .filter_map(Link::place)
                    .find(|p| there(p) && *p != i)
                && let Some(list) = children.get_mut(parent)
            {
                list.push(i);
            }
        }
        Forest {
            nodes: nodes.iter().map(Option::as_ref).collect(),
            children,
            leads: OnceLock::new(),
        }
    }

    /// The nodes of a mechlib's tree, depth first.
    pub fn of_tree(nodes: &'a [Node]) -> Self {
        let mut children = vec![Vec::new(); nodes.len()];
        let mut above: Vec<usize> = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            above.truncate(node.depth.unwrap_or_default() as usize);
            if let Some(list) = above.last().and_then(|p| children.get_mut(*p)) {
                list.push(i);
            }
            above.push(i);
        }
        Forest {
            nodes: nodes.iter().map(Some).collect(),
            children,
            leads: OnceLock::new(),
        }
    }

    fn node(&self, i: usize) -> Option<&'a Node> {
        self.nodes.get(i).copied().flatten()
    }

    pub fn children(&self, i: usize) -> &[usize] {
        self.children.get(i).map_or(&[], Vec::as_slice)
    }

    /// The visible children of a node: all except further levels of detail.
    fn near(&self, i: usize) -> impl Iterator<Item = usize> {
        let nearest = self.nearest(i);
        self.children(i)
            .iter()
            .copied()
            .filter(move |c| self.begin(*c).is_none_or(|b| b <= nearest))
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node that has a position in the world.
    pub fn positioned(&self, i: usize) -> Option<&'a Node> {
        self.node(i).filter(|_| self.has_position(i))
    }

    /// True for a level of detail.
    pub fn is_level(&self, i: usize) -> bool {
        self.begin(i).is_some()
    }

    /// The children that are further levels of detail, nearest first.
    pub fn further(&self, i: usize) -> Vec<usize> {
        let nearest = self.nearest(i);
        let mut list: Vec<(f32, usize)> = self
            .children(i)
            .iter()
            .filter_map(|c| Some((self.begin(*c)?, *c)))
            .collect();
        list.retain(|(begin, _)| *begin > nearest);
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        list.into_iter().map(|(_, c)| c).collect()
    }

    /// The squared distance at which a lod begins; `None` for other nodes.
    fn begin(&self, i: usize) -> Option<f32> {
        match &self.node(i)?.data {
            Data::Lod(lod) => Some(lod.range_near_sq.get().max(0.0)),
            _ => None,
        }
    }

    fn nearest(&self, i: usize) -> f32 {
        self.children(i)
            .iter()
            .filter_map(|c| self.begin(*c))
            .fold(f32::INFINITY, f32::min)
    }

    /// Groups of trees that share no nodes. Their roots are nodes without a parent, or an arbitrary
    /// node of a cycle that nothing else reaches.
    pub fn groves(&self) -> Vec<Grove> {
        let mut hangs = vec![false; self.nodes.len()];
        for i in self.children.iter().flatten() {
            mark(&mut hangs, *i);
        }
        let free = (0..self.nodes.len()).filter(|i| hangs.get(*i) == Some(&false));
        // A window has no position: its children are roots.
        let free = free.flat_map(|i| {
            if self.has_position(i) {
                vec![i]
            } else {
                self.children(i).to_vec()
            }
        });
        // `reached` is the tree that reached a node first; `meets` links trees that share nodes,
        // each to an earlier one or to itself.
        let mut reached: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut meets: Vec<usize> = Vec::new();
        let first = |meets: &mut Vec<usize>, mut tree: usize| {
            while let Some(other) = meets.get(tree).copied().filter(|other| *other != tree) {
                // Shorten the path, so that the next search is fast.
                let further = meets.get(other).copied().unwrap_or(other);
                if let Some(slot) = meets.get_mut(tree) {
                    *slot = further;
                }
                tree = other;
            }
            tree
        };
        let mut roots: Vec<usize> = Vec::new();
        for root in free.chain(0..self.nodes.len()) {
            let Some(slot @ None) = reached.get_mut(root).filter(|_| self.has_position(root))
            else {
                continue;
            };
            let tree = roots.len();
            *slot = Some(tree);
            roots.push(root);
            meets.push(tree);
            let mut open = vec![root];
            while let Some(i) = open.pop() {
                for child in self.children(i).iter().filter(|c| self.has_position(**c)) {
                    match reached.get_mut(*child) {
                        Some(slot @ None) => {
                            *slot = Some(tree);
                            open.push(*child);
                        }
                        Some(Some(other)) => {
                            let (a, b) = (first(&mut meets, *other), first(&mut meets, tree));
                            if let Some(slot) = meets.get_mut(a.max(b)) {
                                *slot = a.min(b);
                            }
                        }
                        None => {}
                    }
                }
            }
        }
        let mut groves: Vec<Grove> = roots
            .iter()
            .map(|_| Grove {
                roots: Vec::new(),
                size: 0,
            })
            .collect();
        for (tree, root) in roots.iter().enumerate() {
            if let Some(grove) = groves.get_mut(first(&mut meets, tree)) {
                grove.roots.push(*root);
            }
        }
        for tree in reached.into_iter().flatten() {
            if let Some(grove) = groves.get_mut(first(&mut meets, tree)) {
                grove.size += 1;
            }
        }
        groves.retain(|grove| !grove.roots.is_empty());
        groves
    }

    /// All trees.
    pub fn whole(&self) -> Grove {
        let mut roots: Vec<usize> = self
            .groves()
            .into_iter()
            .flat_map(|grove| grove.roots)
            .collect();
        roots.sort_unstable();
        Grove {
            roots,
            size: self.nodes.len(),
        }
    }

    /// Three groups: all trees; those of the world, with cameras, lights and sounds; and those that
    /// belong to no world. `None` if there is no world.
    pub fn world(&self) -> Option<[Grove; 3]> {
        let Grove { roots, .. } = self.whole();
        let data = |i: usize| self.node(i).map(|n| &n.data);
        roots
            .iter()
            .find(|i| matches!(data(**i), Some(Data::World(_))))?;
        let own = |i: &usize| {
            matches!(
                data(*i),
                Some(Data::World(_) | Data::Camera(_) | Data::Light(_) | Data::Sound(_))
            )
        };
        let (world, unattached) = roots.iter().copied().partition(own);
        Some([roots, world, unattached].map(|roots| Grove {
            roots,
            size: self.nodes.len(),
        }))
    }

    /// False for nodes that have no position in the world.
    fn has_position(&self, i: usize) -> bool {
        self.node(i)
            .is_some_and(|n| !matches!(n.data, Data::Empty | Data::Display(_) | Data::Window(_)))
    }

    /// True if a further level of detail is below a node.
    fn leads(&self, i: usize) -> bool {
        let all = self.leads.get_or_init(|| {
            let mut parents: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
            for (i, children) in self.children.iter().enumerate() {
                for child in children {
                    if let Some(list) = parents.get_mut(*child) {
                        list.push(i);
                    }
                }
            }
            let mut leads = vec![false; self.nodes.len()];
            let mut open: Vec<usize> = (0..self.nodes.len())
                .filter(|i| !self.further(*i).is_empty() && mark(&mut leads, *i))
                .collect();
            while let Some(i) = open.pop() {
                open.extend(
                    parents
                        .get(i)
                        .into_iter()
                        .flatten()
                        .copied()
                        .filter(|p| mark(&mut leads, *p)),
                );
            }
            leads
        });
        all.get(i) == Some(&true)
    }

    /// Adds trees and a scene of them to a file. Returns the first glTF node for each name.
    pub fn plant(
        &self,
        grove: &Grove,
        levels: Levels,
        scene: &str,
        glb: &mut Glb,
        mesh: &mut PutMesh<'_>,
    ) -> HashMap<Vec<u8>, usize> {
        let (made, on_path, names) = Default::default();
        let mut walk = Walk {
            forest: self,
            levels,
            mesh,
            most: COPIES * grove.size,
            made,
            on_path,
            names,
        };
        let mut nodes = Vec::new();
        for root in grove
            .roots
            .iter()
            .filter(|root| levels == Levels::Nearest || self.leads(**root))
        {
            nodes.extend(walk.grow(*root, glb));
        }
        let Walk { names, .. } = walk;
        if !nodes.is_empty() {
            glb.root.scenes.push(Scene {
                name: scene.to_owned(),
                nodes,
                extras: None,
            });
            glb.root.scene = Some(0);
        }
        names
    }
}

/// The state of the traversal of the graph.
struct Walk<'a, 'b> {
    forest: &'b Forest<'a>,
    levels: Levels,
    mesh: &'b mut PutMesh<'b>,
    /// Maximum number of glTF nodes; beyond it nodes are not repeated.
    most: usize,
    /// Nodes that have a glTF node already.
    made: HashSet<usize>,
    on_path: HashSet<usize>,
    names: HashMap<Vec<u8>, usize>,
}

/// A node on the current path.
struct Step {
    node: usize,
    /// Its glTF node.
    made: usize,
    /// Its remaining children, last first, and whether their meshes are shown.
    left: Vec<(usize, bool)>,
}

impl Walk<'_, '_> {
    /// Builds the tree below a node; `None` if the node has no position. Not recursive: trees may
    /// be deep.
    fn grow(&mut self, root: usize, glb: &mut Glb) -> Option<usize> {
        let shown = self.levels == Levels::Nearest;
        let top = self.make(root, shown, glb)?;
        let mut stack = vec![self.step(root, top, shown)];
        while let Some(Step { node, made, left }) = stack.last_mut() {
            let (parent, above) = (*node, *made);
            let Some((child, shown)) = left.pop() else {
                self.on_path.remove(&parent);
                stack.pop();
                continue;
            };
            if self.on_path.contains(&child) {
                glb.note(format!(
                    "node {child} is below {parent}, which is below it: left out there"
                ));
                continue;
            }
            if self.made.contains(&child) && glb.root.nodes.len() >= self.most {
                glb.note(format!(
                    "node {child} has too many parents: left out below {parent}"
                ));
                continue;
            }
            let Some(new) = self.make(child, shown, glb) else {
                continue;
            };
            if let Some(above) = glb.root.nodes.get_mut(above) {
                above.children.push(new);
            }
            let step = self.step(child, new, shown);
            stack.push(step);
        }
        Some(top)
    }

    /// Descends to a node.
    fn step(&mut self, node: usize, made: usize, shown: bool) -> Step {
        self.on_path.insert(node);
        let forest = self.forest;
        let mut left: Vec<(usize, bool)> = match self.levels {
            // Above a further level: the children that lead to one, and the further levels
            // themselves with everything below.
            Levels::Further if !shown => {
                let way = forest
                    .near(node)
                    .filter(|c| forest.leads(*c))
                    .map(|c| (c, false));
                way.chain(forest.further(node).into_iter().map(|c| (c, true)))
                    .collect()
            }
            _ => forest.near(node).map(|c| (c, true)).collect(),
        };
        left.reverse();
        Step { node, made, left }
    }

    /// Creates the glTF node of a node; `None` if the node has no position.
    fn make(&mut self, index: usize, shown: bool, glb: &mut Glb) -> Option<usize> {
        let node = self
            .forest
            .node(index)
            .filter(|_| self.forest.has_position(index))?;
        let mesh = if shown {
            (self.mesh)(index, node, glb)
        } else {
            None
        };
        let name = glb.node_names.unique(&node.title(), index);
        let mut out = json::Node {
            name,
            mesh,
            ..json::Node::default()
        };
        let mut extras = extras(index, node);
        let further = if self.levels == Levels::Further {
            Vec::new()
        } else {
            self.forest.further(index)
        };
        if !further.is_empty() {
            extras.insert("further_levels".into(), json!(further));
        }
        let title = format!("node {index} {}", node.title());
        match &node.data {
            Data::Object3d(object) => object3d(object, &mut out, &mut extras, glb, &title),
            Data::Lod(lod) => lod_extras(lod, &mut extras),
            Data::Camera(camera) => self::camera(camera, &mut out, glb, &title),
            Data::Light(light) => self::light(light, &mut out, &mut extras, glb, &title),
            Data::World(w) => {
                let area =
                    json!({ "left": w.left, "bottom": w.bottom, "right": w.right, "top": w.top });
                extras.insert("area".into(), area);
                let fog =
                    json!({ "type": w.fog_type, "color": w.fog_color.0, "range": w.fog_range.0 });
                extras.insert("fog".into(), fog);
            }
            Data::Sound(_) | Data::Empty | Data::Display(_) | Data::Window(_) => {}
        }
        out.extras = Some(extras.into());
        glb.root.nodes.push(out);
        let made = glb.root.nodes.len() - 1;
        self.made.insert(index);
        self.names
            .entry(node.name.bytes().to_ascii_lowercase())
            .or_insert(made);
        Some(made)
    }
}

type Extras = serde_json::Map<String, Value>;

/// The extras of every node.
fn extras(index: usize, node: &Node) -> Extras {
    let mut out = Extras::new();
    out.insert("index".into(), json!(index));
    out.insert("class".into(), json!(node.data.kind()));
    out.insert("flags".into(), json!(node.flags));
    if let Some(zone) = node.zone.0 {
        out.insert("zone".into(), json!(zone));
    }
    if let Some(model) = node
        .model
        .0
        .as_ref()
        .and_then(Link::place)
        .filter(|_| node.depth.is_none())
    {
        out.insert("model".into(), json!(model));
    }
    out
}

/// Sets the transformation of a node. Returns true if rows and translation contain more than glTF
/// can represent.
fn place(
    rows: &[F32; 9],
    translation: &Vec3,
    out: &mut json::Node,
    glb: &mut Glb,
    title: &str,
) -> bool {
    let place = axes::place(rows, translation).ok_or("not finite");
    let near = |place: &axes::Place| {
        !place
            .translation
            .iter()
            .chain(&place.scale)
            .any(|v| v.abs() > FARTHEST)
    };
    let place = match place.and_then(|p| {
        if near(&p) {
            Ok(p)
        } else {
            Err("beyond what Blender can export again")
        }
    }) {
        Ok(place) => place,
        Err(why) => {
            glb.note(format!(
                "{title}: its position is {why}; it is shown at its parent's"
            ));
            return false;
        }
    };
    out.translation = (place.translation != [0.0; 3]).then_some(place.translation);
    out.rotation = (place.rotation != [0.0, 0.0, 0.0, 1.0]).then_some(place.rotation);
    out.scale = (place.scale != [1.0; 3]).then_some(place.scale);
    !place.whole
}

fn object3d(
    object: &Object3d,
    out: &mut json::Node,
    extras: &mut Extras,
    glb: &mut Glb,
    title: &str,
) {
    let rows = object.matrix();
    if place(&rows, &object.translation.or([ZERO; 3]), out, glb, title) {
        glb.note(format!(
            "{title}: its matrix is sheared, which a glTF node cannot express; see its extras"
        ));
        extras.insert("matrix".into(), json!(rows));
    }
    if object.flags.has(ObjectFlags::OPACITY) {
        extras.insert("opacity".into(), json!(object.opacity.or(ZERO)));
    }
    if object.flags.has(ObjectFlags::COLOR) {
        extras.insert("color".into(), json!(object.color.or([ZERO; 3])));
    }
}

fn lod_extras(lod: &Lod, extras: &mut Extras) {
    let near = F32::from(lod.range_near_sq.get().sqrt());
    extras.insert(
        "lod".into(),
        json!({ "level": lod.level, "near": near, "far": lod.range_far }),
    );
}

/// Adds a camera if its numbers are valid: those of Crimson Skies are all zero.
fn camera(camera: &Camera, out: &mut json::Node, glb: &mut Glb, title: &str) {
    let angles = camera.rotation.or([ZERO; 3]);
    place(
        &classes::rotation_rows(angles, [ONE; 3]),
        &camera.translation.or([ZERO; 3]),
        out,
        glb,
        title,
    );
    let [across, down] = [
        (camera.fov_h_base, camera.fov_h_scale),
        (camera.fov_v_base, camera.fov_v_scale),
    ]
    .map(|(base, scale)| f64::from(base.get()) * f64::from(scale.get()));
    let aspect = ((across / 2.0).tan() / (down / 2.0).tan()) as f32;
    let (znear, zfar) = (camera.clip_near.get(), camera.clip_far.get());
    let wide = |angle: f64| angle > 0.0 && angle < std::f64::consts::PI;
    let ranges = znear.is_normal() && znear > 0.0 && zfar > znear && zfar.is_finite();
    if wide(across) && wide(down) && aspect.is_normal() && ranges {
        let perspective = Perspective {
            aspect_ratio: aspect,
            yfov: down as f32,
            zfar,
            znear,
        };
        glb.root.cameras.push(json::Camera {
            kind: "perspective",
            perspective,
        });
        out.camera = Some(glb.root.cameras.len() - 1);
    } else {
        glb.note(format!(
            "{title}: its angles and ranges do not make a camera"
        ));
    }
}

fn light(light: &Light, out: &mut json::Node, extras: &mut Extras, glb: &mut Glb, title: &str) {
    let orientation = light.orientation.or([ZERO; 3]);
    place(
        &classes::rotation_rows(orientation, [ONE; 3]),
        &light.translation.or([ZERO; 3]),
        out,
        glb,
        title,
    );
    let point = match light.flags.0 {
        Some(flags) => flags.has(LightFlags::POINT_SOURCE) && !flags.has(LightFlags::DIRECTIONAL),
        None => light.point_source.0.unwrap_or(0) != 0 && light.directional.0.unwrap_or(0) == 0,
    };
    let intensity = light.diffuse.get();
    let mut entry = json!({
        "name": out.name,
        "type": if point { "point" } else { "directional" },
        "color": light.color.map(axes::light),
        "intensity": if intensity.is_finite() { intensity.max(0.0) } else { 1.0 },
    });
    let range = light.range_far.get();
    if point && range.is_finite() && range > 0.0 {
        entry["range"] = json!(range);
    }
    // The only extension with data in the root object.
    let root = glb
        .root
        .extensions
        .get_or_insert_with(|| json!({ LIGHTS: { "lights": [] } }));
    if let Some(list) = root[LIGHTS]["lights"].as_array_mut() {
        list.push(entry);
        out.extensions = Some(json!({ LIGHTS: { "light": list.len() - 1 } }));
    }
    glb.uses(LIGHTS);
    extras.insert(
        "light".into(),
        json!({
            "orientation": orientation, "diffuse": light.diffuse, "ambient": light.ambient,
            "near": light.range_near, "far": light.range_far, "flags": light.flags.0,
        }),
    );
}
