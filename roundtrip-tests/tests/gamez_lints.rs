//! One test for each kind of finding in worlds and mechlibs: a file with just that oddity has just that finding.

use bytes::Bytes;
use refit::{
    pipeline::{self, Hints},
    tree::{Folder, Source, Style},
};
use roundtrip_tests::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The codes of all findings in a file.
fn codes(bytes: &Bytes) -> BTreeSet<&'static str> {
    let opened = pipeline::open(bytes, "file.zbd", Hints::default()).unwrap_or_else(|e| panic!("{e}"));
    pipeline::lint(&*opened.model).unwrap().into_iter().map(|f| f.code).collect()
}

fn change(tree: &Folder, prefix: &str, edit: impl FnOnce(&mut Value)) {
    let path = tree.paths().into_iter().find(|p| p.starts_with(prefix)).unwrap_or_else(|| panic!("no {prefix}"));
    let mut value: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    edit(&mut value);
    tree.set(&path, value.to_string().into_bytes());
}

fn node(tree: &Folder, i: usize, edit: impl FnOnce(&mut Value)) {
    change(tree, "nodes/", |doc| edit(&mut doc["nodes"][i]));
}

fn object(tree: &Folder, edit: impl FnOnce(&mut Value)) {
    // Node 5 is an INITIAL object in the smallest world of each game.
    node(tree, 5, |n| edit(&mut n["data"]["object3d"]));
}

fn model(tree: &Folder, edit: impl FnOnce(&mut Value)) {
    change(tree, "models/0000", edit);
}

fn polygon(tree: &Folder, edit: impl FnOnce(&mut Value)) {
    model(tree, |m| edit(&mut m["polygons"][0]));
}

fn material(tree: &Folder, edit: impl FnOnce(&mut Value)) {
    change(tree, "materials", |m| edit(&mut m["materials"][0]));
}

type Edit = fn(&Folder);

/// A file of a game without findings, edited, has the findings `expected`.
fn has(game: &str, edit: Edit, expected: &[&str]) {
    let case = golden_file("gamez", &format!("{game}_minimum.gamez.zbd"));
    // The smallest world of Recoil has a polygon with texture coordinates and no texture, and few slots, which no shipped one has.
    let before = codes(&case.bytes);
    assert!(before.is_empty() || game == "rc" && before == ["gamez-capacity", "gamez-crater", "gamez-uv"].into(), "{game}: {before:?}");
    let tree = unpack(&case, Hints::default(), Style::Json);
    edit(&tree);
    let bytes: Bytes = repack(&tree).into();
    assert_eq!(codes(&bytes).difference(&before).copied().collect::<BTreeSet<_>>(), expected.iter().copied().collect(), "{game}");
    exact(&Case { path: "file.gamez.zbd".into(), folder: "gamez".into(), bytes }, Hints::default());
}

/// A file of Crimson Skies, none of which is without findings, has those of `expected` more where it was edited.
fn has_more(edit: Edit, expected: &[&str]) {
    let case = golden_file("gamez", "cs_c1.gamez.zbd");
    let found = |bytes: &Bytes| {
        let opened = pipeline::open(bytes, "file.zbd", Hints::default()).unwrap();
        pipeline::lint(&*opened.model).unwrap().into_iter().map(|f| (f.code, f.path, f.message)).collect::<Vec<_>>()
    };
    let before = found(&case.bytes);
    let tree = unpack(&case, Hints::default(), Style::Json);
    edit(&tree);
    let after = found(&repack(&tree).into());
    let new: Vec<_> = after.iter().filter(|f| !before.contains(f)).map(|f| f.0).collect();
    assert_eq!(new, expected);
}

macro_rules! tests {
    ($($name:ident $code:literal { $($game:literal: $edit:expr),+ $(,)? })+) => {
        $(#[test]
        fn $name() {
            $(has($game, $edit, &[$code]);)+
        })+

        #[test]
        fn no_code_is_without_a_test() {
            let known: BTreeSet<&str> = refit::registry::codes().map(|c| c.code).filter(|c| c.starts_with("gamez-")).collect();
            // What no file shows, but only an edit: tests/edits.rs. What is known of Recoil's engine alone: at the end of this file.
            let elsewhere = [
                "gamez-slots", "gamez-box", "gamez-vertices", "gamez-vertices-craters", "gamez-uv", "gamez-capacity", "gamez-texture-long",
                "gamez-material-links", "gamez-crater", "gamez-lookup",
            ];
            let known: BTreeSet<&str> = known.into_iter().filter(|c| !elsewhere.contains(c)).collect();
            assert_eq!(known, [$($code),+].into_iter().collect());
        }
    };
}

tests! {
    a_gap "gamez-gap" {
        "mw": |t| t.set("gaps/models.bin", &b"left over"[..]),
        "rc": |t| t.set("gaps/end.bin", &b"left over"[..]),
    }
    a_dangling_reference "gamez-dangling" {
        "mw": |t| node(t, 7, |n| n["model"] = json!(99)),
        "rc": |t| node(t, 5, |n| n["children"] = json!([4000])),
        "pm": |t| material(t, |m| m["texture"] = json!(1)),
        "mw": |t| change(t, "textures", |d| d["textures"][0]["mip"] = json!(1)),
        "pm": |t| polygon(t, |p| p["material"] = json!(1)),
        "mw": |t| node(t, 0, |n| n["data"]["world"]["lights"] = json!([4000])),
        "rc": |t| node(t, 0, |n| n["data"]["world"]["cells"][0]["nodes"] = json!([-2])),
        "mw": |t| material(t, |m| m["cycle"] = json!({ "looping": 1, "speed": 15.0, "frames": [0, 7] })),
    }
    a_parent_that_does_not_know_its_child "gamez-family" {
        "mw": |t| node(t, 6, |n| n["parents"] = json!([])),
        "pm": |t| node(t, 6, |n| n["parents"] = json!([5, 5])),
        "rc": |t| node(t, 5, |n| n["parents"] = json!([5])),
    }
    a_circle_of_nodes "gamez-loop" {
        "mw": |t| node(t, 7, |n| n["children"] = json!([5])),
        "pm": |t| node(t, 5, |n| n["children"] = json!([5])),
    }
    a_matrix_of_its_own "gamez-matrix" {
        "mw": |t| object(t, |o| {
            o["flags"] = json!(["ALWAYS"]);
            o["matrix"] = json!([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0000001]);
        }),
        "rc": |t| object(t, |o| o["matrix"] = json!([1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0])),
    }
    a_mode_that_disagrees "gamez-mode" {
        "mw": |t| object(t, |o| o["flags"] = json!(["INITIAL", "MATRIX", "ALWAYS"])),
        "rc": |t| object(t, |o| o["translation"] = json!([0.0, 1.0, 0.0])),
        "pm": |t| object(t, |o| o["scale"] = json!([1.0, 1.0, 2.0])),
        "mw": |t| object(t, |o| *o = json!({ "flags": ["MATRIX", "ALWAYS"], "rotation": [0.0, 0.5, 0.0] })),
        "rc": |t| object(t, |o| *o = json!({ "flags": ["MATRIX", "ALWAYS"], "scale": [1.0, 2.0, 1.0] })),
    }
    an_unusual_free_list "gamez-free-list" {
        "mw": |t| change(t, "refit.json", |m| m["nodes"]["last_free"] = json!(3)),
        "rc": |t| change(t, "refit.json", |m| m["models"]["free_list"] = json!([2, 1, 3, 4, 5])),
        "mw": |t| node(t, 5, |n| n["link"] = json!("0x00000007")),
    }
    a_polygon_like_none "gamez-polygon" {
        "mw": |t| polygon(t, |p| p["priority"] = json!(51)),
        "pm": |t| polygon(t, |p| *p = json!({ "material": 0, "vertices": [0, 1] })),
        "rc": |t| polygon(t, |p| *p = json!({ "material": 0, "vertices": [] })),
    }
    a_polygon_without_a_material "gamez-no-material" {
        "pm": |t| polygon(t, |p| *p = json!({ "vertices": [0, 1, 2] })),
    }
    a_corner_without_its_vertex "gamez-corners" {
        "mw": |t| polygon(t, |p| p["vertices"][1] = json!(1000)),
        "rc": |t| polygon(t, |p| p["normals"] = json!(vec![1000; p["vertices"].as_array().unwrap().len()])),
    }
    a_model_of_nothing "gamez-model-empty" {
        "mw": |t| model(t, |m| *m = json!({ "flags": ["FOG"], "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 1.0 })),
    }
    a_flag_against_the_polygons "gamez-model-flag" {
        "pm": |t| model(t, |m| {
            m["flags"] = if has_polygon_flag(m) { json!(["LIGHTING"]) } else { json!(["LIGHTING", "HARDWARE_RENDER"]) };
        }),
    }
    a_colour_outside_its_range "gamez-color" {
        "mw": |t| material(t, |m| *m = json!({ "color": [0.0, 255.5, 0.0] })),
        "pm": |t| polygon(t, |p| p["colors"] = json!(vec![[0.0, -1.0, 0.0]; p["vertices"].as_array().unwrap().len()])),
        "rc": |t| node(t, 3, |n| n["data"]["display"]["clear_color"] = json!([0.0, 0.0, 1.5])),
        "mw": |t| node(t, 4, |n| n["data"]["light"]["color"] = json!([2.0, 0.0, 0.0])),
    }
    a_soil_of_another_game "gamez-soil" {
        "rc": |t| material(t, |m| m["soil"] = json!("DIRT")),
    }
    a_texture_with_two_dots "gamez-texture-name" {
        "mw": |t| change(t, "textures", |d| d["textures"][0]["name"] = json!({ "stem": "a.b", "suffix": "tif" })),
        "pm": |t| change(t, "textures", |d| d["textures"][0]["name"] = json!("caf\u{e9}.tif")),
    }
    a_node_without_a_name "gamez-node-name" {
        "mw": |t| node(t, 5, |n| n["name"] = json!("")),
        "pm": |t| node(t, 5, |n| n["name"] = json!("caf\u{e9}")),
    }
    an_angle_beyond_half_a_turn "gamez-angle" {
        "mw": |t| object(t, |o| {
            o["flags"] = json!(["ALWAYS"]);
            o["rotation"] = json!([0.0, 3.5, 0.0]);
        }),
    }
    an_empty_range "gamez-range" {
        "mw": |t| node(t, 2, |n| n["data"]["camera"]["clip_far"] = json!(0.5)),
        "pm": |t| node(t, 4, |n| n["data"]["light"]["range_near"] = json!(0.0)),
        "rc": |t| node(t, 5, |n| {
            *n = json!({ "name": "lod", "flags": ["ACTIVE"], "data":
                { "lod": { "level": 0, "range_near_sq": -1.0, "range_far": 10.0 } } });
        }),
    }
    a_node_unlike_its_class "gamez-class-rule" {
        "mw": |t| node(t, 2, |n| n["name"] = json!("camera2")),
        "pm": |t| node(t, 1, |n| n["flags"] = json!(["ACTIVE"])),
        "rc": |t| node(t, 3, |n| n["zone"] = json!(1)),
        "mw": |t| node(t, 4, |n| n["model"] = json!(0)),
        "rc": |t| node(t, 5, |n| {
            n["flags"] = json!([]);
            n["node_bbox"] = json!([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        }),
    }
    tracks_without_a_model "gamez-tracks" {
        "rc": |t| {
            node(t, 7, |n| n["name"] = json!("rtracks"));
            node(t, 6, |n| n["children"] = json!(["7 rtracks"]));
        },
    }
    no_world "gamez-no-world" {
        "mw": |t| change(t, "nodes/", |d| {
            let world = &mut d["nodes"][0];
            *world = json!({ "name": "thing", "flags": [], "children": world["children"], "data": { "object3d": { "flags": ["INITIAL"] } } });
            d["nodes"][2]["data"]["camera"]["world"] = json!(0);
            d["nodes"][4]["data"]["light"]["worlds"] = json!([0]);
            for i in [5, 6, 7] {
                d["nodes"][i].as_object_mut().unwrap().remove("parents");
            }
        }),
    }
    more_textures_than_the_games_hold "gamez-textures" {
        "mw": |t| change(t, "textures", |d| d["textures"] = json!((0..4097).map(|i| json!({ "name": format!("t{i}.tif") })).collect::<Vec<_>>())),
    }
    more_nodes_than_the_games_hold "gamez-limit" {
        "rc": |t| change(t, "nodes/", |d| {
            let nodes = d["nodes"].as_array_mut().unwrap();
            nodes.resize(32_767, Value::Null);
            nodes.push(json!({ "name": "last", "flags": [], "data": { "object3d": { "flags": ["INITIAL"] } } }));
        }),
    }
}

/// True while a PM model says that it has polygons for the hardware.
fn has_polygon_flag(model: &Value) -> bool {
    model["flags"].as_array().is_some_and(|f| f.iter().any(|f| f == "HARDWARE_RENDER"))
}

#[test]
fn a_value_that_no_game_knows_is_named_besides() {
    has("mw", |t| material(t, |m| m["soil"] = json!(14)), &["gamez-soil", "unknown-value"]);
}

#[test]
fn crimson_skies_is_judged_by_its_own_rules() {
    let flip: Edit = |t| {
        model(t, |m| {
            let flags = m["flags"].as_array_mut().unwrap();
            let before = flags.len();
            flags.retain(|f| f != "HAS_POLYGONS");
            if flags.len() == before {
                flags.push(json!("HAS_POLYGONS"));
            }
        });
    };
    has_more(flip, &["gamez-model-flag"]);
    has_more(|t| node(t, 5, |n| n["zone"] = json!(7)), &["gamez-class-rule"]);
    has_more(|t| polygon(t, |p| *p = json!({ "vertices": [0, 1, 2] })), &["gamez-no-material"]);
    has_more(|t| material(t, |m| m["color"] = json!([0.0, 0.0, 300.0])), &["gamez-color"]);
    has_more(|t| material(t, |m| m["crimson_soil"] = json!(14)), &["unknown-value"]);
    has_more(|t| material(t, |m| m["crimson_soil"] = json!(100)), &["unknown-value", "gamez-soil"]);
}

/// A mechlib without findings: one object of one triangle.
fn mech(tree: impl FnOnce(&mut Value), materials: impl FnOnce(&mut Value)) -> Bytes {
    let folder = unpack(&golden_file("mechlib", "mw_twins.mechlib.zbd"), Hints::default(), Style::Json);
    let mut nodes = json!([{ "depth": 0, "name": "root", "flags": ["ACTIVE"],
        "data": { "object3d": { "flags": ["INITIAL", "ALWAYS"] } },
        "mesh": { "flags": ["LIGHTING"], "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 1.0,
            "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            "polygons": [{ "material": 0, "vertices": [0, 1, 2] }] } }]);
    tree(&mut nodes);
    folder.set("twin.flt.json", json!({ "nodes": nodes }).to_string().into_bytes());
    let mut list = json!([{ "color": [255.0, 0.0, 0.0] }]);
    materials(&mut list);
    folder.set("materials.json", json!({ "materials": list }).to_string().into_bytes());
    change(&folder, "refit.json", |m| {
        let members = m["members"].as_array_mut().unwrap();
        members.retain(|m| m["file"] != "twin~2.flt.json");
        for member in members {
            member.as_object_mut().unwrap().retain(|key, _| key == "name" || key == "file");
        }
    });
    folder.remove("twin~2.flt.json");
    repack(&folder).into()
}

#[test]
fn a_mechlib_is_judged_as_a_world_is() {
    let none = |_: &mut Value| {};
    let expect = |bytes: Bytes, expected: &[&str]| assert_eq!(codes(&bytes), expected.iter().copied().collect());
    expect(mech(none, none), &[]);
    expect(mech(|n| n[0]["mesh"]["polygons"][0]["priority"] = json!(-51), none), &["gamez-polygon"]);
    expect(mech(|n| n[0]["mesh"]["polygons"][0]["vertices"][2] = json!(3), none), &["gamez-corners"]);
    let whole = |n: &mut Value| {
        n[0]["data"]["object3d"] = json!({ "flags": ["MATRIX", "ALWAYS"], "matrix": [1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0] })
    };
    expect(mech(whole, none), &[]);
    expect(mech(|n| n[0]["mesh"]["polygons"] = json!([]), none), &["gamez-model-empty"]);
    expect(mech(|n| n[0]["name"] = json!(""), none), &["gamez-node-name"]);
    expect(mech(|n| n[0]["data"]["object3d"]["translation"] = json!([1.0, 0.0, 0.0]), none), &["gamez-mode"]);
    let turned = json!({ "flags": ["ALWAYS"], "rotation": [4.0, 0.0, 0.0] });
    expect(mech(|n| n[0]["data"]["object3d"] = turned, none), &["gamez-angle"]);
    let own = json!({ "flags": ["ALWAYS"], "matrix": [1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0] });
    expect(mech(|n| n[0]["data"]["object3d"] = own, none), &["gamez-matrix"]);
    expect(mech(none, |m| m[0]["color"] = json!([256.0, 0.0, 0.0])), &["gamez-color"]);
    // Bytes behind the end of a tree and of the materials.
    let root = |n: &mut Value| *n = json!([{ "depth": 0, "name": "root", "flags": [], "data": { "object3d": { "flags": ["INITIAL"] } } }]);
    let folder = unpack(&Case { path: "m.zbd".into(), folder: "mechlib".into(), bytes: mech(root, none) }, Hints::default(), Style::Json);
    change(&folder, "twin", |d| *d = json!({ "padded_nodes": [d["nodes"], "00 11"] }));
    expect(repack(&folder).into(), &["gamez-gap"]);
}

#[test]
fn models_of_recoil_are_held_against_the_buffers_of_its_engine() {
    let vertices = |n: usize| move |t: &Folder| model(t, |m| m["vertices"] = json!(vec![[0.0, 0.0, 0.0]; n]));
    let found = |edit: &dyn Fn(&Folder)| {
        let tree = unpack(&golden_file("gamez", "rc_minimum.gamez.zbd"), Hints::default(), Style::Json);
        edit(&tree);
        let bytes: Bytes = repack(&tree).into();
        let opened = pipeline::open(&bytes, "file.zbd", Hints::default()).unwrap();
        pipeline::lint(&*opened.model).unwrap().into_iter().filter(|f| f.code.starts_with("gamez-vert")).map(|f| f.code).collect::<Vec<_>>()
    };
    // 1,024 places; craters need a tenth of them for themselves, and one less with normals.
    let none = |t: &Folder| model(t, |m| drop(m.as_object_mut().unwrap().remove("normals")));
    assert_eq!(
        found(&|t| {
            vertices(922)(t);
            none(t)
        }),
        [""; 0]
    );
    assert_eq!(
        found(&|t| {
            vertices(923)(t);
            none(t)
        }),
        ["gamez-vertices-craters"]
    );
    assert_eq!(
        found(&|t| {
            vertices(922)(t);
            model(t, |m| m["normals"] = json!([[0.0, 1.0, 0.0]]))
        }),
        ["gamez-vertices-craters"]
    );
    assert_eq!(
        found(&|t| {
            vertices(1025)(t);
            none(t)
        }),
        ["gamez-vertices"]
    );
}

#[test]
fn uvs_of_recoil_go_with_the_texture_of_the_material() {
    let found = |texture: bool, uvs: bool| {
        let tree = unpack(&golden_file("gamez", "rc_minimum.gamez.zbd"), Hints::default(), Style::Json);
        material(&tree, |m| {
            m.as_object_mut().unwrap().remove("texture");
            if texture {
                m["texture"] = json!(0);
            }
        });
        change(&tree, "models/", |m| {
            for polygon in m["polygons"].as_array_mut().unwrap() {
                let corners = polygon["vertices"].as_array().unwrap().len();
                polygon["material"] = json!(0);
                polygon.as_object_mut().unwrap().remove("uvs");
                if uvs {
                    polygon["uvs"] = json!(vec![[0.0, 0.0]; corners]);
                }
            }
        });
        codes(&repack(&tree).into()).contains("gamez-uv")
    };
    assert_eq!([found(true, true), found(true, false), found(false, true), found(false, false)], [false, true, true, false]);
}

#[test]
fn a_texture_name_without_its_zero_is_more_than_unusual() {
    has(
        "mw",
        |t| change(t, "textures", |d| d["textures"][0]["name"] = json!("abcdefghijklmnopqrst")),
        &["gamez-texture-long", "gamez-texture-name"],
    );
    has("mw", |t| change(t, "textures", |d| d["textures"][0]["name"] = json!("abcdefghijklmnopqrs")), &[]);
}

#[test]
fn cycles_need_the_list_of_materials() {
    let found = |head: Option<i32>| {
        let tree = unpack(&golden_file("gamez", "mw_base.gamez.zbd"), Hints::default(), Style::Json);
        material(&tree, |m| m["cycle"] = json!({ "looping": 1, "speed": 15.0, "frames": [0, 0] }));
        if let Some(head) = head {
            change(&tree, "materials", |m| m["index_last"] = json!(head));
        }
        codes(&repack(&tree).into()).contains("gamez-material-links")
    };
    // From the highest slot down all are visited, from the lowest none but itself.
    assert!(!found(None));
    assert!(found(Some(0)));
}

#[test]
fn craters_need_a_tile_in_a_cell() {
    let found = |edit: &dyn Fn(&mut Value)| {
        let tree = unpack(&golden_file("gamez", "rc_minimum.gamez.zbd"), Hints::default(), Style::Json);
        change(&tree, "nodes/", |doc| {
            for node in doc["nodes"].as_array_mut().unwrap().iter_mut().filter(|n| n["flags"].is_array()) {
                node["flags"].as_array_mut().unwrap().retain(|flag| flag != "CAN_MODIFY");
            }
            doc["nodes"][5]["flags"].as_array_mut().unwrap().push(json!("CAN_MODIFY"));
            doc["nodes"][0]["data"]["world"]["cells"][0]["nodes"] = json!([5]);
            edit(doc);
        });
        let opened = pipeline::open(&Bytes::from(repack(&tree)), "file.zbd", Hints::default()).unwrap();
        let found = pipeline::lint(&*opened.model).unwrap().into_iter().filter(|f| f.code == "gamez-crater").map(|f| f.message);
        found.collect::<Vec<_>>()
    };
    assert_eq!(found(&|_| ()), [""; 0]);
    let world = "/nodes/0/data/world/cells/0/nodes";
    assert_eq!(found(&|doc| *doc.pointer_mut(world).unwrap() = json!([6])), ["it lies in no cell of the world"]);
    let moved = json!({ "flags": ["ALWAYS"], "translation": [0.0, 1.0, 0.0] });
    assert_eq!(found(&|doc| doc["nodes"][5]["data"]["object3d"] = moved.clone()), ["it is turned, scaled or moved"]);
}

#[test]
fn reactions_are_those_of_the_game() {
    use refit::lint::Severity;
    let severity = |file: &str, code: &str, edit: Edit| {
        let tree = unpack(&golden_file("gamez", file), Hints::default(), Style::Json);
        edit(&tree);
        let opened = pipeline::open(&Bytes::from(repack(&tree)), "file.zbd", Hints::default()).unwrap();
        let found = pipeline::lint(&*opened.model).unwrap();
        found.iter().find(|f| f.code == code).map(|f| f.severity)
    };
    let textures: Edit = |t| {
        change(t, "textures", |d| d["textures"] = json!((0..4097).map(|i| json!({ "name": format!("t{i}.tif") })).collect::<Vec<_>>()));
    };
    assert_eq!(severity("rc_minimum.gamez.zbd", "gamez-textures", textures), Some(Severity::Refuses));
    // Nobody read the other engines: one step milder.
    assert_eq!(severity("mw_minimum.gamez.zbd", "gamez-textures", textures), Some(Severity::Crashes));
    // All 19 worlds of Recoil have the same numbers of slots.
    assert_eq!(severity("rc_minimum.gamez.zbd", "gamez-capacity", |_| ()), Some(Severity::Ignores));
    assert_eq!(severity("mw_minimum.gamez.zbd", "gamez-capacity", |_| ()), None);
    assert_eq!(severity("mw_gap_nodes.gamez.zbd", "gamez-gap", |_| ()), Some(Severity::Unusual));
}
