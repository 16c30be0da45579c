//! `explain` for message DLLs: fields for text tables, keys and headers, one line for each other
//! part.

use super::{
    dll::{BlockRow, Dll, TableKind},
    image::{DataEntry, Directory, FileHeader, OptionalHeader, PeImage, Section, leaf_text},
};
use refit_base::wire::{Notation, Plain, Role, Trace};

/// The path prefix of the DLL in the tree, which contains everything but the texts.
const BASE: &str = "base.dll › ";

/// Reports fields by their range in the file.
struct Notes<'a>(&'a dyn Trace);

impl Notes<'_> {
    fn note(&self, at: usize, size: usize, name: &str, kind: Notation, role: Role) {
        self.0.note(at as u64, size as u64, name, kind, role);
    }
    fn plain<T: Plain>(&self, at: usize, name: &str, role: Role) {
        self.note(at, T::SIZE, name, T::KIND, role);
    }
    /// Reports a header. Counts, sizes and positions follow from the rest of the image; its kind is
    /// constant.
    fn header<T: Plain>(&self, mut at: usize, name: &str) {
        let Notation::Fields(fields) = T::KIND else {
            return;
        };
        for (field, size, kind) in fields {
            let (kind, role) = match *field {
                "machine" | "magic" | "subsystem" => (*kind, Role::Constant),
                "name" => (Notation::Text, Role::Value),
                "sections" | "symbols" | "directories" | "relocations" | "lines"
                | "entry_point" | "size" | "address" => (*kind, Role::Derived),
                field
                    if field.ends_with("_size")
                        || field.ends_with("_at")
                        || field.ends_with("_base") =>
                {
                    (*kind, Role::Derived)
                }
                _ => (*kind, Role::Value),
            };
            self.note(at, *size, &format!("{name}.{field}"), kind, role);
            at += size;
        }
    }
}

/// Reports all bytes of a DLL. Parts inside a section come before the section itself, which gets
/// the rest.
pub(super) fn explain(file: &[u8], dll: &Dll, trace: &dyn Trace) {
    let notes = Notes(trace);
    tables(dll, &notes);
    keys(dll, &notes);
    trace.enter(BASE);
    resources(file, dll, &notes);
    headers(&dll.image, &notes);
    for section in &dll.image.sections {
        // The resource section is completely reported by now: the rest of it is padding.
        if section.raw().contains(&dll.resources.start) {
            continue;
        }
        let (raw, name) = (section.raw(), format!("section {}", section.name()));
        notes.note(
            raw.start,
            section.raw_size as usize,
            &name,
            Notation::Bytes,
            Role::Payload,
        );
    }
    let end = dll
        .image
        .sections
        .iter()
        .map(|s| s.raw().end)
        .max()
        .unwrap_or(0);
    if end < file.len() {
        notes.note(
            end,
            file.len() - end,
            "behind the sections",
            Notation::Bytes,
            Role::Payload,
        );
    }
    trace.leave();
}

fn headers(image: &PeImage, notes: &Notes<'_>) {
    notes.note(0, 2, "DOS header.signature", Notation::Text, Role::Constant);
    notes.note(2, 58, "DOS header", Notation::Bytes, Role::Payload);
    notes.plain::<i32>(60, "DOS header.pe_at", Role::Derived);
    if image.pe > 64 {
        notes.note(
            64,
            image.pe - 64,
            "DOS program",
            Notation::Bytes,
            Role::Payload,
        );
    }
    notes.note(image.pe, 4, "signature", Notation::Bytes, Role::Constant);
    notes.header::<FileHeader>(image.file_header_at(), "file header");
    notes.header::<OptionalHeader>(image.optional_at(), "optional header");
    for i in 0..image.directories.len() {
        notes.header::<Directory>(image.directory_at(i), &format!("directories[{i}]"));
    }
    for i in 0..image.sections.len() {
        notes.header::<Section>(image.section_at(i), &format!("sections[{i}]"));
    }
    let end = image.section_at(image.sections.len());
    let first = image
        .sections
        .iter()
        .filter(|s| s.raw_size > 0)
        .map(|s| s.raw().start)
        .min()
        .unwrap_or(end);
    if first > end {
        notes.note(
            end,
            first - end,
            "padding of the headers",
            Notation::Bytes,
            Role::Padding,
        );
    }
}

fn resources(file: &[u8], dll: &Dll, notes: &Notes<'_>) {
    for leaf in dll.resources.leaves.iter().filter(|leaf| !leaf.shared) {
        let name = leaf_text(leaf, file);
        notes.plain::<DataEntry>(
            leaf.entry_at,
            &format!("resource {name}.entry"),
            Role::Derived,
        );
        notes.note(
            leaf.data.start,
            leaf.data.len(),
            &format!("resource {name}"),
            Notation::Bytes,
            Role::Payload,
        );
    }
    let (start, end) = (dll.resources.start, dll.resources.directories_end);
    notes.note(
        start,
        end.saturating_sub(start),
        "resource directory",
        Notation::Bytes,
        Role::Derived,
    );
}

fn tables(dll: &Dll, notes: &Notes<'_>) {
    for (t, table) in dll.tables.iter().enumerate() {
        let document = if dll.tables.len() > 1 {
            format!("table {}", t + 1)
        } else {
            "messages.json".to_owned()
        };
        notes.0.enter(&format!("{document} › "));
        for entry in &table.entries {
            let name = match entry.occurrence {
                1 => format!("messages[id {}]", entry.id),
                n => format!("messages[id {}, {n}]", entry.id),
            };
            match table.kind {
                TableKind::MessageTable => {
                    notes.plain::<u16>(entry.at.start, &format!("{name}.length"), Role::Derived);
                    notes.plain::<u16>(entry.at.start + 2, &format!("{name}.flags"), Role::Derived);
                    let (at, size) = (entry.at.start + 4, entry.at.len().saturating_sub(4));
                    notes.note(
                        at,
                        size,
                        &format!("{name}.text"),
                        Notation::Bytes,
                        Role::Value,
                    );
                }
                TableKind::StringTable => {
                    notes.plain::<u16>(
                        entry.at.start.saturating_sub(2),
                        &format!("{name}.length"),
                        Role::Derived,
                    );
                    notes.note(
                        entry.at.start,
                        entry.at.len(),
                        &format!("{name}.text"),
                        Notation::Bytes,
                        Role::Value,
                    );
                }
            }
        }
        for (b, block) in table.blocks.iter().enumerate() {
            let Some(leaf) = dll.resources.leaves.get(block.leaf) else {
                continue;
            };
            if table.kind == TableKind::MessageTable {
                notes.plain::<u32>(leaf.data.start, "block count", Role::Derived);
                let at = leaf.data.start + 4 + b * BlockRow::SIZE;
                notes.plain::<BlockRow>(at, &format!("blocks[{b}]"), Role::Derived);
            }
        }
        notes.0.leave();
    }
}

fn keys(dll: &Dll, notes: &Notes<'_>) {
    let (Some(skip), Some(section)) = (dll.keys_at, dll.image.data()) else {
        return;
    };
    let start = section.raw().start;
    notes.note(
        start,
        skip,
        "base.dll › start-up data",
        Notation::Bytes,
        Role::Payload,
    );
    for (i, key) in dll.keys.iter().enumerate() {
        let at = start + skip + 8 * i;
        notes.plain::<u32>(at, &format!("keys[{i}].address"), Role::Derived);
        notes.plain::<u32>(at + 4, &format!("keys[{i}].id"), Role::Value);
        notes.note(
            key.name.start,
            key.name.len() + 1,
            &format!("keys[{i}].key"),
            Notation::Text,
            Role::Value,
        );
    }
}
