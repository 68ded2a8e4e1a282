//! The first line of a capture.

use super::error::{CaptureErrorKind, Fault, KeyError};
use super::fields::{Fields, Whole};
use super::json::Json;
use super::sink::Sink;
use super::value::{Field, Optional, Value};

/// Key that makes a line a header.
const VERSION_KEY: &str = "stage3dCapture";
/// The versions that are read and written. Version 2 adds events.
const VERSIONS: [u32; 2] = [1, 2];
/// The version that [`Record::Event`](crate::Record::Event) needs.
pub const EVENT_VERSION: u32 = VERSIONS[1];
/// SWF stores its version in one byte.
const MAX_SWF_VERSION: u32 = u8::MAX as u32;

/// Largest side of a stage and of a picture: the largest recorded back buffer of a player (`profile-limits.tsv`,
/// `max_back_buffer_recorded`).
pub const MAX_SIDE: u32 = 16_384;

/// The header of a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The title; any text.
    pub title: String,
    /// The SWF version, 1 to 255; some behaviour of Flash Player depends on it.
    pub swf_version: u32,
    /// Width of the stage in pixels, 1 to 16384.
    pub stage_width: u32,
    /// Height of the stage in pixels, 1 to 16384.
    pub stage_height: u32,
    /// Red, green and blue of the stage.
    pub stage_color: [u8; 3],
    /// Frames per second.
    pub frame_rate: Option<f64>,
    /// The program that recorded the capture.
    pub generator: Option<String>,
}

impl Header {
    /// Reads the header and the version of the format.
    pub(super) fn read(json: Json<'_>) -> Result<(Header, u32), CaptureErrorKind> {
        let Json::Object(object) = json else {
            return Err(CaptureErrorKind::NoHeader);
        };
        let version = match object.get(VERSION_KEY) {
            None => return Err(CaptureErrorKind::NoHeader),
            Some(Json::Integer(version)) => VERSIONS
                .into_iter()
                .find(|known| i128::from(*known) == *version)
                .ok_or_else(|| CaptureErrorKind::Version(version.to_string()))?,
            Some(_) => {
                return Err(fault(VERSION_KEY, KeyError::WrongType { expected: "a whole number" }));
            }
        };
        let fields = &mut Whole::new(object);
        let header = Header {
            title: key(fields, "title")?,
            swf_version: ranged(fields, "swfVersion", MAX_SWF_VERSION, "from 1 to 255")?,
            stage_width: ranged(fields, "stageWidth", MAX_SIDE, "from 1 to 16384")?,
            stage_height: ranged(fields, "stageHeight", MAX_SIDE, "from 1 to 16384")?,
            stage_color: key::<Color>(fields, "stageColor")?.0,
            frame_rate: key::<Optional<f64>>(fields, "frameRate")?.0,
            generator: key::<Optional<String>>(fields, "generator")?.0,
        };
        Ok((header, version))
    }

    /// Writes the header as JSON; also used for binary captures.
    pub(super) fn write(&self, version: u32, out: &mut String) {
        out.object(|out| self.append(version, out));
    }

    fn append(&self, version: u32, out: &mut String) {
        version.append(VERSION_KEY, out);
        self.title.append("title", out);
        self.swf_version.append("swfVersion", out);
        self.stage_width.append("stageWidth", out);
        self.stage_height.append("stageHeight", out);
        Color(self.stage_color).append("stageColor", out);
        if let Some(rate) = self.frame_rate {
            out.key("frameRate", "");
            // Integral frame rates are written without a fraction: 60, not 60.0.
            match rate.fract() == 0.0 {
                true => out.push_str(&rate.to_string()),
                false => rate.write(out),
            }
        }
        if let Some(generator) = &self.generator {
            generator.append("generator", out);
        }
    }
}

fn fault(key: &str, fault: KeyError) -> CaptureErrorKind {
    CaptureErrorKind::Key { place: "header", key: key.to_owned(), fault }
}

fn key<T: Field>(fields: &mut impl Fields, key: &'static str) -> Result<T, CaptureErrorKind> {
    T::read(fields, key).map_err(|error| fault(key, *error))
}

fn ranged(
    fields: &mut impl Fields,
    name: &'static str,
    most: u32,
    expected: &'static str,
) -> Result<u32, CaptureErrorKind> {
    let value: u32 = key(fields, name)?;
    match (1..=most).contains(&value) {
        true => Ok(value),
        false => Err(fault(name, KeyError::OutOfRange { expected })),
    }
}

/// A colour as `#rrggbb`.
struct Color([u8; 3]);

impl Value for Color {
    const EXPECTED: &'static str = "a colour as \"#rrggbb\"";

    fn from_json(json: &Json<'_>) -> Result<Self, Fault> {
        let Json::Text(text) = json else {
            return Err(Self::wrong_type());
        };
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(rgb) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(Self::wrong_type());
        };
        let [_, red, green, blue] = rgb.to_be_bytes();
        Ok(Color([red, green, blue]))
    }

    fn write<S: Sink>(&self, out: &mut S) {
        let [red, green, blue] = self.0;
        out.text(&format!("#{red:02x}{green:02x}{blue:02x}"));
    }
}
