//! Definitions in projects that are watched. `repack`, `status` and `lint` are in
//! `roundtrip-tests/cases/definitions`.

use roundtrip_tests::process::{copy_folder, program, run};
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
const TREE: &str = "mod/zbd/m1/anim.zbd";
const DEFS: &str = "mod/defs/m1";

/// A game with an animation file, its project, and the definitions of the file in it.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    fs::create_dir_all(at.join("source")).unwrap();
    fs::create_dir_all(at.join("game/zbd/m1")).unwrap();
    fs::write(at.join("source/anim.zrd"), SOURCE).unwrap();
    run(at, &format!("anim compile source -o {FILE}")).code(0);
    fs::copy(at.join(FILE), at.join("original.zbd")).unwrap();
    run(at, "unpack game -o mod").code(0);
    run(at, &format!("anim decompile {TREE} -o {DEFS}")).code(0);
    dir
}

/// Replaces a text that occurs once in a file.
fn edit(dir: &Path, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(dir.join(path)).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from:?} in {path}:\n{text}");
    fs::write(dir.join(path), text.replacen(from, to, 1)).unwrap();
}

fn health(dir: &Path, definition: &str, from: &str, to: &str) {
    edit(
        dir,
        &format!("{DEFS}/{definition}.zrd.json"),
        &format!("\"HEALTH\", [{from}]"),
        &format!("\"HEALTH\", [{to}]"),
    );
}

/// The health in a document of the tree.
fn in_tree(value: &str) -> String {
    format!("\"health\": {value}")
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `refit watch`, whose outputs are read.
fn watching(at: &Path, what: &str, more: &[&str]) -> Running {
    let mut command = Command::new(program());
    command.current_dir(at).args(["watch", what]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Running(command.spawn().unwrap())
}

/// `--run` sees the built file, and is started again after the next build.
#[cfg(unix)]
#[test]
fn a_command_runs_after_each_build() {
    let dir = project();
    let at = dir.path();
    let run = "wc -c < \"$REFIT_FILE\"; false";
    let mut running = watching(at, "mod", &["--poll", "20", "--run", run]);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    assert!(line().starts_with("watching mod"));
    for value in ["60.5", "61.5"] {
        let from = if value == "60.5" { "6.0" } else { "60.5" };
        health(at, "gate", from, value);
        assert!(line().contains("gate.zrd.json"));
        let bytes = fs::metadata(at.join(FILE)).unwrap().len();
        assert_eq!(line().trim(), bytes.to_string());
        assert!(errors.next().unwrap().unwrap().contains("exit status: 1"));
    }
}

#[test]
fn a_watched_project_compiles_its_definitions_on_every_save() {
    let dir = project();
    let at = dir.path();
    let mut running = watching(at, "mod", &["--poll", "20"]);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("watching mod"));
    health(at, "gate", "6.0", "60.5");
    let built = lines.next().unwrap().unwrap();
    assert!(
        built.contains("1 changed") && built.contains("gate.zrd.json"),
        "{built}"
    );
    is_made_of_definitions(at);
    health(at, "lamp", "8.0", "80.5");
    assert!(lines.next().unwrap().unwrap().contains("2 changed"));
    is_made_of_definitions(at);
    // The tree as well.
    edit(
        at,
        &format!("{TREE}/defs/open_door.json"),
        &in_tree("7.0"),
        &in_tree("70.5"),
    );
    assert!(lines.next().unwrap().unwrap().contains("open_door.json"));
    let both = fs::read(at.join(FILE)).unwrap();
    drop(run(at, "repack mod").code(0));
    assert!(
        fs::read(at.join(FILE)).unwrap() == both,
        "repack makes the same"
    );
    // The same field in both: the last good file stays.
    edit(
        at,
        &format!("{TREE}/defs/open_gate.json"),
        &in_tree("6.0"),
        &in_tree("61.0"),
    );
    let printed = errors.next().unwrap().unwrap();
    assert!(
        printed.contains(" conflict: ") && printed.contains("stays unchanged"),
        "{printed}"
    );
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
    edit(
        at,
        &format!("{TREE}/defs/open_door.json"),
        &in_tree("70.5"),
        &in_tree("7.0"),
    );
    edit(
        at,
        &format!("{TREE}/defs/open_gate.json"),
        &in_tree("61.0"),
        &in_tree("6.0"),
    );
    run(at, "repack mod").code(0);
    assert!(fs::read(at.join("original.zbd")).unwrap() == fs::read(at.join(FILE)).unwrap());
}

fn is_made_of_definitions(dir: &Path) {
    run(
        dir,
        &format!("anim compile {DEFS} -o compiled.zbd --base original.zbd --force"),
    )
    .code(0);
    assert!(fs::read(dir.join("compiled.zbd")).unwrap() == fs::read(dir.join(FILE)).unwrap());
}

/// The folder of definitions of a project can be named itself.
#[test]
fn definitions_of_a_project_are_watched_by_their_own_name() {
    let dir = project();
    let at = dir.path();
    let mut running = watching(at, DEFS, &["--poll", "20"]);
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    assert!(
        lines
            .next()
            .unwrap()
            .unwrap()
            .starts_with("watching mod/defs/m1")
    );
    health(at, "gate", "6.0", "60.5");
    assert!(lines.next().unwrap().unwrap().contains("gate.zrd.json"));
    is_made_of_definitions(at);
}

/// Definitions, a copied tree and a copied project that appear while a project is watched, and a
/// new tree that disappears. Waits for what is printed, never for a time.
#[test]
fn a_watched_project_takes_in_what_appears_and_lets_go_what_disappears() {
    for poll in [&[][..], &["--poll", "20"]] {
        let dir = project();
        let at = dir.path();
        std::fs::rename(at.join(DEFS), at.join("away")).unwrap();
        let mut running = watching(at, "mod", poll);
        let (sender, said) = std::sync::mpsc::channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] = [
            Box::new(running.0.stdout.take().unwrap()),
            Box::new(running.0.stderr.take().unwrap()),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                BufReader::new(stream)
                    .lines()
                    .map_while(Result::ok)
                    .for_each(|line| _ = sender.send(line))
            });
        }
        // Everything that is printed up to a line with these texts.
        let printed = |texts: &[&str]| {
            let mut all: Vec<String> = Vec::new();
            loop {
                let line = said
                    .recv_timeout(std::time::Duration::from_secs(60))
                    .unwrap_or_else(|e| panic!("{poll:?}: {texts:?}: {e}: {all:#?}"));
                let is_it = texts.iter().all(|text| line.contains(text));
                all.push(line);
                if is_it {
                    return all.join("\n");
                }
            }
        };
        printed(&["watching mod"]);
        // Definitions, which are edited afterwards.
        run(at, &format!("anim decompile {TREE} -o {DEFS} -q")).code(0);
        printed(&["defs", "is new, and is watched, too"]);
        health(at, "gate", "6.0", "60.5");
        printed(&["1 changed"]);
        is_made_of_definitions(at);
        let made = fs::read(at.join(FILE)).unwrap();
        // A copied tree is a new file of the game.
        let (tree, file) = (
            at.join("mod/zbd/m9/anim.zbd"),
            at.join("game/zbd/m9/anim.zbd"),
        );
        copy_folder(&at.join(TREE), &tree);
        printed(&["m9", "is new, and is watched, too"]);
        printed(&["m9", "anim.zbd (", "earlier edits"]);
        assert!(file.is_file());
        // It disappears: that is no error, and the game keeps the file until `restore`.
        let was = fs::read(&file).unwrap();
        fs::remove_dir_all(at.join("mod/zbd/m9")).unwrap();
        let all = printed(&["m9", "is gone; the game keeps its file"]);
        assert!(!all.contains("error"), "{all}");
        assert_eq!(fs::read(&file).unwrap(), was);
        // Definitions that disappear do not count any more: the tree alone makes the file.
        fs::remove_dir_all(at.join("mod/defs")).unwrap();
        printed(&["defs", "is gone"]);
        printed(&["anim.zbd ("]);
        assert!(fs::read(at.join(FILE)).unwrap() != made);
        // A copy of the whole project beside it is another project.
        copy_folder(&at.join("mod"), &at.join("copy"));
        edit(
            at,
            &format!("{TREE}/defs/open_door.json"),
            &in_tree("7.0"),
            &in_tree("70.5"),
        );
        let all = printed(&["open_door.json"]);
        assert!(!all.contains("replaced by another folder"), "{all}");
        assert!(!all.contains("error"), "{all}");
        assert_eq!(fs::read(&file).unwrap(), was);
    }
}
