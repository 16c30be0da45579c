//! Lints of an archive (FORMAT.md).

use super::{
    CPRS, Content, Entry, Label, Pbo, Trailer, VERS,
    addon::{self, AddonConfig},
    hex20,
    label::is_invisible,
    lzss, tex_headers,
    texts::{Texts, misnamed},
    texture,
};
use crate::rap::{Rap, member};
use refit_base::{
    lint::{Lints, codes},
    par,
    wire::count,
};
use std::collections::HashMap;

codes! {
    /// The kinds of findings in archives.
    pub(super) CODES:
    PBO_START_NUMBERS "pbo-start-numbers" Unusual [] "the numbers of the start entry are not zero"
        "The games ignore them. Some packers write junk there to make tools give up. refit keeps them."
        "As far as is known, valid for the games; other tools object."
    PBO_END_NUMBERS "pbo-end-numbers" Unusual [] "the numbers of the end entry are not zero"
        "The games ignore them. Resistance tools write Cprs there; some packers write junk to make tools give up. \
        refit keeps them."
        "As far as is known, valid for the games; other tools object."
    PBO_FIRST_NAMELESS "pbo-first-nameless" Differs [] "the first entry has no name and is not a start entry"
        "refit reads an archive without files, and everything after the entry as its trailer. Some readers skip such \
        an entry and read on."
        "Readers disagree about it."
    PBO_NAMED_VERS "pbo-named-vers" Differs [] "a named file has the packing method of the start entry"
        "refit treats it as an ordinary file. Some readers expect a property list after it and stop."
        "Readers disagree about it."
    PBO_UNKNOWN_METHOD "pbo-unknown-method" Differs [] "an unknown packing method"
        "The file is neither stored nor packed: it is encrypted, or the method is a trick against tools. refit keeps \
        the payload unchanged."
        "The games know only stored and packed files."
    PBO_ORIGINAL_SIZE "pbo-original-size" Unusual [] "a stored file's original size is neither zero nor its size"
        "The games ignore it. Some readers take such a file as packed. refit keeps the number."
        "As far as is known, valid for the games; other tools object."
    PBO_RESERVED "pbo-reserved" Unusual [] "the reserved number is not zero"
        "No file of a game has one. Some readers take it as an offset. refit keeps it."
        "As far as is known, valid for the games; other tools object."
    PBO_OPAQUE "pbo-opaque" Differs [] "a file marked as packed does not unpack"
        "The payload is truncated, or the mark is a trick against tools. refit keeps the payload unchanged."
        "The games unpack every file marked as packed."
    PBO_CHECK_VALUE "pbo-check-value" Refuses [] "a packed file has a wrong checksum"
        "The sum of the unpacked bytes differs from the stored one. The game may refuse the file. refit keeps the \
        checksum until the file is edited."
        "The sum follows each packed file, and the games check it."
    PBO_UNDEFINED_POINTER "pbo-undefined-pointer" Differs [] "a packed file copies from before its start"
        "Bytes more than 4078 before the start have no defined value. refit takes them as blanks."
        "Readers disagree about it."
    PBO_ZERO_DISTANCE "pbo-zero-distance" Differs [] "a packed file copies from a distance of zero"
        "Readers disagree about its meaning: 4096 bytes back, zeros, or an endless loop. refit takes it as 4096 bytes \
        back."
        "Readers disagree about it."
    PBO_CUT_POINTER "pbo-cut-pointer" Unusual [] "the last copy of a packed file runs past its end"
        "The engine may report an overflow. Other readers cut the copy, and so does refit."
        "As far as is known, valid for the games; other tools object."
    PBO_SPARE_BITS "pbo-spare-bits" Unusual [] "a packed file sets unused flag bits"
        "They mean nothing, but one reader refuses them."
        "As far as is known, valid for the games; other tools object."
    PBO_BEHIND_CHECK "pbo-behind-check" Unusual [] "bytes after the checksum of a packed file"
        "They mean nothing. refit keeps them until the file is edited."
        "As far as is known, valid for the games; other tools object."
    PBO_PACKED "pbo-packed" Differs [] "packed files in an archive whose game may not read them"
        "The end of the archive is that of Operation Flashpoint: Elite, or that of ArmA and later games. Elite and the \
        first ArmA cannot read packed files. Arma 3 reads them in most places, but does not run a packed script with \
        `execVM`. Store the files: remove `packed` from their entries in the manifest, or pack the folder without \
        `--compress`."
        "The description of the format by the community of Bohemia's games says it of Elite and ArmA; of Arma 3, the \
        author of PBO Manager 3 (issue 26 of winseros/pboman3)."
    PBO_EQUAL_SIZES "pbo-equal-sizes" Unusual [] "a packed file is as large as its content"
        "It is packed all the same. Readers that compare the sizes take it as stored."
        "As far as is known, valid for the games; other tools object."
    PBO_DUPLICATE_NAME "pbo-duplicate-name" Ignores [] "two files share a name"
        "Which one the game uses is not known. Obfuscated archives have such names."
        "The games look a file up by name and take one."
    PBO_FOLDED_NAME "pbo-folded-name" Ignores [] "names that differ only in case"
        "The games ignore case when they look names up, so they never find one of the files."
        "The games ignore case when they look names up."
    PBO_FILE_AND_FOLDER "pbo-file-and-folder" Differs [] "a file and a folder share a name"
        "No disk can hold both. The tree uses another name for one of them."
        "No disk can hold both."
    PBO_SLASH "pbo-slash" Unusual [] "names with / as the separator"
        "The games expect \\; a few tools write /. The games may not find files below such folders."
        "As far as is known, valid for the games; other tools object."
    PBO_EMPTY_COMPONENT "pbo-empty-component" Ignores [] "a name with an empty part"
        "It begins or ends with a separator, or has two in a row. The games do not find such a file."
        "The games look names up with single separators."
    PBO_UNSAFE_PATH "pbo-unsafe-path" Ignores [] "a name that leads out of its folder"
        "The name contains .., a drive or a share, so careless unpacking would write somewhere else. No honest tool \
        writes it. refit keeps the file inside the tree."
        "The games never ask for such a path."
    PBO_WINDOWS_NAME "pbo-windows-name" Differs [] "a name that Windows does not allow"
        "Windows refuses its characters, ending, device name or length. Obfuscated archives have such names. The tree \
        uses another one."
        "Windows refuses such a name."
    PBO_NAME_BYTES "pbo-name-bytes" Unusual [] "a name that is not plain ASCII"
        "Names have no declared encoding: what a game finds depends on the code page of the system."
        "As far as is known, valid for the games; other tools object."
    PBO_OBFUSCATED "pbo-obfuscated" Differs [] "the archive looks obfuscated"
        "Many names are not printable, or files contain nothing but one #include of such a name. refit keeps \
        everything."
        "Made by protection tools; the games read it, other tools do not."
    PBO_UNSORTED "pbo-unsorted" Unusual [] "the files are not sorted by name"
        "Signature tools sort the files; the hashes of unsorted archives differ between tools."
        "As far as is known, valid for the games; other tools object."
    PBO_HASH "pbo-hash" Refuses [] "the archive's SHA-1 is wrong"
        "The archive is damaged or was edited, and its signatures cannot be verified. refit keeps the hash until the \
        archive is edited."
        "Servers that check signatures compare this hash."
    PBO_TRAILER "pbo-trailer" Unusual [] "a trailer of unusual length"
        "Archives end with no trailer, with 5 bytes (Elite), or with 21 (ArmA and later). refit keeps the bytes."
        "As far as is known, valid for the games; other tools object."
    PBO_PROPERTY_REPEATED "pbo-property-repeated" Unusual [] "a duplicate property"
        "Which value counts is not known."
        "As far as is known, valid for the games; other tools object."
    PBO_PREFIX_PLACE "pbo-prefix-place" Unusual [] "the prefix is not the first property"
        "The games find it; a few tools do not."
        "As far as is known, valid for the games; other tools object."
    PBO_PREFIX_SEPARATORS "pbo-prefix-separators" Ignores [] "the prefix begins or ends with a separator, or contains \
        /"
        "Tools trim it in different ways, and the games may not find the files."
        "The games join prefix and name with one separator."
    PBO_LARGE "pbo-large" Ignores [] "an archive larger than 2 GiB"
        "Readers with 31-bit offsets, including games, cannot address all of it."
        "Readers of the games' time use 31-bit offsets."
    PBO_CONTENT "pbo-content" Ignores [] "a file whose bytes are not what its name says"
        "A picture or a text under the name of a texture, a model, a sound or a binary config: the game cannot use it. \
        `refit put` and `refit add` convert pictures and texts; `refit repack FILE --format paa` or `rap` makes the \
        file."
        "The games read these files by their signatures. None of 290 known archives has one."
    PBO_UNITS "pbo-units" Ignores [] "an addon lists a class that it does not have"
        "A name in `units[]` or `weapons[]` of `CfgPatches` is no class of the archive, although its configs define \
        others of this kind. Zeus and the arsenal do not offer it, unless another addon has it."
        "Documented by Bohemia: the lists say which classes belong to an addon. None of 180 addons at hand has such a \
        name."
    PBO_FUNCTION "pbo-function" Ignores [] "a function whose file the addon does not have"
        "`CfgFunctions` gives the function a file below the prefix of the archive, and the archive has no such file. \
        The game reports that the script was not found, and the function does nothing."
        "Documented by Bohemia: a function is `file` of its class, or `fn_NAME.sqf` in `file` of its category. One of \
        180 addons at hand has such a function, and its file is under another name."
    PBO_PREFIX "pbo-prefix" Ignores [] "configs name the archive's files with another prefix"
        "Three or more files that the configs name are in the archive, but below another prefix, and none below its \
        own. The game finds none of them: correct `$PBOPREFIX$` or the paths."
        "Follows from how the games find files: the prefix of an addon, then the name within it. None of 180 addons at \
        hand has this finding."
    PBO_TEX_HEADERS "pbo-tex-headers" Differs [] "texHeaders.bin does not match a texture"
        "The game takes the sizes and positions of a texture's levels from texHeaders.bin, and draws whatever is at \
        those positions. `refit repack` and `refit put` update the file with each texture. Without the file the game \
        opens the textures themselves."
        "8,267 textures in 140 known files match; the list exists so that the game need not open them."
}

codes! {
    /// The kinds of findings in keys and signatures.
    pub(super) KEY_CODES:
    PBO_KEY "pbo-key" Refuses [] "an unusual key or signature"
        "The games may refuse it. Never give a private key away."
        "The games verify keys and signatures by their structure."
}

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
