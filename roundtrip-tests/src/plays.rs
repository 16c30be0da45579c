//! A yard with a gate, a lift, a mill, a drone and a lamp, and their animations, for each game:
//! played by the page of `refit view` and by the library.

use crate::{
    by_hand,
    games::{self, FIRST, File},
};
use serde_json::{Value, json};

/// A box between two corners, with one material; the texture covers each side.
fn block(low: [f32; 3], high: [f32; 3], material: u32) -> (Vec<[f32; 3]>, Vec<Value>) {
    let corner = |i: usize| {
        [0, 1, 2].map(|axis| {
            if i >> axis & 1 == 1 {
                high[axis]
            } else {
                low[axis]
            }
        })
    };
    // Counter-clockwise from outside.
    let faces = [
        [1, 3, 7, 5],
        [0, 4, 6, 2],
        [2, 6, 7, 3],
        [0, 1, 5, 4],
        [4, 5, 7, 6],
        [0, 2, 3, 1],
    ];
    let vertices = (0..8).map(corner).collect();
    let polygon = |face: &[usize; 4]| {
        let across = |a: usize, b: usize| {
            let (a, b) = (corner(face[a]), corner(face[b]));
            (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt() / 4.0
        };
        let (u, v) = (across(0, 1), across(1, 2));
        json!({ "material": material, "vertices": face, "uvs": [[0.0, v], [u, v], [u, 0.0], [0.0, 0.0]] })
    };
    (vertices, faces.iter().map(polygon).collect())
}

/// A model of boxes.
fn model(blocks: &[([f32; 3], [f32; 3], u32)]) -> Value {
    let (mut vertices, mut polygons) = (Vec::new(), Vec::new());
    for (low, high, material) in blocks {
        let (corners, sides) = block(*low, *high, *material);
        let base = vertices.len();
        vertices.extend(corners);
        polygons.extend(sides.into_iter().map(|mut side| {
            let moved = side["vertices"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|i| i.as_u64().expect("a number"));
            side["vertices"] = moved.map(|i| i + base as u64).collect();
            side
        }));
    }
    json!({ "flags": ["LIGHTING"], "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 1.0, "vertices": vertices, "normals": [],
        "polygons": polygons })
}

const SAND: u32 = 0;
const STONE: u32 = 1;
const WOOD: u32 = 2;
const STEEL: u32 = 3;
const PAINT: u32 = 4;
const SIGN: u32 = 5;
const TEXTURES: [&str; 8] = [
    "sand.tif",
    "stone.tif",
    "wood.tif",
    "steel.tif",
    "paint.tif",
    "sign0.tif",
    "sign1.tif",
    "sign2.tif",
];

/// The shapes of the yard.
fn models() -> Vec<Value> {
    vec![
        model(&[([8.0, -1.0, 8.0], [248.0, 0.0, 248.0], SAND)]),
        model(&[
            ([-7.0, 0.0, -1.0], [-4.0, 10.0, 1.0], STONE),
            ([4.0, 0.0, -1.0], [7.0, 10.0, 1.0], STONE),
            ([-8.0, 10.0, -1.5], [8.0, 12.0, 1.5], STONE),
        ]),
        model(&[
            ([0.0, 0.0, -0.3], [3.9, 9.6, 0.3], WOOD),
            ([0.0, 7.0, -0.4], [3.9, 7.6, 0.4], STEEL),
        ]),
        model(&[
            ([-3.9, 0.0, -0.3], [0.0, 9.6, 0.3], WOOD),
            ([-3.9, 7.0, -0.4], [0.0, 7.6, 0.4], STEEL),
        ]),
        model(&[([-5.0, 0.0, -5.0], [5.0, 1.0, 5.0], STEEL)]),
        model(&[([-2.0, 0.0, -2.0], [2.0, 14.0, 2.0], STONE)]),
        model(&[([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0], STEEL)]),
        model(&[([-0.6, 0.0, -0.1], [0.6, 9.0, 0.1], WOOD)]),
        model(&[([-2.0, -0.6, -1.0], [2.0, 0.6, 1.0], PAINT)]),
        model(&[([-4.0, 0.0, -0.3], [4.0, 0.1, 0.3], STEEL)]),
        model(&[([-1.5, 0.0, -1.5], [1.5, 3.0, 1.5], WOOD)]),
        model(&[
            ([-0.3, 0.0, -0.3], [0.3, 8.0, 0.3], STEEL),
            ([-0.8, 8.0, -0.8], [0.8, 9.0, 0.8], PAINT),
        ]),
        model(&[
            ([-3.0, 4.0, -0.2], [3.0, 8.0, 0.2], SIGN),
            ([-0.2, 0.0, -0.2], [0.2, 4.0, 0.2], STEEL),
        ]),
    ]
}

/// The name, model, parent, place and more of a node.
type Object = (&'static str, Option<usize>, Option<usize>, Value);

/// The nodes; parents come first.
fn objects() -> Vec<Object> {
    vec![
        (
            "ground",
            Some(0),
            None,
            json!({ "translation": [0.0, 0.0, 0.0] }),
        ),
        (
            "gate",
            None,
            None,
            json!({ "translation": [128.0, 0.0, 128.0], "rotation": [0.0, 0.25, 0.0] }),
        ),
        (
            "frame",
            Some(1),
            Some(1),
            json!({ "translation": [0.0, 0.0, 0.0] }),
        ),
        (
            "doorl",
            Some(2),
            Some(1),
            json!({ "translation": [-4.0, 0.0, 0.0] }),
        ),
        (
            "doorr",
            Some(3),
            Some(1),
            json!({ "translation": [4.0, 0.0, 0.0] }),
        ),
        (
            "lift",
            Some(4),
            None,
            json!({ "translation": [96.0, 0.0, 110.0] }),
        ),
        (
            "mill",
            Some(5),
            None,
            json!({ "translation": [164.0, 0.0, 120.0], "rotation": [0.0, -0.6, 0.0] }),
        ),
        (
            "hub",
            Some(6),
            Some(6),
            json!({ "translation": [0.0, 13.0, 2.6], "rotation": [0.1, 0.2, 0.3] }),
        ),
        (
            "blade1",
            Some(7),
            Some(7),
            json!({ "translation": [0.0, 0.0, 0.6] }),
        ),
        (
            "blade2",
            Some(7),
            Some(7),
            json!({ "translation": [0.0, 0.0, 0.6], "rotation": [0.0, 0.0, 2.0943952] }),
        ),
        (
            "blade3",
            Some(7),
            Some(7),
            json!({ "translation": [0.0, 0.0, 0.6], "rotation": [0.0, 0.0, -2.0943952] }),
        ),
        (
            "copter",
            Some(8),
            None,
            json!({ "translation": [110.0, 18.0, 150.0] }),
        ),
        (
            "rotor",
            Some(9),
            Some(11),
            json!({ "translation": [0.0, 0.8, 0.0], "scale": [1.2, 1.0, 0.8] }),
        ),
        (
            "crate",
            Some(10),
            None,
            json!({ "translation": [104.0, 0.0, 140.0], "rotation": [0.0, 0.5, 0.0],
            "scale": [1.5, 1.0, 1.5] }),
        ),
        (
            "lamp",
            Some(11),
            None,
            json!({ "translation": [146.0, 0.0, 112.0] }),
        ),
        (
            "sign",
            Some(12),
            None,
            json!({ "translation": [116.0, 0.0, 116.0], "rotation": [0.0, 0.4, 0.0] }),
        ),
        (
            "spare",
            Some(10),
            None,
            json!({ "translation": [150.0, 0.0, 150.0] }),
        ),
    ]
}

/// The world of the yard.
fn world(game: &str) -> Vec<u8> {
    let objects = objects();
    let node = |(i, (name, model, _, data)): (usize, &Object)| {
        let mut data = data.clone();
        data["flags"] = json!(["ALWAYS"]);
        let children: Vec<usize> = (FIRST..)
            .zip(&objects)
            .filter(|(_, of)| of.2 == Some(i))
            .map(|(i, _)| i)
            .collect();
        let mut node = json!({ "name": name, "flags": ["ACTIVE"], "data": { "object3d": data } });
        // The spare crate is not shown until an animation shows it.
        if *name == "spare" {
            node["flags"] = json!([]);
        }
        if let Some(model) = model {
            node["model"] = json!(model);
        }
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    let nodes: Vec<Value> = objects.iter().enumerate().map(node).collect();
    let roots: Vec<usize> = (FIRST..)
        .zip(&objects)
        .filter(|(_, of)| of.2.is_none())
        .map(|(i, _)| i)
        .collect();
    let mut materials: Vec<Value> = (0..6)
        .map(|i| json!({ "texture": format!("{i} {}", TEXTURES[i]) }))
        .collect();
    let frames: Vec<String> = (5..8).map(|i| format!("{i} {}", TEXTURES[i])).collect();
    materials[SIGN as usize]["cycle"] = json!({ "looping": 1, "speed": 2.0, "frames": frames });
    let mut models = models();
    if game == "rc" {
        for model in models.iter_mut().filter_map(Value::as_object_mut) {
            let flags = model.remove("flags").expect("flags");
            model.insert("recoil_flags".into(), flags);
        }
    }
    games::world_with(game, &models, &nodes, &roots, &TEXTURES, &materials)
}

/// A picture of 16 by 16 pixels.
fn picture<'a>(name: &'a str, pixel: &dyn Fn(u32, u32) -> [u32; 3]) -> by_hand::Image<'a> {
    let words = (0..256).map(|i| {
        let [r, g, b] = pixel(i % 16, i / 16);
        ((r / 8) << 11 | (g / 4) << 5 | (b / 8)) as u16
    });
    by_hand::Image::plain(name, (16, 16), words.flat_map(u16::to_le_bytes).collect())
}

/// The textures of the yard.
fn textures() -> Vec<u8> {
    let noise = |x: u32, y: u32| (x * 73 + y * 151 + x * y * 29) % 24;
    let sand = |x, y| [196 + noise(x, y), 172 + noise(x, y), 124 + noise(y, x)];
    let stone = |x: u32, y: u32| {
        let joint = y.is_multiple_of(8) || (x + y / 8 * 8).is_multiple_of(16);
        [if joint { 88 } else { 132 + noise(x, y) }; 3]
    };
    let wood = |x: u32, y: u32| {
        let board = if x.is_multiple_of(4) {
            70
        } else {
            120 + noise(x / 4, y / 3)
        };
        [board, board * 2 / 3, board / 3]
    };
    let steel = |x, y| [120 + noise(x, y), 128 + noise(x, y), 140 + noise(x, y)];
    let paint = |x: u32, y: u32| {
        if ((x + y) / 4).is_multiple_of(2) {
            [232, 176, 24]
        } else {
            [36, 36, 40]
        }
    };
    let sign = |step: u32| {
        move |x: u32, _: u32| {
            if x / 5 == step || (step == 2 && x == 15) {
                [236, 72, 44]
            } else {
                [48, 52, 60]
            }
        }
    };
    by_hand::package(
        &[
            picture("paint", &paint),
            picture("sand", &sand),
            picture("sign0", &sign(0)),
            picture("sign1", &sign(1)),
            picture("sign2", &sign(2)),
            picture("steel", &steel),
            picture("stone", &stone),
            picture("wood", &wood),
        ],
        &[],
    )
}

/// An event after the one before it.
fn then(key: &str, body: Value) -> Value {
    json!({ key: body })
}

/// An event at a time.
fn at(clock: &str, time: f64, key: &str, body: Value) -> Value {
    json!({ "at": [clock, time], key: body })
}

fn turn(node: &str, from: [f64; 3], to: [f64; 3], time: f64) -> Value {
    then(
        "OBJECT_MOTION_FROM_TO",
        json!({ "node": node, "run_time": time, "rotate": { "from": from, "to": to } }),
    )
}

fn go(node: &str, from: [f64; 3], to: [f64; 3], time: f64) -> Value {
    then(
        "OBJECT_MOTION_FROM_TO",
        json!({ "node": node, "run_time": time, "translate": { "from": from, "to": to } }),
    )
}

fn show(node: &str, state: bool) -> Value {
    then(
        "OBJECT_ACTIVE_STATE",
        json!({ "node": node, "state": state }),
    )
}

fn sequence(name: &str, on_call: bool, events: Vec<Value>) -> Value {
    json!({ "name": name, "activation": if on_call { "ON_CALL" } else { "INITIAL" }, "events": events })
}

/// A definition that is bound to a node.
fn definition(name: &str, root: &str, sequences: Vec<Value>) -> (String, Value) {
    let nodes: Vec<&str> = objects().iter().map(|of| of.0).collect();
    let document = json!({
        "name": root, "animation_name": name, "animation_root_name": root, "activation": "ON_CALL",
        "objects": nodes, "nodes": nodes, "lights": ["lamplight"], "static_sounds": ["creak", "thud"],
        "dynamic_sounds": ["hum"], "sequences": sequences,
    });
    (format!("defs/{name}.json"), document)
}

/// A part of a frame: linear, and with a cubic with the same ends if the game has cubics.
fn part(game: &str, base: [f64; 3], rate: [f64; 3]) -> Value {
    let mut part = json!({ "base": base, "rate": rate });
    if game != "rc" {
        part["spline"] =
            json!([0, 1, 2].map(|i| [base[i], rate[i] * 0.5, rate[i], -rate[i] * 0.25]));
    }
    part
}

fn turned(game: &str, base: [f64; 4], rate: [f64; 3]) -> Value {
    let mut part = json!({ "base": base, "rate": rate });
    if game != "rc" {
        part["spline"] = json!([0, 1, 2].map(|i| [0.0, rate[i] * 1.5, -rate[i] * 0.5, 0.125]));
    }
    part
}

/// The frames of the drone's flight: pieces of different length, a gap, one that runs backwards,
/// and one without parts.
fn flight(game: &str) -> Vec<Value> {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let tilted = [0.9659258, 0.0, 0.0, 0.258819];
    vec![
        json!({ "time": [0.0, 1.5], "translate": part(game, [110.0, 18.0, 150.0], [12.0, 2.0, -4.0]),
            "rotate": turned(game, [1.0, 0.0, 0.0, 0.0], [0.0, 0.4, 0.1]) }),
        json!({ "time": [1.5, 2.25], "translate": part(game, [128.0, 21.0, 144.0], [0.0, -8.0, -10.0]),
            "scale": part(game, [1.0, 1.0, 1.0], [0.4, 0.0, -0.2]) }),
        json!({ "time": [2.25, 2.25] }),
        json!({ "time": [2.5, 4.0], "rotate": turned(game, [half, 0.0, half, 0.0], [0.3, -0.2, 0.5]) }),
        json!({ "time": [4.0, 3.75], "translate": part(game, [128.0, 15.0, 130.0], [5.0, 5.0, 5.0]),
            "rotate": turned(game, tilted, [0.0, 0.0, 0.0]) }),
        json!({ "time": [4.25, 6.0], "translate": part(game, [128.0, 15.0, 130.0], [-10.0, 2.0, 11.0]) }),
    ]
}

fn spin(game: &str) -> Vec<Value> {
    vec![
        json!({ "time": [0.0, 6.0], "rotate": turned(game, [1.0, 0.0, 0.0, 0.0], [0.0, 5.0, 0.0]) }),
    ]
}

/// An event that follows a script, with the path of the script's document.
fn follow(script: &str, node: &str) -> Value {
    then(
        "OBJECT_MOTION_SI_SCRIPT",
        json!({ "node": node, "script": script }),
    )
}

/// The scripts of the yard; in Recoil and MechWarrior 3 each event has its own.
fn scripts(game: &str) -> Vec<(String, Value)> {
    let table = matches!(game, "pm" | "cs");
    let script = |name: &str, object: &str, frames: Vec<Value>, splines: bool| {
        let mut document = json!({ "frames": frames });
        if table {
            document["name"] = json!(format!("{name}.zan"));
            document["object"] = json!(object);
            document["spline_interpolation"] = json!(splines);
        }
        document
    };
    let own = |name: &str, nth: usize| {
        if table {
            format!("scripts/{name}.json")
        } else {
            format!("scripts/fly{nth}-{name}.json")
        }
    };
    let mut all = vec![
        (
            own("flight", 1),
            script("flight", "copter", flight(game), false),
        ),
        (own("spin", 1), script("spin", "rotor", spin(game), false)),
    ];
    if game != "rc" {
        all.push((
            own("curve", 2),
            script("curve", "copter", flight(game), true),
        ));
    }
    all
}

/// The name by which an event finds a script.
fn stem(game: &str, name: &str, nth: usize) -> String {
    if matches!(game, "pm" | "cs") {
        format!("scripts/{name}")
    } else {
        format!("scripts/fly{nth}-{name}")
    }
}

/// Animations of the gate.
fn gates() -> Vec<(String, Value)> {
    let (shut, left, right) = ([0.0; 3], [0.0, -1.9, 0.0], [0.0, 1.9, 0.0]);
    let sound = |name: &str| then("SOUND", json!({ "sound": name, "at_node": "frame" }));
    let mut open = definition(
        "gate_open",
        "gate",
        vec![
            sequence(
                "left",
                false,
                vec![sound("creak"), turn("doorl", shut, left, 2.5)],
            ),
            sequence(
                "right",
                false,
                vec![turn("doorr", shut, right, 2.5), sound("thud")],
            ),
        ],
    );
    open.1["reset_state"] = json!([
        then(
            "OBJECT_ROTATE_STATE",
            json!({ "node": "doorl", "state": shut })
        ),
        then(
            "OBJECT_ROTATE_STATE",
            json!({ "node": "doorr", "state": shut })
        ),
    ]);
    open.1["reset_time"] = json!(-1.0);
    let close = definition(
        "gate_close",
        "gate",
        vec![sequence(
            "",
            false,
            vec![
                turn("doorl", left, shut, 1.5),
                at("EVENT", 0.25, "SOUND", json!({ "sound": "thud" })),
                turn("doorr", right, shut, 1.5),
            ],
        )],
    );
    let mut bang = definition(
        "gate_bang",
        "gate",
        vec![sequence(
            "",
            false,
            vec![
                turn("doorl", shut, [0.3, -1.2, 0.1], 0.5),
                at(
                    "SEQUENCE",
                    1.25,
                    "OBJECT_ROTATE_STATE",
                    json!({ "node": "doorr", "state": [0.0, 0.5, 0.0],
            "mode": "RELATIVE" }),
                ),
                at(
                    "ANIMATION",
                    2.0,
                    "OBJECT_ROTATE_STATE",
                    json!({ "node": "doorr", "state": [0.0, 0.25, 0.0],
            "mode": "AT_NODE_XYZ", "at_node": "doorl" }),
                ),
            ],
        )],
    );
    bang.1["reset_state"] = json!([
        turn("doorl", [0.0; 3], shut, 1.0),
        then(
            "OBJECT_ROTATE_STATE",
            json!({ "node": "doorr", "state": shut })
        )
    ]);
    bang.1["reset_time"] = json!(0.75);
    vec![open, close, bang]
}

/// Animations of the lift.
fn lifts() -> Vec<(String, Value)> {
    let (low, high) = ([96.0, 0.0, 110.0], [96.0, 9.0, 110.0]);
    let lift = definition(
        "lift_up",
        "lift",
        vec![sequence(
            "",
            false,
            vec![
                go("lift", low, high, 3.0),
                at(
                    "EVENT",
                    1.0,
                    "OBJECT_MOTION_FROM_TO",
                    json!({ "node": "lift", "run_time": 2.0,
            "translate": { "from": high, "to": low } }),
                ),
                then("LOOP", json!({ "loop_count": 3 })),
            ],
        )],
    );
    let shuttle = definition(
        "lift_for_ever",
        "lift",
        vec![sequence(
            "",
            false,
            vec![
                go("lift", low, high, 1.25),
                go("lift", high, low, 0.75),
                then("LOOP", json!({ "loop_count": -1 })),
            ],
        )],
    );
    let place = |key: &str, value: Value| {
        let mut body = json!({ "node": "lift", "state": [1.0, 2.0, 3.0] });
        body[key] = value;
        body
    };
    let states = definition(
        "lift_places",
        "lift",
        vec![sequence(
            "",
            false,
            vec![
                at(
                    "ANIMATION",
                    0.5,
                    "OBJECT_TRANSLATE_STATE",
                    json!({ "node": "lift", "state": [90.0, 4.0, 100.0] }),
                ),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_TRANSLATE_STATE",
                    place("relative", json!(true)),
                ),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_TRANSLATE_STATE",
                    place("at_node", json!("blade2")),
                ),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_SCALE_STATE",
                    json!({ "node": "lift", "state": [0.5, 2.0, 0.5] }),
                ),
            ],
        )],
    );
    vec![lift, shuttle, states]
}

/// Animations of the mill, the drone and the crate.
fn machines(game: &str) -> Vec<(String, Value)> {
    let still = [0.0; 3];
    let steady =
        |velocity: [f64; 3], more: [f64; 3]| json!({ "velocity": velocity, "acceleration": more });
    let fly = |body: Value| then("OBJECT_MOTION", body);
    let mill = definition(
        "mill_turn",
        "mill",
        vec![sequence(
            "",
            false,
            vec![fly(
                json!({ "node": "hub", "run_time": 4.0, "xyz_rotation": steady([0.0, 0.0, 1.5], still) }),
            )],
        )],
    );
    let gust = steady([0.0, 0.0, 0.5], [0.0, 0.0, 2.0]);
    let wind = definition(
        "mill_gust",
        "mill",
        vec![
            sequence(
                "",
                false,
                vec![
                    fly(json!({ "node": "hub", "run_time": 2.0, "xyz_rotation": gust })),
                    fly(json!({ "node": "hub", "xyz_rotation": steady([0.0, 0.1, 4.5], still) })),
                ],
            ),
            sequence(
                "stop",
                false,
                vec![at(
                    "ANIMATION",
                    5.0,
                    "STOP_ANIMATION",
                    json!({ "name": "mill_gust" }),
                )],
            ),
        ],
    );
    let mut throw = json!({ "node": "crate", "run_time": 2.0, "translation": steady([3.0, 8.0, -2.0], [0.0, -4.0, 0.5]),
        "xyz_rotation": steady([0.5, 1.0, 0.0], [0.0, 0.25, 0.0]),
        "scale": steady([-0.2, -0.1, 0.0], [0.0, 0.0, 0.1]) });
    if game != "rc" {
        (throw["gravity"], throw["gravity_no_altitude"]) = (json!(-3.0), json!(true));
    }
    let throw = definition(
        "crate_throw",
        "crate",
        vec![sequence("", false, vec![fly(throw)])],
    );
    let grow = definition(
        "crate_grow",
        "crate",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "OBJECT_MOTION_FROM_TO",
                    json!({
        "node": "crate", "run_time": 2.0, "scale": { "from": [1.5, 1.0, 1.5], "to": [0.5, 3.0, 0.0] },
        "rotate": { "from": [0.0, 0.5, 0.0], "to": [0.2, 2.5, -0.4] } }),
                ),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_SCALE_STATE",
                    json!({ "node": "crate", "state": [1.0, 1.0, 1.0] }),
                ),
            ],
        )],
    );
    let fade = definition(
        "crate_fade",
        "crate",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "OBJECT_OPACITY_FROM_TO",
                    json!({ "node": "crate", "run_time": 1.5, "opacity": { "from": 1.0, "to": 0.2 },
            "state_from": "ON", "state_to": "LEAVE" }),
                ),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_OPACITY_STATE",
                    json!({ "node": "crate", "state": true, "opacity": 0.6 }),
                ),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_OPACITY_FROM_TO",
                    json!({ "node": "crate", "run_time": 1.0, "opacity": { "from": 0.6,
            "to": 1.0 }, "state_from": "LEAVE", "state_to": "OFF" }),
                ),
            ],
        )],
    );
    let nth = |name: &str| if name == "curve" { 2 } else { 1 };
    let script = |name: &str, sequences: Vec<Value>, used: &[&str]| {
        let mut of = definition(name, "copter", sequences);
        if game == "cs" {
            of.1["scripts"] = used.iter().map(|of| stem(game, of, nth(of))).collect();
        }
        of
    };
    let line = |name: &str, node: &str| follow(&stem(game, name, nth(name)), node);
    let mut all = vec![
        mill,
        wind,
        throw,
        grow,
        fade,
        script(
            "copter_flight",
            vec![
                sequence("way", false, vec![line("flight", "copter")]),
                sequence("rotor", false, vec![line("spin", "rotor")]),
            ],
            &["flight", "spin"],
        ),
        script(
            "copter_rounds",
            vec![sequence(
                "",
                false,
                vec![
                    line("flight", "copter"),
                    then("LOOP", json!({ "loop_count": 2 })),
                ],
            )],
            &["flight"],
        ),
    ];
    if game != "rc" {
        all.push(script(
            "copter_curve",
            vec![sequence("", false, vec![line("curve", "copter")])],
            &["curve"],
        ));
    }
    all
}

/// Sequences that call and stop each other.
fn sequences() -> (String, Value) {
    let call = |name: &str| then("CALL_SEQUENCE", json!({ "name": name }));
    let lift = |y: f64| go("lift", [96.0, y, 110.0], [96.0, y + 2.0, 110.0], 0.5);
    definition(
        "sequences",
        "lift",
        vec![
            sequence("third", true, vec![show("sign", false), lift(4.0)]),
            sequence(
                "first",
                false,
                vec![lift(0.0), call("second"), call("second"), call("none")],
            ),
            sequence(
                "second",
                true,
                vec![
                    show("crate", false),
                    lift(2.0),
                    call("third"),
                    call("fourth"),
                    at("EVENT", 0.3, "STOP_SEQUENCE", json!({ "name": "fourth" })),
                    at("EVENT", 1.0, "CALL_SEQUENCE", json!({ "name": "fourth" })),
                ],
            ),
            sequence(
                "fourth",
                true,
                vec![turn("crate", [0.0; 3], [0.0, 3.0, 0.0], 2.0)],
            ),
            sequence(
                "stopped",
                false,
                vec![
                    at(
                        "ANIMATION",
                        0.25,
                        "STOP_SEQUENCE",
                        json!({ "name": "stopped" }),
                    ),
                    show("mill", false),
                ],
            ),
        ],
    )
}

/// Conditions, one after the other and nested.
fn branches() -> (String, Value) {
    let condition = |key: &str, kind: &str, value: Value| then(key, json!({ kind: value }));
    definition(
        "branches",
        "crate",
        vec![sequence(
            "",
            false,
            vec![
                condition("IF", "PLAYER_RANGE", json!(50.0)),
                show("sign", false),
                then("ELSE", json!({})),
                show("mill", false),
                then("ENDIF", json!({})),
                condition("IF", "RANDOM_WEIGHT", json!(0.25)),
                show("lift", false),
                condition("ELSEIF", "PLAYER_1ST_PERSON", json!(true)),
                show("lamp", false),
                then("ELSE", json!({})),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_ACTIVE_STATE",
                    json!({ "node": "spare", "state": true }),
                ),
                then("ENDIF", json!({})),
                // A condition that fails leads into the block that is nested in it.
                condition("IF", "RANDOM_WEIGHT", json!(0.0)),
                condition("IF", "RANDOM_WEIGHT", json!(1.0)),
                show("gate", false),
                condition("ELSEIF", "ANIMATION_LOD", json!(2)),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_SCALE_STATE",
                    json!({ "node": "crate", "state": [2.0, 2.0, 2.0] }),
                ),
                then("ENDIF", json!({})),
                then("ENDIF", json!({})),
                at(
                    "EVENT",
                    0.5,
                    "OBJECT_ACTIVE_STATE",
                    json!({ "node": "ground", "state": false }),
                ),
            ],
        )],
    )
}

/// Calls of other animations.
fn calls() -> (String, Value) {
    let mut calls = definition(
        "calls",
        "gate",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "CALL_ANIMATION",
                    json!({ "name": "gate_close", "wait_for_completion": true, "reference": "gate_close" }),
                ),
                at(
                    "EVENT",
                    0.5,
                    "CALL_ANIMATION",
                    json!({ "name": "lift_for_ever" }),
                ),
                then(
                    "CALL_ANIMATION",
                    json!({ "name": "crate_fade", "operand_node": "crate" }),
                ),
                then("CALL_ANIMATION", json!({ "name": "elsewhere" })),
                at(
                    "EVENT",
                    2.75,
                    "STOP_ANIMATION",
                    json!({ "name": "crate_fade" }),
                ),
                at(
                    "EVENT",
                    1.5,
                    "INVALIDATE_ANIMATION",
                    json!({ "name": "lift_for_ever" }),
                ),
                at(
                    "EVENT",
                    3.0,
                    "CALL_ANIMATION",
                    json!({ "name": "lift_for_ever" }),
                ),
                then("CALL_ANIMATION", json!({ "name": "gate_bang" })),
                at(
                    "EVENT",
                    1.0,
                    "RESET_ANIMATION",
                    json!({ "name": "gate_bang" }),
                ),
            ],
        )],
    );
    calls.1["animation_references"] = json!(["gate_close"]);
    calls
}

/// Events on all clocks.
fn clocks() -> (String, Value) {
    definition(
        "clocks",
        "crate",
        vec![
            sequence(
                "waits for ever",
                false,
                vec![at(
                    "SEQUENCE",
                    0.5,
                    "OBJECT_ACTIVE_STATE",
                    json!({ "node": "crate",
            "state": false }),
                )],
            ),
            sequence(
                "late",
                false,
                vec![
                    at(
                        "ANIMATION",
                        1.0,
                        "OBJECT_ACTIVE_STATE",
                        json!({ "node": "sign", "state": false }),
                    ),
                    at(
                        "SEQUENCE",
                        0.75,
                        "OBJECT_ACTIVE_STATE",
                        json!({ "node": "sign", "state": true }),
                    ),
                    turn("crate", [0.0; 3], [0.0, 1.0, 0.0], 0.5),
                    at(
                        "SEQUENCE",
                        1.0,
                        "OBJECT_ACTIVE_STATE",
                        json!({ "node": "sign", "state": false }),
                    ),
                    at(
                        "ANIMATION",
                        0.5,
                        "OBJECT_ACTIVE_STATE",
                        json!({ "node": "lamp", "state": false }),
                    ),
                    at(
                        "EVENT",
                        0.125,
                        "OBJECT_ACTIVE_STATE",
                        json!({ "node": "lamp", "state": true }),
                    ),
                ],
            ),
        ],
    )
}

/// Animations of the flow: sequences, calls, conditions, clocks, loops.
fn flows() -> Vec<(String, Value)> {
    let blink = definition(
        "spare_blinks",
        "spare",
        vec![sequence(
            "",
            false,
            vec![
                show("spare", true),
                at(
                    "EVENT",
                    0.25,
                    "OBJECT_ACTIVE_STATE",
                    json!({ "node": "spare", "state": false }),
                ),
                at("EVENT", 0.25, "LOOP", json!({ "loop_count": 5 })),
                show("spare", true),
            ],
        )],
    );
    let poll = definition(
        "poll",
        "spare",
        vec![
            sequence(
                "",
                false,
                vec![
                    then(
                        "OBJECT_TRANSLATE_STATE",
                        json!({ "node": "spare", "state": [0.0, 0.125, 0.0], "relative": true }),
                    ),
                    then("LOOP", json!({ "loop_count": 30 })),
                    show("spare", true),
                ],
            ),
            sequence(
                "timed",
                false,
                vec![
                    then(
                        "OBJECT_ROTATE_STATE",
                        json!({ "node": "spare", "state": [0.0, 0.25, 0.0], "mode": "RELATIVE" }),
                    ),
                    at("EVENT", 0.1, "LOOP", json!({ "loop_run_time": 0.95 })),
                ],
            ),
        ],
    );
    vec![sequences(), branches(), calls(), clocks(), blink, poll]
}

/// Animations of lights, fog, colours, sounds and textures.
fn effects() -> Vec<(String, Value)> {
    let light = |body: Value| {
        let mut body = body;
        body["light"] = json!("lamplight");
        body
    };
    let lamp = definition(
        "lamp_on",
        "lamp",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "LIGHT_STATE",
                    light(
                        json!({ "active_state": true, "at_node": "lamp", "position": [0.0, 9.0, 0.0],
            "range": [4.0, 12.0], "color": [1.0, 0.8, 0.3], "diffuse": 0.75 }),
                    ),
                ),
                then(
                    "LIGHT_ANIMATION",
                    light(
                        json!({ "range": [1.0, 8.0], "color": [0.0, -0.2, 0.1], "run_time": 2.0 }),
                    ),
                ),
                at(
                    "EVENT",
                    1.0,
                    "LIGHT_STATE",
                    light(json!({ "active_state": true, "color": [0.2, 0.4, 1.0] })),
                ),
                at(
                    "EVENT",
                    1.0,
                    "LIGHT_STATE",
                    light(json!({ "active_state": false })),
                ),
            ],
        )],
    );
    let fog = definition(
        "fog_rolls_in",
        "gate",
        vec![sequence(
            "",
            false,
            vec![
                at(
                    "ANIMATION",
                    0.5,
                    "FOG_STATE",
                    json!({ "color": [0.7, 0.7, 0.72], "range": [40.0, 160.0] }),
                ),
                at(
                    "EVENT",
                    1.0,
                    "FOG_STATE",
                    json!({ "range": [10.0, 60.0], "altitude": [0.0, 30.0] }),
                ),
                at("EVENT", 1.0, "FOG_STATE", json!({ "type": "OFF" })),
            ],
        )],
    );
    let flash = definition(
        "flash",
        "gate",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "FBFX_COLOR_FROM_TO",
                    json!({ "from": [1.0, 1.0, 1.0, 0.8], "to": [1.0, 0.4, 0.1, 0.0], "run_time": 0.75 }),
                ),
                at(
                    "EVENT",
                    0.5,
                    "FBFX_COLOR_FROM_TO",
                    json!({ "from": [0.0, 0.0, 0.0, 0.0], "to": [0.0, 0.0, 0.2, 1.0],
            "run_time": 1.5 }),
                ),
            ],
        )],
    );
    let hum = definition(
        "hum",
        "lift",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "SOUND_NODE",
                    json!({ "sound": "hum", "active_state": true, "at_node": "lift" }),
                ),
                at(
                    "EVENT",
                    2.0,
                    "SOUND_NODE",
                    json!({ "sound": "hum", "active_state": false }),
                ),
            ],
        )],
    );
    let sign = definition(
        "sign_steps",
        "sign",
        vec![sequence(
            "",
            false,
            vec![
                then(
                    "OBJECT_CYCLE_TEXTURE",
                    json!({ "node": "sign", "reset": 1 }),
                ),
                at(
                    "EVENT",
                    1.25,
                    "OBJECT_CYCLE_TEXTURE",
                    json!({ "node": "sign", "reset": 2 }),
                ),
                at(
                    "EVENT",
                    1.0,
                    "OBJECT_ACTIVE_STATE",
                    json!({ "node": "sign", "state": true }),
                ),
            ],
        )],
    );
    vec![lamp, fog, flash, hum, sign]
}

/// A crate that is attached to one thing after another.
fn carried() -> (String, Value) {
    let pair = |parent: &str, child: &str| json!({ "parent": parent, "child": child });
    definition(
        "crate_carried",
        "lift",
        vec![sequence(
            "",
            false,
            vec![
                then("OBJECT_ADD_CHILD", pair("lift", "crate")),
                then(
                    "OBJECT_TRANSLATE_STATE",
                    json!({ "node": "crate", "state": [0.0, 1.0, 0.0] }),
                ),
                go("lift", [96.0, 0.0, 110.0], [110.0, 6.0, 110.0], 2.0),
                then("OBJECT_ADD_CHILD", pair("lift", "doorl")),
                then("OBJECT_DELETE_CHILD", pair("lift", "crate")),
                at("EVENT", 0.5, "OBJECT_ADD_CHILD", pair("copter", "crate")),
                turn("copter", [0.0; 3], [0.0, 1.0, 0.2], 1.0),
            ],
        )],
    )
}

/// Events that are not shown.
fn hidden(game: &str) -> (String, Value) {
    let mut hidden = vec![
        then("CALLBACK", json!({ "value": 3 })),
        then(
            "OBJECT_MOTION",
            json!({ "node": "crate", "run_time": 1.0, "translation_range_min": { "yaw": 0.0,
            "pitch": 60.0, "speed": 5.0, "acceleration": 0.0 }, "translation_range_max": { "yaw": 360.0, "pitch": 70.0,
            "speed": 9.0, "acceleration": 0.0 } }),
        ),
        then(
            "OBJECT_MOTION",
            json!({ "node": "spare", "run_time": 0.5, "gravity": -9.8 }),
        ),
        then(
            "OBJECT_CONNECTOR",
            json!({ "node": "blade1", "from_node": "lamp", "to_node": "lift", "run_time": 0.25 }),
        ),
        then("CAMERA_STATE", json!({ "node": "lamp", "near_clip": 2.0 })),
        then(
            "CAMERA_FROM_TO",
            json!({ "node": "lamp", "run_time": 0.5, "h_zoom": { "from": 1.0, "to": 2.0 } }),
        ),
    ];
    match game {
        "rc" => hidden.push(then(
            "EFFECT",
            json!({ "effect": "dust", "at_node": "lamp" }),
        )),
        _ => {
            hidden.push(then(
                "PUFFER_STATE",
                json!({ "puffer": "smoke", "active_state": 1 }),
            ));
            hidden.push(then(
                "DETONATE_WEAPON",
                json!({ "weapon": "bomb", "at_node": "lamp", "position": [0.0, 0.0, 0.0] }),
            ));
        }
    }
    hidden.push(show("lamp", false));
    let mut hidden = definition("not_shown", "crate", vec![sequence("", false, hidden)]);
    match game {
        "rc" => hidden.1["effects"] = json!(["dust"]),
        _ => hidden.1["puffers"] = json!(["smoke"]),
    }
    hidden
}

/// The animations of the yard.
pub fn definitions(game: &str) -> Vec<(String, Value)> {
    let mut all: Vec<(String, Value)> = [gates(), lifts(), machines(game), flows(), effects()]
        .into_iter()
        .flatten()
        .collect();
    all.extend([carried(), hidden(game)]);
    if game == "cs" {
        // Two simultaneous scripts.
        let mut both = definition(
            "copter_both",
            "copter",
            vec![sequence(
                "",
                false,
                vec![json!({
            "OBJECT_MOTION_SI_SCRIPT_LIST": [{ "node": "copter", "script": "scripts/curve" },
                { "node": "rotor", "script": "scripts/spin" }] })],
            )],
        );
        both.1["scripts"] = json!(["scripts/curve", "scripts/spin"]);
        all.push(both);
    }
    if matches!(game, "mw" | "pm" | "cs") {
        // The crate returns to its old position.
        let mut kept = definition(
            "crate_returns",
            "crate",
            vec![sequence(
                "",
                false,
                vec![go("crate", [104.0, 0.0, 140.0], [120.0, 5.0, 140.0], 1.0)],
            )],
        );
        kept.1["auto_reset_node_states"] = json!(true);
        (kept.1["reset_time"], kept.1["reset_state"]) = (json!(0.5), json!([show("crate", true)]));
        all.push(kept);
    }
    all
}

/// A walk of eight frames, and one whose closing frame is another.
fn walk(open: bool) -> Value {
    let step = |i: usize, amount: f64| (i as f64 * std::f64::consts::FRAC_PI_4).sin() * amount;
    let turned = |angle: f64| [(angle / 2.0).cos(), (angle / 2.0).sin(), 0.0, 0.0];
    let part = |name: &str, place: [f64; 3], swing: f64, bob: f64| {
        let translations: Vec<[f64; 3]> = (0..8)
            .map(|i| [place[0], place[1] + step(2 * i, bob).abs(), place[2]])
            .collect();
        let rotations: Vec<[f64; 4]> = (0..8).map(|i| turned(step(i, swing))).collect();
        let mut part =
            json!({ "name": name, "translations": translations, "rotations": rotations });
        if open {
            part["last"] = json!({ "rotation": turned(1.0) });
        }
        part
    };
    json!({ "loop_time": 1.2, "parts": [
        part("hip", [0.0, 6.0, 0.0], 0.0, 0.4), part("torso", [0.0, 1.5, 0.0], 0.1, 0.0),
        part("legl", [-1.6, 0.0, 0.0], 0.7, 0.0), part("legr", [1.6, 0.0, 0.0], -0.7, 0.0),
        part("gun", [2.2, 2.0, 0.0], 0.3, 0.0),
    ] })
}

/// A 'mech of boxes.
fn mech() -> Value {
    let node = |depth: u32,
                name: &str,
                place: [f64; 3],
                low: [f32; 3],
                high: [f32; 3],
                material: u32| {
        json!({ "depth": depth, "name": name, "flags": ["ACTIVE"], "data": { "object3d": { "flags": ["ALWAYS"],
            "translation": place } }, "mesh": model(&[(low, high, material)]) })
    };
    json!({ "nodes": [
        node(0, "hip", [0.0, 6.0, 0.0], [-1.5, -0.5, -1.0], [1.5, 0.5, 1.0], 0),
        node(1, "torso", [0.0, 1.5, 0.0], [-2.0, -1.0, -1.5], [2.0, 2.0, 1.5], 0),
        node(2, "gun", [2.2, 2.0, 0.0], [-0.4, -0.4, -3.0], [0.4, 0.4, 0.5], 0),
        node(1, "legl", [-1.6, 0.0, 0.0], [-0.5, -6.0, -0.6], [0.5, 0.0, 0.6], 0),
        node(1, "legr", [1.6, 0.0, 0.0], [-0.5, -6.0, -0.6], [0.5, 0.0, 0.6], 0),
    ] })
}

/// Motions, by the names of their members.
pub fn motions() -> Vec<(&'static str, Value)> {
    vec![("wolf_walk", walk(false)), ("wolf_stumble", walk(true))]
}

/// An installation of a game with the yard as its world.
pub fn installation(game: &str) -> Vec<File> {
    let mut names = games::names(game);
    names.textures = TEXTURES.to_vec();
    let mut files = games::installation(game, &names);
    for (path, bytes) in &mut files {
        let name = path.rsplit('/').next().unwrap_or_default();
        match name {
            "gamez.zbd" => *bytes = world(game),
            "anim.zbd" | "mis_anim.zbd" => {
                *bytes = games::animations_of(game, &definitions(game), &scripts(game))
            }
            "rtexture.zbd" | "rtexture4.zbd" | "rtexture8.zbd" => *bytes = textures(),
            "motion.zbd" => *bytes = games::motions_of(game, &motions()),
            "mechlib.zbd" => *bytes = games::mechlib(game, &[("wolf.flt", mech())], &["hull.tif"]),
            _ => {}
        }
    }
    files
}
