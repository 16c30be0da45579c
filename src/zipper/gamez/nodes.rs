//! Node records with the data of their class, and the lists that connect them (FORMAT.md).

use super::{
    classes::{Camera, Display, Light, Lod, Object3d, Sound, Window, ZERO},
    models::{Model, Note},
    types::{Link, PTR, Ptr, Structure, contradicts, follow, ptr_if},
    world::World,
};
use refit_base::{
    game::Game,
    wire::{
        Defaulted, Derived, Encode, Error, F32, Filler, Hex, InGame, Plain, Reader, Result, Text,
        Vec3, Within, Writer, fit,
    },
};
use serde::{Deserialize, Serialize};

/// The filler left over from `Default_node_name` (src/zipper/anim/FORMAT.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeFiller;
impl Filler for NodeFiller {
    const FILL: &'static [u8] = b"Default_node_name";
}

refit_base::flags! {
    /// Properties and behaviour of a node, in the words of the engine's scripts if they have one.
    ///
    /// `ALTITUDE_SURFACE`: can be stood on. `INTERSECT_SURFACE`: rays hit its polygons, with
    /// `INTERSECT_BBOX` its box. `LANDMARK`: the far plane does not cut it. The three boxes say
    /// which of the node's boxes are valid. `FLUFF`: foliage (CS). `CAN_MODIFY`: craters may form;
    /// `CLIP_TO`: no crater may reach into it. `SINGLE_PARENT`: it and all nodes above it have one
    /// parent, so its position in the world may be cached. `OVERWRITE`: the alpha of vertices
    /// (script `NodeSetOverwrite`). `ZONE_GATE`: only used by probes of altitude.
    pub struct NodeFlags: u32 {
        ACTIVE = 0x4 "ACTIVE", ALTITUDE_SURFACE = 0x8 "ALTITUDE_SURFACE", INTERSECT_SURFACE = 0x10 "INTERSECT_SURFACE",
        INTERSECT_BBOX = 0x20 "INTERSECT_BBOX", PROXIMITY = 0x40 "PROXIMITY", LANDMARK = 0x80 "LANDMARK",
        NODE_BBOX = 0x100 "NODE_BBOX", MODEL_BBOX = 0x200 "MODEL_BBOX", CHILD_BBOX = 0x400 "CHILD_BBOX",
            FLUFF = 0x1000 "FLUFF",
        TERRAIN = 0x8000 "TERRAIN", CAN_MODIFY = 0x10000 "CAN_MODIFY", CLIP_TO = 0x20000 "CLIP_TO",
            SINGLE_PARENT = 0x80000 "SINGLE_PARENT",
        OVERWRITE = 0x800000 "OVERWRITE", ZONE_GATE = 0x1000000 "ZONE_GATE", UNK25 = 0x2000000 "UNK25",
            UNK28 = 0x10000000 "UNK28",
    }
}

refit_base::open_enum! {
    /// Which of its boxes a node uses.
    pub enum ActiveBox: u32 { Node = 0 "NODE", Model = 1 "MODEL", Child = 2 "CHILD" }
}

/// Declares the classes of nodes: the number, the name in trees, and the functions that read and
/// write the data.
macro_rules! classes {
    ($($(#[$doc:meta])* $class:ident = $number:literal $kind:literal $load:ident $save:ident,)+) => {
        /// The class of a node, and the data of the class.
        #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum Data {
            /// Class 0: a released record.
            #[default]
            Empty,
            $($(#[$doc])* $class(Box<$class>),)+
        }

        impl Data {
            /// The number of the class.
            pub fn class(&self) -> u32 {
                match self { Data::Empty => 0, $(Data::$class(_) => $number,)+ }
            }

            /// The name of the class, as in trees.
            pub fn kind(&self) -> &'static str {
                match self { Data::Empty => "empty", $(Data::$class(_) => $kind,)+ }
            }

            fn load(class: u32, r: &mut Reader<'_>) -> Result<Self> {
                let sound = class == 10;
                match class {
                    // The data size of a released Crimson Skies record is unknown: no known file
                    // has one.
                    0 if r.game != Game::Cs => Ok(Data::Empty),
                    $($number if !sound || r.game.itself() == Game::Rc => {
                        r.within($kind, $class::$load).map(Box::new).map(Data::$class)
                    })+
                    _ => Err(r.error(format!("a node of class {class}: no data of known size")).within("class")),
                }
            }

            fn save(&self, w: &mut Writer) -> Result<()> {
                match self {
                    Data::Empty if w.game == Game::Cs => {
                        Err(Error::say("Crimson Skies has no node without a class").hint("give the node its `data`"))
                    }
                    Data::Empty => Ok(()),
                    $(Data::$class(data) => data.$save(w).map_err(|e| e.within($kind)),)+
                }
                .map_err(|e| e.within("data"))
            }
        }
    };
}

classes! {
    /// A camera: class 1.
    Camera = 1 "camera" read write,
    /// A world: class 2.
    World = 2 "world" load save,
    /// A window of the display: class 3.
    Window = 3 "window" read write,
    /// The display: class 4.
    Display = 4 "display" read write,
    /// An object: class 5.
    Object3d = 5 "object3d" read write,
    /// A level of detail: class 6.
    Lod = 6 "lod" read write,
    /// A light: class 9.
    Light = 9 "light" load save,
    /// A sound: class 10, RC only.
    Sound = 10 "sound" load save,
}

impl Data {
    /// True for class 0.
    pub fn is_empty(&self) -> bool {
        matches!(self, Data::Empty)
    }
}

refit_base::record! {
    /// A node: an object in the world, and its children.
    pub struct Node [Rc 192, RcDemo 264, Mw 208, Pm 208, Cs 208] above {
        /// Its position and its parents. Ignored by repack.
        note!: Note,
        /// Mechlib: 0 for the root, 1 for its children, and so on: a node's children follow it.
        depth?: u32,
        /// The cell of the world that contains it: set while a file is read or written.
        mut cell: Option<[i32; 2]>,
    } {
        /// The name, up to 35 characters. Names may repeat.
        name: Text<36, NodeFiller>,
        /// Its properties and behaviour, and which of its boxes are used.
        flags: NodeFlags,
        /// Unknown.
        [Rc RcDemo Mw Pm] field040^: Hex<u32> = |_| Hex(0),
        /// Its owner in each mission, and whether a mission counts it as a structure.
        [Cs] structure^: Structure = |_| Structure(0),
        /// What the engine must recompute: 1 the model's box, 2 the children's box, 4 the sphere.
        /// Nodes of Recoil with a box have 4.
        update_flags^: Hex<u32> = |n| Hex(if n.game.itself() == Game::Rc && n.is_stale_sphere() { 4 } else { 0 })
            absent "if it follows from the rest",
        /// 255: always.
        zone^: u32 = |_| 255,
        mut class: u32,
        /// Address of its data in the process that wrote the file; in CS the offset of its data in
        /// the file. Absent while it is regular.
        data_ptr^: Ptr = |n| ptr_if(n.class != 0),
        /// Position of its model; −1 for none. Mechlib: an address, if it is odd.
        model^: Link = |_| Link::to(-1),
        /// Address of the running game.
        environment_ptr~: Ptr = |_| Hex(0),
        /// The callback that runs it, 0 to 5. Absent for 1, and for 0 in a record without a name.
        action_priority~: u32 = |n| if n.is_unnamed() { 0 } else { 1 },
        /// Address of the running game.
        action_callback~: Ptr = |_| Hex(0),
        /// The cell that it belongs to: x, z. Absent if it is the world's cell that contains the
        /// node; −1, −1 for none.
        [Rc RcDemo Mw] area_partition^: [i32; 2] = |n| n.partition_rule(),
        /// The cell that it belongs to, and the virtual one: x, z, x, z.
        [Pm Cs] partitions^: [i16; 4] = |n| if n.is_unnamed() { [0; 4] } else { [-1, -1, 0, 0] }
            absent "if it follows from the rest",
        [Rc RcDemo Mw] mut parent_count: i32,
        [Pm Cs] mut counts: [i16; 2],
        /// Address of its parents in the process that wrote the file. Absent for 1 with parents and
        /// for 0 without.
        parents_ptr^: Ptr = |n| ptr_if(n.counts().0 != 0),
        [Rc RcDemo Mw] mut child_count: i32,
        /// Address of its children in the process that wrote the file. Absent for 1 with children
        /// and for 0 without.
        children_ptr^: Ptr = |n| ptr_if(n.counts().1 != 0),
        /// Unknown; zeros in known files.
        bbox_mid~: Vec3 = |_| [ZERO; 3],
        /// Unknown; zero in known files.
        bbox_diag~: F32 = |_| ZERO,
        /// Which of its boxes is used.
        [Pm Cs] active_bbox^: ActiveBox = |_| ActiveBox::Node,
        /// Boxes: lowest x, y, z, then highest. Valid with the flags NODE_BBOX, MODEL_BBOX,
        /// CHILD_BBOX.
        [Rc Mw Pm Cs] node_bbox^: [F32; 6] = |_| [ZERO; 6],
        /// Demos of Recoil: the eight corners of the node's box.
        [RcDemo] node_corners^: [Vec3; 8] = |_| [[ZERO; 3]; 8],
        /// The box of its model: lowest x, y, z, then highest. Used with the flag MODEL_BBOX.
        model_bbox^: [F32; 6] = |_| [ZERO; 6],
        /// The box of its children: lowest x, y, z, then highest. Used with the flag CHILD_BBOX.
        child_bbox^: [F32; 6] = |_| [ZERO; 6],
        /// Address of the running game.
        activation_ptr~: Ptr = |_| Hex(0),
        /// Unknown; 0 in known files.
        [Mw Pm Cs] field192~: i32 = |_| 0,
        /// Unknown. Absent for 160 in objects and levels of detail (in MW also in released
        /// records), and for 0 in others.
        [Mw Pm Cs] field196~: i32 = |n| match n.class {
            5 | 6 => 160,
            0 if n.game == Game::Mw && !n.is_unnamed() => 160,
            _ => 0,
        },
        /// Unknown; zeros in known files.
        [Mw Pm Cs] field200~: [i32; 2] = |_| [0; 2],
    } below {
        /// The class and its data. A released record has none.
        data!: Data,
        /// Children, in order.
        children*: Link,
        /// Parents, if they are not the nodes that have it as a child and, for a node in a cell of
        /// the world, the world.
        parents^: Vec<Link>,
        /// The world that has it in a cell comes before its other parents, not after them.
        world_first!: bool,
        /// The addresses of its lists contradict them in the file, and stay: zero for a list that
        /// is not empty, or another one for an empty list.
        addresses_stay!: bool,
        /// The word after the record. RC, MW: the position of its data, or the next free record;
        /// PM, CS: an index word.
        link^: Hex<u32>,
        /// Mechlib: its number of parents, if that is not 0 for the root and 1 for the others.
        parents_counted~: i32,
        /// Mechlib: its model.
        mesh?: Box<Model>,
    }
}

impl Node {
    /// The node that a value of a document describes. Here, so that its parser is compiled once.
    ///
    /// # Errors
    /// If the value does not fit.
    pub fn of_value(value: &serde_json::Value) -> Result<Self> {
        refit_base::tree::text::from_value(value)
    }

    /// The numbers of parents and children according to the record.
    pub(super) fn counts(&self) -> (i32, i32) {
        match self.counts.0 {
            Some([parents, children]) => (parents.into(), children.into()),
            None => (
                self.parent_count.0.unwrap_or_default(),
                self.child_count.0.unwrap_or_default(),
            ),
        }
    }

    fn set_counts(&mut self, parents: i32, children: i32, game: Game) -> Result<()> {
        match game {
            Game::Rc | Game::RcDemo | Game::Mw => {
                self.parent_count = InGame(Some(parents));
                self.child_count = InGame(Some(children));
            }
            Game::Pm | Game::Cs => {
                let small =
                    |n: i32, what: &str| fit::<i16>(usize::try_from(n).unwrap_or(usize::MAX), what);
                let signed = |n: i32, what: &str| if n < 0 { Ok(n as i16) } else { small(n, what) };
                self.counts = InGame(Some([
                    signed(parents, "the number of parents")?,
                    signed(children, "the number of children")?,
                ]));
            }
        }
        Ok(())
    }

    /// True for a record whose 36 bytes of name are all zero: never used, or released and cleared.
    pub(super) fn is_unnamed(&self) -> bool {
        self.class == 0 && self.name == Text::from_raw([0; 36])
    }

    /// True for a node with a box. In all shipped worlds of Recoil the engine still has to compute
    /// the sphere of such a node.
    fn is_stale_sphere(&self) -> bool {
        matches!(self.class, 0 | 5 | 6) && self.flags.has(NodeFlags::NODE_BBOX)
    }

    pub(super) fn partition_rule(&self) -> [i32; 2] {
        match self.cell {
            Some(cell) => cell,
            None if self.is_unnamed() => [0, 0],
            None => [-1, -1],
        }
    }

    /// Records the cell of the world that contains the node, and drops a stored value that equals
    /// it.
    pub(super) fn settle_cell(&mut self, cell: Option<[i32; 2]>) {
        // PM and CS count parents elsewhere; their field for the cell is not fully understood.
        if cell.is_none() || self.parent_count.0.is_none() {
            return;
        }
        let stored = self.area_partition.or(self.partition_rule());
        self.cell = cell;
        self.area_partition = Defaulted::of(stored, self.partition_rule());
    }

    /// Reads what follows a world's node record: the data of its class and its two lists.
    pub(super) fn load_rest(&mut self, r: &mut Reader<'_>) -> Result<()> {
        self.data = r.within("data", |r| Data::load(self.class, r))?;
        let (parents, children) = self.counts();
        let list = |r: &mut Reader<'_>, n: i32, name: &str| {
            r.plains(
                super::classes::count(n, r).map_err(|e| e.within(name.to_owned()))?,
                name,
            )
        };
        self.parents = Defaulted(Some(list(r, parents, "parents")?));
        self.children = list(r, children, "children")?;
        self.addresses_stay = contradicts(&self.parents_ptr, parents != 0)
            || contradicts(&self.children_ptr, children != 0);
        Ok(())
    }

    /// Writes the record of a world's node. `parents` is the number of its parents, `at` the
    /// position of its data.
    pub(super) fn save_record(
        &self,
        w: &mut Writer,
        parents: usize,
        cell: Option<[i32; 2]>,
        at: u32,
    ) -> Result<()> {
        if self.depth.is_some() || self.mesh.is_some() || !self.parents_counted.is_none() {
            return Err(Error::say(
                "`depth`, `mesh` and `parents_counted` belong to the nodes of a mechlib",
            ));
        }
        let mut record = self.bare();
        record.cell = cell;
        record.class = self.data.class();
        if !self.addresses_stay {
            follow(&mut record.parents_ptr, parents > 0);
            follow(&mut record.children_ptr, !self.children.is_empty());
        }
        record.set_counts(
            fit(parents, "the number of parents")?,
            fit(self.children.len(), "the number of children")?,
            w.game,
        )?;
        if w.game == Game::Cs && record.data_ptr.is_none() {
            record.data_ptr = Defaulted(Some(Hex(at)));
        }
        record.write(w)
    }

    /// Writes what [`Node::load_rest`] reads.
    pub(super) fn save_rest(&self, w: &mut Writer, parents: &[Link]) -> Result<()> {
        self.data.save(w)?;
        w.plains(parents);
        w.plains(&self.children);
        Ok(())
    }

    /// The name, decoded.
    pub fn title(&self) -> String {
        self.name.text().into_owned()
    }

    fn has_mesh(&self, address: i32) -> bool {
        self.class == 5 && address != 0
    }

    /// True if the bytes can be the start of a mechlib's tree: a whole record of a known class.
    pub(crate) fn looks_like_tree(bytes: &[u8], game: Game) -> bool {
        bytes.len() >= Node::size(game) && matches!(Node::peek_class(bytes, game), 0..=6 | 9)
    }

    /// Reads a node of a mechlib's tree with its model. Also returns the number of its children,
    /// which follow.
    fn load_branch(r: &mut Reader<'_>, depth: u32) -> Result<(Node, u64)> {
        let mut node = Node::read(r)?;
        node.depth = Some(depth);
        node.data = Data::load(node.class, r)?;
        let (parents, children) = node.counts();
        node.parents_counted = Derived::of(parents, i32::from(depth > 0));
        let address = node.model.or(Link::to(-1)).index;
        if node.has_mesh(address) {
            node.mesh = Some(Box::new(r.within("mesh", |r| {
                let mut model = Model::load_head(r)?;
                model.load_data(r, &MESH)?;
                Ok(model)
            })?));
        }
        let usual = if node.mesh.is_some() { PTR.0 as i32 } else { 0 };
        node.model = Defaulted::of(Link::address(address as u32), Link::to(usual));
        let children = super::classes::count(children, r).map_err(|e| e.within("children"))?;
        Ok((node, children))
    }

    /// Reads the nodes of a mechlib's tree, depth first (FORMAT.md). Not recursive: trees may be
    /// deep.
    pub(crate) fn load_tree(r: &mut Reader<'_>) -> Result<Vec<Node>> {
        let mut nodes: Vec<Node> = Vec::new();
        // The number of children yet to come at each open level.
        let mut open: Vec<u64> = vec![1];
        while let Some(left) = open.last_mut() {
            if *left == 0 {
                open.pop();
                continue;
            }
            *left -= 1;
            let i = nodes.len();
            let depth = open.len() as u32 - 1;
            let (node, children) =
                r.within("nodes", |r| r.item(i, |r| Node::load_branch(r, depth)))?;
            open.push(children);
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// Writes what [`Node::load_tree`] reads.
    pub(crate) fn save_tree(nodes: &[Node], w: &mut Writer) -> Result<()> {
        // The children of a node are the following nodes one level deeper, up to the next node at
        // its own level or above.
        let mut children = vec![0usize; nodes.len()];
        let mut above: Vec<usize> = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            let step = |e: Error| e.within("depth").within(format!("[{i}]")).within("nodes");
            let depth = node
                .depth
                .ok_or_else(|| step(Error::say("a node of a mechlib needs its `depth`")))?
                as usize;
            if depth > above.len() || (depth == 0) != (i == 0) {
                let (least, most) = (i32::from(i > 0), above.len());
                return Err(step(Error::say(format!(
                    "{depth} (expected {least} to {most})"
                ))));
            }
            above.truncate(depth);
            if let Some(count) = above.last().and_then(|p| children.get_mut(*p)) {
                *count += 1;
            }
            above.push(i);
        }
        if nodes.is_empty() {
            return Err(Error::say("a tree has at least its root").within("nodes"));
        }
        for (i, (node, children)) in nodes.iter().zip(children).enumerate() {
            let step = |e: Error| e.within(format!("[{i}]")).within("nodes");
            node.save_branch(children, w).map_err(step)?;
        }
        Ok(())
    }

    fn save_branch(&self, children: usize, w: &mut Writer) -> Result<()> {
        if !self.children.is_empty() || !self.parents.is_none() || !self.link.is_none() {
            return Err(Error::say(
                "nodes of a mechlib use `depth`: remove `children`, `parents` and `link`",
            ));
        }
        let depth = self.depth.unwrap_or_default();
        let mut record = self.bare();
        record.class = self.data.class();
        record.set_counts(
            self.parents_counted.or(i32::from(depth > 0)),
            fit(children, "the number of children")?,
            w.game,
        )?;
        let address = self
            .model
            .or(Link::to(if self.mesh.is_some() { PTR.0 as i32 } else { 0 }))
            .index;
        match (record.has_mesh(address), &self.mesh) {
            (true, None) => {
                return Err(Error::say("a model address without a model")
                    .hint("remove `model`")
                    .within("model"));
            }
            (false, Some(_)) if record.class != 5 => {
                return Err(Error::say("only an object3d has a model").within("mesh"));
            }
            (false, Some(_)) => {
                return Err(Error::say("a model needs an address that is not 0")
                    .hint("remove `model`")
                    .within("model"));
            }
            _ => {}
        }
        record.model = Defaulted(Some(Link::to(address)));
        record.write(w)?;
        self.data.save(w)?;
        if let Some(model) = &self.mesh {
            if !model.link.is_none() {
                return Err(Error::say("`link` belongs to the models of a world").within("mesh"));
            }
            let data = model.save(w, &MESH).map_err(|e| e.within("mesh"))?;
            w.raw(&data);
        }
        Ok(())
    }
}

/// The context of a mechlib's models: each is used once, and no material counts as cycled.
const MESH: super::models::Surroundings<'static> = super::models::Surroundings {
    cycled: &[],
    mechlib: true,
    uses: 1,
};

/// The bytes of a regular unused record: all zero except `model`, which is −1.
pub(super) fn unused(game: Game) -> Vec<u8> {
    let mut bytes = vec![0; Node::size(game)];
    (-1i32).put(bytes.within_mut(Node::place_model(game)));
    bytes
}

/// A part of the nodes, in file order: one file of a tree.
#[derive(Clone, PartialEq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nodes {
    /// The nodes. Other nodes refer to their positions, counted over all files of this kind. `null`
    /// is an unused record.
    pub nodes: Vec<Option<Node>>,
}
refit_base::document!(Nodes, "gamez-nodes");

/// The end of the free list of node records: all ones in the 24 bits that the engine looks at.
pub(super) const FREE_END: u32 = 0x00FF_FFFF;

/// The default for the word that follows a record, derived from the rest of the file (FORMAT.md).
pub(super) fn link_rule(i: usize, slots: usize, class: u32, at: u32, game: Game) -> Hex<u32> {
    let next = (i as u32).wrapping_add(1);
    Hex(match game {
        Game::Pm | Game::Cs => 0x0200_0000 | next,
        _ if class != 0 => at,
        _ if i + 1 < slots => next,
        _ => FREE_END,
    })
}

/// Parents and cells of all nodes, derived from the children lists and the world's cells.
///
/// A node in a cell of the world names the world as its parent, after all nodes that list it as a
/// child, but the world does not list it as a child. Recoil's engine adds nodes this way, and its
/// worlds show it; in Crimson Skies an equal number of nodes name a parent that does not list them.
pub(super) struct Kin {
    /// The nodes that list each node as a child.
    owners: Vec<Vec<Link>>,
    /// The world that has each node in a cell, and the first such cell: x, z.
    holders: Vec<Option<(Link, [i32; 2])>>,
    /// Nodes in a cell name the world as a parent.
    pub(super) world_is_parent: bool,
}

impl Kin {
    pub(super) fn of(nodes: &[Option<Node>], world_is_parent: bool, game: Game) -> Self {
        let mut owners: Vec<Vec<Link>> = vec![Vec::new(); nodes.len()];
        let mut holders = vec![None; nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            for child in &node.children {
                if let Some(list) = child.place().and_then(|c| owners.get_mut(c)) {
                    list.push(Link::to(i as i32));
                }
            }
            let Data::World(world) = &node.data else {
                continue;
            };
            let columns = usize::try_from(world.counts(game).0).unwrap_or(0).max(1);
            for (at, cell) in world.cells.iter().enumerate() {
                for member in &cell.nodes {
                    if let Some(slot @ None) = member.node.place().and_then(|m| holders.get_mut(m))
                    {
                        *slot = Some((
                            Link::to(i as i32),
                            [(at % columns) as i32, (at / columns) as i32],
                        ));
                    }
                }
            }
        }
        Kin {
            owners,
            holders,
            world_is_parent,
        }
    }

    /// The cell of a node; always `None` in worlds that do not follow the rule.
    pub(super) fn cell(&self, i: usize) -> Option<[i32; 2]> {
        self.holders
            .get(i)?
            .as_ref()
            .filter(|_| self.world_is_parent)
            .map(|(_, cell)| *cell)
    }

    /// The parents of a node, derived.
    pub(super) fn parents(&self, i: usize, world_first: bool) -> impl Iterator<Item = &Link> {
        let owners = self.owners.get(i).map_or(&[][..], Vec::as_slice);
        let holder = self
            .holders
            .get(i)
            .and_then(Option::as_ref)
            .filter(|_| self.world_is_parent);
        let world = holder
            .map(|(world, _)| world)
            .filter(|world| !owners.contains(world));
        let (before, after) = if world_first {
            (world, None)
        } else {
            (None, world)
        };
        before.into_iter().chain(owners).chain(after)
    }

    /// True if a node has parents, stored or derived.
    pub(super) fn has_parents(&self, i: usize, node: &Node) -> bool {
        match &node.parents.0 {
            Some(stored) => !stored.is_empty(),
            None => self.parents(i, node.world_first).next().is_some(),
        }
    }

    /// Drops those values of a node just read that follow from the others.
    pub(super) fn settle(&self, i: usize, node: &mut Node) {
        node.settle_cell(self.cell(i));
        let Some(stored) = &node.parents.0 else {
            return;
        };
        if self.parents(i, false).eq(stored) {
            node.parents = Defaulted(None);
        } else if self.parents(i, true).eq(stored) {
            (node.parents, node.world_first) = (Defaulted(None), true);
        }
    }

    /// How many nodes have other parents than the derived ones.
    pub(super) fn misfits(&self, nodes: &[Option<Node>]) -> usize {
        let fits = |i: usize, stored: &[Link]| {
            self.parents(i, false).eq(stored) || self.parents(i, true).eq(stored)
        };
        let stored = nodes
            .iter()
            .enumerate()
            .filter_map(|(i, n)| Some((i, n.as_ref()?.parents.0.as_ref()?)));
        stored.filter(|(i, stored)| !fits(*i, stored)).count()
    }
}
