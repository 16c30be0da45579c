//! Definitions in projects: a second view of an animation file, beside its tree. What was edited in either goes into the file of the game,
//! and neither edit overwrites the other.

use roundtrip_tests::process::{err, out, program, run, snapshot};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

const SOURCE: &str = "ANIMATION_DEFINITIONS (
  ANIMATION_LIST (
    ANIMATION_DEFINITION ( NAME ( gate ) ANIMATION_NAME ( open_gate ) HEALTH ( 6 ) RESET_TIME ( -1 )
      SEQUENCE_DEFINITION ( NAME ( open ) OBJECT_ACTIVE_STATE ( NAME ( gate ) STATE ( ACTIVE ) ) ) )
    ANIMATION_DEFINITION ( NAME ( door ) ANIMATION_NAME ( open_door ) HEALTH ( 7 ) RESET_TIME ( -1 )
      SEQUENCE_DEFINITION ( NAME ( open ) OBJECT_ACTIVE_STATE ( NAME ( door ) STATE ( ACTIVE ) ) ) )
    ANIMATION_DEFINITION ( NAME ( lamp ) ANIMATION_NAME ( blink ) HEALTH ( 8 ) RESET_TIME ( -1 )
      SEQUENCE_DEFINITION ( NAME ( on ) OBJECT_ACTIVE_STATE ( NAME ( lamp ) STATE ( ACTIVE ) ) ) ) ) )
";

const FILE: &str = "game/zbd/m1/anim.zbd";
const WORLD: &str = "game/zbd/m1/gamez.zbd";
const TREE: &str = "mod/zbd/m1/anim.zbd";
const DEFS: &str = "mod/defs/m1";

/// A game with an animation file, the project of it, and the definitions of the file in it.
fn project() -> tempfile::TempDir {
    project_with(&[])
}

/// The same, with a world of nodes of these names, unless there are none.
fn project_with(nodes: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    fs::create_dir_all(at.join("source")).unwrap();
    fs::create_dir_all(at.join("game/zbd/m1")).unwrap();
    fs::write(at.join("source/anim.zrd"), SOURCE).unwrap();
    run(at, &format!("anim compile source -o {FILE}")).code(0);
    fs::copy(at.join(FILE), at.join("original.zbd")).unwrap();
    if !nodes.is_empty() {
        fs::write(at.join(WORLD), roundtrip_tests::games::world("rc", nodes, &[])).unwrap();
    }
    run(at, "unpack game -o mod").code(0);
    run(at, &format!("anim decompile {TREE} -o {DEFS}")).code(0);
    dir
}

/// Replaces what stands once in a file.
fn edit(dir: &Path, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(dir.join(path)).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from:?} in {path}:\n{text}");
    fs::write(dir.join(path), text.replacen(from, to, 1)).unwrap();
}

fn health(dir: &Path, definition: &str, from: &str, to: &str) {
    edit(dir, &format!("{DEFS}/{definition}.zrd.json"), &format!("\"HEALTH\", [{from}]"), &format!("\"HEALTH\", [{to}]"));
}

/// The game's file, and what is expected of it: the original with these documents edited.
fn is_made(dir: &Path, edits: &[(&str, &str, &str)]) {
    let _ = fs::remove_dir_all(dir.join("expected"));
    run(dir, "unpack original.zbd -o expected --force").code(0);
    for (document, from, to) in edits {
        edit(dir, &format!("expected/defs/{document}.json"), from, to);
    }
    run(dir, "repack expected -o expected.zbd --force --no-backup").code(0);
    assert!(fs::read(dir.join("expected.zbd")).unwrap() == fs::read(dir.join(FILE)).unwrap(), "{edits:?}");
}

/// How a document of the tree says the health.
fn in_tree(value: &str) -> String {
    format!("\"health\": {value}")
}

fn documents(dir: &Path) -> String {
    fs::read_to_string(dir.join(TREE).join("defs/open_gate.json")).unwrap()
}

#[test]
fn edited_definitions_of_a_project_go_into_the_game() {
    let dir = project();
    let at = dir.path();
    assert!(out(&run(at, "status mod").code(0)).contains("mod: as it was unpacked"));
    assert!(out(&run(at, "repack mod").code(0)).contains("0 put in place, 1 not edited"));
    health(at, "gate", "6.0", "60.5");
    let status = out(&run(at, "status mod").code(3));
    assert!(status.contains(&format!("modified  {DEFS}/gate.zrd.json\n")) && status.contains("1 file edited, in 1 tree"), "{status}");
    let before = snapshot(at);
    let dry = out(&run(at, "repack mod --dry-run").code(0));
    assert!(dry.contains("definitions: 2 equal, 1 changed"), "{dry}");
    assert_eq!(snapshot(at), before);
    run(at, "repack mod").code(0);
    // As the compiler makes it of the same folder.
    run(at, &format!("anim compile {DEFS} -o compiled.zbd --base original.zbd")).code(0);
    assert!(fs::read(at.join("compiled.zbd")).unwrap() == fs::read(at.join(FILE)).unwrap());
    assert!(fs::read(at.join(FILE)).unwrap() != fs::read(at.join("original.zbd")).unwrap());
    // Taken back there, taken back in the game.
    health(at, "gate", "60.5", "6.0");
    let back = out(&run(at, "repack mod").code(0));
    assert!(back.contains("the original again"), "{back}");
    assert!(fs::read(at.join(FILE)).unwrap() == fs::read(at.join("original.zbd")).unwrap());
    // Made of the game's file instead of the tree, they are of the same tree.
    fs::remove_dir_all(at.join("mod/defs")).unwrap();
    run(at, &format!("anim decompile {FILE} -o mod/other")).code(0);
    edit(at, "mod/other/lamp.zrd.json", "\"HEALTH\", [8.0]", "\"HEALTH\", [80.0]");
    assert!(out(&run(at, "status mod").code(3)).contains("modified  mod/other/lamp.zrd.json"));
    run(at, "repack mod").code(0);
    run(at, "anim compile mod/other -o compiled.zbd --base original.zbd --force").code(0);
    assert!(fs::read(at.join("compiled.zbd")).unwrap() == fs::read(at.join(FILE)).unwrap());
    // What cannot be compiled leaves everything as it is.
    let before = snapshot(&at.join("game"));
    edit(at, "mod/other/lamp.zrd.json", "[80.0]", "[\"much\"]");
    let errors = err(&run(at, "repack mod").code(1));
    assert!(errors.contains("HEALTH") && errors.contains("lamp.zrd.json") && errors.contains("nothing was put in place"), "{errors}");
    let refused = errors.lines().find(|line| line.contains("lamp.zrd.json")).unwrap();
    for line in ["status mod", "lint mod"] {
        assert!(err(&run(at, line).code(1)).lines().any(|line| line == refused), "{line}: {refused}");
    }
    assert_eq!(snapshot(&at.join("game")), before);
}

#[test]
fn edits_of_a_tree_and_of_its_definitions_meet_in_the_file() {
    let dir = project();
    let at = dir.path();
    assert!(documents(at).contains(&in_tree("6.0")), "{}", documents(at));
    // Another entry each.
    health(at, "gate", "6.0", "60.5");
    edit(at, &format!("{TREE}/defs/open_door.json"), &in_tree("7.0"), &in_tree("70.5"));
    assert!(out(&run(at, "status mod").code(3)).contains("2 files edited, in 2 trees"));
    run(at, "repack mod").code(0);
    run(at, &format!("anim compile {DEFS} -o compiled.zbd --base original.zbd")).code(0);
    run(at, "unpack compiled.zbd -o both").code(0);
    edit(at, "both/defs/open_door.json", &in_tree("7.0"), &in_tree("70.5"));
    run(at, "repack both -o both.zbd").code(0);
    assert!(fs::read(at.join("both.zbd")).unwrap() == fs::read(at.join(FILE)).unwrap());
    // Another field of the same entry.
    edit(at, &format!("{TREE}/defs/open_gate.json"), "\"reset_time\": -1.0", "\"reset_time\": 2.5");
    run(at, "repack mod").code(0);
    run(at, "unpack game/zbd/m1/anim.zbd -o made").code(0);
    let gate = fs::read_to_string(at.join("made/defs/open_gate.json")).unwrap();
    assert!(gate.contains(&in_tree("60.5")) && gate.contains("\"reset_time\": 2.5"), "{gate}");
    assert!(fs::read_to_string(at.join("made/defs/open_door.json")).unwrap().contains(&in_tree("70.5")));
    // The same field: nobody's edit is lost, and nothing is put in place.
    edit(at, &format!("{TREE}/defs/open_gate.json"), &in_tree("6.0"), &in_tree("61.0"));
    let before = snapshot(&at.join("game"));
    let told = err(&run(at, "repack mod").code(1));
    assert!(told.contains("want different things") && told.contains("60.5") && told.contains("61.0"), "{told}");
    assert!(told.contains("open_gate") && told.contains("nothing was put in place"), "{told}");
    assert_eq!(snapshot(&at.join("game")), before);
    // The same value is no conflict.
    edit(at, &format!("{TREE}/defs/open_gate.json"), &in_tree("61.0"), &in_tree("60.5"));
    run(at, "repack mod").code(0);
    // Without the file that both came from nobody can tell which is an edit.
    fs::remove_file(at.join("game/zbd/m1/anim.zbd.orig")).unwrap();
    let told = err(&run(at, "repack mod --force").code(1));
    assert!(told.contains("is not at hand"), "{told}");
}

#[test]
fn nothing_is_made_of_a_project_without_its_edited_definitions() {
    let dir = project();
    let at = dir.path();
    edit(at, &format!("{TREE}/defs/open_door.json"), &in_tree("7.0"), &in_tree("70.5"));
    run(at, "mod make game mod -o trees.refitmod").code(0);
    assert_eq!(err(&run(at, "diff game mod").code(3)), "");
    health(at, "gate", "6.0", "60.5");
    let told = err(&run(at, "mod make game mod -o x.refitmod").code(1));
    assert!(told.contains(DEFS) && told.contains("refit repack mod -o FOLDER"), "{told}");
    assert!(!at.join("x.refitmod").exists());
    let told = err(&run(at, "diff game mod").code(3));
    assert!(told.contains(DEFS) && told.contains("the trees alone are compared"), "{told}");
    // As it says: of the files.
    run(at, "repack mod -o both").code(0);
    run(at, "mod make game both -o both.refitmod").code(0);
    run(at, "mod apply both.refitmod --to game").code(0);
    assert!(fs::read(at.join("both/zbd/m1/anim.zbd")).unwrap() == fs::read(at.join(FILE)).unwrap());
}

#[test]
fn definitions_that_no_file_or_two_have_are_told() {
    let dir = project();
    let at = dir.path();
    fs::write(at.join("source/anim.zrd"), SOURCE.replace("HEALTH ( 8 )", "HEALTH ( 9 )")).unwrap();
    run(at, "anim compile source -o other.zbd").code(0);
    run(at, "anim decompile other.zbd -o mod/stray").code(0);
    for line in ["status mod", "repack mod"] {
        let told = err(&run(at, line).code(0));
        assert!(told.contains("mod/stray: definitions of no file of the project"), "{told}");
    }
    // It is no tree of the game, either.
    assert!(!out(&run(at, "status mod").code(0)).contains("added"));
    run(at, &format!("anim decompile {TREE} -o mod/again")).code(0);
    for line in ["status mod", "repack mod", "watch mod"] {
        let told = err(&run(at, line).code(1));
        assert!(told.contains("two folders of definitions are of zbd/m1/anim.zbd: again and defs/m1"), "{line}: {told}");
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watched_project_compiles_its_definitions_on_every_save() {
    let dir = project();
    let at = dir.path();
    let mut command = Command::new(program());
    command.current_dir(at).args(["watch", "mod", "--poll", "20"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("watching mod"));
    health(at, "gate", "6.0", "60.5");
    let built = lines.next().unwrap().unwrap();
    assert!(built.contains("1 changed") && built.contains("gate.zrd.json"), "{built}");
    is_made_of_definitions(at);
    health(at, "lamp", "8.0", "80.5");
    assert!(lines.next().unwrap().unwrap().contains("2 changed"));
    is_made_of_definitions(at);
    // The tree as well.
    edit(at, &format!("{TREE}/defs/open_door.json"), &in_tree("7.0"), &in_tree("70.5"));
    assert!(lines.next().unwrap().unwrap().contains("open_door.json"));
    let both = fs::read(at.join(FILE)).unwrap();
    drop(run(at, "repack mod").code(0));
    assert!(fs::read(at.join(FILE)).unwrap() == both, "repack makes the same");
    // The same field in both: the last good file stays.
    edit(at, &format!("{TREE}/defs/open_gate.json"), &in_tree("6.0"), &in_tree("61.0"));
    let told = errors.next().unwrap().unwrap();
    assert!(told.contains("want different things") && told.contains("stays as it is"), "{told}");
    assert!(fs::read(at.join(FILE)).unwrap() == both);
    health(at, "gate", "60.5", "6.0");
    let began = Instant::now();
    while fs::read(at.join(FILE)).unwrap() == both {
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(lines.next().unwrap().unwrap().contains("gate.zrd.json"));
    drop(running);
    let made = fs::read(at.join(FILE)).unwrap();
    run(at, "repack mod").code(0);
    assert!(fs::read(at.join(FILE)).unwrap() == made);
    // Everything undone: the original.
    health(at, "lamp", "80.5", "8.0");
    edit(at, &format!("{TREE}/defs/open_door.json"), &in_tree("70.5"), &in_tree("7.0"));
    edit(at, &format!("{TREE}/defs/open_gate.json"), &in_tree("61.0"), &in_tree("6.0"));
    run(at, "repack mod").code(0);
    is_made(at, &[]);
}

fn is_made_of_definitions(dir: &Path) {
    run(dir, &format!("anim compile {DEFS} -o compiled.zbd --base original.zbd --force")).code(0);
    assert!(fs::read(dir.join("compiled.zbd")).unwrap() == fs::read(dir.join(FILE)).unwrap());
}

/// The project reports a misspelt node, because it holds the world.
#[test]
fn definitions_of_a_project_know_its_world() {
    let dir = project_with(&["gate", "door", "lamp"]);
    let at = dir.path();
    health(at, "gate", "6.0", "60.5");
    assert!(!err(&run(at, "repack mod").code(0)).contains("node"));
    edit(at, &format!("{DEFS}/gate.zrd.json"), "\"ACTIVE\"], \"NAME\", [\"gate\"]", "\"ACTIVE\"], \"NAME\", [\"gaet\"]");
    for line in ["status mod", "repack mod --dry-run", "repack mod"] {
        let told = err(&run(at, line).code(3));
        assert!(told.contains("the world has no node \"gaet\"") && told.contains(DEFS), "{line}: {told}");
    }
    for line in ["lint mod", "lint mod --new", "lint mod --since mod", "lint mod --json"] {
        let output = out(&run(at, line).code(3));
        assert!(output.contains("the world has no node") && output.contains(DEFS), "{line}: {output}");
    }
    // What the world gets, it has.
    fs::write(at.join(WORLD), roundtrip_tests::games::world("rc", &["gate", "door", "lamp", "gaet"], &[])).unwrap();
    run(at, "unpack game/zbd/m1/gamez.zbd -o mod/zbd/m1/gamez.zbd --force").code(0);
    assert!(!err(&run(at, "repack mod --force").code(0)).contains("the world has no node"));
}

/// The folder of definitions of a project can be named itself.
#[test]
fn definitions_of_a_project_are_watched_by_their_own_name() {
    let dir = project();
    let at = dir.path();
    let mut command = Command::new(program());
    command.current_dir(at).args(["watch", DEFS, "--poll", "20"]).stdout(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("watching mod/defs/m1"));
    health(at, "gate", "6.0", "60.5");
    assert!(lines.next().unwrap().unwrap().contains("gate.zrd.json"));
    is_made_of_definitions(at);
}
