//! Definition files in reader archives: players have the sources there, in the form that the games
//! read.
//!
//! References to files (`ANIMATION_DEFINITION_FILE`, `ANIMATION_PATH`) use the studio's folders,
//! relative to the folder in which its tool ran. The comments of members are paths in the same
//! folders, so a shelf places each member there: `..\\data\\m1\\zrdr\\gate.zrd` finds the member
//! that was packed from `D:\\project\\data\\m1\\zrdr\\gateE3B0.TMP`. A member without such a
//! comment is placed in the folder of its archive. A file that is not found by its path is found by
//! its bare name.

use super::source::Doc;
use bytes::Bytes;
use refit_base::{
    tree::{Folder, Source},
    wire::{Result, Within, decode_1252},
};
use refit_zipper::archive;
use std::collections::HashMap;

/// The path of the shelf among the roots; no disk has such a folder.
pub const BASE: &str = "/archives";
/// The folder in which the studio's tool ran, next to its data.
pub const WORK: &str = "/archives/work";

/// Names of root files without extensions: of a mission, and in Crimson Skies of a mission and of a
/// world.
pub const ROOTS: [&str; 3] = ["anim", "mis_anim", "cam_anim"];

/// The members of reader archives as files in the studio's folders. If several members have the
/// same name and folder, the first is used, as in the games.
#[derive(Default)]
pub struct Shelf {
    /// The files.
    pub files: Folder,
    /// Paths by bare name in lower case.
    bare: HashMap<String, Vec<String>>,
}

impl Shelf {
    /// Adds the members of an archive. `scope` is the archive's folder: `m1/zrdr` for the archive
    /// `zrdr.zbd` of a mission, `common/zrdr` for the shared one. Returns the paths of its root
    /// files, in the order of `ROOTS`.
    pub fn add(&mut self, archive: &Bytes, scope: &str) -> Result<Vec<String>> {
        let (members, comments) = (archive::members(archive)?, archive::comments(archive)?);
        let mut roots: Vec<(usize, String)> = Vec::new();
        for ((name, bytes), comment) in members.into_iter().zip(comments) {
            let Some(bare) = name
                .rsplit(['/', '\\'])
                .next()
                .filter(|bare| !bare.is_empty() && !matches!(*bare, "." | ".."))
            else {
                continue;
            };
            let folder = comment
                .as_deref()
                .and_then(folder_of)
                .unwrap_or_else(|| format!("data/{scope}"));
            let path = format!("{folder}/{bare}");
            let folded = bare.to_lowercase();
            if let Some(at) = ROOTS
                .iter()
                .position(|root| folded.strip_suffix(".zrd") == Some(root))
                && !roots.iter().any(|(_, root)| *root == path)
            {
                roots.push((at, path.clone()));
            }
            if !self.files.has(&path) {
                self.bare.entry(folded).or_default().push(path.clone());
                self.files.set(&path, bytes);
            }
        }
        roots.sort();
        Ok(roots.into_iter().map(|(_, path)| path).collect())
    }

    /// The path of a file with this bare name. Of several, the one that shares the most parent
    /// folders with `from`, the file that refers to it.
    pub(crate) fn by_name(&self, bare: &str, from: &str) -> Option<&str> {
        let common = |path: &str| {
            path.split('/')
                .zip(from.split('/'))
                .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
                .count()
        };
        // Of several maxima, `max_by_key` returns the last, which is the first here.
        self.bare
            .get(&bare.to_lowercase())?
            .iter()
            .rev()
            .map(String::as_str)
            .max_by_key(|path| common(path))
    }

    /// The document of the first file with this bare name.
    pub fn doc(&self, bare: &str) -> Result<Option<Doc>> {
        let Some(path) = self.bare.get(bare).and_then(|paths| paths.first()) else {
            return Ok(None);
        };
        Doc::read(&self.files.get(path)?, path)
            .map(Some)
            .map_err(|e| e.in_file(path.clone()))
    }

    /// The path of a file in the list of source files (`..\\data\\m1\\zrdr\\anim.zrd`), if the
    /// shelf has it.
    pub fn listed(&self, path: &[u8]) -> Option<String> {
        let path = decode_1252(path).replace('\\', "/");
        let bare = path.rsplit('/').next()?;
        let wanted: Vec<&str> = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let all = self.bare.get(&bare.to_lowercase())?;
        let ends = |path: &&String| {
            let parts: Vec<&str> = path.split('/').collect();
            wanted.len() <= parts.len()
                && parts
                    .iter()
                    .rev()
                    .zip(wanted.iter().rev())
                    .all(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        all.iter().find(ends).cloned()
    }
}

/// The folder of a packed file, starting at the studio's data; `None` if the comment is not a path.
fn folder_of(comment: &str) -> Option<String> {
    let path = comment.replace('\\', "/");
    let (folder, _) = path.rsplit_once('/')?;
    let parts: Vec<&str> = folder
        .split('/')
        .filter(|part| !part.is_empty() && !part.ends_with(':'))
        .collect();
    if parts.is_empty()
        || parts
            .iter()
            .any(|part| matches!(*part, "." | "..") || part.chars().any(char::is_control))
    {
        return None;
    }
    // The location of the project does not matter; paths start at its data.
    let from = parts
        .iter()
        .position(|part| part.eq_ignore_ascii_case("data"))
        .unwrap_or(0);
    Some(parts.within(from..).join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_lies_where_its_comment_says() {
        assert_eq!(
            folder_of("D:\\project\\data\\m1\\zrdr\\envmodels\\frcE3B0.TMP").as_deref(),
            Some("data/m1/zrdr/envmodels")
        );
        assert_eq!(
            folder_of("E:\\work\\readers\\x.TMP").as_deref(),
            Some("work/readers")
        );
        for no_path in ["gate.zrd", "", "\\", "D:\\x.TMP", "a\\..\\b\\x.TMP"] {
            assert_eq!(folder_of(no_path), None, "{no_path}");
        }
    }
}
