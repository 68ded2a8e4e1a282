//! Tests of the stage's image.

use super::*;

/// [context3d.stage3d.opaque] [context3d.stage3d.order]
#[test]
fn layers_lie_over_the_stage_in_order() {
    let header = CaptureHeader::new("", "", 20, [3.0, 2.0], 60.0, [1, 2, 3]);
    let layer = |x, y, red| {
        let (x, y) = (whole_pixels(x), whole_pixels(y));
        let shown = VisibleContext { context: 0, x, y, size: (2, 2) };
        (shown, RgbaImage::filled(2, 2, [red, 0, 0, 7]))
    };
    let layers = || vec![layer(-1.9, 0.0, 10), layer(0.0, 1.9, 20)];
    let stage = compose(&header, 1, layers());
    let reds: Vec<u8> = stage.rgba().iter().copied().step_by(4).collect();
    assert_eq!(reds, [10, 1, 1, 20, 20, 1]);
    assert!(stage.rgba().iter().skip(3).step_by(4).all(|alpha| *alpha == 255));
    // With scale 2, an image of the program's size is enlarged.
    let large = compose(&header, 2, layers());
    assert_eq!((large.width(), large.height()), (6, 4));
    let corners = [(0, 0), (2, 0), (4, 1), (3, 2), (4, 3)].map(|(x, y)| large.pixel(x, y));
    let pixel = |red| Some([red, 0, 0, 255]);
    assert_eq!(
        corners,
        [pixel(10), Some([1, 2, 3, 255]), Some([1, 2, 3, 255]), pixel(20), Some([1, 2, 3, 255])]
    );
}
