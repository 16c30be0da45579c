//! Cuts triangles at the lines of a grid, without cracks: two triangles cut a shared edge at the
//! same points.
//!
//! An edge is cut from its lower end, whichever triangle it belongs to, and the coordinate across a
//! line is exactly that of the line. So both sides of an edge get the same vertices, and no vertex
//! is in the middle of an edge of the other side.

use refit_base::wire::{Error, Result};
use smallvec::SmallVec;
use std::ops::Range;

/// The values of a corner: position, normal, texture coordinates, colour.
pub type Values = [f64; 11];

/// The corners of a piece, in the order of its triangle.
pub type Ring = SmallVec<[Values; 4]>;

/// The normal.
pub const NORMAL: Range<usize> = 3..6;
/// The texture coordinates.
pub const UV: Range<usize> = 6..8;
/// The colour.
pub const COLOR: Range<usize> = 8..11;

/// The most pieces beyond the number of triangles: the largest known worlds have 15,000 polygons in
/// all.
const MORE_PIECES: usize = 1 << 20;

/// A grid in x and z, whose cells are squares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Grid {
    /// Lowest x.
    pub left: f64,
    /// Highest z, from which the rows are counted.
    pub bottom: f64,
    /// Side of a cell.
    pub side: f64,
    /// Number of columns.
    pub columns: i32,
    /// Number of rows.
    pub rows: i32,
}

/// Part of a list; empty if it has no such part.
pub fn part(values: &Values, range: Range<usize>) -> &[f64] {
    values.get(range).unwrap_or_default()
}

/// The part of a corner that is its position.
pub fn position(values: &Values) -> [f64; 3] {
    let [x, y, z, ..] = *values;
    [x, y, z]
}

fn along(values: &Values, axis: usize) -> f64 {
    values.get(axis).copied().unwrap_or_default()
}

/// The lowest and highest coordinate of a ring.
fn span(ring: &[Values], axis: usize) -> (f64, f64) {
    let all = ring.iter().map(|corner| along(corner, axis));
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}

/// The point of an edge on a line, the same for both directions of the edge.
fn between(a: &Values, b: &Values, axis: usize, line: f64) -> Values {
    let is_first = position(a)
        .iter()
        .zip(&position(b))
        .find(|(a, b)| a != b)
        .is_none_or(|(a, b)| a < b);
    let (a, b) = if is_first { (a, b) } else { (b, a) };
    let part = (line - along(a, axis)) / (along(b, axis) - along(a, axis));
    let mut out = *a;
    for (value, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        // Rounding must not leave the ends, which may be on a line.
        *value = (a + (b - a) * part).clamp(a.min(*b), a.max(*b));
    }
    if let Some(value) = out.get_mut(axis) {
        *value = line;
    }
    out
}

/// The parts of a convex ring below and above a line.
fn split(ring: &[Values], axis: usize, line: f64) -> (Ring, Ring) {
    let (mut below, mut above) = (Ring::new(), Ring::new());
    for (corner, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        let (here, there) = (along(corner, axis), along(next, axis));
        if here <= line {
            below.push(*corner);
        }
        if here >= line {
            above.push(*corner);
        }
        if (here < line && there > line) || (here > line && there < line) {
            let cut = between(corner, next, axis, line);
            below.push(cut);
            above.push(cut);
        }
    }
    (below, above)
}

/// The lines of a grid in one direction: the first, the distance, how many.
#[derive(Clone, Copy)]
struct Lines {
    first: f64,
    side: f64,
    last: i32,
}

impl Lines {
    /// Cuts a ring at all lines that it crosses.
    fn cut(
        &self,
        mut rest: Ring,
        axis: usize,
        out: &mut Vec<Ring>,
        left: &mut usize,
    ) -> Result<()> {
        let (low, high) = span(&rest, axis);
        let from = ((low - self.first) / self.side)
            .floor()
            .clamp(0.0, f64::from(self.last)) as i32;
        for line in (from..=self.last).map(|k| self.first + f64::from(k) * self.side) {
            if line <= low {
                continue;
            }
            if line >= high {
                break;
            }
            let (below, above) = split(&rest, axis, line);
            *left = left.checked_sub(1).ok_or_else(|| {
                Error::say(format!("the mesh falls into more than {MORE_PIECES} further pieces at the world's cells"))
                    .hint("large triangles cross many cells: is the mesh in units of the world?")
            })?;
            out.push(below);
            rest = above;
        }
        out.push(rest);
        Ok(())
    }
}

/// A ring with the coordinates that a file stores, without corners on one point; `None` if nothing
/// is left.
fn stored(mut ring: Ring) -> Option<Ring> {
    for corner in &mut ring {
        for value in corner.iter_mut().take(3) {
            *value = f64::from(*value as f32 + 0.0);
        }
    }
    ring.dedup_by(|a, b| position(a) == position(b));
    while ring.len() > 1 && ring.first().map(position) == ring.last().map(position) {
        ring.pop();
    }
    (ring.len() >= 3).then_some(ring)
}

impl Grid {
    /// Cuts triangles. `add` gets each piece with the number of its triangle.
    pub fn cut(
        &self,
        triangles: impl Iterator<Item = [Values; 3]>,
        mut add: impl FnMut(usize, Ring) -> Result<()>,
    ) -> Result<()> {
        let mut left = MORE_PIECES;
        let columns = Lines {
            first: self.left,
            side: self.side,
            last: self.columns,
        };
        let top = self.bottom - f64::from(self.rows) * self.side;
        let rows = Lines {
            first: top,
            side: self.side,
            last: self.rows,
        };
        let (mut strips, mut pieces) = (Vec::new(), Vec::new());
        for (i, corners) in triangles.enumerate() {
            columns.cut(Ring::from_slice(&corners), 0, &mut strips, &mut left)?;
            for strip in strips.drain(..) {
                rows.cut(strip, 2, &mut pieces, &mut left)?;
            }
            for piece in pieces.drain(..).filter_map(stored) {
                add(i, piece)?;
            }
        }
        Ok(())
    }

    /// Column and row of the cell that contains the middle of a ring; `None` outside the grid.
    pub fn cell(&self, ring: &[Values]) -> Option<(i32, i32)> {
        let middle = |axis: usize| {
            let (low, high) = span(ring, axis);
            (low + high) * 0.5
        };
        let within = |place: f64, count: i32| {
            (0.0..f64::from(count))
                .contains(&place)
                .then_some(place as i32)
        };
        let column = within(((middle(0) - self.left) / self.side).floor(), self.columns)?;
        let row = within(((self.bottom - middle(2)) / self.side).floor(), self.rows)?;
        Some((column, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const GRID: Grid = Grid {
        left: -256.0,
        bottom: 512.0,
        side: 256.0,
        columns: 3,
        rows: 2,
    };

    fn corner(at: [f64; 3]) -> Values {
        let [x, y, z] = at;
        // Texture coordinates that are linear in x and z.
        [x, y, z, 0.0, 1.0, 0.0, x / 64.0, z / 32.0, 255.0, 0.0, 0.0]
    }

    fn area(ring: &[Values]) -> f64 {
        let at = |i: usize| position(&ring[i]);
        let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        (1..ring.len() - 1)
            .map(|i| {
                let ([a, b, c], [d, e, f]) = (minus(at(i), at(0)), minus(at(i + 1), at(0)));
                let normal = [b * f - c * e, c * d - a * f, a * e - b * d];
                normal.iter().map(|v| v * v).sum::<f64>().sqrt() * 0.5
            })
            .sum()
    }

    fn cut(triangles: &[[[f64; 3]; 3]]) -> Vec<(usize, Ring)> {
        let mut out = Vec::new();
        let all = triangles.iter().map(|t| t.map(corner));
        GRID.cut(all, |i, ring| {
            out.push((i, ring));
            Ok(())
        })
        .unwrap();
        out
    }

    /// Uneven hills over the whole grid and beyond, whose vertices are on no line, on one and on
    /// two.
    fn hills() -> Vec<[[f64; 3]; 3]> {
        let at = |i: i32, k: i32| {
            let (x, z) = (
                f64::from(i) * 91.3 - 300.0,
                f64::from(k) * 64.0 - 90.0 + f64::from(i % 3) * 7.7,
            );
            [x, (x * 0.013).sin() * 40.0 + (z * 0.021).cos() * 25.0, z].map(|v| f64::from(v as f32))
        };
        let mut out = Vec::new();
        for (i, k) in (0..10).flat_map(|i| (0..10).map(move |k| (i, k))) {
            out.push([at(i, k), at(i, k + 1), at(i + 1, k)]);
            out.push([at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)]);
        }
        out
    }

    #[test]
    fn area_and_texture_coordinates_stay() {
        let hills = hills();
        let pieces = cut(&hills);
        let mut areas = vec![0.0; hills.len()];
        for (i, ring) in &pieces {
            areas[*i] += area(ring);
            for corner in ring {
                let [x, _, z] = position(corner);
                assert!(
                    (corner[6] - x / 64.0).abs() < 1e-5 && (corner[7] - z / 32.0).abs() < 1e-5,
                    "{corner:?}"
                );
            }
        }
        assert!(pieces.len() > hills.len());
        for (triangle, area_of_pieces) in hills.iter().zip(areas) {
            let whole = area(&triangle.map(corner));
            assert!(
                (whole - area_of_pieces).abs() < 1e-4 * whole,
                "{whole} {area_of_pieces}"
            );
        }
    }

    /// Each edge within the mesh has one piece on each side: no vertex is in the middle of an edge.
    #[test]
    fn pieces_meet_without_cracks() {
        let hills = hills();
        let edges = |rings: &mut dyn Iterator<Item = Vec<[f64; 3]>>| {
            let mut edges: HashMap<[[u64; 3]; 2], i32> = HashMap::new();
            for ring in rings {
                for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                    *edges
                        .entry([a.map(f64::to_bits), b.map(f64::to_bits)])
                        .or_default() += 1;
                }
            }
            edges
        };
        let open = |edges: &HashMap<[[u64; 3]; 2], i32>| -> f64 {
            let alone = edges
                .iter()
                .filter(|([a, b], n)| edges.get(&[*b, *a]) != Some(n));
            alone
                .map(|([a, b], _)| {
                    let squares = a
                        .iter()
                        .zip(b)
                        .map(|(a, b)| (f64::from_bits(*a) - f64::from_bits(*b)).powi(2));
                    squares.sum::<f64>().sqrt()
                })
                .sum()
        };
        let before = open(&edges(&mut hills.iter().map(|t| t.to_vec())));
        let now = open(&edges(
            &mut cut(&hills)
                .iter()
                .map(|(_, ring)| ring.iter().map(position).collect()),
        ));
        // Only the outline is open, and it is as long as before.
        assert!((before - now).abs() < 1e-3 * before, "{before} {now}");
    }

    #[test]
    fn pieces_stay_in_their_cells() {
        for (_, ring) in cut(&hills()) {
            let ((x0, x1), (z0, z1)) = (span(&ring, 0), span(&ring, 2));
            let Some((column, row)) = GRID.cell(&ring) else {
                assert!(
                    x1 <= -256.0 || x0 >= 512.0 || z1 <= 0.0 || z0 >= 512.0,
                    "{ring:?}"
                );
                continue;
            };
            let (left, bottom) = (
                -256.0 + f64::from(column) * 256.0,
                512.0 - f64::from(row) * 256.0,
            );
            assert!(
                x0 >= left && x1 <= left + 256.0 && z1 <= bottom && z0 >= bottom - 256.0,
                "{ring:?}"
            );
        }
    }

    /// A wall on a line is not cut, and belongs to the cell after it, as in the engine.
    #[test]
    fn a_wall_on_a_line_is_in_one_cell() {
        let wall = cut(&[[[0.0, 0.0, 10.0], [0.0, 9.0, 10.0], [0.0, 0.0, 60.0]]]);
        assert_eq!(wall.len(), 1);
        assert_eq!(GRID.cell(&wall[0].1), Some((1, 1)));
    }

    #[test]
    fn a_mesh_of_another_scale_is_refused() {
        let grid = Grid {
            left: 0.0,
            bottom: 1e6,
            side: 1.0,
            columns: 1_000_000,
            rows: 1_000_000,
        };
        let large = [[0.0, 0.0, 0.0], [1e6, 0.0, 0.0], [0.0, 0.0, 1e6]].map(corner);
        assert!(grid.cut(std::iter::once(large), |_, _| Ok(())).is_err());
    }
}
