//! Folders, and what stands in them beside files of games: trees, originals, what git and editors leave, archives whose content
//! is a folder; and what the program says where there is nothing to do.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

/// The program. Cargo builds it for tests of its own package only, so it is built here, once, with the same profile.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(given) = std::env::var_os("REFIT_BIN") {
            return given.into();
        }
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(["build", "--quiet", "--workspace", "--bin", "refit"]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "refit does not build");
        let tests = std::env::current_exe().unwrap();
        tests.ancestors().nth(2).unwrap().join(format!("refit{}", std::env::consts::EXE_SUFFIX))
    })
}

/// What a run of the program said.
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }
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

    fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.at(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.read(path)).unwrap()
    }

    /// Runs the program with arguments that are separated by blanks; `code` is the exit code that must come.
    #[track_caller]
    fn run(&self, code: i32, line: &str) -> Said {
        self.feed(code, line, b"")
    }

    /// The same with something on standard input.
    #[track_caller]
    fn feed(&self, code: i32, line: &str, input: &[u8]) -> Said {
        let mut command = Command::new(program());
        command.current_dir(self.0.path()).args(line.split(' ')).env_remove("COLUMNS");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feeder = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, &input));
        let said = Said::from(child.wait_with_output().unwrap());
        let _ = feeder.join().unwrap();
        assert_eq!(said.code, code, "refit {line}\n{}{}", said.out, said.err);
        said
    }
}

/// A reader archive with one member (src/formats/archive/FORMAT.md; src/formats/reader/FORMAT.md).
fn reader(number: u32) -> Vec<u8> {
    let list: Vec<u8> = [4, 2, 1, number].into_iter().flat_map(u32::to_le_bytes).collect();
    let mut entry = [0u8; 140];
    entry[..8].copy_from_slice(b"keys.zrd");
    [&list[..], &0u32.to_le_bytes(), &16u32.to_le_bytes(), &entry, &1u32.to_le_bytes(), &1u32.to_le_bytes()].concat()
}

fn golden(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden").join(path)).unwrap()
}

/// F8: with `core.autocrlf`, Git for Windows checks text out with other line ends.
#[test]
fn line_ends_that_git_turned_are_no_edit() {
    let place = Place::new();
    place.write("reader.zbd", reader(5));
    for style in ["json", "ron"] {
        place.run(0, &format!("unpack reader.zbd -o {style} --as {style}"));
        assert!(place.text(&format!("{style}/.gitattributes")).lines().any(|line| line == "* -text"));
        for file in [format!("{style}/refit.{style}"), format!("{style}/keys.zrd.{style}")] {
            let turned = place.text(&file).replace('\n', "\r\n");
            place.write(&file, turned);
        }
        place.run(0, &format!("status {style}"));
        assert!(place.run(0, &format!("repack {style} -o back.{style}")).out.contains("identical to the original"));
        place.write(&format!("{style}/keys.zrd.{style}"), "[6]\r\n");
        assert!(place.run(3, &format!("status {style}")).out.starts_with("modified"));
    }
    // A file of an archive is its bytes: there it is an edit.
    place.write("addon/a.sqf", "1;\n");
    place.run(0, "repack addon --format pbo");
    place.run(0, "unpack addon.pbo -o pbo");
    place.write("pbo/files/a.sqf", "1;\r\n");
    assert!(place.run(3, "status pbo").out.contains("modified  pbo/files/a.sqf"));
}

/// F6: what refit made is no file of the game.
#[test]
fn walks_pass_over_trees_and_originals() {
    let place = Place::new();
    place.write("game/zbd/a.zbd", reader(1));
    place.write("game/zbd/c1/b.zbd", reader(2));
    place.run(0, "unpack game");
    place.write("game/zbd/a/keys.zrd.json", "[7]\n");
    place.run(0, "repack game/zbd/a --force");
    assert_eq!(place.read("game/zbd/a.zbd.orig"), reader(1));
    place.write("game/zbd/views/.refit/export", "x");
    place.write("game/zbd/views/c.zbd", reader(3));

    let verified = place.run(0, "verify game -v");
    assert!(verified.out.contains("2 files exact; 344 bytes"), "{}", verified.out);
    for said in ["game/zbd/a: an unpacked tree", "game/zbd/c1/b: an", "game/zbd/a.zbd.orig: the original of", "game/zbd/views: views"] {
        assert_eq!(verified.err.matches(said).count(), 1, "{said}: {}", verified.err);
    }
    // The members have one name: the wider archive hides the other.
    assert!(place.run(3, "lint game").out.contains("in 1 of 2 files"));
    place.run(0, "unpack game -o trees");
    let found = |folder: &str| {
        let mut names: Vec<String> =
            fs::read_dir(place.at(folder)).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(found("trees"), [".refit", "refit.json", "zbd"]);
    assert_eq!(found("trees/zbd"), ["a.zbd", "c1"]);
    // An original that has lost its file is a file; one that is named is meant.
    fs::rename(place.at("game/zbd/a.zbd"), place.at("a.zbd")).unwrap();
    assert!(place.run(0, "verify game").out.contains("2 files exact"));
    fs::rename(place.at("a.zbd"), place.at("game/zbd/a.zbd")).unwrap();
    place.run(0, "verify game/zbd/a.zbd.orig");
    place.run(0, "restore game");
    assert_eq!(place.read("game/zbd/a.zbd"), reader(1));

    // Trees alone are nothing to walk for, and a tree is no file. A project that is named stands for its trees.
    let none = place.run(1, "verify trees/zbd");
    assert!(none.err.contains("there is no file below trees/zbd (2 unpacked trees passed over)"), "{}", none.err);
    assert!(place.run(0, "verify trees").out.contains("2 files exact"));
    for command in ["unpack", "info"] {
        let tree = place.run(1, &format!("{command} trees/zbd/a.zbd"));
        assert!(tree.err.contains("trees/zbd/a.zbd: an unpacked tree"), "{}", tree.err);
        assert!(place.run(1, &format!("{command} trees")).err.contains("trees: a project"));
    }
}

/// F6: a tree that is named is proved itself.
#[test]
fn a_tree_is_verified() {
    let place = Place::new();
    place.write("a.zbd", reader(1));
    place.run(0, "unpack a.zbd");
    assert_eq!(place.run(0, "verify a").out, "exact  a (reader, a tree: gives a.zbd bit for bit)\n");
    place.write("a/keys.zrd.json", "[[2], \"x\"]\n");
    for via in ["bytes", "json", "ron"] {
        assert_eq!(place.run(0, &format!("verify a --via {via}")).out, "exact  a (reader, a tree: gives a.zbd with edits)\n");
    }
    let row: serde_json::Value = serde_json::from_str(&place.run(0, "verify a --json").out).unwrap();
    assert_eq!((&row["status"], &row["identical"], &row["source"]), (&"exact".into(), &false.into(), &"a.zbd".into()));
    place.write("a/keys.zrd.json", "[7, oops]\n");
    let broken = place.run(1, "verify a");
    assert!(broken.err.contains("keys.zrd.json:1:"), "{}", broken.err);
}

/// G2: a cut file of a game is a failure of every command over its folder, and its project is not made without a word.
#[test]
fn a_damaged_file_of_a_game_is_no_file_of_another_program() {
    let place = Place::new();
    place.write("game/zbd/good.zbd", reader(1));
    place.write("game/readme.txt", "hello");
    place.write("game/setup.exe", b"MZ\x90\0");
    // An archive ends in eight bytes that name its version: other programs' files may, too.
    place.write("game/other.dat", [&[0u8; 64][..], &[1, 0, 0, 0, 9, 0, 0, 0]].concat());
    for command in ["verify", "info", "lint", "unpack --dry-run"] {
        place.run(0, &format!("{command} game"));
    }
    let mut cut = reader(2);
    cut.truncate(100);
    let wave = [&b"RIFF\x24\0\0\0WAVEfmt "[..], &[0; 30]].concat();
    for (file, bytes, seen) in [
        ("zbd/motion.zbd", cut.clone(), "no known header and no table of contents"),
        ("zbd/soundsL.zbd", wave, "a sound, WAV"),
        ("zbd/mechlib.ZBD", Vec::new(), "an empty file"),
        ("maps/m1.zmap", Vec::new(), "an empty file"),
        ("a.pbo", Vec::new(), "a damaged PBO"),
        ("Mech3Msg.dll", b"MZ\x90\0".to_vec(), "a program"),
        ("zbd/c1/gamez.zbd", b"version https://git-lfs.github.com/spec/v1\n".to_vec(), "git LFS"),
    ] {
        place.write(&format!("game/{file}"), bytes);
        for command in ["verify", "info", "lint", "unpack --dry-run"] {
            let said = place.run(1, &format!("{command} game"));
            assert!(said.err.contains(&format!("game/{file}: ")) && said.err.contains(seen), "{command}: {}", said.err);
        }
        let said = place.run(1, "unpack game -o mod");
        assert!(said.err.contains(seen) && said.out.contains("a project of 1 file"), "{}{}", said.out, said.err);
        fs::remove_dir_all(place.at("mod")).unwrap();
        fs::remove_file(place.at(&format!("game/{file}"))).unwrap();
    }
}

/// An archive of nothing and a pattern that matches nothing are mistakes more often than wishes.
#[test]
fn an_archive_without_files_is_mentioned() {
    let place = Place::new();
    place.write("addon/a.sqf", "1;\n");
    fs::create_dir(place.at("none")).unwrap();
    assert!(place.run(0, "repack none --format pbo").err.contains("the archive has no files"));
    let said = place.run(0, "repack addon --format pbo --exclude * -o x.pbo");
    assert!(said.err.contains("the archive has no files: --exclude leaves out all 1"), "{}", said.err);
    let said = place.run(0, "repack addon --format pbo --compress *.paaa --compress *.sqf -o y.pbo");
    assert!(said.err.contains("--compress *.paaa matches no file") && !said.err.contains("*.sqf matches"), "{}", said.err);
}

/// The folders around a file say what it is for only within a game.
#[test]
fn a_file_outside_of_a_game_has_no_role() {
    let place = Place::new();
    place.write("some/folder/reader.zbd", reader(1));
    place.write("game/zbd/c1/readerm2.zbd", reader(1));
    assert!(!place.run(0, "info some/folder/reader.zbd").out.contains("role"));
    assert!(!place.feed(0, "info -", &reader(1)).out.contains("role"));
    assert!(place.run(0, "info game/zbd/c1/readerm2.zbd").out.contains("readers of mission c1/m2"));
    let row: serde_json::Value = serde_json::from_str(place.run(0, "verify some/folder/reader.zbd --json").out.trim()).unwrap();
    assert_eq!(row.get("role"), None);
}

/// F7: nothing to do is no success.
#[test]
fn nothing_to_do_is_told_and_fails() {
    let place = Place::new();
    place.write("game/zbd/c1/a.zbd", reader(1));
    place.write("game/readme.txt", "hello");
    fs::create_dir(place.at("empty")).unwrap();
    place.write("other/x.txt", "x");
    for command in ["verify", "unpack", "info", "lint"] {
        let none = place.run(1, &format!("{command} game --include c1/**"));
        let expected = "no file below game matches --include c1/** (2 looked at; paths are relative to it: zbd/c1/a.zbd)";
        assert!(none.err.contains(expected) && none.out.is_empty(), "{}", none.err);
        let none = place.run(1, &format!("{command} game/zbd/c1/a.zbd --exclude *.zbd"));
        assert!(none.err.contains("no file is left by --exclude *.zbd (1 looked at"), "{}", none.err);
        assert!(place.run(1, &format!("{command} empty")).err.contains("there is no file below empty"));
        let unknown = place.run(1, &format!("{command} other empty"));
        assert!(unknown.err.contains("no file of a known format below other, empty (1 looked at)"), "{}", unknown.err);
        assert!(!place.run(1, &format!("{command} absent")).err.contains("looked at"));
    }
    assert!(!place.at("c1").exists());
    let none = place.run(1, "list game/zbd/c1/a.zbd --include x*");
    assert!(none.err.contains("no member matches --include x* (1 looked at, such as keys.zrd)"), "{}", none.err);
}

/// F15: what is merely not recognised is no error; a number of threads is one.
#[test]
fn what_is_not_recognised_has_a_note() {
    let place = Place::new();
    place.write("game/a.zbd", reader(1));
    place.write("game/x.txt", "x");
    let out = place.run(0, "verify game --json").out;
    let rows: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["status"], &rows[1]["status"]), (&"exact".into(), &"unrecognised".into()));
    assert!(rows[0].get("note").is_none() && rows[1]["note"].is_string() && rows.iter().all(|row| row.get("error").is_none()));
    assert!(place.run(2, "verify game -j 0").err.contains("at least one thread is needed"));
}

/// F15: also of a large file it is told that it is what it was.
#[test]
fn a_large_file_is_identical_too() {
    let place = Place::new();
    fs::create_dir(place.at("addon")).unwrap();
    fs::File::create(place.at("addon/a.bin")).unwrap().set_len(65 << 20).unwrap();
    place.run(0, "repack addon --format pbo");
    place.run(0, "unpack addon.pbo -o tree");
    assert!(place.run(0, "repack tree -o again.pbo").out.contains("identical to the original"));
}

/// F15: what a killed run left is mentioned.
#[cfg(unix)]
#[test]
fn what_a_killed_run_left_is_mentioned() {
    let place = Place::new();
    place.write("game/a.zbd", reader(1));
    place.write("game/.refit-x1.tmp/tree/keys.zrd.json", "[1]");
    place.write("game/.refit-x2.tmp", "half");
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(50 * 3600);
    for left in ["game/.refit-x1.tmp", "game/.refit-x2.tmp"] {
        fs::File::open(place.at(left)).unwrap().set_modified(long_ago).unwrap();
    }
    // A walk leaves it alone; who writes beside it removes it.
    for line in ["verify game", "unpack game/a.zbd"] {
        let said = place.run(0, line).err;
        for left in ["game/.refit-x1.tmp: left by", "game/.refit-x2.tmp: left by"] {
            assert_eq!(said.matches(left).count(), 1, "{line}: {said}");
        }
    }
    assert!(!place.at("game/.refit-x1.tmp").exists() && !place.at("game/.refit-x2.tmp").exists());
}

/// F12: a package in which nothing is found is told.
#[test]
fn textures_that_no_package_has_are_told() {
    let place = Place::new();
    place.write("mechlib.zbd", golden("mechlib/mw_twins.mechlib.zbd"));
    place.write("other.zbd", golden("textures/rc_one.zbd"));
    place.write("motion.zbd", golden("motion/motion_mw_plain.zbd"));
    let plain = place.run(0, "export mechlib.zbd -o plain");
    assert_eq!(plain.err, "");
    let wrong = place.run(0, "export mechlib.zbd --with other.zbd --with motion.zbd -o mechs");
    assert!(wrong.err.contains("mechlib.zbd: 0 of ") && wrong.err.contains("textures found in the packages; not there: "), "{}", wrong.err);
    assert!(wrong.err.contains("motions are of a 'mech that is in the file"), "{}", wrong.err);
}

/// F13: the folder of an unpacked archive is its content.
#[test]
fn files_of_a_pbo_come_and_go() {
    let place = Place::new();
    for (file, text) in [("a.sqf", "1"), ("CfgWeapons.hpp", "2"), ("scripts/z.sqf", "3")] {
        place.write(&format!("addon/{file}"), text);
    }
    place.run(0, "repack addon --format pbo");
    place.run(0, "unpack addon.pbo -o tree");
    fs::remove_file(place.at("tree/files/CfgWeapons.hpp")).unwrap();
    place.write("tree/files/new/x.sqf", "4");
    place.write("tree/files/new/x.sqf~", "old");
    // The archive itself is no part of itself.
    let done = place.run(0, "repack tree -o tree/files/out.pbo");
    assert!(done.out.starts_with("+ new/x.sqf\n- CfgWeapons.hpp\ntree → tree/files/out.pbo (pbo, "), "{}", done.out);
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    assert!(done.err.contains("tree: 1 file was left out: new/x.sqf~"), "{}", done.err);
    let row: serde_json::Value = serde_json::from_str(&place.run(0, "repack tree -o tree/files/out.pbo --force --json").out).unwrap();
    assert_eq!((&row["added"], &row["removed"]), (&serde_json::json!(["new/x.sqf"]), &serde_json::json!(["CfgWeapons.hpp"])));
    let names = |file: &str| -> Vec<String> {
        let out = place.run(0, &format!("list {file} --json")).out;
        let name = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["name"].as_str().unwrap().replace('\\', "/");
        out.lines().map(name).collect()
    };
    assert_eq!(names("tree/files/out.pbo"), ["a.sqf", "new/x.sqf", "scripts/z.sqf"]);
    fs::remove_file(place.at("tree/files/out.pbo")).unwrap();
    let _ = fs::remove_file(place.at("tree/files/out.pbo.orig"));

    let strict = place.run(1, "repack tree -o out.pbo --strict");
    assert!(strict.err.contains("files/new/x.sqf: no entry of the manifest names it"), "{}", strict.err);
    fs::remove_dir_all(place.at("tree/files/new")).unwrap();
    let strict = place.run(1, "repack tree -o out.pbo --strict");
    assert!(strict.err.contains("files/CfgWeapons.hpp") && strict.err.contains("no such file"), "{}", strict.err);
    assert!(!place.at("out.pbo").exists());
    place.write("tree/files/CfgWeapons.hpp", "2");
    assert!(place.run(0, "repack tree -o out.pbo --strict").out.contains("identical to the original"));
}

/// F13: what tools leave in a folder is not packed, nor the archive that is made.
#[test]
fn a_new_pbo_takes_no_litter() {
    let place = Place::new();
    for file in [".gitignore", ".vscode/settings.json", ".git/config", "a.sqf~", "foo.bak", "b.sqf.orig", ".a.sqf.swp", "Thumbs.db"] {
        place.write(&format!("addon/{file}"), "litter");
    }
    for file in ["a.sqf", "config.cpp", "a.psd", "inside.pbo.key.bisign"] {
        place.write(&format!("addon/{file}"), "content");
    }
    let first = place.run(0, "repack addon --format pbo -o addon/inside.pbo");
    assert!(first.err.contains("addon: 6 files were left out: "), "{}", first.err);
    let bytes = place.read("addon/inside.pbo");
    place.run(0, "repack addon --format pbo -o addon/inside.pbo --force");
    assert!(place.read("addon/inside.pbo") == bytes, "the archive is no part of itself");
    assert_eq!(place.run(0, "list addon/inside.pbo").out.lines().count(), 3);
    // Dropped onto refit, such a folder is known for what it is.
    let dropped = place.run(1, "addon");
    assert!(dropped.err.contains("`refit repack addon --format pbo`"), "{}", dropped.err);
}

/// F17: what to write into the manifest is said.
#[test]
fn the_line_that_adds_a_member_is_told() {
    for style in ["json", "ron"] {
        let place = Place::new();
        place.write("a.zbd", reader(1));
        place.run(0, &format!("unpack a.zbd --as {style}"));
        place.write(&format!("a/new.zrd.{style}"), "[2]\n");
        let said = place.run(0, "repack a -o b.zbd").err;
        let line = match style {
            "json" => r#"{ "name": "new.zrd", "file": "new.zrd.json" }"#,
            _ => r#"(name: "new.zrd", file: "new.zrd.ron")"#,
        };
        assert!(said.contains(&format!("it is not packed; to pack it, add {line} to `members` in refit.{style}")), "{said}");
        let manifest = place.text(&format!("a/refit.{style}"));
        let at = manifest.rfind(']').unwrap();
        place.write(&format!("a/refit.{style}"), format!("{}, {line}{}", &manifest[..at].trim_end(), &manifest[at..]));
        assert_eq!(place.run(0, "repack a -o c.zbd").err, "");
        assert_eq!(place.run(0, "get c.zbd new.zrd").out, "[2]\n");
    }
}

/// F17: translation, and the members of trees, are explained where one looks.
#[test]
fn translation_and_members_are_explained() {
    let place = Place::new();
    let help = place.run(0, "export --help").out;
    assert!(help.contains("To translate") && help.contains("messages.po"), "{help}");
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    assert!(readme.contains("[Translation](docs/translation.md)") && readme.contains("add, rename and delete members"));
}

/// F18: `-` is a file too.
#[test]
fn standard_input_is_a_file() {
    let place = Place::new();
    let bytes = reader(5);
    assert!(place.feed(0, "verify -", &bytes).out.contains("exact  - (reader)"));
    assert!(place.feed(0, "info -", &bytes).out.contains("format"));
    assert!(place.feed(0, "list -", &bytes).out.contains("keys.zrd"));
    assert_eq!(place.feed(0, "get - keys.zrd", &bytes).out, "[5]\n");
    place.feed(0, "unpack - -o tree", &bytes);
    assert_eq!(place.text("tree/keys.zrd.json"), "[5]\n");
    place.run(0, "repack tree -o back.zbd");
    assert_eq!(place.read("back.zbd"), bytes);
    assert!(place.feed(2, "unpack -", &bytes).err.contains("-o"));
    assert!(place.feed(1, "verify -", b"no").err.starts_with("error: -: "));
}

/// F18: a path that is no Unicode is not lost in JSON.
#[cfg(target_os = "linux")]
#[test]
fn paths_that_are_no_unicode_are_whole_in_json() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.zbd");
    fs::write(place.0.path().join(name), reader(1)).unwrap();
    let row = |line: &str| -> serde_json::Value { serde_json::from_str(place.run(0, line).out.trim_end()).unwrap() };
    for line in ["verify . --json", "info . --json", "unpack . -o trees --json"] {
        assert_eq!(row(line)["path_hex"], "2e2f636166e92e7a6264", "{line}");
    }
    // Arguments of `run` are Unicode.
    let list = Command::new(program()).current_dir(place.0.path()).args(["list", "--json"]).arg(name).output().unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&list.stdout).unwrap()["path_hex"], "636166e92e7a6264");
    assert_eq!(row("unpack . -o more --json")["tree_hex"], "6d6f72652f636166e92e7a6264");
}

/// F19: a pipe has no columns, and help speaks of what a command knows.
#[test]
fn output_in_a_pipe_is_not_broken_and_help_is_to_the_point() {
    let place = Place::new();
    for i in 0..40 {
        place.write(&format!("addon/file.kind{i}"), "x");
    }
    place.run(0, "repack addon --format pbo");
    let info = place.run(0, "info addon.pbo").out;
    let kinds = info.lines().find(|line| line.trim_start().starts_with("kinds")).unwrap();
    assert!(kinds.contains("kind0 ") && kinds.contains("kind39 ") && !info.contains("more line"), "{info}");
    let explained = place.run(0, "lint --explain odd-value").out;
    assert_eq!(explained.trim_end().lines().count(), 5, "a heading, a paragraph, and what it rests on: {explained}");
    assert!(explained.contains("\n\nRests on: "), "{explained}");

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
        assert!(known.is_none_or(|option| help.contains(option)), "{command}: {help}");
        assert!(unknown.is_none_or(|option| !help.contains(option)), "{command}: {help}");
    }
    // Whoever gives such an option hears of it.
    assert!(place.run(0, "schema --include x").err.contains("--include means nothing to `refit schema`"));
    assert_eq!(place.run(0, "verify addon.pbo --include *.pbo --json -q").err, "");
}

/// The models and nodes of a world are what their folders hold: what comes and goes is listed.
#[test]
fn models_of_a_world_come_and_go() {
    let place = Place::new();
    place.write("gamez.zbd", golden("gamez/mw_base.gamez.zbd"));
    place.run(0, "unpack gamez.zbd -o tree");
    fs::copy(place.at("tree/models/0003.json"), place.at("tree/models/0013-copy.json")).unwrap();
    fs::remove_file(place.at("tree/models/0001-hull_00011.json")).unwrap();
    let done = place.run(3, "repack tree -o new.zbd");
    assert!(done.out.starts_with("+ models/0013-copy.json\n- models/0001-hull_00011.json\ntree → new.zbd"), "{}", done.out);
    assert!(done.err.contains("[gamez-dangling]"), "{}", done.err);
}

/// A name in a manifest is as long as somebody writes it.
#[test]
fn a_very_long_name_is_shown_in_part() {
    let place = Place::new();
    place.write("addon/a.sqf", "1");
    place.write("addon/b.sqf", "2");
    place.run(0, "repack addon --format pbo");
    place.run(0, "unpack addon.pbo -o tree");
    place.write("tree/refit.json", place.text("tree/refit.json").replace("\"a.sqf\"", &format!("\"{}\"", "x".repeat(100_000))));
    let done = place.run(0, "repack tree -o new.pbo");
    assert!(done.out.contains("- xxx") && done.out.len() < 3000, "{}", done.out);
}

/// A link is no deleted file, and `repack` will not take it.
#[test]
fn a_link_in_the_place_of_a_file_is_an_edit() {
    let place = Place::new();
    place.write("reader.zbd", reader(1));
    place.run(0, "unpack reader.zbd -o tree");
    let (file, away) = (place.at("tree/keys.zrd.json"), place.at("away.json"));
    fs::rename(&file, &away).unwrap();
    if !roundtrip_tests::process::link(away.to_str().unwrap(), &file) {
        return;
    }
    let status = place.run(3, "status tree");
    assert!(
        status.out.starts_with("modified  tree/keys.zrd.json (a link, a pipe or a device, not a file: repack refuses it)\n"),
        "{}",
        status.out
    );
    assert!(!status.out.contains("deleted"), "{}", status.out);
    assert!(place.run(1, "repack tree -o new.zbd").err.contains("keys.zrd.json: a link stands here"));
}

/// What stands beside an archive under the name of a signature is looked at by `info`, `repack` and `put`, though nobody named it.
#[cfg(unix)]
#[test]
fn a_signature_that_is_no_file_is_not_waited_for() {
    let place = Place::new();
    place.write("addon/a.sqf", "1");
    place.write("new.sqf", "2");
    place.run(0, "repack addon --format pbo");
    let bisign = place.at("addon.pbo.key.bisign");
    assert!(Command::new("mkfifo").arg(&bisign).status().unwrap().success());
    let told = place.run(0, "info addon.pbo").out;
    assert!(told.contains("addon.pbo.key.bisign: not a regular file"), "{told}");
    place.run(0, "put addon.pbo a.sqf new.sqf");
    fs::remove_file(&bisign).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &bisign).unwrap();
    assert!(place.run(0, "info addon.pbo").out.contains("not a regular file"));
    fs::remove_file(&bisign).unwrap();
    fs::File::create(&bisign).unwrap().set_len(1 << 40).unwrap();
    assert!(place.run(0, "info addon.pbo").out.contains("too many for a signature"));
}

/// An unreadable folder is not one whose files were deleted.
#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("gamez.zbd", golden("gamez/mw_base.gamez.zbd"));
    place.run(0, "unpack gamez.zbd -o tree");
    let models = place.at("tree/models");
    let allow = |mode| fs::set_permissions(&models, fs::Permissions::from_mode(mode)).unwrap();
    allow(0);
    // Root may read everything.
    if fs::read_dir(&models).is_err() {
        for line in ["repack tree -o new.zbd", "status tree"] {
            let told = place.run(1, line).err;
            assert!(told.contains("models: Permission denied"), "{line}: {told}");
        }
    }
    allow(0o755);
    place.run(0, "repack tree -o new.zbd");
}

/// The folder that the user names may be a link.
#[test]
fn a_link_to_a_tree_is_the_tree() {
    let place = Place::new();
    place.write("reader.zbd", reader(1));
    place.run(0, "unpack reader.zbd -o tree");
    if !roundtrip_tests::process::link("tree", &place.at("link")) {
        return;
    }
    assert_eq!(place.run(0, "status link").out, "link: as it was unpacked\n");
    assert_eq!(place.run(0, "repack link -o new.zbd").err, "");
    // The target stands beside the tree and not in it.
    assert!(place.run(1, "repack link -o new.zbd").err.starts_with("error: link: new.zbd: the file exists already"));
}

/// An AVI file of MechWarrior 3, with its headers alone.
fn film() -> Vec<u8> {
    let chunk = |id: &[u8], body: &[u8]| [id, &(body.len() as u32).to_le_bytes(), body].concat();
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let main = chunk(b"avih", &words(&[66_667, 0, 0, 0x10, 3064, 0, 2, 0, 640, 480, 0, 0, 0, 0]));
    let picture = chunk(b"LIST", &[b"strl".to_vec(), chunk(b"strh", &[&b"vidsIV50"[..], &[0; 48]].concat())].concat());
    let format = [&[1, 0, 1, 0][..], &22_050u32.to_le_bytes(), &[0; 8]].concat();
    let sound = [b"strl".to_vec(), chunk(b"strh", &[&b"auds"[..], &[0; 52]].concat()), chunk(b"strf", &format)].concat();
    let header = [b"hdrl".to_vec(), main, picture, chunk(b"LIST", &sound)].concat();
    chunk(b"RIFF", &[b"AVI ".to_vec(), chunk(b"LIST", &header), chunk(b"LIST", b"movi")].concat())
}

/// A Windows program without any resources.
fn program_file() -> Vec<u8> {
    let mut out = vec![0; 400];
    out[..2].copy_from_slice(b"MZ");
    out[60] = 64;
    out[64..68].copy_from_slice(b"PE\0\0");
    out
}

/// What stands in the folders of the games beside their own files, as their owners list it.
fn with_other_files(place: &Place) {
    place.write("game/zbd/reader.zbd", golden("reader/pm_zbd_reader.zbd"));
    place.write("game/crimson.exe", program_file());
    place.write("game/SETUP/dsetup32.DLL", program_file());
    place.write("game/crimson.icd", [0x8f, 0x13, 0x77, 0x02, 0xe1].repeat(90));
    place.write("game/EULA.RTF", "{\\rtf1\\ansi text}");
    place.write("game/Readme.txt", "read me\r\n");
    place.write("game/EBUSetup.sem", "");
    place.write("game/crimsonff.ifr", [9, 0, 1, 255]);
    place.write("game/00000409.256", [&b"BM"[..], &20u32.to_le_bytes(), &[0; 8], &40u32.to_le_bytes(), &[0; 2]].concat());
    place.write("game/GRAPHICS/arial8.TGA", [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 32, 8]);
    place.write("game/MPG/a.mpg", [0, 0, 1, 0xba, 0x21, 0, 1, 0, 1, 0x80, 0, 1]);
    place.write("game/VIDEO/INTRO.AVI", film());
    place.write("game/unknown.bin", [1, 2, 3]);
}

/// Foreign files are counted by kind, and never make a command fail that was given their folder.
#[test]
fn files_of_other_kinds_never_fail_a_walk() {
    let place = Place::new();
    with_other_files(&place);
    let kinds = "12 not recognised and skipped (3 programs without messages, 2 films, 2 pictures, 2 documents, \
                 1 file of force feedback, 1 empty file, 1 of unknown kind)";
    let verify = place.run(0, "verify game");
    assert!(verify.out.contains(&format!("1 file exact, {kinds}; ")) && verify.err.is_empty(), "{}{}", verify.out, verify.err);
    let lint = place.run(3, "lint game");
    assert!(lint.out.ends_with(&format!(" in 1 of 1 file; {kinds}\n")) && lint.err.is_empty(), "{}{}", lint.out, lint.err);
    let unpack = place.run(0, "unpack game -o trees");
    assert!(unpack.out.ends_with(&format!("\n{kinds}\n")) && unpack.err.is_empty(), "{}{}", unpack.out, unpack.err);
    let rows = place.run(0, "verify game --json").out;
    let rows: Vec<serde_json::Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kind = |name: &str| {
        let row = rows.iter().find(|row| row["path"].as_str().unwrap().replace('\\', "/").ends_with(name)).unwrap();
        row["kind"].as_str().unwrap_or("-").to_owned()
    };
    assert_eq!(
        ["crimson.exe", "crimson.icd", "INTRO.AVI", "arial8.TGA", "crimsonff.ifr", "unknown.bin", "reader.zbd"].map(kind),
        ["program", "program", "film", "picture", "force_feedback", "-", "-"]
    );
    // Named itself each is an error that says what it is; but `info` answers for films.
    for (file, what) in [
        ("crimson.exe", "a Windows program without messages"),
        ("crimson.icd", "a program without messages, encrypted by the copy protection"),
        ("EULA.RTF", "a document, RTF"),
        ("GRAPHICS/arial8.TGA", "a picture, TGA"),
        ("VIDEO/INTRO.AVI", "a film, AVI"),
    ] {
        for command in ["verify", "lint", "unpack"] {
            let said = place.run(1, &format!("{command} game/{file}")).err;
            assert!(said.contains(what) && said.contains("there is nothing to unpack"), "{said}");
        }
    }
    assert!(place.run(1, "info game/EULA.RTF").err.contains("a document, RTF"));
    // A library of messages whose name the game asks for is damaged, not foreign.
    place.write("game/Strings.DLL", program_file());
    assert!(place.run(1, "verify game").err.contains("Strings.DLL"));
}

/// A disc cannot be written: the tree goes elsewhere, and the other commands write nothing.
#[cfg(unix)]
#[test]
fn a_disc_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    // A disc without long names says everything in capitals.
    place.write("DISC/ZBD/M1/ZRDR.ZBD", reader(1));
    place.write("DISC/ZBD/SOUNDSM.ZBD", golden("sounds/rc_zbd_soundsl.zbd"));
    let folders = ["DISC/ZBD/M1", "DISC/ZBD", "DISC"].map(|folder| place.at(folder));
    let set = |mode| folders.iter().for_each(|folder| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap());
    set(0o555);
    let rows = place.run(0, "verify DISC --json").out;
    let games: Vec<serde_json::Value> =
        rows.lines().map(|row| serde_json::from_str::<serde_json::Value>(row).unwrap()["game"].clone()).collect();
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

/// Films and sounds are answers of `info`, and a folder says what belongs to its game beside its files.
#[test]
fn films_and_tracks_are_told() {
    let place = Place::new();
    with_other_files(&place);
    let said = place.run(0, "info game/VIDEO/INTRO.AVI").out;
    let fields: Vec<(String, String)> =
        said.lines().skip(1).filter_map(|line| line.trim().split_once("  ").map(|(k, v)| (k.into(), v.trim().into()))).collect();
    let field = |key: &str| fields.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str()).unwrap_or_default();
    assert_eq!(
        ["kind", "codec", "picture", "rate", "length", "sound"].map(field),
        ["film, AVI", "IV50", "640 x 480", "15.00 frames a second", "204.3 s", "PCM, 22050 Hz, mono"],
        "{said}"
    );
    assert!(field("convert").starts_with("ffmpeg -i FILM.avi "), "{said}");
    let row: serde_json::Value = serde_json::from_str(place.run(0, "info game/VIDEO/INTRO.AVI --json").out.trim()).unwrap();
    assert_eq!((&row["kind"], &row["info"]["codec"], row.get("error")), (&"film".into(), &"IV50".into(), None));

    let folder = place.run(0, "info game").out;
    for part in [
        "game/VIDEO/INTRO.AVI\n",
        "\n12 not recognised and skipped (3 programs",
        "\nfor players of today: ffmpeg -i FILM.avi ",
        "\nmusic on the disc: Pirate's Moon 1.2: track 2, 9:22.61, 99280272 bytes of audio, CRC 535BD032\n",
    ] {
        assert!(folder.contains(part), "{part}: {folder}");
    }
    assert!(!folder.contains("EULA"), "{folder}");
    let rows = place.run(0, "info game --json").out;
    let last: serde_json::Value = serde_json::from_str(rows.lines().last().unwrap()).unwrap();
    assert_eq!((&last["status"], &last["others"]["program"]), (&"folder".into(), &3.into()));

    // Kinds whose names have commas are told apart.
    place.write("soundsl.zbd", golden("sounds/cs_soundsl_shape.zbd"));
    let said = place.run(0, "info soundsl.zbd").out;
    assert!(said.contains("wav 1; wav, IMA ADPCM 2; wav, MS ADPCM 2\n"), "{said}");

    // A track from a disc, here silent: as long as some, with another sum.
    let audio = 13_956 * 2352u32;
    let format = [&[1, 0, 2, 0][..], &44_100u32.to_le_bytes(), &176_400u32.to_le_bytes(), &[4, 0, 16, 0]].concat();
    let head = [&b"RIFF"[..], &(audio + 36).to_le_bytes(), b"WAVEfmt ", &16u32.to_le_bytes(), &format, b"data", &audio.to_le_bytes()];
    place.write("track03.wav", [head.concat(), vec![0; audio as usize]].concat());
    let said = place.run(0, "info track03.wav").out;
    assert!(said.contains("as long as MechWarrior 3 1.0 (US), track 3; ") && said.contains("length    186.08 s"), "{said}");
    assert!(place.run(1, "verify track03.wav").err.contains("a sound, WAV: there is nothing to unpack"));
}
