//! Properties of new things in a file beyond the standard ones of glTF: the extras of an export
//! contain more, if a program preserved them (Blender does with "Custom Properties"). Without them,
//! a new thing gets the usual values of its kind, and the report says so.
//!
//! Only new things need this: existing ones keep their properties. Numbers and flags depend on the
//! game, so extras are used only if the file is of the same game. They do not contain references to
//! other things, because those belong to another file.

use super::{file, file::GltfFile, report::Report};
use refit_base::{
    game::Game,
    tree::text,
    wire::{Defaulted, Error, F32, Result},
};
use refit_zipper::gamez::{
    classes::ObjectFlags,
    materials::{CrimsonSoil, Material, Soil},
    models::Model,
    nodes::{Data, Node, NodeFlags},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The flags of an object without extras, which most objects of all games have: all have the last
/// one.
const FLAGS: [&str; 6] = [
    "ACTIVE",
    "ALTITUDE_SURFACE",
    "INTERSECT_SURFACE",
    "SINGLE_PARENT",
    "ZONE_GATE",
    "UNK25",
];

/// The textures of a new material according to the file.
#[derive(Default)]
pub struct Textures {
    /// The name of its texture in the directory.
    pub own: Option<String>,
    /// The texture cycle.
    pub cycle: Option<Cycle>,
}

/// A texture cycle, as extras have it.
#[derive(serde::Deserialize)]
pub struct Cycle {
    /// Names of the textures, one each frame; nothing for a frame whose texture was not there.
    pub textures: Vec<Option<String>>,
    /// Frames a second.
    pub speed: F32,
    /// Whether it starts again at its end.
    pub looping: bool,
}

/// The extras of a file.
pub struct Known<'a> {
    pub file: &'a GltfFile,
    game: Game,
    /// True if the file comes from the same game.
    own: bool,
    /// True if the file is an export of the world that it is imported into.
    pub is_of_world: bool,
    /// The defaults that were used, and the extras that could not be read.
    pub report: Report,
}

/// Reads a value from extras; an error if it is present but invalid.
fn read<T: DeserializeOwned>(extras: &Map<String, Value>, key: &str) -> Result<Option<T>> {
    let Some(value) = extras.get(key) else {
        return Ok(None);
    };
    text::from_value(value)
        .map(Some)
        .map_err(|e| e.within(key.to_owned()))
}

/// The names of flags, as in documents.
pub fn names<T: serde::Serialize>(flags: &T) -> String {
    match text::to_value(flags) {
        Some(Value::Array(names)) if names.is_empty() => "without flags".to_owned(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            format!("with the flags {}", names.join(", "))
        }
        _ => "without flags".to_owned(),
    }
}

/// A model with the drawing properties from extras.
fn drawn(extras: &Map<String, Value>) -> Result<Model> {
    let mut doc = json!({ "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 0.0 });
    let keys = [("type", "model_type")].into_iter();
    let keys = keys.chain(
        [
            "facade_mode",
            "flags",
            "recoil_flags",
            "texture_scroll",
            "lights",
        ]
        .map(|key| (key, key)),
    );
    for (from, to) in keys {
        if let (Some(value), Some(doc)) = (extras.get(from), doc.as_object_mut()) {
            doc.insert(to.to_owned(), value.clone());
        }
    }
    Model::of_value(&doc)
}

/// Applies the extras of an object.
fn apply_object_extras(extras: &Map<String, Value>, node: &mut Node) -> Result<()> {
    let flags: Option<NodeFlags> = read(extras, "flags")?;
    let (zone, opacity, color) = (
        read(extras, "zone")?,
        read(extras, "opacity")?,
        read(extras, "color")?,
    );
    // The boxes depend on the content.
    let boxes = [
        NodeFlags::NODE_BBOX,
        NodeFlags::MODEL_BBOX,
        NodeFlags::CHILD_BBOX,
    ];
    node.flags = boxes
        .into_iter()
        .fold(flags.unwrap_or_default(), |flags, bit| {
            flags.with(bit, false)
        });
    node.zone = Defaulted(zone);
    if let Data::Object3d(object) = &mut node.data {
        object.flags = object
            .flags
            .with(ObjectFlags::OPACITY, opacity.is_some())
            .with(ObjectFlags::COLOR, color.is_some());
        object.opacity = Defaulted::of(opacity.unwrap_or_default(), F32::default());
        object.color = Defaulted::of(color.unwrap_or_default(), <[F32; 3]>::default());
    }
    Ok(())
}

/// A new object with the usual settings, without a position.
pub fn plain_node(name: &str, game: Game) -> Result<Node> {
    let mut doc =
        json!({ "name": name, "flags": FLAGS, "data": { "object3d": { "flags": ["ALWAYS"] } } });
    // The engine recomputes the model's box: all known objects of these games have this flag, and
    // mech3ax 0.6 requires it.
    if matches!(game, Game::Mw | Game::Pm)
        && let Some(doc) = doc.as_object_mut()
    {
        doc.insert("update_flags".to_owned(), json!("0x00000001"));
    }
    Node::of_value(&doc).map_err(|e| e.context(format!("the object {name:?}")))
}

impl<'a> Known<'a> {
    /// Prepares the extras of a file for import into a world of this game.
    pub fn of(file: &'a GltfFile, game: Game) -> Self {
        let root = &file.root;
        let scenes = root
            .scenes
            .iter()
            .map(|s| &s.extras)
            .chain(root.nodes.iter().map(|n| &n.extras));
        let mut games = scenes
            .filter_map(|extras| extras.as_ref()?.get("refit")?.get("game"))
            .chain(root.asset.extras.as_ref().and_then(|e| e.get("game")))
            .peekable();
        let own = games.peek().is_some() && games.all(|name| name.as_str() == Some(game.code()));
        Known {
            file,
            game,
            own,
            is_of_world: false,
            report: Report::default(),
        }
    }

    /// The game that the file is imported into.
    pub fn game(&self) -> Game {
        self.game.itself()
    }

    /// The extras of a thing, if an export wrote them: those always contain this key.
    fn extras(&self, extras: &'a Option<Value>, key: &str) -> Option<&'a Map<String, Value>> {
        extras
            .as_ref()?
            .as_object()
            .filter(|extras| self.own && extras.contains_key(key))
    }

    /// The parsed extras of an object; reports why they cannot be read.
    fn checked<T>(&mut self, what: &str, name: &str, read: Option<Result<T>>) -> Option<T> {
        let unread = |e: &Error| {
            let note =
                format!("the extras of the {what} {name:?} cannot be read, and are ignored: {e}");
            self.report.notes.push(note);
        };
        read?.inspect_err(unread).ok()
    }

    /// An empty model with the drawing properties of a mesh, otherwise those of `usual`.
    pub fn model(&mut self, mesh: usize, usual: &Model) -> Model {
        let stored = self.file.root.meshes.get(mesh);
        let key = if self.game.itself() == Game::Rc {
            "recoil_flags"
        } else {
            "flags"
        };
        let extras = stored.and_then(|mesh| self.extras(&mesh.extras, key));
        let name = stored.map(|mesh| mesh.name.as_str()).unwrap_or_default();
        if let Some(mut model) = self.checked("mesh", name, extras.map(drawn)) {
            if model.drop_morph() {
                let what = "comes from a model with morphs, which a file cannot contain: the new one has none";
                self.report.notes.push(format!("the mesh {name:?} {what}"));
            }
            return model;
        }
        let flags = match self.game.itself() {
            Game::Rc => names(&usual.recoil_flags.0.unwrap_or_default()),
            _ => names(&usual.flags.0.unwrap_or_default()),
        };
        self.report.add_default(
            format!("new models without a type in the file: the type DEFAULT, {flags}"),
            1,
        );
        usual.clone()
    }

    /// A new object without a position.
    pub fn node(&mut self, stored: &'a file::Node, name: &str) -> Result<Node> {
        let node = plain_node(name, self.game())?;
        if let Some(extras) = self.extras(&stored.extras, "class") {
            let class = extras
                .get("class")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if class == node.data.kind() {
                let mut known = node.clone();
                if self
                    .checked(
                        "object",
                        name,
                        Some(apply_object_extras(extras, &mut known)),
                    )
                    .is_some()
                {
                    return Ok(known);
                }
            } else {
                self.report.add_default(
                    format!(
                        "objects that had the class {class:?} in their file, and are object3d now"
                    ),
                    1,
                );
            }
        }
        self.report.add_default(
            format!(
                "new objects without further settings in the file: zone 255, {}",
                names(&FLAGS)
            ),
            1,
        );
        Ok(node)
    }

    /// Sets the ground type of a new material from the file. Returns the extras about its textures.
    pub fn material(&mut self, index: usize, material: &mut Material) -> Textures {
        let stored = self.file.root.materials.get(index);
        let extras = stored.and_then(|m| self.extras(&m.extras, "index"));
        let name = stored.map(|m| m.name.as_str()).unwrap_or_default();
        let crimson = self.game == Game::Cs;
        let values = extras.map(
            |extras| -> Result<(Defaulted<Soil>, Defaulted<CrimsonSoil>, Textures)> {
                let (soil, crimson_soil) = if crimson {
                    (None, read(extras, "soil")?)
                } else {
                    (read(extras, "soil")?, None)
                };
                let textures = Textures {
                    own: read(extras, "texture")?,
                    cycle: read(extras, "cycle")?,
                };
                Ok((Defaulted(soil), Defaulted(crimson_soil), textures))
            },
        );
        if let Some((soil, crimson_soil, textures)) = self.checked("material", name, values) {
            (material.soil, material.crimson_soil) = (soil, crimson_soil);
            return textures;
        }
        self.report.add_default(
            "new materials without a soil in the file: the soil DEFAULT, no cycle".to_owned(),
            1,
        );
        Textures::default()
    }
}
