//! Applies a file's triangles to a model: whatever they leave unchanged keeps its bits, the rest is
//! edited.

use super::{
    polygons::{At, Fate, Found, Look, Match, Old, Resolved},
    report::{Options, Report},
    scene::{Corner, Triangle},
};
use crate::scene::{
    axes,
    mesh::{Triangles, Vertex},
};
use refit_base::{
    game::Game,
    wire::{Defaulted, Derived, F32, Result},
};
use refit_zipper::gamez::{
    models::{Few, Layer, Model, Polygon, PolygonFlags},
    types::ZoneSet,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The mapping between materials of the file and of the game.
pub struct Materials<'a> {
    /// The position in the game of a number in a [`Look`], after adding a new material; `None` for
    /// no material.
    pub index: &'a mut dyn FnMut(usize) -> Result<Option<u32>>,
    /// The position of a plain material, for polygons without a material in the file.
    pub plain: &'a mut dyn FnMut() -> Result<u32>,
    /// True for a material with a texture.
    pub textured: &'a dyn Fn(Option<u32>) -> bool,
}

/// Tolerances for rounding by other programs: for the components of normals, and of texture
/// coordinates.
pub const NORMAL: f32 = 5e-4;
const UV: f32 = 1e-6;

/// The tolerance for the components of normals from Blender, which replaces a custom normal by the
/// computed one if their cosine is above 1 − 1e-4 (about 0.8°).
pub const NORMAL_OF_BLENDER: f32 = 0.0145;

/// The default for missing texture coordinates. glTF itself defines the defaults for missing
/// normals (those of the faces) and colours (white).
const NO_UVS: &str =
    "polygons with a texture whose corners have no texture coordinates in the file: 0, 0";

/// The default for a missing material: no game draws a polygon without one.
const PLAIN: &str = "new polygons that have no material in the file: a plain white one";

const WHITE: [F32; 3] = [F32::from_bits(0x437f_0000); 3];

fn apart<const N: usize>(a: [f32; N], b: [f32; N], least: f32) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > least)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The angle between two directions; 0 if one of them has none.
fn angle(a: [f32; 3], b: [f32; 3]) -> f32 {
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 {
        libm::acosf((dot(a, b) / length).clamp(-1.0, 1.0))
    } else {
        0.0
    }
}

/// The normal of a polygon from all of its points, which need not be in one plane: its triangles
/// have different normals depending on the triangulation.
fn ring_normal(ring: &[[f32; 3]]) -> [f32; 3] {
    let next = ring.iter().cycle().skip(1);
    ring.iter()
        .zip(next)
        .fold([0.0; 3], |[x, y, z], ([a, b, c], [d, e, f])| {
            [
                x + (b - e) * (c + f),
                y + (c - f) * (a + d),
                z + (a - d) * (b + e),
            ]
        })
}

/// The largest angle by which edges and faces of a polygon turned: programs rotate normals by as
/// much.
fn turned(before: &Triangles, now: &[[f32; 3]]) -> f32 {
    let was = |i: usize| before.corners.get(i).map_or([0.0; 3], |c| c.position);
    let is = |i: usize| now.get(i).copied().unwrap_or_default();
    let edge = |of: &dyn Fn(usize) -> [f32; 3], i: usize, j: usize| {
        let (a, b) = (of(i), of(j));
        std::array::from_fn(|n| {
            b.get(n).copied().unwrap_or_default() - a.get(n).copied().unwrap_or_default()
        })
    };
    let mut most = [0.0f32; 2];
    for [a, b, c] in &before.order {
        for (i, j) in [(*a, *b), (*b, *c), (*c, *a)] {
            most[0] = most[0].max(angle(edge(&was, i, j), edge(&is, i, j)));
        }
        let [before, now] = [
            axes::face_normal([*a, *b, *c].map(was)),
            axes::face_normal([*a, *b, *c].map(is)),
        ];
        most[1] = most[1].max(before.zip(now).map_or(0.0, |(a, b)| angle(a, b)));
    }
    most[0] + most[1]
}

/// Reverses the order of a polygon's corners; each corner keeps its attributes.
fn flip(polygon: &mut Polygon) {
    fn list<T>(list: &mut [T], strip: bool) {
        match (strip, list.len()) {
            // A strip of two triangles reverses by swapping the middle corners.
            (true, 4) => list.swap(1, 2),
            (true, _) => list.reverse(),
            (false, _) => list.get_mut(1..).unwrap_or_default().reverse(),
        }
    }
    let strip = polygon.flags.has(PolygonFlags::TRI_STRIP);
    list(&mut polygon.vertices, strip);
    if let Some(normals) = &mut polygon.normals {
        list(normals, strip);
    }
    if let Some(colors) = &mut polygon.colors {
        list(colors, strip);
    }
    for uvs in polygon.uvs.iter_mut().chain(
        polygon
            .layers
            .iter_mut()
            .filter_map(|layer| layer.uvs.as_mut()),
    ) {
        list(uvs, strip);
    }
}

/// The tolerance for colours, of 255: half a byte by rounding, plus the error of linear light in 16
/// bits, as Blender writes some colours, where it is largest, at dark colours: half a step of
/// 65,535 times the slope of 12.92.
const COLOR: f32 = 0.53;

/// The texture coordinates of corners; 0, 0 for those that have none.
fn uvs_of(corners: &[Option<Corner>]) -> Few<[F32; 2]> {
    corners
        .iter()
        .map(|c| c.and_then(|c| c.uv).unwrap_or_default().map(F32::from))
        .collect()
}

/// True if two colours differ in a byte.
fn repainted(a: [f32; 3], b: [f32; 3]) -> bool {
    let [a, b] = [axes::shown(a), axes::shown(b)];
    a.iter()
        .zip(b)
        .any(|(a, b)| (a.get() - b.get()).abs() > COLOR)
}

/// The normal of a triangle of the file.
fn flat(triangle: &Triangle) -> Option<[f32; 3]> {
    axes::face_normal(triangle.corners.map(|c| c.position))
}

/// The polygon that most likely contained a fragment with these corners: one with the same look
/// first, then the one that shares most corners, at least `least`.
fn parent(
    ids: &[usize],
    look: Look,
    at: &HashMap<usize, Vec<usize>>,
    old: &Old<'_>,
    least: usize,
) -> Option<usize> {
    let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
    for id in ids {
        // A vertex shared by thousands of polygons is no evidence.
        let mut here: Vec<usize> = at.get(id).into_iter().flatten().take(64).copied().collect();
        here.sort_unstable();
        here.dedup();
        for polygon in here {
            *shared.entry(polygon).or_default() += 1;
        }
    }
    let same = |polygon: usize| old.looks.get(polygon) == Some(&look);
    let shared = shared.into_iter().filter(|(_, n)| *n >= least);
    shared
        .max_by_key(|(polygon, n)| (same(*polygon), *n, usize::MAX - *polygon))
        .map(|(polygon, _)| polygon)
}

struct Work<'a> {
    game: Game,
    /// The tolerance for the components of normals.
    normal_off: f32,
    triangles: &'a [Triangle],
    looks: &'a [Look],
    model: Model,
    resolved: &'a Resolved,
    /// Normals by their bits.
    normals: HashMap<[u32; 3], u32>,
    /// The places at which faces were changed. Programs compute the normals of the faces around
    /// again.
    touched: HashSet<usize>,
    report: Report,
    /// Number of colours that the game cannot store.
    colors_lost: usize,
    /// Number of corners of new polygons without texture coordinates for the further materials.
    layers_lost: usize,
    /// Number of polygons whose material is missing in the file.
    bare: usize,
    /// Number of new polygons without a material.
    plain: usize,
    /// Number of polygons that need texture coordinates but have none in the file.
    without_uvs: usize,
}

/// The places of the corners of faces that were moved, removed or added.
fn touched(model: &Model, resolved: &Resolved, found: &Found) -> HashSet<usize> {
    let is_moved = |v: &u32| matches!(resolved.fates.get(*v as usize), Some(Fate::Moved(_)));
    let moved = model
        .polygons
        .iter()
        .filter(|polygon| polygon.vertices.iter().any(is_moved));
    let other = found
        .matches
        .iter()
        .filter(|m| m.other_vertices || m.flipped)
        .map(|m| &m.polygon);
    let other = other
        .chain(&found.gone)
        .filter_map(|polygon| model.polygons.get(*polygon));
    let old = moved
        .chain(other)
        .flat_map(|polygon| &polygon.vertices)
        .map(|v| *v as usize);
    let new = found
        .left
        .iter()
        .filter_map(|t| resolved.corners.get(*t))
        .flatten()
        .copied();
    old.chain(new)
        .filter_map(|v| resolved.places.get(v).copied())
        .collect()
}

/// Creates the edited model. `normal_off` is the tolerance for the components of normals.
pub fn apply(
    model: &Model,
    game: Game,
    old: &Old<'_>,
    (triangles, looks, normal_off): (&[Triangle], &[Look], f32),
    (resolved, found): (&Resolved, &Found),
    materials: &mut Materials<'_>,
    options: Options,
) -> Result<(Model, Report)> {
    let mut normals = HashMap::new();
    for (i, normal) in (0u32..).zip(&model.normals) {
        normals.entry(normal.map(F32::bits)).or_insert(i);
    }
    let mut work = Work {
        game,
        normal_off,
        triangles,
        looks,
        model: model.clone(),
        resolved,
        normals,
        touched: touched(model, resolved, found),
        report: Report::default(),
        colors_lost: 0,
        layers_lost: 0,
        bare: 0,
        plain: 0,
        without_uvs: 0,
    };
    work.vertices();
    for m in &found.matches {
        work.keep(m, old, materials)?;
    }
    for m in &found.copies {
        if let Some(copy) = model.polygons.get(m.polygon)
            && let Some(copy) = work.edited(copy, m, old, materials, true)?
        {
            work.model.polygons.push(copy);
            work.report.polygons_new += 1;
        }
    }
    work.add(old, found, materials, options)?;
    let gone: HashSet<usize> = found.gone.iter().copied().collect();
    if !gone.is_empty() {
        let mut i = 0;
        work.model.polygons.retain(|_| {
            i += 1;
            !gone.contains(&(i - 1))
        });
        work.report.polygons_gone = gone.len();
    }
    if !work.report.is_unchanged() {
        work.sweep(model);
        // Let everything derived from the polygons be derived again.
        work.model.material_refs = Derived(None);
        let polygons = !work.model.polygons.is_empty();
        if polygons == model.polygons.is_empty() {
            work.model.say_polygons(game, polygons);
        }
    }
    work.tell();
    Ok((work.model, work.report))
}

impl Work<'_> {
    /// Moves vertices, and adds the new ones.
    fn vertices(&mut self) {
        for (vertex, fate) in self.model.vertices.iter_mut().zip(&self.resolved.fates) {
            if let Fate::Moved(place) = fate {
                *vertex = axes::game_point(*place);
                self.report.vertices_moved += 1;
            }
        }
        self.model
            .vertices
            .extend(self.resolved.new.iter().map(|p| axes::game_point(*p)));
        self.report.vertices_new = self.resolved.new.len();
    }

    fn corner(&self, at: At) -> Option<&Corner> {
        self.triangles.get(at.0)?.corners.get(at.1)
    }

    /// The index of a normal of the file; adds it to the model if necessary.
    fn normal(&mut self, normal: [f32; 3]) -> u32 {
        let normal = axes::game_point(normal);
        let next = self.model.normals.len() as u32;
        let at = *self.normals.entry(normal.map(F32::bits)).or_insert(next);
        if at == next {
            self.model.normals.push(normal);
        }
        at
    }

    /// Applies the changes to a polygon that still exists.
    fn keep(&mut self, m: &Match, old: &Old<'_>, materials: &mut Materials<'_>) -> Result<()> {
        let Some(polygon) = self.model.polygons.get(m.polygon).cloned() else {
            return Ok(());
        };
        let Some(new) = self.edited(&polygon, m, old, materials, false)? else {
            return Ok(());
        };
        if let Some(slot) = self.model.polygons.get_mut(m.polygon)
            && *slot != new
        {
            *slot = new;
            self.report.polygons_changed += 1;
        }
        Ok(())
    }

    /// The polygon as in the file; `None` if it is unchanged.
    fn edited(
        &mut self,
        polygon: &Polygon,
        m: &Match,
        old: &Old<'_>,
        materials: &mut Materials<'_>,
        copy: bool,
    ) -> Result<Option<Polygon>> {
        let Some(Some(shown)) = old.shown.get(m.polygon) else {
            return Ok(None);
        };
        let mut new = polygon.clone();
        let corners: Vec<Option<Corner>> = m
            .corners
            .iter()
            .map(|at| self.corner((*at)?).copied())
            .collect();
        if m.other_vertices {
            let id = |at: At| Some(*self.resolved.corners.get(at.0)?.get(at.1)? as u32);
            // Invisible corners of a strip repeat visible ones.
            let to: HashMap<u32, u32> = new
                .vertices
                .iter()
                .zip(&m.corners)
                .filter_map(|(v, at)| Some((*v, id((*at)?)?)))
                .collect();
            for (vertex, at) in new.vertices.iter_mut().zip(&m.corners) {
                *vertex = at
                    .and_then(id)
                    .or_else(|| to.get(vertex).copied())
                    .unwrap_or(*vertex);
            }
        }
        // Materials first: whether there are texture coordinates depends on them.
        let look = m
            .triangles
            .first()
            .and_then(|t| self.looks.get(*t))
            .copied();
        let mut other = false;
        if let (Some((material, two_sided)), Some((before, was_two_sided))) =
            (look, old.looks.get(m.polygon))
        {
            if material != *before {
                match (materials.index)(material)? {
                    None => self.bare += 1,
                    index => (new.material, other) = (index, true),
                }
            }
            if two_sided != *was_two_sided {
                new.flags = new.flags.with(PolygonFlags::SHOW_BACKFACE, two_sided);
            }
        }
        let textured = (materials.textured)(new.material);
        self.uvs(&mut new, shown, &corners, textured, other);
        self.colors(&mut new, shown, &corners);
        self.normals(&mut new, m, shown, &corners, copy);
        if copy {
            self.mend(&mut new, &corners, textured);
        }
        if m.flipped {
            flip(&mut new);
        }
        Ok(Some(new))
    }

    /// Applies texture coordinates. `other` is true if the polygon has another material now.
    fn uvs(
        &mut self,
        new: &mut Polygon,
        shown: &Triangles,
        corners: &[Option<Corner>],
        textured: bool,
        other: bool,
    ) {
        match &mut new.uvs {
            Some(_) if other && !textured && new.layers.is_empty() => new.uvs = None,
            Some(uvs) => {
                for (uv, (corner, own)) in uvs.iter_mut().zip(corners.iter().zip(&shown.corners)) {
                    let Some(found) = corner.and_then(|c| c.uv) else {
                        continue;
                    };
                    for ((value, a), b) in uv.iter_mut().zip(found).zip(own.uv) {
                        if (a - b).abs() > UV * b.abs().max(1.0) {
                            *value = F32::from(a);
                        }
                    }
                }
            }
            None if textured && other => {
                self.without_uvs +=
                    usize::from(corners.iter().any(|c| c.is_none_or(|c| c.uv.is_none())));
                new.uvs = Some(uvs_of(corners));
            }
            None => {}
        }
    }

    /// Applies the colours of corners.
    fn colors(&mut self, new: &mut Polygon, shown: &Triangles, corners: &[Option<Corner>]) {
        let painted = |(corner, own): (&Option<Corner>, &Vertex)| {
            corner
                .and_then(|c| c.color)
                .filter(|found| repainted(*found, own.color))
        };
        let painted: Vec<Option<[f32; 3]>> =
            corners.iter().zip(&shown.corners).map(painted).collect();
        if painted.iter().all(Option::is_none) {
            return;
        }
        if self.game.itself() == Game::Rc {
            self.colors_lost += 1;
            return;
        }
        let mut colors = new
            .colors
            .clone()
            .unwrap_or_else(|| corners.iter().map(|_| WHITE).collect());
        for (slot, color) in colors.iter_mut().zip(painted) {
            *slot = color.map_or(*slot, axes::shown);
        }
        new.colors = Some(colors).filter(|c| c.iter().any(|c| *c != WHITE));
    }

    /// Applies normals.
    fn normals(
        &mut self,
        new: &mut Polygon,
        m: &Match,
        shown: &Triangles,
        corners: &[Option<Corner>],
        copy: bool,
    ) {
        let moved = |v: &u32| matches!(self.resolved.fates.get(*v as usize), Some(Fate::Moved(_)));
        let moved = new.vertices.iter().any(moved) || m.other_vertices || m.flipped;
        let pairs = || corners.iter().zip(&shown.corners);
        let places: Vec<[f32; 3]> = pairs()
            .map(|(corner, own)| corner.map_or(own.position, |c| c.position))
            .collect();
        let whole = ring_normal(&places);
        // If single corners were moved, a program also rotated the normals; that is not an edit.
        let slack = if m.other_vertices && !m.flipped && !copy {
            turned(shown, &places)
        } else {
            0.0
        };
        // Programs cannot keep the normals of a polygon that visits a position twice, or whose
        // coordinates are too large to multiply.
        let ring: HashSet<u32> = new.vertices.iter().copied().collect();
        let far = shown
            .corners
            .iter()
            .any(|c| c.position.iter().any(|v| v.abs() > 1e15));
        let is_touched = |v: &u32| {
            self.resolved
                .places
                .get(*v as usize)
                .is_some_and(|p| self.touched.contains(p))
        };
        let follows: Vec<bool> = new
            .vertices
            .iter()
            .map(|v| !moved && !copy && is_touched(v))
            .collect();
        if ring.len() != new.vertices.len() || far {
            return;
        }
        if let Some(list) = &mut new.normals {
            for ((slot, (corner, own)), follows) in list.iter_mut().zip(pairs()).zip(follows) {
                if follows {
                    continue;
                }
                let says = |n: &[f32; 3]| {
                    apart(*n, own.normal, self.normal_off)
                        && (slack == 0.0 || angle(*n, own.normal) > slack)
                };
                if let Some(found) = corner.and_then(|c| c.normal).filter(says) {
                    *slot = self.normal(found);
                }
            }
            return;
        }
        // The export uses the face's normal if there is none, and programs rotate it with the face.
        let least = if moved { 0.99 } else { 0.9999 };
        let whole = Some(dot(whole, whole).sqrt())
            .filter(|length| moved && !shown.strip && *length > 0.0)
            .map(|length| whole.map(|v| v / length));
        let smooth = m.corners.iter().zip(&shown.corners).any(|(at, own)| {
            let Some(found) = at.and_then(|at| self.corner(at)?.normal) else {
                return false;
            };
            let face = at.and_then(|at| flat(self.triangles.get(at.0)?));
            let found = found.map(|v| v / dot(found, found).sqrt().max(1e-9));
            let off =
                |face: [f32; 3]| dot(found, face) < least && dot(found, face.map(|v| -v)) < least;
            (if m.flipped {
                off(own.normal)
            } else {
                dot(found, own.normal) < least && angle(found, own.normal) > slack
            }) && face.is_none_or(|face| dot(found, face) < least)
                && whole.is_none_or(off)
        });
        let normals: Option<Vec<[f32; 3]>> =
            corners.iter().map(|corner| (*corner)?.normal).collect();
        if let Some(normals) = normals.filter(|_| smooth) {
            new.normals = Some(normals.into_iter().map(|n| self.normal(n)).collect());
            new.normals_flag = Derived(None);
        }
    }

    /// Repairs copies of a polygon with faults: dangling normals, and words that Recoil reads as
    /// texture coordinates.
    fn mend(&mut self, copy: &mut Polygon, corners: &[Option<Corner>], textured: bool) {
        copy.pointers = Defaulted(None);
        copy.normals_flag = Derived(None);
        if copy
            .normals
            .iter()
            .flatten()
            .any(|n| *n as usize >= self.model.normals.len())
        {
            let normals: Option<Few<[f32; 3]>> =
                corners.iter().map(|corner| (*corner)?.normal).collect();
            copy.normals = normals.map(|list| list.into_iter().map(|n| self.normal(n)).collect());
        }
        match (&copy.uvs, textured) {
            _ if self.game.itself() != Game::Rc => {}
            (None, true) => {
                copy.uvs = Some(uvs_of(corners));
            }
            (Some(_), false) if copy.layers.is_empty() => copy.uvs = None,
            _ => {}
        }
    }

    /// Adds polygons for the new triangles.
    fn add(
        &mut self,
        old: &Old<'_>,
        found: &Found,
        materials: &mut Materials<'_>,
        options: Options,
    ) -> Result<()> {
        if found.left.is_empty() {
            return Ok(());
        }
        // Finds deleted polygons by vertex, for new fragments of them.
        let mut at_vertex: HashMap<usize, Vec<usize>> = HashMap::new();
        for polygon in &found.gone {
            for v in self
                .model
                .polygons
                .get(*polygon)
                .into_iter()
                .flat_map(|p| &p.vertices)
            {
                at_vertex.entry(*v as usize).or_default().push(*polygon);
            }
        }
        let usual = Usuals::of(&self.model, old.looks);
        let rings = if options.merge_polygons {
            super::merge::rings(&found.left, self.triangles, self.looks, self.resolved)
        } else {
            found
                .left
                .iter()
                .map(|t| [0, 1, 2].map(|n| (*t, n)).to_vec())
                .collect()
        };
        let mut pieces = Vec::with_capacity(rings.len());
        // Number of new polygons that are not fragments of old ones, by material.
        let mut alone: BTreeMap<usize, usize> = BTreeMap::new();
        // Fragments with new vertices only: their polygon follows from fragments that share these
        // vertices.
        let mut at_new: HashMap<usize, Vec<usize>> = HashMap::new();
        let before = self.resolved.fates.len();
        for ring in rings {
            let Some(look) = ring.first().and_then(|at| self.looks.get(at.0)).copied() else {
                continue;
            };
            let ids: Vec<usize> = ring
                .iter()
                .filter_map(|at| self.resolved.corners.get(at.0)?.get(at.1))
                .copied()
                .collect();
            let parent = parent(&ids, look, &at_vertex, old, 1);
            if let Some(parent) = parent {
                ids.iter()
                    .filter(|id| **id >= before)
                    .for_each(|id| at_new.entry(*id).or_default().push(parent));
            }
            pieces.push((ring, ids, look, parent));
        }
        for (ring, ids, look, own) in pieces {
            let near = || parent(&ids, look, &at_new, old, 2);
            let corners_of = |p: usize| self.model.polygons.get(p).map(|polygon| &polygon.vertices);
            let fits = |p: &usize| {
                let is_piece = |all: &Few<u32>| ids.iter().all(|id| all.contains(&(*id as u32)));
                old.looks.get(*p).is_some_and(|own| own.0 == look.0)
                    || corners_of(*p).is_some_and(is_piece)
            };
            // A neighbour of another material is a weaker hint than the model's own polygons of
            // this material.
            let own = match own.filter(fits).or_else(|| near().filter(fits)) {
                None if !usual.has(look.0) => own.or_else(near),
                fitting => fitting,
            };
            if own.is_none() {
                *alone.entry(look.0).or_default() += 1;
            }
            let parent = own.and_then(|p| self.model.polygons.get(p)).cloned();
            let polygon =
                self.new_polygon(&ring, &ids, look, parent.as_ref(), &usual, materials)?;
            self.model.polygons.push(polygon);
            self.report.polygons_new += 1;
        }
        alone
            .into_iter()
            .for_each(|(material, n)| self.report.add_default(usual.describe(material), n));
        Ok(())
    }

    fn new_polygon(
        &mut self,
        ring: &[At],
        ids: &[usize],
        (material, two_sided): Look,
        parent: Option<&Polygon>,
        usual: &Usuals,
        materials: &mut Materials<'_>,
    ) -> Result<Polygon> {
        let mut index = (materials.index)(material)?;
        if index.is_none() {
            // A fragment has the material of its polygon.
            index = parent.and_then(|p| p.material);
            match index {
                Some(_) => self.bare += 1,
                None => {
                    self.plain += 1;
                    index = Some((materials.plain)()?);
                }
            }
        }
        let textured = (materials.textured)(index);
        let corners: Vec<Corner> = ring
            .iter()
            .filter_map(|at| self.corner(*at))
            .copied()
            .collect();
        let (flags, priority, zones) =
            parent.map_or_else(|| usual.like(material), |p| (p.flags, p.priority, p.zones));
        let flags = flags
            .with(PolygonFlags::TRI_STRIP, false)
            .with(PolygonFlags::SHOW_BACKFACE, two_sided);
        if textured && corners.iter().any(|c| c.uv.is_none()) {
            self.without_uvs += 1;
        }
        let uvs = textured.then(|| {
            corners
                .iter()
                .map(|c| c.uv.unwrap_or_default().map(F32::from))
                .collect::<Few<[F32; 2]>>()
        });
        let colors: Option<Few<[F32; 3]>> = Some(
            corners
                .iter()
                .map(|c| c.color.map_or(WHITE, axes::shown))
                .collect(),
        );
        let mut colors = colors.filter(|list| list.iter().any(|c| *c != WHITE));
        if self.game.itself() == Game::Rc && colors.take().is_some() {
            self.colors_lost += 1;
        }
        let face = ring.first().and_then(|at| flat(self.triangles.get(at.0)?));
        let smooth = corners.iter().any(|c| {
            c.normal
                .is_some_and(|n| face.is_none_or(|face| dot(n, face) < 0.999))
        });
        let wanted = parent.map_or(usual.normals || smooth, |p| p.normals.is_some() || smooth);
        let normals: Option<Few<u32>> = if wanted {
            let up = face.unwrap_or([0.0, 1.0, 0.0]);
            Some(
                corners
                    .iter()
                    .map(|c| self.normal(c.normal.unwrap_or(up)))
                    .collect(),
            )
        } else {
            None
        };
        // Further materials of the polygon, if each corner of the fragment is one of its corners.
        let layer = |parent: &Polygon, layer: &Layer| {
            let place = |id: &usize| parent.vertices.iter().position(|v| *v as usize == *id);
            let uvs = match &layer.uvs {
                Some(uvs) => Some(
                    ids.iter()
                        .map(|id| uvs.get(place(id)?).copied())
                        .collect::<Option<Few<[F32; 2]>>>()?,
                ),
                None => None,
            };
            Some(Layer {
                material: layer.material,
                uvs,
            })
        };
        let mut layers = Vec::new();
        if let Some(parent) =
            parent.filter(|p| !p.layers.is_empty() && p.uvs.is_some() == uvs.is_some())
        {
            match parent
                .layers
                .iter()
                .map(|l| layer(parent, l))
                .collect::<Option<Vec<Layer>>>()
            {
                Some(list) => layers = list,
                None => self.layers_lost += 1,
            }
        }
        Ok(Polygon {
            material: index,
            flags,
            priority,
            zones,
            vertices: ids.iter().map(|id| *id as u32).collect(),
            normals,
            uvs: uvs.filter(|_| index.is_some()),
            colors,
            layers,
            normals_flag: Derived(None),
            pointers: Defaulted(None),
        })
    }

    /// Removes the vertices and normals that were used before and no longer are.
    fn sweep(&mut self, before: &Model) {
        fn used<'a>(indices: impl Iterator<Item = &'a u32>) -> HashSet<u32> {
            indices.copied().collect()
        }
        /// Removes unused items, but not those of the first `before` that were not used before
        /// either. Returns the new index of each item; `None` for removed ones.
        fn kept<T>(
            list: &mut Vec<T>,
            before: usize,
            was: &HashSet<u32>,
            is: &HashSet<u32>,
        ) -> Vec<Option<u32>> {
            let mut next = 0u32..;
            let stays = |i: &u32| is.contains(i) || (*i as usize) < before && !was.contains(i);
            let to: Vec<_> = (0u32..)
                .zip(&*list)
                .map(|(i, _)| if stays(&i) { next.next() } else { None })
                .collect();
            let mut stays = to.iter().map(Option::is_some);
            list.retain(|_| stays.next() == Some(true));
            to
        }
        fn follow(index: &mut u32, to: &[Option<u32>]) {
            *index = to.get(*index as usize).copied().flatten().unwrap_or(*index);
        }
        let (old, model) = (&before.polygons, &mut self.model);
        // A morphed vertex is identified by its position in the list, so nothing is removed.
        if model.morphs.is_empty() {
            let is = used(model.polygons.iter().flat_map(|p| &p.vertices));
            let to = kept(
                &mut model.vertices,
                before.vertices.len(),
                &used(old.iter().flat_map(|p| &p.vertices)),
                &is,
            );
            self.report.vertices_gone = to.iter().filter(|t| t.is_none()).count();
            model
                .polygons
                .iter_mut()
                .flat_map(|p| &mut p.vertices)
                .for_each(|v| follow(v, &to));
        }
        let is = used(
            model
                .polygons
                .iter()
                .flat_map(|p| p.normals.iter().flatten()),
        );
        let to = kept(
            &mut model.normals,
            before.normals.len(),
            &used(old.iter().flat_map(|p| p.normals.iter().flatten())),
            &is,
        );
        model
            .polygons
            .iter_mut()
            .flat_map(|p| p.normals.iter_mut().flatten())
            .for_each(|n| follow(n, &to));
    }

    fn tell(&mut self) {
        for (what, n) in [(NO_UVS, self.without_uvs), (PLAIN, self.plain)] {
            if n > 0 {
                self.report.add_default(what.to_owned(), n);
            }
        }
        if !self.resolved.torn.is_empty()
            && self.report.polygons_gone + self.report.vertices_new > 0
        {
            let list: Vec<String> = self
                .resolved
                .torn
                .iter()
                .take(8)
                .map(u32::to_string)
                .collect();
            let more = if self.resolved.torn.len() > list.len() {
                ", …"
            } else {
                ""
            };
            self.report.notes.push(format!(
                "vertices that are at two positions now, as if one corner was moved alone and a crack opened: number \
                {}{more}; select everything at a position before moving it",
                list.join(", ")
            ));
        }
        if self.bare > 0 {
            self.report.notes.push(format!(
                "polygons without a material in the file, which keep theirs: {}",
                self.bare
            ));
        }
        let mut say = |n: usize, what: &str| {
            if n > 0 {
                self.report.lost.push(format!("{what}: {n}"));
            }
        };
        say(
            self.colors_lost,
            "polygons with vertex colours, which Recoil does not have",
        );
        say(
            self.layers_lost,
            "pieces of polygons with several materials, which keep only the first",
        );
    }
}

/// The most common attributes of a model's polygons.
struct Usuals {
    /// By material; `None` is the whole model.
    by: HashMap<Option<usize>, (PolygonFlags, i32, Defaulted<ZoneSet>)>,
    normals: bool,
}

impl Usuals {
    fn of(model: &Model, looks: &[Look]) -> Self {
        type Kind = (u32, i32, Option<ZoneSet>);
        let mut counts: HashMap<Option<usize>, Vec<(Kind, usize)>> = HashMap::new();
        for (polygon, (look, _)) in model.polygons.iter().zip(looks) {
            let kind = (polygon.flags.0, polygon.priority, polygon.zones.0);
            for key in [Some(*look), None] {
                let list = counts.entry(key).or_default();
                // Beyond a few dozen kinds nothing is common.
                let room = list.len() < 64;
                match list.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, n)) => *n += 1,
                    None if room => list.push((kind, 1)),
                    None => {}
                }
            }
        }
        let most = |list: Vec<(Kind, usize)>| {
            let best = list.into_iter().rev().max_by_key(|(_, n)| *n);
            best.map(|((flags, priority, zones), _)| {
                (PolygonFlags(flags), priority, Defaulted(zones))
            })
        };
        let by = counts
            .into_iter()
            .filter_map(|(key, list)| Some((key, most(list)?)))
            .collect();
        Usuals {
            by,
            normals: model.polygons.iter().any(|p| p.normals.is_some()),
        }
    }

    fn of_any(&self) -> (PolygonFlags, i32, Defaulted<ZoneSet>) {
        self.by
            .get(&None)
            .cloned()
            .unwrap_or((PolygonFlags(0), 0, Defaulted(None)))
    }

    /// Describes the attributes of a new polygon of a material, and their source.
    fn describe(&self, look: usize) -> String {
        let (flags, priority, zones) = self.like(look);
        let who = if self.has(look) {
            "like most polygons of their material in the model"
        } else if self.by.contains_key(&None) {
            "like most polygons of the model, which has no other one of their material"
        } else {
            "the model has no other"
        };
        let zones = match zones.0 {
            None => "in all zones".to_owned(),
            Some(zones) => format!(
                "in the zones {}",
                serde_json::to_string(&zones).unwrap_or_default()
            ),
        };
        // Whether a polygon is two-sided or a strip follows from the file.
        let flags = flags
            .with(PolygonFlags::SHOW_BACKFACE, false)
            .with(PolygonFlags::TRI_STRIP, false);
        format!(
            "new polygons ({who}): priority {priority}, {zones}, {}",
            super::known::names(&flags)
        )
    }

    /// True if the model has polygons of this material.
    fn has(&self, look: usize) -> bool {
        self.by.contains_key(&Some(look))
    }

    fn like(&self, look: usize) -> (PolygonFlags, i32, Defaulted<ZoneSet>) {
        self.by
            .get(&Some(look))
            .cloned()
            .unwrap_or_else(|| self.of_any())
    }
}

/// The exported position of each vertex of a model; `None` if the export does not show it.
pub fn exported_positions(model: &Model, shown: &[Option<Triangles>]) -> Vec<Option<[f32; 3]>> {
    let mut out = vec![None; model.vertices.len()];
    for corner in shown.iter().flatten().flat_map(|t| &t.corners) {
        if let Some(slot) = out.get_mut(corner.index as usize) {
            *slot = Some(corner.position);
        }
    }
    out
}
