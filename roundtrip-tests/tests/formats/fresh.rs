//! New files from plain folders: for every format and game, a folder gives a file that is exact,
//! has at most unusual findings, and unpacks to the same folder.

use refit::{
    formats::Format,
    game::Game,
    lint::Severity,
    pipeline::{self, Hints, Via},
    registry::FORMATS,
    tree::{DirSink, DirSource, Folder, Source, Style},
    workbench::{
        Event, Options,
        fresh::NewPlain,
        repack::{NewFile, Target, trees},
    },
};
use roundtrip_tests::{
    assert_bytes,
    by_hand::{self, Image, Wave, float, int, list, member, string},
    golden_file,
    process::run,
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

/// A golden file for each game that has the format. For a format that no folder can produce, a word
/// of the error.
fn golden(format: Format) -> Result<&'static [(Game, &'static str)], &'static str> {
    use Game::{Cs, Mw, Pm, Rc};
    Ok(match format {
        Format::Archive => &[
            (Rc, "archive/archive_v1_rc.zbd"),
            (Mw, "archive/archive_v1_rc.zbd"),
            (Pm, "archive/archive_v2_one.zbd"),
            (Cs, "archive/archive_v1_rc.zbd"),
        ],
        Format::Sounds => &[
            (Rc, "sounds/rc_zbd_soundsl.zbd"),
            (Mw, "sounds/mw_zbd_soundsL.zbd"),
            (Pm, "sounds/pm_zbd_soundsL.zbd"),
            (Cs, "sounds/cs_zbd_soundsl.zbd"),
        ],
        Format::Reader => &[
            (Rc, "reader/rc_typical_zrdr.zbd"),
            (Mw, "reader/mw_typical_reader.zbd"),
            (Pm, "reader/pm_typical_reader.zbd"),
            (Cs, "reader/cs_typical_zrdr.zbd"),
        ],
        Format::ZrdBinary => &[
            (Rc, "zrd_binary/mw_loose.zrd"),
            (Mw, "zrd_binary/mw_loose.zrd"),
            (Pm, "zrd_binary/mw_loose.zrd"),
            (Cs, "zrd_binary/mw_loose.zrd"),
        ],
        Format::ZrdText => &[
            (Mw, "zrd_text/DefaultCtlConfig.zrd"),
            (Pm, "zrd_text/DefaultCtlConfig.zrd"),
        ],
        Format::Interp => &[
            (Rc, "interp/rc_shape.zbd"),
            (Mw, "interp/interp_pm_basic.zbd"),
            (Pm, "interp/interp_pm_basic.zbd"),
            (Cs, "interp/cs_mission_shape.zbd"),
        ],
        Format::Motion => &[
            (Mw, "motion/mw_typical_motion.zbd"),
            (Pm, "motion/pm_typical_motion.zbd"),
        ],
        Format::Mechlib => &[
            (Mw, "mechlib/mw_typical_mechlib.zbd"),
            (Pm, "mechlib/pm_typical_mechlib.zbd"),
        ],
        Format::Anim => &[
            (Rc, "anim/rc_typical_anim.zbd"),
            (Mw, "anim/mw_typical_anim.zbd"),
            (Pm, "anim/pm_typical_anim.zbd"),
            (Cs, "anim/cs_typical_mis_anim.zbd"),
        ],
        Format::Textures => &[
            (Rc, "textures/rc_card_shape.zbd"),
            (Mw, "textures/mw_stretch_8.zbd"),
            (Pm, "textures/pm_stretch_4.zbd"),
            (Cs, "textures/cs_card_shape.zbd"),
        ],
        Format::Messages => &[
            (Rc, "messages/rc_basic_en.dll"),
            (Mw, "messages/mw_basic_en.dll"),
            (Pm, "messages/pm_basic_de.dll"),
            (Cs, "messages/cs_basic.dll"),
        ],
        Format::Zmap => &[(Rc, "zmap/rc_typical_m1.zmap")],
        Format::Savegame => &[
            (Rc, "savegame/rc_typical_slot1.sav"),
            (Mw, "savegame/mw_typical_one.mw3"),
            (Pm, "savegame/mw_typical_one.mw3"),
            (Cs, "savegame/cs_typical_Mission.102"),
        ],
        Format::Rof => &[(Cs, "rof/cs_typical_crimson.rof")],
        Format::Aircraft => &[(Cs, "aircraft/Blue Streak")],
        Format::Livery => &[(Cs, "livery/STRIPE.BM")],
        Format::Gamez | Format::Planes => return Err("refit new gamez"),
        Format::Bikey | Format::Bisign => return Err("refit key"),
        Format::Raw => return Err("kept whole"),
        // These are tested with their own files and folders: `cases/pbo`, `cases/rap`, `cases/paa`.
        Format::Pbo | Format::Rap | Format::Paa => &[],
    })
}

/// Makes a file of a folder. Returns its path, the choices that were made, and all that was
/// reported.
fn repack(folder: &Path, new: NewPlain) -> (PathBuf, Vec<String>, Vec<String>) {
    let (assumed, said) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let target = folder.with_extension("made");
    let progress = |event: Event<'_>| match event {
        Event::Repacked(tree) => {
            assert!(
                tree.error.is_none(),
                "{}: {:?}",
                folder.display(),
                tree.error
            );
            assumed.lock().unwrap().extend(tree.assumed.iter().cloned());
        }
        Event::Warning(text) => said.lock().unwrap().push(text.to_owned()),
        Event::Finding(severity, text) => said.lock().unwrap().push(format!("{severity:?} {text}")),
        Event::Failed(e) => panic!("{e}"),
        _ => {}
    };
    let new = NewFile::Plain(new);
    trees(
        &[folder.to_owned()],
        &Target::File(target.clone()),
        Some(&new),
        &Options::default(),
        &progress,
    );
    (
        target,
        assumed.into_inner().unwrap(),
        said.into_inner().unwrap(),
    )
}

/// The files of a tree that a folder without a manifest has, with their content.
fn content(bytes: &bytes::Bytes, name: &str, hints: Hints) -> Vec<(String, bytes::Bytes)> {
    let tree = Folder::new();
    pipeline::unpack(bytes, name, hints, Style::Json, true, &tree, &|| Ok(())).unwrap();
    let is_own = |path: &String| {
        path.starts_with('.') || path == "refit.json" || path.starts_with("packed/")
    };
    let paths = tree.paths().into_iter().filter(|path| !is_own(path));
    paths
        .map(|path| (path.clone(), tree.get(&path).unwrap()))
        .collect()
}

/// The content for comparison: texts without the path to a schema, pictures by their pixels.
fn plain(content: &[(String, bytes::Bytes)]) -> Vec<(String, String)> {
    let text = |path: &str, bytes: &bytes::Bytes| match std::str::from_utf8(bytes) {
        Ok(text) => text
            .lines()
            .filter(|line| !line.contains("\"$schema\""))
            .collect::<Vec<_>>()
            .join("\n"),
        Err(_) => pixels(bytes)
            .filter(|_| path.ends_with(".png"))
            .unwrap_or_else(|| refit::sha256(bytes)),
    };
    content
        .iter()
        .map(|(path, bytes)| (path.to_lowercase(), text(&path.to_lowercase(), bytes)))
        .collect()
}

/// Size and hash of the pixels of a picture, for any kind of PNG; `None` if it is not a picture.
fn pixels(file: &[u8]) -> Option<String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let rgba: Vec<u8> = match info.color_type {
        png::ColorType::GrayscaleAlpha => pixels
            .chunks_exact(2)
            .flat_map(|p| [p[0], p[0], p[0], p[1]])
            .collect(),
        _ => pixels,
    };
    Some(format!(
        "{} x {} {}",
        info.width,
        info.height,
        refit::sha256(&rgba)
    ))
}

/// Commits a folder and checks it out again, as on Windows: with other line ends, unless a
/// `.gitattributes` forbids it.
fn through_git(folder: &Path) {
    let git = |line: &str| {
        let user = [
            "-c",
            "user.name=test",
            "-c",
            "user.email=test@example.org",
            "-c",
            "core.autocrlf=true",
        ];
        let run = Command::new("git")
            .args(user)
            .args(line.split(' '))
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "git {line}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
    };
    ["init -q", "add -A", "commit -q -m trees"]
        .into_iter()
        .for_each(&git);
    for entry in std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_name() != ".git")
    {
        std::fs::remove_dir_all(entry.path()).unwrap();
    }
    git("checkout -q -- .");
}

#[test]
fn every_format_and_game_from_a_folder_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let (committed, mut trees) = (dir.path().join("git"), Vec::new());
    for format in FORMATS {
        let Ok(files) = golden(*format) else { continue };
        for (game, name) in files {
            let (folder, file) = name.split_once('/').unwrap();
            let case = golden_file(folder, file);
            let hints = Hints {
                game: Some(*game),
                format: Some(*format),
            };
            let before = content(&case.bytes, file, hints);
            let source = dir
                .path()
                .join(format!("{game:?}-{format}"))
                .join(file.replace('.', "_"));
            for (path, bytes) in &before {
                std::fs::create_dir_all(source.join(path).parent().unwrap()).unwrap();
                std::fs::write(source.join(path), bytes).unwrap();
            }
            let what = format!("{format} of {game}");
            let (target, assumed, said) = repack(
                &source,
                NewPlain {
                    format: *format,
                    game: Some(*game),
                    like: None,
                    search: Default::default(),
                },
            );
            let said: Vec<_> = said
                .iter()
                .filter(|said| !said.contains("its content"))
                .collect();
            assert!(said.is_empty(), "{what}: {said:?}");
            assert_eq!(
                assumed.is_empty(),
                is_complete(*format),
                "{what}: {assumed:?}"
            );
            let bytes = bytes::Bytes::from(std::fs::read(&target).unwrap());
            for via in [Via::Bytes, Via::Json, Via::Ron] {
                let outcome = pipeline::verify(&bytes, file, hints, via).unwrap();
                let raw = pipeline::verify(&case.bytes, file, hints, via).unwrap().raw;
                assert_eq!(outcome.raw.len(), raw.len(), "{what}: {:?}", outcome.raw);
            }
            let opened = pipeline::open(&bytes, file, hints).unwrap();
            let worst = opened
                .model
                .lint()
                .unwrap()
                .into_iter()
                .find(|f| f.severity > Severity::Unusual);
            assert!(worst.is_none(), "{what}: {worst:?}");
            assert_eq!(
                plain(&content(&bytes, file, hints)),
                plain(&before),
                "{what}"
            );
            let tree = committed.join(trees.len().to_string());
            std::fs::create_dir_all(&tree).unwrap();
            pipeline::unpack(
                &bytes,
                file,
                hints,
                Style::Json,
                false,
                &DirSink::new(&tree),
                &|| Ok(()),
            )
            .unwrap();
            trees.push((what, tree, bytes));
        }
    }
    through_git(&committed);
    for (what, tree, bytes) in trees {
        assert!(
            pipeline::repack(&DirSource::new(&tree)).unwrap().1 == bytes,
            "{what}"
        );
    }
}

/// True for formats that a folder describes completely.
fn is_complete(format: Format) -> bool {
    let has_choices = [
        Format::Archive,
        Format::Sounds,
        Format::Reader,
        Format::Interp,
        Format::Motion,
        Format::Mechlib,
        Format::Anim,
        Format::Textures,
        Format::Savegame,
        Format::Rof,
    ];
    !has_choices.contains(&format)
}

#[test]
fn a_format_that_needs_more_than_a_folder_says_so() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("x.json"), "[]").unwrap();
    for format in FORMATS {
        let Err(word) = golden(*format) else { continue };
        let said = Mutex::new(String::new());
        let progress = |event: Event<'_>| {
            if let Event::Repacked(tree) = event {
                *said.lock().unwrap() = tree
                    .error
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
            }
        };
        let new = NewFile::Plain(NewPlain {
            format: *format,
            game: Some(Game::Rc),
            like: None,
            search: Default::default(),
        });
        trees(
            &[dir.path().to_owned()],
            &Target::File("x".into()),
            Some(&new),
            &Options::default(),
            &progress,
        );
        assert!(
            said.lock().unwrap().contains(word),
            "{format}: {:?}",
            said.lock().unwrap()
        );
    }
}

/// Order, times, flags and comments are those of the file given as `like`: an unedited folder gives
/// that file again.
#[test]
fn a_folder_like_its_own_file_gives_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    for (format, game, name) in [
        (Format::Reader, Game::Rc, "reader/rc_typical_zrdr.zbd"),
        (Format::Reader, Game::Cs, "reader/cs_typical_zrdr.zbd"),
        (Format::Interp, Game::Rc, "interp/rc_shape.zbd"),
        (Format::Textures, Game::Rc, "textures/rc_card_shape.zbd"),
        (Format::Textures, Game::Cs, "textures/cs_card_shape.zbd"),
        (Format::Messages, Game::Mw, "messages/mw_basic_en.dll"),
        (Format::Mechlib, Game::Pm, "mechlib/pm_typical_mechlib.zbd"),
    ] {
        let (folder, file) = name.split_once('/').unwrap();
        let case = golden_file(folder, file);
        let source = dir.path().join(file.replace('.', "_"));
        for (path, bytes) in content(
            &case.bytes,
            file,
            Hints {
                game: Some(game),
                format: Some(format),
            },
        ) {
            std::fs::create_dir_all(source.join(&path).parent().unwrap()).unwrap();
            std::fs::write(source.join(path), bytes).unwrap();
        }
        let like = dir.path().join(file);
        std::fs::write(&like, &case.bytes).unwrap();
        let (target, _, _) = repack(
            &source,
            NewPlain {
                format,
                game: Some(game),
                like: Some(like),
                search: Default::default(),
            },
        );
        assert!(std::fs::read(target).unwrap() == case.bytes, "{name}");
    }
}

/// Formats that refit creates, but not from a folder: worlds, addons, configs, textures, keys and
/// signatures. It cannot create planes.
#[test]
fn what_no_folder_gives_is_exact_and_usual_too() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["hut", "keys", "mission"] {
        std::fs::create_dir_all(at(folder)).unwrap();
    }
    std::fs::write(
        at("hut/config.cpp"),
        "class CfgPatches { class hut { units[] = {\"a\"}; size = 1.5; }; };\n",
    )
    .unwrap();
    std::fs::write(at("hut/init.sqf"), "hint \"x\";\n").unwrap();
    std::fs::write(
        at("mission/mission.sqm"),
        "version = 12;\nclass Mission { addOns[] = {\"hut\"}; };\n",
    )
    .unwrap();
    std::fs::write(at("wood_co.png"), by_hand::png(4, &[[90u8, 60, 30]; 16])).unwrap();
    let mut made = Vec::new();
    for game in Game::ALL {
        let file = format!("{}.zbd", game.code());
        run(
            dir.path(),
            &format!(
                "new gamez --game {} --extents 0,0,2048,1024 -o {file}",
                game.code()
            ),
        )
        .code(0);
        made.push((file, Format::Gamez));
    }
    for (line, file, format) in [
        (
            "repack hut --format pbo --prefix z\\hut -o hut.pbo",
            "hut.pbo",
            Format::Pbo,
        ),
        (
            "repack hut/config.cpp --format rap -o packed/config.bin",
            "packed/config.bin",
            Format::Rap,
        ),
        (
            "repack mission/mission.sqm --format rap -o packed/mission.sqm",
            "packed/mission.sqm",
            Format::Rap,
        ),
        (
            "repack wood_co.png --format paa",
            "wood_co.paa",
            Format::Paa,
        ),
        ("key new me -o keys", "keys/me.bikey", Format::Bikey),
        (
            "sign hut.pbo --key keys/me.biprivatekey",
            "hut.pbo.me.bisign",
            Format::Bisign,
        ),
    ] {
        run(dir.path(), line).code(0);
        made.push((file.to_owned(), format));
    }
    for (file, format) in made {
        let bytes = bytes::Bytes::from(std::fs::read(at(&file)).unwrap());
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            let outcome = pipeline::verify(&bytes, &file, Hints::default(), via).unwrap();
            assert!(
                outcome.raw.is_empty() && outcome.detection.format == format,
                "{file}: {:?}",
                outcome.raw
            );
        }
        let found = pipeline::open(&bytes, &file, Hints::default())
            .unwrap()
            .model
            .lint()
            .unwrap();
        let worst = found.into_iter().find(|f| f.severity > Severity::Unusual);
        assert!(worst.is_none(), "{file}: {worst:?}");
    }
}

/// What the steps of a new mission write into files of the game (the table in
/// `docs/new-mission.md`), with bytes from the references: a sound and its declaration, a picture,
/// a vehicle, a network, a start animation. Other tests have those of objects (`gamez`, `mech3ax`),
/// animations (the vectors in `src/anim_source/tests`), scripts (`archive`) and texts (`messages`).
#[test]
fn the_steps_of_a_new_mission_give_the_bytes_of_the_references() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).unwrap();
    let done = |line: &str| run(dir.path(), line).code(0);
    let same =
        |name: &str, expected: &[u8]| assert_bytes(&std::fs::read(at(name)).unwrap(), expected);
    // A bank: an archive of WAVE files.
    let [creak, hum] =
        [[9u8; 30], [7; 30]].map(|data| Wave::pcm(1, 11025, 8, data.to_vec()).file());
    write(
        "soundsh.zbd",
        &by_hand::archive(&[member("creak.wav", &creak)], false, None),
    );
    write("hum.wav", &hum);
    done("add soundsh.zbd hum.wav hum.wav");
    same(
        "soundsh.zbd",
        &by_hand::archive(
            &[member("creak.wav", &creak), member("hum.wav", &hum)],
            false,
            None,
        ),
    );
    // Its declaration in sounds.zrd: a list of samples.
    let declared = |samples: &[Vec<u8>]| list(&[string("SOUNDS"), list(samples)]);
    let sample = |name: &str| {
        list(&[
            string(name),
            string(&format!("{name}.wav")),
            string("VOLUME"),
            float(0.5),
        ])
    };
    let own = list(&[int(4)]);
    let readers = |sounds: &[u8], more: &[(&str, Vec<u8>)]| {
        let mut members = vec![member("sounds.zrd", sounds), member("z.zrd", &own)];
        members.extend(more.iter().map(|(name, bytes)| member(name, bytes)));
        by_hand::archive(&members, false, None)
    };
    write("zrdr.zbd", &readers(&declared(&[sample("creak")]), &[]));
    write("sounds.json", br#"["SOUNDS", [["hum", "hum.wav", "VOLUME", 0.5], ["creak", "creak.wav", "VOLUME", 0.5]]]"#);
    done("put zrdr.zbd sounds.zrd sounds.json");
    let both = declared(&[sample("hum"), sample("creak")]);
    same("zrdr.zbd", &readers(&both, &[]));
    // A vehicle and its network from their templates, and an animation from the start.
    write(
        "startanims.json",
        br#"["NEW_GAME_START", [["open_gate1"]]]"#,
    );
    done("new reader aiv -o aiv.zrd.ron");
    done("new reader net_01 -o net_01.zrd");
    done("add zrdr.zbd aiv.zrd aiv.zrd.ron");
    done("add zrdr.zbd startanims.zrd startanims.json");
    let place = || list(&[float(0.0), float(0.0), float(0.0)]);
    let aiv = list(&[string("bft_00"), list(&[int(1), place(), float(0.0)])]);
    same(
        "zrdr.zbd",
        &readers(
            &both,
            &[
                ("aiv.zrd", aiv),
                (
                    "startanims.zrd",
                    list(&[
                        string("NEW_GAME_START"),
                        list(&[list(&[string("open_gate1")])]),
                    ]),
                ),
            ],
        ),
    );
    let node = |next: i32| {
        let links = list(&[int(next), int(-1), int(-1)]);
        list(&[int(1), place(), links])
    };
    let words = [
        ("version", list(&[int(105)])),
        ("name", list(&[string("north")])),
        ("attack_strategy", list(&[string("CIRCLE")])),
    ];
    let words = words
        .into_iter()
        .chain([("node_00", node(1)), ("node_01", node(0))]);
    same(
        "net_01.zrd",
        &list(
            &words
                .flat_map(|(key, value)| [string(key), value])
                .collect::<Vec<_>>(),
        ),
    );
    // A picture of red, green, blue and white in a package of 16 bits a pixel: red in the upper
    // five, green in six.
    let grass = || Image::plain("grass", (8, 8), vec![0x10; 128]);
    write("rtexture4.zbd", &by_hand::package(&[grass()], &[]));
    let colors = [
        ([255u8, 0, 0], 0xF800u16),
        ([0, 255, 0], 0x07E0),
        ([0, 0, 255], 0x001F),
        ([255; 3], 0xFFFF),
    ];
    let pixels: Vec<([u8; 3], u16)> = (0..64).map(|n| colors[n / 16]).collect();
    write(
        "wood.png",
        &by_hand::png(8, &pixels.iter().map(|(rgb, _)| *rgb).collect::<Vec<_>>()),
    );
    done("add rtexture4.zbd wood wood.png --game rc");
    let stored = pixels
        .iter()
        .flat_map(|(_, word)| word.to_le_bytes())
        .collect();
    same(
        "rtexture4.zbd",
        &by_hand::package(&[grass(), Image::plain("wood", (8, 8), stored)], &[]),
    );
}
