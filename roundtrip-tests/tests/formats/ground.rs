//! Ground from glTF: cuts, preserved values, limits of cells and games.

use bytes::Bytes;
use refit::{
    File,
    formats::gamez::{
        Gamez,
        fresh::Area,
        materials::Soil,
        models::Model,
        nodes::{Data, Node, NodeFlags},
        world::World,
    },
    game::Game,
    gltf::import::{self, GroundOptions, Laid, Source},
};
use roundtrip_tests::{
    games,
    trips::{Corner, Face, Trip, alone, unharmed, write},
};
use serde_json::json;
use std::collections::HashMap;

/// Columns and rows of the worlds below.
const CELLS: [i32; 2] = [4, 3];

fn side(game: Game) -> i32 {
    if game == Game::Cs { 1024 } else { 256 }
}

/// An empty world with two textures and their materials.
fn world(game: Game) -> Gamez {
    let side = side(game);
    let mut world = Gamez::empty(
        game,
        Area {
            left: -side,
            top: 0,
            right: 3 * side,
            bottom: 3 * side,
        },
    )
    .unwrap();
    let like = Bytes::from(games::world_of(
        game.code(),
        &[],
        &[],
        &[],
        &["grass.tif", "brick.tif"],
    ));
    let like = Gamez::read(&like).unwrap();
    world.textures = like.textures;
    world.materials.materials = like.materials.materials;
    world
}

/// Hills over the whole area: texture coordinates and colours are linear in x and z.
fn hills(game: Game, steps: i32) -> Vec<Face> {
    let side = side(game) as f32;
    let [columns, rows] = CELLS.map(|n| n as f32 * side);
    let corner = |i: i32, k: i32| {
        let part = |n: i32| n as f32 / steps as f32;
        let (x, z) = (part(i) * columns - side, part(k) * rows);
        let y = (x * 0.02).sin() * 9.0 + (z * 0.03).cos() * 7.0;
        Corner {
            at: [x, y, z],
            normal: [0.0, 1.0, 0.0],
            uv: [x / 64.0, z / 64.0],
            tag: [0.0, 0.0],
            color: [1.0, 1.0, 1.0],
        }
    };
    let mut out = Vec::new();
    for (i, k) in (0..steps).flat_map(|i| (0..steps).map(move |k| (i, k))) {
        let brick = i < steps / 3 && k > steps / 2;
        let material = if brick {
            "brick [soil=lava zones=2 craters=no]"
        } else {
            "grass"
        };
        let mut add = |corners: [Corner; 3]| {
            out.push(Face {
                material: material.to_owned(),
                two_sided: false,
                corners,
            });
        };
        add([corner(i, k), corner(i, k + 1), corner(i + 1, k)]);
        add([corner(i + 1, k), corner(i, k + 1), corner(i + 1, k + 1)]);
    }
    out
}

fn lay(world: &mut Gamez, faces: &[Face], craters: bool) -> refit::Result<Laid> {
    let file = Bytes::from(write(
        faces,
        Trip {
            untagged: true,
            ..Trip::default()
        },
        json!({ "name": "hills" }),
    ));
    let options = GroundOptions {
        name: "ground".to_owned(),
        craters,
    };
    import::ground(
        world,
        &Source {
            file: &file,
            beside: &alone,
        },
        &options,
    )
}

/// The pieces: name, node, model.
fn pieces(world: &Gamez) -> Vec<(usize, &Node, Model)> {
    let models: HashMap<usize, Model> = world
        .models()
        .map(|id| (id.0, world.model(id).unwrap()))
        .collect();
    let all = world.nodes().filter_map(|(id, node)| {
        let model = node.model.0.as_ref()?.place()?;
        Some((id.0, node, models[&model].clone()))
    });
    all.collect()
}

fn data(world: &Gamez) -> &World {
    let Some(Data::World(data)) = world.nodes().next().map(|(_, node)| &node.data) else {
        panic!("no world")
    };
    data
}

fn area(ring: &[[f64; 3]]) -> f64 {
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let triangle = |pair: &[[f64; 3]]| {
        let ([a, b, c], [d, e, f]) = (minus(pair[0], ring[0]), minus(pair[1], ring[0]));
        let normal = [b * f - c * e, c * d - a * f, a * e - b * d];
        normal.iter().map(|v| v * v).sum::<f64>().sqrt() * 0.5
    };
    ring[1..].windows(2).map(triangle).sum()
}

fn ring(model: &Model, polygon: usize) -> Vec<[f64; 3]> {
    let at = |v: &u32| model.vertices[*v as usize].map(|v| f64::from(v.get()));
    model.polygons[polygon].vertices.iter().map(at).collect()
}

/// Area by material, and the length of all edges that only one polygon has.
fn measures(pieces: &[(usize, &Node, Model)]) -> (HashMap<u32, f64>, f64) {
    let mut areas: HashMap<u32, f64> = HashMap::new();
    let mut edges: HashMap<[[u64; 3]; 2], i32> = HashMap::new();
    for (_, _, model) in pieces {
        for (i, polygon) in model.polygons.iter().enumerate() {
            let ring = ring(model, i);
            *areas.entry(polygon.material.unwrap()).or_default() += area(&ring);
            for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                *edges
                    .entry([a.map(f64::to_bits), b.map(f64::to_bits)])
                    .or_default() += 1;
            }
        }
    }
    let alone = edges
        .iter()
        .filter(|([a, b], n)| edges.get(&[*b, *a]) != Some(n))
        .map(|([a, b], _)| {
            a.iter()
                .zip(b)
                .map(|(a, b)| (f64::from_bits(*a) - f64::from_bits(*b)).powi(2))
                .sum::<f64>()
                .sqrt()
        });
    let open = alone.sum();
    (areas, open)
}

/// Preserved values, for each game: areas by material, an outline without cracks, texture
/// coordinates.
#[test]
fn area_outline_and_texture_coordinates_stay() {
    for game in Game::ALL {
        let faces = hills(game, 70);
        let mut world = world(game);
        let before = Bytes::from(File::from(world.clone()).to_bytes().unwrap());
        let laid = lay(&mut world, &faces, false).unwrap();
        assert_eq!((laid.cells, laid.beside), (12, 0), "{game}");
        let bytes = Bytes::from(File::from(world).to_bytes().unwrap());
        unharmed(&before, &bytes, "gamez.zbd");
        let world = Gamez::read(&bytes).unwrap();
        let pieces = pieces(&world);
        let (areas, open) = measures(&pieces);
        let whole = |brick: bool| -> f64 {
            let own = faces
                .iter()
                .filter(|f| f.material.starts_with("brick") == brick);
            own.map(|f| area(&f.corners.map(|c| c.at.map(f64::from))))
                .sum()
        };
        let near = |a: f64, b: f64| (a - b).abs() < 1e-5 * b;
        // The material of the bricks is a new one: it has another soil.
        assert!(
            near(areas[&0], whole(false)) && near(areas[&2], whole(true)) && areas.len() == 2,
            "{game} {areas:?}"
        );
        let outline: f64 = (0..70)
            .flat_map(|n| {
                let at = |i: usize, k: usize, n: usize| {
                    faces[2 * (i * 70 + k)].corners[n].at.map(f64::from)
                };
                let far = |i: usize, k: usize, n: usize| {
                    faces[2 * (i * 70 + k) + 1].corners[n].at.map(f64::from)
                };
                [
                    [at(0, n, 0), at(0, n, 1)],
                    [at(n, 0, 0), at(n, 0, 2)],
                    [far(69, n, 0), far(69, n, 2)],
                    [far(n, 69, 1), far(n, 69, 2)],
                ]
            })
            .map(|[a, b]| {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| (a - b).powi(2))
                    .sum::<f64>()
                    .sqrt()
            })
            .sum();
        assert!(
            near(open, outline),
            "{game}: open edges of {open} where the outline has {outline}"
        );
        for (_, _, model) in &pieces {
            for polygon in &model.polygons {
                for (vertex, [u, v]) in polygon.vertices.iter().zip(polygon.uvs.as_ref().unwrap()) {
                    let [x, _, z] = model.vertices[*vertex as usize];
                    assert!(
                        (x.get() / 64.0 - u.get()).abs() < 1e-4
                            && (z.get() / 64.0 - v.get()).abs() < 1e-4
                    );
                }
            }
        }
    }
}

/// Each piece is an object completely inside its cell, in the list of this cell, and below the
/// limit.
#[test]
fn pieces_are_in_their_cells_below_the_limits() {
    for game in Game::ALL {
        let mut world = world(game);
        let laid = lay(&mut world, &hills(game, 120), false).unwrap();
        let most = if game == Game::Cs { 2190 } else { 921 };
        assert!(
            laid.vertices <= most && laid.vertices > 450,
            "{game}: {}",
            laid.vertices
        );
        let (world, side) = (world, side(game) as f32);
        let data = data(&world);
        let mut held: HashMap<usize, usize> = HashMap::new();
        for (cell, member) in data
            .cells
            .iter()
            .enumerate()
            .flat_map(|(i, c)| c.nodes.iter().map(move |m| (i, m)))
        {
            assert!(held.insert(member.node.place().unwrap(), cell).is_none());
        }
        let pieces = pieces(&world);
        assert!(pieces.len() > 12, "{game}: the cells are divided");
        for (at, node, model) in &pieces {
            assert!(
                model.vertices.len() <= most && model.normals.len() <= most,
                "{game}"
            );
            let [x0, y0, z0, x1, y1, z1] = node.node_bbox.0.unwrap().map(|v| v.get());
            // The rule, by hand: columns from the left, rows from the highest z.
            let column = ((x0 + x1) * 0.5 - data.left.get()).div_euclid(side) as usize;
            let row = (data.bottom.get() - (z0 + z1) * 0.5).div_euclid(side) as usize;
            assert_eq!(held[at], row * 4 + column, "{game} {}", node.title());
            let (left, bottom) = (
                data.left.get() + column as f32 * side,
                data.bottom.get() - row as f32 * side,
            );
            assert!(
                x0 >= left && x1 <= left + side && z0 >= bottom - side && z1 <= bottom,
                "{game} {}",
                node.title()
            );
            let cell = &data.cells[held[at]];
            assert!(
                cell.min_y.0.unwrap().get() <= y0 && cell.max_y.0.unwrap().get() >= y1,
                "{game}"
            );
            assert!(
                node.title().starts_with(&format!("ground_{column}_{row}")),
                "{game} {}",
                node.title()
            );
        }
    }
}

/// Regions: soil is that of a material, zones those of polygons, craters those of pieces with at
/// most 450 vertices.
#[test]
fn regions_are_kept() {
    let mut world = world(Game::Rc);
    lay(&mut world, &hills(Game::Rc, 100), true).unwrap();
    let pieces = pieces(&world);
    let (mut with, mut without) = (0, 0);
    for (_, node, model) in &pieces {
        let [modify, clip] =
            [NodeFlags::CAN_MODIFY, NodeFlags::CLIP_TO].map(|flag| node.flags.has(flag));
        for polygon in &model.polygons {
            let material = &world.materials.materials[polygon.material.unwrap() as usize]
                .as_ref()
                .unwrap();
            let zones = polygon.zones.0.and_then(|zones| zones.zones());
            match material.soil.0 {
                Some(soil) => {
                    assert_eq!(
                        (soil, zones, modify, clip),
                        (Soil::Lava, Some(vec![2]), false, true)
                    );
                    without += 1;
                }
                None => {
                    assert_eq!((zones, modify, clip), (None, true, false));
                    with += 1;
                }
            }
        }
        assert!(
            !modify || model.vertices.len() <= 450,
            "{} vertices",
            model.vertices.len()
        );
    }
    assert!(with > 1000 && without > 1000);
    // Added again, it uses the same materials and other names.
    let (materials, nodes) = (world.materials.materials.len(), world.nodes.len());
    lay(&mut world, &hills(Game::Rc, 10), true).unwrap();
    assert_eq!(world.materials.materials.len(), materials);
    let names: Vec<String> = world.nodes().map(|(_, node)| node.title()).collect();
    let mut different = names.clone();
    different.sort();
    different.dedup();
    assert!(different.len() == names.len() && world.nodes.len() > nodes);
}

/// Ground that the game does not support is refused, and the world stays unchanged.
#[test]
fn invalid_ground_is_refused() {
    let mut world = world(Game::Rc);
    let before = File::from(world.clone()).to_bytes().unwrap();
    let with = |material: &str| {
        let mut faces = hills(Game::Rc, 4);
        faces
            .iter_mut()
            .for_each(|face| face.material = material.to_owned());
        faces
    };
    for (material, why) in [
        ("grass [soil=MUD]", "Recoil does not know"),
        ("grass [zones=1,2,3,4]", "at most three zones"),
        ("grass [craters=perhaps]", "neither yes nor no"),
    ] {
        let error = lay(&mut world, &with(material), false)
            .unwrap_err()
            .to_string();
        assert!(error.contains(why) && error.contains("grass"), "{error}");
    }
    assert!(lay(&mut world, &[], false).is_err());
    let planes = Bytes::from(
        std::fs::read(roundtrip_tests::root().join("golden/planes/cs_planes_small.zbd")).unwrap(),
    );
    let error = lay(&mut Gamez::read(&planes).unwrap(), &with("grass"), false)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no world node"), "{error}");
    assert_eq!(File::from(world).to_bytes().unwrap(), before);
}
