//! Copies objects from one world into another, with their models and the materials and textures of
//! these models.

use super::{
    Gamez, ModelId,
    materials::Material,
    models::Model,
    nodes::Node,
    types::{Link, NodeId},
};
use refit_base::wire::{Defaulted, Derived, Error, Result, fit};
use std::collections::HashMap;

/// What came with an object of another world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Brought {
    /// The position of the object.
    pub node: NodeId,
    /// How many nodes, it included.
    pub nodes: usize,
    /// How many models this world did not have.
    pub models: usize,
    /// How many materials this world did not have.
    pub materials: usize,
    /// The textures that this world did not name, as packages call them; their pictures belong in
    /// its packages.
    pub textures: Vec<String>,
    /// Textures of the object whose names this world already had: their pictures may differ here.
    pub shared: Vec<String>,
}

/// The most models of the same length that are compared with a new one.
const MOST_ALIKE: usize = 256;

/// Positions in this world for items of the other world.
struct Places<'a> {
    other: &'a Gamez,
    models: HashMap<usize, usize>,
    materials: HashMap<usize, u32>,
    textures: Vec<String>,
    shared: Vec<String>,
    new_materials: usize,
    new_models: usize,
    /// So many slots of models are in use for sure.
    used: usize,
    /// The models of this world by the length of their data, without the new ones.
    lengths: HashMap<usize, Vec<usize>>,
    /// Which materials of this world have a cycle.
    cycled: Vec<bool>,
    /// The materials of this world by what [`look`] takes of them.
    alike: HashMap<(Option<usize>, [u32; 3]), Vec<usize>>,
    /// The textures of this world by their names in lower case.
    named: HashMap<String, usize>,
}

/// A part of a material: materials that are alike have the same.
fn look(material: &Material) -> (Option<usize>, [u32; 3]) {
    (
        material.texture.as_ref().and_then(Link::place),
        material.color.0.unwrap_or_default().map(|part| part.bits()),
    )
}

impl Gamez {
    /// Copies an object of another world with everything below it, its models, materials and
    /// textures. The copies come after all existing items; equal materials and textures of the same
    /// name are shared. The object goes below `under`, or directly into the world.
    ///
    /// Returns an error for a world of another game, and for a node that is not an object.
    pub fn copy_from(
        &mut self,
        other: &Gamez,
        from: NodeId,
        under: Option<NodeId>,
    ) -> Result<Brought> {
        if self.game.itself() != other.game.itself() {
            return Err(Error::say(format!(
                "the other world is from {}, this one from {}",
                other.game, self.game
            ))
            .hint("`refit get OTHER NODE -o FILE.glb` and `refit world add` go through glTF"));
        }
        let top = match under {
            Some(under) => under,
            None => self
                .nodes()
                .map(|(id, _)| id)
                .find(|id| self.is_world(id.0))
                .ok_or_else(|| {
                    Error::say("there is no world node").hint("name a node with --under")
                })?,
        };
        let all = other.objects_below(from)?;
        let first = self.nodes.len();
        let place: HashMap<usize, usize> = all
            .iter()
            .enumerate()
            .map(|(i, old)| (*old, first + i))
            .collect();
        let mut lengths: HashMap<usize, Vec<usize>> = HashMap::new();
        for (i, model) in self.models.iter().enumerate() {
            if let Some(model) = model {
                lengths.entry(model.data.len()).or_default().push(i);
            }
        }
        let mut places = Places {
            other,
            models: HashMap::new(),
            materials: HashMap::new(),
            textures: Vec::new(),
            shared: Vec::new(),
            new_materials: 0,
            new_models: 0,
            used: 0,
            lengths,
            cycled: self.materials.cycled(),
            alike: HashMap::new(),
            named: HashMap::new(),
        };
        for (i, material) in self.materials.materials.iter().enumerate() {
            if let Some(material) = material {
                places.alike.entry(look(material)).or_default().push(i);
            }
        }
        for (i, texture) in self.textures.iter().enumerate() {
            places
                .named
                .entry(texture.name.text().to_ascii_lowercase())
                .or_insert(i);
        }
        let mut copies = Vec::new();
        for node in all.iter().filter_map(|old| other.node(NodeId(*old))) {
            copies.push(Some(self.copied(node, &place, &mut places)?));
        }
        self.materials.leave_room(self.game);
        let is_world = self.is_world(top.0);
        let parents = if is_world { Vec::new() } else { vec![top.0] };
        let mut copies = Some(copies);
        let world = is_world.then_some(top.0);
        self.editing(&mut |own| {
            own.hang(copies.take().unwrap_or_default(), &parents, world)?;
            let settled: Vec<usize> = (first..own.nodes.len()).collect();
            own.settle_uses(&settled)
        })?;
        Ok(Brought {
            node: NodeId(first),
            nodes: all.len(),
            models: places.new_models,
            materials: places.new_materials,
            textures: places.textures,
            shared: places.shared,
        })
    }

    /// A node of the other world with the positions of this one.
    fn copied(
        &mut self,
        node: &Node,
        place: &HashMap<usize, usize>,
        places: &mut Places<'_>,
    ) -> Result<Node> {
        let mut copy = node.clone();
        let children = node
            .children
            .iter()
            .filter_map(|child| place.get(&child.place()?));
        copy.children = children.map(|to| link(*to)).collect::<Result<_>>()?;
        (copy.parents, copy.link, copy.data_ptr) =
            (Defaulted(None), Defaulted(None), Defaulted(None));
        if let Some(model) = node.model.0.as_ref().and_then(Link::place) {
            copy.model = Defaulted(Some(link(self.copied_model(model, places)?)?));
        }
        Ok(copy)
    }

    fn copied_model(&mut self, from: usize, places: &mut Places<'_>) -> Result<usize> {
        if let Some(known) = places.models.get(&from) {
            return Ok(*known);
        }
        let mut model: Model = places.other.model(ModelId(from))?;
        for polygon in &mut model.polygons {
            for material in polygon
                .material
                .iter_mut()
                .chain(polygon.layers.iter_mut().map(|layer| &mut layer.material))
            {
                *material = self.copied_material(*material, places)?;
            }
        }
        if let Derived(Some(refs)) = &mut model.material_refs {
            for one in refs {
                one.material = self.copied_material(one.material, places)?;
            }
        }
        let length = places
            .other
            .models
            .get(from)
            .and_then(Option::as_ref)
            .map_or(0, |model| model.data.len());
        let same = places.lengths.get(&length).into_iter().flatten().copied();
        let is_same = |own: &usize| {
            self.model_with(ModelId(*own), &places.cycled)
                .is_ok_and(|own| own.is_like(&model))
        };
        let to = match same.take(MOST_ALIKE).find(is_same) {
            Some(own) => own,
            None => {
                places.new_models += 1;
                // The nodes that use it come later.
                let stored = self.stored(&model, &places.cycled, 0)?;
                let slot = self.new_model_slot(&mut places.used);
                self.fill_model_slot(slot, stored);
                slot
            }
        };
        places.models.insert(from, to);
        Ok(to)
    }

    /// A material with the same values, or a new one. An index that is not a material stays.
    fn copied_material(&mut self, from: u32, places: &mut Places<'_>) -> Result<u32> {
        let at = from as usize;
        if let Some(known) = places.materials.get(&at) {
            return Ok(*known);
        }
        let Some(Some(material)) = places.other.materials.materials.get(at) else {
            return Ok(from);
        };
        let mut material: Material = material.clone();
        material.links = Derived(None);
        if let Some(texture) = &mut material.texture {
            *texture = self.copied_texture(texture, places)?;
        }
        for frame in material
            .cycle
            .iter_mut()
            .flat_map(|cycle| &mut cycle.frames)
        {
            *frame = self.copied_texture(frame, places)?;
        }
        let own = &self.materials.materials;
        let is_same = |i: &usize| {
            own.get(*i)
                .and_then(Option::as_ref)
                .is_some_and(|own| own.is_like(&material))
        };
        let look = look(&material);
        let to = match places
            .alike
            .get(&look)
            .into_iter()
            .flatten()
            .copied()
            .find(is_same)
        {
            Some(own) => own,
            None => {
                let new = self.materials.materials.len();
                places.cycled.push(material.cycle.is_some());
                places.alike.entry(look).or_default().push(new);
                self.materials.materials.push(Some(material));
                places.new_materials += 1;
                new
            }
        };
        let to = fit(to, "the position of a material")?;
        places.materials.insert(at, to);
        Ok(to)
    }

    /// The texture of the same name, or a new entry of the directory.
    fn copied_texture(&mut self, from: &Link, places: &mut Places<'_>) -> Result<Link> {
        let Some(texture) = from.place().and_then(|at| places.other.textures.get(at)) else {
            return Ok(from.clone());
        };
        let (name, stem) = (texture.name.text(), texture.name.stem().into_owned());
        if let Some(own) = places.named.get(&name.to_ascii_lowercase()).copied() {
            if !places.textures.contains(&stem) && !places.shared.contains(&stem) {
                places.shared.push(stem);
            }
            return link(own);
        }
        let mut new = texture.clone();
        // Its smaller version is another entry, which the game looks for by name.
        new.mip = Defaulted(None);
        places
            .named
            .insert(name.to_ascii_lowercase(), self.textures.len());
        self.textures.push(new);
        places.textures.push(stem);
        link(self.textures.len() - 1)
    }
}

fn link(to: usize) -> Result<Link> {
    i32::try_from(to)
        .map(Link::to)
        .map_err(|_| Error::say("too many records"))
}
