use super::*;
use crate::{
    formats::{
        Format, Model,
        anim::{
            Anim, Definition,
            prerequisites::{Prerequisite, Reference},
            references::Array,
            sequences::{Body, Event, SequenceState, Start},
        },
    },
    game::Game,
    lint::Severity,
    tree::{Folder, Head, Origin},
    wire::{Derived, ErrorKind, F32, Result},
};
use bytes::Bytes;
use std::sync::Arc;

mod edits;
mod generated;
mod incremental;
mod worlds;

const WORLD: [&str; 7] = ["world1", "gate", "door", "lamp1", "lamp2", "turret_b", "healthy"];

fn world(names: &[&str]) -> World {
    World::new(names.iter().map(|name| name.as_bytes().to_vec()))
}

fn options() -> Options {
    Options { world: Some(world(&WORLD)), ..Options::default() }
}

/// A root file with these definitions.
fn root(definitions: &str) -> String {
    format!("ANIMATION_DEFINITIONS ( GRAVITY ( -9.8 ) ANIMATION_LIST ( {definitions} ) )\n")
}

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    files.iter().for_each(|(path, text)| folder.set(path, Bytes::copy_from_slice(text.as_bytes())));
    folder
}

fn compile_files(files: &Folder, base: Option<&Base>, options: &Options) -> Result<Compiled> {
    let start = if crate::tree::Source::has(files, "anim.zrd.json") { "anim.zrd.json" } else { "anim.zrd" };
    let sources = Sources::read(vec![Root::of_paths("/work/m1", files)], &[(0, start.to_owned())], &|path| {
        path.contains("secret")
    })?;
    compile(&sources, base, options)
}

fn compile_all(definitions: &str, options: &Options) -> Result<Compiled> {
    compile_files(&folder(&[("anim.zrd", &root(definitions))]), None, options)
}

fn read(anim: &Anim) -> Vec<Definition> {
    let table = Arc::default();
    anim.definitions.iter().map(|bytes| Definition::read(bytes, anim.game, &table).unwrap()).collect()
}

/// A compilation without an error.
fn good(compiled: Compiled) -> Compiled {
    let errors: Vec<_> = compiled.entries.iter().filter_map(|entry| entry.error.as_ref()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    compiled
}

/// The entries of a compiled file.
fn entries(definitions: &str) -> Vec<Definition> {
    read(&good(compile_all(definitions, &options()).unwrap()).anim.unwrap())
}

/// The first entry and its findings.
fn first(definitions: &str) -> EntryReport {
    compile_all(definitions, &options()).unwrap().entries.remove(0)
}

fn codes(entry: &EntryReport) -> Vec<&'static str> {
    entry.findings.iter().map(|f| f.code).collect()
}

fn messages(entry: &EntryReport) -> Vec<&str> {
    entry.findings.iter().map(|f| f.message.as_str()).collect()
}

fn findings(entry: &EntryReport) -> Vec<(&'static str, Severity, &str)> {
    entry.findings.iter().map(|f| (f.code, f.severity, f.message.as_str())).collect()
}

fn base_file(bytes: &[u8]) -> Base {
    Base::new(Anim::read(&Bytes::copy_from_slice(bytes), None).unwrap()).unwrap()
}

/// The sources that a file decompiles to, as text.
fn sources_of(base: &Base) -> Folder {
    written(&decompile(base, head(base.anim.game), "../anim.zbd", Spelling::Zrd, None).unwrap())
}

fn written(made: &Decompiled) -> Folder {
    let files = Folder::new();
    made.files.iter().for_each(|(path, bytes)| files.set(path, bytes.clone()));
    files
}

/// A definition of `gate` with one sequence of these events.
fn gate(keys: &str, events: &str) -> String {
    format!("ANIMATION_DEFINITION ( NAME ( gate ) {keys} SEQUENCE_DEFINITION ( NAME ( main ) {events} ) )")
}

fn one(events: &str) -> Definition {
    let mut all = entries(&gate("", events));
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// The only event of a sequence.
fn event(text: &str) -> (Event, Vec<u8>) {
    let d = one(text);
    (d.sequences[0].events[0].clone(), bytes_of(&d).remove(0))
}

/// The bytes of the events of the first sequence.
fn bytes_of(d: &Definition) -> Vec<Vec<u8>> {
    let tables = d.tables(Game::Rc, &Arc::default());
    let bytes = |event: &Event| {
        let mut w = crate::wire::Writer::new(Game::Rc);
        event.write(&mut w, &tables).unwrap();
        w.bytes
    };
    d.sequences[0].events.iter().map(bytes).collect()
}

/// A word of an event's body.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[12 + at..16 + at].try_into().unwrap())
}

/// Words of the body of an event.
fn words_of<const N: usize>(text: &str, at: [usize; N]) -> [u32; N] {
    let (_, bytes) = event(text);
    at.map(|at| word(&bytes, at))
}

/// The error from compiling sources.
fn fails(definitions: &str) -> String {
    match compile_all(definitions, &options()) {
        Err(e) => e.to_string(),
        Ok(compiled) => {
            assert!(compiled.anim.is_none(), "it was compiled: {definitions}");
            compiled.entries.iter().find_map(|entry| entry.error.clone()).unwrap()
        }
    }
}

fn texts(d: &Definition, array: Array) -> Vec<String> {
    d.names(array).iter().flatten().map(|label| label.text.text().into_owned()).collect()
}

const OPEN_GATE: &str = "ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open_gate ) ACTIVATION ( ON_CALL ) \
    HEALTH ( 6 ) RESET_TIME ( -1 ) EXECUTION_BY_RANGE ( 9 ) SAVE_LOG ( OFF ) SEQUENCE_DEFINITION ( NAME ( a ) CALLBACK \
    ( VALUE ( 7 ) ) ) )";
const BLINK: &str = "ANIMATION_DEFINITION ( NAME ( \"lamp*\" ) ANIMATION_NAME ( \"blink*\" ) \
    SEQUENCE_DEFINITION ( OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( \"lamp*\" ) ) ) )";
const TURRET: &str = "ANIMATION_DEFINITION ( NAME ( turret_a turret_b ) ANIMATION_NAME ( destroy_turret ) )";

#[test]
fn vector_1_the_keys_of_a_definition() {
    let compiled = compile_all(OPEN_GATE, &options()).unwrap().anim.unwrap();
    let bytes = compiled.definitions[0].clone();
    let int = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let float = |at: usize| f32::from_bits(int(at));
    assert_eq!(int(148), 0x1032, "flags");
    assert_eq!(bytes[152..156], [0, 3, 4, 2]);
    assert_eq!([float(156), float(160), float(164)], [0.0, 81.0, -1.0]);
    assert_eq!([float(172), float(176)], [6.0, 6.0]);
    assert_eq!(&bytes[..10], b"open_gate\0");
    assert_eq!(&bytes[32..37], b"gate\0");
    assert_eq!(&bytes[68..73], b"gate\0");
}

#[test]
fn vectors_2_to_4_what_is_usual() {
    let d = &entries("ANIMATION_DEFINITION ( NAME ( gate ) )")[0];
    assert_eq!(d.reset_time, Some(F32::default()));
    assert_eq!(d.activation.raw(), 0);
    assert_eq!(d.animation_name.bytes(), b"gate");
    // Two values store the first, and the flag is off.
    let d = &entries("ANIMATION_DEFINITION ( NAME ( gate ) RESET_TIME ( 0 -1 ) )")[0];
    assert_eq!((d.reset_time, d.reset_time_off), (None, Derived(Some(F32::default()))));
}

#[test]
fn vectors_5_to_8_one_definition_for_many_nodes() {
    let all = entries(&format!("{OPEN_GATE} {BLINK} {TURRET} ANIMATION_DEFINITION ( NAME ( nowhere ) )"));
    let names: Vec<(String, String)> =
        all.iter().map(|d| (d.animation_name.text().into_owned(), d.name.text().into_owned())).collect();
    let expected = [("open_gate", "gate"), ("blink1", "lamp1"), ("blink2", "lamp2"), ("destroy_turret", "turret_b")];
    assert_eq!(names, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(texts(&all[1], Array::Nodes), ["lamp1"]);
    assert_eq!(texts(&all[2], Array::Objects), ["lamp2"]);
    // The file counts the reserved entry.
    let anim = compile_all(&format!("{OPEN_GATE} {BLINK} {TURRET}"), &options()).unwrap().anim.unwrap();
    let bytes = anim.write().unwrap();
    assert_eq!(bytes[..8], [0x16, 0x06, 0x17, 0x08, 28, 0, 0, 0]);
    let info = &bytes[12..72];
    assert_eq!(u16::from_le_bytes([info[10], info[11]]), 5);
    assert_eq!(info[28..32], (-9.8f32).to_le_bytes());
    let rest: Vec<u8> =
        info.iter().enumerate().filter(|(at, _)| !matches!(at, 10 | 11 | 28..32)).map(|(_, b)| *b).collect();
    assert!(rest.iter().all(|b| *b == 0), "everything else of the block is zero");
    assert_eq!(Anim::read(&bytes.into(), None).unwrap().definitions.len(), 4);
}

#[test]
fn vector_9_tables_grow_in_the_order_of_use() {
    let d = one("OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( door ) ) SOUND ( NAME ( bang ) AT_NODE ( door ) ) \
        SOUND ( NAME ( bang ) AT_NODE ( INPUT_NODE ) )");
    assert_eq!((texts(&d, Array::Objects), texts(&d, Array::Nodes)), (vec!["door".into()], vec!["door".into()]));
    let node = |i: usize| match &d.sequences[0].events[i].body {
        Body::ObjectActiveState(e) => Some(e.node.clone()),
        Body::Sound(e) => e.at_node.clone(),
        _ => None,
    };
    let tables = d.tables(Game::Rc, &Arc::default());
    let index = |i: usize| tables.index(crate::formats::anim::names::ListKind::Node, &node(i).unwrap()).unwrap();
    assert_eq!([index(0), index(1), index(2)], [1, 1, -200]);
    // New entries have the name, and zeros.
    let shown = gate("", "OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( door ) )");
    let bytes = &compile_all(&shown, &options()).unwrap().anim.unwrap().definitions[0];
    assert!(bytes[308..308 + 96].iter().all(|b| *b == 0), "the blank entry");
    assert_eq!(&bytes[404..409], b"door\0");
    assert!(bytes[409..500].iter().all(|b| *b == 0));
}

#[test]
fn vectors_10_and_11_limits_of_tables() {
    let sounds = |n: usize| (0..n).map(|i| format!("SOUND ( NAME ( s{i} ) )")).collect::<Vec<_>>().join(" ");
    assert_eq!(texts(&one(&sounds(254)), Array::StaticSounds).len(), 254);
    assert!(fails(&gate("", &sounds(255))).contains("more than 254 static sounds"));
    assert!(fails(&gate("", &sounds(300))).contains("more than 254 static sounds"));
    let nodes = (0..255).map(|i| format!("OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( n{i} ) )"));
    assert!(fails(&gate("", &nodes.collect::<Vec<_>>().join(" "))).contains("more than 254 objects"));
    let calls = |n: usize| "CALL_ANIMATION ( NAME ( x ) WAIT_FOR_COMPLETION ) ".repeat(n);
    assert_eq!(one(&calls(255)).animation_references.len(), 255);
    assert!(fails(&gate("", &calls(256))).contains("more than 255 animation references"));
    let sequences =
        |n: usize| format!("ANIMATION_DEFINITION ( NAME ( gate ) {} )", "SEQUENCE_DEFINITION ( ) ".repeat(n));
    assert_eq!(entries(&sequences(255))[0].sequences.len(), 255);
    assert!(fails(&sequences(256)).contains("more than 255 sequences"));
}

#[test]
fn vectors_12_and_13_the_keys_of_a_sequence() {
    let d = &entries(
        "ANIMATION_DEFINITION ( NAME ( gate ) SEQUENCE_DEFINITION ( NAME ( a ) ENDIF ( ) NAME ( b ) ) \
         SEQUENCE_DEFINITION ( ACTIVATION ( ON_CALL ) START_TIME ( EVENT_OFFSET 1 ) ) )",
    )[0];
    assert_eq!(d.sequences[0].name.bytes(), b"b");
    assert_eq!(d.sequences[1].name.bytes(), b"");
    assert_eq!((d.sequences[0].activation, d.sequences[1].activation), (SequenceState::Initial, SequenceState::OnCall));
    assert_eq!(d.sequences[1].reset_activation, Derived(None), "both state bytes are the same");
}

#[test]
fn vectors_14_and_15_prerequisites() {
    let d = &entries(&gate(
        "ACTIVATION_PREREQUISITE ( OPTIONS ( MINIMUM_TO_SATISFY ( 2 ) OBJECT_ACTIVE_LIST ( ( a b ) ( c ) ) ) )",
        "",
    ))[0];
    assert_eq!(d.minimum_to_satisfy, Some(2));
    let text = |t: &Option<crate::wire::Text<32>>| t.as_ref().map(|t| t.text().into_owned());
    let all: Vec<_> =
        d.prerequisites.iter().map(|p| (p.optional.is_some(), text(&p.parent), text(&p.object), p.active)).collect();
    assert_eq!(
        all,
        [
            (true, Some("a".into()), None, None),
            (true, None, Some("b".into()), Some(true)),
            (true, None, Some("c".into()), Some(true)),
        ]
    );
    // Required ones come first, regardless of their order in the text.
    let required = "REQUIRED ( ANIMATION_LIST ( r ) OBJECT_INACTIVE_LIST ( ( n ) ) )";
    let keys = format!("ACTIVATION_PREREQUISITE ( OPTIONS ( ANIMATION_LIST ( o ) ) {required} )");
    let d = &entries(&gate(&keys, ""))[0];
    let name = |p: &Prerequisite| (text(&p.animation).or(text(&p.object)).unwrap(), p.optional.is_some(), p.active);
    let names: Vec<_> = d.prerequisites.iter().map(name).collect();
    assert_eq!(names, [("r".into(), false, None), ("n".into(), false, None), ("o".into(), true, None)]);
}

#[test]
fn vectors_17_and_18_when_and_where() {
    let (event, bytes) = event("SOUND ( NAME ( bang ) START_TIME ( EVENT_OFFSET 0.5 ) AT_NODE ( door 0 1 0 ) )");
    assert_eq!((event.start, event.time), (Start::Event, F32::from(0.5)));
    assert_eq!(bytes[12..16], [1, 0, 1, 0]);
    assert_eq!([word(&bytes, 4), word(&bytes, 8), word(&bytes, 12)], [0, 1f32.to_bits(), 0]);
}

#[test]
fn vectors_19_to_23_changes_and_their_rates() {
    let change = |keys: &str| event(&format!("OBJECT_MOTION_FROM_TO ( NAME ( door ) {keys} )")).1;
    let bytes = change("ROTATE_FROM ( 0 0 0 ) ROTATE_TO ( 0 90 0 ) RUN_TIME ( 2 )");
    assert_eq!([word(&bytes, 0), word(&bytes, 72), word(&bytes, 84)], [2, 0x3fc9_0fdb, 0x3f49_0fdb]);
    let rates = |bytes: &[u8], at: usize| [at, at + 4, at + 8].map(|at| f32::from_bits(word(bytes, at)));
    let bytes = change("TRANSLATE_FROM ( 21.3 19.9 -20.2 ) TRANSLATE_TO ( 21.3 7.9 -20.2 ) RUN_TIME ( 6 )");
    assert_eq!(rates(&bytes, 44).map(|rate| (rate * 1e6).round() / 1e6), [0.0, -2.0, 0.0]);
    let bytes = change("SCALE_FROM ( 1 1 1 ) SCALE_TO ( 0.7 0.1 8 ) RUN_TIME ( 2.2 )");
    let near = rates(&bytes, 116).map(|rate| (rate * 10_000.0).round() / 10_000.0);
    assert_eq!(near, [-0.1364, -0.4091, 3.1818]);
    for keys in ["MORPH_FROM ( 0 ) MORPH_TO ( 1 )", "MORPH_TO ( 1 )", "MORPH_TO ( 1 ) RUN_TIME ( -3 )"] {
        let bytes = change(keys);
        assert_eq!(word(&bytes, 128), 0.001f32.to_bits());
        assert_eq!(word(&bytes, 0), 8);
        assert!((f32::from_bits(word(&bytes, 16)) - 1000.0).abs() < 0.01);
    }
}

#[test]
fn vectors_24_to_27_degrees_and_launches() {
    assert_eq!(words_of("OBJECT_ROTATE_STATE ( NAME ( door ) STATE ( 0 135 0 ) )", [8]), [0x4016_cbe4]);
    let (_, bytes) = event("OBJECT_ROTATE_STATE ( NAME ( door ) AT_NODE_XYZ ( INPUT_NODE ) )");
    assert_eq!((word(&bytes, 0), word(&bytes, 16) >> 16), (2, 0xff38));
    let (_, bytes) = event(
        "OBJECT_MOTION ( NAME ( door ) GRAVITY ( DEFAULT ) TRANSLATION ( 0 75 20 0 ) XYZ_ROTATION ( 90 0 0 ) RUN_TIME \
        ( 1 ) )",
    );
    assert_eq!(word(&bytes, 0), 0x425);
    assert_eq!(word(&bytes, 12), (-9.8f32).to_bits());
    assert_eq!([word(&bytes, 100), word(&bytes, 104), word(&bytes, 108)], [0, 0x3f55_5556, 0xbe2a_aaa9]);
    assert_eq!(f32::from_bits(word(&bytes, 56)), f32::from_bits(0x3f55_5556) * 20.0);
    assert_eq!(word(&bytes, 124), 0x3fc9_0fdb);
    let (_, bytes) = event("OBJECT_MOTION ( NAME ( door ) GRAVITY ( LOCAL -3 ) TRANSLATION_RANGE_MIN ( 1 2 3 4 ) )");
    assert_eq!((word(&bytes, 0), f32::from_bits(word(&bytes, 12))), (1, -3.0), "one bound alone is none");
    let both = "OBJECT_MOTION ( NAME ( door ) TRANSLATION_RANGE_MIN ( 1 2 3 4 ) TRANSLATION_RANGE_MAX ( 5 6 7 8 ) )";
    assert_eq!(words_of(both, [0, 24]), [0x18, 5f32.to_bits()]);
}

#[test]
fn vectors_28_and_29_calls() {
    let d = one(
        "CALL_ANIMATION ( NAME ( x ) AT_NODE ( door ) WAIT_FOR_COMPLETION ) CALL_ANIMATION ( NAME ( x ) LOCAL_NAME ( l \
        ) WAIT_FOR_COMPLETION ) CALL_ANIMATION ( NAME ( y ) AT_NODE ( door 1 2 3 90 0 0 ) OPERAND_NODE ( lamp1 ) )",
    );
    let bytes = bytes_of(&d);
    let half = |bytes: &[u8], at: usize| u16::from_le_bytes(bytes[12 + at..14 + at].try_into().unwrap());
    assert_eq!((half(&bytes[0], 34), half(&bytes[0], 38), half(&bytes[0], 40)), (0x11, 0, 1));
    assert_eq!((half(&bytes[1], 34), half(&bytes[1], 38)), (0x10, 1));
    assert_eq!((half(&bytes[2], 34), half(&bytes[2], 38), half(&bytes[2], 32)), (7, 0xffff, 2));
    assert_eq!(word(&bytes[2], 56), 0x3fc9_0fdb);
    let name = |r: &Reference| (r.name.text.text().into_owned(), r.local_name.is_some(), r.kind);
    let references: Vec<_> = d.animation_references.iter().map(name).collect();
    assert_eq!(references, [("x".into(), false, Derived(None)), ("x".into(), true, Derived(None))]);
}

#[test]
fn vectors_30_to_36_flow() {
    let (event_, _) = event("IF ( ANIMATION_LOD ( HIGH ) )");
    let Body::If(condition) = event_.body else { panic!() };
    assert_eq!(format!("{condition:?}"), "AnimationLod(2)");
    let (_, bytes) = event("IF ( PLAYER_RANGE ( 270 ) )");
    assert_eq!((word(&bytes, 0), f32::from_bits(word(&bytes, 8))), (2, 72_900.0));
    for text in ["LOOP ( LOOP_COUNT ( -1 ) )", "LOOP ( )", "LOOP"] {
        let (_, bytes) = event(text);
        assert_eq!((word(&bytes, 0), bytes[16..20].to_vec()), (1, vec![0xff, 0xff, 0, 0]), "{text}");
    }
    let (_, bytes) = event("LOOP ( LOOP_TIME ( 2.5 ) EVENT_OFFSET )");
    assert_eq!((word(&bytes, 0), f32::from_bits(word(&bytes, 4))), (2, 2.5));
    assert!(fails(&gate("", "LOOP ( LOOP_COUNT ( 65536 ) )")).contains("65535"));
    let (_, bytes) =
        event("OBJECT_CONNECTOR ( NAME ( door ) from_pos ( 9 9 9 ) FROM_POS ( 1 2 3 ) FROM_POS ( 4 5 6 ) )");
    assert_eq!(word(&bytes, 0), 8);
    assert_eq!([word(&bytes, 12), word(&bytes, 16), word(&bytes, 20)].map(f32::from_bits), [1.0, 2.0, 3.0]);
    let d = one(
        "OBJECT_MOTION_FROM_TO ( NAME ( door ) ) SOUND ( NAME ( s ) ) CALL_ANIMATION ( NAME ( x ) ) IF ( RANDOM_WEIGHT \
        ( 0.5 ) ) CALLBACK ( VALUE ( 3 ) ) ENDIF ( )",
    );
    let numbers: Vec<u8> = d.sequences[0].events.iter().map(|event| event.body.number()).collect();
    assert_eq!(numbers, [11, 1, 24, 31, 35, 34]);
}

#[test]
fn the_other_events_of_recoil() {
    let (_, bytes) = event("SOUND_NODE ( NAME ( hum ) AT_NODE ( door ) )");
    assert_eq!(
        (&bytes[12..16], word(&bytes, 32), word(&bytes, 36), word(&bytes, 40), word(&bytes, 44)),
        (&b"hum\0"[..], 1, 2, 1, 1)
    );
    let light =
        "LIGHT_STATE ( NAME ( l ) ACTIVE_STATE ( INACTIVE ) RANGE ( 1 2 ) COLOR ( 0 0.5 1 ) SATURATED ( TRUE ) )";
    assert_eq!(words_of(light, [32, 36, 40, 44, 52]), [1, 0x118, 0, 1, 1]);
    let moved = words_of("LIGHT_ANIMATION ( NAME ( l ) RANGE ( 1 2 3 4 ) RUN_TIME ( 5 ) )", [36, 44, 96]);
    assert_eq!(moved.map(f32::from_bits), [1.0, 3.0, 5.0]);
    let (_, bytes) = event("OBJECT_TRANSLATE_STATE ( NAME ( door ) AT_NODE ( lamp1 1 2 3 ) )");
    assert_eq!((word(&bytes, 0), f32::from_bits(word(&bytes, 8)), word(&bytes, 16)), (0, 2.0, 0x0002_0001));
    let (_, bytes) = event("OBJECT_OPACITY_STATE ( NAME ( door ) STATE ( ON 0.5 ) )");
    assert_eq!((word(&bytes, 0), f32::from_bits(word(&bytes, 4)), word(&bytes, 8)), (0x0001_0001, 0.5, 1));
    let (_, bytes) =
        event("OBJECT_OPACITY_FROM_TO ( NAME ( door ) OPACITY_FROM ( 0 ON ) OPACITY_TO ( 1 ) RUN_TIME ( 2 ) )");
    assert_eq!((word(&bytes, 4), f32::from_bits(word(&bytes, 16))), (0xffff_0001, 0.5));
    for (text, at, expected) in [
        ("OBJECT_ADD_CHILD ( PARENT_CHILD ( door lamp1 ) )", [0, 0], [0x0002_0001, 0x0002_0001]),
        ("OBJECT_CYCLE_TEXTURE ( RESET NAME ( door ) )", [0, 4], [1, 1]),
        ("CAMERA_FROM_TO ( NAME ( cam ) H_ZOOM_FROM_TO ( 1 2 ) RUN_TIME ( 4 ) )", [0, 76], [0x20, 0.25f32.to_bits()]),
        ("ANIM_VERBOSE ( ON )", [0, 0], [1, 1]),
    ] {
        assert_eq!(words_of(text, at), expected, "{text}");
    }
    let (_, bytes) = event("FOG_STATE ( TYPE ( OFF ) COLOR ( 1 1 1 ) )");
    assert_eq!((&bytes[12..28], word(&bytes, 32), word(&bytes, 36)), (&b"default_fog_name"[..], 2, 0));
    let (_, bytes) = event("FBFX_COLOR_FROM_TO ( FROM ( 0 0 0 0 ) TO ( 1 1 1 1 ) RUN_TIME ( 2 ) )");
    assert_eq!([word(&bytes, 4), word(&bytes, 8), word(&bytes, 48)].map(f32::from_bits), [1.0, 0.5, 2.0]);
    let wave = "FBFX_CSINWAVE_FROM_TO ( AT_NODE ( door ) WORLD_RADIUS_FROM ( 3 ) CSIN_FROM ( 1 2 3 ) RUN_TIME ( 1 ) )";
    let [flags, from, to, csin] = words_of(wave, [0, 40, 44, 64]);
    assert_eq!(flags, 0x0001_000a);
    assert_eq!([from, to, csin].map(f32::from_bits), [3.0, 3.0, 1.0], "a missing end is the start");
    let [flags, slot] = words_of("CALL_OBJECT_CONNECTOR ( NAME ( x ) FROM_POS ( 1 2 3 ) LOCAL_NAME ( l ) )", [0, 36]);
    assert_eq!((flags, slot >> 16), (0x10, 0));
    let connector = "OBJECT_CONNECTOR ( NAME ( door ) TO_T_START ( 0.5 ) RUN_TIME ( 2 ) )";
    let expected = [0x2000, 0.5f32.to_bits(), 1f32.to_bits(), 0.25f32.to_bits()];
    assert_eq!(words_of(connector, [0, 52, 56, 60]), expected);
    let d = one("IF ( NODE_UNDERCOVER ( door 4 ) )");
    assert_eq!(texts(&d, Array::Nodes), ["door"]);
    assert!(d.objects.is_none());
}

#[test]
fn what_cannot_be_compiled_is_refused() {
    for (definition, what) in [
        ("ANIMATION_DEFINITION ( NAME ( ) )", "empty NAME"),
        ("ANIMATION_DEFINITION ( NAME ( gate ) NAME1 ( gate ( a ) ) )", "NAME and NAME1 both"),
        ("ANIMATION_DEFINITION ( ACTIVATION ( ON_CALL ) )", "no NAME"),
        (
            "ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( a_name_of_thirty_two_letters_xxx ) )",
            "at most 31 fit",
        ),
        ("ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( \"x*\" ) )", "a star without a digit"),
        ("ANIMATION_DEFINITION ( NAME ( gate ) HEALTH ( 1e39 ) )", "not finite"),
        ("ANIMATION_DEFINITION ( NAME ( gate ) EXECUTION_PRIORITY ( 256 ) )", "0 to 255"),
        ("ANIMATION_DEFINITION ( NAME ( gate ) ACTIVATION ( NEVER ) )", "is none of WEAPON_HIT"),
    ] {
        let why = fails(definition);
        assert!(why.contains(what), "{definition}: {why}");
    }
    for (events, what) in [
        ("SOUND ( NAME ( s ) START_TIME ( SOME_OFFSET 1 ) )", "is none of ANIMATION_OFFSET"),
        ("SOUND ( NAME ( s ) START_TIME ( EVENT_OFFSET ) )", "where at least 2 belong"),
        ("IF ( )", "no condition"),
        ("IF ( RANDOM_WEIGHT ( 1 ) PLAYER_RANGE ( 2 ) )", "two conditions"),
        ("OBJECT_SCALE_STATE ( NAME ( door ) STATE ( 1 2 ) )", "where at least 3 belong"),
        ("OBJECT_MOTION_SI_SCRIPT ( NAME ( door ) SCRIPT_FILENAME ( gone.zan ) )", "there is no script"),
        ("SOUND ( NAME ( \"s*\" ) )", "a star without a digit"),
    ] {
        let why = fails(&gate("", events));
        assert!(why.contains(what), "{events}: {why}");
    }
    assert!(compile_files(&folder(&[("anim.zrd", "A ( B )\n")]), None, &options()).is_err());
    for game in [Game::Mw, Game::Pm, Game::Cs] {
        let e = compile_all("", &Options { game: Some(game), ..Options::default() }).err().unwrap().to_string();
        assert!(e.contains("--base"), "{e}");
    }
}

/// A pattern that matches many nodes, with much in each entry.
#[test]
fn a_pattern_does_not_make_more_bytes_than_are_allowed() {
    let many: Vec<String> = (0..1000).map(|i| format!("n{i:03}")).collect();
    let world = World::new(many.iter().map(|name| name.clone().into_bytes()));
    let calls = "CALLBACK ( VALUE ( 1 ) ) ".repeat(100);
    let bomb = format!("ANIMATION_DEFINITION ( NAME ( \"n***\" ) SEQUENCE_DEFINITION ( {calls} ) )");
    let options = |most_bytes| Options { world: Some(world.clone()), most_bytes, ..Options::default() };
    let made = compile_all(&bomb, &options(None)).unwrap();
    let bytes: usize = made.anim.unwrap().definitions.iter().map(Bytes::len).sum();
    assert!(bytes > 1_600_000);
    assert!(compile_all(&bomb, &options(Some(bytes as u64))).unwrap().anim.is_some());
    let made = compile_all(&bomb, &options(Some(bytes as u64 / 2))).unwrap();
    assert!(made.anim.is_none());
    assert!(made.entries.iter().filter_map(|entry| entry.error.as_ref()).all(|e| e.contains("more than")));
    // The size of a pattern's entries is known from its first one: the others are not compiled.
    assert!(made.entries.len() == 1000 && made.entries.iter().all(|entry| entry.status == Status::Failed));
    // refit writes more entries than Recoil's engine can count, with a finding, but not more than a file can count.
    let plain = "ANIMATION_DEFINITION ( NAME ( \"n***\" ) ) ";
    let made = compile_all(&plain.repeat(32), &options(None)).unwrap();
    assert!(made.findings.is_empty() && made.anim.is_some());
    let made = compile_all(&plain.repeat(33), &options(None)).unwrap();
    assert_eq!(made.anim.unwrap().definitions.len(), 33_000);
    let said: Vec<_> = made.findings.iter().map(|f| (f.code, f.severity, f.message.as_str())).collect();
    let what = "the sources make 33000 definitions, the game counts at most 32766";
    assert_eq!(said, [("animdef-limit", Severity::Refuses, what)]);
    let e = compile_all(&plain.repeat(66), &options(None)).err().unwrap();
    assert!(e.kind() == ErrorKind::Limit && e.to_string().contains("at most 65534"), "{e}");
}

/// Exceeding a limit is an error, and a finding with a code of its own. A value that is merely too large is not.
#[test]
fn limits_are_findings() {
    let sequences = format!("ANIMATION_DEFINITION ( NAME ( gate ) {} )", "SEQUENCE_DEFINITION ( ) ".repeat(256));
    let sounds = gate("", &(0..255).map(|i| format!("SOUND ( NAME ( s{i} ) )")).collect::<Vec<_>>().join(" "));
    let calls = gate("", &"CALL_ANIMATION ( NAME ( x ) WAIT_FOR_COMPLETION ) ".repeat(256));
    let needed = format!("ACTIVATION_PREREQUISITE ( ANIMATION_LIST ( {} ) )", "a ".repeat(256));
    let long = "a_name_of_thirty_two_letters_xxx";
    for (definition, what) in [
        (sequences.as_str(), "more than 255 sequences"),
        (&sounds, "more than 254 static sounds"),
        (&calls, "more than 255 animation references"),
        (&gate(&needed, ""), "more than 255 prerequisites"),
        (&gate(&format!("ANIMATION_NAME ( {long} )"), ""), "at most 31 fit"),
        (&gate("", &format!("SOUND ( NAME ( {long} ) )")), "at most 31 fit"),
        (&gate("", "LOOP ( LOOP_COUNT ( 65536 ) )"), "at most 65535"),
    ] {
        let compiled = compile_all(definition, &options()).unwrap();
        assert!(compiled.anim.is_none() && compiled.has_findings(), "{what}");
        let entry = compiled.entries.iter().find(|entry| entry.status == Status::Failed).unwrap();
        let found: Vec<_> = entry.findings.iter().filter(|f| f.code == "animdef-limit").collect();
        assert!(
            matches!(found.as_slice(), [one] if one.message.contains(what) && one.severity == Severity::Refuses),
            "{what}: {found:?}"
        );
        assert!(entry.error.as_ref().is_some_and(|error| error.contains(what)), "{what}");
    }
    let entry = first(&gate("EXECUTION_PRIORITY ( 256 )", ""));
    assert!(entry.findings.is_empty() && entry.error.is_some());
    // Findings from before the limit are still reported.
    let entry = first(&gate("HELTH ( 1 )", &format!("SOUND ( NAME ( {long} ) )")));
    assert_eq!(codes(&entry), ["animdef-unknown", "animdef-limit"]);
}

#[test]
fn sounds_that_the_game_does_not_have_are_told() {
    let mut sounds = Sounds::default();
    ["Creak", "thud.wav"].iter().for_each(|name| sounds.add(name.as_bytes()));
    let options = || Options { world: Some(world(&WORLD)), sounds: Some(sounds.clone()), ..Options::default() };
    let events = "SOUND ( NAME ( creak ) ) SOUND ( NAME ( THUD ) ) SOUND ( NAME ( hum ) ) SOUND ( NAME ( hum ) AT_NODE \
        ( door ) ) SOUND_NODE ( NAME ( buzz ) ) OBJECT_MOTION ( NAME ( door ) BOUNCE_SOUND ( NAME ( boing ) \
        FULL_VOLUME_VELOCITY ( 3 ) ) )";
    let compiled = compile_all(&gate("", events), &options()).unwrap();
    assert!(compiled.anim.is_some());
    let expected = ["hum", "boing", "buzz"].map(|name| format!("no sound is called {name:?}: nothing is played"));
    let expected: Vec<_> =
        expected.iter().map(|what| ("animdef-missing-sound", Severity::Ignores, what.as_str())).collect();
    assert_eq!(findings(&compiled.entries[0]), expected);
    // The sounds are unknown: no findings.
    let compiled = compile_all(&gate("", events), &Options { sounds: None, ..options() }).unwrap();
    assert!(compiled.entries[0].findings.is_empty());
    // A list of sounds in the games' form.
    let list = b"( SYNTAX 2 SETS ( M1 ( ( hum \"hum.WAV\" LOOPED ) ( x y ) ) ALL ( ( buzz buzz.wav ) ) ) )";
    let mut names = super::sounds(&source::Doc::read(list, "sounds.zrd").unwrap());
    names.sort();
    assert_eq!(names, [b"buzz".to_vec(), b"hum".to_vec()]);
}

/// Names are relative to the root of all folders in the same way as to any other folder.
#[test]
fn sources_may_stand_in_the_uppermost_folder() {
    let list = "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION_FILE ( \"%.zrd\" ) ) )";
    let one = "ANIMATION_DEFINITION ( NAME ( a ) ANIMATION_NAME ( a ) ACTIVATION ( ON_CALL ) )";
    let inner = list.replace("%", "deep/more");
    let files = folder(&[
        ("anim.zrd", &list.replace("%", "defs/list")),
        ("defs/list.zrd", &inner),
        ("deep/more.zrd", &root(one)),
    ]);
    for base in ["/", "", "/work", "C:/work"] {
        let sources = Sources::read(vec![Root::of_paths(base, &files)], &[(0, "anim.zrd".into())], &|_| false).unwrap();
        let compiled = compile(&sources, None, &Options::default()).unwrap();
        assert_eq!(compiled.entries.len(), 1, "{base:?}: {:?}", compiled.findings);
    }
}

#[test]
fn files_name_files() {
    let list = |names: &[&str]| {
        names.iter().map(|name| format!("ANIMATION_DEFINITION_FILE ( \"{name}\" )")).collect::<Vec<_>>().join(" ")
    };
    let inner = |names: &[&str], definition: &str| {
        format!("( ( ANIMATION_DEFINITIONS ( ANIMATION_LIST ( {} {definition} ) ) ) )\n", list(names))
    };
    let files = folder(&[
        ("anim.zrd", &root(&list(&["Sub.zrd", "gone.zrd", "..\\m1\\\\common\\other.zrd", "sub.zrd"]))),
        ("sub.zrd", &inner(&[], OPEN_GATE)),
        ("common/other.zrd", &inner(&["beside.zrd"], TURRET)),
        ("common/beside.zrd", &inner(&[], BLINK)),
    ]);
    let compiled = compile_files(&files, None, &options()).unwrap();
    let names: Vec<&str> = compiled.entries.iter().map(|entry| entry.definition.as_str()).collect();
    // Depth first, in order; a file that is named twice counts twice.
    assert_eq!(names, ["open_gate", "blink1", "blink2", "destroy_turret", "open_gate"]);
    assert!(compiled.findings.iter().any(|f| f.code == "animdef-missing-file" && f.message.contains("gone.zrd")));
    assert!(compiled.has_findings());
    let circle = folder(&[
        ("anim.zrd", &root(&list(&["a.zrd"]))),
        ("a.zrd", &inner(&["b.zrd"], "")),
        ("b.zrd", &inner(&["a.zrd"], "")),
    ]);
    let e = compile_files(&circle, None, &options()).err().unwrap().to_string();
    assert!(e.contains("a.zrd → b.zrd → a.zrd"), "{e}");
    let out = folder(&[("anim.zrd", &root(&list(&["..\\..\\secret\\x.zrd"])))]);
    let e = compile_files(&out, None, &options()).err().unwrap().to_string();
    assert!(e.contains("in no folder that the command names"), "{e}");
    let path = "ANIMATION_DEFINITIONS ( ANIMATION_PATH ( \"..\\secret;common\" ) ANIMATION_LIST ( \
        ANIMATION_DEFINITION_FILE ( x.zrd ) ) )\n";
    assert!(compile_files(&folder(&[("anim.zrd", path)]), None, &options()).is_err());
    let inside = folder(&[("anim.zrd", path), ("common/x.zrd", &inner(&[], OPEN_GATE))]);
    assert_eq!(compile_files(&inside, None, &options()).unwrap().entries.len(), 1);
    // Two files of two lines each double with every step: this must end early.
    let bomb = folder(&[("anim.zrd", &root(&list(&["f0.zrd"]))), ("f40.zrd", &inner(&[], OPEN_GATE))]);
    for i in 0..40 {
        let next = format!("f{}.zrd", i + 1);
        bomb.set(&format!("f{i}.zrd"), inner(&[&next, &next], ""));
    }
    assert!(compile_files(&bomb, None, &options()).err().unwrap().to_string().contains("more than"));
}

#[test]
fn deep_lists_need_no_stack() {
    let deep = format!("{}{}", "( ".repeat(300_000), ") ".repeat(300_000));
    let text = root(&format!(
        "ANIMATION_DEFINITION ( NAME ( gate ) X ( {deep} ) SEQUENCE_DEFINITION ( SOUND ( NAME ( s ) {deep} ) ) )"
    ));
    let compiled = compile_files(&folder(&[("anim.zrd", &text)]), None, &options()).unwrap();
    assert!(compiled.anim.is_some());
    let outside =
        folder(&[("anim.zrd", &format!("{} {} {}\n", "( ".repeat(300_000), root(OPEN_GATE), ") ".repeat(300_000)))]);
    assert_eq!(compile_files(&outside, None, &options()).unwrap().entries.len(), 1);
}

#[test]
fn unknown_keys_are_told_and_left_out() {
    let entry = first(&gate("WHATEVER ( 1 )", "NO_EVENT ( ) stray words SOUND ( NAME ( s ) Volume ( 3 ) )"));
    for (code, what) in
        [("animdef-unknown", "WHATEVER "), ("animdef-unknown", "NO_EVENT "), ("animdef-ignored", "Volume")]
    {
        let found = entry.findings.iter().any(|f| f.code == code && f.message.starts_with(what));
        assert!(found, "{what}: {:?}", entry.findings);
    }
    // The message suggests the most similar known key: of the definition, its lists, its events, and the keys of an
    // event.
    for (keys, events, said, near) in [
        ("HELTH ( 1 )", "", "HELTH is no key of a definition: ignored", "HEALTH"),
        ("SEQUENCE_DEFINITON ( )", "", "SEQUENCE_DEFINITON is no key of a definition: ignored", "SEQUENCE_DEFINITION"),
        ("", "SUOND ( NAME ( s ) )", "SUOND is no event: dropped", "SOUND"),
        ("", "SOUND ( NAME ( s ) AT_NOD ( door ) )", "AT_NOD is no key of SOUND: ignored", "AT_NODE"),
        ("", "LIGHT_STATE ( SATURATE ( TRUE ) NAME ( l ) )", "SATURATE is no key of LIGHT_STATE: ignored", "SATURATED"),
        ("", "SOUND ( START_TIM ( 1 ) NAME ( s ) )", "START_TIM is no key of SOUND: ignored", "START_TIME"),
        ("", "IF ( HW_RENDER PLAYER_RNGE ( 1 ) )", "PLAYER_RNGE is no key of IF: ignored", "PLAYER_RANGE"),
        (
            "ACTIVATION_PREREQUISITE ( ANIMATION_LST ( a ) )",
            "",
            "ANIMATION_LST is no key of a prerequisite: ignored",
            "ANIMATION_LIST",
        ),
    ] {
        let entry = first(&gate(keys, events));
        let expected = format!("{said} (did you mean {near:?}?)");
        assert!(messages(&entry).iter().any(|said| said.starts_with(&expected)), "{expected}: {:?}", entry.findings);
    }
    // Keys of the other games have no meaning in Recoil; the bits of some are unknown.
    let keys = "AUTO_RESET_NODE_STATES ( ON ) LOCAL_NODES_ONLY ( ON ) PROXIMITY_DAMAGE ( 0 ) AUTO_ADD_TO_WORLD ( ON ) \
        PERSIST_LOG ( ON )";
    let compiled = compile_all(&gate(keys, ""), &options()).unwrap();
    assert_eq!(word(&compiled.anim.as_ref().unwrap().definitions[0], 148 - 12), 0x20, "flags");
    let said = messages(&compiled.entries[0]).into_iter().map(|said| said.split(' ').next().unwrap());
    assert_eq!(said.collect::<Vec<_>>(), ["AUTO_RESET_NODE_STATES", "LOCAL_NODES_ONLY", "PROXIMITY_DAMAGE", "nobody"]);
    let text = root(OPEN_GATE).replace("GRAVITY", "GRAVTY").replace("ANIMATION_DEFINITION (", "ANIMATION_DEFINITON (");
    let compiled = compile_files(&folder(&[("anim.zrd", &text)]), None, &options()).unwrap();
    let said: Vec<&str> = compiled.findings.iter().map(|f| f.message.as_str()).collect();
    assert!(said.iter().any(|said| said.contains("did you mean \"GRAVITY\"?")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("did you mean \"ANIMATION_DEFINITION\"")), "{said:?}");
}

/// Errors have their line, in each format; a thousand errors of a pattern are reported as a few.
#[test]
fn errors_and_findings_have_lines() {
    let text = "ANIMATION_DEFINITIONS ( ANIMATION_LIST (\n ANIMATION_DEFINITION ( NAME ( gate )\n  SEQUENCE_DEFINITION \
        ( NAME ( go )\n   SOUND ( NAME ( s ) AT_NOD ( gate ) )\n   SOUND ( NAME ( s )\n    START_TIME ( NOW 1 ) ) ) ) \
        ) )\n";
    let compiled = compile_files(&folder(&[("anim.zrd", text)]), None, &options()).unwrap();
    let error = compiled.entries[0].error.as_ref().unwrap();
    let expected = "anim.zrd:6:5: definition \"gate\".SEQUENCE_DEFINITION[0] \"go\"[1] SOUND.START_TIME";
    assert!(error.starts_with(expected), "{error}");
    let fine = text.replace("NOW", "EVENT_OFFSET");
    let places = |files: &Folder| -> Vec<String> {
        compile_files(files, None, &options()).unwrap().entries[0].findings.iter().map(|f| f.path.clone()).collect()
    };
    assert_eq!(places(&folder(&[("anim.zrd", &fine)])), ["anim.zrd:4:23"]);
    let json = "[\"ANIMATION_DEFINITIONS\", [\"ANIMATION_LIST\", [\"ANIMATION_DEFINITION\", [\n\"NAME\", [\"gate\"],\n\
        \"SEQUENCE_DEFINITION\", [\"SOUND\", [\"NAME\", [\"s\"],\n  \"AT_NOD\", [\"gate\"]]]]]]]";
    assert_eq!(places(&folder(&[("anim.zrd.json", json)])), ["anim.zrd.json:4:3"]);
    // Also for a definition that is not bound.
    let text = text.replace("NAME ( gate )", "HEALTH ( 1 )");
    let compiled = compile_files(&folder(&[("anim.zrd", &text)]), None, &options()).unwrap();
    let error = compiled.entries[0].error.as_ref().unwrap();
    assert!(error.starts_with("anim.zrd:2:2: no NAME"), "{error}");
}

/// A mistake inside an event is a finding like one in the definition, in each game; what shipped sources contain is
/// not.
#[test]
fn misspelt_keys_of_events_are_findings() {
    for (events, near) in [
        ("SOUND ( NAME ( s ) AT_NOD ( door ) )", Some("AT_NODE")),
        ("OBJECT_MOTION_FROM_TO ( NAME ( door ) ROTATE_FROM ( 0 0 0 ) ROTATE_TOO ( 0 9 0 ) )", Some("ROTATE_TO")),
        (
            "OBJECT_MOTION ( NAME ( door ) BOUNCE_SOUND ( NAME ( s ) FULL_VOLUME_VELOCTY ( 3 ) ) )",
            Some("FULL_VOLUME_VELOCITY"),
        ),
        ("LIGHT_STATE ( NAME ( l ) SATURATION ( TRUE ) )", None),
        ("OBJECT_CONNECTOR ( NAME ( door ) from_pos ( 0 0 0 ) FROM_POS ( 1 2 3 ) )", None),
    ] {
        let compiled = compile_all(&gate("", events), &options()).unwrap();
        assert_eq!(compiled.has_findings(), near.is_some(), "{events}");
        let mut told = findings(&compiled.entries[0]);
        told.retain(|(code, severity, _)| (*code, *severity) == ("animdef-ignored", Severity::Ignores));
        assert_eq!(told.len(), usize::from(near.is_some()), "{events}: {told:?}");
        assert!(near.is_none_or(|near| told[0].2.ends_with(&format!("(did you mean {near:?}?)"))), "{told:?}");
    }
    let entry = first(&gate("", "LOOP ( LOOP_COUNT ( 3 ) LOOP_TIME ( 5 ) )"));
    assert!(messages(&entry)[0].starts_with("LOOP_TIME means nothing beside the other keys of this LOOP"));
}

/// A value in the place of a key is a finding; in refit's own lists, which no game reads, it is an error.
#[test]
fn stray_items_are_told_or_refused() {
    for (keys, events, place) in [
        ("( HEALTH ( 6 ) )", "", "a list in a definition"),
        ("7", "", "a number in a definition"),
        ("", "( ( ( ) ) )", "a list in a list of events"),
        ("", "( SOUND ( NAME ( s ) ) )", "a list in a list of events"),
        ("", "SOUND ( ( NAME ( s ) ) )", "a list in SOUND"),
        ("", "SOUND ( NAME ( s ) ) 2.5", "a number in a list of events"),
    ] {
        let compiled = compile_all(&gate(keys, events), &options()).unwrap();
        let said = messages(&compiled.entries[0]);
        let expected = format!("{place} where a key belongs: dropped");
        assert!(compiled.has_findings() && said.contains(&expected.as_str()), "{keys} {events}: {said:?}");
    }
    for (keys, events, what) in [
        ("", "REFIT ( ( event \"01\" ) )", "where one of refit's words belongs"),
        ("", "REFIT", "without a list"),
        ("", "SOUND ( NAME ( s ) REFIT ( 8 bits ) )", "where one of refit's words belongs"),
        ("", "SOUND ( NAME ( s ) REFIT ( bits ( 8 ) ) )", "offsets and bytes"),
        ("", "SOUND ( NAME ( s ) REFIT ( bits ( 8 \"00000000\" ) ) REFIT ( ) )", "two lists called REFIT"),
        ("REFIT ( flags )", "", "without a value"),
        ("REFIT ( ( definition \"00\" ) )", "", "where one of refit's words belongs"),
        ("REFIT ( unsaved ( 5 ) )", "", "a list of names"),
    ] {
        let why = fails(&gate(keys, events));
        assert!(why.contains(what), "{keys} {events}: {why}");
    }
    let compiled = compile_all(&format!("{OPEN_GATE} ( {} )", gate("", "")), &options()).unwrap();
    let found = compiled.findings.iter().any(|f| f.message.contains("a list in ANIMATION_LIST"));
    assert!(found, "{:?}", compiled.findings);
}

/// Bits that override an edited key.
#[test]
fn bits_that_win_over_a_key_are_told() {
    let told = |key: &str, bits: &str| {
        let text = gate("", &format!("IF ( PLAYER_RANGE ( {key} ) REFIT ( bits ( 8 \"{bits}\" ) ) ) ENDIF ( )"));
        let compiled = compile_all(&text, &options()).unwrap();
        let codes = codes(&compiled.entries[0]);
        let d = read(compiled.anim.as_ref().unwrap());
        (codes.contains(&"animdef-bits"), format!("{:?}", d[0].sequences[0].events[0].body))
    };
    let (quiet, loud) = (told("-0.0", "00000080"), told("0.5", "00000080"));
    assert!(!quiet.0 && loud.0, "{quiet:?} {loud:?}");
    assert_eq!(quiet.1, loud.1);
}

/// Definitions that make no entry are listed, with similar names; `strict` makes them errors.
#[test]
fn definitions_without_an_entry_are_listed() {
    for (name, what) in
        [("gaet", "no node \"gaet\": no entry is made (did you mean \"gate\"?)"), ("\"crane*\"", "fits \"crane*\"")]
    {
        let text = format!("ANIMATION_DEFINITION ( NAME ( {name} ) ANIMATION_NAME ( a ) ) {OPEN_GATE}");
        let compiled = compile_all(&text, &options()).unwrap();
        let statuses: Vec<Status> = compiled.entries.iter().map(|entry| entry.status).collect();
        assert_eq!(statuses, [Status::LeftOut, Status::New]);
        assert!(compiled.anim.is_some() && !compiled.has_findings());
        let compiled = compile_all(&text, &Options { left_out: true, ..options() }).unwrap();
        assert!(compiled.anim.is_some() && compiled.has_findings());
        let found = &compiled.entries[0].findings[0];
        assert!(found.code == "animdef-left-out" && found.message.contains(what), "{found:?}");
        assert!(found.path.starts_with("anim.zrd:1:"), "{found:?}");
        let compiled = compile_all(&text, &Options { strict: true, ..options() }).unwrap();
        assert!(compiled.anim.is_none());
        let error = compiled.entries[0].error.as_ref().unwrap();
        assert!(error.contains(what) && error.starts_with("anim.zrd:1:"), "{error}");
    }
}

/// 16 KB that make nearly a million definitions, and files with more values than they make.
#[test]
fn files_that_name_files_are_bounded_while_they_expand() {
    let inner = |names: &str, definitions: &str| {
        format!("ANIMATION_DEFINITIONS ( ANIMATION_LIST ( {names} {definitions} ) )\n")
    };
    let name = |to: &str, times: usize| format!("ANIMATION_DEFINITION_FILE ( {to}.zrd ) ").repeat(times);
    let wide = |definitions: &str| {
        folder(&[
            ("anim.zrd", &inner(&name("a", 64), "")),
            ("a.zrd", &inner(&name("b", 64), "")),
            ("b.zrd", &inner("", definitions)),
        ])
    };
    let e = compile_files(&wide(&"ANIMATION_DEFINITION ( NAME ( a ) ) ".repeat(200)), None, &Options::default())
        .err()
        .unwrap();
    assert!(e.kind() == ErrorKind::Limit && e.to_string().contains("more than 65534 definitions"), "{e}");
    // Few definitions, but long ones.
    let long = gate("", &"CALLBACK ( VALUE ( 1 ) ) ".repeat(1000));
    let e = compile_files(&wide(&long), None, &Options::default()).err().unwrap();
    assert!(e.kind() == ErrorKind::Limit && e.to_string().contains("again and again"), "{e}");
    // Patterns over a large world are counted while they are bound.
    let many = World::new((0..20_000).map(|i| format!("n{i:05}").into_bytes()));
    let patterns = "ANIMATION_DEFINITION ( NAME ( \"n*****\" ) ) ".repeat(5000);
    let e = compile_all(&patterns, &Options { world: Some(many), ..Options::default() }).err().unwrap();
    assert!(e.kind() == ErrorKind::Limit && e.to_string().contains("at most 65534"), "{e}");
}

#[test]
fn scripts_come_from_files() {
    let zan = "SI Animation Script\r\nFRAMES: 2\r\nOBJECTS: 1\r\nFrame: 1\r\nObject: door\r\nScaling: 1 1 \
        1\r\nRotation: 0 0 0\r\nTranslation: 0 0 0\r\nFrame: 11\r\nObject: door\r\nScaling: 1 1 1\r\nRotation: 0 0 \
        0\r\nTranslation: 2 0 0\r\n";
    let keys = "NAME ( door ) SCRIPT_FILENAME ( \"..\\m1\\Door.zan\" ) SCRIPT_FRAME_RATE ( 10 )";
    let text = root(&gate("", &format!("OBJECT_MOTION_SI_SCRIPT ( {keys} )")));
    let compiled = compile_files(&folder(&[("anim.zrd", &text), ("door.zan", zan)]), None, &options()).unwrap();
    let anim = compiled.anim.unwrap();
    let d = &read(&anim)[0];
    let Body::Script(script) = &d.sequences[0].events[0].body else { panic!() };
    let frames = &script.inline.as_ref().unwrap().frames;
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].time.map(F32::get), [0.0, 1.0]);
    assert_eq!(frames[0].translate.as_ref().unwrap().rate.map(F32::get), [2.0, 0.0, 0.0]);
    // And back: a text reproduces the frames.
    let bytes = anim.write().unwrap();
    let (again, made) = around(Anim::read(&bytes.clone().into(), None).unwrap(), false, Spelling::Zrd);
    assert!(again == bytes);
    let paths: Vec<&String> = made.files.iter().map(|(path, _)| path).collect();
    assert!(paths.iter().any(|path| *path == "scripts/1.zan"), "{paths:?}");
}

fn head(game: Game) -> Head {
    Head::new(Some(game), Format::Anim, Origin { file: "anim.zbd".into(), ..Origin::default() })
}

/// Decompiles a file, compiles the result over a base or without one, and returns the bytes.
fn around(anim: Anim, over: bool, spelling: Spelling) -> (Vec<u8>, Decompiled) {
    let game = anim.game;
    let base = Base::new(anim).unwrap();
    let made = decompile(&base, head(game), "../anim.zbd", spelling, None).unwrap();
    let compiled = good(compile_files(&written(&made), over.then_some(&base), &Options::default()).unwrap());
    if over {
        assert!(compiled.entries.iter().all(|entry| entry.status == Status::Equal), "{:?}", compiled.entries);
    }
    (compiled.anim.unwrap().write().unwrap(), made)
}

/// Definitions that use features of Recoil.
fn rich() -> String {
    let events = "OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( door ) ) SOUND ( NAME ( bang ) START_TIME ( \
        EVENT_OFFSET 0.5 ) AT_NODE ( door 0 1 0 ) ) SOUND_NODE ( NAME ( hum ) ACTIVE_STATE ( INACTIVE ) AT_NODE ( \
        INPUT_NODE ) ) EFFECT ( NAME ( boom ) ) LIGHT_STATE ( NAME ( l ) RANGE ( 1 2 ) COLOR ( 0 0.5 1 ) SATURATED ( \
        TRUE ) TYPE ( DIRECTED ) ) LIGHT_ANIMATION ( NAME ( l ) RANGE ( 1 2 3 4 ) RUN_TIME ( 5 ) ) \
        OBJECT_TRANSLATE_STATE ( NAME ( door ) RELATIVE ( 1 2 3 ) ) OBJECT_TRANSLATE_STATE ( NAME ( door ) AT_NODE ( \
        lamp1 1 2 3 ) ) OBJECT_SCALE_STATE ( NAME ( door ) STATE ( 1 2 3 ) ) OBJECT_ROTATE_STATE ( NAME ( door ) STATE \
        ( 33.3 -12.25 180 ) ) OBJECT_ROTATE_STATE ( NAME ( door ) AT_NODE_XYZ ( INPUT_NODE ) ) OBJECT_MOTION ( NAME ( \
        door ) GRAVITY ( DEFAULT ) TRANSLATION ( 30 45 12.5 -1 ) FORWARD_ROTATION ( TIME 90 45 ) XYZ_ROTATION ( 90 10 \
        5 1 2 3 ) SCALE ( 1 1 1 ) BOUNCE_SEQUENCE ( main ) BOUNCE_SOUND ( NAME ( bang ) FULL_VOLUME_VELOCITY ( 9 ) ) \
        RUN_TIME ( 1 ) ) OBJECT_MOTION ( NAME ( lamp1 ) GRAVITY ( LOCAL -3 ) TRANSLATION_RANGE_MIN ( 1 2 3 4 ) \
        TRANSLATION_RANGE_MAX ( 5 6 7 8 ) IMPACT_FORCE ) OBJECT_MOTION_FROM_TO ( NAME ( door ) RUN_TIME ( 0.7 ) \
        ROTATE_FROM ( 0 10 0 ) ROTATE_TO ( 0 90.5 0 ) TRANSLATE_TO ( 1.1 2.2 3.3 ) MORPH_TO ( 1 ) SCALE_FROM ( 1 1 1 ) \
        ) OBJECT_OPACITY_STATE ( NAME ( door ) STATE ( ON 0.5 ) ) OBJECT_OPACITY_FROM_TO ( NAME ( door ) OPACITY_FROM \
        ( 0 ON ) OPACITY_TO ( 1 OFF ) RUN_TIME ( 0.3 ) ) OBJECT_ADD_CHILD ( PARENT_CHILD ( door lamp1 ) ) \
        OBJECT_DELETE_CHILD ( PARENT_CHILD ( door lamp2 ) ) OBJECT_CYCLE_TEXTURE ( RESET NAME ( door ) ) \
        OBJECT_CONNECTOR ( NAME ( door ) FROM_NODE ( lamp1 ) TO_INPUT_NODE TO_T_START ( 0.5 ) RUN_TIME ( 2 ) \
        MAX_LENGTH ( 3 ) ) CALL_OBJECT_CONNECTOR ( NAME ( x ) FROM_POS ( 1 2 3 ) TO_INPUT_POS LOCAL_NAME ( l ) ) \
        CAMERA_STATE ( NAME ( cam ) H_ZOOM ( 2 ) ) CAMERA_FROM_TO ( NAME ( cam ) H_ZOOM_FROM_TO ( 1 2 ) RUN_TIME ( 4 ) \
        ) CALL_SEQUENCE ( NAME ( main ) ) STOP_SEQUENCE ( NAME ( main ) ) CALL_ANIMATION ( NAME ( x ) AT_NODE ( door ) \
        WAIT_FOR_COMPLETION ) CALL_ANIMATION ( NAME ( y ) WITH_NODE ( lamp2 ) LOCAL_NAME ( k ) ) CALL_ANIMATION ( NAME \
        ( x ) AT_NODE ( door 1 2 3 90 33 7 ) OPERAND_NODE ( lamp1 ) WAIT_FOR_COMPLETION ) STOP_ANIMATION ( NAME ( x ) \
        ) RESET_ANIMATION ( NAME ( x ) ) INVALIDATE_ANIMATION ( NAME ( x ) ) FOG_STATE ( TYPE ( OFF ) COLOR ( 1 1 1 ) \
        RANGE ( 1 2 ) ) LOOP ( LOOP_COUNT ( 40000 ) ) LOOP ( LOOP_TIME ( 2 ) ) LOOP IF ( PLAYER_RANGE ( 12.7 ) ) \
        CALLBACK ( VALUE ( 3 ) ) ELSEIF ( NODE_UNDERCOVER ( door 4 ) ) ELSE ENDIF IF ( HW_RENDER ) FBFX_COLOR_FROM_TO \
        ( FROM ( 0 0 0 0 ) TO ( 1 1 1 1 ) RUN_TIME ( 0.3 ) ) FBFX_CSINWAVE_FROM_TO ( AT_NODE ( door ) \
        WORLD_RADIUS_FROM ( 3 ) CSIN_FROM ( 1 2 3 ) CSIN_TO ( 2 3 4 ) RUN_TIME ( 0.9 ) ) ANIM_VERBOSE ( ON )";
    let keys = "ANIMATION_ROOT_NAME ( world1 ) ACTIVATION ( ON_STARTUP ) EXECUTION_BY_ZONE ( ) EXECUTION_PRIORITY ( 1 \
        ) NETWORK_LOG ( OFF ) RESET_TIME ( 0 -1 ) ACTIVATION_PREREQUISITE ( REQUIRED ( ANIMATION_LIST ( a b ) ) \
        OPTIONS ( MINIMUM_TO_SATISFY ( 2 ) OBJECT_ACTIVE_LIST ( ( a b ) ( c ) ) OBJECT_INACTIVE_LIST ( ( d ) ) ) ) \
        RESET_STATE ( OBJECT_ACTIVE_STATE ( STATE ( INACTIVE ) NAME ( lamp2 ) ) )";
    format!("{OPEN_GATE} {BLINK} {TURRET} {}", gate(keys, events))
}

#[test]
fn what_a_person_wrote_is_found_again() {
    let bytes = compile_all(&rich(), &options()).unwrap().anim.unwrap();
    let made = decompile(&Base::new(bytes).unwrap(), head(Game::Rc), "../anim.zbd", Spelling::Zrd, None).unwrap();
    let text: String = made.files.iter().map(|(_, text)| String::from_utf8_lossy(text).into_owned() + "\n").collect();
    for said in [
        "STATE ( 33.3 -12.25 180.0 )",
        "TRANSLATION ( 30.0 45.0 12.5 -1.0 )",
        "EXECUTION_BY_RANGE ( 9.0 )",
        "PLAYER_RANGE ( 12.7 )",
        "GRAVITY ( DEFAULT )",
        "GRAVITY ( LOCAL -3.0 )",
        "RESET_TIME ( 0.0 -1.0 )",
        "ROTATE_TO ( 0.0 90.5 0.0 )",
        "AT_NODE ( door 1.0 2.0 3.0 90.0 33.0 7.0 )",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}

/// Golden files: all animation files of the repository, and those of `REFIT_CORPUS` if it is set.
fn golden() -> Vec<(String, Bytes)> {
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/anim")];
    folders.extend(std::env::var_os("REFIT_CORPUS").map(std::path::PathBuf::from));
    let mut out = Vec::new();
    for entry in folders.iter().flat_map(walkdir::WalkDir::new).flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "zbd")
            && let Ok(bytes) = std::fs::read(path)
            && bytes.starts_with(&crate::formats::anim::header::SIGNATURE.to_le_bytes())
        {
            out.push((crate::path::shown(path), bytes.into()));
        }
    }
    out.sort();
    out
}

#[test]
fn every_golden_file_comes_back_over_itself() {
    let all = golden();
    assert!(all.len() > 100);
    let (mut raw, mut unsaid) = (Vec::new(), Vec::new());
    for (path, bytes) in all {
        let Ok(anim) = Anim::read(&bytes, None) else { continue };
        let (again, made) = around(anim, true, Spelling::Json);
        assert!(again == bytes, "{path}");
        // Also as text, unless there is a float or a name that text cannot express.
        let anim = Anim::read(&bytes, None).unwrap();
        match decompile(&Base::new(anim).unwrap(), head(Game::Rc), "", Spelling::Zrd, None) {
            Ok(_) => {
                assert!(around(Anim::read(&bytes, None).unwrap(), true, Spelling::Zrd).0 == bytes, "{path} as text")
            }
            Err(e) => unsaid.push((path.clone(), e.to_string())),
        }
        if made.raw > 0 {
            raw.push((path.rsplit('/').next().unwrap_or_default().to_owned(), made.raw));
        }
    }
    assert!(unsaid.iter().all(|(_, e)| e.contains("cannot say")), "{unsaid:?}");
    assert!(std::env::var_os("REFIT_CORPUS").is_some() || unsaid.len() < 10, "{unsaid:?}");
    // Only entries bound to no name, or to one with a star, are stored as bytes.
    assert!(std::env::var_os("REFIT_CORPUS").is_some() || raw == [("mw_names_unsafe.zbd".to_owned(), 2)], "{raw:?}");
}

#[test]
fn an_edit_changes_only_what_was_edited() {
    // Known files have stale bytes after names, addresses and saved transforms.
    let several = |(path, bytes): (String, Bytes)| {
        let anim = Anim::read(&bytes, None).ok().filter(|anim| path.contains("rc_") && anim.definitions.len() > 1)?;
        Base::new(anim).ok()
    };
    let base = golden().into_iter().find_map(several).unwrap();
    let made = decompile(&base, head(Game::Rc), "../anim.zbd", Spelling::Json, None).unwrap();
    let files = written(&made);
    // The health of one definition.
    let (path, text) = made.files.iter().find(|(path, _)| path != "refit.json" && path != "anim.zrd.json").unwrap();
    let text = String::from_utf8_lossy(text);
    assert!(text.contains("\"RESET_TIME\""), "{text}");
    files.set(path, text.replacen("\"RESET_TIME\"", "\"HEALTH\", [77.5], \"RESET_TIME\"", 1));
    let compiled = compile_files(&files, Some(&base), &Options::default()).unwrap();
    let changed: Vec<usize> =
        compiled.entries.iter().enumerate().filter(|(_, e)| e.status == Status::Changed).map(|(i, _)| i).collect();
    assert_eq!(changed.len(), 1, "{:?}", compiled.entries);
    let anim = compiled.anim.unwrap();
    for (i, (old, new)) in base.anim.definitions.iter().zip(&anim.definitions).enumerate() {
        if changed.contains(&i) {
            let differ: Vec<usize> =
                old.iter().zip(new).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
            assert!(old.len() == new.len() && differ.iter().all(|at| (172..180).contains(at)), "{differ:?}");
        } else {
            assert_eq!(old, new);
        }
    }
}
