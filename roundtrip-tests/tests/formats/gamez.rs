//! Edits of worlds and mechlibs, with expected bytes made by hand from the layouts in the
//! references.

use bytes::Bytes;
use refit::{
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};
use roundtrip_tests::*;
use serde_json::{Value, json};

/// MW: 36 bytes of header, slots of 96 bytes, node records of 212.
const MATERIALS: usize = 16;
const MODELS: usize = 20;
const NODES: usize = 32;

fn u32_at(b: &[u8], at: usize) -> usize {
    u32::from_le_bytes(b[at..at + 4].try_into().unwrap()) as usize
}

fn set(b: &mut [u8], at: usize, bytes: &[u8]) {
    b[at..at + bytes.len()].copy_from_slice(bytes);
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|f| f.to_le_bytes()).collect()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|f| f.to_le_bytes()).collect()
}

/// The start of a MW model's stream.
fn stream(b: &[u8], model: usize) -> usize {
    u32_at(b, u32_at(b, MODELS) + 12 + 96 * model + 92)
}

fn record(b: &[u8], node: usize) -> usize {
    u32_at(b, NODES) + 212 * node
}

/// The start of a MW node's data.
fn data(b: &[u8], node: usize) -> usize {
    u32_at(b, record(b, node) + 208)
}

/// Inserts bytes into a MW world and moves every offset at or after the position.
fn insert(b: &mut Vec<u8>, at: usize, new: &[u8]) {
    let (models, nodes) = (u32_at(b, MODELS), u32_at(b, NODES));
    let slots: Vec<usize> = (0..u32_at(b, models + 4))
        .map(|i| models + 12 + 96 * i + 92)
        .collect();
    let links = (0..u32_at(b, 24))
        .map(|i| nodes + 212 * i)
        .filter(|r| u32_at(b, r + 52) != 0)
        .map(|r| r + 208);
    let places: Vec<usize> = [MATERIALS, MODELS, NODES]
        .into_iter()
        .chain(slots)
        .chain(links)
        .collect();
    for place in places {
        let to = u32_at(b, place);
        if to >= at {
            set(b, place, &((to + new.len()) as u32).to_le_bytes());
        }
    }
    b.splice(at..at, new.iter().copied());
}

fn world() -> (Case, Folder) {
    let case = golden_file("gamez", "mw_tight.gamez.zbd");
    let tree = unpack(&case, Hints::default(), Style::Json);
    (case, tree)
}

#[test]
fn a_vertex_moves() {
    let (case, tree) = world();
    change(&tree, "models/0001", |m| {
        m["vertices"][1] = json!([1.5, -0.0, 3.25])
    });
    let mut expected = case.bytes.to_vec();
    let at = stream(&expected, 1) + 12;
    set(&mut expected, at, &floats(&[1.5, -0.0, 3.25]));
    assert_bytes(&repack(&tree), &expected);
}

#[test]
fn a_polygon_is_added() {
    let (case, tree) = world();
    change(&tree, "models/0001", |m| {
        let polygon = json!({ "material": 3, "vertices": [0, 1, 2], "uvs": [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]] });
        m["polygons"].as_array_mut().unwrap().push(polygon);
    });
    let mut b = case.bytes.to_vec();
    let slot = u32_at(&b, MODELS) + 12 + 96;
    let (count, normals, lights) = (
        u32_at(&b, slot + 16),
        u32_at(&b, slot + 24),
        u32_at(&b, slot + 32),
    );
    assert!(count > 0, "the model has polygons");
    let start = stream(&b, 1);
    let mut records =
        start + 12 * (u32_at(&b, slot + 20) + normals + u32_at(&b, slot + 28)) + 76 * lights;
    for i in 0..lights {
        records += 12
            * u32_at(
                &b,
                start + 12 * (u32_at(&b, slot + 20) + normals) + 76 * i + 12,
            );
    }
    // The data of the polygon after those of all others, then its record after the other records.
    let end = stream(&b, 2);
    let white = floats(&[255.0; 9]);
    let uvs = floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    insert(&mut b, end, &[words(&[0, 1, 2]), uvs, white].concat());
    let head = [
        words(&[3, 0]),
        words(&[1, 0, 1, 1, 1]),
        words(&[3, 0xFFFF_FF00]),
    ]
    .concat();
    insert(&mut b, records + 36 * count, &head);
    set(&mut b, slot + 16, &(count as u32 + 1).to_le_bytes());
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_material_gets_another_texture() {
    let (case, tree) = world();
    edit(&tree, "materials.json", r#""6 tower6""#, "11");
    let mut b = case.bytes.to_vec();
    let at = u32_at(&b, MATERIALS) + 16 + 44 * 4 + 16;
    assert_eq!(u32_at(&b, at), 6);
    set(&mut b, at, &11u32.to_le_bytes());
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_cycle_gets_a_texture() {
    let (case, tree) = world();
    change(&tree, "materials.json", |m| {
        m["materials"][2]["cycle"]["frames"] = json!([3, 5])
    });
    let mut b = case.bytes.to_vec();
    let materials = u32_at(&b, MATERIALS);
    let block = materials + 16 + 44 * u32_at(&b, materials);
    let old = u32_at(&b, block + 16);
    b.drain(block + 28..block + 28 + 4 * old);
    assert_eq!(old, 0, "the first cycle of this file has no frames");
    insert(&mut b, block + 28, &words(&[3, 5]));
    set(&mut b, block + 16, &words(&[2, 2]));
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_moved_and_rotated_node_updates_its_matrix() {
    let (case, tree) = world();
    // Node 8 is an object in the plain mode: its matrix is not in the tree.
    change(&tree, "nodes/00000", |n| {
        let object = &mut n["nodes"][8]["data"]["object3d"];
        assert!(
            object.get("matrix").is_none() && object.get("scale").is_none(),
            "{object}"
        );
        object["translation"] = json!([10.0, 20.0, -30.5]);
        object["rotation"] = json!([0.25, -1.0, 0.5]);
    });
    let mut b = case.bytes.to_vec();
    let at = data(&b, 8);
    // src/zipper/gamez/FORMAT.md, with this machine's functions in f64, rounded once.
    let f = |x: f64| x as f32;
    let (sx, cx) = (f(0.25f64.sin()), f(0.25f64.cos()));
    let (sy, cy) = (f((-1.0f64).sin()), f((-1.0f64).cos()));
    let (sz, cz) = (f(0.5f64.sin()), f(0.5f64.cos()));
    let matrix = [
        (sy * sx) * sz + cy * cz,
        cx * sz,
        (cy * sx) * sz - sy * cz,
        (sy * sx) * cz - cy * sz,
        cx * cz,
        (cy * sx) * cz + sy * sz,
        sy * cx,
        -sx,
        cy * cx,
    ];
    set(&mut b, at + 24, &floats(&[0.25, -1.0, 0.5]));
    set(&mut b, at + 48, &floats(&matrix));
    set(&mut b, at + 84, &floats(&[10.0, 20.0, -30.5]));
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_light_reaches_farther() {
    let (case, tree) = world();
    change(&tree, "nodes/00000", |n| {
        let light = &mut n["nodes"][4]["data"]["light"];
        light["range_near"] = json!(3.0);
        light["range_far"] = json!(7.1);
    });
    let mut b = case.bytes.to_vec();
    let at = data(&b, 4);
    set(
        &mut b,
        at + 180,
        &floats(&[3.0, 7.1, 9.0, 7.1f32 * 7.1, 1.0 / (7.1f32 - 3.0)]),
    );
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_child_node_is_added() {
    let (case, tree) = world();
    let nodes = u32_at(&case.bytes, 24);
    let new = nodes - 1;
    assert_eq!(
        u32_at(&case.bytes, record(&case.bytes, new) + 208),
        0xFF_FFFF,
        "the last record is free"
    );
    change(&tree, "nodes/00000", |n| {
        let list = n["nodes"].as_array_mut().unwrap();
        assert_eq!(list.len(), new);
        list[8]["children"] = json!([new]);
        list.push(json!({
            "name": "spare", "flags": ["ACTIVE", "SINGLE_PARENT"], "model": 1,
            "data": { "object3d": { "flags": ["ALWAYS"], "translation": [1.0, 2.0, 3.0] } }
        }));
    });
    // `list` names the documents that are there, not those of a new tree.
    let (_, edited) = pipeline::assemble(&tree).unwrap();
    let mut listed: Vec<String> = edited
        .model()
        .members()
        .into_iter()
        .map(|member| member.name + ".json")
        .collect();
    let is_member = |path: &String| {
        ["models/", "nodes/", "textures", "materials"]
            .iter()
            .any(|start| path.starts_with(start))
    };
    let mut there: Vec<String> = tree.paths().into_iter().filter(is_member).collect();
    listed.sort();
    there.sort();
    assert_eq!(listed, there);
    let mut b = case.bytes.to_vec();
    // The parent: one more child, at the end of its block, where the next one begins.
    let parent = record(&b, 8);
    assert_eq!(u32_at(&b, parent + 92), 0);
    set(&mut b, parent + 92, &words(&[1, 1]));
    let at = data(&b, 9);
    insert(&mut b, at, &words(&[new as u32]));
    // The new record.
    let end = b.len();
    let at = record(&b, new);
    let mut node = vec![0; 208];
    set(&mut node, 0, b"Default_node_name");
    set(&mut node, 0, b"spare\0");
    set(&mut node, 36, &words(&[0x0008_0004, 0, 0, 255, 5, 1]));
    set(
        &mut node,
        60,
        &words(&[1, 0, 1, 0, u32::MAX, u32::MAX, 1, 1]),
    );
    set(&mut node, 196, &words(&[160]));
    set(&mut b, at, &[node, words(&[end as u32])].concat());
    let mut object = vec![0; 144];
    set(&mut object, 0, &words(&[0x20]));
    set(&mut object, 36, &floats(&[1.0; 3]));
    // With all angles zero the formula gives 1 and 0, but −sin 0 = −0 in the eighth element, and
    // −sy·cz … in the third.
    set(
        &mut object,
        48,
        &floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -0.0, 1.0]),
    );
    set(&mut object, 84, &floats(&[1.0, 2.0, 3.0]));
    b.extend(object);
    b.extend(words(&[8]));
    // The free list is empty now, and model 1 has one more user.
    set(&mut b, 28, &words(&[new as u32 + 1]));
    let slot = u32_at(&b, MODELS) + 12 + 96;
    let uses = u32_at(&b, slot + 12);
    let users = |b: &[u8]| {
        (0..new)
            .filter(|i| u32_at(b, record(b, *i) + 60) == 1)
            .count()
    };
    if uses == users(&b) {
        set(&mut b, slot + 12, &words(&[uses as u32 + 1]));
    }
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_model_is_added_by_adding_its_file() {
    let (case, tree) = world();
    let count = u32_at(&case.bytes, u32_at(&case.bytes, MODELS) + 4);
    let model = json!({
        "flags": ["LIGHTING"], "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 1.0,
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        "polygons": [{ "material": 0, "vertices": [0, 1, 2] }]
    });
    tree.set(
        &format!("models/{count:04}-new.json"),
        model.to_string().into_bytes(),
    );
    let bytes = repack(&tree);
    let models = u32_at(&bytes, MODELS);
    assert_eq!(u32_at(&bytes, models + 4), count + 1, "count");
    let slot = models + 12 + 96 * count;
    assert_eq!(u32_at(&bytes, slot + 16), 1, "polygons");
    assert_eq!(u32_at(&bytes, slot + 20), 3, "vertices");
    // 3 vertices, one polygon of 36 bytes, 3 indices, 3 colours, and then the nodes.
    assert_eq!(
        u32_at(&bytes, slot + 92) + 36 + 36 + 12 + 36,
        u32_at(&bytes, NODES)
    );
    let case = Case {
        path: "new.gamez.zbd".into(),
        folder: "gamez".into(),
        bytes: bytes.into(),
    };
    exact(&case, Hints::default());
}

#[test]
fn a_reference_to_a_moved_name_is_an_error_but_a_rename_is_not() {
    let (_, tree) = world();
    change(&tree, "nodes/00000", |n| {
        n["nodes"].as_array_mut().unwrap().remove(7);
    });
    let error = repack_error(&tree);
    assert!(
        error.contains("is at") && error.contains("nodes"),
        "{error}"
    );
    let (_, tree) = world();
    change(&tree, "nodes/00000", |n| {
        n["nodes"][7]["name"] = json!("renamed")
    });
    repack(&tree);
}

#[test]
fn a_dangling_reference_is_a_number_in_the_tree() {
    // The array of models has holes at 2, 5 and 7. Node 13 has no model; its record is in the array
    // at word 9 of the header.
    let golden = golden_file("gamez", "cs_free_list.gamez.zbd");
    let record = u32_at(&golden.bytes, 36) + 13 * 212;
    for slot in [2i32, 5, 7, 9, 99, i32::MAX, -2, i32::MIN] {
        // Digits in a name that a reference repeats must not be taken for its number.
        for name in ["wall", "", " ", "12 wall", "0x12", "-1"] {
            let mut bytes = golden.bytes.to_vec();
            set(&mut bytes, record, &[0; 36]);
            set(&mut bytes, record, name.as_bytes());
            set(&mut bytes, record + 60, &slot.to_le_bytes());
            let case = Case {
                path: "dangling.gamez.zbd".into(),
                folder: "gamez".into(),
                bytes: bytes.into(),
            };
            exact(&case, Hints::default());
            let tree = unpack(&case, Hints::default(), Style::Json);
            assert_eq!(nodes(&tree)[13]["model"], json!(slot), "{name:?}");
            let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
            let findings = pipeline::lint(&*opened.model).unwrap();
            assert!(
                findings
                    .iter()
                    .any(|f| f.code == "gamez-dangling" && f.message == format!("model {slot}")),
                "{slot} {name:?}"
            );
        }
    }
    // One that is there is named by its first node.
    let mut bytes = golden.bytes.to_vec();
    set(&mut bytes, record + 60, &4i32.to_le_bytes());
    let case = Case {
        path: "there.gamez.zbd".into(),
        folder: "gamez".into(),
        bytes: bytes.into(),
    };
    assert_eq!(
        nodes(&unpack(&case, Hints::default(), Style::Json))[13]["model"],
        json!("4 nearest7")
    );
}

#[test]
fn values_that_a_game_cannot_store_are_refused_with_their_place() {
    let (_, tree) = world();
    change(&tree, "models/0001", |m| {
        m["polygons"][0]["uvs"] = json!([[0.0, 0.0]])
    });
    let error = repack_error(&tree);
    assert!(
        error.contains("models/0001") && error.contains("polygons[0].uvs"),
        "{error}"
    );
    let (_, tree) = world();
    change(&tree, "models/0001", |m| {
        m["polygons"][0]["flags"] = json!(["NO_CLUTTER"])
    });
    assert!(
        repack_error(&tree).contains("do not exist"),
        "{}",
        repack_error(&tree)
    );
    let (_, tree) = world();
    change(&tree, "nodes/00000", |n| {
        n["nodes"][0]["data"]["world"]["cells"] = json!([])
    });
    assert!(
        repack_error(&tree).contains("0 cells"),
        "{}",
        repack_error(&tree)
    );
}

/// The layout of the worlds of one game (src/zipper/gamez/FORMAT.md).
struct Plan {
    file: &'static str,
    /// Positions in the header of the offsets of materials, models and nodes, and of the number of
    /// nodes.
    header: [usize; 4],
    /// Size of a model's slot without its link word, and the offset of its number of users; the
    /// counts follow that.
    slot: usize,
    users: usize,
    /// Bytes of a node's record without its link word.
    record: usize,
    /// The numbers of parents and children are adjacent 16-bit words.
    narrow: bool,
}

const PLANS: [Plan; 4] = [
    Plan {
        file: "rc_odd_tight",
        header: [16, 20, 32, 24],
        slot: 84,
        users: 8,
        record: 192,
        narrow: false,
    },
    Plan {
        file: "mw_tight",
        header: [16, 20, 32, 24],
        slot: 92,
        users: 12,
        record: 208,
        narrow: false,
    },
    Plan {
        file: "pm_tight",
        header: [20, 24, 36, 28],
        slot: 100,
        users: 12,
        record: 208,
        narrow: true,
    },
    Plan {
        file: "cs_c1",
        header: [20, 24, 36, 28],
        slot: 100,
        users: 12,
        record: 208,
        narrow: true,
    },
];

impl Plan {
    fn open(&self) -> (Vec<u8>, Folder) {
        let case = golden_file("gamez", &format!("{}.gamez.zbd", self.file));
        (
            case.bytes.to_vec(),
            unpack(&case, Hints::default(), Style::Json),
        )
    }
    fn materials(&self, b: &[u8]) -> usize {
        u32_at(b, self.header[0])
    }
    /// The slot of a model.
    fn model(&self, b: &[u8], i: usize) -> usize {
        u32_at(b, self.header[1]) + 12 + (self.slot + 4) * i
    }
    /// Polygons, vertices, normals, morphs, lights.
    fn counts(&self, b: &[u8], i: usize) -> [usize; 5] {
        [1, 2, 3, 4, 5].map(|word| u32_at(b, self.model(b, i) + self.users + 4 * word))
    }
    fn models(&self, b: &[u8]) -> Vec<usize> {
        let array = u32_at(b, u32_at(b, self.header[1]));
        (0..array)
            .filter(|i| u32_at(b, self.model(b, *i) + self.users) > 0)
            .collect()
    }
    /// The start of a model's stream.
    fn stream(&self, b: &[u8], i: usize) -> usize {
        u32_at(b, self.model(b, i) + self.slot)
    }
    fn node(&self, b: &[u8], i: usize) -> usize {
        u32_at(b, self.header[2]) + (self.record + 4) * i
    }
    /// The last object, and the start of its data: counted from the end of the file, where the data
    /// of the last node end.
    fn last_object(&self, b: &[u8]) -> (usize, usize) {
        let mut end = b.len();
        for i in (0..u32_at(b, self.header[3])).rev() {
            let node = self.node(b, i);
            let linked = match self.narrow {
                true => usize::from(b[node + 84]) + usize::from(b[node + 86]),
                false => u32_at(b, node + 84) + u32_at(b, node + 92),
            };
            let size = match u32_at(b, node + 52) {
                0 => continue,
                5 => 144,
                6 => 80 + if self.narrow { 12 } else { 0 },
                class => panic!(
                    "{}: node {i} has class {class}, and no object follows it",
                    self.file
                ),
            };
            end -= size + 4 * linked;
            // Flag 0x20: it has its own position.
            if size == 144 && u32_at(b, end) == 0x20 {
                return (i, end);
            }
        }
        panic!("{} has no object", self.file)
    }
    /// Inserts bytes, and moves every offset at or after the position.
    fn insert(&self, b: &mut Vec<u8>, at: usize, new: &[u8]) {
        let mut places: Vec<usize> = self.header[..3].to_vec();
        places.extend(
            self.models(b)
                .into_iter()
                .map(|i| self.model(b, i) + self.slot),
        );
        let nodes = (0..u32_at(b, self.header[3]))
            .map(|i| self.node(b, i))
            .filter(|node| u32_at(b, node + 52) != 0);
        // Recoil and MechWarrior 3 have the offset of a node's data after the record, Crimson Skies
        // in it, and Pirate's Moon nowhere.
        match self.file.split_at(2).0 {
            "rc" | "mw" => places.extend(nodes.map(|node| node + self.record)),
            "cs" => places.extend(
                nodes
                    .map(|node| node + 56)
                    .filter(|place| u32_at(b, *place) < b.len()),
            ),
            _ => {}
        }
        for place in places {
            let to = u32_at(b, place);
            if to >= at {
                set(b, place, &((to + new.len()) as u32).to_le_bytes());
            }
        }
        b.splice(at..at, new.iter().copied());
    }
}

#[test]
fn a_vertex_moves_and_one_is_added_in_every_game() {
    for plan in &PLANS {
        let (mut b, tree) = plan.open();
        let model = plan
            .models(&b)
            .into_iter()
            .find(|i| plan.counts(&b, *i)[1] > 1)
            .unwrap();
        let vertices = plan.counts(&b, model)[1];
        change(&tree, &format!("models/{model:04}"), |m| {
            let list = m["vertices"].as_array_mut().unwrap();
            assert_eq!(list.len(), vertices, "{}", plan.file);
            list[1] = json!([1.5, -0.0, 3.25]);
            list.push(json!([7.0, 8.0, -9.0]));
        });
        let start = plan.stream(&b, model);
        set(&mut b, start + 12, &floats(&[1.5, -0.0, 3.25]));
        // The next model's stream begins after this one's vertices at the earliest: the inserted
        // bytes belong to this one.
        plan.insert(&mut b, start + 12 * vertices, &floats(&[7.0, 8.0, -9.0]));
        let count = plan.model(&b, model) + plan.users + 8;
        set(&mut b, count, &words(&[vertices as u32 + 1]));
        assert_bytes(&repack(&tree), &b);
    }
}

#[test]
fn a_polygon_is_drawn_earlier_in_every_game() {
    for plan in &PLANS {
        let (mut b, tree) = plan.open();
        let plain = |i: &usize| plan.counts(&b, *i)[0] > 0 && plan.counts(&b, *i)[4] == 0;
        let model = plan.models(&b).into_iter().find(plain).unwrap();
        change(&tree, &format!("models/{model:04}"), |m| {
            m["polygons"][0]["priority"] = json!(-7)
        });
        let [_, vertices, normals, morphs, _] = plan.counts(&b, model);
        let at = plan.stream(&b, model) + 12 * (vertices + normals + morphs) + 4;
        set(&mut b, at, &(-7i32).to_le_bytes());
        assert_bytes(&repack(&tree), &b);
    }
}

#[test]
fn a_material_gets_another_texture_in_every_game() {
    for plan in &PLANS {
        let (mut b, tree) = plan.open();
        let slot = |i: usize| plan.materials(&b) + 16 + 44 * i;
        // Textured, not cycled, and not the target material.
        let plain = |i: &usize| b[slot(*i) + 1] & 5 == 1 && u32_at(&b, slot(*i) + 16) != 1;
        let (i, at) = (0..u32_at(&b, plan.materials(&b) + 4))
            .find(plain)
            .map(|i| (i, slot(i) + 16))
            .unwrap();
        change(&tree, "materials.json", |m| {
            m["materials"][i]["texture"] = json!(1)
        });
        set(&mut b, at, &words(&[1]));
        assert_bytes(&repack(&tree), &b);
    }
}

/// The raw form of a model whose typed form fails its proof: a flag and a word for an odd link, the
/// record, the data.
#[test]
fn a_raw_model_survives_the_round_trip_in_every_game() {
    for plan in &PLANS {
        let (b, tree) = plan.open();
        let models = plan.models(&b);
        let model = models[0];
        let end = models
            .get(1)
            .map_or(u32_at(&b, plan.header[2]), |next| plan.stream(&b, *next));
        let (slot, data) = (plan.model(&b, model), plan.stream(&b, model));
        let bytes = [&[0; 5], &b[slot..slot + plan.slot], &b[data..end]].concat();
        let path = path(&tree, &format!("models/{model:04}"));
        tree.remove(&path);
        tree.set(&path.replace(".json", ".bin"), bytes);
        assert_bytes(&repack(&tree), &b);
        // Another model can still be edited.
        let other = models
            .iter()
            .copied()
            .find(|i| *i != model && plan.counts(&b, *i)[1] > 0)
            .unwrap();
        change(&tree, &format!("models/{other:04}"), |m| {
            m["vertices"][0] = json!([1.0, 2.0, 3.0])
        });
        let mut expected = b.clone();
        set(
            &mut expected,
            plan.stream(&b, other),
            &floats(&[1.0, 2.0, 3.0]),
        );
        assert_bytes(&repack(&tree), &expected);
    }
}

#[test]
fn an_object_moves_in_every_game() {
    for plan in &PLANS {
        let (mut b, tree) = plan.open();
        let (node, at) = plan.last_object(&b);
        change(&tree, "nodes/00000", |n| {
            n["nodes"][node]["data"]["object3d"]["translation"] = json!([10.0, 20.0, -30.5])
        });
        set(&mut b, at + 84, &floats(&[10.0, 20.0, -30.5]));
        assert_bytes(&repack(&tree), &b);
    }
}

/// A mechlib tree in which every node is the only child of the one before.
fn deep(levels: u32, pm: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..levels {
        let mut node = vec![0; 208];
        set(&mut node, 0, b"Default_node_name");
        set(&mut node, 0, b"n\0");
        set(&mut node, 52, &words(&[5, 1]));
        let (parents, children) = (u32::from(i > 0), u32::from(i + 1 < levels));
        if pm {
            set(&mut node, 84, &[parents as u8, 0, children as u8, 0]);
        } else {
            set(&mut node, 84, &words(&[parents]));
            set(&mut node, 92, &words(&[children]));
        }
        out.extend(node);
        out.extend(vec![0; 144]);
    }
    out
}

#[test]
fn twenty_thousand_nested_nodes_go_through_a_mechlib() {
    for pm in [false, true] {
        let tree = deep(20_000, pm);
        let version = if pm { 41u32 } else { 27 };
        let version = version.to_le_bytes();
        let members = [
            by_hand::member("format", &[1, 0, 0, 0]),
            by_hand::member("version", &version),
            by_hand::member("materials", &[0, 0, 0, 0]),
            by_hand::member("deep.flt", &tree),
        ];
        let bytes: Bytes = by_hand::archive(&members, false, pm.then_some(0)).into();
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            let outcome = pipeline::verify(&bytes, "mechlib.zbd", Hints::default(), via)
                .unwrap_or_else(|e| panic!("{e}"));
            assert!(outcome.raw.is_empty(), "{via:?}: {:?}", outcome.raw);
            assert_eq!(outcome.detection.format.name(), "mechlib");
        }
    }
}

#[test]
fn bytes_after_a_tree_and_members_that_are_not_trees_stay() {
    let mut padded = deep(3, false);
    padded.extend(b"tail");
    let members = [
        by_hand::member("format", &[1, 0, 0, 0]),
        by_hand::member("version", &[27, 0, 0, 0]),
        by_hand::member("materials", &[0, 0, 0, 0, 7]),
        by_hand::member("padded.flt", &padded),
        by_hand::member("notes.flt", b"no tree at all"),
    ];
    let case = Case {
        path: "mechlib.zbd".into(),
        folder: "mechlib".into(),
        bytes: by_hand::archive(&members, false, None).into(),
    };
    exact(
        &case,
        Hints {
            format: Some(refit::formats::Format::Mechlib),
            ..Hints::default()
        },
    );
    // A child count that does not fit the member is damage.
    let mut broken = deep(3, false);
    set(&mut broken, 92, &words(&[u32::MAX]));
    let bytes = by_hand::archive(&[by_hand::member("broken.flt", &broken)], false, None).into();
    let hints = Hints {
        format: Some(refit::formats::Format::Mechlib),
        ..Hints::default()
    };
    let error = pipeline::verify(&bytes, "mechlib.zbd", hints, Via::Bytes)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("broken.flt") && error.contains("-1 entries"),
        "{error}"
    );
}

#[test]
fn a_node_is_added_to_a_mechlib() {
    let case = golden_file("mechlib", "mw_twins.mechlib.zbd");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.ends_with(".flt.json"))
        .unwrap();
    let before = repack(&tree).len();
    change(&tree, &path, |m| {
        let nodes = m["nodes"].as_array_mut().unwrap();
        let data = json!({ "object3d": { "flags": ["INITIAL", "ALWAYS"] } });
        nodes.push(json!({ "depth": 1, "name": "spare", "flags": ["ACTIVE"], "data": data }));
    });
    let bytes = repack(&tree);
    assert_eq!(bytes.len(), before + 208 + 144);
    exact(
        &Case {
            path: "mechlib.zbd".into(),
            folder: "mechlib".into(),
            bytes: bytes.into(),
        },
        Hints::default(),
    );
    change(&tree, &path, |m| m["nodes"][1]["depth"] = json!(5));
    assert!(
        repack_error(&tree).contains("5 (expected 1 to 1)"),
        "{}",
        repack_error(&tree)
    );
}

#[test]
fn lints_report_unusual_values() {
    let found = |format: &str, name: &str| -> Vec<(&'static str, String)> {
        let case = golden_file(format, name);
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        pipeline::lint(&*opened.model)
            .unwrap()
            .into_iter()
            .map(|f| (f.code, f.path))
            .collect()
    };
    let has = |found: &[(&str, String)], code: &str, path: &str| {
        assert!(
            found.iter().any(|(c, p)| *c == code && p.contains(path)),
            "no {code} at {path} in {found:#?}"
        );
    };
    has(
        &found("gamez", "rc_odd_gap_models.gamez.zbd"),
        "gamez-gap",
        "",
    );
    has(
        &found("gamez", "cs_free_list.gamez.zbd"),
        "gamez-free-list",
        "models",
    );
    has(
        &found("gamez", "cs_poly_zone.gamez.zbd"),
        "unknown-value",
        "polygons",
    );
    has(
        &found("gamez", "cs_ref_none.gamez.zbd"),
        "odd-value",
        "material_refs",
    );
    has(
        &found("gamez", "cs_tex_dot2.gamez.zbd"),
        "gamez-texture-name",
        "textures",
    );
    has(
        &found("gamez", "rc_odd_poly_no_sides.gamez.zbd"),
        "gamez-polygon",
        "polygons",
    );
    has(
        &found("gamez", "rc_odd_model_hollow.gamez.zbd"),
        "gamez-model-empty",
        "models",
    );
    has(
        &found("planes", "cs_planes_small.zbd"),
        "gamez-no-world",
        "nodes",
    );
}

/// All nodes of a tree, with a hand on each by position.
fn nodes(tree: &Folder) -> Vec<Value> {
    let mut paths: Vec<String> = tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with("nodes/"))
        .collect();
    paths.sort();
    let all = paths
        .iter()
        .map(|p| serde_json::from_str::<Value>(&tree.text(p)).unwrap());
    all.flat_map(|mut doc| doc["nodes"].take().as_array().unwrap().clone())
        .collect()
}

/// A world of Recoil like the shipped ones: node 5 is in the cell at column 1, row 1, and is not a
/// child of the world.
fn regular_world() -> Folder {
    let tree = unpack(
        &golden_file("gamez", "rc_odd_tight.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    change(&tree, "refit", |m| {
        m["nodes"]
            .as_object_mut()
            .unwrap()
            .remove("world_is_no_parent")
            .expect("this file breaks no such rule");
    });
    change(&tree, "nodes/00000", |doc| {
        for node in doc["nodes"].as_array_mut().unwrap() {
            node.as_object_mut().unwrap().remove("area_partition");
        }
        let world = &mut doc["nodes"][0];
        let children = world["children"].as_array_mut().unwrap();
        assert_eq!(children.remove(0), "5 barrel_00005");
        for cell in world["data"]["world"]["cells"].as_array_mut().unwrap() {
            cell.as_object_mut().unwrap().remove("nodes");
        }
        world["data"]["world"]["cells"][3]["nodes"] = json!([5]);
    });
    tree
}

#[test]
fn a_node_in_a_cell_has_the_world_as_parent_and_knows_its_cell() {
    let tree = regular_world();
    let check = |cell: [i32; 2]| {
        let bytes = repack(&tree);
        // RC: the word at 32 of the header is the offset of the nodes; 192 bytes and a word each.
        let record = u32_at(&bytes, 32) + 196 * 5;
        assert_eq!(
            bytes[record + 76..record + 84],
            words(&cell.map(i32::cast_unsigned)),
            "area_partition"
        );
        assert_eq!(u32_at(&bytes, record + 84), 1, "the number of parents");
        let object = u32_at(&bytes, record + 192);
        assert_eq!(
            bytes[object + 144..object + 148],
            [0; 4],
            "its parent is node 0"
        );
        let world = u32_at(&bytes, 32);
        assert_eq!(
            u32_at(&bytes, world + 92),
            7,
            "the world has one child less"
        );
        // The tree contains nothing of it.
        let again = unpack(
            &Case {
                path: "gamez.zbd".into(),
                folder: "gamez".into(),
                bytes: bytes.into(),
            },
            Hints::default(),
            Style::Json,
        );
        assert!(!again.text("refit.json").contains("world_is_no_parent"));
        for node in nodes(&again) {
            assert!(
                node.get("parents").is_none() && node.get("area_partition").is_none(),
                "{}",
                node["name"]
            );
        }
    };
    check([1, 1]);
    // It moves to another cell: derived values are updated.
    change(&tree, "nodes/00000", |doc| {
        let cells = &mut doc["nodes"][0]["data"]["world"]["cells"];
        cells[3].as_object_mut().unwrap().remove("nodes");
        cells[4]["nodes"] = json!([5]);
    });
    check([0, 2]);
}

#[test]
fn the_world_comes_before_or_after_the_other_parents() {
    let tree = regular_world();
    // Node 5 is in a cell and a child of node 10, too.
    change(&tree, "nodes/00000", |doc| {
        doc["nodes"][10]["children"]
            .as_array_mut()
            .unwrap()
            .push(json!(5))
    });
    let parents = |tree: &Folder| {
        let bytes = repack(tree);
        let at = u32_at(&bytes, u32_at(&bytes, 32) + 196 * 5 + 192) + 144;
        [u32_at(&bytes, at), u32_at(&bytes, at + 4)]
    };
    assert_eq!(parents(&tree), [10, 0]);
    change(&tree, "nodes/00000", |doc| {
        doc["nodes"][5]["world_first"] = json!(true)
    });
    assert_eq!(parents(&tree), [0, 10]);
    let bytes = repack(&tree);
    let again = unpack(
        &Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: bytes.into(),
        },
        Hints::default(),
        Style::Json,
    );
    let node = &nodes(&again)[5];
    assert_eq!(
        (node.get("parents"), node.get("world_first")),
        (None, Some(&json!(true)))
    );
}

#[test]
fn nodes_of_recoil_with_a_box_have_a_stale_sphere() {
    let tree = regular_world();
    change(&tree, "nodes/00000", |doc| {
        for node in doc["nodes"].as_array_mut().unwrap() {
            node.as_object_mut().unwrap().remove("update_flags");
        }
    });
    let bytes = repack(&tree);
    for i in 0..u32_at(&bytes, 24) {
        let record = u32_at(&bytes, 32) + 196 * i;
        let (class, flags) = (u32_at(&bytes, record + 52), u32_at(&bytes, record + 36));
        let expected = if matches!(class, 0 | 5 | 6) && flags & 0x100 != 0 {
            4
        } else {
            0
        };
        assert_eq!(
            u32_at(&bytes, record + 44),
            expected,
            "node {i} of class {class} with flags {flags:#x}"
        );
    }
}

#[test]
fn cells_of_recoil_cover_the_area_and_those_of_others_are_whole() {
    for (file, wanted) in [
        ("rc_odd_tight.gamez.zbd", "12"),
        ("mw_tight.gamez.zbd", "6"),
    ] {
        let tree = unpack(&golden_file("gamez", file), Hints::default(), Style::Json);
        change(&tree, "nodes/00000", |doc| {
            let world = &mut doc["nodes"][0]["data"]["world"];
            assert_eq!(
                (
                    &world["left"],
                    &world["right"],
                    &world["bottom"],
                    &world["top"]
                ),
                (&json!(0.0), &json!(512.0), &json!(768.0), &json!(0.0))
            );
            // 2 and a bit by 3 and a bit.
            (world["right"], world["bottom"]) = (json!(513.0), json!(769.0));
            let cells = world["cells"].as_array_mut().unwrap();
            cells.resize(if wanted == "12" { 12 } else { 6 }, json!({}));
        });
        let Err(e) = pipeline::repack(&tree).map(|_| ()) else {
            continue;
        };
        panic!("{file}: {e}");
    }
}

#[test]
fn texture_cycles_follow_the_list_of_materials() {
    for (file, header, texture) in [
        ("rc_odd_tight.gamez.zbd", 16, 0),
        ("mw_tight.gamez.zbd", 16, 0),
        ("pm_tight.gamez.zbd", 20, 0),
        ("cs_c1.gamez.zbd", 20, 0),
    ] {
        let tree = unpack(&golden_file("gamez", file), Hints::default(), Style::Json);
        change(&tree, "materials.json", |doc| {
            let list = doc["materials"].as_array_mut().unwrap();
            for material in list.iter_mut() {
                let material = material.as_object_mut().unwrap();
                for key in ["cycle", "cycle_ptr", "flags", "links"] {
                    material.remove(key);
                }
            }
            doc.as_object_mut().unwrap().remove("index_last");
            // One frame for material 0, two for material 1.
            let cycle = |frames: Value| json!({ "looping": 1, "speed": 15.0, "frames": frames });
            doc["materials"][0]["texture"] = json!(texture);
            doc["materials"][0]["cycle"] = cycle(json!([0]));
            doc["materials"][1]["texture"] = json!(texture);
            doc["materials"][1]["cycle"] = cycle(json!([0, 0]));
        });
        let bytes = repack(&tree);
        let materials = u32_at(&bytes, header);
        let slots = if file.starts_with("cs") {
            1000
        } else {
            u32_at(&bytes, materials)
        };
        let blocks = materials + 16 + 44 * slots;
        // The list of used slots begins with the last one.
        assert_eq!(
            (
                u32_at(&bytes, blocks + 16),
                u32_at(&bytes, blocks + 28 + 8 + 16)
            ),
            (2, 1),
            "{file}: frames of the first and the second block"
        );
        // If the links visit nothing, the blocks are in the order of the slots.
        change(&tree, "materials.json", |doc| doc["index_last"] = json!(-1));
        let bytes = repack(&tree);
        assert_eq!(
            (
                u32_at(&bytes, blocks + 16),
                u32_at(&bytes, blocks + 28 + 4 + 16)
            ),
            (1, 2),
            "{file}: ascending"
        );
        let case = Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: bytes.into(),
        };
        exact(&case, Hints::default());
        let again: Value = serde_json::from_str(
            &unpack(&case, Hints::default(), Style::Json).text("materials.json"),
        )
        .unwrap();
        assert_eq!(
            again["materials"][1]["cycle"]["frames"]
                .as_array()
                .unwrap()
                .len(),
            2,
            "{file}"
        );
    }
}

#[test]
fn both_sizes_of_the_material_array_of_crimson_skies_are_usual() {
    let case = golden_file("gamez", "cs_c1.gamez.zbd");
    let at = u32_at(&case.bytes, 20);
    let count = u32_at(&case.bytes, at + 4);
    for (size, key) in [
        (1000, None),
        (count, Some("array_size_is_count")),
        (7, Some("array_size")),
    ] {
        let mut bytes = case.bytes.to_vec();
        set(&mut bytes, at, &words(&[size as u32]));
        let case = Case {
            path: case.path.clone(),
            folder: "gamez".into(),
            bytes: bytes.into(),
        };
        exact(&case, Hints::default());
        let tree = unpack(&case, Hints::default(), Style::Json);
        let doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
        let shown: Vec<&str> = ["array_size", "array_size_is_count"]
            .into_iter()
            .filter(|k| doc.get(*k).is_some())
            .collect();
        assert_eq!(shown, key.into_iter().collect::<Vec<_>>(), "{size}");
    }
}

#[test]
fn the_owners_of_a_structure_are_shown_and_written() {
    let tree = unpack(
        &golden_file("gamez", "cs_c1.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    // The words that a reading of the engine explains: the player's in eight missions, the enemy's
    // in all.
    for (word, owners, flags) in [
        (
            0x9015_5555u32,
            vec!["PLAYER"; 11],
            json!(["OVERFLOW1", "MISSION"]),
        ),
        (
            0x882A_AAAA,
            vec!["ENEMY"; 11],
            json!(["OVERFLOW0", "MISSION"]),
        ),
        (0x8040_0000, vec![], json!(["GASBAG", "MISSION"])),
        (0x0000_0031, vec!["PLAYER", "NONE", "ENEMY3"], json!([])),
    ] {
        let mut structure = json!({});
        if !owners.is_empty() {
            structure["owners"] = json!(owners);
        }
        if flags != json!([]) {
            structure["flags"] = flags;
        }
        let prefix = path(&tree, "nodes/00000");
        change(&tree, &prefix, |doc| {
            doc["nodes"][1]["structure"] = structure.clone()
        });
        let bytes = repack(&tree);
        let record = u32_at(&bytes, 36) + 212;
        assert_eq!(u32_at(&bytes, record + 40), word as usize, "{structure}");
        let case = Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: bytes.into(),
        };
        assert_eq!(
            nodes(&unpack(&case, Hints::default(), Style::Json))[1]["structure"],
            structure
        );
    }
    change(&tree, "nodes/00000", |doc| {
        doc["nodes"][1]["structure"] = json!({ "flags": ["0x1"] })
    });
    assert!(
        repack_error(&tree).contains("owners"),
        "{}",
        repack_error(&tree)
    );
}

/// A world of Recoil as the demos of 1998 have it: version 13, longer nodes and objects.
fn demo(file: &[u8]) -> Vec<u8> {
    let (nodes, count) = (u32_at(file, 32), u32_at(file, 24));
    let mut out = file[..nodes].to_vec();
    set(&mut out, 4, &words(&[13]));
    let (mut records, mut rest) = (Vec::new(), Vec::new());
    let data_at = nodes + 268 * count;
    let used: Vec<usize> = (0..count)
        .filter(|i| u32_at(file, nodes + 196 * i + 52) != 0)
        .collect();
    for i in 0..count {
        let record = &file[nodes + 196 * i..][..196];
        let mut link = u32_at(record, 192);
        if let Some(at) = used.iter().position(|u| *u == i) {
            let end = used
                .get(at + 1)
                .map_or(file.len(), |next| u32_at(file, nodes + 196 * next + 192));
            let data = &file[link..end];
            link = data_at + rest.len();
            if u32_at(record, 52) == 5 {
                rest.extend([&data[..48], &floats(&[0.5, 0.0, 0.0])[..], &data[48..]].concat());
            } else {
                rest.extend(data);
            }
        }
        // Eight corners in the place of two.
        let corners: Vec<u8> = (0..8)
            .flat_map(|i| record[116 + 12 * (i % 2)..][..12].to_vec())
            .collect();
        records.extend(
            [
                &record[..116],
                &corners[..],
                &record[140..192],
                &words(&[link as u32])[..],
            ]
            .concat(),
        );
    }
    out.extend(records);
    out.extend(rest);
    out
}

#[test]
fn worlds_of_the_demos_of_recoil_are_read_and_written() {
    for name in [
        "rc_odd_tight.gamez.zbd",
        "rc_minimum.gamez.zbd",
        "rc_odd_full_nodes.gamez.zbd",
        "rc_odd_empties.gamez.zbd",
    ] {
        let bytes = demo(&golden_file("gamez", name).bytes);
        let case = Case {
            path: "m1/gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: bytes.clone().into(),
        };
        exact(&case, Hints::default());
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        assert_eq!(opened.detection.game, Some(refit::game::Game::Rc));
        assert!(
            opened
                .model
                .info()
                .iter()
                .any(|(key, value)| *key == "version" && *value == 13)
        );
        refit::gltf::export(&opened.model, &[], &Folder::new()).unwrap();
        let tree = unpack(&case, Hints::default(), Style::Json);
        let manifest: Value = serde_json::from_str(&tree.text("refit.json")).unwrap();
        assert_eq!(
            (&manifest["game"], &manifest["version"]),
            (&json!("rc"), &json!(13))
        );
        // An edit of a field that only these worlds have.
        let Some(i) = nodes(&tree)
            .iter()
            .position(|n| n["data"].get("object3d").is_some())
        else {
            continue;
        };
        change(&tree, "nodes/00000", |doc| {
            doc["nodes"][i]["node_corners"] = json!(vec![[1.0, 2.0, 3.0]; 8]);
            doc["nodes"][i]["data"]["object3d"]["unk48"] = json!([4.0, 5.0, 6.0]);
        });
        let mut expected = bytes;
        let record = u32_at(&expected, 32) + 268 * i;
        set(
            &mut expected,
            record + 116,
            &floats(&[1.0, 2.0, 3.0].repeat(8)),
        );
        let object = u32_at(&expected, record + 264);
        set(&mut expected, object + 48, &floats(&[4.0, 5.0, 6.0]));
        assert_bytes(&repack(&tree), &expected);
        // They have no box of two corners.
        change(&tree, "nodes/00000", |doc| {
            doc["nodes"][i]["node_bbox"] = json!([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
        });
        assert!(
            repack_error(&tree).contains("node_bbox"),
            "{}",
            repack_error(&tree)
        );
    }
}
