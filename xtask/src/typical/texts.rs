//! Message libraries: Windows DLLs with the sections and resources of the games' own.

use super::Out;

/// A section: name, address, content, flags, and its additional size in memory.
struct Section {
    name: &'static str,
    address: u32,
    content: Vec<u8>,
    flags: u32,
    more: u32,
}

const BASE: u32 = 0x1000_0000;

fn image(sections: &[Section], align: u32, moved: u32) -> Vec<u8> {
    let up = |n: u32, to: u32| n.div_ceil(to) * to;
    let headers = if align == 0x200 { 0x400 } else { 0x1000 };
    let mut out = Out::default();
    // The stub, and the linker's note after it.
    out.raw(b"MZ")
        .zeros(58)
        .word(0xC8)
        .raw(b"This program cannot be run in DOS mode.")
        .zeros(0xC8 - 64 - 39);
    out.raw(b"PE\0\0")
        .half(0x14C)
        .half(sections.len() as i16)
        .word(0x3646_0000)
        .zeros(8)
        .half(224)
        .half(0x210E);
    let last = sections
        .iter()
        .map(|s| s.address + s.content.len() as u32 + s.more)
        .max()
        .unwrap_or(0);
    let raw = |s: &Section| up(s.content.len() as u32, align);
    let data: u32 = sections.iter().skip(1).map(raw).sum();
    out.half(0x10B).raw(&[6, 0]).words(&[
        sections.first().map_or(0, raw),
        data,
        0,
        0x1190,
        0x1000,
        0x5000,
        BASE,
        0x1000,
        align,
    ]);
    out.words(&[4, 0, 4, 0, up(last, 0x1000), headers, 0])
        .half(2)
        .half(0)
        .words(&[0x10_0000, 0x1000, 0x10_0000, 0x1000, 0, 16]);
    let of = |name: &str| {
        sections
            .iter()
            .find(|s| s.name == name)
            .map_or([0; 2], |s| [s.address, s.content.len() as u32])
    };
    for directory in 0..16 {
        out.words(&match directory {
            0 => [0x5000, 100],
            2 => of(".rsrc"),
            5 => [of(".reloc")[0], moved],
            _ => [0; 2],
        });
    }
    let mut place = headers;
    for s in sections {
        out.text(s.name, 8, "")
            .words(&[s.content.len() as u32 + s.more, s.address, raw(s), place])
            .zeros(12)
            .word(s.flags);
        place += raw(s);
    }
    for s in sections {
        let to = up(out.at(), align).max(headers);
        out.zeros((to - out.at()) as usize).raw(&s.content);
    }
    let end = up(out.at(), align);
    out.zeros((end - out.at()) as usize);
    out.0
}

/// The key table: start-up bytes, rows of address and number, and then the keys, that of the first
/// row last.
fn keys(address: u32, start: usize, keys: &[(String, u32)]) -> Vec<u8> {
    let mut out = Out::default();
    (0..start).for_each(|i| {
        out.raw(&[if start == 48 && i % 8 == 0 { 1 } else { 0 }]);
    });
    let mut texts = Out::default();
    let behind = start + 8 * keys.len();
    let mut places = Vec::new();
    for (key, _) in keys.iter().rev() {
        places.push(BASE + address + behind as u32 + texts.at());
        texts.raw(key.as_bytes()).raw(&[0]);
        texts.zeros((4 - texts.0.len() % 4) % 4);
    }
    for ((_, id), place) in keys.iter().zip(places.iter().rev()) {
        out.words(&[*place, *id]);
    }
    out.raw(&texts.0);
    out.0
}

/// The exports of the library: one function by name.
fn exports(library: &str, function: &str) -> Vec<u8> {
    let mut out = Out::default();
    let library = [library.as_bytes(), &[0]].concat();
    let behind = 0x5000 + 40;
    out.words(&[
        0,
        0x3646_0000,
        0,
        behind + 12,
        1,
        1,
        1,
        behind,
        behind + 4,
        behind + 8,
    ]);
    out.words(&[0x1010, behind + 12 + library.len() as u32, 0])
        .raw(&library)
        .raw(function.as_bytes())
        .raw(&[0]);
    out.0.resize(0x869, 0);
    out.0
}

fn sections(
    exports: Vec<u8>,
    data: Vec<u8>,
    resources: Vec<u8>,
    resource_address: u32,
) -> [Section; 5] {
    let section = |name, address, content, flags, more| Section {
        name,
        address,
        content,
        flags,
        more,
    };
    let after = (resource_address + resources.len() as u32).div_ceil(0x1000) * 0x1000;
    [
        section(".text", 0x1000, vec![0xCC; 0x3380], 0x6000_0020, 0),
        section(".rdata", 0x5000, exports, 0x4000_0040, 0),
        section(".data", 0x6000, data, 0xC000_0040, 0x1558),
        section(".rsrc", resource_address, resources, 0x4000_0040, 0),
        section(".reloc", after, vec![0; 0xB6C], 0x4200_0040, 0),
    ]
}

/// `messages.dll` of Recoil or `Mech3Msg.dll` of MechWarrior 3: a message table with runs of ids,
/// and a key for each.
pub fn messages(recoil: bool, count: u32) -> Vec<u8> {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for i in 0..count {
        // A run of 40 ids, then a gap.
        let id = 1 + i + i / 40 * 60;
        match runs.last_mut() {
            Some(run) if run.last() == Some(&(id - 1)) => run.push(id),
            _ => runs.push(vec![id]),
        }
    }
    let mut table = Out::default();
    let mut entries = Out::default();
    let head = 4 + 12 * runs.len() as u32;
    table.word(runs.len() as u32);
    for run in &runs {
        table.words(&[run[0], run[run.len() - 1], head + entries.at()]);
        for id in run {
            let text = format!(
                "Objective {id}: destroy the %1!s! before {}%% is lost\r\n",
                id % 90
            );
            let text = if id % 3 == 0 {
                format!("Message {id}\r\n")
            } else {
                text
            };
            let pad = 4 - text.len() % 4;
            entries
                .half((4 + text.len() + pad) as i16)
                .half(0)
                .raw(text.as_bytes())
                .zeros(pad);
        }
    }
    table.raw(&entries.0);
    let address = 0xF000;
    let mut resources = Out::default();
    for (id, next) in [(11, 0x8000_0018), (1, 0x8000_0030), (0x409, 0x48)] {
        resources.zeros(12).half(0).half(1).words(&[id, next]);
    }
    resources
        .words(&[address + 0x60, table.at(), 0, 0])
        .zeros(8)
        .raw(&table.0);
    let ids = runs
        .iter()
        .flatten()
        .map(|id| (format!("MSG_TEXT_{id}"), *id))
        .collect::<Vec<_>>();
    let data = keys(0x6000, if recoil { 48 } else { 16 }, &ids);
    let library = exports(
        if recoil {
            "messages.dll"
        } else {
            "Mech3Msg.dll"
        },
        "ZLocGetID",
    );
    image(&sections(library, data, resources.0, address), 0x200, 0x9E8)
}

/// `strings.dll` of Crimson Skies: blocks of 16 texts, a version and a stamp; the address of a
/// section equals its position in the file.
pub fn strings() -> Vec<u8> {
    let address = 0x1_2000;
    let blocks: Vec<u32> = (7..119).map(|i| if i > 60 { i + 950 } else { i }).collect();
    let block = |b: u32| {
        let mut out = Out::default();
        for i in 0..16 {
            let text = if (b + i) % 9 < 4 {
                String::new()
            } else {
                format!("[COUR9]Text {} of %1!s!", (b - 1) * 16 + i)
            };
            out.half(text.len() as i16);
            text.encode_utf16().for_each(|unit| {
                out.half(unit as i16);
            });
        }
        out.0
    };
    // A version whose declared length is shorter than the stored one.
    let version = [&[0x80u8, 3, 0x34, 0][..], &[0; 940]].concat();
    let data: Vec<Vec<u8>> = blocks
        .iter()
        .map(|b| block(*b))
        .chain([version, vec![9, 4, 0, 0]])
        .collect();
    let leaves = data.len() as u32;
    // Directories: the root, three types, a language for each leaf. Then the leaves, then their
    // data.
    let types = [(6u32, blocks.clone()), (16, vec![1]), (255, vec![1])];
    let root = 16 + 8 * 3;
    let level = |n: usize| 16 + 8 * n as u32;
    let names: u32 = types.iter().map(|(_, ids)| level(ids.len())).sum();
    let entries = root + names + level(1) * leaves;
    let mut out = Out::default();
    let directory = |out: &mut Out, n: usize| {
        out.zeros(12).half(0).half(n as i16);
    };
    directory(&mut out, 3);
    let mut at = root;
    for (id, ids) in &types {
        out.words(&[*id, 0x8000_0000 | at]);
        at += level(ids.len());
    }
    let mut languages = root + names;
    for (_, ids) in &types {
        directory(&mut out, ids.len());
        for id in ids {
            out.words(&[*id, 0x8000_0000 | languages]);
            languages += level(1);
        }
    }
    for i in 0..leaves {
        directory(&mut out, 1);
        out.words(&[0x409, entries + 16 * i]);
    }
    let mut place = entries + 16 * leaves;
    for bytes in &data {
        out.words(&[address + place, bytes.len() as u32, 1252, 0]);
        place += (bytes.len() as u32).div_ceil(4) * 4;
    }
    for bytes in &data {
        out.raw(bytes)
            .zeros(bytes.len().div_ceil(4) * 4 - bytes.len());
    }
    let ids: Vec<(String, u32)> = blocks
        .iter()
        .flat_map(|b| (0..16).map(move |i| (*b, i)))
        .filter(|(b, i)| (b + i) % 9 >= 4)
        .map(|(b, i)| (format!("MSG_{}", (b - 1) * 16 + i), (b - 1) * 16 + i))
        .collect();
    let data = keys(0x6000, 48, &ids);
    image(
        &sections(
            exports("Strings.dll", "ZLocGetStringID"),
            data,
            out.0,
            address,
        ),
        0x1000,
        0x9E8,
    )
}
