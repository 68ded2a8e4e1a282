//! What ATF files hold, and what becomes of them on which devices.

use context3d::atf::{Atf, Choice, Image};
use context3d::packets::TexelLayout;

/// Devices that differ in the layouts that they take: a name, and whether they take a layout.
type Device = (&'static str, fn(TexelLayout) -> bool);

/// Every kind of device.
const DEVICES: [Device; 2] = [
    ("S3TC", |_| true),
    ("no blocks", |layout| !layout.is_blocks()),
];

/// What an ATF file holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AtfShape {
    /// 0 to 3.
    pub version: u8,
    /// The format's name.
    pub format: &'static str,
    /// Six faces.
    pub cube: bool,
    /// Level 0, texels.
    pub width: u32,
    /// Level 0, texels.
    pub height: u32,
    /// Levels that are there by the header.
    pub levels: u8,
    /// The encodings of all levels and faces, in the file's order.
    pub encodings: Vec<&'static str>,
    /// Block formats of a device (`S3TC`, `no blocks`), and what it is given.
    pub choices: Vec<(&'static str, String)>,
}

/// Uploads of ATF files of one shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtfUse {
    /// How many.
    pub uploads: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

impl AtfShape {
    /// What a file holds, as far as it can be read; `None` without a header.
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

    /// The choices for people.
    pub fn choices_text(&self) -> String {
        choices_text(&self.choices)
    }
}

/// What each kind of device is given of a file's levels: the first level decides, as at an upload.
pub(crate) fn choices(images: &[Image<'_>]) -> Vec<(&'static str, String)> {
    let choice = |(name, takes): Device| -> Option<(&'static str, String)> {
        let choice: Choice = images.iter().find_map(|image| image.choice(takes))?;
        Some((name, choice.to_string()))
    };
    DEVICES.into_iter().filter_map(choice).collect()
}

/// `S3TC: DXT1 as it is; no blocks: DXT1, decoded`, or one text where all devices are alike.
pub(crate) fn choices_text(choices: &[(&'static str, String)]) -> String {
    match choices {
        [] => "nothing that can be read".to_owned(),
        [(_, first), rest @ ..] if rest.iter().all(|(_, text)| text == first) => first.clone(),
        _ => {
            let texts = choices
                .iter()
                .map(|(device, text)| format!("{device}: {text}"));
            texts.collect::<Vec<_>>().join("; ")
        }
    }
}
