//! Models, 'mechs and motions in Blender: written as glTF beside the project, and taken back as an
//! edit on each save (PROTOCOL.md).
//!
//! Nothing of a request is in the command line: the program is one of this machine, its script is
//! part of refit, and the path is made of letters, digits and `-`.

use super::{Entry, LONGEST_FILE, View};
use bytes::Bytes;
use refit_base::{
    format::Format,
    path::Shown,
    tree::disk::{self, Replace},
    wire::{Error, Result},
};
use refit_files::game_files;
use refit_gltf as gltf;
use refit_session::{Edit, Edited, Session};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

/// The environment variable that names the program.
const PROGRAM: &str = "REFIT_BLENDER";

/// Opens the file, and writes it again on each save.
const SCRIPT: &str = include_str!("blender.py");

/// Most files of one model; the user deletes them.
const MOST: usize = 1000;

/// What is opened in Blender.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// The file of the game.
    pub file: String,
    /// The model, the 'mech or the motion.
    pub member: String,
}

/// The size of a file and the time of its last save.
type Saved = Option<(u64, SystemTime)>;

/// A file that another program has open.
struct Open {
    path: PathBuf,
    file: String,
    member: String,
    /// The save that was taken back, or that refit wrote.
    taken: Saved,
    /// The save that was seen last: it may still be written.
    seen: Saved,
}

/// The files that other programs have open.
#[derive(Default)]
pub(super) struct Opened(Vec<Open>);

fn saved(path: &Path) -> Saved {
    let meta = path.metadata().ok().filter(|meta| meta.is_file())?;
    Some((meta.len(), meta.modified().ok()?))
}

/// A name of letters, digits and `-`.
fn safe(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    safe.trim_matches('-').to_owned()
}

/// Blender on this machine: the one that the environment names, one of the search path, or where
/// its installers put it.
fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(PROGRAM) {
        return Some(PathBuf::from(named)).filter(|program| program.is_file());
    }
    let name = if cfg!(windows) {
        "blender.exe"
    } else {
        "blender"
    };
    let search = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> = std::env::split_paths(&search)
        .filter(|folder| folder.is_absolute())
        .collect();
    if cfg!(windows) {
        let all = std::env::var_os("ProgramFiles").map(PathBuf::from);
        let versions = all.and_then(|all| all.join("Blender Foundation").read_dir().ok());
        let mut versions: Vec<PathBuf> = versions
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        // The newest one first.
        versions.sort();
        places.extend(versions.into_iter().rev());
    }
    if cfg!(target_os = "macos") {
        places.push("/Applications/Blender.app/Contents/MacOS".into());
        places.retain(|place| place.is_dir());
        let app = places.last().map(|place| place.join("Blender"));
        if let Some(app) = app.filter(|app| app.is_file()) {
            return Some(app);
        }
    }
    let mut programs = places.into_iter().map(|place| place.join(name));
    programs.find(|program| program.is_file())
}

/// Starts Blender with a file; it runs on when refit ends. False if it cannot be started.
fn start(program: &Path, file: &Path) -> bool {
    let started = Command::new(program)
        .args(["--python-expr", SCRIPT, "--"])
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        return false;
    };
    // Otherwise the system keeps what is left of the program while the page is open.
    let _ = std::thread::Builder::new().spawn(move || child.wait());
    true
}

impl View {
    /// A model, a 'mech or a motion as glTF, with the textures that it sees.
    pub(super) fn glb(&self, wanted: &Wanted) -> Result<Bytes> {
        let number = self
            .number_of(&wanted.file)
            .ok_or_else(|| Error::say("there is no such file").in_file(wanted.file.as_str()))?;
        let entry = self.entry(number)?;
        let opened = self.load(&entry)?;
        if opened.model.archive_of(Format::Motion).is_none() {
            return gltf::view(&opened.model, &wanted.member, &self.textures_of(&entry));
        }
        let motions = Bytes::from(opened.model.to_bytes()?);
        let called = wanted.member.to_lowercase();
        let mut found: Option<(String, &Entry)> = None;
        let files = self.files();
        let mechlibs = files
            .iter()
            .filter(|(_, file)| file.format == Some(Format::Mechlib));
        for (_, mechlib) in mechlibs {
            let model = self.load(mechlib)?.model;
            for name in gltf::views(&model, std::slice::from_ref(&motions))? {
                let mech = name.strip_suffix(".motions").unwrap_or_default();
                let fits = called
                    .strip_prefix(&mech.to_lowercase())
                    .is_some_and(|rest| !mech.is_empty() && rest.starts_with('_'));
                if fits
                    && found
                        .as_ref()
                        .is_none_or(|(best, _)| best.len() < name.len())
                {
                    found = Some((name, &**mechlib));
                }
            }
        }
        let (name, mechlib) = found.ok_or_else(|| {
            Error::say(format!("no 'mech has the motion {:?}", wanted.member))
                .in_file(wanted.file.as_str())
        })?;
        let mut with = self.textures_of(mechlib);
        with.push(motions);
        gltf::view(&self.load(mechlib)?.model, &name, &with)
    }

    /// The packages whose textures a file sees, where they can be read.
    fn textures_of(&self, near: &Entry) -> Vec<Bytes> {
        let from = near.place();
        let packages = self.packages_for(near).into_iter();
        let packages = packages.filter_map(|number| self.entry(number).ok());
        packages
            .filter(|package| {
                package
                    .role()
                    .is_some_and(|role| game_files::is_seen(&role.folder, &from))
            })
            .filter_map(|package| Some(self.load(&package).ok()?.model.to_bytes().ok()?.into()))
            .collect()
    }
}

impl Opened {
    /// The files, as the page lists them.
    pub fn rows(&self) -> Vec<Value> {
        let row = |open: &Open| json!({ "file": open.file, "member": open.member, "path": open.path.shown() });
        self.0.iter().map(row).collect()
    }

    /// Writes a file beside the project, and opens it in Blender if that is on this machine.
    pub fn open(&mut self, session: &Session, wanted: Wanted, glb: &[u8]) -> Result<Value> {
        let root = session.root();
        let mut folder = root.file_name().unwrap_or_default().to_owned();
        folder.push("-blender");
        let folder = root.with_file_name(folder).join(safe(&wanted.file));
        let last = wanted.member.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = Some(safe(last)).filter(|stem| !stem.is_empty());
        let stem = stem.unwrap_or_else(|| "model".to_owned());
        // A file that is there may have work that was never taken back: it stays.
        let names = (1..MOST).map(|n| match n {
            1 => folder.join(format!("{stem}.glb")),
            n => folder.join(format!("{stem}-{n}.glb")),
        });
        let mut path = None;
        for name in names {
            match disk::read_named(&name) {
                Ok(there) if there != glb => continue,
                Ok(_) => {}
                Err(_) => {
                    disk::write_file(&name, glb, Replace::default())?;
                }
            }
            path = Some(name);
            break;
        }
        let path = path.ok_or_else(|| {
            Error::say("there are too many files of this model")
                .in_file(folder.shown())
                .hint("delete them")
        })?;
        let taken = saved(&path);
        self.0.retain(|open| open.path != path);
        let program = program();
        let started = program
            .as_ref()
            .is_some_and(|program| start(program, &path));
        let answer = json!({ "path": path.shown(), "started": started });
        self.0.push(Open {
            path,
            file: wanted.file,
            member: wanted.member,
            taken,
            seen: taken,
        });
        Ok(answer)
    }

    /// Takes the next save back. `None` if nothing was saved, or if a save is still being written.
    pub fn take(&mut self, session: &mut Session) -> Result<Option<Edited>> {
        for open in &mut self.0 {
            let now = saved(&open.path);
            if now.is_none() || now == open.taken {
                continue;
            }
            if now != open.seen {
                open.seen = now;
                continue;
            }
            // A save that is refused is not tried again.
            open.taken = now;
            if now.is_some_and(|(bytes, _)| bytes > LONGEST_FILE as u64) {
                return Err(Error::say("more than 96 MB were saved").in_file(open.path.shown()));
            }
            let bytes = disk::read_named(&open.path)?.to_vec();
            let name = open.path.file_name().unwrap_or_default();
            let edit = Edit::Gltf {
                file: open.file.clone(),
                member: open.member.clone(),
                name: name.to_string_lossy().into_owned(),
                bytes,
            };
            return session
                .edit(&edit)
                .map(Some)
                .map_err(|e| e.context(format!("{} was saved", open.path.shown())));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_of_plain_signs() {
        for (name, plain) in [
            ("models/0003-door_00023", "models-0003-door-00023"),
            ("--python-expr", "python-expr"),
            ("../../x\" & calc", "x----calc"),
            ("zbd/m1/gamez.zbd", "zbd-m1-gamez-zbd"),
        ] {
            assert_eq!(safe(name), plain);
        }
    }
}
