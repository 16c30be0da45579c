//! The part of `cargo xtask browser` about animations: compares what the page plays with what the
//! library computes.

use crate::page::{self, Server};
use anyhow::{Context, Result, bail};
use refit::{
    File,
    workbench::play::{Show, Stage, mech_poses, samples},
};
use roundtrip_tests::{games::File as Placed, plays};
use serde_json::{Map, Value, json};
use std::{fs, path::Path};

/// Number of times at which each animation and motion is compared.
const TIMES: usize = 100;

/// Samples of all animations and motions of an installation.
pub fn expected(game: &str) -> Result<Value> {
    let files = plays::installation(game);
    let named = |end: &str| files.iter().find(|(path, _)| path.ends_with(end));
    let read = |(path, bytes): &Placed| File::read(bytes.clone(), path);
    let animations = named("anim.zbd").context("animations")?;
    let File::Anim(anim) = read(animations)? else {
        bail!("{} is no animation file", animations.0)
    };
    let world = read(named("gamez.zbd").context("a world")?)?;
    let stage = Stage::of(&world)?;
    let show = Show::new(&anim, &stage)?;
    let mut definitions = Map::new();
    for (i, definition) in show.definitions().iter().enumerate() {
        definitions.insert(
            definition.animation_name.text().into_owned(),
            samples(&show, i, TIMES),
        );
    }
    let mut motions = Vec::new();
    if let Some(file) = named("motion.zbd") {
        for (name, document) in plays::motions() {
            let motion = serde_json::from_value(document)?;
            let length = 2.5;
            let at = |i: usize| {
                let time = length * i as f64 / (TIMES - 1) as f64;
                let parts = mech_poses(&motion, time).into_iter();
                let parts: Vec<Value> = parts
                    .map(|part| json!([part.name, part.translation, part.rows, part.scale]))
                    .collect();
                json!({ "time": time, "parts": parts })
            };
            let sampled: Vec<Value> = (0..TIMES).map(at).collect();
            motions.push(
                json!({ "file": file.0, "part": format!("{name}.json"), "samples": sampled }),
            );
        }
    }
    Ok(
        json!({ "game": game, "animations": animations.0, "definitions": definitions, "motions": motions }),
    )
}

/// Plays all animations of the yard of these games in Chromium. With a folder, stores screenshots
/// there.
pub fn compare(games: &[&str], chromium: &Path, pictures: Option<&Path>) -> Result<()> {
    let mut failed = Vec::new();
    for game in games {
        let place = tempfile::tempdir()?;
        let folder = place.path().join(game);
        roundtrip_tests::games::write(&folder, &plays::installation(game));
        let file = place.path().join("samples.json");
        fs::write(&file, expected(game)?.to_string())?;
        let (server, url) = Server::of(&folder)?;
        let text = |path: &Path| {
            path.to_str()
                .map(str::to_owned)
                .context("a path that is not Unicode")
        };
        let mut line = vec![
            "dev/play.mjs".to_owned(),
            url,
            text(chromium)?,
            text(&file)?,
        ];
        if let Some(pictures) = pictures {
            line.push(text(pictures)?);
        }
        let line: Vec<&str> = line.iter().map(String::as_str).collect();
        if let Err(e) = page::run("node", &line) {
            failed.push(format!("{game}: {e}"));
        }
        drop(server);
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("{}", failed.join("\n"))
    }
}
