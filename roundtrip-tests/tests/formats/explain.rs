//! `refit explain`: every byte of every golden file once, in order, by name, and with its value.

use rayon::prelude::*;
use refit::{
    pipeline::{self, Hints},
    wire::{Line, Role},
};
use roundtrip_tests::{
    process::{out, refit},
    *,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// The lines of a file, and why reading it stopped.
fn lines(case: &Case) -> (Vec<Line>, Option<String>) {
    lines_as(case, Hints::default())
}

fn lines_as(case: &Case, hints: Hints) -> (Vec<Line>, Option<String>) {
    let mut lines = Vec::new();
    let mut sink = |line: Line| {
        lines.push(line);
        Ok(())
    };
    let explained = pipeline::explain(
        &case.bytes.clone().into(),
        &case.path,
        hints,
        0..u64::MAX,
        &mut sink,
    );
    let explained = explained.unwrap_or_else(|e| panic!("{}: {e}", case.path));
    (lines, explained.fault.map(|e| e.to_string()))
}

/// Fails unless the ranges cover the file once and in order, and each has a path.
fn tile(case: &Case, lines: &[Line]) {
    let mut at = 0;
    for line in lines {
        assert_eq!(line.range.start, at, "{}: {line:?}", case.path);
        assert!(
            line.range.end > at && !line.path.trim().is_empty(),
            "{}: {line:?}",
            case.path
        );
        at = line.range.end;
    }
    assert_eq!(at, case.bytes.len() as u64, "{}", case.path);
}

fn all() -> Vec<Case> {
    folders("golden").iter().flat_map(|f| listed(f)).collect()
}

#[test]
fn every_byte_of_every_golden_file_is_explained_once_in_order_and_by_name() {
    let cases = all();
    assert!(cases.len() > 200, "{} golden files", cases.len());
    let explained: Vec<(String, Role, u64, String)> = cases
        .par_iter()
        .flat_map_iter(|case| {
            let (lines, fault) = lines(case);
            assert_eq!(fault, None, "{}", case.path);
            tile(case, &lines);
            lines.into_iter().map(|line| {
                (
                    case.folder.clone(),
                    line.role,
                    line.range.end - line.range.start,
                    format!("{} in {}", line.path, case.path),
                )
            })
        })
        .collect();
    let mut sums: BTreeMap<&str, (u64, u64, Vec<&str>)> = BTreeMap::new();
    for (folder, role, size, place) in &explained {
        let (all, unknown, places) = sums.entry(folder).or_default();
        *all += size;
        if *role == Role::Unknown {
            *unknown += size;
            places.push(place);
        }
    }
    for (folder, (all, unknown, places)) in sums {
        assert!(
            unknown * 1000 < all,
            "{folder}: {unknown} of {all} bytes are unknown: {:?}",
            &places[..places.len().min(9)]
        );
    }
}

/// The largest file of a format.
fn largest(format: &str) -> Case {
    golden(format)
        .into_iter()
        .max_by_key(|case| case.bytes.len())
        .unwrap()
}

#[test]
fn a_damaged_file_is_explained_up_to_the_error() {
    // These are read from the front. Nothing is known of an archive without its end.
    for format in ["gamez", "interp", "pbo", "textures", "rof", "zrd_binary"] {
        let whole = largest(format);
        let found = pipeline::recognise(&whole.bytes, &whole.path, Hints::default()).unwrap();
        let hints = Hints {
            game: found.game,
            format: Some(found.format),
        };
        let cut = whole.bytes.len() / 4 * 3;
        let case = Case {
            bytes: whole.bytes.slice(..cut),
            ..whole
        };
        let (lines, fault) = lines_as(&case, hints);
        assert!(
            fault.is_some(),
            "{} cut to {cut} bytes has no fault",
            case.path
        );
        tile(&case, &lines);
        assert_ne!(
            lines[0].role,
            Role::Unknown,
            "{}: {:?}",
            case.path,
            lines[0]
        );
        let known: u64 = lines
            .iter()
            .filter(|line| line.role != Role::Unknown)
            .map(|line| line.range.end - line.range.start)
            .sum();
        assert!(
            known > 8
                && lines
                    .iter()
                    .filter(|line| line.role == Role::Unknown)
                    .count()
                    <= 2,
            "{}: {known} bytes",
            case.path
        );
    }
}

#[test]
fn unnamed_zeros_are_padding() {
    let case = golden_file("messages", "rc_one.dll");
    let (lines, _) = lines(&case);
    for line in lines.iter().filter(|line| line.role == Role::Padding) {
        assert!(
            case.bytes[line.range.start as usize..line.range.end as usize]
                .iter()
                .all(|byte| *byte == 0),
            "{line:?}"
        );
    }
    assert!(
        lines.iter().all(|line| line.role != Role::Gap),
        "a DLL of the linker has no gaps"
    );
    let role = |path: &str| {
        lines
            .iter()
            .find(|line| line.path.ends_with(path))
            .unwrap_or_else(|| panic!("no {path}"))
            .role
    };
    assert_eq!(role("file header.machine"), Role::Constant);
    assert_eq!(role("sections[0].raw_size"), Role::Derived);
    assert_eq!(role("sections[0].name"), Role::Value);
}

#[test]
fn signatures_are_constant_and_counts_and_offsets_are_derived() {
    let roles = |format: &str, expected: &[(&str, Role)]| {
        let case = largest(format);
        let (lines, _) = lines(&case);
        for (path, role) in expected {
            let line = lines
                .iter()
                .find(|line| line.path.ends_with(path))
                .unwrap_or_else(|| panic!("{}: no {path}", case.path));
            assert_eq!(line.role, *role, "{}: {line:?}", case.path);
        }
    };
    use Role::{Constant, Derived, Value};
    roles(
        "gamez",
        &[
            ("signature", Constant),
            ("version", Constant),
            ("texture_count", Derived),
            ("nodes_offset", Derived),
        ],
    );
    roles(
        "interp",
        &[
            ("signature", Constant),
            ("count", Derived),
            ("scripts[0].start", Derived),
            ("scripts[0].name", Value),
        ],
    );
    roles("motion", &[("frame_count", Derived), ("loop_time", Value)]);
    roles(
        "rof",
        &[("entries[0].start", Derived), ("entries[0].name", Value)],
    );
    roles(
        "textures",
        &[("image_count", Derived), ("images[0].start", Derived)],
    );
    roles(
        "pbo",
        &[("entries[0].size", Derived), ("entries[0].name", Value)],
    );
}

#[test]
fn a_pattern_for_imhex_places_every_byte_once() {
    let dir = tempfile::tempdir().unwrap();
    let case = golden_file("motion", "motion_mw_plain.zbd");
    let text = out(&refit(dir.path())
        .args(["explain", "--imhex"])
        .arg(root().join(&case.path))
        .assert()
        .success());
    let mut at = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        // `u32 at_3 @ 0x8 [[name("…"), color("2196F3"), comment("…")]];` and `u8 at_4[12] @ 0xc …`
        let (head, rest) = line.split_once(" @ ").unwrap_or_else(|| panic!("{line}"));
        let (offset, attributes) = rest.split_once(' ').unwrap();
        assert!(
            attributes.starts_with("[[name(\"") && attributes.ends_with("\")]];"),
            "{line}"
        );
        assert_eq!(offset, format!("{at:#x}"), "{line}");
        let (ty, name) = head.split_once(' ').unwrap();
        let each = match ty {
            "u8" | "s8" | "char" => 1,
            "u16" | "s16" => 2,
            "u32" | "s32" | "float" => 4,
            "u64" | "s64" => 8,
            _ => panic!("ImHex has no type {ty}: {line}"),
        };
        let count: usize = name
            .split_once('[')
            .map_or(1, |(_, n)| n.trim_end_matches(']').parse().unwrap());
        at += each * count;
    }
    assert_eq!(at, case.bytes.len());
}

/// Reads a value of a type as `--json` names it, apart from the code that wrote it.
fn decode(ty: &str, bytes: &[u8]) -> Value {
    if let Some((item, count)) = ty.strip_suffix(']').and_then(|ty| ty.rsplit_once('[')) {
        let count: usize = count.parse().unwrap();
        return match count {
            0 => Value::Array(Vec::new()),
            _ => bytes
                .chunks(bytes.len() / count)
                .map(|bytes| decode(item, bytes))
                .collect(),
        };
    }
    let word = bytes
        .iter()
        .rev()
        .fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    match ty {
        "bytes" => bytes
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<String>()
            .into(),
        "text" => {
            let text = bytes.split(|b| *b == 0).next().unwrap();
            refit::wire::decode_1252(text).into_owned().into()
        }
        "f32" => {
            assert_eq!(bytes.len(), 4);
            let number = f32::from_bits(word as u32);
            if number.is_finite() {
                f64::from(number).into()
            } else {
                format!("{:#010x}", number.to_bits()).into()
            }
        }
        _ => {
            let bits: u32 = ty[1..].parse().unwrap_or_else(|_| panic!("a type {ty:?}"));
            assert_eq!(bits as usize, 8 * bytes.len());
            match ty.as_bytes()[0] {
                b'u' => word.into(),
                b'i' => (((word << (64 - bits)) as i64) >> (64 - bits)).into(),
                _ => panic!("a type {ty:?}"),
            }
        }
    }
}

/// Equal numbers: a float is printed with the digits of 32 bits.
fn same(explained: &Value, found: &Value) -> bool {
    match (explained, found) {
        (Value::Array(explained), Value::Array(found)) => {
            explained.len() == found.len() && explained.iter().zip(found).all(|(a, b)| same(a, b))
        }
        // Bytes are printed in groups of four.
        (Value::String(explained), Value::String(found)) => {
            explained == found || explained.replace(' ', "") == *found
        }
        (Value::Number(explained), Value::Number(found)) if found.is_f64() => {
            let bits = |n: &serde_json::Number| n.as_f64().map(|n| (n as f32).to_bits());
            bits(explained) == bits(found)
        }
        _ => explained == found,
    }
}

#[test]
fn the_values_of_json_are_those_of_the_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let cases: Vec<Case> = all()
        .into_iter()
        .filter(|case| case.bytes.len() <= 100_000)
        .collect();
    // At least one file of each format, and not all of those with many small ones: each is a
    // process.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let cases: Vec<Case> = cases
        .into_iter()
        // The values of a private key are shown by nothing.
        .filter(|case| !case.path.ends_with(".biprivatekey"))
        .filter(|case| {
            *counts.entry(case.folder.clone()).or_default() += 1;
            counts[&case.folder] <= 6
        })
        .collect();
    cases.par_iter().for_each(|case| {
        let text = out(&refit(dir.path())
            .args(["explain", "--json"])
            .arg(root().join(&case.path))
            .assert()
            .success());
        let (lines, _) = lines(case);
        assert_eq!(text.lines().count(), lines.len(), "{}", case.path);
        for (text, line) in text.lines().zip(&lines) {
            let explained: Value = serde_json::from_str(text).unwrap();
            let range = line.range.start as usize..line.range.end as usize;
            assert_eq!(
                (explained["start"].as_u64(), explained["end"].as_u64()),
                (Some(range.start as u64), Some(range.end as u64)),
                "{}",
                case.path
            );
            assert_eq!(explained["path"], line.path, "{}", case.path);
            assert_eq!(explained["role"], line.role.name(), "{}", case.path);
            let found = decode(explained["type"].as_str().unwrap(), &case.bytes[range]);
            assert!(
                same(&explained["value"], &found),
                "{}: {text}: the bytes say {found}",
                case.path
            );
        }
    });
}
