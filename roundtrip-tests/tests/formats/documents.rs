//! Validates documents against their schemas, and tests values that are not what they seem.

use rayon::prelude::*;
use refit::{
    pipeline::{self, Hints},
    tree::{Folder, Source, Style, from_text},
    wire::{F32, FileTime, Hex, UnixTime},
};
use roundtrip_tests::*;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

type Validator = Arc<jsonschema::Validator>;

/// Validators by the text of their schema: many trees have the same.
#[derive(Default)]
struct Schemas(Mutex<BTreeMap<String, Validator>>);

impl Schemas {
    fn of(&self, text: &str) -> Validator {
        let mut known = self.0.lock().unwrap();
        let make = || {
            let schema: Value = serde_json::from_str(text).unwrap();
            let keyed = jsonschema::options()
                .should_validate_formats(false)
                .build(&schema);
            Arc::new(keyed.unwrap_or_else(|e| panic!("not a schema: {e}")))
        };
        known.entry(text.to_owned()).or_insert_with(make).clone()
    }

    /// The schema that a document of a tree names, found as an editor finds it; that of reader
    /// files for a bare list, which cannot name one.
    fn named(&self, tree: &Folder, path: &str, document: &Value) -> (String, Validator) {
        let Some(address) = document.get("$schema") else {
            assert!(!document.is_object(), "{path} names no schema");
            return (
                "reader".into(),
                self.of(
                    &<refit::formats::reader::ReaderDoc as refit::tree::Document>::SCHEMA.text(),
                ),
            );
        };
        let mut folder: Vec<&str> = path.split('/').collect();
        folder.pop();
        for part in address.as_str().unwrap().split('/') {
            match part {
                ".." => assert!(folder.pop().is_some(), "{path}: {address} leaves the tree"),
                part => folder.push(part),
            }
        }
        let place = folder.join("/");
        assert!(tree.has(&place), "{path}: there is no {place}");
        (
            place
                .rsplit('/')
                .next()
                .unwrap()
                .trim_end_matches(".schema.json")
                .to_owned(),
            self.of(&tree.text(&place)),
        )
    }
}

/// The documents of a tree. Some archives have plain files with the names of documents.
fn documents(case: &Case, tree: &Folder) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    for path in tree
        .paths()
        .into_iter()
        .filter(|path| path.ends_with(".json") && !path.starts_with(".refit/"))
    {
        let bytes = tree.get(&path).unwrap();
        // Reader values may be nested deeper than the parser allows by default.
        let mut parser = serde_json::Deserializer::from_slice(&bytes);
        parser.disable_recursion_limit();
        match <Value as serde::Deserialize>::deserialize(&mut parser) {
            Ok(document) if !document.is_object() || document.get("$schema").is_some() => {
                out.push((path, document))
            }
            _ => assert!(
                ["pbo", "archive"].contains(&&*case.folder),
                "{} {path} is no document",
                case.path
            ),
        }
    }
    out
}

/// Works on all cases at once. The validator walks into a document, and some documents are deep.
fn each(cases: &[Case], work: impl Fn(&Case) + Sync + Send) {
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(256 << 20)
        .build()
        .unwrap();
    pool.install(|| cases.par_iter().for_each(work));
}

fn all() -> Vec<Case> {
    folders("golden")
        .iter()
        .flat_map(|folder| listed(folder))
        .collect()
}

#[test]
fn every_document_fits_the_schema_that_it_names_as_written() {
    let schemas = Schemas::default();
    let kinds = Mutex::new(BTreeSet::new());
    each(&all(), |case| {
        let tree = unpack(case, Hints::default(), Style::Json);
        for (path, document) in documents(case, &tree) {
            let (kind, validator) = schemas.named(&tree, &path, &document);
            if let Some(error) = validator.iter_errors(&document).next() {
                panic!(
                    "{} {path} does not fit the schema {kind}: {error} at {}",
                    case.path,
                    error.instance_path()
                );
            }
            kinds.lock().unwrap().insert(kind);
        }
    });
    let kinds = kinds.into_inner().unwrap();
    assert!(kinds.len() > 15, "{kinds:?}");
}

/// The errors in a document, with their places.
fn mistakes(validator: &Validator, document: &Value) -> Vec<String> {
    validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Alternatives are selected by their JSON form, so that an error is reported for the intended
/// alternative only.
#[test]
fn an_error_in_an_alternative_is_reported_for_this_alternative_only() {
    let schemas = Schemas::default();
    let tree = world();
    let document: Value = serde_json::from_str(&tree.text(NODES)).unwrap();
    let (_, validator) = schemas.named(&tree, NODES, &document);
    assert_eq!(mistakes(&validator, &document), [""; 0]);
    let nodes = document["nodes"].as_array().unwrap();
    let at = nodes
        .iter()
        .position(|node| !node["data"]["object3d"].is_null())
        .unwrap();
    let broken = |place: &str, value: Value| {
        let mut document = document.clone();
        *document
            .pointer_mut(&format!("/nodes/{at}{place}"))
            .unwrap() = value;
        mistakes(&validator, &document)
    };
    let mut object = document["nodes"][at]["data"]["object3d"].clone();
    object["opacty"] = json!(1.0);
    let place = format!("/nodes/{at}/data");
    let unexpected =
        |key: &str| format!("Additional properties are not allowed ('{key}' was unexpected)");
    assert_eq!(
        broken("/data/object3d", object),
        [format!("{place}/object3d: {}", unexpected("opacty"))]
    );
    assert_eq!(
        broken("/data", json!({ "objekt3d": {} })),
        [format!("{place}: {}", unexpected("objekt3d"))]
    );
    assert_eq!(broken("/data", json!("emty")).len(), 1);
    assert!(
        broken("", json!("node"))[0].starts_with(&format!("/nodes/{at}: \"node\" is not of type")),
        "{:?}",
        broken("", json!("node"))
    );
    // A material, which may be null.
    let document: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
    let (_, validator) = schemas.named(&tree, "materials.json", &document);
    let mut broken = document.clone();
    broken["materials"][0]["sol"] = json!("MUD");
    assert_eq!(
        mistakes(&validator, &broken),
        [format!("/materials/0: {}", unexpected("sol"))]
    );
    // A list of a reader file, which has no keys.
    let reader =
        schemas.of(&<refit::formats::reader::ReaderDoc as refit::tree::Document>::SCHEMA.text());
    assert_eq!(mistakes(&reader, &json!([1, ["SPEED", [true]]])).len(), 1);
    assert!(
        mistakes(&reader, &json!([1, ["SPEED", [true]]]))[0]
            .starts_with("/1/1/0: true is not of type")
    );
}

/// In no schema does a validator have to try objects one after the other.
#[test]
fn no_schema_has_indistinguishable_alternatives() {
    fn untold(value: &Value, place: &str, out: &mut Vec<String>) {
        let alternatives = ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| value.get(key)?.as_array())
            .flatten();
        if alternatives
            .into_iter()
            .any(|form| form["type"] == "object")
        {
            out.push(place.to_owned());
        }
        let parts: Vec<(String, &Value)> = match value {
            Value::Object(parts) => parts
                .iter()
                .map(|(key, part)| (key.clone(), part))
                .collect(),
            Value::Array(parts) => parts
                .iter()
                .enumerate()
                .map(|(i, part)| (i.to_string(), part))
                .collect(),
            _ => Vec::new(),
        };
        parts
            .into_iter()
            .for_each(|(key, part)| untold(part, &format!("{place}/{key}"), out));
    }
    let mut out = Vec::new();
    for schema in refit::schemas() {
        untold(&(schema.made)().to_value(), schema.kind, &mut out);
    }
    assert_eq!(out, [""; 0]);
}

/// A change that makes a document wrong, as a person or a program might.
fn breakages(document: &Value) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    let mut places = vec![String::new()];
    while let Some(place) = places.pop() {
        let here = document.pointer(&place).unwrap();
        let mut broken = |what: &str, value: Value| {
            let mut document = document.clone();
            *document.pointer_mut(&place).unwrap() = value;
            out.push((format!("{what} at {place:?}"), document));
        };
        match here {
            Value::Object(fields) => {
                let mut more = fields.clone();
                more.insert("no_such_key".into(), json!(1));
                broken("an unknown key", more.into());
                let step =
                    |key: &String| format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                places.extend(fields.keys().filter(|key| *key != "$schema").map(step));
            }
            Value::Array(items) => {
                broken("a text instead of a list", json!("no list"));
                places.extend((0..items.len().min(2)).map(|i| format!("{place}/{i}")));
            }
            Value::Number(n) => broken("a number in quotes", json!(n.to_string())),
            Value::String(_) => broken("a list instead of a text", json!([[]])),
            Value::Bool(_) => broken("a number instead of a truth", json!(7)),
            Value::Null => {}
        }
    }
    out
}

/// refit rejects whatever a schema forbids, and a schema forbids the shapes that refit rejects.
#[test]
fn hundreds_of_broken_documents_are_invalid_and_refused() {
    let schemas = Schemas::default();
    let cases: Vec<Case> = [
        "anim", "gamez", "textures", "motion", "savegame", "zmap", "messages", "pbo", "archive",
        "mechlib", "bikey",
    ]
    .iter()
    .flat_map(|format| {
        let mut cases = golden(format);
        cases.sort_by_key(|case| case.bytes.len());
        cases.into_iter().skip(2).take(2)
    })
    .collect();
    let counted = Mutex::new(BTreeMap::<String, usize>::new());
    each(&cases, |case| {
        let tree = unpack(case, Hints::default(), Style::Json);
        let mut seen = BTreeSet::new();
        for (path, document) in documents(case, &tree) {
            let (kind, validator) = schemas.named(&tree, &path, &document);
            if !seen.insert(kind.clone()) {
                continue;
            }
            let all = breakages(&document);
            let step = all.len().div_ceil(24);
            for (what, broken) in all.into_iter().step_by(step) {
                tree.set(
                    &path,
                    serde_json::to_string_pretty(&broken).unwrap().into_bytes(),
                );
                let valid = validator.is_valid(&broken);
                let taken = pipeline::repack(&tree);
                if let (Ok(_), false) = (&taken, valid) {
                    panic!(
                        "{} {path}: {what}: refit takes what the schema {kind} forbids",
                        case.path
                    );
                }
                if let (Err(e), true) = (&taken, valid) {
                    panic!(
                        "{} {path}: {what}: the schema {kind} allows what refit refuses: {e}",
                        case.path
                    );
                }
                *counted.lock().unwrap().entry(kind.clone()).or_default() += usize::from(!valid);
            }
            tree.set(
                &path,
                serde_json::to_string_pretty(&document)
                    .unwrap()
                    .into_bytes(),
            );
        }
    });
    let counted = counted.into_inner().unwrap();
    assert!(
        counted.len() > 12 && counted.values().sum::<usize>() > 300,
        "{counted:?}"
    );
}

/// The error when a text is parsed as a type.
fn refused<T: serde::de::DeserializeOwned>(text: &str, style: Style) -> String {
    match from_text::<T>(text, style) {
        Ok(_) => panic!("{text} is taken"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn a_number_in_quotes_is_an_error_that_says_what_to_write() {
    for style in [Style::Json, Style::Ron] {
        for quoted in ["\"10\"", "\"100\"", "\"10.5\"", "\"-1\"", "\"1e3\""] {
            let hint = format!("write {}, without quotes", quoted.trim_matches('"'));
            for error in [
                refused::<F32>(quoted, style),
                refused::<Vec<F32>>(&format!("[1, {quoted}]"), style),
                refused::<Hex<u32>>(quoted, style),
            ] {
                assert!(error.contains(&hint), "{style:?} {quoted}: {error}");
            }
        }
        for error in [
            refused::<u32>("\"10\"", style),
            refused::<i16>("\"10\"", style),
            refused::<UnixTime>("\"10\"", style),
            refused::<FileTime>("\"10\"", style),
        ] {
            assert!(
                error.contains("write 10, without quotes"),
                "{style:?}: {error}"
            );
        }
        // The spellings of bits stay.
        assert_eq!(
            from_text::<F32>("\"0x41200000\"", style).unwrap(),
            F32::from(10.0)
        );
        assert_eq!(from_text::<Hex<u32>>("\"0xff\"", style).unwrap(), Hex(255));
        assert_eq!(from_text::<Hex<u32>>("255", style).unwrap(), Hex(255));
    }
}

#[test]
fn a_float_in_quotes_is_refused_in_a_tree() {
    let tree = unpack(
        &golden_file("anim", "mw_values.zbd"),
        Hints::default(),
        Style::Json,
    );
    edit(
        &tree,
        "defs/smoke_hover.json",
        "\"health\": 1.0",
        "\"health\": \"10\"",
    );
    let error = repack_error(&tree);
    assert!(
        error.starts_with("defs/smoke_hover.json:7:") && error.contains("write 10, without quotes"),
        "{error}"
    );
    let reader = unpack(
        &golden_file("reader", "reader_float_inf.zbd"),
        Hints::default(),
        Style::Json,
    );
    let paths = reader
        .paths()
        .into_iter()
        .filter(|path| !path.starts_with(".refit/"));
    let path = paths
        .into_iter()
        .find(|path| reader.text(path).contains("\"0x7f800000\""))
        .unwrap();
    first(&reader, &path, "\"0x7f800000\"", "\"10\"");
    assert!(
        repack_error(&reader).contains("0x7fc00001"),
        "{}",
        repack_error(&reader)
    );
}

const NODES: &str = "nodes/00000-00043.json";

/// Replaces the first `from` in a text file of a tree.
fn first(folder: &Folder, path: &str, from: &str, to: &str) {
    let text = folder.text(path);
    assert!(
        text.contains(from),
        "{from:?} must stand in {path}:\n{text}"
    );
    folder.set(path, text.replacen(from, to, 1).into_bytes());
}

fn world() -> Folder {
    unpack(
        &golden_file("gamez", "mw_base.gamez.zbd"),
        Hints::default(),
        Style::Json,
    )
}

#[test]
fn a_misspelt_name_next_to_a_number_is_an_error_with_the_nearest_name() {
    let tree = world();
    edit(
        &tree,
        "materials.json",
        "\"2 barrel2_________.tif\"",
        "\"2 barrel7_________.tif\"",
    );
    let error = repack_error(&tree);
    assert!(
        error.starts_with("materials.json:5:18: materials"),
        "{error}"
    );
    assert!(
        error.contains("did you mean \"barrel2_________.tif\"?"),
        "{error}"
    );
    let tree = world();
    first(&tree, NODES, "\"6 arm_00006\", \"7", "\"6 amr_00006\", \"7");
    let error = repack_error(&tree);
    assert!(
        error.starts_with("nodes/00000-00043.json:148:20: nodes[")
            && error.contains("did you mean \"arm_00006\""),
        "{error}"
    );
    let tree = world();
    first(
        &tree,
        NODES,
        "\"model\": \"8 wheel_00005\"",
        "\"model\": \"8 whele_00005\"",
    );
    assert!(
        repack_error(&tree)
            .contains("there is no model \"whele_00005\": did you mean \"wheel_00005\""),
        "{}",
        repack_error(&tree)
    );
}

#[test]
fn a_unique_name_can_replace_its_number() {
    let file = golden_file("gamez", "mw_base.gamez.zbd");
    let tree = world();
    edit(
        &tree,
        "materials.json",
        "\"2 barrel2_________.tif\"",
        "\"barrel2_________.tif\"",
    );
    first(&tree, NODES, "\"6 arm_00006\", \"7", "\"arm_00006\", \"7");
    first(
        &tree,
        NODES,
        "\"model\": \"8 wheel_00005\"",
        "\"model\": \"wheel_00005\"",
    );
    assert_bytes(&repack(&tree), &file.bytes);
    // The number is looked up: with another name it is another one.
    edit(
        &tree,
        "materials.json",
        "\"barrel2_________.tif\"",
        "\"BRIDGE1.TIF\"",
    );
    let other = world();
    edit(&other, "materials.json", "\"2 barrel2_________.tif\"", "1");
    assert_bytes(&repack(&tree), &repack(&other));
    // Two have this name.
    edit(&tree, "textures.json", "panel8.tga", "dup_name.tif");
    edit(
        &tree,
        "materials.json",
        "\"7 dup_name.tif\"",
        "\"dup_name.tif\"",
    );
    assert!(
        repack_error(&tree).contains(
            "more than one texture is called \"dup_name.tif\" (say which one, for example \""
        ),
        "{}",
        repack_error(&tree)
    );
    // A mechlib has no table of textures.
    let mech = unpack(
        &golden_file("mechlib", "mw_base.mechlib.zbd"),
        Hints::default(),
        Style::Json,
    );
    let path = mech
        .paths()
        .into_iter()
        .find(|path| path.starts_with("materials"))
        .unwrap();
    let mut document: Value = serde_json::from_str(&mech.text(&path)).unwrap();
    let material = document["materials"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|m| m.get("texture").is_some())
        .unwrap();
    material["texture"] = json!("rock.tif");
    mech.set(&path, document.to_string().into_bytes());
    assert!(
        repack_error(&mech).contains("\"rock.tif\": expected a number"),
        "{}",
        repack_error(&mech)
    );
}

#[test]
fn a_rename_keeps_references() {
    let tree = world();
    edit(&tree, "textures.json", "BRIDGE1.TIF", "BRIDGE9.TIF");
    edit(
        &tree,
        NODES,
        "\"name\": \"arm_00006\"",
        "\"name\": \"elbow\"",
    );
    assert_ne!(
        repack(&tree),
        golden_file("gamez", "mw_base.gamez.zbd").bytes
    );
    // Without the names of that time a new name looks like a slip.
    assert!(tree.remove(".refit/names.json"));
    let error = repack_error(&tree);
    assert!(
        error.contains("there is no texture \"BRIDGE1.TIF\": did you mean \"BRIDGE9.TIF\""),
        "{error}"
    );
}

#[test]
fn the_program_contains_the_schema_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas");
    let carried: Vec<_> = refit::schemas()
        .into_iter()
        .map(|schema| (schema.kind, schema.text.text()))
        .collect();
    let files = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    assert_eq!(
        carried.len(),
        files
            .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
            .count()
    );
    for (kind, text) in carried {
        assert!(
            text == std::fs::read_to_string(folder.join(format!("{kind}.json"))).unwrap(),
            "{kind}"
        );
    }
}
