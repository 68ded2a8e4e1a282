//! The first line of a capture.

use crate::error::{CaptureErrorKind, KeyError, ReaderError};
use crate::json::{Json, JsonObject};
use crate::value::{CallField, OptionalParameter, ParameterValue};

const VERSION_KEY: &str = "stage3dCapture";
/// The supported versions of the format. Version 2 adds events, version 3 notes and stacks.
const VERSIONS: [u32; 3] = [1, 2, 3];
/// The first version of the format with `CaptureRecord::Event`.
pub const EVENT_VERSION: u32 = VERSIONS[1];
/// The first version of the format with `CaptureRecord::Note` and `CallLine::stack`.
pub const NOTE_VERSION: u32 = VERSIONS[2];
/// Maximum SWF version, which SWF stores in one byte.
const MAX_SWF_VERSION: u32 = u8::MAX as u32;

/// Maximum width and height of a stage or an image in pixels: the largest recorded back buffer of a player
/// [context3d.error.3780].
pub const MAX_SIDE: u32 = 16_384;

/// The first line of a capture: the movie and its player.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureHeader {
    /// The title of the movie, for display.
    pub title: String,
    /// The SWF version, 1 to 255; some behaviour of Flash Player depends on it.
    pub swf_version: u32,
    /// Width of the stage in pixels, 1 to 16384.
    pub stage_width: u32,
    /// Height of the stage in pixels, 1 to 16384.
    pub stage_height: u32,
    /// The background colour of the stage: red, green, blue.
    pub stage_color: [u8; 3],
    /// The frame rate in frames per second.
    pub frame_rate: Option<f64>,
    /// The program that recorded the capture.
    pub generator: Option<String>,
}

impl CaptureHeader {
    /// Creates the header of a movie that `generator` plays. The last part of the movie's address becomes the title.
    /// The stage's width and height are in pixels, its colour is red, green, blue.
    pub fn new(
        generator: &str,
        address: &str,
        swf_version: u32,
        size: [f64; 2],
        frame_rate: f64,
        stage_color: [u8; 3],
    ) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "it saturates, and NaN becomes 0")]
        let [stage_width, stage_height] = size.map(|side| (side.round() as u32).clamp(1, MAX_SIDE));
        CaptureHeader {
            title: address.rsplit('/').next().unwrap_or_default().to_owned(),
            swf_version,
            stage_width,
            stage_height,
            stage_color,
            frame_rate: Some(frame_rate),
            generator: Some(generator.to_owned()),
        }
    }

    pub(crate) fn from_json(json: Json<'_>) -> Result<(CaptureHeader, u32), CaptureErrorKind> {
        let Json::Object(mut values) = json else {
            return Err(CaptureErrorKind::NoHeader);
        };
        let version = match values.get(VERSION_KEY) {
            None => return Err(CaptureErrorKind::NoHeader),
            Some(Json::Integer(version)) => VERSIONS
                .into_iter()
                .find(|known| i128::from(*known) == *version)
                .ok_or_else(|| CaptureErrorKind::Version(version.to_string()))?,
            Some(_) => {
                return Err(wrong(VERSION_KEY, KeyError::WrongType { expected: "a whole number" }));
            }
        };
        let values = &mut values;
        let header = CaptureHeader {
            title: take(values, "title")?,
            swf_version: ranged(values, "swfVersion", MAX_SWF_VERSION, "from 1 to 255")?,
            stage_width: ranged(values, "stageWidth", MAX_SIDE, "from 1 to 16384")?,
            stage_height: ranged(values, "stageHeight", MAX_SIDE, "from 1 to 16384")?,
            stage_color: take::<ColorRecord>(values, "stageColor")?.0,
            frame_rate: take::<OptionalParameter<f64>>(values, "frameRate")?.0,
            generator: take::<OptionalParameter<String>>(values, "generator")?.0,
        };
        Ok((header, version))
    }

    /// Returns the header as a line of JSON without a line end. Binary captures also contain the header as a line of
    /// JSON.
    pub(crate) fn line(&self, version: u32) -> Result<Vec<u8>, serde_json::Error> {
        let color = ColorRecord(self.stage_color);
        let mut values = JsonObject::default();
        version.append(VERSION_KEY, &mut values);
        self.title.append("title", &mut values);
        self.swf_version.append("swfVersion", &mut values);
        self.stage_width.append("stageWidth", &mut values);
        self.stage_height.append("stageHeight", &mut values);
        color.append("stageColor", &mut values);
        if let Some(rate) = &self.frame_rate {
            values.push("frameRate", "", number(*rate));
        }
        if let Some(generator) = &self.generator {
            generator.append("generator", &mut values);
        }
        serde_json::to_vec(&Json::Object(values))
    }
}

/// Converts a frame rate to JSON. Whole numbers have no fraction: 60, not 60.0.
fn number(rate: f64) -> Json<'static> {
    #[expect(clippy::cast_possible_truncation, reason = "checked below")]
    let whole = rate as i32;
    let same = f64::from(whole).to_bits() == rate.to_bits();
    if same { Json::Integer(whole.into()) } else { Json::Float(rate) }
}

fn wrong(key: &str, fault: KeyError) -> CaptureErrorKind {
    CaptureErrorKind::Key { record: "header", key: key.to_owned(), fault }
}

fn take<T: CallField>(
    values: &mut JsonObject<'_>,
    key: &'static str,
) -> Result<T, CaptureErrorKind> {
    T::take(values, key).map_err(|error| wrong(key, *error))
}

fn ranged(
    values: &mut JsonObject<'_>,
    key: &'static str,
    most: u32,
    expected: &'static str,
) -> Result<u32, CaptureErrorKind> {
    let value: u32 = take(values, key)?;
    let in_range = (1..=most).contains(&value);
    in_range.then_some(value).ok_or_else(|| wrong(key, KeyError::OutOfRange { expected }))
}

struct ColorRecord([u8; 3]);

impl ParameterValue for ColorRecord {
    const EXPECTED: &'static str = "a colour as \"#rrggbb\"";

    fn from_json(json: Json<'_>) -> Result<Self, ReaderError> {
        let Json::Text(text) = json else {
            return Err(Self::wrong_type());
        };
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let rgb = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, red, green, blue] = rgb.ok_or_else(Self::wrong_type)?.to_be_bytes();
        Ok(ColorRecord([red, green, blue]))
    }

    fn to_json(&self) -> Json<'_> {
        let [red, green, blue] = self.0;
        Json::Text(format!("#{red:02x}{green:02x}{blue:02x}").into())
    }
}
