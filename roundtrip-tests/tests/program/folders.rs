//! Folders, and content other than files of games: trees, originals, leftovers of git and editors,
//! archives whose content is a folder; and the messages when there is nothing to do.

use roundtrip_tests::{
    golden_file,
    process::{self, archive, list, refit},
};
use std::{fs, path::PathBuf, process::Command};

/// The output of a run of the program.
struct Output {
    out: String,
    err: String,
}

/// A folder for one test.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Runs the program with arguments that are separated by blanks; `code` is the expected exit
    /// code.
    #[track_caller]
    fn run(&self, code: i32, line: &str) -> Output {
        let done = refit(self.0.path())
            .env_remove("COLUMNS")
            .args(line.split(' '))
            .assert()
            .code(code);
        Output {
            out: process::out(&done),
            err: process::err(&done),
        }
    }
}

fn reader(number: u32) -> Vec<u8> {
    archive(&[("keys.zrd", &list(&[number]))])
}

/// F15: leftovers of a killed run are mentioned.
#[cfg(unix)]
#[test]
fn leftovers_of_a_killed_run_are_mentioned() {
    let place = Place::new();
    place.write("game/a.zbd", reader(1));
    place.write("game/.refit-x1.tmp/tree/keys.zrd.json", "[1]");
    place.write("game/.refit-x2.tmp", "half");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(50 * 3600);
    for left in ["game/.refit-x1.tmp", "game/.refit-x2.tmp"] {
        fs::File::open(place.at(left))
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
    }
    // A walk leaves it alone; a command that writes next to it removes it.
    for line in ["verify game", "unpack game/a.zbd"] {
        let said = place.run(0, line).err;
        for left in ["game/.refit-x1.tmp: left by", "game/.refit-x2.tmp: left by"] {
            assert_eq!(said.matches(left).count(), 1, "{line}: {said}");
        }
    }
    assert!(!place.at("game/.refit-x1.tmp").exists() && !place.at("game/.refit-x2.tmp").exists());
}

/// F17: translation, and the members of trees, are explained in the expected places.
#[test]
fn translation_and_members_are_explained() {
    let place = Place::new();
    let help = place.run(0, "export --help").out;
    assert!(
        help.contains("To translate") && help.contains("messages.po"),
        "{help}"
    );
    let readme = fs::read_to_string(roundtrip_tests::root().join("README.md")).unwrap();
    assert!(
        readme.contains("[Translation](docs/translation.md)")
            && readme.contains("add, rename and delete members")
    );
}

/// F18: a path that is not Unicode is not lost in JSON.
#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_not_unicode_are_complete_in_json() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.zbd");
    fs::write(place.0.path().join(name), reader(1)).unwrap();
    let row = |line: &str| -> serde_json::Value {
        serde_json::from_str(place.run(0, line).out.trim_end()).unwrap()
    };
    for line in [
        "verify . --json",
        "info . --json",
        "unpack . -o trees --json",
    ] {
        assert_eq!(row(line)["path_hex"], "2e2f636166e92e7a6264", "{line}");
    }
    // Arguments of `run` are Unicode.
    let list = Command::new(process::program())
        .current_dir(place.0.path())
        .args(["list", "--json"])
        .arg(name)
        .output()
        .unwrap();
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&list.stdout).unwrap()["path_hex"],
        "636166e92e7a6264"
    );
    assert_eq!(
        row("unpack . -o more --json")["tree_hex"],
        "6d6f72652f636166e92e7a6264"
    );
}

/// F19: piped output is not wrapped, and help only lists the options of a command.
#[test]
fn piped_output_is_not_wrapped_and_help_is_specific() {
    let place = Place::new();
    for i in 0..40 {
        place.write(&format!("addon/file.kind{i}"), "x");
    }
    place.run(0, "repack addon --format pbo");
    let info = place.run(0, "info addon.pbo").out;
    let kinds = info
        .lines()
        .find(|line| line.trim_start().starts_with("kinds"))
        .unwrap();
    assert!(
        kinds.contains("kind0 ") && kinds.contains("kind39 ") && !info.contains("more line"),
        "{info}"
    );
    let explained = place.run(0, "lint --explain odd-value").out;
    assert_eq!(
        explained.trim_end().lines().count(),
        5,
        "a heading, a paragraph, and the evidence: {explained}"
    );
    assert!(explained.contains("\n\nEvidence: "), "{explained}");

    for (command, known, unknown) in [
        ("schema", None, Some("--include")),
        ("man", None, Some("--game")),
        ("status", Some("--json"), Some("--force")),
        ("get", Some("--force"), Some("--include")),
        ("verify", Some("--include"), Some("--force")),
        ("explain", Some("--game"), Some("--force")),
        ("unpack", Some("--keep-going"), None),
    ] {
        let help = place.run(0, &format!("{command} --help")).out;
        assert!(
            known.is_none_or(|option| help.contains(option)),
            "{command}: {help}"
        );
        assert!(
            unknown.is_none_or(|option| !help.contains(option)),
            "{command}: {help}"
        );
    }
    // Such an option is explained.
    assert!(
        place
            .run(0, "schema --include x")
            .err
            .contains("`refit schema` does not take --include")
    );
    assert_eq!(
        place
            .run(0, "verify addon.pbo --include *.pbo --json -q")
            .err,
        ""
    );
}

/// `info`, `repack` and `put` look for signatures next to an archive: one that is a pipe must not
/// block them.
#[cfg(unix)]
#[test]
fn a_signature_that_is_a_pipe_does_not_block() {
    let place = Place::new();
    place.write("addon/a.sqf", "1");
    place.write("new.sqf", "2");
    place.run(0, "repack addon --format pbo");
    let bisign = place.at("addon.pbo.key.bisign");
    assert!(
        Command::new("mkfifo")
            .arg(&bisign)
            .status()
            .unwrap()
            .success()
    );
    let printed = place.run(0, "info addon.pbo").out;
    assert!(
        printed.contains("addon.pbo.key.bisign: not a regular file"),
        "{printed}"
    );
    place.run(0, "put addon.pbo a.sqf new.sqf");
    fs::remove_file(&bisign).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &bisign).unwrap();
    assert!(
        place
            .run(0, "info addon.pbo")
            .out
            .contains("not a regular file")
    );
    fs::remove_file(&bisign).unwrap();
    fs::File::create(&bisign).unwrap().set_len(1 << 40).unwrap();
    assert!(
        place
            .run(0, "info addon.pbo")
            .out
            .contains("too many for a signature")
    );
}

/// An unreadable folder is not one whose files were deleted.
#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("gamez.zbd", golden_file("gamez", "mw_base.gamez.zbd").bytes);
    place.run(0, "unpack gamez.zbd -o tree");
    let models = place.at("tree/models");
    let allow = |mode| fs::set_permissions(&models, fs::Permissions::from_mode(mode)).unwrap();
    allow(0);
    // Root may read everything.
    if fs::read_dir(&models).is_err() {
        for line in ["repack tree -o new.zbd", "status tree"] {
            let printed = place.run(1, line).err;
            assert!(
                printed.contains("models: Permission denied"),
                "{line}: {printed}"
            );
        }
    }
    allow(0o755);
    place.run(0, "repack tree -o new.zbd");
}

/// A disc is read-only: the tree goes elsewhere, and the other commands write nothing.
#[cfg(unix)]
#[test]
fn a_read_only_disc_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    // A disc without long names has all names in upper case.
    place.write("DISC/ZBD/M1/ZRDR.ZBD", reader(1));
    place.write(
        "DISC/ZBD/SOUNDSM.ZBD",
        golden_file("sounds", "rc_zbd_soundsl.zbd").bytes,
    );
    let folders = ["DISC/ZBD/M1", "DISC/ZBD", "DISC"].map(|folder| place.at(folder));
    let set = |mode| {
        folders.iter().for_each(|folder| {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap()
        })
    };
    set(0o555);
    let rows = place.run(0, "verify DISC --json").out;
    let games: Vec<serde_json::Value> = rows
        .lines()
        .map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap()["game"].clone())
        .collect();
    assert_eq!(games, ["rc", "rc"]);
    place.run(0, "info DISC");
    place.run(0, "unpack DISC -o trees");
    assert!(place.at("trees/ZBD/M1/ZRDR.ZBD/refit.json").is_file());
    // To root everything can be written.
    if fs::write(place.at("DISC/probe"), "").is_err() {
        let said = place.run(1, "unpack DISC/ZBD/M1/ZRDR.ZBD").err;
        assert!(said.contains("-o DIR puts the tree elsewhere"), "{said}");
    }
    set(0o755);
}
