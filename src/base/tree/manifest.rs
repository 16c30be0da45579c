//! The manifest at the root of a tree: `refit.json` or `refit.ron`.

use super::{Source, Style, text};
use crate::{
    Sum,
    format::Format,
    game::Game,
    wire::{Error, ErrorKind, Result, utf8},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// Version of the tree layout that this refit reads and writes. It reads no other version, so a
/// name that changed its meaning is never misread. Version 2 uses the games' own words for all
/// names (CHANGELOG.md).
pub const TREE_VERSION: u32 = 2;

/// The file that a tree came from.
#[derive(Clone, PartialEq, Eq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The file's name, without its folder: `repack` writes to it next to the tree.
    pub file: String,
    /// The file's size when it was unpacked.
    #[serde(default)]
    pub bytes: u64,
    /// The file's checksum when it was unpacked: `blake3:` and hexadecimal digits. In trees of earlier versions
    /// it is a SHA-256 under the key `sha256`.
    #[serde(default, alias = "sha256")]
    #[schemars(with = "String")]
    pub sum: LaterSum,
}

/// A checksum that another thread may still be computing: reading it waits.
#[derive(Clone)]
pub struct LaterSum(Arc<OnceLock<Sum>>);

impl LaterSum {
    /// A checksum that [`LaterSum::set`] will provide.
    pub fn pending() -> Self {
        LaterSum(Arc::default())
    }

    /// The checksum, once it is known.
    pub fn wait(&self) -> Sum {
        *self.0.wait()
    }

    /// Provides the checksum. Only the first call counts.
    pub fn set(&self, sum: Sum) {
        let _ = self.0.set(sum);
    }
}

impl Default for LaterSum {
    /// The checksum of a tree that has none.
    fn default() -> Self {
        Sum::default().into()
    }
}

impl From<Sum> for LaterSum {
    fn from(sum: Sum) -> Self {
        LaterSum(Arc::new(sum.into()))
    }
}

impl PartialEq for LaterSum {
    fn eq(&self, other: &Self) -> bool {
        self.wait() == other.wait()
    }
}

impl Eq for LaterSum {}

impl fmt::Debug for LaterSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for LaterSum {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.wait().serialize(s)
    }
}

impl<'de> Deserialize<'de> for LaterSum {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Sum::deserialize(d).map(LaterSum::from)
    }
}

/// The fields at the start of every manifest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Head {
    /// Version of the refit that wrote the tree.
    pub refit: String,
    /// Version of the tree layout.
    pub tree: u32,
    /// The game, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<Game>,
    /// Name of the format of the file.
    pub format: Format,
    /// The file that the tree came from.
    pub source: Origin,
}

impl Head {
    /// The head of a new tree.
    pub fn new(game: Option<Game>, format: Format, source: Origin) -> Self {
        Head {
            refit: env!("CARGO_PKG_VERSION").to_owned(),
            tree: TREE_VERSION,
            game,
            format,
            source,
        }
    }
}

/// Declares a format's manifest: the fields of the head, then its own.
/// `NAME::new(head, own fields…)` creates one.
#[macro_export]
macro_rules! manifest {
    ($(#[$m:meta])* $v:vis struct $name:ident, $kind:literal { $($fields:tt)* }) => {
        $crate::record! {
            $(#[$m])*
            $v struct $name with $crate::tree::Head above {
                /// Version of the refit that wrote the tree.
                refit: String,
                /// Version of the tree layout.
                tree: u32,
                /// The game, if known.
                game?: $crate::game::Game,
                /// Name of the format of the file.
                format: $crate::format::Format,
                /// The file that the tree came from.
                source: $crate::tree::Origin,
            } { $($fields)* }
        }
        $crate::document!($name, $kind);
    };
}

/// The manifest's name in a style.
pub fn manifest_path(style: Style) -> String {
    format!("refit.{}", style.ext())
}

/// Finds a tree's manifest and reads its style and head.
pub fn read_head(source: &dyn Source) -> Result<(Style, Head)> {
    /// The two fields that every tree version must keep, so that refit can name the reason.
    #[derive(Deserialize)]
    struct Version {
        refit: String,
        tree: u32,
    }
    let style = match (source.has("refit.json"), source.has("refit.ron")) {
        (true, false) => Style::Json,
        (false, true) => Style::Ron,
        (true, true) => {
            return Err(Error::say("the tree has both refit.json and refit.ron")
                .hint("delete the wrong one"));
        }
        (false, false) => {
            return Err(Error::say(
                "no refit.json or refit.ron in it: this is not an unpacked tree",
            )
            .of_kind(ErrorKind::Missing));
        }
    };
    let path = manifest_path(style);
    let bytes = source.get(&path)?;
    let text = utf8(&bytes).map_err(|e| e.in_file(path.clone()))?;
    // Some editors write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let version: Version = text::from_text(text, style).map_err(|e| e.in_file(path.clone()))?;
    if version.tree != TREE_VERSION {
        return Err(Error::say(format!(
            "a tree of version {}, made by refit {}; this refit reads version {TREE_VERSION}",
            version.tree, version.refit
        ))
        .in_file(path)
        .hint(match version.tree > TREE_VERSION {
            true => "a newer refit reads it",
            false => {
                "fields have been renamed: if you edited the tree, repack it with the refit that made it; then unpack \
                the file again with this one"
            }
        }));
    }
    let head = text::from_text(text, style).map_err(|e| e.in_file(path))?;
    Ok((style, head))
}

/// True for the root of an unpacked tree, and not for that of a project.
#[cfg(feature = "disk")]
pub fn is_tree(folder: &std::path::Path) -> bool {
    folder.is_dir()
        && ["refit.json", "refit.ron"]
            .iter()
            .any(|name| folder.join(name).is_file())
        && !is_project(folder)
}

/// True for the root of a project: a folder with a `refit.json` of a project and not of a tree.
#[cfg(feature = "disk")]
pub fn is_project(folder: &std::path::Path) -> bool {
    use std::io::{Read, Seek};
    let Ok((mut file, _)) = super::inside::open_regular(&folder.join(manifest_path(Style::Json)))
    else {
        return false;
    };
    let mut head = Vec::new();
    if (&mut file).take(1 << 10).read_to_end(&mut head).is_err() {
        return false;
    }
    // refit writes them first. Other programs may sort the keys: then a list can come before, and
    // everything must be read.
    let head = String::from_utf8_lossy(&head);
    match head.split('[').next().unwrap_or_default() {
        begin if begin.contains("\"tree\":") => false,
        begin if begin.contains("\"project\":") => true,
        _ => file.rewind().is_ok() && is_of_project(std::io::BufReader::new(file)),
    }
}

/// True for the manifest of a project.
pub fn is_of_project(manifest: impl std::io::Read) -> bool {
    /// The keys that identify a manifest.
    #[derive(Deserialize)]
    struct Keys {
        project: Option<serde::de::IgnoredAny>,
        tree: Option<serde::de::IgnoredAny>,
    }
    let keys: Option<Keys> = serde_json::from_reader(manifest).ok();
    keys.is_some_and(|keys| keys.project.is_some() && keys.tree.is_none())
}

/// The manifest's original format, if it was changed and nothing else was. `was` is the original
/// checksum of the manifest, and `formats` are all formats to try.
pub fn other_format(
    source: &dyn Source,
    style: Style,
    head: &Head,
    was: &super::sums::FileSum,
    formats: &[Format],
) -> Option<Format> {
    let text = String::from_utf8(source.get(&manifest_path(style)).ok()?.to_vec()).ok()?;
    let at = super::explain::find(&text, style, ["format"].into_iter())?;
    let (before, named, behind) = (
        text.get(..at.start)?,
        text.get(at.clone())?,
        text.get(at.end..)?,
    );
    let as_it_was = |format: &&Format| {
        let named = named.replacen(head.format.name(), format.name(), 1);
        was.fits([before, &named, behind].concat().as_bytes())
    };
    formats
        .iter()
        .filter(|format| **format != head.format)
        .find(as_it_was)
        .copied()
}

/// A tree with another game in its manifest, to find out which game its documents belong to.
pub struct OtherGame<'a> {
    source: &'a dyn Source,
    manifest: String,
    text: bytes::Bytes,
}

impl<'a> OtherGame<'a> {
    /// `None` if the manifest names no game.
    pub fn new(source: &'a dyn Source, style: Style, game: Game) -> Option<Self> {
        let manifest = manifest_path(style);
        let text = String::from_utf8(source.get(&manifest).ok()?.to_vec()).ok()?;
        let at = super::explain::find(&text, style, ["game"].into_iter())?;
        let named = text.get(at.clone())?;
        let old = Game::ALL
            .into_iter()
            .find(|game| named.contains(game.code()))?;
        let new = named.replacen(old.code(), game.code(), 1);
        let text = [text.get(..at.start)?, &new, text.get(at.end..)?]
            .concat()
            .into();
        Some(OtherGame {
            source,
            manifest,
            text,
        })
    }
}

impl Source for OtherGame<'_> {
    fn get(&self, path: &str) -> Result<bytes::Bytes> {
        if path == self.manifest {
            Ok(self.text.clone())
        } else {
            self.source.get(path)
        }
    }
    fn blob(&self, path: &str) -> Result<super::Blob> {
        if path == self.manifest {
            Ok(self.text.clone().into())
        } else {
            self.source.blob(path)
        }
    }
    fn has(&self, path: &str) -> bool {
        self.source.has(path)
    }
    fn paths(&self) -> Vec<String> {
        self.source.paths()
    }
    fn below(&self, folder: &str) -> Result<Vec<String>> {
        self.source.below(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_another_version_is_refused_with_advice() {
        let head = |tree: u32| {
            let text = format!(
                r#"{{ "refit": "0.1.0", "tree": {tree}, "format": "zmap", "source": {{ "file": "a" }},
                "file": "a.json" }}"#
            );
            let tree = crate::tree::Folder::default();
            crate::tree::Sink::put(&tree, "refit.json", text.as_bytes()).unwrap();
            read_head(&tree)
                .map(|(_, head)| head.tree)
                .map_err(|e| e.to_string())
        };
        assert_eq!(head(TREE_VERSION), Ok(2));
        let old = head(1).unwrap_err();
        assert!(
            old.contains("a tree of version 1, made by refit 0.1.0")
                && old.contains("pack it with the refit that made it"),
            "{old}"
        );
        let new = head(3).unwrap_err();
        assert!(
            new.contains("a tree of version 3") && new.contains("a newer refit reads it"),
            "{new}"
        );
    }

    #[cfg(feature = "disk")]
    #[test]
    fn a_project_is_recognised_in_every_layout_of_its_manifest() {
        let of = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("refit.json"), text).unwrap();
            (is_project(folder.path()), is_tree(folder.path()))
        };
        let files = format!(
            r#""files": [{}]"#,
            vec![r#"{ "file": "a", "tree": "b" }"#; 200].join(", ")
        );
        for text in [
            r#"{ "refit": "0.1.0", "project": 1, "files": [] }"#.to_owned(),
            r#"{"project":1,"files":[]}"#.to_owned(),
            format!(r#"{{ {files}, "project" : 1, "refit": "0.1.0" }}"#),
        ] {
            assert_eq!(of(&text), (true, false), "{text}");
        }
        let files = files.replace("tree", "project");
        for text in [
            r#"{ "refit": "0.1.0", "tree": 2, "project": 1 }"#.to_owned(),
            format!(r#"{{ {files}, "tree": 2 }}"#),
            "[]".to_owned(),
        ] {
            assert_eq!(of(&text), (false, true), "{text}");
        }
    }

    #[test]
    fn a_checksum_is_awaited_and_may_be_missing() {
        let origin: Origin = serde_json::from_str(r#"{ "file": "a.zbd" }"#).unwrap();
        assert!(origin.sum.wait().is_missing());
        let origin = Origin {
            sum: LaterSum::pending(),
            ..origin
        };
        let text = std::thread::scope(|scope| {
            let text = scope.spawn(|| serde_json::to_string(&origin).unwrap());
            origin.sum.set(Sum::of(b"ab"));
            text.join().unwrap()
        });
        let sum = Sum::of(b"ab");
        assert_eq!(
            text,
            format!(r#"{{"file":"a.zbd","bytes":0,"sum":"{sum}"}}"#)
        );
        // As earlier versions wrote it.
        let sum = crate::sha256(b"ab");
        let old = format!(r#"{{ "file": "a.zbd", "bytes": 2, "sha256": "{sum}" }}"#);
        let old: Origin = serde_json::from_str(&old).unwrap();
        assert!(old.sum.wait().fits(b"ab"));
    }
}
