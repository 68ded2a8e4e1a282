//! Files, folders and standard input, as bytes or as text.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use d3d9::FileKind;

use super::Failure;
use super::capture_argument::{files, name};

/// Largest file that is read: hundreds of times the longest legal program, as text or as bytes.
const MAX_BYTES: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// The files of paths (standard input if there is none), with folders replaced by their files, and whether there was a
/// folder.
pub(super) fn paths(
    named: &[PathBuf],
    extensions: &[&str],
) -> Result<(Vec<PathBuf>, bool), Failure> {
    let (mut paths, mut any) = (Vec::new(), false);
    for path in named {
        if path.as_os_str() != "-" && path.is_dir() {
            any = true;
            paths.extend(files(path, extensions).map_err(|reason| failure(path, reason))?);
        } else {
            paths.push(path.clone());
        }
    }
    if named.is_empty() {
        paths.push(PathBuf::from("-"));
    }
    Ok((paths, any))
}

pub(super) fn failure(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::of(name(path))(reason)
}

/// Reads a whole file, or standard input for `-`.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let standard = path.as_os_str() == "-";
    let read =
        if standard { bounded(io::stdin().lock()) } else { File::open(path).and_then(bounded) };
    read.map_err(|error| failure(path, error))
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

/// The file's name without folder and extensions, for output files.
pub(super) fn stem<'a>(path: &'a Path, otherwise: &'a str) -> &'a str {
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match file.split('.').next() {
        None | Some("" | "-") => otherwise,
        Some(stem) => stem,
    }
}

/// Returns whether the bytes begin as AGAL bytecode does.
pub(super) fn is_agal(bytes: &[u8]) -> bool {
    bytes.first() == Some(&agal::binary::MAGIC)
}

fn is_program(bytes: &[u8]) -> bool {
    is_agal(bytes) || d3d9::file_kind(bytes) != FileKind::Unknown
}

/// Distinguishes text from bytes by the content: bytes that are a program, a program's bytes written as digits or in
/// base64, or text. Anything else is bytes too, so that damaged programs can be inspected.
pub(super) fn recognise(bytes: Vec<u8>) -> Content {
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) if !is_program(&bytes) => text,
        _ => return Content::Bytes(bytes),
    };
    let written = [from_hex, numbers, from_base64].into_iter();
    let mut written = written.filter_map(|decode| decode(text));
    if let Some(decoded) = written.find(|bytes| is_program(bytes)) {
        return Content::Bytes(decoded);
    }
    let odd = |letter: char| letter.is_control() && !letter.is_whitespace();
    if text.contains(odd) { Content::Bytes(bytes) } else { Content::Text(text.to_owned()) }
}

/// The bytes of hexadecimal digits, two digits each.
pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for word in text.split(|letter: char| letter.is_whitespace() || letter == ',') {
        let (pairs, rest) = word.strip_prefix("0x").unwrap_or(word).as_bytes().as_chunks::<2>();
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

/// The bytes of a list of numbers: the braces of an array in C, where numbers without `0x` are decimal, or a list of
/// hexadecimal words. Numbers are single bytes if all of them are below 256, else 32-bit words, the lowest byte first.
fn numbers(text: &str) -> Option<Vec<u8>> {
    let lines = text.lines();
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ");
    let (array, list) = match code.split_once('{') {
        Some((_, rest)) => (true, rest.split('}').next().unwrap_or_default()),
        None => (false, code.as_str()),
    };
    let words = list.split(|letter: char| letter.is_whitespace() || letter == ',');
    let words = words.filter(|word| !word.is_empty()).map(|word| {
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let digits = hex.unwrap_or(word).trim_end_matches(['u', 'U', 'l', 'L']);
        let radix = if hex.is_none() && array { 10 } else { 16 };
        u32::from_str_radix(digits, radix).ok()
    });
    let words: Vec<u32> = words.collect::<Option<_>>()?;
    let bytes: Result<Vec<u8>, _> = words.iter().map(|word| u8::try_from(*word)).collect();
    Some(bytes.unwrap_or_else(|_| words.iter().flat_map(|word| word.to_le_bytes()).collect()))
}

pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let letters: String = text.split_whitespace().collect();
    STANDARD.decode(letters).ok()
}

pub(super) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The words as in a C array, or the bytes if they are no whole words.
pub(super) fn to_words(bytes: &[u8]) -> String {
    let words: Vec<String> = match bytes.as_chunks::<4>() {
        (words, []) => {
            words.iter().map(|word| format!("0x{:08X}", u32::from_le_bytes(*word))).collect()
        }
        _ => bytes.iter().map(|byte| format!("0x{byte:02X}")).collect(),
    };
    words.chunks(8).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n") + "\n"
}

pub(super) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
#[path = "../../tests/unit/input.rs"]
mod tests;
