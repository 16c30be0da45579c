//! Applying an edited file to the model gives the same result as reading the whole tree: `watch`
//! does this on a save.

use refit::{
    diff::{Tree, TreeFiles},
    formats::Renewable,
    pipeline::{self, Hints},
    tree::{Source, Style},
};
use roundtrip_tests::{
    edits::{KINDS, edited_tree},
    *,
};
use std::collections::BTreeMap;

/// The bytes of a model after some files were applied; `None` if the tree must be read completely.
fn renewed(before: &dyn Source, after: &dyn Source, paths: &[String]) -> Option<Vec<u8>> {
    let (_, Renewable { mut model, renew }) = pipeline::assemble_to_renew(before).unwrap();
    let mut renew = renew?;
    let taken = pipeline::renew(
        after,
        &mut *renew,
        &mut model,
        &mut paths.iter().map(String::as_str),
    );
    taken
        .is_ok_and(|taken| taken)
        .then(|| model.write().unwrap())
}

/// The files that differ; nothing where files came or went.
fn changed(a: &TreeFiles, b: &TreeFiles) -> Option<Vec<String>> {
    let paths = a.paths();
    (paths == b.paths()).then(|| {
        paths
            .into_iter()
            .filter(|path| a.get(path).unwrap() != b.get(path).unwrap())
            .collect()
    })
}

#[test]
fn applying_edited_files_alone_equals_reading_the_whole_tree() {
    for (format, least) in [
        ("anim", 60),
        ("reader", 20),
        ("motion", 5),
        ("mechlib", 20),
        ("sounds", 5),
        ("archive", 5),
    ] {
        let (mut taken, mut all) = (0, BTreeMap::new());
        for (n, case) in golden(format).iter().enumerate() {
            let Ok(tree) = Tree::of_file(&case.bytes.clone().into(), &case.path, Hints::default())
            else {
                continue;
            };
            if tree.format.is_none_or(|found| found.name() != format) {
                continue;
            }
            for (seed, kind) in KINDS
                .iter()
                .enumerate()
                .filter(|(seed, _)| seed % 4 == n % 4)
            {
                let Some((shelf, bytes)) = edited_tree(&tree, kind, 7 + seed as u64) else {
                    continue;
                };
                let Some(paths) = changed(&tree.shelf, &shelf) else {
                    continue;
                };
                let alone = renewed(&tree.shelf, &shelf, &paths);
                if paths.iter().any(|path| path == "refit.json") {
                    assert!(
                        alone.is_none(),
                        "{}: {kind}: a manifest decides about the whole tree",
                        case.path
                    );
                } else if let Some(alone) = alone {
                    assert!(alone == bytes, "{}: {kind}: {paths:?}", case.path);
                    taken += 1;
                } else {
                    *all.entry(format!("{}: {kind}: {paths:?}", case.path))
                        .or_insert(0) += 1;
                }
            }
        }
        assert!(
            taken >= least,
            "{format}: only {taken} edits were taken in alone: {all:#?}"
        );
    }
}

/// Definitions whose events name scripts (RC, MW), and scripts of a table (PM, CS), in both
/// spellings.
#[test]
fn scripts_and_their_definitions_are_applied_alone() {
    for game in ["rc", "mw", "pm", "cs"] {
        let mut found = 0;
        for case in golden("anim")
            .iter()
            .filter(|case| case.path.contains(&format!("/{game}_")))
        {
            for style in [Style::Json, Style::Ron] {
                let tree = unpack(case, Hints::default(), style);
                let scripts: Vec<String> = tree
                    .paths()
                    .into_iter()
                    .filter(|path| path.starts_with("scripts/") && Style::of(path).is_some())
                    .collect();
                for path in scripts {
                    let before = unpack(case, Hints::default(), style);
                    let text = tree.text(&path);
                    let Some((head, tail)) = text.split_once("time") else {
                        continue;
                    };
                    let Some(digit) = tail.find(|c: char| c.is_ascii_digit()) else {
                        continue;
                    };
                    let other = if tail[digit..].starts_with('3') {
                        "4"
                    } else {
                        "3"
                    };
                    tree.set(
                        &path,
                        format!("{head}time{}{other}{}", &tail[..digit], &tail[digit + 1..])
                            .into_bytes(),
                    );
                    let Ok((_, whole)) = pipeline::repack(&tree) else {
                        tree.set(&path, text.into_bytes());
                        continue;
                    };
                    let alone = renewed(&before, &tree, std::slice::from_ref(&path))
                        .unwrap_or_else(|| panic!("{}: {path}", case.path));
                    assert!(
                        alone == whole && alone != case.bytes,
                        "{}: {path}",
                        case.path
                    );
                    found += 1;
                    tree.set(&path, text.into_bytes());
                    // The definition that names it, too.
                    if let Some(definition) = definition_of(&tree, &path) {
                        let alone = renewed(&before, &tree, std::slice::from_ref(&definition))
                            .unwrap_or_else(|| panic!("{}: {definition}", case.path));
                        assert!(alone == case.bytes, "{}: {definition}", case.path);
                    }
                }
            }
        }
        assert!(found > 0, "{game}: no script was found");
    }
}

/// The definition that a script is of, by its name.
fn definition_of(tree: &refit::tree::Folder, script: &str) -> Option<String> {
    let (name, ext) = script.strip_prefix("scripts/")?.rsplit_once('.')?;
    let (definition, _) = name.rsplit_once('-')?;
    Some(format!("defs/{definition}.{ext}")).filter(|path| tree.has(path))
}

#[test]
fn shared_scripts_are_applied_to_both_definitions_and_invalid_ones_to_none() {
    // Two definitions, each with its own script.
    let case = golden_file("anim", "rc_sequences.zbd");
    let tree = unpack(&case, Hints::default(), Style::Json);
    let scripts: Vec<String> = tree
        .paths()
        .into_iter()
        .filter(|path| path.starts_with("scripts/"))
        .collect();
    let named = |path: &str| format!("\"script\": \"{}\"", path.trim_end_matches(".json"));
    let users = |path: &str| -> Vec<String> {
        tree.paths()
            .into_iter()
            .filter(|other| other.starts_with("defs/") && tree.text(other).contains(&named(path)))
            .collect()
    };
    let first = &scripts[0];
    for path in users(&scripts[1]) {
        tree.set(
            &path,
            tree.text(&path)
                .replace(&named(&scripts[1]), &named(first))
                .into_bytes(),
        );
    }
    let shared = repack(&tree);
    let before = refit::tree::Folder::new();
    tree.paths()
        .iter()
        .for_each(|path| before.set(path, tree.get(path).unwrap()));
    assert!(shared != case.bytes);
    // Both have the frames of the other script now.
    tree.set(first, tree.get(&scripts[1]).unwrap());
    let alone = renewed(&before, &tree, std::slice::from_ref(first)).unwrap();
    assert!(alone == repack(&tree) && alone != shared);
    tree.set(first, "{ \"frames\": 1 }");
    assert!(renewed(&before, &tree, std::slice::from_ref(first)).is_none());
    // Nothing that the manifest does not name is part of the file.
    tree.set("defs/more.json", "{}");
    assert!(renewed(&before, &tree, &["defs/more.json".to_owned()]).is_none());
}
