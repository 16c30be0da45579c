//! A model as triangles.

use super::{
    axes,
    glb::{Glb, Pool},
    json::{Attributes, Mesh, Primitive},
    paint::Painter,
};
use crate::{
    formats::gamez::models::{Model, Polygon, PolygonFlags},
    wire::F32,
};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// What a primitive's triangles have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Look {
    /// Position of the material.
    pub material: Option<u32>,
    /// Shown from behind as well.
    pub two_sided: bool,
    /// Corners have texture coordinates.
    pub uvs: bool,
}

/// A vertex, as glTF means it: everything that a corner has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vertex {
    /// Where it is.
    pub position: [f32; 3],
    /// Of length 1.
    pub normal: [f32; 3],
    /// Texture coordinates.
    pub uv: [f32; 2],
    /// Amounts of light.
    pub color: [f32; 3],
    /// Its position in the model: what the way back knows it by.
    pub index: u32,
}

const WHITE: [f32; 3] = [1.0; 3];

/// Everything of a vertex, as bits.
type Key = [u32; 12];

impl Vertex {
    fn key(&self) -> Key {
        let mut values = self.position.iter().chain(&self.normal).chain(&self.uv).chain(&self.color);
        std::array::from_fn(|_| values.next().map_or(self.index, |v| v.to_bits()))
    }
}

/// Triangles of one look.
struct Part {
    look: Look,
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    known: HashMap<Key, u32>,
    /// The triangles, without their order.
    shown: HashSet<[u32; 3]>,
}

impl Part {
    fn push(&mut self, vertex: Vertex) -> u32 {
        self.vertices.push(vertex);
        // A model has fewer corners than 2³²: each takes four bytes of a file that is shorter.
        self.vertices.len() as u32 - 1
    }

    /// A triangle. One that stands on the vertices of another, back to back with it for example, gets vertices of its own: Blender
    /// drops faces on vertices that have one.
    fn triangle(&mut self, triangle: [Vertex; 3]) {
        let shared = triangle.map(|vertex| match self.known.get(&vertex.key()) {
            Some(known) => *known,
            None => {
                let new = self.push(vertex);
                self.known.insert(vertex.key(), new);
                new
            }
        });
        let mut key = shared;
        key.sort_unstable();
        let own = if self.shown.insert(key) { shared } else { triangle.map(|vertex| self.push(vertex)) };
        self.indices.extend(axes::face(own));
    }
}

/// The triangles of a model, by look.
pub struct Shape {
    parts: Vec<Part>,
    /// What the triangles do not show.
    pub notes: Vec<String>,
    extras: Value,
    /// The model's number in its file, or the node's in a mechlib's tree.
    number: usize,
}

/// Most notes about the polygons of one model.
const NOTES: usize = 8;

/// Makes triangles of a model's polygons. A polygon with a dangling vertex, or with a coordinate that is no number, is left
/// out; a normal that is none is replaced by the face's. Both are noted. `index` is the model's position in a world, `number` what the
/// second texture coordinates call it.
pub fn shape(model: &Model, index: Option<usize>, number: usize) -> Shape {
    let mut parts: Vec<Part> = Vec::new();
    let mut at: HashMap<Look, usize> = HashMap::new();
    let (mut skipped, mut replaced) = (Vec::new(), 0usize);
    for (i, polygon) in model.polygons.iter().enumerate() {
        match triangles(model, polygon) {
            Ok(found) => {
                replaced += found.replaced;
                let slot = *at.entry(found.look).or_insert_with(|| {
                    parts.push(Part::of(found.look));
                    parts.len() - 1
                });
                let Some(part) = parts.get_mut(slot) else { continue };
                found.each().for_each(|triangle| part.triangle(triangle));
            }
            Err(why) => skipped.push((i, why)),
        }
    }
    parts.sort_by_key(|part| part.look);
    parts.iter_mut().for_each(|part| (part.known, part.shown) = Default::default());
    let mut notes: Vec<String> = skipped.iter().take(NOTES).map(|(i, why)| format!("polygon {i} is left out: {why}")).collect();
    if skipped.len() > NOTES {
        notes.push(format!("left out in the same way: {} more", skipped.len() - NOTES));
    }
    if replaced > 0 {
        notes.push(format!("corners without a usable normal, which got that of their face: {replaced}"));
    }
    let layers = model.polygons.iter().filter(|p| !p.layers.is_empty()).count();
    if layers > 0 {
        notes.push(format!("polygons with several materials, of which the first is shown: {layers}"));
    }
    if !model.morphs.is_empty() {
        notes.push(format!("morphed vertices, which are not shown: {}", model.morphs.len()));
    }
    Shape { parts, notes, extras: extras(model, index), number }
}

/// What else the model says.
fn extras(model: &Model, index: Option<usize>) -> Value {
    let mut out = serde_json::Map::new();
    if let Some(index) = index {
        out.insert("model".into(), json!(index));
    }
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            out.insert(name.into(), value);
        }
    };
    put("type", json!(model.model_type.0));
    put("facade_mode", json!(model.facade_mode.0));
    put("flags", json!(model.flags.0));
    put("recoil_flags", json!(model.recoil_flags.0));
    put("texture_scroll", json!(model.texture_scroll.0));
    if !model.lights.is_empty() {
        put("lights", json!(model.lights));
    }
    out.into()
}

/// A polygon as it is shown.
pub struct Triangles {
    /// What they have in common with those of other polygons.
    pub look: Look,
    /// Its corners, in its order.
    pub corners: Vec<Vertex>,
    /// Its triangles: positions in `corners`, in the game's order.
    pub order: Vec<[usize; 3]>,
    /// It is a strip of triangles.
    pub strip: bool,
    replaced: usize,
}

impl Triangles {
    /// True where another order of its corners turns it round: a strip of an even number begins the same way from both ends.
    pub fn can_flip(&self) -> bool {
        !self.strip || self.corners.len() == 4 || self.corners.len() % 2 == 1
    }

    /// The corners of each triangle.
    fn each(&self) -> impl Iterator<Item = [Vertex; 3]> + '_ {
        let none = Vertex { position: [0.0; 3], normal: [0.0; 3], uv: [0.0; 2], color: WHITE, index: 0 };
        self.order.iter().map(move |t| t.map(|i| self.corners.get(i).copied().unwrap_or(none)))
    }
}

/// The triangles of a polygon; the error says why it cannot be shown.
pub fn triangles(model: &Model, polygon: &Polygon) -> Result<Triangles, String> {
    let corners = polygon.vertices.len();
    if corners < 3 {
        return Err(format!("it has {corners} corners"));
    }
    let look = Look { material: polygon.material, two_sided: polygon.flags.has(PolygonFlags::SHOW_BACKFACE), uvs: polygon.uvs.is_some() };
    let mut vertices = Vec::with_capacity(corners);
    let mut bare = Vec::new();
    for (corner, vertex) in polygon.vertices.iter().enumerate() {
        let stored = model.vertices.get(*vertex as usize);
        let stored = stored.ok_or_else(|| format!("it has vertex {vertex} of {}", model.vertices.len()))?;
        let position = axes::point(stored).ok_or_else(|| format!("vertex {vertex} is not finite"))?;
        let uv = match &polygon.uvs {
            Some(uvs) => uvs.get(corner).map(|uv| uv.map(F32::get)).ok_or("a corner has no texture coordinates")?,
            None => [0.0; 2],
        };
        if !uv.iter().all(|v| v.is_finite()) {
            return Err("a texture coordinate is not finite".into());
        }
        let normal = polygon.normals.as_ref().map(|list| list.get(corner).and_then(|n| model.normals.get(*n as usize)));
        let normal = match normal {
            Some(normal) => normal.and_then(axes::normal).unwrap_or_else(|| {
                bare.push(corner);
                [0.0; 3]
            }),
            // Every primitive has normals, so that a program does not make two materials of one: here the face's.
            None => {
                bare.push(corner);
                [0.0; 3]
            }
        };
        let color = polygon.colors.as_ref().and_then(|c| c.get(corner)).map_or(WHITE, axes::color);
        vertices.push(Vertex { position, normal, uv, color, index: *vertex });
    }
    let strip = polygon.flags.has(PolygonFlags::TRI_STRIP);
    let order = (0..corners - 2).map(|i| match (strip, i % 2) {
        (false, _) => [0, i + 1, i + 2],
        (true, 0) => [i, i + 1, i + 2],
        (true, _) => [i + 1, i, i + 2],
    });
    // Strips are sewn together with triangles that have a corner twice.
    let place = |i: usize| vertices.get(i).map_or([0.0; 3], |v: &Vertex| v.position);
    let real = |t: &[usize; 3]| {
        let [a, b, c] = t.map(place);
        a != b && b != c && c != a
    };
    let order: Vec<[usize; 3]> = order.filter(real).collect();
    if order.is_empty() {
        return Err("its corners are on one place or two".into());
    }
    if !bare.is_empty() {
        let up = [0.0, 1.0, 0.0];
        let flat = order.iter().find_map(|t| axes::face_normal(t.map(place))).unwrap_or(up);
        for corner in &bare {
            if let Some(vertex) = vertices.get_mut(*corner) {
                vertex.normal = flat;
            }
        }
    }
    let replaced = if polygon.normals.is_some() { bare.len() } else { 0 };
    Ok(Triangles { look, corners: vertices, order, strip, replaced })
}

impl Shape {
    /// Puts the mesh into a file and tells its position; `None` when nothing of it can be shown.
    pub fn put(&self, name: &str, glb: &mut Glb, painter: &mut Painter<'_>) -> Option<usize> {
        for note in &self.notes {
            glb.note(format!("{name}: {note}"));
        }
        let primitives: Vec<Primitive> = self.parts.iter().map(|part| part.put(self.number, glb, painter)).collect();
        if primitives.is_empty() {
            return None;
        }
        let extras = self.extras.as_object().is_some_and(|o| !o.is_empty()).then(|| self.extras.clone());
        let name = glb.mesh_names.unique(name, self.number);
        glb.root.meshes.push(Mesh { name, primitives, extras });
        Some(glb.root.meshes.len() - 1)
    }
}

impl Part {
    fn of(look: Look) -> Self {
        Part { look, vertices: Vec::new(), indices: Vec::new(), known: HashMap::new(), shown: HashSet::new() }
    }

    /// Every primitive has the same attributes: Blender makes two materials of one whose primitives differ in them, and melts
    /// primitives of one material together. The second texture coordinates are no picture's: they say which vertex of which model it
    /// is, and survive what else would carry it does not.
    fn put(&self, number: usize, glb: &mut Glb, painter: &mut Painter<'_>) -> Primitive {
        let Look { material, two_sided, uvs } = self.look;
        let list = |of: fn(&Vertex) -> [f32; 3]| self.vertices.iter().map(of).collect::<Vec<_>>();
        let position = glb.floats(Pool::Points, &list(|v| v.position), true);
        let normal = glb.floats(Pool::Points, &list(|v| v.normal), false);
        let pairs: Vec<[f32; 2]> = self.vertices.iter().map(|v| v.uv).collect();
        let uv = glb.floats(Pool::Uvs, &pairs, false);
        let tags: Vec<[f32; 2]> = self.vertices.iter().map(|v| [v.index as f32, (number + 1) as f32]).collect();
        let identity = glb.floats(Pool::Uvs, &tags, false);
        let color = glb.floats(Pool::Points, &list(|v| v.color), false);
        let indices = glb.indices(&self.indices, self.vertices.len());
        let attributes = Attributes { position, normal, uv, identity, color };
        Primitive { attributes, indices, material: Some(painter.material(material, two_sided, uvs, glb)) }
    }
}
