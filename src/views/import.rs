//! glTF into files of the games: the way back of [`super::export`].

use super::gltf::import::{
    self, Finder,
    file::{Beside, File},
    scene::{self, Left, Placed, Triangle},
};
pub use super::gltf::import::apply::{Options, Report};
use crate::{
    formats::{
        Model as FileModel,
        gamez::{
            Gamez,
            materials::Material,
            models::Surroundings,
            textures::Texture,
            tree::{Named, model_of},
            types::Link,
        },
    },
    wire::{Error, F32, Result, Usual},
};
use bytes::Bytes;

/// True for the name of a glTF file.
pub fn is_gltf(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".glb") || path.ends_with(".gltf")
}

/// A glTF file, and what gives the files that it names.
pub struct Source<'a> {
    /// The file.
    pub file: &'a Bytes,
    /// Gives a file beside it: a `.bin`, a picture.
    pub beside: &'a Beside<'a>,
}

/// Puts a glTF file into the model that is the member `index` of a file. Where the file says what the model's export says, nothing changes.
///
/// Fails on what is no glTF or is damaged, on what no model can take (skins, animations, packed meshes), and where the member is no model.
/// Nothing is changed then.
pub fn put(model: &mut dyn FileModel, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let any: &mut dyn std::any::Any = model;
    if let Some(world) = any.downcast_mut::<Gamez>() {
        let slot = model_of(world, index);
        let slot = slot.ok_or_else(|| Error::say("this member is no model").hint("models/NAME is one: `refit list` shows them"))?;
        return put_model(world, slot, source, options);
    }
    Err(Error::say("glTF goes into models, and this member is none").hint("models are in gamez.zbd, planes.zbd and mechlib.zbd"))
}

/// All triangles of a file where they stand in its scene.
fn soup(file: &File, nodes: &[Placed], left: &mut Left) -> Result<Vec<Triangle>> {
    let mut out = Vec::new();
    for node in nodes {
        if let Some(mesh) = file.root.nodes.get(node.node).and_then(|n| n.mesh) {
            out.extend(scene::triangles(file, mesh, &node.world, left)?);
        }
    }
    Ok(out)
}

fn put_model(world: &mut Gamez, slot: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let file = File::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let nodes = scene::nodes(&file)?;
    let mut left = Left::default();
    let triangles = soup(&file, &nodes, &mut left)?;
    if triangles.is_empty() {
        return Err(Error::say("the file shows no triangle").hint("select what is to be exported, or show it"));
    }
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let cycled = world.materials.cycled();
    let piece = world.models.get(slot).and_then(Option::as_ref).ok_or_else(|| Error::say("the slot is free"))?;
    let uses = world.uses().get(slot).copied().unwrap_or(0);
    let before = piece.model(world.game, &Surroundings { cycled: &cycled, mechlib: false, uses })?;
    let finder = Finder::new(&file, &palette, std::iter::once(&before));
    let mut painted = world.clone_paints();
    let mut notes = Vec::new();
    let mut make = |material: usize| painted.make(&file, material, &mut notes);
    let (now, mut report) = import::model(&before, world.game, slot, &triangles, &finder, &mut make, options)?;
    report.notes.extend(notes);
    report.notes.extend(import::left_out(&file, &nodes, left));
    if report.is_unchanged() {
        return Ok(report);
    }
    painted.settle(world);
    world.change_model(slot, &before, now)?;
    Ok(report)
}

/// The materials and textures of a world, to which new ones are added.
struct Paints {
    materials: Vec<Option<Material>>,
    textures: Vec<Texture>,
    changed: bool,
}

impl Gamez {
    fn clone_paints(&self) -> Paints {
        Paints { materials: self.materials.materials.clone(), textures: self.textures.clone(), changed: false }
    }
}

impl Paints {
    /// Makes a material of a file's.
    fn make(&mut self, file: &File, index: usize, notes: &mut Vec<String>) -> Result<u32> {
        let stored = file.root.materials.get(index).cloned().unwrap_or_default();
        let mut material = Material::default();
        let picture = import::picture(file, index).map(|(_, name)| import::plain(&name).to_owned());
        match picture {
            Some(name) => {
                let wanted = import::stem(&name);
                let known = self.textures.iter().position(|t| import::stem(&t.name.text()) == wanted);
                let at = match known {
                    Some(at) => at,
                    None => {
                        self.textures.push(texture(&name)?);
                        notes.push(format!("the texture {name:?} is new: it has to be in the texture packages, too"));
                        self.textures.len() - 1
                    }
                };
                material.texture = Some(Link::to(i32::try_from(at).map_err(|_| Error::say("too many textures"))?));
            }
            None => {
                let [r, g, b, a] = stored.pbr_metallic_roughness.base_color_factor.unwrap_or([1.0; 4]).map(|v| v as f32);
                let color = super::gltf::shown([r, g, b]);
                material.color = Usual::of(color, [F32::from(255.0); 3]);
                material.alpha = Usual::of((a.clamp(0.0, 1.0) * 255.0).round() as u8, 255);
            }
        }
        notes.push(format!("the material {:?} is new", stored.name));
        self.materials.push(Some(material));
        self.changed = true;
        u32::try_from(self.materials.len() - 1).map_err(|_| Error::say("too many materials"))
    }

    fn settle(self, world: &mut Gamez) {
        if self.changed {
            world.materials.materials = self.materials;
            world.textures = self.textures;
        }
    }
}

/// A new entry of the texture directory.
fn texture(name: &str) -> Result<Texture> {
    serde_json::from_value(serde_json::json!({ "name": name })).map_err(|e| Error::say(format!("the texture {name:?}: {e}")))
}
