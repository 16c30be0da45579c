//! glTF into files of the games: the way back of [`super::export`].

pub use super::gltf::import::apply::{NewPicture, Options, Report};
use super::gltf::{
    Forest, Glb, Levels,
    import::{
        self, Finder,
        file::{Beside, File},
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
    tree::Form,
    wire::{Error, F32, Reader, Result, Str, Usual},
};
use bytes::Bytes;
use std::collections::{HashMap, HashSet};

/// True for the name of a glTF file.
pub fn is_gltf(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".glb") || path.ends_with(".gltf")
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
pub fn put(model: &mut dyn FileModel, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let any: &mut dyn std::any::Any = model;
    if let Some(world) = any.downcast_mut::<Gamez>() {
        let slot = model_of(world, index);
        let slot = slot.ok_or_else(|| Error::say("this member is no model").hint("models/NAME is one: `refit list` shows them"))?;
        return put_model(world, slot, source, options);
    }
    match any.downcast_mut::<Archive>() {
        Some(archive) if archive.context().format == Format::Mechlib => return put_tree(archive, index, source, options),
        Some(archive) if archive.context().format == Format::Motion => return put_motion(archive, index, source),
        _ => {}
    }
    Err(Error::say("glTF goes into models and motions, and this member is none")
        .hint("models are in gamez.zbd, planes.zbd and mechlib.zbd, motions in motion.zbd"))
}

/// Adds what a glTF file shows to a world, below the node of this name, or of this position as `#512`: each of its objects becomes a node,
/// with a model where it has a mesh. Nothing that is there is changed, but for the boxes above.
///
/// Fails as [`put`], where no node or more than one is called so, and where the file is no world.
pub fn add(model: &mut dyn FileModel, under: &str, source: &Source<'_>, options: Options) -> Result<Report> {
    let any: &mut dyn std::any::Any = model;
    let world = any.downcast_mut::<Gamez>();
    let world = world.ok_or_else(|| Error::say("new objects go into worlds").hint("gamez.zbd and planes.zbd are worlds"))?;
    let top = find_node(world, under)?;
    let file = File::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let placed = scene::nodes(&file)?;
    if !placed.iter().any(|n| file.root.nodes.get(n.node).is_some_and(|n| n.mesh.is_some())) {
        return Err(Error::say("the file shows no mesh").hint("select what is to be exported, or show it"));
    }
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let finder = Finder::new(&file, &palette, std::iter::empty());
    let base = base(world)?;
    let mut painted = world.clone_paints();
    let mut left = Left::default();
    let mut total = Report::default();
    // Models first, so that nothing is in the world when something fails.
    let mut models: HashMap<usize, Model> = HashMap::new();
    let mut order = Vec::new();
    let mut made: HashMap<usize, u32> = HashMap::new();
    for mesh in placed.iter().filter_map(|n| file.root.nodes.get(n.node)?.mesh) {
        if models.contains_key(&mesh) {
            continue;
        }
        let triangles = scene::triangles(&file, mesh, &scene::IDENTITY, &mut left)?;
        let mut notes = Vec::new();
        let mut make = |material: usize| match made.get(&material) {
            Some(known) => Ok(*known),
            None => {
                let new = painted.make(&file, material, &mut notes)?;
                made.insert(material, new);
                Ok(new)
            }
        };
        let (mut now, report) = import::model(&base, world.game, usize::MAX - 1, &triangles, &finder, &mut make, options)?;
        follow::settle_sphere(&base, &mut now, world.game);
        total.add(&file.root.meshes.get(mesh).map(|m| m.name.clone()).unwrap_or_default(), report);
        total.notes.extend(notes);
        models.insert(mesh, now);
        order.push(mesh);
    }
    total.notes.extend(import::left_out(&file, &placed, left));
    let first = world.nodes.len();
    let at = |i: usize| i32::try_from(first + i).map_err(|_| Error::say("too many nodes"));
    let mut nodes = Vec::new();
    let where_in: HashMap<usize, usize> = placed.iter().enumerate().map(|(i, n)| (n.node, i)).collect();
    for (i, new) in placed.iter().enumerate() {
        let stored = file.root.nodes.get(new.node).cloned().unwrap_or_default();
        let name = import::plain(&stored.name).to_owned();
        let name = if name.is_empty() { format!("object{i}") } else { super::gltf::cut(&name, 35).to_owned() };
        let doc = serde_json::json!({
            "name": name, "flags": ["ACTIVE", "ALTITUDE_SURFACE", "INTERSECT_SURFACE", "SINGLE_PARENT", "ZONE_GATE"],
            "data": { "object3d": { "flags": ["ALWAYS"] } }
        });
        let mut node: Node = serde_json::from_value(doc).map_err(|e| Error::say(format!("the object {name:?}: {e}")))?;
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
                node.model = Usual(Some(Link::to(i32::try_from(*slot).map_err(|_| Error::say("too many models"))?)));
                follow::settle_model_box(&mut node, &base, model, world.game);
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
    let roots: Vec<usize> = placed.iter().enumerate().filter(|(_, n)| !children.contains(&n.node)).map(|(i, _)| first + i).collect();
    if let Some(Some(top)) = world.nodes.get_mut(top) {
        for root in &roots {
            top.children.push(Link::to(i32::try_from(*root).map_err(|_| Error::say("too many nodes"))?));
        }
    }
    follow::added(world, top, &roots, first);
    total.nodes_new = placed.len();
    Ok(total)
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

/// A model without anything in it, drawn as the first of the world that has polygons.
fn base(world: &Gamez) -> Result<Model> {
    let around = Surroundings { cycled: &[], mechlib: false, uses: 0 };
    let pieces = world.models.iter().flatten().filter_map(|piece| piece.model(world.game, &around).ok());
    let like = pieces.take(64).find(|m| !m.polygons.is_empty());
    let text = serde_json::json!({ "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 0.0 });
    let mut model: Model = serde_json::from_value(text).map_err(|e| Error::say(format!("an empty model: {e}")))?;
    if let Some(like) = like {
        (model.flags, model.recoil_flags) = (like.flags, like.recoil_flags);
    }
    // What these would say of other things: a morph, a moving texture, polygons.
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
        return Err(Error::say("the file shows no triangle").hint("select what is to be exported, or show it"));
    }
    let named = Named::of(world);
    let palette = super::worlds::paints(&world.materials, &named.textures);
    let cycled = world.materials.cycled();
    let piece = world.models.get(slot).and_then(Option::as_ref).ok_or_else(|| Error::say("the slot is free"))?;
    let uses = world.uses().get(slot).copied().unwrap_or(0);
    let before = piece.model(world.game, &Surroundings { cycled: &cycled, mechlib: false, uses })?;
    let finder = Finder::new(&file, &palette, std::iter::once(&before));
    let mut painted = world.clone_paints();
    let mut notes = Vec::new();
    let mut make = |material: usize| painted.make(&file, material, &mut notes);
    let (now, mut report) = import::model(&before, world.game, slot, &triangles, &finder, &mut make, options)?;
    report.notes.extend(notes);
    report.notes.extend(import::left_out(&file, &nodes, left));
    if report.is_unchanged() {
        return Ok(report);
    }
    painted.pictures(&file, source.beside, &mut report);
    painted.settle(world);
    world.change_model(slot, &before, now)?;
    Ok(report)
}

/// Puts an animation into the motion of its name.
fn put_motion(archive: &mut Archive, index: usize, source: &Source<'_>) -> Result<Report> {
    let context = archive.context().clone();
    let members = archive.stored();
    let (name, payload) = members.get(index).ok_or_else(|| Error::say(format!("there is no member #{index}")))?;
    let before = Typed::read(&motion::Members, name, Reader::new(payload, crate::game::Game::Mw), &context);
    let before = before.unwrap_or_else(|| Err(Error::say("this member is no motion")))?;
    let file = File::open(source.file, source.beside)?;
    let (now, changes) = import::motions::apply(&before, &name.text(), &file)?;
    let mut report = Report { curves_changed: changes.curves, parts_new: changes.parts, notes: changes.notes, ..Report::default() };
    let meshes = file.root.nodes.iter().filter(|n| n.mesh.is_some()).count();
    if meshes > 0 && now == before {
        report.notes.push("its meshes are left out: they go into mechlib.zbd".to_owned());
    }
    if now != before {
        let bytes = Typed::write(&motion::Members, &now, &context)?;
        archive.put(index, &bytes, Form::Stored)?;
    }
    Ok(report)
}

/// What an export calls the nodes of a mechlib's tree, and where it puts them.
fn called(nodes: &[Node]) -> HashMap<String, (usize, Matrix)> {
    let forest = Forest::of_tree(nodes);
    let mut out = HashMap::new();
    for levels in [Levels::Nearest, Levels::Further] {
        let mut glb = Glb::new();
        forest.plant(&forest.whole(), levels, "", &mut glb, &mut |_, _, _| None);
        for node in glb.root.nodes {
            let index = node.extras.as_ref().and_then(|e| e.get("index")?.as_u64()).and_then(|i| usize::try_from(i).ok());
            let widened = |v: [f32; 3]| v.map(f64::from);
            let place = scene::local(&import::file::Node {
                translation: node.translation.map(widened),
                rotation: node.rotation.map(|v| v.map(f64::from)),
                scale: node.scale.map(widened),
                ..Default::default()
            });
            if let Some(index) = index {
                out.entry(node.name).or_insert((index, place));
            }
        }
    }
    out
}

/// Puts a 'mech into its tree: each object into the node of its name.
fn put_tree(archive: &mut Archive, index: usize, source: &Source<'_>, options: Options) -> Result<Report> {
    let members = archive.stored();
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
    let (mut strangers, mut moved, mut taken) = (0usize, 0usize, HashSet::new());
    let finder = Finder::new(&file, &palette, nodes.iter().filter_map(|n| n.mesh.as_deref()));
    let before: Vec<Option<Model>> = nodes.iter().map(|n| n.mesh.as_deref().cloned()).collect();
    for node in &placed {
        let Some(stored) = file.root.nodes.get(node.node) else { continue };
        // By its name; else by the name without what Blender puts behind a second one.
        let known = called.get(&stored.name).or_else(|| called.get(import::plain(&stored.name)));
        let Some((at, place)) = known.filter(|(at, _)| taken.insert(*at)) else {
            strangers += usize::from(stored.mesh.is_some());
            continue;
        };
        if !animated.contains(&node.node) && scene::differs(place, &node.local, size) {
            moved += usize::from(nodes.get_mut(*at).is_some_and(|n| stand(n, place, &node.local)));
        }
        let (Some(mesh), Some(Some(old))) = (stored.mesh, before.get(*at)) else { continue };
        let triangles = scene::triangles(&file, mesh, &scene::IDENTITY, &mut left)?;
        let mut make = |material: usize| {
            let name = file.root.materials.get(material).map(|m| m.name.as_str()).unwrap_or_default();
            Err(Error::say(format!("the material {name:?} is not among those of the mechlib"))
                .hint("add it to the member `materials` first"))
        };
        let (mut now, report) = import::model(old, game, *at, &triangles, &finder, &mut make, options)?;
        total.add(&stored.name, report.clone());
        if !report.is_unchanged() {
            follow::settle_sphere(old, &mut now, game);
            if let Some(node) = nodes.get_mut(*at) {
                node.mesh = Some(Box::new(now.clone()));
            }
            follow::tree_changed(&mut nodes, *at, old, &now, game);
        }
    }
    if strangers > 0 {
        total.notes.push(format!("objects that are in no node of the tree are left out: {strangers}"));
    }
    if !animated.is_empty() {
        total.notes.push(
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
    object.translation = Usual::of(super::gltf::game_point(column(3).map(|v| v as f32)), zero);
    let turned =
        was.iter().zip(now).any(|(a, b)| a.iter().zip(b).take(3).any(|(a, b)| (a - b).abs() > 2e-6 * a.abs().max(b.abs()).max(1.0)));
    object.flags = object.flags.with(ObjectFlags::INITIAL, false);
    if !turned {
        // The rows are as they were, whatever flags say.
        let rows = object.matrix();
        object.matrix = Usual::of(rows, object.matrix_rule());
        return true;
    }
    // Columns of glTF are rows of the game.
    let rows = super::gltf::game_rows([column(0), column(1), column(2)]);
    let (angles, scale) = angles(rows);
    object.rotation = Usual::of(angles.map(F32::from), zero);
    object.scale = Usual::of(scale.map(F32::from), [F32::from(1.0); 3]);
    let stored: [F32; 9] = rows.as_flattened().first_chunk().copied().unwrap_or_default().map(|v: f64| F32::from(v as f32));
    let largest = stored.iter().fold(1.0f32, |m, v| m.max(v.get().abs()));
    object.matrix = Usual(None);
    let exact = object.matrix_rule().iter().zip(&stored).all(|(a, b)| (a.get() - b.get()).abs() <= 1e-5 * largest);
    if !exact {
        object.flags = object.flags.with(ObjectFlags::MATRIX, true);
        object.matrix = Usual(Some(stored));
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
    changed: bool,
}

impl Gamez {
    fn clone_paints(&self) -> Paints {
        Paints { materials: self.materials.materials.clone(), textures: self.textures.clone(), pictures: Vec::new(), changed: false }
    }
}

impl Paints {
    /// Makes a material of a file's.
    fn make(&mut self, file: &File, index: usize, notes: &mut Vec<String>) -> Result<u32> {
        let stored = file.root.materials.get(index).cloned().unwrap_or_default();
        let mut material = Material::default();
        let picture = import::picture(file, index).map(|(image, name)| (image, import::plain(&name).to_owned()));
        match picture {
            Some((image, name)) => {
                let wanted = import::stem(&name);
                let known = self.textures.iter().position(|t| import::stem(&t.name.text()) == wanted);
                let at = match known {
                    Some(at) => at,
                    None => {
                        self.textures.push(texture(&name)?);
                        self.pictures.push((image, wanted));
                        notes.push(format!("the texture {name:?} is new: it has to be in the texture packages, too"));
                        self.textures.len() - 1
                    }
                };
                material.texture = Some(Link::to(i32::try_from(at).map_err(|_| Error::say("too many textures"))?));
            }
            None => {
                let [r, g, b, a] = stored.pbr_metallic_roughness.base_color_factor.unwrap_or([1.0; 4]).map(|v| v as f32);
                let color = super::gltf::shown([r, g, b]);
                material.color = Usual::of(color, [F32::from(255.0); 3]);
                material.alpha = Usual::of((a.clamp(0.0, 1.0) * 255.0).round() as u8, 255);
            }
        }
        notes.push(format!("the material {:?} is new", stored.name));
        self.materials.push(Some(material));
        self.changed = true;
        u32::try_from(self.materials.len() - 1).map_err(|_| Error::say("too many materials"))
    }

    /// Hands out the pictures of new textures. One that cannot be read is told.
    fn pictures(&mut self, file: &File, beside: &Beside<'_>, report: &mut Report) {
        for (image, name) in std::mem::take(&mut self.pictures) {
            match file.image(image, beside) {
                Ok(bytes) => report.pictures.push(NewPicture { name, file: bytes }),
                Err(e) => report.notes.push(format!("the picture of {name:?}: {e}")),
            }
        }
    }

    fn settle(self, world: &mut Gamez) {
        if self.changed {
            world.materials.materials = self.materials;
            world.textures = self.textures;
        }
    }
}

/// A new entry of the texture directory.
fn texture(name: &str) -> Result<Texture> {
    serde_json::from_value(serde_json::json!({ "name": name })).map_err(|e| Error::say(format!("the texture {name:?}: {e}")))
}
