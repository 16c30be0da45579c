//! The server of `refit view`, for tests.

use crate::process::program;
use serde_json::Value;
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A program that serves a folder. It ends with this.
pub struct Server {
    /// The program.
    pub child: Child,
    /// Its address and port.
    pub host: String,
    /// The token for requests.
    pub token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer: status, headers in lower case, and body.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, in lower case.
    pub headers: HashMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {:.300}", String::from_utf8_lossy(&self.body)))
    }
}

/// A text for a URL.
pub fn percent(text: &str) -> String {
    text.bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() {
                char::from(b).to_string()
            } else {
                format!("%{b:02x}")
            }
        })
        .collect()
}

impl Server {
    /// Serves a folder, with a folder for the cache.
    pub fn start(path: &Path, cache: &Path) -> Self {
        Self::start_with(path, cache, &[])
    }

    /// The same, with more arguments.
    pub fn start_with(path: &Path, cache: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(program());
        command
            .args(["view", "--no-open", "--json"])
            .arg(path)
            .args(more);
        Self::run(command, cache)
    }

    /// The start page, in a folder.
    pub fn start_page(folder: &Path, cache: &Path) -> Self {
        let mut command = Command::new(program());
        command
            .args(["view", "--no-open", "--json"])
            .current_dir(folder);
        Self::run(command, cache)
    }

    fn run(mut command: Command, cache: &Path) -> Self {
        let mut child = command
            .env("REFIT_CACHE", cache)
            // No test starts the Blender of this machine.
            .env("REFIT_BLENDER", cache.join("blender"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        let (host, token) = said["url"].as_str().unwrap()["http://".len()..]
            .split_once("/?token=")
            .unwrap();
        Server {
            child,
            host: host.to_owned(),
            token: token.to_owned(),
        }
    }

    /// Sends a question like the page, and leaves the answer unread.
    pub fn connect(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let (host, token) = (&self.host, &self.token);
        let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nx-refit-token: {token}\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// Sends a request unchanged, and returns the answer.
    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let end = all
            .windows(4)
            .position(|w| w == b"\r\n\r\n")
            .unwrap_or(all.len());
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1)?.parse().ok())
            .unwrap_or(0);
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(k, v)| (k.to_lowercase(), v.to_owned()));
        Answer {
            status,
            headers: headers.collect(),
            body: all.get(end + 4..).unwrap_or_default().to_vec(),
        }
    }

    /// A request with these headers.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let more: String = headers
            .iter()
            .map(|(k, v)| format!("{k}: {v}\r\n"))
            .collect();
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\n{more}\r\n"
        ))
    }

    /// Sends an edit like the page.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let (host, token, body) = (&self.host, &self.token, body.to_string());
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nx-refit-token: {token}\r\n\
            Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Sends a request like the page.
    pub fn get(&self, path: &str) -> Answer {
        self.request(
            "GET",
            path,
            &[("Host", &self.host), ("x-refit-token", &self.token)],
        )
    }

    /// An answer that is JSON.
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(
            answer.status,
            200,
            "{path}: {}",
            String::from_utf8_lossy(&answer.body)
        );
        answer.json()
    }
}
