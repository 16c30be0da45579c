//! Edits of animation files: the bytes before and after each are made by hand from the reference.

use refit::{
    formats::Format,
    game::Game,
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
    wire::{Line, Role},
};
use roundtrip_tests::*;

/// Text, a zero, zeros.
fn z(text: &str, n: usize) -> Vec<u8> {
    let mut out = text.as_bytes().to_vec();
    out.resize(n, 0);
    out
}

/// A name written over `Default_node_name`.
fn n(text: &str) -> Vec<u8> {
    let mut out = z("Default_node_name", 32);
    out[..text.len()].copy_from_slice(text.as_bytes());
    out[text.len()] = 0;
    out
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// An event at once.
fn event(number: u8, body: Vec<u8>) -> Vec<u8> {
    event_at(number, 1, 0.0, body)
}

fn event_at(number: u8, start: u8, time: f32, body: Vec<u8>) -> Vec<u8> {
    [vec![number, start, 0, 0], words(&[12 + body.len() as u32]), floats(&[time]), body].concat()
}

fn sound(sound: i16, node: i16) -> Vec<u8> {
    event(1, [sound.to_le_bytes().to_vec(), node.to_le_bytes().to_vec(), floats(&[0.0; 3])].concat())
}

fn active(node: i16, on: u32) -> Vec<u8> {
    event(6, [words(&[on]), node.to_le_bytes().to_vec(), vec![0, 0]].concat())
}

/// OBJECT_MOTION_FROM_TO that rotates.
fn rotate(node: u32, from: [f32; 3], to: [f32; 3], rate: [f32; 3], time: f32) -> Vec<u8> {
    let body = [words(&[2, node]), vec![0; 48], floats(&from), floats(&to), floats(&rate), vec![0; 36], floats(&[time])].concat();
    assert_eq!(body.len(), 132);
    event_at(11, 3, 0.25, body)
}

/// OBJECT_MOTION with these flags and words.
fn motion(node: i16, flags: u32, values: &[(usize, f32)]) -> Vec<u8> {
    let mut body = vec![0; 320];
    body[..4].copy_from_slice(&flags.to_le_bytes());
    body[4..6].copy_from_slice(&node.to_le_bytes());
    for at in [228, 268, 308] {
        body[at..at + 2].copy_from_slice(&[0xff; 2]);
    }
    for (at, value) in values {
        body[*at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    event(10, body)
}

/// A frame that translates.
fn frame(time: [f32; 2], base: [f32; 3], rate: [f32; 3]) -> Vec<u8> {
    [words(&[1]), floats(&time), floats(&base), words(&[0]), floats(&rate), vec![0; 48]].concat()
}

fn script(node: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    event(12, [words(&[node, frames.len() as u32]), vec![0; 16], frames.concat()].concat())
}

fn sequence(name: &str, state: u8, events: &[Vec<u8>]) -> Vec<u8> {
    let events = events.concat();
    let pointer = if events.is_empty() { 0 } else { u32::MAX };
    [z(name, 32), vec![state, state, 0, 0], vec![0; 20], words(&[pointer, events.len() as u32]), events].concat()
}

struct Def<'a> {
    name: &'a str,
    animation: &'a str,
    root: &'a str,
    flags: u32,
    objects: &'a [&'a str],
    nodes: &'a [&'a str],
    sounds: &'a [&'a str],
    reset: Vec<Vec<u8>>,
    sequences: Vec<Vec<u8>>,
}

/// A definition as MechWarrior 3 stores it, with addresses of all ones.
fn mw_definition(d: &Def<'_>) -> Vec<u8> {
    let pointer = |there: bool| if there { u32::MAX } else { 0 };
    let reset = sequence("RESET_SEQUENCE", 0, &d.reset);
    let entries = |list: &[&str], f: &dyn Fn(&str) -> Vec<u8>, size: usize| -> Vec<u8> {
        if list.is_empty() { vec![] } else { [vec![0; size], list.iter().flat_map(|name| f(name)).collect()].concat() }
    };
    let count = |list: &[&str]| if list.is_empty() { 0 } else { list.len() as u8 + 1 };
    let mut out = [z(d.animation, 32), z(d.name, 32), words(&[u32::MAX]), z(d.root, 32)].concat();
    out.extend(words(&[if d.root == d.name { u32::MAX } else { u32::MAX - 1 }]));
    out.extend([vec![0; 44], words(&[d.flags]), vec![0, 3, 4, 2], floats(&[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]), vec![0; 16]].concat());
    out.extend(words(&[pointer(!d.sequences.is_empty())]));
    out.extend(&reset[..64]);
    out.extend([d.sequences.len() as u8, count(d.objects), count(d.nodes), 0, 0, 0, count(d.sounds), 0, 0, 0, 0, 0]);
    out.extend(words(&[pointer(!d.objects.is_empty()), pointer(!d.nodes.is_empty()), 0, 0, 0, pointer(!d.sounds.is_empty()), 0, 0, 0, 0]));
    assert_eq!(out.len(), 316);
    out.extend(entries(d.objects, &|name| [n(name), words(&[0, u32::MAX, 0, 0]), vec![0; 48]].concat(), 96));
    out.extend(entries(d.nodes, &|name| [n(name), words(&[0, u32::MAX])].concat(), 40));
    out.extend(entries(d.sounds, &|name| [z(name, 32), words(&[0])].concat(), 36));
    out.extend(reset);
    out.extend(d.sequences.concat());
    out
}

fn mw_file(definitions: &[Vec<u8>]) -> Vec<u8> {
    let mut info = vec![0; 68];
    info[10..12].copy_from_slice(&(definitions.len() as u16 + 1).to_le_bytes());
    info[12..16].copy_from_slice(&[0xff; 4]);
    info[24..28].copy_from_slice(&[0xff; 4]);
    info[28..32].copy_from_slice(&(-9.8f32).to_le_bytes());
    info[60] = 1;
    let mut zero = vec![0; 316 + 64];
    zero[153] = 3;
    [words(&[0x0817_0616, 39, 1]), z("..\\data\\common\\zrdr\\door.zrd", 80), words(&[925_000_000]), info, zero, definitions.concat()]
        .concat()
}

const PI2: f32 = 1.57;

/// The door that most edits begin with.
fn door() -> Def<'static> {
    Def {
        name: "door",
        animation: "door_open",
        root: "door",
        flags: 0,
        objects: &["door", "arm"],
        nodes: &["door", "arm", "lamp", "arm"],
        sounds: &["creak", "hiss", "bang"],
        reset: vec![active(1, 1)],
        sequences: vec![sequence("open", 0, &door_events()), sequence("close", 3, &[sound(3, -200)])],
    }
}

fn door_events() -> Vec<Vec<u8>> {
    vec![
        sound(2, 1),
        rotate(4, [0.0; 3], [0.0, PI2, 0.0], [0.0, PI2 / 1.5, 0.0], 1.5),
        active(2, 0),
        motion(2, 0x400, &[(316, 2.5)]),
        script(3, &[frame([0.0, 0.5], [1.0, 2.0, 3.0], [2.0, 0.0, 0.0]), frame([0.5, 1.0], [2.0, 2.0, 3.0], [0.0; 3])]),
    ]
}

fn with_events(events: Vec<Vec<u8>>) -> Vec<u8> {
    let mut door = door();
    door.sequences[0] = sequence("open", 0, &events);
    mw_file(&[mw_definition(&door)])
}

fn tree(bytes: Vec<u8>, style: Style) -> Folder {
    unpack(&Case { path: "anim.zbd".into(), folder: String::new(), bytes: bytes.into() }, Hints::default(), style)
}

fn door_tree() -> Folder {
    tree(mw_file(&[mw_definition(&door())]), Style::Json)
}

const DOOR: &str = "defs/door_open.json";

#[test]
fn the_tree_reads_like_the_reader_files() {
    let tree = door_tree();
    let expected = r#"{
  "$schema": "../.refit/anim-definition.schema.json",
  "name": "door",
  "animation_name": "door_open",
  "animation_root_name": "door",
  "activation": "ON_CALL",
  "objects": ["door", "arm"],
  "nodes": ["door", "arm", "lamp", "arm"],
  "static_sounds": ["creak", "hiss", "bang"],
  "reset_state": [{ "OBJECT_ACTIVE_STATE": { "node": "door", "state": true } }],
  "sequences": [
    {
      "name": "open",
      "activation": "INITIAL",
      "events": [
        { "SOUND": { "sound": "hiss", "at_node": "door" } },
        {
          "at": ["EVENT", 0.25],
          "OBJECT_MOTION_FROM_TO": {
            "node": { "name": "arm", "nth": 2 },
            "run_time": 1.5,
            "rotate": { "from": [0.0, 0.0, 0.0], "to": [0.0, 1.57, 0.0] }
          }
        },
        { "OBJECT_ACTIVE_STATE": { "node": "arm", "state": false } },
        { "OBJECT_MOTION": { "node": "arm", "run_time": 2.5 } },
        { "OBJECT_MOTION_SI_SCRIPT": { "node": "lamp", "script": "scripts/door_open-1" } }
      ]
    },
    {
      "name": "close",
      "activation": "ON_CALL",
      "events": [{ "SOUND": { "sound": "bang", "at_node": "INPUT_NODE" } }]
    }
  ]
}
"#;
    assert_eq!(tree.text(DOOR), expected);
    assert!(tree.text("refit.json").contains("\"definitions\": [\"defs/door_open.json\"]"));
    assert!(!tree.text("refit.json").contains("\"info\""), "a regular info block has nothing to say");
}

#[test]
fn the_rate_follows_its_target() {
    let mut events = door_events();
    events[1] = rotate(4, [0.0; 3], [0.5, -3.25, 0.0], [0.5 / 1.5, -3.25 / 1.5, 0.0], 1.5);
    let expected = with_events(events);
    for style in [Style::Json, Style::Ron] {
        let tree = tree(mw_file(&[mw_definition(&door())]), style);
        let path = format!("defs/door_open.{}", style.ext());
        let (from, to) =
            if style == Style::Json { ("[0.0, 1.57, 0.0]", "[0.5, -3.25, 0.0]") } else { ("(0.0, 1.57, 0.0)", "(0.5, -3.25, 0.0)") };
        edit(&tree, &path, from, to);
        assert_bytes(&repack(&tree), &expected);
    }
}

#[test]
fn a_rate_of_its_own_is_kept_until_it_is_removed() {
    let mut events = door_events();
    events[1] = rotate(4, [0.0; 3], [0.0, PI2, 0.0], [0.0, 9.5, -0.0], 1.5);
    let tree = tree(with_events(events), Style::Json);
    edit(&tree, DOOR, ", \"rate\": [0.0, 9.5, -0.0]", "");
    assert_bytes(&repack(&tree), &with_events(door_events()));
}

#[test]
fn an_event_is_added_in_the_middle() {
    let tree = door_tree();
    let old = r#"{ "OBJECT_ACTIVE_STATE": { "node": "arm", "state": false } },"#;
    edit(
        &tree,
        DOOR,
        old,
        &format!(
            "{{ \"at\": [\"SEQUENCE\", 2.5], \"CALLBACK\": {{ \"value\": 7 }} }}, {{ \"IF\": {{ \"PLAYER_RANGE\": 20.0 }} }}, {old} {{ \"ENDIF\": {{}} }},"
        ),
    );
    let mut events = door_events();
    events.insert(2, event_at(35, 2, 2.5, words(&[7])));
    events.insert(3, event(31, [words(&[2, 0]), floats(&[400.0])].concat()));
    events.insert(5, event(34, vec![]));
    let mut door = door();
    door.sequences[0] = sequence("open", 0, &events);
    // The flag of definitions with callbacks follows.
    door.flags = 0x10;
    assert_bytes(&repack(&tree), &mw_file(&[mw_definition(&door)]));
}

#[test]
fn a_node_is_renamed_wherever_it_is_used() {
    let tree = door_tree();
    let text = tree.text(DOOR);
    // Renamed in the lists alone, the events say what is missing, and where.
    tree.set(DOOR, text.replace("\"nodes\": [\"door\", \"arm\"", "\"nodes\": [\"door\", \"leg\"").into_bytes());
    let error = repack_error(&tree);
    for part in ["defs/door_open.json", "sequences[0] \"open\".events[1].OBJECT_MOTION_FROM_TO", "no node number 2 of \"arm\"", "`nodes`"] {
        assert!(error.contains(part), "{error}");
    }
    tree.set(DOOR, text.replace("\"arm\"", "\"forearm\"").into_bytes());
    let mut door = door();
    door.objects = &["door", "forearm"];
    door.nodes = &["door", "forearm", "lamp", "forearm"];
    assert_bytes(&repack(&tree), &mw_file(&[mw_definition(&door)]));
}

#[test]
fn a_node_that_is_put_in_front_moves_all_indices() {
    let tree = door_tree();
    edit(&tree, DOOR, "\"nodes\": [\"door\",", "\"nodes\": [\"frame\", \"door\",");
    let mut door = door();
    door.nodes = &["frame", "door", "arm", "lamp", "arm"];
    door.reset = vec![active(2, 1)];
    let mut events = door_events();
    events[0] = sound(2, 2);
    events[1] = rotate(5, [0.0; 3], [0.0, PI2, 0.0], [0.0, PI2 / 1.5, 0.0], 1.5);
    events[2] = active(3, 0);
    events[3] = motion(3, 0x400, &[(316, 2.5)]);
    events[4][12] = 4;
    door.sequences[0] = sequence("open", 0, &events);
    assert_bytes(&repack(&tree), &mw_file(&[mw_definition(&door)]));
}

#[test]
fn a_sound_is_deleted_and_the_others_follow() {
    let tree = door_tree();
    edit(&tree, DOOR, "[\"creak\", \"hiss\", \"bang\"]", "[\"hiss\", \"bang\"]");
    let mut door = door();
    door.sounds = &["hiss", "bang"];
    let mut events = door_events();
    events[0] = sound(1, 1);
    door.sequences = vec![sequence("open", 0, &events), sequence("close", 3, &[sound(2, -200)])];
    assert_bytes(&repack(&tree), &mw_file(&[mw_definition(&door)]));
    edit(&tree, DOOR, "[\"hiss\", \"bang\"]", "[\"hiss\"]");
    assert!(repack_error(&tree).contains("no static sound \"bang\""));
}

#[test]
fn a_definition_is_added_and_removed() {
    let tree = door_tree();
    let lamp = r#"{ "name": "lamp", "animation_name": "lamp_on", "animation_root_name": "bulb", "activation": "ON_CALL", "nodes": ["bulb"],
        "sequences": [{ "name": "on", "activation": "ON_CALL", "events": [{ "OBJECT_ACTIVE_STATE": { "node": "bulb", "state": true } }] }] }"#;
    tree.set("defs/my lamp.json", lamp.as_bytes().to_vec());
    edit(&tree, "refit.json", "\"defs/door_open.json\"", "\"defs/my lamp.json\", \"defs/door_open.json\"");
    let new = Def {
        name: "lamp",
        animation: "lamp_on",
        root: "bulb",
        flags: 0,
        objects: &[],
        nodes: &["bulb"],
        sounds: &[],
        reset: vec![],
        sequences: vec![sequence("on", 3, &[active(1, 1)])],
    };
    assert_bytes(&repack(&tree), &mw_file(&[mw_definition(&new), mw_definition(&door())]));
    edit(&tree, "refit.json", "\"defs/my lamp.json\", ", "");
    assert_bytes(&repack(&tree), &mw_file(&[mw_definition(&door())]));
}

#[test]
fn a_frame_of_a_script_changes_and_one_is_added() {
    let tree = door_tree();
    let path = "scripts/door_open-1.json";
    edit(&tree, path, "\"base\": [1.0, 2.0, 3.0]", "\"base\": [1.5, 2.0, -0.0]");
    let text = tree.text(path);
    let end = text.rfind(']').unwrap();
    tree.set(path, format!("{}, {{ \"time\": [1.0, 2.0] }}{}", &text[..end].trim_end(), &text[end..]).into_bytes());
    let mut events = door_events();
    let still = [words(&[0]), floats(&[1.0, 2.0])].concat();
    events[4] = script(3, &[frame([0.0, 0.5], [1.5, 2.0, -0.0], [2.0, 0.0, 0.0]), frame([0.5, 1.0], [2.0, 2.0, 3.0], [0.0; 3]), still]);
    assert_bytes(&repack(&tree), &with_events(events));
}

#[test]
fn fields_switch_their_flags_on_and_off() {
    let tree = door_tree();
    let plain = r#"{ "OBJECT_MOTION": { "node": "arm", "run_time": 2.5 } }"#;
    let rich = r#"{ "OBJECT_MOTION": { "node": "arm", "gravity": -4.5, "impact_force": true, "translation": { "velocity": [1.0, 2.0, 3.0], "acceleration": [0.0, 0.0, 0.5] } } }"#;
    edit(&tree, DOOR, plain, rich);
    let mut events = door_events();
    events[3] = motion(2, 0x7, &[(12, -4.5), (52, 1.0), (56, 2.0), (60, 3.0), (72, 0.5)]);
    assert_bytes(&repack(&tree), &with_events(events));
    edit(&tree, DOOR, rich, r#"{ "OBJECT_MOTION": { "node": "arm" } }"#);
    let mut events = door_events();
    events[3] = motion(2, 0, &[]);
    assert_bytes(&repack(&tree), &with_events(events));
}

#[test]
fn what_a_switched_off_field_holds_is_kept_beside_the_event() {
    let mut events = door_events();
    events[3] = motion(2, 0x10400, &[(316, 2.5), (160, -0.0), (184, 1.0)]);
    let bytes = with_events(events);
    let tree = tree(bytes.clone(), Style::Json);
    let text = tree.text(DOOR);
    assert!(
        text.contains(r#""flags_differ": "0x00010000""#) && text.contains(r#""163": "80""#) && text.contains(r#""186": "803f""#),
        "{text}"
    );
    // Other fields can change all the same.
    edit(&tree, DOOR, "\"run_time\": 2.5", "\"run_time\": 3.0, \"gravity\": 1.0");
    let mut events = door_events();
    events[3] = motion(2, 0x10401, &[(316, 3.0), (12, 1.0), (160, -0.0), (184, 1.0)]);
    assert_bytes(&repack(&tree), &with_events(events));
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let said = |from: &str, to: &str| {
        let tree = door_tree();
        edit(&tree, DOOR, from, to);
        repack_error(&tree)
    };
    let error = said("\"creak\"", "\"a name that is longer than its thirty-two bytes\"");
    assert!(error.contains("static_sounds") && error.contains("47 bytes, its field 32"), "{error}");
    let error = said("\"animation_root_name\": \"door\",", "\"animation_root_name\": \"door\", \"puffer\": 1,");
    assert!(error.contains("puffer") && error.contains("defs/door_open.json:5"), "{error}");
    let error = said(
        "\"animation_root_name\": \"door\",",
        "\"animation_root_name\": \"door\", \"damage_sequence\": { \"name\": \"x\", \"activation\": \"INITIAL\", \"events\": [] },",
    );
    assert!(error.contains("MechWarrior 3's files have no `damage_sequence`"), "{error}");
    let many: Vec<String> = (0..300).map(|i| format!("\"n{i}\"")).collect();
    let error = said("\"objects\": [\"door\", \"arm\"]", &format!("\"objects\": [{}]", many.join(",")));
    assert!(error.contains("objects") && error.contains("301"), "{error}");
    let error = said("\"SOUND\": { \"sound\": \"hiss\", \"at_node\": \"door\" } }", "\"SOUND\": { \"sound\": \"hiss\" }, \"ENDIF\": {} }");
    assert!(error.contains("both SOUND and ENDIF"), "{error}");
    // Down to the field.
    let error = said("\"sound\": \"hiss\", \"at_node\": \"door\"", "\"sound\": \"hiss\", \"at_node\": \"dor\"");
    assert!(error.contains("SOUND.at_node") && error.contains("events[") && error.contains("did you mean \"door\"?"), "{error}");
}

#[test]
fn twenty_thousand_nested_conditions_are_a_flat_list() {
    let mut events: Vec<Vec<u8>> = Vec::new();
    events.extend((0..20_000).map(|_| event(31, [words(&[1, 0]), floats(&[0.5])].concat())));
    events.extend((0..20_000).map(|_| event(34, vec![])));
    let case = Case { path: "anim.zbd".into(), folder: String::new(), bytes: with_events(events).into() };
    exact(&case, Hints::default());
}

/// Pirate's Moon: one definition, one script in the table.
fn pm_file(scripts: &[(&str, &str, Vec<Vec<u8>>)], index: u32) -> Vec<u8> {
    let mut info = vec![0; 108];
    info[10] = 2;
    info[12..16].copy_from_slice(&[0xff; 4]);
    info[16..20].copy_from_slice(&(scripts.len() as u32).to_le_bytes());
    info[20..24].copy_from_slice(&[0xff; 4]);
    info[32..36].copy_from_slice(&[0xff; 4]);
    info[36..40].copy_from_slice(&(-9.8f32).to_le_bytes());
    info[60] = 1;
    let mut zero = vec![0; 268];
    zero[72..76].copy_from_slice(&[0xff; 4]);
    zero[108..112].copy_from_slice(&[0xff; 4]);
    zero[161] = 3;
    let event = event(12, [words(&[1, index]), vec![0; 16]].concat());
    let mut record = zero.clone();
    record[..5].copy_from_slice(b"hatch");
    record[40..44].copy_from_slice(b"ship");
    record[76..80].copy_from_slice(b"ship");
    record[162..164].copy_from_slice(&[4, 2]);
    record[172..176].copy_from_slice(&(-1.0f32).to_le_bytes());
    record[204..208].copy_from_slice(&[0xff; 4]);
    record[216] = 1;
    record[218] = 2;
    record[232..236].copy_from_slice(&[0xff; 4]);
    let ones = words(&[u32::MAX]);
    let nodes = [vec![0; 40], ones.clone(), vec![0; 4], n("lid"), vec![0; 4], ones].concat();
    let mut out = [words(&[0x0817_0616, 50, 930_000_000, 0]), info, zero, record, nodes, sequence("run", 0, &[event])].concat();
    for (name, object, frames) in scripts {
        let size = frames.concat().len() as u32;
        out.extend(words(&[u32::MAX, u32::MAX]));
        out.extend([name.len() as u8 + 1, object.len() as u8 + 1, 0, 0]);
        out.extend(words(&[0, frames.len() as u32, size, u32::MAX]));
    }
    for (name, object, frames) in scripts {
        out.extend([z(name, name.len() + 1), z(object, object.len() + 1), frames.concat()].concat());
    }
    out
}

#[test]
fn scripts_of_a_table_are_edited_added_and_found_by_their_documents() {
    let frames = |x: f32| vec![frame([0.0, 0.5], [x, 2.0, 3.0], [2.0, 0.0, 0.0])];
    let hatch = |x: f32| ("..\\data\\hatch.zan", "lid", frames(x));
    let original = pm_file(&[hatch(1.0)], 0);
    let tree = tree(original.clone(), Style::Json);
    let path = "scripts/hatch-lid.json";
    assert!(tree.text("defs/hatch.json").contains("\"script\": \"scripts/hatch-lid\""), "{}", tree.text("defs/hatch.json"));
    edit(&tree, path, "[1.0, 2.0, 3.0]", "[7.5, 2.0, 3.0]");
    assert_bytes(&repack(&tree), &pm_file(&[hatch(7.5)], 0));
    // A second script in front: the event's index follows.
    let new = tree.text(path).replace("\"lid\"", "\"rod\"").replace("7.5", "0.5");
    tree.set("scripts/new.json", new.into_bytes());
    edit(&tree, "refit.json", "[\"scripts/hatch-lid.json\"]", "[\"scripts/new.json\", \"scripts/hatch-lid.json\"]");
    assert_bytes(&repack(&tree), &pm_file(&[("..\\data\\hatch.zan", "rod", frames(0.5)), hatch(7.5)], 1));
    // A script that is in no list.
    edit(&tree, "refit.json", ", \"scripts/hatch-lid.json\"", "");
    assert!(repack_error(&tree).contains("no script \"scripts/hatch-lid\""), "{}", repack_error(&tree));
    // A file whose event points past the table.
    exact(&Case { path: "anim.zbd".into(), folder: String::new(), bytes: pm_file(&[hatch(1.0)], 99).into() }, Hints::default());
}

#[test]
fn unknown_versions_need_a_word_of_the_user() {
    let mut bytes = mw_file(&[mw_definition(&door())]);
    bytes[4] = 40;
    let bytes = bytes::Bytes::from(bytes);
    let as_anim = Hints { format: Some(Format::Anim), ..Hints::default() };
    let error = pipeline::verify(&bytes, "anim.zbd", as_anim, Via::Json).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("version 40"), "{error}");
    let as_mw = Hints { game: Some(Game::Mw), ..as_anim };
    assert!(pipeline::verify(&bytes, "anim.zbd", as_mw, Via::Json).unwrap().raw.is_empty());
}

#[test]
fn every_golden_tree_is_typed() {
    for case in golden("anim") {
        let tree = unpack(&case, Hints::default(), Style::Json);
        assert!(tree.paths().iter().all(|p| !p.ends_with(".bin") || p == "trailing.bin"), "{}", case.path);
    }
}

/// A line of `explain`: start, end, path, role.
type Told = (u64, u64, String, Role);

/// What `explain` says of a file, and why it stopped.
fn explained(bytes: &[u8]) -> (Vec<Told>, Option<String>) {
    let mut lines = Vec::new();
    let mut out = |line: Line| {
        lines.push((line.range.start, line.range.end, line.path, line.role));
        Ok(())
    };
    let hints = Hints { format: Some(Format::Anim), game: None };
    let file = bytes::Bytes::copy_from_slice(bytes).into();
    let done = pipeline::explain(&file, "anim.zbd", hints, 0..u64::MAX, &mut out).unwrap();
    (lines, done.fault.map(|e| e.to_string()))
}

/// The value at a path of a document, or the file that the path is.
fn stands_in(tree: &Folder, path: &str) -> bool {
    let (document, path) = path.split_once(" › ").unwrap_or(("refit.json", path));
    if tree.has(path) {
        return true;
    }
    let Ok(bytes) = tree.get(document) else { return false };
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let mut at = Some(&document);
    for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
        at = at.and_then(|at| match step.strip_suffix(']') {
            Some(index) => at.get(index.parse::<usize>().unwrap()),
            None => at.get(step),
        });
    }
    at.is_some()
}

#[test]
fn every_byte_is_told_once_and_every_value_stands_in_the_tree() {
    let (mut bytes_of_files, mut nameless) = (0, 0);
    // One of each kind: the same fields fail in many files.
    let mut failed = std::collections::BTreeMap::new();
    for case in golden("anim") {
        let (name, file) = (&case.path, &case.bytes);
        let (lines, fault) = explained(file);
        assert_eq!(fault, None, "{name}");
        let tree = unpack(&case, Hints::default(), Style::Json);
        let mut next = 0;
        for (start, end, path, role) in lines {
            assert!(start == next && end > start && !path.is_empty(), "{name} at {next:#x}: {start:#x} to {end:#x} {path:?}");
            next = end;
            nameless += if matches!(role, Role::Unknown | Role::Gap) && path != "trailing.bin" { end - start } else { 0 };
            if role == Role::Value && !stands_in(&tree, &path) {
                let field: String = path.rsplit(" › ").next().unwrap().chars().filter(|c| !c.is_ascii_digit()).collect();
                failed.entry(field).or_insert(format!("{name} at {start:#x}: {path}"));
            }
        }
        assert_eq!(next, file.len() as u64, "{name}");
        bytes_of_files += next;
    }
    assert!(bytes_of_files > 100_000, "{bytes_of_files}");
    assert_eq!(nameless, 0);
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn what_stands_before_a_fault_is_told() {
    let whole = mw_file(&[mw_definition(&door()), mw_definition(&door())]);
    let cut = &whole[..whole.len() - 20];
    let (lines, fault) = explained(cut);
    assert!(fault.unwrap().contains("definitions[2]"));
    assert!(lines.iter().any(|(.., path, _)| path.starts_with("defs/") && path.contains("sequences[0].events[1].")), "{lines:?}");
    assert_eq!(lines.last().map(|line| (line.1, line.3)), Some((cut.len() as u64, Role::Unknown)));
}

#[test]
fn addresses_and_old_memory_are_no_findings() {
    let mut judged = 0;
    for case in golden("anim") {
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        for finding in pipeline::lint(&*opened.model).unwrap() {
            let last = finding.path.rsplit('.').next().unwrap_or_default();
            assert!(!last.contains("pointer") && !finding.path.contains("pointers."), "{}: {} {}", case.path, finding.code, finding.path);
            assert!(finding.code != "text-tail" || last != "path", "{}: {}", case.path, finding.path);
            judged += 1;
        }
    }
    assert!(judged > 100, "{judged}");
    // What no real file has is told as before.
    let odd = golden_file("anim", "mw_v_fromto_delta_negzero.zbd");
    let opened = pipeline::open(&odd.bytes, &odd.path, Hints::default()).unwrap();
    assert!(pipeline::lint(&*opened.model).unwrap().iter().any(|f| f.code == "odd-value"));
}
