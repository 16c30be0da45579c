use super::{
    fields::{Change, rate},
    *,
};
use refit_base::{
    contract::Members as _,
    lint::{Finding, Severity},
    wire::{Derived, F32, Hex},
};
use refit_files::pipeline::{self, Hints, Via};

mod vectors;
use vectors::vectors;

const CLOSE: f32 = 0.32;

#[test]
fn sizes_are_those_of_the_reference() {
    assert_eq!(Game::ALL.map(Definition::size), [308, 316, 268, 272]);
    assert_eq!(
        Game::ALL.map(header::definition_0_size),
        [372, 380, 268, 272]
    );
    let size = |number: u8| {
        sequences::EVENTS
            .iter()
            .find(|e| e.0 == number)
            .map(|e| Game::ALL.map(|game| (e.2)(game).unwrap()))
    };
    assert_eq!(size(4), Some([112, 120, 140, 140]));
    assert_eq!(size(10), Some([240, 320, 320, 320]));
    assert_eq!(size(31), Some([12, 12, 16, 16]));
    assert_eq!(size(42), Some([580, 580, 584, 584]));
    // Everything from 1 to 42 except the unknown types, and the additions of Crimson Skies.
    let numbers: Vec<u8> = (1..=47)
        .filter(|n| sequences::key_of(*n).is_some())
        .collect();
    let expected: Vec<u8> = (1..=42)
        .filter(|n| ![29, 40].contains(n))
        .chain([46, 47])
        .collect();
    assert_eq!(numbers, expected);
}

#[test]
fn the_rate_of_known_triples_is_the_stored_one() {
    let bits =
        |from: f32, to: f32, time: f32| rate(from.into(), to.into(), time.into(), None).bits();
    // Shipped triples for which one rounding and two give the same result.
    assert_eq!(bits(0.0, CLOSE, 0.75), 0x3EDA_740D);
    assert_eq!(bits(CLOSE, 0.0, 1.5), 0xBE5A_740D);
    assert_eq!(bits(1.0, 1.0, 0.0), 0);
    assert_eq!(bits(-0.0, 0.0, 2.0), 0);
    assert_eq!(bits(0.0, 3.0, 0.0), 0);
    let vector = <[F32; 2]>::rate(
        &[0.0.into(), 1.0.into()],
        &[1.0.into(), 0.0.into()],
        2.0.into(),
        None,
    );
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
    Anim {
        definitions,
        ..Anim::new(game)
    }
}

/// The lints of a definition with one sequence of events, given as text, in a file of a game.
fn lints(game: Game, head: &str, events: &str) -> Vec<Finding> {
    let bytes = definition_of(head, events)
        .write(game, &Arc::default())
        .unwrap();
    let anim = anim_of(game, vec![bytes.into()]);
    let file = Bytes::from(anim.write().unwrap());
    let hints = Hints {
        format: Some(Format::Anim),
        game: None,
    };
    for via in [Via::Bytes, Via::Json, Via::Ron] {
        assert!(
            pipeline::verify(&file, "anim.zbd", hints, via)
                .unwrap()
                .raw
                .is_empty(),
            "{head} {events}"
        );
    }
    pipeline::lint(&*pipeline::open(&file, "anim.zbd", hints).unwrap().model).unwrap()
}

/// The findings of the other games are in `cases/lints/anim-engines.case`.
#[test]
fn recoils_handling_of_health_and_frames() {
    let quiet = r#"{ "CALLBACK": { "value": 1 } }"#;
    let findings = |head: &str, events: &str| -> Vec<_> {
        lints(Game::Rc, head, events)
            .into_iter()
            .map(|f| (f.code, f.severity))
            .collect()
    };
    // Recoil uses the current health from the file; the other games' code was not examined, so the
    // severity is lower there.
    let dead = r#""health": 5.0, "current_health": 0.0,"#;
    assert_eq!(
        findings(dead, quiet),
        [
            ("odd-value", Severity::Unusual),
            ("anim-health", Severity::Differs)
        ]
    );
    assert_eq!(
        findings(r#""health": 5.0, "current_health": 2.0,"#, quiet),
        [("odd-value", Severity::Unusual)]
    );
    assert_eq!(findings(r#""health": 5.0,"#, quiet), []);
    // MechWarrior 3 plays as many frames as the event's count. Recoil does not check it.
    let frames = r#"{ "OBJECT_MOTION_SI_SCRIPT": { "node": "arm", "inline": { "frame_count": 7, "frames": [{ "time":
        [0.0, 1.0] }] } } }"#;
    assert_eq!(
        findings("", &format!("{quiet}, {frames}")),
        [("odd-value", Severity::Unusual)]
    );
}

#[test]
fn more_definitions_than_the_game_can_count() {
    let bytes: Bytes = small().write(Game::Rc, &Arc::default()).unwrap().into();
    let limited = |count: usize| {
        let anim = anim_of(Game::Rc, vec![bytes.clone(); count]);
        pipeline::lint(&anim)
            .unwrap()
            .into_iter()
            .find(|f| f.code == "anim-limit")
            .map(|f| (f.severity, f.message))
    };
    assert_eq!(limited(32_766), None);
    assert_eq!(
        limited(32_767),
        Some((
            Severity::Refuses,
            "32768 definitions, with definition 0".into()
        ))
    );
}

#[test]
fn animations_of_the_demos_of_recoil_are_named_where_they_are_refused() {
    for version in [26u32, 27] {
        let file = Bytes::from(
            [
                &0x0817_0616u32.to_le_bytes()[..],
                &version.to_le_bytes(),
                &[0; 100],
            ]
            .concat(),
        );
        let error = pipeline::verify(&file, "anim.zbd", Hints::default(), Via::Json)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!(
                "version {version}: animations of a Recoil demo of July 1998"
            )),
            "{error}"
        );
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
    (info.variants, info.frame_time_left) =
        (Derived(Some(Hex(0x1234))), Derived(Some(F32::from(0.5))));
    let bytes = anim.write().unwrap();
    let words = |bytes: &[u8]| -> Vec<u32> {
        (11..18)
            .map(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
            .collect()
    };
    assert_eq!(words(&plain), [0; 7]);
    assert_eq!(
        words(&bytes),
        [
            1,
            2,
            1f32.to_bits(),
            2f32.to_bits(),
            3f32.to_bits(),
            0x1234,
            0.5f32.to_bits()
        ]
    );
    let file = Bytes::from(bytes);
    let hints = Hints {
        format: Some(Format::Anim),
        game: None,
    };
    assert!(
        pipeline::verify(&file, "anim.zbd", hints, Via::Ron)
            .unwrap()
            .raw
            .is_empty()
    );
}

#[test]
fn members_are_read_and_replaced_apart() {
    let bytes: Bytes = small().write(Game::Pm, &Arc::default()).unwrap().into();
    let mut anim = anim_of(Game::Pm, vec![bytes.clone(), bytes.clone()]);
    assert_eq!(
        anim.members()
            .iter()
            .map(|m| m.name.as_str())
            .collect::<Vec<_>>(),
        ["b", "b"]
    );
    assert_eq!(anim.get(1, Form::Stored).unwrap(), bytes);
    let text =
        String::from_utf8(anim.get(1, Form::Document(Style::Json)).unwrap().to_vec()).unwrap();
    anim.put(
        1,
        text.replace("\"b\"", "\"other\"").as_bytes(),
        Form::Document(Style::Json),
    )
    .unwrap();
    assert_eq!(anim.members()[1].name, "other");
    assert_eq!(anim.get(0, Form::Stored).unwrap(), bytes);
    assert!(anim.put(1, &bytes[..100], Form::Stored).is_err());
    assert!(
        anim.put(1, &[&bytes[..], &[0]].concat(), Form::Stored)
            .is_err()
    );
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
    assert_eq!(
        (
            bytes[list],
            at(list + 12),
            bytes[list + 16],
            at(list + 20),
            at(list + 36)
        ),
        (47, 2, 12, 76, 0)
    );
    let back = Definition::read(&bytes, Game::Cs, &table).unwrap();
    assert_eq!(back, doc);
    assert_eq!(back.pointers.path, Derived(None));
    // Fields that other games do not have are errors.
    assert!(
        doc.clone()
            .write(Game::Mw, &table)
            .unwrap_err()
            .to_string()
            .contains("path")
    );
    let mut other = Definition::from_text(&text.replace("\"pointer\"", "x"), Style::Json).unwrap();
    other.pointers.damage = Derived(Some(Hex(0)));
    assert!(
        other
            .write(Game::Cs, &table)
            .unwrap_err()
            .to_string()
            .contains("pointers.damage")
    );
}

#[test]
fn a_rate_of_its_own_has_no_rounding() {
    let event = r#"{ "OBJECT_MOTION_FROM_TO": { "node": "arm", "run_time": 2.0, "morph": { "from": 0.0, "to": 1.0,
    "rate": 7.0, "rounding": "TWICE" } } }"#;
    let error = definition_of("", event)
        .write(Game::Mw, &Arc::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("`rate` and `rounding`"), "{error}");
}

#[test]
fn documents_have_the_words_of_each_game() {
    let table = Arc::default();
    let written = |game: Game, head: &str, events: &str| {
        let doc = definition_of(head, events);
        let bytes = doc
            .write(game, &table)
            .unwrap_or_else(|e| panic!("{e}: {head} {events}"));
        assert_eq!(
            Definition::read(&bytes, game, &table).unwrap(),
            doc,
            "{head} {events}"
        );
        bytes
    };
    for (what, expected) in vectors(include_str!("tests/vectors.txt")) {
        let [games, head, events] = what
            .split(';')
            .map(str::trim)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        for game in Game::ALL
            .into_iter()
            .filter(|game| games.split(' ').any(|code| code == game.code()))
        {
            let bytes = written(game, head, events);
            // Skip the 12 bytes of the event's header.
            let body = written(game, head, "").len() + 12;
            for (place, word) in &expected {
                let at = match place.strip_prefix('r') {
                    Some(at) => at.parse::<usize>().unwrap(),
                    None => body + place.parse::<usize>().unwrap(),
                };
                assert_eq!(
                    u32::get(&bytes[at..at + 4]),
                    *word,
                    "{game:?} {what} {place}"
                );
            }
        }
    }
}

#[test]
fn a_fade_that_descends_is_ordinary() {
    let event = r#"{ "PUFFER_STATE": { "puffer": "smoke", "near_fade": [70.0, 20.0], "start_age_range": [-1.0, 0.1] } }"#;
    let found = lints(Game::Cs, r#""puffers": ["smoke"],"#, event);
    assert!(
        found.iter().all(|finding| finding.code != "anim-range"),
        "{found:?}"
    );
}
