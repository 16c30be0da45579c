//! Reads a glTF file: `.glb` or `.gltf`, its buffers, its values.
//!
//! Not an existing crate: files come from untrusted sources, so every offset, count and index is
//! checked before its use, whereas accessors of known crates rely on a validation that rejects
//! quantized files. Nothing is allocated for a count that exceeds the file's size.

use base64::Engine;
use bytes::Bytes;
use refit_base::wire::{Error, Plain, Result, value_at};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

macro_rules! objects {
    ($($(#[$m:meta])* struct $name:ident { $($(#[$fm:meta])* $field:ident: $t:ty,)* })+) => {
        $($(#[$m])*
        #[derive(Deserialize, Clone, Debug, Default)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $($(#[$fm])* pub $field: $t,)* })+
    };
}

objects! {
    struct Root {
        asset: Asset,
        extensions_used: Vec<String>,
        extensions_required: Vec<String>,
        scene: Option<usize>,
        scenes: Vec<Scene>,
        nodes: Vec<Node>,
        meshes: Vec<Mesh>,
        materials: Vec<Material>,
        textures: Vec<Texture>,
        images: Vec<Image>,
        animations: Vec<Animation>,
        skins: Vec<serde::de::IgnoredAny>,
        cameras: Vec<serde::de::IgnoredAny>,
        accessors: Vec<Accessor>,
        buffer_views: Vec<BufferView>,
        buffers: Vec<Buffer>,
    }
    struct Asset { version: String, generator: String, extras: Option<Value>, }
    struct Scene { nodes: Vec<usize>, extras: Option<Value>, }
    struct Node {
        name: String,
        children: Vec<usize>,
        mesh: Option<usize>,
        camera: Option<usize>,
        skin: Option<usize>,
        matrix: Option<[f64; 16]>,
        translation: Option<[f64; 3]>,
        rotation: Option<[f64; 4]>,
        scale: Option<[f64; 3]>,
        extensions: Option<serde_json::Map<String, Value>>,
        extras: Option<Value>,
    }
    struct Mesh { name: String, primitives: Vec<Primitive>, extras: Option<Value>, }
    struct Primitive {
        attributes: Attributes,
        indices: Option<usize>,
        material: Option<usize>,
        mode: Option<u32>,
        targets: Vec<serde::de::IgnoredAny>,
    }
    struct Attributes {
        #[serde(rename = "POSITION")]
        position: Option<usize>,
        #[serde(rename = "NORMAL")]
        normal: Option<usize>,
        #[serde(rename = "TEXCOORD_0")]
        uv: Option<usize>,
        #[serde(rename = "TEXCOORD_1")]
        identity: Option<usize>,
        #[serde(rename = "COLOR_0")]
        color: Option<usize>,
    }
    struct Material { name: String, pbr_metallic_roughness: Option<Pbr>, double_sided: bool, extras: Option<Value>, }
    struct Pbr { base_color_factor: Option<[f64; 4]>, base_color_texture: Option<TextureInfo>, }
    struct TextureInfo { index: usize, }
    struct Texture { source: Option<usize>, }
    struct Image { name: String, uri: Option<String>, mime_type: Option<String>, buffer_view: Option<usize>, }
    struct Animation { name: String, channels: Vec<Channel>, samplers: Vec<Curve>, extras: Option<Value>, }
    struct Channel { sampler: usize, target: Target, }
    struct Target { node: Option<usize>, path: String, }
    struct Curve { input: usize, output: usize, interpolation: Option<String>, }
    struct Accessor {
        buffer_view: Option<usize>,
        byte_offset: usize,
        component_type: u32,
        normalized: bool,
        count: usize,
        #[serde(rename = "type")]
        kind: String,
        sparse: Option<Sparse>,
    }
    struct Sparse { count: usize, indices: SparseIndices, values: SparseValues, }
    struct SparseIndices { buffer_view: usize, byte_offset: usize, component_type: u32, }
    struct SparseValues { buffer_view: usize, byte_offset: usize, }
    struct BufferView { buffer: usize, byte_offset: usize, byte_length: usize, byte_stride: Option<usize>, }
    struct Buffer { uri: Option<String>, byte_length: usize, }
}

/// Reads a file that a glTF file refers to, by its relative path.
pub type Beside<'a> = dyn Fn(&str) -> Result<Bytes> + 'a;

pub struct GltfFile {
    pub root: Root,
    buffers: Vec<Bytes>,
    /// The remaining amount of numbers to read: a file may refer to the same data again and again.
    budget: AtomicUsize,
}

/// Maximum number of nodes: no game has a quarter of it.
const NODES: usize = 1 << 18;

/// Maximum number of objects in the JSON part: an empty object takes three bytes in the file and
/// some hundred times as many in memory. Exports of the largest worlds have a tenth of it.
const OBJECTS: usize = 1 << 21;

/// True for extensions that are supported or can be ignored.
fn is_known(extension: &str) -> bool {
    extension == "KHR_mesh_quantization"
        || extension == "KHR_lights_punctual"
        || extension.starts_with("KHR_materials_")
}

/// The JSON part and the binary part.
fn chunks(file: &Bytes) -> Result<(Bytes, Option<Bytes>)> {
    if !file.starts_with(b"glTF") {
        let text = file.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{')
            || file.starts_with(b"\xef\xbb\xbf{");
        let start = if file.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let neither = || Error::say("neither a .glb nor a .gltf file").at(0);
        return text
            .then(|| (file.slice(start..), None))
            .ok_or_else(neither);
    }
    let (version, size) = (
        value_at::<u32>(file, 4).unwrap_or_default(),
        value_at::<u32>(file, 8).unwrap_or_default(),
    );
    if version != 2 {
        return Err(Error::say(format!(
            "container version {version} is not supported (expected 2)"
        ))
        .at(4));
    }
    if size as usize != file.len() {
        return Err(Error::say(format!(
            "its header says {size} bytes, but it has {}",
            file.len()
        ))
        .at(8)
        .hint("export it again"));
    }
    let (mut at, mut text, mut data) = (12usize, None, None);
    while at < file.len() {
        let (Some(length), Some(kind)) = (value_at::<u32>(file, at), value_at::<u32>(file, at + 4))
        else {
            return Err(Error::say("a truncated chunk").at(at as u64));
        };
        let start = at + 8;
        let end = start
            .checked_add(length as usize)
            .filter(|end| *end <= file.len());
        let end = end.ok_or_else(|| {
            Error::say(format!(
                "a chunk says {length} bytes, but {} are left",
                file.len() - start
            ))
            .at(at as u64)
        })?;
        match kind {
            0x4E4F_534A if text.is_none() => text = Some(file.slice(start..end)),
            0x004E_4942 if data.is_none() => data = Some(file.slice(start..end)),
            _ => {}
        }
        at = end.next_multiple_of(4);
    }
    Ok((
        text.ok_or_else(|| Error::say("it has no JSON chunk").at(12))?,
        data,
    ))
}

/// A URI with its percent-encoding (`%20`) decoded.
fn unescaped(uri: &str) -> String {
    let mut out = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let hex = more
            .get(..2)
            .and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        match hex.filter(|_| *first == b'%') {
            Some(byte) => {
                out.push(byte);
                rest = more.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The bytes of a URI: embedded data, or the content of a file.
fn fetch(uri: &str, beside: &Beside<'_>) -> Result<Bytes> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, text) = data
            .split_once(";base64,")
            .ok_or_else(|| Error::say("a data URI that is not base64"))?;
        let decoded = base64::engine::general_purpose::STANDARD.decode(text.trim().as_bytes());
        return decoded
            .map(Bytes::from)
            .map_err(|e| Error::say(format!("a data URI with damaged base64: {e}")));
    }
    let path = unescaped(uri).replace('\\', "/");
    let inside = !path.starts_with('/')
        && !path.contains(':')
        && path.split('/').all(|part| part != ".." && !part.is_empty());
    if !inside {
        return Err(
            Error::say(format!("{path:?} leads out of the folder of the file"))
                .hint("put the files next to each other, or export one .glb"),
        );
    }
    beside(&path)
}

impl GltfFile {
    /// Reads a file. Returns an error for invalid structure, for unsupported features (skins,
    /// packed meshes), and for missing buffers.
    pub fn open(file: &Bytes, beside: &Beside<'_>) -> Result<Self> {
        let (text, data) = chunks(file)?;
        let objects = text.iter().filter(|byte| **byte == b'{').count();
        if objects > OBJECTS {
            return Err(Error::say(format!(
                "the JSON part: {objects} objects: at most {OBJECTS} are read"
            )));
        }
        let unread = |why: &dyn std::fmt::Display| Error::say(format!("the JSON part: {why}"));
        let root: Root = serde_json::from_str(std::str::from_utf8(&text).map_err(|e| unread(&e))?)
            .map_err(|e| unread(&e))?;
        if !root.asset.version.starts_with("2.") {
            return Err(
                Error::say(format!("glTF {:?}: 2.0 is known", root.asset.version))
                    .within("asset.version"),
            );
        }
        let packed = |extension: &String| match extension.as_str() {
            "KHR_draco_mesh_compression" => Some("Draco"),
            "EXT_meshopt_compression" | "KHR_meshopt_compression" => Some("meshopt"),
            _ => None,
        };
        if let Some(packed) = root
            .extensions_required
            .iter()
            .chain(&root.extensions_used)
            .find_map(packed)
        {
            let why = format!("its meshes are packed with {packed}");
            return Err(Error::say(why).hint("export it again without compression"));
        }
        if let Some(extension) = root.extensions_required.iter().find(|e| !is_known(e)) {
            let why = format!("it needs the extension {extension:?}, which refit does not know");
            return Err(Error::say(why).hint("export it again without it"));
        }
        if !root.skins.is_empty() || root.nodes.iter().any(|n| n.skin.is_some()) {
            return Err(
                Error::say("its meshes are bent by bones (skins); the games have none").hint(
                    "in Blender apply the Armature modifier, and parent the parts to objects",
                ),
            );
        }
        if root.nodes.len() > NODES {
            return Err(Error::say(format!(
                "{} nodes: at most {NODES} are read",
                root.nodes.len()
            ))
            .within("nodes"));
        }
        let mut buffers = Vec::new();
        let mut total = file.len();
        // A file used by several buffers is read once.
        let mut fetched: HashMap<&str, Bytes> = HashMap::new();
        for (i, buffer) in root.buffers.iter().enumerate() {
            let step = |e: Error| e.within(format!("buffers[{i}]"));
            let bytes = match (&buffer.uri, i) {
                (Some(uri), _) => match fetched.get(uri.as_str()) {
                    Some(known) => known.clone(),
                    None => {
                        let bytes = fetch(uri, beside).map_err(step)?;
                        if !uri.starts_with("data:") {
                            total = total.saturating_add(bytes.len());
                        }
                        fetched.insert(uri, bytes.clone());
                        bytes
                    }
                },
                (None, 0) => data
                    .clone()
                    .ok_or_else(|| step(Error::say("the file has no binary chunk")))?,
                (None, _) => {
                    return Err(step(Error::say(
                        "it has neither a URI nor the binary chunk",
                    )));
                }
            };
            if buffer.byte_length > bytes.len() {
                let (declared, found) = (buffer.byte_length, bytes.len());
                return Err(step(Error::say(format!(
                    "it says {declared} bytes, but has {found}"
                ))));
            }
            buffers.push(bytes);
        }
        let budget = AtomicUsize::new(total.saturating_mul(4).saturating_add(1 << 16));
        Ok(GltfFile {
            root,
            buffers,
            budget,
        })
    }

    /// Subtracts from the budget.
    pub fn spend(&self, numbers: usize) -> Result<()> {
        let spent = self
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(numbers)
            });
        spent.map(|_| ()).map_err(|_| {
            // After that, no read succeeds, however small.
            self.budget.store(0, Ordering::Relaxed);
            Error::say(
                "it refers to the same parts of its buffers too often: the data would be much larger than the file",
            )
        })
    }

    fn view(&self, index: usize) -> Result<(Bytes, Option<usize>)> {
        let step = |e: Error| e.within(format!("bufferViews[{index}]"));
        let view = self
            .root
            .buffer_views
            .get(index)
            .ok_or_else(|| step(Error::say("there is no such view")))?;
        let buffer = self
            .buffers
            .get(view.buffer)
            .ok_or_else(|| step(Error::say(format!("there is no buffer {}", view.buffer))))?;
        let end = view
            .byte_offset
            .checked_add(view.byte_length)
            .filter(|end| *end <= buffer.len());
        let end = end.ok_or_else(|| {
            let (len, at, most) = (view.byte_length, view.byte_offset, buffer.len());
            step(Error::say(format!(
                "{len} bytes from {at} on: the buffer has {most}"
            )))
        })?;
        Ok((buffer.slice(view.byte_offset..end), view.byte_stride))
    }

    /// Number of components per value of an accessor.
    pub fn width(&self, index: usize) -> usize {
        let kind = self
            .root
            .accessors
            .get(index)
            .map_or("", |a| a.kind.as_str());
        ["SCALAR", "VEC2", "VEC3", "VEC4"]
            .iter()
            .position(|k| *k == kind)
            .map_or(0, |at| at + 1)
    }

    /// The bytes of an image, embedded or from a separate file.
    pub fn image(&self, index: usize, beside: &Beside<'_>) -> Result<Bytes> {
        let step = |e: Error| e.within(format!("images[{index}]"));
        let image = self
            .root
            .images
            .get(index)
            .ok_or_else(|| step(Error::say("there is no such image")))?;
        match (image.buffer_view, &image.uri) {
            (Some(view), _) => self.view(view).map(|(bytes, _)| bytes).map_err(step),
            (None, Some(uri)) => fetch(uri, beside).map_err(step),
            (None, None) => Err(step(Error::say("it has neither bytes nor a URI"))),
        }
    }

    /// The values of an accessor, with `N` components each.
    pub fn values<const N: usize>(&self, index: usize) -> Result<Vec<[f32; N]>> {
        let step = |e: Error| e.within(format!("accessors[{index}]"));
        let out = self.accessor(index).map_err(step)?;
        match out
            .iter()
            .position(|value: &[f32; N]| !value.iter().all(|v| v.is_finite()))
        {
            Some(bad) => Err(step(Error::say(format!("value {bad} is not finite")))),
            None => Ok(out),
        }
    }

    /// The values of an accessor of directions; `None` for invalid ones, which Blender writes if it
    /// cannot compute one.
    pub fn directions(&self, index: usize) -> Result<Vec<Option<[f32; 3]>>> {
        let values = self
            .accessor::<3>(index)
            .map_err(|e| e.within(format!("accessors[{index}]")))?;
        Ok(values
            .into_iter()
            .map(|value| Some(value).filter(|value| value.iter().all(|v| v.is_finite())))
            .collect())
    }

    fn accessor<const N: usize>(&self, index: usize) -> Result<Vec<[f32; N]>> {
        let accessor = self
            .root
            .accessors
            .get(index)
            .ok_or_else(|| Error::say("there is no such accessor"))?;
        if self.width(index) != N {
            return Err(Error::say(format!(
                "{:?} where {N} numbers a value are needed",
                accessor.kind
            )));
        }
        let component = Component::of(accessor.component_type, accessor.normalized)?;
        self.spend(accessor.count.saturating_mul(N))?;
        let mut out: Vec<[f32; N]> = match accessor.buffer_view {
            Some(view) => {
                let (bytes, stride) = self.view(view)?;
                let stride = stride.unwrap_or(N * component.size());
                read(
                    &bytes,
                    accessor.byte_offset,
                    stride,
                    accessor.count,
                    component,
                )?
            }
            None => vec![[0.0; N]; accessor.count],
        };
        if let Some(sparse) = &accessor.sparse {
            self.spend(sparse.count.saturating_mul(N + 1))?;
            let (bytes, _) = self.view(sparse.indices.buffer_view)?;
            let which = Component::of(sparse.indices.component_type, false)?;
            let places = integers(&bytes, sparse.indices.byte_offset, sparse.count, which)?;
            let (bytes, _) = self.view(sparse.values.buffer_view)?;
            let values: Vec<[f32; N]> = read(
                &bytes,
                sparse.values.byte_offset,
                N * component.size(),
                sparse.count,
                component,
            )?;
            for (place, value) in places.into_iter().zip(values) {
                let slot = out.get_mut(place as usize);
                *slot.ok_or_else(|| {
                    Error::say(format!(
                        "its sparse part replaces value {place} of {}",
                        accessor.count
                    ))
                })? = value;
            }
        }
        Ok(out)
    }

    /// The indices of a primitive.
    pub fn indices(&self, index: usize) -> Result<Vec<u32>> {
        let step = |e: Error| e.within(format!("accessors[{index}]"));
        let accessor = self
            .root
            .accessors
            .get(index)
            .ok_or_else(|| step(Error::say("there is no such accessor")))?;
        if accessor.sparse.is_some() || self.width(index) != 1 {
            return Err(step(Error::say("indices that are not scalars")));
        }
        self.spend(accessor.count).map_err(step)?;
        let view = accessor
            .buffer_view
            .ok_or_else(|| step(Error::say("indices without bytes")))?;
        let (bytes, _) = self.view(view)?;
        Component::of(accessor.component_type, false)
            .and_then(|c| integers(&bytes, accessor.byte_offset, accessor.count, c))
            .map_err(step)
    }
}

/// The type of a component: the number in glTF, and whether it is normalized.
#[derive(Clone, Copy)]
struct Component {
    kind: u32,
    normalized: bool,
}

impl Component {
    fn of(kind: u32, normalized: bool) -> Result<Self> {
        match kind {
            5120..=5123 | 5125 | 5126 => Ok(Component { kind, normalized }),
            _ => Err(Error::say(format!("component type {kind} is not known"))),
        }
    }

    fn size(self) -> usize {
        match self.kind {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        }
    }

    /// The component at a position, which must be in bounds.
    fn get(self, bytes: &[u8], at: usize) -> f32 {
        let part = bytes.get(at..).unwrap_or_default();
        let (value, most) = match self.kind {
            5120 => (f32::from(i8::get(part)), 127.0),
            5121 => (f32::from(u8::get(part)), 255.0),
            5122 => (f32::from(i16::get(part)), 32767.0),
            5123 => (f32::from(u16::get(part)), 65535.0),
            5125 => return u32::get(part) as f32,
            _ => return f32::from_bits(u32::get(part)),
        };
        if self.normalized {
            (value / most).max(-1.0)
        } else {
            value
        }
    }
}

/// Returns an error if `count` values of `size` bytes do not fit.
fn fits(bytes: &[u8], offset: usize, stride: usize, count: usize, size: usize) -> Result<()> {
    if stride < size {
        return Err(Error::say(format!(
            "a stride of {stride} bytes for values of {size}"
        )));
    }
    let end = count.checked_sub(1).map_or(Some(0), |last| {
        last.checked_mul(stride)?
            .checked_add(size)?
            .checked_add(offset)
    });
    match end.filter(|end| *end <= bytes.len()) {
        Some(_) => Ok(()),
        None => Err(Error::say(format!(
            "{count} values from {offset} on do not fit into {} bytes",
            bytes.len()
        ))),
    }
}

fn read<const N: usize>(
    bytes: &[u8],
    offset: usize,
    stride: usize,
    count: usize,
    component: Component,
) -> Result<Vec<[f32; N]>> {
    fits(bytes, offset, stride, count, N * component.size())?;
    let one = |i: usize| {
        std::array::from_fn(|n| component.get(bytes, offset + i * stride + n * component.size()))
    };
    Ok((0..count).map(one).collect())
}

fn integers(bytes: &[u8], offset: usize, count: usize, component: Component) -> Result<Vec<u32>> {
    let size = component.size();
    fits(bytes, offset, size, count, size)?;
    let part = |i: usize| bytes.get(offset + i * size..).unwrap_or_default();
    let one = |i: usize| match component.kind {
        5121 => Ok(u8::get(part(i)).into()),
        5123 => Ok(u16::get(part(i)).into()),
        5125 => Ok(u32::get(part(i))),
        _ => Err(Error::say("indices that are not integers")),
    };
    (0..count).map(one).collect()
}
