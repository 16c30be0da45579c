//! Exports to glTF, read back with the `gltf` crate: its validation, its view of buffers and
//! images, and the expected content.

use bytes::Bytes;
use gltf::{Document, Gltf, mesh::Mode};
use refit::{
    pipeline::{self, Hints},
    tree::{Folder, Source, Style},
};
use roundtrip_tests::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An exported file: validated, with its buffers and images read.
struct Glb {
    doc: Document,
    buffers: Vec<gltf::buffer::Data>,
    images: Vec<gltf::image::Data>,
    asset: Value,
}

fn extras(raw: &gltf::json::Extras) -> Value {
    raw.as_ref()
        .map_or(Value::Null, |raw| serde_json::from_str(raw.get()).unwrap())
}

impl Glb {
    fn read(path: &str, bytes: &[u8]) -> Glb {
        let checked = Gltf::from_slice(bytes).unwrap_or_else(|e| panic!("{path}: {e}"));
        let asset = extras(&checked.document.into_json().asset.extras);
        let faults = khronos::faults(bytes);
        assert!(faults.is_empty(), "{path}: {faults:#?}");
        let (doc, buffers, images) =
            gltf::import_slice(bytes).unwrap_or_else(|e| panic!("{path}: {e}"));
        let glb = Glb {
            doc,
            buffers,
            images,
            asset,
        };
        glb.judge(path);
        glb
    }

    /// Checks that the crate's validation lacks: every number is finite and every reference valid.
    fn judge(&self, path: &str) {
        for mesh in self.doc.meshes() {
            for primitive in mesh.primitives() {
                assert_eq!(primitive.mode(), Mode::Triangles);
                let reader = primitive.reader(|b| Some(&self.buffers[b.index()]));
                let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
                let bounds = primitive.bounding_box();
                for axis in 0..3 {
                    let values = || positions.iter().map(|p| p[axis]);
                    assert!(values().all(f32::is_finite), "{path}");
                    assert_eq!(
                        values().fold(f32::INFINITY, f32::min),
                        bounds.min[axis],
                        "{path}"
                    );
                    assert_eq!(
                        values().fold(f32::NEG_INFINITY, f32::max),
                        bounds.max[axis],
                        "{path}"
                    );
                }
                let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
                assert!(
                    indices.len().is_multiple_of(3) && !indices.is_empty(),
                    "{path}"
                );
                let used: BTreeSet<u32> = indices.iter().copied().collect();
                assert_eq!(
                    used,
                    (0..positions.len() as u32).collect(),
                    "{path}: every vertex is used, none is missing"
                );
                for normal in reader.read_normals().into_iter().flatten() {
                    let length = normal.iter().map(|v| v * v).sum::<f32>().sqrt();
                    assert!((length - 1.0).abs() < 1e-4, "{path}: {normal:?}");
                }
                if let Some(colors) = reader.read_colors(0) {
                    assert!(
                        colors
                            .into_rgb_f32()
                            .flatten()
                            .all(|c| (0.0..=1.0).contains(&c)),
                        "{path}"
                    );
                }
                let uvs = reader
                    .read_tex_coords(0)
                    .map(|uvs| uvs.into_f32().flatten().all(f32::is_finite));
                assert!(uvs.unwrap_or(true), "{path}");
                let textured = primitive
                    .material()
                    .pbr_metallic_roughness()
                    .base_color_texture()
                    .is_some();
                assert!(
                    !textured || uvs.is_some(),
                    "{path}: a texture without coordinates"
                );
            }
        }
        let mut parents = BTreeSet::new();
        for node in self.doc.nodes() {
            assert!(
                node.transform()
                    .matrix()
                    .iter()
                    .flatten()
                    .all(|v| v.is_finite()),
                "{path}"
            );
            for child in node.children() {
                assert!(
                    parents.insert(child.index()),
                    "{path}: node {} has two parents",
                    child.index()
                );
            }
        }
        for animation in self.doc.animations() {
            for channel in animation.channels() {
                let reader = channel.reader(|b| Some(&self.buffers[b.index()]));
                let times: Vec<f32> = reader.read_inputs().unwrap().collect();
                assert!(
                    times.windows(2).all(|t| t[0] < t[1]) && times.iter().all(|t| t.is_finite()),
                    "{path}"
                );
                assert_eq!(channel.sampler().output().count(), times.len(), "{path}");
            }
        }
    }

    fn triangles(&self) -> usize {
        self.doc
            .meshes()
            .flat_map(|m| m.primitives())
            .map(|p| p.indices().unwrap().count() / 3)
            .sum()
    }

    fn notes(&self) -> String {
        self.asset["notes"].to_string()
    }

    fn node(&self, name: &str) -> gltf::Node<'_> {
        self.doc
            .nodes()
            .find(|n| n.name() == Some(name))
            .unwrap_or_else(|| panic!("no node {name}"))
    }

    /// Game position → glTF nodes.
    fn by_index(&self) -> BTreeMap<usize, Vec<gltf::Node<'_>>> {
        let mut out: BTreeMap<usize, Vec<gltf::Node<'_>>> = BTreeMap::new();
        for node in self.doc.nodes() {
            let index = extras(node.extras())["index"]
                .as_u64()
                .expect("every node has its position");
            out.entry(index as usize).or_default().push(node);
        }
        out
    }

    /// Positions, normals and triangles of the only primitive of a mesh.
    fn only(&self, mesh: &gltf::Mesh<'_>) -> Shape {
        let primitives: Vec<_> = mesh.primitives().collect();
        assert_eq!(primitives.len(), 1);
        let reader = primitives[0].reader(|b| Some(&self.buffers[b.index()]));
        let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
        let normals = reader
            .read_normals()
            .map(Iterator::collect)
            .unwrap_or_default();
        (
            reader.read_positions().unwrap().collect(),
            normals,
            indices.chunks(3).map(|t| [t[0], t[1], t[2]]).collect(),
        )
    }
}

/// Positions, normals and triangles.
type Shape = (Vec<[f32; 3]>, Vec<[f32; 3]>, Vec<[u32; 3]>);

fn export(bytes: &Bytes, path: &str, with: &[Bytes]) -> BTreeMap<String, Glb> {
    let out = Folder::new();
    let written = refit::gltf::export(
        &pipeline::open(bytes, path, Hints::default()).unwrap().model,
        with,
        &out,
    )
    .unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut paths = out.paths();
    paths.sort();
    let mut listed = written.clone();
    listed.sort();
    assert_eq!(paths, listed, "{path}: what was written is told");
    written
        .into_iter()
        .map(|p| {
            (
                p.clone(),
                Glb::read(&format!("{path} › {p}"), &out.get(&p).unwrap()),
            )
        })
        .collect()
}

fn export_case(case: &Case, with: &[Bytes]) -> BTreeMap<String, Glb> {
    export(&case.bytes, &case.path, with)
}

/// The documents of a tree below a folder, as values.
fn docs(tree: &Folder, prefix: &str) -> Vec<(String, Value)> {
    let paths = tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with(prefix) && p.ends_with(".json") && !p.contains(".refit"));
    paths
        .map(|p| {
            (
                p.trim_end_matches(".json").to_owned(),
                serde_json::from_str(&tree.text(&p)).unwrap(),
            )
        })
        .collect()
}

fn has_flag(value: &Value, flag: &str) -> bool {
    value["flags"]
        .as_array()
        .is_some_and(|f| f.iter().any(|f| f == flag))
}

/// The number of triangles expected from a model's document: fans and strips, without triangles
/// that repeat a corner; none for a polygon with fewer than three corners, a dangling vertex or a
/// number that is not finite.
fn promised(model: &Value) -> usize {
    let vertices = model["vertices"].as_array().cloned().unwrap_or_default();
    let vertices: Vec<Option<[f64; 3]>> = vertices
        .iter()
        .map(|v| Some([v[0].as_f64()?, v[1].as_f64()?, v[2].as_f64()?]))
        .collect();
    let polygon = |p: &Value| -> Option<usize> {
        let corners = p["vertices"].as_array()?;
        let corners: Option<Vec<[f64; 3]>> = corners
            .iter()
            .map(|i| *vertices.get(i.as_u64()? as usize)?)
            .collect();
        let finite = p["uvs"]
            .as_array()
            .is_none_or(|uvs| uvs.iter().all(|uv| uv[0].is_number() && uv[1].is_number()));
        let c = corners.filter(|c| c.len() >= 3 && finite)?;
        let strip = has_flag(p, "TRI_STRIP");
        let real = |i: &usize| {
            let (a, b, c) = (c[if strip { *i } else { 0 }], c[i + 1], c[i + 2]);
            a != b && b != c && c != a
        };
        Some((0..c.len() - 2).filter(real).count())
    };
    model["polygons"]
        .as_array()
        .map_or(0, |p| p.iter().filter_map(polygon).sum())
}

#[test]
fn every_golden_world_is_valid_and_whole() {
    let with: Vec<Bytes> = golden("textures").into_iter().map(|c| c.bytes).collect();
    for case in golden("gamez").iter().chain(&golden("planes")) {
        let files = export_case(case, &with);
        let tree = unpack(case, Hints::default(), Style::Json);
        let mut models = BTreeMap::new();
        for (path, model) in docs(&tree, "models/") {
            let expected = promised(&model);
            let found = files.get(&format!("{path}.glb")).map_or(0, Glb::triangles);
            assert_eq!(found, expected, "{} › {path}", case.path);
            let number: usize = path["models/".len()..]
                .split('-')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            models.insert(number, expected);
        }
        let nodes: Vec<Value> = docs(&tree, "nodes/")
            .iter()
            .flat_map(|(_, d)| d["nodes"].as_array().unwrap().clone())
            .collect();
        let shown = |n: &Value| {
            ["world", "camera", "light", "lod", "object3d", "sound"]
                .iter()
                .any(|k| !n["data"][k].is_null())
        };
        let expected: BTreeSet<usize> = (0..nodes.len()).filter(|i| shown(&nodes[*i])).collect();
        let parts: Vec<(&str, &Glb)> = files
            .iter()
            .filter(|(p, _)| !p.contains('/'))
            .map(|(p, glb)| (p.as_str(), glb))
            .collect();
        let found: BTreeSet<usize> = parts
            .iter()
            .flat_map(|(_, glb)| glb.by_index().into_keys())
            .collect();
        assert_eq!(found, expected, "{}", case.path);
        let place = |link: &Value| match link {
            Value::String(text) => text.split(' ').next().unwrap().parse::<i64>().unwrap(),
            number => number.as_i64().unwrap(),
        };
        for (part, copy) in parts
            .iter()
            .flat_map(|(part, glb)| glb.doc.nodes().map(move |n| (*part, n)))
        {
            let index = extras(copy.extras())["index"].as_u64().unwrap() as usize;
            let node = &nodes[index];
            let model = node
                .get("model")
                .map(&place)
                .and_then(|m| models.get(&(m as usize)))
                .copied()
                .unwrap_or(0);
            // The mesh is the model's; in the file of further levels, parents have no mesh.
            let triangles = copy.mesh().map_or(0, |m| {
                m.primitives()
                    .map(|p| p.indices().unwrap().count() / 3)
                    .sum()
            });
            assert!(
                triangles == model || part.ends_with("further.glb") && triangles == 0,
                "{} {part} node {index}",
                case.path
            );
            // A child names its parent, or the parent lists it, or a cell of the world does.
            for child in copy.children() {
                let child = extras(child.extras())["index"].as_i64().unwrap();
                let names = |from: usize, list: &str, to: i64| {
                    nodes[from][list]
                        .as_array()
                        .is_some_and(|l| l.iter().any(|c| place(c) == to))
                };
                // A world lists the nodes of its cells in the cells, not among its children.
                let cells = nodes[index]["data"]["world"]["cells"]
                    .as_array()
                    .into_iter()
                    .flatten();
                let mut members =
                    cells.flat_map(|cell| cell["nodes"].as_array().into_iter().flatten());
                // With its own position, the member is a row.
                let in_cell =
                    members.any(|m| place(m.get(0).or(m.get("node")).unwrap_or(m)) == child);
                let tied = in_cell
                    || names(index, "children", child)
                    || names(child as usize, "parents", index as i64);
                assert!(tied, "{}: {child} hangs on {index}", case.path);
            }
            assert_eq!(extras(copy.extras())["flags"], node["flags"]);
        }
    }
}

#[test]
fn every_golden_mechlib_is_valid_and_whole() {
    let with = [
        golden_file("textures", "pm_kinds.zbd").bytes,
        golden_file("motion", "pm_zbd_motion.zbd").bytes,
    ];
    for case in golden("mechlib")
        .iter()
        .filter(|c| !c.path.contains("no_members"))
    {
        let files = export_case(case, &with);
        let tree = unpack(case, Hints::default(), Style::Json);
        let trees: Vec<_> = docs(&tree, "")
            .into_iter()
            .filter(|(_, d)| d["nodes"].is_array())
            .collect();
        let rest = files
            .keys()
            .filter(|name| !name.ends_with(".motions.glb"))
            .count();
        assert_eq!(rest, trees.len(), "{}", case.path);
        for (path, doc) in trees {
            let glb = &files[&format!("{}.glb", path.replace(".flt", ""))];
            let nodes = doc["nodes"].as_array().unwrap();
            let expected: usize = nodes.iter().map(|n| promised(&n["mesh"])).sum();
            assert_eq!(glb.triangles(), expected, "{path}");
            // Each node has a unique name: repeated names are followed by the position.
            let mut names: Vec<String> = Vec::new();
            for (i, node) in nodes.iter().enumerate() {
                let name = node["name"].as_str().unwrap().to_owned();
                names.push(if names.contains(&name) {
                    format!("{name}#{i}")
                } else {
                    name
                });
            }
            let mut found: Vec<(usize, String)> = glb
                .by_index()
                .iter()
                .map(|(i, n)| (*i, n[0].name().unwrap().to_owned()))
                .collect();
            found.sort();
            assert_eq!(
                found.iter().map(|(_, n)| n.as_str()).collect::<Vec<_>>(),
                names,
                "{path}"
            );
        }
    }
}

type M = [[f64; 4]; 4];

/// a then b, for rows.
fn product(a: &M, b: &M) -> M {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// A MW world's bytes: the four rows in an object's data (src/zipper/gamez/FORMAT.md).
fn stored_rows(bytes: &[u8], node: usize) -> Option<M> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let record = word(32) as usize + 212 * node;
    let one = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    if word(record + 52) != 5 {
        return (word(record + 52) != 1 && word(record + 52) != 9).then_some(one);
    }
    let data = word(record + 208) as usize;
    let row = |i: usize| -> [f64; 4] {
        let v: [f64; 3] =
            std::array::from_fn(|k| f32::from_bits(word(data + 48 + 12 * i + 4 * k)).into());
        [v[0], v[1], v[2], f64::from(u8::from(i == 3))]
    };
    Some([row(0), row(1), row(2), row(3)])
}

#[test]
fn nodes_are_where_the_matrices_of_the_game_put_them() {
    let mut judged = 0;
    for case in golden("gamez").iter().filter(|c| c.path.contains("/mw_")) {
        let files = export_case(case, &[]);
        let world = &files["world.glb"];
        // From the roots down: the game's product of rows, and glTF's of columns.
        let mut stack: Vec<(gltf::Node<'_>, M, M)> = Vec::new();
        let one: M = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        stack.extend(
            world
                .doc
                .scenes()
                .flat_map(|s| s.nodes())
                .map(|n| (n, one, one)),
        );
        while let Some((node, game, shown)) = stack.pop() {
            let about = extras(node.extras());
            let index = about["index"].as_u64().unwrap() as usize;
            let Some(rows) = stored_rows(&case.bytes, index) else {
                continue;
            };
            if !about["matrix"].is_null()
                || !rows
                    .iter()
                    .flatten()
                    .all(|v| v.is_finite() && v.abs() < 1e9)
            {
                continue;
            }
            let columns: M = node.transform().matrix().map(|c| c.map(f64::from));
            // A column of glTF is a row of the game.
            let (game, shown) = (product(&rows, &game), product(&columns, &shown));
            let size = game.iter().flatten().fold(1.0, |m: f64, v| m.max(v.abs()));
            for (a, b) in game.iter().flatten().zip(shown.iter().flatten()) {
                assert!(
                    (a - b).abs() < 1e-3 * size,
                    "{} node {index}: {game:?}\n{shown:?}",
                    case.path
                );
            }
            judged += usize::from(node.transform().matrix()[0] != [1.0, 0.0, 0.0, 0.0]);
            stack.extend(node.children().map(|c| (c, game, shown)));
        }
    }
    assert!(judged > 50, "only {judged} nodes are turned");
}

/// A MW world with these models and these nodes, which begin at position 5. Nodes that are no other
/// node's children are children of the world.
fn world_of(models: &[Value], nodes: &[Value]) -> Bytes {
    let tree = unpack(
        &golden_file("gamez", "mw_tight.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    for path in tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with("models/"))
    {
        tree.remove(&path);
    }
    for (i, model) in models.iter().enumerate() {
        tree.set(
            &format!("models/{i:04}.json"),
            model.to_string().into_bytes(),
        );
    }
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let mut doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    let list = doc["nodes"].as_array_mut().unwrap();
    list.truncate(5);
    let world = &mut list[0];
    for cell in world["data"]["world"]["cells"].as_array_mut().unwrap() {
        cell.as_object_mut().unwrap().remove("nodes");
    }
    let children: BTreeSet<u64> = nodes
        .iter()
        .flat_map(|n| n["children"].as_array().cloned().unwrap_or_default())
        .filter_map(|c| c.as_u64())
        .collect();
    let free: Vec<u64> = (5..5 + nodes.len() as u64)
        .filter(|i| !children.contains(i))
        .collect();
    world["children"] = json!(free);
    list.extend(nodes.iter().cloned());
    tree.set(&path, doc.to_string().into_bytes());
    for other in tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with("nodes/") && *p != path)
    {
        tree.remove(&other);
    }
    repack(&tree).into()
}

fn model(vertices: Value, normals: Value, polygons: Value) -> Value {
    json!({ "flags": ["LIGHTING"], "bbox_mid": [0.0, 0.0, 0.0], "bbox_diag": 1.0, "vertices": vertices,
        "normals": normals, "polygons": polygons })
}

fn object(name: &str, model: i32, more: Value) -> Value {
    let mut data = json!({ "flags": ["ALWAYS"] });
    data.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({ "name": name, "flags": ["ACTIVE"], "model": model, "data": { "object3d": data } })
}

/// A cube of side 2 about the origin, its faces counter-clockwise from outside in a right-handed
/// space.
fn cube() -> Value {
    let vertices: Vec<[f32; 3]> = (0..8)
        .map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|b| 2.0 * b as f32 - 1.0))
        .collect();
    let faces = [
        [1, 3, 7, 5],
        [0, 4, 6, 2],
        [2, 6, 7, 3],
        [0, 1, 5, 4],
        [4, 5, 7, 6],
        [0, 2, 3, 1],
    ];
    let normals = [
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0f32],
    ];
    let polygons: Vec<Value> = faces
        .iter()
        .enumerate()
        .map(|(i, f)| {
            json!({ "material": 0, "vertices": f, "normals": [i, i, i, i], "uvs": [[0.0, 0.0], [1.0, 0.0],
            [1.0, 1.0], [0.0, 1.0]] })
        })
        .collect();
    model(json!(vertices), json!(normals), json!(polygons))
}

#[test]
fn a_cube_faces_outwards_and_shares_no_vertex_between_faces() {
    let bytes = world_of(
        &[cube()],
        &[object(
            "cube",
            0,
            json!({ "translation": [10.0, 20.0, -30.0] }),
        )],
    );
    let files = export(&bytes, "gamez.zbd", &[]);
    let glb = &files["models/0000-cube.glb"];
    let mesh = glb.doc.meshes().next().unwrap();
    let (positions, normals, triangles) = glb.only(&mesh);
    assert_eq!((positions.len(), triangles.len()), (24, 12));
    for t in &triangles {
        let [a, b, c] = t.map(|i| positions[i as usize]);
        let edge = |to: [f32; 3]| [to[0] - a[0], to[1] - a[1], to[2] - a[2]];
        let (u, v) = (edge(b), edge(c));
        let face = [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ];
        let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        assert!(dot(face, a) > 0.0, "a face looks inwards: {t:?}");
        assert!(
            t.iter().all(|i| dot(face, normals[*i as usize]) > 0.0),
            "a face against its normals: {t:?}"
        );
    }
    let world = &files["world.glb"];
    let node = world.node("cube");
    assert_eq!(node.transform().decomposed().0, [10.0, 20.0, -30.0]);
    assert_eq!(extras(node.extras())["index"], 5);
    assert_eq!(
        extras(node.mesh().unwrap().extras()),
        json!({ "model": 0, "flags": ["LIGHTING"] })
    );
    // The world with its camera and its light in the first scene.
    let roots: Vec<_> = world
        .doc
        .default_scene()
        .unwrap()
        .nodes()
        .map(|n| n.name().unwrap().to_owned())
        .collect();
    assert_eq!(roots, ["world1", "camera1", "sunlight"]);
}

#[test]
fn strips_alternate_fans_do_not_and_colours_are_light() {
    let vertices = json!([
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 2.0, 0.0]
    ]);
    let color = json!([
        [255.0, 0.0, 128.0],
        [255.0, 0.0, 128.0],
        [0.0, 0.0, 0.0],
        [1e9, -4.0, 255.0],
        [255.0, 255.0, 255.0]
    ]);
    let strip = json!({ "material": 0, "vertices": [0, 1, 2, 3, 4], "flags": ["TRI_STRIP"], "colors": color });
    // A strip that is sewn: its second and third triangle have a corner twice.
    let sewn = json!({ "material": 0, "vertices": [0, 1, 2, 2, 3, 4], "flags": ["TRI_STRIP"] });
    let fan = json!({ "material": 0, "vertices": [0, 1, 3, 2] });
    let models = [strip, sewn, fan].map(|p| model(vertices.clone(), json!([]), json!([p])));
    let files = export(&world_of(&models, &[]), "gamez.zbd", &[]);
    let of = |i: usize| {
        let glb = &files[&format!("models/{i:04}.glb")];
        let (positions, normals, triangles) = glb.only(&glb.doc.meshes().next().unwrap());
        // Polygons without normals show their face's: every primitive has the same attributes.
        assert!(normals.iter().all(|n| *n == [0.0, 0.0, 1.0]), "{normals:?}");
        let spots = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 2.0, 0.0],
        ];
        triangles
            .iter()
            .map(|t| {
                t.map(|i| {
                    spots
                        .iter()
                        .position(|s| *s == positions[i as usize])
                        .unwrap()
                })
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(of(0), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    assert_eq!(of(1), [[0, 1, 2], [3, 2, 4]]);
    assert_eq!(of(2), [[0, 1, 3], [0, 3, 2]]);
    let glb = &files["models/0000.glb"];
    let primitive = glb
        .doc
        .meshes()
        .next()
        .unwrap()
        .primitives()
        .next()
        .unwrap();
    let reader = primitive.reader(|b| Some(&glb.buffers[b.index()]));
    let colors: Vec<[f32; 3]> = reader.read_colors(0).unwrap().into_rgb_f32().collect();
    assert_eq!(
        [colors[2], colors[3], colors[4]],
        [[0.0; 3], [1.0, 0.0, 1.0], [1.0; 3]]
    );
    assert!(
        (colors[0][2] - 0.21586).abs() < 1e-4,
        "128 of 255 shown is a fifth of the light: {colors:?}"
    );
    let glb = &files["models/0001.glb"];
    let primitive = glb
        .doc
        .meshes()
        .next()
        .unwrap()
        .primitives()
        .next()
        .unwrap();
    let reader = primitive.reader(|b| Some(&glb.buffers[b.index()]));
    assert!(
        reader
            .read_colors(0)
            .unwrap()
            .into_rgb_f32()
            .all(|c| c == [1.0; 3]),
        "vertices without colours are white, with a note"
    );
    let tags: Vec<[f32; 2]> = reader.read_tex_coords(1).unwrap().into_f32().collect();
    assert_eq!(
        tags,
        [[0.0, 2.0], [1.0, 2.0], [2.0, 2.0], [3.0, 2.0], [4.0, 2.0]],
        "vertex, and model, 1 higher"
    );
}

#[test]
fn many_vertices_get_wide_indices() {
    let n = 70_000u32;
    let vertices: Vec<[f32; 3]> = (0..n)
        .map(|i| [(i % 300) as f32, (i / 300) as f32, (i % 7) as f32])
        .collect();
    let polygons: Vec<Value> = (0..n / 100 - 1)
        .map(|i| {
            json!({ "material": 0, "flags": ["SHOW_BACKFACE"],
            "vertices": (0..102).map(|k| i * 100 + k).collect::<Vec<u32>>() })
        })
        .collect();
    let files = export(
        &world_of(&[model(json!(vertices), json!([]), json!(polygons))], &[]),
        "gamez.zbd",
        &[],
    );
    let glb = &files["models/0000.glb"];
    let primitive = glb
        .doc
        .meshes()
        .next()
        .unwrap()
        .primitives()
        .next()
        .unwrap();
    assert_eq!(
        primitive.indices().unwrap().data_type(),
        gltf::accessor::DataType::U32
    );
    assert!(primitive.material().double_sided());
    assert_eq!(glb.triangles(), 699 * 100);
}

/// An image: name, width, height, flags, stretch, and the bytes after the info.
type Picture<'a> = (&'a str, u16, u16, u32, u16, Vec<u8>);

fn package(images: &[Picture<'_>]) -> Bytes {
    let images =
        images.iter().map(
            |(name, width, height, flags, render_flags, data)| by_hand::Image {
                flags: *flags,
                render_flags: *render_flags,
                ..by_hand::Image::plain(name, (*width, *height), data.clone())
            },
        );
    by_hand::package(&images.collect::<Vec<_>>(), &[]).into()
}

/// The model of a world with eight materials, exported with a package of four pictures: opaque,
/// with holes, and with two kinds of alpha.
fn model_of_materials() -> Glb {
    // RGB565: red, green, blue, and the word that simple alpha makes transparent.
    let pixels: Vec<u8> = [0xF800u16, 0x07E0, 0x001F, 0x0000]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let planed = |plane: [u8; 4]| [&pixels[..], &plane].concat();
    let with = package(&[
        ("tower6", 2, 2, 0x5, 0, pixels.clone()),
        ("HOLES", 4, 1, 0x3, 1, pixels.clone()),
        ("glass", 1, 4, 0xB, 2, planed([0, 100, 200, 255])),
        ("fence", 2, 2, 0xB, 7, planed([0, 255, 0, 255])),
    ]);
    let tree = unpack(
        &golden_file("gamez", "mw_tight.gamez.zbd"),
        Hints::default(),
        Style::Json,
    );
    let textures = [
        "tower6.tif",
        "holes.tif",
        "glass",
        "fence.tif",
        "nowhere.tif",
    ];
    let list: Vec<Value> = textures.iter().map(|t| json!({ "name": t })).collect();
    tree.set(
        "textures.json",
        json!({ "textures": list }).to_string().into_bytes(),
    );
    let materials = json!([
        { "texture": 0 }, { "texture": 1 }, { "texture": 2 }, { "texture": 3 }, { "texture": 4 },
        { "color": [255.0, 0.0, 0.0], "alpha": 51 },
        { "texture": 4, "cycle": { "looping": 1, "speed": 15.0, "frames": [0, 1, 4] } },
        { "texture": 77 }
    ]);
    let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
    doc["materials"] = materials;
    tree.set("materials.json", doc.to_string().into_bytes());
    for path in tree
        .paths()
        .into_iter()
        .filter(|p| p.starts_with("models/"))
    {
        tree.remove(&path);
    }
    let polygon = |m: u32| json!({ "material": m, "vertices": [0, 1, 2], "uvs": [[0.25, 0.5], [1.0, 0.0], [0.0, 1.0]] });
    let mut polygons: Vec<Value> = (0..9).map(polygon).collect();
    polygons.push(json!({ "material": 0, "vertices": [0, 2, 1] }));
    let shape = model(
        json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        json!([]),
        json!(polygons),
    );
    tree.set("models/0000.json", shape.to_string().into_bytes());
    let bytes: Bytes = repack(&tree).into();
    let files = export(&bytes, "gamez.zbd", &[with]);
    files
        .into_iter()
        .find(|(p, _)| p.starts_with("models/0000"))
        .unwrap()
        .1
}

#[test]
fn materials_take_their_textures_and_their_transparency() {
    let glb = model_of_materials();
    let materials: Vec<_> = glb
        .doc
        .materials()
        .filter(|m| m.pbr_metallic_roughness().base_color_texture().is_some())
        .collect();
    let shown: Vec<_> = materials
        .iter()
        .map(|m| {
            let texture = m
                .pbr_metallic_roughness()
                .base_color_texture()
                .unwrap()
                .texture();
            let wraps = [texture.sampler().wrap_s(), texture.sampler().wrap_t()]
                .map(|w| w == gltf::texture::WrappingMode::ClampToEdge);
            let image = &glb.images[texture.source().index()];
            (
                extras(m.extras())["index"].as_u64().unwrap(),
                m.alpha_mode(),
                wraps,
                image.width,
                image.height,
                image.format,
            )
        })
        .collect();
    use gltf::{image::Format::*, material::AlphaMode::*};
    let expected = [
        (0, Opaque, [false, false], 2, 2, R8G8B8),
        (1, Mask, [true, false], 4, 1, R8G8B8A8),
        (2, Blend, [false, true], 1, 4, R8G8B8A8),
        (3, Mask, [true, true], 2, 2, R8G8B8A8),
        (6, Opaque, [false, false], 2, 2, R8G8B8),
    ];
    assert_eq!(shown, expected);
    assert_eq!(glb.images.len(), 4, "each image is written once");
    // An additive material is emissive.
    let glows: Vec<_> = materials
        .iter()
        .map(|m| {
            (
                m.emissive_texture().is_some(),
                extras(m.extras())["additive"] == true,
            )
        })
        .collect();
    assert_eq!(glows, [0, 1, 2, 3, 6].map(|index| (index == 3, index == 3)));
    assert_eq!(materials[3].emissive_factor(), [1.0; 3]);
    let image = |m: usize| {
        &glb.images[materials[m]
            .pbr_metallic_roughness()
            .base_color_texture()
            .unwrap()
            .texture()
            .source()
            .index()]
    };
    assert_eq!(image(0).pixels, [255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0]);
    assert_eq!(
        image(1).pixels,
        [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 0]
    );
    assert_eq!(
        image(2).pixels,
        [255, 0, 0, 0, 0, 255, 0, 100, 0, 0, 255, 200, 0, 0, 0, 255]
    );
}

#[test]
fn materials_without_a_picture_keep_colours_names_and_cycles() {
    use gltf::material::AlphaMode::Blend;
    let glb = model_of_materials();
    let by_index = |i: u64| {
        glb.doc
            .materials()
            .find(|m| extras(m.extras())["index"] == i)
            .unwrap()
    };
    let plain = by_index(5);
    assert_eq!(
        (
            plain.alpha_mode(),
            plain.pbr_metallic_roughness().base_color_factor()
        ),
        (Blend, [1.0, 0.0, 0.0, 0.2])
    );
    assert_eq!(
        (
            plain.pbr_metallic_roughness().metallic_factor(),
            plain.pbr_metallic_roughness().roughness_factor()
        ),
        (0.0, 1.0)
    );
    assert_eq!(extras(by_index(4).extras())["texture"], "nowhere.tif");
    let cycle = json!({ "textures": ["tower6.tif", "holes.tif", "nowhere.tif"], "speed": 15.0, "looping": true });
    assert_eq!(extras(by_index(6).extras())["cycle"], cycle);
    let notes = glb.notes();
    assert!(
        notes.contains("in none of the packages: nowhere.tif")
            && notes.contains("material 8 does not exist"),
        "{notes}"
    );
    // Without texture coordinates the material has no texture.
    let bare = glb
        .doc
        .materials()
        .filter(|m| extras(m.extras())["index"] == 0)
        .count();
    assert_eq!(bare, 2);
    let primitive = glb
        .doc
        .meshes()
        .next()
        .unwrap()
        .primitives()
        .find(|p| p.material().name() == Some("tower6.tif"))
        .unwrap();
    let reader = primitive.reader(|b| Some(&glb.buffers[b.index()]));
    assert_eq!(
        reader.read_tex_coords(0).unwrap().into_f32().next(),
        Some([0.25, 0.5]),
        "rows of pixels run from the top in both"
    );
}

/// Index 0 of a palette with simple alpha is a hole in Recoil whatever its colour, and in the other
/// games if it is black.
#[test]
fn keyed_palettes_have_the_holes_of_the_game() {
    for (game, first, holes) in [
        ("rc", 0xF81Fu16, true),
        ("mw", 0xF81F, false),
        ("mw", 0, true),
    ] {
        let world = if game == "rc" { "rc_odd" } else { game };
        let tree = unpack(
            &golden_file("gamez", &format!("{world}_tight.gamez.zbd")),
            Hints::default(),
            Style::Json,
        );
        tree.set(
            "textures.json",
            json!({ "textures": [{ "name": "fence.tif" }] })
                .to_string()
                .into_bytes(),
        );
        let mut doc: Value = serde_json::from_str(&tree.text("materials.json")).unwrap();
        doc["materials"] = json!([{ "texture": 0 }]);
        tree.set("materials.json", doc.to_string().into_bytes());
        for path in tree
            .paths()
            .into_iter()
            .filter(|p| p.starts_with("models/"))
        {
            tree.remove(&path);
        }
        let polygon = json!({ "material": 0, "vertices": [0, 1, 2], "uvs": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] });
        let mut shape = model(
            json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
            json!([]),
            json!([polygon]),
        );
        if game == "rc" {
            shape["recoil_flags"] = shape
                .as_object_mut()
                .and_then(|shape| shape.remove("flags"))
                .unwrap();
        }
        tree.set("models/0000.json", shape.to_string().into_bytes());
        // Four pixels of three colours; the last colour is black, and opaque.
        let words = |w: &[u32]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        let mut with = words(&[0, 1, 0, 1, 0, 0]);
        with.extend(
            b"fence"
                .iter()
                .copied()
                .chain([0; 27])
                .chain(words(&[64, u32::MAX])),
        );
        with.extend(
            [3u16, 0, 2, 2, 0, 0, 3, 0]
                .iter()
                .flat_map(|h| h.to_le_bytes()),
        );
        with.extend(
            [0u8, 1, 2, 0]
                .into_iter()
                .chain([first, 0x07E0, 0].iter().flat_map(|w| w.to_le_bytes())),
        );
        let files = export(&repack(&tree).into(), "gamez.zbd", &[with.into()]);
        let glb = files
            .iter()
            .find(|(p, _)| p.starts_with("models/0000"))
            .unwrap()
            .1;
        let material = glb
            .doc
            .materials()
            .find(|m| m.pbr_metallic_roughness().base_color_texture().is_some())
            .unwrap();
        use gltf::material::AlphaMode::{Mask, Opaque};
        assert_eq!(
            material.alpha_mode(),
            if holes { Mask } else { Opaque },
            "{game} {first:#x}"
        );
        let image = &glb.images[0];
        if holes {
            let alphas: Vec<u8> = image
                .pixels
                .as_chunks::<4>()
                .0
                .iter()
                .map(|p| p[3])
                .collect();
            assert_eq!(alphas, [0, 255, 255, 0], "{game} {first:#x}");
        }
    }
}

/// NaN, in the spelling of trees.
const NAN: &str = "0x7fc00001";

/// A model whose polygons have something wrong, but for three.
fn broken_model() -> Value {
    model(
        json!([
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [NAN, 0.0, 0.0],
            [0.0, "0x7f800000", 0.0]
        ]),
        json!([[NAN, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]]),
        json!([
            { "material": 0, "vertices": [0, 1, 2], "normals": [2, 0, 1], "colors": [[NAN, 0.0, 0.0], [0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0]] },
            { "material": 0, "vertices": [0, 1, 3] },
            { "material": 0, "vertices": [0, 1, 4] },
            { "material": 0, "vertices": [0, 1, 99] },
            { "material": 0, "vertices": [0, 1] },
            { "material": 0, "vertices": [] },
            { "material": 0, "vertices": [1, 1, 1, 1] },
            { "material": 4_000_000_000u32, "vertices": [0, 2, 1] },
            { "material": 0, "vertices": [0, 1, 2], "normals": [2, 2, 77] },
            { "material": 0, "vertices": [0, 1, 2], "uvs": [[0.0, 0.0], [1.0, NAN], [0.0, 0.0]] }
        ]),
    )
}

#[test]
fn unsupported_parts_are_left_out_and_reported() {
    let (nan, shape) = (NAN, broken_model());
    let empty = model(
        json!([]),
        json!([]),
        json!([{ "material": 0, "vertices": [0, 1, 2] }]),
    );
    let rows = |rows: Value| json!({ "flags": ["MATRIX", "ALWAYS"], "matrix": rows });
    let mut nodes = vec![
        object("round", 0, json!({ "translation": [1.0, nan, 2.0] })),
        object(
            "nan",
            0,
            rows(json!([nan, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])),
        ),
        object(
            "zero",
            1,
            rows(json!([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
        ),
        object(
            "sheared",
            99,
            rows(json!([1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0])),
        ),
        object(
            "huge",
            0,
            rows(json!([3e38, 3e38, 3e38, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])),
        ),
        object("self", -7, json!({})),
        object("shared", 0, json!({ "translation": [0.0, 7.0, 0.0] })),
        object("tail", 0, json!({})),
    ];
    // A cycle 5 → 6 → 5, a node that is its own child, one with two parents, one with a missing
    // parent.
    nodes[0]["children"] = json!([6, 11]);
    nodes[1]["children"] = json!([5, 11, 4000, -1]);
    nodes[5]["children"] = json!([10]);
    nodes[6]["children"] = json!([12, 12]);
    let files = export(&world_of(&[shape, empty], &nodes), "gamez.zbd", &[]);
    assert!(
        !files.contains_key("models/0001.glb"),
        "an empty model has no file"
    );
    let glb = files
        .iter()
        .find(|(p, _)| p.starts_with("models/0000"))
        .unwrap()
        .1;
    assert_eq!(glb.triangles(), 3);
    let notes = glb.notes();
    for note in [
        "polygon 1 is left out: vertex 3 is not finite",
        "polygon 2 is left out: vertex 4 is not finite",
        "polygon 3 is left out: it has vertex 99 of 5",
        "polygon 4 is left out: it has 2 corners",
        "polygon 5 is left out: it has 0 corners",
        "polygon 6 is left out: its corners are at only one",
        "polygon 9 is left out: a texture coordinate is not finite",
        "corners without a usable normal, which got that of their face: 3",
        "material 4000000000 does not exist",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
    // (0, 0, 0), (1, 0, 0), (0, 0, 1): the face looks down, and so do the normals that took its
    // place.
    let with_normals = glb
        .doc
        .meshes()
        .next()
        .unwrap()
        .primitives()
        .find(|p| p.get(&gltf::Semantic::Normals).is_some())
        .unwrap();
    let normals: Vec<[f32; 3]> = with_normals
        .reader(|b| Some(&glb.buffers[b.index()]))
        .read_normals()
        .unwrap()
        .collect();
    assert!(
        normals.contains(&[0.0, -1.0, 0.0]) && normals.contains(&[0.0, 1.0, 0.0]),
        "{normals:?}"
    );

    let world = &files["world.glb"];
    assert_eq!(
        world.by_index().keys().copied().collect::<Vec<_>>(),
        [0, 2, 4, 7, 8, 9]
    );
    let apart = &files["unattached.glb"];
    let indices = apart.by_index();
    assert_eq!(
        indices.keys().copied().collect::<Vec<_>>(),
        [5, 6, 10, 11, 12]
    );
    assert_eq!(
        indices[&11].len(),
        2,
        "a node with two parents is written twice"
    );
    assert_eq!(
        indices[&11][0].mesh().unwrap().index(),
        indices[&11][1].mesh().unwrap().index()
    );
    assert_eq!(indices[&12].len(), 2);
    let sheared = extras(world.node("sheared").extras());
    assert_eq!(
        sheared["matrix"],
        json!([1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    );
    let notes = world.notes() + &apart.notes();
    for note in [
        "node 5 round: its position is not finite",
        "node 6 nan: its position",
        "node 9 huge: its position",
        "node 5 is below 6",
        "sheared",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
}

#[test]
fn the_nearest_level_of_detail_is_shown() {
    let lod = |name: &str, near: f32, far: f32, child: u32| {
        json!({ "name": name, "flags": ["ACTIVE"], "children": [child],
                "data": { "lod": { "level": 1, "range_near_sq": near * near, "range_far": far } } })
    };
    let mut house = object("house", 0, json!({ "translation": [3.0, 0.0, 0.0] }));
    house["children"] = json!([6, 7, 8]);
    let nodes = [
        house,
        lod("far", 500.0, 900.0, 9),
        lod("near", 0.0, 100.0, 10),
        lod("middle", 100.0, 500.0, 11),
        object("block", 0, json!({})),
        object("fine", 0, json!({})),
        object("coarse", 0, json!({})),
    ];
    let files = export(&world_of(&[cube()], &nodes), "gamez.zbd", &[]);
    let names = |file: &str| {
        files[file]
            .doc
            .nodes()
            .map(|n| n.name().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let world = &files["world.glb"];
    assert_eq!(
        names("world.glb"),
        ["world1", "house", "near", "fine", "camera1", "sunlight"]
    );
    assert_eq!(
        extras(world.node("house").extras())["further_levels"],
        json!([8, 6])
    );
    assert_eq!(
        extras(world.node("near").extras())["lod"],
        json!({ "level": 1, "near": 0.0, "far": 100.0 })
    );
    let further = &files["further.glb"];
    assert_eq!(
        names("further.glb"),
        ["world1", "house", "middle", "coarse", "far", "block"]
    );
    let meshes: Vec<bool> = further.doc.nodes().map(|n| n.mesh().is_some()).collect();
    assert_eq!(meshes, [false, false, false, true, false, true]);
    assert_eq!(
        further.node("house").transform().decomposed().0,
        [3.0, 0.0, 0.0],
        "each is at its position"
    );
    assert_eq!(
        extras(further.node("middle").extras())["lod"],
        json!({ "level": 1, "near": 100.0, "far": 500.0 })
    );
    assert!(!files.contains_key("unattached.glb"));
}

#[test]
fn nodes_outside_of_the_world_get_their_own_file() {
    let mut apart = object("spark", 0, json!({}));
    apart["parents"] = json!([]);
    let mut named = object("named", 0, json!({}));
    named["parents"] = json!([5]);
    // The world lists neither: one has no parent, one names its parent.
    let nodes = [object("on", 0, json!({})), apart, named];
    let tree = unpack(
        &Case {
            path: "w.zbd".into(),
            folder: "gamez".into(),
            bytes: world_of(&[cube()], &nodes),
        },
        Hints::default(),
        Style::Json,
    );
    let path = tree
        .paths()
        .into_iter()
        .find(|p| p.starts_with("nodes/"))
        .unwrap();
    let mut doc: Value = serde_json::from_str(&tree.text(&path)).unwrap();
    doc["nodes"][0]["children"] = json!([5]);
    tree.set(&path, doc.to_string().into_bytes());
    let files = export(&repack(&tree).into(), "gamez.zbd", &[]);
    let names = |file: &str| {
        files[file]
            .doc
            .nodes()
            .map(|n| n.name().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("world.glb"),
        ["world1", "on", "named", "camera1", "sunlight"]
    );
    assert_eq!(names("unattached.glb"), ["spark"]);
    assert_eq!(files["unattached.glb"].triangles(), 12);
}

#[test]
fn each_plane_has_a_file() {
    let files = export_case(&golden_file("planes", "cs_planes_small.zbd"), &[]);
    let planes: BTreeMap<&str, BTreeSet<usize>> = files
        .iter()
        .filter(|(p, _)| !p.contains('/'))
        .map(|(p, glb)| (p.as_str(), glb.by_index().into_keys().collect()))
        .collect();
    // Of the twenty nodes the tenth names only itself as its parent; all others are tied together.
    let expected = [
        ("cockpit1.glb", (0..20).filter(|i| *i != 9).collect()),
        ("wf2test.glb", BTreeSet::from([9])),
    ];
    assert_eq!(planes, expected.into());
}

#[test]
fn cameras_and_lights_are_exported() {
    let files = export(&world_of(&[], &[]), "gamez.zbd", &[]);
    let world = &files["world.glb"];
    let camera = world.node("camera1").camera().unwrap();
    let gltf::camera::Projection::Perspective(p) = camera.projection() else {
        panic!()
    };
    assert_eq!(
        (p.znear(), p.zfar(), p.yfov()),
        (1.0, Some(3292.9343), std::f32::consts::FRAC_PI_4)
    );
    let aspect = (0.4 * std::f64::consts::PI / 2.0).tan() / (std::f64::consts::PI / 8.0).tan();
    assert!((f64::from(p.aspect_ratio().unwrap()) - aspect).abs() < 1e-5);
    let sun = world.node("sunlight");
    assert_eq!(sun.transform().decomposed().0, [0.0, 0.0, 12.5]);
    let light = sun.light().unwrap();
    assert_eq!((light.color(), light.intensity()), ([1.0; 3], 1.0));
    assert!(matches!(
        light.kind(),
        gltf::khr_lights_punctual::Kind::Directional
    ));
}

/// A part: name, and as many translations and rotations as frames and one.
type Part<'a> = (&'a str, Vec<[f32; 3]>, Vec<[f32; 4]>);

/// A motion by hand (src/zipper/motion/FORMAT.md): loop time, parts.
fn motion(loop_time: f32, parts: &[Part<'_>]) -> Vec<u8> {
    let frames = parts.first().map_or(0, |p| p.1.len() as u32 - 1);
    let mut out = 4u32.to_le_bytes().to_vec();
    out.extend(loop_time.to_le_bytes());
    out.extend(
        [frames, parts.len() as u32]
            .iter()
            .flat_map(|w| w.to_le_bytes()),
    );
    out.extend([-1.0f32, 1.0].iter().flat_map(|f| f.to_le_bytes()));
    for (name, translations, rotations) in parts {
        out.extend((name.len() as u32).to_le_bytes());
        out.extend(name.bytes());
        out.extend(12u32.to_le_bytes());
        out.extend(
            translations
                .iter()
                .flatten()
                .chain(rotations.iter().flatten())
                .flat_map(|f| f.to_le_bytes()),
        );
    }
    out
}

/// A mechlib's node record and data (src/zipper/gamez/FORMAT.md), without a model.
fn mech_node(name: &str, parents: u32, children: u32) -> Vec<u8> {
    let mut out = vec![0; 208 + 144];
    out[..17].copy_from_slice(b"Default_node_name");
    out[..name.len()].copy_from_slice(name.as_bytes());
    out[name.len()] = 0;
    for (at, word) in [(52, 5u32), (56, 1), (84, parents), (92, children)] {
        out[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    for (at, value) in [
        (36, 1.0f32),
        (40, 1.0),
        (44, 1.0),
        (48, 1.0),
        (64, 1.0),
        (80, 1.0),
        (84, 5.0),
    ] {
        out[208 + at..208 + at + 4].copy_from_slice(&value.to_le_bytes());
    }
    out
}

fn mechlib(trees: &[(&str, Vec<u8>)]) -> Bytes {
    let version = 27u32.to_le_bytes();
    let mut members = vec![
        by_hand::member("format", &[1, 0, 0, 0]),
        by_hand::member("version", &version),
        by_hand::member("materials", &[0, 0, 0, 0]),
    ];
    members.extend(trees.iter().map(|(name, tree)| by_hand::member(name, tree)));
    by_hand::archive(&members, false, None).into()
}

#[test]
fn motions_become_animations_of_their_mech() {
    let tree = || [mech_node("bw_root", 0, 1), mech_node("bw_hips", 1, 0)].concat();
    let lib = mechlib(&[
        ("bw.flt", tree()),
        ("BW_x.flt", tree()),
        ("other.flt", tree()),
    ]);
    let still = vec![[1.0, 0.0, 0.0, 0.0]; 3];
    let line = |x: f32| vec![[0.0, x, 0.0], [1.0, x, 0.0], [0.0, x, 0.0]];
    // A quarter turn about y, and a quaternion that is not of length 1.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = vec![
        [1.0, 0.0, 0.0, 0.0],
        [half, 0.0, half, 0.0],
        [2.0, 0.0, 0.0, 0.0],
    ];
    let walk = motion(
        2.0,
        &[
            ("BW_HIPS", line(4.0), turns),
            ("tail", line(0.0), still.clone()),
            ("bw_hips", line(1.0), still.clone()),
        ],
    );
    let broken = vec![[1.0, 0.0, 0.0, 0.0], [0.0; 4], [1.0, 0.0, 0.0, 0.0]];
    let fall = motion(
        0.0,
        &[
            ("bw_root", line(f32::NAN), still.clone()),
            ("bw_hips", line(2.0), broken),
        ],
    );
    let nothing = motion(1.0, &[("tail", line(0.0), still.clone())]);
    let x_jump = motion(1.0, &[("bw_root", line(0.0), still)]);
    let members = [
        by_hand::member("bw_walk", &walk),
        by_hand::member("bw_fall", &fall),
        by_hand::member("bw_nothing", &nothing),
        by_hand::member("bw_x_jump", &x_jump),
        by_hand::member("bwalk", &walk),
    ];
    let motions: Bytes = by_hand::archive(&members, false, None).into();
    let files = export(&lib, "mechlib.zbd", &[motions]);
    let names = |file: &str| {
        files[file]
            .doc
            .animations()
            .map(|a| a.name().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // The 'mech itself is at rest: Blender would save it as its animation has it.
    assert!(
        ["bw.glb", "BW_x.glb", "other.glb"]
            .iter()
            .all(|file| names(file).is_empty())
    );
    assert_eq!(files.len(), 5);
    assert_eq!(names("bw.motions.glb"), ["bw_walk", "bw_fall"]);
    assert_eq!(names("BW_x.motions.glb"), ["bw_x_jump"]);

    let glb = &files["bw.motions.glb"];
    let hips = glb.node("bw_hips");
    assert_eq!(hips.transform().decomposed().0, [5.0, 0.0, 0.0]);
    let walk = glb.doc.animations().next().unwrap();
    use gltf::animation::util::ReadOutputs::{Rotations, Translations};
    let mut channels = walk.channels();
    let (first, second) = (channels.next().unwrap(), channels.next().unwrap());
    assert!(
        channels.next().is_none(),
        "the second part of a name moves nothing"
    );
    assert_eq!(
        (
            first.target().node().index(),
            second.target().node().index()
        ),
        (hips.index(), hips.index())
    );
    let read = |c: &gltf::animation::Channel<'_>| {
        let reader = c.reader(|b| Some(&glb.buffers[b.index()]));
        (
            reader.read_inputs().unwrap().collect::<Vec<f32>>(),
            reader.read_outputs().unwrap(),
        )
    };
    let (times, Translations(values)) = read(&first) else {
        panic!()
    };
    assert_eq!(times, [0.0, 1.0, 2.0]);
    assert_eq!(values.collect::<Vec<_>>(), line(4.0));
    let (_, Rotations(values)) = read(&second) else {
        panic!()
    };
    // x, y, z, w.
    assert_eq!(
        values.into_f32().collect::<Vec<_>>(),
        [
            [0.0, 0.0, 0.0, 1.0],
            [0.0, half, 0.0, half],
            [0.0, 0.0, 0.0, 1.0]
        ]
    );
    // Only the finite values of the fall remain, and its frames are a second apart.
    let fall = glb.doc.animations().nth(1).unwrap();
    let left: Vec<_> = fall
        .channels()
        .map(|c| {
            (
                c.target().node().name().unwrap().to_owned(),
                c.target().property(),
            )
        })
        .collect();
    use gltf::animation::Property;
    assert_eq!(
        left,
        [
            ("bw_root".to_owned(), Property::Rotation),
            ("bw_hips".to_owned(), Property::Translation)
        ]
    );
    assert_eq!(read(&fall.channels().next().unwrap()).0, [0.0, 1.0, 2.0]);
    let notes = glb.notes();
    for note in [
        "no node \\\"tail\\\"",
        "a second part moves \\\"bw_hips\\\"",
        "a second apart",
        "bw_nothing: nothing moves",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
}

#[test]
fn twenty_thousand_nested_nodes_make_a_file() {
    let levels = 20_000;
    let tree: Vec<u8> = (0..levels)
        .flat_map(|i| mech_node("n", u32::from(i > 0), u32::from(i + 1 < levels)))
        .collect();
    let files = export(&mechlib(&[("deep.flt", tree)]), "mechlib.zbd", &[]);
    let glb = &files["deep.glb"];
    assert_eq!(glb.doc.nodes().count(), levels);
    assert!(
        glb.doc
            .nodes()
            .all(|n| n.children().count() == usize::from(n.index() + 1 < levels))
    );
}

/// Each node is the parent of the next one in two ways: 2^k paths to the last.
#[test]
fn a_lattice_of_parents_does_not_explode() {
    let levels = 40;
    let nodes: Vec<Value> = (0..2 * levels)
        .map(|i| {
            let mut node = object("n", 0, json!({}));
            let next = 5 + 2 * (i / 2 + 1);
            node["children"] = if i / 2 + 1 < levels {
                json!([next, next + 1])
            } else {
                json!([])
            };
            node
        })
        .collect();
    let files = export(&world_of(&[cube()], &nodes), "gamez.zbd", &[]);
    let world = &files["world.glb"];
    assert_eq!(world.by_index().len(), 3 + 2 * levels);
    assert!(
        world.doc.nodes().count() <= 5 * (5 + 2 * levels),
        "{}",
        world.doc.nodes().count()
    );
    assert!(world.notes().contains("too many parents"));
}

#[test]
fn only_textures_and_motions_are_accepted_as_sources() {
    let case = golden_file("gamez", "mw_minimum.gamez.zbd");
    let model = pipeline::open(&case.bytes, &case.path, Hints::default())
        .unwrap()
        .model;
    let error = |with: Bytes| {
        refit::gltf::export(
            &model,
            &[golden_file("textures", "rc_one.zbd").bytes, with],
            &Folder::new(),
        )
        .unwrap_err()
        .to_string()
    };
    let found = error(case.bytes.clone());
    assert!(
        found.contains("--with, file 2")
            && found.contains("gamez")
            && found.contains("texture packages"),
        "{found}"
    );
    assert!(error(Bytes::from_static(b"??")).contains("--with, file 2"));
    let motions = golden_file("motion", "motion_mw_plain.zbd");
    let motions = pipeline::open(&motions.bytes, &motions.path, Hints::default())
        .unwrap()
        .model;
    let found = motions
        .model()
        .export(&Folder::new())
        .unwrap_err()
        .to_string();
    assert!(found.contains("mechlib.zbd --with motion.zbd"), "{found}");
}

/// Every byte of a world decides something; a file with a wrong one that is still read must make
/// valid views.
#[test]
fn damaged_files_make_valid_views_or_errors() {
    let mut made = 0;
    for (format, name) in [
        ("gamez", "rc_minimum.gamez.zbd"),
        ("gamez", "mw_minimum.gamez.zbd"),
        ("gamez", "pm_tight.gamez.zbd"),
        ("planes", "cs_planes_small.zbd"),
        ("mechlib", "mw_twins.mechlib.zbd"),
        ("mechlib", "pm_lod_model.mechlib.zbd"),
    ] {
        let case = golden_file(format, name);
        let step = case.bytes.len() / 60;
        for at in (0..case.bytes.len()).step_by(step.max(1)) {
            let mut bytes = case.bytes.to_vec();
            // Words of all ones: dangling indices, NaN floats, counts that are too large.
            bytes[at / 4 * 4..(at / 4 * 4 + 4).min(case.bytes.len())].fill(0xFF);
            let Ok(opened) = pipeline::open(&bytes.into(), &case.path, Hints::default()) else {
                continue;
            };
            let out = Folder::new();
            if refit::gltf::export(&opened.model, &[], &out).is_ok() {
                for path in out.paths() {
                    Glb::read(
                        &format!("{} › {path} (damaged at {at:#x})", case.path),
                        &out.get(&path).unwrap(),
                    );
                    made += 1;
                }
            }
        }
    }
    assert!(made > 1000, "only {made} files were made");
}
