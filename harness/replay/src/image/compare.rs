//! Compares two pictures within a tolerance, and distinguishes an edge that moved by a pixel from a wrong pixel.

use super::Image;

/// A differing pixel: position, actual and expected colour.
pub type Pixel = ((u32, u32), [u8; 4], [u8; 4]);

/// How two pictures differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Width and height of the actual picture.
    pub actual_size: (u32, u32),
    /// Width and height of the expected picture.
    pub expected_size: (u32, u32),
    /// Pixels in which at least one channel, including alpha, differs by more than the tolerance. All of the larger
    /// picture if the sizes differ.
    pub differing: u64,
    /// Differing pixels that an edge moved by a pixel explains: their actual colour is next to them in the expected
    /// picture, and their expected colour is next to them in the actual one.
    pub moved: u64,
    /// The largest difference in any channel; 255 if the sizes differ.
    pub max_delta: u8,
    /// The first differing pixel that is not moved, or else the first that is.
    pub first: Option<Pixel>,
}

impl Comparison {
    /// Whether the pictures have the same size.
    pub fn same_size(&self) -> bool {
        self.actual_size == self.expected_size
    }

    /// Differing pixels that are not moved.
    pub fn wrong(&self) -> u64 {
        self.differing - self.moved
    }

    /// Whether the pictures have the same size and at most `max_outliers` pixels differ.
    pub fn passes(&self, max_outliers: u64) -> bool {
        self.same_size() && self.differing <= max_outliers
    }

    /// Message for pictures of different sizes.
    pub fn describe_sizes(&self) -> String {
        let ((aw, ah), (ew, eh)) = (self.actual_size, self.expected_size);
        format!("the picture is {aw}×{ah} ({ew}×{eh} expected)")
    }
}

/// Compares every channel of every pixel; `tolerance` is the largest difference that counts as equal.
pub fn compare(actual: &Image, expected: &Image, tolerance: u8) -> Comparison {
    let mut comparison = Comparison {
        actual_size: (actual.width, actual.height),
        expected_size: (expected.width, expected.height),
        differing: 0,
        moved: 0,
        max_delta: 0,
        first: None,
    };
    if !comparison.same_size() {
        let area = |(width, height): (u32, u32)| u64::from(width) * u64::from(height);
        comparison.differing = area(comparison.actual_size).max(area(comparison.expected_size));
        comparison.max_delta = 255;
        return comparison;
    }
    let mut first_moved = None;
    let positions = (0..actual.height).flat_map(|y| (0..actual.width).map(move |x| (x, y)));
    let pairs = actual.rgba.as_chunks::<4>().0.iter().zip(expected.rgba.as_chunks::<4>().0);
    // Most pixels are equal.
    for (at, (is, should)) in positions.zip(pairs).filter(|(_, (is, should))| is != should) {
        let delta = pixel_delta(is, should);
        comparison.max_delta = comparison.max_delta.max(delta);
        if delta <= tolerance {
            continue;
        }
        comparison.differing += 1;
        let moved = is_near(expected, at, is, tolerance) && is_near(actual, at, should, tolerance);
        comparison.moved += u64::from(moved);
        let first = if moved { &mut first_moved } else { &mut comparison.first };
        first.get_or_insert((at, *is, *should));
    }
    comparison.first = comparison.first.or(first_moved);
    comparison
}

/// Whether the colour is among the nine pixels around a position.
fn is_near(image: &Image, (x, y): (u32, u32), color: &[u8; 4], tolerance: u8) -> bool {
    let around = |at: u32| at.saturating_sub(1)..=at.saturating_add(1);
    around(y).any(|y| {
        around(x).any(|x| {
            let pixel = image.pixel(x, y);
            pixel.is_some_and(|pixel| pixel_delta(&pixel, color) <= tolerance)
        })
    })
}

/// The largest difference of any channel.
pub(super) fn pixel_delta(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}
