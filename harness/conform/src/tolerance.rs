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
    /// The reason.
    pub reason: &'static str,
}

impl Tolerance {
    /// Only rounding to eight bits, in which drivers differ.
    pub const ROUNDING: Tolerance = Tolerance {
        channel: 1,
        moved: 0,
        outliers: 0,
        reason: "a channel may be rounded either way",
    };

    /// No difference.
    pub const EXACT: Tolerance = Tolerance {
        channel: 0,
        moved: 0,
        outliers: 0,
        reason: "every value here is exact in eight bits",
    };

    /// Only a difference of channels.
    pub const fn channel(channel: u8, reason: &'static str) -> Tolerance {
        Tolerance { channel, moved: 0, outliers: 0, reason }
    }

    /// Edges may move by a pixel, in at most `moved` pixels.
    pub const fn edges(channel: u8, moved: u32, reason: &'static str) -> Tolerance {
        Tolerance { channel, moved, outliers: 0, reason }
    }
}

impl Tolerance {
    /// Whether the pictures count as equal. `comparison` was made with [`Tolerance::channel`].
    pub fn allows(&self, comparison: &Comparison) -> bool {
        comparison.same_size()
            && comparison.moved <= self.moved.into()
            && comparison.wrong() <= self.outliers.into()
    }

    /// Message with the difference and the allowed one.
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

#[cfg(test)]
mod tests {
    use molehill_replay::image::{Image, compare};

    use super::*;

    /// White to the left of a column, black to the right of it.
    fn edge(column: u32) -> Image {
        let mut image = Image::filled(8, 8, [0, 0, 0, 255]);
        let white = Image::filled(column, 8, [255; 4]);
        image.paste(&white, 0, 0, false);
        image
    }

    #[test]
    fn an_edge_may_move_by_one_pixel_and_no_further() {
        let near = compare(&edge(5), &edge(4), 0);
        assert_eq!((near.moved, near.wrong(), near.max_delta), (8, 0, 255));
        assert!(
            Tolerance::edges(0, 8, "").allows(&near) && !Tolerance::edges(0, 7, "").allows(&near)
        );
        let far = compare(&edge(6), &edge(4), 0);
        // One column has a matching neighbour in the other picture, but its own expected colour is not there.
        assert!(far.wrong() > 0, "{far:?}");
    }

    #[test]
    fn a_wrong_color_is_no_moved_edge() {
        let mut red = edge(4);
        red.paste(&Image::filled(1, 1, [255, 0, 0, 255]), 4, 3, false);
        let found = compare(&red, &edge(4), 0);
        assert_eq!((found.moved, found.wrong()), (0, 1));
        assert_eq!(found.first, Some(((4, 3), [255, 0, 0, 255], [0, 0, 0, 255])));
        // A missing line of one pixel is not a moved edge either.
        let plain = Image::filled(8, 8, [0; 4]);
        let mut line = plain.clone();
        line.paste(&Image::filled(1, 8, [9; 4]), 3, 0, false);
        assert_eq!(compare(&plain, &line, 0).wrong(), 8);
    }

    #[test]
    fn alpha_and_sizes_count() {
        let (a, b) = (Image::filled(2, 2, [1, 2, 3, 4]), Image::filled(2, 2, [1, 2, 3, 7]));
        assert_eq!(compare(&a, &b, 1).wrong(), 4);
        assert_eq!(compare(&a, &b, 3).wrong(), 0);
        let other = compare(&a, &Image::filled(1, 4, [1, 2, 3, 4]), 0);
        assert!(!Tolerance::edges(255, u32::MAX, "").allows(&other));
    }
}
