//! glTF into files of the games: the way back of [`super::export`].

mod there;

pub use super::scene::import::apply::{NewPicture, Options, Report};
use super::scene::{
    Forest, Glb, Levels,
    import::{
        self, Finder,
        file::{Beside, File},
        known::Known,
        scene::{self, Left, Matrix, Placed, Triangle},
    },
};
use crate::{
    formats::{
        Format, Members as _, Model as FileModel,
        archive::Archive,
        gamez::{
            Gamez,
            classes::ObjectFlags,
            follow,
            materials::Material,
            models::{Model, Surroundings},
            nodes::{Data, Node},
            textures::Texture,
            tree::{Named, model_of},
            types::Link,
        },
        mechlib::{self, MechlibMember, Members},
        motion,
        support::members::Typed,
    },
    par,
    tree::{Form, text},
    wire::{Defaulted, Derived, Error, F32, Reader, Result, Str, Text},
};
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap, HashSet, hash_map::Entry};

/// Meshes of a file that are worked on at a time.
const BATCH: usize = 512;

/// Characters of a node's name.
const NODE_NAME: usize = 35;

/// The first names of a list, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    let (first, more) = (names.iter().take(8).cloned().collect::<Vec<_>>().join(", "), names.len().saturating_sub(8));
    if more > 0 { format!("{first} and {more} more") } else { first }
}

/// True for the name of a glTF file.
pub fn is_gltf(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".glb") || path.ends_with(".gltf")
}

/// The member that an export calls so, without `.glb`: `arm3~2` is the second `arm3.flt` of a mechlib. Nothing where no file of an export
/// is called so; an error for those that show more than a member.
pub fn exported(model: &dyn FileModel, name: &str) -> Result<Option<usize>> {
    let any: &dyn std::any::Any = model;
    let same = |path: &str| path.trim_end_matches(".glb").eq_ignore_ascii_case(name);
    if let Some(archive) = any.downcast_ref::<Archive>().filter(|archive| archive.context().format == Format::Mechlib) {
        let files = super::mechs::files(archive.stored()?.iter().map(|(name, _)| name));
        return Ok(files.iter().position(|file| file.as_ref().is_some_and(|[_, paths @ ..]| paths.iter().any(|path| same(path)))));
    }
    let Some(world) = any.downcast_ref::<Gamez>() else { return Ok(None) };
    if super::worlds::files(world, &Forest::of_world(&world.nodes)).iter().any(|(path, ..)| same(path)) {
        return Err(Error::say(format!("{name} shows many nodes and models, and does not go back as a whole")).hint(
            "put each edited model: refit put FILE models/NAME NAME.glb; new objects: refit import NAME.glb --into FILE --under NODE; \
                   where a node stands is said by its document in a tree",
        ));
    }
    Ok(None)
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
///
/// ```
/// use refit::{tree::{Folder, Source as _}, views::{self, import}, wire::Error, work};
///
/// let bytes = bytes::Bytes::from(std::fs::read("golden/gamez/mw_base.gamez.zbd")?);
/// let mut world = work::open(&bytes, "gamez.zbd", work::Hints::default())?.model;
/// let out = Folder::new();
/// views::export(&*world, &[], &out)?;
/// // Here a program edits the model.
/// let edited = out.get("models/0000-torso_00023.glb")?;
/// let index = work::find_member(&*world, "models/0000-torso_00023")?;
/// let source = import::Source { file: &edited, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// let report = import::put(&mut *world, index, &source, import::Options::default())?;
/// assert!(report.is_unchanged() && world.write()? == bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn put(model: &mut dyn FileModel, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let any: &mut dyn std::any::Any = model;
    if let Some(world) = any.downcast_mut::<Gamez>() {
        let slot = model_of(world, index);
        let slot = slot.ok_or_else(|| Error::say("this member is no model").hint("models/NAME is one: `refit list` shows them"))?;
        return put_model(world, slot, source, options);
    }
    match any.downcast_mut::<Archive>() {
        Some(archive) if archive.context().format == Format::Mechlib => return put_tree(archive, index, source, options),
        Some(archive) if archive.context().format == Format::Motion => return put_motion(archive, index, source, options),
        _ => {}
    }
    Err(Error::say("glTF goes into models and motions, and this member is none")
        .hint("models are in gamez.zbd, planes.zbd and mechlib.zbd, motions in motion.zbd"))
}

/// Adds what a glTF file shows to a world, below the node of this name, or of this position as `#512`: each of its objects becomes a node,
/// with a model where it has a mesh. Nothing that is there is changed, but for the boxes above.
///
/// Fails as [`put`], where no node or more than one is called so, and where the file is no world.
///
/// ```
/// use refit::{views::import, wire::Error, work};
///
/// let bytes = bytes::Bytes::from(std::fs::read("golden/gamez/mw_base.gamez.zbd")?);
/// let mut world = work::open(&bytes, "gamez.zbd", work::Hints::default())?.model;
/// let file = bytes::Bytes::from(std::fs::read("roundtrip-tests/blender/none.glb")?);
/// let source = import::Source { file: &file, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// let report = import::add(&mut *world, "world1", &source, import::Options::default())?;
/// assert_eq!(report.nodes_new, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add(model: &mut dyn FileModel, under: &str, source: &Source<'_>, options: Options) -> Result<Report> {
    let any: &mut dyn std::any::Any = model;
    if any.downcast_ref::<Archive>().is_some_and(|archive| archive.context().format == Format::Mechlib) {
        return Err(Error::say("new objects go into worlds, and this is a mechlib: a 'mech takes no new parts from a file")
            .hint("join the object to a part of the 'mech and `refit put` that, or add the node to the 'mech's document in a tree"));
    }
    let world = any.downcast_mut::<Gamez>();
    let world = world.ok_or_else(|| Error::say("new objects go into worlds").hint("gamez.zbd and planes.zbd are worlds"))?;
    let top = find_node(world, under)?;
    let file = File::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let mut placed = scene::nodes(&file)?;
    let shows = |placed: &[Placed]| placed.iter().any(|n| file.root.nodes.get(n.node).is_some_and(|n| n.mesh.is_some()));
    if !shows(&placed) {
        return Err(Error::say("the file shows no mesh").hint("select what is to be exported, or show it"));
    }
    let mut total = Report::default();
    let there = there::of_world(world, &file, &placed);
    if !there.objects.is_empty() {
        let all = placed.len();
        placed.retain(|n| !there.objects.contains_key(&n.node));
        if !shows(&placed) {
            return Err(Error::say(format!("all {all} objects of the file are there already: {}", there.names())).hint(there::HINT));
        }
        total.lost.push(format!(
            "{} of {all} objects are there already, and stay as they are: {} ({})",
            there.objects.len(),
            there.names(),
            there::HINT
        ));
        if !there.moved.is_empty() {
            total.lost.push(format!("objects that are there already and have another place in the file: {}", listed(&there.moved)));
        }
    }
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let finder = Finder::new(&file, &palette, std::iter::empty());
    let (empty, usual) = (empty()?, usual(world)?);
    let mut known = Known::of(&file, world.game);
    let mut painted = world.clone_paints();
    let mut left = Left::default();
    // Models first, so that nothing is in the world when something fails.
    let mut seen = HashSet::new();
    let order: Vec<usize> = placed.iter().filter_map(|n| file.root.nodes.get(n.node)?.mesh).filter(|mesh| seen.insert(*mesh)).collect();
    let mut models: HashMap<usize, Model> = HashMap::new();
    let mut made: HashMap<Option<usize>, u32> = HashMap::new();
    let mut doubted = HashSet::new();
    // Some at a time: triangles take more room than what is made of them.
    for batch in order.chunks(BATCH) {
        let read = |mesh: &usize| {
            let mut left = Left::default();
            scene::triangles(&file, *mesh, &scene::IDENTITY, &mut left).map(|triangles| (triangles, left))
        };
        // Materials are made in the order of their use, whoever is done first.
        let mut shown = Vec::new();
        for (mesh, read) in batch.iter().zip(par::map(batch, |_, mesh| read(mesh))) {
            let (triangles, own) = read?;
            left.add(own);
            if triangles.is_empty() {
                continue;
            }
            finder.doubts(&triangles, &mut doubted, &mut total);
            for material in finder.unknown(&triangles) {
                if let Entry::Vacant(slot) = made.entry(material) {
                    slot.insert(painted.make(&mut known, &finder, material)?);
                }
            }
            shown.push((*mesh, triangles, known.model(*mesh, &usual)));
        }
        let make = |_, (mesh, triangles, base): &(usize, Vec<Triangle>, Model)| -> Result<(usize, Model, Report)> {
            let mut make = |material: Option<usize>| {
                made.get(&material).copied().ok_or_else(|| Error::say(format!("there is no material {material:?}")))
            };
            let (mut now, report) = import::model(base, world.game, usize::MAX - 1, triangles, &finder, &mut make, options)?;
            follow::settle_sphere(&empty, &mut now, world.game);
            Ok((*mesh, now, report))
        };
        for done in par::map(&shown, make) {
            let (mesh, now, report) = done?;
            total.add(&file.root.meshes.get(mesh).map(|m| m.name.clone()).unwrap_or_default(), report);
            models.insert(mesh, now);
        }
    }
    // What shows points or lines alone is an object without a model.
    let order: Vec<usize> = order.into_iter().filter(|mesh| models.contains_key(mesh)).collect();
    if order.is_empty() {
        return Err(no_triangle());
    }
    let first = world.nodes.len();
    let at = |i: usize| i32::try_from(first + i).map_err(|_| Error::say("too many nodes"));
    let mut nodes = Vec::new();
    let mut names = ObjectNames::of(placed.iter().filter_map(|n| file.root.nodes.get(n.node)).map(|n| import::plain(&n.name)));
    let where_in: HashMap<usize, usize> = placed.iter().enumerate().map(|(i, n)| (n.node, i)).collect();
    let nothing = import::file::Node::default();
    for (i, new) in placed.iter().enumerate() {
        let stored = file.root.nodes.get(new.node).unwrap_or(&nothing);
        let name = names.name(import::plain(&stored.name), i);
        let mut node = known.node(stored, &name)?;
        if scene::is_identity(&new.local) {
            if let Data::Object3d(object) = &mut node.data {
                object.flags = object.flags.with(ObjectFlags::INITIAL, true);
            }
        } else {
            stand(&mut node, &scene::IDENTITY, &new.local);
        }
        node.children = stored.children.iter().filter_map(|c| where_in.get(c)).map(|c| at(*c).map(Link::to)).collect::<Result<_>>()?;
        nodes.push((node, stored.mesh));
    }
    total.take(known.report);
    total.notes.extend(names.notes());
    total.notes.extend(import::left_out(&file, &placed, left));
    painted.pictures(&file, source.beside, &mut total);
    painted.settle(world);
    let before = (world.models.len(), world.nodes.len());
    let put = |world: &mut Gamez| -> Result<()> {
        let slots: HashMap<usize, usize> = order.iter().enumerate().map(|(i, mesh)| (*mesh, before.0 + i)).collect();
        world.models.resize_with(before.0 + order.len(), || None);
        for (mut node, mesh) in nodes {
            if let Some(mesh) = mesh
                && let (Some(slot), Some(model)) = (slots.get(&mesh), models.get(&mesh))
            {
                node.model = Defaulted(Some(Link::to(i32::try_from(*slot).map_err(|_| Error::say("too many models"))?)));
                follow::settle_model_box(&mut node, &empty, model, world.game);
            }
            world.nodes.push(Some(node));
        }
        // How often each is used is known only now.
        world.set_models(order.iter().filter_map(|mesh| Some((*slots.get(mesh)?, models.get(mesh)?))))?;
        Ok(())
    };
    if let Err(e) = put(world) {
        world.models.truncate(before.0);
        world.nodes.truncate(before.1);
        return Err(e);
    }
    let children: HashSet<usize> = placed.iter().flat_map(|n| file.root.nodes.get(n.node)).flat_map(|n| &n.children).copied().collect();
    // What hangs on an object that is there already hangs on that.
    let mut tops: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, root) in placed.iter().enumerate().filter(|(_, n)| !children.contains(&n.node)) {
        tops.entry(there.parents.get(&root.node).copied().unwrap_or(top)).or_default().push(first + i);
    }
    for (top, roots) in tops {
        if let Some(Some(top)) = world.nodes.get_mut(top) {
            for root in &roots {
                top.children.push(Link::to(i32::try_from(*root).map_err(|_| Error::say("too many nodes"))?));
            }
        }
        follow::added(world, top, &roots, first);
    }
    world.settle_arrays();
    total.nodes_new = placed.len();
    Ok(total)
}

fn no_triangle() -> Error {
    Error::say("the file shows no triangle").hint("select what is to be exported, or show it")
}

/// The names of new objects: such as a node can have, and those of different objects differ.
struct ObjectNames {
    /// The name in the file, by the name that was made of it.
    made: HashMap<String, String>,
    cut: Vec<String>,
}

impl ObjectNames {
    /// For objects that their file calls so.
    fn of<'n>(stored: impl Iterator<Item = &'n str>) -> Self {
        let whole = stored.filter(|name| name.len() <= NODE_NAME);
        ObjectNames { made: whole.map(|name| (name.to_owned(), name.to_owned())).collect(), cut: Vec::new() }
    }

    /// The name of the object `i`, which its file calls so. Names may repeat: objects of one name keep one.
    fn name(&mut self, stored: &str, i: usize) -> String {
        if stored.is_empty() {
            return format!("object{i}");
        }
        if stored.len() <= NODE_NAME {
            return stored.to_owned();
        }
        let ends = std::iter::once(String::new()).chain((2u32..).map(|n| format!("~{n}")));
        let mut names = ends.map(|end| format!("{}{end}", super::scene::cut(stored, NODE_NAME - end.len())));
        let name = names.find(|name| self.made.get(name).is_none_or(|other| other == stored)).unwrap_or_default();
        if self.made.insert(name.clone(), stored.to_owned()).is_none() {
            self.cut.push(format!("the object {stored:?} is called {name:?}: names have at most {NODE_NAME} characters"));
        }
        name
    }

    fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let more = self.cut.len().saturating_sub(8);
        self.cut.iter().take(8).cloned().chain((more > 0).then(|| format!("names of so many more objects are cut: {more}")))
    }
}

/// The node that is meant.
fn find_node(world: &Gamez, under: &str) -> Result<usize> {
    if let Some(index) = under.strip_prefix('#').and_then(|digits| digits.parse::<usize>().ok()) {
        let there = world.nodes.get(index).is_some_and(Option::is_some);
        return if there { Ok(index) } else { Err(Error::say(format!("there is no node {under}"))) };
    }
    let found: Vec<usize> = world
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, n)| n.as_ref().is_some_and(|n| n.title().eq_ignore_ascii_case(under)))
        .map(|(i, _)| i)
        .collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Error::say(format!("no node is called {under:?}")).hint("`refit list` and the documents in nodes/ show the names")),
        [first, ..] => {
            Err(Error::say(format!("{under:?} is the name of {} nodes", found.len())).hint(format!("say which one, as '#{first}'")))
        }
    }
}

/// A model without anything in it.
fn empty() -> Result<Model> {
    let value = serde_json::json!({ "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 0.0 });
    text::from_value(&value).map_err(|e| Error::say(format!("an empty model: {e}")))
}

/// A model without anything in it, drawn as the first of the world that has polygons.
fn usual(world: &Gamez) -> Result<Model> {
    let around = Surroundings { cycled: &[], mechlib: false, uses: 0 };
    let models = world.models.iter().flatten().filter_map(|stored| stored.model(world.game, &around).ok());
    let like = models.take(64).find(|m| !m.polygons.is_empty());
    let mut model = empty()?;
    if let Some(like) = like {
        model.draw_as(&like);
    }
    model.say_polygons(world.game, false);
    Ok(model)
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
        return Err(no_triangle());
    }
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let cycled = world.materials.cycled();
    let piece = world.models.get(slot).and_then(Option::as_ref).ok_or_else(|| Error::say("the slot is free"))?;
    let uses = world.uses().get(slot).copied().unwrap_or(0);
    let before = piece.model(world.game, &Surroundings { cycled: &cycled, mechlib: false, uses })?;
    let finder = Finder::new(&file, &palette, std::iter::once(&before));
    let mut painted = world.clone_paints();
    let mut known = Known::of(&file, world.game);
    let mut make = |material: Option<usize>| painted.make(&mut known, &finder, material);
    let (now, mut report) = import::model(&before, world.game, slot, &triangles, &finder, &mut make, options)?;
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

/// Takes the animations of a glTF file into an archive of motions: each into the motion that is called so, or, where there is none, as a new
/// one behind all others. The archive is `motion.zbd`; motions are called `MECH_MOTION`.
///
/// Fails where the file has no animation, on those without a name, and as [`put`]. Nothing is changed then.
///
/// ```
/// use refit::{views::import, wire::Error, work};
///
/// let bytes = bytes::Bytes::from(std::fs::read("golden/motion/pm_typical_motion.zbd")?);
/// let mut archive = work::open(&bytes, "motion.zbd", work::Hints::default())?.model;
/// let file = bytes::Bytes::from(std::fs::read("roundtrip-tests/blender/motion.glb")?);
/// let source = import::Source { file: &file, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// // Its animation is called as a motion that is there, and says nothing new; under another name it is a new motion.
/// assert!(import::motions(&mut *archive, &source, import::Options::default())?.is_unchanged());
/// assert_eq!(import::add_motion(&mut *archive, "madcat_limp", &source, import::Options::default())?.motions_new, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn motions(model: &mut dyn FileModel, source: &Source<'_>, options: Options) -> Result<Report> {
    let archive = motion_archive(model)?;
    let file = File::open(source.file, source.beside)?;
    let members = archive.stored()?;
    let at = |wanted: &str| members.iter().position(|(name, _)| name.text().eq_ignore_ascii_case(wanted));
    let names = import::motions::names(&file, |name| at(name).is_some())?;
    if names.is_empty() {
        return Err(Error::say("it has no animation").hint("in Blender, export with Animation switched on"));
    }
    take_motions(archive, &members, names.into_iter().enumerate().map(|(i, name)| (i, at(&name), name)), &file, options)
}

/// Adds the animation of this name as a new motion of an archive, behind all others. A file's only animation need not be called so.
///
/// Fails where a motion is called so already, and as [`motions`].
pub fn add_motion(model: &mut dyn FileModel, name: &str, source: &Source<'_>, options: Options) -> Result<Report> {
    let archive = motion_archive(model)?;
    let file = File::open(source.file, source.beside)?;
    let members = archive.stored()?;
    if members.iter().any(|(own, _)| own.text().eq_ignore_ascii_case(name)) {
        return Err(Error::say(format!("a motion is called {name:?} already")));
    }
    let animation = import::motions::pick(&file, name)?;
    take_motions(archive, &members, std::iter::once((animation, None, name.to_owned())), &file, options)
}

/// True for an archive of motions.
pub fn takes_motions(model: &dyn FileModel) -> bool {
    let any: &dyn std::any::Any = model;
    any.downcast_ref::<Archive>().is_some_and(|archive| archive.context().format == Format::Motion)
}

fn motion_archive(model: &mut dyn FileModel) -> Result<&mut Archive> {
    let any: &mut dyn std::any::Any = model;
    let archive = any.downcast_mut::<Archive>().filter(|archive| archive.context().format == Format::Motion);
    archive.ok_or_else(|| Error::say("animations go into an archive of motions").hint("motion.zbd is one"))
}

fn read_motion(archive: &Archive, (name, payload): &(Str, Bytes)) -> Result<motion::Motion> {
    let read = Typed::read(&motion::Members, name, Reader::new(payload, crate::game::Game::Mw), archive.context());
    read.unwrap_or_else(|| Err(Error::say("this member is no motion")))
}

/// Takes animations of a file, each into the member at a position or as a new one of a name; all of them or none.
fn take_motions(
    archive: &mut Archive,
    members: &[(Str, Bytes)],
    wanted: impl Iterator<Item = (usize, Option<usize>, String)>,
    file: &File,
    options: Options,
) -> Result<Report> {
    let mut total = Report::default();
    let mut done: Vec<(Option<usize>, String, Vec<u8>)> = Vec::new();
    // Frames a second are asked for only where keys tell none: all of the archive is read then.
    let rates = std::cell::OnceCell::new();
    let usual = || {
        *rates.get_or_init(|| {
            let mut all: Vec<f64> =
                members.iter().filter_map(|member| import::motions::rate(&read_motion(archive, member).ok()?)).collect();
            all.sort_unstable_by(f64::total_cmp);
            all.get(all.len() / 2).copied()
        })
    };
    for (animation, at, name) in wanted {
        let place = |e: Error| e.within(name.clone());
        let (now, report) = match at.and_then(|at| members.get(at)) {
            Some(member) => {
                let before = read_motion(archive, member).map_err(place)?;
                let (mut now, changes) = import::motions::apply(&before, animation, file).map_err(place)?;
                let import::motions::Changes { curves, parts, mut notes, lost } = changes;
                if now != before {
                    import::motions::end(&mut now, Some(&before), options.close_motions, &mut notes);
                }
                let report = Report { curves_changed: curves, parts_new: parts, notes, lost, ..Report::default() };
                ((now != before).then_some(now), report)
            }
            None => {
                // What cannot be written is told before anything is changed.
                Text::<64>::try_from(name.as_str()).map_err(place)?;
                let sibling = members.iter().rev().max_by_key(|(other, _)| shared(&other.text(), &name));
                let sibling = sibling.filter(|(other, _)| shared(&other.text(), &name) > 0);
                let sibling = sibling.and_then(|member| read_motion(archive, member).ok());
                let rate = sibling.as_ref().and_then(import::motions::rate);
                let like = import::motions::Like { sibling: sibling.as_ref(), rate: &|| rate.or_else(usual) };
                let (mut now, import::motions::Changes { mut notes, lost, .. }) =
                    import::motions::make(&like, animation, file).map_err(place)?;
                import::motions::end(&mut now, None, options.close_motions, &mut notes);
                (Some(now), Report { motions_new: 1, notes, lost, ..Report::default() })
            }
        };
        total.add(&name, report);
        if let Some(now) = now {
            done.push((at, name, Typed::write(&motion::Members, &now, archive.context())?));
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

/// How many of the words between `_` two names begin with alike; the last word of each is the motion's own.
fn shared(a: &str, b: &str) -> usize {
    let words = |name: &str| name.rsplit_once('_').map(|(mech, _)| mech.to_lowercase()).unwrap_or_default();
    let (a, b) = (words(a), words(b));
    a.split('_').zip(b.split('_')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// Puts an animation into the motion of its name.
fn put_motion(archive: &mut Archive, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let members = archive.stored()?;
    let (name, _) = members.get(index).ok_or_else(|| Error::say(format!("there is no member #{index}")))?;
    let file = File::open(source.file, source.beside)?;
    let name = name.text().into_owned();
    let animation = import::motions::pick(&file, &name)?;
    let mut report = take_motions(archive, &members, std::iter::once((animation, Some(index), name)), &file, options)?;
    let meshes = file.root.nodes.iter().filter(|n| n.mesh.is_some()).count();
    if meshes > 0 && report.is_unchanged() {
        report.notes.push("its meshes are left out: they go into mechlib.zbd".to_owned());
    }
    Ok(report)
}

/// How an export shows the nodes of a mechlib's tree.
struct Called {
    /// What it calls each, and where it puts it.
    nodes: HashMap<String, (usize, Matrix)>,
    /// What it calls their meshes.
    meshes: HashMap<String, usize>,
    /// Where it puts each.
    places: HashMap<usize, Matrix>,
    /// Those with a mesh among the nearest levels of detail.
    near: HashSet<usize>,
}

fn called(nodes: &[Node]) -> Called {
    let forest = Forest::of_tree(nodes);
    let (mut meshes, mut near) = (HashMap::new(), HashSet::new());
    let (mut out, mut places) = (HashMap::new(), HashMap::new());
    for levels in [Levels::Nearest, Levels::Further] {
        let mut glb = Glb::new();
        forest.plant(&forest.whole(), levels, "", &mut glb, &mut |i, node, glb| {
            if node.mesh.as_ref().is_some_and(|mesh| !mesh.polygons.is_empty()) {
                meshes.entry(glb.mesh_names.unique(&node.title(), i)).or_insert(i);
                if levels == Levels::Nearest {
                    near.insert(i);
                }
            }
            None
        });
        for (name, index, place) in there::exported(glb) {
            out.entry(name).or_insert((index, place));
            places.entry(index).or_insert(place);
        }
    }
    Called { nodes: out, meshes, places, near }
}

impl Called {
    /// Which node of the tree each object of a file is, by the object's position: by its name, else by the name without what Blender puts
    /// behind a second one, else by what the export noted on it, else by the name of its mesh, which a program leaves when the object is
    /// named anew. Each node is one object's; a name goes before anything else, since copies have all the rest.
    fn partners(&self, file: &File, placed: &[Placed]) -> HashMap<usize, usize> {
        let mut out: HashMap<usize, usize> = HashMap::new();
        let mut taken = HashSet::new();
        let noted = |node: &import::file::Node| {
            let index = usize::try_from(node.extras.as_ref()?.get("index")?.as_u64()?).ok()?;
            self.places.contains_key(&index).then_some(index)
        };
        let of_mesh = |node: &import::file::Node| {
            let name = &file.root.meshes.get(node.mesh?)?.name;
            self.meshes.get(name).or_else(|| self.meshes.get(import::plain(name))).copied()
        };
        type Way<'a> = &'a dyn Fn(&import::file::Node) -> Option<usize>;
        let ways: [Way<'_>; 4] = [
            &|node| self.nodes.get(&node.name).map(|(at, _)| *at),
            &|node| self.nodes.get(import::plain(&node.name)).map(|(at, _)| *at),
            &noted,
            &of_mesh,
        ];
        for way in ways {
            for object in placed.iter().map(|p| p.node) {
                let Some(node) = file.root.nodes.get(object).filter(|_| !out.contains_key(&object)) else { continue };
                if let Some(at) = way(node).filter(|at| taken.insert(*at)) {
                    out.insert(object, at);
                }
            }
        }
        out
    }
}

/// Puts a 'mech into its tree: each object into the node of its name.
fn put_tree(archive: &mut Archive, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let members = archive.stored()?;
    let context = archive.context().clone();
    let game = mechlib::game(&context);
    let read = |(name, payload): &(Str, Bytes)| Typed::read(&Members, name, Reader::new(payload, game), &context).transpose();
    let member = members.get(index).ok_or_else(|| Error::say(format!("there is no member #{index}")))?;
    let (mut nodes, rest) = match read(member)? {
        Some(MechlibMember::Nodes(nodes)) => (nodes, None),
        Some(MechlibMember::PaddedNodes(nodes, rest)) => (nodes, Some(rest)),
        _ => return Err(Error::say("this member is no tree of nodes").hint("`NAME.flt` is one: `refit list` shows them")),
    };
    let materials = match members.iter().find(|(name, _)| name.0 == b"materials").map(read).transpose()?.flatten() {
        Some(MechlibMember::Materials(list) | MechlibMember::PaddedMaterials(list, _)) => list,
        _ => Vec::new(),
    };
    let palette = super::mechs::palette(&materials);
    let file = File::open(source.file, source.beside)?;
    let placed = scene::nodes(&file)?;
    let called = called(&nodes);
    let animated: HashSet<usize> = file.root.animations.iter().flat_map(|a| &a.channels).filter_map(|c| c.target.node).collect();
    let size = placed.iter().flat_map(|n| n.world.iter().map(|row| row[3].abs())).fold(1.0, f64::max);
    let mut left = Left::default();
    let mut total = Report::default();
    let partners = called.partners(&file, &placed);
    let (mut strangers, mut moved, mut renamed) = (Vec::new(), 0usize, Vec::new());
    let mut doubted = HashSet::new();
    let finder = Finder::new(&file, &palette, nodes.iter().filter_map(|n| n.mesh.as_deref()));
    let before: Vec<Option<Model>> = nodes.iter().map(|n| n.mesh.as_deref().cloned()).collect();
    for node in &placed {
        let Some(stored) = file.root.nodes.get(node.node) else { continue };
        let Some((at, place)) = partners.get(&node.node).and_then(|at| Some((at, called.places.get(at)?))) else {
            if stored.mesh.is_some() {
                strangers.push(format!("{:?}", stored.name));
            }
            continue;
        };
        if !called.nodes.contains_key(&stored.name) && !called.nodes.contains_key(import::plain(&stored.name)) {
            let own = nodes.get(*at).map(|n| n.title()).unwrap_or_default();
            renamed.push(format!("{:?} is {own:?}", stored.name));
        }
        if !animated.contains(&node.node) && scene::differs(place, &node.local, size) {
            let was = nodes.get(*at).and_then(follow::reach);
            if nodes.get_mut(*at).is_some_and(|n| stand(n, place, &node.local)) {
                follow::tree_moved(&mut nodes, *at, was);
                moved += 1;
            }
        }
        let (Some(mesh), Some(Some(old))) = (stored.mesh, before.get(*at)) else { continue };
        let triangles = scene::triangles(&file, mesh, &scene::IDENTITY, &mut left)?;
        let mut make = |material: Option<usize>| {
            let Some(material) = material else {
                let plain = (0u32..).zip(&materials).find(|(_, m)| **m == Material::default());
                return plain.map(|(i, _)| i).ok_or_else(|| {
                    Error::say("new polygons have no material, and the mechlib has no plain white one")
                        .hint("give them one of its materials: a new part's slots are empty at first")
                });
            };
            let name = file.root.materials.get(material).map(|m| m.name.as_str()).unwrap_or_default();
            if finder.recoloured(material).is_some() {
                return Err(Error::say(format!("the material {name:?} has another colour in the file"))
                    .hint("the colour of a 'mech's material is in the member `materials`: change it there (refit get, refit put)"));
            }
            Err(Error::say(format!("the material {name:?} is not among those of the mechlib"))
                .hint("add it to the member `materials` first"))
        };
        let (mut now, report) = import::model(old, game, *at, &triangles, &finder, &mut make, options)?;
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
    if !strangers.is_empty() {
        total.lost.push(format!(
            "new objects, which a 'mech does not take, are left out: {} (join them to a part, or add nodes to its document in a tree)",
            listed(&strangers)
        ));
    }
    if !renamed.is_empty() {
        total
            .notes
            .push(format!("objects under another name, whose nodes keep theirs, by which others refer to them: {}", listed(&renamed)));
    }
    // A program drops what has no area, and with it an object's mesh: only objects that are gone altogether were deleted.
    let found: HashSet<usize> = partners.values().copied().collect();
    let mut absent: Vec<usize> = called.near.difference(&found).copied().collect();
    absent.sort_unstable();
    // The file of the further levels of detail has none of the nearest.
    if !absent.is_empty() && absent.len() < called.near.len() {
        let names: Vec<String> = absent.iter().filter_map(|i| nodes.get(*i)).map(|n| format!("{:?}", n.title())).collect();
        total.lost.push(format!("parts whose objects are not in the file stay as they are: {}", listed(&names)));
    }
    if !animated.is_empty() {
        total.lost.push(
            "its animations are left out, and what they move stays where it was: they go into motion.zbd (refit put motion.zbd NAME FILE)"
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
        let bytes = Typed::write(&Members, &doc, &context)?;
        archive.put(index, &bytes, Form::Stored)?;
    }
    Ok(total)
}

/// Puts an object where a program put it. Tells whether it is an object, and can be put.
fn stand(node: &mut Node, was: &Matrix, now: &Matrix) -> bool {
    let Data::Object3d(object) = &mut node.data else { return false };
    let zero = [F32::from(0.0); 3];
    let column = |c: usize| now.map(|row| row.get(c).copied().unwrap_or_default());
    object.translation = Defaulted::of(super::scene::game_point(column(3).map(|v| v as f32)), zero);
    let turned =
        was.iter().zip(now).any(|(a, b)| a.iter().zip(b).take(3).any(|(a, b)| (a - b).abs() > 2e-6 * a.abs().max(b.abs()).max(1.0)));
    object.flags = object.flags.with(ObjectFlags::INITIAL, false);
    if !turned {
        // The rows are as they were, whatever flags say.
        let rows = object.matrix();
        object.matrix = Defaulted::of(rows, object.matrix_rule());
        return true;
    }
    // Columns of glTF are rows of the game.
    let rows = super::scene::game_rows([column(0), column(1), column(2)]);
    let (angles, scale) = angles(rows);
    // Angles that only lost their last bits on the way are what they were.
    let old = object.rotation.or(zero);
    let near = |new: f32, was: F32| if (new - was.get()).abs() <= 1e-6 { was } else { F32::from(new) };
    let [x, y, z] = angles;
    object.rotation = Defaulted::of([near(x, old[0]), near(y, old[1]), near(z, old[2])], zero);
    object.scale = Defaulted::of(scale.map(F32::from), [F32::from(1.0); 3]);
    object.flags = object.flags.with(ObjectFlags::MATRIX, false);
    let stored: [F32; 9] = rows.as_flattened().first_chunk().copied().unwrap_or_default().map(|v: f64| F32::from(v as f32));
    let largest = stored.iter().fold(1.0f32, |m, v| m.max(v.get().abs()));
    object.matrix = Defaulted(None);
    let exact = object.matrix_rule().iter().zip(&stored).all(|(a, b)| (a.get() - b.get()).abs() <= 1e-5 * largest);
    if !exact {
        // Sheared or mirrored: angles and a scale do not say it, and are those of no turn beside a matrix (FORMAT.md).
        (object.rotation, object.scale) = (Defaulted(None), Defaulted(None));
        object.flags = object.flags.with(ObjectFlags::MATRIX, true);
        object.matrix = Defaulted::of(stored, object.matrix_rule());
    }
    true
}

/// Angles about x, y, z and the scale that give three rows, where they can (src/formats/gamez/FORMAT.md).
fn angles(rows: [[f64; 3]; 3]) -> ([f32; 3], [f32; 3]) {
    let length = rows.map(|r| r.iter().map(|v| v * v).sum::<f64>().sqrt());
    let [x, y, z] = rows;
    let [lx, ly, lz] = length.map(|l| if l > 0.0 { l } else { 1.0 });
    let sx = (-z[1] / lz).clamp(-1.0, 1.0);
    let cx = (1.0 - sx * sx).sqrt();
    let near = |v: f64| if (v - 1.0).abs() < 1e-6 { 1.0 } else { v as f32 };
    let (ry, rz) =
        if cx > 1e-6 { ((z[0] / lz).atan2(z[2] / lz), (x[1] / lx).atan2(y[1] / ly)) } else { ((-x[2] / lx * 1.0).atan2(x[0] / lx), 0.0) };
    ([sx.asin() as f32, ry as f32, rz as f32], length.map(near))
}

/// The materials and textures of a world, to which new ones are added.
struct Paints {
    materials: Vec<Option<Material>>,
    textures: Vec<Texture>,
    /// The images of the file that new textures show, and what packages call them.
    pictures: Vec<(usize, String)>,
    /// Long names of new textures, and what they were cut to.
    cut: HashMap<String, String>,
    changed: bool,
}

impl Gamez {
    fn clone_paints(&self) -> Paints {
        Paints {
            materials: self.materials.materials.clone(),
            textures: self.textures.clone(),
            pictures: Vec::new(),
            cut: HashMap::new(),
            changed: false,
        }
    }
}

impl Paints {
    /// Makes a material of a file's; without one the plain white one, which is made where the world has none.
    fn make(&mut self, known: &mut Known<'_>, finder: &Finder<'_>, index: Option<usize>) -> Result<u32> {
        let file = known.file;
        let Some(index) = index else {
            let plain = Material::default();
            if let Some(at) = self.materials.iter().position(|m| m.as_ref() == Some(&plain)) {
                return u32::try_from(at).map_err(|_| Error::say("too many materials"));
            }
            known.report.notes.push("a plain white material is new".to_owned());
            return self.add(plain);
        };
        let stored = file.root.materials.get(index).cloned().unwrap_or_default();
        let number = |at: usize| u32::try_from(at).map_err(|_| Error::say("too many materials"));
        let like = finder.recoloured(index).and_then(|i| self.materials.get(usize::try_from(i).ok()?)?.clone());
        if let Some(mut material) = like {
            paint(&mut material, import::base_color(file, index));
            material.links = Derived(None);
            if let Some(same) = self.materials.iter().position(|m| m.as_ref() == Some(&material)) {
                return number(same);
            }
            known.report.notes.push(format!(
                "the material {:?} has another colour in the file: a new material has it, and what else has the old one keeps that",
                stored.name
            ));
            return self.add(material);
        }
        let mut material = Material::default();
        let said = known.material(index, &mut material);
        let report = &mut known.report;
        let file_part = |name: &str| import::plain(name).rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let picture = import::picture(file, index).map(|(image, name)| (image, file_part(&name)));
        match picture {
            Some((image, name)) => {
                // The directory says a suffix that pictures need not have.
                let shown = import::stem(&name);
                let name = said.own.filter(|own| said.cycle.is_some() || import::is_same(&import::stem(own), &shown)).unwrap_or(name);
                let image = import::is_same(&import::stem(&name), &shown).then_some(image);
                material.texture = Some(self.texture(&name, image, report)?);
            }
            None => paint(&mut material, import::base_color(file, index)),
        }
        if let Some(cycle) = said.cycle.filter(|_| material.texture.is_some()) {
            let frames: Option<Vec<&String>> = cycle.textures.iter().map(Option::as_ref).collect();
            match frames.filter(|frames| !frames.is_empty()) {
                Some(names) => {
                    let frames = names.into_iter().map(|name| self.texture(name, None, report)).collect::<Result<Vec<Link>>>()?;
                    let doc = serde_json::json!({ "looping": u32::from(cycle.looping), "speed": cycle.speed, "frames": frames });
                    let cycle = text::from_value(&doc).map_err(|e| e.context(format!("the cycle of {:?}", stored.name)))?;
                    material.cycle = Some(cycle);
                }
                None => {
                    report
                        .lost
                        .push(format!("the material {:?} has a cycle with a texture that was not there: it is left out", stored.name));
                }
            }
        }
        report.notes.push(match finder.renamed(index) {
            None => format!("the material {:?} is new", stored.name),
            Some(was) => format!("the material {:?} is new: it was {was:?}, and another name is another material", stored.name),
        });
        self.add(material)
    }

    fn add(&mut self, material: Material) -> Result<u32> {
        self.materials.push(Some(material));
        self.changed = true;
        u32::try_from(self.materials.len() - 1).map_err(|_| Error::say("too many materials"))
    }

    /// The texture of a name, whatever its suffix; a new one where there is none, which shows this image of the file.
    fn texture(&mut self, name: &str, image: Option<usize>, report: &mut Report) -> Result<Link> {
        let wanted = import::stem(name);
        let stem = |t: &Texture| import::stem(&t.name.text());
        let exact = self.textures.iter().position(|t| stem(t) == wanted);
        let known = exact.or_else(|| self.textures.iter().position(|t| import::is_same(&stem(t), &wanted)));
        let long = import::is_long(name);
        let short = import::stem(&import::shortened(name));
        if long && self.cut.iter().any(|(other, cut)| *cut == short && other != name) {
            return Err(Error::say(format!("two textures would be called {short:?}: {name:?} is one of them"))
                .hint(format!("give the pictures names that differ within the first {} characters", import::TEXTURE_NAME)));
        }
        let at = match known {
            Some(at) => at,
            None => {
                let called = if long { import::shortened(name) } else { name.to_owned() };
                self.textures.push(texture(&called)?);
                self.pictures.extend(image.map(|image| (image, short.clone())));
                report.notes.push(match long {
                    false => format!("the texture {name:?} is new"),
                    true => {
                        format!("the texture {name:?} is new and called {called:?}: names have at most {} characters", import::TEXTURE_NAME)
                    }
                });
                report.textures.push(short.clone());
                self.textures.len() - 1
            }
        };
        if long {
            self.cut.insert(name.to_owned(), short);
        }
        Ok(Link::to(i32::try_from(at).map_err(|_| Error::say("too many textures"))?))
    }

    /// Hands out the pictures of new textures. One that cannot be read is told.
    fn pictures(&mut self, file: &File, beside: &Beside<'_>, report: &mut Report) {
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

/// Gives a material a colour; white where none is said.
fn paint(material: &mut Material, color: Option<[f32; 4]>) {
    let [r, g, b, a] = color.unwrap_or([1.0; 4]);
    material.color = Defaulted::of(super::scene::shown([r, g, b]), [F32::from(255.0); 3]);
    material.alpha = Defaulted::of((a.clamp(0.0, 1.0) * 255.0).round() as u8, 255);
}

/// A new entry of the texture directory.
fn texture(name: &str) -> Result<Texture> {
    text::from_value(&serde_json::json!({ "name": name })).map_err(|e| e.context(format!("the texture {name:?}")))
}
