//! The JSON schemas of documents, generated from their types.

use schemars::Schema;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The schema of a document type, including the key with which a document names its schema.
pub fn schema_of<T: schemars::JsonSchema>() -> Schema {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let known: Vec<String> = schema
        .get("$defs")
        .and_then(|defs| defs.as_object())
        .map(|defs| defs.keys().cloned().collect())
        .unwrap_or_default();
    let mut named = Vec::new();
    unfold(&mut schema);
    describe_variants(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        allow_schema_key(root, &mut named);
        for name in known.iter().filter(|name| named.contains(name)) {
            if let Some(def) = root
                .get_mut("$defs")
                .and_then(|defs| defs.get_mut(name))
                .and_then(|def| def.as_object_mut())
            {
                allow_schema_key(def, &mut Vec::new());
            }
        }
    }
    told_apart(schema)
}

/// Makes each paragraph of a description one line: where the source breaks a line says nothing to a
/// reader of the schema.
fn unfold(schema: &mut Schema) {
    if let Some(Value::String(words)) = schema
        .as_object_mut()
        .and_then(|object| object.get_mut("description"))
    {
        let paragraphs: Vec<String> = words
            .split("\n\n")
            .map(|paragraph| paragraph.replace("\n- ", "\0").replace('\n', " "))
            .collect();
        *words = paragraphs.join("\n\n").replace('\0', "\n- ");
    }
    schemars::transform::transform_subschemas(&mut unfold, schema);
}

/// Copies the description of an enum variant to its property. In JSON a variant is an object with
/// one property; schemars describes the object, but editors show the description of the property.
fn describe_variants(schema: &mut Schema) {
    if let Some(object) = schema.as_object_mut()
        && let Some(words) = object.get("description").cloned()
        && let Some(properties) = object
            .get_mut("properties")
            .and_then(|properties| properties.as_object_mut())
        && properties.len() == 1
    {
        for property in properties
            .values_mut()
            .filter_map(|property| property.as_object_mut())
        {
            property
                .entry("description")
                .or_insert_with(|| words.clone());
        }
    }
    schemars::transform::transform_subschemas(&mut describe_variants, schema);
}

/// Allows `$schema` in an object that is a whole document, and in each of its alternatives.
/// Collects in `named` the definitions that the alternatives refer to.
fn allow_schema_key(object: &mut Map<String, Value>, named: &mut Vec<String>) {
    if let Some(properties) = object.get_mut("properties").and_then(|p| p.as_object_mut()) {
        properties.insert(
            "$schema".into(),
            json!({ "type": "string", "description": "Location of this document's schema, for editors. Not packed." }),
        );
    }
    if let Some(name) = object
        .get("$ref")
        .and_then(|r| r.as_str())
        .and_then(|r| r.strip_prefix("#/$defs/"))
    {
        named.push(name.to_owned());
    }
    for key in ["anyOf", "oneOf"] {
        for part in object
            .get_mut(key)
            .and_then(|parts| parts.as_array_mut())
            .into_iter()
            .flatten()
            .filter_map(|part| part.as_object_mut())
        {
            allow_schema_key(part, named);
        }
    }
}

/// Rewrites alternatives so that the type of the value, or a key that only one kind of object has,
/// selects one of them. A validator then reports the error in that alternative instead of "none of
/// them fits".
pub fn told_apart(schema: Schema) -> Schema {
    let mut value = schema.to_value();
    let defs = value
        .get("$defs")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    tell_apart(&mut value, &defs);
    value.as_object().cloned().unwrap_or_default().into()
}

fn tell_apart(schema: &mut Value, defs: &Map<String, Value>) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(|one| tell_apart(one, defs)),
        Value::Object(object) => object.values_mut().for_each(|one| tell_apart(one, defs)),
        _ => {}
    }
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for key in ["anyOf", "oneOf"] {
        let kinds = object
            .get(key)
            .and_then(Value::as_array)
            .and_then(|all| by_type(key, all, defs));
        if let Some(kinds) = kinds.filter(|kinds| {
            kinds
                .keys()
                .all(|key| key == "description" || !object.contains_key(key))
        }) {
            object.remove(key);
            kinds
                .into_iter()
                .for_each(|(key, value)| _ = object.entry(key).or_insert(value));
        }
    }
}

/// The JSON types that a schema allows.
fn types<'a>(schema: &'a Value, defs: &'a Map<String, Value>) -> Option<BTreeSet<&'a str>> {
    if let Some(name) = schema.get("$ref") {
        return types(defs.get(name.as_str()?.strip_prefix("#/$defs/")?)?, defs);
    }
    let said = |name: &'a Value| {
        Some(if name == "integer" {
            "number"
        } else {
            name.as_str()?
        })
    };
    match schema.get("type") {
        Some(Value::Array(names)) => return names.iter().map(said).collect(),
        Some(name) => return Some([said(name)?].into()),
        None => {}
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values
            .iter()
            .all(Value::is_string)
            .then(|| ["string"].into());
    }
    let all = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(key))?
        .as_array()?;
    let all: Vec<_> = all
        .iter()
        .map(|one| types(one, defs))
        .collect::<Option<_>>()?;
    Some(all.into_iter().flatten().collect())
}

/// Selects alternatives by the type of the value. `None` if the types overlap, and for plain
/// values, whose errors are short anyway and whose lists editors use for completion.
fn by_type(key: &str, all: &[Value], defs: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut of_types: BTreeMap<BTreeSet<&str>, Vec<Value>> = BTreeMap::new();
    for one in all {
        of_types
            .entry(types(one, defs)?)
            .or_default()
            .push(one.clone());
    }
    let names: Vec<&str> = of_types.keys().flatten().copied().collect();
    let kinds: BTreeSet<&str> = names.iter().copied().collect();
    if kinds.len() < names.len() || !kinds.contains("array") && !kinds.contains("object") {
        return None;
    }
    let forms = of_types.iter().map(|(types, forms)| {
        let form = match forms.as_slice() {
            [one] => one.clone(),
            _ if types.iter().eq(&["object"]) => by_key(forms)?,
            _ => json!({ key: forms }),
        };
        Some((json!({ "type": one_or_all(types) }), form))
    });
    let mut forms: Vec<(Value, Value)> = forms.collect::<Option<_>>()?;
    if let [(_, form)] = forms.as_slice() {
        return form.as_object().filter(|_| all.len() > 1).cloned();
    }
    // Drop alternatives that only check the type.
    forms.retain(|(test, form)| test != form);
    let mut out = Map::new();
    for (test, form) in forms.into_iter().rev() {
        let others = std::mem::take(&mut out);
        out = Map::from_iter([("if".to_owned(), test), ("then".to_owned(), form)]);
        if !others.is_empty() {
            out.insert("else".into(), others.into());
        }
    }
    out.insert("type".into(), one_or_all(&kinds));
    Some(out)
}

fn one_or_all(types: &BTreeSet<&str>) -> Value {
    match Vec::from_iter(types).as_slice() {
        [one] => json!(one),
        all => json!(all),
    }
}

/// Selects objects by a required key that the other alternatives do not have.
fn by_key(forms: &[Value]) -> Option<Value> {
    let properties = |form: &Value| form.get("properties").and_then(Value::as_object).cloned();
    let all: Vec<Map<String, Value>> = forms.iter().map(properties).collect::<Option<_>>()?;
    let required = |form: &Value| {
        Some(
            form.get("required")?
                .as_array()?
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        )
    };
    let required: Vec<Vec<String>> = forms.iter().map(required).collect::<Option<_>>()?;
    let own = |(i, keys): (usize, &Vec<String>)| {
        let is_own = |key: &&String| {
            all.iter()
                .enumerate()
                .all(|(other, properties)| other == i || !properties.contains_key(*key))
        };
        keys.iter().find(is_own).cloned()
    };
    let keys: Vec<String> = required
        .iter()
        .enumerate()
        .map(own)
        .collect::<Option<_>>()?;
    if forms
        .iter()
        .any(|form| form.get("additionalProperties") != Some(&Value::Bool(false)))
    {
        return None;
    }
    // Variants of an enum: editors offer all of the keys.
    if all
        .iter()
        .all(|properties| properties.keys().filter(|key| *key != "$schema").count() == 1)
    {
        let properties: Map<String, Value> = all.into_iter().flatten().collect();
        let number = |number: usize| json!({ "minProperties": number, "maxProperties": number });
        let number = match properties.contains_key("$schema") {
            true => {
                json!({ "if": { "required": ["$schema"] }, "then": number(2), "else": number(1) })
            }
            false => number(1),
        };
        let mut out =
            json!({ "type": "object", "properties": properties, "additionalProperties": false });
        out.as_object_mut()?
            .append(&mut number.as_object().cloned()?);
        return Some(out);
    }
    // An object without any of the keys is probably the first alternative, the usual one.
    let (first, others) = forms.split_first()?;
    let mut out = first.clone();
    for (key, form) in keys.iter().skip(1).zip(others).rev() {
        out = json!({ "type": "object", "if": { "required": [key] }, "then": form, "else": out });
    }
    Some(out)
}
