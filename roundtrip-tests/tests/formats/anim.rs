//! Animation files: properties of all golden ones. Edits with bytes made by hand are in
//! `roundtrip-tests/cases/anim`.

use refit::{
    formats::Format,
    pipeline::{self, Hints},
    tree::{Folder, Source, Style},
    wire::{Line, Role},
};
use roundtrip_tests::*;

#[test]
fn every_golden_tree_is_typed() {
    for case in golden("anim") {
        let tree = unpack(&case, Hints::default(), Style::Json);
        assert!(
            tree.paths()
                .iter()
                .all(|p| !p.ends_with(".bin") || p == "trailing.bin"),
            "{}",
            case.path
        );
    }
}

/// A line of `explain`: start, end, path, role.
type Told = (u64, u64, String, Role);

/// The output of `explain` for a file, and why it stopped.
fn explained(bytes: &[u8]) -> (Vec<Told>, Option<String>) {
    let mut lines = Vec::new();
    let mut out = |line: Line| {
        lines.push((line.range.start, line.range.end, line.path, line.role));
        Ok(())
    };
    let hints = Hints {
        format: Some(Format::Anim),
        game: None,
    };
    let file = bytes::Bytes::copy_from_slice(bytes).into();
    let done = pipeline::explain(&file, "anim.zbd", hints, 0..u64::MAX, &mut out).unwrap();
    (lines, done.fault.map(|e| e.to_string()))
}

/// The value at a path of a document, or the file that the path is.
fn exists_in(tree: &Folder, path: &str) -> bool {
    let (document, path) = path.split_once(" › ").unwrap_or(("refit.json", path));
    if tree.has(path) {
        return true;
    }
    let Ok(bytes) = tree.get(document) else {
        return false;
    };
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
fn every_byte_is_explained_once_and_every_value_is_in_the_tree() {
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
            assert!(
                start == next && end > start && !path.is_empty(),
                "{name} at {next:#x}: {start:#x} to {end:#x} {path:?}"
            );
            next = end;
            nameless += if matches!(role, Role::Unknown | Role::Gap) && path != "trailing.bin" {
                end - start
            } else {
                0
            };
            if role == Role::Value && !exists_in(&tree, &path) {
                let field: String = path
                    .rsplit(" › ")
                    .next()
                    .unwrap()
                    .chars()
                    .filter(|c| !c.is_ascii_digit())
                    .collect();
                failed
                    .entry(field)
                    .or_insert(format!("{name} at {start:#x}: {path}"));
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
fn addresses_and_stale_memory_cause_no_findings() {
    let mut judged = 0;
    for case in golden("anim") {
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        for finding in pipeline::lint(&*opened.model).unwrap() {
            let last = finding.path.rsplit('.').next().unwrap_or_default();
            assert!(
                !last.contains("pointer") && !finding.path.contains("pointers."),
                "{}: {} {}",
                case.path,
                finding.code,
                finding.path
            );
            assert!(
                finding.code != "text-tail" || last != "path",
                "{}: {}",
                case.path,
                finding.path
            );
            judged += 1;
        }
    }
    assert!(judged > 100, "{judged}");
    // An event that no real file has is explained as before.
    let odd = golden_file("anim", "mw_v_fromto_delta_negzero.zbd");
    let opened = pipeline::open(&odd.bytes, &odd.path, Hints::default()).unwrap();
    assert!(
        pipeline::lint(&*opened.model)
            .unwrap()
            .iter()
            .any(|f| f.code == "odd-value")
    );
}
