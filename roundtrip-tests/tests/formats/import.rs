//! glTF on its way back: exports, edited and not, into the files that they came from.

use bytes::Bytes;
use gltf::Gltf;
use rayon::prelude::*;
use refit::{
    formats::Format,
    gltf::import::{self, Options, Report},
    pipeline::{self, Hints},
    tree::{Folder, Source},
};
use roundtrip_tests::{
    khronos::glb,
    trips::{Corner, Face, Trip, add, alone, export, faces, put, write},
    *,
};
use serde_json::{Value, json};

/// The golden files of some formats, and such files of the folder `REFIT_CORPUS`, if they can be
/// read.
fn files(formats: &[Format]) -> Vec<Case> {
    let mut out: Vec<Case> = formats
        .iter()
        .flat_map(|format| golden(format.name()))
        .collect();
    let Ok(corpus) = std::env::var("REFIT_CORPUS") else {
        return out;
    };
    let (mut taken, mut refused) = (0, 0);
    for entry in walkdir::WalkDir::new(corpus)
        .sort_by_file_name()
        .into_iter()
        .flatten()
    {
        if !entry
            .path()
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("zbd"))
        {
            continue;
        }
        let bytes: Bytes = std::fs::read(entry.path()).unwrap().into();
        let path = roundtrip_tests::process::shown(entry.path());
        let format = refit::detect::detect(&bytes, &path).map(|d| d.format);
        if format.is_ok_and(|format| formats.contains(&format)) {
            let readable = pipeline::open(&bytes, &path, Hints::default()).is_ok();
            *(if readable { &mut taken } else { &mut refused }) += 1;
            if readable {
                out.push(Case {
                    path,
                    folder: String::new(),
                    bytes,
                });
            }
        }
    }
    println!("{formats:?}: {taken} files of the corpus, and {refused} that are refused");
    out
}

fn worlds() -> Vec<Case> {
    files(&[Format::Gamez, Format::Planes])
}

#[test]
fn a_round_trip_through_another_program_gives_identical_bytes() {
    let trips = [
        Trip::default(),
        Trip {
            shorts: true,
            ..Trip::default()
        },
        Trip {
            doubled: true,
            ..Trip::default()
        },
        Trip {
            untagged: true,
            ..Trip::default()
        },
        Trip {
            bare: true,
            ..Trip::default()
        },
        Trip {
            strips: true,
            untagged: true,
            bare: true,
            ..Trip::default()
        },
    ];
    let judged: usize = worlds()
        .par_iter()
        .map(|case| {
            let mut opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
            let members: Vec<String> = opened
                .model
                .model()
                .members()
                .into_iter()
                .map(|m| m.name)
                .collect();
            let mut judged = 0;
            for (path, file) in export(&case.bytes, &case.path)
                .iter()
                .filter(|(p, _)| p.starts_with("models/"))
            {
                let index = members
                    .iter()
                    .position(|m| m == path.trim_end_matches(".glb"))
                    .unwrap();
                let faces = faces(file);
                for (i, trip) in trips.iter().enumerate() {
                    let tripped = Bytes::from(write(&faces, *trip, json!({ "name": "x" })));
                    let source = import::Source {
                        file: &tripped,
                        beside: &alone,
                    };
                    let report =
                        import::put(&mut opened.model, index, &source, Options::default()).unwrap();
                    assert!(
                        report.is_unchanged(),
                        "{} {path} trip {i}: {report:?}",
                        case.path
                    );
                    judged += 1;
                }
            }
            assert!(
                opened.model.write().unwrap() == case.bytes[..],
                "{}",
                case.path
            );
            judged
        })
        .sum();
    println!("{judged} trips");
    assert!(judged > 300, "only {judged} trips");
}

/// Every model and 'mech of all games, exported and imported unchanged into the file and into its
/// JSON tree.
#[test]
fn an_unedited_export_gives_the_identical_file_and_tree() {
    let motions = golden_file("motion", "pm_zbd_motion.zbd").bytes;
    let all = files(&[Format::Gamez, Format::Planes, Format::Mechlib]);
    let judged: usize = all
        .par_iter()
        .map(|case| {
            let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
            let with: &[Bytes] = if opened.detection.format == Format::Mechlib {
                std::slice::from_ref(&motions)
            } else {
                &[]
            };
            let out = Folder::new();
            if refit::gltf::export(&opened.model, with, &out).is_err() {
                return 0;
            }
            let tree = unpack(case, Hints::default(), refit::tree::Style::Json);
            let mut judged = 0;
            for mut model in [opened.model, pipeline::assemble(&tree).unwrap().1] {
                let names: Vec<String> = model
                    .model()
                    .members()
                    .into_iter()
                    .map(|m| m.name)
                    .collect();
                for path in out.paths() {
                    // `NAME.further.glb` and `NAME.motions.glb` are of the same 'mech.
                    let stem = path
                        .trim_end_matches(".glb")
                        .trim_end_matches(".motions")
                        .trim_end_matches(".further");
                    let own = |name: &String| name == stem || *name == format!("{stem}.flt");
                    let Some(index) = names.iter().position(own) else {
                        continue;
                    };
                    let gltf = out.get(&path).unwrap();
                    let source = import::Source {
                        file: &gltf,
                        beside: &alone,
                    };
                    let report =
                        import::put(&mut model, index, &source, Options::default()).unwrap();
                    assert!(
                        report.is_unchanged() && report.notes.is_empty(),
                        "{} {path}: {report:?}",
                        case.path
                    );
                    judged += 1;
                }
                assert!(model.write().unwrap() == case.bytes[..], "{}", case.path);
            }
            judged
        })
        .sum();
    println!("{judged} models and 'mechs of {} files", all.len());
    assert!(judged > 150, "only {judged} models");
}

#[test]
fn an_unedited_export_leaves_every_file_of_a_tree_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    for line in ["unpack gamez.zbd -o tree", "export gamez.zbd -o out"] {
        process::run(dir.path(), line).code(0);
    }
    let before = process::snapshot(&dir.path().join("tree"));
    process::run(
        dir.path(),
        "put tree models/0000-lower out/models/0000-lower.glb",
    )
    .code(0);
    assert!(process::snapshot(&dir.path().join("tree")) == before);
}

#[test]
fn every_export_is_valid() {
    for case in worlds() {
        for (path, file) in export(&case.bytes, &case.path) {
            Gltf::from_slice(&file).unwrap_or_else(|e| panic!("{} {path}: {e}", case.path));
            let faults = khronos::faults(&file);
            assert!(faults.is_empty(), "{} {path}: {faults:#?}", case.path);
        }
    }
}

/// An edit through the program: into the file, its tree, and a project; the tree gives the same
/// result as the file.
#[test]
fn models_go_into_files_trees_and_projects_through_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    let (game, member) = (dir.path().join("game/zbd/c1"), "models/0000-lower");
    std::fs::create_dir_all(&game).unwrap();
    std::fs::write(game.join("gamez.zbd"), &world).unwrap();
    let mut faces = faces(
        &export(&world, "gamez.zbd")
            .remove(&format!("{member}.glb"))
            .unwrap(),
    );
    corners(&mut faces)
        .filter(|c| c.at == [2.0, 1.0, 0.0])
        .for_each(|c| c.at = [4.0, 1.0, 0.0]);
    let file = write(&faces, Trip::default(), json!({}));
    std::fs::write(dir.path().join("lower.glb"), &file).unwrap();
    let (expected, _) = put(&world, "gamez.zbd", member, &file, Options::default()).unwrap();
    let run = |line: &str, code: i32| process::out(&process::run(dir.path(), line).code(code));
    let read = |path: &str| std::fs::read(dir.path().join(path)).unwrap();
    run("unpack game/zbd/c1/gamez.zbd -o tree", 0);
    run("unpack game -o project", 0);
    run(
        &format!("put game/zbd/c1/gamez.zbd {member} lower.glb -o put.zbd"),
        0,
    );
    assert_bytes(&read("put.zbd"), &expected);
    let printed = run(&format!("put tree {member} lower.glb"), 0);
    // The model, and the boxes of its node and of the parents.
    assert!(
        printed.contains("1 vertex moved") && printed.contains("models/0000-lower.json, nodes/"),
        "{printed}"
    );
    run("repack tree -o tree.zbd", 0);
    assert_bytes(&read("tree.zbd"), &expected);
    run(
        &format!("put project/zbd/c1/gamez.zbd {member} lower.glb"),
        0,
    );
    let status = run("status project", 3);
    assert!(status.contains("models/0000-lower.json"), "{status}");
    run("repack project -o game", 0);
    assert_bytes(&read("game/zbd/c1/gamez.zbd"), &expected);
}

/// A world of Mechwarrior 3 with two quads that meet at an edge, in model 0, and a triangle of two
/// sides in model 1.
fn small() -> (Folder, Bytes) {
    let case = golden_file("gamez", "mw_tight.gamez.zbd");
    let tree = unpack(&case, Hints::default(), refit::tree::Style::Json);
    for path in tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with("models/"))
    {
        tree.remove(&path);
    }
    tree.set(
        "textures.json",
        json!({ "textures": [{ "name": "brick.tif" }, { "name": "grass.tif" }] })
            .to_string()
            .into_bytes(),
    );
    let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
    doc["materials"] = json!([{ "texture": 0 }, { "texture": 1 }, { "color": [255.0, 0.0, 0.0] }]);
    tree.set("materials.json", doc.to_string().into_bytes());
    tree.set("models/0000.json", quads().to_string().into_bytes());
    // A world and two objects: a parent, and its child, which shows the model.
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let mut doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    let list = doc["nodes"].as_array_mut().unwrap();
    list.truncate(5);
    for cell in list[0]["data"]["world"]["cells"].as_array_mut().unwrap() {
        cell.as_object_mut().unwrap().remove("nodes");
    }
    list[0]["children"] = json!([5]);
    list.push(json!({
        "name": "upper", "flags": ["ACTIVE", "NODE_BBOX", "CHILD_BBOX"], "children": [6],
        "node_bbox": [0.0, 0.0, -5.0, 2.5, 1.0, -5.0], "child_bbox": [0.0, 0.0, -5.0, 2.5, 1.0, -5.0],
        "data": { "object3d": { "flags": ["ALWAYS"], "translation": [100.0, 0.0, 0.0] } }
    }));
    list.push(json!({
        "name": "lower", "flags": ["ACTIVE", "NODE_BBOX", "MODEL_BBOX"], "model": 0,
        "node_bbox": [0.0, 0.0, 0.0, 2.0, 1.0, 0.0], "model_bbox": [0.0, 0.0, 0.0, 2.0, 1.0, 0.0],
        "data": { "object3d": { "flags": ["ALWAYS"], "translation": [0.0, 0.0, -5.0] } }
    }));
    tree.set(&path, doc.to_string().into_bytes());
    for other in tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with("nodes/") && *p != path)
    {
        tree.remove(&other);
    }
    let bytes: Bytes = repack(&tree).into();
    (tree, bytes)
}

/// Sets the boxes of the two nodes: that of the lower one, and that of the upper one.
fn boxes(tree: &Folder, lower: [f32; 6], upper: [f32; 6]) {
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let mut doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    for (node, other, sides) in [(6, "model_bbox", lower), (5, "child_bbox", upper)] {
        doc["nodes"][node]["node_bbox"] = json!(sides);
        doc["nodes"][node][other] = json!(sides);
    }
    tree.set(&path, doc.to_string().into_bytes());
}

fn quads() -> Value {
    json!({
        "flags": ["LIGHTING"], "bbox_mid": [1.0, 0.5, 0.0], "bbox_diag": 1.125,
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0,
        0.0]],
        "normals": [[0.0, 0.0, 1.0]],
        "polygons": [
            { "material": 0, "priority": 5, "zones": [3], "vertices": [0, 1, 4, 5], "normals": [0, 0, 0, 0],
              "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]] },
            { "material": 1, "priority": -2, "vertices": [1, 2, 3, 4], "normals": [0, 0, 0, 0],
              "uvs": [[0.0, 0.3], [1.0, 0.3], [1.0, 0.1], [0.0, 0.1]], "colors": [[10.0, 20.0, 30.5], [255.0, 255.0,
              255.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]] }
        ]
    })
}

/// Model 0 of [`small`] after an edit of a program's version of its export, compared with the
/// expected model.
fn edited(
    edit: impl Fn(&mut Vec<Face>),
    expected: impl Fn(&mut Value, &Folder),
    options: Options,
) -> Report {
    let (tree, world) = small();
    let glb = export(&world, "gamez.zbd")
        .into_iter()
        .find(|(p, _)| p.starts_with("models/0000"))
        .unwrap();
    let mut faces = faces(&glb.1);
    edit(&mut faces);
    let file = write(&faces, Trip::default(), json!({}));
    let (found, report) = put(
        &world,
        "gamez.zbd",
        glb.0.trim_end_matches(".glb"),
        &file,
        options,
    )
    .unwrap();
    let mut model = quads();
    expected(&mut model, &tree);
    tree.set("models/0000.json", model.to_string().into_bytes());
    let wanted = repack(&tree);
    let shown = |bytes: &[u8]| {
        let case = Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: Bytes::copy_from_slice(bytes),
        };
        let tree = unpack(&case, Hints::default(), refit::tree::Style::Json);
        tree.text(
            &tree
                .paths()
                .into_iter()
                .find(|p| p.starts_with("models/0000"))
                .unwrap(),
        )
    };
    assert_eq!(shown(&found), shown(&wanted), "{report:?}");
    assert_bytes(&found, &wanted);
    report
}

fn corners(faces: &mut [Face]) -> impl Iterator<Item = &mut Corner> {
    faces.iter_mut().flat_map(|f| &mut f.corners)
}

#[test]
fn a_moved_vertex_moves_alone_and_the_sphere_follows() {
    let report = edited(
        |faces| {
            corners(faces)
                .filter(|c| c.at == [2.0, 1.0, 0.0])
                .for_each(|c| c.at = [4.0, 1.0, 0.0])
        },
        |model, tree| {
            model["vertices"][3] = json!([4.0, 1.0, 0.0]);
            model["bbox_mid"] = json!([2.0, 0.5, 0.0]);
            // The approximate root of 2² + 0.5²: 4.25 is 2² · 1.0625, and half of the fraction is
            // added to 2.
            model["bbox_diag"] = json!(2.0625);
            // One side of the upper box was larger than its content, and stays where nothing moved.
            boxes(
                tree,
                [0.0, 0.0, 0.0, 4.0, 1.0, 0.0],
                [0.0, 0.0, -5.0, 4.0, 1.0, -5.0],
            );
        },
        Options::default(),
    );
    assert_eq!(
        (
            report.vertices_moved,
            report.polygons_changed,
            report.polygons_new
        ),
        (1, 0, 0)
    );
}

#[test]
fn other_triangles_of_the_same_outline_are_the_same_polygon() {
    let report = edited(
        |faces| {
            // Each quad cut along the other diagonal, from another corner on, in another order.
            let quad = |f: &[Face]| -> Vec<Face> {
                let (a, b) = (&f[0], &f[1]);
                let [p, q, r] = a.corners;
                let s = b.corners[2];
                let face = |corners| Face {
                    corners,
                    ..a.clone()
                };
                vec![face([r, s, q]), face([p, q, s])]
            };
            let new: Vec<Face> = quad(&faces[2..4])
                .into_iter()
                .chain(quad(&faces[0..2]))
                .collect();
            *faces = new;
        },
        |_, _| {},
        Options::default(),
    );
    assert!(report.is_unchanged(), "{report:?}");
}

#[test]
fn changed_colours_coordinates_and_materials_are_imported() {
    edited(
        |faces| {
            corners(faces)
                .filter(|c| c.at == [2.0, 0.0, 0.0])
                .for_each(|c| (c.color, c.uv) = ([1.0, 0.0, 0.0], [0.5, 0.25]))
        },
        |model, _| {
            model["polygons"][1]["colors"][1] = json!([255.0, 0.0, 0.0]);
            model["polygons"][1]["uvs"][1] = json!([0.5, 0.25]);
        },
        Options::default(),
    );
    edited(
        |faces| {
            faces
                .iter_mut()
                .for_each(|f| f.material = "grass.tif".into())
        },
        |model, _| model["polygons"][0]["material"] = json!(1),
        Options::default(),
    );
    edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "grass.tif")
                .for_each(|f| f.two_sided = true)
        },
        |model, _| model["polygons"][1]["flags"] = json!(["SHOW_BACKFACE"]),
        Options::default(),
    );
}

#[test]
fn a_deleted_face_is_removed_with_everything_that_only_it_used() {
    let report = edited(
        |faces| faces.retain(|f| f.material == "brick.tif"),
        |model, tree| {
            model["polygons"].as_array_mut().unwrap().remove(1);
            model["vertices"] = json!([
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 1.0, 0.0]
            ]);
            model["polygons"][0]["vertices"] = json!([0, 1, 2, 3]);
            model["bbox_mid"] = json!([0.5, 0.5, 0.0]);
            // The approximate root of 0.5: 2⁻² · 2 is half way between 0.5 and 1.
            model["bbox_diag"] = json!(0.75);
            boxes(
                tree,
                [0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
                [0.0, 0.0, -5.0, 1.0, 1.0, -5.0],
            );
        },
        Options::default(),
    );
    assert_eq!((report.polygons_gone, report.vertices_gone), (1, 2));
}

#[test]
fn a_new_face_gets_the_attributes_of_similar_faces() {
    let add = |faces: &mut Vec<Face>| {
        let mut face = faces
            .iter()
            .find(|f| f.material == "brick.tif")
            .unwrap()
            .clone();
        for (corner, at) in
            face.corners
                .iter_mut()
                .zip([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0f32]])
        {
            (corner.at, corner.tag, corner.uv) = (at, [0.5, 0.5], [at[0], at[1]]);
        }
        faces.push(face);
    };
    let report = edited(
        add,
        |model, tree| {
            model["vertices"]
                .as_array_mut()
                .unwrap()
                .push(json!([0.0, 2.0, 0.0]));
            model["polygons"].as_array_mut().unwrap().push(json!({
                "material": 0, "priority": 5, "zones": [3], "vertices": [5, 4, 6], "normals": [1, 1, 1],
                "uvs": [[0.0, 1.0], [1.0, 1.0], [0.0, 2.0]]
            }));
            // As the program wrote it: with the error of its encoding of normals.
            model["normals"]
                .as_array_mut()
                .unwrap()
                .push(json!([1e-4f32, 1e-4f32, 1.0001f32]));
            model["bbox_mid"] = json!([1.0, 1.0, 0.0]);
            model["bbox_diag"] = json!(1.5);
            // The greatest x equals the rule's, and its stored value stays.
            boxes(
                tree,
                [0.0, 0.0, 0.0, 2.0, 2.0, 0.0],
                [0.0, 0.0, -5.0, 2.5, 2.0, -5.0],
            );
        },
        Options::default(),
    );
    assert_eq!((report.polygons_new, report.vertices_new), (1, 1));
    assert_eq!(report.defaults, defaults(&[(LIKE, 1)]));
}

/// Half of the second polygon gets the first one's material, and a corner elsewhere: it is no piece
/// of an existing polygon.
#[test]
fn a_new_face_next_to_one_of_another_material_gets_the_attributes_of_its_own_material() {
    let (_, world) = small();
    let glb = export(&world, "gamez.zbd")
        .into_iter()
        .find(|(p, _)| p.starts_with("models/0000"))
        .unwrap();
    let mut faces = faces(&glb.1);
    let face = faces
        .iter_mut()
        .rfind(|f| f.material == "grass.tif")
        .unwrap();
    face.material = "brick.tif".into();
    let corner = face
        .corners
        .iter_mut()
        .find(|c| c.at == [1.0, 1.0, 0.0])
        .unwrap();
    (corner.at, corner.tag) = ([1.5, 2.0, 0.0], [0.5, 0.5]);
    let file = write(&faces, Trip::default(), json!({}));
    let name = glb.0.trim_end_matches(".glb");
    let (found, report) = put(&world, "gamez.zbd", name, &file, Options::default()).unwrap();
    assert_eq!(
        (
            report.polygons_new,
            report.polygons_gone,
            report.vertices_new
        ),
        (2, 1, 1)
    );
    assert_eq!(report.defaults, defaults(&[(LIKE, 1)]));
    let case = Case {
        path: "gamez.zbd".into(),
        folder: "gamez".into(),
        bytes: found,
    };
    let tree = unpack(&case, Hints::default(), refit::tree::Style::Json);
    let model: Value = serde_json::from_str(
        &tree.text(
            &tree
                .paths()
                .into_iter()
                .find(|p| p.starts_with("models/0000"))
                .unwrap(),
        ),
    )
    .unwrap();
    let row = |p: &Value| {
        [&p["vertices"], &p["priority"], &p["zones"]]
            .map(Value::to_string)
            .join(" ")
    };
    let mut rows: Vec<String> = model["polygons"]
        .as_array()
        .unwrap()
        .iter()
        .map(row)
        .collect();
    rows.sort();
    assert_eq!(
        rows,
        ["[0,1,4,5] 5 [3]", "[1,2,3] -2 null", "[1,3,6] 5 [3]"]
    );
}

/// What [`small`]'s new polygons of the first material get.
const LIKE: &str = "new polygons (like most polygons of their material in the model): priority 5, in the zones [3], without flags";
const NO_UVS: &str =
    "polygons with a texture whose corners have no texture coordinates in the file: 0, 0";
const GROUND: &str = "new materials without a soil in the file: the soil DEFAULT, no cycle";

fn defaults(printed: &[(&str, usize)]) -> std::collections::BTreeMap<String, usize> {
    printed
        .iter()
        .map(|(what, n)| ((*what).to_owned(), *n))
        .collect()
}

/// The same with what surrounds the faces: the file's JSON part is edited.
fn edited_file(edit: impl Fn(&mut Value), expected: impl Fn(&mut Value, &Folder)) -> Report {
    let (tree, world) = small();
    let glb0 = export(&world, "gamez.zbd")
        .into_iter()
        .find(|(p, _)| p.starts_with("models/0000"))
        .unwrap();
    let file = write(&faces(&glb0.1), Trip::default(), json!({ "name": "x" }));
    let text = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let mut root: Value = serde_json::from_slice(&file[20..20 + text]).unwrap();
    edit(&mut root);
    let (found, report) = put(
        &world,
        "gamez.zbd",
        glb0.0.trim_end_matches(".glb"),
        &glb(&root, &file[28 + text..]),
        Options::default(),
    )
    .unwrap();
    let mut model = quads();
    expected(&mut model, &tree);
    tree.set("models/0000.json", model.to_string().into_bytes());
    assert_bytes(&found, &repack(&tree));
    report
}

#[test]
fn a_scaled_or_moved_object_moves_its_vertices() {
    let report = edited_file(
        |root| root["nodes"][0]["scale"] = json!([2.0, 2.0, 2.0]),
        |model, tree| {
            model["vertices"] = json!([
                [0.0, 0.0, 0.0],
                [2.0, 0.0, 0.0],
                [4.0, 0.0, 0.0],
                [4.0, 2.0, 0.0],
                [2.0, 2.0, 0.0],
                [0.0, 2.0, 0.0]
            ]);
            model["bbox_mid"] = json!([2.0, 1.0, 0.0]);
            // The rough root of 2² + 1²: 5 is 2² · 1.25.
            model["bbox_diag"] = json!(2.25);
            boxes(
                tree,
                [0.0, 0.0, 0.0, 4.0, 2.0, 0.0],
                [0.0, 0.0, -5.0, 4.0, 2.0, -5.0],
            );
        },
    );
    assert_eq!(
        (
            report.vertices_moved,
            report.vertices_new,
            report.polygons_changed
        ),
        (5, 0, 0)
    );
    edited_file(
        |root| root["nodes"][0]["translation"] = json!([1.0, 0.0, 0.0]),
        |model, tree| {
            model["vertices"] = json!([
                [1.0, 0.0, 0.0],
                [2.0, 0.0, 0.0],
                [3.0, 0.0, 0.0],
                [3.0, 1.0, 0.0],
                [2.0, 1.0, 0.0],
                [1.0, 1.0, 0.0]
            ]);
            model["bbox_mid"] = json!([2.0, 0.5, 0.0]);
            boxes(
                tree,
                [1.0, 0.0, 0.0, 3.0, 1.0, 0.0],
                [1.0, 0.0, -5.0, 3.0, 1.0, -5.0],
            );
        },
    );
}

#[test]
fn separated_and_renamed_objects_are_recognised() {
    let report = edited_file(
        |root| {
            // The faces of each material in their own mesh and object, below an empty object.
            let primitives = root["meshes"][0]["primitives"].as_array().unwrap().clone();
            root["meshes"] = primitives
                .iter()
                .map(|p| json!({ "name": "wall.001", "primitives": [p] }))
                .collect();
            root["nodes"] = json!([{ "name": "all", "children": [1, 2] }, { "name": "a", "mesh": 1 }, { "name": "b", "mesh": 0 }]);
        },
        |_, _| {},
    );
    assert!(report.is_unchanged(), "{report:?}");
}

#[test]
fn a_vertex_of_two_polygons_lifts_both() {
    let report = edited(
        |faces| {
            corners(faces)
                .filter(|c| c.at == [1.0, 1.0, 0.0])
                .for_each(|c| c.at = [1.0, 1.0, 2.0])
        },
        |model, tree| {
            model["vertices"][4] = json!([1.0, 1.0, 2.0]);
            model["bbox_mid"] = json!([1.0, 0.5, 1.0]);
            // 1 + 0.25 + 1 is 2.25, which is 2 · 1.125: half of an odd exponent is half a step, 1 +
            // 0.5 + 0.0625.
            model["bbox_diag"] = json!(1.5625);
            boxes(
                tree,
                [0.0, 0.0, 0.0, 2.0, 1.0, 2.0],
                [0.0, 0.0, -5.0, 2.5, 1.0, -3.0],
            );
        },
        Options::default(),
    );
    assert_eq!((report.vertices_moved, report.polygons_changed), (1, 0));
}

#[test]
fn changed_normals_and_single_coordinates_are_imported() {
    edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "brick.tif")
                .flat_map(|f| &mut f.corners)
                .for_each(|c| c.normal = [0.0, 1.0, 0.0])
        },
        |model, _| {
            // As the program wrote it: with the error of its encoding of normals.
            model["normals"]
                .as_array_mut()
                .unwrap()
                .push(json!([1e-4f32, 1.0001f32, 1e-4f32]));
            model["polygons"][0]["normals"] = json!([1, 1, 1, 1]);
        },
        Options::default(),
    );
    edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "brick.tif")
                .flat_map(|f| &mut f.corners)
                .filter(|c| c.at == [0.0; 3])
                .for_each(|c| c.uv = [0.5, 0.5])
        },
        |model, _| model["polygons"][0]["uvs"][0] = json!([0.5, 0.5]),
        Options::default(),
    );
}

#[test]
fn colours_can_be_added_and_removed() {
    edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "grass.tif")
                .flat_map(|f| &mut f.corners)
                .for_each(|c| c.color = [1.0; 3])
        },
        |model, _| {
            _ = model["polygons"][1]
                .as_object_mut()
                .unwrap()
                .remove("colors")
        },
        Options::default(),
    );
    edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "brick.tif")
                .flat_map(|f| &mut f.corners)
                .filter(|c| c.at == [0.0; 3])
                .for_each(|c| c.color = [0.0; 3])
        },
        |model, _| {
            model["polygons"][0]["colors"] = json!([
                [0.0, 0.0, 0.0],
                [255.0, 255.0, 255.0],
                [255.0, 255.0, 255.0],
                [255.0, 255.0, 255.0]
            ])
        },
        Options::default(),
    );
}

#[test]
fn materials_are_exchanged_and_new_ones_made() {
    edited(
        |faces| {
            faces.iter_mut().for_each(|f| {
                f.material = if f.material == "brick.tif" {
                    "grass.tif".into()
                } else {
                    "brick.tif".into()
                }
            })
        },
        |model, _| {
            model["polygons"][0]["material"] = json!(1);
            model["polygons"][1]["material"] = json!(0);
        },
        Options::default(),
    );
    // One without a picture: a white one, and what wears it needs no coordinates.
    edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "brick.tif")
                .for_each(|f| f.material = "paint".into())
        },
        |model, tree| {
            let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
            doc["materials"].as_array_mut().unwrap().push(json!({}));
            tree.set("materials.json", doc.to_string().into_bytes());
            model["polygons"][0]["material"] = json!(3);
            model["polygons"][0].as_object_mut().unwrap().remove("uvs");
        },
        Options::default(),
    );
    // One with a picture that the world has not: a texture is new, too.
    let armour = |root: &mut Value| {
        let brick = root["materials"]
            .as_array()
            .unwrap()
            .iter()
            .position(|m| m["name"] == "brick.tif")
            .unwrap();
        root["materials"][brick] = json!({ "name": "armour", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } });
        root["textures"] = json!([{ "source": 0 }]);
        root["images"] = json!([{ "name": "steel", "uri": "steel.png" }]);
        brick
    };
    let with = |model: &mut Value, tree: &Folder, texture: &str, material: Value| {
        let mut doc: Value = serde_json::from_str(&tree.text("textures.json")).unwrap();
        doc["textures"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "name": texture }));
        tree.set("textures.json", doc.to_string().into_bytes());
        let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
        doc["materials"].as_array_mut().unwrap().push(material);
        tree.set("materials.json", doc.to_string().into_bytes());
        model["polygons"][0]["material"] = json!(3);
    };
    let report = edited_file(
        |root| _ = armour(root),
        |model, tree| with(model, tree, "steel", json!({ "texture": 2 })),
    );
    assert!(
        report
            .notes
            .iter()
            .any(|n| n.contains("the texture \"steel\" is new")),
        "{:?}",
        report.notes
    );
    assert_eq!(report.defaults, defaults(&[(GROUND, 1)]));
    // The same for an export of this game, which names its materials, and its textures by their
    // names in the directory.
    let own = |game: &'static str| {
        move |root: &mut Value| {
            let brick = armour(root);
            root["materials"][brick]["extras"] = json!({ "index": 77, "texture": "steel.tif", "soil": "CONCRETE",
                "cycle": { "textures": ["steel.tif", "grass.tif"], "speed": 4.0, "looping": true } });
            root["scenes"][0]["extras"] = json!({ "refit": { "game": game } });
        }
    };
    let cycle = json!({ "looping": 1, "speed": 4.0, "frames": [2, 1] });
    let made = json!({ "texture": 2, "soil": "CONCRETE", "cycle": cycle });
    let report = edited_file(own("mw"), |model, tree| {
        with(model, tree, "steel.tif", made.clone())
    });
    assert_eq!(report.defaults, defaults(&[]));
    let report = edited_file(own("cs"), |model, tree| {
        with(model, tree, "steel", json!({ "texture": 2 }))
    });
    assert_eq!(report.defaults, defaults(&[(GROUND, 1)]));
}

/// Another colour without a texture makes a new material with all other values of the old one; a
/// second import reuses it.
#[test]
fn another_colour_of_a_material_is_another_material() {
    let (tree, _) = small();
    let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
    doc["materials"][2] = json!({ "color": [255.0, 0.0, 0.0], "soil": "CONCRETE" });
    tree.set("materials.json", doc.to_string().into_bytes());
    let mut model = quads();
    model["polygons"][0] =
        json!({ "material": 2, "vertices": [0, 1, 4, 5], "normals": [0, 0, 0, 0] });
    tree.set("models/0000.json", model.to_string().into_bytes());
    let world: Bytes = repack(&tree).into();
    let file = |world: &Bytes, edit: &dyn Fn(&mut Value)| {
        let file = export(world, "gamez.zbd")
            .remove("models/0000-lower.glb")
            .unwrap();
        let text = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
        let mut root: Value = serde_json::from_slice(&file[20..20 + text]).unwrap();
        edit(&mut root);
        glb(&root, &file[28 + text..])
    };
    fn material<'a>(root: &'a mut Value, name: &str) -> &'a mut Value {
        root["materials"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .find(|m| m["name"] == name)
            .unwrap()
    }
    let paint = |color: [f64; 4]| {
        move |root: &mut Value| {
            material(root, "material 2")["pbrMetallicRoughness"]["baseColorFactor"] = json!(color)
        }
    };
    let into = |world: &Bytes, file: &[u8]| {
        put(
            world,
            "gamez.zbd",
            "models/0000-lower",
            file,
            Options::default(),
        )
        .unwrap()
    };
    // Green, and a half-transparent green.
    for (color, made) in [
        (
            [0.0, 1.0, 0.0, 1.0],
            json!({ "color": [0.0, 255.0, 0.0], "soil": "CONCRETE" }),
        ),
        (
            [1.0, 0.0, 0.0, 128.0 / 255.0],
            json!({ "color": [255.0, 0.0, 0.0], "alpha": 128, "soil": "CONCRETE" }),
        ),
    ] {
        let edited = file(&world, &paint(color));
        let (found, report) = into(&world, &edited);
        let mut wanted = doc.clone();
        wanted["materials"].as_array_mut().unwrap().push(made);
        let changed = unpack_world(&world);
        changed.set("materials.json", wanted.to_string().into_bytes());
        let mut model = model.clone();
        model["polygons"][0]["material"] = json!(3);
        changed.set("models/0000.json", model.to_string().into_bytes());
        changed
            .paths()
            .into_iter()
            .filter(|p| p.starts_with("models/0000-"))
            .for_each(|p| _ = changed.remove(&p));
        assert_bytes(&found, &repack(&changed));
        assert_eq!(
            (report.polygons_changed, report.lost.len()),
            (1, 0),
            "{report:?}"
        );
        assert!(
            report
                .notes
                .iter()
                .any(|n| n.contains("\"material 2\" has another colour in the file")),
            "{report:?}"
        );
        // The same file again is no change, under either name.
        let (again, report) = into(&found, &edited);
        assert!(report.is_unchanged() && again == found, "{report:?}");
        let (again, report) = into(&found, &file(&found, &|_| {}));
        assert!(
            report.is_unchanged() && report.notes.is_empty() && again == found,
            "{report:?}"
        );
    }
    // Unchanged except for a program's rounding: no change. With a texture, the colour is ignored,
    // which is reported.
    let (found, report) = into(&world, &file(&world, &paint([0.9999, 0.0, 0.0001, 1.0])));
    assert!(found == world && report == Report::default(), "{report:?}");
    let tinted = |root: &mut Value| {
        material(root, "grass.tif")["pbrMetallicRoughness"]["baseColorFactor"] =
            json!([1.0, 0.0, 0.0, 1.0])
    };
    let (found, report) = into(&world, &file(&world, &tinted));
    assert!(
        found == world
            && report.lost.len() == 1
            && report.lost[0].contains("\"grass.tif\" has another colour"),
        "{report:?}"
    );
}

fn unpack_world(world: &Bytes) -> Folder {
    let case = Case {
        path: "gamez.zbd".into(),
        folder: "gamez".into(),
        bytes: world.clone(),
    };
    unpack(&case, Hints::default(), refit::tree::Style::Json)
}

/// The same rule with the export's notes and without: the look decides, a picture before a name;
/// without a picture another name is another material.
#[test]
fn a_renamed_material_is_a_new_one_whatever_a_program_keeps() {
    for extras in [None, Some(json!({ "index": 0, "texture": "brick.tif" }))] {
        let renamed = |name: &'static str, picture: Option<&'static str>| {
            let extras = extras.clone();
            move |root: &mut Value| {
                let brick = root["materials"]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .find(|m| m["name"] == "brick.tif")
                    .unwrap();
                *brick = json!({ "name": name });
                if let Some(extras) = &extras {
                    brick["extras"] = extras.clone();
                }
                if let Some(picture) = picture {
                    brick["pbrMetallicRoughness"] = json!({ "baseColorTexture": { "index": 0 } });
                    root["textures"] = json!([{ "source": 0 }]);
                    root["images"] = json!([{ "name": picture, "uri": "picture.png" }]);
                }
            }
        };
        let grass = |model: &mut Value, _: &Folder| model["polygons"][0]["material"] = json!(1);
        let report = edited_file(renamed("grass.tif", None), grass);
        assert_eq!(report.notes, Vec::<String>::new());
        // The picture is brick's: it stays brick, and the contradiction is reported. Another
        // picture is another material.
        let report = edited_file(renamed("grass.tif", Some("brick.tif")), |_, _| {});
        assert!(
            report
                .notes
                .iter()
                .any(|n| n
                    .contains("\"grass.tif\" shows the picture \"brick.tif\": the picture counts")),
            "{report:?}"
        );
        let report = edited_file(renamed("brick.tif", Some("grass.tif")), grass);
        assert!(
            report
                .notes
                .iter()
                .any(|n| n.contains("the picture counts")),
            "{report:?}"
        );
        let report = edited_file(renamed("wall", Some("brick.tif")), |_, _| {});
        assert_eq!(report.notes, Vec::<String>::new());
        let report = edited_file(renamed("wall", None), |model, tree| {
            let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
            doc["materials"].as_array_mut().unwrap().push(json!({}));
            tree.set("materials.json", doc.to_string().into_bytes());
            model["polygons"][0]["material"] = json!(3);
            model["polygons"][0].as_object_mut().unwrap().remove("uvs");
        });
        let was = report
            .notes
            .iter()
            .any(|n| n.contains("\"wall\" is new: it was \"brick.tif\""));
        assert_eq!(was, extras.is_some(), "{report:?}");
    }
}

/// The brick quad again, three higher: its triangles with new vertices.
fn again(model: &mut Value, tree: &Folder, polygons: Value, normal: bool) {
    let more = [
        [0.0, 3.0, 0.0],
        [1.0, 3.0, 0.0],
        [1.0, 4.0, 0.0],
        [0.0, 4.0, 0.0],
    ];
    model["vertices"]
        .as_array_mut()
        .unwrap()
        .extend(more.map(|v| json!(v)));
    if normal {
        model["normals"]
            .as_array_mut()
            .unwrap()
            .push(json!([1e-4f32, 1e-4f32, 1.0001f32]));
    }
    model["polygons"]
        .as_array_mut()
        .unwrap()
        .extend(polygons.as_array().unwrap().clone());
    model["bbox_mid"] = json!([1.0, 2.0, 0.0]);
    // The rough root of 1 + 2².
    model["bbox_diag"] = json!(2.25);
    boxes(
        tree,
        [0.0, 0.0, 0.0, 2.0, 4.0, 0.0],
        [0.0, 0.0, -5.0, 2.5, 4.0, -5.0],
    );
}

fn copied(tag: impl Fn([f32; 2]) -> [f32; 2]) -> impl Fn(&mut Vec<Face>) {
    move |faces| {
        let mut new: Vec<Face> = faces
            .iter()
            .filter(|f| f.material == "brick.tif")
            .cloned()
            .collect();
        corners(&mut new).for_each(|c| (c.at[1], c.tag) = (c.at[1] + 3.0, tag(c.tag)));
        faces.extend(new);
    }
}

#[test]
fn copies_and_joined_parts_of_other_models_are_new() {
    let pieces = json!([
        { "material": 0, "priority": 5, "zones": [3], "vertices": [6, 7, 8], "normals": [1, 1, 1], "uvs": [[0.0, 1.0],
        [1.0, 1.0], [1.0, 0.0]] },
        { "material": 0, "priority": 5, "zones": [3], "vertices": [6, 8, 9], "normals": [1, 1, 1], "uvs": [[0.0, 1.0],
        [1.0, 0.0], [0.0, 0.0]] }
    ]);
    // A copy has the vertex numbers of its original: it is the same polygon again, with all
    // properties that the export does not show.
    let whole = json!([{ "material": 0, "priority": 5, "zones": [3], "vertices": [6, 7, 8, 9], "normals": [0, 0, 0, 0],
                         "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]] }]);
    let report = edited(
        copied(|tag| tag),
        |model, tree| again(model, tree, whole.clone(), false),
        Options::default(),
    );
    assert_eq!(
        (
            report.vertices_new,
            report.polygons_new,
            report.polygons_gone
        ),
        (4, 1, 0)
    );
    assert_eq!(report.defaults, defaults(&[]));
    // A piece of model 1 has the vertex numbers of that model.
    let report = edited(
        copied(|[v, m]| [v, m + 1.0]),
        |model, tree| again(model, tree, pieces.clone(), true),
        Options::default(),
    );
    assert_eq!(
        (
            report.vertices_new,
            report.polygons_new,
            report.polygons_gone
        ),
        (4, 2, 0)
    );
    assert_eq!(report.defaults, defaults(&[(LIKE, 2)]));
    // Merged into a polygon if requested.
    let whole = json!([{ "material": 0, "priority": 5, "zones": [3], "vertices": [6, 7, 8, 9], "normals": [1, 1, 1, 1],
                         "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]] }]);
    edited(
        copied(|[v, m]| [v, m + 1.0]),
        |model, tree| again(model, tree, whole.clone(), true),
        Options {
            merge_polygons: true,
            ..Options::default()
        },
    );
}

/// A flip in the program, with the normals turned along and without, its quad cut along either
/// diagonal: the same polygon, in the other order.
#[test]
fn a_flipped_face_is_the_same_polygon_flipped() {
    for (along, other) in [(false, false), (true, false), (true, true)] {
        let report = edited(
            |faces| {
                let brick: Vec<usize> = (0..faces.len())
                    .filter(|i| faces[*i].material == "brick.tif")
                    .collect();
                if let ([first, second], true) = (&brick[..], other) {
                    let [p, q, r] = faces[*first].corners;
                    let s = faces[*second].corners[2];
                    (faces[*first].corners, faces[*second].corners) = ([r, s, q], [p, q, s]);
                }
                for i in brick {
                    faces[i].corners.swap(1, 2);
                    if along {
                        faces[i]
                            .corners
                            .iter_mut()
                            .for_each(|c| c.normal = c.normal.map(|v| -v));
                    }
                }
            },
            |model, _| {
                let polygon = &mut model["polygons"][0];
                polygon["vertices"] = json!([0, 5, 4, 1]);
                polygon["uvs"] = json!([[0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
                if along {
                    polygon["normals"] = json!([1, 1, 1, 1]);
                    model["normals"].as_array_mut().unwrap().push(json!([
                        1e-4f32,
                        1e-4f32,
                        -1.0f32 + 1e-4f32
                    ]));
                }
            },
            Options::default(),
        );
        assert_eq!(
            (
                report.polygons_changed,
                report.polygons_new,
                report.polygons_gone,
                report.vertices_new
            ),
            (1, 0, 0, 0)
        );
    }
}

/// What Blender 4.2 wrote of `mw_base.gamez.zbd`'s model 0 after an edit of each kind:
/// `blender/check.py` made them.
#[test]
fn files_of_blender_survive_the_round_trip() {
    let world = golden_file("gamez", "mw_base.gamez.zbd");
    let of = |edit: &str| {
        let file =
            std::fs::read(root().join(format!("roundtrip-tests/blender/{edit}.glb"))).unwrap();
        let (bytes, report) = put(
            &world.bytes,
            &world.path,
            "models/0000-torso_00023",
            &file,
            Options::default(),
        )
        .unwrap();
        (bytes == world.bytes, report)
    };
    for same in ["none", "quads", "dissolve"] {
        let (unchanged, report) = of(same);
        assert!(unchanged && report.is_unchanged(), "{same}: {report:?}");
    }
    let expected = [
        (
            "move",
            Report {
                vertices_moved: 1,
                ..Report::default()
            },
        ),
        // Each triangle became four; three new positions have a whole number by accident, and are
        // not moved vertices.
        (
            "subdivide",
            Report {
                vertices_new: 15,
                polygons_new: 20,
                polygons_gone: 5,
                ..Report::default()
            },
        ),
        (
            "delete",
            Report {
                vertices_gone: 2,
                polygons_gone: 1,
                ..Report::default()
            },
        ),
        (
            "recolour",
            Report {
                polygons_changed: 1,
                ..Report::default()
            },
        ),
    ];
    for (edit, expected) in expected {
        let (unchanged, report) = of(edit);
        assert!(!unchanged, "{edit}");
        assert_eq!(report, expected, "{edit}");
    }
}

/// What Blender 4.2 wrote of things of other kinds without an edit: lights on a facade of Recoil,
/// polygons of several materials, planes whose normals it takes for its own, a 'mech, a motion of
/// 30 frames a second at its own 24, and with "Custom Properties".
#[test]
fn files_of_blender_of_every_kind_survive_the_round_trip() {
    let all = [
        (
            "rc",
            "gamez",
            "rc_odd_tight.gamez.zbd",
            "models/0005-arm_00017",
        ),
        ("pm", "gamez", "pm_full_models.gamez.zbd", "models/0006"),
        ("layers", "gamez", "cs_c1.gamez.zbd", "models/0007-gear13"),
        ("planes", "planes", "cs_planes_small.zbd", "models/0003"),
        ("mech", "mechlib", "pm_lod_model.mechlib.zbd", "hull0.flt"),
        (
            "extras",
            "gamez",
            "mw_base.gamez.zbd",
            "models/0000-torso_00023",
        ),
        ("motion", "motion", "pm_typical_motion.zbd", "madcat_m05"),
    ];
    for (file, format, name, member) in all {
        let case = golden_file(format, name);
        let file =
            std::fs::read(root().join(format!("roundtrip-tests/blender/{file}.glb"))).unwrap();
        let (bytes, report) =
            put(&case.bytes, &case.path, member, &file, Options::default()).unwrap();
        assert!(
            report.is_unchanged() && bytes == case.bytes,
            "{name} {member}: {report:?}"
        );
    }
}

/// A valid file of one triangle, to be made worse: its JSON part and its binary part.
fn triangle() -> (Value, Vec<u8>) {
    let floats = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0f32]];
    let mut data: Vec<u8> = floats
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    data.extend([0u16, 1, 2, 0].iter().flat_map(|v| v.to_le_bytes()));
    let root = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "material": 0 }] }],
        "materials": [{ "name": "brick.tif" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR" }
        ],
        "bufferViews": [{ "buffer": 0, "byteOffset": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36,
        "byteLength": 6 }],
        "buffers": [{ "byteLength": 44 }]
    });
    (root, data)
}

/// Fails unless the file is refused with these words.
fn refused(file: &[u8], word: &str) {
    let error = put(
        &small().1,
        "gamez.zbd",
        "models/0000-lower",
        file,
        Options::default(),
    )
    .expect_err(word)
    .to_string();
    assert!(error.contains(word), "{word}: {error}");
}

/// The same for an edited triangle.
fn refused_edit(edit: &dyn Fn(&mut Value), word: &str) {
    let (mut root, data) = triangle();
    edit(&mut root);
    refused(&glb(&root, &data), word);
}

#[test]
fn broken_files_end_in_a_clear_error() {
    let (root, data) = triangle();
    let good = glb(&root, &data);
    assert!(
        put(
            &small().1,
            "gamez.zbd",
            "models/0000-lower",
            &good,
            Options::default()
        )
        .is_ok()
    );
    refused(b"", "neither");
    refused(b"glTF", "version");
    refused(&good[..good.len() - 4], "bytes");
    refused(&[&good[..], &[0; 4]].concat(), "bytes");
    let mut long = good.clone();
    long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&long, "are left");
    let mut broken = good.clone();
    broken[20] = b'[';
    refused(&broken, "JSON");
    // An index out of range, and a NaN coordinate.
    let mut outside = data.clone();
    outside[36..38].copy_from_slice(&9u16.to_le_bytes());
    refused(&glb(&root, &outside), "vertex 9 of 3");
    let mut nan = data.clone();
    nan[0..4].copy_from_slice(&f32::NAN.to_le_bytes());
    refused(&glb(&root, &nan), "not finite");
}

#[test]
fn references_of_files_are_followed_with_care() {
    refused_edit(
        &|r| r["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(9),
        "accessors[9]",
    );
    refused_edit(
        &|r| r["accessors"][0]["count"] = json!(4_000_000_000u32),
        "too often",
    );
    refused_edit(&|r| r["accessors"][0]["count"] = json!(4), "do not fit");
    refused_edit(
        &|r| r["accessors"][0]["bufferView"] = json!(7),
        "no such view",
    );
    refused_edit(
        &|r| r["bufferViews"][0]["byteLength"] = json!(u64::MAX),
        "the buffer has",
    );
    refused_edit(
        &|r| r["bufferViews"][0]["byteOffset"] = json!(u64::MAX),
        "the buffer has",
    );
    refused_edit(
        &|r| r["buffers"][0]["byteLength"] = json!(8_000_000_000u64),
        "it says 8000000000 bytes",
    );
    refused_edit(
        &|r| r["buffers"][0] = json!({ "byteLength": 4, "uri": "../../etc/passwd" }),
        "leads out",
    );
    refused_edit(
        &|r| r["buffers"][0] = json!({ "byteLength": 4, "uri": "/etc/passwd" }),
        "leads out",
    );
    refused_edit(
        &|r| {
            r["buffers"][0] =
                json!({ "byteLength": 4, "uri": "data:application/octet-stream;base64,!!" })
        },
        "base64",
    );
    refused_edit(
        &|r| r["nodes"] = json!([{ "mesh": 0, "children": [0] }]),
        "has two parents, or is its own ancestor",
    );
    refused_edit(
        &|r| r["nodes"] = json!([{ "children": [1] }, { "children": [0] }]),
        "has two parents, or is its own ancestor",
    );
    refused_edit(
        &|r| r["nodes"] = json!([{ "mesh": 0, "children": [5] }]),
        "no such node",
    );
    refused_edit(&|r| r["nodes"] = json!([{ "mesh": 3 }]), "no such mesh");
    refused_edit(
        &|r| r["nodes"] = json!([{ "mesh": 0, "scale": [1e300, 1.0, 1.0], "children": [] }]),
        "not finite",
    );
    refused_edit(
        &|r| {
            r["accessors"][0]["sparse"] = json!({ "count": 1, "indices": { "bufferView": 1, "componentType": 5123,
            "byteOffset": 4 }, "values": { "bufferView": 3 } })
        },
        "no such view",
    );
    refused_edit(
        &|r| r["accessors"][1]["componentType"] = json!(5126),
        "do not fit",
    );
    refused_edit(&|r| r["nodes"] = json!([{}]), "no triangle");
}

#[test]
fn unsupported_files_are_refused_with_advice() {
    refused_edit(
        &|r| r["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]),
        "Draco (export it again without compression)",
    );
    refused_edit(
        &|r| r["extensionsUsed"] = json!(["EXT_meshopt_compression"]),
        "meshopt (export it again without compression)",
    );
    refused_edit(
        &|r| r["extensionsRequired"] = json!(["ACME_everything"]),
        "\"ACME_everything\", which refit does not know (export it again without it)",
    );
    refused_edit(
        &|r| r["skins"] = json!([{ "joints": [0] }]),
        "(skins); the games have none (in Blender apply the Armature modifier",
    );
    refused_edit(
        &|r| r["animations"] = json!([{ "channels": [], "samplers": [] }]),
        "1 animations, which a model cannot contain (export it without them; those of 'mechs go into motion.zbd",
    );
}

#[test]
fn large_files_end_in_a_clear_error() {
    // A million nodes in a chain; and one accessor named by thousands of primitives.
    let chain: Vec<Value> = (0..1_000_000)
        .map(|i| json!({ "children": [i + 1] }))
        .collect();
    refused_edit(&|r| r["nodes"] = json!(chain), "1000000 nodes");
    let deep: Vec<Value> = (0..100_000)
        .map(|i| {
            if i < 99_999 {
                json!({ "children": [i + 1] })
            } else {
                json!({ "mesh": 0 })
            }
        })
        .collect();
    let (mut root, data) = triangle();
    root["nodes"] = json!(deep);
    assert!(
        put(
            &small().1,
            "gamez.zbd",
            "models/0000-lower",
            &glb(&root, &data),
            Options::default()
        )
        .is_ok(),
        "deep is no fault"
    );
    let many = json!({ "attributes": { "POSITION": 0 }, "indices": 1 });
    refused_edit(
        &|r| {
            r["meshes"][0]["primitives"] = json!(vec![many.clone(); 60_000]);
            r["accessors"][0] =
                json!({ "componentType": 5126, "count": 1_000_000, "type": "VEC3" });
        },
        "too often",
    );
}

/// A triangle put over the first model of a small world.
fn put_lower(root: &Value, data: &[u8]) -> refit::Result<Bytes> {
    put(
        &small().1,
        "gamez.zbd",
        LOWER,
        &glb(root, data),
        Options::default(),
    )
    .map(|(found, _)| found)
}

/// Asserts that a file gives the same result as the plain triangle.
fn is_the_triangle(root: &Value, data: &[u8], what: &str) {
    let (plain, plain_data) = triangle();
    let found = put_lower(root, data).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(found == put_lower(&plain, &plain_data).unwrap(), "{what}");
}

const LOWER: &str = "models/0000-lower";

#[test]
fn every_encoding_of_a_triangle_gives_the_same_result() {
    let (plain, data) = triangle();
    // Twice as large, in a node of half the size; the same as a matrix.
    let mut twice: Vec<u8> = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0f32]]
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    twice.extend(&data[36..]);
    let mut root = plain.clone();
    root["nodes"] = json!([{ "mesh": 0, "scale": [0.5, 0.5, 0.5] }]);
    is_the_triangle(&root, &twice, "another unit");
    root["nodes"] =
        json!([{ "mesh": 0, "matrix": [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1] }]);
    is_the_triangle(&root, &twice, "a matrix");
    // Mirrored: the same corners, turned the other way round in the file.
    let mut mirrored: Vec<u8> = [[0.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0f32]]
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    mirrored.extend([0u16, 2, 1, 0].iter().flat_map(|v| v.to_le_bytes()));
    root["nodes"] = json!([{ "mesh": 0, "scale": [-1.0, 1.0, 1.0] }]);
    is_the_triangle(&root, &mirrored, "mirrored");
    // Without indices; as a strip; as a fan.
    for mode in [4, 5, 6] {
        let mut root = plain.clone();
        root["meshes"][0]["primitives"][0]["mode"] = json!(mode);
        root["meshes"][0]["primitives"][0]
            .as_object_mut()
            .unwrap()
            .remove("indices");
        is_the_triangle(&root, &data, "another mode");
    }
    // Bytes as coordinates.
    let mut root = plain.clone();
    root["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    root["bufferViews"][0] =
        json!({ "buffer": 0, "byteOffset": 0, "byteLength": 12, "byteStride": 4 });
    root["accessors"][0]["componentType"] = json!(5121);
    let mut bytes = vec![0u8, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0];
    bytes.resize(36, 0);
    bytes.extend(&data[36..]);
    is_the_triangle(&root, &bytes, "quantised");
    // Zeros; two of them are replaced.
    let mut root = plain.clone();
    root["accessors"][0] = json!({
        "componentType": 5126, "count": 3, "type": "VEC3",
        "sparse": { "count": 2, "indices": { "bufferView": 1, "componentType": 5123, "byteOffset": 2 },
        "values": { "bufferView": 0, "byteOffset": 12 } }
    });
    is_the_triangle(&root, &data, "sparse");
}

#[test]
fn invalid_normals_are_ignored_and_invalid_positions_are_errors() {
    let (plain, data) = triangle();
    // Invalid normals, as Blender computes them for vertices that are far away.
    let mut root = plain.clone();
    let mut far = data.clone();
    far.resize(far.len().next_multiple_of(4), 0);
    root["bufferViews"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "buffer": 0, "byteOffset": far.len(), "byteLength": 36 }));
    let views = root["bufferViews"].as_array().unwrap().len();
    root["accessors"].as_array_mut().unwrap().push(
        json!({ "bufferView": views - 1, "componentType": 5126, "count": 3, "type": "VEC3" }),
    );
    let accessors = root["accessors"].as_array().unwrap().len();
    root["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(accessors - 1);
    far.extend(
        [f32::NAN, f32::INFINITY, f32::NEG_INFINITY]
            .repeat(3)
            .iter()
            .flat_map(|v| v.to_le_bytes()),
    );
    root["buffers"][0]["byteLength"] = json!(far.len());
    is_the_triangle(&root, &far, "normals that are none");
    // For any other NaN the error names the object.
    root["nodes"] = json!([{ "mesh": 0, "name": "far away" }]);
    root["meshes"][0]["primitives"][0]["attributes"] = json!({ "POSITION": accessors - 1 });
    let error = put_lower(&root, &far).unwrap_err().to_string();
    assert!(
        error.contains("nodes[0] far away.meshes[0].primitives[0].POSITION.accessors[")
            && error.contains("value 0 is not finite"),
        "{error}"
    );
}

#[test]
fn a_buffer_may_be_in_a_separate_file() {
    let (plain, data) = triangle();
    let (_, world) = small();
    let mut opened = pipeline::open(&world, "gamez.zbd", Hints::default()).unwrap();
    let mut root = plain.clone();
    root["buffers"][0]["uri"] = json!("my%20data.bin");
    let text = Bytes::from(root.to_string());
    let beside = |path: &str| {
        if path == "my data.bin" {
            Ok(Bytes::from(data.clone()))
        } else {
            Err(refit::Error::say(path))
        }
    };
    let index = opened
        .model
        .model()
        .members()
        .iter()
        .position(|m| m.name == LOWER)
        .unwrap();
    import::put(
        &mut opened.model,
        index,
        &import::Source {
            file: &text,
            beside: &beside,
        },
        Options::default(),
    )
    .unwrap();
    assert!(opened.model.write().unwrap() == put_lower(&plain, &data).unwrap()[..]);
}

#[test]
fn cameras_and_lights_are_counted_and_new_triangles_become_polygons_on_request() {
    let (_, world) = small();
    let member = "models/0000-lower";
    let glb0 = export(&world, "gamez.zbd")
        .remove(&format!("{member}.glb"))
        .unwrap();
    // Untagged and somewhere else: everything is new.
    let mut faces = faces(&glb0);
    corners(&mut faces).for_each(|c| (c.at, c.tag) = ([c.at[0], c.at[1], 7.0], [0.25, 0.25]));
    let file = write(&faces, Trip::default(), json!({}));
    let count = |options| {
        put(&world, "gamez.zbd", member, &file, options)
            .unwrap()
            .1
            .polygons_new
    };
    assert_eq!(
        (
            count(Options::default()),
            count(Options {
                merge_polygons: true,
                ..Options::default()
            })
        ),
        (4, 2)
    );

    let (mut root, data) = triangle();
    root["nodes"] = json!([{ "mesh": 0, "children": [1, 2] }, { "camera": 0 },
        { "extensions": { "KHR_lights_punctual": { "light": 0 } } }]);
    let notes = put(
        &world,
        "gamez.zbd",
        member,
        &glb(&root, &data),
        Options::default(),
    )
    .unwrap()
    .1
    .notes
    .join("\n");
    assert!(
        notes.contains("1 cameras") && notes.contains("1 lights"),
        "{notes}"
    );
}

#[test]
fn a_new_object_becomes_a_node_with_a_model_below_the_given_node() {
    let (tree, world) = small();
    let (mut root, data) = triangle();
    root["nodes"] = json!([{ "name": "tower.001", "mesh": 0, "translation": [1.0, 2.0, 3.0], "children": [1] },
        { "name": "flag" }]);
    root["materials"][0]["name"] = json!("grass.tif");
    let file = Bytes::from(glb(&root, &data));
    let (found, report) = add(&world, "gamez.zbd", "upper", &file).unwrap();
    let usual = "new objects without further settings in the file: zone 255, with the flags ACTIVE, ALTITUDE_SURFACE, \
        INTERSECT_SURFACE, SINGLE_PARENT, ZONE_GATE, UNK25";
    let drawn = "new models without a type in the file: the type DEFAULT, with the flags LIGHTING";
    let polygons = "new polygons (the model has no other): priority 0, in all zones, without flags";
    assert_eq!(
        report.defaults,
        defaults(&[(drawn, 1), (usual, 2), (polygons, 1), (NO_UVS, 1)])
    );

    // The same by hand.
    let usual = [
        "ACTIVE",
        "ALTITUDE_SURFACE",
        "INTERSECT_SURFACE",
        "SINGLE_PARENT",
        "ZONE_GATE",
        "UNK25",
    ];
    let flags = [&usual[..], &["NODE_BBOX", "MODEL_BBOX"]].concat();
    let sides = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0];
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let mut doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    let list = doc["nodes"].as_array_mut().unwrap();
    list[5]["children"] = json!([6, 7]);
    for field in ["node_bbox", "child_bbox"] {
        list[5][field] = json!([0.0, 0.0, -5.0, 2.5, 3.0, 3.0]);
    }
    list.push(json!({
        "name": "tower", "flags": flags, "update_flags": 1, "model": 1, "node_bbox": sides, "model_bbox": sides,
        "children": [8],
        "data": { "object3d": { "flags": ["ALWAYS"], "translation": [1.0, 2.0, 3.0] } }
    }));
    list.push(json!({
        "name": "flag", "flags": usual, "update_flags": 1, "data": { "object3d": { "flags": ["ALWAYS", "INITIAL"] } }
    }));
    tree.set(&path, doc.to_string().into_bytes());
    let model = json!({
        "flags": ["LIGHTING"], "bbox_mid": [0.5, 0.5, 0.0], "bbox_diag": 0.75,
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        "polygons": [{ "material": 1, "vertices": [0, 1, 2], "uvs": [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]] }]
    });
    tree.set("models/0001.json", model.to_string().into_bytes());
    assert_bytes(&found, &repack(&tree));

    let source = import::Source {
        file: &file,
        beside: &alone,
    };
    let mut opened = pipeline::open(&world, "gamez.zbd", Hints::default()).unwrap();
    let error = import::add(&mut opened.model, "nobody", &source, Options::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("no node is called"), "{error}");
    assert!(
        opened.model.write().unwrap() == world[..],
        "nothing was changed"
    );
}

/// Blender's own files of one model, with and without "Custom Properties": the program reports each
/// missing property on one line.
#[test]
fn missing_properties_of_blender_files_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("gamez.zbd"),
        golden_file("gamez", "mw_base.gamez.zbd").bytes,
    )
    .unwrap();
    let import = |file: &str| {
        std::fs::copy(
            root().join(format!("roundtrip-tests/blender/{file}.glb")),
            dir.path().join(format!("{file}.glb")),
        )
        .unwrap();
        let line = [
            "import",
            &format!("{file}.glb"),
            "--into",
            "gamez.zbd",
            "--under",
            "world1",
            "--dry-run",
        ];
        process::out(&process::refit(dir.path()).args(line).assert().code(0))
    };
    let (without, with) = (import("none"), import("extras"));
    for (printed, of) in [(&without, 1), (&with, 0)] {
        assert_eq!(
            printed
                .matches("new models without a type in the file")
                .count(),
            of,
            "{printed}"
        );
        // The export of one model has no node of the world.
        assert_eq!(
            printed
                .matches("new objects without further settings in the file: zone 255")
                .count(),
            1,
            "{printed}"
        );
        assert_eq!(
            printed.matches("new polygons (the model has no other): priority 0, in all zones, without flags: ").count(),
            1,
            "{printed}"
        );
    }
}

/// A `.gltf` with its buffer in `data.bin` and a picture `steel.png` next to it.
fn beside(dir: &std::path::Path, root: &Value, data: &[u8]) {
    let mut root = root.clone();
    root["buffers"][0]["uri"] = json!("data.bin");
    std::fs::write(dir.join("tower.gltf"), root.to_string()).unwrap();
    std::fs::write(dir.join("data.bin"), data).unwrap();
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 8, 8);
    encoder.set_color(png::ColorType::Rgb);
    // The word 0x1022: red 2 of 31, green 1 of 63, blue 2 of 31.
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&[16, 4, 16].repeat(64))
        .unwrap();
    std::fs::write(dir.join("steel.png"), png).unwrap();
}

#[test]
fn the_picture_of_a_new_texture_goes_into_the_given_package() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    let (mut root, data) = triangle();
    root["materials"] = json!([{ "name": "armour", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    root["textures"] = json!([{ "source": 0 }]);
    root["images"] = json!([{ "name": "Steel", "uri": "steel.png" }]);
    beside(dir.path(), &root, &data);
    let line = [
        "import",
        "tower.gltf",
        "--into",
        "gamez.zbd",
        "--under",
        "upper",
        "--textures",
        "rtexture.zbd",
        "--game",
        "mw",
    ];
    let before = games::package(&["brick", "grass"]);
    std::fs::write(dir.path().join("rtexture.zbd"), &before).unwrap();
    let dry = process::refit(dir.path())
        .args(line)
        .arg("--dry-run")
        .assert()
        .code(0);
    assert!(
        process::err(&dry).contains("the texture \"Steel\" is new"),
        "{}",
        process::err(&dry)
    );
    assert!(
        std::fs::read(dir.path().join("rtexture.zbd")).unwrap() == before
            && std::fs::read(dir.path().join("gamez.zbd")).unwrap() == world
    );
    process::refit(dir.path()).args(line).assert().code(0);
    // A package of three textures like one made by hand. The last texture has a single colour.
    let mut wanted = games::package(&["brick", "grass", "steel"]);
    let last = wanted.len() - 128;
    wanted[last..].copy_from_slice(&[0x22, 0x10].repeat(64));
    assert_bytes(
        &std::fs::read(dir.path().join("rtexture.zbd")).unwrap(),
        &wanted,
    );
    assert!(std::fs::read(dir.path().join("gamez.zbd")).unwrap() != world);
    // An invalid package is reported before anything is written.
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    std::fs::write(dir.path().join("rtexture.zbd"), &world).unwrap();
    let refused = process::refit(dir.path()).args(line).assert().code(1);
    assert!(
        process::err(&refused).contains("takes a texture package"),
        "{}",
        process::err(&refused)
    );
    assert!(std::fs::read(dir.path().join("gamez.zbd")).unwrap() == world);
}

/// A JPEG in the file itself, without a name: it gets the material's, which is too long for a
/// world, in all given packages.
#[test]
fn a_picture_without_a_name_gets_its_materials_and_goes_into_all_packages() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    let (mut root, mut data) = triangle();
    let picture = games::jpeg();
    root["materials"] = json!([{ "name": "Armour_Steel_diffuse_1024",
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }]);
    root["textures"] = json!([{ "source": 0 }]);
    root["images"] = json!([{ "bufferView": 2, "mimeType": "image/jpeg" }]);
    root["bufferViews"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "buffer": 0, "byteOffset": 44, "byteLength": picture.len() }));
    data.extend(&picture);
    data.resize(data.len().next_multiple_of(4), 0);
    root["buffers"][0]["byteLength"] = json!(data.len());
    std::fs::write(dir.path().join("tower.glb"), glb(&root, &data)).unwrap();
    std::fs::create_dir_all(dir.path().join("m1")).unwrap();
    let before = games::package(&["brick"]);
    let mut wanted = games::package(&["brick", "armour_steel_diffus"]);
    let last = wanted.len() - 128;
    wanted[last..].copy_from_slice(&[0x22, 0x10].repeat(64));
    let reset = || {
        std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
        for name in ["rtexture2.zbd", "rtexture4.zbd"] {
            std::fs::write(dir.path().join("m1").join(name), &before).unwrap();
        }
    };
    for textures in [
        &[
            "--textures",
            "m1/rtexture2.zbd",
            "--textures",
            "m1/rtexture4.zbd",
        ][..],
        &["--textures", "m1"],
    ] {
        reset();
        let line = [
            "import",
            "tower.glb",
            "--into",
            "gamez.zbd",
            "--under",
            "upper",
            "--game",
            "mw",
        ];
        let printed = process::refit(dir.path())
            .args(line)
            .args(textures)
            .assert()
            .code(0);
        let printed = process::err(&printed);
        assert!(
            printed.contains(
                "is new and named \"Armour_Steel_diffus\": names have at most 19 characters"
            ),
            "{printed}"
        );
        assert!(
            !printed.contains("must be in the texture packages"),
            "{printed}"
        );
        for name in ["rtexture2.zbd", "rtexture4.zbd"] {
            assert_bytes(
                &std::fs::read(dir.path().join("m1").join(name)).unwrap(),
                &wanted,
            );
        }
        // The second time it exists already.
        let again = process::refit(dir.path())
            .args(line)
            .args(textures)
            .assert()
            .code(0);
        assert!(
            !process::err(&again).contains("is new"),
            "{}",
            process::err(&again)
        );
    }
    // Without a package the report says what is missing.
    reset();
    let line = "import tower.glb --into gamez.zbd --under upper --game mw";
    let printed = process::run(dir.path(), line).code(0);
    assert!(
        process::err(&printed).contains("(--textures adds its picture)"),
        "{}",
        process::err(&printed)
    );
    // `edit` has no option for packages.
    #[cfg(unix)]
    {
        reset();
        let line = [
            "edit",
            "gamez.zbd",
            "models/0000-lower",
            "--glb",
            "--editor",
            "cp tower.glb",
        ];
        let printed = process::err(&process::refit(dir.path()).args(line).assert());
        assert!(
            printed.contains("(`refit add PACKAGE` adds its picture)"),
            "{printed}"
        );
    }
    reset();
    let none = process::run(dir.path(), &format!("{line} --textures .refit")).code(1);
    assert!(
        process::err(&none).contains(".refit"),
        "{}",
        process::err(&none)
    );
}

/// A world exported whole, with one new object below one that is there, and one on nothing.
#[test]
fn importing_a_world_again_adds_only_new_objects() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    process::run(dir.path(), "export gamez.zbd -o view").code(0);
    let whole = process::run(
        dir.path(),
        "import view/world.glb --into gamez.zbd --under upper",
    )
    .code(1);
    assert!(
        process::err(&whole).contains("objects of the file exist already: "),
        "{}",
        process::err(&whole)
    );
    process::run(dir.path(), "put gamez.zbd world view/world.glb").code(0);
    assert!(std::fs::read(dir.path().join("gamez.zbd")).unwrap() == world);

    let mut all = 0;
    edited_world(dir.path(), |root| {
        let nodes = root["nodes"].as_array_mut().unwrap();
        let lower = nodes.iter().position(|n| n["name"] == "lower").unwrap();
        all = nodes.len();
        let mesh = nodes[lower]["mesh"].clone();
        nodes[lower]["children"] = json!([all]);
        nodes[lower]["translation"] = json!([0.0, 7.0, -5.0]);
        // As Blender calls a copy.
        nodes.push(json!({ "name": "lower.001", "mesh": mesh }));
        nodes.push(json!({ "name": "gate", "mesh": mesh }));
        root["scenes"][0]["nodes"]
            .as_array_mut()
            .unwrap()
            .push(json!(all + 1));
    });
    let printed = process::run(
        dir.path(),
        "import edited.glb --into gamez.zbd --under upper",
    )
    .code(3);
    let said = process::err(&printed);
    assert!(
        said.contains(&format!("{all} of {} objects exist already", all + 2)),
        "{said}"
    );
    assert!(
        said.contains("another position in the file: lower\n"),
        "{said}"
    );
    assert!(
        process::out(&printed).contains("2 nodes new"),
        "{}",
        process::out(&printed)
    );
    let now = std::fs::read(dir.path().join("gamez.zbd")).unwrap();
    let tree = unpack(
        &Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: now.into(),
        },
        Hints::default(),
        refit::tree::Style::Json,
    );
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    let names: Vec<&str> = doc["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[5..], ["upper", "lower", "lower", "gate"]);
    let children = |i: usize| {
        let list = doc["nodes"][i]["children"].as_array().unwrap();
        list.iter()
            .map(|c| {
                c.as_str()
                    .and_then(|c| c.split(' ').next()?.parse().ok())
                    .or(c.as_u64())
                    .unwrap()
            })
            .collect::<Vec<u64>>()
    };
    assert_eq!((children(5), children(6)), (vec![6, 8], vec![7]));
    // It stays at its position.
    assert_eq!(
        doc["nodes"][6]["data"]["object3d"]["translation"],
        json!([0.0, 0.0, -5.0])
    );
}

/// The world of [`small`] as its export shows it, edited: the objects and the binary data.
fn edited_world(dir: &std::path::Path, edit: impl FnOnce(&mut Value)) {
    let file = std::fs::read(dir.join("view/world.glb")).unwrap();
    let text = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let mut root: Value = serde_json::from_slice(&file[20..20 + text]).unwrap();
    edit(&mut root);
    std::fs::write(dir.join("edited.glb"), glb(&root, &file[28 + text..])).unwrap();
}

#[test]
fn an_edited_world_can_be_imported_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    process::run(dir.path(), "export gamez.zbd -o view").code(0);
    edited_world(dir.path(), |root| {
        let nodes = root["nodes"].as_array_mut().unwrap();
        let (lower, all) = (
            nodes.iter().position(|n| n["name"] == "lower").unwrap(),
            nodes.len(),
        );
        let mesh = nodes[lower]["mesh"].clone();
        nodes[lower]["children"] = json!([all]);
        nodes[lower]["translation"] = json!([0.0, 7.0, -5.0]);
        nodes.push(json!({ "name": "shed", "mesh": mesh }));
        nodes.push(json!({ "name": "gate", "mesh": mesh, "translation": [1.0, 2.0, 3.0] }));
        root["scenes"][0]["nodes"]
            .as_array_mut()
            .unwrap()
            .push(json!(all + 1));
    });
    let printed = process::out(&process::run(dir.path(), "put gamez.zbd world edited.glb"));
    assert!(
        printed.contains("1 node moved") && printed.contains("2 nodes new"),
        "{printed}"
    );
    let now = Bytes::from(std::fs::read(dir.path().join("gamez.zbd")).unwrap());
    let case = Case {
        path: "gamez.zbd".into(),
        folder: "gamez".into(),
        bytes: now.clone(),
    };
    let tree = unpack(&case, Hints::default(), refit::tree::Style::Json);
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    let place = |i: usize| doc["nodes"][i]["data"]["object3d"]["translation"].clone();
    assert_eq!(place(6), json!([0.0, 7.0, -5.0]));
    let names: Vec<&str> = doc["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[5..], ["upper", "lower", "shed", "gate"]);
    // Exported and imported again, it is unchanged.
    process::run(dir.path(), "export gamez.zbd -o view --force").code(0);
    process::run(dir.path(), "put gamez.zbd world view/world.glb").code(0);
    assert!(std::fs::read(dir.path().join("gamez.zbd")).unwrap() == now);

    // A file with other content, and one that shows a part.
    edited_world(dir.path(), |root| {
        let nodes = root["nodes"].as_array_mut().unwrap();
        nodes
            .iter_mut()
            .for_each(|node| node["name"] = json!(format!("other {}", node["name"])));
    });
    let none = process::run(dir.path(), "put gamez.zbd world edited.glb").code(1);
    assert!(
        process::err(&none).contains("contains no object of this world"),
        "{}",
        process::err(&none)
    );
    assert!(std::fs::read(dir.path().join("gamez.zbd")).unwrap() == now);
}

/// Every world and plane of all games, as exported.
#[test]
fn an_unedited_world_is_imported_unchanged() {
    let judged: usize = worlds()
        .par_iter()
        .map(|case| {
            let mut opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
            let refit::File::World(world) = &mut opened.model else {
                panic!("{} is no world", case.path)
            };
            let mut judged = 0;
            let shown = export(&case.bytes, &case.path);
            for (path, file) in shown.iter().filter(|(path, _)| !path.contains('/')) {
                let source = import::Source {
                    file,
                    beside: &alone,
                };
                // What shows a single node, or nodes of no world, is nothing that could be found
                // again.
                if let Ok(report) = import::whole(world, &source, Options::default()) {
                    assert!(
                        report.is_unchanged() && report.notes.is_empty(),
                        "{} {path}: {report:?}",
                        case.path
                    );
                    judged += 1;
                }
            }
            assert!(
                opened.model.write().unwrap() == case.bytes[..],
                "{}",
                case.path
            );
            judged
        })
        .sum();
    assert!(judged > 20, "only {judged} worlds");
}

/// The cameras and lights of a world need no word, unless somebody moved them.
#[test]
fn a_moved_light_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let file = root().join("golden/gamez/mw_typical_gamez.zbd");
    std::fs::copy(file, dir.path().join("gamez.zbd")).unwrap();
    process::run(dir.path(), "export gamez.zbd -o view").code(0);
    let said = "warning: edited.glb: \"sunlight\" is not an object that can be moved, and stays\n";
    for (to, warning, code) in [(0.0, "", 0), (9.0, said, 3)] {
        edited_world(dir.path(), |root| {
            let nodes = root["nodes"].as_array_mut().unwrap();
            let sun = nodes
                .iter_mut()
                .find(|node| node["name"] == "sunlight")
                .unwrap();
            sun["translation"] = json!([to, 0.0, 0.0]);
        });
        let put = process::run(dir.path(), "put gamez.zbd world edited.glb").code(code);
        assert_eq!(process::err(&put), warning);
    }
}

#[test]
fn errors_name_the_file_that_they_are_about() {
    let dir = tempfile::tempdir().unwrap();
    let (_, world) = small();
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    std::fs::write(dir.path().join("tower.glb"), b"no glTF").unwrap();
    process::run(dir.path(), "unpack gamez.zbd -o tree").code(0);
    for line in [
        "import tower.glb --into tree --under upper",
        "put tree models/0000-lower tower.glb",
    ] {
        let said = process::err(&process::run(dir.path(), line).code(1));
        assert!(said.starts_with("error: tower.glb: "), "{line}: {said}");
    }
    let said = process::err(&process::run(dir.path(), "import tower.glb --into tree").code(1));
    assert!(said.starts_with("error: tree: --under must name"), "{said}");
    // An output name that ends in `.glb` selects glTF, which not all members can be shown as.
    process::run(dir.path(), "export gamez.zbd -o view").code(0);
    process::run(dir.path(), "get gamez.zbd models/0000-lower -o door.glb").code(0);
    let read = |path: &str| std::fs::read(dir.path().join(path)).unwrap();
    assert!(read("door.glb") == read("view/models/0000-lower.glb"));
    let said =
        process::err(&process::run(dir.path(), "get gamez.zbd textures -o none.glb").code(1));
    assert!(
        said.contains("cannot be shown as glTF") && !dir.path().join("none.glb").exists(),
        "{said}"
    );
}

/// A sheet of vertices in rows, all with one material; with `normals`, separate normals at each
/// corner.
fn sheet(columns: usize, rows: usize, normals: bool) -> Vec<u8> {
    let corner = |i: usize| -> Corner {
        let (x, y) = ((i % columns) as f32, (i / columns) as f32);
        Corner {
            at: [x, y, 0.0],
            normal: [0.0, 0.0, 1.0],
            uv: [x, y],
            tag: [0.5, 0.5],
            color: [1.0; 3],
        }
    };
    let mut faces = Vec::new();
    for i in (0..columns * (rows - 1)).filter(|i| i % columns + 1 < columns) {
        for corners in [
            [i, i + 1, i + columns + 1],
            [i, i + columns + 1, i + columns],
        ] {
            faces.push(Face {
                material: "brick.tif".into(),
                two_sided: false,
                corners: corners.map(corner),
            });
        }
    }
    if normals {
        let count = 3 * faces.len() as u32;
        for (i, c) in (0u32..).zip(corners(&mut faces)) {
            // Turned a little further at each corner.
            let angle = (i as f32 / count as f32 - 0.5) * 2.0;
            c.normal = [angle.sin(), 0.0, angle.cos()];
        }
    }
    write(
        &faces,
        Trip {
            untagged: true,
            ..Trip::default()
        },
        json!({}),
    )
}

/// Findings of a model after a dry run of `put` in a world of a game, and the exit code.
fn reported(game: &str, glb: &[u8], more: &[&str]) -> (String, Option<i32>) {
    let dir = tempfile::tempdir().unwrap();
    let mut square = json!({
        "bbox_mid": [0.5, 0.5, 0.0], "bbox_diag": 0.75, "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]],
        "polygons": [{ "material": 0, "vertices": [0, 1, 2], "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]] }]
    });
    square[if game == "rc" {
        "recoil_flags"
    } else {
        "flags"
    }] = json!(["LIGHTING"]);
    let node = json!({
        "name": "one", "flags": ["ACTIVE", "NODE_BBOX", "MODEL_BBOX"], "model": 0, "node_bbox": [0.0, 0.0, 0.0, 1.0,
        1.0, 0.0],
        "model_bbox": [0.0, 0.0, 0.0, 1.0, 1.0, 0.0], "data": { "object3d": { "flags": ["INITIAL", "ALWAYS"] } }
    });
    let world = games::world_of(game, &[square], &[node], &[games::FIRST], &["brick.tif"]);
    std::fs::write(dir.path().join("gamez.zbd"), &world).unwrap();
    std::fs::write(dir.path().join("new.glb"), glb).unwrap();
    let line = [
        "put",
        "gamez.zbd",
        "models/0000-one",
        "new.glb",
        "--dry-run",
    ];
    let done = process::refit(dir.path()).args(line).args(more).assert();
    assert!(std::fs::read(dir.path().join("gamez.zbd")).unwrap() == world);
    (
        process::err(&done) + &process::out(&done),
        done.get_output().status.code(),
    )
}

#[test]
fn the_limits_of_recoils_engine_are_findings_in_its_models_only() {
    for game in ["rc", "mw", "pm", "cs"] {
        let rc = game == "rc";
        // 920 vertices are few enough for craters, 930 are not; above 1,024 the engine's memory is
        // damaged. Others ship 2,190.
        for (glb, code) in [
            (sheet(23, 40, false), None),
            (sheet(31, 30, false), Some("gamez-vertices-craters")),
            (sheet(41, 25, false), Some("gamez-vertices")),
            // 408 normals, and 1,026.
            (sheet(5, 18, true), None),
            (sheet(20, 10, true), Some("gamez-vertices")),
        ] {
            let (printed, exit) = reported(game, &glb, &[]);
            let found = printed
                .split("[gamez-vert")
                .nth(1)
                .map(|rest| format!("gamez-vert{}", rest.split(']').next().unwrap()));
            assert_eq!(
                (found.as_deref(), exit),
                (
                    code.filter(|_| rc),
                    Some(if rc && code.is_some() { 3 } else { 0 })
                ),
                "{game}: {printed}"
            );
        }
    }
    // More corners than Recoil's polygons have are never made: two polygons of a disc of 80
    // corners.
    let rim: Vec<Corner> = (0..80)
        .map(|i| {
            let angle = i as f32 * std::f32::consts::TAU / 80.0;
            Corner {
                at: [angle.cos(), angle.sin(), 0.0],
                normal: [0.0, 0.0, 1.0],
                uv: [0.0; 2],
                tag: [0.5; 2],
                color: [1.0; 3],
            }
        })
        .collect();
    let faces: Vec<Face> = (1..79)
        .map(|i| Face {
            material: "brick.tif".into(),
            two_sided: false,
            corners: [rim[0], rim[i], rim[i + 1]],
        })
        .collect();
    let disc = write(
        &faces,
        Trip {
            untagged: true,
            ..Trip::default()
        },
        json!({}),
    );
    let (printed, exit) = reported("rc", &disc, &["--merge-polygons"]);
    assert!(
        exit == Some(0) && printed.contains("2 polygons new") && !printed.contains("gamez-polygon"),
        "{printed}"
    );
}

/// Recoil reads texture coordinates if a material has a texture; the import adds or drops them
/// accordingly, whatever a program wrote.
#[test]
fn polygons_have_texture_coordinates_exactly_if_they_have_a_texture() {
    let (_, world) = small();
    let member = "models/0000-lower";
    let glb0 = export(&world, "gamez.zbd")
        .remove(&format!("{member}.glb"))
        .unwrap();
    for bare in [false, true] {
        let mut faces = faces(&glb0);
        corners(&mut faces).for_each(|c| (c.at, c.tag) = ([c.at[0], c.at[1], 7.0], [0.25, 0.25]));
        faces
            .iter_mut()
            .filter(|f| f.material == "grass.tif")
            .for_each(|f| f.material = "a plain red".into());
        let file = write(
            &faces,
            Trip {
                bare,
                ..Trip::default()
            },
            json!({}),
        );
        let (found, report) = put(&world, "gamez.zbd", member, &file, Options::default()).unwrap();
        let case = Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: found,
        };
        let tree = unpack(&case, Hints::default(), refit::tree::Style::Json);
        let model: Value = serde_json::from_str(
            &tree.text(
                &tree
                    .paths()
                    .into_iter()
                    .find(|p| p.starts_with("models/0000"))
                    .unwrap(),
            ),
        )
        .unwrap();
        let polygons = model["polygons"].as_array().unwrap();
        // The red one is new: the third, after brick, grass and a colour.
        assert!(
            polygons
                .iter()
                .all(|p| p["uvs"].is_array() == (p["material"] == 0)),
            "{model}"
        );
        assert_eq!(
            polygons
                .iter()
                .map(|p| p["material"].as_u64().unwrap())
                .sum::<u64>(),
            6,
            "{model}"
        );
        assert_eq!(
            report.defaults.get(NO_UVS),
            bare.then_some(&2),
            "{:?}",
            report.defaults
        );
    }
}
