//! Allowed difference of pictures.

use molehill_replay::image::Comparison;

/// The allowed difference of a picture, and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// Largest difference of a channel, including alpha, of pixels that count as equal.
    pub channel: u8,
    /// Number of pixels that may have the colour of a neighbouring pixel instead of their own.
    pub moved: u32,
    /// Number of pixels that may have any colour.
    pub outliers: u32,
    pub reason: &'static str,
}

impl Tolerance {
    /// Only rounding to eight bits, in which drivers differ.
    pub const ROUNDING: Tolerance = Tolerance::channel(1, "a channel may be rounded either way");

    pub const EXACT: Tolerance = Tolerance::channel(0, "every value here is exact in eight bits");

    /// Only a difference of channels.
    pub const fn channel(channel: u8, reason: &'static str) -> Tolerance {
        Tolerance::edges(channel, 0, reason)
    }

    /// Edges may move by a pixel, in at most `moved` pixels.
    pub const fn edges(channel: u8, moved: u32, reason: &'static str) -> Tolerance {
        Tolerance { channel, moved, outliers: 0, reason }
    }

    /// Whether the pictures count as equal. `comparison` was made with [`Tolerance::channel`].
    pub fn allows(&self, comparison: &Comparison) -> bool {
        comparison.same_size()
            && comparison.moved <= self.moved.into()
            && comparison.wrong() <= self.outliers.into()
    }

    pub fn describe(&self, comparison: &Comparison) -> String {
        if !comparison.same_size() {
            return comparison.describe_sizes();
        }
        let mut text = format!(
            "{} pixels differ ({} allowed), {} pixels of edges moved ({} allowed), the largest difference is {} ({} allowed)",
            comparison.wrong(),
            self.outliers,
            comparison.moved,
            self.moved,
            comparison.max_delta,
            self.channel
        );
        if let Some(((x, y), is, should)) = comparison.first {
            text += &format!("; the pixel at {x}, {y} is {is:?} ({should:?} expected)");
        }
        text
    }
}
