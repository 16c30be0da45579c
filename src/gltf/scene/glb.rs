//! Writes the file: a JSON part and a binary part, in a GLB container.

use super::json::{Accessor, Asset, Buffer, BufferView, Node, Root, Scene};
use bytes::Bytes;
use refit_base::wire::{Error, Items, Result, fit};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Values of one shape, stored consecutively in one view of the binary part.
#[derive(Clone, Copy)]
pub enum Pool {
    /// Three floats per vertex: positions, normals, colours.
    Points,
    /// Two floats per vertex.
    Uvs,
    /// Indices of 16 bits.
    Shorts,
    /// Indices of 32 bits.
    Words,
    /// Times and values of animations.
    Keys,
}

const ARRAY: Option<u32> = Some(34962);
const INDICES: Option<u32> = Some(34963);

/// The stride and target of the view of each [`Pool`].
const POOLS: [(Option<usize>, Option<u32>); 5] = [
    (Some(12), ARRAY),
    (Some(8), ARRAY),
    (None, INDICES),
    (None, INDICES),
    (None, None),
];

/// Makes extras suitable for Blender: numbers that were f32 get their shortest form, nulls are
/// dropped as Blender drops them, and integers beyond Blender's range become text. Extras are only
/// a few levels deep.
fn shorten(value: &mut Value) {
    match value {
        Value::Number(number)
            if number.as_i64().is_none_or(|n| i32::try_from(n).is_err()) && !number.is_f64() =>
        {
            *value = json!(number.to_string());
        }
        Value::Number(number) if number.is_f64() => {
            let single = number.as_f64().map(|v| v as f32).unwrap_or_default();
            if let Ok(short) = single.to_string().parse::<f64>() {
                *value = json!(short);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(shorten);
        }
        _ => {}
    }
}

/// Maximum number of notes in a file.
const NOTES: usize = 200;

/// Maximum length of a name in bytes: Blender cuts longer ones.
const NAME: usize = 63;

/// Replaces an empty name, for which programs would invent one.
const UNNAMED: &str = "unnamed";

/// The exported name of the first thing with a name.
pub fn first_name(name: &str) -> &str {
    cut(if name.is_empty() { UNNAMED } else { name }, NAME)
}

/// Names in use. Names are unique, because Blender identifies things by them and renames a second
/// one to `name.001`.
#[derive(Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// Returns the wanted name, or `name#index` if it is taken.
    pub fn unique(&mut self, wanted: &str, index: usize) -> String {
        let wanted = if wanted.is_empty() { UNNAMED } else { wanted };
        let ends = std::iter::once(String::new()).chain(std::iter::once(format!("#{index}")));
        let mut all = ends
            .chain((2..).map(|n: usize| format!("#{index}-{n}")))
            .map(|end| cut(wanted, NAME.saturating_sub(end.len())).to_owned() + &end);
        all.find(|name| self.0.insert(name.clone()))
            .unwrap_or_default()
    }
}

/// At most `most` bytes of a text, without splitting a character.
pub fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    text.get(..end).unwrap_or(text)
}

/// A file under construction.
pub struct Glb {
    /// The JSON part. Views and buffer are filled in by [`Glb::finish`].
    pub root: Root,
    /// Facts about the whole file, for its extras.
    pub facts: serde_json::Map<String, Value>,
    /// The names of its nodes.
    pub node_names: Names,
    pub mesh_names: Names,
    pools: [Vec<u8>; POOLS.len()],
    images: Vec<Bytes>,
    notes: Vec<String>,
    more: usize,
}

impl Glb {
    /// An empty file.
    pub fn new() -> Self {
        let asset = Asset {
            version: "2.0",
            generator: format!("refit {}", env!("CARGO_PKG_VERSION")),
            extras: None,
        };
        Glb {
            root: Root {
                asset,
                ..Root::default()
            },
            facts: serde_json::Map::new(),
            node_names: Names::default(),
            mesh_names: Names::default(),
            pools: Default::default(),
            images: Vec::new(),
            notes: Vec::new(),
            more: 0,
        }
    }

    /// Adds a note to the asset's extras, about something that the file does not show faithfully.
    pub fn note(&mut self, say: impl Into<String>) {
        if self.notes.len() < NOTES {
            self.notes.push(say.into());
        } else {
            self.more += 1;
        }
    }

    /// Adds a scene with one node that shows a mesh.
    pub fn single(&mut self, name: &str, mesh: usize) {
        self.root.nodes.push(Node {
            name: self.node_names.unique(name, 0),
            mesh: Some(mesh),
            ..Node::default()
        });
        self.root.scenes.push(Scene {
            name: name.to_owned(),
            nodes: vec![self.root.nodes.len() - 1],
            extras: None,
        });
        self.root.scene = Some(0);
    }

    /// Lists an extension as used.
    pub fn uses(&mut self, extension: &'static str) {
        if !self.root.extensions_used.contains(&extension) {
            self.root.extensions_used.push(extension);
        }
    }

    fn accessor(
        &mut self,
        pool: Pool,
        bytes: impl Iterator<Item = u8>,
        accessor: Accessor,
    ) -> usize {
        let at = pool as usize;
        let mut byte_offset = 0;
        if let Some(pool) = self.pools.get_mut(at) {
            byte_offset = pool.len();
            pool.extend(bytes);
        }
        // The pool's number is a placeholder for its view until the end.
        self.root.accessors.push(Accessor {
            buffer_view: at,
            byte_offset,
            ..accessor
        });
        self.root.accessors.len() - 1
    }

    /// Adds at least one value of `N` floats; `bounds` adds the minimum and maximum that glTF
    /// requires for positions.
    pub fn floats<const N: usize>(
        &mut self,
        pool: Pool,
        values: &[[f32; N]],
        bounds: bool,
    ) -> usize {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"].item(N.wrapping_sub(1));
        let edge = |pick: fn(f32, f32) -> f32| {
            let start = values.first().copied().unwrap_or([0.0; N]);
            let folded = values.iter().fold(start, |mut edge, value| {
                edge.iter_mut()
                    .zip(value)
                    .for_each(|(e, v)| *e = pick(*e, *v));
                edge
            });
            folded.to_vec()
        };
        let (min, max) = if bounds {
            (edge(f32::min), edge(f32::max))
        } else {
            Default::default()
        };
        let accessor = Accessor {
            component_type: 5126,
            count: values.len(),
            kind,
            min,
            max,
            ..Accessor::default()
        };
        self.accessor(
            pool,
            values.iter().flatten().flat_map(|v| v.to_le_bytes()),
            accessor,
        )
    }

    /// Adds indices into `vertices` values. They have 16 bits if that suffices; the largest 16-bit
    /// value is reserved.
    pub fn indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        let accessor = |component_type| Accessor {
            component_type,
            count: indices.len(),
            kind: "SCALAR",
            ..Accessor::default()
        };
        if vertices < usize::from(u16::MAX) {
            self.accessor(
                Pool::Shorts,
                indices.iter().flat_map(|i| (*i as u16).to_le_bytes()),
                accessor(5123),
            )
        } else {
            self.accessor(
                Pool::Words,
                indices.iter().flat_map(|i| i.to_le_bytes()),
                accessor(5125),
            )
        }
    }

    /// Adds an image file to the binary part. Returns a placeholder for its view until the end.
    pub fn image(&mut self, file: Bytes) -> usize {
        self.images.push(file);
        POOLS.len() + self.images.len() - 1
    }

    /// The file's bytes.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        // Creates views for nonempty pools, and maps pools to views.
        let mut views: Vec<Option<usize>> = Vec::new();
        let mut end = 0usize;
        let pools = POOLS
            .iter()
            .zip(&self.pools)
            .map(|(facts, bytes)| (*facts, bytes.len()));
        let images = self.images.iter().map(|file| ((None, None), file.len()));
        for ((byte_stride, target), byte_length) in pools.chain(images) {
            if byte_length == 0 {
                views.push(None);
                continue;
            }
            end = end.next_multiple_of(4);
            views.push(Some(self.root.buffer_views.len()));
            self.root.buffer_views.push(BufferView {
                buffer: 0,
                byte_offset: end,
                byte_length,
                byte_stride,
                target,
            });
            end += byte_length;
        }
        let view = |pool: usize| views.get(pool).copied().flatten().unwrap_or_default();
        for accessor in &mut self.root.accessors {
            accessor.buffer_view = view(accessor.buffer_view);
        }
        for image in &mut self.root.images {
            image.buffer_view = view(image.buffer_view);
        }
        if end > 0 {
            self.root.buffers.push(Buffer { byte_length: end });
        }
        let Root {
            scenes,
            nodes,
            meshes,
            materials,
            animations,
            ..
        } = &mut self.root;
        // On the scene and on its nodes as well: programs drop extras of `asset` first.
        for scene in scenes.iter_mut().filter(|_| !self.facts.is_empty()) {
            scene.extras = Some(json!({ "refit": self.facts }));
            for root in &scene.nodes {
                let Some(node) = nodes.get_mut(*root) else {
                    continue;
                };
                if let Some(extras) = node.extras.get_or_insert_with(|| json!({})).as_object_mut() {
                    extras.insert("refit".into(), json!(self.facts));
                }
            }
        }
        let extras = nodes
            .iter_mut()
            .map(|n| &mut n.extras)
            .chain(meshes.iter_mut().map(|m| &mut m.extras));
        let extras = extras.chain(materials.iter_mut().map(|m| &mut m.extras));
        extras
            .chain(animations.iter_mut().map(|a| &mut a.extras))
            .flatten()
            .for_each(shorten);
        if self.more > 0 {
            self.notes.push(format!("and {} notes more", self.more));
        }
        if !self.notes.is_empty() {
            self.facts.insert("notes".into(), json!(self.notes));
        }
        self.root.asset.extras =
            (!self.facts.is_empty()).then(|| std::mem::take(&mut self.facts).into());

        let mut text = serde_json::to_vec(&self.root)
            .map_err(|e| Error::say(format!("the JSON part cannot be written: {e}")))?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let data = end.next_multiple_of(4);
        let size = 12 + 8 + text.len() + if data > 0 { 8 + data } else { 0 };
        let size: u32 = fit(size, "the size of a .glb file")?;
        let mut out = Vec::with_capacity(size as usize);
        let words = |out: &mut Vec<u8>, words: &[u32]| {
            out.extend(words.iter().flat_map(|w| w.to_le_bytes()))
        };
        words(
            &mut out,
            &[0x4654_6C67, 2, size, text.len() as u32, 0x4E4F_534A],
        );
        out.append(&mut text);
        if data > 0 {
            words(&mut out, &[data as u32, 0x004E_4942]);
            let start = out.len();
            let mut part = |bytes: &[u8]| {
                out.resize(start + (out.len() - start).next_multiple_of(4), 0);
                out.extend_from_slice(bytes);
            };
            self.pools
                .iter()
                .filter(|p| !p.is_empty())
                .for_each(|p| part(p));
            self.images
                .iter()
                .filter(|i| !i.is_empty())
                .for_each(|i| part(i));
            out.resize(start + data, 0);
        }
        Ok(out)
    }
}
