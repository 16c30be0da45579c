//! The tools: one struct for each. Its comment and those of its fields are what the agent reads;
//! `tools.json` has them with the schemas of the arguments, made by `cargo xtask schemas`.

mod edit;
mod game;
mod look;

use crate::{desk::Desk, pages::Reply};
use refit_base::wire::{Error, Result, shorten};
use refit_diff::check_depth;
use refit_files::pipeline;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Most bytes of the text of an error.
const LONGEST_ERROR: usize = 4_000;

/// What a tool may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// It writes nothing.
    Looks,
    /// It writes to a project, or makes a new file. An edit can be undone.
    Edits,
    /// It writes to a game.
    Builds,
}

impl Kind {
    fn annotations(self) -> Value {
        json!({
            "readOnlyHint": self == Kind::Looks, "destructiveHint": self == Kind::Builds,
            "openWorldHint": false,
        })
    }
}

/// A tool: its arguments, and what it does with them.
pub(crate) trait Tool {
    fn call(self, desk: &mut Desk) -> Result<Reply>;
}

macro_rules! tools {
    ($($name:literal $tool:path: $kind:ident;)*) => {
        /// The names of all tools, and what they may do.
        const TOOLS: &[(&str, Kind)] = &[$(($name, Kind::$kind)),*];

        /// Calls a tool.
        ///
        /// # Errors
        /// If there is no such tool, if the arguments do not fit, or if the tool fails.
        fn call(desk: &mut Desk, name: &str, arguments: &Value) -> Result<Reply> {
            match name {
                $($name => self::arguments::<$tool>(arguments)?.call(desk),)*
                _ => Err(Error::say(format!("there is no tool {name:?}"))),
            }
        }

        /// The content of `tools.json`: names, descriptions and schemas of all tools, made of their
        /// declarations.
        #[cfg(feature = "schemas")]
        pub fn declared() -> Value {
            Value::from(vec![$(schema::of::<$tool>($name)),*])
        }
    };
}

tools! {
    "folders" look::Folders: Looks;
    "list" look::List: Looks;
    "info" look::Info: Looks;
    "parts" look::Parts: Looks;
    "read" look::Read: Looks;
    "picture" look::Picture: Looks;
    "world" look::World: Looks;
    "find" look::Find: Looks;
    "refs" look::Refs: Looks;
    "explain" look::Explain: Looks;
    "lint" look::Lint: Looks;
    "diff" look::Diff: Looks;
    "schema" look::Schema: Looks;
    "changes" look::Changes: Looks;
    "mods" look::Mods: Looks;
    "more" look::More: Looks;
    "begin" edit::Begin: Edits;
    "set" edit::Set: Edits;
    "insert" edit::Insert: Edits;
    "remove" edit::Remove: Edits;
    "move" edit::Move: Edits;
    "write_text" edit::WriteText: Edits;
    "replace" edit::Replace: Edits;
    "add_member" edit::AddMember: Edits;
    "rename_member" edit::RenameMember: Edits;
    "remove_member" edit::RemoveMember: Edits;
    "world_add" edit::WorldAdd: Edits;
    "world_ground" edit::WorldGround: Edits;
    "world_copy" edit::WorldCopy: Edits;
    "world_move" edit::WorldMove: Edits;
    "world_reparent" edit::WorldReparent: Edits;
    "world_rename" edit::WorldRename: Edits;
    "world_remove" edit::WorldRemove: Edits;
    "undo" edit::Undo: Edits;
    "redo" edit::Redo: Edits;
    "make_mod" game::MakeMod: Edits;
    "plan_build" game::PlanBuild: Edits;
    "plan_restore" game::PlanRestore: Edits;
    "plan_mods" game::PlanMods: Edits;
    "carry_out" game::CarryOut: Builds;
}

/// Calls a tool. Returns its result as the protocol has it: a failure is a result, too.
pub(crate) fn answer(desk: &mut Desk, name: &str, arguments: &Value) -> Value {
    let done = pipeline::guarded(|| {
        let reply = call(desk, name, arguments)?;
        Ok(desk.pages.first(reply))
    });
    match done {
        Ok(content) => json!({ "content": content, "isError": false }),
        Err(e) => {
            let text = e.to_string();
            let text = shorten(&text, LONGEST_ERROR);
            json!({ "content": [{ "type": "text", "text": text }], "isError": true })
        }
    }
}

/// The arguments of a tool.
///
/// # Errors
/// If they are not what its schema says.
fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T> {
    // Values are walked recursively.
    let text = arguments.to_string();
    check_depth(&text)?;
    serde_json::from_str(&text).map_err(|e| Error::say(format!("the arguments do not fit: {e}")))
}

/// The tools with descriptions and schemas, as `tools.json` has them.
static LISTED: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tools.json")).unwrap_or_default());

/// True for a tool that the server offers.
pub(crate) fn is_offered(name: &str, read_only: bool) -> bool {
    let found = TOOLS.iter().find(|(own, _)| *own == name);
    found.is_some_and(|(_, kind)| !read_only || *kind == Kind::Looks)
}

/// The tools that the server offers, as the protocol lists them.
pub(crate) fn list(read_only: bool) -> Vec<Value> {
    let name_of = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    let offered = LISTED
        .iter()
        .filter(|tool| is_offered(&name_of(tool), read_only));
    let listed = offered.map(|tool| {
        let name = name_of(tool);
        let kind = TOOLS.iter().find(|(own, _)| *own == name);
        let mut tool = tool.clone();
        tool["annotations"] = kind.map_or(Kind::Builds, |(_, kind)| *kind).annotations();
        tool
    });
    listed.collect()
}

#[cfg(feature = "schemas")]
mod schema {
    use schemars::{JsonSchema, generate::SchemaSettings};
    use serde_json::{Value, json};

    /// A text in one line.
    fn flat(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Puts every description on one line, and removes what a model need not read: that an argument
    /// that may be left out may also be null, and what its default and its size in memory are.
    fn shorten(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, _| !matches!(key.as_str(), "default" | "format"));
                for (key, value) in fields.iter_mut() {
                    match value {
                        Value::String(text) if key == "description" => *text = flat(text),
                        Value::Array(types) if key == "type" => {
                            types.retain(|one| one != "null");
                            if let [one] = types.as_slice() {
                                *value = one.clone();
                            }
                        }
                        other => shorten(other),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(shorten),
            _ => {}
        }
    }

    /// A tool as the protocol lists it.
    pub fn of<T: JsonSchema>(name: &str) -> Value {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let mut schema = settings
            .into_generator()
            .into_root_schema_for::<T>()
            .to_value();
        shorten(&mut schema);
        let description = schema["description"].take();
        if let Some(fields) = schema.as_object_mut() {
            fields.remove("title");
            fields.remove("description");
            fields.entry("properties").or_insert_with(|| json!({}));
        }
        json!({ "name": name, "description": description, "inputSchema": schema })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file lists the tools of this program, each with a description and a schema.
    #[test]
    fn the_list_has_all_tools() {
        let names: Vec<&str> = LISTED
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        let own: Vec<&str> = TOOLS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, own, "run `cargo xtask schemas`");
        for tool in list(false) {
            assert!(tool["description"].as_str().unwrap().len() > 20, "{tool}");
            assert_eq!(tool["inputSchema"]["type"], "object");
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
            assert!(tool["annotations"]["readOnlyHint"].is_boolean());
        }
        assert!(
            list(true)
                .iter()
                .all(|tool| tool["annotations"]["readOnlyHint"] == true)
        );
        assert!(is_offered("more", true) && !is_offered("carry_out", true));
    }

    #[cfg(feature = "schemas")]
    #[test]
    fn the_list_is_made_of_the_declarations() {
        assert_eq!(
            Value::from(LISTED.clone()),
            declared(),
            "run `cargo xtask schemas`"
        );
    }
}
