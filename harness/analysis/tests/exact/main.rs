//! Tests on random captures that skipping draws, whose results are never read, doesn't change query results.

mod damaged;
mod program;

use context3d::backend::ReadSurface;
use molehill_analysis::Shortcut;
use molehill_analysis::pixel::RenderFace;
use molehill_analysis::{Capture, CaptureLimits, Inspector, ReferencePlayer, trim};
use molehill_capture::commands::ReplayObject;
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CaptureReader, Form};
use molehill_reference::ReferenceFactory;
use molehill_replay::Replayer;
use molehill_replay::image::RgbaImage;

use program::{Random, program, tidy_or_not};

/// Returns a replay that skips no draws, before the first record.
fn replayer(capture: &Capture) -> ReferencePlayer {
    let factory = ReferenceFactory::default();
    Replayer::new(capture.header(), factory, Default::default())
}

/// Like `Inspector::picture`, but executes all draws.
fn picture(capture: &Capture, call: usize) -> Option<RgbaImage> {
    let mut player = replayer(capture);
    for record in 0..=capture.record_index(call).unwrap() {
        let (line, entry) = capture.record(record).unwrap().unwrap();
        player.record(line, &entry).unwrap();
    }
    let (number, line) = capture.call(call).unwrap();
    match player.context_of(line.on) {
        None => Some(player.screen(number).unwrap()),
        Some(context) if line.call == (Call::Present {}) => {
            player.surface(number, context, ReadSurface::Front).unwrap()
        }
        Some(context) => player.target(number, context).unwrap(),
    }
}

fn frame_numbers(capture: &Capture) -> Vec<u32> {
    capture.frames().iter().map(|frame| frame.number).collect()
}

/// Tests a replay that skips draws up to a record and executes all draws after it.
#[test]
fn a_shortcut_ends_where_everything_is_drawn() {
    let mut left_out = 0;
    for seed in 1..=12 {
        let capture = program(seed);
        let inspector = Inspector::new(program(seed));
        let last = capture.frames().last().unwrap().records.end;
        let replay = |shortcut: &Shortcut| {
            let mut player = replayer(&capture);
            let mut pictures = Vec::new();
            for place in 0..last {
                let (line, entry) = capture.record(place).unwrap().unwrap();
                for context in 0..player.contexts() {
                    if let Some(backend) = player.backend_mut(context) {
                        backend.skip(shortcut.skip(place));
                    }
                }
                player.record(line, &entry).unwrap();
                pictures.push((place + 1 >= shortcut.end).then(|| player.screen(line).unwrap()));
            }
            pictures
        };
        let whole = replay(&Shortcut::default());
        let mut random = Random(seed + 5);
        for _ in 0..6 {
            let end = usize::try_from(random.below(last as u64)).unwrap();
            let shortcut = inspector.shortcut(end).unwrap();
            left_out += (0..end).filter(|place| shortcut.skip(*place).draws).count();
            for (place, picture) in replay(&shortcut).iter().enumerate() {
                let same = picture.is_none() || *picture == whole[place];
                assert!(same, "seed {seed}, to {end}, record {place}");
            }
        }
    }
    assert!(left_out > 100, "{left_out}");
}

#[test]
fn what_is_left_out_is_not_seen() {
    let (mut drawn, mut touched) = (0, 0);
    for seed in 1..=12 {
        let capture = program(seed);
        let last = capture.call_count();
        let frames = frame_numbers(&capture);
        let mut inspector = Inspector::new(capture);
        let mut random = Random(seed + 77);
        // Queries calls in random order, so that replays start from many different checkpoints.
        for _ in 0..25 {
            let call = usize::try_from(random.below(last as u64)).unwrap() + 1;
            let whole = picture(inspector.capture(), call);
            match random.below(4) {
                0 => drop(inspector.state(call)),
                1 => drop(inspector.textures(call)),
                2 => drop(inspector.draws(random.one(&frames))),
                _ => {}
            }
            assert!(inspector.picture(call).unwrap() == whole, "seed {seed}, call {call}");
            drawn += u32::from(whole.is_some());
        }
        // Compares the draws of all frames in order, of single frames, and of a replay that skips no draws.
        let mut each = Inspector::new(program(seed));
        let mut whole = replayer(each.capture());
        for frame in &frames {
            let mut alone = Inspector::new(program(seed));
            assert_eq!(
                each.draws(*frame).unwrap(),
                alone.draws(*frame).unwrap(),
                "seed {seed}, frame {frame}"
            );
            assert!(each.screen(*frame).unwrap() == alone.screen(*frame).unwrap());
            let at = (u32::try_from(random.below(32)).unwrap(), 5);
            let history = alone.pixel(*frame, at).unwrap();
            assert_eq!(
                each.pixel(*frame, at).unwrap(),
                history,
                "seed {seed}, frame {frame}, {at:?}"
            );
            assert_eq!(Some(history.shown), each.screen(*frame).unwrap().pixel(at.0, at.1));
            let records = each.capture().frame(*frame).unwrap().records.clone();
            for place in records {
                let (line, entry) = each.capture().record(place).unwrap().unwrap();
                whole.record(line, &entry).unwrap();
            }
            touched += histories_in_textures([&mut each, &mut alone], &mut whole, *frame);
        }
    }
    assert!(drawn > 100 && touched > 100, "{drawn}, {touched}");
}

/// Compares a pixel's history in every texture with a replay that skips no draws. Returns the event count.
fn histories_in_textures(
    inspectors: [&mut Inspector; 2],
    whole: &mut ReferencePlayer,
    frame: u32,
) -> usize {
    let mut events = 0;
    let [each, alone] = inspectors;
    let textures: Vec<(ObjectId, ReplayObject)> = whole.ids().iter().collect();
    for (id, object) in textures {
        let ReplayObject::Texture(context, texture) = object else {
            continue;
        };
        let texture = texture.key();
        let Some(desc) = whole.texture_desc(context, texture) else {
            continue;
        };
        for side in 0..desc.kind.faces() {
            let face = RenderFace { texture: id, side };
            let at = (3 + u32::from(side) % 2, frame % 8);
            let history = alone.texture_pixel(frame, face, at).unwrap();
            let (where_, level) = (format!("frame {frame}, {face:?}, {at:?}"), 0);
            assert_eq!(each.texture_pixel(frame, face, at).unwrap(), history, "{where_}");
            let surface = ReadSurface::Texture { texture, side, level };
            let image = whole.surface(0, context, surface).unwrap();
            let value = image.and_then(|image| image.pixel(at.0, at.1));
            assert_eq!(value.unwrap_or_default(), history.shown, "{where_}: {history:?}");
            for two in history.events.windows(2) {
                assert_eq!(two[1].before, Some(two[0].after), "{where_}: {history:?}");
            }
            let last = history.events.last().map(|event| event.after);
            assert!(last.is_none_or(|last| last == history.shown), "{where_}: {history:?}");
            events += history.events.len();
        }
    }
    events
}

/// Compares the image after every draw with a replay that skips no draws.
#[test]
fn pictures_of_every_draw_are_exact() {
    let mut inspector = Inspector::new(program(5));
    let mut draws = 0;
    for frame in frame_numbers(inspector.capture()).into_iter().rev() {
        let mut seen = Vec::new();
        inspector
            .draws_with_pictures(frame, &mut |draw, pictures| {
                seen.push((draw.clone(), pictures));
                Ok(())
            })
            .unwrap();
        for (draw, pictures) in seen {
            let whole = picture(inspector.capture(), draw.call);
            assert!(
                pictures.after.first().map(|image| &**image) == whole.as_ref(),
                "call {}",
                draw.call
            );
            let (again, alone) = inspector.draw_pictures(draw.call).unwrap();
            assert_eq!(again, draw);
            assert!(alone.before == pictures.before && alone.after == pictures.after);
            assert!(alone.depth == pictures.depth && alone.stencil == pictures.stencil);
            draws += 1;
        }
    }
    assert!(draws > 10, "{draws}");
}

/// Trimmed captures restore all mip levels of textures that were render targets.
#[test]
fn parts_draw_the_same() {
    for seed in 1..=20 {
        let mut whole = Inspector::new(tidy_or_not(seed, true));
        let frames = whole.capture().frames().iter().filter(|frame| frame.ended);
        let frames: Vec<u32> = frames.map(|frame| frame.number).collect();
        for frame in frames.iter().skip(1) {
            let part = trim(&mut whole, *frame, *frame).unwrap();
            let mut part = Inspector::new(part.capture);
            let same = part.screen(*frame).unwrap() == whole.screen(*frame).unwrap();
            assert!(same, "seed {seed}, frame {frame}");
        }
    }
}

#[test]
fn files_are_read_where_they_are() {
    let whole = program(3);
    let binary = whole.write(Vec::new(), Form::Binary).unwrap();
    let lines = whole.write(Vec::new(), Form::Lines).unwrap();
    // Adds blank lines, because line numbers must count them.
    let text = String::from_utf8(lines).unwrap().replace("{\"frame\"", "\n{\"frame\"");
    let name = format!("molehill-analysis-{}.s3d.jsonl", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, &text).unwrap();
    let from_binary = || CaptureReader::seekable(std::io::Cursor::new(binary.clone())).unwrap();
    let from_lines = || CaptureReader::open(&file).unwrap();
    let numbered = Capture::read(&mut from_lines(), CaptureLimits::default()).unwrap();
    assert_eq!(numbered.failure(), None);
    read_where_it_is(&from_binary, whole);
    read_where_it_is(&from_lines, numbered);
    std::fs::remove_file(file).unwrap();
}

fn read_where_it_is(reader: &dyn Fn() -> CaptureReader, whole: Capture) {
    let limits = CaptureLimits { file_bytes: 0, ..CaptureLimits::default() };
    let capture = Capture::open(reader(), limits).unwrap();
    assert_eq!((capture.bytes(), capture.call_count()), (0, whole.call_count()));
    assert_eq!(capture.frames(), whole.frames());
    assert_eq!(capture.objects(), whole.objects());
    // Reads calls in reverse order, so that each read needs a seek in the file.
    for call in (1..=whole.call_count()).rev().step_by(700) {
        assert_eq!(capture.call(call).unwrap(), whole.call(call).unwrap());
    }
    let (mut there, mut here) = (Inspector::new(capture), Inspector::new(whole));
    let last = here.capture().call_count();
    assert_eq!(there.dump(1..=last).unwrap(), here.dump(1..=last).unwrap());
    assert_eq!(there.objects().unwrap(), here.objects().unwrap());
    assert!(there.picture(last / 2).unwrap() == here.picture(last / 2).unwrap());
    let limits = CaptureLimits { last_frame: Some(2), ..limits };
    let part = Capture::open(reader(), limits).unwrap();
    assert_eq!(part.frames(), &here.capture().frames()[..3]);
    assert!(matches!(part.call(last), Err(molehill_analysis::InspectError::NoCall { .. })));
}

#[test]
fn a_question_can_be_called_off() {
    use std::ops::ControlFlow;
    let mut inspector = Inspector::new(program(2));
    let last = inspector.capture().call_count();
    let mut reports = 0;
    inspector.on_progress(move |progress| {
        assert!(progress.done <= progress.of);
        reports += 1;
        match reports {
            1 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    let cancelled = inspector.picture(last);
    assert!(matches!(cancelled, Err(molehill_analysis::InspectError::Cancelled)));
    let whole = picture(inspector.capture(), last);
    assert!(inspector.picture(last).unwrap() == whole);
}
