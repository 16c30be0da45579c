//! The check of exports finds errors in a file: a valid one, damaged in one place at a time.

use roundtrip_tests::khronos::{faults, glb};
use serde_json::{Value, json};

/// A triangle with normals, indices, and a turning node: everything that is checked, and valid.
fn valid() -> (Value, Vec<u8>) {
    let mut data: Vec<u8> = Vec::new();
    let floats =
        |data: &mut Vec<u8>, list: &[f32]| data.extend(list.iter().flat_map(|v| v.to_le_bytes()));
    floats(&mut data, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    floats(&mut data, &[0.0, 0.0, 1.0].repeat(3));
    floats(&mut data, &[0.0, 1.0]);
    floats(&mut data, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8]);
    data.extend([0u16, 1, 2].iter().flat_map(|v| v.to_le_bytes()));
    let root = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1] }, { "mesh": 0, "rotation": [0.0, 0.6, 0.0, 0.8] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "NORMAL": 1 }, "indices": 2, "material": 0 }] }],
        "materials": [{ "name": "paint" }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        "samplers": [{ "input": 3, "output": 4 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0.0, 0.0, 0.0], "max": [1.0,
            2.0, 0.0] },
            { "bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 3, "type": "VEC3" },
            { "bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.0], "max": [1.0] },
            { "bufferView": 2, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC4" }
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 72, "byteStride": 12, "target": 34962 },
            { "buffer": 0, "byteOffset": 112, "byteLength": 6, "target": 34963 },
            { "buffer": 0, "byteOffset": 72, "byteLength": 40 }
        ],
        "buffers": [{ "byteLength": 118 }]
    });
    (root, data)
}

/// The expected error, and the edit.
type Worse<'a> = (&'a str, &'a dyn Fn(&mut Value));

#[test]
fn each_error_is_found_and_a_valid_file_has_none() {
    let (root, data) = valid();
    let none: Vec<String> = Vec::new();
    assert_eq!(faults(&glb(&root, &data)), none);
    let worse: &[Worse] = &[
        ("asset.version", &|r| r["asset"]["version"] = json!("1.0")),
        ("EMPTY_ENTITY", &|r| r["nodes"][1]["children"] = json!([])),
        ("UNDECLARED_EXTENSION", &|r| {
            r["nodes"][0]["extensions"] = json!({ "KHR_x": { "a": 1 } })
        }),
        ("UNRESOLVED_REFERENCE", &|r| {
            r["nodes"][1]["mesh"] = json!(1)
        }),
        ("UNRESOLVED_REFERENCE", &|r| {
            r["meshes"][0]["primitives"][0]["material"] = json!(7)
        }),
        ("NODE_PARENT_OVERRIDE", &|r| {
            r["nodes"][1]["children"] = json!([1])
        }),
        ("NODE_LOOP", &|r| r["nodes"][1]["children"] = json!([0])),
        ("SCENE_NON_ROOT_NODE", &|r| {
            r["scenes"][0]["nodes"] = json!([0, 1])
        }),
        ("DUPLICATE_ELEMENTS", &|r| {
            r["scenes"][0]["nodes"] = json!([0, 0])
        }),
        ("NODE_MATRIX_TRS", &|r| {
            r["nodes"][1]["matrix"] = json!([
                1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0
            ])
        }),
        ("ROTATION_NON_UNIT", &|r| {
            r["nodes"][1]["rotation"] = json!([0.0, 0.6, 0.0, 0.9])
        }),
        ("MIN_MISMATCH", &|r| {
            r["accessors"][0]["max"] = json!([1.0, 2.5, 0.0])
        }),
        ("MIN_MISMATCH", &|r| r["accessors"][3]["min"] = json!([0.5])),
        ("ACCESSOR_TOO_LONG", &|r| {
            r["accessors"][1]["count"] = json!(4)
        }),
        ("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", &|r| {
            r["accessors"][1]["byteOffset"] = json!(34)
        }),
        ("BUFFER_VIEW_TOO_LONG", &|r| {
            r["bufferViews"][1]["byteLength"] = json!(8)
        }),
        ("VALUE_NOT_IN_RANGE", &|r| {
            r["bufferViews"][0]["byteStride"] = json!(14)
        }),
        ("INVALID_FORMAT", &|r| {
            _ = r["accessors"][0].as_object_mut().unwrap().remove("min")
        }),
        ("UNEQUAL_ACCESSOR_COUNT", &|r| {
            r["accessors"][1]["count"] = json!(2)
        }),
        ("a value out of its range", &|r| {
            r["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(0)
        }),
        ("BUFFER_VIEW_TARGET_OVERRIDE", &|r| {
            r["accessors"][2]["bufferView"] = json!(0)
        }),
        ("target", &|r| r["bufferViews"][1]["target"] = json!(34962)),
        ("MESH_PRIMITIVE_NO_POSITION", &|r| {
            _ = r["meshes"][0]["primitives"][0]["attributes"]
                .as_object_mut()
                .unwrap()
                .remove("POSITION")
        }),
        ("TOO_FEW_TEXCOORDS", &|r| {
            r["materials"][0]["emissiveTexture"] = json!({ "index": 0 })
        }),
        ("VALUE_NOT_IN_RANGE", &|r| {
            r["materials"][0]["pbrMetallicRoughness"] = json!({ "roughnessFactor": 1.5 })
        }),
        ("ALPHA_CUTOFF", &|r| {
            r["materials"][0]["alphaMode"] = json!("GLASS")
        }),
        ("ANIMATION_DUPLICATE_TARGETS", &|r| {
            let channel = r["animations"][0]["channels"][0].clone();
            r["animations"][0]["channels"]
                .as_array_mut()
                .unwrap()
                .push(channel);
        }),
        ("OUTPUT_ACCESSOR_INVALID_COUNT", &|r| {
            r["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE")
        }),
        ("rotation of 3 numbers", &|r| {
            r["animations"][0]["samplers"][0]["output"] = json!(1)
        }),
        ("a buffer of 120", &|r| {
            r["buffers"][0]["byteLength"] = json!(130)
        }),
    ];
    for (wanted, edit) in worse {
        let mut root = root.clone();
        edit(&mut root);
        let found = faults(&glb(&root, &data));
        let wanted = if *wanted == "a buffer of 120" {
            "a chunk of 120 bytes for a buffer of 130"
        } else {
            wanted
        };
        assert!(
            found.iter().any(|fault| fault.contains(wanted)),
            "{wanted}: {found:?}"
        );
    }
    // The binary part.
    let bytes: &[(&str, usize, [u8; 2])] = &[
        ("ACCESSOR_INDEX_OOB", 112, 3u16.to_le_bytes()),
        ("ACCESSOR_INVALID_FLOAT", 38, [0xc0, 0x7f]),
        ("NON_INCREASING", 78, [0x00, 0xbf]),
        ("ACCESSOR_NON_UNIT", 94, [0x00, 0x40]),
    ];
    for (wanted, at, worse) in bytes {
        let mut data = data.clone();
        data[*at..*at + 2].copy_from_slice(worse);
        let found = faults(&glb(&root, &data));
        assert!(
            found.iter().any(|fault| fault.contains(wanted)),
            "{wanted}: {found:?}"
        );
    }
    let whole = glb(&root, &data);
    assert!(!faults(&whole[..whole.len() - 4]).is_empty() && !faults(b"glTF").is_empty());
}
