//! Folders of tests.

use std::path::Path;

/// All files below a folder with their bytes. Links are named, not followed.
pub fn snapshot(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root)
        .into_iter()
        .map(|entry| entry.expect("a folder can be read"))
    {
        if !entry.file_type().is_dir() {
            let bytes = if entry.file_type().is_file() {
                std::fs::read(entry.path()).expect("a file can be read")
            } else {
                Vec::new()
            };
            found.push((
                shown(entry.path().strip_prefix(root).unwrap_or(entry.path())),
                bytes,
            ));
        }
    }
    found.sort();
    found
}

/// A path as the program prints it: with `/`.
pub fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text
    }
}
