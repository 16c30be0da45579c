//! A mod from its sources: a project of 40 addons with macros of three levels and 300 pictures.

use roundtrip_tests::{
    by_hand::png,
    process::{copy_folder, names, out, run},
};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// How many addons the project has, and how many pictures.
const ADDONS: usize = 40;
const PICTURES: usize = 300;
/// The kinds of textures, by the ends of their names.
const KINDS: [&str; 6] = ["co", "ca", "nohq", "smdi", "as", "mc"];

fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A picture that no other one equals.
fn picture(n: usize) -> Vec<u8> {
    let pixel = |i: usize| {
        let (x, y) = (i % 32, i / 32);
        [(x * 8 + n) as u8, (y * 8) as u8, (x ^ y ^ n) as u8, 255]
    };
    png(32, &(0..32 * 32).map(pixel).collect::<Vec<_>>())
}

/// Writes the project: `main` has the macros, every other addon includes them.
fn project(root: &Path) {
    write(
        root,
        ".hemtt/project.toml",
        "name = \"Large\"\nprefix = \"big\"\nmainprefix = \"x\"\n",
    );
    write(
        root,
        "include/x/other/addons/main/macros.hpp",
        "#define DOUBLES(a,b) a##_##b\n#define TRIPLES(a,b,c) a##_##b##_##c\n#define QUOTE(a) #a\n",
    );
    write(
        root,
        "addons/main/script_macros.hpp",
        "#include \"\\x\\other\\addons\\main\\macros.hpp\"\n#define PREFIX big\n\
        #define ADDON DOUBLES(PREFIX,COMPONENT)\n#define GVAR(a) DOUBLES(ADDON,a)\n\
        #define QGVAR(a) QUOTE(GVAR(a))\n#define PATH(a) QUOTE(\\x\\PREFIX\\addons\\COMPONENT\\a)\n",
    );
    for n in 0..ADDONS {
        let name = match n {
            0 => "main".to_owned(),
            n => format!("part{n:02}"),
        };
        let (mut classes, mut first) = (String::new(), String::new());
        for i in (n..PICTURES).step_by(ADDONS) {
            let kind = KINDS[i % KINDS.len()];
            write(
                root,
                &format!("addons/{name}/data/p{i}_{kind}.png"),
                picture(i),
            );
            first = format!("data\\p{i}_{kind}.paa");
            classes += &format!(
                "class GVAR(v{i}): House {{ texture = PATH({first}); event = QUOTE(\\\n \
                [_this] call FUNC;\\\n ); }};\n"
            );
        }
        write(
            root,
            &format!("addons/{name}/data/one.rvmat"),
            format!("class Stage1 {{ texture = \"x\\big\\addons\\{name}\\{first}\"; }};\n"),
        );
        write(
            root,
            &format!("addons/{name}/script_component.hpp"),
            format!(
                "#define COMPONENT {name}\n#include \"\\x\\big\\addons\\main\\script_macros.hpp\"\n"
            ),
        );
        let requires = if n == 0 { "" } else { "\"big_main\"" };
        write(
            root,
            &format!("addons/{name}/config.cpp"),
            format!(
                "#include \"script_component.hpp\"\nclass CfgPatches {{ class ADDON {{ name = \
                QGVAR(name); units[] = {{}}; weapons[] = {{}}; requiredAddons[] = {{{requires}}}; }}; \
                }};\nclass CfgVehicles {{\nclass House;\n{classes}}};\n"
            ),
        );
        write(root, &format!("addons/{name}/fnc_a.sqf"), "hint \"a\";\n");
    }
}

/// All files of a folder with their contents.
fn contents(root: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let bytes = fs::read(root.join(&name)).unwrap();
        (name, bytes)
    };
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        for name in names(&root.join(&folder)) {
            let path = match &*folder {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            match root.join(&path).is_dir() {
                true => open.push(path),
                false => found.push(read(path)),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_large_project_is_built_once() {
    let dir = tempfile::tempdir().unwrap();
    project(&dir.path().join("p"));
    copy_folder(&dir.path().join("p"), &dir.path().join("other/q"));
    run(dir.path(), "key new -q me").success();
    let build = |line: &str| {
        let start = Instant::now();
        let done = run(dir.path(), line).success();
        (start.elapsed(), out(&done))
    };
    let (first, text) = build("build p -o m --key me.biprivatekey --check m/keys");
    assert!(
        text.contains("m: 40 addons, 40 built, 0 up to date; 40 signed"),
        "{text}"
    );
    assert!(
        text.contains("a server with 1 key accepts 40 of 40 archives"),
        "{text}"
    );
    let made = contents(&dir.path().join("m"));
    let textures = made
        .iter()
        .filter(|(name, _)| name.ends_with(".pbo"))
        .map(|(name, _)| out(&run(&dir.path().join("m"), &format!("list {name}")).success()))
        .map(|list| list.lines().filter(|line| line.contains(".paa ")).count());
    assert_eq!(textures.sum::<usize>(), PICTURES);
    // The sources are older than the sums by then.
    std::thread::sleep(Duration::from_secs(2));
    let again = (0..3).map(|_| build("build p -o m --key me.biprivatekey"));
    let (second, text) = again.min_by_key(|(took, _)| *took).unwrap();
    assert!(
        text.contains("m: 40 addons, 0 built, 40 up to date; 40 signed"),
        "{text}"
    );
    assert!(contents(&dir.path().join("m")) == made);
    assert!(second * 10 < first, "{second:?} after {first:?}");
    // The same bytes in another place.
    build("build other/q -o other/m --key me.biprivatekey -q");
    assert!(contents(&dir.path().join("other/m")) == made);
    // One picture is one archive.
    fs::write(
        dir.path().join("p/addons/part07/data/p7_ca.png"),
        picture(1000),
    )
    .unwrap();
    let (_, text) = build("build p -o m --key me.biprivatekey");
    assert!(text.contains("40 addons, 1 built, 39 up to date"), "{text}");
    let changed = contents(&dir.path().join("m"));
    let differ: Vec<&str> = changed
        .iter()
        .zip(&made)
        .filter(|(new, old)| new != old)
        .map(|(new, _)| &*new.0)
        .collect();
    assert_eq!(
        differ,
        ["addons/big_part07.pbo", "addons/big_part07.pbo.me.bisign"]
    );
}
