//! Edits of archives, reader files, sounds, scripts and motions: the bytes after each are made by
//! hand.

use bytes::Bytes;
use refit::{
    formats::{Format, Members},
    game::Game,
    pipeline::{self, Hints, Opened},
    tree::{Blob, Folder, Form, Head, Origin, Source, Style, TreeWriter},
};
use roundtrip_tests::{by_hand::*, *};
use std::{fs, path::Path};

fn case(path: &str, bytes: Vec<u8>) -> Case {
    Case {
        path: path.into(),
        folder: String::new(),
        bytes: bytes.into(),
    }
}

fn keys(code: i32, extra: &[Vec<u8>]) -> Vec<u8> {
    let mut items = vec![
        string("CMD_FIRE"),
        list(&[int(code)]),
        string("scale"),
        float(2.0),
    ];
    items.extend_from_slice(extra);
    list(&[list(&items)])
}

/// A Pirate's Moon reader archive of two members, with the right checksum, and one that an edit
/// should give.
fn reader(members: &[Member<'_>]) -> Vec<u8> {
    let data: Vec<u8> = members.iter().flat_map(|m| m.1.to_vec()).collect();
    archive(members, false, Some(checksum(&data)))
}

fn tree_of(bytes: Vec<u8>, path: &str, style: Style) -> Folder {
    unpack(&case(path, bytes), Hints::default(), style)
}

#[test]
fn the_independent_checksum_has_the_check_value() {
    assert_eq!(checksum(b"123456789"), 0x89A1_897F);
    let bytes: Vec<u8> = (0..10_000u32).map(|i| ((i * i) >> 3) as u8).collect();
    for n in [0, 1, 15, 16, 17, 1000, 10_000] {
        assert_eq!(
            refit::formats::archive::checksum([&bytes[..n]]),
            checksum(&bytes[..n]),
            "{n} bytes"
        );
    }
    // In parts it is the same.
    assert_eq!(
        refit::formats::archive::checksum([&bytes[..333], &bytes[333..]]),
        checksum(&bytes)
    );
}

#[test]
fn a_changed_value_updates_the_checksum() {
    for style in [Style::Json, Style::Ron] {
        let (a, b) = (keys(156, &[]), list(&[]));
        let tree = tree_of(
            reader(&[member("keys.zrd", &a), member("other.zrd", &b)]),
            "reader.zbd",
            style,
        );
        edit(&tree, &format!("keys.zrd.{}", style.ext()), "156", "30");
        assert_bytes(
            &repack(&tree),
            &reader(&[member("keys.zrd", &keys(30, &[])), member("other.zrd", &b)]),
        );
    }
}

#[test]
fn list_items_can_be_added_and_removed_and_2_is_not_2_0() {
    let a = keys(156, &[]);
    let original = reader(&[member("keys.zrd", &a)]);
    let tree = tree_of(original.clone(), "reader.zbd", Style::Json);
    assert_eq!(
        tree.text("keys.zrd.json"),
        "[[\"CMD_FIRE\", [156], \"scale\", 2.0]]\n"
    );
    edit(
        &tree,
        "keys.zrd.json",
        "2.0]",
        "2.0, \"new\", [-0.0, 7], []]",
    );
    let longer = keys(
        156,
        &[string("new"), list(&[float(-0.0), int(7)]), list(&[])],
    );
    assert_bytes(&repack(&tree), &reader(&[member("keys.zrd", &longer)]));
    edit(&tree, "keys.zrd.json", ", \"new\", [-0.0, 7], []", "");
    assert_bytes(&repack(&tree), &original);
    edit(&tree, "keys.zrd.json", "2.0", "2");
    let whole = list(&[list(&[
        string("CMD_FIRE"),
        list(&[int(156)]),
        string("scale"),
        int(2),
    ])]);
    assert_bytes(&repack(&tree), &reader(&[member("keys.zrd", &whole)]));
}

#[test]
fn members_are_renamed_added_removed_and_reordered() {
    let (a, b, c) = (keys(1, &[]), keys(2, &[]), keys(3, &[]));
    let table = [
        (
            "a.zrd",
            &a[..],
            2,
            &b"D:\\x.TMP"[..],
            125_703_109_915_200_000u64,
        ),
        member("b.zrd", &b),
    ];
    let tree = tree_of(reader(&table), "reader.zbd", Style::Json);

    edit(
        &tree,
        "refit.json",
        "\"name\": \"b.zrd\"",
        "\"name\": \"renamed.zrd\"",
    );
    assert_bytes(
        &repack(&tree),
        &reader(&[table[0], member("renamed.zrd", &b)]),
    );

    tree.set(
        "c.zrd.json",
        tree.text("b.zrd.json").replace("[2]", "[3]").into_bytes(),
    );
    edit(
        &tree,
        "refit.json",
        "{ \"name\": \"renamed.zrd\"",
        "{ \"name\": \"c.zrd\", \"file\": \"c.zrd.json\" },\n{ \"name\": \"renamed.zrd\"",
    );
    assert_bytes(
        &repack(&tree),
        &reader(&[table[0], member("c.zrd", &c), member("renamed.zrd", &b)]),
    );

    // A plain binary file may be a member of a reader archive, too.
    tree.set("d.zrd", c.clone());
    edit(
        &tree,
        "refit.json",
        "\"file\": \"c.zrd.json\"",
        "\"file\": \"d.zrd\"",
    );
    assert_bytes(
        &repack(&tree),
        &reader(&[table[0], member("c.zrd", &c), member("renamed.zrd", &b)]),
    );

    edit(
        &tree,
        "refit.json",
        "{ \"name\": \"c.zrd\", \"file\": \"d.zrd\" },",
        "",
    );
    assert_bytes(
        &repack(&tree),
        &reader(&[table[0], member("renamed.zrd", &b)]),
    );
}

#[test]
fn a_manifest_in_another_order_gives_a_table_in_that_order() {
    let (a, b) = (keys(1, &[]), keys(2, &[]));
    let tree = tree_of(
        archive(&[member("a.zrd", &a), member("b.zrd", &b)], false, None),
        "reader.zbd",
        Style::Json,
    );
    let text = tree.text("refit.json");
    let (first, second) = (
        "{ \"name\": \"a.zrd\", \"file\": \"a.zrd.json\" }",
        "{ \"name\": \"b.zrd\", \"file\": \"b.zrd.json\" }",
    );
    assert!(text.contains(first) && text.contains(second), "{text}");
    tree.set(
        "refit.json",
        text.replace(first, "@")
            .replace(second, first)
            .replace('@', second)
            .into_bytes(),
    );
    assert_bytes(
        &repack(&tree),
        &archive(&[member("b.zrd", &b), member("a.zrd", &a)], false, None),
    );
}

#[test]
fn a_sound_is_replaced() {
    let wav = |n: usize| {
        [
            &b"RIFF"[..],
            &(36 + n as u32).to_le_bytes(),
            b"WAVEfmt ",
            &[16, 0, 0, 0, 1, 0, 1, 0],
            &vec![7; n + 20],
        ]
        .concat()
    };
    let original = archive(
        &[member("a.wav", &wav(10)), member("b.wav", &wav(20))],
        false,
        None,
    );
    let tree = tree_of(original, "soundsl.zbd", Style::Json);
    tree.set("a.wav", wav(101));
    assert_bytes(
        &repack(&tree),
        &archive(
            &[member("a.wav", &wav(101)), member("b.wav", &wav(20))],
            false,
            None,
        ),
    );
}

/// A wrong checksum stays with the members that it came with, and an edit brings the right one.
#[test]
fn a_wrong_checksum_is_kept_until_a_member_is_edited_and_a_zero_one_too() {
    let (a, edited) = (keys(1, &[]), keys(2, &[]));
    for stored in [0, 0xdead_beef] {
        let original = archive(&[member("keys.zrd", &a)], false, Some(stored));
        let right = checksum(&a);
        let line = format!("\"checksum\": \"{stored:#010x} instead of {right:#010x}\",");
        for style in [Style::Json, Style::Ron] {
            assert_bytes(
                &repack(&tree_of(original.clone(), "reader.zbd", style)),
                &original,
            );
        }
        let tree = tree_of(original.clone(), "reader.zbd", Style::Json);
        assert!(tree.text("refit.json").contains(&line));
        edit(&tree, "keys.zrd.json", "[1]", "[2]");
        assert_bytes(&repack(&tree), &reader(&[member("keys.zrd", &edited)]));
        let (_, model) = refit::pipeline::assemble(&tree).unwrap();
        assert_eq!(
            model.model().notes(),
            [format!(
                "the checksum {stored:#010x} was wrong before the edit; the archive gets the right one"
            )]
        );
        edit(&tree, "keys.zrd.json", "[2]", "[1]");
        assert_bytes(&repack(&tree), &original);
        // As trees had it before: kept, whatever the members are.
        edit(
            &tree,
            "refit.json",
            &line,
            &format!("\"checksum\": \"{stored:#010x}\","),
        );
        edit(&tree, "keys.zrd.json", "[1]", "[2]");
        assert_bytes(
            &repack(&tree),
            &archive(&[member("keys.zrd", &edited)], false, Some(stored)),
        );
        // Without it the rule applies again.
        edit(
            &tree,
            "refit.json",
            &format!("\"checksum\": \"{stored:#010x}\","),
            "",
        );
        assert_bytes(&repack(&tree), &reader(&[member("keys.zrd", &edited)]));
    }
}

#[test]
fn gaps_stay_where_they_are_when_a_member_grows() {
    let (a, b) = (keys(1, &[]), keys(2, &[]));
    let gap = b"an old table";
    let build = |a: &[u8]| {
        let mut bytes = archive(
            &[member("a.zrd", &[a, gap].concat()), member("b.zrd", &b)],
            false,
            None,
        );
        let table = a.len() + gap.len() + b.len();
        bytes[table + 4..table + 8].copy_from_slice(&(a.len() as u32).to_le_bytes());
        bytes
    };
    let tree = tree_of(build(&a), "reader.zbd", Style::Json);
    edit(&tree, "a.zrd.json", "[1]", "[1, 1]");
    let longer = list(&[list(&[
        string("CMD_FIRE"),
        list(&[int(1), int(1)]),
        string("scale"),
        float(2.0),
    ])]);
    assert_bytes(&repack(&tree), &build(&longer));
}

#[test]
fn two_members_share_a_file_and_follow_one_edit() {
    let a = keys(1, &[]);
    let share = |a: &[u8]| {
        let mut bytes = archive(&[member("a.zrd", a), member("b.zrd", b"")], false, None);
        let b_row = a.len() + 148;
        bytes[b_row..b_row + 8]
            .copy_from_slice(&[0u32.to_le_bytes(), (a.len() as u32).to_le_bytes()].concat());
        bytes
    };
    let tree = tree_of(share(&a), "reader.zbd", Style::Json);
    edit(&tree, "a.zrd.json", "[1]", "[9]");
    assert_bytes(&repack(&tree), &share(&keys(9, &[])));
}

fn motion(frames: &[[f32; 3]], closing: [f32; 3]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(4u32.to_le_bytes());
    out.extend(1.5f32.to_le_bytes());
    out.extend((frames.len() as u32).to_le_bytes());
    out.extend(1u32.to_le_bytes());
    out.extend((-1f32).to_le_bytes());
    out.extend(1f32.to_le_bytes());
    out.extend(3u32.to_le_bytes());
    out.extend(b"hip");
    out.extend(12u32.to_le_bytes());
    frames
        .iter()
        .chain([&closing])
        .flatten()
        .for_each(|f| out.extend(f.to_le_bytes()));
    for _ in 0..=frames.len() {
        [1f32, 0.0, 0.0, 0.0]
            .iter()
            .for_each(|f| out.extend(f.to_le_bytes()));
    }
    out
}

#[test]
fn a_changed_keyframe_updates_the_closing_frame() {
    let (first, second) = ([0.0, 4.21, -0.5], [0.0, 4.3, -0.5]);
    for ones in [true, false] {
        let build = |m: &[u8]| archive(&[member("x_walk", m)], ones, ones.then_some(0));
        let tree = tree_of(
            build(&motion(&[first, second], first)),
            "motion.zbd",
            Style::Json,
        );
        edit(
            &tree,
            "x_walk.json",
            "[0.0, 4.21, -0.5]",
            "[0.25, 4.21, -0.5]",
        );
        assert_bytes(
            &repack(&tree),
            &build(&motion(&[[0.25, 4.21, -0.5], second], [0.25, 4.21, -0.5])),
        );
        // A frame more: the count follows; every list must have it.
        edit(
            &tree,
            "x_walk.json",
            "[0.0, 4.3, -0.5]",
            "[0.0, 4.3, -0.5], [1, 2, 3]",
        );
        let e = repack_error(&tree);
        assert!(
            e.contains("x_walk.json")
                && e.contains("rotations")
                && e.contains("2 frames, but the first list has 3"),
            "{e}"
        );
        edit(
            &tree,
            "x_walk.json",
            "\"rotations\": [",
            "\"rotations\": [[1, 0, 0, 0], ",
        );
        let three = [[0.25, 4.21, -0.5], second, [1.0, 2.0, 3.0]];
        assert_bytes(&repack(&tree), &build(&motion(&three, three[0])));
    }
}

fn interp(scripts: &[(&str, u32, &[&[u8]])]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut index = Vec::new();
    for (name, time, lines) in scripts {
        index.extend(name.bytes().chain(std::iter::repeat(0)).take(120));
        index.extend(time.to_le_bytes());
        index.extend((12 + 128 * scripts.len() as u32 + data.len() as u32).to_le_bytes());
        for line in *lines {
            data.extend((line.len() as u32).to_le_bytes());
            data.extend((line.iter().filter(|b| **b == 0).count() as u32).to_le_bytes());
            data.extend_from_slice(line);
        }
        data.extend(0u32.to_le_bytes());
    }
    [
        &0x0897_1119u32.to_le_bytes()[..],
        &7u32.to_le_bytes(),
        &(scripts.len() as u32).to_le_bytes(),
        &index,
        &data,
    ]
    .concat()
}

#[test]
fn a_line_is_added_to_a_script_and_a_script_to_the_file() {
    let tree = tree_of(
        interp(&[("a.gs", 5, &[b"set\0X\0"]), ("b.gs", 6, &[b"endif\0"])]),
        "interp.zbd",
        Style::Json,
    );
    assert_eq!(tree.text("a.gs"), "set X\n");
    tree.set("a.gs", b"set X # why\r\nSetFog 1,2,,4\r\n".to_vec());
    let longer: &[&[u8]] = &[b"set\0X\0", b"SetFog\x001\x002\x00\x004\0"];
    assert_bytes(
        &repack(&tree),
        &interp(&[("a.gs", 5, longer), ("b.gs", 6, &[b"endif\0"])]),
    );
    tree.set("c.gs", b"Quit".to_vec());
    edit(
        &tree,
        "refit.json",
        "{ \"name\": \"b.gs\"",
        "{ \"name\": \"new\\\\c.gs\", \"file\": \"c.gs\", \"time\": 7 }, { \"name\": \"b.gs\"",
    );
    assert_bytes(
        &repack(&tree),
        &interp(&[
            ("a.gs", 5, longer),
            ("new\\c.gs", 7, &[b"Quit\0"]),
            ("b.gs", 6, &[b"endif\0"]),
        ]),
    );
}

#[test]
fn a_map_gets_a_point() {
    let build = |points: &[[f32; 3]]| {
        let mut out: Vec<u8> = [5u32, 3].iter().flat_map(|w| w.to_le_bytes()).collect();
        out.extend(
            [0f32, 0.0, 0.0, 9.0, 9.0, 9.0]
                .iter()
                .flat_map(|f| f.to_le_bytes()),
        );
        out.extend([1, 2, 3]);
        out.extend((points.len() as u32).to_le_bytes());
        out.extend(points.iter().flatten().flat_map(|f| f.to_le_bytes()));
        out.extend((-1i32).to_le_bytes());
        out
    };
    let tree = tree_of(build(&[[1.0, 2.0, 3.0]]), "m1.zmap", Style::Json);
    edit(
        &tree,
        "m1.zmap.json",
        "[1.0, 2.0, 3.0]",
        "[1.0, 2.0, 3.0], [4, 5, 6.5]",
    );
    assert_bytes(&repack(&tree), &build(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]));
}

#[test]
fn key_codes_in_a_control_configuration_change() {
    let text = b"(\r\n\tKEYS (\r\n\t\t(CMD_A keya(0x1e))\r\n\t)\r\n)\r\n";
    let tree = tree_of(text.to_vec(), "DefaultCtlConfig.zrd", Style::Json);
    edit(
        &tree,
        "DefaultCtlConfig.zrd",
        "keya(0x1e)) ;= A",
        "keya(0x21e)) ;= A",
    );
    assert_bytes(
        &repack(&tree),
        &String::from_utf8_lossy(text)
            .replace("0x1e", "0x21e")
            .into_bytes(),
    );
}

#[test]
fn errors_in_a_tree_have_file_line_and_column() {
    let a = keys(1, &[]);
    let make = || {
        tree_of(
            archive(&[member("a.zrd", &a)], false, None),
            "reader.zbd",
            Style::Json,
        )
    };
    let tree = make();
    tree.set("a.zrd.json", b"[[\"CMD_FIRE\",\n [1 2]]]".to_vec());
    assert_eq!(
        repack_error(&tree),
        "a.zrd.json:2:5: expected ',' or ']', found '2'"
    );
    let tree = make();
    edit(&tree, "refit.json", "\"name\"", "\"nmae\"");
    let e = repack_error(&tree);
    assert!(e.starts_with("refit.json:") && e.contains("nmae"), "{e}");
    let tree = make();
    edit(
        &tree,
        "refit.json",
        "a.zrd\"",
        &format!("{}\"", "x".repeat(65)),
    );
    let e = repack_error(&tree);
    assert!(
        e.starts_with("refit.json:") && e.contains("65 bytes"),
        "{e}"
    );
    let tree = make();
    tree.remove("a.zrd.json");
    let e = repack_error(&tree);
    assert!(
        e.starts_with("a.zrd.json: ") && e.contains("no such file"),
        "{e}"
    );
    let tree = make();
    edit(&tree, "refit.json", "\"tree\": 2", "\"tree\": 3");
    let e = repack_error(&tree);
    assert!(e.contains("version 3") && e.contains("newer refit"), "{e}");
    // A tree of an older refit, whose fields have other names: what to do with the edits in it.
    edit(&tree, "refit.json", "\"tree\": 3", "\"tree\": 1");
    let e = repack_error(&tree);
    assert!(
        e.contains("version 1") && e.contains("pack it with the refit that made it"),
        "{e}"
    );
    let tree = make();
    edit(&tree, "refit.json", "a.zrd.json", "../../outside.json");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for path in tree.paths() {
        refit::tree::Sink::put(
            &refit::tree::DirSink::new(folder.path()),
            &path,
            &tree.get(&path).expect("listed"),
        )
        .expect("written");
    }
    let e = pipeline::repack(&refit::tree::DirSource::new(folder.path()))
        .expect_err("refused")
        .to_string();
    assert!(e.contains("stays inside"), "{e}");
}

#[test]
fn put_and_get_work_without_a_tree() {
    let (a, b) = (keys(1, &[]), keys(2, &[]));
    let bytes = bytes::Bytes::from(reader(&[member("a.zrd", &a), member("b.zrd", &b)]));
    let mut opened = pipeline::open(&bytes, "reader.zbd", Hints::default()).expect("opens");
    assert_eq!(
        (opened.detection.format, opened.detection.game),
        (Format::Reader, Some(Game::Pm))
    );
    let text = opened
        .model
        .model()
        .get(1, Form::Document(Style::Json))
        .expect("text");
    assert_eq!(&text[..], b"[[\"CMD_FIRE\", [2], \"scale\", 2.0]]\n");
    assert_eq!(
        &opened.model.model().get(1, Form::Stored).expect("bytes")[..],
        &b[..]
    );
    opened
        .model
        .model_mut()
        .put(0, &text, Form::Document(Style::Json))
        .expect("put");
    assert_bytes(
        &opened.model.write().expect("written"),
        &reader(&[member("a.zrd", &b), member("b.zrd", &b)]),
    );
    let e = opened
        .model
        .model_mut()
        .put(0, b"[1", Form::Document(Style::Json))
        .unwrap_err()
        .to_string();
    assert!(e.contains("line 1"), "{e}");
}

#[test]
fn three_hundred_thousand_nested_lists_go_through_an_archive() {
    let deep = [
        [4u32.to_le_bytes(), 2u32.to_le_bytes()]
            .concat()
            .repeat(300_000),
        list(&[]),
    ]
    .concat();
    exact(
        &case(
            "reader.zbd",
            archive(&[member("deep.zrd", &deep)], false, None),
        ),
        Hints::default(),
    );
}

#[test]
fn lints_name_the_place() {
    let a = [keys(1, &[float(f32::NAN)]), vec![0]].concat();
    let bytes = bytes::Bytes::from(archive(
        &[member("a.zrd", &a), member("A.ZRD", &a), member("", b"")],
        false,
        Some(1),
    ));
    let opened = pipeline::open(&bytes, "reader.zbd", Hints::default()).expect("opens");
    let findings = pipeline::lint(&*opened.model).unwrap();
    for (code, path) in [
        ("archive-checksum", ""),
        ("reader-trailing", "a.zrd"),
        ("not-finite", "a.zrd"),
        ("archive-shadowed", "#1 A.ZRD"),
        ("archive-name", "#2"),
        ("archive-empty-member", "#2"),
        ("reader-raw", "#2"),
    ] {
        assert!(
            findings.iter().any(|f| f.code == code && f.path == path),
            "{code} at {path:?}: {findings:#?}"
        );
    }
    for finding in &findings {
        assert!(
            refit::registry::find_code(finding.code).is_some(),
            "{} has no explanation",
            finding.code
        );
    }
}

/// More members than a table has that is read whole, some of one byte, some of thousands.
fn many() -> Vec<u8> {
    let names: Vec<String> = (0..8000).map(|i| format!("member{i}")).collect();
    let payload = |i: usize| vec![i as u8; if i.is_multiple_of(1000) { 9000 } else { i % 7 }];
    let payloads: Vec<Vec<u8>> = (0..8000).map(payload).collect();
    let members: Vec<Member<'_>> = names
        .iter()
        .zip(&payloads)
        .map(|(name, payload)| member(name, payload))
        .collect();
    archive(&members, false, None)
}

fn open(path: &Path) -> Opened {
    let file = Blob::open(path).unwrap().unwrap();
    let detection =
        pipeline::recognise(file.clone(), &path.to_string_lossy(), Hints::default()).unwrap();
    pipeline::read(file, detection).unwrap()
}

#[test]
fn an_archive_on_disk_is_the_same_as_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = (dir.path().join("x.zbd"), many());
    fs::write(&path, &bytes).unwrap();
    let disk = open(&path);
    let memory = pipeline::open(&bytes.clone().into(), "x.zbd", Hints::default()).unwrap();
    assert_eq!(disk.detection, memory.detection);
    assert_eq!(disk.model.info(), memory.model.info());
    assert!(disk.model.write().unwrap() == bytes);
    let (disk, memory) = (
        disk.model.as_members().unwrap(),
        memory.model.as_members().unwrap(),
    );
    let shown = |members: &dyn Members| {
        members
            .members()
            .into_iter()
            .map(|m| (m.name, m.bytes, m.kind, m.detail))
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(disk), shown(memory));
    for i in [0, 1, 1000, 7999] {
        assert_eq!(
            disk.get(i, Form::Stored).unwrap(),
            memory.get(i, Form::Stored).unwrap()
        );
    }
    assert!(disk.get(8000, Form::Stored).is_err());
}

/// What was read to recognise a file is used for that file alone, and once.
#[test]
fn a_detection_gives_no_other_file() {
    let [a, b] =
        [keys(1, &[]), keys(2, &[])].map(|keys| Bytes::from(reader(&[member("a.zrd", &keys)])));
    let found = pipeline::recognise(&a, "reader.zbd", Hints::default()).unwrap();
    for (file, found) in [(&b, found.clone()), (&a, found.clone()), (&a, found)] {
        assert_bytes(
            &pipeline::read(file, found).unwrap().model.write().unwrap(),
            file,
        );
    }
    let mut found = pipeline::recognise(&a, "reader.zbd", Hints::default()).unwrap();
    found.format = Format::Gamez;
    assert!(pipeline::read(&a, found).is_err());
    for _ in 0..2 {
        let mut opened = pipeline::open(&a, "reader.zbd", Hints::default()).unwrap();
        opened
            .model
            .model_mut()
            .put(0, &keys(2, &[]), Form::Stored)
            .unwrap();
        assert_bytes(&opened.model.write().unwrap(), &b);
    }
}

/// A truncated file is an error, and no member replaces another.
#[test]
fn a_truncated_archive_is_not_an_archive_of_fewer_members() {
    let dir = tempfile::tempdir().unwrap();
    let (path, bytes) = (dir.path().join("x.zbd"), many());
    fs::write(&path, &bytes).unwrap();
    let Opened { model, .. } = open(&path);
    assert!(model.fault().is_none());
    // The payloads have about 96,000 bytes; the table after them is in memory.
    fs::write(&path, &bytes[..40_000]).unwrap();
    let members = model.as_members().unwrap();
    let names: Vec<String> = members
        .members()
        .into_iter()
        .map(|member| member.name)
        .collect();
    assert!(
        names.len() == 8000
            && names
                .iter()
                .enumerate()
                .all(|(i, name)| *name == format!("member{i}"))
    );
    let is_shorter = || assert!(model.fault().unwrap().to_string().contains("shorter"));
    is_shorter();
    assert!(model.fault().is_none(), "it was reported");
    assert!(
        pipeline::lint(&*model)
            .unwrap_err()
            .to_string()
            .contains("shorter")
    );
    model.info();
    is_shorter();
    assert!(members.get(7999, Form::Stored).is_err());
    assert!(members.document(7999).is_err());
    assert!(model.write_to(&mut Vec::new()).is_err());
    // Unpacking must end with an error as well, also when the file became so short that nothing
    // more can be read.
    for left in [40_000, 10_000, 0] {
        fs::write(&path, &bytes).unwrap();
        let Opened { model, .. } = open(&path);
        fs::write(&path, &bytes[..left]).unwrap();
        let (folder, head) = (
            Folder::new(),
            Head::new(None, Format::Archive, Origin::default()),
        );
        let unpacked = model.unpack(&TreeWriter::new(
            &folder,
            Form::Document(Style::Json),
            head,
            false,
        ));
        assert!(
            unpacked.is_err_and(|e| e.to_string().contains("shorter")),
            "{left}"
        );
    }
}
