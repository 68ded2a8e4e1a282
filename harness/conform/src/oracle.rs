//! Whether two pictures show the same: tells an edge that lies a pixel further from a pixel that is wrong.

use molehill_replay::image::Image;

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

/// A pixel that is not as it should be: its place, what it is, what it should be.
pub type Pixel = ((u32, u32), [u8; 4], [u8; 4]);

/// How two pictures differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deviation {
    /// The pictures have other sizes: nothing else was compared.
    pub size: Option<[(u32, u32); 2]>,
    /// Pixels that have a neighbour's colour.
    pub moved: u32,
    /// Pixels whose colour is nowhere near.
    pub wrong: u32,
    /// The largest difference of any channel of any pixel.
    pub max_delta: u8,
    /// The first of the pixels that are wrong, or else moved.
    pub first: Option<Pixel>,
}

impl Deviation {
    /// The pictures are the same.
    pub fn within(&self, tolerance: &Tolerance) -> bool {
        self.size.is_none() && self.moved <= tolerance.moved && self.wrong <= tolerance.outliers
    }

    /// What a person wants to know.
    pub fn describe(&self, tolerance: &Tolerance) -> String {
        if let Some([(aw, ah), (ew, eh)]) = self.size {
            return format!("drew {aw}×{ah}, expected {ew}×{eh}");
        }
        let mut text = format!(
            "{} pixels wrong ({} may be), {} moved ({} may be), the largest difference is {} ({} may be)",
            self.wrong,
            tolerance.outliers,
            self.moved,
            tolerance.moved,
            self.max_delta,
            tolerance.channel
        );
        if let Some(((x, y), is, should)) = self.first {
            text += &format!("; at {x}, {y} is {is:?}, should be {should:?}");
        }
        text
    }
}

fn delta(a: [u8; 4], b: [u8; 4]) -> u8 {
    let deltas = a.iter().zip(b).map(|(a, b)| a.abs_diff(b));
    deltas.max().unwrap_or(0)
}

/// The colour is among the nine pixels around a place.
fn is_near(image: &Image, (x, y): (u32, u32), color: [u8; 4], channel: u8) -> bool {
    let around = |at: u32| at.saturating_sub(1)..=at.saturating_add(1);
    around(y).any(|y| {
        around(x).any(|x| {
            let pixel = image.pixel(x, y);
            pixel.is_some_and(|pixel| delta(pixel, color) <= channel)
        })
    })
}

/// Compares two pictures. A pixel that differs counts as moved where its colour stands around its place in the other
/// picture, and the other's in this one: an edge that lies elsewhere explains both.
pub fn compare(actual: &Image, expected: &Image, tolerance: &Tolerance) -> Deviation {
    let mut deviation = Deviation::default();
    let size = |image: &Image| (image.width(), image.height());
    if size(actual) != size(expected) {
        deviation.size = Some([size(actual), size(expected)]);
        return deviation;
    }
    let mut first_moved = None;
    for y in 0..actual.height() {
        for x in 0..actual.width() {
            let (Some(is), Some(should)) = (actual.pixel(x, y), expected.pixel(x, y)) else {
                continue;
            };
            let delta = delta(is, should);
            deviation.max_delta = deviation.max_delta.max(delta);
            if delta <= tolerance.channel {
                continue;
            }
            let explained = is_near(expected, (x, y), is, tolerance.channel)
                && is_near(actual, (x, y), should, tolerance.channel);
            let (count, first) = match explained {
                true => (&mut deviation.moved, &mut first_moved),
                false => (&mut deviation.wrong, &mut deviation.first),
            };
            *count += 1;
            first.get_or_insert(((x, y), is, should));
        }
    }
    deviation.first = deviation.first.or(first_moved);
    deviation
}

#[cfg(test)]
mod tests {
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
        let near = compare(&edge(5), &edge(4), &Tolerance::EXACT);
        assert_eq!((near.moved, near.wrong, near.max_delta), (8, 0, 255));
        assert!(
            near.within(&Tolerance::edges(0, 8, "")) && !near.within(&Tolerance::edges(0, 7, ""))
        );
        let far = compare(&edge(6), &edge(4), &Tolerance::EXACT);
        // One column has a neighbour in the other picture that explains it, but is itself not found there.
        assert!(far.wrong > 0, "{far:?}");
    }

    #[test]
    fn a_wrong_color_is_no_moved_edge() {
        let mut red = edge(4);
        red.paste(&Image::filled(1, 1, [255, 0, 0, 255]), 4, 3, false);
        let found = compare(&red, &edge(4), &Tolerance::EXACT);
        assert_eq!((found.moved, found.wrong), (0, 1));
        assert_eq!(
            found.first,
            Some(((4, 3), [255, 0, 0, 255], [0, 0, 0, 255]))
        );
        // A line one pixel wide that is missing is no edge that moved either.
        let plain = Image::filled(8, 8, [0; 4]);
        let mut line = plain.clone();
        line.paste(&Image::filled(1, 8, [9; 4]), 3, 0, false);
        assert_eq!(compare(&plain, &line, &Tolerance::EXACT).wrong, 8);
    }

    #[test]
    fn alpha_and_sizes_count() {
        let (a, b) = (
            Image::filled(2, 2, [1, 2, 3, 4]),
            Image::filled(2, 2, [1, 2, 3, 7]),
        );
        assert_eq!(compare(&a, &b, &Tolerance::ROUNDING).wrong, 4);
        assert_eq!(compare(&a, &b, &Tolerance::channel(3, "")).wrong, 0);
        let other = compare(&a, &Image::filled(1, 4, [1, 2, 3, 4]), &Tolerance::EXACT);
        assert!(!other.within(&Tolerance::edges(255, u32::MAX, "")));
    }
}
