//! Save games: edits, with the bytes after each made by hand, and what `lint` and `list` say of sections.

use refit::{
    game::Game,
    pipeline::{self, Hints},
    tree::{Source, Style},
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
fn activation(command: i32, record: i32, node_index: i32, word80: u32, state: u8, nodes: &[Vec<u8>]) -> Vec<u8> {
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
    Case { path: path.into(), folder: String::new(), bytes: archive(members, false, None).into() }
}

fn kinds(case: &Case) -> Vec<(String, String)> {
    let model = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap().model;
    model.model().members().into_iter().map(|m| (m.name, m.kind.into_owned())).collect()
}

#[test]
fn a_node_is_added_to_an_activation_and_its_count_follows() {
    for (path, header, key) in
        [("a.mw3", Some(words(&[8, 2])), "x"), ("savedgames/a.sav", None, "AnimActivation/Activation0000")]
    {
        for style in [Style::Json, Style::Ron] {
            let members = |payload: &[u8]| {
                let mut list = Vec::new();
                list.extend(header.as_deref().map(|h| member("zSaveHeader", h)));
                list.push(member(key, payload));
                case(path, &list)
            };
            let tree = unpack(&members(&activation(2, 4, 7, 0, 3, &[node(1)])), Hints::default(), style);
            let file = format!("{key}.{}", style.ext());
            let text = tree.text(&file);
            let word = |key: &str, value: &str| {
                if style == Style::Json { format!("\"{key}\": {value}") } else { format!("{key}: {value}") }
            };
            for said in [
                word("command_type", "2"),
                word("record_id", "4"),
                word("state", "\"EXECUTED\""),
                word("uses_matrix", "1"),
            ] {
                assert!(text.contains(&said), "{said} is not in\n{text}");
            }
            // The same node once more, in slot 2.
            let at = text.find(&word("node_states", "")).unwrap();
            let (from, to) = (text[at..].find('[').unwrap() + at + 1, text.rfind(']').unwrap());
            let state = text[from..to].to_owned();
            let second = state.replacen(&word("node_index", "1"), &word("node_index", "2"), 1);
            assert_ne!(state, second);
            tree.set(&file, format!("{}{state}, {second}{}", &text[..from], &text[to..]).into_bytes());
            assert_bytes(&repack(&tree), &members(&activation(2, 4, 7, 0, 3, &[node(1), node(2)])).bytes);
            edit(&tree, &file, "\"EXECUTED\"", "\"RUNNING\"");
            assert_bytes(&repack(&tree), &members(&activation(2, 4, 7, 0, 2, &[node(1), node(2)])).bytes);
        }
    }
}

#[test]
fn the_entry_index_of_recoil_is_named_and_stale_memory_is_not() {
    let save = |index: u32, stale: u32| {
        let (a, b) = (activation(5, 0, 1, index, 1, &[]), activation(5, 0, 1, stale, 1, &[]));
        case("savedgames/a.sav", &[member("Anim/Anim0000", &a), member("AnimActivation/Activation0000", &b)])
    };
    let tree = unpack(&save(41, 0xdead_beef), Hints::default(), Style::Json);
    edit(&tree, "Anim/Anim0000.json", "\"entry_index\": 41", "\"entry_index\": 42");
    edit(&tree, "AnimActivation/Activation0000.json", "\"0xdeadbeef\"", "\"0x0\"");
    assert_bytes(&repack(&tree), &save(42, 0).bytes);
    edit(&tree, "Anim/Anim0000.json", "\"entry_index\": 42", "\"entry_index\": 42, \"unk80\": \"0x1\"");
    assert!(repack_error(&tree).contains("the same place"));
}

#[test]
fn edits_of_recoil_sections_give_the_bytes_of_their_places() {
    let save = golden_file("savegame", "recoil.sav");
    let start = |name: &str| -> usize {
        let mut at = 0;
        for m in pipeline::open(&save.bytes, &save.path, Hints::default()).unwrap().model.model().members() {
            if m.name == name {
                return at;
            }
            at += m.bytes as usize;
        }
        panic!("{name}");
    };
    for (file, from, to, offset, bytes) in [
        ("Mission/MissionData", "\"primary_shots\": 90", "\"primary_shots\": 91", 36, words(&[91])),
        ("Mission/MissionData", "\"difficulty\": 1", "\"difficulty\": 2", 88, words(&[2])),
        (
            "VehicleList/tank_01",
            "\"position\": [100.0, 20.0, -300.0]",
            "\"position\": [1.0, 2.0, 3.0]",
            16,
            floats(&[1.0, 2.0, 3.0]),
        ),
        ("VehicleList/tank_01", "\"local_master_type\": 2", "\"local_master_type\": 3", 124, words(&[3])),
        ("HUDTimer/TimerData", "33.25", "34", 0, floats(&[34.0])),
        ("Player/hover", "\"ammunition\": 90.0", "\"ammunition\": 99", 20 + 20 * 9 + 8, floats(&[99.0])),
        ("Player/hover", "\"next_mode_switch\": 4.25", "\"next_mode_switch\": 5", 244, floats(&[5.0])),
        ("Pickup/box_3", "\"respawn_delay\": 30", "\"respawn_delay\": 31", 44, words(&[31])),
        ("GWWorld/world1", "\"fog_far\": 500.0", "\"fog_far\": 600", 20, floats(&[600.0])),
        ("Mines/MineData000", "\"tank_07\"", "\"tank_08\"", 60, b"tank_08".to_vec()),
        ("zDEClient/Crater0", "\"reload\": 1", "\"reload\": 0", 48, words(&[0])),
        ("MissionLate/LateMissionData", "{}", "{ \"value\": 2 }", 0, words(&[2])),
        ("RunningAnim/Running000", "\"trigger\": 1.5", "\"trigger\": 2.5", 80, floats(&[2.5])),
        ("Anim/Anim0000", "\"state\": \"RUNNING_INVALIDATE\"", "\"state\": \"RESET\"", 84, vec![1]),
    ] {
        let tree = unpack(&save, Hints::default(), Style::Json);
        edit(&tree, &format!("{file}.json"), from, to);
        let mut expected = save.bytes.to_vec();
        let at = start(file) + offset;
        expected[at..at + bytes.len()].copy_from_slice(&bytes);
        assert_bytes(&repack(&tree), &expected);
    }
}

#[test]
fn lengths_and_counts_of_recoil_sections_follow() {
    let light = |n: u8| vec![n; 56];
    let running = |lights: &[Vec<u8>]| {
        let mut name = b"walk".to_vec();
        name.resize(32, 0);
        let head = [words(&[1, 0]), name, words(&[3]), vec![0; 32], vec![1, 0, 0, 0], vec![0; 20]].concat();
        assert_eq!(head.len(), 100);
        [head, vec![1, lights.len() as u8, 1, 0], b"sequence".to_vec(), lights.concat(), vec![9; 60]].concat()
    };
    let player = |rest: &[u8]| [words(&[248 + rest.len() as i32]), vec![0; 244], rest.to_vec()].concat();
    let save = |lights: &[Vec<u8>], rest: &[u8]| {
        case(
            "savedgames/a.sav",
            &[member("RunningAnim/Running000", &running(lights)), member("Player/p", &player(rest))],
        )
    };
    let tree = unpack(&save(&[light(1), light(2)], b"\x01\x02"), Hints::default(), Style::Json);
    let text = tree.text("RunningAnim/Running000.json");
    let (from, to) = (text.find("\"01010101").unwrap(), text.find("\"02020202").unwrap());
    tree.set("RunningAnim/Running000.json", format!("{}{}", &text[..from], &text[to..]).into_bytes());
    edit(&tree, "Player/p.json", "\"unk248\": \"0102\"", "\"unk248\": \"010203\"");
    assert_bytes(&repack(&tree), &save(&[light(2)], b"\x01\x02\x03").bytes);
}

#[test]
fn each_game_has_its_sections() {
    let recoil = golden_file("savegame", "recoil.sav");
    assert_eq!(pipeline::recognise(&recoil.bytes, "x", Hints::default()).unwrap().game, Some(Game::Rc));
    assert!(kinds(&recoil).iter().all(|(_, kind)| kind != "raw"), "{:?}", kinds(&recoil));
    let odd: Vec<String> = kinds(&golden_file("savegame", "recoil_odd.sav"))
        .into_iter()
        .filter(|(_, k)| k != "raw")
        .map(|(n, _)| n)
        .collect();
    assert_eq!(odd, ["VehicleList/tank_01", "Anim/Anim0000", "MissionLate/LateMissionData"]);
    let status = golden_file("savegame", "crimson_status.dat");
    assert_eq!(pipeline::recognise(&status.bytes, "x", Hints::default()).unwrap().game, Some(Game::Cs));
    let name = |(name, kind): (String, String)| format!("{name} {kind}");
    let rows: Vec<String> = kinds(&status).into_iter().map(name).collect();
    assert_eq!(rows, ["zSaveHeader save header", "PilotStatus/PilotStatus raw", "UIData/UIData player's data"]);
    let rows: Vec<String> = kinds(&golden_file("savegame", "crimson_mission.sav"))
        .into_iter()
        .map(name)
        .filter(|r| !r.ends_with("raw"))
        .collect();
    let typed = [
        "zSaveHeader save header",
        "PlayerVehicle/player player's vehicle",
        "AnimActivation/Activation0000 activation",
        "VehicleList/escort aircraft",
    ];
    assert_eq!(rows, typed);
    // A section of Recoil in a save of MechWarrior 3 is none.
    let other = golden_file("savegame", "save_other.mw3");
    assert_eq!(pipeline::recognise(&other.bytes, "x", Hints::default()).unwrap().game, Some(Game::Mw));
    assert_eq!(kinds(&other).last().map(|(_, kind)| kind.as_str()), Some("raw"));
}

#[test]
fn findings_of_saves() {
    let codes = |name: &str| {
        let case = golden_file("savegame", name);
        let found = pipeline::lint(&*pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap().model).unwrap();
        let mut rows: Vec<String> = found.iter().map(|f| format!("{} {}", f.code, f.path)).collect();
        rows.dedup();
        rows
    };
    // Only what no engine writes: the padding and the word at 80 are stale memory.
    let recoil = codes("recoil.sav");
    assert!(recoil.is_empty(), "{recoil:?}");
    let odd = codes("recoil_odd.sav");
    for expected in
        ["save-vehicle-size VehicleList/tank_01", "save-vehicle-size VehicleList/tank_02", "save-owner Sky/Cloud"]
    {
        assert!(odd.iter().any(|row| row == expected), "{expected}: {odd:?}");
    }
    // The matrix does not count, its NaN is no finding; the state is not known.
    assert!(
        !odd.iter().any(|row| row.starts_with("not-finite")) && odd.iter().any(|row| row.starts_with("unknown-value")),
        "{odd:?}"
    );
    // A pointer without the byte that known files have beside it is stale memory too.
    assert!(codes("save_pointer_lone.mw3").is_empty(), "{:?}", codes("save_pointer_lone.mw3"));
    assert!(codes("save_status2.mw3").is_empty());
    // What only MechWarrior 3 is known never to have.
    assert_eq!(codes("save_node_neg.mw3"), ["save-activation AnimActivation/Activation0000"]);
    assert!(!odd.iter().any(|row| row.starts_with("save-activation")), "{odd:?}");
}

#[test]
fn money_and_aircraft_of_crimson_skies() {
    let case = golden_file("savegame", "crimson_status.dat");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let mut expected = case.bytes.to_vec();
    let ui = 12 + 1448;
    edit(&tree, "UIData/UIData.json", "\"money\": 12500", "\"money\": 99999");
    expected[ui + 0x448..ui + 0x44c].copy_from_slice(&99999i32.to_le_bytes());
    edit(&tree, "UIData/UIData.json", "\"Crate 3\"", "\"Crate three\"");
    expected[ui + 0x44c + 204 * 3 + 4..][..11].copy_from_slice(b"Crate three");
    // What stood behind the pilot's name stays where it is.
    edit(&tree, "UIData/UIData.json", "\"text\": \"Ada\"", "\"text\": \"Eve\"");
    expected[ui + 0x314..ui + 0x317].copy_from_slice(b"Eve");
    assert_bytes(&repack(&tree), &expected);

    let case = golden_file("aircraft", "Blue Streak");
    let found = pipeline::recognise(&case.bytes, "GAME/Planes/blue streak", Hints::default()).unwrap();
    assert_eq!((found.format.name(), found.game), ("aircraft", Some(Game::Cs)));
    assert!(pipeline::recognise(&case.bytes, "GAME/Planes/Red", Hints::default()).is_err());
    let tree = unpack(&case, Hints::default(), Style::Json);
    let document = tree
        .paths()
        .into_iter()
        .find(|p| p.ends_with(".json") && !p.starts_with(".refit") && p != "refit.json")
        .unwrap();
    edit(&tree, &document, "\"pattern\": 4", "\"pattern\": 13");
    let mut expected = case.bytes.to_vec();
    expected[0x40] = 13;
    assert_bytes(&repack(&tree), &expected);
    let odd = golden_file("aircraft", "odd");
    let found = pipeline::lint(&*pipeline::open(&odd.bytes, &odd.path, Hints::default()).unwrap().model).unwrap();
    let paths: Vec<&str> = found.iter().filter(|f| f.code == "aircraft-value").map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["pattern", "pylons"]);
}

/// The shape of the game's sound archives: 555 members have other words of flags, all with bit 1.
#[test]
fn flags_of_crimson_skies_are_memory_but_for_one_bit() {
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
    let game = |flags| pipeline::recognise(&list(flags).bytes, "x.zbd", Hints::default()).unwrap().game;
    assert_eq!(game([62, 29_688_754, 29_689_478, 2]), Some(Game::Cs));
    assert_eq!(game([62, 29_688_752, 29_689_478, 2]), None);
}
