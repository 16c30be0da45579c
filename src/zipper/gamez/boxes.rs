//! Lints for boxes and spheres that an edit outgrew (FORMAT.md).
//!
//! The engine uses them to decide what is in view, and does not compute them from the rest of the
//! file: a thing that was moved out of its box is not drawn. A tree stores them as values, because
//! their last bits cannot be derived. A node's `model_bbox` contains the points of its model,
//! `child_bbox` the boxes of its children at their positions, and `node_bbox` both; a model's
//! sphere contains its points.

use super::{
    Gamez,
    classes::{ONE, ZERO},
    lints::GAMEZ_BOX,
    models::Model,
    nodes::{Data, Node},
    types::{Link, ModelId},
};
use refit_base::{
    lint::Lints,
    wire::{F32, Items, Vec3},
};
use std::{cell::LazyCell, collections::HashMap};

/// Minimum x, y, z, then maximum.
pub type Extent = [f32; 6];

const SIDES: [&str; 6] = [
    "least x",
    "least y",
    "least z",
    "greatest x",
    "greatest y",
    "greatest z",
];

/// A node, reduced to what the checks need.
struct Boxed<'a> {
    node: &'a Node,
    /// The box of its model.
    model: Option<Extent>,
    children: Vec<usize>,
}

impl Boxed<'_> {
    /// True if it has the same boxes, place and children, and its model the same extent.
    fn is_same(&self, other: &Self) -> bool {
        let (own, others) = (self.node, other.node);
        own.node_bbox == others.node_bbox
            && own.model_bbox == others.model_bbox
            && own.child_bbox == others.child_bbox
            && own.data == others.data
            && self.model == other.model
            && self.children == other.children
    }
}

pub(super) fn around(points: impl Iterator<Item = [f32; 3]>) -> Option<Extent> {
    points.fold(None, |extent, [x, y, z]| {
        let [a, b, c, d, e, f] = extent.unwrap_or([x, y, z, x, y, z]);
        Some([a.min(x), b.min(y), c.min(z), d.max(x), e.max(y), f.max(z)])
    })
}

pub(super) fn both(a: Option<Extent>, b: Option<Extent>) -> Option<Extent> {
    let corners = |extent: Option<Extent>| {
        extent
            .into_iter()
            .flat_map(|[a, b, c, d, e, f]| [[a, b, c], [d, e, f]])
    };
    around(corners(a).chain(corners(b)))
}

fn floats<const N: usize>(values: &[F32; N]) -> [f32; N] {
    values.map(F32::get)
}

/// All points of a model that must be within its sphere and its node's box.
pub(super) fn points(model: &Model) -> impl Iterator<Item = [f32; 3]> + '_ {
    model
        .vertices
        .iter()
        .chain(&model.morphs)
        .chain(model.lights.iter().flat_map(|l| &l.vertices))
        .map(floats)
}

/// The distance from a point to the farthest point of a model.
fn reach(model: &Model, from: &Vec3) -> f64 {
    let [x, y, z] = floats(from).map(f64::from);
    let far = |[a, b, c]: [f32; 3]| {
        (f64::from(a) - x).powi(2) + (f64::from(b) - y).powi(2) + (f64::from(c) - z).powi(2)
    };
    points(model).map(far).fold(0.0, f64::max).sqrt()
}

/// A node's rotation rows and its translation.
fn place(node: &Node) -> ([F32; 9], Vec3) {
    match &node.data {
        Data::Object3d(object) => (object.matrix(), object.translation.or([ZERO; 3])),
        _ => (
            [ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE],
            [ZERO; 3],
        ),
    }
}

/// The box of a node in the space of its parent.
pub(super) fn placed(node: &Node) -> Option<Extent> {
    let [a, b, c, d, e, f] = floats(node.node_bbox.0.as_ref()?);
    let (rows, at) = place(node);
    let ([ax, ay, az, bx, by, bz, cx, cy, cz], [tx, ty, tz]) = (floats(&rows), floats(&at));
    let corners = (0..8).map(|i| {
        [
            if i & 1 == 0 { a } else { d },
            if i & 2 == 0 { b } else { e },
            if i & 4 == 0 { c } else { f },
        ]
    });
    around(corners.map(|[x, y, z]| {
        [
            x * ax + y * bx + z * cx + tx,
            x * ay + y * by + z * cy + ty,
            x * az + y * bz + z * cz + tz,
        ]
    }))
}

/// True if `value` is beyond a side: the first three sides are the minima.
fn beyond(side: usize, value: f32, limit: f32) -> bool {
    // The last bits of a product may differ by rounding: that is not a move.
    let slack = limit.abs().max(value.abs()).max(1.0) * 1e-4;
    if side < 3 {
        value < limit - slack
    } else {
        value > limit + slack
    }
}

/// The sides of a box that no longer enclose their content, or whose content extends further than
/// before: the side, how far the content extends, and where the box ends.
fn outgrown(
    now: Option<Extent>,
    bounds: Option<Extent>,
    before: Option<Extent>,
    old_bounds: Option<Extent>,
) -> Vec<(usize, f32, f32)> {
    let Some((now, bounds)) = now.zip(bounds) else {
        return Vec::new();
    };
    let mut sides = Vec::new();
    for (side, (value, limit)) in now.into_iter().zip(bounds).enumerate() {
        let of = |extent: Option<Extent>| extent.and_then(|e| e.get(side).copied());
        let was = match (of(before), of(old_bounds)) {
            (Some(value), Some(limit)) if beyond(side, value, limit) => Some(value),
            _ => None,
        };
        if beyond(side, value, limit) && was.is_none_or(|was| beyond(side, value, was)) {
            sides.push((side, value, limit));
        }
    }
    sides
}

/// The former position of each node of `now`: the same position if the name is the same, otherwise
/// that of the only node with this name, if that is elsewhere now.
fn matched(now: &[Option<Boxed<'_>>], before: &[Option<Boxed<'_>>]) -> Vec<Option<usize>> {
    let named = LazyCell::new(|| {
        let mut named: HashMap<&[u8], Option<usize>> = HashMap::new();
        for (i, old) in before.iter().enumerate() {
            if let Some(old) = old {
                named
                    .entry(old.node.name.bytes())
                    .and_modify(|one| *one = None)
                    .or_insert(Some(i));
            }
        }
        named
    });
    fn name<'a>(nodes: &'a [Option<Boxed<'_>>], i: usize) -> Option<&'a [u8]> {
        nodes.get(i)?.as_ref().map(|boxed| boxed.node.name.bytes())
    }
    let is_in_place = |i: usize| name(before, i) == name(now, i);
    let one = |(i, new): (usize, &Option<Boxed<'_>>)| {
        let name = new.as_ref()?.node.name.bytes();
        if is_in_place(i) {
            Some(i)
        } else {
            named
                .get(name)
                .copied()
                .flatten()
                .filter(|old| !is_in_place(*old))
        }
    };
    now.iter().enumerate().map(one).collect()
}

fn children(nodes: &[Option<Boxed<'_>>], of: &Boxed<'_>) -> Option<Extent> {
    let child = |i: &usize| nodes.get(*i)?.as_ref();
    of.children
        .iter()
        .filter_map(child)
        .fold(None, |extent, child| both(extent, placed(child.node)))
}

/// The boxes of a node.
const FIELDS: [&str; 3] = ["node_bbox", "model_bbox", "child_bbox"];

/// A box that an edit outgrew: the node, the position in [`FIELDS`], and the sides.
type Outgrown = (usize, usize, Vec<(usize, f32, f32)>);

fn outgrown_boxes(now: &[Option<Boxed<'_>>], before: &[Option<Boxed<'_>>]) -> Vec<Outgrown> {
    let mut found = Vec::new();
    // What holds the same as before has outgrown nothing. Most edits change one of many nodes.
    let is_same: Vec<bool> = now
        .iter()
        .zip(before)
        .map(|(new, old)| match (new, old) {
            (Some(new), Some(old)) => new.is_same(old),
            _ => false,
        })
        .collect();
    let is_same = |i: usize| is_same.get(i) == Some(&true);
    for (i, (new, old)) in now.iter().zip(matched(now, before)).enumerate() {
        let (Some(new), Some(from)) = (new, old) else {
            continue;
        };
        let Some(Some(old)) = before.get(from) else {
            continue;
        };
        if from == i && is_same(i) && new.children.iter().all(|child| is_same(*child)) {
            continue;
        }
        let bounds = |b: &Boxed<'_>| {
            let Node {
                node_bbox,
                model_bbox,
                child_bbox,
                ..
            } = b.node;
            [node_bbox, model_bbox, child_bbox].map(|b| b.0.as_ref().map(floats))
        };
        let held = |nodes: &[Option<Boxed<'_>>], b: &Boxed<'_>| {
            let below = children(nodes, b);
            [both(b.model, below), b.model, below]
        };
        let (now_held, before_held) = (held(now, new), held(before, old));
        let all = now_held
            .into_iter()
            .zip(bounds(new))
            .zip(before_held)
            .zip(bounds(old));
        for (field, (((held, bounds), was_held), was)) in all.enumerate() {
            let sides = outgrown(held, bounds, was_held, was);
            if !sides.is_empty() {
                found.push((i, field, sides));
            }
        }
    }
    found
}

fn judge_nodes(now: &[Option<Boxed<'_>>], before: &[Option<Boxed<'_>>], lints: &mut Lints) {
    for (i, field, sides) in outgrown_boxes(now, before) {
        let Some((Some(new), field)) = now.get(i).zip(FIELDS.get(field)) else {
            continue;
        };
        let named = |side: usize| SIDES.item(side);
        let what: Vec<String> = sides
            .into_iter()
            .map(|(side, value, limit)| {
                format!(
                    "{} is {value:?}, but the box ends at {limit:?}",
                    named(side)
                )
            })
            .collect();
        lints.at(format!("nodes[{i}] {}", new.node.title()), |lints| {
            lints.at(*field, |lints| {
                lints.say(
                    GAMEZ_BOX,
                    format!("its contents extend beyond it: {}", what.join("; ")),
                );
            });
        });
    }
}

/// Extends boxes of nodes until none is outgrown since `before`, from the inside outwards.
pub(super) fn settle(now: &mut Gamez, before: &Gamez) {
    for _ in 0..ROUNDS {
        let outgrown = {
            let same = same_models(now, before);
            outgrown_boxes(&boxed(now, &same), &boxed(before, &same))
        };
        if outgrown.is_empty() {
            return;
        }
        for (i, field, sides) in outgrown {
            let Some(Some(node)) = now.nodes.get_mut(i) else {
                continue;
            };
            let slot = match field {
                0 => &mut node.node_bbox,
                1 => &mut node.model_bbox,
                _ => &mut node.child_bbox,
            };
            let Some(stored) = &mut slot.0 else { continue };
            for (side, value, _) in sides {
                if let Some(slot) = stored.get_mut(side).filter(|_| value.is_finite()) {
                    *slot = F32::from(value);
                }
            }
        }
    }
}

/// Limit of [`settle`]: the boxes of a damaged world may have no end.
const ROUNDS: usize = 64;

fn judge_sphere(new: &Model, old: &Model, lints: &mut Lints) {
    let (now, before) = (reach(new, &new.bbox_mid), reach(old, &old.bbox_mid));
    let beyond = |reach: f64, radius: F32| reach > f64::from(radius.get()) * 1.0001 + 1e-4;
    let known = beyond(before, old.bbox_diag) && now <= before * 1.0001;
    lints.check(!beyond(now, new.bbox_diag) || known, GAMEZ_BOX, || {
        let (away, radius) = (now as f32, new.bbox_diag);
        format!("bbox_diag: points are {away:?} away from bbox_mid, but the sphere has a radius of {radius:?}")
    });
}

/// True for the models of a world that are the same in another one.
fn same_models<'a>(now: &Gamez, before: &Gamez) -> impl Fn(usize) -> bool + use<'a> {
    let same = |i: usize| match (now.models.get(i), before.models.get(i)) {
        (Some(Some(a)), Some(Some(b))) => a.head == b.head && a.data == b.data,
        _ => false,
    };
    let same: Vec<bool> = (0..now.models.len()).map(same).collect();
    move |i| same.get(i) == Some(&true)
}

/// The nodes of a world. Only models that differ are decoded: the others have the same extent.
fn boxed<'a>(world: &'a Gamez, same: &dyn Fn(usize) -> bool) -> Vec<Option<Boxed<'a>>> {
    let cycled = world.materials.cycled();
    let mut reached: HashMap<usize, Option<Extent>> = HashMap::new();
    let one = |node: &'a Option<Node>| {
        let node = node.as_ref()?;
        let model = node.model.0.as_ref().and_then(Link::place);
        let moved = model.filter(|i| !same(*i));
        let of = |i: usize| around(points(&world.model_with(ModelId(i), &cycled).ok()?));
        let model = moved.and_then(|i| *reached.entry(i).or_insert_with(|| of(i)));
        Some(Boxed {
            node,
            model,
            children: node.children.iter().filter_map(Link::place).collect(),
        })
    };
    world.nodes.iter().map(one).collect()
}

/// Reports what an edit of a world moved out of its box.
pub(super) fn judge(now: &Gamez, before: &Gamez, lints: &mut Lints) {
    let same = same_models(now, before);
    for i in (0..now.models.len()).filter(|i| !same(*i)) {
        if let (Ok(new), Ok(old)) = (now.model(ModelId(i)), before.model(ModelId(i))) {
            lints.at(format!("models[{i}]"), |lints| {
                judge_sphere(&new, &old, lints)
            });
        }
    }
    judge_nodes(&boxed(now, &same), &boxed(before, &same), lints);
}

/// Reports what an edit of a mechlib's tree moved out of its box.
pub fn judge_tree(now: &[Node], before: &[Node], lints: &mut Lints) {
    fn nodes(list: &[Node]) -> Vec<Option<Boxed<'_>>> {
        let mut out: Vec<Option<Boxed<'_>>> = Vec::with_capacity(list.len());
        let mut above: Vec<usize> = Vec::new();
        for (i, node) in list.iter().enumerate() {
            above.truncate(node.depth.unwrap_or(0) as usize);
            if let Some(Some(parent)) = above.last().and_then(|p| out.get_mut(*p)) {
                parent.children.push(i);
            }
            above.push(i);
            let model = node.mesh.as_ref().and_then(|mesh| around(points(mesh)));
            out.push(Some(Boxed {
                node,
                model,
                children: Vec::new(),
            }));
        }
        out
    }
    let (new, old) = (nodes(now), nodes(before));
    for (i, (node, old)) in now.iter().zip(matched(&new, &old)).enumerate() {
        let mesh = |node: Option<&Node>| node.and_then(|n| n.mesh.as_ref()).cloned();
        if let (Some(new), Some(old)) = (&node.mesh, mesh(old.and_then(|i| before.get(i)))) {
            lints.at(format!("nodes[{i}] {}.mesh", node.title()), |lints| {
                judge_sphere(new, &old, lints)
            });
        }
    }
    judge_nodes(&new, &old, lints);
}
