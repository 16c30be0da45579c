use super::{
    fields::{Change, rate},
    *,
};
use crate::{
    lint::{Finding, find},
    wire::{F32, Hex},
    work::{self, Hints, Via},
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
    // Everything from 1 to 42 but what nobody knows, and what Crimson Skies adds.
    let numbers: Vec<u8> = (1..=47).filter(|n| sequences::key_of(*n).is_some()).collect();
    let expected: Vec<u8> = (1..=42).filter(|n| ![29, 40].contains(n)).chain([46, 47]).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn the_rate_is_rounded_after_each_step() {
    let bits = |from: f32, to: f32, time: f32| rate(from.into(), to.into(), time.into(), None).bits();
    // anim.md, section 12: what the formula gives for the shipped triples.
    assert_eq!(bits(0.0, CLOSE, 0.75), 0x3EDA_740D);
    assert_eq!(bits(CLOSE, 0.0, 1.5), 0xBE5A_740D);
    assert_eq!(bits(1.0, 1.0, 0.0), 0);
    assert_eq!(bits(-0.0, 0.0, 2.0), 0);
    assert_eq!(bits(0.0, 3.0, 0.0), 0);
    let vector = <[F32; 2]>::rate(&[0.0.into(), 1.0.into()], &[1.0.into(), 0.0.into()], 2.0.into(), None);
    assert_eq!(vector.map(F32::get), [0.5, -0.5]);
}

/// A definition with one sequence of events, as text, made into a file of a game; and what its lints say.
fn lints(game: Game, head: &str, events: &str) -> Vec<Finding> {
    let text = format!(
        r#"{{ "name": "door", "animation_name": "door", "animation_root_name": "door", "activation": "ON_CALL", "nodes": ["door", "arm"], {head}
            "sequences": [{{ "name": "run", "activation": "INITIAL", "events": [{events}] }}] }}"#
    );
    let doc = Definition::from_text(&text, Style::Json).unwrap_or_else(|e| panic!("{e}: {text}"));
    let bytes = doc.write(game, &std::sync::Arc::default()).unwrap();
    let anim = Anim {
        game,
        header: Header::default(),
        definition_0: Some(header::definition_0(game).into()),
        definitions: vec![bytes.into()],
        scripts: Vec::new(),
        messages: Vec::new(),
        trailing: Bytes::new(),
    };
    let file = Bytes::from(anim.write().unwrap());
    let hints = Hints { format: Some(Format::Anim), game: None };
    for via in [Via::Bytes, Via::Json, Via::Ron] {
        assert!(work::verify(&file, "anim.zbd", hints, via).unwrap().raw.is_empty(), "{text}");
    }
    work::lint(&*work::open(&file, "anim.zbd", hints).unwrap().model)
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
            assert!(find(finding.code).is_some(), "{} is not listed", finding.code);
        }
    }
    let empty = lints(Game::Mw, "", "");
    assert!(empty.iter().any(|f| f.code == "anim-sequence"), "{empty:?}");
    assert!(lints(Game::Pm, "", quiet).iter().any(|f| f.code == "anim-info"), "a Pirate's Moon file without scripts");
}

#[test]
fn members_are_read_and_replaced_apart() {
    let text = r#"{ "name": "a", "animation_name": "b", "animation_root_name": "a", "activation": "ON_STARTUP", "sequences": [] }"#;
    let doc = Definition::from_text(text, Style::Json).unwrap();
    let bytes: Bytes = doc.write(Game::Pm, &std::sync::Arc::default()).unwrap().into();
    let mut anim = Anim {
        game: Game::Pm,
        header: Header::default(),
        definition_0: Some(header::definition_0(Game::Pm).into()),
        definitions: vec![bytes.clone(), bytes.clone()],
        scripts: Vec::new(),
        messages: Vec::new(),
        trailing: Bytes::new(),
    };
    assert_eq!(anim.members().iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["b", "b"]);
    assert_eq!(anim.get(1, None).unwrap(), bytes);
    let text = String::from_utf8(anim.get(1, Some(Style::Json)).unwrap().to_vec()).unwrap();
    anim.put(1, text.replace("\"b\"", "\"other\"").as_bytes(), Some(Style::Json)).unwrap();
    assert_eq!(anim.members()[1].name, "other");
    assert_eq!(anim.get(0, None).unwrap(), bytes);
    assert!(anim.put(1, &bytes[..100], None).is_err());
    assert!(anim.put(1, &[&bytes[..], &[0]].concat(), None).is_err());
    assert!(anim.get(2, None).is_err());
}

#[test]
fn crimson_skies_has_paths_scripts_and_damage() {
    let text = r#"{ "name": "n", "animation_name": "a", "animation_root_name": "r", "activation": "ON_CALL",
        "path": [{ "name": "hull", "id": "0x12" }], "nodes": ["n"], "static_sounds": ["a name of more than thirty-two bytes"],
        "scripts": ["scripts/two", "scripts/one"],
        "damage_sequence": { "name": "DAMAGE_SEQUENCE", "activation": "INITIAL", "events": [{ "ENDIF": {} }] }, "damage_position": 1,
        "sequences": [{ "name": "s", "activation": "ON_CALL", "events": [
            { "OBJECT_MOTION_SI_SCRIPT": { "node": "n", "script": "scripts/one" } },
            { "OBJECT_MOTION_SI_SCRIPT_LIST": [{ "node": "n", "script": "scripts/two" }, { "node": "n", "script": { "index": 7 } }] },
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
    let back = Definition::read(&bytes, Game::Cs, &table, &mut Room::default()).unwrap();
    assert_eq!(back, doc);
    assert_eq!(back.pointers.path, Odd(None));
    // What other games do not have is refused.
    assert!(doc.clone().write(Game::Mw, &table).unwrap_err().to_string().contains("path"));
    let mut other = Definition::from_text(&text.replace("\"pointer\"", "x"), Style::Json).unwrap();
    other.pointers.damage = Odd(Some(Hex(0)));
    assert!(other.write(Game::Cs, &table).unwrap_err().to_string().contains("pointers.damage"));
}
