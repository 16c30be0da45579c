//! Every change of a world in every place where a world may be: a file, a lone tree, a tree of a
//! project by its path, by the short name of its mission, and a project with one world. The result
//! is that of the file, or a clear refusal.

use roundtrip_tests::{
    process::{copy_folder, err, refit, run, words},
    root,
};
use std::{fs, path::Path};

/// The places: how the user names the world, and how its file is made of it.
const PLACES: [(&str, &str, &str); 5] = [
    ("file", "world.zbd", ""),
    ("lone tree", "tree", "repack tree -o world.zbd --force"),
    (
        "tree of a project",
        "project/zbd/m1/gamez.zbd",
        "repack project/zbd/m1/gamez.zbd -o world.zbd --force",
    ),
    (
        "mission of a project",
        "project/m1",
        "repack project/zbd/m1/gamez.zbd -o world.zbd --force",
    ),
    (
        "project",
        "project",
        "repack project/zbd/m1/gamez.zbd -o world.zbd --force",
    ),
];

/// The changes, one after another: each works on what the ones before it left. `WORLD` is the
/// world.
const VERBS: [&str; 27] = [
    "world add WORLD docs/example/models/tower.gltf --at 40,0,40",
    "world rename WORLD tower castle",
    "world add WORLD docs/example/models/tower.gltf --under castle --at 1,0,1",
    "world copy WORLD castle --at 100,0,100 --name second",
    "world move WORLD second --by 5,0,0 --turn 90",
    "world rename WORLD second third",
    "world reparent WORLD third castle",
    "world reparent WORLD castle third",
    "world reparent WORLD third camera1",
    "world reparent WORLD third world1",
    "world reparent WORLD third door01 --local",
    "world reparent WORLD third world1 --local",
    "world copy WORLD castle --under third",
    "world ground WORLD docs/example/models/hills.gltf",
    "world ground WORLD docs/example/models/hills.gltf",
    "world copy WORLD frame --from other.zbd --name foreign",
    "world remove WORLD foreign",
    "world remove WORLD third",
    "world remove WORLD third",
    "world add WORLD docs/example/models/tower.gltf --at 60,0,60",
    "import docs/example/models/tower.gltf --into WORLD --under castle",
    "put WORLD world moved.glb",
    "world rename WORLD castle ''",
    "world remove WORLD tower",
    "world remove WORLD frame --force",
    "world remove WORLD castle",
    "put WORLD textures textures.json",
];

fn fresh(dir: &Path) {
    copy_folder(&root().join("docs/example"), &dir.join("docs/example"));
    fs::copy(
        root().join("docs/example/recoil/zbd/m1/gamez.zbd"),
        dir.join("world.zbd"),
    )
    .unwrap();
    fs::copy(
        root().join("docs/example/recoil/zbd/m1/gamez.zbd"),
        dir.join("other.zbd"),
    )
    .unwrap();
    run(dir, "unpack world.zbd -o tree --quiet").code(0);
    run(dir, "unpack docs/example/recoil -o project --quiet").code(0);
    run(
        dir,
        "world add other.zbd docs/example/models/tower.gltf --at 50,0,50 --quiet",
    )
    .code(0);
    run(dir, "get other.zbd world -o moved.glb --quiet").code(0);
    run(dir, "get other.zbd textures -o textures.json --quiet").code(0);
}

/// What a change printed, without the name of its place.
fn said(text: &str, place: &str) -> Vec<String> {
    let whole = if place.starts_with("project") {
        "project/zbd/m1/gamez.zbd"
    } else {
        place
    };
    let plain = |line: &str| line.replace(whole, "WORLD").replace(place, "WORLD");
    let mut lines: Vec<String> = text.lines().map(plain).collect();
    lines.retain(|line| !line.contains("is kept as"));
    lines.sort();
    lines
}

#[test]
fn every_change_of_a_world_works_everywhere_as_in_a_file() {
    let dirs: Vec<tempfile::TempDir> = PLACES
        .iter()
        .map(|_| {
            let dir = tempfile::tempdir().unwrap();
            fresh(dir.path());
            dir
        })
        .collect();
    let mut refused = Vec::new();
    for verb in VERBS {
        let mut of_file = None;
        for ((place, world, repack), dir) in PLACES.iter().zip(&dirs) {
            let dir = dir.path();
            let done = refit(dir)
                .args(words(&verb.replace("WORLD", world)).unwrap())
                .output()
                .unwrap();
            let code = done.status.code();
            let text = String::from_utf8_lossy(&done.stderr);
            if verb.ends_with("textures.json") && !repack.is_empty() {
                // A project is several files. (The member table compares what `put` makes of trees.)
                let is_tree = place.contains("tree");
                assert_eq!(code == Some(1), !is_tree, "{verb} in {place}: {text}");
                assert!(
                    is_tree || text.starts_with("error: ") && text.contains(world),
                    "{verb} in {place}: {text}"
                );
                continue;
            }
            assert!(matches!(code, Some(0 | 1 | 3)), "{verb} in {place}: {text}");
            if code != Some(1) && !repack.is_empty() {
                let again = run(dir, repack).get_output().clone();
                let text = String::from_utf8_lossy(&again.stderr);
                assert!(
                    matches!(again.status.code(), Some(0 | 3)),
                    "{verb} in {place}: {text}"
                );
            }
            let bytes = fs::read(dir.join("world.zbd")).unwrap();
            // Findings name the document in a tree.
            let errors: Vec<String> = said(&text, world)
                .into_iter()
                .filter(|line| line.starts_with("error"))
                .collect();
            let codes: Vec<String> = text
                .lines()
                .filter_map(|line| Some(line.rsplit_once(" [")?.1.trim_end_matches(']').to_owned()))
                .collect();
            match &of_file {
                None => of_file = Some((code, errors, codes, bytes)),
                Some((expected, said_of_file, found_of_file, file)) => {
                    assert_eq!(code, *expected, "{verb} in {place}: {text}");
                    assert_eq!(&errors, said_of_file, "{verb} in {place}");
                    assert_eq!(&codes, found_of_file, "{verb} in {place}");
                    assert!(
                        bytes == *file,
                        "{verb} in {place}: another file than in a file"
                    );
                }
            }
        }
        refused.extend(of_file.filter(|(code, ..)| *code == Some(1)).map(|_| verb));
    }
    // It is below itself, a camera has no children, it is gone already, nothing is called that, and
    // two nodes are.
    assert_eq!(
        refused,
        [
            "world reparent WORLD castle third",
            "world reparent WORLD third camera1",
            "world remove WORLD third",
            "world rename WORLD castle ''",
            "world remove WORLD tower"
        ]
    );
}

/// A name that other files of the game use is neither renamed nor removed, wherever the world is
/// named; a file outside of any game is only compared with the files beside it.
#[test]
fn names_that_the_game_uses_stay_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fresh(dir);
    copy_folder(&dir.join("docs/example/recoil"), &dir.join("game"));
    let worlds = [
        "game/zbd/m1/gamez.zbd",
        "game",
        "project",
        "project/m1",
        "project/zbd/m1/gamez.zbd",
    ];
    for world in worlds {
        for verb in [
            "rename WORLD door01 x",
            "remove WORLD door01",
            "rename WORLD wall x",
            "remove WORLD wall",
        ] {
            let said = err(&run(dir, &format!("world {}", verb.replace("WORLD", world))).code(1));
            let by = if verb.contains("wall") {
                "zbd/interp.zbd: wall"
            } else {
                "zbd/m1/anim.zbd: door01"
            };
            assert!(said.contains(by), "{verb} of {world}: {said}");
        }
    }
    run(dir, "world rename world.zbd wall x").code(0);
    run(dir, "world rename tree wall x").code(0);
    // By force, `lint` and `refs` know the node as little as the game does.
    run(dir, "world remove game door01 --force").code(0);
    let found = roundtrip_tests::process::out(&run(dir, "lint game").code(3));
    assert!(found.contains("refuses [anim-node-missing]"), "{found}");
    let uses = roundtrip_tests::process::out(&run(dir, "refs door01 game").code(0));
    assert!(!uses.contains("defines"), "{uses}");
}

/// Members in every place: a file, its lone tree, its tree in a project, and the project, which is
/// several files and is refused by name. `FILE` is the place; after each verb the tree gives the
/// same file.
#[test]
fn every_change_of_a_member_works_everywhere_as_in_a_file() {
    let verbs = |kind: &str| -> &'static [&'static str] {
        match kind {
            "zrdr" => &[
                "add FILE extra.zrd new.json",
                "add FILE extra.zrd new.json",
                "edit FILE sounds.zrd --editor 'cp other.json'",
                "edit FILE sounds.zrd --editor 'cp broken.json'",
                "edit FILE none.zrd --editor true",
                "put FILE third.zrd new.json --new",
                "put FILE sounds.zrd new.json",
            ],
            "rtexture4" => &[
                "add FILE extra new.png",
                "edit FILE bark --editor 'cp new.png'",
                "put --family . new.png bark",
                "put FILE bark new.png",
            ],
            _ => &[
                "add FILE docs/extra.sqf new.sqf",
                "add FILE big_co.paa new.png",
                "edit FILE docs/extra.sqf --editor 'cp other.sqf'",
                "put FILE docs/extra.sqf new.sqf",
            ],
        }
    };
    for (kind, file) in [
        ("zrdr", "docs/example/recoil/zbd/zrdr.zbd"),
        ("rtexture4", "docs/example/recoil/zbd/m1/rtexture4.zbd"),
        ("signed", "golden/pbo/signed.pbo"),
    ] {
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        let in_project = format!("project/zbd/{name}");
        let places = [
            ("file", name.to_owned()),
            ("lone tree", "tree".to_owned()),
            ("tree of a project", in_project.clone()),
            ("project", "project".to_owned()),
        ];
        let dirs = places.each_ref().map(|(place, _)| {
            let dir = tempfile::tempdir().unwrap();
            let at = dir.path();
            fs::copy(root().join(file), at.join(name)).unwrap();
            match *place {
                "file" => {}
                "lone tree" => _ = run(at, &format!("unpack {name} -o tree -q")).code(0),
                _ => {
                    fs::create_dir_all(at.join("game/zbd")).unwrap();
                    fs::copy(root().join(file), at.join("game/zbd").join(name)).unwrap();
                    run(at, "unpack game -o project -q").code(0);
                }
            }
            let picture = root().join("docs/example/recoil/zbd/m1/rtexture4.zbd");
            fs::copy(picture, at.join("pictures.zbd")).unwrap();
            run(at, "get pictures.zbd bark -o new.png -q").code(0);
            fs::remove_file(at.join("pictures.zbd")).unwrap();
            for (file, text) in [
                ("new.json", "[[\"a\", 1]]\n"),
                ("other.json", "[[\"b\", 2]]\n"),
                ("broken.json", "[[\"b\"\n"),
                ("new.sqf", "x = 1;\n"),
                ("other.sqf", "x = 2;\n"),
            ] {
                fs::write(at.join(file), text).unwrap();
            }
            dir
        });
        for verb in verbs(kind) {
            let mut of_file = None;
            for ((place, path), dir) in places.iter().zip(&dirs) {
                let at = dir.path();
                let line = verb.replace("FILE", path);
                let done = refit(at)
                    .args(words(&line).unwrap())
                    .env("TMPDIR", at)
                    .output()
                    .unwrap();
                let (code, text) = (done.status.code(), String::from_utf8_lossy(&done.stderr));
                if *place == "project" && !verb.contains("--family") {
                    assert_eq!(code, Some(1), "{line}: {text}");
                    assert!(text.contains("project"), "{line}: {text}");
                    continue;
                }
                let tree = if *place == "project" {
                    &in_project
                } else {
                    path
                };
                if *place != "file" {
                    run(at, &format!("repack {tree} -o {name} --force -q"));
                }
                let codes: Vec<String> = text
                    .lines()
                    .filter_map(|line| Some(line.rsplit_once(" [")?.1.to_owned()))
                    .collect();
                let bytes = fs::read(at.join(name)).unwrap();
                match &of_file {
                    None => of_file = Some((code, codes, bytes)),
                    Some((expected, found, expected_bytes)) => {
                        assert_eq!(code, *expected, "{line} in {place}: {text}");
                        assert_eq!(codes, *found, "{line} in {place}: {text}");
                        // The project did not take the changes before.
                        let same = *place == "project" || bytes == *expected_bytes;
                        assert!(same, "{line} in {place}: another file");
                    }
                }
            }
        }
    }
}
