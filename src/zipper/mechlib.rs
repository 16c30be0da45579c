//! The typed members of archives of 'mech models (gamez/FORMAT.md). The archive itself belongs to
//! the archive family.

use crate::gamez::{
    boxes, check_numbers, lints,
    materials::{Material, Materials},
    nodes::Node,
};
use refit_base::{
    contract::{Context, Family},
    game::Game,
    lint::Lints,
    support::members::{MemberCodec, Typed},
    wire::{HexBytes, Reader, Result, Role, Writer},
};
use serde::{Deserialize, Serialize};

/// The schema of this module.
pub const FAMILY: Family = Family {
    formats: &[],
    recognise: &[],
    codes: &[],
    schemas: || vec![refit_base::contract::schema::<MechlibMember>()],
};

/// The typed form of members.
pub const MEMBERS: Option<&'static dyn MemberCodec> = Some(&Members);

/// A member of a mechlib.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MechlibMember {
    /// `format`: 1.
    Format(u32),
    /// `version`: 27 in MW, 41 in PM.
    Version(u32),
    /// `materials`: what the polygons refer to.
    Materials(Vec<Material>),
    /// A tree of nodes with their models, depth first: a node's children follow it with `depth` +
    /// 1.
    Nodes(Vec<Node>),
    /// `materials` with trailing bytes.
    PaddedMaterials(Vec<Material>, HexBytes),
    /// A tree with trailing bytes.
    PaddedNodes(Vec<Node>, HexBytes),
}
refit_base::document!(MechlibMember, "mechlib-member");

/// The codec of the members of a mechlib.
pub struct Members;

/// The names of the members that describe a mechlib, in their order.
pub(crate) const DESCRIPTION: [&str; 3] = ["format", "materials", "version"];

/// The game of a mechlib; MechWarrior 3 if it is not known.
pub fn game(context: &Context) -> Game {
    context.game.filter(|g| *g == Game::Pm).unwrap_or(Game::Mw)
}

impl Typed for Members {
    type Doc = MechlibMember;
    // A tree or a list of materials with an impossible count is damage: the game could not load the
    // archive.
    const STRICT: bool = true;

    fn read(
        &self,
        name: &[u8],
        mut r: Reader<'_>,
        context: &Context,
    ) -> Option<Result<MechlibMember>> {
        r.game = game(context);
        let payload = r.peek(r.left());
        let doc = match name {
            // Known files contain one number here. A member of another size is something else, and
            // a plain file; so is an empty tree.
            b"format" | b"version" if payload.len() != 4 => return None,
            _ if payload.is_empty() => return None,
            b"format" => r.field("format").map(MechlibMember::Format),
            b"version" => r.field("version").map(MechlibMember::Version),
            b"materials" => Materials::load_mechlib(&mut r).map(MechlibMember::Materials),
            other
                if other.to_ascii_lowercase().ends_with(b".flt")
                    && Node::looks_like_tree(payload, r.game) =>
            {
                Node::load_tree(&mut r).map(MechlibMember::Nodes)
            }
            _ => return None,
        };
        let rest = r.rest_as("rest", Role::Gap);
        Some(doc.map(|doc| match doc {
            MechlibMember::Materials(materials) if !rest.is_empty() => {
                MechlibMember::PaddedMaterials(materials, HexBytes(rest.to_vec()))
            }
            MechlibMember::Nodes(nodes) if !rest.is_empty() => {
                MechlibMember::PaddedNodes(nodes, HexBytes(rest.to_vec()))
            }
            doc => doc,
        }))
    }

    fn write(&self, doc: &MechlibMember, context: &Context) -> Result<Vec<u8>> {
        let mut w = Writer::new(game(context));
        match doc {
            MechlibMember::Format(n) | MechlibMember::Version(n) => w.u32(*n),
            MechlibMember::Materials(materials) | MechlibMember::PaddedMaterials(materials, _) => {
                check_numbers(&[], materials)?;
                Materials::save_mechlib(materials, &mut w)?;
            }
            MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _) => {
                check_numbers(nodes, &[])?;
                Node::save_tree(nodes, &mut w)?;
            }
        }
        if let MechlibMember::PaddedMaterials(_, rest) | MechlibMember::PaddedNodes(_, rest) = doc {
            w.raw(&rest.0);
        }
        Ok(w.bytes)
    }

    fn lint(&self, doc: &MechlibMember, lints: &mut Lints) {
        if let MechlibMember::PaddedMaterials(_, rest) | MechlibMember::PaddedNodes(_, rest) = doc {
            lints.say(lints::GAMEZ_GAP, format!("{} trailing bytes", rest.0.len()));
        }
        match doc {
            MechlibMember::Materials(materials) | MechlibMember::PaddedMaterials(materials, _) => {
                for (i, material) in materials.iter().enumerate() {
                    lints.at(format!("materials[{i}]"), |lints| {
                        lints.model(material);
                        lints::material(material, None, None, lints);
                    });
                }
            }
            MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _) => {
                lints::tree(nodes, lints)
            }
            MechlibMember::Format(_) | MechlibMember::Version(_) => {}
        }
    }

    fn lint_edit(&self, doc: &MechlibMember, before: &MechlibMember, lints: &mut Lints) {
        use MechlibMember::{Nodes, PaddedNodes};
        if let (Nodes(now) | PaddedNodes(now, _), Nodes(before) | PaddedNodes(before, _)) =
            (doc, before)
        {
            boxes::judge_tree(now, before, lints);
        }
    }

    fn describe(&self, doc: &MechlibMember) -> (refit_base::contract::Kind, String) {
        match doc {
            MechlibMember::Format(n) => ("number".into(), n.to_string()),
            MechlibMember::Version(n) => ("number".into(), n.to_string()),
            MechlibMember::Materials(materials) | MechlibMember::PaddedMaterials(materials, _) => {
                ("materials".into(), format!("{} materials", materials.len()))
            }
            MechlibMember::Nodes(nodes) | MechlibMember::PaddedNodes(nodes, _) => {
                let models = || nodes.iter().filter_map(|n| n.mesh.as_ref());
                let vertices: usize = models().map(|m| m.vertices.len()).sum();
                let polygons: usize = models().map(|m| m.polygons.len()).sum();
                let deepest = nodes.iter().filter_map(|n| n.depth).max().unwrap_or(0) + 1;
                let models = models().count();
                (
                    "tree".into(),
                    format!(
                        "{} nodes, {deepest} levels, {models} models, {vertices} vertices, {polygons} polygons",
                        nodes.len()
                    ),
                )
            }
        }
    }
}
