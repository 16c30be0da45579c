//! Edits of models of every kind, in the games that have them: facades, levels of detail, morphs, lights, models that several nodes share,
//! polygons of several materials, 'mechs. What is expected is written by hand, by the rules of `src/formats/gamez/FORMAT.md`: a middle is
//! half of both sides, a radius the halved bits of the squares of the halves, a box holds points, lights and morphs, and that of a facade
//! is the same on all sides that it turns to.

use bytes::Bytes;
use refit::views::import::{Options, Report};
use roundtrip_tests::{
    games::{self, FIRST},
    trips::{Face, Trip, export, faces, put, write},
    *,
};
use serde_json::{Value, json};

/// A world: its game, its models, and its nodes from [`FIRST`] on, of which the first hangs on the world.
struct World {
    game: &'static str,
    models: Vec<Value>,
    nodes: Vec<Value>,
}

impl World {
    fn bytes(&self) -> Bytes {
        games::world_of(self.game, &self.models, &self.nodes, &[FIRST], &["brick.tif", "grass.tif"]).into()
    }

    /// What a program makes of model 0 after an edit, put back: held against the world that `expected` makes.
    fn edited(self, edit: impl Fn(&mut Vec<Face>), expected: impl Fn(&mut Value, &mut [Value])) -> Report {
        let before = self.bytes();
        let (path, file) = export(&before, "gamez.zbd").into_iter().find(|(p, _)| p.starts_with("models/0000")).expect("it is exported");
        let mut faces = faces(&file);
        edit(&mut faces);
        self.takes(path.trim_end_matches(".glb"), &write(&faces, Trip::default(), json!({})), expected)
    }

    fn takes(mut self, member: &str, file: &[u8], expected: impl Fn(&mut Value, &mut [Value])) -> Report {
        let (found, report) = put(&self.bytes(), "gamez.zbd", member, file, Options::default()).unwrap();
        expected(&mut self.models[0], &mut self.nodes);
        assert_bytes(&found, &self.bytes());
        report
    }
}

/// What a game says of a model with polygons that is drawn as it is.
fn flags(game: &str, model: &mut Value) {
    let name = if game == "rc" { "recoil_flags" } else { "flags" };
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
        "polygons": [{ "material": 0, "vertices": [0, 1, 2, 3], "normals": [0, 0, 0, 0], "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]] }]
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
        "name": name, "flags": ["ACTIVE", "NODE_BBOX", "MODEL_BBOX"], "model": 0, "node_bbox": sides, "model_bbox": sides,
        "data": { "object3d": { "flags": ["ALWAYS"], "translation": at } }
    })
}

/// An object that others hang on.
fn holds(name: &str, children: &[usize], sides: [f64; 6]) -> Value {
    json!({
        "name": name, "flags": ["ACTIVE", "NODE_BBOX", "CHILD_BBOX"], "children": children, "node_bbox": sides, "child_bbox": sides,
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

/// Moves what stands at one place to another.
fn moves(from: [f32; 3], to: [f32; 3]) -> impl Fn(&mut Vec<Face>) {
    move |faces| faces.iter_mut().flat_map(|f| &mut f.corners).filter(|c| c.at == from).for_each(|c| c.at = to)
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
        let nodes = vec![holds("tower", &[FIRST + 1], deep(SQUARE, 2.0)), lod, shows("near", [0.0, 0.0, 2.0], SQUARE)];
        let report = World { game, models: vec![square(game)], nodes }.edited(moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0]), |model, nodes| {
            lifted(model);
            boxes(&mut nodes[2], LIFTED);
            boxes(&mut nodes[1], deep(LIFTED, 2.0));
            boxes(&mut nodes[0], deep(LIFTED, 2.0));
        });
        assert_eq!(report, Report { vertices_moved: 1, ..Report::default() }, "{game}");
    }
}

#[test]
fn all_nodes_that_share_a_model_follow_it() {
    for game in ["rc", "mw", "pm", "cs"] {
        let both = |sides: [f64; 6]| [sides[0], sides[1], sides[2], sides[3] + 10.0, sides[4], sides[5]];
        let nodes = vec![
            holds("both", &[FIRST + 1, FIRST + 2], both(SQUARE)),
            shows("left", [0.0; 3], SQUARE),
            shows("right", [10.0, 0.0, 0.0], SQUARE),
        ];
        let nodes = nodes.into_iter().map(|mut node| {
            // Where it is moved by nothing it says so.
            if node["name"] == "left" {
                node["data"]["object3d"] = json!({ "flags": ["INITIAL", "ALWAYS"] });
            }
            node
        });
        let world = World { game, models: vec![square(game)], nodes: nodes.collect() };
        world.edited(moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0]), |model, nodes| {
            lifted(model);
            boxes(&mut nodes[0], both(LIFTED));
            boxes(&mut nodes[1], LIFTED);
            boxes(&mut nodes[2], LIFTED);
        });
    }
}

/// A model alone on an object of a world, whose boxes are `before`.
fn alone(game: &'static str, model: Value, before: [f64; 6]) -> World {
    World { game, models: vec![model], nodes: vec![shows("one", [0.0, 0.0, 5.0], before)] }
}

#[test]
fn facades_are_as_wide_on_all_sides_that_they_turn_to() {
    let card = |game: &str, more: Value| {
        let mut model = square(game);
        model["vertices"] = json!([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [-1.0, 2.0, 0.0]]);
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
        // About the vertical axis: x and z are the same, y is as it is. Halves of 1, 1, 1: 3 is 2 · 1.5.
        let upright = card(game, json!({ "bbox_mid": [0.0, 1.0, 0.0], "bbox_diag": 1.75 }));
        alone(game, upright, [-1.0, 0.0, -1.0, 1.0, 2.0, 1.0]).edited(moves([1.0, 2.0, 0.0], [3.0, 2.0, 0.0]), |model, nodes| {
            model["vertices"][2] = json!([3.0, 2.0, 0.0]);
            // Halves of 3, 1, 3: 19 is 2⁴ · 1.1875.
            model["bbox_diag"] = json!(4.375);
            boxes(&mut nodes[0], [-3.0, 0.0, -3.0, 3.0, 2.0, 3.0]);
        });
        // In all directions: the farthest of all is the side of all. Halves of 2: 12 is 2³ · 1.5.
        let mut round = card(game, json!({ "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 3.5 }));
        if game == "rc" {
            round["recoil_flags"] = json!(["LIGHTING", "FACADE_SPHERICAL"]);
        } else {
            round["facade_mode"] = json!("SPHERICAL_Y");
        }
        let cube = |n: f64| [-n, -n, -n, n, n, n];
        alone(game, round, cube(2.0)).edited(moves([1.0, 2.0, 0.0], [1.0, 5.0, 0.0]), |model, nodes| {
            model["vertices"][2] = json!([1.0, 5.0, 0.0]);
            // Halves of 5: 75 is 2⁶ · 1.171875.
            model["bbox_diag"] = json!(8.6875);
            boxes(&mut nodes[0], cube(5.0));
        });
    }
}

#[test]
fn morphs_stay_and_count_and_keep_the_vertices_that_they_are_of() {
    let morphed = |game: &str| {
        let mut model = square(game);
        // The far corner grows to 5. Halves of 0.5 and 2.5: 6.5 is 2² · 1.625.
        model["morphs"] = json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 5.0, 0.0], [0.0, 1.0, 0.0]]);
        (model["bbox_mid"], model["bbox_diag"]) = (json!([0.5, 2.5, 0.0]), json!(2.625));
        model
    };
    let sides = [0.0, 0.0, 0.0, 1.0, 5.0, 0.0];
    for game in ["rc", "mw", "pm", "cs"] {
        alone(game, morphed(game), sides).edited(moves([1.0, 1.0, 0.0], [3.0, 1.0, 0.0]), |model, nodes| {
            model["vertices"][2] = json!([3.0, 1.0, 0.0]);
            // Halves of 1.5 and 2.5: 8.5 is 2³ · 1.0625.
            (model["bbox_mid"], model["bbox_diag"]) = (json!([1.5, 2.5, 0.0]), json!(3.0625));
            boxes(&mut nodes[0], [0.0, 0.0, 0.0, 3.0, 5.0, 0.0]);
        });
        // A second polygon goes, and its vertices stay, since morphs are of positions; its normal goes.
        let mut two = morphed(game);
        let far = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|v: [f64; 3]| json!(v));
        two["vertices"].as_array_mut().unwrap().extend(far.clone());
        two["morphs"].as_array_mut().unwrap().extend(far);
        two["normals"].as_array_mut().unwrap().push(json!([0.0, 0.0, -1.0]));
        two["polygons"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "material": 1, "vertices": [4, 6, 5], "normals": [1, 1, 1], "uvs": [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]] }));
        let report = alone(game, two, sides).edited(
            |faces| faces.retain(|f| f.material == "brick.tif"),
            |model, _| {
                model["polygons"].as_array_mut().unwrap().pop();
                model["normals"].as_array_mut().unwrap().pop();
            },
        );
        assert_eq!((report.polygons_gone, report.vertices_gone), (1, 0), "{game}");
    }
}

/// A light at one point.
fn light(at: [f64; 3]) -> Value {
    json!([{
        "unk00": 1, "unk04": 1, "unk08": 0.25, "unk24": "0x00000000", "color": [255.0, 170.0, 0.0], "flags": ["TRANSLATION", "STATIC"],
        "unk48": 0.0, "unk52": 0.0, "unk56": 0.0, "unk60": 1, "unk64": 30.0, "unk68": 0.0, "unk72": 600.0, "vertices": [at]
    }])
}

#[test]
fn lights_stay_and_count() {
    for game in ["rc", "mw", "pm", "cs"] {
        let mut lit = square(game);
        lit["lights"] = light([0.0, 4.0, 0.0]);
        // Halves of 0.5 and 2: 4.25 is 2² · 1.0625.
        (lit["bbox_mid"], lit["bbox_diag"]) = (json!([0.5, 2.0, 0.0]), json!(2.0625));
        alone(game, lit, [0.0, 0.0, 0.0, 1.0, 4.0, 0.0]).edited(moves([1.0, 1.0, 0.0], [3.0, 1.0, 0.0]), |model, nodes| {
            model["vertices"][2] = json!([3.0, 1.0, 0.0]);
            // Halves of 1.5 and 2: 6.25 is 2² · 1.5625.
            (model["bbox_mid"], model["bbox_diag"]) = (json!([1.5, 2.0, 0.0]), json!(2.5625));
            boxes(&mut nodes[0], [0.0, 0.0, 0.0, 3.0, 4.0, 0.0]);
        });
    }
}

#[test]
fn a_model_of_lights_alone_takes_faces() {
    for game in ["rc", "mw", "pm", "cs"] {
        let mut dark = json!({ "bbox_mid": [0.0, 4.0, 0.0], "bbox_diag": 0.0, "lights": light([0.0, 4.0, 0.0]) });
        dark[if game == "rc" { "recoil_flags" } else { "flags" }] = json!(["LIGHTING"]);
        // The triangle of the square's first three corners, as any program writes it.
        let square = games::world_of(game, &[square(game)], &[shows("one", [0.0; 3], SQUARE)], &[FIRST], &["brick.tif"]).into();
        let mut faces = faces(&export(&square, "gamez.zbd").into_iter().find(|(p, _)| p.starts_with("models/")).unwrap().1);
        faces.truncate(1);
        let file = write(&faces, Trip { untagged: true, ..Trip::default() }, json!({}));
        let report = alone(game, dark, [0.0, 4.0, 0.0, 0.0, 4.0, 0.0]).takes("models/0000-one", &file, |model, nodes| {
            flags(game, model);
            model["vertices"] = json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
            model["polygons"] = json!([{ "material": 0, "vertices": [0, 1, 2], "uvs": [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]] }]);
            (model["bbox_mid"], model["bbox_diag"]) = (json!([0.5, 2.0, 0.0]), json!(2.0625));
            boxes(&mut nodes[0], [0.0, 0.0, 0.0, 1.0, 4.0, 0.0]);
        });
        assert_eq!((report.polygons_new, report.vertices_new), (1, 3), "{game}");
    }
}

#[test]
fn further_materials_stay_and_go_along_to_the_pieces() {
    for game in ["pm", "cs"] {
        let layered = || {
            let mut model = square(game);
            model["polygons"][0]["layers"] = json!([{ "material": 1, "uvs": [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]] }]);
            model["polygons"][0]["flags"] = json!(["NO_CLUTTER", "IN_OUT"]);
            model["polygons"][0]["priority"] = json!(-3);
            model["polygons"][0]["zones"] = json!([7]);
            model
        };
        alone(game, layered(), SQUARE).edited(moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0]), |model, nodes| {
            lifted(model);
            boxes(&mut nodes[0], LIFTED);
        });
        // The first material's coordinates, and a colour.
        alone(game, layered(), SQUARE).edited(
            |faces| {
                let at = faces.iter_mut().flat_map(|f| &mut f.corners).filter(|c| c.at == [1.0, 0.0, 0.0]);
                at.for_each(|c| (c.uv, c.color) = ([0.25, 0.5], [0.0; 3]));
            },
            |model, _| {
                model["polygons"][0]["uvs"][1] = json!([0.25, 0.5]);
                model["polygons"][0]["colors"] =
                    json!([[255.0, 255.0, 255.0], [0.0, 0.0, 0.0], [255.0, 255.0, 255.0], [255.0, 255.0, 255.0]]);
            },
        );
        // One half gets another material: two polygons, each with what the whole had.
        let report = alone(game, layered(), SQUARE).edited(
            |faces| faces[1].material = "grass.tif".into(),
            |model, _| {
                let whole = model["polygons"][0].clone();
                let piece = |material: u32, corners: [usize; 3]| {
                    let mut piece = whole.clone();
                    let of = |list: &Value| json!(corners.map(|c| list[c].clone()));
                    piece["material"] = json!(material);
                    (piece["vertices"], piece["normals"]) = (of(&whole["vertices"]), json!([0, 0, 0]));
                    (piece["uvs"], piece["layers"][0]["uvs"]) = (of(&whole["uvs"]), of(&whole["layers"][0]["uvs"]));
                    piece
                };
                model["polygons"] = json!([piece(0, [0, 1, 2]), piece(1, [0, 2, 3])]);
                // As the program wrote it: off by what it encodes normals with.
                model["normals"] = json!([[1e-4f32, 1e-4f32, 1.0001f32]]);
            },
        );
        assert_eq!((report.polygons_new, report.polygons_gone), (2, 1), "{game}");
        assert_eq!(report.notes, Vec::<String>::new());
    }
}

/// A mechlib of one 'mech: a hull, on which an arm hangs that shows the square.
fn mech(game: &str, arm: Value, hull: [f64; 6]) -> Bytes {
    let mut arm = arm;
    arm["depth"] = json!(1);
    arm.as_object_mut().unwrap().remove("model");
    let mut hull = holds("hull", &[], hull);
    hull["depth"] = json!(0);
    hull.as_object_mut().unwrap().remove("children");
    games::mechlib(game, &[("bw.flt", json!({ "nodes": [hull, arm] }))], &["brick.tif", "grass.tif"]).into()
}

#[test]
fn a_mech_follows_its_parts_and_knows_them_by_their_meshes() {
    for game in ["mw", "pm"] {
        let arm = |at: [f64; 3], mesh: Value, sides: [f64; 6]| {
            let mut arm = shows("arm", at, sides);
            arm["mesh"] = mesh;
            arm
        };
        let before = mech(game, arm([0.0, 0.0, 2.0], square(game), SQUARE), deep(SQUARE, 2.0));
        let glb = export(&before, "mechlib.zbd").remove("bw.glb").unwrap();
        let nodes = |edit: &dyn Fn(&mut Value)| {
            let size = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
            let mut root: Value = serde_json::from_slice(&glb[20..20 + size]).unwrap();
            edit(&mut root);
            let file = khronos::glb(&root, &glb[28 + size..]);
            put(&before, "mechlib.zbd", "bw.flt", &file, Options::default()).unwrap()
        };
        fn named<'a>(root: &'a mut Value, name: &str) -> &'a mut Value {
            root["nodes"].as_array_mut().unwrap().iter_mut().find(|n| n["name"] == name).unwrap()
        }
        // The arm higher by 2: it says where, and the hull reaches further.
        let (found, report) = nodes(&|root| named(root, "arm")["translation"] = json!([0.0, 2.0, 2.0]));
        assert_eq!(report, Report { nodes_moved: 1, ..Report::default() });
        assert_bytes(&found, &mech(game, arm([0.0, 2.0, 2.0], square(game), SQUARE), [0.0, 2.0, 2.0, 1.0, 3.0, 2.0]));
        // Under another name, with what the export noted and without it: the arm, which keeps its name.
        for extras in [true, false] {
            let (found, report) = nodes(&|root| {
                let arm = named(root, "arm");
                arm["name"] = json!("Arm of the left");
                if !extras {
                    arm.as_object_mut().unwrap().remove("extras");
                }
            });
            assert!(report.is_unchanged() && report.notes.join("").contains("\"Arm of the left\" is \"arm\""), "{report:?}");
            assert_bytes(&found, &before);
        }
        // A vertex of it: its sphere, its box, and that of the hull.
        let mut faces = faces(&glb);
        moves([1.0, 1.0, 0.0], [1.0, 3.0, 0.0])(&mut faces);
        let file = write(&faces, Trip::default(), json!({ "name": "arm.001", "translation": [0.0, 0.0, 2.0] }));
        let (found, report) = put(&before, "mechlib.zbd", "bw.flt", &file, Options::default()).unwrap();
        assert_eq!(report, Report { vertices_moved: 1, ..Report::default() });
        let mut mesh = square(game);
        lifted(&mut mesh);
        assert_bytes(&found, &mech(game, arm([0.0, 0.0, 2.0], mesh, LIFTED), deep(LIFTED, 2.0)));
    }
}
