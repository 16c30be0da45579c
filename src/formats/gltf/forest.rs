//! The nodes of a file: what hangs on what, and where it stands.
//!
//! The games' nodes are a graph: a node may have several parents, lists of children may go round in circles, and the lists of
//! parents need not agree (gamez.md, 6.1; crimson-skies.md, 5.3). glTF wants trees:
//!
//! * The lists of children count. A node that no list names hangs on the first parent that it names itself; without one it is a
//!   root.
//! * A node with several parents is there several times, sharing its mesh, as long as the file stays within a small multiple of
//!   the nodes; the way back in a circle is cut. Both are noted.
//! * Released records, the display and its windows stand nowhere, and are left out.
//! * **Levels of detail.** Among the lods that hang on one node, those that begin nearest are shown. The others are in the file,
//!   outside of every scene, named by `MSFT_lod` at the first one shown; `extras` have the ranges in metres.
//! * The first scene is the world with its cameras and lights, or all there is where there is no world. What hangs on nothing,
//!   models kept for animations for example, is in a second scene called `unattached`.
//! * The direction of a light and of a camera is taken from its angles, as for objects, along −z. No reference says so.

use super::{
    axes,
    glb::Glb,
    json::{self, Perspective, Scene},
};
use crate::{
    formats::gamez::{
        classes::{self, Camera, Light, LightFlags, Lod, ONE, Object3d, ObjectFlags, ZERO},
        nodes::{Data, Node},
        types::Link,
    },
    wire::{F32, Vec3},
};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Nodes of a file, by position, and their edges.
pub struct Forest<'a> {
    nodes: Vec<Option<&'a Node>>,
    children: Vec<Vec<usize>>,
    /// The mesh of each node in the file that is made.
    meshes: Vec<Option<usize>>,
}

/// glTF nodes for one of the games' nodes, at most, on the whole.
const COPIES: usize = 4;

const LIGHTS: &str = "KHR_lights_punctual";
const LODS: &str = "MSFT_lod";

impl<'a> Forest<'a> {
    /// The nodes of a world. `mesh` gives the mesh of a model by its position.
    pub fn of_world(nodes: &'a [Option<Node>], mesh: impl Fn(usize) -> Option<usize>) -> Self {
        let there = |i: &usize| nodes.get(*i).is_some_and(Option::is_some);
        let mut children: Vec<Vec<usize>> = Vec::with_capacity(nodes.len());
        let mut named = vec![false; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let list = node.iter().flat_map(|n| &n.children).filter_map(Link::place).filter(there).filter(|c| *c != i);
            let list: Vec<usize> = list.collect();
            for child in &list {
                if let Some(flag) = named.get_mut(*child) {
                    *flag = true;
                }
            }
            children.push(list);
        }
        for (i, node) in nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            if named.get(i) == Some(&false)
                && let Some(parent) = node.parents.0.iter().flatten().filter_map(Link::place).find(|p| there(p) && *p != i)
                && let Some(list) = children.get_mut(parent)
            {
                list.push(i);
            }
        }
        let model = |node: &Option<Node>| node.as_ref()?.model.0.as_ref()?.place();
        let meshes = nodes.iter().map(|node| mesh(model(node)?)).collect();
        Forest { nodes: nodes.iter().map(Option::as_ref).collect(), children, meshes }
    }

    /// The nodes of a mechlib's tree, depth first. `meshes` has one entry for each.
    pub fn of_tree(nodes: &'a [Node], meshes: Vec<Option<usize>>) -> Self {
        let mut children = vec![Vec::new(); nodes.len()];
        let mut above: Vec<usize> = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            above.truncate(node.depth.unwrap_or_default() as usize);
            if let Some(list) = above.last().and_then(|p| children.get_mut(*p)) {
                list.push(i);
            }
            above.push(i);
        }
        Forest { nodes: nodes.iter().map(Some).collect(), children, meshes }
    }

    /// Puts the nodes and the scenes into a file. Tells for each name the first glTF node that has it.
    pub fn plant(&self, scene: &str, glb: &mut Glb) -> HashMap<Vec<u8>, usize> {
        let mut walk =
            Walk { forest: self, first: vec![None; self.nodes.len()], on_path: vec![false; self.nodes.len()], names: HashMap::new() };
        let mut child = vec![false; self.nodes.len()];
        for i in self.children.iter().flatten() {
            if let Some(flag) = child.get_mut(*i) {
                *flag = true;
            }
        }
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|i| child.get(*i) == Some(&false)).collect();
        let class = |i: usize| self.nodes.get(i).copied().flatten().map(|n| &n.data);
        let has_world = roots.iter().any(|i| matches!(class(*i), Some(Data::World(_))));
        let mut scenes = [Vec::new(), Vec::new()];
        let [main, unattached] = &mut scenes;
        for root in roots {
            let Some(node) = walk.grow(root, glb) else { continue };
            let own = matches!(class(root), Some(Data::World(_) | Data::Camera(_) | Data::Light(_) | Data::Sound(_)));
            if own || !has_world { main.push(node) } else { unattached.push(node) }
        }
        // What only a circle reaches.
        for i in 0..self.nodes.len() {
            if child.get(i) == Some(&true)
                && walk.first.get(i) == Some(&None)
                && let Some(node) = walk.grow(i, glb)
            {
                if has_world { unattached.push(node) } else { main.push(node) }
            }
        }
        let Walk { names, .. } = walk;
        for (name, nodes) in [scene, "unattached"].into_iter().zip(scenes) {
            if !nodes.is_empty() {
                glb.root.scenes.push(Scene { name: name.to_owned(), nodes });
                glb.root.scene = Some(0);
            }
        }
        names
    }
}

/// The state of the way through the graph.
struct Walk<'a, 'b> {
    forest: &'b Forest<'a>,
    /// The first glTF node of each node.
    first: Vec<Option<usize>>,
    on_path: Vec<bool>,
    names: HashMap<Vec<u8>, usize>,
}

impl Walk<'_, '_> {
    /// Makes the tree below a node, without recursion: trees may be deep. `None` for a node that stands nowhere.
    fn grow(&mut self, root: usize, glb: &mut Glb) -> Option<usize> {
        let top = self.make(root, glb)?;
        // Node, its glTF node, its children still to come in reverse, and the glTF nodes of those that are not shown.
        let mut stack = vec![(root, top, self.order(root), Vec::new(), None::<usize>)];
        self.enter(root, true);
        while let Some((node, made, left, hidden, shown)) = stack.last_mut() {
            let Some((child, show)) = left.pop() else {
                let (node, hidden, shown) = (*node, std::mem::take(hidden), *shown);
                self.enter(node, false);
                stack.pop();
                if let Some(shown) = shown.and_then(|s| glb.root.nodes.get_mut(s))
                    && !hidden.is_empty()
                {
                    shown.extensions = Some(json!({ LODS: { "ids": hidden } }));
                    glb.uses(LODS);
                }
                continue;
            };
            let (parent, above) = (*node, *made);
            let again = self.first.get(child).is_some_and(Option::is_some);
            if self.on_path.get(child) == Some(&true) {
                glb.note(format!("node {child} hangs on {parent}, which hangs on it: left out there"));
                continue;
            }
            if again && glb.root.nodes.len() >= COPIES * self.forest.nodes.len() {
                glb.note(format!("node {child} has too many parents: left out below {parent}"));
                continue;
            }
            let Some(new) = self.make(child, glb) else { continue };
            match (show, glb.root.nodes.get_mut(above)) {
                (false, _) => hidden.push(new),
                (true, Some(above)) => {
                    above.children.push(new);
                    if matches!(self.forest.nodes.get(child), Some(Some(Node { data: Data::Lod(_), .. }))) {
                        shown.get_or_insert(new);
                    }
                }
                (true, None) => {}
            }
            self.enter(child, true);
            stack.push((child, new, self.order(child), Vec::new(), None));
        }
        Some(top)
    }

    fn enter(&mut self, node: usize, on: bool) {
        if let Some(flag) = self.on_path.get_mut(node) {
            *flag = on;
        }
    }

    /// The children of a node, last first, and whether each is shown. Lods that are not come last, nearest first.
    fn order(&self, node: usize) -> Vec<(usize, bool)> {
        let list = self.forest.children.get(node).map_or(&[][..], Vec::as_slice);
        let begin = |i: usize| match self.forest.nodes.get(i).copied().flatten() {
            Some(Node { data: Data::Lod(lod), .. }) => Some(lod.range_near_sq.get().max(0.0)),
            _ => None,
        };
        let nearest = list.iter().filter_map(|i| begin(*i)).fold(f32::INFINITY, f32::min);
        let mut shown = Vec::with_capacity(list.len());
        let mut hidden: Vec<(f32, usize)> = Vec::new();
        for i in list {
            match begin(*i) {
                Some(near) if near > nearest => hidden.push((near, *i)),
                _ => shown.push((*i, true)),
            }
        }
        hidden.sort_by(|a, b| a.0.total_cmp(&b.0));
        shown.extend(hidden.into_iter().map(|(_, i)| (i, false)));
        shown.reverse();
        shown
    }

    /// Makes the glTF node of a node; `None` for one that stands nowhere.
    fn make(&mut self, index: usize, glb: &mut Glb) -> Option<usize> {
        let node = self.forest.nodes.get(index).copied().flatten()?;
        if matches!(node.data, Data::Empty | Data::Display(_) | Data::Window(_)) {
            return None;
        }
        let mut out = json::Node { name: node.title(), mesh: self.forest.meshes.get(index).copied().flatten(), ..json::Node::default() };
        let mut extras = extras(index, node);
        let title = format!("node {index} {}", node.title());
        match &node.data {
            Data::Object3d(object) => object3d(object, &mut out, &mut extras, glb, &title),
            Data::Lod(lod) => lod_extras(lod, &mut extras),
            Data::Camera(camera) => self::camera(camera, &mut out, glb, &title),
            Data::Light(light) => self::light(light, &mut out, &mut extras, glb, &title),
            Data::World(world) => {
                extras.insert("area".into(), json!({ "left": world.left, "bottom": world.bottom, "right": world.right, "top": world.top }));
                extras.insert("fog".into(), json!({ "type": world.fog_type, "color": world.fog_color.0, "range": world.fog_range.0 }));
            }
            Data::Sound(_) | Data::Empty | Data::Display(_) | Data::Window(_) => {}
        }
        out.extras = Some(extras.into());
        glb.root.nodes.push(out);
        let made = glb.root.nodes.len() - 1;
        if let Some(first) = self.first.get_mut(index) {
            first.get_or_insert(made);
        }
        self.names.entry(node.name.bytes().to_ascii_lowercase()).or_insert(made);
        Some(made)
    }
}

type Extras = serde_json::Map<String, Value>;

/// What every node says.
fn extras(index: usize, node: &Node) -> Extras {
    let mut out = Extras::new();
    out.insert("index".into(), json!(index));
    out.insert("class".into(), json!(node.data.kind()));
    out.insert("flags".into(), json!(node.flags));
    if let Some(zone) = node.zone.0 {
        out.insert("zone".into(), json!(zone));
    }
    if let Some(model) = node.model.0.as_ref().and_then(Link::place).filter(|_| node.depth.is_none()) {
        out.insert("model".into(), json!(model));
    }
    out
}

/// Puts a node where rows and a translation say. Tells whether they say more than glTF can.
fn stand(rows: &[F32; 9], translation: &Vec3, out: &mut json::Node, glb: &mut Glb, title: &str) -> bool {
    let Some(place) = axes::place(rows, translation) else {
        glb.note(format!("{title}: its place is not finite; it stands where its parent does"));
        return false;
    };
    out.translation = (place.translation != [0.0; 3]).then_some(place.translation);
    out.rotation = (place.rotation != [0.0, 0.0, 0.0, 1.0]).then_some(place.rotation);
    out.scale = (place.scale != [1.0; 3]).then_some(place.scale);
    !place.whole
}

fn object3d(object: &Object3d, out: &mut json::Node, extras: &mut Extras, glb: &mut Glb, title: &str) {
    let rows = object.matrix();
    if stand(&rows, &object.translation.or([ZERO; 3]), out, glb, title) {
        glb.note(format!("{title}: its matrix is sheared, which no glTF node can be; see its extras"));
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
    extras.insert("lod".into(), json!({ "level": lod.level, "near": near, "far": lod.range_far }));
}

/// A camera, where its numbers make one: those of Crimson Skies are zero throughout.
fn camera(camera: &Camera, out: &mut json::Node, glb: &mut Glb, title: &str) {
    let angles = camera.rotation.or([ZERO; 3]);
    stand(&classes::rotation_rows(angles, [ONE; 3]), &camera.translation.or([ZERO; 3]), out, glb, title);
    let [across, down] = [(camera.fov_h_base, camera.fov_h_scale), (camera.fov_v_base, camera.fov_v_scale)]
        .map(|(base, scale)| f64::from(base.get()) * f64::from(scale.get()));
    let aspect = ((across / 2.0).tan() / (down / 2.0).tan()) as f32;
    let (znear, zfar) = (camera.clip_near.get(), camera.clip_far.get());
    let wide = |angle: f64| angle > 0.0 && angle < std::f64::consts::PI;
    if wide(across) && wide(down) && aspect.is_normal() && znear.is_normal() && znear > 0.0 && zfar > znear && zfar.is_finite() {
        let perspective = Perspective { aspect_ratio: aspect, yfov: down as f32, zfar, znear };
        glb.root.cameras.push(json::Camera { kind: "perspective", perspective });
        out.camera = Some(glb.root.cameras.len() - 1);
    } else {
        glb.note(format!("{title}: its angles and ranges make no camera"));
    }
}

fn light(light: &Light, out: &mut json::Node, extras: &mut Extras, glb: &mut Glb, title: &str) {
    let orientation = light.orientation.or([ZERO; 3]);
    stand(&classes::rotation_rows(orientation, [ONE; 3]), &light.translation.or([ZERO; 3]), out, glb, title);
    let point = match light.flags.0 {
        Some(flags) => flags.has(LightFlags::POINT_SOURCE) && !flags.has(LightFlags::DIRECTIONAL),
        None => light.point_source.0.unwrap_or(0) != 0 && light.directional.0.unwrap_or(0) == 0,
    };
    let intensity = light.diffuse.get();
    let mut said = json!({
        "name": out.name,
        "type": if point { "point" } else { "directional" },
        "color": light.color.map(axes::light),
        "intensity": if intensity.is_finite() { intensity.max(0.0) } else { 1.0 },
    });
    let range = light.range_far.get();
    if point && range.is_finite() && range > 0.0 {
        said["range"] = json!(range);
    }
    // The only extension that has a part in the root.
    let root = glb.root.extensions.get_or_insert_with(|| json!({ LIGHTS: { "lights": [] } }));
    if let Some(list) = root[LIGHTS]["lights"].as_array_mut() {
        list.push(said);
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
