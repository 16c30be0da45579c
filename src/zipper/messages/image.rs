//! The PE image: headers, sections, the resource directory, exports, the checksum (FORMAT.md).

use refit_base::{
    game::Game,
    plain,
    wire::{Error, Plain, Raw, Reader, Result},
};
use std::{fmt, ops::Range};

plain! {
    /// The file header, after `PE\0\0`.
    pub struct FileHeader {
        machine: u16,
        sections: u16,
        /// Seconds since 1970.
        time: u32,
        /// File offset of the symbol table, or 0.
        symbols_at: u32,
        symbols: u32,
        /// Bytes of the optional header, directories included.
        optional_size: u16,
        characteristics: u16,
    }
}

plain! {
    /// The optional header of a 32-bit image, without its directories.
    pub struct OptionalHeader {
        magic: u16,
        linker: u16,
        code_size: u32,
        initialized_size: u32,
        uninitialized_size: u32,
        entry_point: u32,
        code_base: u32,
        data_base: u32,
        image_base: u32,
        section_alignment: u32,
        file_alignment: u32,
        versions: Raw<16>,
        image_size: u32,
        headers_size: u32,
        checksum: u32,
        subsystem: u16,
        dll_characteristics: u16,
        stack_and_heap: Raw<20>,
        /// Number of directories; the header may have room for fewer.
        directories: u32,
    }
}

plain! {
    /// One data directory: an address in memory, except for the certificate, which has a file
    /// offset.
    pub struct Directory { address: u32, size: u32 }
}

plain! {
    /// A section header.
    pub struct Section {
        name: Raw<8>,
        virtual_size: u32,
        address: u32,
        raw_size: u32,
        raw_at: u32,
        relocations_at: u32,
        lines_at: u32,
        relocations: u16,
        lines: u16,
        characteristics: u32,
    }
}

plain! {
    /// The fixed part of a resource directory; its entries follow.
    pub struct ResourceDirectory { characteristics: u32, time: u32, major: u16, minor: u16, named: u16, ids: u16 }
}

plain! {
    /// The leaf of the resource directory.
    pub struct DataEntry {
        /// Address in memory.
        address: u32,
        size: u32,
        code_page: u32,
        reserved: u32,
    }
}

pub const EXPORTS: usize = 0;
pub const RESOURCES: usize = 2;
/// Index of the certificate directory, the only one whose address is a file offset.
pub const CERTIFICATE: usize = 4;
pub const RELOCATIONS: usize = 5;
pub const DEBUG: usize = 6;

pub const MESSAGE_TABLE: u32 = 11;
pub const STRING: u32 = 6;

/// Maximum depth of the resource directory; three levels are usual.
const DEEPEST: usize = 8;

impl Section {
    /// The name without its zeros.
    pub fn name(&self) -> String {
        self.name
            .0
            .iter()
            .take_while(|b| **b != 0)
            .map(|b| char::from(*b))
            .collect()
    }
    pub fn span(&self) -> u32 {
        if self.virtual_size == 0 {
            self.raw_size
        } else {
            self.virtual_size
        }
    }
    /// Size of the part of the file that has an address: the raw size, limited to the virtual size.
    pub fn mapped(&self) -> u32 {
        self.span().min(self.raw_size)
    }
    pub fn holds(&self, rva: u32) -> bool {
        rva >= self.address && rva - self.address < self.virtual_size.max(self.raw_size)
    }
    pub fn raw(&self) -> Range<usize> {
        let at = self.raw_at as usize;
        at..at.saturating_add(self.raw_size as usize)
    }
}

/// A number or a name in the resource directory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Id {
    Number(u32),
    /// A name: file offset and number of its UTF-16 units.
    Name {
        /// File offset of the first unit.
        at: u32,
        units: u16,
    },
}

impl Id {
    pub fn number(self) -> Option<u32> {
        match self {
            Id::Number(n) => Some(n),
            Id::Name { .. } => None,
        }
    }
    /// For messages and file names: the number, or the beginning of the name.
    pub fn show(self, file: &[u8]) -> String {
        match self {
            Id::Number(n) => n.to_string(),
            Id::Name { at, units } => {
                let at = at as usize;
                let bytes = file
                    .get(at..at + 2 * usize::from(units))
                    .unwrap_or_default();
                String::from_utf16_lossy(&units_of(bytes).take(64).collect::<Vec<u16>>())
            }
        }
    }
}

/// Bytes as UTF-16 units; an odd last byte is ignored.
pub fn units_of(bytes: &[u8]) -> impl Iterator<Item = u16> + Clone {
    bytes.chunks_exact(2).map(u16::get)
}

/// One resource.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Type, name, language. Deeper levels are not kept.
    pub path: [Option<Id>; 3],
    /// File offset of the language's entry in its directory.
    pub language_at: Option<usize>,
    /// File offset of the data entry.
    pub entry_at: usize,
    pub entry: DataEntry,
    /// The resource's bytes in the file.
    pub data: Range<usize>,
    /// True when an earlier leaf uses the same data entry.
    pub shared: bool,
}

impl Leaf {
    pub fn kind(&self) -> Option<u32> {
        self.path.first().copied().flatten().and_then(Id::number)
    }
    pub fn name(&self) -> Option<Id> {
        self.path.get(1).copied().flatten()
    }
    pub fn language(&self) -> Option<u32> {
        self.path.get(2).copied().flatten().and_then(Id::number)
    }
}

/// The resource directory.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Index of the section that contains it.
    pub section: usize,
    /// File offset of the root.
    pub start: usize,
    /// File offset after the last directory, data entry and name.
    pub directories_end: usize,
    /// All resources, in the directory's order.
    pub leaves: Vec<Leaf>,
}

/// The positions of the parts of a PE file.
#[derive(Clone, Debug)]
pub struct PeImage {
    /// File offset of `PE\0\0`.
    pub pe: usize,
    pub file: FileHeader,
    pub optional: OptionalHeader,
    /// The data directories, at most as many as the header has room for.
    pub directories: Vec<Directory>,
    pub sections: Vec<Section>,
}

impl PeImage {
    pub fn file_header_at(&self) -> usize {
        self.pe + 4
    }
    pub fn optional_at(&self) -> usize {
        self.file_header_at() + FileHeader::SIZE
    }
    pub fn directory_at(&self, k: usize) -> usize {
        self.optional_at() + OptionalHeader::SIZE + k * Directory::SIZE
    }
    pub fn section_at(&self, i: usize) -> usize {
        self.optional_at() + usize::from(self.file.optional_size) + i * Section::SIZE
    }
    /// Data directory `k`, unless it is absent or empty.
    pub fn directory(&self, k: usize) -> Option<Directory> {
        self.directories.get(k).copied().filter(|d| d.address != 0)
    }
    /// Index of the section that contains an address. If raw sizes overlap, the section that starts
    /// closest to it.
    pub fn section_of(&self, rva: u32) -> Option<usize> {
        let holding = self
            .sections
            .iter()
            .enumerate()
            .filter(|(_, s)| s.holds(rva));
        holding.max_by_key(|(_, s)| s.address).map(|(i, _)| i)
    }
    /// The range in the file from an address to the end of its section's raw data.
    pub fn range_from(&self, rva: u32) -> Option<Range<usize>> {
        let section = self.sections.get(self.section_of(rva)?)?;
        let skip = rva - section.address;
        let raw = section.raw();
        (skip < section.raw_size).then(|| raw.start + skip as usize..raw.end)
    }

    /// Reads the headers. Returns an error if the file is not a 32-bit PE image, or if a part is
    /// beyond the end of the file.
    pub fn read(file: &[u8]) -> Result<PeImage> {
        let mut r = Reader::new(file, Game::Mw);
        let magic = r.field::<Raw<2>>("DOS header")?;
        if &magic.0 != b"MZ" {
            return Err(Error::say("not a DLL: it does not begin with MZ").at(0));
        }
        r.seek(60)?;
        let pe = r.field::<i32>("DOS header")?;
        r.seek(u64::try_from(pe).unwrap_or(u64::MAX))
            .map_err(|e| e.within("DOS header"))?;
        let pe = r.pos();
        if &r.field::<Raw<4>>("PE header")?.0 != b"PE\0\0" {
            return Err(Error::say("not a DLL: PE expected")
                .at(pe as u64)
                .within("PE header"));
        }
        let header: FileHeader = r.field("file header")?;
        let at = r.pos();
        let body = r
            .take(usize::from(header.optional_size))
            .map_err(|e| e.within("optional header"))?;
        let mut o = Reader::based(body, at as u64, r.game);
        let magic = o.field::<u16>("optional header")?;
        if magic != 0x10b {
            let what = if magic == 0x20b {
                "a 64-bit image"
            } else {
                "an image of an unknown kind"
            };
            return Err(Error::say(format!(
                "{what} (magic {magic:#x}); the games' DLLs are 32-bit, 0x10b"
            ))
            .at(at as u64)
            .within("optional header"));
        }
        o.seek(0)?;
        let optional: OptionalHeader = o.field("optional header")?;
        let room = o.left() / Directory::SIZE;
        let directories = o.plains(
            room.min(optional.directories as usize) as u64,
            "directories",
        )?;
        let sections: Vec<Section> = r.plains(header.sections.into(), "sections")?;
        for (i, section) in sections.iter().enumerate() {
            if section.raw_size > 0 && section.raw().end > file.len() {
                let (name, end) = (section.name(), section.raw().end);
                return Err(Error::say(format!(
                    "section {name:?} ends at {end:#x}, but the file ends at {:#x}",
                    file.len()
                ))
                .at((r.pos() - (sections.len() - i) * Section::SIZE) as u64)
                .within(format!("sections[{i}]")));
            }
        }
        Ok(PeImage {
            pe,
            file: header,
            optional,
            directories,
            sections,
        })
    }

    /// Reads the resource directory. Cycles, depth and sharing are limited, so a malicious
    /// directory is an error and not a hang.
    pub fn resources(&self, file: &[u8]) -> Result<Resources> {
        let root = self
            .directory(RESOURCES)
            .ok_or_else(|| Error::say("no resources in it: not a DLL of messages"))?;
        let outside = || {
            Error::say(format!(
                "the resource directory's address {:#x} is in no section",
                root.address
            ))
            .at(self.directory_at(RESOURCES) as u64)
        };
        let section = self.section_of(root.address).ok_or_else(outside)?;
        let range = self.range_from(root.address).ok_or_else(outside)?;
        let start = range.start;
        let body = file.get(range).ok_or_else(outside)?;
        let mut out = Resources {
            section,
            start,
            directories_end: start,
            leaves: Vec::new(),
        };
        let mut seen_entries = std::collections::HashSet::new();
        // Every entry takes 8 bytes: if there are more than fit, directories are used repeatedly.
        let mut budget = body.len() / 8 + 1;
        let mut data_bytes = 0u64;
        struct Step {
            offset: u32,
            depth: usize,
            path: [Option<Id>; 3],
            above: [u32; DEEPEST],
            slot: Option<usize>,
        }
        let mut todo = vec![Step {
            offset: 0x8000_0000,
            depth: 0,
            path: [None; 3],
            above: [0; DEEPEST],
            slot: None,
        }];
        while let Some(step) = todo.pop() {
            let offset = step.offset & 0x7fff_ffff;
            let mut r = Reader::based(body, start as u64, Game::Mw);
            let place = |e: Error| {
                let path = path_text(&step.path, file);
                if path.is_empty() {
                    e.within("resources")
                } else {
                    e.within(format!("resource {path}"))
                }
            };
            r.seek(offset.into()).map_err(place)?;
            if step.offset >> 31 == 0 {
                let entry: DataEntry = r.get().map_err(place)?;
                let entry_at = start + offset as usize;
                let error = |why: String| place(Error::say(why).at(entry_at as u64));
                let data = self.range_from(entry.address).and_then(|range| {
                    let end = range.start.checked_add(entry.size as usize)?;
                    (end <= range.end).then_some(range.start..end)
                });
                let data = data.ok_or_else(|| {
                    let (size, address) = (entry.size, entry.address);
                    error(format!(
                        "{size} bytes at address {address:#x} are not in one section of the file"
                    ))
                })?;
                data_bytes += u64::from(entry.size);
                if data_bytes > 4 * file.len() as u64 {
                    return Err(error("the resources overlap each other many times".into()));
                }
                out.directories_end = out.directories_end.max(start + r.pos());
                let shared = !seen_entries.insert(offset);
                out.leaves.push(Leaf {
                    path: step.path,
                    language_at: step.slot,
                    entry_at,
                    entry,
                    data,
                    shared,
                });
                continue;
            }
            if step
                .above
                .get(..step.depth)
                .is_some_and(|above| above.contains(&step.offset))
            {
                return Err(place(
                    Error::say("the directory contains itself").at(r.offset()),
                ));
            }
            let mut above = step.above;
            *above.get_mut(step.depth).ok_or_else(|| {
                place(
                    Error::say(format!(
                        "directories are nested more than {DEEPEST} levels deep"
                    ))
                    .at(r.offset()),
                )
            })? = step.offset;
            let directory: ResourceDirectory = r.get().map_err(place)?;
            let count = usize::from(directory.named) + usize::from(directory.ids);
            budget = budget.checked_sub(count).ok_or_else(|| {
                place(Error::say("more entries than the section has room for").at(r.offset()))
            })?;
            let entries: Vec<Directory> = r.plains(count as u64, "entries").map_err(place)?;
            let entries_at = start + r.pos() - count * 8;
            out.directories_end = out.directories_end.max(start + r.pos());
            for (i, entry) in entries.iter().enumerate().rev() {
                let slot = entries_at + i * 8;
                let id = if entry.address >> 31 == 1 {
                    let mut n = Reader::based(body, start as u64, Game::Mw);
                    let name = name(&mut n, entry.address & 0x7fff_ffff);
                    out.directories_end = out.directories_end.max(n.offset() as usize);
                    name.map_err(|e| place(e.within("name")))?
                } else {
                    Id::Number(entry.address)
                };
                let mut path = step.path;
                if let Some(level) = path.get_mut(step.depth) {
                    *level = Some(id);
                }
                let slot = if step.depth == 2 {
                    Some(slot)
                } else {
                    step.slot
                };
                todo.push(Step {
                    offset: entry.size,
                    depth: step.depth + 1,
                    path,
                    above,
                    slot,
                });
            }
        }
        Ok(out)
    }

    /// The section of the key table.
    pub fn data(&self) -> Option<&Section> {
        self.sections.iter().find(|s| s.name() == ".data")
    }

    /// The exported names that can be read.
    pub fn exports(&self, file: &[u8]) -> Vec<String> {
        let names = || {
            let directory = self.directory(EXPORTS)?;
            let table = file.get(self.range_from(directory.address)?)?;
            let count = u32::get(table.get(24..28)?);
            let list = file.get(self.range_from(u32::get(table.get(32..36)?))?)?;
            // A name of more than 256 bytes is not accepted. (The games' DLLs export one short
            // name.)
            let name = |at: &[u8]| {
                let bytes = file.get(self.range_from(u32::get(at))?)?;
                let end = bytes.iter().take(256).position(|b| *b == 0)?;
                bytes
                    .get(..end)
                    .map(|b| b.iter().map(|b| char::from(*b)).collect::<String>())
            };
            Some(
                list.chunks_exact(4)
                    .take(count.min(64) as usize)
                    .map_while(name)
                    .collect(),
            )
        };
        names().unwrap_or_default()
    }

    /// End of the last section; certificates and data appended by tools follow it.
    pub fn sections_end(&self) -> usize {
        self.sections
            .iter()
            .filter(|s| s.raw_size > 0)
            .map(|s| s.raw().end)
            .max()
            .unwrap_or(0)
    }

    /// The size of the image in memory, as a loader computes it.
    pub fn memory_size(&self) -> u64 {
        let align = u64::from(self.optional.section_alignment.max(1));
        self.sections
            .iter()
            .map(|s| up(u64::from(s.address) + u64::from(s.span()), align))
            .max()
            .unwrap_or(0)
    }

    pub fn checksum_state(&self, file: &[u8]) -> Checksum {
        match self.optional.checksum {
            0 => Checksum::Absent,
            stored => match checksum(file, self.checksum_at()) {
                right if right == stored => Checksum::Right,
                right => Checksum::Wrong { stored, right },
            },
        }
    }

    pub fn checksum_at(&self) -> usize {
        self.optional_at() + 64
    }
}

/// `n` rounded up to a multiple of `to`, which is not 0.
pub fn up(n: u64, to: u64) -> u64 {
    n.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

/// The state of a file's checksum (FORMAT.md).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checksum {
    /// Zero: not used.
    Absent,
    /// The stored checksum is correct.
    Right,
    /// The stored checksum is wrong.
    Wrong {
        /// The stored checksum.
        stored: u32,
        /// The computed one.
        right: u32,
    },
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Checksum::Absent => f.write_str("not used"),
            Checksum::Right => f.write_str("right"),
            Checksum::Wrong { stored, right } => {
                write!(f, "wrong ({stored:#010x}, should be {right:#010x})")
            }
        }
    }
}

/// The PE checksum of a file whose checksum field is at `at`.
///
/// The sum of all 16-bit words with end-around carry, the field taken as zero, plus the length.
/// Carries may be folded at the end: 64 bits are enough for the sum of any file.
pub fn checksum(file: &[u8], at: usize) -> u32 {
    let sum = |bytes: &[u8]| -> u64 {
        let words = bytes.chunks_exact(2);
        let last = words.remainder().first().copied().unwrap_or(0);
        words.map(|w| u64::from(u16::get(w))).sum::<u64>() + u64::from(last)
    };
    let field = |bytes: &[u8]| -> u64 {
        // The field may be at an odd offset, so its bytes are weighted by position.
        bytes
            .iter()
            .zip(at..)
            .map(|(b, i)| u64::from(*b) << (8 * (i % 2)))
            .sum()
    };
    let mut total = sum(file) - file.get(at..at + 4).map(field).unwrap_or(0);
    while total >> 16 != 0 {
        total = (total & 0xffff) + (total >> 16);
    }
    (total as u32).wrapping_add(file.len() as u32)
}

/// The name at an offset of the resource directory.
fn name(r: &mut Reader<'_>, offset: u32) -> Result<Id> {
    r.seek(offset.into())?;
    let units: u16 = r.get()?;
    let at = r.offset() as u32;
    r.take(2 * usize::from(units))?;
    Ok(Id::Name { at, units })
}

/// `6/110/1033` as text.
fn path_text(path: &[Option<Id>; 3], file: &[u8]) -> String {
    path.iter()
        .flatten()
        .map(|id| id.show(file))
        .collect::<Vec<_>>()
        .join("/")
}

/// `6/110/1033`: a resource's type, name and language as text.
pub fn leaf_text(leaf: &Leaf, file: &[u8]) -> String {
    path_text(&leaf.path, file)
}
