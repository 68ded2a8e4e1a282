//! AGAL programs from files, folders and standard input.

use std::ffi::OsStr;
use std::path::Path;

use agal::Stage;

use super::arguments::{FileFormat, Inputs};
use crate::cli::Failure;
use crate::cli::capture_argument::name;
use crate::cli::input::{self, Content};

pub(super) const EXTENSIONS: [&str; 5] = ["agal", "agalbin", "bin", "hex", "b64"];

pub(super) struct Input {
    /// For messages.
    pub(super) name: String,
    /// The file's name up to its first dot, for output files.
    pub(super) stem: String,
    /// The kind of program in the file's name.
    pub(super) stage: Option<Stage>,
    pub(super) content: Content,
}

/// Reads the inputs, and says whether a folder was among them.
pub(super) fn read(inputs: &Inputs) -> Result<(Vec<Input>, bool), Failure> {
    let format = inputs.reading.format;
    let (paths, folder) = input::paths(&inputs.files, &EXTENSIONS)?;
    // Every file of a folder is read, as Flash would read it.
    let list = paths
        .iter()
        .map(|path| if folder { read_any(path, format) } else { read_one(path, format) });
    Ok((list.collect::<Result<_, _>>()?, folder))
}

/// Reads one file, or standard input for `-`.
pub(super) fn read_one(path: &Path, format: Option<FileFormat>) -> Result<Input, Failure> {
    let input = read_any(path, format)?;
    if let (Content::Bytes(bytes), None) = (&input.content, format) {
        let ours = input::refuse_others(bytes, input::Reader::Agal);
        ours.map_err(|reason| input::failure(path, reason))?;
    }
    Ok(input)
}

fn read_any(path: &Path, format: Option<FileFormat>) -> Result<Input, Failure> {
    let bytes = input::bytes(path)?;
    let file = path.file_name().map(OsStr::to_string_lossy);
    Ok(Input {
        name: name(path),
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

fn content(bytes: Vec<u8>, format: Option<FileFormat>) -> Result<Content, String> {
    let written = |decode: fn(&str) -> Option<Vec<u8>>| {
        let text = std::str::from_utf8(&bytes).ok();
        text.and_then(decode).map(Content::Bytes)
    };
    Ok(match format {
        None => input::recognise(bytes, input::is_agal_or_program),
        Some(FileFormat::Raw) => Content::Bytes(bytes),
        Some(FileFormat::Hex) => written(input::from_hex).ok_or("not hexadecimal")?,
        Some(FileFormat::Base64) => written(input::from_base64).ok_or("not base64")?,
        Some(FileFormat::Text) => {
            let text = String::from_utf8(bytes);
            Content::Text(text.map_err(|error| format!("not UTF-8: {error}"))?)
        }
    })
}

#[cfg(test)]
#[path = "../../../tests/unit/agal_input.rs"]
mod tests;
