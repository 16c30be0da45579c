//! Puts changed resources into the image (FORMAT.md).
//!
//! Where the reference is silent: if anything else in the resource section has an address (another
//! directory, the entry point, a relocation target), it must not move, so such a section uses the
//! fallback of 9.2. New string resources get copies of the directories that list them, after the
//! data.

use super::image::{
    CERTIFICATE, Checksum, DEBUG, DataEntry, Directory, Leaf, PeImage, RELOCATIONS, RESOURCES,
    ResourceDirectory, Resources, Section, checksum, up,
};
use refit_base::wire::{Error, Plain, Raw, Result, fit};
use std::collections::{BTreeMap, HashMap};

/// Changes to the resources.
#[derive(Default, Debug)]
pub struct Changes {
    /// New bytes of resources, by index.
    pub replaced: BTreeMap<usize, Vec<u8>>,
    /// New language identifiers: file offset of a directory entry, and the identifier.
    pub languages: Vec<(usize, u32)>,
    pub added: Vec<NewResource>,
}

/// A resource that the directory does not list yet.
#[derive(Debug)]
pub struct NewResource {
    pub kind: u32,
    pub name: u32,
    pub language: u32,
    /// Index of the resource whose code page it uses.
    pub like: usize,
    pub data: Vec<u8>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.replaced.is_empty() && self.languages.is_empty() && self.added.is_empty()
    }
}

/// How the image made room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MadeRoom {
    /// The section's raw size was sufficient.
    InPlace,
    /// The section grew in the file.
    Grown,
    /// The relocations moved in memory, with or without growth in the file.
    Moved,
    /// The resources moved to a new section.
    NewSection,
}

fn write<T: Plain>(bytes: &mut [u8], at: usize, value: &T) -> Result<()> {
    let slot = at
        .checked_add(T::SIZE)
        .and_then(|end| bytes.get_mut(at..end));
    slot.map(|slot| value.put(slot))
        .ok_or_else(|| Error::say("the header ends early").at(at as u64))
}

fn word(n: u64, what: &str) -> Result<u32> {
    fit(usize::try_from(n).unwrap_or(usize::MAX), what)
}

fn address(start: u32, by: u32) -> Result<u32> {
    start
        .checked_add(by)
        .ok_or_else(|| Error::say("an address is above 4 GiB"))
}

/// The new image, and how room was made.
pub fn rebuild(
    base: &[u8],
    image: &PeImage,
    resources: &Resources,
    changes: &Changes,
) -> Result<(Vec<u8>, MadeRoom)> {
    let align = image.optional.file_alignment;
    let page = image.optional.section_alignment;
    if !align.is_power_of_two() || !page.is_power_of_two() || align > 0x10000 || page > 0x0100_0000
    {
        return Err(Error::say(format!(
            "the image cannot be rebuilt: its alignments are {align:#x} in the file and {page:#x} in memory"
        ))
        .at(image.optional_at() as u64));
    }
    // The new checksum depends on the state of the old one.
    let state = image.checksum_state(base);
    let section = *image
        .sections
        .get(resources.section)
        .ok_or_else(|| Error::say("the image has no resource section"))?;
    let body = Body::lay_out(base, image, resources, &section, changes)?;
    let (mut file, room) = place(base, image, resources, &section, &body)?;
    if state == Checksum::Right {
        let sum = checksum(&file, image.checksum_at());
        write(&mut file, image.checksum_at(), &sum)?;
    }
    Ok((file, room))
}

/// The content of the resource section after the edit.
struct Body {
    bytes: Vec<u8>,
    /// The former end of the content.
    old_end: usize,
    /// Data entries: their position in the section, the new position of the data in the section
    /// (`None`: elsewhere, unchanged), and the entry.
    entries: Vec<(usize, Option<usize>, DataEntry)>,
}

impl Body {
    /// Steps 2 to 5, and 9.2.
    fn lay_out(
        base: &[u8],
        image: &PeImage,
        resources: &Resources,
        section: &Section,
        changes: &Changes,
    ) -> Result<Body> {
        let raw = section.raw();
        let mut old = base
            .get(raw.clone())
            .ok_or_else(|| Error::say("the resource section is outside the file"))?
            .to_vec();
        for (slot, language) in &changes.languages {
            let at = slot
                .checked_sub(raw.start)
                .ok_or_else(|| Error::say("the resource directory is outside its section"))?;
            write(&mut old, at, language)?;
        }
        let inside = |leaf: &Leaf| leaf.data.start >= raw.start && leaf.data.end <= raw.end;
        let mut order: Vec<(usize, &Leaf)> = resources
            .leaves
            .iter()
            .enumerate()
            .filter(|(_, l)| !l.shared)
            .collect();
        order.sort_by_key(|(_, l)| (l.data.start, l.data.end));
        // True if everything is where a linker would put it.
        let regular = order.iter().all(|(_, l)| inside(l))
            && order
                .iter()
                .zip(order.iter().skip(1))
                .all(|((_, a), (_, b))| a.data.end <= b.data.start)
            && order
                .first()
                .is_none_or(|(_, first)| resources.directories_end <= first.data.start)
            && !others_live_in(base, image, resources.section);
        let mut body = Body {
            bytes: Vec::with_capacity(old.len()),
            old_end: 0,
            entries: Vec::new(),
        };
        let entry_of = |leaf: &Leaf, size: usize| {
            Ok::<_, Error>(DataEntry {
                size: fit(size, "a resource's size")?,
                ..leaf.entry
            })
        };
        if regular {
            let mut last_end = order
                .first()
                .map_or(resources.directories_end - raw.start, |(_, l)| {
                    l.data.start - raw.start
                });
            body.bytes
                .extend_from_slice(old.get(..last_end).unwrap_or_default());
            for (i, leaf) in &order {
                let start = leaf.data.start - raw.start;
                let gap = old.get(last_end..start).unwrap_or_default();
                if gap.len() > 7 || gap.iter().any(|b| *b != 0) {
                    body.bytes.extend_from_slice(gap);
                }
                body.pad(start);
                let data = changes
                    .replaced
                    .get(i)
                    .map(Vec::as_slice)
                    .or_else(|| base.get(leaf.data.clone()))
                    .unwrap_or_default();
                body.entries.push((
                    leaf.entry_at - raw.start,
                    Some(body.bytes.len()),
                    entry_of(leaf, data.len())?,
                ));
                body.bytes.extend_from_slice(data);
                last_end = leaf.data.end - raw.start;
            }
            body.old_end = last_end;
            // Data after the resources is content, too.
            let tail = old
                .get(last_end..section.mapped() as usize)
                .unwrap_or_default();
            let used = tail.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            body.bytes
                .extend_from_slice(tail.get(..used).unwrap_or_default());
            body.old_end += used;
        } else {
            // The resources are not laid out as by a linker: nothing moves, changed resources are
            // appended.
            let mapped = old.get(..section.mapped() as usize).unwrap_or_default();
            let used = mapped.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            let ends = order
                .iter()
                .filter(|(_, l)| inside(l))
                .map(|(_, l)| l.data.end - raw.start);
            body.old_end = ends
                .chain([used, resources.directories_end - raw.start])
                .max()
                .unwrap_or(0);
            body.bytes
                .extend_from_slice(old.get(..body.old_end).unwrap_or_default());
            for (i, leaf) in &order {
                let at = match changes.replaced.get(i) {
                    Some(data) => {
                        body.pad(0);
                        let at = body.bytes.len();
                        body.bytes.extend_from_slice(data);
                        body.entries.push((
                            leaf.entry_at - raw.start,
                            Some(at),
                            entry_of(leaf, data.len())?,
                        ));
                        continue;
                    }
                    None => Some(leaf)
                        .filter(|l| inside(l))
                        .map(|l| l.data.start - raw.start),
                };
                body.entries
                    .push((leaf.entry_at - raw.start, at, leaf.entry));
            }
        }
        body.add(&changes.added, resources, &raw)?;
        Ok(body)
    }

    /// Pads with zeros to the next position that is `like` modulo 8.
    fn pad(&mut self, like: usize) {
        while self.bytes.len() % 8 != like % 8 {
            self.bytes.push(0);
        }
    }

    /// Adds new resources: their data, their data entries, and copies of the directories that list
    /// them, with the new entries. The old directories remain, unused.
    fn add(
        &mut self,
        added: &[NewResource],
        resources: &Resources,
        raw: &std::ops::Range<usize>,
    ) -> Result<()> {
        let Some(first) = added.first() else {
            return Ok(());
        };
        let root = resources.start - raw.start;
        let kind = first.kind;
        let read = |bytes: &[u8], at: usize| Listing::read(bytes, root, at);
        let top = read(&self.bytes, root)?;
        let slot = top
            .entries
            .iter()
            .position(|e| e.address == kind)
            .ok_or_else(|| Error::say("the resource directory lost a type"))?;
        let offset = top.entries.get(slot).map_or(0, |e| e.size & 0x7fff_ffff) as usize;
        let mut names = read(&self.bytes, root + offset)?;
        // Copy the header of the new language directories from an existing one.
        let directory =
            |e: &Directory| (e.size >> 31 == 1).then_some(root + (e.size & 0x7fff_ffff) as usize);
        let pattern = names
            .entries
            .iter()
            .find_map(directory)
            .ok_or_else(|| Error::say("the strings have no directory of languages"))?;
        let pattern = read(&self.bytes, pattern)?.header;
        let mut by_name: HashMap<u32, usize> = names
            .entries
            .iter()
            .enumerate()
            .map(|(i, e)| (e.address, i))
            .collect();
        for new in added {
            self.pad(0);
            let data_at = self.bytes.len();
            self.bytes.extend_from_slice(&new.data);
            self.pad(0);
            let entry_at = self.bytes.len();
            let like = resources.leaves.get(new.like).map_or(
                DataEntry {
                    address: 0,
                    size: 0,
                    code_page: 0,
                    reserved: 0,
                },
                |l| l.entry,
            );
            let entry = DataEntry {
                size: fit(new.data.len(), "a resource's size")?,
                ..like
            };
            self.bytes.resize(entry_at + DataEntry::SIZE, 0);
            self.entries.push((entry_at, Some(data_at), entry));
            let old = by_name.get(&new.name).and_then(|i| names.entries.get(*i));
            let mut languages = match old.map(directory) {
                Some(Some(at)) => read(&self.bytes, at)?,
                Some(None) => {
                    return Err(Error::say(format!(
                        "string resource {} has no directory of languages",
                        new.name
                    )));
                }
                None => Listing {
                    header: ResourceDirectory {
                        named: 0,
                        ids: 0,
                        ..pattern
                    },
                    entries: Vec::new(),
                },
            };
            languages.add(Directory {
                address: new.language,
                size: fit(entry_at - root, "an offset")?,
            });
            languages.sort();
            let at = self.list(&languages, root)?;
            match by_name
                .get(&new.name)
                .and_then(|i| names.entries.get_mut(*i))
            {
                Some(entry) => entry.size = at,
                None => {
                    by_name.insert(new.name, names.entries.len());
                    names.add(Directory {
                        address: new.name,
                        size: at,
                    });
                }
            }
        }
        names.sort();
        let at = self.list(&names, root)?;
        write(
            &mut self.bytes,
            root + ResourceDirectory::SIZE + slot * Directory::SIZE + 4,
            &at,
        )
    }

    /// Writes the data entries of the section, which is at `start` in the file and at `base` in
    /// memory.
    fn write_entries(&self, file: &mut [u8], start: usize, base: u32) -> Result<()> {
        for (at, data, entry) in &self.entries {
            let address = data.map_or(Ok(entry.address), |data| {
                address(base, fit(data, "an offset")?)
            })?;
            write(file, start + at, &DataEntry { address, ..*entry })?;
        }
        Ok(())
    }

    /// Appends a directory and returns its offset in the form of an entry.
    fn list(&mut self, listing: &Listing, root: usize) -> Result<u32> {
        self.pad(0);
        let at = self.bytes.len();
        let mut w = refit_base::wire::Writer::new(refit_base::game::Game::Cs);
        w.put(&listing.header);
        w.plains(&listing.entries);
        self.bytes.extend(w.bytes);
        let offset: u32 = fit(at - root, "an offset")?;
        Ok(offset | 0x8000_0000)
    }
}

/// A resource directory with its entries.
struct Listing {
    header: ResourceDirectory,
    entries: Vec<Directory>,
}

impl Listing {
    fn read(bytes: &[u8], root: usize, at: usize) -> Result<Listing> {
        let mut r = refit_base::wire::Reader::based(bytes, root as u64, refit_base::game::Game::Cs);
        r.seek(at as u64)?;
        let header: ResourceDirectory = r.get()?;
        let entries = r.plains(u64::from(header.named) + u64::from(header.ids), "entries")?;
        Ok(Listing { header, entries })
    }

    /// Appends a numbered entry.
    fn add(&mut self, entry: Directory) {
        self.entries.push(entry);
        self.header.ids = self.header.ids.saturating_add(1);
    }

    /// Sorts the numbered entries, as Windows requires; the named ones stay in front.
    fn sort(&mut self) {
        if let Some(numbers) = self.entries.get_mut(usize::from(self.header.named)..) {
            numbers.sort_by_key(|e| e.address);
        }
    }
}

/// True if anything except resources has an address in section `index`: then nothing in it may
/// move.
fn others_live_in(base: &[u8], image: &PeImage, index: usize) -> bool {
    let used = |rva: u32| rva != 0 && image.section_of(rva) == Some(index);
    let directories = image
        .directories
        .iter()
        .enumerate()
        .filter(|(k, _)| *k != RESOURCES && *k != CERTIFICATE);
    used(image.optional.entry_point)
        || directories.map(|(_, d)| d.address).any(used)
        || relocation_pages(base, image).any(used)
}

/// Every relocated address of the image.
fn relocation_pages<'a>(base: &'a [u8], image: &PeImage) -> impl Iterator<Item = u32> + use<'a> {
    let directory = image.directory(RELOCATIONS);
    let bytes = directory.and_then(|d| {
        let all = base.get(image.range_from(d.address)?)?;
        Some(all.get(..d.size as usize).unwrap_or(all))
    });
    let mut rest = bytes.unwrap_or_default();
    std::iter::from_fn(move || {
        let page = u32::get(rest.get(..4)?);
        let size = u32::get(rest.get(4..8)?) as usize;
        let fixups = rest.get(8..size)?;
        rest = rest.get(size..)?;
        Some(
            fixups
                .chunks_exact(2)
                .map(u16::get)
                .filter(|f| f >> 12 != 0)
                .map(move |f| page.wrapping_add(u32::from(f & 0xfff))),
        )
    })
    .flatten()
}

/// Steps 5 to 11, and 9.1.
fn place(
    base: &[u8],
    image: &PeImage,
    resources: &Resources,
    section: &Section,
    body: &Body,
) -> Result<(Vec<u8>, MadeRoom)> {
    let align = u64::from(image.optional.file_alignment);
    let page = u64::from(image.optional.section_alignment);
    let new_end = body.bytes.len() as u64;
    let old_end = body.old_end as u64;
    let raw = section.raw();
    let virtual_size = if u64::from(section.virtual_size) == old_end {
        new_end
    } else {
        new_end.max(section.virtual_size.into())
    };
    let root = image
        .directory(RESOURCES)
        .ok_or_else(|| Error::say("the image has no resources"))?;
    let lead = u64::from(root.address - section.address);
    let size = u64::from(root.size);
    let directory_size = if lead + size > old_end {
        size.max(new_end - lead)
    } else {
        (size + new_end).saturating_sub(old_end)
    };

    // The address space after the section.
    let need = up(u64::from(section.address) + virtual_size, page);
    let later: Vec<usize> = (0..image.sections.len())
        .filter(|i| {
            image
                .sections
                .get(*i)
                .is_some_and(|s| s.address > section.address)
        })
        .collect();
    let next = later
        .iter()
        .filter_map(|i| image.sections.get(*i))
        .map(|s| u64::from(s.address))
        .min();
    let moved = match (next, later.as_slice()) {
        (Some(next), _) if need <= next => None,
        (None, _) => None,
        (Some(next), [only]) if only_relocations(base, image, *only) => {
            Some((*only, word(need - next, "an address")?))
        }
        _ => {
            return new_section(
                base,
                image,
                resources,
                section,
                body,
                word(directory_size, "a size")?,
            );
        }
    };

    // Sections that share bytes of the file cannot be moved apart.
    let others = image
        .sections
        .iter()
        .enumerate()
        .filter(|(i, s)| *i != resources.section && s.raw_size > 0);
    let overlaps = |s: &&Section| s.raw().start < raw.end && raw.start < s.raw().end;
    if let Some(other) = others.map(|(_, s)| s).find(overlaps) {
        let (own, other) = (section.name(), other.name());
        return Err(Error::say(format!(
            "the image cannot be rebuilt: sections {own:?} and {other:?} share bytes"
        )));
    }
    let fits = new_end <= u64::from(section.raw_size);
    let raw_size = if fits {
        u64::from(section.raw_size)
    } else {
        up(new_end, align)
    };
    let grown = raw_size - u64::from(section.raw_size);
    // Keep the following sections aligned even if the raw size of this one was not.
    let shift = up(grown, align);
    let mut file = base.get(..raw.start).unwrap_or_default().to_vec();
    file.extend_from_slice(&body.bytes);
    if fits {
        // Zero the freed bytes, and keep the bytes after the old end.
        file.resize(file.len().max(raw.start + body.old_end), 0);
        file.extend_from_slice(base.get(file.len()..raw.end).unwrap_or_default());
    }
    file.resize(raw.end + shift as usize, 0);
    file.extend_from_slice(base.get(raw.end..).unwrap_or_default());
    body.write_entries(&mut file, raw.start, section.address)?;

    // The section headers: sizes and positions of this section and of the following ones.
    let mut sections = image.sections.clone();
    for (i, s) in sections.iter_mut().enumerate() {
        if i == resources.section {
            s.virtual_size = word(virtual_size, "a section's size")?;
            s.raw_size = word(raw_size, "a section's size")?;
        } else if s.raw_size > 0 && s.raw_at > section.raw_at {
            s.raw_at = word(u64::from(s.raw_at) + shift, "a section's offset")?;
        }
        if let Some((moved, by)) = moved
            && i == moved
        {
            s.address = address(s.address, by)?;
        }
    }
    shift_offsets(&mut file, image, raw.end, shift)?;
    let mut directories = image.directories.clone();
    if let Some(d) = directories.get_mut(RESOURCES) {
        d.size = word(directory_size, "a size")?;
    }
    if let (Some((_, by)), Some(d)) = (moved, directories.get_mut(RELOCATIONS)) {
        d.address = address(d.address, by)?;
    }
    if let Some(d) = directories
        .get_mut(CERTIFICATE)
        .filter(|d| d.address as usize >= raw.end)
    {
        d.address = word(u64::from(d.address) + shift, "an offset")?;
    }
    headers(
        &mut file,
        image,
        sections,
        directories,
        word(grown, "a size")?,
    )?;
    let room = match (moved, grown) {
        (Some(_), _) => MadeRoom::Moved,
        (None, 0) => MadeRoom::InPlace,
        (None, _) => MadeRoom::Grown,
    };
    Ok((file, room))
}

/// True if section `index` contains only the relocations.
fn only_relocations(base: &[u8], image: &PeImage, index: usize) -> bool {
    const DISCARDABLE: u32 = 0x0200_0000;
    let Some(section) = image.sections.get(index) else {
        return false;
    };
    let relocations = image
        .directory(RELOCATIONS)
        .is_some_and(|d| image.section_of(d.address) == Some(index));
    let others = image
        .directories
        .iter()
        .enumerate()
        .filter(|(k, d)| *k != RELOCATIONS && *k != CERTIFICATE && d.address != 0);
    let others = others
        .map(|(_, d)| d.address)
        .chain([image.optional.entry_point])
        .chain(relocation_pages(base, image));
    section.characteristics & DISCARDABLE != 0
        && relocations
        && !others
            .into_iter()
            .any(|rva| rva != 0 && image.section_of(rva) == Some(index))
}

/// Moves all file offsets from `from` on by `by`, as the file already is.
fn shift_offsets(file: &mut [u8], image: &PeImage, from: usize, by: u64) -> Result<()> {
    if image.file.symbols_at != 0 && image.file.symbols_at as usize >= from {
        let at = word(u64::from(image.file.symbols_at) + by, "an offset")?;
        write(file, image.file_header_at() + 8, &at)?;
    }
    const DEBUG_ENTRY: usize = 28;
    const RAW_AT: usize = 24;
    if let Some(debug) = image.directory(DEBUG)
        && let Some(range) = image.range_from(debug.address)
    {
        let end = range
            .end
            .min(range.start.saturating_add(debug.size as usize));
        let mut at = range.start;
        while at + DEBUG_ENTRY <= end {
            let slot = RAW_AT + if at >= from { at + by as usize } else { at };
            let old = file.get(slot..slot + 4).map(u32::get).unwrap_or_default();
            if old != 0 && old as usize >= from {
                write(file, slot, &word(u64::from(old) + by, "an offset")?)?;
            }
            at += DEBUG_ENTRY;
        }
    }
    Ok(())
}

/// Step 11, and the headers.
fn headers(
    file: &mut [u8],
    image: &PeImage,
    sections: Vec<Section>,
    directories: Vec<Directory>,
    grown: u32,
) -> Result<()> {
    let before = image.memory_size();
    let after = PeImage {
        sections,
        ..image.clone()
    };
    let mut optional = image.optional;
    optional.initialized_size = optional.initialized_size.wrapping_add(grown);
    // An irregular image size is kept as long as the sections do not move.
    if after.memory_size() != before {
        optional.image_size = word(after.memory_size(), "the image's size")?;
    }
    write(file, image.optional_at(), &optional)?;
    for (k, directory) in directories.iter().enumerate() {
        write(file, image.directory_at(k), directory)?;
    }
    for (i, section) in after.sections.iter().enumerate() {
        write(file, image.section_at(i), section)?;
    }
    Ok(())
}

/// 9.1: if something that cannot move follows the resources in memory, they get a new section at
/// the end.
fn new_section(
    base: &[u8],
    image: &PeImage,
    resources: &Resources,
    section: &Section,
    body: &Body,
    directory_size: u32,
) -> Result<(Vec<u8>, MadeRoom)> {
    let align = u64::from(image.optional.file_alignment);
    let page = u64::from(image.optional.section_alignment);
    let count = image.sections.len();
    let slot = image.section_at(count);
    let limit = image
        .sections
        .iter()
        .filter(|s| s.raw_size > 0)
        .map(|s| s.raw_at as usize)
        .min()
        .unwrap_or(base.len());
    let limit = limit.min(image.optional.headers_size as usize);
    let free = slot
        .checked_add(Section::SIZE)
        .filter(|end| *end <= limit)
        .and_then(|end| base.get(slot..end));
    if !free.is_some_and(|bytes| bytes.iter().all(|b| *b == 0)) {
        return Err(Error::say(
            "the texts are too long for this image: another section follows the resources, and the headers have no \
            room for a new one",
        )
        .at(slot as u64)
        .hint("shorten the texts until they fit again"));
    }
    let end = image.sections_end().max(limit);
    let raw_at = up(end as u64, align);
    let raw_size = up(body.bytes.len() as u64, align);
    let address = word(
        up(
            u64::from(image.optional.image_size).max(image.memory_size()),
            page,
        ),
        "an address",
    )?;
    let new = Section {
        name: Raw(*b".rsrc\0\0\0"),
        virtual_size: word(body.bytes.len() as u64, "a section's size")?,
        address,
        raw_size: word(raw_size, "a section's size")?,
        raw_at: word(raw_at, "a section's offset")?,
        relocations_at: 0,
        lines_at: 0,
        relocations: 0,
        lines: 0,
        characteristics: 0x4000_0040,
    };
    let shift = raw_at + raw_size - end as u64;
    let mut file = Vec::with_capacity(base.len() + shift as usize);
    file.extend_from_slice(base.get(..end).unwrap_or_default());
    file.resize(raw_at as usize, 0);
    file.extend_from_slice(&body.bytes);
    file.resize(end + shift as usize, 0);
    file.extend_from_slice(base.get(end..).unwrap_or_default());
    body.write_entries(&mut file, raw_at as usize, address)?;
    let mut sections = image.sections.clone();
    if let Some(old) = sections.get_mut(resources.section) {
        old.name = Raw(*b".rsrcold");
    }
    sections.push(new);
    shift_offsets(&mut file, image, end, shift)?;
    let mut directories = image.directories.clone();
    if let Some(d) = directories.get_mut(RESOURCES) {
        d.address = address + (d.address - section.address);
        d.size = directory_size;
    }
    if let Some(d) = directories
        .get_mut(CERTIFICATE)
        .filter(|d| d.address != 0 && d.address as usize >= end)
    {
        d.address = word(u64::from(d.address) + shift, "an offset")?;
    }
    let many =
        u16::try_from(count + 1).map_err(|_| Error::say("the image has 65535 sections already"))?;
    write(&mut file, image.file_header_at() + 2, &many)?;
    headers(
        &mut file,
        image,
        sections,
        directories,
        word(raw_size, "a size")?,
    )?;
    Ok((file, MadeRoom::NewSection))
}
