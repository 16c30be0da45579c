//! ROF archives: edits, with the expected bytes made by hand, and refused edits.

use bytes::Bytes;
use refit::{
    formats::Form,
    pipeline::{self, Hints, Via},
    tree::{Blob, Folder, Source, Style},
    wire::Cause,
};
use roundtrip_tests::*;

/// An archive as known ones are, apart from the library's own writer.
enum Node<'a> {
    Dir(&'a str, Vec<Node<'a>>),
    Stored(&'a str, &'a [u8]),
    /// Name, stream, unpacked length.
    Packed(&'a str, &'a [u8], u32),
}
use Node::*;

fn archive(root: &[Node<'_>]) -> Vec<u8> {
    fn size(kids: &[Node<'_>]) -> usize {
        8 + kids.iter().map(|k| 25 + name(k).len()).sum::<usize>()
    }
    fn name<'a>(node: &Node<'a>) -> &'a str {
        match node {
            Dir(name, _) | Stored(name, _) | Packed(name, ..) => name,
        }
    }
    fn blocks(kids: &[Node<'_>]) -> usize {
        size(kids)
            + kids
                .iter()
                .map(|k| {
                    if let Dir(_, kids) = k {
                        blocks(kids)
                    } else {
                        0
                    }
                })
                .sum::<usize>()
    }
    fn put(kids: &[Node<'_>], at: usize, out: &mut Vec<u8>, data_at: usize, data: &mut Vec<u8>) {
        let names: String = kids.iter().map(|k| format!("{}\0", name(k))).collect();
        let mut inner = Vec::new();
        let mut next = at + size(kids);
        let words = |out: &mut Vec<u8>, words: &[usize]| {
            words
                .iter()
                .for_each(|w| out.extend((*w as u32).to_le_bytes()))
        };
        words(out, &[kids.len(), names.len()]);
        let mut from = 0;
        for kid in kids {
            let len = name(kid).len() + 1;
            match kid {
                Dir(_, kids) => {
                    words(out, &[next, 0, 0, 1, len, from]);
                    put(kids, next, &mut inner, data_at, data);
                    next += blocks(kids);
                }
                Stored(_, bytes) => {
                    words(
                        out,
                        &[data_at + data.len(), bytes.len(), bytes.len(), 0, len, from],
                    );
                    data.extend_from_slice(bytes);
                }
                Packed(_, bytes, decoded) => {
                    words(
                        out,
                        &[
                            data_at + data.len(),
                            *decoded as usize,
                            bytes.len(),
                            2,
                            len,
                            from,
                        ],
                    );
                    data.extend_from_slice(bytes);
                }
            }
            from += len;
        }
        out.extend(names.as_bytes());
        out.extend(inner);
    }
    let (mut out, mut data) = (Vec::new(), Vec::new());
    put(root, 0, &mut out, blocks(root), &mut data);
    out.extend(data);
    out
}

/// Python: `zlib.compress(b"A" * 20 + b"B" * 20, 9)`, a stream that refit does not write.
const AB: &[u8] = &[
    0x78, 0xda, 0x73, 0x74, 0xc4, 0x04, 0x4e, 0x58, 0x00, 0x00, 0xd1, 0x2e, 0x0a, 0x3d,
];
/// Python: `zlib.compress(FORTY, 1)`, the same after the header at every level: two letters and one
/// copy.
const A: &[u8] = &[
    0x78, 0x01, 0x73, 0x72, 0x24, 0x0e, 0x00, 0x00, 0xd0, 0x84, 0x0a, 0x2a,
];
const FORTY: &[u8; 40] = b"BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Written by Python.
const MASK: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x04, 0x08, 0x00, 0x00, 0x00, 0x00, 0x88, 0x6f, 0x11,
    0x9f, 0x00, 0x00, 0x00, 0x11, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x64, 0x62, 0x66,
    0x61, 0x65, 0x63, 0xc0, 0x06, 0x00, 0x02, 0x0d, 0x00, 0x16, 0xc4, 0x2f, 0xe0, 0xf7, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

fn case(bytes: Vec<u8>) -> Case {
    Case {
        path: "crimson.rof".into(),
        folder: String::new(),
        bytes: bytes.into(),
    }
}

fn tree_of(bytes: Vec<u8>, style: Style) -> Folder {
    unpack(&case(bytes), Hints::default(), style)
}

/// What most edits begin with.
fn sample<'a>(a: &'a [u8], b: Node<'a>, more: Vec<Node<'a>>) -> Vec<u8> {
    let mut kids = vec![
        Stored("A.PNG", a),
        Dir("TEXT", vec![b, Stored("Z.WAV", b"RIFF")]),
        Dir("EMPTY", vec![]),
    ];
    kids.extend(more);
    archive(&[Dir("ASSETS", kids)])
}

fn usual() -> Vec<u8> {
    sample(b"png", Packed("B.TXT", AB, 40), vec![])
}

fn opened(bytes: Vec<u8>) -> refit::File {
    pipeline::open(&bytes.into(), "crimson.rof", Hints::default())
        .unwrap()
        .model
}

#[test]
fn known_orders_of_blocks_and_data_need_no_layout() {
    // If the lines cannot express the order of blocks, data and records, the layout does.
    for (name, layout) in [
        ("tree", false),
        ("breadth_first", false),
        ("by_block", true),
        ("data_reversed", true),
        ("gaps", true),
    ] {
        let tree = unpack(
            &golden_file("rof", &format!("{name}.rof")),
            Hints::default(),
            Style::Json,
        );
        assert_eq!(
            tree.text("refit.json").contains("\"layout\""),
            layout,
            "{name}"
        );
    }
}

#[test]
fn the_packed_bytes_of_untouched_files_are_kept_when_others_grow() {
    for style in [Style::Json, Style::Ron] {
        let tree = tree_of(usual(), style);
        assert_eq!(
            tree.get("ASSETS/TEXT/B.TXT").unwrap(),
            [[b'A'; 20], [b'B'; 20]].concat()
        );
        tree.set("ASSETS/A.PNG", &b"a longer picture"[..]);
        assert_bytes(
            &repack(&tree),
            &sample(b"a longer picture", Packed("B.TXT", AB, 40), vec![]),
        );
        tree.set("ASSETS/A.PNG", &b"png"[..]);
        assert_bytes(&repack(&tree), &usual());
    }
}

#[test]
fn an_edited_file_is_packed_again_and_its_kept_bytes_are_ignored() {
    let tree = tree_of(usual(), Style::Json);
    tree.set("ASSETS/TEXT/B.TXT", FORTY.to_vec());
    assert_bytes(
        &repack(&tree),
        &sample(b"png", Packed("B.TXT", A, 40), vec![]),
    );
    // Without the packed bytes too.
    assert!(tree.remove("packed/ASSETS/TEXT/B.TXT.zlib"));
    assert_bytes(
        &repack(&tree),
        &sample(b"png", Packed("B.TXT", A, 40), vec![]),
    );
    // Undone, they are missed.
    tree.set("ASSETS/TEXT/B.TXT", [[b'A'; 20], [b'B'; 20]].concat());
    assert!(repack_error(&tree).contains("packed/ASSETS/TEXT/B.TXT.zlib"));
}

#[test]
fn files_and_folders_can_be_added_and_removed() {
    let tree = tree_of(usual(), Style::Json);
    tree.set("ASSETS/NEW/N.TXT", FORTY.to_vec());
    let empty = "{ \"folder\": \"ASSETS/EMPTY\" }";
    edit(
        &tree,
        "refit.json",
        empty,
        &format!("{empty}, {{ \"file\": \"ASSETS/NEW/N.TXT\", \"zlib\": true }}"),
    );
    let e = repack_error(&tree);
    assert!(
        e.contains("ASSETS/NEW/N.TXT") && e.contains("{ \"folder\": \"ASSETS/NEW\" }"),
        "{e}"
    );
    edit(
        &tree,
        "refit.json",
        empty,
        &format!("{empty}, {{ \"folder\": \"ASSETS/NEW\" }}"),
    );
    let more = vec![Dir("NEW", vec![Packed("N.TXT", A, 40)])];
    assert_bytes(
        &repack(&tree),
        &sample(b"png", Packed("B.TXT", AB, 40), more),
    );
    // Stored instead of packed.
    edit(&tree, "refit.json", "N.TXT\", \"zlib\": true", "N.TXT\"");
    assert_bytes(
        &repack(&tree),
        &sample(
            b"png",
            Packed("B.TXT", AB, 40),
            vec![Dir("NEW", vec![Stored("N.TXT", FORTY)])],
        ),
    );
    // Removing a folder removes its content.
    edit(&tree, "refit.json", ", { \"folder\": \"ASSETS/NEW\" }", "");
    edit(
        &tree,
        "refit.json",
        ", { \"file\": \"ASSETS/NEW/N.TXT\" }",
        "",
    );
    assert_bytes(&repack(&tree), &usual());
}

#[test]
fn a_rename_needs_no_other_edit() {
    let tree = tree_of(usual(), Style::Json);
    edit(
        &tree,
        "refit.json",
        "\"file\": \"ASSETS/A.PNG\"",
        "\"file\": \"ASSETS/A.PNG\", \"name\": \"LONGER.PNG\"",
    );
    let kids = vec![
        Stored("LONGER.PNG", &b"png"[..]),
        Dir(
            "TEXT",
            vec![Packed("B.TXT", AB, 40), Stored("Z.WAV", b"RIFF")],
        ),
        Dir("EMPTY", vec![]),
    ];
    assert_bytes(&repack(&tree), &archive(&[Dir("ASSETS", kids)]));
}

#[test]
fn put_and_get_match_edits_of_a_tree() {
    let mut file = opened(usual());
    let model = file.model_mut();
    let names: Vec<String> = model.members().into_iter().map(|m| m.name).collect();
    assert_eq!(
        names,
        [
            "ASSETS\\A.PNG",
            "ASSETS\\TEXT\\B.TXT",
            "ASSETS\\TEXT\\Z.WAV"
        ]
    );
    assert_eq!(
        model.get(1, Form::Document(Style::Json)).unwrap(),
        [[b'A'; 20], [b'B'; 20]].concat()
    );
    assert_eq!(model.get(1, Form::Stored).unwrap(), AB);
    model.put(0, b"other", Form::Document(Style::Json)).unwrap();
    assert_bytes(
        &model.write().unwrap(),
        &sample(b"other", Packed("B.TXT", AB, 40), vec![]),
    );
    model.put(0, b"png", Form::Stored).unwrap();
    model.put(1, FORTY, Form::Document(Style::Json)).unwrap();
    assert_bytes(
        &model.write().unwrap(),
        &sample(b"png", Packed("B.TXT", A, 40), vec![]),
    );
    model.put(1, AB, Form::Stored).unwrap();
    assert_bytes(&model.write().unwrap(), &usual());
    assert!(model.get(3, Form::Stored).is_err() && model.put(3, b"", Form::Stored).is_err());
}

#[test]
fn an_opaque_file_is_bytes() {
    let build = |bytes| sample(b"png", Packed("B.TXT", bytes, 40), vec![]);
    let tree = tree_of(build(b"no stream"), Style::Json);
    assert!(
        tree.text("refit.json")
            .contains("\"opaque\": true, \"decoded\": 40"),
        "{}",
        tree.text("refit.json")
    );
    tree.set("ASSETS/TEXT/B.TXT", &b"no stream either"[..]);
    assert_bytes(&repack(&tree), &build(b"no stream either"));
    let mut file = opened(build(b"no stream"));
    let model = file.model_mut();
    model.put(1, AB, Form::Document(Style::Json)).unwrap();
    assert_bytes(&model.write().unwrap(), &build(AB));
}

#[test]
fn a_wrong_length_is_kept_until_the_file_is_edited() {
    let tree = tree_of(sample(b"png", Packed("B.TXT", AB, 41), vec![]), Style::Json);
    tree.set("ASSETS/A.PNG", &b""[..]);
    assert_bytes(
        &repack(&tree),
        &sample(b"", Packed("B.TXT", AB, 41), vec![]),
    );
    tree.set("ASSETS/TEXT/B.TXT", FORTY.to_vec());
    assert_bytes(&repack(&tree), &sample(b"", Packed("B.TXT", A, 40), vec![]));
}

#[test]
fn files_that_share_data_are_edited_once() {
    let case = golden_file("rof", "shared.rof");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let png = tree.get("ASSETS/A.PNG").unwrap();
    assert!(!tree.has("ASSETS/B.PNG"));
    // With the same length, only these bytes differ.
    let new: Vec<u8> = png.iter().map(|b| !b).collect();
    let at = case
        .bytes
        .windows(png.len())
        .position(|w| w == png)
        .unwrap();
    let mut expected = case.bytes.to_vec();
    expected[at..at + new.len()].copy_from_slice(&new);
    tree.set("ASSETS/A.PNG", new);
    assert_bytes(&repack(&tree), &expected);
    let mut file = pipeline::open(&case.bytes, &case.path, Hints::default())
        .unwrap()
        .model;
    let model = file.model_mut();
    assert!(
        model
            .put(0, b"x", Form::Stored)
            .unwrap_err()
            .to_string()
            .contains("shares")
    );
}

#[test]
fn gaps_stay_where_they_are() {
    let case = golden_file("rof", "gaps.rof");
    let tree = unpack(&case, Hints::default(), Style::Json);
    // `BEEP.WAV`, the last file, comes before the tail of four bytes.
    let wav = tree.get("ASSETS/BEEP.WAV").unwrap();
    tree.set("ASSETS/BEEP.WAV", [&wav[..], b"xy"].concat());
    let mut expected = case.bytes.to_vec();
    let end = expected.len() - 4;
    expected.splice(end..end, *b"xy");
    // Both lengths in its record, which is the last of the block of ASSETS.
    let record = 39 + 8 + 24 * 6;
    for word in [record + 4, record + 8] {
        expected[word..word + 4].copy_from_slice(&(wav.len() as u32 + 2).to_le_bytes());
    }
    assert_bytes(&repack(&tree), &expected);
    // Without the layout the archive is as usual.
    let text = tree.text("refit.json");
    let at = text.find(",\n  \"layout\"").unwrap();
    tree.set("refit.json", format!("{}\n}}\n", &text[..at]).into_bytes());
    tree.set("ASSETS/BEEP.WAV", wav);
    assert_bytes(&repack(&tree), &golden_file("rof", "tree.rof").bytes);
}

#[test]
fn stored_names_prevent_a_rename() {
    let tree = unpack(
        &golden_file("rof", "name_order.rof"),
        Hints::default(),
        Style::Json,
    );
    edit(
        &tree,
        "refit.json",
        "\"file\": \"ASSETS/C.TXT\"",
        "\"file\": \"ASSETS/C.TXT\", \"name\": \"X.TXT\"",
    );
    let e = repack_error(&tree);
    assert!(e.contains("ASSETS") && e.contains("delete `names`"), "{e}");
    let mut manifest: serde_json::Value = serde_json::from_str(&tree.text("refit.json")).unwrap();
    assert!(
        manifest["entries"][0]
            .as_object_mut()
            .unwrap()
            .remove("names")
            .is_some()
    );
    tree.set("refit.json", manifest.to_string().into_bytes());
    let kids = vec![
        Stored("A.TXT", b"1"),
        Stored("BB.TXT", b"2"),
        Stored("X.TXT", b"3"),
    ];
    assert_bytes(&repack(&tree), &archive(&[Dir("ASSETS", kids)]));
}

#[test]
fn invalid_manifests_are_refused_with_the_line() {
    let lines = |lines: &str| {
        let tree = tree_of(usual(), Style::Json);
        let text = tree.text("refit.json");
        let at = text.find("\"entries\"").unwrap();
        tree.set(
            "refit.json",
            format!("{}\"entries\": [{lines}] }}\n", &text[..at]).into_bytes(),
        );
        repack_error(&tree)
    };
    for (text, expected) in [
        (
            r#"{ "folder": "A", "in": "B" }, { "folder": "B", "in": "A" }"#,
            "contain themselves",
        ),
        (r#"{ "folder": "A", "in": "A" }"#, "contain themselves"),
        (r#"{ "folder": "A" }, { "folder": "A" }"#, "is listed twice"),
        (r#"{ "folder": "A", "zlib": true }"#, "belong to files"),
        (r#"{ "name": "A" }"#, "either `folder` or `file`"),
        (
            r#"{ "file": "ASSETS/A.PNG", "in": "NO" }"#,
            "no folder \"NO\"",
        ),
        (r#"{ "file": "NO.PNG" }"#, "no such file"),
        (
            r#"{ "file": "ASSETS/A.PNG", "in": "", "flags": "0x2" }"#,
            "follow from what the line is",
        ),
        (
            r#"{ "file": "ASSETS/A.PNG", "in": "" }, { "file": "ASSETS/A.PNG", "in": "", "zlib": true }"#,
            "contradict each other",
        ),
        (
            r#"{ "file": "ASSETS/A.PNG", "in": "", "part": { "offset": 1, "length": 3 } }"#,
            "ends beyond its file",
        ),
        (
            r#"{ "file": "ASSETS/A.PNG", "in": "", "name": "A\u0000B" }"#,
            "zero byte",
        ),
        (
            r#"{ "file": "ASSETS/A.PNG", "in": "" }], "layout": [{ "file": "ASSETS/A.PNG" }"#,
            "beginning of an archive",
        ),
        (r#"{ "file": "../x", "in": "" }"#, "no such file"),
    ] {
        let e = lines(text);
        assert!(e.contains(expected), "{text}: {e}");
    }
}

#[test]
fn errors_have_a_place_and_a_reason() {
    for (name, offset, words) in [
        ("cycle_root", 0x2f, "contains itself"),
        ("cycle_self", 0x2f, "contains itself"),
        ("cycle_deep", 0x73, "ASSETS\\A\\B\\C"),
        ("block_twice", 0x47, "shares bytes with that of ASSETS\\A"),
        ("block_outside", 0x2f, "would be at 0x1388"),
        ("count_max", 0x27, "4294967295 entries"),
        ("name_outside", 0x2f, "bytes 1 to 7 of 6"),
        ("file_wraps", 0x2f, "is at 0xfffffff0"),
        ("file_in_block", 0x2f, "the block of ASSETS"),
    ] {
        let case = listed("roundtrip-tests/malformed/rof")
            .into_iter()
            .find(|c| c.path.ends_with(&format!("/{name}.rof")))
            .unwrap();
        let e = pipeline::open(&case.bytes, &case.path, Hints::default())
            .err()
            .unwrap_or_else(|| panic!("{name} was read"));
        assert!(
            matches!(e.what(), Cause::Said(_)) && e.to_string().contains(words),
            "{name}: {e}"
        );
        assert_eq!(e.offset(), Some(offset), "{name}: {e}");
    }
    // A cut archive is named, whatever it is cut to.
    let e = pipeline::recognise(
        Bytes::from_static(b"\x01\0\0"),
        "x/crimson.rof",
        Hints::default(),
    )
    .unwrap_err()
    .to_string();
    assert!(e.contains("ROF"), "{e}");
}

#[test]
fn a_file_on_disk_is_read_and_written_as_one_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("crimson.rof");
    let big: Vec<u8> = (0..9_000_000u32).map(|i| (i % 251) as u8).collect();
    let bytes = sample(&big, Packed("B.TXT", AB, 40), vec![]);
    std::fs::write(&path, &bytes).unwrap();
    let file = pipeline::load(&path).unwrap();
    assert!(matches!(file, Blob::Lazy(_)));
    let open = || {
        pipeline::read(
            &file,
            pipeline::recognise(&file, "crimson.rof", Hints::default()).unwrap(),
        )
        .unwrap()
    };
    for via in [Via::Bytes, Via::Json] {
        assert!(
            pipeline::prove(&file, "crimson.rof", open(), via)
                .unwrap()
                .raw
                .is_empty()
        );
    }
    let mut out = Vec::new();
    pipeline::write(&*open().model, &mut out).unwrap();
    assert!(out == bytes);
}

/// Folders in folders and names without end: time and memory stay in proportion to the file.
#[test]
fn deep_and_wide_archives_stay_small() {
    let mut deep = Vec::new();
    let n = 20_000u32;
    for i in 0..n {
        let last = i + 1 == n;
        let words = if last {
            vec![0, 0]
        } else {
            vec![1, 7, (i + 1) * 39, 0, 0, 1, 7, 0]
        };
        deep.extend(words.iter().flat_map(|w: &u32| w.to_le_bytes()));
        deep.extend(if last { &b""[..] } else { b"ASSETS\0" });
    }
    for via in [Via::Bytes, Via::Json] {
        let outcome =
            pipeline::verify(&deep.clone().into(), "crimson.rof", Hints::default(), via).unwrap();
        assert!(outcome.raw.is_empty(), "{:?}", outcome.raw);
    }
    assert_eq!(opened(deep).model().members().len(), 0);
    let names: Vec<String> = (0..20_000).map(|i| format!("SAME{}", i % 3)).collect();
    let wide = archive(&[Dir(
        "ASSETS",
        names.iter().map(|n| Stored(n, b"x")).collect(),
    )]);
    assert!(
        pipeline::verify(&wide.into(), "crimson.rof", Hints::default(), Via::Json)
            .unwrap()
            .raw
            .is_empty()
    );
}

/// The findings of `lint` for each golden file.
#[test]
fn findings_have_their_codes() {
    for (name, codes) in [
        ("tree", &[][..]),
        ("breadth_first", &[]),
        ("data_reversed", &[]),
        ("gaps", &["rof-layout"]),
        ("mixed", &["rof-layout"]),
        ("extra_byte", &["rof-behind-stream"]),
        ("lengths", &["rof-length"]),
        ("opaque", &["rof-opaque"]),
        ("flags", &["rof-flags", "rof-folder-length"]),
        ("empty_files", &["rof-empty-start", "rof-opaque"]),
        ("name_order", &["rof-names"]),
        ("shared", &["rof-shared"]),
        ("overlap", &["rof-shared"]),
        ("same_names", &["rof-duplicate-name"]),
        ("other_root", &["rof-root"]),
    ] {
        let case = golden_file("rof", &format!("{name}.rof"));
        let mut found: Vec<&str> = pipeline::lint(
            &*pipeline::open(&case.bytes, &case.path, Hints::default())
                .unwrap()
                .model,
        )
        .unwrap()
        .iter()
        .map(|f| f.code)
        .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, codes, "{name}");
    }
    let case = golden_file("rof", "hostile_names.rof");
    let found = pipeline::lint(
        &*pipeline::open(&case.bytes, &case.path, Hints::default())
            .unwrap()
            .model,
    )
    .unwrap();
    let said = |path: &str| found.iter().any(|f| f.code == "rof-name" && f.path == path);
    assert!(
        said("ASSETS\\a.txt") && said("ASSETS\\A/B") && !said("ASSETS\\A.TXT"),
        "{found:?}"
    );
}

#[test]
fn list_and_info_describe_the_content() {
    let case = golden_file("rof", "tree.rof");
    let model = pipeline::open(&case.bytes, &case.path, Hints::default())
        .unwrap()
        .model;
    let rows: Vec<(String, String, String)> = model
        .model()
        .members()
        .into_iter()
        .map(|m| (m.name, m.kind.into_owned(), m.detail))
        .collect();
    let row = |name: &str| {
        rows.iter()
            .find(|(n, ..)| n == name)
            .map(|(_, kind, detail)| (kind.as_str(), detail.as_str()))
    };
    assert_eq!(
        row("ASSETS\\SKINS\\STAR.BM"),
        Some(("bm", "packed from 244 bytes, livery, 6 x 4"))
    );
    assert_eq!(
        row("ASSETS\\SKINS\\WING.BM"),
        Some((
            "bm",
            "packed from 63 bytes, not a livery: 3 x 2 need 64 bytes"
        ))
    );
    assert_eq!(row("ASSETS\\GRAPHICS\\ICON.PNG"), Some(("png", "")));
    let info = model.info();
    let value = |key: &str| {
        info.iter()
            .find(|(k, _)| *k == key)
            .map(|(_, v)| v.clone())
            .unwrap_or_default()
    };
    assert_eq!(
        (value("folders"), value("empty_folders"), value("files")),
        (6.into(), 2.into(), 12.into())
    );
    assert_eq!((value("stored"), value("packed")), (5.into(), 7.into()));
}

/// The layers of a livery: rows from the bottom in the file, from the top in the pictures.
#[test]
fn a_livery_is_five_pictures() {
    let case = golden_file("livery", "STRIPE.BM");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let files: Vec<String> = tree
        .paths()
        .into_iter()
        .filter(|p| p.ends_with(".png"))
        .collect();
    assert_eq!(
        files,
        [
            "overlay.png",
            "paint1.png",
            "paint2.png",
            "paint3.png",
            "shading.png"
        ]
    );
    // Another picture for a mask: a PNG of Python's, 6 x 4 pixels of grey, whose first row is 1 to
    // 6.
    tree.set("paint2.png", MASK);
    let mut expected = case.bytes.to_vec();
    let (layer, n) = (4 + 3 * 24 + 24, 24);
    expected[layer..layer + n].fill(0);
    // The top row is the last of the layer.
    expected[layer + 18..layer + 24].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
    assert_bytes(&repack(&tree), &expected);
    tree.set("paint1.png", tree.get("overlay.png").unwrap());
    assert!(
        repack_error(&tree).contains("a mask is grey"),
        "{}",
        repack_error(&tree)
    );
    let mut file = pipeline::open(&case.bytes, &case.path, Hints::default())
        .unwrap()
        .model;
    let model = file.model_mut();
    model.put(2, MASK, Form::Document(Style::Json)).unwrap();
    assert_bytes(&model.write().unwrap(), &expected);
    assert!(model.put(0, b"short", Form::Stored).is_err());
    // A truncated file is not recognised.
    assert!(pipeline::recognise(case.bytes.slice(1..), "x.bm", Hints::default()).is_err());
}
