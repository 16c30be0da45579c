//! Textures by name, as the game would choose them for a file.

use super::{Content, Entry, View, lock};
use crate::{
    format::Format,
    formats::textures::{Package, Shown, show},
    game_files::{self, FileRole},
    pipeline,
    wire::Result,
};
use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// The packages that were needed so far, by the number of their file.
#[derive(Default)]
pub(super) struct Packages(Mutex<HashMap<usize, Option<Arc<Named>>>>);

/// A package, with the first image of each name in lower case.
struct Named {
    package: Package,
    names: HashMap<String, usize>,
}

/// How early a package is asked: those for graphics cards are what players see.
fn rank(role: FileRole) -> Option<u8> {
    match role {
        FileRole::CardTextures => Some(0),
        FileRole::MechTextures => Some(1),
        FileRole::Pictures => Some(2),
        FileRole::SoftwareTextures => Some(3),
        _ => None,
    }
}

impl View {
    /// The packages whose textures a file sees, in the order in which they are asked: what is nearest first, then
    /// what is for graphics cards, then the largest.
    pub(super) fn packages_for(&self, near: &Entry) -> Vec<usize> {
        let from = near.place();
        let mut found: Vec<_> = self
            .files
            .iter()
            .enumerate()
            .filter(|(_, file)| file.format == Some(Format::Textures))
            .filter_map(|(number, file)| {
                let role = file.role()?;
                let rank = rank(role.role)?;
                let seen = game_files::is_seen(&role.folder, &from);
                Some(((!seen, rank, Reverse(role.folder.len()), Reverse(file.bytes)), number))
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, number)| number).collect()
    }

    fn package(&self, number: usize) -> Option<Arc<Named>> {
        let mut known = lock(&self.textures.0);
        let read = || -> Result<Named> {
            let entry = self.entry(number)?;
            let file = match self.storage.content(entry)? {
                Content::Tree(source) => pipeline::repack(&*source)?.1.into(),
                Content::File(file) => file.bytes()?,
            };
            let package = Package::read(&file)?;
            let mut names = HashMap::new();
            for (i, image) in package.images.iter().enumerate() {
                names.entry(image.name.text().to_lowercase()).or_insert(i);
            }
            Ok(Named { package, names })
        };
        known.entry(number).or_insert_with(|| read().ok().map(Arc::new)).clone()
    }

    /// Forgets packages that changed on disk.
    pub(super) fn forget_packages(&self, changed: impl Iterator<Item = usize>) {
        let mut known = lock(&self.textures.0);
        changed.for_each(|number| _ = known.remove(&number));
    }

    /// A texture, by its name with or without extension.
    pub(super) fn texture(&self, name: &str, near: usize) -> Result<Option<Shown>> {
        let entry = self.entry(near)?;
        let name = name.to_lowercase();
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        for number in self.packages_for(entry) {
            let Some(named) = self.package(number) else { continue };
            let at = [Some(name.as_str()), stem].into_iter().flatten().find_map(|name| named.names.get(name));
            if let Some(at) = at
                && let Some(shown) = show(&named.package, *at, entry.game)?
            {
                return Ok(Some(shown));
            }
        }
        Ok(None)
    }
}
