//! Random packages: valid sizes, but otherwise as irregular as possible.

use super::*;
use refit_base::{
    picture::{Picture, Pixels},
    tree::{Folder, Source},
};
use refit_files::pipeline::{self, Hints, Via};

const HINTS: Hints = Hints {
    game: None,
    format: Some(Format::Textures),
};

/// A linear congruential generator: the same packages on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }
    fn bytes(&mut self, n: usize, below: usize) -> Vec<u8> {
        (0..n).map(|_| self.roll(below) as u8).collect()
    }
}

fn random_package(dice: &mut Dice) -> Vec<u8> {
    let n = dice.roll(6);
    let palettes = dice.roll(3);
    let few = dice.one(&[4usize, 16, 65536]);
    let mut stored = Vec::new();
    for _ in 0..n {
        let odd = dice.roll(4) == 0;
        let mut flags = dice.one(&[5u32, 3, 11, 0x15, 0x13, 0x1b, 0xa5, 0xab, 0xa3]);
        if odd {
            flags ^= dice.one(&[0x1, 0x2, 0x4, 0x8, 0x10, 0x100, 0xffff_ff00, 0x1f]);
        }
        let (w, h) = (dice.roll(9), dice.roll(9));
        let count = dice.one(&[0, 0, 1, 2, 7, 16, 255, 256, if odd { 300 } else { 9 }]);
        let area = w * h;
        let unit = 1 + (flags & 1) as usize;
        let mut data: Vec<u8> = [
            flags.to_le_bytes().to_vec(),
            (w as u16).to_le_bytes().to_vec(),
            (h as u16).to_le_bytes().to_vec(),
        ]
        .concat();
        data.extend((if odd { dice.roll(3) as u32 } else { 0 }).to_le_bytes());
        data.extend((count as u16).to_le_bytes());
        data.extend((dice.one(&[0u16, 0, 3, 4, 65535])).to_le_bytes());
        let words = |dice: &mut Dice, n: usize| -> Vec<u8> {
            (0..n)
                .flat_map(|_| (dice.roll(few) as u16).wrapping_mul(3).to_le_bytes())
                .collect()
        };
        if count == 0 {
            data.extend(if unit == 2 {
                words(dice, area)
            } else {
                dice.bytes(area, 256)
            });
        } else {
            let below = if odd { 256 } else { count.min(256) };
            data.extend(dice.bytes(area, below));
        }
        if flags & 8 != 0 {
            data.extend(dice.bytes(area, 256));
        }
        if count != 0 && flags & 0x10 == 0 {
            data.extend(if unit == 2 {
                words(dice, count)
            } else {
                dice.bytes(count, 256)
            });
        }
        stored.push(data);
    }
    let mut tables: Vec<u8> = [
        if dice.roll(9) == 0 { 7u32 } else { 0 },
        1,
        palettes as u32,
        n as u32,
        0,
        0,
    ]
    .map(u32::to_le_bytes)
    .concat();
    let base = 24 + 40 * n + 512 * palettes;
    // Order, gaps, shared and overlapping starts.
    let layout = dice.roll(5);
    let mut order: Vec<usize> = (0..n).collect();
    if layout == 1 {
        order.reverse();
    }
    let mut starts = vec![0; n];
    let mut body = Vec::new();
    for i in order {
        if layout == 2 {
            let gap = dice.roll(5);
            body.extend(dice.bytes(gap, 256));
        }
        starts[i] = base + body.len();
        body.extend(&stored[i]);
    }
    if n > 0 && layout == 3 {
        starts[n - 1] = starts[dice.roll(n)];
    }
    if n > 1 && layout == 4 {
        // Anywhere in the file: often an image that does not fit, which the caller skips.
        starts[dice.roll(n)] = dice.roll(base + body.len());
    }
    if dice.roll(6) == 0 {
        body.extend(b"trailing");
    }
    for start in starts {
        let mut name = vec![0u8; 32];
        let length = dice.roll(33);
        let odd = dice.roll(3) == 0;
        for slot in name.iter_mut().take(length) {
            *slot = if odd {
                dice.roll(256) as u8
            } else {
                dice.one(b"abcAB./\\:~ ")
            };
        }
        tables.extend(name);
        tables.extend((start as u32).to_le_bytes());
        tables.extend((dice.one(&[-1i32, -1, 0, 1, 2, -2, 255])).to_le_bytes());
    }
    for _ in 0..palettes {
        tables.extend((0..256).flat_map(|_| (dice.roll(few) as u16).to_le_bytes()));
    }
    tables.extend(body);
    tables
}

#[test]
fn random_packages_are_exact_and_stay_so_when_all_pictures_are_saved_as_rgba() {
    let mut dice = Dice(5);
    let (mut accepted, mut keyed) = (0, 0);
    for round in 0..3000 {
        let file = Bytes::from(random_package(&mut dice));
        let folder = Folder::new();
        let style = if round % 2 == 0 {
            Style::Json
        } else {
            Style::Ron
        };
        let hints = Hints {
            game: [None, Some(Game::Rc), Some(Game::Cs)][round % 3],
            ..HINTS
        };
        let outcome = match pipeline::unpack(
            &file,
            "texture.zbd",
            hints,
            style,
            true,
            &folder,
            &|| Ok(()),
        ) {
            Ok(outcome) => outcome,
            Err(e) => {
                assert!(!e.to_string().contains("internal"), "round {round}: {e}");
                continue;
            }
        };
        accepted += 1;
        assert!(outcome.raw.is_empty(), "round {round}: {:?}", outcome.raw);
        assert_eq!(pipeline::repack(&folder).unwrap().1, file, "round {round}");
        // A program without palette support keeps the alpha, or drops it.
        for (path, alphas) in folder
            .paths()
            .iter()
            .filter(|p| p.ends_with(".png"))
            .zip((0..).map(|i| (i + round) % 2 == 0))
        {
            let picture = Picture::decode(&folder.get(path).unwrap()).unwrap();
            keyed += usize::from(
                matches!(&picture.pixels, Pixels::Indexed { alpha, .. } if !alpha.is_empty()),
            );
            let pixels = match &picture.pixels {
                Pixels::Indexed { .. } if !alphas => Pixels::Rgb(
                    picture
                        .pixels
                        .all()
                        .flat_map(|[r, g, b, _]| [r, g, b])
                        .collect(),
                ),
                _ => Pixels::Rgba(picture.pixels.all().flatten().collect()),
            };
            folder.set(
                path,
                Picture { pixels, ..picture }
                    .encode(round % 5 == 0)
                    .unwrap(),
            );
        }
        let (_, model) =
            pipeline::assemble(&folder).unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert_eq!(
            model.write().unwrap(),
            file,
            "round {round}: after saving as RGBA; {:?}",
            model.notes()
        );
        assert!(
            model.notes().is_empty(),
            "round {round}: {:?}",
            model.notes()
        );
    }
    assert!(accepted > 2000 && keyed > 100, "{accepted} {keyed}");
}

#[test]
fn cut_and_corrupt_packages_are_refused_or_exact() {
    let mut dice = Dice(77);
    for _ in 0..400 {
        let mut file = random_package(&mut dice);
        for _ in 0..1 + dice.roll(3) {
            let at = dice.roll(file.len());
            file[at] = dice.one(&[0, 1, 0x10, 0x80, 0xff]);
        }
        if dice.roll(2) == 0 {
            file.truncate(dice.roll(file.len()));
        }
        for via in [Via::Bytes, Via::Json] {
            match pipeline::verify(&Bytes::from(file.clone()), "texture.zbd", HINTS, via) {
                Ok(outcome) => assert!(outcome.raw.is_empty(), "{:?}", outcome.raw),
                Err(e) => assert!(!e.to_string().contains("internal"), "{e}"),
            }
        }
    }
}

#[test]
fn images_that_are_read_one_by_one_are_those_of_the_package_and_their_texels_show_the_same() {
    let mut dice = Dice(9);
    let (mut words, mut bytes) = (0, 0);
    for round in 0..1000 {
        let file = Bytes::from(random_package(&mut dice));
        let Ok(package) = Package::read(&file) else {
            continue;
        };
        let shelf =
            Shelf::open(Blob::Memory(file)).unwrap_or_else(|e| panic!("round {round}: {e}"));
        assert_eq!(
            (shelf.images().len(), shelf.palettes()),
            (package.images.len(), &package.palettes[..])
        );
        for (i, image) in package.images.iter().enumerate() {
            let own = shelf.image(i).unwrap();
            assert_eq!(
                (own.name, &own.info, &own.data),
                (image.name, &image.info, &image.data),
                "round {round}"
            );
            let Some(texels) = texels(&own, shelf.palettes(), None).unwrap() else {
                assert!(image.info.is_empty(), "round {round}");
                continue;
            };
            let shown: Vec<[u8; 4]> = match has_words(&own.info) {
                true => texels
                    .bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|word| opaque(u16::from_le_bytes(*word)))
                    .collect(),
                false => texels.bytes.as_chunks().0.to_vec(),
            };
            *if has_words(&own.info) {
                &mut words
            } else {
                &mut bytes
            } += 1;
            assert_eq!(
                shown,
                look::pixels(image, &package.palettes, None).unwrap(),
                "round {round}"
            );
        }
    }
    assert!(words > 300 && bytes > 300, "{words} {bytes}");
}

#[cfg(feature = "disk")]
#[test]
fn a_package_on_disk_is_the_same_and_its_images_stay_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("texture.zbd");
    let mut dice = Dice(11);
    let mut on_disk = 0;
    for round in 0..600 {
        let bytes = Bytes::from(random_package(&mut dice));
        std::fs::write(&path, &bytes).unwrap();
        let file = Blob::open(&path).unwrap().unwrap();
        let open =
            |file: &Blob| pipeline::read(file, pipeline::recognise(file, "texture.zbd", HINTS)?);
        let (there, here) = match (open(&file), open(&Blob::Memory(bytes.clone()))) {
            (Ok(there), Ok(here)) => (there, here),
            (there, here) => {
                let why = |opened: Result<pipeline::Opened>| opened.err().map(|e| e.to_string());
                assert_eq!(why(there), why(here), "round {round}");
                continue;
            }
        };
        if let refit_files::file::File::Textures(model) = &there.model
            && model.package.overlaid.is_none()
        {
            assert!(
                model
                    .package
                    .images
                    .iter()
                    .all(|image| matches!(image.data, Blob::Lazy(_))),
                "round {round}"
            );
            on_disk += model.package.images.len();
        }
        assert_eq!(
            pipeline::lint(&*there.model).unwrap(),
            pipeline::lint(&*here.model).unwrap(),
            "round {round}"
        );
        assert_eq!(there.model.info(), here.model.info(), "round {round}");
        assert_eq!(there.model.write().unwrap(), bytes, "round {round}");
        let explained = |file: &Blob| {
            let mut lines = Vec::new();
            let mut see = |line: refit_base::wire::Line| {
                lines.push(format!("{line:?}"));
                Ok(())
            };
            pipeline::explain(file, "texture.zbd", HINTS, 0..u64::MAX, &mut see).unwrap();
            lines
        };
        assert_eq!(
            explained(&file),
            explained(&Blob::Memory(bytes.clone())),
            "round {round}"
        );
        let unpacked = |file: &Blob, opened| {
            let (folder, how) = (
                Folder::new(),
                pipeline::How {
                    style: Style::Json,
                    proof: true,
                },
            );
            pipeline::unpack_opened(file, "texture.zbd", opened, how, &folder, &|| Ok(())).unwrap();
            folder
                .paths()
                .into_iter()
                .map(|path| (folder.get(&path).unwrap(), path))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            unpacked(&file, there),
            unpacked(&Blob::Memory(bytes), here),
            "round {round}"
        );
    }
    assert!(on_disk > 500, "{on_disk}");
}

#[cfg(feature = "disk")]
#[test]
fn pixels_of_a_file_that_changed_are_an_error_of_lint() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("texture.zbd");
    let image = [
        &[5, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1][..],
        &[0; 4],
    ]
    .concat();
    let entry = [&b"a"[..], &[0; 31], &64u32.to_le_bytes(), &[255; 4]].concat();
    let head = [0u32, 1, 0, 1, 0, 0].map(u32::to_le_bytes).concat();
    let file = [head, entry, image].concat();
    std::fs::write(&path, &file).unwrap();
    let blob = Blob::open(&path).unwrap().unwrap();
    let opened = pipeline::read(
        &blob,
        pipeline::recognise(&blob, "texture.zbd", HINTS).unwrap(),
    )
    .unwrap();
    assert!(pipeline::lint(&*opened.model).is_ok());
    std::fs::write(&path, [&file[..], &[0]].concat()).unwrap();
    assert!(
        pipeline::lint(&*opened.model)
            .unwrap_err()
            .to_string()
            .contains("changed")
    );
}

fn opaque(word: u16) -> [u8; 4] {
    let [r, g, b] = color::rgb(word);
    [r, g, b, 255]
}
