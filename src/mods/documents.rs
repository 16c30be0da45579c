//! Values that are built from pieces of documents of the game.

use super::{
    conflict::Unplaced,
    content::sum,
    format::{Held, Item, Made, PartEntry, StoredChange},
    merge::spelled,
};
use refit_base::wire::Result;
use refit_diff::{Value, check_depth, delta};
use std::collections::{HashMap, hash_map::Entry};

/// Documents that values are built from, by file and part. `None` if the game does not have it.
#[derive(Default)]
pub(super) struct Documents(HashMap<(Option<String>, String), Option<Document>>);

struct Document {
    text: String,
    sum: String,
}

impl Documents {
    /// Reads the documents that a part is built from, unless they were read before.
    pub fn read(
        &mut self,
        part: &PartEntry,
        mut read: impl FnMut(&Held) -> Result<Option<Value>>,
    ) -> Result<()> {
        for held in part.made_values().into_iter().flat_map(|made| &made.from) {
            if let Entry::Vacant(slot) = self.0.entry((held.file.clone(), held.part.clone())) {
                let text = read(held)?.map(|value| value.compact());
                slot.insert(text.map(|text| Document {
                    sum: sum(text.as_bytes()),
                    text,
                }));
            }
        }
        Ok(())
    }

    /// Builds a value from documents that were read.
    pub fn value(&self, made: &Made, room: &delta::Room) -> Result<Value, String> {
        let mut texts = Vec::new();
        for held in &made.from {
            let document = self
                .0
                .get(&(held.file.clone(), held.part.clone()))
                .and_then(Option::as_ref);
            let why = match document {
                Some(document) if document.sum == held.was => {
                    texts.push(document.text.as_str());
                    continue;
                }
                Some(_) => "which has changed",
                None => "which does not exist",
            };
            let file = held
                .file
                .as_ref()
                .map(|file| format!("{file}: "))
                .unwrap_or_default();
            return Err(format!("it reuses parts of {file}{}, {why}", held.part));
        }
        let text = delta::text(&texts, &made.json, room)?;
        check_depth(&text).map_err(|_| "it is nested too deeply")?;
        Ok(Value::parse(&text).ok_or("its pieces do not give a value")?)
    }

    /// Replaces pieces of documents in changes with the values that they build. Returns the changes
    /// that do not fit, which are then gone.
    pub fn unfold(&self, changes: &mut Vec<StoredChange>, room: &delta::Room) -> Vec<Unplaced> {
        let mut missed = Vec::new();
        changes.retain_mut(|change| match self.unfold_one(change, room) {
            Ok(()) => true,
            Err(why) => {
                missed.push(Unplaced::new(spelled(&change.at), why));
                false
            }
        });
        missed
    }

    fn unfold_one(&self, change: &mut StoredChange, room: &delta::Room) -> Result<(), String> {
        let mut open = vec![change];
        while let Some(change) = open.pop() {
            if let Some(made) = change.made.take() {
                change.to = Some(self.value(&made, room)?);
            }
            for item in &mut change.place {
                match item {
                    Item::Made(made) => *item = Item::New(self.value(made, room)?),
                    Item::Copy { changes, .. } => open.extend(changes),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
