//! 'Mechs as glTF.

use super::scene::{self, Forest, Glb, Levels, Paint, Painter, Palette, With};
use bytes::Bytes;
use refit_base::{
    contract::Context,
    par,
    support::members::Typed,
    tree::{Sink, UniquePaths},
    wire::{Reader, Result, Str},
};
use refit_zipper::{
    gamez::{materials::Material, nodes::Node},
    mechlib::{MechlibMember, Members, game},
};
use serde_json::json;

/// Reads a member of a mechlib; `None` if it is of an unknown kind.
pub(super) fn read(
    (name, payload): &(Str, Bytes),
    context: &Context,
) -> Result<Option<MechlibMember>> {
    Typed::read(
        &Members,
        &name.0,
        Reader::new(payload, game(context)),
        context,
    )
    .transpose()
}

/// The materials of a mechlib.
pub(super) fn materials(members: &[(Str, Bytes)], context: &Context) -> Result<Vec<Material>> {
    let member = members.iter().find(|(name, _)| name.0 == b"materials");
    Ok(
        match member
            .map(|member| read(member, context))
            .transpose()?
            .flatten()
        {
            Some(MechlibMember::Materials(list) | MechlibMember::PaddedMaterials(list, _)) => list,
            _ => Vec::new(),
        },
    )
}

/// The materials of a mechlib as the export shows them.
pub(super) fn palette(materials: &[Material]) -> Palette {
    Palette::of(
        materials
            .iter()
            .enumerate()
            .map(|(i, m)| Some(Paint::of(m, i, |_, _| None)))
            .collect(),
    )
}

/// The name of a 'mech: `bushwacker` for `bushwacker.flt`.
fn stem(name: &Str) -> Option<String> {
    let text = name.text().into_owned();
    let cut = text.len().checked_sub(4).filter(|at| {
        text.get(*at..)
            .is_some_and(|end| end.eq_ignore_ascii_case(".flt"))
    });
    cut.and_then(|at| text.get(..at)).map(str::to_owned)
}

/// For each member that is a 'mech: its name, its file, and the files for its further levels of
/// detail and its motions.
pub(super) fn files<'a>(members: impl Iterator<Item = &'a Str>) -> Vec<Option<[String; 4]>> {
    let mut names = UniquePaths::new();
    let mut files: Vec<Option<[String; 4]>> = members
        .map(|name| {
            stem(name).map(|stem| {
                [
                    stem.clone(),
                    names.assign(&stem, ".glb"),
                    stem.clone(),
                    stem,
                ]
            })
        })
        .collect();
    for [.., further, moving] in files.iter_mut().flatten() {
        *further = names.assign(&format!("{further}.further"), ".glb");
        *moving = names.assign(&format!("{moving}.motions"), ".glb");
    }
    files
}

/// Writes each tree of a mechlib as `NAME.glb`, its further levels of detail as `NAME.further.glb`,
/// and a copy with the motions of its name as animations as `NAME.motions.glb`. Returns the paths.
/// The first file has no animations, because Blender would move imported objects out of their rest
/// position and save them so.
pub(crate) fn export(
    members: &[(Str, Bytes)],
    context: &Context,
    with: &[Bytes],
    out: &dyn Sink,
) -> Result<Vec<String>> {
    let with = With::open(with, context.game)?;
    let paints = palette(&materials(members, context)?);
    let mechs: Vec<String> = members.iter().filter_map(|(name, _)| stem(name)).collect();
    let files = files(members.iter().map(|(name, _)| name));
    let one = |(member, file): (&(Str, Bytes), &Option<[String; 4]>)| -> Result<Vec<String>> {
        let Some([stem, path, further, moving]) = file else {
            return Ok(Vec::new());
        };
        let name = &member.0;
        let nodes = match read(member, context).map_err(|e| e.within(name.text()))? {
            Some(MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _)) => nodes,
            _ => return Ok(Vec::new()),
        };
        let forest = Forest::of_tree(&nodes);
        let mut written = Vec::new();
        let grove = forest.whole();
        let motions: Vec<_> = with.motions(stem, &mechs).collect();
        let files = [
            (Levels::Nearest, path, false),
            (Levels::Further, further, false),
            (Levels::Nearest, moving, true),
        ];
        for (levels, path, moves) in files {
            if moves && motions.is_empty() || out.passes_over(path.trim_end_matches(".glb")) {
                continue;
            }
            let mut glb = Glb::new();
            glb.facts.insert("game".into(), json!(game(context)));
            glb.facts.insert("member".into(), json!(name));
            let mut painter = Painter::new(&paints, &with);
            let mut mesh = |i: usize, node: &Node, glb: &mut Glb| {
                scene::shape(node.mesh.as_ref()?, None, i).put(&node.title(), glb, &mut painter)
            };
            let places = forest.plant(&grove, levels, stem, &mut glb, &mut mesh);
            painter.finish(&mut glb);
            if glb.root.nodes.is_empty() {
                continue;
            }
            for (name, motion) in motions.iter().filter(|_| moves) {
                match motion {
                    Ok(motion) => scene::animate(name, motion, &places, &mut glb),
                    Err(e) => glb.note(format!("{name}: {e}")),
                }
            }
            out.put(path, &glb.finish()?)?;
            written.push(path.clone());
        }
        Ok(written)
    };
    let written: Vec<Vec<String>> =
        par::try_times(members.len(), |i| members.get(i).zip(files.get(i)).map(one))?;
    with.tell(out);
    Ok(written.into_iter().flatten().collect())
}
