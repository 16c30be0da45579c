//! The cells of the world: which cell an object belongs to, by the rule of Recoil's engine
//! (FORMAT.md).
//!
//! An object directly below the world belongs to the cell that contains the centre of its box, if
//! it extends over the cell's edges by no more than the tolerance. Otherwise, and if it is a
//! landmark or has no box, the world itself lists it as a child. An object in a cell names the
//! world as its parent, but the world does not list it.

use super::{
    Gamez,
    boxes::{Extent, placed},
    classes::ZERO,
    nodes::{Data, Node, NodeFlags},
    types::{Link, NodeId},
    world::{Cell, CellNode, World},
};
use refit_base::{
    game::Game,
    wire::{Defaulted, Derived, Error, F32, Result},
};
use std::collections::HashSet;

/// Maximum number of nodes in a cell: the engine counts them with a signed number.
const MOST: usize = 32_767;

/// A cell: its position in the list, its column and row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellPlace {
    /// Position in the world's list.
    pub index: usize,
    /// Column, from the left.
    pub column: i32,
    /// Row, from the bottom.
    pub row: i32,
}

/// The part of a node that the cells need: the box that selects its cell, and its heights.
struct CellBox {
    chosen: Option<Extent>,
    y: Option<[F32; 2]>,
}

impl Node {
    fn cell_box(&self) -> CellBox {
        let chosen = placed(self).filter(|_| {
            !self.flags.has(NodeFlags::LANDMARK) && self.flags.has(NodeFlags::NODE_BBOX)
        });
        CellBox {
            chosen,
            y: heights(self).map(|y| y.map(F32::from)),
        }
    }
}

/// The cell for an object with this box; `None` if it belongs to the world itself.
fn cell_of(world: &World, game: Game, chosen: Option<Extent>) -> Option<CellPlace> {
    let [x0, _, z0, x1, _, z1] = chosen?;
    let side = super::fresh::cell_side(game) as f32;
    let (columns, rows) = world.counts(game);
    let (x, z) = ((x0 + x1) * 0.5, (z0 + z1) * 0.5);
    let (column, row) = (
        ((x - world.left.get()) / side).floor(),
        ((world.bottom.get() - z) / side).floor(),
    );
    let inside = (0.0..columns as f32).contains(&column) && (0.0..rows as f32).contains(&row);
    if !inside {
        return None;
    }
    let [low, high] = world.tolerance.or([F32::from(3.0); 2]).map(F32::get);
    let (left, bottom) = (
        world.left.get() + column * side,
        world.bottom.get() - row * side,
    );
    let fits = x0 >= left - low
        && x1 <= left + side + high
        && z1 <= bottom + high
        && z0 >= bottom - side - low;
    let (column, row) = (column as i32, row as i32);
    let index = usize::try_from(row.checked_mul(columns)?.checked_add(column)?).ok()?;
    (fits && world.cells.get(index)?.nodes.len() < MOST).then_some(CellPlace { index, column, row })
}

/// Lowest and highest y of a node in the world.
fn heights(node: &Node) -> Option<[f32; 2]> {
    placed(node).map(|[_, low, _, _, high, _]: Extent| [low, high])
}

impl Gamez {
    /// The cell that the engine would choose for an object directly below a world: its position in
    /// the world's list. `None` if the world itself lists it.
    pub fn cell_by_rule(&self, world: &World, NodeId(node): NodeId) -> Option<usize> {
        let node = self.nodes.get(node)?.as_ref()?;
        cell_of(world, self.game, node.cell_box().chosen).map(|place| place.index)
    }

    /// The name of an object directly below a world, and the lowest and highest x and z of that
    /// world, if the object's position is outside of them.
    pub fn outside(&self, id: NodeId) -> Option<(String, [f32; 4])> {
        let node = self.node(id)?;
        let world = self.node(NodeId(self.world_above(id.0)?))?;
        let (Data::World(world), Data::Object3d(object)) = (&world.data, &node.data) else {
            return None;
        };
        let [x, _, z] = object.translation.or([ZERO; 3]).map(F32::get);
        let sides = [&world.left, &world.right, &world.top, &world.bottom].map(|side| side.get());
        let [left, right, top, bottom] = sides;
        let inside = (left..=right).contains(&x) && (top..=bottom).contains(&z);
        (!inside).then(|| (node.title(), sides))
    }

    /// The world node that contains a node: as a child, or in a cell.
    pub(crate) fn world_above(&self, node: usize) -> Option<usize> {
        self.nodes.iter().enumerate().find_map(|(i, other)| {
            let other = other.as_ref()?;
            let Data::World(world) = &other.data else {
                return None;
            };
            let is_it = |link: &Link| link.place() == Some(node);
            let held = other.children.iter().any(is_it)
                || world
                    .cells
                    .iter()
                    .flat_map(|cell| &cell.nodes)
                    .any(|member| is_it(&member.node));
            held.then_some(i)
        })
    }

    /// The world nodes that contain some of these nodes, as children or in cells, and which, in the
    /// given order.
    pub(super) fn worlds_above(&self, nodes: &[usize]) -> Vec<(usize, Vec<usize>)> {
        let mut out = Vec::new();
        for (i, other) in self.nodes() {
            let Data::World(world) = &other.data else {
                continue;
            };
            let held: HashSet<usize> = other
                .children
                .iter()
                .filter_map(Link::place)
                .chain(world.members())
                .collect();
            let own: Vec<usize> = nodes
                .iter()
                .copied()
                .filter(|node| held.contains(node))
                .collect();
            if !own.is_empty() {
                out.push((i.0, own));
            }
        }
        out
    }

    /// Removes objects from the world's cells and children, and their heights from the cells.
    pub(super) fn all_leave(&mut self, at: usize, nodes: &[usize]) {
        let spans = self.spans(at);
        let Some(Some(holder)) = self.nodes.get_mut(at) else {
            return;
        };
        let gone: HashSet<usize> = nodes.iter().copied().collect();
        let stays = |link: &Link| link.place().is_none_or(|place| !gone.contains(&place));
        holder.children.retain(stays);
        let Data::World(world) = &mut holder.data else {
            return;
        };
        for cell in &mut world.cells {
            cell.nodes.retain(|member| stays(&member.node));
        }
        self.settle_spans(at, &spans);
        nodes.iter().for_each(|node| self.leave_cell(*node));
    }

    /// Notes in a node's record that it is in no cell.
    pub(super) fn leave_cell(&mut self, node: usize) {
        let game = self.game;
        if let Some(Some(node)) = self.nodes.get_mut(node) {
            set_cell(node, None, game);
        }
    }

    /// Puts children of the world into the cells that the engine would choose.
    pub fn settle_cells(&mut self, at: usize, children: &[usize]) -> Result<()> {
        self.editing(&mut |world| {
            world.all_leave(at, children);
            world.all_enter(at, children).map(drop)
        })
    }

    /// Puts an object below the world: into the cell that the engine would choose, or among the
    /// world's children. Returns the cell.
    pub(super) fn enter_world(&mut self, at: usize, node: usize) -> Result<Option<CellPlace>> {
        Ok(self.all_enter(at, &[node])?.pop().flatten())
    }

    /// Puts objects below the world, in this order. Returns the cell of each.
    pub fn all_enter(&mut self, at: usize, nodes: &[usize]) -> Result<Vec<Option<CellPlace>>> {
        let game = self.game;
        let no_world = || Error::say(format!("node #{at} is not a world"));
        let mut entering = Vec::with_capacity(nodes.len());
        for node in nodes {
            let link = i32::try_from(*node)
                .map(Link::to)
                .map_err(|_| Error::say("too many nodes"))?;
            let object = self
                .nodes
                .get(*node)
                .and_then(Option::as_ref)
                .ok_or_else(|| refit_base::contract::no_member(*node))?;
            entering.push((link, object.cell_box()));
        }
        let spans = self.spans(at);
        let Some(Some(holder)) = self.nodes.get_mut(at) else {
            return Err(no_world());
        };
        let Data::World(world) = &mut holder.data else {
            return Err(no_world());
        };
        let mut places = Vec::with_capacity(nodes.len());
        for (link, object) in entering {
            let place = cell_of(world, game, object.chosen);
            match place.and_then(|place| world.cells.get_mut(place.index)) {
                Some(cell) => {
                    let y = object.y.filter(|_| matches!(game, Game::Pm | Game::Cs));
                    cell.nodes.push(CellNode { node: link, y });
                }
                None => holder.children.push(link),
            }
            places.push(place);
        }
        self.settle_spans(at, &spans);
        for (node, place) in nodes.iter().zip(&places) {
            if let Some(Some(node)) = self.nodes.get_mut(*node) {
                set_cell(node, *place, game);
            }
        }
        Ok(places)
    }

    /// The heights of the members of each cell, by the rule.
    fn spans(&self, at: usize) -> Vec<Option<[f32; 2]>> {
        let Some(Some(Node {
            data: Data::World(world),
            ..
        })) = self.nodes.get(at)
        else {
            return Vec::new();
        };
        let of_cell = |cell: &Cell| {
            let members = cell.nodes.iter().filter_map(|member| member.node.place());
            let all = members.filter_map(|i| heights(self.nodes.get(i)?.as_ref()?));
            all.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
        };
        world.cells.iter().map(of_cell).collect()
    }

    /// Updates the heights of cells whose members changed: only sides for which the rule now gives
    /// another value.
    fn settle_spans(&mut self, at: usize, before: &[Option<[f32; 2]>]) {
        let now = self.spans(at);
        let Some(Some(Node {
            data: Data::World(world),
            ..
        })) = self.nodes.get_mut(at)
        else {
            return;
        };
        for ((cell, was), is) in world.cells.iter_mut().zip(before).zip(now) {
            if *was == is {
                continue;
            }
            let side =
                |side: usize| [was, &is].map(|span| span.and_then(|span| span.get(side).copied()));
            let follow = |slot: &mut Defaulted<F32>, [was, is]: [Option<f32>; 2]| {
                if was.map(f32::to_bits) != is.map(f32::to_bits) {
                    *slot = Defaulted::of(is.map_or(ZERO, F32::from), ZERO);
                }
            };
            follow(&mut cell.min_y, side(0));
            follow(&mut cell.max_y, side(1));
            (cell.mid_y, cell.radius) = (Derived(None), Derived(None));
        }
    }
}

/// Notes the cell of a node in its record.
fn set_cell(node: &mut Node, place: Option<CellPlace>, game: Game) {
    match game {
        Game::Rc | Game::RcDemo | Game::Mw => {
            node.cell = place.map(|place| [place.column, place.row]);
            node.area_partition = Defaulted(None);
        }
        Game::Pm | Game::Cs => {
            let none = [-1, -1, 0, 0];
            let of = |CellPlace { column, row, .. }: CellPlace| {
                let [x, z] = [column, row].map(|n| i16::try_from(n).unwrap_or(i16::MAX));
                [x, z, x, z]
            };
            node.partitions = Defaulted::of(place.map_or(none, of), none);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamez::fresh::Area;

    /// A world of 4 × 2 cells, and an object with a box at a position.
    fn world_and_object(game: Game, extent: [f32; 6], flags: NodeFlags) -> (Gamez, usize) {
        let side = super::super::fresh::cell_side(game);
        let area = Area {
            left: 0,
            top: 0,
            right: 4 * side,
            bottom: 2 * side,
        };
        let mut world = Gamez::empty(game, area).unwrap();
        let json = serde_json::json!({ "name": "box", "flags": [], "data": { "object3d": { "flags": [] } } });
        let mut node: Node = refit_base::tree::text::from_value(&json).unwrap();
        node.node_bbox = Defaulted(Some(extent.map(F32::from)));
        node.flags = flags;
        world.nodes.push(Some(node));
        let last = world.nodes.len() - 1;
        (world, last)
    }

    fn place(extent: [f32; 6], flags: NodeFlags) -> Option<(i32, i32)> {
        let (world, object) = world_and_object(Game::Rc, extent, flags);
        let node = world.nodes[object].as_ref().unwrap();
        let Some(Node {
            data: Data::World(data),
            ..
        }) = &world.nodes[0]
        else {
            panic!("node 0 is the world")
        };
        cell_of(data, Game::Rc, node.cell_box().chosen).map(|place| (place.column, place.row))
    }

    /// The rule, from known facts: the centre of the box decides, 3 units may extend over,
    /// landmarks and nodes without a box belong to the world itself. Rows count from the bottom,
    /// the highest z.
    #[test]
    fn the_centre_of_the_box_decides() {
        let boxed = NodeFlags::NODE_BBOX;
        assert_eq!(
            place([10.0, 0.0, 500.0, 20.0, 5.0, 510.0], boxed),
            Some((0, 0))
        );
        assert_eq!(
            place([300.0, 0.0, 10.0, 310.0, 5.0, 20.0], boxed),
            Some((1, 1))
        );
        // The centre is in the cell, and the box reaches 3 units over its edge, or more.
        assert_eq!(
            place([200.0, 0.0, 300.0, 259.0, 5.0, 310.0], boxed),
            Some((0, 0))
        );
        assert_eq!(place([200.0, 0.0, 300.0, 259.5, 5.0, 310.0], boxed), None);
        assert_eq!(
            place([10.0, 0.0, 253.0, 20.0, 5.0, 310.0], boxed),
            Some((0, 0))
        );
        assert_eq!(place([10.0, 0.0, 252.5, 20.0, 5.0, 310.0], boxed), None);
        // Outside of the world, a landmark, without a box.
        assert_eq!(place([-20.0, 0.0, 300.0, -10.0, 5.0, 310.0], boxed), None);
        assert_eq!(place([10.0, 0.0, 600.0, 20.0, 5.0, 610.0], boxed), None);
        assert_eq!(
            place(
                [10.0, 0.0, 500.0, 20.0, 5.0, 510.0],
                boxed.with(NodeFlags::LANDMARK, true)
            ),
            None
        );
        assert_eq!(
            place(
                [10.0, 0.0, 500.0, 20.0, 5.0, 510.0],
                boxed.with(boxed, false)
            ),
            None
        );
    }

    /// Entering and leaving a cell restores the world; in between the cell has the object's
    /// heights.
    #[test]
    fn an_object_enters_and_leaves_a_cell() {
        use refit_base::contract::Model as _;
        for game in Game::ALL {
            let (mut world, object) = world_and_object(
                game,
                [300.0, -2.0, 10.0, 310.0, 5.0, 20.0],
                NodeFlags::NODE_BBOX,
            );
            let before = world.clone();
            let place = world.enter_world(0, object).unwrap().unwrap();
            let side = super::super::fresh::cell_side(game);
            assert_eq!(
                (place.column, place.row),
                if side == 256 { (1, 1) } else { (0, 1) },
                "{game}"
            );
            let bytes = bytes::Bytes::from(world.write().unwrap());
            let mut world = Gamez::read(&bytes).unwrap();
            let Some(Node {
                data: Data::World(data),
                ..
            }) = &world.nodes[0]
            else {
                panic!("node 0 is the world")
            };
            let cell = &data.cells[place.index];
            let y = [cell.min_y.or(ZERO).get(), cell.max_y.or(ZERO).get()];
            assert_eq!((cell.nodes.len(), y), (1, [-2.0, 5.0]), "{game}");
            assert!(
                world.nodes[0].as_ref().unwrap().children.is_empty(),
                "{game}"
            );
            assert_eq!(
                world.nodes[object].as_ref().unwrap().partition_rule(),
                match game {
                    Game::Rc | Game::Mw => [place.column, place.row],
                    _ => [-1, -1],
                }
            );
            world.all_leave(0, &[object]);
            assert_eq!(world.write().unwrap(), before.write().unwrap(), "{game}");
        }
    }
}
