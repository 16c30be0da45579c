//! The 55 cases proposed by those who measured Crimson Skies, one by one. For each: a file with it
//! is reproduced exactly, detected correctly, shown as expected, and linted with the game's
//! reaction. Files come from [`super::ALL`], with a few bytes changed if necessary, and from
//! `golden/` if an independent program made them.

use super::{ALL, files};
use refit::{
    lint::Severity::{self, *},
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};
use std::collections::BTreeSet;

/// An accepted file: its tree and its findings.
struct Found {
    tree: Folder,
    said: BTreeSet<(&'static str, Severity)>,
    places: Vec<String>,
}

impl Found {
    fn text(&self, start: &str) -> String {
        let paths = self
            .tree
            .paths()
            .into_iter()
            .filter(|path| path.starts_with(start));
        paths
            .map(|path| String::from_utf8_lossy(&self.tree.get(&path).unwrap()).into_owned())
            .collect()
    }

    #[track_caller]
    fn shows(&self, start: &str, what: &str, times: usize) {
        assert_eq!(self.text(start).matches(what).count(), times, "{what}");
    }
}

/// Checks that a file survives JSON and RON without raw parts, and that its game and format are
/// detected.
#[track_caller]
fn file(bytes: Vec<u8>, name: &str, format: &str, game: Option<&str>) -> Found {
    let file = ::bytes::Bytes::from(bytes);
    for via in [Via::Bytes, Via::Json, Via::Ron] {
        let outcome = pipeline::verify(&file, name, Hints::default(), via).unwrap();
        assert_eq!(
            (
                outcome.detection.format.name(),
                outcome.detection.game.map(|game| game.code())
            ),
            (format, game),
            "{name}"
        );
        assert!(outcome.raw.is_empty(), "{name}: {:?}", outcome.raw);
    }
    let opened = pipeline::open(&file, name, Hints::default()).unwrap();
    let found = pipeline::lint(&*opened.model).unwrap();
    let tree = Folder::default();
    pipeline::unpack(
        &file,
        name,
        Hints::default(),
        Style::Json,
        true,
        &tree,
        &|| Ok(()),
    )
    .unwrap();
    let places = found
        .iter()
        .map(|f| format!("{} {}: {}", f.code, f.path, f.message))
        .collect();
    Found {
        tree,
        said: found.iter().map(|f| (f.code, f.severity)).collect(),
        places,
    }
}

fn typical(path: &str) -> Vec<u8> {
    ALL.iter()
        .find(|typical| typical.path == path)
        .unwrap()
        .bytes(100)
}

fn golden(path: &str) -> Vec<u8> {
    std::fs::read(crate::root().join("golden").join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn set(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// The position of the `n`th occurrence of these bytes.
#[track_caller]
fn place(bytes: &[u8], what: &[u8], n: usize) -> usize {
    (0..=bytes.len() - what.len())
        .filter(|at| bytes[*at..].starts_with(what))
        .nth(n)
        .unwrap()
}

#[track_caller]
fn says(found: &Found, expected: &[(&'static str, Severity)]) {
    assert_eq!(
        found.said,
        expected.iter().copied().collect(),
        "{:#?}",
        found.places
    );
}

#[test]
fn cases_1_to_8_resource_archives() {
    let rof = |bytes, expected: &[(&'static str, Severity)]| {
        let found = file(bytes, "crimson.rof", "rof", Some("cs"));
        says(&found, expected);
        found
    };
    // 1: the patch of 797 bytes: two folders and one file.
    let patch = golden("rof/crimptch_shape.rof");
    assert_eq!(patch.len(), 797);
    assert!(
        rof(patch, &[])
            .tree
            .paths()
            .contains(&"ASSETS/SCRIPTS/AIRFRAME.SCRIPT".into())
    );
    // 2, 3: empty folders; one name in two folders.
    let whole = rof(typical("cs/GOSDATA/ASSETS/crimson.rof"), &[]);
    let manifest = whole.text("refit.json");
    assert!(
        manifest.contains("BINARIES") && manifest.contains("MPG"),
        "{manifest}"
    );
    for folder in ["GRAPHICS", "SCRIPTS"] {
        assert!(
            whole
                .tree
                .paths()
                .contains(&format!("ASSETS/{folder}/ART00.PNG"))
        );
    }
    // 4: a stored file that begins like a compressed one.
    let mut bytes = typical("cs/GOSDATA/ASSETS/crimson.rof");
    let first: Vec<u8> = (0..99usize).map(|i| (i * 31 % 256) as u8).collect();
    let at = bytes.len() - 99;
    assert_eq!(bytes[at..], first);
    bytes[at..at + 2].copy_from_slice(&[0x78, 0x01]);
    assert_eq!(
        &rof(bytes, &[])
            .tree
            .get("ASSETS/SCRIPTS/ART00.PNG")
            .unwrap()[..2],
        [0x78, 0x01]
    );
    // 5: a byte after the compressed data. 7: a name that the game cannot find. 8: names in another
    // order than the records.
    rof(
        golden("rof/extra_byte.rof"),
        &[("rof-behind-stream", Unusual)],
    );
    let names = file(
        golden("rof/hostile_names.rof"),
        "crimson.rof",
        "rof",
        Some("cs"),
    );
    assert!(
        names
            .places
            .iter()
            .any(|f| f.starts_with("rof-name ASSETS\\a.txt")),
        "{:#?}",
        names.places
    );
    assert!(names.said.contains(&("rof-name", Ignores)));
    rof(golden("rof/name_order.rof"), &[("rof-names", Unusual)]);
    // 6: a folder that contains the root.
    let path = crate::root().join("roundtrip-tests/malformed/rof/cycle_root.rof");
    let cycle = std::fs::read(path).unwrap();
    let error = pipeline::verify(&cycle.into(), "crimson.rof", Hints::default(), Via::Json)
        .unwrap_err()
        .to_string();
    assert!(error.contains("it contains itself"), "{error}");
}

#[test]
fn cases_9_to_14_archives() {
    // 9: a low-quality bank is recognised by comments that are names and by bit 1 of the flags,
    // regardless of the other bits.
    let low = file(
        typical("cs/ZBD/soundsl.zbd"),
        "bank.zbd",
        "sounds",
        Some("cs"),
    );
    says(&low, &[]);
    low.shows("refit.json", "\"flags\": \"0x01c503b2\"", 1);
    // 10: readers with flags 2 and the time of their packing.
    let mission = file(
        typical("cs/ZBD/C1/M01/zrdr.zbd"),
        "zrdr.zbd",
        "reader",
        Some("cs"),
    );
    says(&mission, &[]);
    mission.shows("refit.json", "2000-08-26T08:00:54", 1);
    // 11: two members with one name and different content, in their order.
    let twice = file(files::two_players(), "zrdr.zbd", "reader", Some("cs"));
    says(&twice, &[("archive-shadowed", Unusual)]);
    let manifest = twice.text("refit.json");
    assert_eq!(manifest.matches("\"name\": \"player.zrd\"").count(), 2);
    let lengths: Vec<usize> = twice
        .tree
        .paths()
        .iter()
        .filter(|p| p.starts_with("player"))
        .map(|p| twice.tree.get(p).unwrap().len())
        .collect();
    assert_eq!(lengths.len(), 2);
    assert!(
        lengths.iter().any(|n| *n > 30_000) && lengths.iter().any(|n| (3000..5000).contains(n)),
        "{lengths:?}"
    );
    // 12: a save without bit 1, with old memory after the names, and six sections with one name.
    let save = file(
        typical("cs/SavedGames/Zachary/Mission.102"),
        "Mission.102",
        "savegame",
        Some("cs"),
    );
    says(&save, &[("archive-shadowed", Unusual)]);
    save.shows("refit.json", "\"name\": \"TurretList/ctur1\"", 6);
    // 13: a comment equal to the name is stored as a rule, and follows a new name.
    mission.shows("refit.json", "\"comments_are_names\": true", 1);
    mission.shows("refit.json", "\"comment\"", 0);
    let members = mission
        .text("refit.json")
        .replace("\"aiv.zrd\"", "\"aix.zrd\"");
    mission.tree.set("refit.json", members.into_bytes());
    let renamed = pipeline::repack(&mission.tree).unwrap().1;
    // Twice in the table: the name, and 68 bytes later the comment.
    assert_eq!(
        place(&renamed, b"aix.zrd\0", 1),
        place(&renamed, b"aix.zrd\0", 0) + 68
    );
    assert!(!renamed.windows(7).any(|bytes| bytes == b"aiv.zrd"));
}

#[test]
fn case_14_animations_that_end_as_an_archive_does() {
    let mut bytes = typical("cs/ZBD/C1/M01/mis_anim.zbd");
    let end = bytes.len();
    set(&mut bytes, end - 8, 1);
    set(&mut bytes, end - 4, 65_535);
    says(&file(bytes, "mis_anim.zbd", "anim", Some("cs")), &[]);
}

#[test]
fn cases_15_to_18_readers() {
    let mission = file(
        typical("cs/ZBD/C1/M01/zrdr.zbd"),
        "zrdr.zbd",
        "reader",
        Some("cs"),
    );
    let text: String = mission.text("aiv.zrd").split_whitespace().collect();
    // 15: -1. 16: an integer in one record, a float in the next. 17: keys without values, and
    // repeated keys.
    assert!(text.contains("\"RESET_TIME\",-1"), "{text}");
    let all: String = mission.text("dzones.zrd").split_whitespace().collect();
    assert!(
        all.contains("\"SPEED\",120,") && all.contains("\"SPEED\",120.0,"),
        "{all}"
    );
    assert!(
        all.contains("\"INVINCIBLE\",\"GUN\",30,\"GUN\",40"),
        "{all}"
    );
    // 18: 16 bytes with an empty list in a list.
    let empty: String = mission.text("zeppelins.zrd").split_whitespace().collect();
    assert!(empty.contains("[[]]"), "{empty}");
}

#[test]
fn cases_19_to_21_sounds() {
    for (path, noted) in [
        // 19: `fmt `, a cue, and data in Microsoft's ADPCM. 20: two channels of 9710 Hz.
        (
            "cs/ZBD/soundsh.zbd",
            &[
                "wav, MS ADPCM: 11025 Hz, mono, 4 bit, blocks of 256 bytes",
                "1 cue point",
                "wav, MS ADPCM: 9710 Hz, stereo",
                "22000 Hz, mono",
            ][..],
        ),
        // 21: IMA with its `fmt ` of 20 bytes.
        (
            "cs/ZBD/soundsl.zbd",
            &["wav, IMA ADPCM: 11025 Hz, mono, 4 bit, blocks of 256 bytes"],
        ),
    ] {
        says(&file(typical(path), path, "sounds", Some("cs")), &[]);
        let opened = pipeline::open(&typical(path).into(), path, Hints::default()).unwrap();
        let members: Vec<String> = opened
            .model
            .model()
            .members()
            .into_iter()
            .map(|m| format!("{}: {}", m.kind, m.detail))
            .collect();
        for what in noted {
            assert!(
                members.iter().any(|m| m.contains(what)),
                "{what}: {members:#?}"
            );
        }
    }
}

#[test]
fn cases_22_to_26_textures() {
    // 22: drawing bits 4, 7 and 8. 23: flags 0xA3, 0xA5 and 0xAB on images with palettes. 25: names
    // that begin with a digit; NAME, NAME_1.
    let world = file(
        typical("cs/ZBD/C1/texture.zbd"),
        "ZBD/C1/texture.zbd",
        "textures",
        None,
    );
    says(&world, &[]);
    let manifest = world.text("refit.json");
    for what in [
        "\"00decal\"",
        "\"00decal_1\"",
        "\"wall59_2\"",
        "ADDITIVE",
        "UNK3",
    ] {
        assert!(manifest.contains(what), "{what}");
    }
    let stored = typical("cs/ZBD/C1/texture.zbd");
    let images = word(&stored, 12) as usize;
    let flags: BTreeSet<u32> = (0..images)
        .map(|i| word(&stored, word(&stored, 24 + 40 * i + 32) as usize))
        .collect();
    assert_eq!(flags, [0xA3, 0xA5, 0xAB].into());
    // 24: names that the binary search does not find.
    let odd = file(
        golden("textures/cs_names_odd.zbd"),
        "ZBD/C1/texture.zbd",
        "textures",
        None,
    );
    assert!(
        odd.said.is_empty() || odd.said.iter().all(|(_, severity)| *severity <= Ignores),
        "{:#?}",
        odd.places
    );
    let opened = pipeline::open(
        &golden("textures/cs_names_odd.zbd").into(),
        "texture.zbd",
        Hints {
            game: Some(refit::game::Game::Cs),
            format: None,
        },
    )
    .unwrap();
    let said: BTreeSet<_> = pipeline::lint(&*opened.model)
        .unwrap()
        .into_iter()
        .map(|f| (f.code, f.severity))
        .collect();
    // Its images have no palettes, unlike those of any shipped texture.zbd.
    let names = [
        ("texture-name-duplicate", Ignores),
        ("textures-unsorted", Ignores),
        ("textures-upper-case", Ignores),
    ];
    assert_eq!(
        said,
        names
            .into_iter()
            .chain([("textures-software", Severity::Unusual)])
            .collect()
    );
    // 26: a material's name has an extension and capitals, or fills its field.
    let names = file(
        typical("cs/ZBD/C1/gamez.zbd"),
        "gamez.zbd",
        "gamez",
        Some("cs"),
    )
    .text("textures.json");
    assert!(
        names.contains("\"Sky000.tif\"") && names.contains("sacredtrust_lg007.TI"),
        "{names}"
    );
}

/// Access to the parts of a Crimson Skies world.
struct World(Vec<u8>);

impl World {
    fn new() -> World {
        World(typical("cs/ZBD/C1/gamez.zbd"))
    }
    fn models(&self) -> usize {
        word(&self.0, 24) as usize + 12
    }
    /// The position of a node's record, and that of its data.
    fn node(&self, i: usize) -> usize {
        word(&self.0, 36) as usize + 212 * i
    }
    fn data(&self, i: usize) -> usize {
        word(&self.0, self.node(i) + 56) as usize
    }
    fn named(&self, name: &str) -> usize {
        let wanted = format!("{name}\0");
        (0..word(&self.0, 28) as usize)
            .find(|i| self.0[self.node(*i)..].starts_with(wanted.as_bytes()))
            .unwrap()
    }
    #[track_caller]
    fn judged(self, expected: &[(&'static str, Severity)]) -> Found {
        let found = file(self.0, "ZBD/C1/gamez.zbd", "gamez", Some("cs"));
        says(&found, expected);
        found
    }
}

#[test]
fn cases_27_to_38_worlds() {
    // 27: both sizes of the array of materials.
    let mut world = World::new();
    let head = word(&world.0, 20) as usize;
    assert_eq!(word(&world.0, head), 1000);
    let used = word(&world.0, head + 4);
    set(&mut world.0, head, used);
    world.judged(&[]);
    // 28, 29, 37: cycles of 12 and more frames, 608 of them; a stem whose suffix begins with a dot;
    // an editor's free list.
    let planes = file(
        typical("cs/ZBD/planes.zbd"),
        "planes.zbd",
        "planes",
        Some("cs"),
    );
    says(
        &planes,
        &[
            ("gamez-free-list", Unusual),
            ("gamez-no-world", Unusual),
            ("text-tail", Unusual),
        ],
    );
    planes.shows("materials.json", "\"cycle\"", 608);
    planes.shows("textures.json", "bldhwk_cowling", 36);
    planes.shows("refit.json", "1313", 1);
    // 30: a polygon with three materials, and one only in zone 3.
    let whole = World::new().judged(&[]);
    let models: String = whole.text("models/").split_whitespace().collect();
    assert!(models.contains("\"layers\":["), "no layers");
    assert!(models.contains("\"zones\":[3]"), "no zone");
    // 31: owners and structures.
    whole.shows("nodes/", "\"structure\"", 9);
    // 32: the tree omits a matrix from three angles in the right order, but contains it for another
    // order.
    whole.shows("nodes/", "\"matrix\"", 0);
    let mut world = World::new();
    let turned = world.data(world.named("bldg00"));
    let angles: Vec<f32> = (0..3)
        .map(|k| f32::from_bits(word(&world.0, turned + 24 + 4 * k)))
        .collect();
    assert!(angles.iter().all(|a| *a != 0.0), "{angles:?}");
    let (first, second) = (word(&world.0, turned + 52), word(&world.0, turned + 60));
    set(&mut world.0, turned + 52, second);
    set(&mut world.0, turned + 60, first);
    world
        .judged(&[("gamez-matrix", Unusual)])
        .shows("nodes/", "\"matrix\"", 1);
    // 33: a node that names a parent which does not list it.
    let mut world = World::new();
    let lod = world.named("lod1");
    let parent = world.data(lod) + 92;
    assert_eq!(word(&world.0, parent), lod as u32 - 2);
    set(&mut world.0, parent, lod as u32 + 1);
    world
        .judged(&[("gamez-family", Unusual)])
        .shows("nodes/", "\"parents\"", 1);
    // 34, 35: the flags of models; 64 lights and no polygons.
    let world = World::new();
    let slots = word(&world.0, world.models() - 12) as usize;
    let flags: BTreeSet<u32> = (0..slots)
        .map(|i| word(&world.0, world.models() + 104 * i + 8))
        .collect();
    assert_eq!(flags, [0, 7, 0x102, 0x107].into());
    assert!(whole.text("models/").contains("BAND_FOG"), "no flag");
    whole.shows("models/", "\"unk08\"", 64);
    // 36: names with a trailing blank, and with other bytes after them.
    assert!(whole.text("nodes/").contains("\"brigturret2 \""));
    assert!(planes.text("nodes/").contains("\"rung6\""));
    // 38: a level of detail with a range of ten million.
    whole.shows("nodes/", "\"range_far\": 10000000.0", 1);
}

fn animations() -> Vec<u8> {
    typical("cs/ZBD/C1/M01/mis_anim.zbd")
}

#[track_caller]
fn animated(bytes: Vec<u8>, expected: &[(&'static str, Severity)]) -> Found {
    let found = file(bytes, "ZBD/C1/M01/mis_anim.zbd", "anim", Some("cs"));
    says(&found, expected);
    found
}

#[test]
fn cases_39_to_52_animations() {
    let whole = animated(animations(), &[]);
    // 39: the first row has doubled backslashes except for the last one; rows repeat.
    whole.shows(
        "refit.json",
        "..\\\\\\\\data\\\\\\\\c1\\\\\\\\zrdr\\\\cam_anim.zrd",
        1,
    );
    // 40: numbers from 0 where other games have addresses.
    whole.shows("defs/anim_000", "\"anim\": \"0x00000000\"", 1);
    // 41: a list of 15 scripts; one with a wrong count is kept as bytes.
    whole.shows("defs/anim_003", "\"OBJECT_MOTION_SI_SCRIPT_LIST\"", 1);
    let mut bytes = animations();
    let list = place(&bytes, &[47, 1, 0, 0], 0);
    assert_eq!(
        (word(&bytes, list + 4), word(&bytes, list + 12)),
        (12 + 4 + 76 * 15, 15)
    );
    set(&mut bytes, list + 12, 16);
    animated(bytes, &[("anim-event", Unusual)]).shows("defs/anim_003", "\"RAW\"", 1);
    // 42: nested conditions with ELSEIF and ELSE: no finding, as above.
    whole.shows("defs/anim_000", "\"ELSEIF\"", 5);
    // 43: a slot without its flag.
    whole.shows("defs/anim_000", "\"reference\": \"anim_001\"", 1);
    // 44: a rate that is one bit off is preserved: 51 of 9,421 in the whole game are.
    let mut bytes = animations();
    let rate = ((7.9f64 as f32 as f64 - 1.25) / f64::from(0.7f32)) as f32;
    let at = place(&bytes, &rate.to_le_bytes(), 0);
    set(&mut bytes, at, rate.to_bits() + 1);
    assert!(
        animated(bytes, &[("odd-value", Unusual)])
            .text("defs/anim_000")
            .contains("\"rate\"")
    );
    // 45: falling that stops at an intersection; one bound of a launch; its direction.
    whole.shows("defs/anim_000", "\"gravity_do_intersections\": true", 1);
    whole.shows("defs/anim_004", "\"translation_range_min\"", 1);
    whole.shows("defs/anim_004", "\"translation_range_max_off\"", 1);
    let launch: String = whole.text("defs/anim_004").split_whitespace().collect();
    assert!(
        launch.contains("\"direction\":[8.742278e-8,0.0,1.0]"),
        "{launch}"
    );
    // 46: decreasing near fades, ages from -1, negative sizes, colours of five numbers.
    let smoke: String = whole.text("defs/anim_000").split_whitespace().collect();
    assert!(
        smoke.contains("\"near_fade\":[70.0,20.0]")
            && smoke.contains("\"start_age_range\":[-1.0,0.1]"),
        "{smoke}"
    );
    assert!(
        smoke.contains("{\"age\":1.0,\"scale\":-0.2}") && smoke.contains("\"alpha\":0.0"),
        "{smoke}"
    );
    // 47: a loop count of 0. 48: INVALIDATE of the own number.
    whole.shows("defs/anim_000", "\"loop_count\": 0", 1);
    whole.shows("defs/anim_000", "\"resolved\": \"0xffffff9c\"", 1);
    // 49: a light with a negative, reversed range.
    let light: String = whole.text("defs/anim_000").split_whitespace().collect();
    assert!(light.contains("\"range\":[-20.0,-50.0]"), "{light}");
    // 50: the damage block before the sequences, and without its name after them.
    whole.shows("defs/anim_000", "\"damage_sequence\"", 1);
    let mut bytes = animations();
    let damage = place(&bytes, b"DAMAGE_SEQUENCE\0", 0);
    let size = 64 + word(&bytes, damage + 60) as usize;
    let mut block: Vec<u8> = bytes.drain(damage..damage + size).collect();
    block[..32].fill(0);
    // After both sequences of the first definition.
    let run = 64 + word(&bytes, damage + 60) as usize;
    let dust = 64 + word(&bytes, damage + run + 60) as usize;
    let end = damage + run + dust;
    bytes.splice(end..end, block);
    let moved = file(bytes, "ZBD/C1/M01/mis_anim.zbd", "anim", Some("cs"));
    assert!(
        moved.said.iter().all(|(_, severity)| *severity == Unusual),
        "{:#?}",
        moved.places
    );
    // 51: frames without parts; curves that are old memory; six NaN values.
    let script = whole.text("scripts/train7");
    assert!(script.contains("4.6e+27"), "{script}");
    let mut bytes = animations();
    let rates = place(
        &bytes,
        &[
            0.5f32.to_le_bytes(),
            0f32.to_le_bytes(),
            0.25f32.to_le_bytes(),
        ]
        .concat(),
        0,
    );
    (0..3).for_each(|k| set(&mut bytes, rates + 4 * k, 0xFFC0_0000));
    animated(bytes, &[("not-finite", Unusual)]);
    // 52: two scripts with one name.
    let mut bytes = animations();
    let other = place(&bytes, b"train1.zan\0train1\0", 0);
    bytes[other..other + 18].copy_from_slice(b"train0.zan\0train0\0");
    assert_eq!(
        animated(bytes, &[])
            .tree
            .paths()
            .iter()
            .filter(|p| p.starts_with("scripts/train0"))
            .count(),
        2
    );
}

#[test]
fn cases_53_to_55_libraries_and_saved_aircraft() {
    // 53: several languages, and version data: `a_folder_of_crimson_skies` also has programs
    // without texts.
    for path in [
        "messages/cs_odd_mixed_languages.dll",
        "messages/pm_odd_with_version.dll",
    ] {
        pipeline::verify(&golden(path).into(), path, Hints::default(), Via::Json).unwrap();
    }
    // 54: a text with a font and an insert.
    let ui = file(
        golden("messages/res_langui_shape.dll"),
        "langui.dll",
        "messages",
        Some("cs"),
    );
    let text: String = ui
        .tree
        .paths()
        .iter()
        .filter_map(|p| String::from_utf8(ui.tree.get(p).unwrap().to_vec()).ok())
        .collect();
    assert!(text.contains("[COUR9]") && text.contains("%1!s!"), "{text}");
    // 55: a saved aircraft, and a livery.
    says(
        &file(
            golden("aircraft/Blue Streak"),
            "Planes/Blue Streak",
            "aircraft",
            Some("cs"),
        ),
        &[],
    );
    says(
        &file(
            golden("livery/STRIPE.BM"),
            "STRIPE.BM",
            "livery",
            Some("cs"),
        ),
        &[],
    );
}
