//! One picture into every texture package of a game, one sound into every bank, and banks of one
//! set of sounds.

use roundtrip_tests::{
    by_hand::{self, Wave as Wav, float, int, list, png, string},
    process::{archive, err, out, refit, snapshot},
};
use serde_json::Value;
use std::{fs, path::Path};

/// A texture: name, flags, width, height, colours of its palette, render flags, and the bytes after
/// its record.
#[derive(Clone)]
struct Image(&'static str, u32, u16, u16, u16, u16, Vec<u8>);

/// A package of such textures.
fn package(images: &[Image]) -> Vec<u8> {
    let image =
        |Image(name, flags, width, height, count, render_flags, data): &Image| by_hand::Image {
            flags: *flags,
            count: *count,
            render_flags: *render_flags,
            ..by_hand::Image::plain(name, (*width, *height), data.clone())
        };
    by_hand::package(&images.iter().map(image).collect::<Vec<_>>(), &[])
}

fn le(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Two bytes a pixel; no alpha, simple alpha, full alpha.
const OPAQUE: u32 = 5;
const SIMPLE: u32 = 3;
const FULL: u32 = 11;

fn write(root: &Path, files: &[(&str, Vec<u8>)]) {
    for (path, bytes) in files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), bytes).unwrap();
    }
}

fn rows(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A board of black and white, 4 × 4.
fn board() -> Vec<u8> {
    png(
        4,
        &(0..16)
            .map(|i| {
                if (i + i / 4) % 2 == 0 {
                    [0; 3]
                } else {
                    [255; 3]
                }
            })
            .collect::<Vec<_>>(),
    )
}

/// The words of the board, and the word of its average: half of the light is 188 of 255, (31·188 +
/// 127)/255 = 23, (63·188 + 127)/255 = 46.
const GREY: u16 = 23 << 11 | 46 << 5 | 23;

fn board_words() -> Vec<u16> {
    (0..16)
        .map(|i| if (i + i / 4) % 2 == 0 { 0 } else { 0xffff })
        .collect()
}

#[test]
fn a_picture_is_converted_to_the_form_of_each_package() {
    let dir = tempfile::tempdir().unwrap();
    let sky = || Image("sky", OPAQUE, 2, 1, 0, 0, le(&[1, 2]));
    let palette = [0x1111, 0x2222];
    let old = [
        (
            "m1/rtexture8.zbd",
            package(&[sky(), Image("Rock", OPAQUE, 4, 4, 0, 0, le(&[7; 16]))]),
        ),
        (
            "m1/rtexture2.zbd",
            package(&[Image("rock", SIMPLE, 2, 2, 0, 0, le(&[7; 4])), sky()]),
        ),
        (
            "m1/texture4.zbd",
            package(&[Image(
                "rock",
                OPAQUE,
                2,
                2,
                2,
                0,
                [&[0, 1, 1, 0][..], &le(&palette)].concat(),
            )]),
        ),
        (
            "m2/rtexture2.zbd",
            package(&[Image(
                "rock",
                FULL,
                2,
                2,
                0,
                0,
                [&le(&[7; 4])[..], &[9, 8, 7, 6]].concat(),
            )]),
        ),
        ("m2/rtexture4.zbd", package(&[sky()])),
        ("notes.txt", b"mine".to_vec()),
    ];
    let new = [
        package(&[sky(), Image("Rock", OPAQUE, 4, 4, 0, 0, le(&board_words()))]),
        package(&[Image("rock", SIMPLE, 2, 2, 0, 0, le(&[GREY; 4])), sky()]),
        // Missing colours are added to a palette.
        package(&[Image(
            "rock",
            OPAQUE,
            2,
            2,
            3,
            0,
            [&[2, 2, 2, 2][..], &le(&[0x1111, 0x2222, GREY])].concat(),
        )]),
        // A picture without alpha leaves the plane unchanged.
        package(&[Image(
            "rock",
            FULL,
            2,
            2,
            0,
            0,
            [&le(&[GREY; 4])[..], &[9, 8, 7, 6]].concat(),
        )]),
    ];
    write(dir.path(), &old);
    write(dir.path(), &[("rock.png", board())]);
    let before = snapshot(dir.path());

    let line = ["put", "--family", ".", "rock.png", "--game", "mw", "--json"];
    let dry = refit(dir.path())
        .args(line)
        .arg("--dry-run")
        .assert()
        .code(0);
    assert_eq!(snapshot(dir.path()), before, "a dry run writes nothing");
    let printed = rows(&out(&dry));
    let shown: Vec<[&str; 4]> = printed
        .iter()
        .map(|row| ["path", "member", "was", "form"].map(|key| row[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        shown,
        [
            [
                "./m1/rtexture2.zbd",
                "rock",
                "2 × 2",
                "rgb565, simple alpha"
            ],
            ["./m1/rtexture8.zbd", "Rock", "4 × 4", "rgb565"],
            ["./m1/texture4.zbd", "rock", "2 × 2", "local 3"],
            ["./m2/rtexture2.zbd", "rock", "2 × 2", "rgb565, full alpha"],
        ]
    );
    let done = refit(dir.path()).args(line).assert().code(0);
    assert_eq!(rows(&out(&done)), printed);
    for ((path, old), new) in old.iter().zip(&new) {
        assert!(fs::read(dir.path().join(path)).unwrap() == *new, "{path}");
        assert!(
            fs::read(dir.path().join(format!("{path}.orig"))).unwrap() == *old,
            "{path}.orig"
        );
    }
    for (path, old) in &old[4..] {
        assert!(
            fs::read(dir.path().join(path)).unwrap() == *old
                && !dir.path().join(format!("{path}.orig")).exists(),
            "{path}"
        );
    }
    // The second time nothing changes.
    let after = snapshot(dir.path());
    let again = refit(dir.path()).args(line).assert().code(0);
    assert!(
        rows(&out(&again)).iter().all(|row| row["changed"] == false),
        "{}",
        out(&again)
    );
    assert_eq!(snapshot(dir.path()), after);
}

#[test]
fn alpha_becomes_holes_and_black_stays_visible() {
    let dir = tempfile::tempdir().unwrap();
    // The left half is black and seen, the right half green and not.
    let half: Vec<[u8; 4]> = (0..16)
        .map(|i| {
            if i % 4 < 2 {
                [0, 0, 0, 255]
            } else {
                [0, 255, 0, 0]
            }
        })
        .collect();
    let clamped = 3;
    write(
        dir.path(),
        &[
            (
                "rtexture2.zbd",
                package(&[Image("leaf", SIMPLE, 2, 2, 0, clamped, le(&[7; 4]))]),
            ),
            (
                "rtexture4.zbd",
                package(&[Image(
                    "leaf",
                    FULL,
                    2,
                    2,
                    0,
                    clamped,
                    [&le(&[7; 4])[..], &[1; 4]].concat(),
                )]),
            ),
            ("other.png", png(4, &half)),
        ],
    );
    refit(dir.path())
        .args(["put", "--family", ".", "other.png", "LEAF", "--game", "rc"])
        .assert()
        .code(0);
    // The darkest blue replaces black, which would be a hole. Hidden pixels in an alpha plane stay
    // green, except for the share of the adjacent black ones: the cubic filter gives the two green
    // pixels 0.867 each, the black ones 0.227 and −0.070; 0.917 of the light is shown as 245 of
    // 255, which is 61 of 63.
    let simple = package(&[Image("leaf", SIMPLE, 2, 2, 0, clamped, le(&[1, 0, 1, 0]))]);
    let full = package(&[Image(
        "leaf",
        FULL,
        2,
        2,
        0,
        clamped,
        [&le(&[0, 61 << 5, 0, 61 << 5])[..], &[255, 0, 255, 0]].concat(),
    )]);
    assert!(fs::read(dir.path().join("rtexture2.zbd")).unwrap() == simple);
    assert!(fs::read(dir.path().join("rtexture4.zbd")).unwrap() == full);
}

#[test]
fn unsupported_textures_are_reported_and_an_error_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let flat = |words: u16| package(&[Image("rock", OPAQUE, 4, 4, 0, 0, le(&[words; 16]))]);
    write(
        dir.path(),
        &[
            ("a/rtexture2.zbd", flat(1)),
            ("a/rtexture4.zbd", flat(2)),
            ("rock.png", png(3, &[[255; 3]; 27])),
        ],
    );
    let before = snapshot(dir.path());
    let put = |more: &[&str]| {
        refit(dir.path())
            .args([
                "put",
                "--family",
                "a",
                "rock.png",
                "--game",
                "rc",
                "--dry-run",
            ])
            .args(more)
            .assert()
    };
    // In the texture's size it is stretched, and that is all.
    let fitted = put(&[]).code(0);
    assert!(
        err(&fitted)
            .contains("the picture has 3 × 9 pixels, but the image has 4 × 4: it is stretched"),
        "{}",
        err(&fitted)
    );
    // In its own size it is one that Recoil does not show.
    let own = put(&["--own-size"]).code(3);
    assert!(
        err(&own).contains("a side is no power of two") && err(&own).contains("textures-device"),
        "{}",
        err(&own)
    );
    // More than eight times as wide as high.
    write(dir.path(), &[("rock.png", png(16, &[[255; 3]; 16]))]);
    assert!(err(&put(&["--own-size"]).code(3)).contains("more than eight times the other"));
    assert!(
        err(&put(&["grass"]).code(1)).contains("no texture package in a has \"grass\" (2 checked)")
    );
    write(dir.path(), &[("rock.png", b"\xff\xd8\xff\xe0".to_vec())]);
    let jpeg = refit(dir.path())
        .args(["put", "--family", "a", "rock.png"])
        .assert()
        .code(1);
    assert!(
        err(&jpeg).contains("JPEG") && err(&jpeg).contains("nothing was written"),
        "{}",
        err(&jpeg)
    );
    write(dir.path(), &[("rock.png", png(3, &[[255; 3]; 27]))]);
    assert_eq!(snapshot(dir.path()), before);
}

#[test]
fn a_jpeg_is_a_picture_too() {
    let dir = tempfile::tempdir().unwrap();
    let flat = |word: u16| package(&[Image("rock", OPAQUE, 4, 4, 0, 0, le(&[word; 16]))]);
    write(
        dir.path(),
        &[
            ("a/rtexture.zbd", flat(1)),
            ("rock.jpg", roundtrip_tests::games::jpeg()),
        ],
    );
    refit(dir.path())
        .args(["put", "--family", "a", "rock.jpg", "--game", "rc"])
        .assert()
        .code(0);
    assert!(fs::read(dir.path().join("a/rtexture.zbd")).unwrap() == flat(0x1022));
    // One that is cut off, and one that claims more pixels than its bytes explain.
    let whole = roundtrip_tests::games::jpeg();
    let mut many = whole.clone();
    let size = many.windows(2).position(|two| two == [0xff, 0xc0]).unwrap() + 5;
    many[size..size + 4].copy_from_slice(&[0xff, 0xf0, 0xff, 0xf0]);
    for (bytes, word) in [
        (
            whole[..whole.len() - 6].to_vec(),
            "not a complete JPEG file",
        ),
        (many, "bytes for 65520 × 65520 pixels"),
    ] {
        write(dir.path(), &[("rock.jpg", bytes)]);
        let refused = refit(dir.path())
            .args(["put", "--family", "a", "rock.jpg", "--game", "rc"])
            .assert()
            .code(1);
        assert!(err(&refused).contains(word), "{}", err(&refused));
    }
}

/// A picture of 33 MB that a file of 40 kB unfolds to, into a texture of 33 × 1: little more than
/// the picture itself is needed.
#[cfg(target_os = "linux")]
#[test]
fn a_large_picture_is_scaled_some_rows_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (width, height) = (4096u32, 2048u32);
    let mut large = Vec::new();
    let mut encoder = png::Encoder::new(&mut large, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::High);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&[200, 100, 50, 128].repeat((width * height) as usize))
        .unwrap();
    let texture = package(&[Image("rock", OPAQUE, 33, 1, 0, 0, le(&[1; 33]))]);
    write(
        dir.path(),
        &[("a/rtexture.zbd", texture), ("rock.png", large)],
    );
    let most =
        roundtrip_tests::process::peak(dir.path(), "put --family a rock.png --game rc --no-backup");
    assert!(most < 3 * u64::from(4 * width * height), "{most} bytes");
    let wanted = package(&[Image(
        "rock",
        OPAQUE,
        33,
        1,
        0,
        0,
        le(&[24 << 11 | 25 << 5 | 6; 33]),
    )]);
    assert!(fs::read(dir.path().join("a/rtexture.zbd")).unwrap() == wanted);
}

#[test]
fn excess_colours_are_reduced_reproducibly() {
    let make = || {
        let dir = tempfile::tempdir().unwrap();
        let many: Vec<[u8; 3]> = (0..1024u32)
            .map(|i| [(i % 32 * 8) as u8, (i / 32 * 8) as u8, (i * 7 % 256) as u8])
            .collect();
        let old = [&[0u8; 1024][..], &le(&[0x1111])].concat();
        write(
            dir.path(),
            &[
                (
                    "texture4.zbd",
                    package(&[Image("rock", OPAQUE, 32, 32, 1, 0, old)]),
                ),
                ("rock.png", png(32, &many)),
            ],
        );
        let done = refit(dir.path())
            .args(["put", "--family", ".", "rock.png", "--game", "rc"])
            .assert()
            .code(0);
        assert!(
            err(&done).contains("colours were reduced to 2"),
            "{}",
            err(&done)
        );
        fs::read(dir.path().join("texture4.zbd")).unwrap()
    };
    let first = make();
    let colours = u16::from_le_bytes([first[64 + 12], first[64 + 13]]);
    assert!(
        (200..=256).contains(&colours) && first.len() == 64 + 16 + 1024 + 2 * usize::from(colours),
        "{colours}"
    );
    assert!(make() == first);
}

#[test]
fn smaller_versions_of_a_texture_get_the_picture_in_their_sizes() {
    let dir = tempfile::tempdir().unwrap();
    let four = |words: &[u16]| Image("rock", OPAQUE, 4, 4, 0, 0, le(words));
    let old = package(&[
        four(&[7; 16]),
        Image("Rock_1", SIMPLE, 2, 2, 0, 0, le(&[7; 4])),
        Image("rock_2", OPAQUE, 1, 1, 0, 0, le(&[7])),
        // As large as the one before: another texture with such a name. The following ones belong
        // to no chain.
        Image("rock_3", OPAQUE, 1, 2, 0, 0, le(&[7; 2])),
        Image("rock_4", OPAQUE, 1, 1, 0, 0, le(&[7])),
    ]);
    let rest = || {
        [
            Image("rock_3", OPAQUE, 1, 2, 0, 0, le(&[7; 2])),
            Image("rock_4", OPAQUE, 1, 1, 0, 0, le(&[7])),
        ]
    };
    write(
        dir.path(),
        &[("m1/rtexture2.zbd", old.clone()), ("rock.png", board())],
    );
    let put = |more: &[&str]| {
        refit(dir.path())
            .args(["put", "--family", "m1", "rock.png", "--game", "rc"])
            .args(more)
            .assert()
    };
    // Left alone on request, which is reported.
    let printed = put(&["--no-smaller", "--dry-run"]).code(3);
    assert!(
        err(&printed).contains("not changed: rock_1, rock_2"),
        "{}",
        err(&printed)
    );
    let done = put(&[]).code(0);
    assert!(
        err(&done).contains("rock_3 is not smaller than the one before it"),
        "{}",
        err(&done)
    );
    let new = |first: Image, second: Image, third: Image| {
        package(&[vec![first, second, third], rest().into()].concat())
    };
    assert!(
        fs::read(dir.path().join("m1/rtexture2.zbd")).unwrap()
            == new(
                four(&board_words()),
                Image("Rock_1", SIMPLE, 2, 2, 0, 0, le(&[GREY; 4])),
                Image("rock_2", OPAQUE, 1, 1, 0, 0, le(&[GREY]))
            )
    );
    // In the picture's own size: half of it, and a quarter.
    write(
        dir.path(),
        &[
            ("m1/rtexture2.zbd", old),
            ("rock.png", png(8, &[[255u8; 3]; 32])),
        ],
    );
    put(&["--own-size"]).code(0);
    let white = |name, flags, width: u16, height: u16| {
        Image(
            name,
            flags,
            width,
            height,
            0,
            0,
            le(&vec![0xffff; usize::from(width * height)]),
        )
    };
    assert!(
        fs::read(dir.path().join("m1/rtexture2.zbd")).unwrap()
            == new(
                white("rock", OPAQUE, 8, 4),
                white("Rock_1", SIMPLE, 4, 2),
                white("rock_2", OPAQUE, 2, 1)
            )
    );
    // A smaller version by its own name is that alone.
    write(dir.path(), &[("rock_1.png", png(2, &[[0u8, 0, 255]; 4]))]);
    refit(dir.path())
        .args(["put", "--family", "m1", "rock_1.png", "--game", "rc"])
        .assert()
        .code(0);
    assert!(
        fs::read(dir.path().join("m1/rtexture2.zbd")).unwrap()
            == new(
                white("rock", OPAQUE, 8, 4),
                Image("Rock_1", SIMPLE, 4, 2, 0, 0, le(&[31; 8])),
                white("rock_2", OPAQUE, 2, 1)
            )
    );
}

#[test]
fn existing_problems_and_new_transparency_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let indexed = Image(
        "rock",
        OPAQUE,
        2,
        2,
        1,
        0,
        [&[0u8; 4][..], &le(&[0x1111])].concat(),
    );
    let odd = Image("wall", OPAQUE, 3, 1, 0, 0, le(&[7; 3]));
    let holes = || Image("leaf", SIMPLE, 2, 1, 0, 0, le(&[7; 2]));
    write(
        dir.path(),
        &[
            ("rtexture2.zbd", package(&[indexed, odd, holes()])),
            ("rock.png", png(2, &[[255u8; 3]; 4])),
            ("wall.png", png(3, &[[255u8; 3]; 3])),
            ("leaf.png", png(2, &[[0u8, 0, 0, 255], [1, 1, 1, 255]])),
            ("dark.png", png(2, &[[0u8; 3], [1; 3]])),
            ("green.png", png(2, &[[0u8, 0, 0, 0], [3, 3, 3, 255]])),
        ],
    );
    let put = |file: &str, name: &str| {
        let done = refit(dir.path())
            .args(["put", "--family", ".", file, name, "--game", "rc"])
            .assert()
            .code(0);
        err(&done)
    };
    assert!(
        put("rock.png", "rock").contains("a palette: the game shows its default texture instead")
    );
    assert!(put("wall.png", "wall").contains("a side is no power of two"));
    // Visible according to alpha and black: the darkest blue; without alpha, black itself is the
    // hole.
    put("leaf.png", "leaf");
    let leaf = |words: &[u16]| {
        fs::read(dir.path().join("rtexture2.zbd"))
            .unwrap()
            .ends_with(&le(words))
    };
    assert!(leaf(&[1, 1]));
    assert!(put("dark.png", "leaf").contains("1 nearly black pixels became (0, 0, 8)"));
    assert!(leaf(&[0, 1]));
    // A grey so dark that only one bit of green remains, which some screens lack.
    assert!(put("green.png", "leaf").contains("1 pixels have the darkest green"));
    assert!(leaf(&[0, 0x0020]));
}

/// The known rules for the devices of each game: Recoil's limits, and the shipped files of the
/// others.
#[test]
fn every_game_has_the_known_findings_of_its_devices() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("tall.png", png(3, &[[255u8; 3]; 27])),
            ("wide.png", png(1024, &[[255u8; 3]; 1024 * 512])),
            ("white.png", png(2, &[[255u8; 3]; 4])),
            (
                "dark.png",
                png(
                    2,
                    &[
                        [0u8, 0, 0, 255],
                        [1, 1, 1, 255],
                        [0, 0, 0, 0],
                        [9, 9, 9, 255],
                    ],
                ),
            ),
            (
                "darker.png",
                png(2, &[[0u8; 3], [1; 3], [2, 1, 2], [255; 3]]),
            ),
        ],
    );
    let indexed = || {
        Image(
            "rock",
            OPAQUE,
            2,
            2,
            1,
            0,
            [&[0u8; 4][..], &le(&[0x1111])].concat(),
        )
    };
    let plain = || Image("rock", OPAQUE, 2, 2, 0, 0, le(&[7; 4]));
    let holes = || Image("rock", SIMPLE, 2, 2, 0, 0, le(&[7; 4]));
    // Puts a picture into a package with this name: returns the report, the exit code, and the
    // package.
    let put = |game: &str, file: &str, picture: &str, image: Image, more: &[&str]| {
        fs::write(dir.path().join(file), package(&[image])).unwrap();
        let line = [
            "put",
            "--family",
            ".",
            picture,
            "rock",
            "--game",
            game,
            "--no-backup",
        ];
        let done = refit(dir.path()).args(line).args(more).assert();
        let written = fs::read(dir.path().join(file)).unwrap();
        fs::remove_file(dir.path().join(file)).unwrap();
        (err(&done), done.get_output().status.code(), written)
    };
    let words = |written: &[u8]| written[written.len() - 8..].to_vec();
    for game in ["rc", "mw", "pm", "cs"] {
        // Sides: Recoil shows its default texture. Crimson Skies ships such images, of the two
        // MechWarriors nothing is known.
        let (printed, code, _) = put(game, "rtexture4.zbd", "tall.png", plain(), &["--own-size"]);
        assert_eq!(
            (printed.contains("textures-device"), code),
            (game == "rc", Some(if game == "rc" { 3 } else { 0 })),
            "{game}: {printed}"
        );
        let (printed, code, _) = put(game, "rtexture4.zbd", "wide.png", plain(), &["--own-size"]);
        assert_eq!(
            (printed.contains("textures-"), code),
            (false, Some(0)),
            "{game}: {printed}"
        );
        // The same with two to one does not fit a card of one mebibyte, a limit that is known for
        // Crimson Skies.
        let (printed, code, _) = put(game, "rtexture1.zbd", "wide.png", plain(), &["--own-size"]);
        assert_eq!(
            (printed.contains("textures-memory"), code),
            (game == "cs", Some(0)),
            "{game}: {printed}"
        );
        // Palettes on cards: reported even if the package had one already.
        let (printed, _, _) = put(game, "rtexture4.zbd", "white.png", indexed(), &[]);
        let known = if game == "rc" {
            "a palette: the game shows its default texture instead"
        } else {
            "rock: a palette"
        };
        assert!(printed.contains(known), "{game}: {printed}");
        let (printed, _, _) = put(game, "rmechtex16.zbd", "white.png", indexed(), &[]);
        assert!(printed.contains(known), "{game}: {printed}");
        // For the software renderer: Crimson Skies ships palettes.
        let (printed, _, _) = put(game, "texture.zbd", "white.png", plain(), &[]);
        assert_eq!(
            printed.contains("rock: 16-bit colours"),
            game == "cs",
            "{game}: {printed}"
        );
        // Nearly black: visible according to alpha, and stays visible; without alpha black itself
        // is the hole.
        let (printed, code, written) = put(game, "rtexture4.zbd", "dark.png", holes(), &[]);
        assert_eq!(
            (words(&written), code),
            (le(&[1, 1, 0, 0x0841]), Some(0)),
            "{game}: {printed}"
        );
        let (printed, code, written) = put(game, "rtexture4.zbd", "darker.png", holes(), &[]);
        assert_eq!(
            (words(&written), code),
            (le(&[0, 1, 1, 0xffff]), Some(0)),
            "{game}: {printed}"
        );
        assert!(
            printed.contains(
                "2 nearly black pixels became (0, 0, 8): black itself is transparent in this image"
            ),
            "{game}: {printed}"
        );
    }
}

#[test]
fn trees_of_a_project_get_the_picture_too() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            (
                "game/rtexture2.zbd",
                package(&[Image("rock", SIMPLE, 2, 2, 0, 0, le(&[7; 4]))]),
            ),
            ("rock.png", board()),
        ],
    );
    refit(dir.path())
        .args([
            "unpack",
            "game/rtexture2.zbd",
            "-o",
            "trees/rtexture2",
            "--game",
            "mw",
        ])
        .assert()
        .code(0);
    refit(dir.path())
        .args(["put", "--family", "trees", "rock.png"])
        .assert()
        .code(0);
    refit(dir.path())
        .args(["repack", "trees/rtexture2", "-o", "new.zbd"])
        .assert()
        .code(0);
    assert!(
        fs::read(dir.path().join("new.zbd")).unwrap()
            == package(&[Image("rock", SIMPLE, 2, 2, 0, 0, le(&[GREY; 4]))])
    );
}

/// `frames` frames with a constant amount in 16 bits.
fn steady(channels: usize, frames: usize, amount: i16) -> Vec<u8> {
    amount.to_le_bytes().repeat(channels * frames)
}

/// A block of 256 bytes of Microsoft's ADPCM with a constant amplitude: the first weights (256, 0),
/// the smallest width, zero steps.
fn ms_blocks(amount: i16, count: usize) -> Vec<u8> {
    let mut block = vec![0, 16, 0];
    block.extend([amount.to_le_bytes(), amount.to_le_bytes()].concat());
    block.resize(256, 0);
    block.repeat(count)
}

/// A `fmt ` chunk of 50 bytes, as Crimson Skies has them: 500 samples in a block of 256 bytes, and
/// seven pairs of weights.
fn ms(amount: i16, blocks: usize) -> Wav {
    let weights: [i16; 14] = [
        256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232,
    ];
    let more = [32u16, 500, 7]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .chain(weights.iter().flat_map(|w| w.to_le_bytes()))
        .collect();
    // 11,025 · 256 / 500 bytes a second.
    Wav {
        head: (2, 1, 11_025, 5644, 256, 4),
        more,
        data: ms_blocks(amount, blocks),
        ..Wav::default()
    }
}

#[test]
fn a_sound_is_converted_to_the_format_of_each_bank() {
    let dir = tempfile::tempdir().unwrap();
    let old = |wav: &Wav| {
        archive(&[
            ("Boom.wav", &wav.file()),
            ("other.wav", &Wav::pcm(1, 8000, 8, vec![128; 4]).file()),
        ])
    };
    let high = Wav::pcm(1, 22_050, 16, steady(1, 3, 5));
    let low = Wav::pcm(1, 11_025, 8, vec![128; 6]);
    let packed = ms(3, 1);
    write(
        dir.path(),
        &[
            ("zbd/soundsH.zbd", old(&high)),
            ("zbd/soundsL.zbd", old(&low)),
            ("cs/soundsl.zbd", old(&packed)),
        ],
    );
    let new = Wav {
        cues: vec![[400, 400], [4000, 1000]],
        ..Wav::pcm(2, 44_100, 16, steady(2, 4002, 1024))
    };
    write(dir.path(), &[("boom.wav", new.file())]);
    refit(dir.path())
        .args(["put", "--family", ".", "boom.wav"])
        .assert()
        .code(0);
    // Half as many frames and half the positions; a quarter; and of ADPCM as many blocks as they
    // take: 1,001 of 500 are three.
    let high = Wav {
        cues: vec![[200, 200], [2000, 500]],
        ..Wav::pcm(1, 22_050, 16, steady(1, 2001, 1024))
    };
    let low = Wav {
        cues: vec![[100, 100], [1000, 250]],
        ..Wav::pcm(1, 11_025, 8, vec![132; 1001])
    };
    let packed = Wav {
        cues: vec![[100, 100], [1000, 250]],
        ..ms(1024, 3)
    };
    for (path, wav) in [
        ("zbd/soundsH.zbd", &high),
        ("zbd/soundsL.zbd", &low),
        ("cs/soundsl.zbd", &packed),
    ] {
        assert!(
            fs::read(dir.path().join(path)).unwrap() == old(wav),
            "{path}"
        );
        assert!(dir.path().join(format!("{path}.orig")).is_file());
    }
    // Their descriptions.
    let listed = out(&refit(dir.path())
        .args(["list", "cs/soundsl.zbd"])
        .assert()
        .code(0));
    assert!(
        listed.contains("wav, MS ADPCM")
            && listed.contains("11025 Hz, mono, 4 bit, blocks of 256 bytes, 0.14 s, 2 cue points"),
        "{listed}"
    );
    // Exported, ADPCM is PCM again; PCM is unchanged.
    refit(dir.path())
        .args(["export", "cs/soundsl.zbd", "-o", "wavs"])
        .assert()
        .code(0);
    let pcm = Wav {
        cues: packed.cues.clone(),
        ..Wav::pcm(1, 11_025, 16, steady(1, 1500, 1024))
    };
    assert!(fs::read(dir.path().join("wavs/Boom.wav")).unwrap() == pcm.file());
    assert!(
        fs::read(dir.path().join("wavs/other.wav")).unwrap()
            == Wav::pcm(1, 8000, 8, vec![128; 4]).file()
    );
}

#[test]
fn pcm_for_an_adpcm_bank_is_reported_or_encoded_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let bank = |wav: &Wav| archive(&[("boom.wav", &wav.file())]);
    write(
        dir.path(),
        &[
            ("soundsl.zbd", bank(&ms(3, 1))),
            (
                "new.wav",
                Wav::pcm(1, 11_025, 16, steady(1, 500, 1024)).file(),
            ),
        ],
    );
    let put = |more: &[&str]| {
        refit(dir.path())
            .args([
                "put",
                "soundsl.zbd",
                "boom.wav",
                "new.wav",
                "--game",
                "cs",
                "-o",
                "out.zbd",
                "--force",
            ])
            .args(more)
            .assert()
            .code(0)
    };
    let kept = put(&[]);
    assert!(
        err(&kept).contains(
            "it was MS ADPCM 11025 Hz 4 bit mono and is now stored as PCM 11025 Hz 16 bit mono"
        ),
        "{}",
        err(&kept)
    );
    assert!(
        fs::read(dir.path().join("out.zbd")).unwrap()
            == bank(&Wav::pcm(1, 11_025, 16, steady(1, 500, 1024)))
    );
    put(&["--encode"]);
    assert!(fs::read(dir.path().join("out.zbd")).unwrap() == bank(&ms(1024, 1)));
}

/// A file of IMA's ADPCM: blocks of this size with this number of samples.
fn ima(block: u16, samples: u16, data: Vec<u8>) -> Wav {
    let more = [2u16, samples]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let second = 11_025 * u32::from(block) / u32::from(samples);
    Wav {
        head: (17, 1, 11_025, second, block, 4),
        more,
        data,
        ..Wav::default()
    }
}

#[test]
fn sounds_of_every_codec_are_described_and_exported_as_pcm() {
    let dir = tempfile::tempdir().unwrap();
    // The block that `adpcm` has the samples of, as another program reads them.
    let block = vec![
        0xe8, 3, 20, 0, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe,
    ];
    let ima = Wav {
        cues: vec![[8, 8]],
        ..ima(12, 17, block)
    };
    let pcm = Wav::pcm(2, 22_050, 8, vec![128; 44_100]);
    let members = [
        ("pcm.wav", pcm.file()),
        ("ms.wav", ms(1024, 2).file()),
        ("ima.wav", ima.file()),
    ];
    let bank = archive(
        &members
            .iter()
            .map(|(name, file)| (*name, &file[..]))
            .collect::<Vec<_>>(),
    );
    write(
        dir.path(),
        &[("soundsl.zbd", bank), ("one.wav", ima.file())],
    );
    let run = |line: &[&str]| out(&refit(dir.path()).args(line).assert().code(0));
    let listed = run(&["list", "soundsl.zbd"]);
    let shapes = [
        ("pcm.wav", "wav", "22050 Hz, stereo, 8 bit, 1.00 s"),
        (
            "ms.wav",
            "wav, MS ADPCM",
            "11025 Hz, mono, 4 bit, blocks of 256 bytes, 0.09 s",
        ),
        (
            "ima.wav",
            "wav, IMA ADPCM",
            "11025 Hz, mono, 4 bit, blocks of 12 bytes, 0.00 s, 1 cue point",
        ),
    ];
    for (name, codec, shape) in shapes {
        let line = listed
            .lines()
            .find(|line| line.contains(name))
            .unwrap_or_else(|| panic!("{name}: {listed}"));
        assert!(line.contains(codec) && line.contains(shape), "{line}");
    }
    let printed = run(&["info", "soundsl.zbd"]);
    for part in [
        "PCM, 22050 Hz, stereo, 8 bit",
        "MS ADPCM, 11025 Hz, mono, 4 bit",
        "IMA ADPCM, 11025 Hz, mono, 4 bit",
        "1.1 s",
        "1 in 1 sounds",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let printed = run(&["info", "one.wav"]);
    assert!(
        printed.contains("IMA ADPCM, 11025 Hz, mono, 4 bit, blocks of 12 bytes")
            && printed.contains("0.00 s"),
        "{printed}"
    );
    run(&["export", "soundsl.zbd", "-o", "wavs"]);
    let samples: [i16; 17] = [
        1000, 1006, 1022, 1047, 1078, 1116, 1172, 1269, 1468, 1440, 1362, 1244, 1094, 918, 658,
        206, -719,
    ];
    let unpacked = Wav {
        cues: ima.cues.clone(),
        ..Wav::pcm(
            1,
            11_025,
            16,
            samples.iter().flat_map(|v| v.to_le_bytes()).collect(),
        )
    };
    let wav = |name: &str| fs::read(dir.path().join("wavs").join(name)).unwrap();
    assert!(wav("ima.wav") == unpacked.file());
    assert!(wav("ms.wav") == Wav::pcm(1, 11_025, 16, steady(1, 1000, 1024)).file());
    assert!(wav("pcm.wav") == pcm.file());
}

#[test]
fn pcm_is_encoded_as_ima_adpcm_on_request() {
    let dir = tempfile::tempdir().unwrap();
    // A block of steps of nothing from one amount on: with the least width a step of 0 adds an
    // eighth of 7, which is 0.
    let amount = |amount: i16| {
        let mut data = amount.to_le_bytes().to_vec();
        data.resize(256, 0);
        ima(256, 505, data).file()
    };
    let new = Wav::pcm(1, 11_025, 16, steady(1, 505, 1024)).file();
    write(
        dir.path(),
        &[
            ("soundsl.zbd", archive(&[("boom.wav", &amount(3))])),
            ("new.wav", new.clone()),
        ],
    );
    let put = |more: &[&str]| {
        let line = [
            "put",
            "soundsl.zbd",
            "boom.wav",
            "new.wav",
            "--game",
            "cs",
            "-o",
            "out.zbd",
            "--force",
        ];
        let done = refit(dir.path()).args(line).args(more).assert().code(0);
        (err(&done), fs::read(dir.path().join("out.zbd")).unwrap())
    };
    let (printed, kept) = put(&[]);
    assert!(
        printed.contains(
            "it was IMA ADPCM 11025 Hz 4 bit mono and is now stored as PCM 11025 Hz 16 bit mono"
        ),
        "{printed}"
    );
    assert!(kept == archive(&[("boom.wav", &new)]));
    assert!(put(&["--encode"]).1 == archive(&[("boom.wav", &amount(1024))]));
}

#[test]
fn a_sound_is_limited_by_the_declaration_of_each_bank() {
    let dir = tempfile::tempdir().unwrap();
    let old = || {
        archive(&[
            ("boom.wav", &Wav::pcm(1, 8000, 8, vec![128; 4]).file()),
            ("other.wav", &Wav::pcm(1, 8000, 8, vec![9; 4]).file()),
        ])
    };
    let bank = |boom: &[u8]| {
        archive(&[
            ("boom.wav", boom),
            ("other.wav", &Wav::pcm(1, 8000, 8, vec![9; 4]).file()),
        ])
    };
    let put = |game: &str, source: &[u8], high: &[u8], medium: &[u8], low: &[u8]| {
        write(
            dir.path(),
            &[
                ("zbd/soundsH.zbd", old()),
                ("zbd/soundsM.zbd", old()),
                ("zbd/soundsL.zbd", old()),
                ("boom.wav", source.to_vec()),
            ],
        );
        write(
            dir.path(),
            &[("zrdr.zbd", archive(&[("sounds.zrd", &declarations())]))],
        );
        let line = [
            "put",
            "--family",
            "zbd",
            "boom.wav",
            "--like",
            "zrdr.zbd",
            "--game",
            game,
            "--no-backup",
        ];
        let done = refit(dir.path()).args(line).assert().code(0);
        for (file, boom) in [
            ("soundsH.zbd", high),
            ("soundsM.zbd", medium),
            ("soundsL.zbd", low),
        ] {
            assert!(
                fs::read(dir.path().join("zbd").join(file)).unwrap() == bank(boom),
                "{game} {file}: {}",
                out(&done)
            );
        }
    };
    // 22,050, 16 bits, one channel; Recoil's usual ones, which are the same; 11,025, 8 bits, one
    // channel. Cue points go along.
    let cued = |wav: Wav, cues: [[u32; 2]; 1]| {
        Wav {
            cues: cues.to_vec(),
            ..wav
        }
        .file()
    };
    let half = cued(Wav::pcm(1, 22_050, 16, steady(1, 200, 1024)), [[100, 40]]);
    put(
        "rc",
        &cued(Wav::pcm(2, 44_100, 16, steady(2, 400, 1024)), [[200, 80]]),
        &half,
        &half,
        &cued(Wav::pcm(1, 11_025, 8, vec![132; 100]), [[50, 20]]),
    );
    // Each the smaller of both: rate and bits of the source, the channels of the declaration.
    let mono = Wav::pcm(1, 8000, 8, vec![140; 30]).file();
    put(
        "mw",
        &Wav::pcm(2, 8000, 8, vec![140; 60]).file(),
        &mono,
        &mono,
        &mono,
    );
    // What fits is kept byte by byte, with chunks that no game reads.
    let fits = [
        &Wav::pcm(1, 11_025, 8, vec![140; 9]).file()[..],
        b"junk\x02\0\0\0ab",
    ]
    .concat();
    put("pm", &fits, &fits, &fits, &fits);
    // ADPCM is what Crimson Skies plays; the others get it unpacked.
    let packed = ms(1024, 1).file();
    put("cs", &packed, &packed, &packed, &packed);
    let unpacked = Wav::pcm(1, 11_025, 16, steady(1, 500, 1024)).file();
    put(
        "mw",
        &packed,
        &unpacked,
        &unpacked,
        &Wav::pcm(1, 11_025, 8, vec![132; 500]).file(),
    );
}

/// `sounds.zrd` with three sounds: one with its own limits, one without, one with another file for
/// the low bank.
fn declarations() -> Vec<u8> {
    let triple = |rate, bits, channels| list(&[int(rate), int(bits), int(channels)]);
    let sample = |id: &str, file: &str, more: &[Vec<u8>]| {
        list(&[&[string(id), string(file)][..], more].concat())
    };
    list(&[
        string("SYNTAX"),
        int(2),
        string("SETS"),
        list(&[
            string("M1"),
            list(&[
                sample(
                    "boom",
                    "boom.wav",
                    &[
                        string("HIGH"),
                        triple(22_050, 16, 1),
                        string("VOLUME"),
                        float(0.5),
                        string("LOW"),
                        triple(11_025, 8, 1),
                    ],
                ),
                sample("step", "Step.wav", &[string("3D")]),
                sample("horn", "horn.wav", &[string("LOW"), string("hornlow.wav")]),
                sample("boom2", "BOOM.wav", &[]),
                sample("gone", "gone.wav", &[]),
            ]),
        ]),
    ])
}

#[test]
fn three_banks_are_made_from_one_set_within_the_declared_limits() {
    let dir = tempfile::tempdir().unwrap();
    let boom = Wav::pcm(2, 44_100, 16, steady(2, 400, 1024));
    // A chunk that no game knows stays if the file stays unchanged.
    let step = [
        &Wav::pcm(1, 11_025, 8, vec![140; 9]).file()[..],
        b"junk\x02\0\0\0ab",
    ]
    .concat();
    let horn = Wav::pcm(1, 22_050, 16, steady(1, 100, 512));
    let small = Wav::pcm(1, 8000, 8, vec![128; 4]);
    let extra = Wav::pcm(2, 22_050, 16, steady(2, 20, 256));
    write(
        dir.path(),
        &[
            ("wavs/boom.wav", boom.file()),
            ("wavs/step.wav", step.clone()),
            ("wavs/brass/horn.wav", horn.file()),
            ("wavs/hornlow.wav", small.file()),
            ("wavs/zextra.wav", extra.file()),
            (
                "zrdr.zbd",
                archive(&[
                    ("keys.zrd", &list(&[int(1)])),
                    ("sounds.zrd", &declarations()),
                ]),
            ),
        ],
    );
    let line = [
        "repack", "wavs", "--format", "sounds", "--like", "zrdr.zbd", "-o", "zbd", "--json",
    ];
    let done = refit(dir.path()).args(line).assert().code(0);
    let mono = |rate, frames, amount: i16| Wav::pcm(1, rate, 16, steady(1, frames, amount)).file();
    let eight = |frames, amount: u8| Wav::pcm(1, 11_025, 8, vec![amount; frames]).file();
    let high = archive(&[
        ("boom.wav", &mono(22_050, 200, 1024)),
        ("step.wav", &step),
        ("horn.wav", &horn.file()),
        ("zextra.wav", &extra.file()),
    ]);
    let medium = archive(&[
        ("boom.wav", &mono(22_050, 200, 1024)),
        ("step.wav", &step),
        ("horn.wav", &horn.file()),
        ("zextra.wav", &mono(22_050, 20, 256)),
    ]);
    let low = archive(&[
        ("boom.wav", &eight(100, 132)),
        ("step.wav", &step),
        ("hornlow.wav", &small.file()),
        ("zextra.wav", &eight(10, 129)),
    ]);
    for (file, bank) in [
        ("soundsH.zbd", high),
        ("soundsM.zbd", medium),
        ("soundsL.zbd", low),
    ] {
        let found = fs::read(dir.path().join("zbd").join(file)).unwrap();
        assert!(
            found == bank,
            "{file}: {}",
            out(&refit(dir.path())
                .args(["list", &format!("zbd/{file}")])
                .assert())
        );
    }
    let printed = rows(&out(&done));
    assert_eq!(
        printed
            .iter()
            .map(|row| row["as_they_are"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [3, 2, 2]
    );
    assert!(
        printed
            .iter()
            .all(|row| row["missing"] == serde_json::json!(["gone.wav"])
                && row["undeclared"] == serde_json::json!(["zextra.wav"]))
    );
    // An existing file is not replaced without a request, and the same set of sounds is one sound.
    let again = refit(dir.path())
        .args([
            "repack", "wavs", "--format", "sounds", "--like", "zrdr.zbd", "-o", "zbd",
        ])
        .assert()
        .code(1);
    assert!(err(&again).contains("already exists"), "{}", err(&again));
    let family = [
        "put",
        "--family",
        "zbd",
        "wavs/brass/horn.wav",
        "--like",
        "zrdr.zbd",
        "--json",
    ];
    let rows = rows(&out(&refit(dir.path()).args(family).assert().code(0)));
    assert_eq!(
        rows.iter()
            .map(|row| (
                row["changed"].as_bool().unwrap(),
                row["now"].as_str().unwrap()
            ))
            .collect::<Vec<_>>(),
        [
            (false, "PCM 22050 Hz 16 bit mono"),
            (false, "PCM 22050 Hz 16 bit mono"),
        ]
    );
    // An unreadable one leaves everything unchanged.
    write(dir.path(), &[("wavs/boom.wav", b"RIFF".to_vec())]);
    let before = snapshot(dir.path());
    let broken = refit(dir.path()).args(line).arg("--force").assert().code(1);
    assert!(err(&broken).contains("boom.wav"), "{}", err(&broken));
    assert_eq!(snapshot(dir.path()), before);
}
