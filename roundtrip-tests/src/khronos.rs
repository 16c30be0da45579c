//! The errors of the Khronos glTF validator, checked on the bytes of a `.glb`: written from the
//! glTF 2.0 specification and the validator's list of issues, independent of refit's writer and of
//! the crate that the tests use for reading.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The errors of a file; empty for a valid one.
pub fn faults(glb: &[u8]) -> Vec<String> {
    let mut check = Check {
        faults: Vec::new(),
        root: Value::Null,
        data: Vec::new(),
    };
    if check.container(glb) {
        check.all();
    }
    check.faults
}

struct Check {
    faults: Vec<String>,
    root: Value,
    data: Vec<u8>,
}

/// An accessor that was looked into.
struct Values {
    count: usize,
    width: usize,
    component: u64,
    offset: usize,
    stride: usize,
    numbers: Vec<f64>,
}

fn word(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..at + 4)
        .map_or(0, |b| u32::from_le_bytes(b.try_into().unwrap()) as usize)
}

/// The validator's tolerance for the length of a unit vector.
const UNIT_3: f64 = 0.00674;
const UNIT_4: f64 = 0.00769;

fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

impl Check {
    fn say(&mut self, good: bool, fault: impl FnOnce() -> String) -> bool {
        if !good {
            let fault = fault();
            self.faults.push(fault);
        }
        good
    }

    fn container(&mut self, glb: &[u8]) -> bool {
        let head = glb.starts_with(b"glTF")
            && word(glb, 4) == 2
            && word(glb, 8) == glb.len()
            && glb.len().is_multiple_of(4);
        if !self.say(head, || "GLB: magic, version or length".into()) {
            return false;
        }
        let text = word(glb, 12);
        let kind =
            glb.get(16..20) == Some(b"JSON") && text.is_multiple_of(4) && 20 + text <= glb.len();
        if !self.say(kind, || {
            "GLB: the first chunk is no JSON, or not aligned".into()
        }) {
            return false;
        }
        match serde_json::from_slice(&glb[20..20 + text]) {
            Ok(root) => self.root = root,
            Err(e) => return self.say(false, || format!("JSON: {e}")),
        }
        let at = 20 + text;
        let declared = self.root["buffers"][0]["byteLength"]
            .as_u64()
            .map(|n| n as usize);
        if at == glb.len() {
            return self.say(declared.is_none(), || {
                "GLB: a buffer, and no binary chunk".into()
            });
        }
        let size = word(glb, at);
        self.say(
            size.is_multiple_of(4)
                && glb.get(at + 4..at + 8) == Some(b"BIN\0")
                && at + 8 + size == glb.len(),
            || "GLB: the second chunk is no BIN, not aligned, or not the last".into(),
        );
        let own = declared.unwrap_or(0);
        self.say(own <= size && size - own <= 3, || {
            format!("GLB: a chunk of {size} bytes for a buffer of {own}")
        });
        self.data = glb[at + 8..].to_vec();
        true
    }

    fn list(&self, key: &str) -> Vec<Value> {
        self.root[key].as_array().cloned().unwrap_or_default()
    }

    fn count(&self, key: &str) -> usize {
        self.root[key].as_array().map_or(0, Vec::len)
    }

    fn item(&self, key: &str, index: usize) -> Value {
        self.root[key][index].clone()
    }

    fn index(&mut self, value: &Value, key: &str, place: &str) -> Option<usize> {
        if value.is_null() {
            return None;
        }
        let there = value.as_u64().filter(|i| (*i as usize) < self.count(key));
        self.say(there.is_some(), || {
            format!("{place}: {value} of {key}: UNRESOLVED_REFERENCE")
        });
        there.map(|i| i as usize)
    }

    fn all(&mut self) {
        let root = self.root.clone();
        self.say(root["asset"]["version"] == "2.0", || "asset.version".into());
        self.say(
            root["buffers"]
                .as_array()
                .is_none_or(|b| b.len() == 1 && b[0].get("uri").is_none()),
            || "buffers".into(),
        );
        self.empty("", &root);
        self.extensions(&root);
        let views = self.views();
        let used = self.meshes();
        let moved = self.animations();
        for (i, view) in views.iter().enumerate() {
            // A view is for vertices or for indices; it may declare which.
            let kinds: BTreeSet<&str> = used
                .iter()
                .chain(&moved)
                .filter(|(at, _)| *at == i)
                .map(|(_, kind)| *kind)
                .collect();
            self.say(kinds.len() <= 1, || {
                format!("bufferViews[{i}]: used as {kinds:?}: BUFFER_VIEW_TARGET_OVERRIDE")
            });
            let target = view["target"].as_u64();
            let fits = match (target, kinds.first()) {
                (None, _) | (_, None) => true,
                (Some(34962), Some(kind)) => *kind == "vertices",
                (Some(34963), Some(kind)) => *kind == "indices",
                _ => false,
            };
            self.say(fits, || {
                format!("bufferViews[{i}]: target {target:?} for {kinds:?}")
            });
            let strided = view["byteStride"].is_null() || kinds.contains("vertices");
            self.say(strided, || {
                format!("bufferViews[{i}]: a stride without vertices: MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE")
            });
        }
        self.nodes();
        self.materials();
    }

    /// Arrays and objects without anything in them: EMPTY_ENTITY.
    fn empty(&mut self, place: &str, value: &Value) {
        match value {
            Value::Array(list) => {
                self.say(!list.is_empty(), || {
                    format!("{place}: an empty list: EMPTY_ENTITY")
                });
                list.iter()
                    .enumerate()
                    .for_each(|(i, v)| self.empty(&format!("{place}[{i}]"), v));
            }
            Value::Object(map) => {
                for (key, value) in map.iter().filter(|(key, _)| *key != "extras") {
                    self.empty(&format!("{place}.{key}"), value);
                }
            }
            Value::Null => _ = self.say(false, || format!("{place}: null: TYPE_MISMATCH")),
            _ => {}
        }
    }

    fn extensions(&mut self, root: &Value) {
        fn walk(value: &Value, found: &mut BTreeSet<String>) {
            match value {
                Value::Array(list) => list.iter().for_each(|v| walk(v, found)),
                Value::Object(map) => {
                    for (key, value) in map.iter().filter(|(key, _)| *key != "extras") {
                        if key == "extensions" {
                            found.extend(
                                value
                                    .as_object()
                                    .into_iter()
                                    .flat_map(|m| m.keys().cloned()),
                            );
                        }
                        walk(value, found);
                    }
                }
                _ => {}
            }
        }
        let mut found = BTreeSet::new();
        walk(root, &mut found);
        let said: BTreeSet<String> = root["extensionsUsed"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect();
        self.say(found == said, || {
            format!("extensions {found:?}, extensionsUsed {said:?}: UNDECLARED_EXTENSION, UNUSED_EXTENSION")
        });
    }

    fn views(&mut self) -> Vec<Value> {
        let views = self.list("bufferViews");
        let size = self.root["buffers"][0]["byteLength"].as_u64().unwrap_or(0);
        for (i, view) in views.iter().enumerate() {
            let (at, n) = (
                view["byteOffset"].as_u64().unwrap_or(0),
                view["byteLength"].as_u64().unwrap_or(0),
            );
            self.say(view["buffer"] == 0 && n > 0 && at + n <= size, || {
                format!("bufferViews[{i}]: BUFFER_VIEW_TOO_LONG")
            });
            let stride = view["byteStride"].as_u64();
            let good = stride.is_none_or(|s| (4..=252).contains(&s) && s % 4 == 0);
            self.say(good, || {
                format!("bufferViews[{i}]: a stride of {stride:?}: VALUE_NOT_IN_RANGE")
            });
        }
        views
    }

    /// An accessor; its bounds are compared with its values.
    fn accessor(&mut self, index: usize) -> Option<Values> {
        let accessor = self.item("accessors", index);
        let place = format!("accessors[{index}]");
        let view = self.index(&accessor["bufferView"], "bufferViews", &place)?;
        let view = self.item("bufferViews", view);
        let component = accessor["componentType"].as_u64().unwrap_or(0);
        let size = match component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            _ => {
                return self
                    .say(false, || format!("{place}: componentType {component}"))
                    .then_some(())
                    .and(None);
            }
        };
        let width = ["SCALAR", "VEC2", "VEC3", "VEC4"]
            .iter()
            .position(|k| accessor["type"] == **k);
        let Some(width) = width.map(|w| w + 1) else {
            return self
                .say(false, || format!("{place}: type"))
                .then_some(())
                .and(None);
        };
        let count = accessor["count"].as_u64().unwrap_or(0) as usize;
        let (own, start) = (
            accessor["byteOffset"].as_u64().unwrap_or(0) as usize,
            view["byteOffset"].as_u64().unwrap_or(0) as usize,
        );
        let stride = view["byteStride"]
            .as_u64()
            .map_or(size * width, |s| s as usize);
        self.say(count > 0, || format!("{place}: no values"));
        self.say(
            own.is_multiple_of(size) && (own + start).is_multiple_of(size),
            || format!("{place}: ACCESSOR_TOTAL_OFFSET_ALIGNMENT"),
        );
        let fits = own + count.saturating_sub(1) * stride + size * width
            <= view["byteLength"].as_u64().unwrap_or(0) as usize;
        if !self.say(fits && stride >= size * width, || {
            format!("{place}: ACCESSOR_TOO_LONG")
        }) {
            return None;
        }
        let number = |at: usize| -> f64 {
            let b = |n: usize| &self.data[at..at + n];
            match component {
                5120 => f64::from(b(1)[0] as i8),
                5121 => f64::from(b(1)[0]),
                5122 => f64::from(i16::from_le_bytes(b(2).try_into().unwrap())),
                5123 => f64::from(u16::from_le_bytes(b(2).try_into().unwrap())),
                5125 => f64::from(u32::from_le_bytes(b(4).try_into().unwrap())),
                _ => f64::from(f32::from_le_bytes(b(4).try_into().unwrap())),
            }
        };
        let numbers: Vec<f64> = (0..count)
            .flat_map(|i| (0..width).map(move |n| (i, n)))
            .map(|(i, n)| number(start + own + i * stride + n * size))
            .collect();
        self.say(numbers.iter().all(|n| n.is_finite()), || {
            format!("{place}: ACCESSOR_INVALID_FLOAT")
        });
        for (key, best) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
            let Some(said) = accessor[key].as_array() else {
                continue;
            };
            let edge = if key == "min" {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
            let real: Vec<f64> = (0..width)
                .map(|n| {
                    numbers
                        .iter()
                        .skip(n)
                        .step_by(width)
                        .fold(edge, |m, v| best(m, *v))
                })
                .collect();
            // Bounds are compared as the numbers that are stored.
            let said: Vec<f64> = said
                .iter()
                .filter_map(Value::as_f64)
                .map(|v| {
                    if component == 5126 {
                        f64::from(v as f32)
                    } else {
                        v
                    }
                })
                .collect();
            self.say(said == real, || {
                format!(
                    "{place}: {key} is {said:?}, the values have {real:?}: ACCESSOR_MIN_MISMATCH, ACCESSOR_MAX_MISMATCH"
                )
            });
        }
        Some(Values {
            count,
            width,
            component,
            offset: own + start,
            stride,
            numbers,
        })
    }

    fn view_of(&self, accessor: usize) -> Option<usize> {
        self.root["accessors"][accessor]["bufferView"]
            .as_u64()
            .map(|i| i as usize)
    }

    /// Views that meshes use, and for what.
    fn meshes(&mut self) -> Vec<(usize, &'static str)> {
        let mut used = Vec::new();
        for (m, mesh) in self.list("meshes").iter().enumerate() {
            let primitives = mesh["primitives"].as_array().cloned().unwrap_or_default();
            self.say(!primitives.is_empty(), || {
                format!("meshes[{m}]: no primitives")
            });
            for (p, primitive) in primitives.iter().enumerate() {
                let place = format!("meshes[{m}].primitives[{p}]");
                let material = self.index(&primitive["material"], "materials", &place);
                let attributes = primitive["attributes"]
                    .as_object()
                    .cloned()
                    .unwrap_or_default();
                self.say(attributes.contains_key("POSITION"), || {
                    format!("{place}: MESH_PRIMITIVE_NO_POSITION")
                });
                let mut counts = BTreeSet::new();
                for (name, accessor) in &attributes {
                    let place = format!("{place}.{name}");
                    let Some(at) = self.index(accessor, "accessors", &place) else {
                        continue;
                    };
                    used.extend(self.view_of(at).map(|view| (view, "vertices")));
                    let stored = self.item("accessors", at);
                    let Some(values) = self.accessor(at) else {
                        continue;
                    };
                    counts.insert(values.count);
                    self.say(
                        values.offset.is_multiple_of(4) && values.stride.is_multiple_of(4),
                        || format!("{place}: MESH_PRIMITIVE_ACCESSOR_UNALIGNED"),
                    );
                    let float = values.component == 5126;
                    let (fits, range): (bool, fn(&[f64]) -> bool) = match name.as_str() {
                        "POSITION" => (
                            float
                                && values.width == 3
                                && stored["min"].is_array()
                                && stored["max"].is_array(),
                            |_| true,
                        ),
                        "NORMAL" => (float && values.width == 3, |v| {
                            (length(v) - 1.0).abs() <= UNIT_3
                        }),
                        name if name.starts_with("TEXCOORD_") => {
                            (float && values.width == 2, |_| true)
                        }
                        name if name.starts_with("COLOR_") => (float && values.width >= 3, |v| {
                            v.iter().all(|c| (0.0..=1.0).contains(c))
                        }),
                        name => (name.starts_with('_'), |_| true),
                    };
                    self.say(fits, || {
                        format!("{place}: MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT")
                    });
                    self.say(values.numbers.chunks(values.width).all(range), || {
                        format!("{place}: a value out of its range")
                    });
                }
                self.say(counts.len() == 1, || {
                    format!("{place}: attributes of {counts:?} values: MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT")
                });
                let vertices = counts.first().copied().unwrap_or(0);
                self.say(primitive["mode"].as_u64().unwrap_or(4) == 4, || {
                    format!("{place}: mode")
                });
                if let Some(at) = self.index(&primitive["indices"], "accessors", &place) {
                    used.extend(self.view_of(at).map(|view| (view, "indices")));
                    if let Some(values) = self.accessor(at) {
                        let most = match values.component {
                            5121 => 255.0,
                            5123 => 65535.0,
                            5125 => 4294967295.0,
                            _ => -1.0,
                        };
                        self.say(values.width == 1 && most > 0.0, || {
                            format!("{place}: indices of another type")
                        });
                        let strided = self.view_of(at).is_some_and(|view| {
                            self.root["bufferViews"][view]["byteStride"].is_null()
                        });
                        self.say(strided, || {
                            format!("{place}: MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE")
                        });
                        let inside = values
                            .numbers
                            .iter()
                            .all(|i| *i < vertices as f64 && *i < most);
                        self.say(inside, || {
                            format!("{place}: ACCESSOR_INDEX_OOB, ACCESSOR_INDEX_PRIMITIVE_RESTART")
                        });
                        self.say(values.count.is_multiple_of(3), || {
                            format!("{place}: MESH_PRIMITIVE_INCOMPATIBLE_MODE")
                        });
                    }
                }
                let textures = material.map(|i| self.root["materials"][i].to_string());
                let needs = textures.is_some_and(|text| text.contains("Texture\""));
                self.say(!needs || attributes.contains_key("TEXCOORD_0"), || {
                    format!("{place}: MESH_PRIMITIVE_TOO_FEW_TEXCOORDS")
                });
            }
        }
        used
    }

    fn animations(&mut self) -> Vec<(usize, &'static str)> {
        let mut used = Vec::new();
        for (a, animation) in self.list("animations").iter().enumerate() {
            let samplers = animation["samplers"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let mut targets = BTreeSet::new();
            for (c, channel) in animation["channels"]
                .as_array()
                .cloned()
                .unwrap_or_default()
                .iter()
                .enumerate()
            {
                let place = format!("animations[{a}].channels[{c}]");
                let target = &channel["target"];
                self.index(&target["node"], "nodes", &place);
                let path = target["path"].as_str().unwrap_or_default().to_owned();
                self.say(targets.insert(target.to_string()), || {
                    format!("{place}: ANIMATION_DUPLICATE_TARGETS")
                });
                let sampler = channel["sampler"]
                    .as_u64()
                    .and_then(|i| samplers.get(i as usize))
                    .cloned();
                let Some(sampler) = sampler else {
                    self.say(false, || format!("{place}: UNRESOLVED_REFERENCE"));
                    continue;
                };
                let way = sampler["interpolation"]
                    .as_str()
                    .unwrap_or("LINEAR")
                    .to_owned();
                let (Some(input), Some(output)) = (
                    self.index(&sampler["input"], "accessors", &place),
                    self.index(&sampler["output"], "accessors", &place),
                ) else {
                    continue;
                };
                used.extend(
                    [input, output]
                        .into_iter()
                        .filter_map(|at| self.view_of(at))
                        .map(|view| (view, "curves")),
                );
                let bounds = self.item("accessors", input);
                self.say(bounds["min"].is_array() && bounds["max"].is_array(), || {
                    format!("{place}: ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS")
                });
                let (Some(times), Some(values)) = (self.accessor(input), self.accessor(output))
                else {
                    continue;
                };
                let rise = times.numbers.windows(2).all(|t| t[0] < t[1]) && times.numbers[0] >= 0.0;
                self.say(times.width == 1 && times.component == 5126 && rise, || {
                    format!("{place}: ACCESSOR_ANIMATION_INPUT_NON_INCREASING")
                });
                let each = if way == "CUBICSPLINE" { 3 } else { 1 };
                self.say(values.count == each * times.count, || {
                    format!("{place}: ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT")
                });
                let width = if path == "rotation" { 4 } else { 3 };
                let known = ["rotation", "translation", "scale"].contains(&path.as_str())
                    && ["LINEAR", "STEP", "CUBICSPLINE"].contains(&way.as_str());
                self.say(known && values.width == width, || {
                    format!("{place}: {path} of {} numbers, {way}", values.width)
                });
                let turned = path != "rotation"
                    || each == 3
                    || values
                        .numbers
                        .chunks(4)
                        .all(|q| (length(q) - 1.0).abs() <= UNIT_4);
                self.say(turned, || format!("{place}: ACCESSOR_NON_UNIT"));
            }
        }
        used
    }

    fn nodes(&mut self) {
        let nodes = self.list("nodes");
        let mut parent: BTreeMap<usize, usize> = BTreeMap::new();
        for (i, node) in nodes.iter().enumerate() {
            let place = format!("nodes[{i}]");
            for child in node["children"].as_array().cloned().unwrap_or_default() {
                if let Some(child) = self.index(&child, "nodes", &place) {
                    self.say(parent.insert(child, i).is_none(), || {
                        format!("{place}: NODE_PARENT_OVERRIDE of {child}")
                    });
                }
            }
            self.index(&node["mesh"], "meshes", &place);
            self.index(&node["camera"], "cameras", &place);
            let light = &node["extensions"]["KHR_lights_punctual"]["light"];
            if !light.is_null() {
                let lights = self.root["extensions"]["KHR_lights_punctual"]["lights"]
                    .as_array()
                    .map_or(0, Vec::len);
                self.say(
                    light.as_u64().is_some_and(|l| (l as usize) < lights),
                    || format!("{place}: light {light} of {lights}"),
                );
            }
            let numbers = |key: &str| {
                node[key]
                    .as_array()
                    .map(|v| v.iter().filter_map(Value::as_f64).collect::<Vec<f64>>())
            };
            let (turn, shift, scale, matrix) = (
                numbers("rotation"),
                numbers("translation"),
                numbers("scale"),
                numbers("matrix"),
            );
            let parts = turn.is_some() || shift.is_some() || scale.is_some();
            self.say(matrix.is_none() || !parts, || {
                format!("{place}: NODE_MATRIX_TRS")
            });
            let sizes = [(&turn, 4), (&shift, 3), (&scale, 3), (&matrix, 16)];
            self.say(
                sizes
                    .iter()
                    .all(|(v, n)| v.as_ref().is_none_or(|v| v.len() == *n)),
                || format!("{place}: a place of other numbers"),
            );
            let unit = turn.as_ref().is_none_or(|q| {
                (length(q) - 1.0).abs() <= UNIT_4 && q.iter().all(|v| v.abs() <= 1.0)
            });
            self.say(unit, || format!("{place}: {turn:?}: ROTATION_NON_UNIT"));
        }
        // As many steps upwards as there are nodes go round.
        for i in 0..nodes.len() {
            let (mut at, mut steps) = (i, 0);
            while let Some(up) = parent.get(&at) {
                (at, steps) = (*up, steps + 1);
                if steps > nodes.len() {
                    self.say(false, || format!("nodes[{i}]: NODE_LOOP"));
                    return;
                }
                if nodes.len() > 4096 && steps > 64 {
                    break;
                }
            }
        }
        self.index(&self.root["scene"].clone(), "scenes", "scene");
        for (i, scene) in self.list("scenes").iter().enumerate() {
            let mut seen = BTreeSet::new();
            for node in scene["nodes"].as_array().cloned().unwrap_or_default() {
                if let Some(node) = self.index(&node, "nodes", &format!("scenes[{i}]")) {
                    self.say(!parent.contains_key(&node), || {
                        format!("scenes[{i}]: {node}: SCENE_NON_ROOT_NODE")
                    });
                    self.say(seen.insert(node), || {
                        format!("scenes[{i}]: {node} twice: DUPLICATE_ELEMENTS")
                    });
                }
            }
        }
        for (i, camera) in self.list("cameras").iter().enumerate() {
            let p = |key: &str| camera["perspective"][key].as_f64().unwrap_or(0.0);
            let good = camera["type"] == "perspective"
                && p("yfov") > 0.0
                && p("yfov") < std::f64::consts::PI
                && p("znear") > 0.0;
            let far = camera["perspective"]["zfar"].is_null() || p("zfar") > p("znear");
            let wide = camera["perspective"]["aspectRatio"].is_null() || p("aspectRatio") > 0.0;
            self.say(good && far && wide, || {
                format!("cameras[{i}]: {camera}: CAMERA_ZFAR_LEQUAL_ZNEAR, VALUE_NOT_IN_RANGE")
            });
        }
        for (i, light) in self.root["extensions"]["KHR_lights_punctual"]["lights"]
            .as_array()
            .cloned()
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            let colour = light["color"].as_array().is_none_or(|c| {
                c.len() == 3
                    && c.iter()
                        .all(|v| v.as_f64().is_some_and(|v| (0.0..=1.0).contains(&v)))
            });
            let kind = ["directional", "point", "spot"]
                .iter()
                .any(|k| light["type"] == **k);
            let good = light["intensity"].as_f64().is_none_or(|v| v >= 0.0)
                && light["range"].as_f64().is_none_or(|v| v > 0.0);
            self.say(colour && kind && good, || format!("lights[{i}]: {light}"));
        }
    }

    fn materials(&mut self) {
        for (i, material) in self.list("materials").iter().enumerate() {
            let place = format!("materials[{i}]");
            let pbr = &material["pbrMetallicRoughness"];
            let parts = |value: &Value, n: usize| {
                value.as_array().is_none_or(|v| {
                    v.len() == n
                        && v.iter()
                            .all(|v| v.as_f64().is_some_and(|v| (0.0..=1.0).contains(&v)))
                })
            };
            let one = |value: &Value| {
                value.is_null() || value.as_f64().is_some_and(|v| (0.0..=1.0).contains(&v))
            };
            let factors =
                parts(&pbr["baseColorFactor"], 4) && parts(&material["emissiveFactor"], 3);
            self.say(
                factors && one(&pbr["metallicFactor"]) && one(&pbr["roughnessFactor"]),
                || format!("{place}: VALUE_NOT_IN_RANGE"),
            );
            let mode = &material["alphaMode"];
            let known = mode.is_null() || ["OPAQUE", "MASK", "BLEND"].iter().any(|m| mode == m);
            self.say(
                known && (material["alphaCutoff"].is_null() || mode == "MASK"),
                || format!("{place}: MATERIAL_ALPHA_CUTOFF_INVALID_MODE"),
            );
            for texture in [&pbr["baseColorTexture"], &material["emissiveTexture"]] {
                self.index(&texture["index"], "textures", &place);
                self.say(texture["texCoord"].as_u64().unwrap_or(0) == 0, || {
                    format!("{place}: texCoord")
                });
            }
        }
        for (i, texture) in self.list("textures").iter().enumerate() {
            self.index(&texture["source"], "images", &format!("textures[{i}]"));
            self.index(&texture["sampler"], "samplers", &format!("textures[{i}]"));
        }
        for (i, sampler) in self.list("samplers").iter().enumerate() {
            let of = |key: &str, known: &[u64]| {
                sampler[key].is_null() || sampler[key].as_u64().is_some_and(|v| known.contains(&v))
            };
            let wraps = [33071, 33648, 10497];
            let filters = of("magFilter", &[9728, 9729])
                && of("minFilter", &[9728, 9729, 9984, 9985, 9986, 9987]);
            self.say(
                filters && of("wrapS", &wraps) && of("wrapT", &wraps),
                || format!("samplers[{i}]: {sampler}"),
            );
        }
        for (i, image) in self.list("images").iter().enumerate() {
            let place = format!("images[{i}]");
            let Some(view) = self.index(&image["bufferView"], "bufferViews", &place) else {
                continue;
            };
            let view = self.item("bufferViews", view);
            let at = view["byteOffset"].as_u64().unwrap_or(0) as usize;
            let png = self.data.get(at..at + 8) == Some(b"\x89PNG\r\n\x1a\n");
            self.say(png && image["mimeType"] == "image/png", || {
                format!("{place}: IMAGE_MIME_TYPE_INVALID")
            });
            self.say(
                view["target"].is_null() && view["byteStride"].is_null(),
                || format!("{place}: IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE"),
            );
        }
    }
}

/// A binary glTF of a root and its one buffer.
pub fn glb(root: &Value, data: &[u8]) -> Vec<u8> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(4), 0);
    let word = |n: usize| (n as u32).to_le_bytes();
    let head = [
        *b"glTF",
        word(2),
        word(28 + text.len() + data.len()),
        word(text.len()),
        *b"JSON",
    ]
    .concat();
    [head, text, [word(data.len()), *b"BIN\0"].concat(), data].concat()
}
