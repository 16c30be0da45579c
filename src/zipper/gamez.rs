//! Game worlds: `gamez.zbd` of all games and `planes.zbd` (FORMAT.md).
//!
//! Header, textures, materials, models, nodes. The sections follow each other; if the header's
//! offsets leave gaps, their bytes are kept. Reading only finds the slice of the file that each
//! model occupies. A model is decoded and verified when it is written to a tree, so a world is
//! never in memory as text or as thousands of small lists.

/// Reads and writes a record that is followed by one list, whose length is a field of the record.
macro_rules! counted {
    ($record:ident: $list:ident by $count:ident, $what:literal) => {
        impl $record {
            pub(super) fn load(r: &mut Reader<'_>) -> Result<Self> {
                let mut record = $record::read(r)?;
                record.$list = r.plains(
                    $crate::gamez::classes::count(record.$count, r)?,
                    stringify!($list),
                )?;
                Ok(record)
            }
            pub(super) fn save(&self, w: &mut Writer) -> Result<()> {
                let mut record = self.bare();
                record.$count = fit(self.$list.len(), $what)?;
                record.write(w)?;
                w.plains(&self.$list);
                Ok(())
            }
        }
    };
}
use counted;
use refit_base::tree::plain::{PlainFolder, nothing_new};

pub mod boxes;
mod budget;
pub mod cells;
pub mod classes;
pub mod edit;
pub mod follow;
mod free_list;
pub mod fresh;
pub(crate) mod lints;
pub mod materials;
pub mod models;
pub mod nodes;
mod reparent;
pub mod textures;
pub mod transplant;
pub mod tree;
pub mod types;
pub mod world;

pub(super) use tree::check_numbers;

use bytes::Bytes;
use materials::{Material, Materials};
use models::{Model, Surroundings};
use nodes::{Data, Kin, Node};
use refit_base::{
    contract::{
        Codec, Context, Detection, Documents, Family, Info, Model as FileModel, Stage, Suspect,
        Verdict,
    },
    format::Format,
    game::Game,
    lint::Lints,
    naming::{NameKind, Rule},
    tree::{Blob, ByteSink, TreeReader, TreeWriter},
    wire::{
        Defaulted, Derived, Encode, Error, Hex, Notation, Reader, Result, Role, Trace, UnixTime,
        Writer, fit, value_at,
    },
};
use std::collections::{HashMap, HashSet};
use textures::Texture;
use types::Link;
pub use types::{MaterialId, ModelId, NodeId};

/// The formats, lint codes and schemas of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Gamez, Format::Planes],
    recognise: &[(Stage::Signature, recognise)],
    codes: lints::CODES,
    schemas: || {
        vec![
            refit_base::contract::schema::<tree::GamezManifest>(),
            refit_base::contract::schema::<tree::Textures>(),
            refit_base::contract::schema::<Materials>(),
            refit_base::contract::schema::<Model>(),
            refit_base::contract::schema::<nodes::Nodes>(),
        ]
    },
};

/// First word of the file.
const SIGNATURE: u32 = 0x0297_1222;

/// The sections that a gap may precede, and the end of the file: names of side files.
const GAPS: [&str; 5] = ["textures", "materials", "models", "nodes", "end"];

/// A model of the file: the bytes of its slot and of its data.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredModel {
    /// The record in the slot, without the word that follows it.
    pub head: Bytes,
    /// The data that the slot points to.
    pub data: Bytes,
    /// The word that follows the record, if it is not the position of the data.
    link: Derived<Hex<u32>>,
}

refit_base::record! {
    /// The header of the model array, as far as it does not follow from the models.
    #[derive(Default)]
    pub struct ModelArray {
        /// Minimum number of slots in the file. The array grows with the models.
        slots: u32,
        /// Used slots, if that is not the number of models.
        count~: i32,
        /// Head of the free list, if that is not its first slot.
        index_free~: i32,
        /// The free slots in the order in which new models take them, if that is not ascending or
        /// there are very many.
        free_list?: Vec<u32>,
        /// Words after free slots that are not the next free slot.
        free_links*: FreeLink,
    }
}

/// The word after a free slot.
#[derive(Clone, PartialEq, Debug, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FreeLink {
    /// Position of the free slot, from 0.
    pub slot: u32,
    /// The word after the slot: the next free slot, or -1, as a rule.
    pub link: Derived<i32>,
}

refit_base::record! {
    /// What the header contains about the nodes.
    #[derive(Default)]
    pub struct NodeArray {
        /// Minimum number of records in the file; the array grows with the nodes. If absent, one
        /// for each node.
        slots?: u32,
        /// Head of the free list, if that is not the first released record.
        last_free^: i32,
        /// Nodes in the cells of the world do not have the world as a parent, unlike in known
        /// worlds.
        world_is_no_parent!: bool,
        /// The file's free list leads to used records: its words stay unchanged when nodes are
        /// added.
        free_list_stays!: bool,
    }
}

/// A game world.
#[derive(Clone, Debug)]
pub struct Gamez {
    /// The game.
    pub game: Game,
    /// When the file was written. PM and CS.
    pub timestamp: Option<UnixTime>,
    /// The texture directory.
    pub textures: Vec<Texture>,
    /// The material array.
    pub materials: Materials,
    /// The head of the model array.
    pub model_array: ModelArray,
    /// Models by slot; `None` is a free slot. Free slots at the end are left out.
    pub models: Vec<Option<StoredModel>>,
    /// The header's figures for the nodes.
    pub node_array: NodeArray,
    /// Nodes by position; `None` is an unused record. Up to `ROOM` unused records at the end are
    /// left out.
    pub nodes: Vec<Option<Node>>,
    /// The bytes before each section and after the nodes.
    gaps: [Bytes; 5],
    /// The documents of the tree that the world was read from. An edited tree may name them
    /// differently and divide the nodes differently than a new tree does.
    files: tree::Files,
}

// Not merged into `Gamez`: the header counts and places the sections, and everything in it but the
// time and the head of the free list is derived from them.
refit_base::record! {
    /// The head of a world.
    struct Header [Rc 36, Mw 36, Pm 40, Cs 40] {
        /// 0x02971222.
        const signature: u32,
        /// 15 in RC, 27 in MW, 41 in PM, 42 in CS.
        const version: u32,
        /// When it was written, in seconds since 1970.
        [Pm Cs] timestamp^: UnixTime = |_| UnixTime(0),
        /// Entries of the texture directory.
        mut texture_count: u32,
        /// Where the texture directory begins.
        mut textures_offset: u32,
        /// Where the materials begin.
        mut materials_offset: u32,
        /// Where the models begin.
        mut models_offset: u32,
        /// Node records, free ones included.
        mut node_count: u32,
        /// The first free node record.
        node_last_free: i32,
        /// Where the node records begin.
        mut nodes_offset: u32,
    }
}

refit_base::record! {
    /// The fields before the slots of the models.
    struct ModelsHead [Rc 12, Mw 12, Pm 12, Cs 12] {
        /// Slots.
        mut array_size: u32,
        /// Slots in use.
        mut count: i32,
        /// The first free slot, or −1.
        mut index_free: i32,
    }
}

/// The codec of game worlds.
pub struct GamezCodec;

/// Recognises a world by its signature, and its game by its version.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if suspect.word(0) != Some(SIGNATURE) {
        return Verdict::No;
    }
    let of =
        |game: Game| Some(game.gamez_version()) == suspect.word(Header::place_version(game).start);
    let game = Game::ALL
        .into_iter()
        .find(|game| of(*game))
        .or(of(Game::RcDemo).then_some(Game::Rc));
    let format = match (game, suspect.whole) {
        (Some(Game::Cs), None) => return Verdict::All,
        (Some(Game::Cs), Some(file)) if is_planes(file) => Format::Planes,
        _ => Format::Gamez,
    };
    Verdict::Is(Detection::new(
        format,
        game,
        format!("signature {SIGNATURE:#010x} and version"),
        true,
    ))
}

/// True for a planes file: the class of node 0 is 5 or 6, not 2 (world).
fn is_planes(file: &[u8]) -> bool {
    let word = |at: usize| value_at::<u32>(file, at);
    let nodes = word(Header::place_nodes_offset(Game::Cs).start);
    let class = nodes
        .and_then(|nodes| word((nodes as usize).checked_add(Node::place_class(Game::Cs).start)?));
    matches!(class, Some(5 | 6))
}

/// Which fields are names.
const NAMES: &[Rule] = &[
    Rule::uses("gamez-textures", "textures[].name", NameKind::Texture),
    Rule::defines("gamez-materials", "materials[].texture", NameKind::Material),
    Rule::uses(
        "gamez-materials",
        "materials[].cycle.frames[]",
        NameKind::Texture,
    ),
    Rule::defines("gamez-nodes", "nodes[].name", NameKind::Node),
];

impl Codec for GamezCodec {
    type Model = Gamez;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Gamez> {
        Err(nothing_new(
            folder.format,
            "`refit new gamez` makes an empty world, `refit world add` puts objects into it",
        ))
    }
    fn names(&self) -> &'static [Rule] {
        NAMES
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<Gamez> {
        Gamez::read(&file.bytes()?)
    }
    fn explain(&self, file: &Blob, _: &Context, trace: &dyn Trace) -> Result<()> {
        // The documents of models are named after the nodes that use them, and nodes come last in
        // the file.
        let file = file.bytes()?;
        let documents = Gamez::read(&file)
            .map(|world| tree::DocumentPaths::of(&world))
            .unwrap_or_default();
        Gamez::read_traced(&file, Some((trace, &documents))).map(|_| ())
    }
    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Gamez> {
        tree::assemble(tree)
    }
    fn assemble_edited(
        &self,
        tree: &TreeReader<'_>,
        before: &Gamez,
        is_left_out: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Gamez> {
        tree::assemble_edited(tree, before, is_left_out)
    }
    fn places(&self, tree: &TreeReader<'_>) -> Result<Vec<(String, String)>> {
        Ok(tree::places(tree))
    }
}

/// A slot of the array of models.
enum Slot {
    /// Its link to another free slot.
    Free(i32),
    /// A model without its data, and its link.
    Used(Box<Model>, u32),
}

impl Slot {
    /// Reads the slot of this number; `document` is the name of a model's document in a tree.
    fn read(heads: &mut Reader<'_>, document: &str, number: u32) -> Result<Self> {
        let size = Model::size(heads.game);
        if heads.peek(size).iter().all(|b| *b == 0) {
            return heads.note_within(format_args!("models[{number}]"), |heads| {
                heads.bytes(size as u64, "free", Notation::Bytes, Role::Padding)?;
                Ok(Slot::Free(heads.hidden("link", Role::Derived)?))
            });
        }
        heads
            .note_within(document, |heads| {
                let model = Box::new(Model::load_head(heads)?);
                Ok(Slot::Used(model, heads.hidden("link", Role::Derived)?))
            })
            .map_err(|e: Error| e.within(format!("[{number}]")))
    }
}

/// The link of each free slot of models, and the head of the list, for free slots in list order.
fn free_links(order: &[u32]) -> (HashMap<u32, i32>, i32) {
    let next = order.iter().skip(1).map(|s| *s as i32).chain([-1]);
    (
        order.iter().copied().zip(next).collect(),
        order.first().map_or(-1, |s| *s as i32),
    )
}

impl Gamez {
    /// Reads a file.
    pub fn read(file: &Bytes) -> Result<Self> {
        Self::read_traced(file, None)
    }

    /// Reads a file and reports the fields to `trace`, with the names of their documents in a tree.
    fn read_traced(
        file: &Bytes,
        trace: Option<(&dyn Trace, &tree::DocumentPaths)>,
    ) -> Result<Self> {
        let documents = trace.map(|(_, documents)| documents);
        let mut probe = Reader::new(file, Game::Mw);
        let signature = probe.field::<u32>("signature")?;
        if signature != SIGNATURE {
            return Err(Error::say(format!(
                "{signature:#010x} (a game world has {SIGNATURE:#010x})"
            ))
            .at(0)
            .within("signature"));
        }
        let version = probe.field::<u32>("version")?;
        let game =
            Game::ALL.into_iter().chain([Game::RcDemo]).find(|g| g.gamez_version() == version).ok_or_else(|| {
                Error::say(format!(
                    "{version}: known versions are 13 (demos of Recoil), 15 (Recoil), 27 (MechWarrior 3), \
                41 (Pirate's Moon), 42 (Crimson Skies)"
                ))
                .at(Header::place_version(Game::Mw).start as u64)
                .within("version")
            })?;
        let mut r = Reader::new(file, game).traced(trace.map(|(trace, _)| trace));
        let header: Header = r.part("header")?;
        let mut gaps: [Bytes; 5] = Default::default();
        let [
            before_textures,
            before_materials,
            before_models,
            before_nodes,
            end,
        ] = &mut gaps;

        *before_textures = skip_to(&mut r, header.textures_offset, file, "textures")?;
        // Check the size before allocating.
        let size = Texture::size(game) as u64;
        let at = r.offset();
        let records = r
            .take_many(header.texture_count.into(), size)
            .map_err(|e| e.within("textures"))?;
        let textures = r.document("textures.json", |r| {
            r.inner(records, at)
                .list(header.texture_count as usize, "textures")
        })?;

        *before_materials = skip_to(&mut r, header.materials_offset, file, "materials")?;
        let materials = r.document("materials.json", Materials::load)?;

        *before_models = skip_to(&mut r, header.models_offset, file, "models")?;
        let cycled = materials.cycled();
        let (model_array, models) =
            Self::read_models(&mut r, file, &cycled, documents).map_err(|e| e.within("models"))?;

        *before_nodes = skip_to(&mut r, header.nodes_offset, file, "nodes")?;
        let (nodes, world_is_parent) = Self::read_nodes(&mut r, header.node_count, documents)
            .map_err(|e| e.within("nodes"))?;
        *end = file.slice(r.pos()..);

        let slots = header.node_count as usize;
        let node_array = NodeArray {
            slots: (slots != nodes.len()).then_some(header.node_count),
            last_free: Defaulted::of(header.node_last_free, last_free_rule(&nodes, slots)),
            world_is_no_parent: !world_is_parent,
            free_list_stays: false,
        };
        let timestamp =
            matches!(game, Game::Pm | Game::Cs).then(|| header.timestamp.or(UnixTime(0)));
        let mut world = Gamez {
            game,
            timestamp,
            textures,
            materials,
            model_array,
            models,
            node_array,
            nodes,
            gaps,
            files: Default::default(),
        };
        world.node_array.free_list_stays = !world.stale_ends().is_empty();
        Ok(world)
    }

    /// The released records that linked to the first never-used record, and now link to one that
    /// was added since.
    ///
    /// All records from their link's target to the end are used (FORMAT.md): the engine never
    /// releases a record into such a place.
    fn stale_ends(&self) -> Vec<usize> {
        if matches!(self.game, Game::Pm | Game::Cs) || self.node_array.free_list_stays {
            return Vec::new();
        }
        let used = |n: &Option<Node>| n.as_ref().is_some_and(|n| !n.data.is_empty());
        let run = self
            .nodes
            .iter()
            .rposition(|n| !used(n))
            .map_or(0, |i| i + 1)..self.nodes.len();
        let (slots, game) = (self.node_slots(), self.game);
        let word = |i: usize, n: &Node| {
            (n.link.or(nodes::link_rule(i, slots, 0, 0, game)).0 & nodes::FREE_END) as usize
        };
        let released = self.nodes().filter(|(_, n)| n.data.is_empty());
        released
            .filter(|(id, n)| run.contains(&word(id.0, n)))
            .map(|(id, _)| id.0)
            .collect()
    }

    /// Updates the arrays after models and nodes were added: each keeps a free slot, as in all
    /// known files, and the free list of node records ends after the last node.
    pub fn settle_arrays(&mut self) {
        if self.model_slots() <= self.models.iter().flatten().count() {
            self.model_array.slots =
                u32::try_from(self.models.len() + 1).unwrap_or(self.model_array.slots);
        }
        // If the array of nodes was full before, it has no free records.
        if self.node_array.slots.is_some()
            && self.node_slots() <= self.nodes.len()
            && !matches!(self.game, Game::Pm | Game::Cs)
        {
            self.node_array.slots = u32::try_from(self.nodes.len() + 1).ok();
        }
        self.settle_free_list();
        self.settle_free_models();
    }

    /// Drops what the file stores of its free list of models where it leads to a model, which the
    /// game would then overwrite.
    pub(crate) fn settle_free_models(&mut self) {
        let models = &self.models;
        let is_used = |slot: i32| {
            usize::try_from(slot).is_ok_and(|i| models.get(i).is_some_and(Option::is_some))
        };
        let array = &mut self.model_array;
        array
            .free_links
            .retain(|odd| !odd.link.0.is_some_and(&is_used));
        if array.index_free.0.is_some_and(is_used) {
            array.index_free = Derived(None);
        }
    }

    /// Ends the free list of node records after the last node.
    pub(crate) fn settle_free_list(&mut self) {
        let (slots, game) = (self.node_slots(), self.game);
        let len = self.nodes.len();
        let end = Hex(if len < slots {
            len as u32
        } else {
            nodes::FREE_END
        });
        for i in self.stale_ends() {
            if let Some(Some(node)) = self.nodes.get_mut(i) {
                node.link = Defaulted::of(end, nodes::link_rule(i, slots, 0, 0, game));
            }
        }
    }

    fn read_models(
        r: &mut Reader<'_>,
        file: &Bytes,
        cycled: &[bool],
        documents: Option<&tree::DocumentPaths>,
    ) -> Result<(ModelArray, Vec<Option<StoredModel>>)> {
        let game = r.game;
        let ModelsHead {
            array_size: slots,
            count,
            index_free,
        } = r.note_within("models", ModelsHead::read)?;
        let size = Model::size(game);
        let at = r.offset();
        let slot_bytes = r.take_many(slots.into(), size as u64 + 4)?;
        let name = |i: u32| {
            documents
                .map(|documents| documents.model(i as usize))
                .unwrap_or_default()
        };
        if r.trace().is_some() {
            // Heads and data take turns below, but all heads come first in the file: explained in
            // this order, no line waits for another one. The loop below reports a fault.
            let mut heads = r.inner(slot_bytes, at);
            for i in 0..slots {
                if Slot::read(&mut heads, &name(i), i).is_err() {
                    break;
                }
            }
        }
        let mut heads = r.inner(slot_bytes, at).traced(None);
        let mut models: Vec<Option<StoredModel>> = Vec::new();
        let mut free: Vec<(u32, i32)> = Vec::new();
        for i in 0..slots {
            let step = |e: Error| e.within(format!("[{i}]"));
            let start = heads.offset() as usize;
            let document = name(i);
            let (mut model, link) = match Slot::read(&mut heads, &document, i)? {
                Slot::Free(link) => {
                    free.push((i, link));
                    continue;
                }
                Slot::Used(model, link) => (model, link),
            };
            let begin = r.pos();
            let around = Surroundings {
                cycled,
                mechlib: false,
                uses: model.parent_count,
            };
            if r.trace().is_some() || model.skip_data(r).is_none() {
                r.seek(begin as u64)?;
                r.note_within(&document, |r| model.load_data(r, &around))
                    .map_err(step)?;
            }
            let stored = StoredModel {
                head: file.slice(start..start + size),
                data: file.slice(begin..r.pos()),
                link: Derived::of(Hex(link), Hex(begin as u32)),
            };
            models.resize(i as usize, None);
            models.push(Some(stored));
        }
        // Free slots form a linked list. If the list visits each of them once, its order determines
        // all links.
        let mut array = ModelArray {
            slots,
            ..ModelArray::default()
        };
        let stored: HashMap<u32, i32> = free.iter().copied().collect();
        let mut walk = Vec::new();
        let mut seen = HashSet::new();
        let mut next = index_free;
        while let Some(slot) = u32::try_from(next)
            .ok()
            .filter(|s| stored.contains_key(s) && seen.insert(*s))
        {
            walk.push(slot);
            next = stored.get(&slot).copied().unwrap_or(-1);
        }
        let ascending: Vec<u32> = free.iter().map(|(slot, _)| *slot).collect();
        if next == -1 && walk.len() == free.len() && walk != ascending {
            array.free_list = Some(walk);
        } else if free.len() > ROOM {
            array.free_list = Some(ascending.clone());
        }
        let (links, head) = free_links(array.free_list.as_ref().unwrap_or(&ascending));
        for (slot, link) in free {
            let link = Derived::of(link, links.get(&slot).copied().unwrap_or(-1));
            if !link.is_none() {
                array.free_links.push(FreeLink { slot, link });
            }
        }
        array.index_free = Derived::of(index_free, head);
        array.count = Derived::of(count, models.iter().flatten().count() as i32);
        Ok((array, models))
    }

    fn read_nodes(
        r: &mut Reader<'_>,
        slots: u32,
        documents: Option<&tree::DocumentPaths>,
    ) -> Result<(Vec<Option<Node>>, bool)> {
        let game = r.game;
        let size = Node::size(game);
        let at = r.offset();
        let slot_bytes = r.take_many(slots.into(), size as u64 + 4)?;
        let mut records = r.inner(slot_bytes, at);
        let unused = nodes::unused(game);
        let mut out: Vec<Option<Node>> = Vec::new();
        let document = |i: usize| {
            documents
                .map(|documents| documents.node(i))
                .unwrap_or_default()
        };
        for i in 0..slots as usize {
            let rule = nodes::link_rule(i, slots as usize, 0, 0, game);
            if records.peek(size) == unused
                && records.peek(size + 4).get(size..) == Some(&rule.0.to_le_bytes())
                && game != Game::Cs
            {
                records.note_within(format_args!("nodes[{i}]"), |r| {
                    r.bytes(size as u64 + 4, "unused", Notation::Bytes, Role::Padding)
                })?;
                continue;
            }
            let node = records
                .note_within(document(i), |records| {
                    let mut node = Node::read(records)?;
                    node.link = Defaulted(Some(records.hidden("link", Role::Derived)?));
                    Ok(node)
                })
                .map_err(|e: Error| e.within(format!("[{i}]")))?;
            out.resize(i, None);
            out.push(Some(node));
        }
        out.resize(out.len().max((slots as usize).saturating_sub(ROOM)), None);
        for (i, node) in out.iter_mut().enumerate() {
            let Some(node) = node else { continue };
            let at = r.offset() as u32;
            r.note_within(document(i), |r| node.load_rest(r))
                .map_err(|e| e.within(format!("[{i}] {}", node.title())))?;
            node.link
                .settle(nodes::link_rule(i, slots as usize, node.class, at, game));
            if game == Game::Cs {
                node.data_ptr = Defaulted::of(node.data_ptr.or(types::PTR), Hex(at));
            }
        }
        // The file does not say whether nodes in cells name the world as a parent. Take the rule
        // that fits more nodes; on a tie, the usual one.
        let mut kin = Kin::of(&out, true, game);
        let with = kin.misfits(&out);
        kin.world_is_parent = false;
        let world_is_parent = with <= kin.misfits(&out);
        kin.world_is_parent = world_is_parent;
        for (i, node) in out.iter_mut().enumerate() {
            if let Some(node) = node {
                kin.settle(i, node);
            }
        }
        Ok((out, world_is_parent))
    }

    /// `Planes` or `Gamez`: a planes file does not start with a node of class 2.
    pub fn format(&self) -> Format {
        let first = self
            .nodes
            .first()
            .and_then(Option::as_ref)
            .map(|node| node.data.class());
        if self.game == Game::Cs && matches!(first, Some(5 | 6)) {
            Format::Planes
        } else {
            Format::Gamez
        }
    }

    /// The parents and cells that follow from the nodes' children and from the world.
    fn kin(&self) -> Kin {
        Kin::of(&self.nodes, !self.node_array.world_is_no_parent, self.game)
    }

    /// How many nodes use each model.
    pub fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0u32; self.models.len()];
        for node in self.nodes.iter().flatten() {
            if let Some(n) = node
                .model
                .or(Link::to(-1))
                .place()
                .and_then(|m| uses.get_mut(m))
            {
                *n += 1;
            }
        }
        uses
    }

    /// The models, without free slots.
    pub fn models(&self) -> impl Iterator<Item = ModelId> {
        self.models
            .iter()
            .enumerate()
            .filter(|(_, model)| model.is_some())
            .map(|(i, _)| ModelId(i))
    }

    /// A model as a document. Returns an error for a free slot.
    pub fn model(&self, id: ModelId) -> Result<Model> {
        self.model_with(id, &self.materials.cycled())
    }

    /// [`Gamez::model`], with the materials that have a cycle.
    fn model_with(&self, id: ModelId, cycled: &[bool]) -> Result<Model> {
        let stored = self
            .models
            .get(id.0)
            .and_then(Option::as_ref)
            .ok_or_else(|| refit_base::contract::no_member(id.0))?;
        let uses = Model::peek_parent_count(&stored.head, self.game);
        stored.model(
            self.game,
            &Surroundings {
                cycled,
                mechlib: false,
                uses,
            },
        )
    }

    /// A material; `None` for a free slot.
    pub fn material(&self, id: MaterialId) -> Option<&Material> {
        self.materials.materials.get(id.0)?.as_ref()
    }

    /// Puts an edited model into its slot and updates what depends on it: its sphere and the boxes
    /// of the nodes above it.
    pub fn change_model(&mut self, index: usize, before: &Model, now: Model) -> Result<()> {
        self.change_models(vec![(index, before.clone(), now)])
    }

    /// [`Gamez::change_model`] for several models: each with its position and its former state.
    pub fn change_models(&mut self, edited: Vec<(usize, Model, Model)>) -> Result<()> {
        let mut edited = Some(edited);
        self.editing(&mut |world| world.replace_models(edited.take().unwrap_or_default()))
    }

    fn replace_models(&mut self, edited: Vec<(usize, Model, Model)>) -> Result<()> {
        let (uses, cycled) = (self.uses(), self.materials.cycled());
        let mut extents = HashMap::new();
        for (index, before, mut now) in edited {
            follow::settle_sphere(&before, &mut now, self.game);
            let stored = self.stored(&now, &cycled, uses.get(index).copied().unwrap_or(0))?;
            *self
                .models
                .get_mut(index)
                .ok_or_else(|| refit_base::contract::no_member(index))? = Some(stored);
            extents.insert(
                index,
                [&before, &now].map(|model| follow::extent(model, self.game)),
            );
        }
        follow::models_changed(self, &extents);
        Ok(())
    }

    /// Replaces a model, or fills a free slot.
    pub fn set_model(&mut self, ModelId(index): ModelId, model: &Model) -> Result<()> {
        let uses = self.uses().get(index).copied().unwrap_or(0);
        let stored = self.stored(model, &self.materials.cycled(), uses)?;
        *self
            .models
            .get_mut(index)
            .ok_or_else(|| refit_base::contract::no_member(index))? = Some(stored);
        Ok(())
    }

    /// What the file stores of a model that `uses` nodes show.
    pub fn stored(&self, model: &Model, cycled: &[bool], uses: u32) -> Result<StoredModel> {
        tree::encode(
            model,
            self.game,
            &Surroundings {
                cycled,
                mechlib: false,
                uses,
            },
        )
    }

    /// Appends a model and returns its position, to which `model` of a node refers.
    pub fn add_model(&mut self, model: &Model) -> Result<ModelId> {
        let id = ModelId(self.new_model_slot(&mut 0));
        let shows = |node: &&Node| node.model.0.as_ref().and_then(Link::place) == Some(id.0);
        let users = self.nodes.iter().flatten().filter(shows).count();
        let stored = self.stored(model, &self.materials.cycled(), users as u32)?;
        self.fill_model_slot(id.0, stored);
        Ok(id)
    }

    /// The slots for so many new models: those after all models, or free ones between them if the
    /// array would grow otherwise.
    pub fn new_model_slots(&self, n: usize) -> impl Iterator<Item = usize> + use<> {
        let len = self.models.len();
        let room = (self.model_array.slots as usize).saturating_sub(len);
        let wanted = n.saturating_sub(room);
        let free = self
            .models
            .iter()
            .enumerate()
            .filter(|(_, model)| model.is_none())
            .map(|(i, _)| i)
            .take(wanted);
        let free: Vec<usize> = if wanted > 0 {
            free.collect()
        } else {
            Vec::new()
        };
        free.into_iter().chain(len..)
    }

    /// The slot for one more model, as [`Gamez::new_model_slots`] gives it. The first `used` slots are
    /// in use; that is updated, so that many models are added in linear time.
    pub fn new_model_slot(&self, used: &mut usize) -> usize {
        let len = self.models.len();
        if len < self.model_array.slots as usize {
            return len;
        }
        let mut rest = self.models.iter().skip(*used);
        let slot = rest
            .position(Option::is_none)
            .map_or(len, |free| *used + free);
        *used = slot + 1;
        slot
    }

    /// Puts a model into a slot of [`Gamez::new_model_slots`].
    pub fn fill_model_slot(&mut self, slot: usize, model: StoredModel) {
        if slot >= self.models.len() {
            self.models.resize(slot + 1, None);
        }
        if let Some(free) = self.models.get_mut(slot) {
            *free = Some(model);
        }
    }

    /// The used nodes with their positions, to which other nodes refer.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .filter_map(|(i, node)| Some((NodeId(i), node.as_ref()?)))
    }

    /// A node; `None` for a free slot.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0)?.as_ref()
    }

    /// A node, to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0)?.as_mut()
    }

    /// The node of a name, in either case, or at a position such as `#512`. Returns an error unless
    /// there is exactly one.
    pub fn find(&self, name: &str) -> Result<NodeId> {
        if let Some(id) = name
            .strip_prefix('#')
            .and_then(|digits| digits.parse().ok())
            .map(NodeId)
        {
            return match self.node(id) {
                Some(node) if node.data.is_empty() => Err(Error::say(format!(
                    "node {name} was removed: its record is free"
                ))),
                Some(_) => Ok(id),
                None => Err(Error::say(format!("there is no node {name}"))),
            };
        }
        let is_it = |n: &Node| !n.data.is_empty() && n.title().eq_ignore_ascii_case(name);
        let found: Vec<NodeId> = self
            .nodes()
            .filter(|(_, n)| is_it(n))
            .map(|(id, _)| id)
            .collect();
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(Error::say(format!("no node is called {name:?}"))
                .hint("`refit list` and the documents in nodes/ show the names")),
            [first, ..] => Err(Error::say(format!(
                "{name:?} is the name of {} nodes",
                found.len()
            ))
            .hint(format!("say which one, for example '{first}'"))),
        }
    }

    /// A node and everything below it, depth first: depth, position, node. A node with several
    /// parents appears once, where it is first found, so cycles end.
    pub fn walk(&self, NodeId(root): NodeId) -> impl Iterator<Item = (usize, NodeId, &Node)> {
        let mut open = vec![(0, root)];
        let mut seen = vec![false; self.nodes.len()];
        std::iter::from_fn(move || {
            loop {
                let (depth, at) = open.pop()?;
                let Some(Some(node)) = self.nodes.get(at) else {
                    continue;
                };
                if seen
                    .get_mut(at)
                    .is_some_and(|seen| std::mem::replace(seen, true))
                {
                    continue;
                }
                open.extend(
                    node.children
                        .iter()
                        .rev()
                        .filter_map(Link::place)
                        .map(|child| (depth + 1, child)),
                );
                return Some((depth, NodeId(at), node));
            }
        })
    }

    /// The nodes without a parent that are in no cell of a world.
    pub fn roots(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let kin = self.kin();
        self.nodes()
            .filter(move |(id, node)| match &node.parents.0 {
                Some(parents) => parents.is_empty(),
                None => kin.parents(id.0, false).next().is_none(),
            })
    }

    /// Passes the file to `out` in pieces.
    fn write_pieces(&self, out: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let game = self.game;
        let mut w = Writer::new(game);
        let [gap_textures, gap_materials, gap_models, gap_nodes, gap_end] = &self.gaps;

        // Everything before the data of the models. Their positions follow from its size, which is
        // known.
        w.raw(gap_textures);
        let textures_at = Header::size(game) + w.len();
        w.list(&self.textures, "textures")?;
        w.raw(gap_materials);
        let materials_at = Header::size(game) + w.len();
        self.materials.save(&mut w)?;
        w.raw(gap_models);
        let models_at = Header::size(game) + w.len();
        let slots = self.model_slots();
        let data_at = models_at + ModelsHead::size(game) + slots * (Model::size(game) + 4);
        let data: usize = self.models.iter().flatten().map(|p| p.data.len()).sum();
        let nodes_at = data_at + data + gap_nodes.len();
        limit(slots, self.listed_models(), "model slots")?;
        self.write_model_slots(&mut w, slots, data_at)?;

        let node_slots = self.node_slots();
        limit(node_slots, self.nodes.len(), "node records")?;
        let mut top = Writer::new(game);
        Header {
            signature: SIGNATURE,
            version: game.gamez_version(),
            timestamp: Defaulted(
                self.timestamp
                    .filter(|_| matches!(game, Game::Pm | Game::Cs)),
            ),
            texture_count: fit(self.textures.len(), "the number of textures")?,
            textures_offset: fit(textures_at, "an offset")?,
            materials_offset: fit(materials_at, "an offset")?,
            models_offset: fit(models_at, "an offset")?,
            node_count: fit(node_slots, "the number of node records")?,
            node_last_free: self
                .node_array
                .last_free
                .or(last_free_rule(&self.nodes, node_slots)),
            nodes_offset: fit(nodes_at, "an offset")?,
        }
        .write(&mut top)?;
        out(&top.bytes)?;
        out(&w.bytes)?;
        drop(w);
        for stored in self.models.iter().flatten() {
            out(&stored.data)?;
        }
        out(gap_nodes)?;
        let (records, rest) = self.write_nodes(node_slots, nodes_at)?;
        out(&records)?;
        out(&rest)?;
        out(gap_end)
    }

    pub(crate) fn model_slots(&self) -> usize {
        grown(self.model_array.slots as usize, self.models.len())
    }

    /// The number of slots that the tree describes: models, and free slots of a listed free list.
    fn listed_models(&self) -> usize {
        self.models.iter().flatten().count()
            + self.model_array.free_list.as_ref().map_or(0, Vec::len)
    }

    pub(crate) fn node_slots(&self) -> usize {
        match self.node_array.slots {
            // In Pirate's Moon and Crimson Skies all records are in use.
            Some(slots) if !matches!(self.game, Game::Pm | Game::Cs) => {
                grown(slots as usize, self.nodes.len())
            }
            slots => (slots.unwrap_or(0) as usize).max(self.nodes.len()),
        }
    }

    /// The words after the free slots of models, and the head of their list, as stored.
    pub(crate) fn free_models(&self, count: u32) -> (HashMap<u32, i32>, i32) {
        let array = &self.model_array;
        let is_free = |i: &u32| self.models.get(*i as usize).is_none_or(Option::is_none);
        let mut order: Vec<u32> = array
            .free_list
            .iter()
            .flatten()
            .copied()
            .filter(|i| *i < count && is_free(i))
            .collect();
        let listed: HashSet<u32> = order.iter().copied().collect();
        order.extend((0..count).filter(|i| is_free(i) && !listed.contains(i)));
        let (mut links, head) = free_links(&order);
        let odd = array.free_links.iter().filter(|odd| odd.slot < count);
        links.extend(odd.filter_map(|odd| Some((odd.slot, odd.link.0?))));
        (links, array.index_free.or(head))
    }

    fn write_model_slots(&self, w: &mut Writer, slots: usize, data_at: usize) -> Result<()> {
        let array = &self.model_array;
        let count: u32 = fit(slots, "the number of model slots")?;
        let (links, head) = self.free_models(count);
        let used = array.count.or(self.models.iter().flatten().count() as i32);
        ModelsHead {
            array_size: count,
            count: used,
            index_free: head,
        }
        .write(w)?;
        let mut at = data_at;
        let zeros = vec![0; Model::size(self.game)];
        for i in 0..count {
            match self.models.get(i as usize) {
                Some(Some(stored)) => {
                    w.raw(&stored.head);
                    w.put(&stored.link.or(Hex(fit(at, "an offset")?)));
                    at += stored.data.len();
                }
                _ => {
                    w.raw(&zeros);
                    w.put(&links.get(&i).copied().unwrap_or(-1));
                }
            }
        }
        Ok(())
    }

    fn write_nodes(&self, slots: usize, at: usize) -> Result<(Vec<u8>, Vec<u8>)> {
        let game = self.game;
        let kin = self.kin();
        let size = Node::size(game) + 4;
        let mut records = Writer::with_capacity(game, slots.min(1 << 20) * size);
        let mut rest = Writer::new(game);
        let data_at = at + slots * size;
        let unused = nodes::unused(game);
        for i in 0..slots {
            let Some(Some(node)) = self.nodes.get(i) else {
                if game == Game::Cs {
                    return Err(Error::say("Crimson Skies has no unused node records")
                        .within(format!("[{i}]"))
                        .within("nodes"));
                }
                records.raw(&unused);
                records.put(&nodes::link_rule(i, slots, 0, 0, game));
                continue;
            };
            let step = |e: Error| e.within(format!("[{i}] {}", node.title())).within("nodes");
            let derived: Vec<Link> = kin.parents(i, node.world_first).cloned().collect();
            let parents = node.parents.0.as_deref().unwrap_or(&derived);
            let here: u32 = fit(data_at + rest.len(), "an offset").map_err(step)?;
            node.save_record(&mut records, parents.len(), kin.cell(i), here)
                .map_err(step)?;
            records.put(
                &node
                    .link
                    .or(nodes::link_rule(i, slots, node.data.class(), here, game)),
            );
            node.save_rest(&mut rest, parents).map_err(step)?;
        }
        Ok((records.bytes, rest.bytes))
    }
}

/// Maximum number of slots of an array beyond those that the tree lists, so that a number in a tree
/// cannot make refit write gigabytes of empty slots. A file with more of them lists each one in its
/// tree.
const ROOM: usize = 1 << 16;

/// The size of an array that grows with its contents. A grown array gets one free slot, as in all
/// known files.
fn grown(slots: usize, used: usize) -> usize {
    if used > slots { used + 1 } else { slots }
}

/// Returns an error for an array that is mostly empty: see [`ROOM`].
fn limit(slots: usize, listed: usize, what: &str) -> Result<()> {
    if slots.saturating_sub(listed) <= ROOM {
        return Ok(());
    }
    Err(Error::say(format!(
        "{slots} {what}, but only {listed} are listed: at most {ROOM} may be left empty after them"
    ))
    .hint("lower `slots`"))
}

impl StoredModel {
    /// The model as a document.
    pub fn model(&self, game: Game, around: &Surroundings<'_>) -> Result<Model> {
        let mut model = Model::load_head(&mut Reader::new(&self.head, game))?;
        let mut r = Reader::new(&self.data, game);
        model.load_data(&mut r, around)?;
        model.link = self.link;
        Ok(model)
    }
}

/// The default head of the free list: the first released record, or the number of records.
fn last_free_rule(nodes: &[Option<Node>], slots: usize) -> i32 {
    let released = |n: &Option<Node>| n.as_ref().is_none_or(|n| n.data.is_empty());
    nodes
        .iter()
        .position(released)
        .unwrap_or(nodes.len().min(slots)) as i32
}

/// Moves to a section and returns the bytes in between. A section must not begin inside the one
/// before it.
fn skip_to(r: &mut Reader<'_>, offset: u32, file: &Bytes, what: &str) -> Result<Bytes> {
    let (from, to) = (r.pos(), offset as usize);
    if to < from {
        return Err(Error::say(format!(
            "begin at {to:#x}, inside the previous section, which ends at {from:#x}"
        ))
        .at(from as u64)
        .within(what));
    }
    r.seek(offset.into()).map_err(|e| e.within(what))?;
    Ok(file.slice(from..to))
}

impl FileModel for Gamez {
    fn game(&self) -> Option<Game> {
        Some(self.game.itself())
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        self.write_pieces(&mut |piece| out.put(piece))
    }
    fn documents(&self) -> Option<Documents> {
        Some(tree::model_documents(self))
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        tree::unpack(self, tree)
    }
    fn proves_parts(&self) -> bool {
        true
    }
    fn lint(&self, lints: &mut Lints) {
        lints::lint(self, lints);
    }
    fn lint_edit(&self, before: &Gamez, lints: &mut Lints) {
        boxes::judge(self, before, lints);
        lints::lookups(self, before, lints);
    }
    fn info(&self) -> Info {
        let mut out: Info = vec![("version", self.game.gamez_version().into())];
        if let Some(time) = self.timestamp {
            out.push(("timestamp", time.to_string().into()));
        }
        out.push(("textures", self.textures.len().into()));
        let used = self.materials.materials.iter().flatten().count();
        let cycled = self.materials.cycled().iter().filter(|c| **c).count();
        out.push(("materials", used.into()));
        out.push(("material slots", self.materials.slots.into()));
        out.push(("materials with a texture cycle", cycled.into()));
        out.push(("models", self.models.iter().flatten().count().into()));
        out.push(("model slots", self.model_slots().into()));
        let (mut vertices, mut polygons, mut lights) = (0u64, 0u64, 0u64);
        for model in self.models.iter().flatten() {
            if let Ok(model) = Model::load_head(&mut Reader::new(&model.head, self.game)) {
                vertices += u64::from(model.vertex_count);
                polygons += u64::from(model.polygon_count);
                lights += u64::from(model.light_count);
            }
        }
        out.push(("vertices", vertices.into()));
        out.push(("polygons", polygons.into()));
        out.push(("point lights", lights.into()));
        out.push(("nodes", self.nodes.iter().flatten().count().into()));
        out.push(("node records", self.node_slots().into()));
        for kind in [
            "world", "display", "window", "camera", "light", "lod", "object3d", "sound", "empty",
        ] {
            let n = self
                .nodes
                .iter()
                .flatten()
                .filter(|n| n.data.kind() == kind)
                .count();
            if n > 0 {
                out.push((kind, n.into()));
            }
        }
        let world = |n: &Node| {
            if let Data::World(world) = &n.data {
                Some(world.counts(self.game))
            } else {
                None
            }
        };
        if let Some((x, z)) = self.nodes.iter().flatten().find_map(world) {
            out.push(("cells of the world", format!("{x} × {z}").into()));
        }
        self.budget_info(&mut out);
        out
    }
    refit_base::offers!(Members);
}

refit_base::tables! {
    Header, textures::Texture, materials::MaterialsHead, materials::Material, materials::Cycle, models::Model,
    models::PointLight, ModelsHead, models::Polygon, models::MaterialRef, nodes::Node, classes::Camera, world::World,
    world::Cell, classes::Window, classes::Display, classes::Object3d, classes::Lod, classes::Light, classes::Sound
}
