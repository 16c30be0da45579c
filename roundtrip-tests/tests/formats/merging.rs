//! Pairs of mods over all formats, with the result that a person expects: a file with both edits,
//! or the exact conflict. The file with both edits is made without mods, from a tree that was
//! edited twice.

use bytes::Bytes;
use refit::{
    diff::{Piece, Tree},
    mods::{self, FileChanges, Maker, Mod, Origin, PartEntry, Patch, Pieces, Prefer},
    pipeline::Hints,
    tree::{Blob, Folder, Source, Style},
};
use roundtrip_tests::{assert_bytes, edit, golden_file, leaks::Original, repack, unpack};

/// An edit of a text of a tree: its path, a text that occurs there once, and its replacement.
type Edit<'a> = (&'a str, &'a str, &'a str);

fn tree(bytes: &[u8], path: &str, like: Option<&Tree>) -> Tree {
    let hints = like.map_or_else(Hints::default, |tree| Hints {
        game: tree.game,
        format: tree.format,
    });
    Tree::of_file(&Blob::Memory(Bytes::copy_from_slice(bytes)), path, hints).unwrap()
}

/// An author's edit of a tree.
type Touch<'a> = &'a dyn Fn(&Folder);

fn edits(edits: &[Edit<'_>]) -> impl Fn(&Folder) {
    move |folder| {
        edits
            .iter()
            .for_each(|(path, from, to)| edit(folder, path, from, to))
    }
}

/// Replaces a plain file by another one, or adds it.
fn copy(from: &str, to: &str) -> impl Fn(&Folder) {
    move |folder| folder.set(to, folder.get(from).unwrap())
}

fn make(a: &Tree, bytes: &[u8], path: &str, name: &str) -> Mod {
    let mut maker = Maker::new(name);
    assert!(
        maker
            .changed("file", a, &tree(bytes, path, Some(a)))
            .unwrap()
    );
    let made = maker.finish().unwrap();
    let whole = a.file.bytes().unwrap();
    assert_eq!(
        Original::of([(path, &whole[..])]).in_mod(&made),
        Vec::<String>::new(),
        "{path}"
    );
    made
}

fn patched(a: &Tree, mods: &[&Mod], prefer: Prefer) -> mods::Patched {
    let patches: Vec<Patch<'_>> = mods
        .iter()
        .enumerate()
        .map(|(by, one)| Patch {
            by,
            changes: one.changes[0].as_ref().unwrap(),
            files: &one.files,
            prefer,
        })
        .collect();
    mods::patch(a, &patches).unwrap_or_else(|e| panic!("{e}"))
}

/// The file with these edits.
fn made(format: &str, name: &str, touches: &[Touch<'_>]) -> Vec<u8> {
    let folder = unpack(&golden_file(format, name), Hints::default(), Style::Json);
    touches.iter().for_each(|touch| touch(&folder));
    repack(&folder)
}

/// Two mods of a file, each with its own edit.
fn pair(format: &str, name: &str, first: Touch<'_>, second: Touch<'_>) -> (Tree, Mod, Mod) {
    let case = golden_file(format, name);
    let a = tree(&case.bytes, &case.path, None);
    let x = make(&a, &made(format, name, &[first]), &case.path, "x");
    let y = make(&a, &made(format, name, &[second]), &case.path, "y");
    (a, x, y)
}

/// Both edits are in the file, in either order, and in the mod that is merged from both.
#[track_caller]
fn merges_by(format: &str, name: &str, first: Touch<'_>, second: Touch<'_>) {
    let (a, x, y) = pair(format, name, first, second);
    let expected = made(format, name, &[first, second]);
    for mods in [[&x, &y], [&y, &x]] {
        let done = patched(&a, &mods, Prefer::None);
        assert_eq!((done.conflicts, done.unplaced), (vec![], vec![]), "{name}");
        assert_bytes(&done.bytes, &expected);
    }
    let both = mods::union(&x, &y, Prefer::None).unwrap();
    assert_eq!(both.conflicts, [], "{name}");
    assert_bytes(&patched(&a, &[&both.made], Prefer::None).bytes, &expected);
}

/// Both set different values; with a preference, one wins.
#[track_caller]
fn conflicts_by(
    format: &str,
    name: &str,
    first: Touch<'_>,
    second: Touch<'_>,
    at: &[(&str, &str)],
) {
    let (a, x, y) = pair(format, name, first, second);
    let done = patched(&a, &[&x, &y], Prefer::None);
    let found: Vec<(&str, &str)> = done
        .conflicts
        .iter()
        .map(|conflict| (conflict.part.as_str(), conflict.at.as_str()))
        .collect();
    assert_eq!(found, at, "{name}: {:?}", done.conflicts);
    assert!(
        done.conflicts
            .iter()
            .all(|conflict| conflict.mods == (0, 1) && conflict.wants.0 != conflict.wants.1)
    );
    assert!(
        !mods::union(&x, &y, Prefer::None)
            .unwrap()
            .conflicts
            .is_empty(),
        "{name}"
    );
    assert_bytes(
        &patched(&a, &[&x, &y], Prefer::First).bytes,
        &made(format, name, &[first]),
    );
    assert_bytes(
        &patched(&a, &[&x, &y], Prefer::Last).bytes,
        &made(format, name, &[second]),
    );
}

#[track_caller]
fn merges(format: &str, name: &str, first: &[Edit<'_>], second: &[Edit<'_>]) {
    merges_by(format, name, &edits(first), &edits(second));
}

#[track_caller]
fn conflicts(
    format: &str,
    name: &str,
    first: &[Edit<'_>],
    second: &[Edit<'_>],
    at: &[(&str, &str)],
) {
    conflicts_by(format, name, &edits(first), &edits(second), at);
}

const READER: (&str, &str) = ("reader", "mw_zbd_c1_readerm1.zbd");
const ZEPHYR: &str = "zephyr1.zrd.json";
const FALCON: &str = "falcon0.zrd.json";

#[test]
fn reader_files() {
    let (format, name) = READER;
    // Two members; two values of one list; a value and a new one after it; two new ones in two
    // places.
    merges(
        format,
        name,
        &[(ZEPHYR, "-2147483648", "250")],
        &[(FALCON, "\"PYLON_AMBER\", 0]", "\"PYLON_AMBER\", 7]")],
    );
    merges(
        format,
        name,
        &[(ZEPHYR, "-2147483648", "250")],
        &[(ZEPHYR, "2.1845223e-7", "0.5")],
    );
    merges(
        format,
        name,
        &[(ZEPHYR, "-2147483648", "250")],
        &[(
            ZEPHYR,
            "\"semi;colon\"",
            "\"semi;colon\", \"ADDED\", [1, 2.5]",
        )],
    );
    merges(
        format,
        name,
        &[(ZEPHYR, "\"YARROW_DRIFT\",", "\"YARROW_DRIFT\", 1.5,")],
        &[(ZEPHYR, "\"semi;colon\"", "\"semi;colon\", \"ADDED\", [1]")],
    );
    merges(
        format,
        name,
        &[(ZEPHYR, "\"semi;colon\", ", "")],
        &[(ZEPHYR, "-2147483648", "1")],
    );
    conflicts(
        format,
        name,
        &[(ZEPHYR, "-2147483648", "250")],
        &[(ZEPHYR, "-2147483648", "260")],
        &[(ZEPHYR, "UMBER › YARROW_DRIFT › UMBER")],
    );
    conflicts(
        format,
        name,
        &[(ZEPHYR, "2.1845223e-7", "0.5")],
        &[(ZEPHYR, ", 2.1845223e-7", "")],
        &[(ZEPHYR, "UMBER › YARROW_DRIFT › [3]")],
    );
}

const WORLD: (&str, &str) = ("gamez", "mw_base.gamez.zbd");
const NODES: &str = "nodes/00000-00043.json";

#[test]
fn worlds() {
    let (format, name) = WORLD;
    merges(
        format,
        name,
        &[(
            NODES,
            "\"fog_altitude\": [200.0, -0.0]",
            "\"fog_altitude\": [201.0, -0.0]",
        )],
        &[(NODES, "\"min_y\": 0.098598614", "\"min_y\": 0.5")],
    );
    merges(
        format,
        name,
        &[(
            "materials.json",
            "\"soil\": \"SEAFLOOR\"",
            "\"soil\": \"MUD\"",
        )],
        &[(NODES, "\"max_y\": 41.217373", "\"max_y\": 42.0")],
    );
    merges(
        format,
        name,
        &[(
            "materials.json",
            "\"soil\": \"SEAFLOOR\"",
            "\"soil\": \"MUD\"",
        )],
        &[("materials.json", "\"alpha\": 226", "\"alpha\": 200")],
    );
    merges(
        format,
        name,
        &[("textures.json", "\"mip\": 7", "\"mip\": 6")],
        &[("textures.json", "\"mip\": 9", "\"mip\": 8")],
    );
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
        &[(
            "materials.json",
            "\"soil\": \"SEAFLOOR\"",
            "\"soil\": \"MUD\"",
        )],
        &[(
            "materials.json",
            "\"soil\": \"SEAFLOOR\"",
            "\"soil\": \"LAVA\"",
        )],
        &[("materials.json", "materials[2].soil")],
    );
}

const ANIM: (&str, &str) = ("anim", "mw_event_34.zbd");
const DEFINITION: &str = "defs/wedge_radar_rotor38.json";

#[test]
fn animations() {
    let (format, name) = ANIM;
    merges(
        format,
        name,
        &[(DEFINITION, "\"health\": 250.0", "\"health\": 10.0")],
        &[(DEFINITION, "\"WEAPON_HIT\"", "\"ON_CALL\"")],
    );
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
        &[(
            DEFINITION,
            "      { \"at\": [\"EVENT\", 0.0], \"ENDIF\": {} },\n",
            "",
        )],
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
    merges(
        format,
        name,
        &[(text, "]Choose a pilot", "]Take a pilot")],
        &[(text, "\"plain\"", "\"Plain!\"")],
    );
    merges(
        format,
        name,
        &[(text, "[]Back", "[]Go back")],
        &[(text, "Press a key", "Press any key now")],
    );
    conflicts(
        format,
        name,
        &[(text, "\"plain\"", "\"one\"")],
        &[(text, "\"plain\"", "\"two\"")],
        &[(text, "messages[9].text")],
    );
}

#[test]
fn pbo_archives() {
    let (format, name) = ("pbo", "variants_arma3_stamps.pbo");
    merges(
        format,
        name,
        &[("files/t0", "t", "first")],
        &[("files/t1", "t", "second")],
    );
    merges(
        format,
        name,
        &[("files/t0", "t", "first")],
        &[("refit.json", "x\\\\demo\\\\addons\\\\main", "x\\\\other")],
    );
    conflicts(
        format,
        name,
        &[("files/t0", "t", "first")],
        &[("files/t0", "t", "second")],
        &[("files/t0", "[0]")],
    );
}

#[test]
fn smaller_formats() {
    let zmap = "zmap_objective.zmap.json";
    merges(
        "zmap",
        "zmap_objective.zmap",
        &[(zmap, "\"unk04\": 5", "\"unk04\": 6")],
        &[(
            zmap,
            "\"min\": [-1.0, 0.0, -1.0]",
            "\"min\": [-2.0, 0.0, -1.0]",
        )],
    );
    conflicts(
        "zmap",
        "zmap_objective.zmap",
        &[(zmap, "\"unk04\": 5", "\"unk04\": 6")],
        &[(zmap, "\"unk04\": 5", "\"unk04\": 7")],
        &[(zmap, "unk04")],
    );
    let aircraft = "odd.json";
    merges(
        "aircraft",
        "odd",
        &[(
            aircraft,
            "\"airframe\": \"BLOODHAWK\"",
            "\"airframe\": \"BRIGAND\"",
        )],
        &[(aircraft, "\"pattern\": 14", "\"pattern\": 2")],
    );
    // Two places of one list.
    merges(
        "aircraft",
        "odd",
        &[(
            aircraft,
            "\"colors\": [10, 20, 30]",
            "\"colors\": [11, 20, 30]",
        )],
        &[(aircraft, "\"shades\": [1, 2, 3]", "\"shades\": [1, 2, 4]")],
    );
    conflicts(
        "aircraft",
        "odd",
        &[(
            aircraft,
            "\"airframe\": \"BLOODHAWK\"",
            "\"airframe\": \"BRIGAND\"",
        )],
        &[(
            aircraft,
            "\"airframe\": \"BLOODHAWK\"",
            "\"airframe\": \"DEVASTATOR\"",
        )],
        &[(aircraft, "airframe")],
    );
    let motion = "m0_walk.json";
    merges(
        "motion",
        "motion_mw_denormal.zbd",
        &[(motion, "\"loop_time\": 4.4059", "\"loop_time\": 5.0")],
        &[(motion, "2.8720636", "3.5")],
    );
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
    conflicts(
        "interp",
        "interp_count_low.zbd",
        &[("a.gs", "set X", "set Y")],
        &[("a.gs", "set X", "set Z")],
        &[("a.gs", "[0]")],
    );
    merges(
        "interp",
        "interp_count_low.zbd",
        &[("a.gs", "set X", "set Y")],
        &[("refit.json", "1970-01-01T00:00:05Z", "1970-01-01T00:00:09Z")],
    );
}

/// Members of archives that are files: sounds, pictures, scripts, texts, and files without a
/// format.
#[test]
fn archives_of_files() {
    let (format, name) = ("sounds", "mw_zbd_soundsL.zbd");
    let other = |to| copy("jackal_013.wav", to);
    merges_by(
        format,
        name,
        &other("onyx_007.wav"),
        &copy("dune_pylon_012.wav", "lumen_dune_010.wav"),
    );
    merges_by(
        format,
        name,
        &other("onyx_007.wav"),
        &edits(&[("refit.json", "0xf59d6b1f", "0x00000002")]),
    );
    conflicts_by(
        format,
        name,
        &other("onyx_007.wav"),
        &copy("dune_pylon_012.wav", "onyx_007.wav"),
        &[("onyx_007.wav", "")],
    );
    let (format, name) = ("archive", "archive_v2_zero_len.zbd");
    let write = |path: &'static str, text: &'static str| {
        move |folder: &Folder| folder.set(path, text.as_bytes())
    };
    let added = edits(&[(
        "refit.json",
        "{ \"name\": \"a.wav\", \"file\": \"a.wav\" }",
        "{ \"name\": \"a.wav\", \"file\": \"a.wav\" }, { \"name\": \"b.txt\", \"file\": \"b.txt\" }",
    )]);
    merges_by(
        format,
        name,
        &write("a.wav", "first"),
        &write("e.wav", "second"),
    );
    let new = |folder: &Folder| {
        write("b.txt", "new")(folder);
        added(folder);
    };
    merges_by(format, name, &new, &write("e.wav", "second"));
    conflicts_by(
        format,
        name,
        &write("a.wav", "first"),
        &write("a.wav", "second"),
        &[("a.wav", "")],
    );
    // The packed form next to a script is derived from the script.
    let (format, name, script) = (
        "rof",
        "crimptch_shape.rof",
        "ASSETS/SCRIPTS/AIRFRAME.SCRIPT",
    );
    let first = (script, "hatch_dial(5874,88);", "hatch_dial(1,88);");
    merges(
        format,
        name,
        &[first],
        &[(script, "rivet_lamp(2717,21);\r\n", "")],
    );
    merges(
        format,
        name,
        &[first],
        &[(
            script,
            "rivet_lamp(2717,21);\r\n",
            "rivet_lamp(2717,21);\r\nnew(1);\r\n",
        )],
    );
    conflicts(
        format,
        name,
        &[first],
        &[(script, "hatch_dial(5874,88);", "hatch_dial(2,88);")],
        &[(script, "[0]")],
    );
    // Two new files of an addon, and two of one name.
    let (format, name) = ("pbo", "variants_arma3_stamps.pbo");
    let front = (
        "refit.json",
        "{ \"file\": \"t0\" },",
        "{ \"file\": \"m1\" }, { \"file\": \"t0\" },",
    );
    let back = (
        "refit.json",
        "\"2106-02-07T06:28:15Z\" }",
        "\"2106-02-07T06:28:15Z\" }, { \"file\": \"z1\" }",
    );
    let new = |file: &'static str, text: &'static str, row| {
        move |folder: &Folder| {
            folder.set(file, text.as_bytes());
            edits(&[row])(folder);
        }
    };
    merges_by(
        format,
        name,
        &new("files/m1", "mine", front),
        &new("files/z1", "yours", back),
    );
    conflicts_by(
        format,
        name,
        &new("files/m1", "mine", front),
        &new("files/m1", "yours", front),
        &[("files/m1", "")],
    );
}

#[test]
fn pictures() {
    let (format, name) = ("textures", "each.zbd");
    merges_by(
        format,
        name,
        &copy("images/plain.png", "images/local.png"),
        &edits(&[("refit.json", "\"CLAMP_U\"", "\"CLAMP_V\"")]),
    );
    merges_by(
        format,
        name,
        &copy("images/shared.png", "images/plain.png"),
        &copy("images/local.png", "images/cutout.png"),
    );
    conflicts_by(
        format,
        name,
        &copy("images/shared.png", "images/plain.png"),
        &copy("images/cutout.png", "images/plain.png"),
        &[("images/plain.png", "")],
    );
    let (format, name) = ("livery", "STRIPE.BM");
    merges_by(
        format,
        name,
        &copy("paint1.png", "paint2.png"),
        &copy("paint3.png", "paint1.png"),
    );
    conflicts_by(
        format,
        name,
        &copy("paint1.png", "paint2.png"),
        &copy("paint3.png", "paint2.png"),
        &[("paint2.png", "")],
    );
}

#[test]
fn mechs_and_planes() {
    let (format, name, tree) = ("mechlib", "mw_base.mechlib.zbd", "tree1.flt.json");
    let diagonal = [(tree, "\"bbox_diag\": 529.0333", "\"bbox_diag\": 530.0")];
    merges(
        format,
        name,
        &diagonal,
        &[("materials.json", "tower_0", "tower_9")],
    );
    merges(format, name, &diagonal, &[(tree, "-110.31965", "-111.0")]);
    conflicts(
        format,
        name,
        &[(tree, "\"zone\": 80", "\"zone\": 81")],
        &[(tree, "\"zone\": 80", "\"zone\": 82")],
        &[(tree, "nodes[torso_0].zone")],
    );
    let (format, name, model) = (
        "planes",
        "cs_planes_small.zbd",
        "models/0004-staticprop.json",
    );
    let diagonal = [(model, "\"bbox_diag\": 75.104935", "\"bbox_diag\": 76.0")];
    merges(
        format,
        name,
        &[("materials.json", "\"speed\": 7.8180847", "\"speed\": 8.0")],
        &diagonal,
    );
    conflicts(
        format,
        name,
        &diagonal,
        &[(model, "\"bbox_diag\": 75.104935", "\"bbox_diag\": 77.0")],
        &[(model, "bbox_diag")],
    );
}

#[test]
fn loose_readers_keys_and_saves() {
    let (format, name) = ("zrd_text", "DefaultCtlConfig.zrd");
    let fire = (
        name,
        "CMD_DRIFT_07\tjoybtn(0x3)",
        "CMD_DRIFT_07\tjoybtn(0x4)",
    );
    merges(
        format,
        name,
        &[fire],
        &[(name, "(Pitch\tjoystick(Y)", "(Pitch\tjoystick(X)")],
    );
    conflicts(
        format,
        name,
        &[fire],
        &[(name, "CMD_DRIFT_07\tjoybtn(0x3)", "CMD_DRIFT_07\tkeya(0x3)")],
        &[(name, "[9]")],
    );
    let (format, name, text) = ("zrd_binary", "mw_loose.zrd", "mw_loose.zrd.json");
    merges(
        format,
        name,
        &[(text, "-4880", "12")],
        &[(text, "-24.32", "1.5")],
    );
    let key = |key: &'static str, value: u8| {
        move |folder: &Folder| {
            edit(
                folder,
                text,
                "\"UMBER_WALNUT\", [495.9]",
                &format!("\"UMBER_WALNUT\", [495.9], \"{key}\", [{value}]"),
            )
        }
    };
    merges_by(format, name, &key("MINE", 1), &|folder| {
        edit(folder, text, "\"walnut\"", "\"oak\"")
    });
    let at = "LUMEN › ONYX_EMBER › [0]";
    conflicts(
        format,
        name,
        &[(text, "-4880", "12")],
        &[(text, "-4880", "13")],
        &[(text, at)],
    );
    // A key that both add exists once, and has the value of one of them.
    let (case, of_one) = (
        golden_file(format, name),
        made(format, name, &[&key("MINE", 1)]),
    );
    let (a, one, two) = pair(format, name, &key("MINE", 1), &key("MINE", 2));
    let same = make(&a, &of_one, &case.path, "same");
    let done = patched(&a, &[&one, &same], Prefer::None);
    assert_eq!(done.conflicts, []);
    assert_bytes(&done.bytes, &of_one);
    let more = (
        text,
        "\"UMBER_WALNUT\", [495.9]",
        "\"UMBER_WALNUT\", [495.9], \"MINE\", [1], \"MORE\", [3]",
    );
    let longer = make(
        &a,
        &made(format, name, &[&edits(&[more])]),
        &case.path,
        "longer",
    );
    for mods in [[&one, &longer], [&longer, &one]] {
        let done = patched(&a, &mods, Prefer::None);
        let file = tree(&done.bytes, &case.path, Some(&a));
        let shown = String::from_utf8(file.parts[text].bytes().unwrap().to_vec()).unwrap();
        assert_eq!(done.conflicts, []);
        assert!(
            shown.matches("\"MINE\"").count() == 1 && shown.matches("\"MORE\"").count() == 1,
            "{shown}"
        );
    }
    let done = patched(&a, &[&one, &two], Prefer::None);
    assert!(
        matches!(&done.conflicts[..], [one] if one.at.ends_with("[MINE]") && one.wants == ("[1]".into(), "[2]".into())),
        "{:?}",
        done.conflicts
    );
    // Keys and signatures.
    for (format, name) in [
        ("bikey", "refit_test.bikey"),
        ("bisign", "signed.pbo.refit_test.v3.bisign"),
    ] {
        let own = (
            "refit.json",
            "\"authority\": \"refit_test\"",
            "\"authority\": \"mine\"",
        );
        merges(
            format,
            name,
            &[own],
            &[("refit.json", "\"exponent\": 65537", "\"exponent\": 3")],
        );
        conflicts(
            format,
            name,
            &[own],
            &[(
                "refit.json",
                "\"authority\": \"refit_test\"",
                "\"authority\": \"yours\"",
            )],
            &[("refit.json", "authority")],
        );
    }
    let (format, name) = ("savegame", "save_types.mw3");
    merges(
        format,
        name,
        &[("a1.json", "\"node_index\": -1", "\"node_index\": 5")],
        &[("a2.json", "\"name\": \"anim\"", "\"name\": \"other\"")],
    );
}

#[test]
fn pieces_of_another_file_are_not_read_from_this_one() {
    let bytes = b"\0\x01 the file that changes";
    let a = tree(bytes, "file.bin", None);
    let patched = |sha256: String| {
        let from = vec![Origin {
            file: "other.bin".into(),
            sha256,
            part: None,
        }];
        let was = refit::sha256(bytes)[..16].to_owned();
        let pieces = Pieces {
            was,
            whole: None,
            from,
            pieces: vec![Piece::Old(2, 9)],
            bytes: String::new(),
            file: None,
        };
        let changes = FileChanges {
            parts: vec![PartEntry {
                pieces: Some(pieces),
                ..PartEntry::default()
            }],
        };
        mods::patch(
            &a,
            &[Patch {
                by: 0,
                changes: &changes,
                files: &Default::default(),
                prefer: Prefer::None,
            }],
        )
        .unwrap()
    };
    let done = patched(refit::sha256(b"another file"));
    assert!(
        done.unplaced[0].why.contains("other.bin"),
        "{}",
        done.unplaced[0].why
    );
    assert_bytes(&done.bytes, bytes);
    let done = patched(refit::sha256(bytes));
    assert!(done.unplaced.is_empty());
    assert_bytes(&done.bytes, b" the file");
}
