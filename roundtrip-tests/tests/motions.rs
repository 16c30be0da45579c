//! Motions on their way back: animations of glTF files into `motion.zbd`.

use bytes::Bytes;
use refit::{
    tree::Style,
    views::import::{self, Options, Report},
    work::{self, Hints},
};
use roundtrip_tests::*;
use serde_json::{Value, json};

/// A list of a part: what it moves, and its keys.
type Track = (String, &'static str, Vec<Vec<f64>>);

/// A motion as the export shows it, made here of its document: the times, and the tracks.
fn shown(doc: &Value) -> Option<(Vec<f64>, Vec<Track>)> {
    let number = |v: &Value| v.as_f64().filter(|v| v.is_finite());
    let length = number(&doc["loop_time"])?;
    let mut tracks = Vec::new();
    let mut frames = 0;
    for part in doc["parts"].as_array()? {
        for (list, last, path) in [("translations", "translation", "translation"), ("rotations", "rotation", "rotation")] {
            let Some(keys) = part[list].as_array().filter(|keys| !keys.is_empty()) else { continue };
            let end = part["last"].get(last).unwrap_or(&keys[0]);
            let name = part["name"].as_str()?;
            // A second part of a name moves the same node, and is left out of the export.
            if tracks.iter().any(|(other, p, _): &Track| other.eq_ignore_ascii_case(name) && *p == path) {
                continue;
            }
            let keys: Option<Vec<Vec<f64>>> = keys.iter().chain([end]).map(|key| key.as_array()?.iter().map(number).collect()).collect();
            let mut keys = keys?;
            if path == "rotation" {
                for key in &mut keys {
                    key.rotate_left(1);
                    let size = key.iter().map(|v| v * v).sum::<f64>().sqrt();
                    if size < 1e-15 {
                        return None;
                    }
                    key.iter_mut().for_each(|v| *v /= size);
                }
            }
            frames = keys.len() - 1;
            tracks.push((name.to_owned(), path, keys));
        }
    }
    let step = length / frames.max(1) as f64;
    (length > 0.0 && !tracks.is_empty()).then(|| ((0..=frames).map(|i| f64::from((i as f64 * step) as f32)).collect(), tracks))
}

/// A file with one animation.
fn glb(name: &str, times: &[f64], tracks: &[Track]) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut put = |kind: &str, list: &[f64], width: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": data.len(), "byteLength": list.len() * 4 }));
        data.extend(list.iter().flat_map(|v| (*v as f32).to_le_bytes()));
        accessors.push(json!({ "bufferView": views.len() - 1, "componentType": 5126, "count": list.len() / width, "type": kind }));
        accessors.len() - 1
    };
    let mut names: Vec<&str> = Vec::new();
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for (part, path, keys) in tracks {
        let node = names.iter().position(|n| n == part).unwrap_or_else(|| {
            names.push(part);
            names.len() - 1
        });
        let width = keys[0].len();
        let input = put("SCALAR", &times[..keys.len()], 1);
        let output = put(if width == 4 { "VEC4" } else { "VEC3" }, &keys.concat(), width);
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        channels.push(json!({ "sampler": samplers.len() - 1, "target": { "node": node, "path": path } }));
    }
    let nodes: Vec<Value> = names.iter().map(|n| json!({ "name": n })).collect();
    let root = json!({
        "asset": { "version": "2.0" }, "nodes": nodes, "animations": [{ "name": name, "channels": channels, "samplers": samplers }],
        "accessors": accessors, "bufferViews": views, "buffers": [{ "byteLength": data.len() }]
    });
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |n: usize| (n as u32).to_le_bytes();
    let head = [*b"glTF", word(2), word(28 + text.len() + data.len()), word(text.len()), *b"JSON"].concat();
    [head, text, [word(data.len()), *b"BIN\0"].concat(), data].concat()
}

fn put(file: &Bytes, path: &str, member: &str, gltf: &[u8]) -> refit::wire::Result<(Bytes, Report)> {
    let mut opened = work::open(file, path, Hints::default()).unwrap();
    let index = opened.model.members().iter().position(|m| m.name == member).unwrap_or_else(|| panic!("{path} has no {member}"));
    let gltf = Bytes::copy_from_slice(gltf);
    let beside = |path: &str| Err(refit::wire::Error::say(format!("no {path}")));
    let report = import::put(&mut *opened.model, index, &import::Source { file: &gltf, beside: &beside }, Options::default())?;
    Ok((opened.model.write().unwrap().into(), report))
}

/// The members of a golden file with their documents.
fn members(case: &Case) -> Vec<(String, Value)> {
    let tree = unpack(case, Hints::default(), Style::Json);
    let manifest: Value = serde_json::from_str(&tree.text("refit.json")).unwrap();
    let rows = manifest["members"].as_array().cloned().unwrap_or_default();
    let one = |row: &Value| {
        let file = row["file"].as_str()?;
        let doc = file.ends_with(".json").then(|| serde_json::from_str(&tree.text(file)).unwrap())?;
        Some((row["name"].as_str()?.to_owned(), doc))
    };
    rows.iter().filter_map(one).collect()
}

/// The value of a track at a time: straight, and of length 1 where it is a turn, as Blender moves.
fn at(times: &[f64], keys: &[Vec<f64>], time: f64) -> Vec<f64> {
    let i = times.iter().rposition(|t| *t <= time).unwrap_or(0).min(keys.len().saturating_sub(2));
    let (Some(a), Some(b)) = (keys.get(i), keys.get(i + 1)) else { return keys[0].clone() };
    let part = ((time - times[i]) / (times[i + 1] - times[i])).clamp(0.0, 1.0);
    let sign = if a.len() == 4 && a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
    let mixed: Vec<f64> = a.iter().zip(b).map(|(a, b)| a * (1.0 - part) + sign * b * part).collect();
    let size = if a.len() == 4 { mixed.iter().map(|v| v * v).sum::<f64>().sqrt() } else { 1.0 };
    mixed.into_iter().map(|v| v / size).collect()
}

#[test]
fn an_unedited_animation_gives_the_identical_bytes_of_every_golden_motion() {
    let (mut judged, mut sampled) = (0, 0);
    for case in golden("motion") {
        for (name, doc) in members(&case) {
            let Some((times, tracks)) = shown(&doc) else { continue };
            let same = |times: &[f64], tracks: &[Track], what: &str| {
                let (bytes, report) = put(&case.bytes, &case.path, &name, &glb(&name, times, tracks))
                    .unwrap_or_else(|e| panic!("{} {name} {what}: {e}", case.path));
                assert!(report.is_unchanged() && bytes == case.bytes, "{} {name} {what}: {report:?}", case.path);
            };
            same(&times, &tracks, "as it is");
            // Other signs of quaternions, other last bits, `.001` behind names, and half of the tracks gone.
            let mut other = tracks.clone();
            for (i, (part, path, keys)) in other.iter_mut().enumerate() {
                for (k, key) in keys.iter_mut().enumerate() {
                    let sign = if *path == "rotation" && (i + k) % 2 == 0 { -1.0 } else { 1.0 };
                    key.iter_mut().for_each(|v| *v = *v * sign * (1.0 + 7e-8));
                }
                if !part.is_empty() {
                    part.push_str(".001");
                }
            }
            same(&times, &other, "other bits");
            same(&times, &tracks[..tracks.len().div_ceil(2)], "half of it");
            judged += 1;
            // At the frames of a program, 24 a second and the end cut off; what takes less than a few frames of that is no motion to it.
            let end = times[times.len() - 1];
            let step = 1.0 / 24.0;
            if end > 8.0 * step && end < 100.0 && times[1] >= step {
                let frames: Vec<f64> = (0..=(end / step + 1e-9) as usize).map(|i| i as f64 * step).collect();
                let baked: Vec<Track> = tracks
                    .iter()
                    .map(|(part, path, keys)| (part.clone(), *path, frames.iter().map(|t| at(&times, keys, *t)).collect()))
                    .collect();
                same(&frames, &baked, "baked");
                sampled += 1;
            }
        }
    }
    assert!(judged > 8 && sampled > 0, "{judged} motions, {sampled} sampled");
}

/// A motion of two parts, four frames in a second: `hip` turns and rises, `leg` stands still.
fn small() -> (Value, Bytes) {
    // Turns whose quaternions have no rounded parts: none, a third about a diagonal, a half about x.
    let turn = |thirds: i32| match thirds {
        0 => json!([1.0, 0.0, 0.0, 0.0]),
        10 => json!([0.5, 0.5, 0.5, 0.5]),
        _ => json!([0.0, 1.0, 0.0, 0.0]),
    };
    let doc = json!({
        "loop_time": 1.0,
        "parts": [
            { "name": "hip", "translations": [[0.0, 1.0, 0.0], [0.0, 1.5, 0.0], [0.0, 2.0, 0.0], [0.0, 1.5, 0.0]],
              "rotations": [turn(0), turn(10), turn(20), turn(10)] },
            { "name": "leg", "translations": [[0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
              "rotations": [turn(0), turn(0), turn(0), turn(0)] }
        ]
    });
    (doc.clone(), file(&doc))
}

/// The archive with a motion, from its document.
fn file(doc: &Value) -> Bytes {
    let case = golden_file("motion", "motion_mw_plain.zbd");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let mut manifest: Value = serde_json::from_str(&tree.text("refit.json")).unwrap();
    let rows = manifest["members"].as_array_mut().unwrap();
    rows.truncate(1);
    rows[0]["name"] = json!("mech_walk");
    let path = rows[0]["file"].as_str().unwrap().to_owned();
    let mut own: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    for key in own.as_object().unwrap().keys().cloned().collect::<Vec<_>>() {
        if key != "$schema" {
            own.as_object_mut().unwrap().remove(&key);
        }
    }
    for (key, value) in doc.as_object().unwrap() {
        own[key] = value.clone();
    }
    tree.set(&path, own.to_string().into_bytes());
    tree.set("refit.json", manifest.to_string().into_bytes());
    repack(&tree).into()
}

/// What an edit of the tracks makes of [`small`].
fn edited(edit: impl Fn(&mut Vec<f64>, &mut Vec<Track>), expected: impl Fn(&mut Value)) -> Report {
    let (doc, bytes) = small();
    let (mut times, mut tracks) = shown(&doc).unwrap();
    edit(&mut times, &mut tracks);
    let (found, report) = put(&bytes, "motion.zbd", "mech_walk", &glb("anything", &times, &tracks)).unwrap();
    let mut doc = doc;
    expected(&mut doc);
    assert_bytes(&found, &file(&doc));
    report
}

fn curves(report: &Report) -> (usize, usize) {
    (report.curves_changed, report.parts_new)
}

#[test]
fn an_edited_key_changes_its_list_and_nothing_else() {
    // The hip is higher in the third frame.
    let report =
        edited(|_, tracks| tracks[0].2[2] = vec![0.0, 3.0, 0.0], |doc| doc["parts"][0]["translations"][2] = json!([0.0, 3.0, 0.0]));
    assert_eq!(curves(&report), (1, 0));
    // It turns by half of a circle: a quaternion that is exact.
    let report = edited(
        |_, tracks| {
            tracks[1].2 = vec![
                vec![0.0, 0.0, 0.0, 1.0],
                vec![0.0, 1.0, 0.0, 0.0],
                vec![0.0, 0.0, 0.0, 1.0],
                vec![0.0, 1.0, 0.0, 0.0],
                vec![0.0, 0.0, 0.0, 1.0],
            ]
        },
        |doc| {
            doc["parts"][0]["rotations"] = json!([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        },
    );
    assert_eq!(curves(&report), (1, 0));
    // It does not end as it began: the closing frame stands there.
    edited(|_, tracks| tracks[0].2[4] = vec![0.0, 1.0, 7.0], |doc| doc["parts"][0]["last"] = json!({ "translation": [0.0, 1.0, 7.0] }));
}

#[test]
fn an_animation_of_less_time_has_fewer_frames() {
    // Two keys, from the ground to 8 and nothing behind: a quarter each frame.
    let report = edited(
        |_, tracks| {
            tracks.truncate(1);
            tracks[0].2 = vec![vec![0.0, 0.0, 0.0], vec![0.0, 8.0, 0.0]];
        },
        |doc| {
            // Its keys are at 0 and 0.25: that is one frame, and the closing one.
            doc["parts"][0]["translations"] = json!([[0.0, 0.0, 0.0]]);
            doc["parts"][0]["rotations"] = json!([doc["parts"][0]["rotations"][0].clone()]);
            doc["parts"][1]["translations"] = json!([[0.5, 0.0, 0.0]]);
            doc["parts"][1]["rotations"] = json!([doc["parts"][1]["rotations"][0].clone()]);
            doc["parts"][0]["last"] = json!({ "translation": [0.0, 8.0, 0.0], "rotation": small().0["parts"][0]["rotations"][1] });
            doc["loop_time"] = json!(0.25);
        },
    );
    assert!(report.notes.iter().any(|n| n.contains("it takes 0.250 s where it took 1.000 s: 1 frames")), "{:?}", report.notes);
}

#[test]
fn an_animation_of_twice_the_time_has_twice_the_frames() {
    let report = edited(
        |times, tracks| {
            times.iter_mut().for_each(|t| *t *= 2.0);
            tracks.retain(|(part, path, _)| part == "hip" && *path == "translation");
        },
        |doc| {
            doc["loop_time"] = json!(2.0);
            let y = |list: &[f64]| list.iter().map(|y| json!([0.0, y, 0.0])).collect::<Vec<_>>();
            doc["parts"][0]["translations"] = json!(y(&[1.0, 1.25, 1.5, 1.75, 2.0, 1.75, 1.5, 1.25]));
            // What the file does not say goes on at its own pace and stops where it ended.
            let turns = doc["parts"][0]["rotations"].as_array().unwrap().clone();
            let mut all = turns.clone();
            all.extend(vec![turns[0].clone(); 4]);
            doc["parts"][0]["rotations"] = json!(all);
            doc["parts"][1]["translations"] = json!(vec![json!([0.5, 0.0, 0.0]); 8]);
            doc["parts"][1]["rotations"] = json!(vec![turns[0].clone(); 8]);
        },
    );
    assert!(report.notes.iter().any(|n| n.contains("8 frames at the rate of the 4")), "{:?}", report.notes);
}

#[test]
fn a_node_that_moves_and_is_no_part_becomes_one() {
    let report = edited(
        |_, tracks| {
            tracks.push(("gun.001".into(), "translation", (0..5).map(|i| vec![f64::from(i % 4), 0.0, 0.0]).collect()));
            // One that is only written down where it stands is none.
            tracks.push(("arm".into(), "translation", vec![vec![0.0; 3]; 5]));
        },
        |doc| {
            doc["parts"].as_array_mut().unwrap().push(json!({
                "name": "gun", "translations": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
                "rotations": [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
            }));
        },
    );
    assert_eq!(curves(&report), (0, 1));
}

#[test]
fn damaged_animations_end_in_a_clear_error() {
    let (doc, bytes) = small();
    let (times, tracks) = shown(&doc).unwrap();
    let refused = |file: &[u8], word: &str| {
        let error = put(&bytes, "motion.zbd", "mech_walk", file).expect_err(word).to_string();
        assert!(error.contains(word), "{word}: {error}");
    };
    let good = glb("x", &times, &tracks);
    let text = |from: &str, to: &str| {
        let at = good.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let mut file = good.clone();
        assert_eq!(from.len(), to.len());
        file[at..at + to.len()].copy_from_slice(to.as_bytes());
        file
    };
    refused(&text("\"LINEAR\"", "\"CIRCLE\""), "a curve of the kind \"CIRCLE\"");
    refused(&text("\"sampler\":0", "\"sampler\":9"), "there is no such curve");
    refused(&glb("x", &[0.0, 0.5, 0.5, 0.75, 1.0], &tracks), "do not rise");
    refused(&text("\"animations\"", "\"animationz\""), "no animation");
}
