//! Says whether two pictures are the same within a tolerance.

use super::Image;

/// How two pictures differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Width and height of the picture that was made.
    pub actual_size: (u32, u32),
    /// Width and height of the picture it should be.
    pub expected_size: (u32, u32),
    /// Pixels in which at least one channel, alpha included, differs by more than the tolerance. All of the larger
    /// picture when the sizes differ.
    pub differing: u64,
    /// The largest difference of any channel of any pixel; 255 when the sizes differ.
    pub max_delta: u8,
}

impl Comparison {
    /// The pictures have the same size and at most `max_outliers` pixels differ.
    pub fn passes(&self, max_outliers: u64) -> bool {
        self.actual_size == self.expected_size && self.differing <= max_outliers
    }
}

/// Compares every channel of every pixel; `tolerance` is the largest difference that still counts as equal.
pub fn compare(actual: &Image, expected: &Image, tolerance: u8) -> Comparison {
    let actual_size = (actual.width, actual.height);
    let expected_size = (expected.width, expected.height);
    if actual_size != expected_size {
        let area = |(width, height): (u32, u32)| u64::from(width) * u64::from(height);
        let differing = area(actual_size).max(area(expected_size));
        return Comparison {
            actual_size,
            expected_size,
            differing,
            max_delta: 255,
        };
    }
    let (mut differing, mut max_delta) = (0, 0);
    for (a, b) in actual
        .rgba
        .chunks_exact(4)
        .zip(expected.rgba.chunks_exact(4))
    {
        let delta = pixel_delta(a, b);
        differing += u64::from(delta > tolerance);
        max_delta = max_delta.max(delta);
    }
    Comparison {
        actual_size,
        expected_size,
        differing,
        max_delta,
    }
}

/// The largest difference of any channel.
pub(super) fn pixel_delta(a: &[u8], b: &[u8]) -> u8 {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.abs_diff(*b))
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_pixels_beyond_the_tolerance() {
        let expected = Image::filled(4, 1, [10, 20, 30, 40]);
        let mut rgba = expected.rgba().to_vec();
        rgba[0] += 2; // within
        rgba[5] += 3; // beyond
        rgba[8] -= 9; // beyond, in two channels of one pixel
        rgba[9] -= 9;
        rgba[15] += 200; // alpha counts like any channel
        let actual = Image::from_rgba(4, 1, rgba).unwrap();
        let comparison = compare(&actual, &expected, 2);
        assert_eq!((comparison.differing, comparison.max_delta), (3, 200));
        assert!(comparison.passes(3) && !comparison.passes(2));
        assert_eq!(compare(&actual, &expected, 255).differing, 0);
    }

    #[test]
    fn another_size_never_passes() {
        let comparison = compare(
            &Image::filled(2, 2, [0; 4]),
            &Image::filled(3, 1, [0; 4]),
            255,
        );
        assert_eq!(comparison.differing, 4);
        assert!(!comparison.passes(u64::MAX));
    }
}
