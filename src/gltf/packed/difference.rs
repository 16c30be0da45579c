//! The difference of two scenes of one file, for a page that shows the first: `RVD1` of
//! `src/view/PROTOCOL.md`.
//!
//! An edit of objects changes a few rows of twenty thousand, and no vertex. If more differs, there
//! is no difference, and the page takes the whole scene.

use super::Scene;
use refit_base::{
    Sum, Summing,
    game::Game,
    wire::{Result, fit},
};
use refit_files::file::File;
use refit_zipper::gamez::{Gamez, materials::Material};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Of this share of the rows, the difference would be as large as the scene.
const MOST: usize = 4;

/// A scene that is kept.
pub struct Kept {
    scene: Scene,
    /// What its shapes were made of.
    of: Option<Made>,
}

/// What the shapes of a world are made of.
#[derive(PartialEq)]
struct Made {
    game: Game,
    /// The checksum of the models.
    models: Sum,
    materials: Vec<Option<Material>>,
    textures: Vec<String>,
}

impl Made {
    fn of(world: &Gamez) -> Self {
        let mut sum = Summing::default();
        for model in &world.models {
            let parts = model.as_ref().map(|model| [&model.head, &model.data]);
            sum.update(&[u8::from(parts.is_some())]);
            for part in parts.into_iter().flatten() {
                sum.update(&part.len().to_le_bytes());
                sum.update(part);
            }
        }
        let textures = world.textures.iter();
        Made {
            game: world.game,
            models: sum.end(),
            materials: world.materials.materials.clone(),
            textures: textures.map(|texture| texture.name.text()).collect(),
        }
    }
}

/// The rows of a scene that come from another one.
struct Origin {
    /// The row before, for each row now.
    from: Vec<Option<usize>>,
    /// The row now, for each row before.
    to: Vec<Option<usize>>,
}

/// Keys of a shape that follow the names of nodes.
const NAMES: [&str; 2] = ["name", "document"];

fn bits(values: &[f32]) -> impl Iterator<Item = u32> + '_ {
    values.iter().map(|value| value.to_bits())
}

fn is_same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && bits(a).eq(bits(b))
}

/// The items of one row in a column with so many for each.
fn row<T>(column: &[T], row: usize, each: usize) -> &[T] {
    let start = row.saturating_mul(each);
    column
        .get(start..start.saturating_add(each))
        .unwrap_or_default()
}

impl Kept {
    /// The scene of a file. `before` is the scene of a former state of it: an edit of objects leaves
    /// its shapes as they are.
    ///
    /// # Errors
    /// The file has no scene, or a shape of it cannot be read.
    pub fn of(file: &File, before: Option<&Kept>) -> Result<Self> {
        let of = match file {
            File::World(world) => Some(Made::of(world)),
            _ => None,
        };
        let mut scene = match (file, before) {
            (File::World(world), Some(before)) if before.of == of => {
                before.scene.with_nodes_of(world)
            }
            _ => Scene::of(file, None)?,
        };
        // What only building needs.
        (scene.paints, scene.looks) = Default::default();
        (scene.starts, scene.cells) = Default::default();
        Ok(Kept { scene, of })
    }

    /// The bytes of memory that it takes, about.
    pub fn size(&self) -> usize {
        let scene = &self.scene;
        let rows = scene.names.len() * 64
            + 4 * (scene.node.len() + scene.matrix.len() + scene.pose.len() + scene.cell.len());
        rows + scene.position.len() * 4 * 3 + scene.index.len() * 4 + scene.shapes.len() * 1024
    }

    /// True for a scene that looks the same and has the same names.
    pub fn is_same(&self, other: &Kept) -> bool {
        let (a, b) = (&self.scene, &other.scene);
        self.has_same_picture(other)
            && (&a.node, &a.names, &a.cell) == (&b.node, &b.names, &b.cell)
            && is_same(&a.matrix, &b.matrix)
            && is_same(&a.pose, &b.pose)
            && is_same(&a.range, &b.range)
            && (&a.shapes, &a.groups, &a.world) == (&b.shapes, &b.groups, &b.world)
            && (&a.lights, &a.notes) == (&b.lights, &b.notes)
    }

    /// True if nothing differs but rows, and what follows them.
    fn has_same_picture(&self, other: &Kept) -> bool {
        let (a, b) = (&self.scene, &other.scene);
        (a.game, &a.kinds) == (b.game, &b.kinds)
            && (&a.index, &a.normal, &a.color) == (&b.index, &b.normal, &b.color)
            && is_same(&a.position, &b.position)
            && is_same(&a.uv, &b.uv)
            && a.materials == b.materials
            && a.shapes.len() == b.shapes.len()
            && a.shapes
                .iter()
                .zip(&b.shapes)
                .all(|(a, b)| a == b || without_names(a) == without_names(b))
    }

    /// The scene as bytes, which the page knows by this version.
    ///
    /// # Errors
    /// The header is larger than 4 GB.
    pub fn whole(&self, name: &str, version: u64) -> Result<Vec<u8>> {
        self.scene.written(name, Some(version))
    }

    /// What makes this scene of the one before; `None` if it is not only a few rows.
    ///
    /// # Errors
    /// The header is larger than 4 GB.
    pub fn since(&self, before: &Kept, (from, to): (u64, u64)) -> Result<Option<Vec<u8>>> {
        if !self.has_same_picture(before) {
            return Ok(None);
        }
        let (now, was) = (&self.scene, &before.scene);
        let origin = Origin::of(now, was);
        let rows: Vec<usize> = (0..now.names.len())
            .filter(|at| !origin.is_same(*at, now, was))
            .collect();
        if rows.len() > now.names.len() / MOST + 64 {
            return Ok(None);
        }
        let names: Vec<&String> = rows.iter().filter_map(|at| now.names.get(*at)).collect();
        let shapes = now.shapes.iter().zip(&was.shapes).enumerate();
        let shapes: Vec<Value> = shapes
            .filter(|(_, (now, was))| now != was)
            .map(|(n, (now, _))| json!([n, now["name"], now["document"]]))
            .collect();
        let mut header = json!({
            "from": from, "version": to, "runs": origin.runs(), "rows": rows, "names": names, "shapes": shapes,
        });
        for (key, now, was) in [
            ("groups", json!(now.groups), json!(was.groups)),
            ("world", json!(now.world), json!(was.world)),
            ("lights", json!(now.lights), json!(was.lights)),
            ("notes", json!(now.notes), json!(was.notes)),
        ] {
            if now != was {
                header[key] = now;
            }
        }
        let mut data = Vec::new();
        for at in rows {
            data.extend(row(&now.node, at, 8).iter().flat_map(|v| v.to_le_bytes()));
            for (column, each) in [(&now.range, 2), (&now.matrix, 12), (&now.pose, 6)] {
                let values = row(column, at, each);
                data.extend(values.iter().flat_map(|v| v.to_le_bytes()));
            }
            data.extend(row(&now.cell, at, 1).iter().flat_map(|v| v.to_le_bytes()));
        }
        let mut header = header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let length = fit::<u32>(header.len(), "bytes of the difference's header")?;
        Ok(Some(
            [b"RVD1".as_slice(), &length.to_le_bytes(), &header, &data].concat(),
        ))
    }
}

/// A shape without what follows the names of nodes.
fn without_names(shape: &Value) -> Value {
    let mut shape = shape.clone();
    if let Some(object) = shape.as_object_mut() {
        NAMES.iter().for_each(|key| _ = object.remove(*key));
    }
    shape
}

impl Origin {
    /// Rows of the same node of the file are the same; of a node with several rows, in their order.
    fn of(now: &Scene, was: &Scene) -> Self {
        let keys = |scene: &Scene| {
            let mut seen: HashMap<i32, u32> = HashMap::new();
            let indices = scene.node.chunks_exact(8).map(|row| row.get(3).copied());
            indices
                .map(|index| {
                    let index = index.unwrap_or(-1);
                    let turn = seen.entry(index).or_default();
                    *turn = turn.saturating_add(1);
                    (index, *turn)
                })
                .collect::<Vec<_>>()
        };
        let (keys_now, keys_was) = (keys(now), keys(was));
        if keys_now == keys_was {
            let all: Vec<_> = (0..keys_now.len()).map(Some).collect();
            return Origin {
                from: all.clone(),
                to: all,
            };
        }
        let mut to = vec![None; keys_was.len()];
        let places: HashMap<(i32, u32), usize> = keys_was
            .into_iter()
            .enumerate()
            .map(|(n, key)| (key, n))
            .collect();
        let from: Vec<Option<usize>> = keys_now
            .iter()
            .map(|key| places.get(key).copied())
            .collect();
        for (at, before) in from.iter().enumerate() {
            if let Some(slot) = before.and_then(|before| to.get_mut(before)) {
                *slot = Some(at);
            }
        }
        Origin { from, to }
    }

    /// True for a row that is as it was, below the same parent.
    fn is_same(&self, at: usize, now: &Scene, was: &Scene) -> bool {
        let Some(before) = self.from.get(at).copied().flatten() else {
            return false;
        };
        let ([parent, rest @ ..], [parent_before, rest_before @ ..]) =
            (row(&now.node, at, 8), row(&was.node, before, 8))
        else {
            return false;
        };
        let moved = usize::try_from(*parent_before)
            .ok()
            .and_then(|before| self.to.get(before).copied().flatten());
        let same =
            |now: &[f32], was: &[f32], each| is_same(row(now, at, each), row(was, before, each));
        rest == rest_before
            && usize::try_from(*parent).ok() == moved
            && (moved.is_some() || parent == parent_before)
            && now.names.get(at) == was.names.get(before)
            && now.cell.get(at) == was.cell.get(before)
            && same(&now.matrix, &was.matrix, 12)
            && same(&now.pose, &was.pose, 6)
            && same(&now.range, &was.range, 2)
    }

    /// The rows before in the order of the rows now: the first one and their number; −1 for rows that
    /// are new.
    fn runs(&self) -> Vec<(i64, usize)> {
        let mut runs: Vec<(i64, usize)> = Vec::new();
        for from in &self.from {
            let from = from.and_then(|from| i64::try_from(from).ok());
            match (runs.last_mut(), from) {
                (Some((first, count)), Some(from))
                    if *first >= 0
                        && i64::try_from(*count).is_ok_and(|count| *first + count == from) =>
                {
                    *count += 1;
                }
                (Some((-1, count)), None) => *count += 1,
                _ => runs.push((from.unwrap_or(-1), 1)),
            }
        }
        runs
    }
}
