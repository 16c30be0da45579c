//! The promises, checked with every golden, malformed and doubtful file of every format.

use rayon::prelude::*;
use refit::{
    ErrorKind,
    pipeline::{self, Hints, Via},
    tree::Style,
};
use roundtrip_tests::*;
use std::fmt::Write;

#[test]
fn every_golden_file_is_exact_through_bytes_json_and_ron() {
    let cases: Vec<Case> = folders("golden").iter().flat_map(|f| listed(f)).collect();
    assert!(cases.len() > 100, "{} golden files", cases.len());
    cases
        .par_iter()
        .for_each(|case| exact(case, Hints::default()));
}

#[test]
fn the_folder_is_the_format_that_is_detected() {
    for case in folders("golden").iter().flat_map(|f| listed(f)) {
        let found = pipeline::recognise(&case.bytes, &case.path, Hints::default())
            .unwrap_or_else(|e| panic!("{}: {e}", case.path));
        let name = found.format.name();
        // Archives without members, or with members of no kind, are plain archives; the files of
        // `archive` have members of all kinds.
        let kinds = [
            "archive", "reader", "motion", "savegame", "mechlib", "sounds",
        ];
        let ok = name == case.folder
            || kinds.contains(&name)
                && (name == "archive" || case.folder == "archive")
                && kinds.contains(&&*case.folder);
        assert!(ok, "{} was taken for {name}", case.path);
    }
}

/// `errors.snap` in each folder has the kind, the offset and the line of each error.
#[test]
fn every_malformed_file_is_refused_with_its_error() {
    for folder in folders("roundtrip-tests/malformed") {
        let mut errors = String::new();
        for case in listed(&folder) {
            let Err(e) = pipeline::verify(&case.bytes, &case.path, Hints::default(), Via::Json)
            else {
                panic!("{} was accepted", case.path)
            };
            assert!(
                e.kind() != ErrorKind::Internal && !e.to_string().contains('\n'),
                "{}: {e}",
                case.path
            );
            let name = case.path.rsplit('/').next().unwrap_or_default();
            let offset = e.offset().map_or("-".to_owned(), |at| format!("{at:#x}"));
            writeln!(errors, "{name}: {:?} {offset}: {e}", e.kind()).unwrap();
        }
        insta::with_settings!({ snapshot_path => root().join(&folder), prepend_module_to_snapshot => false,
            omit_expression => true }, {
            insta::assert_snapshot!("errors", errors);
        });
    }
}

#[test]
fn doubtful_files_are_refused_or_exact() {
    for case in folders("roundtrip-tests/doubtful")
        .iter()
        .flat_map(|f| listed(f))
    {
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            survives(&case.bytes, &case.path, Hints::default(), via);
        }
    }
}

/// Damage is the same on every system: Windows has a part of the places, as Wine is slow.
const PART: usize = if cfg!(windows) { 10 } else { 1 };

#[test]
fn every_cut_and_every_corrupt_byte_is_refused_or_exact() {
    let mut cases: Vec<Case> = folders("golden").iter().flat_map(|f| listed(f)).collect();
    cases.retain(|c| c.bytes.len() <= 4096);
    cases
        .par_iter()
        .for_each(|case| total(case, Hints::default(), Via::Bytes, 4096 / PART));
    // The same through text, where every step is slower: a part of the places.
    cases
        .par_iter()
        .for_each(|case| total(case, Hints::default(), Via::Json, 60 / PART));
    cases
        .par_iter()
        .for_each(|case| total(case, Hints::default(), Via::Ron, 20 / PART));
}

#[test]
fn larger_files_survive_damage_in_many_places() {
    let mut cases: Vec<Case> = folders("golden").iter().flat_map(|f| listed(f)).collect();
    cases.retain(|c| c.bytes.len() > 4096);
    cases
        .par_iter()
        .for_each(|case| total(case, Hints::default(), Via::Bytes, 200 / PART));
}

#[test]
fn trees_repack_from_disk_too() {
    use refit::tree::{DirSink, DirSource, Sink, Source};
    for folder in folders("golden") {
        for case in listed(&folder).into_iter().take(6) {
            for style in [Style::Json, Style::Ron] {
                let tree = unpack(&case, Hints::default(), style);
                let dir = tempfile::tempdir().expect("a temporary folder");
                let sink = DirSink::new(dir.path());
                for path in tree.paths() {
                    sink.put(&path, &tree.get(&path).expect("listed"))
                        .unwrap_or_else(|e| panic!("{}: {e}", case.path));
                }
                let (_, bytes) = pipeline::repack(&DirSource::new(dir.path()))
                    .unwrap_or_else(|e| panic!("{}: {e}", case.path));
                assert_bytes(&bytes, &case.bytes);
            }
        }
    }
}

/// Trees of small golden files as they read. After a deliberate change:
/// `INSTA_UPDATE=always cargo test`, then look at the difference.
#[test]
fn trees_match_their_snapshots() {
    for folder in folders("golden") {
        let format = folder.trim_start_matches("golden/").to_owned();
        for case in listed(&folder)
            .into_iter()
            .filter(|c| c.bytes.len() <= 3000)
        {
            let name = case.path.trim_start_matches("golden/").replace('/', "__");
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(root().join("golden").join(&format).join("trees"));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| {
                insta::assert_snapshot!(name, shown(&unpack(&case, Hints::default(), Style::Json)))
            });
        }
    }
}

/// The user's own games:
/// `REFIT_GAME_DIR=/path/to/games cargo test -p roundtrip-tests games -- --ignored --nocapture`.
#[test]
#[ignore = "needs the folder of a game in REFIT_GAME_DIR"]
fn games_of_the_user() {
    let dir =
        std::env::var_os("REFIT_GAME_DIR").expect("REFIT_GAME_DIR names the folder of a game");
    let mut checked = 0;
    for entry in walk(std::path::Path::new(&dir)) {
        let bytes = bytes::Bytes::from(
            std::fs::read(&entry).unwrap_or_else(|e| panic!("{}: {e}", entry.display())),
        );
        let path = roundtrip_tests::process::shown(&entry);
        if pipeline::recognise(&bytes, &path, Hints::default()).is_ok() {
            exact(
                &Case {
                    path,
                    folder: String::new(),
                    bytes,
                },
                Hints::default(),
            );
            checked += 1;
        }
    }
    assert!(
        checked > 0,
        "no file below {} is one that refit knows",
        dir.display()
    );
    println!("{checked} files are exact");
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir)
            .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
            .filter_map(|e| e.ok())
        {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => todo.push(entry.path()),
                Ok(kind) if kind.is_file() => out.push(entry.path()),
                _ => {}
            }
        }
    }
    out
}
