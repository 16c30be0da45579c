use super::*;
use refit::{
    formats::gamez::{Gamez, MaterialId, NodeId, nodes::Data},
    lint::Severity,
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};
use std::collections::BTreeMap;

/// Divisor for the size: the unoptimized round trips of all files should take seconds.
const SCALE: usize = 8;

/// Checks that a file survives text, that its game is detected, and that all findings are unusual
/// at most and of the expected codes.
fn ordinary(typical: &Typical) -> Folder {
    let name = typical.path;
    let file = ::bytes::Bytes::from(typical.bytes(SCALE));
    for via in [Via::Json, Via::Ron] {
        let outcome = pipeline::verify(&file, name, Hints::default(), via).unwrap();
        let found = (
            outcome.detection.format.name(),
            outcome.detection.game.map(|game| game.code()),
        );
        assert_eq!(found, (typical.format, typical.game), "{name}");
        assert!(outcome.raw.is_empty(), "{name}: {:?}", outcome.raw);
    }
    let opened = pipeline::open(&file, name, Hints::default()).unwrap();
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for finding in pipeline::lint(&*opened.model).unwrap() {
        assert_eq!(
            finding.severity,
            Severity::Unusual,
            "{name}: {} {}: {}",
            finding.code,
            finding.path,
            finding.message
        );
        found
            .entry(finding.code)
            .or_default()
            .push(format!("{}: {}", finding.path, finding.message));
    }
    let codes: Vec<&str> = found.keys().copied().collect();
    assert_eq!(codes, typical.found, "{name}: {found:#?}");
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
    tree
}

fn one(path: &str) -> Folder {
    ordinary(ALL.iter().find(|typical| typical.path == path).unwrap())
}

/// All texts of a tree whose paths begin with `start`.
fn texts(tree: &Folder, start: &str) -> String {
    let paths = tree
        .paths()
        .into_iter()
        .filter(|path| path.starts_with(start) && path.ends_with(".json"));
    paths
        .map(|path| String::from_utf8(tree.get(&path).unwrap().to_vec()).unwrap())
        .collect()
}

fn shows_none(path: &str, text: &str, keys: &[&str]) {
    for key in keys {
        assert!(!text.contains(&format!("\"{key}\"")), "{path} shows {key}");
    }
}

#[test]
fn every_format_of_every_game_is_regular() {
    for typical in ALL {
        ordinary(typical);
    }
    assert_eq!(ALL.len(), 42);
}

#[test]
fn a_world_of_recoil_is_regular() {
    let tree = one("rc/zbd/m1/gamez.zbd");
    // Values that follow from the rest are omitted: parents, cells, flags of boxes, links, and the
    // words of the engine.
    let text = texts(&tree, "nodes/") + &texts(&tree, "materials");
    shows_none(
        "rc",
        &text,
        &[
            "parents",
            "area_partition",
            "update_flags",
            "links",
            "matrix",
            "link",
            "field040",
            "extra",
        ],
    );
    let manifest = texts(&tree, "refit.json");
    assert!(
        !manifest.contains("world_is_no_parent") && !manifest.contains("world_first"),
        "{manifest}"
    );
}

/// The golden worlds that Recoil's engine loads have nothing that it minds, but few slots, and all
/// that shipped worlds have.
#[test]
fn small_worlds_of_recoil_are_loaded() {
    for freed in [0, 24] {
        let file = ::bytes::Bytes::from(recoil::small_recoil_world(freed));
        let outcome = pipeline::verify(&file, "gamez.zbd", Hints::default(), Via::Json).unwrap();
        assert!(outcome.raw.is_empty(), "{:?}", outcome.raw);
        let opened = pipeline::open(&file, "gamez.zbd", Hints::default()).unwrap();
        let found = pipeline::lint(&*opened.model).unwrap();
        let codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["gamez-capacity"; 3], "{found:#?}");
        let world = Gamez::read(&file).unwrap();
        let cycles: Vec<usize> = (0..13)
            .filter_map(|i| Some(world.material(MaterialId(i))?.cycle.as_ref()?.frames.len()))
            .collect();
        assert_eq!(cycles, [2, 1, 5]);
        let count = |kind: &str| world.nodes().filter(|(_, n)| n.data.kind() == kind).count();
        let kinds = ["lod", "light", "empty"].map(count);
        assert_eq!(kinds, [24, 1, freed]);
        let lights = world.models().map(|i| world.model(i).unwrap().lights.len());
        assert_eq!(lights.max(), Some(2));
    }
}

#[test]
fn worlds_of_the_other_games_are_regular() {
    for (path, keys) in [
        (
            "mw/zbd/c1/gamez.zbd",
            &["parents", "area_partition", "link"][..],
        ),
        ("pm/zbd/c1/gamez.zbd", &["parents"]),
        ("cs/ZBD/C1/gamez.zbd", &["parents", "data_ptr"]),
    ] {
        let tree = one(path);
        let text = texts(&tree, "nodes/") + &texts(&tree, "materials") + &texts(&tree, "models/");
        shows_none(path, &text, keys);
        shows_none(
            path,
            &text,
            &[
                "links",
                "matrix",
                "extra",
                "material_refs",
                "refs",
                "offset",
                "field196",
                "cell_size",
                "array_size",
            ],
        );
    }
    let tree = one("cs/ZBD/planes.zbd");
    let materials = texts(&tree, "materials");
    assert_eq!(materials.matches("\"cycle\"").count(), 608);
    // The cycles are stored along the list of materials, from the last to the first.
    let first: &str = materials
        .split("\"texture\": \"0 plane000.tif\"")
        .nth(1)
        .unwrap();
    let frames = first
        .split("\"frames\": [")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    assert_eq!(frames.matches("plane").count(), 13, "{frames}");
}

#[test]
fn animations_of_recoil_are_regular() {
    let tree = one("rc/zbd/m1/anim.zbd");
    let all = texts(&tree, "defs/");
    // Rates are derived, nothing is kept as bytes, and no value is repeated.
    shows_none(
        "rc",
        &all,
        &[
            "rate",
            "rounding",
            "extra",
            "flags_differ",
            "current_health",
            "squared",
            "RAW",
        ],
    );
    let times = |what: &str| all.matches(what).count();
    assert_eq!(times("\"execution_by_range\": [0.0, 150.0]"), 30);
    assert_eq!(
        (
            times("\"save_log\": false"),
            times("\"network_log\": false")
        ),
        (15, 15)
    );
    assert_eq!(
        (
            times("\"reset_time\": 0.0"),
            times("\"reset_time_off\": 2.5")
        ),
        (48, 12)
    );
    assert_eq!(times("\"local_name\": \"local"), 60);
    assert_eq!(
        (
            times("\"NODE_UNDERCOVER\""),
            times("\"PLAYER_RANGE\": 150.0")
        ),
        (60, 60)
    );
}

#[test]
fn animations_of_the_other_games_are_regular() {
    for (path, count) in [
        ("mw/zbd/c1/anim.zbd", 60),
        ("pm/zbd/c1/anim.zbd", 60),
        ("cs/ZBD/C1/M01/mis_anim.zbd", 71),
    ] {
        let all = texts(&one(path), "defs/");
        shows_none(
            path,
            &all,
            &[
                "rate",
                "rounding",
                "extra",
                "current_health",
                "squared",
                "RAW",
                "zero_elements",
                "color_count",
            ],
        );
        assert_eq!(all.matches("\"animation_name\"").count(), count, "{path}");
        if path.starts_with("cs") {
            let times = |what: &str| all.matches(what).count();
            // One definition in twenty has the flag LOCAL_NODES_ONLY, and all of them the two
            // unnamed flags.
            assert_eq!(
                (
                    times("\"local_nodes_only\": true"),
                    times("\"flags_differ\": \"0x00440000\"")
                ),
                (4, 59)
            );
            assert_eq!(
                (
                    times("\"translation_range_max_off\""),
                    times("\"gravity_do_intersections\": true")
                ),
                (12, 24)
            );
            assert_eq!(
                (times("\"near_fade\""), times("\"loop_count\": 0")),
                (24, 11)
            );
            assert_eq!(
                (
                    times("\"OBJECT_MOTION_SI_SCRIPT_LIST\""),
                    times("\"SOUND_ADJUST\"")
                ),
                (1, 1)
            );
        } else {
            shows_none(path, &all, &["flags_differ"]);
        }
    }
}

#[test]
fn archives_of_crimson_skies_say_no_comment_twice() {
    for path in ["cs/ZBD/zrdr.zbd", "cs/ZBD/soundsl.zbd"] {
        let manifest = texts(&one(path), "refit.json");
        shows_none(path, &manifest, &["comment", "start", "length"]);
    }
}

/// The objects directly below the worlds are in the cells of the rule of Recoil's engine, or in
/// none.
#[test]
fn objects_are_in_the_cells_of_the_rule() {
    for typical in ALL.iter().filter(|typical| typical.format == "gamez") {
        let world = Gamez::read(&::bytes::Bytes::from(typical.bytes(SCALE))).unwrap();
        let (mut in_cells, mut in_none) = (0, 0);
        for (_, holder) in world.nodes() {
            let Data::World(data) = &holder.data else {
                continue;
            };
            let members = data.cells.iter().enumerate();
            let members = members
                .flat_map(|(i, cell)| cell.nodes.iter().map(move |member| (&member.node, Some(i))));
            for (link, cell) in members.chain(holder.children.iter().map(|child| (child, None))) {
                let node = NodeId(link.place().unwrap());
                let title = world.node(node).unwrap().title();
                assert_eq!(
                    world.cell_by_rule(data, node),
                    cell,
                    "{} {node} {title}",
                    typical.path
                );
                *(if cell.is_some() {
                    &mut in_cells
                } else {
                    &mut in_none
                }) += 1;
            }
        }
        assert!(
            in_cells > 10 && in_none > 0,
            "{}: {in_cells} {in_none}",
            typical.path
        );
    }
}
