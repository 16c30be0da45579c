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
use std::collections::HashMap;

/// What a primitive's triangles have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Look {
    /// Position of the material.
    pub material: Option<u32>,
    /// Shown from behind as well.
    pub two_sided: bool,
    /// Corners have normals; without, a viewer shades the faces flat.
    normals: bool,
    /// Corners have texture coordinates.
    uvs: bool,
}

/// A vertex, as glTF means it: everything that a corner has.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
    color: [f32; 3],
}

const WHITE: [f32; 3] = [1.0; 3];

impl Vertex {
    fn key(&self) -> [u32; 11] {
        let mut values = self.position.iter().chain(&self.normal).chain(&self.uv).chain(&self.color);
        std::array::from_fn(|_| values.next().map_or(0, |v| v.to_bits()))
    }
}

/// Triangles of one look.
struct Part {
    look: Look,
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    known: HashMap<[u32; 11], u32>,
}

impl Part {
    fn vertex(&mut self, vertex: Vertex) -> u32 {
        *self.known.entry(vertex.key()).or_insert_with(|| {
            self.vertices.push(vertex);
            // A model has fewer corners than 2³²: each takes four bytes of a file that is shorter.
            self.vertices.len() as u32 - 1
        })
    }
}

/// The triangles of a model, by look.
pub struct Shape {
    parts: Vec<Part>,
    /// What the triangles do not show.
    pub notes: Vec<String>,
    extras: Value,
}

/// Most notes about the polygons of one model.
const NOTES: usize = 8;

/// Makes triangles of a model's polygons. A polygon with a dangling vertex, or with a coordinate that is no number, is left
/// out; a normal that is none is replaced by the face's. Both are noted.
pub fn shape(model: &Model, index: Option<usize>) -> Shape {
    let mut parts: Vec<Part> = Vec::new();
    let mut at: HashMap<Look, usize> = HashMap::new();
    let (mut skipped, mut replaced) = (Vec::new(), 0usize);
    for (i, polygon) in model.polygons.iter().enumerate() {
        match triangles(model, polygon) {
            Ok(found) => {
                replaced += found.replaced;
                let slot = *at.entry(found.look).or_insert_with(|| {
                    parts.push(Part { look: found.look, vertices: Vec::new(), indices: Vec::new(), known: HashMap::new() });
                    parts.len() - 1
                });
                let Some(part) = parts.get_mut(slot) else { continue };
                for triangle in found.triangles {
                    let triangle = triangle.map(|vertex| part.vertex(vertex));
                    part.indices.extend(axes::face(triangle));
                }
            }
            Err(why) => skipped.push((i, why)),
        }
    }
    parts.sort_by_key(|part| part.look);
    parts.iter_mut().for_each(|part| part.known = HashMap::new());
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
    Shape { parts, notes, extras: extras(model, index) }
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

struct Triangles {
    look: Look,
    triangles: Vec<[Vertex; 3]>,
    replaced: usize,
}

/// The triangles of a polygon; the error says why it cannot be shown.
fn triangles(model: &Model, polygon: &Polygon) -> Result<Triangles, String> {
    let corners = polygon.vertices.len();
    if corners < 3 {
        return Err(format!("it has {corners} corners"));
    }
    let look = Look {
        material: polygon.material,
        two_sided: polygon.flags.has(PolygonFlags::SHOW_BACKFACE),
        normals: polygon.normals.is_some(),
        uvs: polygon.uvs.is_some(),
    };
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
            None => [0.0; 3],
        };
        let color = polygon.colors.as_ref().and_then(|c| c.get(corner)).map_or(WHITE, axes::color);
        vertices.push(Vertex { position, normal, uv, color });
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
    let corner = |i: usize| vertices.get(i).copied().unwrap_or(Vertex { position: [0.0; 3], normal: [0.0; 3], uv: [0.0; 2], color: WHITE });
    Ok(Triangles { look, triangles: order.into_iter().map(|t| t.map(corner)).collect(), replaced: bare.len() })
}

impl Shape {
    /// Puts the mesh into a file and tells its position; `None` when nothing of it can be shown.
    pub fn put(&self, name: &str, glb: &mut Glb, painter: &mut Painter<'_>) -> Option<usize> {
        for note in &self.notes {
            glb.note(format!("{name}: {note}"));
        }
        let primitives: Vec<Primitive> = self.parts.iter().map(|part| part.put(glb, painter)).collect();
        if primitives.is_empty() {
            return None;
        }
        let extras = self.extras.as_object().is_some_and(|o| !o.is_empty()).then(|| self.extras.clone());
        glb.root.meshes.push(Mesh { name: name.to_owned(), primitives, extras });
        Some(glb.root.meshes.len() - 1)
    }
}

impl Part {
    fn put(&self, glb: &mut Glb, painter: &mut Painter<'_>) -> Primitive {
        let Look { material, two_sided, normals, uvs } = self.look;
        let list = |of: fn(&Vertex) -> [f32; 3]| self.vertices.iter().map(of).collect::<Vec<_>>();
        let position = glb.floats(Pool::Points, &list(|v| v.position), true);
        let normal = normals.then(|| glb.floats(Pool::Points, &list(|v| v.normal), false));
        let uv = uvs.then(|| {
            let list: Vec<[f32; 2]> = self.vertices.iter().map(|v| v.uv).collect();
            glb.floats(Pool::Uvs, &list, false)
        });
        let colored = self.vertices.iter().any(|v| v.color != WHITE);
        let color = colored.then(|| glb.floats(Pool::Points, &list(|v| v.color), false));
        let indices = glb.indices(&self.indices, self.vertices.len());
        let attributes = Attributes { position, normal, uv, color };
        Primitive { attributes, indices, material: Some(painter.material(material, two_sided, uvs, glb)) }
    }
}
