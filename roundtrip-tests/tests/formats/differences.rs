//! Differences and mods, over all golden files and all kinds of edits: a difference is never
//! silent, a mod of two files turns one into the other, it contains nothing of the original, and
//! the order of mods that do not touch each other does not matter.

use bytes::Bytes;
use rayon::prelude::*;
use refit::{
    diff::{self, Comparison, Difference, Opened, PartChange, Tree},
    mods::{self, Maker, Mod, Patch, Prefer},
    pipeline::Hints,
    tree::Blob,
};
use roundtrip_tests::{
    Case,
    edits::{KINDS, edited},
    folders,
    leaks::Original,
    listed,
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

fn tree(bytes: &[u8], path: &str) -> Tree {
    Tree::of_file(
        &Blob::Memory(Bytes::copy_from_slice(bytes)),
        path,
        Hints::default(),
    )
    .unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The other state of an edited file, read with the format of the first.
fn other(bytes: &[u8], path: &str, a: &Tree) -> Tree {
    let hints = Hints {
        game: a.game,
        format: a.format,
    };
    Tree::of_file(&Blob::Memory(Bytes::copy_from_slice(bytes)), path, hints)
        .unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The mod that makes `b` of `a`, which has this path: the text of a config has its name.
fn make(path: &str, a: &Tree, b: &Tree) -> Mod {
    let mut maker = Maker::new("test");
    assert!(maker.changed(path, a, b).unwrap());
    maker.finish().unwrap()
}

/// [`make`] without the parts that both files have.
fn make_of_both(path: &str, a: &Tree, b: &Tree) -> Mod {
    let hints = Hints {
        game: a.game,
        format: a.format,
    };
    let [a, b] = [a, b].map(|tree| Opened::file(&tree.file, path, hints));
    let (a, b) = Tree::both(a, b).unwrap();
    make(path, &a, &b)
}

/// Applies mods to a file from which all parts are left out that they do not use. The result must be
/// that for the whole file.
fn assert_few_parts_suffice(path: &str, base: &Tree, patches: &[Patch<'_>]) {
    let hints = Hints {
        game: base.game,
        format: base.format,
    };
    let whole = mods::patch(base, patches);
    let few = mods::base_of(&base.file, path, hints, patches).unwrap();
    match (whole, mods::patch(&few, patches)) {
        (Ok(whole), Ok(few)) => {
            assert!(whole.bytes == few.bytes, "{path}: other bytes");
            assert_eq!(
                format!("{:?} {:?}", whole.unplaced, whole.conflicts),
                format!("{:?} {:?}", few.unplaced, few.conflicts),
                "{path}"
            );
        }
        (whole, few) => assert_eq!(
            whole.err().map(|e| e.to_string()),
            few.err().map(|e| e.to_string()),
            "{path}"
        ),
    }
}

fn apply(base: &Tree, mods: &[&Mod], prefer: Prefer) -> mods::Patched {
    let patches: Vec<Patch<'_>> = mods
        .iter()
        .enumerate()
        .map(|(by, a_mod)| Patch {
            by,
            changes: a_mod.changes[0].as_ref().unwrap(),
            files: &a_mod.files,
            prefer,
        })
        .collect();
    mods::patch(base, &patches).unwrap_or_else(|e| panic!("{e}"))
}

/// True if the change is described by bytes of the whole file and nothing finer.
fn is_coarse(a_mod: &Mod) -> bool {
    a_mod.changes[0]
        .as_ref()
        .unwrap()
        .parts
        .iter()
        .any(|part| part.part.is_empty() && part.pieces.is_some())
}

/// Files up to this size are edited in many ways, others in a few.
const SMALL: usize = 20_000;

/// A file, and the kinds of edits to make in it.
struct Subject {
    case: Case,
    kinds: Vec<(u64, &'static str)>,
}

/// The golden files, or the files of the folder `REFIT_CORPUS`, each with some kinds of edits, so
/// that every kind is used in several files of a format. `share`: every n-th kind.
fn subjects(share: usize) -> Vec<Subject> {
    let only = std::env::var("REFIT_ONLY").unwrap_or_default();
    let cases: Vec<Case> = match std::env::var_os("REFIT_CORPUS") {
        Some(root) => corpus(root.as_ref()),
        None => folders("golden")
            .iter()
            .flat_map(|folder| listed(folder))
            .collect(),
    };
    // No mod contains a private key: there is nothing to make.
    let is_public = |case: &Case| !refit::secret::is_private_key(&case.path, &case.bytes);
    let format = |case: &Case| {
        refit::detect::detect(&case.bytes, &case.path).map_or("none", |found| found.format.name())
    };
    let cases: Vec<(Case, &str)> = cases
        .into_iter()
        .filter(is_public)
        .map(|case| (format(&case), case))
        .map(|(format, case)| (case, format))
        .collect();
    let mut of_format: BTreeMap<&str, usize> = BTreeMap::new();
    cases
        .iter()
        .for_each(|(_, format)| *of_format.entry(format).or_default() += 1);
    let mut out = Vec::new();
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    for (case, format) in cases
        .into_iter()
        .filter(|(case, _)| case.path.contains(&only))
    {
        let many = of_format.get(format).copied().unwrap_or(1);
        let n = at.entry(format).or_default();
        *n += 1;
        let mut step = (many / 8).clamp(1, 8).max(share.min(many));
        if case.bytes.len() > SMALL && many > 3 {
            step *= 5;
        }
        let kinds = (0u64..)
            .zip(KINDS.iter().copied())
            .filter(|(seed, _)| (*seed as usize + *n).is_multiple_of(step))
            .collect();
        out.push(Subject { case, kinds });
    }
    // What takes long begins first.
    out.sort_by_key(|subject| std::cmp::Reverse(subject.case.bytes.len() * subject.kinds.len()));
    out
}

/// The files below a folder that refit reads, up to a size: `REFIT_LARGEST`, by default 200 kB.
fn corpus(root: &std::path::Path) -> Vec<Case> {
    let largest = std::env::var("REFIT_LARGEST")
        .ok()
        .and_then(|size| size.parse().ok())
        .unwrap_or(200_000);
    let mut out = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry.unwrap();
        if !entry.file_type().is_file() || entry.metadata().unwrap().len() > largest {
            continue;
        }
        let path = roundtrip_tests::process::shown(entry.path());
        let bytes: Bytes = std::fs::read(entry.path()).unwrap().into();
        if let Ok(tree) = Tree::of_file(&Blob::Memory(bytes.clone()), &path, Hints::default())
            && let Some(format) = tree.format
        {
            out.push(Case {
                path,
                folder: format.name().to_owned(),
                bytes,
            });
        }
    }
    out
}

/// True for characters of names: letters, digits and signs without a blank.
fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b'(' | b')')
}

/// False for bytes that identify nothing: fewer than four different ones.
fn is_telling(window: &[u8]) -> bool {
    window.iter().collect::<HashSet<_>>().len() >= 4
}

/// Names and keys: the only words of the original that a mod may contain.
fn words(value: &diff::Value, out: &mut HashSet<String>) {
    match value {
        diff::Value::Record(fields) => fields.iter().for_each(|(key, value)| {
            out.insert(key.to_string());
            words(value, out);
        }),
        // A text without blanks is a name.
        diff::Value::Text(text) if !text.contains(' ') && text.len() <= 64 => {
            _ = out.insert(text.to_string())
        }
        diff::Value::List(items) => {
            out.extend(
                diff::pairs::names(items)
                    .into_iter()
                    .flatten()
                    .map(|name| name.text),
            );
            items.iter().for_each(|value| words(value, out));
        }
        _ => {}
    }
}

/// Differences as texts.
fn described(found: &[Difference]) -> Vec<String> {
    let bytes = |part: &diff::Part| part.bytes().unwrap();
    let one = |difference: &Difference| {
        let change = match &difference.change {
            PartChange::Added(part) => format!("added {:?}", bytes(part)),
            PartChange::Removed(part) => format!("removed {:?}", bytes(part)),
            PartChange::Renamed { to } => format!("renamed {to}"),
            PartChange::Fields { changes, .. } => format!("{changes:?}"),
            PartChange::Lines { old, new } => format!("{old} {new}"),
            PartChange::Bytes { old, new } => format!("{:?} {:?}", bytes(old), bytes(new)),
            PartChange::Hidden { runs, .. } => format!("{runs:?}"),
        };
        format!("{}: {change}", difference.path)
    };
    found.iter().map(one).collect()
}

#[test]
fn a_mod_of_two_files_turns_one_into_the_other() {
    let (made, coarse) = (
        AtomicUsize::new(0),
        Mutex::new(BTreeMap::<String, usize>::new()),
    );
    let passed = AtomicUsize::new(0);
    let by_kind = Mutex::new(BTreeMap::<&str, usize>::new());
    let by_format = Mutex::new(BTreeMap::<&str, HashSet<&str>>::new());
    subjects(1)
        .par_iter()
        .with_max_len(1)
        .for_each(|Subject { case, kinds }| {
            let a = tree(&case.bytes, &case.path);
            assert!(
                diff::trees(&a, &tree(&case.bytes, &case.path))
                    .unwrap()
                    .is_empty(),
                "{}",
                case.path
            );
            for (seed, kind) in kinds {
                let Some(bytes) = edited(&a, kind, *seed) else {
                    continue;
                };
                let what = format!("{}: {kind}", case.path);
                let b = other(&bytes, &case.path, &a);
                let found = diff::trees(&a, &b).unwrap();
                assert!(!found.is_empty(), "{what}: silent");
                if case.folder == "anim" {
                    // Parts that are equal in both need no comparison.
                    let hints = Hints {
                        game: a.game,
                        format: a.format,
                    };
                    let (x, y) = Opened::both(
                        Opened::file(&a.file, &case.path, hints),
                        Opened::file(&b.file, &case.path, hints),
                    )
                    .unwrap();
                    assert_eq!(
                        described(&diff::trees(&x, &y).unwrap()),
                        described(&found),
                        "{what}"
                    );
                    passed.fetch_add(a.parts.len() - x.parts.len(), Relaxed);
                    // Nor is it necessary to read everything that differs at once.
                    let [one, other] =
                        [&a, &b].map(|tree| Opened::file(&tree.file, &case.path, hints));
                    let mut by_part = Vec::new();
                    let comparison = Comparison::at_once(one, other, 0).unwrap();
                    let each = comparison.each(&mut |found| {
                        by_part.extend(described(&found));
                        Ok(true)
                    });
                    each.unwrap();
                    let mut at_once = described(&found);
                    by_part.sort();
                    at_once.sort();
                    assert_eq!(by_part, at_once, "{what}");
                }
                let forth = make(&case.path, &a, &b);
                assert!(
                    make_of_both(&case.path, &a, &b) == forth,
                    "{what}: another mod"
                );
                let done = apply(&a, &[&forth], Prefer::None);
                assert!(
                    done.unplaced.is_empty() && done.conflicts.is_empty(),
                    "{what}: {:?} {:?}",
                    done.unplaced,
                    done.conflicts
                );
                assert!(done.bytes == bytes, "{what}: other bytes");
                let alone = Patch {
                    by: 0,
                    changes: forth.changes[0].as_ref().unwrap(),
                    files: &forth.files,
                    prefer: Prefer::None,
                };
                assert_few_parts_suffice(&case.path, &a, &[alone]);
                // Packed and unpacked.
                let packed = mods::from_zip(&mods::to_zip(&forth).unwrap())
                    .unwrap_or_else(|e| panic!("{what}: {e}"));
                assert!(packed == forth, "{what}");
                // Twice the same is once.
                assert!(
                    apply(&a, &[&forth, &packed], Prefer::None)
                        .conflicts
                        .is_empty(),
                    "{what}: twice"
                );
                made.fetch_add(1, Relaxed);
                *by_kind.lock().unwrap().entry(kind).or_default() += 1;
                by_format
                    .lock()
                    .unwrap()
                    .entry(a.format.map_or("none", |format| format.name()))
                    .or_default()
                    .insert(kind);
                if is_coarse(&forth) {
                    *coarse
                        .lock()
                        .unwrap()
                        .entry(format!("{} {kind}", case.folder))
                        .or_default() += 1;
                    if std::env::var("REFIT_ONLY").is_ok() {
                        eprintln!("coarse: {what}");
                    }
                }
            }
        });
    let (made, coarse, by_kind) = (
        made.into_inner(),
        coarse.into_inner().unwrap(),
        by_kind.into_inner().unwrap(),
    );
    println!("{made} edits: {by_kind:?}\ncoarse: {coarse:?}");
    let by_format = by_format.into_inner().unwrap();
    println!(
        "kinds: {:?}",
        by_format
            .iter()
            .map(|(format, kinds)| (*format, kinds.len()))
            .collect::<Vec<_>>()
    );
    if std::env::var("REFIT_ONLY").is_err() && std::env::var("REFIT_CORPUS").is_err() {
        let poor: Vec<_> = by_format
            .iter()
            .filter(|(_, kinds)| kinds.len() < 20)
            .collect();
        assert!(
            poor.is_empty() && by_format.len() >= 20,
            "formats with fewer than 20 kinds of edits: {poor:?}"
        );
        assert!(made > 1000, "only {made} edits");
        let passed = passed.load(Relaxed);
        assert!(
            passed > 500,
            "only {passed} documents of animations were skipped"
        );
        let few: Vec<_> = KINDS
            .iter()
            .filter(|kind| by_kind.get(*kind).is_none_or(|n| *n < 3))
            .collect();
        assert!(few.is_empty(), "{few:?}: {by_kind:?}");
        let coarse: usize = coarse.values().sum();
        assert!(coarse * 50 < made, "{coarse} of {made} mods know no fields");
    }
}

#[test]
fn a_mod_contains_only_names_and_keys_of_the_original() {
    // Archives with unusual packing store it next to the text: there, one mod adds what the other
    // one changes.
    let packed = |subject: &&Subject| subject.case.path.contains("/packed_");
    subjects(3)
        .par_iter()
        .with_max_len(1)
        .filter(|subject| !packed(subject))
        .for_each(|Subject { case, kinds }| {
            let a = tree(&case.bytes, &case.path);
            let mut known = HashSet::new();
            for part in a.parts.values() {
                if let Ok(Some(value)) = part.value()
                    && part.kind != diff::PartKind::Text
                {
                    words(&value, &mut known);
                }
            }
            let windows: HashSet<&[u8]> = case
                .bytes
                .windows(12)
                .filter(|window| !window.iter().all(is_of_name) && is_telling(window))
                .collect();
            let original = Original::of([(case.path.as_str(), &case.bytes[..])]);
            // If a last line without a line end meets the first one, the two form a new line with
            // both texts.
            for (seed, kind) in kinds
                .iter()
                .filter(|(_, kind)| *kind != "a plain file twice")
            {
                let Some(bytes) = edited(&a, kind, *seed) else {
                    continue;
                };
                let b = other(&bytes, &case.path, &a);
                // The author's text may be similar to the original: only text that the edited file
                // has in no other place than the original counts.
                let made = make(&case.path, &a, &b);
                // A mod must contain the path of a part that it changes, however long it is.
                let is_path = |found: &String| {
                    a.parts.keys().any(|part| {
                        part.len() > 64 && found.contains(part.trim_end_matches(".json"))
                    })
                };
                let held: Vec<String> = original
                    .in_mod(&made)
                    .into_iter()
                    .filter(|found| !is_path(found))
                    .collect();
                assert_eq!(held, Vec::<String>::new(), "{}: {kind}", case.path);
                for (path, text) in made.to_files().unwrap() {
                    if path == mods::MANIFEST {
                        continue;
                    }
                    for window in text.windows(12).filter(|window| windows.contains(window)) {
                        let shown = String::from_utf8_lossy(window).into_owned();
                        let has =
                            |name: &String| name.as_bytes().windows(12).any(|own| own == window);
                        let is_name = known.iter().any(has) || a.parts.keys().any(has);
                        assert!(
                            is_name,
                            "{}: {kind}: {path} holds {shown:?} of the original:\n{}",
                            case.path,
                            String::from_utf8_lossy(&text)
                        );
                    }
                }
            }
        });
}

#[test]
fn the_order_of_independent_mods_does_not_matter() {
    let (merged, clashing) = (AtomicUsize::new(0), AtomicUsize::new(0));
    subjects(3)
        .par_iter()
        .with_max_len(1)
        .for_each(|Subject { case, kinds }| {
            let a = tree(&case.bytes, &case.path);
            let made: Vec<Mod> = kinds
                .iter()
                .filter_map(|(seed, kind)| edited(&a, kind, 100 + seed))
                .map(|bytes| make(&case.path, &a, &other(&bytes, &case.path, &a)))
                .collect();
            for (i, pair) in made.windows(2).enumerate() {
                let [x, y] = pair else { continue };
                let both = |x: &Mod, y: &Mod| {
                    let patches: Vec<Patch<'_>> = [x, y]
                        .into_iter()
                        .enumerate()
                        .map(|(by, a_mod)| Patch {
                            by,
                            changes: a_mod.changes[0].as_ref().unwrap(),
                            files: &a_mod.files,
                            prefer: Prefer::None,
                        })
                        .collect();
                    assert_few_parts_suffice(&case.path, &a, &patches);
                    mods::patch(&a, &patches)
                };
                match (both(x, y), both(y, x)) {
                    (Ok(forth), Ok(back)) => {
                        assert_eq!(
                            forth.conflicts.is_empty(),
                            back.conflicts.is_empty(),
                            "{} {i}: {:?} {:?}",
                            case.path,
                            forth.conflicts,
                            back.conflicts
                        );
                        if forth.conflicts.is_empty() {
                            merged.fetch_add(1, Relaxed);
                            assert!(
                                forth.bytes == back.bytes,
                                "{} {i}: the order matters",
                                case.path
                            );
                        } else {
                            clashing.fetch_add(1, Relaxed);
                        }
                    }
                    // Together they make no file: both ways.
                    (forth, back) => assert_eq!(forth.is_err(), back.is_err(), "{} {i}", case.path),
                }
            }
        });
    let (merged, clashing) = (merged.into_inner(), clashing.into_inner());
    println!("{merged} pairs merge, {clashing} conflict");
    assert!(merged > 100 && clashing > 10, "{merged} {clashing}");
}
