//! Imports a glTF file that was exported, edited in any program, and exported again, into the model
//! that it came from.
//!
//! The file is compared with what the target would export now ([`polygons`]); only differences are
//! imported. So an unedited file gives identical bytes, whatever a program did to extras, order,
//! triangulation or names, and properties that an export does not contain (flags, priorities,
//! zones, further materials, lights, morphs) are never taken as deleted.
//!
//! [`file`] reads untrusted files and checks every number; [`scene`] extracts triangles;
//! [`polygons`] matches them with the model; [`apply`] creates the edited model; [`merge`] joins
//! new triangles to polygons; [`known`] reads further properties of new things. [`motions`] imports
//! animations. [`cut`] divides ground along the cells of a world.

pub mod apply;
pub mod cut;
pub mod file;
pub mod known;
mod merge;
pub mod motions;
pub mod polygons;
pub mod report;
pub mod scene;

use super::{
    mesh,
    paint::{Palette, Variant},
};
use apply::Materials;
use file::GltfFile;
use polygons::{Look, Old};
use refit_base::{
    game::Game,
    wire::{Error, Result},
};
use refit_zipper::gamez::models::{Model, PolygonFlags};
use report::{Options, Report};
use scene::{Left, Triangle};
use std::collections::{HashMap, HashSet};

/// The game's material for one of the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Paintwork {
    /// The material at this position; `None` for no material.
    Known(Option<u32>),
    /// The file's material at this position, which the game does not have.
    New(usize),
}

/// The name without the `.001` that Blender appends to duplicates.
pub fn plain(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end))
            if end.len() == 3 && end.bytes().all(|b| b.is_ascii_digit()) && !stem.is_empty() =>
        {
            stem
        }
        _ => name,
    }
}

/// Maximum length in characters of a texture's name in the directory of a world, without its
/// extension: its 20 bytes end with a zero.
pub const TEXTURE_NAME: usize = 19;

/// A file name without its folders, split from its extension.
fn parts(name: &str) -> (&str, Option<&str>) {
    let name = plain(name);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => (stem, Some(end)),
        _ => (name, None),
    }
}

/// The name of a texture without extension, in lower case.
pub fn stem(name: &str) -> String {
    parts(name).0.to_lowercase()
}

/// True if two names without extension mean the same texture: a world cuts off long ones.
pub fn is_same(a: &str, b: &str) -> bool {
    let cut =
        |short: &str, long: &str| short.chars().count() == TEXTURE_NAME && long.starts_with(short);
    a == b || cut(a, b) || cut(b, a)
}

/// True for a texture name that is too long for a world.
pub fn is_long(name: &str) -> bool {
    parts(name).0.chars().count() > TEXTURE_NAME
}

/// The name of a texture, shortened for a world.
pub fn shortened(name: &str) -> String {
    let (stem, end) = parts(name);
    let stem: String = stem.chars().take(TEXTURE_NAME).collect();
    end.map_or(stem.clone(), |end| format!("{stem}.{end}"))
}

/// The picture of a material of the file, and its name: that of the image, otherwise that of the
/// image's file, otherwise that of the material.
pub fn picture(file: &GltfFile, material: usize) -> Option<(usize, String)> {
    let stored = file.root.materials.get(material)?;
    let texture = stored
        .pbr_metallic_roughness
        .as_ref()?
        .base_color_texture
        .as_ref()?
        .index;
    let source = file.root.textures.get(texture)?.source?;
    let image = file.root.images.get(source)?;
    let of_file = || image.uri.clone().filter(|uri| !uri.starts_with("data:"));
    let of_material =
        || Some(sides(plain(&stored.name)).to_owned()).filter(|name| !name.is_empty());
    let own = Some(image.name.clone()).filter(|name| !name.is_empty());
    Some((
        source,
        own.or_else(of_file)
            .or_else(of_material)
            .unwrap_or_else(|| format!("picture{source}")),
    ))
}

/// The name of a material without the suffixes of the export: see [`super::paint`].
fn sides(name: &str) -> &str {
    name.trim_end_matches(", plain")
        .trim_end_matches(", two-sided")
}

/// The colour of a material of the file, with its opacity; `None` if the file does not specify it.
pub fn base_color(file: &GltfFile, material: usize) -> Option<[f32; 4]> {
    let pbr = file
        .root
        .materials
        .get(material)?
        .pbr_metallic_roughness
        .as_ref()?;
    Some(
        pbr.base_color_factor
            .map_or([1.0; 4], |color| color.map(|v| v as f32)),
    )
}

/// Maps the materials of a file to those of the game.
pub struct Finder<'a> {
    file: &'a GltfFile,
    palette: &'a Palette,
    /// The names that the export invents: for polygons without a material, and for missing
    /// materials.
    own: HashMap<String, Variant>,
}

impl<'a> Finder<'a> {
    /// Prepares the mapping for models that are compared with the file.
    pub fn new<'m>(
        file: &'a GltfFile,
        palette: &'a Palette,
        models: impl Iterator<Item = &'m Model>,
    ) -> Self {
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
        self.palette
            .find(name)
            .or_else(|| self.own.get(name).copied())
    }

    /// The materials of triangles that the game does not have, without duplicates, by first use;
    /// `None` means triangles without a material.
    pub fn unknown(&self, triangles: &[Triangle]) -> Vec<Option<usize>> {
        let mut seen = HashSet::new();
        let used = triangles
            .iter()
            .map(|t| t.material)
            .filter(|material| seen.insert(*material));
        let new = used.filter_map(|material| match self.find(material) {
            (Paintwork::New(index), _) => Some(Some(index)),
            (Paintwork::Known(None), _) => Some(None),
            (Paintwork::Known(Some(_)), _) => None,
        });
        new.collect()
    }

    /// The game's material for one of the file, and whether it is two-sided. `None` if the game
    /// does not have it.
    pub fn known(&self, index: Option<usize>) -> (Option<u32>, bool) {
        match self.find(index) {
            (Paintwork::Known(known), two_sided) => (known, two_sided),
            (Paintwork::New(_), two_sided) => (None, two_sided),
        }
    }

    /// The game's material with the name of a material of the file, regardless of its other
    /// properties.
    fn by_name(&self, material: &file::Material) -> Option<Option<u32>> {
        // Extras count only for a material without a name: another name means another material,
        // even if a program kept the extras.
        let noted = || {
            let extras = material
                .extras
                .as_ref()
                .filter(|_| material.name.is_empty())?;
            let index = u32::try_from(extras.get("index")?.as_u64()?).ok()?;
            let paint = self.palette.paint(Some(index))?;
            let texture = extras.get("texture").and_then(|t| t.as_str());
            (texture.is_none() || texture == paint.named.as_deref()).then_some((
                Some(index),
                false,
                false,
            ))
        };
        let found = self
            .named(&material.name)
            .or_else(noted)
            .or_else(|| self.named(plain(&material.name)));
        found
            .or_else(|| self.named(sides(plain(&material.name))))
            .map(|(index, ..)| index)
    }

    /// The game's material, without a texture, whose colour differs in a material of the file.
    pub fn recoloured(&self, index: usize) -> Option<u32> {
        let material = self.file.root.materials.get(index)?;
        let known = self.by_name(material)??;
        let paint = self
            .palette
            .paint(Some(known))
            .filter(|paint| paint.texture.is_none() && picture(self.file, index).is_none())?;
        let color = base_color(self.file, index)?;
        paint.is_other(color).then_some(known)
    }

    /// The former name of a renamed material, according to the export's extras.
    pub fn renamed(&self, index: usize) -> Option<String> {
        let material = self.file.root.materials.get(index)?;
        let extras = material
            .extras
            .as_ref()
            .filter(|_| picture(self.file, index).is_none())?;
        let was = u32::try_from(extras.get("index")?.as_u64()?).ok()?;
        let paint = self.palette.paint(Some(was))?;
        let texture = extras.get("texture").and_then(|t| t.as_str());
        (texture == paint.named.as_deref()).then(|| self.palette.called((Some(was), false, false)))
    }

    /// Reports doubtful materials of triangles: if name and picture disagree, and colours that a
    /// texture would hide. Materials in `seen` were reported before.
    pub fn doubts(&self, triangles: &[Triangle], seen: &mut HashSet<usize>, report: &mut Report) {
        for index in triangles
            .iter()
            .filter_map(|t| t.material)
            .filter(|index| seen.insert(*index))
        {
            let Some(material) = self.file.root.materials.get(index) else {
                continue;
            };
            let by_name = self
                .by_name(material)
                .flatten()
                .and_then(|i| self.palette.paint(Some(i)));
            let shown = picture(self.file, index).map(|(_, name)| name);
            if let (Some(shown), Some(own)) = (&shown, by_name.and_then(|p| p.texture.as_deref()))
                && !is_same(&stem(shown), &stem(own))
            {
                report.notes.push(format!(
                    "the material {:?} shows the picture {shown:?}: the picture counts (for {own:?} take the picture \
                    out, or exchange it)",
                    material.name
                ));
            }
            let textured = by_name.filter(|p| p.texture.is_some());
            if let (Some(paint), Some(color)) = (textured, base_color(self.file, index))
                && paint.is_tinted(color)
            {
                report.lost.push(format!(
                    "the material {:?} has another colour in the file, which is left out: the texture is drawn instead",
                    material.name
                ));
            }
        }
    }

    fn find(&self, index: Option<usize>) -> (Paintwork, bool) {
        let Some((i, material)) = index.and_then(|i| Some((i, self.file.root.materials.get(i)?)))
        else {
            return (Paintwork::Known(None), false);
        };
        let two_sided = material.double_sided;
        let picture = picture(self.file, i).map(|(_, name)| stem(&name));
        // A known material with another picture is a different material.
        let repainted = |known: Option<u32>| {
            let own = self
                .palette
                .paint(known)
                .and_then(|p| p.texture.as_deref())
                .map(stem);
            match (&picture, own) {
                (Some(new), Some(own)) => !is_same(new, &own),
                (Some(_), None) => known.is_some(),
                (None, _) => false,
            }
        };
        if let Some(known) = self.by_name(material).filter(|known| !repainted(*known)) {
            // So is one with another colour if it has no texture: use an existing material of that
            // colour, or a new one.
            let same = |known: u32| self.palette.of_color(known, base_color(self.file, i)?);
            return match self.recoloured(i).map(same) {
                None => (Paintwork::Known(known), two_sided),
                Some(Some(other)) => (Paintwork::Known(Some(other)), two_sided),
                Some(None) => (Paintwork::New(i), two_sided),
            };
        }
        // Find a material by the name of its texture, or by its picture.
        let by_texture = |wanted: &str| {
            let own = |i: &u32| {
                self.palette
                    .paint(Some(*i))
                    .and_then(|p| p.texture.as_deref())
                    .map(stem)
            };
            let mut all = 0..u32::try_from(self.palette.len()).unwrap_or(u32::MAX);
            let exact = all.clone().find(|i| own(i).as_deref() == Some(wanted));
            exact.or_else(|| all.find(|i| own(i).is_some_and(|own| is_same(&own, wanted))))
        };
        let wanted = picture.unwrap_or_else(|| stem(&material.name));
        match by_texture(&wanted) {
            Some(index) => (Paintwork::Known(Some(index)), two_sided),
            None => (Paintwork::New(i), two_sided),
        }
    }
}

/// Creates a material of the game from one of the file, or a plain one; returns its position.
pub type Make<'a> = dyn FnMut(Option<usize>) -> Result<u32> + 'a;

/// Compares triangles with a model and creates the edited one; `number` is the model's number in
/// the second texture coordinates of the export.
pub fn model(
    model: &Model,
    game: Game,
    number: usize,
    triangles: &[Triangle],
    finder: &Finder<'_>,
    make: &mut Make<'_>,
    options: Options,
) -> Result<(Model, Report)> {
    let shown: Vec<Option<mesh::Triangles>> = model
        .polygons
        .iter()
        .map(|p| mesh::triangles(model, p).ok())
        .collect();
    let mut kinds: Vec<Paintwork> = Vec::new();
    let mut numbers: HashMap<Paintwork, usize> = HashMap::new();
    let mut number_of = |kind: Paintwork| {
        *numbers.entry(kind).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() - 1
        })
    };
    let old_looks: Vec<Look> = model
        .polygons
        .iter()
        .map(|p| {
            (
                number_of(Paintwork::Known(p.material)),
                p.flags.has(PolygonFlags::SHOW_BACKFACE),
            )
        })
        .collect();
    let mut known: HashMap<Option<usize>, Look> = HashMap::new();
    let mut look = |material: Option<usize>| {
        *known.entry(material).or_insert_with(|| {
            let (kind, two_sided) = finder.find(material);
            (number_of(kind), two_sided)
        })
    };
    let looks: Vec<Look> = triangles.iter().map(|t| look(t.material)).collect();
    let old = Old {
        shown: &shown,
        looks: &old_looks,
    };
    let resolved = polygons::resolve(triangles, &apply::exported_positions(model, &shown), number);
    let found = polygons::compare(&old, triangles, &looks, &resolved);
    let mut made: HashMap<usize, u32> = HashMap::new();
    let palette = finder.palette;
    let textures: std::cell::RefCell<HashMap<u32, bool>> = Default::default();
    let make = std::cell::RefCell::new(make);
    let mut index = |number: usize| match kinds.get(number) {
        Some(Paintwork::New(material)) => {
            if let Some(known) = made.get(material) {
                return Ok(Some(*known));
            }
            let new = (*make.borrow_mut())(Some(*material))?;
            made.insert(*material, new);
            textures
                .borrow_mut()
                .insert(new, picture(finder.file, *material).is_some());
            Ok(Some(new))
        }
        Some(Paintwork::Known(index)) => Ok(*index),
        None => Ok(None),
    };
    let textured = |index: Option<u32>| {
        let new = index.and_then(|i| textures.borrow().get(&i).copied());
        new.unwrap_or_else(|| palette.paint(index).is_some_and(|p| p.texture.is_some()))
    };
    let mut bare = None;
    let mut plain = || {
        let made = bare.map_or_else(|| (*make.borrow_mut())(None), Ok)?;
        Ok(*bare.insert(made))
    };
    let mut materials = Materials {
        index: &mut index,
        plain: &mut plain,
        textured: &textured,
    };
    let blender = finder.file.root.asset.generator.contains("Blender");
    let normal_off = if blender {
        apply::NORMAL_OF_BLENDER
    } else {
        apply::NORMAL
    };
    apply::apply(
        model,
        game,
        &old,
        (triangles, &looks, normal_off),
        (&resolved, &found),
        &mut materials,
        options,
    )
}

/// Sentences on what is ignored in a file.
pub fn left_out(file: &GltfFile, nodes: &[scene::Placed], left: Left) -> Vec<String> {
    let of = |is: fn(&file::Node) -> bool| {
        nodes
            .iter()
            .filter(|n| file.root.nodes.get(n.node).is_some_and(is))
            .count()
    };
    let cameras = of(|n| n.camera.is_some());
    let lights = of(|n| {
        n.extensions
            .as_ref()
            .is_some_and(|e| e.contains_key("KHR_lights_punctual"))
    });
    let mut out = Vec::new();
    let mut say = |n: usize, what: &str| {
        if n > 0 {
            out.push(format!("{n} {what}"));
        }
    };
    say(
        cameras,
        "cameras in the file are left out: models have none",
    );
    say(lights, "lights in the file are left out: models have none");
    say(left.lines, "parts of points or lines are left out");
    say(left.targets, "shape keys are left out");
    say(left.flat, "triangles without an area are left out");
    out
}

/// Returns an error if a file has animations, which models do not support.
pub fn no_animations(file: &GltfFile) -> Result<()> {
    if file.root.animations.is_empty() {
        return Ok(());
    }
    Err(Error::say(format!("it has {} animations, which a model cannot contain", file.root.animations.len()))
        .hint("export it without them; those of 'mechs go into motion.zbd: refit put motion.zbd NAME FILE"))
}
