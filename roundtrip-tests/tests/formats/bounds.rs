//! No file or tree costs more stack, memory or time than its own size explains, and refit reads
//! only regular files below a tree.

#[cfg(unix)]
use refit::tree::{DirSource, Folder};
use refit::{
    pipeline::{self, Hints, Via},
    tree::{Source, Style},
};
#[cfg(target_os = "linux")]
use roundtrip_tests::process::{peak, peak_with};
use roundtrip_tests::{by_hand, edit, exact, golden, golden_file, repack, repack_error, unpack};
#[cfg(unix)]
use std::path::Path;

/// A value of `levels` nested lists.
fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn a_fourth_item_of_a_cell_is_refused_unread() {
    // The limit of levels of RON is checked before anything else.
    for (style, said) in [
        (Style::Ron, "nested too deep"),
        (Style::Json, "more than three items"),
    ] {
        let case = golden_file("gamez", "pm_enums.gamez.zbd");
        let folder = unpack(&case, Hints::default(), style);
        let path = folder
            .paths()
            .into_iter()
            .find(|path| {
                folder
                    .text(path)
                    .contains("\"19 barrel_00019\", -0.6555675, 15.624608]")
            })
            .unwrap();
        let deep = format!("15.624608, {}]", nested(60_000));
        edit(&folder, &path, "15.624608]", &deep);
        let e = repack_error(&folder);
        assert!(e.contains(&path) && e.contains(said), "{e}");
        edit(&folder, &path, &deep, "15.624608, 1.0]");
        let e = repack_error(&folder);
        assert!(
            e.contains(&path) && e.contains("more than three items"),
            "{e}"
        );
    }
}

#[test]
fn deep_values_are_refused_at_every_place() {
    let deep = nested(30_000);
    let mut tried = 0;
    for format in [
        "anim", "gamez", "mechlib", "messages", "motion", "pbo", "savegame", "textures", "zmap",
    ] {
        let case = golden(format)
            .into_iter()
            .min_by_key(|case| case.bytes.len().abs_diff(2000))
            .unwrap();
        let folder = unpack(&case, Hints::default(), Style::Ron);
        for path in folder
            .paths()
            .into_iter()
            .filter(|path| path.ends_with(".ron"))
            .take(6)
        {
            let text = folder.text(&path);
            let places: Vec<usize> = text.match_indices(": ").map(|(at, _)| at + 2).collect();
            let step = places.len().div_ceil(8).max(1);
            for at in places.into_iter().step_by(step) {
                let rest = &text[at..];
                let end = rest.find([',', '\n']).unwrap_or(rest.len());
                folder.set(
                    &path,
                    format!("{}{deep}{}", &text[..at], &rest[end..]).into_bytes(),
                );
                // Inside of a string or a comment it is only text.
                if let Err(e) = pipeline::repack(&folder) {
                    assert!(
                        !e.to_string().contains("internal error") && e.to_string().len() < 5000,
                        "{path}: {e}"
                    );
                    tried += 1;
                }
            }
            folder.set(&path, text.into_bytes());
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn unknown_manifest_fields_are_bounded() {
    let folder = unpack(
        &golden_file("gamez", "pm_minimum.gamez.zbd"),
        Hints::default(),
        Style::Ron,
    );
    edit(
        &folder,
        "refit.ron",
        "  tree: 2,",
        &format!("  tree: 2,\n  later: {},", nested(60_000)),
    );
    let e = repack_error(&folder);
    assert!(
        e.contains("refit.ron") && e.contains("nested too deep"),
        "{e}"
    );
}

#[test]
fn errors_are_short() {
    // A string of five bytes with two bytes left, in lists of one item.
    let mut file = [4u32.to_le_bytes(), 2u32.to_le_bytes()]
        .concat()
        .repeat(200_000);
    file.extend([3u32.to_le_bytes(), 5u32.to_le_bytes()].concat());
    file.extend([0; 2]);
    let archive = by_hand::archive(
        &[
            by_hand::member("a.zrd", &file),
            by_hand::member("b.zrd", &by_hand::list(&[])),
        ],
        false,
        None,
    );
    let outcome =
        pipeline::verify(&archive.into(), "reader.zbd", Hints::default(), Via::Bytes).unwrap();
    let (_, why) = outcome.raw.first().unwrap();
    assert!(
        why.len() < 1000
            && why.starts_with("[0][0][0]")
            && why.contains("…")
            && why.contains("5 bytes, but 2 are left"),
        "{why}"
    );
    let folder = unpack(
        &golden_file("gamez", "pm_minimum.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    edit(
        &folder,
        "refit.json",
        "\"game\": \"pm\"",
        &format!("\"game\": \"{}\"", "x".repeat(200_000)),
    );
    let e = repack_error(&folder);
    assert!(
        e.len() < 3000 && e.contains("xxx…") && e.contains("refit.json"),
        "{e}"
    );
}

#[test]
fn empty_slots_are_bounded_by_those_in_use() {
    let folder = unpack(
        &golden_file("gamez", "mw_base.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    let manifest = folder.text("refit.json");
    for (from, to, what) in [
        ("\"slots\": 14", "\"slots\": 16777216", "model slots"),
        ("\"slots\": 14", "\"slots\": 70000", "model slots"),
        ("\"slots\": 50", "\"slots\": 16777216", "node records"),
    ] {
        edit(&folder, "refit.json", from, to);
        let e = repack_error(&folder);
        assert!(e.contains(what) && e.contains("`slots`"), "{e}");
        folder.set("refit.json", manifest.clone().into_bytes());
    }
    edit(&folder, "refit.json", "\"slots\": 50", "\"slots\": 60000");
    assert!(repack(&folder).len() > 60_000 * 200);
    folder.set("refit.json", manifest.into_bytes());

    let materials = folder.text("materials.json");
    let slots = materials.find("\"slots\": ").unwrap() + 9;
    let end = slots + materials[slots..].find([',', '\n']).unwrap();
    folder.set(
        "materials.json",
        format!("{}16777216{}", &materials[..slots], &materials[end..]).into_bytes(),
    );
    let e = repack_error(&folder);
    assert!(e.contains("material slots"), "{e}");
    folder.set("materials.json", materials.into_bytes());

    let model = folder
        .paths()
        .into_iter()
        .find(|path| path.starts_with("models/"))
        .unwrap();
    folder.set("models/1000000-copy.json", folder.text(&model).into_bytes());
    let e = repack_error(&folder);
    assert!(
        e.contains("models/1000000-copy.json") && e.contains("slots empty"),
        "{e}"
    );
}

#[test]
fn crimson_skies_always_has_the_same_number_of_material_slots() {
    let folder = unpack(
        &golden_file("gamez", "cs_c1.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    edit(
        &folder,
        "materials.json",
        "\"slots\": 1000",
        "\"slots\": 1001",
    );
    let e = repack_error(&folder);
    assert!(e.contains("always has 1000"), "{e}");
}

/// It is well framed, so it survives the round trip: the tree has each slot, instead of a number
/// that would be too large.
#[test]
fn a_file_with_many_empty_slots_survives_the_round_trip() {
    let case = golden_file("gamez", "mw_base.gamez.zbd");
    let folder = unpack(&case, Hints::default(), Style::Json);
    let models = folder
        .paths()
        .iter()
        .filter(|path| path.starts_with("models/"))
        .count() as u32;
    let taken: Vec<u32> = folder
        .paths()
        .iter()
        .filter_map(|path| path.strip_prefix("models/")?.get(..4)?.parse().ok())
        .collect();
    let free: Vec<String> = (0..70_000)
        .filter(|slot| !taken.contains(slot))
        .map(|slot| slot.to_string())
        .collect();
    assert!(free.len() as u32 + models == 70_000);
    let list = format!("\"slots\": 130000, \"free_list\": [{}]", free.join(", "));
    edit(&folder, "refit.json", "\"slots\": 14", &list);
    let last = folder
        .paths()
        .into_iter()
        .rfind(|path| path.starts_with("nodes/"))
        .unwrap();
    let nodes = folder.text(&last);
    let end = nodes.rfind(']').unwrap();
    folder.set(
        &last,
        format!(
            "{}{}{}",
            &nodes[..end],
            ", null".repeat(5_000),
            &nodes[end..]
        )
        .into_bytes(),
    );
    edit(&folder, "refit.json", "\"slots\": 50", "\"slots\": 70500");
    let bytes = repack(&folder);
    let large = roundtrip_tests::Case {
        path: case.path,
        folder: case.folder,
        bytes: bytes.into(),
    };
    exact(&large, Hints::default());
}

/// A tree on disk.
#[cfg(unix)]
fn stored(folder: &Folder, at: &Path) {
    for path in folder.paths() {
        let full = at.join(&path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, folder.get(&path).unwrap()).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_in_a_tree_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (tree, outside) = (dir.path().join("tree"), dir.path().join("outside"));
    let error = || match pipeline::repack(&DirSource::new(&tree)) {
        Ok((_, bytes)) => panic!(
            "repacked to {} bytes where an error was expected",
            bytes.len()
        ),
        Err(e) => e.to_string(),
    };
    let link = |to: &Path, at: &str| {
        std::fs::rename(tree.join(at), dir.path().join("away")).unwrap();
        std::os::unix::fs::symlink(to, tree.join(at)).unwrap();
    };
    let back = |at: &str| {
        std::fs::remove_file(tree.join(at)).unwrap();
        std::fs::rename(dir.path().join("away"), tree.join(at)).unwrap();
    };
    std::fs::create_dir(&outside).unwrap();
    for format in ["archive", "pbo", "reader", "textures"] {
        let folder = unpack(
            &golden(format)
                .into_iter()
                .max_by_key(|case| case.bytes.len())
                .unwrap(),
            Hints::default(),
            Style::Json,
        );
        stored(&folder, &tree);
        pipeline::repack(&DirSource::new(&tree)).unwrap();
        let ours = |path: &String| path.starts_with('.') || path.starts_with("refit.");
        let member = folder.paths().into_iter().find(|path| !ours(path)).unwrap();
        // The content is correct, and the file is the packer's own: the link is refused, not its
        // target.
        std::fs::copy(tree.join(&member), outside.join("secret")).unwrap();
        for (to, at) in [
            (outside.join("secret"), member.as_str()),
            ("/dev/zero".into(), &member),
            (outside.join("secret"), "refit.json"),
        ] {
            link(&to, at);
            let e = error();
            assert!(e.contains(at) && e.contains("link"), "{format}: {e}");
            back(at);
        }
        if let Some((first, _)) = member.split_once('/') {
            link(&outside, first);
            std::fs::remove_dir_all(&outside).unwrap();
            std::fs::rename(dir.path().join("away"), &outside).unwrap();
            let e = error();
            assert!(e.contains("link"), "{format}: {e}");
            std::fs::remove_file(tree.join(first)).unwrap();
            std::fs::rename(&outside, tree.join(first)).unwrap();
            std::fs::create_dir(&outside).unwrap();
        }
        for at in [member.as_str(), "refit.json", ".refit/blake3"] {
            std::fs::remove_file(tree.join(at)).unwrap();
            if !std::process::Command::new("mkfifo")
                .arg(tree.join(at))
                .status()
                .is_ok_and(|status| status.success())
            {
                return;
            }
            let e = DirSource::new(&tree).get(at).unwrap_err().to_string();
            assert!(e.contains(at) && e.contains("not a regular file"), "{e}");
            if at != ".refit/blake3" {
                let e = error();
                assert!(
                    e.contains(at) && e.contains("not a regular file"),
                    "{format}: {e}"
                );
            }
            std::fs::remove_file(tree.join(at)).unwrap();
            std::fs::write(tree.join(at), folder.get(at).unwrap()).unwrap();
        }
        pipeline::repack(&DirSource::new(&tree)).unwrap();
        std::fs::remove_dir_all(&tree).unwrap();
    }
}

/// If the folder determines the content of the file, a link in it must not be mistaken for a
/// deleted file.
#[cfg(unix)]
#[test]
fn a_folder_that_is_the_content_contains_no_links() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let (tree, away) = (dir.path().join("tree"), dir.path().join("away"));
    let cases = [
        (
            "gamez",
            "pm_enums.gamez.zbd",
            &["models/0000-rock_00026.json", "models", "nodes"][..],
        ),
        (
            "planes",
            "cs_planes_small.zbd",
            &["models/0000.json", "models", "nodes"],
        ),
        (
            "pbo",
            "signed.pbo",
            &["files/config.bin", "files/data", "files"],
        ),
    ];
    for (format, name, links) in cases {
        let case = golden_file(format, name);
        stored(&unpack(&case, Hints::default(), Style::Json), &tree);
        for at in links {
            std::fs::rename(tree.join(at), &away).unwrap();
            for to in [
                away.as_path(),
                Path::new("/proc/self/fd"),
                Path::new("/nonexistent"),
            ] {
                symlink(to, tree.join(at)).unwrap();
                match pipeline::repack(&DirSource::new(&tree)) {
                    Ok((_, bytes)) => panic!(
                        "{name}: {at} as a link to {to:?}: repacked to {} bytes",
                        bytes.len()
                    ),
                    Err(e) => assert!(
                        e.to_string().contains("link") && e.to_string().contains(at),
                        "{name}: {e}"
                    ),
                }
                std::fs::remove_file(tree.join(at)).unwrap();
            }
            std::fs::rename(&away, tree.join(at)).unwrap();
        }
        assert!(pipeline::repack(&DirSource::new(&tree)).unwrap().1 == case.bytes);
        std::fs::remove_dir_all(&tree).unwrap();
    }
}

/// An archive of files of a few bytes in some folders.
#[cfg(target_os = "linux")]
fn many_small_files(count: usize) -> Vec<u8> {
    let mut file = vec![0];
    file.extend(0x5665_7273u32.to_le_bytes());
    file.extend([0; 17]);
    for i in 0..count {
        file.extend(format!("scripts\\{:04}\\f{i:06}.sqf\0", i / 500).as_bytes());
        file.extend([0, 0, 0, 0, 8u32].map(u32::to_le_bytes).concat());
    }
    file.extend([0; 21]);
    (0..count).for_each(|i| file.extend(format!("{i:07}\n").as_bytes()));
    file
}

/// Entries of the larger file: a quarter of the bound's number.
#[cfg(target_os = "linux")]
const MANY: usize = 50_000;

/// An archive of 200,000 entries needs at most 1.5 times its size and 64 MB more than one with a
/// single entry, which takes the same ways through the program: for every command, of the file and
/// of its tree.
#[cfg(target_os = "linux")]
fn grows_with_its_size(ext: &str, few: &[u8], many: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    let limit =
        (many.len() - few.len()) as u64 * 3 / 2 + (64 << 20) * MANY as u64 / 200_000 + 4_000_000;
    let names = ["few", "many"].map(|name| (name, format!("{name}.{ext}")));
    for ((_, file), bytes) in names.iter().zip([few, many]) {
        std::fs::write(dir.path().join(file), bytes).unwrap();
    }
    let hold = |line: &str, [few, many]: [&str; 2]| {
        let [few, many] = [few, many].map(|name| peak(dir.path(), &format!("{line} {name}")));
        assert!(
            many.saturating_sub(few) < limit,
            "{ext}: {line}: {many} bytes, {few} of them for the smaller; the limit is {limit} more"
        );
    };
    for line in [
        "verify",
        "verify --via ron",
        "list",
        "info",
        "lint",
        "unpack",
    ] {
        hold(line, names.each_ref().map(|(_, file)| file.as_str()));
    }
    names
        .iter()
        .for_each(|(_, file)| std::fs::remove_file(dir.path().join(file)).unwrap());
    for line in ["list", "lint", "status", "repack"] {
        hold(line, names.each_ref().map(|(tree, _)| *tree));
    }
    assert!(std::fs::read(dir.path().join(&names[1].1)).unwrap() == many);
}

/// S1: the cost of hundreds of thousands of files besides their bytes.
#[cfg(target_os = "linux")]
#[test]
fn many_small_files_need_a_bounded_multiple_of_their_archive() {
    grows_with_its_size("pbo", &many_small_files(1), &many_small_files(MANY));
}

/// S1, of archives of both versions, with documents and with plain files.
#[cfg(target_os = "linux")]
#[test]
fn many_small_members_need_a_bounded_multiple_of_their_archive() {
    let of = |count: usize, ext: &str, checksum: Option<u32>| {
        let members: Vec<(String, Vec<u8>)> = (0..count)
            .map(|i| {
                (
                    format!("dir{:03}\\f{i:06}.{ext}", i / 1000),
                    by_hand::list(&[by_hand::int(i as i32)]),
                )
            })
            .collect();
        let members: Vec<by_hand::Member<'_>> = members
            .iter()
            .map(|(name, payload)| by_hand::member(name, payload))
            .collect();
        by_hand::archive(&members, false, checksum)
    };
    for (ext, checksum) in [("txt", None), ("zrd", Some(0))] {
        grows_with_its_size("zbd", &of(1, ext, checksum), &of(MANY, ext, checksum));
    }
}

/// A texture in blocks of 512 × 512 pixels: 128 kB, and 768 kB as a picture.
#[cfg(target_os = "linux")]
fn texture(n: u8) -> Vec<u8> {
    let mut file = b"\x01\xffGGATCGVA\x04\0\0\0\x20\x40\x60\xff\0\0\0\x02\0\x02\0\0\x02".to_vec();
    (0..16_384u32).for_each(|i| file.extend([[n, 0xf8, 0xe0, 7], i.to_le_bytes()].concat()));
    file.extend([0; 6]);
    file
}

/// However many textures an archive has, few of their pictures are in memory at a time.
#[cfg(target_os = "linux")]
#[test]
fn the_pictures_of_an_archive_are_not_in_memory_together() {
    const LIMIT: u64 = 20_000_000;
    let dirs = [4, 84].map(|count| {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("addon");
        std::fs::create_dir(&folder).unwrap();
        (0..count)
            .for_each(|n| std::fs::write(folder.join(format!("t{n}_co.paa")), texture(n)).unwrap());
        dir
    });
    let mut over = Vec::new();
    for (line, codes) in [
        ("repack addon --format pbo", &[0][..]),
        ("unpack addon.pbo -o tree", &[0]),
        ("verify addon.pbo", &[0]),
        ("repack tree -o again.pbo", &[0]),
        ("put again.pbo t0_co.paa tree/files/t1_co.png", &[0]),
        ("diff addon.pbo again.pbo", &[3]),
        ("diff addon.pbo tree", &[0]),
        ("find nobody_says_this addon.pbo", &[1]),
        ("lint addon.pbo", &[0]),
        ("export addon.pbo -o sheet", &[0]),
    ] {
        let [few, many] = [0, 1].map(|i| peak_with(dirs[i].path(), line, codes));
        println!("{line}: {few} and {many}");
        if many > few + LIMIT {
            over.push(format!("{line}: {many} bytes, {few} with 4 textures"));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

/// A few numbers in a mod request any number of copies of the game's content.
#[cfg(target_os = "linux")]
#[test]
fn a_hostile_mod_needs_little_more_memory_than_itself_and_the_file() {
    use refit::diff::Value;
    use serde_json::json;
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["game", "bad"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    let short = |bytes: &[u8]| refit::sha256(bytes)[..16].to_owned();
    let raw: Vec<u8> = (0..1_000_000u32).map(|i| (i ^ i >> 9) as u8).collect();
    std::fs::write(at("game/raw.bin"), &raw).unwrap();
    let line = format!("{}\n", "long line ".repeat(50_000));
    std::fs::write(at("game/text.ini"), &line).unwrap();
    let sum = Value::from(line.as_str()).sum();
    let list = by_hand::list(&(0..60_000).map(by_hand::int).collect::<Vec<_>>());
    let nested = by_hand::archive(
        &[by_hand::member("a.zrd", &by_hand::list(&[list]))],
        false,
        None,
    );
    std::fs::write(at("game/reader.zbd"), &nested).unwrap();
    let inner = Value::List(
        (0..60_000)
            .map(|i| Value::Number(i.to_string().into()))
            .collect(),
    )
    .sum();
    let pieces = |times: usize| {
        json!({ "part": "", "pieces": { "was": short(&raw), "pieces": vec![json!([0,
        1_000_000]); times] } })
    };
    let text = |times: usize| {
        json!({ "part": "", "changes": [{ "at": [[0, sum]], "was": sum, "text": vec![json!([0,
        line.len()]); times] }] })
    };
    let copies = |times: usize| {
        let copy = json!({ "copy": { "of": [0, inner], "was": inner } });
        json!({ "part": "a.zrd.json", "changes": [{ "at": [], "place": vec![copy; times], "after": [0, inner] }] })
    };
    let like = |times: usize| {
        (0..times)
            .map(|i| json!({ "part": format!("{i}.zrd.json"), "new": { "like": "a.zrd.json" } }))
            .collect::<Vec<_>>()
    };
    let bombs = [
        ("raw.bin", json!([pieces(1000)])),
        ("raw.bin", json!([pieces(100_000)])),
        (
            "raw.bin",
            json!([{ "part": "", "pieces": { "was": short(&raw), "pieces": [[0, 1u64 << 62], [0, 1u64 << 62]] } }]),
        ),
        ("text.ini", json!([text(2000)])),
        ("reader.zbd", json!([copies(2000)])),
        ("reader.zbd", json!(like(2000))),
    ];
    for (file, parts) in bombs {
        let manifest = json!({ "refitmod": 1, "name": "bad", "files": [{ "path": file, "changes": "changes.json" }] });
        std::fs::write(at("bad/mod.json"), manifest.to_string()).unwrap();
        let changes = json!({ "parts": parts }).to_string();
        std::fs::write(at("bad/changes.json"), &changes).unwrap();
        let before = roundtrip_tests::process::snapshot(&at("game"));
        let most = peak_with(dir.path(), "mod apply bad --to game", &[1, 3]);
        let limit = 200_000_000 + 40 * changes.len() as u64;
        assert!(
            most < limit,
            "{file}: {most} bytes for a mod of {}; the limit is {limit}",
            changes.len()
        );
        let printed = roundtrip_tests::process::run(dir.path(), "mod check bad --to game");
        let printed = roundtrip_tests::process::err(&printed);
        assert!(
            printed.contains("asks for many more bytes"),
            "{file}: {printed}"
        );
        roundtrip_tests::process::refit(dir.path())
            .args(["mod", "remove", "bad", "--from", "game"])
            .output()
            .unwrap();
        assert_eq!(
            roundtrip_tests::process::snapshot(&at("game")),
            before,
            "{file}"
        );
    }
}

/// A claim in a glTF file costs no memory that its bytes do not explain, and is an error.
#[cfg(target_os = "linux")]
#[test]
fn hostile_gltf_needs_little_more_memory_than_its_file() {
    use serde_json::{Value, json};
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("gamez.zbd"),
        &golden_file("gamez", "mw_base.gamez.zbd").bytes,
    )
    .unwrap();
    std::fs::write(
        dir.path().join("motion.zbd"),
        &golden_file("motion", "pm_typical_motion.zbd").bytes,
    )
    .unwrap();
    std::fs::write(dir.path().join("big.bin"), vec![0; 8_000_000]).unwrap();
    let root = |edit: &dyn Fn(&mut Value)| {
        let mut root = json!({
            "asset": { "version": "2.0" }, "nodes": [{ "mesh": 0 }], "buffers": [{ "byteLength": 44 }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
        });
        edit(&mut root);
        root
    };
    let primitive = json!({ "attributes": { "POSITION": 0 } });
    let key = |at: f32| at.to_le_bytes();
    let times = [key(0.0), key(1.0), key(1e9)].concat();
    let moving = |nodes: usize| {
        let channel = |node: usize| json!({ "sampler": 0, "target": { "node": node, "path": "translation" } });
        root(&|r| {
            r["nodes"] = (0..nodes)
                .map(|i| json!({ "name": format!("n{i}") }))
                .collect();
            r["animations"] = json!([{ "name": "new_one", "samplers": [{ "input": 1, "output": 0 }],
                "channels": (0..nodes).map(channel).collect::<Vec<_>>() }]);
            r["bufferViews"] = json!([{ "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": 12 }]);
            r["buffers"][0]["byteLength"] = json!(48);
            r["accessors"].as_array_mut().unwrap().push(
                json!({ "bufferView": 1, "componentType": 5126, "count": 3, "type": "SCALAR" }),
            );
        })
    };
    let models = "put gamez.zbd models/0000-torso_00023";
    let hostile = [
        (
            "count",
            models,
            root(&|r| r["accessors"][0]["count"] = json!(4_000_000_000u32)),
        ),
        (
            "zeros",
            models,
            root(&|r| {
                r["accessors"][0] =
                    json!({ "componentType": 5126, "count": 900_000_000, "type": "VEC3" })
            }),
        ),
        (
            "sparse",
            models,
            root(&|r| {
                r["accessors"][0]["sparse"] = json!({ "count": 900_000_000, "indices": { "bufferView": 0,
                    "componentType": 5125 }, "values": { "bufferView": 0 } })
            }),
        ),
        (
            "buffer",
            models,
            root(&|r| r["buffers"][0]["byteLength"] = json!(8_000_000_000u64)),
        ),
        (
            "again",
            models,
            root(&|r| r["meshes"][0]["primitives"] = json!(vec![primitive.clone(); 60_000])),
        ),
        // A thousand unused buffers of one file.
        (
            "files",
            models,
            root(&|r| {
                r["buffers"] = json!(vec![
                    json!({ "uri": "big.bin", "byteLength": 8_000_000 });
                    1000
                ]);
                r["nodes"] = json!([{}]);
            }),
        ),
        (
            "chain",
            models,
            root(&|r| {
                r["nodes"] = (0..1_000_000)
                    .map(|i| json!({ "children": [i + 1] }))
                    .collect()
            }),
        ),
        (
            "empty",
            models,
            root(&|r| r["meshes"] = json!(vec![json!({}); 3_000_000])),
        ),
        ("hours", "put motion.zbd new_one", moving(100)),
    ];
    for (name, line, root) in hostile {
        let data = [&[0u8; 24][..], &[0, 0, 128, 63].repeat(3), &times].concat();
        let file = roundtrip_tests::khronos::glb(&root, &data);
        std::fs::write(dir.path().join("bad.glb"), &file).unwrap();
        let most = peak_with(dir.path(), &format!("{line} bad.glb"), &[1]);
        let limit = 60_000_000 + 40 * file.len() as u64;
        assert!(
            most < limit,
            "{name}: {most} bytes for {} of the file; the limit is {limit}",
            file.len()
        );
    }
}

/// A world with so many objects, each with a model of its own.
#[cfg(target_os = "linux")]
fn world_of(folder: &Path, name: &str, objects: usize) {
    use serde_json::json;
    const CORNERS: usize = 30;
    let (mut buffer, mut accessors, mut meshes) = (Vec::new(), Vec::new(), Vec::new());
    let mut nodes = vec![json!({ "name": "all", "children": (1..=objects).collect::<Vec<_>>() })];
    for i in 0..objects {
        let at = buffer.len();
        for corner in 0..CORNERS {
            let (corner, i) = (corner as f32, i as f32);
            for number in [
                corner * 0.31 + i * 0.01,
                corner % 7.0,
                corner * corner * 0.1,
            ] {
                buffer.extend(f32::to_le_bytes(number));
            }
        }
        accessors.push(json!({
            "bufferView": 0, "byteOffset": at, "componentType": 5126, "count": CORNERS, "type": "VEC3",
            "min": [0, 0, 0], "max": [1000, 1000, 1000]
        }));
        meshes.push(json!({ "primitives": [{ "attributes": { "POSITION": i } }] }));
        let (x, z) = ((i % 60) * 4, (i / 60) * 4);
        nodes.push(json!({ "name": format!("object{i}"), "mesh": i, "translation": [x, 0, z] }));
    }
    let text = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": nodes, "meshes": meshes, "accessors": accessors,
        "bufferViews": [{ "buffer": 0, "byteLength": buffer.len() }],
        "buffers": [{ "byteLength": buffer.len(), "uri": "objects.bin" }]
    });
    std::fs::write(folder.join("objects.bin"), buffer).unwrap();
    std::fs::write(folder.join("objects.gltf"), text.to_string()).unwrap();
    for line in [
        "new gamez --game mw --extents 0,0,1024,1024 -o empty.zbd --force".to_owned(),
        format!("import objects.gltf --into empty.zbd --under world1 -o {name}.zbd"),
        format!("world move {name}.zbd object1 --by 1,0,1 -o {name}.moved"),
    ] {
        roundtrip_tests::process::run(folder, &line).success();
    }
}

/// Asserts that each command needs for a large file at most so many hundredths of the file's size
/// more than for a small one.
#[cfg(target_os = "linux")]
fn needs(folder: &Path, [few, many]: [&str; 2], file: &str, lines: &[(&str, &[i32], u64)]) {
    let size = |name: &str| {
        std::fs::metadata(folder.join(file.replace('*', name)))
            .unwrap()
            .len()
    };
    let more = size(many) - size(few);
    let mut over = Vec::new();
    for (line, codes, hundredths) in lines {
        let [few, many] =
            [few, many].map(|name| peak_with(folder, &line.replace('*', name), codes));
        let took = many.saturating_sub(few) * 100 / more;
        println!("{line}: {few} and {many}, {took} hundredths of {more}");
        if took > *hundredths {
            over.push(format!(
                "{line}: {took} hundredths, the limit is {hundredths}"
            ));
        }
    }
    assert!(over.is_empty(), "{over:#?}");
}

/// Makes the mod `NAME.refitmod` of `NAME.zbd` and of its edited state, and a game for it.
#[cfg(target_os = "linux")]
fn make_a_mod(folder: &Path, name: &str, edited: &str) {
    let game = folder.join(format!("{name}.game"));
    std::fs::create_dir(&game).unwrap();
    let file = format!("{name}.zbd");
    std::fs::copy(folder.join(&file), game.join(&file)).unwrap();
    let line = format!("mod make {file} {name}.{edited} -o {name}.refitmod");
    roundtrip_tests::process::run(folder, &line).success();
}

/// Only what an edit touches is in memory as values, and the lines of an explanation are not kept.
#[cfg(target_os = "linux")]
#[test]
fn edits_of_a_world_need_a_small_multiple_of_it() {
    let dir = tempfile::tempdir().unwrap();
    world_of(dir.path(), "few", 20);
    world_of(dir.path(), "many", 2500);
    for name in ["few", "many"] {
        make_a_mod(dir.path(), name, "moved");
    }
    needs(
        dir.path(),
        ["few", "many"],
        "*.zbd",
        &[
            ("explain *.zbd", &[0], 220),
            ("diff *.zbd *.moved", &[3], 750),
            (
                "mod make *.zbd *.moved -o again.refitmod --force",
                &[0],
                750,
            ),
            ("mod apply *.refitmod --to *.game", &[0], 700),
        ],
    );
}

/// The lines of the table, which is last, do not wait for the members, nor those for the table. Of
/// the members, only those that an edit touches are in memory as texts.
#[cfg(target_os = "linux")]
#[test]
fn explaining_and_comparing_archives_keeps_few_members() {
    let dir = tempfile::tempdir().unwrap();
    for (name, count) in [("few", 10), ("many", 20_000)] {
        let of = |edit: i32| {
            let value = |i: i32| if i % 10 == 0 { i + edit } else { i };
            let members: Vec<(String, Vec<u8>)> = (0..count)
                .map(|i| {
                    let list = by_hand::list(&[by_hand::int(value(i))]);
                    (format!("f{i:06}.zrd"), list)
                })
                .collect();
            let members: Vec<by_hand::Member<'_>> = members
                .iter()
                .map(|(name, payload)| by_hand::member(name, payload))
                .collect();
            by_hand::archive(&members, false, Some(0))
        };
        std::fs::write(dir.path().join(format!("{name}.zbd")), of(0)).unwrap();
        std::fs::write(dir.path().join(format!("{name}.edited")), of(1)).unwrap();
        make_a_mod(dir.path(), name, "edited");
    }
    needs(
        dir.path(),
        ["few", "many"],
        "*.zbd",
        &[
            ("explain *.zbd", &[0], 520),
            (
                "mod make *.zbd *.edited -o again.refitmod --force",
                &[0],
                1300,
            ),
            ("mod apply *.refitmod --to *.game", &[0], 1050),
        ],
    );
}

/// Definitions are read, written and compiled one by one.
#[cfg(target_os = "linux")]
#[test]
fn definitions_are_not_in_memory_together() {
    use serde_json::json;
    let dir = tempfile::tempdir().unwrap();
    let files = [("few", 10), ("many", 6000)]
        .map(|(name, count)| [false, true].map(|is_edited| (name, count, is_edited)));
    for (name, count, is_edited) in files.into_iter().flatten() {
        let folder = dir.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut listed = Vec::new();
        for i in 0..count {
            let mut events = Vec::new();
            for step in 0..12 {
                let state = match is_edited && i % 10 == 0 && step == 5 {
                    true => "INACTIVE",
                    false => "ACTIVE",
                };
                events.extend([
                    json!("OBJECT_ACTIVE_STATE"),
                    json!(["NAME", [format!("node{step}")], "STATE", [state]]),
                ]);
            }
            let sequence = [json!("NAME"), json!([format!("s{i}")])];
            let sequence: Vec<_> = sequence.into_iter().chain(events).collect();
            let definition = json!([
                "NAME",
                [format!("node{i}")],
                "ANIMATION_NAME",
                [format!("a{i}")],
                "SEQUENCE_DEFINITION",
                sequence
            ]);
            listed.extend([json!("ANIMATION_DEFINITION"), definition]);
        }
        let root = json!(["ANIMATION_DEFINITIONS", ["ANIMATION_LIST", listed]]);
        std::fs::write(folder.join("anim.zrd.json"), root.to_string()).unwrap();
        let end = if is_edited { "edited" } else { "zbd" };
        let line = format!("anim compile {name} --game rc -o {name}.{end}");
        roundtrip_tests::process::run(dir.path(), &line).success();
        if is_edited {
            make_a_mod(dir.path(), name, end);
        }
    }
    needs(
        dir.path(),
        ["few", "many"],
        "*.zbd",
        &[
            ("explain *.zbd", &[0], 150),
            ("anim decompile *.zbd -o *.defs", &[0], 250),
            (
                "anim compile *.defs --base *.zbd -o again.zbd --force",
                &[0, 3],
                620,
            ),
            (
                "mod make *.zbd *.edited -o again.refitmod --force",
                &[0],
                330,
            ),
            ("mod apply *.refitmod --to *.game", &[0], 380),
        ],
    );
}
