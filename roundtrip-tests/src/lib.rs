//! Shared by the round-trip tests: golden files, the promises as assertions, and edits of trees in
//! memory.
//!
//! A folder of test files is listed by its `SHA256SUMS`: `golden/FORMAT` (must be exact),
//! `roundtrip-tests/malformed/FORMAT` (must be refused), `roundtrip-tests/doubtful/FORMAT`
//! (either).

pub mod addons;
pub mod by_hand;
pub mod cases;
pub mod edits;
pub mod fixtures;
pub mod folders;
pub mod games;
pub mod khronos;
pub mod leaks;
pub mod mcp;
pub mod mech3ax;
pub mod plays;
pub mod process;
pub mod sequences;
pub mod serve;
pub mod trips;
pub mod verbs;

pub use process::program;

use bytes::Bytes;
use refit::{
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};
use serde_json::Value;
use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// A test file.
pub struct Case {
    /// Path for messages and as a hint for the detection.
    pub path: String,
    /// Folder it is listed in: the format.
    pub folder: String,
    /// Content.
    pub bytes: Bytes,
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the repository")
        .to_owned()
}

/// The files listed in `FOLDER/SHA256SUMS`, with their sums checked; `folder` is below the
/// repository's root.
pub fn listed(folder: &str) -> Vec<Case> {
    let dir = root().join(folder);
    let sums = std::fs::read_to_string(dir.join("SHA256SUMS"))
        .unwrap_or_else(|e| panic!("{folder}/SHA256SUMS: {e}"));
    let cases: Vec<Case> = sums
        .lines()
        .map(|line| {
            let (sum, name) = line
                .split_once("  ")
                .unwrap_or_else(|| panic!("{folder}/SHA256SUMS: {line:?}"));
            let bytes =
                std::fs::read(dir.join(name)).unwrap_or_else(|e| panic!("{folder}/{name}: {e}"));
            assert_eq!(
                refit::sha256(&bytes),
                sum,
                "{folder}/{name} is not the file that SHA256SUMS lists"
            );
            Case {
                path: format!("{folder}/{name}"),
                folder: folder.rsplit('/').next().unwrap_or_default().to_owned(),
                bytes: bytes.into(),
            }
        })
        .collect();
    assert!(!cases.is_empty(), "{folder}/SHA256SUMS lists nothing");
    cases
}

/// The golden files of a format.
pub fn golden(format: &str) -> Vec<Case> {
    listed(&format!("golden/{format}"))
}

/// One golden file.
pub fn golden_file(format: &str, name: &str) -> Case {
    let path = format!("golden/{format}/{name}");
    golden(format)
        .into_iter()
        .find(|c| c.path == path)
        .unwrap_or_else(|| panic!("{path} is not listed"))
}

/// All folders with a `SHA256SUMS` below a folder of the repository.
pub fn folders(below: &str) -> Vec<String> {
    let mut out: Vec<String> = std::fs::read_dir(root().join(below))
        .unwrap_or_else(|e| panic!("{below}: {e}"))
        .filter_map(|e| e.ok())
        .filter(|e| e.path().join("SHA256SUMS").is_file())
        .map(|e| format!("{below}/{}", e.file_name().to_string_lossy()))
        .collect();
    out.sort();
    out
}

/// Promise 1: identical through bytes, JSON and RON, structured, and no member given up.
pub fn exact(case: &Case, hints: Hints) {
    for via in [Via::Bytes, Via::Json, Via::Ron] {
        match pipeline::verify(&case.bytes, &case.path, hints, via) {
            Ok(outcome) => assert!(
                outcome.raw.is_empty(),
                "{} via {via:?}: {:?}",
                case.path,
                outcome.raw
            ),
            Err(e) => panic!("{} via {via:?}: {e}", case.path),
        }
    }
}

/// Promise 2 for damaged bytes: an error or an identical file. Never a panic, never a difference.
pub fn survives(bytes: &Bytes, path: &str, hints: Hints, via: Via) {
    match pipeline::verify(bytes, path, hints, via) {
        Ok(outcome) => {
            if let Some((_, why)) = outcome.raw.iter().find(|(member, _)| member.is_empty()) {
                panic!(
                    "{path} ({} bytes): accepted but not given back: {why}",
                    bytes.len()
                );
            }
        }
        Err(e) => assert!(
            !e.to_string().contains("internal error"),
            "{path} ({} bytes): {e}",
            bytes.len()
        ),
    }
}

/// Every truncation and one corruption of every byte of a file; at most `most` of each, spread over
/// the file.
pub fn total(case: &Case, hints: Hints, via: Via, most: usize) {
    let n = case.bytes.len();
    let step = n.div_ceil(most.max(1)).max(1);
    for cut in (0..n).step_by(step) {
        survives(&case.bytes.slice(..cut), &case.path, hints, via);
    }
    for at in (0..n).step_by(step) {
        let mut bytes = case.bytes.to_vec();
        bytes[at] ^= [0x01, 0x80, 0xff, 0x10][at % 4];
        survives(&bytes.into(), &case.path, hints, via);
    }
}

/// A file's tree in memory, proved.
pub fn unpack(case: &Case, hints: Hints, style: Style) -> Folder {
    let folder = Folder::new();
    let outcome = pipeline::unpack(
        &case.bytes,
        &case.path,
        hints,
        style,
        true,
        &folder,
        &|| Ok(()),
    )
    .unwrap_or_else(|e| panic!("{}: {e}", case.path));
    assert!(
        outcome.raw.iter().all(|(member, _)| !member.is_empty()),
        "{}: {:?}",
        case.path,
        outcome.raw
    );
    folder
}

/// Repacks a tree.
pub fn repack(folder: &Folder) -> Vec<u8> {
    pipeline::repack(folder).unwrap_or_else(|e| panic!("{e}")).1
}

/// The error of repacking a tree.
pub fn repack_error(folder: &Folder) -> String {
    match pipeline::repack(folder) {
        Ok((_, bytes)) => panic!(
            "repacked to {} bytes where an error was expected",
            bytes.len()
        ),
        Err(e) => e.to_string(),
    }
}

/// Replaces `from` by `to` in a text file of a tree; it must occur exactly once.
pub fn edit(folder: &Folder, path: &str, from: &str, to: &str) {
    let text = folder.text(path);
    assert_eq!(
        text.matches(from).count(),
        1,
        "{from:?} must stand once in {path}:\n{text}"
    );
    folder.set(path, text.replacen(from, to, 1).into_bytes());
}

/// The path of a document of a tree with this prefix.
pub fn path(tree: &Folder, prefix: &str) -> String {
    tree.paths()
        .into_iter()
        .find(|p| p.starts_with(prefix))
        .unwrap_or_else(|| panic!("no {prefix}"))
}

/// A document of a tree whose path has this prefix.
pub fn document(tree: &Folder, prefix: &str) -> Value {
    serde_json::from_str(&tree.text(&path(tree, prefix))).expect("a document is JSON")
}

/// Changes a document of a tree as a value.
pub fn change(tree: &Folder, prefix: &str, edit: impl FnOnce(&mut Value)) {
    let mut value = document(tree, prefix);
    edit(&mut value);
    tree.set(&path(tree, prefix), value.to_string().into_bytes());
}

/// Asserts equal bytes; a difference is shown as two lines of hexadecimal around it.
#[track_caller]
pub fn assert_bytes(found: &[u8], expected: &[u8]) {
    if found == expected {
        return;
    }
    let at = found
        .iter()
        .zip(expected)
        .position(|(a, b)| a != b)
        .unwrap_or(found.len().min(expected.len()));
    let from = at.saturating_sub(8);
    let show = |bytes: &[u8]| {
        refit::wire::hex_of(
            bytes
                .get(from..(from + 32).min(bytes.len()))
                .unwrap_or_default(),
        )
    };
    panic!(
        "the bytes differ from {at:#x}\n   found ({:6} bytes) {}\nexpected ({:6} bytes) {}",
        found.len(),
        show(found),
        expected.len(),
        show(expected)
    );
}

/// A tree as one text, for snapshots: texts in full, other files by size and checksum. The list of
/// checksums and the schemas are left out.
pub fn shown(folder: &Folder) -> String {
    let mut out = String::new();
    for path in folder
        .paths()
        .into_iter()
        .filter(|p| !p.starts_with(".refit/") && p != ".gitattributes")
    {
        let bytes = folder.get(&path).unwrap_or_else(|e| panic!("{e}"));
        match std::str::from_utf8(&bytes) {
            Ok(text)
                if text
                    .chars()
                    .all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')) =>
            {
                let lines: Vec<&str> = text.lines().collect();
                out.push_str(&format!("=== {path}\n"));
                for line in lines.iter().take(60) {
                    out.push_str(line);
                    out.push('\n');
                }
                if lines.len() > 60 {
                    out.push_str(&format!("… {} lines more\n", lines.len() - 60));
                }
            }
            _ => out.push_str(&format!(
                "=== {path}: {} bytes, {}\n",
                bytes.len(),
                refit::sha256(&bytes).get(..16).unwrap_or_default()
            )),
        }
    }
    out
}

/// The differences of two files: where, and what became what. Long runs are given by their length
/// and SHA-256.
pub fn changes(a: &[u8], b: &[u8]) -> Vec<String> {
    let single = |i: usize| (i..i + 1, i..i + 1);
    let changed: Vec<(Range<usize>, Range<usize>)> = if a.len() == b.len() {
        (0..a.len())
            .filter(|i| a[*i] != b[*i])
            .map(single)
            .collect()
    } else {
        let ops = similar::capture_diff_slices(similar::Algorithm::Myers, a, b);
        ops.iter()
            .filter(|op| op.tag() != similar::DiffTag::Equal)
            .map(|op| (op.old_range(), op.new_range()))
            .collect()
    };
    let mut runs: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (old, new) in changed {
        match runs.last_mut() {
            // Few equal bytes between two changes belong to them.
            Some((last, other)) if old.start < last.end + 4 => {
                (last.end, other.end) = (old.end, new.end)
            }
            _ => runs.push((old, new)),
        }
    }
    let hex = |bytes: &[u8]| match bytes.len() {
        0 => "nothing".to_owned(),
        1..=48 => refit::wire::hex_of(bytes),
        n => format!("{n} bytes {}", &refit::sha256(bytes)[..16]),
    };
    let shown = |(old, new): (Range<usize>, Range<usize>)| {
        format!(
            "{:#x}: {} → {}",
            old.start,
            hex(&a[old.clone()]),
            hex(&b[new])
        )
    };
    runs.into_iter().map(shown).collect()
}

/// Sets the value at a JSON pointer, or removes it. In lists, `-` is a new last item and `+3` a new
/// item before item 3.
pub fn set(document: &mut Value, pointer: &str, value: Option<Value>) -> Option<()> {
    let (parent, key) = pointer.rsplit_once('/')?;
    match (document.pointer_mut(parent)?, value) {
        (Value::Object(fields), Some(value)) => drop(fields.insert(key.to_owned(), value)),
        (Value::Object(fields), None) => drop(fields.remove(key)?),
        (Value::Array(items), Some(value)) if key == "-" => items.push(value),
        (Value::Array(items), Some(value)) if key.starts_with('+') => {
            items.insert(key.parse().ok().filter(|i| *i <= items.len())?, value)
        }
        (Value::Array(items), Some(value)) => *items.get_mut(key.parse::<usize>().ok()?)? = value,
        (Value::Array(items), None) => {
            drop(items.remove(key.parse().ok().filter(|i| *i < items.len())?))
        }
        _ => return None,
    }
    Some(())
}
