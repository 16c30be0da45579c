//! A Wine environment as close to Windows as the tests need: adds what Wine lacks, and reports what
//! is unavailable.
//!
//! - **`bcryptprimitives.dll`**: Wine 8 has none, and programs built with a current Rust do not
//!   start without it (`xtask/windows/bcryptprimitives.c`).
//! - **Streams**: refit's notes are NTFS streams (`NAME:user.refit.written`), which Wine stores as
//!   files with such names on other file systems. ntfs-3g mounts an NTFS image with Windows' rules
//!   for names, and `TEMP` is in it. Wine reads `TEMP` only from its registry.
//! - **Locks**: locked byte ranges must not be readable through another handle. Programs are
//!   copied, and `ntdll.dll` in their import table is renamed to `ntdlk.dll`
//!   (`xtask/windows/ntdlk.c`), which checks locks before reads and writes.
//! - The reported version: Windows 10, which refit requires.
//!
//! Still missing in Wine 8: renames that replace an open file (POSIX semantics), the limit of 260
//! characters, the error on renaming a folder with an open file in it, junctions, and an interrupt
//! from the keyboard.

use anyhow::{Context, Result, ensure};
use object::{
    LittleEndian,
    pe::ImageNtHeaders64,
    read::{
        ReadCache,
        pe::{ImageThunkData as _, PeFile64},
    },
};
use std::{
    collections::BTreeSet,
    fs,
    io::{Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

const MINGW: &str = "/usr/bin/x86_64-w64-mingw32-gcc";
const DRIVER: &str = "/usr/bin/ntfs-3g";
/// Size of the image in bytes; it is sparse.
const DISK: u64 = 8 << 30;

/// A Wine prefix with a disk.
pub struct Wine {
    wine: PathBuf,
    server: PathBuf,
    folder: PathBuf,
    /// The folder that contains `TEMP`; it follows Windows' rules if the image could be mounted.
    disk: PathBuf,
    /// Missing features, as sentences.
    pub without: Vec<String>,
}

/// The result of a program.
pub struct Ended {
    /// Its exit code; `None` if it was stopped after the time limit.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
    /// Its running time.
    pub time: Duration,
}

/// Starts Wine in a folder, with the additions.
pub fn start(folder: &Path) -> Result<Wine> {
    let found = |names: &[&str]| names.iter().map(PathBuf::from).find(|path| path.exists());
    let wine = found(&["/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine"])
        .context("the package wine64 has no program")?;
    let server = found(&[
        "/usr/lib/wine/wineserver64",
        "/usr/lib/wine/wineserver",
        "/usr/bin/wineserver",
    ])
    .context("the package wine64 has no server")?;
    fs::create_dir_all(folder)?;
    let folder = fs::canonicalize(folder)?;
    let mut wine = Wine {
        wine,
        server,
        disk: folder.join("disk"),
        folder,
        without: Vec::new(),
    };
    // Left over from an interrupted run.
    wine.stop();
    wine.mount()?;
    let prefix = wine.prefix();
    let system = prefix.join("drive_c/windows/system32");
    if !system.join("ntdll.dll").exists() {
        let made = wine.run(
            wine.command("wineboot").arg("--init"),
            Duration::from_secs(180),
        )?;
        ensure!(
            system.join("ntdll.dll").exists(),
            "wineboot made no prefix: {}",
            made.err
        );
    }
    let random = crate::root().join("xtask/windows/bcryptprimitives.c");
    mingw(
        &[random.as_os_str(), "-ladvapi32".as_ref()],
        &system.join("bcryptprimitives.dll"),
    )?;
    let temp = windows(&wine.temp());
    for (key, name, value) in [
        (r"HKCU\Environment", "TEMP", temp.as_str()),
        (r"HKCU\Environment", "TMP", &temp),
        (r"HKCU\Software\Wine", "Version", "win10"),
    ] {
        let mut set = wine.command("reg");
        let ended = wine.run(
            set.args(["add", key, "/v", name, "/d", value, "/f"]),
            Duration::from_secs(60),
        )?;
        ensure!(
            ended.code == Some(0),
            "reg add {key} /v {name}: {}{}",
            ended.out,
            ended.err
        );
    }
    Ok(wine)
}

/// The path of a file for programs in Wine.
pub fn windows(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}

fn mingw(arguments: &[&std::ffi::OsStr], made: &Path) -> Result<()> {
    crate::command(
        Command::new(MINGW)
            .args(["-shared", "-O2", "-Wall", "-o"])
            .arg(made)
            .args(arguments),
    )
}

/// Copies a program, replacing some bytes wherever they occur; an error if they do not.
fn patched(program: &Path, copy: &Path, from: &[u8], to: &[u8]) -> Result<()> {
    let mut bytes = fs::read(program).with_context(|| program.display().to_string())?;
    let found: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, part)| *part == from)
        .map(|(at, _)| at)
        .collect();
    for at in &found {
        if let Some(part) = bytes.get_mut(*at..at + to.len()) {
            part.copy_from_slice(to);
        }
    }
    // A running program cannot be overwritten.
    let _ = fs::remove_file(copy);
    fs::write(copy, bytes)?;
    fs::set_permissions(copy, fs::Permissions::from_mode(0o755))?;
    ensure!(
        !found.is_empty() && from.len() == to.len(),
        "{} is another version",
        program.display()
    );
    Ok(())
}

impl Wine {
    fn prefix(&self) -> PathBuf {
        self.folder.join("prefix")
    }

    /// The value of `TEMP`.
    pub fn temp(&self) -> PathBuf {
        self.disk.join("temp")
    }

    /// The folder in which Windows' rules apply.
    pub fn disk(&self) -> &Path {
        &self.disk
    }

    /// Creates an empty NTFS disk and mounts it. If that fails, a plain folder is used, and the
    /// loss is noted. Permissions are enabled: for Wine a file without write permission is
    /// read-only.
    fn mount(&mut self) -> Result<()> {
        self.unmount();
        fs::create_dir_all(&self.disk)?;
        let image = self.folder.join("disk.ntfs");
        let _ = fs::remove_file(&image);
        fs::File::create(&image)?.set_len(DISK)?;
        let quiet = |command: &mut Command| {
            let out = command.stdin(Stdio::null()).output();
            out.map_err(|e| e.to_string()).and_then(|out| {
                if out.status.success() {
                    Ok(())
                } else {
                    Err(String::from_utf8_lossy(&out.stderr).into_owned())
                }
            })
        };
        let made = quiet(
            Command::new("/usr/sbin/mkntfs")
                .args(["--force", "--fast", "--quiet"])
                .arg(&image),
        );
        // The kernel must not cache anything: streams move with their file in a rename, which the
        // kernel does not know. ntfs-3g always requests caching of file contents in its FUSE
        // options; a patched copy replaces that option by another one.
        let driver = self.folder.join("ntfs-3g");
        if let Err(why) = patched(
            Path::new(DRIVER),
            &driver,
            b"kernel_cache,attr_timeout=",
            b"attr_timeout=0000000000000",
        ) {
            self.without.push(format!(
                "notes that are always true, as the kernel keeps streams of files that were replaced: {why:#}"
            ));
        }
        let options = "streams_interface=windows,windows_names,permissions,entry_timeout=0,attr_timeout=0,negative_timeout=0";
        let made = made.and_then(|()| {
            quiet(
                Command::new(&driver)
                    .args(["-o", options])
                    .arg(&image)
                    .arg(&self.disk),
            )
        });
        if let Err(why) = made {
            self.without.push(format!(
                "an NTFS disk, so that notes become files and every name will do: {}",
                why.trim()
            ));
        }
        fs::create_dir_all(self.temp())?;
        Ok(())
    }

    fn unmount(&self) {
        let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
        if mounts
            .lines()
            .any(|line| line.split(' ').nth(1) == self.disk.to_str())
        {
            let _ = Command::new("umount")
                .arg("--lazy")
                .arg(&self.disk)
                .status();
        }
    }

    /// Stops everything that runs in it.
    pub fn stop(&self) {
        for flag in ["-k", "-w"] {
            let _ = Command::new(&self.server)
                .arg(flag)
                .env("WINEPREFIX", self.prefix())
                .stderr(Stdio::null())
                .status();
        }
    }

    /// A command for a Windows program.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(&self.wine);
        command
            .arg(program)
            .env("WINEPREFIX", self.prefix())
            .env("WINEDEBUG", "-all");
        // File names are UTF-8, regardless of the system's locale.
        command
            .env("LC_ALL", "C.UTF-8")
            .env("RUST_BACKTRACE", "0")
            .env_remove("RUSTUP_TOOLCHAIN");
        command
    }

    /// Runs a program until it ends or has written nothing for too long.
    pub fn run(&self, command: &mut Command, longest: Duration) -> Result<Ended> {
        let log = |name: &str| -> Result<(PathBuf, fs::File)> {
            let path = self.folder.join(name);
            let file = fs::File::create(&path)?;
            Ok((path, file))
        };
        let ((out, out_file), (err, err_file)) = (log("stdout")?, log("stderr")?);
        let began = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(out_file)
            .stderr(err_file)
            .spawn()
            .with_context(|| self.wine.display().to_string())?;
        let code = self.wait(child, &out, longest)?;
        let read = |path: &Path| -> Result<String> {
            Ok(String::from_utf8_lossy(&fs::read(path)?).replace("\r\n", "\n"))
        };
        Ok(Ended {
            code,
            out: read(&out)?,
            err: read(&err)?,
            time: began.elapsed(),
        })
    }

    fn wait(&self, mut child: Child, out: &Path, longest: Duration) -> Result<Option<i32>> {
        let (mut last, mut length) = (Instant::now(), 0);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code());
            }
            let written = fs::metadata(out)?.len();
            if written != length {
                (last, length) = (Instant::now(), written);
            }
            if last.elapsed() > longest {
                // Its children belong to Wine, and are stopped with it.
                self.stop();
                let _ = child.kill();
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Builds the library with Windows' locks for these programs.
    pub fn locks(&mut self, programs: &[&Path]) -> Result<()> {
        let mut names = BTreeSet::new();
        for program in programs {
            names.extend(imports(program)?.names);
        }
        if !names.contains("NtReadFile") {
            self.without.push(
                "locks that are mandatory: no program reads through NtReadFile any more".to_owned(),
            );
        }
        let def = self.folder.join("ntdlk.def");
        let lines = names.iter().map(|name| match name.as_str() {
            "NtReadFile" => "  NtReadFile = read_unlocked\n".to_owned(),
            "NtWriteFile" => "  NtWriteFile = write_unlocked\n".to_owned(),
            name => format!("  {name} = ntdll.{name}\n"),
        });
        fs::write(&def, format!("EXPORTS\n{}", lines.collect::<String>()))?;
        let source = crate::root().join("xtask/windows/ntdlk.c");
        mingw(
            &[source.as_os_str(), def.as_os_str()],
            &self.prefix().join("drive_c/windows/system32/ntdlk.dll"),
        )
    }

    /// Copies a program so that it uses Windows' locks. Returns the copy.
    pub fn copy(&self, program: &Path) -> Result<PathBuf> {
        let folder = self.folder.join("programs");
        fs::create_dir_all(&folder)?;
        let copy = folder.join(program.file_name().context("a program has a name")?);
        fs::copy(program, &copy).with_context(|| program.display().to_string())?;
        let mut file = fs::File::options().write(true).open(&copy)?;
        for at in imports(program)?.library {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(b"ntdlk")?;
        }
        Ok(copy)
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        self.stop();
        self.unmount();
    }
}

/// The imports of a program from `ntdll.dll`.
struct Imports {
    /// Functions.
    names: BTreeSet<String>,
    /// Offsets of the library's name in the file.
    library: Vec<u64>,
}

fn imports(program: &Path) -> Result<Imports> {
    let shown = || program.display().to_string();
    let data = ReadCache::new(fs::File::open(program).with_context(shown)?);
    let pe = PeFile64::parse(&data).with_context(shown)?;
    let mut found = Imports {
        names: BTreeSet::new(),
        library: Vec::new(),
    };
    let table = pe.import_table()?.with_context(shown)?;
    let mut libraries = table.descriptors()?;
    while let Some(library) = libraries.next()? {
        let name = library.name.get(LittleEndian);
        if !table.name(name)?.eq_ignore_ascii_case(b"ntdll.dll") {
            continue;
        }
        let (at, _) = pe
            .section_table()
            .pe_file_range_at(name)
            .with_context(shown)?;
        found.library.push(at.into());
        let mut functions = table.thunks(library.original_first_thunk.get(LittleEndian))?;
        while let Some(function) = functions.next::<ImageNtHeaders64>()? {
            let (_, name) = table.hint_name(function.address())?;
            found
                .names
                .insert(String::from_utf8_lossy(name).into_owned());
        }
    }
    Ok(found)
}
