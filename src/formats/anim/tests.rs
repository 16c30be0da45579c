use super::{
    fields::{Change, rate},
    *,
};
use crate::{
    lint::{Finding, Severity},
    pipeline::{self, Hints, Via},
    registry::find_code,
    wire::{Derived, F32, Hex},
};

const CLOSE: f32 = 0.32;

#[test]
fn sizes_are_those_of_the_reference() {
    assert_eq!(Game::ALL.map(Definition::size), [308, 316, 268, 272]);
    assert_eq!(Game::ALL.map(header::definition_0_size), [372, 380, 268, 272]);
    let size = |number: u8| EVENTS.iter().find(|e| e.0 == number).map(|e| Game::ALL.map(|game| (e.2)(game).unwrap()));
    assert_eq!(size(4), Some([112, 120, 140, 140]));
    assert_eq!(size(10), Some([240, 320, 320, 320]));
    assert_eq!(size(31), Some([12, 12, 16, 16]));
    assert_eq!(size(42), Some([580, 580, 584, 584]));
    // Everything from 1 to 42 except the unknown types, and the additions of Crimson Skies.
    let numbers: Vec<u8> = (1..=47).filter(|n| sequences::key_of(*n).is_some()).collect();
    let expected: Vec<u8> = (1..=42).filter(|n| ![29, 40].contains(n)).chain([46, 47]).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn the_rate_of_known_triples_is_the_stored_one() {
    let bits = |from: f32, to: f32, time: f32| rate(from.into(), to.into(), time.into(), None).bits();
    // Shipped triples for which one rounding and two give the same result.
    assert_eq!(bits(0.0, CLOSE, 0.75), 0x3EDA_740D);
    assert_eq!(bits(CLOSE, 0.0, 1.5), 0xBE5A_740D);
    assert_eq!(bits(1.0, 1.0, 0.0), 0);
    assert_eq!(bits(-0.0, 0.0, 2.0), 0);
    assert_eq!(bits(0.0, 3.0, 0.0), 0);
    let vector = <[F32; 2]>::rate(&[0.0.into(), 1.0.into()], &[1.0.into(), 0.0.into()], 2.0.into(), None);
    assert_eq!(vector.map(F32::get), [0.5, -0.5]);
}

/// A definition with one sequence of events, given as text.
fn definition_of(head: &str, events: &str) -> Definition {
    let text = format!(
        r#"{{ "name": "door", "animation_name": "door", "animation_root_name": "door", "activation": "ON_CALL",
        "nodes": ["door", "arm"], {head}
            "sequences": [{{ "name": "run", "activation": "INITIAL", "events": [{events}] }}] }}"#
    );
    Definition::from_text(&text, Style::Json).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// A small definition.
fn small() -> Definition {
    let text = r#"{ "name": "a", "animation_name": "b", "animation_root_name": "a", "activation": "ON_STARTUP",
    "sequences": [] }"#;
    Definition::from_text(text, Style::Json).unwrap()
}

fn anim_of(game: Game, definitions: Vec<Bytes>) -> Anim {
    Anim { definitions, ..Anim::new(game) }
}

/// The lints of a definition with one sequence of events, given as text, in a file of a game.
fn lints(game: Game, head: &str, events: &str) -> Vec<Finding> {
    let bytes = definition_of(head, events).write(game, &Arc::default()).unwrap();
    let anim = anim_of(game, vec![bytes.into()]);
    let file = Bytes::from(anim.write().unwrap());
    let hints = Hints { format: Some(Format::Anim), game: None };
    for via in [Via::Bytes, Via::Json, Via::Ron] {
        assert!(pipeline::verify(&file, "anim.zbd", hints, via).unwrap().raw.is_empty(), "{head} {events}");
    }
    pipeline::lint(&*pipeline::open(&file, "anim.zbd", hints).unwrap().model).unwrap()
}

#[test]
fn each_group_of_lints_finds_its_case() {
    let idle = r#"{ "ELSE": {} }"#;
    let quiet = r#"{ "CALLBACK": { "value": 1 } }"#;
    let silent = lints(Game::Mw, "", quiet);
    assert!(silent.is_empty(), "a regular definition has nothing to say: {silent:?}");
    let cases = [
        ("anim-definition", r#""execution_by_range": [5.0, 1.0],"#, quiet),
        ("anim-definition", r#""minimum_to_satisfy": 2,"#, quiet),
        ("anim-pointer", r#""pointers": { "nodes": "0x0" },"#, quiet),
        ("anim-entry", r#""zero_elements": { "nodes": { "3": "01" } },"#, quiet),
        ("anim-duplicate", r#""lights": ["a", "a"],"#, quiet),
        ("anim-callbacks", r#""flags_differ": "0x10","#, quiet),
        ("anim-blocks", "", idle),
        ("anim-blocks", "", r#"{ "IF": { "RANDOM_WEIGHT": 0.5 } }"#),
        ("anim-index", "", r#"{ "OBJECT_ACTIVE_STATE": { "node": { "index": 99 }, "state": true } }"#),
        ("anim-event", "", r#"{ "at": [9, 0.0], "CALLBACK": { "value": 1 } }"#),
        ("anim-event", "", r#"{ "RAW": { "type": 29, "body": "00" } }"#),
        ("anim-no-sequence", "", r#"{ "CALL_SEQUENCE": { "name": "gone" } }"#),
        ("anim-call", "", r#"{ "RESET_ANIMATION": { "name": "gone" } }"#),
        ("anim-range", "", r#"{ "OBJECT_OPACITY_STATE": { "node": "arm", "state": true, "opacity": 1.5 } }"#),
        ("anim-exclusive", "", r#"{ "CALL_ANIMATION": { "name": "door", "at_node": "arm", "with_node": "arm" } }"#),
        ("odd-value", "", r#"{ "FOG_STATE": { "name": "other" } }"#),
        ("extra-bytes", "", r#"{ "OBJECT_OPACITY_STATE": { "node": "arm", "state": true }, "extra": { "4": "07" } }"#),
    ];
    for (code, head, event) in cases {
        let found = lints(Game::Mw, head, event);
        assert!(found.iter().any(|f| f.code == code), "{code}: {found:?}");
        for finding in found {
            assert!(find_code(finding.code).is_some(), "{} is not listed", finding.code);
        }
    }
    let empty = lints(Game::Mw, "", "");
    assert!(empty.iter().any(|f| f.code == "anim-sequence"), "{empty:?}");
    assert!(lints(Game::Pm, "", quiet).iter().any(|f| f.code == "anim-info"), "a Pirate's Moon file without scripts");
}

#[test]
fn what_engines_make_of_health_frames_and_numbers() {
    let quiet = r#"{ "CALLBACK": { "value": 1 } }"#;
    let said = |game, head: &str, events: &str| {
        lints(game, head, events).into_iter().map(|f| (f.code, f.severity)).collect::<Vec<_>>()
    };
    // Recoil uses the current health from the file; the other games' code was not examined, so the severity is lower
    // there.
    let dead = r#""health": 5.0, "current_health": 0.0,"#;
    assert_eq!(said(Game::Rc, dead, quiet), [("odd-value", Severity::Unusual), ("anim-health", Severity::Differs)]);
    assert_eq!(said(Game::Mw, dead, quiet), [("odd-value", Severity::Unusual), ("anim-health", Severity::Unusual)]);
    let hurt = r#""health": 5.0, "current_health": 2.0,"#;
    assert_eq!(said(Game::Rc, hurt, quiet), [("odd-value", Severity::Unusual)]);
    assert_eq!(said(Game::Rc, r#""health": 5.0,"#, quiet), []);
    // MechWarrior 3 plays as many frames as the event's count. Recoil does not check it.
    let frames = |count: &str| {
        format!(
            r#"{quiet}, {{ "OBJECT_MOTION_SI_SCRIPT": {{ "node": "arm",
            "inline": {{ {count} "frames": [{{ "time": [0.0, 1.0] }}] }} }} }}"#
        )
    };
    assert_eq!(said(Game::Mw, "", &frames("")), []);
    assert_eq!(said(Game::Mw, "", &frames(r#""frame_count": 7,"#)), [("anim-frames", Severity::Crashes)]);
    assert_eq!(said(Game::Rc, "", &frames(r#""frame_count": 7,"#)), [("odd-value", Severity::Unusual)]);
}

#[test]
fn more_definitions_than_the_game_can_count() {
    let bytes: Bytes = small().write(Game::Rc, &Arc::default()).unwrap().into();
    let limited = |count: usize| {
        let anim = anim_of(Game::Rc, vec![bytes.clone(); count]);
        pipeline::lint(&anim).unwrap().into_iter().find(|f| f.code == "anim-limit").map(|f| (f.severity, f.message))
    };
    assert_eq!(limited(32_766), None);
    assert_eq!(limited(32_767), Some((Severity::Refuses, "32768 definitions, with definition 0".into())));
}

#[test]
fn animations_of_the_demos_of_recoil_are_named_where_they_are_refused() {
    for version in [26u32, 27] {
        let file = Bytes::from([&0x0817_0616u32.to_le_bytes()[..], &version.to_le_bytes(), &[0; 100]].concat());
        let error = pipeline::verify(&file, "anim.zbd", Hints::default(), Via::Json).unwrap_err().to_string();
        assert!(error.contains(&format!("version {version}: animations of a Recoil demo of July 1998")), "{error}");
    }
}

/// The words of the running game in the info block have names.
#[test]
fn the_info_block_names_its_words() {
    let mut anim = Anim::new(Game::Rc);
    let plain = anim.write().unwrap();
    let info = &mut anim.header.info;
    (info.reference_enabled, info.variants_enabled) = (Derived(Some(1)), Derived(Some(2)));
    info.reference_position = Derived(Some([1.0, 2.0, 3.0].map(F32::from)));
    (info.variants, info.frame_time_left) = (Derived(Some(Hex(0x1234))), Derived(Some(F32::from(0.5))));
    let told = anim.write().unwrap();
    let words = |bytes: &[u8]| -> Vec<u32> {
        (11..18).map(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap())).collect()
    };
    assert_eq!(words(&plain), [0; 7]);
    assert_eq!(words(&told), [1, 2, 1f32.to_bits(), 2f32.to_bits(), 3f32.to_bits(), 0x1234, 0.5f32.to_bits()]);
    let file = Bytes::from(told);
    let hints = Hints { format: Some(Format::Anim), game: None };
    assert!(pipeline::verify(&file, "anim.zbd", hints, Via::Ron).unwrap().raw.is_empty());
}

#[test]
fn members_are_read_and_replaced_apart() {
    let bytes: Bytes = small().write(Game::Pm, &Arc::default()).unwrap().into();
    let mut anim = anim_of(Game::Pm, vec![bytes.clone(), bytes.clone()]);
    assert_eq!(anim.members().iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["b", "b"]);
    assert_eq!(anim.get(1, Form::Stored).unwrap(), bytes);
    let text = String::from_utf8(anim.get(1, Form::Document(Style::Json)).unwrap().to_vec()).unwrap();
    anim.put(1, text.replace("\"b\"", "\"other\"").as_bytes(), Form::Document(Style::Json)).unwrap();
    assert_eq!(anim.members()[1].name, "other");
    assert_eq!(anim.get(0, Form::Stored).unwrap(), bytes);
    assert!(anim.put(1, &bytes[..100], Form::Stored).is_err());
    assert!(anim.put(1, &[&bytes[..], &[0]].concat(), Form::Stored).is_err());
    assert!(anim.get(2, Form::Stored).is_err());
}

#[test]
fn crimson_skies_has_paths_scripts_and_damage() {
    let text = r#"{ "name": "n", "animation_name": "a", "animation_root_name": "r", "activation": "ON_CALL",
        "path": [{ "name": "hull", "id": "0x12" }], "nodes": ["n"],
        "static_sounds": ["a name of more than thirty-two bytes"],
        "scripts": ["scripts/two", "scripts/one"],
        "damage_sequence": { "name": "DAMAGE_SEQUENCE", "activation": "INITIAL", "events": [{ "ENDIF": {} }] },
        "damage_position": 1,
        "sequences": [{ "name": "s", "activation": "ON_CALL", "events": [
            { "OBJECT_MOTION_SI_SCRIPT": { "node": "n", "script": "scripts/one" } },
            { "OBJECT_MOTION_SI_SCRIPT_LIST": [{ "node": "n", "script": "scripts/two" }, { "node": "n",
            "script": { "index": 7 } }] },
            { "IF": { "ANIM_HEALTH_RANGE": [1.0, 2.0] } }] }] }"#;
    let table = script_table(&["scripts/one".into(), "scripts/two".into()]);
    let doc = Definition::from_text(text, Style::Json).unwrap();
    let bytes = doc.write(Game::Cs, &table).unwrap();
    let at = |from: usize| u32::from_le_bytes(bytes[from..from + 4].try_into().unwrap());
    assert_eq!((at(36), at(212), bytes[216], bytes[227]), (1, !0, 1, 2));
    // Record, path, two nodes, two sounds of 40 bytes, then the indices of the scripts.
    let scripts = 272 + 36 + 2 * 44 + 2 * 40;
    assert_eq!((at(scripts), at(scripts + 4)), (1, 0));
    let event = scripts + 8 + 64;
    assert_eq!((at(event + 4), at(event + 16), at(event + 20)), (76, 1, 1));
    let list = event + 76;
    assert_eq!((bytes[list], at(list + 12), bytes[list + 16], at(list + 20), at(list + 36)), (47, 2, 12, 76, 0));
    let back = Definition::read(&bytes, Game::Cs, &table).unwrap();
    assert_eq!(back, doc);
    assert_eq!(back.pointers.path, Derived(None));
    // Fields that other games do not have are errors.
    assert!(doc.clone().write(Game::Mw, &table).unwrap_err().to_string().contains("path"));
    let mut other = Definition::from_text(&text.replace("\"pointer\"", "x"), Style::Json).unwrap();
    other.pointers.damage = Derived(Some(Hex(0)));
    assert!(other.write(Game::Cs, &table).unwrap_err().to_string().contains("pointers.damage"));
}

/// The bytes of a definition in a game's file, and the document read back from them.
fn written(game: Game, head: &str, events: &str) -> (Vec<u8>, serde_json::Value) {
    let table = Arc::default();
    let doc = definition_of(head, events);
    let bytes = doc.write(game, &table).unwrap_or_else(|e| panic!("{e}: {head} {events}"));
    let back = Definition::read(&bytes, game, &table).unwrap();
    assert_eq!(back, doc, "{head} {events}");
    (bytes, serde_json::to_value(&back).unwrap())
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// The body of the first event.
fn body(game: Game, events: &str) -> Vec<u8> {
    let (with, without) = (written(game, "", events).0, written(game, "", "").0);
    // Skip the 12 bytes of the event's header.
    with[without.len() + 12..].to_vec()
}

#[test]
fn a_log_is_given_and_then_on_or_off_in_every_game() {
    for (game, flags) in [(Game::Rc, 148), (Game::Mw, 148), (Game::Pm, 156), (Game::Cs, 156)] {
        for (head, expected) in [
            (r#""network_log": false, "save_log": true,"#, 0x3400),
            (r#""network_log": true, "save_log": false,"#, 0x1C00),
            ("", 0),
        ] {
            assert_eq!(word(&written(game, head, "").0, flags), expected, "{game:?} {head}");
        }
    }
}

#[test]
fn ranges_are_squared_where_that_is_proved() {
    for (game, at, near, far) in [
        (Game::Rc, 156, 4.0f32, 2500.0f32),
        (Game::Cs, 164, 4.0, 2500.0),
        (Game::Mw, 156, 2.0, 50.0),
        (Game::Pm, 164, 2.0, 50.0),
    ] {
        let (bytes, doc) = written(game, r#""execution_by_range": [2.0, 50.0],"#, "");
        assert_eq!([word(&bytes, at), word(&bytes, at + 4)], [near.to_bits(), far.to_bits()], "{game:?}");
        assert_eq!(doc["execution_by_range"], serde_json::json!([2.0, 50.0]));
    }
    // No float has this square.
    let (bytes, _) = written(Game::Rc, r#""execution_by_range": [0.0, { "squared": -3.0 }],"#, "");
    assert_eq!(word(&bytes, 160), (-3.0f32).to_bits());
}

#[test]
fn rates_are_those_of_one_of_three_roundings() {
    // The rates of 0.3 to 0.1 in 0.03 s differ in all three roundings.
    for (rate, rounding) in [
        (0xc0d5_5556u32, ""),
        (0xc0d5_5557, r#", "rounding": "TWICE""#),
        (0xc0d5_5558, r#", "rounding": "RECIPROCAL""#),
    ] {
        let event = format!(
            r#"{{ "OBJECT_MOTION_FROM_TO": {{ "node": "arm", "run_time": 0.03, "morph": {{ "from": 0.3,
            "to": 0.1{rounding} }} }} }}"#
        );
        for game in Game::ALL {
            assert_eq!(word(&body(game, &event), 16), rate, "{game:?} {rounding}");
        }
    }
}

#[test]
fn a_rate_of_its_own_has_no_rounding() {
    let event = r#"{ "OBJECT_MOTION_FROM_TO": { "node": "arm", "run_time": 2.0, "morph": { "from": 0.0, "to": 1.0,
    "rate": 7.0, "rounding": "TWICE" } } }"#;
    let error = definition_of("", event).write(Game::Mw, &Arc::default()).unwrap_err().to_string();
    assert!(error.contains("`rate` and `rounding`"), "{error}");
}

#[test]
fn a_call_keeps_its_slot_with_and_without_waiting() {
    let head = r#""animation_references": ["b", { "name": "b", "local_name": "mine" }],"#;
    let call = |rest: &str| format!(r#"{{ "CALL_ANIMATION": {{ "name": "b"{rest} }} }}"#);
    for game in Game::ALL {
        let without = written(game, head, "").0.len();
        let body = |rest: &str| written(game, head, &call(rest)).0[without + 12..].to_vec();
        let slot = |body: &[u8]| i16::from_le_bytes([body[38], body[39]]);
        let flags = |body: &[u8]| u16::from_le_bytes([body[34], body[35]]);
        let none = body("");
        assert_eq!((slot(&none), flags(&none)), (-1, 0), "{game:?}");
        let waits = body(r#", "reference": "b", "wait_for_completion": true"#);
        assert_eq!((slot(&waits), flags(&waits)), (0, 0x10), "{game:?}");
        let named = body(r#", "reference": { "name": "b", "nth": 2 }"#);
        assert_eq!((slot(&named), flags(&named)), (1, 0), "{game:?}");
        let turned = body(r#", "rotation": [0.5, 0.0, 0.0]"#);
        assert_eq!((word(&turned, 56), flags(&turned)), (0.5f32.to_bits(), 4), "{game:?}");
    }
    // In Crimson Skies, without its flag the field has no effect.
    let without = written(Game::Cs, head, "").0.len();
    let stale = written(Game::Cs, head, &call(r#", "reference_off": 0"#)).0;
    assert_eq!(stale[without + 12 + 38..][..2], [0, 0]);
}

#[test]
fn conditions_have_the_words_of_the_engine() {
    let value = |condition: &str, number: u32, first: f32, second: f32| {
        let event = format!(r#"{{ "IF": {{ {condition} }} }}, {{ "ENDIF": {{}} }}"#);
        let body = body(Game::Cs, &event);
        let words = [0, 8, 12].map(|at| word(&body, at));
        assert_eq!(words, [number, first.to_bits(), second.to_bits()], "{condition}");
    };
    value(r#""PLAYER_UNDERCOVER": 3.0"#, 8, 3.0, 0.0);
    value(r#""PLAYER_BELOW_ALT": 40.0"#, 0x80, 40.0, 0.0);
    value(r#""NODE_BELOW_ALT": { "node": "arm", "height": 9.0 }"#, 0x100, 9.0, 0.0);
    value(r#""PLAYER_LINED_UP": 0.25"#, 0x200, 0.25, 0.0);
    value(r#""PLAYER_SPEED": [1.0, 2.0]"#, 0x400, 1.0, 2.0);
    value(r#""ANIM_HEALTH": 5.0"#, 0x800, 5.0, 0.0);
    value(r#""ANIM_HEALTH_RANGE": [5.0, 6.0]"#, 0x1000, 5.0, 6.0);
}

#[test]
fn the_type_of_a_fog_counts_without_its_flag_in_recoil() {
    for (game, flags) in [(Game::Rc, 0), (Game::Mw, 1), (Game::Cs, 1)] {
        let body = body(game, r#"{ "FOG_STATE": { "type": "OFF" } }"#);
        assert_eq!((word(&body, 32), word(&body, 36)), (flags, 0), "{game:?}");
    }
}

#[test]
fn puffers_of_crimson_skies_have_their_names() {
    let event = r#"{ "PUFFER_STATE": { "puffer": "smoke", "near_fade": [70.0, 20.0], "start_age_range": [-1.0, 0.1],
        "scale_sequence": [{ "age": 0.0, "scale": 1.0 }, { "age": 1.0, "scale": -0.2 }],
        "colors": [{ "age": 0.5, "color": [1.0, 0.5, 0.25], "alpha": 0.75 }],
        "textures": [{ "age": 0.8, "name": "fire1" }] } }"#;
    let head = r#""puffers": ["smoke"],"#;
    let (bytes, _) = written(Game::Cs, head, event);
    let without = written(Game::Cs, head, "").0.len();
    let body = &bytes[without + 12..];
    let expected = 1 << 19 | 1 << 15 | 1 << 13 | 1 << 18 | 1 << 14;
    assert_eq!(word(body, 36), expected, "the flags");
    assert_eq!([word(body, 156), word(body, 160)], [70.0f32.to_bits(), 20.0f32.to_bits()], "a fade that descends");
    let codes: Vec<&str> =
        lints(Game::Cs, head, event).into_iter().map(|f| f.code).filter(|c| *c == "anim-range").collect();
    assert!(codes.is_empty(), "ordinary in real files");
}

/// Output of refit and of Recoil's tool is not unusual: zeros after new names, textures that continue without RESET.
#[test]
fn what_the_tool_of_recoil_wrote_is_ordinary() {
    use crate::anim_source::{Options, Root, Sources, compile};
    let text = "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open ) \
        SEQUENCE_DEFINITION ( NAME ( main ) OBJECT_CYCLE_TEXTURE ( NAME ( gate ) ) OBJECT_CYCLE_TEXTURE ( RESET NAME ( \
        gate ) ) LIGHT_STATE ( NAME ( lamp ) ) ) ) ) )";
    let files = crate::tree::Folder::new();
    files.set("anim.zrd", text.as_bytes().to_vec());
    let sources = Sources::read(vec![Root::of_paths("/x", &files)], &[(0, "anim.zrd".to_owned())], &|_| false).unwrap();
    let anim = compile(&sources, None, &Options::default()).unwrap().anim.unwrap();
    let mut lints = Lints::new();
    anim.judge(&mut lints);
    assert!(lints.found.is_empty(), "{:?}", lints.found);
    // Other bytes after a name are reported.
    let mut bytes = anim.definitions[0].to_vec();
    let at = bytes.windows(5).rposition(|w| w == b"gate\0").unwrap();
    bytes[at + 20] = b'x';
    let odd = Anim { definitions: vec![bytes.into()], ..anim };
    let mut lints = Lints::new();
    odd.judge(&mut lints);
    let codes: Vec<&str> = lints.found.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["text-tail"], "{:?}", lints.found);
}
