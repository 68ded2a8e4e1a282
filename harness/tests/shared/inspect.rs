//! Trims the captures in `../shared` and compares the frames, queries pixel histories, and draws from the binary
//! format.

use std::path::Path;

use molehill_analysis::renderers::last_picture;
use molehill_analysis::{Capture, CaptureLimits, Inspector, trim};
use molehill_capture::{CaptureReader, Form};
use molehill_reference::ReferenceFactory;

/// Number of random pixels per capture whose history is checked.
const PIXELS: u32 = 6;
/// Number of frames that are read of each capture.
const FRAMES: u32 = 7;
/// Ranges of frames that are trimmed: the indices of the first and last frame, as twelfths of the number of frames.
const CUTS: [(usize, usize); 3] = [(1, 2), (6, 6), (10, 11)];
/// Size in bytes from which captures are not written and read; some have hundreds of megabytes.
const READ_BACK: u64 = 16 << 20;
/// The environment variable that makes the tests convert large captures, too.
const ALL: &str = "MOLEHILL_INSPECT_ALL";

pub(crate) fn inspect(path: &Path) {
    let limits = CaptureLimits { last_frame: Some(FRAMES), ..CaptureLimits::default() };
    let mut reader = CaptureReader::open(path).unwrap();
    let capture = Capture::read(&mut reader, limits).unwrap();
    let numbers: Vec<u32> = capture.frames().iter().map(|frame| frame.number).collect();
    let mut inspector = Inspector::new(capture);
    for (first, last) in CUTS {
        let number = |part: usize| numbers.get(part * numbers.len() / 12).copied();
        if let (Some(first), Some(last)) = (number(first), number(last)) {
            cut(&mut inspector, (first, last), &numbers);
        }
    }
    pixels(&mut inspector, &numbers);
    converted(&mut inspector, &numbers);
}

/// Compares the image of a replayed binary capture with the inspector's image. Large captures are converted nightly,
/// because `is_written_back_byte_for_byte` converts them, too.
fn converted(inspector: &mut Inspector, numbers: &[u32]) {
    if inspector.capture().bytes() >= READ_BACK && std::env::var_os(ALL).is_none() {
        return;
    }
    let Some(frame) = numbers.get(numbers.len() / 2).copied() else {
        return;
    };
    let written = inspector.capture().write(Vec::new(), Form::Binary);
    let reader = CaptureReader::seekable(std::io::Cursor::new(written.unwrap())).unwrap();
    let limits = CaptureLimits { last_frame: Some(frame), ..CaptureLimits::default() };
    let capture = Capture::open(reader, limits).unwrap();
    let whole = last_picture(&capture, ReferenceFactory::default()).unwrap();
    assert!(whole == inspector.screen(frame).ok(), "frame {frame}");
}

/// Checks that a trimmed capture draws the same frames as the whole capture.
fn cut(inspector: &mut Inspector, (first, last): (u32, u32), numbers: &[u32]) {
    let trimmed = trim(inspector, first, last).unwrap();
    let mut part = trimmed.capture;
    if inspector.capture().bytes() < READ_BACK {
        let written = part.write(Vec::new(), Form::Lines).unwrap();
        let mut reader = CaptureReader::new(std::io::Cursor::new(written)).unwrap();
        part = Capture::read(&mut reader, CaptureLimits::default()).unwrap();
        assert_eq!(part.failure(), None, "frames {first} to {last}");
    }
    let mut part = Inspector::new(part);
    for frame in numbers.iter().filter(|frame| (first..=last).contains(frame)) {
        let (whole, part) = (inspector.screen(*frame).unwrap(), part.screen(*frame).unwrap());
        assert!(whole == part, "frame {frame} of frames {first} to {last}");
    }
}

/// Checks that a pixel's history ends with the image's value, and that each event continues the previous one.
fn pixels(inspector: &mut Inspector, numbers: &[u32]) {
    let Some(frame) = numbers.get(numbers.len() / 2).copied() else {
        return;
    };
    let picture = inspector.screen(frame).unwrap();
    let mut random = 0x2545_f491_u32;
    for _ in 0..PIXELS {
        let mut next = |below: u32| {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            random % below.max(1)
        };
        let at = (next(picture.width()), next(picture.height()));
        let history = inspector.pixel(frame, at).unwrap();
        assert_eq!(Some(history.shown), picture.pixel(at.0, at.1), "{at:?}");
        let mut last = None;
        for event in &history.events {
            assert!(last.is_none_or(|last| Some(last) == event.before), "{at:?}: {event:?}");
            let kept = event.fragments.iter().rfind(|fragment| fragment.outcome == "kept");
            if let Some([color, ..]) = kept.map(|kept| kept.after.as_slice()) {
                let bytes = color.map(|color| color.map(|value| (value.0 * 255.0).round()));
                assert_eq!(bytes, Some(event.after.map(f32::from)), "{at:?}: {event:?}");
            } else if event.name.starts_with("draw") {
                assert_eq!(event.before, Some(event.after), "{at:?}: {event:?}");
            }
            last = Some(event.after);
        }
        let shown = last.map(|[red, green, blue, _]| [red, green, blue, 255]);
        assert!(history.presented.is_none() || shown == Some(history.shown), "{history:?}");
    }
}
