//! A world or a 'mech as one packed scene, which `refit view` draws: vertices of all shapes in one
//! pool, and tables of nodes and materials (`src/view/PROTOCOL.md`).
//!
//! A glTF loader makes an object of every node; a world has tens of thousands. The shapes, the
//! order of the triangles and the trees are those of the glTF export (`scene`).

use super::scene::{Forest, Look, Shape, shape_by_priority, shown};
use refit_base::{
    Sum, Summing,
    format::Format,
    par,
    wire::{Error, F32, Result, fit},
};
use refit_files::file::File;
use refit_zipper::{
    gamez::{
        Gamez,
        classes::{self, Light, LightFlags, ONE, ZERO},
        materials::Material,
        models::{FacadeMode, Model, ModelFlags, ModelType, RecoilModelFlags, Surroundings},
        nodes::{Data, Node},
        tree::{Named, documents, model_stem},
        world::World,
    },
    mechlib::MechlibMember,
};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Maximum number of nodes in a scene per node of the file, in total: a node appears below each of
/// its parents.
const COPIES: usize = 4;

/// The data of shapes.
const SHAPES: [&str; 5] = ["position", "normal", "uv", "color", "index"];

/// Maximum number of notes, and of lights.
const NOTES: usize = 100;
const LIGHTS: usize = 1000;

/// True for a file that [`scene`] can show.
pub fn has_scene(file: &File) -> bool {
    match file {
        File::World(_) => true,
        File::Archive(archive) => archive.context.format == Format::Mechlib,
        _ => false,
    }
}

/// What a scene contains.
#[derive(Clone, Copy, Default)]
pub struct Extent<'a> {
    /// The model at this position alone, or the 'mech that is this member.
    pub only: Option<usize>,
    /// The sum of the shapes that the reader of the scene has: if the world still has these, the
    /// scene has its nodes alone. An edit of objects changes no shape.
    pub known_shapes: Option<&'a str>,
}

/// The scene of a world, of planes, or of a mechlib.
pub fn scene(file: &File, name: &str, extent: Extent<'_>) -> Result<Vec<u8>> {
    let only = extent.only;
    let mut scene = Scene::default();
    match file {
        File::World(world) => scene.world(world, extent)?,
        File::Archive(archive) if archive.context.format == Format::Mechlib => {
            let members = archive.stored()?;
            let context = &archive.context;
            scene.game = context.game.map(refit_base::game::Game::code);
            for (i, material) in super::mechs::materials(&members, context)?
                .iter()
                .enumerate()
            {
                scene.paint(i, Some(material), &|_, _| None);
            }
            for (i, member) in members
                .iter()
                .enumerate()
                .filter(|(i, _)| only.is_none_or(|only| only == *i))
            {
                let read =
                    super::mechs::read(member, context).map_err(|e| e.within(member.0.text()))?;
                if let Some(MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _)) =
                    read
                {
                    scene.mech(i, &member.0.text(), &nodes);
                }
            }
        }
        _ => return Err(Error::say("nothing in this file has a shape")),
    }
    scene.finish(name)
}

/// The nodes of a scene, in its order.
pub struct SceneNodes {
    /// Rows of the node table, eight numbers each.
    pub node: Vec<i32>,
    /// Rows of three numbers of each transform, then its translation.
    pub matrix: Vec<f32>,
    /// Angles and factors of each transform.
    pub pose: Vec<f32>,
    /// The names that rows refer to.
    pub names: Vec<String>,
    /// The names of the kinds that rows refer to.
    pub kinds: Vec<&'static str>,
}

/// The nodes of [`scene`], without shapes.
pub fn nodes(file: &File) -> Result<SceneNodes> {
    let mut scene = Scene::default();
    match file {
        File::World(world) => scene.plant(&Forest::of_world(&world.nodes), &mut |_, _, _| None),
        File::Archive(archive) if archive.context.format == Format::Mechlib => {
            for member in archive.stored()? {
                let read = super::mechs::read(&member, &archive.context)
                    .map_err(|e| e.within(member.0.text()))?;
                if let Some(MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _)) =
                    read
                {
                    scene.plant(&Forest::of_tree(&nodes), &mut |_, _, _| None);
                }
            }
        }
        _ => return Err(Error::say("nothing in this file has a place")),
    }
    let Scene {
        node,
        matrix,
        pose,
        names,
        kinds,
        ..
    } = scene;
    Ok(SceneNodes {
        node,
        matrix,
        pose,
        names,
        kinds,
    })
}

/// A scene that is being built.
#[derive(Default)]
struct Scene {
    game: Option<&'static str>,
    position: Vec<f32>,
    normal: Vec<i8>,
    uv: Vec<f32>,
    color: Vec<u8>,
    index: Vec<u32>,
    node: Vec<i32>,
    matrix: Vec<f32>,
    /// The ranges of distances of levels of detail, and the cells of the world, for each row.
    range: Vec<f32>,
    cell: Vec<i32>,
    pose: Vec<f32>,
    names: Vec<String>,
    kinds: Vec<&'static str>,
    /// The materials of the file, by position, as their drawings begin.
    paints: Vec<Value>,
    materials: Vec<Value>,
    looks: HashMap<(Look, [u32; 2]), usize>,
    shapes: Vec<Value>,
    groups: Vec<Value>,
    /// Start of each group of a world.
    starts: Vec<usize>,
    world: Option<Value>,
    lights: Vec<Value>,
    /// The cell of each node of the file.
    cells: HashMap<usize, i32>,
    notes: Vec<String>,
    /// The sum of what the shapes and materials of a whole world are made of.
    shapes_sum: Option<Sum>,
    /// The reader has the shapes and materials: rows of nodes have the numbers of their models.
    are_shapes_known: bool,
}

/// How fast the textures of a model move, if they do.
fn scroll_of(model: &Model) -> [f32; 2] {
    let scrolls = model
        .flags
        .0
        .is_some_and(|flags| flags.has(ModelFlags::TEXTURE_SCROLL))
        || model
            .recoil_flags
            .0
            .is_some_and(|flags| flags.has(RecoilModelFlags::TEXTURE_SCROLL));
    let [u, v] = model.texture_scroll.or([ZERO; 2]).map(F32::get);
    if scrolls && u.is_finite() && v.is_finite() {
        [u, v]
    } else {
        [0.0; 2]
    }
}

/// How a model turns to the camera, if it does.
fn facade_of(model: &Model) -> Option<&'static str> {
    if model.model_type.or(ModelType::Default) != ModelType::Facade {
        return None;
    }
    let tilts = model
        .recoil_flags
        .0
        .is_some_and(|flags| flags.has(RecoilModelFlags::FACADE_SPHERICAL));
    Some(match model.facade_mode.0 {
        Some(FacadeMode::SphericalY) => "spherical",
        Some(FacadeMode::CylindricalX) => "x",
        Some(FacadeMode::CylindricalZ) => "z",
        _ if tilts => "spherical",
        _ => "y",
    })
}

/// The properties of a light.
fn light_of(light: &Light, row: usize) -> Value {
    let is = |flag: LightFlags, own: refit_base::wire::InGame<u32>| {
        own.0.is_some_and(|value| value != 0) || light.flags.0.is_some_and(|flags| flags.has(flag))
    };
    json!({
        "row": row,
        "directional": is(LightFlags::DIRECTIONAL, light.directional),
        "point": is(LightFlags::POINT_SOURCE, light.point_source),
        "color": numbers(&light.color),
        "ambient": numbers(&[light.ambient]).first(),
        "diffuse": numbers(&[light.diffuse]).first(),
        "range": numbers(&[light.range_near, light.range_far]),
    })
}

/// The values of a property, if they are numbers.
fn numbers(values: &[F32]) -> Vec<f32> {
    values
        .iter()
        .map(|v| if v.get().is_finite() { v.get() } else { 0.0 })
        .collect()
}

impl Scene {
    /// Adds a material of the file; `name` returns the texture at a reference.
    fn paint(
        &mut self,
        index: usize,
        material: Option<&Material>,
        name: &dyn Fn(&Material, usize) -> Option<String>,
    ) {
        let Some(material) = material else {
            self.paints.push(json!({ "index": index, "missing": true }));
            return;
        };
        let own = material
            .texture_name
            .as_ref()
            .map(|n| n.text().into_owned());
        let own = own.or_else(|| name(material, material.texture.as_ref()?.place()?));
        let color = material
            .color
            .or([F32::from(255.0); 3])
            .map(|v| v.get().clamp(0.0, 255.0));
        let mut paint = json!({
            "index": index, "texture": own, "color": color, "alpha": material.alpha.or(255),
        });
        for soil in [json!(material.soil.0), json!(material.crimson_soil.0)]
            .into_iter()
            .filter(|s| !s.is_null())
        {
            paint["soil"] = soil;
        }
        if let Some(cycle) = &material.cycle {
            let frames: Vec<_> = cycle
                .frames
                .iter()
                .map(|f| f.place().and_then(|f| name(material, f)))
                .collect();
            let speed = numbers(&[cycle.speed]);
            paint["cycle"] = json!({ "textures": frames, "speed": speed.first(), "looping": cycle.looping != 0 });
        }
        self.paints.push(paint);
    }

    /// The position of a look in the table of materials, with how fast its textures move.
    fn look(&mut self, look: Look, scroll: [f32; 2]) -> usize {
        let place = look.material.and_then(|i| usize::try_from(i).ok());
        let (paints, materials) = (&self.paints, &mut self.materials);
        *self
            .looks
            .entry((look, scroll.map(f32::to_bits)))
            .or_insert_with(|| {
                let none = json!({ "index": look.material, "missing": look.material.is_some() });
                let mut material = place.and_then(|i| paints.get(i)).cloned().unwrap_or(none);
                material["two_sided"] = look.two_sided.into();
                material["uvs"] = look.uvs.into();
                if look.priority != 0 {
                    material["priority"] = look.priority.into();
                }
                if scroll != [0.0; 2] {
                    material["scroll"] = scroll.into();
                }
                materials.push(material);
                materials.len() - 1
            })
    }

    /// Adds a shape, and returns its position; `None` if nothing of it can be shown.
    fn shape(&mut self, model: &Model, shape: &Shape, mut entry: Value) -> Option<usize> {
        let scroll = scroll_of(model);
        let mut parts = Vec::new();
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let mut vertices = 0;
        for part in shape.parts() {
            let base = u32::try_from(self.position.len() / 3).ok()?;
            for vertex in &part.vertices {
                self.position.extend(vertex.position);
                self.normal.extend(
                    vertex
                        .normal
                        .map(|v| (v * 127.0).round() as i8)
                        .into_iter()
                        .chain([0]),
                );
                self.uv.extend(vertex.uv);
                self.color.extend(
                    shown(vertex.color)
                        .map(|v| v.get().round() as u8)
                        .into_iter()
                        .chain([255]),
                );
                for ((low, high), at) in low.iter_mut().zip(&mut high).zip(vertex.position) {
                    (*low, *high) = (low.min(at), high.max(at));
                }
            }
            let first = self.index.len();
            self.index
                .extend(part.indices.iter().map(|i| base.saturating_add(*i)));
            vertices += part.vertices.len();
            parts
                .push(json!({ "material": self.look(part.look, scroll), "first": first, "count": part.indices.len() }));
        }
        if parts.is_empty() {
            return None;
        }
        let object = entry.as_object_mut()?;
        object.insert("parts".into(), parts.into());
        object.insert("box".into(), low.iter().chain(&high).copied().collect());
        object.insert("vertices".into(), vertices.into());
        object.insert("notes".into(), shape.notes.clone().into());
        if let Some(facade) = facade_of(model) {
            object.insert("facade".into(), facade.into());
        }
        self.shapes.push(entry);
        Some(self.shapes.len() - 1)
    }

    /// Adds a node, and returns its position in the table.
    fn put(
        &mut self,
        parent: Option<usize>,
        index: usize,
        node: &Node,
        shape: Option<usize>,
        level: Option<usize>,
    ) {
        let kind = node.data.kind();
        let kind = self
            .kinds
            .iter()
            .position(|other| *other == kind)
            .unwrap_or_else(|| {
                self.kinds.push(kind);
                self.kinds.len() - 1
            });
        let (angles, translation, scale) = match &node.data {
            Data::Object3d(o) => (
                o.rotation.or([ZERO; 3]),
                o.translation.or([ZERO; 3]),
                o.scale.or([ONE; 3]),
            ),
            Data::Camera(camera) => (
                camera.rotation.or([ZERO; 3]),
                camera.translation.or([ZERO; 3]),
                [ONE; 3],
            ),
            Data::Light(light) => (
                light.orientation.or([ZERO; 3]),
                light.translation.or([ZERO; 3]),
                [ONE; 3],
            ),
            _ => ([ZERO; 3], [ZERO; 3], [ONE; 3]),
        };
        let rows = match &node.data {
            Data::Object3d(object) => object.matrix(),
            Data::Camera(_) | Data::Light(_) => classes::rotation_rows(angles, [ONE; 3]),
            _ => [ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE],
        };
        let place = |at: Option<usize>| at.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1);
        let zone = node.zone.0.map_or(-1, |zone| zone as i32);
        let flags = node.flags.0 as i32;
        let group = match self.starts.is_empty() {
            true => self.groups.len(),
            false => self.starts.partition_point(|start| *start <= index),
        };
        let group = place(group.checked_sub(1));
        let row = [
            place(parent),
            place(shape),
            place(Some(kind)),
            place(Some(index)),
            flags,
            place(level),
            zone,
            group,
        ];
        self.node.extend(row);
        self.range.extend(match &node.data {
            Data::Lod(lod) => {
                let near = lod.range_near_sq.get().max(0.0).sqrt();
                numbers(&[F32::from(near), lod.range_far])
            }
            _ => vec![0.0; 2],
        });
        self.cell
            .push(self.cells.get(&index).copied().unwrap_or(-1));
        if let Data::Light(light) = &node.data
            && self.lights.len() < LIGHTS
        {
            let row = self.names.len();
            self.lights.push(light_of(light, row));
        }
        self.matrix
            .extend(numbers(&rows).into_iter().chain(numbers(&translation)));
        self.pose
            .extend(numbers(&angles).into_iter().chain(numbers(&scale)));
        self.names.push(node.title());
    }

    /// Adds all trees of a forest, parents first.
    fn plant(
        &mut self,
        forest: &Forest<'_>,
        shape_of: &mut dyn FnMut(&mut Self, usize, &Node) -> Option<usize>,
    ) {
        /// A node below a parent, with its level of detail; or the end of a node's children.
        enum Step {
            Down(usize, Option<usize>, Option<usize>),
            Up(usize),
        }
        let roots = forest.whole().roots;
        let most = COPIES * forest.len() + self.names.len();
        let (mut made, mut above) = (HashSet::new(), HashSet::new());
        let mut open: Vec<Step> = roots
            .iter()
            .rev()
            .map(|root| Step::Down(*root, None, None))
            .collect();
        while let Some(step) = open.pop() {
            let (index, parent, level) = match step {
                Step::Down(index, parent, level) => (index, parent, level),
                Step::Up(index) => {
                    above.remove(&index);
                    continue;
                }
            };
            let Some(node) = forest.positioned(index) else {
                continue;
            };
            if above.contains(&index) {
                self.note(format!("node {index} is its own ancestor: left out there"));
                continue;
            }
            if !made.insert(index) && self.names.len() >= most {
                self.note(format!(
                    "node {index} has too many parents: left out below one"
                ));
                continue;
            }
            let shape = shape_of(self, index, node);
            self.put(parent, index, node, shape, level);
            let own = self.names.len() - 1;
            above.insert(index);
            open.push(Step::Up(index));
            let levels = forest.further(index);
            for child in forest.children(index).iter().rev() {
                let level = levels
                    .iter()
                    .position(|far| far == child)
                    .map(|far| far + 1);
                open.push(Step::Down(
                    *child,
                    Some(own),
                    level.or(forest.is_level(*child).then_some(0)),
                ));
            }
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < NOTES {
            self.notes.push(note);
        }
    }

    /// Adds a world or planes, or one model alone.
    fn world(&mut self, world: &Gamez, extent: Extent<'_>) -> Result<()> {
        self.game = Some(world.game.code());
        let named = Named::of(world);
        let texture = |_: &Material, texture: usize| named.textures.get(texture).cloned();
        for (i, material) in world.materials.materials.iter().enumerate() {
            self.paint(i, material.as_ref(), &texture);
        }
        if extent.only.is_some() {
            return self.models(world, &named, extent.only).map(drop);
        }
        let sum = self.sum_of_shapes(world, &named);
        self.shapes_sum = Some(sum);
        self.are_shapes_known = extent
            .known_shapes
            .is_some_and(|known| Sum::parse(known) == sum);
        let placed = match self.are_shapes_known {
            true => None,
            false => Some(self.models(world, &named, None)?),
        };
        self.plant_world(world, placed.as_deref());
        Ok(())
    }

    /// The sum of all that the shapes and materials of a world are made of; its materials are there.
    fn sum_of_shapes(&self, world: &Gamez, named: &Named) -> Sum {
        let mut sum = Summing::default();
        let mut add = |bytes: &[u8]| {
            sum.update(&bytes.len().to_le_bytes());
            sum.update(bytes);
        };
        add(json!([self.game, self.paints]).to_string().as_bytes());
        for (i, model) in world.models.iter().enumerate() {
            // Names of models follow those of nodes, and their documents do.
            add(model_stem(i, named).as_bytes());
            let name = named.models.get(i).and_then(Option::as_ref);
            add(name.map_or(&[], |name| name.as_bytes()));
            add(&[u8::from(model.is_some())]);
            if let Some(model) = model {
                add(&model.head);
                add(&model.data);
            }
        }
        sum.end()
    }

    /// Adds the shapes of a world's models, or of one of them: the position of each model's shape.
    fn models(
        &mut self,
        world: &Gamez,
        named: &Named,
        only: Option<usize>,
    ) -> Result<Vec<Option<usize>>> {
        let cycled = world.materials.cycled();
        let shapes = par::try_map(
            &world.models,
            |i, stored| -> Result<Option<(Shape, Model)>> {
                let Some(stored) = stored
                    .as_ref()
                    .filter(|_| only.is_none_or(|only| only == i))
                else {
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
                Ok(Some((shape_by_priority(&model, i), model)))
            },
        )?;
        let mut placed = Vec::with_capacity(shapes.len());
        for (i, made) in shapes.into_iter().enumerate() {
            placed.push(made.and_then(|(shape, model)| {
                let polygons = model.polygons.len();
                let name = named
                    .models
                    .get(i)
                    .cloned()
                    .flatten()
                    .unwrap_or_else(|| format!("model {i}"));
                let document = format!("{}.json", model_stem(i, named));
                let entry =
                    json!({ "model": i, "name": name, "polygons": polygons, "document": document });
                self.shape(&model, &shape, entry)
            }));
        }
        Ok(placed)
    }

    /// Adds the nodes of a world. `placed` has the shape of each model, if the shapes are there.
    fn plant_world(&mut self, world: &Gamez, placed: Option<&[Option<usize>]>) {
        for (path, range) in documents(world) {
            self.groups.push(json!([path, range.start, range.end]));
            self.starts.push(range.start);
        }
        let area = world
            .nodes
            .iter()
            .flatten()
            .find_map(|node| match &node.data {
                Data::World(world) => Some(world),
                _ => None,
            });
        self.world = area.map(|area| self.area(area, world.game));
        self.plant(&Forest::of_world(&world.nodes), &mut |_, _, node| {
            let model = node.model.0.as_ref()?.place()?;
            match placed {
                Some(placed) => placed.get(model).copied().flatten(),
                None => Some(model),
            }
        });
    }

    /// The world's area, fog and cells; notes the cell of each node.
    fn area(&mut self, area: &World, game: refit_base::game::Game) -> Value {
        let (columns, rows) = area.counts(game);
        for (i, cell) in area.cells.iter().enumerate() {
            for node in cell.nodes.iter().filter_map(|own| own.node.place()) {
                self.cells
                    .entry(node)
                    .or_insert(i32::try_from(i).unwrap_or(-1));
            }
        }
        json!({
            "area": numbers(&[area.left, area.bottom, area.right, area.top]),
            "fog": {
                "type": area.fog_type,
                "color": numbers(&area.fog_color.or([ZERO; 3])),
                "range": numbers(&area.fog_range.or([ZERO; 2])),
            },
            "cells": [columns, rows],
        })
    }

    /// Adds the tree of a 'mech.
    fn mech(&mut self, member: usize, name: &str, nodes: &[Node]) {
        self.groups
            .push(json!([format!("{name}.json"), 0, nodes.len()]));
        self.plant(&Forest::of_tree(nodes), &mut |scene, i, node| {
            let model = node.mesh.as_ref()?;
            let entry =
                json!({ "member": member, "name": node.title(), "mech": name, "polygons": model.polygons.len() });
            scene.shape(model, &shape_by_priority(model, i), entry)
        });
    }

    /// The scene as bytes.
    fn finish(self, name: &str) -> Result<Vec<u8>> {
        let mut data: Vec<u8> = Vec::new();
        let mut places = serde_json::Map::new();
        let are_known = self.are_shapes_known;
        let mut part = |name: &str, bytes: &mut dyn Iterator<Item = u8>, each: usize| {
            if are_known && SHAPES.contains(&name) {
                return;
            }
            let start = data.len();
            data.extend(bytes);
            places.insert(name.to_owned(), json!([start, (data.len() - start) / each]));
        };
        part(
            "position",
            &mut self.position.iter().flat_map(|v| v.to_le_bytes()),
            12,
        );
        part(
            "normal",
            &mut self.normal.iter().flat_map(|v| v.to_le_bytes()),
            4,
        );
        part("uv", &mut self.uv.iter().flat_map(|v| v.to_le_bytes()), 8);
        part("color", &mut self.color.iter().copied(), 4);
        part(
            "index",
            &mut self.index.iter().flat_map(|v| v.to_le_bytes()),
            4,
        );
        part(
            "node",
            &mut self.node.iter().flat_map(|v| v.to_le_bytes()),
            32,
        );
        part(
            "range",
            &mut self.range.iter().flat_map(|v| v.to_le_bytes()),
            8,
        );
        part(
            "cell",
            &mut self.cell.iter().flat_map(|v| v.to_le_bytes()),
            4,
        );
        part(
            "matrix",
            &mut self.matrix.iter().flat_map(|v| v.to_le_bytes()),
            48,
        );
        part(
            "pose",
            &mut self.pose.iter().flat_map(|v| v.to_le_bytes()),
            24,
        );
        let textures: BTreeSet<&str> = self
            .materials
            .iter()
            .filter_map(|m| m["texture"].as_str())
            .collect();
        let textures = json!(textures);
        let mut header = json!({
            "game": self.game, "name": name, "data": places,
            "nodes": { "names": self.names, "kinds": self.kinds, "groups": self.groups },
            "world": self.world, "lights": self.lights, "notes": self.notes,
        });
        if let Some(sum) = self.shapes_sum {
            header["shapes_sum"] = sum.to_string().into();
        }
        if !are_known {
            header["materials"] = self.materials.into();
            header["shapes"] = self.shapes.into();
            header["textures"] = textures;
        }
        let mut header = header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let length = fit::<u32>(header.len(), "bytes of the scene's header")?;
        Ok([b"RVS1".as_slice(), &length.to_le_bytes(), &header, &data].concat())
    }
}
