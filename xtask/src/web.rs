//! The page without a server: `cargo xtask web` builds refit as WebAssembly and puts it next to the
//! page as static files, and `cargo xtask browser --web` drops the golden files onto that page in a
//! real Chromium.
//!
//! The module is built by the toolchain of rustup if it has the target, and otherwise, on Debian,
//! by Debian's rustc with the sources of its standard library. `wasm-opt` of binaryen makes it a
//! tenth smaller.

use crate::{Args, command, page, root, stage};
use anyhow::{Context, Result, bail, ensure};
use roundtrip_tests::process;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const TARGET: &str = "wasm32-unknown-unknown";

/// The permissions of the page: it may only load its own files, and contact no other server.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src blob: data:; media-src blob:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'";

/// Where cargo builds.
pub(crate) fn target() -> Result<PathBuf> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(std::path::absolute(target)?)
}

/// Runs `cargo xtask web`.
pub fn task(mut args: Args) -> Result<()> {
    let out: Option<PathBuf> = args.value("-o")?;
    args.done()?;
    let out = match out {
        Some(out) => out,
        None => target()?.join("web-page"),
    };
    build(&out)
}

/// Writes the page and the module into a folder.
fn build(out: &Path) -> Result<()> {
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let module = optimised(&module()?)?;
    let dist = page::folder().join("dist");
    let read =
        |name: &str| fs::read(dist.join(name)).with_context(|| format!("src/page/dist/{name}"));
    let index = String::from_utf8(read("index.html")?)?;
    let metas = format!(
        "<head>\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\" />\n    \
        <meta name=\"refit-source\" content=\"worker\" />"
    );
    let index = index.replacen("<head>", &metas, 1);
    // After the ten bytes of gzip's header, and before the eight of its checksums.
    let packed = read("page.js.gz")?;
    let packed = packed
        .get(10..packed.len().saturating_sub(8))
        .unwrap_or_default();
    let script = miniz_oxide::inflate::decompress_to_vec(packed)
        .map_err(|e| anyhow::anyhow!("page.js.gz: {e}"))?;
    let files = [
        ("index.html", index.into_bytes()),
        ("page.js", script),
        ("page.css", read("page.css")?),
        ("worker.js", read("worker.js")?),
        ("LICENSES.txt", read("LICENSES.txt")?),
        ("refit.wasm", module),
    ];
    for (name, bytes) in files {
        let packed = miniz_oxide::deflate::compress_to_vec(&bytes, 9).len();
        println!("{name:<14} {:>9} bytes, {packed:>9} packed", bytes.len());
        fs::write(out.join(name), bytes)?;
    }
    println!(
        "{}: a web server that only sends files can carry it",
        out.display()
    );
    Ok(())
}

/// Builds the module.
fn module() -> Result<PathBuf> {
    let target = target()?;
    let mut cargo = match rustup() {
        true => Command::new("cargo"),
        false => debian(&target)?,
    };
    cargo.args([
        "build",
        "--package",
        "refit-web",
        "--profile",
        "web",
        "--locked",
        "--target",
        TARGET,
    ]);
    command(&mut cargo)?;
    let folder = if rustup() {
        target
    } else {
        target.join("wasm")
    };
    Ok(folder.join(TARGET).join("web/refit_web.wasm"))
}

/// True if the usual toolchain has the target.
fn rustup() -> bool {
    let asked = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output();
    asked.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_dir())
}

/// Debian's cargo, set up to build the standard library, too.
#[cfg(unix)]
fn debian(target: &Path) -> Result<Command> {
    use crate::debian::{RUST, RUSTC, install, lld, script, sysroot};
    if !Path::new("/etc/debian_version").is_file() {
        bail!("the target is missing: rustup target add {TARGET}");
    }
    install(RUST)?;
    let linker = lld()?.context("rustc does not name its LLVM")?;
    install(&[&linker, "binaryen"])?;
    let folder = target.join("wasm");
    let (rustc, own) = (folder.join("rustc"), folder.join("sysroot"));
    sysroot(&own)?;
    script(
        &rustc,
        &format!("exec {RUSTC} --sysroot \"{}\" \"$@\"", own.display()),
    )?;
    let mut cargo = Command::new("/usr/bin/cargo");
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTUP_TOOLCHAIN",
    ] {
        cargo.env_remove(name);
    }
    let linker = linker.replace("lld", "wasm-ld");
    cargo
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", rustc)
        .env("CARGO_TARGET_DIR", &folder);
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    cargo.args(["-Z", "build-std=std,panic_abort"]);
    Ok(cargo)
}

#[cfg(not(unix))]
fn debian(_: &Path) -> Result<Command> {
    bail!("the target is missing: rustup target add {TARGET}")
}

/// The module, made smaller if there is a program for that.
fn optimised(module: &Path) -> Result<Vec<u8>> {
    let small = module.with_extension("small.wasm");
    let mut opt = Command::new("wasm-opt");
    // What rustc's code uses; older versions do not read this from the module.
    opt.args([
        "-Os",
        "--enable-bulk-memory",
        "--enable-sign-ext",
        "--enable-mutable-globals",
        "--enable-multivalue",
    ]);
    opt.args([
        "--enable-nontrapping-float-to-int",
        "--enable-reference-types",
    ]);
    let done = opt.arg(module).arg("-o").arg(&small).status();
    match done {
        Ok(status) => ensure!(status.success(), "wasm-opt: {status}"),
        Err(why) => {
            eprintln!(
                "note: without wasm-opt (package binaryen) the module is a tenth larger: {why}"
            );
            return fs::read(module).with_context(|| module.display().to_string());
        }
    }
    fs::read(&small).with_context(|| small.display().to_string())
}

/// Drops the golden files and small games onto the page: a new one, or one that `cargo xtask web`
/// made. Screenshots go into a folder.
pub fn browser(chromium: &Path, made: Option<PathBuf>, shots: Option<PathBuf>) -> Result<()> {
    let site = match made {
        Some(made) => std::path::absolute(made)?,
        None => {
            let site = target()?.join("web-page");
            build(&site)?;
            site
        }
    };
    let shots = shots.map(std::path::absolute).transpose()?;
    let place = tempfile::tempdir()?;
    for game in ["rc", "mw", "pm", "cs"] {
        stage::write(&place.path().join(game), game)?;
    }
    let golden = root().join("golden");
    let paths = [&site, place.path(), &golden, process::program(), chromium]
        .into_iter()
        .chain(shots.as_deref());
    let texts = paths.map(|path| {
        path.to_str()
            .context("paths are Unicode")
            .map(str::to_owned)
    });
    let texts = texts.collect::<Result<Vec<String>>>()?;
    let mut arguments = vec!["dev/web.mjs"];
    arguments.extend(texts.iter().map(String::as_str));
    page::run("node", &arguments)
}
