//! `refit view`: every question of the page over the games, and requests that get nothing.

use roundtrip_tests::{
    games,
    process::{program, snapshot},
    serve::{Server, percent},
};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// A game's folder, and a place for the cache.
fn game(game: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("GAME");
    games::write(&root, &games::installation(game, &games::names(game)));
    (place, root)
}

/// The header of a packed scene, and the start of its data.
fn header(scene: &[u8]) -> (Value, usize) {
    assert_eq!(&scene[..4], b"RVS1");
    let length = u32::from_le_bytes(scene[4..8].try_into().unwrap()) as usize;
    (
        serde_json::from_slice(&scene[8..8 + length]).unwrap(),
        8 + length,
    )
}

/// The headers in an answer with pixels; checks that the number of pixels matches.
fn textures(server: &Server, near: &Value, names: &[&str]) -> Vec<Value> {
    let asked = format!(
        "/api/textures?near={near}&names={}",
        percent(&names.join("\n"))
    );
    let (answer, sizes) = (
        server.get(&asked).body,
        server.get(&format!("{asked}&sizes=1")).body,
    );
    let rows = |answer: &[u8]| -> (Vec<Value>, usize) {
        assert_eq!(&answer[..4], b"RVT1");
        let length = u32::from_le_bytes(answer[4..8].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&answer[8..8 + length]).unwrap();
        (
            header["textures"].as_array().unwrap().clone(),
            answer.len() - 8 - length,
        )
    };
    let ((all, pixels), (only, none)) = (rows(&answer), rows(&sizes));
    // Two bytes for a word of RGB565, otherwise four.
    let texel = |row: &Value| if row["words"] == true { 2 } else { 4 };
    let size = |row: &Value| Some(row["size"][0].as_u64()? * row["size"][1].as_u64()? * texel(row));
    let sum: u64 = all.iter().filter_map(size).sum();
    assert_eq!((pixels as u64, none), (sum, 0));
    for (a, b) in all.iter().zip(&only) {
        assert_eq!(
            (&a["name"], &a["size"], &a["words"]),
            (&b["name"], &b["size"], &b["words"])
        );
    }
    all
}

/// A name in a text has its place, and the files that differ from another folder or with a mod are
/// named.
#[test]
fn names_and_differences_have_places() {
    let (place, root) = game("mw");
    let edited = place.path().join("edited/zbd/c1");
    std::fs::create_dir_all(&edited).unwrap();
    let mut names = games::names("mw");
    names.nodes.push("shed");
    let files = games::installation("mw", &names);
    let (_, world) = files
        .iter()
        .find(|(path, _)| path == "zbd/c1/gamez.zbd")
        .unwrap();
    std::fs::write(edited.join("gamez.zbd"), world).unwrap();
    let run = |line: &[&str]| {
        Command::new(program())
            .args(line)
            .current_dir(place.path())
            .output()
            .unwrap()
    };
    let made = run(&[
        "mod",
        "make",
        "GAME",
        "edited",
        "--name",
        "shed",
        "-o",
        "shed.refitmod",
    ]);
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let cache = place.path().join("cache");
    for (against, old, new) in [
        ("edited", "removed", "added"),
        ("shed.refitmod", "added", "removed"),
    ] {
        let server = Server::start_with(
            &root,
            &cache,
            &["--against", place.path().join(against).to_str().unwrap()],
        );
        let opened = server.json("/api/opened");
        assert!(
            opened["against"]
                .as_str()
                .unwrap()
                .contains(against.split('.').next().unwrap()),
            "{opened}"
        );
        let files = opened["files"].as_array().unwrap();
        let number =
            |format: &str| &files.iter().find(|file| file["format"] == format).unwrap()["number"];
        assert_eq!(
            server.json("/api/differences")["files"],
            serde_json::json!([number("gamez")])
        );
        let text = server
            .json(&format!("/api/diff/{}", number("gamez")))
            .to_string();
        assert!(
            text.contains("shed") && text.contains(old) && !text.contains(&format!("\"{new}\"")),
            "{against}: {text}"
        );
        assert_eq!(
            server
                .get(&format!("/api/diff/{}", number("interp")))
                .status,
            404
        );
        let own = server.json(&format!("/api/file/{}/names?path=c1.gs", number("interp")));
        assert_eq!(
            own["names"][1],
            serde_json::json!({ "kind": "node", "name": "wall", "at": "line 2", "defines": false })
        );
    }
    let missing = run(&["view", "GAME", "--against", "nowhere"]);
    assert_eq!(
        missing.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&missing.stderr)
    );
}

/// Every file of every game answers every question about it, each part that is listed can be had,
/// and nothing on disk changes.
#[test]
fn every_question_has_an_answer_for_every_file() {
    for name in ["rc", "mw", "pm", "cs"] {
        let (place, root) = game(name);
        let before = snapshot(&root);
        let server = Server::start(&root, &place.path().join("cache"));
        let opened = server.json("/api/opened");
        assert_eq!(
            (opened["what"].as_str(), opened["name"].as_str()),
            (Some("game"), Some("GAME"))
        );
        let files = opened["files"].as_array().unwrap();
        assert!(files.len() >= 8, "{name}: {opened}");
        let mut scenes = 0;
        for file in files {
            let (number, path) = (&file["number"], file["path"].as_str().unwrap());
            let summary = server.json(&format!("/api/file/{number}"));
            assert_eq!(
                (&summary["path"], &summary["format"]),
                (&file["path"], &file["format"]),
                "{name} {path}"
            );
            let tree = server.json(&format!("/api/file/{number}/tree"));
            let parts = tree["parts"].as_array().unwrap();
            assert!(
                parts.iter().any(|part| part["path"] == "refit.json"),
                "{name} {path}: {tree}"
            );
            for part in parts {
                let own = format!(
                    "/api/file/{number}/part?path={}",
                    percent(part["path"].as_str().unwrap())
                );
                let answer = server.get(&own);
                assert_eq!(answer.status, 200, "{name} {path} {part}");
                let kind = answer.headers["content-type"].as_str();
                match part["kind"].as_str().unwrap() {
                    "json" => {
                        assert!(
                            kind == "application/json" && answer.json().is_object()
                                || answer.json().is_array()
                        )
                    }
                    "picture" => {
                        assert!(kind == "image/png" && answer.body.starts_with(b"\x89PNG"))
                    }
                    "sound" => assert!(kind == "audio/wav" && answer.body.starts_with(b"RIFF")),
                    _ => assert_eq!(answer.body.len() as u64, part["bytes"].as_u64().unwrap()),
                }
            }
            assert!(server.json(&format!("/api/file/{number}/findings"))["findings"].is_array());
            let lines = server.json(&format!("/api/file/{number}/explain"))["lines"].clone();
            assert_eq!(lines[0]["offset"], 0, "{name} {path}");
            if summary["scene"] == true {
                scenes += 1;
                let scene = server.get(&format!("/api/file/{number}/scene"));
                let (header, data) = header(&scene.body);
                let rows = header["data"]["node"][1].as_u64().unwrap();
                assert_eq!(
                    header["nodes"]["names"].as_array().unwrap().len() as u64,
                    rows,
                    "{name} {path}"
                );
                let [start, poses] = [0, 1].map(|n| header["data"]["pose"][n].as_u64().unwrap());
                assert_eq!(
                    scene.body.len() as u64 - data as u64,
                    start + poses * 24,
                    "the poses are the last data"
                );
                let matrices = header["data"]["matrix"][1].as_u64().unwrap();
                assert_eq!((matrices, poses), (rows, rows), "{name} {path}");
            }
        }
        assert!(scenes >= 1, "{name}");
        let found = server.json("/api/find?q=door")["names"].clone();
        assert!(
            found.as_array().is_some_and(|found| !found.is_empty()),
            "{name}: {found}"
        );
        let one = &found[0];
        let refs = server.json(&format!(
            "/api/refs?kind={}&name={}",
            one["kind"].as_str().unwrap(),
            percent(one["name"].as_str().unwrap())
        ));
        let places =
            refs["defines"].as_array().unwrap().len() + refs["uses"].as_array().unwrap().len();
        assert!(places >= 1, "{name}: {refs}");
        assert_eq!(server.json("/api/findings")["complete"], true);
        assert_eq!(
            server.json("/api/status")["edited"]
                .as_array()
                .map(Vec::len),
            Some(0)
        );
        drop(server);
        assert!(snapshot(&root) == before, "{name}: a look changes nothing");
    }
}

/// The numbers of a scene are those of the file: a shape for each model with polygons, a row for
/// each node, parents first, and triangles that stay within the vertices.
#[test]
fn a_scene_contains_the_world() {
    for name in ["rc", "mw", "pm", "cs"] {
        let (place, root) = game(name);
        let server = Server::start(&root, &place.path().join("cache"));
        let opened = server.json("/api/opened");
        let world = opened["files"]
            .as_array()
            .unwrap()
            .iter()
            .find(|file| file["format"] == "gamez")
            .unwrap();
        let scene = server
            .get(&format!("/api/file/{}/scene", world["number"]))
            .body;
        let (header, data) = header(&scene);
        let words = |name: &str, each: usize| -> Vec<i32> {
            let at = data + header["data"][name][0].as_u64().unwrap() as usize;
            let count = header["data"][name][1].as_u64().unwrap() as usize * each / 4;
            (0..count)
                .map(|i| i32::from_le_bytes(scene[at + 4 * i..at + 4 * i + 4].try_into().unwrap()))
                .collect()
        };
        let (vertices, index, nodes) = (
            words("position", 12).len() / 3,
            words("index", 4),
            words("node", 32),
        );
        assert!(
            index.iter().all(|i| (*i as usize) < vertices) && index.len().is_multiple_of(3),
            "{name}"
        );
        for (i, row) in nodes.chunks(8).enumerate() {
            assert!(
                row[0] < i as i32,
                "{name}: a parent stands before its child"
            );
            assert!(
                row[1] < header["shapes"].as_array().unwrap().len() as i32,
                "{name}"
            );
        }
        let names: Vec<&str> = header["nodes"]["names"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let own = games::names(name).nodes;
        assert!(
            !own.is_empty() && own.iter().all(|node| names.contains(node)),
            "{name}: {own:?}, {names:?}"
        );
        // Each row has the document of its node, and the position in it.
        let groups = header["nodes"]["groups"].as_array().unwrap();
        let first = nodes
            .chunks(8)
            .find(|row| names[0] == own[0] || row[3] as usize >= games::FIRST)
            .unwrap();
        let group = &groups[first[7] as usize];
        let document = percent(group[0].as_str().unwrap());
        let document = server.json(&format!(
            "/api/file/{}/part?path={document}",
            world["number"]
        ));
        let at = first[3] as u64 - group[1].as_u64().unwrap();
        let row = nodes.chunks(8).position(|row| row == first).unwrap();
        assert_eq!(document["nodes"][at as usize]["name"], names[row], "{name}");
        assert_eq!(
            (words("range", 8).len() / 2, words("cell", 4).len()),
            (nodes.len() / 8, nodes.len() / 8),
            "{name}"
        );
        let asked: Vec<&str> = header["textures"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let textures = textures(
            &server,
            &world["number"],
            &[&asked[..], &["nothing"]].concat(),
        );
        assert_eq!(
            textures.last().unwrap()["missing"],
            true,
            "{name}: {textures:?}"
        );
        assert!(
            textures
                .iter()
                .rev()
                .skip(1)
                .all(|row| row["size"] == serde_json::json!([8, 8])),
            "{textures:?}"
        );
        for texture in header["textures"].as_array().unwrap() {
            let texture = percent(texture.as_str().unwrap());
            let answer = server.get(&format!(
                "/api/texture?name={texture}&near={}",
                world["number"]
            ));
            assert!(
                matches!(answer.status, 200 | 204),
                "{name}: {}",
                answer.status
            );
        }
    }
}

#[test]
fn the_start_page_opens_what_is_chosen_and_remembers_it() {
    let (place, root) = game("rc");
    let cache = place.path().join("cache");
    let server = Server::start_page(place.path(), &cache);
    let (host, token) = (server.host.clone(), server.token.clone());
    let own = ("Host", host.as_str());
    let page = server.request("GET", "/", &[own]);
    assert!(String::from_utf8_lossy(&page.body).contains("start.js"));
    for path in ["/api/start", "/api/folder", "/api/opened"] {
        assert_eq!(server.request("GET", path, &[own]).status, 403, "{path}");
    }
    assert_eq!(server.get("/api/opened").status, 404);
    let start = server.json("/api/start");
    assert_eq!(start["recent"], json!([]));
    assert!(start["here"]["path"].is_string());
    // The folder of the game, by its list.
    let here = percent(start["here"]["path"].as_str().unwrap());
    let list = server.json(&format!("/api/folder?path={here}"));
    let game = list["folders"].as_array().unwrap().iter();
    let game = game
        .filter(|row| row["kind"] == "game")
        .map(|row| row["path"].as_str().unwrap().to_owned())
        .find(|path| *root == **path)
        .expect("the game is listed");
    assert!(
        !server.json("/api/folder")["folders"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    // Only the page opens something, and only what is there.
    let foreign =
        format!("POST /api/open HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}.example\r\n");
    let rest = format!(
        "x-refit-token: {token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    assert_eq!(server.raw(&(foreign + &rest)).status, 403);
    assert_eq!(
        server
            .request("GET", "/api/open", &[own, ("x-refit-token", &token)])
            .status,
        405
    );
    for body in [
        json!({}),
        json!({ "path": "nowhere" }),
        json!({ "path": 1 }),
        json!([]),
    ] {
        assert_eq!(server.post("/api/open", &body).status, 422, "{body}");
    }
    // A misspelt path is answered with the folder that is there.
    let misspelt = root.join("zdb").join("m1");
    let near = server
        .post("/api/open", &json!({ "path": misspelt }))
        .json();
    assert_eq!(near["error"]["near"], json!(game), "{near}");
    let message = near["error"]["message"].as_str().unwrap();
    assert!(
        message.ends_with("there is no such folder or file"),
        "{near}"
    );
    // The same address shows the game now.
    let soon = |path: &str| {
        (0..100).find_map(|_| {
            let answer = server.get(path);
            std::thread::sleep(Duration::from_millis(50));
            (answer.status == 200).then(|| answer.json())
        })
    };
    // And the start page again, if the page asks for it.
    let start_again = |path: &str| server.post("/api/open", &json!({ "path": path })).status;
    assert_eq!(start_again(&game), 204);
    assert!(soon("/api/opened").is_some());
    assert_eq!(
        server
            .request("GET", "/api/close", &[own, ("x-refit-token", &token)])
            .status,
        405
    );
    let folder = server.json("/api/folder");
    assert!(
        folder["folders"].is_array(),
        "the page of a game, which can be edited, lists folders, too"
    );
    assert_eq!(server.json("/api/built"), json!({ "waiting": [] }));
    assert_eq!(server.post("/api/close", &json!({})).status, 204);
    let start = soon("/api/start").expect("the start page is back");
    assert_eq!(start["recent"][0]["path"], json!(game));
    assert_eq!(server.get("/api/opened").status, 404);
    assert_eq!(start_again(&game), 204);
    let shown = soon("/api/opened");
    let files = shown.expect("the game is opened")["files"]
        .as_array()
        .map(Vec::len);
    assert!(files > Some(0));
    drop(server);
    let again = Server::start_page(place.path(), &cache);
    assert_eq!(again.json("/api/start")["recent"][0]["path"], json!(game));
    // What is opened by its path is remembered, too.
    drop(again);
    drop(Server::start(&root.join("zbd"), &cache));
    let again = Server::start_page(place.path(), &cache);
    let recent = again.json("/api/start")["recent"].clone();
    assert_eq!(recent.as_array().map(Vec::len), Some(2), "{recent}");
    assert_eq!(recent[1]["path"], json!(game));
}

#[test]
fn requests_without_the_token_or_from_another_origin_are_refused() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    let (own, token) = (
        server.host.clone(),
        ("x-refit-token", server.token.as_str()),
    );
    let cookie = format!("refit={}", server.token);
    let good = [("Host", own.as_str()), token];
    assert_eq!(server.request("GET", "/api/opened", &good).status, 200);
    let other_site = format!("http://{own}.example");
    let other_port = "http://127.0.0.1:1".to_owned();
    type Headers<'a> = Vec<(&'a str, &'a str)>;
    let refused: [(&str, &str, Headers<'_>); 11] = [
        ("no token", "/api/opened", vec![("Host", &own)]),
        (
            "another port",
            "/api/opened",
            vec![("Host", &own), token, ("Origin", &other_port)],
        ),
        (
            "an image of another port",
            "/api/opened",
            vec![("Host", &own), token, ("Sec-Fetch-Site", "same-site")],
        ),
        (
            "a page of another site",
            "/api/opened",
            vec![("Host", &own), token, ("Sec-Fetch-Site", "cross-site")],
        ),
        (
            "a wrong token",
            "/api/opened?token=00112233445566778899aabbccddeeff",
            vec![("Host", &own)],
        ),
        (
            "a token that begins well",
            "/api/opened",
            vec![("Host", &own), ("Cookie", &cookie[..20])],
        ),
        (
            "another host",
            "/api/opened",
            vec![("Host", "refit.example"), ("Cookie", &cookie)],
        ),
        ("no host", "/api/opened", vec![token]),
        (
            "two hosts",
            "/api/opened",
            vec![
                ("Host", &own),
                ("Host", "refit.example"),
                ("Cookie", &cookie),
            ],
        ),
        (
            "another site",
            "/api/opened",
            vec![("Host", &own), ("Cookie", &cookie), ("Origin", &other_site)],
        ),
        (
            "no site",
            "/api/opened",
            vec![("Host", &own), token, ("Origin", "null")],
        ),
    ];
    for (what, path, headers) in refused {
        let answer = server.request("GET", path, &headers);
        assert!(
            matches!(answer.status, 400 | 403),
            "{what}: {}",
            answer.status
        );
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("zbd"),
            "{what}"
        );
    }
    for (method, status) in [("POST", 405), ("PUT", 405), ("DELETE", 405)] {
        assert_eq!(
            server.request(method, "/api/opened", &good).status,
            status,
            "{method}"
        );
    }
    // The page needs no token, so that it can say that one is missing, and contains none. No cookie
    // has it: a browser would send it to all servers of this machine. The page must not load
    // anything from elsewhere.
    for (path, site) in [
        (format!("/?token={}", server.token), "none"),
        ("/".to_owned(), "cross-site"),
    ] {
        let page = server.request("GET", &path, &[("Host", &own), ("Sec-Fetch-Site", site)]);
        assert_eq!(page.status, 200, "{path}");
        assert!(
            !page.headers.contains_key("set-cookie") && !page.headers.contains_key("location"),
            "{path}"
        );
        assert!(
            !String::from_utf8_lossy(&page.body).contains(&server.token),
            "{path}"
        );
    }
    let page = server.get("/");
    assert!(page.headers["content-security-policy"].starts_with("default-src 'self';"));
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
}

/// Nothing in a URL becomes a path on disk.
#[test]
fn paths_and_numbers_reach_only_opened_files() {
    let (place, root) = game("rc");
    std::fs::write(place.path().join("secret.txt"), "secret").unwrap();
    let server = Server::start(&root, &place.path().join("cache"));
    let long = "a".repeat(7000);
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/page/../../secret.txt",
        "/api/file/0/part?path=../secret.txt",
        "/api/file/0/part?path=..%2f..%2fsecret.txt",
        "/api/file/0/part?path=/etc/passwd",
        "/api/file/0/part?path=C%3a%5csecret.txt",
        "/api/file/0/part",
        "/api/file/99999999999999999999/tree",
        "/api/file/-1/tree",
        "/api/file/4000000000/scene",
        "/api/file/0/scene?shape=99999999999",
        "/api/texture?name=..%2fsecret",
        "/api/textures?names=a&near=99999999999",
        "/api/textures?near=0",
        "/api/file/0/names",
        "/api/file/77777/names?path=refit.json",
        "/api/diff/18446744073709551616",
        "/api/texture?name=a&near=77",
        "/api/refs?kind=nothing&name=a",
        "/api/schema?kind=..%2f..%2fCargo",
        "/api/file/0/explain?from=18446744073709551615&to=0",
        "/api/nothing",
        "/secret.txt",
        &format!("/api/find?q={long}"),
    ] {
        let answer = server.get(path);
        let body = String::from_utf8_lossy(&answer.body);
        let refused = matches!(answer.status, 400..=422)
            || answer.json()["lines"].is_array()
            || path.contains("find");
        assert!(refused, "{path}: {} {body}", answer.status);
        assert!(
            !body.contains("secret\n") && body != "secret" && !body.contains("root:"),
            "{path}: {body}"
        );
    }
    assert_eq!(server.get(&format!("/api/find?q={long}{long}")).status, 414);
    assert_eq!(server.get("/api/opened").status, 200, "it still answers");
}

/// A thousand connections with no request or half of one: the page is still answered, and each that
/// sent something receives the reason of its refusal.
#[test]
fn slow_and_many_clients_do_not_block_others() {
    let (place, root) = game("mw");
    let server = Server::start(&root, &place.path().join("cache"));
    let half: Vec<TcpStream> = (0..1000)
        .map(|i| {
            let mut stream = TcpStream::connect(&server.host).unwrap();
            let text = match i % 4 {
                0 => "",
                1 => "GET /api/op",
                2 => "GET /api/opened HTTP/1.1\r\nHost: a\r\nX-Long: ",
                _ => "POST /api/quit HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n",
            };
            // The oldest may be refused before they have sent anything.
            let _ = stream.write_all(text.as_bytes());
            stream
        })
        .collect();
    let begun = Instant::now();
    let opened = server.json("/api/opened");
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?} beside {} connections",
        begun.elapsed(),
        half.len()
    );
    let mut statuses = std::collections::BTreeMap::<String, usize>::new();
    for (i, mut stream) in half.into_iter().enumerate() {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut all = Vec::new();
        let ended = stream.read_to_end(&mut all);
        let status = String::from_utf8_lossy(all.get(9..12).unwrap_or_default()).into_owned();
        let is_clear =
            matches!(status.as_str(), "403" | "408" | "503") || i % 4 == 0 && status.is_empty();
        assert!(is_clear, "connection {i}: {status:?}, {ended:?}");
        *statuses.entry(status).or_default() += 1;
    }
    assert!(
        statuses["503"] > 500 && statuses["408"] > 10,
        "{statuses:?}"
    );
    // A client that reads its long answer a byte at a time keeps no other client waiting.
    let slow = server.connect("/api/file/0/explain");
    for _ in 0..3 {
        let mut one = [0];
        (&slow).read_exact(&mut one).unwrap();
    }
    for file in opened["files"].as_array().unwrap() {
        drop(server.connect(&format!("/api/file/{}/tree", file["number"])));
    }
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                let answer = server.get("/api/opened");
                assert!(matches!(answer.status, 200 | 503), "{}", answer.status);
            });
        }
    });
    drop(slow);
    assert_eq!(server.get("/api/opened").status, 200);
}

/// A browser opens several connections in parallel and keeps them for its next questions: each gets
/// its answer.
#[test]
fn simultaneous_connections_are_all_answered() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    for round in 0..20 {
        let together = std::sync::Barrier::new(6);
        let open = std::thread::scope(|scope| {
            let ask = || {
                together.wait();
                let mut stream = server.connect("/api/opened");
                stream
                    .set_read_timeout(Some(Duration::from_secs(10)))
                    .unwrap();
                let mut status = [0; 12];
                let read = stream.read_exact(&mut status);
                (
                    stream,
                    read.map(|()| String::from_utf8_lossy(&status).into_owned()),
                )
            };
            let all: Vec<_> = (0..6).map(|_| scope.spawn(ask)).collect();
            all.into_iter()
                .map(|one| one.join().unwrap())
                .collect::<Vec<_>>()
        });
        for (_, status) in open {
            assert_eq!(
                status.as_deref().unwrap_or("none"),
                "HTTP/1.1 200",
                "round {round}"
            );
        }
    }
}

/// Questions about one file are answered while others are about all files: with the same answers,
/// and between two files.
#[test]
fn one_file_is_shown_while_all_are_read() {
    let (place, root) = game("mw");
    let server = Server::start(&root, &place.path().join("cache"));
    let opened = server.json("/api/opened");
    let world = opened["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["format"] == "gamez")
        .unwrap();
    let number = &world["number"];
    let about_one = ["", "/scene", "/tree", "/explain", "/findings"]
        .map(|what| format!("/api/file/{number}{what}"));
    let about_all = [
        "/api/findings",
        "/api/find?q=door",
        "/api/status",
        "/api/differences",
    ]
    .map(str::to_owned);
    let parts = server.json(&about_one[2]);
    let text = parts["parts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|part| part["kind"] == "json")
        .unwrap();
    let names = format!(
        "/api/file/{number}/names?path={}",
        percent(text["path"].as_str().unwrap())
    );
    let all: Vec<String> = about_one
        .into_iter()
        .chain(about_all)
        .chain([names])
        .collect();
    let alone: Vec<Vec<u8>> = all.iter().map(|asked| server.get(asked).body).collect();
    std::thread::scope(|scope| {
        for (asked, alone) in all.iter().zip(&alone) {
            let server = &server;
            scope.spawn(move || {
                for _ in 0..6 {
                    let answer = server.get(asked);
                    assert_eq!(answer.status, 200, "{asked}");
                    assert!(
                        answer.body == *alone,
                        "{asked}: another answer beside other questions"
                    );
                }
            });
        }
    });
}

/// While the names of all files are read, the page receives the progress, and the results so far.
#[test]
fn long_questions_report_progress() {
    let (place, root) = game("mw");
    for copy in 0..6 {
        games::write(
            &root.join(format!("copy{copy}")),
            &games::installation("mw", &games::names("mw")),
        );
    }
    let server = Server::start(&root, &place.path().join("cache"));
    let opened = server.json("/api/opened");
    let files =
        opened["files"].as_array().unwrap().len() as u64 + opened["others"].as_u64().unwrap();
    let over = std::sync::atomic::AtomicBool::new(false);
    let (soon, refs) = std::thread::scope(|scope| {
        let answer = scope.spawn(|| {
            let refs = server.json("/api/refs?kind=node&name=wall");
            over.store(true, std::sync::atomic::Ordering::SeqCst);
            refs
        });
        let mut soon = Vec::new();
        while !over.load(std::sync::atomic::Ordering::SeqCst) {
            soon.push(server.json("/api/soon/refs?kind=node&name=wall"));
        }
        (soon, answer.join().unwrap())
    });
    let rows = |of: &Value| {
        of["defines"]
            .as_array()
            .unwrap()
            .iter()
            .chain(of["uses"].as_array().unwrap())
            .cloned()
            .collect::<Vec<_>>()
    };
    let all = rows(&refs);
    assert!(!all.is_empty());
    let running: Vec<&Value> = soon
        .iter()
        .filter(|answer| !answer["progress"].is_null())
        .collect();
    let done = |answer: &Value| answer["progress"]["done"].as_u64().unwrap();
    assert!(
        running.windows(2).all(
            |pair| done(pair[0]) <= done(pair[1]) && rows(pair[0]).len() <= rows(pair[1]).len()
        )
    );
    assert!(
        running
            .iter()
            .any(|answer| done(answer) > 0 && done(answer) < files && !rows(answer).is_empty()),
        "{soon:?}"
    );
    for answer in running {
        let progress = &answer["progress"];
        assert_eq!(progress["of"], files);
        assert!(
            root.join(progress["at"].as_str().unwrap()).exists(),
            "{progress}"
        );
        assert!(rows(answer).iter().all(|row| all.contains(row)));
    }
    // Nothing is read any more.
    for asked in ["refs?kind=node&name=wall", "find?q=wall", "findings"] {
        assert!(
            server.json(&format!("/api/soon/{asked}"))["progress"].is_null(),
            "{asked}"
        );
    }
    assert_eq!(server.get("/api/soon/refs?kind=none&name=wall").status, 404);
}

/// Invalid, oversized and endless requests get a status, and their connection is closed.
#[test]
fn malformed_requests_are_refused_and_end() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    let own = format!(
        "Host: {}\r\nCookie: refit={}\r\n",
        server.host, server.token
    );
    let many: String = (0..100).map(|i| format!("x-{i}: 1\r\n")).collect();
    let begun = Instant::now();
    for (status, request) in [
        (400, "nothing of HTTP\r\n\r\n".to_owned()),
        (400, format!("GET /api/opened HTTP/2.0\r\n{own}\r\n")),
        (
            400,
            format!("GET /api/opened HTTP/1.1\r\nX Y: 1\r\n{own}\r\n"),
        ),
        (431, format!("GET /api/opened HTTP/1.1\r\n{own}{many}\r\n")),
        (
            431,
            format!(
                "GET /api/opened HTTP/1.1\r\n{own}x: {}\r\n\r\n",
                "a".repeat(20_000)
            ),
        ),
        (
            405,
            format!("POST /api/opened HTTP/1.1\r\n{own}Content-Length: 99999999999\r\n\r\nbody"),
        ),
        (
            405,
            format!(
                "PUT /api/opened HTTP/1.1\r\n{own}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"
            ),
        ),
        (200, format!("GET /api/opened HTTP/1.0\r\n{own}\r\n")),
        (
            200,
            format!("GET /api/opened HTTP/1.1\r\n{own}\r\nGET /api/opened HTTP/1.1\r\n{own}\r\n"),
        ),
    ] {
        let answer = server.raw(&request);
        assert_eq!(answer.status, status, "{request:.60}");
        assert_eq!(
            answer.headers["content-length"],
            answer.body.len().to_string(),
            "one answer: {request:.60}"
        );
        let said = answer.json();
        assert_eq!(
            said["error"]["message"].is_string(),
            status != 200,
            "{request:.60}: {said:.200}"
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    let head = server.raw(&format!("HEAD /api/opened HTTP/1.1\r\n{own}\r\n"));
    assert_eq!((head.status, head.body.len()), (200, 0));
}

/// A page that waits for changes learns of one within a second or so; and the page can end the
/// server.
#[test]
fn a_page_is_notified_of_changes_and_may_end_the_server() {
    let (place, root) = game("rc");
    let mut server = Server::start(&root, &place.path().join("cache"));
    let opened = server.json("/api/opened");
    let version = opened["version"].as_u64().unwrap();
    let world = opened["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["format"] == "gamez")
        .unwrap()
        .clone();
    let path = root.join(world["path"].as_str().unwrap());
    let changed = std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let begun = Instant::now();
            (
                server.json(&format!("/api/changes?since={version}")),
                begun.elapsed(),
            )
        });
        std::thread::sleep(Duration::from_millis(600));
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.push(0);
        std::fs::write(&path, bytes).unwrap();
        waits.join().unwrap()
    });
    assert_eq!(
        (&changed.0["version"], &changed.0["files"][0]),
        (&(version + 1).into(), &world["number"]),
        "{changed:?}"
    );
    assert!(changed.1 < Duration::from_secs(10), "{changed:?}");
    let (host, token) = (server.host.clone(), server.token.clone());
    let (own, origin) = (
        [("Host", host.as_str()), ("x-refit-token", &token)],
        format!("http://{host}"),
    );
    // An image, and a program without an origin, do not end it.
    assert_eq!(server.request("GET", "/api/quit", &own).status, 405);
    assert_eq!(server.request("POST", "/api/quit", &own).status, 403);
    let of_page = [own[0], own[1], ("Origin", origin.as_str())];
    assert_eq!(server.request("POST", "/api/quit", &of_page).status, 204);
    let status = server.child.wait().unwrap();
    assert!(status.success(), "{status}");
}

/// Names from files are escaped as JSON, and each damaged file is a separate error.
#[test]
fn a_damaged_file_is_a_separate_error() {
    let (place, root) = game("cs");
    let world = root.join("ZBD/C1/gamez.zbd");
    let bytes = std::fs::read(&world).unwrap();
    std::fs::write(&world, &bytes[..bytes.len() / 2]).unwrap();
    let server = Server::start(&root, &place.path().join("cache"));
    let opened = server.json("/api/opened");
    let file = opened["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["path"] == "ZBD/C1/gamez.zbd")
        .unwrap();
    for question in ["", "/tree", "/scene", "/findings"] {
        let answer = server.get(&format!("/api/file/{}{question}", file["number"]));
        assert_eq!(answer.status, 422, "{question}");
        assert!(
            answer.json()["error"]["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
    let other = opened["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["format"] == "interp")
        .unwrap();
    assert_eq!(
        server
            .get(&format!("/api/file/{}/tree", other["number"]))
            .status,
        200
    );
}

/// The static page has an answer to every question, and does not contain the path where it was
/// made.
#[test]
fn the_page_can_be_written_as_files() {
    for name in ["rc", "mw", "pm", "cs"] {
        let (place, root) = game(name);
        let run = |line: &str| {
            let mut command = Command::new(program());
            command
                .args(["view", "GAME", "--export", "site"])
                .args(line.split_whitespace());
            command
                .current_dir(place.path())
                .env("REFIT_CACHE", place.path().join("cache"))
                .output()
                .unwrap()
        };
        let done = run("");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let site = place.path().join("site");
        let read = |path: &str| {
            std::fs::read(site.join(path)).unwrap_or_else(|e| panic!("{name}: {path}: {e}"))
        };
        let json = |path: &str| -> Value { serde_json::from_slice(&read(path)).unwrap() };
        assert!(
            String::from_utf8(read("index.html"))
                .unwrap()
                .contains("refit-source")
        );
        let opened = json("data/opened.json");
        for file in opened["files"].as_array().unwrap() {
            let folder = format!("data/file/{}", file["number"]);
            let parts = json(&format!("{folder}/tree.json"))["parts"]
                .as_array()
                .unwrap()
                .len();
            assert_eq!(
                std::fs::read_dir(site.join(&folder).join("part"))
                    .unwrap()
                    .count(),
                parts,
                "{name} {folder}"
            );
            if json(&format!("{folder}/summary.json"))["scene"] == true {
                header(&read(&format!("{folder}/scene.bin")));
                for texture in json(&format!("{folder}/textures.json"))
                    .as_object()
                    .unwrap()
                    .values()
                {
                    assert!(read(texture["file"].as_str().unwrap()).starts_with(b"\x89PNG"));
                }
            }
        }
        assert!(
            json("data/names.json")["names"]
                .as_array()
                .is_some_and(|names| !names.is_empty())
        );
        let own = place.path().to_str().unwrap().as_bytes();
        for (path, bytes) in snapshot(&site) {
            assert!(
                !bytes.windows(own.len()).any(|part| part == own),
                "{name}: {path} says where it was made"
            );
        }
        // It is only replaced on request, and never if it is not refit's.
        assert_eq!(run("").status.code(), Some(1));
        assert!(run("--force").status.success());
        std::fs::remove_file(site.join(".refit/export")).unwrap();
        assert_eq!(run("--force").status.code(), Some(1));
        assert!(root.is_dir());
    }
}

/// Files that appear, change their size or vanish are in the list without a restart.
#[test]
fn new_and_deleted_files_are_listed_while_the_page_is_open() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    let listed = || {
        let opened = server.json("/api/opened");
        let files = opened["files"].as_array().unwrap().clone();
        let row = |file: &Value| {
            (
                file["path"].as_str().unwrap().to_owned(),
                file["number"].clone(),
                file["bytes"].clone(),
            )
        };
        (
            opened["version"].as_u64().unwrap(),
            files.iter().map(row).collect::<Vec<_>>(),
        )
    };
    let (mut version, before) = listed();
    let mut changed = || {
        let changed = server.json(&format!("/api/changes?since={version}"));
        version = changed["version"].as_u64().unwrap();
        changed["files"].as_array().unwrap().clone()
    };
    let (path, ..) = before
        .iter()
        .find(|(path, ..)| path.ends_with("zrdr.zbd"))
        .unwrap();
    std::fs::create_dir_all(root.join("zbd/m9")).unwrap();
    std::fs::copy(root.join(path), root.join("zbd/m9/zrdr.zbd")).unwrap();
    assert_eq!(changed(), [before.len()]);
    let (_, with_new) = listed();
    assert_eq!(with_new[..before.len()], before);
    assert_eq!(with_new.last().unwrap().0, "zbd/m9/zrdr.zbd");
    assert_eq!(
        server
            .get(&format!("/api/file/{}/tree", before.len()))
            .status,
        200
    );
    let bytes = std::fs::read(root.join("zbd/m9/zrdr.zbd")).unwrap();
    std::fs::write(root.join("zbd/m9/zrdr.zbd"), &bytes[..bytes.len() - 100]).unwrap();
    assert_eq!(changed(), [before.len()]);
    assert_eq!(listed().1.last().unwrap().2, bytes.len() - 100);
    std::fs::remove_file(root.join("zbd/m9/zrdr.zbd")).unwrap();
    assert_eq!(changed(), [before.len()]);
    assert_eq!(listed().1, before);
    assert_eq!(
        server
            .get(&format!("/api/file/{}/tree", before.len()))
            .status,
        404
    );
    // It comes back under its number.
    std::fs::write(root.join("zbd/m9/zrdr.zbd"), &bytes).unwrap();
    assert_eq!(changed(), [before.len()]);
    assert_eq!(listed().1, with_new);
}

/// Pages that were closed while they waited for changes take no place away from others.
#[test]
fn polls_that_were_left_do_not_keep_others_waiting() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    let version = server.json("/api/opened")["version"].clone();
    let waiting: Vec<_> = (0..80)
        .map(|_| server.connect(&format!("/api/changes?since={version}")))
        .collect();
    drop(waiting);
    let begun = Instant::now();
    // A system may need a moment to notice that they are closed.
    while server.get("/api/opened").status != 200 && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

/// A pipe in the place of a file would be read forever, and with it all other files.
#[cfg(unix)]
#[test]
fn a_file_that_becomes_a_pipe_blocks_no_other() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    let opened = server.json("/api/opened");
    let files = opened["files"].as_array().unwrap();
    let file = files
        .iter()
        .find(|f| f["path"].as_str().unwrap().ends_with("zrdr.zbd"))
        .unwrap();
    let path = root.join(file["path"].as_str().unwrap());
    std::fs::remove_file(&path).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let begun = Instant::now();
    assert_ne!(
        server
            .get(&format!("/api/file/{}/tree", file["number"]))
            .status,
        200
    );
    let other = files.iter().find(|f| f["format"] == "gamez").unwrap();
    assert_eq!(
        server.get(&format!("/api/file/{}", other["number"])).status,
        200
    );
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

/// A project of the example, and a server for it.
fn with_project() -> (tempfile::TempDir, std::path::PathBuf, Server) {
    project_of("rc")
}

/// A project of a game, and a server for it.
fn project_of(code: &str) -> (tempfile::TempDir, std::path::PathBuf, Server) {
    let place = tempfile::tempdir().unwrap();
    let game = place.path().join("game");
    games::write(&game, &games::installation(code, &games::names(code)));
    let project = place.path().join("project");
    let made = Command::new(program())
        .arg("unpack")
        .arg(&game)
        .arg("-o")
        .arg(&project)
        .output()
        .unwrap();
    assert!(made.status.success());
    let server = Server::start(&project, &place.path().join("cache"));
    (place, project, server)
}

/// An edit that sets the far plane of the first camera.
fn far_plane(server: &Server, value: f64) -> (String, Value) {
    let opened = server.json("/api/opened");
    let files = opened["files"].as_array().unwrap();
    let world = files.iter().find(|file| file["format"] == "gamez").unwrap();
    let tree = server.json(&format!("/api/file/{}/tree", world["number"]));
    let parts = tree["parts"].as_array().unwrap();
    for part in parts.iter().filter_map(|part| part["path"].as_str()) {
        if !part.starts_with("nodes/") {
            continue;
        }
        let asked = format!("/api/file/{}/part?path={}", world["number"], percent(part));
        let document = server.json(&asked);
        let nodes = document["nodes"].as_array().unwrap();
        if let Some(at) = nodes
            .iter()
            .position(|node| node["data"]["camera"].is_object())
        {
            let path = format!("nodes[{at}].data.camera.clip_far");
            let file = world["path"].as_str().unwrap().to_owned();
            let edit = serde_json::json!({ "do": "set", "file": file, "part": part, "path": path, "value": value });
            return (format!("{file}/{part}"), edit);
        }
    }
    panic!("no camera");
}

/// The whole way: edit, see, undo, redo, take back, build, take out.
#[test]
fn edits_of_the_page_are_made_in_the_project() {
    let (place, project, server) = with_project();
    let (part, edit) = far_plane(&server, 1234.0);
    let text = || std::fs::read_to_string(project.join(&part)).unwrap();
    let before = text();
    let state = server.json("/api/edits");
    assert_eq!(
        (&state["editable"], &state["can_undo"]),
        (&true.into(), &false.into()),
        "{state}"
    );
    assert_eq!(
        state["project"]
            .as_str()
            .map(|path| path.ends_with("project")),
        Some(true)
    );
    let game = || snapshot(&place.path().join("game"));
    let pristine = game();
    let done = server.post("/api/edit", &edit).json();
    assert_eq!(done["number"], 1, "{done}");
    assert!(text().contains("\"clip_far\": 1234.0"));
    assert!(
        done["changed"][0]["part"]
            .as_str()
            .unwrap()
            .starts_with("nodes/")
    );
    assert!(game() == pristine, "only a build writes the game");
    // What the page shows is the edited state.
    let (_, next) = far_plane(&server, 99.0);
    assert_eq!(next["path"], edit["path"]);
    let undone = server.post("/api/undo", &serde_json::json!({})).json();
    assert!(
        undone["label"].as_str().unwrap().starts_with("undone"),
        "{undone}"
    );
    assert_eq!(text(), before);
    server.post("/api/redo", &serde_json::json!({})).json();
    assert!(text() != before);
    let mut stale = edit.clone();
    stale["old"] = 5000.0.into();
    let refused = server.post("/api/edit", &stale);
    assert_eq!(refused.status, 422);
    let why = refused.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(why.contains("1234.0") && why.contains("5000.0"), "{why}");
    let waiting = || server.json("/api/built")["waiting"].clone();
    assert_eq!(waiting(), json!([edit["file"]]));
    let built = server.post("/api/build", &serde_json::json!({})).json();
    assert_eq!(built["built"].as_array().unwrap().len(), 1, "{built}");
    assert!(game() != pristine);
    assert_eq!(waiting(), json!([]), "the game has the edit");
    let listed = server.json("/api/edits");
    assert_eq!(listed["edits"][0]["number"], 1);
    assert!(
        listed["edits"][0]["parts"][0]["lines"][0]
            .as_str()
            .unwrap()
            .contains("1234.0")
    );
    server
        .post("/api/revert", &serde_json::json!({ "number": 1 }))
        .json();
    assert_eq!(text(), before);
    assert_eq!(waiting(), json!([edit["file"]]), "and has it still");
    let restored = server.post("/api/restore", &serde_json::json!({})).json();
    assert_eq!(
        restored["restored"].as_array().unwrap().len(),
        1,
        "{restored}"
    );
    // The other program sees the same edits.
    let listed = Command::new(program())
        .arg("changes")
        .arg(&project)
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        listed.contains("   2  taken back: edit 1") && listed.contains("2 edits"),
        "{listed}"
    );
}

/// Folders of this machine are no part of what is opened: only a page that may edit lists them, to
/// choose the file of a key.
#[test]
fn only_a_page_that_may_edit_lists_folders() {
    let (place, root) = game("rc");
    let cache = place.path().join("cache");
    let (_place, _project, project) = with_project();
    let game = Server::start(&root, &cache);
    for server in [&project, &game] {
        assert!(server.json("/api/folder")["folders"].is_array());
    }
    let alone = Server::start(&root.join("zbd/m1/gamez.zbd"), &cache);
    let against = ["--against", root.to_str().unwrap()];
    let against = Server::start_with(&root, &cache, &against);
    for server in [&alone, &against] {
        assert_eq!(server.json("/api/edits")["editable"], false);
        for path in ["/api/folder", "/api/folder?path=/"] {
            let refused = server.get(path);
            assert_eq!(refused.status, 404, "{path}");
            let answer = String::from_utf8_lossy(&refused.body).into_owned();
            assert!(
                answer.contains("edits nothing") && !answer.contains("folders\":"),
                "{answer}"
            );
        }
    }
}

/// What the game lacks takes long to find out, and edits do not wait for it.
#[test]
fn edits_do_not_wait_for_the_question_what_the_game_lacks() {
    let (_place, project, server) = with_project();
    // The question waits for another refit, which seems to be writing the project.
    let (other, _) = refit::tree::disk::Together::begin(&project, "test").unwrap();
    let journal = project.join(".refit-journal");
    std::fs::write(&journal, "{}").unwrap();
    let answered = [AtomicBool::new(false), AtomicBool::new(false)];
    let [built, mods] = &answered;
    std::thread::scope(|scope| {
        let ask = |path: &'static str, answered| {
            let server = &server;
            scope.spawn(move || {
                server.get(path);
                AtomicBool::store(answered, true, Ordering::SeqCst);
            })
        };
        let waits = ask("/api/built", built);
        std::thread::sleep(Duration::from_millis(500));
        // It has its turn among the edits, and needs nothing of the project.
        let goes_on = ask("/api/mods", mods);
        let end = Instant::now() + Duration::from_secs(8);
        while !mods.load(Ordering::SeqCst) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        let state = answered.each_ref().map(|each| each.load(Ordering::SeqCst));
        std::fs::remove_file(&journal).unwrap();
        drop(other);
        waits.join().unwrap();
        goes_on.join().unwrap();
        assert_eq!(
            state,
            [false, true],
            "answered: built, and what comes after it"
        );
    });
    assert_eq!(server.json("/api/built"), json!({ "waiting": [] }));
}

/// A game without a project: nothing is written before the page has asked where, and then beside the
/// game.
#[test]
fn a_game_is_read_only_until_it_has_a_project() {
    let (place, root) = game("rc");
    let server = Server::start(&root, &place.path().join("cache"));
    let (_, edit) = far_plane(&server, 777.0);
    let state = server.json("/api/edits");
    assert_eq!(state["editable"], false);
    let proposal = state["proposal"].as_str().unwrap().to_owned();
    assert!(proposal.ends_with("GAME-mod"), "{proposal}");
    let refused = server.post("/api/edit", &edit);
    assert_eq!(refused.status, 422);
    assert!(
        refused.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("where the project shall be")
    );
    for (project, why) in [
        ("relative", "absolute"),
        (root.join("inside").to_str().unwrap(), "inside of its game"),
    ] {
        let refused = server.post("/api/begin", &serde_json::json!({ "project": project }));
        assert_eq!(refused.status, 422);
        assert!(
            refused.json()["error"]["message"]
                .as_str()
                .unwrap()
                .contains(why)
        );
    }
    let before = snapshot(&root);
    let begun = server.post("/api/begin", &serde_json::json!({ "project": proposal }));
    assert_eq!(begun.status, 200, "{}", begun.json());
    let done = server.post("/api/edit", &edit).json();
    assert_eq!(done["number"], 1, "{done}");
    assert!(snapshot(&root) == before);
    let number = server.json("/api/opened")["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|file| file["path"] == edit["file"])
        .unwrap()["number"]
        .clone();
    let part = edit["part"].as_str().unwrap();
    let shown = server.get(&format!("/api/file/{number}/part?path={}", percent(part)));
    assert!(String::from_utf8_lossy(&shown.body).contains("\"clip_far\": 777.0"));
    let difference = server.json(&format!("/api/diff/{number}"));
    assert_eq!(
        difference["parts"][0]["fields"][0]["new"], 777.0,
        "{difference}"
    );
    // A later page goes on with the project.
    drop(server);
    let server = Server::start(&root, &place.path().join("cache"));
    let state = server.json("/api/edits");
    assert_eq!(
        (&state["editable"], &state["edits"][0]["number"]),
        (&true.into(), &1.into())
    );
    let shown = server.get(&format!("/api/file/{number}/part?path={}", percent(part)));
    assert!(String::from_utf8_lossy(&shown.body).contains("\"clip_far\": 777.0"));
}

/// Requests for edits that get nothing.
#[test]
fn hostile_edits_are_refused() {
    let (_place, project, server) = with_project();
    let (_, edit) = far_plane(&server, 5.0);
    let before = snapshot(&project);
    let body = edit.to_string();
    let length = body.len().to_string();
    let own = format!("http://{}", server.host);
    let good: Vec<(&str, &str)> = vec![
        ("Host", &server.host),
        ("x-refit-token", &server.token),
        ("Origin", &own),
        ("Content-Type", "application/json"),
        ("Content-Length", &length),
    ];
    let without = |name: &str| -> Vec<(&str, &str)> {
        good.iter()
            .copied()
            .filter(|(own, _)| *own != name)
            .collect()
    };
    let with = |name: &'static str, value: &'static str| {
        let mut all = without(name);
        all.push((name, value));
        all
    };
    let send = |path: &str, headers: &[(&str, &str)], body: &str| {
        let head: String = headers
            .iter()
            .map(|(k, v)| format!("{k}: {v}\r\n"))
            .collect();
        server
            .raw(&format!("POST {path} HTTP/1.1\r\n{head}\r\n{body}"))
            .status
    };
    let in_query = format!("/api/edit?token={}", server.token);
    let cookie = format!("refit={}", server.token);
    let mut by_cookie = without("x-refit-token");
    by_cookie.push(("Cookie", &cookie));
    let mut twice = good.clone();
    twice.push(("x-refit-token", &server.token));
    let mut chunked = without("Content-Length");
    chunked.push(("Transfer-Encoding", "chunked"));
    let too_long = "9999999999".to_owned();
    let mut oversized = without("Content-Length");
    oversized.push(("Content-Length", &too_long));
    let large = (1 << 20) + 1;
    let large_length = large.to_string();
    let mut large_value = without("Content-Length");
    large_value.push(("Content-Length", &large_length));
    for (what, status, path, headers, body) in [
        (
            "no origin",
            403,
            "/api/edit",
            without("Origin"),
            body.as_str(),
        ),
        (
            "another origin",
            403,
            "/api/edit",
            with("Origin", "http://example.com"),
            &body,
        ),
        (
            "the null origin",
            403,
            "/api/edit",
            with("Origin", "null"),
            &body,
        ),
        (
            "no token",
            403,
            "/api/edit",
            without("x-refit-token"),
            &body,
        ),
        (
            "another token",
            403,
            "/api/edit",
            with("x-refit-token", "0123456789abcdef"),
            &body,
        ),
        (
            "a token in the query",
            403,
            &in_query,
            without("x-refit-token"),
            &body,
        ),
        ("a token in a cookie", 403, "/api/edit", by_cookie, &body),
        ("two tokens", 403, "/api/edit", twice, &body),
        (
            "another host",
            403,
            "/api/edit",
            with("Host", "example.com"),
            &body,
        ),
        ("no type", 415, "/api/edit", without("Content-Type"), &body),
        (
            "a form",
            415,
            "/api/edit",
            with("Content-Type", "text/plain"),
            &body,
        ),
        (
            "another site",
            403,
            "/api/edit",
            {
                let mut all = good.clone();
                all.push(("Sec-Fetch-Site", "same-site"));
                all
            },
            &body,
        ),
        (
            "no length",
            411,
            "/api/edit",
            without("Content-Length"),
            &body,
        ),
        ("chunks", 411, "/api/edit", chunked, &body),
        ("a huge length", 413, "/api/edit/file", oversized, ""),
        ("a large value", 413, "/api/edit", large_value, ""),
        (
            "a longer body",
            400,
            "/api/edit",
            good.clone(),
            &format!("{body} {body}"),
        ),
        (
            "another address",
            422,
            "/api/edit/text",
            good.clone(),
            &body,
        ),
        ("no address", 405, "/api/edit/other", good.clone(), &body),
    ] {
        assert_eq!(send(path, &headers, body), status, "{what}");
        assert!(snapshot(&project) == before, "{what}");
    }
    for bad in [
        "",
        "null",
        "[]",
        "{\"do\":\"set\"}",
        "{\"do\":\"quit\"}",
        "\u{0}",
    ] {
        let bad_length = bad.len().to_string();
        let mut headers = without("Content-Length");
        headers.push(("Content-Length", &bad_length));
        assert_eq!(send("/api/edit", &headers, bad), 422, "{bad:?}");
    }
    for (method, path) in [
        ("GET", "/api/edit"),
        ("PUT", "/api/edit"),
        ("GET", "/api/undo"),
        ("HEAD", "/api/build"),
    ] {
        let text: String = good.iter().map(|(k, v)| format!("{k}: {v}\r\n")).collect();
        assert_eq!(
            server
                .raw(&format!("{method} {path} HTTP/1.1\r\n{text}\r\n{body}"))
                .status,
            405,
            "{method}"
        );
    }
    assert!(snapshot(&project) == before);
    // A client that sends half of a body does not block others.
    let mut half = TcpStream::connect(&server.host).unwrap();
    let text: String = good.iter().map(|(k, v)| format!("{k}: {v}\r\n")).collect();
    half.write_all(format!("POST /api/edit HTTP/1.1\r\n{text}\r\n{{").as_bytes())
        .unwrap();
    assert_eq!(server.post("/api/edit", &edit).status, 200);
    drop(half);
    assert!(snapshot(&project) != before);
}

/// Two writers at once: every edit is made, one after the other, and each can be undone.
#[test]
fn two_pages_edit_at_once() {
    let (_place, project, server) = with_project();
    let (part, edit) = far_plane(&server, 5.0);
    let other = Server::start(&project, &_place.path().join("cache2"));
    let before = std::fs::read_to_string(project.join(&part)).unwrap();
    std::thread::scope(|scope| {
        for (n, server) in [&server, &other].into_iter().enumerate() {
            let mut edit = edit.clone();
            scope.spawn(move || {
                for i in 0..5 {
                    edit["value"] = (100 * (n + 1) + i).into();
                    let done = server.post("/api/edit", &edit);
                    assert_eq!(done.status, 200, "{}", String::from_utf8_lossy(&done.body));
                }
            });
        }
    });
    assert_eq!(
        server.json("/api/edits")["edits"].as_array().unwrap().len(),
        10
    );
    for i in 0..10 {
        let server = if i % 2 == 0 { &server } else { &other };
        assert_eq!(server.post("/api/undo", &serde_json::json!({})).status, 200);
    }
    assert_eq!(
        std::fs::read_to_string(project.join(&part)).unwrap(),
        before
    );
}

/// After each edit, also of another program, the scene is the one that a new server reads: what
/// edits keep of a world is never shown after the world changed.
#[test]
fn the_scene_after_an_edit_is_that_of_a_new_server() {
    for game in ["rc", "pm"] {
        let (place, project, server) = project_of(game);
        let opened = server.json("/api/opened");
        let files = opened["files"].as_array().unwrap();
        let world = files.iter().find(|file| file["format"] == "gamez").unwrap();
        let (number, file) = (&world["number"], world["path"].as_str().unwrap());
        let (head, _) = header(&server.get(&format!("/api/file/{number}/scene")).body);
        let names = head["nodes"]["names"].as_array().unwrap();
        let node = names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| name.starts_with("door"));
        let node = node.unwrap();
        let scene_with = |query: &str| {
            let asked = format!("/api/file/{number}/scene{query}");
            server.get(&asked).body
        };
        let mut had = scene_with("");
        assert!(had == scene_with("?shapes=nothing"), "{game}");
        let (mut made, mut without_shapes) = (0, 0);
        for n in 0..8 {
            let place_of = json!({ "at": [n, 2, 3], "scale": [1, 2, 1] });
            let change = match n % 4 {
                0 => json!({ "do": "move", "node": node, "motion": place_of }),
                1 => {
                    json!({ "do": "copy", "node": node, "name": format!("copy{n}"), "motion": place_of })
                }
                2 => {
                    json!({ "do": "rename", "node": format!("copy{}", n - 1), "name": format!("other{n}") })
                }
                _ => {
                    json!({ "do": "move", "node": format!("other{}", n - 1), "motion": { "turn": 30 } })
                }
            };
            let edit = json!({ "do": "world", "file": file, "change": change });
            made += usize::from(server.post("/api/edit", &edit).status == 200);
            if n % 3 == 2 {
                let folder = project.join(file).join("nodes");
                let (path, text) = snapshot(&folder).remove(0);
                let text = String::from_utf8(text).unwrap();
                let start = text.find("\"translation\"").unwrap();
                let start = start + text[start..].find('[').unwrap() + 1;
                let end = start + text[start..].find(',').unwrap();
                let text = format!("{}{n}.5{}", &text[..start], &text[end..]);
                std::fs::write(folder.join(path), text).unwrap();
            }
            let fresh = Server::start(&project, &place.path().join(format!("cache{n}")));
            let scene = |server: &Server| server.get(&format!("/api/file/{number}/scene")).body;
            let whole = scene(&server);
            assert!(whole == scene(&fresh), "{game}, edit {n}");
            // A page that has the shapes gets the rest.
            let sum = header(&had).0["shapes_sum"].clone();
            let rest = scene_with(&format!("?shapes={}", sum.as_str().unwrap()));
            match header(&whole).0["shapes_sum"] == sum {
                true => {
                    without_shapes += 1;
                    assert_is_rest(&rest, &had, &whole);
                }
                // The name of a model follows that of its node.
                false => assert!(rest == whole, "{game}, edit {n}"),
            }
            let alone = |more| scene_with(&format!("?shape=0{more}"));
            assert!(alone("") == alone(&format!("&shapes={}", sum.as_str().unwrap())));
            had = whole;
        }
        assert!(made >= 6, "{game}: {made} edits");
        assert!(
            without_shapes >= 4,
            "{game}: {without_shapes} edits of objects"
        );
    }
}

/// Checks that a scene without shapes and an earlier scene are together the whole scene.
fn assert_is_rest(rest: &[u8], had: &[u8], whole: &[u8]) {
    let [(rest_head, rest_at), (had_head, had_at), (head, at)] = [rest, had, whole].map(header);
    let data = |scene: &[u8], head: &Value, at: usize, name: &str, each: usize| {
        let place = head["data"][name].as_array()?;
        let [start, count] = [0, 1].map(|n| place[n].as_u64().unwrap() as usize);
        Some(scene[at + start..at + start + count * each].to_vec())
    };
    for key in ["shapes", "materials", "textures"] {
        assert_eq!(rest_head[key], Value::Null);
        assert_eq!(had_head[key], head[key]);
    }
    for key in [
        "game",
        "name",
        "nodes",
        "world",
        "lights",
        "notes",
        "shapes_sum",
    ] {
        assert_eq!(rest_head[key], head[key], "{key}");
    }
    for (name, each) in [
        ("position", 12),
        ("normal", 4),
        ("uv", 8),
        ("color", 4),
        ("index", 4),
    ] {
        assert_eq!(data(rest, &rest_head, rest_at, name, each), None);
        let now = data(whole, &head, at, name, each);
        assert!(
            now.is_some() && now == data(had, &had_head, had_at, name, each),
            "{name}"
        );
    }
    for (name, each) in [("range", 8), ("cell", 4), ("matrix", 48), ("pose", 24)] {
        let now = data(whole, &head, at, name, each);
        assert!(
            now.is_some() && now == data(rest, &rest_head, rest_at, name, each),
            "{name}"
        );
    }
    let rows = |scene, head, at| {
        let bytes = data(scene, head, at, "node", 32).unwrap();
        let words = bytes.chunks(4);
        let words: Vec<i32> = words
            .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        words.chunks(8).map(<[i32]>::to_vec).collect::<Vec<_>>()
    };
    let shapes = head["shapes"].as_array().unwrap();
    let mut own = rows(rest, &rest_head, rest_at);
    for row in own.iter_mut().filter(|row| row[1] >= 0) {
        let shape = shapes.iter().position(|shape| shape["model"] == row[1]);
        row[1] = shape.map_or(-1, |shape| shape as i32);
    }
    assert_eq!(own, rows(whole, &head, at));
}

/// All points of a glTF file, moved up by a factor.
#[cfg(unix)]
fn stretched(glb: &[u8], factor: f32) -> Vec<u8> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let root: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let mut out = glb.to_vec();
    for mesh in root["meshes"].as_array().unwrap() {
        for part in mesh["primitives"].as_array().unwrap() {
            let of = |value: &Value| value.as_u64().unwrap_or(0) as usize;
            let accessor = &root["accessors"][of(&part["attributes"]["POSITION"])];
            let view = &root["bufferViews"][of(&accessor["bufferView"])];
            let first = 28 + length + of(&view["byteOffset"]) + of(&accessor["byteOffset"]);
            for n in 0..of(&accessor["count"]) {
                let at = first + n * view["byteStride"].as_u64().unwrap_or(12) as usize + 4;
                let y = f32::from_le_bytes(glb[at..at + 4].try_into().unwrap());
                out[at..at + 4].copy_from_slice(&(y * factor).to_le_bytes());
            }
        }
    }
    out
}

/// A model is written beside the project and opened with a command line of refit alone; each save is
/// one edit, which is that of `refit put`. A hostile request starts nothing.
#[cfg(unix)]
#[test]
fn a_model_opens_in_blender_and_comes_back() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let example = roundtrip_tests::root().join("docs/example/recoil");
    roundtrip_tests::process::copy_folder(&example, &place.path().join("game"));
    let tower = roundtrip_tests::root().join("docs/example/models/tower.gltf");
    let add = format!(
        "world add game/zbd/m1/gamez.zbd {} --at 0,0,0 -q",
        tower.display()
    );
    roundtrip_tests::process::run(place.path(), &add).code(0);
    roundtrip_tests::process::run(place.path(), "unpack game -o project -q").code(0);
    let project = place.path().join("project");
    let server = Server::start(&project, &place.path().join("cache"));
    let at = |name: &str| place.path().join(name);
    let blender = at("cache/blender");
    std::fs::create_dir_all(at("cache")).unwrap();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\0' \"$@\" > '{0}.new'\nmv '{0}.new' '{0}'\n",
        at("started").display()
    );
    std::fs::write(&blender, script).unwrap();
    std::fs::set_permissions(&blender, PermissionsExt::from_mode(0o755)).unwrap();
    let (file, member) = ("zbd/m1/gamez.zbd", "models/0000-tower");
    let before = snapshot(&project);
    let game = snapshot(&at("game"));
    let open = |file: &str, member: &str| {
        let body = serde_json::json!({ "file": file, "member": member });
        server.post("/api/blender", &body)
    };
    for (file, member) in [
        ("../game/zbd/zrdr.zbd", member),
        (file, "../../etc/passwd"),
        (file, "--python-expr"),
        (file, ""),
        ("zbd/zrdr.zbd", "sounds.zrd"),
    ] {
        assert_ne!(open(file, member).status, 200, "{file} {member}");
    }
    let more = serde_json::json!({ "file": file, "member": member, "program": "/bin/true" });
    assert_eq!(server.post("/api/blender", &more).status, 422);
    let head = format!(
        "Host: {}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n",
        server.host
    );
    let asked = |more: &str| {
        let request = format!("POST /api/blender HTTP/1.1\r\n{head}{more}\r\n{{}}");
        server.raw(&request).status
    };
    assert_eq!(asked(""), 403);
    assert_eq!(asked(&format!("Origin: http://{}\r\n", server.host)), 403);
    assert!(!at("started").exists() && !at("project-blender").exists());

    let answer = open(file, member).json();
    assert_eq!(answer["started"], true, "{answer}");
    let path = std::path::PathBuf::from(answer["path"].as_str().unwrap());
    assert!(path.starts_with(at("project-blender").canonicalize().unwrap()));
    for _ in 0..100 {
        if at("started").exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let started = std::fs::read_to_string(at("started")).unwrap();
    let words: Vec<&str> = started.split_terminator('\0').collect();
    assert_eq!(
        (words.len(), words[0], words[2], words[3]),
        (4, "--python-expr", "--", answer["path"].as_str().unwrap())
    );
    assert!(words[1].contains("import_scene.gltf") && !words[1].contains(member));
    let state = server.json("/api/edits");
    assert_eq!(state["blender"][0]["path"], answer["path"], "{state}");

    let take = || server.post("/api/blender/take", &serde_json::json!({}));
    assert_eq!(take().json()["label"], "nothing to do");
    let glb = std::fs::read(&path).unwrap();
    let settled = |content: &[u8]| {
        std::fs::write(&path, content).unwrap();
        assert_eq!(
            take().json()["label"],
            "nothing to do",
            "it may still be written"
        );
        take()
    };
    assert_eq!(
        settled(&glb).json()["number"],
        Value::Null,
        "it is as it was"
    );
    assert_eq!(settled(&glb[..glb.len() / 2]).status, 422, "a broken file");
    assert_eq!(take().json()["label"], "nothing to do", "it is said once");
    assert!(snapshot(&project) == before);
    let done = settled(&stretched(&glb, 1.5)).json();
    assert_eq!(done["number"], 1, "{done}");
    assert!(done["label"].as_str().unwrap().contains(member), "{done}");
    // A model that was saved is not overwritten.
    let again = open(file, member).json();
    assert_ne!(again["path"], answer["path"]);

    roundtrip_tests::process::run(place.path(), "unpack game -o other -q").code(0);
    let put = format!("put other/{file} {member} {} --textures", path.display());
    roundtrip_tests::process::run(place.path(), &put).code(0);
    let own = |root: &str| {
        let mut all = snapshot(&at(root).join(file));
        all.retain(|(path, _)| !path.starts_with(".refit"));
        all
    };
    assert!(own("project") == own("other"), "refit put makes the same");
    server.post("/api/undo", &serde_json::json!({})).json();
    let mut now = snapshot(&project);
    now.retain(|(path, _)| before.iter().any(|(own, _)| own == path));
    assert!(now == before && snapshot(&at("game")) == game);
}

/// The source of a definition is asked for and edited; what has none says why.
#[test]
fn a_definition_is_edited_by_its_source() {
    let (_place, project, server) = with_project();
    let opened = server.json("/api/opened");
    let files = opened["files"].as_array().unwrap();
    let definitions = files
        .iter()
        .filter(|file| file["format"] == "anim")
        .flat_map(|file| {
            let tree = server.json(&format!("/api/file/{}/tree", file["number"]));
            let parts = tree["parts"].as_array().unwrap().clone();
            let parts = parts
                .into_iter()
                .filter(|part| part["document"] == "anim-definition");
            parts.map(|part| (file.clone(), part["path"].as_str().unwrap().to_owned()))
        });
    let ask = |file: &Value, part: &str| {
        server.json(&format!(
            "/api/file/{}/source?path={}",
            file["number"],
            percent(part)
        ))
    };
    let key = "ACTIVATION ( ON_CALL )";
    let (anim, part, source) = definitions
        .map(|(file, part)| {
            let source = ask(&file, &part);
            (file, part, source)
        })
        .find(|(_, _, source)| {
            let text = source["text"].as_str().unwrap_or_default();
            text.contains(key) && !text.contains("HEALTH") && source["events"][0].is_array()
        })
        .unwrap();
    let file = anim["path"].as_str().unwrap();
    let text = source["text"].as_str().unwrap();
    assert!(text.starts_with("ANIMATION_DEFINITIONS ("), "{text}");
    let document = || {
        let asked = format!("/api/file/{}/part?path={}", anim["number"], percent(&part));
        server.json(&asked)
    };
    // Each event is in its line.
    for row in source["events"].as_array().unwrap() {
        let line = usize::try_from(row[1].as_u64().unwrap()).unwrap();
        let line = text.lines().nth(line - 1).unwrap();
        let at = row[0].as_str().unwrap();
        let event = at
            .split(['[', ']', '.'])
            .filter(|step| !step.is_empty())
            .fold(document(), |value, step| match step.parse::<usize>() {
                Ok(at) => value[at].clone(),
                Err(_) => value[step].clone(),
            });
        let keys: Vec<&String> = event.as_object().unwrap().keys().collect();
        assert!(
            keys.iter().any(|key| line.contains(key.as_str())),
            "{at}: {line} is {event}"
        );
    }
    let edit = |health: &str| {
        let text = text.replacen(key, &format!("HEALTH ( {health} ) {key}"), 1);
        serde_json::json!({
            "do": "definition", "file": file, "part": part, "text": text, "base": source["text"],
        })
    };
    // An error has line and column.
    let at = text.lines().position(|line| line.contains(key)).unwrap();
    let refused = server.post("/api/check", &edit("much"));
    assert_eq!(refused.status, 422);
    let error = refused.json();
    assert_eq!(error["error"]["line"], at + 1, "{error}");
    assert!(error["error"]["column"].as_u64().is_some(), "{error}");
    // Texts have their own address.
    let before = document();
    assert_eq!(server.post("/api/edit", &edit("77.5")).status, 422);
    assert_eq!(document(), before);
    let done = server.post("/api/edit/text", &edit("77.5")).json();
    assert_eq!(done["changed"][0]["part"], part.as_str(), "{done}");
    let mut expected = before.clone();
    expected["health"] = 77.5.into();
    assert_eq!(document(), expected);
    let now = ask(&anim, &part);
    assert!(
        now["text"].as_str().unwrap().contains("HEALTH ( 77.5 )"),
        "{now}"
    );
    server.post("/api/undo", &serde_json::json!({})).json();
    assert_eq!(ask(&anim, &part), source);
    for other in ["refit.json", "defs/none.json"] {
        let asked = format!("/api/file/{}/source?path={other}", anim["number"]);
        assert_eq!(server.get(&asked).status, 404, "{other}");
    }
    // A project that keeps the sources.
    let made = Command::new(program())
        .args(["anim", "decompile", "-o"])
        .arg(project.join("sources"))
        .arg(project.join(file))
        .output()
        .unwrap();
    assert!(made.status.success());
    let kept = ask(&anim, &part);
    assert_eq!(kept["text"], Value::Null);
    assert!(
        kept["why"].as_str().unwrap().ends_with("in sources"),
        "{kept}"
    );
}
