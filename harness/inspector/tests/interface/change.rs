//! Tests marker regions, anomalies, edits of the capture, and costs.

use std::path::PathBuf;

use eframe::egui::{Event, Key, Modifiers, Shape};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use molehill_analysis::{Capture, CaptureLimits, edit};
use molehill_capture::{CaptureReader, Form};
use molehill_inspector::app::RemoteRequest;
use molehill_inspector::source::CaptureSource;
use molehill_inspector::worker::QuestionRole;
use molehill_replay::image::{RgbaImage, write_png};

use crate::window::{Window, first_frames, first_lines};

/// Returns the first frames of the demo. `change` replaces each line, given its number.
fn demo(mut change: impl FnMut(usize, &str) -> Vec<String>) -> Vec<u8> {
    let demo = first_lines();
    let lines = demo.iter().enumerate();
    let lines: Vec<String> = lines.flat_map(|(number, line)| change(number, line)).collect();
    lines.join("\n").into_bytes()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Returns the labels in the list of draws from top to bottom.
fn rows(window: &Window) -> Vec<String> {
    let buttons = window.harness.query_all_by_role(eframe::egui::accesskit::Role::Button);
    let rows = buttons.filter(|row| row.rect().right() < 300.0 && row.rect().width() > 100.0);
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|one, two| one.rect().top().total_cmp(&two.rect().top()));
    rows.iter().filter_map(|row| row.accesskit_node().label()).collect()
}

#[test]
fn draws_are_grouped_by_markers_and_the_groups_fold() {
    // Each frame has a marker region around all its calls, and a nested region around the pass into its texture.
    let mut first = true;
    let bytes = demo(|number, line| {
        let line = line.replace("{\"stage3dCapture\":1", "{\"stage3dCapture\":3");
        let note = |text: &str| format!("{{\"note\":{text}}}");
        let begins = std::mem::replace(&mut first, line.contains("\"frame\":")) && number > 0;
        if line.contains("\"setRenderToTexture\"") {
            return vec![note("\"begin\",\"text\":\"Mirror\""), line];
        }
        if line.contains("\"setRenderToBackBuffer\"") {
            return vec![line, note("\"end\"")];
        }
        if begins { vec![note("\"begin\",\"text\":\"World\""), line] } else { vec![line] }
    });
    let mut window = Window::new();
    window.open("parts.s3d.jsonl", bytes, "#frame=3&draw=1");
    let all = rows(&window);
    assert!(all[0].starts_with("World  (6 draws, "), "{all:?}");
    assert!(all[1].starts_with("Mirror  (") && all[2].starts_with("Clear #"), "{all:?}");
    window.check("groups");
    // The shortcut collapses and expands the innermost marker region.
    let selected = window.remote.status().fragment;
    window.press(Key::G);
    let folded = rows(&window);
    assert!(folded.len() < all.len() && folded[1].starts_with("Mirror"), "{folded:?}");
    assert_eq!(window.press(Key::G).fragment, selected, "the selection stays");
    assert_eq!(rows(&window), all);
    // The Enter key collapses the outer region, like a click. The region stays collapsed in the next frame.
    window.harness.get_by_label(&all[0]).focus();
    window.press(Key::Enter);
    assert_eq!(rows(&window).len(), 1, "{:?}", rows(&window));
    window.press(Key::Escape);
    window.press(Key::ArrowRight);
    assert!(rows(&window)[0].starts_with("World"), "{:?}", rows(&window));
}

#[test]
fn a_dropped_draw_is_listed_where_it_was_called() {
    let mut draws = 0;
    let bytes = demo(|_, line| {
        draws += u32::from(line.contains("\"drawTriangles\""));
        let second = draws == 2 && line.contains("\"drawTriangles\"");
        let more = line.replace("\"numTriangles\":-1", "\"numTriangles\":99999");
        assert!(!second || more != line, "{line}");
        vec![if second { more } else { line.to_owned() }]
    });
    let mut window = Window::new();
    window.open("dropped.s3d.jsonl", bytes, "#frame=0");
    let rows = rows(&window);
    let dropped = rows.iter().position(|row| row.starts_with("Not drawn: error 3603 #"));
    let dropped = dropped.unwrap_or_else(|| panic!("{rows:?}"));
    let call = |row: &str| row.rsplit_once('#').and_then(|(_, call)| call.parse::<usize>().ok());
    let around = [dropped - 1, dropped, dropped + 1].map(|at| call(&rows[at]));
    assert!(around.is_sorted() && around[0].is_some(), "{rows:?}");
    let label = rows[dropped].clone();
    window.harness.get_by_label(&label).focus();
    assert_eq!(window.press(Key::Enter).fragment, format!("#frame=0&call={}", around[1].unwrap()));
}

#[test]
fn a_number_of_a_million_is_whole_in_the_list() {
    let bytes = demo(|_, line| {
        let size = ["stage3dCapture", "configureBackBuffer"].iter().any(|it| line.contains(it));
        let large = |line: &str| line.replace("320", "1600").replace("200", "1000");
        vec![if size { large(line) } else { line.to_owned() }]
    });
    let mut window = Window::new();
    window.open("large.s3d.jsonl", bytes, "#frame=0");
    let shapes = window.harness.output().shapes.iter();
    let numbers = shapes.filter_map(|clipped| match &clipped.shape {
        Shape::Text(text) if text.galley.text().matches(',').count() == 2 => {
            Some(clipped.clip_rect.contains_rect(text.visual_bounding_rect()))
        }
        _ => None,
    });
    let numbers: Vec<bool> = numbers.collect();
    assert!(!numbers.is_empty() && numbers.iter().all(|whole| *whole), "{numbers:?}");
}

#[test]
fn a_call_tells_its_stack_and_its_markers() {
    let mut draws = 0;
    let bytes = demo(|_, line| {
        let line = line.replace("{\"stage3dCapture\":1", "{\"stage3dCapture\":3");
        draws += u32::from(line.contains("\"drawTriangles\""));
        if draws != 1 || !line.contains("\"drawTriangles\"") {
            return vec![line];
        }
        let stack =
            "{\"note\":\"stack\",\"number\":0,\"functions\":[\"Mesh/draw()\",\"Game/tick()\"]}";
        let begin = "{\"note\":\"begin\",\"text\":\"World\"}";
        let line = format!("{},\"stack\":0}}", line.trim_end().trim_end_matches('}'));
        vec![stack.to_owned(), begin.to_owned(), line]
    });
    let mut window = Window::new();
    window.open("stacks.s3d.jsonl", bytes, "#frame=0&draw=1");
    assert!(window.shows("at Game/tick()"), "the State tab has the whole stack");
    window.click("Programs");
    window.click("Calls");
    assert!(window.shows("at Mesh/draw()") && window.shows("at Game/tick()"));
    assert!(window.shows("World"));
}

#[test]
fn the_scan_finds_the_frame_in_which_a_draw_vanishes() {
    let mut frame = 0;
    let bytes = demo(|_, line| {
        let hides = frame == 3 && line.contains("\"setCulling\"");
        frame += u32::from(line.contains("\"frame\":"));
        vec![if hides { line.replace("\"front\"", "\"frontAndBack\"") } else { line.to_owned() }]
    });
    let mut window = Window::new();
    window.open("culled.s3d.jsonl", bytes, "#frame=0");
    window.click("Find anomalies");
    assert!(window.shows("Anomalies of all frames") && window.shows("has 0 passed fragments"));
    assert!(window.shows("Stands out: 1"), "the button tells how many");
    window.click("Frame 3");
    let found = window.remote.status().fragment;
    assert!(found.starts_with("#frame=3&call="), "{found}");
    // The button for the next anomaly also selects its draw, and shows the reason.
    window.press(Key::Home);
    window.click("State");
    let left = |window: &Window| window.harness.get_by_label("Stands out: 1").rect().left();
    let before = left(&window);
    assert_eq!(window.click("Stands out: 1").fragment, found);
    assert_eq!(left(&window), before, "it stays under the pointer");
    assert!(window.shows("has 0 passed fragments"));
    // Hovering the frame in the timeline also shows the reason for the anomaly.
    let strip = window.harness.query_all_by_label("Timeline").next().expect("it").rect();
    let frames = 8.0;
    let x = strip.left() + strip.width() * 3.5 / frames;
    window.harness.hover_at(eframe::egui::Pos2::new(x, strip.center().y));
    window.harness.run_steps(4);
    let reasons = window.harness.query_all_by_label_contains("has 0 passed fragments").count();
    assert!(reasons > 1, "in the list and at the pointer: {reasons}");
    window.look("outliers");
}

#[test]
fn the_outliers_of_a_frame_are_folded_if_there_are_many() {
    let (mut frame, mut draw) = (0, 0);
    // Each draw gets a different scissor rectangle, because draws with the same cause are merged into one anomaly.
    let bytes = demo(|_, line| {
        frame += u32::from(line.contains("\"frame\":"));
        let draws = frame == 3 && line.contains("\"drawTriangles\"");
        draw += u32::from(draws);
        let scissor = format!(
            "{{\"call\":\"setScissorRectangle\",\"on\":2,\"rectangle\":\
             {{\"x\":{draw},\"y\":1,\"width\":2,\"height\":2}}}}"
        );
        let before = draws.then_some(scissor).into_iter();
        before.chain([line.to_owned()]).collect()
    });
    let mut window = Window::new();
    window.open("scissor.s3d.jsonl", bytes, "#frame=0");
    window.click("Find anomalies");
    assert!(window.shows(" more in frame 3"), "one frame does not fill the list");
    // The list shows three draws, then the anomaly of the whole frame.
    assert_eq!(window.harness.query_all_by_label("Frame 3").count(), 4);
}

#[test]
fn a_program_is_changed_while_typing() {
    let mut window = Window::with_demo("#frame=3&draw=4");
    window.click("Programs");
    window.click("Edit AGAL");
    let write = |window: &mut Window, text: &str| {
        window.harness.get_by_label("AGAL, fragment program").focus();
        window.settle();
        window.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.harness.event(Event::Text(text.to_owned()));
        window.settle()
    };
    let status = write(&mut window, "mov ft0, v0\nmvo oc, ft0\n");
    assert!(window.shows("2:1: unknown opcode `mvo`"));
    assert_eq!(status.compared.as_deref(), Some("equal"), "nothing is drawn with an error");
    window.look("edit-error");
    let status = write(&mut window, "mov oc, fc0.xxxx\n");
    assert!(status.compared.expect("compared").ends_with("pixels differ"));
    assert!(window.shows("Before") && window.shows("After"), "side by side");
    assert!(!window.shows("unknown opcode"));
    window.check("edit");
    window.click("Remove");
    assert!(window.shows("There are no changes yet") && window.shows("Target"));
}

#[test]
fn values_and_uploads_are_changed_and_saved() {
    let folder = folder("changed");
    let recent = folder.join("state/recent");
    let capture = folder.join("knot.s3d.jsonl");
    std::fs::write(&capture, first_frames()).expect("written");
    std::fs::create_dir_all(folder.join("state")).expect("a folder");
    std::fs::write(&recent, capture.display().to_string()).expect("written");
    let mut window = Window::new();
    window.app().set_recent_file(recent);
    window.open("knot.s3d.jsonl", first_frames(), "#frame=3&draw=4");
    // The first value with an edit button is the culled face.
    window.click("edit");
    window.harness.query_all_by_value("back").next().expect("the choice").click();
    window.settle();
    window.click("front");
    let status = window.settle();
    assert!(status.compared.expect("compared").ends_with("pixels differ"));
    // Replaces the image of an upload by a file, chosen by its path.
    let picture = folder.join("red.png");
    window.click("Textures");
    let size = window.harness.query_all_by_label_contains("level 0: ").next().expect("a size");
    let size = size.accesskit_node().value().expect("a label");
    let size = size.rsplit(' ').next().and_then(|size| size.split_once('×')).expect("a size");
    let [width, height] = [size.0, size.1].map(|side| side.parse().expect("a number"));
    write_png(&picture, &RgbaImage::filled(width, height, [255, 0, 0, 255])).expect("written");
    window.click("Replace");
    window.click("Choose an image…");
    window.click("red.png");
    assert!(window.shows("png") && window.remote.status().error.is_none());
    window.look("edit-values");

    window.harness.get_by_label("Save to").focus();
    window.settle();
    window.harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.harness.event(Event::Text(folder.join("changed").display().to_string()));
    window.settle();
    for (button, name) in [("Changes (.jsonl)", "changed.jsonl"), ("Capture (.s3d)", "changed.s3d")]
    {
        let error = window.click(button).error.expect("a message");
        assert!(error.ends_with(": saved") && error.contains(name), "{error}");
        let error = window.click(button).error.expect("a message");
        assert!(!error.ends_with(": saved"), "a file that exists is kept: {error}");
    }
    let open = |path: &PathBuf| {
        Capture::open(CaptureReader::open(path).expect("read"), CaptureLimits::default())
            .expect("a capture")
    };
    let text = std::fs::read_to_string(folder.join("changed.jsonl")).expect("text");
    assert!(text.contains("setCulling") && text.contains("red.png"), "{text}");
    let edits =
        edit::parse(&open(&capture), &text, &mut |path| std::fs::read(path)).expect("changes");
    let expected = edit::apply(&open(&capture), &edits).expect("applied");
    let saved = open(&folder.join("changed.s3d"));
    let lines = |capture: &Capture| {
        capture.write(Vec::new(), molehill_capture::Form::Lines).expect("written")
    };
    assert_eq!(lines(&saved), lines(&expected));
}

#[test]
fn the_chart_shows_what_draws_cost_and_selects_them() {
    let mut window = Window::with_demo("#frame=3");
    window.click("Time");
    assert!(window.shows("instruction slots, 100.0 %") && window.shows("Modelled: "));
    window.check("time");
    let status = window.click_in("Flame chart", 0.5, 0.85);
    assert!(status.fragment.contains("&call="), "{status:?}");
    assert!(!window.shows(", 100.0 %") && window.shows("instruction slots, "));
    for (kind, what) in [("Call", "Measured on this machine"), ("Finish", "Measured on this")] {
        window.click(kind);
        assert!(window.shows(what) && window.shows(" ms, "), "{kind}");
    }
    window.click("Programs");
    assert!(window.shows("share of the frame's modelled cost"));
}

/// Returns a capture of a scene with an edit of all frames, and the path of the unedited scene's image.
fn wrong_scene(name: &str, fault: &str) -> (Vec<u8>, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../captures/scenes").join(name);
    let mut reader = CaptureReader::open(&folder.join("capture.s3d.jsonl.zst")).expect("a capture");
    let right = Capture::read(&mut reader, CaptureLimits::default()).expect("a capture");
    let edits = edit::parse(&right, fault, &mut |path| std::fs::read(path)).expect("changes");
    let wrong = edit::apply(&right, &edits).expect("a changed capture");
    (wrong.write(Vec::new(), Form::Binary).expect("bytes"), folder.join("expected.png"))
}

#[test]
fn wrong_pixels_are_listed_by_draw_explained_and_mended() {
    let fault = r#"{"match": "setCulling", "with": {"triangleFaceToCull": "front"}}"#;
    let (bytes, picture) = wrong_scene("api.culling.back", fault);
    let mut window = Window::new();
    window.open("wrong.s3d", bytes, "#frame=0&draw=1");
    assert!(!window.shows("Wrong"));
    window.remote.send(RemoteRequest::Open(QuestionRole::Baseline, CaptureSource::File(picture)));
    window.settle();
    for text in ["Wrong", "wrong pixels", "Regions", "Draws", "Largest difference at"] {
        assert!(window.shows(text), "{text}");
    }
    window.check("wrong");
    window.click("Explain");
    let begin = std::time::Instant::now();
    while !window.shows("then 0 pixels differ") || window.shows("Cancel") {
        assert!(begin.elapsed() < crate::window::PATIENCE, "no explanation");
        window.settle();
    }
    assert!(window.shows("setCulling(triangleFaceToCull: front → back)"));
    let buttons = window.harness.query_all_by_label("Apply and compare");
    buttons.into_iter().next().expect("a button").click();
    let status = window.settle();
    assert!(window.shows("At") && window.shows("triangleFaceToCull"), "the Edit tab");
    assert!(status.compared.expect("compared").ends_with("pixels differ"));
    window.click("Compare");
    assert!(window.shows("the edited capture"));
}
