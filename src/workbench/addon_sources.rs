//! The sources of addons on disk: the folder of one, or a project with several, in the layout of
//! HEMTT (`addons/*`, `optionals/*`, `include/`, `.hemtt/project.toml`).

use super::options::Filter;
use refit_base::{
    path::Shown,
    tree::disk::open_regular,
    wire::{Error, Result},
};
use refit_files::pipeline::addon;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

/// The file of a project, below its root.
const PROJECT: &str = ".hemtt/project.toml";
/// The file of an addon with choices for its build.
pub(super) const ADDON: &str = "addon.toml";
/// Longest of these files, in bytes.
const LONGEST: u64 = 1 << 20;
/// The file with the version of a project that does not name another one.
const VERSION: &str = "addons/main/script_version.hpp";

/// The sources of one or more addons.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The folder of the project, or of the addon.
    pub root: PathBuf,
    /// The name of the mod.
    pub name: String,
    /// What the names of its archives begin with; empty for a single addon.
    pub prefix: String,
    /// Who made it.
    pub author: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The name of its key.
    pub authority: Option<String>,
    /// The version of its signatures.
    pub signature: Option<u32>,
    /// Its addons, in the order of their names; optional ones come last.
    pub addons: Vec<Addon>,
    /// Patterns of files of the root that belong to the mod.
    pub include: Vec<String>,
    /// Patterns of files that belong to no archive.
    pub exclude: Vec<String>,
    /// Properties of all archives.
    pub properties: BTreeMap<String, String>,
    /// Each optional addon is a mod of its own.
    pub has_optional_mods: bool,
    /// The name of the mod's folder, if the project gives one.
    folder: Option<String>,
    /// Only one addon of the project is built.
    pub(super) is_part: bool,
}

/// The source of an addon.
#[derive(Clone, Debug, Default)]
pub struct Addon {
    /// Its folder.
    pub folder: PathBuf,
    /// The name of the folder.
    pub name: String,
    /// Its path in the game.
    pub prefix: Option<String>,
    /// The name of its archive, without `.pbo`.
    pub archive: String,
    /// It is below `optionals`.
    pub is_optional: bool,
    /// False if its configs stay text.
    pub compiles: bool,
    /// Patterns of configs that stay text.
    pub uncompiled: Vec<String>,
    /// Patterns of its files that do not belong to the archive.
    pub exclude: Vec<String>,
    /// Properties of its archive.
    pub properties: BTreeMap<String, String>,
}

/// A project's file, as far as refit uses it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ProjectFile {
    name: Option<String>,
    author: Option<String>,
    prefix: Option<String>,
    mainprefix: Option<String>,
    version: VersionPart,
    files: FilesPart,
    signing: SigningPart,
    properties: BTreeMap<String, toml::Value>,
    hemtt: HemttPart,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct VersionPart {
    path: Option<String>,
    major: Option<u32>,
    minor: Option<u32>,
    patch: Option<u32>,
    build: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FilesPart {
    include: Vec<String>,
    exclude: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SigningPart {
    authority: Option<String>,
    version: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct HemttPart {
    build: BuildPart,
    release: BuildPart,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct BuildPart {
    optional_mod_folders: Option<bool>,
    folder: Option<String>,
}

/// An addon's own file.
#[derive(Deserialize, Default)]
#[serde(default)]
struct AddonFile {
    rapify: Switch,
    files: FilesPart,
    exclude: Vec<String>,
    properties: BTreeMap<String, toml::Value>,
}

#[derive(Deserialize)]
#[serde(default)]
struct Switch {
    enabled: bool,
    exclude: Vec<String>,
}

impl Default for Switch {
    fn default() -> Self {
        Switch {
            enabled: true,
            exclude: Vec::new(),
        }
    }
}

/// Reads a file of the project; `None` if there is none.
fn text(file: &Path) -> Result<Option<String>> {
    let read = || -> std::io::Result<Vec<u8>> {
        let (file, _) = open_regular(file)?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = match read() {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::io(file, e)),
    };
    if bytes.len() as u64 > LONGEST {
        return Err(Error::say("more than 1 MB are too many").in_file(file.shown()));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::say("this file must be UTF-8").in_file(file.shown()))?;
    Ok(Some(text.trim_start_matches('\u{feff}').to_owned()))
}

/// Reads a file of settings; the default if there is none.
fn settings<T: for<'de> Deserialize<'de> + Default>(file: &Path) -> Result<T> {
    let Some(text) = text(file)? else {
        return Ok(T::default());
    };
    toml::from_str(&text).map_err(|e| {
        let before = e
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        Error::text(
            before.matches('\n').count() + 1,
            line.chars().count() + 1,
            e.message(),
        )
        .in_file(file.shown())
    })
}

/// Texts and numbers of a table, as texts.
fn plain(table: BTreeMap<String, toml::Value>) -> BTreeMap<String, String> {
    let text = |value: toml::Value| match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(n) => Some(n.to_string()),
        toml::Value::Boolean(b) => Some(b.to_string()),
        _ => None,
    };
    table
        .into_iter()
        .filter_map(|(key, value)| Some((key, text(value)?)))
        .collect()
}

/// The folders in a folder, in the order of their names. Links and hidden folders are left out.
fn folders(at: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(at).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect();
    found.sort_by_cached_key(|path| {
        let name = name_of(path);
        (name.to_lowercase(), name)
    });
    found
}

fn name_of(folder: &Path) -> String {
    let whole = refit_base::path::whole(folder).unwrap_or_else(|_| folder.to_owned());
    whole
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The root of the project that a file is in.
pub(super) fn project_above(file: &Path) -> Option<PathBuf> {
    file.ancestors()
        .find(|above| above.join(PROJECT).is_file())
        .map(Path::to_owned)
}

/// The value of a macro in the text of a version.
fn defined(text: &str, names: &[&str]) -> Option<String> {
    text.lines().find_map(|line| {
        let mut words = line
            .trim_start()
            .strip_prefix('#')?
            .trim_start()
            .strip_prefix("define")?
            .split_whitespace();
        let name = words.next()?;
        let value = words.next()?;
        let is_number = value.bytes().all(|b| b.is_ascii_digit());
        (names.contains(&name) && is_number).then(|| value.to_owned())
    })
}

fn version(root: &Path, part: &VersionPart) -> Result<Option<String>> {
    if let (Some(major), Some(minor)) = (part.major, part.minor) {
        let mut version = format!("{major}.{minor}.{}", part.patch.unwrap_or_default());
        if let Some(build) = part.build {
            version.push_str(&format!(".{build}"));
        }
        return Ok(Some(version));
    }
    let path = part.path.as_deref().unwrap_or(VERSION).replace('\\', "/");
    // Only files of the project: it may come from somebody else.
    let is_inside = Path::new(&path)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_inside {
        return Ok(None);
    }
    let Some(text) = text(&root.join(&path))? else {
        return Ok(None);
    };
    let parts = [
        &["MAJOR"][..],
        &["MINOR"],
        &["PATCHLVL", "PATCH"],
        &["BUILD"],
    ]
    .map(|names| defined(&text, names));
    let known: Vec<String> = parts.into_iter().map_while(|part| part).collect();
    Ok((known.len() >= 2).then(|| known.join(".")))
}

impl Sources {
    /// The sources in a folder: a project with `.hemtt/project.toml`, a folder with `addons/*`, or
    /// an addon.
    pub fn of(root: &Path) -> Result<Self> {
        if !root.is_dir() {
            return Err(match root.exists() {
                true => Error::say("not a folder, but an addon is built from its source folder"),
                false => Error::say("there is no such folder"),
            }
            .in_file(root.shown()));
        }
        if root.join(PROJECT).is_file() {
            return Self::of_project(root);
        }
        if addon::is_source(root) {
            return Self::of_addon(root);
        }
        let inside = folders(&root.join("addons"));
        if inside.iter().any(|folder| addon::is_source(folder)) {
            return Self::of_project(root);
        }
        Err(Error::say("no source of an addon")
            .in_file(root.shown())
            .hint(
                "an addon has a config.cpp or a $PBOPREFIX$, a project has .hemtt/project.toml or \
                a folder `addons` with them",
            ))
    }

    /// One addon. If it is in a project, the project's settings hold for it.
    fn of_addon(root: &Path) -> Result<Self> {
        let whole = refit_base::path::whole(root).map_err(|e| Error::io(root, e))?;
        if let Some(project) = project_above(&whole) {
            let mut sources = Self::of_project(&project)?;
            let own = |addon: &Addon| {
                refit_base::path::whole(&addon.folder).is_ok_and(|folder| folder == whole)
            };
            sources.addons.retain(own);
            if !sources.addons.is_empty() {
                sources.is_part = true;
                return Ok(sources);
            }
        }
        let mut addon = Addon::of(root, None, "")?;
        addon.archive.clone_from(&addon.name);
        Ok(Sources {
            root: root.to_owned(),
            name: addon.name.clone(),
            addons: vec![addon],
            ..Sources::default()
        })
    }

    fn of_project(root: &Path) -> Result<Self> {
        let file: ProjectFile = settings(&root.join(PROJECT))?;
        let name = file.name.unwrap_or_else(|| name_of(root));
        let prefix = file.prefix.unwrap_or_default();
        // As HEMTT names addons without a prefix file.
        let place = |kind: &str| match &*prefix {
            "" => None,
            prefix => {
                let main = file.mainprefix.as_deref().unwrap_or("z");
                Some(format!("{main}\\{prefix}\\{kind}"))
            }
        };
        let mut addons = Vec::new();
        for kind in ["addons", "optionals"] {
            for folder in folders(&root.join(kind)) {
                // Empty folders stay where files were moved away.
                if std::fs::read_dir(&folder).is_ok_and(|mut files| files.next().is_none()) {
                    continue;
                }
                let mut addon = Addon::of(&folder, place(kind), &prefix)?;
                addon.is_optional = kind == "optionals";
                addons.push(addon);
            }
        }
        Ok(Sources {
            root: root.to_owned(),
            version: version(root, &file.version)?,
            name,
            author: file.author,
            authority: file.signing.authority,
            signature: file.signing.version,
            addons,
            include: file.files.include,
            exclude: file.files.exclude,
            properties: plain(file.properties),
            has_optional_mods: file
                .hemtt
                .build
                .optional_mod_folders
                .or(file.hemtt.release.optional_mod_folders)
                .unwrap_or(true),
            folder: file.hemtt.release.folder,
            is_part: false,
            prefix,
        })
    }

    /// The name of the mod's folder, without the `@`.
    pub fn folder_name(&self) -> String {
        let prefix = Some(&self.prefix).filter(|prefix| !prefix.is_empty());
        let name = self.folder.as_ref().or(prefix).unwrap_or(&self.name);
        let usable = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
        let name: String = name.chars().filter(|c| usable(*c)).collect();
        let name = name.trim().trim_matches('.');
        match refit_base::path::unusable(name) {
            None if !name.is_empty() => name.to_owned(),
            _ => "mod".to_owned(),
        }
    }

    /// Which files of a project belong to an addon's archive.
    pub(super) fn filter(&self, addon: &Addon, more: &[String]) -> Result<Filter> {
        let all: Vec<String> = self
            .exclude
            .iter()
            .chain(&addon.exclude)
            .chain(more)
            .cloned()
            .collect();
        Filter::new(&[], &all)
    }
}

impl Addon {
    fn of(folder: &Path, place: Option<String>, project: &str) -> Result<Self> {
        let name = name_of(folder);
        let file: AddonFile = settings(&folder.join(ADDON))?;
        let prefix = addon::prefix_of(folder)
            .or_else(|| place.map(|place| format!("{place}\\{name}")))
            .map(|prefix| prefix.trim_matches(['\\', '/']).replace('/', "\\"))
            .filter(|prefix| !prefix.is_empty());
        let lower = name.to_lowercase();
        let archive = match project {
            "" => name.clone(),
            // Names that have it already do not get it twice.
            project if lower.starts_with(&format!("{}_", project.to_lowercase())) => name.clone(),
            project => format!("{project}_{name}"),
        };
        let mut exclude = file.files.exclude;
        exclude.extend(file.exclude);
        Ok(Addon {
            folder: folder.to_owned(),
            name,
            prefix,
            archive,
            is_optional: false,
            compiles: file.rapify.enabled,
            uncompiled: file.rapify.exclude,
            exclude,
            properties: plain(file.properties),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn a_project_says_what_its_addons_are() {
        let project = folder(&[
            (
                ".hemtt/project.toml",
                "name = \"Lab\"\nprefix = \"lab\"\nmainprefix = \"x\"\nauthor = \"Me\"\n\
                [version]\nmajor = 1\nminor = 2\npatch = 3\n[signing]\nauthority = \"lab_key\"\n\
                [files]\ninclude = [\"LICENSE\"]\nexclude = [\"*.psd\"]\n[properties]\na = 1\n\
                [lints.config.x]\nenabled = false\n",
            ),
            ("addons/main/config.cpp", ""),
            ("addons/Hut/config.cpp", ""),
            ("addons/Hut/$PBOPREFIX$", "z\\other\\hut\n"),
            (
                "addons/Hut/addon.toml",
                "[rapify]\nenabled = false\n[files]\nexclude = [\"notes/*\"]\n",
            ),
            ("optionals/lab_more/config.cpp", ""),
        ]);
        std::fs::create_dir_all(project.path().join("addons/empty")).unwrap();
        let sources = Sources::of(project.path()).unwrap();
        assert_eq!(
            (
                &*sources.name,
                &*sources.folder_name(),
                sources.version.as_deref()
            ),
            ("Lab", "lab", Some("1.2.3"))
        );
        let addons: Vec<_> = sources
            .addons
            .iter()
            .map(|a| {
                (
                    &*a.archive,
                    a.prefix.as_deref().unwrap(),
                    a.is_optional,
                    a.compiles,
                )
            })
            .collect();
        assert_eq!(
            addons,
            [
                ("lab_Hut", "z\\other\\hut", false, false),
                ("lab_main", "x\\lab\\addons\\main", false, true),
                ("lab_more", "x\\lab\\optionals\\lab_more", true, true),
            ]
        );
        let filter = sources.filter(&sources.addons[0], &[]).unwrap();
        assert!(filter.keeps(Path::new("a.txt")) && !filter.keeps(Path::new("b/a.psd")));
        assert!(!filter.keeps(Path::new("notes/a.txt")));
        // One addon of the project has its settings.
        let one = Sources::of(&project.path().join("addons/main")).unwrap();
        assert_eq!((one.addons.len(), &*one.addons[0].archive), (1, "lab_main"));
    }

    #[test]
    fn versions_come_from_the_text_of_macros() {
        let text =
            "#define MAJOR 3\n  # define MINOR 15 // x\n#define PATCHLVL 2\n#define BUILD x\n";
        let project = folder(&[(".hemtt/project.toml", ""), (VERSION, text)]);
        let sources = Sources::of(project.path()).unwrap();
        assert_eq!(sources.version.as_deref(), Some("3.15.2"));
        let wrong = folder(&[(".hemtt/project.toml", "name = \"a\"\nprefix = 1\n")]);
        let e = Sources::of(wrong.path()).unwrap_err().to_string();
        assert!(
            e.contains("project.toml:2:10: ") && e.contains("string"),
            "{e}"
        );
        let e = Sources::of(&wrong.path().join("no"))
            .unwrap_err()
            .to_string();
        assert!(e.contains("there is no such folder"), "{e}");
        let empty = tempfile::tempdir().unwrap();
        let e = Sources::of(empty.path()).unwrap_err().to_string();
        assert!(e.contains("no source of an addon"), "{e}");
    }
}
