//! The content of ATF files, and the formats in which devices get their texels.

use atf::{Atf, Image, UploadFormat};
use context3d::packets::TexelLayout;
use serde::{Serialize, Serializer};

/// Kinds of devices, and the formats of the texels that they get.
pub type Choices = Vec<(&'static str, String)>;

/// A kind of device: a name, and the layouts it supports.
type Device = (&'static str, fn(TexelLayout) -> bool);

/// Every kind of device; the one with the fewest layouts last.
const DEVICES: [Device; 3] = [
    ("S3TC", |layout| !matches!(layout, TexelLayout::Etc2 | TexelLayout::Etc2Eac)),
    ("ETC2", |layout| !matches!(layout, TexelLayout::Dxt1 | TexelLayout::Dxt5)),
    (NO_BLOCKS, |layout| !layout.is_blocks()),
];

const NO_BLOCKS: &str = "no blocks";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct AtfShape {
    pub version: u8,
    pub format: &'static str,
    /// True if it is a cube texture, with six faces.
    pub cube: bool,
    /// Level 0, texels.
    pub width: u32,
    /// Level 0, texels.
    pub height: u32,
    /// Number of levels with content, from the header.
    pub levels: u8,
    /// The encodings of all levels and faces, in the file's order.
    pub encodings: Vec<&'static str>,
    /// Block formats of a device (`S3TC`, `ETC2`, `no blocks`), and the format of the texels that it gets.
    #[serde(rename = "uploadedAs", serialize_with = "by_device")]
    pub choices: Choices,
}

/// Uploads of ATF files with the same content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AtfUse {
    pub uploads: u64,
    pub bytes: u64,
}

impl AtfShape {
    /// Returns the readable content of a file; `None` without a valid header.
    pub fn of(data: &[u8]) -> Option<Self> {
        let atf = Atf::open(data).ok()?;
        let header = atf.header();
        let images: Vec<Image<'_>> = atf.images().filter_map(Result::ok).collect();
        let mut encodings = Vec::new();
        for (encoding, _) in images.iter().flat_map(Image::encodings) {
            if !encodings.contains(&encoding.name()) {
                encodings.push(encoding.name());
            }
        }
        Some(AtfShape {
            version: header.version,
            format: header.format.title(),
            cube: header.cube,
            width: header.width,
            height: header.height,
            levels: header.levels(),
            encodings,
            choices: choices(&images),
        })
    }
}

/// Returns the format that each kind of device gets; the first level decides, as in an upload.
pub fn choices(images: &[Image<'_>]) -> Choices {
    let choice = |(name, takes): Device| -> Option<(&'static str, String)> {
        let format: UploadFormat = images.iter().find_map(|image| image.upload_format(takes))?;
        Some((name, format.to_string()))
    };
    DEVICES.into_iter().filter_map(choice).collect()
}

/// Serializes choices as an object with the kinds of devices as keys.
fn by_device<S: Serializer>(choices: &Choices, out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(choices.iter().map(|(device, choice)| (device, choice)))
}

/// Returns choices as text: `DXT1 unchanged with S3TC, else DXT1 decoded`. Names only devices that differ from the last.
pub fn choices_text(choices: &Choices) -> String {
    let Some((last, rest)) = choices.split_last() else { return "no readable data".to_owned() };
    let others = rest.iter().filter(|(_, text)| *text != last.1);
    let others: Vec<String> = others.map(|(on, text)| format!("{text} with {on}")).collect();
    if others.is_empty() {
        return last.1.clone();
    }
    format!("{}, else {}", others.join(", "), last.1)
}
