//! Reads programs from files, folders and standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use agal::{MAGIC, Stage};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::ArgMatches;

use super::arguments;
use crate::cli::{Failure, capture, folder};

/// Largest file: hundreds of times the longest legal program, as text or as bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Extensions of the files that are read from a folder.
pub(super) const EXTENSIONS: [&str; 5] = ["agal", "agalbin", "bin", "hex", "b64"];

/// File format of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Format {
    Text,
    Raw,
    Hex,
    Base64,
}

/// Names of the formats on the command line.
pub(super) const FORMATS: [(&str, Format); 4] = [
    ("text", Format::Text),
    ("raw", Format::Raw),
    ("hex", Format::Hex),
    ("base64", Format::Base64),
];

/// Content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// One file.
pub(in crate::cli) struct Input {
    /// Name for messages.
    pub(super) name: String,
    /// The file's name up to its first dot, for output files.
    pub(super) stem: String,
    /// The kind of program in the file's name.
    pub(super) stage: Option<Stage>,
    pub(in crate::cli) content: Content,
}

/// All inputs.
pub(super) struct Inputs {
    pub(super) list: Vec<Input>,
    /// Whether a folder was among them.
    pub(super) folder: bool,
}

/// Reads the files and folders of the argument `inputs`.
///
/// # Errors
/// A file that can't be read, is too large or is not in the format of `--format`, and a folder without programs.
pub(super) fn read(matches: &ArgMatches) -> Result<Inputs, Failure> {
    let paths = matches.get_many::<PathBuf>("inputs");
    let mut paths: Vec<PathBuf> = paths.into_iter().flatten().cloned().collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("-"));
    }
    let format = arguments::format_of(matches);
    let mut inputs = Inputs {
        list: Vec::new(),
        folder: false,
    };
    for path in paths {
        if path.as_os_str() != "-" && path.is_dir() {
            inputs.folder = true;
            let files = folder::files(&path, &EXTENSIONS);
            for file in files.map_err(|error| failure(&path, error))? {
                inputs.list.push(read_one(&file, format)?);
            }
        } else {
            inputs.list.push(read_one(&path, format)?);
        }
    }
    Ok(inputs)
}

fn failure(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure(format!("{}: {reason}", capture::name(path)))
}

/// Reads one file, or standard input for `-`.
pub(in crate::cli) fn read_one(path: &Path, format: Option<Format>) -> Result<Input, Failure> {
    let bytes = if path.as_os_str() == "-" {
        bounded(io::stdin().lock())
    } else {
        File::open(path).and_then(bounded)
    };
    let bytes = bytes.map_err(|error| failure(path, error))?;
    let file = path.file_name().map(OsStr::to_string_lossy);
    let file = file.unwrap_or_default();
    let mut parts = file.split('.');
    let stem = parts.next().unwrap_or_default();
    let stem = if stem.is_empty() || stem == "-" {
        "program"
    } else {
        stem
    };
    Ok(Input {
        name: capture::name(path),
        stem: stem.to_owned(),
        stage: parts.find_map(stage),
        content: recognise(bytes, format).map_err(|reason| failure(path, reason))?,
    })
}

/// The kind of program for a part of a file's name.
fn stage(part: &str) -> Option<Stage> {
    match part.to_ascii_lowercase().as_str() {
        "vsh" | "vert" | "vertex" => Some(Stage::Vertex),
        "fsh" | "frag" | "fragment" => Some(Stage::Fragment),
        _ => None,
    }
}

fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if read as u64 > MAX_BYTES {
        let text = format!("larger than {} MiB", MAX_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Detects the format, as described in the help text.
fn recognise(bytes: Vec<u8>, format: Option<Format>) -> Result<Content, String> {
    let text = || std::str::from_utf8(&bytes).ok();
    match format {
        Some(Format::Raw) => return Ok(Content::Bytes(bytes)),
        Some(Format::Text) => {
            return String::from_utf8(bytes)
                .map(Content::Text)
                .map_err(|error| format!("not UTF-8: {error}"));
        }
        Some(Format::Hex) => {
            let decoded = text().and_then(from_hex).ok_or("not hexadecimal")?;
            return Ok(Content::Bytes(decoded));
        }
        Some(Format::Base64) => {
            let decoded = text().and_then(from_base64).ok_or("not base64")?;
            return Ok(Content::Bytes(decoded));
        }
        None => {}
    }
    if bytes.first() == Some(&MAGIC) {
        return Ok(Content::Bytes(bytes));
    }
    let Some(text) = text() else {
        return Ok(Content::Bytes(bytes));
    };
    for decode in [from_hex, from_base64] {
        if let Some(decoded) = decode(text).filter(|bytes| bytes.first() == Some(&MAGIC)) {
            return Ok(Content::Bytes(decoded));
        }
    }
    let odd = |letter: char| letter.is_control() && !letter.is_whitespace();
    Ok(if text.contains(odd) {
        Content::Bytes(bytes)
    } else {
        Content::Text(text.to_owned())
    })
}

/// Decodes hexadecimal digits or base64.
pub(in crate::cli) fn decode(text: &str, format: Format) -> Option<Vec<u8>> {
    match format {
        Format::Hex => from_hex(text),
        Format::Base64 => from_base64(text),
        Format::Text | Format::Raw => None,
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for word in text.split(|letter: char| letter.is_whitespace() || letter == ',') {
        let (pairs, rest) = word
            .strip_prefix("0x")
            .unwrap_or(word)
            .as_bytes()
            .as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        for pair in pairs {
            let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
            bytes.push(u8::try_from(high? << 4 | low?).ok()?);
        }
    }
    Some(bytes)
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let letters: String = text.split_whitespace().collect();
    STANDARD.decode(letters).ok()
}

/// Two digits per byte.
pub(super) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]);
    digits.collect()
}

pub(in crate::cli) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Content {
        recognise(bytes.to_vec(), None).unwrap()
    }

    #[test]
    fn content_tells_the_format() {
        let program = vec![0xa0, 1, 0, 0, 0, 0xa1, 0, 0x18];
        let bytes = Content::Bytes(program.clone());
        assert_eq!(of(&program), bytes);
        assert_eq!(of(to_hex(&program).as_bytes()), bytes);
        assert_eq!(of(b"A0 01000000,\n0xa1 00 18\n"), bytes);
        assert_eq!(of(to_base64(&program).as_bytes()), bytes);
        assert_eq!(of(b"oAEA\r\nAACh ABg=\n"), bytes);
        // Only hexadecimal letters, but not bytecode.
        let text = Content::Text("add fc0, fc0, fc0".to_owned());
        assert_eq!(of(b"add fc0, fc0, fc0"), text);
        assert_eq!(of(b""), Content::Text(String::new()));
        assert_eq!(of(b"a0 1"), Content::Text("a0 1".to_owned()));
        assert_eq!(
            of("\u{feff}mov ä\x0b".as_bytes()),
            Content::Text("\u{feff}mov ä\x0b".to_owned())
        );
        assert_eq!(of(&[0xb0, 1]), Content::Bytes(vec![0xb0, 1]));
        assert_eq!(of(b"junk\0"), Content::Bytes(b"junk\0".to_vec()));
    }

    #[test]
    fn the_format_can_be_said() {
        let of = |bytes: &[u8], format| recognise(bytes.to_vec(), Some(format));
        assert_eq!(of(b"0b 01", Format::Hex), Ok(Content::Bytes(vec![0x0b, 1])));
        assert_eq!(
            of(b"b001", Format::Raw),
            Ok(Content::Bytes(b"b001".to_vec()))
        );
        assert_eq!(
            of(b"a001", Format::Text),
            Ok(Content::Text("a001".to_owned()))
        );
        assert_eq!(
            of(b"AAEC", Format::Base64),
            Ok(Content::Bytes(vec![0, 1, 2]))
        );
        assert!(of(b"b0z1", Format::Hex).is_err());
        assert!(of(b"b00", Format::Hex).is_err());
        assert!(of(b"*", Format::Base64).is_err());
        assert!(of(&[0xff], Format::Text).is_err());
    }

    #[test]
    fn hex_is_two_digits_a_byte() {
        assert_eq!(to_hex(&[0, 0xa1, 0xff]), "00a1ff");
    }
}
