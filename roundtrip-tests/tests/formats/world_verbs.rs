//! Every change of a world, on each golden world, as a file and as a tree: both become the same
//! file, and nothing that refit writes has a finding that the original does not have, unless the
//! user asked for it.

use bytes::Bytes;
use refit::{
    File,
    formats::gamez::{Gamez, NodeId, edit::Motion, nodes::Data},
    lint::Finding,
    pipeline,
    workbench::{
        Options, Quiet,
        put::{GltfChange, Written, gltf_into},
        world::{Along, Change, change},
    },
};
use roundtrip_tests::{
    Case, assert_bytes, golden, root,
    trips::{export, tower},
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Findings that a user asks for: an object of a name that another one has, or one that leaves its
/// cell.
const ASKED: [&str; 2] = ["gamez-lookup", "gamez-crater"];

fn worlds() -> Vec<Case> {
    golden("gamez")
        .into_iter()
        .chain(golden("planes"))
        .collect()
}

fn read(bytes: &[u8]) -> Gamez {
    Gamez::read(&Bytes::copy_from_slice(bytes)).unwrap()
}

fn bytes(world: &Gamez) -> Bytes {
    File::from(world.clone()).to_bytes().unwrap().into()
}

fn lint_edit(now: &Gamez, before: &Gamez) -> Vec<Finding> {
    pipeline::lint_edit(&File::from(now.clone()), &File::from(before.clone())).unwrap()
}

/// The objects of a world, those with children first.
fn objects(world: &Gamez) -> Vec<NodeId> {
    let all = world
        .nodes()
        .filter(|(_, node)| matches!(node.data, Data::Object3d(_)));
    let (with, without): (Vec<_>, Vec<_>) = all.partition(|(_, node)| !node.children.is_empty());
    with.into_iter().chain(without).map(|(id, _)| id).collect()
}

/// An export of a world in which an object is somewhere else.
fn moved(glb: &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut root: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let node = root["nodes"]
        .as_array_mut()?
        .iter_mut()
        .find(|node| node.get("mesh").is_some())?;
    node.as_object_mut()?.remove("matrix");
    node["translation"] = json!([3.0, 4.0, 5.0]);
    Some(roundtrip_tests::khronos::glb(&root, &glb[28 + length..]))
}

/// A world as a file and as a tree, which are changed in the same way.
struct Twins {
    folder: tempfile::TempDir,
    path: String,
}

impl Twins {
    fn new(case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("other")).unwrap();
        fs::write(at("world.zbd"), &case.bytes).unwrap();
        fs::write(at("tower.glb"), tower("tower", "wood")).unwrap();
        let twins = Twins {
            path: case.path.clone(),
            folder,
        };
        let unpack = format!(
            "unpack world.zbd -o tree --as {}",
            if case.bytes.len().is_multiple_of(2) {
                "json"
            } else {
                "ron"
            }
        );
        roundtrip_tests::process::run(twins.folder.path(), &unpack).code(0);
        twins
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn world(&self) -> Gamez {
        read(&fs::read(self.at("world.zbd")).unwrap())
    }

    /// Makes a change in both. Returns false if both refuse it for the same reason.
    fn apply(
        &self,
        what: &str,
        known: &[String],
        work: impl Fn(&Path) -> refit::Result<Written>,
    ) -> bool {
        let path = &self.path;
        let [file, tree] = [self.at("world.zbd"), self.at("tree")];
        let (of_file, of_tree) = match (work(&file), work(&tree)) {
            (Ok(of_file), Ok(of_tree)) => (of_file, of_tree),
            (Err(of_file), Err(of_tree)) => {
                let [a, b] = [(of_file, "world.zbd"), (of_tree, "tree")].map(|(e, name)| {
                    assert_ne!(
                        e.kind(),
                        refit::wire::ErrorKind::Internal,
                        "{path}: {what}: {e}"
                    );
                    let path = self.at(name).display().to_string().replace('\\', "/");
                    e.to_string().replace(&path, "WORLD")
                });
                assert_eq!(a, b, "{path}: {what}");
                return false;
            }
            (of_file, of_tree) => {
                panic!(
                    "{path}: {what}: file {:?}, tree {:?}",
                    of_file.err(),
                    of_tree.err()
                )
            }
        };
        let Written::File(stored) = of_file else {
            panic!("not a file")
        };
        let Written::Tree(_, of_tree) = of_tree else {
            panic!("not a tree")
        };
        let places: Vec<String> = stored
            .news
            .iter()
            .flat_map(|(_, news)| &news.found)
            .map(|one| format!("{} {}", one.code, one.at))
            .collect();
        let mut said = [stored.news, of_tree].map(|news| {
            let found = news.into_iter().flat_map(|(_, news)| news.found);
            found
                .map(|one| format!("{} {}", one.code, one.message))
                .collect::<Vec<_>>()
        });
        said.iter_mut().for_each(|said| said.sort());
        assert_eq!(said[0], said[1], "{path}: {what}");
        // The boxes of nodes that contain themselves have no end.
        let loops = known.iter().any(|one| one.starts_with("gamez-loop"));
        let asked = |one: &&String| {
            ASKED.iter().any(|code| one.starts_with(code))
                || known.contains(one)
                || loops && one.starts_with("gamez-box")
        };
        let own: Vec<&String> = said[0].iter().filter(|one| !asked(one)).collect();
        assert!(
            own.is_empty(),
            "{path}: {what}: refit made what it finds unusual: {own:#?}, at {places:#?}"
        );
        let source = refit::tree::DirSource::new(&tree);
        let (_, model) =
            pipeline::assemble(&source).unwrap_or_else(|e| panic!("{path}: {what}: {e}"));
        let is_same = model.to_bytes().unwrap() == fs::read(&file).unwrap();
        assert!(is_same, "{path}: {what}: the tree differs from the file");
        true
    }

    fn change(&self, what: &Change, known: &[String]) -> bool {
        self.apply(&format!("{what:?}"), known, |path| {
            change(
                path,
                None,
                what,
                &Along::default(),
                &Options::default(),
                &Quiet,
            )
            .map(|changed| changed.world)
        })
    }
}

fn at(x: f32, y: f32, z: f32) -> Motion {
    Motion {
        at: Some([x, y, z]),
        ..Motion::default()
    }
}

/// What the finding of a file say, without their places.
fn findings(world: &Gamez) -> Vec<String> {
    let found = File::from(world.clone()).lint().unwrap();
    found
        .into_iter()
        .map(|one| format!("{} {}", one.code, one.message))
        .collect()
}

fn verbs(case: &Case, done: &AtomicUsize) {
    let twins = Twins::new(case);
    let first = twins.world();
    let tower = twins.at("tower.glb");
    let world = first
        .nodes()
        .find(|(_, node)| matches!(node.data, Data::World(_)))
        .map(|(id, _)| id.to_string());
    let objects = objects(&first);
    let named = |id: &NodeId| id.to_string();
    let some = objects.first().map(named);
    let last = objects.last().map(named);
    let mut changes = Vec::new();
    for under in [world.clone(), some.clone()].into_iter().flatten() {
        changes.push(Change::Add {
            from: tower.clone(),
            under: Some(under),
            motion: at(10.0, 0.0, 10.0),
        });
    }
    if world.is_some() {
        let hills = root().join("docs/example/models/hills.gltf");
        changes.push(Change::Ground {
            from: hills,
            name: "hills".to_owned(),
            craters: false,
        });
    }
    let copy =
        |node: &String, from: Option<PathBuf>, under: Option<String>, name: &str| Change::Copy {
            node: node.clone(),
            from,
            under,
            name: Some(name.to_owned()),
            motion: at(20.0, 0.0, 20.0),
        };
    for node in [&some, &last].into_iter().flatten() {
        for under in [None, some.clone(), world.clone()] {
            changes.push(copy(node, None, under, "copied"));
        }
        for by in [
            [3.0, 0.0, 0.0],
            [0.0, 500.0, 0.0],
            [4000.0, 0.0, 4000.0],
            [-4003.0, -500.0, -4000.0],
        ] {
            let motion = Motion {
                by: Some(by),
                turn: Some(30.0),
                ..Motion::default()
            };
            changes.push(Change::Move {
                node: node.clone(),
                motion,
            });
        }
        // Below the world, below objects, and back; some are refused.
        let parents = [&world, &some, &last, &world];
        for (i, under) in parents.into_iter().enumerate() {
            changes.extend(under.clone().map(|under| Change::Reparent {
                node: node.clone(),
                under,
                local: i % 2 == 1,
            }));
        }
        changes.push(Change::Rename {
            node: node.clone(),
            name: "renamed".to_owned(),
        });
        changes.push(Change::Rename {
            node: node.clone(),
            name: String::new(),
        });
    }
    let mut known = findings(&first);
    for what in &changes {
        done.fetch_add(usize::from(twins.change(what, &known)), Ordering::Relaxed);
    }
    // From another world of the game.
    for other in worlds()
        .iter()
        .filter(|other| other.path[..16] == case.path[..16] && other.path != case.path)
        .take(3)
    {
        let from = read(&other.bytes);
        known.extend(findings(&from));
        let path = twins.at("other/world.zbd");
        fs::write(&path, &other.bytes).unwrap();
        let copied = crate::world_verbs::objects(&from);
        for (node, under) in [
            (copied.first(), world.clone()),
            (copied.last(), some.clone()),
        ] {
            if let Some(node) = node {
                let what = copy(&named(node), Some(path.clone()), under, "foreign");
                done.fetch_add(usize::from(twins.change(&what, &known)), Ordering::Relaxed);
            }
        }
    }
    // The whole world comes back from another program.
    let shown = export(&fs::read(twins.at("world.zbd")).unwrap().into(), &case.path);
    let whole = shown.iter().find(|(path, _)| {
        !path.contains('/') && path.ends_with(".glb") && *path != "unattached.glb"
    });
    if let Some((path, glb)) = whole.and_then(|(path, glb)| Some((path, moved(glb)?))) {
        fs::write(twins.at("moved.glb"), glb).unwrap();
        let moved = twins.at("moved.glb");
        let done_here = twins.apply("put world", &known, |into| {
            let put = GltfChange {
                into,
                from: &moved,
                output: None,
                textures: None,
                label: "world",
            };
            let work = |file: &mut File| gltf_into(file, path, &moved, Default::default());
            put.run(&Options::default(), &Quiet, work)
                .map(|done| done.into)
        });
        done.fetch_add(usize::from(done_here), Ordering::Relaxed);
    }
    // Everything is removed again, and more.
    let all: Vec<String> = crate::world_verbs::objects(&twins.world())
        .iter()
        .map(named)
        .collect();
    for node in all.iter().take(4).chain(all.iter().rev().take(4)) {
        done.fetch_add(
            usize::from(twins.change(&Change::Remove { node: node.clone() }, &known)),
            Ordering::Relaxed,
        );
    }
    let again = Change::Add {
        from: tower,
        under: world,
        motion: at(10.0, 0.0, 10.0),
    };
    done.fetch_add(usize::from(twins.change(&again, &known)), Ordering::Relaxed);
}

#[test]
fn no_change_brings_a_finding_in_and_trees_are_changed_as_files_are() {
    let (cases, next, done) = (worlds(), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    verbs(case, &done);
                }
            });
        }
    });
    let done = done.into_inner();
    assert!(done > 700, "{done} changes");
}

/// Each object of each golden world is removed, one after another in both directions: the list of
/// free records, the addresses and the references stay right.
#[test]
fn removing_objects_one_after_another_brings_no_finding_in() {
    let mut removed = 0;
    for case in worlds() {
        for reverse in [false, true] {
            let first = read(&case.bytes);
            let known = findings(&first);
            let mut order = objects(&first);
            if reverse {
                order.reverse();
            }
            let mut world = first.clone();
            for id in order {
                let before = world.clone();
                if world.find(&id.to_string()).is_err() || world.remove_node(id).is_err() {
                    world = before;
                    continue;
                }
                removed += 1;
                let now = bytes(&world);
                assert_bytes(&bytes(&read(&now)), &now);
                let now = read(&now);
                let mut found = lint_edit(&now, &before);
                found.retain(|one| {
                    !ASKED.contains(&one.code)
                        && !known.contains(&format!("{} {}", one.code, one.message))
                });
                assert!(found.is_empty(), "{}: {id}: {found:#?}", case.path);
                world = now;
            }
        }
    }
    assert!(removed > 300, "{removed}");
}

/// Three rows and a position in the world, of each node with one parent all the way up.
fn placed(world: &Gamez) -> HashMap<usize, [f64; 12]> {
    let mut owners: HashMap<usize, Vec<usize>> = HashMap::new();
    for (id, node) in world.nodes() {
        let mut below: Vec<usize> = node.children.iter().filter_map(|c| c.place()).collect();
        if let Data::World(data) = &node.data {
            below.extend(data.members());
        }
        for child in below {
            // Damaged worlds list a node twice.
            let all: &mut Vec<usize> = owners.entry(child).or_default();
            if !all.contains(&id.0) {
                all.push(id.0);
            }
        }
    }
    let mut all = HashMap::new();
    'nodes: for (id, _) in world.nodes() {
        let mut now = [1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.];
        let mut at = id.0;
        for _ in 0..world.nodes.len() {
            if let Some(Data::Object3d(object)) = world.node(NodeId(at)).map(|node| &node.data) {
                let m = object.matrix().map(|x| f64::from(x.get()));
                let t = object
                    .translation
                    .0
                    .unwrap_or_default()
                    .map(|x| f64::from(x.get()));
                let was = now;
                for row in 0..4 {
                    for column in 0..3 {
                        let turned: f64 =
                            (0..3).map(|k| was[row * 3 + k] * m[k * 3 + column]).sum();
                        now[row * 3 + column] = turned + if row == 3 { t[column] } else { 0. };
                    }
                }
            }
            match owners.get(&at).map_or(&[][..], Vec::as_slice) {
                [] => {
                    all.insert(id.0, now);
                    continue 'nodes;
                }
                [one] => at = *one,
                _ => continue 'nodes,
            }
        }
    }
    all
}

fn turned(node: NodeId, by: [f32; 3], turn: f32, scale: [f32; 3]) -> (NodeId, Motion) {
    let motion = Motion {
        at: None,
        by: Some(by),
        turn: Some(turn),
        scale: Some(scale),
    };
    (node, motion)
}

/// Each object of each golden world is put below each other one and below the world: everything
/// stays where it is in the world, no finding comes in, and an object is never below itself.
#[test]
fn a_new_parent_leaves_everything_where_it_is() {
    let (mut put, mut refused) = (0, 0);
    for case in worlds() {
        let mut first = read(&case.bytes);
        let all: Vec<NodeId> = first
            .nodes()
            .filter(|(_, node)| matches!(node.data, Data::Object3d(_) | Data::Lod(_)))
            .map(|(id, _)| id)
            .take(8)
            .collect();
        // Objects are turned and scaled, so that parents differ.
        let moves: Vec<_> = (0..)
            .zip(&all)
            .filter(|(_, id)| matches!(first.node(**id).unwrap().data, Data::Object3d(_)))
            .map(|(n, id)| {
                let n = n as f32;
                turned(*id, [n, 0.5 * n, -n], 25.0 * n, [1.0, 1.0 + 0.25 * n, 1.0])
            })
            .collect();
        first.move_nodes(&moves).unwrap();
        let first = read(&bytes(&first));
        let known = findings(&first);
        let before = placed(&first);
        let far = before
            .values()
            .flat_map(|placed| &placed[9..])
            .fold(0.0f64, |m, v| m.max(v.abs()));
        let parents = first
            .nodes()
            .filter(|(_, node)| matches!(node.data, Data::World(_)))
            .map(|(id, _)| id)
            .chain(all.iter().copied());
        for (parent, id) in parents.flat_map(|parent| all.iter().map(move |id| (parent, *id))) {
            let what = format!("{}: {id} below {parent}", case.path);
            let is_below = first.walk(id).any(|(_, below, _)| below == parent);
            let mut world = first.clone();
            match world.reparent_node(id, parent, false) {
                Ok(()) => put += 1,
                Err(e) => {
                    refused += 1;
                    assert!(!is_below || e.to_string().contains("below"), "{what}: {e}");
                    assert!(bytes(&world) == bytes(&first), "{what}: {e}");
                    continue;
                }
            }
            assert!(!is_below, "{what}");
            let now = bytes(&world);
            let world = read(&now);
            assert_bytes(&bytes(&world), &now);
            let after = placed(&world);
            for (at, was) in &before {
                // A level of detail has no place; the objects below it do.
                if matches!(first.node(NodeId(*at)).unwrap().data, Data::Lod(_)) {
                    continue;
                }
                let is = &after[at];
                let size = was.iter().fold(1.0f64, |m, v| m.max(v.abs()));
                // A place is stored relative to the parent, as f32, which may be far away.
                let slack = 2e-5 * size + 1e-6 * far;
                for (a, b) in was.iter().zip(is) {
                    assert!((a - b).abs() < slack, "{what}: #{at} {was:?} {is:?}");
                }
            }
            let mut found = lint_edit(&world, &first);
            found.retain(|one| {
                !ASKED.contains(&one.code)
                    && !known.contains(&format!("{} {}", one.code, one.message))
            });
            assert!(found.is_empty(), "{what}: {found:#?}");
            // And back: the same parents.
            let mut back = world;
            let owner = before.contains_key(&id.0).then(|| {
                first.nodes().find_map(|(owner, node)| {
                    let is_member = |data: &Data| match data {
                        Data::World(data) => data.members().any(|member| member == id.0),
                        _ => false,
                    };
                    let is_child = node.children.iter().any(|c| c.place() == Some(id.0));
                    (is_child || is_member(&node.data)).then_some(owner)
                })
            });
            if let Some(Some(owner)) = owner {
                back.reparent_node(id, owner, false).unwrap();
                let again = placed(&read(&bytes(&back)));
                assert_eq!(again.len(), before.len(), "{what}");
            }
        }
    }
    assert!(put > 300 && refused > 100, "{put} put, {refused} refused");
}
