//! Merges new triangles in one plane to polygons.

use super::{
    polygons::{At, Look, Resolved},
    scene::{Corner, Triangle},
};
use crate::scene::axes::{V3, cross, dot, minus};
use std::collections::HashMap;

/// Maximum number of corners of a polygon: Recoil's tools split at fewer, and no file has more.
const CORNERS: usize = 57;

struct Rings<'a> {
    triangles: &'a [Triangle],
    resolved: &'a Resolved,
}

impl Rings<'_> {
    fn corner(&self, at: At) -> Option<&Corner> {
        self.triangles.get(at.0)?.corners.get(at.1)
    }

    fn id(&self, at: At) -> usize {
        self.resolved
            .corners
            .get(at.0)
            .and_then(|t| t.get(at.1))
            .copied()
            .unwrap_or(usize::MAX)
    }

    fn point(&self, at: At) -> V3 {
        self.corner(at)
            .map_or([0.0; 3], |c| c.position.map(f64::from))
    }

    /// True if two corners have the same attributes.
    fn alike(&self, a: At, b: At) -> bool {
        fn near<const N: usize>(a: Option<[f32; N]>, b: Option<[f32; N]>, least: f32) -> bool {
            a.zip(b)
                .is_none_or(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= least))
        }
        let Some((a, b)) = self.corner(a).zip(self.corner(b)) else {
            return false;
        };
        near(a.normal, b.normal, 1e-3) && near(a.uv, b.uv, 1e-5) && near(a.color, b.color, 1e-3)
    }

    /// Joins two rings at an edge, if the result is flat and convex.
    fn joined(&self, a: &[At], i: usize, b: &[At], j: usize) -> Option<Vec<At>> {
        // a[i] → a[i + 1] is b[j + 1] → b[j].
        let (n, m) = (a.len(), b.len());
        let at = |list: &[At], i: usize| list.get(i % list.len().max(1)).copied();
        if !self.alike(at(a, i)?, at(b, j + 1)?) || !self.alike(at(a, i + 1)?, at(b, j)?) {
            return None;
        }
        let mut ring: Vec<At> = (1..=n).filter_map(|k| at(a, i + k)).collect();
        ring.extend((2..m).filter_map(|k| at(b, j + k)));
        // If they share two adjacent edges, the vertex between them is inside.
        let mut k = 0;
        while ring.len() > 3 && k < ring.len() {
            let len = ring.len();
            let (before, behind) = (at(&ring, k + len - 1)?, at(&ring, k + 1)?);
            if self.id(before) == self.id(behind) {
                ring.remove(k);
                ring.remove(k % ring.len());
                k = 0;
            } else {
                k += 1;
            }
        }
        let mut ids: Vec<usize> = ring.iter().map(|at| self.id(*at)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() != ring.len() || ring.len() > CORNERS || ring.len() < 3 {
            return None;
        }
        let points: Vec<V3> = ring.iter().map(|at| self.point(*at)).collect();
        let first = *points.first()?;
        let normal = points
            .windows(2)
            .fold([0.0; 3], |sum: V3, pair| match pair {
                [p, q] => {
                    let ([x, y, z], [u, v, w]) = (sum, cross(minus(*p, first), minus(*q, first)));
                    [x + u, y + v, z + w]
                }
                _ => sum,
            });
        let length = dot(normal, normal).sqrt();
        if length <= 0.0 || !length.is_finite() {
            return None;
        }
        let normal = normal.map(|v| v / length);
        let size = points
            .iter()
            .map(|p| minus(*p, first))
            .map(|d| dot(d, d).sqrt())
            .fold(0.0, f64::max);
        let plane = points
            .iter()
            .all(|p| dot(minus(*p, first), normal).abs() <= 1e-4 * size);
        let len = points.len();
        let convex = (0..len).all(|k| {
            let p = |k: usize| points.get(k % len).copied().unwrap_or_default();
            let (u, v) = (minus(p(k + 1), p(k)), minus(p(k + 2), p(k + 1)));
            dot(cross(u, v), normal) >= -1e-6 * size * size
        });
        // The ring winds around once, not twice: all triangles of its fan face the same way.
        let once = (1..len.saturating_sub(1)).all(|k| {
            let p = |k: usize| points.get(k).copied().unwrap_or_default();
            dot(cross(minus(p(k), first), minus(p(k + 1), first)), normal) >= -1e-6 * size * size
        });
        (plane && convex && once).then_some(ring)
    }
}

/// Builds polygons from triangles, in the game's order.
pub fn rings(
    left: &[usize],
    triangles: &[Triangle],
    looks: &[Look],
    resolved: &Resolved,
) -> Vec<Vec<At>> {
    let own = Rings {
        triangles,
        resolved,
    };
    let mut rings: Vec<Option<Vec<At>>> = left
        .iter()
        .map(|t| Some([0, 1, 2].map(|n| (*t, n)).to_vec()))
        .collect();
    let edges = |ring: &[At]| -> Vec<(usize, usize)> {
        (0..ring.len())
            .filter_map(|i| {
                Some((
                    own.id(*ring.get(i)?),
                    own.id(*ring.get((i + 1) % ring.len())?),
                ))
            })
            .collect()
    };
    let mut at: HashMap<(usize, usize), usize> = HashMap::new();
    for (i, ring) in rings.iter().enumerate() {
        for edge in ring.iter().flat_map(|r| edges(r)) {
            at.entry(edge).or_insert(i);
        }
    }
    let look = |ring: &[At]| ring.first().and_then(|at| looks.get(at.0)).copied();
    for i in 0..rings.len() {
        let mut grown = true;
        while grown {
            grown = false;
            let Some(Some(ring)) = rings.get(i).cloned() else {
                break;
            };
            for (k, (from, to)) in edges(&ring).into_iter().enumerate() {
                let Some(j) = at.get(&(to, from)).copied().filter(|j| *j != i) else {
                    continue;
                };
                let Some(Some(other)) = rings.get(j) else {
                    continue;
                };
                let Some(l) = edges(other).iter().position(|edge| *edge == (to, from)) else {
                    continue;
                };
                if look(&ring) != look(other) {
                    continue;
                }
                let Some(joined) = own.joined(&ring, k, other, l) else {
                    continue;
                };
                for edge in edges(&joined) {
                    at.insert(edge, i);
                }
                if let Some(slot) = rings.get_mut(j) {
                    *slot = None;
                }
                if let Some(slot) = rings.get_mut(i) {
                    *slot = Some(joined);
                }
                grown = true;
                break;
            }
        }
    }
    rings.into_iter().flatten().collect()
}
