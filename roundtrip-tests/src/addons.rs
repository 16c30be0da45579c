//! The sources of a mod: a project of 40 addons with macros of three levels and 300 pictures.

use crate::by_hand::png;
use std::{fs, path::Path};

/// How many addons the project has.
pub const ADDONS: usize = 40;
/// How many pictures they have together.
pub const PICTURES: usize = 300;
/// The kinds of textures, by the ends of their names.
const KINDS: [&str; 6] = ["co", "ca", "nohq", "smdi", "as", "mc"];

fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder is made");
    fs::write(path, text).expect("a file is written");
}

/// A picture that no other one equals.
pub fn picture(n: usize) -> Vec<u8> {
    let pixel = |i: usize| {
        let (x, y) = (i % 32, i / 32);
        [(x * 8 + n) as u8, (y * 8) as u8, (x ^ y ^ n) as u8, 255]
    };
    png(32, &(0..32 * 32).map(pixel).collect::<Vec<_>>())
}

/// Writes the project: `main` has the macros, every other addon includes them.
pub fn project(root: &Path) {
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
