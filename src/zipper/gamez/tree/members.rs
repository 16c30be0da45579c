//! The parts of a world: members of `list`, `get` and `put`, and documents of the tree.

use super::{
    Env, Named, NamesWhenMade, Textures, check_names, encode, materials_doc, model_doc, nodes_doc,
    stored_of,
};
use crate::gamez::{
    Gamez, StoredModel,
    materials::{Materials, MaterialsHead, SLOT},
    models::Model,
    nodes::{Node, Nodes},
    textures::Texture,
};
use bytes::Bytes;
use refit_base::{
    contract::{Member, no_member},
    support::parts::{AnyPart, PartKind, Parts},
    wire::{Reader, Result, count},
};
use std::ops::Range;

impl Parts for Gamez {
    const KINDS: &'static [&'static dyn AnyPart<Gamez>] =
        &[&TextureList, &MaterialList, &Models, &NodeGroups];
}

/// Changes a world, then checks the names beside references.
fn edit(world: &mut Gamez, change: impl FnOnce(&mut Gamez) -> Result<()>) -> Result<()> {
    let was = NamesWhenMade::of(world);
    change(world)?;
    check_names(world, &was.models, &[], &was)
}

/// The list of textures.
struct TextureList;

impl PartKind<Gamez> for TextureList {
    type Doc = Textures;
    fn count(&self, _: &Gamez) -> usize {
        1
    }
    fn rows(&self, world: &Gamez) -> Vec<Member> {
        vec![Member {
            name: "textures".to_owned(),
            bytes: (world.textures.len() * Texture::size(world.game)) as u64,
            kind: "textures".into(),
            detail: count(world.textures.len(), "texture"),
        }]
    }
    fn document(&self, world: &Gamez, _: usize) -> Result<Textures> {
        Ok(Textures {
            textures: world.textures.clone(),
        })
    }
    fn set(&self, world: &mut Gamez, _: usize, document: &Textures) -> Result<()> {
        edit(world, |world| {
            world.textures = document.textures.clone();
            Ok(())
        })
    }
}

/// The list of materials.
struct MaterialList;

impl PartKind<Gamez> for MaterialList {
    type Doc = Materials;
    fn count(&self, _: &Gamez) -> usize {
        1
    }
    fn rows(&self, world: &Gamez) -> Vec<Member> {
        let bytes = MaterialsHead::size(world.game) + SLOT * world.materials.slots as usize;
        let used = world.materials.materials.iter().flatten().count();
        vec![Member {
            name: "materials".to_owned(),
            bytes: bytes as u64,
            kind: "materials".into(),
            detail: count(used, "material"),
        }]
    }
    fn document(&self, world: &Gamez, _: usize) -> Result<Materials> {
        Ok(materials_doc(world, &Named::of(world)))
    }
    fn set(&self, world: &mut Gamez, _: usize, document: &Materials) -> Result<()> {
        edit(world, |world| {
            world.materials = document.clone();
            Ok(())
        })
    }
}

/// The models, without free slots.
struct Models;

impl Models {
    /// The slots in use.
    fn used(world: &Gamez) -> impl Iterator<Item = (usize, &StoredModel)> {
        let slots = world.models.iter().enumerate();
        slots.filter_map(|(i, slot)| Some((i, slot.as_ref()?)))
    }

    fn nth(world: &Gamez, at: usize) -> Result<(usize, &StoredModel)> {
        Self::used(world).nth(at).ok_or_else(|| no_member(at))
    }

    fn put(world: &mut Gamez, i: usize, stored: StoredModel) {
        if let Some(slot) = world.models.get_mut(i) {
            *slot = Some(stored);
        }
    }
}

impl PartKind<Gamez> for Models {
    type Doc = Model;
    fn count(&self, world: &Gamez) -> usize {
        Self::used(world).count()
    }
    fn rows(&self, world: &Gamez) -> Vec<Member> {
        let named = Named::of(world);
        let row = |(i, stored): (usize, &StoredModel)| {
            let detail = match Model::load_head(&mut Reader::new(&stored.head, world.game)) {
                Ok(m) => format!(
                    "{} vertices, {} normals, {} polygons, {} lights",
                    m.vertex_count, m.normal_count, m.polygon_count, m.light_count
                ),
                Err(_) => String::new(),
            };
            Member {
                name: world.files.model(i, &named),
                bytes: (stored.head.len() + stored.data.len()) as u64,
                kind: "model".into(),
                detail,
            }
        };
        Self::used(world).map(row).collect()
    }
    fn document(&self, world: &Gamez, at: usize) -> Result<Model> {
        let (i, stored) = Self::nth(world, at)?;
        let env = Env::of(world, world.models.len());
        model_doc(world, i, stored, &Named::of(world), &env)
    }
    fn set(&self, world: &mut Gamez, at: usize, document: &Model) -> Result<()> {
        let (i, _) = Self::nth(world, at)?;
        edit(world, |world| {
            let env = Env::of(world, world.models.len());
            let stored = encode(document, world.game, &env.around(i))?;
            Self::put(world, i, stored);
            Ok(())
        })
    }
    fn bytes(&self, world: &Gamez, at: usize) -> Result<Bytes> {
        let (_, stored) = Self::nth(world, at)?;
        Ok([&stored.head[..], &stored.data[..]].concat().into())
    }
    fn set_bytes(&self, world: &mut Gamez, at: usize, bytes: &[u8]) -> Result<()> {
        let (i, old) = Self::nth(world, at)?;
        // These bytes do not include the word after the slot: an irregular one is kept.
        let link = old.link;
        // Decode the bytes before accepting them, so that nothing unreadable goes in.
        let payload: Bytes = [&[0; 5][..], bytes].concat().into();
        let stored = stored_of(&payload, world.game)?;
        let env = Env::of(world, world.models.len());
        let mut model = Model::load_head(&mut Reader::new(&stored.head, world.game))?;
        let mut r = Reader::new(&stored.data, world.game);
        model.load_data(&mut r, &env.around(i))?;
        if !r.is_empty() {
            return Err(r.error(format!(
                "{} trailing bytes after the model's data",
                r.left()
            )));
        }
        Self::put(world, i, StoredModel { link, ..stored });
        Ok(())
    }
}

/// The position of the model that is member `index`: models follow textures and materials.
pub fn model_of(world: &Gamez, index: usize) -> Option<usize> {
    let before = PartKind::count(&TextureList, world) + PartKind::count(&MaterialList, world);
    let (i, _) = Models::nth(world, index.checked_sub(before)?).ok()?;
    Some(i)
}

/// The documents of nodes, each a part of their list.
struct NodeGroups;

impl NodeGroups {
    fn range(world: &Gamez, at: usize) -> Result<Range<usize>> {
        let group = world.files.nodes(world).into_iter().nth(at);
        group.map(|(_, range)| range).ok_or_else(|| no_member(at))
    }
}

impl PartKind<Gamez> for NodeGroups {
    type Doc = Nodes;
    fn count(&self, world: &Gamez) -> usize {
        world.files.nodes(world).len()
    }
    fn rows(&self, world: &Gamez) -> Vec<Member> {
        let row = |(name, range): (String, Range<usize>)| {
            let nodes = world.nodes.get(range).unwrap_or_default();
            let first = nodes.iter().flatten().next().map(Node::title);
            Member {
                name,
                bytes: (nodes.len() * (Node::size(world.game) + 4)) as u64,
                kind: "nodes".into(),
                detail: format!(
                    "{} nodes, the first is {:?}",
                    nodes.iter().flatten().count(),
                    first.unwrap_or_default()
                ),
            }
        };
        world.files.nodes(world).into_iter().map(row).collect()
    }
    fn document(&self, world: &Gamez, at: usize) -> Result<Nodes> {
        let range = Self::range(world, at)?;
        Ok(nodes_doc(world, range, &Named::of(world), &world.kin()))
    }
    fn set(&self, world: &mut Gamez, at: usize, document: &Nodes) -> Result<()> {
        let range = Self::range(world, at)?;
        edit(world, |world| {
            world.nodes.splice(range, document.nodes.clone());
            world.settle_free_list();
            Ok(())
        })
    }
}
