//! Texture packages: PNGs of other writers give the same file; edits give bytes that are made by
//! hand here.

use refit::{
    formats::{Context, Format},
    game::Game,
    pipeline::{self, Hints},
    registry::codec,
    tree::{Folder, Form, Source, Style},
};
use roundtrip_tests::{
    by_hand::{Image, package, package_entry as entry, package_header as header},
    *,
};

const HINTS: Hints = Hints {
    game: None,
    format: Some(Format::Textures),
};

// ---- A package and a PNG by hand.

fn le(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| {
            if c & 1 == 1 {
                c >> 1 ^ 0xedb8_8320
            } else {
                c >> 1
            }
        })
    })
}

/// A PNG of 8-bit samples without compression: color type 0 grey, 2 RGB, 3 indexed, 6 RGBA.
fn png(size: (u16, u16), color: u8, samples: &[u8], palette: &[[u8; 3]], trns: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        out.extend((data.len() as u32).to_be_bytes());
        let body = [kind, data].concat();
        out.extend(&body);
        out.extend(crc32(&body).to_be_bytes());
    };
    let mut head = [
        u32::from(size.0).to_be_bytes(),
        u32::from(size.1).to_be_bytes(),
    ]
    .concat();
    head.extend([8, color, 0, 0, 0]);
    chunk(b"IHDR", &head);
    if !palette.is_empty() {
        chunk(b"PLTE", &palette.concat());
    }
    if !trns.is_empty() {
        chunk(b"tRNS", trns);
    }
    let channels = match color {
        2 => 3,
        6 => 4,
        _ => 1,
    };
    let rows: Vec<u8> = samples
        .chunks(usize::from(size.0) * channels)
        .flat_map(|row| std::iter::once(0).chain(row.iter().copied()))
        .collect();
    let mut zlib = vec![0x78, 0x01];
    let blocks: Vec<&[u8]> = rows.chunks(65535).collect();
    for (i, block) in blocks.iter().enumerate() {
        zlib.push(u8::from(i + 1 == blocks.len()));
        zlib.extend((block.len() as u16).to_le_bytes());
        zlib.extend((!(block.len() as u16)).to_le_bytes());
        zlib.extend(*block);
    }
    let (a, b) = rows.iter().fold((1u32, 0u32), |(a, b), v| {
        (
            (a + u32::from(*v)) % 65521,
            (b + (a + u32::from(*v))) % 65521,
        )
    });
    zlib.extend((b << 16 | a).to_be_bytes());
    chunk(b"IDAT", &zlib);
    chunk(b"IEND", &[]);
    out
}

/// The expansion of src/zipper/textures/FORMAT.md, in floating point.
fn rgb(word: u16) -> [u8; 3] {
    let level = |v: u16, top: u16| (f64::from(v) * 255.0 / f64::from(top) + 0.5) as u8;
    [
        level(word >> 11, 31),
        level(word >> 5 & 63, 63),
        level(word & 31, 31),
    ]
}

fn rgbs(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|w| rgb(*w)).collect()
}

fn rgbas(words: &[u16], alpha: impl Fn(usize) -> u8) -> Vec<u8> {
    words
        .iter()
        .enumerate()
        .flat_map(|(i, w)| rgb(*w).into_iter().chain([alpha(i)]))
        .collect()
}

const SIZE: (u16, u16) = (4, 2);

fn colour(name: &'static str, words: &[u16]) -> Image<'static> {
    Image::plain(name, SIZE, le(words))
}

fn local(name: &'static str, indices: &[u8], palette: &[u16]) -> Image<'static> {
    let data = [indices.to_vec(), le(palette)].concat();
    Image {
        name,
        flags: 5,
        size: SIZE,
        count: palette.len() as u16,
        render_flags: 0,
        global: -1,
        data,
    }
}

fn tree_of(bytes: Vec<u8>) -> Folder {
    tree_in(bytes, HINTS, Style::Json)
}

fn tree_in(bytes: Vec<u8>, hints: Hints, style: Style) -> Folder {
    unpack(
        &Case {
            path: "texture.zbd".into(),
            folder: String::new(),
            bytes: bytes.into(),
        },
        hints,
        style,
    )
}

/// The bytes and the notes of repacking a tree.
fn repack_noted(tree: &Folder) -> (Vec<u8>, Vec<String>) {
    let (_, model) = pipeline::assemble(tree).unwrap_or_else(|e| panic!("{e}"));
    (
        model.write().unwrap_or_else(|e| panic!("{e}")),
        model.notes().to_vec(),
    )
}

#[track_caller]
fn repacks_to(tree: &Folder, expected: &[u8], notes: &[&str]) {
    let (bytes, said) = repack_noted(tree);
    assert_bytes(&bytes, expected);
    assert_eq!(said.len(), notes.len(), "{said:?}");
    for (said, part) in said.iter().zip(notes) {
        assert!(said.contains(part), "{said:?} does not say {part:?}");
    }
}

const WORDS: [u16; 8] = [
    0x0000, 0xffff, 0x1234, 0xf800, 0x07e0, 0x001f, 0x0020, 0x8410,
];
const PLANE: [u8; 8] = [0, 1, 64, 127, 128, 200, 254, 255];

// ---- Other writers.

#[test]
fn pictures_saved_by_other_programs_give_the_identical_file() {
    let case = golden_file("textures", "each.zbd");
    for writer in [
        "pillow",
        "pillow-rgba",
        "pngjs",
        "by-hand-16",
        "by-hand-interlaced",
    ] {
        let tree = unpack(&case, HINTS, Style::Json);
        let pictures: Vec<String> = tree
            .paths()
            .into_iter()
            .filter(|p| p.ends_with(".png"))
            .collect();
        assert_eq!(pictures.len(), 12, "{pictures:?}");
        for path in pictures {
            let file = root()
                .join("roundtrip-tests/fixtures/textures")
                .join(writer)
                .join(path.trim_start_matches("images/"));
            let bytes = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            assert_ne!(
                bytes,
                tree.get(&path).unwrap(),
                "{writer}: {path} is not saved again"
            );
            tree.set(&path, bytes);
        }
        let (bytes, notes) = repack_noted(&tree);
        assert_bytes(&bytes, &case.bytes);
        assert!(notes.is_empty(), "{writer}: {notes:?}");
    }
}

#[test]
fn unedited_trees_do_not_need_the_memory() {
    for case in golden("textures") {
        let tree = unpack(&case, HINTS, Style::Json);
        tree.remove(".refit/palettes.bin");
        repacks_to(&tree, &case.bytes, &[]);
    }
}

#[test]
fn all_words_survive_in_every_kind_of_alpha() {
    let words: Vec<u16> = (0..=u16::MAX).collect();
    let size = (256, 256);
    let plane: Vec<u8> = (0..65536).map(|i| (i / 7) as u8).collect();
    let images = [
        Image {
            size,
            ..colour("none", &words)
        },
        Image {
            size,
            flags: 3,
            ..colour("simple", &words)
        },
        Image {
            size,
            flags: 11,
            data: [le(&words), plane.clone()].concat(),
            ..colour("full", &words)
        },
    ];
    let file = package(&images, &[]);
    let tree = tree_of(file.clone());
    repacks_to(&tree, &file, &[]);
    // And the pictures are those of the reference's formula, whichever program writes them.
    tree.set("images/none.png", png(size, 2, &rgbs(&words), &[], &[]));
    tree.set(
        "images/simple.png",
        png(
            size,
            6,
            &rgbas(&words, |i| if i == 0 { 0 } else { 255 }),
            &[],
            &[],
        ),
    );
    tree.set(
        "images/full.png",
        png(size, 6, &rgbas(&words, |i| plane[i]), &[], &[]),
    );
    repacks_to(&tree, &file, &[]);
}

// ---- One pixel of each kind.

#[test]
fn a_recoloured_pixel_changes_two_bytes_of_a_colour_image() {
    for (flags, alpha) in [(5u32, None), (3, Some(false)), (11, Some(true))] {
        let image = |words: &[u16]| {
            let mut data = le(words);
            if alpha == Some(true) {
                data.extend(PLANE);
            }
            Image {
                flags,
                data,
                ..colour("a", words)
            }
        };
        let mut words = WORDS;
        let tree = tree_of(package(&[image(&words)], &[]));
        words[2] = 0x4321;
        let samples = match alpha {
            None => rgbs(&words),
            Some(false) => rgbas(&words, |i| if i == 0 { 0 } else { 255 }),
            Some(true) => rgbas(&words, |i| PLANE[i]),
        };
        tree.set(
            "images/a.png",
            png(
                SIZE,
                if alpha.is_some() { 6 } else { 2 },
                &samples,
                &[],
                &[],
            ),
        );
        repacks_to(&tree, &package(&[image(&words)], &[]), &[]);
    }
}

#[test]
fn a_new_colour_gets_a_new_index_and_the_others_keep_theirs() {
    // Index 2 is the colour of index 0 again, index 4 is not used.
    let palette = [0x1234, 0xf800, 0x1234, 0x07e0, 0x7777];
    let indices = [0, 1, 2, 3, 2, 1, 0, 3];
    let tree = tree_of(package(&[local("a", &indices, &palette)], &[]));
    let mut words: Vec<u16> = indices.iter().map(|i| palette[usize::from(*i)]).collect();
    words[5] = 0x4321;
    // As RGB, from a program that knows no palettes.
    tree.set("images/a.png", png(SIZE, 2, &rgbs(&words), &[], &[]));
    let grown = [0x1234, 0xf800, 0x1234, 0x07e0, 0x7777, 0x4321];
    repacks_to(
        &tree,
        &package(&[local("a", &[0, 1, 2, 3, 2, 5, 0, 3], &grown)], &[]),
        &[],
    );
    // As an indexed PNG from a program that keeps indices: they are used.
    let own: Vec<[u8; 3]> = [0x4321u16, 0x1234, 0xf800]
        .iter()
        .map(|w| rgb(*w))
        .collect();
    tree.set(
        "images/a.png",
        png(SIZE, 3, &[1, 2, 1, 2, 1, 0, 1, 2], &own, &[]),
    );
    repacks_to(
        &tree,
        &package(
            &[local(
                "a",
                &[1, 2, 1, 2, 1, 0, 1, 2],
                &[0x4321, 0x1234, 0xf800],
            )],
            &[],
        ),
        &[],
    );
}

#[test]
fn a_sorted_or_padded_palette_changes_nothing() {
    let palette = [0x1234u16, 0xf800, 0x07e0, 0x7777];
    let indices = [0, 1, 2, 1, 0, 2, 2, 1];
    let file = package(&[local("a", &indices, &palette)], &[]);
    let tree = tree_of(file.clone());
    let sorted: Vec<[u8; 3]> = [0x07e0u16, 0x1234, 0xf800]
        .iter()
        .map(|w| rgb(*w))
        .collect();
    tree.set(
        "images/a.png",
        png(SIZE, 3, &[1, 2, 0, 2, 1, 0, 0, 2], &sorted, &[]),
    );
    repacks_to(&tree, &file, &[]);
    let mut padded: Vec<[u8; 3]> = palette.iter().map(|w| rgb(*w)).collect();
    padded.resize(256, [0; 3]);
    tree.set("images/a.png", png(SIZE, 3, &indices, &padded, &[]));
    repacks_to(&tree, &file, &[]);
    // A colour changed in the palette changes the palette alone.
    let mut edited: Vec<[u8; 3]> = palette.iter().map(|w| rgb(*w)).collect();
    edited[1] = rgb(0x4321);
    tree.set("images/a.png", png(SIZE, 3, &indices, &edited, &[]));
    repacks_to(
        &tree,
        &package(
            &[local("a", &indices, &[0x1234, 0x4321, 0x07e0, 0x7777])],
            &[],
        ),
        &[],
    );
}

#[test]
fn a_full_palette_makes_room_and_too_many_colours_are_refused_or_reduced() {
    let size = (32, 16);
    let palette: Vec<u16> = (0..256).map(|i| i * 37).collect();
    let image = |indices: &[u8], palette: &[u16]| Image {
        size,
        ..local("a", indices, palette)
    };
    // Colours 250 to 255 are not used.
    let indices: Vec<u8> = (0..512).map(|i| (i % 250) as u8).collect();
    let tree = tree_of(package(&[image(&indices, &palette)], &[]));
    let mut words: Vec<u16> = indices.iter().map(|i| palette[usize::from(*i)]).collect();
    words[7] = 0xfffe;
    words[9] = 0xfffd;
    tree.set("images/a.png", png(size, 2, &rgbs(&words), &[], &[]));
    let (mut new, mut pixels) = (palette.clone(), indices.clone());
    (new[250], new[251]) = (0xfffe, 0xfffd);
    (pixels[7], pixels[9]) = (250, 251);
    repacks_to(&tree, &package(&[image(&pixels, &new)], &[]), &[]);

    let many: Vec<u16> = (0..512).map(|i| i * 128).collect();
    tree.set("images/a.png", png(size, 2, &rgbs(&many), &[], &[]));
    let error = repack_error(&tree);
    assert!(
        error.contains("512 different colours")
            && error.contains("at most 256")
            && error.contains("\"quantize\": true"),
        "{error}"
    );
    assert!(error.contains("images/a.png"), "{error}");
    edit(
        &tree,
        "refit.json",
        "\"kind\":",
        "\"quantize\": true, \"kind\":",
    );
    let (bytes, notes) = repack_noted(&tree);
    assert!(
        notes.len() == 1 && notes[0].contains("512 colours were reduced to"),
        "{notes:?}"
    );
    let model = codec(Format::Textures)
        .read(
            &bytes::Bytes::from(bytes).into(),
            &Context {
                game: None,
                format: Format::Textures,
                file: String::new(),
            },
        )
        .unwrap();
    let shown = model.model().members().remove(0);
    assert!(shown.kind.starts_with("local 2"), "{shown:?}");
    // Without a palette there is no limit.
    edit(
        &tree,
        "refit.json",
        "\"quantize\": true, \"kind\": { \"local\": 256 }",
        "\"render_flags\": []",
    );
    repacks_to(
        &tree,
        &package(
            &[Image {
                size,
                ..colour("a", &many)
            }],
            &[],
        ),
        &[],
    );
}

fn shared(name: &'static str, indices: &[u8], count: u16) -> Image<'static> {
    Image {
        name,
        flags: 0x15,
        size: SIZE,
        count,
        render_flags: 0,
        global: 0,
        data: indices.to_vec(),
    }
}

#[test]
fn an_image_with_a_global_palette_stays_on_it() {
    // Colours 3 and 5 are equal; 200 is beyond the image's 8 colours.
    let mut palette: Vec<u16> = (0..256).map(|i| i * 251).collect();
    palette[5] = palette[3];
    let indices = [0, 5, 3, 7, 200, 1, 2, 5];
    let file = package(&[shared("a", &indices, 8)], std::slice::from_ref(&palette));
    let tree = tree_of(file.clone());
    let words: Vec<u16> = indices.iter().map(|i| palette[usize::from(*i)]).collect();
    tree.set("images/a.png", png(SIZE, 2, &rgbs(&words), &[], &[]));
    repacks_to(&tree, &file, &[]);
    // A colour of the palette: its lowest index.
    let mut edited = words.clone();
    edited[0] = palette[3];
    tree.set("images/a.png", png(SIZE, 2, &rgbs(&edited), &[], &[]));
    repacks_to(
        &tree,
        &package(
            &[shared("a", &[3, 5, 3, 7, 200, 1, 2, 5], 8)],
            std::slice::from_ref(&palette),
        ),
        &[],
    );
    // Another colour: the nearest of the eight, with a note; the palette stays.
    edited[0] = palette[7] ^ 1;
    tree.set("images/a.png", png(SIZE, 2, &rgbs(&edited), &[], &[]));
    let expected = package(
        &[shared("a", &[7, 5, 3, 7, 200, 1, 2, 5], 8)],
        std::slice::from_ref(&palette),
    );
    repacks_to(
        &tree,
        &expected,
        &["1 colours are not in the global palette"],
    );
}

#[test]
fn opaque_black_does_not_become_a_hole() {
    let image = |words: &[u16]| Image {
        flags: 3,
        ..colour("a", words)
    };
    let tree = tree_of(package(&[image(&WORDS)], &[]));
    let mut samples = rgbas(&WORDS, |i| if i == 0 { 0 } else { 255 });
    samples[4..8].copy_from_slice(&[0, 0, 0, 255]);
    samples[8..12].copy_from_slice(&[3, 1, 2, 255]);
    samples[12..16].copy_from_slice(&[200, 100, 50, 0]);
    tree.set("images/a.png", png(SIZE, 6, &samples, &[], &[]));
    let words = [0, 0x0001, 0x0001, 0, 0x07e0, 0x001f, 0x0020, 0x8410];
    repacks_to(&tree, &package(&[image(&words)], &[]), &[]);
    // Half transparent pixels are reported.
    samples[19] = 127;
    samples[23] = 128;
    tree.set("images/a.png", png(SIZE, 6, &samples, &[], &[]));
    let words = [0, 0x0001, 0x0001, 0, 0, 0x001f, 0x0020, 0x8410];
    repacks_to(
        &tree,
        &package(&[image(&words)], &[]),
        &["2 pixels are half transparent"],
    );
    // Without alpha, black is the transparent colour, nearly black is not.
    let mut samples = rgbs(&WORDS);
    samples[3..6].copy_from_slice(&[3, 1, 2]);
    tree.set("images/a.png", png(SIZE, 2, &samples, &[], &[]));
    let words = [0, 0x0001, 0x1234, 0xf800, 0x07e0, 0x001f, 0x0020, 0x8410];
    repacks_to(
        &tree,
        &package(&[image(&words)], &[]),
        &["1 nearly black pixels"],
    );
}

#[test]
fn alpha_planes_come_from_their_picture_or_the_main_one() {
    let palette = [0x1234u16, 0xf800];
    let indices = [0, 1, 0, 1, 0, 1, 0, 1];
    let image = |plane: &[u8; 8]| {
        let data = [indices.to_vec(), plane.to_vec(), le(&palette)].concat();
        Image {
            flags: 11,
            data,
            ..local("a", &indices, &palette)
        }
    };
    let words: Vec<u16> = indices.iter().map(|i| palette[usize::from(*i)]).collect();
    let tree = tree_of(package(&[image(&PLANE)], &[]));
    let mut plane = PLANE;
    plane[3] = 9;
    tree.set("images/a.alpha.png", png(SIZE, 0, &plane, &[], &[]));
    repacks_to(&tree, &package(&[image(&plane)], &[]), &[]);
    tree.set("images/a.alpha.png", png((2, 2), 0, &plane[..4], &[], &[]));
    assert!(
        repack_error(&tree).contains("the alpha picture has 2 × 2 pixels, but the image has 4 × 2")
    );
    tree.remove("images/a.alpha.png");
    tree.set(
        "images/a.png",
        png(SIZE, 6, &rgbas(&words, |i| PLANE[i]), &[], &[]),
    );
    repacks_to(&tree, &package(&[image(&PLANE)], &[]), &[]);
    tree.set("images/a.png", png(SIZE, 2, &rgbs(&words), &[], &[]));
    repacks_to(
        &tree,
        &package(&[image(&[255; 8])], &[]),
        &["it is opaque now"],
    );
    // An image without alpha changes its kind when it gets some.
    let plain = tree_of(package(&[colour("a", &WORDS)], &[]));
    plain.set(
        "images/a.png",
        png(SIZE, 6, &rgbas(&WORDS, |i| PLANE[i]), &[], &[]),
    );
    repacks_to(
        &plain,
        &package(&[colour("a", &WORDS)], &[]),
        &["7 pixels are not opaque"],
    );
}

#[test]
fn a_palette_picture_for_a_colour_image_is_expanded() {
    let image = |words: &[u16]| Image {
        flags: 3,
        ..colour("a", words)
    };
    let tree = tree_of(package(&[image(&WORDS)], &[]));
    let palette = [rgb(0x1234), rgb(0xf800), [0, 0, 0]];
    tree.set(
        "images/a.png",
        png(SIZE, 3, &[0, 1, 2, 0, 1, 2, 0, 1], &palette, &[255, 255, 0]),
    );
    let words = [0x1234, 0xf800, 0, 0x1234, 0xf800, 0, 0x1234, 0xf800];
    repacks_to(&tree, &package(&[image(&words)], &[]), &[]);
    tree.set(
        "images/a.png",
        png(SIZE, 3, &[0, 1, 7, 0, 1, 2, 0, 1], &palette, &[]),
    );
    assert!(repack_error(&tree).contains("a pixel has index 7, the PNG's palette has 3 colours"));
}

// ---- Palettes of which one colour is transparent.

fn of_game(bytes: Vec<u8>, game: Option<Game>) -> Folder {
    tree_in(bytes, Hints { game, ..HINTS }, Style::Json)
}

fn keyed(indices: &[u8], palette: &[u16]) -> Image<'static> {
    Image {
        flags: 3,
        ..local("a", indices, palette)
    }
}

fn is_keyed(tree: &Folder) -> bool {
    tree.get("images/a.png")
        .unwrap()
        .windows(8)
        .any(|w| w == b"\0\0\0\x01tRNS")
}

#[test]
fn index_0_of_a_keyed_palette_is_transparent() {
    let indices = [0, 1, 2, 3, 0, 1, 2, 3];
    // The first colour is red, black follows it.
    let red = package(&[keyed(&indices, &[0xf800, 0, 0x1234, 0xf800])], &[]);
    // The first colour is black, and so is the third.
    let black = package(&[keyed(&indices, &[0, 0xf800, 0, 0x1234])], &[]);
    for (game, by_index) in [
        (Some(Game::Rc), true),
        (Some(Game::Mw), false),
        (Some(Game::Pm), false),
        (Some(Game::Cs), false),
        (None, false),
    ] {
        let tree = of_game(red.clone(), game);
        assert_eq!(is_keyed(&tree), by_index, "{game:?}");
        repacks_to(&tree, &red, &[]);
        assert_eq!(
            codes(red.clone(), game),
            if by_index {
                vec![]
            } else {
                vec!["texture-key"]
            },
            "{game:?}"
        );
        let tree = of_game(black.clone(), game);
        assert!(is_keyed(&tree), "{game:?}");
        repacks_to(&tree, &black, &[]);
        assert_eq!(codes(black.clone(), game), [""; 0], "{game:?}");
        // As a program saves it that knows no palettes, with its alpha: black at index 2 stays
        // opaque.
        let words: Vec<u16> = indices
            .iter()
            .map(|i| [0, 0xf800, 0, 0x1234][usize::from(*i)])
            .collect();
        tree.set(
            "images/a.png",
            png(
                SIZE,
                6,
                &rgbas(&words, |i| if i % 4 == 0 { 0 } else { 255 }),
                &[],
                &[],
            ),
        );
        repacks_to(&tree, &black, &[]);
        // The same from a program that also changes the colour of invisible pixels.
        let mut samples = rgbas(&words, |i| if i % 4 == 0 { 0 } else { 255 });
        samples[..3].copy_from_slice(&[255, 255, 255]);
        tree.set("images/a.png", png(SIZE, 6, &samples, &[], &[]));
        repacks_to(&tree, &black, &[]);
        // And from one that loses the alpha.
        tree.set("images/a.png", png(SIZE, 2, &rgbs(&words), &[], &[]));
        repacks_to(&tree, &black, &[]);
    }
    // No key in images without simple alpha.
    for flags in [5, 11] {
        let data = [
            &indices[..],
            if flags == 11 { &PLANE[..] } else { &[] },
            &le(&[0, 1, 2, 3]),
        ]
        .concat();
        assert!(!is_keyed(&of_game(
            package(
                &[Image {
                    flags,
                    data,
                    ..keyed(&indices, &[0, 1, 2, 3])
                }],
                &[]
            ),
            Some(Game::Rc)
        )));
    }
}

#[test]
fn edits_keep_the_transparent_colour_of_a_palette() {
    let palette = [0u16, 0xf800, 0x1234];
    let indices = [0, 1, 2, 1, 0, 1, 2, 1];
    for game in [
        Some(Game::Rc),
        Some(Game::Mw),
        Some(Game::Pm),
        Some(Game::Cs),
        None,
    ] {
        let tree = of_game(package(&[keyed(&indices, &palette)], &[]), game);
        // A new hole, black instead of a hole, and a new colour.
        let words = [0, 0xf800, 0x1234, 0x4321, 0, 0xf800, 0, 0xf800];
        tree.set(
            "images/a.png",
            png(
                SIZE,
                6,
                &rgbas(&words, |i| if matches!(i, 0 | 6) { 0 } else { 255 }),
                &[],
                &[],
            ),
        );
        let expected = package(
            &[keyed(
                &[0, 1, 2, 3, 4, 1, 0, 1],
                &[0, 0xf800, 0x1234, 0x4321, 0],
            )],
            &[],
        );
        repacks_to(&tree, &expected, &[]);
        // Half transparent pixels are reported.
        tree.set(
            "images/a.png",
            png(
                SIZE,
                6,
                &rgbas(&words, |i| [0, 255, 255, 255, 200, 255, 100, 255][i]),
                &[],
                &[],
            ),
        );
        repacks_to(&tree, &expected, &["2 pixels are half transparent"]);
        // Indexed, with the transparent colour at another place, and with another one there.
        let sorted = [rgb(0x1234), rgb(0xf800), [9, 9, 9]];
        tree.set(
            "images/a.png",
            png(SIZE, 3, &[2, 1, 0, 1, 2, 1, 0, 1], &sorted, &[255, 255, 0]),
        );
        repacks_to(&tree, &package(&[keyed(&indices, &palette)], &[]), &[]);
        // Indexed, with a colour changed: the palette is the picture's, its transparent colour the
        // old one.
        let changed = [[9, 9, 9], rgb(0xf800), rgb(0x7777)];
        tree.set("images/a.png", png(SIZE, 3, &indices, &changed, &[0]));
        repacks_to(
            &tree,
            &package(&[keyed(&indices, &[0, 0xf800, 0x7777])], &[]),
            &[],
        );
        // The same without alpha: index 0 is still transparent, which is reported.
        tree.set(
            "images/a.png",
            png(
                SIZE,
                3,
                &indices,
                &[[0, 0, 0], rgb(0xf800), rgb(0x7777)],
                &[],
            ),
        );
        repacks_to(
            &tree,
            &package(&[keyed(&indices, &[0, 0xf800, 0x7777])], &[]),
            &["2 pixels have index 0, which is transparent"],
        );
        // Two transparent colours become one.
        tree.set(
            "images/a.png",
            png(
                SIZE,
                3,
                &[0, 1, 2, 1, 0, 1, 2, 1],
                &[[0, 0, 0], rgb(0xf800), rgb(0x4321)],
                &[0, 255, 0],
            ),
        );
        repacks_to(
            &tree,
            &package(&[keyed(&[0, 1, 0, 1, 0, 1, 0, 1], &palette)], &[]),
            &[],
        );
        // A new image: index 0 is reserved for transparent pixels.
        tree.set(
            "images/b.png",
            png(
                SIZE,
                6,
                &rgbas(&words, |i| if matches!(i, 0 | 6) { 0 } else { 255 }),
                &[],
                &[],
            ),
        );
        edit(&tree, "refit.json", "\"name\": \"a\"", "\"name\": \"b\"");
        tree.remove("images/a.png");
        let fresh = [0, 0xf800, 0x1234, 0x4321, 0];
        repacks_to(
            &tree,
            &package(
                &[Image {
                    name: "b",
                    ..keyed(&[0, 1, 2, 3, 4, 1, 0, 1], &fresh)
                }],
                &[],
            ),
            &[],
        );
    }
    // Recoil keeps any colour at index 0; opaque pixels with it get another index.
    let tree = of_game(
        package(&[keyed(&indices, &[0x07e0, 0xf800, 0x1234])], &[]),
        Some(Game::Rc),
    );
    let words = [0, 0xf800, 0x07e0, 0xf800, 0, 0xf800, 0x1234, 0xf800];
    tree.set(
        "images/a.png",
        png(
            SIZE,
            6,
            &rgbas(&words, |i| if i % 4 == 0 { 0 } else { 255 }),
            &[],
            &[],
        ),
    );
    repacks_to(
        &tree,
        &package(
            &[keyed(
                &[0, 1, 3, 1, 0, 1, 2, 1],
                &[0x07e0, 0xf800, 0x1234, 0x07e0],
            )],
            &[],
        ),
        &[],
    );
    // In other games such an image has no known transparent colour, but a picture can add one.
    let tree = of_game(
        package(&[keyed(&indices, &[0x07e0, 0xf800, 0x1234])], &[]),
        Some(Game::Cs),
    );
    let words: Vec<u16> = indices
        .iter()
        .map(|i| [0x07e0, 0xf800, 0x1234][usize::from(*i)])
        .collect();
    tree.set(
        "images/a.png",
        png(
            SIZE,
            6,
            &rgbas(&words, |i| if i == 0 { 0 } else { 255 }),
            &[],
            &[],
        ),
    );
    repacks_to(
        &tree,
        &package(&[keyed(&indices, &[0x07e0, 0xf800, 0x1234])], &[]),
        &["1 pixels are not opaque"],
    );
    tree.set(
        "images/a.png",
        png(
            SIZE,
            3,
            &indices,
            &[[0, 0, 0], rgb(0xf800), rgb(0x1234)],
            &[0],
        ),
    );
    repacks_to(&tree, &package(&[keyed(&indices, &palette)], &[]), &[]);
}

#[test]
fn a_full_keyed_palette_keeps_its_first_entry() {
    let size = (32, 16);
    // 255 visible colours, after the transparent one.
    let palette: Vec<u16> = (0..256).map(|i| i * 37).collect();
    let indices: Vec<u8> = (0..512).map(|i| (i % 256) as u8).collect();
    let tree = of_game(
        package(
            &[Image {
                size,
                ..keyed(&indices, &palette)
            }],
            &[],
        ),
        Some(Game::Cs),
    );
    // The only pixels of index 200 get a new colour: it takes that place.
    let mut words: Vec<u16> = indices.iter().map(|i| palette[usize::from(*i)]).collect();
    (words[200], words[456]) = (0xfffe, 0xfffe);
    let rgba = |words: &[u16]| {
        png(
            size,
            6,
            &rgbas(words, |i| if i % 256 == 0 { 0 } else { 255 }),
            &[],
            &[],
        )
    };
    tree.set("images/a.png", rgba(&words));
    let mut new = palette.clone();
    new[200] = 0xfffe;
    repacks_to(
        &tree,
        &package(
            &[Image {
                size,
                ..keyed(&indices, &new)
            }],
            &[],
        ),
        &[],
    );
    // One more is too many.
    words[456] = 0xfffd;
    tree.set("images/a.png", rgba(&words));
    let error = repack_error(&tree);
    assert!(
        error.contains("256 different colours") && error.contains("of which one is transparent"),
        "{error}"
    );
    edit(
        &tree,
        "refit.json",
        "\"kind\":",
        "\"quantize\": true, \"kind\":",
    );
    let (bytes, notes) = repack_noted(&tree);
    assert!(
        notes.len() == 1 && notes[0].contains("256 colours were reduced to 255"),
        "{notes:?}"
    );
    // The transparent pixels and no others are index 0, and its word is still 0.
    let pixels = &bytes[24 + 40 + 16..][..512];
    assert!(
        pixels
            .iter()
            .enumerate()
            .all(|(i, index)| (*index == 0) == (i % 256 == 0))
    );
    assert_eq!(bytes[24 + 40 + 16 + 512..][..2], [0, 0]);
}

#[test]
fn a_keyed_image_with_a_global_palette_of_recoil() {
    let mut palette: Vec<u16> = (0..256).map(|i| i * 251).collect();
    palette[0] = 0xf81f;
    let image = |indices: &[u8]| Image {
        flags: 0x13,
        ..shared("a", indices, 256)
    };
    let file = package(
        &[image(&[0, 5, 3, 7, 200, 1, 2, 0])],
        std::slice::from_ref(&palette),
    );
    assert_eq!(codes(file.clone(), Some(Game::Rc)), [""; 0]);
    let tree = of_game(file.clone(), Some(Game::Rc));
    assert!(is_keyed(&tree));
    repacks_to(&tree, &file, &[]);
    let words: Vec<u16> = [0u8, 5, 3, 7, 200, 1, 2, 0]
        .iter()
        .map(|i| palette[usize::from(*i)])
        .collect();
    // Saved as RGBA; then a hole more, and the transparent colour itself as an opaque one: the
    // nearest other one.
    tree.set(
        "images/a.png",
        png(
            SIZE,
            6,
            &rgbas(&words, |i| if i % 7 == 0 { 0 } else { 255 }),
            &[],
            &[],
        ),
    );
    repacks_to(&tree, &file, &[]);
    let mut edited = words.clone();
    edited[1] = 0x7777;
    edited[2] = 0xf81f;
    tree.set(
        "images/a.png",
        png(
            SIZE,
            6,
            &rgbas(&edited, |i| if matches!(i, 0 | 1 | 7) { 0 } else { 255 }),
            &[],
            &[],
        ),
    );
    let near = (1..256).min_by_key(|i| {
        let (a, b) = (rgb(palette[*i]), rgb(0xf81f));
        (
            a.iter()
                .zip(b)
                .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
                .sum::<u32>(),
            *i,
        )
    });
    let expected = package(
        &[image(&[0, 0, near.unwrap() as u8, 7, 200, 1, 2, 0])],
        std::slice::from_ref(&palette),
    );
    repacks_to(
        &tree,
        &expected,
        &["1 colours are not in the global palette (its first one is transparent)"],
    );
}

// ---- The table.

#[test]
fn images_can_be_enlarged_added_removed_renamed_and_reordered() {
    for style in [Style::Json, Style::Ron] {
        let (a, b) = (
            colour("a", &WORDS),
            local("b", &[0, 1, 0, 1, 0, 1, 0, 1], &[0x1234, 0xf800]),
        );
        let tree = tree_in(package(&[a.clone(), b.clone()], &[]), HINTS, style);
        let manifest = format!("refit.{}", style.ext());
        let entry = |name: &str| match style {
            Style::Json => format!("{{ \"name\": \"{name}\" }}"),
            Style::Ron => format!("(name:\"{name}\")"),
        };
        // Larger: the size is the picture's.
        let big: Vec<u16> = (0..64 * 48).map(|i| i * 21).collect();
        tree.set("images/a.png", png((64, 48), 2, &rgbs(&big), &[], &[]));
        let large = Image {
            size: (64, 48),
            ..colour("a", &big)
        };
        repacks_to(&tree, &package(&[large.clone(), b.clone()], &[]), &[]);
        // Added, between the two.
        tree.set("images/new.png", png(SIZE, 2, &rgbs(&WORDS), &[], &[]));
        repacks_to(
            &tree,
            &package(&[large.clone(), b.clone()], &[]),
            &["images/new.png: not in the package"],
        );
        let text = tree.text(&manifest);
        let old = if text.contains(&entry("a")) {
            entry("a")
        } else {
            entry("a").replace(":\"", ": \"")
        };
        let new = old.replace("\"a\"", "\"new\"");
        edit(&tree, &manifest, &old, &format!("{old}, {new}"));
        repacks_to(
            &tree,
            &package(&[large.clone(), colour("new", &WORDS), b.clone()], &[]),
            &[],
        );
        // Reordered.
        edit(
            &tree,
            &manifest,
            &format!("{old}, {new}"),
            &format!("{new}, {old}"),
        );
        repacks_to(
            &tree,
            &package(&[colour("new", &WORDS), large.clone(), b.clone()], &[]),
            &[],
        );
        // Removed.
        edit(&tree, &manifest, &format!("{new}, {old}"), &new);
        repacks_to(
            &tree,
            &package(&[colour("new", &WORDS), b.clone()], &[]),
            &["images/a.png: not in the package"],
        );
        // Renamed, with its picture.
        tree.set("images/c.png", tree.get("images/new.png").unwrap());
        tree.remove("images/new.png");
        tree.remove("images/a.png");
        edit(&tree, &manifest, &new, &new.replace("new", "c"));
        repacks_to(&tree, &package(&[colour("c", &WORDS), b], &[]), &[]);
        tree.remove("images/c.png");
        assert!(
            repack_error(&tree).contains("images/c.png"),
            "{}",
            repack_error(&tree)
        );
    }
}

#[test]
fn crimson_skies_tables_stay_sorted() {
    let hints = Hints {
        game: Some(Game::Cs),
        format: Some(Format::Textures),
    };
    let images = [
        colour("alpha", &WORDS),
        colour("delta", &WORDS),
        colour("omega", &WORDS),
    ];
    let tree = tree_in(package(&images, &[]), hints, Style::Json);
    assert!(tree.text("refit.json").contains("\"sorted\": true"));
    tree.set("images/beta.png", png(SIZE, 2, &rgbs(&WORDS), &[], &[]));
    edit(
        &tree,
        "refit.json",
        "{ \"name\": \"omega\" }",
        "{ \"name\": \"omega\" }, { \"name\": \"beta\" }",
    );
    let expected = [
        images[0].clone(),
        colour("beta", &WORDS),
        images[1].clone(),
        images[2].clone(),
    ];
    repacks_to(
        &tree,
        &package(&expected, &[]),
        &["the table was sorted by name"],
    );
    // An unsorted table stays unsorted; so does one of another game.
    let file = package(&[images[1].clone(), images[0].clone()], &[]);
    assert!(
        !tree_in(file.clone(), hints, Style::Json)
            .text("refit.json")
            .contains("sorted")
    );
    assert!(
        !tree_of(package(&images, &[]))
            .text("refit.json")
            .contains("sorted")
    );
}

#[test]
fn a_kind_can_be_changed_in_the_manifest() {
    let tree = tree_of(package(&[colour("a", &WORDS)], &[]));
    edit(
        &tree,
        "refit.json",
        "{ \"name\": \"a\" }",
        "{ \"name\": \"a\", \"kind\": { \"local\": 256 }, \"render_flags\": [\"CLAMP_U\", \"CLAMP_V\"] }",
    );
    let image = Image {
        render_flags: 3,
        ..local("a", &[0, 1, 2, 3, 4, 5, 6, 7], &WORDS)
    };
    repacks_to(&tree, &package(&[image], &[]), &[]);
    for (from, to, part) in [
        ("\"local\": 256", "\"local\": 0", "render_flags"),
        (
            "\"local\": 0",
            "\"global\": { \"palette\": 4, \"count\": 0 }",
            "at least one colour",
        ),
        (
            "\"kind\": { \"global\": { \"palette\": 4, \"count\": 0 } }",
            "\"extra_flags\": \"0x8\"",
            "other fields set",
        ),
        (
            "\"extra_flags\": \"0x8\"",
            "\"alpha\": 1",
            "the bits of alpha",
        ),
        ("\"alpha\": 1", "\"width\": 4", "both `width` and `height`"),
        (
            "\"width\": 4",
            "\"width\": 4, \"height\": 2",
            "no PNG is read for it",
        ),
        (
            "\"width\": 4, \"height\": 2",
            "\"shares\": \"images/x.png\"",
            "no image has the file",
        ),
        (
            "\"name\": \"a\"",
            "\"name\": \"a/b\"",
            "no image has the file",
        ),
        (
            "\"shares\": \"images/x.png\"",
            "\"render_flags\": [\"CLAMP_U\"]",
            "duplicate field",
        ),
        (
            ", \"render_flags\": [\"CLAMP_U\"]",
            "",
            "no file can have this name",
        ),
    ] {
        edit(&tree, "refit.json", from, to);
        match pipeline::repack(&tree) {
            // A palette of no colours is cut to the colours in use.
            Ok(_) => assert_eq!(part, "render_flags"),
            Err(e) => assert!(e.to_string().contains(part), "{to}: {e}"),
        }
    }
}

// ---- Other layouts.

/// Three images in another order, with unused bytes, and an entry that shares the second one's
/// data.
fn scattered(first: &[u16], second: &[u16]) -> Vec<u8> {
    let (a, b) = (colour("a", first).info(), colour("b", second).info());
    let base = 24 + 40 * 3;
    let at_b = base + 3;
    let at_a = at_b + b.len() + 2;
    let mut out = header(3, 0);
    out.extend(
        [
            entry("a", at_a, -1),
            entry("b", at_b, -1),
            entry("c", at_b, -1),
        ]
        .concat(),
    );
    out.extend(b"gap");
    out.extend(b);
    out.extend(b"xy");
    out.extend(a);
    out.extend(b"the end");
    out
}

#[test]
fn gaps_order_and_shared_data_are_kept_and_can_be_edited() {
    let file = scattered(&WORDS, &WORDS);
    let tree = tree_of(file.clone());
    repacks_to(&tree, &file, &[]);
    let text = tree.text("refit.json");
    for part in [
        "\"place\": 1",
        "\"shares\": \"images/b.png\"",
        "\"gap\": \"gaps/b.bin\"",
        "\"trailing\": \"trailing.bin\"",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(!text.contains("layout"));
    let mut words = WORDS;
    words[0] = 0xabcd;
    tree.set("images/b.png", png(SIZE, 2, &rgbs(&words), &[], &[]));
    repacks_to(&tree, &scattered(&WORDS, &words), &[]);
    // A separate image again, and the usual layout.
    edit(&tree, "refit.json", ", \"shares\": \"images/b.png\"", "");
    edit(&tree, "refit.json", ", \"place\": 1", "");
    edit(&tree, "refit.json", ", \"place\": 0", "");
    edit(&tree, "refit.json", ", \"gap\": \"gaps/a.bin\"", "");
    edit(&tree, "refit.json", ", \"gap\": \"gaps/b.bin\"", "");
    edit(
        &tree,
        "refit.json",
        "\"trailing\": \"trailing.bin\"",
        "\"sorted\": false",
    );
    tree.set("images/c.png", tree.get("images/a.png").unwrap());
    repacks_to(
        &tree,
        &package(
            &[
                colour("a", &WORDS),
                colour("b", &words),
                colour("c", &WORDS),
            ],
            &[],
        ),
        &[],
    );
}

/// An image whose pixels contain another image.
fn nested(outer: u16, inner: u16) -> Vec<u8> {
    let inside = Image {
        size: (1, 2),
        data: le(&[inner, 0x7777]),
        ..colour("inner", &[])
    }
    .info();
    let mut data = le(&[outer; 4]);
    data.extend(&inside);
    data.extend(le(&[0x1111]));
    let all = Image {
        size: (5, 3),
        ..colour(
            "outer",
            &data
                .as_chunks()
                .0
                .iter()
                .map(|b| u16::from_le_bytes(*b))
                .collect::<Vec<_>>(),
        )
    }
    .info();
    let mut out = header(2, 0);
    out.extend([entry("outer", 104, -1), entry("inner", 104 + 16 + 8, -1)].concat());
    out.extend(all);
    out
}

#[test]
fn overlapping_images_are_laid_over_the_old_file_and_must_agree() {
    let file = nested(0x1234, 0x5555);
    let tree = tree_of(file.clone());
    repacks_to(&tree, &file, &[]);
    let words = |file: &[u8]| {
        file[120..150]
            .as_chunks()
            .0
            .iter()
            .map(|b| u16::from_le_bytes(*b))
            .collect::<Vec<_>>()
    };
    // Outside of the inner one: no conflict.
    tree.set(
        "images/outer.png",
        png((5, 3), 2, &rgbs(&words(&nested(0x4321, 0x5555))), &[], &[]),
    );
    repacks_to(&tree, &nested(0x4321, 0x5555), &[]);
    // In the inner one alone: the two disagree. In both: they agree.
    tree.set(
        "images/inner.png",
        png((1, 2), 2, &rgbs(&[0x6666, 0x7777]), &[], &[]),
    );
    assert!(
        repack_error(&tree).contains("do not agree after the edit"),
        "{}",
        repack_error(&tree)
    );
    tree.set(
        "images/outer.png",
        png((5, 3), 2, &rgbs(&words(&nested(0x4321, 0x6666))), &[], &[]),
    );
    repacks_to(&tree, &nested(0x4321, 0x6666), &[]);
    tree.set(
        "images/inner.png",
        png((2, 2), 2, &rgbs(&[1, 2, 3, 4]), &[], &[]),
    );
    assert!(
        repack_error(&tree).contains("changed its size"),
        "{}",
        repack_error(&tree)
    );
    // Without the layout they follow each other.
    let text = tree.text("refit.json");
    let layout = &text[text.find(",\n  \"layout\"").unwrap()..text.rfind('\n').unwrap()];
    edit(&tree, "refit.json", layout, "\n}");
    let inner = Image {
        size: (2, 2),
        ..colour("inner", &[1, 2, 3, 4])
    };
    let outer = Image {
        size: (5, 3),
        ..colour("outer", &words(&nested(0x4321, 0x6666)))
    };
    repacks_to(&tree, &package(&[outer, inner], &[]), &[]);
}

#[test]
fn images_in_the_header_and_many_overlapping_ones_stay_small() {
    // The table's own bytes as an image: start 0 is flags 0, width 1, height 0.
    let mut file = header(1, 0);
    file.extend(entry("self", 0, -1));
    let tree = tree_of(file.clone());
    repacks_to(&tree, &file, &[]);
    // 200 images of up to 60 kB that overlap in a file of 80 kB.
    let n = 200;
    let base = 24 + 40 * n;
    let mut file = header(n, 0);
    for i in 0..n {
        file.extend(entry(&format!("i{i}"), base + 16 * i, -1));
    }
    for _ in 0..n {
        file.extend([5u32.to_le_bytes(), [200, 0, 150, 0], [0; 4], [0; 4]].concat());
    }
    file.extend(vec![7; 60_000]);
    let tree = tree_of(file.clone());
    let size: usize = tree
        .paths()
        .iter()
        .map(|p| tree.get(p).unwrap().len())
        .sum();
    assert!(
        size < 3_000_000,
        "{size}: all PNGs together would have 18 MB"
    );
    repacks_to(&tree, &file, &[]);
}

// ---- Members.

#[test]
fn members_can_be_read_and_replaced_as_pngs_and_as_bytes() {
    let case = golden_file("textures", "each.zbd");
    let open = || {
        pipeline::open(&case.bytes, &case.path, HINTS)
            .unwrap()
            .model
    };
    let members = open().model().members();
    assert_eq!(members.len(), 9);
    assert_eq!(
        (&*members[4].name, &*members[4].kind, &*members[4].detail),
        ("local", "local 10", "12 × 9, no alpha")
    );
    for i in 0..members.len() {
        for form in [Form::Stored, Form::Document(Style::Json)] {
            let mut file = open();
            let model = file.model_mut();
            let bytes = model.get(i, form).unwrap();
            assert_eq!(bytes.starts_with(b"\x89PNG"), form != Form::Stored);
            model.put(i, &bytes, form).unwrap();
            assert_bytes(&model.write().unwrap(), &case.bytes);
            assert!(model.notes().is_empty(), "{:?}", model.notes());
        }
    }
    // A larger picture, and a file that is not one.
    let mut file = pipeline::open(
        &package(&[colour("a", &WORDS)], &[]).into(),
        "texture.zbd",
        HINTS,
    )
    .unwrap()
    .model;
    let model = file.model_mut();
    let big: Vec<u16> = (0..64 * 48).collect();
    model
        .put(
            0,
            &png((64, 48), 2, &rgbs(&big), &[], &[]),
            Form::Document(Style::Json),
        )
        .unwrap();
    assert_bytes(
        &model.write().unwrap(),
        &package(
            &[Image {
                size: (64, 48),
                ..colour("a", &big)
            }],
            &[],
        ),
    );
    for bytes in [
        &b"GIF89a"[..],
        b"",
        &png((64, 48), 2, &rgbs(&big), &[], &[])[..1000],
    ] {
        let e = model
            .put(0, bytes, Form::Document(Style::Json))
            .unwrap_err()
            .to_string();
        let expected = if bytes.starts_with(b"GIF") {
            "this is a GIF file, not a PNG file"
        } else {
            "not a complete PNG"
        };
        assert!(e.contains(expected), "{e}");
    }
    assert!(model.put(0, &[0; 17], Form::Stored).is_err());
    assert!(model.get(1, Form::Stored).is_err());
}

#[test]
fn a_picture_that_claims_more_than_its_bytes_can_hold_is_refused() {
    let tree = tree_of(package(&[colour("a", &WORDS)], &[]));
    for size in [(65535u32, 65535u32), (65536, 1)] {
        let mut bomb = png(SIZE, 2, &rgbs(&WORDS), &[], &[]);
        bomb[16..24].copy_from_slice(&[size.0.to_be_bytes(), size.1.to_be_bytes()].concat());
        let crc = crc32(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.to_be_bytes());
        tree.set("images/a.png", bomb);
        let error = repack_error(&tree);
        assert!(
            error.contains("bytes for 65535 × 65535 pixels") || error.contains("at most 65535"),
            "{error}"
        );
    }
}

#[test]
fn the_contact_sheet_shows_every_image() {
    let case = golden_file("textures", "each.zbd");
    let out = Folder::new();
    let written = pipeline::open(&case.bytes, &case.path, HINTS)
        .unwrap()
        .model
        .model()
        .export(&out)
        .unwrap();
    assert_eq!(written, ["contact.png"]);
    let sheet = out.get("contact.png").unwrap();
    // Eight columns, two rows of 128 pixels, three lines and a margin.
    assert_eq!(
        sheet[16..24],
        [6u32 + 8 * 134, 6 + 2 * 161].map(u32::to_be_bytes).concat()
    );
}

// ---- Findings. Most are in `roundtrip-tests/cases/lints`.

fn codes(file: Vec<u8>, game: Option<Game>) -> Vec<&'static str> {
    codes_as(file, "zbd/a.zbd", game)
}

fn codes_as(file: Vec<u8>, path: &str, game: Option<Game>) -> Vec<&'static str> {
    let model = pipeline::open(
        &file.into(),
        path,
        Hints {
            game,
            format: Some(Format::Textures),
        },
    )
    .unwrap()
    .model;
    let mut codes: Vec<&str> = pipeline::lint(&*model)
        .unwrap()
        .iter()
        .map(|f| f.code)
        .collect();
    codes.dedup();
    codes
}

#[test]
fn findings_of_the_layout() {
    assert_eq!(
        codes(scattered(&WORDS, &WORDS), None),
        ["textures-trailing", "textures-layout"]
    );
    assert_eq!(codes(nested(1, 2), None), ["textures-layout"]);
}

/// Files shaped like the games' own are exact and regular: what those contain is at most a note.
#[test]
fn packages_shaped_like_the_games_own_are_regular() {
    let found = |name: &str, path: &str, game: Game| {
        let case = golden_file("textures", name);
        let hints = Hints {
            game: Some(game),
            ..HINTS
        };
        exact(
            &Case {
                path: path.into(),
                folder: String::new(),
                bytes: case.bytes.clone(),
            },
            hints,
        );
        codes_as(case.bytes.to_vec(), path, Some(game))
    };
    for name in ["texture8.zbd", "texturemax.zbd"] {
        assert_eq!(found("rc_software_shape.zbd", name, Game::Rc), [""; 0]);
    }
    assert_eq!(
        found("rc_card_shape.zbd", "rtexture4.zbd", Game::Rc),
        [""; 0]
    );
    assert_eq!(
        found("cs_software_shape.zbd", "texture.zbd", Game::Cs),
        ["texture-key"]
    );
    assert_eq!(
        found("cs_card_shape.zbd", "rtexture9.zbd", Game::Cs),
        [""; 0]
    );
    assert_eq!(
        found("cs_names_odd.zbd", "rtexture2.zbd", Game::Cs),
        [
            "textures-unsorted",
            "textures-upper-case",
            "texture-name-duplicate"
        ]
    );
    assert_eq!(
        found("cs_names_odd.zbd", "image.zbd", Game::Rc),
        ["texture-name-hidden"]
    );
    // The tree names the bits, and the pictures show transparency.
    let tree = |name: &str, game| {
        unpack(
            &golden_file("textures", name),
            Hints {
                game: Some(game),
                ..HINTS
            },
            Style::Json,
        )
    };
    let cs = tree("cs_software_shape.zbd", Game::Cs);
    let text = cs.text("refit.json");
    for part in [
        r#""render_flags": ["CLAMP_U", "CLAMP_V", "ADDITIVE"]"#,
        r#""render_flags": ["ADDITIVE"]"#,
        r#""render_flags": ["UNK3"]"#,
        r#""loaded": ["image", "palette"]"#,
        r#""sorted": true"#,
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let rc = tree("rc_software_shape.zbd", Game::Rc);
    let keyed = |tree: &Folder, name: &str| {
        tree.get(&format!("images/{name}.png"))
            .unwrap()
            .windows(8)
            .any(|w| w == b"\0\0\0\x01tRNS")
    };
    for (name, expected) in [
        ("fence", true),
        ("palm", true),
        ("antenna", true),
        ("rock_2", false),
        ("glass", false),
    ] {
        assert_eq!(keyed(&rc, name), expected, "{name}");
    }
    for (name, expected) in [
        ("gauge", true),
        ("netting", false),
        ("canvas", false),
        ("00laurel", false),
    ] {
        assert_eq!(keyed(&cs, name), expected, "{name}");
    }
    // Opaque near-black pixels are shown with their stored colour, in the older form, too.
    let png = tree("rc_card_shape.zbd", Game::Rc)
        .get("images/fence.png")
        .unwrap();
    assert!(
        png.windows(4).any(|w| w == [0, 4, 0, 255]) && png.windows(4).any(|w| w == [0, 0, 8, 255])
    );
}
