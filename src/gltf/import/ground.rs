//! Ground from glTF: a mesh that is cut at the cells of the world, and divided into models within
//! the limits of the game.

use super::{Known, Paints, Source, link, no_triangle, regions::Region, usual};
use crate::{
    scene::{
        axes,
        import::{
            self, Finder,
            cut::{self, Grid, Ring, Values},
            file::GltfFile,
            known,
            report::Report,
            scene::{self, Left, Placed, Triangle},
        },
    },
    worlds,
};
use refit_base::{
    game::Game,
    par,
    wire::{Defaulted, Derived, Error, F32, Result, count},
};
use refit_zipper::gamez::{
    Gamez, StoredModel,
    boxes::Extent,
    cells::CellPlace,
    classes::ObjectFlags,
    follow, fresh,
    materials::Material,
    models::{Few, Model, Polygon, PolygonFlags},
    nodes::{Data, NodeFlags},
    tree::Named,
    types::ZoneSet,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How to build the ground.
#[derive(Clone, Debug)]
pub struct GroundOptions {
    /// Prefix for the names of the pieces.
    pub name: String,
    /// Craters may form unless a region says otherwise.
    pub craters: bool,
}

/// The new ground.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Laid {
    /// The report of the import.
    pub report: Report,
    /// How many cells of the world have new pieces.
    pub cells: usize,
    /// Number of pieces in no cell, because they are outside the world's area.
    pub beside: usize,
    /// The most vertices of a piece.
    pub vertices: usize,
}

impl Laid {
    /// A short summary.
    pub fn tell(&self) -> String {
        let beside = match self.beside {
            0 => String::new(),
            n => format!(", {} in none of them", count(n, "piece")),
        };
        let (cells, vertices) = (count(self.cells, "cell"), self.vertices);
        format!(
            "{} in {cells}{beside}, at most {vertices} vertices each",
            self.report.tell()
        )
    }
}

/// The limits for a model of ground.
#[derive(Clone, Copy)]
struct Limits {
    vertices: usize,
    normals: usize,
    polygons: usize,
}

/// Vertices of a model in which Recoil can make a crater.
const CRATER: usize = 450;

impl Limits {
    /// Recoil: its buffers, less a tenth, as its tools did. Crimson Skies: the largest model of its
    /// worlds. For the two games between them, whose engines are based on Recoil's, no source has a
    /// number.
    fn of(game: Game, craters: bool) -> Self {
        match game.itself() {
            Game::Cs => Limits {
                vertices: 2190,
                normals: 1800,
                polygons: 2290,
            },
            Game::Rc if craters => Limits {
                vertices: CRATER,
                normals: 921,
                polygons: usize::MAX,
            },
            _ => Limits {
                vertices: 921,
                normals: 921,
                polygons: usize::MAX,
            },
        }
    }
}

/// The look of a triangle, and its region.
#[derive(Clone, Copy)]
struct Look {
    material: u32,
    flags: PolygonFlags,
    zones: Defaulted<ZoneSet>,
    textured: bool,
    craters: Option<bool>,
}

/// Piece of a triangle.
struct Piece {
    ring: Ring,
    look: Look,
    /// Normals at the corners differ from the polygon's.
    smooth: bool,
}

/// The place of a model of ground: row and column of its cell (`None` outside the cells), and
/// whether craters may form.
type Place = (Option<(i32, i32)>, Option<bool>);

/// A model of ground.
struct Made {
    model: StoredModel,
    extent: Option<Extent>,
    vertices: usize,
    polygons: usize,
}

/// Turns the meshes of a glTF file into ground of a world: cut at the cells, each piece a model
/// below the limits of the game and an object in its cell. Area, normals, texture coordinates and
/// colours stay; no vertex ends up in the middle of an edge.
///
/// Materials and objects of the file may define regions in their names,
/// `mud [soil=QUICKSAND zones=2 craters=no]`, or in extras with the same keys.
///
/// Returns an error if the file is damaged, if the world has no cells, or for a region that the
/// game does not have. Nothing is changed then.
///
/// ```
/// use refit_base::{Error, game::Game};
/// use refit_gltf::import;
/// use refit_zipper::gamez::{Gamez, fresh::Area};
///
/// let mut world = Gamez::empty(Game::Rc, Area { left: -512, top: -512, right: 512, bottom: 512 })?;
/// let file = bytes::Bytes::from(std::fs::read("../../roundtrip-tests/blender/none.glb")?);
/// let source = import::Source { file: &file, beside: &|path| Err(Error::say(format!("no {path}"))) };
/// let options = import::GroundOptions { name: "ground".to_owned(), craters: false };
/// let laid = import::ground(&mut world, &source, &options)?;
/// assert!(laid.report.nodes_new > 0 && laid.vertices <= 921);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ground(world: &mut Gamez, source: &Source<'_>, options: &GroundOptions) -> Result<Laid> {
    let (top, grid) = grid(world)?;
    let mut file = GltfFile::open(source.file, source.beside)?;
    import::no_animations(&file)?;
    let regions = Regions::taken_from(&mut file)?;
    let placed = scene::nodes(&file)?;
    let named = Named::of(world);
    let palette = worlds::paints(&world.materials, &named.textures);
    let finder = Finder::new(&file, &palette, std::iter::empty());
    let mut ground = Ground {
        finder: &finder,
        regions,
        known: Known::of(&file, world.game),
        painted: Paints::of(world),
        new: HashMap::new(),
        looks: HashMap::new(),
        laid: Laid::default(),
        colors_lost: 0,
        without_uvs: 0,
    };
    let places = ground.cut(&file, &placed, grid, options)?;
    if places.is_empty() {
        return Err(no_triangle());
    }
    let Ground {
        known,
        mut painted,
        mut laid,
        colors_lost,
        without_uvs,
        ..
    } = ground;
    laid.report.take(known.report);
    if without_uvs > 0 {
        laid.report.add_default(
            "polygons with a texture whose corners have no texture coordinates in the file: 0, 0"
                .to_owned(),
            without_uvs,
        );
    }
    if colors_lost > 0 {
        laid.report.lost.push(format!(
            "triangles with vertex colours, which Recoil does not have: {colors_lost}"
        ));
    }
    painted.pictures(&file, source.beside, &mut laid.report);
    let made = models(world, &painted, &places)?;
    painted.settle(world);
    append(world, top, &options.name, made, laid)
}

/// The world node, and its cells.
fn grid(world: &Gamez) -> Result<(usize, Grid)> {
    let found = world.nodes().find_map(|(id, node)| match &node.data {
        Data::World(data) => Some((id.0, data)),
        _ => None,
    });
    let (at, data) =
        found.ok_or_else(|| Error::say("there is no world node").hint("gamez.zbd has one"))?;
    let (columns, rows) = data.counts(world.game);
    if columns <= 0 || rows <= 0 || !data.left.get().is_finite() || !data.bottom.get().is_finite() {
        return Err(Error::say("the world has no cells"));
    }
    let side = f64::from(fresh::cell_side(world.game));
    Ok((
        at,
        Grid {
            left: data.left.get().into(),
            bottom: data.bottom.get().into(),
            side,
            columns,
            rows,
        },
    ))
}

/// The regions of materials and objects, by their positions in the file.
struct Regions {
    materials: Vec<Region>,
    objects: Vec<Region>,
}

impl Regions {
    /// Reads the regions, and leaves the names without them.
    fn taken_from(file: &mut GltfFile) -> Result<Self> {
        let read = |name: &mut String,
                    extras: &Option<serde_json::Value>,
                    what: &str,
                    i: usize|
         -> Result<Region> {
            let (plain, region) = Region::read(name, extras.as_ref())
                .map_err(|e| e.within(format!("{what}[{i}] {name}")))?;
            *name = plain;
            Ok(region)
        };
        let root = &mut file.root;
        let materials = root.materials.iter_mut().enumerate();
        let materials = materials
            .map(|(i, m)| read(&mut m.name, &m.extras, "materials", i))
            .collect::<Result<_>>()?;
        let objects = root.nodes.iter_mut().enumerate();
        let objects = objects
            .map(|(i, n)| read(&mut n.name, &n.extras, "nodes", i))
            .collect::<Result<_>>()?;
        Ok(Regions { materials, objects })
    }
}

struct Ground<'a> {
    finder: &'a Finder<'a>,
    regions: Regions,
    known: Known<'a>,
    painted: Paints,
    /// Materials that the game did not have, by those of the file and their soil.
    new: HashMap<(Option<usize>, Option<String>), u32>,
    /// By object and material.
    looks: HashMap<(usize, Option<usize>), Look>,
    laid: Laid,
    /// Number of triangles with colours that the game cannot store.
    colors_lost: usize,
    /// Number of triangles that need texture coordinates but have none.
    without_uvs: usize,
}

impl Ground<'_> {
    /// The pieces of all meshes, by their places.
    fn cut(
        &mut self,
        file: &GltfFile,
        placed: &[Placed],
        grid: Grid,
        options: &GroundOptions,
    ) -> Result<BTreeMap<Place, Vec<Piece>>> {
        let mut places: BTreeMap<Place, Vec<Piece>> = BTreeMap::new();
        let (mut left, mut doubted) = (Left::default(), HashSet::new());
        for object in placed {
            let Some(mesh) = object.mesh(file) else {
                continue;
            };
            let triangles = scene::triangles(file, mesh, &object.world, &mut left)?;
            self.finder
                .doubts(&triangles, &mut doubted, &mut self.laid.report);
            let mut looks = Vec::with_capacity(triangles.len());
            for triangle in &triangles {
                looks.push((
                    self.look(object.node, triangle.material, options)?,
                    self.is_smooth(triangle),
                ));
            }
            let corners = triangles
                .iter()
                .zip(&looks)
                .map(|(triangle, (look, _))| self.corners(triangle, *look));
            let corners: Vec<[Values; 3]> = corners.collect();
            grid.cut(corners.into_iter(), |i, ring| {
                let Some((look, smooth)) = looks.get(i).copied() else {
                    return Ok(());
                };
                let cell = grid.cell(&ring).map(|(column, row)| (row, column));
                places
                    .entry((cell, look.craters))
                    .or_default()
                    .push(Piece { ring, look, smooth });
                Ok(())
            })?;
            for (triangle, (look, _)) in triangles.iter().zip(&looks) {
                self.colors_lost += usize::from(self.game() == Game::Rc && is_colored(triangle));
                self.without_uvs +=
                    usize::from(look.textured && triangle.corners.iter().any(|c| c.uv.is_none()));
            }
        }
        self.laid
            .report
            .notes
            .extend(import::left_out(file, placed, left));
        Ok(places)
    }

    fn game(&self) -> Game {
        self.known.game()
    }

    /// How triangles of an object and a material look.
    fn look(
        &mut self,
        object: usize,
        material: Option<usize>,
        options: &GroundOptions,
    ) -> Result<Look> {
        if let Some(known) = self.looks.get(&(object, material)) {
            return Ok(*known);
        }
        let none = Region::default();
        let own = material
            .and_then(|m| self.regions.materials.get(m))
            .cloned()
            .unwrap_or_default();
        let region = own.or(self.regions.objects.get(object).unwrap_or(&none));
        let (known, two_sided) = self.finder.known(material);
        let at = self.material(material, known, &region)?;
        let textured = self
            .painted
            .material(at)
            .is_some_and(|m| m.texture.is_some());
        let mut craters = region.craters.or(options.craters.then_some(true));
        if self.game() != Game::Rc && craters.take().is_some() {
            let lost =
                "craters are only known in Recoil: the file's settings for them are left out"
                    .to_owned();
            if !self.laid.report.lost.contains(&lost) {
                self.laid.report.lost.push(lost);
            }
        }
        let look = Look {
            material: at,
            flags: PolygonFlags(0).with(PolygonFlags::SHOW_BACKFACE, two_sided),
            zones: region
                .zones
                .map_or(Defaulted(None), |zones| Defaulted::of(zones, ZoneSet::NONE)),
            textured,
            craters,
        };
        self.looks.insert((object, material), look);
        Ok(look)
    }

    /// The game's material for one of the file: the known one, or a new one, with the soil of the
    /// region.
    fn material(
        &mut self,
        material: Option<usize>,
        known: Option<u32>,
        region: &Region,
    ) -> Result<u32> {
        let key = (material, region.soil.clone());
        if let Some(at) = self.new.get(&key).filter(|_| known.is_none()) {
            return Ok(*at);
        }
        let (before, notes) = (self.painted.materials.len(), self.known.report.notes.len());
        let at = match known {
            Some(known) => known,
            None => self.painted.make(&mut self.known, self.finder, material)?,
        };
        let game = self.game();
        let done = match self.painted.materials.get_mut(before) {
            // It was made for this region.
            Some(Some(new)) => region.paint(new, game).map(|()| {
                let same = self.painted.same_before(before);
                if same.is_some() {
                    self.known.report.notes.truncate(notes);
                } else if let (Some(soil), Some(note)) =
                    (&region.soil, self.known.report.notes.last_mut())
                {
                    // Several may have one name: their soils distinguish them.
                    note.push_str(&format!(", with the soil {soil}"));
                }
                same.unwrap_or(at)
            }),
            _ => self.painted.with_soil(at, region, game),
        };
        let at = done.map_err(|e| {
            let name = material
                .and_then(|m| self.known.file.root.materials.get(m))
                .map(|m| m.name.as_str());
            e.within(format!("the material {:?}", name.unwrap_or_default()))
        })?;
        if known.is_none() {
            self.new.insert(key, at);
        }
        Ok(at)
    }

    /// True if the normals at the corners are not that of the face.
    fn is_smooth(&self, triangle: &Triangle) -> bool {
        let face = axes::face_normal(triangle.corners.map(|c| c.position));
        let off = |n: [f32; 3]| {
            face.is_none_or(|face| n.iter().zip(face).map(|(a, b)| a * b).sum::<f32>() < 0.999)
        };
        triangle.corners.iter().any(|c| c.normal.is_some_and(off))
    }

    /// The corners as the game has them, whose values are then linear in between as in the game.
    fn corners(&self, triangle: &Triangle, look: Look) -> [Values; 3] {
        let face =
            axes::face_normal(triangle.corners.map(|c| c.position)).unwrap_or([0.0, 1.0, 0.0]);
        triangle.corners.map(|corner| {
            let position = axes::game_point(corner.position).map(F32::get);
            let normal = axes::game_point(corner.normal.unwrap_or(face)).map(F32::get);
            let uv = corner.uv.filter(|_| look.textured).unwrap_or_default();
            let color = corner
                .color
                .map_or([255.0; 3], |color| axes::shown(color).map(F32::get));
            let mut values = position.into_iter().chain(normal).chain(uv).chain(color);
            std::array::from_fn(|_| values.next().map_or(0.0, f64::from))
        })
    }
}

fn is_colored(triangle: &Triangle) -> bool {
    let white = [F32::from(255.0); 3];
    triangle
        .corners
        .iter()
        .any(|c| c.color.is_some_and(|color| axes::shown(color) != white))
}

impl Paints {
    fn material(&self, at: u32) -> Option<&Material> {
        self.materials.get(usize::try_from(at).ok()?)?.as_ref()
    }

    /// The material before the last one that is like it, which is then taken back.
    fn same_before(&mut self, last: usize) -> Option<u32> {
        let (before, new) = self.materials.split_at_checked(last)?;
        let new = new.first()?.as_ref()?;
        let same = before
            .iter()
            .position(|m| m.as_ref().is_some_and(|m| m.is_like(new)))?;
        self.materials.truncate(last);
        u32::try_from(same).ok()
    }

    /// The material with the soil of a region: itself, an equal one, or a new one.
    fn with_soil(&mut self, at: u32, region: &Region, game: Game) -> Result<u32> {
        let Some(own) = self.material(at) else {
            return Ok(at);
        };
        let mut wanted = own.clone();
        region.paint(&mut wanted, game)?;
        if wanted == *own {
            return Ok(at);
        }
        wanted.links = Derived(None);
        match self
            .materials
            .iter()
            .position(|m| m.as_ref().is_some_and(|m| m.is_like(&wanted)))
        {
            Some(same) => super::position(same, "materials"),
            None => self.add(wanted),
        }
    }
}

/// Divides pieces into models that are below the limits: in half by their middles along the longer
/// side, as often as necessary. Nothing is cut.
fn divided(pieces: &[Piece], limits: Limits) -> Vec<Vec<&Piece>> {
    let middle = |piece: &Piece, axis: usize| {
        let sum: f64 = piece
            .ring
            .iter()
            .filter_map(|corner| corner.get(axis))
            .sum();
        sum / piece.ring.len().max(1) as f64
    };
    let mut out = Vec::new();
    let mut open: Vec<Vec<&Piece>> = vec![pieces.iter().collect()];
    while let Some(mut list) = open.pop() {
        if list.len() < 2 || fits(&list, limits) {
            out.push(list);
            continue;
        }
        let wide = |axis: usize| {
            let all = list.iter().map(|piece| middle(piece, axis));
            let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
                (a.min(v), b.max(v))
            });
            high - low
        };
        let axis = if wide(0) >= wide(2) { 0 } else { 2 };
        list.sort_by(|a, b| middle(a, axis).total_cmp(&middle(b, axis)));
        let rest = list.split_off(list.len() / 2);
        // The first half comes next.
        open.push(rest);
        open.push(list);
    }
    out
}

fn fits(pieces: &[&Piece], limits: Limits) -> bool {
    if pieces.len() > limits.polygons {
        return false;
    }
    let (mut vertices, mut normals) = (HashSet::new(), HashSet::new());
    for piece in pieces {
        for corner in &piece.ring {
            vertices.insert(bits(&stored_position(corner)));
            if piece.smooth {
                normals.insert(bits(&stored_normal(corner)));
            }
        }
        if vertices.len() > limits.vertices || normals.len() > limits.normals {
            return false;
        }
    }
    true
}

fn stored_position(corner: &Values) -> [F32; 3] {
    cut::position(corner).map(|v| F32::from(v as f32))
}

/// A normal between two others is shorter than they are.
fn stored_normal(corner: &Values) -> [F32; 3] {
    let normal: [f64; 3] = cut::part(corner, cut::NORMAL)
        .try_into()
        .unwrap_or_default();
    let length = normal.iter().map(|v| v * v).sum::<f64>().sqrt();
    let scale = if (length - 1.0).abs() > 1e-6 && length > 1e-9 {
        1.0 / length
    } else {
        1.0
    };
    normal.map(|v| F32::from((v * scale) as f32 + 0.0))
}

fn bits(values: &[F32; 3]) -> [u32; 3] {
    values.map(F32::bits)
}

/// The model of pieces.
fn model(base: &Model, pieces: &[&Piece], game: Game) -> Model {
    let mut model = base.clone();
    let mut vertices: HashMap<[u32; 3], u32> = HashMap::new();
    let mut normals: HashMap<[u32; 3], u32> = HashMap::new();
    fn at(known: &mut HashMap<[u32; 3], u32>, list: &mut Vec<[F32; 3]>, value: [F32; 3]) -> u32 {
        let next = list.len() as u32;
        *known.entry(bits(&value)).or_insert_with(|| {
            list.push(value);
            next
        })
    }
    let white = [F32::from(255.0); 3];
    for Piece { ring, look, smooth } in pieces {
        let color = |corner: &Values| -> [F32; 3] {
            let color: [f64; 3] = cut::part(corner, cut::COLOR).try_into().unwrap_or_default();
            color.map(|v| F32::from(v as f32))
        };
        let uv = |corner: &Values| -> [F32; 2] {
            let uv: [f64; 2] = cut::part(corner, cut::UV).try_into().unwrap_or_default();
            uv.map(|v| F32::from(v as f32))
        };
        let colors: Few<[F32; 3]> = ring.iter().map(color).collect();
        let colors = Some(colors)
            .filter(|list| game.itself() != Game::Rc && list.iter().any(|c| *c != white));
        let vertices = ring
            .iter()
            .map(|c| at(&mut vertices, &mut model.vertices, stored_position(c)))
            .collect();
        let normals = smooth.then(|| {
            ring.iter()
                .map(|c| at(&mut normals, &mut model.normals, stored_normal(c)))
                .collect()
        });
        model.polygons.push(Polygon {
            material: Some(look.material),
            flags: look.flags,
            priority: 0,
            zones: look.zones,
            vertices,
            normals,
            uvs: look.textured.then(|| ring.iter().map(uv).collect()),
            colors,
            layers: Vec::new(),
            normals_flag: Derived(None),
            pointers: Defaulted(None),
        });
    }
    model.say_polygons(game, true);
    follow::settle_sphere(&Model::default(), &mut model, game);
    model
}

/// The models of all places, in the order of the cells.
fn models(
    world: &Gamez,
    painted: &Paints,
    places: &BTreeMap<Place, Vec<Piece>>,
) -> Result<Vec<(Place, Made)>> {
    let base = usual(world);
    let cycled: Vec<bool> = painted
        .materials
        .iter()
        .map(|m| m.as_ref().is_some_and(|m| m.cycle.is_some()))
        .collect();
    let make = |_, (place, pieces): &(&Place, &Vec<Piece>)| -> Result<Vec<(Place, Made)>> {
        let limits = Limits::of(world.game, place.1 == Some(true));
        let mut out = Vec::new();
        for part in divided(pieces, limits) {
            let now = model(&base, &part, world.game);
            out.push((
                **place,
                Made {
                    model: world.stored(&now, &cycled, 1)?,
                    extent: follow::extent(&now, world.game),
                    vertices: now.vertices.len(),
                    polygons: now.polygons.len(),
                },
            ));
        }
        Ok(out)
    };
    let all: Vec<(&Place, &Vec<Piece>)> = places.iter().collect();
    let mut out = Vec::new();
    for made in par::map(&all, make) {
        out.extend(made?);
    }
    Ok(out)
}

/// Appends the models with a node for each, and puts these into their cells.
fn append(
    world: &mut Gamez,
    top: usize,
    name: &str,
    made: Vec<(Place, Made)>,
    mut laid: Laid,
) -> Result<Laid> {
    let mut names = Names::of(world, name);
    laid.report.notes.extend(names.there.as_ref().map(|there| {
        format!("the world has ground of this name already, such as {there:?}: it stays (`refit world remove`)")
    }));
    let first = world.nodes.len();
    let slots: Vec<usize> = world.new_model_slots(made.len()).take(made.len()).collect();
    let mut nodes = Vec::with_capacity(made.len());
    for (((cell, craters), made), slot) in made.iter().zip(&slots) {
        let mut node = known::plain_node(&names.next(*cell), world.game)?;
        if let Data::Object3d(object) = &mut node.data {
            object.flags = object.flags.with(ObjectFlags::INITIAL, true);
        }
        node.flags = match craters {
            Some(true) => node.flags.with(NodeFlags::CAN_MODIFY, true),
            Some(false) => node.flags.with(NodeFlags::CLIP_TO, true),
            None => node.flags,
        };
        node.model = Defaulted(Some(link(*slot, "models")?));
        follow::settle_model_box(&mut node, None, made.extent);
        nodes.push(Some(node));
    }
    link(first + nodes.len(), "nodes")?;
    laid.report.nodes_new += nodes.len();
    for (_, made) in &made {
        laid.report.polygons_new += made.polygons;
        laid.report.vertices_new += made.vertices;
        laid.vertices = laid.vertices.max(made.vertices);
    }
    made.into_iter()
        .zip(slots)
        .for_each(|((_, made), slot)| world.fill_model_slot(slot, made.model));
    world.nodes.extend(nodes);
    world.settle_arrays();
    let new: Vec<usize> = (first..world.nodes.len()).collect();
    let places = world.editing(&mut |world| world.all_enter(top, &new))?;
    laid.beside = places.iter().filter(|place| place.is_none()).count();
    laid.cells = places
        .iter()
        .flatten()
        .map(|CellPlace { index, .. }| index)
        .collect::<HashSet<_>>()
        .len();
    Ok(laid)
}

/// Names of new pieces, which no other node has.
struct Names {
    name: String,
    taken: HashSet<String>,
    /// The last number of each name that was given several times.
    last: HashMap<String, u32>,
    /// A node that ground of the same name left.
    there: Option<String>,
}

impl Names {
    fn of(world: &Gamez, name: &str) -> Self {
        let used = || {
            world
                .nodes()
                .filter(|(_, node)| !node.data.is_empty())
                .map(|(_, node)| node.title())
        };
        let is_place = |rest: &str| match rest.split_once('_') {
            Some((column, row)) => [column, row]
                .iter()
                .all(|n| n.bytes().next().is_some_and(|b| b.is_ascii_digit())),
            None => rest == "beside",
        };
        let is_ground = |title: &String| {
            let rest = title
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('_'));
            rest.is_some_and(is_place)
        };
        Names {
            name: name.to_owned(),
            taken: used().map(|title| title.to_lowercase()).collect(),
            last: HashMap::new(),
            there: used().find(is_ground),
        }
    }

    /// The name of the next piece in a cell: `ground_4_7`, then `ground_4_7_2`.
    fn next(&mut self, cell: Option<(i32, i32)>) -> String {
        let place = cell.map_or("beside".to_owned(), |(row, column)| {
            format!("{column}_{row}")
        });
        let first = format!("{}_{place}", self.name);
        let last = self.last.entry(first.clone()).or_default();
        loop {
            *last += 1;
            let name = if *last == 1 {
                first.clone()
            } else {
                format!("{first}_{last}")
            };
            if self.taken.insert(name.to_lowercase()) {
                return name;
            }
        }
    }
}
