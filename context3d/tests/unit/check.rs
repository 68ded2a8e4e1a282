//! Tests of the scissor rectangle's spans.

use super::span;

#[test]
fn edges_are_rounded_to_pixels() {
    for (edges, units, pixels, expected) in [
        ((3, 10), 20, 20, Some((3, 7))),
        ((3, 10), 20, 40, Some((6, 14))),
        ((-5, 99), 20, 30, Some((0, 30))),
        ((1, 2), 20, 30, Some((2, 1))),
        ((2, 3), 20, 30, Some((3, 2))),
        ((19, 20), 20, 5, Some((4, 1))),
        ((0, 1), 20, 5, Some((0, 1))),
        ((20, 25), 20, 40, None),
        ((7, 7), 20, 40, None),
    ] {
        assert_eq!(span(edges, units, pixels), expected, "{edges:?} {units} {pixels}");
    }
}
