//! How far a picture may be off.

use molehill_replay::image::Comparison;

/// How far a picture may be off, and why so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance {
    /// Largest difference of a channel, alpha included, of pixels that count as equal.
    pub channel: u8,
    /// Pixels that may have the colour of a neighbour, at most one pixel away, instead of their own.
    pub moved: u32,
    /// Pixels that may have any colour.
    pub outliers: u32,
    /// Why this much.
    pub reason: &'static str,
}

impl Tolerance {
    /// Nothing but the rounding of a channel to eight bits, by which drivers differ.
    pub const ROUNDING: Tolerance = Tolerance {
        channel: 1,
        moved: 0,
        outliers: 0,
        reason: "a channel may be rounded either way",
    };

    /// Every bit.
    pub const EXACT: Tolerance = Tolerance {
        channel: 0,
        moved: 0,
        outliers: 0,
        reason: "every value here is exact in eight bits",
    };

    /// A difference of a channel alone.
    pub const fn channel(channel: u8, reason: &'static str) -> Tolerance {
        Tolerance {
            channel,
            moved: 0,
            outliers: 0,
            reason,
        }
    }

    /// Edges of so many pixels altogether may lie a pixel further.
    pub const fn edges(channel: u8, moved: u32, reason: &'static str) -> Tolerance {
        Tolerance {
            channel,
            moved,
            outliers: 0,
            reason,
        }
    }
}

impl Tolerance {
    /// The pictures count as the same. They were compared with [`Tolerance::channel`] as tolerance.
    pub fn allows(&self, comparison: &Comparison) -> bool {
        comparison.same_size()
            && comparison.moved <= self.moved.into()
            && comparison.wrong() <= self.outliers.into()
    }

    /// What differs and what is allowed, in words.
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
        // One column has a neighbour in the other picture that explains it, but is itself not found there.
        assert!(far.wrong() > 0, "{far:?}");
    }

    #[test]
    fn a_wrong_color_is_no_moved_edge() {
        let mut red = edge(4);
        red.paste(&Image::filled(1, 1, [255, 0, 0, 255]), 4, 3, false);
        let found = compare(&red, &edge(4), 0);
        assert_eq!((found.moved, found.wrong()), (0, 1));
        assert_eq!(
            found.first,
            Some(((4, 3), [255, 0, 0, 255], [0, 0, 0, 255]))
        );
        // A line one pixel wide that is missing is no edge that moved either.
        let plain = Image::filled(8, 8, [0; 4]);
        let mut line = plain.clone();
        line.paste(&Image::filled(1, 8, [9; 4]), 3, 0, false);
        assert_eq!(compare(&plain, &line, 0).wrong(), 8);
    }

    #[test]
    fn alpha_and_sizes_count() {
        let (a, b) = (
            Image::filled(2, 2, [1, 2, 3, 4]),
            Image::filled(2, 2, [1, 2, 3, 7]),
        );
        assert_eq!(compare(&a, &b, 1).wrong(), 4);
        assert_eq!(compare(&a, &b, 3).wrong(), 0);
        let other = compare(&a, &Image::filled(1, 4, [1, 2, 3, 4]), 0);
        assert!(!Tolerance::edges(255, u32::MAX, "").allows(&other));
    }
}
