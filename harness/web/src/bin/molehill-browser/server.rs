//! A local HTTP server for static files, which receives the page's reports.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use molehill_replay::evidence::UntestedReason;

use super::PageEvent;

/// The maximum length of an accepted body, in bytes.
const MAX_BODY: usize = 1 << 30;
/// The maximum length of an accepted request line with headers, in bytes.
const MAX_HEAD: u64 = 1 << 16;
/// The path to which the page posts reports.
const REPORT: &str = "/report";

const TYPES: [(&str, &str); 6] = [
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("json", "application/json"),
    ("png", "image/png"),
    ("wasm", "application/wasm"),
];

pub(crate) struct PageServer {
    pub(crate) folder: PathBuf,
    /// Additional served files and folders, by the first component of their URL path.
    pub(crate) more: Vec<(String, PathBuf)>,
    /// The folder for posted files. Without a folder, posted files are discarded.
    pub(crate) out: Option<PathBuf>,
}

impl PageServer {
    /// Starts the server on background threads. Returns its port.
    pub(crate) fn start(self, events: Sender<PageEvent>) -> io::Result<u16> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let server = Arc::new(self);
        std::thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let (server, events) = (Arc::clone(&server), events.clone());
                std::thread::spawn(move || server.answer(stream, &events));
            }
        });
        Ok(port)
    }

    fn answer(&self, mut stream: TcpStream, events: &Sender<PageEvent>) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?.take(MAX_HEAD));
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split(' ');
        let (method, address) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
        let (method, address) = (method.to_owned(), address.to_owned());
        let mut length = 0;
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let (path, query) = address.split_once('?').unwrap_or((&address, ""));
        if method == "POST" {
            let mut body = Vec::new();
            reader.get_mut().set_limit(MAX_BODY as u64);
            reader.take(length.min(MAX_BODY as u64)).read_to_end(&mut body)?;
            let status = match self.take(path, query, body, events) {
                Ok(()) => "200 OK",
                Err(_) => "500 Internal Server Error",
            };
            return respond(&mut stream, status, "text/plain", b"");
        }
        let file = self.file(path);
        match file.and_then(|file| Some((std::fs::read(&file).ok()?, file))) {
            Some((data, file)) => respond(&mut stream, "200 OK", kind(&file), &data),
            None => respond(&mut stream, "404 Not Found", "text/plain", b"not found"),
        }
    }

    /// Returns the file for a URL's path; `None` if the path is outside of the served folders.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path.trim_start_matches('/'));
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if !path.components().all(plain) {
            return None;
        }
        let more = self.more.iter().find_map(|(name, file)| {
            let rest = path.strip_prefix(name).ok()?;
            Some(if rest.as_os_str().is_empty() { file.clone() } else { file.join(rest) })
        });
        Some(more.unwrap_or_else(|| self.folder.join(path)))
    }

    /// Handles a POST request: stores a file, or forwards the final report.
    fn take(
        &self,
        path: &str,
        query: &str,
        body: Vec<u8>,
        events: &Sender<PageEvent>,
    ) -> io::Result<()> {
        let wrong = || io::Error::from(io::ErrorKind::InvalidInput);
        let name = path.strip_prefix(REPORT).ok_or_else(wrong)?;
        if let Some(numbers) = query.strip_prefix("failing=") {
            let (failing, compared) = numbers.split_once("&compared=").ok_or_else(wrong)?;
            let mut failing = failing.parse::<u64>().map_err(|_| wrong())?;
            let mut text = String::from_utf8_lossy(&body).into_owned();
            if compared.parse::<u64>().map_err(|_| wrong())? == 0 {
                failing = failing.max(1);
                text += &format!("{}\n", UntestedReason::Nothing);
            }
            let _ = events.send(PageEvent::Report(failing, text));
            return Ok(());
        }
        let name = name.trim_start_matches('/');
        if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(wrong());
        }
        if let Some(out) = &self.out {
            std::fs::create_dir_all(out)?;
            std::fs::write(out.join(name), body)?;
        }
        Ok(())
    }
}

fn kind(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let row = TYPES.iter().find(|(name, _)| Some(*name) == extension);
    row.map_or("application/octet-stream", |(_, kind)| kind)
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(body)
}

#[cfg(test)]
#[path = "../../../tests/unit/server.rs"]
mod tests;
