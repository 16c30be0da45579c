//! Textures by name, as the game would choose them for a file.

use super::{Content, Entry, View, lock};
use refit_base::{
    format::Format,
    par,
    tree::Blob,
    wire::{Result, fit},
};
use refit_files::{
    game_files::{self, FileRole},
    pipeline,
};
use refit_zipper::textures::{Shelf, Shown, Texels, Transparency, has_words, show_image, texels};
use serde_json::{Value, json};
use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// The packages that were needed so far.
#[derive(Default)]
pub(super) struct Packages(Mutex<Kept>);

/// The images of a package by their names in lower case.
type Names = Arc<HashMap<String, usize>>;

#[derive(Default)]
struct Kept {
    /// The names in each package, by the number of its file; `None` for an unreadable one.
    names: HashMap<usize, Option<Names>>,
    /// The most recently used packages, the newest at the end.
    open: Vec<(usize, Arc<Shelf>)>,
}

/// Most bytes of packages that are kept in memory, unless one alone is larger: those of trees.
/// Files stay on disk.
const OPEN: usize = 64 << 20;

/// Size limit for an answer with pixels: it ends after the texture that reaches this number of
/// bytes. A page sends three requests at a time, whose answers wait in memory until it reads them.
const MOST: u64 = 4 << 20;

/// The search rank of a package: those for graphics cards are what players see.
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
    /// The packages whose textures a file sees, in search order: nearest first, then those for
    /// graphics cards, then the largest.
    pub(super) fn packages_for(&self, near: &Entry) -> Vec<usize> {
        let from = near.place();
        let mut found: Vec<_> = self
            .files()
            .iter()
            .filter(|(_, file)| file.format == Some(Format::Textures))
            .filter_map(|(number, file)| {
                let role = file.role()?;
                let rank = rank(role.role)?;
                let seen = game_files::is_seen(&role.folder, &from);
                Some((
                    (!seen, rank, Reverse(role.folder.len()), Reverse(file.bytes)),
                    number,
                ))
            })
            .collect();
        found.sort();
        found.into_iter().map(|(_, number)| number).collect()
    }

    fn package(&self, number: usize) -> Option<Arc<Shelf>> {
        let mut kept = lock(&self.textures.0);
        if let Some(at) = kept.open.iter().position(|(own, _)| *own == number) {
            let one = kept.open.remove(at);
            let package = one.1.clone();
            kept.open.push(one);
            return Some(package);
        }
        let read = || {
            let file = match self.storage.lazily(&*self.entry(number)?)? {
                Content::Tree(source) => Blob::Memory(pipeline::repack(&*source)?.1.into()),
                Content::File(file) => file,
            };
            Shelf::open(file)
        };
        let Ok(package) = read() else {
            kept.names.insert(number, None);
            return None;
        };
        let package = Arc::new(package);
        kept.open.push((number, package.clone()));
        while kept.open.len() > 1
            && kept.open.iter().map(|(_, own)| own.held()).sum::<usize>() > OPEN
        {
            kept.open.remove(0);
        }
        kept.names
            .entry(number)
            .or_insert_with(|| Some(Arc::new(named(&package))));
        Some(package)
    }

    /// The images of a package; without reading it again, if that was done before.
    fn names_of(&self, number: usize) -> Option<Names> {
        let known = lock(&self.textures.0).names.get(&number).cloned();
        known.unwrap_or_else(|| {
            self.package(number)?;
            lock(&self.textures.0).names.get(&number).cloned().flatten()
        })
    }

    /// Forgets packages that changed on disk.
    pub(super) fn forget_packages(&self, changed: impl Iterator<Item = usize>) {
        let mut kept = lock(&self.textures.0);
        changed.for_each(|number| {
            kept.names.remove(&number);
            kept.open.retain(|(own, _)| *own != number);
        });
    }

    /// Closes all packages: they are read again when they are needed.
    pub(super) fn close_packages(&self) {
        lock(&self.textures.0).open.clear();
    }

    /// Finds a texture by its name, with or without extension: its package, and its position there.
    fn placed(&self, name: &str, packages: &[usize]) -> Option<(Arc<Shelf>, usize)> {
        let name = name.to_lowercase();
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        packages.iter().find_map(|number| {
            let names = self.names_of(*number)?;
            let at = [Some(name.as_str()), stem]
                .into_iter()
                .flatten()
                .find_map(|name| names.get(name))?;
            Some((self.package(*number)?, *at))
        })
    }

    /// A texture as a picture.
    pub(super) fn texture(&self, name: &str, near: usize) -> Result<Option<Shown>> {
        let entry = self.entry(near)?;
        let Some((package, at)) = self.placed(name, &self.packages_for(&entry)) else {
            return Ok(None);
        };
        show_image(&package.image(at)?, package.palettes(), entry.game)
    }

    /// Several textures as pixels, one after another, after a header (PROTOCOL.md): drawing them
    /// needs no PNG.
    pub(super) fn pixels(&self, names: &[&str], near: usize, sizes: bool) -> Result<Vec<u8>> {
        let entry = self.entry(near)?;
        let packages = self.packages_for(&entry);
        let mut placed: Vec<_> = names
            .iter()
            .map(|name| (*name, self.placed(name, &packages)))
            .collect();
        let info = |place: &Option<(Arc<Shelf>, usize)>| {
            let (package, at) = place.as_ref()?;
            package.images().get(*at).map(|image| image.info.clone())
        };
        if sizes {
            let row = |(name, place): &(&str, _)| match info(place) {
                Some(info) => {
                    json!({ "name": name, "size": [info.width, info.height], "words": has_words(&info) })
                }
                None => json!({ "name": name }),
            };
            return packed(placed.iter().map(row).collect(), &[]);
        }
        // Textures beyond the limit are left out; the page asks for them again.
        let mut total = 0;
        let fits = placed.iter().take_while(|(_, place)| {
            let fits = total < MOST;
            total +=
                info(place).map_or(0, |info| info.area() * if has_words(&info) { 2 } else { 4 });
            fits
        });
        let fits = fits.count();
        placed.truncate(fits);
        let shown = par::map(&placed, |_, (_, place)| {
            let (package, at) = place.as_ref()?;
            texels(&package.image(*at).ok()?, package.palettes(), entry.game).ok()?
        });
        let mut rows = Vec::new();
        let mut offset = 0;
        for ((name, place), shown) in placed.iter().zip(&shown) {
            let Some(shown) = shown else {
                rows.push(json!({ "name": name, "missing": true }));
                continue;
            };
            rows.push(json!({
                "name": name, "size": shown.size, "words": info(place).is_some_and(|info| has_words(&info)),
                "offset": offset, "transparency": word(shown.transparency), "additive": shown.additive,
                "clamps": shown.clamps,
            }));
            offset += shown.bytes.len();
        }
        packed(rows, &shown)
    }
}

/// The first image of each name, if it has a picture.
fn named(package: &Shelf) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for (i, image) in package.images().iter().enumerate() {
        names.entry(image.name.text().to_lowercase()).or_insert(i);
    }
    names.retain(|_, at| {
        package
            .images()
            .get(*at)
            .is_some_and(|image| !image.info.is_empty())
    });
    names
}

/// The header of an answer with textures, and their pixels.
fn packed(rows: Vec<Value>, shown: &[Option<Texels>]) -> Result<Vec<u8>> {
    let mut header = json!({ "textures": rows }).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(4), b' ');
    let length = fit::<u32>(header.len(), "bytes of the header")?;
    let bytes: usize = shown.iter().flatten().map(|shown| shown.bytes.len()).sum();
    let mut out = Vec::with_capacity(8 + header.len() + bytes);
    out.extend_from_slice(b"RVT1");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&header);
    shown
        .iter()
        .flatten()
        .for_each(|shown| out.extend_from_slice(&shown.bytes));
    Ok(out)
}

/// The page's word for the transparency of a texture.
pub(super) fn word(transparency: Transparency) -> &'static str {
    match transparency {
        Transparency::Opaque => "none",
        Transparency::Holes => "holes",
        Transparency::Mixed => "mixed",
    }
}
