//! Reads input files, folders and standard input, as bytes or as text.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use d3d9::FileKind;

use super::CommandFailure;
use super::capture_argument::{files, name};

/// The maximum size of an input file: hundreds of times the longest legal program, as text or as bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The magic number at the start of a PNG file.
pub(super) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InputContent {
    Text(String),
    Bytes(Vec<u8>),
}

/// Returns all input files (standard input without paths), and whether a path is a folder.
pub(super) fn paths(
    named: &[PathBuf],
    extensions: &[&str],
) -> Result<(Vec<PathBuf>, bool), CommandFailure> {
    let (mut paths, mut has_folder) = (Vec::new(), false);
    for path in named {
        if path.as_os_str() != "-" && path.is_dir() {
            has_folder = true;
            paths.extend(files(path, extensions).map_err(|reason| failure(path, reason))?);
        } else {
            paths.push(path.clone());
        }
    }
    if named.is_empty() {
        paths.push(PathBuf::from("-"));
    }
    Ok((paths, has_folder))
}

pub(super) fn failure(path: &Path, reason: impl std::fmt::Display) -> CommandFailure {
    CommandFailure::of(name(path))(reason)
}

/// Reads a whole program file, or standard input for `-`.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, CommandFailure> {
    source(path).and_then(|it| bounded(it, MAX_BYTES)).map_err(|error| failure(path, error))
}

/// Opens a file, or standard input for `-`.
pub(super) fn source(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let standard = path.as_os_str() == "-";
    Ok(if standard { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// Reads an input to its end. An input with more than `max` bytes is an error.
pub(super) fn bounded(source: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(max + 1).read_to_end(&mut bytes)?;
    if read as u64 > max {
        let text = format!("the file is larger than {} MiB", max >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Returns an input file's name without folder and extensions, for the names of output files.
pub(super) fn stem<'a>(path: &'a Path, otherwise: &'a str) -> &'a str {
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match file.split('.').next() {
        None | Some("" | "-") => otherwise,
        Some(stem) => stem,
    }
}

/// Returns whether bytes begin like AGAL bytecode.
pub(super) fn is_agal(bytes: &[u8]) -> bool {
    bytes.first() == Some(&agal::binary::MAGIC)
}

fn is_program(bytes: &[u8]) -> bool {
    is_agal(bytes) || d3d9::file_kind(bytes) != FileKind::Unknown
}

/// Detects from the content whether an input is a program's bytes, those bytes as digits or base64, or text.
/// Unrecognised content counts as bytes, so that damaged programs can be inspected.
pub(super) fn recognise(bytes: Vec<u8>) -> InputContent {
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) if !is_program(&bytes) => text,
        _ => return InputContent::Bytes(bytes),
    };
    let written = [from_hex, numbers, from_base64].into_iter();
    let mut written = written.filter_map(|decode| decode(text));
    if let Some(decoded) = written.find(|bytes| is_program(bytes)) {
        return InputContent::Bytes(decoded);
    }
    let is_binary = |letter: char| letter.is_control() && !letter.is_whitespace();
    if text.contains(is_binary) {
        InputContent::Bytes(bytes)
    } else {
        InputContent::Text(text.to_owned())
    }
}

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

/// Decodes a list of numbers: a C array in braces, in which numbers without `0x` are decimal, or a list of hexadecimal
/// numbers. If all numbers are below 256, each is a byte; otherwise each is a little-endian 32-bit word.
fn numbers(text: &str) -> Option<Vec<u8>> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
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

/// Formats bytes as 32-bit words of a C array. If the number of bytes is not a multiple of four, formats single bytes.
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
