//! Updates what depends on an edited model: its sphere, the boxes of the nodes that show it, the
//! boxes above them up to the world, and the heights of the world's cells (FORMAT.md).
//!
//! The games' tools computed the numbers in a file from data that is no longer there, so their last
//! bits need not match the rule. Only what the edit changed is computed again: each side of a box
//! for which the rule now gives another value.

use super::{
    Gamez,
    boxes::{Extent, around, both, placed, points},
    models::{Model, ModelType},
    nodes::{Data, Node, NodeFlags},
    types::{Link, approx_sqrt},
    world::Cell,
};
use refit_base::{
    game::Game,
    wire::{Defaulted, Derived, F32, Vec3},
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The box of a model's points. A facade turns, so its box is symmetric about the axis, or in all
/// directions.
pub fn extent(model: &Model, game: Game) -> Option<Extent> {
    let plain = around(points(model))?;
    if model.model_type.or(ModelType::Default) != ModelType::Facade {
        return Some(plain);
    }
    let [a, b, c, d, e, f] = plain;
    let wide = [a, c, d, f]
        .into_iter()
        .fold(0.0f32, |most, v| most.max(v.abs()));
    let all = wide.max(b.abs()).max(e.abs());
    if model.is_spherical(game) {
        Some([-all, -all, -all, all, all, all])
    } else {
        Some([-wide, b, -wide, wide, e, wide])
    }
}

/// Centre and radius of a box: halves and their squares in f64, one rounding, and the approximate
/// square root.
fn sphere(extent: Extent) -> (Vec3, F32) {
    let [a, b, c, d, e, f] = extent.map(f64::from);
    let halves = [(d - a) * 0.5, (e - b) * 0.5, (f - c) * 0.5];
    let [x, y, z] = halves;
    let middle = [x + a, y + b, z + c].map(|v| F32::from(v as f32));
    (middle, approx_sqrt((x * x + y * y + z * z) as f32))
}

/// Stores the components whose computed value changed; true if a stored value changed.
fn follow<const N: usize>(stored: &mut [F32; N], before: Option<[f32; N]>, now: [f32; N]) -> bool {
    let mut changed = false;
    for (i, (slot, now)) in stored.iter_mut().zip(now).enumerate() {
        let same = before
            .and_then(|b| b.get(i).copied())
            .is_some_and(|b| b.to_bits() == now.to_bits());
        if !same && now.is_finite() && slot.bits() != now.to_bits() {
            *slot = F32::from(now);
            changed = true;
        }
    }
    changed
}

/// Updates the sphere of an edited model.
pub fn settle_sphere(before: &Model, now: &mut Model, game: Game) {
    let Some(extent_now) = extent(now, game) else {
        return;
    };
    let (middle, radius) = sphere(extent_now);
    let was = extent(before, game).map(sphere);
    follow(
        &mut now.bbox_mid,
        was.map(|(m, _)| m.map(F32::get)),
        middle.map(F32::get),
    );
    let mut stored = [now.bbox_diag];
    follow(&mut stored, was.map(|(_, r)| [r.get()]), [radius.get()]);
    [now.bbox_diag] = stored;
}

const ZERO_BOX: [F32; 6] = [F32::from_bits(0); 6];

/// Updates a box that is in use; true if it changed.
fn settle_box(
    slot: &mut Defaulted<[F32; 6]>,
    used: bool,
    before: Option<Extent>,
    now: Option<Extent>,
) -> bool {
    let (Some(now), true) = (now, used) else {
        return false;
    };
    let mut stored = slot.or(ZERO_BOX);
    let changed = follow(&mut stored, before, now);
    if changed {
        *slot = Defaulted::of(stored, ZERO_BOX);
    }
    changed
}

fn of(slot: &Defaulted<[F32; 6]>) -> Option<Extent> {
    slot.0.map(|b| b.map(F32::get))
}

/// Updates the box of the node itself from the two others; true if it changed.
fn settle_own(node: &mut Node, model_before: Option<Extent>, child_before: Option<Extent>) -> bool {
    let before = both(model_before, child_before);
    let now = both(of(&node.model_bbox), of(&node.child_bbox));
    let used =
        node.flags.has(NodeFlags::NODE_BBOX) && !(node.node_bbox.0.is_none() && before.is_some());
    settle_box(&mut node.node_bbox, used, before, now)
}

/// Updates the model box of a node whose model was edited; true if the node's own box changed.
/// `was` is the model's extent before the edit.
pub fn settle_model_box(node: &mut Node, was: Option<Extent>, is: Option<Extent>) -> bool {
    if was.is_none() && is.is_some() && node.model_bbox.0.is_none() {
        node.flags = node
            .flags
            .with(NodeFlags::MODEL_BBOX, true)
            .with(NodeFlags::NODE_BBOX, true);
    }
    let held = (of(&node.model_bbox), of(&node.child_bbox));
    let used = node.flags.has(NodeFlags::MODEL_BBOX) || node.model_bbox.0.is_some();
    let changed = settle_box(&mut node.model_bbox, used, was, is);
    if node.node_bbox.0.is_none() && held.0.is_none() && held.1.is_none() {
        return settle_own(node, None, None) || changed;
    }
    changed && settle_own(node, held.0, held.1)
}

/// The box of a node in its parent: its own box, otherwise that of its children.
pub fn reach(node: &Node) -> Option<Extent> {
    match (&node.node_bbox.0, &node.child_bbox.0) {
        (None, Some(child)) => {
            let mut other = node.clone();
            other.node_bbox = Defaulted(Some(*child));
            placed(&other)
        }
        _ => placed(node),
    }
}

/// Updates the children's box of a node; true if the nodes above it must be updated, too.
pub fn settle_child_box(node: &mut Node, before: Option<Extent>, now: Option<Extent>) -> bool {
    let held = (of(&node.model_bbox), of(&node.child_bbox));
    if before.is_none()
        && now.is_some()
        && node.child_bbox.0.is_none()
        && !matches!(node.data, Data::World(_))
    {
        // The node had no children's box: this is the first child that has a box.
        node.flags = node
            .flags
            .with(NodeFlags::CHILD_BBOX, true)
            .with(NodeFlags::NODE_BBOX, true);
    }
    let used = node.flags.has(NodeFlags::CHILD_BBOX) || node.child_bbox.0.is_some();
    // The own box of a level of detail in MechWarrior 3 is that of its children, whatever its flags
    // are.
    let is_theirs = matches!(node.data, Data::Lod(_))
        && node.child_bbox.0.is_some()
        && node.node_bbox == node.child_bbox;
    let changed = settle_box(&mut node.child_bbox, used, before, now);
    if is_theirs && changed {
        node.node_bbox = node.child_bbox;
        return true;
    }
    changed && (settle_own(node, held.0, held.1) || node.node_bbox.0.is_none())
}

/// Limit on the steps upwards, per node of a world: parents may form cycles.
const STEPS: usize = 8;

/// Updates the nodes of a world after models were edited: their extents before and now, by their
/// positions.
pub fn models_changed(world: &mut Gamez, edited: &HashMap<usize, [Option<Extent>; 2]>) {
    let mut open: Vec<(usize, Option<Extent>)> = Vec::new();
    for (i, node) in world.nodes.iter_mut().enumerate() {
        let Some(node) = node else { continue };
        let model = node.model.0.as_ref().and_then(Link::place);
        let Some([before, now]) = model.and_then(|model| edited.get(&model)) else {
            continue;
        };
        let was = reach(node);
        if settle_model_box(node, *before, *now) {
            open.push((i, was));
        }
    }
    rise(world, open);
}

/// Computes the children's boxes of the nodes added from `first` on, whose children follow them,
/// then updates `top`, the parent of the new nodes `roots`, and everything above it.
pub fn added(world: &mut Gamez, top: usize, roots: &[usize], first: usize) {
    let box_of = |world: &Gamez, nodes: &mut dyn Iterator<Item = usize>| {
        nodes
            .filter_map(|i| world.nodes.get(i)?.as_ref())
            .map(reach)
            .fold(None, both)
    };
    for i in (first..world.nodes.len()).rev() {
        let Some(Some(node)) = world.nodes.get(i) else {
            continue;
        };
        let below = box_of(world, &mut node.children.iter().filter_map(Link::place));
        if let (Some(_), Some(Some(node))) = (below, world.nodes.get_mut(i)) {
            settle_child_box(node, None, below);
        }
    }
    let below = box_of(world, &mut roots.iter().copied());
    let Some(Some(node)) = world.nodes.get(top) else {
        return;
    };
    if below.is_none() || matches!(node.data, Data::World(_)) {
        return;
    }
    let own: HashSet<usize> = roots.iter().copied().collect();
    let others = box_of(
        world,
        &mut node
            .children
            .iter()
            .filter_map(Link::place)
            .filter(|c| !own.contains(c)),
    );
    let placed_before = reach(node);
    let Some(Some(node)) = world.nodes.get_mut(top) else {
        return;
    };
    if settle_child_box(node, others, both(others, below)) {
        rise(world, vec![(top, placed_before)]);
    }
}

/// Updates the nodes above the given ones. Each node comes with its former box in its parent.
///
/// Several of the nodes may have the same parent, such as those that share a model: the former box
/// of the parent follows from the former boxes of all of them.
pub fn rise(world: &mut Gamez, open: Vec<(usize, Option<Extent>)>) {
    if open.is_empty() {
        return;
    }
    let mut parents: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, node) in world.nodes.iter().enumerate() {
        for child in node
            .iter()
            .flat_map(|n| &n.children)
            .filter_map(Link::place)
        {
            parents.entry(child).or_default().push(i);
        }
    }
    // The former box in its parent of each box that changed, and the nodes before the update.
    let mut was: HashMap<usize, Option<Extent>> = open.iter().copied().collect();
    let mut before: HashMap<usize, Node> = HashMap::new();
    let mut left = STEPS * world.nodes.len() + 1000;
    let mut wave: Vec<usize> = open.into_iter().map(|(child, _)| child).collect();
    while !wave.is_empty() {
        // Visit each parent once, even if several of its children changed.
        let above: BTreeSet<usize> = wave
            .iter()
            .flat_map(|child| {
                parents
                    .get(child)
                    .into_iter()
                    .flatten()
                    .filter(move |p| *p != child)
            })
            .copied()
            .collect();
        wave.clear();
        let Some(rest) = left.checked_sub(above.len()) else {
            break;
        };
        left = rest;
        for parent in above {
            let Some(Some(node)) = world.nodes.get(parent) else {
                continue;
            };
            if matches!(node.data, Data::World(_)) {
                continue;
            }
            let places = || node.children.iter().filter_map(Link::place);
            let now_at = |i: usize| world.nodes.get(i).and_then(Option::as_ref).and_then(reach);
            let is = places().map(now_at).fold(None, both);
            let were = places()
                .map(|i| was.get(&i).copied().unwrap_or_else(|| now_at(i)))
                .fold(None, both);
            let own = before.entry(parent).or_insert_with(|| node.clone());
            was.entry(parent).or_insert_with(|| reach(own));
            let mut new = own.clone();
            settle_child_box(&mut new, were, is);
            if new != *node {
                if let Some(slot) = world.nodes.get_mut(parent) {
                    *slot = Some(new);
                }
                wave.push(parent);
            }
        }
    }
    cells(world, &was);
}

/// Updates the heights of the world's cells that contain changed nodes; `was` has their former
/// boxes.
fn cells(world: &mut Gamez, was: &HashMap<usize, Option<Extent>>) {
    let heights = |e: Option<Extent>| e.map(|[_, low, _, _, high, _]| [low, high]);
    let span = |a: Option<[f32; 2]>, b: Option<[f32; 2]>| match (a, b) {
        (Some([a, b]), Some([c, d])) => Some([a.min(c), b.max(d)]),
        (a, b) => a.or(b),
    };
    let now_at = |world: &Gamez, i: usize| {
        heights(world.nodes.get(i).and_then(Option::as_ref).and_then(reach))
    };
    let mut now: HashMap<usize, Option<[f32; 2]>> =
        was.keys().map(|i| (*i, now_at(world, *i))).collect();
    let concerned = |cell: &Cell| {
        cell.nodes
            .iter()
            .filter_map(|n| n.node.place())
            .any(|i| was.contains_key(&i))
    };
    let worlds = || {
        world.nodes.iter().flatten().filter_map(|n| {
            if let Data::World(w) = &n.data {
                Some(w)
            } else {
                None
            }
        })
    };
    let others = worlds()
        .flat_map(|w| &w.cells)
        .filter(|c| concerned(c))
        .flat_map(|c| &c.nodes)
        .filter_map(|n| n.node.place());
    for i in others.collect::<HashSet<usize>>() {
        now.entry(i).or_insert_with(|| now_at(world, i));
    }
    let is = |i: usize| now.get(&i).copied().flatten();
    let before = |i: usize| was.get(&i).map_or_else(|| is(i), |e| heights(*e));
    for node in world.nodes.iter_mut().flatten() {
        let Data::World(data) = &mut node.data else {
            continue;
        };
        for cell in data.cells.iter_mut().filter(|cell| concerned(cell)) {
            let members = || cell.nodes.iter().filter_map(|n| n.node.place());
            let (were, are) = (
                members().map(before).fold(None, span),
                members().map(is).fold(None, span),
            );
            for member in &mut cell.nodes {
                let Some(i) = member.node.place().filter(|i| was.contains_key(i)) else {
                    continue;
                };
                if let (Some(stored), Some(now)) = (&mut member.y, is(i)) {
                    follow(stored, before(i), now);
                }
            }
            let zero = F32::from(0.0);
            let mut stored = [cell.min_y.or(zero), cell.max_y.or(zero)];
            if are.is_some_and(|now| follow(&mut stored, were, now)) {
                let [low, high] = stored;
                (cell.min_y, cell.max_y) = (Defaulted::of(low, zero), Defaulted::of(high, zero));
                (cell.mid_y, cell.radius) = (Derived(None), Derived(None));
            }
        }
    }
}

/// Updates the boxes of a mechlib's tree after the model of its node `index` was edited.
pub fn tree_changed(nodes: &mut [Node], index: usize, before: &Model, now: &Model, game: Game) {
    let Some(node) = nodes.get_mut(index) else {
        return;
    };
    let was = reach(node);
    if settle_model_box(node, extent(before, game), extent(now, game)) {
        tree_moved(nodes, index, was);
    }
}

/// Updates the boxes of a mechlib's tree after its node `index` was moved; `was` is its former box
/// in its parent.
pub fn tree_moved(nodes: &mut [Node], index: usize, mut was: Option<Extent>) {
    let depth = |n: &Node| n.depth.unwrap_or_default();
    let mut child = index;
    loop {
        let Some(own) = nodes.get(child).map(depth) else {
            return;
        };
        let Some(parent) = nodes.iter().take(child).rposition(|n| depth(n) < own) else {
            return;
        };
        let Some(level) = nodes.get(parent).map(depth) else {
            return;
        };
        let below = nodes
            .iter()
            .enumerate()
            .skip(parent + 1)
            .take_while(|(_, n)| depth(n) > level);
        let others = below.filter(|(i, n)| depth(n) == level + 1 && *i != child);
        let others = others.map(|(_, n)| reach(n)).fold(None, both);
        let is = nodes.get(child).and_then(reach);
        let Some(node) = nodes.get_mut(parent) else {
            return;
        };
        let placed_before = reach(node);
        if !settle_child_box(node, both(others, was), both(others, is)) {
            return;
        }
        (was, child) = (placed_before, parent);
    }
}
