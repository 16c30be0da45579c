//! Save games: edits, with the bytes after each made by hand. What `list`, `lint` and edits make of
//! the golden files is in `cases/folders/save-sections.case`, `cases/lints/save-findings.case` and
//! `cases/edits/save-*.case`.

use refit::{
    game::Game,
    pipeline::{self, Hints},
    tree::Style,
};
use roundtrip_tests::{by_hand::*, *};

fn words(words: &[i32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
fn floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|f| f.to_le_bytes()).collect()
}

/// A tracked node, as the engine writes it: 68 bytes.
fn node(slot: i32) -> Vec<u8> {
    let matrix = floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 7.5]);
    [words(&[slot, 1, 1]), matrix, words(&[2, 0])].concat()
}

/// 88 bytes and the nodes.
fn activation(
    command: i32,
    record: i32,
    node_index: i32,
    word80: u32,
    state: u8,
    nodes: &[Vec<u8>],
) -> Vec<u8> {
    let mut name = b"door".to_vec();
    name.resize(32, 0);
    let counts = [state, nodes.len() as u8, 0, 0];
    [
        words(&[command, record]),
        name,
        words(&[node_index]),
        vec![0; 36],
        word80.to_le_bytes().to_vec(),
        counts.to_vec(),
        nodes.concat(),
    ]
    .concat()
}

fn case(path: &str, members: &[Member<'_>]) -> Case {
    Case {
        path: path.into(),
        folder: String::new(),
        bytes: archive(members, false, None).into(),
    }
}

#[test]
fn a_node_is_added_to_an_activation_and_its_count_follows() {
    for (path, header, key) in [
        ("a.mw3", Some(words(&[8, 2])), "x"),
        ("savedgames/a.sav", None, "AnimActivation/Activation0000"),
    ] {
        for style in [Style::Json, Style::Ron] {
            let members = |payload: &[u8]| {
                let mut list = Vec::new();
                list.extend(header.as_deref().map(|h| member("zSaveHeader", h)));
                list.push(member(key, payload));
                case(path, &list)
            };
            let tree = unpack(
                &members(&activation(2, 4, 7, 0, 3, &[node(1)])),
                Hints::default(),
                style,
            );
            let file = format!("{key}.{}", style.ext());
            let text = tree.text(&file);
            let word = |key: &str, value: &str| {
                if style == Style::Json {
                    format!("\"{key}\": {value}")
                } else {
                    format!("{key}: {value}")
                }
            };
            for said in [
                word("command_type", "2"),
                word("record_id", "4"),
                word("state", "\"EXECUTED\""),
                word("uses_matrix", "1"),
            ] {
                assert!(text.contains(&said), "{said} is not in\n{text}");
            }
            // The same node again, in slot 2.
            let at = text.find(&word("node_states", "")).unwrap();
            let (from, to) = (
                text[at..].find('[').unwrap() + at + 1,
                text.rfind(']').unwrap(),
            );
            let state = text[from..to].to_owned();
            let second = state.replacen(&word("node_index", "1"), &word("node_index", "2"), 1);
            assert_ne!(state, second);
            tree.set(
                &file,
                format!("{}{state}, {second}{}", &text[..from], &text[to..]).into_bytes(),
            );
            assert_bytes(
                &repack(&tree),
                &members(&activation(2, 4, 7, 0, 3, &[node(1), node(2)])).bytes,
            );
            edit(&tree, &file, "\"EXECUTED\"", "\"RUNNING\"");
            assert_bytes(
                &repack(&tree),
                &members(&activation(2, 4, 7, 0, 2, &[node(1), node(2)])).bytes,
            );
        }
    }
}

#[test]
fn the_entry_index_of_recoil_is_named_and_stale_memory_is_not() {
    let save = |index: u32, stale: u32| {
        let (a, b) = (
            activation(5, 0, 1, index, 1, &[]),
            activation(5, 0, 1, stale, 1, &[]),
        );
        case(
            "savedgames/a.sav",
            &[
                member("Anim/Anim0000", &a),
                member("AnimActivation/Activation0000", &b),
            ],
        )
    };
    let tree = unpack(&save(41, 0xdead_beef), Hints::default(), Style::Json);
    edit(
        &tree,
        "Anim/Anim0000.json",
        "\"entry_index\": 41",
        "\"entry_index\": 42",
    );
    edit(
        &tree,
        "AnimActivation/Activation0000.json",
        "\"0xdeadbeef\"",
        "\"0x0\"",
    );
    assert_bytes(&repack(&tree), &save(42, 0).bytes);
    edit(
        &tree,
        "Anim/Anim0000.json",
        "\"entry_index\": 42",
        "\"entry_index\": 42, \"unk80\": \"0x1\"",
    );
    assert!(repack_error(&tree).contains("share a field"));
}

#[test]
fn lengths_and_counts_of_recoil_sections_follow() {
    let light = |n: u8| vec![n; 56];
    let running = |lights: &[Vec<u8>]| {
        let mut name = b"walk".to_vec();
        name.resize(32, 0);
        let head = [
            words(&[1, 0]),
            name,
            words(&[3]),
            vec![0; 32],
            vec![1, 0, 0, 0],
            vec![0; 20],
        ]
        .concat();
        assert_eq!(head.len(), 100);
        [
            head,
            vec![1, lights.len() as u8, 1, 0],
            b"sequence".to_vec(),
            lights.concat(),
            vec![9; 60],
        ]
        .concat()
    };
    let player = |rest: &[u8]| {
        [
            words(&[248 + rest.len() as i32]),
            vec![0; 244],
            rest.to_vec(),
        ]
        .concat()
    };
    let save = |lights: &[Vec<u8>], rest: &[u8]| {
        case(
            "savedgames/a.sav",
            &[
                member("RunningAnim/Running000", &running(lights)),
                member("Player/p", &player(rest)),
            ],
        )
    };
    let tree = unpack(
        &save(&[light(1), light(2)], b"\x01\x02"),
        Hints::default(),
        Style::Json,
    );
    let text = tree.text("RunningAnim/Running000.json");
    let (from, to) = (
        text.find("\"01010101").unwrap(),
        text.find("\"02020202").unwrap(),
    );
    tree.set(
        "RunningAnim/Running000.json",
        format!("{}{}", &text[..from], &text[to..]).into_bytes(),
    );
    edit(
        &tree,
        "Player/p.json",
        "\"unk248\": \"0102\"",
        "\"unk248\": \"010203\"",
    );
    assert_bytes(&repack(&tree), &save(&[light(2)], b"\x01\x02\x03").bytes);
}

/// The shape of the game's sound archives: 555 members have other words of flags, all with bit 1.
#[test]
fn flags_of_crimson_skies_are_stale_memory_except_for_one_bit() {
    let riff = [&b"RIFF"[..], &4u32.to_le_bytes(), b"WAVE"].concat();
    let list = |flags: [u32; 4]| -> Case {
        let names = ["a.wav", "b.wav", "c.wav", "d.wav"];
        let members: Vec<Member<'_>> = names
            .into_iter()
            .zip(flags)
            .map(|(n, f)| (n, &riff[..], f, n.as_bytes(), 126_117_504_540_000_000))
            .collect();
        case("x.zbd", &members)
    };
    let game = |flags| {
        pipeline::recognise(&list(flags).bytes, "x.zbd", Hints::default())
            .unwrap()
            .game
    };
    assert_eq!(game([62, 29_688_754, 29_689_478, 2]), Some(Game::Cs));
    assert_eq!(game([62, 29_688_752, 29_689_478, 2]), None);
}
