//! The parts of an animation file: members of `list`, `get` and `put`, and documents of the tree.

use super::{
    Anim, Definition, anim_name, fresh, object_name, scripts::Script, whole_definition,
    whole_script,
};
use bytes::Bytes;
use refit_base::{
    contract::{Member, no_member},
    support::parts::{AnyPart, PartKind, PartList, Parts},
    tree::Form,
    wire::{Result, count},
};
use std::sync::Arc;

/// The list of definitions. The reserved one has the number 0.
pub(super) const DEFINITIONS: PartList = PartList {
    key: "definitions",
    folder: "defs",
    first: 1,
};

/// The list of scripts (PM, CS).
pub(super) const SCRIPTS: PartList = PartList {
    key: "scripts",
    folder: "scripts",
    first: 0,
};

impl Parts for Anim {
    const KINDS: &'static [&'static dyn AnyPart<Anim>] = &[&Definitions, &Scripts];

    fn add_part(&mut self, _: &str, bytes: &[u8], form: Form) -> Result<usize> {
        fresh::add(self, bytes, form)
    }
}

fn nth(parts: &[Bytes], at: usize) -> Result<&Bytes> {
    parts.get(at).ok_or_else(|| no_member(at))
}

fn put(parts: &mut [Bytes], at: usize, bytes: impl Into<Bytes>) -> Result<()> {
    *parts.get_mut(at).ok_or_else(|| no_member(at))? = bytes.into();
    Ok(())
}

/// The definitions, without the reserved one.
struct Definitions;

impl PartKind<Anim> for Definitions {
    type Doc = Definition;
    fn count(&self, anim: &Anim) -> usize {
        anim.definitions.len()
    }
    fn rows(&self, anim: &Anim) -> Vec<Member> {
        let row = |bytes: &Bytes| {
            let detail = match Definition::glance(bytes, anim.game, &Arc::default()) {
                Ok(doc) => {
                    let events: usize = doc.event_lists().map(|(_, e)| e.len()).sum();
                    format!(
                        "{}, {}, {}",
                        object_name(bytes, anim.game),
                        count(doc.sequences.len(), "sequence"),
                        count(events, "event")
                    )
                }
                Err(e) => e.to_string(),
            };
            Member {
                name: anim_name(bytes).text().into_owned(),
                bytes: bytes.len() as u64,
                kind: "definition".into(),
                detail,
            }
        };
        anim.definitions.iter().map(row).collect()
    }
    fn document(&self, anim: &Anim, at: usize) -> Result<Definition> {
        anim.definition(at)
    }
    fn set(&self, anim: &mut Anim, at: usize, document: &Definition) -> Result<()> {
        anim.set_definition(at, document)
    }
    fn bytes(&self, anim: &Anim, at: usize) -> Result<Bytes> {
        nth(&anim.definitions, at).cloned()
    }
    fn set_bytes(&self, anim: &mut Anim, at: usize, bytes: &[u8]) -> Result<()> {
        whole_definition(bytes, anim.game)?;
        put(&mut anim.definitions, at, bytes.to_vec())
    }
}

/// The scripts of the file's table.
struct Scripts;

impl PartKind<Anim> for Scripts {
    type Doc = Script;
    fn count(&self, anim: &Anim) -> usize {
        anim.scripts.len()
    }
    fn rows(&self, anim: &Anim) -> Vec<Member> {
        let row = |(name, bytes): (String, &Bytes)| {
            let detail = match Script::from_pool(bytes, anim.game) {
                Ok(doc) => format!(
                    "{}, {:.2} s",
                    count(doc.frames.len(), "frame"),
                    doc.run_time()
                ),
                Err(e) => e.to_string(),
            };
            Member {
                name,
                bytes: bytes.len() as u64,
                kind: "script".into(),
                detail,
            }
        };
        let stems = anim.script_stems().into_iter();
        stems.zip(&anim.scripts).map(row).collect()
    }
    fn document(&self, anim: &Anim, at: usize) -> Result<Script> {
        Script::from_pool(nth(&anim.scripts, at)?, anim.game)
    }
    fn set(&self, anim: &mut Anim, at: usize, document: &Script) -> Result<()> {
        let bytes = document.to_pool(anim.game)?;
        put(&mut anim.scripts, at, bytes)
    }
    fn bytes(&self, anim: &Anim, at: usize) -> Result<Bytes> {
        nth(&anim.scripts, at).cloned()
    }
    fn set_bytes(&self, anim: &mut Anim, at: usize, bytes: &[u8]) -> Result<()> {
        whole_script(bytes, anim.game)?;
        put(&mut anim.scripts, at, bytes.to_vec())
    }
}
