//! Files in the folder of an archive that are not its content.

use refit_base::{secret, tree::Blob, wire::Result};

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Files that operating systems create in folders. They are left out without a note.
pub(super) fn is_of_system(path: &str) -> bool {
    let name = name_of(path);
    name.starts_with("._")
        || ["thumbs.db", "desktop.ini", ".ds_store", ".refit-written"]
            .iter()
            .any(|litter| name.eq_ignore_ascii_case(litter))
}

/// Files of editors, version control and refit: hidden files, backups, swap files; and private keys
/// by their name, which must never be shipped.
pub(super) fn is_of_tool(path: &str) -> bool {
    let name = name_of(path).to_ascii_lowercase();
    path.split('/').any(|part| part.starts_with('.'))
        || secret::is_private_key(&name, &[])
        || [".bak", ".orig", ".swp", ".swo", "~"]
            .iter()
            .any(|end| name.ends_with(end))
        || (name.len() > 1 && name.starts_with('#') && name.ends_with('#'))
}

/// True for the content of a private key, whatever it is called.
pub(super) fn is_private_key(file: &Blob) -> Result<bool> {
    secret::is_in("", file)
}

/// True for the archive that is being made, and for its signatures. `own` is its path in the
/// folder.
pub fn is_of_archive(path: &str, own: &str) -> bool {
    let signature =
        |rest: &str| rest.starts_with('.') && rest.to_ascii_lowercase().ends_with(".bisign");
    path.strip_prefix(own)
        .is_some_and(|rest| rest.is_empty() || signature(rest))
}

/// Maximum number of names in the note on what was left out.
const NAMED: usize = 8;

/// The sentence on files that were left out.
pub(super) fn note(mut left: Vec<String>) -> Option<String> {
    left.sort();
    let more = left.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let names = left
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match left.len() {
        0 => None,
        1 => Some(format!("1 file was left out: {names}")),
        n => Some(format!("{n} files were left out: {names}{more}")),
    }
}
