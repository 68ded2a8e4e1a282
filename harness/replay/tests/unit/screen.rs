//! The stage's picture.

use super::*;

/// [context3d.stage3d.opaque] [context3d.stage3d.order]
#[test]
fn layers_lie_over_the_stage_in_order() {
    let header = Header::new("", "", 20, [3.0, 2.0], 60.0, [1, 2, 3]);
    let layer = |x, y, red| Layer {
        x: whole_pixels(x),
        y: whole_pixels(y),
        front: Image::filled(2, 2, [red, 0, 0, 7]),
    };
    let stage = compose(&header, &[layer(-1.9, 0.0, 10), layer(0.0, 1.9, 20)]);
    let reds: Vec<u8> = stage.rgba().iter().copied().step_by(4).collect();
    assert_eq!(reds, [10, 1, 1, 20, 20, 1]);
    assert!(stage.rgba().iter().skip(3).step_by(4).all(|alpha| *alpha == 255));
}
