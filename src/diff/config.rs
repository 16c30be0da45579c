//! Texts of configs as values, so that mods change classes and properties, and not lines.

use super::value::Value;
use bytes::Bytes;
use refit_base::{
    lower_hex,
    wire::{Error, F32, Result, bytes_of_hex},
};
use refit_bohemia::rap::{
    Rap,
    model::{ArrayItem, Config, ConfigClass, ConfigEntry, ConfigValue, EntryContent},
};

/// Deepest nesting of classes and arrays. Deeper configs are compared as bytes, because values are
/// walked recursively.
const DEEPEST: usize = 100;

/// The content of a config; `None` if the text is not a config, or nested too deep.
pub(super) fn of_text(text: &str) -> Option<Value> {
    let config = Rap::from_text(text).ok()?.into_config();
    let mut fields = vec![("entries".into(), entries(&config, 0, 0)?)];
    if !config.enums.is_empty() {
        let one = |(name, value): &(Bytes, i32)| {
            Value::Record(vec![
                ("name".into(), bytes(name)),
                ("value".into(), number(*value)),
            ])
        };
        fields.push((
            "enums".into(),
            Value::List(config.enums.iter().map(one).collect()),
        ));
    }
    Some(Value::Record(fields))
}

fn number(n: impl ToString) -> Value {
    Value::Number(n.to_string().into())
}

/// A text, or bytes that are not UTF-8.
fn bytes(text: &[u8]) -> Value {
    match std::str::from_utf8(text) {
        Ok(text) => Value::Text(text.into()),
        Err(_) => marked("bytes", Value::Text(lower_hex(text).into())),
    }
}

fn marked(key: &str, value: Value) -> Value {
    Value::Record(vec![(key.into(), value)])
}

fn entries(config: &Config, class: usize, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let entry = |entry: &ConfigEntry| {
        let mut fields = vec![("name".into(), bytes(&entry.name))];
        let mut put = |key: &str, value: Value| fields.push((key.into(), value));
        match &entry.content {
            EntryContent::Class(inner) => {
                put(
                    "class",
                    bytes(config.classes.get(*inner).map_or(b"", |class| &class.base)),
                );
                put("entries", entries(config, *inner, depth + 1)?);
            }
            EntryContent::Value(value) => put("value", scalar(value)),
            EntryContent::Array(list) => put("array", items(list, depth + 1)?),
            EntryContent::Changed(flag, list) => {
                put("array", items(list, depth + 1)?);
                put("flag", number(*flag));
            }
            EntryContent::External => put("external", Value::Bool(true)),
            EntryContent::Deleted => put("deleted", Value::Bool(true)),
        }
        Some(Value::Record(fields))
    };
    config
        .entries(class)
        .iter()
        .map(entry)
        .collect::<Option<_>>()
        .map(Value::List)
}

fn items(list: &[ArrayItem], depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    let item = |item: &ArrayItem| match item {
        ArrayItem::Value(value) => Some(scalar(value)),
        ArrayItem::Array(list) => items(list, depth + 1),
    };
    list.iter()
        .map(item)
        .collect::<Option<_>>()
        .map(Value::List)
}

fn scalar(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Text(text) => bytes(text),
        ConfigValue::Float(float) if float.get().is_finite() => {
            let text = ryu::Buffer::new().format_finite(float.get()).to_owned();
            // As JSON has it.
            Value::Number(
                ryu::Buffer::new()
                    .format_finite(text.parse::<f64>().unwrap_or_default())
                    .into(),
            )
        }
        ConfigValue::Float(float) => {
            marked("float", Value::Text(format!("{:08x}", float.bits()).into()))
        }
        ConfigValue::Int(int) => number(*int),
        ConfigValue::Long(long) => marked("i64", number(*long)),
        ConfigValue::Expression(text) => marked("expression", bytes(text)),
    }
}

/// The text of a config.
pub fn to_text(value: &Value) -> Result<String> {
    let mut config = Config::default();
    let list = value
        .field("entries")
        .ok_or_else(|| wrong("a config has entries"))?;
    put_entries(&mut config, 0, list, 0)?;
    if let Some(Value::List(enums)) = value.field("enums") {
        for item in enums {
            let name = item
                .field("name")
                .ok_or_else(|| wrong("an enumerator has a name"))?;
            let value = item
                .field("value")
                .and_then(as_number)
                .ok_or_else(|| wrong("an enumerator has a value"))?;
            config.enums.push((to_bytes(name)?, value));
        }
    }
    Ok(Rap::from_config(config).text())
}

fn wrong(what: &str) -> Error {
    Error::say(format!("not the content of a config: {what}"))
}

fn as_number<T: std::str::FromStr>(value: &Value) -> Option<T> {
    if let Value::Number(number) = value {
        number.parse().ok()
    } else {
        None
    }
}

fn to_bytes(value: &Value) -> Result<Bytes> {
    match (value, value.field("bytes")) {
        (Value::Text(text), _) => Ok(String::from(text.clone()).into()),
        (_, Some(Value::Text(hex))) => bytes_of_hex(hex)
            .map(Bytes::from)
            .map_err(|_| wrong("bytes are hexadecimal")),
        _ => Err(wrong("a text is expected")),
    }
}

fn put_entries(config: &mut Config, class: usize, list: &Value, depth: usize) -> Result<()> {
    let Value::List(list) = list else {
        return Err(wrong("entries are a list"));
    };
    if depth > DEEPEST {
        return Err(wrong("it is nested too deeply"));
    }
    for item in list {
        let name = to_bytes(
            item.field("name")
                .ok_or_else(|| wrong("an entry has a name"))?,
        )?;
        let content =
            if let (Some(base), Some(inner)) = (item.field("class"), item.field("entries")) {
                let new = config.classes.len();
                config.classes.push(ConfigClass {
                    base: to_bytes(base)?,
                    entries: Vec::new(),
                });
                put_entries(config, new, inner, depth + 1)?;
                EntryContent::Class(new)
            } else if let Some(value) = item.field("value") {
                EntryContent::Value(to_scalar(value)?)
            } else if let Some(list) = item.field("array") {
                let list = to_items(list, depth + 1)?;
                match item.field("flag") {
                    Some(flag) => EntryContent::Changed(
                        as_number(flag).ok_or_else(|| wrong("a flag is a number"))?,
                        list,
                    ),
                    None => EntryContent::Array(list),
                }
            } else if item.field("external").is_some() {
                EntryContent::External
            } else if item.field("deleted").is_some() {
                EntryContent::Deleted
            } else {
                return Err(wrong("an entry is a class, a value or an array"));
            };
        if let Some(class) = config.classes.get_mut(class) {
            class.entries.push(ConfigEntry { name, content });
        }
    }
    Ok(())
}

fn to_items(list: &Value, depth: usize) -> Result<Vec<ArrayItem>> {
    let Value::List(list) = list else {
        return Err(wrong("an array is a list"));
    };
    if depth > DEEPEST {
        return Err(wrong("it is nested too deeply"));
    }
    let item = |item: &Value| match item {
        Value::List(_) => to_items(item, depth + 1).map(ArrayItem::Array),
        _ => to_scalar(item).map(ArrayItem::Value),
    };
    list.iter().map(item).collect()
}

fn to_scalar(value: &Value) -> Result<ConfigValue> {
    Ok(match value {
        Value::Number(text) if text.contains(['.', 'e', 'E']) => ConfigValue::Float(F32::from(
            text.parse::<f32>()
                .map_err(|_| wrong("a number is expected"))?,
        )),
        Value::Number(text) => match text.parse::<i64>() {
            Ok(long) => i32::try_from(long).map_or(ConfigValue::Long(long), ConfigValue::Int),
            Err(_) => return Err(wrong("a number of 64 bits is expected")),
        },
        _ if value.field("float").is_some() => {
            let bits = value
                .field("float")
                .and_then(Value::text)
                .and_then(|hex| u32::from_str_radix(hex, 16).ok());
            ConfigValue::Float(F32::from_bits(
                bits.ok_or_else(|| wrong("a float has eight digits"))?,
            ))
        }
        _ if value.field("i64").is_some() => {
            let long = value.field("i64").and_then(as_number);
            ConfigValue::Long(long.ok_or_else(|| wrong("a number of 64 bits is expected"))?)
        }
        _ => match value.field("expression") {
            Some(text) => ConfigValue::Expression(to_bytes(text)?),
            None => ConfigValue::Text(to_bytes(value)?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_survives_the_round_trip_through_its_value() {
        let text = Rap::from_text(
            "class A: B { x = 1; y = 1.5; z = \"t \"\"q\"\"\" \\n \"u\"; l[] = {1, {2.0, \"a\"}, {}}; m[] += {1};
            delete C; class D; e = __EVAL(1 + 2); n = /*i64*/ 5; f = /*f=7fc00000*/ 0.0; b = /*x=ff0d*/ \"\"; g = -0.0;
            h = 1e-05; }; k = 10000000000; class A {}; class E { class F { class G {}; }; };
            enum { one = 1, two = -2 };",
        );
        let text = text.unwrap().text();
        let value = of_text(&text).unwrap();
        assert_eq!(to_text(&value).unwrap(), text);
        // Also through the text of a mod.
        assert_eq!(Value::parse(&value.compact()), Some(value));
        assert_eq!(of_text("class A {"), None);
        let deep = |n: usize| format!("{}{}", "class A {".repeat(n), "};".repeat(n));
        assert!(of_text(&deep(100)).is_some() && of_text(&deep(102)).is_none());
        for bad in [
            "1",
            "{}",
            "{\"entries\":1}",
            "{\"entries\":[{}]}",
            "{\"entries\":[{\"name\":\"a\"}]}",
            "{\"entries\":[{\"name\":\"a\",\"value\":true}]}",
            "{\"entries\":[{\"name\":\"a\",\"array\":1}]}",
            "{\"entries\":[{\"name\":\"a\",\"value\":{\"float\":\"x\"}}]}",
            "{\"entries\":[],\"enums\":[1]}",
        ] {
            assert!(to_text(&Value::parse(bad).unwrap()).is_err(), "{bad}");
        }
    }
}
