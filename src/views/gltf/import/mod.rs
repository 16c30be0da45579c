//! glTF on its way back: a file that was exported, edited in any program, and exported again, into the model that it came from.
//!
//! Nothing is believed of a file that an export of the target would say as well: the target is at hand, and what the file says is held
//! against what it shows now ([`polygons`]). So an unedited trip gives the identical bytes, whatever a program made of the extras, the
//! order, the triangles or the names on the way, and what an export does not show (flags, priorities, zones, further materials, lights,
//! morphs) is never taken for deleted.
//!
//! [`file`] reads bytes of others, with each number checked; [`scene`] makes triangles of them; [`polygons`] finds their partners;
//! [`apply`] makes the edited model; [`merge`] makes polygons of new triangles; [`known`] says what new things are beside what they show.
//! [`motions`] takes animations.

pub mod apply;
pub mod file;
pub mod known;
mod merge;
pub mod motions;
pub mod polygons;
pub mod scene;

use super::{
    mesh,
    paint::{Palette, Variant},
};
use crate::{
    formats::gamez::models::{Model, PolygonFlags},
    game::Game,
    wire::{Error, Result},
};
use apply::{Materials, Options, Report};
use file::File;
use polygons::{Look, Old};
use scene::{Left, Triangle};
use std::collections::{HashMap, HashSet};

/// What a material of a file is in the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Paintwork {
    /// The one at this position; `None` is none.
    Known(Option<u32>),
    /// The file's at this position, which the game has not.
    New(usize),
}

/// The name without the `.001` that Blender puts behind a second one.
pub fn plain(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end)) if end.len() == 3 && end.bytes().all(|b| b.is_ascii_digit()) && !stem.is_empty() => stem,
        _ => name,
    }
}

/// The name of a texture without extension, in lower case.
pub fn stem(name: &str) -> String {
    let name = plain(name);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_lowercase(),
        _ => name.to_lowercase(),
    }
}

/// The name of the picture of a file's material.
pub fn picture(file: &File, material: usize) -> Option<(usize, String)> {
    let texture = file.root.materials.get(material)?.pbr_metallic_roughness.base_color_texture.as_ref()?.index;
    let source = file.root.textures.get(texture)?.source?;
    let image = file.root.images.get(source)?;
    let name = if image.name.is_empty() { image.uri.clone().filter(|uri| !uri.starts_with("data:"))? } else { image.name.clone() };
    Some((source, name))
}

/// Finds the materials of a file in the game's.
pub struct Finder<'a> {
    file: &'a File,
    palette: &'a Palette,
    /// Names of what a model shows beside the materials: none, and those that are missing.
    own: HashMap<String, Variant>,
}

impl<'a> Finder<'a> {
    /// For the models that a file is held against.
    pub fn new<'m>(file: &'a File, palette: &'a Palette, models: impl Iterator<Item = &'m Model>) -> Self {
        let mut own = HashMap::new();
        for polygon in models.flat_map(|m| &m.polygons) {
            if palette.paint(polygon.material).is_none() {
                for two_sided in [false, true] {
                    let variant = (polygon.material, two_sided, false);
                    own.insert(palette.called(variant), variant);
                }
            }
        }
        Finder { file, palette, own }
    }

    fn named(&self, name: &str) -> Option<Variant> {
        self.palette.find(name).or_else(|| self.own.get(name).copied())
    }

    /// The materials of triangles that the game has not, each once, by first use.
    pub fn unknown(&self, triangles: &[Triangle]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let used = triangles.iter().map(|t| t.material).filter(|material| seen.insert(*material));
        let new = used.filter_map(|material| match self.find(material) {
            (Paintwork::New(index), _) => Some(index),
            (Paintwork::Known(_), _) => None,
        });
        new.collect()
    }

    fn find(&self, index: Option<usize>) -> (Paintwork, bool) {
        let Some((i, material)) = index.and_then(|i| Some((i, self.file.root.materials.get(i)?))) else {
            return (Paintwork::Known(None), false);
        };
        let two_sided = material.double_sided;
        let picture = picture(self.file, i).map(|(_, name)| stem(&name));
        // Another picture in a material that is known makes it another one.
        let repainted = |variant: &Variant| {
            let own = self.palette.paint(variant.0).and_then(|p| p.texture.as_deref()).map(stem);
            match (&picture, own) {
                (Some(new), Some(own)) => *new != own,
                (Some(_), None) => variant.0.is_some(),
                (None, _) => false,
            }
        };
        let noted = || {
            let extras = material.extras.as_ref()?;
            let index = u32::try_from(extras.get("index")?.as_u64()?).ok()?;
            let paint = self.palette.paint(Some(index))?;
            let texture = extras.get("texture").and_then(|t| t.as_str());
            (texture.is_none() || texture == paint.named.as_deref()).then_some((Some(index), two_sided, false))
        };
        let sides = |name: &str| name.trim_end_matches(", plain").trim_end_matches(", two-sided").to_owned();
        let found = self.named(&material.name).or_else(noted).or_else(|| self.named(plain(&material.name)));
        let found = found.or_else(|| self.named(&sides(plain(&material.name))));
        if let Some((index, ..)) = found.filter(|variant| !repainted(variant)) {
            return (Paintwork::Known(index), two_sided);
        }
        // A material that is called as a texture is, or has its picture.
        let by_texture = |wanted: &str| {
            let same = |i: &u32| self.palette.paint(Some(*i)).and_then(|p| p.texture.as_deref()).map(stem).as_deref() == Some(wanted);
            (0..u32::try_from(self.palette.len()).unwrap_or(u32::MAX)).find(same)
        };
        let wanted = picture.unwrap_or_else(|| stem(&material.name));
        match by_texture(&wanted) {
            Some(index) => (Paintwork::Known(Some(index)), two_sided),
            None => (Paintwork::New(i), two_sided),
        }
    }
}

/// Makes a material of the game of a file's: its position.
pub type Make<'a> = dyn FnMut(usize) -> Result<u32> + 'a;

/// Holds triangles against a model and makes the edited one; `number` is what the export calls the model in the second texture
/// coordinates.
pub fn model(
    model: &Model,
    game: Game,
    number: usize,
    triangles: &[Triangle],
    finder: &Finder<'_>,
    make: &mut Make<'_>,
    options: Options,
) -> Result<(Model, Report)> {
    let shown: Vec<Option<mesh::Triangles>> = model.polygons.iter().map(|p| mesh::triangles(model, p).ok()).collect();
    let mut kinds: Vec<Paintwork> = Vec::new();
    let mut numbers: HashMap<Paintwork, usize> = HashMap::new();
    let mut number_of = |kind: Paintwork| {
        *numbers.entry(kind).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() - 1
        })
    };
    let old_looks: Vec<Look> =
        model.polygons.iter().map(|p| (number_of(Paintwork::Known(p.material)), p.flags.has(PolygonFlags::SHOW_BACKFACE))).collect();
    let mut known: HashMap<Option<usize>, Look> = HashMap::new();
    let mut look = |material: Option<usize>| {
        *known.entry(material).or_insert_with(|| {
            let (kind, two_sided) = finder.find(material);
            (number_of(kind), two_sided)
        })
    };
    let looks: Vec<Look> = triangles.iter().map(|t| look(t.material)).collect();
    let old = Old { shown: &shown, looks: &old_looks };
    let resolved = polygons::resolve(triangles, &apply::standing(model, &shown), number);
    let found = polygons::compare(&old, triangles, &looks, &resolved);
    let mut made: HashMap<usize, u32> = HashMap::new();
    let mut new_textured: HashMap<u32, bool> = HashMap::new();
    let palette = finder.palette;
    let textures = std::cell::RefCell::new(&mut new_textured);
    let mut index = |number: usize| match kinds.get(number) {
        Some(Paintwork::New(material)) => {
            if let Some(known) = made.get(material) {
                return Ok(Some(*known));
            }
            let new = make(*material)?;
            made.insert(*material, new);
            textures.borrow_mut().insert(new, picture(finder.file, *material).is_some());
            Ok(Some(new))
        }
        Some(Paintwork::Known(index)) => Ok(*index),
        None => Ok(None),
    };
    let textured = |index: Option<u32>| {
        let new = index.and_then(|i| textures.borrow().get(&i).copied());
        new.unwrap_or_else(|| palette.paint(index).is_some_and(|p| p.texture.is_some()))
    };
    let mut materials = Materials { index: &mut index, textured: &textured };
    let blender = finder.file.root.asset.generator.contains("Blender");
    let normal_off = if blender { apply::NORMAL_OF_BLENDER } else { apply::NORMAL };
    apply::apply(model, game, &old, (triangles, &looks, normal_off), (&resolved, &found), &mut materials, options)
}

/// What of a file is left out, in sentences.
pub fn left_out(file: &File, nodes: &[scene::Placed], left: Left) -> Vec<String> {
    let of = |is: fn(&file::Node) -> bool| nodes.iter().filter(|n| file.root.nodes.get(n.node).is_some_and(is)).count();
    let cameras = of(|n| n.camera.is_some());
    let lights = of(|n| n.extensions.as_ref().is_some_and(|e| e.contains_key("KHR_lights_punctual")));
    let mut out = Vec::new();
    let mut say = |n: usize, what: &str| {
        if n > 0 {
            out.push(format!("{n} {what}"));
        }
    };
    say(cameras, "cameras in the file are left out: models have none");
    say(lights, "lights in the file are left out: models have none");
    say(left.lines, "parts of points or lines are left out");
    say(left.targets, "shape keys are left out");
    say(left.flat, "triangles on one place or line of two corners are left out");
    out
}

/// An error where a file has animations, which no model takes.
pub fn no_animations(file: &File) -> Result<()> {
    if file.root.animations.is_empty() {
        return Ok(());
    }
    Err(Error::say(format!("it has {} animations, which a model cannot take", file.root.animations.len()))
        .hint("export it without them; those of 'mechs go into motion.zbd: refit put motion.zbd NAME FILE"))
}
