//! Tests that a scan of three frames finds errors injected into the second frame, with their causes.

use std::collections::BTreeSet;
use std::time::Duration;

use context3d::agal::{Stage, asm};
use molehill_analysis::edit::{CaptureEdit, EditChange, apply, parse};
use molehill_analysis::warnings::WarningKind;
use molehill_analysis::{Capture, Inspector};
use molehill_capture::data::ByteArray;
use molehill_capture::objects::{IndexBufferId, ObjectId};
use molehill_capture::{Call, CaptureReader, CaptureRecord, Form};
use molehill_replay::image::RgbaImage;

use crate::scene::{CONTEXT, LAST, frame, on, opening, scene};

/// The first draw of frame 1. `UPLOAD` is the upload of the program.
const DRAW: usize = 41;
const UPLOAD: usize = 4;

fn edited(lines: &str) -> Result<Capture, String> {
    let edits = parse(&scene(3), lines, &mut |path| std::fs::read(path))
        .map_err(|error| error.to_string())?;
    apply(&scene(3), &edits).map_err(|error| error.to_string())
}

/// Returns the anomalies of frame 1, and the texts of its warnings.
fn found(lines: &str) -> (Vec<String>, Vec<String>) {
    let mut inspector = Inspector::new(edited(lines).unwrap());
    let scan = inspector.frame_scan(0, 2).unwrap();
    let here = scan.outliers.iter().filter(|it| it.frame == 1);
    let faults = inspector.draws(1).unwrap().warnings;
    let faults = faults.iter().filter(|warning| !warning.kind.is_lint());
    let fault = |warning: &molehill_analysis::warnings::Warning| {
        format!("{}: {}", warning.name, warning.text)
    };
    (here.map(|outlier| outlier.reason.clone()).collect(), faults.map(fault).collect())
}

#[test]
fn a_scan_finds_the_frame_and_the_draw_with_the_cause() {
    let clean = found("");
    assert_eq!(clean.0, [""; 0]);
    let cases = [
        (r#""constant": "vc0", "values": ["NaN", 1, 1, 1]"#, "constant vc0 is NaN, 1, 1, 1"),
        (r#""constant": "vc1", "values": [0, 0, 0, -3]"#, "behind the camera (w ≤ 0)"),
        (r#""constant": "vc0", "values": [0, 0, 1, 1]"#, "degenerate"),
        (
            r#""insert": {"call": "setScissorRectangle", "rectangle": {"x": 90, "y": 4, "width": 8, "height": 8}}"#,
            "skipped: error checking would raise 3706",
        ),
        (
            r#""insert": {"call": "setDepthTest", "depthMask": true, "passCompareMode": "never"}"#,
            "setDepthTest compares with never",
        ),
        (
            r#""insert": {"call": "setStencilActions", "triangleFace": "frontAndBack", "compareMode": "never", "actionOnBothPass": "keep", "actionOnDepthFail": "keep", "actionOnDepthPassStencilFail": "keep"}"#,
            "setStencilActions compares with never",
        ),
        (
            r#""insert": {"call": "setDepthTest", "depthMask": true, "passCompareMode": "greater"}"#,
            "rejected by setDepthTest: greater",
        ),
        (
            r#""insert": {"call": "setCulling", "triangleFaceToCull": "front"}"#,
            "setCulling(front) culls all 2 triangles",
        ),
    ];
    for (change, cause) in cases {
        // Edits set constants just before the draw, after the recorded calls that set them.
        let (outliers, faults) = found(&format!(r#"{{"call": {DRAW}, {change}}}"#));
        let reason = format!(
            "draw {}",
            if change.contains("insert") || change.contains("constant") { DRAW + 1 } else { DRAW }
        );
        assert!(
            outliers
                .iter()
                .any(|it| it.starts_with(&reason) && it.contains("in frame 0 it had 1,024")
                    || it.contains("had none")),
            "{change}: {outliers:?}"
        );
        for outlier in &outliers {
            let told: Vec<_> = outlier.split("; ").collect();
            let once: BTreeSet<_> = told.iter().collect();
            assert_eq!(once.len(), told.len(), "{outlier}");
        }
        let set = format!("set by call {DRAW} of frame 1: ");
        let named = cause.contains("set") || cause.contains("constant");
        assert!(!named || outliers.iter().any(|it| it.contains(&set)), "{change}: {outliers:?}");
        assert!(
            faults.iter().any(|it| it.starts_with("drawTriangles: ") && it.contains(cause)),
            "{change}: {faults:?}"
        );
        assert!(!clean.1.iter().any(|it| it.contains(cause)), "{cause}: {:?}", clean.1);
    }
}

/// If the program itself computes an invalid position, the diagnostic names the first instruction that does.
#[test]
fn an_overflow_in_a_vertex_program_has_its_token() {
    let squares = "mul vt1, vt1, vt1\\n".repeat(7);
    let vertex = format!("mov vt0, va0\\nadd vt1, vt0.w, vt0.w\\n{squares}add op, vt0, vt1");
    let faults = found(&format!(r#"{{"call": {UPLOAD}, "vertex": "{vertex}"}}"#)).1;
    let named = "; token 9, mul vt1, vt1, vt1, gives vt1 = inf, inf, inf, inf";
    assert!(faults.iter().any(|it| it.ends_with(named)), "{faults:?}");
}

/// [agal.float.rules]
#[test]
fn a_nan_in_the_colour_has_its_token() {
    let fragment =
        |code: &str| format!(r#"{{"call": {UPLOAD}, "fragment": "mov ft0, fc0\n{code}"}}"#);
    let ieee = "NaN in the colour of 1,024 pixels by the rules of IEEE 754, which many devices follow, not by Direct3D 9's";
    for (edit, wanted) in [
        (fragment("sub ft0, ft0, fc0\\nrcp ft1, ft0.x\\nmul oc, ft0, ft1"), Some(format!("{ieee}: token 3, rcp ft1, ft0.x, gives ft1 = inf, inf, inf, inf"))),
        (fragment("sub ft0, ft0, fc0\\nmov ft1, fc0\\ndiv ft1.y, ft0, ft0\\nmov oc, ft1"), Some(format!("{ieee}: token 4, div ft1.y, ft0, ft0, gives ft1.y = NaN"))),
        // Infinities, and NaNs that `sat` removes, aren't reported.
        (fragment("sub ft0, ft0, fc0\\nrcp ft1, ft0\\nmov oc, ft1"), None),
        (fragment("sub ft0, ft0, fc0\\nrcp ft1, ft0\\nmul ft1, ft0, ft1\\nsat oc, ft1"), None),
        (
            format!(r#"{{"call": {DRAW}, "constant": "fc0", "values": [1, "NaN", 1, 1]}}"#),
            Some("NaN in the colour of 1,024 pixels: token 1, mov ft0, fc0, gives ft0 = 1, NaN, 1, 1".to_owned()),
        ),
    ] {
        let faults = found(&edit).1;
        let nan: Vec<_> = faults.iter().filter(|it| it.contains("NaN in the colour")).collect();
        let is = |it: &&String, text: &String| it.ends_with(text.as_str());
        match &wanted {
            Some(text) => assert!(nan.iter().any(|it| is(it, text)), "{edit}: {faults:?}"),
            None => assert!(nan.is_empty(), "{edit}: {faults:?}"),
        }
    }
}

#[test]
fn colours_that_are_kept_have_their_cause() {
    let blend = |source: &str, destination: &str| {
        format!(
            r#"{{"call": {DRAW}, "insert": {{"call": "setBlendFactors", "sourceFactor": "{source}", "destinationFactor": "{destination}"}}}}"#
        )
    };
    let has = |lines: &str, cause: &str| {
        let faults = found(lines).1;
        assert!(faults.iter().any(|it| it.contains(cause)), "{cause}: {faults:?}");
    };
    has(&blend("zero", "one"), "changes no colour: setBlendFactors is zero, one");
    // Without depth writes, the draw has no effect.
    let flat = format!(
        r#"{{"call": {DRAW}, "insert": {{"call": "setDepthTest", "depthMask": false, "passCompareMode": "always"}}}}"#
    );
    has(
        &format!("{}\n{flat}", blend("zero", "one")),
        "changes nothing: setBlendFactors is zero, one",
    );
    let alpha = format!(r#"{{"call": {DRAW}, "constant": "fc0", "values": [1, 1, 1, 0]}}"#);
    has(
        &format!("{}\n{flat}\n{alpha}", blend("sourceAlpha", "oneMinusSourceAlpha")),
        "the fragment program's alpha is 0 (1, 1, 1, 0)",
    );
    let mask = format!(
        r#"{{"call": {DRAW}, "insert": {{"call": "setColorMask", "red": false, "green": false, "blue": false, "alpha": false}}}}"#
    );
    has(&format!("{mask}\n{flat}"), "setColorMask disables all channels");
    let short = r#"{"call": 8, "with": {"dataU32B64": "AAAAAAEAAAACAAAAAAAAAAIAAAAHAAAA"}}"#;
    has(short, "index 7 is past the end of the 4 vertices of vertices#4 (va0)");
}

#[test]
fn the_same_draw_of_the_frame_before_is_compared() {
    let capture = edited(&format!(
        r#"{{"call": {LAST}, "insert": {{"call": "setCulling", "triangleFaceToCull": "back"}}}}"#
    ));
    let mut inspector = Inspector::new(capture.unwrap());
    let state = inspector.state(LAST + 1).unwrap();
    let same = state.same_draw.unwrap();
    assert_eq!((same.frame, same.call), (0, LAST - 25));
    let differs: Vec<_> = state.rows.iter().filter(|row| row.earlier.is_some()).collect();
    assert_eq!(differs.len(), 1, "{differs:?}");
    assert_eq!(
        (differs[0].name.as_str(), differs[0].earlier.as_deref()),
        ("culling", Some("none"))
    );
    let text = state.to_string();
    assert!(
        text.contains("! culling            back   (was frontAndBack)   (in frame 0: none)"),
        "{text}"
    );
    assert_eq!(inspector.same_draw(LAST - 25).unwrap(), None);
    // Edits the parameters of the draw.
    let short = format!(r#"{{"call": {LAST}, "with": {{"firstIndex": 3, "numTriangles": 1}}}}"#);
    let text = Inspector::new(edited(&short).unwrap()).state(LAST).unwrap().to_string();
    for line in [
        "! firstIndex         3   (was 0)   (in frame 0: 0)",
        "! numTriangles       1   (was -1)   (in frame 0: -1)",
        "  indexBuffer        indices#5",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// Draws with the index buffers `first` in the first frame and `second` in the second frame. Returns, for each draw of
/// the second frame, the index of the matching draw in the first frame.
fn paired(first: &[u64], second: &[u64]) -> Vec<Option<usize>> {
    let mut records = opening();
    let made: Vec<CaptureRecord> = records.iter().skip(6).take(2).cloned().collect();
    for id in 6..9 {
        records.extend(made.iter().cloned().map(|mut record| {
            let CaptureRecord::Call(line) = &mut record else { panic!("a call") };
            match line.result.as_mut() {
                Some(result) => *result = ObjectId(id),
                None => line.on = ObjectId(id),
            }
            record
        }));
    }
    for (number, buffers) in (0..).zip([first, second]) {
        let all = frame(number);
        records.extend(all.first().cloned());
        for id in buffers {
            let index_buffer = Some(IndexBufferId(ObjectId(*id)));
            let draw = Call::DrawTriangles { index_buffer, first_index: 0, num_triangles: 2 };
            records.push(on(CONTEXT, draw, None));
        }
        records.extend(all.iter().rev().take(2).rev().cloned());
    }
    let capture = Capture::new(scene(1).header().clone(), records);
    // The draws end before the frame's last call, which is `present`.
    let draws = |frame: u32, count: usize| capture.frame(frame).unwrap().calls.end - 1 - count;
    let (one, two) = (draws(0, first.len()), draws(1, second.len()));
    let pairs = Inspector::new(capture).same_draws(1).unwrap().unwrap().1;
    (0..second.len()).map(|at| pairs.get(&(two + at)).map(|call| call - one)).collect()
}

#[test]
fn draws_keep_their_order_while_buffers_take_turns() {
    // Buffers rotate: a draw may use a buffer that another draw used in the previous frame.
    assert_eq!(paired(&[5, 6, 7], &[7, 8, 5]), [Some(0), Some(1), Some(2)]);
    // The second frame draws in another order, or uses new objects.
    assert_eq!(paired(&[5, 6], &[6, 5]), [Some(1), Some(0)]);
    assert_eq!(paired(&[5, 6], &[5, 7, 6]), [Some(0), None, Some(1)]);
    assert_eq!(paired(&[5, 6, 7], &[5, 7]), [Some(0), Some(2)]);
}

/// If the stencil test rejects a draw, the scan reports the stencil reference of this and the previous frame.
#[test]
fn a_changed_reference_is_told_with_the_old_one() {
    let insert = |call: usize, other: &str| format!(r#"{{"call": {call}, "insert": {{{other}}}}}"#);
    let stencil = r#""call": "setStencilActions", "triangleFace": "frontAndBack", "compareMode": "equal", "actionOnBothPass": "keep", "actionOnDepthFail": "keep", "actionOnDepthPassStencilFail": "keep""#;
    let reference = |value: u32| {
        format!(
            r#""call": "setStencilReferenceValue", "referenceValue": {value}, "readMask": 255, "writeMask": 255"#
        )
    };
    let edits = [insert(12, stencil), insert(DRAW, &reference(2))];
    let found = found(&edits.join("\n")).0;
    let cause = "1,024 fragments rejected by setStencilActions: equal, with stencil reference 2 and read mask 255; stencil reference is \
        2, read mask 255, write mask 255, in frame 0 0, read mask 255, write mask 255; set by call 12";
    let set = format!(
        " of frame 0: stencil back, stencil front; set by call {} of frame 1: stencil reference",
        DRAW + 1
    );
    assert!(found.iter().any(|it| it.contains(cause) && it.ends_with(&set)), "{found:#?}");
}

#[test]
fn changes_are_written_and_read_as_a_capture() {
    let red = edited(&format!(r#"{{"call": {UPLOAD}, "fragment": "mov oc, fc1"}}"#)).unwrap();
    let bytes = red.write(Vec::new(), Form::Binary).unwrap();
    let again = Capture::read(
        &mut CaptureReader::new(std::io::Cursor::new(bytes)).unwrap(),
        molehill_analysis::CaptureLimits::default(),
    );
    let (mut red, mut whole) = (Inspector::new(again.unwrap()), Inspector::new(scene(3)));
    assert!(red.screen(1).unwrap() != whole.screen(1).unwrap());
    assert_eq!(red.screen(1).unwrap().pixel(20, 20), Some([0, 0, 0, 255]));
    // Some edits delete or change a value, and others are invalid.
    assert_eq!(
        edited(&format!(r#"{{"call": {DRAW}, "delete": true}}"#)).unwrap().call_count(),
        whole.capture().call_count() - 1
    );
    let error = |lines: &str| edited(lines).unwrap_err();
    assert_eq!(
        error(r#"{"call": 9999, "delete": true}"#),
        "edit 1: no call 9999: the capture has calls 1 to 86"
    );
    assert!(
        error(r#"{"call": 4, "fragment": "mov oc, fc0\nmoo oc, fc0"}"#)
            .contains("unknown opcode `moo`")
    );
    assert!(
        error("{\"call\": 5, \"delete\": true}\n{\"call\": 5, \"vertex\": \"x\"}")
            .starts_with("edit 2: call 5 is deleted")
    );
    assert!(error(r#"{"call": 5, "wth": {}}"#).contains("expected one of"));
    assert!(error(r#"{"call": 5, "delete": true, "x": 1}"#).contains("unknown key \"x\""));
    let misspelled = error(&format!(r#"{{"call": {DRAW}, "with": {{"firstIndx": 3}}}}"#));
    assert!(misspelled.ends_with("drawTriangles has no key \"firstIndx\""), "{misspelled}");
    let insert = r#"{"call": "setCulling", "triangleFaceToCull": "none", "x": 1}"#;
    let misspelled = error(&format!(r#"{{"call": {DRAW}, "insert": {insert}}}"#));
    assert!(misspelled.ends_with("setCulling has no key \"x\""), "{misspelled}");
    assert!(error(&format!(r#"{{"call": {DRAW}, "with": {{"indexBuffer": 99}}}}"#)).contains("99"));
    let bad = CaptureEdit {
        call: UPLOAD,
        change: EditChange::Program { vertex: Some("mov op, va0\nmoo".to_owned()), fragment: None },
    };
    let agal = apply(&scene(1), &[bad]).unwrap_err().agal.unwrap();
    assert_eq!((agal.first().line, agal.iter().count()), (2, 1));
    let constant = CaptureEdit {
        call: 6,
        change: EditChange::Constant { stage: Stage::Vertex, first: 0, values: vec![0.0; 4] },
    };
    assert!(
        apply(&scene(1), &[constant]).unwrap_err().message.contains("not a call of a Context3D")
    );
}

#[test]
fn a_vertex_is_stepped_through_as_the_renderer_runs_it() {
    let mut inspector = Inspector::new(scene(2));
    let report = inspector.vertex(DRAW + 3, (1, 0), true).unwrap();
    let steps: Vec<_> = report.steps.iter().map(|step| step.register.as_deref()).collect();
    assert_eq!(steps, [Some("vt0"), Some("op")]);
    assert_eq!(report.steps[1].value, report.vertex.position);
    assert_eq!(report.vertex.position.map(|number| number.0), [0.0, 1.0, 0.5, 1.0]);
    assert!(
        inspector.vertex(DRAW, (77, 0), false).unwrap_err().to_string().contains("no vertex 77")
    );
}

#[test]
fn a_derivative_costs_two_slots() {
    let mut records = opening();
    let calls = records.iter_mut().filter_map(|record| match record {
        CaptureRecord::Call(line) => Some(&mut line.call),
        _ => None,
    });
    for call in calls {
        match call {
            Call::RequestContext3D { profile, .. } => profile.0 = Some(Some("standard".to_owned())),
            Call::ProgramUpload { vertex_program, fragment_program } => {
                let program =
                    |text, stage| ByteArray::from(asm::assemble(text, stage, 2).unwrap().encode());
                *vertex_program = program("mul vt0, va0, vc0\nadd op, vt0, vc1", Stage::Vertex);
                *fragment_program =
                    program("mov ft0, fc0\nddx ft0, ft0\nmov oc, ft0", Stage::Fragment);
            }
            _ => {}
        }
    }
    records.extend(frame(0));
    let mut inspector = Inspector::new(Capture::new(scene(0).header().clone(), records));
    let draws = inspector.cost(0).unwrap().draws;
    assert_eq!((draws[0].fragment_runs, draws[0].slots), (1024, 4 * 2 + 1024 * 4));
}

#[test]
fn costs_are_runs_times_slots() {
    let mut inspector = Inspector::new(scene(2));
    let cost = inspector.cost(1).unwrap();
    let draws: Vec<_> =
        cost.draws.iter().map(|draw| (draw.vertex_runs, draw.fragment_runs, draw.slots)).collect();
    assert_eq!(draws[0], (4, 1024, 4 * 2 + 1024 * 2));
    assert_eq!(cost.programs.len(), 1);
    let runs: u64 = cost.draws.iter().map(|draw| draw.fragment_runs).sum();
    assert_eq!(cost.programs[0].fragment[0].slots, runs);
    let times = molehill_analysis::cost::measure(
        inspector.capture(),
        molehill_reference::ReferenceFactory::default(),
        1,
        |work| {
            work();
            Some(Duration::from_millis(7))
        },
    )
    .unwrap();
    // The measured times include the clear.
    assert_eq!(times.len(), 1 + draws.len());
    assert!(times.iter().all(|time| time.driver == Some(7.0)));
    let text = cost.text(&times);
    assert!(text.contains("mov ft0, fc0") && text.contains("   7.000 "), "{text}");
    // One row has the total of all draws of a pass.
    let all = text.lines().find(|line| line.trim_start().starts_with("all     1 ")).unwrap();
    assert!(all.contains(" 42.000 ") && all.ends_with("  6 draws"), "{all}");
}

#[test]
fn a_histogram_counts_every_pixel() {
    let mut inspector = Inspector::new(scene(2));
    let histogram = inspector.histogram(DRAW, None).unwrap();
    let red = &histogram.channels[0];
    assert_eq!((red.least, red.most, red.mean, red.counts[15]), (255, 255, 255, 1024));
    assert!(histogram.to_string().contains("red: 255 to 255"));
    assert!(inspector.histogram(DRAW, Some(3)).is_err());
}

#[test]
fn lints_are_apart_from_faults() {
    let warnings = Inspector::new(scene(2)).draws(1).unwrap().warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.kind == WarningKind::Redundant && warning.kind.is_lint())
    );
    let report = Inspector::new(scene(2)).draws(1).unwrap();
    let short = report.text(false);
    assert!(short.ends_with("3 redundant calls (--waste lists them)\n"), "{short}");
    let text = report.text(true);
    let (faults, lints) = text.split_once("redundant calls:\n").unwrap();
    assert!(faults.contains("! drawTriangles changes nothing: off-screen"), "{text}");
    assert!(lints.lines().all(|line| line.contains(" set")), "{text}");
    // Warnings with equal names and texts share one line.
    let kinds: std::collections::BTreeSet<_> =
        warnings.iter().map(|warning| (warning.name, &warning.text)).collect();
    assert!(text.lines().filter(|line| line.contains(" set")).count() <= kinds.len(), "{text}");
    assert!(kinds.len() < warnings.len() && lints.contains(" (also call"), "{text}");
}

#[test]
fn a_picture_takes_the_place_of_an_upload() {
    let whole = crate::knot();
    let last = whole.call_count();
    let is_upload = |call: &usize| {
        matches!(
            whole.call(*call).unwrap().1.call,
            Call::TextureUploadFromBitmapData { .. } | Call::TextureUploadFromByteArray { .. }
        )
    };
    let upload = (1..=last).find(is_upload).unwrap();
    let id = whole.call(upload).unwrap().1.on;
    let (_, created) = whole.call(whole.objects()[&id].created).unwrap();
    let Call::CreateTexture { width, height, .. } = created.call else { panic!("{created:?}") };
    let size = [width, height].map(|side| u32::try_from(side).unwrap());
    let orange = [250, 120, 10, 255];
    let picture = |width, height| CaptureEdit {
        call: upload,
        change: EditChange::Picture(RgbaImage::filled(width, height, orange)),
    };
    let changed = apply(&whole, &[picture(size[0], size[1])]).unwrap();
    let mut inspector = Inspector::new(changed);
    let shows = |inspector: &mut Inspector, call: usize| {
        let textures = inspector.textures(call).unwrap_or_default();
        let found =
            textures.into_iter().find(|texture| texture.id == Some(id) && texture.level == 0);
        found.map(|texture| texture.image.pixel(size[0] / 2, size[1] / 2))
    };
    let shown = (upload..=last).find_map(|call| shows(&mut inspector, call));
    assert_eq!(shown, Some(Some(orange)));
    let error = apply(&whole, &[picture(3, 5)]).unwrap_err();
    assert!(error.message.starts_with("the image is 3×5, but the upload is "), "{error}");
    let error = apply(&whole, &[CaptureEdit { call: 2, ..picture(1, 1) }]).unwrap_err();
    assert!(error.message.ends_with("doesn't upload an image"), "{error}");
}
