//! The promises as one function, for the fuzzers.

use bytes::Bytes;
use refit::{
    ErrorKind, detect,
    pipeline::{self, Hints, Via},
    tree::{Folder, Source, Style},
};

/// Checks bytes → model → bytes, and with a style bytes → tree → bytes. Accepted files are linted
/// as well.
///
/// `Ok(true)`: the round trip succeeded. `Ok(false)`: the file was rejected. `Err`: a promise is
/// broken.
pub fn check(bytes: &Bytes, path: &str, hints: Hints, via: Via) -> Result<bool, String> {
    if let Ok(Some(glanced)) = detect::glance(&bytes.into(), path)
        && detect::detect(bytes, path).as_ref().ok() != Some(&glanced)
    {
        return Err(format!(
            "a glance says {glanced:?}, the whole file does not"
        ));
    }
    match pipeline::verify(bytes, path, hints, via) {
        Ok(outcome) => match outcome
            .raw
            .iter()
            .find(|(member, why)| member.is_empty() || why.contains("bug in refit"))
        {
            Some((member, why)) => Err(format!("accepted, but not given back: {member:?}: {why}")),
            None => match pipeline::open(bytes, path, hints)
                .and_then(|opened| pipeline::lint(&*opened.model))
            {
                Ok(_) => Ok(true),
                Err(e) => Err(format!("it cannot be linted: {e}")),
            },
        },
        Err(e) if e.kind() == ErrorKind::Internal => Err(e.to_string()),
        Err(_) => Ok(false),
    }
}

/// Checks an edited tree: it must be rejected with an error, or give a file that keeps the promise
/// itself.
pub fn check_tree(tree: &Folder) -> Result<bool, String> {
    match pipeline::repack(tree) {
        Ok((head, bytes)) => {
            let hints = Hints {
                game: head.game,
                format: Some(head.format),
            };
            match check(&bytes.into(), &head.source.file, hints, Via::Bytes) {
                // A tree can contain what its file cannot: a reader value with another tag in place
                // of a loose text.
                Ok(_) => Ok(true),
                Err(e) => Err(format!("the file of an edited tree: {e}")),
            }
        }
        Err(e) if e.kind() == ErrorKind::Internal => Err(e.to_string()),
        Err(_) => Ok(false),
    }
}

/// The tree of a file, in memory; `None` if the file is rejected.
pub fn tree(bytes: &Bytes, path: &str, hints: Hints, style: Style) -> Option<Folder> {
    let folder = Folder::new();
    pipeline::unpack(bytes, path, hints, style, false, &folder, &|| Ok(())).ok()?;
    (!folder.paths().is_empty()).then_some(folder)
}
