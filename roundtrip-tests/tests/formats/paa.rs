//! Trees of textures: what stays packed in them, and what happens if it is damaged there.

use refit::{
    pipeline::{self, Hints},
    tree::{Folder, Options, Sink, Source, Style},
    wire::Result,
};
use roundtrip_tests::*;

/// A tree in which LZO stays packed.
struct Packed(Folder);

impl Sink for Packed {
    fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        self.0.put(path, bytes)
    }
    fn options(&self) -> Options {
        Options {
            stay_packed: true,
            ..Options::default()
        }
    }
}

fn packed_tree(case: &Case) -> Folder {
    let tree = Packed(Folder::new());
    let unpacked = pipeline::unpack(
        &case.bytes,
        &case.path,
        Hints::default(),
        Style::Json,
        true,
        &tree,
        &|| Ok(()),
    );
    unpacked.unwrap_or_else(|e| panic!("{}: {e}", case.path));
    tree.0
}

/// With and without LZO that stays packed, a tree is exact.
#[test]
fn what_is_packed_with_lzo_stays_packed_packed_tree() {
    let mut kept = 0;
    for case in golden("paa") {
        let (disk, memory) = (
            packed_tree(&case),
            unpack(&case, Hints::default(), Style::Json),
        );
        for tree in [&disk, &memory] {
            assert!(repack(tree) == case.bytes, "{}", case.path);
        }
        let packed = |tree: &Folder| tree.text("refit.json").matches("\"stored\": true").count();
        assert!(packed(&memory) <= packed(&disk), "{}", case.path);
        kept += packed(&disk) - packed(&memory);
    }
    assert!(kept > 0, "no golden texture has a level of ours");
}

/// Damaged data are an error that names them: the picture does not quietly take their place.
#[test]
fn damaged_levels_are_named() {
    let case = golden_file("paa", "dxt1_lzo.paa");
    let tree = packed_tree(&case);
    let data = tree.get("levels/0.lzo").unwrap();
    for damaged in [&data[..data.len() - 1], b"", b"version https://git-lfs"] {
        tree.set("levels/0.lzo", damaged.to_vec());
        let error = repack_error(&tree);
        assert!(error.contains("levels/0.lzo"), "{error}");
    }
    tree.set("levels/0.lzo", data.to_vec());
    assert!(repack(&tree) == case.bytes);
    edit(
        &tree,
        "refit.json",
        "\"packing\": \"lzo\"",
        "\"packing\": \"plain\"",
    );
    let error = repack_error(&tree);
    assert!(error.contains("levels/0.lzo"), "{error}");
}
