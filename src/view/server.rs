//! The server of `refit view`: local, and read-only but for the edits of a project.
//!
//! A question needs the token of the first URL and the server's own name: a page of another site
//! can send requests to this machine, but has neither the token nor the right `Host` and `Origin`.
//! The page keeps the token and sends it in a header. A cookie would not do: the browser sends it
//! to every server of this machine, whatever its port, and a second refit would replace it. The
//! page itself contains nothing that is secret.
//!
//! Edits need more: a `POST` of JSON with the token in the header and the page's own `Origin`. Their
//! bodies are read only then, and are bounded by the kind of edit.

use super::{
    View,
    edits::{Editor, Post},
    folders,
    http::{self, Answering, Request, Response, Ticket},
    questions::{self, Answer, NOTHING, Query, Scope, missing, refusal},
};
use bytes::Bytes;
use refit_base::wire::{Error, ErrorKind, Result};
use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

/// The header with the token.
const TOKEN: &str = "x-refit-token";

/// Most questions that wait for changes. One more is answered at once: their clients may be gone,
/// and others must get answers.
const WAITING: usize = 16;

/// Longest URL that is read.
const LONGEST: usize = 8 << 10;

/// What ends the server.
pub(super) const QUIT: &str = "api/quit";
/// What goes back to the start page.
const CLOSE: &str = "api/close";

/// The script of the page, which is packed with gzip.
pub(super) const SCRIPT: &str = "page.js";

/// The page and its files.
pub(super) const PAGE: [(&str, &str, &[u8]); 4] = [
    ("index.html", "text/html; charset=utf-8", refit_page::INDEX),
    (SCRIPT, "text/javascript; charset=utf-8", refit_page::SCRIPT),
    ("page.css", "text/css; charset=utf-8", refit_page::STYLE),
    (
        "LICENSES.txt",
        "text/plain; charset=utf-8",
        refit_page::LICENSES,
    ),
];

/// Nothing from elsewhere, and no script that is not the page's own.
const POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; \
    object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const USUAL: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
];

/// An address of this machine that answers its own page alone: a port, and a token.
pub struct Door {
    listener: TcpListener,
    guard: Guard,
}

/// What refuses requests that do not come from the server's own page.
#[derive(Clone)]
pub(super) struct Guard {
    address: SocketAddr,
    token: String,
}

/// What a request does beside showing something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// Nothing.
    Shows,
    /// It ends the server.
    Ends,
    /// It changes something: its body is JSON.
    Changes,
}

/// A server that listens.
pub struct Server {
    door: Door,
    answers: Answers,
}

/// What answers requests.
struct Answers {
    guard: Guard,
    view: Arc<View>,
    editor: Arc<Editor>,
    /// For edits, which are made one after the other.
    edits: Lane,
    /// For the question which files lack edits: it builds all edited files, without writing them.
    builds: Lane,
    /// For questions about one file.
    file: Lane,
    /// For questions about names, which take long the first time.
    names: Lane,
    /// For other questions about all files, which take long.
    files: Lane,
    /// The questions that wait for changes.
    waiting: Arc<AtomicUsize>,
    /// True once the page goes back to the start page.
    closes: Arc<AtomicBool>,
}

/// A long-lived thread that answers questions one after another. Memory that it frees is not
/// scattered among that of short-lived threads, and returns to the system.
pub(super) struct Lane(mpsc::Sender<Box<dyn FnOnce() + Send>>);

impl Lane {
    pub fn new() -> Result<Self> {
        let (sender, jobs) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let work = move || jobs.into_iter().for_each(|job| job());
        // Worlds are deep: the codecs have the stack that they have elsewhere.
        let started = std::thread::Builder::new().stack_size(16 << 20).spawn(work);
        started.map_err(|e| Error::say(format!("cannot start a thread: {e}")))?;
        Ok(Lane(sender))
    }

    /// Works on something in this lane, and waits for it.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, done) = mpsc::channel();
        let job = move || {
            // The connection may be closed already.
            let _ = sender.send(refit_files::pipeline::guarded(work));
        };
        let over = || Error::say("the server ends");
        self.0.send(Box::new(job)).map_err(|_| over())?;
        done.recv().map_err(|_| over())?
    }
}

impl Door {
    /// Listens on the loopback interface; port 0 means any free port.
    ///
    /// # Errors
    /// The port is in use, or the system provides no random numbers.
    pub fn new(port: u16) -> Result<Self> {
        let taken = |e: std::io::Error| {
            Error::say(format!("cannot use port {port}: {e}"))
                .hint("choose another one with --port")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        let mut random = [0; 16];
        getrandom::fill(&mut random)
            .map_err(|e| Error::say(format!("cannot get random numbers from the system: {e}")))?;
        let token = refit_base::lower_hex(&random);
        Ok(Door {
            listener,
            guard: Guard { address, token },
        })
    }

    /// The URL of the page, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.guard.address, self.guard.token)
    }

    pub(super) fn guard(&self) -> Guard {
        self.guard.clone()
    }

    /// Answers until the page or `stop` ends it: true if the page did.
    pub(super) fn serve(&self, answers: impl Answering, stop: &dyn Fn() -> bool) -> Result<bool> {
        let listener = self
            .listener
            .try_clone()
            .map_err(|e| Error::say(format!("cannot listen: {e}")))?;
        let over = Arc::new(AtomicBool::new(false));
        let own = over.clone();
        let serving = std::thread::Builder::new()
            .spawn(move || http::serve(&listener, own, answers))
            .map_err(|e| Error::say(format!("cannot start a thread: {e}")))?;
        while !over.load(Ordering::Relaxed) && !stop() {
            std::thread::sleep(Duration::from_millis(100));
        }
        let by_page = over.swap(true, Ordering::Relaxed);
        // The thread waits for a connection, and looks whether it is over then.
        if TcpStream::connect(self.guard.address).is_ok() {
            let _ = serving.join();
        }
        Ok(by_page)
    }
}

impl Server {
    /// A server of a view behind this door.
    ///
    /// # Errors
    /// If the system has no threads left.
    pub fn new(view: View, door: Door) -> Result<Self> {
        let (file, names, files) = (Lane::new()?, Lane::new()?, Lane::new()?);
        let (edits, builds) = (Lane::new()?, Lane::new()?);
        let editor = Arc::new(view.editor());
        let (view, waiting) = (Arc::new(view), Arc::default());
        let answers = Answers {
            guard: door.guard(),
            view,
            editor,
            edits,
            builds,
            file,
            names,
            files,
            waiting,
            closes: Arc::default(),
        };
        Ok(Server { door, answers })
    }

    /// The URL of the page, with the token.
    pub fn url(&self) -> String {
        self.door.url()
    }

    /// Answers until the page or `stop` ends it. Returns the door if the page goes back to the start
    /// page, which is then at the same address.
    ///
    /// # Errors
    /// If the system has no threads left.
    pub fn run(self, stop: &dyn Fn() -> bool) -> Result<Option<Door>> {
        let closes = self.answers.closes.clone();
        let by_page = self.door.serve(self.answers, stop)?;
        Ok((by_page && closes.load(Ordering::Relaxed)).then_some(self.door))
    }
}

impl Guard {
    /// Why a request is refused, as status and sentence.
    pub fn refusal(&self, request: &Request, asks: Asks) -> Option<(u16, &'static str)> {
        let hosts = [
            self.address.to_string(),
            format!("localhost:{}", self.address.port()),
        ];
        let is_own = |value: &str| hosts.iter().any(|host| host == value);
        match request.header("host") {
            (Some(host), false) if is_own(host) => {}
            _ => return Some((403, "this server answers only under its own name")),
        }
        match request.header("origin") {
            (None, false) => {}
            (Some(origin), false) if origin.strip_prefix("http://").is_some_and(is_own) => {}
            _ => return Some((403, "this server answers only its own page")),
        }
        if request.target.len() > LONGEST {
            return Some((414, "the URL is too long"));
        }
        match (request.method.as_str(), asks == Asks::Shows) {
            ("POST", false) if request.header("origin").0.is_some() => {}
            ("POST", false) => return Some((403, "only the page ends the server and makes edits")),
            ("GET" | "HEAD", true) => {}
            _ => {
                return Some((
                    405,
                    "this server shows; edits are POST requests to their own addresses",
                ));
            }
        }
        if !path_of(&request.target).starts_with("api/") {
            return None;
        }
        // Pages of other ports are of the same site, and an image or a form of theirs has no
        // `Origin`.
        if !matches!(
            request.header("sec-fetch-site"),
            (None | Some("same-origin" | "none"), false)
        ) {
            return Some((403, "this server answers only its own page"));
        }
        const NO_TOKEN: (u16, &str) = (
            403,
            "the token is missing: open the URL that `refit view` printed",
        );
        if asks != Asks::Changes {
            return (!self.has_token(request)).then_some(NO_TOKEN);
        }
        // A form of another page can send neither this header nor this type.
        let (token, again) = request.header(TOKEN);
        if again || !token.is_some_and(|token| same(token, &self.token)) {
            return Some(NO_TOKEN);
        }
        let kind = request.header("content-type").0.unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        match kind.eq_ignore_ascii_case("application/json") {
            true => None,
            false => Some((415, "an edit is JSON: content-type: application/json")),
        }
    }

    /// The page sends the token in a header, other programs also in the query or as a cookie.
    fn has_token(&self, request: &Request) -> bool {
        let is_own = |token: &str| same(token, &self.token);
        let cookie = |all: &str| {
            all.split(';')
                .filter_map(|one| one.trim().strip_prefix("refit="))
                .any(is_own)
        };
        request.header(TOKEN).0.is_some_and(is_own)
            || query_of(&request.target)
                .get("token")
                .is_some_and(|token| is_own(token))
            || request.header("cookie").0.is_some_and(cookie)
    }
}

impl Answers {
    /// Answers a question of the page.
    fn ask(&self, question: &str, mut query: Query) -> Result<Answer> {
        if question == "edits" {
            let editor = self.editor.clone();
            return self.edits.run(move || Ok(editor.state(&query)?.into()));
        }
        if question == "built" {
            let editor = self.editor.clone();
            return self.builds.run(move || Ok(editor.built()?.into()));
        }
        if question == "folder" {
            // The folders of this machine are no part of what was opened.
            if !self.editor.may_edit() {
                return Err(missing("this page edits nothing, so it lists no folders"));
            }
            return refit_files::pipeline::guarded(move || Ok(folders::answer(&query)?.into()));
        }
        if question == "mods" {
            let editor = self.editor.clone();
            return self.edits.run(move || Ok(editor.mods()?.into()));
        }
        // The edits know the project, which may keep the sources itself.
        if let ["file", n, "source"] = *question.split('/').collect::<Vec<_>>().as_slice()
            && let Some(entry) = n
                .parse()
                .ok()
                .and_then(|number| self.view.entry(number).ok())
        {
            let editor = self.editor.clone();
            if let Some(why) = self.edits.run(move || editor.sources_of(&entry.relative))? {
                return Ok(serde_json::json!({ "text": null, "why": why }).into());
            }
        }
        let place = (question == "changes").then(|| Ticket::take(&self.waiting, WAITING));
        if matches!(place, Some(None)) {
            query.insert(questions::AT_ONCE.to_owned(), String::new());
        }
        let (view, own) = (self.view.clone(), question.to_owned());
        let work = move || view.answer(&own, &query);
        match Scope::of(question) {
            Scope::File => self.file.run(work),
            Scope::Names => self.names.run(work),
            Scope::Files => self.files.run(work),
            Scope::Nothing => refit_files::pipeline::guarded(work),
        }
    }

    /// Makes an edit.
    fn post(&self, post: Post, body: Bytes) -> Result<Answer> {
        let (editor, view) = (self.editor.clone(), self.view.clone());
        self.edits.run(move || {
            let done = editor.post(&view, post, &body)?;
            view.use_kept(editor.kept());
            view.edited(editor.project());
            Ok(done.into())
        })
    }

    /// Answers a request that is not refused.
    fn found(&self, request: &Request) -> Response {
        let (path, query) = (path_of(&request.target), query_of(&request.target));
        if path == QUIT || path == CLOSE {
            self.closes.store(path == CLOSE, Ordering::Relaxed);
            return Response {
                is_last: true,
                ..Response::new(204, NOTHING, Bytes::new())
            };
        }
        let own = if path.is_empty() { "index.html" } else { path };
        if let Some((_, kind, bytes)) = PAGE.iter().find(|(name, ..)| *name == own) {
            let packed = (own == SCRIPT).then(|| ("content-encoding", "gzip".to_owned()));
            let headers = packed.into_iter().collect();
            return Response {
                headers,
                ..Response::new(200, kind, Bytes::from_static(bytes))
            };
        }
        answered(match (Post::of(path), path.strip_prefix("api/")) {
            (Some(post), _) => self.post(post, request.body.clone()),
            (None, Some(question)) => self.ask(question, query),
            (None, None) => Err(Error::say("nothing here").of_kind(ErrorKind::NoMember)),
        })
    }
}

/// The response with an answer, or with the error instead of one.
pub(super) fn answered(answer: Result<Answer>) -> Response {
    match answer {
        Ok(Answer { kind: NOTHING, .. }) => Response::new(204, NOTHING, Bytes::new()),
        Ok(Answer {
            kind,
            body,
            headers,
        }) => Response {
            headers,
            ..Response::new(200, kind, body)
        },
        Err(e) => {
            let (status, error) = refusal(&e);
            Response::new(status, "application/json", error.to_string().into_bytes())
        }
    }
}

impl Answering for Answers {
    fn admit(&self, request: &Request) -> std::result::Result<usize, Response> {
        let path = path_of(&request.target);
        let post = Post::of(path);
        let asks = match post {
            Some(_) => Asks::Changes,
            None if path == QUIT || path == CLOSE => Asks::Ends,
            None => Asks::Shows,
        };
        match self.guard.refusal(request, asks) {
            Some((status, why)) => Err(usual(Response::refusal(status, why))),
            None => Ok(post.map_or(0, Post::most)),
        }
    }

    fn answer(&self, request: &Request) -> Response {
        usual(self.found(request))
    }
}

/// An answer with the headers of every answer.
pub(super) fn usual(mut response: Response) -> Response {
    let headers = USUAL.map(|(name, value)| (name, value.to_owned()));
    response.headers.extend(headers);
    response
}

/// Compares secrets in constant time.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len()
        && a.bytes()
            .zip(b.bytes())
            .fold(0, |other, (a, b)| other | (a ^ b))
            == 0
}

pub(super) fn path_of(url: &str) -> &str {
    url.split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_start_matches('/')
}

/// The query of a URL, after `?`, decoded.
pub(super) fn query_of(url: &str) -> Query {
    let Some((_, query)) = url.split_once('?') else {
        return Query::new();
    };
    let plain = |text: &str| {
        let text = text.replace('+', " ");
        percent_encoding::percent_decode_str(&text)
            .decode_utf8_lossy()
            .into_owned()
    };
    let pairs = query
        .split('&')
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(key, value)| (plain(key), plain(value)))
        .collect()
}
