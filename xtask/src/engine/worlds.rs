//! Worlds that the verbs of refit write, as the engine reads them and writes them again.

use super::{Engine, Verdict, compare, keep, one};
use crate::{fuzz::Random, root, typical::recoil::small_recoil_world};
use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use refit::formats::gamez::{Gamez, nodes::Data};
use roundtrip_tests::process;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// Steps after which a folder is made anew.
const STEPS: usize = 12;

/// The worlds of a folder: of a game and of a copy of it, to which mods go, two small worlds outside
/// of a game, and one that a step makes.
const WORLDS: [&str; 5] = [
    "game/zbd/m1/gamez.zbd",
    "other/zbd/m1/gamez.zbd",
    "small.zbd",
    "freed.zbd",
    "new.zbd",
];

/// What a step does, and the commands that do it. Steps after others in one folder are sequences
/// of verbs.
fn step(random: &mut Random, n: usize, at: &Path) -> Vec<String> {
    let world = one(random, &WORLDS).unwrap_or_default();
    let (x, z) = (random.below(1000), random.below(700));
    let turn = ["", " --turn 90", " --turn=-33.5"][random.below(3)];
    let name = ["tower", "gate", "shed", "mast"][random.below(4)];
    let subject = subject(&at.join(world), random);
    match random.below(24) {
        0 | 1 => vec![format!(
            "new gamez --game rc --extents {x},{z},{},{} -o new.zbd --force",
            x + 256 * (1 + random.below(5)),
            z + 256 * (1 + random.below(4))
        )],
        2..5 => vec![format!(
            "world add {world} models/tower.gltf --at {x},0,{z}{turn} --force"
        )],
        5 | 6 => {
            let craters = if random.below(2) == 0 {
                " --craters"
            } else {
                ""
            };
            vec![format!(
                "world ground {world} models/hills.gltf{craters} --force"
            )]
        }
        7..9 => vec![format!(
            "world copy {world} {subject} --name copy{n} --at {x},0,{z} --force"
        )],
        9 | 10 => {
            let other = one(random, &WORLDS).unwrap_or_default();
            let subject = self::subject(&at.join(other), random);
            vec![format!(
                "world copy {world} {subject} --from {other} --at {x},0,{z} --force"
            )]
        }
        11 => vec![format!(
            "world move {world} {subject} --by {x},3,{z}{turn} --force"
        )],
        12 => {
            let parent = self::subject(&at.join(world), random);
            vec![format!("world reparent {world} {subject} {parent}")]
        }
        13 => vec![format!("world rename {world} {subject} {name}{n} --force")],
        14..17 => vec![format!("world remove {world} {subject} --force")],
        17 | 18 => {
            let under = if random.below(2) == 0 {
                "world1"
            } else {
                &subject
            };
            vec![format!(
                "import models/tower.gltf --into {world} --under {under} --force"
            )]
        }
        // A world as glTF, with a node moved by another program; a model in the place of another.
        19 => vec![
            format!("get {world} world -o w.glb --force"),
            format!("shift w.glb {}", random.below(40)),
            format!("put {world} world w.glb"),
        ],
        20 => {
            let models = models(&at.join(world));
            let [from, to] = [(); 2].map(|()| {
                models
                    .get(random.below(models.len()))
                    .cloned()
                    .unwrap_or_else(|| "models/0000".to_owned())
            });
            vec![
                format!("get {world} {from} -o m.glb --force"),
                format!("put {world} {to} m.glb"),
            ]
        }
        // A mod of a changed game, applied to a copy that was changed elsewhere.
        21 => vec![
            format!("world move game/zbd/m1/gamez.zbd #4 --by {x},0,1 --force"),
            format!("world move other/zbd/m1/gamez.zbd #6 --by 1,0,{z} --force"),
            "mod make pristine game -o w.refitmod --name w --force".to_owned(),
            "mod apply w.refitmod --to other --force".to_owned(),
        ],
        22 => vec![
            format!("unpack {world} -o tree --force"),
            format!("world move tree {subject} --by 1,0,-1 --force"),
            "repack tree -o packed.zbd --force".to_owned(),
        ],
        _ => vec![
            "unpack game -o project --force".to_owned(),
            "new mission m2 game --like m1 -o project2 --force".to_owned(),
            "world add project2/m2 models/tower.gltf --at 20,0,20 --force".to_owned(),
            "repack project2 --force".to_owned(),
        ],
    }
}

/// A node of a world by its position; rarely one that does not exist or must not be changed.
fn subject(world: &Path, random: &mut Random) -> String {
    let mut nodes: Vec<String> = vec!["#0".to_owned(), "#400".to_owned()];
    let bytes = fs::read(world).unwrap_or_default();
    if let Ok(world) = Gamez::read(&bytes.into()) {
        let objects = world.nodes().filter(|(_, node)| {
            matches!(node.data, Data::Object3d(_) | Data::Lod(_) | Data::Light(_))
        });
        nodes.extend(objects.map(|(id, _)| id.to_string()));
    }
    nodes.swap_remove(random.below(nodes.len()))
}

/// The names of the models of a world.
fn models(world: &Path) -> Vec<String> {
    let Ok(bytes) = fs::read(world) else {
        return Vec::new();
    };
    let file = refit::File::read_as(bytes, "gamez.zbd", compare::HINTS);
    let members = file.and_then(|file| file.members()).unwrap_or_default();
    let names = members.into_iter().map(|(_, member)| member.name);
    names.filter(|name| name.starts_with("models/")).collect()
}

/// Moves the `n`-th node of a glTF file, as an editor does.
fn shift(file: &Path, n: usize) -> Result<()> {
    let bytes = fs::read(file)?;
    let size = |at: usize| {
        let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
        word.map_or(0, |word| u32::from_le_bytes(*word) as usize)
    };
    let end = 20 + size(12);
    let text = bytes.get(20..end).context("a glTF file without its text")?;
    let mut document: serde_json::Value = serde_json::from_slice(text)?;
    let nodes = document["nodes"].as_array_mut().context("nodes")?;
    let at = n % nodes.len().max(1);
    if let Some(node) = nodes.get_mut(at)
        && node.get("matrix").is_none()
    {
        let old = node["translation"].clone();
        let place = |axis: usize| old[axis].as_f64().unwrap_or_default() + 1.5;
        node["translation"] = serde_json::json!([place(0), place(1), place(2)]);
    }
    let mut text = serde_json::to_vec(&document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = bytes.get(end..).unwrap_or_default();
    let total = u32::try_from(20 + text.len() + rest.len())?;
    let mut out = bytes.get(..8).unwrap_or_default().to_vec();
    out.extend(total.to_le_bytes());
    out.extend(u32::try_from(text.len())?.to_le_bytes());
    out.extend(bytes.get(16..20).unwrap_or_default());
    out.extend(text);
    out.extend(rest);
    Ok(fs::write(file, out)?)
}

/// A folder with a game, a copy of it, models, and worlds outside of the game.
fn prepare(at: &Path) -> Result<()> {
    let example = root().join("docs/example");
    for folder in ["game", "pristine", "other"] {
        process::copy_folder(&example.join("recoil"), &at.join(folder));
    }
    process::copy_folder(&example.join("models"), &at.join("models"));
    fs::write(at.join("small.zbd"), small_recoil_world(0))?;
    fs::write(at.join("freed.zbd"), small_recoil_world(24))?;
    Ok(())
}

/// The worlds in a folder.
fn found(at: &Path) -> Vec<(String, Vec<u8>)> {
    let files = walkdir::WalkDir::new(at).sort_by_file_name();
    let entries = files.into_iter().filter_map(Result::ok);
    let worlds = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy();
        let parent = entry.path().parent();
        entry.file_type().is_file() && name.ends_with(".zbd") && {
            let is_loose = parent == Some(at);
            is_loose || name == "gamez.zbd"
        }
    });
    worlds
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(at).ok()?.display().to_string();
            Some((path, fs::read(entry.path()).ok()?))
        })
        .collect()
}

/// Gives the golden worlds of Recoil to the engine: it must load those, and only those, whose names
/// do not say otherwise.
pub(super) fn golden(engine: &Engine) -> Result<Vec<String>> {
    let (mut faults, mut loaded, mut odd) = (Vec::new(), 0, 0);
    for case in roundtrip_tests::golden("gamez") {
        let name = case.path.rsplit('/').next().unwrap_or_default();
        if !name.starts_with("rc_") {
            continue;
        }
        let (verdict, written) = engine.world(&case.bytes, name)?;
        let is_alike = match (&verdict, written) {
            (Verdict::Read, Some(written)) => compare::changes(&case.bytes, &written)?.is_empty(),
            _ => false,
        };
        let is_odd = name.starts_with("rc_odd_") || name == "rc_minimum.gamez.zbd";
        loaded += usize::from(is_alike);
        odd += usize::from(is_odd);
        if is_alike == is_odd {
            faults.push(format!(
                "{}: {verdict:?}, written back alike: {is_alike}",
                case.path
            ));
        }
    }
    println!("golden worlds: {loaded} loaded and written back alike, {odd} said to be odd");
    Ok(faults)
}

/// What the worlds of a verb gave.
#[derive(Clone, Copy, Default)]
struct Counts {
    worlds: usize,
    read: usize,
    equal: usize,
}

/// What one folder gave: the worlds of each verb, and the faults.
type Played = (BTreeMap<String, Counts>, Vec<String>);

/// A sequence of steps in one folder.
fn play(engine: &Engine, seed: u64, run: u64) -> Result<Played> {
    let at = tempfile::tempdir()?;
    prepare(at.path())?;
    let mut random = Random::new(seed, run);
    let (mut counts, mut faults) = (BTreeMap::<String, Counts>::new(), Vec::new());
    let mut seen: HashMap<String, Vec<u8>> = HashMap::new();
    // What is there before the first step is no work of refit.
    for (path, bytes) in found(at.path()) {
        let (verdict, _) = engine.world(&bytes, &format!("{run}"))?;
        ensure!(verdict == Verdict::Read, "{path}: {verdict:?}");
        seen.insert(path, bytes);
    }
    let mut history = Vec::new();
    for n in 0..STEPS {
        for line in step(&mut random, n, at.path()) {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["shift", file, number] = words.as_slice() {
                // No file if the command before it failed.
                let _ = shift(&at.path().join(file), number.parse().unwrap_or(0));
                continue;
            }
            let name: Vec<&str> = words.iter().take(2).copied().collect();
            let mut verb = match name.as_slice() {
                ["import" | "put" | "repack" | "unpack" | "get", ..] => words[0].to_owned(),
                _ => name.join(" "),
            };
            if line.contains(" --from ") {
                verb += " --from";
            }
            let done = Command::new(process::program())
                .current_dir(at.path())
                .args(&words)
                .env("NO_COLOR", "1")
                .stdin(Stdio::null())
                .output()?;
            let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
            ensure!(
                !said.contains("internal error") && matches!(done.status.code(), Some(0..=3)),
                "{seed}-{run}: {line}: {said}"
            );
            history.push(format!("{line}  ({:?})", done.status.code()));
            for (path, bytes) in found(at.path()) {
                if seen.insert(path.clone(), bytes.clone()).as_ref() == Some(&bytes) {
                    continue;
                }
                let count = counts.entry(verb.clone()).or_default();
                count.worlds += 1;
                let name = format!("world-{seed}-{run}-{n}.zbd");
                let (verdict, written) = engine.world(&bytes, &format!("{run}"))?;
                let mut fault = |what: String| -> Result<()> {
                    keep(&name, &bytes)?;
                    faults.push(format!(
                        "{name}: {path} after {line}: {what}\n    {}",
                        history.join("\n    ")
                    ));
                    Ok(())
                };
                match (verdict, written) {
                    (Verdict::Read, Some(written)) => {
                        count.read += 1;
                        let changes = compare::changes(&bytes, &written)?;
                        count.equal += usize::from(changes.is_empty());
                        if !changes.is_empty() {
                            let shown: Vec<String> = changes.iter().take(4).cloned().collect();
                            fault(format!(
                                "{} fields differ: {}",
                                changes.len(),
                                shown.join("; ")
                            ))?;
                        }
                    }
                    (verdict, _) => fault(format!("{verdict:?}"))?,
                }
            }
        }
    }
    Ok((counts, faults))
}

/// Lets refit write `count` worlds or a few more, and gives each to the engine; returns the faults.
pub(super) fn run(engine: &Engine, count: usize, seed: u64) -> Result<Vec<String>> {
    process::program();
    let (mut total, mut faults) = (BTreeMap::<String, Counts>::new(), Vec::new());
    let mut worlds = 0;
    // In rounds, so that a seed gives the same worlds on every machine.
    for round in 0.. {
        if worlds >= count {
            break;
        }
        let played: Vec<Played> = (round * 4..round * 4 + 4)
            .into_par_iter()
            .map(|run| play(engine, seed, run))
            .collect::<Result<_>>()?;
        for (counts, found) in played {
            faults.extend(found);
            for (verb, one) in counts {
                let sum = total.entry(verb).or_default();
                sum.worlds += one.worlds;
                sum.read += one.read;
                sum.equal += one.equal;
                worlds += one.worlds;
            }
        }
    }
    println!("worlds written by    worlds  read  written back alike");
    for (verb, sum) in &total {
        println!(
            "  {verb:<18} {:>6} {:>5} {:>6}",
            sum.worlds, sum.read, sum.equal
        );
    }
    let sum = |of: fn(&Counts) -> usize| total.values().map(of).sum::<usize>();
    println!(
        "  {:<18} {:>6} {:>5} {:>6}",
        "all",
        sum(|c| c.worlds),
        sum(|c| c.read),
        sum(|c| c.equal)
    );
    Ok(faults)
}
