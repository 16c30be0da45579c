//! The world node: fog, area, and the grid of partition cells (FORMAT.md).

use super::{
    classes::{ONE, ZERO, count},
    types::{Link, PTR, Ptr, approx_sqrt, contradicts, follow, ptr_if, rule},
};
use refit_base::{
    game::Game,
    wire::{Derived, Encode, Error, F32, Hex, Reader, Result, RuleInput, Writer, fit},
};
#[cfg(feature = "schemas")]
use schemars::json_schema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, IntoDeserializer, SeqAccess, Visitor},
    ser::SerializeSeq,
};
use std::fmt;

refit_base::open_enum! {
    /// How fog thickens.
    pub enum FogType: u32 { Off = 0 "OFF", Linear = 1 "LINEAR", Exponential = 2 "EXPONENTIAL" }
}

refit_base::record! {
    /// The world: there is usually one, the first node.
    pub struct World [Rc 172, Mw 188, Pm 204, Cs 204] {
        /// Parts changed by the running game.
        flags^: Hex<u32> = |_| Hex(0),
        /// Unknown; 0 in known files.
        area_partition_used~: i32 = |_| 0,
        /// How many cells were ever marked, usually all. Absent while it is `x_count` × `z_count`.
        area_partition_count^: i32 = |w| { let (x, z) = w.counts(w.game); x.wrapping_mul(z) },
        /// Address in the process that wrote the file. Absent for 1.
        area_partition_ptr^: Ptr = |_| PTR,
        /// How fog thickens.
        fog_type: FogType,
        /// Red, green, blue of the fog, 0.0 to 255.0.
        fog_color^: [F32; 3] = |_| [ZERO; 3],
        /// Distances at which the fog begins and is thickest, in the units of the world.
        fog_range^: [F32; 2] = |_| [ZERO; 2],
        /// Heights between which there is fog, in the units of the world: low, high.
        fog_altitude^: [F32; 2] = |_| [ZERO; 2],
        /// Thickness of exponential fog: a factor, 0 is none.
        fog_density^: F32 = |_| ZERO,
        /// Left edge of the area: its lowest x in the units of the world, a whole number.
        left: F32,
        /// Bottom edge of the area: its highest z in the units of the world, a whole number. z runs
        /// down from bottom to top.
        bottom: F32,
        /// Width of the area, in the units of the world. Absent while it is `right` − `left`.
        width~: F32 = |w| rule(w.right.get() - w.left.get()),
        /// Depth of the area, in the units of the world. Absent while it is `top` − `bottom`, which
        /// is negative.
        height~: F32 = |w| rule(w.top.get() - w.bottom.get()),
        /// Right edge of the area: its highest x in the units of the world, a whole number.
        right: F32,
        /// Top edge of the area: its lowest z in the units of the world, a whole number.
        top: F32,
        /// The edges with a tolerance of 3: left, bottom, right, top. Absent while they are that.
        [Pm Cs] outer~: [F32; 4] = |w| [
            rule(w.left.get() - 3.0), rule(w.bottom.get() + 3.0), rule(w.right.get() + 3.0), rule(w.top.get() - 3.0),
        ],
        /// The engine's maximum number of features per cell, usually 16.
        max_dec_features^: u32 = |_| 16,
        /// 1 with a virtual partition. Absent for 0 in RC and 1 elsewhere.
        virtual_partition^: u32 = |w| if w.game.itself() == Game::Rc { 0 } else { 1 },
        /// First column of the virtual partition.
        [Mw Pm Cs] x_min^: i32 = |_| 1,
        /// First row of the virtual partition.
        [Mw Pm Cs] z_min^: i32 = |_| 1,
        /// Last column of the virtual partition. Absent while it is `x_count` − `x_min`, or in PM 0
        /// without `virtual_partition`.
        [Mw Pm Cs] x_max~: i32 = |w| upper(w, w.counts(w.game).0, w.x_min.or(1)),
        /// Last row of the virtual partition. Absent while it is `z_count` − `z_min`, or in PM 0
        /// without `virtual_partition`.
        [Mw Pm Cs] z_max~: i32 = |w| upper(w, w.counts(w.game).1, w.z_min.or(1)),
        /// Sides of a cell: x, z. Absent for 256, −256, and in CS for 1024, −1024.
        cell_size~: [F32; 2] = |w| size_rule(w.game),
        /// Half the sides of a cell: x, z. Absent while they are that.
        cell_half~: [F32; 2] = |w| w.sides(w.game).map(|s| rule(s.get() * 0.5)),
        /// 1 divided by the sides of a cell: x, z. Absent while they are that.
        cell_inverse~: [F32; 2] = |w| w.sides(w.game).map(|s| rule(1.0 / s.get())),
        /// Half the diagonal of a cell, negative, by the engine's approximate square root: −192, in
        /// CS −768, where an exact one would give −181 and −724. Absent while it is that.
        cell_diagonal~: F32 = |w| {
            let [x, z] = w.sides(w.game).map(F32::get);
            rule(approx_sqrt(x * x + z * z).get() * -0.5)
        },
        /// How far an object may extend beyond the edge of a cell, in the units of the world: low,
        /// high.
        tolerance~: [F32; 2] = |_| [F32::from(3.0); 2],
        /// Cells in a row. Absent while it follows from the area and the size of a cell.
        x_count~: i32 = |w| w.count_rule(w.game).0,
        /// Rows of cells. Absent while it follows from the area and the size of a cell.
        z_count~: i32 = |w| w.count_rule(w.game).1,
        /// Address of the cells in the process that wrote the file. Absent for 1.
        cells_ptr^: Ptr = |_| PTR,
        /// Unknown; 1.0 in known files.
        ones~: [F32; 3] = |_| [ONE; 3],
        mut light_count: i32,
        /// Address in the process that wrote the file. Absent for 1 with lights and for 0 without.
        light_nodes_ptr^: Ptr = |w| ptr_if(w.light_count != 0),
        /// Address in the process that wrote the file. Absent for 1 with lights and for 0 without.
        light_data_ptr^: Ptr = |w| ptr_if(w.light_count != 0),
        mut sound_count: i32,
        /// Address in the process that wrote the file. Absent for 1 with sounds and for 0 without.
        sound_nodes_ptr^: Ptr = |w| ptr_if(w.sound_count != 0),
        /// Address in the process that wrote the file. Absent for 1 with sounds and for 0 without.
        sound_data_ptr^: Ptr = |w| ptr_if(w.sound_count != 0),
        /// Unknown; 0 in known files.
        field_last~: i32 = |_| 0,
    } below {
        /// The nodes of its lights.
        lights: Vec<Link>,
        /// The nodes of its sounds.
        sounds*: Link,
        /// The cells, row by row from bottom to top, each row from left to right.
        cells: Vec<Cell>,
    }
}

/// A node that extends into a cell: in text the node alone, in PM and CS
/// `[node, lowest y, highest y]`.
#[derive(Clone, PartialEq, Debug)]
pub struct CellNode {
    /// The node.
    pub node: Link,
    /// Its lowest and highest point. PM and CS.
    pub y: Option<[F32; 2]>,
}

impl Encode for CellNode {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let node = r.field("")?;
        let y = if has_heights(r.game) {
            Some(r.field("y")?)
        } else {
            None
        };
        Ok(CellNode { node, y })
    }
    fn write(&self, w: &mut Writer) -> Result<()> {
        w.put(&self.node);
        match (&self.y, has_heights(w.game)) {
            (Some(y), true) => w.put(y),
            (None, false) => {}
            (None, true) => {
                return Err(Error::say(
                    "a node in a cell needs its heights in this game: [node, lowest y, highest y]",
                ));
            }
            (Some(_), false) => {
                return Err(Error::say("a node in a cell has no heights in this game"));
            }
        }
        Ok(())
    }
}

fn has_heights(game: Game) -> bool {
    matches!(game, Game::Pm | Game::Cs)
}

impl Serialize for CellNode {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Some([low, high]) = &self.y else {
            return self.node.serialize(s);
        };
        let mut out = s.serialize_seq(Some(3))?;
        out.serialize_element(&self.node)?;
        out.serialize_element(low)?;
        out.serialize_element(high)?;
        out.end()
    }
}

impl<'de> Deserialize<'de> for CellNode {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        /// A fourth item. Deserializing it fails at once: skipping a value would recurse as deep as
        /// the value does.
        struct TooMany;
        impl<'de> Deserialize<'de> for TooMany {
            fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
                Err(de::Error::custom(
                    "more than three items; a node in a cell is [node, lowest y, highest y]",
                ))
            }
        }
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = CellNode;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node, or [node, lowest y, highest y]")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<CellNode, E> {
                Link::deserialize(v.into_deserializer()).map(|node| CellNode { node, y: None })
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<CellNode, E> {
                Link::deserialize(v.into_deserializer()).map(|node| CellNode { node, y: None })
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<CellNode, E> {
                Link::deserialize(v.into_deserializer()).map(|node| CellNode { node, y: None })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<CellNode, A::Error> {
                let short = |n| de::Error::invalid_length(n, &self);
                let node = seq.next_element()?.ok_or_else(|| short(0))?;
                let low = seq.next_element()?.ok_or_else(|| short(1))?;
                let high = seq.next_element()?.ok_or_else(|| short(2))?;
                seq.next_element::<TooMany>()?;
                Ok(CellNode {
                    node,
                    y: Some([low, high]),
                })
            }
        }
        d.deserialize_any(V)
    }
}

refit_base::schema_form!(CellNode: "CellNode", |generator| {
    let (link, float) = (generator.subschema_for::<Link>(), generator.subschema_for::<F32>());
    json_schema!({ "anyOf": [
        link,
        { "description": "PM and CS: node, lowest y, highest \
            y.", "type": "array", "prefixItems": [link, float, float], "minItems": 3, "maxItems": 3 },
    ] })
});

refit_base::record! {
    /// A cell of the world's grid. Absent fields follow from its position.
    pub struct Cell [Rc 64, Mw 72, Pm 88, Cs 88] {
        /// Flags of the cell; 0x1 marks a changed one.
        flags^: Hex<u32> = |_| Hex(0x100),
        /// Unknown; −1 in known files.
        field04~: i32 = |_| -1,
        mut x: F32,
        mut z: F32,
        /// Lowest x. Absent while it follows from the cell's position.
        min_x~: F32 = |c| c.x,
        /// Lowest y of its contents.
        min_y^: F32 = |_| ZERO,
        /// Lowest z. Absent while it follows from the cell's position.
        min_z~: F32 = |c| rule(c.z.get() - side(c)),
        /// Highest x. Absent while it follows from the cell's position.
        max_x~: F32 = |c| rule(c.x.get() + side(c)),
        /// Highest y of its contents.
        max_y^: F32 = |_| ZERO,
        /// Highest z. Absent while it follows from the cell's position.
        max_z~: F32 = |c| c.z,
        /// Middle in x. Absent while it follows from the cell's position.
        mid_x~: F32 = |c| rule(c.x.get() + side(c) * 0.5),
        /// Middle in y. Absent while it is half of `min_y` + `max_y`.
        mid_y~: F32 = |c| rule((c.max_y.or(ZERO).get() + c.min_y.or(ZERO).get()) * 0.5),
        /// Middle in z. Absent while it follows from the cell's position.
        mid_z~: F32 = |c| rule(c.z.get() - side(c) * 0.5),
        /// Radius of a sphere around the cell, by the engine's approximate square root. Absent
        /// while it follows from the cell's sides and heights.
        radius~: F32 = |c| {
            let h = (f64::from(c.min_y.or(ZERO).get()) - f64::from(c.max_y.or(ZERO).get())) * 0.5;
            let half = f64::from(side(c)) * 0.5;
            let sum = (2.0 * half * half + h * h) as f32;
            rule(approx_sqrt(sum).get())
        },
        /// Unknown; 0 in known files.
        field56~: u16 = |_| 0,
        mut node_count: i16,
        /// Address of the nodes in the process that wrote the file. Absent for 1 with nodes and for
        /// 0 without.
        nodes_ptr^: Ptr = |c| ptr_if(c.node_count != 0),
        /// Unknown; zeros in known files.
        [Mw Pm Cs] field64~: [i32; 2] = |_| [0; 2],
        /// Unknown; zeros in known files.
        [Pm Cs] field72~: [i32; 4] = |_| [0; 4],
    } below {
        /// x and z, if they are not those of its position in the grid.
        corner~: [F32; 2],
        /// The address of its nodes contradicts them in the file, and stays: zero with nodes, or
        /// another one without.
        address_stays!: bool,
        /// Nodes that extend into the cell.
        nodes*: CellNode,
    }
}

/// Side of a cell in metres.
fn side(cell: &RuleInput<'_, Cell>) -> f32 {
    if cell.game == Game::Cs { 1024.0 } else { 256.0 }
}

/// The highest position of a cell in one direction; PM stores 0 if the virtual partition is off.
fn upper(world: &RuleInput<'_, World>, count: i32, first: i32) -> i32 {
    let off = world.virtual_partition.or(1) == 0;
    if off && matches!(world.game, Game::Pm | Game::Cs) {
        0
    } else {
        count.wrapping_sub(first)
    }
}

fn size_rule(game: Game) -> [F32; 2] {
    if game == Game::Cs {
        [F32::from(1024.0), F32::from(-1024.0)]
    } else {
        [F32::from(256.0), F32::from(-256.0)]
    }
}

impl World {
    /// The positions of the nodes in its cells. They are below it, though it does not list them
    /// among its children.
    pub fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.cells
            .iter()
            .flat_map(|cell| &cell.nodes)
            .filter_map(|member| member.node.place())
    }

    fn sides(&self, game: Game) -> [F32; 2] {
        self.cell_size.or(size_rule(game))
    }

    /// Default cell counts for the area. Recoil rounds up, because its engine covers the whole
    /// area; the other games truncate, and no known file contradicts that.
    fn count_rule(&self, game: Game) -> (i32, i32) {
        let [side, _] = size_rule(game).map(|s| s.get() as i32);
        let whole = |from: F32, to: F32| match game.itself() {
            Game::Rc => ((f64::from(to.get()) - f64::from(from.get())) / f64::from(side.max(1)))
                .ceil() as i32,
            _ => (to.get() as i32)
                .wrapping_sub(from.get() as i32)
                .wrapping_div(side.max(1)),
        };
        (whole(self.left, self.right), whole(self.top, self.bottom))
    }

    /// The stored cell counts, x and z, which determine the layout of the grid.
    pub fn counts(&self, game: Game) -> (i32, i32) {
        let (x, z) = self.count_rule(game);
        (self.x_count.or(x), self.z_count.or(z))
    }

    /// The corner of a cell.
    fn corner(&self, i: usize, x_count: usize, game: Game) -> [F32; 2] {
        let (row, column) = (
            i.checked_div(x_count).unwrap_or(0),
            i.checked_rem(x_count).unwrap_or(0),
        );
        let [size, _] = size_rule(game).map(|s| f64::from(s.get()));
        let at = |from: F32, step: f64| rule((f64::from(from.get()) + step) as f32);
        [
            at(self.left, size * column as f64),
            at(self.bottom, -size * row as f64),
        ]
    }

    pub(super) fn load(r: &mut Reader<'_>) -> Result<Self> {
        let mut world = World::read(r)?;
        world.lights = r.plains(count(world.light_count, r)?, "lights")?;
        world.sounds = r.plains(count(world.sound_count, r)?, "sounds")?;
        let (x, z) = world.counts(r.game);
        let cells = count(x, r)
            .and_then(|x| Ok(x.saturating_mul(count(z, r)?)))
            .map_err(|e| e.within("cells"))?;
        if cells.saturating_mul(Cell::size(r.game) as u64) > r.left() as u64 {
            return Err(r
                .error(format!(
                    "a grid of {x} × {z} cells, but only {} bytes are left",
                    r.left()
                ))
                .within("cells"));
        }
        let one = |r: &mut Reader<'_>, i: usize| {
            let mut cell = Cell::read(r)?;
            let n = count(cell.node_count, r)?;
            cell.nodes = r.list(n as usize, "nodes")?;
            cell.address_stays = contradicts(&cell.nodes_ptr, n != 0);
            cell.corner = Derived::of([cell.x, cell.z], world.corner(i, x as usize, r.game));
            Ok(cell)
        };
        world.cells = r.within("cells", |r| {
            (0..cells as usize)
                .map(|i| r.item(i, |r| one(r, i)))
                .collect::<Result<_>>()
        })?;
        Ok(world)
    }

    pub(super) fn save(&self, w: &mut Writer) -> Result<()> {
        let (x, z) = self.counts(w.game);
        let cells = i64::from(x) * i64::from(z);
        if x < 0 || z < 0 || cells != self.cells.len() as i64 {
            return Err(Error::say(format!(
                "{} cells, but the area has {x} × {z}",
                self.cells.len()
            ))
            .hint("a larger area needs more cells, row by row")
            .within("cells"));
        }
        let mut record = self.bare();
        record.light_count = fit(self.lights.len(), "the number of lights")?;
        record.sound_count = fit(self.sounds.len(), "the number of sounds")?;
        record.write(w)?;
        w.plains(&self.lights);
        w.plains(&self.sounds);
        for (i, cell) in self.cells.iter().enumerate() {
            let step = |e: Error| e.within(format!("[{i}]")).within("cells");
            let mut record = cell.bare();
            [record.x, record.z] = cell.corner.or(self.corner(i, x as usize, w.game));
            if !cell.address_stays {
                follow(&mut record.nodes_ptr, !cell.nodes.is_empty());
            }
            record.node_count = fit(cell.nodes.len(), "the number of nodes").map_err(step)?;
            record.write(w).map_err(step)?;
            w.list(&cell.nodes, "nodes").map_err(step)?;
        }
        Ok(())
    }
}
