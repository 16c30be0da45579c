//! An empty world, with the framework that the games ship around every world.

use super::{Gamez, tree};
use refit_base::{
    format::Format,
    game::Game,
    tree::{Folder, Head, Origin, Sink, TreeReader},
    wire::{Error, Result},
};
use serde_json::{Value, json};

/// The edges of a world: lowest and highest x, lowest and highest z.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// Lowest x.
    pub left: i32,
    /// Lowest z.
    pub top: i32,
    /// Highest x.
    pub right: i32,
    /// Highest z.
    pub bottom: i32,
}

/// The side of a cell.
pub fn cell_side(game: Game) -> i32 {
    if game == Game::Cs { 1024 } else { 256 }
}

/// Most cells of a new world: the largest known one has 204.
const MOST_CELLS: i64 = 1 << 16;

/// The flags of the nodes that every world has.
const FLAGS: [&str; 5] = [
    "ACTIVE",
    "ALTITUDE_SURFACE",
    "INTERSECT_SURFACE",
    "SINGLE_PARENT",
    "ZONE_GATE",
];

impl Area {
    /// The area, moved outwards to whole cells: all known worlds consist of whole cells.
    pub fn of_whole_cells(self, game: Game) -> Self {
        let side = cell_side(game);
        let down = |n: i32| n.div_euclid(side).saturating_mul(side);
        let up = |n: i32| down(n.saturating_add(side - 1));
        Area {
            left: down(self.left),
            top: down(self.top),
            right: up(self.right),
            bottom: up(self.bottom),
        }
    }

    fn cells(self, game: Game) -> Result<usize> {
        let side = i64::from(cell_side(game));
        let along = |from: i32, to: i32| (i64::from(to) - i64::from(from)).max(0) / side;
        match along(self.left, self.right).saturating_mul(along(self.top, self.bottom)) {
            0 => Err(Error::say("the area has no cell")
                .hint("name two corners: lowest x and z, highest x and z")),
            n if n > MOST_CELLS => Err(Error::say(format!(
                "{n} cells; refit makes worlds of at most {MOST_CELLS}"
            ))),
            n => Ok(n as usize),
        }
    }
}

impl Gamez {
    /// An empty world: the world node with its cells, window, camera, display and light, and room
    /// for more. In Recoil the arrays have the sizes of all its worlds; the other games read any
    /// size.
    ///
    /// It names no texture: no package would have a picture of that name. Like the engine, refit
    /// lists an object as a child of the world only if it fits no cell, so there may be no child.
    /// mech3ax reads no world without a texture or without a child of the world; nothing suggests
    /// that a game minds.
    ///
    /// Returns an error if the area has no cell or too many.
    pub fn empty(game: Game, area: Area) -> Result<Gamez> {
        let area = area.of_whole_cells(game);
        let nodes = nodes(game, area, area.cells(game)?);
        let folder = Folder::new();
        let put = |path: &str, document: &Value| folder.put(path, document.to_string().as_bytes());
        let head = Head::new(Some(game), Format::Gamez, Origin::default());
        let (materials, models, slots) = match game {
            Game::Rc | Game::RcDemo => (5000, 6000, Some(16_000)),
            // As in the known worlds of the later games.
            Game::Mw => (1000, 1000, Some(nodes.len() + 4096)),
            Game::Pm | Game::Cs => (1000, 1000, None),
        };
        let mut manifest = json!({
            "refit": head.refit, "tree": head.tree, "game": game.code(), "format": "gamez",
            "source": { "file": "gamez.zbd" },
            "models": { "slots": models },
            "nodes": {},
        });
        if let (Some(slots), Some(array)) = (slots, manifest.pointer_mut("/nodes")) {
            *array = json!({ "slots": slots });
        }
        put("refit.json", &manifest)?;
        put("textures.json", &json!({ "textures": [] }))?;
        put(
            "materials.json",
            &json!({ "slots": materials, "materials": [] }),
        )?;
        put(
            &format!("nodes/00000-{:05}.json", nodes.len() - 1),
            &json!({ "nodes": nodes }),
        )?;
        tree::assemble(&TreeReader::new(&folder)?)
    }
}

/// The nodes, in the order of known worlds.
fn nodes(game: Game, area: Area, cells: usize) -> Vec<Value> {
    let node = |name: &str, data: Value| json!({ "name": name, "flags": FLAGS, "data": data });
    let window = |name: &str, side: [i32; 2]| {
        node(
            name,
            json!({ "window": { "origin": [0, 0], "resolution": side } }),
        )
    };
    let camera = |name: &str, window: usize| {
        let (lod, angles) = if game == Game::Cs {
            (0.0, [0.0, 0.0])
        } else {
            (1.0, [1.2566371, std::f32::consts::FRAC_PI_4])
        };
        let camera = json!({
            "world": 0, "window": window, "clip_near": 1.0, "clip_far": 5000.0, "lod_multiplier": lod,
            "fov_h_scale": 1.0, "fov_v_scale": 1.0, "fov_h_base": angles[0], "fov_v_base": angles[1],
        });
        node(name, json!({ "camera": camera }))
    };
    let screen =
        json!({ "origin": [0, 0], "resolution": [640, 480], "clear_color": [0.392, 0.392, 1.0] });
    let display = node("display", json!({ "display": screen }));
    let rest = match game {
        Game::Cs => vec![
            display,
            window("window1", [640, 480]),
            camera("camera1", 2),
            window("sgwin", [96, 96]),
            camera("spyglass", 4),
        ],
        _ => vec![window("window1", [640, 480]), camera("camera1", 1), display],
    };
    let light = rest.len() + 1;
    let mut world = json!({
        "fog_type": "LINEAR",
        "left": f64::from(area.left), "bottom": f64::from(area.bottom),
        "right": f64::from(area.right), "top": f64::from(area.top),
        "lights": [light], "cells": vec![json!({}); cells],
    });
    if game.itself() == Game::Rc {
        // Only Recoil's worlds define the range of their fog: this one is beyond the camera's far
        // plane.
        extend(
            &mut world,
            json!({ "fog_range": [4000.0, 5000.0], "fog_altitude": [400.0, -50.0] }),
        );
    }
    let mut all = vec![node("world1", json!({ "world": world }))];
    all.extend(rest);
    let mut sun = node("sunlight", json!({ "light": sunlight(game) }));
    if let Some(object) = sun.as_object_mut() {
        // In Crimson Skies the flag is not set.
        let own = FLAGS
            .iter()
            .copied()
            .filter(|flag| game != Game::Cs || *flag != "ACTIVE");
        let flags: Vec<&str> = own.chain(["NODE_BBOX"]).collect();
        object.insert("flags".into(), json!(flags));
        object.insert("node_bbox".into(), json!([1.0, 1.0, -2.0, 2.0, 2.0, -1.0]));
    }
    all.push(sun);
    all
}

/// Adds fields to an object.
fn extend(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}

/// A light from above that shines everywhere, with the flags of all known suns of the game: mech3ax
/// 0.6 accepts no others.
fn sunlight(game: Game) -> Value {
    let mut light = json!({
        "orientation": [-0.5, 0.7, 0.0], "diffuse": 0.7, "ambient": 0.3, "color": [1.0, 1.0, 1.0],
        "range_near": 32.0, "range_far": 5000.0, "worlds": [0],
    });
    let more = match game {
        Game::Rc | Game::RcDemo => json!({
            "recalc": 1, "field004": 1, "directional": 0, "directed_source": 1, "point_source": 0, "saturated": 1,
            "field200": 1,
        }),
        Game::Mw => {
            json!({ "flags": ["RECALC", "UNK1", "DIRECTED_SOURCE", "BIT7", "BIT8", "BIT9"] })
        }
        Game::Pm => json!({
            "orientation": [-std::f32::consts::FRAC_PI_6, 0.7, 0.0],
            "flags": ["RECALC", "UNK1", "DIRECTED_SOURCE", "BIT7", "BIT8", "ENABLED"],
            "ambient_color": [1.0, 1.0, 1.0], "diffuse_mixed": [0.7, 0.7, 0.7], "ambient_mixed": [0.3, 0.3, 0.3],
            "combined": [1.0, 1.0, 1.0],
        }),
        // The same in all its worlds: without a direction.
        Game::Cs => json!({
            "orientation": [0.0, 0.0, 0.0], "diffuse": 0.0, "ambient": 1.0,
            "flags": ["RECALC", "POINT_SOURCE", "SATURATED", "BIT7", "ENABLED"],
            "ambient_color": [1.0, 1.0, 1.0], "diffuse_mixed": [0.0, 0.0, 0.0], "ambient_mixed": [1.0, 1.0, 1.0],
            "combined": [1.0, 1.0, 1.0],
        }),
    };
    extend(&mut light, more);
    light
}
