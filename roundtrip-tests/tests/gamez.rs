//! Edits of worlds and mechlibs, with expected bytes made by hand from the layouts in the references.

use bytes::Bytes;
use refit::{
    tree::{Folder, Source, Style},
    work::{self, Hints, Via},
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

/// Where the stream of a MW model begins.
fn stream(b: &[u8], model: usize) -> usize {
    u32_at(b, u32_at(b, MODELS) + 12 + 96 * model + 92)
}

fn record(b: &[u8], node: usize) -> usize {
    u32_at(b, NODES) + 212 * node
}

/// Where the data of a MW node begins.
fn data(b: &[u8], node: usize) -> usize {
    u32_at(b, record(b, node) + 208)
}

/// Puts bytes into a MW world and moves every offset that points to or behind the place.
fn insert(b: &mut Vec<u8>, at: usize, new: &[u8]) {
    let (models, nodes) = (u32_at(b, MODELS), u32_at(b, NODES));
    let slots: Vec<usize> = (0..u32_at(b, models + 4)).map(|i| models + 12 + 96 * i + 92).collect();
    let links = (0..u32_at(b, 24)).map(|i| nodes + 212 * i).filter(|r| u32_at(b, r + 52) != 0).map(|r| r + 208);
    let places: Vec<usize> = [MATERIALS, MODELS, NODES].into_iter().chain(slots).chain(links).collect();
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

fn path(tree: &Folder, prefix: &str) -> String {
    tree.paths().into_iter().find(|p| p.starts_with(prefix)).unwrap_or_else(|| panic!("no {prefix}"))
}

/// Changes a document of a tree as a value.
fn change(tree: &Folder, prefix: &str, edit: impl FnOnce(&mut Value)) {
    let path = path(tree, prefix);
    let mut value: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    edit(&mut value);
    tree.set(&path, value.to_string().into_bytes());
}

#[test]
fn a_vertex_moves() {
    let (case, tree) = world();
    change(&tree, "models/0001", |m| m["vertices"][1] = json!([1.5, -0.0, 3.25]));
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
    let (count, normals, lights) = (u32_at(&b, slot + 16), u32_at(&b, slot + 24), u32_at(&b, slot + 32));
    assert!(count > 0, "the model has polygons");
    let start = stream(&b, 1);
    let mut records = start + 12 * (u32_at(&b, slot + 20) + normals + u32_at(&b, slot + 28)) + 76 * lights;
    for i in 0..lights {
        records += 12 * u32_at(&b, start + 12 * (u32_at(&b, slot + 20) + normals) + 76 * i + 12);
    }
    // The data of the polygon behind those of all others, then its record behind the other records.
    let end = stream(&b, 2);
    let white = floats(&[255.0; 9]);
    let uvs = floats(&[0.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    insert(&mut b, end, &[words(&[0, 1, 2]), uvs, white].concat());
    let head = [words(&[3, 0]), words(&[1, 0, 1, 1, 1]), words(&[3, 0xFFFF_FF00])].concat();
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
    change(&tree, "materials.json", |m| m["materials"][2]["cycle"]["frames"] = json!([3, 5]));
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
fn a_node_moves_and_turns_and_its_matrix_follows() {
    let (case, tree) = world();
    // Node 8 is an object in the plain mode: its matrix is not in the tree.
    change(&tree, "nodes/00000", |n| {
        let object = &mut n["nodes"][8]["data"]["object3d"];
        assert!(object.get("matrix").is_none() && object.get("scale").is_none(), "{object}");
        object["translation"] = json!([10.0, 20.0, -30.5]);
        object["rotation"] = json!([0.25, -1.0, 0.5]);
    });
    let mut b = case.bytes.to_vec();
    let at = data(&b, 8);
    // gamez.md, 9.3, with this machine's functions in f64, rounded once.
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
    set(&mut b, at + 180, &floats(&[3.0, 7.1, 9.0, 7.1f32 * 7.1, 1.0 / (7.1f32 - 3.0)]));
    assert_bytes(&repack(&tree), &b);
}

#[test]
fn a_child_node_is_added() {
    let (case, tree) = world();
    let nodes = u32_at(&case.bytes, 24);
    let new = nodes - 1;
    assert_eq!(u32_at(&case.bytes, record(&case.bytes, new) + 208), 0xFF_FFFF, "the last record is free");
    change(&tree, "nodes/00000", |n| {
        let list = n["nodes"].as_array_mut().unwrap();
        assert_eq!(list.len(), new);
        list[8]["children"] = json!([new]);
        list.push(json!({
            "name": "spare", "flags": ["ACTIVE", "TREE_VALID"], "model": 1,
            "data": { "object3d": { "flags": ["ALWAYS"], "translation": [1.0, 2.0, 3.0] } }
        }));
    });
    let mut b = case.bytes.to_vec();
    // The parent: one child more, at the end of its block, which is where the next one begins.
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
    set(&mut node, 60, &words(&[1, 0, 1, 0, u32::MAX, u32::MAX, 1, 1]));
    set(&mut node, 196, &words(&[160]));
    set(&mut b, at, &[node, words(&[end as u32])].concat());
    let mut object = vec![0; 144];
    set(&mut object, 0, &words(&[0x20]));
    set(&mut object, 36, &floats(&[1.0; 3]));
    // With all angles zero the formula gives 1 and 0, but −sin 0 = −0 at the eighth place, and −sy·cz … at the third.
    set(&mut object, 48, &floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -0.0, 1.0]));
    set(&mut object, 84, &floats(&[1.0, 2.0, 3.0]));
    b.extend(object);
    b.extend(words(&[8]));
    // The free list is empty now, and model 1 has one more user.
    set(&mut b, 28, &words(&[new as u32 + 1]));
    let slot = u32_at(&b, MODELS) + 12 + 96;
    let uses = u32_at(&b, slot + 12);
    let users = |b: &[u8]| (0..new).filter(|i| u32_at(b, record(b, *i) + 60) == 1).count();
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
    tree.set(&format!("models/{count:04}-new.json"), model.to_string().into_bytes());
    let bytes = repack(&tree);
    let models = u32_at(&bytes, MODELS);
    assert_eq!(u32_at(&bytes, models + 4), count + 1, "count");
    let slot = models + 12 + 96 * count;
    assert_eq!(u32_at(&bytes, slot + 16), 1, "polygons");
    assert_eq!(u32_at(&bytes, slot + 20), 3, "vertices");
    // 3 vertices, one polygon of 36 bytes, 3 indices, 3 colours, and then the nodes.
    assert_eq!(u32_at(&bytes, slot + 92) + 36 + 36 + 12 + 36, u32_at(&bytes, NODES));
    let case = Case { path: "new.gamez.zbd".into(), folder: "gamez".into(), bytes: bytes.into() };
    exact(&case, Hints::default());
}

#[test]
fn a_reference_whose_name_moved_is_an_error_and_a_rename_is_none() {
    let (_, tree) = world();
    change(&tree, "nodes/00000", |n| {
        n["nodes"].as_array_mut().unwrap().remove(7);
    });
    let error = repack_error(&tree);
    assert!(error.contains("stands at") && error.contains("nodes"), "{error}");
    let (_, tree) = world();
    change(&tree, "nodes/00000", |n| n["nodes"][7]["name"] = json!("renamed"));
    repack(&tree);
}

#[test]
fn what_a_game_cannot_store_is_refused_with_its_place() {
    let (_, tree) = world();
    change(&tree, "models/0001", |m| m["polygons"][0]["uvs"] = json!([[0.0, 0.0]]));
    let error = repack_error(&tree);
    assert!(error.contains("models/0001") && error.contains("polygons[0].uvs"), "{error}");
    let (_, tree) = world();
    change(&tree, "models/0001", |m| m["polygons"][0]["flags"] = json!(["UNK3"]));
    assert!(repack_error(&tree).contains("do not exist"), "{}", repack_error(&tree));
    let (_, tree) = world();
    change(&tree, "nodes/00000", |n| n["nodes"][0]["data"]["world"]["cells"] = json!([]));
    assert!(repack_error(&tree).contains("0 cells"), "{}", repack_error(&tree));
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
            let outcome = work::verify(&bytes, "mechlib.zbd", Hints::default(), via).unwrap_or_else(|e| panic!("{e}"));
            assert!(outcome.raw.is_empty(), "{via:?}: {:?}", outcome.raw);
            assert_eq!(outcome.detection.format.name(), "mechlib");
        }
    }
}

#[test]
fn bytes_behind_a_tree_and_members_that_are_no_tree_stay() {
    let mut padded = deep(3, false);
    padded.extend(b"tail");
    let members = [
        by_hand::member("format", &[1, 0, 0, 0]),
        by_hand::member("version", &[27, 0, 0, 0]),
        by_hand::member("materials", &[0, 0, 0, 0, 7]),
        by_hand::member("padded.flt", &padded),
        by_hand::member("notes.flt", b"no tree at all"),
    ];
    let case = Case { path: "mechlib.zbd".into(), folder: "mechlib".into(), bytes: by_hand::archive(&members, false, None).into() };
    exact(&case, Hints { format: Some(refit::formats::Format::Mechlib), ..Hints::default() });
    // A child count that the member cannot hold is damage.
    let mut broken = deep(3, false);
    set(&mut broken, 92, &words(&[u32::MAX]));
    let bytes = by_hand::archive(&[by_hand::member("broken.flt", &broken)], false, None).into();
    let hints = Hints { format: Some(refit::formats::Format::Mechlib), ..Hints::default() };
    let error = work::verify(&bytes, "mechlib.zbd", hints, Via::Bytes).unwrap_err().to_string();
    assert!(error.contains("broken.flt") && error.contains("-1 entries"), "{error}");
}

#[test]
fn a_node_is_added_to_a_mechlib() {
    let case = golden_file("mechlib", "mw_twins.mechlib.zbd");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let path = tree.paths().into_iter().find(|p| p.ends_with(".flt.json")).unwrap();
    let before = repack(&tree).len();
    change(&tree, &path, |m| {
        let nodes = m["nodes"].as_array_mut().unwrap();
        let data = json!({ "object3d": { "flags": ["INITIAL", "ALWAYS"] } });
        nodes.push(json!({ "depth": 1, "name": "spare", "flags": ["ACTIVE"], "data": data }));
    });
    let bytes = repack(&tree);
    assert_eq!(bytes.len(), before + 208 + 144);
    exact(&Case { path: "mechlib.zbd".into(), folder: "mechlib".into(), bytes: bytes.into() }, Hints::default());
    change(&tree, &path, |m| m["nodes"][1]["depth"] = json!(5));
    assert!(repack_error(&tree).contains("5 where 1 to 1 are possible"), "{}", repack_error(&tree));
}

#[test]
fn lints_name_what_is_unusual() {
    let found = |format: &str, name: &str| -> Vec<(&'static str, String)> {
        let case = golden_file(format, name);
        let opened = work::open(&case.bytes, &case.path, Hints::default()).unwrap();
        work::lint(&*opened.model).into_iter().map(|f| (f.code, f.path)).collect()
    };
    let has = |found: &[(&str, String)], code: &str, path: &str| {
        assert!(found.iter().any(|(c, p)| *c == code && p.contains(path)), "no {code} at {path} in {found:#?}");
    };
    has(&found("gamez", "rc_gap_models.gamez.zbd"), "gamez-gap", "");
    has(&found("gamez", "cs_free_list.gamez.zbd"), "gamez-free-list", "models");
    has(&found("gamez", "cs_poly_zone.gamez.zbd"), "unknown-value", "polygons");
    has(&found("gamez", "cs_ref_none.gamez.zbd"), "odd-value", "material_refs");
    has(&found("gamez", "cs_tex_dot2.gamez.zbd"), "gamez-texture-name", "textures");
    has(&found("gamez", "rc_poly_no_sides.gamez.zbd"), "gamez-polygon", "polygons");
    has(&found("gamez", "rc_model_hollow.gamez.zbd"), "gamez-model-empty", "models");
    has(&found("planes", "cs_planes_small.zbd"), "gamez-no-world", "nodes");
}
