//! The names of a whole game: the cache, and the rules. What `refs`, `find` and `lint` print is in
//! `roundtrip-tests/cases/names`.

use roundtrip_tests::{
    games::{installation, names, write},
    process::{out, refit},
};

/// A warm cache, of files that are old enough for it, gives the same answer.
#[test]
fn results_do_not_depend_on_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("game"), &installation("rc", &names("rc")));
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let files = walkdir::WalkDir::new(dir.path().join("game"))
        .into_iter()
        .filter_map(|entry| entry.ok());
    for entry in files.filter(|entry| entry.file_type().is_file()) {
        std::fs::File::options()
            .write(true)
            .open(entry.path())
            .unwrap()
            .set_modified(old)
            .unwrap();
    }
    for _ in 0..3 {
        let done = refit(dir.path())
            .args(["find", "nodesetactive", "game"])
            .env("REFIT_CACHE", dir.path().join("cache"))
            .assert()
            .code(0);
        assert!(
            out(&done).contains("zbd/interp.zbd: m1_zbd.gs: line 3: NodeSetActive on"),
            "{}",
            out(&done)
        );
    }
}

/// A field that was renamed must not take its names along silently: every rule still finds
/// something in the golden files.
#[test]
fn every_rule_of_names_finds_something() {
    use refit::{naming, pipeline::Hints, registry, tree::Source, tree::Style};
    let mut rules: Vec<(naming::Rule, bool)> = Vec::new();
    for folder in roundtrip_tests::folders("golden") {
        for case in roundtrip_tests::listed(&folder) {
            let Ok(found) = refit::detect::detect(&case.bytes, &case.path) else {
                continue;
            };
            let own = registry::codec(found.format).names();
            if own.is_empty() {
                continue;
            }
            for rule in own {
                if !rules
                    .iter()
                    .any(|(known, _)| (known.document, known.field) == (rule.document, rule.field))
                {
                    rules.push((*rule, false));
                }
            }
            let tree = roundtrip_tests::unpack(&case, Hints::default(), Style::Json);
            for path in tree
                .paths()
                .into_iter()
                .filter(|path| path.ends_with(".json") && !path.starts_with(".refit/"))
            {
                let mut kind = String::new();
                naming::walk(&tree.text(&path), &mut |leaf| {
                    if leaf.path == "$schema" {
                        let file = leaf.value.rsplit('/').next().unwrap_or_default().to_owned();
                        kind = file.trim_end_matches(".schema.json").to_owned();
                    }
                    rules
                        .iter_mut()
                        .filter(|(rule, _)| rule.fits(&kind, leaf.shape))
                        .for_each(|(_, found)| *found = true);
                });
            }
        }
    }
    let dead: Vec<String> = rules
        .iter()
        .filter(|(_, found)| !found)
        .map(|(rule, _)| format!("{}: {}", rule.document, rule.field))
        .collect();
    assert!(rules.len() > 25 && dead.is_empty(), "{dead:?}");
}
