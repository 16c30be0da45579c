//! The part of HTTP/1.1 that `view` needs: one request for each connection, bodies only for requests
//! that were admitted, and a limit on everything that a client can occupy.
//!
//! A thread reads, answers and closes one connection. Connections are not reused: on one machine a
//! new one costs less than a millisecond, and an idle one would occupy its thread.

use super::lock;
use bytes::Bytes;
use httparse::Status;
use refit_base::wire::Within;
use std::{
    collections::VecDeque,
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Most bytes of a request line and its headers, and most headers.
const LONGEST: usize = 16 << 10;
const HEADERS: usize = 64;

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a client may take for the body of its request.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

/// Most requests whose bodies are read or in memory at the same time.
const BODIES: usize = 2;

/// A client that takes nothing of its answer for this long is gone.
const STALLED: Duration = Duration::from_secs(30);

/// How long to keep reading from a client that sends too much, so that it sees the answer.
const REST: Duration = Duration::from_secs(1);

/// Maximum number of connections without a request; one more closes the oldest.
const SILENT: usize = 128;

/// Most requests that are answered at the same time; a page has about ten.
const AT_ONCE: usize = 64;

/// Most connections: those above, and those that are being closed.
const CONNECTIONS: usize = 256;

/// A request.
pub(super) struct Request {
    pub method: String,
    /// Path and query.
    pub target: String,
    headers: Vec<(String, String)>,
    /// The body, if the request was admitted with one.
    pub body: Bytes,
}

/// What answers requests.
pub(super) trait Answering: Send + Sync + 'static {
    /// Most bytes of the body of a request, of which only the head is read; or its refusal.
    fn admit(&self, request: &Request) -> Result<usize, Response>;
    /// The answer to a request that was admitted.
    fn answer(&self, request: &Request) -> Response;
}

impl Request {
    /// The value of a header, and whether there are further headers of that name.
    pub fn header(&self, name: &str) -> (Option<&str>, bool) {
        let mut own = self
            .headers
            .iter()
            .filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let first = own.next().map(|(_, value)| value.as_str());
        (first, own.next().is_some())
    }
}

/// An answer.
pub(super) struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Bytes,
    /// Headers in addition to the common ones.
    pub headers: Vec<(&'static str, String)>,
    /// The server ends once this is sent.
    pub is_last: bool,
}

impl Response {
    pub fn new(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Self {
        Response {
            status,
            kind,
            body: body.into(),
            headers: Vec::new(),
            is_last: false,
        }
    }

    /// A refusal, with the reason as the page reads it.
    pub fn refusal(status: u16, why: &str) -> Self {
        let body = serde_json::json!({ "error": { "kind": "refused", "message": why } });
        Response::new(status, "application/json", body.to_string().into_bytes())
    }
}

fn too_many() -> Response {
    Response::refusal(503, "there are too many connections at once")
}

/// Answers the connections of a listener until `over` is set; one more connection is needed to
/// notice it.
pub(super) fn serve<A: Answering>(listener: &TcpListener, over: Arc<AtomicBool>, answer: A) {
    let (all, answered, silent) = (Arc::default(), Arc::default(), Mutex::default());
    let bodies = Arc::default();
    let connections = Arc::new(Connections {
        answer,
        over,
        all,
        answered,
        bodies,
        silent,
    });
    for stream in listener.incoming() {
        if connections.over.load(Ordering::Relaxed) {
            return;
        }
        match stream {
            Ok(stream) => connections.take(stream),
            // The system has no room for another connection, usually.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// The connections of a server.
struct Connections<A> {
    answer: A,
    over: Arc<AtomicBool>,
    all: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    bodies: Arc<AtomicUsize>,
    /// The connections without a request, the oldest first.
    silent: Mutex<VecDeque<Arc<TcpStream>>>,
}

/// One of a limited number.
pub(super) struct Ticket(Arc<AtomicUsize>);

impl Ticket {
    /// `None` if all are taken.
    pub fn take(from: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let ticket = Ticket(from.clone());
        (from.fetch_add(1, Ordering::Relaxed) < most).then_some(ticket)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<A: Answering> Connections<A> {
    /// Serves a connection in a new thread.
    fn take(self: &Arc<Self>, stream: TcpStream) {
        let stream = Arc::new(stream);
        let Some(ticket) = Ticket::take(&self.all, CONNECTIONS) else {
            return refuse(&stream);
        };
        let oldest = {
            let mut silent = lock(&self.silent);
            silent.push_back(stream.clone());
            if silent.len() > SILENT {
                silent.pop_front()
            } else {
                None
            }
        };
        if let Some(oldest) = oldest {
            refuse(&oldest);
        }
        let (own, held) = (self.clone(), stream.clone());
        let started = std::thread::Builder::new()
            .stack_size(512 << 10)
            .spawn(move || {
                // The client may have gone away.
                let _ = own.one(&stream);
                drop(ticket);
            });
        if started.is_err() {
            lock(&self.silent).retain(|other| !Arc::ptr_eq(other, &held));
            refuse(&held);
        }
    }

    /// Reads, answers and closes a connection.
    fn one(&self, stream: &Arc<TcpStream>) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(STALLED))?;
        let asked = read(stream);
        let is_refused = {
            let mut silent = lock(&self.silent);
            let at = silent.iter().position(|other| Arc::ptr_eq(other, stream));
            at.and_then(|at| silent.remove(at)).is_none()
        };
        let (with_body, response, _ticket) = match asked {
            _ if is_refused => return Ok(()),
            Ok(None) => return Ok(()),
            Ok(Some((request, begun))) => match Ticket::take(&self.answered, AT_ONCE) {
                Some(ticket) => (
                    request.method != "HEAD",
                    self.admitted(stream, request, begun),
                    Some(ticket),
                ),
                None => (true, too_many(), None),
            },
            Err(refusal) => (true, refusal, None),
        };
        let sent = send(stream, &response, with_body);
        if response.is_last {
            self.over.store(true, Ordering::Relaxed);
        }
        sent?;
        close(stream)
    }
}

impl<A: Answering> Connections<A> {
    /// The answer to a request, whose body is read only if the request is admitted. `begun` is what
    /// was read after its head.
    fn admitted(&self, stream: &TcpStream, mut request: Request, begun: Vec<u8>) -> Response {
        let most = match self.answer.admit(&request) {
            Ok(0) => return self.answer.answer(&request),
            Ok(most) => most,
            Err(refusal) => return refusal,
        };
        let Some(_ticket) = Ticket::take(&self.bodies, BODIES) else {
            return Response::refusal(503, "other edits are being made; try again");
        };
        match body(stream, &request, begun, most) {
            Ok(body) => request.body = body.into(),
            Err(refusal) => return refusal,
        }
        self.answer.answer(&request)
    }
}

/// Reads the body of a request, at most this many bytes.
fn body(
    mut stream: &TcpStream,
    request: &Request,
    begun: Vec<u8>,
    most: usize,
) -> Result<Vec<u8>, Response> {
    let length = match request.header("content-length") {
        (Some(text), false) if request.header("transfer-encoding").0.is_none() => {
            text.parse::<usize>().ok()
        }
        _ => None,
    };
    let length =
        length.ok_or_else(|| Response::refusal(411, "the request does not say how long it is"))?;
    if length > most {
        return Err(Response::refusal(413, "the edit is too large"));
    }
    if begun.len() > length {
        return Err(Response::refusal(
            400,
            "the body is longer than the request says",
        ));
    }
    if request.header("expect").0.is_some() {
        let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    let end = Instant::now() + BODY_PATIENCE;
    let (mut body, mut piece) = (begun, vec![0; 64 << 10]);
    while body.len() < length {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Response::refusal(408, "the request takes too long"));
        }
        let most = piece.len().min(length.saturating_sub(body.len()));
        let room = piece.within_mut(..most);
        let read = stream
            .set_read_timeout(Some(left))
            .and_then(|()| stream.read(room));
        match read {
            Ok(n @ 1..) => body.extend_from_slice(piece.within(..n)),
            Err(e) if is_wait(e.kind()) => {}
            _ => return Err(Response::refusal(400, "the request ends too early")),
        }
    }
    Ok(body)
}

/// Reads the head of a request, and what came after it; `None` if the client disconnects or sends
/// nothing. An error is the answer.
fn read(mut stream: &TcpStream) -> Result<Option<(Request, Vec<u8>)>, Response> {
    let end = Instant::now() + PATIENCE;
    let (mut head, mut piece) = (Vec::new(), [0; 2048]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let late = || Response::refusal(408, "the request takes too long");
            return if head.is_empty() {
                Ok(None)
            } else {
                Err(late())
            };
        }
        let read = stream
            .set_read_timeout(Some(left))
            .and_then(|()| stream.read(&mut piece));
        match read {
            Ok(0) => return Ok(None),
            Ok(n) => head.extend_from_slice(piece.within(..n)),
            Err(e) if is_wait(e.kind()) => continue,
            Err(_) => return Ok(None),
        }
        match parsed(&head) {
            Ok(None) if head.len() > LONGEST => {
                return Err(Response::refusal(431, "the request is too long"));
            }
            Ok(None) => {}
            Ok(Some((request, end))) => {
                let begun = head.within(end..).to_vec();
                return Ok(Some((request, begun)));
            }
            Err(httparse::Error::TooManyHeaders) => {
                return Err(Response::refusal(431, "there are too many headers"));
            }
            Err(e) => return Err(Response::refusal(400, &format!("not an HTTP request: {e}"))),
        }
    }
}

fn is_wait(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// A request and the end of its head, once that is whole.
fn parsed(head: &[u8]) -> Result<Option<(Request, usize)>, httparse::Error> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let Status::Complete(end) = request.parse(head)? else {
        return Ok(None);
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let request = Request {
        body: Bytes::new(),
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        headers: request
            .headers
            .iter()
            .map(|header| (header.name.to_owned(), text(header.value)))
            .collect(),
    };
    Ok(Some((request, end)))
}

fn send(mut stream: &TcpStream, response: &Response, with_body: bool) -> std::io::Result<()> {
    let Response {
        status,
        kind,
        body,
        headers,
        ..
    } = response;
    let mut head = format!(
        "HTTP/1.1 {status} {}\r\nconnection: close\r\n",
        reason(*status)
    );
    if *status != 204 {
        head += &format!("content-type: {kind}\r\ncontent-length: {}\r\n", body.len());
    }
    headers
        .iter()
        .for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    head += "\r\n";
    stream.write_all(head.as_bytes())?;
    if with_body {
        stream.write_all(body)
    } else {
        Ok(())
    }
}

/// The reason phrase of a status.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "",
    }
}

/// Closes a connection. Keeps reading for a moment: otherwise the client's system may drop the
/// answer.
fn close(mut stream: &TcpStream) -> std::io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let end = Instant::now() + REST;
    let mut piece = [0; 2048];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(e) if is_wait(e.kind()) => {}
            Err(e) => return Err(e),
        }
    }
}

/// Refuses a connection that has no place, without waiting for its request.
fn refuse(stream: &TcpStream) {
    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
    let _ = send(stream, &too_many(), true);
    let _ = stream.shutdown(Shutdown::Both);
}
