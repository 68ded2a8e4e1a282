//! Tests of images: hashes, comparison and files.

use molehill_replay::image::{
    Hash, ImageError, RgbaImage, clusters, compare, difference, read_png, write_png,
};

fn corners() -> RgbaImage {
    let mut rgba = Vec::new();
    for value in 1..=4u8 {
        rgba.extend([value, value, value, value]);
    }
    RgbaImage::from_rgba(2, 2, rgba).unwrap()
}

#[test]
fn from_rgba_wants_exact_length() {
    assert!(RgbaImage::from_rgba(2, 2, vec![0; 15]).is_none());
    assert!(RgbaImage::from_rgba(u32::MAX, u32::MAX, vec![]).is_none());
    assert!(RgbaImage::from_rgba(0, 7, vec![]).is_some());
}

#[test]
fn paste_cuts_at_every_edge() {
    for (x, y, expected) in [
        (0, 0, [1, 2, 0, 3, 4, 0, 0, 0, 0]),
        (-1, -1, [4, 0, 0, 0, 0, 0, 0, 0, 0]),
        (2, 2, [0, 0, 0, 0, 0, 0, 0, 0, 1]),
        (2, -1, [0, 0, 3, 0, 0, 0, 0, 0, 0]),
        (-5, 0, [0; 9]),
        (3, 3, [0; 9]),
        (i64::from(i32::MIN), i64::from(i32::MAX), [0; 9]),
    ] {
        let mut stage = RgbaImage::filled(3, 3, [0, 0, 0, 9]);
        stage.paste(&corners(), x, y, false);
        let red: Vec<u8> = stage.rgba().iter().copied().step_by(4).collect();
        assert_eq!(red, expected, "pasted at {x}, {y}");
    }
}

#[test]
fn paste_opaque_sets_alpha() {
    let mut stage = RgbaImage::filled(3, 3, [0; 4]);
    stage.paste(&corners(), 1, 1, true);
    assert_eq!(stage.pixel(1, 1), Some([1, 1, 1, 255]));
    assert_eq!(stage.pixel(0, 0), Some([0, 0, 0, 0]));
    assert_eq!(stage.pixel(3, 0), None);
}

#[test]
fn counts_pixels_beyond_the_tolerance() {
    let expected = RgbaImage::filled(4, 1, [10, 20, 30, 40]);
    let mut rgba = expected.rgba().to_vec();
    rgba[0] += 2; // within tolerance
    rgba[5] += 3; // beyond tolerance
    rgba[8] -= 9; // beyond, in two channels of one pixel
    rgba[9] -= 9;
    rgba[15] += 200; // alpha counts like any channel
    let actual = RgbaImage::from_rgba(4, 1, rgba).unwrap();
    let comparison = compare(&actual, &expected, 2);
    assert_eq!((comparison.differing, comparison.max_delta), (3, 200));
    assert!(comparison.passes(3) && !comparison.passes(2));
    assert_eq!(compare(&actual, &expected, 255).differing, 0);
}

#[test]
fn another_size_never_passes() {
    let comparison =
        compare(&RgbaImage::filled(2, 2, [0; 4]), &RgbaImage::filled(3, 1, [0; 4]), 255);
    assert_eq!(comparison.differing, 4);
    assert!(!comparison.passes(u64::MAX));
}

#[test]
fn sizes_pixels_and_order_count() {
    let of = |images: &[RgbaImage]| {
        let mut hash = Hash::default();
        images.iter().for_each(|image| hash.add(image));
        hash.finish()
    };
    let [a, b] = [[1, 2, 3, 4], [1, 2, 3, 5]].map(|pixel| RgbaImage::filled(2, 1, pixel));
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[a.clone(), b.clone()]), of(&[a.clone(), b.clone()]));
    for other in
        [vec![b.clone(), a.clone()], vec![a.clone()], vec![RgbaImage::filled(1, 2, [1, 2, 3, 4])]]
    {
        assert_ne!(of(&other), of(&[a.clone(), b.clone()]));
    }
    assert_ne!(of(&[a]), of(&[RgbaImage::filled(1, 2, [1, 2, 3, 4])]));
}

#[test]
fn marks_what_differs_and_nothing_else() {
    let expected = RgbaImage::filled(2, 1, [120, 120, 120, 255]);
    let actual = RgbaImage::from_rgba(2, 1, vec![120, 120, 120, 255, 120, 20, 120, 255]).unwrap();
    let panel = difference(&actual, &expected, 2);
    assert_eq!((panel.width(), panel.height()), (2 * 3 + 16, 1));
    assert_eq!(panel.pixel(1, 0), Some([120, 20, 120, 255]));
    assert_eq!(panel.pixel(2 + 8 + 1, 0), Some([120, 120, 120, 255]));
    assert_eq!(panel.pixel(20, 0), Some([30, 30, 30, 255]));
    assert_eq!(panel.pixel(21, 0), Some([255, 100, 0, 255]));
}

#[test]
fn sizes_may_differ() {
    let panel = difference(&RgbaImage::filled(1, 2, [1; 4]), &RgbaImage::filled(2, 1, [1; 4]), 0);
    assert_eq!(panel.pixel(20, 1), Some([255, 255, 0, 255]));
    assert_eq!(panel.pixel(21, 1), Some([64, 64, 64, 255]));
}

fn scratch(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("molehill-{}-{name}", std::process::id()))
}

#[test]
fn what_is_written_is_read() {
    let path = scratch("round-trip.png");
    let rgba = (0..3 * 5 * 4).map(|byte| u8::try_from(byte * 4).unwrap()).collect();
    let image = RgbaImage::from_rgba(3, 5, rgba).unwrap();
    write_png(&path, &image).unwrap();
    assert_eq!(read_png(&path).unwrap(), image);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn damaged_files_are_errors() {
    let path = scratch("damaged.png");
    write_png(&path, &RgbaImage::filled(64, 64, [1, 2, 3, 4])).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for length in [0, 7, 20, bytes.len() / 2] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(matches!(read_png(&path), Err(ImageError::Format(_))), "cut to {length} bytes");
    }
    std::fs::write(&path, "not a picture").unwrap();
    assert!(matches!(read_png(&path), Err(ImageError::Format(_))));
    std::fs::remove_file(path).unwrap();
    assert!(matches!(read_png(&scratch("absent.png")), Err(ImageError::Io(_))));
}

/// Creates an image of 32 × 32 pixels from a function of the position.
fn painted(color: impl Fn(u32, u32) -> u8) -> RgbaImage {
    let places = (0..32).flat_map(|y| (0..32).map(move |x| (x, y)));
    let rgba = places.flat_map(|(x, y)| [color(x, y), 0, 0, 255]).collect();
    RgbaImage::from_rgba(32, 32, rgba).unwrap()
}

#[test]
fn an_antialiased_edge_is_not_a_wrong_pixel() {
    let half = |x: u32, edge: u8| match x {
        0..16 => 0,
        16 => edge,
        17.. => 200,
    };
    let [sharp, soft] = [140, 90].map(|edge| painted(|x, _| half(x, edge)));
    let found = compare(&soft, &sharp, 2);
    assert_eq!((found.differing, found.moved, found.blended, found.unexplained()), (32, 0, 32, 0));
    assert!(found.is_equal_but_for_edges());
    // A missing line on a plain background isn't a moved edge, because the pixels around it have equal colours.
    let line = painted(|x, _| if x == 16 { 200 } else { 0 });
    let found = compare(&painted(|_, _| 0), &line, 2);
    assert_eq!((found.differing, found.blended, found.unexplained()), (32, 0, 32));
    assert!(!found.is_equal_but_for_edges());
    // Small differences count as rounding only in a few pixels.
    let tinted = painted(|x, y| if x < 8 && y < 8 { 5 } else { 0 });
    let found = compare(&tinted, &painted(|_, _| 0), 2);
    assert_eq!((found.rounded, found.is_equal_but_for_edges()), (64, true));
    assert!(!compare(&painted(|_, _| 5), &painted(|_, _| 0), 2).is_equal_but_for_edges());
}

#[test]
fn differing_pixels_form_clusters() {
    let with = painted(|x, y| match (x, y) {
        (2..4, 3) => 90,
        (30, 29) => 80,
        (31, 31) => 200,
        (20..24, 5..10) => 40,
        _ => 0,
    });
    let found = clusters(&with, &painted(|_, _| 0), 10);
    let bounds: Vec<_> = found.iter().map(|it| (it.bounds, it.pixels, it.at)).collect();
    let all = [
        ([20, 5, 24, 10], 20, (20, 5)),
        ([2, 3, 4, 4], 2, (2, 3)),
        ([30, 29, 32, 32], 2, (31, 31)),
    ];
    assert_eq!(bounds, all);
    assert!(clusters(&with, &with, 0).is_empty());
    assert_eq!(clusters(&with, &painted(|_, _| 0), 100).len(), 1);
    assert_eq!(clusters(&with, &RgbaImage::filled(0, 0, [0; 4]), 0), []);
}

#[test]
fn wide_panels_have_captions() {
    let picture = RgbaImage::filled(80, 4, [1, 2, 3, 255]);
    let panel = difference(&picture, &picture, 0);
    assert_eq!((panel.width(), panel.height()), (80 * 3 + 16, 4 + 11));
    // Only the third caption begins with a “d”, whose stem is the highest pixel at this position.
    let ends = |left: u32| panel.pixel(left + 4, 2) == Some([255; 4]);
    assert_eq!([0, 88, 176].map(ends), [false, false, true]);
    let letters =
        |left: u32| (0..80).filter(|x| panel.pixel(left + x, 6) == Some([255; 4])).count();
    assert!([0, 88, 176].iter().all(|left| letters(*left) > 7), "{:?}", [0, 88, 176].map(letters));
    assert_eq!(panel.pixel(0, 11), Some([1, 2, 3, 255]));
}
