//! Textures by name, as the game would choose them for a file.

use super::{Content, Entry, View, lock};
use crate::{
    format::Format,
    formats::textures::{Package, Shown, ShownPixels, Transparency, show, show_pixels},
    game_files::{self, FileRole},
    par, pipeline,
    wire::{Result, fit},
};
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
    /// What each package has, by the number of its file; `None` for one that cannot be read.
    names: HashMap<usize, Option<Names>>,
    /// The packages that were asked last, with their sizes, the newest at the end.
    open: Vec<(usize, usize, Arc<Package>)>,
}

/// Most bytes of packages that stay open, unless one alone is larger.
const OPEN: usize = 64 << 20;

/// An answer with pixels ends after the texture that reaches this number of bytes.
const MOST: usize = 8 << 20;

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

    fn package(&self, number: usize) -> Option<Arc<Package>> {
        let mut kept = lock(&self.textures.0);
        if let Some(at) = kept.open.iter().position(|(own, ..)| *own == number) {
            let one = kept.open.remove(at);
            let package = one.2.clone();
            kept.open.push(one);
            return Some(package);
        }
        let read = || -> Result<(usize, Package)> {
            let entry = self.entry(number)?;
            let file = match self.storage.content(entry)? {
                Content::Tree(source) => pipeline::repack(&*source)?.1.into(),
                Content::File(file) => file.bytes()?,
            };
            Ok((file.len(), Package::read(&file)?))
        };
        let Ok((size, package)) = read() else {
            kept.names.insert(number, None);
            return None;
        };
        let package = Arc::new(package);
        kept.open.push((number, size, package.clone()));
        while kept.open.len() > 1 && kept.open.iter().map(|(_, size, _)| size).sum::<usize>() > OPEN {
            kept.open.remove(0);
        }
        kept.names.entry(number).or_insert_with(|| Some(Arc::new(named(&package))));
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
            kept.open.retain(|(own, ..)| *own != number);
        });
    }

    /// Closes all packages: they are read again when they are needed.
    pub(super) fn close_packages(&self) {
        lock(&self.textures.0).open.clear();
    }

    /// Where a texture is, by its name with or without extension: its package, and its position there.
    fn placed(&self, name: &str, packages: &[usize]) -> Option<(Arc<Package>, usize)> {
        let name = name.to_lowercase();
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        packages.iter().find_map(|number| {
            let names = self.names_of(*number)?;
            let at = [Some(name.as_str()), stem].into_iter().flatten().find_map(|name| names.get(name))?;
            Some((self.package(*number)?, *at))
        })
    }

    /// A texture as a picture.
    pub(super) fn texture(&self, name: &str, near: usize) -> Result<Option<Shown>> {
        let entry = self.entry(near)?;
        let Some((package, at)) = self.placed(name, &self.packages_for(entry)) else { return Ok(None) };
        show(&package, at, entry.game)
    }

    /// Several textures as pixels, one after another behind a header (PROTOCOL.md): what is drawn needs no PNG.
    pub(super) fn pixels(&self, names: &[&str], near: usize, sizes: bool) -> Result<Vec<u8>> {
        let entry = self.entry(near)?;
        let packages = self.packages_for(entry);
        let mut placed: Vec<_> = names.iter().map(|name| (*name, self.placed(name, &packages))).collect();
        if sizes {
            let size = |(package, at): &(Arc<Package>, usize)| {
                package.images.get(*at).map(|image| [image.info.width, image.info.height])
            };
            let rows =
                placed.iter().map(|(name, place)| json!({ "name": name, "size": place.as_ref().and_then(size) }));
            return packed(rows.collect(), &[]);
        }
        // What is beyond the limit is left out, and asked for again.
        let mut total = 0;
        let fits = placed.iter().take_while(|(_, place)| {
            let image = place.as_ref().and_then(|(package, at)| package.images.get(*at));
            let fits = total < MOST;
            total += image.map_or(0, |image| usize::from(image.info.width) * usize::from(image.info.height) * 4);
            fits
        });
        let fits = fits.count();
        placed.truncate(fits);
        let shown = par::map(&placed, |_, (_, place)| {
            let (package, at) = place.as_ref()?;
            show_pixels(package, *at, entry.game)
        });
        let mut rows = Vec::new();
        let mut offset = 0;
        for ((name, _), shown) in placed.iter().zip(&shown) {
            let Some(shown) = shown else {
                rows.push(json!({ "name": name, "missing": true }));
                continue;
            };
            rows.push(json!({
                "name": name, "size": shown.size, "offset": offset, "transparency": word(shown.transparency),
                "additive": shown.additive, "clamps": shown.clamps,
            }));
            offset += shown.pixels.len() * 4;
        }
        packed(rows, &shown)
    }
}

/// The first image of each name, if it has a picture.
fn named(package: &Package) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for (i, image) in package.images.iter().enumerate() {
        names.entry(image.name.text().to_lowercase()).or_insert(i);
    }
    names.retain(|_, at| package.images.get(*at).is_some_and(|image| !image.info.is_empty()));
    names
}

/// The header of an answer with textures, and their pixels.
fn packed(rows: Vec<Value>, shown: &[Option<ShownPixels>]) -> Result<Vec<u8>> {
    let mut header = json!({ "textures": rows }).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(4), b' ');
    let length = fit::<u32>(header.len(), "bytes of the header")?;
    let pixels: usize = shown.iter().flatten().map(|shown| shown.pixels.len() * 4).sum();
    let mut out = Vec::with_capacity(8 + header.len() + pixels);
    out.extend_from_slice(b"RVT1");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&header);
    shown.iter().flatten().for_each(|shown| out.extend_from_slice(shown.pixels.as_flattened()));
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
