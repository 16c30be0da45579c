//! The fixtures of cases: files made from words.

use crate::by_hand::*;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// Files by their path below the target (a single file has an empty path), for the step
/// `fixture KIND TARGET WORDS…` of a case.
pub fn fixture(
    kind: &str,
    words: &[&str],
    read: &dyn Fn(&str) -> Result<Vec<u8>>,
) -> Result<Vec<(String, Vec<u8>)>> {
    let value = |text: &str| -> Result<Vec<u8>> {
        reader_value(&serde_json::from_str(text)?)
            .with_context(|| format!("{text}: readers have no such value"))
    };
    let one = |bytes: Vec<u8>| vec![(String::new(), bytes)];
    Ok(match (kind, words) {
        // Members NAME=VALUE or NAME=@FILE, with a comment as NAME,COMMENT=…
        ("archive", members) => {
            let mut own = Vec::new();
            for text in members {
                let (name, content) = text
                    .split_once('=')
                    .context("members are NAME=VALUE or NAME=@FILE")?;
                let (name, comment) = name.split_once(',').unwrap_or((name, ""));
                own.push((
                    name,
                    comment,
                    content
                        .strip_prefix('@')
                        .map_or_else(|| value(content), read)?,
                ));
            }
            let flags = |comment: &str| if comment.is_empty() { 0 } else { 2 };
            let own: Vec<Member<'_>> = own
                .iter()
                .map(|(name, text, bytes)| (*name, &bytes[..], flags(text), text.as_bytes(), 0))
                .collect();
            one(archive(&own, false, None))
        }
        // The binary form of a loose text.
        ("words", [from]) => one(reader_words(
            &mut String::from_utf8(read(from)?)?.split_whitespace(),
        )),
        // A width, and pixels as RRGGBB or RRGGBBAA, with `*N` to repeat one.
        ("png", [width, pixels @ ..]) => {
            let mut all = Vec::new();
            for pixel in pixels {
                let (pixel, count) = pixel.split_once('*').unwrap_or((pixel, "1"));
                let bytes = u32::from_str_radix(pixel, 16)?.to_be_bytes();
                all.resize(all.len() + count.parse::<usize>()?, (bytes, pixel.len()));
            }
            let width = width.parse()?;
            one(match all.iter().all(|(_, digits)| *digits == 8) {
                true => png(
                    width,
                    &all.iter().map(|(pixel, _)| *pixel).collect::<Vec<_>>(),
                ),
                false => png(
                    width,
                    &all.iter()
                        .map(|([_, r, g, b], _)| [*r, *g, *b])
                        .collect::<Vec<_>>(),
                ),
            })
        }
        // Properties KEY=VALUE, then `--`, then files NAME=TEXT, NAME=@FILE, or
        // NAME,METHOD,ORIGINAL,TIME=@FILE.
        ("pbo", words) => {
            let start = words
                .iter()
                .position(|word| *word == "--")
                .context("-- is missing")?;
            let mut own = Vec::new();
            for file in &words[start + 1..] {
                let (head, content) = file.split_once('=').context("files are NAME=…")?;
                let content = content
                    .strip_prefix('@')
                    .map_or_else(|| Ok(content.as_bytes().to_vec()), read)?;
                let (name, numbers) = head.split_once(',').unwrap_or((head, ""));
                let numbers: Vec<u32> = numbers.split(',').filter_map(|n| n.parse().ok()).collect();
                let [method, original, time] =
                    numbers[..]
                        .try_into()
                        .unwrap_or([0, content.len() as u32, 0]);
                own.push((name, method, original, time, content));
            }
            let properties: Vec<(&str, &str)> = words[..start]
                .iter()
                .filter_map(|word| word.split_once('='))
                .collect();
            let files: Vec<PboFile<'_>> = own
                .iter()
                .map(|(n, m, o, t, data)| (*n, *m, *o, *t, data.as_slice()))
                .collect();
            one(hashed(pbo(&properties, &files)))
        }
        // The number of global palettes of zeros, and images as JSON: omitted fields are those of
        // an opaque image of 4 × 2 pixels.
        ("package", [palettes, images @ ..]) => {
            let images: Vec<Value> = images
                .iter()
                .map(|image| serde_json::from_str(image))
                .collect::<Result<_, _>>()?;
            let image = |image: &'_ Value| -> Result<(String, [i64; 6], Vec<u8>)> {
                let number = |key: &str, usual: i64| image[key].as_i64().unwrap_or(usual);
                let numbers = [
                    "flags",
                    "width",
                    "height",
                    "count",
                    "render_flags",
                    "global",
                ]
                .into_iter()
                .zip([5, 4, 2, 0, 0, -1]);
                let numbers: Vec<i64> = numbers.map(|(key, usual)| number(key, usual)).collect();
                let name = image["name"].as_str().unwrap_or("a").to_owned();
                let pixels = match image["data"].as_str() {
                    Some(hex) => refit::wire::bytes_of_hex(hex)?,
                    None => vec![1; number("size", 2 * numbers[1] * numbers[2]) as usize],
                };
                Ok((
                    name,
                    numbers.try_into().map_err(|_| anyhow!("six numbers"))?,
                    pixels,
                ))
            };
            let own = images.iter().map(image).collect::<Result<Vec<_>>>()?;
            let images = own.iter().map(
                |(name, [flags, width, height, count, render_flags, global], data)| Image {
                    name,
                    flags: *flags as u32,
                    size: (*width as u16, *height as u16),
                    count: *count as u16,
                    render_flags: *render_flags as u16,
                    global: *global as i32,
                    data: data.clone(),
                },
            );
            one(package(
                &images.collect::<Vec<_>>(),
                &vec![vec![0; 256]; palettes.parse()?],
            ))
        }
        // The game, and names that do not fit: see [`crate::games::edited`].
        ("installation", [game, edits @ ..]) => crate::games::edited(game, edits)?
            .into_iter()
            .map(|(path, bytes)| (format!("/{path}"), bytes))
            .collect(),
        // The game, and the names of nodes.
        ("world", [game, nodes @ ..]) => one(crate::games::world(game, nodes, &[])),
        ("film", []) => one(film()),
        // An editable model of Bohemia's games: texture=PATH, material=PATH, selection=NAME, and
        // proxy=PATH with its number.
        ("model", names) => one(model(names)?),
        ("reader", [text]) => one(value(text)?),
        // Codec, channels, rate, bits, number of frames, and the value of each sample.
        ("wave", numbers) => {
            let numbers = numbers
                .iter()
                .map(|n| n.parse())
                .collect::<Result<Vec<u32>, _>>()?;
            let [codec, channels, rate, bits, frames, sample] = numbers[..] else {
                bail!("six numbers are expected")
            };
            let samples =
                sample.to_le_bytes()[..bits as usize / 8].repeat((channels * frames) as usize);
            let mut wave = Wave::pcm(channels as u16, rate, bits as u16, samples);
            wave.head.0 = codec as u16;
            one(wave.file())
        }
        _ => bail!("there is no fixture {kind}"),
    })
}

/// A model of one level: a face for each texture and material, and an empty selection for each
/// name.
fn model(names: &[&str]) -> Result<Vec<u8>> {
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let (mut faces, mut selections, mut count) = (Vec::new(), Vec::new(), 0);
    for text in names {
        let (kind, name) = text.split_once('=').context("names are KIND=NAME")?;
        let (before, behind, is_face) = match kind {
            "texture" => ("", "\0\0", true),
            "material" => ("\0", "\0", true),
            "selection" => ("", "\0", false),
            "proxy" => ("proxy:", "\0", false),
            _ => bail!("a model has no {kind}"),
        };
        let bytes = [before.as_bytes(), name.as_bytes(), behind.as_bytes()].concat();
        if is_face {
            count += 1;
            faces.extend([&words(&[3])[..], &[0; 68], &bytes].concat());
        } else {
            selections.extend([&[1][..], &bytes, &words(&[0])].concat());
        }
    }
    Ok([
        &b"MLOD"[..],
        &words(&[257, 1]),
        b"P3DM",
        &words(&[28, 256, 0, 0, count, 0]),
        &faces,
        b"TAGG",
        &selections,
        b"\x01#EndOfFile#\0",
        &words(&[0, 0]),
    ]
    .concat())
}
