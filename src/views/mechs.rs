//! 'Mechs as glTF.

use super::gltf::{self, Forest, Glb, Levels, Paint, Painter, With};
use crate::{
    formats::{
        Context,
        gamez::nodes::Node,
        mechlib::{MechlibMember, Members, game},
        support::members::Typed,
    },
    tree::{Names, Sink},
    wire::{Reader, Result, Str},
};
use bytes::Bytes;
use rayon::prelude::*;
use serde_json::json;

/// Writes each tree of a mechlib as `NAME.glb`, with the motions of its name as animations, its further levels of detail as
/// `NAME.further.glb`, and tells the paths.
pub fn export(members: &[(Str, Bytes)], context: &Context, with: &[Bytes], out: &dyn Sink) -> Result<Vec<String>> {
    let with = With::open(with, context.game)?;
    let read = |name: &Str, payload: &Bytes| Typed::read(&Members, name, Reader::new(payload, game(context)), context);
    let materials = members.iter().find(|(name, _)| name.0 == b"materials").map(|(name, payload)| read(name, payload));
    let materials = match materials.flatten().transpose()? {
        Some(MechlibMember::Materials(list) | MechlibMember::PaddedMaterials(list, _)) => list,
        _ => Vec::new(),
    };
    let paints: Vec<Option<Paint>> = materials.iter().enumerate().map(|(i, m)| Some(Paint::of(m, i, |_, _| None))).collect();
    // `bushwacker.flt` is the 'mech of `bushwacker_walk`.
    let stem = |name: &Str| {
        let text = name.text().into_owned();
        let cut = text.len().checked_sub(4).filter(|at| text.get(*at..).is_some_and(|end| end.eq_ignore_ascii_case(".flt")));
        cut.and_then(|at| text.get(..at)).map(str::to_owned)
    };
    let mechs: Vec<String> = members.iter().filter_map(|(name, _)| stem(name)).collect();
    let mut names = Names::new();
    // Of `bushwacker.flt`: name, file, and the file of its further levels of detail.
    let mut files: Vec<Option<[String; 3]>> = Vec::with_capacity(members.len());
    for (name, _) in members {
        files.push(stem(name).map(|stem| [stem.clone(), names.assign(&stem, ".glb"), stem]));
    }
    for [.., further] in files.iter_mut().flatten() {
        *further = names.assign(&format!("{further}.further"), ".glb");
    }
    let one = |((name, payload), file): (&(Str, Bytes), &Option<[String; 3]>)| -> Result<Vec<String>> {
        let Some([stem, path, further]) = file else { return Ok(Vec::new()) };
        let nodes = match read(name, payload).transpose().map_err(|e| e.within(name.text()))? {
            Some(MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _)) => nodes,
            _ => return Ok(Vec::new()),
        };
        let forest = Forest::of_tree(&nodes);
        let mut written = Vec::new();
        let grove = forest.whole();
        for (levels, path) in [(Levels::Nearest, path), (Levels::Further, further)] {
            let mut glb = Glb::new();
            glb.facts.insert("game".into(), json!(game(context)));
            glb.facts.insert("member".into(), json!(name));
            let mut painter = Painter::new(&paints, &with);
            let mut mesh = |node: &Node, glb: &mut Glb| gltf::shape(node.mesh.as_ref()?, None).put(&node.title(), glb, &mut painter);
            let places = forest.plant(&grove, levels, stem, &mut glb, &mut mesh);
            painter.finish(&mut glb);
            if glb.root.nodes.is_empty() {
                continue;
            }
            let motions = (levels == Levels::Nearest).then(|| with.motions(stem, &mechs));
            for (name, motion) in motions.into_iter().flatten() {
                match motion {
                    Ok(motion) => gltf::animate(name, &motion, &places, &mut glb),
                    Err(e) => glb.note(format!("{name}: {e}")),
                }
            }
            out.put(path, &glb.finish()?)?;
            written.push(path.clone());
        }
        Ok(written)
    };
    let written: Vec<Vec<String>> = members.par_iter().zip(&files).map(one).collect::<Result<_>>()?;
    with.tell(out);
    Ok(written.into_iter().flatten().collect())
}
