//! `gamez.zbd`.

use super::{Parts, Reader, Record};
use refit::game::Game;

/// What differs between the games.
struct Layout {
    game: Game,
    /// The bytes of the header, a texture, a model, a polygon, a node.
    sizes: [usize; 5],
    materials: i32,
    side: i32,
}

impl Layout {
    fn of(game: Game) -> Layout {
        let (sizes, materials) = match game {
            Game::Rc | Game::RcDemo => ([36, 36, 84, 28, 192], 5000),
            Game::Mw => ([36, 40, 92, 36, 208], 1000),
            Game::Pm | Game::Cs => ([40, 44, 100, 40, 208], 1000),
        };
        Layout {
            game,
            sizes,
            materials,
            side: if game == Game::Cs { 1024 } else { 256 },
        }
    }

    fn is_rc(&self) -> bool {
        self.game == Game::Rc
    }

    fn is_old(&self) -> bool {
        matches!(self.game, Game::Rc | Game::Mw)
    }
}

const ACTIVE: u32 = 1 << 2;
const NODE_BOX: u32 = 1 << 8;
const MODEL_BOX: u32 = 1 << 9;
const CHILD_BOX: u32 = 1 << 10;
const TREE_VALID: u32 = 1 << 19;
const ZONE_CHECK: u32 = 1 << 24;
const BIT_25: u32 = 1 << 25;
/// The flags of all nodes that are not objects.
const USUAL: u32 = ACTIVE | 1 << 3 | 1 << 4 | TREE_VALID | ZONE_CHECK;
/// All flags that occur.
const KNOWN: u32 = USUAL | 1 << 5 | 1 << 6 | 1 << 7 | 7 << 8 | 7 << 15 | 1 << 23 | BIT_25 | 1 << 28;
const SUN_BOX: [f32; 6] = [1.0, 1.0, -2.0, 2.0, 2.0, -1.0];

fn root(value: f32) -> f32 {
    f32::from_bits((value.to_bits() >> 1) + 0x1FC0_0000)
}

/// The game that a world is of.
pub fn game_of(bytes: &[u8]) -> Option<Game> {
    let version = bytes.get(4..8)?.try_into().ok().map(u32::from_le_bytes)?;
    [Game::Rc, Game::Mw, Game::Pm, Game::Cs]
        .into_iter()
        .find(|game| version_of(*game) == version)
}

fn version_of(game: Game) -> u32 {
    match game {
        Game::Rc | Game::RcDemo => 15,
        Game::Mw => 27,
        Game::Pm => 41,
        Game::Cs => 42,
    }
}

/// What mech3ax would refuse in a world. It has at least one texture, one object and, in Recoil and
/// MechWarrior 3, a free node: mech3ax reads no world without.
pub fn world(bytes: &[u8], game: Game) -> Vec<String> {
    read(bytes, game).end()
}

/// The parts of a world, for comparison with another one.
pub fn parts(bytes: &[u8], game: Game) -> Parts {
    read(bytes, game).parts
}

fn read(bytes: &[u8], game: Game) -> Reader<'_> {
    let layout = Layout::of(game);
    let mut reader = Reader::new(bytes);
    let header = reader.take(layout.sizes[0]);
    let more = layout.sizes[0] - 36;
    let [textures, materials, models, nodes] =
        [12, 16, 20, 32].map(|at| header.u(at + more) as usize);
    let (slots, free) = (header.i(24 + more), header.i(28 + more));
    reader.all(
        header,
        "header",
        &[
            ("signature", header.u(0) == 0x0297_1222),
            ("version", header.u(4) == version_of(game)),
            ("textures follow the header", textures == layout.sizes[0]),
            (
                "each section begins behind the one before",
                textures < materials && materials < models && models < nodes,
            ),
            ("more than five nodes", free > 5 || !layout.is_old()),
            (
                "the free node is in the array",
                free <= slots || !layout.is_old(),
            ),
        ],
    );
    let count = header.i(8 + more);
    reader.need((0..4096).contains(&count), header, "number of textures");
    (0..count).for_each(|i| texture(&mut reader, &layout, i));
    reader.need(
        reader.at == materials,
        header,
        "materials follow the textures",
    );
    let used = materials_of(&mut reader, &layout, count as u32);
    reader.need(reader.at == models, header, "models follow the materials");
    let model_count = models_of(&mut reader, &layout, used);
    reader.need(reader.at == nodes, header, "nodes follow the models");
    nodes_of(&mut reader, &layout, slots, model_count);
    reader
}

fn texture(reader: &mut Reader<'_>, layout: &Layout, number: i32) {
    let record = reader.take(layout.sizes[1]);
    reader.part("texture", number, record.bytes);
    if layout.is_old() {
        let rest = layout.sizes[1] - 32;
        reader.all(
            record,
            "texture",
            &[
                ("pointers", record.is_zero(0, 8)),
                ("state", record.u(28) == 2),
                ("category", record.is_zero(32, 28 + rest)),
                ("mip level", record.i(28 + rest) >= -1),
            ],
        );
    } else {
        let is_loaded = record.u(32) == 1;
        reader.all(
            record,
            "texture",
            &[
                ("pointers", record.is_zero(4, 12)),
                ("state", is_loaded || record.u(32) == 2),
                (
                    "the picture's pointer goes with the state",
                    is_loaded == (record.u(0) != 0),
                ),
                ("category", record.u(36) == 0),
                ("mip level", record.i(40) >= -1),
            ],
        );
    }
    let name = if layout.is_old() {
        &record.bytes[8..28]
    } else {
        &record.bytes[12..32]
    };
    let mut parts = name.splitn(3, |byte| *byte == 0);
    let (stem, suffix) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    reader.all(
        record,
        "texture name",
        &[
            (
                "ASCII without a dot",
                stem.iter()
                    .chain(suffix)
                    .all(|byte| byte.is_ascii() && *byte != b'.'),
            ),
            (
                "zeros behind it",
                parts
                    .next()
                    .unwrap_or_default()
                    .iter()
                    .all(|byte| *byte == 0),
            ),
            ("it ends", stem.len() < name.len()),
        ],
    );
}

/// Returns the number of used materials.
fn materials_of(reader: &mut Reader<'_>, layout: &Layout, textures: u32) -> u32 {
    let head = reader.take(16);
    let (slots, count) = (head.i(0), head.i(4));
    reader.all(
        head,
        "materials",
        &[
            ("as many slots as in all worlds", slots == layout.materials),
            ("one is free", count < slots),
            ("first free one", head.i(8) == count),
            ("last used one", head.i(12) == count - 1),
        ],
    );
    let mut cycles = Vec::new();
    for i in 0..slots {
        let slot = reader.take(44);
        let (is_used, flags) = (i < count, slot.bytes[1]);
        let (before, after) = match is_used {
            true => (i - 1, if i + 1 == count { -1 } else { i + 1 }),
            false => (
                if i == count { -1 } else { i - 1 },
                if i + 1 == slots { -1 } else { i + 1 },
            ),
        };
        let links = if is_used {
            [after, before]
        } else {
            [before, after]
        };
        reader.need(
            [40, 42].map(|at| i32::from(slot.h(at))) == links,
            slot,
            "material: links",
        );
        if !is_used {
            let own = if layout.is_rc() { 0 } else { 0x20 };
            reader.need(
                slot.bytes[0] == 0 && flags == own && slot.is_zero(2, 40),
                slot,
                "material: free slot",
            );
            continue;
        }
        reader.part("material", i, &slot.bytes[..40]);
        let is_textured = flags & 1 != 0;
        cycles.extend((slot.u(36) != 0).then_some(i));
        reader.all(
            slot,
            "material",
            &[
                (
                    "flags",
                    flags & 0xF8 == if layout.is_rc() { 0 } else { 0x10 },
                ),
                (
                    "constants",
                    [20, 24, 28].map(|at| slot.f(at)) == [0.0, 0.5, 0.5],
                ),
                ("soil", slot.u(32) <= 13),
                (
                    "texture",
                    if is_textured {
                        slot.u(16) < textures
                    } else {
                        slot.u(16) == 0
                    },
                ),
                ("cycle", (slot.u(36) != 0) == (flags & 4 != 0)),
            ],
        );
        let color: [f32; 3] = slot.floats(4);
        let is_plain = color.iter().all(|part| (0.0..=255.0).contains(part))
            && slot.h(2) == 0
            && flags & 6 == 0;
        let is_white = color == [255.0; 3] && slot.h(2) == 0x7FFF && slot.bytes[0] == 255;
        reader.need(
            if is_textured { is_white } else { is_plain },
            slot,
            "material: colour",
        );
    }
    for i in cycles {
        let from = reader.at;
        let cycle = reader.take(28);
        reader.all(
            cycle,
            "cycle",
            &[
                ("looping", cycle.u(0) <= 1),
                ("position", cycle.u(8) == 0),
                ("speed", (0.0..=16.0).contains(&cycle.f(12))),
                ("two counts", cycle.u(16) == cycle.u(20)),
                ("pointer", cycle.u(24) != 0),
            ],
        );
        let frames = reader.words(cycle.u(16) as usize);
        reader.need(
            frames.iter().all(|frame| *frame < textures),
            cycle,
            "cycle: textures",
        );
        reader.part("material", i, &reader.bytes[from..reader.at]);
    }
    count as u32
}

/// Returns the number of used models.
fn models_of(reader: &mut Reader<'_>, layout: &Layout, materials: u32) -> i32 {
    let head = reader.take(12);
    let (slots, count) = (head.i(0), head.i(4));
    reader.need(
        0 <= count && count < slots && head.i(8) == count,
        head,
        "models: one is free, and the first such",
    );
    let size = layout.sizes[2];
    let mut used = Vec::new();
    for i in 0..slots {
        let slot = reader.take(size + 4);
        if i < count {
            model(reader, layout, slot);
            used.push(slot);
        } else {
            let next = if i + 1 == slots { -1 } else { i + 1 };
            reader.need(
                slot.is_zero(0, size) && slot.i(size) == next,
                slot,
                "model: free slot",
            );
        }
    }
    for (i, slot) in (0..).zip(used) {
        reader.need(
            slot.u(size) as usize == reader.at,
            slot,
            "model: its data follow those before",
        );
        let from = reader.at;
        stream(reader, layout, slot, materials);
        reader.part("model", i, &slot.bytes[..size]);
        reader.part("model", i, &reader.bytes[from..reader.at]);
    }
    count
}

/// The counts of a model: polygons, vertices, normals, morphs, lights.
fn counts(layout: &Layout, slot: Record<'_>) -> [usize; 5] {
    let from = if layout.is_rc() { 12 } else { 16 };
    std::array::from_fn(|n| slot.u(from + 4 * n) as usize)
}

fn model(reader: &mut Reader<'_>, layout: &Layout, slot: Record<'_>) {
    let more = if layout.is_rc() { 0 } else { 4 };
    let counts = counts(layout, slot);
    let [polygons, vertices, normals, morphs, lights] = counts;
    // The pointers are in another order than the counts: lights before morphs.
    let pointers: [u32; 5] = std::array::from_fn(|n| slot.u(48 + more + 4 * n));
    let with = [polygons, vertices, normals, lights, morphs];
    reader.all(
        slot,
        "model",
        &[
            ("type", slot.u(0) <= 2),
            ("side that turns", more == 0 || slot.u(4) <= 3),
            (
                "flags",
                slot.u(4 + more) & !if layout.is_rc() { 0x3F } else { 0x1FF } == 0,
            ),
            ("something shows it", slot.u(8 + more) > 0),
            ("morph factor", slot.f(32 + more) == 0.0),
            ("scrolled frame", slot.u(44 + more) == 0),
            (
                "pointers go with counts",
                (0..5).all(|n| (with[n] > 0) == (pointers[n] != 0)),
            ),
            (
                "polygons, or lights alone",
                polygons > 0 || lights > 0 && vertices + normals + morphs == 0,
            ),
            ("active polygon", more == 0 || slot.u(88) == 0),
        ],
    );
    if layout.sizes[2] == 100 {
        reader.need(
            (slot.u(92) > 0) == (slot.u(96) != 0),
            slot,
            "model: pointer to materials",
        );
    }
}

fn stream(reader: &mut Reader<'_>, layout: &Layout, slot: Record<'_>, materials: u32) {
    let [polygons, vertices, normals, morphs, lights] = counts(layout, slot);
    reader.take(12 * (vertices + normals + morphs));
    let points: Vec<Record<'_>> = (0..lights).map(|_| reader.take(76)).collect();
    for point in points {
        reader.need(
            (1..=10).contains(&point.i(12)) && point.u(44) != 0,
            point,
            "point light",
        );
        reader.take(12 * point.u(12) as usize);
    }
    let size = layout.sizes[3];
    let records: Vec<Record<'_>> = (0..polygons).map(|_| reader.take(size)).collect();
    let is_new = size == 40;
    let (mask, with_normals, known) = if is_new {
        (0x3FF, 0x1000, 0x7FFF)
    } else {
        (0xFF, 0x200, 0x7FF)
    };
    for polygon in records {
        let (corners, has_normals) = (
            (polygon.u(0) & mask) as usize,
            polygon.u(0) & with_normals != 0,
        );
        let [uvs, colors, zones] = match size {
            28 => [16, 8, 24],
            36 => [16, 20, 32],
            _ => [24, 28, 36],
        };
        reader.all(
            polygon,
            "polygon",
            &[
                (
                    "flags",
                    polygon.u(0) & !known == 0 && (size != 28 || polygon.u(0) & 0x400 == 0),
                ),
                ("three corners", corners >= 3),
                ("priority", (-50..=50).contains(&polygon.i(4))),
                (
                    "pointers",
                    polygon.u(8) != 0
                        && polygon.u(colors) != 0
                        && (size == 28 || polygon.u(colors + 4) != 0),
                ),
                ("pointer to normals", has_normals == (polygon.u(12) != 0)),
            ],
        );
        let own = polygon.bytes[zones] as usize;
        let is_filled = own <= 3
            && polygon.bytes[zones + 1 + own..zones + 4]
                .iter()
                .all(|byte| *byte == 0xFF);
        reader.need(is_filled, polygon, "polygon: zones");
        let indices = reader.words(corners * (1 + usize::from(has_normals)));
        let (at, by) = indices.split_at(corners);
        let is_inside = at.iter().all(|i| (*i as usize) < vertices)
            && by.iter().all(|i| (*i as usize) < normals);
        reader.need(is_inside, polygon, "polygon: indices");
        let own = if is_new {
            reader.words(polygon.u(16) as usize)
        } else {
            vec![polygon.u(zones - 4)]
        };
        let is_known = !own.is_empty() && own.iter().all(|material| *material < materials);
        reader.need(is_known, polygon, "polygon: materials");
        if polygon.u(uvs) != 0 {
            reader.take(8 * corners * own.len());
        }
        if size > 28 {
            reader.take(12 * corners);
        }
    }
    if layout.sizes[2] == 100 {
        for _ in 0..slot.u(92) {
            let reference = reader.take(12);
            reader.need(
                reference.u(0) < materials,
                reference,
                "reference to a material",
            );
        }
    }
}

/// A node: its record, and how many parents and children it has.
struct Node<'a> {
    record: Record<'a>,
    class: u32,
    parents: usize,
    children: usize,
    boxes: [[f32; 6]; 3],
}

impl<'a> Node<'a> {
    fn of(record: Record<'a>, layout: &Layout) -> Node<'a> {
        let (parents, children) = match layout.is_old() {
            true => (record.u(84) as usize, record.u(92) as usize),
            false => (record.h(84) as usize, record.h(86) as usize),
        };
        let boxes = [116, 140, 164].map(|at| record.floats(at));
        Node {
            record,
            class: record.u(52),
            parents,
            children,
            boxes,
        }
    }
}

fn nodes_of(reader: &mut Reader<'_>, layout: &Layout, slots: i32, models: i32) {
    let size = layout.sizes[4];
    let mut used = Vec::new();
    for i in 0..slots {
        let record = reader.take(size + 4);
        if layout.is_old() && record.is_zero(0, 36) {
            let is_empty = record.is_zero(36, 60) && record.i(60) == -1 && record.is_zero(64, size);
            let next = if i + 1 == slots { 0x00FF_FFFF } else { i + 1 };
            reader.need(is_empty && record.i(size) == next, record, "free node");
        } else {
            reader.need(used.len() == i as usize, record, "nodes are the first ones");
            let node = Node::of(record, layout);
            check(reader, layout, &node, models);
            used.push(node);
        }
    }
    let kinds = |class: u32| used.iter().filter(|node| node.class == class).count();
    let fault = match layout.is_old() {
        true => used.len() < 6 || used.len() == slots as usize,
        false => used.len() != slots as usize,
    };
    let first = used[0].record;
    reader.need(
        !fault && used[0].class == 2 && kinds(2) == 1 && kinds(9) == 1,
        first,
        "world, light, six and a free one",
    );
    for (i, node) in (0..).zip(&used) {
        let from = reader.at;
        let link = node.record.u(size);
        match layout.is_old() {
            true if node.class == 0 => reader.need(
                (4..=slots as u32).contains(&link),
                node.record,
                "node: next free one",
            ),
            true => reader.need(
                link as usize == reader.at,
                node.record,
                "node: its data follow",
            ),
            false => reader.need(link >> 24 == 2, node.record, "node: link"),
        }
        data(reader, layout, node);
        let lists = reader.words(node.parents + node.children);
        reader.need(
            lists.iter().all(|i| (*i as usize) < used.len()),
            node.record,
            "node: parents and children",
        );
        // Crimson Skies stores the place of the data as their pointer.
        reader.part("node", i, &node.record.bytes[..56]);
        reader.part("node", i, &node.record.bytes[60..size]);
        reader.part("node", i, &reader.bytes[from..reader.at]);
    }
}

fn check(reader: &mut Reader<'_>, layout: &Layout, node: &Node<'_>, models: i32) {
    let record = node.record;
    let pointers = if layout.is_old() { [88, 96] } else { [88, 92] };
    let (place, none) = match layout.is_old() {
        true => ([record.i(76), record.i(80)], [-1, -1]),
        false => ([i32::from(record.h(76)), i32::from(record.h(78))], [-1, -1]),
    };
    let (flags, model, zone) = (record.u(36), record.i(60), record.u(48));
    reader.all(
        record,
        "node",
        &[
            ("flags", flags & !KNOWN == 0),
            (
                "constants",
                record.u(40) == 0 && record.u(64) == 0 && record.u(68) == 1 && record.u(72) == 0,
            ),
            ("zone", zone == 255 || zone <= 80),
            ("class", [0, 1, 2, 3, 4, 5, 6, 9].contains(&node.class)),
            ("model", (-1..models).contains(&model)),
            (
                "cell",
                place == none || place.iter().all(|n| (0..256).contains(n)),
            ),
            (
                "pointer to parents",
                (node.parents > 0) == (record.u(pointers[0]) != 0),
            ),
            (
                "pointer to children",
                (node.children > 0) == (record.u(pointers[1]) != 0),
            ),
            ("pointer to data", (node.class != 0) == (record.u(56) != 0)),
            ("sphere", record.is_zero(pointers[1] + 4, pointers[1] + 20)),
            ("activation", record.u(188) == 0),
        ],
    );
    if !layout.is_rc() {
        let own = if matches!(node.class, 0 | 5 | 6) {
            160
        } else {
            0
        };
        reader.need(
            record.i(196) == own && record.u(192) == 0 && record.is_zero(200, 208),
            record,
            "node: constants",
        );
    }
    let empty = [0.0; 6];
    let [own, of_model, of_children] = node.boxes;
    let with_box = |flag: u32, sides: [f32; 6]| flags & flag != 0 || sides == empty;
    match node.class {
        5 => {
            let always = ACTIVE
                | BIT_25
                | if layout.is_rc() {
                    0
                } else {
                    TREE_VALID | ZONE_CHECK
                };
            let update = if layout.is_rc() { 4 } else { 1 };
            reader.all(
                record,
                "object",
                &[
                    ("flags", flags & always == always),
                    (
                        "update flags",
                        record.u(44) == update || layout.game == Game::Cs,
                    ),
                    (
                        "flag of the model",
                        (flags & MODEL_BOX != 0) == (model >= 0),
                    ),
                    (
                        "boxes",
                        !layout.is_rc()
                            || with_box(NODE_BOX, own)
                                && with_box(MODEL_BOX, of_model)
                                && with_box(CHILD_BOX, of_children),
                    ),
                    ("one parent at most", node.parents <= 1),
                ],
            );
        }
        6 => reader.all(
            record,
            "level of detail",
            &[
                ("model", model == -1 && of_model == empty),
                ("cell", place == none || layout.game == Game::Mw),
                (
                    "relatives",
                    layout.is_rc() || node.parents == 1 && node.children > 0,
                ),
            ],
        ),
        0 => reader.need(
            model == -1 && node.parents + node.children == 0,
            record,
            "empty node",
        ),
        class => {
            let name = ["camera1", "world1", "window1", "display"]
                .get(class as usize - 1)
                .unwrap_or(&"sunlight");
            let is_own = layout.game == Game::Cs || record.bytes.starts_with(name.as_bytes());
            let flags = if class == 9 && layout.game == Game::Cs {
                flags | ACTIVE
            } else {
                flags
            };
            let sun = if class == 9 { NODE_BOX } else { 0 };
            reader.all(
                record,
                name,
                &[
                    ("name", is_own),
                    ("flags", flags == USUAL | sun),
                    ("update flags", record.u(44) == 0),
                    ("zone", zone == 255),
                    ("no model and no cell", model == -1 && place == none),
                    (
                        "boxes",
                        own == if class == 9 { SUN_BOX } else { empty }
                            && of_model == empty
                            && of_children == empty,
                    ),
                    (
                        "relatives",
                        node.parents == 0 && (node.children > 0) == (class == 2),
                    ),
                ],
            );
        }
    }
}

fn data(reader: &mut Reader<'_>, layout: &Layout, node: &Node<'_>) {
    match node.class {
        1 => camera(reader, layout),
        2 => world_data(reader, layout),
        3 => {
            let window = reader.take(248);
            let is_usual =
                window.is_zero(0, 8) && window.is_zero(16, 228) && window.is_zero(232, 248);
            reader.need(is_usual && window.i(228) == -1, window, "window");
        }
        4 => {
            let display = reader.take(28);
            reader.need(
                display
                    .floats::<3>(16)
                    .iter()
                    .all(|c| (0.0..=1.0).contains(c)),
                display,
                "display: colour",
            );
        }
        5 => object(reader),
        6 => {
            let lod = reader.take(if layout.is_old() { 80 } else { 92 });
            let far = lod.f(8);
            reader.need(
                lod.f(4) >= 0.0 && lod.f(12) == far * far && lod.is_zero(16, 60),
                lod,
                "level of detail",
            );
        }
        9 => light(reader, layout),
        _ => {}
    }
}

fn camera(reader: &mut Reader<'_>, layout: &Layout) {
    let camera = reader.take(488);
    let [near, far, lod, inverse] = [176, 180, 208, 212].map(|at| camera.f(at));
    let [scales, bases, scaled, halves, cots] =
        [216, 224, 232, 240, 468].map(|at| camera.floats::<2>(at));
    let is_zero = |from: usize, to: usize| camera.floats_are_zero(from, to);
    reader.all(
        camera,
        "camera",
        &[
            ("world", camera.i(0) == 0),
            ("nothing in focus", camera.i(12) == -1),
            (
                "never moved",
                camera.u(16) == 0 && is_zero(20, 176) && is_zero(184, 208),
            ),
            ("clip", near > 0.0 && far > near),
            (
                "to be computed",
                [248, 312, 388].map(|at| camera.u(at)) == [1; 3],
            ),
            (
                "nothing computed",
                is_zero(252, 312)
                    && is_zero(316, 388)
                    && is_zero(392, 468)
                    && camera.is_zero(476, 484),
            ),
            ("zones", camera.u(484) == 0xFFFF_FF00),
        ],
    );
    if layout.game != Game::Cs {
        let cot = |half: f32| (1.0 / f64::from(half).tan()) as f32;
        reader.all(
            camera,
            "camera",
            &[
                ("window", camera.i(4) == 1),
                ("detail", lod == 1.0 && inverse == 1.0),
                (
                    "angles",
                    scales == [1.0; 2] && bases == scaled && bases.iter().all(|angle| *angle > 0.0),
                ),
                ("half angles", halves == scaled.map(|angle| angle / 2.0)),
                ("cotangents", cots == halves.map(cot)),
            ],
        );
    }
}

impl Record<'_> {
    /// Numbers that are zero; −0 is accepted.
    fn floats_are_zero(self, from: usize, to: usize) -> bool {
        (from..to).step_by(4).all(|at| self.f(at) == 0.0)
    }
}

fn object(reader: &mut Reader<'_>) {
    let object = reader.take(144);
    let flags = object.u(0);
    let [turn, scale] = [24, 36].map(|at| object.floats::<3>(at));
    let matrix: [f32; 12] = object.floats(48);
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let is_still = turn == [0.0; 3] && scale == [1.0; 3];
    let (sin, cos) = (turn.map(f32::sin), turn.map(f32::cos));
    let mut rows = [
        [
            sin[1] * sin[0] * sin[2] + cos[1] * cos[2],
            cos[0] * sin[2],
            cos[1] * sin[0] * sin[2] - sin[1] * cos[2],
        ],
        [
            sin[1] * sin[0] * cos[2] - cos[1] * sin[2],
            cos[0] * cos[2],
            cos[1] * sin[0] * cos[2] + sin[1] * sin[2],
        ],
        [sin[1] * cos[0], -sin[0], cos[1] * cos[0]],
    ];
    for (row, scale) in rows.iter_mut().zip(scale) {
        *row = row.map(|part| part * scale);
    }
    // Sine and cosine differ by a last bit between libraries.
    let is_near = rows
        .iter()
        .flatten()
        .zip(&matrix)
        .all(|(a, b)| (a - b).abs() <= 1e-6 * scale[0].max(1.0));
    let is_turned = turn.iter().all(|angle| angle.abs() <= std::f32::consts::PI) && is_near;
    reader.all(
        object,
        "object",
        &[
            ("flags", [0x20, 0x28, 0x30].contains(&flags)),
            ("no colour of its own", object.floats_are_zero(4, 24)),
            ("nothing computed", object.floats_are_zero(96, 144)),
            (
                "place",
                match flags {
                    0x28 => is_still && matrix == unit,
                    0x30 => is_still,
                    _ => is_turned,
                },
            ),
        ],
    );
}

fn light(reader: &mut Reader<'_>, layout: &Layout) {
    let (size, from) = match layout.game {
        Game::Rc | Game::RcDemo => (228, 8),
        Game::Mw => (208, 0),
        Game::Pm | Game::Cs => (256, 0),
    };
    let light = reader.take(size);
    let [near, far] = light.floats(size - if layout.is_rc() { 24 } else { 28 });
    let tail = size - 16;
    let [diffuse, ambient] = light.floats(from + 156);
    let is_part = |part: &f32| (0.0..=1.0).contains(part);
    reader.all(
        light,
        "light",
        &[
            (
                "angle and place",
                light.floats_are_zero(from + 8, from + 132),
            ),
            (
                "direction of view",
                light.floats(from + 132) == [0.0, 1.0, 0.0]
                    && light.floats_are_zero(from + 144, from + 156),
            ),
            ("colour", light.floats::<5>(from + 156).iter().all(is_part)),
            (
                "range",
                near > 0.0
                    && far > near
                    && light.f(tail) == far * far
                    && light.f(tail + 4) == 1.0 / (far - near),
            ),
            (
                "one world",
                light.u(tail + 8) == 1 && light.u(tail + 12) != 0,
            ),
        ],
    );
    let flags = match layout.game {
        Game::Rc | Game::RcDemo => {
            [0, 4, 184, 188, 192, 196, 200].map(|at| light.u(at)) == [1, 1, 0, 1, 0, 1, 1]
        }
        Game::Mw => light.u(176) == 0x38B,
        Game::Pm => light.u(224) == 0x98B,
        Game::Cs => light.u(224) == 0x8B1,
    };
    reader.need(flags, light, "light: flags");
    if !layout.is_rc() {
        reader.need(
            light.f(tail - 4) == near * near,
            light,
            "light: square of the range",
        );
        reader.need(light.floats(164) == [1.0; 3], light, "light: white");
    }
    if size == 256 {
        let parts = [[1.0; 3], [diffuse; 3], [ambient; 3], [diffuse + ambient; 3]];
        reader.need(
            [176, 188, 200, 212].map(|at| light.floats::<3>(at)) == parts,
            light,
            "light: its colours",
        );
        let angle: f32 = if layout.game == Game::Pm {
            -std::f32::consts::FRAC_PI_6
        } else {
            0.0
        };
        reader.need(
            light.f(0) == angle && near == 32.0,
            light,
            "light: from above",
        );
    }
    let worlds = reader.words(light.u(tail + 8) as usize);
    reader.need(worlds == [0], light, "light: of the world");
}

fn world_data(reader: &mut Reader<'_>, layout: &Layout) {
    let size = match layout.game {
        Game::Rc | Game::RcDemo => 172,
        Game::Mw => 188,
        Game::Pm | Game::Cs => 204,
    };
    let world = reader.take(size);
    let [left, bottom, width, height, right, top] = world.floats(52);
    let fog: [f32; 8] = world.floats(20);
    let side = layout.side as f32;
    let has_edges = size == 204;
    // The bytes after the edges, and those after the sides of the cells.
    let (from, cells) = (if has_edges { 92 } else { 76 }, size - 88);
    let columns = ((right - left) / side) as i32;
    let rows = ((bottom - top) / side) as i32;
    let is_whole = [left, bottom, right, top]
        .iter()
        .all(|edge| edge % side == 0.0);
    reader.all(
        world,
        "world",
        &[
            ("nothing changed", world.is_zero(0, 8) && world.u(12) != 0),
            (
                "fog",
                world.u(16) == 1
                    && match layout.is_rc() {
                        true => {
                            fog[3] < fog[4]
                                && fog[5] > fog[6]
                                && fog[7] == 0.0
                                && fog[..3].iter().all(|c| (0.0..=1.0).contains(c))
                        }
                        false => fog == [0.0; 8],
                    },
            ),
            (
                "area",
                is_whole
                    && right > left
                    && bottom > top
                    && width == right - left
                    && height == top - bottom,
            ),
            (
                "edges",
                !has_edges
                    || world.floats(76) == [left - 3.0, bottom + 3.0, right + 3.0, top - 3.0],
            ),
            ("features of a cell", world.u(from) == 16),
            (
                "cells in use",
                world.u(from + 4) == u32::from(!layout.is_rc()),
            ),
            (
                "cells",
                [world.i(cells + 36), world.i(cells + 40)] == [columns, rows]
                    && world.u(cells + 44) != 0,
            ),
            (
                "sides of cells",
                world.floats(cells)
                    == [
                        side,
                        -side,
                        side / 2.0,
                        -side / 2.0,
                        1.0 / side,
                        -1.0 / side,
                    ],
            ),
            (
                "sphere of cells",
                world.f(cells + 24) == -0.5 * root(2.0 * side * side),
            ),
            ("tolerance", world.floats(cells + 28) == [3.0; 2]),
            ("ones", world.floats(cells + 48) == [1.0; 3]),
            (
                "one light",
                world.u(cells + 60) == 1 && world.u(cells + 64) != 0 && world.u(cells + 68) != 0,
            ),
            ("no sounds", world.is_zero(cells + 72, size)),
        ],
    );
    if !layout.is_rc() {
        let shown: [i32; 4] = std::array::from_fn(|n| world.i(from + 8 + 4 * n));
        reader.need(
            shown == [1, 1, columns - 1, rows - 1],
            world,
            "world: cells in view",
        );
        reader.need(
            world.i(8) == columns * rows,
            world,
            "world: number of cells",
        );
    }
    reader.words(world.u(cells + 60) as usize);
    for row in 0..rows {
        for column in 0..columns {
            let x = left + side * column as f32;
            cell(reader, layout, x, bottom - side * row as f32);
        }
    }
}

fn cell(reader: &mut Reader<'_>, layout: &Layout, x: f32, z: f32) {
    let (size, member) = match layout.game {
        Game::Rc | Game::RcDemo => (64, 4),
        Game::Mw => (72, 4),
        Game::Pm | Game::Cs => (88, 12),
    };
    let (cell, side) = (reader.take(size), layout.side as f32);
    let ([low, high], count) = ([cell.f(20), cell.f(32)], cell.h(58));
    let half = f64::from(side / 2.0);
    let height = (f64::from(low) - f64::from(high)) * 0.5;
    reader.all(
        cell,
        "cell",
        &[
            (
                "constants",
                cell.u(0) == 0x100 && cell.i(4) == -1 && cell.h(56) == 0 && cell.is_zero(64, size),
            ),
            ("place", cell.floats(8) == [x, z]),
            (
                "box",
                [cell.f(16), cell.f(24), cell.f(28), cell.f(36)] == [x, z - side, x + side, z],
            ),
            (
                "middle",
                cell.floats(40) == [x + side / 2.0, (high + low) * 0.5, z - side / 2.0],
            ),
            (
                "sphere",
                cell.f(52) == root((2.0 * half * half + height * height) as f32),
            ),
            ("pointer", (count > 0) == (cell.u(60) != 0)),
        ],
    );
    reader.take(member * count as usize);
}
