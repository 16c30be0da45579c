//! A folder of each game as its owners describe it, from synthetic files: the names and paths of
//! the game's own files, and everything else that is in such a folder. No command over the folder
//! fails because of any of it.

use roundtrip_tests::process::{err, out, refit};
use std::{fs, path::Path};

/// A file of `golden/`.
fn golden(path: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../golden")
            .join(path),
    )
    .unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A Windows program or library without any resources.
fn program() -> Vec<u8> {
    let mut out = vec![0; 400];
    out[..2].copy_from_slice(b"MZ");
    out[60] = 64;
    out[64..68].copy_from_slice(b"PE\0\0");
    out
}

/// An AVI file with its headers alone.
fn film() -> Vec<u8> {
    let chunk =
        |id: &[u8; 4], body: &[u8]| [&id[..], &(body.len() as u32).to_le_bytes(), body].concat();
    chunk(
        b"RIFF",
        &[
            &b"AVI "[..],
            &chunk(b"LIST", b"hdrl"),
            &chunk(b"LIST", b"movi"),
        ]
        .concat(),
    )
}

/// Files in every such folder: programs, libraries without texts, documents, pictures, films, and
/// files that no game knows.
fn others() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("GAME.EXE", program()),
        ("ijl10.dll", program()),
        ("EULA.RTF", b"{\\rtf1\\ansi text}".to_vec()),
        ("Readme.txt", b"read me\r\n".to_vec()),
        (
            "Readme.doc",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more".to_vec(),
        ),
        ("AUTORUN.INF", b"[autorun]\r\nopen=setup.exe\r\n".to_vec()),
        ("game.ico", vec![0, 0, 1, 0, 1, 0, 16, 16]),
        ("empty.sem", Vec::new()),
        ("unknown.bin", vec![1, 2, 3]),
        (
            "tail.bin",
            [
                &[0x55; 64][..],
                &1u32.to_le_bytes(),
                &65_535u32.to_le_bytes(),
            ]
            .concat(),
        ),
    ]
}

/// The game's folder, its files, the number of the game's own files, and the worst severity that
/// `lint` may report for each.
fn installation(game: &str, own: &[(&str, &str)], foreign: Vec<(&str, Vec<u8>)>) {
    let place = tempfile::tempdir().unwrap();
    let put = |path: &str, bytes: &[u8]| {
        let path = place.path().join("GAME").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    own.iter().for_each(|(path, file)| put(path, &golden(file)));
    others()
        .into_iter()
        .chain(foreign)
        .for_each(|(path, bytes)| put(path, &bytes));
    let run = |codes: &[i32], line: &str| {
        let done = refit(place.path()).args(line.split(' ')).assert();
        let code = done.get_output().status.code().unwrap();
        assert!(
            codes.contains(&code),
            "{game}: refit {line}: {code}\n{}{}",
            out(&done),
            err(&done)
        );
        assert!(
            !err(&done).contains("error: "),
            "{game}: refit {line}\n{}",
            err(&done)
        );
        out(&done)
    };
    let rows: Vec<serde_json::Value> = run(&[0], "verify GAME --json")
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let exact: Vec<&str> = rows
        .iter()
        .filter(|row| row["status"] == "exact")
        .map(|row| row["path"].as_str().unwrap())
        .collect();
    assert_eq!(exact.len(), own.len(), "{game}: {exact:#?}");
    // Whenever the game is known, it is this one.
    for row in rows.iter().filter(|row| row["status"] == "exact") {
        assert!(row["game"].is_null() || row["game"] == game, "{row}");
    }
    run(&[0, 3], "lint GAME");
    let printed = run(&[0], "info GAME");
    assert!(
        printed.contains("in all") && printed.contains("not recognised and skipped"),
        "{game}: {printed}"
    );
    let unpacked = run(&[0], "unpack GAME -o PROJECT");
    assert!(
        unpacked.contains("skipped")
            || unpacked.contains("not recognised")
            || unpacked.contains("left"),
        "{game}: {unpacked}"
    );
}

#[test]
fn a_folder_of_recoil() {
    installation(
        "rc",
        &[
            ("zbd/interp.zbd", "interp/rc_shape.zbd"),
            ("zbd/soundsH.zbd", "sounds/rc_cues_shape.zbd"),
            ("zbd/soundsM.zbd", "sounds/rc_zbd_soundsl.zbd"),
            ("zbd/m1/zrdr.zbd", "reader/rc_zbd_m1_zrdr.zbd"),
            ("zbd/m1/gamez.zbd", "gamez/rc_minimum.gamez.zbd"),
            ("zbd/m1/anim.zbd", "anim/rc_sequences.zbd"),
            ("zbd/m1/rtexture4.zbd", "textures/rc_card_shape.zbd"),
            ("zbd/m1/texture8.zbd", "textures/rc_software_shape.zbd"),
            ("maps/m2.zmap", "zmap/rc_maps_m2.zmap"),
            ("SavedGames/slot1.sav", "savegame/recoil.sav"),
        ],
        vec![
            ("video/intro_01.avi", film()),
            ("support/notes.gw", b"# loose\r\n".to_vec()),
        ],
    );
}

#[test]
fn a_folder_of_mechwarrior_3() {
    installation(
        "mw",
        &[
            ("mech3Msg.dll", "messages/mw_basic_en.dll"),
            ("DefaultCtlConfig.zrd", "zrd_text/DefaultCtlConfig.zrd"),
            ("zbd/interp.zbd", "interp/mw_zbd_interp.zbd"),
            ("zbd/c1/readerm1.zbd", "reader/mw_zbd_c1_readerm1.zbd"),
            ("zbd/soundsL.zbd", "sounds/mw_zbd_soundsL.zbd"),
            ("zbd/c1/gamez.zbd", "gamez/mw_base.gamez.zbd"),
            ("zbd/c1/anim.zbd", "anim/mw_values.zbd"),
            ("zbd/c1/rtexture.zbd", "textures/mw_kinds.zbd"),
            ("zbd/mechlib.zbd", "mechlib/mw_base.mechlib.zbd"),
            ("zbd/motion.zbd", "motion/motion_mw_plain.zbd"),
            ("pilots/one.mw3", "savegame/save_types.mw3"),
        ],
        vec![
            ("video/intro.avi", film()),
            ("video/stub.avi", b"ISc(\0\0\0\0".to_vec()),
            ("_sys1.cab", b"ISc(\x0c\0\0\x01".to_vec()),
        ],
    );
}

#[test]
fn a_folder_of_pirates_moon() {
    installation(
        "pm",
        &[
            ("mech3Msg.dll", "messages/pm_basic_fr.dll"),
            ("zbd/reader.zbd", "reader/pm_zbd_reader.zbd"),
            ("zbd/soundsL.zbd", "sounds/pm_zbd_soundsL.zbd"),
            ("zbd/c1/gamez.zbd", "gamez/pm_minimum.gamez.zbd"),
            ("zbd/c1/anim.zbd", "anim/pm_si_scripts.zbd"),
            ("zbd/c1/texture.zbd", "textures/pm_kinds.zbd"),
            ("zbd/mechlib.zbd", "mechlib/pm_twins.mechlib.zbd"),
            ("zbd/motion.zbd", "motion/pm_zbd_motion.zbd"),
        ],
        vec![("video/intro.avi", film())],
    );
}

#[test]
fn a_folder_of_crimson_skies() {
    let encrypted = [0x8f, 0x13, 0x77, 0x02, 0xe1].repeat(90);
    let bmp = [
        &b"BM"[..],
        &20u32.to_le_bytes(),
        &[0; 8],
        &40u32.to_le_bytes(),
        &[0; 2],
    ]
    .concat();
    let tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 32, 8];
    installation(
        "cs",
        &[
            ("strings.dll", "messages/cs_basic.dll"),
            ("GOSDATA/ASSETS/crimptch.rof", "rof/crimptch_shape.rof"),
            (
                "GOSDATA/ASSETS/BINARIES/langui.dll",
                "messages/res_langui_shape.dll",
            ),
            ("ZBD/interp.zbd", "interp/cs_mission_shape.zbd"),
            ("ZBD/planes.zbd", "planes/cs_planes_small.zbd"),
            ("ZBD/soundsh.zbd", "sounds/cs_soundsh_shape.zbd"),
            ("ZBD/soundsl.zbd", "sounds/cs_soundsl_shape.zbd"),
            ("ZBD/zrdr.zbd", "reader/cs_zbd_zrdr.zbd"),
            ("ZBD/C1/gamez.zbd", "gamez/cs_c1.gamez.zbd"),
            ("ZBD/C1/cam_anim.zbd", "anim/cs_c2_cam_anim.zbd"),
            ("ZBD/C1/texture.zbd", "textures/cs_software_shape.zbd"),
            ("ZBD/C1/rtexture8.zbd", "textures/cs_card_shape.zbd"),
            ("ZBD/C1/M01/mis_anim.zbd", "anim/cs_c1_m01_mis_anim.zbd"),
            ("ZBD/C1/M01/zrdr.zbd", "reader/cs_zbd_c1_m01_zrdr.zbd"),
            ("Planes/Blue Streak", "aircraft/Blue Streak"),
            (
                "SavedGames/Zachary/Status.dat",
                "savegame/crimson_status.dat",
            ),
            ("livery/STRIPE.BM", "livery/STRIPE.BM"),
        ],
        vec![
            ("crimson.icd", encrypted),
            ("dsetup32.dll", program()),
            ("SETUPENU.DLL", program()),
            ("00000409.256", bmp.clone()),
            ("00000409.016", bmp),
            ("crimsonff.ifr", vec![9, 0, 1, 255]),
            ("GOSDATA/ASSETS/GRAPHICS/arial8.tga", tga),
            (
                "GOSDATA/ASSETS/GRAPHICS/MPG/a.mpg",
                vec![0, 0, 1, 0xba, 0x21, 0, 1, 0, 1, 0x80, 0, 1],
            ),
            ("GOSDATA/ASSETS/BINARIES/roffile.dll", program()),
        ],
    );
}

/// Content of shipped files is never worse than unusual.
#[test]
fn files_shaped_like_real_ones_are_unusual_at_most() {
    use refit::{
        lint::Severity,
        pipeline::{self, Hints},
    };
    let mut judged = 0;
    for folder in [
        "aircraft", "interp", "livery", "messages", "reader", "rof", "sounds", "textures", "zmap",
    ] {
        for case in roundtrip_tests::golden(folder)
            .into_iter()
            .filter(|case| case.path.contains("_shape") || folder == "zmap")
        {
            let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
            for finding in pipeline::lint(&*opened.model).unwrap() {
                let printed = format!(
                    "{} {}: {}: {}",
                    finding.code, case.path, finding.path, finding.message
                );
                assert_eq!(finding.severity, Severity::Unusual, "{printed}");
            }
            judged += 1;
        }
    }
    assert!(judged > 15, "{judged}");
}
