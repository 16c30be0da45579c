//! `cargo xtask golden [--check]`: the golden files made by [`crate::typical`], and `SHA256SUMS` of
//! every folder in `golden/`, in the format of `sha256sum`.

use crate::{Args, golden_folders, root};
use anyhow::{Context, Result, ensure};
use std::{fs, path::Path};

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let check = args.flag("--check");
    args.done()?;
    let mut stale = Vec::new();
    for (name, bytes) in crate::typical::golden() {
        let path = root().join("golden").join(&name);
        if fs::read(&path).unwrap_or_default() == bytes {
            continue;
        }
        if check {
            stale.push(format!("golden/{name}"));
        } else {
            fs::write(&path, bytes).with_context(|| name.clone())?;
            println!("wrote golden/{name}");
        }
    }
    for folder in golden_folders()? {
        let path = folder.join("SHA256SUMS");
        let shown = path
            .strip_prefix(root())
            .unwrap_or(&path)
            .display()
            .to_string();
        ensure!(
            folder.join("README.md").is_file(),
            "{} says nowhere where its files come from (README.md)",
            folder.display()
        );
        let sums = sums(&folder)?;
        if fs::read_to_string(&path).unwrap_or_default() == sums {
            continue;
        }
        if check {
            stale.push(shown);
        } else {
            fs::write(&path, sums).with_context(|| shown.clone())?;
            println!("wrote {shown}");
        }
    }
    ensure!(
        stale.is_empty(),
        "not what the files are: {}\nrun `cargo xtask golden` if the files are meant",
        stale.join(", ")
    );
    Ok(())
}

/// A line for every file of a folder except its notes. Subfolders contain the expected results
/// (`trees/`, `truth/`).
fn sums(folder: &Path) -> Result<String> {
    let mut out = String::new();
    for entry in walkdir::WalkDir::new(folder)
        .max_depth(1)
        .sort_by_file_name()
    {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_file() && name != "SHA256SUMS" && !name.ends_with(".md") {
            let bytes = fs::read(entry.path()).with_context(|| name.clone())?;
            out.push_str(&format!("{}  {name}\n", refit::sha256(&bytes)));
        }
    }
    Ok(out)
}
