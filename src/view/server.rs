//! The server of `refit view`: this machine alone, read only.
//!
//! Only whoever has the token of the first URL gets an answer, and only under the server's own name: a page of another
//! site can send requests to this machine, but it has neither the token nor the right `Host` and `Origin`.

use super::{
    View,
    questions::{Answer, NOTHING, Query, refusal},
};
use crate::wire::{Error, ErrorKind, Result};
use bytes::Bytes;
use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tiny_http::{Header, Method, Request, Response, Server as Http};

/// Longest URL that is read.
const LONGEST: usize = 8 << 10;

/// Requests that are answered at the same time; a page has about ten.
const AT_ONCE: usize = 64;

/// The script of the page, which is packed with gzip.
pub(super) const SCRIPT: &str = "page.js";

/// The page and what it needs.
pub(super) const PAGE: [(&str, &str, &[u8]); 4] = [
    ("index.html", "text/html; charset=utf-8", include_bytes!("page/dist/index.html")),
    (SCRIPT, "text/javascript; charset=utf-8", include_bytes!("page/dist/page.js.gz")),
    ("page.css", "text/css; charset=utf-8", include_bytes!("page/dist/page.css")),
    ("LICENSES.txt", "text/plain; charset=utf-8", include_bytes!("page/dist/LICENSES.txt")),
];

/// Nothing from elsewhere, and no script that is not the page's own.
const POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; \
    object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A server that listens.
pub(crate) struct Server {
    http: Http,
    /// The socket of `http`, to listen again after an error.
    listener: TcpListener,
    answers: Arc<Answers>,
}

/// What answers requests.
struct Answers {
    address: SocketAddr,
    token: String,
    view: View,
    over: AtomicBool,
    busy: AtomicUsize,
}

impl Server {
    /// Listens on the loopback interface, on any free port for 0.
    ///
    /// # Errors
    /// The port is taken, or the system gives no random numbers.
    pub(crate) fn new(view: View, port: u16) -> Result<Self> {
        let taken =
            |e: String| Error::say(format!("port {port} cannot be used: {e}")).hint("name another one with --port");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|e| taken(e.to_string()))?;
        let http = listen(&listener).map_err(taken)?;
        let address = http.server_addr().to_ip().ok_or_else(|| Error::say("the server has no address"))?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|e| Error::say(format!("the system gives no random numbers: {e}")))?;
        let token = crate::lower_hex(&random);
        let (over, busy) = (AtomicBool::new(false), AtomicUsize::new(0));
        Ok(Server { http, listener, answers: Arc::new(Answers { address, token, view, over, busy }) })
    }

    /// Where the page is, with the token.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/?token={}", self.answers.address, self.answers.token)
    }

    /// Answers until the page or `stop` ends it.
    pub(crate) fn run(mut self, stop: &dyn Fn() -> bool) -> Result<()> {
        let answers = self.answers.clone();
        while !answers.over.load(Ordering::Relaxed) && !stop() {
            let request = match self.http.recv_timeout(Duration::from_millis(200)) {
                Ok(Some(request)) => request,
                Ok(None) => continue,
                Err(_) => {
                    // Too many connections, usually: those that wait are taken when others are gone.
                    std::thread::sleep(Duration::from_millis(200));
                    self.http = listen(&self.listener).map_err(|e| Error::say(format!("the server ended: {e}")))?;
                    continue;
                }
            };
            if request.body_length().is_some_and(|length| length > LONGEST) {
                // The library would make room for all of it when the request is dropped: no question has a body, and
                // a client that sends one gets no answer.
                std::mem::forget(request);
                continue;
            }
            if answers.busy.fetch_add(1, Ordering::Relaxed) >= AT_ONCE {
                answers.busy.fetch_sub(1, Ordering::Relaxed);
                let _ = request.respond(Response::empty(503));
                continue;
            }
            let own = answers.clone();
            // Worlds are deep: the codecs have the stack that they have elsewhere.
            let started = std::thread::Builder::new().stack_size(16 << 20).spawn(move || {
                own.respond(request);
                own.busy.fetch_sub(1, Ordering::Relaxed);
            });
            if started.is_err() {
                answers.busy.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

fn listen(listener: &TcpListener) -> std::result::Result<Http, String> {
    let own = listener.try_clone().map_err(|e| e.to_string())?;
    Http::from_listener(own, None).map_err(|e| e.to_string())
}

impl Answers {
    /// Why a request is refused, as status and sentence.
    fn refusal(&self, request: &Request) -> Option<(u16, &'static str)> {
        let header = |name: &str| {
            let mut own = request.headers().iter().filter(|h| h.field.as_str().as_str().eq_ignore_ascii_case(name));
            let first = own.next().map(|h| h.value.as_str());
            (first, own.next().is_some())
        };
        let hosts = [self.address.to_string(), format!("localhost:{}", self.address.port())];
        let is_own = |value: &str| hosts.iter().any(|host| host == value);
        match header("host") {
            (Some(host), false) if is_own(host) => {}
            _ => return Some((403, "this server answers only under its own name")),
        }
        match header("origin") {
            (None, false) => {}
            (Some(origin), false) if origin.strip_prefix("http://").is_some_and(is_own) => {}
            _ => return Some((403, "this server answers only its own page")),
        }
        if request.url().len() > LONGEST {
            return Some((414, "the URL is too long"));
        }
        let is_quit = request.method() == &Method::Post && path_of(request.url()) == "api/quit";
        if !matches!(request.method(), Method::Get | Method::Head) && !is_quit {
            return Some((405, "this server only shows"));
        }
        let cookie = format!("refit={}", self.token);
        let (cookies, _) = header("cookie");
        let known = cookies.is_some_and(|all| all.split(';').any(|one| same(one.trim(), &cookie)));
        if known || self.has_token(request) {
            None
        } else {
            Some((403, "the token is missing: open the URL that `refit view` printed"))
        }
    }

    fn has_token(&self, request: &Request) -> bool {
        query_of(request.url()).get("token").is_some_and(|token| same(token, &self.token))
    }

    fn respond(&self, request: Request) {
        if let Some((status, why)) = self.refusal(&request) {
            let body = serde_json::json!({ "error": { "kind": "refused", "message": why } }).to_string();
            send(request, status, "application/json", body.into_bytes().into(), &[]);
            return;
        }
        let (path, query) = (path_of(request.url()).to_owned(), query_of(request.url()));
        if path.is_empty() && self.has_token(&request) {
            // The token goes from the URL into a cookie, so that the address can be shown to others.
            let cookie = format!("refit={}; HttpOnly; SameSite=Strict; Path=/", self.token);
            let headers = [("location", "/".to_owned()), ("set-cookie", cookie)];
            send(request, 303, "text/plain", Bytes::new(), &headers);
            return;
        }
        if path == "api/quit" {
            send(request, 204, "text/plain", Bytes::new(), &[]);
            self.over.store(true, Ordering::Relaxed);
            return;
        }
        let own = if path.is_empty() { "index.html" } else { &path };
        if let Some((_, kind, bytes)) = PAGE.iter().find(|(name, ..)| *name == own) {
            let packed = [("content-encoding", "gzip".to_owned())];
            send(request, 200, kind, Bytes::from_static(bytes), if own == SCRIPT { &packed } else { &[] });
            return;
        }
        let answer = match path.strip_prefix("api/") {
            Some(question) => crate::pipeline::guarded(|| self.view.answer(question, &query)),
            None => Err(Error::say("there is nothing here").of_kind(ErrorKind::NoMember)),
        };
        match answer {
            Ok(Answer { kind: NOTHING, .. }) => send(request, 204, "text/plain", Bytes::new(), &[]),
            Ok(Answer { kind, body, headers }) => send(request, 200, kind, body, &headers),
            Err(e) => {
                let (status, error) = refusal(&e);
                send(request, status, "application/json", error.to_string().into_bytes().into(), &[]);
            }
        }
    }
}

/// Compares secrets without telling how much of them is right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |other, (a, b)| other | (a ^ b)) == 0
}

fn path_of(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/')
}

/// The part of a URL behind `?`, decoded.
fn query_of(url: &str) -> Query {
    let Some((_, query)) = url.split_once('?') else { return Query::new() };
    let plain = |text: &str| {
        let text = text.replace('+', " ");
        percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned()
    };
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(key, value)| (plain(key), plain(value))).collect()
}

fn send(request: Request, status: u16, kind: &str, body: Bytes, more: &[(&'static str, String)]) {
    let length = body.len();
    let usual = [
        ("content-type", kind.to_owned()),
        ("content-security-policy", POLICY.to_owned()),
        ("x-content-type-options", "nosniff".to_owned()),
        ("referrer-policy", "no-referrer".to_owned()),
        ("cross-origin-resource-policy", "same-origin".to_owned()),
        ("cross-origin-opener-policy", "same-origin".to_owned()),
        ("cache-control", "no-store".to_owned()),
    ];
    let headers = usual.iter().chain(more).filter_map(|(name, value)| Header::from_bytes(*name, value.as_bytes()).ok());
    let body = std::io::Cursor::new(body);
    // A client that went away is no error of anybody.
    let response = Response::new(status.into(), headers.collect(), body, Some(length), None);
    let _ = request.respond(response.with_chunked_threshold(usize::MAX));
}
