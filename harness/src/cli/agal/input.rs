//! AGAL programs from files, folders and standard input.

use std::ffi::OsStr;
use std::path::Path;

use agal::Stage;
use clap::ArgMatches;

use super::arguments;
use crate::cli::input::Content;
use crate::cli::{Failure, capture, input};

/// Extensions of the files that are read from a folder.
pub(super) const EXTENSIONS: [&str; 5] = ["agal", "agalbin", "bin", "hex", "b64"];

/// File format of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
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

/// One file.
pub(super) struct Input {
    /// For messages.
    pub(super) name: String,
    /// The file's name up to its first dot, for output files.
    pub(super) stem: String,
    /// The kind of program in the file's name.
    pub(super) stage: Option<Stage>,
    pub(super) content: Content,
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
    let format = arguments::format_of(matches);
    let (paths, folder) = input::paths(matches, &EXTENSIONS)?;
    let list = paths.iter().map(|path| match folder {
        // Every file of a folder is read, as Flash would read it.
        true => read_any(path, format),
        false => read_one(path, format),
    });
    Ok(Inputs { list: list.collect::<Result<_, _>>()?, folder })
}

/// Reads one file, or standard input for `-`.
///
/// # Errors
/// As [`read`]; without `--format`, also a program that belongs to another command.
pub(super) fn read_one(path: &Path, format: Option<Format>) -> Result<Input, Failure> {
    let input = read_any(path, format)?;
    if let (Content::Bytes(bytes), None) = (&input.content, format) {
        let ours = input::refuse_others(bytes, input::Reader::Agal);
        ours.map_err(|reason| input::failure(path, reason))?;
    }
    Ok(input)
}

fn read_any(path: &Path, format: Option<Format>) -> Result<Input, Failure> {
    let bytes = input::bytes(path)?;
    let file = path.file_name().map(OsStr::to_string_lossy);
    Ok(Input {
        name: capture::name(path),
        stem: input::stem(path, "program").to_owned(),
        stage: file.unwrap_or_default().split('.').skip(1).find_map(stage),
        content: content(bytes, format).map_err(|reason| input::failure(path, reason))?,
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

/// The rule of the help text.
fn content(bytes: Vec<u8>, format: Option<Format>) -> Result<Content, String> {
    let written = |decode: fn(&str) -> Option<Vec<u8>>| {
        let text = std::str::from_utf8(&bytes).ok();
        text.and_then(decode).map(Content::Bytes)
    };
    Ok(match format {
        None => input::recognise(bytes, input::is_agal_or_program),
        Some(Format::Raw) => Content::Bytes(bytes),
        Some(Format::Hex) => written(input::from_hex).ok_or("not hexadecimal")?,
        Some(Format::Base64) => written(input::from_base64).ok_or("not base64")?,
        Some(Format::Text) => {
            let text = String::from_utf8(bytes);
            Content::Text(text.map_err(|error| format!("not UTF-8: {error}"))?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_can_be_said() {
        let of = |bytes: &[u8], format| content(bytes.to_vec(), Some(format));
        assert_eq!(of(b"0b 01", Format::Hex), Ok(Content::Bytes(vec![0x0b, 1])));
        assert_eq!(of(b"b001", Format::Raw), Ok(Content::Bytes(b"b001".to_vec())));
        assert_eq!(of(b"a001", Format::Text), Ok(Content::Text("a001".to_owned())));
        assert_eq!(of(b"AAEC", Format::Base64), Ok(Content::Bytes(vec![0, 1, 2])));
        assert!(of(b"b0z1", Format::Hex).is_err());
        assert!(of(b"b00", Format::Hex).is_err());
        assert!(of(b"*", Format::Base64).is_err());
        assert!(of(&[0xff], Format::Text).is_err());
    }
}
