//! The content of a file: its nodes with their positions, and the triangles of its meshes.

use super::file::{GltfFile, Node, Primitive};
use refit_base::wire::{Error, Result};
use std::collections::HashMap;

/// Rows of a matrix for products with a column; the last row is 0, 0, 0, 1.
pub type Matrix = [[f64; 4]; 3];

pub const IDENTITY: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
];

pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |row: &[f64; 4], c: usize| {
        let own = if c == 3 { row[3] } else { 0.0 };
        row.iter()
            .zip(b)
            .map(|(v, b)| v * b.get(c).copied().unwrap_or_default())
            .sum::<f64>()
            + own
    };
    a.map(|row| std::array::from_fn(|c| entry(&row, c)))
}

/// The transformation of a node relative to its parent.
pub fn local(node: &Node) -> Matrix {
    if let Some(m) = &node.matrix {
        let at = |row: usize, column: usize| m.get(column * 4 + row).copied().unwrap_or_default();
        return std::array::from_fn(|row| std::array::from_fn(|column| at(row, column)));
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let k = if length > 1e-15 { 1.0 / length } else { 0.0 };
    let [x, y, z, w] = if k > 0.0 {
        [x * k, y * k, z * k, w * k]
    } else {
        [0.0, 0.0, 0.0, 1.0]
    };
    let [sx, sy, sz] = node.scale.unwrap_or([1.0; 3]);
    let [tx, ty, tz] = node.translation.unwrap_or([0.0; 3]);
    [
        [
            (1.0 - 2.0 * (y * y + z * z)) * sx,
            2.0 * (x * y - z * w) * sy,
            2.0 * (x * z + y * w) * sz,
            tx,
        ],
        [
            2.0 * (x * y + z * w) * sx,
            (1.0 - 2.0 * (x * x + z * z)) * sy,
            2.0 * (y * z - x * w) * sz,
            ty,
        ],
        [
            2.0 * (x * z - y * w) * sx,
            2.0 * (y * z + x * w) * sy,
            (1.0 - 2.0 * (x * x + y * y)) * sz,
            tz,
        ],
    ]
}

/// The rotation of a matrix as a quaternion x, y, z, w, without its scale.
pub fn turn(m: &Matrix) -> [f64; 4] {
    let column = |c: usize| m.map(|row| row.get(c).copied().unwrap_or_default());
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 {
            v.map(|v| v / length)
        } else {
            v
        }
    };
    let [[a, d, g], [b, e, h], [c, f, i]] = [0, 1, 2].map(|n| unit(column(n)));
    // Compute the largest of the four first, to avoid dividing by small numbers.
    let squares = [
        1.0 + a - e - i,
        1.0 - a + e - i,
        1.0 - a - e + i,
        1.0 + a + e + i,
    ];
    let largest = (0..4)
        .max_by(|x, y| {
            squares
                .get(*x)
                .unwrap_or(&0.0)
                .total_cmp(squares.get(*y).unwrap_or(&0.0))
        })
        .unwrap_or(3);
    let r = squares
        .get(largest)
        .copied()
        .unwrap_or(1.0)
        .max(1e-30)
        .sqrt();
    let k = 0.5 / r;
    match largest {
        0 => [0.5 * r, (d + b) * k, (g + c) * k, (h - f) * k],
        1 => [(d + b) * k, 0.5 * r, (h + f) * k, (c - g) * k],
        2 => [(g + c) * k, (h + f) * k, 0.5 * r, (d - b) * k],
        _ => [(h - f) * k, (c - g) * k, (d - b) * k, 0.5 * r],
    }
}

/// True for an identity matrix, up to the last bits.
pub fn is_identity(m: &Matrix) -> bool {
    m.iter()
        .flatten()
        .zip(IDENTITY.iter().flatten())
        .all(|(a, b)| (a - b).abs() <= 2e-6)
}

/// A matrix that is applied to points and normals.
struct Transform<'a> {
    place: &'a Matrix,
    stays: bool,
    /// It mirrors.
    flips: bool,
}

impl<'a> Transform<'a> {
    fn of(place: &'a Matrix) -> Self {
        let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = place;
        let stays = is_identity(place);
        let flips = !stays && a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0;
        Transform {
            place,
            stays,
            flips,
        }
    }

    fn point(&self, p: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = p.map(f64::from);
        if self.stays {
            p
        } else {
            self.place
                .map(|[a, b, c, d]| (a * x + b * y + c * z + d) as f32)
        }
    }

    /// Normals are transformed by the cofactor matrix.
    fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = normal.map(f64::from);
        let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = *self.place;
        let rows = [
            [e * i - f * h, f * g - d * i, d * h - e * g],
            [c * h - b * i, a * i - c * g, b * g - a * h],
            [b * f - c * e, c * d - a * f, a * e - b * d],
        ];
        let sign = if self.flips { -1.0 } else { 1.0 };
        let n = rows.map(|[p, q, r]| sign * (p * x + q * y + r * z));
        let length = n.iter().map(|v| v * v).sum::<f64>().sqrt();
        let turned = !self.stays && length > 0.0 && length.is_finite();
        if turned {
            n.map(|v| (v / length) as f32)
        } else {
            normal
        }
    }
}

/// A node in the scene.
#[derive(Clone)]
pub struct Placed {
    /// Its position in the file.
    pub node: usize,
    /// Its transformation relative to its parent.
    pub local: Matrix,
    /// Its transformation in the scene.
    pub world: Matrix,
    /// That of its parent.
    above: Matrix,
}

impl Placed {
    /// The position of its mesh in the file.
    pub fn mesh(&self, file: &GltfFile) -> Option<usize> {
        file.root.nodes.get(self.node)?.mesh
    }

    /// True if its transformation was another one, by more than the rounding of programs that
    /// compute it again. What they round is its place in the scene, so an object far away does not
    /// hide what happens to another one.
    pub fn differs(&self, was: &Matrix) -> bool {
        let largest = was
            .iter()
            .flat_map(|row| row.iter().take(3))
            .fold(1.0, |m: f64, v| m.max(v.abs()));
        let linear = |(a, b): (&f64, &f64)| (a - b).abs() > 4e-6 * largest;
        let pairs = || was.iter().zip(&self.local);
        if pairs().any(|(a, b)| a.iter().zip(b).take(3).any(linear)) {
            return true;
        }
        let place = |m: &Matrix| m.map(|row| row[3]);
        let far = place(&self.world)
            .into_iter()
            .chain(place(&self.above))
            .fold(1.0, |far: f64, v| far.max(v.abs()));
        let [x, y, z] =
            std::array::from_fn(|row| pairs().nth(row).map_or(0.0, |(a, b)| b[3] - a[3]));
        let in_scene = self.above.map(|[a, b, c, _]| a * x + b * y + c * z);
        [x, y, z]
            .into_iter()
            .chain(in_scene)
            .any(|by| by.abs() > 1e-6 * far)
    }
}

/// The nodes of the scene, parents first. Returns an error if a node is reached twice, as in a
/// cycle.
pub fn nodes(file: &GltfFile) -> Result<Vec<Placed>> {
    let root = &file.root;
    let mut below = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|n| &n.children) {
        if let Some(flag) = below.get_mut(*child) {
            *flag = true;
        }
    }
    let roots: Vec<usize> = match root.scenes.get(root.scene.unwrap_or(0)) {
        Some(scene) => scene.nodes.clone(),
        None if root.scene.is_some() => {
            return Err(Error::say("there is no such scene").within("scene"));
        }
        None => (0..root.nodes.len())
            .filter(|i| below.get(*i) == Some(&false))
            .collect(),
    };
    let mut out: Vec<Placed> = Vec::new();
    let mut seen = vec![false; root.nodes.len()];
    let mut open: Vec<(usize, Option<usize>)> =
        roots.into_iter().rev().map(|i| (i, None)).collect();
    while let Some((index, parent)) = open.pop() {
        let step = |e: Error| e.within(format!("nodes[{index}]"));
        let node = root
            .nodes
            .get(index)
            .ok_or_else(|| step(Error::say("there is no such node")))?;
        match seen.get_mut(index) {
            Some(flag @ false) => *flag = true,
            _ => {
                return Err(step(Error::say(
                    "it has two parents, or is its own ancestor",
                )));
            }
        }
        let local = local(node);
        let above = parent
            .and_then(|p| out.get(p))
            .map_or(IDENTITY, |p| p.world);
        let world = product(&above, &local);
        if !world.iter().flatten().all(|v| v.is_finite()) {
            return Err(step(Error::say("its position is not finite")));
        }
        out.push(Placed {
            node: index,
            local,
            world,
            above,
        });
        let made = out.len() - 1;
        open.extend(node.children.iter().rev().map(|c| (*c, Some(made))));
    }
    Ok(out)
}

/// The attributes of a corner of a triangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Corner {
    pub position: [f32; 3],
    pub normal: Option<[f32; 3]>,
    pub uv: Option<[f32; 2]>,
    pub color: Option<[f32; 3]>,
    /// The vertex, and the model plus 1, from the export.
    pub tag: Option<[f32; 2]>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Triangle {
    /// In counter-clockwise order.
    pub corners: [Corner; 3],
    /// The position of its material in the file.
    pub material: Option<usize>,
}

/// Counts of ignored things.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Left {
    /// Primitives of points or lines.
    pub lines: usize,
    /// Shape keys.
    pub targets: usize,
    /// Triangles in which a corner is repeated.
    pub flat: usize,
}

impl Left {
    /// Adds further counts.
    pub fn add(&mut self, other: Left) {
        self.lines += other.lines;
        self.targets += other.targets;
        self.flat += other.flat;
    }
}

fn strips(mode: u32, list: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        5 => {
            let turn = |(i, t): (usize, &[u32])| match (t, i % 2) {
                ([a, b, c], 0) => Some([*a, *b, *c]),
                ([a, b, c], _) => Some([*b, *a, *c]),
                _ => None,
            };
            list.windows(3).enumerate().filter_map(turn).collect()
        }
        6 => {
            let first = list.first().copied().unwrap_or_default();
            let rest = list.get(1..).unwrap_or_default();
            rest.windows(2)
                .filter_map(|t| <[u32; 2]>::try_from(t).ok())
                .map(|[b, c]| [first, b, c])
                .collect()
        }
        _ => list
            .chunks_exact(3)
            .filter_map(|t| <[u32; 3]>::try_from(t).ok())
            .collect(),
    }
}

/// The model from whose export most corners of these triangles are, by their second texture
/// coordinates.
pub fn origin(triangles: &[Triangle]) -> Option<usize> {
    let is_whole = |v: f32| v.fract() == 0.0 && (0.0..16_777_216.0).contains(&v);
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for [vertex, number] in triangles
        .iter()
        .flat_map(|t| &t.corners)
        .filter_map(|c| c.tag)
    {
        if is_whole(vertex) && is_whole(number) {
            *counts.entry(number as usize).or_default() += 1;
        }
    }
    let (number, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    number
        .checked_sub(1)
        .filter(|_| count * 2 > triangles.len() * 3)
}

/// The triangles of a mesh, transformed by a matrix.
pub fn triangles(
    file: &GltfFile,
    mesh: usize,
    place: &Matrix,
    left: &mut Left,
) -> Result<Vec<Triangle>> {
    // Users know objects by their names, not by accessor numbers.
    let shows = || {
        file.root
            .nodes
            .iter()
            .enumerate()
            .find(|(_, node)| node.mesh == Some(mesh))
    };
    let step = |e: Error| {
        let e = e.within(format!("meshes[{mesh}]"));
        match shows() {
            Some((i, node)) => e.within(format!("nodes[{i}] {}", node.name).trim_end().to_owned()),
            None => e,
        }
    };
    let stored = file
        .root
        .meshes
        .get(mesh)
        .ok_or_else(|| step(Error::say("there is no such mesh")))?;
    let mut out = Vec::new();
    for (i, primitive) in stored.primitives.iter().enumerate() {
        let mode = primitive.mode.unwrap_or(4);
        left.targets += primitive.targets.len();
        if !(4..=6).contains(&mode) {
            left.lines += 1;
            continue;
        }
        one(file, primitive, mode, place, left, &mut out)
            .map_err(|e| step(e.within(format!("primitives[{i}]"))))?;
    }
    Ok(out)
}

fn one(
    file: &GltfFile,
    primitive: &Primitive,
    mode: u32,
    place: &Matrix,
    left: &mut Left,
    out: &mut Vec<Triangle>,
) -> Result<()> {
    let attributes = &primitive.attributes;
    let position = attributes
        .position
        .ok_or_else(|| Error::say("it has no POSITION"))?;
    let of = |what: &'static str| move |e: Error| e.within(what);
    let positions: Vec<[f32; 3]> = file.values(position).map_err(of("POSITION"))?;
    let list = |index: Option<usize>| index.map(|i| file.values::<3>(i)).transpose();
    let pairs = |index: Option<usize>| index.map(|i| file.values::<2>(i)).transpose();
    let normals = attributes
        .normal
        .map(|i| file.directions(i))
        .transpose()
        .map_err(of("NORMAL"))?;
    let uvs = pairs(attributes.uv).map_err(of("TEXCOORD_0"))?;
    let tags = pairs(attributes.identity).map_err(of("TEXCOORD_1"))?;
    let colors = match attributes.color {
        Some(i) if file.width(i) == 4 => {
            let colors = file.values::<4>(i).map_err(of("COLOR_0"))?;
            Some(colors.into_iter().map(|[r, g, b, _]| [r, g, b]).collect())
        }
        other => list(other).map_err(of("COLOR_0"))?,
    };
    let same = |n: Option<usize>, what: &str| match n {
        Some(n) if n != positions.len() => Err(Error::say(format!(
            "{n} values of {what} for {} vertices",
            positions.len()
        ))),
        _ => Ok(()),
    };
    same(normals.as_ref().map(Vec::len), "NORMAL")?;
    same(uvs.as_ref().map(Vec::len), "TEXCOORD_0")?;
    same(tags.as_ref().map(Vec::len), "TEXCOORD_1")?;
    same(colors.as_ref().map(Vec::len), "COLOR_0")?;
    let indices: Vec<u32> = match primitive.indices {
        Some(index) => file.indices(index)?,
        None => (0..u32::try_from(positions.len())
            .map_err(|_| Error::say("more than 2³² vertices"))?)
            .collect(),
    };
    if mode == 4 && !indices.len().is_multiple_of(3) {
        return Err(Error::say(format!(
            "{} corners do not form triangles",
            indices.len()
        )));
    }
    let transform = Transform::of(place);
    fn at<T: Copy>(list: &Option<Vec<T>>, i: usize) -> Option<T> {
        list.as_ref().and_then(|list| list.get(i)).copied()
    }
    let corner = |i: u32| -> Result<Corner> {
        let i = i as usize;
        let position = positions
            .get(i)
            .ok_or_else(|| Error::say(format!("it has vertex {i} of {}", positions.len())))?;
        let position = transform.point(*position);
        if !position.iter().all(|v| v.is_finite()) {
            return Err(Error::say(format!(
                "vertex {i} has a position that is not finite"
            )));
        }
        Ok(Corner {
            position,
            normal: at(&normals, i).flatten().map(|n| transform.normal(n)),
            uv: at(&uvs, i),
            color: at(&colors, i),
            tag: at(&tags, i),
        })
    };
    let triangles = strips(mode, &indices);
    file.spend(triangles.len())?;
    for [a, b, c] in triangles {
        let [a, b, c] = if transform.flips {
            [a, c, b]
        } else {
            [a, b, c]
        };
        let corners = [corner(a)?, corner(b)?, corner(c)?];
        let [p, q, r] = corners.map(|c| c.position);
        if p == q || q == r || r == p {
            // Strips use such triangles as joints.
            left.flat += usize::from(mode != 5);
            continue;
        }
        out.push(Triangle {
            corners,
            material: primitive.material,
        });
    }
    Ok(())
}
