//! Parts of a file: faces, levels and encodings.

use std::ops::Range;
use std::str::FromStr;

use atf::{Encoding, Header, Image as Level};

use crate::cli::arguments::choice;

/// Names of cube faces in the order of the API.
const SIDES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// The encodings that a file may have by one name, without and with alpha.
pub(super) type Family = &'static [Encoding];

pub(super) const FAMILIES: [(Family, &str); 5] = [
    (&[Encoding::Dxt1, Encoding::Dxt5], "dxt"),
    (&[Encoding::Etc1, Encoding::Etc1Alpha], "etc1"),
    (&[Encoding::Etc2, Encoding::Etc2Alpha], "etc2"),
    (&[Encoding::Pvrtc, Encoding::PvrtcAlpha], "pvrtc"),
    (&[Encoding::JpegXr], "jpeg-xr"),
];

pub(super) fn side(number: u8) -> &'static str {
    SIDES.get(usize::from(number)).copied().unwrap_or("")
}

/// A part of a file.
#[derive(clap::Args, Default)]
pub(super) struct Part {
    /// Only this face of a cube
    #[arg(long, value_parser = choice((0u8..).zip(SIDES)), allow_hyphen_values = true)]
    pub(super) face: Option<u8>,
    /// Only these levels: 0, 1-3, or 2- for all from 2 on
    #[arg(long, value_name = "LEVELS")]
    level: Option<Levels>,
}

impl Part {
    pub(super) fn has(&self, level: &Level<'_>) -> bool {
        let wanted =
            self.level.as_ref().is_none_or(|levels| levels.range(u8::MAX).contains(&level.level));
        wanted && self.face.is_none_or(|face| face == level.side)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.face.is_none() && self.level.is_none()
    }

    /// The levels of a file.
    pub(super) fn levels(&self, header: &Header) -> Range<u8> {
        let all = header.levels();
        self.level.as_ref().map_or(0..all, |levels| levels.range(all))
    }
}

/// Numbers of levels.
#[derive(Clone)]
struct Levels {
    first: u8,
    last: Option<u8>,
}

impl Levels {
    /// The levels, of so many if they have no end.
    fn range(&self, all: u8) -> Range<u8> {
        let end = self.last.map_or(all, |last| last.saturating_add(1));
        self.first..end.max(self.first.saturating_add(1))
    }
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let number = text.parse().ok().filter(|number| *number < u8::MAX);
            number.ok_or("expected a level, or levels such as 1-3 or 2-")
        };
        let (first, last) = match text.split_once('-') {
            None => (number(text)?, Some(number(text)?)),
            Some((first, "")) => (number(first)?, None),
            Some((first, last)) => (number(first)?, Some(number(last)?)),
        };
        if last.is_some_and(|last| last < first) {
            return Err("the last level is before the first".to_owned());
        }
        Ok(Levels { first, last })
    }
}
