use super::*;
use bytes::Bytes;
use refit_base::{
    contract::Model,
    format::Format,
    game::Game,
    lint::Severity,
    tree::{Folder, Head, Origin},
    wire::{ErrorKind, F32, Result},
};
use refit_files::File;
use refit_zipper::anim::{
    Anim, Definition,
    references::Array,
    sequences::{Event, Start},
};
use std::sync::Arc;

mod edits;
mod generated;
mod incremental;
mod single;
#[path = "../zipper/anim/tests/vectors.rs"]
mod vectors;
mod worlds;

use vectors::vectors;

const WORLD: [&str; 7] = [
    "world1", "gate", "door", "lamp1", "lamp2", "turret_b", "healthy",
];

fn world(names: &[&str]) -> World {
    World::new(names.iter().map(|name| name.as_bytes().to_vec()))
}

fn options() -> Options {
    Options {
        world: Some(world(&WORLD)),
        ..Options::default()
    }
}

/// A root file with these definitions.
fn root(definitions: &str) -> String {
    format!("ANIMATION_DEFINITIONS ( GRAVITY ( -9.8 ) ANIMATION_LIST ( {definitions} ) )\n")
}

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    files
        .iter()
        .for_each(|(path, text)| folder.set(path, Bytes::copy_from_slice(text.as_bytes())));
    folder
}

fn compile_files(files: &Folder, base: Option<&Base>, options: &Options) -> Result<Compiled> {
    let start = if refit_base::tree::Source::has(files, "anim.zrd.json") {
        "anim.zrd.json"
    } else {
        "anim.zrd"
    };
    let sources = Sources::read(
        vec![Root::of_paths("/work/m1", files)],
        &[(0, start.to_owned())],
        &|_| false,
    )?;
    compile(&sources, base, options)
}

fn compile_all(definitions: &str, options: &Options) -> Result<Compiled> {
    compile_files(&folder(&[("anim.zrd", &root(definitions))]), None, options)
}

fn read(anim: &Anim) -> Vec<Definition> {
    let table = Arc::default();
    anim.definitions
        .iter()
        .map(|bytes| Definition::read(bytes, anim.game, &table).unwrap())
        .collect()
}

/// A compilation without an error.
fn good(compiled: Compiled) -> Compiled {
    let errors: Vec<_> = compiled
        .entries
        .iter()
        .filter_map(|entry| entry.error.as_ref())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    compiled
}

/// The entries of a compiled file.
fn entries(definitions: &str) -> Vec<Definition> {
    read(
        &good(compile_all(definitions, &options()).unwrap())
            .anim
            .unwrap(),
    )
}

/// The first entry and its findings.
fn first(definitions: &str) -> EntryReport {
    compile_all(definitions, &options())
        .unwrap()
        .entries
        .remove(0)
}

fn codes(entry: &EntryReport) -> Vec<&'static str> {
    entry.findings.iter().map(|f| f.code).collect()
}

fn findings(entry: &EntryReport) -> Vec<(&'static str, Severity, &str)> {
    entry
        .findings
        .iter()
        .map(|f| (f.code, f.severity, f.message.as_str()))
        .collect()
}

fn base_file(bytes: &[u8]) -> Base {
    Base::new(Anim::read(&Bytes::copy_from_slice(bytes), None).unwrap()).unwrap()
}

/// The sources that a file decompiles to, as text.
fn sources_of(base: &Base) -> Folder {
    written(
        &decompile(
            base,
            head(base.anim.game),
            "../anim.zbd",
            Spelling::Zrd,
            None,
        )
        .unwrap(),
    )
}

fn written(made: &Decompiled) -> Folder {
    let files = Folder::new();
    made.files
        .iter()
        .for_each(|(path, bytes)| files.set(path, bytes.clone()));
    files
}

/// A definition of `gate` with one sequence of these events.
fn gate(keys: &str, events: &str) -> String {
    format!(
        "ANIMATION_DEFINITION ( NAME ( gate ) {keys} SEQUENCE_DEFINITION ( NAME ( main ) {events} ) )"
    )
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
        let mut w = refit_base::wire::Writer::new(Game::Rc);
        event.write(&mut w, &tables).unwrap();
        w.bytes
    };
    d.sequences[0].events.iter().map(bytes).collect()
}

/// A word of an event's body.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[12 + at..16 + at].try_into().unwrap())
}

/// The error from compiling sources.
fn fails(definitions: &str) -> String {
    match compile_all(definitions, &options()) {
        Err(e) => e.to_string(),
        Ok(compiled) => {
            assert!(compiled.anim.is_none(), "it was compiled: {definitions}");
            compiled
                .entries
                .iter()
                .find_map(|entry| entry.error.clone())
                .unwrap()
        }
    }
}

fn texts(d: &Definition, array: Array) -> Vec<String> {
    d.names(array)
        .iter()
        .flatten()
        .map(|label| label.text.text().into_owned())
        .collect()
}

const OPEN_GATE: &str = "ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open_gate ) ACTIVATION ( ON_CALL ) \
    HEALTH ( 6 ) RESET_TIME ( -1 ) EXECUTION_BY_RANGE ( 9 ) SAVE_LOG ( OFF ) SEQUENCE_DEFINITION ( NAME ( a ) CALLBACK \
    ( VALUE ( 7 ) ) ) )";
const BLINK: &str = "ANIMATION_DEFINITION ( NAME ( \"lamp*\" ) ANIMATION_NAME ( \"blink*\" ) \
    SEQUENCE_DEFINITION ( OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( \"lamp*\" ) ) ) )";
const TURRET: &str =
    "ANIMATION_DEFINITION ( NAME ( turret_a turret_b ) ANIMATION_NAME ( destroy_turret ) )";

/// Beyond them are findings: `limits_are_findings`.
#[test]
fn vectors_10_and_11_limits_of_tables() {
    let sounds: Vec<String> = (0..254)
        .map(|i| format!("SOUND ( NAME ( s{i} ) )"))
        .collect();
    assert_eq!(
        texts(&one(&sounds.join(" ")), Array::StaticSounds).len(),
        254
    );
    let calls = "CALL_ANIMATION ( NAME ( x ) WAIT_FOR_COMPLETION ) ".repeat(255);
    assert_eq!(one(&calls).animation_references.len(), 255);
    let sequences = "SEQUENCE_DEFINITION ( ) ".repeat(255);
    assert_eq!(
        entries(&format!(
            "ANIMATION_DEFINITION ( NAME ( gate ) {sequences} )"
        ))[0]
            .sequences
            .len(),
        255
    );
}

#[test]
fn vectors_17_to_35_bodies_of_events() {
    for (text, expected) in vectors(include_str!("tests/vectors.txt")) {
        let (_, bytes) = event(text);
        let found: Vec<_> = expected
            .iter()
            .map(|(at, _)| (*at, word(&bytes, at.parse().unwrap())))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
    let (event, _) = event("SOUND ( NAME ( bang ) START_TIME ( EVENT_OFFSET 0.5 ) )");
    assert_eq!((event.start, event.time), (Start::Event, F32::from(0.5)));
    let d = one("IF ( NODE_UNDERCOVER ( door 4 ) )");
    assert_eq!(texts(&d, Array::Nodes), ["door"]);
    assert!(d.objects.is_none());
}

#[test]
fn a_pattern_does_not_make_more_bytes_than_are_allowed() {
    let many: Vec<String> = (0..1000).map(|i| format!("n{i:03}")).collect();
    let world = World::new(many.iter().map(|name| name.clone().into_bytes()));
    let calls = "CALLBACK ( VALUE ( 1 ) ) ".repeat(100);
    let bomb =
        format!("ANIMATION_DEFINITION ( NAME ( \"n***\" ) SEQUENCE_DEFINITION ( {calls} ) )");
    let options = |most_bytes| Options {
        world: Some(world.clone()),
        most_bytes,
        ..Options::default()
    };
    let made = compile_all(&bomb, &options(None)).unwrap();
    let bytes: usize = made.anim.unwrap().definitions.iter().map(Bytes::len).sum();
    assert!(bytes > 1_600_000);
    assert!(
        compile_all(&bomb, &options(Some(bytes as u64)))
            .unwrap()
            .anim
            .is_some()
    );
    let made = compile_all(&bomb, &options(Some(bytes as u64 / 2))).unwrap();
    assert!(made.anim.is_none());
    assert!(
        made.entries
            .iter()
            .filter_map(|entry| entry.error.as_ref())
            .all(|e| e.contains("more than"))
    );
    // The size of a pattern's entries is known from its first one: the others are not compiled.
    assert!(
        made.entries.len() == 1000
            && made
                .entries
                .iter()
                .all(|entry| entry.status == Status::Failed)
    );
    // refit writes more entries than Recoil's engine can count, with a finding, but not more than a
    // file can count.
    let plain = "ANIMATION_DEFINITION ( NAME ( \"n***\" ) ) ";
    let made = compile_all(&plain.repeat(32), &options(None)).unwrap();
    assert!(made.findings.is_empty() && made.anim.is_some());
    let made = compile_all(&plain.repeat(33), &options(None)).unwrap();
    assert_eq!(made.anim.unwrap().definitions.len(), 33_000);
    let found: Vec<_> = made
        .findings
        .iter()
        .map(|f| (f.code, f.severity, f.message.as_str()))
        .collect();
    let what = "the sources make 33000 definitions (the game counts at most 32766)";
    assert_eq!(found, [("animdef-limit", Severity::Refuses, what)]);
    let e = compile_all(&plain.repeat(66), &options(None))
        .err()
        .unwrap();
    assert!(
        e.kind() == ErrorKind::Limit && e.to_string().contains("at most 65534"),
        "{e}"
    );
}

/// Exceeding a limit is an error, and a finding with its own code. A value that is merely too large
/// is not.
#[test]
fn limits_are_findings() {
    let sequences = format!(
        "ANIMATION_DEFINITION ( NAME ( gate ) {} )",
        "SEQUENCE_DEFINITION ( ) ".repeat(256)
    );
    let sounds = gate(
        "",
        &(0..255)
            .map(|i| format!("SOUND ( NAME ( s{i} ) )"))
            .collect::<Vec<_>>()
            .join(" "),
    );
    let nodes = (0..255).map(|i| format!("OBJECT_ACTIVE_STATE ( STATE ( ACTIVE ) NAME ( n{i} ) )"));
    let nodes = gate("", &nodes.collect::<Vec<_>>().join(" "));
    let calls = gate(
        "",
        &"CALL_ANIMATION ( NAME ( x ) WAIT_FOR_COMPLETION ) ".repeat(256),
    );
    let needed = format!(
        "ACTIVATION_PREREQUISITE ( ANIMATION_LIST ( {} ) )",
        "a ".repeat(256)
    );
    let long = "a_name_of_thirty_two_letters_xxx";
    for (definition, what) in [
        (sequences.as_str(), "more than 255 sequences"),
        (&sounds, "more than 254 static sounds"),
        (&nodes, "more than 254 objects"),
        (&calls, "more than 255 animation references"),
        (&gate(&needed, ""), "more than 255 prerequisites"),
        (
            &gate(&format!("ANIMATION_NAME ( {long} )"), ""),
            "at most 31 fit",
        ),
        (
            &gate("", &format!("SOUND ( NAME ( {long} ) )")),
            "at most 31 fit",
        ),
        (&gate("", "LOOP ( LOOP_COUNT ( 65536 ) )"), "at most 65535"),
    ] {
        let compiled = compile_all(definition, &options()).unwrap();
        assert!(compiled.anim.is_none() && compiled.has_findings(), "{what}");
        let entry = compiled
            .entries
            .iter()
            .find(|entry| entry.status == Status::Failed)
            .unwrap();
        let found: Vec<_> = entry
            .findings
            .iter()
            .filter(|f| f.code == "animdef-limit")
            .collect();
        assert!(
            matches!(found.as_slice(), [one] if one.message.contains(what) && one.severity == Severity::Refuses),
            "{what}: {found:?}"
        );
        assert!(
            entry
                .error
                .as_ref()
                .is_some_and(|error| error.contains(what)),
            "{what}"
        );
    }
    let entry = first(&gate("EXECUTION_PRIORITY ( 256 )", ""));
    assert!(entry.findings.is_empty() && entry.error.is_some());
    // Findings from before the limit are still reported.
    let entry = first(&gate("HELTH ( 1 )", &format!("SOUND ( NAME ( {long} ) )")));
    assert_eq!(codes(&entry), ["animdef-unknown", "animdef-limit"]);
}

/// Names are relative to the root of all folders in the same way as to any other folder.
#[test]
fn sources_may_stand_in_the_uppermost_folder() {
    let list =
        "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION_FILE ( \"%.zrd\" ) ) )";
    let one = "ANIMATION_DEFINITION ( NAME ( a ) ANIMATION_NAME ( a ) ACTIVATION ( ON_CALL ) )";
    let inner = list.replace("%", "deep/more");
    let files = folder(&[
        ("anim.zrd", &list.replace("%", "defs/list")),
        ("defs/list.zrd", &inner),
        ("deep/more.zrd", &root(one)),
    ]);
    for base in ["/", "", "/work", "C:/work"] {
        let sources = Sources::read(
            vec![Root::of_paths(base, &files)],
            &[(0, "anim.zrd".into())],
            &|_| false,
        )
        .unwrap();
        let compiled = compile(&sources, None, &Options::default()).unwrap();
        assert_eq!(
            compiled.entries.len(),
            1,
            "{base:?}: {:?}",
            compiled.findings
        );
    }
}

#[test]
fn files_name_files() {
    let list = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("ANIMATION_DEFINITION_FILE ( \"{name}\" )"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let inner = |names: &[&str], definition: &str| {
        format!(
            "( ( ANIMATION_DEFINITIONS ( ANIMATION_LIST ( {} {definition} ) ) ) )\n",
            list(names)
        )
    };
    let files = folder(&[
        (
            "anim.zrd",
            &root(&list(&[
                "Sub.zrd",
                "..\\m1\\\\common\\other.zrd",
                "sub.zrd",
            ])),
        ),
        ("sub.zrd", &inner(&[], OPEN_GATE)),
        ("common/other.zrd", &inner(&["beside.zrd"], TURRET)),
        ("common/beside.zrd", &inner(&[], BLINK)),
    ]);
    let compiled = compile_files(&files, None, &options()).unwrap();
    let names: Vec<&str> = compiled
        .entries
        .iter()
        .map(|entry| entry.definition.as_str())
        .collect();
    // Depth first, in order; a file that is named twice counts twice.
    assert_eq!(
        names,
        [
            "open_gate",
            "blink1",
            "blink2",
            "destroy_turret",
            "open_gate"
        ]
    );
    // Two files of two lines each double with every step: this must end early.
    let bomb = folder(&[
        ("anim.zrd", &root(&list(&["f0.zrd"]))),
        ("f40.zrd", &inner(&[], OPEN_GATE)),
    ]);
    for i in 0..40 {
        let next = format!("f{}.zrd", i + 1);
        bomb.set(&format!("f{i}.zrd"), inner(&[&next, &next], ""));
    }
    assert!(
        compile_files(&bomb, None, &options())
            .err()
            .unwrap()
            .to_string()
            .contains("more than")
    );
}

#[test]
fn deep_lists_need_no_stack() {
    let deep = format!("{}{}", "( ".repeat(300_000), ") ".repeat(300_000));
    let text = root(&format!(
        "ANIMATION_DEFINITION ( NAME ( gate ) X ( {deep} ) SEQUENCE_DEFINITION ( SOUND ( NAME ( s ) {deep} ) ) )"
    ));
    let compiled = compile_files(&folder(&[("anim.zrd", &text)]), None, &options()).unwrap();
    assert!(compiled.anim.is_some());
    let outside = folder(&[(
        "anim.zrd",
        &format!(
            "{} {} {}\n",
            "( ".repeat(300_000),
            root(OPEN_GATE),
            ") ".repeat(300_000)
        ),
    )]);
    assert_eq!(
        compile_files(&outside, None, &options())
            .unwrap()
            .entries
            .len(),
        1
    );
}

/// 16 KB that make nearly a million definitions, and files with more values than they make.
#[test]
fn files_that_name_files_are_bounded_while_they_expand() {
    let inner = |names: &str, definitions: &str| {
        format!("ANIMATION_DEFINITIONS ( ANIMATION_LIST ( {names} {definitions} ) )\n")
    };
    let name =
        |to: &str, times: usize| format!("ANIMATION_DEFINITION_FILE ( {to}.zrd ) ").repeat(times);
    let wide = |definitions: &str| {
        folder(&[
            ("anim.zrd", &inner(&name("a", 64), "")),
            ("a.zrd", &inner(&name("b", 64), "")),
            ("b.zrd", &inner("", definitions)),
        ])
    };
    let e = compile_files(
        &wide(&"ANIMATION_DEFINITION ( NAME ( a ) ) ".repeat(200)),
        None,
        &Options::default(),
    )
    .err()
    .unwrap();
    assert!(
        e.kind() == ErrorKind::Limit && e.to_string().contains("more than 65534 definitions"),
        "{e}"
    );
    // Few definitions, but long ones.
    let long = gate("", &"CALLBACK ( VALUE ( 1 ) ) ".repeat(1000));
    let e = compile_files(&wide(&long), None, &Options::default())
        .err()
        .unwrap();
    assert!(
        e.kind() == ErrorKind::Limit && e.to_string().contains("named repeatedly"),
        "{e}"
    );
    // Patterns over a large world are counted while they are bound.
    let many = World::new((0..20_000).map(|i| format!("n{i:05}").into_bytes()));
    let patterns = "ANIMATION_DEFINITION ( NAME ( \"n*****\" ) ) ".repeat(5000);
    let e = compile_all(
        &patterns,
        &Options {
            world: Some(many),
            ..Options::default()
        },
    )
    .err()
    .unwrap();
    assert!(
        e.kind() == ErrorKind::Limit && e.to_string().contains("at most 65534"),
        "{e}"
    );
}

fn head(game: Game) -> Head {
    Head::new(
        Some(game),
        Format::Anim,
        Origin {
            file: "anim.zbd".into(),
            ..Origin::default()
        },
    )
}

/// Decompiles a file, compiles the result over a base or without one, and returns the bytes.
fn around(anim: Anim, over: bool, spelling: Spelling) -> (Vec<u8>, Decompiled) {
    let game = anim.game;
    let base = Base::new(anim).unwrap();
    let made = decompile(&base, head(game), "../anim.zbd", spelling, None).unwrap();
    let compiled =
        good(compile_files(&written(&made), over.then_some(&base), &Options::default()).unwrap());
    if over {
        assert!(
            compiled
                .entries
                .iter()
                .all(|entry| entry.status == Status::Equal),
            "{:?}",
            compiled.entries
        );
    }
    (compiled.anim.unwrap().write().unwrap(), made)
}

/// Definitions that use features of Recoil.
fn rich() -> String {
    format!(
        "{OPEN_GATE} {BLINK} {TURRET} {}",
        include_str!("tests/rich.zrd")
    )
}

/// Golden files: all animation files of the repository, and those of `REFIT_CORPUS` if it is set.
fn golden() -> Vec<(String, Bytes)> {
    let mut folders =
        vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden/anim")];
    folders.extend(std::env::var_os("REFIT_CORPUS").map(std::path::PathBuf::from));
    let mut out = Vec::new();
    for entry in folders.iter().flat_map(walkdir::WalkDir::new).flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "zbd")
            && let Ok(bytes) = std::fs::read(path)
            && bytes.starts_with(&refit_zipper::anim::header::SIGNATURE.to_le_bytes())
        {
            out.push((refit_base::path::shown(path), bytes.into()));
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
        let Ok(anim) = Anim::read(&bytes, None) else {
            continue;
        };
        let (again, made) = around(anim, true, Spelling::Json);
        assert!(again == bytes, "{path}");
        // Also as text, unless there is a float or a name that text cannot express.
        let anim = Anim::read(&bytes, None).unwrap();
        match decompile(
            &Base::new(anim).unwrap(),
            head(Game::Rc),
            "",
            Spelling::Zrd,
            None,
        ) {
            Ok(_) => {
                assert!(
                    around(Anim::read(&bytes, None).unwrap(), true, Spelling::Zrd).0 == bytes,
                    "{path} as text"
                )
            }
            Err(e) => unsaid.push((path.clone(), e.to_string())),
        }
        if made.raw > 0 {
            raw.push((
                path.rsplit('/').next().unwrap_or_default().to_owned(),
                made.raw,
            ));
        }
    }
    assert!(
        unsaid.iter().all(|(_, e)| e.contains("cannot express")),
        "{unsaid:?}"
    );
    assert!(
        std::env::var_os("REFIT_CORPUS").is_some() || unsaid.len() < 10,
        "{unsaid:?}"
    );
    // Only entries bound to no name, or to one with a star, are stored as bytes.
    assert!(
        std::env::var_os("REFIT_CORPUS").is_some()
            || raw == [("mw_names_unsafe.zbd".to_owned(), 2)],
        "{raw:?}"
    );
}

/// Output of refit and of Recoil's tool is not unusual: names with the rest of the filler, or with
/// zeros, and textures that continue without RESET.
#[test]
fn output_of_recoils_tool_is_regular() {
    let text = "ANIMATION_DEFINITIONS ( ANIMATION_LIST ( ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open ) \
        SEQUENCE_DEFINITION ( NAME ( main ) OBJECT_CYCLE_TEXTURE ( NAME ( gate ) ) OBJECT_CYCLE_TEXTURE ( RESET NAME ( \
        gate ) ) LIGHT_STATE ( NAME ( lamp ) ) ) ) ) )";
    let files = refit_base::tree::Folder::new();
    files.set("anim.zrd", text.as_bytes().to_vec());
    let sources = Sources::read(
        vec![Root::of_paths("/x", &files)],
        &[(0, "anim.zrd".to_owned())],
        &|_| false,
    )
    .unwrap();
    let file = File::from(
        compile(&sources, None, &Options::default())
            .unwrap()
            .anim
            .unwrap(),
    );
    assert_eq!(file.lint().unwrap(), []);
    // Names are written over the filler (kind N of the byte reference); the tool writes zeros after
    // them.
    let mut bytes = file.to_bytes().unwrap();
    let at = bytes
        .windows(17)
        .rposition(|w| w == b"gate\0lt_node_name")
        .unwrap();
    bytes[at + 5..at + 17].fill(0);
    assert_eq!(
        File::read(bytes.clone(), "anim.zbd")
            .unwrap()
            .lint()
            .unwrap(),
        []
    );
    // Other bytes after a name are reported.
    bytes[at + 20] = b'x';
    let found = File::read(bytes, "anim.zbd").unwrap().lint().unwrap();
    assert_eq!(
        found.iter().map(|finding| finding.code).collect::<Vec<_>>(),
        ["text-tail"],
        "{found:?}"
    );
}
