//! Converts a model to triangles.

use super::{
    axes,
    glb::{Glb, Pool},
    json::{Attributes, Mesh, Primitive},
    paint::Painter,
};
use refit_base::wire::F32;
use refit_zipper::gamez::models::{Model, Polygon, PolygonFlags};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The common properties of a primitive's triangles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Look {
    pub material: Option<u32>,
    /// True if it is visible from behind, too.
    pub two_sided: bool,
    /// True if corners have texture coordinates.
    pub uvs: bool,
    /// Which of the polygons in one plane is in front; 0 if the shape does not separate them
    /// ([`shape_by_priority`]).
    pub priority: i32,
}

/// A vertex in the sense of glTF: all attributes of a corner.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vertex {
    pub position: [f32; 3],
    pub normal: [f32; 3],
    pub uv: [f32; 2],
    /// Linear light.
    pub color: [f32; 3],
    /// Its index in the model, by which an import identifies it.
    pub index: u32,
}

const WHITE: [f32; 3] = [1.0; 3];

/// All attributes of a vertex, as bits.
type Key = [u32; 12];

impl Vertex {
    fn key(&self) -> Key {
        let mut values = self
            .position
            .iter()
            .chain(&self.normal)
            .chain(&self.uv)
            .chain(&self.color);
        std::array::from_fn(|_| values.next().map_or(self.index, |v| v.to_bits()))
    }
}

/// Triangles with one look.
pub struct Part {
    pub look: Look,
    pub vertices: Vec<Vertex>,
    pub indices: Vec<u32>,
    known: HashMap<Key, u32>,
    /// The triangles, each with sorted vertices.
    shown: HashSet<[u32; 3]>,
}

impl Part {
    fn push(&mut self, vertex: Vertex) -> u32 {
        self.vertices.push(vertex);
        // A model has fewer than 2³² corners: each takes four bytes of a smaller file.
        self.vertices.len() as u32 - 1
    }

    /// Adds a triangle. If another triangle has the same vertices, for example back to back, it
    /// gets its own vertices: Blender drops a second face on the same vertices.
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
        let own = if self.shown.insert(key) {
            shared
        } else {
            triangle.map(|vertex| self.push(vertex))
        };
        self.indices.extend(own);
    }
}

/// The triangles of a model, grouped by look.
pub struct Shape {
    parts: Vec<Part>,
    /// Notes on properties that the triangles cannot represent.
    pub notes: Vec<String>,
    extras: Value,
    /// The model's number in its file, or the node's number in a mechlib's tree.
    number: usize,
}

/// Maximum number of notes about the polygons of one model.
const NOTES: usize = 8;

/// Converts a model's polygons to triangles. A polygon with a dangling vertex or a NaN coordinate
/// is left out; an invalid normal is replaced by the face's. Both are noted. `index` is the model's
/// position in a world, `number` its number in the second texture coordinates.
pub fn shape(model: &Model, index: Option<usize>, number: usize) -> Shape {
    shape_of(model, index, number, false)
}

/// The same as [`shape`], with triangles of different priorities in separate parts.
pub fn shape_by_priority(model: &Model, number: usize) -> Shape {
    shape_of(model, None, number, true)
}

fn shape_of(model: &Model, index: Option<usize>, number: usize, by_priority: bool) -> Shape {
    let mut parts: Vec<Part> = Vec::new();
    let mut at: HashMap<Look, usize> = HashMap::new();
    let (mut skipped, mut replaced) = (Vec::new(), 0usize);
    for (i, polygon) in model.polygons.iter().enumerate() {
        match triangles(model, polygon) {
            Ok(found) => {
                replaced += found.replaced;
                let look = Look {
                    priority: if by_priority { polygon.priority } else { 0 },
                    ..found.look
                };
                let slot = *at.entry(look).or_insert_with(|| {
                    parts.push(Part::of(look));
                    parts.len() - 1
                });
                let Some(part) = parts.get_mut(slot) else {
                    continue;
                };
                found.each().for_each(|triangle| part.triangle(triangle));
            }
            Err(why) => skipped.push((i, why)),
        }
    }
    parts.sort_by_key(|part| part.look);
    parts
        .iter_mut()
        .for_each(|part| (part.known, part.shown) = Default::default());
    let mut notes: Vec<String> = skipped
        .iter()
        .take(NOTES)
        .map(|(i, why)| format!("polygon {i} is left out: {why}"))
        .collect();
    if skipped.len() > NOTES {
        notes.push(format!(
            "left out in the same way: {} more",
            skipped.len() - NOTES
        ));
    }
    if replaced > 0 {
        notes.push(format!(
            "corners without a usable normal, which got that of their face: {replaced}"
        ));
    }
    let layers = model
        .polygons
        .iter()
        .filter(|p| !p.layers.is_empty())
        .count();
    if layers > 0 {
        notes.push(format!(
            "polygons with several materials (only the first material is shown): {layers}"
        ));
    }
    if !model.morphs.is_empty() {
        notes.push(format!(
            "morphed vertices, which are not shown: {}",
            model.morphs.len()
        ));
    }
    Shape {
        parts,
        notes,
        extras: extras(model, index),
        number,
    }
}

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

/// A polygon in its exported form.
pub struct Triangles {
    pub look: Look,
    /// Its corners, in its order.
    pub corners: Vec<Vertex>,
    /// Its triangles as positions in `corners`, in the game's order.
    pub order: Vec<[usize; 3]>,
    /// True for a strip of triangles.
    pub strip: bool,
    replaced: usize,
}

impl Triangles {
    /// True if reordering the corners can reverse the polygon: a strip of an even number of corners
    /// begins the same way from both ends.
    pub fn can_flip(&self) -> bool {
        !self.strip || self.corners.len() == 4 || self.corners.len() % 2 == 1
    }

    /// The corners of each triangle.
    fn each(&self) -> impl Iterator<Item = [Vertex; 3]> + '_ {
        let none = Vertex {
            position: [0.0; 3],
            normal: [0.0; 3],
            uv: [0.0; 2],
            color: WHITE,
            index: 0,
        };
        self.order
            .iter()
            .map(move |t| t.map(|i| self.corners.get(i).copied().unwrap_or(none)))
    }
}

/// The triangles of a polygon; the error is the reason why it cannot be shown.
pub fn triangles(model: &Model, polygon: &Polygon) -> Result<Triangles, String> {
    let corners = polygon.vertices.len();
    if corners < 3 {
        return Err(format!("it has {corners} corners"));
    }
    let look = Look {
        material: polygon.material,
        two_sided: polygon.flags.has(PolygonFlags::SHOW_BACKFACE),
        uvs: polygon.uvs.is_some(),
        priority: 0,
    };
    let mut vertices = Vec::with_capacity(corners);
    let mut bare = Vec::new();
    for (corner, vertex) in polygon.vertices.iter().enumerate() {
        let stored = model.vertices.get(*vertex as usize);
        let stored =
            stored.ok_or_else(|| format!("it has vertex {vertex} of {}", model.vertices.len()))?;
        let position =
            axes::point(stored).ok_or_else(|| format!("vertex {vertex} is not finite"))?;
        let uv = match &polygon.uvs {
            Some(uvs) => uvs
                .get(corner)
                .map(|uv| uv.map(F32::get))
                .ok_or("a corner has no texture coordinates")?,
            None => [0.0; 2],
        };
        if !uv.iter().all(|v| v.is_finite()) {
            return Err("a texture coordinate is not finite".into());
        }
        let normal = polygon.normals.as_ref().map(|list| {
            list.get(corner)
                .and_then(|n| model.normals.get(*n as usize))
        });
        // Every primitive has normals, so that programs do not split its material in two; here the
        // face's normal.
        let normal = normal.flatten().and_then(axes::normal).unwrap_or_else(|| {
            bare.push(corner);
            [0.0; 3]
        });
        let color = polygon
            .colors
            .as_ref()
            .and_then(|c| c.get(corner))
            .map_or(WHITE, axes::color);
        vertices.push(Vertex {
            position,
            normal,
            uv,
            color,
            index: *vertex,
        });
    }
    let strip = polygon.flags.has(PolygonFlags::TRI_STRIP);
    let order = (0..corners - 2).map(|i| match (strip, i % 2) {
        (false, _) => [0, i + 1, i + 2],
        (true, 0) => [i, i + 1, i + 2],
        (true, _) => [i + 1, i, i + 2],
    });
    // Strips use triangles with a repeated corner as joints.
    let place = |i: usize| vertices.get(i).map_or([0.0; 3], |v: &Vertex| v.position);
    let real = |t: &[usize; 3]| {
        let [a, b, c] = t.map(place);
        a != b && b != c && c != a
    };
    let order: Vec<[usize; 3]> = order.filter(real).collect();
    if order.is_empty() {
        return Err("its corners are at only one or two points".into());
    }
    if !bare.is_empty() {
        let up = [0.0, 1.0, 0.0];
        let flat = order
            .iter()
            .find_map(|t| axes::face_normal(t.map(place)))
            .unwrap_or(up);
        for corner in &bare {
            if let Some(vertex) = vertices.get_mut(*corner) {
                vertex.normal = flat;
            }
        }
    }
    let replaced = if polygon.normals.is_some() {
        bare.len()
    } else {
        0
    };
    Ok(Triangles {
        look,
        corners: vertices,
        order,
        strip,
        replaced,
    })
}

impl Shape {
    /// Its triangles, by look.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds the mesh to a file and returns its position; `None` if nothing of it can be shown.
    pub fn put(&self, name: &str, glb: &mut Glb, painter: &mut Painter<'_>) -> Option<usize> {
        for note in &self.notes {
            glb.note(format!("{name}: {note}"));
        }
        let primitives: Vec<Primitive> = self
            .parts
            .iter()
            .map(|part| part.put(self.number, glb, painter))
            .collect();
        if primitives.is_empty() {
            return None;
        }
        let extras = self
            .extras
            .as_object()
            .is_some_and(|o| !o.is_empty())
            .then(|| self.extras.clone());
        let name = glb.mesh_names.unique(name, self.number);
        glb.root.meshes.push(Mesh {
            name,
            primitives,
            extras,
        });
        Some(glb.root.meshes.len() - 1)
    }
}

impl Part {
    fn of(look: Look) -> Self {
        Part {
            look,
            vertices: Vec::new(),
            indices: Vec::new(),
            known: HashMap::new(),
            shown: HashSet::new(),
        }
    }

    /// Adds a primitive. All have the same attributes: Blender splits a material whose primitives
    /// differ in them, and merges primitives of one material. The second texture coordinates do not
    /// belong to a texture: they contain vertex and model, and survive when other attributes would
    /// not.
    fn put(&self, number: usize, glb: &mut Glb, painter: &mut Painter<'_>) -> Primitive {
        let Look {
            material,
            two_sided,
            uvs,
            ..
        } = self.look;
        let list = |of: fn(&Vertex) -> [f32; 3]| self.vertices.iter().map(of).collect::<Vec<_>>();
        let position = glb.floats(Pool::Points, &list(|v| v.position), true);
        let normal = glb.floats(Pool::Points, &list(|v| v.normal), false);
        let pairs: Vec<[f32; 2]> = self.vertices.iter().map(|v| v.uv).collect();
        let uv = glb.floats(Pool::Uvs, &pairs, false);
        let tags: Vec<[f32; 2]> = self
            .vertices
            .iter()
            .map(|v| [v.index as f32, (number + 1) as f32])
            .collect();
        let identity = glb.floats(Pool::Uvs, &tags, false);
        let color = glb.floats(Pool::Points, &list(|v| v.color), false);
        let indices = glb.indices(&self.indices, self.vertices.len());
        let attributes = Attributes {
            position,
            normal,
            uv,
            identity,
            color,
        };
        Primitive {
            attributes,
            indices,
            material: Some(painter.material(material, two_sided, uvs, glb)),
        }
    }
}
