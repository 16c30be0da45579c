//! The compiler for Windows, assembled from Debian packages: its rustc, the sources of its standard
//! library, MinGW, Wine.

use crate::debian::{self, RUSTC, install, script};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The compilation target.
pub const TARGET: &str = "x86_64-pc-windows-gnu";
/// The Debian packages. In addition, LLVM's linker in the version of rustc's own LLVM.
const PACKAGES: &[&str] = &["gcc-mingw-w64-x86-64", "wine", "wine64", "ntfs-3g"];
/// A compiled test program.
pub struct Program {
    /// `lib`, `main`, or its name in `roundtrip-tests/tests`.
    pub name: String,
    /// The program.
    pub file: PathBuf,
    /// The folder in which cargo would run it.
    pub folder: PathBuf,
}

/// A folder with a sysroot, and its build products.
pub struct Toolchain {
    target: PathBuf,
    tools: PathBuf,
}

/// Installs missing packages, and creates a sysroot in `target` if there is none.
pub fn prepare(target: &Path) -> Result<Toolchain> {
    ensure!(
        cfg!(target_os = "linux") && Path::new("/etc/debian_version").is_file(),
        "this is not Debian: rustc with the sources of its library, MinGW and Wine are taken from Debian's packages \
        (Debian 12 or newer)"
    );
    install(debian::RUST)?;
    install(PACKAGES)?;
    let linker = linker()?;
    let toolchain = Toolchain {
        target: target.to_owned(),
        tools: target.join("toolchain"),
    };
    toolchain.sysroot().context("the sysroot")?;
    // Cargo identifies the linker by its path, so replacing it does not rebuild everything. MinGW's
    // gcc looks for `-fuse-ld=lld` only next to its own linker, so LLVM's linker replaces
    // `collect2` (which calls it). No symbols: with them 42 programs take gigabytes.
    let with = match &linker {
        Some(program) => {
            let wrapper = toolchain.tools.join("wrapper");
            let line = format!(
                "case \"$1\" in */collect2) shift; exec {} \"$@\";; esac; exec \"$@\"",
                program.display()
            );
            script(&wrapper, &line)?;
            format!("-wrapper \"{}\"", wrapper.display())
        }
        None => String::new(),
    };
    let sysroot = toolchain.tools.join("sysroot");
    script(
        &toolchain.rustc(),
        &format!("exec {RUSTC} --sysroot \"{}\" \"$@\"", sysroot.display()),
    )?;
    script(
        &toolchain.linker(),
        &format!("exec /usr/bin/x86_64-w64-mingw32-gcc {with} -s \"$@\""),
    )?;
    Ok(toolchain)
}

/// LLVM's linker in the version of rustc's LLVM, because MinGW's own takes minutes for the tests;
/// MinGW's is used if Debian has no such package.
fn linker() -> Result<Option<PathBuf>> {
    let Some(package) = debian::lld()? else {
        return Ok(None);
    };
    if let Err(why) = install(&[&package]) {
        eprintln!("note: the tests are linked by MinGW's linker, which is slow: {why:#}");
        return Ok(None);
    }
    Ok(Some(PathBuf::from(format!("/usr/bin/ld.{package}"))).filter(|program| program.exists()))
}

impl Toolchain {
    fn rustc(&self) -> PathBuf {
        self.tools.join("rustc")
    }

    fn linker(&self) -> PathBuf {
        self.tools.join("x86_64-w64-mingw32-gcc")
    }

    /// Debian's rustc has no standard library for Windows, only its sources. The sysroot combines
    /// them with the two object files that are linked into every MinGW program, which no package
    /// contains.
    fn sysroot(&self) -> Result<()> {
        let sources = debian::sysroot(&self.tools.join("sysroot"))?;
        let target = self
            .tools
            .join("sysroot/lib/rustlib")
            .join(TARGET)
            .join("lib");
        fs::create_dir_all(&target)?;
        for object in ["rsbegin", "rsend"] {
            let made = target.join(format!("{object}.o"));
            if !made.exists() {
                let mut rustc = Command::new(RUSTC);
                rustc
                    .env("RUSTC_BOOTSTRAP", "1")
                    .args(["--target", TARGET, "-O", "--emit", "obj", "-o"])
                    .arg(&made);
                crate::command(rustc.arg(sources.join(format!("library/rtstartup/{object}.rs"))))?;
            }
        }
        Ok(())
    }

    /// Debian's cargo, set up to build for Windows, including the standard library.
    fn cargo(&self, command: &str) -> Command {
        let mut cargo = Command::new("/usr/bin/cargo");
        cargo.current_dir(crate::root()).arg(command).args([
            "--target",
            TARGET,
            "-Z",
            "build-std=std,panic_abort,panic_unwind,test",
        ]);
        // All packages in every command, so that features agree and nothing is built twice.
        cargo.args(["--locked", "--workspace"]);
        for name in ["refit-web", "refit-record", "xtask"] {
            cargo.args(["--exclude", name]);
        }
        cargo.args(["--message-format", "json-render-diagnostics"]);
        for name in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTC_WRAPPER",
            "RUSTUP_TOOLCHAIN",
        ] {
            cargo.env_remove(name);
        }
        cargo
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTC", self.rustc())
            .env("RUSTDOC", "/usr/bin/rustdoc");
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", self.linker());
        cargo
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo.stdout(Stdio::piped());
        cargo
    }

    /// Runs cargo and returns its JSON messages.
    fn made(&self, mut cargo: Command) -> Result<Vec<serde_json::Value>> {
        let out = cargo
            .stderr(Stdio::inherit())
            .output()
            .context("/usr/bin/cargo")?;
        ensure!(
            out.status.success(),
            "refit does not compile for {TARGET} (above)"
        );
        let lines = out
            .stdout
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let mut made = Vec::new();
        for line in lines {
            let said: serde_json::Value =
                serde_json::from_slice(line).context("what cargo says")?;
            if said["reason"] == "compiler-artifact" && said["executable"].is_string() {
                made.push(said);
            }
        }
        Ok(made)
    }

    /// Builds refit.exe, which the tests run.
    pub fn program(&self) -> Result<PathBuf> {
        let mut cargo = self.cargo("build");
        cargo.args(["--bin", "refit"]);
        let made = self.made(cargo)?;
        made.first()
            .and_then(|said| said["executable"].as_str())
            .map(PathBuf::from)
            .context("cargo built no refit.exe")
    }

    /// Builds test programs: all, or those with these names.
    pub fn tests(&self, names: &[String]) -> Result<Vec<Program>> {
        let mut cargo = self.cargo("test");
        cargo.arg("--no-run");
        for name in names {
            match name.as_str() {
                "lib" => cargo.arg("--lib"),
                "main" => cargo.args(["--bin", "refit"]),
                name => cargo.args(["--test", name]),
            };
        }
        if names.is_empty() {
            cargo.arg("--tests");
        }
        let mut programs = Vec::new();
        for said in self.made(cargo)? {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            if said["profile"]["test"] != true {
                continue;
            }
            let folder = Path::new(&text(&said["manifest_path"]))
                .parent()
                .unwrap_or(crate::root())
                .to_owned();
            // Another package may have a test program of the same name.
            let package = folder.file_name().and_then(|name| name.to_str());
            let name = match (said["target"]["kind"][0].as_str(), package) {
                (Some("bin"), _) => "main".to_owned(),
                (Some("test"), Some(package)) if package != "roundtrip-tests" => package.to_owned(),
                _ => text(&said["target"]["name"]),
            };
            programs.push(Program {
                name,
                file: text(&said["executable"]).into(),
                folder,
            });
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(programs)
    }
}
