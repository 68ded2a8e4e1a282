//! Programs from files, folders and standard input, as bytes or as text: shared by every command that reads programs.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::{Arg, ArgMatches};
use d3d9::FileKind;

use super::{Failure, arguments, capture, folder};

/// Largest file that is read: hundreds of times the longest legal program, as text or as bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// The argument `inputs`, which names files and folders.
pub(in crate::cli) fn argument(help: &'static str) -> Arg {
    arguments::files("inputs", "FILE", help)
}

/// The paths of the argument, with folders replaced by their files, and whether there was a folder.
///
/// # Errors
/// A folder without files of these extensions.
pub(in crate::cli) fn paths(
    matches: &ArgMatches,
    extensions: &[&str],
) -> Result<(Vec<PathBuf>, bool), Failure> {
    let named = matches.get_many::<PathBuf>("inputs");
    let mut named: Vec<PathBuf> = named.into_iter().flatten().cloned().collect();
    if named.is_empty() {
        named.push(PathBuf::from("-"));
    }
    let (mut paths, mut any) = (Vec::new(), false);
    for path in named {
        if path.as_os_str() != "-" && path.is_dir() {
            any = true;
            let files = folder::files(&path, extensions);
            paths.extend(files.map_err(|reason| failure(&path, reason))?);
        } else {
            paths.push(path);
        }
    }
    Ok((paths, any))
}

/// An error with the name of a file.
pub(in crate::cli) fn failure(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::of(capture::name(path))(reason)
}

/// Reads a whole file, or standard input for `-`.
///
/// # Errors
/// A file that can't be read or is too large.
pub(in crate::cli) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = match path.as_os_str() == "-" {
        true => bounded(io::stdin().lock()),
        false => File::open(path).and_then(bounded),
    };
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
pub(in crate::cli) fn stem<'a>(path: &'a Path, otherwise: &'a str) -> &'a str {
    let file = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match file.split('.').next() {
        None | Some("" | "-") => otherwise,
        Some(stem) => stem,
    }
}

/// Whether the bytes are a program that some command reads.
pub(in crate::cli) fn is_program(bytes: &[u8]) -> bool {
    d3d9::file_kind(bytes) != FileKind::Unknown
}

/// As [`is_program`], for commands that read AGAL, which is recognized by its first byte.
pub(in crate::cli) fn is_agal_or_program(bytes: &[u8]) -> bool {
    bytes.first() == Some(&agal::binary::MAGIC) || is_program(bytes)
}

/// The commands that read programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Reader {
    Agal,
    D3d9,
    Hs50,
}

/// Refuses a program that another command reads.
///
/// # Errors
/// The type of the file, and the command that reads it.
pub(in crate::cli) fn refuse_others(bytes: &[u8], reader: Reader) -> Result<(), String> {
    let (own, what, advice) = match d3d9::file_kind(bytes) {
        FileKind::Agal => (
            Some(Reader::Agal),
            "AGAL bytecode".to_owned(),
            "\"molehill agal\" reads it, \"molehill d3d9 from-agal\" translates it",
        ),
        FileKind::Dxbc => (
            Some(Reader::Hs50),
            "a DXBC container (Direct3D 10 or later)".to_owned(),
            "\"molehill hs50\" reads it",
        ),
        FileKind::Effect => {
            (None, "a Direct3D 9 effect (fx_2_0)".to_owned(), "extract its shaders first")
        }
        FileKind::Shader(version) => (
            Some(Reader::D3d9),
            format!("a Direct3D 9 shader ({version})"),
            "\"molehill d3d9\" reads it",
        ),
        FileKind::OtherVersion(_) | FileKind::Unknown => return Ok(()),
    };
    match own == Some(reader) {
        true => Ok(()),
        false => Err(format!("this is {what}; {advice}")),
    }
}

/// Distinguishes text from bytes by the content: bytes that are a program, a program's bytes written as digits or in
/// base64, or text. Anything else is bytes too, so that damaged programs can be inspected.
pub(in crate::cli) fn recognise(bytes: Vec<u8>, is_program: fn(&[u8]) -> bool) -> Content {
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
    match text.contains(odd) {
        true => Content::Bytes(bytes),
        false => Content::Text(text.to_owned()),
    }
}

/// The bytes of hexadecimal digits, two digits each.
pub(in crate::cli) fn from_hex(text: &str) -> Option<Vec<u8>> {
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
    let bytes = words.iter().map(|word| u8::try_from(*word));
    Some(
        bytes
            .collect::<Result<Vec<u8>, _>>()
            .unwrap_or_else(|_| words.iter().flat_map(|word| word.to_le_bytes()).collect()),
    )
}

/// Decodes base64, with white space anywhere.
pub(in crate::cli) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let letters: String = text.split_whitespace().collect();
    STANDARD.decode(letters).ok()
}

/// Writes two hexadecimal digits per byte.
pub(in crate::cli) fn to_hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]);
    digits.collect()
}

pub(in crate::cli) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        let programs: [(&[u8], &[&str]); 3] = [
            (
                &[0xa0, 1, 0, 0, 0, 0xa1, 0, 0x18],
                &["A0 01000000,\n0xa1 00 18\n", "oAEA\r\nAACh ABg=\n"],
            ),
            (
                &[0, 2, 0xff, 0xff, 1, 0, 0, 2],
                &[
                    "0xFFFF0200, 0x02000001",
                    "ffff0200\n02000001",
                    "const DWORD ps[] = { // ps_2_0\n 0xffff0200, 0x02000001\n};",
                    "const BYTE ps[] =\n{\n 0, 2, 255, 255, 1, 0, 0, 2\n};",
                    "0, 2, ff, ff, 1, 0, 0, 2",
                ],
            ),
            (
                b"DXBC\x01\0\0\0",
                &["0x43425844 0x1", "static const BYTE b[] = { 68, 88, 66, 67, 1u, 0, 0, 0 };"],
            ),
        ];
        for (program, texts) in programs {
            let expected = Content::Bytes(program.to_vec());
            let own = [to_hex(program), to_base64(program), to_hex(program).to_uppercase()];
            let texts = texts.iter().copied().chain(own.iter().map(String::as_str));
            for text in texts {
                assert_eq!(recognise(text.as_bytes().to_vec(), is_program), expected, "{text}");
            }
            assert_eq!(recognise(program.to_vec(), is_program), expected);
        }
        // Text is not a program because it consists of hexadecimal letters.
        for text in ["add fc0, fc0, fc0", "", "a0 1", "\u{feff}mov ä\x0b"] {
            let content = recognise(text.as_bytes().to_vec(), is_program);
            assert_eq!(content, Content::Text(text.to_owned()));
        }
        for bytes in [&[0xb0, 1][..], b"junk\0"] {
            assert_eq!(recognise(bytes.to_vec(), is_program), Content::Bytes(bytes.to_vec()));
        }
    }

    #[test]
    fn hex_is_two_digits_a_byte() {
        assert_eq!(to_hex(&[0, 0xa1, 0xff]), "00a1ff");
        assert_eq!(from_hex("b0z1"), None);
        assert_eq!(from_hex("b00"), None);
    }

    #[test]
    fn stems_have_no_endings() {
        for (path, expected) in [("a/light.vsh.agal", "light"), ("-", "x"), (".hidden", "x")] {
            assert_eq!(stem(Path::new(path), "x"), expected);
        }
    }
}
