//! Worlds and animations of Recoil.

use super::{NONE, Out, root};

/// A node of Recoil (src/zipper/gamez/FORMAT.md).
struct Node {
    name: String,
    flags: u32,
    class: u32,
    model: u32,
    cell: Option<(u32, u32)>,
    parents: Vec<u32>,
    children: Vec<u32>,
    /// Boxes: node, model, children.
    boxes: [[f32; 6]; 3],
    data: Vec<u8>,
}

const ACTIVE: u32 = 0x4;
const SURFACES: u32 = 0x18;
const NODE_BOX: u32 = 0x100;
const MODEL_BOX: u32 = 0x200;
const CHILD_BOX: u32 = 0x400;
const CAN_MODIFY: u32 = 0x1_0000;
const SINGLE_PARENT: u32 = 0x8_0000;
const ZONE_GATE: u32 = 0x100_0000;

/// An object at a position, or at its parent's.
fn object(translation: [f32; 3]) -> Vec<u8> {
    let mut out = Out::default();
    let still = translation == [0.0; 3];
    out.word(if still { 0x28 } else { 0x20 })
        .zeros(20)
        .zeros(12)
        .floats(&[1.0; 3]);
    // When the engine computes the matrix, it stores the negative sine of an angle of 0, which is
    // -0.0.
    let sine = if still { 0.0 } else { -0.0 };
    out.floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, sine, 1.0])
        .floats(&translation)
        .zeros(48);
    out.0
}

const TEXTURES: u32 = 12;
/// Slots of nodes, models and materials, as in every shipped world.
const POOLS: [usize; 3] = [16_000, 6_000, 5_000];
/// Slots of a small world: room for what the game creates, and no more than a golden file needs.
const SMALL: [usize; 3] = [128, 48, 24];
/// The grid of cells, and their side.
const COLUMNS: u32 = 4;
const ROWS: u32 = 3;
const SIDE: f32 = 256.0;

/// A Recoil world like [`recoil_world`] from which things were released before it was written, as
/// in mission 6: their records keep their names, and the one released last is the head of the free
/// list.
pub fn recoil_world_with_freed() -> Vec<u8> {
    World::new(24, POOLS).save()
}

/// A small Recoil world that its engine loads, with what shipped ones have: cells, levels of
/// detail, a light, point lights, texture cycles, and `freed` released records.
pub fn small_recoil_world(freed: usize) -> Vec<u8> {
    let mut world = World::new(freed, SMALL);
    world.is_rich = true;
    world.save()
}

/// A world of Recoil: 4 × 3 cells with a tile each, buildings with two levels of detail, a sky
/// outside of the cells, and the array sizes of every shipped world.
pub fn recoil_world() -> Vec<u8> {
    World::new(0, POOLS).save()
}

/// A node in no cell, without a model, boxes and neighbours.
fn node(name: &str, flags: u32, class: u32) -> Node {
    Node {
        name: name.to_owned(),
        flags,
        class,
        model: NONE,
        cell: None,
        parents: vec![],
        children: vec![],
        boxes: [[0.0; 6]; 3],
        data: vec![],
    }
}

/// The nodes that every world has after its root.
fn fixed() -> [Node; 4] {
    const FLAGS: u32 = 0x0108_001C;
    let box_of_light = [1.0, 1.0, -2.0, 2.0, 2.0, -1.0];
    let mut display = Out::default();
    display
        .words(&[0, 0, 640, 480])
        .floats(&[0.392, 0.392, 1.0]);
    [
        Node {
            data: window(),
            ..node("window1", FLAGS, 3)
        },
        Node {
            data: camera(),
            ..node("camera1", FLAGS, 1)
        },
        Node {
            data: display.0,
            ..node("display", FLAGS, 4)
        },
        Node {
            data: light(),
            boxes: [box_of_light, [0.0; 6], [0.0; 6]],
            ..node("sunlight", FLAGS | NODE_BOX, 9)
        },
    ]
}

fn window() -> Vec<u8> {
    let mut window = Out::default();
    window
        .words(&[0, 0, 640, 480])
        .zeros(208)
        .words(&[0, NONE, 0, 0, 0, 0]);
    window.0
}

fn camera() -> Vec<u8> {
    let mut camera = Out::default();
    let (wide, high) = (1.256_637_1f32, std::f32::consts::FRAC_PI_4);
    let cot = |angle: f32| (1.0 / f64::from(angle).tan()) as f32;
    camera
        .words(&[0, 1, NONE, NONE, 0])
        .zeros(156)
        .floats(&[1.0, 5000.0])
        .zeros(24)
        .floats(&[1.0, 1.0, 1.0, 1.0, wide, high, wide, high]);
    camera
        .floats(&[wide * 0.5, high * 0.5])
        .word(1)
        .zeros(60)
        .word(1)
        .zeros(72)
        .word(1)
        .zeros(72)
        .word(0);
    camera
        .floats(&[cot(wide * 0.5), cot(high * 0.5)])
        .words(&[0, 0, 0xFFFF_FF00]);
    camera.0
}

fn light() -> Vec<u8> {
    let mut light = Out::default();
    light
        .words(&[1, 1])
        .floats(&[-0.5, 0.7, 0.0])
        .zeros(36)
        .zeros(48)
        .zeros(36)
        .floats(&[0.0, 1.0, 0.0])
        .zeros(12);
    light
        .floats(&[0.7, 0.3, 1.0, 1.0, 0.9])
        .words(&[1, 1, 0, 0, 1])
        .floats(&[1.0, 5000.0, 25_000_000.0, 1.0 / 4999.0])
        .words(&[1, 0x0312_4450, 0]);
    light.0
}

/// A level of detail: its number, and from which distance to which it is drawn, the first and the
/// last squared.
fn lod(level: u32, distances: [f32; 3]) -> Vec<u8> {
    let mut lod = Out::default();
    lod.word(level)
        .floats(&distances)
        .zeros(52)
        .word(1)
        .words(&[0, 0]);
    lod.0
}

struct World {
    nodes: Vec<Node>,
    /// The nodes of each cell.
    cells: Vec<Vec<u32>>,
    /// How often each model is used, and its box.
    models: Vec<(u32, [f32; 6])>,
    /// Nodes that were not released.
    live: usize,
    /// Slots of nodes, models and materials.
    pools: [usize; 3],
    /// True if materials have texture cycles, and the sky has point lights.
    is_rich: bool,
}

impl World {
    fn new(freed: usize, pools: [usize; 3]) -> Self {
        let root = node("world1", ACTIVE | SURFACES | SINGLE_PARENT | ZONE_GATE, 2);
        let nodes = std::iter::once(root).chain(fixed()).collect();
        let mut world = World {
            nodes,
            cells: vec![Vec::new(); (COLUMNS * ROWS) as usize],
            models: Vec::new(),
            live: 0,
            pools,
            is_rich: false,
        };
        (0..COLUMNS * ROWS).for_each(|cell| world.add_tile(cell));
        (0..COLUMNS * ROWS).for_each(|cell| world.add_building(cell));
        world.add_sky();
        world.live = world.nodes.len();
        for i in 0..freed {
            let name = ["g219", "street", "hole01", "phone.flt", "db"][i % 5];
            world
                .nodes
                .push(node(name, ACTIVE | SURFACES | SINGLE_PARENT | ZONE_GATE, 0));
        }
        world
    }

    fn add_model(&mut self, bounds: [f32; 6]) -> u32 {
        self.models.push((1, bounds));
        self.models.len() as u32 - 1
    }

    fn add_tile(&mut self, cell: u32) {
        let (column, row) = (cell % COLUMNS, cell / COLUMNS);
        let (x, z) = (column as f32 * SIDE, (ROWS - row) as f32 * SIDE);
        let bounds = [x, 0.0, z - SIDE, x + SIDE, 12.0, z];
        let flags =
            ACTIVE | SURFACES | NODE_BOX | MODEL_BOX | CAN_MODIFY | SINGLE_PARENT | ZONE_GATE;
        self.cells[cell as usize].push(self.nodes.len() as u32);
        let model = self.add_model(bounds);
        self.nodes.push(Node {
            model,
            cell: Some((column, row)),
            parents: vec![0],
            boxes: [bounds, bounds, [0.0; 6]],
            data: object([0.0; 3]),
            ..node(&format!("g{column}{row:02}"), flags, 5)
        });
    }

    /// A building with two levels of detail: the node in the cell, the levels, and an object for
    /// each.
    fn add_building(&mut self, cell: u32) {
        let (column, row) = (cell % COLUMNS, cell / COLUMNS);
        let (x, z) = (
            column as f32 * SIDE + 100.0,
            (ROWS - row) as f32 * SIDE - 100.0,
        );
        let bounds = [-2.0, 0.0, -2.0, 2.0, 8.0, 2.0];
        let first = self.nodes.len() as u32;
        self.cells[cell as usize].push(first);
        let part = |name: &str, bits: u32, class: u32, parent: u32| Node {
            parents: vec![parent],
            boxes: if bits == MODEL_BOX {
                [bounds, bounds, [0.0; 6]]
            } else {
                [bounds, [0.0; 6], bounds]
            },
            ..node(
                name,
                ACTIVE | SURFACES | NODE_BOX | bits | SINGLE_PARENT | ZONE_GATE,
                class,
            )
        };
        self.nodes.push(Node {
            cell: Some((column, row)),
            children: vec![first + 1, first + 2],
            boxes: [bounds, [0.0; 6], bounds],
            data: object([x, 0.0, z]),
            ..part(&format!("bldg{cell:02}"), CHILD_BOX, 5, 0)
        });
        for (level, data) in [
            lod(0, [0.0, 300.0, 90_000.0]),
            lod(1, [90_000.0, 1200.0, 1_440_000.0]),
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("lod{}", level + 1);
            let children = vec![first + 3 + level as u32];
            self.nodes.push(Node {
                children,
                data,
                ..part(&name, CHILD_BOX, 6, first)
            });
        }
        for level in [1, 2] {
            let model = self.add_model(bounds);
            let object = object([0.0; 3]);
            let shape = part(&format!("bldg.flt_{level}"), MODEL_BOX, 5, first + level);
            self.nodes.push(Node {
                model,
                data: object,
                ..shape
            });
        }
    }

    /// A landmark is in no cell: the world lists it.
    fn add_sky(&mut self) {
        let dome = [-2000.0, -10.0, -2000.0, 3000.0, 900.0, 3000.0];
        let sky = self.nodes.len() as u32;
        self.nodes[0].children.push(sky);
        let model = self.add_model(dome);
        self.nodes.push(Node {
            model,
            parents: vec![0],
            boxes: [dome, dome, [0.0; 6]],
            data: object([0.0; 3]),
            ..node(
                "sky",
                ACTIVE | 0x80 | NODE_BOX | MODEL_BOX | SINGLE_PARENT | ZONE_GATE,
                5,
            )
        });
    }

    fn save(mut self) -> Vec<u8> {
        let mut out = Out::default();
        out.zeros(36);
        let sections = [
            save_textures(&mut out),
            save_materials(&mut out, self.pools[2], self.is_rich),
            self.save_models(&mut out),
        ];
        self.nodes[0].data = self.data();
        let array = self.save_nodes(&mut out);
        let (nodes, is_freed) = (self.nodes.len() as u32, self.live < self.nodes.len());
        let free = if is_freed { nodes - 1 } else { nodes };
        let head = [
            &[0x0297_1222, 15, TEXTURES],
            &sections[..],
            &[self.pools[0] as u32, free, array],
        ]
        .concat();
        for (at, word) in head.into_iter().enumerate() {
            out.0[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        }
        out.0
    }

    fn save_models(&self, out: &mut Out) -> u32 {
        let array = out.at();
        let slots = self.pools[1];
        out.words(&[
            slots as u32,
            self.models.len() as u32,
            self.models.len() as u32,
        ]);
        let each = 8 * 24 + 6 * 28 + 6 * (4 * 4 + 4 * 4 + 4 * 8);
        let data = out.at() + 88 * slots as u32;
        // The sky comes last.
        let stars = |i: usize| self.is_rich && i + 1 == self.models.len();
        for i in 0..slots {
            let Some((uses, b)) = self.models.get(i) else {
                out.zeros(84)
                    .word(if i + 1 < slots { i as u32 + 1 } else { NONE });
                continue;
            };
            let mid: Vec<f32> = (0..3)
                .map(|axis| (b[axis + 3] - b[axis]) * 0.5 + b[axis])
                .collect();
            let half: f64 = (0..3)
                .map(|axis| f64::from((b[axis + 3] - b[axis]) * 0.5).powi(2))
                .sum();
            let lights = if stars(i) { [2, 0x02F1_4000] } else { [0, 0] };
            out.words(&[0, 0x7, *uses, 6, 8, 8, 0, lights[0]]).zeros(16);
            out.words(&[0x02F1_0010, 0x02F1_2000, 0x02F1_3000, lights[1], 0])
                .floats(&mid)
                .float(root(half as f32));
            out.word(data + i as u32 * each);
        }
        for (i, (_, bounds)) in self.models.iter().enumerate() {
            save_points(out, *bounds);
            if stars(i) {
                save_lights(out);
            }
            save_faces(out, i as u32);
        }
        array
    }

    /// The data of the root, which contain all positions of nodes.
    fn data(&self) -> Vec<u8> {
        let mut world = Out::default();
        world
            .words(&[0, 0, COLUMNS * ROWS, 0x02E4_0010, 1])
            .floats(&[176.0, 196.0, 214.0, 400.0, 1400.0, -50.0, 400.0, 0.0]);
        let (right, bottom) = (COLUMNS as f32 * SIDE, ROWS as f32 * SIDE);
        world
            .floats(&[0.0, bottom, right, -bottom, right, 0.0])
            .words(&[16, 0]);
        let sizes = [
            SIDE,
            -SIDE,
            128.0,
            -128.0,
            1.0 / SIDE,
            -1.0 / SIDE,
            -192.0,
            3.0,
            3.0,
        ];
        world.floats(&sizes).words(&[COLUMNS, ROWS, 0x02E5_0010]);
        world
            .floats(&[1.0; 3])
            .words(&[1, 0x02E6_0010, 0x02E6_0040, 0, 0, 0, 0])
            .word(4);
        for (i, cell) in self.cells.iter().enumerate() {
            let (x, z) = (
                (i as u32 % COLUMNS) as f32 * SIDE,
                bottom - (i as u32 / COLUMNS) as f32 * SIDE,
            );
            let radius = root((2.0 * 128.0f64 * 128.0 + 6.0 * 6.0) as f32);
            world
                .words(&[0x100, NONE])
                .floats(&[x, z, x, 0.0, z - SIDE, x + SIDE, 12.0, z]);
            world.floats(&[x + 128.0, 6.0, z - 128.0, radius]);
            world
                .half(0)
                .half(cell.len() as i16)
                .word(0x02E7_0010 + i as u32 * 32)
                .words(cell);
        }
        world.0
    }

    /// The records, which contain the positions of all data, followed by the data.
    fn save_nodes(&self, out: &mut Out) -> u32 {
        let array = out.at();
        let slots = self.pools[0];
        let mut place = array + 196 * slots as u32;
        for (i, node) in self.nodes.iter().enumerate() {
            out.text(&node.name, 36, "Default_node_name");
            let boxed = node.flags & NODE_BOX != 0 && matches!(node.class, 5 | 6);
            let data = if node.class == 0 { 0 } else { 0x0312_0010 };
            let update = if boxed { 4 } else { 0 };
            out.words(&[
                node.flags, 0, update, 255, node.class, data, node.model, 0, 1, 0,
            ]);
            let (column, row) = node.cell.unwrap_or((NONE, NONE));
            let list = |list: &[u32]| {
                [
                    list.len() as u32,
                    if list.is_empty() { 0 } else { 0x0313_0010 },
                ]
            };
            out.words(&[column, row])
                .words(&list(&node.parents))
                .words(&list(&node.children))
                .zeros(16);
            for bounds in &node.boxes {
                out.floats(bounds);
            }
            // A released record links to the one released before it, and the first of them to those
            // that were never used.
            let next = if i == self.live {
                self.nodes.len()
            } else {
                i.saturating_sub(1)
            };
            out.word(0)
                .word(if node.class == 0 { next as u32 } else { place });
            place += (node.data.len() + 4 * (node.parents.len() + node.children.len())) as u32;
        }
        for i in self.nodes.len()..slots {
            out.zeros(60).word(NONE).zeros(128).word(if i + 1 < slots {
                i as u32 + 1
            } else {
                0x00FF_FFFF
            });
        }
        for node in &self.nodes {
            out.0.extend(&node.data);
            out.words(&node.parents).words(&node.children);
        }
        array
    }
}

fn save_textures(out: &mut Out) -> u32 {
    let textures = out.at();
    for i in 0..TEXTURES {
        // The dot before the suffix is overwritten by a zero.
        let stem = format!("tex{i:02}");
        out.words(&[0, 0])
            .text(&stem, 20, &format!("{stem}.tif"))
            .words(&[2, NONE]);
    }
    textures
}

/// The frames of the texture cycle of a material: one, two or five.
fn frames(material: usize) -> &'static [u32] {
    match material {
        3 => &[3, 4],
        7 => &[8],
        11 => &[11, 10, 9, 10, 11],
        _ => &[],
    }
}

/// A material of each texture, and a plain one; some have texture cycles.
fn save_materials(out: &mut Out, slots: usize, with_cycles: bool) -> u32 {
    let materials = out.at();
    out.words(&[slots as u32, TEXTURES + 1, TEXTURES + 1, TEXTURES]);
    let used = TEXTURES as usize + 1;
    let frames = |i: usize| if with_cycles { frames(i) } else { &[] };
    for i in 0..slots {
        let (first, end) = if i < used { (0, used) } else { (used, slots) };
        let above = if i + 1 < end { i as i16 + 1 } else { -1 };
        let below = if i > first { i as i16 - 1 } else { -1 };
        if i < used {
            let textured = i + 1 < used;
            let cycled = !frames(i).is_empty();
            out.0
                .extend([255, u8::from(textured) | u8::from(cycled) << 2]);
            out.half(if textured { 0x7FFF } else { 0 }).floats(&[
                255.0,
                255.0,
                if textured { 255.0 } else { 128.0 },
            ]);
            out.word(if textured { i as u32 } else { 0 })
                .floats(&[0.0, 0.5, 0.5])
                .words(&[i as u32 % 6, if cycled { 0x0314_0010 } else { 0 }]);
            out.half(above).half(below);
        } else {
            out.zeros(40).half(below).half(above);
        }
    }
    // Along the list of the used materials, whose head is the last of them.
    for frames in (0..used).rev().map(frames).filter(|f| !f.is_empty()) {
        let count = frames.len() as u32;
        out.words(&[1, 0])
            .floats(&[0.0, 15.0])
            .words(&[count, count, 0x0315_0010])
            .words(frames);
    }
    materials
}

/// The vertices and normals of a box, 8 each.
fn save_points(out: &mut Out, b: [f32; 6]) {
    for n in 0..8 {
        let end = |bit: usize, axis: usize| b[if n & bit == 0 { axis } else { axis + 3 }];
        out.floats(&[end(1, 0), end(2, 1), end(4, 2)]);
    }
    let third = 0.577_350_26f32;
    for n in 0..8usize {
        out.floats(&[1, 2, 4].map(|bit| if n & bit == 0 { -third } else { third }));
    }
}

/// Two point lights, of one and of two vertices.
fn save_lights(out: &mut Out) {
    for vertices in [1, 2] {
        out.words(&[0, 1])
            .float(1.0)
            .words(&[vertices, 0, 0, 0])
            .floats(&[255.0, 240.0, 15.0])
            .word(0)
            .word(0x02F3_0010);
        out.floats(&[0.0, 3000.0, 0.0])
            .word(0)
            .floats(&[30.0, 3000.0, 0.0]);
    }
    out.floats(&[0.0, 800.0, 0.0])
        .floats(&[500.0, 700.0, 20.0, 20.0, 700.0, 500.0]);
}

/// The faces of a box, with 4 corners each.
fn save_faces(out: &mut Out, model: u32) {
    const FACES: [[u32; 4]; 6] = [
        [0, 1, 3, 2],
        [4, 6, 7, 5],
        [0, 4, 5, 1],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 5, 7, 3],
    ];
    const PRIORITIES: [u32; 6] = [0, 1, 2, 4, 5, 10];
    for (face, priority) in (0..).zip(PRIORITIES) {
        let addresses = [0x02F2_0010, 0x02F2_0100, 0x02F2_0200];
        out.words(&[4 | 0x200, priority])
            .words(&addresses)
            .words(&[(model + face) % TEXTURES, 0xFFFF_FF00]);
    }
    for face in FACES {
        out.words(&face)
            .words(&face)
            .floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    }
}

/// An event of an animation: type, clock, start time, body.
fn event(number: u8, clock: u8, start: f32, body: &Out) -> Vec<u8> {
    let mut out = Out::default();
    out.0.extend([number, clock, 0, 0]);
    out.word(body.at() + 12).float(start);
    out.0.extend(&body.0);
    out.0
}

/// The record of a sequence, which precedes its events.
fn sequence(name: &str, state: u8, pointer: u32, events: &[Vec<u8>]) -> Vec<u8> {
    let size: usize = events.iter().map(Vec::len).sum();
    let mut out = Out::default();
    out.text(name, 32, "");
    out.0.extend([state, state, 0, 0]);
    out.zeros(20)
        .word(if size == 0 { 0 } else { pointer })
        .word(size as u32);
    out.0
}

/// Animations of Recoil as in its mission packs: addresses everywhere, texts over old texts,
/// squared distances, logs that are OFF by a single set flag, the stale time of a reset that is
/// off, names for calls, fog that is OFF without its flag.
pub fn recoil_animations(count: usize) -> Vec<u8> {
    const OLD: &str = "..\\data\\common\\zrdr\\anim\\some_longer_name.zrd";
    let mut out = Out::default();
    out.words(&[0x0817_0616, 28, 3]);
    for (i, path) in [
        "..\\data\\m1\\zrdr\\anim.zrd",
        "..\\data\\m1\\zrdr\\gate.zan",
        "..\\data\\m1\\zrdr\\a.zrd",
    ]
    .iter()
    .enumerate()
    {
        out.text(path, 80, OLD).word(0x3646_0000 + i as u32 * 977);
    }
    out.words(&[0, 0])
        .half(0)
        .half(count as i16 + 1)
        .words(&[0x02F1_D378, 0, 0, 0x0260_000C])
        .float(-9.8)
        .zeros(28);
    // Definition 0, and its reset record.
    out.zeros(153);
    out.0.push(3);
    out.zeros(308 - 154 + 64);
    (0..count).for_each(|i| definition(i, &mut out));
    out.0
}

/// The change of a value per second.
fn rate(from: f32, to: f32, time: f32) -> f32 {
    ((f64::from(to) - f64::from(from)) / f64::from(time)) as f32
}

/// A quarter of a turn.
const TURN: f32 = std::f32::consts::FRAC_PI_2;

/// A definition: its record, its lists of names, and its sequences.
fn definition(i: usize, out: &mut Out) {
    let mut address = 0x02F2_0010 + i as u32 * 0x1000;
    let mut pointer = || {
        address += 0x40;
        address
    };
    let name = format!("gate{:02}.flt", i % 40);
    let attach = if i.is_multiple_of(3) {
        format!("wall{}", i % 9)
    } else {
        name.clone()
    };
    // Reset: its own node.
    let reset = vec![event(6, 1, 0.0, Out::default().word(1).half(1).half(0))];
    let mut forever = Out::default();
    forever.word(1).half(-1).half(0);
    let dust = vec![active(1, 2), event(30, 1, 0.0, &forever)];
    // Flags: OFF is a single bit in each log, and a stale reset time lacks 0x20.
    let (ranged, quiet, dirty) = (
        i.is_multiple_of(2),
        i.is_multiple_of(4),
        i.is_multiple_of(5),
    );
    let bit = |set: bool, bits: u32| if set { bits } else { 0 };
    let flags = bit(ranged, 0x2) | bit(!dirty, 0x20) | bit(quiet, 0x1400);
    let (node, hit) = (pointer(), pointer());
    out.text(&format!("gate_{i:03}"), 32, "some_longer_name")
        .text(&name, 32, "")
        .word(node);
    out.text(&attach, 32, "another_old_name_here")
        .word(if attach == name { node } else { hit })
        .zeros(44)
        .word(flags);
    out.raw(&[0, 4, 4, 2]);
    out.floats(&[
        0.0,
        if ranged { 150.0f32 * 150.0 } else { 0.0 },
        if dirty { 2.5 } else { 0.0 },
        0.0,
    ]);
    out.floats(&[i as f32, i as f32]).zeros(12).word(pointer());
    let reset_record = sequence("RESET_SEQUENCE", 0, pointer(), &reset);
    out.raw(&reset_record);
    // Counts: sequences, objects, nodes, lights, two kinds of sounds, effects, prerequisites, the
    // required number of them, references.
    out.raw(&[2, 2, 3, 2, 0, 2, 0, 0, 0, 1, 0, 0]);
    out.words(&[
        pointer(),
        pointer(),
        pointer(),
        0,
        pointer(),
        0,
        0,
        pointer(),
        0,
    ]);
    let tail = "Default_node_name";
    out.zeros(96)
        .text(&name, 32, tail)
        .words(&[0, pointer(), 1, 1])
        .floats(&[1.5; 12]);
    out.zeros(40);
    for node in [name.as_str(), "dust_1"] {
        out.text(node, 32, tail).words(&[0, pointer()]);
    }
    out.zeros(44)
        .text("lamp1", 32, tail)
        .words(&[0, pointer(), 0]);
    out.zeros(36)
        .text("gate_open.wav", 32, "a_much_longer_sound_name.wav")
        .word(0);
    out.text(&format!("smoke{}", i % 7), 32, "an_old_name_of_animation");
    out.text(&format!("local{i}"), 32, "").words(&[1, 0]);
    out.raw(&reset_record).raw(&reset.concat());
    for (name, state, events) in [("", 0, &run(i)), ("DUST", 3, &dust)] {
        out.raw(&sequence(name, state, pointer(), events))
            .raw(&events.concat());
    }
}

/// The events of the main sequence: a move, a turn and a fade; a named call without waiting, one
/// that rotates its callee; fog that is switched off; a lamp at a node; something that flies, spins
/// and bounces; a script.
fn run(i: usize) -> Vec<Vec<u8>> {
    let mut fade = Out::default();
    fade.word(1)
        .half(-1)
        .half(0)
        .floats(&[1.0, 0.35, rate(1.0, 0.35, 1.3), 1.3]);
    let mut named = Out::default();
    named
        .text(&format!("smoke{}", i % 7), 32, "")
        .half(0)
        .half(1)
        .half(0)
        .half(0)
        .half(2)
        .half(0)
        .zeros(24);
    let mut turned = Out::default();
    turned
        .text("flash", 32, "")
        .half(0)
        .half(7)
        .half(0)
        .half(-1)
        .half(2)
        .half(0);
    turned.floats(&[0.0, 2.0, 0.0, 0.0, TURN, 0.0]);
    let mut fog = Out::default();
    fog.text("default_fog_name", 32, "")
        .words(&[0, 0])
        .zeros(28);
    let mut range = Out::default();
    range.word(2).word(0).float(22_500.0);
    let mut low = Out::default();
    low.word(16).word(2).float(3.5);
    let mut call = Out::default();
    call.text("DUST", 32, "").word(NONE);
    let mut lamp = Out::default();
    lamp.text("lamp1", 32, "")
        .words(&[1, 0x1FA, 1, 1, 1, 0, 2])
        .zeros(24);
    lamp.floats(&[5.0, 50.0, 1.0, 0.9, 0.5, 0.2, 0.8]);
    let none = Out::default();
    vec![
        active(1, 1),
        event(31, 1, 0.0, &range),
        event(11, 2, 0.25, &motion(i)),
        event(33, 1, 0.0, &low),
        event(14, 3, 0.0, &fade),
        event(32, 1, 0.0, &none),
        event(24, 1, 0.0, &named),
        event(34, 1, 0.0, &none),
        event(24, 3, 1.5, &turned),
        event(28, 1, 0.0, &fog),
        event(4, 1, 0.0, &lamp),
        event(10, 1, 0.5, &flight()),
        event(12, 1, 0.0, &script()),
        event(22, 1, 0.0, &call),
        active(0, 2),
    ]
}

/// An event that switches a node on or off.
fn active(state: u32, node: i16) -> Vec<u8> {
    event(6, 2, 0.5, Out::default().word(state).half(node).half(0))
}

/// A motion from a place to another one, with a turn.
fn motion(i: usize) -> Out {
    let mut motion = Out::default();
    let (from, to, time) = (
        [0.0f32, 1.25, -3.1],
        [0.0f32, 7.9 + i as f32 * 0.13, 4.77],
        0.7f32,
    );
    motion.words(&[3, 2]).zeros(12).floats(&from).floats(&to);
    motion.floats(&[0, 1, 2].map(|k| rate(from[k], to[k], time)));
    motion
        .floats(&[0.0; 3])
        .floats(&[0.0, TURN, 0.0])
        .floats(&[0.0, rate(0.0, TURN, time), 0.0]);
    motion.zeros(36).float(time);
    motion
}

fn flight() -> Out {
    let mut flight = Out::default();
    flight
        .word(0x1C1D)
        .half(2)
        .half(0)
        .float(0.0)
        .float(-9.8)
        .zeros(4);
    flight.floats(&[0.0, 360.0, 45.0, 90.0, 5.0, 10.0, 0.0, 0.0]);
    flight
        .floats(&[1.0, 5.0, -2.0, 0.0, 0.1, 0.0])
        .zeros(24)
        .floats(&[8.742278e-8, 0.0, 1.0])
        .zeros(84);
    flight
        .text("DUST", 32, "")
        .half(-1)
        .half(1)
        .float(12.0)
        .float(3.5);
    flight
}

/// A script, one of whose frames runs backwards as in `m3pickup`.
fn script() -> Out {
    let mut frames = Out::default();
    frames.words(&[2, 12]).zeros(12);
    for at in 0..12 {
        let (start, end) = (
            at as f32 * 0.04,
            if at == 9 { 0.2 } else { (at + 1) as f32 * 0.04 },
        );
        frames
            .word(3)
            .floats(&[start, end])
            .floats(&[at as f32, 2.0, -1.0])
            .word(0x02F7_0010);
        frames
            .floats(&[0.5, 0.0, 0.25])
            .floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.01, 0.0]);
    }
    frames
}
