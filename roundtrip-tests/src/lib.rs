//! What the round-trip tests share: golden files, the promises as assertions, and edits of trees in memory.
//!
//! A folder of test files is listed by its `SHA256SUMS`: `golden/FORMAT` (must be exact), `roundtrip-tests/malformed/FORMAT`
//! (must be refused), `roundtrip-tests/doubtful/FORMAT` (either).

pub mod edits;
pub mod games;
pub mod khronos;
pub mod leaks;
pub mod process;
pub mod sequences;
pub mod trips;

pub use process::program;

use bytes::Bytes;
use refit::{
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};
use std::path::{Path, PathBuf};

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
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the repository").to_owned()
}

/// The files listed in `FOLDER/SHA256SUMS`, with their sums checked; `folder` is below the repository's root.
pub fn listed(folder: &str) -> Vec<Case> {
    let dir = root().join(folder);
    let sums = std::fs::read_to_string(dir.join("SHA256SUMS")).unwrap_or_else(|e| panic!("{folder}/SHA256SUMS: {e}"));
    let cases: Vec<Case> = sums
        .lines()
        .map(|line| {
            let (sum, name) = line.split_once("  ").unwrap_or_else(|| panic!("{folder}/SHA256SUMS: {line:?}"));
            let bytes = std::fs::read(dir.join(name)).unwrap_or_else(|e| panic!("{folder}/{name}: {e}"));
            assert_eq!(refit::sha256(&bytes), sum, "{folder}/{name} is not the file that SHA256SUMS lists");
            Case { path: format!("{folder}/{name}"), folder: folder.rsplit('/').next().unwrap_or_default().to_owned(), bytes: bytes.into() }
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
    golden(format).into_iter().find(|c| c.path == path).unwrap_or_else(|| panic!("{path} is not listed"))
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
            Ok(outcome) => assert!(outcome.raw.is_empty(), "{} via {via:?}: {:?}", case.path, outcome.raw),
            Err(e) => panic!("{} via {via:?}: {e}", case.path),
        }
    }
}

/// Promise 2 for damaged bytes: an error or an identical file. Never a panic, never a difference.
pub fn survives(bytes: &Bytes, path: &str, hints: Hints, via: Via) {
    match pipeline::verify(bytes, path, hints, via) {
        Ok(outcome) => {
            if let Some((_, why)) = outcome.raw.iter().find(|(member, _)| member.is_empty()) {
                panic!("{path} ({} bytes): accepted but not given back: {why}", bytes.len());
            }
        }
        Err(e) => assert!(!e.to_string().contains("internal error"), "{path} ({} bytes): {e}", bytes.len()),
    }
}

/// Every truncation and one corruption of every byte of a file; at most `most` of each, spread over the file.
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
    let outcome =
        pipeline::unpack(&case.bytes, &case.path, hints, style, true, &folder, &|| Ok(())).unwrap_or_else(|e| panic!("{}: {e}", case.path));
    assert!(outcome.raw.iter().all(|(member, _)| !member.is_empty()), "{}: {:?}", case.path, outcome.raw);
    folder
}

/// The bytes that a tree gives.
pub fn repack(folder: &Folder) -> Vec<u8> {
    pipeline::repack(folder).unwrap_or_else(|e| panic!("{e}")).1
}

/// The error that a tree gives.
pub fn repack_error(folder: &Folder) -> String {
    match pipeline::repack(folder) {
        Ok((_, bytes)) => panic!("repacked to {} bytes where an error was expected", bytes.len()),
        Err(e) => e.to_string(),
    }
}

/// Replaces `from` by `to` in a text file of a tree; it must stand there exactly once.
pub fn edit(folder: &Folder, path: &str, from: &str, to: &str) {
    let text = folder.text(path);
    assert_eq!(text.matches(from).count(), 1, "{from:?} must stand once in {path}:\n{text}");
    folder.set(path, text.replacen(from, to, 1).into_bytes());
}

/// Asserts equal bytes; a difference is shown as two lines of hexadecimal around it.
#[track_caller]
pub fn assert_bytes(found: &[u8], expected: &[u8]) {
    if found == expected {
        return;
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
    let from = at.saturating_sub(8);
    let show = |bytes: &[u8]| refit::wire::hex_of(bytes.get(from..(from + 32).min(bytes.len())).unwrap_or_default());
    panic!(
        "the bytes differ from {at:#x}\n   found ({:6} bytes) {}\nexpected ({:6} bytes) {}",
        found.len(),
        show(found),
        expected.len(),
        show(expected)
    );
}

/// A tree as one text, for snapshots: what is text as it stands, the rest by size and sum. Sums and schemas are left out.
pub fn shown(folder: &Folder) -> String {
    let mut out = String::new();
    for path in folder.paths().into_iter().filter(|p| !p.starts_with(".refit/") && p != ".gitattributes") {
        let bytes = folder.get(&path).unwrap_or_else(|e| panic!("{e}"));
        match std::str::from_utf8(&bytes) {
            Ok(text) if text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r')) => {
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
            _ => out.push_str(&format!("=== {path}: {} bytes, {}\n", bytes.len(), refit::sha256(&bytes).get(..16).unwrap_or_default())),
        }
    }
    out
}

/// Builds ZBD archives by hand, apart from the library's own writer: expectations of edits are made with it.
pub mod by_hand {
    /// A member: name, payload, flags, comment, FILETIME.
    pub type Member<'a> = (&'a str, &'a [u8], u32, &'a [u8], u64);

    /// An archive whose payloads follow each other; `ones` stores 1 as every length; a checksum makes it version 2.
    pub fn archive(members: &[Member<'_>], ones: bool, checksum: Option<u32>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut table = Vec::new();
        for (name, payload, flags, comment, time) in members {
            table.extend((out.len() as u32).to_le_bytes());
            table.extend(if ones { 1u32 } else { payload.len() as u32 }.to_le_bytes());
            let padded = |text: &[u8]| text.iter().copied().chain(std::iter::repeat(0)).take(64).collect::<Vec<u8>>();
            table.extend(padded(name.as_bytes()));
            table.extend(flags.to_le_bytes());
            table.extend(padded(comment));
            table.extend(time.to_le_bytes());
            out.extend_from_slice(payload);
        }
        out.extend(table);
        out.extend(if checksum.is_some() { 2u32 } else { 1 }.to_le_bytes());
        out.extend((members.len() as u32).to_le_bytes());
        out.extend(checksum.map(u32::to_le_bytes).into_iter().flatten());
        out
    }

    /// A plain member.
    pub fn member<'a>(name: &'a str, payload: &'a [u8]) -> Member<'a> {
        (name, payload, 0, b"", 0)
    }

    /// The checksum of Pirate's Moon, bit by bit.
    pub fn checksum(bytes: &[u8]) -> u32 {
        bytes.iter().fold(0u32, |crc, byte| {
            (0..8).fold(crc ^ (u32::from(*byte) << 24), |crc, _| if crc >> 31 == 1 { crc << 1 ^ 0x04c1_1db7 } else { crc << 1 })
        })
    }

    /// A reader integer.
    pub fn int(n: i32) -> Vec<u8> {
        [1u32.to_le_bytes(), n.to_le_bytes()].concat()
    }
    /// A reader float.
    pub fn float(f: f32) -> Vec<u8> {
        [2u32.to_le_bytes(), f.to_bits().to_le_bytes()].concat()
    }
    /// A reader string.
    pub fn string(s: &str) -> Vec<u8> {
        [&3u32.to_le_bytes(), &(s.len() as u32).to_le_bytes(), s.as_bytes()].concat()
    }
    /// A reader list.
    pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
        [&4u32.to_le_bytes()[..], &(items.len() as u32 + 1).to_le_bytes(), &items.concat()].concat()
    }
}
