//! A client of `refit mcp`, and random calls of its tools.

use crate::{
    by_hand, games,
    process::{program, snapshot},
    sequences::Dice,
};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Most bytes of the texts of one page.
pub const PAGE: usize = 12_000;

/// A program that serves folders. It ends with this.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    /// Serves folders, given by their paths from `at`, with more arguments. The user's folder is
    /// `at/home`.
    pub fn start(at: &Path, folders: &[&str], more: &[&str]) -> Result<Self> {
        let mut child = Command::new(program())
            .current_dir(at)
            .arg("mcp")
            .args(folders)
            .args(more)
            .env("HOME", at.join("home"))
            .env_remove("XDG_CACHE_HOME")
            .env_remove("REFIT_CACHE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().context("the output is a pipe")?);
        let mut client = Client {
            child,
            input,
            output,
            last: 0,
        };
        let begun = client.request(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" } }),
        )?;
        ensure!(begun["result"]["serverInfo"]["name"] == "refit", "{begun}");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the input is open")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }

    /// Sends a request, and returns the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value =
            serde_json::from_str(&line).with_context(|| format!("{method}: {line:.300}"))?;
        ensure!(
            answer["jsonrpc"] == "2.0" && answer["id"] == id,
            "{line:.300}"
        );
        Ok(answer)
    }

    /// The texts of the result of a tool, and whether it is a failure.
    pub fn result(&mut self, tool: &str, arguments: Value) -> Result<(Vec<Value>, bool)> {
        let answer = self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )?;
        let result = &answer["result"];
        let content = result["content"].as_array();
        let content = content.with_context(|| format!("{tool}: {answer:.300}"))?;
        Ok((content.clone(), result["isError"] == true))
    }

    /// Calls a tool that answers with fields and rows.
    ///
    /// # Panics
    /// If it fails.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let (content, failed) = self.result(tool, arguments).unwrap();
        let text = content[0]["text"].as_str().unwrap();
        assert!(!failed, "{tool}: {text}");
        serde_json::from_str(text).unwrap_or_else(|e| panic!("{tool}: {e}: {text:.300}"))
    }

    /// Calls a tool that fails, and returns its words.
    ///
    /// # Panics
    /// If it does not fail.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let shown = arguments.to_string();
        let (content, failed) = self.result(tool, arguments).unwrap();
        let text = content[0]["text"].as_str().unwrap().to_owned();
        assert!(failed, "{tool} {shown}: {text}");
        text
    }

    /// Plans with a tool, and carries it out.
    pub fn plan_and_do(&mut self, tool: &str, arguments: Value) -> Value {
        let planned = self.call(tool, arguments);
        let plan = planned["plan"].as_str();
        let plan = plan.unwrap_or_else(|| panic!("{tool}: no plan: {planned}"));
        self.call("carry_out", json!({ "plan": plan }))
    }

    /// Ends the input, and waits for the program. True if it ended well.
    pub fn end(mut self) -> Result<bool> {
        self.input = None;
        let mut rest = String::new();
        while self.output.read_line(&mut rest)? > 0 {}
        ensure!(rest.is_empty(), "after the end: {rest:.300}");
        Ok(self.child.wait()?.success())
    }
}

/// What random calls did.
#[derive(Debug, Default)]
pub struct Tally {
    /// Calls that succeeded, and that failed as they may.
    pub done: usize,
    /// See `done`.
    pub refused: usize,
    /// How often a game was written.
    pub carried_out: usize,
}

/// Text in a file that no tool may read.
const SECRET: &str = "tell-nobody-7f3a";

/// Words that calls are made of: files, parts, paths, names.
struct Words {
    files: Vec<String>,
    parts: Vec<String>,
    tokens: Vec<String>,
    cursors: Vec<String>,
}

const PATHS: [&str; 12] = [
    "",
    "nodes[0].name",
    "nodes[2]",
    "nodes[camera1].data.camera.clip_far",
    "SAMPLES › creak › [3]",
    "messages[0].text",
    "[0]",
    "[1][0]",
    "members[0].name",
    "images",
    "x.y[99999999999999999999]",
    "$schema",
];

const PLACES: [&str; 13] = [
    "GAME/new.refitmod",
    "WORK/door.glb",
    "WORK/brick.png",
    "WORK/thud.wav",
    "WORK/new.refitmod",
    "WORK/other.refitmod",
    "WORK/my-mod",
    "GAME/readme.txt",
    "WORK/../outside/secret.txt",
    "../outside/secret.txt",
    "/etc/passwd",
    "WORK/link/secret.txt",
    "WORK/link/new.refitmod",
];

impl Words {
    fn one<'a>(dice: &mut Dice, words: &'a [String]) -> &'a str {
        words.get(dice.roll(words.len())).map_or("", String::as_str)
    }

    /// A value for an argument of this name and schema.
    fn value(&self, dice: &mut Dice, name: &str, schema: &Value) -> Value {
        if dice.one_in(24) {
            return self.anything(dice, 3);
        }
        let path = |dice: &mut Dice| {
            let bad = [
                "../outside/secret.txt",
                "zbd/../../outside/secret.txt",
                "/etc/passwd",
                "",
                "a\0b",
                "link",
            ];
            match dice.one_in(8) {
                true => bad[dice.roll(bad.len())].to_owned(),
                false => Self::one(dice, &self.files).to_owned(),
            }
        };
        match name {
            "folder" => {
                let folders = [
                    "my-mod", "my-mod", "my-mod", "my-mod", "GAME", "GAME", "WORK", "outside", "..",
                ];
                folders[dice.roll(folders.len())].into()
            }
            "game" => ["GAME", "GAME", "WORK", "nowhere"][dice.roll(4)].into(),
            "project" | "to" | "from" if schema["description"].to_string().contains("FOLDER/") => {
                PLACES[dice.roll(PLACES.len())].into()
            }
            "from" if schema["description"].to_string().contains("world") => path(dice).into(),
            "apply" => vec![PLACES[dice.roll(PLACES.len())]; 1 + dice.roll(2)].into(),
            "remove" => vec!["new"; 1 + dice.roll(2)].into(),
            "file" => path(dice).into(),
            "part" if !dice.one_in(8) => Self::one(dice, &self.parts).into(),
            "part" => path(dice).into(),
            "path" => PATHS[dice.roll(PATHS.len())].into(),
            "kind" => [
                "node",
                "texture",
                "picture",
                "sound",
                "reader",
                "gamez-nodes",
            ][dice.roll(6)]
            .into(),
            "node" | "name" | "member" | "under" | "texture" | "text" => [
                "camera1",
                "world1",
                "#2",
                "creak",
                "creak.wav",
                "brick",
                "sounds.zrd",
                "new",
                "é\n",
            ][dice.roll(9)]
            .into(),
            "plan" => Self::one(dice, &self.tokens).into(),
            "cursor" => Self::one(dice, &self.cursors).into(),
            "base64" => ["", "AAEC", "!", "iVBORw0KGgo="][dice.roll(4)].into(),
            "at" | "by" => json!([dice.roll(100), 0.5, -3]),
            "dry_run" | "force" => dice.one_in(2).into(),
            "number" | "index" | "to" => dice.roll(6).into(),
            "prefer" => ["none", "first", "last", "all"][dice.roll(4)].into(),
            _ => self.anything(dice, 3),
        }
    }

    /// A call of any tool, with arguments that may fit.
    fn call<'t>(&self, dice: &mut Dice, tools: &'t [Value]) -> (&'t str, Value) {
        let tool = tools.get(dice.roll(tools.len())).unwrap_or(&Value::Null);
        let schema = &tool["inputSchema"];
        let empty = Map::new();
        let fields = schema["properties"].as_object().unwrap_or(&empty);
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut arguments = Map::new();
        for (field, schema) in fields {
            let is_given = match required.contains(&field.as_str()) {
                true => !dice.one_in(60),
                false => dice.one_in(3),
            };
            if is_given {
                arguments.insert(field.clone(), self.value(dice, field, schema));
            }
        }
        if dice.one_in(100) {
            arguments.insert("more".to_owned(), Value::Null);
        }
        (
            tool["name"].as_str().unwrap_or_default(),
            Value::from(arguments),
        )
    }

    /// A call that usually succeeds.
    fn sensible(&self, dice: &mut Dice) -> (&'static str, Value) {
        let is_world = |file: &&String| file.to_ascii_lowercase().ends_with("gamez.zbd");
        let worlds: Vec<&String> = self.files.iter().filter(is_world).collect();
        let world = worlds
            .get(dice.roll(worlds.len()))
            .map_or("", |file| file.as_str());
        let node = format!("#{}", dice.roll(12));
        let file = Self::one(dice, &self.files);
        let newest = self.tokens.last().map_or("", String::as_str);
        let made = format!("WORK/{}.refitmod", dice.roll(4));
        match dice.roll(17) {
            16 => (
                "world_reparent",
                json!({ "file": world, "node": node, "under": format!("#{}", dice.roll(12)) }),
            ),
            0 => ("parts", json!({ "folder": "my-mod", "file": file })),
            1 => (
                "world_move",
                json!({ "file": world, "node": node, "by": [dice.roll(9), 0, 0.5] }),
            ),
            2 => (
                "world_copy",
                json!({ "file": world, "node": node, "name": format!("n{}", dice.roll(50)) }),
            ),
            3 => (
                "world_rename",
                json!({ "file": world, "node": node, "name": format!("r{}", dice.roll(50)),
                "force": true }),
            ),
            4 => (
                "world_remove",
                json!({ "file": world, "node": node, "force": dice.one_in(2) }),
            ),
            5 => (
                "world_add",
                json!({ "file": world, "from": "WORK/door.glb" }),
            ),
            6 => ("undo", json!({})),
            7 => ("redo", json!({})),
            8 => ("plan_build", json!({ "folder": "my-mod" })),
            9 => (
                "plan_restore",
                json!({ "folder": if dice.one_in(2) { "GAME" } else { "my-mod" } }),
            ),
            10 | 11 => ("carry_out", json!({ "plan": newest })),
            12 => ("make_mod", json!({ "to": made, "name": made[5..6] })),
            13 => (
                "plan_mods",
                json!({ "folder": "GAME", "apply": [made], "prefer": "last" }),
            ),
            14 => (
                "plan_mods",
                json!({ "folder": "GAME", "remove": [dice.roll(4).to_string()] }),
            ),
            _ => ("info", json!({ "folder": "my-mod", "file": file })),
        }
    }

    fn anything(&self, dice: &mut Dice, depth: usize) -> Value {
        match dice.roll(if depth == 0 { 7 } else { 9 }) {
            0 => Value::Null,
            1 => dice.one_in(2).into(),
            2 => json!(dice.roll(1000)),
            3 => json!(-1),
            4 => json!(0.25),
            5 => json!(u64::MAX),
            6 => Self::one(dice, &self.files).into(),
            7 => Value::from(vec![self.anything(dice, depth - 1); dice.roll(3)]),
            _ => json!({ "a": self.anything(dice, depth - 1) }),
        }
    }
}

/// Text and tokens in an answer.
fn learn(words: &mut Words, content: &[Value]) {
    for block in content {
        let Some(text) = block["text"].as_str() else {
            continue;
        };
        let Ok(answer) = serde_json::from_str::<Value>(text) else {
            continue;
        };
        let note = |key: &str, list: &mut Vec<String>| {
            if let Some(token) = answer[key].as_str() {
                list.push(token.to_owned());
                if list.len() > 12 {
                    list.remove(0);
                }
            }
        };
        note("plan", &mut words.tokens);
        note("next", &mut words.cursors);
    }
}

/// Makes random calls on a synthetic game in the empty folder `at`: the program goes on, nothing
/// outside of the named folders is read or written, and only `carry_out` writes to the game.
///
/// # Errors
/// At the first call that breaks this.
pub fn random_calls(at: &Path, seed: u64, calls: usize, said: &dyn Fn(usize)) -> Result<Tally> {
    let kinds = ["rc", "mw", "pm", "cs"];
    let mut dice = Dice(seed);
    let kind = kinds[dice.roll(kinds.len())];
    games::write(
        &at.join("GAME"),
        &games::installation(kind, &games::names(kind)),
    );
    for folder in ["WORK", "outside", "home"] {
        fs::create_dir_all(at.join(folder))?;
    }
    fs::write(at.join("GAME/readme.txt"), "no format of ours")?;
    fs::write(at.join("outside/secret.txt"), SECRET)?;
    fs::write(
        at.join("WORK/brick.png"),
        by_hand::png(2, &[[9_u8, 8, 7]; 4]),
    )?;
    fs::write(at.join("WORK/thud.wav"), games::wav())?;
    fs::write(
        at.join("WORK/door.glb"),
        fs::read(crate::root().join("roundtrip-tests/blender/move.glb"))?,
    )?;
    let outside = |at: &Path| (snapshot(&at.join("outside")), snapshot(&at.join("home")));
    let before = outside(at);
    let mut game = snapshot(&at.join("GAME"));
    let mut client = Client::start(at, &["GAME", "WORK"], &[])?;
    let tools = client.request("tools/list", json!({}))?["result"]["tools"].take();
    let tools = tools.as_array().context("a list of tools")?;
    let mut words = Words {
        files: game.iter().map(|(file, _)| file.clone()).collect(),
        parts: [
            "refit.json",
            "messages.json",
            "nodes/00000-00006.json",
            "sounds.zrd.json",
        ]
        .map(str::to_owned)
        .to_vec(),
        tokens: vec!["plan-1-000000000000".to_owned()],
        cursors: vec!["1.0".to_owned()],
    };
    let begun = client.result("begin", json!({ "game": "GAME", "project": "WORK/my-mod" }))?;
    ensure!(!begun.1, "{begun:?}");
    let mut tally = Tally::default();
    for number in 0..calls {
        said(number);
        let (name, arguments) = match dice.one_in(3) {
            true => words.sensible(&mut dice),
            false => words.call(&mut dice, tools),
        };
        let is_writing = name == "carry_out";
        if is_writing {
            ensure!(
                snapshot(&at.join("GAME")) == game,
                "something wrote to the game before call {number}"
            );
        }
        let shown = format!("call {number}: {name} {arguments}");
        let (content, failed) = client
            .result(name, arguments)
            .with_context(|| shown.clone())?;
        let texts: Vec<&str> = content
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect();
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        ensure!(bytes <= PAGE, "{shown}: {bytes} bytes");
        for text in texts {
            ensure!(!text.contains("internal error"), "{shown}: {text}");
            ensure!(!text.contains(SECRET), "{shown}: {text}");
        }
        match failed {
            true => tally.refused += 1,
            false => tally.done += 1,
        }
        if !failed {
            learn(&mut words, &content);
            if name == "parts"
                && let Some(text) = content[0]["text"].as_str()
            {
                let parts: Value = serde_json::from_str(text)?;
                let paths = parts["rows"].as_array().into_iter().flatten();
                let paths = paths.filter_map(|part| part["path"].as_str());
                let room = 400_usize.saturating_sub(words.parts.len());
                words.parts.extend(paths.map(str::to_owned).take(room));
            }
            if is_writing {
                tally.carried_out += 1;
                game = snapshot(&at.join("GAME"));
            }
        }
        // A link that leads out stops everything in its folder; it comes and goes.
        if cfg!(unix) && dice.one_in(40) {
            let link = at.join("WORK/link");
            match link.symlink_metadata() {
                Ok(meta) if meta.is_symlink() => fs::remove_file(&link)?,
                // A tool made a folder of this name.
                Ok(_) => {}
                Err(_) if dice.one_in(4) => _ = crate::process::link("../outside", &link),
                Err(_) => {}
            }
        }
    }
    ensure!(
        snapshot(&at.join("GAME")) == game,
        "something wrote to the game"
    );
    ensure!(
        outside(at) == before,
        "something wrote outside of the folders"
    );
    let mut names = crate::process::names(at);
    names.retain(|name| !["GAME", "WORK", "home", "outside"].contains(&name.as_str()));
    if !names.is_empty() {
        bail!("new outside of the folders: {}", names.join(", "));
    }
    if !client.end()? {
        bail!("the program did not end well");
    }
    Ok(tally)
}
