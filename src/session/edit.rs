//! Edits of a project, as programs describe them.

use refit_diff::Value;
use refit_workbench::{edits::EditFinding, world};
use refit_zipper::gamez::edit::Motion;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;

/// An edit of a file of the game. `file` is its path below the game's folder, with `/`, and `part` a
/// path in its tree. A `path` leads to a value of a document, as `diff`, `mod show` and `lint` print
/// it: `nodes[3].name`, `sequences[SEQ_0].events[2].node`, `TABLE › SPEED`.
///
/// `old` is the value that the edit replaces, if the caller knows it: if another program wrote
/// another one meanwhile, the edit is refused, and the error names both.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Edit {
    /// Sets a value, or adds a field.
    Set {
        /// The file.
        file: String,
        /// The document.
        part: String,
        /// The value.
        path: String,
        /// The new value.
        value: Value,
        /// The value now.
        #[serde(
            default,
            deserialize_with = "some",
            skip_serializing_if = "Option::is_none"
        )]
        old: Option<Value>,
    },
    /// Inserts an item into a list.
    Insert {
        /// The file.
        file: String,
        /// The document.
        part: String,
        /// The list.
        path: String,
        /// The position that the item gets.
        index: usize,
        /// The item.
        value: Value,
    },
    /// Removes a field or an item.
    Remove {
        /// The file.
        file: String,
        /// The document.
        part: String,
        /// The field or item.
        path: String,
        /// The value now.
        #[serde(
            default,
            deserialize_with = "some",
            skip_serializing_if = "Option::is_none"
        )]
        old: Option<Value>,
    },
    /// Moves an item within its list.
    Move {
        /// The file.
        file: String,
        /// The document.
        part: String,
        /// The item.
        path: String,
        /// The position that it gets.
        to: usize,
        /// The item now.
        #[serde(
            default,
            deserialize_with = "some",
            skip_serializing_if = "Option::is_none"
        )]
        old: Option<Value>,
    },
    /// Replaces a text or a document as text, or adds it.
    Text {
        /// The file.
        file: String,
        /// The text.
        part: String,
        /// The new text.
        text: String,
        /// The text that the author began with: if another program changed the text meanwhile, both
        /// changes are merged. Without it, the new text replaces whatever is there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    /// Compiles the source of an animation's definition over the definition, as
    /// `refit anim compile --base` does. What a source cannot express stays.
    Definition {
        /// The animation file.
        file: String,
        /// The document of the definition.
        part: String,
        /// Its source, a text `.zrd` with this definition alone.
        text: String,
        /// The source that the author began with, as of [`Edit::Text`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    /// Replaces the picture of a texture. Its size and its form follow the package.
    Picture {
        /// The file.
        file: String,
        /// The texture.
        member: String,
        /// A PNG.
        #[serde(with = "base64")]
        bytes: Vec<u8>,
        /// Replace it in every package of the game that has it, with its smaller versions.
        #[serde(default, skip_serializing_if = "is_false")]
        everywhere: bool,
    },
    /// Replaces a sound. It gets the codec, rate, bits and channels of the old one.
    Sound {
        /// The file.
        file: String,
        /// The sound.
        member: String,
        /// A WAV.
        #[serde(with = "base64")]
        bytes: Vec<u8>,
        /// Replace it in every bank of the game that has it.
        #[serde(default, skip_serializing_if = "is_false")]
        everywhere: bool,
    },
    /// Replaces a member by a glTF file, or adds a motion of this name: a model, a 'mech, a motion.
    Gltf {
        /// The file.
        file: String,
        /// The member.
        member: String,
        /// The name of the file: `limp.glb`, or `.gltf` with everything in it.
        name: String,
        /// Its content.
        #[serde(with = "base64")]
        bytes: Vec<u8>,
    },
    /// Adds, renames or removes a member of an archive.
    Member {
        /// The file.
        file: String,
        /// The change.
        change: MemberEdit,
    },
    /// Changes the objects of a world.
    World {
        /// The file.
        file: String,
        /// The change.
        change: WorldEdit,
    },
}

/// A change of the members of an archive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum MemberEdit {
    /// Adds a member: a text, a document, a picture or a sound as `refit add` takes it.
    Add {
        /// Its name.
        name: String,
        /// Its content.
        #[serde(with = "base64")]
        bytes: Vec<u8>,
    },
    /// Renames a member.
    Rename {
        /// Its name.
        name: String,
        /// Its new name.
        to: String,
    },
    /// Removes a member.
    Remove {
        /// Its name.
        name: String,
    },
}

/// A change of the objects of a world. A `node` is a name, or `#` and a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum WorldEdit {
    /// Moves and turns a node.
    Move {
        /// The node.
        node: String,
        /// How.
        motion: NodeMotion,
    },
    /// Adds the objects of a glTF file, with their pictures.
    Add {
        /// The name of the file: `tower.glb`, or `.gltf` with everything in it.
        name: String,
        /// Its content.
        #[serde(with = "base64")]
        bytes: Vec<u8>,
        /// The node that they are put below; the world by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<String>,
        /// The place of the first one.
        #[serde(default)]
        motion: NodeMotion,
    },
    /// Lays the meshes of a glTF file as ground, cut at the cells.
    Ground {
        /// The name of the file, as of [`WorldEdit::Add`].
        name: String,
        /// Its content.
        #[serde(with = "base64")]
        bytes: Vec<u8>,
        /// The beginning of the names of the pieces; `ground` by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<String>,
        /// Craters may form unless the file says otherwise (Recoil).
        #[serde(default)]
        craters: bool,
    },
    /// Copies a node with everything below it.
    Copy {
        /// The node.
        node: String,
        /// Another world of the game that has the node: its models, pictures and animations are
        /// copied, too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// The parent of the copy; that of the node by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        under: Option<String>,
        /// The name of the copy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The place of the copy.
        #[serde(default)]
        motion: NodeMotion,
    },
    /// Puts a node below another one.
    Reparent {
        /// The node.
        node: String,
        /// Its new parent.
        under: String,
        /// Its place in its parent stays, not that in the world.
        #[serde(default, skip_serializing_if = "is_false")]
        local: bool,
    },
    /// Renames a node.
    Rename {
        /// The node.
        node: String,
        /// Its new name.
        name: String,
        /// Rename it even if other files refer to the old name.
        #[serde(default)]
        force: bool,
    },
    /// Removes a node with everything below it.
    Remove {
        /// The node.
        node: String,
        /// Remove it even if other files refer to it.
        #[serde(default)]
        force: bool,
    },
    /// Changes of several nodes, in order, as one edit: moves, copies within this world, new
    /// parents, new names and removals.
    Several {
        /// The changes.
        changes: Vec<WorldEdit>,
    },
}

/// How a node is moved: see [`Motion`].
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeMotion {
    /// The new position in its parent, in the units of the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<[f32; 3]>,
    /// The offset added to its position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<[f32; 3]>,
    /// How far it is turned about the vertical axis, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<f32>,
    /// Its new factors along its own axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<[f32; 3]>,
}

impl From<NodeMotion> for Motion {
    fn from(motion: NodeMotion) -> Self {
        let NodeMotion {
            at,
            by,
            turn,
            scale,
        } = motion;
        Motion {
            at,
            by,
            turn,
            scale,
        }
    }
}

impl WorldEdit {
    /// The change in a sentence.
    pub(crate) fn label(&self) -> String {
        match self {
            WorldEdit::Move { node, .. } => format!("{node} moved"),
            WorldEdit::Add { name, .. } => format!("{name} added"),
            WorldEdit::Ground { name, .. } => format!("{name} laid as ground"),
            WorldEdit::Copy {
                node,
                from: Some(from),
                ..
            } => format!("{node} copied from {from}"),
            WorldEdit::Copy {
                node,
                name: Some(name),
                ..
            } => format!("{node} copied as {name}"),
            WorldEdit::Copy { node, .. } => format!("{node} copied"),
            WorldEdit::Reparent { node, under, .. } => format!("{node} put below {under}"),
            WorldEdit::Rename { node, name, .. } => format!("{node} renamed to {name}"),
            WorldEdit::Remove { node, .. } => format!("{node} removed"),
            WorldEdit::Several { changes } => match changes.as_slice() {
                [one] => one.label(),
                all => {
                    let verb = |change: &WorldEdit| match change {
                        WorldEdit::Move { .. } => "moved",
                        WorldEdit::Copy { .. } => "copied",
                        WorldEdit::Reparent { .. } => "put below another one",
                        WorldEdit::Rename { .. } => "renamed",
                        WorldEdit::Remove { .. } => "removed",
                        _ => "changed",
                    };
                    let mut verbs: Vec<&str> = all.iter().map(verb).collect();
                    verbs.dedup();
                    match verbs.as_slice() {
                        [verb] => format!("{} objects {verb}", all.len()),
                        _ => format!("{} changes of objects", all.len()),
                    }
                }
            },
        }
    }

    /// True if the world's texture packages and its animation file may change, too.
    pub(crate) fn has_others(&self) -> bool {
        matches!(
            self,
            WorldEdit::Add { .. }
                | WorldEdit::Ground { .. }
                | WorldEdit::Copy { from: Some(_), .. }
        )
    }

    /// The change as the workbench describes it, and whether it is made in any case. `other` is the
    /// file with the objects: that of a glTF, or the other world.
    pub(crate) fn change(&self, other: Option<PathBuf>) -> (world::Change, bool) {
        match self.clone() {
            WorldEdit::Add { under, motion, .. } => (
                world::Change::Add {
                    from: other.unwrap_or_default(),
                    under,
                    motion: motion.into(),
                },
                false,
            ),
            WorldEdit::Ground {
                prefix, craters, ..
            } => (
                world::Change::Ground {
                    from: other.unwrap_or_default(),
                    name: prefix.unwrap_or_else(|| "ground".to_owned()),
                    craters,
                },
                false,
            ),
            WorldEdit::Move { node, motion } => (
                world::Change::Move {
                    node,
                    motion: motion.into(),
                },
                false,
            ),
            WorldEdit::Copy {
                node,
                from,
                under,
                name,
                motion,
            } => (
                world::Change::Copy {
                    node,
                    // Among several changes the workbench refuses what needs another file.
                    from: other.or(from.map(PathBuf::from)),
                    under,
                    name,
                    motion: motion.into(),
                },
                false,
            ),
            WorldEdit::Reparent { node, under, local } => {
                (world::Change::Reparent { node, under, local }, false)
            }
            WorldEdit::Rename { node, name, force } => {
                (world::Change::Rename { node, name }, force)
            }
            WorldEdit::Remove { node, force } => (world::Change::Remove { node }, force),
            WorldEdit::Several { changes } => {
                let all = changes.iter().map(|change| change.change(None));
                let (changes, forces): (Vec<_>, Vec<bool>) = all.unzip();
                let force = !forces.is_empty() && forces.iter().all(|force| *force);
                (world::Change::Several(changes), force)
            }
        }
    }
}

impl Edit {
    /// The file of the game.
    pub fn file(&self) -> &str {
        match self {
            Edit::Set { file, .. }
            | Edit::Insert { file, .. }
            | Edit::Remove { file, .. }
            | Edit::Move { file, .. }
            | Edit::Text { file, .. }
            | Edit::Definition { file, .. }
            | Edit::Picture { file, .. }
            | Edit::Sound { file, .. }
            | Edit::Gltf { file, .. }
            | Edit::Member { file, .. }
            | Edit::World { file, .. } => file,
        }
    }
}

/// A picture or a sound that replaces a member in every package or bank that has it.
pub(crate) struct Everywhere<'a> {
    pub member: &'a str,
    pub bytes: &'a [u8],
    /// The name of a file with this content.
    pub name: &'static str,
}

impl Edit {
    /// What replaces a member in every file that has it, if the edit does.
    pub(crate) fn everywhere(&self) -> Option<Everywhere<'_>> {
        let (member, bytes, everywhere, name) = match self {
            Edit::Picture {
                member,
                bytes,
                everywhere,
                ..
            } => (member, bytes, everywhere, "picture.png"),
            Edit::Sound {
                member,
                bytes,
                everywhere,
                ..
            } => (member, bytes, everywhere, "sound.wav"),
            _ => return None,
        };
        everywhere.then_some(Everywhere {
            member,
            bytes,
            name,
        })
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Reads a field that is present: `null` is a value and differs from a missing field.
fn some<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(d).map(Some)
}

/// Bytes as base64.
mod base64 {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &[u8], s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(d)?;
        STANDARD.decode(text).map_err(D::Error::custom)
    }
}

/// Bytes that JSON carries as base64.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encoded(#[serde(with = "base64")] pub Vec<u8>);

/// A part of a file that an edit changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ChangedPart {
    /// The file of the game.
    pub file: String,
    /// The path in its tree.
    pub part: String,
}

/// What an edit, an undo or a redo did.
#[derive(Debug, Default, Serialize)]
pub struct Edited {
    /// The number of the edit, with which [`Session::revert`](crate::Session::revert) takes it back;
    /// `None` if nothing changed.
    pub number: Option<u64>,
    /// What it did, in a sentence.
    pub label: String,
    /// The parts that changed.
    pub changed: Vec<ChangedPart>,
    /// The findings that it brought in, worst first.
    pub brought_in: Vec<FileFinding>,
    /// What else the user should know.
    pub notes: Vec<String>,
}

/// A finding that an edit brought in.
#[derive(Debug, Serialize)]
pub struct FileFinding {
    /// The file of the game.
    pub of: String,
    /// The finding, and its place in the tree.
    #[serde(flatten)]
    pub finding: EditFinding,
}

/// An edit that is in effect.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EditDone {
    /// Its number, which no other edit has.
    pub number: u64,
    /// When it was made, in seconds since 1970.
    pub time: u64,
    /// What it did, in a sentence.
    pub label: String,
    /// The edit that it takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<u64>,
    /// The parts that it changed.
    pub parts: Vec<PartDone>,
}

/// What an edit did to a part.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PartDone {
    /// The file of the game.
    pub file: String,
    /// The path in its tree.
    pub part: String,
    /// The changes in sentences, as `diff` prints them.
    pub lines: Vec<String>,
    /// True if another program changed the part since the last edit.
    pub changed_since: bool,
}
