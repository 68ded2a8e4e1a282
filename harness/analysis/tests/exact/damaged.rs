//! Tests damaged captures: every query returns a result or an error.

use molehill_analysis::pixel::RenderFace;
use molehill_analysis::{Capture, CaptureLimits, Inspector, trim};
use molehill_capture::objects::ObjectId;
use molehill_capture::{CaptureReader, Form};

use crate::program::{Random, program};

/// Runs all queries on a capture, and returns the number of results.
fn ask(capture: Capture, random: &mut Random) -> usize {
    let (last, frames) = (capture.call_count(), capture.frames().to_vec());
    let mut inspector = Inspector::new(capture);
    let mut answers = usize::from(inspector.objects().is_ok());
    let call = usize::try_from(random.below(last as u64 + 2)).unwrap();
    answers += usize::from(inspector.dump(1..=call).is_ok());
    answers += usize::from(inspector.state(call).is_ok());
    answers += usize::from(inspector.textures(call).is_ok());
    answers += usize::from(inspector.mesh(call).is_ok());
    answers += usize::from(inspector.picture(call).is_ok());
    answers += usize::from(inspector.draw_pictures(call).is_ok());
    let Some(frame) = frames.get(frames.len() / 2).map(|frame| frame.number) else {
        return answers;
    };
    let face = RenderFace { texture: ObjectId(random.below(12)), side: 0 };
    answers += usize::from(inspector.draws(frame).is_ok());
    answers += usize::from(inspector.pixel(frame, (5, 5)).is_ok());
    answers += usize::from(inspector.texture_pixel(frame, face, (5, 5)).is_ok());
    answers += usize::from(inspector.step(frame, (5, 5), call, None).is_ok());
    answers += usize::from(trim(&mut inspector, frame, frame).is_ok());
    answers
}

/// Replaces digits by other digits, so that lines stay valid: wrong counts, ids, sizes and offsets.
fn other_digits(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = file.to_vec();
    let start = file.iter().position(|byte| *byte == b'\n').unwrap();
    let digits: Vec<usize> = (start..file.len()).filter(|at| file[*at].is_ascii_digit()).collect();
    for _ in 0..=random.below(8) {
        file[random.one(&digits)] = b'0' + u8::try_from(random.below(10)).unwrap();
    }
    file
}

/// Replaces random bytes and truncates the file.
fn other_bytes(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut file = file.to_vec();
    for _ in 0..random.below(4) {
        let at = usize::try_from(random.below(file.len() as u64)).unwrap();
        file[at] = u8::try_from(random.below(256)).unwrap();
    }
    if random.below(2) == 0 {
        file.truncate(usize::try_from(random.below(file.len() as u64)).unwrap());
    }
    file
}

#[test]
fn damaged_captures_have_answers_or_errors() {
    let mut random = Random(99);
    let (mut opened, mut answers) = (0, 0);
    for seed in 1..=60 {
        let whole = program(seed % 6 + 1);
        let form = random.one(&[Form::Lines, Form::Binary]);
        let file = whole.write(Vec::new(), form).unwrap();
        let damaged = match (form, random.below(3)) {
            (Form::Lines, 0 | 1) => other_digits(&file, &mut random),
            _ => other_bytes(&file, &mut random),
        };
        let Ok(reader) = CaptureReader::new(std::io::Cursor::new(damaged)) else {
            continue;
        };
        if let Ok(capture) = Capture::open(reader, CaptureLimits::default()) {
            opened += 1;
            answers += ask(capture, &mut random);
        }
    }
    println!("{answers} answers of {opened} captures that open");
    assert!(opened > 30 && answers > 6 * opened, "{answers} of {opened}");
}
