//! Selects subsets of an ATF file: faces, mip levels and encodings.

use std::ops::Range;

use atf::{AtfHeader, LevelEncoding, LevelImage as Level};

use crate::cli::arguments::choice;

/// The names of cube faces, in the order of Stage3D's `side`.
const FACES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// Encodings that share one name: the variants without and with alpha.
pub(super) type EncodingFamily = &'static [LevelEncoding];

pub(super) const FAMILIES: [(EncodingFamily, &str); 5] = [
    (&[LevelEncoding::Dxt1, LevelEncoding::Dxt5], "dxt"),
    (&[LevelEncoding::Etc1, LevelEncoding::Etc1Alpha], "etc1"),
    (&[LevelEncoding::Etc2, LevelEncoding::Etc2Alpha], "etc2"),
    (&[LevelEncoding::Pvrtc, LevelEncoding::PvrtcAlpha], "pvrtc"),
    (&[LevelEncoding::JpegXr], "jpeg-xr"),
];

pub(super) fn face_name(side: u8) -> &'static str {
    FACES.get(usize::from(side)).copied().unwrap_or("")
}

#[derive(clap::Args, Default)]
pub(super) struct Subset {
    /// Select only this face of a cube
    #[arg(long, value_parser = choice((0u8..).zip(FACES)), allow_hyphen_values = true)]
    pub(super) face: Option<u8>,
    /// Select only these mip levels: 0, 1-3, or 2- for level 2 and all smaller ones
    #[arg(long, value_name = "LEVELS", value_parser = levels)]
    level: Option<Levels>,
}

impl Subset {
    pub(super) fn has(&self, level: &Level<'_>) -> bool {
        let wanted = self.level.is_none_or(|levels| range(levels, u8::MAX).contains(&level.level));
        wanted && self.face.is_none_or(|face| face == level.side)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.face.is_none() && self.level.is_none()
    }

    /// Returns the range of mip levels that the options select.
    pub(super) fn levels(&self, header: &AtfHeader) -> Range<u8> {
        let all = header.levels();
        self.level.map_or(0..all, |levels| range(levels, all))
    }
}

/// The first and the last mip level of a selected range. `None` stands for the file's last level.
type Levels = (u8, Option<u8>);

/// Returns the half-open range of selected mip levels. `count` is the file's number of levels.
fn range((first, last): Levels, count: u8) -> Range<u8> {
    let end = last.map_or(count, |last| last.saturating_add(1));
    first..end.max(first.saturating_add(1))
}

fn levels(text: &str) -> Result<Levels, String> {
    let number = |text: &str| {
        let number = text.parse().ok().filter(|number| *number < u8::MAX);
        number.ok_or("expected a mip level, or mip levels such as 1-3 or 2-")
    };
    match text.split_once('-') {
        None => Ok((number(text)?, Some(number(text)?))),
        Some((first, "")) => Ok((number(first)?, None)),
        Some((first, last)) => match (number(first)?, number(last)?) {
            (first, last) if last < first => Err("the last level is before the first".to_owned()),
            (first, last) => Ok((first, Some(last))),
        },
    }
}
