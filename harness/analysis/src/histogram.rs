//! The range and the distribution of an image's values.

use std::fmt::{self, Display, Formatter};

use molehill_replay::image::RgbaImage;
use serde::Serialize;

use crate::error::Result;
use crate::inspector::Inspector;

/// Number of equal bins for the values 0 to 255.
const PARTS: usize = 16;
/// Length of the longest bar in the text, in characters.
const BAR: u64 = 40;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Histogram {
    /// The name of the image: a render target or a texture.
    pub picture: String,
    pub width: u32,
    pub height: u32,
    /// Red, green, blue and alpha.
    pub channels: [Channel; 4],
}

/// The distribution of one channel's values, which are 0 to 255.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Channel {
    pub least: u8,
    pub most: u8,
    /// The mean value of the channel, rounded down.
    pub mean: u8,
    /// The number of pixels per bin: values 0 to 15, 16 to 31 and so on.
    pub counts: [u64; PARTS],
}

impl Histogram {
    pub fn of(picture: String, image: &RgbaImage) -> Histogram {
        let (pixels, _) = image.rgba().as_chunks::<4>();
        let channel = |channel: usize| {
            let values = || pixels.iter().filter_map(|pixel| pixel.get(channel).copied());
            let mut counts = [0; PARTS];
            for value in values() {
                if let Some(count) = counts.get_mut(usize::from(value) * PARTS / 256) {
                    *count += 1;
                }
            }
            let sum: u64 = values().map(u64::from).sum();
            Channel {
                least: values().min().unwrap_or(0),
                most: values().max().unwrap_or(0),
                mean: u8::try_from(sum / (pixels.len() as u64).max(1)).unwrap_or(u8::MAX),
                counts,
            }
        };
        let channels = [0, 1, 2, 3].map(channel);
        Histogram { picture, width: image.width(), height: image.height(), channels }
    }
}

impl Inspector {
    /// Returns the histogram of the render target after a call or, given a sampler slot, of level 0 of its texture.
    pub fn histogram(&mut self, call: usize, slot: Option<usize>) -> Result<Histogram> {
        let Some(slot) = slot else {
            let image = self.picture(call)?;
            let image = image.ok_or_else(|| format!("no image after call {call}"))?;
            return Ok(Histogram::of(format!("the render target after call {call}"), &image));
        };
        let textures = self.textures(call)?;
        let found = textures.into_iter().find(|texture| texture.slot == slot);
        let missing = || format!("no texture with content in slot {slot} at call {call}");
        let found = found.ok_or_else(missing)?;
        Ok(Histogram::of(format!("{} in slot {slot}", found.texture), &found.image))
    }
}

impl Display for Histogram {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}×{}", self.picture, self.width, self.height)?;
        for (name, channel) in ["red", "green", "blue", "alpha"].iter().zip(&self.channels) {
            let Channel { least, most, mean, counts } = channel;
            writeln!(f, "{name}: {least} to {most}, mean {mean}")?;
            let longest = counts.iter().max().copied().unwrap_or(0).max(1);
            for (part, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let bar = usize::try_from(count * BAR / longest).unwrap_or(0);
                let first = part * 256 / PARTS;
                let last = first + 256 / PARTS - 1;
                writeln!(f, "  {first:3}-{last:3} {count:9} {}", "#".repeat(bar))?;
            }
        }
        Ok(())
    }
}
