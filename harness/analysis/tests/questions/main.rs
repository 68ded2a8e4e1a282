//! Tests all reports on a small scene with known results, and on the demo.

mod causes;
mod edits;
mod evidence;
mod faults;
mod habits;
mod notes;
mod origins;
mod parts;
mod room;
mod scene;

use molehill_analysis::draws::DrawReport;
use molehill_analysis::warnings::WarningKind;
use molehill_analysis::{Capture, CaptureLimits, InspectError, Inspector, trim};
use molehill_capture::{Call, CaptureReader, CaptureRecord, Form};
use molehill_reference::RasterOptions;

use scene::{CONTEXT, SIDE, culling, draw, frame, knot, name, on, opening, scene};

fn draws(inspector: &mut Inspector, frame: u32) -> Vec<DrawReport> {
    let report = inspector.draws(frame).unwrap();
    report.passes.into_iter().flat_map(|pass| pass.draws).collect()
}

#[test]
fn calls_are_listed_with_passes_names_and_errors() {
    let mut records: Vec<CaptureRecord> = opening();
    records.extend(frame(0));
    // A draw that lacks a vertex stream is skipped, and an unknown enum name raises an error.
    records.push(on(
        CONTEXT,
        Call::SetVertexBufferAt {
            index: 0,
            buffer: None,
            buffer_offset: 0,
            format: name("float2"),
        },
        None,
    ));
    records.extend(draw([1.0; 2], [0.0; 3], [1.0; 3]));
    records.push(culling("sideways"));
    let inspector = Inspector::new(Capture::new(scene(1).header().clone(), records));
    let last = inspector.capture().call_count();
    let lines = inspector.dump(1..=last).unwrap();
    let text = |call: usize| lines[call - 1].to_string();
    assert_eq!(
        text(5),
        "     5  0.0  context#2.createVertexBuffer(numVertices: 4, data32PerVertex: 2, bufferUsage: staticDraw) -> vertices#4 \"4 vertices of 2\""
    );
    assert_eq!(
        text(16),
        "    16  0.1  context#2.drawTriangles(indexBuffer: indices#5, firstIndex: 0, numTriangles: -1)"
    );
    assert!(text(14).contains("[1 1 1 1 0 0 0.9 0]"), "{}", text(14));
    let skipped = &lines[last - 2];
    assert!(skipped.failure.as_deref().unwrap().starts_with("skipped"), "{skipped}");
    assert!(text(last).contains("! ArgumentError: Error #2008"), "{}", text(last));
    assert_eq!(inspector.passes(0).unwrap().len(), 1);
    let objects = inspector.objects().unwrap();
    let vertices = objects.iter().find(|used| used.object.starts_with("vertices#4")).unwrap();
    assert_eq!((vertices.bytes, vertices.uploads, vertices.draws, vertices.created), (32, 1, 6, 5));
}

#[test]
fn draws_tell_what_became_of_every_fragment() {
    let mut inspector = Inspector::new(scene(2));
    let draws = draws(&mut inspector, 1);
    let counts: Vec<[u64; 8]> = draws
        .iter()
        .map(|d| {
            [
                d.triangles,
                d.shaded,
                d.kept,
                d.scissor,
                d.depth,
                d.culled,
                d.off_screen_triangles,
                d.changed,
            ]
        })
        .collect();
    let expected = [
        [2, 1024, 1024, 0, 0, 0, 0, 1024],
        [2, 512, 512, 0, 0, 0, 0, 512],
        [2, 512, 512, 0, 512, 0, 0, 512],
        [2, 0, 0, 0, 0, 0, 2, 0],
        [2, 0, 0, 0, 0, 1024, 0, 0],
        [2, 64, 64, 960, 0, 0, 0, 64],
    ];
    assert_eq!(
        counts, expected,
        "triangles, shaded, kept, scissor, depth, culled, off-screen, changed"
    );
    assert_eq!(draws[1].bounds, Some([0, 0, 16, 32]));
    assert_eq!(draws[5].bounds, Some([0, 0, 8, 8]));
    let warnings = inspector.draws(1).unwrap().warnings;
    let of = |kind| {
        warnings.iter().filter(|w| w.kind == kind).map(|w| w.text.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(WarningKind::DrawWithoutEffect),
        [
            "changes nothing: off-screen, on the right (x > w)",
            "changes nothing: setCulling(frontAndBack) culls all 2 triangles (1,024 fragments)"
        ]
    );
    // The redundant calls are one `setCulling`, and two that set the constants of the previous draw again.
    assert_eq!(of(WarningKind::Redundant).len(), 3);
    assert_eq!(of(WarningKind::NeverUsed), [""; 0]);
}

#[test]
fn pictures_of_draws_are_those_of_the_replay() {
    let mut inspector = Inspector::new(knot());
    let mut seen = Vec::new();
    let report = inspector.draws_with_pictures(1, &mut |draw, pictures| {
        seen.push((draw.clone(), pictures));
        Ok(())
    });
    let report = report.unwrap();
    assert!(report.passes.len() >= 2, "{report:?}");
    assert!(report.passes[0].targets[0].starts_with("texture#"), "{:?}", report.passes[0].targets);
    assert!(seen.len() >= 4);
    for (draw, pictures) in &seen {
        let whole = inspector.picture(draw.call).unwrap();
        assert!(
            whole.as_ref() == pictures.after.first().map(|image| &**image),
            "call {}",
            draw.call
        );
        let changes = pictures.before.first() != pictures.after.first();
        assert!(!changes || draw.changed > 0, "{draw:?}");
        let rejected: u64 = draw.rejected().iter().map(|(count, _)| count).sum();
        assert!(draw.kept + rejected > 0 && draw.shaded >= draw.kept + draw.kil, "{draw:?}");
    }
    // Inspecting a single draw on one thread gives the same result as inspecting the whole frame.
    let (draw, pictures) = seen.swap_remove(seen.len() / 2);
    let one = RasterOptions { threads: std::num::NonZeroUsize::new(1), ..RasterOptions::default() };
    let mut alone = Inspector::with_options(knot(), one);
    let (again, same) = alone.draw_pictures(draw.call).unwrap();
    assert_eq!(again, draw);
    assert!(
        same.after == pictures.after
            && same.overdraw == pictures.overdraw
            && same.depth == pictures.depth
    );
}

#[test]
fn a_pixel_tells_its_history_and_steps_its_program() {
    let mut inspector = Inspector::new(scene(2));
    let history = inspector.pixel(1, (4, 20)).unwrap();
    let outcomes: Vec<(&str, Vec<&str>)> = history
        .events
        .iter()
        .map(|event| (event.name, event.fragments.iter().map(|f| f.outcome).collect()))
        .collect();
    let draw = "drawTriangles";
    let expected = [
        ("clear", vec![]),
        (draw, vec!["kept"]),
        (draw, vec!["kept"]),
        (draw, vec!["depth"]),
        (draw, vec!["culled"]),
        (draw, vec!["scissor"]),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(history.shown, [0, 255, 0, 255]);
    assert_eq!(history.events[0].after, [51, 51, 51, 255]);
    assert_eq!(history.events[0].before, None);
    assert_eq!(history.events[2].before, Some([255, 0, 0, 255]));
    let depths = |event: usize| history.events[event].fragments[0].depth.is_some();
    assert!(depths(2) && depths(3) && !depths(4) && !depths(5));
    let [(depth, _), _] = history.events[3].fragments[0].stored.unwrap();
    assert!((depth - 0.5).abs() < 1e-6, "{depth}");

    let call = history.events[2].call;
    let report = inspector.step(1, (4, 20), call, None).unwrap();
    let steps: Vec<(u32, Option<&str>)> =
        report.steps.iter().map(|step| (step.token, step.register.as_deref())).collect();
    assert_eq!(steps, [(1, Some("ft0")), (2, Some("oc"))]);
    let value: Vec<f32> = report.steps[1].value.iter().map(|number| number.0).collect();
    assert_eq!(value, [0.0, 1.0, 0.0, 1.0]);
    let positions: Vec<[f32; 4]> =
        report.vertices.iter().map(|v| v.position.map(|n| n.0)).collect();
    assert_eq!(positions.len(), 3);
    assert_eq!(positions[0], [-1.0, 1.0, 0.5, 1.0]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["steps"][0]["register"], "ft0");
    assert_eq!(json["fragment"]["outcome"], "kept");
}

#[test]
fn state_is_told_with_what_changed() {
    let mut inspector = Inspector::new(knot());
    let last = draws(&mut inspector, 1).last().unwrap().call;
    let state = inspector.state(last).unwrap();
    let value = |area: &str, name: &str| {
        let row = state.rows.iter().find(|row| row.area.name() == area && row.name == name);
        row.map(|row| row.value.as_str())
    };
    assert_eq!(
        value("targets", "output 0"),
        Some("back buffer 640×400, depth and stencil, 4 samples")
    );
    assert!(value("streams", "va0").unwrap().starts_with("vertices#"), "{:?}", state.rows);
    assert!(value("raster", "blend").is_some() && value("constants", "vc0").is_some());
    assert!(state.compared_with.is_some_and(|before| before < last));
    assert!(state.rows.iter().any(|row| row.before.is_some()));
    assert!(state.rows.iter().any(|row| row.before.is_none()));
    let program = state.program.unwrap();
    assert!(
        program.agal.iter().all(|text| text.contains(" oc") || text.contains(" op")),
        "{program:?}"
    );
    assert!(program.glsl.iter().all(|text| text.starts_with("#version 330")), "{program:?}");

    let textures = inspector.textures(last).unwrap();
    let mesh = inspector.mesh(last).unwrap();
    assert!(!mesh.triangles.is_empty());
    let most = mesh.triangles.iter().flatten().max().copied().unwrap();
    assert!((most as usize) < mesh.vertices.len());
    assert_eq!(mesh.obj(true).matches("\nf ").count(), mesh.triangles.len());
    assert!(mesh.obj(false).contains("va0"));
    for texture in &textures {
        let side = (texture.image.width(), texture.image.height());
        assert!(side.0 > 0 && side.1 > 0);
    }
}

#[test]
fn wrong_questions_have_clear_answers() {
    let mut inspector = Inspector::new(scene(2));
    let last = inspector.capture().call_count();
    let error = |error: InspectError| error.to_string();
    assert_eq!(
        error(inspector.dump(0..=1).unwrap_err()),
        format!("no call 0: the capture has calls 1 to {last}")
    );
    assert!(matches!(inspector.dump(1..=last + 1), Err(InspectError::NoCall { .. })));
    let (first, second) = (3, 2);
    assert!(matches!(inspector.dump(first..=second), Err(InspectError::EmptyRange)));
    assert!(matches!(inspector.state(usize::MAX), Err(InspectError::NoCall { .. })));
    assert!(matches!(inspector.draw_pictures(1), Err(InspectError::NotADraw(1))));
    assert!(matches!(inspector.mesh(last), Err(InspectError::NotADraw(_))));
    assert_eq!(error(inspector.draws(2).unwrap_err()), "no frame 2: the capture has frames 0 to 1");
    assert_eq!(
        error(inspector.pixel(0, (SIDE, 0)).unwrap_err()),
        "no pixel 32,0: the image is 32×32"
    );
    let draw = draws(&mut inspector, 0)[0].call;
    assert!(matches!(
        inspector.step(0, (0, 0), draw, Some(9)),
        Err(InspectError::NoFragment { fragments: 1, .. })
    ));
    assert!(matches!(trim(&mut inspector, 1, 0), Err(InspectError::EmptyRange)));
    assert!(matches!(trim(&mut inspector, 0, 7), Err(InspectError::NoFrame { .. })));
    let cut: &[u8] = &include_bytes!("../../../captures/knot.s3d.jsonl")[..4000];
    let capture =
        Capture::read(&mut CaptureReader::new(cut).unwrap(), CaptureLimits::default()).unwrap();
    assert!(capture.failure().is_some() && capture.call_count() > 0);
    let small = CaptureLimits { bytes: 100, ..CaptureLimits::default() };
    assert!(matches!(
        Capture::read(&mut CaptureReader::new(cut).unwrap(), small),
        Err(InspectError::TooLarge(100))
    ));
}

#[test]
fn a_part_of_the_demo_draws_the_same() {
    let mut whole = Inspector::new(knot());
    let part = trim(&mut whole, 1, 1).unwrap();
    let bytes = |capture: &Capture| capture.write(Vec::new(), Form::Binary).unwrap().len();
    assert!(bytes(&part.capture) <= bytes(whole.capture()));
    let mut part = Inspector::new(part.capture);
    assert_eq!(part.capture().frames().len(), 1);
    assert!(part.screen(1).unwrap() == whole.screen(1).unwrap());
}

#[test]
fn an_inspector_moves_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&Inspector::new(scene(1)));
}
