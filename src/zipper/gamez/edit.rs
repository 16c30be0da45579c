//! Changes to a world: objects are moved, renamed, copied and removed. No slot that anything refers
//! to changes.

use super::{
    Gamez,
    boxes::{Extent, both},
    classes::{Object3d, ObjectFlags, ZERO},
    follow::{self, reach},
    materials::Material,
    nodes::{self, Data, Node, NodeFlags},
    types::{self, Link, NodeId},
};
use refit_base::{
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
    /// Its new factors along its own axes.
    pub scale: Option<[f32; 3]>,
}

impl Motion {
    /// True if nothing moves.
    pub fn is_none(&self) -> bool {
        *self == Motion::default()
    }

    /// An error for a scale that is not three positive numbers.
    fn check(&self) -> Result<()> {
        let is_usable = |factor: &f32| factor.is_finite() && *factor > 0.0;
        match self.scale {
            Some(factors) if !factors.iter().all(is_usable) => Err(Error::say(format!(
                "the scale {factors:?} is not three positive numbers"
            ))),
            _ => Ok(()),
        }
    }

    fn apply(&self, object: &mut Object3d) {
        let [x, y, z] = self
            .at
            .unwrap_or(object.translation.or([ZERO; 3]).map(F32::get));
        let [dx, dy, dz] = self.by.unwrap_or_default();
        let rows = object.matrix();
        object.translation = Defaulted::of([x + dx, y + dy, z + dz].map(F32::from), [ZERO; 3]);
        object.begin_placing();
        if let Some(factors) = self.scale {
            scale(object, factors);
        }
        // With the new scale.
        let rows = match self.scale {
            Some(_) => object.matrix(),
            None => rows,
        };
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
                let whole =
                    (f64::from(ry.get()) + angle + turn / 2.0).rem_euclid(turn) - turn / 2.0;
                object.rotation = Defaulted::of([rx, F32::from(whole as f32), rz], [ZERO; 3]);
                object.matrix = Defaulted(None);
            }
            None => {}
        }
    }
}

/// Gives an object these factors along its own axes. A matrix that was set directly keeps its
/// rotation: its rows get these lengths.
fn scale(object: &mut Object3d, factors: [f32; 3]) {
    if !object.flags.has(ObjectFlags::MATRIX) {
        object.scale = Defaulted::of(factors.map(F32::from), [F32::from(1.0); 3]);
        object.matrix = Defaulted(None);
        return;
    }
    let mut rows = object.matrix().map(F32::get);
    for (row, factor) in rows.chunks_exact_mut(3).zip(factors) {
        let length = libm::sqrt(row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum());
        if length > 0.0 {
            let by = f64::from(factor) / length;
            row.iter_mut()
                .for_each(|x| *x = (f64::from(*x) * by) as f32);
        }
    }
    object.matrix = Defaulted::of(rows.map(F32::from), object.matrix_rule());
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
        self.move_nodes(&[(node, motion)])
    }

    /// [`Gamez::move_node`] for several objects.
    pub fn move_nodes(&mut self, moves: &[(NodeId, Motion)]) -> Result<()> {
        let nodes: Vec<usize> = moves.iter().map(|(node, _)| node.0).collect();
        for (_, motion) in moves {
            motion.check()?;
        }
        for node in &nodes {
            let node = self
                .node(NodeId(*node))
                .ok_or_else(|| refit_base::contract::no_member(*node))?;
            if !matches!(node.data, Data::Object3d(_)) {
                return Err(Error::say(format!(
                    "{:?} is a {}, not an object",
                    node.title(),
                    node.data.kind()
                )));
            }
        }
        let place = |i: usize, node: &mut Node| match (&mut node.data, moves.get(i)) {
            (Data::Object3d(object), Some((_, motion))) => {
                motion.apply(object);
                true
            }
            _ => false,
        };
        self.place_nodes(&nodes, &mut { place }).map(drop)
    }

    /// Moves nodes, and updates their places among the cells of the world. `place` gets the index
    /// in `nodes`, and returns false if it changed nothing. Returns what it returned.
    pub fn place_nodes(
        &mut self,
        nodes: &[usize],
        place: &mut dyn FnMut(usize, &mut Node) -> bool,
    ) -> Result<Vec<bool>> {
        self.editing(&mut |world| {
            let reached = |at: &usize| {
                world
                    .nodes
                    .get(*at)
                    .and_then(Option::as_ref)
                    .and_then(reach)
            };
            let before: Vec<Option<Extent>> = nodes.iter().map(reached).collect();
            let worlds = world.worlds_above(nodes);
            // The cells are left with the old box, and entered with the new one.
            for (top, below) in &worlds {
                world.all_leave(*top, below);
            }
            let mut moved = Vec::with_capacity(nodes.len());
            for (i, at) in nodes.iter().enumerate() {
                let node = world.nodes.get_mut(*at).and_then(Option::as_mut);
                moved.push(place(
                    i,
                    node.ok_or_else(|| refit_base::contract::no_member(*at))?,
                ));
            }
            for (top, below) in &worlds {
                world.all_enter(*top, below)?;
            }
            let open = nodes
                .iter()
                .copied()
                .zip(before)
                .zip(&moved)
                .filter(|(_, moved)| **moved);
            follow::rise(world, open.map(|(one, _)| one).collect());
            Ok(moved)
        })
    }

    /// Renames a node.
    ///
    /// Returns an error for an empty name, which nothing could refer to.
    pub fn rename_node(&mut self, NodeId(at): NodeId, name: &str) -> Result<()> {
        if name.is_empty() {
            return Err(
                Error::say("a node needs a name").hint("`refit world remove` removes a node")
            );
        }
        let name = Text::try_from(name)?;
        let node = self
            .nodes
            .get_mut(at)
            .and_then(Option::as_mut)
            .ok_or_else(|| refit_base::contract::no_member(at))?;
        node.name = name;
        Ok(())
    }

    /// Copies a node with everything below it. The copies use the same models and come after all
    /// nodes; the copy has the parents of the original, or is below `under`. Returns its position.
    pub fn copy_node(&mut self, NodeId(at): NodeId, under: Option<NodeId>) -> Result<NodeId> {
        let all = self.objects_below(NodeId(at))?;
        let first = self.nodes.len();
        let place: HashMap<usize, usize> = all
            .iter()
            .enumerate()
            .map(|(i, old)| (*old, first + i))
            .collect();
        let link = |to: usize| {
            i32::try_from(to)
                .map(Link::to)
                .map_err(|_| Error::say("too many nodes"))
        };
        let mut copies = Vec::new();
        for old in &all {
            let Some(Some(node)) = self.nodes.get(*old) else {
                continue;
            };
            let mut copy = node.clone();
            let children = node
                .children
                .iter()
                .filter_map(|child| place.get(&child.place()?));
            copy.children = children.map(|to| link(*to)).collect::<Result<_>>()?;
            (copy.parents, copy.link, copy.data_ptr) =
                (Defaulted(None), Defaulted(None), Defaulted(None));
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
        let parents: Vec<usize> = parents
            .into_iter()
            .filter(|parent| Some(*parent) != world)
            .collect();
        let mut copies = Some(copies);
        self.editing(&mut |own| {
            own.hang(copies.take().unwrap_or_default(), &parents, world)?;
            own.settle_uses(&all)
        })?;
        Ok(NodeId(first))
    }

    /// Appends nodes. The first one becomes a child of `parents`, or goes into the cell of the
    /// world that the engine would choose.
    pub(super) fn hang(
        &mut self,
        nodes: Vec<Option<Node>>,
        parents: &[usize],
        world: Option<usize>,
    ) -> Result<()> {
        let first = self.nodes.len();
        self.nodes.extend(nodes);
        self.settle_arrays();
        let child = i32::try_from(first)
            .map(Link::to)
            .map_err(|_| Error::say("too many nodes"))?;
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

    /// Removes an object with everything below it that only this object has as a child. Their
    /// records are freed as the engine does: nodes at the end of the array are cut off, others keep
    /// their name and are the next ones that the game uses.
    ///
    /// Returns an error for a node that is not an object or that a camera or a light refers to, and
    /// in Pirate's Moon and Crimson Skies for one that is not at the end: none of their known
    /// worlds has a free record.
    pub fn remove_node(&mut self, NodeId(at): NodeId) -> Result<Removed> {
        let below: Vec<usize> = self.walk(NodeId(at)).map(|(_, id, _)| id.0).collect();
        let gone = self.only_below(at, &below);
        self.only_objects(&gone)?;
        self.check_references(&gone)?;
        let end = self.nodes.len()
            - gone
                .iter()
                .rev()
                .zip(1..)
                .take_while(|(i, n)| **i + n == self.nodes.len())
                .count();
        if gone.iter().any(|i| *i < end) && matches!(self.game, Game::Pm | Game::Cs) {
            let what = format!(
                "{} has no free node records, and this object is not at the end",
                self.game.title()
            );
            return Err(
                Error::say(what).hint("clear its ACTIVE flag in a tree, or move it out of sight")
            );
        }
        self.editing(&mut |world| world.take_out(at, &gone, end))
    }

    /// Removes the nodes `gone`, which are those at and below `at`, and what only they use.
    fn take_out(&mut self, at: usize, gone: &[usize], end: usize) -> Result<Removed> {
        let mut removed = Removed::default();
        let models: HashSet<usize> = gone
            .iter()
            .filter_map(|i| self.nodes.get(*i)?.as_ref()?.model.or(Link::to(-1)).place())
            .collect();
        for i in gone {
            removed
                .nodes
                .extend(self.nodes.get(*i).and_then(Option::as_ref).map(Node::title));
        }
        self.unhang(at, gone, end)?;
        let uses = self.uses();
        let (mut painted, mut used) = (HashSet::new(), Vec::new());
        for model in models {
            if uses.get(model) != Some(&0) {
                used.push(model);
                continue;
            }
            painted.extend(
                self.model(super::ModelId(model))
                    .map(|model| model.materials())
                    .unwrap_or_default(),
            );
            if let Some(slot) = self.models.get_mut(model) {
                *slot = None;
                removed.models += 1;
            }
        }
        self.count_uses(&used, &uses)?;
        while self.models.last().is_some_and(Option::is_none) {
            self.models.pop();
        }
        self.settle_free_models();
        (removed.materials, removed.textures) = self.take_back(&painted);
        Ok(removed)
    }

    /// Takes back what adding an object brings: of the materials that removed models had, those at
    /// the end of the list that nothing uses any more, and likewise their textures. Returns how
    /// many these are.
    fn take_back(&mut self, painted: &HashSet<u32>) -> (usize, usize) {
        let (materials, textures) = (self.materials.materials.len(), self.textures.len());
        let is_last = |world: &Self| {
            let last = world
                .materials
                .materials
                .len()
                .checked_sub(1)
                .and_then(|last| u32::try_from(last).ok());
            last.is_some_and(|last| painted.contains(&last))
        };
        if !is_last(self) {
            return (0, 0);
        }
        let used: HashSet<u32> = self
            .models()
            .filter_map(|id| self.model(id).ok())
            .flat_map(|model| model.materials())
            .collect();
        let mut named = HashSet::new();
        while is_last(self) && !used.contains(&((self.materials.materials.len() - 1) as u32)) {
            let material = self.materials.materials.pop().flatten();
            named.extend(material.iter().flat_map(Material::textures));
        }
        let shown: HashSet<usize> = self
            .materials
            .materials
            .iter()
            .flatten()
            .flat_map(Material::textures)
            .collect();
        let mips: HashSet<i32> = self
            .textures
            .iter()
            .map(|texture| texture.mip.or(-1))
            .collect();
        while let Some(last) = self
            .textures
            .len()
            .checked_sub(1)
            .filter(|last| named.contains(last))
            && !shown.contains(&last)
            && !mips.contains(&(last as i32))
        {
            self.textures.pop();
        }
        (
            materials - self.materials.materials.len(),
            textures - self.textures.len(),
        )
    }

    /// Takes an object out of the world and out of its parents, and frees its record and those
    /// below it.
    fn unhang(&mut self, at: usize, gone: &[usize], end: usize) -> Result<()> {
        let was = self.nodes.get(at).and_then(Option::as_ref).and_then(reach);
        // Cells may also contain nodes below it.
        for (world, below) in self.worlds_above(gone) {
            self.all_leave(world, &below);
        }
        for parent in self.parents_of(at) {
            if let Some(Some(node)) = self.nodes.get_mut(parent) {
                node.children.retain(|child| child.place() != Some(at));
            }
            self.shrunk(parent, was);
        }
        // Nodes below it that stay may name it as a parent.
        let all: HashSet<usize> = gone.iter().copied().collect();
        for node in self.nodes.iter_mut().flatten() {
            if let Some(parents) = &mut node.parents.0 {
                parents.retain(|parent| parent.place().is_none_or(|place| !all.contains(&place)));
            }
        }
        self.free(gone, end)
    }

    /// Frees the records of nodes: those from `end` on are cut off. The others become the first
    /// ones of the free list, which then visits each free record once (FORMAT.md).
    fn free(&mut self, gone: &[usize], end: usize) -> Result<()> {
        let game = self.game;
        if matches!(game, Game::Pm | Game::Cs) {
            // Their worlds have no free records, and the rest of their free list means nothing.
            let cut = end..=self.nodes.len();
            self.nodes.truncate(end);
            let head = self.node_array.last_free.0;
            self.node_array.last_free = Defaulted(
                head.filter(|head| !usize::try_from(*head).is_ok_and(|head| cut.contains(&head))),
            );
            return Ok(());
        }
        if gone.iter().all(|i| *i >= end) && !super::lints::free_records_are_listed(self) {
            // Adding and removing an object leaves a broken list as it was.
            let cut = self.nodes.len();
            self.nodes.truncate(end);
            let head = self
                .node_array
                .last_free
                .0
                .filter(|head| usize::try_from(*head) != Ok(cut));
            self.node_array.last_free = Defaulted(head);
            self.settle_free_list();
            return Ok(());
        }
        let listed = self.free_records();
        let mut order: Vec<usize> = gone.iter().rev().copied().chain(listed).collect();
        self.nodes.truncate(end);
        for i in gone.iter().filter(|i| **i < end) {
            let Some(slot) = self.nodes.get_mut(*i) else {
                continue;
            };
            let Some(node) = slot.take() else { continue };
            let json = serde_json::json!({ "name": "", "flags": [] });
            let mut free: Node = refit_base::tree::text::from_value(&json)?;
            free.name = node.name;
            *slot = Some(free);
        }
        order.retain(|i| *i < end);
        // Records that were never used link to their successors without being stored.
        let slots = self.node_slots();
        let last = if end < slots {
            end as u32
        } else {
            nodes::FREE_END
        };
        let next = order.iter().skip(1).map(|i| *i as u32).chain([last]);
        for (i, next) in order.iter().zip(next) {
            let (slot, rule) = (
                self.nodes.get_mut(*i),
                nodes::link_rule(*i, slots, 0, 0, game),
            );
            match slot {
                Some(Some(node)) => node.link = Defaulted::of(Hex(next), rule),
                Some(slot) if Hex(next) != rule => {
                    let mut unused =
                        Node::of_value(&serde_json::json!({ "name": "", "flags": [] }))?;
                    unused.name = Text::from_raw([0; 36]);
                    unused.link = Defaulted(Some(Hex(next)));
                    *slot = Some(unused);
                }
                _ => {}
            }
        }
        let rule = super::last_free_rule(&self.nodes, slots);
        let head = match order.first() {
            Some(first) => i32::try_from(*first).map_err(|_| Error::say("too many nodes"))?,
            None => rule,
        };
        self.node_array.last_free = Defaulted::of(head, rule);
        self.node_array.free_list_stays = false;
        Ok(())
    }

    /// The free records among the nodes in the order in which the game uses them. A record that the
    /// file's list does not reach comes after the others.
    fn free_records(&self) -> Vec<usize> {
        let (slots, game) = (self.node_slots(), self.game);
        let is_free = |i: &usize| {
            self.nodes
                .get(*i)
                .is_some_and(|n| n.as_ref().is_none_or(|n| n.data.is_empty()))
        };
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut at = usize::try_from(
            self.node_array
                .last_free
                .or(super::last_free_rule(&self.nodes, slots)),
        )
        .ok();
        while let Some(i) = at.filter(is_free) {
            if seen
                .get_mut(i)
                .is_none_or(|seen| std::mem::replace(seen, true))
            {
                break;
            }
            order.push(i);
            let stored = self
                .nodes
                .get(i)
                .and_then(Option::as_ref)
                .and_then(|n| n.link.0);
            at = Some(
                (stored.unwrap_or(nodes::link_rule(i, slots, 0, 0, game)).0 & nodes::FREE_END)
                    as usize,
            );
        }
        order.extend((0..self.nodes.len()).filter(|i| is_free(i) && seen.get(*i) == Some(&false)));
        order
    }

    /// The nodes of a tree that only nodes of the same tree have as a child.
    fn only_below(&self, top: usize, below: &[usize]) -> Vec<usize> {
        let mut gone: HashSet<usize> = below.iter().copied().collect();
        let children = |node: &Node| {
            node.children
                .iter()
                .filter_map(Link::place)
                .collect::<Vec<_>>()
        };
        let outside = self.nodes().filter(|(id, _)| !gone.contains(&id.0));
        let mut kept: Vec<usize> = outside
            .flat_map(|(_, node)| children(node))
            .filter(|child| *child != top)
            .collect();
        while let Some(child) = kept.pop() {
            if gone.remove(&child) {
                kept.extend(
                    self.node(NodeId(child))
                        .map(children)
                        .into_iter()
                        .flatten()
                        .filter(|i| *i != top),
                );
            }
        }
        // A released record may still be listed somewhere: it is free already.
        let mut gone: Vec<usize> = gone
            .into_iter()
            .filter(|i| {
                self.node(NodeId(*i))
                    .is_some_and(|node| !node.data.is_empty())
            })
            .collect();
        gone.sort_unstable();
        gone
    }

    /// An object with everything below it. A released record that is still listed somewhere is
    /// nothing.
    pub(super) fn objects_below(&self, at: NodeId) -> Result<Vec<usize>> {
        let used = self.walk(at).filter(|(_, _, node)| !node.data.is_empty());
        let all: Vec<usize> = used.map(|(_, id, _)| id.0).collect();
        self.only_objects(&all)?;
        Ok(all)
    }

    fn only_objects(&self, nodes: &[usize]) -> Result<()> {
        for node in nodes.iter().filter_map(|i| self.nodes.get(*i)?.as_ref()) {
            if !matches!(node.data, Data::Object3d(_) | Data::Lod(_)) {
                return Err(Error::say(format!(
                    "{:?} is a {}, not an object",
                    node.title(),
                    node.data.kind()
                )));
            }
        }
        Ok(())
    }

    /// An error if a camera or a light refers to one of the nodes.
    fn check_references(&self, gone: &[usize]) -> Result<()> {
        let gone: HashSet<usize> = gone.iter().copied().collect();
        let is_gone = |link: &Link| link.place().is_some_and(|place| gone.contains(&place));
        for (_, node) in self.nodes() {
            let refers = match &node.data {
                Data::Camera(camera) => {
                    let nodes = [&camera.horizon_node.0, &camera.horizon_node_xz.0]
                        .into_iter()
                        .flatten();
                    nodes.chain([&camera.world, &camera.window]).any(is_gone)
                }
                Data::World(world) => world.lights.iter().chain(&world.sounds).any(is_gone),
                Data::Light(light) => light.worlds.iter().any(is_gone),
                Data::Sound(sound) => sound.worlds.iter().any(is_gone),
                _ => false,
            };
            if refers {
                return Err(Error::say(format!("{:?} refers to it", node.title()))
                    .hint("change that first, in a tree"));
            }
        }
        Ok(())
    }

    /// True if the node at this position is a world.
    pub fn is_world(&self, at: usize) -> bool {
        matches!(
            self.nodes.get(at),
            Some(Some(Node {
                data: Data::World(_),
                ..
            }))
        )
    }

    /// The nodes, other than the world, that have a node as a child.
    pub(super) fn parents_of(&self, at: usize) -> Vec<usize> {
        let has = |node: &Node| node.children.iter().any(|child| child.place() == Some(at));
        self.nodes()
            .filter(|(id, node)| has(node) && !self.is_world(id.0))
            .map(|(id, _)| id.0)
            .collect()
    }

    /// Updates the boxes of a node that lost a child, whose box in it was `was`, and those above
    /// it.
    pub(super) fn shrunk(&mut self, parent: usize, was: Option<Extent>) {
        let children = |world: &Gamez| -> Vec<usize> {
            let node = world.nodes.get(parent).and_then(Option::as_ref);
            node.into_iter()
                .flat_map(|node| &node.children)
                .filter_map(Link::place)
                .collect()
        };
        let now = children(self)
            .iter()
            .filter_map(|i| self.nodes.get(*i)?.as_ref())
            .map(reach)
            .fold(None, both);
        let Some(Some(node)) = self.nodes.get_mut(parent) else {
            return;
        };
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
    pub fn settle_uses(&mut self, nodes: &[usize]) -> Result<()> {
        let models: HashSet<usize> = nodes
            .iter()
            .filter_map(|i| self.nodes.get(*i)?.as_ref()?.model.or(Link::to(-1)).place())
            .collect();
        self.count_uses(&models.into_iter().collect::<Vec<_>>(), &self.uses())
    }

    /// Writes models again, each with the number of nodes that use it: `uses` has one for each
    /// model of the world.
    fn count_uses(&mut self, models: &[usize], uses: &[u32]) -> Result<()> {
        let cycled = self.materials.cycled();
        for model in models {
            let Ok(read) = self.model_with(super::ModelId(*model), &cycled) else {
                continue;
            };
            let stored = self.stored(&read, &cycled, uses.get(*model).copied().unwrap_or(0))?;
            if let Some(slot) = self.models.get_mut(*model) {
                *slot = Some(stored);
            }
        }
        Ok(())
    }

    /// Makes an edit, after which the address of each list that became empty is zero, that of each
    /// list that got its first entry is not, and no box is outgrown.
    pub fn editing<T>(&mut self, edit: &mut dyn FnMut(&mut Self) -> Result<T>) -> Result<T> {
        self.settle_sizes();
        let before = self.clone();
        let done = edit(self)?;
        self.settle_pointers(&before.filled());
        super::boxes::settle(self, &before);
        // A file does not tell whether a head follows the rule; nor may a tree.
        let rule = super::last_free_rule(&self.nodes, self.node_slots());
        self.node_array.last_free =
            Defaulted(self.node_array.last_free.0.filter(|head| *head != rule));
        Ok(done)
    }

    /// Sets the sizes of the arrays to those of the file: a tree states the least.
    fn settle_sizes(&mut self) {
        self.model_array.slots =
            u32::try_from(self.model_slots()).unwrap_or(self.model_array.slots);
        if self.node_array.slots.is_some() {
            self.node_array.slots = u32::try_from(self.node_slots()).ok();
        }
        if self.game != Game::Cs
            && let Ok(slots) = self.materials.slots(self.game)
        {
            self.materials.slots = u32::try_from(slots).unwrap_or(self.materials.slots);
        }
    }

    /// For each node, whether it has parents and children, and for each cell of a world, whether it
    /// has nodes.
    fn filled(&self) -> Vec<([bool; 2], Vec<bool>)> {
        let kin = self.kin();
        let one = |(i, node): (usize, &Option<Node>)| {
            let Some(node) = node else {
                return ([false; 2], Vec::new());
            };
            let cells = match &node.data {
                Data::World(world) => world
                    .cells
                    .iter()
                    .map(|cell| !cell.nodes.is_empty())
                    .collect(),
                _ => Vec::new(),
            };
            ([kin.has_parents(i, node), !node.children.is_empty()], cells)
        };
        self.nodes.iter().enumerate().map(one).collect()
    }

    fn settle_pointers(&mut self, before: &[([bool; 2], Vec<bool>)]) {
        let settle = |address: &mut Defaulted<Hex<u32>>, was: Option<&bool>, is: bool| {
            if was != Some(&is) {
                types::follow(address, is);
            }
        };
        let now = self.filled();
        for (i, (node, ([parents, children], cells))) in self.nodes.iter_mut().zip(now).enumerate()
        {
            let Some(node) = node else { continue };
            let was = before.get(i);
            settle(&mut node.parents_ptr, was.map(|([was, _], _)| was), parents);
            settle(
                &mut node.children_ptr,
                was.map(|([_, was], _)| was),
                children,
            );
            node.addresses_stay &= types::contradicts(&node.parents_ptr, parents)
                || types::contradicts(&node.children_ptr, children);
            let Data::World(world) = &mut node.data else {
                continue;
            };
            for (at, (cell, is)) in world.cells.iter_mut().zip(cells).enumerate() {
                settle(
                    &mut cell.nodes_ptr,
                    was.and_then(|(_, was)| was.get(at)),
                    is,
                );
                cell.address_stays &= types::contradicts(&cell.nodes_ptr, is);
            }
        }
    }
}
