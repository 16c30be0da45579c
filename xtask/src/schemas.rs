//! `cargo xtask schemas [--check]`: `schemas/KIND.json` of every document type, and the tools of
//! `refit mcp`.

use crate::{Args, root};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let check = args.flag("--check");
    args.done()?;
    let texts = texts()?;
    let folder = root().join("schemas");
    fs::create_dir_all(&folder)?;
    let mut there = BTreeSet::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // The others make the folder a package.
        if name.ends_with(".json") {
            there.insert(name);
        }
    }
    let mut stale = Vec::new();
    for (file, text) in &texts {
        there.remove(file);
        // Git may have converted the line ends to those of Windows.
        let old = fs::read_to_string(folder.join(file))
            .unwrap_or_default()
            .replace("\r\n", "\n");
        if old != *text {
            stale.push(file.clone());
            if !check {
                fs::write(folder.join(file), text).with_context(|| file.clone())?;
                println!("wrote schemas/{file}");
            }
        }
    }
    for file in there {
        if !check {
            fs::remove_file(folder.join(&file))?;
            println!("removed schemas/{file}");
        }
        stale.push(file);
    }
    let tools = root().join(TOOLS);
    let text = list_of_tools()?;
    if fs::read_to_string(&tools)?.replace("\r\n", "\n") != text {
        stale.push(TOOLS.to_owned());
        if !check {
            fs::write(&tools, text).context(TOOLS)?;
            println!("wrote {TOOLS}");
        }
    }
    if check && !stale.is_empty() {
        bail!(
            "schemas/ is not what the document types say: {}\nrun `cargo xtask schemas`",
            stale.join(", ")
        );
    }
    println!("{} document types", texts.len());
    Ok(())
}

/// The tools of `refit mcp`, with the schemas of their arguments.
const TOOLS: &str = "src/mcp/tools.json";

/// The text of [`TOOLS`].
fn list_of_tools() -> Result<String> {
    let tools = refit_mcp::declared();
    let mut bare = Vec::new();
    undescribed(&tools, &mut vec!["tools".to_owned()], &mut bare);
    ensure!(
        bare.is_empty(),
        "arguments without a sentence of their own (write a doc comment):\n{}",
        bare.join("\n")
    );
    Ok(serde_json::to_string_pretty(&tools)? + "\n")
}

/// The files and their texts.
fn texts() -> Result<BTreeMap<String, String>> {
    let mut out = BTreeMap::new();
    let mut bare = Vec::new();
    for refit::formats::Schema { kind, made, .. } in refit::schemas() {
        let schema = made().to_value();
        undescribed(&schema, &mut vec![kind.to_owned()], &mut bare);
        // The maps of serde_json are sorted, so equal schemas give equal texts.
        let text = serde_json::to_string_pretty(&schema)? + "\n";
        let old = out.insert(format!("{kind}.json"), text);
        ensure!(old.is_none(), "two document types are called {kind}");
    }
    ensure!(
        bare.is_empty(),
        "properties without a sentence of their own (write a doc comment):\n{}",
        bare.join("\n")
    );
    ensure!(!out.is_empty(), "no document types");
    Ok(out)
}

/// Collects the properties without a description.
fn undescribed(value: &Value, path: &mut Vec<String>, out: &mut Vec<String>) {
    let Some(object) = value.as_object() else {
        for (i, item) in value.as_array().into_iter().flatten().enumerate() {
            path.push(i.to_string());
            undescribed(item, path, out);
            path.pop();
        }
        return;
    };
    for (key, value) in object {
        path.push(key.clone());
        if key == "properties" {
            for (name, property) in value.as_object().into_iter().flatten() {
                path.push(name.clone());
                // The description of the surrounding object, or of the referenced type, does not
                // describe this property.
                let words = property
                    .get("description")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                if !words.contains(char::is_alphabetic) {
                    out.push(path.join("/"));
                }
                undescribed(property, path, out);
                path.pop();
            }
        } else {
            undescribed(value, path, out);
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_without_a_description_is_reported() {
        let schema = serde_json::json!({ "$defs": {
            "A": { "description": "All of it.", "properties": {
                "x": { "type": "number" },
                "y": { "description": "Why." },
                "z": { "$ref": "#/$defs/B" },
                "blank": { "description": "0." },
            } },
            "B": { "description": "A type.", "type": "string" },
            "C": { "oneOf": [{ "description": "Outside.", "properties": { "variant": {} } }] },
        } });
        let mut out = Vec::new();
        undescribed(&schema, &mut vec!["kind".into()], &mut out);
        let a = "kind/$defs/A/properties";
        assert_eq!(
            out,
            [
                format!("{a}/blank"),
                format!("{a}/x"),
                format!("{a}/z"),
                "kind/$defs/C/oneOf/0/properties/variant".into()
            ]
        );
    }

    /// Every document type in the trees of golden files has a schema in schemas/.
    #[test]
    fn every_document_type_of_a_golden_tree_is_written() {
        use refit::{
            pipeline::Hints,
            tree::{Source, Style},
        };
        let texts = texts().unwrap();
        let mut seen = BTreeSet::new();
        for folder in crate::golden_folders().unwrap() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let Ok(bytes) = fs::read(&path) else { continue };
                let Some(tree) = crate::trip::tree(
                    &bytes.into(),
                    &path.to_string_lossy(),
                    Hints::default(),
                    Style::Json,
                ) else {
                    continue;
                };
                let kinds = tree.paths().into_iter().filter_map(|p| {
                    Some(
                        p.strip_prefix(".refit/")?
                            .strip_suffix(".schema.json")?
                            .to_owned(),
                    )
                });
                seen.extend(kinds);
            }
        }
        assert!(seen.len() > 5, "{seen:?}");
        let missing: Vec<&String> = seen
            .iter()
            .filter(|kind| !texts.contains_key(&format!("{kind}.json")))
            .collect();
        assert!(
            missing.is_empty(),
            "{missing:?} are written into trees, but not listed by their format's family"
        );
    }
}
