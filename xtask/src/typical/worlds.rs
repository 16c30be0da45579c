//! Worlds of MechWarrior 3, Pirate's Moon and Crimson Skies, and the planes of Crimson Skies, with
//! the proportions measured by owners of the games.

use super::{NONE, Out, root};
use std::ops::Range;

/// The three games whose worlds share a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Game {
    /// MechWarrior 3.
    Mw,
    /// Pirate's Moon.
    Pm,
    /// Crimson Skies.
    Cs,
}
use Game::{Cs, Mw, Pm};

/// A node and its data; parents and children are positions.
#[derive(Default)]
struct Node {
    name: String,
    /// The former content of the name field, if it was not the usual text.
    before: Option<&'static str>,
    flags: u32,
    structure: u32,
    update: u32,
    zone: u32,
    class: u32,
    model: Option<usize>,
    partition: Option<[i16; 2]>,
    parent: Option<usize>,
    children: Vec<usize>,
    /// The box in use: node, model, children.
    active_box: u32,
    boxes: [[f32; 6]; 3],
    data: Out,
}

const ROOT_FLAGS: u32 = 0x0108_001C;

fn object(rotation: [f32; 3], translation: [f32; 3]) -> Out {
    let mut out = Out::default();
    let still = rotation == [0.0; 3] && translation == [0.0; 3];
    out.word(if still { 40 } else { 32 })
        .zeros(20)
        .floats(&rotation)
        .floats(&[1.0; 3]);
    let [[sx, cx], [sy, cy], [sz, cz]] =
        rotation.map(|a| [f64::from(a).sin() as f32, f64::from(a).cos() as f32]);
    if still {
        out.floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    } else {
        out.floats(&[(sy * sx) * sz + cy * cz, cx * sz, (cy * sx) * sz - sy * cz]);
        out.floats(&[(sy * sx) * cz - cy * sz, cx * cz, (cy * sx) * cz + sy * sz]);
        out.floats(&[sy * cx, -sx, cy * cx]);
    }
    out.floats(&translation).zeros(48);
    out
}

/// The lowest and highest corner of a turned box whose base is on the ground.
fn heights(rotation: [f32; 3], [a, b, c, d, e, f]: [f32; 6]) -> [f32; 2] {
    let [[sx, cx], _, [sz, cz]] =
        rotation.map(|a| [f64::from(a).sin() as f32, f64::from(a).cos() as f32]);
    let corners = (0..8).map(|i| [[a, d][i & 1], [b, e][i >> 1 & 1], [c, f][i >> 2]]);
    let all = corners.map(|[x, y, z]| x * (cx * sz) + y * (cx * cz) + z * -sx + 0.0);
    all.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, most], y| {
        [least.min(y), most.max(y)]
    })
}

fn lod(game: Game, level: u32, near: f32, far: f32) -> Out {
    let mut out = Out::default();
    out.word(level)
        .floats(&[near * near, far, far * far])
        .zeros(44);
    match game {
        Mw => out
            .floats(&[far * 0.5, (far * 0.5) * (far * 0.5)])
            .words(&[1, 1, 0x0312_2450]),
        _ => out
            .word(0)
            .floats(&[far, far * far, near, near * near])
            .words(&[1, 0, 0]),
    };
    out
}

fn window(width: u32, height: u32) -> Out {
    let mut out = Out::default();
    out.words(&[0, 0, width, height])
        .zeros(212)
        .word(NONE)
        .zeros(16);
    out
}

fn camera(game: Game, window: u32) -> Out {
    let mut out = Out::default();
    out.words(&[0, window, NONE, NONE, 0])
        .zeros(156)
        .floats(&[1.0, 5000.0])
        .zeros(24);
    let (wide, high) = (1.256_637_1f32, std::f32::consts::FRAC_PI_4);
    let cot = |angle: f32| (1.0 / f64::from(angle).tan()) as f32;
    match game {
        Cs => out.floats(&[0.0, 0.0, 1.0, 1.0]).zeros(24),
        _ => out.floats(&[
            1.0,
            1.0,
            1.0,
            1.0,
            wide,
            high,
            wide,
            high,
            wide * 0.5,
            high * 0.5,
        ]),
    };
    out.word(1)
        .zeros(60)
        .word(1)
        .zeros(72)
        .word(1)
        .zeros(72)
        .word(0);
    match game {
        Cs => out.floats(&[0.0, 0.0]),
        _ => out.floats(&[cot(wide * 0.5), cot(high * 0.5)]),
    };
    out.words(&[0, 0, 0xFFFF_FF00]);
    out
}

fn light(game: Game) -> Out {
    let mut out = Out::default();
    let (near, far) = (32.0f32, if game == Cs { 10_000.0f32 } else { 5000.0 });
    match game {
        Cs => {
            out.zeros(136)
                .float(1.0)
                .zeros(16)
                .float(0.0)
                .floats(&[1.0; 7])
                .zeros(12)
                .floats(&[1.0; 6])
                .word(2225);
        }
        _ => {
            out.floats(&[-0.5, 0.7, 0.0])
                .zeros(36)
                .zeros(48)
                .zeros(36)
                .floats(&[0.0, 1.0, 0.0])
                .zeros(12);
            out.floats(&[0.7, 0.3, 1.0, 1.0, 0.9]);
            if game == Pm {
                out.floats(&[
                    0.4, 0.4, 0.5, 0.7, 0.7, 0.63, 0.12, 0.12, 0.15, 0.82, 0.82, 0.78,
                ]);
            }
            out.word(if game == Pm { 0x70B } else { 0x38B });
        }
    }
    out.floats(&[near, far, near * near, far * far, 1.0 / (far - near)])
        .words(&[1, 0x0312_4450, 0]);
    out
}

/// A model before it is stored: its box, and its kind.
struct Model {
    bounds: [f32; 6],
    kind: u32,
    facade: u32,
    flags: u32,
    uses: u32,
    /// Number of point lights; such models have no polygons.
    lights: usize,
    /// Number of faces of the box.
    faces: usize,
    materials: Vec<u32>,
}

/// The arrays of texture names, materials and models: the front of a file.
struct Front<'a> {
    game: Game,
    textures: Vec<[u8; 20]>,
    /// Number of textures that were loaded when the file was written.
    loaded: usize,
    image: u32,
    /// The slots in use, with the frames of cycles.
    materials: Vec<Vec<u32>>,
    slots: usize,
    models: &'a [Option<Model>],
    free: &'a [usize],
}

const FACES: [[u32; 4]; 6] = [
    [0, 1, 3, 2],
    [4, 6, 7, 5],
    [0, 4, 5, 1],
    [2, 3, 7, 6],
    [0, 2, 6, 4],
    [1, 5, 7, 3],
];

/// The stored name of a texture: the last dot is a zero.
fn texture(stem: &str, suffix: &str) -> [u8; 20] {
    let mut out = [0; 20];
    let bytes = stem
        .bytes()
        .chain((!suffix.is_empty()).then_some(0))
        .chain(suffix.bytes());
    out.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
    out
}

impl Front<'_> {
    fn cycled(&self, material: u32) -> bool {
        self.materials
            .get(material as usize)
            .is_some_and(|frames| !frames.is_empty())
    }

    fn save(&self, out: &mut Out) -> [u32; 3] {
        let textures = out.at();
        for (i, name) in self.textures.iter().enumerate() {
            let loaded = i < self.loaded;
            out.word(if loaded { self.image } else { 0 });
            if self.game != Mw {
                out.word(0);
            }
            out.word(0)
                .raw(name)
                .words(&[if loaded { 1 } else { 2 }, 0, NONE]);
        }
        let materials = out.at();
        let used = self.materials.len();
        out.words(&[1000, used as u32, used as u32, used as u32 - 1]);
        for i in 0..1000 {
            let end = if i < used { used } else { 1000 };
            let first = if i < used { 0 } else { used };
            let above = if i + 1 < end { i as i16 + 1 } else { -1 };
            let below = if i > first { i as i16 - 1 } else { -1 };
            if i < used {
                let textured = i % 32 != 31;
                let cycled = !self.materials[i].is_empty();
                let decal = self.game == Cs && textured && i % 21 == 0;
                out.raw(&[if textured { 255 } else { [255, 128, 0][i % 3] }]);
                out.raw(&[0x10
                    | u8::from(textured)
                    | u8::from(decal) << 1
                    | u8::from(cycled) << 2]);
                out.half(if textured { 0x7FFF } else { 0 })
                    .floats(&if textured {
                        [255.0; 3]
                    } else {
                        [96.0, 32.5, 255.0]
                    });
                let soil = [0, 1, 5, 8, 11, 12, 13][i % 7];
                out.word(if textured {
                    (i % self.textures.len()) as u32
                } else {
                    0
                })
                .floats(&[0.0, 0.5, 0.5]);
                out.words(&[soil, if cycled { 0x0314_0010 } else { 0 }])
                    .half(above)
                    .half(below);
            } else {
                out.raw(&[0, 0x20]).zeros(38).half(below).half(above);
            }
        }
        // Along the list of the used materials, whose head is the last of them.
        for (i, frames) in self
            .materials
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, frames)| !frames.is_empty())
        {
            out.words(&[1, [0, 2, 7][i % 3]])
                .floats(&[0.0, (i % 17) as f32])
                .words(&[frames.len() as u32, frames.len() as u32, 0x0315_0010]);
            out.words(frames);
        }
        let models = out.at();
        let used = self.models.iter().flatten().count();
        out.words(&[
            self.slots as u32,
            used as u32,
            self.free.first().map_or(NONE, |i| *i as u32),
        ]);
        let mut next = vec![NONE; self.slots];
        for pair in self.free.windows(2) {
            next[pair[0]] = pair[1] as u32;
        }
        let size = if self.game == Mw { 96 } else { 104 };
        let mut place = out.at() + size * self.slots as u32;
        let mut data = Out::default();
        let first = place;
        for (slot, next) in next.iter().enumerate() {
            match self.models.get(slot).and_then(Option::as_ref) {
                Some(model) => {
                    self.model(model, out, &mut data);
                    out.word(place);
                    place = first + data.at();
                }
                None => {
                    out.zeros(size as usize - 4).word(*next);
                }
            }
        }
        out.raw(&data.0);
        [textures, materials, models]
    }

    fn model(&self, m: &Model, out: &mut Out, data: &mut Out) {
        let b = m.bounds;
        let mid: Vec<f32> = (0..3)
            .map(|axis| (b[axis + 3] - b[axis]) * 0.5 + b[axis])
            .collect();
        let half: f64 = (0..3)
            .map(|axis| f64::from((b[axis + 3] - b[axis]) * 0.5).powi(2))
            .sum();
        let (points, normals) = if m.faces > 0 { (8, 8) } else { (0, 0) };
        let address = |n: usize, at: u32| if n > 0 { at } else { 0 };
        out.words(&[
            m.kind,
            m.facade,
            m.flags,
            m.uses,
            m.faces as u32,
            points as u32,
            normals as u32,
            0,
            m.lights as u32,
        ]);
        out.floats(&[0.0, 0.0, 0.0]).word(0);
        let polygons = address(m.faces, 0x02F1_0010);
        out.words(&[
            polygons,
            address(points, 0x02F1_2000),
            address(normals, 0x02F1_3000),
            address(m.lights, 0x02F1_4000),
            0,
        ]);
        out.floats(&mid).float(root(half as f32)).word(0);
        let corner = |n: usize| {
            [
                b[if n & 1 == 0 { 0 } else { 3 }],
                b[if n & 2 == 0 { 1 } else { 4 }],
                b[if n & 4 == 0 { 2 } else { 5 }],
            ]
        };
        (0..points).for_each(|n| {
            data.floats(&corner(n));
        });
        let third = 0.577_350_26f32;
        (0..normals).for_each(|n| {
            data.floats(&[1, 2, 4].map(|bit| if n & bit == 0 { -third } else { third }));
        });
        for i in 0..m.lights {
            let mw = self.game == Mw;
            data.words(&[0, 1])
                .float([0.0, 1.0, 2.0, 5.0][i % 4])
                .words(&[1, 0, 0, if mw { 0 } else { 0x0316_0010 }]);
            data.floats(&[255.0, 240.0, (i % 34) as f32 * 7.5])
                .word(0)
                .word(0x02F3_0010);
            data.floats(&[0.0, 3000.0, 0.0])
                .word(0)
                .floats(&[30.0, 3000.0, 0.0]);
        }
        for i in 0..m.lights {
            data.floats(&[b[0] + i as f32 * 0.25, b[1], b[2]]);
        }
        let lists: Vec<Vec<u32>> = (0..m.faces).map(|face| self.layers(m, face)).collect();
        self.polygons(m, &lists, data);
        if self.game != Mw {
            let refs = self.references(&lists, polygons);
            out.words(&[refs.len() as u32, address(refs.len(), 0x02F4_0010)]);
            data.words(refs.as_flattened());
        }
    }

    /// The materials of a face. A second layer: 1 of 128 polygons of Crimson Skies.
    fn layers(&self, m: &Model, face: usize) -> Vec<u32> {
        let first = m.materials[0] as usize;
        let more = self.game == Cs && face == 5 && first % 21 == 7;
        let layers = if more { 2 + first / 21 % 2 } else { 1 };
        (0..layers)
            .map(|k| m.materials[(face + k) % m.materials.len()])
            .collect()
    }

    /// The records of the polygons of a model with these lists of materials, and their data.
    fn polygons(&self, m: &Model, lists: &[Vec<u32>], data: &mut Out) {
        let (mw, cs) = (self.game == Mw, self.game == Cs);
        let textured = |material: u32| material % 32 != 31;
        let with_normals = |face: usize| face.is_multiple_of(2);
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        for (face, list) in lists.iter().enumerate() {
            let flags = match mw {
                true => {
                    bit(face == 3, 0x100) | bit(with_normals(face), 0x200) | bit(face == 1, 0x400)
                }
                false => {
                    bit(face == 3, 0x400)
                        | bit(cs && face == 4 && m.materials[0] % 100 == 7, 0x800)
                        | bit(with_normals(face), 0x1000)
                        | bit(face == 1, 0x2000)
                }
            };
            let priority = if cs && face == 2 {
                -49i32
            } else {
                [0, 1, 2, 4, 5, 10][face % 6]
            };
            data.words(&[
                4 | flags,
                priority as u32,
                0x02F2_0010,
                bit(with_normals(face), 0x02F2_0100),
            ]);
            if !mw {
                data.words(&[list.len() as u32, 0x02F2_0300]);
            }
            data.words(&[
                bit(textured(list[0]), 0x02F2_0200),
                0x02F2_0400,
                0x02F2_0500,
            ]);
            if mw {
                data.word(list[0]);
            }
            data.word(match face % 4 {
                1 => 0xFFFF_0001 | (m.materials[0] % 3 + 1) << 8,
                _ if mw => 0xFFFF_0101,
                _ => 0xFFFF_FF00,
            });
        }
        for (face, list) in lists.iter().enumerate() {
            data.words(&FACES[face % 6]);
            if with_normals(face) {
                data.words(&FACES[face % 6]);
            }
            if !mw {
                data.words(list);
            }
            if textured(list[0]) {
                list.iter().for_each(|_| {
                    data.floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
                });
            }
            data.floats(&[
                255.0, 255.0, 255.0, 128.0, 128.0, 128.0, 96.5, 0.0, 17.25, 255.0, 255.0, 240.0,
            ]);
        }
    }

    /// The references to materials: each use of one that cycles, and each other one with its number
    /// of uses.
    fn references(&self, lists: &[Vec<u32>], polygons: u32) -> Vec<[u32; 3]> {
        let firsts = lists
            .iter()
            .enumerate()
            .map(|(i, list)| (list[0], polygons + 40 * i as u32));
        let cycled = firsts
            .clone()
            .filter(|(material, _)| self.cycled(*material));
        let mut refs: Vec<[u32; 3]> = cycled.map(|(material, at)| [material, 1, at]).collect();
        for (material, at) in firsts.filter(|(material, _)| !self.cycled(*material)) {
            match refs.iter_mut().find(|r| r[0] == material) {
                Some(r) => r[1] += 1,
                None => refs.push([material, 1, at]),
            }
        }
        refs
    }
}

/// The records, then the data, of all nodes.
fn save_nodes(game: Game, nodes: &[Node], free: u32, out: &mut Out) {
    let mut place = out.at() + 212 * nodes.len() as u32;
    // MechWarrior 3 has free records after the used ones.
    let slots = if game == Mw {
        nodes.len() + 64
    } else {
        nodes.len()
    };
    place += 212 * (slots - nodes.len()) as u32;
    for (i, node) in nodes.iter().enumerate() {
        out.text(&node.name, 36, node.before.unwrap_or("Default_node_name"));
        let data = if game == Cs { place } else { 0x0312_0010 };
        out.words(&[
            node.flags,
            node.structure,
            node.update,
            node.zone,
            node.class,
            data,
            node.model.map_or(NONE, |m| m as u32),
            0,
            1,
            0,
        ]);
        let lists = [usize::from(node.parent.is_some()), node.children.len()];
        let address = |n: usize| if n > 0 { 0x0313_0010 } else { 0 };
        if game == Mw {
            let [x, z] = node
                .partition
                .unwrap_or([-1, -1])
                .map(|n| i32::from(n) as u32);
            out.words(&[
                x,
                z,
                lists[0] as u32,
                address(lists[0]),
                lists[1] as u32,
                address(lists[1]),
            ])
            .zeros(16);
        } else {
            let [x, z] = node.partition.unwrap_or([-1, -1]);
            let [vx, vz] = node.partition.unwrap_or([0, 0]);
            out.half(x)
                .half(z)
                .half(vx)
                .half(vz)
                .half(lists[0] as i16)
                .half(lists[1] as i16);
            out.words(&[address(lists[0]), address(lists[1])])
                .zeros(16)
                .word(node.active_box);
        }
        node.boxes.iter().for_each(|bounds| {
            out.floats(bounds);
        });
        out.words(&[
            0,
            0,
            if matches!(node.class, 5 | 6) { 160 } else { 0 },
            0,
            0,
        ]);
        let link = match game {
            Mw => place,
            // The stale link of a former free list: a few occur twice, one ends the list, and that
            // of the light is the head.
            _ if node.class == 9 => 0x0200_0000 | free,
            _ if i + 1 == nodes.len() => 0x02FF_FFFF,
            _ => 0x0200_0000 | (i as u32 + 1 + u32::from(i % 97 == 96)),
        };
        out.word(link);
        place += (node.data.0.len() + 4 * (lists[0] + lists[1])) as u32;
    }
    for i in nodes.len()..slots {
        out.zeros(60).word(NONE).zeros(144).word(if i + 1 < slots {
            i as u32 + 1
        } else {
            0x00FF_FFFF
        });
    }
    for node in nodes {
        out.raw(&node.data.0);
        node.parent.iter().chain(&node.children).for_each(|n| {
            out.word(*n as u32);
        });
    }
}

fn head(
    game: Game,
    out: &mut Out,
    sections: [u32; 3],
    textures: u32,
    nodes: usize,
    free: u32,
    array: u32,
) {
    let version = if game == Mw {
        27
    } else if game == Pm {
        41
    } else {
        42
    };
    let time = if game == Pm { 942_371_914 } else { 967_277_730 };
    let slots = (if game == Mw { nodes + 64 } else { nodes }) as u32;
    let mut words = vec![0x0297_1222, version];
    words.extend((game != Mw).then_some(time));
    words.extend([
        textures,
        sections[0],
        sections[1],
        sections[2],
        slots,
        free,
        array,
    ]);
    for (at, word) in words.into_iter().enumerate() {
        out.0[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// A world: a grid of cells with a tile each, structures with two levels of detail in them, a sky,
/// and the fixed nodes. `scale` divides the number of structures; 1 gives about as many nodes as in
/// a shipped world (C1 of Crimson Skies: 7,064). `faces` is the number of faces of each structure's
/// models.
pub fn world(game: Game, scale: usize, faces: usize) -> Vec<u8> {
    let mut world = World::new(game, scale);
    (0..world.cells.len()).for_each(|cell| world.add_tile(cell));
    let structures = (1380 / scale).max(8);
    let shared = world.models.len()..world.models.len() + (2 * structures).min(2088);
    (0..shared.len()).for_each(|i| world.add_model(i, faces));
    for i in 0..structures {
        world.add_structure(i, shared.clone());
        if game == Cs && i == structures / 2 {
            world.nodes.push(fixed(game, "sunlight", 9, light(game)));
        }
    }
    world.add_sky();
    world.save()
}

/// A node that every world has.
fn fixed(game: Game, name: &str, class: u32, data: Out) -> Node {
    let is_light = class == 9;
    Node {
        name: name.into(),
        flags: match is_light {
            true if game == Cs => 0x0108_0118,
            true => ROOT_FLAGS | 0x100,
            false => ROOT_FLAGS,
        },
        zone: 255,
        class,
        boxes: [
            if is_light {
                [1.0, 1.0, -2.0, 2.0, 2.0, -1.0]
            } else {
                [0.0; 6]
            },
            [0.0; 6],
            [0.0; 6],
        ],
        data,
        ..Node::default()
    }
}

/// A world that is being built.
struct World {
    game: Game,
    /// The side of a cell, and how many there are in a row and in a column.
    side: f32,
    columns: usize,
    /// The left and upper edge, and the right and lower one.
    low: f32,
    high: f32,
    /// Number of textures, and of materials.
    textures: usize,
    materials: usize,
    nodes: Vec<Node>,
    models: Vec<Option<Model>>,
    /// The nodes of each cell, with their lowest and highest points.
    cells: Vec<Vec<(usize, [f32; 2])>>,
}

impl World {
    fn new(game: Game, scale: usize) -> Self {
        let side = if game == Cs { 1024.0f32 } else { 256.0 };
        // A file for `golden/` has a grid of two by two.
        let columns: usize = match (game, scale) {
            (_, 100..) => 2,
            (Cs, _) => 12,
            _ => 16,
        };
        let low = if game == Cs {
            -1024.0f32 * columns as f32
        } else {
            0.0
        };
        let (textures, materials) = match (game, scale) {
            (_, 100..) => (41, 60),
            (Cs, _) => (565, 570),
            _ => (437, 430),
        };
        let mut display = Out::default();
        display
            .words(&[0, 0, 640, 480])
            .floats(&[0.392, 0.392, 1.0]);
        let mut data = vec![("world1", 2, Out::default())];
        match game {
            Cs => data.extend([
                ("display", 4, display),
                ("window1", 3, window(640, 480)),
                ("camera1", 1, camera(game, 2)),
                ("sgwin", 3, window(96, 96)),
                ("spyglass", 1, camera(game, 4)),
            ]),
            _ => data.extend([
                ("window1", 3, window(640, 480)),
                ("camera1", 1, camera(game, 1)),
                ("display", 4, display),
                ("sunlight", 9, light(game)),
            ]),
        }
        World {
            game,
            side,
            columns,
            low,
            high: low + side * columns as f32,
            textures,
            materials,
            nodes: data
                .into_iter()
                .map(|(name, class, data)| fixed(game, name, class, data))
                .collect(),
            models: Vec::new(),
            cells: vec![Vec::new(); columns * columns],
        }
    }

    /// Flags of models with polygons.
    fn with_polygons(&self) -> u32 {
        match self.game {
            Cs => 0x107,
            Pm => 0x83,
            Mw => 0x3,
        }
    }

    /// The left lower corner of a cell.
    fn corner(&self, cell: usize) -> [f32; 2] {
        let (column, row) = (cell % self.columns, cell / self.columns);
        [
            self.low + column as f32 * self.side,
            self.high - row as f32 * self.side,
        ]
    }

    fn partition(&self, cell: usize) -> Option<[i16; 2]> {
        Some([(cell % self.columns) as i16, (cell / self.columns) as i16])
    }

    fn node(
        &self,
        parent: usize,
        name: String,
        class: u32,
        bits: u32,
        boxes: [[f32; 6]; 3],
        data: Out,
    ) -> Node {
        let flags = if self.game == Mw {
            0x0108_0014
        } else {
            0x0308_0014
        };
        Node {
            name,
            flags: flags | bits,
            zone: 255,
            class,
            parent: Some(parent),
            boxes,
            data,
            ..Node::default()
        }
    }

    fn add_tile(&mut self, cell: usize) {
        let [x, z] = self.corner(cell);
        let bounds = [x, 0.0, z - self.side, x + self.side, 12.0, z];
        let name = format!("g{}{:02}", cell % self.columns, cell / self.columns);
        let mut tile = self.node(
            0,
            name,
            5,
            0x308,
            [bounds, bounds, [0.0; 6]],
            object([0.0; 3], [0.0; 3]),
        );
        (tile.partition, tile.model, tile.active_box) =
            (self.partition(cell), Some(self.models.len()), 1);
        tile.update = u32::from(self.game == Mw && cell.is_multiple_of(4));
        self.cells[cell].push((self.nodes.len(), [0.0, 12.0]));
        self.nodes.push(tile);
        let materials = (0..6)
            .map(|k| (cell as u32 + k) % self.materials as u32)
            .collect();
        let flags = self.with_polygons();
        self.models.push(Some(Model {
            bounds,
            kind: 0,
            facade: 0,
            flags,
            uses: 1,
            lights: 0,
            faces: 6,
            materials,
        }));
    }

    /// The `i`-th model of structures.
    fn add_model(&mut self, i: usize, faces: usize) {
        // A third are facades; the mode of the others is stale.
        let (kind, facade) = (u32::from(i.is_multiple_of(3)), [1, 1, 1, 1, 0, 2][i % 6]);
        let materials = (0..6)
            .map(|k| (i as u32 * 7 + k) % self.materials as u32)
            .collect();
        let flags = match self.game {
            Pm if kind == 1 => 0x03,
            Cs if i % 6 == 5 => 0x102,
            _ => self.with_polygons(),
        };
        self.models.push(Some(Model {
            bounds: STRUCTURE,
            kind,
            facade,
            flags,
            uses: 0,
            lights: 0,
            faces,
            materials,
        }));
    }

    /// A structure: the node in a cell, two levels of detail, and an object for each with one of
    /// the `shared` models.
    fn add_structure(&mut self, i: usize, shared: Range<usize>) {
        let home = (i * 7) % self.cells.len();
        let [x, z] = self.corner(home);
        let (x, z) = (x + 100.0, z - 100.0);
        let first = self.nodes.len();
        // Every eighth one is rotated about all three axes; the last bits of its matrix are those
        // of the rule.
        let turn = if i.is_multiple_of(8) {
            [0.1f32, 1.3, -0.2]
        } else {
            [0.0, (i % 7) as f32 * 0.4, 0.0]
        };
        // All boxes are in the node's own space.
        let (name, boxes) = (
            format!("bldg{:02}", i % 100),
            [STRUCTURE, [0.0; 6], STRUCTURE],
        );
        let mut top = self.node(0, name, 5, 0x508, boxes, object(turn, [x, 0.0, z]));
        (top.children, top.active_box) = (vec![first + 1, first + 2], 2);
        top.partition = self.partition(home);
        if self.game == Cs {
            top.structure = [0x9015_5555, 0x882A_AAAA, 0x882A_AAAA, 0x8040_0000, 0, 0][i % 6];
            top.zone = [255, 255, 1, 2][i % 4];
        }
        top.update = match self.game {
            Cs if i.is_multiple_of(9) => 0xE481,
            Pm if i.is_multiple_of(9) => 45697,
            _ => 0,
        };
        self.cells[home].push((first, heights(turn, STRUCTURE)));
        self.nodes.push(top);
        for level in 0..2u32 {
            let most = if i.is_multiple_of(50) {
                10_000_000.0
            } else {
                1200.0
            };
            let (near, far) = if level == 0 {
                (0.0, 300.0)
            } else {
                (300.0, most)
            };
            let own = if self.game == Mw { STRUCTURE } else { [0.0; 6] };
            let (name, data) = (format!("lod{level}"), lod(self.game, level, near, far));
            let mut node = self.node(first, name, 6, 0x500, [own, [0.0; 6], STRUCTURE], data);
            (node.flags, node.active_box) = (0x0308_0504, 2);
            node.children = vec![first + 3 + level as usize];
            self.nodes.push(node);
        }
        for level in 0..2usize {
            let name = match (i + level) % 4 {
                0 => format!("bldg.flt_{level}"),
                n => ["geometry", "healthy", "brigturret2 "][n - 1].to_owned(),
            };
            let boxes = [STRUCTURE, STRUCTURE, [0.0; 6]];
            let mut node = self.node(
                first + 1 + level,
                name,
                5,
                0x308,
                boxes,
                object([0.0; 3], [0.0; 3]),
            );
            let model = shared.start + (2 * i + level) % shared.len();
            (node.model, node.active_box) = (Some(model), 1);
            if let Some(Some(model)) = self.models.get_mut(model) {
                model.uses += 1;
            }
            self.nodes.push(node);
        }
    }

    /// Nodes too large for a cell are children of the world: the sky, and a set of stars without
    /// polygons.
    fn add_sky(&mut self) {
        let dome = [self.low, -10.0, self.low, self.high, 900.0, self.high];
        for (name, lights) in [("sky", 0), ("stars", 64)] {
            let at = self.nodes.len();
            let boxes = [dome, dome, [0.0; 6]];
            let mut node = self.node(0, name.into(), 5, 0x380, boxes, object([0.0; 3], [0.0; 3]));
            (node.model, node.active_box) = (Some(self.models.len()), 1);
            self.nodes[0].children.push(at);
            self.nodes.push(node);
            let (kind, faces, flags) = match lights {
                0 => (0, 6, self.with_polygons()),
                _ => (2, 0, if self.game == Cs { 7 } else { 0x3 }),
            };
            let materials = vec![0, 1, 2];
            self.models.push(Some(Model {
                bounds: dome,
                kind,
                facade: 0,
                flags,
                uses: 1,
                lights,
                faces,
                materials,
            }));
        }
    }

    /// The data of the root: the edges, and the nodes of each cell.
    fn data(&self) -> Out {
        let (game, side, low, high, columns) = (
            self.game,
            self.side,
            self.low,
            self.high,
            self.columns as u32,
        );
        let sun = self.nodes.iter().position(|n| n.class == 9).unwrap_or(0);
        let mut world = Out::default();
        world
            .words(&[0, 0, columns * columns, 0x02E4_0010, 1])
            .zeros(if game == Cs { 32 } else { 12 });
        if game != Cs {
            world.floats(&[400.0, 1400.0, -50.0, 400.0, 0.0]);
        }
        world.floats(&[low, high, high - low, low - high, high, low]);
        if game != Mw {
            world.floats(&[low - 3.0, high + 3.0, high + 3.0, low - 3.0]);
        }
        world.words(&[16, 1, 1, 1, columns - 1, columns - 1]);
        let diagonal = root(side * side + side * side) * -0.5;
        world.floats(&[
            side,
            -side,
            side * 0.5,
            side * -0.5,
            1.0 / side,
            -1.0 / side,
            diagonal,
            3.0,
            3.0,
        ]);
        world
            .words(&[columns, columns, 0x02E5_0010])
            .floats(&[1.0; 3]);
        world.words(&[1, 0x02E6_0010, 0x02E6_0040, 0, 0, 0, 0, sun as u32]);
        let half = f64::from(side) * 0.5;
        for (i, cell) in self.cells.iter().enumerate() {
            let [x, z] = self.corner(i);
            let ends = cell.iter().map(|(_, heights)| *heights);
            let [least, most] = ends
                .reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
                .unwrap_or_default();
            let tall = (f64::from(least) - f64::from(most)) * 0.5;
            let radius = root((2.0 * half * half + tall * tall) as f32);
            world
                .words(&[0x100, NONE])
                .floats(&[x, z, x, least, z - side, x + side, most, z]);
            world.floats(&[x + side * 0.5, (most + least) * 0.5, z - side * 0.5, radius]);
            world
                .half(0)
                .half(cell.len() as i16)
                .word(0x02E7_0010 + i as u32 * 32);
            world.zeros(if game == Mw { 8 } else { 24 });
            for (node, heights) in cell {
                world.word(*node as u32);
                if game != Mw {
                    world.floats(heights);
                }
            }
        }
        world
    }

    fn save(mut self) -> Vec<u8> {
        self.nodes[0].data = self.data();
        let (game, textures, used) = (self.game, self.textures, self.materials);
        let slots = self.models.len() + 13;
        let free: Vec<usize> = (self.models.len()..slots).collect();
        let names = (0..textures).map(|i| match i % 40 {
            // Names that fill their field, so that the suffix is cut off: Crimson Skies has 95 such
            // names in 3,985.
            7 if game == Cs => texture(&format!("sacredtrust_lg{i:03}"), "TIF"),
            9 if game == Cs => texture(&format!("nosuffix{i}"), ""),
            _ => texture(&format!("Sky{i:03}"), "tif"),
        });
        let frames = |i: usize| -> Vec<u32> {
            if i % (used / 3) == 5 {
                (0..3 + i as u32 % 5).collect()
            } else {
                Vec::new()
            }
        };
        let front = Front {
            game,
            textures: names.collect(),
            loaded: if game == Mw { 0 } else { textures * 95 / 100 },
            image: 0x004F_7D28,
            materials: (0..used).map(frames).collect(),
            slots,
            models: &self.models,
            free: &free,
        };
        let mut out = Out::default();
        out.zeros(if game == Mw { 36 } else { 40 });
        let sections = front.save(&mut out);
        // The head of the free list: after the nodes in MechWarrior 3, anywhere in the games that
        // store only used records.
        let head_of_free = if game == Mw {
            self.nodes.len() as u32
        } else {
            2349
        };
        let array = out.at();
        // In MW the states of all textures are 2.
        save_nodes(game, &self.nodes, head_of_free, &mut out);
        head(
            game,
            &mut out,
            sections,
            textures as u32,
            self.nodes.len(),
            head_of_free,
            array,
        );
        out.0
    }
}

/// The box of a structure.
const STRUCTURE: [f32; 6] = [-4.0, 0.0, -4.0, 4.0, 8.0, 4.0];

/// `planes.zbd` of Crimson Skies: 28 aircraft and no world, 2,250 slots of models with free ones in
/// the order in which an editor released them, 608 cycles of 12 frames.
pub fn planes() -> Vec<u8> {
    const SLOTS: usize = 2250;
    let mut free: Vec<usize> = vec![
        1313, 1459, 1680, 1502, 1391, 1395, 1321, 1557, 1396, 1397, 1316, 1558, 1553,
    ];
    free.extend(1779..SLOTS);
    let bounds = [-1.0f32, 0.0, -1.0, 1.0, 2.0, 1.0];
    let mut models: Vec<Option<Model>> = Vec::new();
    for i in 0..1779 {
        let materials = vec![i as u32 % 954];
        let model = Model {
            bounds,
            kind: 0,
            facade: 1,
            flags: 0x107,
            uses: 1,
            lights: 0,
            faces: 1,
            materials,
        };
        models.push((!free.contains(&i)).then_some(model));
    }
    let mut nodes: Vec<Node> = Vec::new();
    let used: Vec<usize> = (0..1779).filter(|i| models[*i].is_some()).collect();
    let per = used.len().div_ceil(28);
    for (plane, parts) in used.chunks(per).enumerate() {
        let root = nodes.len();
        let node = |name: String, parent: Option<usize>, class: u32, flags: u32, data: Out| Node {
            name,
            flags: 0x0308_0004 | flags,
            zone: 255,
            class,
            parent,
            active_box: 2,
            boxes: [if class == 6 { [0.0; 6] } else { bounds }, [0.0; 6], bounds],
            data,
            ..Node::default()
        };
        nodes.push(node(
            format!("player_plane{plane}"),
            None,
            5,
            0x500,
            object([0.0; 3], [0.0; 3]),
        ));
        nodes.push(node(
            "lod1".into(),
            Some(root),
            6,
            0x500,
            lod(Cs, 1, 0.0, 2050.0),
        ));
        nodes[root].children.push(root + 1);
        for (i, model) in parts.iter().enumerate() {
            let at = nodes.len();
            let name = ["cockpit1", "geometry", "rung6", "healthy", "brigturret2 "][i % 5];
            let mut part = node(
                name.into(),
                Some(root + 1),
                5,
                0x300,
                object([0.0, 0.25, 0.0], [0.0, 1.0, 0.0]),
            );
            // A few names are followed by other bytes.
            part.before = match name {
                _ if i % 30 > 4 => None,
                "geometry" => Some("geometry\08\0e_name"),
                "cockpit1" => Some("cockpit1\x000\0e_name"),
                "rung6" => Some("rung6\0t_node_name"),
                _ => None,
            };
            (part.model, part.boxes, part.active_box) =
                (Some(*model), [bounds, bounds, [0.0; 6]], 1);
            nodes[root + 1].children.push(at);
            nodes.push(part);
        }
    }
    let names = (0..298).map(|i| match i {
        100..136 => texture("bldhwk_cowling", ".tif"),
        _ => texture(&format!("plane{i:03}"), "tif"),
    });
    let frames = |i: usize| -> Vec<u32> {
        if i < 608 {
            (0..12 + u32::from(i < 3)).collect()
        } else {
            Vec::new()
        }
    };
    let front = Front {
        game: Cs,
        textures: names.collect(),
        loaded: 256,
        image: 0x004F_7D28,
        materials: (0..954).map(frames).collect(),
        slots: SLOTS,
        models: &models,
        free: &free,
    };
    let mut out = Out::default();
    out.zeros(40);
    let sections = front.save(&mut out);
    let array = out.at();
    save_nodes(Cs, &nodes, 2338, &mut out);
    head(Cs, &mut out, sections, 298, nodes.len(), 2338, array);
    out.0[8..12].copy_from_slice(&967_277_477u32.to_le_bytes());
    out.0
}
