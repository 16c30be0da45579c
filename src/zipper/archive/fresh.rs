//! New archives of plain folders.

use super::{ArchiveCodec, ArchiveManifest, MemberLine, document_stem, member_codec};
use crate::{mechlib, reader, savegame, zrd_text};
use bytes::Bytes;
use refit_base::{
    contract::{Codec, Context, Model},
    format::Format,
    game::Game,
    tree::{
        Document, Folder, Form, Style,
        plain::{PlainFolder, as_in, check_names},
    },
    wire::{Error, Hex, Result, Text, utf8},
};
use std::collections::HashSet;

/// The flags of an entry whose comment and time were set on purpose, as in the archives of Crimson
/// Skies.
const SET: u32 = 2;

/// Makes an archive from the files of a folder: each becomes a member with the name of the file.
pub(super) fn archive(folder: &PlainFolder<'_>) -> Result<super::Archive> {
    let game = folder.game;
    let like: Option<ArchiveManifest> = folder.like()?;
    let made = Folder::new();
    let mut lines = Vec::new();
    for path in folder.paths() {
        if let Some(name) = member(folder, path, &made)? {
            lines.push(line(&name, path)?);
        }
    }
    if folder.format == Format::Mechlib {
        complete_mechlib(folder, &made, &mut lines)?;
    }
    // A saved game is recognised by its first member.
    lines.sort_by_cached_key(|line: &MemberLine| {
        folder.format == Format::Savegame && line.name.bytes() != savegame::HEADER
    });
    check_names(
        "member",
        lines
            .iter()
            .map(|line| (line.name.text().into_owned(), &*line.file)),
    )?;
    if lines.is_empty() && folder.ending(&[".gltf", ".glb"]).is_empty() {
        return Err(Error::say(format!(
            "the folder has nothing for an archive of {}",
            folder.format
        ))
        .hint(match folder.format {
            Format::Sounds => "sounds are .wav files",
            Format::Reader => "members are documents (.json, .ron), and text or binary .zrd files",
            Format::Motion => "motions are documents (.json, .ron), and animations of glTF files",
            _ => "put the members into the folder",
        }));
    }
    let mut version = if game == Some(Game::Pm) { 2 } else { 1 };
    let mut comments = game == Some(Game::Cs);
    match &like {
        Some(like) => {
            (version, comments) = (like.version, like.comments_are_names);
            let key = |line: &MemberLine| line.name.text().to_lowercase();
            lines = as_in(lines, &like.members, key, |line, old| match old {
                Some(old) => {
                    (line.name, line.time) = (old.name.clone(), old.time);
                    (line.flags, line.comment) = (old.flags, old.comment.clone());
                }
                None => {
                    folder.assume(format!(
                        "{}: after the others, without a time",
                        line.name.text()
                    ));
                    line.flags = Hex(if comments { SET } else { 0 });
                }
            });
            let now: HashSet<String> = lines.iter().map(key).collect();
            let gone: HashSet<String> = like
                .members
                .iter()
                .map(key)
                .filter(|name| !now.contains(name))
                .collect();
            if !gone.is_empty() {
                folder.assume(format!(
                    "{} of the members of the other file are missing",
                    gone.len()
                ));
            }
        }
        None => {
            folder.assume("members in the order of their names");
            if comments {
                lines.iter_mut().for_each(|line| line.flags = Hex(SET));
                folder.assume(
                    "each member's comment is its name, as in Crimson Skies; times are empty",
                );
            } else {
                folder.assume("times, comments and flags are empty");
            }
        }
    }
    if version == 2 && folder.format == Format::Reader {
        folder.assume("version 2 with a checksum over the members");
    }
    let ones = folder.format == Format::Motion && version == 2 && !lines.is_empty();
    let manifest = ArchiveManifest::new(
        folder.head(),
        version,
        None,
        ones,
        comments,
        lines,
        Vec::new(),
    );
    ArchiveCodec.assemble(&folder.tree(made, manifest)?.reader()?)
}

/// The bytes of a new archive of version 1 with these members. In Crimson Skies each entry repeats
/// its name, with the bits of the game's own archives; in the other games an entry contains only
/// name, offset and length.
///
/// Fails on a name that is too long or has characters that no game supports, and beyond 4 GiB.
pub fn build(game: Option<Game>, members: &[(String, Bytes)]) -> Result<Vec<u8>> {
    let context = Context {
        game,
        format: Format::Archive,
        file: String::new(),
    };
    let mut archive = super::Archive::new(context, 1);
    for (i, (name, payload)) in members.iter().enumerate() {
        archive
            .add(name, payload.clone())
            .map_err(|e| e.within(format!("[{i}]")).within("members"))?;
    }
    if game == Some(Game::Cs) {
        archive
            .members
            .iter_mut()
            .for_each(|line| (line.flags, line.comment) = (Hex(62), line.name.clone()));
    }
    archive.write()
}

/// The line of a member in a new archive, with nothing but the name.
fn line(name: &str, file: &str) -> Result<MemberLine> {
    let text: Text<64> = name.try_into().map_err(|e: Error| e.in_file(file))?;
    Ok(MemberLine {
        name: text.into(),
        file: file.into(),
        ..MemberLine::default()
    })
}

/// The name of the member for a file; `None` if it is not a member. Files to compile go into
/// `made`.
fn member(folder: &PlainFolder<'_>, path: &str, made: &Folder) -> Result<Option<String>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let lower = file.to_lowercase();
    let document = document_stem(file, folder.format);
    let stem = document.unwrap_or(file);
    Ok(match folder.format {
        Format::Sounds => lower.ends_with(".wav").then(|| file.to_owned()),
        Format::Reader if document.is_some() => Some(if stem.contains('.') {
            stem.to_owned()
        } else {
            format!("{stem}.zrd")
        }),
        Format::Reader if lower.ends_with(".zrd") => {
            let bytes = folder.get(path)?;
            if !reader::is_value(&bytes) && zrd_text::is_text(&bytes) {
                let doc = reader::text::of_text(&bytes).map_err(|e| e.in_file(path))?;
                made.set(path, doc.write());
            }
            Some(file.to_owned())
        }
        Format::Reader => None,
        Format::Motion => document.map(str::to_owned),
        Format::Mechlib if document.is_some() => {
            let known = mechlib::DESCRIPTION.contains(&stem) || stem.contains('.');
            Some(if known {
                stem.to_owned()
            } else {
                format!("{stem}.flt")
            })
        }
        Format::Savegame => Some(format!(
            "{}{stem}",
            path.strip_suffix(file).unwrap_or_default()
        )),
        Format::Archive => Some(path.replace('/', "\\")),
        _ => Some(file.to_owned()),
    })
}

/// Adds a member: a document, or a file to convert into one; with the archive's convention for
/// comments.
pub(super) fn add(
    archive: &mut super::Archive,
    name: &str,
    bytes: &[u8],
    form: Form,
) -> Result<usize> {
    // An archive without members has no kind yet, and one with members of several kinds has none:
    // the name tells.
    let is_reader =
        archive.context.format == Format::Archive && name.to_ascii_lowercase().ends_with(".zrd");
    let format = if is_reader && form != Form::Stored {
        Format::Reader
    } else {
        archive.context.format
    };
    let context = Context {
        format,
        ..archive.context.clone()
    };
    let is_text =
        || format == Format::Reader && !reader::is_value(bytes) && zrd_text::is_text(bytes);
    let payload = match (form, member_codec(format)) {
        // A file in the game's own form.
        _ if format == Format::Reader && reader::is_value(bytes) => bytes.to_vec(),
        // A text that is not a document may be a text reader file.
        (Form::Document(style), Some(typed)) => {
            match utf8(bytes).and_then(|text| typed.encode(text, style, &context)) {
                Ok(payload) => payload,
                Err(_) if is_text() && !looks_like_a_document(bytes) => {
                    reader::text::of_text(bytes)?.write()
                }
                Err(e) => return Err(e.hint("--raw stores the bytes unchanged")),
            }
        }
        _ => bytes.to_vec(),
    };
    let doubled = !archive.members.is_empty()
        && archive
            .members
            .iter()
            .all(|member| member.comment == member.name);
    let index = archive.add(name, payload)?;
    if let Some(member) = archive.members.get_mut(index).filter(|_| doubled) {
        (member.comment, member.flags) = (member.name.clone(), Hex(SET));
    }
    Ok(index)
}

/// True if a text begins as the documents of readers do: with a list or a string.
fn looks_like_a_document(bytes: &[u8]) -> bool {
    bytes
        .trim_ascii_start()
        .first()
        .is_some_and(|b| matches!(b, b'[' | b'{'))
}

/// Adds the members of a mechlib that describe it.
fn complete_mechlib(
    folder: &PlainFolder<'_>,
    made: &Folder,
    lines: &mut Vec<MemberLine>,
) -> Result<()> {
    use mechlib::MechlibMember::{Format as Number, Materials, Version};
    let game = if folder.game == Some(Game::Pm) {
        Game::Pm
    } else {
        Game::Mw
    };
    let all = [
        ("format", Number(1), "1".to_owned()),
        ("materials", Materials(Vec::new()), "none".to_owned()),
        (
            "version",
            Version(game.gamez_version()),
            game.gamez_version().to_string(),
        ),
    ];
    for (at, (name, member, said)) in all.into_iter().enumerate() {
        let found = lines
            .iter()
            .position(|line| line.name.bytes() == name.as_bytes());
        let line = match found {
            Some(found) => lines.remove(found),
            None => {
                let file = format!("{name}.json");
                made.set(&file, member.to_text(Style::Json)?);
                folder.assume(format!("{name}: {said}"));
                line(name, &file)?
            }
        };
        lines.insert(at, line);
    }
    Ok(())
}
