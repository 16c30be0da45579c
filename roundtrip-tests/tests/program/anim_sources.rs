//! `refit anim` as a process: the times of sources, and `watch`. Its output is tested in
//! `roundtrip-tests/cases/compile`.

use roundtrip_tests::{process::run, root};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
};

/// A folder with an animation file of Recoil that has residue, addresses and saved transforms.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(
        root().join("golden/anim/rc_sequences.zbd"),
        dir.path().join("anim.zbd"),
    )
    .unwrap();
    dir
}

fn write(dir: &Path, path: &str, text: &str) {
    fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
    fs::write(dir.join(path), text).unwrap();
}

const GATE: &str = "ANIMATION_DEFINITIONS (
  GRAVITY ( -9.8 )
  ANIMATION_LIST (
    ANIMATION_DEFINITION (
      NAME ( gate ) ANIMATION_NAME ( open_gate ) ACTIVATION ( ON_CALL ) RESET_TIME ( -1 )
      SEQUENCE_DEFINITION ( NAME ( open )
        SOUND ( NAME ( creak ) AT_NODE ( gate 0 1 0 ) )
        OBJECT_MOTION_FROM_TO ( NAME ( gate ) ROTATE_FROM ( 0 0 0 ) ROTATE_TO ( 0 90 0 ) RUN_TIME ( 2 ) ) ) ) ) )
";

/// A file of Recoil that lists its sources, one of them by a path of the studio.
fn with_list(dir: &Path) -> Vec<u8> {
    write(dir, "defs/anim.zrd", GATE);
    run(dir, "anim compile defs -o bare.zbd").code(0);
    let mut bytes = fs::read(dir.join("bare.zbd")).unwrap();
    bytes[8] = 2;
    let row = |path: &str, time: u32| {
        let mut row = vec![0xcd; 84];
        row[..path.len()].copy_from_slice(path.as_bytes());
        row[path.len()] = 0;
        row[80..].copy_from_slice(&time.to_le_bytes());
        row
    };
    let rows = [
        row("..\\data\\m1\\zrdr\\Anim.zrd", 7),
        row("..\\data\\m1\\zrdr\\copter.zan", 8),
    ]
    .concat();
    bytes.splice(12..12, rows);
    fs::write(dir.join("anim.zbd"), &bytes).unwrap();
    bytes
}

#[test]
fn the_list_of_source_files_is_kept_updated_or_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let bytes = with_list(dir);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(0x3344_5566);
    fs::File::options()
        .write(true)
        .open(dir.join("defs/anim.zrd"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    let compiled = |stamps: &str| {
        run(
            dir,
            &format!("anim compile defs -o new.zbd --base anim.zbd --force{stamps}"),
        )
        .code(0);
        fs::read(dir.join("new.zbd")).unwrap()
    };
    assert!(compiled("") == bytes && compiled(" --stamps keep") == bytes);
    // The time of an existing file; the bytes after the path, and the time of a missing one, stay.
    let mut expected = bytes.clone();
    expected[12 + 80..12 + 84].copy_from_slice(&0x3344_5566u32.to_le_bytes());
    assert!(compiled(" --stamps update") == expected);
    let mut expected = bytes.clone();
    expected[8] = 0;
    expected.drain(12..12 + 2 * 84);
    assert!(compiled(" --stamps none") == expected);
}

/// A program that is ended when the test is over.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watched_folder_of_definitions_is_compiled_on_every_save() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir_all(dir.join("game/m1")).unwrap();
    fs::copy(dir.join("anim.zbd"), dir.join("game/m1/anim.zbd")).unwrap();
    let original = fs::read(dir.join("anim.zbd")).unwrap();
    run(dir, "anim decompile game/m1/anim.zbd -o defs").code(0);
    // One value of one definition, as `anim compile` writes it.
    let (path, text) = fs::read_dir(dir.join("defs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.is_file() && !path.ends_with("refit.json") && !path.ends_with("anim.zrd.json")
        })
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .find(|(_, text)| text.contains("\"RESET_TIME\""))
        .unwrap();
    let edited = text.replacen("\"RESET_TIME\"", "\"HEALTH\", [77.5], \"RESET_TIME\"", 1);
    let mut command = std::process::Command::new(roundtrip_tests::process::program());
    command
        .current_dir(dir)
        .args(["watch", "defs", "--poll", "20"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let mut errors = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let watching = lines.next().unwrap().unwrap();
    assert!(watching.starts_with("watching defs"), "{watching}");
    fs::write(&path, &edited).unwrap();
    let built = lines.next().unwrap().unwrap();
    assert!(
        built.contains("1 changed") && built.contains("anim.zbd"),
        "{built}"
    );
    let game = || fs::read(dir.join("game/m1/anim.zbd")).unwrap();
    run(dir, "anim compile defs -o expected.zbd --base anim.zbd").code(3);
    let expected = fs::read(dir.join("expected.zbd")).unwrap();
    assert!(expected != original && game() == expected);
    assert!(fs::read(dir.join("game/m1/anim.zbd.orig")).unwrap() == original);
    // Sources with errors leave the last good file.
    fs::write(
        &path,
        edited.replace("\"HEALTH\", [77.5]", "\"HEALTH\", [\"much\"]"),
    )
    .unwrap();
    let printed = errors.next().unwrap().unwrap();
    assert!(
        printed.contains("HEALTH") && printed.contains("stays unchanged"),
        "{printed}"
    );
    assert!(game() == expected);
    // Undone: the original again, byte for byte.
    fs::write(&path, &text).unwrap();
    let began = std::time::Instant::now();
    while game() != original {
        assert!(began.elapsed() < std::time::Duration::from_secs(30));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(running);
    // Started again, it compiles over the original, which is kept next to the file.
    fs::write(&path, &edited).unwrap();
    let mut command = std::process::Command::new(roundtrip_tests::process::program());
    command
        .current_dir(dir)
        .args(["watch", "defs", "--poll", "20"])
        .stdout(std::process::Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let first = BufReader::new(running.0.stdout.take().unwrap())
        .lines()
        .next()
        .unwrap()
        .unwrap();
    assert!(
        first.contains("earlier edits") && game() == expected,
        "{first}"
    );
}
