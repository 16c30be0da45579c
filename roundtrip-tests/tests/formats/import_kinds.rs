//! Edits of models of every kind, in the games that have them: facades, levels of detail, morphs,
//! lights, models that several nodes share, polygons of several materials, 'mechs. Expected values
//! are written by hand, by the rules of `src/zipper/gamez/FORMAT.md`: a middle is half of the
//! sum of both sides, a radius the approximate root of the squares of the halves, a box contains
//! points, lights and morphs, and a facade's box is the same on all sides to which it turns.

use bytes::Bytes;
use refit::{
    gltf::import::{Options, Report},
    pipeline::{self, Hints},
    tree::{Folder, Style},
};
use roundtrip_tests::{
    games::{self, FIRST},
    trips::{Corner, Face, Trip, add, export, faces, put, write},
    *,
};
use serde_json::{Value, json};

/// A world: its game, its models, and its nodes from [`FIRST`] on. The first of these nodes is a
/// child of the world.
struct World {
    game: &'static str,
    models: Vec<Value>,
    nodes: Vec<Value>,
}

impl World {
    fn bytes(&self) -> Bytes {
        games::world_of(
            self.game,
            &self.models,
            &self.nodes,
            &[FIRST],
            &["brick.tif", "grass.tif"],
        )
        .into()
    }

    /// Model 0 after an edit in a program, imported: compared with the result of `expected`.
    fn edited(
        self,
        edit: impl Fn(&mut Vec<Face>),
        expected: impl Fn(&mut Value, &mut [Value]),
    ) -> Report {
        let before = self.bytes();
        let (path, file) = export(&before, "gamez.zbd")
            .into_iter()
            .find(|(p, _)| p.starts_with("models/0000"))
            .expect("it is exported");
        let mut faces = faces(&file);
        edit(&mut faces);
        self.takes(
            path.trim_end_matches(".glb"),
            &write(&faces, Trip::default(), json!({})),
            expected,
        )
    }

    fn takes(
        mut self,
        member: &str,
        file: &[u8],
        expected: impl Fn(&mut Value, &mut [Value]),
    ) -> Report {
        let (found, report) =
            put(&self.bytes(), "gamez.zbd", member, file, Options::default()).unwrap();
        expected(&mut self.models[0], &mut self.nodes);
        assert_bytes(&found, &self.bytes());
        report
    }
}

/// The flags of a model with polygons that is drawn normally.
fn flags(game: &str, model: &mut Value) {
    let name = if game == "rc" {
        "recoil_flags"
    } else {
        "flags"
    };
    let mut list = vec!["LIGHTING"];
    list.extend(match game {
        "pm" => Some("HARDWARE_RENDER"),
        "cs" => Some("HAS_POLYGONS"),
        _ => None,
    });
    model[name] = json!(list);
}

/// A square of side 1 in the corner of x and y.
fn square(game: &str) -> Value {
    let mut model = json!({
        // The rough root of 0.5, whose exponent is odd.
        "bbox_mid": [0.5, 0.5, 0.0], "bbox_diag": 0.75,
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], "normals": [[0.0, 0.0, 1.0]],
        "polygons": [{ "material": 0, "vertices": [0, 1, 2, 3], "normals": [0, 0, 0, 0], "uvs": [[0.0, 1.0], [1.0,
        1.0], [1.0, 0.0], [0.0, 0.0]] }]
    });
    flags(game, &mut model);
    model
}

const SQUARE: [f64; 6] = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0];
/// The square with its far corner lifted to 3.
const LIFTED: [f64; 6] = [0.0, 0.0, 0.0, 1.0, 3.0, 0.0];

/// An object that shows model 0.
fn shows(name: &str, at: [f64; 3], sides: [f64; 6]) -> Value {
    json!({
        "name": name, "flags": ["ACTIVE", "NODE_BBOX", "MODEL_BBOX"], "model": 0, "node_bbox": sides,
        "model_bbox": sides,
        "data": { "object3d": { "flags": ["ALWAYS"], "translation": at } }
    })
}

/// An object with children.
fn holds(name: &str, children: &[usize], sides: [f64; 6]) -> Value {
    json!({
        "name": name, "flags": ["ACTIVE", "NODE_BBOX", "CHILD_BBOX"], "children": children, "node_bbox": sides,
        "child_bbox": sides,
        "data": { "object3d": { "flags": ["INITIAL", "ALWAYS"] } }
    })
}

fn boxes(node: &mut Value, sides: [f64; 6]) {
    for name in ["node_bbox", "model_bbox", "child_bbox"] {
        if node.get(name).is_some() {
            node[name] = json!(sides);
        }
    }
}

/// Moves bytes from one place to another.
fn moves(from: [f32; 3], to: [f32; 3]) -> impl Fn(&mut Vec<Face>) {
    move |faces| {
        faces
            .iter_mut()
            .flat_map(|f| &mut f.corners)
            .filter(|c| c.at == from)
            .for_each(|c| c.at = to)
    }
}

/// The far corner lifted to 3: halves of 0.5 and 1.5, whose squares are 2.5, which is 2 · 1.25.
fn lifted(model: &mut Value) {
    model["vertices"][2] = json!([1.0, 3.0, 0.0]);
    model["bbox_mid"] = json!([0.5, 1.5, 0.0]);
    model["bbox_diag"] = json!(1.625);
}

fn deep([a, b, _, d, e, _]: [f64; 6], z: f64) -> [f64; 6] {
    [a, b, z, d, e, z]
}

#[test]
fn boxes_follow_through_levels_of_detail() {
    for game in ["rc", "mw", "pm", "cs"] {
        let mut lod = holds("levels", &[FIRST + 2], deep(SQUARE, 2.0));
        lod["data"] = json!({ "lod": { "level": 1, "range_near_sq": 0.0, "range_far": 100.0 } });
        match game {
            "rc" => {}
            "mw" => lod["data"]["lod"]["field60"] = json!(0.0),
            _ => lod["data"]["lod"]["field64"] = json!(0.0),
        }
        if matches!(game, "pm" | "cs") {
            // These games keep only the children's box of a lod.
            lod["active_bbox"] = json!("CHILD");
            lod.as_object_mut().unwrap().remove("node_bbox");
        }
        let nodes = vec![
            holds("tower", &[FIRST + 1], deep(SQUARE, 2.0)),
            lod,
            shows("near", [0.0, 0.0, 2.0], SQUARE),
        ];
        let report = World {
            game,
            models: vec![square(game)],
            nodes,
        }
        .edited(moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0]), |model, nodes| {
            lifted(model);
            boxes(&mut nodes[2], LIFTED);
            boxes(&mut nodes[1], deep(LIFTED, 2.0));
            boxes(&mut nodes[0], deep(LIFTED, 2.0));
        });
        assert_eq!(
            report,
            Report {
                vertices_moved: 1,
                ..Report::default()
            },
            "{game}"
        );
    }
}

#[test]
fn all_nodes_that_share_a_model_follow_it() {
    for game in ["rc", "mw", "pm", "cs"] {
        let both = |sides: [f64; 6]| {
            [
                sides[0],
                sides[1],
                sides[2],
                sides[3] + 10.0,
                sides[4],
                sides[5],
            ]
        };
        let nodes = vec![
            holds("both", &[FIRST + 1, FIRST + 2], both(SQUARE)),
            shows("left", [0.0; 3], SQUARE),
            shows("right", [10.0, 0.0, 0.0], SQUARE),
        ];
        let nodes = nodes.into_iter().map(|mut node| {
            // A node at the origin has the flag INITIAL.
            if node["name"] == "left" {
                node["data"]["object3d"] = json!({ "flags": ["INITIAL", "ALWAYS"] });
            }
            node
        });
        let world = World {
            game,
            models: vec![square(game)],
            nodes: nodes.collect(),
        };
        world.edited(moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0]), |model, nodes| {
            lifted(model);
            boxes(&mut nodes[0], both(LIFTED));
            boxes(&mut nodes[1], LIFTED);
            boxes(&mut nodes[2], LIFTED);
        });
    }
}

/// A model alone on an object of a world, whose boxes are `before`.
fn one(game: &'static str, model: Value, before: [f64; 6]) -> World {
    World {
        game,
        models: vec![model],
        nodes: vec![shows("one", [0.0, 0.0, 5.0], before)],
    }
}

#[test]
fn facades_are_as_wide_on_all_sides_that_they_turn_to() {
    let card = |game: &str, more: Value| {
        let mut model = square(game);
        model["vertices"] = json!([
            [-1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 2.0, 0.0],
            [-1.0, 2.0, 0.0]
        ]);
        model["model_type"] = json!("FACADE");
        if game == "pm" {
            // Set on models of the default type only.
            model["flags"] = json!(["LIGHTING"]);
        }
        for (key, value) in more.as_object().unwrap() {
            model[key] = value.clone();
        }
        model
    };
    for game in ["rc", "mw", "pm", "cs"] {
        // About the vertical axis: x and z are equal, y stays. Halves of 1, 1, 1: 3 is 2 · 1.5.
        let upright = card(
            game,
            json!({ "bbox_mid": [0.0, 1.0, 0.0], "bbox_diag": 1.75 }),
        );
        one(game, upright, [-1.0, 0.0, -1.0, 1.0, 2.0, 1.0]).edited(
            moves([1.0, 2.0, 0.0], [3.0, 2.0, 0.0]),
            |model, nodes| {
                model["vertices"][2] = json!([3.0, 2.0, 0.0]);
                // Halves of 3, 1, 3: 19 is 2⁴ · 1.1875.
                model["bbox_diag"] = json!(4.375);
                boxes(&mut nodes[0], [-3.0, 0.0, -3.0, 3.0, 2.0, 3.0]);
            },
        );
        // In all directions: the farthest of all is the side of all. Halves of 2: 12 is 2³ · 1.5.
        let mut round = card(
            game,
            json!({ "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 3.5 }),
        );
        if game == "rc" {
            round["recoil_flags"] = json!(["LIGHTING", "FACADE_SPHERICAL"]);
        } else {
            round["facade_mode"] = json!("SPHERICAL_Y");
        }
        let cube = |n: f64| [-n, -n, -n, n, n, n];
        one(game, round, cube(2.0)).edited(
            moves([1.0, 2.0, 0.0], [1.0, 5.0, 0.0]),
            |model, nodes| {
                model["vertices"][2] = json!([1.0, 5.0, 0.0]);
                // Halves of 5: 75 is 2⁶ · 1.171875.
                model["bbox_diag"] = json!(8.6875);
                boxes(&mut nodes[0], cube(5.0));
            },
        );
    }
}

#[test]
fn morphs_are_kept_with_their_vertices_and_count_for_the_box() {
    let morphed = |game: &str| {
        let mut model = square(game);
        // The far corner grows to 5. Halves of 0.5 and 2.5: 6.5 is 2² · 1.625.
        model["morphs"] = json!([
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 5.0, 0.0],
            [0.0, 1.0, 0.0]
        ]);
        (model["bbox_mid"], model["bbox_diag"]) = (json!([0.5, 2.5, 0.0]), json!(2.625));
        model
    };
    let sides = [0.0, 0.0, 0.0, 1.0, 5.0, 0.0];
    for game in ["rc", "mw", "pm", "cs"] {
        one(game, morphed(game), sides).edited(
            moves([1.0, 1.0, 0.0], [3.0, 1.0, 0.0]),
            |model, nodes| {
                model["vertices"][2] = json!([3.0, 1.0, 0.0]);
                // Halves of 1.5 and 2.5: 8.5 is 2³ · 1.0625.
                (model["bbox_mid"], model["bbox_diag"]) = (json!([1.5, 2.5, 0.0]), json!(3.0625));
                boxes(&mut nodes[0], [0.0, 0.0, 0.0, 3.0, 5.0, 0.0]);
            },
        );
        // A second polygon is removed; its vertices stay, because morphs refer to positions; its
        // normal is removed.
        let mut two = morphed(game);
        let far = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|v: [f64; 3]| json!(v));
        two["vertices"].as_array_mut().unwrap().extend(far.clone());
        two["morphs"].as_array_mut().unwrap().extend(far);
        two["normals"]
            .as_array_mut()
            .unwrap()
            .push(json!([0.0, 0.0, -1.0]));
        two["polygons"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "material": 1, "vertices": [4, 6, 5], "normals": [1, 1, 1], "uvs": [[0.0, 0.0], [0.0, 1.0],
                [1.0, 0.0]] }));
        let report = one(game, two, sides).edited(
            |faces| faces.retain(|f| f.material == "brick.tif"),
            |model, _| {
                model["polygons"].as_array_mut().unwrap().pop();
                model["normals"].as_array_mut().unwrap().pop();
            },
        );
        assert_eq!(
            (report.polygons_gone, report.vertices_gone),
            (1, 0),
            "{game}"
        );
    }
}

/// A light at one point.
fn light(at: [f64; 3]) -> Value {
    json!([{
        "unk00": 1, "unk04": 1, "unk08": 0.25, "unk24": "0x00000000", "color": [255.0, 170.0, 0.0],
        "flags": ["TRANSLATION", "STATIC"],
        "unk48": 0.0, "unk52": 0.0, "unk56": 0.0, "unk60": 1, "unk64": 30.0, "unk68": 0.0, "unk72": 600.0,
        "vertices": [at]
    }])
}

#[test]
fn lights_are_kept_and_count_for_the_box() {
    for game in ["rc", "mw", "pm", "cs"] {
        let mut lit = square(game);
        lit["lights"] = light([0.0, 4.0, 0.0]);
        // Halves of 0.5 and 2: 4.25 is 2² · 1.0625.
        (lit["bbox_mid"], lit["bbox_diag"]) = (json!([0.5, 2.0, 0.0]), json!(2.0625));
        one(game, lit, [0.0, 0.0, 0.0, 1.0, 4.0, 0.0]).edited(
            moves([1.0, 1.0, 0.0], [3.0, 1.0, 0.0]),
            |model, nodes| {
                model["vertices"][2] = json!([3.0, 1.0, 0.0]);
                // Halves of 1.5 and 2: 6.25 is 2² · 1.5625.
                (model["bbox_mid"], model["bbox_diag"]) = (json!([1.5, 2.0, 0.0]), json!(2.5625));
                boxes(&mut nodes[0], [0.0, 0.0, 0.0, 3.0, 4.0, 0.0]);
            },
        );
    }
}

#[test]
fn a_model_with_only_lights_can_get_faces() {
    for game in ["rc", "mw", "pm", "cs"] {
        let mut dark = json!({ "bbox_mid": [0.0, 4.0, 0.0], "bbox_diag": 0.0, "lights": light([0.0, 4.0, 0.0]) });
        dark[if game == "rc" {
            "recoil_flags"
        } else {
            "flags"
        }] = json!(["LIGHTING"]);
        // The triangle of the square's first three corners, as any program writes it.
        let square = games::world_of(
            game,
            &[square(game)],
            &[shows("one", [0.0; 3], SQUARE)],
            &[FIRST],
            &["brick.tif"],
        )
        .into();
        let mut faces = faces(
            &export(&square, "gamez.zbd")
                .into_iter()
                .find(|(p, _)| p.starts_with("models/"))
                .unwrap()
                .1,
        );
        faces.truncate(1);
        let file = write(
            &faces,
            Trip {
                untagged: true,
                ..Trip::default()
            },
            json!({}),
        );
        let report = one(game, dark, [0.0, 4.0, 0.0, 0.0, 4.0, 0.0]).takes("models/0000-one", &file, |model, nodes| {
            flags(game, model);
            model["vertices"] = json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
            model["polygons"] =
                json!([{ "material": 0, "vertices": [0, 1, 2], "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]] }]);
            (model["bbox_mid"], model["bbox_diag"]) = (json!([0.5, 2.0, 0.0]), json!(2.0625));
            boxes(&mut nodes[0], [0.0, 0.0, 0.0, 1.0, 4.0, 0.0]);
        });
        assert_eq!((report.polygons_new, report.vertices_new), (1, 3), "{game}");
    }
}

#[test]
fn further_materials_are_kept_in_pieces_of_a_polygon() {
    for game in ["pm", "cs"] {
        let layered = || {
            let mut model = square(game);
            model["polygons"][0]["layers"] =
                json!([{ "material": 1, "uvs": [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]] }]);
            model["polygons"][0]["flags"] = json!(["NO_CLUTTER", "IN_OUT"]);
            model["polygons"][0]["priority"] = json!(-3);
            model["polygons"][0]["zones"] = json!([7]);
            model
        };
        one(game, layered(), SQUARE).edited(
            moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0]),
            |model, nodes| {
                lifted(model);
                boxes(&mut nodes[0], LIFTED);
            },
        );
        // The first material's coordinates, and a colour.
        one(game, layered(), SQUARE).edited(
            |faces| {
                let at = faces
                    .iter_mut()
                    .flat_map(|f| &mut f.corners)
                    .filter(|c| c.at == [1.0, 0.0, 0.0]);
                at.for_each(|c| (c.uv, c.color) = ([0.25, 0.5], [0.0; 3]));
            },
            |model, _| {
                model["polygons"][0]["uvs"][1] = json!([0.25, 0.5]);
                model["polygons"][0]["colors"] = json!([
                    [255.0, 255.0, 255.0],
                    [0.0, 0.0, 0.0],
                    [255.0, 255.0, 255.0],
                    [255.0, 255.0, 255.0]
                ]);
            },
        );
        // One half gets another material: two polygons, each with the properties of the original.
        let report = one(game, layered(), SQUARE).edited(
            |faces| faces[1].material = "grass.tif".into(),
            |model, _| {
                let whole = model["polygons"][0].clone();
                let piece = |material: u32, corners: [usize; 3]| {
                    let mut piece = whole.clone();
                    let of = |list: &Value| json!(corners.map(|c| list[c].clone()));
                    piece["material"] = json!(material);
                    (piece["vertices"], piece["normals"]) =
                        (of(&whole["vertices"]), json!([0, 0, 0]));
                    (piece["uvs"], piece["layers"][0]["uvs"]) =
                        (of(&whole["uvs"]), of(&whole["layers"][0]["uvs"]));
                    piece
                };
                model["polygons"] = json!([piece(0, [0, 1, 2]), piece(1, [0, 2, 3])]);
                // As the program wrote it: with the error of its encoding of normals.
                model["normals"] = json!([[1e-4f32, 1e-4f32, 1.0001f32]]);
            },
        );
        assert_eq!(
            (report.polygons_new, report.polygons_gone),
            (2, 1),
            "{game}"
        );
        assert_eq!(report.notes, Vec::<String>::new());
    }
}

/// A mechlib of one 'mech: a hull, with an arm as its child that shows the square.
fn mech(game: &str, arm: Value, hull: [f64; 6]) -> Bytes {
    let mut arm = arm;
    arm["depth"] = json!(1);
    arm.as_object_mut().unwrap().remove("model");
    let mut hull = holds("hull", &[], hull);
    hull["depth"] = json!(0);
    hull.as_object_mut().unwrap().remove("children");
    games::mechlib(
        game,
        &[("bw.flt", json!({ "nodes": [hull, arm] }))],
        &["brick.tif", "grass.tif"],
    )
    .into()
}

#[test]
fn a_mech_follows_its_parts_and_recognises_them_by_their_meshes() {
    for game in ["mw", "pm"] {
        let arm = |at: [f64; 3], mesh: Value, sides: [f64; 6]| {
            let mut arm = shows("arm", at, sides);
            arm["mesh"] = mesh;
            arm
        };
        let before = mech(
            game,
            arm([0.0, 0.0, 2.0], square(game), SQUARE),
            deep(SQUARE, 2.0),
        );
        let glb = export(&before, "mechlib.zbd").remove("bw.glb").unwrap();
        let nodes = |edit: &dyn Fn(&mut Value)| {
            let size = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
            let mut root: Value = serde_json::from_slice(&glb[20..20 + size]).unwrap();
            edit(&mut root);
            let file = khronos::glb(&root, &glb[28 + size..]);
            put(&before, "mechlib.zbd", "bw.flt", &file, Options::default()).unwrap()
        };
        fn named<'a>(root: &'a mut Value, name: &str) -> &'a mut Value {
            root["nodes"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .find(|n| n["name"] == name)
                .unwrap()
        }
        // The arm moves up by 2: its position changes, and the hull's box grows.
        let (found, report) =
            nodes(&|root| named(root, "arm")["translation"] = json!([0.0, 2.0, 2.0]));
        assert_eq!(
            report,
            Report {
                nodes_moved: 1,
                ..Report::default()
            }
        );
        assert_bytes(
            &found,
            &mech(
                game,
                arm([0.0, 2.0, 2.0], square(game), SQUARE),
                [0.0, 2.0, 2.0, 1.0, 3.0, 2.0],
            ),
        );
        // Under another name, with the export's notes and without: the arm, which keeps its name.
        for extras in [true, false] {
            let (found, report) = nodes(&|root| {
                let arm = named(root, "arm");
                arm["name"] = json!("Arm of the left");
                if !extras {
                    arm.as_object_mut().unwrap().remove("extras");
                }
            });
            assert!(
                report.is_unchanged()
                    && report
                        .notes
                        .join("")
                        .contains("\"Arm of the left\" is \"arm\""),
                "{report:?}"
            );
            assert_bytes(&found, &before);
        }
        // A new part is left out, and a part that is gone stays: by their names.
        let (found, report) = nodes(&|root| {
            let mesh = named(root, "arm")["mesh"].clone();
            root["nodes"]
                .as_array_mut()
                .unwrap()
                .push(json!({ "name": "Antenna", "mesh": mesh }));
            let all = root["nodes"].as_array().unwrap().len();
            root["scenes"][0]["nodes"]
                .as_array_mut()
                .unwrap()
                .push(json!(all - 1));
        });
        assert!(report.is_unchanged() && found == before, "{report:?}");
        assert!(
            report.lost.len() == 1 && report.lost[0].contains("left out: \"Antenna\" ("),
            "{report:?}"
        );
        let (_, report) =
            nodes(&|root| _ = named(root, "arm").as_object_mut().unwrap().remove("mesh"));
        assert_eq!(
            report.lost,
            Vec::<String>::new(),
            "an object whose mesh a program removed"
        );
        // One of its vertices: changes its sphere, its box, and that of the hull.
        let mut faces = faces(&glb);
        moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0])(&mut faces);
        let file = write(
            &faces,
            Trip::default(),
            json!({ "name": "arm.001", "translation": [0.0, 0.0, 2.0] }),
        );
        let (found, report) =
            put(&before, "mechlib.zbd", "bw.flt", &file, Options::default()).unwrap();
        assert_eq!(
            report,
            Report {
                vertices_moved: 1,
                ..Report::default()
            }
        );
        let mut mesh = square(game);
        lifted(&mut mesh);
        assert_bytes(
            &found,
            &mech(game, arm([0.0, 0.0, 2.0], mesh, LIFTED), deep(LIFTED, 2.0)),
        );
    }
}

#[test]
fn missing_parts_are_reported_and_names_of_exports_are_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let part = |name: &str, depth: usize, model: Value| {
        let mut part = shows(name, [0.0, 0.0, 2.0], SQUARE);
        part.as_object_mut().unwrap().remove("model");
        (part["depth"], part["mesh"]) = (json!(depth), model);
        part
    };
    let mut plain = square("mw");
    plain["polygons"][0] =
        json!({ "material": 2, "vertices": [0, 1, 2, 3], "normals": [0, 0, 0, 0] });
    let tree = |second: &str, model: Value| json!({ "nodes": [part("hull", 0, square("mw")), part(second, 1, model)] });
    let trees = [
        ("bw.flt", tree("arm", square("mw"))),
        ("cat.flt", tree("leg", plain)),
    ];
    let bytes: Bytes = games::mechlib("mw", &trees, &["brick.tif", "grass.tif", ""]).into();
    std::fs::write(dir.path().join("mechlib.zbd"), &bytes).unwrap();
    process::run(dir.path(), "export mechlib.zbd -o mechs").code(0);
    std::fs::write(
        dir.path().join("twins.zbd"),
        golden_file("mechlib", "mw_twins.mechlib.zbd").bytes,
    )
    .unwrap();
    process::run(dir.path(), "export twins.zbd -o twins").code(0);
    let names = [
        "mechlib.zbd bw mechs/bw.glb",
        "mechlib.zbd cat.glb mechs/cat.glb",
    ];
    for line in names.into_iter().chain([
        "twins.zbd twin twins/twin.glb",
        "twins.zbd twin~2 twins/twin~2.glb",
    ]) {
        let done = process::run(dir.path(), &format!("put {line}")).code(0);
        assert!(
            process::out(&done).contains("as it was") && process::err(&done).is_empty(),
            "{line}: {}",
            process::err(&done)
        );
    }
    // Of the second twin the first one's file is another 'mech.
    process::run(dir.path(), "put twins.zbd twin~2 twins/twin.glb --dry-run").code(3);
    let file = std::fs::read(dir.path().join("mechs/cat.glb")).unwrap();
    let gone = rewritten(&file, |root| {
        let leg = root["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .position(|n| n["name"] == "leg")
            .unwrap();
        root["nodes"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|n| {
                if let Some(children) = n.get_mut("children").and_then(Value::as_array_mut) {
                    children.retain(|c| c.as_u64() != Some(leg as u64));
                }
            });
        if let Some(hull) = root["nodes"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .find(|n| n["children"] == json!([]))
        {
            hull.as_object_mut().unwrap().remove("children");
        }
        root["scenes"][0]["nodes"]
            .as_array_mut()
            .unwrap()
            .retain(|c| c.as_u64() != Some(leg as u64));
    });
    std::fs::write(dir.path().join("gone.glb"), gone).unwrap();
    let printed = process::err(&process::run(dir.path(), "put mechlib.zbd cat gone.glb").code(3));
    assert!(
        printed.contains("parts without an object in the file stay unchanged: \"leg\""),
        "{printed}"
    );
    // Another colour is the mechlib's own, and no file's: it is refused.
    let red = rewritten(&file, |root| {
        let plain = root["materials"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .find(|m| m["name"].as_str().unwrap().starts_with("material 2"));
        plain.unwrap()["pbrMetallicRoughness"]["baseColorFactor"] = json!([0.5, 0.0, 0.0, 1.0]);
    });
    std::fs::write(dir.path().join("red.glb"), red).unwrap();
    let printed = process::err(&process::run(dir.path(), "put mechlib.zbd cat red.glb").code(1));
    assert!(
        printed.contains("has another colour in the file") && printed.contains("`materials`"),
        "{printed}"
    );
    let printed = process::err(
        &process::run(
            dir.path(),
            "import red.glb --into mechlib.zbd --under cat/hull",
        )
        .code(1),
    );
    assert!(printed.contains("cannot get new parts"), "{printed}");
    assert!(std::fs::read(dir.path().join("mechlib.zbd")).unwrap() == bytes);
}

/// A triangle as the only polygon of its model: no normals, so a program's flat normals have no
/// meaning.
fn triangle(game: &str, more: Value) -> Value {
    let mut model = json!({
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], "bbox_mid": [0.5, 2.0, 0.0],
        "bbox_diag": 2.0625,
        "polygons": [{ "material": 0, "vertices": [0, 1, 2], "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]] }],
        "lights": light([0.0, 4.0, 0.0]), "texture_scroll": [0.5, -0.25]
    });
    flags(game, &mut model);
    let name = if game == "rc" {
        "recoil_flags"
    } else {
        "flags"
    };
    model[name]
        .as_array_mut()
        .unwrap()
        .extend([json!("FOG"), json!("TEXTURE_SCROLL")]);
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

/// The JSON part of a file, edited.
fn rewritten(glb: &[u8], edit: impl Fn(&mut Value)) -> Bytes {
    let size = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut root: Value = serde_json::from_slice(&glb[20..20 + size]).unwrap();
    edit(&mut root);
    khronos::glb(&root, &glb[28 + size..]).into()
}

/// The file of a new object next to one that shows a model, and the worlds before and after.
struct NewObject {
    game: &'static str,
    model: Value,
    sides: [f64; 6],
}

impl NewObject {
    fn world(&self, models: &[Value], more: &[Value]) -> Bytes {
        let children: Vec<usize> = (0..models.len()).map(|i| FIRST + 1 + i).collect();
        let mut one = shows("one", [0.0; 3], self.sides);
        one["data"]["object3d"] = json!({ "flags": ["INITIAL", "ALWAYS"] });
        let nodes = [
            vec![holds("all", &children, self.sides), one],
            more.to_vec(),
        ]
        .concat();
        games::world_of(
            self.game,
            models,
            &nodes,
            &[FIRST],
            &["brick.tif", "grass.tif"],
        )
        .into()
    }

    fn node(&self, flags: &[&str], more: Value) -> Value {
        let mut node = shows("two", [0.0; 3], self.sides);
        node["model"] = json!(1);
        node["flags"] = json!([flags, &["NODE_BBOX", "MODEL_BBOX"]].concat());
        node["data"]["object3d"] = json!({ "flags": ["INITIAL", "ALWAYS"] });
        if ["mw", "pm"].contains(&self.game) {
            node["update_flags"] = json!(1);
        }
        node.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        node
    }

    /// The file as an export writes it for a node, here by hand: the export of one model has no
    /// node.
    fn exported(&self) -> Bytes {
        let glb = export(&self.before(), "gamez.zbd")
            .remove("models/0000-one.glb")
            .unwrap();
        rewritten(&glb, |root| {
            root["nodes"][0]["name"] = json!("two");
            let extras = root["nodes"][0]["extras"].as_object_mut().unwrap();
            let own = json!({ "index": 9, "class": "object3d", "flags": ["ACTIVE", "LANDMARK", "NODE_BBOX",
                "CHILD_BBOX"], "zone": 3,
                              "opacity": 0.5, "color": [0.25, 0.5, 1.0] });
            extras.extend(own.as_object().unwrap().clone());
        })
    }

    fn before(&self) -> Bytes {
        self.world(std::slice::from_ref(&self.model), &[])
    }

    fn import(&self, glb: &Bytes) -> (Bytes, Report) {
        add(&self.before(), "gamez.zbd", "all", glb).unwrap()
    }

    /// The result of a file with nothing but the visible properties: drawn like the other models of
    /// the world, except for properties specific to one model.
    fn usual(&self) -> Bytes {
        let mut drawn = self.model.clone();
        for key in ["model_type", "facade_mode", "texture_scroll", "lights"] {
            drawn.as_object_mut().unwrap().remove(key);
        }
        flags(self.game, &mut drawn);
        drawn[if self.game == "rc" {
            "recoil_flags"
        } else {
            "flags"
        }]
        .as_array_mut()
        .unwrap()
        .push(json!("FOG"));
        let is_card = self.sides == CARD;
        let square = if is_card {
            [-1.0, 0.0, 0.0, 1.0, 2.0, 0.0]
        } else {
            SQUARE
        };
        // Halves of 1, 1: 2 is 2 · 1; halves of 0.5: see `square`.
        (drawn["bbox_mid"], drawn["bbox_diag"]) = if is_card {
            (json!([0.0, 1.0, 0.0]), json!(1.5))
        } else {
            (json!([0.5, 0.5, 0.0]), json!(0.75))
        };
        let usual = [
            "ACTIVE",
            "ALTITUDE_SURFACE",
            "INTERSECT_SURFACE",
            "SINGLE_PARENT",
            "ZONE_GATE",
            "UNK25",
        ];
        let two = self.node(&usual, json!({ "node_bbox": square, "model_bbox": square }));
        self.world(&[self.model.clone(), drawn], &[two])
    }
}

/// A facade is as wide on all sides that it turns to.
const CARD: [f64; 6] = [-1.0, 0.0, -1.0, 1.0, 2.0, 1.0];
const POLYGONS: &str =
    "new polygons (the model has no other): priority 0, in all zones, without flags";

/// A triangle and a facade in each game.
fn new_objects() -> Vec<NewObject> {
    let of_game = |game: &'static str| {
        let mut facade = triangle(
            game,
            json!({
                "vertices": [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]], "model_type": "FACADE", "lights": [],
                "bbox_mid": [0.0, 1.0, 0.0], "bbox_diag": 1.75
            }),
        );
        if game != "rc" {
            facade["facade_mode"] = json!("CYLINDRICAL_X");
        }
        if game == "pm" {
            facade["flags"]
                .as_array_mut()
                .unwrap()
                .retain(|flag| flag != "HARDWARE_RENDER");
        }
        let sides = [0.0, 0.0, 0.0, 1.0, 4.0, 0.0];
        [
            NewObject {
                game,
                model: triangle(game, json!({})),
                sides,
            },
            NewObject {
                game,
                model: facade,
                sides: CARD,
            },
        ]
    };
    ["rc", "mw", "pm", "cs"]
        .into_iter()
        .flat_map(of_game)
        .collect()
}

/// The extras of an exported model and object are used for new ones in a world of the same game.
#[test]
fn new_objects_get_the_properties_in_their_extras() {
    for new in new_objects() {
        let (found, report) = new.import(&new.exported());
        let object = json!({ "flags": ["OPACITY", "COLOR", "INITIAL", "ALWAYS"], "opacity": 0.5, "color": [0.25, 0.5, 1.0] });
        let two = new.node(
            &["ACTIVE", "LANDMARK"],
            json!({ "zone": 3, "data": { "object3d": object } }),
        );
        assert_bytes(
            &found,
            &new.world(&[new.model.clone(), new.model.clone()], &[two]),
        );
        assert_eq!(
            report.defaults,
            [(POLYGONS.to_owned(), 1)].into(),
            "{}",
            new.game
        );
        assert_eq!(report.notes, Vec::<String>::new());
    }
}

/// Properties that a file lacks get defaults, and the report lists them.
#[test]
fn new_objects_without_extras_get_defaults() {
    let printed = [
        "new models without a type in the file: the type DEFAULT, with the flags LIGHTING, \
        FOG",
        "new objects without further settings in the file: zone 255, with the flags ACTIVE, ALTITUDE_SURFACE, \
        INTERSECT_SURFACE, SINGLE_PARENT, ZONE_GATE, UNK25",
        POLYGONS,
    ];
    let printed: std::collections::BTreeMap<String, usize> = printed
        .into_iter()
        .map(|what| (what.to_owned(), 1))
        .collect();
    for new in new_objects() {
        let (game, said, expected) = (new.game, new.exported(), new.usual());
        // As Blender writes it by default, without extras.
        let bare = rewritten(&said, |root| {
            for list in ["nodes", "meshes", "scenes", "materials"] {
                root[list]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .for_each(|one| drop(one.as_object_mut().unwrap().remove("extras")));
            }
            root["asset"].as_object_mut().unwrap().remove("extras");
        });
        // Flags belong to one game: the extras of another game's export are ignored.
        let other = if game == "mw" { "pm" } else { "mw" };
        let foreign = rewritten(&said, |root| {
            root["scenes"][0]["extras"]["refit"]["game"] = json!(other);
            root["nodes"][0]["extras"]["refit"]["game"] = json!(other);
            root["asset"]["extras"]["game"] = json!(other);
        });
        for file in [bare, foreign] {
            let (found, report) = new.import(&file);
            assert_bytes(&found, &expected);
            assert_eq!(report.defaults, printed, "{game}");
        }
        // Unreadable extras are reported and ignored.
        let broken = rewritten(&said, |root| {
            root["nodes"][0]["extras"]["zone"] = json!("somewhere");
            root["meshes"][0]["extras"]["type"] = json!({});
        });
        let (found, report) = new.import(&broken);
        assert_bytes(&found, &expected);
        assert_eq!(
            (report.notes.len(), &report.defaults),
            (2, &printed),
            "{game}: {:?}",
            report.notes
        );
        assert!(
            report
                .notes
                .iter()
                .all(|note| note.contains("cannot be read, and are ignored")),
            "{:?}",
            report.notes
        );
    }
}

/// A file of planes of Crimson Skies, byte for byte by the reference: a root, and a wing that shows
/// the one model.
#[derive(Clone)]
struct Planes {
    vertices: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    polygons: Vec<PlanesPolygon>,
    /// Middle and radius of the sphere.
    sphere: [f32; 4],
    /// The boxes of the wing, and of the root, which is two to its left.
    wing: [f32; 6],
    root: [f32; 6],
    /// A second object below the root, with the same model again.
    gun: bool,
}

#[derive(Clone)]
struct PlanesPolygon {
    /// Flags above the ten bits of the count, without that of normals.
    flags: u32,
    priority: i32,
    /// Addresses of the program that wrote it; 1 if refit did.
    ptr: u32,
    vertices: Vec<u32>,
    normals: Option<Vec<u32>>,
    material: u32,
    uvs: Vec<[f32; 2]>,
    colors: Option<Vec<[f32; 3]>>,
    zones: [u8; 4],
}

impl Planes {
    fn new() -> Self {
        let quad =
            |vertices: [u32; 4], material: u32, priority: i32, zones: [u8; 4]| PlanesPolygon {
                flags: 0,
                priority,
                ptr: 0x00ab_cd00,
                vertices: vertices.to_vec(),
                normals: Some(vec![0; 4]),
                material,
                uvs: vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
                colors: None,
                zones,
            };
        Planes {
            vertices: vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [2.0, 0.0, 0.0],
                [2.0, 1.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 1.0, 0.0],
            ],
            normals: vec![[0.0, 0.0, 1.0]],
            polygons: vec![
                quad([0, 1, 4, 5], 0, -7, [1, 3, 0xff, 0xff]),
                quad([1, 2, 3, 4], 1, 2, [0, 0xff, 0xff, 0xff]),
            ],
            sphere: [1.0, 0.5, 0.0, 1.125],
            wing: [0.0, 0.0, 0.0, 2.0, 1.0, 0.0],
            root: [2.0, 0.0, 0.0, 4.0, 1.0, 0.0],
            gun: false,
        }
    }

    fn bytes(&self) -> Bytes {
        let (textures, materials) = (planes_textures(), planes_materials());
        let at_models = 40 + textures.len() + materials.len();
        let at_data = at_models + 12 + 4 * 104;
        let (one, refs) = self.model_data();
        let models = self.models(at_data, one.len(), refs);
        let mut data = one.clone();
        if self.gun {
            // The second model's references go by its own address, and its polygons have refit's.
            let (same, refs) = one.split_at(one.len() - 12 * refs);
            data.extend(same);
            for r in refs.chunks_exact(12) {
                let own = u32::from_le_bytes(r[8..].try_into().unwrap()) - BASE + 1;
                data.extend([&r[..8], &own.to_le_bytes()].concat());
            }
        }
        let at_nodes = at_data + data.len();
        let count = 2 + u32::from(self.gun);
        let at = |n: usize| n as u32;
        let places = [
            40,
            at(40 + textures.len()),
            at(at_models),
            count,
            count,
            at(at_nodes),
        ];
        let head = [&[0x0297_1222, 42, 967_277_477, 2], &places[..]].concat();
        [
            words(&head),
            textures,
            materials,
            models,
            data,
            self.nodes(at_nodes),
        ]
        .concat()
        .into()
    }

    /// 4.3 and 4.4: the bytes after the slots, and the number of references at their end.
    fn model_data(&self) -> (Vec<u8>, usize) {
        let mut data: Vec<u8> = self
            .vertices
            .iter()
            .chain(&self.normals)
            .flat_map(|v| floats(v))
            .collect();
        for p in &self.polygons {
            let there = |is: bool| if is { p.ptr } else { 0 };
            let word =
                p.vertices.len() as u32 | p.flags << 10 | u32::from(p.normals.is_some()) << 12;
            let ptrs = [
                p.ptr,
                there(p.normals.is_some()),
                1,
                p.ptr,
                p.ptr,
                p.ptr,
                p.ptr,
            ];
            data.extend(
                [
                    words(&[word]),
                    p.priority.to_le_bytes().to_vec(),
                    words(&ptrs),
                    p.zones.to_vec(),
                ]
                .concat(),
            );
        }
        let mut refs: Vec<[u32; 3]> = Vec::new();
        for (i, p) in (0u32..).zip(&self.polygons) {
            data.extend(words(&p.vertices));
            data.extend(words(p.normals.as_deref().unwrap_or_default()));
            data.extend(words(&[p.material]));
            data.extend(floats(p.uvs.as_flattened()));
            let white = vec![[255.0; 3]; p.vertices.len()];
            data.extend(floats(p.colors.as_ref().unwrap_or(&white).as_flattened()));
            // 4.6: each material at its first use, with the number of its uses.
            match refs.iter_mut().find(|r| r[0] == p.material) {
                Some(known) => known[1] += 1,
                None => refs.push([p.material, 1, BASE + 40 * i]),
            }
        }
        data.extend(words(refs.as_flattened()));
        (data, refs.len())
    }

    /// 4.1 and 4.2: four slots. The first one is used, and the second one if there is a gun. The
    /// data of each have `size` bytes.
    fn models(&self, at_data: usize, size: usize, refs: usize) -> Vec<u8> {
        let used = 1 + u32::from(self.gun);
        let mut models = words(&[4, used, used]);
        let counts = [
            self.polygons.len(),
            self.vertices.len(),
            self.normals.len(),
            0,
            0,
        ]
        .map(|n| n as u32);
        for slot in 0..4u32 {
            if slot >= used {
                models.extend([0; 100]);
                models.extend(if slot == 3 {
                    words(&[u32::MAX])
                } else {
                    words(&[slot + 1])
                });
                continue;
            }
            // Lighting, fog, polygons.
            models.extend(words(&[0, 0, 0x103, 1]));
            models.extend(words(&counts));
            models.extend([0; 16]);
            // refit's own addresses are 1.
            let [a, b, c, d] = if slot == 0 {
                [BASE, 0x777, 0x778, 0x779]
            } else {
                [1; 4]
            };
            models.extend(words(&[
                a,
                b,
                if self.normals.is_empty() { 0 } else { c },
                0,
                0,
            ]));
            models.extend(floats(&self.sphere));
            models.extend(words(&[0, refs as u32, d]));
            models.extend(words(&[(at_data + slot as usize * size) as u32]));
        }
        models
    }

    /// 5: the nodes, followed by their data.
    fn nodes(&self, at_nodes: usize) -> Vec<u8> {
        let count = 2 + usize::from(self.gun);
        let mut nodes = Vec::new();
        let mut behind: Vec<u8> = Vec::new();
        for i in 0..count {
            let mut name = b"Default_node_name".to_vec();
            let own: &[u8] = [&b"kestrel\0"[..], b"wing\0", b"gun\0"][i];
            name[..own.len()].copy_from_slice(own);
            name.resize(36, 0);
            let zero = [0.0; 6];
            let parents: &[u32] = if i == 0 { &[] } else { &[0] };
            let children: &[u32] = match (i, self.gun) {
                (0, true) => &[1, 2],
                (0, false) => &[1],
                _ => &[],
            };
            let (flags, model, boxes) = match i {
                0 => (0x508u32 | 4, -1i32, [self.root, zero, self.root]),
                1 => (0x300 | 4, 0, [self.wing, self.wing, zero]),
                // Nodes that refit adds have the flag of all known objects.
                _ => (
                    0x0108_001c | 0x300 | u32::from(i == 2) << 25,
                    1,
                    [self.wing, self.wing, zero],
                ),
            };
            nodes.extend(name);
            nodes.extend(words(&[
                flags,
                0,
                0,
                255,
                5,
                (at_nodes + 212 * count + behind.len()) as u32,
            ]));
            nodes.extend(model.to_le_bytes());
            nodes.extend(words(&[0, 1, 0]));
            nodes.extend(
                [-1i16, -1, 0, 0, parents.len() as i16, children.len() as i16]
                    .iter()
                    .flat_map(|v| v.to_le_bytes()),
            );
            nodes.extend(words(&[
                u32::from(!parents.is_empty()),
                u32::from(!children.is_empty()),
            ]));
            nodes.extend([0; 20]);
            nodes.extend(floats(boxes.as_flattened()));
            nodes.extend(words(&[0, 0, 160, 0, 0, 0x0200_0000 | (i as u32 + 1)]));
            // 5.4: its position. The root and the gun are neither turned nor moved.
            behind.extend(words(&[if i == 1 { 32 } else { 40 }]));
            behind.extend([0; 20]);
            behind.extend(floats(&[
                0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0,
            ]));
            behind.extend(floats(&[if i == 1 { 2.0 } else { 0.0 }, 0.0, 0.0]));
            behind.extend([0; 48]);
            behind.extend(words(parents));
            behind.extend(words(children));
        }
        [nodes, behind].concat()
    }

    /// The wing after an edit in a program, imported: compared with the result of `expected`.
    fn edited(&self, edit: impl Fn(&mut Vec<Face>), expected: impl Fn(&mut Planes)) -> Report {
        let before = self.bytes();
        let (path, glb) = export(&before, "planes.zbd")
            .into_iter()
            .find(|(p, _)| p.starts_with("models/"))
            .unwrap();
        let mut faces = faces(&glb);
        edit(&mut faces);
        let file = write(&faces, Trip::default(), json!({}));
        let (found, report) = put(
            &before,
            "planes.zbd",
            path.trim_end_matches(".glb"),
            &file,
            Options::default(),
        )
        .unwrap();
        let mut wanted = self.clone();
        expected(&mut wanted);
        assert_bytes(&found, &wanted.bytes());
        report
    }
}

/// The address of the first model.
const BASE: u32 = 0x0123_4500;

fn words(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(list: &[f32]) -> Vec<u8> {
    list.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// 2.1: two textures, which nothing was assigned to.
fn planes_textures() -> Vec<u8> {
    let mut textures = Vec::new();
    for stem in ["hull", "wing"] {
        let mut name = format!("{stem}\0tif").into_bytes();
        name.resize(20, 0);
        textures.extend(
            [
                words(&[0, 0, 0]),
                name,
                words(&[2, 0]),
                (-1i32).to_le_bytes().to_vec(),
            ]
            .concat(),
        );
    }
    textures
}

/// 3: a material of each texture, in 1,000 slots.
fn planes_materials() -> Vec<u8> {
    let mut materials = words(&[1000, 2, 2, 1]);
    let links = |a: i16, b: i16| [a.to_le_bytes(), b.to_le_bytes()].concat();
    for i in 0..1000u32 {
        if i < 2 {
            materials.extend([0xff, 0x11, 0xff, 0x7f]);
            materials.extend(
                [
                    floats(&[255.0; 3]),
                    words(&[i]),
                    floats(&[0.0, 0.5, 0.5]),
                    words(&[0, 0]),
                ]
                .concat(),
            );
            materials.extend(if i == 0 { links(1, -1) } else { links(-1, 0) });
        } else {
            materials.extend([0, 0x20].into_iter().chain([0; 38]));
            materials.extend(links(
                if i == 2 { -1 } else { i as i16 - 1 },
                if i == 999 { -1 } else { i as i16 + 1 },
            ));
        }
    }
    materials
}

/// Corners at a place.
fn at(
    faces: &mut [Face],
    place: [f32; 3],
) -> impl Iterator<Item = &mut roundtrip_tests::trips::Corner> {
    faces
        .iter_mut()
        .flat_map(|f| &mut f.corners)
        .filter(move |c| c.at == place)
}

/// The normal (0, 0, 1) as a program writes it: with the error of its encoding of normals.
const WRITTEN: [f32; 3] = [1e-4, 1e-4, 1.0001];

#[test]
fn planes_match_their_reference() {
    let planes = Planes::new();
    let case = Case {
        path: "planes.zbd".into(),
        folder: "planes".into(),
        bytes: planes.bytes(),
    };
    assert_eq!(
        pipeline::open(&case.bytes, "planes.zbd", Hints::default())
            .unwrap()
            .detection
            .format,
        refit::formats::Format::Planes
    );
    exact(&case, Hints::default());
    assert!(planes.edited(|_| {}, |_| {}).is_unchanged());
}

#[test]
fn edited_corners_of_planes_match_their_reference_byte_for_byte() {
    let planes = Planes::new();
    // A vertex of both polygons: changes itself, the sphere, the boxes of the wing and of its
    // parents.
    let report = planes.edited(
        |faces| at(faces, [1.0, 1.0, 0.0]).for_each(|c| c.at = [1.0, 1.0, 2.0]),
        |p| {
            p.vertices[4] = [1.0, 1.0, 2.0];
            // 1 + 0.25 + 1 is 2.25, which is 2 · 1.125.
            p.sphere = [1.0, 0.5, 1.0, 1.5625];
            (p.wing, p.root) = (
                [0.0, 0.0, 0.0, 2.0, 1.0, 2.0],
                [2.0, 0.0, 0.0, 4.0, 1.0, 2.0],
            );
        },
    );
    assert_eq!(
        report,
        Report {
            vertices_moved: 1,
            ..Report::default()
        }
    );
    // Texture coordinates and colours of one corner each.
    planes.edited(
        |faces| at(faces, [0.0, 0.0, 0.0]).for_each(|c| (c.uv, c.color) = ([0.25, 0.5], [0.0; 3])),
        |p| {
            p.polygons[0].uvs[0] = [0.25, 0.5];
            p.polygons[0].colors = Some(vec![[0.0; 3], [255.0; 3], [255.0; 3], [255.0; 3]]);
        },
    );
    // Another material: the references are counted again.
    planes.edited(
        |faces| {
            faces
                .iter_mut()
                .for_each(|f| f.material = "wing.tif".into())
        },
        |p| p.polygons[0].material = 1,
    );
    planes.edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "wing.tif")
                .for_each(|f| f.two_sided = true)
        },
        |p| p.polygons[1].flags = 1,
    );
    // Normals of one polygon.
    planes.edited(
        |faces| {
            faces
                .iter_mut()
                .filter(|f| f.material == "wing.tif")
                .flat_map(|f| &mut f.corners)
                .for_each(|c| c.normal = [0.0, 1.0, 0.0])
        },
        |p| {
            p.normals.push([1e-4, 1.0001, 1e-4]);
            p.polygons[1].normals = Some(vec![1; 4]);
        },
    );
}

#[test]
fn added_and_removed_polygons_of_planes_match_their_reference() {
    let planes = Planes::new();
    // A polygon is removed, with the vertices that only it used: everything after it moves up.
    let report = planes.edited(
        |faces| faces.retain(|f| f.material == "hull.tif"),
        |p| {
            p.polygons.pop();
            p.vertices = vec![
                [0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 1.0, 0.0],
            ];
            p.polygons[0].vertices = vec![0, 1, 2, 3];
            p.sphere = [0.5, 0.5, 0.0, 0.75];
            (p.wing, p.root) = (
                [0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
                [2.0, 0.0, 0.0, 3.0, 1.0, 0.0],
            );
        },
    );
    assert_eq!((report.polygons_gone, report.vertices_gone), (1, 2));
    // A triangle is added: it gets the properties of its material's triangles, which is reported.
    let report = planes.edited(
        |faces| {
            let mut face = faces
                .iter()
                .find(|f| f.material == "hull.tif")
                .unwrap()
                .clone();
            for (corner, place) in
                face.corners
                    .iter_mut()
                    .zip([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0f32]])
            {
                (corner.at, corner.tag, corner.uv) = (place, [0.5, 0.5], [place[0], place[1]]);
            }
            faces.push(face);
        },
        |p| {
            p.vertices.push([0.0, 2.0, 0.0]);
            p.normals.push(WRITTEN);
            p.polygons.push(PlanesPolygon {
                ptr: 1,
                vertices: vec![5, 4, 6],
                normals: Some(vec![1; 3]),
                uvs: vec![[0.0, 1.0], [1.0, 1.0], [0.0, 2.0]],
                ..p.polygons[0].clone()
            });
            p.sphere = [1.0, 1.0, 0.0, 1.5];
            (p.wing, p.root) = (
                [0.0, 0.0, 0.0, 2.0, 2.0, 0.0],
                [2.0, 0.0, 0.0, 4.0, 2.0, 0.0],
            );
        },
    );
    let printed = "new polygons (like most polygons of their material in the model): priority -7, in the zones [3], \
             without flags";
    assert_eq!(report.defaults, [(printed.to_owned(), 1)].into());
}

/// The same model as a new object of a plane: the next free slot, a node after the others, and the
/// links of both.
#[test]
fn a_new_object_of_a_plane_takes_the_next_slot() {
    // One triangle without normals, with refit's default properties: so the new model equals the
    // first one, except for addresses.
    let mut planes = Planes::new();
    planes.vertices.truncate(3);
    planes.vertices[2] = [1.0, 1.0, 0.0];
    planes.normals.clear();
    planes.polygons.truncate(1);
    let p = &mut planes.polygons[0];
    (p.vertices, p.normals, p.priority, p.zones, p.ptr) =
        (vec![0, 1, 2], None, 0, [0, 0xff, 0xff, 0xff], 1);
    p.uvs.truncate(3);
    planes.sphere = [0.5, 0.5, 0.0, 0.75];
    (planes.wing, planes.root) = (
        [0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
        [2.0, 0.0, 0.0, 3.0, 1.0, 0.0],
    );
    let before = planes.bytes();
    let glb = export(&before, "planes.zbd")
        .remove("models/0000-wing.glb")
        .unwrap();
    let glb = rewritten(&glb, |root| root["nodes"][0]["name"] = json!("gun"));
    let (found, report) = add(&before, "planes.zbd", "kestrel", &glb).unwrap();
    assert_eq!(report.nodes_new, 1);
    (planes.gun, planes.root) = (true, [0.0, 0.0, 0.0, 3.0, 1.0, 0.0]);
    assert_bytes(&found, &planes.bytes());
}

const GAMES: [&str; 4] = ["rc", "mw", "pm", "cs"];

/// Two squares side by side, that meet at an edge: the first with all that an export does not show.
fn two(game: &str) -> Value {
    let mut model = json!({
        // The rough root of 1 + 0.25.
        "bbox_mid": [1.0, 0.5, 0.0], "bbox_diag": 1.125,
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0,
        0.0]],
        "normals": [[0.0, 0.0, 1.0]],
        "polygons": [
            { "material": 0, "priority": 7, "zones": [3, 1], "vertices": [0, 1, 2, 3], "normals": [0, 0, 0, 0],
              "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]] },
            { "material": 1, "vertices": [1, 4, 5, 2], "normals": [0, 0, 0, 0], "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0,
            0.0], [0.0, 0.0]] }
        ]
    });
    flags(game, &mut model);
    let first = &mut model["polygons"][0];
    if game != "rc" {
        first["colors"] = json!([
            [10.0, 20.0, 30.5],
            [255.0, 255.0, 255.0],
            [0.0, 0.0, 0.0],
            [1.0, 2.0, 3.0]
        ]);
    }
    if matches!(game, "pm" | "cs") {
        first["flags"] = json!(["NO_CLUTTER", "IN_OUT"]);
        first["layers"] =
            json!([{ "material": 1, "uvs": [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]] }]);
    }
    model
}

const TWO: [f64; 6] = [0.0, 0.0, 0.0, 2.0, 1.0, 0.0];

/// The corners of the first square of [`two`], by their place.
fn first_at(faces: &mut [Face], place: [f32; 3]) -> impl Iterator<Item = &mut Corner> {
    let first = faces
        .iter_mut()
        .filter(|f| !f.material.starts_with("grass"));
    first
        .flat_map(|f| &mut f.corners)
        .filter(move |c| c.at == place)
}

/// Blender splits vertices at each seam: a click selects one of the two corners at a position, and
/// rotates the normals of its face.
#[test]
fn a_corner_moved_alone_is_another_vertex_of_the_same_polygon() {
    for game in GAMES {
        for bare in [false, true] {
            // Recoil has no polygon with a texture and without coordinates.
            let model = || {
                let mut model = two(game);
                if bare && game != "rc" {
                    model["polygons"][0].as_object_mut().unwrap().remove("uvs");
                    model["polygons"][0]
                        .as_object_mut()
                        .unwrap()
                        .remove("layers");
                }
                model
            };
            let report = one(game, model(), TWO).edited(
                |faces| {
                    first_at(faces, [1.0, 1.0, 0.0]).for_each(|c| c.at = [1.0, 1.25, 0.5]);
                    for face in faces
                        .iter_mut()
                        .filter(|f| !f.material.starts_with("grass"))
                    {
                        face.corners
                            .iter_mut()
                            .for_each(|c| c.normal = [-0.2, -0.25, 0.947]);
                    }
                },
                |model, nodes| {
                    model["vertices"]
                        .as_array_mut()
                        .unwrap()
                        .push(json!([1.0, 1.25, 0.5]));
                    model["polygons"][0]["vertices"] = json!([0, 1, 6, 3]);
                    // The rough root of 1 + 0.625² + 0.25²: 1.453125.
                    (model["bbox_mid"], model["bbox_diag"]) =
                        (json!([1.0, 0.625, 0.25]), json!(1.2265625));
                    boxes(&mut nodes[0], [0.0, 0.0, 0.0, 2.0, 1.25, 0.5]);
                },
            );
            let counts = (
                report.vertices_new,
                report.polygons_changed,
                report.polygons_new,
                report.polygons_gone,
            );
            assert_eq!(counts, (1, 1, 0, 0), "{game}: {report:?}");
        }
        // Normals that the move does not explain are the user's.
        let mut world = one(game, two(game), TWO);
        let (path, file) = export(&world.bytes(), "gamez.zbd")
            .into_iter()
            .find(|(p, _)| p.starts_with("models/0000"))
            .unwrap();
        let mut all = faces(&file);
        first_at(&mut all, [1.0, 1.0, 0.0])
            .for_each(|c| (c.at, c.normal) = ([1.0, 1.0, 0.125], [0.0, -1.0, 0.0]));
        let file = write(&all, Trip::default(), json!({}));
        let (found, _) = put(
            &world.bytes(),
            "gamez.zbd",
            path.trim_end_matches(".glb"),
            &file,
            Options::default(),
        )
        .unwrap();
        let model = &mut world.models[0];
        model["vertices"]
            .as_array_mut()
            .unwrap()
            .push(json!([1.0, 1.0, 0.125]));
        model["normals"]
            .as_array_mut()
            .unwrap()
            .push(json!([1e-4f32, -1.0f32 + 1e-4f32, 1e-4f32]));
        (
            model["polygons"][0]["vertices"],
            model["polygons"][0]["normals"],
        ) = (json!([0, 1, 6, 3]), json!([0, 0, 1, 0]));
        // Of 1 + 0.25 + 0.00390625.
        (model["bbox_mid"], model["bbox_diag"]) = (json!([1.0, 0.5, 0.0625]), json!(1.126953125));
        boxes(&mut world.nodes[0], [0.0, 0.0, 0.0, 2.0, 1.0, 0.125]);
        assert_bytes(&found, &world.bytes());
        // Only the corner of one triangle moves: the square is no longer a square.
        let mut all = faces(
            &export(&one(game, two(game), TWO).bytes(), "gamez.zbd")
                .remove(&path)
                .unwrap(),
        );
        first_at(&mut all, [1.0, 1.0, 0.0])
            .take(1)
            .for_each(|c| c.at = [1.0, 1.25, 0.5]);
        let file = write(&all, Trip::default(), json!({}));
        let before = one(game, two(game), TWO).bytes();
        let (_, report) = put(
            &before,
            "gamez.zbd",
            path.trim_end_matches(".glb"),
            &file,
            Options::default(),
        )
        .unwrap();
        assert_eq!(
            (report.polygons_new, report.polygons_gone),
            (2, 1),
            "{game}: {report:?}"
        );
    }
}

/// The lists of a polygon's corners, from its first on the other way.
fn turn_round(polygon: &mut Value) {
    let turn = |list: &mut Value| {
        if let Some(list) = list.as_array_mut() {
            list[1..].reverse();
        }
    };
    for key in ["vertices", "normals", "uvs", "colors"] {
        if polygon.get(key).is_some() {
            turn(&mut polygon[key]);
        }
    }
    for layer in polygon
        .get_mut("layers")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        turn(&mut layer["uvs"]);
    }
}

#[test]
fn a_mirrored_model_has_the_same_polygons_flipped() {
    for game in GAMES {
        let world = one(game, two(game), TWO);
        let (path, file) = export(&world.bytes(), "gamez.zbd")
            .into_iter()
            .find(|(p, _)| p.starts_with("models/0000"))
            .unwrap();
        let file = write(
            &faces(&file),
            Trip::default(),
            json!({ "scale": [-1.0, 1.0, 1.0] }),
        );
        let report = world.takes(path.trim_end_matches(".glb"), &file, |model, nodes| {
            for i in [1, 2, 4, 5] {
                model["vertices"][i][0] = json!(-model["vertices"][i][0].as_f64().unwrap());
            }
            model["polygons"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(turn_round);
            model["bbox_mid"] = json!([-1.0, 0.5, 0.0]);
            boxes(&mut nodes[0], [-2.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        });
        let counts = (
            report.vertices_moved,
            report.polygons_changed,
            report.polygons_new,
            report.polygons_gone,
        );
        assert_eq!(counts, (4, 2, 0, 0), "{game}: {report:?}");
        // A mirrored copy next to it: each square again, with all its properties.
        let world = one(game, two(game), TWO);
        let report = world.edited(
            |faces| {
                let mut copy = faces.clone();
                for face in &mut copy {
                    face.corners.swap(1, 2);
                    face.corners
                        .iter_mut()
                        .for_each(|c| c.at = [-4.0 - c.at[0], c.at[1], c.at[2]]);
                }
                faces.extend(copy);
            },
            |model, nodes| {
                // New vertices in the order in which the file's triangles first have them: as the
                // program wrote them.
                let more = [
                    [-4.0, 0.0, 0.0],
                    [-5.0, 1.0, 0.0],
                    [-5.0, 0.0, 0.0],
                    [-4.0, 1.0, 0.0],
                    [-6.0, 1.0, 0.0],
                    [-6.0, 0.0, 0.0],
                ];
                model["vertices"]
                    .as_array_mut()
                    .unwrap()
                    .extend(more.map(|v| json!(v)));
                let mut copies = model["polygons"].as_array().unwrap().clone();
                copies.iter_mut().for_each(turn_round);
                (copies[0]["vertices"], copies[1]["vertices"]) =
                    (json!([6, 9, 7, 8]), json!([8, 7, 10, 11]));
                model["polygons"].as_array_mut().unwrap().extend(copies);
                // From −6 to 2: halves of 4 and 0.5, whose squares are 16.25, which is 2⁴ ·
                // 1.015625.
                (model["bbox_mid"], model["bbox_diag"]) = (json!([-2.0, 0.5, 0.0]), json!(4.03125));
                boxes(&mut nodes[0], [-6.0, 0.0, 0.0, 2.0, 1.0, 0.0]);
            },
        );
        assert_eq!(
            (
                report.vertices_new,
                report.polygons_new,
                report.polygons_gone
            ),
            (6, 2, 0),
            "{game}: {report:?}"
        );
        assert_eq!(report.defaults, Default::default());
    }
}

/// A polygon without the coordinates that Recoil reads, and one whose normals are not there: their
/// copies are whole.
#[test]
fn errors_of_a_polygon_are_not_copied() {
    for game in GAMES {
        let broken = |edit: &dyn Fn(&mut Value)| {
            let mut model = two(game);
            edit(&mut model["polygons"][0]);
            let before = one(game, model, TWO).bytes();
            let (path, file) = export(&before, "gamez.zbd")
                .into_iter()
                .find(|(p, _)| p.starts_with("models/0000"))
                .unwrap();
            let mut faces = faces(&file);
            let mut copy = faces.clone();
            copy.iter_mut()
                .flat_map(|f| &mut f.corners)
                .for_each(|c| c.at[2] += 4.0);
            faces.extend(copy);
            let file = write(&faces, Trip::default(), json!({}));
            let (found, report) = put(
                &before,
                "gamez.zbd",
                path.trim_end_matches(".glb"),
                &file,
                Options::default(),
            )
            .unwrap();
            assert_eq!(
                (report.polygons_new, report.vertices_new),
                (2, 6),
                "{game}: {report:?}"
            );
            document(&tree(&found), "models/0000")["polygons"][2].clone()
        };
        assert_eq!(
            broken(&|polygon| polygon["normals"] = json!([7, 7, 7, 7]))["priority"],
            7,
            "{game}"
        );
        let copy = broken(&|polygon| {
            polygon.as_object_mut().unwrap().remove("uvs");
            polygon.as_object_mut().unwrap().remove("layers");
        });
        assert_eq!(copy["uvs"].is_array(), game == "rc", "{game}: {copy}");
    }
}

/// Strips are turned round as strips, where another order of their corners does it.
#[test]
fn a_flipped_strip_stays_a_strip() {
    for game in ["mw", "pm", "cs"] {
        // Two triangles, 0 1 3 and 3 1 2; then also a third, 3 2 4.
        for (corners, turned) in [
            (vec![0, 1, 3, 2], vec![0, 3, 1, 2]),
            (vec![0, 1, 3, 2, 4], vec![4, 2, 3, 1, 0]),
        ] {
            let strip = |corners: &[usize]| {
                let mut model = square(game);
                if corners.len() == 5 {
                    model["vertices"]
                        .as_array_mut()
                        .unwrap()
                        .push(json!([0.5, 2.0, 0.0]));
                    (model["bbox_mid"], model["bbox_diag"]) =
                        (json!([0.5, 1.0, 0.0]), json!(1.125));
                }
                let uvs: Vec<Value> = corners.iter().map(|c| json!([*c as f64, 0.5])).collect();
                model["polygons"][0] = json!({ "material": 0, "flags": ["TRI_STRIP"], "priority": 2,
                    "vertices": corners,
                                               "normals": vec![0; corners.len()], "uvs": uvs });
                model
            };
            let sides = [
                0.0,
                0.0,
                0.0,
                1.0,
                if corners.len() == 5 { 2.0 } else { 1.0 },
                0.0,
            ];
            let report = one(game, strip(&corners), sides).edited(
                |faces| faces.iter_mut().for_each(|f| f.corners.swap(1, 2)),
                |model, _| *model = strip(&turned),
            );
            assert_eq!(
                (report.polygons_changed, report.polygons_new),
                (1, 0),
                "{game}: {report:?}"
            );
        }
    }
}

/// A file of one triangle and nothing else, in objects with these names; `mode` is glTF's primitive
/// mode.
fn drawing(nodes: Value, mode: u32, z: f32) -> Vec<u8> {
    let points = [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let data: Vec<u8> = points
        .iter()
        .flatten()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let scene: Vec<usize> = (0..nodes.as_array().unwrap().len()).collect();
    let primitive =
        |mode: u32| json!({ "primitives": [{ "attributes": { "POSITION": 0 }, "mode": mode }] });
    khronos::glb(
        &json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": scene }], "nodes": nodes,
            "meshes": [primitive(mode), primitive(1)],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }], "buffers": [{ "byteLength": 36 }]
        }),
        &data,
    )
}

/// A file as its tree shows it.
fn tree(bytes: &Bytes) -> Folder {
    unpack(
        &Case {
            path: "gamez.zbd".into(),
            folder: "gamez".into(),
            bytes: bytes.clone(),
        },
        Hints::default(),
        Style::Json,
    )
}

/// No game has a polygon without a material: a mesh without one gets a white material, which is
/// created once.
#[test]
fn polygons_without_a_material_get_a_plain_white_one() {
    let plain = "new polygons that have no material in the file: a plain white one";
    for game in GAMES {
        let before = one(game, square(game), SQUARE).bytes();
        let (found, report) = add(
            &before,
            "gamez.zbd",
            "world1",
            &drawing(json!([{ "name": "new", "mesh": 0 }]), 4, 0.0),
        )
        .unwrap();
        assert_eq!(report.defaults.get(plain), Some(&1), "{game}: {report:?}");
        assert_eq!(report.notes, ["a plain white material is new"], "{game}");
        let shown = tree(&found);
        let materials = document(&shown, "materials")["materials"].clone();
        assert_eq!(
            materials,
            json!([{ "texture": "0 brick.tif" }, { "texture": "1 grass.tif" }, {}]),
            "{game}"
        );
        assert_eq!(
            document(&shown, "models/0001")["polygons"],
            json!([{ "material": 2, "vertices": [0, 1, 2] }]),
            "{game}"
        );
        // Into a model, far from all that it has; now the material is there.
        let (found, report) = put(
            &found,
            "gamez.zbd",
            "models/0000-one",
            &drawing(json!([{ "mesh": 0 }]), 4, 9.0),
            Options::default(),
        )
        .unwrap();
        assert_eq!(
            (report.defaults.get(plain), report.notes.len()),
            (Some(&1), 0),
            "{game}: {report:?}"
        );
        let shown = tree(&found);
        assert_eq!(
            document(&shown, "materials")["materials"]
                .as_array()
                .unwrap()
                .len(),
            3,
            "{game}"
        );
        assert_eq!(
            document(&shown, "models/0000")["polygons"][0]["material"],
            2,
            "{game}"
        );
        // A piece of a polygon has the material of that, and a polygon that has lost it keeps it.
        let (found, report) = put(
            &before,
            "gamez.zbd",
            "models/0000-one",
            &drawing(json!([{ "mesh": 0 }]), 4, 0.0),
            Options::default(),
        )
        .unwrap();
        assert_eq!(
            report.notes,
            ["polygons without a material in the file, which keep theirs: 1"],
            "{game}"
        );
        assert_eq!(
            document(&tree(&found), "models/0000")["polygons"][0]["material"],
            0,
            "{game}"
        );
        let glb = rewritten(
            &export(&before, "gamez.zbd")
                .remove("models/0000-one.glb")
                .unwrap(),
            |root| {
                root["meshes"][0]["primitives"][0]
                    .as_object_mut()
                    .unwrap()
                    .remove("material");
            },
        );
        let (found, report) = put(
            &before,
            "gamez.zbd",
            "models/0000-one",
            &glb,
            Options::default(),
        )
        .unwrap();
        assert_eq!(
            report.notes,
            ["polygons without a material in the file, which keep theirs: 1"],
            "{game}"
        );
        assert_bytes(&found, &before);
    }
    // In a mechlib it is the existing white one, if there is one.
    for game in ["mw", "pm"] {
        let mut arm = shows("arm", [0.0, 0.0, 2.0], SQUARE);
        arm["mesh"] = square(game);
        let before = mech(game, arm, deep(SQUARE, 2.0));
        let file = drawing(
            json!([{ "name": "arm", "mesh": 0, "translation": [0.0, 0.0, 2.0] }]),
            4,
            9.0,
        );
        let error = put(&before, "mechlib.zbd", "bw.flt", &file, Options::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("no plain white one"), "{error}");
    }
}

#[test]
fn points_and_lines_are_not_objects() {
    for game in GAMES {
        let before = one(game, square(game), SQUARE).bytes();
        for mode in [0, 1, 2, 3] {
            let file = drawing(json!([{ "name": "wire", "mesh": 0 }]), mode, 0.0);
            let said = [
                add(&before, "gamez.zbd", "world1", &file)
                    .unwrap_err()
                    .to_string(),
                put(
                    &before,
                    "gamez.zbd",
                    "models/0000-one",
                    &file,
                    Options::default(),
                )
                .unwrap_err()
                .to_string(),
            ];
            assert!(
                said.iter()
                    .all(|said| said.contains("the file shows no triangle")),
                "{said:?}"
            );
        }
        // Next to a mesh: an object without a model.
        let (found, report) = add(
            &before,
            "gamez.zbd",
            "world1",
            &drawing(
                json!([{ "name": "wire", "mesh": 1 }, { "name": "new", "mesh": 0 }]),
                4,
                0.0,
            ),
        )
        .unwrap();
        assert!(
            report
                .notes
                .contains(&"1 parts of points or lines are left out".to_owned()),
            "{:?}",
            report.notes
        );
        let shown = tree(&found);
        let nodes = document(&shown, "nodes/")["nodes"].clone();
        let last = &nodes.as_array().unwrap()[nodes.as_array().unwrap().len() - 2..];
        assert_eq!(
            (&last[0]["name"], &last[0]["model"], &last[1]["model"]),
            (&json!("wire"), &Value::Null, &json!("1 new")),
            "{nodes}"
        );
    }
}

/// A matrix that is set directly has no rotation and no scale next to it
/// (src/zipper/gamez/FORMAT.md).
#[test]
fn sheared_and_mirrored_objects_have_a_matrix_and_neither_angles_nor_a_scale() {
    let sheared = json!({ "matrix": [1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 1.0] });
    let mirrored = json!({ "scale": [-1.0, 1.0, 1.0], "translation": [0.0, 2.0, 0.0] });
    let cases = [
        (
            sheared,
            json!([1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ),
        (
            mirrored,
            json!([-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ),
    ];
    for (place, matrix) in &cases {
        let with = |mut node: Value| {
            let map = node.as_object_mut().unwrap();
            map.retain(|key, _| {
                !["matrix", "translation", "rotation", "scale"].contains(&key.as_str())
            });
            map.extend(place.as_object().unwrap().clone());
            node
        };
        let wanted = json!({ "flags": ["MATRIX", "ALWAYS"], "matrix": matrix, "translation": [0.0, 2.0, 0.0] });
        for game in GAMES {
            let before = one(game, square(game), SQUARE).bytes();
            let (found, _) = add(
                &before,
                "gamez.zbd",
                "world1",
                &drawing(json!([with(json!({ "name": "new", "mesh": 0 }))]), 4, 0.0),
            )
            .unwrap();
            let nodes = document(&tree(&found), "nodes/")["nodes"].clone();
            assert_eq!(
                nodes.as_array().unwrap().last().unwrap()["data"]["object3d"],
                wanted,
                "{game}"
            );
        }
        for game in ["mw", "pm"] {
            let mut arm = shows("arm", [0.0, 0.0, 2.0], SQUARE);
            arm["mesh"] = square(game);
            arm["data"]["object3d"]["rotation"] = json!([0.0, 0.5, 0.0]);
            let before = mech(game, arm, deep(SQUARE, 2.0));
            let glb = rewritten(
                &export(&before, "mechlib.zbd").remove("bw.glb").unwrap(),
                |root| {
                    let arm = root["nodes"]
                        .as_array_mut()
                        .unwrap()
                        .iter_mut()
                        .find(|n| n["name"] == "arm")
                        .unwrap();
                    *arm = with(arm.clone());
                },
            );
            let (found, report) =
                put(&before, "mechlib.zbd", "bw.flt", &glb, Options::default()).unwrap();
            assert_eq!(report.nodes_moved, 1);
            let case = Case {
                path: "mechlib.zbd".into(),
                folder: "mechlib".into(),
                bytes: found,
            };
            let nodes =
                document(&unpack(&case, Hints::default(), Style::Json), "bw.flt")["nodes"].clone();
            assert_eq!(nodes[1]["data"]["object3d"], wanted, "{game}");
        }
    }
}

/// Names that are too long are cut, which is reported, and those of two objects stay different.
#[test]
fn shortened_names_stay_different() {
    let long = |end: &str| format!("a_rather_long_name_for_an_object_of_{end}");
    let before = one("mw", square("mw"), SQUARE).bytes();
    let names = [
        long("the_first"),
        long("the_second"),
        long("the_first"),
        "a_rather_long_name_for_an_object~3".to_owned(),
        "short".to_owned(),
    ];
    let objects: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "mesh": 0 }))
        .collect();
    let (found, report) = add(
        &before,
        "gamez.zbd",
        "world1",
        &drawing(json!(objects), 4, 0.0),
    )
    .unwrap();
    let nodes = document(&tree(&found), "nodes/")["nodes"].clone();
    let found: Vec<&str> = nodes.as_array().unwrap()[5..]
        .iter()
        .map(|n| n["name"].as_str().unwrap())
        .collect();
    let (first, second) = (
        "a_rather_long_name_for_an_object_of",
        "a_rather_long_name_for_an_object_~2",
    );
    assert_eq!(
        found,
        [
            first,
            second,
            first,
            "a_rather_long_name_for_an_object~3",
            "short"
        ]
    );
    let printed = [("the_first", first), ("the_second", second)].map(|(end, name)| {
        format!(
            "the object {:?} is called {name:?}: names have at most 35 characters",
            long(end)
        )
    });
    assert!(
        printed.iter().all(|printed| report.notes.contains(printed)),
        "{:?}",
        report.notes
    );
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// The word after a node's record in Recoil and MechWarrior 3 (src/zipper/gamez/FORMAT.md):
/// for a released record, the next free record.
fn word_behind(game: &str, bytes: &[u8], node: usize) -> u32 {
    let size = if game == "rc" { 192 } else { 208 };
    u32_at(bytes, u32_at(bytes, 32) + node * (size + 4) + size) as u32
}

/// m6 of Recoil: released records link to each other, the first of them to the first unused one. A
/// new node gets that one.
#[test]
fn new_nodes_update_the_free_list() {
    for game in ["rc", "mw"] {
        // 4 is an object, 5 and 6 are released, in this order, 7 is an object; three were never
        // used.
        let small = tree(&one(game, square(game), SQUARE).bytes());
        let object = json!({ "name": "other", "flags": ["ACTIVE"], "data": { "object3d": { "flags": ["INITIAL", "ALWAYS"] } } });
        change(&small, "nodes/", |doc| {
            let list = doc["nodes"].as_array_mut().unwrap();
            list.push(json!({ "name": "gone", "flags": [], "link": "0x00000008" }));
            list.push(json!({ "name": "gone too", "flags": [], "link": "0x00000005" }));
            list.push(object.clone());
            list[0]["children"] = json!([4, 7]);
        });
        change(&small, "refit.json", |doc| {
            doc["nodes"]["slots"] = json!(11);
            doc["nodes"]["last_free"] = json!(6);
        });
        let before: Bytes = repack(&small).into();
        let list = |bytes: &[u8], last: usize| {
            let words: Vec<u32> = [5, 6].map(|i| word_behind(game, bytes, i)).to_vec();
            (
                u32_at(bytes, 24),
                u32_at(bytes, 28),
                words,
                word_behind(game, bytes, last),
            )
        };
        assert_eq!(
            list(&before, 10),
            (11, 6, vec![8, 5], 0x00ff_ffff),
            "{game}"
        );
        // One object, two, three: the array is full then, and grows by one, as there is always a
        // free one.
        let objects = |n: usize| -> Value {
            (0..n)
                .map(|i| json!({ "name": format!("new{i}"), "mesh": 0 }))
                .collect()
        };
        for (n, slots) in [(1, 11), (2, 11), (3, 12), (4, 13)] {
            let (found, _) =
                add(&before, "gamez.zbd", "world1", &drawing(objects(n), 4, 0.0)).unwrap();
            assert_eq!(
                list(&found, slots - 1),
                (slots, 6, vec![8 + n as u32, 5], 0x00ff_ffff),
                "{game} {n}"
            );
            let again = tree(&found);
            assert_bytes(&repack(&again), &found);
        }
        // Added by hand in the tree: the word is the same there, the results differ.
        change(&small, "nodes/", |doc| {
            doc["nodes"].as_array_mut().unwrap().push(object.clone());
            doc["nodes"][0]["children"] = json!([4, 7, 8]);
        });
        let found: Bytes = repack(&small).into();
        assert_eq!(list(&found, 10), (11, 6, vec![9, 5], 0x00ff_ffff), "{game}");
        trips::unharmed(&before, &found, "gamez.zbd");
        // A file with such a list stays as it is.
        let mut odd = before.to_vec();
        let size = if game == "rc" { 192 } else { 208 };
        let at = u32_at(&odd, 32) + 5 * (size + 4) + size;
        odd[at] = 7;
        exact(
            &Case {
                path: "gamez.zbd".into(),
                folder: "gamez".into(),
                bytes: odd.clone().into(),
            },
            Hints::default(),
        );
        assert_bytes(&repack(&tree(&odd.into())), &{
            let mut odd = before.to_vec();
            odd[at] = 7;
            odd
        });
    }
}

/// Real files have free slots, and mech3ax reads no full array of models or materials.
#[test]
fn arrays_that_become_full_grow() {
    for game in GAMES {
        let small = tree(&one(game, square(game), SQUARE).bytes());
        change(&small, "refit.json", |doc| {
            doc["models"]["slots"] = json!(2)
        });
        if game != "cs" {
            change(&small, "materials", |doc| doc["slots"] = json!(3));
        }
        let before: Bytes = repack(&small).into();
        let heads = |bytes: &[u8]| {
            let at = if matches!(game, "rc" | "mw") { 16 } else { 20 };
            let [materials, models] = [at, at + 4].map(|at| u32_at(bytes, at));
            (
                [0, 4, 8].map(|i| u32_at(bytes, models + i)),
                [0, 4, 8].map(|i| u32_at(bytes, materials + i)),
            )
        };
        let slots = |n: usize| if game == "cs" { 1000 } else { n };
        assert_eq!(heads(&before), ([2, 1, 1], [slots(3), 2, 2]), "{game}");
        let (found, _) = add(
            &before,
            "gamez.zbd",
            "world1",
            &drawing(json!([{ "name": "new", "mesh": 0 }]), 4, 0.0),
        )
        .unwrap();
        assert_eq!(heads(&found), ([3, 2, 2], [slots(4), 3, 3]), "{game}");
        // By hand, beyond the slots.
        for i in [1, 2] {
            small.set(
                &format!("models/{i:04}.json"),
                square(game).to_string().into_bytes(),
            );
            change(&small, "nodes/", |doc| {
                let mut node = shows("more", [0.0; 3], SQUARE);
                node["model"] = json!(i);
                doc["nodes"].as_array_mut().unwrap().push(node);
            });
        }
        let found: Bytes = repack(&small).into();
        assert_eq!(heads(&found).0, [4, 3, 3], "{game}");
    }
}
