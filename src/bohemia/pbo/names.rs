//! The full names of an addon's files: the addon's prefix (or the name of the archive if it has
//! none), and the path.

use refit_base::naming::{Does, Name, NameKind, key};
use std::collections::HashSet;

/// A prefix as the games spell it.
pub fn prefix(property: &str) -> String {
    property.replace('/', "\\").trim_matches('\\').to_owned()
}

/// The name of an archive, which replaces a missing prefix.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name
        .get(..name.len().saturating_sub(4))
        .filter(|_| name.to_ascii_lowercase().ends_with(".pbo"));
    stem.unwrap_or(name)
}

/// Renames the files of an archive to their full names, prefix and path. Also renames the names in
/// its texts that refer to files of the archive.
pub fn call(names: &mut Vec<Name>, prefix: &str) {
    // If the tree and the archive have different names, the archive's name is the one that games
    // use.
    let named = |name: &Name| name.at.strip_suffix(".name").map(str::to_owned);
    let renamed: HashSet<String> = names
        .iter()
        .filter(|name| is_file(name))
        .filter_map(named)
        .collect();
    names.retain(|name| {
        !is_file(name)
            || name
                .at
                .strip_suffix(".file")
                .is_none_or(|entry| !renamed.contains(entry))
    });
    let mut own = HashSet::new();
    for name in names.iter_mut().filter(|name| is_file(name)) {
        name.name = format!("{prefix}\\{}", name.name.replace('/', "\\"));
        own.insert(key(NameKind::File, &name.name));
    }
    for name in names
        .iter_mut()
        .filter(|name| name.does == Does::Uses && name.kind == NameKind::File)
    {
        let folder = name
            .document
            .strip_prefix("files/")
            .and_then(|path| path.rsplit_once('/'))
            .map_or("", |(folder, _)| folder);
        let here = below(&[prefix, folder], &name.name);
        let top = below(&[prefix], &name.name);
        let is_own = |path: &String| own.contains(&key(NameKind::File, path));
        // A name that starts with a dot is relative to the script's folder. Any other name is
        // relative to that folder or to the addon's root.
        let meant = if name.name.starts_with('.') {
            here
        } else {
            here.filter(is_own).or(top.filter(is_own))
        };
        if let Some(meant) = meant {
            name.name = meant;
        }
    }
}

/// True for the name of a file of the archive.
fn is_file(name: &Name) -> bool {
    name.does == Does::Defines && name.kind == NameKind::File
}

/// Joins folders and a path, and resolves `.` and `..`; `None` if the result leaves the root.
fn below(folders: &[&str], path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folders
        .iter()
        .chain([&path])
        .flat_map(|part| part.split(['\\', '/']))
    {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("\\"))
}

/// Other names under which the games find a file: a picture in their own format replaces one in
/// another format, and a compiled configuration replaces its source.
pub fn also(name: &str) -> Vec<String> {
    const PICTURES: [&str; 5] = ["paa", "pac", "tga", "png", "jpg"];
    let Some((stem, end)) = name.rsplit_once('.') else {
        return Vec::new();
    };
    let end = end.to_ascii_lowercase();
    let others: &[&str] = match end.as_str() {
        end if PICTURES.contains(&end) => &["paa", "pac"],
        "cpp" => &["bin"],
        _ => &[],
    };
    others
        .iter()
        .filter(|other| **other != end)
        .map(|other| format!("{stem}.{other}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_their_file() {
        assert_eq!(
            below(&["x\\mod\\addons\\a", "scripts"], "..\\..\\main\\x.hpp").as_deref(),
            Some("x\\mod\\addons\\main\\x.hpp")
        );
        assert_eq!(
            below(&["a"], ".\\b\\.\\c.sqf").as_deref(),
            Some("a\\b\\c.sqf")
        );
        assert_eq!(below(&["a"], "..\\..\\c.sqf"), None);
        assert_eq!(also("a\\b.TGA"), ["a\\b.paa", "a\\b.pac"]);
        assert_eq!(also("a\\b.paa"), ["a\\b.pac"]);
        assert_eq!(also("a\\b.sqf"), Vec::<String>::new());
    }
}
