//! Lints of an archive (FORMAT.md).

use super::{
    CPRS, Content, Entry, Label, Pbo, Trailer, VERS,
    addon::{self, AddonConfig},
    codes::{
        PBO_BEHIND_CHECK, PBO_CHECK_VALUE, PBO_CONTENT, PBO_CUT_POINTER, PBO_DUPLICATE_NAME,
        PBO_EMPTY_COMPONENT, PBO_END_NUMBERS, PBO_EQUAL_SIZES, PBO_FILE_AND_FOLDER,
        PBO_FIRST_NAMELESS, PBO_FOLDED_NAME, PBO_HASH, PBO_KEY, PBO_LARGE, PBO_NAME_BYTES,
        PBO_NAMED_VERS, PBO_OBFUSCATED, PBO_OPAQUE, PBO_ORIGINAL_SIZE, PBO_PACKED,
        PBO_PREFIX_PLACE, PBO_PREFIX_SEPARATORS, PBO_PROPERTY_REPEATED, PBO_RESERVED, PBO_SLASH,
        PBO_SPARE_BITS, PBO_START_NUMBERS, PBO_TEX_HEADERS, PBO_TRAILER, PBO_UNDEFINED_POINTER,
        PBO_UNKNOWN_METHOD, PBO_UNSAFE_PATH, PBO_UNSORTED, PBO_WINDOWS_NAME, PBO_ZERO_DISTANCE,
    },
    hex20,
    label::is_invisible,
    lzss, tex_headers,
    texts::{Texts, misnamed},
    texture,
};
use crate::rap::{Rap, member};
use refit_base::{lint::Lints, par, wire::count};
use std::collections::HashMap;

/// The length of the trailer of Operation Flashpoint: Elite.
const ELITE: usize = 5;

/// Judges an archive.
pub(super) fn lint(pbo: &Pbo, lints: &mut Lints) {
    table(pbo, lints);
    names(pbo, lints);
    // Unpacking textures takes the time.
    let textures: Vec<&Entry> = pbo
        .entries
        .iter()
        .filter(|entry| texture::is_name(&entry.name.0))
        .collect();
    let found = par::map(&textures, |_, entry| {
        let mut own = lints.for_part();
        if let Some(Some(content)) = pbo.faults.or_note(entry.unpacked()) {
            texture::lint(&content, &entry.name.show(), &mut own);
        }
        own
    });
    let mut found = found.into_iter();
    let texts = Texts::of(pbo);
    let mut configs = Vec::new();
    for (i, entry) in pbo.entries.iter().enumerate() {
        lints.at(entry.name.show(), |lints| {
            judge(pbo, entry, lints);
            let compiled = texts.lint(i, lints);
            if let Some(config) = addon_config(pbo, entry, compiled) {
                configs.push(config);
            }
            if texture::is_name(&entry.name.0) {
                found
                    .next()
                    .into_iter()
                    .for_each(|found| lints.adopt(found));
            }
        });
    }
    addon::judge(pbo, &configs, lints);
}

/// The config of an addon: binary, or the text that was compiled.
fn addon_config(pbo: &Pbo, entry: &Entry, compiled: Option<Rap>) -> Option<AddonConfig> {
    let name = entry.name.show();
    let file = name.rsplit(['\\', '/']).next().unwrap_or(&name);
    let rap = if file.eq_ignore_ascii_case("config.cpp") {
        compiled?
    } else if file.eq_ignore_ascii_case("config.bin") {
        let content = pbo.faults.or_note(entry.config_file())??;
        Rap::from_bytes(&content).ok()?
    } else {
        return None;
    };
    Some(AddonConfig {
        file: name.into_owned(),
        config: rap.into_config(),
    })
}

fn table(pbo: &Pbo, lints: &mut Lints) {
    let numbers = |numbers: &[u32]| {
        numbers
            .iter()
            .map(|n| format!("{n:#x}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(start) = &pbo.start {
        lints.check(start.numbers == [0; 4], PBO_START_NUMBERS, || {
            numbers(&start.numbers)
        });
        for (i, (key, _)) in start.properties.iter().enumerate() {
            let again = start
                .properties
                .iter()
                .take(i)
                .any(|(k, _)| k.folded() == key.folded());
            lints.check(!again, PBO_PROPERTY_REPEATED, || key.show().into_owned());
        }
        if let Some((i, (key, prefix))) = start
            .properties
            .iter()
            .enumerate()
            .find(|(_, (k, _))| k.folded() == b"prefix")
        {
            lints.check(i == 0, PBO_PREFIX_PLACE, || {
                format!("it is property {}, {}", i + 1, key.show())
            });
            let outer = |b: Option<&u8>| matches!(b, Some(b'\\' | b'/'));
            let fine =
                !outer(prefix.0.first()) && !outer(prefix.0.last()) && !prefix.0.contains(&b'/');
            lints.check(fine, PBO_PREFIX_SEPARATORS, || prefix.show().into_owned());
        }
    }
    let trailer = pbo.faults.or_note(pbo.trailer()).unwrap_or(&Trailer::None);
    let empty = pbo.start.is_none() && pbo.entries.is_empty() && *trailer != Trailer::None;
    lints.check(!empty, PBO_FIRST_NAMELESS, || {
        format!(
            "method {:#010x}",
            pbo.end.first().copied().unwrap_or_default()
        )
    });
    lints.check(pbo.end == [0; 5], PBO_END_NUMBERS, || numbers(&pbo.end));
    match trailer {
        Trailer::Wrong { stored, instead_of } => {
            lints.say(
                PBO_HASH,
                format!(
                    "{} is stored, but the bytes give {}",
                    hex20(stored),
                    hex20(instead_of)
                ),
            );
        }
        Trailer::Sha1 { behind, .. } => {
            lints.check(behind.is_empty(), PBO_TRAILER, || {
                format!("{} after the SHA-1", count(behind.len(), "byte"))
            });
        }
        Trailer::Raw(bytes) => lints.check(bytes.len() == ELITE || empty, PBO_TRAILER, || {
            count(bytes.len(), "byte")
        }),
        Trailer::None => {}
    }
    let packed = pbo.entries.iter().filter(|entry| entry.method == CPRS);
    let game = match trailer {
        Trailer::Raw(bytes) if bytes.len() == ELITE && !empty => "Elite cannot",
        Trailer::Sha1 { .. } | Trailer::Wrong { .. } => "the first ArmA cannot",
        Trailer::Raw(_) | Trailer::None => "",
    };
    // Numbers alone are no difference for an edit.
    lints.check(
        game.is_empty() || packed.clone().next().is_none(),
        PBO_PACKED,
        || format!("packed files: {}; {game} read them", packed.count()),
    );
    let size = pbo.data_len();
    lints.check(size <= i32::MAX as u64, PBO_LARGE, || {
        format!("{size} bytes of data")
    });
}

/// Findings about all names together.
fn names(pbo: &Pbo, lints: &mut Lints) {
    let unsorted = pbo.entries.windows(2).find_map(|pair| match pair {
        [before, next] if before.name.folded() > next.name.folded() => {
            Some((&before.name, &next.name))
        }
        _ => None,
    });
    if let Some((before, next)) = unsorted {
        lints.say(
            PBO_UNSORTED,
            format!("{} comes before {}", before.show(), next.show()),
        );
    }
    let slashes = pbo
        .entries
        .iter()
        .filter(|entry| entry.name.0.contains(&b'/'))
        .count();
    lints.check(slashes == 0, PBO_SLASH, || {
        format!("{slashes} of {}", count(pbo.entries.len(), "name"))
    });

    // Other bytes are only letters of some code page.
    let unprintable = |name: &Label| {
        let invisible = std::str::from_utf8(&name.0).is_ok_and(|t| t.contains(is_invisible));
        invisible
            || name.0.iter().any(|b| {
                matches!(
                    b,
                    0..=0x1f | 0x7f | b'<' | b'>' | b':' | b'"' | b'|' | b'?' | b'*'
                )
            })
    };
    let junk = pbo
        .entries
        .iter()
        .filter(|entry| unprintable(&entry.name))
        .count();
    let stubs = pbo
        .entries
        .iter()
        .filter(|entry| is_stub(pbo, entry))
        .count();
    lints.check(
        junk * 4 < pbo.entries.len().max(8) && stubs == 0,
        PBO_OBFUSCATED,
        || {
            format!(
                "{junk} of {} names are not printable, {stubs} files only include such a name",
                pbo.entries.len()
            )
        },
    );

    // How the engine sees them: without case, one kind of separator.
    let mut last: HashMap<Vec<u8>, &Label> = HashMap::new();
    for Entry { name, .. } in &pbo.entries {
        let Some(first) = last.insert(name.looked_up(), name) else {
            continue;
        };
        lints.at(name.show(), |lints| {
            lints.check(first != name, PBO_DUPLICATE_NAME, || {
                "an earlier entry has the same name".to_owned()
            });
            lints.check(first == name, PBO_FOLDED_NAME, || {
                format!("like {}", first.show())
            });
        });
    }
    for Entry { name, .. } in &pbo.entries {
        let folded = name.looked_up();
        let mut folders = folded
            .iter()
            .enumerate()
            .filter(|(_, b)| **b == b'\\')
            .filter_map(|(end, _)| folded.get(..end));
        if let Some(file) = folders.find_map(|folder| last.get(folder)) {
            lints.at(name.show(), |lints| {
                lints.say(PBO_FILE_AND_FOLDER, format!("{} is a file", file.show()))
            });
        }
    }
}

/// One `#include` of an unprintable name and nothing else: the remains of a file after obfuscation.
fn is_stub(pbo: &Pbo, entry: &Entry) -> bool {
    if entry.method != 0 || entry.data.len() > 300 {
        return false;
    }
    let Some(bytes) = pbo.faults.or_note(entry.data.bytes()) else {
        return false;
    };
    let text = bytes.trim_ascii();
    let name = text
        .strip_prefix(b"#include")
        .map(<[u8]>::trim_ascii_start)
        .unwrap_or_default();
    !text.contains(&b'\n')
        && matches!(name.first(), Some(b'"' | b'<'))
        && name.iter().any(|b| !matches!(b, b' '..=b'~'))
}

fn judge(pbo: &Pbo, entry: &Entry, lints: &mut Lints) {
    judge_name(&entry.name, lints);
    lints.check(entry.reserved == 0, PBO_RESERVED, || {
        format!("{:#x}", entry.reserved)
    });
    let len = entry.data.len();
    match entry.method {
        0 => {
            let fine = entry.original == 0 || u64::from(entry.original) == len;
            lints.check(fine, PBO_ORIGINAL_SIZE, || {
                format!(
                    "{}, but the file has {}",
                    entry.original,
                    count(usize::try_from(len).unwrap_or(usize::MAX), "byte")
                )
            });
        }
        CPRS => match pbo.faults.or_note(entry.content()) {
            Some(Content::Packed(stream)) => judge_stream(&stream, len, lints),
            Some(Content::Opaque(_, why)) => lints.say(PBO_OPAQUE, why),
            _ => {}
        },
        VERS => lints.say(PBO_NAMED_VERS, "Vers"),
        other => {
            let text: String = other
                .to_be_bytes()
                .iter()
                .filter(|b| b.is_ascii_alphanumeric())
                .map(|b| char::from(*b))
                .collect();
            let text = if text.len() == 4 {
                format!(", {text}")
            } else {
                String::new()
            };
            lints.say(PBO_UNKNOWN_METHOD, format!("{other:#010x}{text}"));
        }
    }
    if let Some(Some(config)) = pbo.faults.or_note(entry.config_file()) {
        member::lint(&config, lints);
    }
    if pbo
        .faults
        .or_note(entry.is_private_key())
        .unwrap_or_default()
    {
        lints.say(
            PBO_KEY,
            "a private key: anyone who has it can sign in its owner's name",
        );
    }
    if let Some(Some(what)) = pbo.faults.or_note(misnamed(entry)) {
        lints.say(PBO_CONTENT, what);
    }
    if tex_headers::is_name(&entry.name)
        && let Some(Some(list)) = pbo.faults.or_note(entry.unpacked())
        && let Some(list) = pbo.faults.or_note(list.bytes())
    {
        // A list that cannot be read is a file like others.
        for (texture, why) in tex_headers::misfits(pbo, &entry.name, &list).unwrap_or_default() {
            lints.say(PBO_TEX_HEADERS, format!("{texture}: {why}"));
        }
    }
}

fn judge_stream(stream: &lzss::Stream, len: u64, lints: &mut Lints) {
    let sum = lzss::check_value(&stream.content);
    if let Some(stored) = stream.check
        && stored != sum
    {
        let signed = lzss::signed_check_value(&stream.content) == stored;
        let note = if signed {
            ", the sum of signed bytes as textures have it"
        } else {
            ""
        };
        lints.say(
            PBO_CHECK_VALUE,
            format!("{stored:#010x}{note}; the file gives {sum:#010x}"),
        );
    }
    lints.check(stream.undefined == 0, PBO_UNDEFINED_POINTER, || {
        count(stream.undefined, "copy")
    });
    lints.check(stream.zero_distance == 0, PBO_ZERO_DISTANCE, || {
        count(stream.zero_distance, "copy")
    });
    lints.check(!stream.cut, PBO_CUT_POINTER, || {
        "the copy is cut".to_owned()
    });
    lints.check(stream.spare == 0, PBO_SPARE_BITS, || {
        format!("{:#x}", stream.spare)
    });
    lints.check(stream.behind == 0, PBO_BEHIND_CHECK, || {
        count(stream.behind, "byte")
    });
    lints.check(len != stream.content.len() as u64, PBO_EQUAL_SIZES, || {
        format!("{len} bytes")
    });
}

fn judge_name(name: &Label, lints: &mut Lints) {
    lints.check(
        name.0.is_ascii(),
        PBO_NAME_BYTES,
        || match std::str::from_utf8(&name.0) {
            Ok(_) => "UTF-8".to_owned(),
            Err(_) => "bytes of some code page".to_owned(),
        },
    );
    let parts: Vec<&[u8]> = name.parts().collect();
    lints.check(
        parts.iter().all(|p| !p.is_empty()),
        PBO_EMPTY_COMPONENT,
        || "an empty part".to_owned(),
    );
    let up =
        parts.iter().any(|p| matches!(p.trim_ascii_end(), b"..")) || name.0.starts_with(b"\\\\");
    let drive = matches!(&*name.0, [letter, b':', ..] if letter.is_ascii_alphabetic());
    lints.check(!up && !drive, PBO_UNSAFE_PATH, || {
        "it would leave the folder".to_owned()
    });
    let why = if name
        .0
        .iter()
        .any(|b| matches!(b, 0..=0x1f | b'<' | b'>' | b':' | b'"' | b'|' | b'?' | b'*'))
    {
        "a character that Windows forbids"
    } else if parts.iter().any(|p| matches!(p.last(), Some(b'.' | b' '))) {
        "a dot or a blank at the end of a part"
    } else if parts.iter().any(|p| is_device(p)) {
        "a device name"
    } else if name.0.len() > 250 || parts.iter().any(|p| p.len() > 250) {
        "too long"
    } else {
        return;
    };
    lints.say(PBO_WINDOWS_NAME, why);
}

fn is_device(part: &[u8]) -> bool {
    let stem = part
        .split(|b| *b == b'.')
        .next()
        .unwrap_or_default()
        .trim_ascii_end()
        .to_ascii_uppercase();
    match stem.as_slice() {
        b"CON" | b"PRN" | b"AUX" | b"NUL" | b"CONIN$" | b"CONOUT$" | b"CLOCK$" => true,
        [b'C', b'O', b'M', n] | [b'L', b'P', b'T', n] => n.is_ascii_digit(),
        _ => false,
    }
}
