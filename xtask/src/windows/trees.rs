//! Compares trees of the golden files made natively and under Wine: they must be the same, and each
//! system must repack the other's trees.

use super::wine::Wine;
use anyhow::{Context, Result, ensure};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

const LONGEST: Duration = Duration::from_secs(20 * 60);
/// Maximum number of differences in a message.
const SHOWN: usize = 20;

/// One system: a folder and its program.
struct System<'a> {
    name: &'static str,
    folder: PathBuf,
    wine: Option<&'a Wine>,
    refit: PathBuf,
}

impl System<'_> {
    /// Runs refit in the folder; it must succeed, with or without findings.
    fn run(&self, arguments: &[&str]) -> Result<()> {
        let words = arguments.join(" ");
        let cache = self.folder.join("cache");
        let (code, said) = match self.wine {
            Some(wine) => {
                let mut command = wine.command(&self.refit);
                let cache = super::wine::windows(&cache);
                let ended = wine.run(
                    command
                        .args(arguments)
                        .env("REFIT_CACHE", cache)
                        .current_dir(&self.folder),
                    LONGEST,
                )?;
                (ended.code, ended.out + &ended.err)
            }
            None => {
                let mut command = Command::new(&self.refit);
                command
                    .args(arguments)
                    .env("REFIT_CACHE", cache)
                    .current_dir(&self.folder)
                    .stdin(Stdio::null());
                let out = command
                    .output()
                    .with_context(|| self.refit.display().to_string())?;
                (
                    out.status.code(),
                    String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned(),
                )
            }
        };
        let end = said
            .lines()
            .rev()
            .take(SHOWN)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join("\n");
        ensure!(
            code == Some(0),
            "{}: refit {words}: exit code {code:?}\n{end}",
            self.name
        );
        Ok(())
    }
}

/// All files below a folder, by path.
fn files(root: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(root)?.display().to_string();
            found.insert(
                path,
                fs::read(entry.path()).with_context(|| entry.path().display().to_string())?,
            );
        }
    }
    Ok(found)
}

/// Copies a folder file by file, as an archive would: without refit's notes.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry?;
        let place = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(place)?;
        } else {
            fs::write(&place, fs::read(entry.path())?)
                .with_context(|| place.display().to_string())?;
        }
    }
    Ok(())
}

/// The differences between two sets of files; the first few by name.
fn differences(
    found: &BTreeMap<String, Vec<u8>>,
    expected: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let paths: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let differ = |path: &&String| match (found.get(*path), expected.get(*path)) {
        (Some(a), Some(b)) => (a != b).then(|| format!("{path} differs")),
        (None, _) => Some(format!("{path} is missing")),
        (_, None) => Some(format!("{path} is too much")),
    };
    paths.iter().filter_map(differ).collect()
}

fn same(
    what: &str,
    found: &BTreeMap<String, Vec<u8>>,
    expected: &BTreeMap<String, Vec<u8>>,
) -> Result<()> {
    let differences = differences(found, expected);
    let named = differences
        .iter()
        .take(SHOWN)
        .map(|line| format!("\n    {line}"))
        .collect::<String>();
    ensure!(
        differences.is_empty(),
        "{what}: {} of {} files differ{named}",
        differences.len(),
        expected.len()
    );
    Ok(())
}

/// The trees of a project, without what must differ: the location of the game, and the project's
/// id.
fn trees(root: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = files(root)?;
    for own in [".refit/source", ".refit/id"] {
        found
            .remove(own)
            .with_context(|| format!("the project has no {own}"))?;
    }
    Ok(found)
}

/// Builds a mod from the same sources, with the same key, on both systems.
fn addons(linux: &System<'_>, windows: &System<'_>) -> Result<usize> {
    let made = linux.folder.join("sources");
    roundtrip_tests::addons::project(&made);
    linux.run(&["key", "new", "-q", "me"])?;
    copy(&made, &windows.folder.join("sources"))?;
    let key = "me.biprivatekey";
    fs::copy(linux.folder.join(key), windows.folder.join(key))?;
    for system in [linux, windows] {
        let line = ["build", "sources", "-o", "mod", "--key", key, "--check"];
        system.run(&[&line[..], &["mod/keys", "-q"]].concat())?;
    }
    let (ours, theirs) = (
        files(&linux.folder.join("mod"))?,
        files(&windows.folder.join("mod"))?,
    );
    let archives = ours.keys().filter(|path| path.ends_with(".pbo")).count();
    ensure!(
        archives == roundtrip_tests::addons::ADDONS,
        "{archives} addons were built here"
    );
    same(
        "the mod built under Wine beside that built here",
        &theirs,
        &ours,
    )?;
    Ok(archives)
}

/// Runs the step. `here` is the native refit, `there` the one for Windows.
pub fn step(wine: &Wine, here: &Path, there: &Path, folder: &Path) -> Result<()> {
    let began = std::time::Instant::now();
    let _ = fs::remove_dir_all(folder);
    let linux = System {
        name: "here",
        folder: folder.to_owned(),
        wine: None,
        refit: here.to_owned(),
    };
    let windows = System {
        name: "under Wine",
        folder: wine.disk().join("trees"),
        wine: Some(wine),
        refit: there.to_owned(),
    };
    let golden = crate::root().join("golden");
    for system in [&linux, &windows] {
        // Next to the trees, so that relative paths between them are the same.
        copy(&golden, &system.folder.join("golden"))?;
    }
    windows.run(&["verify", "golden"])?;
    for system in [&linux, &windows] {
        system.run(&["unpack", "--quiet", "golden", "-o", "trees"])?;
    }
    let (ours, theirs) = (
        trees(&linux.folder.join("trees"))?,
        trees(&windows.folder.join("trees"))?,
    );
    let mut wrong: Vec<String> = Vec::new();
    let mut note = |found: Result<()>| wrong.extend(found.err().map(|why| format!("{why:#}")));
    note(same(
        "trees made under Wine beside those made here",
        &theirs,
        &ours,
    ));
    let mut count = 0;
    for (from, to) in [(&linux, &windows), (&windows, &linux)] {
        copy(&from.folder.join("trees"), &to.folder.join("others"))?;
        note(to.run(&["repack", "--quiet", "others", "-o", "back"]));
        let back = files(&to.folder.join("back"))?;
        let expected = golden_files()?;
        note(same(
            &format!("files made {} of the trees of the other system", to.name),
            &back,
            &expected,
        ));
        count = back.len();
    }
    let built = addons(&linux, &windows);
    let archives = *built.as_ref().unwrap_or(&0);
    note(built.map(|_| ()));
    ensure!(wrong.is_empty(), "{}", wrong.join("\n    "));
    println!(
        "trees          verify golden; {} files of {count} trees are the same; all came back on the other system; \
        {archives} addons are built to the same bytes, {:.1} s",
        ours.len(),
        began.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The golden files except the private key, which refit does not unpack.
fn golden_files() -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for folder in crate::golden_folders()? {
        let sums = fs::read_to_string(folder.join("SHA256SUMS"))?;
        let format = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for name in sums
            .lines()
            .filter_map(|line| Some(line.split_once("  ")?.1))
        {
            if name.ends_with(".biprivatekey") {
                continue;
            }
            found.insert(
                format!("{format}/{name}"),
                fs::read(folder.join(name)).with_context(|| name.to_owned())?,
            );
        }
    }
    Ok(found)
}
