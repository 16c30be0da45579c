//! Message DLLs: the content of trees, and the results of edits. Rebuilt images are read with two
//! PE readers that refit does not use, `object` and `pelite`.

use refit::{
    File,
    formats::messages::{Dll, Language, Page},
    pipeline::{self, Hints, Via},
    tree::{Folder, Form, Style},
};
use roundtrip_tests::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Texts of a DLL as other programs read them.
mod other {
    use object::{
        LittleEndian as LE,
        read::pe::{
            ImageNtHeaders, ImageOptionalHeader, PeFile32, ResourceDirectoryEntryData,
            ResourceNameOrId,
        },
    };
    use std::collections::BTreeMap;

    /// Language and id (and a number for texts of one id) → flags and bytes without terminator and
    /// padding.
    pub type Texts = BTreeMap<(u16, u32, u32), (u16, Vec<u8>)>;

    pub struct Section {
        pub name: String,
        pub address: u32,
        pub size: u32,
        pub raw_at: usize,
        pub raw: Vec<u8>,
    }

    fn u16_at(b: &[u8], at: usize) -> u16 {
        u16::from_le_bytes(b[at..at + 2].try_into().unwrap())
    }
    fn u32_at(b: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(b[at..at + 4].try_into().unwrap())
    }

    pub fn sections(file: &[u8]) -> Vec<Section> {
        let pe = PeFile32::parse(file).unwrap();
        pe.section_table()
            .iter()
            .map(|s| {
                let (at, size) = (
                    s.pointer_to_raw_data.get(LE) as usize,
                    s.size_of_raw_data.get(LE) as usize,
                );
                Section {
                    name: String::from_utf8_lossy(s.raw_name()).into_owned(),
                    address: s.virtual_address.get(LE),
                    size: s.virtual_size.get(LE),
                    raw_at: at,
                    raw: file[at..at + size].to_vec(),
                }
            })
            .collect()
    }

    pub fn directory(file: &[u8], k: usize) -> (u32, u32) {
        let pe = PeFile32::parse(file).unwrap();
        pe.data_directory(k)
            .map_or((0, 0), |d| (d.virtual_address.get(LE), d.size.get(LE)))
    }

    /// SizeOfInitializedData, SizeOfImage, CheckSum.
    pub fn header(file: &[u8]) -> (u32, u32, u32) {
        let pe = PeFile32::parse(file).unwrap();
        let o = pe.nt_headers().optional_header();
        (
            o.size_of_initialized_data(),
            o.size_of_image(),
            o.check_sum(),
        )
    }

    fn id(n: ResourceNameOrId) -> u16 {
        n.id().unwrap_or(0)
    }

    pub fn texts(file: &[u8]) -> Texts {
        let pe = PeFile32::parse(file).unwrap();
        let table = pe.section_table();
        let resources = pe
            .data_directories()
            .resource_directory(file, &table)
            .unwrap()
            .expect("resources");
        let mut out = Texts::new();
        let mut put = |language, id, flags, bytes: Vec<u8>| {
            let nth = (1..)
                .find(|n| !out.contains_key(&(language, id, *n)))
                .unwrap();
            out.insert((language, id, nth), (flags, bytes));
        };
        for kind in resources.root().unwrap().entries {
            let kind_id = id(kind.name_or_id());
            let ResourceDirectoryEntryData::Table(names) = kind.data(resources).unwrap() else {
                panic!("data for a type")
            };
            for name in names.entries {
                let ResourceDirectoryEntryData::Table(languages) = name.data(resources).unwrap()
                else {
                    panic!("data for a name")
                };
                for language in languages.entries {
                    let ResourceDirectoryEntryData::Data(data) = language.data(resources).unwrap()
                    else {
                        panic!("a fourth level")
                    };
                    let bytes = &table.pe_data_at(file, data.offset_to_data.get(LE)).unwrap()
                        [..data.size.get(LE) as usize];
                    let tongue = id(language.name_or_id());
                    match kind_id {
                        11 => {
                            for b in 0..u32_at(bytes, 0) as usize {
                                let (low, high) =
                                    (u32_at(bytes, 4 + 12 * b), u32_at(bytes, 8 + 12 * b));
                                let mut at = u32_at(bytes, 12 + 12 * b) as usize;
                                for id in low..=high {
                                    let (length, flags) =
                                        (u16_at(bytes, at) as usize, u16_at(bytes, at + 2));
                                    let text = &bytes[at + 4..at + length];
                                    let end = match flags & 1 {
                                        0 => {
                                            text.iter().position(|b| *b == 0).unwrap_or(text.len())
                                        }
                                        _ => text
                                            .chunks_exact(2)
                                            .position(|u| u == [0, 0])
                                            .map_or(text.len() & !1, |n| n * 2),
                                    };
                                    put(tongue, id, flags, text[..end].to_vec());
                                    at += length;
                                }
                            }
                        }
                        6 => {
                            let low = (u32::from(id(name.name_or_id())) - 1) * 16;
                            let mut at = 0;
                            for id in (low..low + 16)
                                .take_while(|_| at < bytes.len())
                                .collect::<Vec<_>>()
                            {
                                if at >= bytes.len() {
                                    break;
                                }
                                let units = u16_at(bytes, at) as usize * 2;
                                if units > 0 {
                                    put(tongue, id, 0, bytes[at + 2..at + 2 + units].to_vec());
                                }
                                at += 2 + units;
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        out
    }

    /// All resources but texts, by their ids.
    pub fn opaque(file: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let pe = PeFile32::parse(file).unwrap();
        let table = pe.section_table();
        let resources = pe
            .data_directories()
            .resource_directory(file, &table)
            .unwrap()
            .expect("resources");
        let mut out = Vec::new();
        for kind in resources
            .root()
            .unwrap()
            .entries
            .iter()
            .filter(|k| !matches!(id(k.name_or_id()), 6 | 11))
        {
            for name in kind.data(resources).unwrap().table().unwrap().entries {
                for language in name.data(resources).unwrap().table().unwrap().entries {
                    let data = language.data(resources).unwrap().data().unwrap();
                    let bytes = table.pe_data_at(file, data.offset_to_data.get(LE)).unwrap();
                    out.push((
                        id(kind.name_or_id()),
                        bytes[..data.size.get(LE) as usize].to_vec(),
                    ));
                }
            }
        }
        out
    }

    /// Checks a DLL as a loader and a strict reader would.
    pub fn sound(file: &[u8]) {
        let pe = PeFile32::parse(file).unwrap();
        let o = pe.nt_headers().optional_header();
        let (page, align) = (o.section_alignment(), o.file_alignment());
        let up = |n: u32, to: u32| n.div_ceil(to) * to;
        let all = sections(file);
        for (a, b) in all.iter().zip(all.iter().skip(1)) {
            assert!(
                b.address >= up(a.address + a.size, page),
                "{} and {} overlap in memory",
                a.name,
                b.name
            );
            assert!(
                b.raw_at >= a.raw_at + a.raw.len(),
                "{} and {} overlap in the file",
                a.name,
                b.name
            );
        }
        for s in &all {
            assert_eq!(s.address % page, 0, "{} in memory", s.name);
            assert_eq!(s.raw_at as u32 % align, 0, "{} in the file", s.name);
        }
        let last = all.last().unwrap();
        assert_eq!(o.size_of_image(), up(last.address + last.size, page));
        let inside = |rva: u32| {
            all.iter()
                .any(|s| rva >= s.address && rva < s.address + s.size.max(s.raw.len() as u32))
        };
        for (k, d) in pe.data_directories().iter().enumerate() {
            let (at, size) = (d.virtual_address.get(LE), d.size.get(LE));
            assert!(
                at == 0 || k == 4 || (inside(at) && inside(at + size - 1)),
                "directory {k}"
            );
        }
        if let Some(mut blocks) = pe
            .data_directories()
            .relocation_blocks(file, &pe.section_table())
            .unwrap()
        {
            while let Some(block) = blocks.next().unwrap() {
                for r in block {
                    assert!(
                        inside(r.virtual_address),
                        "a relocation at {:#x}",
                        r.virtual_address
                    );
                }
            }
        }
        let pe = pelite::pe32::PeFile::from_bytes(file).unwrap();
        use pelite::pe32::Pe;
        pe.resources().unwrap().fsck().unwrap();
        let stored = pe.optional_header().CheckSum;
        assert!(
            stored == 0 || stored == 0x1234_5678 || stored == pe.headers().check_sum(),
            "checksum {stored:#x}"
        );
    }
}

fn tree(case: &Case) -> Folder {
    unpack(case, Hints::default(), Style::Json)
}

fn set(folder: &Folder, path: &str, doc: &Value) {
    folder.set(path, serde_json::to_vec_pretty(doc).unwrap());
}

/// The table documents of a tree.
fn tables(folder: &Folder) -> Vec<String> {
    document(folder, "refit.json")["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["file"].as_str().unwrap().to_owned())
        .collect()
}

/// The texts in the documents of a tree, as bytes.
fn texts_of(folder: &Folder) -> other::Texts {
    let manifest = document(folder, "refit.json");
    let mut out = other::Texts::new();
    for table in manifest["tables"].as_array().unwrap() {
        let texts = document(folder, table["file"].as_str().unwrap());
        let language: Language = serde_json::from_value(texts["language"].clone()).unwrap();
        let strings = table["kind"] == "string_table";
        let page = Page::new(texts["code_page"].as_u64().unwrap() as u16)
            .unwrap_or_else(|_| Page::new(1252).unwrap());
        for m in texts["messages"].as_array().unwrap() {
            let flags = m.get("flags").map_or(u16::from(m["wide"] == true), |f| {
                u16::from_str_radix(f.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
            });
            let eol = match m.get("eol").and_then(Value::as_str) {
                _ if strings => "",
                None => "\r\n",
                Some("lf") => "\n",
                _ => "",
            };
            let utf16 = |text: &str| {
                text.encode_utf16()
                    .flat_map(u16::to_le_bytes)
                    .collect::<Vec<u8>>()
            };
            let bytes = if let Some(units) = m.get("units") {
                let units = units
                    .as_array()
                    .unwrap()
                    .iter()
                    .flat_map(|u| (u.as_u64().unwrap() as u16).to_le_bytes());
                units.chain(utf16(eol)).collect()
            } else {
                let text = format!("{}{eol}", m["text"].as_str().unwrap());
                if strings || flags & 1 == 1 {
                    utf16(&text)
                } else {
                    page.encode(&text).unwrap()
                }
            };
            if strings && bytes.is_empty() {
                continue;
            }
            let id = m["id"].as_u64().unwrap() as u32;
            let key = |n| (language.0 as u16, id, n);
            let nth = (1..).find(|n| !out.contains_key(&key(*n))).unwrap();
            out.insert(key(nth), (flags, bytes));
        }
    }
    out
}

/// A rebuilt DLL must be valid, contain the texts of the tree, and keep everything else.
fn check(case: &Case, folder: &Folder, what: &str) -> Vec<u8> {
    let file = repack(folder);
    let context = format!("{} {what}", case.path);
    let result = std::panic::catch_unwind(|| {
        other::sound(&file);
        let (found, wanted) = (other::texts(&file), texts_of(folder));
        assert_eq!(
            found.keys().collect::<Vec<_>>(),
            wanted.keys().collect::<Vec<_>>(),
            "ids"
        );
        for (key, value) in &wanted {
            assert_eq!(found[key], *value, "text {key:?}");
        }
        assert_eq!(
            other::opaque(&file),
            other::opaque(&case.bytes),
            "other resources"
        );
        let (old, new) = (other::sections(&case.bytes), other::sections(&file));
        for s in old
            .iter()
            .filter(|s| !s.name.starts_with(".rs") && s.name != ".res")
        {
            let same = new
                .iter()
                .find(|n| n.name == s.name)
                .expect("the section is there");
            assert!(
                same.raw == s.raw && same.size == s.size,
                "section {}",
                s.name
            );
            assert!(
                same.address == s.address || s.name == ".reloc",
                "section {} moved",
                s.name
            );
        }
        let end =
            |all: &[other::Section]| all.iter().map(|s| s.raw_at + s.raw.len()).max().unwrap();
        assert_eq!(
            file[end(&new)..],
            case.bytes[end(&old)..],
            "bytes behind the sections"
        );
        let certificate = other::directory(&case.bytes, 4);
        if certificate.0 != 0 {
            let moved = other::directory(&file, 4);
            let at = |d: (u32, u32)| d.0 as usize..(d.0 + d.1) as usize;
            assert_eq!(file[at(moved)], case.bytes[at(certificate)], "certificate");
        }
        // The rule for checksums: zero stays zero, a correct one stays correct.
        assert_eq!(
            other::header(&file).2 == 0,
            other::header(&case.bytes).2 == 0,
            "checksum"
        );
    });
    if let Err(panic) = result {
        let why = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        panic!("{context}: {}", why.unwrap_or_default());
    }
    file
}

/// Golden files whose texts can be edited in the usual way.
fn editable() -> Vec<Case> {
    // In this one the resource directory's data are not a message table with texts.
    let odd = ["odd_rsrc_lead"];
    golden("messages")
        .into_iter()
        .filter(|c| !odd.iter().any(|o| c.path.contains(o)))
        .collect()
}

#[test]
fn trees_match_the_program_that_made_the_dlls() {
    let mut texts = 0;
    for case in golden("messages") {
        let truth = root().join(
            case.path
                .replace("messages/", "messages/truth/")
                .replace(".dll", ".json"),
        );
        let Ok(truth) = std::fs::read(truth) else {
            continue;
        };
        let truth: Value = serde_json::from_slice(&truth).unwrap();
        let folder = tree(&case);
        let found = texts_of(&folder);
        let hex = |s: &str| {
            (0..s.len() / 2)
                .map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).unwrap())
                .collect::<Vec<u8>>()
        };
        let wanted: Vec<(u32, Vec<u8>)> = truth["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| {
                (
                    e["id"].as_u64().unwrap() as u32,
                    hex(e["raw"].as_str().unwrap()),
                )
            })
            .filter(|(_, raw)| truth["kind"] == "message_table" || !raw.is_empty())
            .collect();
        let mut got: Vec<(u32, Vec<u8>)> = found
            .into_iter()
            .map(|((_, id, _), (_, bytes))| (id, bytes))
            .collect();
        let mut sorted = wanted.clone();
        sorted.sort();
        got.sort();
        assert_eq!(got, sorted, "{}", case.path);
        texts += got.len();
        // The document lists them in the DLL's order; the truth is sorted.
        let manifest = document(&folder, "refit.json");
        assert_eq!(
            manifest["tables"][0]["kind"], truth["kind"],
            "{}",
            case.path
        );
        let table = document(&folder, "messages.json");
        let order: Vec<u64> = table["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["id"].as_u64().unwrap())
            .collect();
        let sorted: Vec<u64> = sorted.iter().map(|(id, _)| u64::from(*id)).collect();
        match case.path.contains("descending") {
            true => assert_ne!(order, sorted, "{}", case.path),
            false => assert_eq!(order, sorted, "{}", case.path),
        }
        let language: Language = serde_json::from_value(table["language"].clone()).unwrap();
        assert_eq!(u64::from(language.0), truth["language"].as_u64().unwrap());
        if truth["kind"] == "message_table" {
            assert_eq!(table["code_page"], truth["code_page"], "{}", case.path);
        }
        // Keys: with their texts, or among those without one.
        let dll = Dll::read(&case.bytes).unwrap();
        let keys: Vec<(Vec<u8>, u32)> = dll
            .keys
            .iter()
            .map(|k| (case.bytes[k.name.clone()].to_vec(), k.id))
            .collect();
        let page = Page::new(1252).unwrap();
        let truth_keys: Vec<(Vec<u8>, u32)> = truth["keys"]
            .as_array()
            .unwrap()
            .iter()
            .map(|k| {
                (
                    page.encode(k["key"].as_str().unwrap()).unwrap(),
                    k["id"].as_u64().unwrap() as u32,
                )
            })
            .collect();
        assert_eq!(keys, truth_keys, "{}", case.path);
        let mut shown: Vec<String> = Vec::new();
        for m in table["messages"].as_array().unwrap() {
            shown.extend(m.get("key").iter().map(|k| k.as_str().unwrap().to_owned()));
            shown.extend(
                m.get("keys")
                    .iter()
                    .flat_map(|k| k.as_array().unwrap())
                    .map(|k| k.as_str().unwrap().to_owned()),
            );
        }
        shown.extend(
            table
                .get("keys_without_text")
                .iter()
                .flat_map(|k| k.as_array().unwrap())
                .map(|k| k["key"].as_str().unwrap().to_owned()),
        );
        let mut all: Vec<String> = truth_keys
            .iter()
            .map(|(k, _)| page.decode(k).unwrap().into_owned())
            .collect();
        shown.sort();
        all.sort();
        assert_eq!(shown, all, "{}", case.path);
    }
    assert!(texts > 1000, "{texts}");
}

#[test]
fn the_content_shows_the_game() {
    use refit::game::Game;
    for case in golden("messages") {
        let wanted = match case.path.rsplit('/').next().unwrap().get(..2).unwrap() {
            "rc" => Some(Game::Rc),
            "mw" => Some(Game::Mw),
            "pm" => Some(Game::Pm),
            // Resources alone: nothing in them shows the game.
            "re" => None,
            _ => Some(Game::Cs),
        };
        assert_eq!(
            pipeline::recognise(&case.bytes, "x.dll", Hints::default())
                .unwrap()
                .game,
            wanted,
            "{}",
            case.path
        );
    }
}

#[test]
fn both_readers_agree_on_every_golden_file() {
    for case in editable() {
        assert_eq!(
            other::texts(&case.bytes),
            texts_of(&tree(&case)),
            "{}",
            case.path
        );
    }
}

#[test]
fn edits_of_every_size_give_valid_images_and_reverting_gives_the_original() {
    let mut rebuilt = 0;
    for case in editable() {
        let folder = tree(&case);
        for path in tables(&folder) {
            let original = document(&folder, &path);
            let messages = original["messages"].as_array().unwrap();
            let Some(at) = messages
                .iter()
                .position(|m| m["text"].as_str().is_some_and(|t| t.len() > 4))
            else {
                continue;
            };
            let strings = document(&folder, "refit.json")["tables"][0]["kind"] == "string_table";
            let text = messages[at]["text"].as_str().unwrap().to_owned();
            let wide = strings || messages[at].get("wide").is_some();
            let swapped: String = text
                .chars()
                .map(|c| if c == 'e' { 'a' } else { c })
                .collect();
            let mut edits = vec![
                (
                    "same length",
                    format!("X{}", swapped.chars().skip(1).collect::<String>()),
                ),
                ("shorter", text.chars().take(2).collect()),
                ("empty", String::new()),
            ];
            // The longest text possible cannot grow.
            for n in [9, 700, 6_000, 30_000] {
                if text.len() < 30_000 {
                    edits.push((
                        "longer",
                        format!("{text}{}", "y".repeat(if wide { n / 2 } else { n })),
                    ));
                }
            }
            for (what, new) in edits {
                let mut edited = original.clone();
                edited["messages"][at]["text"] = json!(new);
                set(&folder, &path, &edited);
                check(&case, &folder, what);
                rebuilt += 1;
            }
            // 70,000 bytes: too long for one message.
            if messages.len() > 2 {
                let mut edited = original.clone();
                let texts = edited["messages"]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .filter(|m| m.get("text").is_some());
                for m in texts.take(3) {
                    m["text"] = json!("z".repeat(if wide { 12_000 } else { 24_000 }));
                }
                set(&folder, &path, &edited);
                check(&case, &folder, "70,000 bytes");
                rebuilt += 1;
            }
            set(&folder, &path, &original);
            assert_bytes(&repack(&folder), &case.bytes);
        }
    }
    assert!(rebuilt > 300, "{rebuilt}");
}

#[test]
fn ids_can_be_added_and_removed() {
    for case in editable() {
        let folder = tree(&case);
        let path = tables(&folder).remove(0);
        let original = document(&folder, &path);
        let ids: Vec<u64> = original["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["id"].as_u64().unwrap())
            .collect();
        if ids.is_empty() {
            continue;
        }
        let strings = document(&folder, "refit.json")["tables"][0]["kind"] == "string_table";
        // Every text except the first, the middle and the last, one at a time; then all together.
        for at in [0, ids.len() / 2, ids.len() - 1] {
            let mut edited = original.clone();
            edited["messages"].as_array_mut().unwrap().remove(at);
            if ids.iter().filter(|id| **id == ids[at]).count() > 1 {
                continue;
            }
            set(&folder, &path, &edited);
            check(&case, &folder, "without one");
        }
        let mut edited = original.clone();
        edited["messages"] = json!([]);
        set(&folder, &path, &edited);
        check(&case, &folder, "without all");
        // New ids: next to old ones, between, far above; the list need not be in order.
        let top = if strings {
            1_048_559
        } else {
            u64::from(u32::MAX)
        };
        let mut edited = original.clone();
        let mut new: Vec<u64> = vec![
            ids[0] + 1,
            ids[0] + 2,
            ids[ids.len() - 1] + 1,
            5,
            6,
            7,
            300_000,
            300_001,
            top,
        ];
        new.extend(ids[0].checked_sub(1).filter(|id| *id > 0));
        new.retain(|id| !ids.contains(id));
        new.sort();
        new.dedup();
        for id in new.iter().rev() {
            edited["messages"]
                .as_array_mut()
                .unwrap()
                .insert(0, json!({ "id": id, "text": format!("new {id}") }));
        }
        set(&folder, &path, &edited);
        check(&case, &folder, "with more");
        set(&folder, &path, &original);
        assert_bytes(&repack(&folder), &case.bytes);
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// `with(&mut expected)` turns the original bytes into the expected ones, by hand.
fn expect(case: &Case, folder: &Folder, with: impl FnOnce(&mut Vec<u8>)) {
    let mut expected = case.bytes.to_vec();
    with(&mut expected);
    assert_bytes(&check(case, folder, "by hand"), &expected);
}

fn put32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// `rc_one.dll`: e_lfanew 0xc8, section headers at 0x1c0 (`.rsrc` the fourth), `.rsrc` at 0xa00
/// (raw 0x200, virtual 0x94), table at 0xa60, its one entry at 0xa70.
const ONE: usize = 0xa70;
const RSRC_HEADER: usize = 0xc8 + 24 + 224 + 3 * 40;
const DIRECTORY_2: usize = 0xc8 + 120 + 16;

#[test]
fn a_message_of_the_same_length_changes_only_its_bytes() {
    let case = golden_file("messages", "rc_one.dll");
    let folder = tree(&case);
    let text = document(&folder, "messages.json")["messages"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(text, "Objective %1 of %2 complete");
    edit(
        &folder,
        "messages.json",
        "Objective %1 of",
        "objective %1 OF",
    );
    expect(&case, &folder, |file| {
        file[ONE + 4] = b'o';
        file[ONE + 4 + 13..ONE + 4 + 15].copy_from_slice(b"OF");
    });
}

#[test]
fn a_shorter_message_frees_bytes_in_place() {
    let case = golden_file("messages", "rc_one.dll");
    let folder = tree(&case);
    edit(
        &folder,
        "messages.json",
        "Objective %1 of %2 complete",
        "%1 of %2 done",
    );
    expect(&case, &folder, |file| {
        let entry = b"\x14\0\0\0%1 of %2 done\r\n\0";
        let old = usize::from(file[ONE]);
        file[ONE..ONE + old].fill(0);
        file[ONE..ONE + entry.len()].copy_from_slice(entry);
        let less = (old - 0x14) as u32;
        let size = u32_at(file, 0xa00 + 72 + 4) - less;
        put32(file, 0xa00 + 72 + 4, size);
        let size = u32_at(file, DIRECTORY_2 + 4) - less;
        put32(file, DIRECTORY_2 + 4, size);
        put32(file, RSRC_HEADER + 8, size);
    });
}

#[test]
fn a_longer_message_grows_the_section_in_the_file() {
    let case = golden_file("messages", "rc_one.dll");
    let folder = tree(&case);
    let text = "y".repeat(700);
    edit(
        &folder,
        "messages.json",
        "Objective %1 of %2 complete",
        &text,
    );
    expect(&case, &folder, |file| {
        let mut entry = vec![0xc4, 0x02, 0, 0];
        entry.extend(text.as_bytes());
        entry.extend(b"\r\n\0\0");
        assert_eq!(entry.len(), 0x2c4);
        let old = u32::from(file[ONE]);
        let end = ONE + entry.len();
        // The table begins at 0xa60, so the content ends 0x70 + 0x2c4 bytes into the section; 0x200
        // more raw bytes.
        file.splice(ONE..0xc00, entry);
        assert_eq!(end - 0xa00, 0x334);
        file.splice(end..end, std::iter::repeat_n(0, 0xe00 - end));
        let size = u32_at(file, 0xa00 + 72 + 4) - old + 0x2c4;
        put32(file, 0xa00 + 72 + 4, size);
        put32(file, DIRECTORY_2 + 4, 0x334);
        put32(file, RSRC_HEADER + 8, 0x334);
        put32(file, RSRC_HEADER + 16, 0x400);
        put32(file, RSRC_HEADER + 40 + 20, 0xe00);
        let data = u32_at(file, 0xc8 + 32);
        put32(file, 0xc8 + 32, data + 0x200);
    });
}

#[test]
fn a_much_longer_message_moves_the_relocations_in_memory() {
    let case = golden_file("messages", "rc_one.dll");
    let folder = tree(&case);
    let text = "y".repeat(6000);
    edit(
        &folder,
        "messages.json",
        "Objective %1 of %2 complete",
        &text,
    );
    expect(&case, &folder, |file| {
        // 4 + 6000 + 2 and two zeros.
        let mut entry = 6008u16.to_le_bytes().to_vec();
        entry.extend([0, 0]);
        entry.extend(text.as_bytes());
        entry.extend(b"\r\n\0\0");
        assert_eq!(entry.len(), 6008);
        let old = u32::from(file[ONE]);
        let used = 0x70 + 6008;
        file.splice(ONE..0xc00, entry);
        file.splice(
            0xa00 + used..0xa00 + used,
            std::iter::repeat_n(0, 0x1800 - used),
        );
        let size = u32_at(file, 0xa00 + 72 + 4) - old + 6008;
        put32(file, 0xa00 + 72 + 4, size);
        put32(file, DIRECTORY_2 + 4, used as u32);
        put32(file, RSRC_HEADER + 8, used as u32);
        put32(file, RSRC_HEADER + 16, 0x1800);
        // .reloc: 0x6000 → 0x7000 in memory, 0xc00 → 0x2200 in the file.
        put32(file, RSRC_HEADER + 40 + 12, 0x7000);
        put32(file, RSRC_HEADER + 40 + 20, 0x2200);
        put32(file, DIRECTORY_2 + 3 * 8, 0x7000);
        let data = u32_at(file, 0xc8 + 32);
        put32(file, 0xc8 + 32, data + 0x1600);
        let image = u32_at(file, 0xc8 + 80);
        put32(file, 0xc8 + 80, image + 0x1000);
    });
}

#[test]
fn a_string_changes_its_block_and_moves_the_next_ones() {
    let case = golden_file("messages", "cs_basic.dll");
    let before = other::texts(&case.bytes);
    let folder = tree(&case);
    let table = document(&folder, "messages.json");
    let first = table["messages"][0].clone();
    let (id, text) = (
        first["id"].as_u64().unwrap() as u32,
        first["text"].as_str().unwrap().to_owned(),
    );
    for new in [
        text.replace(' ', "_"),
        text.chars().take(3).collect(),
        format!("{text}, ja"),
        "ü".repeat(9000),
    ] {
        let mut edited = table.clone();
        edited["messages"][0]["text"] = json!(new);
        set(&folder, "messages.json", &edited);
        let file = check(&case, &folder, &new);
        let mut wanted = before.clone();
        wanted.insert(
            (1033, id, 1),
            (0, new.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        );
        assert_eq!(other::texts(&file), wanted);
        // Version and type 255 keep their bytes and their place modulo 8.
        let blocks = |bytes: &[u8]| {
            let dll = Dll::read(bytes).unwrap();
            dll.resources
                .leaves
                .iter()
                .map(|l| l.entry.address % 8)
                .collect::<Vec<u32>>()
        };
        assert_eq!(blocks(&file), blocks(&case.bytes));
    }
    // The first block of four strings, each a character longer: 8 bytes more, by hand.
    let mut edited = table.clone();
    edited["messages"][0]["text"] = json!(format!("{text}ABCD"));
    set(&folder, "messages.json", &edited);
    let file = repack(&folder);
    let dll = Dll::read(&case.bytes).unwrap();
    let leaf = &dll.resources.leaves[0];
    assert_eq!(
        (leaf.kind(), leaf.data.start % 8),
        (Some(6), (leaf.data.start + 8) % 8)
    );
    let mut expected = case.bytes.to_vec();
    let entry = dll.tables[0].entries[0].at.clone();
    let count = entry.start - 2;
    let units = u16::from_le_bytes([expected[count], expected[count + 1]]) + 4;
    expected[count..count + 2].copy_from_slice(&units.to_le_bytes());
    expected.splice(entry.end..entry.end, b"A\0B\0C\0D\0".iter().copied());
    // All later data move by 8, the padding at the section's end is 8 shorter.
    let section = dll.image.sections[dll.resources.section].raw();
    expected.drain(section.end..section.end + 8);
    put32(&mut expected, leaf.entry_at + 4, leaf.entry.size + 8);
    for later in dll
        .resources
        .leaves
        .iter()
        .filter(|l| l.data.start > leaf.data.start)
    {
        put32(&mut expected, later.entry_at, later.entry.address + 8);
    }
    let size = other::directory(&case.bytes, 2).1 + 8;
    put32(&mut expected, dll.image.directory_at(2) + 4, size);
    put32(
        &mut expected,
        dll.image.section_at(dll.resources.section) + 8,
        size,
    );
    assert_bytes(&file, &expected);
}

#[test]
fn characters_outside_the_code_page_are_named() {
    let case = golden_file("messages", "rc_one.dll");
    let folder = tree(&case);
    edit(&folder, "messages.json", "Objective %1 of", "Задание %1 из");
    let error = repack_error(&folder);
    assert_eq!(
        error,
        "messages.json:5:16: messages[0].message 1 (MSG_QUIT_GAME_VID): the character 'З' (U+0417) is not in code page \
        1252 (`\"wide\": true` stores the message as UTF-16)"
    );
    // With a code page that has the character, the same edit is valid; the language determines what
    // the next unpack shows.
    edit(
        &folder,
        "messages.json",
        "\"code_page\": 1252",
        "\"code_page\": 1251",
    );
    let file = repack(&folder);
    assert_eq!(
        other::texts(&file)[&(1033, 1, 1)].1,
        b"\xc7\xe0\xe4\xe0\xed\xe8\xe5 %1 \xe8\xe7 %2 complete\r\n"
    );
    edit(&folder, "messages.json", "\"en-US\"", "\"ru-RU\"");
    let file = check(&case, &folder, "in Russian");
    let again = Case {
        path: case.path.clone(),
        folder: case.folder.clone(),
        bytes: file.into(),
    };
    let again = document(&tree(&again), "messages.json");
    assert_eq!(
        (again["language"].as_str(), again["code_page"].as_u64()),
        (Some("ru-RU"), Some(1251))
    );
    assert_eq!(again["messages"][0]["text"], "Задание %1 из %2 complete");
    // Or the message is stored as UTF-16.
    let folder = tree(&case);
    edit(
        &folder,
        "messages.json",
        "\"text\": \"Objective",
        "\"wide\": true, \"text\": \"Ж Objective",
    );
    let file = check(&case, &folder, "wide");
    assert_eq!(other::texts(&file)[&(1033, 1, 1)].0, 1);

    let case = golden_file("messages", "cs_basic.dll");
    let folder = tree(&case);
    let mut table = document(&folder, "messages.json");
    let called = format!(
        "string {} ({})",
        table["messages"][1]["id"],
        table["messages"][1]["key"].as_str().unwrap()
    );
    table["messages"][1]["text"] = json!("€ and ж");
    set(&folder, "messages.json", &table);
    assert_eq!(
        repack_error(&folder),
        format!(
            "messages.json:11:5: messages[1].{called}: the character 'ж' (U+0436) is not in code page 1252 \
             (the game shows strings in that code page; `\"code_page\": 1200` lifts the check)"
        )
    );
    table["code_page"] = json!(1200);
    set(&folder, "messages.json", &table);
    check(&case, &folder, "any character");
}

#[test]
fn another_code_page_alone_changes_nothing() {
    let case = golden_file("messages", "pm_all_bytes.dll");
    let folder = tree(&case);
    edit(
        &folder,
        "messages.json",
        "\"code_page\": 1252",
        "\"code_page\": 1251",
    );
    assert_bytes(&repack(&folder), &case.bytes);
}

#[test]
fn wrong_edits_are_refused_with_their_place() {
    let case = golden_file("messages", "rc_one.dll");
    let errors = |from: &str, to: &str| {
        let folder = tree(&case);
        edit(&folder, "messages.json", from, to);
        repack_error(&folder)
    };
    let text = "\"Objective %1 of %2 complete\"";
    for (from, to, wanted) in [
        (
            "MSG_QUIT_GAME_VID",
            "MSG_OTHER",
            "messages.json:5:16: messages[0]: the DLL has no key MSG_OTHER for id 1; keys cannot be added or changed",
        ),
        (
            text,
            &format!("\"{}\"", "x".repeat(65_526)),
            "has 65528 bytes with its line end (at most 65527 are possible)",
        ),
        (
            text,
            "\"a\\u0000b\"",
            "a zero character would end the message",
        ),
        (
            "\"text\"",
            "\"bytes\": \"41\", \"text\"",
            "one of `text`, `units` and `bytes` is expected",
        ),
        (
            text,
            "\"a\" }, { \"id\": 1, \"text\": \"b\"",
            "messages[1].message 1: there is another message with this id",
        ),
        (
            text,
            "\"a\" }, { \"id\": 9, \"text\": \"b\" }, { \"id\": 9, \"text\": \"c\"",
            "messages[2].message 9: there is another message",
        ),
        (
            text,
            "\"a\", \"occurrence\": 2",
            "the DLL has no text number 2 with this id",
        ),
        (
            "1252",
            "65000",
            "code page 65000 is not one that refit knows",
        ),
        (
            "\"text\"",
            "\"txet\"",
            "there is no field \"txet\": did you mean \"text\"?",
        ),
        ("\"en-US\"", "\"xx-XX\"", "a language as"),
    ] {
        let error = errors(from, to);
        assert!(error.contains(wanted), "{error}\nwanted {wanted}");
        assert!(error.starts_with("messages.json"), "{error}");
    }
    // The longest text that fits.
    let folder = tree(&case);
    edit(
        &folder,
        "messages.json",
        text,
        &format!("\"{}\"", "x".repeat(65_525)),
    );
    check(&case, &folder, "the longest");
    // Another base is refused unless requested.
    let folder = tree(&case);
    let mut base = case.bytes.to_vec();
    base[ONE + 4] = b'0';
    folder.set("base.dll", base.clone());
    assert!(repack_error(&folder).contains("this is not the DLL that was unpacked"));
    change(&folder, "refit.json", |t| {
        _ = t["base"].as_object_mut().unwrap().remove("sha256")
    });
    let file = repack(&folder);
    assert_bytes(&file, &case.bytes);
    // Images that cannot take more: no room for a header of a new section.
    let case = golden_file("messages", "pm_section_after_rsrc.dll");
    let folder = tree(&case);
    change(&folder, "messages.json", |t| {
        t["messages"][0]["text"] = json!("x".repeat(9000))
    });
    let mut base = case.bytes.to_vec();
    let dll = Dll::read(&base).unwrap();
    base[dll.image.section_at(dll.image.sections.len())] = 1;
    folder.set("base.dll", base);
    change(&folder, "refit.json", |t| {
        _ = t["base"].as_object_mut().unwrap().remove("sha256")
    });
    assert!(repack_error(&folder).contains("the headers have no room for a new one"));
}

#[test]
fn a_section_after_the_resources_requires_a_new_section() {
    let case = golden_file("messages", "pm_section_after_rsrc.dll");
    let folder = tree(&case);
    change(&folder, "messages.json", |t| {
        t["messages"][0]["text"] = json!("x".repeat(9000))
    });
    let file = check(&case, &folder, "new section");
    let names: Vec<String> = other::sections(&file)
        .iter()
        .map(|s| s.name.clone())
        .collect();
    assert_eq!(names.iter().filter(|n| *n == ".rsrc").count(), 1);
    assert_eq!(
        (names.last().unwrap().as_str(), names[3].as_str()),
        (".rsrc", ".rsrcold")
    );
    assert_eq!(
        other::directory(&file, 2).0,
        other::sections(&file).last().unwrap().address
    );
    // The rebuilt file is a DLL like any other: it unpacks, and takes edits.
    let again = Case {
        path: case.path.clone(),
        folder: case.folder.clone(),
        bytes: file.into(),
    };
    exact(&again, Hints::default());
    let folder = tree(&again);
    change(&folder, "messages.json", |t| {
        t["messages"][1]["text"] = json!("y".repeat(30_000))
    });
    check(&again, &folder, "once more");
}

#[test]
fn checksums_follow_their_policy() {
    let case = golden_file("messages", "pm_checksum_right.dll");
    let folder = tree(&case);
    let mut table = document(&folder, "messages.json");
    table["messages"][0]["text"] = json!("other");
    set(&folder, "messages.json", &table);
    let file = check(&case, &folder, "right");
    assert_ne!(other::header(&file).2, other::header(&case.bytes).2);
    // A wrong one stays.
    let mut wrong = case.bytes.to_vec();
    let at = Dll::read(&wrong).unwrap().image.checksum_at();
    put32(&mut wrong, at, 0x1234_5678);
    let wrong = Case {
        bytes: wrong.into(),
        path: case.path.clone(),
        folder: case.folder.clone(),
    };
    let folder = tree(&wrong);
    set(&folder, "messages.json", &table);
    assert_eq!(
        other::header(&check(&wrong, &folder, "wrong")).2,
        0x1234_5678
    );
    assert!(codes(&wrong).contains(&"dll-checksum"));
}

#[test]
fn debug_entries_symbols_and_certificates_move_along() {
    // The reference's step 10: made by hand from a golden file. A debug directory in .rdata points
    // to data in the overlay.
    let case = golden_file("messages", "rc_overlay.dll");
    let dll = Dll::read(&case.bytes).unwrap();
    let mut file = case.bytes.to_vec();
    let rdata = dll
        .image
        .sections
        .iter()
        .find(|s| s.name() == ".rdata")
        .unwrap();
    let slot = rdata.raw().end - 28;
    assert!(file[slot..slot + 28].iter().all(|b| *b == 0));
    let overlay = dll.image.sections_end() as u32;
    put32(&mut file, slot + 12, 2);
    put32(&mut file, slot + 16, 4);
    put32(&mut file, slot + 24, overlay);
    put32(
        &mut file,
        dll.image.directory_at(6),
        rdata.address + (slot - rdata.raw().start) as u32,
    );
    put32(&mut file, dll.image.directory_at(6) + 4, 28);
    put32(&mut file, dll.image.file_header_at() + 8, overlay + 4);
    let case = Case {
        bytes: file.into(),
        path: case.path,
        folder: case.folder,
    };
    let folder = tree(&case);
    change(&folder, "messages.json", |t| {
        t["messages"][0]["text"] = json!("x".repeat(5000))
    });
    let file = repack(&folder);
    let moved = Dll::read(&file).unwrap().image.sections_end() as u32;
    assert!(moved > overlay);
    assert_eq!(u32_at(&file, slot + 24), moved);
    assert_eq!(u32_at(&file, dll.image.file_header_at() + 8), moved + 4);
    assert_eq!(file[moved as usize..], case.bytes[overlay as usize..]);
}

#[test]
fn an_unusual_order_in_the_section_uses_the_fallback() {
    // 9.2: the export directory is made to point into .rsrc, so nothing there may move.
    let case = golden_file("messages", "cs_basic.dll");
    let mut file = case.bytes.to_vec();
    let dll = Dll::read(&file).unwrap();
    let section = dll.image.sections[dll.resources.section];
    put32(
        &mut file,
        dll.image.directory_at(7),
        section.address + section.virtual_size - 8,
    );
    put32(&mut file, dll.image.directory_at(7) + 4, 8);
    let case = Case {
        bytes: file.into(),
        path: case.path,
        folder: case.folder,
    };
    let folder = tree(&case);
    change(&folder, "messages.json", |t| {
        t["messages"][0]["text"] = json!("a longer text than it was")
    });
    let file = check(&case, &folder, "fallback");
    let (old, new) = (section.raw().start, Dll::read(&file).unwrap());
    let end = old + section.virtual_size as usize;
    let entry = new.resources.leaves[0].entry_at;
    let mut expected = case.bytes[old..end].to_vec();
    expected[entry - old..entry - old + 8].copy_from_slice(&file[entry..entry + 8]);
    assert_eq!(
        file[old..end],
        expected,
        "nothing but the data entry changed"
    );
    assert!(new.resources.leaves[0].data.start >= end);
}

#[test]
fn wide_gaps_garbage_and_flags_survive_edits_of_other_messages() {
    let case = golden_file("messages", "rc_odd_garbage_after_nul.dll");
    let before = Dll::read(&case.bytes).unwrap();
    let folder = tree(&case);
    let mut table = document(&folder, "messages.json");
    let garbage = before.tables[0]
        .entries
        .iter()
        .position(|e| e.at.len() % 4 != 0)
        .unwrap();
    let other = usize::from(garbage == 0);
    table["messages"][other]["text"] = json!("edited");
    set(&folder, "messages.json", &table);
    let file = check(&case, &folder, "beside garbage");
    let after = Dll::read(&file).unwrap();
    let bytes = |file: &[u8], dll: &Dll| file[dll.tables[0].entries[garbage].at.clone()].to_vec();
    assert_eq!(bytes(&file, &after), bytes(&case.bytes, &before));
}

/// Codes of the findings about a file.
fn codes(case: &Case) -> Vec<&'static str> {
    let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
    let mut codes: Vec<&str> = pipeline::lint(&*opened.model)
        .unwrap()
        .into_iter()
        .map(|f| f.code)
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn packing_an_edit_reports_possible_problems() {
    let notes = |folder: &Folder| File::from_tree(folder).unwrap().notes().to_vec();
    let folder = tree(&golden_file("messages", "rc_one.dll"));
    assert!(notes(&folder).is_empty());
    edit(&folder, "messages.json", "Objective %1 of", "Objective of");
    let [finding] = &judged(&folder)[..] else {
        panic!("{:?}", judged(&folder))
    };
    let text = "message 1 (MSG_QUIT_GAME_VID): the original has %1 %2, this text has %2";
    assert_eq!(
        finding,
        &format!("text-inserts: messages.json.messages[0] {text}")
    );
    let folder = tree(&golden_file("messages", "rc_certificate.dll"));
    assert!(notes(&folder).is_empty());
    change(&folder, "messages.json", |t| {
        t["messages"][0]["text"] = json!("other")
    });
    assert!(
        notes(&folder)
            .last()
            .is_some_and(|n| n.contains("invalidate its signature"))
    );
}

/// Findings about a tree, as `CODE: message`.
fn judged(folder: &Folder) -> Vec<String> {
    File::from_tree(folder)
        .unwrap()
        .lint()
        .unwrap()
        .into_iter()
        .map(|f| format!("{}: {} {}", f.code, f.path, f.message))
        .collect()
}

#[test]
fn lints_of_edits_compare_with_the_original() {
    let case = golden_file("messages", "rc_one.dll");
    let text = "Objective %1 of %2 complete";
    for (new, wanted) in [
        ("%2 von %1 Zielen erreicht", None),
        (
            "Ziel %1 erreicht",
            Some(
                "text-inserts: messages.json.messages[0] message 1 (MSG_QUIT_GAME_VID): the original has %1 %2, this \
                text has %1",
            ),
        ),
        (
            "Ziel %1!d! von %2",
            Some(
                "text-inserts: messages.json.messages[0] message 1 (MSG_QUIT_GAME_VID): the original has %1 %2, this \
                text has %1!d! %2",
            ),
        ),
    ] {
        let folder = tree(&case);
        edit(&folder, "messages.json", text, new);
        let found = judged(&folder);
        assert_eq!(
            found,
            wanted.map(str::to_owned).into_iter().collect::<Vec<_>>()
        );
    }
    let folder = tree(&case);
    edit(
        &folder,
        "messages.json",
        &format!("\"{text}\""),
        &format!("\"{text}\", \"eol\": \"none\""),
    );
    assert!(
        judged(&folder)
            .iter()
            .any(|f| f.starts_with("text-line-end"))
    );
    let folder = tree(&case);
    edit(
        &folder,
        "messages.json",
        text,
        &format!("{text}{}", "!".repeat(230)),
    );
    assert!(
        judged(&folder)
            .iter()
            .any(|f| f.starts_with("text-too-long"))
    );
}

#[test]
fn members_can_be_added_and_removed_one_by_one() {
    for name in [
        "rc_basic_en.dll",
        "cs_basic.dll",
        "pm_odd_two_languages.dll",
        "pm_odd_unicode.dll",
    ] {
        let case = golden_file("messages", name);
        let open = || {
            pipeline::open(&case.bytes, &case.path, Hints::default())
                .unwrap()
                .model
        };
        let mut file = open();
        let model = file.model_mut();
        let members = model.members();
        assert_eq!(members.len(), texts_of(&tree(&case)).len());
        for index in 0..members.len() {
            for form in [
                Form::Document(Style::Json),
                Form::Document(Style::Ron),
                Form::Stored,
            ] {
                let got = model.get(index, form).unwrap();
                model.put(index, &got, form).unwrap();
            }
        }
        assert_bytes(&model.write().unwrap(), &case.bytes);
        let json =
            String::from_utf8(model.get(0, Form::Document(Style::Json)).unwrap().to_vec()).unwrap();
        let mut message: Value = serde_json::from_str(&json).unwrap();
        message["text"] = json!("another");
        model
            .put(
                0,
                message.to_string().as_bytes(),
                Form::Document(Style::Json),
            )
            .unwrap();
        let file = model.write().unwrap();
        let changed: Vec<_> = other::texts(&file)
            .into_iter()
            .filter(|(k, v)| other::texts(&case.bytes)[k] != *v)
            .collect();
        assert_eq!(changed.len(), 1, "{name}");
        assert!(
            model
                .put(
                    1,
                    message.to_string().as_bytes(),
                    Form::Document(Style::Json)
                )
                .is_err(),
            "another id"
        );
        assert!(model.put(0, b"{", Form::Document(Style::Json)).is_err());
        assert!(model.get(members.len(), Form::Stored).is_err());
        // By id, too, if that is not the name.
        let alias = model.alias(&message["id"].to_string());
        assert_eq!(
            alias,
            if name.contains("two_languages") {
                None
            } else {
                Some(0)
            },
            "{name}"
        );
        assert_eq!(model.alias("4000000000"), None);
    }
}

#[test]
fn translations_are_imported_from_po() {
    let case = golden_file("messages", "rc_basic_en.dll");
    let model = pipeline::open(&case.bytes, &case.path, Hints::default())
        .unwrap()
        .model;
    let out = Folder::new();
    model.model().export(&out).unwrap();
    let po = out.text("messages.po");
    assert!(out.text("messages.csv").starts_with("id,key,text\r\n1,"));
    // Untranslated: the same DLL.
    let folder = tree(&case);
    folder.set("messages.po", po.clone().into_bytes());
    assert_bytes(&repack(&folder), &case.bytes);
    // Translated: every text, with the line ends turned back.
    let table = document(&folder, "messages.json");
    let mut wanted = BTreeMap::new();
    let mut translated = String::new();
    for block in po.split("\n\n") {
        let id = block
            .lines()
            .find_map(|l| l.strip_prefix("msgctxt \""))
            .and_then(|l| l.split([' ', '"']).next()?.parse::<u64>().ok());
        match id {
            Some(id) => {
                wanted.insert(id, format!("Text {id}\r\nzweite Zeile"));
                translated.push_str(&block.replace(
                    "msgstr \"\"",
                    &format!("msgstr \"\"\n\"Text {id}\\n\"\n\"zweite Zeile\""),
                ));
            }
            None => translated.push_str(block),
        }
        translated.push_str("\n\n");
    }
    folder.set("messages.po", translated.clone().into_bytes());
    let file = repack(&folder);
    let again = Case {
        bytes: file.into(),
        path: case.path.clone(),
        folder: case.folder.clone(),
    };
    let found = document(&tree(&again), "messages.json");
    for (old, new) in table["messages"]
        .as_array()
        .unwrap()
        .iter()
        .zip(found["messages"].as_array().unwrap())
    {
        let id = old["id"].as_u64().unwrap();
        let expected = wanted
            .get(&id)
            .map_or_else(|| old["text"].clone(), |t| json!(t));
        // Some texts of the original have a lone CR or LF; theirs are not turned round.
        let plain = |t: &Value| t.as_str().unwrap().replace("\r\n", "\n");
        assert_eq!(plain(&new["text"]), plain(&expected), "{id}");
    }
    // A source text that is not the tree's is refused.
    folder.set(
        "messages.po",
        translated
            .replacen("msgid \"N", "msgid \"X", 1)
            .into_bytes(),
    );
    assert!(
        repack_error(&folder).starts_with("messages.po:"),
        "{}",
        repack_error(&folder)
    );
}

#[test]
fn every_cut_and_flips_in_every_byte_are_an_error_or_exact_and_take_edits_or_say_why_not() {
    for name in ["rc_one.dll"] {
        let case = golden_file("messages", name);
        // All cuts and one corruption of each byte; through text in many places.
        total(&case, Hints::default(), Via::Bytes, usize::MAX);
        total(&case, Hints::default(), Via::Json, 400);
        let (mut edited, mut refused) = (0, 0);
        for at in 0..case.bytes.len() {
            for bit in [at % 8, (at + 5) % 8] {
                let mut bytes = case.bytes.to_vec();
                bytes[at] ^= 1 << bit;
                let bytes = bytes::Bytes::from(bytes);
                survives(&bytes, &case.path, Hints::default(), Via::Bytes);
                let Ok(mut opened) = pipeline::open(&bytes, &case.path, Hints::default()) else {
                    continue;
                };
                pipeline::lint(&*opened.model).unwrap();
                let text = "x".repeat(if bit % 2 == 0 { 4 } else { 3000 });
                match opened
                    .model
                    .model_mut()
                    .put(0, text.as_bytes(), Form::Stored)
                    .and_then(|()| opened.model.write())
                {
                    Ok(file) => {
                        edited += 1;
                        let dll = Dll::read(&file)
                            .unwrap_or_else(|e| panic!("{name} {at:#x}.{bit}: {e}"));
                        assert!(!dll.tables.is_empty());
                    }
                    Err(e) => {
                        refused += 1;
                        assert!(!e.to_string().contains("bug"), "{name} {at:#x}.{bit}: {e}");
                    }
                }
            }
        }
        assert!(
            edited > 20 * refused,
            "{name}: {edited} edited, {refused} refused"
        );
    }
}

#[test]
fn a_new_first_block_may_bring_its_language_to_the_front() {
    let case = golden_file("messages", "cs_odd_mixed_languages.dll");
    let folder = tree(&case);
    for path in tables(&folder) {
        let mut table = document(&folder, &path);
        // Id 17 belongs to block 2, and every block of this file has a higher number.
        assert!(
            table["messages"]
                .as_array()
                .unwrap()
                .iter()
                .all(|m| m["id"].as_u64().unwrap() >= 32)
        );
        table["messages"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "id": 17, "text": "first" }));
        let folder = tree(&case);
        set(&folder, &path, &table);
        check(&case, &folder, &path);
    }
}

#[test]
fn random_edits_give_valid_images() {
    // The random texts are in code page 1252, in which Russian ones cannot be read.
    let cases: Vec<Case> = editable()
        .into_iter()
        .filter(|c| !c.path.contains("_ru"))
        .collect();
    arbtest::arbtest(|u| {
        let case = u.choose(&cases)?;
        let folder = tree(case);
        let path = u.choose(&tables(&folder))?.clone();
        let mut table = document(&folder, &path);
        let manifest = document(&folder, "refit.json");
        let kind = manifest["tables"]
            .as_array()
            .unwrap()
            .iter()
            .find(|t| t["file"] == path.as_str())
            .unwrap()["kind"]
            .clone();
        let messages = table["messages"].as_array_mut().unwrap();
        let mut seen: Vec<u64> = messages.iter().map(|m| m["id"].as_u64().unwrap()).collect();
        for _ in 0..u.int_in_range(1..=8)? {
            let n = *u.choose(&[0usize, 1, 2, 3, 5, 8, 13, 100, 1000, 5000])?;
            let text: String = (0..n)
                .map(|i| ['a', 'ü', '€', ' ', '%'][(i * 7 + n) % 5])
                .collect();
            let at = if messages.is_empty() {
                0
            } else {
                u.choose_index(messages.len())?
            };
            match u.int_in_range(0..=3)? {
                0 | 1 if !messages.is_empty() && messages[at].get("text").is_some() => {
                    messages[at]["text"] = json!(text)
                }
                // The first of two texts with one id is not deleted: the second would take its
                // number.
                2 if !messages.is_empty()
                    && seen
                        .iter()
                        .filter(|id| **id == messages[at]["id"].as_u64().unwrap())
                        .count()
                        == 1 =>
                {
                    messages.remove(at);
                }
                _ => {
                    let top = if kind == "string_table" {
                        5_000
                    } else {
                        1_000_000
                    };
                    let id = match seen.is_empty() {
                        false if u.arbitrary()? => *u.choose(&seen)? + u.int_in_range(0..=3)?,
                        _ => u.int_in_range(1..=top)?,
                    };
                    // The highest string id that a resource number can give; more is refused, which
                    // is tested elsewhere.
                    let highest = if kind == "string_table" {
                        1_048_559
                    } else {
                        u64::MAX
                    };
                    if !seen.contains(&id) && id <= highest {
                        seen.push(id);
                        messages.insert(at, json!({ "id": id, "text": text }));
                    }
                }
            }
        }
        // Pages that lack a character refuse it; that is tested elsewhere.
        table["code_page"] = json!(if kind == "string_table" { 1200 } else { 1252 });
        set(&folder, &path, &table);
        check(case, &folder, "at random");
        Ok(())
    })
    .budget_ms(4_000);
}

#[test]
fn twenty_thousand_messages_are_one_dll() {
    let case = golden_file("messages", "rc_one.dll");
    let folder = tree(&case);
    let mut table = document(&folder, "messages.json");
    let messages = table["messages"].as_array_mut().unwrap();
    messages.extend(
        (2..20_001u32)
            .map(|id| json!({ "id": id * 3, "text": format!("Objective {id}: reach %1 within %2!d! seconds") })),
    );
    set(&folder, "messages.json", &table);
    let file = check(&case, &folder, "20,000 messages");
    assert!(file.len() > 1_000_000);
    let big = Case {
        path: case.path.clone(),
        folder: case.folder.clone(),
        bytes: file.into(),
    };
    exact(&big, Hints::default());
    // One text among them, and 20,000 deleted again.
    let folder = tree(&big);
    let mut table = document(&folder, "messages.json");
    table["messages"][12_345]["text"] = json!("short");
    set(&folder, "messages.json", &table);
    check(&big, &folder, "one of 20,000");
    table["messages"].as_array_mut().unwrap().truncate(1);
    set(&folder, "messages.json", &table);
    check(&big, &folder, "one left");
}
