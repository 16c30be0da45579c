//! What an edit brought in: told by `repack`, `put` and `lint --new`, and nothing that the file had before.

use assert_cmd::{Command, assert::Assert};
use bytes::Bytes;
use refit::{
    lint::Severity,
    pipeline::{self, Hints},
    tree::{Folder, Form, Source, Style},
};
use roundtrip_tests::*;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Codes and places of what an edit brought in.
fn news(file: &Case, edit: impl FnOnce(&Folder)) -> Vec<(&'static str, String)> {
    let tree = unpack(file, Hints::default(), Style::Json);
    edit(&tree);
    let (_, model) = pipeline::assemble(&tree).unwrap_or_else(|e| panic!("{}: {e}", file.path));
    let before = pipeline::open(&file.bytes, &file.path, Hints::default()).unwrap().model;
    pipeline::lint_edit(&*model, &*before).unwrap().into_iter().map(|f| (f.code, f.path)).collect()
}

/// The codes alone.
fn codes(file: &Case, edit: impl FnOnce(&Folder)) -> Vec<&'static str> {
    news(file, edit).into_iter().map(|(code, _)| code).collect()
}

fn change(tree: &Folder, prefix: &str, edit: impl FnOnce(&mut Value)) {
    let path = tree.paths().into_iter().find(|p| p.starts_with(prefix)).unwrap_or_else(|| panic!("no {prefix}"));
    let mut value: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    edit(&mut value);
    tree.set(&path, value.to_string().into_bytes());
}

fn world(name: &str) -> Case {
    golden_file("gamez", &format!("{name}.gamez.zbd"))
}

/// A file that a tree gives, edited.
fn made(file: &Case, edit: impl FnOnce(&Folder)) -> Case {
    let tree = unpack(file, Hints::default(), Style::Json);
    edit(&tree);
    Case { path: file.path.clone(), folder: file.folder.clone(), bytes: repack(&tree).into() }
}

#[test]
fn an_unedited_tree_brings_nothing_in() {
    for (format, name) in [
        ("gamez", "mw_base.gamez.zbd"),
        ("anim", "mw_v_fromto_delta_negzero.zbd"),
        ("mechlib", "mw_base.mechlib.zbd"),
        ("messages", "pm_odd_key_without_message.dll"),
        ("zrd_text", "DefaultCtlConfig.zrd"),
        ("pbo", "names_traversal.pbo"),
    ] {
        let file = golden_file(format, name);
        assert!(
            !pipeline::lint(&*pipeline::open(&file.bytes, &file.path, Hints::default()).unwrap().model).unwrap().is_empty(),
            "{name} has findings"
        );
        assert_eq!(news(&file, |_| {}), [], "{name}");
    }
}

#[test]
fn worlds_tell_what_refers_to_nothing() {
    let file = world("mw_base");
    let model = |t: &Folder, edit: fn(&mut Value)| change(t, "models/0000", edit);
    assert_eq!(codes(&file, |t| model(t, |m| m["polygons"][0]["vertices"][0] = json!(900))), ["gamez-corners"]);
    assert_eq!(
        news(&file, |t| model(t, |m| m["polygons"][2]["material"] = json!(3600))),
        [("gamez-dangling", "models[0].polygons[2]".to_owned())]
    );
    // A model that is gone is missed by each node that uses it.
    let gone = news(&file, |t| assert!(t.remove("models/0001-hull_00011.json")));
    let of_nodes = gone.iter().filter(|(code, path)| *code == "gamez-dangling" && path.starts_with("nodes[")).count();
    assert!(of_nodes >= 1, "{gone:?}");
}

#[test]
fn a_model_far_behind_the_others_is_told() {
    let file = world("mw_base");
    let copy = |t: &Folder, to: &str| t.set(to, t.get("models/0003.json").unwrap());
    let told = codes(&file, |t| copy(t, "models/9999-copy.json"));
    assert!(told.contains(&"gamez-slots"), "{told:?}");
    // The next one takes a free slot, or the first behind the last.
    for next in ["models/0009-copy.json", "models/0013-copy.json"] {
        let told = codes(&file, |t| copy(t, next));
        assert!(!told.contains(&"gamez-slots"), "{next}: {told:?}");
    }
}

#[test]
fn definitions_tell_what_does_not_end_or_is_not_there() {
    let file = golden_file("anim", "mw_values.zbd");
    let event = |t: &Folder, event: Value| change(t, "defs/", |d| d["sequences"][0]["events"].as_array_mut().unwrap().push(event));
    assert_eq!(codes(&file, |t| event(t, json!({ "IF": { "RANDOM_WEIGHT": 0.5 } }))), ["anim-blocks"]);
    assert_eq!(codes(&file, |t| event(t, json!({ "CALL_SEQUENCE": { "name": "gone" } }))), ["anim-no-sequence"]);
    assert_eq!(codes(&file, |t| event(t, json!({ "CALL_SEQUENCE": { "name": "S" } }))), [""; 0]);
}

#[test]
fn key_files_tell_lists_without_end() {
    let file = golden_file("zrd_text", "DefaultCtlConfig.zrd");
    let told = codes(&file, |t| t.set("DefaultCtlConfig.zrd", &b"(KEYS ("[..]));
    assert_eq!(told, ["zrd-parentheses"]);
}

/// A WAVE file of one second.
fn wave(tag: u16, bits: u16) -> Vec<u8> {
    let block = bits / 8;
    let data = vec![0; usize::from(block) * 11025];
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0");
    out.extend(tag.to_le_bytes());
    out.extend(1u16.to_le_bytes());
    out.extend(11025u32.to_le_bytes());
    out.extend((11025 * u32::from(block)).to_le_bytes());
    out.extend(block.to_le_bytes());
    out.extend(bits.to_le_bytes());
    out.extend(b"data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

#[test]
fn sounds_tell_what_the_games_do_not_play() {
    let file = golden_file("sounds", "mw_zbd_soundsL.zbd");
    let sound = |bytes: Vec<u8>| news(&file, |t| t.set("onyx_ember_sable_000.wav", bytes));
    let place = "onyx_ember_sable_000.wav".to_owned();
    for (tag, bits) in [(1, 24), (3, 32), (1, 32), (0xfffe, 16)] {
        assert_eq!(sound(wave(tag, bits)), [("sound-format", place.clone())], "{tag} {bits}");
    }
    for start in [&b"fLaC\0\0\0\x22"[..], b"\x89PNG\r\n\x1a\n"] {
        assert_eq!(sound(start.to_vec()), [("sound-not-wave", place.clone())]);
    }
    for bits in [8, 16] {
        assert_eq!(sound(wave(1, bits)), [], "{bits}");
    }
}

#[test]
fn an_edited_texture_asks_for_its_smaller_versions() {
    let case = golden_file("textures", "rc_software_shape.zbd");
    // One pixel of `rock_2`, and of `rock_2_1`, its half size.
    let edited = |images: &[usize]| {
        let mut bytes = case.bytes.to_vec();
        for image in images {
            let place = 24 + 40 * image + 32;
            let start = u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap()) as usize;
            bytes[start + 16] ^= 1;
        }
        let open = |bytes: Bytes| pipeline::open(&bytes, &case.path, Hints::default()).unwrap().model;
        let found = pipeline::lint_edit(&*open(bytes.into()), &*open(case.bytes.clone())).unwrap();
        found.into_iter().map(|f| (f.code, f.severity, f.path, f.message)).collect::<Vec<_>>()
    };
    let said = edited(&[0]);
    assert_eq!(said, [("texture-smaller-version", Severity::Differs, "[0] rock_2".into(), "not changed: rock_2_1".into())]);
    assert_eq!(edited(&[0, 1]), []);
    assert_eq!((edited(&[1]), edited(&[2])), (vec![], vec![]));
}

#[test]
fn textures_tell_sizes_that_the_games_do_not_show() {
    let file = golden_file("textures", "rc_one.zbd");
    let sized = |width: u32| {
        codes(&file, |t| {
            change(t, "refit.json", |m| {
                m["images"] = json!([{ "name": "only", "file": "images/only.bin", "width": width, "height": 1 }]);
            });
            t.set("images/only.bin", vec![0; 2 * width as usize]);
        })
    };
    assert_eq!(sized(4000), ["texture-size"]);
    assert_eq!(sized(1024), [""; 0]);
}

#[test]
fn messages_tell_keys_that_lost_their_text() {
    let file = golden_file("messages", "rc_one.dll");
    let told = codes(&file, |t| change(t, "messages.json", |m| m["messages"].as_array_mut().unwrap().clear()));
    assert_eq!(told, ["key-lost-text"]);
    // A message without a key may go.
    let file = golden_file("messages", "pm_odd_message_without_key.dll");
    let told = codes(&file, |t| {
        change(t, "messages.json", |m| {
            let messages = m["messages"].as_array_mut().unwrap();
            let (before, keyless) = (messages.len(), |m: &Value| m.get("key").is_none() && m.get("keys").is_none());
            messages.retain(|m| !keyless(m));
            assert!(messages.len() < before, "there is one");
        });
    });
    assert_eq!(told, [""; 0]);
}

#[test]
fn what_stands_behind_an_edit_moves_and_is_not_new() {
    // Old findings: corners without their vertices, behind other polygons.
    let file = made(&world("mw_base"), |t| {
        change(t, "models/0000", |m| {
            m["polygons"][3]["vertices"][0] = json!(77);
            m["polygons"][4]["vertices"][0] = json!(78);
        });
    });
    assert_eq!(news(&file, |t| change(t, "models/0000", |m| drop(m["polygons"].as_array_mut().unwrap().remove(0)))), []);
    let again = |m: &mut Value| {
        let first = m["vertices"][0].clone();
        m["vertices"].as_array_mut().unwrap().push(first);
    };
    assert_eq!(news(&file, |t| change(t, "models/0000", again)), []);
    let file = made(&golden_file("anim", "mw_values.zbd"), |t| {
        change(t, "defs/", |d| {
            let events = d["sequences"][0]["events"].as_array_mut().unwrap();
            events.insert(3, json!({ "CALL_SEQUENCE": { "name": "gone" } }));
        });
    });
    let first = |t: &Folder| change(t, "defs/", |d| drop(d["sequences"][0]["events"].as_array_mut().unwrap().remove(0)));
    assert_eq!(news(&file, first), []);
    // One more of the same kind is new, and is the one that is named.
    let other = |t: &Folder| {
        change(t, "defs/", |d| {
            let events = d["sequences"][0]["events"].as_array_mut().unwrap();
            events.insert(0, json!({ "CALL_SEQUENCE": { "name": "lost" } }));
        });
    };
    let told = news(&file, other);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].1.ends_with("[0].CALL_SEQUENCE"), "{told:?}");
}

/// A world whose boxes hold their models: the node that uses model 0, and its parent.
fn boxed() -> (Case, usize, usize) {
    let plain = world("mw_minimum");
    let tree = unpack(&plain, Hints::default(), Style::Json);
    let (mut user, mut parent) = (None, None);
    change(&tree, "nodes/", |d| {
        let nodes = d["nodes"].as_array().unwrap();
        user = nodes.iter().position(|n| n["model"].to_string().trim_matches('"').starts_with('0'));
        let is_child = |n: &Value| {
            let children = n["children"].as_array().map(Vec::as_slice).unwrap_or_default();
            children.iter().any(|c| c.to_string().trim_matches('"').split(' ').next() == user.map(|u| u.to_string()).as_deref())
        };
        parent = nodes.iter().position(is_child);
    });
    let (user, parent) = (user.expect("a node uses model 0"), parent.expect("it has a parent"));
    let file = made(&plain, |t| {
        change(t, "models/0000", |m| {
            m["vertices"] = json!(vec![[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0], [0.5, 1.0, 2.0]]);
            m["bbox_mid"] = json!([0.0, 1.0, 2.0]);
            m["bbox_diag"] = json!(1.8);
            for polygon in m["polygons"].as_array_mut().unwrap() {
                let corners = polygon["vertices"].as_array().unwrap().len();
                polygon["vertices"] = json!(vec![0; corners]);
            }
        });
        change(t, "nodes/", |d| {
            let bounds = json!([-1.0, 0.0, 1.0, 1.0, 2.0, 3.0]);
            // What hangs on it must not reach out of its box already.
            let children = d["nodes"][user]["children"].as_array().cloned().unwrap_or_default();
            for child in children.iter().filter_map(|c| c.to_string().trim_matches('"').split(' ').next()?.parse::<usize>().ok()) {
                d["nodes"][child].as_object_mut().unwrap().remove("node_bbox");
            }
            d["nodes"][user]["node_bbox"] = bounds.clone();
            d["nodes"][user]["model_bbox"] = bounds.clone();
            d["nodes"][user]["data"]["object3d"] = json!({ "flags": ["ALWAYS"] });
            d["nodes"][parent]["node_bbox"] = bounds.clone();
            d["nodes"][parent]["child_bbox"] = bounds;
        });
    });
    (file, user, parent)
}

#[test]
fn what_is_moved_out_of_its_box_is_told() {
    let (file, user, parent) = boxed();
    assert_eq!(news(&file, |_| {}), []);
    let names = |told: Vec<(&'static str, String)>| -> Vec<String> {
        let short = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
        told.iter().map(|(code, path)| format!("{code} {} {}", path.split([' ', '.']).next().unwrap_or_default(), short(path))).collect()
    };
    // A vertex: out of the model's sphere, and of its node's boxes.
    let moved = names(news(&file, |t| change(t, "models/0000", |m| m["vertices"][0] = json!([1.0, 2.5, 3.0]))));
    assert_eq!(
        moved,
        [
            "gamez-box models[0] models[0]".to_owned(),
            format!("gamez-box nodes[{user}] node_bbox"),
            format!("gamez-box nodes[{user}] model_bbox")
        ]
    );
    let inside = |t: &Folder| change(t, "models/0000", |m| m["vertices"][0] = json!([0.5, 1.5, 2.5]));
    assert_eq!(news(&file, inside), []);
    // A node: out of the boxes of its parent.
    let place = |t: &Folder, at: Value| change(t, "nodes/", |d| d["nodes"][user]["data"]["object3d"]["translation"] = at);
    let moved = names(news(&file, |t| place(t, json!([0.0, 0.0, 0.25]))));
    assert_eq!(moved, [format!("gamez-box nodes[{parent}] node_bbox"), format!("gamez-box nodes[{parent}] child_bbox")]);
    // With its boxes made larger.
    let larger = |t: &Folder| {
        place(t, json!([0.0, 0.0, 0.25]));
        change(t, "nodes/", |d| {
            for field in ["node_bbox", "child_bbox"] {
                d["nodes"][parent][field] = json!([-1.0, 0.0, 1.0, 1.0, 2.0, 3.25]);
            }
        });
    };
    assert_eq!(news(&file, larger), []);
}

/// A tree of a mechlib: a node that holds another one, each with a model, in boxes that fit.
#[test]
fn parts_of_mechs_that_are_moved_out_of_their_boxes_are_told() {
    let bounds = json!([-1.0, 0.0, 1.0, 1.0, 2.0, 3.0]);
    let member = "aaaa";
    let nodes = |t: &Folder, edit: &dyn Fn(&mut Vec<Value>)| change(t, member, |d| edit(d["nodes"].as_array_mut().unwrap()));
    let file = made(&golden_file("mechlib", "mw_base.mechlib.zbd"), |t| {
        nodes(t, &|nodes| {
            nodes.truncate(2);
            for node in nodes {
                for field in ["node_bbox", "model_bbox", "child_bbox"] {
                    node[field] = bounds.clone();
                }
                node["data"]["object3d"] = json!({ "flags": ["ALWAYS"] });
                let mesh = &mut node["mesh"];
                mesh["vertices"] = json!(vec![[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0], [0.5, 1.0, 2.0]]);
                mesh["bbox_mid"] = json!([0.0, 1.0, 2.0]);
                mesh["bbox_diag"] = json!(1.8);
                for list in ["morphs", "lights", "polygons"] {
                    mesh.as_object_mut().unwrap().remove(list);
                }
            }
        });
    });
    let told = |edit: &dyn Fn(&mut Vec<Value>)| -> Vec<String> {
        let short = |(code, path): (&str, String)| {
            let (from, to) = (path.find("nodes[").unwrap_or(0), path.rfind('.').map_or(0, |dot| dot + 1));
            format!("{code} {} {}", &path[from..][..8], &path[to..])
        };
        news(&file, |t| nodes(t, edit)).into_iter().map(short).collect()
    };
    assert_eq!(told(&|_| {}), [""; 0]);
    assert_eq!(told(&|nodes| nodes[1]["mesh"]["vertices"][0] = json!([0.5, 1.5, 2.5])), [""; 0]);
    // A vertex of the lower one: out of its sphere and its boxes.
    let lower = ["gamez-box nodes[1] mesh", "gamez-box nodes[1] node_bbox", "gamez-box nodes[1] model_bbox"];
    assert_eq!(told(&|nodes| nodes[1]["mesh"]["vertices"][0] = json!([1.0, 2.5, 3.0])), lower);
    // The lower one itself: out of the boxes of the upper one.
    let moved = |nodes: &mut Vec<Value>| nodes[1]["data"]["object3d"]["translation"] = json!([0.0, 0.0, 0.25]);
    assert_eq!(told(&moved), ["gamez-box nodes[0] node_bbox", "gamez-box nodes[0] child_bbox"]);
    let larger = |nodes: &mut Vec<Value>| {
        moved(nodes);
        for field in ["node_bbox", "child_bbox"] {
            nodes[0][field] = json!([-1.0, 0.0, 1.0, 1.0, 2.0, 3.25]);
        }
    };
    assert_eq!(told(&larger), [""; 0]);
}

// The program.

fn refit(folder: &Path, line: &str) -> Assert {
    let mut command = Command::new(program());
    command.current_dir(folder).env_remove("NO_COLOR").timeout(Duration::from_secs(120));
    command.args(line.split(' ')).assert()
}

fn err(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

fn out(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// A golden file on disk and its tree beside it.
fn unpacked(format: &str, name: &str, file: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(file), &golden_file(format, name).bytes).unwrap();
    refit(dir.path(), &format!("unpack {file} -o tree")).success();
    let tree = dir.path().join("tree");
    (dir, tree)
}

fn alter(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    edit(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn repack_writes_the_file_and_tells_what_is_new() {
    let (dir, tree) = unpacked("gamez", "mw_base.gamez.zbd", "gamez.zbd");
    let unedited = refit(dir.path(), "repack tree -o same.zbd").success();
    assert_eq!(err(&unedited), "");
    let model = tree.join("models/0000-torso_00023.json");
    alter(&model, |m| m["polygons"][0]["vertices"][0] = json!(900));
    let told = refit(dir.path(), "repack tree -o new.zbd").code(3);
    let text = err(&told);
    assert!(text.contains("crashes: tree/models/0000-torso_00023.json: polygons[0]: "), "{text}");
    assert!(text.contains("[gamez-corners]\n  "), "it says what the game does: {text}");
    assert_eq!(text.matches('[').count(), 2, "only what is new: {text}");
    assert!(out(&told).contains("new.zbd") && dir.path().join("new.zbd").is_file());
    // The same by itself, and as objects.
    let lint = refit(dir.path(), "lint tree --new").code(3);
    assert!(out(&lint).contains("crashes [gamez-corners] models/0000-torso_00023.json: polygons[0]"), "{}", out(&lint));
    assert!(out(&lint).ends_with("1 finding (crashes 1) in 1 of 1 file\n"), "{}", out(&lint));
    let object: Value = serde_json::from_str(&out(&refit(dir.path(), "repack tree -o json.zbd --json").code(3))).unwrap();
    assert_eq!(object["new_findings"][0]["code"], "gamez-corners");
    assert_eq!(object["new_findings"][0]["file"], "models/0000-torso_00023.json");
    // Also over the file itself, whose original is NAME.orig then, and again when that is all that is left of it.
    refit(dir.path(), "repack tree --force").code(3);
    assert_eq!(err(&refit(dir.path(), "repack tree --force").code(3)), text);
    assert_eq!(out(&refit(dir.path(), "lint gamez.zbd --new").code(3)).lines().count(), 2);
}

#[test]
fn what_is_merely_unusual_is_told_and_is_no_failure() {
    let (dir, tree) = unpacked("zrd_text", "DefaultCtlConfig.zrd", "DefaultCtlConfig.zrd");
    let file = tree.join("DefaultCtlConfig.zrd");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("keya("));
    fs::write(&file, text.replacen("keya(0x", "keya(0xfff", 1)).unwrap();
    let told = refit(dir.path(), "repack tree -o new.zrd").code(0);
    assert!(err(&told).contains("unusual: ") && err(&told).contains("[zrd-key]"), "{}", err(&told));
}

#[test]
fn the_original_is_found_where_it_was_and_edited_documents_are_judged_without_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("game/zbd")).unwrap();
    let file = dir.path().join("game/zbd/gamez.zbd");
    let dangling = |t: &Folder, model: &str| change(t, model, |m| m["polygons"][0]["vertices"][0] = json!(900));
    let odd = made(&world("mw_base"), |t| {
        dangling(t, "models/0000");
        dangling(t, "models/0001");
    });
    fs::write(&file, &odd.bytes).unwrap();
    refit(dir.path(), "unpack game/zbd/gamez.zbd -o mods/tree").success();
    refit(dir.path(), "unpack game/zbd/gamez.zbd -o near").success();
    assert_eq!(fs::read_to_string(dir.path().join("mods/tree/.refit/source")).unwrap(), "../../game/zbd/gamez.zbd\n");
    assert_eq!(fs::read_to_string(dir.path().join("near/.refit/source")).unwrap(), "../game/zbd/gamez.zbd\n");
    let tree = dir.path().join("mods/tree");
    let scroll = |m: &mut Value| m["texture_scroll"] = json!([0.5, 0.25]);
    alter(&tree.join("models/0000-torso_00023.json"), scroll);
    // What was there before is not told.
    assert_eq!(err(&refit(dir.path(), "repack mods/tree -o new.zbd").success()), "");
    fs::remove_file(&file).unwrap();
    let told = refit(dir.path(), "repack mods/tree -o newer.zbd").code(3);
    assert!(err(&told).contains("is not at hand"), "{}", err(&told));
    assert!(err(&told).contains("models/0000-torso_00023.json: polygons[0]: "), "{}", err(&told));
    assert!(!err(&told).contains("models/0001"), "only what was edited: {}", err(&told));
    fs::remove_file(tree.join("models/0001-hull_00011.json")).unwrap();
    let told = refit(dir.path(), "repack mods/tree -o newest.zbd").code(3);
    assert!(err(&told).contains("[gamez-dangling]"), "{}", err(&told));
}

#[test]
fn put_tells_what_the_member_brings_in() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("soundsL.zbd");
    let bytes = golden_file("sounds", "mw_zbd_soundsL.zbd").bytes;
    fs::write(&file, &bytes).unwrap();
    fs::write(dir.path().join("new.wav"), wave(3, 32)).unwrap();
    let told = refit(dir.path(), "put soundsL.zbd onyx_ember_sable_000.wav new.wav").code(3);
    assert!(err(&told).contains("ignores: soundsL.zbd: onyx_ember_sable_000.wav: floats of 32 bits [sound-format]"), "{}", err(&told));
    assert!(fs::read(&file).unwrap() != bytes);
    fs::write(dir.path().join("new.wav"), wave(1, 16)).unwrap();
    assert_eq!(err(&refit(dir.path(), "put soundsL.zbd onyx_ember_sable_000.wav new.wav").success()), "");
}

#[test]
fn put_of_what_get_gave_changes_nothing() {
    let same = |format: &str, case: Case, raw: bool| {
        let mut opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        for index in 0..opened.model.members().len() {
            let form = if raw { Form::Stored } else { Form::Document(Style::Json) };
            let Ok(given) = opened.model.get(index, form) else { continue };
            opened.model.put(index, &given, form).unwrap_or_else(|e| panic!("{} #{index}: {e}", case.path));
            assert_bytes(&opened.model.write().unwrap_or_else(|e| panic!("{format} {}: {e}", case.path)), &case.bytes);
        }
    };
    for case in golden("pbo") {
        same("pbo", case, false);
    }
    for case in golden("gamez") {
        same("gamez", case, true);
    }
    // Members of which one holds the other: neither can be edited alone.
    for name in ["archive_v1_overlap.zbd", "archive_v1_nested.zbd"] {
        same("archive", golden_file("archive", name), true);
    }
    // A model whose slot has another word behind it than the position of its data.
    let odd = made(&world("mw_base"), |t| change(t, "models/0000", |m| m["link"] = json!("0x00001234")));
    same("gamez", odd, true);
}

#[test]
fn repack_does_not_write_what_refit_would_refuse() {
    let refused = |format: &str, name: &str, file: &str, edit: &dyn Fn(&Path), why: &str| {
        let (dir, tree) = unpacked(format, name, file);
        edit(&tree);
        let told = refit(dir.path(), "repack tree -o new.zbd").code(1);
        assert!(err(&told).contains(why), "{name}: {}", err(&told));
        assert!(!dir.path().join("new.zbd").exists());
        refit(dir.path(), "repack tree -o new.zbd --dry-run").code(1);
    };
    // A definition that is no document is bytes, and these are no definition.
    let plain = |tree: &Path| {
        fs::write(tree.join("defs/plain.txt"), "a definition, it says").unwrap();
        alter(&tree.join("refit.json"), |m| m["definitions"][0] = json!("defs/plain.txt"));
    };
    refused("anim", "mw_values.zbd", "anim.zbd", &plain, "defs/plain.txt");
    // A list of materials under the name of a tree, and the other way round.
    let swapped = |tree: &Path| {
        alter(&tree.join("refit.json"), |m| {
            let members = m["members"].as_array_mut().unwrap();
            let materials = members.iter().position(|m| m["name"] == "materials").unwrap();
            let tree = members.iter().position(|m| m["name"].as_str().is_some_and(|n| n.ends_with(".flt"))).unwrap();
            let (a, b) = (members[materials]["name"].clone(), members[tree]["name"].clone());
            (members[materials]["name"], members[tree]["name"]) = (b, a);
        });
    };
    refused("mechlib", "mw_base.mechlib.zbd", "mechlib.zbd", &swapped, "could not read this file again");
    // A model that is no document.
    let junk = |tree: &Path| {
        fs::write(tree.join("models/0012.bin"), [0x55; 300]).unwrap();
    };
    refused("gamez", "mw_base.gamez.zbd", "gamez.zbd", &junk, "could not read this file again");
}

#[test]
fn every_code_says_what_it_means() {
    for code in refit::registry::codes() {
        assert!(code.explain.ends_with('.') && code.explain.len() > 20, "{}", code.code);
    }
    assert!(refit::registry::codes().count() > 50);
}

/// What a definition whose typed form fails its proof becomes: its bytes, as a file of the tree.
#[test]
fn a_definition_that_stays_bytes_comes_back() {
    for name in ["mw_values.zbd", "pm_arrays.zbd", "rc_sequences.zbd", "cs_c1_m01_mis_anim.zbd"] {
        let file = golden_file("anim", name);
        let tree = unpack(&file, Hints::default(), Style::Json);
        let opened = pipeline::open(&file.bytes, &file.path, Hints::default()).unwrap();
        let manifest: Value = serde_json::from_str(&tree.text("refit.json")).unwrap();
        let first = &manifest["definitions"][0];
        let path = first.as_str().or(first["file"].as_str()).unwrap_or_else(|| panic!("{name}: {first}")).to_owned();
        let bytes = opened.model.get(0, Form::Stored).unwrap();
        assert!(path.ends_with(".json") && tree.remove(&path), "{name}: {path}");
        let raw = path.replace(".json", ".bin");
        tree.set(&raw, bytes.to_vec());
        edit(&tree, "refit.json", &format!("\"{path}\""), &format!("\"{raw}\""));
        assert_bytes(&repack(&tree), &file.bytes);
    }
}

#[test]
fn a_name_that_finds_another_node_is_told() {
    let name = |t: &Folder, of: usize, like: usize| {
        change(t, "nodes/", |d| d["nodes"][of]["name"] = d["nodes"][like]["name"].clone());
    };
    // The engine takes the last node of a name.
    let told = news(&world("mw_minimum"), |t| name(t, 7, 5));
    assert!(told.iter().any(|(code, path)| *code == "gamez-lookup" && path.starts_with("nodes[7]")), "{told:?}");
    let told = codes(&world("mw_minimum"), |t| name(t, 5, 7));
    assert!(!told.contains(&"gamez-lookup"), "{told:?}");
}
