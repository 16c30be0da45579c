//! Crimson Skies: a definition is bound to nodes of a tree, and the file contains their positions
//! in it.

use super::{edits::*, *};
use refit_zipper::gamez::NodeId;

/// Two zeppelins with engines of the same names, two docks of one name.
fn tree() -> World {
    let nodes: [(&str, &[u32]); 10] = [
        ("world1", &[1, 4, 8, 9]),
        ("zep_a", &[2, 3]),
        ("reng1", &[]),
        ("hook", &[]),
        ("zep_b", &[5, 6, 7]),
        ("reng1", &[]),
        ("hook", &[]),
        ("reng2", &[]),
        ("dock1", &[]),
        ("dock1", &[]),
    ];
    World::of_tree(
        nodes
            .map(|(name, children)| (name.as_bytes().to_vec(), children.to_vec()))
            .to_vec(),
    )
}

/// Compiles definitions over a file that has one of its own, which must not change.
fn compiled(definitions: &str) -> (Hand, Result<Compiled>) {
    let mut hand = base_of(Game::Cs);
    hand.definitions.truncate(1);
    let base = base_file(&hand.bytes());
    let files = sources_of(&base);
    files.set(
        "anim.zrd",
        root(&format!(
            "ANIMATION_DEFINITION_FILE ( gate.zrd ) {definitions}"
        )),
    );
    (
        hand,
        compile_files(
            &files,
            Some(&base),
            &Options {
                world: Some(tree()),
                ..Options::default()
            },
        ),
    )
}

fn bytes_of(definitions: &str) -> (Hand, Vec<u8>) {
    let (hand, compiled) = compiled(definitions);
    let compiled = good(compiled.unwrap());
    // The world of this test lacks the nodes of the old entry, which stays unchanged.
    assert_eq!(compiled.entries[0].status, Status::Equal);
    (hand, compiled.anim.unwrap().write().unwrap())
}

const SHOW: &str = "ACTIVATION ( ON_CALL ) RESET_TIME ( -1 ) SEQUENCE_DEFINITION ( NAME ( main ) OBJECT_ACTIVE_STATE ( \
    STATE ( ACTIVE )";

#[test]
fn a_number_sign_makes_an_entry_for_each_node_of_the_name() {
    let (mut hand, made) = bytes_of(&format!(
        "ANIMATION_DEFINITION ( NAME ( \"dock1#\" ) ANIMATION_NAME ( park ) {SHOW} NAME ( dock1 ) ) ) )"
    ));
    // The events of each entry find the node that the entry is bound to.
    hand.definitions.extend([
        lamp(Game::Cs, "park", "dock1", 8),
        lamp(Game::Cs, "park", "dock1", 9),
    ]);
    assert!(made == hand.bytes(), "{}", differ(&hand.bytes(), &made));
    // Also with a star: the digit is part of the name.
    let (_, again) = bytes_of(&format!(
        "ANIMATION_DEFINITION ( NAME ( \"dock*#\" ) ANIMATION_NAME ( park ) {SHOW} NAME ( \"dock*\" ) ) ) )"
    ));
    assert_eq!(again, made);
}

#[test]
fn a_path_leads_to_the_node_below_it() {
    let (mut hand, made) = bytes_of(&format!(
        "ANIMATION_DEFINITION ( NAME1 ( \"reng*\" ( zep_b ) ) ANIMATION_NAME ( \"spin*\" ) {SHOW} NAME ( \"reng*\" ) ) \
        ) )"
    ));
    for (n, place) in [(1, 5), (2, 7)] {
        let mut d = lamp(Game::Cs, &format!("spin{n}"), &format!("reng{n}"), place);
        put(&mut d.record, 32, &words(&[NEW]));
        d.path = vec![[node_name("zep_b"), words(&[4])].concat()];
        hand.definitions.push(d);
    }
    assert!(made == hand.bytes(), "{}", differ(&hand.bytes(), &made));
    // A path of two steps, with a text for each. Without a name for calls, the first pattern is
    // that name.
    let (mut hand, made) = bytes_of(&format!(
        "ANIMATION_DEFINITION ( NAME1 ( hook ( world1 zep_b ) reng1 ( zep_a ) ) {SHOW} NAME ( hook ) ) ) )"
    ));
    let mut first = lamp(Game::Cs, "hook", "hook", 6);
    put(&mut first.record, 32, &words(&[NEW]));
    first.path = vec![
        [node_name("world1"), words(&[0])].concat(),
        [node_name("zep_b"), words(&[4])].concat(),
    ];
    // No node below the second one has that name: it means the first in the world.
    let mut second = lamp(Game::Cs, "hook", "hook", 3);
    put(&mut second.record, 40, &clean("reng1", 32));
    put(&mut second.record, 76, &clean("reng1", 32));
    for at in [72, 108] {
        put(&mut second.record, at, &words(&[2]));
    }
    put(&mut second.record, 32, &words(&[NEW]));
    second.path = vec![[node_name("zep_a"), words(&[1])].concat()];
    hand.definitions.extend([first, second]);
    assert!(made == hand.bytes(), "{}", differ(&hand.bytes(), &made));
}

#[test]
fn what_the_tree_does_not_have_below_it_is_reported() {
    // Only below its own nodes.
    let local = |name: &str| {
        format!(
            "ANIMATION_DEFINITION ( NAME ( zep_a ) LOCAL_NODES_ONLY ( ON ) {SHOW} NAME ( {name} ) ) ) )"
        )
    };
    let (mut hand, made) = bytes_of(&local("hook"));
    let mut d = lamp(Game::Cs, "zep_a", "zep_a", 1);
    put(&mut d.record, 156, &words(&[0x20_0020]));
    d.arrays[0][1] = object(Game::Cs, node_name("hook"), 3, false);
    d.arrays[1][1] = node(Game::Cs, node_name("hook"), 3, 0);
    hand.definitions.push(d);
    assert!(made == hand.bytes(), "{}", differ(&hand.bytes(), &made));
    let (_, made) = compiled(&local("reng2"));
    let error = made
        .unwrap()
        .entries
        .iter()
        .find_map(|entry| entry.error.clone())
        .unwrap();
    assert!(
        error.contains("\"reng2\"") && error.contains("below the root"),
        "{error}"
    );
    // A path that does not exist makes no entry, nor does a pattern without a match.
    for definition in [
        "NAME1 ( reng2 ( zep_a ) )",
        "NAME1 ( hook ( zep_c ) )",
        "NAME ( \"zep_*\" )",
        "NAME ( \"nowhere#\" )",
    ] {
        let (hand, made) = bytes_of(&format!(
            "ANIMATION_DEFINITION ( {definition} {SHOW} NAME ( hook ) ) ) )"
        ));
        assert!(made == hand.bytes(), "{definition}");
    }
    // Only Crimson Skies knows paths and the sign.
    assert!(
        fails("ANIMATION_DEFINITION ( NAME1 ( gate ( world1 ) ) )").contains("only Crimson Skies")
    );
    let all = entries("ANIMATION_DEFINITION ( NAME ( \"gate#\" ) )");
    assert!(all.is_empty());
}

/// Nodes of the planes follow the last position of the world, used or not.
#[test]
fn the_nodes_of_planes_follow_those_of_the_world() {
    let read = |path: &str| {
        let bytes = std::fs::read(
            std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../golden")
                .join(path),
        )
        .unwrap();
        let file = refit_files::File::read(bytes, path).unwrap();
        match file {
            refit_files::File::World(world) => world,
            _ => panic!("{path} is no world"),
        }
    };
    let (world, planes) = (
        read("gamez/cs_c1.gamez.zbd"),
        read("planes/cs_planes_small.zbd"),
    );
    let both = World::of_files(&[&world, &planes]);
    let places = world
        .node_array
        .slots
        .map_or(world.nodes.len(), |slots| slots as usize);
    assert!(places >= world.nodes.len());
    for (NodeId(at), node) in planes.nodes() {
        assert_eq!(both.name_at((places + at) as u32), Some(node.name.bytes()));
        for child in node.children.iter().filter_map(|child| child.place()) {
            let name = planes.nodes[child].as_ref().unwrap().name.bytes().to_vec();
            let found = both.find(&name, &[(places + at) as u32], false).unwrap() as usize;
            assert!(found >= places && found < places + planes.nodes.len());
        }
    }
    for (NodeId(at), node) in world.nodes() {
        assert_eq!(both.name_at(at as u32), Some(node.name.bytes()));
    }
}

/// The game's own tool truncated names that are too long: refit writes the file and reports it.
#[test]
fn names_that_are_too_long_are_cut_and_reported() {
    let long = "a_name_of_thirty_two_letters_xyz";
    let (_, compiled) = compiled(&format!(
        "ANIMATION_DEFINITION ( NAME ( reng2 ) ANIMATION_NAME ( {long} ) SEQUENCE_DEFINITION ( NAME ( {long} ) ) )"
    ));
    let compiled = compiled.unwrap();
    assert!(compiled.anim.is_some());
    let entry = compiled
        .entries
        .iter()
        .find(|entry| entry.status == Status::New)
        .unwrap();
    assert_eq!(entry.definition, &long[..31]);
    let cut: Vec<_> = findings(entry);
    let what = "the name \"a_name_of_thirty_two_letters_xyz\" has 32 bytes: it is cut to 31";
    assert_eq!(cut, [("animdef-cut", Severity::Differs, what); 2]);
}

/// A definition that is copied within its file needs no world: the file contains the positions of
/// its nodes.
#[test]
fn a_copied_definition_takes_the_places_from_its_file() {
    let mut hand = base_of(Game::Cs);
    hand.definitions = vec![
        lamp(Game::Cs, "shine", "dock1", 8),
        lamp(Game::Cs, "glow", "hook", 3),
    ];
    let base = base_file(&hand.bytes());
    let compile_with = |more: &str| {
        let files = sources_of(&base);
        let own = "ANIMATION_DEFINITION_FILE ( dock1.zrd ) ANIMATION_DEFINITION_FILE ( hook.zrd )";
        files.set("anim.zrd", root(&format!("{own} {more}")));
        compile_files(&files, Some(&base), &Options::default()).unwrap()
    };
    let copy = |node: &str| {
        format!(
            "ANIMATION_DEFINITION ( NAME ( dock1 ) ANIMATION_NAME ( again ) {SHOW} NAME ( {node} ) ) ) )"
        )
    };
    let compiled = good(compile_with(&copy("dock1")));
    let mut expected = hand.clone();
    expected
        .definitions
        .push(lamp(Game::Cs, "again", "dock1", 8));
    let bytes = compiled.anim.unwrap().write().unwrap();
    assert!(
        bytes == expected.bytes(),
        "{}",
        differ(&expected.bytes(), &bytes)
    );
    // A node of another definition, and one that no definition has.
    assert!(compile_with(&copy("hook")).anim.is_some());
    let error = compile_with(&copy("mast"))
        .entries
        .iter()
        .find_map(|entry| entry.error.clone())
        .unwrap();
    assert!(
        error.contains("\"mast\" is new") && error.contains("--world"),
        "{error}"
    );
}
