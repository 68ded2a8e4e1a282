//! Tests renderers with injected errors: `diff` finds the first wrong call, and `minimize` a small capture.

use context3d::agal::Stage;
use context3d::backend::{AnyBackend, BackendError, BackendFactory};
use molehill_analysis::diff::DiffSide;
use molehill_analysis::minimize::ReductionTest;
use molehill_analysis::renderers::last_picture;
use molehill_analysis::{Capture, CaptureLimits, InspectError, Inspector, diff, minimize};
use molehill_capture::data::{ByteArray, Numbers, OptionalParameter, Uints};
use molehill_capture::{Call, CaptureReader, CaptureRecord, Form};
use molehill_conform::mutations::{MutatedBackend, Mutation};
use molehill_reference::{RasterOptions, ReferenceBackend, ReferenceFactory};
use molehill_replay::evidence::{Conclusion, ResultTally, UntestedReason};

use crate::draws;
use crate::scene::{CONTEXT, culling, frame, name, on, opening, scene};

/// Creates reference renderers with one injected error.
struct Mutated(&'static str);

impl BackendFactory for Mutated {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let mutation = Mutation::named(self.0).expect("it is in the table");
        Ok(Box::new(MutatedBackend::new(ReferenceBackend::new(RasterOptions::default()), mutation)))
    }
}

fn difference(
    capture: &Capture,
    mutation: &'static str,
) -> molehill_analysis::diff::CaptureDifference {
    let right = DiffSide { capture, input: None, factory: &mut || ReferenceFactory::default() };
    let wrong = DiffSide { capture, input: Some(mutation), factory: &mut || Mutated(mutation) };
    diff(right, wrong, 2, 0).unwrap()
}

#[test]
fn a_difference_is_found_where_it_begins() {
    let capture = scene(3);
    assert!(difference(&capture, "wireframe-filled").is_none());
    let found = difference(&capture, "scissor-ignored");
    assert_eq!((found.call, found.result, found.frame), (None, None, Some((0, 0))));
    let last = draws(&mut Inspector::new(scene(3)), 0).last().unwrap().call;
    assert_eq!(found.draw, Some((last, last)));
    assert_eq!(found.pixel.unwrap().0, (8, 0));
    assert_eq!(found.pixels, 1024 - 64);
    // Comparing two captures finds the first call that differs.
    let other: Vec<CaptureRecord> =
        opening().into_iter().chain(frame(0)).chain([culling("front")]).chain(frame(1)).collect();
    let other = Capture::new(capture.header().clone(), other);
    let (mut left, mut right) = (ReferenceFactory::default, ReferenceFactory::default);
    let a = DiffSide { capture: &capture, input: Some("a"), factory: &mut left };
    let b = DiffSide { capture: &other, input: Some("b"), factory: &mut right };
    let found = diff(a, b, 0, 0).unwrap().call.unwrap();
    assert!(
        found.a.contains("clear(") && found.b.ends_with("setCulling(triangleFaceToCull: front)"),
        "{found:?}"
    );
}

#[test]
fn a_fault_is_brought_to_a_few_calls() {
    let capture = scene(6);
    let mut shows = |capture: &Capture| {
        ReductionTest::of(difference(capture, "scissor-ignored").frame.is_some())
    };
    let small = minimize(&capture, 1000, &mut shows).unwrap();
    let (calls, before) = (small.capture.call_count(), capture.call_count());
    println!("{calls} calls of {before}, after {} attempts", small.attempts);
    assert!(small.finished && before > 150 && calls <= 14, "{calls} of {before}");
    assert!(difference(&small.capture, "scissor-ignored").frame.is_some());
    let written = small.capture.write(Vec::new(), Form::Lines).unwrap();
    let mut reader = CaptureReader::new(std::io::Cursor::new(written)).unwrap();
    assert_eq!(Capture::read(&mut reader, CaptureLimits::default()).unwrap().failure(), None);
    let mut never = |_: &Capture| ReductionTest::Gone;
    assert!(matches!(minimize(&capture, 5, &mut never), Err(InspectError::NoFault)));
}

/// Returns a capture with a grid of 8×8 cells, each of two triangles, in one vertex and one index buffer. Both buffers
/// are uploaded in two parts.
fn grid(bytes: bool) -> Capture {
    const SIDE: u16 = 9;
    let corners = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    let place = |at: u16| f64::from(at) / 4.0 - 1.0;
    let vertices: Vec<f64> = corners.flat_map(|(x, y)| [place(x), -place(y)]).collect();
    let cells = (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| y * SIDE + x));
    let indices: Vec<u16> =
        cells.flat_map(|a| [a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE]).collect();
    let vertices = |part: std::ops::Range<usize>| {
        let (start_vertex, num_vertices) = (number(part.start), number(part.len()));
        let part = &vertices[2 * part.start..2 * part.end];
        match bytes {
            true => Call::VertexBufferUploadFromByteArray {
                #[expect(clippy::cast_possible_truncation, reason = "the values are exact")]
                data: ByteArray::from(
                    part.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect::<Vec<u8>>(),
                ),
                byte_array_offset: 0,
                start_vertex,
                num_vertices,
            },
            false => Call::VertexBufferUploadFromVector {
                data: Some(Numbers(part.to_vec())),
                start_vertex,
                num_vertices,
            },
        }
    };
    let indices = |part: std::ops::Range<usize>| {
        let (start_offset, count) = (number(part.start), number(part.len()));
        let part = &indices[part];
        match bytes {
            true => Call::IndexBufferUploadFromByteArray {
                data: ByteArray::from(
                    part.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<u8>>(),
                ),
                byte_array_offset: 0,
                start_offset,
                count,
            },
            false => Call::IndexBufferUploadFromVector {
                data: Some(Uints(part.iter().copied().map(u32::from).collect())),
                start_offset,
                count,
            },
        }
    };
    let records = opening().into_iter().flat_map(|record| {
        let CaptureRecord::Call(mut line) = record else {
            unreachable!("the opening has no frames");
        };
        let with = |call| on(line.on, call, line.result);
        match &mut line.call {
            Call::VertexBufferUploadFromVector { .. } => {
                vec![with(vertices(0..40)), with(vertices(40..81))]
            }
            Call::IndexBufferUploadFromVector { .. } => {
                vec![with(indices(0..180)), with(indices(180..384))]
            }
            Call::CreateVertexBuffer { num_vertices, .. } => {
                *num_vertices = 81;
                vec![CaptureRecord::Call(line)]
            }
            Call::CreateIndexBuffer { num_indices, .. } => {
                *num_indices = 384;
                vec![CaptureRecord::Call(line)]
            }
            _ => vec![CaptureRecord::Call(line)],
        }
    });
    Capture::new(scene(1).header().clone(), records.chain(frame(0)))
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap()
}

/// Returns the total numbers of created vertices and indices, and of uploaded vertices and indices.
fn sizes(capture: &Capture) -> [i32; 4] {
    let mut sizes = [0; 4];
    for call in 1..=capture.call_count() {
        match capture.call(call).unwrap().1.call {
            Call::CreateVertexBuffer { num_vertices, .. } => sizes[0] += num_vertices,
            Call::CreateIndexBuffer { num_indices, .. } => sizes[1] += num_indices,
            Call::VertexBufferUploadFromVector { num_vertices, .. }
            | Call::VertexBufferUploadFromByteArray { num_vertices, .. } => {
                sizes[2] += num_vertices
            }
            Call::IndexBufferUploadFromVector { count, .. }
            | Call::IndexBufferUploadFromByteArray { count, .. } => sizes[3] += count,
            _ => {}
        }
    }
    sizes
}

#[test]
fn buffers_are_brought_to_one_triangle() {
    for bytes in [false, true] {
        let capture = grid(bytes);
        assert_eq!(sizes(&capture), [81, 384, 81, 384]);
        // The pixel is green due to one triangle of the frame's second draw.
        let red = |capture: &Capture| {
            let picture = last_picture(capture, ReferenceFactory::default());
            let pixel = picture.ok().flatten().and_then(|picture| picture.pixel(3, 17));
            pixel == Some([0, 255, 0, 255])
        };
        let mut shows = |capture: &Capture| ReductionTest::of(red(capture));
        let small = minimize(&capture, 1000, &mut shows).unwrap();
        let after = sizes(&small.capture);
        println!(
            "vertices and indices {after:?} of {:?}, {} calls of {}, after {} attempts",
            sizes(&capture),
            small.capture.call_count(),
            capture.call_count(),
            small.attempts
        );
        assert!(small.finished && red(&small.capture));
        assert_eq!(after, [3; 4]);
        assert!(small.capture.call_count() <= 14);
    }
}

/// In the profile Standard, a trimmed capture restores all sixteen samplers that the program declares.
#[test]
fn a_part_restores_every_sampler_of_the_profile() {
    let assembled = |text: &str, stage| {
        ByteArray::from(context3d::agal::asm::assemble(text, stage, 2).unwrap().encode())
    };
    let mut records = opening();
    for record in &mut records {
        let CaptureRecord::Call(line) = record else { continue };
        match &mut line.call {
            Call::RequestContext3D { profile, .. } => {
                *profile = OptionalParameter(Some(Some("standard".to_owned())));
            }
            Call::ProgramUpload { vertex_program, fragment_program } => {
                *vertex_program = assembled("mov op, va0\nmov v0, va0", Stage::Vertex);
                let text = "tex ft0, v0, fs9 <2d,repeat,nearest>\nmov oc, ft0";
                *fragment_program = assembled(text, Stage::Fragment);
            }
            _ => {}
        }
    }
    // Resets the state to its default, after `setProgram` has changed it.
    records.push(on(
        CONTEXT,
        Call::SetSamplerStateAt {
            sampler: 9,
            wrap: name("clamp"),
            filter: name("nearest"),
            mipfilter: name("mipnone"),
        },
        None,
    ));
    let clear = frame(0).swap_remove(0);
    for number in 0..2 {
        let present = on(CONTEXT, Call::Present {}, None);
        records.extend([clear.clone(), present, CaptureRecord::Frame(number)]);
    }
    let whole = Capture::new(scene(0).header().clone(), records);
    let mut inspector = Inspector::new(whole);
    let part = molehill_analysis::trim(&mut inspector, 1, 1).unwrap().capture;
    let sets = |number: usize| {
        let (_, line) = part.call(number).unwrap();
        matches!(&line.call, Call::SetSamplerStateAt { sampler: 9, .. })
    };
    assert!((1..=part.call_count()).any(sets));
}

/// Returns the records of a scene, with the indices of the frames.
fn records(capture: &Capture) -> Vec<CaptureRecord> {
    let bytes = capture.write(Vec::new(), Form::Binary).unwrap();
    let reader = CaptureReader::new(std::io::Cursor::new(bytes)).unwrap();
    reader.map(|record| record.unwrap().1).collect()
}

/// If the recorded program crashed, its last frame has no end record.
#[test]
fn calls_after_the_last_frame_are_compared() {
    let whole = scene(1);
    let mut cut = records(&whole);
    let present = |record: &CaptureRecord| matches!(record, CaptureRecord::Call(line) if line.call == Call::Present {});
    for (end, images) in [("frame", 1), ("present", 2)] {
        let gone = cut.pop().unwrap();
        assert_eq!(present(&gone), end == "present", "{gone:?}");
        let capture = Capture::new(whole.header().clone(), cut.clone());
        assert!(difference(&capture, "wireframe-filled").is_none());
        let found = difference(&capture, "scissor-ignored");
        assert_eq!((found.frame, found.pixels), (Some((0, 0)), 1024 - 64), "without {end}");
        let compared = found.evidence.oracles().map(|(_, compared)| *compared);
        let compared: Vec<ResultTally> = compared.collect();
        let calls = capture.call_count() as u64;
        assert_eq!(
            compared,
            [ResultTally { images, errors: calls, differing: 1, ..ResultTally::default() }]
        );
    }
}

/// A frame that only one capture contains is a difference. Comparing a capture with itself tests nothing.
#[test]
fn a_missing_frame_differs_and_the_same_sides_are_not_tested() {
    let (short, long) = (scene(1), scene(2));
    let found = |other: &Capture, input: [Option<&str>; 2]| {
        let (mut one, mut two) = (ReferenceFactory::default, ReferenceFactory::default);
        let a = DiffSide { capture: &short, input: input[0], factory: &mut one };
        let b = DiffSide { capture: other, input: input[1], factory: &mut two };
        diff(a, b, 0, 0).unwrap()
    };
    let longer = found(&long, [Some("a"), Some("b")]);
    assert_eq!((longer.frame, longer.evidence.conclusion()), (None, Conclusion::Differs));
    let missing = longer.evidence.oracles().map(|(_, compared)| compared.missing).sum::<u64>();
    assert_eq!(missing, 1 + (long.call_count() - short.call_count()) as u64, "{longer}");
    let same = found(&short, [None; 2]);
    assert_eq!(same.evidence.conclusion(), Conclusion::NotTested(UntestedReason::Itself));
    assert!(!same.to_string().contains("nothing differs"), "{same}");
}

/// If the driver fails, a test's result is unknown. A stopped search returns the smallest capture so far.
#[test]
fn an_answer_may_be_unknown_or_end_the_search() {
    let capture = scene(2);
    let mut answers =
        [ReductionTest::Shows, ReductionTest::Shows, ReductionTest::Unknown, ReductionTest::Stop]
            .into_iter();
    let mut test = |_: &Capture| answers.next().expect("no test after the stop");
    let small = minimize(&capture, 1000, &mut test).unwrap();
    assert_eq!((small.attempts, small.unknown, small.finished), (3, 1, false));
    assert!(small.capture.call_count() < capture.call_count());
    for first in [ReductionTest::Unknown, ReductionTest::Stop] {
        let fault = minimize(&capture, 1000, &mut |_| first);
        assert!(matches!(fault, Err(InspectError::NoFault)), "{first:?}");
    }
}
