//! A world as a tree: `textures.json`, `materials.json`, a document for each model in `models/`,
//! documents of nodes in `nodes/`.
//!
//! The number at the start of a file's name in `models/` is the model's position, so a new model is
//! a new file. The documents in `nodes/` are read in the order of their numbers, and their lists
//! are concatenated.

mod members;

pub use members::model_of;

use super::{
    GAPS, Gamez, ModelArray, NodeArray, ROOM, StoredModel,
    materials::{Material, Materials},
    models::{Model, Surroundings},
    nodes::{Data, Kin, Node, Nodes},
    textures::Texture,
    types::Link,
};
use bytes::Bytes;
use refit_base::{
    contract::Documents,
    game::Game,
    par,
    tree::{
        Blob, Document, Form, Source, Style, TreeReader, TreeWriter,
        proof::{self, RoundTrip},
        stem,
    },
    wire::{Derived, Error, Hex, Reader, Result, UnixTime, Writer, did_you_mean},
};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
    sync::OnceLock,
};

refit_base::manifest! {
    /// The manifest of a game world.
    pub(crate) struct GamezManifest, "gamez" {
        /// When the world was made. PM and CS; the animation files of CS repeat it.
        timestamp?: UnixTime,
        /// 13 for a world of Recoil's demos of 1998. Each game has one version, which is omitted.
        version?: u32,
        /// The model array.
        models: ModelArray,
        /// The node array.
        nodes: NodeArray,
    }
}

/// The texture directory.
#[derive(Clone, PartialEq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Textures {
    /// In order. Materials refer to their positions.
    pub textures: Vec<Texture>,
}
refit_base::document!(Textures, "gamez-textures");

/// Limits for a document of nodes: how many, and their size in the file in bytes.
const NODES: usize = 64;
const NODE_BYTES: usize = 1 << 16;

/// A file name: replaces every character but ASCII letters, digits, `-` and `_` by `_`.
pub fn plain(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_".contains(c) {
                c
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    if out.is_empty() {
        out.push('_');
    }
    out
}

/// The names of the things at each position of the file.
pub struct Named {
    /// The names of the textures, in the order of their list.
    pub textures: Vec<String>,
    nodes: Vec<Option<String>>,
    /// Each model is named after the first node that uses it. A free slot has no name, even if a
    /// node refers to it: no file would have that name, so a reference with it could not be read
    /// back.
    pub models: Vec<Option<String>>,
}

impl Named {
    /// The names in a world.
    pub fn of(world: &Gamez) -> Self {
        let nodes: Vec<Option<String>> = world
            .nodes
            .iter()
            .map(|n| n.as_ref().map(Node::title))
            .collect();
        let mut models: Vec<Option<String>> = vec![None; world.models.len()];
        for (node, name) in world.nodes.iter().zip(&nodes) {
            let Some(model) = node
                .as_ref()
                .and_then(|n| n.model.0.as_ref())
                .and_then(Link::place)
            else {
                continue;
            };
            if let (Some(slot @ None), Some(Some(_))) =
                (models.get_mut(model), world.models.get(model))
            {
                *slot = name.clone();
            }
        }
        // In a tree, the model's document may still have the name of a node that was renamed or
        // removed since.
        for (i, stem) in &world.files.models {
            let name = model_name(stem);
            if let Some(own @ Some(_)) = models.get_mut(*i)
                && own.as_deref().map(plain).as_deref() != Some(name)
            {
                *own = Some(name.to_owned());
            }
        }
        Named {
            textures: world.textures.iter().map(|t| t.name.text()).collect(),
            nodes,
            models,
        }
    }

    /// Sets the name in a reference.
    fn put(link: &mut Link, names: &[Option<String>]) {
        let name = link.place().and_then(|i| names.get(i)?.as_deref());
        link.name = name.filter(|n| !n.is_empty()).map(Into::into);
    }
    fn shown(&self, i: usize) -> String {
        match self.nodes.get(i) {
            Some(Some(name)) if !name.is_empty() => format!("{i} {name}"),
            _ => i.to_string(),
        }
    }
}

/// The documents of models and nodes, for `explain`.
#[derive(Clone, Default)]
pub(super) struct DocumentPaths {
    models: Vec<Option<String>>,
    groups: Vec<Range<usize>>,
}

impl DocumentPaths {
    pub(crate) fn of(world: &Gamez) -> Self {
        let named = Named::of(world);
        let models = (0..world.models.len())
            .map(|i| Some(model_stem(i, &named)))
            .collect();
        DocumentPaths {
            models,
            groups: groups(world),
        }
    }

    /// The path of a model.
    pub(super) fn model(&self, i: usize) -> String {
        match self.models.get(i).and_then(Option::as_ref) {
            Some(stem) => format!("{stem}.json › "),
            None => format!("models[{i}]"),
        }
    }

    /// The path of a node.
    pub(super) fn node(&self, i: usize) -> String {
        // The groups are in order, and do not overlap.
        let before = self.groups.partition_point(|group| group.end <= i);
        match self.groups.get(before).filter(|group| group.contains(&i)) {
            Some(group) => format!("{}.json › nodes[{}]", nodes_stem(group), i - group.start),
            None => format!("nodes[{i}]"),
        }
    }
}

/// Collects all references of a node to other nodes, shared or mutable.
macro_rules! links {
    ($node:ident, $iter:ident $(, $mutable:tt)?) => {{
        let links = $node.children.$iter().chain($node.parents.0.$iter().flatten());
        let mut out: Vec<& $($mutable)? Link> = links.collect();
        match & $($mutable)? $node.data {
            Data::World(world) => {
                out.extend(world.lights.$iter().chain(world.sounds.$iter()));
                out.extend(world.cells.$iter().flat_map(|c| c.nodes.$iter()).map(|n| & $($mutable)? n.node));
            }
            Data::Camera(camera) => {
                out.extend([& $($mutable)? camera.world, & $($mutable)? camera.window]);
                out.extend(camera.horizon_node.0.$iter().chain(camera.horizon_node_xz.0.$iter()));
            }
            Data::Light(light) => out.extend(light.worlds.$iter()),
            Data::Sound(sound) => out.extend(sound.worlds.$iter()),
            _ => {}
        }
        out
    }};
}

/// All references of a node to other nodes.
fn links_of(node: &mut Node) -> Vec<&mut Link> {
    links!(node, iter_mut, mut)
}

/// All references of the materials to textures, with the position of the material.
fn textures_of(materials: &mut Materials) -> impl Iterator<Item = (usize, &mut Link)> {
    let used = materials
        .materials
        .iter_mut()
        .enumerate()
        .filter_map(|(i, m)| Some((i, m.as_mut()?)));
    used.flat_map(|(i, m)| {
        m.texture
            .iter_mut()
            .chain(m.cycle.iter_mut().flat_map(|c| &mut c.frames))
            .map(move |link| (i, link))
    })
}

/// Returns an error for a reference that is only a name. A mechlib has no table to look up its
/// number.
pub fn check_numbers(nodes: &[Node], materials: &[Material]) -> Result<()> {
    let bare = |link: &Link| match (link.is_bare(), &link.name) {
        (true, Some(name)) => Err(Error::say(format!(
            "{name:?}: expected a number (a mechlib has no table of such names)"
        ))),
        _ => Ok(()),
    };
    for (i, node) in nodes.iter().enumerate() {
        let mut all = links!(node, iter).into_iter().chain(&node.model.0);
        all.try_for_each(bare)
            .map_err(|e| e.within(format!("[{i}] {}", node.title())).within("nodes"))?;
    }
    for (i, m) in materials.iter().enumerate() {
        m.texture
            .iter()
            .try_for_each(bare)
            .map_err(|e| e.within(format!("[{i}]")).within("materials"))?;
    }
    Ok(())
}

/// The materials with the names of their textures.
fn materials_doc(world: &Gamez, named: &Named) -> Materials {
    let mut materials = world.materials.clone();
    let textures: Vec<Option<String>> = named.textures.iter().cloned().map(Some).collect();
    textures_of(&mut materials).for_each(|(_, link)| Named::put(link, &textures));
    materials
}

/// "31 door, 40 lamp and 3 more": at most `most` items.
pub fn some(list: &[impl AsRef<str>], most: usize) -> String {
    let more = list.len().saturating_sub(most);
    let out = list
        .iter()
        .take(most)
        .map(AsRef::as_ref)
        .collect::<Vec<_>>()
        .join(", ");
    if more > 0 {
        format!("{out} and {more} more")
    } else {
        out
    }
}

/// A model as a document, with its note.
fn model_doc(
    world: &Gamez,
    i: usize,
    stored: &StoredModel,
    named: &Named,
    env: &Env,
) -> Result<Model> {
    let mut model = stored.model(world.game, &env.around(i))?;
    model.note = Some(note(world, i, &model, named, env));
    Ok(model)
}

/// The note of a model's document: its users and textures.
fn note(world: &Gamez, i: usize, model: &Model, named: &Named, env: &Env) -> String {
    let users: Vec<String> = env
        .users
        .get(i)
        .into_iter()
        .flatten()
        .map(|n| named.shown(*n))
        .collect();
    let materials = model.materials();
    let textures = materials.iter().take(9).map(|m| {
        let texture = world
            .materials
            .materials
            .get(*m as usize)
            .and_then(|m| m.as_ref()?.texture.as_ref()?.place());
        texture
            .and_then(|t| named.textures.get(t))
            .map_or_else(|| m.to_string(), |t| format!("{m} {t}"))
    });
    let textures: Vec<String> = textures
        .chain(materials.iter().skip(9).map(|m| m.to_string()))
        .collect();
    let mut note = if users.is_empty() {
        "used by no node".to_owned()
    } else {
        format!("used by {}", some(&users, 4))
    };
    if !textures.is_empty() {
        note.push_str(&format!("; materials {}", some(&textures, 8)));
    }
    note
}

/// What the documents of models depend on in the rest of the world.
struct Env {
    cycled: Vec<bool>,
    uses: Vec<u32>,
    users: Vec<Vec<usize>>,
}

impl Env {
    fn of(world: &Gamez, models: usize) -> Self {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); models];
        for (i, node) in world.nodes.iter().enumerate() {
            let Some(model) = node
                .as_ref()
                .and_then(|n| n.model.0.as_ref())
                .and_then(Link::place)
            else {
                continue;
            };
            if let Some(list) = users.get_mut(model) {
                list.push(i);
            }
        }
        Env {
            cycled: world.materials.cycled(),
            uses: users.iter().map(|u| u.len() as u32).collect(),
            users,
        }
    }

    fn around(&self, i: usize) -> Surroundings<'_> {
        Surroundings {
            cycled: &self.cycled,
            mechlib: false,
            uses: self.uses.get(i).copied().unwrap_or(0),
        }
    }
}

/// A model as one byte string, for the round-trip check: the word after the slot if it is
/// irregular, record, data.
fn payload(stored: &StoredModel) -> Bytes {
    let mut out = Vec::with_capacity(5 + stored.head.len() + stored.data.len());
    out.push(u8::from(!stored.link.is_none()));
    out.extend_from_slice(&stored.link.or(Hex(0)).0.to_le_bytes());
    out.extend_from_slice(&stored.head);
    out.extend_from_slice(&stored.data);
    out.into()
}

/// The model that [`payload`] packed.
fn stored_of(payload: &Bytes, game: Game) -> Result<StoredModel> {
    let mut r = Reader::new(payload, game);
    let odd: u8 = r.get()?;
    let link: u32 = r.get()?;
    r.take(Model::size(game))?;
    let (head, data) = (payload.slice(5..r.pos()), payload.slice(r.pos()..));
    Ok(StoredModel {
        head,
        data,
        link: Derived((odd != 0).then_some(Hex(link))),
    })
}

pub(super) fn encode(doc: &Model, game: Game, around: &Surroundings<'_>) -> Result<StoredModel> {
    let mut head = Writer::new(game);
    let data = doc.save(&mut head, around)?;
    Ok(StoredModel {
        head: head.bytes.into(),
        data: data.into(),
        link: doc.link,
    })
}

/// The documents of a tree by path, without extensions: models by position, nodes with the number
/// of nodes in each.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    models: HashMap<usize, String>,
    nodes: Vec<(String, usize)>,
}

impl Files {
    /// The path of a model's document.
    fn model(&self, i: usize, named: &Named) -> String {
        self.models
            .get(&i)
            .cloned()
            .unwrap_or_else(|| model_stem(i, named))
    }

    /// The documents of nodes that a world was read from; empty if the world has other nodes by now.
    fn read(&self, nodes: usize) -> HashMap<String, Range<usize>> {
        let mut end = 0_usize;
        let placed = |(stem, count): &(String, usize)| {
            let start = end;
            end = end.saturating_add(*count);
            (stem.clone(), start..end)
        };
        let all = self.nodes.iter().map(placed).collect();
        if end == nodes { all } else { HashMap::new() }
    }

    /// The documents of nodes. Documents whose number of nodes does not fit any more are divided as
    /// in a new tree.
    fn nodes(&self, world: &Gamez) -> Vec<(String, Range<usize>)> {
        let mut end = 0;
        let placed = |(stem, count): &(String, usize)| {
            let start = end;
            end += count;
            (stem.clone(), start..end)
        };
        let mut all: Vec<_> = self.nodes.iter().map(placed).collect();
        let len = world.nodes.len();
        // Nodes are removed from the last documents, and added to the last one while it has room.
        all.retain(|(_, range)| range.start < len);
        let start = match all.last_mut() {
            Some((_, last)) if last.end >= len => {
                last.end = len;
                return all;
            }
            Some((_, last)) => last.start,
            None => 0,
        };
        let mut more = groups_from(world, start).into_iter();
        match (all.last_mut(), more.next()) {
            (Some((_, last)), Some(first)) if first.end > last.end => last.end = first.end,
            (Some((_, last)), _) => {
                // It is fuller than refit makes documents.
                let from = last.end;
                more = groups_from(world, from).into_iter();
            }
            (None, Some(first)) => all.push((nodes_stem(&first), first)),
            (None, None) => {}
        }
        all.extend(more.map(|range| (nodes_stem(&range), range)));
        all
    }
}

/// The positions of the nodes of each document.
fn groups(world: &Gamez) -> Vec<Range<usize>> {
    groups_from(world, 0)
}

/// [`groups`] for the nodes from a position on.
fn groups_from(world: &Gamez, from: usize) -> Vec<Range<usize>> {
    let weight = |node: &Option<Node>| match node {
        Some(Node {
            data: Data::World(world),
            ..
        }) => 400 + 90 * world.cells.len(),
        Some(_) => 400,
        None => 4,
    };
    let mut out = Vec::new();
    let (mut start, mut bytes) = (from, 0);
    for (i, node) in world.nodes.iter().enumerate().skip(from) {
        let w = weight(node);
        if i > start && (i - start >= NODES || bytes + w > NODE_BYTES) {
            out.push(start..i);
            (start, bytes) = (i, 0);
        }
        bytes += w;
    }
    if start < world.nodes.len() {
        out.push(start..world.nodes.len());
    }
    out
}

/// Nodes as a document, with notes, and with names in all references.
fn nodes_doc(world: &Gamez, range: Range<usize>, named: &Named, kin: &Kin) -> Nodes {
    let start = range.start;
    let mut nodes: Vec<Option<Node>> = world.nodes.get(range).unwrap_or_default().to_vec();
    for (i, node) in (start..).zip(&mut nodes) {
        let Some(node) = node else { continue };
        let derived: Vec<Link> = kin.parents(i, node.world_first).cloned().collect();
        let stored = node.parents.0.as_deref().unwrap_or(&derived);
        let above: Vec<String> = stored
            .iter()
            .filter_map(Link::place)
            .map(|p| named.shown(p))
            .collect();
        node.note = Some(if above.is_empty() {
            i.to_string()
        } else {
            format!("{i}, child of {}", some(&above, 4))
        });
        if let Some(model) = &mut node.model.0 {
            Named::put(model, &named.models);
        }
        links_of(node)
            .into_iter()
            .for_each(|link| Named::put(link, &named.nodes));
    }
    Nodes { nodes }
}

/// The documents of nodes: path, and positions of the nodes.
pub fn documents(world: &Gamez) -> impl Iterator<Item = (String, Range<usize>)> {
    groups(world)
        .into_iter()
        .map(|range| (format!("{}.json", nodes_stem(&range)), range))
}

/// The path of a model's document, without its extension.
pub fn model_stem(i: usize, named: &Named) -> String {
    match named.models.get(i).and_then(Option::as_ref) {
        Some(name) => format!("models/{i:04}-{}", plain(name)),
        None => format!("models/{i:04}"),
    }
}

fn nodes_stem(range: &Range<usize>) -> String {
    format!(
        "nodes/{:05}-{:05}",
        range.start,
        range.end.saturating_sub(1)
    )
}

impl Gamez {
    /// The documents of models and nodes in the tree of this world: their paths without the
    /// extension.
    pub fn documents(&self) -> HashSet<String> {
        let is_used = |i: &usize| self.models.get(*i).is_some_and(Option::is_some);
        let models = self
            .files
            .models
            .iter()
            .filter(|(i, _)| is_used(i))
            .map(|(_, stem)| stem.clone());
        models
            .chain(self.files.nodes(self).into_iter().map(|(stem, _)| stem))
            .collect()
    }

    /// The documents of models and nodes that certainly equal those of the world before a change:
    /// their paths without the extension. Empty if names or materials changed that others show.
    pub fn unchanged(&self, before: &Gamez) -> HashSet<String> {
        let (named, was) = (Named::of(self), Named::of(before));
        let materials = self
            .materials
            .materials
            .starts_with(&before.materials.materials);
        let names = named.nodes.starts_with(&was.nodes) && named.models.starts_with(&was.models);
        if !(materials && names && named.textures.starts_with(&was.textures)) {
            return HashSet::new();
        }
        let [users, users_before] =
            [self, before].map(|world| Env::of(world, world.models.len()).users);
        let models = self.models.iter().zip(&before.models).enumerate();
        let models =
            models.filter(|(i, (now, was))| now == was && users.get(*i) == users_before.get(*i));
        let mut same: HashSet<String> = models.map(|(i, _)| model_stem(i, &named)).collect();
        let (kin, kin_before) = (self.kin(), before.kin());
        let is_same = |i: usize| match [self, before]
            .map(|world| world.nodes.get(i).and_then(Option::as_ref))
        {
            [Some(now), Some(was)] => {
                now == was
                    && kin
                        .parents(i, now.world_first)
                        .eq(kin_before.parents(i, was.world_first))
            }
            [now, was] => now.is_none() && was.is_none(),
        };
        let documents: HashSet<(String, Range<usize>)> =
            before.files.nodes(before).into_iter().collect();
        let nodes = self
            .files
            .nodes(self)
            .into_iter()
            .filter(|document| documents.contains(document));
        same.extend(
            nodes
                .filter(|(_, range)| range.clone().all(is_same))
                .map(|(stem, _)| stem),
        );
        same
    }
}

/// The round-trip check of a model.
struct ModelTrip<'a> {
    world: &'a Gamez,
    i: usize,
    stored: &'a StoredModel,
    named: &'a (dyn Fn() -> &'a Named + Sync),
    env: &'a Env,
}

impl RoundTrip for ModelTrip<'_> {
    type Model = Model;
    type Text = String;
    fn decode(&mut self) -> Result<Model> {
        self.stored.model(self.world.game, &self.env.around(self.i))
    }
    fn compare(&mut self, model: &Model) -> Result<()> {
        let StoredModel { head, data, link } =
            encode(model, self.world.game, &self.env.around(self.i))?;
        proof::same(&head, &self.stored.head)?;
        proof::same(&data, &self.stored.data)?;
        if link == self.stored.link {
            Ok(())
        } else {
            Err(proof::other_bytes())
        }
    }
    fn print(&mut self, mut model: Model, style: Style) -> Result<String> {
        model.note = Some(note(self.world, self.i, &model, (self.named)(), self.env));
        model.to_text(style)
    }
    fn read_back(&mut self, text: &mut String, style: Style) -> Result<Model> {
        Model::from_text(text, style)
    }
}

/// Writes a world's tree, or only verifies its models if the writer checks bytes only.
pub(super) fn unpack(world: &Gamez, tree: &TreeWriter<'_>) -> Result<()> {
    // Made if needed: the check of bytes needs no names.
    let made = OnceLock::new();
    let named = || made.get_or_init(|| Named::of(world));
    let env = Env::of(world, world.models.len());
    par::try_map(&world.models, |i, stored| -> Result<()> {
        let Some(stored) = stored else { return Ok(()) };
        // No manifest names the documents of models.
        if tree.form != Form::Stored && tree.passes_over(&model_stem(i, named())) {
            return Ok(());
        }
        let trip = ModelTrip {
            world,
            i,
            stored,
            named: &named,
            env: &env,
        };
        let write = |path: &str, text| tree.part::<Model>(path, text, payload(stored));
        tree.prove_part(|| model_stem(i, named()), trip, write, || payload(stored))
            .map(drop)
    })?;
    if tree.form == Form::Stored {
        return Ok(());
    }
    tree.doc(
        "textures",
        &Textures {
            textures: world.textures.clone(),
        },
    )?;
    tree.doc("materials", &materials_doc(world, named()))?;
    for (name, gap) in GAPS.iter().zip(&world.gaps) {
        if !gap.is_empty() {
            tree.file(&format!("gaps/{name}.bin"), gap)?;
        }
    }
    let kin = world.kin();
    par::try_map(
        &world.files.nodes(world),
        |_, (stem, range)| -> Result<()> {
            if tree.passes_over(stem) {
                return Ok(());
            }
            tree.doc(stem, &nodes_doc(world, range.clone(), named(), &kin))
                .map(|_| ())
        },
    )?;
    tree.beside(NAMES, || {
        serde_json::to_string(&NamesWhenMade::of(world)).unwrap_or_default()
    })?;
    let version = (world.game != world.game.itself()).then(|| world.game.gamez_version());
    tree.manifest(GamezManifest::new(
        tree.head.clone(),
        world.timestamp,
        version,
        world.model_array.clone(),
        world.node_array.clone(),
    ))
}

/// The models of a world as parts whose documents follow from their bytes, but for the note, which
/// is no content.
pub(super) fn model_documents(world: &Gamez) -> Documents {
    let named = Named::of(world);
    let env = Env::of(world, world.models.len());
    let cycled = env.cycled.iter().map(|is| if *is { '1' } else { '0' });
    let mut parts: Vec<(String, Vec<Blob>)> = world
        .models
        .iter()
        .enumerate()
        .filter_map(|(i, stored)| Some((i, stored.as_ref()?)))
        .map(|(i, StoredModel { head, data, link })| {
            // The link too, if it is odd, and how many nodes use the model.
            let link = link.0.map(|link| link.0.to_le_bytes());
            let uses = env.around(i).uses.to_le_bytes();
            let around: Vec<u8> = uses.into_iter().chain(link.into_iter().flatten()).collect();
            let pieces = [head.clone(), data.clone(), around.into()];
            (model_stem(i, &named), pieces.map(Blob::Memory).into())
        })
        .collect();
    parts.sort_by(|(a, _), (b, _)| a.cmp(b));
    Documents {
        of: vec![world.game.code().to_owned(), cycled.collect()],
        parts,
        single: true,
    }
}

/// The file with the names that things had when the tree was made.
const NAMES: &str = "names.json";

/// The names that references give, by position.
///
/// A thing may be renamed without changing the references to it. So the tree keeps the names from
/// when it was made: a name that was never there is a typo.
#[derive(Default, Serialize, Deserialize)]
struct NamesWhenMade {
    textures: Vec<String>,
    nodes: Vec<String>,
    /// As spelled in file names.
    models: Vec<String>,
}

impl NamesWhenMade {
    fn of(world: &Gamez) -> Self {
        let named = Named::of(world);
        NamesWhenMade {
            textures: named.textures,
            nodes: named
                .nodes
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect(),
            models: named
                .models
                .iter()
                .map(|name| name.as_deref().map(plain).unwrap_or_default())
                .collect(),
        }
    }

    /// The names stored in a tree; empty if the tree no longer has them.
    fn when_made(tree: &TreeReader<'_>) -> Self {
        let path = format!(".refit/{NAMES}");
        let text = if tree.has(&path) {
            tree.text(&path).unwrap_or_default()
        } else {
            String::new()
        };
        serde_json::from_str(&text).unwrap_or_default()
    }
}

/// The names of one kind of thing: now, and when the tree was made.
struct KnownNames<'a> {
    what: &'static str,
    now: &'a [String],
    was: &'a [String],
    /// Converts a name to its spelling in the lists.
    spell: fn(&str) -> String,
}

impl KnownNames<'_> {
    /// Checks a reference's name against its number; sets the number of a bare name.
    fn check(&self, link: &mut Link) -> Result<()> {
        let Some(shown) = link.name.as_deref() else {
            return Ok(());
        };
        let (what, name) = (self.what, (self.spell)(shown));
        let mut places = (0..)
            .zip(self.now)
            .filter(|(_, n)| **n == name)
            .map(|(i, _)| i);
        if link.is_bare() {
            return match (places.next(), places.next()) {
                (Some(only), None) => {
                    link.settle(only);
                    Ok(())
                }
                (Some(first), Some(_)) => Err(Error::say(format!(
                    "more than one {what} is called {shown:?}"
                ))
                .hint(format!("say which one, for example \"{first} {shown}\""))),
                _ => Err(self.unknown(shown, &name)),
            };
        }
        let there = link.place().and_then(|i| self.now.get(i));
        if there == Some(&name) {
            return Ok(());
        }
        let count = |names: &[String]| names.iter().filter(|n| **n == name).count();
        if link.place().and_then(|i| self.was.get(i)) == Some(&name)
            && count(self.now) < count(self.was)
        {
            return Ok(());
        }
        let Some(other) = places.next() else {
            let error = self.unknown(shown, &name);
            return Err(match there {
                Some(there) if !there.is_empty() => {
                    error.hint(format!("{what} {} is {there:?}", link.index))
                }
                _ => error,
            });
        };
        let found = match there {
            Some(there) => format!("{what} {} is {there:?}", link.index),
            None => format!("there is no {what} {}", link.index),
        };
        Err(Error::say(format!(
            "\"{} {shown}\": {found}, and {shown:?} is at {other}",
            link.index
        ))
        .hint("correct the number, or leave the name out"))
    }

    #[cold]
    fn unknown(&self, shown: &str, name: &str) -> Error {
        let near =
            did_you_mean(name, self.now.iter().map(String::as_str)).map(|near| format!(": {near}"));
        Error::say(format!(
            "there is no {} {shown:?}{}",
            self.what,
            near.unwrap_or_default()
        ))
    }
}

/// The number at the start of a file's name.
fn number(path: &str) -> Result<usize> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let digits = file
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(file.len());
    file.get(..digits)
        .and_then(|d| d.parse().ok())
        .ok_or_else(|| {
            Error::say("the name of this file does not begin with a number")
                .hint("models/0012-hangar.json is the model at position 12")
                .in_file(path)
        })
}

/// The files of a folder in the order of their numbers.
fn numbered(
    tree: &TreeReader<'_>,
    folder: &str,
    extensions: &[&str],
) -> Result<Vec<(usize, String)>> {
    let mut out = Vec::new();
    for path in tree.below(folder)? {
        let name = path.get(folder.len() + 1..).unwrap_or_default();
        if name.contains('/')
            || name.starts_with('.')
            || !extensions.iter().any(|e| name.ends_with(e))
        {
            continue;
        }
        out.push((number(&path)?, path));
    }
    out.sort();
    Ok(out)
}

/// A world before some files of its tree changed.
struct Before<'a> {
    world: &'a Gamez,
    env: Env,
    /// The documents of models, by their positions, without extensions.
    models: Cow<'a, HashMap<usize, String>>,
    /// The nodes of each document of nodes, by its path without the extension. Empty if the tree
    /// has all documents of nodes.
    nodes: HashMap<String, Range<usize>>,
    is_changed: &'a (dyn Fn(&str) -> bool + Sync),
    /// The documents of models that the tree lacks, because they did not change.
    left_out: Vec<(usize, String)>,
}

impl Before<'_> {
    /// True if what the bytes of all models depend on is the same now. A material that does not
    /// exist has no cycle.
    fn fits(&self, now: &Env) -> bool {
        let has_cycle =
            |env: &Env, material: usize| env.cycled.get(material).copied().unwrap_or(false);
        let most = self.env.cycled.len().max(now.cycled.len());
        (0..most).all(|material| has_cycle(&self.env, material) == has_cycle(now, material))
    }

    /// The nodes of a document, as its text has them, if it did not change.
    fn nodes(&self, path: &str, game: Game) -> Option<Nodes> {
        if (self.is_changed)(path) || self.world.game != game {
            return None;
        }
        let range = self.nodes.get(stem(path))?;
        let mut nodes = self.world.nodes.get(range.clone())?.to_vec();
        for node in nodes.iter_mut().flatten() {
            node.model.0.iter_mut().for_each(Link::unsettle);
            links_of(node).into_iter().for_each(Link::unsettle);
        }
        Some(Nodes { nodes })
    }

    /// What the document of a model gives, if it did not change. `fits` is the answer of
    /// [`Before::fits`].
    fn model(&self, i: usize, path: &str, now: &Env, fits: bool) -> Option<Result<StoredModel>> {
        let is_same = !(self.is_changed)(path)
            && self
                .models
                .get(&i)
                .is_some_and(|known| *known == stem(path));
        let stored = self.world.models.get(i).filter(|_| is_same)?.as_ref()?;
        if fits && self.env.uses.get(i) == now.uses.get(i) || path.ends_with(".bin") {
            return Some(Ok(stored.clone()));
        }
        let (game, around) = (self.world.game, self.env.around(i));
        // A model whose document would not give its bytes is in the tree as these bytes.
        match stored.model(game, &around) {
            Ok(model) if encode(&model, game, &around).is_ok_and(|same| same == *stored) => {
                Some(encode(&model, game, &now.around(i)))
            }
            _ => Some(Ok(stored.clone())),
        }
    }
}

impl Gamez {
    /// Reads the tree that this world was read from again, after some of its files changed. Documents
    /// that give the same nodes and models as before are not read again.
    pub fn assemble_again(
        &self,
        source: &dyn Source,
        is_changed: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Gamez> {
        let before = Before {
            world: self,
            env: Env::of(self, self.models.len()),
            models: Cow::Borrowed(&self.files.models),
            nodes: self.files.read(self.nodes.len()),
            is_changed,
            left_out: Vec::new(),
        };
        assemble_after(&TreeReader::new(source)?, Some(&before))
    }
}

/// Reads the tree of an edited world that lacks the documents of some models: those of `before`,
/// which was read from the file.
pub(super) fn assemble_edited(
    tree: &TreeReader<'_>,
    before: &Gamez,
    is_left_out: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Gamez> {
    let named = Named::of(before);
    let models: HashMap<usize, String> = before
        .models
        .iter()
        .enumerate()
        .filter(|(_, model)| model.is_some())
        .map(|(i, _)| (i, model_stem(i, &named)))
        .filter(|(_, stem)| is_left_out(stem))
        .collect();
    let ext = tree.style.ext();
    let path = |(i, stem): (&usize, &String)| (*i, format!("{stem}.{ext}"));
    let before = Before {
        world: before,
        env: Env::of(before, before.models.len()),
        left_out: models.iter().map(path).collect(),
        models: Cow::Owned(models),
        nodes: HashMap::new(),
        is_changed: &|path| !is_left_out(stem(path)),
    };
    assemble_after(tree, Some(&before))
}

/// Reads a world's tree.
pub(super) fn assemble(tree: &TreeReader<'_>) -> Result<Gamez> {
    assemble_after(tree, None)
}

fn assemble_after(tree: &TreeReader<'_>, before: Option<&Before<'_>>) -> Result<Gamez> {
    let manifest: GamezManifest = tree.manifest()?;
    let game = manifest
        .game
        .ok_or_else(|| Error::say("the manifest does not name the game").in_file("refit"))?;
    let layouts = [game, if game == Game::Rc { Game::RcDemo } else { game }];
    let game = match manifest.version {
        None => game,
        Some(version) => layouts
            .into_iter()
            .find(|layout| layout.gamez_version() == version)
            .ok_or_else(|| {
                Error::say(format!("{version} is not a version of this game's worlds"))
                    .hint("leave it out")
                    .within("version")
                    .in_file("refit")
            })?,
    };
    let ext = format!(".{}", tree.style.ext());
    let gap = |name: &str| -> Result<Bytes> {
        let path = format!("gaps/{name}.bin");
        if tree.has(&path) {
            tree.file(&path)
        } else {
            Ok(Bytes::new())
        }
    };
    let [a, b, c, d, e] = GAPS;
    let files = numbered(tree, "nodes", &[&ext])?;
    let parts: Vec<Nodes> = par::try_map(&files, |_, (_, path)| {
        match before.and_then(|before| before.nodes(path, game)) {
            Some(nodes) => Ok(nodes),
            None => tree.doc(path),
        }
    })?;
    let sizes: Vec<(String, usize)> = files
        .into_iter()
        .map(|(_, path)| path)
        .zip(parts.iter().map(|part| part.nodes.len()))
        .collect();
    let mut world = Gamez {
        game,
        timestamp: manifest.timestamp,
        textures: tree.doc::<Textures>("textures")?.textures,
        materials: tree.doc("materials")?,
        model_array: manifest.models,
        models: Vec::new(),
        node_array: manifest.nodes,
        nodes: parts.into_iter().flat_map(|part| part.nodes).collect(),
        gaps: [gap(a)?, gap(b)?, gap(c)?, gap(d)?, gap(e)?],
        files: Files {
            models: HashMap::new(),
            nodes: sizes
                .iter()
                .map(|(path, count)| (stem(path).to_owned(), *count))
                .collect(),
        },
    };
    let mut files = numbered(tree, "models", &[&ext, ".bin"])?;
    files.extend(before.iter().flat_map(|before| before.left_out.clone()));
    files.sort();
    for pair in files.windows(2) {
        if let [(a, first), (b, second)] = pair
            && a == b
        {
            return Err(Error::say(format!("{first} has the same number")).in_file(second.clone()));
        }
    }
    let count = files.last().map_or(0, |(i, _)| i.saturating_add(1));
    // Likewise, a number in a file's name must not make refit write gigabytes.
    let listed = files.len() + world.model_array.free_list.as_ref().map_or(0, Vec::len);
    if count.saturating_sub(listed) > ROOM {
        return Err(Error::say(format!(
            "the number leaves {} slots empty (at most {ROOM} are allowed)",
            count - listed
        ))
        .in_file(files.last().map(|(_, p)| p.clone()).unwrap_or_default()));
    }
    let mut models = vec![String::new(); count];
    for (i, path) in &files {
        if let Some(name) = models.get_mut(*i) {
            *name = model_name(path).to_owned();
        }
    }
    world.files.models = files
        .iter()
        .map(|(i, path)| (*i, stem(path).to_owned()))
        .collect();
    check_names(&mut world, &models, &sizes, &NamesWhenMade::when_made(tree))?;
    let env = Env::of(&world, count);
    let before = before.filter(|before| before.world.game == game);
    let fits = before.is_some_and(|before| before.fits(&env));
    let read: Vec<(usize, StoredModel)> =
        par::try_map(&files, |_, (i, path)| -> Result<(usize, StoredModel)> {
            if let Some(known) = before.and_then(|before| before.model(*i, path, &env, fits)) {
                return Ok((*i, known.map_err(|e| e.in_file(path.as_str()))?));
            }
            let payload = if path.ends_with(".bin") {
                tree.file(path)?
            } else {
                tree.member(path, |doc: Model| {
                    encode(&doc, game, &env.around(*i)).map(|p| payload(&p).to_vec())
                })?
                .bytes()?
            };
            Ok((
                *i,
                stored_of(&payload, game).map_err(|e| e.in_file(path.as_str()))?,
            ))
        })?;
    world.models.resize(count, None);
    for (i, stored) in read {
        if let Some(slot) = world.models.get_mut(i) {
            *slot = Some(stored);
        }
    }
    world.settle_free_list();
    Ok(world)
}

/// Maps the parts of finding paths to their documents. Nodes are numbered across all of their
/// documents.
pub(super) fn places(tree: &TreeReader<'_>) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = ["textures", "materials"]
        .map(|doc| (doc.to_owned(), format!("{doc}.{}", tree.style.ext())))
        .into();
    out.push(("nodes".to_owned(), "nodes/".to_owned()));
    for path in tree.paths() {
        if let Some(Ok(i)) = path.starts_with("models/").then(|| number(&path)) {
            out.push((format!("models[{i}]"), path));
        }
    }
    out
}

/// Checks the names beside references against the current names. If the name is the one that the
/// thing had when the tree was made, the thing was renamed. If the name is at another position,
/// positions moved and the reference would silently mean another thing: an error. Any other name is
/// a typo. Bare names get their number.
///
/// `parts` are the documents of nodes and the number of nodes in each.
fn check_names(
    world: &mut Gamez,
    models: &[String],
    parts: &[(String, usize)],
    was: &NamesWhenMade,
) -> Result<()> {
    let textures: Vec<String> = world.textures.iter().map(|t| t.name.text()).collect();
    let names: Vec<String> = world
        .nodes
        .iter()
        .map(|n| n.as_ref().map(Node::title).unwrap_or_default())
        .collect();
    let textures = KnownNames {
        what: "texture",
        now: &textures,
        was: &was.textures,
        spell: str::to_owned,
    };
    for (i, link) in textures_of(&mut world.materials) {
        textures.check(link).map_err(|e| {
            e.within(format!("[{i}].texture"))
                .within("materials")
                .in_file("materials")
        })?;
    }
    let nodes = KnownNames {
        what: "node",
        now: &names,
        was: &was.nodes,
        spell: str::to_owned,
    };
    let models = KnownNames {
        what: "model",
        now: models,
        was: &was.models,
        spell: plain,
    };
    for (i, node) in world.nodes.iter_mut().enumerate() {
        let Some(node) = node else { continue };
        let model = node.model.0.as_mut().map_or(Ok(()), |link| {
            models.check(link).map_err(|e| e.within("model"))
        });
        model
            .and_then(|()| {
                links_of(node)
                    .into_iter()
                    .try_for_each(|link| nodes.check(link))
            })
            .map_err(|e| {
                let (path, i) = part_of(i, parts);
                let e = e.within(format!("[{i}] {}", node.title())).within("nodes");
                if let Some(path) = path {
                    e.in_file(path)
                } else {
                    e
                }
            })?;
    }
    Ok(())
}

/// The name in the path of a model's document.
fn model_name(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    stem.trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix('-')
        .unwrap_or_default()
}

/// The document that contains a node, and the node's index in it.
fn part_of(mut index: usize, parts: &[(String, usize)]) -> (Option<&str>, usize) {
    for (path, count) in parts {
        if index < *count {
            return (Some(path), index);
        }
        index -= count;
    }
    (None, index)
}
