//! A static file server for one folder on the loopback address, with the headers that the folder's `_headers` file asks for.
//!
//! It serves the playground to the person at this machine and nothing else: GET and HEAD, one request a connection.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::failure::{Failure, Result};
use crate::paths;

/// How many ports after the wanted one are tried.
const PORTS_TRIED: u16 = 100;
const TIMEOUT: Duration = Duration::from_secs(10);
/// A request head longer than this is not from a browser asking for a page.
const REQUEST_BYTES_MAX: u64 = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    port: u16,
    site: Arc<Site>,
}

#[derive(Debug)]
struct Site {
    folder: PathBuf,
    /// Header lines sent with every file.
    headers: Vec<String>,
}

impl Server {
    /// Listens on the port, or on the next one that is free.
    pub(crate) fn bind(port: u16, folder: PathBuf) -> Result<Self> {
        let headers = match folder.join("_headers") {
            file if file.is_file() => parse_headers(&paths::read_text(&file)?),
            _ => Vec::new(),
        };
        for candidate in port..=port.saturating_add(PORTS_TRIED) {
            match TcpListener::bind((Ipv4Addr::LOCALHOST, candidate)) {
                Ok(listener) => {
                    let site = Arc::new(Site { folder, headers });
                    return Ok(Server { listener, port: candidate, site });
                }
                Err(error) if error.kind() == ErrorKind::AddrInUse => {
                    println!("port {candidate} is taken");
                }
                Err(error) => return Err(Failure::new(format!("cannot listen on port {candidate}: {error}"))),
            }
        }
        Err(Failure::new(format!("no free port from {port} on; choose another with --port")))
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Serves until the process is stopped.
    pub(crate) fn run(&self) -> Result {
        for stream in self.listener.incoming() {
            let Ok(stream) = stream else { continue };
            let site = Arc::clone(&self.site);
            // A browser that goes away in the middle is no failure of the server.
            std::thread::spawn(move || drop(site.answer(stream)));
        }
        Ok(())
    }
}

impl Site {
    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let mut lines = BufReader::new(stream.try_clone()?.take(REQUEST_BYTES_MAX)).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        // The rest of the head is read, so that closing does not reset the connection under the answer.
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let (head, body) = self.response(&request);
        stream.write_all(head.as_bytes())?;
        if !request.starts_with("HEAD ") {
            stream.write_all(&body)?;
        }
        stream.flush()
    }

    /// Head and body for a request line.
    fn response(&self, request: &str) -> (String, Vec<u8>) {
        let mut words = request.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (status, kind, body) = match method {
            "GET" | "HEAD" => match self.file(target).and_then(|path| Some((std::fs::read(&path).ok()?, path))) {
                Some((body, path)) => ("200 OK", media_type(&path), body),
                None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
            },
            _ => ("405 Method Not Allowed", "text/plain; charset=utf-8", b"GET and HEAD only\n".to_vec()),
        };
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        head.push_str("Connection: close\r\nCache-Control: no-cache\r\n");
        for header in &self.headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        (head, body)
    }

    /// The file a request target names, if it stays inside the folder.
    fn file(&self, target: &str) -> Option<PathBuf> {
        let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
        let path = percent_decode(path)?;
        let relative = Path::new(&path);
        if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
            return None;
        }
        let file = self.folder.join(relative);
        Some(if file.is_dir() { file.join("index.html") } else { file })
    }
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                rest = tail;
            }
            (b'%', _) => return None,
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// The header lines under the path `/*` of a `_headers` file: an unindented path, then indented `Name: value` lines.
fn parse_headers(text: &str) -> Vec<String> {
    let mut headers = Vec::new();
    let mut applies = false;
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        if !line.starts_with([' ', '\t']) {
            applies = line.trim() == "/*";
        } else if applies && line.contains(':') {
            headers.push(line.trim().to_owned());
        }
    }
    headers
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "session" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site { folder: PathBuf::from("/site"), headers: vec!["X-A: b".into()] }
    }

    #[test]
    fn targets_stay_inside_the_folder() {
        assert_eq!(site().file("/a/b.js?x=1"), Some(PathBuf::from("/site/a/b.js")));
        assert_eq!(site().file("/a%20b.js"), Some(PathBuf::from("/site/a b.js")));
        for outside in ["/../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "a", "/%zz", "/%4"] {
            assert_eq!(site().file(outside), None, "{outside}");
        }
    }

    #[test]
    fn answers_name_status_type_and_headers() {
        let (head, body) = site().response("GET /nowhere.txt HTTP/1.1");
        assert!(
            head.starts_with("HTTP/1.1 404 ") && head.contains("\r\nX-A: b\r\n") && head.ends_with("\r\n\r\n"),
            "{head}"
        );
        assert_eq!(body, b"not found\n");
        assert!(site().response("POST / HTTP/1.1").0.starts_with("HTTP/1.1 405 "));
        assert!(site().response("").0.starts_with("HTTP/1.1 405 "));
        assert_eq!(media_type(Path::new("engine.wasm")), "application/wasm");
    }

    #[test]
    fn a_taken_port_is_passed_over() {
        let first = Server::bind(40_000, PathBuf::from("/site")).unwrap();
        let second = Server::bind(first.port(), PathBuf::from("/site")).unwrap();
        assert!(second.port() > first.port());
    }

    #[test]
    fn headers_for_every_path_are_read() {
        let text = "# comment\n/*\n  Content-Security-Policy: default-src 'self'\n\n/other\n  X-Not: this\n";
        assert_eq!(parse_headers(text), ["Content-Security-Policy: default-src 'self'"]);
    }
}
