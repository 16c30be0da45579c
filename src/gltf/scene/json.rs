//! The JSON part of a glTF 2.0 file, as far as exports use it.
//!
//! Not from a crate: the tests read the files back with the crate that covers all of glTF, and a
//! reader that shared the writer's declarations would prove little.

use serde::Serialize;
use serde_json::Value;

macro_rules! objects {
    ($($(#[$m:meta])* struct $name:ident {
        $($(#[$fm:meta])* $field:ident $(: $t:ty)? $(=> $list:ty)? $(=? $option:ty)?,)*
    })+) => {
        $($(#[$m])*
        #[derive(Serialize, Clone, Debug, Default)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$fm])*
            $(pub $field: $t,)?
            $(#[serde(skip_serializing_if = "Vec::is_empty")] pub $field: Vec<$list>,)?
            $(#[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$option>,)?)*
        })+
    };
}

// `field: T` is always present, `field => T` is a list that is omitted if empty, `field =? T` is
// optional.
objects! {
    struct Root {
        asset: Asset,
        extensions_used => &'static str,
        extensions =? Value,
        scene =? usize,
        scenes => Scene,
        nodes => Node,
        cameras => Camera,
        meshes => Mesh,
        materials => Material,
        textures => Texture,
        samplers => Sampler,
        images => Image,
        animations => Animation,
        accessors => Accessor,
        buffer_views => BufferView,
        buffers => Buffer,
    }
    struct Asset { version: &'static str, generator: String, extras =? Value, }
    struct Scene { name: String, nodes => usize, extras =? Value, }
    struct Node {
        name: String,
        children => usize,
        mesh =? usize,
        camera =? usize,
        translation =? [f32; 3],
        /// x, y, z, w.
        rotation =? [f32; 4],
        scale =? [f32; 3],
        extensions =? Value,
        extras =? Value,
    }
    /// A camera; only the perspective kind.
    struct Camera {
        #[serde(rename = "type")]
        kind: &'static str,
        perspective: Perspective,
    }
    /// Angles in radians.
    struct Perspective { aspect_ratio: f32, yfov: f32, zfar: f32, znear: f32, }
    struct Mesh { name: String, primitives: Vec<Primitive>, extras =? Value, }
    struct Primitive { attributes: Attributes, indices: usize, material =? usize, }
    struct Attributes {
        #[serde(rename = "POSITION")]
        position: usize,
        #[serde(rename = "NORMAL")]
        normal: usize,
        #[serde(rename = "TEXCOORD_0")]
        uv: usize,
        /// The model and vertex that it comes from.
        #[serde(rename = "TEXCOORD_1")]
        identity: usize,
        #[serde(rename = "COLOR_0")]
        color: usize,
    }
    struct Material {
        name: String,
        pbr_metallic_roughness: Pbr,
        emissive_factor =? [f32; 3],
        emissive_texture =? TextureInfo,
        alpha_mode =? &'static str,
        double_sided =? bool,
        extras =? Value,
    }
    /// How a material answers light.
    struct Pbr { base_color_factor =? [f32; 4], base_color_texture =? TextureInfo, metallic_factor: f32,
        roughness_factor: f32, }
    struct TextureInfo { index: usize, }
    /// An image and how it is sampled.
    struct Texture { sampler: usize, source: usize, }
    /// What happens beyond an image's edges.
    struct Sampler { mag_filter: u32, min_filter: u32, wrap_s: u32, wrap_t: u32, }
    /// An image in the binary part.
    struct Image { name: String, mime_type: &'static str, buffer_view: usize, }
    struct Animation { name: String, channels: Vec<Channel>, samplers: Vec<Curve>, extras =? Value, }
    struct Channel { sampler: usize, target: Target, }
    struct Target { node: usize, path: &'static str, }
    struct Curve { input: usize, output: usize, interpolation: &'static str, }
    struct Accessor {
        buffer_view: usize,
        byte_offset: usize,
        component_type: u32,
        count: usize,
        #[serde(rename = "type")]
        kind: &'static str,
        min => f32,
        max => f32,
    }
    struct BufferView { buffer: usize, byte_offset: usize, byte_length: usize, byte_stride =? usize, target =? u32, }
    struct Buffer { byte_length: usize, }
}
