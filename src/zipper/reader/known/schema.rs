//! The JSON schema of a reader.
//!
//! It rejects nothing: keys that no game is known to read are allowed. JSON Schema has no lists of
//! keys and values; the keyword `keys` has the schemas of the values by their keys, and `named` that
//! of lists after other texts, for the forms of the page. Editors offer the keys themselves.

use super::{
    Any, Each, Example, Key, Keys, KeysAndNamed, KnownReader, Leaf, Pairs, Row, RowAndEach,
    RowAndKeys, Shape, sentence,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

impl KnownReader {
    /// Its schema. It describes values, their units, ranges and choices, and the things that they
    /// name, and rejects nothing.
    pub fn schema(&self) -> Value {
        let mut schema = of_shape(&self.content);
        if self.is_wrapped {
            schema = json!({ "prefixItems": [schema] });
        }
        if let Some(object) = schema.as_object_mut() {
            object.insert("title".into(), self.member().into());
            object.insert("description".into(), sentence(self.about).into());
            object.insert(
                "$schema".into(),
                "https://json-schema.org/draft/2020-12/schema".into(),
            );
            // Values followed by further bytes are an object.
            object.insert("type".into(), json!(["array", "object"]));
        }
        share(&mut schema, "#", &mut HashMap::new());
        schema
    }
}

/// Shorter schemas are repeated, which is easier to read.
const SHARED: usize = 200;

/// Replaces a schema that occurred before by a reference to it. Values of keys occur twice: by
/// their keys, and among the items of the list. `seen` has the paths of those that were visited.
fn share(value: &mut Value, path: &str, seen: &mut HashMap<String, String>) {
    // In a list of values by their keys, `type` may be a key.
    let is_schema = matches!(value.get("type"), Some(Value::String(_) | Value::Array(_)));
    if is_schema {
        let text = value.to_string();
        if let Some(first) = seen.get(&text) {
            *value = json!({ "$ref": first });
            return;
        }
        if text.len() >= SHARED {
            seen.insert(text, path.to_owned());
        }
    }
    match value {
        Value::Object(object) => {
            // The values by their keys first: a path with names says more than one with numbers.
            let is_last = |key: &str| key == "items" || key == "prefixItems";
            for last in [false, true] {
                for (key, value) in object.iter_mut() {
                    if is_last(key) == last {
                        share(value, &format!("{path}/{key}"), seen);
                    }
                }
            }
        }
        Value::Array(list) => {
            for (n, value) in list.iter_mut().enumerate() {
                share(value, &format!("{path}/{n}"), seen);
            }
        }
        _ => {}
    }
}

fn of_leaf(leaf: &Leaf) -> Value {
    let (kind, example) = match leaf.example {
        Example::Int(n) => (json!("integer"), json!(n)),
        Example::Float(x) | Example::Number(x) => (json!("number"), json!(x)),
        Example::Text(text) => (json!("string"), json!(text)),
        Example::Either(n) => (json!(["integer", "number", "string"]), json!(n)),
    };
    let mut schema = json!({ "type": kind, "default": example });
    let mut put = |key: &str, value: Value| {
        if let Some(object) = schema.as_object_mut() {
            object.insert(key.into(), value);
        }
    };
    if !leaf.about.is_empty() {
        put("description", sentence(leaf.about).into());
    }
    if !leaf.unit.is_empty() {
        put("unit", leaf.unit.into());
    }
    if let Some((least, most)) = leaf.range {
        put("minimum", number(least));
        put("maximum", number(most));
    }
    if leaf.bytes > 0 {
        put("maxLength", leaf.bytes.into());
    }
    if let Some(kind) = leaf.names {
        put("names", kind.name().into());
    }
    if !leaf.choices.is_empty() {
        let known = leaf.choices.iter().map(|(choice, about)| match *about {
            "" => json!({ "const": choice }),
            about => json!({ "const": choice, "description": sentence(about) }),
        });
        put("anyOf", any(known).into());
    }
    schema
}

/// A whole number without a decimal point.
fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < 1e9 {
        json!(x as i64)
    } else {
        json!(x)
    }
}

fn of_shape(shape: &Shape) -> Value {
    let all = |row: &[Shape]| -> Vec<Value> { row.iter().map(of_shape).collect() };
    match shape {
        Shape::Leaf(leaf) => of_leaf(leaf),
        Any(about) => json!({ "description": sentence(about) }),
        Row(row) => json!({ "type": "array", "prefixItems": all(row) }),
        Each(row) => json!({ "type": "array", "items": { "anyOf": any(all(row).into_iter()) } }),
        Keys(keys) => json!({ "type": "array", "items": items(keys, &[]), "keys": by_key(keys) }),
        Pairs(keys) => {
            let pairs = keys
                .iter()
                .map(|key| json!({ "type": "array", "prefixItems": [name(key), of_key(key)] }));
            json!({ "type": "array", "items": { "anyOf": any(pairs) } })
        }
        RowAndKeys(row, keys) => {
            json!({ "type": "array", "prefixItems": all(row), "items": items(keys, &[]), "keys": by_key(keys) })
        }
        RowAndEach(row, each) => {
            json!({ "type": "array", "prefixItems": all(row), "items": { "anyOf": any(all(each).into_iter()) } })
        }
        KeysAndNamed(keys, [name, value]) => json!({
            "type": "array", "items": items(keys, &[*name, *value]), "keys": by_key(keys), "named": of_shape(value)
        }),
    }
}

fn name(key: &Key) -> Value {
    json!({ "const": key.name, "description": sentence(key.about) })
}

/// The schema of a key's value, with the key's description if it has none.
fn of_key(key: &Key) -> Value {
    let Some(value) = &key.value else {
        return json!({});
    };
    let mut schema = of_shape(value);
    if let Some(object) = schema.as_object_mut() {
        object
            .entry("description")
            .or_insert_with(|| sentence(key.about).into());
        if let Some((least, most)) = key.items {
            object.insert("minItems".into(), least.into());
            object.insert("maxItems".into(), most.into());
        }
    }
    schema
}

/// The values by their keys. A key without a value has `false`.
fn by_key(keys: &[Key]) -> Value {
    let of = |key: &Key| {
        let value = key.value.map_or(Value::Bool(false), |_| of_key(key));
        (key.name.to_owned(), value)
    };
    Value::Object(keys.iter().map(of).collect::<Map<_, _>>())
}

/// An item of a list of keys and their values.
fn items(keys: &[Key], named: &[Shape]) -> Value {
    let values = keys
        .iter()
        .map(of_key)
        .filter(|value| value["type"] == "array");
    json!({ "anyOf": any(keys.iter().map(name).chain(values).chain(named.iter().map(of_shape))) })
}

/// These, or anything else.
fn any(known: impl Iterator<Item = Value>) -> Vec<Value> {
    known.chain([json!({})]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit_base::game::Game;

    #[test]
    fn schemas_are_small() {
        for known in crate::reader::known::all() {
            let size = known.schema().to_string().len();
            assert!(size < 100_000, "{}: {size}", known.kind());
        }
    }

    #[test]
    fn references_of_schemas_lead_to_schemas() {
        fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
            match value {
                Value::Object(object) => {
                    found.extend(object.get("$ref").and_then(Value::as_str));
                    object.values().for_each(|value| references(value, found));
                }
                Value::Array(list) => list.iter().for_each(|value| references(value, found)),
                _ => {}
            }
        }
        let mut all = 0;
        for known in crate::reader::known::all() {
            let (schema, mut found) = (known.schema(), Vec::new());
            references(&schema, &mut found);
            for path in &found {
                let target = schema.pointer(path.strip_prefix('#').unwrap());
                assert!(
                    target.is_some_and(|target| target.get("type").is_some()),
                    "{}: {path}",
                    known.kind()
                );
            }
            all += found.len();
        }
        assert!(all > 0);
    }

    #[test]
    fn schemas_offer_keys_and_refuse_nothing() {
        let net = KnownReader::of("net_01", Game::Rc).unwrap().schema();
        let offered: Vec<_> = net["items"]["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| &item["const"])
            .collect();
        assert_eq!(offered[..3], ["version", "name", "type"]);
        assert!(offered.last().unwrap().is_null(), "anything else");
        assert!(
            net["description"]
                .as_str()
                .unwrap()
                .starts_with("A network of paths")
        );
        assert_eq!(
            net["keys"]["path_width"]["prefixItems"][0]["type"],
            "number"
        );
    }
}
