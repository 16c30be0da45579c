//! `cargo xtask python`: builds the Python package as `pip` does, in its own environment, and tests
//! it: pytest, mypy, and the stubs of its native half. `cargo xtask blender` turns it into the
//! add-on, and tests that in Blender as a module.

use crate::{Args, command, root, typical};
use anyhow::{Context, Result, bail, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Requirements of the tests besides the package.
const TOOLS: [&str; 3] = ["pytest", "mypy", "numpy"];

/// Faces of each model in the world that is measured, which then has 38 MB.
const WORLD_FACES: usize = 120;

/// The first Python that is 3.10 or newer.
pub(crate) fn python(named: Option<PathBuf>) -> Result<PathBuf> {
    let names = ["python3", "python", "py"].map(PathBuf::from);
    let fits = |path: &PathBuf| {
        let check = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
        let run = Command::new(path)
            .args(["-c", check])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        run.is_ok_and(|status| status.success())
    };
    let named_one = named.clone();
    match named.map_or_else(
        || names.into_iter().find(fits),
        |path| Some(path).filter(fits),
    ) {
        Some(path) => Ok(path),
        None => match named_one {
            Some(path) => bail!("{}: no Python 3.10 or newer with venv", path.display()),
            None => bail!(
                "there is no Python 3.10 or newer with venv here; --python names one (Debian: python3-venv)"
            ),
        },
    }
}

/// The folder of the environment and of the builds for it.
fn target() -> Result<PathBuf> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(std::path::absolute(target)?.join("python"))
}

/// The Python of an environment, which is made if it is not there.
pub(crate) fn environment(folder: &Path, python: &Path) -> Result<PathBuf> {
    let own = if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python")
    };
    if !own.exists() {
        fs::create_dir_all(folder)?;
        command(Command::new(python).args(["-m", "venv"]).arg(folder))?;
    }
    Ok(own)
}

/// Installs packages into an environment.
pub(crate) fn install(python: &Path, packages: &[&str]) -> Result<()> {
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ])
    .args(packages);
    let done = command(&mut pip);
    done.with_context(|| {
        format!(
            "pip could not install {}: it needs the network the first time",
            packages.join(", ")
        )
    })
}

/// Builds the wheel.
fn wheel(python: &Path, target: &Path) -> Result<PathBuf> {
    let wheels = target.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "wheel",
        "--disable-pip-version-check",
        "--no-deps",
        "./python",
        "--wheel-dir",
    ]);
    // In a separate target folder, so that this build and that of the program do not invalidate
    // each other.
    command(
        pip.arg(&wheels)
            .env("CARGO_TARGET_DIR", target.join("build")),
    )?;
    Ok(fs::read_dir(&wheels)?
        .next()
        .context("pip made no wheel")??
        .path())
}

/// Runs `cargo xtask python`.
pub fn task(mut args: Args) -> Result<()> {
    let named: Option<PathBuf> = args.value("--python")?;
    let (wheel_only, figures) = (args.flag("--wheel"), args.flag("--figures"));
    let refit: Option<PathBuf> = args.value("--refit")?;
    args.done()?;
    let target = target()?;
    let python = environment(&target.join("venv"), &python(named)?)?;
    let wheel = wheel(&python, &target)?;
    println!("{}", wheel.display());
    if wheel_only {
        return Ok(());
    }
    install(&python, &TOOLS)?;
    let wheel = wheel
        .to_str()
        .context("the path of the wheel is not Unicode")?;
    install(&python, &["--force-reinstall", "--no-deps", wheel])?;
    if figures {
        measure(&python, &target, refit)
    } else {
        try_it(&python)
    }
}

/// Prints how long the package takes for large files, and the program for the same.
fn measure(python: &Path, target: &Path, refit: Option<PathBuf>) -> Result<()> {
    let refit = refit.unwrap_or_else(|| target.with_file_name("release").join("refit"));
    ensure!(
        refit.exists(),
        "{}: there is no program (cargo build --release -p refit)",
        refit.display()
    );
    let [animations, world] = ["anim.zbd", "gamez.zbd"].map(|name| target.join(name));
    let each = typical::recoil_animations(2).len() - typical::recoil_animations(1).len();
    fs::write(&animations, typical::recoil_animations(40_000_000 / each))?;
    fs::write(
        &world,
        typical::worlds::world(typical::worlds::Game::Mw, 1, WORLD_FACES),
    )?;
    let script = root().join("python/tests/figures.py");
    command(
        Command::new(python)
            .arg(script)
            .arg(std::path::absolute(refit)?)
            .args([&animations, &world]),
    )
}

/// Runs the tests of the package that is installed. They begin in `python/tests`, so that they do
/// not take the sources.
fn try_it(python: &Path) -> Result<()> {
    let folder = root().join("python/tests");
    let mut failed = Vec::new();
    let checks: [&[&str]; 4] = [
        &["pytest", "--quiet"],
        &["mypy", "--strict", "-p", "pyrefit"],
        &["mypy", "--strict", ".", "../examples"],
        &["mypy.stubtest", "pyrefit._refit"],
    ];
    for check in checks {
        println!("== {}", check.join(" "));
        let status = Command::new(python)
            .arg("-m")
            .args(check)
            .current_dir(&folder)
            .status()?;
        if !status.success() {
            failed.push(check.first().copied().unwrap_or_default());
        }
    }
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// The version of Blender as a module that tests use unless another one is named, and the only
/// Python that it is for.
const BLENDER: (&str, &str) = ("4.2.*", "python3.11");

/// Runs `cargo xtask blender`: the add-on as a package that is dropped onto Blender.
pub fn blender(mut args: Args) -> Result<()> {
    let named: Option<PathBuf> = args.value("--python")?;
    let made: Option<PathBuf> = args.value("--use")?;
    let version = args.value("--bpy")?.unwrap_or_else(|| BLENDER.0.to_owned());
    let tests = args.flag("--test");
    args.done()?;
    let target = target()?;
    let found = python(named.clone())?;
    let python = environment(&target.join("venv"), &found)?;
    let wheel = made.map_or_else(
        || wheel(&python, &target),
        |made| Ok(std::path::absolute(made)?),
    )?;
    let addon = std::path::absolute(package(&python, &target, &wheel)?)?;
    println!("{}", addon.display());
    if !tests {
        return Ok(());
    }
    let own = named.unwrap_or_else(|| PathBuf::from(BLENDER.1));
    let is_there = Command::new(&own)
        .arg("--version")
        .output()
        .is_ok_and(|done| done.status.success());
    ensure!(
        is_there,
        "{} is not here: bpy {version} runs only there (--python names it)",
        own.display()
    );
    let python = environment(
        &target.join(format!("blender-venv-{}", version.trim_end_matches(".*"))),
        &own,
    )?;
    install(&python, &[&format!("bpy=={version}"), "pytest"])?;
    install(
        &python,
        &[
            "--force-reinstall",
            "--no-deps",
            wheel.to_str().context("the path is not Unicode")?,
        ],
    )?;
    let mut pytest = Command::new(&python);
    // The tests run `cargo xtask mech3ax`, and install the package.
    pytest
        .env("REFIT_XTASK", std::env::current_exe()?)
        .env("REFIT_ADDON", addon);
    command(pytest.args(["-m", "pytest", "--quiet", "python/blender/tests"]))
}

/// Packs the add-on with its wheel.
fn package(python: &Path, target: &Path, wheel: &Path) -> Result<PathBuf> {
    let (source, folder) = (
        root().join("python/blender/refit_blender"),
        target.join("refit_blender"),
    );
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("wheels"))?;
    for entry in fs::read_dir(&source)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_file() {
            fs::copy(&path, folder.join(name))?;
        }
    }
    let name = wheel
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    fs::copy(wheel, folder.join("wheels").join(&name))?;
    let manifest = folder.join("blender_manifest.toml");
    let text = fs::read_to_string(&manifest)?;
    ensure!(
        text.contains("wheels = []"),
        "the manifest of the add-on has no place for wheels"
    );
    fs::write(
        &manifest,
        text.replace("wheels = []", &format!("wheels = [\"./wheels/{name}\"]")),
    )?;
    // The platform tag of the wheel: `linux_x86_64`.
    let system = name
        .trim_end_matches(".whl")
        .rsplit('-')
        .next()
        .unwrap_or_default()
        .to_owned();
    let out = target.join(format!(
        "refit_blender-{}-{system}",
        env!("CARGO_PKG_VERSION")
    ));
    let pack = "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])";
    command(
        Command::new(python)
            .args(["-c", pack])
            .arg(&out)
            .arg(&folder),
    )?;
    let mut zip = out.into_os_string();
    zip.push(".zip");
    Ok(zip.into())
}
