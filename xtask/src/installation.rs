//! `cargo xtask installation`: a game's folder of any size, for figures. Its files are made byte by byte, all different, and none of them is
//! a game's. The small installations with names that fit are those of the tests (`roundtrip-tests/src/games.rs`).

use crate::{
    Args,
    synthetic::{self, Footer},
    typical,
};
use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// How large it becomes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Size {
    /// Files.
    pub files: usize,
    /// Bytes of all of them, about.
    pub bytes: usize,
}

/// As large as games with all their missions and addons together: 20,000 files, 1 GB.
pub const LARGE: Size = Size { files: 20_000, bytes: 1_000_000_000 };
/// As large as one game.
pub const USUAL: Size = Size { files: 200, bytes: 100_000_000 };

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let all = if args.flag("--large") { LARGE } else { USUAL };
    let size = Size { files: args.value("--files")?.unwrap_or(all.files), bytes: args.value("--bytes")?.unwrap_or(all.bytes) };
    let folders: Vec<PathBuf> = args.rest()?;
    let [folder] = folders.as_slice() else { anyhow::bail!("name one new folder") };
    let made = write(folder, size)?;
    println!("{}: {} files, {:.1} MB", folder.display(), made.files, made.bytes as f64 / 1e6);
    Ok(())
}

/// Writes an installation of about this size into a new folder. Gives how large it is.
pub fn write(root: &Path, size: Size) -> Result<Size> {
    ensure!(!root.exists(), "{} is there already", root.display());
    // Of each fifty files one is an addon, and of each two thousand one is a world; the others are those of missions.
    let addons = size.files / 50;
    let worlds = size.files.div_ceil(2000);
    let missions = size.files.saturating_sub(addons + worlds + 1) / 4;
    let each = size.bytes.saturating_sub(worlds * 2_000_000) / size.files.max(1);
    let count = |bytes: usize| -> Result<Size> { Ok(Size { files: 1, bytes }) };
    let put = |path: String, bytes: Vec<u8>| -> Result<Size> {
        let path = root.join(path);
        let folder = path.parent().context("a file stands in a folder")?;
        fs::create_dir_all(folder)?;
        fs::write(&path, &bytes).with_context(|| path.display().to_string())?;
        count(bytes.len())
    };
    let sum = |a: Size, b: Size| Size { files: a.files + b.files, bytes: a.bytes + b.bytes };
    let none = || Size { files: 0, bytes: 0 };
    let of_missions = (0..missions)
        .into_par_iter()
        .map(|n| -> Result<Size> {
            let folder = format!("zbd/m{n}");
            let mut made = put(format!("{folder}/zrdr.zbd"), reader(each / 3, n))?;
            made = sum(made, put(format!("{folder}/anim.zbd"), animations(each / 3, n))?);
            made = sum(made, put(format!("{folder}/soundsl.zbd"), sounds(each * 2, n))?);
            Ok(sum(made, put(format!("{folder}/rtexture4.zbd"), pictures(each * 4 / 3, n))?))
        })
        .try_reduce(none, |a, b| Ok(sum(a, b)))?;
    let of_addons =
        (0..addons).into_par_iter().map(|n| put(format!("addons/addon{n}.pbo"), addon(each, n))).try_reduce(none, |a, b| Ok(sum(a, b)))?;
    let mut made = sum(of_missions, of_addons);
    let world = typical::recoil_world();
    for n in 0..worlds {
        let mut own = world.clone();
        // The first part of a colour that stands there once, the one of the display.
        let color: Vec<u8> = [0.392f32, 0.392, 1.0].iter().flat_map(|part| part.to_le_bytes()).collect();
        let at = own.windows(color.len()).position(|window| window == color).context("the world has a display")?;
        own.iter_mut().skip(at).zip((0.25f32 + n as f32 / 256.0).to_le_bytes()).for_each(|(to, from)| *to = from);
        made = sum(made, put(format!("zbd/m{n}/gamez.zbd"), own)?);
    }
    Ok(sum(made, put("zbd/zrdr.zbd".to_owned(), reader(each, missions))?))
}

/// Readers that say their number.
fn reader(bytes: usize, n: usize) -> Vec<u8> {
    let mut own = vec![4u8, 0, 0, 0, 3, 0, 0, 0];
    for text in ["MISSION".to_owned(), format!("number {n}")] {
        own.extend(3u32.to_le_bytes());
        own.extend((text.len() as u32).to_le_bytes());
        own.extend(text.bytes());
    }
    let rows = synthetic::reader_members(bytes);
    let members: Vec<_> = std::iter::once(("mission.zrd".to_owned(), own)).chain(rows).collect();
    synthetic::archive(Footer::One, &members)
}

/// Animations, of which the first source was written at another time.
fn animations(bytes: usize, n: usize) -> Vec<u8> {
    let one = typical::recoil_animations(1).len();
    let each = typical::recoil_animations(2).len() - one;
    let mut out = typical::recoil_animations((bytes / each).max(1));
    // Behind three words and a path of eighty bytes.
    out.iter_mut().skip(92).zip((0x3646_0000 + n as u32).to_le_bytes()).for_each(|(to, from)| *to = from);
    out
}

fn sounds(bytes: usize, n: usize) -> Vec<u8> {
    let members: Vec<_> = (0..4).map(|i| (format!("sound{n}_{i}.wav"), synthetic::wav(bytes / 4, (n * 4 + i) as u64 + 1))).collect();
    synthetic::archive(Footer::One, &members)
}

/// A package of two pictures of sixteen bits a pixel, in place of a card's memory.
fn pictures(bytes: usize, n: usize) -> Vec<u8> {
    let (width, height) = (64usize, (bytes / 2 / 2 / 64).clamp(1, 4096));
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut out = words(&[0, 1, 0, 2, 0, 0]);
    let each = 16 + width * height * 2;
    for i in 0..2 {
        let mut field = format!("wall{n}_{i}").into_bytes();
        field.resize(32, 0);
        out.extend(field);
        out.extend(words(&[(24 + 40 * 2 + i * each) as u32, u32::MAX]));
    }
    for i in 0..2 {
        out.extend([5, 0, 0, 0]);
        out.extend((width as u16).to_le_bytes());
        out.extend((height as u16).to_le_bytes());
        out.extend([0; 8]);
        out.extend(synthetic::noise(width * height * 2, (n * 2 + i) as u64 + 7));
    }
    out
}

fn addon(bytes: usize, n: usize) -> Vec<u8> {
    let main = format!("#include \"\\x\\large\\addon{}\\macros.hpp\"\nhint \"{n}\";\n", n / 2);
    let mut files =
        vec![("init.sqf".to_owned(), main.into_bytes()), ("macros.hpp".to_owned(), format!("#define NUMBER {n}\n").into_bytes())];
    files.extend((0..8).map(|i| (format!("scripts\\file{i}.sqf"), synthetic::script(bytes / 8, (n * 8 + i) as u64 + 1))));
    synthetic::pbo_of(&format!("x\\large\\addon{n}"), &files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refit::{
        formats::Format,
        pipeline::{self, Hints, Via},
    };
    use std::collections::HashSet;

    #[test]
    fn all_files_are_exact_and_no_two_are_equal() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("game");
        let made = write(&root, Size { files: 120, bytes: 4_000_000 }).unwrap();
        let (mut sums, mut formats) = (HashSet::new(), HashSet::new());
        for entry in walkdir::WalkDir::new(&root).into_iter().map(|entry| entry.unwrap()).filter(|entry| entry.file_type().is_file()) {
            let bytes: bytes::Bytes = fs::read(entry.path()).unwrap().into();
            let outcome = pipeline::verify(&bytes, &entry.path().display().to_string(), Hints::default(), Via::Json).unwrap();
            assert!(outcome.raw.is_empty(), "{}: {:?}", entry.path().display(), outcome.raw);
            formats.insert(outcome.detection.format);
            sums.insert(refit::sha256(&bytes));
        }
        assert_eq!(sums.len(), made.files);
        assert!(made.files.abs_diff(120) < 8 && (3_000_000..9_000_000).contains(&made.bytes), "{made:?}");
        for format in [Format::Reader, Format::Anim, Format::Sounds, Format::Textures, Format::Pbo, Format::Gamez] {
            assert!(formats.contains(&format), "{format}");
        }
    }
}
