//! Changes to a world: objects are moved, renamed, copied and removed. No slot that anything refers to changes.

use super::{
    Gamez,
    boxes::{Extent, both},
    classes::{Object3d, ObjectFlags, ZERO},
    follow::{self, reach},
    materials::Material,
    nodes::{self, Data, Node, NodeFlags},
    types::{Link, NodeId},
};
use crate::{
    game::Game,
    wire::{Defaulted, Error, F32, Hex, Result, Text},
};
use std::collections::{HashMap, HashSet};

/// How an object is moved.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Motion {
    /// Its new position in its parent, in the units of the world.
    pub at: Option<[f32; 3]>,
    /// The offset added to its position.
    pub by: Option<[f32; 3]>,
    /// How far it is turned about the vertical axis, in degrees.
    pub turn: Option<f32>,
}

impl Motion {
    /// True if nothing moves.
    pub fn is_none(&self) -> bool {
        *self == Motion::default()
    }

    fn apply(&self, object: &mut Object3d) {
        let [x, y, z] = self.at.unwrap_or(object.translation.or([ZERO; 3]).map(F32::get));
        let [dx, dy, dz] = self.by.unwrap_or_default();
        let rows = object.matrix();
        object.translation = Defaulted::of([x + dx, y + dy, z + dz].map(F32::from), [ZERO; 3]);
        object.flags = object.flags.with(ObjectFlags::INITIAL, false);
        match self.turn.map(|degrees| f64::from(degrees).to_radians()) {
            Some(angle) if object.flags.has(ObjectFlags::MATRIX) => {
                let (sin, cos) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
                let mut turned = rows.map(F32::get);
                for row in turned.chunks_exact_mut(3) {
                    if let [x, _, z] = row {
                        (*x, *z) = (*x * cos + *z * sin, *z * cos - *x * sin);
                    }
                }
                object.matrix = Defaulted::of(turned.map(F32::from), object.matrix_rule());
            }
            Some(angle) => {
                let [rx, ry, rz] = object.rotation.or([ZERO; 3]);
                // Angles of known files are from −π to π.
                let turn = std::f64::consts::TAU;
                let whole = (f64::from(ry.get()) + angle + turn / 2.0).rem_euclid(turn) - turn / 2.0;
                object.rotation = Defaulted::of([rx, F32::from(whole as f32), rz], [ZERO; 3]);
                object.matrix = Defaulted(None);
            }
            // The rows stay, whatever the flags are.
            None => object.matrix = Defaulted::of(rows, object.matrix_rule()),
        }
    }
}

/// The removed items.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Removed {
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// How many models nothing uses any more.
    pub models: usize,
    /// How many materials at the end of the list nothing uses any more.
    pub materials: usize,
    /// How many textures at the end of the directory nothing uses any more.
    pub textures: usize,
}

impl Gamez {
    /// Moves an object, and with it its place among the cells of the world.
    ///
    /// Returns an error if the node is not an object.
    pub fn move_node(&mut self, node: NodeId, motion: Motion) -> Result<()> {
        let moved = self.place_node(node, |node| match &mut node.data {
            Data::Object3d(object) => {
                motion.apply(object);
                true
            }
            _ => false,
        })?;
        match self.node(node) {
            Some(node) if !moved => {
                Err(Error::say(format!("{:?} is a {}, not an object", node.title(), node.data.kind())))
            }
            _ => Ok(()),
        }
    }

    /// Moves a node, and updates its place among the cells of the world. `place` returns false if it changed nothing.
    #[doc(hidden)]
    pub fn place_node(&mut self, NodeId(at): NodeId, place: impl FnOnce(&mut Node) -> bool) -> Result<bool> {
        let before = self.nodes.get(at).and_then(Option::as_ref).and_then(reach);
        let world = self.world_above(at);
        // The cells are left with the old box, and entered with the new one.
        if let Some(world) = world {
            self.leave_world(world, at);
        }
        let moved = self.nodes.get_mut(at).and_then(Option::as_mut).map(place);
        if let Some(world) = world {
            self.enter_world(world, at)?;
        }
        let moved = moved.ok_or_else(|| super::super::no_member(at))?;
        if moved {
            follow::rise(self, vec![(at, before)]);
        }
        Ok(moved)
    }

    /// Renames a node.
    pub fn rename_node(&mut self, NodeId(at): NodeId, name: &str) -> Result<()> {
        let name = Text::try_from(name)?;
        let node = self.nodes.get_mut(at).and_then(Option::as_mut).ok_or_else(|| super::super::no_member(at))?;
        node.name = name;
        Ok(())
    }

    /// Copies a node with everything below it. The copies use the same models and come after all nodes; the copy has
    /// the parents of the original, or is below `under`. Returns its position.
    pub fn copy_node(&mut self, NodeId(at): NodeId, under: Option<NodeId>) -> Result<NodeId> {
        let all: Vec<usize> = self.walk(NodeId(at)).map(|(_, id, _)| id.0).collect();
        self.only_objects(&all)?;
        let first = self.nodes.len();
        let place: HashMap<usize, usize> = all.iter().enumerate().map(|(i, old)| (*old, first + i)).collect();
        let link = |to: usize| i32::try_from(to).map(Link::to).map_err(|_| Error::say("too many nodes"));
        let mut copies = Vec::new();
        for old in &all {
            let Some(Some(node)) = self.nodes.get(*old) else { continue };
            let mut copy = node.clone();
            let children = node.children.iter().filter_map(|child| place.get(&child.place()?));
            copy.children = children.map(|to| link(*to)).collect::<Result<_>>()?;
            (copy.parents, copy.link, copy.data_ptr) = (Defaulted(None), Defaulted(None), Defaulted(None));
            copies.push(Some(copy));
        }
        let parents = match under {
            Some(NodeId(under)) => vec![under],
            None => self.parents_of(at),
        };
        let world = match under {
            Some(NodeId(under)) => self.is_world(under).then_some(under),
            None => self.world_above(at),
        };
        let parents: Vec<usize> = parents.into_iter().filter(|parent| Some(*parent) != world).collect();
        self.hang(copies, &parents, world)?;
        self.settle_uses(&all)?;
        Ok(NodeId(first))
    }

    /// Appends nodes. The first one becomes a child of `parents`, or goes into the cell of the world that the engine
    /// would choose.
    pub(super) fn hang(&mut self, nodes: Vec<Option<Node>>, parents: &[usize], world: Option<usize>) -> Result<()> {
        let first = self.nodes.len();
        self.nodes.extend(nodes);
        self.settle_arrays();
        let child = i32::try_from(first).map(Link::to).map_err(|_| Error::say("too many nodes"))?;
        for parent in parents {
            if let Some(Some(node)) = self.nodes.get_mut(*parent) {
                node.children.push(child.clone());
            }
            follow::added(self, *parent, &[first], self.nodes.len());
        }
        match world {
            Some(world) => self.enter_world(world, first).map(|_| ()),
            None => {
                self.leave_cell(first);
                Ok(())
            }
        }
    }

    /// Removes an object with everything below it that only this object has as a child. Their records are freed as the
    /// engine does: nodes at the end of the array are cut off, others keep their name and are the next ones that the
    /// game uses.
    ///
    /// Returns an error for a node that is not an object or that a camera or a light refers to, and in Pirate's Moon
    /// and Crimson Skies for one that is not at the end: none of their known worlds has a free record.
    pub fn remove_node(&mut self, NodeId(at): NodeId) -> Result<Removed> {
        let below: Vec<usize> = self.walk(NodeId(at)).map(|(_, id, _)| id.0).collect();
        let gone = self.only_below(at, &below);
        self.only_objects(&gone)?;
        self.check_references(&gone)?;
        let end =
            self.nodes.len() - gone.iter().rev().zip(1..).take_while(|(i, n)| **i + n == self.nodes.len()).count();
        if gone.iter().any(|i| *i < end) && matches!(self.game, Game::Pm | Game::Cs) {
            let what = format!("{} has no free node records, and this object is not at the end", self.game.title());
            return Err(Error::say(what).hint("clear its ACTIVE flag in a tree, or move it out of sight"));
        }
        let was = self.nodes.get(at).and_then(Option::as_ref).and_then(reach);
        if let Some(world) = self.world_above(at) {
            self.leave_world(world, at);
        }
        for parent in self.parents_of(at) {
            if let Some(Some(node)) = self.nodes.get_mut(parent) {
                node.children.retain(|child| child.place() != Some(at));
            }
            self.shrunk(parent, was);
        }
        let mut removed = Removed::default();
        let models: HashSet<usize> =
            gone.iter().filter_map(|i| self.nodes.get(*i)?.as_ref()?.model.or(Link::to(-1)).place()).collect();
        for i in &gone {
            removed.nodes.extend(self.nodes.get(*i).and_then(Option::as_ref).map(Node::title));
        }
        self.free(&gone, end)?;
        let uses = self.uses();
        let mut painted = HashSet::new();
        for model in models {
            if uses.get(model) != Some(&0) {
                self.settle_use(model)?;
                continue;
            }
            painted.extend(self.model(super::ModelId(model)).map(|model| model.materials()).unwrap_or_default());
            if let Some(slot) = self.models.get_mut(model) {
                *slot = None;
                removed.models += 1;
            }
        }
        while self.models.last().is_some_and(Option::is_none) {
            self.models.pop();
        }
        (removed.materials, removed.textures) = self.take_back(&painted);
        Ok(removed)
    }

    /// Takes back what adding an object brings: of the materials that removed models had, those at the end of the list
    /// that nothing uses any more, and likewise their textures. Returns how many these are.
    fn take_back(&mut self, painted: &HashSet<u32>) -> (usize, usize) {
        let (materials, textures) = (self.materials.materials.len(), self.textures.len());
        let is_last = |world: &Self| {
            let last = world.materials.materials.len().checked_sub(1).and_then(|last| u32::try_from(last).ok());
            last.is_some_and(|last| painted.contains(&last))
        };
        if !is_last(self) {
            return (0, 0);
        }
        let used: HashSet<u32> =
            self.models().filter_map(|id| self.model(id).ok()).flat_map(|model| model.materials()).collect();
        let mut named = HashSet::new();
        while is_last(self) && !used.contains(&((self.materials.materials.len() - 1) as u32)) {
            let material = self.materials.materials.pop().flatten();
            named.extend(material.iter().flat_map(Material::textures));
        }
        let shown: HashSet<usize> = self.materials.materials.iter().flatten().flat_map(Material::textures).collect();
        let mips: HashSet<i32> = self.textures.iter().map(|texture| texture.mip.or(-1)).collect();
        while let Some(last) = self.textures.len().checked_sub(1).filter(|last| named.contains(last))
            && !shown.contains(&last)
            && !mips.contains(&(last as i32))
        {
            self.textures.pop();
        }
        (materials - self.materials.materials.len(), textures - self.textures.len())
    }

    /// Frees the records of nodes: those from `end` on are cut off.
    fn free(&mut self, gone: &[usize], end: usize) -> Result<()> {
        let (slots, game) = (self.node_slots(), self.game);
        let mut head = self.node_array.last_free.or(super::last_free_rule(&self.nodes, slots));
        let cut = self.nodes.len();
        self.nodes.truncate(end);
        // A list that began after the nodes begins where they end now.
        if usize::try_from(head).is_ok_and(|head| head == cut) {
            head = i32::try_from(end).map_err(|_| Error::say("too many nodes"))?;
        }
        for i in gone.iter().filter(|i| **i < end) {
            let Some(slot) = self.nodes.get_mut(*i) else { continue };
            let Some(node) = slot.take() else { continue };
            let json = serde_json::json!({ "name": "", "flags": [] });
            let mut free: Node = crate::tree::text::from_value(&json)?;
            free.name = node.name;
            free.link =
                Defaulted::of(Hex(head.cast_unsigned() & nodes::FREE_END), nodes::link_rule(*i, slots, 0, 0, game));
            *slot = Some(free);
            head = i32::try_from(*i).map_err(|_| Error::say("too many nodes"))?;
        }
        let rule = super::last_free_rule(&self.nodes, slots);
        self.node_array.last_free = Defaulted::of(head, rule);
        self.settle_free_list();
        Ok(())
    }

    /// The nodes of a tree that only nodes of the same tree have as a child.
    fn only_below(&self, top: usize, below: &[usize]) -> Vec<usize> {
        let mut gone: HashSet<usize> = below.iter().copied().collect();
        loop {
            let kept: Vec<usize> = self
                .nodes()
                .filter(|(id, _)| !gone.contains(&id.0))
                .flat_map(|(_, node)| node.children.iter().filter_map(Link::place))
                .filter(|child| *child != top && gone.contains(child))
                .collect();
            if kept.is_empty() {
                break;
            }
            for child in kept {
                gone.remove(&child);
            }
        }
        let mut gone: Vec<usize> = gone.into_iter().collect();
        gone.sort_unstable();
        gone
    }

    pub(super) fn only_objects(&self, nodes: &[usize]) -> Result<()> {
        for node in nodes.iter().filter_map(|i| self.nodes.get(*i)?.as_ref()) {
            if !matches!(node.data, Data::Object3d(_) | Data::Lod(_) | Data::Empty) {
                return Err(Error::say(format!("{:?} is a {}, not an object", node.title(), node.data.kind())));
            }
        }
        Ok(())
    }

    /// An error if a camera or a light refers to one of the nodes.
    fn check_references(&self, gone: &[usize]) -> Result<()> {
        let is_gone = |link: &Link| link.place().is_some_and(|place| gone.contains(&place));
        for (_, node) in self.nodes() {
            let refers = match &node.data {
                Data::Camera(camera) => {
                    [&camera.horizon_node.0, &camera.horizon_node_xz.0].into_iter().flatten().any(is_gone)
                }
                Data::World(world) => world.lights.iter().chain(&world.sounds).any(is_gone),
                _ => false,
            };
            if refers {
                return Err(Error::say(format!("{:?} refers to it", node.title())).hint("change that first, in a tree"));
            }
        }
        Ok(())
    }

    #[doc(hidden)]
    pub fn is_world(&self, at: usize) -> bool {
        matches!(self.nodes.get(at), Some(Some(Node { data: Data::World(_), .. })))
    }

    /// The nodes, other than the world, that have a node as a child.
    fn parents_of(&self, at: usize) -> Vec<usize> {
        let has = |node: &Node| node.children.iter().any(|child| child.place() == Some(at));
        self.nodes().filter(|(id, node)| has(node) && !self.is_world(id.0)).map(|(id, _)| id.0).collect()
    }

    /// Updates the boxes of a node that lost a child, whose box in it was `was`, and those above it.
    fn shrunk(&mut self, parent: usize, was: Option<Extent>) {
        let children = |world: &Gamez| -> Vec<usize> {
            let node = world.nodes.get(parent).and_then(Option::as_ref);
            node.into_iter().flat_map(|node| &node.children).filter_map(Link::place).collect()
        };
        let now = children(self).iter().filter_map(|i| self.nodes.get(*i)?.as_ref()).map(reach).fold(None, both);
        let Some(Some(node)) = self.nodes.get_mut(parent) else { return };
        let placed_before = reach(node);
        let changed = match now {
            Some(_) => follow::settle_child_box(node, both(now, was), now),
            // The last child with a box is gone.
            None if was.is_some() => {
                node.child_bbox = Defaulted(None);
                node.flags = node.flags.with(NodeFlags::CHILD_BBOX, false);
                node.node_bbox = node.model_bbox;
                let has_model = node.flags.has(NodeFlags::MODEL_BBOX);
                node.flags = node.flags.with(NodeFlags::NODE_BBOX, has_model);
                true
            }
            None => false,
        };
        if changed {
            follow::rise(self, vec![(parent, placed_before)]);
        }
    }

    /// Writes the models of nodes again, because a model stores how many nodes use it.
    #[doc(hidden)]
    pub fn settle_uses(&mut self, nodes: &[usize]) -> Result<()> {
        let models: HashSet<usize> =
            nodes.iter().filter_map(|i| self.nodes.get(*i)?.as_ref()?.model.or(Link::to(-1)).place()).collect();
        models.into_iter().try_for_each(|model| self.settle_use(model))
    }

    fn settle_use(&mut self, model: usize) -> Result<()> {
        let id = super::ModelId(model);
        match self.model(id) {
            Ok(read) => self.set_model(id, &read),
            Err(_) => Ok(()),
        }
    }
}
