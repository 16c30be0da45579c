//! A world as glTF: `world.glb` with all nodes, and each model by itself in `models/`, called as in a tree.

use super::{
    Gamez,
    materials::{Material, Materials},
    models::Surroundings,
    tree::{Named, model_stem},
};
use crate::{
    formats::gltf::{Forest, Glb, Paint, Painter, Shape, With, shape},
    tree::Sink,
    wire::Result,
};
use bytes::Bytes;
use rayon::prelude::*;
use serde_json::json;

/// The materials of a world, with the names of their textures.
fn paints(materials: &Materials, textures: &[String]) -> Vec<Option<Paint>> {
    let name = |_: &Material, texture: usize| textures.get(texture).cloned();
    materials.materials.iter().enumerate().map(|(i, m)| m.as_ref().map(|m| Paint::of(m, i, name))).collect()
}

/// Writes the views of a world and tells their paths.
pub(super) fn export(world: &Gamez, with: &[Bytes], out: &dyn Sink) -> Result<Vec<String>> {
    let with = With::open(with)?;
    let named = Named::of(world);
    let paints = paints(&world.materials, &named.textures);
    let cycled = world.materials.cycled();
    let file = || {
        let mut glb = Glb::new();
        glb.facts.insert("game".into(), json!(world.game));
        glb
    };
    // Each model goes into its own file at once; only its triangles stay for the world.
    let one = |(i, piece): (usize, &Option<super::Piece>)| -> Result<Option<(String, Shape)>> {
        let Some(piece) = piece else { return Ok(None) };
        let around = Surroundings { cycled: &cycled, mechlib: false, uses: 0 };
        let model = piece.model(world.game, &around).map_err(|e| e.within(format!("[{i}]")).within("models"))?;
        let shape = shape(&model, Some(i));
        drop(model);
        let path = format!("{}.glb", model_stem(i, &named));
        let mut glb = file();
        let mut painter = Painter::new(&paints, &with);
        let name = named.models.get(i).cloned().flatten().unwrap_or_else(|| format!("model {i}"));
        if let Some(mesh) = shape.put(&name, &mut glb, &mut painter) {
            painter.finish(&mut glb);
            glb.single(&name, mesh);
            out.put(&path, &glb.finish()?)?;
            return Ok(Some((path, shape)));
        }
        Ok(None)
    };
    let shapes: Vec<Option<(String, Shape)>> = world.models.par_iter().enumerate().map(one).collect::<Result<_>>()?;

    let mut glb = file();
    let mut painter = Painter::new(&paints, &with);
    let mut used = vec![false; shapes.len()];
    for model in world.nodes.iter().flatten().filter_map(|n| n.model.0.as_ref()?.place()) {
        if let Some(flag) = used.get_mut(model) {
            *flag = true;
        }
    }
    let mut meshes: Vec<Option<usize>> = Vec::with_capacity(shapes.len());
    let mut written = vec!["world.glb".to_owned()];
    for (i, shape) in shapes.into_iter().enumerate() {
        let name = named.models.get(i).cloned().flatten().unwrap_or_else(|| format!("model {i}"));
        let shown = shape.as_ref().filter(|_| used.get(i) == Some(&true));
        meshes.push(shown.and_then(|(_, shape)| shape.put(&name, &mut glb, &mut painter)));
        written.extend(shape.map(|(path, _)| path));
    }
    painter.finish(&mut glb);
    Forest::of_world(&world.nodes, |model| meshes.get(model).copied().flatten()).plant("world", &mut glb);
    drop(meshes);
    out.put("world.glb", &glb.finish()?)?;
    Ok(written)
}
