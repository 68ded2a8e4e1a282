//! The attachments of a failed case: its calls, programs and images.

use std::io::Cursor;

use agal::generate::ProgramPair;
use agal::glsl::{Dialect, GlslOptions};
use agal::{LinkedPair, Rules};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use serde::{Deserialize, Serialize};

use molehill_capture::data::{ByteArray, ByteArrayData};
use molehill_capture::{Call, CallLine, CaptureReader, CaptureRecord};
use molehill_replay::image::{RgbaImage, encode_png, heat};

pub type AttachmentMap = serde_json::Map<String, serde_json::Value>;

/// The attachments of a case with a verdict other than a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachments {
    /// Texts by name: the case's calls, AGAL, GLSL, and the last output of its child process.
    #[serde(default, skip_serializing_if = "AttachmentMap::is_empty")]
    pub texts: AttachmentMap,
    /// Attachment images, as PNG in base64.
    #[serde(default, skip_serializing_if = "AttachmentMap::is_empty")]
    pub pictures: AttachmentMap,
}

const MAX_TEXT: usize = 48 << 10;
/// The maximum number of characters of an argument in a listed call; longer arguments are shortened.
const MAX_VALUE: usize = 96;

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push_str("\n…");
    }
    text
}

pub(super) fn capture(capture: &[u8], dialect: Option<Dialect>) -> Attachments {
    let calls: Vec<String> = String::from_utf8_lossy(capture)
        .lines()
        .zip(1..)
        .map(|(line, number)| format!("{number:4}  {}", shorter(line)))
        .collect();
    let (mut code, mut shaders) = (String::new(), String::new());
    for (vertex, fragment) in uploads(capture) {
        let Ok(pair) = agal::upload(
            (&vertex.bytes, vertex.endian),
            (&fragment.bytes, fragment.endian),
            &Rules::NEWEST,
        ) else {
            continue;
        };
        code += &format!(
            "// vertex\n{}\n// fragment\n{}\n\n",
            pair.vertex().program(),
            pair.fragment().program()
        );
        shaders += &glsl(&pair, dialect);
    }
    texts([("Calls", calls.join("\n")), ("AGAL", code), ("GLSL", shaders)])
}

pub(super) fn pair(pair: &ProgramPair, dialect: Dialect) -> Attachments {
    let shaders = pair.link().map(|linked| glsl(&linked, Some(dialect)));
    texts([("AGAL", pair.to_string()), ("GLSL", shaders.unwrap_or_default())])
}

/// Returns attachments of all non-empty texts, cut to the maximum length.
pub(super) fn texts<const N: usize>(texts: [(&str, String); N]) -> Attachments {
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let texts = texts.map(|(name, text)| (name.to_owned(), cut(text).into())).collect();
    Attachments { texts, pictures: AttachmentMap::new() }
}

fn glsl(pair: &LinkedPair, dialect: Option<Dialect>) -> String {
    let Some(dialect) = dialect else { return String::new() };
    let target = GlslOptions { comments: true, ..GlslOptions::new(dialect) };
    match agal::glsl::emit(pair, &target) {
        Ok(shaders) => format!("{}\n{}\n", shaders.vertex, shaders.fragment),
        Err(error) => format!("{error}\n"),
    }
}

fn uploads(capture: &[u8]) -> Vec<(ByteArrayData, ByteArrayData)> {
    let Ok(reader) = CaptureReader::new(Cursor::new(capture.to_vec())) else { return Vec::new() };
    let programs = reader.filter_map(|record| match record.ok()?.1 {
        CaptureRecord::Call(CallLine {
            call:
                Call::ProgramUpload {
                    vertex_program: ByteArray(Some(vertex)),
                    fragment_program: ByteArray(Some(fragment)),
                },
            ..
        }) => Some((vertex, fragment)),
        _ => None,
    });
    programs.collect()
}

fn shorter(line: &str) -> String {
    let mut short = String::with_capacity(line.len().min(400));
    for (n, part) in line.split('"').enumerate() {
        if n > 0 {
            short.push('"');
        }
        match part.get(..MAX_VALUE) {
            Some(start) if part.len() > MAX_VALUE => {
                short.push_str(start);
                short.push('…');
            }
            _ => short.push_str(part),
        }
    }
    short
}

/// Returns three PNG attachments: the actual image, the expected image, and their difference image.
pub fn pictures(actual: &RgbaImage, expected: &RgbaImage, tolerance: u8) -> AttachmentMap {
    let difference = heat(actual, expected, tolerance);
    named([("actual", actual), ("expected", expected), ("difference", &difference)])
}

pub(super) fn named<const N: usize>(pictures: [(&str, &RgbaImage); N]) -> AttachmentMap {
    let encoded = pictures.into_iter().filter_map(|(name, image)| {
        let bytes = encode_png(image).ok()?;
        Some((name.to_owned(), STANDARD.encode(bytes).into()))
    });
    encoded.collect()
}
