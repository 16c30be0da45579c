//! Files in memory answer the questions of the page as the server answers them from disk: the page
//! as static files with refit in a worker is the same page.

use refit::{
    Hints,
    view::{Bundle, Given, Query, View, refusal, unzip},
};
use roundtrip_tests::{
    games,
    process::{refit as command, snapshot},
    serve::{Server, percent},
};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../golden")
        .canonicalize()
        .unwrap()
}

/// The files of a folder, as a person drops it.
fn dropped(root: &Path) -> View {
    let name = root.file_name().unwrap().to_str().unwrap();
    view_of(name, snapshot(root), false)
}

fn view_of(name: &str, files: Vec<(String, Vec<u8>)>, is_named: bool) -> View {
    let list = files.iter().map(|(path, bytes)| Given {
        path: path.clone(),
        bytes: bytes.len() as u64,
        is_named,
    });
    let (list, mut seen) = (list.collect::<Vec<_>>(), 0);
    let bytes: Vec<bytes::Bytes> = files.into_iter().map(|(_, bytes)| bytes.into()).collect();
    let read = Box::new(move |number: usize| Ok(bytes[number].clone()));
    let view = View::of_files(name, list, Hints::default(), read, &mut |_, done, total| {
        assert!(done <= total);
        seen += 1;
    });
    let view = view.unwrap_or_else(|e| panic!("{e}"));
    assert!(seen >= view.len());
    view
}

/// A question to files in memory: the status and the body, and what HTTP would have as further
/// headers.
fn asked(view: &View, question: &str) -> (u16, Vec<u8>, Vec<(&'static str, String)>) {
    let (path, query) = question.split_once('?').unwrap_or((question, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query: Query = pairs
        .map(|(key, value)| (key.to_owned(), plain(value)))
        .collect();
    match view.answer(path, &query) {
        // For an empty answer the server sends a status and no type.
        Ok(answer) => (
            if answer.kind.is_empty() { 204 } else { 200 },
            answer.body.to_vec(),
            answer.headers,
        ),
        Err(e) => {
            let (status, error) = refusal(&e);
            (status, error.to_string().into_bytes(), Vec::new())
        }
    }
}

fn plain(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits = (byte == b'%').then(|| [rest.next().unwrap(), rest.next().unwrap()]);
        let hex = |digits: [u8; 2]| {
            u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
        };
        out.push(digits.map_or(byte, hex));
    }
    String::from_utf8(out).unwrap()
}

/// A server and files in memory, which receive the same questions.
struct Both {
    server: Server,
    view: View,
    /// The server's prefix of paths.
    root: String,
}

impl Both {
    /// Asks both, and returns the answer if both agree. Only the path of the folder may differ.
    fn ask(&self, question: &str) -> Vec<u8> {
        let answer = self.server.get(&format!("/api/{question}"));
        let (status, body, headers) = asked(&self.view, question);
        assert_eq!(
            answer.status,
            status,
            "{question}: {}",
            String::from_utf8_lossy(&body)
        );
        for (name, value) in headers {
            assert_eq!(answer.headers.get(name), Some(&value), "{question}: {name}");
        }
        let (theirs, ours) = match std::str::from_utf8(&answer.body) {
            Ok(text) => (text.replace(&self.root, "").into_bytes(), body.clone()),
            Err(_) => (answer.body, body.clone()),
        };
        let show =
            |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(600)]).into_owned();
        assert!(
            theirs == ours,
            "{question}:\n{}\n{}",
            show(&theirs),
            show(&ours)
        );
        body
    }

    fn json(&self, question: &str) -> Value {
        serde_json::from_slice(&self.ask(question)).unwrap()
    }
}

fn both(root: &Path, cache: &Path) -> Both {
    let server = Server::start(root, cache);
    // As the server spells it: with `/`, and on Windows with the drive.
    let spelled = server.json("/api/opened")["root"]
        .as_str()
        .map(str::to_owned);
    Both {
        server,
        view: dropped(root),
        root: format!("{}/", spelled.unwrap()),
    }
}

/// Asks everything about every file.
fn compare(both: &Both) {
    let disk = both.server.json("/api/opened");
    let (_, memory, _) = asked(&both.view, "opened");
    let mut memory: Value = serde_json::from_slice(&memory).unwrap();
    assert_eq!(memory["root"], memory["name"]);
    memory["root"] = disk["root"].clone();
    for (ours, theirs) in memory["files"]
        .as_array()
        .unwrap()
        .iter()
        .zip(disk["files"].as_array().unwrap())
    {
        let why = |file: &Value| file["why"].as_str().map(|why| why.replace(&both.root, ""));
        assert_eq!((&ours["path"], why(ours)), (&theirs["path"], why(theirs)));
    }
    memory["files"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .zip(disk["files"].as_array().unwrap())
        .for_each(|(ours, theirs)| ours["why"] = theirs["why"].clone());
    assert_eq!(memory, disk);
    for file in disk["files"].as_array().unwrap() {
        let number = &file["number"];
        let summary = both.json(&format!("file/{number}"));
        let tree = both.json(&format!("file/{number}/tree"));
        for part in tree["parts"].as_array().into_iter().flatten() {
            both.ask(&format!(
                "file/{number}/part?path={}",
                percent(part["path"].as_str().unwrap())
            ));
        }
        for question in ["findings", "explain", "explain?from=4&to=64"] {
            both.ask(&format!("file/{number}/{question}"));
        }
        both.ask(&format!("diff/{number}"));
        if summary["scene"] != true {
            continue;
        }
        let scene = both.ask(&format!("file/{number}/scene"));
        let length = u32::from_le_bytes(scene[4..8].try_into().unwrap()) as usize;
        let header: Value = serde_json::from_slice(&scene[8..8 + length]).unwrap();
        for texture in header["textures"].as_array().unwrap() {
            both.ask(&format!(
                "texture?name={}&near={number}",
                percent(texture.as_str().unwrap())
            ));
        }
    }
    let found = both.json("find?q=a&limit=40");
    for name in found["names"].as_array().unwrap() {
        let text = |key: &str| percent(name[key].as_str().unwrap());
        both.ask(&format!("refs?kind={}&name={}", text("kind"), text("name")));
    }
    both.ask("findings");
    both.ask("status");
    both.ask("schema?kind=manifest");
    both.ask("nothing");
}

#[test]
fn the_games_are_the_same_in_memory() {
    for name in ["rc", "mw", "pm", "cs"] {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("GAME");
        games::write(&root, &games::installation(name, &games::names(name)));
        // One file is edited, one damaged, one belongs to another program, and a tree is next to
        // its file.
        let files: Vec<String> = snapshot(&root).into_iter().map(|(path, _)| path).collect();
        let edited = root.join(
            files
                .iter()
                .find(|path| path.to_lowercase().ends_with("gamez.zbd"))
                .unwrap(),
        );
        std::fs::copy(&edited, edited.with_extension("zbd.orig")).unwrap();
        let mut bytes = std::fs::read(&edited).unwrap();
        bytes.push(0);
        std::fs::write(&edited, bytes).unwrap();
        let is_other = |path: &&String| {
            path.to_lowercase().ends_with(".zbd") && !path.to_lowercase().contains("gamez")
        };
        let damaged = root.join(files.iter().find(is_other).unwrap());
        let bytes = std::fs::read(&damaged).unwrap();
        std::fs::write(&damaged, &bytes[..bytes.len() - 9]).unwrap();
        std::fs::write(root.join("notes.txt"), "mine").unwrap();
        compare(&both(&root, &place.path().join("cache")));
    }
}

#[test]
fn the_golden_files_are_the_same_in_memory() {
    let place = tempfile::tempdir().unwrap();
    compare(&both(&golden(), &place.path().join("cache")));
}

/// Unpacking into a zip gives the tree of `refit unpack`, which repacks to the file; an edit of it
/// gives the same file as `refit repack`.
#[test]
fn a_zip_contains_the_tree_of_unpack() {
    for file in ["messages", "reader", "gamez", "pbo", "textures"] {
        let folder = golden().join(file);
        let path = snapshot(&folder)
            .into_iter()
            .map(|(path, _)| path)
            .find(|path| !path.contains('/') && !path.ends_with(".md") && path != "SHA256SUMS")
            .unwrap();
        let bytes = std::fs::read(folder.join(&path)).unwrap();
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join(&path), &bytes).unwrap();
        command(place.path())
            .args(["unpack", &path, "-o", "native"])
            .assert()
            .success();
        let view = view_of(&path, vec![(path.clone(), bytes.clone())], true);
        assert_eq!(view.verify(0).unwrap()["status"], "exact", "{path}");
        let mut bundle = Bundle::default();
        let tree = view.unpack(0, &mut bundle).unwrap()["tree"]
            .as_str()
            .unwrap()
            .to_owned();
        let zip = bundle.finish().unwrap();
        let files = unzip(&zip).unwrap();
        let inside = |path: &String| path.strip_prefix(&format!("{tree}/")).unwrap().to_owned();
        let ours: Vec<_> = files
            .iter()
            .map(|(path, bytes)| (inside(path), bytes.to_vec()))
            .collect();
        assert!(
            snapshot(&place.path().join("native")) == ours,
            "{path}: the zip has another tree"
        );

        let mut files: Vec<(String, Vec<u8>)> = files
            .into_iter()
            .map(|(path, b)| (path, b.to_vec()))
            .collect();
        let again = view_of("zip", files.clone(), false);
        assert_eq!(again.verify(0).unwrap()["identical"], true, "{path}");
        assert!(
            again.repack(0).unwrap() == (path.clone(), bytes.clone()),
            "{path}: another file"
        );
        // The folder of a tree itself, whatever its name.
        let own: Vec<_> = files
            .iter()
            .map(|(path, bytes)| (inside(path), bytes.clone()))
            .collect();
        for name in ["tree", own[0].0.split('/').next().unwrap(), "refit.json"] {
            let view = view_of(name, own.clone(), false);
            assert_eq!((view.len(), view.trees()), (1, vec![0]), "{path}");
            assert!(
                view.repack(0).unwrap() == (path.clone(), bytes.clone()),
                "{path}: another file"
            );
        }

        // A comment in a text would not reach the file: the manifest's name of the file does.
        let manifest = files
            .iter_mut()
            .find(|(path, _)| path.ends_with("/refit.json"))
            .unwrap();
        let renamed = String::from_utf8(manifest.1.clone())
            .unwrap()
            .replace(&path, "other.bin");
        manifest.1 = renamed.clone().into_bytes();
        std::fs::write(place.path().join("native/refit.json"), renamed).unwrap();
        command(place.path())
            .args(["repack", "native", "-o", "native.bin"])
            .assert()
            .success();
        let edited = view_of("zip", files, false);
        let (name, made) = edited.repack(0).unwrap();
        assert!(
            made == std::fs::read(place.path().join("native.bin")).unwrap() && name == "other.bin",
            "{path}"
        );
    }
}
