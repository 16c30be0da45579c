//! Imports glTF into files of the games: the reverse of [`super::export`].

mod ground;
mod regions;
mod there;
mod whole;

pub use ground::{GroundOptions, Laid, ground};
pub use whole::{is_whole, whole};

pub use super::scene::import::report::{NewPicture, Options, Report};
use super::{
    mechs,
    scene::{
        Forest, Glb, Levels,
        import::{
            self, Finder,
            file::{self, Beside, GltfFile},
            known::Known,
            report::listed,
            scene::{self, Left, Matrix, Placed, Triangle},
        },
    },
};
use bytes::Bytes;
use refit_base::{
    contract::Members as _,
    format::Format,
    par,
    support::members::Typed,
    tree::Form,
    wire::{Defaulted, Derived, Error, F32, Items, Reader, Result, Str, Text, TextOrRecord},
};
use refit_files::file::File;
use refit_zipper::{
    archive::Archive,
    gamez::{
        Gamez, StoredModel,
        boxes::Extent,
        classes::ObjectFlags,
        follow,
        materials::{Cycle, Material},
        models::{Model, Surroundings},
        nodes::{Data, Node},
        textures::Texture,
        tree::{Named, model_of},
        types::{Link, TextureName},
    },
    mechlib::{self, MechlibMember},
    motion,
};
use std::collections::{BTreeMap, HashMap, HashSet, hash_map::Entry};

/// Maximum length of a node's name, in characters.
const NODE_NAME: usize = 35;

/// True for the name of a glTF file.
pub fn is_gltf(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".glb") || path.ends_with(".gltf")
}

/// The member for a file name of an export, without `.glb`: `arm3~2` is the second `arm3.flt` of a
/// mechlib. `None` if no file of an export has this name; an error if the file shows more than one
/// member.
pub fn exported(file: &File, name: &str) -> Result<Option<usize>> {
    let same = |path: &str| path.trim_end_matches(".glb").eq_ignore_ascii_case(name);
    if let Some(archive) = file.archive_of(Format::Mechlib) {
        let files = mechs::files(archive.stored()?.iter().map(|(name, _)| name));
        return Ok(files.iter().position(|file| {
            file.as_ref()
                .is_some_and(|[_, paths @ ..]| paths.iter().any(|path| same(path)))
        }));
    }
    let File::World(world) = file else {
        return Ok(None);
    };
    if super::worlds::files(world, &Forest::of_world(&world.nodes))
        .iter()
        .any(|(path, ..)| same(path))
    {
        return Err(Error::say(format!(
            "{name} contains only nodes outside of the world, and cannot be imported as a whole"
        ))
        .hint(
            "put each edited model: refit put FILE models/NAME NAME.glb; in a tree, a node's position is in its \
            document",
        ));
    }
    Ok(None)
}

/// A glTF file, and access to the files that it refers to.
pub struct Source<'a> {
    /// The file.
    pub file: &'a Bytes,
    /// Reads a file next to it: a `.bin`, a picture.
    pub beside: &'a Beside<'a>,
}

/// Imports a glTF file into the model that is member `index` of a file. Everything that equals the
/// model's export stays unchanged.
///
/// Returns an error if the file is damaged or not glTF, if it contains what no model can represent
/// (skins, animations, packed meshes), or if the member is not a model. Nothing is changed then.
///
/// ```
/// use refit_base::{Error, tree::{Folder, Source as _}};
/// use refit_files::File;
/// use refit_gltf::import;
///
/// let bytes = std::fs::read("../../golden/gamez/mw_base.gamez.zbd")?;
/// let mut world = File::read(bytes.clone(), "gamez.zbd")?;
/// let out = Folder::new();
/// refit_gltf::export(&world, &[], &out)?;
/// // Here a program edits the model.
/// let edited = out.get("models/0000-torso_00023.glb")?;
/// let model = world.member("models/0000-torso_00023")?;
/// let source = import::Source { file: &edited, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// let report = import::put(&mut world, model.index(), &source, import::Options::default())?;
/// assert!(report.is_unchanged() && world.to_bytes()? == bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn put(file: &mut File, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    match file {
        File::World(world) => {
            let slot = model_of(world, index);
            let slot = slot.ok_or_else(|| {
                Error::say("this member is not a model")
                    .hint("models are named models/NAME: `refit list` shows them")
            })?;
            put_model(world, slot, source, options)
        }
        File::Archive(archive) if archive.context.format == Format::Mechlib => {
            put_tree(archive, index, source, options)
        }
        File::Archive(archive) if archive.context.format == Format::Motion => {
            put_motion(archive, index, source, options)
        }
        _ => Err(Error::say(
            "glTF can only replace models and motions, and this member is neither",
        )
        .hint("models are in gamez.zbd, planes.zbd and mechlib.zbd, motions in motion.zbd")),
    }
}

/// Adds the objects of a glTF file to a world, below the node of this name, or of this position,
/// written `#512`. Each object becomes a node, with a model if it has a mesh. Only the boxes of the
/// nodes above change.
///
/// Returns an error as [`put`] does, if the name fits no node or several, or if the file is not a
/// world.
///
/// ```
/// use refit_base::Error;
/// use refit_files::File;
/// use refit_gltf::import;
///
/// let mut world = File::read(std::fs::read("../../golden/gamez/mw_base.gamez.zbd")?, "gamez.zbd")?;
/// let file = bytes::Bytes::from(std::fs::read("../../roundtrip-tests/blender/none.glb")?);
/// let source = import::Source { file: &file, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// let report = import::add(&mut world, "world1", &source, import::Options::default())?;
/// assert_eq!(report.nodes_new, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add(into: &mut File, under: &str, source: &Source<'_>, options: Options) -> Result<Report> {
    if into.archive_of(Format::Mechlib).is_some() {
        let why = "new objects can only be added to worlds, and this is a mechlib: a 'mech cannot get new parts from a file";
        return Err(Error::say(why).hint(
            "join the object to a part of the 'mech and `refit put` that, or add the node to the 'mech's document in \
            a tree",
        ));
    }
    let File::World(world) = into else {
        return Err(Error::say("new objects can only be added to worlds")
            .hint("gamez.zbd and planes.zbd are worlds"));
    };
    let top = world.find(under)?.0;
    add_to(world, top, source, options)
}

/// [`add`] for a world.
pub fn add_to(
    world: &mut Gamez,
    top: usize,
    source: &Source<'_>,
    options: Options,
) -> Result<Report> {
    let file = GltfFile::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let mut placed = scene::nodes(&file)?;
    if placed.iter().all(|n| n.mesh(&file).is_none()) {
        return Err(Error::say("the file shows no mesh")
            .hint("select the objects to export, or unhide them"));
    }
    let mut total = Report::default();
    let there = there::of_world(world, &file, &placed);
    there.leave_out(&file, &mut placed, &mut total)?;
    let is_of_world = !there.objects.is_empty();
    let new = NewObjects {
        placed: &placed,
        parents: &there.parents,
        is_of_world,
    };
    add_objects(world, top, (&file, source), new, &mut total, options)?;
    Ok(total)
}

/// The new objects of a file.
struct NewObjects<'a> {
    placed: &'a [Placed],
    /// The existing nodes that are their parents.
    parents: &'a HashMap<usize, usize>,
    /// True if the file is an export of the world, so that meshes may be copies of its models.
    is_of_world: bool,
}

/// Adds new objects below their parents, or below the node `top`. Returns the nodes directly below
/// `top`.
fn add_objects(
    world: &mut Gamez,
    top: usize,
    (file, source): (&GltfFile, &Source<'_>),
    NewObjects {
        placed,
        parents,
        is_of_world,
    }: NewObjects<'_>,
    total: &mut Report,
    options: Options,
) -> Result<Vec<usize>> {
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let finder = Finder::new(file, &palette, std::iter::empty());
    let mut known = Known::of(file, world.game);
    known.is_of_world = is_of_world;
    let mut painted = Paints::of(world);
    // Models first, so that the world is unchanged if something fails.
    let (models, left) = new_models(
        world,
        placed,
        &finder,
        &mut known,
        &mut painted,
        total,
        options,
    )?;
    // An object with only points or lines has no model.
    if models.is_empty() {
        return Err(no_triangle());
    }
    let before = (world.models.len(), world.nodes.len());
    let nodes = new_nodes(placed, before.1, &mut known)?;
    total.take(known.report);
    total.notes.extend(import::left_out(file, placed, left));
    painted.pictures(file, source.beside, total);
    painted.settle(world);
    let mut new = Some((nodes, models));
    world.editing(&mut |world| {
        let Some((nodes, models)) = new.take() else {
            return Ok(Vec::new());
        };
        append(world, nodes, models)?;
        world.settle_uses(&(before.1..world.nodes.len()).collect::<Vec<_>>())?;
        hang(world, top, (file, placed, parents), before.1, total)
    })
}

/// Hangs the new nodes from `first` on below their parents, or below the node `top`. Returns the
/// nodes directly below `top`.
fn hang(
    world: &mut Gamez,
    top: usize,
    (file, placed, parents): (&GltfFile, &[Placed], &HashMap<usize, usize>),
    first: usize,
    total: &mut Report,
) -> Result<Vec<usize>> {
    let children: HashSet<usize> = placed
        .iter()
        .flat_map(|n| file.root.nodes.get(n.node))
        .flat_map(|n| &n.children)
        .copied()
        .collect();
    // Children of an existing object are added to that object.
    let mut tops: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, root) in placed
        .iter()
        .enumerate()
        .filter(|(_, n)| !children.contains(&n.node))
    {
        tops.entry(parents.get(&root.node).copied().unwrap_or(top))
            .or_default()
            .push(first + i);
    }
    for (top, roots) in &tops {
        if let Some(Some(top)) = world.nodes.get_mut(*top) {
            for root in roots {
                top.children.push(link(*root, "nodes")?);
            }
        }
        follow::added(world, *top, roots, first);
    }
    world.settle_arrays();
    total.nodes_new += placed.len();
    Ok(tops.remove(&top).unwrap_or_default())
}

/// A position in a list of the file. Returns an error if it is too large.
fn position<T: TryFrom<usize>>(at: usize, what: &str) -> Result<T> {
    T::try_from(at).map_err(|_| Error::say(format!("too many {what}")))
}

fn link(at: usize, what: &str) -> Result<Link> {
    position(at, what).map(Link::to)
}

/// The model of a mesh.
struct Made {
    mesh: usize,
    model: Shown,
    extent: Option<Extent>,
}

/// The mesh of an object.
enum Shown {
    /// A new model, as the file stores it.
    New(StoredModel),
    /// The world's model at this position: the mesh is a copy of it.
    Existing(usize),
}

/// Number of meshes that are triangles and models at the same time; before and afterwards, they are
/// bytes.
const AT_ONCE: usize = 32;

/// The models of the meshes that objects show, and what was ignored in them.
fn new_models(
    world: &Gamez,
    placed: &[Placed],
    finder: &Finder<'_>,
    known: &mut Known<'_>,
    painted: &mut Paints,
    total: &mut Report,
    options: Options,
) -> Result<(Vec<Made>, Left)> {
    let file = known.file;
    let (empty, usual, cycled) = (Model::default(), usual(world), world.materials.cycled());
    let mut uses: HashMap<usize, u32> = HashMap::new();
    for mesh in placed
        .iter()
        .filter_map(|n| file.root.nodes.get(n.node)?.mesh)
    {
        *uses.entry(mesh).or_default() += 1;
    }
    let mut seen = HashSet::new();
    let order: Vec<usize> = placed
        .iter()
        .filter_map(|n| n.mesh(file))
        .filter(|mesh| seen.insert(*mesh))
        .collect();
    let read = |_, mesh: &usize| {
        let mut left = Left::default();
        scene::triangles(file, *mesh, &scene::IDENTITY, &mut left)
            .map(|triangles| (triangles, left))
    };
    let mut left = Left::default();
    let mut made: HashMap<Option<usize>, u32> = HashMap::new();
    let (mut doubted, mut models) = (HashSet::new(), Vec::new());
    for some in order.chunks(AT_ONCE) {
        // Materials are created in the order of their use, whichever thread is first.
        let mut shown = Vec::new();
        for (mesh, read) in some.iter().zip(par::map(some, read)) {
            let (triangles, own) = read?;
            left.add(own);
            if triangles.is_empty() {
                continue;
            }
            finder.doubts(&triangles, &mut doubted, total);
            for material in finder.unknown(&triangles) {
                if let Entry::Vacant(slot) = made.entry(material) {
                    slot.insert(painted.make(known, finder, material)?);
                }
            }
            let copied = copied(world, &triangles, &cycled).filter(|_| known.is_of_world);
            let (slot, base) = match copied {
                Some((slot, model)) => (Some(slot), model?),
                None => (None, known.model(*mesh, &usual)),
            };
            shown.push((*mesh, triangles, slot, base));
        }
        type Given = (usize, Vec<Triangle>, Option<usize>, Model);
        let make = |_, (mesh, triangles, slot, base): &Given| -> Result<(Made, Report)> {
            let mut make = |material: Option<usize>| {
                made.get(&material)
                    .copied()
                    .ok_or_else(|| Error::say(format!("there is no material {material:?}")))
            };
            let number = slot.unwrap_or(usize::MAX - 1);
            let (mut now, report) = import::model(
                base, world.game, number, triangles, finder, &mut make, options,
            )?;
            let model = match slot {
                Some(slot) if report.is_unchanged() => Shown::Existing(*slot),
                _ => {
                    follow::settle_sphere(slot.map_or(&empty, |_| base), &mut now, world.game);
                    now.uses = Derived(None);
                    Shown::New(world.stored(&now, &cycled, uses.get(mesh).copied().unwrap_or(0))?)
                }
            };
            Ok((
                Made {
                    mesh: *mesh,
                    model,
                    extent: follow::extent(&now, world.game),
                },
                report,
            ))
        };
        for done in par::map(&shown, make) {
            let (model, report) = done?;
            total.add(
                &file
                    .root
                    .meshes
                    .get(model.mesh)
                    .map(|m| m.name.clone())
                    .unwrap_or_default(),
                report,
            );
            models.push(model);
        }
    }
    Ok((models, left))
}

/// The model of the world that triangles are copies of, and its position.
fn copied(
    world: &Gamez,
    triangles: &[Triangle],
    cycled: &[bool],
) -> Option<(usize, Result<Model>)> {
    let slot = scene::origin(triangles)?;
    let stored = world.models.get(slot)?.as_ref()?;
    Some((
        slot,
        stored.model(
            world.game,
            &Surroundings {
                cycled,
                mechlib: false,
                uses: 0,
            },
        ),
    ))
}

/// The nodes of objects, each with the position of its mesh. `first` is the position of the first
/// node in the world.
fn new_nodes(
    placed: &[Placed],
    first: usize,
    known: &mut Known<'_>,
) -> Result<Vec<(Node, Option<usize>)>> {
    let file = known.file;
    let mut names = ObjectNames::of(
        placed
            .iter()
            .filter_map(|n| file.root.nodes.get(n.node))
            .map(|n| import::plain(&n.name)),
    );
    let where_in: HashMap<usize, usize> = placed
        .iter()
        .enumerate()
        .map(|(i, n)| (n.node, i))
        .collect();
    let mut nodes = Vec::new();
    for (i, new) in placed.iter().enumerate() {
        let Some(stored) = file.root.nodes.get(new.node) else {
            continue;
        };
        let name = names.name(import::plain(&stored.name), i);
        let mut node = known.node(stored, &name)?;
        if scene::is_identity(&new.local) {
            if let Data::Object3d(object) = &mut node.data {
                object.flags = object.flags.with(ObjectFlags::INITIAL, true);
            }
        } else {
            move_node(&mut node, &scene::IDENTITY, &new.local);
        }
        let children = stored.children.iter().filter_map(|c| where_in.get(c));
        node.children = children
            .map(|c| link(first + c, "nodes"))
            .collect::<Result<_>>()?;
        nodes.push((node, stored.mesh));
    }
    known.report.notes.extend(names.notes());
    Ok(nodes)
}

/// Appends nodes, with the positions of their meshes, and the models of meshes to a world.
fn append(
    world: &mut Gamez,
    mut nodes: Vec<(Node, Option<usize>)>,
    models: Vec<Made>,
) -> Result<()> {
    let mut slots: HashMap<usize, (usize, Option<Extent>)> = HashMap::new();
    let mut free = world.new_model_slots(
        models
            .iter()
            .filter(|made| matches!(made.model, Shown::New(_)))
            .count(),
    );
    for Made {
        mesh,
        model,
        extent,
    } in models
    {
        let slot = match model {
            Shown::Existing(slot) => slot,
            Shown::New(model) => {
                let slot = free.next().ok_or_else(|| Error::say("too many models"))?;
                world.fill_model_slot(slot, model);
                slot
            }
        };
        slots.insert(mesh, (slot, extent));
    }
    for (node, mesh) in &mut nodes {
        if let Some((slot, extent)) = mesh.and_then(|mesh| slots.get(&mesh)) {
            node.model = Defaulted(Some(link(*slot, "models")?));
            follow::settle_model_box(node, None, *extent);
        }
    }
    world
        .nodes
        .extend(nodes.into_iter().map(|(node, _)| Some(node)));
    Ok(())
}

fn no_triangle() -> Error {
    Error::say("the file shows no triangle").hint("select the objects to export, or unhide them")
}

/// Names for new objects: valid for nodes, and different for objects with different names in the
/// file.
struct ObjectNames {
    /// The name in the file, by the name made from it.
    made: HashMap<String, String>,
    cut: Vec<String>,
}

impl ObjectNames {
    /// Reserves the names that need no change.
    fn of<'n>(stored: impl Iterator<Item = &'n str>) -> Self {
        let whole = stored.filter(|name| name.len() <= NODE_NAME);
        ObjectNames {
            made: whole
                .map(|name| (name.to_owned(), name.to_owned()))
                .collect(),
            cut: Vec::new(),
        }
    }

    /// The name of object `i`, whose name in the file is `stored`. Objects with the same name in
    /// the file get the same name.
    fn name(&mut self, stored: &str, i: usize) -> String {
        if stored.is_empty() {
            return format!("object{i}");
        }
        if stored.len() <= NODE_NAME {
            return stored.to_owned();
        }
        let ends = std::iter::once(String::new()).chain((2u32..).map(|n| format!("~{n}")));
        let mut names =
            ends.map(|end| format!("{}{end}", super::scene::cut(stored, NODE_NAME - end.len())));
        let name = names
            .find(|name| self.made.get(name).is_none_or(|other| other == stored))
            .unwrap_or_default();
        if self.made.insert(name.clone(), stored.to_owned()).is_none() {
            self.cut
                .push(format!("the object {stored:?} is called {name:?}: names have at most {NODE_NAME} characters"));
        }
        name
    }

    fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let more = self.cut.len().saturating_sub(8);
        self.cut
            .iter()
            .take(8)
            .cloned()
            .chain((more > 0).then(|| format!("further names of objects that are cut: {more}")))
    }
}

/// An empty model, with the drawing flags of the world's first model that has polygons.
fn usual(world: &Gamez) -> Model {
    let around = Surroundings {
        cycled: &[],
        mechlib: false,
        uses: 0,
    };
    let models = world
        .models
        .iter()
        .flatten()
        .filter_map(|stored| stored.model(world.game, &around).ok());
    let like = models.take(64).find(|m| !m.polygons.is_empty());
    let mut model = Model::default();
    if let Some(like) = like {
        model.draw_as(&like);
    }
    model.say_polygons(world.game, false);
    model
}

fn put_model(
    world: &mut Gamez,
    slot: usize,
    source: &Source<'_>,
    options: Options,
) -> Result<Report> {
    let file = GltfFile::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let nodes = scene::nodes(&file)?;
    let mut left = Left::default();
    let mut triangles = Vec::new();
    for node in &nodes {
        if let Some(mesh) = node.mesh(&file) {
            triangles.extend(scene::triangles(&file, mesh, &node.world, &mut left)?);
        }
    }
    if triangles.is_empty() {
        return Err(no_triangle());
    }
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let cycled = world.materials.cycled();
    let piece = world
        .models
        .get(slot)
        .and_then(Option::as_ref)
        .ok_or_else(|| Error::say("the slot is free"))?;
    let uses = world.uses().get(slot).copied().unwrap_or(0);
    let before = piece.model(
        world.game,
        &Surroundings {
            cycled: &cycled,
            mechlib: false,
            uses,
        },
    )?;
    let finder = Finder::new(&file, &palette, std::iter::once(&before));
    let mut painted = Paints::of(world);
    let mut known = Known::of(&file, world.game);
    let mut make = |material: Option<usize>| painted.make(&mut known, &finder, material);
    let (now, mut report) = import::model(
        &before, world.game, slot, &triangles, &finder, &mut make, options,
    )?;
    finder.doubts(&triangles, &mut HashSet::new(), &mut report);
    report.take(known.report);
    report.notes.extend(import::left_out(&file, &nodes, left));
    if report.is_unchanged() {
        return Ok(report);
    }
    painted.pictures(&file, source.beside, &mut report);
    painted.settle(world);
    world.change_model(slot, &before, now)?;
    Ok(report)
}

/// Imports the animations of a glTF file into an archive of motions: each replaces the motion of
/// its name, or is appended as a new one. The archive is `motion.zbd`; the names of motions have
/// the form `MECH_MOTION`.
///
/// Returns an error as [`put`] does, if the file has no animation, or if one has no name. Nothing
/// is changed then.
///
/// ```
/// use refit_base::Error;
/// use refit_files::File;
/// use refit_gltf::import;
///
/// let mut archive = File::read(std::fs::read("../../golden/motion/pm_typical_motion.zbd")?, "motion.zbd")?;
/// let file = bytes::Bytes::from(std::fs::read("../../roundtrip-tests/blender/motion.glb")?);
/// let source = import::Source { file: &file, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// // Its animation equals the existing motion of the same name; under another name it is a new motion.
/// assert!(import::motions(&mut archive, &source, import::Options::default())?.is_unchanged());
/// assert_eq!(import::add_motion(&mut archive, "madcat_limp", &source, import::Options::default())?.motions_new, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn motions(into: &mut File, source: &Source<'_>, options: Options) -> Result<Report> {
    let archive = motion_archive(into)?;
    let file = GltfFile::open(source.file, source.beside)?;
    let members = archive.stored()?;
    let at = |wanted: &str| {
        members
            .iter()
            .position(|(name, _)| name.text().eq_ignore_ascii_case(wanted))
    };
    let names = import::motions::names(&file, |name| at(name).is_some())?;
    if names.is_empty() {
        return Err(
            Error::say("it has no animation").hint("in Blender, export with Animation switched on")
        );
    }
    take_motions(
        archive,
        &members,
        names
            .into_iter()
            .enumerate()
            .map(|(i, name)| (i, at(&name), name)),
        &file,
        options,
    )
}

/// Appends the animation of this name as a new motion to an archive. If the file has only one
/// animation, its name does not matter.
///
/// Returns an error as [`motions`] does, or if the archive has a motion of this name already.
pub fn add_motion(
    into: &mut File,
    name: &str,
    source: &Source<'_>,
    options: Options,
) -> Result<Report> {
    let archive = motion_archive(into)?;
    let file = GltfFile::open(source.file, source.beside)?;
    let members = archive.stored()?;
    if members
        .iter()
        .any(|(own, _)| own.text().eq_ignore_ascii_case(name))
    {
        return Err(Error::say(format!(
            "a motion named {name:?} exists already"
        )));
    }
    let animation = import::motions::pick(&file, name)?;
    take_motions(
        archive,
        &members,
        std::iter::once((animation, None, name.to_owned())),
        &file,
        options,
    )
}

/// True for an archive of motions.
pub fn takes_motions(file: &File) -> bool {
    file.archive_of(Format::Motion).is_some()
}

fn motion_archive(file: &mut File) -> Result<&mut Archive> {
    match file {
        File::Archive(archive) if archive.context.format == Format::Motion => Ok(archive),
        _ => Err(
            Error::say("animations can only be imported into an archive of motions")
                .hint("motion.zbd is one"),
        ),
    }
}

fn read_motion(archive: &Archive, (name, payload): &(Str, Bytes)) -> Result<motion::Motion> {
    let read = Typed::read(
        &motion::Members,
        &name.0,
        Reader::new(payload, refit_base::game::Game::Mw),
        &archive.context,
    );
    read.unwrap_or_else(|| Err(Error::say("this member is not a motion")))
}

/// Imports animations, each into the member at a position or as a new member with a name: all of
/// them or none.
fn take_motions(
    archive: &mut Archive,
    members: &[(Str, Bytes)],
    wanted: impl Iterator<Item = (usize, Option<usize>, String)>,
    file: &GltfFile,
    options: Options,
) -> Result<Report> {
    let mut total = Report::default();
    let mut done: Vec<(Option<usize>, String, Vec<u8>)> = Vec::new();
    // The frame rate is computed only if keys do not determine it: that reads the whole archive.
    let rates = std::cell::OnceCell::new();
    let usual = || {
        *rates.get_or_init(|| {
            let mut all: Vec<f64> = members
                .iter()
                .filter_map(|member| import::motions::rate(&read_motion(archive, member).ok()?))
                .collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied()
        })
    };
    for (animation, at, name) in wanted {
        let place = |e: Error| e.within(name.clone());
        let (now, report) = match at.and_then(|at| members.get(at)) {
            Some(member) => {
                let before = read_motion(archive, member).map_err(place)?;
                let (mut now, changes) =
                    import::motions::apply(&before, animation, file).map_err(place)?;
                let import::motions::Changes {
                    curves,
                    parts,
                    mut notes,
                    lost,
                } = changes;
                if now != before {
                    import::motions::end(
                        &mut now,
                        Some(&before),
                        options.close_motions,
                        &mut notes,
                    );
                }
                let report = Report {
                    curves_changed: curves,
                    parts_new: parts,
                    notes,
                    lost,
                    ..Report::default()
                };
                ((now != before).then_some(now), report)
            }
            None => {
                // Report an invalid name before anything is changed.
                Text::<64>::try_from(name.as_str()).map_err(place)?;
                let sibling = members
                    .iter()
                    .rev()
                    .max_by_key(|(other, _)| shared(&other.text(), &name));
                let sibling = sibling.filter(|(other, _)| shared(&other.text(), &name) > 0);
                let sibling = sibling.and_then(|member| read_motion(archive, member).ok());
                let rate = sibling.as_ref().and_then(import::motions::rate);
                let like = import::motions::Like {
                    sibling: sibling.as_ref(),
                    rate: &|| rate.or_else(usual),
                };
                let (
                    mut now,
                    import::motions::Changes {
                        mut notes, lost, ..
                    },
                ) = import::motions::make(&like, animation, file).map_err(place)?;
                import::motions::end(&mut now, None, options.close_motions, &mut notes);
                (
                    Some(now),
                    Report {
                        motions_new: 1,
                        notes,
                        lost,
                        ..Report::default()
                    },
                )
            }
        };
        total.add(&name, report);
        if let Some(now) = now {
            done.push((
                at,
                name,
                Typed::write(&motion::Members, &now, &archive.context)?,
            ));
        }
    }
    for (at, name, bytes) in done {
        match at {
            Some(at) => archive.put(at, &bytes, Form::Stored)?,
            None => _ = archive.add(&name, bytes)?,
        }
    }
    Ok(total)
}

/// The number of leading `_`-separated words that two names share. The last word of each is the
/// motion's own and does not count.
fn shared(a: &str, b: &str) -> usize {
    let words = |name: &str| {
        name.rsplit_once('_')
            .map(|(mech, _)| mech.to_lowercase())
            .unwrap_or_default()
    };
    let (a, b) = (words(a), words(b));
    a.split('_')
        .zip(b.split('_'))
        .take_while(|(a, b)| a == b && !a.is_empty())
        .count()
}

/// Imports an animation into the motion of its name.
fn put_motion(
    archive: &mut Archive,
    index: usize,
    source: &Source<'_>,
    options: Options,
) -> Result<Report> {
    let members = archive.stored()?;
    let (name, _) = members
        .get(index)
        .ok_or_else(|| Error::say(format!("there is no member #{index}")))?;
    let file = GltfFile::open(source.file, source.beside)?;
    let name = name.text().into_owned();
    let animation = import::motions::pick(&file, &name)?;
    let mut report = take_motions(
        archive,
        &members,
        std::iter::once((animation, Some(index), name)),
        &file,
        options,
    )?;
    let meshes = file.root.nodes.iter().filter(|n| n.mesh.is_some()).count();
    if meshes > 0 && report.is_unchanged() {
        report
            .notes
            .push("its meshes are left out: import them into mechlib.zbd".to_owned());
    }
    Ok(report)
}

/// The objects of an export of a mechlib's tree.
struct Called {
    shown: there::Exported,
    /// Nodes by the name of their mesh.
    meshes: HashMap<String, usize>,
    /// The nodes with a mesh among the nearest levels of detail.
    near: HashSet<usize>,
}

fn called(nodes: &[Node]) -> Called {
    let forest = Forest::of_tree(nodes);
    let mut out = Called {
        shown: there::Exported::default(),
        meshes: HashMap::new(),
        near: HashSet::new(),
    };
    for levels in [Levels::Nearest, Levels::Further] {
        let mut glb = Glb::new();
        forest.plant(
            &forest.whole(),
            levels,
            "",
            &mut glb,
            &mut |i, node, glb| {
                if node
                    .mesh
                    .as_ref()
                    .is_some_and(|mesh| !mesh.polygons.is_empty())
                {
                    out.meshes
                        .entry(glb.mesh_names.unique(&node.title(), i))
                        .or_insert(i);
                    if levels == Levels::Nearest {
                        out.near.insert(i);
                    }
                }
                None
            },
        );
        out.shown.add(glb);
    }
    out
}

impl Called {
    /// The nodes of objects as in [`there::Exported::partners`]; otherwise by the index in the
    /// export's extras, otherwise by the name of the mesh, which programs keep when an object is
    /// renamed. The name has priority, because copies share everything else.
    fn partners(&self, file: &GltfFile, placed: &[Placed]) -> HashMap<usize, usize> {
        let noted = |node: &file::Node| {
            let index = usize::try_from(node.extras.as_ref()?.get("index")?.as_u64()?).ok()?;
            self.shown.places.contains_key(&index).then_some(index)
        };
        let of_mesh = |node: &file::Node| {
            let name = &file.root.meshes.get(node.mesh?)?.name;
            self.meshes
                .get(name)
                .or_else(|| self.meshes.get(import::plain(name)))
                .copied()
        };
        self.shown.partners(file, placed, &[&noted, &of_mesh])
    }

    /// Reports new objects, objects under another name, and nodes whose objects are missing in a
    /// file.
    fn tell(
        &self,
        nodes: &[Node],
        partners: &HashMap<usize, usize>,
        strangers: &[String],
        renamed: &[String],
        total: &mut Report,
    ) {
        // A program drops triangles without area, and with them possibly an object's mesh: only
        // parts whose objects are missing altogether were deleted.
        let found: HashSet<usize> = partners.values().copied().collect();
        let mut absent: Vec<usize> = self.near.difference(&found).copied().collect();
        absent.sort_unstable();
        let absent: Vec<String> = absent
            .iter()
            .filter_map(|i| nodes.get(*i))
            .map(|n| format!("{:?}", n.title()))
            .collect();
        let lost = [
            (
                strangers,
                "new objects, which cannot be added to a 'mech, are left out",
                " (join them to a part, or add nodes to its document in a tree)",
            ),
            // The file of the further levels of detail contains none of the nearest.
            (
                if absent.len() < self.near.len() {
                    &absent
                } else {
                    &[]
                },
                "parts without an object in the file stay unchanged",
                "",
            ),
        ];
        for (names, what, hint) in lost.into_iter().filter(|(names, ..)| !names.is_empty()) {
            total.lost.push(format!("{what}: {}{hint}", listed(names)));
        }
        if !renamed.is_empty() {
            let what = "renamed objects, whose nodes keep their names because others refer to them";
            total.notes.push(format!("{what}: {}", listed(renamed)));
        }
    }
}

/// The material of a mechlib for one of the file that is not among its own: only the plain white
/// one.
fn mech_material(
    materials: &[Material],
    finder: &Finder<'_>,
    file: &GltfFile,
    index: Option<usize>,
) -> Result<u32> {
    let Some(index) = index else {
        let plain = (0u32..)
            .zip(materials)
            .find(|(_, m)| **m == Material::default());
        return plain.map(|(i, _)| i).ok_or_else(|| {
            Error::say("new polygons have no material, and the mechlib has no plain white one")
                .hint("give them one of its materials: a new part's slots are empty at first")
        });
    };
    let name = file
        .root
        .materials
        .get(index)
        .map(|m| m.name.as_str())
        .unwrap_or_default();
    Err(match finder.recoloured(index) {
        Some(_) => Error::say(format!("the material {name:?} has another colour in the file")).hint(
            "the colour of a 'mech's material is in the member `materials`: change it there (refit get, refit put)",
        ),
        None => Error::say(format!("the material {name:?} is not in the mechlib"))
            .hint("add it to the member `materials` first"),
    })
}

/// Imports a 'mech into its tree: each object into the node of its name.
fn put_tree(
    archive: &mut Archive,
    index: usize,
    source: &Source<'_>,
    options: Options,
) -> Result<Report> {
    let members = archive.stored()?;
    let context = archive.context.clone();
    let game = mechlib::game(&context);
    let member = members
        .get(index)
        .ok_or_else(|| Error::say(format!("there is no member #{index}")))?;
    let (mut nodes, rest) = match mechs::read(member, &context)? {
        Some(MechlibMember::Nodes(nodes)) => (nodes, None),
        Some(MechlibMember::PaddedNodes(nodes, rest)) => (nodes, Some(rest)),
        _ => {
            return Err(Error::say("this member is not a tree of nodes")
                .hint("trees are named `NAME.flt`: `refit list` shows them"));
        }
    };
    let materials = mechs::materials(&members, &context)?;
    let palette = mechs::palette(&materials);
    let file = GltfFile::open(source.file, source.beside)?;
    let placed = scene::nodes(&file)?;
    let called = called(&nodes);
    let animated: HashSet<usize> = file
        .root
        .animations
        .iter()
        .flat_map(|a| &a.channels)
        .filter_map(|c| c.target.node)
        .collect();
    let mut left = Left::default();
    let mut total = Report::default();
    let partners = called.partners(&file, &placed);
    let (mut strangers, mut moved, mut renamed) = (Vec::new(), 0usize, Vec::new());
    let mut doubted = HashSet::new();
    let finder = Finder::new(
        &file,
        &palette,
        nodes.iter().filter_map(|n| n.mesh.as_deref()),
    );
    let before: Vec<Option<Model>> = nodes.iter().map(|n| n.mesh.as_deref().cloned()).collect();
    for node in &placed {
        let Some(stored) = file.root.nodes.get(node.node) else {
            continue;
        };
        let Some((at, place)) = partners
            .get(&node.node)
            .and_then(|at| Some((at, called.shown.places.get(at)?)))
        else {
            if stored.mesh.is_some() {
                strangers.push(format!("{:?}", stored.name));
            }
            continue;
        };
        if ![&*stored.name, import::plain(&stored.name)]
            .iter()
            .any(|name| called.shown.names.contains_key(*name))
        {
            let own = nodes.get(*at).map(|n| n.title()).unwrap_or_default();
            renamed.push(format!("{:?} is {own:?}", stored.name));
        }
        if !animated.contains(&node.node) && node.differs(place) {
            let was = nodes.get(*at).and_then(follow::reach);
            if nodes
                .get_mut(*at)
                .is_some_and(|n| move_node(n, place, &node.local))
            {
                follow::tree_moved(&mut nodes, *at, was);
                moved += 1;
            }
        }
        let (Some(mesh), Some(Some(old))) = (stored.mesh, before.get(*at)) else {
            continue;
        };
        let triangles = scene::triangles(&file, mesh, &scene::IDENTITY, &mut left)?;
        let mut make = |material| mech_material(&materials, &finder, &file, material);
        let (mut now, report) =
            import::model(old, game, *at, &triangles, &finder, &mut make, options)?;
        finder.doubts(&triangles, &mut doubted, &mut total);
        total.add(&stored.name, report.clone());
        if !report.is_unchanged() {
            follow::settle_sphere(old, &mut now, game);
            if let Some(node) = nodes.get_mut(*at) {
                node.mesh = Some(Box::new(now.clone()));
            }
            follow::tree_changed(&mut nodes, *at, old, &now, game);
        }
    }
    called.tell(&nodes, &partners, &strangers, &renamed, &mut total);
    if !animated.is_empty() {
        total.lost.push(
            "its animations are left out, and the objects they move stay where they were: animations go into \
            motion.zbd (refit put motion.zbd NAME FILE)"
                .to_owned(),
        );
    }
    total.nodes_moved = moved;
    total.notes.extend(import::left_out(&file, &placed, left));
    if !total.is_unchanged() {
        let doc = match rest {
            Some(rest) => MechlibMember::PaddedNodes(nodes, rest),
            None => MechlibMember::Nodes(nodes),
        };
        let bytes = Typed::write(&mechlib::Members, &doc, &context)?;
        archive.put(index, &bytes, Form::Stored)?;
    }
    Ok(total)
}

/// Moves a node to the position of its object. Returns false if the node is not an object or the
/// position cannot be represented.
fn move_node(node: &mut Node, was: &Matrix, now: &Matrix) -> bool {
    let Data::Object3d(object) = &mut node.data else {
        return false;
    };
    let zero = [F32::from(0.0); 3];
    let column = |c: usize| now.map(|row| row.item(c));
    object.translation = Defaulted::of(super::scene::game_point(column(3).map(|v| v as f32)), zero);
    let turned = was.iter().zip(now).any(|(a, b)| {
        a.iter()
            .zip(b)
            .take(3)
            .any(|(a, b)| (a - b).abs() > 2e-6 * a.abs().max(b.abs()).max(1.0))
    });
    object.begin_placing();
    if !turned {
        return true;
    }
    // The columns of glTF are the rows of the game.
    let rows = [column(0), column(1), column(2)];
    object.set_rows(rows);
    true
}

/// The materials and textures of a world, including new ones.
struct Paints {
    materials: Vec<Option<Material>>,
    textures: Vec<Texture>,
    /// The images of the file for new textures, with the names that packages will use.
    pictures: Vec<(usize, String)>,
    /// Long names of new textures, and their shortened forms.
    cut: HashMap<String, String>,
    changed: bool,
}

impl Paints {
    /// Those of a world.
    fn of(world: &Gamez) -> Self {
        Paints {
            materials: world.materials.materials.clone(),
            textures: world.textures.clone(),
            pictures: Vec::new(),
            cut: HashMap::new(),
            changed: false,
        }
    }

    /// Creates a material from one of the file; without an index, finds or creates the plain white
    /// one.
    fn make(
        &mut self,
        known: &mut Known<'_>,
        finder: &Finder<'_>,
        index: Option<usize>,
    ) -> Result<u32> {
        let file = known.file;
        let Some(index) = index else {
            let plain = Material::default();
            if let Some(at) = self
                .materials
                .iter()
                .position(|m| m.as_ref() == Some(&plain))
            {
                return position(at, "materials");
            }
            known
                .report
                .notes
                .push("a plain white material is new".to_owned());
            return self.add(plain);
        };
        let stored = file.root.materials.get(index).cloned().unwrap_or_default();
        let like = finder
            .recoloured(index)
            .and_then(|i| self.materials.get(usize::try_from(i).ok()?)?.clone());
        if let Some(mut material) = like {
            paint(&mut material, import::base_color(file, index));
            material.links = Derived(None);
            if let Some(same) = self
                .materials
                .iter()
                .position(|m| m.as_ref() == Some(&material))
            {
                return position(same, "materials");
            }
            known.report.notes.push(format!(
                "the material {:?} has another colour in the file: a new material has it, and what else has the old \
                one keeps that",
                stored.name
            ));
            return self.add(material);
        }
        let mut material = Material::default();
        let noted = known.material(index, &mut material);
        let report = &mut known.report;
        let file_part = |name: &str| {
            import::plain(name)
                .rsplit(['/', '\\'])
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let picture = import::picture(file, index).map(|(image, name)| (image, file_part(&name)));
        match picture {
            Some((image, name)) => {
                // The directory includes an extension, which the picture's name may lack.
                let shown = import::stem(&name);
                let name = noted
                    .own
                    .filter(|own| {
                        noted.cycle.is_some() || import::is_same(&import::stem(own), &shown)
                    })
                    .unwrap_or(name);
                let image = import::is_same(&import::stem(&name), &shown).then_some(image);
                material.texture = Some(self.texture(&name, image, report)?);
            }
            None => paint(&mut material, import::base_color(file, index)),
        }
        if let Some(cycle) = noted.cycle.filter(|_| material.texture.is_some()) {
            let frames: Option<Vec<&String>> = cycle.textures.iter().map(Option::as_ref).collect();
            match frames.filter(|frames| !frames.is_empty()) {
                Some(names) => {
                    let frames = names
                        .into_iter()
                        .map(|name| self.texture(name, None, report))
                        .collect::<Result<Vec<Link>>>()?;
                    let (looping, speed) = (u32::from(cycle.looping), cycle.speed);
                    material.cycle = Some(Cycle {
                        looping,
                        speed,
                        frames,
                        ..Cycle::default()
                    });
                }
                None => {
                    report.lost.push(format!(
                        "the material {:?} has a cycle with a texture that was not there: it is left out",
                        stored.name
                    ));
                }
            }
        }
        // Without a texture, a material is identified by its look.
        let is_same =
            |own: &Option<Material>| own.as_ref().is_some_and(|own| own.is_like(&material));
        if let Some(same) = self
            .materials
            .iter()
            .position(is_same)
            .filter(|_| material.texture.is_none())
        {
            return position(same, "materials");
        }
        report.notes.push(match finder.renamed(index) {
            None => format!("the material {:?} is new", stored.name),
            Some(was) => {
                format!("the material {:?} is new: it was {was:?}, and another name is another material", stored.name)
            }
        });
        self.add(material)
    }

    fn add(&mut self, material: Material) -> Result<u32> {
        self.materials.push(Some(material));
        self.changed = true;
        position(self.materials.len() - 1, "materials")
    }

    /// The texture with a name, ignoring its extension; if there is none, a new one with the
    /// picture `image`.
    fn texture(&mut self, name: &str, image: Option<usize>, report: &mut Report) -> Result<Link> {
        let wanted = import::stem(name);
        let stem = |t: &Texture| import::stem(&t.name.text());
        let exact = self.textures.iter().position(|t| stem(t) == wanted);
        let known = exact.or_else(|| {
            self.textures
                .iter()
                .position(|t| import::is_same(&stem(t), &wanted))
        });
        let long = import::is_long(name);
        let short = import::stem(&import::shortened(name));
        if long
            && self
                .cut
                .iter()
                .any(|(other, cut)| *cut == short && other != name)
        {
            return Err(Error::say(format!(
                "two textures would be named {short:?}: {name:?} is one of them"
            ))
            .hint(format!(
                "give the pictures names that differ within the first {} characters",
                import::TEXTURE_NAME
            )));
        }
        let at = match known {
            Some(at) => at,
            None => {
                let called = if long {
                    import::shortened(name)
                } else {
                    name.to_owned()
                };
                self.textures.push(texture(&called)?);
                self.pictures
                    .extend(image.map(|image| (image, short.clone())));
                report.notes.push(match (long, import::TEXTURE_NAME) {
                    (false, _) => format!("the texture {name:?} is new"),
                    (true, most) => {
                        format!(
                            "the texture {name:?} is new and named {called:?}: names have at most {most} characters"
                        )
                    }
                });
                report.textures.push(short.clone());
                self.textures.len() - 1
            }
        };
        if long {
            self.cut.insert(name.to_owned(), short);
        }
        link(at, "textures")
    }

    /// Collects the pictures of new textures; unreadable ones are reported.
    fn pictures(&mut self, file: &GltfFile, beside: &Beside<'_>, report: &mut Report) {
        for (image, name) in std::mem::take(&mut self.pictures) {
            match file.image(image, beside) {
                Ok(bytes) => report.pictures.push(NewPicture { name, file: bytes }),
                Err(e) => report.lost.push(format!("the picture of {name:?}: {e}")),
            }
        }
    }

    fn settle(self, world: &mut Gamez) {
        if self.changed {
            world.materials.materials = self.materials;
            world.textures = self.textures;
            world.materials.leave_room(world.game);
        }
    }
}

/// Sets the colour of a material; white if `color` is `None`.
fn paint(material: &mut Material, color: Option<[f32; 4]>) {
    let [r, g, b, a] = color.unwrap_or([1.0; 4]);
    material.color = Defaulted::of(super::scene::shown([r, g, b]), [F32::from(255.0); 3]);
    material.alpha = Defaulted::of((a.clamp(0.0, 1.0) * 255.0).round() as u8, 255);
}

/// A new entry of the texture directory.
fn texture(name: &str) -> Result<Texture> {
    let name =
        TextureName::from_text(name).map_err(|e| e.context(format!("the texture {name:?}")))?;
    Ok(Texture {
        name,
        ..Texture::default()
    })
}
