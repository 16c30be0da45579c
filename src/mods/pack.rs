//! A mod on disk: a zip that ends with `.refitmod`, or a folder.

use super::format::{MANIFEST, Mod};
use bytes::Bytes;
use refit_base::{
    path::Shown,
    tree::{
        check_foreign_path,
        disk::{self, Replace, Together, Written},
    },
    wire::{Error, Result},
};
use std::{
    collections::BTreeMap,
    io::{Cursor, Read, Write},
    path::Path,
};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, write::SimpleFileOptions};

/// Limit for the unpacked size of a zip of `zip` bytes. A zip that unpacks to much more is a zip
/// bomb.
fn most(zip: u64) -> u64 {
    zip.saturating_mul(64).saturating_add(4 << 20)
}

/// Limit for the text in a zip of `zip` bytes. It is lower than [`most`], because parsed text takes
/// many times its size.
fn most_text(zip: u64) -> u64 {
    zip.saturating_mul(32).saturating_add(1 << 20)
}

fn bad(e: zip::result::ZipError) -> Error {
    Error::say(format!("the zip cannot be read: {e}"))
}

/// A mod as a zip. The same mod gives the same bytes everywhere.
pub fn to_zip(a_mod: &Mod) -> Result<Vec<u8>> {
    let files = a_mod.to_files()?;
    let texts = || {
        files
            .iter()
            .filter(|(path, _)| !a_mod.files.contains_key(*path))
            .map(|(_, bytes)| bytes.len() as u64)
    };
    let zip = zipped(&files, CompressionMethod::Deflated)?;
    let size = zip.len() as u64;
    // A zip that packs so well that the limits would reject it is stored uncompressed.
    match files.values().map(|bytes| bytes.len() as u64).sum::<u64>() > most(size)
        || texts().sum::<u64>() > most_text(size)
    {
        true => zipped(&files, CompressionMethod::Stored),
        false => Ok(zip),
    }
}

fn zipped(files: &BTreeMap<String, Bytes>, method: CompressionMethod) -> Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(
            path.as_str(),
            options.large_file(bytes.len() as u64 > u64::from(u32::MAX)),
        )
        .map_err(bad)?;
        zip.write_all(bytes).map_err(Error::stopped)?;
    }
    Ok(zip.finish().map_err(bad)?.into_inner())
}

/// Number of entries in the zip's central directory. Of several entries with one name the `zip`
/// crate keeps the last, while other programs read the first.
fn listed(zip: &[u8], mut at: usize) -> usize {
    const HEAD: usize = 46;
    let mut listed = 0;
    while let Some(head) = zip
        .get(at..at.saturating_add(HEAD))
        .filter(|head| head.starts_with(b"PK\x01\x02"))
    {
        let length = |from: usize| {
            head.get(from..from + 2).map_or(0, |two| {
                two.iter()
                    .rev()
                    .fold(0, |n, byte| n << 8 | usize::from(*byte))
            })
        };
        at += HEAD + length(28) + length(30) + length(32);
        listed += 1;
    }
    listed
}

/// Reads a mod from a zip.
pub fn from_zip(bytes: &[u8]) -> Result<Mod> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(bad)?;
    if listed(
        bytes,
        usize::try_from(zip.central_directory_start()).unwrap_or(usize::MAX),
    ) != zip.len()
    {
        return Err(Error::say(
            "the zip contains several files of one name, and programs differ in which one they read",
        )
        .hint("make the mod again with `refit mod make`"));
    }
    let size = bytes.len() as u64;
    let mut files = BTreeMap::new();
    let mut left = most(size);
    for i in 0..zip.len() {
        let mut file = zip.by_index(i).map_err(bad)?;
        let path = file.name().map_err(bad)?.into_owned();
        if file.is_dir() {
            check_foreign_path(path.trim_end_matches('/'))?;
            continue;
        }
        check_foreign_path(&path)?;
        // The manifest is text, so the lower limit applies to it.
        let most = if path == MANIFEST {
            left.min(most_text(size))
        } else {
            left
        };
        let mut bytes = Vec::new();
        file.by_ref()
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| {
                Error::say(format!("the zip cannot be read: {e}")).in_file(path.clone())
            })?;
        if bytes.len() as u64 > most {
            return Err(
                Error::say("it unpacks to far more than the size of the mod explains")
                    .in_file(path),
            );
        }
        left -= bytes.len() as u64;
        files.insert(path, Bytes::from(bytes));
    }
    Mod::from_files_of(files, most_text(size))
}

/// Reads a mod: a zip, or a folder.
pub fn load(path: &Path) -> Result<Mod> {
    let named = |e: Error| e.about(path);
    if !path.is_dir() {
        return from_zip(&disk::read_named(path)?).map_err(named);
    }
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(path).min_depth(1).sort_by_file_name() {
        let entry = entry.map_err(disk::walk_error)?;
        let Ok(relative) = entry.path().strip_prefix(path) else {
            continue;
        };
        let parts: Option<Vec<&str>> = relative
            .components()
            .map(|part| part.as_os_str().to_str())
            .collect();
        // Ignore hidden files, which git and operating systems leave behind.
        if !entry.file_type().is_file()
            || parts
                .as_ref()
                .is_none_or(|parts| parts.iter().any(|part| part.starts_with('.')))
        {
            continue;
        }
        files.insert(
            parts.unwrap_or_default().join("/"),
            disk::read(entry.path())?,
        );
    }
    Mod::from_files(files).map_err(named)
}

/// Writes a mod as a zip.
pub fn save(a_mod: &Mod, path: &Path, may: Replace<'_>) -> Result<Written> {
    disk::write_file(path, &to_zip(a_mod)?, may)
}

/// Writes a mod as a folder, which must be missing or empty.
pub fn unpack(a_mod: &Mod, folder: &Path) -> Result<usize> {
    if folder.symlink_metadata().is_ok()
        && !(folder.is_dir()
            && std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()))
    {
        return Err(Error::say("it already exists")
            .in_file(folder.shown())
            .hint("name another folder with -o"));
    }
    let files = a_mod.to_files()?;
    let (mut together, _) = Together::begin(folder, "mod unpack")?;
    for (path, bytes) in &files {
        let write = |out: &mut (dyn Write + Send)| out.write_all(bytes).map_err(Error::stopped);
        together.write(
            &folder.join(check_foreign_path(path)?),
            Replace::default(),
            write,
            |_, _| Ok(()),
        )?;
    }
    together.commit()?;
    Ok(files.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in entries {
            zip.start_file(*path, options).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn refused(entries: &[(&str, &[u8])]) -> String {
        from_zip(&zip_of(entries)).unwrap_err().to_string()
    }

    const ONE: &[u8] = br#"{ "refitmod": 1, "name": "one", "files": [] }"#;

    #[test]
    fn a_small_zip_cannot_unpack_to_huge_files() {
        assert_eq!(
            from_zip(&zip_of(&[(MANIFEST, ONE)])).unwrap().manifest.name,
            "one"
        );
        let zeros = vec![0; 60 << 20];
        assert!(refused(&[(MANIFEST, ONE), ("new/x", &zeros)]).contains("far more than the size"));
        let some = vec![0; 1 << 20];
        let names: Vec<String> = (0..100).map(|i| format!("new/{i}")).collect();
        let many: Vec<(&str, &[u8])> = [(MANIFEST, ONE)]
            .into_iter()
            .chain(names.iter().map(|name| (name.as_str(), &some[..])))
            .collect();
        assert!(refused(&many).contains("far more than the size"));
        // A text that is mostly blanks.
        let blank = [br#"{ "parts": [] "#, " ".repeat(3 << 20).as_bytes(), b"}"].concat();
        let manifest =
            br#"{ "refitmod": 1, "name": "one", "files": [{ "path": "a", "changes": "a.json" }] }"#;
        assert!(
            refused(&[(MANIFEST, manifest), ("a.json", &blank)])
                .contains("texts unpack to far more")
        );
        assert!(
            refused(&[(MANIFEST, &[&ONE[..ONE.len() - 1], &blank[14..]].concat())])
                .contains("far more than the size")
        );
    }

    /// A mod that compresses extremely well is still accepted.
    #[test]
    fn a_zip_survives_the_round_trip() {
        for len in [100, 60 << 20] {
            let mut made = from_zip(&zip_of(&[(MANIFEST, ONE)])).unwrap();
            made.files.insert("new/x".into(), vec![0; len].into());
            let zip = to_zip(&made).unwrap();
            assert!(from_zip(&zip).unwrap() == made, "{len}");
            assert!(zip.len() > len, "{len}");
        }
    }

    #[test]
    fn duplicate_names_in_a_zip_are_refused() {
        let mut zip = zip_of(&[(MANIFEST, ONE), ("mod.jsoN", ONE)]);
        assert!(
            from_zip(&zip)
                .unwrap_err()
                .to_string()
                .contains("occurs twice")
        );
        // Rename the second entry in both places where the zip stores its name.
        for at in (0..zip.len() - 8)
            .filter(|at| &zip[*at..*at + 8] == b"mod.jsoN")
            .collect::<Vec<_>>()
        {
            zip[at + 7] = b'n';
        }
        assert!(
            from_zip(&zip)
                .unwrap_err()
                .to_string()
                .contains("several files of one name")
        );
    }

    #[test]
    fn entries_with_impossible_paths_are_refused() {
        assert!(
            refused(&[(MANIFEST, ONE), ("n", b"x"), ("n/x", b"y")])
                .contains("needs a folder, but n is a file")
        );
        for name in [
            ".git/hooks/post-checkout",
            "a/.refit-journal",
            "aux",
            "x.orig",
            "../x",
            "a\nb",
        ] {
            let error = refused(&[(MANIFEST, ONE), (name, b"x")]);
            assert!(
                error.contains("is not allowed here") || error.contains("not a path below"),
                "{name:?}: {error}"
            );
        }
    }
}
