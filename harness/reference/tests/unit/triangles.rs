//! Tests the rasterization rules, from clip space to samples.

use std::collections::BTreeMap;

use super::clip::clip;
use super::raster::{PixelRectangle, draw_line, fill};
use super::surface::pattern;
use super::triangle::{ScanLine, Triangle, Viewport, triangles};

const SIZE: u32 = 64;
const WINDOW: PixelRectangle = [0, 0, 64, 64];

fn viewport() -> Viewport {
    Viewport::new(SIZE, SIZE)
}

/// Returns the rasterized triangles of a triangle in clip space.
fn on_screen(positions: [[f32; 4]; 3]) -> Vec<Triangle> {
    let viewport = viewport();
    let mut found = Vec::new();
    if let Some(polygon) = clip(positions, viewport.guard()) {
        triangles(
            &polygon,
            &viewport,
            [0, 1, 2],
            |_| true,
            |triangle| {
                found.push(triangle);
            },
        );
    }
    found
}

/// Returns the clip-space position of a pixel position.
fn at(x: f32, y: f32) -> [f32; 4] {
    [x / 32.0 - 1.0, 1.0 - y / 32.0, 0.5, 1.0]
}

fn count(
    triangles: &[Triangle],
    samples: u8,
    window: PixelRectangle,
) -> BTreeMap<(i32, i32, usize), u32> {
    let mut counts = BTreeMap::new();
    for triangle in triangles {
        fill(triangle, pattern(samples, 16), window, |(x, y), coverage| {
            assert!(x % 2 == 0 && y % 2 == 0);
            for (lane, covered) in (0i32..).zip(coverage) {
                for sample in (0..16).filter(|sample| covered >> sample & 1 != 0) {
                    let place = (x + (lane & 1), y + (lane >> 1), sample);
                    *counts.entry(place).or_insert(0) += 1;
                }
            }
        });
    }
    counts
}

struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f32::from(u16::try_from(self.0 >> 48).unwrap_or(0)) / 65536.0
    }
}

#[test]
fn a_square_covers_its_pixels_and_no_others() {
    for (x, y, wanted) in [(10.0, 20.0, 10), (10.5, 20.5, 10), (10.25, 20.75, 10)] {
        let corners = [at(x, y), at(x + 10.0, y), at(x + 10.0, y + 10.0), at(x, y + 10.0)];
        let [a, b, c, d] = corners;
        let mut found = on_screen([a, b, c]);
        found.extend(on_screen([a, c, d]));
        let counts = count(&found, 1, WINDOW);
        assert_eq!(counts.len(), wanted * wanted);
        assert!(counts.values().all(|count| *count == 1));
        // Samples on left and top edges are inside, those on right and bottom edges are outside.
        let first = counts.keys().next().map(|(x, y, _)| (*x, *y));
        let expected = if x == 10.25 { (10, 21) } else { (10, 20) };
        assert_eq!(first, Some(expected), "{x}, {y}");
    }
}

/// Every sample of a random fan of triangles around a point is covered once, in both orientations.
#[test]
fn every_sample_of_a_fan_is_covered_once() {
    let mut numbers = Numbers(7);
    for round in 0..200 {
        // Half of the centres and corners are on pixel centres, to test samples on edges.
        let place = |numbers: &mut Numbers| {
            let value = numbers.next() * 64.0;
            if round % 2 == 0 { value.floor() + 0.5 } else { value }
        };
        let centre = (place(&mut numbers), place(&mut numbers));
        let corners = [(-9.5, -9.5), (70.5, -9.5), (70.5, 70.5), (-9.5, 70.5)];
        let mut ring: Vec<(f32, f32)> = Vec::new();
        for (side, (from, to)) in corners.iter().zip(corners.iter().cycle().skip(1)).enumerate() {
            ring.push(*from);
            let cut = numbers.next();
            let along = |a: f32, b: f32| a + ((b - a) * cut).floor();
            if side % 2 == round % 3 % 2 {
                ring.push((along(from.0, to.0), along(from.1, to.1)));
            }
        }
        let mut found = Vec::new();
        for (from, to) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let mut corners = [at(centre.0, centre.1), at(from.0, from.1), at(to.0, to.1)];
            if round % 3 == 0 {
                corners.reverse();
            }
            found.extend(on_screen(corners));
        }
        let samples = [1, 2, 4, 8, 16][round % 5];
        let counts = count(&found, samples, WINDOW);
        assert_eq!(counts.len(), 64 * 64 * usize::from(samples), "round {round}");
        assert!(counts.values().all(|count| *count == 1), "round {round}");
    }
}

/// Each sample at an edge shared by two triangles is covered once, also if the near plane clips both triangles.
#[test]
fn cut_triangles_share_their_edges() {
    let mut numbers = Numbers(3);
    let mut covered = 0;
    for _ in 0..100 {
        let mut corner = |x: f32, y: f32| {
            let w = numbers.next() * 2.0 - 0.5;
            [x * w.max(0.2) * 3.0, y * w.max(0.2) * 3.0, w - 0.1, w + 0.2]
        };
        let (a, b) = (corner(-1.0, -1.0), corner(1.0, -1.0));
        let (c, d) = (corner(1.0, 1.0), corner(-1.0, 1.0));
        let mut found = on_screen([a, b, c]);
        found.extend(on_screen([a, c, d]));
        let mixed = found.iter().any(|triangle| triangle.front) && found.iter().any(|t| !t.front);
        if mixed {
            continue; // the perspective reverses the orientation
        }
        let counts = count(&found, 4, WINDOW);
        assert!(counts.values().all(|count| *count == 1));
        covered += usize::from(!counts.is_empty());
    }
    assert!(covered >= 20, "{covered} pairs cover samples");
}

#[test]
fn windows_cut_without_moving_anything() {
    let found = on_screen([at(3.0, 1.0), at(60.0, 20.0), at(10.0, 61.0)]);
    let whole = count(&found, 4, WINDOW);
    let window = [13, 7, 32, 51];
    let part = count(&found, 4, window);
    let inside = |(x, y, _): &(i32, i32, usize)| (13..32).contains(x) && (7..51).contains(y);
    let mut expected = whole;
    expected.retain(|place, _| inside(place));
    assert_eq!(part, expected);
    assert_eq!(count(&found, 4, [20, 20, 20, 30]).len(), 0);
}

#[test]
fn clockwise_is_front() {
    let (a, b, c) = (at(10.0, 10.0), at(50.0, 10.0), at(10.0, 50.0));
    assert!(on_screen([a, b, c])[0].front);
    assert!(!on_screen([a, c, b])[0].front);
    assert!(on_screen([a, b, b]).is_empty(), "no area");
}

/// Interpolation is perspective-correct: a function that is linear in space is a quotient on the screen.
#[test]
fn weights_are_those_of_perspective() {
    let corner = |x: f32, y: f32, w: f32| [x * w, y * w, 0.5 * w, w];
    let (a, b, c) = (corner(-1.0, 1.0, 1.0), corner(1.0, 1.0, 4.0), corner(-1.0, -1.0, 2.0));
    let [triangle] = on_screen([a, b, c]).try_into().expect("one triangle");
    // Halfway on the screen between two vertices, the nearer one (with the smaller w) has the larger weight.
    let [wa, wb, wc] = triangle.weights.map(|weight| weight.at(32.0, 0.0));
    let whole = wa + wb + wc;
    assert!((wb / whole - 0.2).abs() < 1e-12 && wc.abs() < 1e-12);
    let [wa, wb, wc] = triangle.weights.map(|weight| weight.at(0.0, 32.0));
    assert!((wc / (wa + wb + wc) - 1.0 / 3.0).abs() < 1e-12);
    assert!((triangle.depth.at(20.0, 10.0) - 0.5).abs() < 1e-12, "depth is linear");
}

/// A clipped triangle covers the same samples as the unclipped one.
#[test]
fn weights_do_not_notice_the_near_plane() {
    let (a, b, c) = ([-1.0, 1.0, 0.3, 1.0], [4.0, 4.0, 3.9, 4.0], [-2.0, -2.0, 1.0, 2.0]);
    let lower = |mut corner: [f32; 4]| {
        corner[2] -= 0.7;
        corner
    };
    let whole = on_screen([a, b, c]);
    let cut = on_screen([lower(a), b, c]);
    assert_eq!((whole.len(), cut.len()), (1, 2));
    for triangle in &cut {
        let parts = |triangle: &Triangle, x: f64, y: f64| {
            let (left, top) = triangle.origin;
            let (x, y) = (x - f64::from(left), y - f64::from(top));
            let [a, b, c] = triangle.weights.map(|weight| weight.at(x, y));
            [a / (a + b + c), b / (a + b + c)]
        };
        for (x, y) in [(20.5, 12.5), (5.5, 40.5)] {
            let (here, there) = (parts(triangle, x, y), parts(&whole[0], x, y));
            for (here, there) in here.iter().zip(there) {
                assert!((here - there).abs() < 1e-9, "{here} and {there}");
            }
        }
    }
}

#[test]
fn lines_have_a_pixel_in_each_row_or_column() {
    let fixed = |pixels: f32| super::number::fixed(f64::from(pixels));
    let pixels = |from: (f32, f32), to: (f32, f32)| {
        let line = ScanLine {
            from: (fixed(from.0), fixed(from.1)),
            to: (fixed(to.0), fixed(to.1)),
            ends: Default::default(),
        };
        let mut found = Vec::new();
        draw_line(&line, 1, WINDOW, |(x, y), coverage| {
            for (lane, _) in (0i32..).zip(coverage).filter(|(_, covered)| *covered != 0) {
                found.push((x + (lane & 1), y + (lane >> 1)));
            }
        });
        found
    };
    let flat = pixels((2.5, 3.5), (6.5, 3.5));
    assert_eq!(flat, [(2, 3), (3, 3), (4, 3), (5, 3)], "the end is the next line's");
    assert_eq!(pixels((6.5, 3.5), (2.5, 3.5)), [(3, 3), (4, 3), (5, 3), (6, 3)]);
    let steep = pixels((10.5, 1.5), (12.5, 5.5));
    assert_eq!(steep, [(10, 1), (11, 2), (11, 3), (12, 4)]);
    assert_eq!(pixels((-500.0, 8.5), (900.0, 8.5)).len(), 64);
    assert!(pixels((5.5, -9.0), (9.0, -2.0)).is_empty());
}
