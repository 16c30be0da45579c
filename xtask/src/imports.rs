//! `cargo xtask bench --imports`: import of models, pictures and sounds, compared with plain
//! reading and writing in the same run.

use crate::{root, synthetic};
use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use refit::{
    formats::{
        archive,
        reader::{ReaderDoc, Value},
        sounds::banks::{self, Declarations, Quality},
    },
    game::Game,
    gltf::import::{self, Options},
    pipeline::{self, Hints},
    tree::{Folder, Form, Source, Style},
};
use serde_json::{Value as Json, json};
use std::{fs, hint::black_box, time::Instant};

/// The time of the fastest run, in seconds.
fn best(runs: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::MAX;
    for _ in 0..runs {
        let begin = Instant::now();
        work()?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn line(what: &str, seconds: f64, beside: Option<(f64, &str)>) {
    let ratio = beside
        .map(|(other, name)| format!("{:>7.2} × {name}", seconds / other))
        .unwrap_or_default();
    println!("  {what:<34} {seconds:>8.3} s  {ratio}");
}

/// Runs this part.
pub fn run(small: bool) -> Result<()> {
    models(if small { 100 } else { 20_000 })?;
    pictures(if small { 4 } else { 400 })?;
    sounds(if small { 4 } else { 300 })
}

/// The tree of a MechWarrior 3 world with `count` models of 25 quads, each used by a separate
/// object.
fn world(count: usize) -> Result<Folder> {
    let file: Bytes = fs::read(root().join("golden/gamez/mw_tight.gamez.zbd"))?.into();
    let tree = Folder::new();
    pipeline::unpack(
        &file,
        "gamez.zbd",
        Hints::default(),
        Style::Json,
        false,
        &tree,
        &|| Ok(()),
    )?;
    let paths = tree.paths();
    for path in paths.iter().filter(|p| p.starts_with("models/")) {
        tree.remove(path);
    }
    let read = |path: &str| -> Result<Json> { Ok(serde_json::from_slice(&tree.get(path)?)?) };
    tree.set(
        "textures.json",
        json!({ "textures": [{ "name": "brick.tif" }] })
            .to_string()
            .into_bytes(),
    );
    let mut materials = read("materials.json")?;
    materials["materials"] = json!([{ "texture": 0 }]);
    tree.set("materials.json", materials.to_string().into_bytes());
    let vertices: Vec<[usize; 3]> = (0..36).map(|i| [i % 6, i / 6, 0]).collect();
    let vertices: Vec<[f64; 3]> = vertices.iter().map(|v| v.map(|n| n as f64)).collect();
    let quad = |i: usize| {
        let at = i % 5 + 6 * (i / 5);
        let [a, b, c, d] = [at, at + 1, at + 7, at + 6];
        json!({ "material": 0, "vertices": [a, b, c, d], "normals": [0, 0, 0, 0], "uvs": [[0.0, 0.0], [1.0, 0.0], [1.0,
            1.0], [0.0, 1.0]] })
    };
    let model = json!({
        "flags": ["LIGHTING"], "bbox_mid": [2.5, 2.5, 0.0], "bbox_diag": 3.5625, "vertices": vertices,
        "normals": [[0.0, 0.0, 1.0]],
        "polygons": (0..25).map(quad).collect::<Vec<_>>(),
    });
    let model = model.to_string().into_bytes();
    (0..count).for_each(|i| tree.set(&format!("models/{i:05}.json"), model.clone()));
    let nodes = paths
        .iter()
        .find(|p| p.starts_with("nodes/"))
        .context("a world has nodes")?;
    let mut doc = read(nodes)?;
    let list = doc["nodes"].as_array_mut().context("a list of nodes")?;
    list.truncate(5);
    let first = list.len();
    if let Some(cells) = list
        .first_mut()
        .and_then(|world| world["data"]["world"]["cells"].as_array_mut())
    {
        for cell in cells.iter_mut().filter_map(Json::as_object_mut) {
            cell.remove("nodes");
        }
    }
    // Every hundredth object is a child of the world, the others are its children.
    let heads: Vec<usize> = (0..count).step_by(100).map(|i| first + i).collect();
    if let Some(world) = list.first_mut() {
        world["children"] = json!(heads);
    }
    for i in 0..count {
        let below: Vec<usize> = if i % 100 == 0 {
            (i + 1..(i + 100).min(count)).map(|i| first + i).collect()
        } else {
            Vec::new()
        };
        let mut node = json!({
            "name": format!("object{i}"), "flags": ["ACTIVE", "NODE_BBOX", "MODEL_BBOX"], "model": i,
            "node_bbox": [0.0, 0.0, 0.0, 5.0, 5.0, 0.0], "model_bbox": [0.0, 0.0, 0.0, 5.0, 5.0, 0.0],
            "data": { "object3d": { "flags": ["ALWAYS"], "translation": [(i % 100) as f64, 0.0, (i / 100) as f64] } }
        });
        if !below.is_empty() {
            node["children"] = json!(below);
        }
        list.push(node);
    }
    tree.set(nodes, doc.to_string().into_bytes());
    for path in paths
        .iter()
        .filter(|p| p.starts_with("nodes/") && *p != nodes)
    {
        tree.remove(path);
    }
    Ok(tree)
}

fn models(count: usize) -> Result<()> {
    let tree = world(count)?;
    let (_, file) = pipeline::repack(&tree)?;
    let file = Bytes::from(file);
    let open = || pipeline::open(&file, "gamez.zbd", Hints::default());
    println!(
        "a world of {count} models, {:.1} MB",
        file.len() as f64 / 1e6
    );
    let plain = best(3, || {
        let written = open()?.model.write()?;
        ensure!(written == file, "another file");
        Ok(())
    })?;
    line("read and write", plain, None);
    let repack = best(3, || {
        ensure!(pipeline::repack(&tree)?.1 == file, "another file");
        Ok(())
    })?;
    line("repack of its tree", repack, None);
    let out = Folder::new();
    let export = best(1, || {
        Ok(refit::gltf::export(&open()?.model, &[], &out).map(|_| ())?)
    })?;
    line("export", export, Some((plain, "read and write")));
    let mut paths = out.paths();
    paths.sort();
    let one = paths
        .iter()
        .find(|p| p.starts_with("models/"))
        .context("models are exported")?;
    let member = one.trim_end_matches(".glb").to_owned();
    let glb = twice_as_large(&out.get(one)?)?;
    let beside = |path: &str| Err(refit::Error::say(format!("no {path}")));
    // The file is twice as large as the model in the world, so everything changes.
    let put = best(3, || {
        let mut opened = open()?;
        let index = pipeline::find_member(&*opened.model, &member)?;
        let report = import::put(
            &mut opened.model,
            index,
            &import::Source {
                file: &glb,
                beside: &beside,
            },
            Options::default(),
        )?;
        ensure!(report.vertices_moved > 0, "the model was not edited");
        black_box(opened.model.write()?);
        Ok(())
    })?;
    line(
        "put of one model, and write",
        put,
        Some((repack, "repack (1.2 at most)")),
    );
    let whole = paths
        .iter()
        .filter(|p| !p.contains('/'))
        .max_by_key(|p| out.get(p).map_or(0, |b| b.len()))
        .context("a world is exported")?;
    let glb = renamed(&out.get(whole)?);
    let import = best(1, || {
        let mut opened = open()?;
        let under = format!("#{}", 0);
        let report = import::add(
            &mut opened.model,
            &under,
            &import::Source {
                file: &glb,
                beside: &beside,
            },
            Options::default(),
        )?;
        ensure!(
            report.nodes_new >= count,
            "{} nodes of {count}",
            report.nodes_new
        );
        black_box(opened.model.write()?);
        Ok(())
    })?;
    line(
        &format!("import of {whole}, {:.1} MB", glb.len() as f64 / 1e6),
        import,
        Some((plain, "read and write")),
    );
    Ok(())
}

/// A `.glb` in which everything has another name of the same length: existing objects would not be
/// imported again.
fn renamed(glb: &[u8]) -> ::bytes::Bytes {
    const NAME: &[u8] = b"\"name\":\"";
    let mut out = glb.to_vec();
    for at in 0..out.len().saturating_sub(NAME.len()) {
        if out[at..].starts_with(NAME) && out[at + NAME.len()] != b'"' {
            out[at + NAME.len()] = b'Z';
        }
    }
    out.into()
}

/// A `.glb` scaled by two.
fn twice_as_large(glb: &[u8]) -> Result<Bytes> {
    let size = glb
        .get(12..16)
        .and_then(|b| b.first_chunk())
        .copied()
        .map(u32::from_le_bytes)
        .context("a part of JSON")? as usize;
    let (text, rest) = glb
        .get(20..)
        .and_then(|rest| rest.split_at_checked(size))
        .context("a part of JSON")?;
    let mut root: Json = serde_json::from_slice(text)?;
    for node in root["nodes"].as_array_mut().context("nodes")? {
        node["scale"] = json!([2.0, 2.0, 2.0]);
    }
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let words = [
        0x4654_6C67,
        2,
        (20 + text.len() + rest.len()) as u32,
        text.len() as u32,
        0x4E4F_534A,
    ];
    let head: Vec<u8> = words.iter().flat_map(|w| u32::to_le_bytes(*w)).collect();
    Ok([&head, text.as_slice(), rest].concat().into())
}

/// A package of textures of 128 × 128 pixels, 16 bits each.
fn package(count: usize) -> Bytes {
    let words = |words: &[u32]| {
        words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let mut out = words(&[0, 1, 0, count as u32, 0, 0]);
    let picture = 16 + 128 * 128 * 2;
    for i in 0..count {
        let mut field = [0u8; 32];
        field
            .iter_mut()
            .zip(format!("rock{i:04}").bytes())
            .for_each(|(to, from)| *to = from);
        out.extend(field);
        out.extend(words(&[(24 + 40 * count + i * picture) as u32, u32::MAX]));
    }
    for i in 0..count {
        out.extend([5, 0, 0, 0, 128, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        out.extend(synthetic::noise(128 * 128 * 2, i as u64 + 1));
    }
    out.into()
}

fn pictures(count: usize) -> Result<()> {
    let packages: Vec<Bytes> = (0..12).map(|_| package(count)).collect();
    let open = |bytes: &Bytes| {
        pipeline::open(
            bytes,
            "rtexture8.zbd",
            Hints {
                game: Some(Game::Mw),
                format: None,
            },
        )
    };
    let png = open(packages.first().context("packages")?)?
        .model
        .model()
        .get(0, Form::Document(Style::Json))?;
    println!(
        "12 packages of {count} textures, {:.1} MB",
        packages.iter().map(|p| p.len()).sum::<usize>() as f64 / 1e6
    );
    let plain = best(3, || {
        for package in &packages {
            black_box(open(package)?.model.write()?);
        }
        Ok(())
    })?;
    line("read and write", plain, None);
    let put = best(3, || {
        for package in &packages {
            let mut opened = open(package)?;
            let refit::File::Textures(textures) = &mut opened.model else {
                anyhow::bail!("no texture package")
            };
            ensure!(
                textures.put_by_name("rock0001", &png, false)?.len() == 1,
                "one texture"
            );
            black_box(opened.model.write()?);
        }
        Ok(())
    })?;
    line(
        "a picture into all of them",
        put,
        Some((plain, "read and write")),
    );
    Ok(())
}

/// A WAVE file of two channels, 44,100 Hz, 16 bits.
fn wave(bytes: usize, seed: u64) -> Bytes {
    roundtrip_tests::by_hand::Wave::pcm(2, 44_100, 16, synthetic::noise(bytes, seed))
        .file()
        .into()
}

fn sounds(count: usize) -> Result<()> {
    let files: Vec<(String, Bytes)> = (0..count)
        .map(|i| (format!("sound{i:04}.wav"), wave(200_000, i as u64 + 1)))
        .collect();
    println!(
        "{count} sounds, {:.1} MB",
        files.iter().map(|(_, f)| f.len()).sum::<usize>() as f64 / 1e6
    );
    let samples = files
        .iter()
        .map(|(name, _)| Value::list([Value::text(name)?, Value::text(name)?]));
    let declared = Declarations::of(&ReaderDoc::from(Value::list(
        samples.collect::<refit::Result<Vec<_>>>()?,
    )?));
    let plain = best(3, || {
        for _ in Quality::ALL {
            black_box(archive::build(None, &files)?);
        }
        Ok(())
    })?;
    line("three banks of the files as they are", plain, None);
    let made = best(1, || {
        for quality in Quality::ALL {
            let bank = banks::fill(&files, &declared, quality, false)?;
            let members: Vec<(String, Bytes)> = bank
                .sounds
                .into_iter()
                .map(|s| (s.name, s.shaped.file))
                .collect();
            ensure!(
                members.len() == count,
                "{} sounds of {count}",
                members.len()
            );
            black_box(archive::build(None, &members)?);
        }
        Ok(())
    })?;
    line(
        "three banks below their ceilings",
        made,
        Some((plain, "as they are")),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_part_runs() {
        super::run(true).unwrap();
    }
}
