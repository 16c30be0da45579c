//! Exports a world as glTF: `world.glb`, nodes that belong to no world in `unattached.glb`, the
//! further levels of detail in `further.glb`, and each model in a file in `models/`, named as in a
//! tree. Planes have no world: each becomes `NAME.glb` and, if it has further levels of detail,
//! `NAME.further.glb`.

use super::scene::{Forest, Glb, Grove, Levels, Paint, Painter, Palette, Shape, With, shape};
use bytes::Bytes;
use refit_base::{
    par,
    tree::{Sink, UniquePaths},
    wire::Result,
};
use refit_zipper::gamez::{
    Gamez, StoredModel,
    materials::{Material, Materials},
    models::Surroundings,
    nodes::Node,
    tree::{Named, model_stem, plain},
};
use serde_json::json;
use std::collections::HashMap;

/// The materials of a world, with the names of their textures.
pub(super) fn paints(materials: &Materials, textures: &[String]) -> Palette {
    let name = |_: &Material, texture: usize| textures.get(texture).cloned();
    Palette::of(
        materials
            .materials
            .iter()
            .enumerate()
            .map(|(i, m)| m.as_ref().map(|m| Paint::of(m, i, name)))
            .collect(),
    )
}

/// The files for nodes: path, name, trees, and levels of detail.
pub(super) fn files(world: &Gamez, forest: &Forest<'_>) -> Vec<(String, String, Grove, Levels)> {
    let mut files: Vec<(String, Grove, Levels)> = Vec::new();
    match forest.world() {
        Some([all, world, unattached]) => {
            files.push(("world".into(), world, Levels::Nearest));
            files.push(("unattached".into(), unattached, Levels::Nearest));
            files.push(("further".into(), all, Levels::Further));
        }
        None => {
            let title = |grove: &Grove| {
                world
                    .nodes
                    .get(*grove.roots.first()?)?
                    .as_ref()
                    .map(Node::title)
            };
            for grove in forest.groves() {
                let name = plain(&title(&grove).unwrap_or_default());
                files.push((format!("{name}.further"), grove.clone(), Levels::Further));
                files.push((name, grove, Levels::Nearest));
            }
        }
    }
    let mut names = UniquePaths::new();
    files
        .into_iter()
        .map(|(name, grove, levels)| (names.assign(&name, ".glb"), name, grove, levels))
        .collect()
}

/// Exports a world and returns the paths.
pub(super) fn export(world: &Gamez, with: &[Bytes], out: &dyn Sink) -> Result<Vec<String>> {
    let with = With::open(with, Some(world.game.itself()))?;
    let named = Named::of(world);
    let paints = paints(&world.materials, &named.textures);
    let cycled = world.materials.cycled();
    let file = || {
        let mut glb = Glb::new();
        glb.facts.insert("game".into(), json!(world.game.code()));
        glb
    };
    let forest = Forest::of_world(&world.nodes);
    let is_wanted = |path: &str| !out.passes_over(path.trim_end_matches(".glb"));
    let files: Vec<_> = files(world, &forest)
        .into_iter()
        .filter(|(path, ..)| is_wanted(path))
        .collect();
    let model_name = |i: usize| {
        named
            .models
            .get(i)
            .cloned()
            .flatten()
            .unwrap_or_else(|| format!("model {i}"))
    };
    // Write each model into its own file at once, and keep only its triangles for the world.
    let one =
        |(i, stored): (usize, &Option<StoredModel>)| -> Result<Option<(Option<String>, Shape)>> {
            let path = format!("{}.glb", model_stem(i, &named));
            let wanted = is_wanted(&path);
            let Some(stored) = stored.as_ref().filter(|_| wanted || !files.is_empty()) else {
                return Ok(None);
            };
            let around = Surroundings {
                cycled: &cycled,
                mechlib: false,
                uses: 0,
            };
            let model = stored
                .model(world.game, &around)
                .map_err(|e| e.within(format!("[{i}]")).within("models"))?;
            let shape = shape(&model, Some(i), i);
            drop(model);
            let mut glb = file();
            let mut painter = Painter::new(&paints, &with);
            let name = model_name(i);
            if let Some(mesh) = shape.put(&name, &mut glb, &mut painter) {
                if wanted {
                    painter.finish(&mut glb);
                    glb.single(&name, mesh);
                    out.put(&path, &glb.finish()?)?;
                }
                return Ok(Some((wanted.then_some(path), shape)));
            }
            Ok(None)
        };
    let shapes: Vec<Option<(Option<String>, Shape)>> =
        par::try_map(&world.models, |i, model| one((i, model)))?;

    let one =
        |(path, name, grove, levels): &(String, String, Grove, Levels)| -> Result<Option<String>> {
            let mut glb = file();
            let mut painter = Painter::new(&paints, &with);
            // Nodes share models; each is added once.
            let mut meshes: HashMap<usize, Option<usize>> = HashMap::new();
            let mut mesh = |_: usize, node: &Node, glb: &mut Glb| {
                let model = node.model.0.as_ref()?.place()?;
                let put = |(_, shape): &(Option<String>, Shape)| {
                    shape.put(&model_name(model), glb, &mut painter)
                };
                *meshes
                    .entry(model)
                    .or_insert_with(|| shapes.get(model)?.as_ref().and_then(put))
            };
            forest.plant(grove, *levels, name, &mut glb, &mut mesh);
            painter.finish(&mut glb);
            if glb.root.nodes.is_empty() {
                return Ok(None);
            }
            out.put(path, &glb.finish()?)?;
            Ok(Some(path.clone()))
        };
    // One at a time: each of these files is large.
    let written: Vec<Option<String>> = files.iter().map(one).collect::<Result<_>>()?;
    with.tell(out);
    Ok(written
        .into_iter()
        .flatten()
        .chain(shapes.into_iter().flatten().filter_map(|(path, _)| path))
        .collect())
}
