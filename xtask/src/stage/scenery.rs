//! A world with a house and its door, and a 'mech: shapes that are computed.

use roundtrip_tests::games;
use serde_json::{Value, json};

type Point = [f32; 3];

/// The textures of the world, in the order of its materials.
pub const TEXTURES: [&str; 10] = [
    "wave01.tif",
    "bark.tif",
    "grass.tif",
    "brick.tif",
    "tiles.tif",
    "fence.tif",
    "crown.tif",
    "glow.tif",
    "pond.tif",
    "sign.tif",
];
/// Frames of the waves, after the other textures.
const FRAMES: [&str; 3] = ["wave02.tif", "wave03.tif", "wave04.tif"];

const WAVE: usize = 0;
const BARK: usize = 1;
const GRASS: usize = 2;
const BRICK: usize = 3;
const TILES: usize = 4;
const FENCE: usize = 5;
const CROWN: usize = 6;
const GLOW: usize = 7;
const POND: usize = 8;
const SIGN: usize = 9;

/// A shape that is being built.
#[derive(Clone, Default)]
pub struct Shape {
    vertices: Vec<Point>,
    polygons: Vec<Value>,
    more: Vec<(&'static str, Value)>,
}

impl Shape {
    /// Adds a face; its corners are counter-clockwise seen from its front.
    fn face(
        &mut self,
        game: &str,
        material: usize,
        corners: &[Point],
        uvs: &[[f32; 2]],
        shade: f32,
    ) -> &mut Value {
        let first = self.vertices.len();
        self.vertices.extend(corners);
        let places: Vec<usize> = (first..self.vertices.len()).collect();
        let mut polygon = json!({ "material": material, "vertices": places, "uvs": uvs });
        if game != "rc" {
            polygon["colors"] = vec![[shade; 3]; corners.len()].into();
        }
        self.polygons.push(polygon);
        let last = self.polygons.len() - 1;
        &mut self.polygons[last]
    }

    /// Adds the sides of a box, as many textures as metres times `density`.
    pub fn block(&mut self, game: &str, material: usize, [low, high]: [Point; 2], density: f32) {
        let corner = |bits: usize| {
            std::array::from_fn(|i| if bits >> i & 1 == 0 { low[i] } else { high[i] })
        };
        let sides: [([usize; 4], usize, usize, f32); 6] = [
            ([4, 5, 7, 6], 0, 1, 210.0),
            ([1, 0, 2, 3], 0, 1, 170.0),
            ([5, 1, 3, 7], 2, 1, 230.0),
            ([0, 4, 6, 2], 2, 1, 150.0),
            ([6, 7, 3, 2], 0, 2, 255.0),
            ([0, 1, 5, 4], 0, 2, 110.0),
        ];
        for (corners, across, up, shade) in sides {
            let (w, h) = (
                (high[across] - low[across]) * density,
                (high[up] - low[up]) * density,
            );
            let points: Vec<Point> = corners.iter().map(|bits| corner(*bits)).collect();
            self.face(
                game,
                material,
                &points,
                &[[0.0, h], [w, h], [w, 0.0], [0.0, 0.0]],
                shade,
            );
        }
    }

    fn bounds(&self) -> [f32; 6] {
        let fold = |i: usize, f: fn(f32, f32) -> f32, start| {
            self.vertices.iter().map(|v| v[i]).fold(start, f)
        };
        let low: [f32; 3] = std::array::from_fn(|i| fold(i, f32::min, f32::INFINITY));
        let high: [f32; 3] = std::array::from_fn(|i| fold(i, f32::max, f32::NEG_INFINITY));
        [low[0], low[1], low[2], high[0], high[1], high[2]]
    }

    /// The document of the model.
    pub fn document(&self, game: &str) -> Value {
        let b = self.bounds();
        let half: [f32; 3] = std::array::from_fn(|i| (b[i + 3] - b[i]) * 0.5);
        let mut out = json!({
            "bbox_mid": [b[0] + half[0], b[1] + half[1], b[2] + half[2]],
            "bbox_diag": half.iter().map(|h| h * h).sum::<f32>().sqrt(),
            "vertices": self.vertices, "polygons": self.polygons,
        });
        match game {
            "rc" => out["recoil_flags"] = json!(["LIGHTING", "TEXTURE_REGISTERED"]),
            "cs" => out["flags"] = json!(["LIGHTING", "FOG", "HAS_POLYGONS"]),
            _ => out["flags"] = json!(["LIGHTING", "FOG"]),
        }
        for (key, value) in &self.more {
            match (
                out.get_mut(*key).and_then(Value::as_array_mut),
                value.as_array(),
            ) {
                (Some(list), Some(more)) if key.ends_with("flags") => {
                    list.extend(more.iter().cloned())
                }
                _ => out[*key] = value.clone(),
            }
        }
        out
    }
}

/// A world that is being built.
struct World<'a> {
    game: &'a str,
    models: Vec<Value>,
    nodes: Vec<Value>,
    children: Vec<usize>,
}

impl World<'_> {
    fn model(&mut self, shape: &Shape) -> (usize, [f32; 6]) {
        self.models.push(shape.document(self.game));
        (self.models.len() - 1, shape.bounds())
    }

    /// Adds a node with this data; returns its position.
    fn node(
        &mut self,
        name: &str,
        below: Option<usize>,
        model: Option<(usize, [f32; 6])>,
        data: Value,
    ) -> usize {
        let at = games::FIRST + self.nodes.len();
        let mut node = json!({ "name": name, "data": data, "flags": ["ACTIVE", "SINGLE_PARENT"] });
        if let Some((model, bounds)) = model {
            node["model"] = json!(format!("{model}"));
            node["flags"] = json!([
                "ACTIVE",
                "INTERSECT_SURFACE",
                "NODE_BBOX",
                "MODEL_BBOX",
                "SINGLE_PARENT"
            ]);
            (node["node_bbox"], node["model_bbox"]) = (json!(bounds), json!(bounds));
            if matches!(self.game, "pm" | "cs") {
                node["active_bbox"] = json!("MODEL");
            }
        }
        self.nodes.push(node);
        match below {
            None => self.children.push(at),
            Some(parent) => {
                let parent = &mut self.nodes[parent - games::FIRST];
                if parent["children"].is_null() {
                    parent["children"] = json!([]);
                }
                parent["children"]
                    .as_array_mut()
                    .expect("a list")
                    .push(at.into());
            }
        }
        at
    }

    fn object(
        &mut self,
        name: &str,
        below: Option<usize>,
        shape: Option<&Shape>,
        at: Point,
        turn: f32,
    ) -> usize {
        let model = shape.map(|shape| self.model(shape));
        self.node(name, below, model, placed(at, turn))
    }
}

fn placed(at: Point, turn: f32) -> Value {
    if at == [0.0; 3] && turn == 0.0 {
        return json!({ "object3d": { "flags": ["INITIAL", "ALWAYS"] } });
    }
    json!({ "object3d": { "flags": ["ALWAYS"], "translation": at, "rotation": [0.0, turn, 0.0] } })
}

/// The height of the ground: flat around the house, hills towards the edges.
fn height(x: f32, z: f32, size: f32) -> f32 {
    let (u, v) = (x / size, z / size);
    let far = ((u - 0.5).hypot(v - 0.5) * 2.4 - 0.45).clamp(0.0, 1.0);
    far * far * (10.0 + 7.0 * (u * 17.0).sin() + 6.0 * (v * 13.0 + 1.0).cos())
}

/// One patch of ground, of `n` by `n` squares.
fn ground(game: &str, size: f32, [column, row]: [usize; 2]) -> Shape {
    const N: usize = 8;
    let side = size / 4.0 / N as f32;
    let mut shape = Shape::default();
    for i in 0..N * N {
        let x = (column * N + i % N) as f32 * side;
        let z = (row * N + i / N) as f32 * side;
        let at = |x: f32, z: f32| [x, height(x, z, size), z];
        let corners = [
            at(x, z + side),
            at(x + side, z + side),
            at(x + side, z),
            at(x, z),
        ];
        let shade = 150.0 + (corners[0][1] - corners[2][1]) * 40.0 + corners[0][1] * 3.0;
        let shade = shade.clamp(90.0, 255.0);
        let uvs = [[0.0, 2.0], [2.0, 2.0], [2.0, 0.0], [0.0, 0.0]];
        shape.face(game, GRASS, &corners, &uvs, shade);
    }
    shape
}

fn house(world: &mut World<'_>, at: Point, door: Door) {
    let game = world.game;
    let mut walls = Shape::default();
    let parts = [
        ([-6.0, 0.0, -4.0], [6.0, 4.0, -3.6]),
        ([-6.0, 0.0, -3.6], [-5.6, 4.0, 4.0]),
        ([5.6, 0.0, -3.6], [6.0, 4.0, 4.0]),
        ([-5.6, 0.0, 3.6], [-1.0, 4.0, 4.0]),
        ([1.0, 0.0, 3.6], [5.6, 4.0, 4.0]),
        ([-1.0, 3.0, 3.6], [1.0, 4.0, 4.0]),
    ];
    parts
        .iter()
        .for_each(|(low, high)| walls.block(game, BRICK, [*low, *high], 0.5));
    let house = world.object("house", None, None, at, 0.35);
    world.object("wall", Some(house), Some(&walls), [0.0; 3], 0.0);
    let mut roof = Shape::default();
    for (sign, shade) in [(1.0f32, 255.0), (-1.0, 180.0)] {
        let edge = [
            [-6.6 * sign, 3.8, 4.8 * sign],
            [6.6 * sign, 3.8, 4.8 * sign],
        ];
        let ridge = [[6.6 * sign, 7.0, 0.0], [-6.6 * sign, 7.0, 0.0]];
        let uvs = [[0.0, 2.0], [6.0, 2.0], [6.0, 0.0], [0.0, 0.0]];
        let face = roof.face(
            game,
            TILES,
            &[edge[0], edge[1], ridge[0], ridge[1]],
            &uvs,
            shade,
        );
        face["flags"] = json!(["SHOW_BACKFACE"]);
        let gable = [
            [6.0 * sign, 4.0, -4.0 * sign],
            [6.0 * sign, 6.9, 0.0],
            [6.0 * sign, 4.0, 4.0 * sign],
        ];
        let uvs = [[0.0, 2.0], [2.0, 0.0], [4.0, 2.0]];
        roof.face(game, BRICK, &gable, &uvs, 190.0)["flags"] = json!(["SHOW_BACKFACE"]);
    }
    world.object("roof", Some(house), Some(&roof), [0.0; 3], 0.0);
    let mut frame = Shape::default();
    for (low, high) in [
        ([-1.15, 0.0, 3.5], [-0.95, 3.1, 4.1]),
        ([0.95, 0.0, 3.5], [1.15, 3.1, 4.1]),
        ([-0.95, 2.95, 3.5], [0.95, 3.1, 4.1]),
    ] {
        frame.block(game, BARK, [low, high], 1.0);
    }
    let frame = world.object("frame", Some(house), Some(&frame), [0.0; 3], 0.0);
    let mut leaf = Shape::default();
    leaf.block(
        game,
        if door == Door::New { SIGN } else { BARK },
        [[0.0, 0.0, -0.08], [1.9, 2.95, 0.08]],
        0.5,
    );
    let turn = if door == Door::New { 0.9 } else { 0.0 };
    world.object("door01", Some(frame), Some(&leaf), [-0.95, 0.0, 3.85], turn);
}

/// The document of a model in the plane of another: the sign on the wall, in front because of its
/// priority.
fn sign(game: &str) -> Shape {
    let mut shape = Shape::default();
    let board = [
        [-1.5, 1.0, 0.0],
        [1.5, 1.0, 0.0],
        [1.5, 3.0, 0.0],
        [-1.5, 3.0, 0.0],
    ];
    let small = [
        [-1.0, 1.4, 0.0],
        [1.0, 1.4, 0.0],
        [1.0, 2.6, 0.0],
        [-1.0, 2.6, 0.0],
    ];
    let uvs = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
    shape.face(game, BARK, &board, &uvs, 255.0)["flags"] = json!(["SHOW_BACKFACE"]);
    shape.face(game, SIGN, &small, &uvs, 255.0)["priority"] = json!(5);
    shape
}

fn lamp(world: &mut World<'_>, at: Point, n: usize) {
    let game = world.game;
    let mut pole = Shape::default();
    pole.block(game, BARK, [[-0.12, 0.0, -0.12], [0.12, 4.5, 0.12]], 1.0);
    let lamp = world.object(&format!("lamp{n:02}"), None, Some(&pole), at, 0.0);
    let mut light = Shape::default();
    let corners = [
        [-1.4, -1.4, 0.0],
        [1.4, -1.4, 0.0],
        [1.4, 1.4, 0.0],
        [-1.4, 1.4, 0.0],
    ];
    light.face(
        game,
        GLOW,
        &corners,
        &[[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
        255.0,
    );
    light.more.push(("model_type", json!("FACADE")));
    match game {
        "rc" => light
            .more
            .push(("recoil_flags", json!(["FACADE_SPHERICAL"]))),
        _ => light.more.push(("facade_mode", json!("SPHERICAL_Y"))),
    }
    world.object(
        &format!("glow{n:02}"),
        Some(lamp),
        Some(&light),
        [0.0, 4.6, 0.0],
        0.0,
    );
}

/// A tower with two levels of detail.
fn tower(world: &mut World<'_>, at: Point) {
    let game = world.game;
    let tower = world.object("tower", None, None, at, 0.2);
    let (mut near, mut far) = (Shape::default(), Shape::default());
    near.block(game, BRICK, [[-2.0, 0.0, -2.0], [2.0, 10.0, 2.0]], 0.5);
    for i in 0..4 {
        let (x, z) = ([-2.2, 1.4][i % 2], [-2.2, 1.4][i / 2]);
        near.block(game, BRICK, [[x, 10.0, z], [x + 0.8, 11.2, z + 0.8]], 0.5);
    }
    far.block(game, TILES, [[-2.0, 0.0, -2.0], [2.0, 11.0, 2.0]], 0.25);
    for (level, shape, near, end) in [(0, &near, 0.0f32, 120.0f32), (1, &far, 120.0, 2000.0)] {
        let lod =
            json!({ "lod": { "level": level, "range_near_sq": near * near, "range_far": end } });
        let lod = world.node(&format!("tower_lod{level}"), Some(tower), None, lod);
        world.object(
            &format!("tower{level}"),
            Some(lod),
            Some(shape),
            [0.0; 3],
            0.0,
        );
    }
}

fn flat(game: &str, material: usize, size: f32, repeat: f32) -> Shape {
    let mut shape = Shape::default();
    let corners = [
        [-size, 0.0, size],
        [size, 0.0, size],
        [size, 0.0, -size],
        [-size, 0.0, -size],
    ];
    let uvs = [[0.0, repeat], [repeat, repeat], [repeat, 0.0], [0.0, 0.0]];
    shape.face(game, material, &corners, &uvs, 255.0);
    shape
}

fn plants(world: &mut World<'_>, centre: f32) {
    let game = world.game;
    let mut tree = Shape::default();
    let corners = [
        [-3.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [3.0, 6.0, 0.0],
        [-3.0, 6.0, 0.0],
    ];
    tree.face(
        game,
        CROWN,
        &corners,
        &[[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
        255.0,
    );
    tree.more.push(("model_type", json!("FACADE")));
    let model = world.model(&tree);
    for i in 0..24 {
        let angle = i as f32 * 2.4;
        let far = 22.0 + i as f32 * 2.2;
        let (x, z) = (centre + angle.cos() * far, centre + angle.sin() * far);
        let y = height(x, z, 256.0);
        world.node(
            &format!("tree{i:02}"),
            None,
            Some(model),
            placed([x, y, z], 0.0),
        );
    }
    let mut fence = Shape::default();
    let corners = [
        [-4.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [4.0, 2.0, 0.0],
        [-4.0, 2.0, 0.0],
    ];
    let uvs = [[0.0, 1.0], [4.0, 1.0], [4.0, 0.0], [0.0, 0.0]];
    fence.face(game, FENCE, &corners, &uvs, 255.0)["flags"] = json!(["SHOW_BACKFACE"]);
    let model = world.model(&fence);
    for (i, (x, z, turn)) in [(-14.0, 4.0, 1.57f32), (-10.0, 10.0, 0.0), (10.0, 10.0, 0.0)]
        .into_iter()
        .enumerate()
    {
        world.node(
            &format!("fence{i}"),
            None,
            Some(model),
            placed([centre + x, 0.0, centre + z], turn),
        );
    }
}

fn sun(game: &str) -> Value {
    let mut light = json!({ "orientation": [-0.9, 0.6, 0.0], "diffuse": 0.8, "ambient": 0.4, "color": [1.0, 0.96, 0.86],
        "range_near": 32.0, "range_far": 5000.0, "worlds": ["0 world1"] });
    let flags = [
        "recalc",
        "field004",
        "directed_source",
        "point_source",
        "saturated",
        "field200",
    ];
    match game {
        "rc" => {
            flags.iter().for_each(|flag| light[*flag] = json!(0));
            light["directional"] = json!(1);
        }
        _ => light["flags"] = json!(["DIRECTIONAL", "ENABLED"]),
    }
    if matches!(game, "pm" | "cs") {
        for key in [
            "ambient_color",
            "diffuse_mixed",
            "ambient_mixed",
            "combined",
        ] {
            light[key] = json!([1.0, 1.0, 1.0]);
        }
    }
    json!({ "light": light })
}

/// Which door the house has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Planks, closed.
    Old,
    /// Stripes, ajar: the state after a mod.
    New,
}

/// The world of the first mission.
pub fn world(game: &str, door: Door) -> Vec<u8> {
    let size = if game == "cs" { 1024.0 } else { 256.0 };
    let centre = size / 2.0;
    let mut world = World {
        game,
        models: Vec::new(),
        nodes: Vec::new(),
        children: Vec::new(),
    };
    house(&mut world, [centre, 0.0, centre], door);
    for i in 0..16 {
        let patch = ground(game, size, [i % 4, i / 4]);
        world.object(&format!("ground{i:02}"), None, Some(&patch), [0.0; 3], 0.0);
    }
    world.object(
        "sign",
        None,
        Some(&sign(game)),
        [centre + 9.0, 0.0, centre + 7.0],
        -0.4,
    );
    lamp(&mut world, [centre - 4.0, 0.0, centre + 8.0], 0);
    lamp(&mut world, [centre + 5.0, 0.0, centre + 8.0], 1);
    tower(&mut world, [centre - 16.0, 0.0, centre - 8.0]);
    let mut pond = flat(game, POND, 7.0, 2.0);
    pond.more.push(("texture_scroll", json!([0.02, 0.05])));
    pond.more.push((
        if game == "rc" {
            "recoil_flags"
        } else {
            "flags"
        },
        json!(["TEXTURE_SCROLL"]),
    ));
    world.object(
        "pond",
        None,
        Some(&pond),
        [centre + 17.0, 0.15, centre - 3.0],
        0.0,
    );
    world.object(
        "basin",
        None,
        Some(&flat(game, WAVE, 8.0, 4.0)),
        [centre - 22.0, 0.1, centre + 20.0],
        0.0,
    );
    plants(&mut world, centre);
    world.object(super::MARKUP, None, None, [centre, 0.0, centre], 0.0);
    world.node("sun", None, None, sun(game));
    let all: Vec<&str> = TEXTURES.iter().chain(&FRAMES).copied().collect();
    let mut materials: Vec<Value> = all
        .iter()
        .enumerate()
        .map(|(i, name)| json!({ "texture": format!("{i} {name}"), "soil": "GRASS" }))
        .collect();
    materials.truncate(TEXTURES.len());
    let frames: Vec<String> = [0, 10, 11, 12]
        .iter()
        .map(|i| format!("{i} {}", all[*i]))
        .collect();
    materials[WAVE]["cycle"] = json!({ "looping": 1, "speed": 6.0, "frames": frames });
    let soil = |i: usize| ["WATER", "DIRT", "GRASS", "CONCRETE"][i.min(3)];
    for (i, material) in materials.iter_mut().enumerate() {
        material.as_object_mut().expect("an object").remove("soil");
        let key = if game == "cs" { "crimson_soil" } else { "soil" };
        material[key] = json!(if game == "cs" {
            ["WATER", "FIRE", "DZONE", "BUILDINGS"][i.min(3)]
        } else {
            soil(i)
        });
    }
    games::world_with(
        game,
        &world.models,
        &world.nodes,
        &world.children,
        &all,
        &materials,
    )
}

/// A world of many objects, of `shapes` shapes and `textures` textures that
/// [`super::pictures::many`] has.
pub fn many(objects: usize, shapes: usize, textures: usize) -> Vec<u8> {
    let game = "mw";
    let mut world = World {
        game,
        models: Vec::new(),
        nodes: Vec::new(),
        children: Vec::new(),
    };
    let models: Vec<_> = (0..shapes)
        .map(|i| {
            let mut shape = Shape::default();
            let size = 0.8 + (i % 7) as f32 * 0.3;
            shape.block(
                game,
                i % textures,
                [[-size, 0.0, -size], [size, size * 2.0, size]],
                0.5,
            );
            world.model(&shape)
        })
        .collect();
    let side = (objects as f32).sqrt().ceil() as usize;
    for i in 0..objects {
        let at = [
            (i % side) as f32 * 4.0,
            ((i * 7) % 13) as f32 * 0.2,
            (i / side) as f32 * 4.0,
        ];
        let below = (i % 50 != 0).then(|| games::FIRST + i - i % 50);
        let model = models[i % models.len()];
        let at = match below {
            None => at,
            // Relative to the first of its group.
            Some(_) => {
                let first = i - i % 50;
                [
                    at[0] - (first % side) as f32 * 4.0,
                    0.0,
                    at[2] - (first / side) as f32 * 4.0,
                ]
            }
        };
        world.node(&format!("many{i}"), below, Some(model), placed(at, 0.0));
    }
    let names: Vec<String> = (0..textures).map(|i| format!("many{i:04}.tif")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let materials: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(i, name)| json!({ "texture": format!("{i} {name}") }))
        .collect();
    games::world_with(
        game,
        &world.models,
        &world.nodes,
        &world.children,
        &names,
        &materials,
    )
}

/// A 'mech that can walk.
pub fn mech(game: &str) -> Value {
    let mut nodes: Vec<Value> = Vec::new();
    let mut part = |depth: usize, name: &str, at: Point, boxed: Option<[Point; 2]>| {
        let mut node =
            json!({ "depth": depth, "name": name, "flags": ["ACTIVE"], "data": placed(at, 0.0) });
        if let Some(boxed) = boxed {
            let mut shape = Shape::default();
            shape.block(game, 0, boxed, 0.4);
            node["mesh"] = shape.document(game);
            node["model"] = json!("0x00000001");
        }
        nodes.push(node);
    };
    part(0, "wolf", [0.0; 3], None);
    part(
        1,
        "hip",
        [0.0, 4.4, 0.0],
        Some([[-1.1, -0.5, -0.8], [1.1, 0.5, 0.8]]),
    );
    part(
        2,
        "torso",
        [0.0, 0.6, 0.0],
        Some([[-1.7, 0.0, -1.3], [1.7, 2.6, 1.5]]),
    );
    part(
        3,
        "head",
        [0.0, 2.2, 1.4],
        Some([[-0.6, 0.0, 0.0], [0.6, 0.9, 1.0]]),
    );
    part(
        3,
        "larm",
        [-2.1, 1.6, 0.0],
        Some([[-0.5, -0.5, -0.5], [0.4, 0.5, 3.2]]),
    );
    part(
        3,
        "rarm",
        [2.1, 1.6, 0.0],
        Some([[-0.4, -0.5, -0.5], [0.5, 0.5, 3.2]]),
    );
    for (side, x) in [("l", -1.1), ("r", 1.1)] {
        part(
            2,
            &format!("{side}thigh"),
            [x, -0.3, 0.0],
            Some([[-0.45, -2.1, -0.6], [0.45, 0.3, 0.6]]),
        );
        part(
            3,
            &format!("{side}shin"),
            [0.0, -2.0, 0.0],
            Some([[-0.4, -1.9, -0.5], [0.4, 0.1, 0.5]]),
        );
        part(
            4,
            &format!("{side}foot"),
            [0.0, -1.8, 0.0],
            Some([[-0.6, -0.4, -0.7], [0.6, 0.1, 1.3]]),
        );
    }
    json!({ "nodes": nodes })
}
