//! Tests of the tolerance for differences between images.

use molehill_conform::Tolerance;
use molehill_replay::image::{RgbaImage, compare};

/// Returns an image that is white to the left of a column and black to the right.
fn edge(column: u32) -> RgbaImage {
    let mut image = RgbaImage::filled(8, 8, [0, 0, 0, 255]);
    let white = RgbaImage::filled(column, 8, [255; 4]);
    image.paste(&white, 0, 0, false);
    image
}

#[test]
fn an_edge_may_move_by_one_pixel_and_no_further() {
    let near = compare(&edge(5), &edge(4), 0);
    assert_eq!((near.moved, near.wrong(), near.max_delta), (8, 0, 255));
    assert!(Tolerance::edges(0, 8, "").allows(&near) && !Tolerance::edges(0, 7, "").allows(&near));
    let far = compare(&edge(6), &edge(4), 0);
    // One column's actual colour is a neighbour's expected colour, but its expected colour occurs nowhere.
    assert!(far.wrong() > 0, "{far:?}");
}

#[test]
fn a_wrong_color_is_no_moved_edge() {
    let mut red = edge(4);
    red.paste(&RgbaImage::filled(1, 1, [255, 0, 0, 255]), 4, 3, false);
    let found = compare(&red, &edge(4), 0);
    assert_eq!((found.moved, found.wrong()), (0, 1));
    assert_eq!(found.first, Some(((4, 3), [255, 0, 0, 255], [0, 0, 0, 255])));
    // A missing line that is one pixel wide isn't a moved edge.
    let plain = RgbaImage::filled(8, 8, [0; 4]);
    let mut line = plain.clone();
    line.paste(&RgbaImage::filled(1, 8, [9; 4]), 3, 0, false);
    assert_eq!(compare(&plain, &line, 0).wrong(), 8);
}

#[test]
fn alpha_and_sizes_count() {
    let (a, b) = (RgbaImage::filled(2, 2, [1, 2, 3, 4]), RgbaImage::filled(2, 2, [1, 2, 3, 7]));
    assert_eq!(compare(&a, &b, 1).wrong(), 4);
    assert_eq!(compare(&a, &b, 3).wrong(), 0);
    let other = compare(&a, &RgbaImage::filled(1, 4, [1, 2, 3, 4]), 0);
    assert!(!Tolerance::edges(255, u32::MAX, "").allows(&other));
}
