//! Signatures of archives: makes keys, signs, and predicts what a server refuses.

use super::{Input, Options, Progress, paths::folder_of, save};
use refit_base::{
    contract::{Detection, Model},
    format::Format,
    path::Shown,
    tree::{
        disk::{self, Replace},
        is_project, is_tree,
    },
    wire::{Error, Result, count},
};
use refit_bohemia::pbo::{
    Pbo,
    sign::{self, Key, PrivateKey, check_model},
};
use refit_files::{
    game_files,
    pipeline::{self, addon},
};
use serde::{Serialize, Serializer};
use serde_json::json;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Ending of a private key's file.
const PRIVATE: &str = "biprivatekey";
/// Ending of a public key's file.
const PUBLIC: &str = "bikey";
/// Ending of a signature's file.
const SIGNATURE: &str = "bisign";

/// A new pair of keys.
pub struct MadeKey {
    /// The file that signs, for its owner alone.
    pub private: PathBuf,
    /// The file for servers.
    pub public: PathBuf,
}

/// Random bytes of the system.
fn random(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes)
        .map_err(|e| Error::say(format!("cannot get random numbers from the system: {e}")))
}

/// An error if no key may have this name: it is a part of file names on servers.
fn check_name(name: &str) -> Result<()> {
    let wrong = |why: &str| {
        Err(Error::say(format!(
            "{name:?} cannot be the name of a key: {why}"
        )))
    };
    let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.contains(['/', '\\']) {
        return wrong("it is a path").map_err(|e| e.hint("name the folder with -o"));
    }
    if name.is_empty()
        || name.len() > 64
        || name.starts_with(['.', '-'])
        || name.ends_with('.')
        || !name.chars().all(usual)
    {
        return wrong("use up to 64 letters, digits, _, - and . (no dot first or last)");
    }
    if refit_base::path::is_device(name.split('.').next().unwrap_or_default()) {
        return wrong("it is the name of a device on Windows");
    }
    Ok(())
}

/// True for a folder that looks like a mod, or like its folder of archives or of public keys.
fn is_mod(folder: &Path) -> bool {
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let has_archives = || {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files
            .map(|file| file.path())
            .any(|file| ends_with(&file, "pbo"))
    };
    name.starts_with('@')
        || ["mod.cpp", "meta.cpp"]
            .iter()
            .any(|file| folder.join(file).is_file())
        || name == "addons" && has_archives()
        || name == "keys" && folder.with_file_name("addons").is_dir()
}

/// An error for a folder whose files are given to others: a tree, a project, a mod, the source of
/// an addon.
fn check_secret(folder: &Path) -> Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let whole = refit_base::path::whole(folder).unwrap_or_else(|_| folder.to_owned());
    for above in whole.ancestors() {
        let what = if is_tree(above) {
            "an unpacked tree".to_owned()
        } else if is_project(above) {
            "a project".to_owned()
        } else if is_mod(above) {
            "a mod".to_owned()
        } else if let Some(mark) = addon::source_mark(above) {
            format!("the source of an addon (it has {mark})")
        } else {
            continue;
        };
        return Err(Error::say(format!(
            "{} is {what}, which you will share: a private key must not be in it",
            above.shown()
        ))
        .hint("name another folder with -o"));
    }
    Ok(())
}

fn ends_with(file: &Path, ending: &str) -> bool {
    file.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

/// Makes a key of 1024 bits: `NAME.biprivatekey` and `NAME.bikey` in a folder. Never replaces a
/// file, and writes no private key into a folder that is meant for others.
pub fn new_key(name: &str, folder: &Path, options: &Options) -> Result<MadeKey> {
    check_name(name)?;
    check_secret(folder)?;
    let file = |ending: &str| folder.join(format!("{name}.{ending}"));
    let made = MadeKey {
        private: file(PRIVATE),
        public: file(PUBLIC),
    };
    if let Some(file) = [&made.private, &made.public]
        .into_iter()
        .find(|file| file.symlink_metadata().is_ok())
    {
        return Err(
            Error::say("the file already exists, and refit never replaces a key")
                .in_file(file.shown())
                .hint("choose another name, or another folder with -o"),
        );
    }
    let never = |private| Replace {
        private,
        ..Replace::new(false)
    };
    disk::check_file(&made.private, never(true))?;
    disk::check_file(&made.public, never(false))?;
    if !options.dry_run {
        let key = PrivateKey::generate(name, &mut random)?;
        disk::write_file(&made.private, &key.key()?.write()?, never(true))?;
        disk::write_file(&made.public, &key.public_key()?.write()?, never(false))?;
    }
    Ok(made)
}

/// Reads a private key that the user named.
pub fn private_key(file: &Path) -> Result<PrivateKey> {
    let read = || PrivateKey::read(&pipeline::load(file)?.bytes()?);
    read().map_err(|e| e.about(file))
}

/// Writes the public key of a private one into a folder, or to a file. Returns its path.
pub fn public_key(
    private: &Path,
    output: Option<&Path>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<PathBuf> {
    let key = private_key(private)?;
    let name = format!("{}.{PUBLIC}", safe_authority(&key)?);
    let target = match output {
        Some(folder) if folder.is_dir() => folder.join(name),
        Some(file) => file.to_owned(),
        None => folder_of(private).join(name),
    };
    write(&target, &key.public_key()?, options, progress).map(|()| target)
}

/// The authority of a key as a part of a file name. Other tools made keys with names that refit
/// would not give, with blanks for instance: they sign as well.
fn safe_authority(key: &PrivateKey) -> Result<String> {
    let name = key.authority().show().into_owned();
    if name.len() <= 200 && refit_base::path::unusable(&name).is_none() && !name.starts_with('.') {
        return Ok(name);
    }
    check_name(&name).map(|()| name)
}

/// Writes a public key or a signature. Replaces files of refit; others only with
/// [`Options::force`].
fn write(target: &Path, key: &Key, options: &Options, progress: &dyn Progress) -> Result<()> {
    let may = Replace {
        backup: options.backup_or(disk::Backup::Foreign),
        ..Replace::new(options.force || disk::current_note(target).is_some())
    };
    save::write(target, &key.write()?, may, options.dry_run, progress).map(|_| ())
}

/// Reads an archive; rejects other files.
fn archive(file: &Path) -> Result<Pbo> {
    let read = || {
        let blob = pipeline::load(file)?;
        let hints = pipeline::Hints::default();
        let Detection { format, .. } = pipeline::recognise(&blob, &file.shown(), hints)?;
        if format != Format::Pbo {
            return Err(Error::say(format!(
                "a file of the format {format}; only PBO archives are signed"
            )));
        }
        Pbo::of(&blob)
    };
    read().map_err(|e| e.about(file))
}

/// The archives among files that were found: those that the user named, and below folders `*.pbo`.
pub fn archives(
    paths: &[PathBuf],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Input>> {
    let mut found = super::files::files(paths, options, progress)?;
    let looked = found.len();
    found.retain(|input| input.explicit || ends_with(&input.path, "pbo"));
    if found.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.shown()).collect();
        return Err(Error::say(format!(
            "no PBO archive in {} ({} checked)",
            names.join(", "),
            count(looked, "file")
        )));
    }
    Ok(found)
}

/// An error for an archive that was found behind a link which leads out of the folder that the user
/// named.
fn check_inside(input: &Input) -> Result<()> {
    if input.explicit {
        return Ok(());
    }
    let named = input
        .path
        .ancestors()
        .nth(input.relative.components().count())
        .unwrap_or(Path::new(""));
    let real = |path: &Path| {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        refit_base::path::canonical(path).map_err(|e| Error::io(path, e))
    };
    match real(&folder_of(&input.path))?.starts_with(real(named)?) {
        true => Ok(()),
        false => Err(
            Error::say("a link leads out of the folder that is written to")
                .in_file(input.path.shown())
                .hint("name this archive itself to sign it"),
        ),
    }
}

/// Signs an archive: writes `ARCHIVE.AUTHORITY.bisign` next to it. Returns its path.
pub fn sign(
    input: &Input,
    key: &PrivateKey,
    version: u32,
    options: &Options,
    progress: &dyn Progress,
) -> Result<PathBuf> {
    let file = input.path.as_path();
    check_inside(input)?;
    let mut name = file.file_name().map(OsString::from).unwrap_or_default();
    name.push(format!(".{}.{SIGNATURE}", safe_authority(key)?));
    let target = folder_of(file).join(name);
    let pbo = archive(file)?;
    if let Some(name) = pbo.private_key().map_err(|e| e.about(file))? {
        return Err(Error::say(format!(
            "{name} is a private key, which must not be published"
        ))
        .in_file(file.shown())
        .hint("pack the archive without it, and do not use that key any more"));
    }
    let signature = key.sign(&pbo, version).map_err(|e| e.about(file))?;
    write(&target, &signature, options, progress).map(|()| target)
}

/// The original of an archive that refit changed. Who uploads the folder uploads it, too.
pub fn original(archive: &Path) -> Option<PathBuf> {
    game_files::original_of(archive)
}

/// A signature next to an archive.
pub struct Signature {
    /// The archive.
    pub file: PathBuf,
    /// Its content, and the result of the check against the archive; or why it cannot be read.
    pub read: Result<(Key, sign::Report)>,
}

impl Signature {
    /// Name of the file.
    pub fn name(&self) -> String {
        self.file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// True if the games accept the archive with it.
    pub fn fits(&self) -> bool {
        self.read.as_ref().is_ok_and(|(_, report)| report.fits())
    }

    /// The result of the check, in words.
    pub fn text(&self) -> String {
        self.read
            .as_ref()
            .map_or_else(ToString::to_string, |(_, report)| report.to_string())
    }

    /// The authority in the file's name, `ARCHIVE.pbo.AUTHORITY.bisign`.
    fn named_authority(&self, archive: &Path) -> Option<String> {
        let (name, archive) = (self.name(), archive.file_name()?.len());
        let end = name.len().checked_sub(SIGNATURE.len() + 1)?;
        name.get(archive + 1..end).map(str::to_owned)
    }
}

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, s: S) -> std::result::Result<S::Ok, S::Error> {
        let row = match &self.read {
            Ok((_, report)) => {
                json!({ "file": self.name(), "fits": report.fits(), "report": report })
            }
            Err(e) => json!({ "file": self.name(), "fits": false, "error": e.to_string() }),
        };
        row.serialize(s)
    }
}

/// Checks the signatures next to an archive.
pub fn signatures(file: &Path) -> Result<Vec<Signature>> {
    let pbo = archive(file)?;
    let compare = |bisign: PathBuf| {
        let read = addon::read_small(&bisign)
            .and_then(|bytes| Key::read(&bytes))
            .and_then(|key| {
                let report = check_model(&pbo, &key)?;
                Ok((key, report))
            });
        Signature { file: bisign, read }
    };
    Ok(addon::signatures_beside(file)
        .into_iter()
        .map(compare)
        .collect())
}

/// The keys of a server.
pub struct ServerKeys {
    /// Each key with its file.
    keys: Vec<(PathBuf, Key)>,
    /// Files that are not public keys, and why.
    pub wrong: Vec<Error>,
}

impl ServerKeys {
    /// Reads the `*.bikey` in a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        if folder.is_file() {
            let error =
                Error::say("not a folder").hint("--keys takes the folder of a server's keys");
            return Err(error.in_file(folder.shown()));
        }
        let entries = std::fs::read_dir(folder).map_err(|e| Error::io(folder, e))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut found = ServerKeys {
            keys: Vec::new(),
            wrong: Vec::new(),
        };
        for file in files {
            if ends_with(&file, PRIVATE) {
                let secret = "a private key: anyone who has it can sign in its owner's name";
                found.wrong.push(
                    Error::say(secret)
                        .hint("a server needs only the .bikey")
                        .in_file(file.shown()),
                );
            } else if ends_with(&file, PUBLIC) {
                match addon::read_small(&file).and_then(|bytes| Key::read(&bytes)) {
                    Ok(key) if key.is_private() => {
                        found.wrong.push(
                            Error::say("a private key, not a public one").in_file(file.shown()),
                        );
                    }
                    Ok(key) => found.keys.push((file, key)),
                    Err(e) => found.wrong.push(e.about(&file)),
                }
            }
        }
        match found.keys.is_empty() && found.wrong.is_empty() {
            true => Err(Error::say("no .bikey in this folder").in_file(folder.shown())),
            false => Ok(found),
        }
    }

    /// How many keys there are.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// Why a server with these keys refuses an archive: a line for each signature. Empty if it
    /// accepts one of them.
    pub fn refusals(&self, file: &Path) -> Result<Vec<String>> {
        if let Some(name) = archive(file)?.private_key()? {
            return Ok(vec![format!(
                "{name} is a private key: anyone who has the archive can sign in its owner's name"
            )]);
        }
        let signatures = signatures(file)?;
        if signatures.is_empty() {
            return Ok(vec!["no signature".to_owned()]);
        }
        let mut refusals = Vec::new();
        for signature in &signatures {
            match self.refusal(file, signature) {
                Some(why) => refusals.push(format!("{}: {why}", signature.name())),
                None => return Ok(Vec::new()),
            }
        }
        Ok(refusals)
    }

    /// Why a server with these keys refuses a signature.
    fn refusal(&self, archive: &Path, signature: &Signature) -> Option<String> {
        let (key, report) = match &signature.read {
            Ok(read) => read,
            Err(e) => return Some(e.to_string()),
        };
        let authority = key.authority.show();
        let same_name = |other: &Key| other.authority.folded() == key.authority.folded();
        let mut with_numbers = self
            .keys
            .iter()
            .filter(|(_, other)| other.has_numbers_of(key))
            .peekable();
        let Some((known, of_server)) = with_numbers.peek().copied() else {
            return Some(match self.keys.iter().find(|(_, other)| same_name(other)) {
                Some((file, _)) => format!(
                    "signed with another key than {}, which has the same name",
                    file.shown()
                ),
                None => format!("signed with the key {authority}, which the server does not have"),
            });
        };
        if !with_numbers.any(|(_, other)| same_name(other)) {
            let other = of_server.authority.show();
            return Some(format!(
                "the key is called {authority} here, but {other} in {}",
                known.shown()
            ));
        }
        let named = signature.named_authority(archive).unwrap_or_default();
        if !named.as_bytes().eq_ignore_ascii_case(&key.authority.0) {
            return Some(format!(
                "the file name says {named}, but the key is called {authority}"
            ));
        }
        report.why()
    }
}
