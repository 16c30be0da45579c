//! `cargo xtask bench`: speed of every format in one run, compared with a memory copy, SHA-256 and
//! a checksum on the same machine.

use crate::{
    Args, golden_folders, root,
    synthetic::{self, Footer},
};
use anyhow::{Result, ensure};
use bytes::Bytes;
use refit::{
    pipeline::{self, Hints, Via},
    tree::{Folder, Style},
};
use std::{
    fs,
    hint::black_box,
    path::PathBuf,
    time::{Duration, Instant},
};

struct Subject {
    name: String,
    path: String,
    bytes: Bytes,
}

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let small = args.flag("--small");
    let imports = args.flag("--imports");
    let (old, new) = (
        args.value::<PathBuf>("--against")?,
        args.value::<PathBuf>("--refit")?,
    );
    let files = args.rest()?;
    if let Some(old) = old {
        let built = || {
            crate::root()
                .join("target/dist")
                .join(format!("refit{}", std::env::consts::EXE_SUFFIX))
        };
        return crate::programs::compare(&old, &new.unwrap_or_else(built), small, &files);
    }
    if cfg!(debug_assertions) {
        eprintln!("this is a debug build; for figures: cargo run --release -p xtask -- bench");
    }
    if imports {
        return crate::imports::run(small);
    }
    let plain = Bytes::from(synthetic::noise(if small { 4 << 20 } else { 64 << 20 }, 1));
    let mut target = vec![0u8; plain.len()];
    let copy = speed(plain.len(), || {
        target.copy_from_slice(&plain);
        black_box(&mut target);
        Ok(())
    })?;
    let sha = speed(plain.len(), || {
        black_box(refit::sha256(&plain));
        Ok(())
    })?;
    let table = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_CKSUM);
    let sum = speed(plain.len(), || {
        black_box(table.checksum(&plain));
        Ok(())
    })?;
    drop(target);
    println!(
        "{} threads; memory copy {copy:.0} MB/s, SHA-256 {sha:.0} MB/s, table CRC-32 {sum:.0} MB/s",
        rayon::current_num_threads()
    );
    println!(
        "In memory, no disk. `unpack` proves through JSON text. Ratios are to the memory copy and to SHA-256.\n"
    );
    println!(
        "{:<34} {:>8}  {:>24}  {:>24}  {:>24}  {:>24}",
        "file", "MB", "verify --via bytes", "unpack", "unpack --no-proof", "repack"
    );
    let subjects = if files.is_empty() {
        own(small)?
    } else {
        given(&files)?
    };
    for subject in subjects {
        row(&subject, copy, sha)?;
    }
    if files.is_empty() {
        definitions(small)?;
    }
    Ok(())
}

/// Animation definitions: compiled into a new file of Recoil, compiled over that file, and
/// decompiled.
fn definitions(small: bool) -> Result<()> {
    use refit::anim_source::{self, Base, Options, Root, Sources, Spelling};
    const EACH: usize = 250;
    let files = if small { 2 } else { 128 };
    let folder = Folder::new();
    let mut list = String::from("ANIMATION_DEFINITIONS ( GRAVITY ( -9.8 ) ANIMATION_LIST (\n");
    let mut total = 0;
    for file in 0..files {
        let mut text = String::from("ANIMATION_DEFINITIONS ( ANIMATION_LIST (\n");
        for i in file * EACH..(file + 1) * EACH {
            text += &format!(
                "ANIMATION_DEFINITION ( NAME ( node{} ) ANIMATION_NAME ( anim{i} ) ACTIVATION ( ON_CALL ) RESET_TIME ( \
                -1 )\n",
                i % 40
            );
            for sequence in 0..2 {
                text += &format!("  SEQUENCE_DEFINITION ( NAME ( seq{sequence} )\n");
                for event in 0..3 {
                    let n = (i * 7 + event * 13 + sequence) % 40;
                    text += &format!(
                        "    SOUND ( NAME ( snd{n} ) AT_NODE ( node{n} {n}.5 1.25 0 ) START_TIME ( EVENT_OFFSET 0.{n} \
                        ) )\n\x20   OBJECT_MOTION_FROM_TO ( NAME ( node{n} ) TRANSLATE_FROM ( {i}.5 0 0 ) TRANSLATE_TO \
                        ( 1 2.5 {n} ) ROTATE_TO ( 0 {n}.5 0 ) RUN_TIME ( 2.5 ) )\n\x20   CALL_ANIMATION ( NAME ( \
                        anim{n} ) AT_NODE ( node{n} ) WAIT_FOR_COMPLETION )\n"
                    );
                }
                text += "  )\n";
            }
            text += ")\n";
        }
        text += ") )\n";
        total += text.len();
        folder.set(&format!("f{file}.zrd"), text);
        list += &format!("ANIMATION_DEFINITION_FILE ( \"f{file}.zrd\" )\n");
    }
    folder.set("anim.zrd", list + ") )\n");
    let compile = |base: Option<&Base>| -> Result<refit::formats::anim::Anim> {
        let sources = Sources::read(
            vec![Root::of_paths("/", &folder)],
            &[(0, "anim.zrd".into())],
            &|_| false,
        )?;
        let compiled = anim_source::compile(&sources, base, &Options::default())?;
        let said: Vec<String> = compiled
            .findings
            .iter()
            .take(3)
            .map(|finding| format!("{finding:?}"))
            .collect();
        let entries = compiled.entries.len();
        anyhow::ensure!(
            entries == files * EACH,
            "the benchmark's definitions gave {entries} entries: {}",
            said.join("; ")
        );
        compiled
            .anim
            .ok_or_else(|| anyhow::anyhow!("the benchmark's definitions are not compiled"))
    };
    let fresh = speed(total, || compile(None).map(|_| ()))?;
    let base = Base::new(compile(None)?)?;
    let over = speed(total, || compile(Some(&base)).map(|_| ()))?;
    let head = || {
        refit::tree::Head::new(
            Some(refit::game::Game::Rc),
            refit::formats::Format::Anim,
            Default::default(),
        )
    };
    let back = speed(total, || {
        anim_source::decompile(&base, head(), "", Spelling::Zrd, None)?;
        Ok(())
    })?;
    let mb = total as f64 / 1e6;
    println!(
        "\n{:<34} {mb:>8.3}  compile {fresh:.0} MB/s, over a base {over:.0} MB/s, decompile {back:.0} MB/s",
        "animation definitions, text"
    );
    Ok(())
}

fn row(subject: &Subject, copy: f64, sha: f64) -> Result<()> {
    let Subject { name, path, bytes } = subject;
    let hints = Hints::default();
    let verify = speed(bytes.len(), || {
        let outcome = pipeline::verify(bytes, path, hints, Via::Bytes)?;
        ensure!(outcome.raw.is_empty(), "{path}: {:?}", outcome.raw);
        Ok(())
    })?;
    let unpack = |proof| {
        speed(bytes.len(), || {
            pipeline::unpack(
                bytes,
                path,
                hints,
                Style::Json,
                proof,
                &Folder::new(),
                &|| Ok(()),
            )?;
            Ok(())
        })
    };
    let (proved, plain) = (unpack(true)?, unpack(false)?);
    let tree = Folder::new();
    pipeline::unpack(bytes, path, hints, Style::Json, false, &tree, &|| Ok(()))?;
    let repack = speed(bytes.len(), || {
        let (_, file) = pipeline::repack(&tree)?;
        ensure!(file == *bytes, "{path}: repack gave another file");
        Ok(())
    })?;
    let cell = |speed: f64| {
        format!(
            "{speed:>7.0} MB/s {:>5.2} {:>5.2}",
            speed / copy,
            speed / sha
        )
    };
    let mb = bytes.len() as f64 / 1e6;
    println!(
        "{name:<34} {mb:>8.3}  {:>24}  {:>24}  {:>24}  {:>24}",
        cell(verify),
        cell(proved),
        cell(plain),
        cell(repack)
    );
    Ok(())
}

/// The best speed of several runs, in MB/s. Short work is repeated, so that a run takes a
/// measurable time.
fn speed(bytes: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    work()?;
    let first = begin.elapsed().max(Duration::from_micros(1));
    let repeat = (Duration::from_millis(20).as_nanos() / first.as_nanos()).clamp(1, 10_000) as u32;
    let runs =
        (Duration::from_secs(2).as_nanos() / (first.as_nanos() * u128::from(repeat))).clamp(2, 12);
    let mut best = f64::MAX;
    for _ in 0..runs {
        let begin = Instant::now();
        for _ in 0..repeat {
            work()?;
        }
        best = best.min(begin.elapsed().as_secs_f64() / f64::from(repeat));
    }
    Ok(bytes as f64 / 1e6 / best)
}

/// Synthetic files of the size of real ones; for the other formats, the largest golden file of each
/// game.
fn own(small: bool) -> Result<Vec<Subject>> {
    let mb = |n: usize| if small { n * 50_000 } else { n * 1_000_000 };
    let plain: Vec<_> = (0..200)
        .map(|i| {
            (
                format!("member{i}.dat"),
                synthetic::noise(mb(40) / 200, i + 1),
            )
        })
        .collect();
    let made = [
        ("sounds", synthetic::sounds(mb(80))),
        ("archive", synthetic::archive(Footer::One, &plain)),
        (
            "archive PM, checksum",
            synthetic::archive(Footer::Sum, &plain),
        ),
        ("reader", synthetic::reader(mb(3), Footer::One)),
        ("reader PM, checksum", synthetic::reader(mb(3), Footer::Sum)),
        ("motion", synthetic::motion(mb(12), Footer::One)),
        ("motion PM", synthetic::motion(mb(12), Footer::Zero)),
        ("PBO, stored", synthetic::pbo(mb(100), false)),
        ("PBO, packed", synthetic::pbo(mb(20), true)),
    ];
    let mut out: Vec<Subject> = made
        .into_iter()
        .map(|(name, bytes)| Subject {
            name: format!("synthetic {name}"),
            path: "synthetic.zbd".into(),
            bytes: bytes.into(),
        })
        .collect();
    let mut best: std::collections::BTreeMap<String, Subject> = std::collections::BTreeMap::new();
    for folder in golden_folders()? {
        for entry in walkdir::WalkDir::new(folder)
            .max_depth(1)
            .sort_by_file_name()
        {
            let entry = entry?;
            let path = entry
                .path()
                .strip_prefix(root())
                .unwrap_or(entry.path())
                .display()
                .to_string();
            let bytes: Bytes = if entry.file_type().is_file() {
                fs::read(entry.path())?.into()
            } else {
                continue;
            };
            let Ok(found) = pipeline::recognise(&bytes, &path, Hints::default()) else {
                continue;
            };
            let game = found.game.map_or("", |g| g.code());
            let name = format!("golden {} {game}", found.format);
            let known =
                ["sounds", "archive", "reader", "motion", "raw"].contains(&found.format.name());
            if !known
                && best
                    .get(&name)
                    .is_none_or(|old| old.bytes.len() < bytes.len())
            {
                best.insert(name.clone(), Subject { name, path, bytes });
            }
        }
    }
    out.extend(best.into_values());
    Ok(out)
}

fn given(files: &[PathBuf]) -> Result<Vec<Subject>> {
    let read = |path: &PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Subject {
            name,
            path: path.display().to_string(),
            bytes: fs::read(path)?.into(),
        })
    };
    files.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_measured() {
        let bytes: Bytes = synthetic::motion(20_000, Footer::Zero).into();
        row(
            &Subject {
                name: "x".into(),
                path: "x.zbd".into(),
                bytes,
            },
            1.0,
            1.0,
        )
        .unwrap();
    }
}
