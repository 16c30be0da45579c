//! Pairs of mods over all formats, with what a person expects of them together: a file with both edits, or the exact conflict. The file
//! with both edits is made without mods, of a tree that was edited twice.

use bytes::Bytes;
use refit::{
    diff::Tree,
    mods::{self, Maker, Mod, Patch, Prefer},
    tree::{Blob, Folder, Style},
    work::Hints,
};
use roundtrip_tests::{assert_bytes, edit, golden_file, repack, unpack};

/// An edit of a text of a tree: its path, what stands there once, and what stands there then.
type Edit<'a> = (&'a str, &'a str, &'a str);

fn tree(bytes: &[u8], path: &str, like: Option<&Tree>) -> Tree {
    let hints = like.map_or_else(Hints::default, |tree| Hints { game: tree.game, format: tree.format });
    Tree::of_file(&Blob::Memory(Bytes::copy_from_slice(bytes)), path, hints).unwrap()
}

fn edited(folder: &dyn Fn() -> Folder, edits: &[Edit<'_>]) -> Vec<u8> {
    let folder = folder();
    for (path, from, to) in edits {
        edit(&folder, path, from, to);
    }
    repack(&folder)
}

fn make(a: &Tree, bytes: &[u8], path: &str, name: &str) -> Mod {
    let mut maker = Maker::new(name);
    assert!(maker.changed("file", a, &tree(bytes, path, Some(a))).unwrap());
    maker.finish()
}

fn patched(a: &Tree, mods: &[&Mod], prefer: Prefer) -> mods::Patched {
    let patches: Vec<Patch<'_>> =
        mods.iter().enumerate().map(|(by, one)| Patch { by, changes: one.changes[0].as_ref().unwrap(), files: &one.files }).collect();
    mods::patch(a, &patches, prefer).unwrap_or_else(|e| panic!("{e}"))
}

/// Two mods of a file, each with its own edit.
fn pair(format: &str, name: &str, first: &[Edit<'_>], second: &[Edit<'_>]) -> (Tree, Mod, Mod, impl Fn(&[Edit<'_>]) -> Vec<u8>) {
    let case = golden_file(format, name);
    let folder = move || unpack(&golden_file(format, name), Hints::default(), Style::Json);
    let make_of = move |edits: &[Edit<'_>]| edited(&folder, edits);
    let a = tree(&case.bytes, &case.path, None);
    let x = make(&a, &make_of(first), &case.path, "x");
    let y = make(&a, &make_of(second), &case.path, "y");
    (a, x, y, make_of)
}

/// Both edits are in the file, in either order, and in the mod that is made of both.
#[track_caller]
fn merges(format: &str, name: &str, first: &[Edit<'_>], second: &[Edit<'_>]) {
    let (a, x, y, make_of) = pair(format, name, first, second);
    let expected = make_of(&[first, second].concat());
    for mods in [[&x, &y], [&y, &x]] {
        let done = patched(&a, &mods, Prefer::None);
        assert_eq!((done.conflicts, done.unplaced), (vec![], vec![]), "{name}");
        assert_bytes(&done.bytes, &expected);
    }
    let both = mods::union(&x, &y, Prefer::None).unwrap();
    assert_eq!(both.conflicts, [], "{name}");
    assert_bytes(&patched(&a, &[&both.made], Prefer::None).bytes, &expected);
}

/// Both want something else there; with a preference, one wins.
#[track_caller]
fn conflicts(format: &str, name: &str, first: &[Edit<'_>], second: &[Edit<'_>], at: &[(&str, &str)]) {
    let (a, x, y, make_of) = pair(format, name, first, second);
    let done = patched(&a, &[&x, &y], Prefer::None);
    let found: Vec<(&str, &str)> = done.conflicts.iter().map(|conflict| (conflict.part.as_str(), conflict.at.as_str())).collect();
    assert_eq!(found, at, "{name}: {:?}", done.conflicts);
    assert!(done.conflicts.iter().all(|conflict| conflict.mods == (0, 1) && conflict.wants.0 != conflict.wants.1));
    assert!(!mods::union(&x, &y, Prefer::None).unwrap().conflicts.is_empty(), "{name}");
    assert_bytes(&patched(&a, &[&x, &y], Prefer::First).bytes, &make_of(first));
    assert_bytes(&patched(&a, &[&x, &y], Prefer::Last).bytes, &make_of(second));
}

const READER: (&str, &str) = ("reader", "mw_zbd_c1_readerm1.zbd");
const ZEPHYR: &str = "zephyr1.zrd.json";
const FALCON: &str = "falcon0.zrd.json";

#[test]
fn reader_files() {
    let (format, name) = READER;
    // Two members; two values of one list; a value and a new one behind it; two new ones at two places.
    merges(format, name, &[(ZEPHYR, "-2147483648", "250")], &[(FALCON, "\"PYLON_AMBER\", 0]", "\"PYLON_AMBER\", 7]")]);
    merges(format, name, &[(ZEPHYR, "-2147483648", "250")], &[(ZEPHYR, "2.1845223e-7", "0.5")]);
    merges(format, name, &[(ZEPHYR, "-2147483648", "250")], &[(ZEPHYR, "\"semi;colon\"", "\"semi;colon\", \"ADDED\", [1, 2.5]")]);
    merges(
        format,
        name,
        &[(ZEPHYR, "\"YARROW_DRIFT\",", "\"YARROW_DRIFT\", 1.5,")],
        &[(ZEPHYR, "\"semi;colon\"", "\"semi;colon\", \"ADDED\", [1]")],
    );
    merges(format, name, &[(ZEPHYR, "\"semi;colon\", ", "")], &[(ZEPHYR, "-2147483648", "1")]);
    conflicts(
        format,
        name,
        &[(ZEPHYR, "-2147483648", "250")],
        &[(ZEPHYR, "-2147483648", "260")],
        &[(ZEPHYR, "[UMBER][YARROW_DRIFT][UMBER:]")],
    );
    conflicts(format, name, &[(ZEPHYR, "2.1845223e-7", "0.5")], &[(ZEPHYR, ", 2.1845223e-7", "")], &[(ZEPHYR, "[UMBER][YARROW_DRIFT][3]")]);
}

const WORLD: (&str, &str) = ("gamez", "mw_base.gamez.zbd");
const NODES: &str = "nodes/00000-00043.json";

#[test]
fn worlds() {
    let (format, name) = WORLD;
    merges(
        format,
        name,
        &[(NODES, "\"fog_altitude\": [200.0, -0.0]", "\"fog_altitude\": [201.0, -0.0]")],
        &[(NODES, "\"min_y\": 0.098598614", "\"min_y\": 0.5")],
    );
    merges(
        format,
        name,
        &[("materials.json", "\"soil\": \"SEAFLOOR\"", "\"soil\": \"MUD\"")],
        &[(NODES, "\"max_y\": 41.217373", "\"max_y\": 42.0")],
    );
    merges(
        format,
        name,
        &[("materials.json", "\"soil\": \"SEAFLOOR\"", "\"soil\": \"MUD\"")],
        &[("materials.json", "\"alpha\": 226", "\"alpha\": 200")],
    );
    merges(format, name, &[("textures.json", "\"mip\": 7", "\"mip\": 6")], &[("textures.json", "\"mip\": 9", "\"mip\": 8")]);
    conflicts(
        format,
        name,
        &[(NODES, "\"min_y\": 0.098598614", "\"min_y\": 0.5")],
        &[(NODES, "\"min_y\": 0.098598614", "\"min_y\": 0.75")],
        &[("nodes.json", "nodes[world1].data.world.cells[0].min_y")],
    );
    conflicts(
        format,
        name,
        &[("materials.json", "\"soil\": \"SEAFLOOR\"", "\"soil\": \"MUD\"")],
        &[("materials.json", "\"soil\": \"SEAFLOOR\"", "\"soil\": \"LAVA\"")],
        &[("materials.json", "materials[2].soil")],
    );
}

const ANIM: (&str, &str) = ("anim", "mw_event_34.zbd");
const DEFINITION: &str = "defs/wedge_radar_rotor38.json";

#[test]
fn animations() {
    let (format, name) = ANIM;
    merges(format, name, &[(DEFINITION, "\"health\": 250.0", "\"health\": 10.0")], &[(DEFINITION, "\"WEAPON_HIT\"", "\"ON_CALL\"")]);
    // Two events of one sequence; one removed and one changed; a new one and a changed one.
    merges(
        format,
        name,
        &[(DEFINITION, "[\"ANIMATION\", 0.5]", "[\"ANIMATION\", 0.75]")],
        &[(DEFINITION, "[\"SEQUENCE\", -5.0]", "[\"SEQUENCE\", 5.0]")],
    );
    merges(
        format,
        name,
        &[(DEFINITION, "      { \"at\": [\"EVENT\", 0.0], \"ENDIF\": {} },\n", "")],
        &[(DEFINITION, "[\"SEQUENCE\", -5.0]", "[\"SEQUENCE\", 5.0]")],
    );
    merges(
        format,
        name,
        &[(
            DEFINITION,
            "{ \"at\": [\"SEQUENCE\", 1.25], \"ENDIF\": {} }",
            "{ \"at\": [\"SEQUENCE\", 1.25], \"ENDIF\": {} }, { \"at\": [\"SEQUENCE\", 9.0], \"ENDIF\": {} }",
        )],
        &[(DEFINITION, "[\"ANIMATION\", 0.5]", "[\"ANIMATION\", 0.75]")],
    );
    conflicts(
        format,
        name,
        &[(DEFINITION, "[\"ANIMATION\", 0.5]", "[\"ANIMATION\", 0.75]")],
        &[(DEFINITION, "[\"ANIMATION\", 0.5]", "[\"ANIMATION\", 0.25]")],
        &[(DEFINITION, "sequences[SEQ_0].events[1].at[ANIMATION:]")],
    );
    conflicts(
        format,
        name,
        &[(DEFINITION, "\"health\": 250.0", "\"health\": 10.0")],
        &[(DEFINITION, "\"health\": 250.0", "\"health\": 20.0")],
        &[(DEFINITION, "health")],
    );
}

#[test]
fn messages() {
    let (format, name) = ("messages", "res_langui_shape.dll");
    let text = "messages.json";
    merges(format, name, &[(text, "]Choose a pilot", "]Take a pilot")], &[(text, "\"plain\"", "\"Plain!\"")]);
    merges(format, name, &[(text, "[]Back", "[]Go back")], &[(text, "Press a key", "Press any key now")]);
    conflicts(format, name, &[(text, "\"plain\"", "\"one\"")], &[(text, "\"plain\"", "\"two\"")], &[(text, "messages[9].text")]);
}

#[test]
fn pbo_archives() {
    let (format, name) = ("pbo", "variants_arma3_stamps.pbo");
    merges(format, name, &[("files/t0", "t", "first")], &[("files/t1", "t", "second")]);
    merges(format, name, &[("files/t0", "t", "first")], &[("refit.json", "x\\\\demo\\\\addons\\\\main", "x\\\\other")]);
    conflicts(format, name, &[("files/t0", "t", "first")], &[("files/t0", "t", "second")], &[("files/t0", "[0]")]);
}

#[test]
fn smaller_formats() {
    let zmap = "zmap_objective.zmap.json";
    merges(
        "zmap",
        "zmap_objective.zmap",
        &[(zmap, "\"unk04\": 5", "\"unk04\": 6")],
        &[(zmap, "\"min\": [-1.0, 0.0, -1.0]", "\"min\": [-2.0, 0.0, -1.0]")],
    );
    conflicts(
        "zmap",
        "zmap_objective.zmap",
        &[(zmap, "\"unk04\": 5", "\"unk04\": 6")],
        &[(zmap, "\"unk04\": 5", "\"unk04\": 7")],
        &[(zmap, "unk04")],
    );
    let aircraft = "odd.json";
    merges("aircraft", "odd", &[(aircraft, "\"airframe\": 3", "\"airframe\": 4")], &[(aircraft, "\"pattern\": 14", "\"pattern\": 2")]);
    // Two places of one list.
    merges(
        "aircraft",
        "odd",
        &[(aircraft, "\"colors\": [10, 20, 30]", "\"colors\": [11, 20, 30]")],
        &[(aircraft, "\"shades\": [1, 2, 3]", "\"shades\": [1, 2, 4]")],
    );
    conflicts(
        "aircraft",
        "odd",
        &[(aircraft, "\"airframe\": 3", "\"airframe\": 4")],
        &[(aircraft, "\"airframe\": 3", "\"airframe\": 5")],
        &[(aircraft, "airframe")],
    );
    let motion = "m0_walk.json";
    merges("motion", "motion_mw_denormal.zbd", &[(motion, "\"loop_time\": 4.4059", "\"loop_time\": 5.0")], &[(motion, "2.8720636", "3.5")]);
    conflicts(
        "motion",
        "motion_mw_denormal.zbd",
        &[(motion, "2.8720636", "4.5")],
        &[(motion, "2.8720636", "3.5")],
        &[(motion, "parts[hip].translations[0][1]")],
    );
    let save = "zSaveHeader.json";
    conflicts(
        "savegame",
        "save_other.mw3",
        &[(save, "\"version\": 2", "\"version\": 3")],
        &[(save, "\"version\": 2", "\"version\": 4")],
        &[(save, "header.version")],
    );
    conflicts("interp", "interp_count_low.zbd", &[("a.gs", "set X", "set Y")], &[("a.gs", "set X", "set Z")], &[("a.gs", "[0]")]);
    merges(
        "interp",
        "interp_count_low.zbd",
        &[("a.gs", "set X", "set Y")],
        &[("refit.json", "1970-01-01T00:00:05Z", "1970-01-01T00:00:09Z")],
    );
}
