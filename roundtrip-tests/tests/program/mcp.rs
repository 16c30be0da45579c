//! `refit mcp`: what an agent does is what the commands do, and it stays in the named folders.

use roundtrip_tests::{
    mcp::{Client, PAGE, random_calls},
    process::{copy_folder, err, link, out, program, run, snapshot},
    root,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

const READER: &str = "zbd/zrdr.zbd";
const SOUNDS: &str = "sounds.zrd.json";
const VOLUME: &str = "SAMPLES › creak › [3]";
const WORLD: &str = "zbd/m1/gamez.zbd";

/// The game of the book in `game`, an empty folder `work`, and a file beside them.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    copy_folder(
        &root().join("docs/example/recoil"),
        &place.path().join("game"),
    );
    fs::create_dir(place.path().join("work")).unwrap();
    fs::create_dir(place.path().join("outside")).unwrap();
    fs::write(place.path().join("outside/secret.txt"), "secret").unwrap();
    place
}

/// A server for both folders, with a project in `work/mod`.
fn begun(place: &Path) -> Client {
    let mut client = Client::start(place, &["game", "work"], &[]).unwrap();
    let begun = client.call("begin", json!({ "game": "game", "project": "work/mod" }));
    assert_eq!(begun["project"], "mod");
    client
}

fn set(value: f64) -> Value {
    json!({ "file": READER, "part": SOUNDS, "path": VOLUME, "value": value })
}

/// The files of a project that belong to its trees and to the journal.
fn documents(project: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = snapshot(project);
    all.retain(|(file, _)| !file.starts_with(".refit/") && file != "refit.json");
    all
}

/// Nothing but the protocol comes out, whatever comes in, and the program ends with its input.
#[test]
fn lines_in_and_lines_out() {
    let place = place();
    let mut child = Command::new(program())
        .current_dir(place.path())
        .args(["mcp", "game"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "not JSON",
        r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list","arguments":{}}}"#,
    ];
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.join("\n").as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty());
    let text = String::from_utf8(done.stdout).unwrap();
    let answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 5, "{text}");
    let with = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(with(json!(1))["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(with(Value::Null)["error"]["code"], -32700);
    assert_eq!(with(json!(2))["error"]["code"], -32601);
    let tools = with(json!("list"))["result"]["tools"].as_array().unwrap();
    assert!(
        tools.len() > 30
            && tools
                .iter()
                .all(|tool| tool["inputSchema"]["type"] == "object")
    );
    let page = fs::read_to_string(root().join("docs/agents.md")).unwrap();
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        assert!(
            page.contains(&format!("`{name}`")),
            "docs/agents.md does not name {name}"
        );
    }
    let listed = with(json!(3))["result"]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(listed.contains("zbd/m1/gamez.zbd"), "{listed}");
}

/// Each tool that looks answers for the game of the book, and a long answer comes in pages.
#[test]
fn tools_look_at_a_game() {
    let place = place();
    let before = snapshot(place.path());
    let mut client = Client::start(place.path(), &["game"], &["--read-only"]).unwrap();
    assert_eq!(
        client.call("folders", json!({}))["rows"][0]["folder"],
        "game"
    );
    let files = client.call("list", json!({ "under": "zbd/m1" }));
    assert_eq!(
        (&files["game"], files["rows"].as_array().unwrap().len()),
        (&json!("rc"), 4)
    );
    let info = client.call("info", json!({ "file": READER }));
    assert!(
        info["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["name"] == "sounds.zrd")
    );
    let parts = client.call("parts", json!({ "file": WORLD, "under": "nodes" }));
    let part = parts["rows"][0]["path"].as_str().unwrap().to_owned();
    assert_eq!(parts["rows"][0]["document"], "gamez-nodes");
    let (text, _) = client
        .result(
            "read",
            json!({ "file": READER, "part": SOUNDS, "path": VOLUME }),
        )
        .unwrap();
    assert_eq!(text[0]["text"], "1.0\n");
    let world = client.call("world", json!({ "file": WORLD }));
    assert!(
        world["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["name"] == "camera1")
    );
    let found = client.call("find", json!({ "text": "creak", "kind": "sound" }));
    assert!(
        found["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["file"] == READER),
        "{found}"
    );
    let refs = client.call("refs", json!({ "kind": "node", "name": "camera1" }));
    assert_eq!(refs["rows"][0]["file"], WORLD, "{refs}");
    let lines = client.call(
        "explain",
        json!({ "file": WORLD, "part": part, "path": "nodes[0].name" }),
    );
    assert!(lines["rows"][0]["bytes"].as_u64().unwrap() > 0, "{lines}");
    assert_eq!(
        client.call("find", json!({ "text": "no such name" }))["rows"],
        json!([])
    );
    client.call("lint", json!({}));
    client.call("lint", json!({ "file": WORLD }));
    client.call("mods", json!({}));
    let images = client.call(
        "parts",
        json!({ "file": "zbd/m1/rtexture4.zbd", "under": "images" }),
    );
    let image = images["rows"][0]["path"].as_str().unwrap();
    let (content, failed) = client
        .result(
            "picture",
            json!({ "file": "zbd/m1/rtexture4.zbd", "part": image }),
        )
        .unwrap();
    assert!(
        !failed && content[0]["mimeType"] == "image/png",
        "{content:?}"
    );
    let name = image.trim_start_matches("images/").trim_end_matches(".png");
    let (by_name, failed) = client
        .result("picture", json!({ "file": WORLD, "texture": name }))
        .unwrap();
    assert!(!failed && by_name[0]["type"] == "image", "{by_name:?}");
    // All pages of a long text give the text.
    let (mut content, _) = client
        .result("schema", json!({ "kind": "gamez-nodes" }))
        .unwrap();
    let (mut schema, mut pages) = (String::new(), 0);
    loop {
        pages += 1;
        let texts: Vec<&str> = content
            .iter()
            .map(|block| block["text"].as_str().unwrap())
            .collect();
        assert!(texts.iter().map(|text| text.len()).sum::<usize>() <= PAGE);
        schema += texts[0];
        let Some(next) = texts.get(1).and_then(|text| {
            let page: Value = serde_json::from_str(text).unwrap();
            page["next"].as_str().map(str::to_owned)
        }) else {
            break;
        };
        content = client.result("more", json!({ "cursor": next })).unwrap().0;
    }
    assert!(pages > 1);
    let expected = fs::read_to_string(root().join("schemas/gamez-nodes.json")).unwrap();
    assert_eq!(schema.replace("\r\n", "\n"), expected.replace("\r\n", "\n"));
    for (tool, arguments) in [
        ("begin", json!({ "game": "game", "project": "game/x" })),
        ("carry_out", json!({ "plan": "plan-1-0" })),
        ("set", set(0.5)),
    ] {
        let answer = client
            .request(
                "tools/call",
                json!({ "name": tool, "arguments": arguments }),
            )
            .unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert!(client.end().unwrap());
    assert!(snapshot(place.path()) == before, "looking writes nothing");
}

/// Each edit, and its undo: the same bytes as before. A dry run writes nothing.
#[test]
fn an_edit_can_be_undone() {
    let place = place();
    let mut client = begun(place.path());
    let project = place.path().join("work/mod");
    let far = |value: f64| {
        json!({ "file": WORLD, "part": "nodes.json", "path": "nodes[camera1].data.camera.clip_far",
            "value": value })
    };
    // The files get their trees, and no edit.
    for nothing in [set(1.0), far(5000.0)] {
        let done = client.call("set", nothing);
        assert!(done.get("number").is_none(), "{done}");
    }
    let edits = [
        ("set", set(0.5)),
        ("set", far(3000.0)),
        (
            "insert",
            json!({ "file": READER, "part": SOUNDS, "path": "[1]", "index": 0,
                "value": ["new", "new.wav", "VOLUME", 1.0] }),
        ),
        (
            "move",
            json!({ "file": READER, "part": SOUNDS, "path": "[1][0]", "to": 1 }),
        ),
        (
            "remove",
            json!({ "file": READER, "part": SOUNDS, "path": "[1][1]" }),
        ),
        (
            "world_move",
            json!({ "file": WORLD, "node": "door01", "by": [1, 2, 3] }),
        ),
        (
            "world_copy",
            json!({ "file": WORLD, "node": "door01", "name": "door02" }),
        ),
        (
            "world_move",
            json!({ "file": WORLD, "node": "door02", "scale": [1, 2, 1] }),
        ),
        (
            "world_reparent",
            json!({ "file": WORLD, "node": "door02", "under": "frame" }),
        ),
        ("world_remove", json!({ "file": WORLD, "node": "door02" })),
        (
            "add_member",
            json!({ "file": READER, "name": "more.zrd", "text": "[1, 2.5]" }),
        ),
        (
            "rename_member",
            json!({ "file": READER, "name": "sounds.zrd", "to": "noise.zrd" }),
        ),
    ];
    let mut states = vec![documents(&project)];
    for (tool, arguments) in edits {
        let mut dry = arguments.clone();
        dry["dry_run"] = true.into();
        client.call(tool, dry);
        assert!(&documents(&project) == states.last().unwrap(), "{tool}");
        client.call(tool, arguments);
        states.push(documents(&project));
        assert!(
            states[states.len() - 2] != states[states.len() - 1],
            "{tool}"
        );
    }
    let listed = client.call("changes", json!({}));
    assert_eq!(listed["rows"].as_array().unwrap().len(), states.len() - 1);
    for state in states.iter().rev().skip(1) {
        client.call("undo", json!({}));
        assert!(documents(&project) == *state);
    }
    assert_eq!(client.call("changes", json!({}))["can_undo"], false);
    client.call("redo", json!({}));
    assert!(documents(&project) == states[1]);
    client.call("undo", json!({ "number": 1 }));
    assert!(documents(&project) == states[0]);
    assert!(client.end().unwrap());
}

/// A picture in all packages of the project is what `put --family` makes.
#[test]
fn a_picture_is_replaced_everywhere() {
    let place = place();
    let at = place.path();
    run(at, "get game/zbd/m1/rtexture4.zbd wave01 -o work/new.png").code(0);
    let mut client = begun(at);
    let done = client.call(
        "replace",
        json!({ "file": "zbd/m1/rtexture4.zbd", "member": "bark", "kind": "picture",
            "from": "work/new.png", "everywhere": true }),
    );
    let label = done["label"].as_str().unwrap();
    assert!(label.contains("bark replaced in"), "{done}");
    run(at, "unpack -q game -o work/other").code(0);
    run(at, "put --family work/other work/new.png bark").code(0);
    let other = documents(&at.join("work/other"));
    let own = documents(&at.join("work/mod"));
    assert!(own.iter().any(|(file, _)| file.ends_with("bark.png")));
    for each in own.iter().filter(|(file, _)| file.starts_with("zbd/")) {
        assert!(other.contains(each), "{}", each.0);
    }
    assert!(client.end().unwrap());
}

/// An edit that is built is what the commands build, byte for byte; restored, the game is the
/// original again.
#[test]
fn an_edit_is_built_as_by_the_commands() {
    let place = place();
    let at = place.path();
    copy_folder(&at.join("game"), &at.join("other"));
    let original = snapshot(&at.join("game"));
    let mut client = begun(at);
    client.call("set", set(0.5));
    client.call(
        "set",
        json!({ "file": WORLD, "part": "nodes.json",
        "path": "nodes[camera1].data.camera.clip_far", "value": 3000 }),
    );
    assert!(
        snapshot(&at.join("game")) == original,
        "an edit does not touch the game"
    );
    let diff = client.call("diff", json!({ "file": READER }));
    assert!(
        diff["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["new"] == 0.5),
        "{diff}"
    );
    let found = client.call("list", json!({ "under": "zbd" }));
    let edited: Vec<&Value> = found["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["edited"] == true)
        .map(|row| &row["path"])
        .collect();
    assert_eq!(edited, [WORLD, READER]);
    // The game's file has bytes, the edited tree has none yet.
    client.call("explain", json!({ "file": READER, "to": 40 }));
    let planned = client.call("plan_build", json!({}));
    let files: Vec<&Value> = planned["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["file"])
        .collect();
    assert_eq!(files, [WORLD, READER], "{planned}");
    assert!(
        snapshot(&at.join("game")) == original,
        "a plan writes nothing to the game"
    );
    client.call("carry_out", json!({ "plan": planned["plan"] }));
    let again = client.refused("carry_out", json!({ "plan": planned["plan"] }));
    assert!(again.contains("there is no plan"), "{again}");

    run(at, "unpack -q other -o project").code(0);
    let set = |document: &str, path: &str, value: &str| {
        let done = roundtrip_tests::process::refit(at)
            .args(["set", document, path, value])
            .assert();
        assert!(done.get_output().status.success(), "{}", err(&done));
    };
    set("project/zbd/zrdr.zbd/sounds.zrd.json", VOLUME, "0.5");
    set(
        "project/zbd/m1/gamez.zbd/nodes.json",
        "nodes[camera1].data.camera.clip_far",
        "3000",
    );
    run(at, "repack -q project -o other").success();
    let built = snapshot(&at.join("game"));
    assert!(built == snapshot(&at.join("other")) && built != original);

    let restored = client.plan_and_do("plan_restore", json!({}));
    assert_eq!(restored["rows"].as_array().unwrap().len(), 2, "{restored}");
    assert!(snapshot(&at.join("game")) == original);
    assert!(client.end().unwrap());
}

/// A client that writes 2.0 as 2 does not turn a float of a reader into an integer.
#[test]
fn a_float_stays_one() {
    let place = place();
    let mut client = begun(place.path());
    let edit = |path: &str, value: Value, as_json: bool| json!({ "file": READER, "part": SOUNDS, "path": path, "value": value, "as_json": as_json });
    let read = |client: &mut Client| {
        let given = json!({ "file": READER, "part": SOUNDS, "path": "[1][0]" });
        let (content, _) = client.result("read", given).unwrap();
        content[0]["text"].as_str().unwrap().trim().to_owned()
    };
    client.call("set", edit(VOLUME, json!(2), false));
    assert_eq!(
        read(&mut client),
        r#"["creak", "creak.wav", "VOLUME", 2.0]"#
    );
    client.call("set", edit(VOLUME, json!("2"), true));
    assert_eq!(read(&mut client), r#"["creak", "creak.wav", "VOLUME", 2]"#);
    client.call("set", edit(VOLUME, json!(3), false));
    assert_eq!(read(&mut client), r#"["creak", "creak.wav", "VOLUME", 3]"#);
    client.call("set", edit("[1][0]", json!("[\"a\", 1, 1.0]"), true));
    assert_eq!(read(&mut client), r#"["a", 1, 1.0]"#);
    let text = client.refused("set", edit(VOLUME, json!(2), true));
    assert!(text.contains("as_json"), "{text}");
}

/// A mod of the edits: made, applied and taken out as by the commands.
#[test]
fn a_mod_is_made_and_applied_as_by_the_commands() {
    let place = place();
    let at = place.path();
    copy_folder(&at.join("game"), &at.join("other"));
    let original = snapshot(&at.join("game"));
    let mut client = begun(at);
    client.call("set", set(0.5));
    let about = json!({ "to": "work/quiet.refitmod", "name": "quiet", "author": "me" });
    let mut dry = about.clone();
    dry["dry_run"] = true.into();
    client.call("make_mod", dry);
    assert!(!at.join("work/quiet.refitmod").exists());
    client.call("make_mod", about.clone());
    assert!(client.refused("make_mod", about).contains("exists already"));
    let inside = json!({ "to": "game/quiet.refitmod", "name": "quiet" });
    assert!(
        client
            .refused("make_mod", inside)
            .contains("files of a game")
    );
    let made = run(
        at,
        "mod make game work/mod -o same.refitmod --name quiet --author me",
    );
    assert!(out(&made.success()).contains("1 change"));
    assert!(
        fs::read(at.join("work/quiet.refitmod")).unwrap()
            == fs::read(at.join("same.refitmod")).unwrap()
    );
    let applied = json!({ "folder": "game", "apply": ["work/quiet.refitmod"] });
    client.plan_and_do("plan_mods", applied);
    run(at, "mod apply same.refitmod --to other").success();
    let files = |folder: &str| {
        let mut all = snapshot(&at.join(folder));
        all.retain(|(file, _)| file.starts_with("zbd/"));
        all
    };
    assert!(files("game") == files("other"));
    assert_eq!(client.call("mods", json!({}))["rows"][0]["name"], "quiet");
    client.plan_and_do("plan_mods", json!({ "remove": ["quiet"] }));
    assert!(snapshot(&at.join("game")) == original);
    let none = client.refused("plan_mods", json!({ "remove": ["quiet"] }));
    assert!(none.contains("quiet"), "{none}");
}

/// A plan that is no longer what would happen is refused, and nothing is written.
#[test]
fn an_old_plan_is_refused() {
    let place = place();
    let mut client = begun(place.path());
    client.call("set", set(0.5));
    let plan = |client: &mut Client| client.call("plan_build", json!({}))["plan"].clone();
    let game = place.path().join("game");
    let original = snapshot(&game);
    let first = plan(&mut client);
    client.call("set", set(0.25));
    let refused = client.refused("carry_out", json!({ "plan": first }));
    assert!(refused.contains("no longer"), "{refused}");
    let second = plan(&mut client);
    fs::write(game.join(READER), "another program").unwrap();
    client.refused("carry_out", json!({ "plan": second }));
    assert_eq!(fs::read(game.join(READER)).unwrap(), b"another program");
    let bytes = original.iter().find(|(file, _)| file == READER).unwrap();
    fs::write(game.join(READER), &bytes.1).unwrap();
    client.plan_and_do("plan_build", json!({}));
    assert!(
        client
            .call("plan_build", json!({}))
            .get("refused")
            .is_none()
    );
}

/// No path leads out of the named folders.
#[test]
fn paths_outside_are_refused() {
    let place = place();
    let at = place.path();
    let mut client = begun(at);
    client.call("set", set(0.5));
    let before = snapshot(&at.join("outside"));
    let absolute = at.join("outside/secret.txt").display().to_string();
    let outside = [
        "../outside/secret.txt",
        "zbd/../../outside/secret.txt",
        "/etc/passwd",
        &absolute,
        "",
    ];
    for path in outside {
        for (tool, arguments) in [
            ("info", json!({ "file": path })),
            ("read", json!({ "file": path, "part": "refit.json" })),
            ("read", json!({ "file": READER, "part": path })),
            ("world", json!({ "file": path })),
            ("diff", json!({ "file": path })),
            (
                "set",
                json!({ "file": path, "part": SOUNDS, "path": "", "value": 1 }),
            ),
            (
                "set",
                json!({ "file": READER, "part": path, "path": "", "value": 1 }),
            ),
            (
                "write_text",
                json!({ "file": READER, "part": path, "text": "x" }),
            ),
            (
                "write_text",
                json!({ "file": path, "part": SOUNDS, "text": "x" }),
            ),
            (
                "add_member",
                json!({ "file": READER, "name": "x.zrd", "from": path }),
            ),
            (
                "world_copy",
                json!({ "file": WORLD, "node": "camera1", "from": path }),
            ),
            ("world_add", json!({ "file": WORLD, "from": path })),
            (
                "replace",
                json!({ "file": "zbd/m1/rtexture4.zbd", "member": "x", "kind": "picture", "from": path }),
            ),
            ("make_mod", json!({ "to": path, "name": "x" })),
            ("plan_mods", json!({ "apply": [path] })),
            ("begin", json!({ "game": "game", "project": path })),
            ("begin", json!({ "game": path, "project": "work/new" })),
            ("list", json!({ "folder": path })),
        ] {
            let text = client.refused(tool, arguments);
            assert!(!text.contains("internal"), "{tool} {path}: {text}");
        }
        for (tool, arguments) in [
            (
                "add_member",
                json!({ "file": READER, "name": "x.zrd", "from": format!("work/{path}") }),
            ),
            (
                "make_mod",
                json!({ "to": format!("work/{path}"), "name": "x" }),
            ),
            (
                "begin",
                json!({ "game": "game", "project": format!("work/../{path}") }),
            ),
        ] {
            client.refused(tool, arguments);
        }
    }
    for project in ["game/mod", "game/zbd/mod"] {
        let text = client.refused("begin", json!({ "game": "work", "project": project }));
        assert!(text.contains("files of a game"), "{text}");
    }
    if link("../outside", &at.join("work/link")) {
        for (tool, arguments) in [
            (
                "add_member",
                json!({ "file": READER, "name": "x.zrd", "from": "work/link/secret.txt" }),
            ),
            (
                "make_mod",
                json!({ "to": "work/link/x.refitmod", "name": "x" }),
            ),
            (
                "begin",
                json!({ "game": "game", "project": "work/link/mod" }),
            ),
            ("list", json!({ "folder": "work" })),
        ] {
            let text = client.refused(tool, arguments);
            assert!(text.contains("named folders"), "{tool}: {text}");
        }
        // The game and the project are elsewhere, so they can still be used.
        client.call("list", json!({}));
        link("../../outside", &at.join("game/zbd/link"));
        let text = client.refused("list", json!({}));
        assert!(text.contains("game/zbd/link"), "{text}");
        client.refused("plan_build", json!({}));
    }
    assert!(snapshot(&at.join("outside")) == before);
    assert!(!at.join("new").exists());
}

/// A project is served only together with its game, and no part of something larger is served.
#[test]
fn folders_that_need_others_are_refused_at_the_start() {
    let place = place();
    let at = place.path();
    run(at, "unpack -q game -o mod").code(0);
    let start = |folders: &[&str]| -> String {
        let done = Command::new(program())
            .current_dir(at)
            .arg("mcp")
            .args(folders)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        match done.status.success() {
            true => String::new(),
            false => String::from_utf8(done.stderr).unwrap(),
        }
    };
    assert!(start(&["mod"]).contains("the game of this project is not named"));
    assert!(start(&["mod/zbd", "game"]).contains("inside of a project"));
    assert!(start(&["game/readme.txt"]).contains("not a folder"));
    assert!(start(&["nowhere"]).contains("nowhere"));
    assert!(start(&[]).contains("FOLDER"));
    assert_eq!(start(&["mod", "game"]), "");
    assert_eq!(start(&["game", "mod", "mod/../game"]), "");
}

/// Random calls break nothing. `REFIT_RUNS` is their number.
#[test]
fn random_calls_stay_inside() {
    let runs = std::env::var("REFIT_RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok());
    let place = tempfile::tempdir().unwrap();
    let tally = random_calls(place.path(), 7, runs.unwrap_or(400), &|_| ()).unwrap();
    assert!(
        tally.done > 40 && tally.refused > 40 && tally.carried_out > 2,
        "{tally:?}"
    );
}

/// A config includes nothing from outside of the folder that is the limit, also not from the folders
/// above.
#[test]
fn includes_stay_inside() {
    use refit::workbench::{
        Input, Options, Quiet,
        lint::{Lint, Linted},
    };
    let place = place();
    let at = place.path();
    for folder in ["work/addon", "include/lab"] {
        fs::create_dir_all(at.join(folder)).unwrap();
    }
    fs::create_dir(at.join(".git")).unwrap();
    let text = "#include \"\\lab\\words.hpp\"\nclass Door { lock = 1; };\n";
    fs::write(at.join("work/addon/config.cpp"), text).unwrap();
    fs::write(at.join("work/addon/$PBOPREFIX$"), "lab\\addon\n").unwrap();
    fs::write(at.join("include/lab/words.hpp"), "class A: Nowhere {};\n").unwrap();
    let found = |within: Option<&str>| {
        let lint = Lint {
            paths: vec![at.join("work")],
            ..Lint::default()
        };
        let options = Options {
            within: within.map(|folder| at.join(folder)),
            ..Options::default()
        };
        let mut text = String::new();
        let mut see = |_: &Input, linted: Linted| match linted {
            Linted::Findings(found, _) => {
                found.iter().for_each(|finding| text += &finding.message);
            }
            Linted::Failed(e) => text += &e.to_string(),
            _ => {}
        };
        lint.run(&options, &Quiet, &mut see).unwrap();
        text
    };
    for whole in [None, Some(".")] {
        assert!(found(whole).contains("Nowhere"), "{}", found(whole));
    }
    assert_eq!(found(Some("work")), "");
}
