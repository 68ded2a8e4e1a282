//! The allowed difference between actual and expected images.

use molehill_replay::image::ImageComparison;

/// The allowed difference of an image from the expected image, and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// The maximum difference of a channel (including alpha) in pixels that count as equal.
    pub channel: u8,
    /// The number of pixels that may have the expected colour of a neighbouring pixel.
    pub moved: u32,
    /// The number of pixels that may have a completely different colour.
    pub outliers: u32,
    pub reason: &'static str,
}

impl Tolerance {
    /// The tolerance for colours that are rounded to eight bits.
    pub const ROUNDING: Tolerance = Tolerance::channel(1, "a channel may be rounded either way");

    pub const EXACT: Tolerance = Tolerance::channel(0, "every value here is exact in eight bits");

    /// Returns a tolerance that allows each channel of each pixel to differ by `channel`.
    pub const fn channel(channel: u8, reason: &'static str) -> Tolerance {
        Tolerance::edges(channel, 0, reason)
    }

    /// Returns a tolerance that also allows edges that moved by one pixel, in at most `moved` pixels.
    pub const fn edges(channel: u8, moved: u32, reason: &'static str) -> Tolerance {
        Tolerance { channel, moved, outliers: 0, reason }
    }

    /// Returns whether the compared images count as equal. `comparison` must use the tolerance `channel`.
    pub fn allows(&self, comparison: &ImageComparison) -> bool {
        comparison.same_size()
            && comparison.moved <= self.moved.into()
            && comparison.wrong() <= self.outliers.into()
    }

    pub fn describe(&self, comparison: &ImageComparison) -> String {
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
