//! Matches the triangles of a file with the polygons of a model, and their corners with its
//! vertices.
//!
//! The file is compared with what an export of the model contains now. **Vertices** are identified
//! by the second texture coordinates of the export (vertex, model + 1), if these are plausible:
//! programs that divide faces interpolate the numbers, some of which are whole by accident, and
//! programs that extrude copy them. So a number is valid if the vertex is still at its position; if
//! it is nowhere there, the position where the number occurs most often is where it was moved. All
//! other corners are identified by position: vertices with equal bits are one.
//!
//! **Polygons** are matched in rounds, each among the rest of the previous ones: by their triangles
//! as exported; by their outline, which allows any other triangulation; then both by positions
//! alone, for files without the second coordinates; then with another material; then by the second
//! coordinates alone, since programs split vertices at each seam, so that a single corner is easily
//! moved without the others; then with reversed faces, as after a flip or a mirroring. Unmatched
//! polygons of the model were deleted. Unmatched triangles of the file are new, unless the second
//! coordinates identify them as copies of a polygon.

use super::scene::{Corner, Triangle};
use crate::scene::mesh::Triangles;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The identity of a polygon's material: its number in the combined list of the file and the game,
/// and whether it is two-sided.
pub type Look = (usize, bool);

/// A corner of a triangle: triangle, corner.
pub type At = (usize, usize);

/// The fate of a vertex of the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fate {
    /// It did not move, or is not in the file.
    Stays,
    /// It moved to this position.
    Moved([f32; 3]),
}

/// The vertices of a file's corners. Numbers beyond the model's vertices are new ones.
pub struct Resolved {
    /// The vertex of each corner of each triangle; from `vertices` on, new ones.
    pub corners: Vec<[usize; 3]>,
    /// The same by the second texture coordinates alone, regardless of the position.
    tags: Vec<[usize; 3]>,
    /// New vertices of triangles whose second texture coordinates are not whole: faces were divided
    /// there.
    divided: HashSet<usize>,
    /// The fates of the model's vertices.
    pub fates: Vec<Fate>,
    /// Positions of the new vertices.
    pub new: Vec<[f32; 3]>,
    /// The vertices of the model from which a corner was moved while others stayed.
    pub torn: Vec<u32>,
    /// A number for the position of each vertex including new ones; equal for vertices at the same
    /// position.
    pub places: Vec<usize>,
}

type Bits = [u32; 3];

fn bits(p: [f32; 3]) -> Bits {
    p.map(|v| (v + 0.0).to_bits())
}

/// True if two positions differ only in the last bits, such as those of averages.
fn near(a: [f32; 3], b: [f32; 3]) -> bool {
    a.iter()
        .zip(b)
        .all(|(a, b)| (a - b).abs() <= 2.4e-7 * a.abs().max(b.abs()))
}

/// The fates of the model's vertices. `tagged` returns the vertex in a corner's second texture
/// coordinates.
fn fates(
    triangles: &[Triangle],
    shown: &[Option<[f32; 3]>],
    tagged: &dyn Fn(&Corner) -> Option<usize>,
) -> Vec<Fate> {
    let own = |v: usize| shown.get(v).copied().flatten().unwrap_or_default();
    let standing: HashSet<Bits> = shown.iter().flatten().map(|p| bits(*p)).collect();
    // The positions of each number: its vertex' own, and others with their frequency.
    let mut stays = vec![false; shown.len()];
    let mut found: HashMap<(usize, Bits), (usize, [f32; 3])> = HashMap::new();
    let mut elsewhere: Vec<(usize, Bits)> = Vec::new();
    let mut seen: HashSet<Bits> = HashSet::new();
    for c in triangles.iter().flat_map(|t| &t.corners) {
        let tag = tagged(c);
        if let Some(v) = tag.filter(|v| !near(own(*v), c.position)) {
            let key = (v, bits(c.position));
            let entry = found.entry(key).or_insert_with(|| {
                elsewhere.push(key);
                (0, c.position)
            });
            entry.0 += 1;
            continue;
        }
        // A vertex moved to the former position of another one is no evidence about that one.
        seen.insert(bits(c.position));
        if let Some(stays) = tag.and_then(|v| stays.get_mut(v)) {
            *stays = true;
        }
    }
    let mut fates = vec![Fate::Stays; shown.len()];
    let mut most = vec![0usize; shown.len()];
    for key in &elsewhere {
        let (v, at) = *key;
        let Some((count, place)) = found.get(key).copied() else {
            continue;
        };
        // A number at another vertex' position was copied there, or two vertices were merged.
        let taken = standing.contains(&at);
        if let (Some(false), Some(most), Some(fate)) =
            (stays.get(v), most.get_mut(v), fates.get_mut(v))
            && count > *most
            && !(taken && seen.contains(&bits(own(v))))
        {
            (*most, *fate) = (count, Fate::Moved(place));
        }
    }
    fates
}

/// The numbers that occur at two positions, as after moving a single corner. `now` is the position
/// of a vertex.
fn torn(
    triangles: &[Triangle],
    vertices: usize,
    tagged: &dyn Fn(&Corner) -> Option<usize>,
    now: &dyn Fn(usize) -> Option<[f32; 3]>,
) -> Vec<u32> {
    // Dividing an edge makes the mean of two numbers at the middle of their places.
    let is_middle = |p: [f32; 3], [a, b]: [[f32; 3]; 2]| {
        let pairs = a.iter().zip(b).map(|(a, b)| (a + b) * 0.5);
        pairs
            .zip(p)
            .all(|(middle, p)| (middle - p).abs() <= 1e-5 * p.abs().max(1.0))
    };
    let is_halved = |v: usize, p: [f32; 3]| {
        let mut pairs = (1..=v)
            .take_while(|d| v + d < vertices)
            .filter_map(|d| Some([now(v - d)?, now(v + d)?]));
        pairs.any(|pair| is_middle(p, pair))
    };
    // Only malicious files have more.
    let mut tries = 1usize << 12;
    let mut torn = BTreeSet::new();
    for t in triangles {
        let [Some(a), Some(b), Some(c)] = t.corners.each_ref().map(tagged) else {
            continue;
        };
        let left = [a, b, c].into_iter().zip(&t.corners);
        let left: Vec<(usize, &Corner)> = left
            .filter(|(v, c)| !now(*v).is_some_and(|p| near(p, c.position)))
            .collect();
        // A number from dividing an edge has no neighbours at their positions.
        if let ([(v, c)], true) = (left.as_slice(), a != b && b != c && c != a)
            && !torn.contains(&(*v as u32))
        {
            tries = tries.saturating_sub(1);
            if tries == 0 || !is_halved(*v, c.position) {
                torn.insert(*v as u32);
            }
        }
    }
    torn.into_iter().collect()
}

/// Finds the vertices of a file's corners. `shown` has the exported positions of the model's
/// vertices; `number` is the model's number in the export.
pub fn resolve(triangles: &[Triangle], shown: &[Option<[f32; 3]>], number: usize) -> Resolved {
    let tagged = |c: &Corner| -> Option<usize> {
        let [vertex, model] = c.tag?;
        let whole = |v: f32| v >= 0.0 && v.fract() == 0.0 && v < 16_777_216.0;
        let index = vertex as usize;
        (whole(vertex)
            && model == (number + 1) as f32
            && shown.get(index).is_some_and(Option::is_some))
        .then_some(index)
    };
    let fates = fates(triangles, shown, &tagged);
    // The current position of each vertex.
    let now = |v: usize| match fates.get(v) {
        Some(Fate::Moved(p)) => Some(*p),
        _ => shown.get(v).copied().flatten(),
    };
    let mut at: HashMap<Bits, usize> = HashMap::new();
    let mut places = Vec::with_capacity(shown.len());
    let mut numbers: HashMap<Bits, usize> = HashMap::new();
    for v in 0..shown.len() {
        let Some(p) = now(v) else {
            // Not in the file: give it a unique position number.
            places.push(usize::MAX - v);
            continue;
        };
        at.entry(bits(p)).or_insert(v);
        let next = numbers.len();
        places.push(*numbers.entry(bits(p)).or_insert(next));
    }
    let mut new: Vec<[f32; 3]> = Vec::new();
    let mut vertex = |c: &Corner| {
        if let Some(v) = tagged(c)
            && now(v).is_some_and(|p| near(p, c.position))
        {
            return v;
        }
        *at.entry(bits(c.position)).or_insert_with(|| {
            new.push(c.position);
            shown.len() + new.len() - 1
        })
    };
    let corners: Vec<[usize; 3]> = triangles
        .iter()
        .map(|t| t.corners.each_ref().map(&mut vertex))
        .collect();
    for p in &new {
        let next = numbers.len();
        places.push(*numbers.entry(bits(*p)).or_insert(next));
    }
    let mut tags = Vec::with_capacity(triangles.len());
    let mut divided = HashSet::new();
    for (t, ids) in triangles.iter().zip(&corners) {
        let [a, b, c] = &t.corners;
        let [i, j, k] = *ids;
        tags.push([(a, i), (b, j), (c, k)].map(|(c, id)| tagged(c).unwrap_or(id)));
        let own = (number + 1) as f32;
        let broken = |c: &Corner| {
            c.tag
                .is_some_and(|[vertex, model]| model == own && vertex.fract() != 0.0)
        };
        if t.corners.iter().any(broken) {
            divided.extend(ids.iter().copied().filter(|id| *id >= shown.len()));
        }
    }
    let torn = torn(triangles, shown.len(), &tagged, &now);
    Resolved {
        corners,
        tags,
        divided,
        fates,
        new,
        torn,
        places,
    }
}

/// A polygon that the file still contains.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its position in the model.
    pub polygon: usize,
    /// For each of its corners one of the file's; `None` if the export does not show it.
    pub corners: Vec<Option<At>>,
    pub triangles: Vec<usize>,
    /// True if it now faces the other way.
    pub flipped: bool,
    /// True if its corners are different vertices now: it was matched by the second texture
    /// coordinates alone.
    pub other_vertices: bool,
}

/// The model's side of the comparison.
pub struct Old<'a> {
    /// The exported form of each polygon.
    pub shown: &'a [Option<Triangles>],
    /// The material of each polygon.
    pub looks: &'a [Look],
}

/// The result of the comparison.
pub struct Found {
    /// Matched polygons.
    pub matches: Vec<Match>,
    /// Additional copies of them.
    pub copies: Vec<Match>,
    /// Exported polygons that were deleted.
    pub gone: Vec<usize>,
    /// New triangles.
    pub left: Vec<usize>,
}

fn turned(t: [usize; 3]) -> ([usize; 3], usize) {
    let [a, b, c] = t;
    if a <= b && a <= c {
        (t, 0)
    } else if b <= a && b <= c {
        ([b, c, a], 1)
    } else {
        ([c, a, b], 2)
    }
}

/// Maximum number of attempts per polygon. Few triangles share an edge, except in malicious files.
const TRIES: usize = 8;

/// How vertices are identified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// By number.
    Vertex,
    /// By position.
    Place,
    /// By the second texture coordinates, regardless of the position.
    Tag,
}

struct Round<'a> {
    old: &'a Old<'a>,
    triangles: &'a [Triangle],
    looks: &'a [Look],
    resolved: &'a Resolved,
    by: By,
    /// Materials must be equal.
    strict: bool,
    /// Faces are reversed.
    flipped: bool,
    /// A polygon may be matched several times.
    copies: bool,
    /// The vertices of the file's corners, identified as in this round.
    keys: Vec<[usize; 3]>,
}

type Fans = HashMap<([usize; 3], Option<Look>), Vec<usize>>;

impl Round<'_> {
    fn fits(&self, polygon: usize, triangle: usize) -> bool {
        !self.strict || self.old.looks.get(polygon) == self.looks.get(triangle)
    }

    /// The number of attributes in which a triangle differs from the polygon.
    fn differs(
        &self,
        shown: &Triangles,
        order: [usize; 3],
        triangle: usize,
        shift: usize,
    ) -> usize {
        let Some(found) = self.triangles.get(triangle) else {
            return 0;
        };
        let off = |n: usize| {
            let (Some(own), Some(c)) = (
                order.get(n).and_then(|i| shown.corners.get(*i)),
                found.corners.get((n + shift) % 3),
            ) else {
                return 0;
            };
            let uv =
                c.uv.is_some_and(|uv| uv.iter().zip(own.uv).any(|(a, b)| (a - b).abs() > 1e-5));
            let color = c.color.is_some_and(|color| {
                color
                    .iter()
                    .zip(own.color)
                    .any(|(a, b)| (a - b).abs() > 0.01)
            });
            let normal = c
                .normal
                .is_some_and(|n| n.iter().zip(own.normal).any(|(a, b)| (a - b).abs() > 1e-3));
            usize::from(uv) + usize::from(color) + usize::from(normal)
        };
        (0..3).map(off).sum()
    }

    /// The identity of a model's vertex in this round.
    fn key(&self, vertex: u32) -> usize {
        match self.by {
            By::Place => self
                .resolved
                .places
                .get(vertex as usize)
                .copied()
                .unwrap_or(vertex as usize),
            By::Vertex | By::Tag => vertex as usize,
        }
    }

    /// A face of the model in the orientation of the file.
    fn turn<T>(&self, [a, b, c]: [T; 3]) -> [T; 3] {
        if self.flipped { [a, c, b] } else { [a, b, c] }
    }

    /// The vertex of a file's corner.
    fn id(&self, (triangle, corner): At) -> Option<usize> {
        self.resolved.corners.get(triangle)?.get(corner).copied()
    }

    /// True if two corners that are equal in this round are the same vertex.
    fn is_one(&self, a: At, b: At) -> bool {
        self.by != By::Tag || self.id(a) == self.id(b)
    }

    /// True if a triangle may belong to a polygon: near divided edges, numbers are whole by
    /// accident.
    fn is_whole(&self, triangle: usize) -> bool {
        self.by != By::Tag
            || self
                .resolved
                .corners
                .get(triangle)
                .is_some_and(|ids| ids.iter().all(|id| !self.resolved.divided.contains(id)))
    }

    /// Matches by the exported triangles.
    fn fans(&self, open: &mut Vec<usize>, used: &mut [bool], matches: &mut Vec<Match>) {
        // In reverse order, so that used triangles can be removed from the end.
        let mut by_key: Fans = HashMap::new();
        for (i, keys) in self.keys.iter().enumerate().rev() {
            if used.get(i) == Some(&false) && self.is_whole(i) {
                by_key
                    .entry((turned(*keys).0, self.look_of(self.looks.get(i))))
                    .or_default()
                    .push(i);
            }
        }
        self.each(open, used, matches, |polygon, shown, used| {
            self.fan(polygon, shown, &mut by_key, used)
        });
    }

    /// Matches each open polygon with the corners and triangles that `find` returns.
    fn each(
        &self,
        open: &mut Vec<usize>,
        used: &mut [bool],
        matches: &mut Vec<Match>,
        mut find: impl FnMut(usize, &Triangles, &[bool]) -> Option<(Vec<Option<At>>, Vec<usize>)>,
    ) {
        let (flipped, other_vertices) = (self.flipped, self.by == By::Tag);
        open.retain(|polygon| {
            let Some(Some(shown)) = self.old.shown.get(*polygon) else {
                return false;
            };
            if flipped && !shown.can_flip() {
                return true;
            }
            let mut found = false;
            while let Some((corners, triangles)) = find(*polygon, shown, used) {
                found = true;
                for t in &triangles {
                    if let Some(used) = used.get_mut(*t) {
                        *used = true;
                    }
                }
                matches.push(Match {
                    polygon: *polygon,
                    corners,
                    triangles,
                    flipped,
                    other_vertices,
                });
                if !self.copies {
                    break;
                }
            }
            self.copies || !found
        });
    }

    fn look_of(&self, look: Option<&Look>) -> Option<Look> {
        look.copied().filter(|_| self.strict)
    }

    /// The triangles of a polygon, and their corners.
    fn fan(
        &self,
        polygon: usize,
        shown: &Triangles,
        by_key: &mut Fans,
        used: &[bool],
    ) -> Option<(Vec<Option<At>>, Vec<usize>)> {
        let mut corners: Vec<Option<At>> = vec![None; shown.corners.len()];
        let mut own = Vec::with_capacity(shown.order.len());
        let mut look = None;
        for order in &shown.order {
            let order = self.turn(*order);
            let key = |i: usize| shown.corners.get(i).map_or(0, |c| self.key(c.index));
            let (wanted, first) = turned(order.map(key));
            let shift = |t: usize| {
                self.keys
                    .get(t)
                    .map_or(0, |keys| (turned(*keys).1 + 3 - first) % 3)
            };
            let list = by_key.get_mut(&(wanted, self.look_of(self.old.looks.get(polygon))))?;
            while list.last().is_some_and(|t| used.get(*t) == Some(&true)) {
                list.pop();
            }
            let fits = |t: &usize| {
                let one = |n: usize| {
                    let known = order
                        .get(n)
                        .and_then(|corner| corners.get(*corner).copied().flatten());
                    known.is_none_or(|at| self.is_one(at, (*t, (n + shift(*t)) % 3)))
                };
                (look.is_none() || self.looks.get(*t) == look) && (0..3).all(one)
            };
            let free = list
                .iter()
                .rev()
                .copied()
                .filter(|t| used.get(*t) == Some(&false) && !own.contains(t));
            let most = if self.copies {
                TRIES * TRIES
            } else {
                usize::MAX
            };
            let free = free.take(most).filter(fits).take(TRIES);
            let best = free.min_by_key(|t| self.differs(shown, order, *t, shift(*t)))?;
            look = self.looks.get(best);
            for (n, corner) in order.into_iter().enumerate() {
                if let Some(slot @ None) = corners.get_mut(corner) {
                    *slot = Some((best, (n + shift(best)) % 3));
                }
            }
            own.push(best);
        }
        // Remove each from its list, so that used triangles are not visited again.
        for t in &own {
            let key = self
                .keys
                .get(*t)
                .map(|keys| (turned(*keys).0, self.look_of(self.looks.get(*t))));
            if let Some(list) = key.and_then(|key| by_key.get_mut(&key))
                && let Some(at) = list.iter().rposition(|other| other == t)
            {
                list.remove(at);
            }
        }
        Some((corners, own))
    }

    /// Matches by outline.
    fn outlines(&self, open: &mut Vec<usize>, used: &mut [bool], matches: &mut Vec<Match>) {
        let mut by_edge: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (i, [a, b, c]) in self.keys.iter().enumerate() {
            if used.get(i) == Some(&false) && self.is_whole(i) {
                for edge in [(*a, *b), (*b, *c), (*c, *a)] {
                    by_edge.entry(edge).or_default().push(i);
                }
            }
        }
        self.each(open, used, matches, |polygon, shown, used| {
            let key = |i: usize| shown.corners.get(i).map_or(0, |c| self.key(c.index));
            let faces: Vec<[usize; 3]> =
                shown.order.iter().map(|t| self.turn(*t).map(key)).collect();
            let border = border(&faces)?;
            let inside: HashSet<usize> = border.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let own = self.filled(polygon, &border, &inside, used, &by_edge)?;
            let place = |i: usize| {
                own.iter()
                    .find_map(|t| Some((*t, self.keys.get(*t)?.iter().position(|k| *k == key(i))?)))
            };
            Some(((0..shown.corners.len()).map(place).collect(), own))
        });
    }

    /// The triangles that fill an outline.
    fn filled(
        &self,
        polygon: usize,
        border: &[(usize, usize)],
        inside: &HashSet<usize>,
        used: &[bool],
        by_edge: &HashMap<(usize, usize), Vec<usize>>,
    ) -> Option<Vec<usize>> {
        let starts = by_edge.get(border.first()?).map_or(&[][..], Vec::as_slice);
        let starts = starts.iter().take(TRIES * TRIES).copied();
        let mut starts = starts
            .filter(|t| used.get(*t) == Some(&false) && self.fits(polygon, *t))
            .take(TRIES);
        starts.find_map(|start| self.grow(start, border, inside, used, by_edge))
    }

    /// The triangles that fill an outline, starting with one of them.
    fn grow(
        &self,
        start: usize,
        border: &[(usize, usize)],
        inside: &HashSet<usize>,
        used: &[bool],
        by_edge: &HashMap<(usize, usize), Vec<usize>>,
    ) -> Option<Vec<usize>> {
        let edges: HashSet<(usize, usize)> = border.iter().copied().collect();
        let look = self.looks.get(start);
        let (mut own, mut open, mut met) = (vec![start], vec![start], 0usize);
        // A polygon with n corners has n − 2 triangles.
        while let Some(t) = open.pop() {
            let [a, b, c] = *self.keys.get(t)?;
            if ![a, b, c].iter().all(|k| inside.contains(k)) {
                return None;
            }
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if edges.contains(&(from, to)) {
                    met += 1;
                    continue;
                }
                let across = by_edge.get(&(to, from))?;
                if across.iter().any(|other| own.contains(other)) {
                    continue;
                }
                let meets = |other: usize, key: usize| {
                    let at =
                        |t: usize| Some((t, self.keys.get(t)?.iter().position(|k| *k == key)?));
                    at(t).zip(at(other)).is_some_and(|(a, b)| self.is_one(a, b))
                };
                let free = |other: &&usize| {
                    let other = **other;
                    let fits = used.get(other) == Some(&false) && self.looks.get(other) == look;
                    fits && meets(other, from) && meets(other, to)
                };
                let next = *across.iter().take(TRIES).find(free)?;
                own.push(next);
                open.push(next);
                if own.len() + 2 > border.len() {
                    return None;
                }
            }
        }
        (met == border.len() && own.len() + 2 == border.len()).then_some(own)
    }
}

/// The edges of faces that occur in one direction only; `None` unless they outline one polygon
/// without holes.
fn border(faces: &[[usize; 3]]) -> Option<Vec<(usize, usize)>> {
    let all = || {
        faces
            .iter()
            .flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)])
    };
    let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
    for edge in all() {
        *counts.entry(edge).or_default() += 1;
    }
    if counts.values().any(|n| *n > 1) {
        return None;
    }
    let out: Vec<(usize, usize)> = all()
        .filter(|(a, b)| !counts.contains_key(&(*b, *a)))
        .collect();
    (out.len() == faces.len() + 2).then_some(out)
}

/// Compares a file's triangles with the model's polygons. `looks` are the materials of the
/// triangles.
pub fn compare(
    old: &Old<'_>,
    triangles: &[Triangle],
    looks: &[Look],
    resolved: &Resolved,
) -> Found {
    let mut open: Vec<usize> = old
        .shown
        .iter()
        .enumerate()
        .filter_map(|(i, s)| s.as_ref().map(|_| i))
        .collect();
    let mut all = open.clone();
    let mut used = vec![false; triangles.len()];
    let (mut matches, mut copies) = (Vec::new(), Vec::new());
    let round = |by: By, strict: bool, flipped: bool, copies: bool| {
        let place = |v: usize| resolved.places.get(v).copied().unwrap_or(v);
        let keys = match by {
            By::Vertex => resolved.corners.clone(),
            By::Place => resolved.corners.iter().map(|t| t.map(place)).collect(),
            By::Tag => resolved.tags.clone(),
        };
        Round {
            old,
            triangles,
            looks,
            resolved,
            by,
            strict,
            flipped,
            copies,
            keys,
        }
    };
    use By::{Place, Tag, Vertex};
    let straight = [
        (Vertex, true),
        (Place, true),
        (Vertex, false),
        (Place, false),
        (Tag, true),
        (Tag, false),
    ];
    let turned = [
        (Vertex, true),
        (Place, true),
        (Tag, true),
        (Vertex, false),
        (Place, false),
        (Tag, false),
    ];
    for (flipped, (by, strict)) in straight
        .map(|way| (false, way))
        .into_iter()
        .chain(turned.map(|way| (true, way)))
    {
        if open.is_empty() || !used.contains(&false) {
            break;
        }
        let round = round(by, strict, flipped, false);
        round.fans(&mut open, &mut used, &mut matches);
        if !open.is_empty() {
            round.outlines(&mut open, &mut used, &mut matches);
        }
    }
    let vertices = resolved.fates.len();
    let says = |(i, used): (usize, &bool)| {
        !used
            && resolved
                .tags
                .get(i)
                .is_some_and(|tags| tags.iter().all(|v| *v < vertices))
    };
    for (flipped, strict) in [(false, true), (false, false), (true, true), (true, false)] {
        if !used.iter().enumerate().any(says) {
            break;
        }
        let round = round(By::Tag, strict, flipped, true);
        round.fans(&mut all, &mut used, &mut copies);
        round.outlines(&mut all, &mut used, &mut copies);
    }
    matches.sort_by_key(|m| m.polygon);
    // In the order of the file.
    copies.sort_by_key(|m| (m.triangles.iter().min().copied(), m.polygon));
    let left = used
        .iter()
        .enumerate()
        .filter_map(|(i, used)| (!used).then_some(i))
        .collect();
    Found {
        matches,
        copies,
        gone: open,
        left,
    }
}
