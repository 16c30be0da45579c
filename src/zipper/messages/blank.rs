//! A DLL without texts: headers, a key table, and the function that looks keys up.

use super::doc::KeyOf;
use refit_base::{
    game::Game,
    wire::{Error, Result, fit},
};

/// The address that the image is linked for.
const BASE: u32 = 0x1000_0000;
/// Alignment of sections in memory.
const PAGE: u32 = 0x1000;
/// Alignment of sections in the file.
const ALIGN: u32 = 0x200;
/// Bytes of the headers: DOS, PE, five sections.
const HEADERS: u32 = 0x400;
/// The offset of the PE header.
const PE: u32 = 0x80;

/// The entry point: `mov eax, 1; ret 12`. There is nothing to start.
const ENTRY: [u8; 8] = [0xb8, 1, 0, 0, 0, 0xc2, 12, 0];
/// Offset of the lookup from the entry point.
const LOOKUP: u32 = 16;
/// Offset in the lookup of the address of the key table and of the number of keys.
const TABLE_AT: usize = 8;
const COUNT_AT: usize = 13;

/// The lookup, `int __cdecl (const char *key)`: compares the key with each key of the table, byte
/// by byte, and returns the id after it, or 0.
#[rustfmt::skip]
const CODE: [u8; 51] = [
    0x53, 0x56, 0x57,                   // push ebx; push esi; push edi
    0x8b, 0x5c, 0x24, 0x10,             // mov ebx, [esp + 16]
    0xbf, 0, 0, 0, 0,                   // mov edi, table
    0xb9, 0, 0, 0, 0,                   // mov ecx, count
    0xe3, 0x1a,                         // jecxz none
    0x8b, 0x37,                         // row: mov esi, [edi]
    0x89, 0xda,                         // mov edx, ebx
    0x8a, 0x06,                         // next: mov al, [esi]
    0x3a, 0x02,                         // cmp al, [edx]
    0x75, 0x0b,                         // jne other
    0x46, 0x42,                         // inc esi; inc edx
    0x84, 0xc0,                         // test al, al
    0x75, 0xf4,                         // jne next
    0x8b, 0x47, 0x04,                   // mov eax, [edi + 4]
    0xeb, 0x07,                         // jmp done
    0x83, 0xc7, 0x08,                   // other: add edi, 8
    0xe2, 0xe6,                         // loop row
    0x31, 0xc0,                         // none: xor eax, eax
    0x5f, 0x5e, 0x5b, 0xc3,             // done: pop edi; pop esi; pop ebx; ret
];

/// Approximate link time of each game's DLLs, in seconds since 1970: it distinguishes MechWarrior 3
/// (May 1999) from Pirate's Moon (December 1999).
fn link_time(game: Game) -> u32 {
    match game {
        Game::Rc | Game::RcDemo => 912_470_400,
        Game::Mw => 925_516_800,
        Game::Pm => 941_414_400,
        Game::Cs => 967_766_400,
    }
}

/// A part of the image.
struct Part {
    name: &'static [u8; 8],
    flags: u32,
    bytes: Vec<u8>,
    /// Its address, less that of the image.
    address: u32,
}

/// The words of a part that is being written.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn u16s(&mut self, all: &[u16]) {
        all.iter()
            .for_each(|n| self.0.extend_from_slice(&n.to_le_bytes()));
    }
    fn u32s(&mut self, all: &[u32]) {
        all.iter()
            .for_each(|n| self.0.extend_from_slice(&n.to_le_bytes()));
    }
    fn pad(&mut self, to: usize) {
        self.0.resize(self.0.len().max(to), 0);
    }
}

/// A DLL of a game with these keys and without texts. `first` is an id whose string block exists
/// (CS), because such a DLL has at least one.
pub(super) fn dll(game: Game, language: u32, first: u32, keys: &[KeyOf]) -> Result<Vec<u8>> {
    let text = code(keys.len())?;
    let mut parts = vec![Part {
        name: b".text\0\0\0",
        flags: 0x6000_0020,
        bytes: text,
        address: PAGE,
    }];
    let mut next = PAGE * 2;
    let mut add = |name, flags, make: &dyn Fn(u32) -> Result<Vec<u8>>| {
        let bytes = make(next)?;
        let address = next;
        let pages = fit::<u32>(bytes.len(), "the size of the DLL")?
            .max(1)
            .div_ceil(PAGE);
        next = pages
            .checked_mul(PAGE)
            .and_then(|size| next.checked_add(size))
            .ok_or_else(too_large)?;
        parts.push(Part {
            name,
            flags,
            bytes,
            address,
        });
        Ok::<u32, Error>(address)
    };
    add(b".rdata\0\0", 0x4000_0040, &|address| {
        Ok(exports(game, address))
    })?;
    let skip = if matches!(game, Game::Mw | Game::Pm) {
        16
    } else {
        48
    };
    let table = add(b".data\0\0\0", 0xc000_0040, &|address| {
        data(keys, address, skip)
    })? + skip;
    add(b".rsrc\0\0\0", 0x4000_0040, &|address| {
        Ok(resources(game, language, first, address))
    })?;
    add(b".reloc\0\0", 0x4200_0040, &|_| {
        relocations(table, keys.len())
    })?;
    if let Some(text) = parts.first_mut() {
        let at = LOOKUP as usize + TABLE_AT;
        if let Some(place) = text.bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&(BASE + table).to_le_bytes());
        }
    }
    image(game, &parts)
}

#[cold]
fn too_large() -> Error {
    Error::say("the DLL would be larger than 4 GiB")
}

fn code(keys: usize) -> Result<Vec<u8>> {
    let mut lookup = CODE;
    if let Some(place) = lookup.get_mut(COUNT_AT..COUNT_AT + 4) {
        place.copy_from_slice(&fit::<u32>(keys, "the number of keys")?.to_le_bytes());
    }
    let mut out = Out(ENTRY.to_vec());
    out.pad(LOOKUP as usize);
    out.0.extend_from_slice(&lookup);
    Ok(out.0)
}

/// The export directory: one function, ordinal 1.
fn exports(game: Game, address: u32) -> Vec<u8> {
    let function: &[u8] = if game == Game::Cs {
        b"ZLocGetStringID\0"
    } else {
        b"ZLocGetID\0"
    };
    let library: &[u8] = match game {
        Game::Rc | Game::RcDemo => b"messages.dll\0",
        Game::Mw | Game::Pm => b"Mech3Msg.dll\0",
        Game::Cs => b"Strings.dll\0",
    };
    let (functions, names, ordinals, name) =
        (address + 40, address + 44, address + 48, address + 52);
    let mut out = Out::default();
    out.u32s(&[
        0,
        link_time(game),
        0,
        name + function.len() as u32,
        1,
        1,
        1,
        functions,
        names,
        ordinals,
    ]);
    out.u32s(&[PAGE + LOOKUP, name]);
    out.u16s(&[0, 0]);
    out.0.extend_from_slice(function);
    out.0.extend_from_slice(library);
    out.0
}

/// The key table, followed by its keys: the first row has the last key.
fn data(keys: &[KeyOf], address: u32, skip: u32) -> Result<Vec<u8>> {
    let rows = fit::<u32>(keys.len().saturating_mul(8), "the size of the key table")?;
    let (mut texts, mut places) = (Vec::new(), Vec::new());
    for key in keys.iter().rev() {
        places.push(fit::<u32>(texts.len(), "the size of the keys")?);
        texts.extend_from_slice(&key.key.0);
        texts.push(0);
    }
    let begin = BASE
        .checked_add(address)
        .and_then(|at| at.checked_add(skip)?.checked_add(rows))
        .ok_or_else(too_large)?;
    let mut out = Out::default();
    out.pad(skip as usize);
    for (key, place) in keys.iter().zip(places.iter().rev()) {
        out.u32s(&[begin.checked_add(*place).ok_or_else(too_large)?, key.id]);
    }
    out.0.extend_from_slice(&texts);
    Ok(out.0)
}

/// The resource directory with an empty table of messages, or one block of empty strings.
fn resources(game: Game, language: u32, first: u32, address: u32) -> Vec<u8> {
    let directory = |id: u32, offset: u32| [0, 0, 0, 0x1_0000, id, offset];
    let (kind, name, bytes) = match game {
        Game::Cs => (6, first / 16 + 1, vec![0; 32]),
        _ => (11, 1, vec![0; 4]),
    };
    let mut out = Out::default();
    out.u32s(&directory(kind, 0x8000_0018));
    out.u32s(&directory(name, 0x8000_0030));
    out.u32s(&directory(language, 0x48));
    out.u32s(&[address + 0x60, bytes.len() as u32, 0, 0]);
    out.pad(0x60);
    out.0.extend_from_slice(&bytes);
    out.0
}

/// The places of addresses: in the code, and in each row of the key table.
fn relocations(table: u32, keys: usize) -> Result<Vec<u8>> {
    const WORD: u16 = 3 << 12;
    let mut out = Out::default();
    let mut block = |page: u32, mut places: Vec<u16>| {
        if places.len() % 2 == 1 {
            places.push(0);
        }
        out.u32s(&[page, 8 + 2 * places.len() as u32]);
        out.u16s(&places);
    };
    block(PAGE, vec![WORD | (LOOKUP as u16 + TABLE_AT as u16)]);
    let rows = fit::<u32>(keys, "the number of keys")?;
    let all: Vec<u32> = (0..rows)
        .map(|row| table.saturating_add(row.saturating_mul(8)))
        .collect();
    for page in all.chunk_by(|a, b| a / PAGE == b / PAGE) {
        let first = page.first().copied().unwrap_or_default() / PAGE * PAGE;
        block(
            first,
            page.iter().map(|at| WORD | (at % PAGE) as u16).collect(),
        );
    }
    Ok(out.0)
}

/// The headers and the parts.
fn image(game: Game, parts: &[Part]) -> Result<Vec<u8>> {
    let up = |n: u32, to: u32| n.div_ceil(to).saturating_mul(to);
    let size = |part: &Part| part.bytes.len() as u32;
    let part = |name: &[u8]| {
        parts
            .iter()
            .find(|part| part.name.starts_with(name))
            .map_or((0, 0), |p| (p.address, size(p)))
    };
    let end = parts
        .last()
        .map_or(0, |part| up(part.address.saturating_add(size(part)), PAGE));
    let initialised = parts
        .iter()
        .skip(1)
        .map(|part| up(size(part), ALIGN))
        .fold(0, u32::saturating_add);
    let mut out = Out(b"MZ".to_vec());
    out.pad(60);
    out.u32s(&[PE]);
    out.pad(PE as usize);
    out.0.extend_from_slice(b"PE\0\0");
    out.u16s(&[0x14c, parts.len() as u16]);
    out.u32s(&[link_time(game), 0, 0]);
    out.u16s(&[224, 0x210e, 0x10b, 6]);
    out.u32s(&[
        ALIGN,
        initialised,
        0,
        PAGE,
        PAGE,
        PAGE * 2,
        BASE,
        PAGE,
        ALIGN,
    ]);
    out.u16s(&[4, 0, 0, 0, 4, 0]);
    out.u32s(&[0, end, HEADERS, 0]);
    out.u16s(&[2, 0]);
    out.u32s(&[0x10_0000, 0x1000, 0x10_0000, 0x1000, 0, 16]);
    for (address, size) in [
        part(b".rdata"),
        (0, 0),
        part(b".rsrc"),
        (0, 0),
        (0, 0),
        part(b".reloc"),
    ] {
        out.u32s(&[address, size]);
    }
    out.u32s(&[0; 20]);
    let mut at = HEADERS;
    for part in parts {
        out.0.extend_from_slice(part.name);
        out.u32s(&[
            size(part),
            part.address,
            up(size(part), ALIGN),
            at,
            0,
            0,
            0,
            part.flags,
        ]);
        at = at
            .checked_add(up(size(part), ALIGN))
            .ok_or_else(too_large)?;
    }
    out.pad(HEADERS as usize);
    for part in parts {
        out.0.extend_from_slice(&part.bytes);
        let to = out.0.len().next_multiple_of(ALIGN as usize);
        out.pad(to);
    }
    Ok(out.0)
}
