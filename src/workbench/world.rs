//! Adds, copies, moves, reparents, renames and removes objects of a world.

use super::{
    inside,
    lint::Definitions,
    names, open,
    options::Options,
    paths::Input,
    progress::Progress,
    put::{self, Planned, Stored, Written},
    put_tree,
    world_along::News,
    world_anims::Copied,
};
use refit_base::{
    format::Format,
    naming::Does,
    path::{Shown, original_of},
    tree::{disk, is_project, is_tree},
    wire::{Error, ErrorKind, F32, Result, count},
};
use refit_files::{
    detect::Detection,
    file::File,
    pipeline::{self, Hints},
};
use refit_gltf::import;
use refit_index::{self as index, Index, Met};
use refit_zipper::gamez::{
    Gamez, NodeId,
    edit::Motion,
    nodes::{Data, Node},
    transplant::Brought,
};
use std::path::{Path, PathBuf};

pub use super::world_along::Along;

/// A change of a world.
#[derive(Clone, Debug)]
pub enum Change {
    /// The objects of a glTF file, below a node, moved as a whole.
    Add {
        /// The glTF file.
        from: PathBuf,
        /// The node; the world if `None`.
        under: Option<String>,
        /// Its position.
        motion: Motion,
    },
    /// The meshes of a glTF file become ground, cut at the cells.
    Ground {
        /// The glTF file.
        from: PathBuf,
        /// Prefix for the names of the pieces.
        name: String,
        /// Craters may form unless a region says otherwise.
        craters: bool,
    },
    /// A copy of a node with everything below it, as its sibling or below another node.
    Copy {
        /// The node.
        node: String,
        /// Another world with the node; its models, materials and textures are then copied, too.
        from: Option<PathBuf>,
        /// The parent of the copy.
        under: Option<String>,
        /// The name of the copy.
        name: Option<String>,
        /// Its position.
        motion: Motion,
    },
    /// Moves a node.
    Move {
        /// The node.
        node: String,
        /// Its new position.
        motion: Motion,
    },
    /// Puts a node below another one.
    Reparent {
        /// The node.
        node: String,
        /// Its new parent.
        under: String,
        /// Its position, rotation and scale in its parent stay, not those in the world.
        local: bool,
    },
    /// Renames a node.
    Rename {
        /// The node.
        node: String,
        /// Its new name.
        name: String,
    },
    /// Removes a node with everything below it.
    Remove {
        /// The node.
        node: String,
    },
    /// Changes within this world, in order, as one change: moves, copies, new parents, new names and
    /// removals.
    Several(Vec<Change>),
}

impl Change {
    /// True if it copies a node, maybe among others.
    fn copies(&self) -> bool {
        match self {
            Change::Copy { .. } => true,
            Change::Several(all) => all.iter().any(Change::copies),
            _ => false,
        }
    }

    /// An error if it cannot be one of several: it needs other files.
    fn check_together(&self) -> Result<()> {
        match self {
            Change::Move { .. }
            | Change::Reparent { .. }
            | Change::Copy { from: None, .. }
            | Change::Rename { .. }
            | Change::Remove { .. } => Ok(()),
            _ => Err(Error::say(
                "objects of other files and several changes cannot be made together with others",
            )
            .hint("make this change alone")),
        }
    }
}

/// The result of a change.
pub struct Changed {
    /// Description, for display.
    pub label: String,
    /// The file or the tree of the world.
    pub path: PathBuf,
    /// The written files of the world.
    pub world: Written,
    /// The texture packages and the animation file that received further parts of the object.
    pub others: Vec<Stored>,
}

/// A node of a list.
pub struct Row {
    /// Its depth in the list.
    pub depth: usize,
    /// Its position.
    pub slot: usize,
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: &'static str,
    /// Its position in its parent, if it is an object with a translation.
    pub at: Option<[f32; 3]>,
    /// Its model.
    pub model: Option<usize>,
}

fn world_of(file: &mut File) -> Result<&mut Gamez> {
    match file {
        File::World(world) => Ok(world),
        _ => Err(Error::say("not a world").hint("gamez.zbd and planes.zbd are worlds")),
    }
}

/// Moves objects as a group: the first one goes to the given position, the others keep their
/// offsets from it.
fn move_together(world: &mut Gamez, objects: &[usize], motion: &Motion) -> Result<()> {
    if motion.is_none() {
        return Ok(());
    }
    let place = |world: &Gamez, i: usize| match world
        .nodes
        .get(i)
        .and_then(Option::as_ref)
        .map(|node| &node.data)
    {
        Some(Data::Object3d(object)) => object.translation.0.unwrap_or_default().map(F32::get),
        _ => [0.0; 3],
    };
    let mut moves = Vec::with_capacity(objects.len());
    let Some(pivot) = objects.first().map(|first| place(world, *first)) else {
        return Ok(());
    };
    let (sin, cos) = motion.turn.unwrap_or_default().to_radians().sin_cos();
    let [x0, y0, z0] = motion.at.unwrap_or(pivot);
    for (i, object) in objects.iter().enumerate() {
        let [x, y, z] = place(world, *object);
        let [x, y, z] = [x - pivot[0], y - pivot[1], z - pivot[2]];
        let beside = [x0 + x * cos + z * sin, y0 + y, z0 + z * cos - x * sin];
        // Only the first object keeps its bits if only `by` or `turn` is given.
        let at = if i == 0 { motion.at } else { Some(beside) };
        moves.push((NodeId(*object), Motion { at, ..*motion }));
    }
    world.move_nodes(&moves)
}

/// The world for a path: a file, a tree, or the only one in a folder, in a project or in its
/// mission.
pub fn path_of(path: &Path, options: &Options, progress: &dyn Progress) -> Result<PathBuf> {
    inside::only(path, Format::Gamez, options, progress)
}

/// The texture packages that the game loads with a world, and its animation file: files beside a
/// file, trees beside a tree. Empty if there are none.
///
/// # Errors
/// In a project, a file shares the tree of an equal one.
pub fn loaded_with(world: &Path, options: &Options) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let of = |format| inside::of_world(world, format, options);
    Ok((of(Format::Textures)?, of(Format::Anim)?))
}

/// The nodes of a world as a tree: all of them, or one with everything below it. The nodes in a
/// cell of the world are below the world.
pub fn list(
    path: &Path,
    node: Option<&str>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Row>> {
    let path = path_of(path, options, progress)?;
    let mut opened = open::open(&path, options.hints)?;
    let world = world_of(&mut opened.model)?;
    let tops: Vec<(usize, NodeId)> = match node {
        Some(node) => vec![(0, world.find(node)?)],
        None => {
            let mut tops: Vec<(usize, NodeId)> = Vec::new();
            for (id, node) in world.roots() {
                tops.push((0, id));
                if let Data::World(data) = &node.data {
                    tops.extend(data.members().map(|member| (1, NodeId(member))));
                }
            }
            tops
        }
    };
    let mut rows = Vec::new();
    let mut seen = vec![false; world.nodes.len()];
    for (start, top) in tops {
        for (depth, id, node) in world.walk(top) {
            if seen
                .get_mut(id.0)
                .is_none_or(|seen| std::mem::replace(seen, true))
            {
                continue;
            }
            // A released record is no node, and lint reports what still refers to it.
            if !node.data.is_empty() {
                rows.push(row(start + depth, id, node));
            }
        }
    }
    Ok(rows)
}

fn row(depth: usize, NodeId(slot): NodeId, node: &Node) -> Row {
    let at = match &node.data {
        Data::Object3d(object) => object.translation.0.map(|at| at.map(F32::get)),
        _ => None,
    };
    let model = node.model.0.as_ref().and_then(|model| model.place());
    Row {
        depth,
        slot,
        name: node.title(),
        class: node.data.kind(),
        at,
        model,
    }
}

/// Changes a world in a file or a tree, and the files that receive further parts of an object.
///
/// Returns an error, and changes nothing, if other files of the folder refer to a node that is
/// renamed or removed, unless [`Options::force`] is set, or if a package has a different picture
/// with the same name.
pub fn change(
    path: &Path,
    output: Option<&Path>,
    change: &Change,
    along: &Along,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Changed> {
    let path = path_of(path, options, progress)?;
    let (label, news, planned, tree) =
        plan((&path, output), change, options, progress).map_err(|e| e.about(&path))?;
    check_made(&path, &planned, change, options)?;
    let others = news.plan(&path, along, options, progress)?;
    let (stored, others) = put::write(planned, others, options, progress)?;
    let world = match tree {
        Some(names) => Written::Tree(names, stored.news),
        None => Written::File(stored),
    };
    Ok(Changed {
        label,
        path,
        world,
        others,
    })
}

/// Changes a world in memory. Returns a description, the news for other files, and for a tree the
/// changed files.
fn plan(
    (path, output): (&Path, Option<&Path>),
    change: &Change,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(String, News, Planned, Option<Vec<String>>)> {
    let mut lost = Vec::new();
    let mut apply = |file: &mut File| apply(world_of(file)?, change, options, progress, &mut lost);
    if is_tree(path) {
        if output.is_some() {
            return Err(Error::say("-o has no effect on a tree")
                .hint("`refit repack` makes a file of the tree"));
        }
        let mut plan = put_tree::plan(path, options, progress, apply)?;
        check_lost(
            path,
            (&plan.model, &Detection::of_tree(&plan.head)),
            &lost,
            options,
            progress,
        )?;
        let (label, news) = std::mem::replace(&mut plan.result, (String::new(), News::None));
        let names = std::mem::take(&mut plan.names);
        let planned = Planned::of_tree(path, label.clone(), plan);
        return Ok((label, news, planned, Some(names)));
    }
    let mut subject = put::open_to_change(path, output, options, progress)?;
    let (label, news) = apply(&mut subject.model)?;
    check_lost(
        path,
        (&subject.model, &subject.detection),
        &lost,
        options,
        progress,
    )?;
    let mut bytes = Vec::new();
    pipeline::write(&*subject.model, &mut bytes)?;
    let planned = Planned::of_file(path, output, subject, bytes, label.clone(), options)?;
    Ok((label, news, planned, None))
}

/// Applies a change, and returns a description and the news for other files. `lost` receives names
/// that no node has any more.
fn apply(
    world: &mut Gamez,
    change: &Change,
    options: &Options,
    progress: &dyn Progress,
    lost: &mut Vec<String>,
) -> Result<(String, News)> {
    let main = |world: &Gamez| {
        let found = world
            .nodes()
            .find(|(id, _)| world.is_world(id.0))
            .map(|(id, _)| id);
        found.ok_or_else(|| Error::say("there is no world node; name a node with --under"))
    };
    let under = |world: &Gamez, name: &Option<String>| match name {
        Some(name) => world.find(name),
        None => main(world),
    };
    match change {
        Change::Add {
            from,
            under: top,
            motion,
        } => {
            let NodeId(top) = under(world, top)?;
            let first = world.nodes.len();
            let report = of_gltf(from, |source| {
                import::add_to(world, top, source, import::Options::default())
            })?;
            progress.notes(from, &report.notes);
            let roots: Vec<usize> =
                world
                    .nodes
                    .get(top)
                    .and_then(Option::as_ref)
                    .map_or_else(Vec::new, |node| {
                        node.children
                            .iter()
                            .filter_map(|child| child.place())
                            .filter(|child| *child >= first)
                            .collect()
                    });
            if world.is_world(top) {
                world.settle_cells(top, &roots)?;
            }
            move_together(world, &roots, motion)?;
            warn_outside(world, &roots, motion, progress);
            Ok((
                format!("{}: {}", from.shown(), report.tell()),
                News::Gltf(from.clone(), report),
            ))
        }
        Change::Ground {
            from,
            name,
            craters,
        } => {
            let options = import::GroundOptions {
                name: name.clone(),
                craters: *craters,
            };
            let laid = of_gltf(from, |source| import::ground(world, source, &options))?;
            progress.notes(from, &laid.report.notes);
            progress.notes(from, &laid.report.lost);
            Ok((
                format!("{}: {}", from.shown(), laid.tell()),
                News::Gltf(from.clone(), laid.report),
            ))
        }
        Change::Copy {
            node,
            from,
            under,
            name,
            motion,
        } => {
            let under = under.as_ref().map(|name| world.find(name)).transpose()?;
            let (copy, label, mut news) = match from {
                Some(other) => {
                    let other = path_of(other, options, progress)?;
                    copied_from(world, &other, node, under)?
                }
                None => {
                    let from = world.find(node)?;
                    let copy = world.copy_node(from, under)?;
                    (copy, format!("{node} → {copy}"), News::None)
                }
            };
            if let Some(name) = name {
                let was = world.node(copy).map(Node::title).unwrap_or_default();
                world.rename_node(copy, name)?;
                if let News::Of(copied) = &mut news {
                    copied.renamed = Some((was, name.clone()));
                }
            }
            if !motion.is_none() {
                world.move_node(copy, *motion)?;
                warn_outside(world, &[copy.0], motion, progress);
            }
            Ok((label, news))
        }
        Change::Move { node, motion } => {
            let id = world.find(node)?;
            world.move_node(id, *motion)?;
            warn_outside(world, &[id.0], motion, progress);
            Ok((format!("{node} moved"), News::None))
        }
        Change::Reparent { node, under, local } => {
            let (id, parent) = (world.find(node)?, world.find(under)?);
            world.reparent_node(id, parent, *local)?;
            Ok((format!("{node} put below {under}"), News::None))
        }
        Change::Rename { node, name } => {
            let id = world.find(node)?;
            let old = world.node(id).map(Node::title).unwrap_or_default();
            world.rename_node(id, name)?;
            note_lost(world, [old], lost);
            Ok((format!("{node} → {name}"), News::None))
        }
        Change::Remove { node } => {
            let removed = world.remove_node(world.find(node)?)?;
            let rest = [
                (removed.materials, "material"),
                (removed.textures, "texture"),
            ];
            let rest = rest
                .into_iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, what)| format!(", {}", count(n, what)));
            let rest: String = rest.collect();
            let (nodes, models) = (
                count(removed.nodes.len(), "node"),
                count(removed.models, "model"),
            );
            let label = format!("{node} removed ({nodes}, {models}{rest})");
            note_lost(world, removed.nodes, lost);
            Ok((label, News::None))
        }
        Change::Several(all) => {
            let mut labels = Vec::with_capacity(all.len());
            for change in all {
                change.check_together()?;
                labels.push(apply(world, change, options, progress, lost)?.0);
            }
            // A later change may have given a name back.
            let lost_then = std::mem::take(lost);
            note_lost(world, lost_then, lost);
            Ok((labels.join("; "), News::None))
        }
    }
}

/// Warns about objects that were moved out of the area of their world.
fn warn_outside(world: &Gamez, objects: &[usize], motion: &Motion, progress: &dyn Progress) {
    let outside = objects
        .iter()
        .filter(|_| !motion.is_none())
        .filter_map(|i| world.outside(NodeId(*i)));
    for (name, [left, right, top, bottom]) in outside.take(1) {
        progress.warn(&format!(
            "{name:?} is outside of the world, which goes from x {left} to {right} and from z {top} to {bottom}"
        ));
    }
}

/// Copies a node of another world. Returns the copy and its description.
fn copied_from(
    world: &mut Gamez,
    other: &Path,
    node: &str,
    under: Option<NodeId>,
) -> Result<(NodeId, String, News)> {
    let hints = Hints {
        game: Some(world.game.itself()),
        format: None,
    };
    let mut opened = open::open(other, hints).map_err(|e| e.about(other))?;
    let from = world_of(&mut opened.model).map_err(|e| e.about(other))?;
    let top = from.find(node).map_err(|e| e.about(other))?;
    let names = from.walk(top).map(|(_, _, node)| node.title()).collect();
    let Brought {
        node: copy,
        nodes,
        models,
        materials,
        textures,
        shared,
    } = world.copy_from(from, top, under)?;
    let [nodes, models, materials] = [
        (nodes, "node"),
        (models, "new model"),
        (materials, "new material"),
    ]
    .map(|(n, what)| count(n, what));
    let label = format!(
        "{node} of {} → {copy} ({nodes}, {models}, {materials})",
        other.shown()
    );
    let (game, other, node) = (world.game.itself(), other.to_owned(), node.to_owned());
    Ok((
        copy,
        label,
        News::Of(Copied {
            game,
            other,
            node,
            names,
            renamed: None,
            textures,
            shared,
        }),
    ))
}

/// Notes the names that no node has any more.
fn note_lost(world: &Gamez, names: impl IntoIterator<Item = String>, lost: &mut Vec<String>) {
    for name in names {
        let is_it = |node: &Node| !node.data.is_empty() && node.title().eq_ignore_ascii_case(&name);
        let is_there = world.nodes().any(|(_, node)| is_it(node));
        if !is_there && !name.is_empty() && !lost.contains(&name) {
            lost.push(name);
        }
    }
}

/// Reads a glTF file, which may refer to other files next to it. Errors name this file.
fn of_gltf<T>(from: &Path, import: impl FnOnce(&import::Source<'_>) -> Result<T>) -> Result<T> {
    let gltf = disk::read_named(from)?;
    let folder = from.parent().unwrap_or(Path::new("")).to_owned();
    let beside = |path: &str| disk::read_beside(&folder, path);
    import(&import::Source {
        file: &gltf,
        beside: &beside,
    })
    .map_err(|e| e.in_file(from.shown()))
}

/// Findings that no change of a world may bring in: what they are about follows from the rest of
/// the file.
const DERIVED: [&str; 7] = [
    "gamez-free-list",
    "gamez-pointer",
    "gamez-family",
    "gamez-loop",
    "gamez-slots",
    "gamez-material-links",
    "gamez-dangling",
];

/// An error if a change made what refit itself finds unusual, in a world that has nothing of that
/// kind. A copy may bring dangling references along, and what the world that it is from has.
fn check_made(path: &Path, planned: &Planned, change: &Change, options: &Options) -> Result<()> {
    let is_copy = change.copies();
    let is_own = |code: &str| DERIVED.contains(&code) && !(is_copy && code == "gamez-dangling");
    let has = |path: &Path, code: &str| -> Result<bool> {
        let found = open::open(path, options.hints)?.model.lint()?;
        Ok(found.iter().any(|old| old.code == code))
    };
    let Some(found) = planned
        .news()
        .and_then(|news| news.found.iter().find(|found| is_own(found.code)))
    else {
        return Ok(());
    };
    let from = match change {
        Change::Copy {
            from: Some(from), ..
        } => Some(path_of(from, options, &super::Quiet)?),
        _ => None,
    };
    if has(path, found.code)? || from.map_or(Ok(false), |from| has(&from, found.code))? {
        return Ok(());
    }
    Err(Error::say(format!(
        "internal error: {}: {} [{}]",
        found.at, found.message, found.code
    ))
    .hint("nothing was written; this is a bug in refit, please report it")
    .of_kind(ErrorKind::Internal))
}

/// The files of the game or project of a world, or else those beside it. Returns also their folder,
/// and the world's path in it.
fn around(path: &Path, options: &Options) -> Result<(Vec<Input>, PathBuf, String)> {
    let whole = refit_base::path::whole(path).unwrap_or_else(|_| path.to_owned());
    let project = whole.ancestors().skip(1).find(|folder| is_project(folder));
    let archives = whole.ancestors().skip(1).find(|folder| {
        folder
            .file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("zbd"))
    });
    let options = Options {
        filter: Default::default(),
        ..options.clone()
    };
    let all = |root: &Path| names::items(&[root.to_owned()], &options, &super::Quiet);
    let below = |root: &Path| whole.strip_prefix(root).unwrap_or(&whole).shown();
    if let Some(root) = project {
        return Ok((all(root)?, root.to_owned(), below(root)));
    }
    if let Some(archives) = archives {
        // What is beside the folder of the archives belongs to the game, such as its texts.
        let root = archives.parent().unwrap_or(archives);
        return Ok((all(root)?, root.to_owned(), below(root)));
    }
    let folder = super::paths::folder_of(&whole);
    let entries = std::fs::read_dir(&folder).map_err(|e| Error::io(&folder, e))?;
    let mut items: Vec<Input> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && original_of(path).is_none() || is_tree(path))
        .map(|path| Input {
            relative: PathBuf::from(path.file_name().unwrap_or_default()),
            path,
            explicit: false,
        })
        .collect();
    items.sort_by(|a, b| a.path.cmp(&b.path));
    let own = below(&folder);
    Ok((items, folder, own))
}

/// An error if other files of the game use a name that meant a node, and means nothing any more.
/// The names of the world come from its file or tree, and from `now`.
fn check_lost(
    path: &Path,
    now: (&File, &Detection),
    lost: &[String],
    options: &Options,
    progress: &dyn Progress,
) -> Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    let (items, root, relative) = around(path, options)?;
    let own = super::paths::same_path(path);
    let (own_items, items): (Vec<Input>, Vec<Input>) = items
        .into_iter()
        .partition(|item| super::paths::same_path(&item.path) == own);
    // A tree of a project may be the tree of several files.
    let relatives: Vec<String> = match own_items.as_slice() {
        [] => vec![relative],
        all => all.iter().map(|item| names::item(item).relative).collect(),
    };
    let met = Met::new(lost);
    // Edited definitions of a project say what its animations will use, not the tree that they came
    // from.
    let compiled = Definitions::of(std::slice::from_ref(&root), options)?;
    let cache = names::cache(&[root], options);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut see = |mut file: index::File| {
        file.keep_met(met.names());
        before.push(file.clone());
        after.push(file);
    };
    let mut stored = Vec::new();
    for item in items {
        match compiled.names(&names::item(&item), options.hints) {
            Some(file) => see(file),
            None => stored.push(item),
        }
    }
    names::each_that_meets(&stored, &cache, &met, options, see);
    if before
        .iter()
        .flat_map(|file| &file.content.names)
        .all(|name| name.does == Does::Defines)
    {
        return Ok(());
    }
    for relative in relatives {
        let item = index::Item {
            path: path.to_owned(),
            relative,
        };
        let mut files = [
            index::file(&item, options.hints, &cache, false)?,
            Some(index::of_model(&item, now.0.model(), now.1)?),
        ];
        files
            .iter_mut()
            .flatten()
            .for_each(|file| file.keep_met(met.names()));
        let [was, is] = files;
        before.extend(was);
        after.extend(is);
    }
    let (before, after) = (Index::new(before), Index::new(after));
    let uses = after.lost(&before);
    let Some((file, name)) = uses.first().and_then(|place| after.name(*place)) else {
        return Ok(());
    };
    let what = count(uses.len(), "name");
    let place = [name.document.as_str(), name.at.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty());
    let first = format!(
        "{}: {} ({})",
        file.relative,
        name.name,
        place.collect::<Vec<_>>().join(": ")
    );
    let message = format!("{what} of other files would find no node any more, such as {first}");
    if options.force {
        progress.warn(&message);
        return Ok(());
    }
    Err(Error::say(message).hint("change those files first; --force writes all the same"))
}
