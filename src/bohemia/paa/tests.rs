//! The vectors of the format's description, and edits of pictures.

use super::*;
use refit_base::wire::{ErrorKind, bytes_of_hex};

fn hex(text: &str) -> Vec<u8> {
    bytes_of_hex(text).unwrap()
}

/// Unpacked data, and the output of LZO1X-999 at level 8.
fn vectors() -> Vec<(Vec<u8>, Vec<u8>)> {
    // A run of zeros is copied in pieces of 2048 bytes.
    let piece = |length: &str| format!("20 00000000000000 {length} 0000");
    let mut packed = hex("12 00");
    (0..15).for_each(|_| packed.extend(hex(&piece("e6"))));
    packed.extend(hex(&piece("e5")));
    packed.extend([0x11, 0, 0]);
    let all: Vec<u8> = (0..=255).collect();
    let squares: Vec<u8> = (0..200u32).map(|i| (i * i % 251) as u8).collect();
    let literal = |head: &str, data: &[u8]| [&hex(head), data, &[0x11, 0, 0]].concat();
    vec![
        (Vec::new(), hex("110000")),
        (b"a".to_vec(), hex("1261110000")),
        (b"abcabcabcabc".to_vec(), hex("14616263270800110000")),
        (vec![0; 64], hex("1200201e0000110000")),
        (vec![0; 1000], hex("120020000000c90000110000")),
        (vec![0; 32768], packed),
        (
            b"the cat the cat the cat sat".to_vec(),
            hex("1974686520636174202e1d00730c00110000"),
        ),
        (all.clone(), literal("00ee", &all)),
        (squares.clone(), literal("d9", &squares)),
        (
            hex("00f8e00700000000").repeat(16),
            hex("1600f8e00700600020561c00110000"),
        ),
    ]
}

#[test]
fn lzo_is_packed_as_bohemia_does_and_unpacked() {
    for (content, packed) in vectors() {
        assert_eq!(hex_of(&lzo::pack(&content).unwrap()), hex_of(&packed));
        assert_eq!(lzo::unpack(&packed, content.len()).unwrap(), content);
        // Every cut, and every other size, is an error.
        for cut in 0..packed.len() {
            assert!(lzo::unpack(&packed[..cut], content.len()).is_err());
        }
        assert!(lzo::unpack(&packed, content.len() + 1).is_err());
        assert!(lzo::unpack(&[packed.as_slice(), &[0]].concat(), content.len()).is_err());
    }
    for wrong in [
        "120020 0000",
        "15616263 2b0800 110000",
        "12 61 2004 0000 110000",
        "12 61 10 01 00 00",
    ] {
        assert!(lzo::unpack(&hex(wrong), 12).is_err(), "{wrong}");
    }
}

/// Content of all kinds: runs, repeats near and far, noise.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed * 2 + 1;
    let mut next = |n: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut out: Vec<u8> = Vec::new();
    while out.len() < len {
        let n = 1 + next(300) as usize;
        match next(3) {
            0 => out.extend((0..n).map(|_| next(256) as u8)),
            1 => out.extend(std::iter::repeat_n(next(256) as u8, n)),
            _ if out.is_empty() => {}
            _ => {
                let from = next(out.len() as u64) as usize;
                (from..from + n).for_each(|at| out.push(out[at]));
            }
        }
    }
    out.truncate(len);
    out
}

#[test]
fn packed_data_unpack() {
    for (seed, len) in (0..).zip([1, 2, 3, 10, 100, 1000, 5000, 70_000, 200_000]) {
        let content = noise(seed, len);
        assert!(
            lzo::unpack(&lzo::pack(&content).unwrap(), len).unwrap() == content,
            "{len}"
        );
        for packing in [Packing::Lzss, Packing::Runs] {
            let packed = packing::pack(packing, &content).unwrap();
            let kind = if packing == Packing::Runs {
                PaaKind::P8
            } else {
                PaaKind::Ai88
            };
            let size = if kind == PaaKind::P8 {
                [1, len as u16]
            } else {
                [1, len as u16 / 2]
            };
            if len < 5000 && len % 2 == 0 {
                let level = packing::level(size, packing, packed);
                let unpacked = packing::unpack(kind, &level).unwrap();
                assert!(
                    unpacked.content == content
                        && unpacked.packing == packing
                        && !unpacked.is_wrong_sum
                );
            }
        }
    }
}

#[test]
fn data_that_take_too_long_to_pack_stay_unpacked() {
    // Zeros and ones at random: the packer would look at 2,000 candidates for each byte.
    let mut state = 1u32;
    let mut bit = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 9) as u8 & 1
    };
    let content: Vec<u8> = (0..1 << 20).map(|_| bit()).collect();
    assert_eq!(lzo::pack(&content), None);
    assert_eq!(
        packing::usual(PaaKind::Dxt5, [1024, 1024], &content),
        (Packing::Plain, content.clone())
    );
    assert_eq!(
        packing::packed(Packing::Lzo, content.clone()),
        (Packing::Plain, content)
    );
    // The positions before the window are forgotten, not mixed up with later ones.
    let far = noise(77, 300_000);
    assert!(lzo::unpack(&lzo::pack(&far).unwrap(), far.len()).unwrap() == far);
}

#[test]
fn levels_that_are_too_large_to_draw_are_not_unpacked() {
    // 134 MB of zeros in 526 kB.
    let size = [16384, 16384];
    let level = packing::level(size, Packing::Lzo, vec![0; 526_000]);
    let error = packing::unpack(PaaKind::Dxt1, &level).unwrap_err();
    assert!(
        error.to_string().contains("more than 8192 × 8192"),
        "{error}"
    );
    // 33 MB of one colour, as refit packs it: no finding. From fewer bytes than that it cannot
    // come.
    for (bytes, kind) in [(180_235, ErrorKind::Limit), (1000, ErrorKind::Invalid)] {
        let level = packing::level([8192, 8192], Packing::Lzo, vec![0; bytes]);
        assert_eq!(
            packing::unpack(PaaKind::Dxt1, &level).unwrap_err().kind(),
            kind,
            "{bytes}"
        );
    }
}

#[test]
fn blocks_decode_by_their_rules() {
    // Red and green, an index each in turn: four colours, then three and a clear one.
    let four = blocks::decode(PaaKind::Dxt1, &hex("00f8e007e4e4e4e4"));
    assert_eq!(
        four[..4],
        [
            [255, 0, 0, 255],
            [0, 255, 0, 255],
            [170, 85, 0, 255],
            [85, 170, 0, 255]
        ]
    );
    let three = blocks::decode(PaaKind::Dxt1, &hex("e00700f8e4e4e4e4"));
    assert_eq!(
        three[..4],
        [
            [0, 255, 0, 255],
            [255, 0, 0, 255],
            [128, 128, 0, 255],
            [0, 0, 0, 0]
        ]
    );
    let explicit = blocks::decode(PaaKind::Dxt3, &hex("10325476 98badcfe e00700f8e4e4e4e4"));
    let alphas: Vec<u8> = explicit.iter().map(|pixel| pixel[3]).collect();
    assert_eq!(alphas, (0..16).map(|i| i * 17).collect::<Vec<u8>>());
    assert_eq!(explicit[3], [170, 85, 0, 51]);
    let eight = blocks::decode(PaaKind::Dxt5, &hex("ff00 88c6fa88c6fa 0000000000000000"));
    assert_eq!(
        eight[..8].iter().map(|pixel| pixel[3]).collect::<Vec<u8>>(),
        [255, 0, 219, 182, 146, 109, 73, 36]
    );
    let six = blocks::decode(PaaKind::Dxt5, &hex("00ff 88c6fa88c6fa 0000000000000000"));
    assert_eq!(
        six[..8].iter().map(|pixel| pixel[3]).collect::<Vec<u8>>(),
        [0, 255, 51, 102, 153, 204, 0, 255]
    );
}

#[test]
fn blocks_that_are_encoded_look_the_same() {
    let error = |kind: PaaKind, block: &[Rgba; 16]| {
        let mut out = Vec::new();
        blocks::encode(kind, block, &mut out);
        assert_eq!(out.len(), kind.unit());
        let back = blocks::decode(kind, &out);
        let far = |(a, b): (&Rgba, &Rgba)| {
            a.iter()
                .zip(b)
                .map(|(a, b)| u32::from(a.abs_diff(*b)))
                .max()
        };
        block.iter().zip(&back).filter_map(far).max().unwrap()
    };
    let gradient: [Rgba; 16] =
        std::array::from_fn(|i| [16 * i as u8, 8 * i as u8, 255 - 4 * i as u8, 255]);
    let flat = [[12, 200, 100, 255]; 16];
    let two: [Rgba; 16] = std::array::from_fn(|i| {
        if i % 3 == 0 {
            [255, 255, 255, 255]
        } else {
            [0, 0, 0, 255]
        }
    });
    let mut clear = two;
    clear[5] = [0; 4];
    for kind in [PaaKind::Dxt1, PaaKind::Dxt3, PaaKind::Dxt5] {
        assert!(
            error(kind, &gradient) <= 48,
            "{kind:?} {}",
            error(kind, &gradient)
        );
        assert!(error(kind, &flat) <= 4);
        assert_eq!(error(kind, &two), 0);
        assert_eq!(error(kind, &clear), 0);
        assert_eq!(error(kind, &[[0; 4]; 16]), 0);
    }
    let alphas: [Rgba; 16] = std::array::from_fn(|i| [50, 60, 70, 17 * i as u8]);
    assert_eq!(
        error(PaaKind::Dxt3, &alphas.map(|[_, _, _, a]| [0, 0, 0, a])),
        0
    );
    assert!(error(PaaKind::Dxt5, &alphas) <= 19);
    let edges: [Rgba; 16] = std::array::from_fn(|i| [0, 0, 0, [0, 255, 100, 101][i % 4]]);
    assert_eq!(error(PaaKind::Dxt5, &edges), 0);
}

#[test]
fn pixels_widen_and_come_back() {
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for kind in [
        PaaKind::Argb1555,
        PaaKind::Argb4444,
        PaaKind::Ai88,
        PaaKind::Argb8888,
    ] {
        let form = pixels::Form {
            kind,
            size: [if kind.unit() == 4 { 128 } else { 256 }, 256],
            palette: &[],
        };
        assert!(
            form.encode(&form.decode(&all).unwrap(), None) == all,
            "{kind:?}"
        );
    }
    let palette: Vec<u8> = (0..=255).flat_map(|i| [i, 255 - i, i / 2]).collect();
    let form = pixels::Form {
        kind: PaaKind::P8,
        size: [16, 16],
        palette: &palette,
    };
    let indices: Vec<u8> = (0..=255).collect();
    let pixels = form.decode(&indices).unwrap();
    assert_eq!(pixels[3], [1, 252, 3, 255]);
    assert_eq!(form.encode(&pixels, None), indices);
    assert_eq!(form.encode(&[[2, 251, 3, 255]; 256], None), [4; 256]);
}

/// A texture of blocks, 256 × 256, with all levels.
fn texture(kind: PaaKind) -> Paa {
    let pixels = |x: usize, y: usize| [x as u8, y as u8, (x ^ y) as u8, 255 - (x / 2) as u8];
    let pixels: Vec<Rgba> = (0..256 * 256).map(|i| pixels(i % 256, i / 256)).collect();
    let container = Container {
        kind: Some(kind),
        tags: vec![PaaTag::Average(Raw([0; 4])), PaaTag::Offsets],
        palette: Bytes::new(),
        levels: Vec::new(),
        end: Bytes::from_static(&END),
    };
    let mut paa = Paa {
        container,
        name: "a.paa".to_owned(),
        notes: Vec::new(),
    };
    paa.container.levels = paa.fresh([256, 256], pixels, usual_count(kind, [256, 256]));
    let [r, g, b, a] = pixels::average(&paa.pixels(&paa.container.levels[0]).unwrap());
    paa.container.tags[0] = PaaTag::Average(Raw([b, g, r, a]));
    paa
}

#[test]
fn an_edit_changes_only_its_blocks_in_all_levels() {
    for kind in [PaaKind::Dxt1, PaaKind::Dxt5, PaaKind::Argb4444] {
        let mut paa = texture(kind);
        assert_eq!(paa.container.levels.len(), 7);
        let before = paa.container.levels.clone();
        let content = |level: &Level| packing::unpack(kind, level).unwrap().content;
        let mut pixels = paa.form([256, 256]).decode(&content(&before[0])).unwrap();
        paa.put_picture([256, 256], pixels.clone()).unwrap();
        assert_eq!((&paa.container.levels, paa.notes.len()), (&before, 0));
        pixels[256 * 100 + 37] = [255, 0, 255, 255];
        paa.put_picture([256, 256], pixels).unwrap();
        for (now, was) in paa.container.levels.iter().zip(&before) {
            assert_eq!((now.size, now.is_packed), (was.size, was.is_packed));
            let (now, was) = (content(now), content(was));
            let units = now.chunks(kind.unit()).zip(was.chunks(kind.unit()));
            assert!(units.filter(|(now, was)| now != was).count() <= 1);
        }
        assert_ne!(paa.container.levels[0], before[0]);
    }
}

#[test]
fn a_picture_of_another_size_is_a_new_texture() {
    let mut paa = texture(PaaKind::Dxt1);
    paa.put_picture([64, 32], vec![[10, 20, 30, 255]; 64 * 32])
        .unwrap();
    let sizes: Vec<[u16; 2]> = paa
        .container
        .levels
        .iter()
        .map(|level| level.size)
        .collect();
    assert_eq!(sizes, [[64, 32], [32, 16], [16, 8], [8, 4]]);
    assert_eq!(paa.tags()[0], PaaTag::Average(Raw([30, 20, 10, 255])));
    assert_eq!(paa.notes.len(), 2);
    let back = Paa::from_bytes(&paa.write().unwrap().into(), "a.paa").unwrap();
    assert_eq!(back.container, paa.container);
}

/// The very picture that a texture was made of changes nothing: its colours are not exactly those
/// that blocks can store, and the average colour is not that of the blocks either.
#[test]
fn the_picture_of_which_a_texture_was_made_changes_nothing() {
    let picture = Picture {
        width: 64,
        height: 64,
        pixels: refit_base::picture::Pixels::Rgba(
            (0..64 * 64)
                .flat_map(|i| [(i % 64) as u8 * 4, (i / 64) as u8 * 4, 126, 255])
                .collect(),
        ),
    };
    let png = picture.encode(false).unwrap();
    for name in ["a_co.paa", "a_ca.paa"] {
        let made = Paa::from_picture(&png, name).unwrap().write().unwrap();
        let texture = |file: &[u8]| {
            let file = Bytes::from(file.to_vec());
            member::Texture::read(&(&file).into(), name)
                .unwrap()
                .unwrap()
        };
        let (again, notes) = texture(&made).with_picture(&png).unwrap();
        assert!(again == made, "{name}");
        assert_eq!(notes, Vec::<String>::new(), "{name}");
    }
}

/// Textures in archives: an edited pixel changes its block, and those of the smaller levels.
#[test]
fn an_edited_picture_changes_its_blocks() {
    let name = "hut_co.paa";
    let file = Bytes::from(
        std::fs::read(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../golden/paa/dxt1_chain.paa"
        ))
        .unwrap(),
    );
    let read = |file: &Bytes| member::Texture::read(&file.into(), name).unwrap().unwrap();
    let png = read(&file).picture(false, true).unwrap();
    assert_eq!(
        read(&file).with_picture(&png).unwrap(),
        (file.clone(), Vec::new())
    );
    let mut picture = Picture::decode(&png).unwrap();
    assert_eq!((picture.width, picture.height), (16, 8));
    let refit_base::picture::Pixels::Rgba(samples) = &mut picture.pixels else {
        panic!()
    };
    samples[..4].copy_from_slice(&[255; 4]);
    let (edited, _) = read(&file)
        .with_picture(&picture.encode(false).unwrap())
        .unwrap();
    let (old, new) = (read(&file).into_paa(), read(&edited).into_paa());
    let changed: Vec<Vec<usize>> = old
        .container
        .levels
        .iter()
        .zip(&new.container.levels)
        .map(|(old, new)| {
            let blocks = old.data.chunks(8).zip(new.data.chunks(8));
            (0..)
                .zip(blocks)
                .filter(|(_, (old, new))| old != new)
                .map(|(i, _)| i)
                .collect()
        })
        .collect();
    assert!(
        changed
            .iter()
            .all(|blocks| blocks.is_empty() || *blocks == [0])
            && changed[0] == [0],
        "{changed:?}"
    );
    assert_eq!(edited.len(), file.len());
}

/// A short stream that unpacks to very many pixels becomes a small PNG.
#[test]
fn the_picture_of_a_texture_is_not_very_much_larger() {
    let size = [2048, 2048];
    let content = vec![0; PaaKind::Dxt1.bytes(size) as usize];
    let level = packing::level(
        size,
        Packing::Lzo,
        packing::pack(Packing::Lzo, &content).unwrap(),
    );
    let container = Container {
        kind: Some(PaaKind::Dxt1),
        tags: vec![PaaTag::Average(Raw([0; 4]))],
        palette: Bytes::new(),
        levels: vec![level],
        end: Bytes::from_static(&END),
    };
    let file = Bytes::from(container.write().unwrap());
    let texture = member::Texture::read(&(&file).into(), "a_co.paa")
        .unwrap()
        .unwrap();
    let png = texture.picture(false, true).unwrap();
    assert!(
        png.len() < file.len() * 64,
        "{} bytes of {}",
        png.len(),
        file.len()
    );
    assert_eq!(member::picture_again(&(&file).into(), 0).unwrap(), png);
}

/// The header of a level survives although there is nothing to pack, or another packing (found by
/// fuzzing).
#[test]
fn the_header_of_a_level_survives() {
    let level = |size, packing, content: &[u8]| {
        packing::level(size, packing, packing::pack(packing, content).unwrap())
    };
    let expected = [Packing::LzssHead, Packing::LzoHead, Packing::LzssHead];
    let levels = vec![
        level([4, 1], expected[0], &[0; 4]),
        level([4, 1], expected[1], &[7; 4]),
        packing::level([4, 0], expected[2], Bytes::new()),
    ];
    let container = Container {
        kind: None,
        tags: Vec::new(),
        palette: Bytes::from_static(&[1, 2, 3]),
        levels,
        end: Bytes::from_static(&END),
    };
    let file = Bytes::from(container.write().unwrap());
    let read = Container::read(&file, None).unwrap();
    let packings: Vec<_> = read
        .levels
        .iter()
        .map(|level| packing::unpack(PaaKind::P8, level).unwrap().packing)
        .collect();
    assert_eq!(packings, expected);
    assert_eq!(read.write().unwrap(), file);
}
