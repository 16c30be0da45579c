//! `cargo xtask dist`: the files of a release, for the machine that runs it.

use crate::{Args, command, root};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// Maximum size of the stripped program in bytes.
const MOST: u64 = 16 << 20;

/// Runs the task.
pub fn task(args: Args) -> Result<()> {
    args.done()?;
    command(Command::new("cargo").args([
        "build",
        "--profile",
        "dist",
        "--locked",
        "--package",
        "refit",
    ]))?;
    let exe = format!("refit{}", std::env::consts::EXE_SUFFIX);
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    let binary = target.join("dist").join(&exe);
    let size = fs::metadata(&binary)
        .with_context(|| binary.display().to_string())?
        .len();
    ensure!(
        size <= MOST,
        "{} has {size} bytes, more than {MOST}: a dependency or a symbol table came in",
        binary.display()
    );
    let name = format!(
        "refit-{}-{}-{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let archives = target.join("archives");
    let folder = archives.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("completions"))?;
    fs::create_dir_all(folder.join("man"))?;
    fs::copy(&binary, folder.join(&exe)).with_context(|| binary.display().to_string())?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(file), folder.join(file)).context(file)?;
    }
    roundtrip_tests::process::copy_folder(&root().join("docs"), &folder.join("docs"));
    for (shell, file) in [
        ("bash", "refit.bash"),
        ("zsh", "_refit"),
        ("fish", "refit.fish"),
        ("powershell", "_refit.ps1"),
        ("elvish", "refit.elv"),
    ] {
        fs::write(
            folder.join("completions").join(file),
            output(&binary, &["completions", shell])?,
        )?;
    }
    command(
        Command::new(&binary)
            .arg("man")
            .arg("-o")
            .arg(folder.join("man")),
    )?;
    // Both are available on the three systems: Windows comes with a tar that writes zip.
    let archive = if cfg!(windows) {
        format!("{name}.zip")
    } else {
        format!("{name}.tar.gz")
    };
    let pack = if cfg!(windows) {
        vec!["-a", "-c", "-f"]
    } else {
        vec!["-c", "-z", "-f"]
    };
    let status = Command::new("tar")
        .args(pack)
        .args([&archive, &name])
        .current_dir(&archives)
        .status()
        .context("tar")?;
    ensure!(status.success(), "tar failed: {status}");
    let sum = refit::sha256(&fs::read(archives.join(&archive))?);
    fs::write(archives.join("SHA256SUMS"), format!("{sum}  {archive}\n"))?;
    println!("{}\n{sum}  {archive}", archives.join(&archive).display());
    Ok(())
}

fn output(binary: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let out = Command::new(binary)
        .args(args)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(
        out.status.success(),
        "refit {} failed: {}",
        args.join(" "),
        out.status
    );
    Ok(out.stdout)
}
