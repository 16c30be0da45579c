//! Writing files: what is replaced, and what is kept.

use super::{
    backup::*, edited::*, originals::*, own::*, paths::*, read::*, rule::*, seen::*, staged::*,
    together::*, turn::*, write::*, *,
};
use crate::{Sum, wire::Error};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

#[test]
fn large_files_are_read_whole() {
    let dir = tempfile::tempdir().unwrap();
    for more in [0, 1, 70_001] {
        let content: Vec<u8> = (0..SHARED as u32 + more)
            .map(|i| (i ^ i >> 11) as u8)
            .collect();
        let path = dir.path().join(more.to_string());
        fs::write(&path, &content).unwrap();
        assert!(read(&path).unwrap() == content);
    }
    assert!(
        read(&dir.path().join("none"))
            .unwrap_err()
            .to_string()
            .contains("no such file")
    );
    assert!(read(dir.path()).is_err());
}

#[test]
fn large_files_are_written_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new/file");
    let piece: Vec<u8> = (0..1_000_003u32).map(|i| (i ^ i >> 7) as u8).collect();
    let pieces = |out: &mut (dyn Write + Send)| {
        (0..20).try_for_each(|_| out.write_all(&piece).map_err(Error::stopped))
    };
    let stopped =
        |out: &mut (dyn Write + Send)| pieces(out).and_then(|()| Err(Error::say("no more")));
    assert!(
        write_file_with(&path, Replace::default(), stopped)
            .unwrap_err()
            .to_string()
            .contains("no more")
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    write_file_with(&path, Replace::default(), pieces).unwrap();
    assert!(fs::read(&path).unwrap() == piece.repeat(20));
}

/// A folder with a file that refit did not write.
fn with_file() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.zbd");
    fs::write(&path, "pristine").unwrap();
    (dir, path)
}

fn names(dir: &tempfile::TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn over(path: &Path, bytes: &str) -> Written {
    write_file(path, bytes.as_bytes(), Replace::new(true)).unwrap()
}

#[test]
fn names_of_originals() {
    for (name, is) in [
        ("a.orig", true),
        ("a.zbd.ORIG", true),
        ("a.orig.2", true),
        ("a.orig.x", false),
        (".orig", false),
        ("orig", false),
    ] {
        assert_eq!(is_original(Path::new(name)), is, "{name}");
    }
}

#[test]
fn names_that_windows_refuses_are_refused_with_the_reason() {
    let (dir, path) = with_file();
    for (below, why) in [
        ("con", "device"),
        ("sub/nul.txt", "device"),
        ("a?b", "'?'"),
        ("new./x", "dot"),
        ("xx:y", "':'"),
    ] {
        assert!(
            unusable_in(&dir.path().join(below)).is_some_and(|said| said.contains(why)),
            "{below}"
        );
    }
    assert!(
        unusable_in(&path).is_none() && unusable_in(&dir.path().join("new/file.zbd")).is_none()
    );
    assert!(
        writable_hint(true, &path).contains("attrib -r \"")
            && !writable_hint(false, &path).contains("attrib")
    );
}

/// If the system cannot swap two folders in one step, there is a moment when neither is in
/// place.
#[test]
fn a_folder_is_restored_after_an_interrupted_replacement() {
    for aside in [None, Some("tree.old")] {
        let dir = tempfile::tempdir().unwrap();
        let (target, temp) = (dir.path().join("tree"), dir.path().join(".refit-x.tmp"));
        fs::create_dir_all(temp.join("tree")).unwrap();
        fs::create_dir(&target).unwrap();
        fs::write(target.join("file"), "old").unwrap();
        let to = aside.map_or(temp.join("old"), |name| dir.path().join(name));
        turn::note_replaced(&temp.join("tree"), &target, aside.map(|_| to.as_path()));
        fs::write(temp.join("in-use"), "").unwrap();
        fs::rename(&target, &to).unwrap();
        turn::sweep(dir.path());
        assert_eq!(names(&dir), ["tree"], "{:?}", remarks());
        assert_eq!(fs::read_to_string(target.join("file")).unwrap(), "old");
        assert!(
            remarks()
                .iter()
                .any(|remark| remark.contains("tree: put back"))
        );
    }
    // Existing folders are left alone, and only names inside the folder are followed.
    let dir = tempfile::tempdir().unwrap();
    let temp = dir.path().join("sub/.refit-x.tmp");
    for folder in ["old", "tree"] {
        fs::create_dir_all(temp.join(folder)).unwrap();
    }
    for name in ["../tree", "..", "", "/tree", "there"] {
        fs::create_dir_all(dir.path().join("sub/there")).unwrap();
        fs::write(temp.join("replaces"), name).unwrap();
        fs::write(temp.join("in-use"), "").unwrap();
        turn::sweep(&dir.path().join("sub"));
        assert!(
            temp.join("old").is_dir() && names(&dir) == ["sub"],
            "{name}"
        );
    }
}

/// The whole procedure on systems that cannot swap.
#[test]
fn folders_are_replaced_where_they_cannot_be_swapped() {
    NO_EXCHANGE.set(true);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("tree");
    let put = |text: &str| {
        let staged = StagedDir::new(&target, true).unwrap();
        fs::create_dir_all(staged.folder()).unwrap();
        fs::write(staged.folder().join("refit.json"), text).unwrap();
        staged.commit().unwrap()
    };
    put("one");
    assert!(put("two").aside.is_none());
    assert_eq!(names(&dir), ["tree"]);
    fs::write(target.join("edited"), "x").unwrap();
    assert_eq!(
        put("three")
            .aside
            .map(|aside| aside.file_name().unwrap().to_owned()),
        Some("tree.old".into())
    );
    assert_eq!(
        (
            names(&dir),
            fs::read_to_string(target.join("refit.json")).unwrap()
        ),
        (vec!["tree".into(), "tree.old".into()], "three".into())
    );
    NO_EXCHANGE.set(false);
}

/// What is kept of a file depends on its writer, with and without attributes.
#[test]
fn only_files_of_other_programs_are_kept() {
    for without in [false, true] {
        own::WITHOUT.set(without);
        let (dir, path) = with_file();
        let kept = over(&path, "one").kept.unwrap();
        assert!(kept.path.ends_with("a.zbd.orig") && !kept.foreign);
        assert!(over(&path, "two").kept.is_none());
        assert!(over(&path, "two").unchanged);
        // A patch changes the file.
        fs::write(&path, "patched").unwrap();
        let kept = over(&path, "three").kept.unwrap();
        assert!(kept.path.ends_with("a.zbd.orig.2") && kept.foreign);
        assert_eq!(fs::read_to_string(&kept.path).unwrap(), "patched");
        fs::write(&path, "pristine").unwrap();
        assert!(over(&path, "four").kept.is_none());
        // refit's own file is kept only if it is edited in place or is the source of the new
        // file.
        let made = dir.path().join("made");
        assert!(
            write_file(&made, b"x", Replace::default())
                .unwrap()
                .kept
                .is_none()
        );
        assert!(over(&made, "y").kept.is_none());
        let may = Replace {
            source: Some(Sum::of(b"y")),
            ..Replace::new(true)
        };
        assert!(!write_file(&made, b"z", may).unwrap().kept.unwrap().foreign);
        let other = dir.path().join("other");
        over(&other, "x");
        assert!(
            write_file(
                &other,
                b"y",
                Replace {
                    backup: Backup::First,
                    ..Replace::new(true)
                }
            )
            .unwrap()
            .kept
            .is_some()
        );

        assert_eq!(original(&path).unwrap().restore().unwrap(), None);
        assert_eq!(fs::read_to_string(&path).unwrap(), "pristine");
        let list = without.then_some(own::LIST);
        let expected = list.into_iter().chain([
            "a.zbd",
            "a.zbd.orig.2",
            "made",
            "made.orig",
            "other",
            "other.orig",
        ]);
        assert_eq!(names(&dir), expected.collect::<Vec<_>>());
        // The file is the original again, so it is kept again.
        assert!(over(&path, "five").kept.is_some());
        original(&path).unwrap().restore().unwrap();
        for other in ["made", "other"] {
            original(&dir.path().join(other))
                .unwrap()
                .restore()
                .unwrap();
        }
        assert_eq!(names(&dir).contains(&own::LIST.to_owned()), without);
    }
    own::WITHOUT.set(false);
}

#[test]
fn an_empty_list_of_checksums_is_deleted() {
    own::WITHOUT.set(true);
    let (dir, path) = with_file();
    over(&path, "one");
    let list = fs::read_to_string(dir.path().join(own::LIST)).unwrap();
    assert_eq!(
        list,
        format!(
            "{}  a.zbd.orig\n{}  a.zbd\n",
            Sum::of(b"pristine"),
            Sum::of(b"one")
        )
    );
    assert!(original(&path).unwrap().noted);
    original(&path).unwrap().restore().unwrap();
    own::WITHOUT.set(false);
    assert_eq!(names(&dir), ["a.zbd"]);
}

#[test]
fn a_file_that_is_gone_is_not_listed() {
    own::WITHOUT.set(true);
    let (dir, path) = with_file();
    NoteMark::Original.note(&original_path(&path), "a sum");
    own::WITHOUT.set(false);
    assert_eq!(names(&dir), ["a.zbd"]);
}

/// Two instances at once, each about to replace a file that the other did not see.
#[test]
fn files_that_changed_in_the_meantime_are_not_replaced() {
    let (dir, path) = with_file();
    let meanwhile = |inside: &dyn Fn()| {
        let work = |out: &mut (dyn Write + Send)| {
            inside();
            out.write_all(b"mine").map_err(Error::stopped)
        };
        let error = write_file_with(&path, Replace::new(true), work)
            .unwrap_err()
            .to_string();
        assert!(error.contains("changed while refit was at work"), "{error}");
    };
    meanwhile(&|| drop(over(&path, "theirs")));
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    meanwhile(&|| drop(original(&path).unwrap().restore().unwrap()));
    assert_eq!(fs::read_to_string(&path).unwrap(), "pristine");
    meanwhile(&|| fs::remove_file(&path).unwrap());
    assert_eq!(names(&dir), [""; 0]);
    // An edit in place replaces only the content that was read, regardless of timestamps.
    fs::write(&path, "second").unwrap();
    assert!(
        write_file(
            &path,
            b"mine",
            Replace {
                read: Some(Sum::of(b"first!")),
                ..Replace::new(true)
            }
        )
        .is_err()
    );
    assert_eq!(names(&dir), ["a.zbd"]);

    let target = dir.path().join("tree");
    let (one, two) = (
        StagedDir::new(&target, true).unwrap(),
        StagedDir::new(&target, true).unwrap(),
    );
    for (staged, text) in [(&one, "1"), (&two, "2")] {
        super::super::Sink::put(&staged.sink(), "refit.json", text.as_bytes()).unwrap();
    }
    one.commit().unwrap();
    assert!(
        two.commit()
            .unwrap_err()
            .to_string()
            .contains("changed while refit was at work")
    );
    assert_eq!(fs::read_to_string(target.join("refit.json")).unwrap(), "1");
    assert_eq!(names(&dir), ["a.zbd", "tree"]);
}

#[test]
fn turns_wait_for_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let turn = Turn::take(dir.path()).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _turn = Turn::take(dir.path()).unwrap();
            sender.send(()).unwrap();
        });
        assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
        drop(turn);
        receiver.recv().unwrap();
    });
}

#[test]
fn leftovers_are_removed_once_they_are_unlocked() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| fs::File::create(dir.path().join(name)).unwrap();
    let hour = Duration::from_secs(3600);
    file(".refit-left.tmp");
    // The clock was set back since.
    file(".refit-future.tmp")
        .set_modified(SystemTime::now() + 48 * hour)
        .unwrap();
    let held = file(".refit-held.tmp");
    held.set_modified(SystemTime::now() - 48 * hour).unwrap();
    turn::claim_file(&held);
    file(".refit-written");
    let folder = |name: &str| {
        fs::create_dir_all(dir.path().join(name).join("tree")).unwrap();
        dir.path().join(name)
    };
    let lived = turn::claim_folder(&folder(".refit-lives.tmp")).unwrap();
    drop(turn::claim_folder(&folder(".refit-ended.tmp")).unwrap());
    folder(".refit-replaces.tmp/old");
    turn::sweep(dir.path());
    drop((held, lived));
    assert_eq!(
        names(&dir),
        [
            ".refit-held.tmp",
            ".refit-lives.tmp",
            ".refit-replaces.tmp",
            ".refit-written"
        ]
    );
    let remarks = remarks().join("\n");
    for expected in [
        ".refit-left.tmp: left by",
        ".refit-future.tmp: left by",
        ".refit-ended.tmp: left by",
        "old contains a folder",
    ] {
        assert!(remarks.contains(expected), "{remarks}");
    }
}

#[test]
fn edits_of_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("tree");
    let make = || {
        let staged = StagedDir::new(&target, true).unwrap();
        for name in ["refit.json", "a/same", "a/edited", "gone"] {
            super::super::Sink::put(&staged.sink(), name, b"x").unwrap();
        }
        staged.commit().unwrap()
    };
    assert!(make().aside.is_none());
    fs::write(target.join("a/.DS_Store"), "").unwrap();
    fs::create_dir(target.join("empty")).unwrap();
    assert_eq!(edits(&target).unwrap(), []);
    assert!(make().aside.is_none());
    fs::write(target.join("a/edited"), "y").unwrap();
    fs::write(target.join("a/.new"), "z").unwrap();
    fs::remove_file(target.join("gone")).unwrap();
    let all = [
        ("a/.new", Change::Added),
        ("a/edited", Change::Modified),
        ("gone", Change::Deleted),
    ];
    assert_eq!(
        edits(&target).unwrap(),
        all.map(|(path, change)| (path.to_owned(), change))
    );
    let done = make();
    let aside = done.aside.unwrap();
    assert!(aside.ends_with("tree.old") && done.edits.unwrap().unwrap().len() == 3);
    assert_eq!(fs::read_to_string(aside.join("a/.new")).unwrap(), "z");
    // Without checksums, edits are unknown, so nothing is discarded.
    fs::remove_file(target.join(super::super::sums::SUMS)).unwrap();
    let done = make();
    assert!(done.aside.unwrap().ends_with("tree.old.2") && done.edits.unwrap().is_err());
    assert_eq!(names(&dir), ["tree", "tree.old", "tree.old.2"]);
}

/// Where folders cannot be swapped, they are renamed one after the other.
/// Notes, trees and lists of earlier versions have SHA-256.
#[test]
fn records_of_an_earlier_version_are_recognised() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let old = |bytes: &[u8]| Sum::parse(&crate::sha256(bytes));
    fs::write(&path, "first").unwrap();
    NoteMark::Written.note(&path, &old(b"first").to_string());
    assert!(current_note(&path).is_some());
    assert!(has_content(&path, 5, &old(b"first")) && !has_content(&path, 5, &old(b"other")));
    // refit wrote it: no copy is kept.
    let may = Replace {
        read: Some(old(b"first")),
        ..Replace::new(true)
    };
    assert!(write_file(&path, b"second", may).unwrap().kept.is_none());
    assert!(write_file(&path, b"third", may).is_err());
    // The source of the new file is kept.
    let may = Replace {
        source: Some(old(b"second")),
        ..Replace::new(true)
    };
    let later = |out: &mut (dyn Write + Send)| {
        out.write_all(b"third").map_err(Error::stopped)?;
        out.flush().map_err(Error::stopped)?;
        // Files that are older than a tick of the clock are remembered.
        std::thread::sleep(Duration::from_millis(60));
        Ok(())
    };
    let written = write_file_with(&path, may, later).unwrap();
    assert!(!written.kept.unwrap().foreign);
    assert_eq!(written.sum, old(b"third"));
    assert_eq!(standing(&path).unwrap(), Some(Sum::of(b"third")));
    assert!(write_file(&path, b"third", may).unwrap().unchanged);
    let mut together = Together::begin(dir.path(), "repack").unwrap().0;
    let put = |out: &mut (dyn Write + Send)| out.write_all(b"fourth").map_err(Error::stopped);
    together.write(&path, may, put, |_, _| Ok(())).unwrap();
    together.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"fourth");
    assert!(current_note(&path).is_some());
    assert!(original(&path).unwrap().noted);
}

#[test]
fn a_folder_that_cannot_be_put_in_place_leaves_the_old_one() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["target", "keep"] {
        fs::create_dir(at(name)).unwrap();
        fs::write(at(name).join("old"), name).unwrap();
    }
    assert!(swap(&at("missing"), &at("target"), &at("aside")).is_err());
    assert!(set_aside(&at("missing"), &at("keep"), &at("keep.old")).is_err());
    assert_eq!(names(&dir), ["keep", "target"]);
    assert_eq!(fs::read_to_string(at("keep").join("old")).unwrap(), "keep");
}
