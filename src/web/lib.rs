//! refit in a worker of a page, over the files that a person drops there.
//!
//! The boundary consists of plain numbers and bytes, so it needs neither generated glue nor
//! `unsafe` code: the worker (`../page/worker.ts`) writes a request into the memory that `request`
//! returns, calls `answer`, and reads `head` and `body`. The module asks the worker for the bytes
//! of a file and reports progress through two imports.
#![cfg(target_family = "wasm")]

use bytes::Bytes;
use refit::{
    Error, Hints, Result,
    view::{Answer, Bundle, Given, Query, View, refusal, unzip},
};
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Copies a file of the page to an address. Returns the number of bytes, which differs if the
    /// file cannot be read.
    safe fn read(file: usize, to: *mut u8, len: usize) -> usize;
    /// Reports the current task, as a text at an address, and the number of bytes done.
    safe fn progress(name: *const u8, len: usize, done: f64, total: f64);
}

/// State that the module keeps between requests.
struct State {
    request: Vec<u8>,
    head: Vec<u8>,
    body: Bytes,
    view: Option<View>,
    bundle: Bundle,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The message of the last panic.
static FAULT: Mutex<String> = Mutex::new(String::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    let new = || State {
        request: Vec::new(),
        head: Vec::new(),
        body: Bytes::new(),
        view: None,
        bundle: Bundle::default(),
    };
    work(lock(&STATE).get_or_insert_with(new))
}

/// Address and length in one number.
fn place(bytes: &[u8]) -> u64 {
    (bytes.as_ptr() as u64) << 32 | bytes.len() as u64
}

/// Returns the address for a request of this length. Called once before each request.
#[unsafe(no_mangle)]
pub extern "C" fn request(len: usize) -> *mut u8 {
    std::panic::set_hook(Box::new(|panic| *lock(&FAULT) = panic.to_string()));
    with(|state| {
        state.request = vec![0; len];
        state.request.as_mut_ptr()
    })
}

/// Answers the request.
#[unsafe(no_mangle)]
pub extern "C" fn answer() {
    with(|state| {
        let asked = std::mem::take(&mut state.request);
        let asked: Result<Value> =
            serde_json::from_slice(&asked).map_err(|e| Error::say(e.to_string()));
        (state.head, state.body) = match asked.and_then(|asked| state.answer(&asked)) {
            Ok((head, body)) => (head.to_string().into_bytes(), body),
            Err(e) => {
                let (status, Value::Object(mut error)) = refusal(&e) else {
                    return;
                };
                error.insert("status".to_owned(), status.into());
                (Value::Object(error).to_string().into_bytes(), Bytes::new())
            }
        };
    });
}

/// The type of the answer, as JSON: `kind` and `headers` as in HTTP, or `error` and `status`.
#[unsafe(no_mangle)]
pub extern "C" fn head() -> u64 {
    with(|state| place(&state.head))
}

/// The answer itself.
#[unsafe(no_mangle)]
pub extern "C" fn body() -> u64 {
    with(|state| place(&state.body))
}

/// The message of a panic, after which the module is not used again.
#[unsafe(no_mangle)]
pub extern "C" fn fault() -> u64 {
    place(lock(&FAULT).as_bytes())
}

/// Where the bytes of a dropped file are.
enum Held {
    /// On the page, under this number.
    Page(usize, u64),
    /// In a zip that was given.
    Memory(Bytes),
}

impl Held {
    fn read(&self) -> Result<Bytes> {
        let (number, len) = match self {
            Held::Memory(bytes) => return Ok(bytes.clone()),
            Held::Page(number, len) => (*number, *len),
        };
        let too_large = || {
            Error::say(format!("{} MB are more than a page can hold", len >> 20))
                .hint("the program refit reads it")
        };
        let len = usize::try_from(len)
            .ok()
            .filter(|len| *len <= MOST)
            .ok_or_else(too_large)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| too_large())?;
        bytes.resize(len, 0);
        match read(number, bytes.as_mut_ptr(), len) == len {
            true => Ok(bytes.into()),
            false => Err(Error::say(
                "the browser cannot read the file: it was changed or moved; drop it again",
            )),
        }
    }
}

/// Size limit for a file: its model and the output must fit into memory, too.
const MOST: usize = 1 << 30;

fn text<'a>(asked: &'a Value, key: &str) -> &'a str {
    asked[key].as_str().unwrap_or_default()
}

impl State {
    fn view(&self) -> Result<&View> {
        self.view
            .as_ref()
            .ok_or_else(|| Error::say("no file was dropped yet"))
    }

    /// Answers one request: what to do, and its arguments.
    fn answer(&mut self, asked: &Value) -> Result<(Value, Bytes)> {
        let number =
            || usize::try_from(asked["file"].as_u64().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let json_answer = |value: Value| {
            Ok((
                json!({ "kind": "application/json" }),
                value.to_string().into_bytes().into(),
            ))
        };
        match text(asked, "do") {
            "open" => {
                self.view = None;
                self.bundle = Bundle::default();
                let (given, held) = given(asked)?;
                let read = move |number: usize| {
                    held.get(number)
                        .map_or_else(|| Err(Error::missing("")), Held::read)
                };
                let report = &mut |name: &str, done: u64, total: u64| {
                    progress(name.as_ptr(), name.len(), done as f64, total as f64);
                };
                let view = View::of_files(
                    text(asked, "name"),
                    given,
                    Hints::default(),
                    Box::new(read),
                    report,
                )?;
                let trees = view.trees();
                self.view = Some(view);
                json_answer(json!({ "trees": trees }))
            }
            "ask" => {
                let query = asked["query"].as_object().into_iter().flatten();
                let query: Query = query
                    .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
                    .collect();
                let Answer {
                    kind,
                    body,
                    headers,
                } = self.view()?.answer(text(asked, "path"), &query)?;
                let headers: serde_json::Map<String, Value> = headers
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.into()))
                    .collect();
                Ok((json!({ "kind": kind, "headers": headers }), body))
            }
            "verify" => json_answer(self.view()?.verify(number())?),
            "unpack" => {
                let view = self
                    .view
                    .as_ref()
                    .ok_or_else(|| Error::say("no file was dropped yet"))?;
                json_answer(view.unpack(number(), &mut self.bundle)?)
            }
            "repack" => {
                let view = self
                    .view
                    .as_ref()
                    .ok_or_else(|| Error::say("no file was dropped yet"))?;
                json_answer(view.repack_into(number(), &mut self.bundle)?)
            }
            "file" => {
                let (name, bytes) = self.view()?.repack(number())?;
                Ok((
                    json!({ "kind": "application/octet-stream", "headers": { "name": name } }),
                    bytes.into(),
                ))
            }
            "bundle" => {
                let bundle = std::mem::take(&mut self.bundle);
                Ok((
                    json!({ "kind": "application/zip" }),
                    bundle.finish()?.into(),
                ))
            }
            other => Err(Error::say(format!(
                "the page asked something that refit does not know: {other:?}"
            ))),
        }
    }
}

/// The files of a request, with those of zips in place of zips that were named.
fn given(asked: &Value) -> Result<(Vec<Given>, Vec<Held>)> {
    let (mut given, mut held) = (Vec::new(), Vec::new());
    for (number, file) in asked["files"].as_array().into_iter().flatten().enumerate() {
        let (path, bytes) = (
            text(file, "path"),
            file["bytes"].as_u64().unwrap_or_default(),
        );
        let is_named = file["named"] == true;
        let page = Held::Page(number, bytes);
        if is_named && path.to_ascii_lowercase().ends_with(".zip") {
            for (path, bytes) in unzip(&page.read()?).map_err(|e| e.about(path.as_ref()))? {
                given.push(Given {
                    path,
                    bytes: bytes.len() as u64,
                    is_named: false,
                });
                held.push(Held::Memory(bytes));
            }
            continue;
        }
        given.push(Given {
            path: path.to_owned(),
            bytes,
            is_named,
        });
        held.push(page);
    }
    Ok((given, held))
}
