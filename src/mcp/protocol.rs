//! JSON-RPC 2.0 over lines, as the Model Context Protocol uses it on standard input and output.
//!
//! One thread reads lines and answers what is quick; another one carries out the calls of tools,
//! one after the other. So a client gets an answer to `ping`, and can cancel a call, at any time.

use crate::{Folders, desk::Desk, tools};
use refit_base::wire::{Error, Result, Within, shorten};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    io::{self, BufRead, Write},
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

/// The versions of the protocol that begin with `initialize`, the oldest first.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The only version with several messages in one list.
const WITH_BATCHES: &str = "2025-03-26";

/// Most bytes of a line. Larger content comes from files.
const LONGEST: usize = 4 << 20;

/// Most messages in one list.
const MOST_MESSAGES: usize = 256;

/// How many messages wait for the calls before them; then nothing more is read.
const WAITING: usize = 4;

/// The stack of the thread that carries out calls: worlds are deep.
const STACK: usize = 16 << 20;

/// Most bytes of the text of an error.
const LONGEST_ERROR: usize = 4_000;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// What the model reads about the server.
const INSTRUCTIONS: &str = include_str!("instructions.txt");

/// A line of the input.
enum Line {
    Text(Vec<u8>),
    TooLong,
}

/// Reads the next line without its end; `None` at the end of the input.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut line, mut is_too_long, mut is_any) = (Vec::new(), false, false);
    loop {
        let (used, is_end) = {
            let bytes = match input.fill_buf() {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if bytes.is_empty() {
                break;
            }
            is_any = true;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let own = bytes.within(..end.unwrap_or(bytes.len()));
            is_too_long |= line.len().saturating_add(own.len()) > LONGEST;
            match is_too_long {
                true => line.clear(),
                false => line.extend_from_slice(own),
            }
            (
                own.len().saturating_add(usize::from(end.is_some())),
                end.is_some(),
            )
        };
        input.consume(used);
        if is_end {
            break;
        }
    }
    Ok(match (is_any, is_too_long) {
        (false, _) => None,
        (true, true) => Some(Line::TooLong),
        (true, false) => Some(Line::Text(line)),
    })
}

/// A call of a tool.
struct Call {
    id: Value,
    name: String,
    arguments: Value,
}

/// What a message asks for.
enum Item {
    /// It has this answer.
    Answer(Value),
    /// It is answered when the tool is done.
    Call(Call),
}

/// A message, or a list of them.
struct Job {
    items: Vec<Item>,
    is_list: bool,
}

fn error(id: &Value, code: i64, message: impl AsRef<str>) -> Value {
    let message = shorten(message.as_ref(), LONGEST_ERROR);
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What both threads know.
struct Shared<W> {
    /// The output; `None` after it failed.
    output: Mutex<Option<W>>,
    /// The identifiers of the calls that are not answered yet, as JSON, and of those among them
    /// that the client cancelled.
    calls: Mutex<(HashSet<String>, HashSet<String>)>,
    read_only: bool,
}

impl<W: Write> Shared<W> {
    /// Writes a message; false if the client reads no more.
    fn write(&self, message: &Value) -> bool {
        let mut output = lock(&self.output);
        let Some(to) = output.as_mut() else {
            return false;
        };
        let text = format!("{message}\n");
        let is_written = to.write_all(text.as_bytes()).and_then(|()| to.flush());
        if is_written.is_err() {
            *output = None;
        }
        is_written.is_ok()
    }

    /// Notes that a call is waited for.
    fn expect(&self, call: &Call) {
        lock(&self.calls).0.insert(call.id.to_string());
    }

    fn cancel(&self, id: &Value) {
        let (waiting, cancelled) = &mut *lock(&self.calls);
        let id = id.to_string();
        if waiting.contains(&id) {
            cancelled.insert(id);
        }
    }

    fn is_cancelled(&self, call: &Call) -> bool {
        lock(&self.calls).1.contains(&call.id.to_string())
    }

    /// Notes that a call is over. True if the client still waits for it.
    fn is_awaited(&self, call: &Call) -> bool {
        let (waiting, cancelled) = &mut *lock(&self.calls);
        let id = call.id.to_string();
        waiting.remove(&id);
        !cancelled.remove(&id)
    }

    /// Carries out jobs until there are no more.
    fn work(&self, mut desk: Desk, jobs: Receiver<Job>) {
        for job in jobs {
            let mut answers = Vec::new();
            for item in job.items {
                match item {
                    Item::Answer(answer) => answers.push(answer),
                    Item::Call(call) => {
                        let answer = match self.is_cancelled(&call) {
                            true => Value::Null,
                            false => result(
                                &call.id,
                                tools::answer(&mut desk, &call.name, &call.arguments),
                            ),
                        };
                        if self.is_awaited(&call) {
                            answers.push(answer);
                        }
                    }
                }
            }
            self.answer(answers, job.is_list);
        }
    }

    fn answer(&self, mut answers: Vec<Value>, is_list: bool) -> bool {
        match (is_list, answers.pop()) {
            (_, None) => true,
            (false, Some(one)) => self.write(&one),
            (true, Some(last)) => {
                answers.push(last);
                self.write(&Value::from(answers))
            }
        }
    }

    /// What a message asks for; `None` if it needs no answer.
    fn item(&self, message: Value, version: &mut &'static str, is_alone: bool) -> Option<Item> {
        let none = Value::Null;
        let refuse = |id: &Value, what: &str| Some(Item::Answer(error(id, INVALID_REQUEST, what)));
        let Value::Object(mut message) = message else {
            return refuse(&none, "a message is an object");
        };
        let id = message.remove("id");
        let known = match &id {
            Some(id) if !(id.is_string() || id.is_number()) => {
                return refuse(&none, "`id` is neither a text nor a number");
            }
            Some(id) => id,
            None => &none,
        };
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return refuse(known, "`jsonrpc` is not \"2.0\"");
        }
        let method = match message.remove("method") {
            Some(Value::String(method)) => method,
            // An answer to a request: the server makes none.
            None if message.contains_key("result") || message.contains_key("error") => return None,
            _ => return refuse(known, "`method` is missing or no text"),
        };
        let params = message.remove("params");
        let Some(id) = id else {
            if method == "notifications/cancelled"
                && let Some(id) = params.as_ref().and_then(|params| params.get("requestId"))
            {
                self.cancel(id);
            }
            return None;
        };
        let params = match params {
            None => Value::Object(serde_json::Map::new()),
            Some(params) if params.is_object() => params,
            Some(_) => {
                let answer = error(&id, INVALID_PARAMS, "`params` is no object");
                return Some(Item::Answer(answer));
            }
        };
        if method == "initialize" && !is_alone {
            return refuse(&id, "`initialize` is not in a list");
        }
        Some(match self.request(&method, params, version) {
            Ok(Asked::Now(answer)) => Item::Answer(result(&id, answer)),
            Ok(Asked::Tool(name, arguments)) => {
                let call = Call {
                    id,
                    name,
                    arguments,
                };
                self.expect(&call);
                Item::Call(call)
            }
            Err((code, message)) => Item::Answer(error(&id, code, message)),
        })
    }

    fn request(
        &self,
        method: &str,
        mut params: Value,
        version: &mut &'static str,
    ) -> std::result::Result<Asked, (i64, String)> {
        match method {
            "initialize" => {
                let wanted = params.get("protocolVersion").and_then(Value::as_str);
                let wanted = wanted
                    .ok_or_else(|| (INVALID_PARAMS, "`protocolVersion` is missing".to_owned()))?;
                let [.., newest] = VERSIONS;
                let common = VERSIONS.into_iter().find(|known| *known == wanted);
                *version = common.unwrap_or(newest);
                Ok(Asked::Now(json!({
                    "protocolVersion": *version,
                    "capabilities": { "tools": { "listChanged": false } },
                    "serverInfo": {
                        "name": "refit", "title": "refit", "version": env!("CARGO_PKG_VERSION"),
                    },
                    "instructions": INSTRUCTIONS,
                })))
            }
            "ping" => Ok(Asked::Now(json!({}))),
            "tools/list" => match params.get("cursor") {
                None | Some(Value::Null) => {
                    Ok(Asked::Now(json!({ "tools": tools::list(self.read_only) })))
                }
                Some(_) => Err((INVALID_PARAMS, "the list of tools has one page".to_owned())),
            },
            "tools/call" => {
                let name = params
                    .get("name")
                    .and_then(Value::as_str)
                    .map(str::to_owned);
                let name = name.ok_or_else(|| (INVALID_PARAMS, "`name` is missing".to_owned()))?;
                if !tools::is_offered(&name, self.read_only) {
                    return Err((INVALID_PARAMS, format!("there is no tool {name:?}")));
                }
                match params.get_mut("arguments").map(Value::take) {
                    None | Some(Value::Null) => Ok(Asked::Tool(name, json!({}))),
                    Some(arguments) if arguments.is_object() => Ok(Asked::Tool(name, arguments)),
                    Some(_) => Err((INVALID_PARAMS, "`arguments` is no object".to_owned())),
                }
            }
            other => Err((METHOD_NOT_FOUND, format!("there is no method {other:?}"))),
        }
    }

    /// What a line asks for; `None` if it needs no answer.
    fn job(&self, line: Line, version: &mut &'static str) -> Option<Job> {
        let single = |item| {
            Some(Job {
                items: vec![item],
                is_list: false,
            })
        };
        let fault = |code, what: &str| single(Item::Answer(error(&Value::Null, code, what)));
        let text = match line {
            Line::TooLong => return fault(INVALID_REQUEST, "the message is longer than 4 MiB"),
            Line::Text(text) if text.trim_ascii().is_empty() => return None,
            Line::Text(text) => text,
        };
        let message: Value = match serde_json::from_slice(&text) {
            Ok(message) => message,
            Err(e) => return fault(PARSE_ERROR, &format!("not JSON: {e}")),
        };
        let Value::Array(list) = message else {
            return single(self.item(message, version, true)?);
        };
        if *version != WITH_BATCHES {
            return fault(
                INVALID_REQUEST,
                "this version of the protocol has no lists of messages",
            );
        }
        if list.is_empty() || list.len() > MOST_MESSAGES {
            return fault(INVALID_REQUEST, "a list has 1 to 256 messages");
        }
        let items: Vec<Item> = list
            .into_iter()
            .filter_map(|message| self.item(message, version, false))
            .collect();
        (!items.is_empty()).then_some(Job {
            items,
            is_list: true,
        })
    }

    /// Reads messages until the input ends, or the client reads no more answers.
    fn read(&self, mut input: impl BufRead, jobs: &SyncSender<Job>) -> Result<()> {
        let [.., mut version] = VERSIONS;
        let failed = |e: io::Error| Error::say(format!("standard input: {e}"));
        while let Some(line) = next_line(&mut input).map_err(failed)? {
            let Some(job) = self.job(line, &mut version) else {
                continue;
            };
            let is_quick = job.items.iter().all(|item| matches!(item, Item::Answer(_)));
            let goes_on = match is_quick {
                true => {
                    let answer = |item| match item {
                        Item::Answer(answer) => Some(answer),
                        Item::Call(_) => None,
                    };
                    self.answer(
                        job.items.into_iter().filter_map(answer).collect(),
                        job.is_list,
                    )
                }
                false => jobs.send(job).is_ok(),
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }
}

/// What a request asks for.
enum Asked {
    /// This is the answer.
    Now(Value),
    /// A tool, and its arguments.
    Tool(String, Value),
}

/// Answers messages until the input ends; the calls before its end are carried out. Nothing but
/// messages of the protocol is written to `output`. With `read_only`, only tools that write nothing
/// are offered.
///
/// # Errors
/// If the input cannot be read, or the system starts no thread.
pub fn serve(
    folders: Folders,
    read_only: bool,
    input: impl BufRead,
    output: impl Write + Send,
) -> Result<()> {
    let shared = Shared {
        output: Mutex::new(Some(output)),
        calls: Mutex::default(),
        read_only,
    };
    let (sender, jobs) = sync_channel(WAITING);
    let desk = Desk::new(folders, read_only);
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK);
        worker
            .spawn_scoped(scope, || shared.work(desk, jobs))
            .map_err(|e| Error::say(format!("cannot start a thread: {e}")))?;
        let done = shared.read(input, &sender);
        drop(sender);
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &str) -> Vec<Value> {
        let place = tempfile::tempdir().unwrap();
        let folders = Folders::open(&[place.path().to_owned()]).unwrap();
        let mut output = Vec::new();
        serve(folders, true, input.as_bytes(), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn code(input: &str) -> Value {
        answers(input)[0]["error"]["code"].clone()
    }

    #[test]
    fn faults_have_their_codes() {
        for (line, expected) in [
            ("{", PARSE_ERROR),
            ("\u{feff}{}", PARSE_ERROR),
            ("7", INVALID_REQUEST),
            ("{}", INVALID_REQUEST),
            ("[]", INVALID_REQUEST),
            (
                r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
                INVALID_REQUEST,
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                INVALID_REQUEST,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#,
                METHOD_NOT_FOUND,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"format_disk"}}"#,
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"carry_out"}}"#,
                INVALID_PARAMS,
            ),
        ] {
            assert_eq!(code(line), expected, "{line}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(code(&deep), PARSE_ERROR);
        let long = format!("\"{}\"\n{{}}", "x".repeat(LONGEST));
        let both: Vec<Value> = answers(&long)
            .iter()
            .map(|a| a["error"]["code"].clone())
            .collect();
        assert_eq!(both, [INVALID_REQUEST, INVALID_REQUEST]);
    }

    #[test]
    fn what_needs_no_answer_gets_none() {
        for line in [
            "",
            "\n  \r\n",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/whatever","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(answers(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn the_version_is_the_clients_if_it_is_known() {
        for (asked, version) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("1999-01-01", "2025-11-25"),
        ] {
            let line = json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize",
                "params": { "protocolVersion": asked } });
            let answers = answers(&line.to_string());
            assert_eq!(answers[0]["result"]["protocolVersion"], version);
            assert_eq!((answers.len(), &answers[0]["id"]), (1, &"a".into()));
        }
    }

    /// Lists of messages belong to one version.
    #[test]
    fn messages_come_in_lists_where_the_version_has_them() {
        let begin = |version| {
            format!(
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
            )
        };
        let list = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},7,
            {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"folders"}},
            {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]"#
            .replace('\n', "");
        let new = answers(&format!("{}\n{list}", begin("2025-06-18")));
        assert_eq!(new[1]["error"]["code"], INVALID_REQUEST);
        let old = answers(&format!("{}\n{list}", begin(WITH_BATCHES)));
        let ids: Vec<&Value> = old[1]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| &a["id"])
            .collect();
        assert_eq!(ids, [&json!(1), &Value::Null, &json!(2), &json!(3)]);
        assert_eq!(old[1][3]["error"]["code"], INVALID_REQUEST);
        let silent = r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#;
        assert_eq!(
            answers(&format!("{}\n{silent}", begin(WITH_BATCHES))).len(),
            1
        );
    }

    /// A call that is cancelled before its turn has no answer and no effect.
    #[test]
    fn a_call_can_be_cancelled() {
        let place = tempfile::tempdir().unwrap();
        let shared = Shared {
            output: Mutex::new(Some(Vec::new())),
            calls: Mutex::default(),
            read_only: true,
        };
        let (sender, jobs) = sync_channel(8);
        let lines = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"folders"}}
{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"folders"}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
        shared.read(lines.as_bytes(), &sender).unwrap();
        drop(sender);
        let folders = Folders::open(&[place.path().to_owned()]).unwrap();
        shared.work(Desk::new(folders, true), jobs);
        let output = lock(&shared.output).take().unwrap();
        let answer: Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(answer["id"], "1");
        assert_eq!(*lock(&shared.calls), Default::default());
    }
}
