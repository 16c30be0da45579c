//! The heads of other files in Bohemia's addons: models, animations of skeletons, terrains, sounds,
//! lists of textures. refit only describes them (pbo/FORMAT.md).

use super::{FileKind, Foreign};
use refit_base::{
    contract::Info,
    wire::{Plain, value_at},
};
use refit_bohemia::{
    models::{ModelNameKind, ModelNames, model_names},
    pbo,
};

/// Reads numbers and texts in order; nothing after the end.
struct Head<'a> {
    file: &'a [u8],
    at: usize,
}

impl Head<'_> {
    fn next<T: Plain>(&mut self) -> Option<T> {
        let value = value_at(self.file, self.at)?;
        self.at += T::SIZE;
        Some(value)
    }

    fn word(&mut self) -> Option<u32> {
        self.next()
    }

    fn short(&mut self) -> Option<u16> {
        self.next()
    }

    fn float(&mut self) -> Option<f32> {
        self.word().map(f32::from_bits)
    }

    fn text(&mut self) -> Option<String> {
        let rest = self.file.get(self.at..)?;
        let end = memchr::memchr(0, rest)?;
        self.at += end + 1;
        Some(refit_base::wire::decode_1252(rest.get(..end)?).into_owned())
    }
}

/// Recognises a file by its signature.
pub(super) fn recognise(file: &[u8]) -> Option<Foreign> {
    let found = |kind, what, info| Foreign { kind, what, info };
    let magic: &[u8; 4] = file.first_chunk()?;
    let mut head = Head { file, at: 4 };
    let mut found = match magic {
        b"MLOD" => found(FileKind::Model, "P3D, editable (MLOD)", mlod(&mut head)?),
        b"ODOL" => found(FileKind::Model, "P3D, binarised (ODOL)", odol(&mut head)?),
        b"SP3X" => found(FileKind::Model, "P3D, editable (SP3X)", Info::new()),
        b"RTM_" if file.starts_with(b"RTM_0101") => {
            head.at = 8;
            found(FileKind::Animation, "RTM, editable", rtm(&mut head)?)
        }
        b"RTM_" if file.starts_with(b"RTM_MDAT") => found(
            FileKind::Animation,
            "RTM, editable, with properties",
            Info::new(),
        ),
        b"BMTR" => found(FileKind::Animation, "RTM, binarised", bmtr(&mut head)?),
        b"1WVR" | b"4WVR" => found(FileKind::Terrain, "WRP, editable", grid(&mut head)?),
        b"8WVR" => found(FileKind::Terrain, "WRP, editable (8WVR)", wvr8(&mut head)?),
        b"OPRW" => found(FileKind::Terrain, "WRP, binarised (OPRW)", oprw(&mut head)?),
        b"WSS0" | b"WSS1" => found(FileKind::Sound, "WSS", wss(&mut head)?),
        b"0DHT" => {
            let info = match pbo::describe_tex_headers(file) {
                Ok(text) => vec![("textures", text.into())],
                Err(e) => vec![("damaged", e.to_string().into())],
            };
            found(FileKind::TextureList, "texHeaders.bin", info)
        }
        _ => return None,
    };
    found.info.extend(names(file));
    Some(found)
}

/// The names in a model, a skeleton animation or a terrain, by their kinds.
fn names(file: &[u8]) -> Info {
    let Some(ModelNames { names, unread }) = model_names(file) else {
        return Info::new();
    };
    let mut info = Info::new();
    for (kind, key) in [
        (ModelNameKind::Texture, "textures"),
        (ModelNameKind::Material, "materials"),
        (ModelNameKind::Proxy, "proxies"),
        (ModelNameKind::Selection, "selections"),
        (ModelNameKind::Bone, "bone names"),
        (ModelNameKind::Object, "objects"),
    ] {
        let of_kind: Vec<&str> = names
            .iter()
            .filter(|one| one.kind == kind)
            .map(|one| one.name.as_str())
            .collect();
        if !of_kind.is_empty() {
            info.push((key, of_kind.into()));
        }
    }
    info.extend(unread.map(|why| ("names", why.into())));
    info
}

fn mlod(head: &mut Head<'_>) -> Option<Info> {
    let (version, levels) = (head.word()?, head.word()?);
    let first = head
        .file
        .get(head.at..head.at + 4)
        .map(|magic| refit_base::wire::decode_1252(magic).into_owned());
    let mut info: Info = vec![("version", version.into()), ("levels", levels.into())];
    info.extend(first.map(|magic| ("first level", magic.into())));
    Some(info)
}

fn odol(head: &mut Head<'_>) -> Option<Info> {
    let version = head.word()?;
    let mut info: Info = vec![("version", version.into())];
    if version >= 59 {
        let id = head.word()?;
        if id != 0 {
            info.push(("application", id.into()));
        }
    }
    if version >= 58 {
        let prefix = head.text()?;
        if !prefix.is_empty() {
            info.push(("prefix", prefix.into()));
        }
    }
    let levels = head.word()?;
    info.push(("levels", levels.into()));
    // As many as the file has room for.
    let values: Option<Vec<f32>> = (0..levels).map(|_| head.float()).collect();
    if let Some(values) = values.filter(|values| values.iter().all(|value| value.is_finite())) {
        info.push(("of", levels_in_words(&values).into()));
    }
    Some(info)
}

/// What a level of a model is for.
fn level_name(value: f32) -> &'static str {
    const LARGE: [(f32, &str); 8] = [
        (1e13, "geometry"),
        (1e15, "memory"),
        (2e15, "land contact"),
        (3e15, "roadway"),
        (4e15, "paths"),
        (5e15, "hit points"),
        (6e15, "view geometry"),
        (7e15, "fire geometry"),
    ];
    match value {
        ..1000.0 => "visual",
        1000.0..1100.0 => "gunner",
        1100.0..1200.0 => "pilot",
        1200.0..1300.0 => "cargo",
        10_000.0..20_000.0 => "shadow",
        _ => LARGE
            .iter()
            .find(|(large, _)| (value / large - 1.0).abs() < 0.01)
            .map_or("other", |(_, name)| name),
    }
}

/// `5 visual, geometry, memory`.
fn levels_in_words(values: &[f32]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in values.iter().map(|value| level_name(*value)) {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, n)) => *n += 1,
            None => counts.push((name, 1)),
        }
    }
    let word = |(name, n): (&str, usize)| {
        if n == 1 {
            name.to_owned()
        } else {
            format!("{n} {name}")
        }
    };
    counts.into_iter().map(word).collect::<Vec<_>>().join(", ")
}

fn rtm(head: &mut Head<'_>) -> Option<Info> {
    let _: [Option<f32>; 3] = std::array::from_fn(|_| head.float());
    let (frames, bones) = (head.word()?, head.word()?);
    let (f, b) = (u64::from(frames), u64::from(bones));
    let fits = 28 + 32 * b + f * (4 + 80 * b) == head.file.len() as u64;
    Some(vec![
        ("frames", frames.into()),
        ("bones", bones.into()),
        ("length fits", fits.into()),
    ])
}

fn bmtr(head: &mut Head<'_>) -> Option<Info> {
    let version = head.word()?;
    head.at += 1;
    let _: [Option<f32>; 3] = std::array::from_fn(|_| head.float());
    let (frames, _, bones) = (head.word()?, head.word()?, head.word()?);
    Some(vec![
        ("version", version.into()),
        ("frames", frames.into()),
        ("bones", bones.into()),
    ])
}

fn grid(head: &mut Head<'_>) -> Option<Info> {
    Some(vec![(
        "cells",
        format!("{} × {}", head.word()?, head.word()?).into(),
    )])
}

fn wvr8(head: &mut Head<'_>) -> Option<Info> {
    let textures = [head.word()?, head.word()?];
    let heights = [head.word()?, head.word()?];
    let cell = head.float()?;
    Some(vec![
        (
            "texture cells",
            format!("{} × {}", textures[0], textures[1]).into(),
        ),
        ("heights", format!("{} × {}", heights[0], heights[1]).into()),
        ("cell size", format!("{cell} m").into()),
    ])
}

fn oprw(head: &mut Head<'_>) -> Option<Info> {
    let version = head.word()?;
    let mut info: Info = vec![("version", version.into())];
    if version >= 25 {
        info.push(("application", head.word()?.into()));
    }
    if version >= 12 {
        info.extend(wvr8(head)?);
    }
    Some(info)
}

fn wss(head: &mut Head<'_>) -> Option<Info> {
    let packing = match head.word()? {
        0 => "none".to_owned(),
        4 => "4 bits".to_owned(),
        8 => "8 bits".to_owned(),
        other => format!("#{other}"),
    };
    let (_, channels, rate) = (head.short()?, head.short()?, head.word()?);
    let (_, _, bits) = (head.word()?, head.short()?, head.short()?);
    Some(vec![
        ("packing", packing.into()),
        ("channels", channels.into()),
        ("rate", format!("{rate} Hz").into()),
        ("bits", bits.into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words(magic: &[u8], words: &[u32]) -> Vec<u8> {
        [
            magic,
            &words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>(),
        ]
        .concat()
    }

    fn info(file: &[u8]) -> (FileKind, serde_json::Value) {
        let found = recognise(file).unwrap();
        let info: serde_json::Map<_, _> = found
            .info
            .into_iter()
            // Heads without their files.
            .filter(|(key, _)| *key != "names")
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        (found.kind, info.into())
    }

    #[test]
    fn headers_identify_files() {
        let values = [1.0f32, 2.0, 1100.0, 10_000.0, 1e13, 1e15, 7e15].map(f32::to_bits);
        let of = "2 visual, pilot, shadow, geometry, memory, fire geometry";
        let old = words(b"ODOL", &[&[48, 7][..], &values].concat());
        assert_eq!(
            info(&old),
            (
                FileKind::Model,
                json!({ "version": 48, "levels": 7, "of": of })
            )
        );
        let new = [
            words(b"ODOL", &[73, 0]),
            b"z\\hut\0".to_vec(),
            words(b"", &[&[7][..], &values].concat()),
        ]
        .concat();
        let expected = json!({ "version": 73, "prefix": "z\\hut", "levels": 7, "of": of });
        assert_eq!(info(&new), (FileKind::Model, expected));
        let mlod = [words(b"MLOD", &[257, 8]), b"P3DM".to_vec()].concat();
        assert_eq!(
            info(&mlod).1,
            json!({ "version": 257, "levels": 8, "first level": "P3DM" })
        );
        let rtm = [words(b"RTM_0101", &[0, 0, 0, 1, 2]), vec![0; 64 + 4 + 160]].concat();
        assert_eq!(
            info(&rtm),
            (
                FileKind::Animation,
                json!({ "frames": 1, "bones": 2, "length fits": true })
            )
        );
        let bmtr = [
            words(b"BMTR", &[3]),
            vec![1],
            words(b"", &[0, 0, 0, 57, 0, 68, 68]),
        ]
        .concat();
        assert_eq!(
            info(&bmtr).1,
            json!({ "version": 3, "frames": 57, "bones": 68 })
        );
        let terrain = words(b"8WVR", &[128, 128, 512, 512, 40f32.to_bits()]);
        let expected =
            json!({ "texture cells": "128 × 128", "heights": "512 × 512", "cell size": "40 m" });
        assert_eq!(info(&terrain), (FileKind::Terrain, expected));
        assert_eq!(info(&words(b"OPRW", &[3])).1, json!({ "version": 3 }));
        let wss = words(b"WSS0", &[8, 1 | 2 << 16, 44100, 88200, 2 | 16 << 16]);
        let expected =
            json!({ "packing": "8 bits", "channels": 2, "rate": "44100 Hz", "bits": 16 });
        assert_eq!(info(&wss), (FileKind::Sound, expected));
        assert_eq!(
            info(&words(b"0DHT", &[1, 0])),
            (FileKind::TextureList, json!({ "textures": "0 textures" }))
        );
        assert!(
            recognise(b"MLOD").is_none()
                && recognise(b"ODO").is_none()
                && recognise(b"OLOD\0\0\0\0").is_none()
        );
        // A number of levels without levels takes no memory.
        assert_eq!(
            info(&words(b"ODOL", &[48, u32::MAX])).1,
            json!({ "version": 48, "levels": u32::MAX })
        );
    }
}
