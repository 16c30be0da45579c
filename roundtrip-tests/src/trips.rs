//! Exports that went through another program, and edits of them.
//!
//! The effects of an unedited trip through Blender were measured with `bpy` 4.2, 4.5 and 5.1
//! (`blender/check.py` runs it); [`Trip`] simulates it without Blender: no extras, split vertices,
//! colours through bytes, normals with the errors of their encoding, and more.

use crate::khronos::glb;
use bytes::Bytes;
use refit::{
    gltf::import::{self, Options, Report},
    pipeline::{self, Hints},
    tree::{Folder, Source},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A corner of a triangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Corner {
    /// Its position.
    pub at: [f32; 3],
    /// Of length 1.
    pub normal: [f32; 3],
    /// Texture coordinates.
    pub uv: [f32; 2],
    /// Vertex and model, 1 higher.
    pub tag: [f32; 2],
    /// Amounts of light.
    pub color: [f32; 3],
}

/// A triangle with its material's name and whether that is two-sided.
#[derive(Clone, PartialEq, Debug)]
pub struct Face {
    /// Its material's name.
    pub material: String,
    /// Shown from behind, too.
    pub two_sided: bool,
    /// Counter-clockwise.
    pub corners: [Corner; 3],
}

/// How a program changes a file.
#[derive(Clone, Copy, Default)]
pub struct Trip {
    /// No second texture coordinates.
    pub untagged: bool,
    /// No normals, colours and texture coordinates.
    pub bare: bool,
    /// Colours as four shorts, as some of Blender's are.
    pub shorts: bool,
    /// Names with `.001`.
    pub doubled: bool,
    /// Triangle strips of one triangle each, and no indices.
    pub strips: bool,
}

/// The triangles of a file.
pub fn faces(glb: &[u8]) -> Vec<Face> {
    let (doc, buffers, _) = gltf::import_slice(glb).unwrap();
    let mut out = Vec::new();
    for primitive in doc.meshes().flat_map(|m| m.primitives()) {
        let reader = primitive.reader(|b| Some(&buffers[b.index()]));
        let at: Vec<_> = reader.read_positions().unwrap().collect();
        let normals: Vec<_> = reader
            .read_normals()
            .expect("normals are everywhere")
            .collect();
        let uvs: Vec<_> = reader
            .read_tex_coords(0)
            .expect("texture coordinates are everywhere")
            .into_f32()
            .collect();
        let tags: Vec<_> = reader
            .read_tex_coords(1)
            .expect("vertices say which they are")
            .into_f32()
            .collect();
        let colors: Vec<_> = reader
            .read_colors(0)
            .expect("colours are everywhere")
            .into_rgb_f32()
            .collect();
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        let corner = |i: u32| {
            let i = i as usize;
            Corner {
                at: at[i],
                normal: normals[i],
                uv: uvs[i],
                tag: tags[i],
                color: colors[i],
            }
        };
        let material = primitive.material();
        for t in indices.chunks(3) {
            out.push(Face {
                material: material.name().unwrap().to_owned(),
                two_sided: material.double_sided(),
                corners: [corner(t[0]), corner(t[1]), corner(t[2])],
            });
        }
    }
    out
}

/// sRGB and back, as bytes.
fn through_bytes(light: f32) -> f32 {
    let shown = if light <= 0.0031308 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    };
    let byte = (shown * 255.0).round() / 255.0;
    if byte <= 0.04045 {
        byte / 12.92
    } else {
        ((byte + 0.055) / 1.055).powf(2.4)
    }
}

/// A file of faces, as written by a program that drops all of refit's extras.
pub fn write(faces: &[Face], trip: Trip, node: Value) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    let (mut views, mut accessors, mut primitives, mut materials) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut names: Vec<(&str, bool)> = faces
        .iter()
        .map(|f| (f.material.as_str(), f.two_sided))
        .collect();
    names.sort_unstable();
    names.dedup();
    for (i, (name, two_sided)) in names.iter().enumerate() {
        let end = if trip.doubled { ".001" } else { "" };
        materials.push(json!({ "name": format!("{name}{end}"), "doubleSided": two_sided }));
        let own: Vec<&Face> = faces
            .iter()
            .filter(|f| (f.material.as_str(), f.two_sided) == (*name, *two_sided))
            .collect();
        let corners: Vec<&Corner> = own.iter().flat_map(|f| &f.corners).collect();
        let mut put = |kind: &str,
                       component: u32,
                       bytes: Vec<u8>,
                       count: usize,
                       normalized: bool| {
            data.resize(data.len().next_multiple_of(4), 0);
            views.push(json!({ "buffer": 0, "byteOffset": data.len(), "byteLength": bytes.len() }));
            data.extend(bytes);
            accessors.push(json!({
                "bufferView": views.len() - 1, "componentType": component, "type": kind, "count": count,
                "normalized": normalized,
            }));
            accessors.len() - 1
        };
        let floats = |of: &dyn Fn(&Corner) -> Vec<f32>| {
            corners
                .iter()
                .flat_map(|c| of(c))
                .flat_map(f32::to_le_bytes)
                .collect::<Vec<u8>>()
        };
        let n = corners.len();
        let mut attributes =
            json!({ "POSITION": put("VEC3", 5126, floats(&|c| c.at.to_vec()), n, false) });
        if !trip.bare {
            // The error of the encoding of normals, and the two flips of v.
            let normal = |c: &Corner| c.normal.iter().map(|v| v + 1e-4).collect();
            let uv = |c: &Corner| vec![c.uv[0], 1.0 - (1.0 - c.uv[1])];
            attributes["NORMAL"] = json!(put("VEC3", 5126, floats(&normal), n, false));
            attributes["TEXCOORD_0"] = json!(put("VEC2", 5126, floats(&uv), n, false));
            attributes["COLOR_0"] = if trip.shorts {
                let shorts = |c: &Corner| {
                    c.color
                        .iter()
                        .map(|v| (through_bytes(*v) * 65535.0).round() as u16)
                        .chain([65535])
                        .collect::<Vec<u16>>()
                };
                let bytes = corners
                    .iter()
                    .flat_map(|c| shorts(c))
                    .flat_map(u16::to_le_bytes)
                    .collect();
                json!(put("VEC4", 5123, bytes, n, true))
            } else {
                json!(put(
                    "VEC3",
                    5126,
                    floats(&|c| c.color.map(through_bytes).to_vec()),
                    n,
                    false
                ))
            };
        }
        if !trip.untagged {
            attributes["TEXCOORD_1"] =
                json!(put("VEC2", 5126, floats(&|c| c.tag.to_vec()), n, false));
        }
        let mut primitive = json!({ "attributes": attributes, "material": i });
        if !trip.strips {
            let indices: Vec<u8> = (0..n as u32).flat_map(u32::to_le_bytes).collect();
            primitive["indices"] = json!(put("SCALAR", 5125, indices, n, false));
        }
        primitives.push(primitive);
    }
    let mut node = node;
    node["mesh"] = json!(0);
    glb(
        &json!({
            "asset": { "version": "2.0", "generator": "Khronos glTF Blender I/O v4.2.83" },
            "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [node],
            "meshes": [{ "name": "mesh", "primitives": primitives }], "materials": materials,
            "accessors": accessors, "bufferViews": views, "buffers": [{ "byteLength": data.len() }],
        }),
        &data,
    )
}

/// The exported files of a file.
pub fn export(file: &Bytes, path: &str) -> BTreeMap<String, Bytes> {
    let opened = pipeline::open(file, path, Hints::default()).unwrap();
    let out = Folder::new();
    refit::gltf::export(&opened.model, &[], &out).unwrap();
    out.paths()
        .into_iter()
        .map(|p| (p.clone(), out.get(&p).unwrap()))
        .collect()
}

/// The file with a glTF in one of its members. It brings no finding in.
pub fn put(
    file: &Bytes,
    path: &str,
    member: &str,
    gltf: &[u8],
    options: Options,
) -> refit::Result<(Bytes, Report)> {
    let (found, report) = put_any(file, path, member, gltf, options)?;
    unharmed(file, &found, path);
    Ok((found, report))
}

/// The file with a glTF in one of its members, whatever that brings in.
pub fn put_any(
    file: &Bytes,
    path: &str,
    member: &str,
    gltf: &[u8],
    options: Options,
) -> refit::Result<(Bytes, Report)> {
    let mut opened = pipeline::open(file, path, Hints::default()).unwrap();
    let index = opened
        .model
        .model()
        .members()
        .iter()
        .position(|m| m.name == member)
        .unwrap_or_else(|| panic!("{path} has no {member}"));
    let gltf = Bytes::copy_from_slice(gltf);
    let report = import::put(
        &mut opened.model,
        index,
        &import::Source {
            file: &gltf,
            beside: &alone,
        },
        options,
    )?;
    Ok((opened.model.write().unwrap().into(), report))
}

/// The file with the objects of a glTF below one of its nodes.
pub fn add(file: &Bytes, path: &str, under: &str, gltf: &[u8]) -> refit::Result<(Bytes, Report)> {
    let mut opened = pipeline::open(file, path, Hints::default()).unwrap();
    let gltf = Bytes::copy_from_slice(gltf);
    let report = import::add(
        &mut opened.model,
        under,
        &import::Source {
            file: &gltf,
            beside: &alone,
        },
        Options::default(),
    )?;
    let found: Bytes = opened.model.write().unwrap().into();
    unharmed(file, &found, path);
    Ok((found, report))
}

/// Findings that an import may cause because of its content: the number of vertices, a name. The
/// program reports them. Any other one would be a bug of refit.
const SHOWN: [&str; 3] = ["gamez-vertices", "gamez-vertices-craters", "gamez-lookup"];

/// Asserts that an import caused only findings that the imported file explains.
#[track_caller]
pub fn unharmed(before: &Bytes, now: &Bytes, path: &str) {
    let open = |bytes: &Bytes| pipeline::open(bytes, path, Hints::default()).unwrap().model;
    let mut found = pipeline::lint_edit(&open(now), &open(before)).unwrap();
    found.retain(|finding| !SHOWN.contains(&finding.code));
    assert!(
        found.is_empty(),
        "{path}: refit made what it finds unusual: {found:#?}"
    );
}

/// For a glTF file without other files.
pub fn alone(path: &str) -> refit::Result<Bytes> {
    Err(refit::Error::say(format!("no {path}")))
}

/// A triangle in the air, of a material.
pub fn tower(name: &str, material: &str) -> Bytes {
    let corner = |x: f32, y: f32| Corner {
        at: [x, y, 2.0],
        normal: [0.0, 0.0, 1.0],
        uv: [x, y],
        tag: [0.0, 0.0],
        color: [1.0, 1.0, 1.0],
    };
    let corners = [corner(0.0, 0.0), corner(9.0, 0.0), corner(4.0, 30.0)];
    let face = Face {
        material: material.to_owned(),
        two_sided: false,
        corners,
    };
    write(
        &[face],
        Trip {
            untagged: true,
            ..Trip::default()
        },
        json!({ "name": name }),
    )
    .into()
}
