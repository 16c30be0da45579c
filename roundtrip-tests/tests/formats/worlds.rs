//! Changes of worlds: adding and removing an object leaves no trace, and a copy or an addition
//! changes only the nodes above it.

use bytes::Bytes;
use refit::{
    File,
    formats::gamez::{
        Gamez, NodeId,
        edit::Motion,
        fresh::Area,
        nodes::{Data, Node, NodeFlags},
        world::CellNode,
    },
    game::Game,
    gltf::import::{self, Options, Source},
};
use roundtrip_tests::{
    assert_bytes, golden,
    process::{self, run},
    root,
    trips::{alone, tower, unharmed},
};
use std::collections::HashSet;

/// A world of each game with objects in it.
fn world(game: Game) -> Gamez {
    if game != Game::Rc {
        let file = root().join(format!("golden/gamez/{}_typical_gamez.zbd", game.code()));
        return Gamez::read(&std::fs::read(file).unwrap().into()).unwrap();
    }
    let mut world = Gamez::empty(
        game,
        Area {
            left: 0,
            top: 0,
            right: 1024,
            bottom: 1024,
        },
    )
    .unwrap();
    for (name, x) in [("hut", 100.0), ("shed", 300.0), ("barn", 330.0)] {
        let new = add(&mut world, &tower(name, "wood"), 0);
        world
            .move_node(
                NodeId(new),
                Motion {
                    at: Some([x, 0.0, 100.0]),
                    ..Motion::default()
                },
            )
            .unwrap();
    }
    read(&bytes(&world))
}

fn bytes(world: &Gamez) -> Bytes {
    File::from(world.clone()).to_bytes().unwrap().into()
}

fn read(bytes: &Bytes) -> Gamez {
    Gamez::read(bytes).unwrap()
}

/// Adds an object below a node. Returns its position.
fn add(world: &mut Gamez, file: &Bytes, top: usize) -> usize {
    let new = world.nodes.len();
    let mut model = File::from(world.clone());
    let source = Source {
        file,
        beside: &alone,
    };
    import::add(&mut model, &format!("#{top}"), &source, Options::default()).unwrap();
    let File::World(changed) = model else {
        panic!("a world stays one")
    };
    *world = *changed;
    new
}

/// The first object below the world that has children, and one without.
fn objects(world: &Gamez) -> Vec<NodeId> {
    let mut seen = HashSet::new();
    let Some(Data::World(data)) = world.node(NodeId(0)).map(|node| &node.data) else {
        panic!("no world")
    };
    let members = data
        .cells
        .iter()
        .flat_map(|cell| &cell.nodes)
        .filter_map(|member| member.node.place());
    let own = world
        .node(NodeId(0))
        .unwrap()
        .children
        .iter()
        .filter_map(|child| child.place());
    let all = members.chain(own).map(NodeId);
    let objects = all.filter(|id| matches!(world.node(*id).unwrap().data, Data::Object3d(_)));
    objects
        .filter(|id| seen.insert(world.node(*id).unwrap().children.is_empty()))
        .collect()
}

/// Everything is still there, in its place: only `above` may differ, in boxes and lists.
fn only_adds(before: &Gamez, now: &Gamez, above: &[usize], what: &str) {
    assert!(now.nodes.len() > before.nodes.len(), "{what}");
    for (i, (was, is)) in before
        .nodes
        .iter()
        .zip(&now.nodes)
        .enumerate()
        .filter(|(i, _)| !above.contains(i))
    {
        assert!(was == is, "{what}: node {i}");
    }
    for i in above {
        let without = |world: &Gamez| {
            let mut node: Node = world.node(NodeId(*i)).unwrap().clone();
            node.children
                .retain(|child| child.place().unwrap() < before.nodes.len());
            (node.node_bbox, node.child_bbox) = Default::default();
            node.flags = node.flags.with(NodeFlags::CHILD_BBOX, false);
            if let Data::World(data) = &mut node.data {
                for cell in &mut data.cells {
                    cell.nodes
                        .retain(|member| member.node.place().unwrap() < before.nodes.len());
                    (cell.min_y, cell.max_y) = Default::default();
                    (cell.mid_y, cell.radius) = Default::default();
                    let own =
                        |member: &&mut CellNode| above.contains(&member.node.place().unwrap());
                    for member in cell.nodes.iter_mut().filter(own) {
                        member.y = None;
                    }
                }
            }
            // Counts follow from the lists.
            serde_json::to_value(&node).unwrap()
        };
        let [was, is] =
            [without(before), without(now)].map(|v| serde_json::to_string_pretty(&v).unwrap());
        let changed = was.lines().zip(is.lines()).find(|(a, b)| a != b);
        assert!(was == is, "{what}: node {i}: {changed:?}");
    }
    for id in before.models() {
        let [was, is] = [before, now].map(|world| world.model(id).unwrap());
        assert_eq!(
            (was.vertices, was.polygons, was.lights),
            (is.vertices, is.polygons, is.lights),
            "{what}: {id}"
        );
    }
    assert_eq!(
        before.textures,
        now.textures[..before.textures.len()],
        "{what}"
    );
    let materials = |world: &Gamez| -> Vec<String> {
        let all = world
            .materials
            .materials
            .iter()
            .take(before.materials.materials.len());
        all.map(|material| {
            format!(
                "{:?}",
                material
                    .as_ref()
                    .map(|m| (m.texture.clone(), m.color, m.soil))
            )
        })
        .collect()
    };
    assert_eq!(materials(before), materials(now), "{what}");
}

/// An object is added to the world and below an object, with a material that is there or with one
/// that is not, and removed again: the file is the same.
#[test]
fn adding_and_removing_restores_the_file() {
    for game in Game::ALL {
        let before = bytes(&world(game));
        let first = read(&before);
        let tops: Vec<usize> = [0]
            .into_iter()
            .chain(objects(&first).into_iter().map(|id| id.0))
            .collect();
        for (top, material) in tops
            .into_iter()
            .flat_map(|top| [(top, "wood"), (top, "gold")])
        {
            let what = format!("{game} below {top}, of {material}");
            let mut world = read(&before);
            let new = add(&mut world, &tower("mast", material), top);
            if top == 0 {
                let motion = Motion {
                    at: Some([40.0, 0.0, 40.0]),
                    turn: Some(30.0),
                    ..Motion::default()
                };
                world.move_node(NodeId(new), motion).unwrap();
            }
            let with = bytes(&world);
            assert!(with != before, "{what}");
            let mut world = read(&with);
            only_adds(&first, &world, &[0, top], &what);
            world.remove_node(world.find("mast").unwrap()).unwrap();
            assert_bytes(&bytes(&world), &before);
        }
    }
}

/// A copy, as a sibling of the original and below another object, is the only addition; after its
/// removal the file is the same. A copy of an object of the same world as if from another world
/// adds no model and no material.
#[test]
fn a_copy_changes_nothing_else() {
    for game in Game::ALL {
        let before = bytes(&world(game));
        let first = read(&before);
        let objects = objects(&first);
        for (object, under) in objects
            .iter()
            .flat_map(|o| [(*o, None), (*o, Some(objects[0])), (*o, Some(NodeId(0)))])
        {
            let what = format!("{game}: {object} below {under:?}");
            let mut world = read(&before);
            let copy = world.copy_node(object, under).unwrap();
            world.rename_node(copy, "the copy").unwrap();
            let with = bytes(&world);
            unharmed(&before, &with, "gamez.zbd");
            let above: Vec<usize> = [NodeId(0)]
                .into_iter()
                .chain(under)
                .map(|id| id.0)
                .collect();
            only_adds(&first, &read(&with), &above, &what);
            let mut world = read(&with);
            let copied = first.walk(object).map(|(_, _, node)| node.data.kind());
            assert!(
                world
                    .walk(copy)
                    .map(|(_, _, node)| node.data.kind())
                    .eq(copied),
                "{what}"
            );
            world.remove_node(copy).unwrap();
            assert_bytes(&bytes(&world), &before);
            let mut world = read(&before);
            let brought = world.copy_from(&first, object, under).unwrap();
            assert_eq!(
                (brought.models, brought.materials, brought.textures.len()),
                (0, 0, 0),
                "{what}"
            );
            only_adds(&first, &read(&bytes(&world)), &above, &what);
            world.remove_node(brought.node).unwrap();
            assert_bytes(&bytes(&world), &before);
        }
    }
}

/// The models and materials of an object from another world are added once, however often it is
/// copied.
#[test]
fn a_second_copy_from_another_world_adds_nothing_new() {
    for game in Game::ALL {
        let other = world(game);
        let mut into = Gamez::empty(
            game,
            Area {
                left: 0,
                top: 0,
                right: 2048,
                bottom: 2048,
            },
        )
        .unwrap();
        for object in objects(&other) {
            into.copy_from(&other, object, None).unwrap();
            into = read(&bytes(&into));
            let again = into.copy_from(&other, object, None).unwrap();
            assert_eq!(
                (again.models, again.materials, again.textures.len()),
                (0, 0, 0),
                "{game}: {object}"
            );
        }
    }
}

/// An object that moves away and back is where it was, and so is everything else.
#[test]
fn moving_an_object_back_restores_the_file() {
    for game in Game::ALL {
        let before = bytes(&world(game));
        for object in objects(&read(&before)) {
            let mut world = read(&before);
            let by = |by: f32| Motion {
                by: Some([by, 0.0, 0.0]),
                ..Motion::default()
            };
            for step in [by(2048.0), by(-2048.0)] {
                world.move_node(object, step).unwrap();
                world = read(&bytes(&world));
            }
            let now = world.node(object).unwrap();
            let was = read(&before);
            let place = |world: &Gamez| {
                let Some(Data::World(data)) = world.node(NodeId(0)).map(|node| &node.data) else {
                    panic!("no world")
                };
                world.cell_by_rule(data, object)
            };
            assert_eq!((now.cell, now.node_bbox, place(&world)), {
                let node = was.node(object).unwrap();
                (node.cell, node.node_bbox, place(&was))
            });
            let ([a, b], n) = ([&was, &world], was.nodes.len());
            assert!(
                (1..n)
                    .filter(|i| *i != object.0)
                    .all(|i| a.nodes[i] == b.nodes[i]),
                "{game} {object}"
            );
        }
    }
}

/// A change of a tree reads only what changed again: the tree must still give the changed file,
/// whatever the change is.
#[test]
fn a_changed_tree_gives_the_changed_file() {
    let (mut copied, mut added) = (0, 0);
    for (n, case) in golden("gamez").into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("world.zbd"), &case.bytes).unwrap();
        std::fs::write(at("tower.glb"), tower("tower", "wood")).unwrap();
        let style = if n % 2 == 0 { "json" } else { "ron" };
        run(
            dir.path(),
            &format!("unpack world.zbd -o tree --as {style}"),
        )
        .code(0);
        let world = read(&case.bytes);
        let shown = objects(&world)
            .into_iter()
            .filter(|id| world.node(*id).unwrap().model.0.is_some());
        // A second node with the model changes what the model's document says of its uses.
        let changes = shown
            .take(2)
            .map(|NodeId(slot)| format!("world copy FILE #{slot}"));
        let changes = changes.chain(["world add FILE tower.glb".to_owned()]);
        for change in changes.collect::<Vec<_>>() {
            let of_file = process::refit(dir.path())
                .args(change.replace("FILE", "world.zbd").split(' '))
                .args(["-o", "changed.zbd", "--force"])
                .output()
                .unwrap();
            let of_tree = process::refit(dir.path())
                .args(change.replace("FILE", "tree").split(' '))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&of_tree.stderr);
            if of_file.status.code() == Some(1) {
                assert_eq!(
                    of_tree.status.code(),
                    Some(1),
                    "{}: {change}: {said}",
                    case.path
                );
                continue;
            }
            assert_ne!(
                of_tree.status.code(),
                Some(1),
                "{}: {change}: {said}",
                case.path
            );
            let again = process::refit(dir.path())
                .args(["repack", "tree", "-o", "again.zbd", "--force"])
                .output();
            assert_ne!(
                again.unwrap().status.code(),
                Some(1),
                "{}: {change}",
                case.path
            );
            let [changed, again] =
                ["changed.zbd", "again.zbd"].map(|name| std::fs::read(at(name)).unwrap());
            assert_bytes(&again, &changed);
            std::fs::write(at("world.zbd"), &changed).unwrap();
            *if change.contains("copy") {
                &mut copied
            } else {
                &mut added
            } += 1;
        }
    }
    assert!(
        copied > 20 && added > 10,
        "{copied} copies, {added} additions"
    );
}
