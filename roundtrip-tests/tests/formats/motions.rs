//! Motions on their way back: animations of glTF files into `motion.zbd`.

use bytes::Bytes;
use refit::{
    gltf::import::{self, Options, Report},
    pipeline::{self, Hints},
    tree::Style,
};
use roundtrip_tests::*;
use serde_json::{Value, json};

/// A track of a part: its name, the property, and its keys.
type Track = (String, &'static str, Vec<Vec<f64>>);

/// A motion as the export shows it, made here of its document: the times, and the tracks.
fn shown(doc: &Value) -> Option<(Vec<f64>, Vec<Track>)> {
    let number = |v: &Value| v.as_f64().filter(|v| v.is_finite());
    let length = number(&doc["loop_time"])?;
    let mut tracks = Vec::new();
    let mut frames = 0;
    for part in doc["parts"].as_array()? {
        for (list, last, path) in [
            ("translations", "translation", "translation"),
            ("rotations", "rotation", "rotation"),
        ] {
            let Some(keys) = part[list].as_array().filter(|keys| !keys.is_empty()) else {
                continue;
            };
            let end = part["last"].get(last).unwrap_or(&keys[0]);
            let name = part["name"].as_str()?;
            // A second part of a name moves the same node, and is left out of the export.
            if tracks
                .iter()
                .any(|(other, p, _): &Track| other.eq_ignore_ascii_case(name) && *p == path)
            {
                continue;
            }
            let keys: Option<Vec<Vec<f64>>> = keys
                .iter()
                .chain([end])
                .map(|key| key.as_array()?.iter().map(number).collect())
                .collect();
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
    (length > 0.0 && !tracks.is_empty()).then(|| {
        (
            (0..=frames)
                .map(|i| f64::from((i as f64 * step) as f32))
                .collect(),
            tracks,
        )
    })
}

/// A file with one animation.
fn glb(name: &str, times: &[f64], tracks: &[Track]) -> Vec<u8> {
    glb_with(name, times, tracks, &[])
}

/// The same with more nodes, which nothing moves.
fn glb_with(name: &str, times: &[f64], tracks: &[Track], still: &[Value]) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut put = |kind: &str, list: &[f64], width: usize| {
        views.push(json!({ "buffer": 0, "byteOffset": data.len(), "byteLength": list.len() * 4 }));
        data.extend(list.iter().flat_map(|v| (*v as f32).to_le_bytes()));
        accessors.push(
            json!({ "bufferView": views.len() - 1, "componentType": 5126, "count": list.len() / width, "type": kind }),
        );
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
        let output = put(
            if width == 4 { "VEC4" } else { "VEC3" },
            &keys.concat(),
            width,
        );
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        channels.push(
            json!({ "sampler": samplers.len() - 1, "target": { "node": node, "path": path } }),
        );
    }
    let nodes: Vec<Value> = names
        .iter()
        .map(|n| json!({ "name": n }))
        .chain(still.iter().cloned())
        .collect();
    let root = json!({
        "asset": { "version": "2.0" }, "nodes": nodes, "animations": [{ "name": name, "channels": channels,
        "samplers": samplers }],
        "accessors": accessors, "bufferViews": views, "buffers": [{ "byteLength": data.len() }]
    });
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |n: usize| (n as u32).to_le_bytes();
    let head = [
        *b"glTF",
        word(2),
        word(28 + text.len() + data.len()),
        word(text.len()),
        *b"JSON",
    ]
    .concat();
    [head, text, [word(data.len()), *b"BIN\0"].concat(), data].concat()
}

fn put(file: &Bytes, path: &str, member: &str, gltf: &[u8]) -> refit::Result<(Bytes, Report)> {
    trips::put_any(file, path, member, gltf, Options::default())
}

/// The members of a golden file with their documents.
fn members(case: &Case) -> Vec<(String, Value)> {
    let tree = unpack(case, Hints::default(), Style::Json);
    let manifest: Value = serde_json::from_str(&tree.text("refit.json")).unwrap();
    let rows = manifest["members"].as_array().cloned().unwrap_or_default();
    let one = |row: &Value| {
        let file = row["file"].as_str()?;
        let doc = file
            .ends_with(".json")
            .then(|| serde_json::from_str(&tree.text(file)).unwrap())?;
        Some((row["name"].as_str()?.to_owned(), doc))
    };
    rows.iter().filter_map(one).collect()
}

/// The value of a track at a time: linear, and normalised for a rotation, as in Blender.
fn at(times: &[f64], keys: &[Vec<f64>], time: f64) -> Vec<f64> {
    let i = times
        .iter()
        .rposition(|t| *t <= time)
        .unwrap_or(0)
        .min(keys.len().saturating_sub(2));
    let (Some(a), Some(b)) = (keys.get(i), keys.get(i + 1)) else {
        return keys[0].clone();
    };
    let part = ((time - times[i]) / (times[i + 1] - times[i])).clamp(0.0, 1.0);
    let sign = if a.len() == 4 && a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
        -1.0
    } else {
        1.0
    };
    let mixed: Vec<f64> = a
        .iter()
        .zip(b)
        .map(|(a, b)| a * (1.0 - part) + sign * b * part)
        .collect();
    let size = if a.len() == 4 {
        mixed.iter().map(|v| v * v).sum::<f64>().sqrt()
    } else {
        1.0
    };
    mixed.into_iter().map(|v| v / size).collect()
}

#[test]
fn an_unedited_animation_gives_the_identical_bytes_of_every_golden_motion() {
    let (mut judged, mut sampled) = (0, 0);
    for case in golden("motion") {
        for (name, doc) in members(&case) {
            let Some((times, tracks)) = shown(&doc) else {
                continue;
            };
            let same = |times: &[f64], tracks: &[Track], what: &str| {
                let (bytes, report) =
                    put(&case.bytes, &case.path, &name, &glb(&name, times, tracks))
                        .unwrap_or_else(|e| panic!("{} {name} {what}: {e}", case.path));
                assert!(
                    report.is_unchanged() && bytes == case.bytes,
                    "{} {name} {what}: {report:?}",
                    case.path
                );
            };
            same(&times, &tracks, "as it is");
            // Other signs of quaternions, other last bits, `.001` after names, and half of the
            // tracks missing.
            let mut other = tracks.clone();
            for (i, (part, path, keys)) in other.iter_mut().enumerate() {
                for (k, key) in keys.iter_mut().enumerate() {
                    let sign = if *path == "rotation" && (i + k) % 2 == 0 {
                        -1.0
                    } else {
                        1.0
                    };
                    key.iter_mut().for_each(|v| *v = *v * sign * (1.0 + 7e-8));
                }
                if !part.is_empty() {
                    part.push_str(".001");
                }
            }
            same(&times, &other, "other bits");
            same(&times, &tracks[..tracks.len().div_ceil(2)], "half of it");
            judged += 1;
            // At the frames of a program, 24 per second, with the end cut off; it does not see a
            // motion shorter than a few of its frames, and reports nothing about one with many more
            // frames per second.
            let end = times[times.len() - 1];
            let step = 1.0 / 24.0;
            if end > 4.0 * step && end < 100.0 && 1.9 * times[1] >= step {
                let frames: Vec<f64> = (0..=(end / step + 1e-9) as usize)
                    .map(|i| i as f64 * step)
                    .collect();
                let baked: Vec<Track> = tracks
                    .iter()
                    .map(|(part, path, keys)| {
                        (
                            part.clone(),
                            *path,
                            frames.iter().map(|t| at(&times, keys, *t)).collect(),
                        )
                    })
                    .collect();
                same(&frames, &baked, "baked");
                sampled += 1;
            }
        }
    }
    assert!(
        judged > 8 && sampled > 0,
        "{judged} motions, {sampled} sampled"
    );
}

/// A motion of two parts, four frames in a second: `hip` turns and rises, `leg` does not move.
fn small() -> (Value, Bytes) {
    // Rotations with exact quaternions: none, a third about a diagonal, a half about x.
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

/// The result for [`small`] after an edit of the tracks.
fn edited(edit: impl Fn(&mut Vec<f64>, &mut Vec<Track>), expected: impl Fn(&mut Value)) -> Report {
    let (doc, bytes) = small();
    let (mut times, mut tracks) = shown(&doc).unwrap();
    edit(&mut times, &mut tracks);
    let (found, report) = put(
        &bytes,
        "motion.zbd",
        "mech_walk",
        &glb("anything", &times, &tracks),
    )
    .unwrap();
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
    let report = edited(
        |_, tracks| tracks[0].2[2] = vec![0.0, 3.0, 0.0],
        |doc| doc["parts"][0]["translations"][2] = json!([0.0, 3.0, 0.0]),
    );
    assert_eq!(curves(&report), (1, 0));
    // The same, sampled by a program twice as often: frames that are two frames away keep their
    // bits.
    let report = edited(
        |times, tracks| {
            let own = times.clone();
            tracks.truncate(1);
            tracks[0].2[2] = vec![0.0, 3.0, 0.0];
            *times = (0..9).map(|i| f64::from(i) / 8.0).collect();
            tracks[0].2 = times.iter().map(|t| at(&own, &tracks[0].2, *t)).collect();
        },
        |doc| doc["parts"][0]["translations"][2] = json!([0.0, 3.0, 0.0]),
    );
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
            doc["parts"][0]["rotations"] = json!([
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, 0.0],
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, 0.0]
            ])
        },
    );
    assert_eq!(curves(&report), (1, 0));
    // It does not end as it began: the closing frame is stored.
    edited(
        |_, tracks| tracks[0].2[4] = vec![0.0, 1.0, 7.0],
        |doc| doc["parts"][0]["last"] = json!({ "translation": [0.0, 1.0, 7.0] }),
    );
}

#[test]
fn keys_between_frames_and_a_late_start_are_reported() {
    let (doc, bytes) = small();
    let (times, tracks) = shown(&doc).unwrap();
    let into = |times: &[f64], tracks: &[Track]| {
        put(
            &bytes,
            "motion.zbd",
            "mech_walk",
            &glb("anything", times, tracks),
        )
        .unwrap()
    };
    let sampled = |rate: usize, tracks: &[Track]| {
        let frames: Vec<f64> = (0..=rate).map(|i| i as f64 / rate as f64).collect();
        let keys = |(part, path, keys): &Track| {
            (
                part.clone(),
                *path,
                frames.iter().map(|t| at(&times, keys, *t)).collect(),
            )
        };
        let tracks: Vec<Track> = tracks.iter().map(keys).collect();
        into(&frames, &tracks)
    };
    let mut edited = tracks.clone();
    edited[0].2[2] = vec![0.0, 3.0, 0.0];
    let coarse = |report: &Report| {
        report
            .notes
            .iter()
            .any(|n| n.contains("Sampling Animations") && n.contains("4 frames a second"))
    };
    // Three keys for a motion of four frames; six; and exactly four.
    let (_, report) = sampled(3, &edited);
    assert!(report.curves_changed > 0 && coarse(&report), "{report:?}");
    let (_, report) = sampled(6, &edited);
    assert!(report.curves_changed > 0 && !coarse(&report), "{report:?}");
    let (_, report) = into(&times, &edited);
    assert!(
        report.curves_changed == 1 && report.notes.is_empty(),
        "{report:?}"
    );
    // Blender's tracks begin at its frame 1. It is the same motion, and the offset is reported.
    let later: Vec<f64> = times.iter().map(|t| t + 1.0 / 24.0).collect();
    let (found, report) = into(&later, &tracks);
    assert!(report.is_unchanged() && found == bytes, "{report:?}");
    assert_eq!(
        report.notes,
        ["mech_walk: its first key is at 0.042 s: frames count from there"]
    );
    let (found, report) = into(&later, &edited);
    assert_eq!((found, report.curves_changed), (into(&times, &edited).0, 1));
}

#[test]
fn a_motion_that_is_not_a_loop_is_reported_and_closed_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let walk = walk();
    let before = process::archive(&[("mech_walk", &walk)]);
    std::fs::write(dir.path().join("motion.zbd"), &before).unwrap();
    std::fs::write(
        dir.path().join("limp.glb"),
        glb("mech_limp", &[0.0, 0.25, 0.5], &[rises(&[1.0, 5.0, 3.0])]),
    )
    .unwrap();
    let open = by_hand(
        0.5,
        &[(
            "Hip",
            &[[0.0, 1.0, 0.0], [0.0, 5.0, 0.0], [0.0, 3.0, 0.0]],
            &[NOT; 3],
        )],
    );
    let closed = by_hand(
        0.5,
        &[(
            "Hip",
            &[[0.0, 1.0, 0.0], [0.0, 5.0, 0.0], [0.0, 1.0, 0.0]],
            &[NOT; 3],
        )],
    );
    for line in [
        "import limp.glb --into motion.zbd",
        "put motion.zbd mech_limp limp.glb",
    ] {
        let printed = process::run(dir.path(), &format!("{line} -o open.zbd --force")).code(0);
        let said = process::err(&printed);
        assert!(
            said.contains("does not end as it begins")
                && said.contains("(--loop lets it): \"Hip\""),
            "{said}"
        );
        assert_bytes(
            &std::fs::read(dir.path().join("open.zbd")).unwrap(),
            &process::archive(&[("mech_walk", &walk), ("mech_limp", &open)]),
        );
        let printed =
            process::run(dir.path(), &format!("{line} --loop -o closed.zbd --force")).code(0);
        assert!(
            !process::err(&printed).contains("as it begins"),
            "{}",
            process::err(&printed)
        );
        assert_bytes(
            &std::fs::read(dir.path().join("closed.zbd")).unwrap(),
            &process::archive(&[("mech_walk", &walk), ("mech_limp", &closed)]),
        );
    }
    let lint = |file: &str| {
        process::out(
            &process::refit(dir.path())
                .args(["lint", file, "--all"])
                .assert(),
        )
    };
    assert!(
        lint("open.zbd").contains("motion-open") && !lint("closed.zbd").contains("motion-open"),
        "{}",
        lint("open.zbd")
    );
}

#[test]
fn an_animation_of_less_time_has_fewer_frames() {
    // Two keys, from the ground to 8 and nothing after that: a quarter per frame.
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
    assert!(
        report
            .notes
            .iter()
            .any(|n| n.contains("it takes 0.250 s where it took 1.000 s: 1 frames")),
        "{:?}",
        report.notes
    );
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
            let y = |list: &[f64]| {
                list.iter()
                    .map(|y| json!([0.0, y, 0.0]))
                    .collect::<Vec<_>>()
            };
            doc["parts"][0]["translations"] =
                json!(y(&[1.0, 1.25, 1.5, 1.75, 2.0, 1.75, 1.5, 1.25]));
            // Tracks that the file lacks continue at their own pace and stop at their end.
            let turns = doc["parts"][0]["rotations"].as_array().unwrap().clone();
            let mut all = turns.clone();
            all.extend(vec![turns[0].clone(); 4]);
            doc["parts"][0]["rotations"] = json!(all);
            doc["parts"][1]["translations"] = json!(vec![json!([0.5, 0.0, 0.0]); 8]);
            doc["parts"][1]["rotations"] = json!(vec![turns[0].clone(); 8]);
        },
    );
    assert!(
        report
            .notes
            .iter()
            .any(|n| n.contains("8 frames at the rate of the 4")),
        "{:?}",
        report.notes
    );
}

#[test]
fn a_moving_node_that_is_not_a_part_becomes_one() {
    let report = edited(
        |_, tracks| {
            tracks.push((
                "gun.001".into(),
                "translation",
                (0..5).map(|i| vec![f64::from(i % 4), 0.0, 0.0]).collect(),
            ));
            // A key that repeats the position is not a motion.
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
        let error = put(&bytes, "motion.zbd", "mech_walk", file)
            .expect_err(word)
            .to_string();
        assert!(error.contains(word), "{word}: {error}");
    };
    let good = glb("x", &times, &tracks);
    let text = |from: &str, to: &str| {
        let at = good
            .windows(from.len())
            .position(|w| w == from.as_bytes())
            .unwrap();
        let mut file = good.clone();
        assert_eq!(from.len(), to.len());
        file[at..at + to.len()].copy_from_slice(to.as_bytes());
        file
    };
    refused(
        &text("\"LINEAR\"", "\"CIRCLE\""),
        "a curve of the kind \"CIRCLE\"",
    );
    refused(
        &text("\"sampler\":0", "\"sampler\":9"),
        "there is no such curve",
    );
    refused(
        &glb("x", &[0.0, 0.5, 0.5, 0.75, 1.0], &tracks),
        "do not increase",
    );
    refused(&text("\"animations\"", "\"animationz\""), "no animation");
}

/// A part of a motion: its name, its translations and its rotations, the closing ones among them.
type Hand<'a> = (&'a str, &'a [[f32; 3]], &'a [[f32; 4]]);

/// A motion by hand (src/zipper/motion/FORMAT.md).
fn by_hand(loop_time: f32, parts: &[Hand<'_>]) -> Vec<u8> {
    let frames = parts[0].1.len() as u32 - 1;
    let mut out = [
        4u32.to_le_bytes(),
        loop_time.to_le_bytes(),
        frames.to_le_bytes(),
        (parts.len() as u32).to_le_bytes(),
    ]
    .concat();
    out.extend([(-1f32).to_le_bytes(), 1f32.to_le_bytes()].concat());
    for (name, translations, rotations) in parts {
        out.extend((name.len() as u32).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend(12u32.to_le_bytes());
        out.extend(
            translations
                .iter()
                .flatten()
                .chain(rotations.iter().flatten())
                .flat_map(|v| v.to_le_bytes()),
        );
    }
    out
}

const NOT: [f32; 4] = [1.0, 0.0, 0.0, 0.0];
const AROUND_X: [f32; 4] = [0.0, 1.0, 0.0, 0.0];

/// A walk of four frames a second: the hip is at 1, the leg at 2.
fn walk() -> Vec<u8> {
    by_hand(
        0.5,
        &[
            ("hip", &[[0.0, 1.0, 0.0]; 3], &[NOT; 3]),
            ("leg", &[[2.0, 0.0, 0.0]; 3], &[NOT; 3]),
        ],
    )
}

fn rises(heights: &[f64]) -> Track {
    (
        "Hip".into(),
        "translation",
        heights.iter().map(|y| vec![0.0, *y, 0.0]).collect(),
    )
}

/// An archive with the walk, followed by another motion if there is one.
fn walk_and(limp: Option<&[u8]>) -> Bytes {
    let walk = walk();
    let motions = [("Mech_walk", walk.as_slice())]
        .into_iter()
        .chain(limp.map(|limp| ("mech_limp", limp)));
    process::archive(&motions.collect::<Vec<_>>()).into()
}

/// The archive with the walk after the animations of a glTF file were taken in.
fn with_animations_of(file: &[u8]) -> refit::Result<(Vec<u8>, import::Report)> {
    let mut opened = pipeline::open(&walk_and(None), "motion.zbd", Hints::default()).unwrap();
    let file = Bytes::copy_from_slice(file);
    let beside = |path: &str| Err(refit::Error::say(format!("no {path}")));
    let source = import::Source {
        file: &file,
        beside: &beside,
    };
    let report = import::motions(&mut opened.model, &source, Options::default())?;
    Ok((opened.model.write().unwrap(), report))
}

#[test]
fn an_animation_with_a_new_name_becomes_a_motion() {
    // As many frames as keys; the parts of the walk in its order, the leg as a matrix placed and
    // rotated it, and further moving parts.
    let gun: Track = (
        "gun".into(),
        "translation",
        (0..4).map(|x| vec![f64::from(x % 3), 0.0, 0.0]).collect(),
    );
    let leg =
        json!({ "name": "leg.001", "matrix": [1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 3, 0, 0, 1] });
    let times = [0.0, 0.125, 0.25, 0.375];
    let (found, report) = with_animations_of(&glb_with(
        "mech_limp.001",
        &times,
        &[gun, rises(&[1.0, 2.0, 3.0, 4.0])],
        &[leg],
    ))
    .unwrap();
    let limp = by_hand(
        0.375,
        &[
            (
                "Hip",
                &[
                    [0.0, 1.0, 0.0],
                    [0.0, 2.0, 0.0],
                    [0.0, 3.0, 0.0],
                    [0.0, 4.0, 0.0],
                ],
                &[NOT; 4],
            ),
            ("leg", &[[3.0, 0.0, 0.0]; 4], &[AROUND_X; 4]),
            (
                "gun",
                &[
                    [0.0, 0.0, 0.0],
                    [1.0, 0.0, 0.0],
                    [2.0, 0.0, 0.0],
                    [0.0, 0.0, 0.0],
                ],
                &[NOT; 4],
            ),
        ],
    );
    assert_bytes(&found, &walk_and(Some(&limp)));
    assert_eq!((report.motions_new, report.curves_changed), (1, 0));
    assert!(
        report
            .notes
            .iter()
            .any(|n| n.ends_with("parts that the 'mech's other motions do not have: 1")),
        "{:?}",
        report.notes
    );
    // Keys at any times: frames at the rate of the walk. A later first key is the beginning.
    for begin in [0.0, 0.5] {
        let (found, report) = with_animations_of(&glb(
            "mech_limp",
            &[begin, begin + 0.25, begin + 1.0],
            &[rises(&[0.0, 1.0, 4.0])],
        ))
        .unwrap();
        let heights = [
            [0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.0, 3.0, 0.0],
            [0.0, 4.0, 0.0],
        ];
        assert_bytes(
            &found,
            &walk_and(Some(&by_hand(1.0, &[("Hip", &heights, &[NOT; 5])]))),
        );
        let notes = report.notes.join("\n");
        assert!(
            notes.contains("it takes 1.000 s in 4 frames, 4 a second"),
            "{notes}"
        );
        assert!(
            notes.contains("that are not in the file: 1")
                && notes.contains("first key is at 0.500 s") == (begin > 0.0),
            "{notes}"
        );
    }
}

#[test]
fn an_animation_that_is_a_motion_already_changes_it() {
    // An existing motion is recognised, and nothing else changes.
    let (found, report) = with_animations_of(&glb(
        "mech_WALK",
        &[0.0, 0.25, 0.5],
        &[rises(&[1.0, 7.0, 1.0])],
    ))
    .unwrap();
    let edited = by_hand(
        0.5,
        &[
            (
                "hip",
                &[[0.0, 1.0, 0.0], [0.0, 7.0, 0.0], [0.0, 1.0, 0.0]],
                &[NOT; 3],
            ),
            ("leg", &[[2.0, 0.0, 0.0]; 3], &[NOT; 3]),
        ],
    );
    assert_bytes(&found, &process::archive(&[("Mech_walk", &edited)]));
    assert_eq!((report.motions_new, report.curves_changed), (0, 1));
    // Its export gives the same motion under another name.
    let (found, _) = with_animations_of(&glb(
        "mech_limp",
        &[0.0, 0.25, 0.5],
        &[
            rises(&[1.0, 1.0, 1.0]),
            ("leg".into(), "translation", vec![vec![2.0, 0.0, 0.0]; 3]),
        ],
    ))
    .unwrap();
    let again = by_hand(
        0.5,
        &[
            ("Hip", &[[0.0, 1.0, 0.0]; 3], &[NOT; 3]),
            ("leg", &[[2.0, 0.0, 0.0]; 3], &[NOT; 3]),
        ],
    );
    assert_bytes(&found, &walk_and(Some(&again)));
}

#[test]
fn invalid_motions_are_refused() {
    let refused = |file: &[u8], word: &str| {
        let error = with_animations_of(file)
            .err()
            .unwrap_or_else(|| panic!("{word}"))
            .to_string();
        assert!(error.contains(word), "{word}: {error}");
    };
    refused(
        &glb("", &[0.0, 1.0], &[rises(&[0.0, 1.0])]),
        "an animation without a name",
    );
    refused(&glb("mech_limp", &[0.0, 1.0], &[]), "moves no node");
    refused(&glb("mech_limp", &[0.0], &[rises(&[1.0])]), "takes no time");
    refused(
        &glb(
            &"m".repeat(65),
            &[0.0, 1.0, 2.0],
            &[rises(&[0.0, 1.0, 2.0])],
        ),
        "mmm",
    );
    refused(
        &glb(
            "mech_\u{4e2d}",
            &[0.0, 1.0, 2.0],
            &[rises(&[0.0, 1.0, 2.0])],
        ),
        "mech_",
    );
    // Twenty parts of an hour at sixty a second are a file that fills the memory.
    let many: Vec<Track> = (0..20)
        .map(|i| {
            (
                format!("part{i}"),
                "translation",
                vec![vec![0.0; 3], vec![1.0; 3], vec![2.0; 3]],
            )
        })
        .collect();
    refused(
        &glb("mech_limp", &[0.0, 1.0, 1e7], &many),
        "too long for a motion",
    );
    let mut opened = pipeline::open(&walk_and(None), "motion.zbd", Hints::default()).unwrap();
    let file = Bytes::from(glb(
        "walk",
        &[0.0, 0.5],
        &many
            .iter()
            .map(|(n, p, k)| (n.clone(), *p, k[..2].to_vec()))
            .collect::<Vec<_>>(),
    ));
    let beside = |path: &str| Err(refit::Error::say(format!("no {path}")));
    let source = import::Source {
        file: &file,
        beside: &beside,
    };
    assert!(
        import::add_motion(&mut opened.model, "mech_WALK", &source, Options::default())
            .unwrap_err()
            .to_string()
            .contains("exists already"),
        "it exists"
    );
    assert!(import::add(&mut opened.model, "hip", &source, Options::default()).is_err());
}

#[test]
fn new_motions_go_into_files_trees_and_projects_through_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    let read = |path: &str| std::fs::read(at(path)).unwrap();
    let walk = walk();
    let limp = by_hand(
        0.5,
        &[(
            "Hip",
            &[[0.0, 1.0, 0.0], [0.0, 5.0, 0.0], [0.0, 1.0, 0.0]],
            &[NOT; 3],
        )],
    );
    let (before, after) = (
        process::archive(&[("mech_walk", &walk)]),
        process::archive(&[("mech_walk", &walk), ("mech_limp", &limp)]),
    );
    std::fs::create_dir_all(at("game/zbd")).unwrap();
    std::fs::write(at("game/zbd/motion.zbd"), &before).unwrap();
    std::fs::write(
        at("limp.glb"),
        glb("mech_limp", &[0.0, 0.25, 0.5], &[rises(&[1.0, 5.0, 1.0])]),
    )
    .unwrap();
    process::run(dir.path(), "unpack game/zbd/motion.zbd -o tree").code(0);
    process::run(dir.path(), "unpack game -o project").code(0);
    // Both ways, into a file: all of a file's animations, or one by the name of the motion.
    let printed = process::run(
        dir.path(),
        "import limp.glb --into game/zbd/motion.zbd -o import.zbd",
    )
    .code(0);
    assert!(
        process::out(&printed).contains("1 motion new"),
        "{}",
        process::out(&printed)
    );
    process::run(
        dir.path(),
        "put game/zbd/motion.zbd mech_limp limp.glb -o put.zbd",
    )
    .code(0);
    assert_bytes(&read("import.zbd"), &after);
    assert_bytes(&read("put.zbd"), &after);
    // Into a tree, and into a project's.
    process::run(dir.path(), "import limp.glb --into tree").code(0);
    process::run(dir.path(), "repack tree -o tree.zbd").code(0);
    assert_bytes(&read("tree.zbd"), &after);
    process::run(dir.path(), "put project/zbd/motion.zbd mech_limp limp.glb").code(0);
    let status = process::run(dir.path(), "status project").code(3);
    assert!(
        process::out(&status).contains("mech_limp"),
        "{}",
        process::out(&status)
    );
    process::run(dir.path(), "repack project -o game").code(0);
    assert_bytes(&read("game/zbd/motion.zbd"), &after);
    // The second time it exists, and is unchanged.
    process::run(dir.path(), "import limp.glb --into game/zbd/motion.zbd").code(0);
    assert_bytes(&read("game/zbd/motion.zbd"), &after);
    let under = process::run(
        dir.path(),
        "import limp.glb --into game/zbd/motion.zbd --under hip",
    )
    .code(1);
    assert!(
        process::err(&under).contains("--under is for worlds"),
        "{}",
        process::err(&under)
    );
    let missing = process::run(dir.path(), "put game/zbd/motion.zbd #7 limp.glb").code(1);
    assert!(
        process::err(&missing).contains("no member #7"),
        "{}",
        process::err(&missing)
    );
}
