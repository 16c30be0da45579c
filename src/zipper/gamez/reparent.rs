//! Puts an object below another node, where it was in the world.

use super::{
    Gamez,
    classes::{Object3d, ZERO},
    follow::{self, reach},
    nodes::{Data, Node, NodeFlags},
    types::{Link, NodeId},
};
use refit_base::wire::{Defaulted, Error, F32, Result};

/// Three rows and a translation: a row of numbers is multiplied by it from the left.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Placement {
    rows: [[f64; 3]; 3],
    at: [f64; 3],
}

const STILL: Placement = Placement {
    rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    at: [0.0; 3],
};

impl Placement {
    fn of(object: &Object3d) -> Self {
        let [a, b, c, d, e, f, g, h, i] = object.matrix().map(|x| f64::from(x.get()));
        Placement {
            rows: [[a, b, c], [d, e, f], [g, h, i]],
            at: object.translation.or([ZERO; 3]).map(|x| f64::from(x.get())),
        }
    }

    fn turned(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rows;
        [
            x * a + y * d + z * g,
            x * b + y * e + z * h,
            x * c + y * f + z * i,
        ]
    }

    /// This placement within another one.
    fn within(&self, outer: &Self) -> Self {
        let [x, y, z] = outer.turned(self.at);
        let [dx, dy, dz] = outer.at;
        Placement {
            rows: self.rows.map(|row| outer.turned(row)),
            at: [x + dx, y + dy, z + dz],
        }
    }

    /// The placement that undoes this one; `None` if it makes things flat.
    fn inverse(&self) -> Option<Self> {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rows;
        let (x, y, z) = (e * i - f * h, f * g - d * i, d * h - e * g);
        let size = a * x + b * y + c * z;
        let largest = self
            .rows
            .as_flattened()
            .iter()
            .fold(0.0f64, |m, v| m.max(v.abs()));
        if !size.is_finite() || size.abs() <= 1e-9 * largest.powi(3) {
            return None;
        }
        let rows = [
            [x, c * h - b * i, b * f - c * e],
            [y, a * i - c * g, c * d - a * f],
            [z, b * g - a * h, a * e - b * d],
        ]
        .map(|row| row.map(|v| v / size));
        let turn = Placement { rows, at: [0.0; 3] };
        let at = turn.turned(self.at).map(|v| -v);
        Some(Placement { rows, at })
    }
}

impl Gamez {
    /// Puts an object below another node. Unless `local` is true, its position, rotation and scale
    /// in the world stay; otherwise those in its parent.
    ///
    /// Returns an error for a node that is not an object or has several parents, for a parent that
    /// cannot have children or is below the object, and if the parent is in several places or makes
    /// things flat, so that the object cannot stay where it is.
    pub fn reparent_node(&mut self, node: NodeId, parent: NodeId, local: bool) -> Result<()> {
        let (NodeId(at), NodeId(under)) = (node, parent);
        let (name, holder) = (self.kind_of(at)?, self.kind_of(under)?);
        if !matches!(name.1, "object3d" | "lod") {
            return Err(Error::say(format!(
                "{:?} is a {}, not an object",
                name.0, name.1
            )));
        }
        if !matches!(holder.1, "object3d" | "lod" | "world") {
            return Err(Error::say(format!(
                "{:?} is a {}, which has no children (expected an object, a lod or the world)",
                holder.0, holder.1
            )));
        }
        if self.walk(node).any(|(_, below, _)| below == parent) {
            let is = if at == under { "is" } else { "is below" };
            return Err(Error::say(format!(
                "{:?} {is} {:?}: an object cannot be below itself",
                holder.0, name.0
            )));
        }
        let owner = match self.owners(at).as_slice() {
            [] => None,
            [one] => Some(*one),
            several => {
                return Err(Error::say(format!(
                    "{:?} has {} parents, and would lose all but one",
                    name.0,
                    several.len()
                ))
                .hint("change `children` of its parents in a tree"));
            }
        };
        if owner == Some(under) {
            return Err(Error::say(format!(
                "{:?} is below {:?} already",
                name.0, holder.0
            )));
        }
        let above = self.placement(under);
        let moves = if local {
            Vec::new()
        } else {
            self.kept(at, owner, above.as_ref().map_err(Clone::clone)?)?
        };
        let moves = &moves;
        self.editing(&mut |world| {
            let was = world.nodes.get(at).and_then(Option::as_ref).and_then(reach);
            match owner {
                Some(owner) if world.is_world(owner) => world.all_leave(owner, &[at]),
                Some(owner) => {
                    if let Some(Some(node)) = world.nodes.get_mut(owner) {
                        node.children.retain(|child| child.place() != Some(at));
                    }
                    world.shrunk(owner, was);
                }
                None => {}
            }
            world.hold(moves);
            if let Some(Some(node)) = world.nodes.get_mut(at) {
                (node.parents, node.world_first) = (Defaulted(None), false);
            }
            if above.is_err() {
                world.leave_single(at);
            }
            if world.is_world(under) {
                return world.enter_world(under, at).map(drop);
            }
            let link = i32::try_from(at)
                .map(Link::to)
                .map_err(|_| Error::say("too many nodes"))?;
            if let Some(Some(node)) = world.nodes.get_mut(under) {
                node.children.push(link);
            }
            world.leave_cell(at);
            let end = world.nodes.len();
            follow::added(world, under, &[at], end);
            Ok(())
        })
    }

    /// The name and the class of a node.
    fn kind_of(&self, at: usize) -> Result<(String, &'static str)> {
        let node = self.node(NodeId(at));
        node.map(|node| (node.title(), node.data.kind()))
            .ok_or_else(|| refit_base::contract::no_member(at))
    }

    /// The nodes that have a node as a child, and the world that has it in a cell.
    fn owners(&self, at: usize) -> Vec<usize> {
        let mut owners = self.parents_of(at);
        owners.extend(self.world_above(at));
        owners
    }

    /// The placement of a node in the world.
    ///
    /// Returns an error if it or a node above it has several parents, so that it is in several
    /// places.
    fn placement(&self, at: usize) -> Result<Placement> {
        let (mut at, mut placed) = (at, STILL);
        // Nodes of a damaged world may contain themselves.
        for _ in 0..self.nodes.len() {
            if let Some(Data::Object3d(object)) = self.node(NodeId(at)).map(|node| &node.data) {
                placed = placed.within(&Placement::of(object));
            }
            match self.owners(at).as_slice() {
                [] => return Ok(placed),
                [owner] => at = *owner,
                owners => {
                    return Err(Error::say(format!(
                        "{:?} has {} parents, so it is in several places",
                        self.node(NodeId(at)).map(Node::title).unwrap_or_default(),
                        owners.len()
                    ))
                    .hint("with --local the object keeps its position in its parent instead"));
                }
            }
        }
        Err(Error::say("the parent is its own ancestor"))
    }

    /// The objects that keep a node where it is if its parent becomes one with the placement
    /// `above`, and their placements: the node itself, or those below a level of detail, which has
    /// no placement of its own.
    fn kept(
        &self,
        at: usize,
        owner: Option<usize>,
        above: &Placement,
    ) -> Result<Vec<(usize, Placement)>> {
        let before = owner.map_or(Ok(STILL), |owner| self.placement(owner))?;
        if before == *above {
            return Ok(Vec::new());
        }
        let inverse = above.inverse().ok_or_else(|| {
            Error::say("the parent is flat: nothing below it can stay where it is")
                .hint("with --local the object keeps its position in its parent instead")
        })?;
        let mut change = before.within(&inverse);
        if before.rows == above.rows {
            // Only its position changes, and its rows keep their bits.
            change.rows = STILL.rows;
        }
        let (mut open, mut kept) = (vec![at], Vec::new());
        let mut left = self.nodes.len();
        while let Some(one) = open.pop() {
            let node = self.node(NodeId(one));
            match node.map(|node| &node.data) {
                Some(Data::Object3d(object)) => {
                    kept.push((one, Placement::of(object).within(&change)));
                }
                Some(Data::Lod(_)) if left > 0 => {
                    let children = node.into_iter().flat_map(|node| &node.children);
                    open.extend(children.filter_map(Link::place));
                }
                _ => {}
            }
            if one != at && self.owners(one).len() > 1 {
                let name = node.map(Node::title).unwrap_or_default();
                return Err(Error::say(format!(
                    "{name:?} has several parents and cannot stay where it is"
                ))
                .hint("with --local the object keeps its position in its parent instead"));
            }
            left = left.saturating_sub(1);
        }
        Ok(kept)
    }

    /// Gives objects these placements, and updates the boxes above them.
    fn hold(&mut self, placed: &[(usize, Placement)]) {
        let mut open = Vec::new();
        for (at, new) in placed {
            let Some(Some(node)) = self.nodes.get_mut(*at) else {
                continue;
            };
            let was = reach(node);
            if let Data::Object3d(object) = &mut node.data {
                let old = Placement::of(object).rows;
                object.translation = Defaulted::of(new.at.map(|v| F32::from(v as f32)), [ZERO; 3]);
                object.begin_placing();
                if old != new.rows {
                    object.set_rows(new.rows);
                }
            }
            open.push((*at, was));
        }
        follow::rise(self, open);
    }

    /// Notes that nodes are in several places: the engine may not cache where they are.
    fn leave_single(&mut self, at: usize) {
        let below: Vec<usize> = self.walk(NodeId(at)).map(|(_, id, _)| id.0).collect();
        for at in below {
            if let Some(Some(node)) = self.nodes.get_mut(at) {
                node.flags = node.flags.with(NodeFlags::SINGLE_PARENT, false);
            }
        }
    }
}
