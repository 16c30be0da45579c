//! Imports an edited export of a whole world: moves what was moved, changes what was edited, adds
//! what is new, and leaves the rest.

use super::{Known, NewObjects, Options, Source, add_objects, move_node, no_triangle, there};
use crate::{
    scene::{
        Forest,
        import::{
            self, Finder,
            file::GltfFile,
            report::{Report, listed},
            scene::{self, Left, Placed},
        },
    },
    worlds,
};
use refit_base::wire::{Error, Result};
use refit_zipper::gamez::{
    Gamez, NodeId,
    models::{Model, Surroundings},
    nodes::Node,
    tree::Named,
};
use std::collections::{HashMap, HashSet};

/// True for the name of an export that shows a world or a plane: `world` for `world.glb`.
pub fn is_whole(world: &Gamez, name: &str) -> bool {
    let files = worlds::files(world, &Forest::of_world(&world.nodes));
    let mut stems = files.iter().map(|(path, ..)| path.trim_end_matches(".glb"));
    stems.any(|stem| stem != "unattached" && stem.eq_ignore_ascii_case(name))
}

/// Imports an edited export of a world: `world.glb`, or that of a plane. Objects are found by their
/// names. Moved objects move, edited meshes change their models, new objects are added; objects
/// that are missing in the file stay.
///
/// Returns an error if the file is damaged, if it shows none of the world's objects, or if it
/// contains what no model can represent. Nothing is changed then.
pub fn whole(world: &mut Gamez, source: &Source<'_>, options: Options) -> Result<Report> {
    let before = world.clone();
    brought_back(world, source, options).inspect_err(|_| *world = before)
}

fn brought_back(world: &mut Gamez, source: &Source<'_>, options: Options) -> Result<Report> {
    let file = GltfFile::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let mut placed = scene::nodes(&file)?;
    let there = there::of_world(world, &file, &placed);
    if there.objects.is_empty() {
        return Err(
            Error::say("it contains no object of this world below its world node")
                .hint("`refit world add FILE NAME.glb` adds new objects"),
        );
    }
    let mut total = Report::default();
    edit_models(
        world,
        (&file, source),
        &placed,
        &there.objects,
        &mut total,
        options,
    )?;
    let local: HashMap<usize, &Placed> =
        placed.iter().map(|placed| (placed.node, placed)).collect();
    let moved: Vec<_> = there
        .moved
        .iter()
        .filter_map(|one| Some((one, *local.get(&one.0)?)))
        .collect();
    let nodes: Vec<usize> = moved.iter().map(|((_, at, _), _)| *at).collect();
    let mut place = |i: usize, node: &mut Node| {
        moved
            .get(i)
            .is_some_and(|((_, _, place), placed)| move_node(node, place, &placed.local))
    };
    for (((object, ..), _), done) in moved.iter().zip(world.place_nodes(&nodes, &mut place)?) {
        match done {
            true => total.nodes_moved += 1,
            false => total.lost.push(format!(
                "{:?} is not an object that can be moved, and stays",
                name(&file, *object)
            )),
        }
    }
    placed.retain(|placed| !there.objects.contains_key(&placed.node));
    if placed.iter().any(|placed| placed.mesh(&file).is_some()) {
        let top = world
            .nodes()
            .map(|(id, _)| id.0)
            .find(|at| world.is_world(*at));
        let top = top
            .or_else(|| there.objects.values().copied().min())
            .ok_or_else(no_triangle)?;
        let new = NewObjects {
            placed: &placed,
            parents: &there.parents,
            is_of_world: true,
        };
        let roots = add_objects(world, top, (&file, source), new, &mut total, options)?;
        if world.is_world(top) {
            world.settle_cells(top, &roots)?;
        }
    } else if !placed.is_empty() {
        let names = placed
            .iter()
            .map(|placed| name(&file, placed.node))
            .collect::<Vec<_>>();
        total.lost.push(format!(
            "new objects without a mesh are left out: {}",
            listed(&names)
        ));
    }
    if !there.absent.is_empty() {
        let title = |at: &usize| {
            world
                .node(NodeId(*at))
                .map(|node| format!("{:?}", node.title()))
                .unwrap_or_default()
        };
        let names = listed(&there.absent.iter().map(title).collect::<Vec<_>>());
        total.lost.push(format!(
            "objects that are not in the file stay unchanged: {names} (`refit world remove`)"
        ));
    }
    Ok(total)
}

fn name(file: &GltfFile, object: usize) -> String {
    file.root
        .nodes
        .get(object)
        .map(|node| node.name.clone())
        .unwrap_or_default()
}

/// Changes the models of the objects whose meshes were edited.
fn edit_models(
    world: &mut Gamez,
    (file, source): (&GltfFile, &Source<'_>),
    placed: &[Placed],
    objects: &HashMap<usize, usize>,
    total: &mut Report,
    options: Options,
) -> Result<()> {
    let named = Named::of(world);
    let palette = worlds::paints(&world.materials, &named.textures);
    let (cycled, uses) = (world.materials.cycled(), world.uses());
    let (mut painted, mut known) = (super::Paints::of(world), Known::of(file, world.game));
    let (mut seen, mut doubted, mut left) = (HashSet::new(), HashSet::new(), Left::default());
    let mut edited: Vec<(usize, Model, Model)> = Vec::new();
    let mut slots = HashSet::new();
    for placed in placed {
        let Some((mesh, at)) = placed.mesh(file).zip(objects.get(&placed.node)) else {
            continue;
        };
        let slot = world
            .node(NodeId(*at))
            .and_then(|node| node.model.0.as_ref()?.place());
        let Some((slot, stored)) =
            slot.and_then(|slot| Some((slot, world.models.get(slot)?.as_ref()?)))
        else {
            total.lost.push(format!(
                "{:?} has no model in the world: its mesh is left out",
                name(file, placed.node)
            ));
            continue;
        };
        if !seen.insert((slot, mesh)) {
            continue;
        }
        let triangles = scene::triangles(file, mesh, &scene::IDENTITY, &mut left)?;
        if triangles.is_empty() {
            continue;
        }
        let around = Surroundings {
            cycled: &cycled,
            mechlib: false,
            uses: uses.get(slot).copied().unwrap_or(0),
        };
        let before = stored.model(world.game, &around)?;
        let finder = Finder::new(file, &palette, std::iter::once(&before));
        let mut make = |material: Option<usize>| painted.make(&mut known, &finder, material);
        let (now, report) = import::model(
            &before, world.game, slot, &triangles, &finder, &mut make, options,
        )?;
        finder.doubts(&triangles, &mut doubted, total);
        let own = name(file, placed.node);
        if report.is_unchanged() {
            // It may contain what was ignored.
            total.add(&own, report);
            continue;
        }
        if !slots.insert(slot) {
            total.lost.push(format!(
                "{own:?} shares its model with another object, which was edited differently"
            ));
            continue;
        }
        total.add(&own, report);
        edited.push((slot, before, now));
    }
    total.take(known.report);
    // The cameras and lights of the world stay.
    let foreign: Vec<Placed> = placed
        .iter()
        .filter(|placed| !objects.contains_key(&placed.node))
        .cloned()
        .collect();
    total.notes.extend(import::left_out(file, &foreign, left));
    painted.pictures(file, source.beside, total);
    painted.settle(world);
    world.change_models(edited)
}
