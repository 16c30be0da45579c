//! The program as a process: arguments, output, exit codes, and the files on the disk afterwards,
//! even if it was killed.

use assert_cmd::assert::Assert;
use roundtrip_tests::process::{archive, err, list, names, out, program, run, snapshot};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

fn objects(assert: &Assert) -> Vec<Value> {
    out(assert)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn plain() -> Vec<u8> {
    archive(&[
        ("Keys.zrd", &list(&[156, 30])),
        ("axes.zrd", &list(&[7])),
        ("twin.zrd", &list(&[1])),
        ("twin.zrd", &list(&[2])),
    ])
}

/// An archive that takes a while: many members of a size that a disk notices.
fn big() -> Vec<u8> {
    let members: Vec<(String, Vec<u8>)> = (0..800u32)
        .map(|i| {
            (
                format!("m{i:04}.zrd"),
                list(&(0..600).map(|n| n * i).collect::<Vec<_>>()),
            )
        })
        .collect();
    archive(
        &members
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect::<Vec<_>>(),
    )
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn with_plain() -> (tempfile::TempDir, PathBuf) {
    let dir = folder();
    let file = dir.path().join("reader.zbd");
    fs::write(&file, plain()).unwrap();
    (dir, file)
}

/// Archives above 8 MiB are left on disk while they are worked on.
#[test]
fn a_large_pbo_is_worked_on_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("addon")).unwrap();
    let noise: Vec<u8> = (0..1_500_000u32)
        .flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_be_bytes())
        .collect();
    fs::write(at("addon/a.paa"), &noise).unwrap();
    fs::write(at("addon/b.paa"), &noise[..5_000_000]).unwrap();
    fs::write(at("addon/c.sqf"), "hint \"c\";\n".repeat(9)).unwrap();
    run(
        dir.path(),
        "repack addon --format pbo --compress *.sqf --prefix x",
    )
    .code(0);
    let bytes = fs::read(at("addon.pbo")).unwrap();
    assert!(bytes.len() > 11_000_000);
    run(dir.path(), "verify addon.pbo").code(0);
    // The packed script is a finding, and the only one.
    let found = objects(&run(dir.path(), "lint addon.pbo --json").code(3));
    assert_eq!((found.len(), &found[0]["code"]), (1, &"pbo-packed".into()));
    let info = objects(&run(dir.path(), "info --json addon.pbo").code(0));
    assert_eq!(
        (&info[0]["status"], &info[0]["info"]["trailer"]),
        (&"exact".into(), &"SHA-1, right".into())
    );
    assert_eq!(
        out(&run(dir.path(), "get addon.pbo c.sqf").code(0)),
        "hint \"c\";\n".repeat(9)
    );
    let unpacked = objects(&run(dir.path(), "unpack addon.pbo -o tree --json").code(0));
    assert_eq!(
        unpacked[0]["sha256"].as_str(),
        Some(refit::sha256(&bytes).as_str())
    );
    assert!(fs::read(at("tree/files/b.paa")).unwrap() == noise[..5_000_000]);
    run(dir.path(), "status tree").code(0);
    run(dir.path(), "repack tree --force -o addon.pbo").code(0);
    assert!(fs::read(at("addon.pbo")).unwrap() == bytes);
    // In place, while it is open.
    fs::write(at("new"), [1, 2, 3]).unwrap();
    run(dir.path(), "put addon.pbo b.paa new").code(0);
    assert!(
        fs::read(at("addon.pbo")).unwrap().len() < 7_000_000
            && fs::read(at("addon.pbo.orig")).unwrap() == bytes
    );
    run(dir.path(), "restore addon.pbo").code(0);
    assert!(fs::read(at("addon.pbo")).unwrap() == bytes);
    // Damaged, it is refused or kept, as a small one is.
    fs::write(at("cut.pbo"), &bytes[..bytes.len() - 100]).unwrap();
    assert!(err(&run(dir.path(), "verify cut.pbo").code(1)).contains("cut.pbo: entries"));
    fs::write(at("wrong.pbo"), [&bytes[..bytes.len() - 1], b"?"].concat()).unwrap();
    run(dir.path(), "unpack wrong.pbo").code(0);
    run(dir.path(), "repack wrong -o same.pbo").code(0);
    assert!(fs::read(at("same.pbo")).unwrap() == fs::read(at("wrong.pbo")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("x.pbo");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../golden/pbo/signed.pbo");
    let writer = std::thread::spawn(move || fs::copy(golden, pipe));
    assert!(out(&run(dir.path(), "list x.pbo").code(0)).contains("fnc_init.sqf"));
    writer.join().unwrap().unwrap();
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    for line in [
        "list big.zbd",
        "get big.zbd #0",
        "verify big.zbd",
        "info big.zbd --json",
    ] {
        let mut child = std::process::Command::new(program())
            .current_dir(dir.path())
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
        assert_eq!(output.status.code(), Some(0), "{line}");
    }
}

/// G5: commands that write files continue, and the exit code covers the whole work.
#[test]
fn a_closed_pipe_does_not_end_the_work() {
    let dir = folder();
    for n in 0..40 {
        fs::create_dir_all(dir.path().join(format!("game/c{n}"))).unwrap();
        fs::write(dir.path().join(format!("game/c{n}/reader.zbd")), plain()).unwrap();
    }
    let closed = |line: &str| {
        let mut command = std::process::Command::new(program());
        command
            .current_dir(dir.path())
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        child.wait_with_output().unwrap().status.code()
    };
    fs::write(dir.path().join("game/c0/other.zbd"), "").unwrap();
    for option in ["", " --json"] {
        assert_eq!(
            closed(&format!("unpack game -o mod --force{option}")),
            Some(1)
        );
        let manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(dir.path().join("mod/refit.json")).unwrap()).unwrap();
        assert_eq!(manifest["files"].as_array().unwrap().len(), 40, "{option}");
        fs::remove_dir_all(dir.path().join("mod")).unwrap();
    }
    // The last file is the bad one.
    fs::rename(
        dir.path().join("game/c0/other.zbd"),
        dir.path().join("game/other.zbd"),
    )
    .unwrap();
    for line in ["verify game --json", "info game --json", "lint game --json"] {
        assert_eq!(closed(line), Some(1), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let (dir, _) = with_plain();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = std::process::Command::new(program())
        .current_dir(dir.path())
        .args(["list", "reader.zbd"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"));
}

/// Runs a command and kills it after a delay, again and again with longer delays; `check` inspects
/// the result each time. Returns the number of runs that were killed before they finished.
fn ended_at_all_times(
    folder: &Path,
    line: &str,
    end: impl Fn(&mut std::process::Child),
    mut check: impl FnMut(),
) -> usize {
    let start = || {
        std::process::Command::new(program())
            .current_dir(folder)
            .args(line.split(' '))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    // The shortest of three: on a busy machine one may take so long that the others end before they
    // are killed.
    let mut whole = std::time::Duration::MAX;
    for _ in 0..3 {
        let began = Instant::now();
        assert!(start().wait().unwrap().success());
        whole = whole.min(began.elapsed());
        check();
    }
    let mut ended = 0;
    for step in 0..18u32 {
        let mut child = start();
        // Denser towards the end, where things are put in place.
        let part = if step < 8 { step * 11 } else { 82 + 2 * step };
        std::thread::sleep(whole * part / 100);
        end(&mut child);
        ended += usize::from(!child.wait().unwrap().success());
        check();
    }
    ended
}

fn kill(child: &mut std::process::Child) {
    let _ = child.kill();
}

#[test]
fn a_kill_during_unpack_leaves_the_old_tree_or_the_new_one() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    run(dir.path(), "unpack big.zbd").code(0);
    let tree = dir.path().join("big");
    let new = snapshot(&tree);
    let edit = || fs::write(tree.join("m0000.zrd.json"), "[1]\n").unwrap();
    edit();
    let old = snapshot(&tree);
    let ended = ended_at_all_times(dir.path(), "unpack big.zbd --force", kill, || {
        let now = snapshot(&tree);
        assert!(
            now == old || now == new,
            "neither the old tree nor the new one"
        );
        // The edited tree again, so that the next run has something to replace.
        edit();
    });
    assert!(ended > 3, "only {ended} runs were killed");
    assert_eq!(fs::read(dir.path().join("big.zbd")).unwrap(), big());
}

#[test]
fn a_kill_during_the_first_unpack_leaves_no_tree_or_a_whole_one() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    run(dir.path(), "unpack big.zbd -o whole").code(0);
    let whole = snapshot(&dir.path().join("whole"));
    let tree = dir.path().join("big");
    let ended = ended_at_all_times(dir.path(), "unpack big.zbd", kill, || {
        if tree.exists() {
            assert!(snapshot(&tree) == whole, "an incomplete tree");
            fs::remove_dir_all(&tree).unwrap();
        }
    });
    assert!(ended > 3, "only {ended} runs were killed");
}

#[test]
fn a_kill_during_repack_leaves_the_old_file_or_the_new_one() {
    let dir = folder();
    let file = dir.path().join("big.zbd");
    fs::write(&file, big()).unwrap();
    run(dir.path(), "unpack big.zbd").code(0);
    fs::write(dir.path().join("big/m0000.zrd.json"), "[1]\n").unwrap();
    run(dir.path(), "repack big -o new.zbd").code(0);
    let (old, new) = (big(), fs::read(dir.path().join("new.zbd")).unwrap());
    assert_ne!(old, new);
    let ended = ended_at_all_times(dir.path(), "repack big --force", kill, || {
        let now = fs::read(&file).unwrap();
        assert!(
            now == old || now == new,
            "neither the old file nor the new one"
        );
        let backup = dir.path().join("big.zbd.orig");
        assert!(
            now == old || backup.exists(),
            "replaced without a copy of the original"
        );
        if backup.exists() {
            assert!(
                fs::read(&backup).unwrap() == old,
                "the original is incomplete"
            );
            fs::remove_file(&backup).unwrap();
        }
        fs::write(&file, &old).unwrap();
    });
    assert!(ended > 3, "only {ended} runs were killed");
}

#[cfg(unix)]
#[test]
fn ctrl_c_removes_unfinished_files() {
    let dir = folder();
    fs::write(dir.path().join("big.zbd"), big()).unwrap();
    let interrupt = |child: &mut std::process::Child| {
        // Not before the program could install its handler.
        std::thread::sleep(Duration::from_millis(20));
        std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .stderr(Stdio::null())
            .status()
            .unwrap();
    };
    let ended = ended_at_all_times(dir.path(), "unpack big.zbd", interrupt, || {
        let left = names(dir.path());
        assert!(
            left == ["big.zbd"] || left == ["big", "big.zbd"],
            "{left:?}"
        );
        let _ = fs::remove_dir_all(dir.path().join("big"));
    });
    assert!(ended > 3, "only {ended} runs were interrupted");
}

#[test]
fn the_number_of_threads_is_limited_to_what_helps() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("a.zbd"),
        archive(&[("a.zrd", &list(&[1, 2]))]),
    )
    .unwrap();
    let begun = Instant::now();
    let asserted = run(dir.path(), "-j 100000 verify a.zbd").success();
    assert!(out(&asserted).contains("exact"), "{}", out(&asserted));
    assert!(begun.elapsed() < Duration::from_secs(30));
}
