//! Wine, made as much like Windows as it takes: what it lacks is brought along, and said where it cannot be had.
//!
//! - **`bcryptprimitives.dll`**: Wine 8 has none, and no program of today's Rust starts without it (`xtask/windows/bcryptprimitives.c`).
//! - **Streams**: refit's notes are streams of NTFS (`NAME:user.refit.written`), of which Wine makes files of such names on other file systems.
//!   An image of NTFS is mounted by ntfs-3g, with Windows' rules for names, and `TEMP` lies in it. Wine takes `TEMP` from its registry only.
//! - **Locks**: ranges of bytes that are locked cannot be read through another handle. Programs are copied, with the name of `ntdll.dll` in
//!   their table of imports changed to `ntdlk.dll` (`xtask/windows/ntdlk.c`), whose reads and writes ask for the locks first.
//! - The version that Wine says it is: Windows 10, as refit needs.
//!
//! What Wine 8 does not show for all that: renames that replace an open file (POSIX semantics), the limit of 260 characters, the refusal to
//! rename a folder with an open file in it, junctions, and a key that interrupts.

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
/// Bytes of the image; it takes the disk that is used of it.
const DISK: u64 = 8 << 30;

/// A prefix of Wine, with a disk.
pub struct Wine {
    wine: PathBuf,
    server: PathBuf,
    folder: PathBuf,
    /// Where `TEMP` is; Windows' rules hold there, if the image could be mounted.
    disk: PathBuf,
    /// What it runs without, in sentences.
    pub without: Vec<String>,
}

/// What became of a program.
pub struct Ended {
    /// Its exit code, unless it took too long and was ended.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub out: String,
    /// What it wrote to standard error.
    pub err: String,
    /// How long it took.
    pub time: Duration,
}

/// Starts a Wine in a folder, with what it lacks.
pub fn start(folder: &Path) -> Result<Wine> {
    let found = |names: &[&str]| names.iter().map(PathBuf::from).find(|path| path.exists());
    let wine = found(&["/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/bin/wine"]).context("the package wine64 has no program")?;
    let server = found(&["/usr/lib/wine/wineserver64", "/usr/lib/wine/wineserver", "/usr/bin/wineserver"])
        .context("the package wine64 has no server")?;
    fs::create_dir_all(folder)?;
    let folder = fs::canonicalize(folder)?;
    let mut wine = Wine { wine, server, disk: folder.join("disk"), folder, without: Vec::new() };
    // What an interrupted run left.
    wine.stop();
    wine.mount()?;
    let prefix = wine.prefix();
    let system = prefix.join("drive_c/windows/system32");
    if !system.join("ntdll.dll").exists() {
        let made = wine.run(wine.command("wineboot").arg("--init"), Duration::from_secs(180))?;
        ensure!(system.join("ntdll.dll").exists(), "wineboot made no prefix: {}", made.err);
    }
    let random = crate::root().join("xtask/windows/bcryptprimitives.c");
    mingw(&[random.as_os_str(), "-ladvapi32".as_ref()], &system.join("bcryptprimitives.dll"))?;
    let temp = windows(&wine.temp());
    for (key, name, value) in
        [(r"HKCU\Environment", "TEMP", temp.as_str()), (r"HKCU\Environment", "TMP", &temp), (r"HKCU\Software\Wine", "Version", "win10")]
    {
        let mut set = wine.command("reg");
        let ended = wine.run(set.args(["add", key, "/v", name, "/d", value, "/f"]), Duration::from_secs(60))?;
        ensure!(ended.code == Some(0), "reg add {key} /v {name}: {}{}", ended.out, ended.err);
    }
    Ok(wine)
}

/// A path as Wine's programs say it.
pub fn windows(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}

fn mingw(arguments: &[&std::ffi::OsStr], made: &Path) -> Result<()> {
    crate::command(Command::new(MINGW).args(["-shared", "-O2", "-Wall", "-o"]).arg(made).args(arguments))
}

/// Copies a program, with other bytes wherever it has some; it is copied as it is if it has them nowhere.
fn patched(program: &Path, copy: &Path, from: &[u8], to: &[u8]) -> Result<()> {
    let mut bytes = fs::read(program).with_context(|| program.display().to_string())?;
    let found: Vec<usize> = bytes.windows(from.len()).enumerate().filter(|(_, part)| *part == from).map(|(at, _)| at).collect();
    for at in &found {
        if let Some(part) = bytes.get_mut(*at..at + to.len()) {
            part.copy_from_slice(to);
        }
    }
    // One that still runs cannot be written over.
    let _ = fs::remove_file(copy);
    fs::write(copy, bytes)?;
    fs::set_permissions(copy, fs::Permissions::from_mode(0o755))?;
    ensure!(!found.is_empty() && from.len() == to.len(), "{} is another version", program.display());
    Ok(())
}

impl Wine {
    fn prefix(&self) -> PathBuf {
        self.folder.join("prefix")
    }

    /// What `TEMP` says.
    pub fn temp(&self) -> PathBuf {
        self.disk.join("temp")
    }

    /// A folder in which Windows' rules hold.
    pub fn disk(&self) -> &Path {
        &self.disk
    }

    /// Makes an empty disk of NTFS, and mounts it; where that cannot be, a folder serves, and what is lost is noted. It keeps permissions: a
    /// file that none may write is what Wine calls read-only.
    fn mount(&mut self) -> Result<()> {
        self.unmount();
        fs::create_dir_all(&self.disk)?;
        let image = self.folder.join("disk.ntfs");
        let _ = fs::remove_file(&image);
        fs::File::create(&image)?.set_len(DISK)?;
        let quiet = |command: &mut Command| {
            let out = command.stdin(Stdio::null()).output();
            out.map_err(|e| e.to_string())
                .and_then(|out| if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) })
        };
        let made = quiet(Command::new("/usr/sbin/mkntfs").args(["--force", "--fast", "--quiet"]).arg(&image));
        // The kernel is to remember nothing: streams follow a rename of their file, of which it knows nothing. ntfs-3g always asks it to keep
        // the bytes of files, in its options for FUSE: another one takes that one's place in a copy of it.
        let driver = self.folder.join("ntfs-3g");
        if let Err(why) = patched(Path::new(DRIVER), &driver, b"kernel_cache,attr_timeout=", b"attr_timeout=0000000000000") {
            self.without.push(format!("notes that are always true, as the kernel keeps streams of files that were replaced: {why:#}"));
        }
        let options = "streams_interface=windows,windows_names,permissions,entry_timeout=0,attr_timeout=0,negative_timeout=0";
        let made = made.and_then(|()| quiet(Command::new(&driver).args(["-o", options]).arg(&image).arg(&self.disk)));
        if let Err(why) = made {
            self.without.push(format!("an NTFS disk, so that notes become files and every name will do: {}", why.trim()));
        }
        fs::create_dir_all(self.temp())?;
        Ok(())
    }

    fn unmount(&self) {
        let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
        if mounts.lines().any(|line| line.split(' ').nth(1) == self.disk.to_str()) {
            let _ = Command::new("umount").arg("--lazy").arg(&self.disk).status();
        }
    }

    /// Ends whatever runs in it.
    pub fn stop(&self) {
        for flag in ["-k", "-w"] {
            let _ = Command::new(&self.server).arg(flag).env("WINEPREFIX", self.prefix()).stderr(Stdio::null()).status();
        }
    }

    /// A program of Windows, to be run.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(&self.wine);
        command.arg(program).env("WINEPREFIX", self.prefix()).env("WINEDEBUG", "-all");
        // Names of files are UTF-8, whatever the language here is.
        command.env("LC_ALL", "C.UTF-8").env("RUST_BACKTRACE", "0").env_remove("RUSTUP_TOOLCHAIN");
        command
    }

    /// Runs a program to its end, or until it has written nothing for too long.
    pub fn run(&self, command: &mut Command, longest: Duration) -> Result<Ended> {
        let log = |name: &str| -> Result<(PathBuf, fs::File)> {
            let path = self.folder.join(name);
            let file = fs::File::create(&path)?;
            Ok((path, file))
        };
        let ((out, out_file), (err, err_file)) = (log("stdout")?, log("stderr")?);
        let began = Instant::now();
        let child =
            command.stdin(Stdio::null()).stdout(out_file).stderr(err_file).spawn().with_context(|| self.wine.display().to_string())?;
        let code = self.wait(child, &out, longest)?;
        let read = |path: &Path| -> Result<String> { Ok(String::from_utf8_lossy(&fs::read(path)?).replace("\r\n", "\n")) };
        Ok(Ended { code, out: read(&out)?, err: read(&err)?, time: began.elapsed() })
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
                // Its children are Wine's, and end with it.
                self.stop();
                let _ = child.kill();
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Makes the library that keeps Windows' locks for these programs.
    pub fn locks(&mut self, programs: &[&Path]) -> Result<()> {
        let mut names = BTreeSet::new();
        for program in programs {
            names.extend(imports(program)?.names);
        }
        if !names.contains("NtReadFile") {
            self.without.push("locks that are mandatory: no program reads through NtReadFile any more".to_owned());
        }
        let def = self.folder.join("ntdlk.def");
        let lines = names.iter().map(|name| match name.as_str() {
            "NtReadFile" => "  NtReadFile = read_unlocked\n".to_owned(),
            "NtWriteFile" => "  NtWriteFile = write_unlocked\n".to_owned(),
            name => format!("  {name} = ntdll.{name}\n"),
        });
        fs::write(&def, format!("EXPORTS\n{}", lines.collect::<String>()))?;
        let source = crate::root().join("xtask/windows/ntdlk.c");
        mingw(&[source.as_os_str(), def.as_os_str()], &self.prefix().join("drive_c/windows/system32/ntdlk.dll"))
    }

    /// Copies a program, so that it meets Windows' locks. Gives the copy.
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

/// What a program takes from `ntdll.dll`.
struct Imports {
    /// Functions.
    names: BTreeSet<String>,
    /// Where the name of the library is in the file.
    library: Vec<u64>,
}

fn imports(program: &Path) -> Result<Imports> {
    let shown = || program.display().to_string();
    let data = ReadCache::new(fs::File::open(program).with_context(shown)?);
    let pe = PeFile64::parse(&data).with_context(shown)?;
    let mut found = Imports { names: BTreeSet::new(), library: Vec::new() };
    let table = pe.import_table()?.with_context(shown)?;
    let mut libraries = table.descriptors()?;
    while let Some(library) = libraries.next()? {
        let name = library.name.get(LittleEndian);
        if !table.name(name)?.eq_ignore_ascii_case(b"ntdll.dll") {
            continue;
        }
        let (at, _) = pe.section_table().pe_file_range_at(name).with_context(shown)?;
        found.library.push(at.into());
        let mut functions = table.thunks(library.original_first_thunk.get(LittleEndian))?;
        while let Some(function) = functions.next::<ImageNtHeaders64>()? {
            let (_, name) = table.hint_name(function.address())?;
            found.names.insert(String::from_utf8_lossy(name).into_owned());
        }
    }
    Ok(found)
}
