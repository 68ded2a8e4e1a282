//! The content of ATF files, and the texture formats to which devices upload it.

use atf::{Atf, LevelImage, UploadFormat};
use context3d::packets::TexelLayout;
use serde::{Serialize, Serializer};

/// For each type of device, the name of the format in which it receives the texels.
pub type FormatChoices = Vec<(&'static str, String)>;

/// A type of device: its name, and a function that returns whether it supports a layout.
type DeviceProperty = (&'static str, fn(TexelLayout) -> bool);

/// All types of devices; the last type supports the fewest layouts.
const DEVICES: [DeviceProperty; 3] = [
    ("S3TC", |layout| !matches!(layout, TexelLayout::Etc2 | TexelLayout::Etc2Eac)),
    ("ETC2", |layout| !matches!(layout, TexelLayout::Dxt1 | TexelLayout::Dxt5)),
    (NO_BLOCKS, |layout| !layout.is_blocks()),
];

const NO_BLOCKS: &str = "no blocks";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct AtfShape {
    pub version: u8,
    pub format: &'static str,
    /// True for a cube texture, with six faces.
    pub cube: bool,
    /// Width of mip level 0 in texels.
    pub width: u32,
    /// Height of mip level 0 in texels.
    pub height: u32,
    /// Number of mip levels with content, according to the header.
    pub levels: u8,
    /// The encodings of all mip levels and faces, in file order.
    pub encodings: Vec<&'static str>,
    /// For each type of device (`S3TC`, `ETC2`, `no blocks`), the format in which it receives the texels.
    #[serde(rename = "uploadedAs", serialize_with = "by_device")]
    pub choices: FormatChoices,
}

/// The uploads of ATF files with equal properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AtfUse {
    pub uploads: u64,
    pub bytes: u64,
}

impl AtfShape {
    /// Returns the properties of an ATF file, or `None` without a valid header.
    pub fn of(data: &[u8]) -> Option<Self> {
        let atf = Atf::open(data).ok()?;
        let header = atf.header();
        let images: Vec<LevelImage<'_>> = atf.images().filter_map(Result::ok).collect();
        let mut encodings = Vec::new();
        for (encoding, _) in images.iter().flat_map(LevelImage::encodings) {
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

/// Returns the format that each type of device receives. As in uploads, the first mip level determines the format.
pub fn choices(images: &[LevelImage<'_>]) -> FormatChoices {
    let choice = |(name, takes): DeviceProperty| -> Option<(&'static str, String)> {
        let format: UploadFormat = images.iter().find_map(|image| image.upload_format(takes))?;
        Some((name, format.to_string()))
    };
    DEVICES.into_iter().filter_map(choice).collect()
}

/// Serializes the formats as an object, with the types of devices as keys.
fn by_device<S: Serializer>(choices: &FormatChoices, out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(choices.iter().map(|(device, choice)| (device, choice)))
}

/// Formats the choices as `DXT1 unchanged with S3TC, else DXT1 decoded`. The format after `else` is the choice for the
/// last device type of the list.
pub fn choices_text(choices: &FormatChoices) -> String {
    let Some((last, rest)) = choices.split_last() else { return "no readable data".to_owned() };
    let others = rest.iter().filter(|(_, text)| *text != last.1);
    let others: Vec<String> = others.map(|(on, text)| format!("{text} with {on}")).collect();
    if others.is_empty() {
        return last.1.clone();
    }
    format!("{}, else {}", others.join(", "), last.1)
}
