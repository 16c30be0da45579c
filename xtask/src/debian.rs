//! Debian's rustc for targets whose standard library is not packaged: builds it from Debian's
//! sources.

use anyhow::{Context, Result, bail, ensure};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The packages.
pub const RUST: &[&str] = &[
    "rustc-web",
    "libstd-rust-web-dev",
    "rust-web-src",
    "cargo-web",
];
/// The compiler.
pub const RUSTC: &str = "/usr/bin/rustc";

/// Installs Debian packages that are missing.
pub fn install(packages: &[&str]) -> Result<()> {
    let missing: Vec<&str> = packages
        .iter()
        .copied()
        .filter(|package| !installed(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let id = Command::new("id").arg("-u").output().context("id")?;
    ensure!(
        id.stdout == b"0\n",
        "packages are missing, and only root can install them: apt-get install --no-install-recommends {names}"
    );
    eprintln!("installing {names}");
    for (arguments, packages) in [
        (&["update"][..], &[][..]),
        (&["install", "--yes", "--no-install-recommends"], &missing),
    ] {
        let mut apt = Command::new("apt-get");
        apt.args(arguments)
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null());
        ensure!(
            apt.status()
                .context("apt-get: this Debian has none")?
                .success(),
            "apt-get {} {names} failed",
            arguments.join(" ")
        );
    }
    match missing.iter().find(|package| !installed(package)) {
        Some(package) => bail!("apt-get did not install {package}"),
        None => Ok(()),
    }
}

fn installed(package: &str) -> bool {
    let asked = Command::new("dpkg-query")
        .args(["-W", "-f=${Status}", package])
        .stderr(Stdio::null())
        .output();
    asked.is_ok_and(|found| found.stdout == b"install ok installed")
}

/// The package with LLVM's linker in the version of rustc's LLVM.
pub fn lld() -> Result<Option<String>> {
    let said = Command::new(RUSTC).arg("-vV").output().context(RUSTC)?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = said
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: ")?.split('.').next());
    Ok(version.map(|number| format!("lld-{number}")))
}

/// Writes a shell script, unless it has this content already.
pub fn script(path: &Path, line: &str) -> Result<()> {
    let text = format!("#!/bin/sh\n{line}\n");
    if fs::read_to_string(path).unwrap_or_default() != text {
        fs::write(path, text)?;
    }
    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

/// Makes a sysroot with the host's library and the sources of the standard library, which it
/// returns.
pub fn sysroot(folder: &Path) -> Result<PathBuf> {
    let lib = folder.join("lib/rustlib");
    let sources =
        fs::canonicalize("/usr/lib/rustlib/src/rust").context("/usr/lib/rustlib/src/rust")?;
    fs::create_dir_all(lib.join("src"))?;
    let host = "x86_64-unknown-linux-gnu";
    for (link, to) in [
        (lib.join(host), Path::new("/usr/lib/rustlib").join(host)),
        (lib.join("src/rust"), sources.clone()),
    ] {
        let _ = fs::remove_file(&link);
        symlink(to, &link)?;
    }
    Ok(sources)
}
