//! What refit says: each message that once misled, and that no text of a file steers the terminal on which it is shown.

use assert_cmd::{Command, assert::Assert};
use refit::{
    pipeline::{self, Hints},
    tree::{DirSink, Folder, Sink, Source, Style},
};
use roundtrip_tests::*;
use serde_json::Value;
use std::{fs, path::Path, time::Duration};

const DEFINITION: &str = "defs/smoke_hover.json";

/// An animation definition with events.
fn animation(style: Style) -> Folder {
    unpack(&golden_file("anim", "mw_values.zbd"), Hints::default(), style)
}

/// Replaces the first `from` in a text file of a tree.
fn first(folder: &Folder, path: &str, from: &str, to: &str) {
    let text = folder.text(path);
    assert!(text.contains(from), "{from:?} must stand in {path}:\n{text}");
    folder.set(path, text.replacen(from, to, 1).into_bytes());
}

/// The error after one change of the definition.
fn wrong(from: &str, to: &str) -> String {
    let tree = animation(Style::Json);
    first(&tree, DEFINITION, from, to);
    repack_error(&tree)
}

/// Puts a tree on the disk.
fn on_disk(tree: &Folder, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let sink = DirSink::new(folder);
    for path in tree.paths() {
        sink.put(&path, &tree.get(&path).unwrap()).unwrap();
    }
}

fn refit(folder: &Path, arguments: &[&str]) -> Assert {
    let mut command = Command::new(program());
    command.current_dir(folder).env_remove("NO_COLOR").timeout(Duration::from_secs(120)).args(arguments).assert()
}

fn out(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn err(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

#[test]
fn a_byte_order_mark_does_no_harm_in_any_document() {
    for style in [Style::Json, Style::Ron] {
        let case = golden_file("anim", "mw_values.zbd");
        let tree = unpack(&case, Hints::default(), style);
        for path in [format!("refit.{}", style.ext()), format!("defs/smoke_hover.{}", style.ext())] {
            tree.set(&path, format!("\u{feff}{}", tree.text(&path)).into_bytes());
        }
        assert_bytes(&repack(&tree), &case.bytes);
    }
}

#[test]
fn a_vector_of_another_length_is_counted() {
    let error = wrong("[0.0, 0.0, 0.0]", "[0.0, 0.0, 0.0, 1.0]");
    assert!(error.starts_with(&format!("{DEFINITION}:34:")) && error.ends_with(": 4 numbers, 3 expected"), "{error}");
    let error = wrong("[0.0, 0.0, 0.0]", "[0.0, 0.0]");
    assert!(error.ends_with(": 2 values, 3 expected"), "{error}");
    let tree = animation(Style::Ron);
    first(&tree, "defs/smoke_hover.ron", "(0.0, 0.0, 0.0)", "(0.0, 0.0, 0.0, 1.0)");
    let error = repack_error(&tree);
    assert!(error.contains("smoke_hover.ron:") && error.contains("4 numbers, 3 expected"), "{error}");
}

#[test]
fn a_quote_that_is_missing_is_shown_where_it_should_be() {
    // The text that begins in column 21 of line 4 has no end.
    let error = wrong("\"smoke_hover\",\n", "\"smoke_hover,\n");
    assert!(error.starts_with(&format!("{DEFINITION}:4:21: the quote that opens here is not closed on its line")), "{error}");
    let error = wrong("\"smoke_hover\"", "\"smoke\thover\"");
    assert!(error.starts_with(&format!("{DEFINITION}:4:27: ")) && error.contains(r"\u0009"), "{error}");
}

#[test]
fn comments_are_called_comments() {
    for comment in ["// why", "# why", "/* why */"] {
        let error = wrong("\"health\": 1.0,", &format!("\"health\": 1.0, {comment}\n"));
        assert!(error.starts_with(&format!("{DEFINITION}:7:18: JSON has no comments")), "{error}");
    }
    assert!(wrong("\"health\": 1.0,", "'health': 1.0,").contains("double quotes"));
}

/// F19: an example that is wider than the help is broken in the middle of a sentence, and so is a paragraph that was broken by hand.
#[test]
fn help_has_lines_of_its_own_width() {
    let dir = tempfile::tempdir().unwrap();
    let help = out(&refit(dir.path(), &["--help"]).code(0));
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty())).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = out(&refit(dir.path(), &[name, "--help"]).code(0));
        let examples = help.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| !line.is_empty());
        for line in examples {
            assert!(["  refit ", "                    "].iter().any(|start| line.starts_with(start)), "{name}: {line:?}");
        }
        // A line of a paragraph ends before a word that has no room on it.
        for (line, next) in help.lines().zip(help.lines().skip(1)) {
            let prose = |line: &str| line.starts_with(|c: char| c.is_alphabetic()) && !line.ends_with(':');
            let word = next.split(' ').next().unwrap_or_default();
            let room = line.chars().count() + 1 + word.chars().count() <= 100;
            assert!(!(prose(line) && prose(next) && room && line.len() > 60), "{name}: {line:?} goes on with {next:?}");
        }
    }
}

/// F16: reader documents, which refit parses itself, say the same as the others.
#[test]
fn broken_documents_are_told_in_plain_words() {
    let case = golden_file("reader", "mw_zbd_c1_readerm1.zbd");
    let wrong = |path: &str, text: &str| {
        let tree = unpack(&case, Hints::default(), Style::Json);
        tree.set(path, text.as_bytes().to_vec());
        repack_error(&tree)
    };
    let document = "falcon0.zrd.json";
    let error = wrong(document, "[1, // why\n2]");
    assert!(error.starts_with(&format!("{document}:1:5: JSON has no comments")), "{error}");
    assert!(wrong(document, "['a']").starts_with(&format!("{document}:1:2: text is written in double quotes")));
    let error = wrong(document, "[\"KEYS, \"max\"]");
    assert!(
        error.starts_with(&format!("{document}:1:10: expected ',' or ']', found 'm'")) && error.contains("is a quote missing"),
        "{error}"
    );
    assert!(wrong(document, "[\"KEYS]\n").contains("the closing quote is missing on this line"));
    let manifest = unpack(&case, Hints::default(), Style::Json).text("refit.json");
    let error = wrong("refit.json", &manifest.replace("\"format\"", "\"game\": \"mech3\", \"format\""));
    assert!(error.contains("there is no value \"mech3\": expected one of `rc`"), "{error}");
    let error = wrong("refit.json", manifest.trim_end().trim_end_matches('}'));
    assert!(error.contains("the text ends here, but the '{' of line 1 is not closed"), "{error}");
    assert!(wrong("refit.json", "").contains("the text ends where a value is expected"));
}

#[test]
fn a_misspelt_word_is_answered_with_the_nearest_one_first() {
    let error = wrong("OBJECT_SCALE_STATE", "OBJECT_SCALE_STAT");
    assert!(error.contains("there is no field \"OBJECT_SCALE_STAT\": did you mean \"OBJECT_SCALE_STATE\"? (known: at, "), "{error}");
    let error = wrong("\"COLLIDE_HIT\"", "\"COLIDE_HIT\"");
    assert!(error.contains("there is no value \"COLIDE_HIT\": did you mean \"COLLIDE_HIT\"?"), "{error}");
    let error = wrong("\"activation\"", "\"activatoin\"");
    assert!(error.contains("did you mean \"activation\"?"), "{error}");
    // What is like nothing keeps the whole list.
    assert!(wrong("\"COLLIDE_HIT\"", "\"QUUX\"").contains("expected one of `WEAPON_HIT`, `COLLIDE_HIT`"));
    let world = unpack(&golden_file("gamez", "mw_base.gamez.zbd"), Hints::default(), Style::Json);
    first(&world, "materials.json", "\"DECAL\"", "\"DECLA\"");
    let error = repack_error(&world);
    assert!(error.contains("there is no flag \"DECLA\": did you mean \"DECAL\"?"), "{error}");
    let ron = animation(Style::Ron);
    first(&ron, "defs/smoke_hover.ron", "activation:", "activatoin:");
    assert!(repack_error(&ron).contains("did you mean \"activation\"?"), "{}", repack_error(&ron));
}

#[test]
fn a_reference_to_nothing_has_its_line_and_the_nearest_name() {
    let error = wrong("{ \"OBJECT_SCALE_STATE\": { \"node\": \"dish_ferry23\"", "{ \"OBJECT_SCALE_STATE\": { \"node\": \"dish_fery23\"");
    assert!(error.starts_with(&format!("{DEFINITION}:34:41: sequences[0]")), "{error}");
    assert!(error.contains("there is no node \"dish_fery23\": did you mean \"dish_ferry23\"?"), "{error}");
    let tree = animation(Style::Ron);
    let text = tree.text("defs/smoke_hover.ron");
    let at = text.find("node: \"dish_ferry23\"").unwrap();
    let line = text[..at].matches('\n').count() + 1;
    first(&tree, "defs/smoke_hover.ron", "node: \"dish_ferry23\"", "node: \"dish_fery23\"");
    let error = repack_error(&tree);
    assert!(error.starts_with(&format!("defs/smoke_hover.ron:{line}:")), "{error}");
}

#[test]
fn the_path_of_an_error_is_one_that_terminals_make_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let tree = animation(Style::Json);
    first(&tree, DEFINITION, "1.0,", "1.0;");
    on_disk(&tree, &dir.path().join("w"));
    let ran = refit(dir.path(), &["repack", "w", "-o", "x.zbd"]).code(1);
    assert!(err(&ran).starts_with(&format!("error: w/{DEFINITION}:7:16: ")), "{}", err(&ran));
    let ran = refit(dir.path(), &["repack", "w/", "-o", "x.zbd"]).code(1);
    assert!(err(&ran).starts_with(&format!("error: w/{DEFINITION}:7:16: ")), "{}", err(&ran));
    let row: Value = serde_json::from_str(out(&refit(dir.path(), &["repack", "w", "-o", "x.zbd", "--json"])).trim()).unwrap();
    assert!(row["error"].as_str().unwrap().starts_with(&format!("w/{DEFINITION}:7:16: ")), "{row}");
    // The name of a tree may be the beginning of a file's.
    on_disk(&tree, &dir.path().join("d"));
    let ran = refit(dir.path(), &["repack", "d", "-o", "x.zbd"]).code(1);
    assert!(err(&ran).starts_with(&format!("error: d/{DEFINITION}:7:16: ")), "{}", err(&ran));
}

#[test]
fn a_renamed_file_is_found_by_its_content_or_its_name() {
    let case = golden_file("anim", "mw_prereqs.zbd");
    let moved = |to: &str, change: bool| {
        let tree = unpack(&case, Hints::default(), Style::Json);
        let text = tree.text("defs/dust.json");
        assert!(tree.remove("defs/dust.json"));
        tree.set(to, if change { format!("{text}\n") } else { text }.into_bytes());
        repack_error(&tree)
    };
    let error = moved("defs/other.json", false);
    assert!(error.starts_with("defs/dust.json: the tree has no such file (defs/other.json has its content"), "{error}");
    for to in ["defs/Dust.json", "defs/dsut.json"] {
        let error = moved(to, true);
        assert!(error.contains(&format!("the manifest does not name {to}: did you mean that one?")), "{error}");
    }
    assert!(moved("notes.txt", true).contains("the manifest names it; restore the file"));
}

#[test]
fn a_picture_of_another_kind_is_called_by_its_name() {
    let tree = unpack(&golden_file("textures", "rc_palette_simple.zbd"), Hints::default(), Style::Json);
    for (bytes, kind) in
        [(&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], "JPEG"), (b"GIF89a", "GIF"), (b"BM12345678", "BMP"), (b"RIFF\0\0\0\0WEBPVP8 ", "WebP")]
    {
        tree.set("images/ps0.png", bytes.to_vec());
        let error = repack_error(&tree);
        assert!(error.starts_with("images/ps0.png: ") && error.contains(&format!(": this is a {kind} file, not a PNG file")), "{error}");
    }
    tree.set("images/ps0.png", b"text".to_vec());
    assert!(repack_error(&tree).contains("not a whole PNG file"));
}

/// A PNG with alpha, as an editor saves a cut-out picture.
fn transparent(width: u32, height: u32) -> Vec<u8> {
    with_alpha(width, height, 0)
}

/// The same, with this alpha in the first column.
fn with_alpha(width: u32, height: u32, alpha: u8) -> Vec<u8> {
    let crc = |bytes: &[u8]| crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(bytes);
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let body = [&kind[..], data].concat();
        [&(data.len() as u32).to_be_bytes()[..], &body, &crc(&body).to_be_bytes()].concat()
    };
    let row: Vec<u8> = std::iter::once(0).chain((0..width).flat_map(|x| [200, 100, 50, if x == 0 { alpha } else { 255 }])).collect();
    let rows: Vec<u8> = (0..height).flat_map(|_| row.clone()).collect();
    // zlib without compression: one stored block, and the sum.
    let (mut a, mut b) = (1u32, 0u32);
    for byte in &rows {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    let length = rows.len() as u16;
    let stream = [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &rows, &(b << 16 | a).to_be_bytes()].concat();
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &head), &chunk(b"IDAT", &stream), &chunk(b"IEND", &[])].concat()
}

#[test]
fn alpha_that_a_palette_image_cannot_hold_is_named_by_its_kind() {
    let tree = unpack(&golden_file("textures", "rc_palette_simple.zbd"), Hints::default(), Style::Json);
    tree.set("images/ps1.png", with_alpha(4, 4, 128));
    let (_, model) = pipeline::assemble(&tree).unwrap();
    let note =
        model.notes().iter().find(|note| note.contains("4 pixels are half transparent")).unwrap_or_else(|| panic!("{:?}", model.notes()));
    assert!(note.contains("the image's alpha is simple") && note.contains("\"alpha\": \"full\""), "{note}");
}

#[test]
fn a_picture_that_the_manifest_does_not_name_is_one_warning() {
    let dir = tempfile::tempdir().unwrap();
    let tree = unpack(&golden_file("textures", "rc_palette_simple.zbd"), Hints::default(), Style::Json);
    tree.set("images/new.png", transparent(4, 4));
    tree.set("stray.txt", b"x".to_vec());
    on_disk(&tree, &dir.path().join("t"));
    let said = err(&refit(dir.path(), &["repack", "t", "-o", "x.zbd"]).code(0));
    let about: Vec<&str> = said.lines().filter(|line| line.contains("new.png")).collect();
    assert!(about.len() == 1 && about[0].contains("to add it, add"), "{said}");
    assert!(said.contains("stray.txt: the manifest does not name it"), "{said}");
}

#[test]
fn a_misspelt_command_or_file_gets_a_proposal() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("readers.zbd"), b"x").unwrap();
    let said = |arguments: &[&str]| err(&refit(dir.path(), arguments).failure());
    assert!(
        said(&["unpak", "x"]).starts_with("error: unpak: no command or file is called so; did you mean \"unpack\"?"),
        "{}",
        said(&["unpak", "x"])
    );
    assert!(said(&["reader.zbd"]).contains("did you mean \"readers.zbd\"?"), "{}", said(&["reader.zbd"]));
    assert!(said(&["quux"]).contains("no command or file is called so (`refit --help` lists the commands)"), "{}", said(&["quux"]));
    assert!(said(&["schema", "motoin"]).contains("did you mean \"motion\"?"));
    assert!(said(&["man", "unpak"]).contains("did you mean \"unpack\"?"));
    assert!(said(&["lint", "--explain", "od-value"]).contains("did you mean \"odd-value\"?"));
    fs::write(dir.path().join("a.zbd"), by_hand::archive(&[by_hand::member("quartz0.zrd", &by_hand::int(1))], false, None)).unwrap();
    assert!(said(&["get", "a.zbd", "quatrz0.zrd"]).contains("did you mean \"quartz0.zrd\"?"));
}

#[test]
fn no_finding_shows_how_a_value_stands_in_memory() {
    let world = unpack(&golden_file("gamez", "mw_tight.gamez.zbd"), Hints::default(), Style::Json);
    let path = world.paths().into_iter().find(|path| path.starts_with("models/0001")).unwrap();
    let mut model: Value = serde_json::from_str(&world.text(&path)).unwrap();
    model["polygons"][0]["vertices"][0] = 900.into();
    model["polygons"][0]["material"] = 3600.into();
    world.set(&path, model.to_string().into_bytes());
    let found: Vec<String> =
        pipeline::lint(&*pipeline::assemble(&world).unwrap().1).unwrap().into_iter().map(|finding| finding.message).collect();
    assert!(found.iter().any(|message| message.starts_with("vertex 900 of ")), "{found:?}");
    assert!(found.iter().any(|message| message.starts_with("material 3600 of ") && !message.contains('(')), "{found:?}");
    for case in folders("golden").iter().flat_map(|folder| listed(folder)) {
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        for finding in pipeline::lint(&*opened.model).unwrap() {
            let shown = format!("{}: {}", finding.path, finding.message);
            assert!(!["Some(", "None", "Usual(", "Odd("].iter().any(|word| shown.contains(word)), "{}: {shown}", case.path);
        }
    }
}

#[test]
fn members_of_one_name_are_told_apart_by_their_numbers() {
    let value = by_hand::int(1);
    let names = ["quartz0.zrd", "other.zrd", "Quartz0.zrd", "quartz0.zrd"];
    let members: Vec<_> = names.iter().map(|name| by_hand::member(name, &value)).collect();
    let file = by_hand::archive(&members, false, None);
    let opened = pipeline::open(&file.into(), "reader.zbd", Hints::default()).unwrap();
    let found = pipeline::lint(&*opened.model).unwrap();
    let twins: Vec<_> =
        found.iter().filter(|finding| finding.code == "archive-shadowed").map(|f| (f.path.as_str(), f.message.as_str())).collect();
    let said = "member #0 has the same name";
    assert_eq!(twins, [("#2 Quartz0.zrd", said), ("#3 quartz0.zrd", said)]);
}

#[test]
fn a_manifest_with_the_wrong_game_is_told_so() {
    let tree = unpack(&golden_file("anim", "pm_si_scripts.zbd"), Hints::default(), Style::Json);
    edit(&tree, "refit.json", "\"game\": \"pm\"", "\"game\": \"mw\"");
    let error = repack_error(&tree);
    assert!(error.starts_with("refit.json:5:11: game: the manifest says \"mw\", but the documents are of \"pm\""), "{error}");
    let tree = unpack(&golden_file("gamez", "mw_base.gamez.zbd"), Hints::default(), Style::Ron);
    let text = tree.text("refit.ron");
    tree.set("refit.ron", text.replacen("game: mw", "game: pm", 1).into_bytes());
    let error = repack_error(&tree);
    assert!(error.starts_with("refit.ron:") && error.contains("the manifest says \"pm\", but the documents are of \"mw\""), "{error}");
    // Another fault is no matter of the game.
    assert!(!wrong("dish_ferry23\", \"state\"", "nothing\", \"state\"").contains("the manifest says"));
}

/// Where the documents fit both games nothing is wrong with the tree, and the file is one for the other game.
#[test]
fn another_game_that_fits_as_well_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let say = "the manifest says \"game\": \"pm\", but the tree was made of a file of MechWarrior 3";
    let write = |name: &str, golden: &str| {
        fs::write(dir.path().join(name), golden_file(name.strip_suffix(".zbd").unwrap(), golden).bytes).unwrap();
    };
    let edits = [
        ("reader.zbd", "mw_zbd_c1_readerm1.zbd", "falcon0.zrd.json", "[1]"),
        ("motion.zbd", "motion_mw_plain.zbd", "m1_walk.json", r#"{ "loop_time": 0.5, "parts": [] }"#),
    ];
    for (name, golden, member, text) in edits {
        write(name, golden);
        refit(dir.path(), &["unpack", name, "-o", "tree"]).success();
        fs::write(dir.path().join("tree").join(member), text).unwrap();
        let manifest = dir.path().join("tree/refit.json");
        let text = fs::read_to_string(&manifest).unwrap();
        let other = text.replacen("\"game\": \"mw\"", "\"game\": \"pm\"", 1);
        assert_ne!(other, text);
        fs::write(&manifest, &other).unwrap();
        let told = err(&refit(dir.path(), &["repack", "tree", "-o", "new.zbd", "--force"]));
        assert!(told.contains(say) && told.contains("write \"mw\" again"), "{name}: {told}");
        let told = err(&refit(dir.path(), &["lint", "tree", "--new"]));
        assert!(told.contains(say), "{name}: {told}");
        // With line ends of Windows, and where the file is gone.
        fs::write(&manifest, other.replace('\n', "\r\n")).unwrap();
        fs::remove_file(dir.path().join(name)).unwrap();
        let told = err(&refit(dir.path(), &["repack", "tree", "-o", "new.zbd", "--force"]));
        assert!(told.contains(say), "{name}: {told}");
        fs::remove_dir_all(dir.path().join("tree")).unwrap();
    }
    // Whoever chose the game himself is not told so.
    write("reader.zbd", "mw_zbd_c1_readerm1.zbd");
    refit(dir.path(), &["unpack", "reader.zbd", "-o", "tree", "--game", "pm"]).success();
    fs::write(dir.path().join("tree/falcon0.zrd.json"), "[1]").unwrap();
    assert_eq!(err(&refit(dir.path(), &["repack", "tree", "-o", "new.zbd", "--force"]).success()), "");
}

#[test]
fn a_format_without_views_says_which_have_some() {
    for (format, name) in [("reader", "pm_zbd_reader.zbd"), ("anim", "mw_values.zbd"), ("interp", "mw_zbd_interp.zbd")] {
        let case = golden_file(format, name);
        let opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        let error = refit::gltf::export(&*opened.model, &[], &Folder::new()).unwrap_err().to_string();
        for word in ["gamez", "mechlib", "texture", "message", "sounds as PCM", "refit unpack", "WAV"] {
            assert!(error.contains(word), "{format}: {error}");
        }
    }
}

/// What a hostile file would like to be shown: a forged line, hidden text, other colours, text from right to left.
const FORGED: &str = "\n\u{1b}[8mexact  game.zbd (mw reader)\u{7f}\u{9b}31m\u{202e}";

/// Holds what was printed against what may be: no control character but refit's own line ends and colours, and no forged line.
fn assert_harmless(shown: &str, what: &str) {
    let mut rest = shown.to_owned();
    for code in ["1;31", "33", "32", "1", "2", "0"] {
        rest = rest.replace(&format!("\u{1b}[{code}m"), "");
    }
    let steered: Vec<char> = rest.chars().filter(|c| refit::wire::steers(*c) && *c != '\n').collect();
    assert!(steered.is_empty(), "{what}: {steered:?} in {shown:?}");
    assert!(!rest.lines().any(|line| line.starts_with("exact  game.zbd") || line.starts_with("\\u{1b}[8mexact")), "{what}: {shown}");
}

#[test]
fn no_text_of_a_file_steers_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let archive =
        by_hand::archive(&[by_hand::member(FORGED, b"raw bytes"), by_hand::member("b\x1b]0;title\x07.zrd", &by_hand::int(1))], false, None);
    fs::write(dir.path().join("r.zbd"), &archive).unwrap();
    refit(dir.path(), &["unpack", "r.zbd"]).code(0);
    // A manifest of a stranger.
    let manifest = dir.path().join("r/refit.json");
    let mut document: Value = serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    document["members"][0]["file"] = FORGED.into();
    document["source"]["file"] = format!("x{FORGED}.zbd").into();
    fs::write(&manifest, document.to_string()).unwrap();
    fs::create_dir(dir.path().join("bad")).unwrap();
    fs::write(dir.path().join("bad/refit.json"), document.to_string().replacen("\"reader\"", &Value::from(FORGED).to_string(), 1)).unwrap();
    let lines: [&[&str]; 12] = [
        &["verify", "r.zbd"],
        &["info", "r.zbd"],
        &["info", "-v", "r.zbd"],
        &["list", "r.zbd"],
        &["lint", "--all", "r.zbd"],
        &["repack", "r"],
        &["repack", "r", "-o", "out.zbd"],
        &["repack", "bad"],
        &["status", "r", "bad"],
        &["lint", "r", "bad"],
        &["get", "r.zbd", "nothing"],
        &["get", "r.zbd", FORGED, "-o", "got"],
    ];
    for line in lines {
        for more in [&[][..], &["--color", "never"], &["--color", "always"], &["--json"]] {
            let ran = refit(dir.path(), &[line, more].concat());
            assert_harmless(&out(&ran), &format!("{line:?} {more:?}"));
            assert_harmless(&err(&ran), &format!("{line:?} {more:?}"));
            if more == ["--json"] && line[0] != "get" {
                out(&ran)
                    .lines()
                    .for_each(|row| drop(serde_json::from_str::<Value>(row).unwrap_or_else(|e| panic!("{line:?}: {e}: {row}"))));
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn no_name_of_a_file_steers_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let case = golden_file("reader", "reader_ints.zbd");
    let name = format!("a{FORGED}.zbd");
    fs::write(dir.path().join(&name), &case.bytes).unwrap();
    fs::write(dir.path().join(format!("--{FORGED}")), b"x").unwrap();
    fs::write(dir.path().join(format!("no{FORGED}.zbd")), b"nothing").unwrap();
    let tree = format!("a{FORGED}");
    let lines: [&[&str]; 13] = [
        &["verify", "."],
        &["verify", "-v", "."],
        &["info", "."],
        &["lint", "."],
        &["unpack", &name],
        &["status", &tree],
        &["repack", &tree],
        &["repack", &tree, "--force"],
        &["restore", "."],
        &["list", &name],
        &["export", &name, "-o", "view"],
        &[&format!("--{FORGED}")],
        &[&format!("missing{FORGED}")],
    ];
    for line in lines {
        for more in [&[][..], &["--color", "never"], &["--color", "always"], &["--json"]] {
            let ran = refit(dir.path(), &[line, more].concat());
            assert_harmless(&out(&ran), &format!("{line:?} {more:?}"));
            assert_harmless(&err(&ran), &format!("{line:?} {more:?}"));
        }
    }
    // JSON gives the name itself.
    let rows = out(&refit(dir.path(), &["verify", &name, "--json"]).code(0));
    let row: Value = serde_json::from_str(rows.trim()).unwrap();
    assert_eq!(row["path"], name.as_str());
    assert!(rows.contains("\\u007f\\u009b") && rows.contains("\\u202e"), "{rows}");
}
