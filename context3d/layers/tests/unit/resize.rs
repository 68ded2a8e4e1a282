//! Tests of image resizing.

use super::*;

/// Creates an image in which only the first channel is not 0.
fn grey(values: &[u8]) -> Vec<u8> {
    values.iter().flat_map(|value| [*value, 0, 0, 0]).collect()
}

#[test]
fn means_are_rounded_and_cover_all_pixels() {
    let pixels = grey(&[0, 1, 10, 20, 1, 1, 30, 41]);
    assert_eq!(mean(&pixels, (4, 2), (2, 1)), grey(&[1, 25]));
    // Shrinking three columns to one averages all three.
    assert_eq!(mean(&grey(&[0, 0, 9]), (3, 1), (1, 1)), grey(&[3]));
    assert_eq!(mean(&grey(&[7, 9]), (2, 1), (2, 1)), grey(&[7, 9]));
}

#[test]
fn texels_are_repeated_by_row_and_column() {
    let larger = resized(&[1, 2, 3, 4], TexelLayout::Bgr565, (1, 2), (2, 4));
    assert_eq!(larger, [1, 2, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4, 3, 4]);
    assert_eq!(resized(&larger, TexelLayout::Bgr565, (2, 4), (1, 2)), [1, 2, 3, 4]);
    let (small, large) = (grey(&[1, 5]), grey(&[1, 1, 5, 5]));
    assert_eq!(resized(&small, TexelLayout::Bgra8, (2, 1), (4, 1)), large);
    assert_eq!(resized(&large, TexelLayout::Bgra8, (4, 1), (2, 1)), small);
}
