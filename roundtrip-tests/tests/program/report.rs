//! `refit report`: what it must say about a game, and what it must not.

use roundtrip_tests::{
    games::{self, Animation, Names},
    process::{out, run},
};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs,
    path::Path,
};

/// A run of this many bytes of content must not be in a report.
const RUN: usize = 8;

/// Replaces names by random ones of twelve letters, so that none of them is a word.
struct Hidden {
    state: u64,
    names: HashMap<&'static str, &'static str>,
}

impl Hidden {
    fn new(seed: u64) -> Self {
        Hidden {
            state: seed,
            names: HashMap::new(),
        }
    }

    /// The random name for a name; its ending stays.
    fn name(&mut self, name: &'static str) -> &'static str {
        let (stem, end) = name.split_at(name.find('.').unwrap_or(name.len()));
        if let Some(hidden) = self.names.get(stem) {
            return format!("{hidden}{end}").leak();
        }
        let letter = |_| {
            self.state = self
                .state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + (self.state >> 40) as u8 % 26)
        };
        let hidden: String = (0..12).map(letter).collect();
        let hidden: &'static str = hidden.leak();
        self.names.insert(stem, hidden);
        format!("{hidden}{end}").leak()
    }

    fn names(&mut self, names: &mut [&'static str]) {
        for name in names {
            *name = self.name(name);
        }
    }

    /// Hides all names of an installation.
    fn all(&mut self, mut names: Names) -> Names {
        for list in [
            &mut names.nodes,
            &mut names.textures,
            &mut names.pictures,
            &mut names.bank,
            &mut names.effects,
            &mut names.start,
            &mut names.members,
            &mut names.hulls,
            &mut names.mech_pictures,
        ] {
            self.names(list);
        }
        for Animation {
            name,
            root,
            nodes,
            sounds,
            effects,
            calls,
            needs,
        } in &mut names.animations
        {
            *name = self.name(name);
            *root = self.name(root);
            for list in [nodes, sounds, effects, calls, needs] {
                self.names(list);
            }
        }
        for (name, file) in &mut names.samples {
            *name = self.name(name);
            *file = self.name(file);
        }
        for (name, parts) in names.mechs.iter_mut().chain(&mut names.motions) {
            *name = self.name(name);
            self.names(parts);
        }
        for line in &mut names.script {
            if let Some(node) = line.strip_prefix("FindNode ") {
                *line = format!("FindNode {}", self.name(node)).leak();
            }
        }
        names
    }
}

/// An installation with oddities, and the codes of their findings.
fn planted(game: &str, variant: u64) -> (Vec<games::File>, Vec<&'static str>) {
    let mut hidden =
        Hidden::new(variant * 4 + game.len() as u64 * 1000 + u64::from(game.as_bytes()[0]));
    let mut names = hidden.all(games::names(game));
    let mut codes = Vec::new();
    match variant {
        0 => {
            names.start.push(hidden.name("no_animation"));
            names.animations[0].sounds.push(hidden.name("no_sound"));
            codes.extend(["start-animation-missing", "anim-sound-missing"]);
        }
        1 => {
            names.animations[0].nodes.push(hidden.name("no_node"));
            names.textures.push(hidden.name("no_texture.tif"));
            codes.extend(["anim-node-missing", "texture-missing"]);
        }
        _ => {
            names.messages.push("MSG_XQZJKWVY_PLUGH");
            let twice = names.members[0];
            names.members.push(twice);
            codes.extend(["message-missing", "archive-shadowed"]);
        }
    }
    let mut files = games::installation(game, &names);
    if variant == 1 {
        let scripts = files
            .iter_mut()
            .find(|(path, _)| path.ends_with("interp.zbd"));
        let (_, scripts) = scripts.unwrap();
        scripts.truncate(scripts.len() - 3);
    }
    let (prefix, class, script) = (
        hidden.name("prefix"),
        hidden.name("class"),
        hidden.name("script.sqf"),
    );
    let base = hidden.name("base");
    let config = format!(
        "class {class}: {base} {{ text = \"{}\"; }};\n",
        hidden.name("text")
    );
    let content = format!("hint \"{}\";\n", hidden.name("hint"));
    let addon = games::addon(
        prefix,
        &[("config.cpp", &config), (script, &content), (script, "")],
    );
    files.push(("addons/extra.pbo".to_owned(), addon));
    codes.push("pbo-duplicate-name");
    let secret = (0..400u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes());
    files.push(("saved.dat".to_owned(), secret.collect()));
    (files, codes)
}

/// The texts in the documents of a project of an installation.
fn texts(project: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut take = |value: &Value| {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) => found.push(text.clone()),
                Value::Array(items) => open.extend(items),
                // The name of a schema is refit's own.
                Value::Object(map) => {
                    open.extend(
                        map.iter()
                            .filter(|(key, _)| *key != "$schema")
                            .map(|(_, value)| value),
                    );
                }
                _ => {}
            }
        }
    };
    for (path, bytes) in roundtrip_tests::folders::snapshot(project) {
        let is_document = path.ends_with(".json") && !path.ends_with("refit.json");
        if let (true, Ok(value)) = (
            is_document && !path.contains(".refit"),
            serde_json::from_slice(&bytes),
        ) {
            take(&value);
        }
    }
    found
}

/// The names of fields in the schemas: words that are refit's own.
fn fields() -> HashSet<String> {
    let mut found = HashSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas");
    for (path, bytes) in roundtrip_tests::folders::snapshot(&folder) {
        let Ok(schema) = serde_json::from_slice::<Value>(&bytes) else {
            assert!(!path.ends_with(".json"), "{path}");
            continue;
        };
        let mut open = vec![&schema];
        while let Some(value) = open.pop() {
            if let Some(Value::Object(properties)) = value.get("properties") {
                found.extend(properties.keys().cloned());
            }
            match value {
                Value::Object(map) => open.extend(map.values()),
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
    }
    found
}

/// A report without words that are refit's own and may be in a file too, and without the names of
/// files.
fn to_search(report: &Value, fields: &HashSet<String>) -> String {
    let mut report = report.clone();
    report.as_object_mut().unwrap().remove("counts");
    for file in report["files"].as_array_mut().unwrap() {
        let file = file.as_object_mut().unwrap();
        file.retain(|key, _| !["name", "format"].contains(&key.as_str()));
        for found in file
            .get_mut("findings")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            found.as_object_mut().unwrap().remove("code");
        }
    }
    let text = report.to_string();
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split_inclusive(|c| !is_of_word(c))
        .map(
            |word| match fields.contains(word.trim_end_matches(|c| !is_of_word(c))) {
                true => "?",
                false => word,
            },
        )
        .collect()
}

/// The runs of bytes as numbers, which are compared quickly.
fn runs(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes
        .windows(RUN)
        .map(|run| u64::from_be_bytes(run.try_into().unwrap()))
}

#[test]
fn reports_of_twelve_games_name_every_oddity_and_nothing_of_the_games() {
    let fields = fields();
    for game in ["rc", "mw", "pm", "cs"] {
        for variant in 0..3 {
            let dir = tempfile::tempdir().unwrap();
            let at = dir.path();
            let (files, codes) = planted(game, variant);
            games::write(&at.join("game"), &files);
            let shown = out(&run(at, "report game -o report.json").code(0));
            let report = fs::read_to_string(at.join("report.json")).unwrap();
            let parsed: Value = serde_json::from_str(&report).unwrap();
            let of_files = parsed["files"].as_array().unwrap();
            assert_eq!(of_files.len(), files.len(), "{game} {variant}");
            let found: BTreeSet<&str> = of_files
                .iter()
                .flat_map(|file| file["findings"].as_array().into_iter().flatten())
                .filter_map(|found| found["code"].as_str())
                .collect();
            for code in codes {
                assert!(
                    found.contains(code),
                    "{game} {variant}: no {code} in {found:?}"
                );
                assert!(
                    shown.contains(code),
                    "{game} {variant}: {code} is not shown"
                );
            }
            let failed: Vec<&Value> = of_files
                .iter()
                .filter(|file| file["verdict"] == "failed")
                .collect();
            assert_eq!(failed.len(), usize::from(variant == 1), "{failed:?}");
            for file in failed {
                assert_eq!(file["error"]["kind"], "truncated");
            }
            let text = to_search(&parsed, &fields);
            let in_report: HashSet<u64> = runs(text.as_bytes()).collect();
            let check = |what: &str, bytes: &[u8]| {
                if let Some(run) = runs(bytes).find(|run| in_report.contains(run)) {
                    let run = String::from_utf8_lossy(&run.to_be_bytes()).into_owned();
                    panic!("{game} {variant}: {what}: {run:?} is in {text}");
                }
            };
            for (path, bytes) in &files {
                check(path, bytes);
                // A run as hexadecimal digits has two of these in a row.
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let digits: Vec<u64> = runs(digits.as_bytes()).collect();
                let is_in =
                    |pair: &(&u64, &u64)| in_report.contains(pair.0) && in_report.contains(pair.1);
                let found = digits.iter().zip(digits.iter().skip(RUN)).find(is_in);
                assert_eq!(found, None, "{game} {variant}: {path}");
            }
            drop(run(at, "unpack game -o project --keep-going -q"));
            let texts = texts(&at.join("project"));
            assert!(texts.len() > 20, "{game} {variant}: {} texts", texts.len());
            for content in texts {
                check("a document", content.as_bytes());
            }
        }
    }
}

#[test]
fn a_report_of_one_game_is_compared_with_that_of_another() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let (mut files, _) = planted("rc", 0);
    games::write(&at.join("a"), &files);
    files.retain(|(path, _)| path != "zbd/image.zbd");
    let (_, world) = files
        .iter_mut()
        .find(|(path, _)| path.ends_with("gamez.zbd"))
        .unwrap();
    world.truncate(world.len() - 40);
    games::write(&at.join("b"), &files);
    for game in ["a", "b"] {
        drop(run(at, &format!("report {game} -o {game}.json")).code(0));
    }
    drop(run(at, "report --compare a.json a.json").code(0));
    let rows = out(&run(at, "report --compare a.json b.json --json").code(3));
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    let row = |path: &str, what: &str| {
        let is = |row: &&Value| row["path"] == path && row["what"] == what;
        rows.iter()
            .find(is)
            .unwrap_or_else(|| panic!("no {path} {what}: {rows:#?}"))
    };
    assert!(row("zbd/image.zbd", "file").get("b").is_none());
    assert_eq!(
        row("zbd/m1/gamez.zbd", "verdict")["b"],
        "failed (truncated)"
    );
    assert_eq!(row("zbd/m1/gamez.zbd", "verdict")["a"], "exact");
    assert_eq!(
        row("rc textures", "unk16")["b"],
        "1 value, 1 different, 0 to 0"
    );
    assert!(row("", "worlds").get("a").is_some());
}
