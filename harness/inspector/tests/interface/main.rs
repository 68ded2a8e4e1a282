//! Tests of the user interface without a display: clicks, key presses, and the result. Images are painted on an
//! offscreen OpenGL context and compared with those in `tests/pictures`; `MOLEHILL_BLESS=1` writes new images.

mod change;
mod open;
mod place;
mod screen;
mod shrink;
mod start;
mod window;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use eframe::egui::{Context, Event, Key, Modifiers, ViewportCommand};
use egui_kittest::kittest::Queryable as _;
use molehill_inspector::app::RemoteRequest;
use molehill_inspector::gl::EguiGl;
use molehill_inspector::source::CaptureSource;
use molehill_inspector::worker::QuestionRole;
use molehill_replay::image::{RgbaImage, write_png};

use window::{PATIENCE, Window, first_frames, first_lines};

#[test]
fn a_capture_is_opened() {
    let mut window = Window::with_demo("");
    let status = window.remote.status();
    assert!(status.open && status.error.is_none(), "{status:?}");
    assert_eq!(status.fragment, "#frame=0");
    assert!(window.shows("6 draws"));
    window.press(Key::ArrowRight);
    assert_eq!(window.press(Key::ArrowRight).fragment, "#frame=2");
    window.check("frame");
    assert_eq!(window.press(Key::ArrowLeft).fragment, "#frame=1");
    assert_eq!(window.press(Key::Home).fragment, "#frame=0");
}

#[test]
fn a_capture_is_played() {
    let mut window = Window::with_all_frames();
    window.harness.key_press(Key::Space);
    let end = Instant::now() + PATIENCE;
    while window.remote.status().fragment != "#frame=5" {
        assert!(Instant::now() < end, "it plays");
        window.harness.step();
    }
    window.harness.key_press(Key::Space);
    let status = window.settle();
    window.harness.run_steps(20);
    assert_eq!(window.settle().fragment, status.fragment, "it stands");
}

#[test]
fn a_draw_shows_what_is_bound() {
    let mut window = Window::with_demo("#frame=1");
    assert_eq!(
        window.press(Key::Period).fragment,
        "#frame=2&call=224",
        "the next draw is in the next frame"
    );
    assert!(window.press(Key::Comma).fragment.starts_with("#frame=1&call="));
    window.follow("#frame=2&draw=4");
    assert!(window.shows("Raster state"));
    assert!(window.shows("Same draw, frame before"));
    window.check("draw");
    assert!(!window.shows("Textures  ("), "the same draw has the same textures");
    window.click("Draw before");
    assert!(window.shows("Textures  ("), "the draw before has others");
    window.click("Programs");
    assert!(window.shows("AGAL") && window.shows("GLSL"));
    window.check("programs");
    window.click("Textures");
    assert!(window.shows("level 0"));
    window.click("Mesh");
    assert!(window.shows("vertices,"));
    window.check("mesh");
    window.click("0");
    assert!(window.shows("vertex 0 of instance 0") && window.shows("Registers"));
    window.click("To start");
    assert!(window.shows("0 of "));
    window.click("Back to the mesh");
    assert!(window.shows("vertices,"));
    window.click("Changed");
    window.click("Overdraw");
    window.click("Warnings");
    assert_eq!(window.press(Key::Escape).fragment, "#frame=2");
}

#[test]
fn a_pixel_tells_its_history_and_its_program_is_stepped() {
    let mut window = Window::with_demo("#frame=2");
    let status = window.click_in("Stage", 0.5, 0.5);
    assert!(
        ["160,100", "159,99", "160,99"].iter().any(|at| status.fragment.ends_with(at)),
        "{status:?}"
    );
    assert!(status.events >= 3, "{status:?}");
    assert!(window.shows("kept"));
    window.check("pixel");
    let status = window.click("Step");
    assert!(status.fragment.ends_with("&step"), "{status:?}");
    assert!(window.shows("Registers"));
    window.click("To start");
    assert!(window.shows("0 of "));
    window.click("Next instruction");
    assert!(window.shows("1 of "));
    window.check("step");
    window.click("Back to pixel history");
    assert!(window.shows("kept"));
}

/// The last part of a pixel history's title, for a pixel of the first texture to which frame 3 renders.
const TEXTURE_TITLE: &str = " of texture#17 \"256×256 bgra\" at the end of frame 3";

#[test]
fn a_click_selects_a_pixel_of_the_target_of_any_call() {
    let mut window = Window::with_demo("");
    // Calls of setRenderToTexture, setBlendFactors and setRenderToBackBuffer; true if the target is the texture.
    for (call, in_texture) in [(295, true), (303, true), (324, false)] {
        window.follow(&format!("#call={call}"));
        let status = window.click_in("Target", 0.5, 0.5);
        assert_eq!(window.shows(TEXTURE_TITLE), in_texture, "call {call}");
        let fragment = format!("#frame=3&call={call}");
        assert!(status.fragment.starts_with(&fragment), "{status:?}");
        assert_eq!(status.fragment.contains("&at="), !in_texture, "{status:?}");
    }
}

#[test]
fn a_texel_of_a_render_target_tells_its_history() {
    // Call 307 draws a knot-shaped mesh into texture#17, after a clear. The lower end of that mesh covers the texel
    // (128, 220).
    let (x, y) = (128.0, 220.0);
    let mut window = Window::with_demo("#frame=3&draw=1");
    let title = TEXTURE_TITLE;
    for picture in ["After", "Before", "Changed"] {
        window.click("State");
        window.click(picture);
        let status = window.click_texel("Target", 256.0, x, y);
        assert_eq!(status.events, 2, "{picture}: {status:?}");
        assert_eq!(status.fragment, "#frame=3&call=307", "{picture}");
        assert!(window.shows(title), "{picture}");
        assert!(window.shows("events since the start of frame 3"));
    }
    let status = window.click("Step");
    assert!(status.fragment.ends_with("&step"), "{status:?}");
    assert!(window.shows(", pixel ") && window.shows("of texture#17"));
    assert!(window.shows("Registers"));
    // The link to the debug step selects the same texel.
    window.click("Back to pixel history");
    assert!(window.shows("kept"));
    window.press(Key::Home);
    assert_eq!(window.follow(&status.fragment).fragment, status.fragment);
    assert!(window.shows("of texture#17") && window.shows("Registers"));

    // Call 345 samples texture#17 and an uploaded texture.
    window.click("Back to pixel history");
    window.follow("#call=345");
    window.click("Textures");
    assert!(window.shows("texture#10") && !window.shows("Click: texel history"));
    window.click_in("Texture", 0.5, 0.5);
    assert!(!window.shows(title), "an upload has no history of draws");
    window.click("fs1");
    window.harness.remove_cursor();
    window.settle();
    assert!(window.shows("Click: texel history"));
    let status = window.click_texel("Texture", 256.0, x, y);
    assert!(window.shows(title) && window.shows("kept"));
    assert_eq!(status.events, 2, "{status:?}");
    assert_eq!(status.fragment, "#frame=3&call=345");
    // After Escape, a click on the stage shows the history of a stage pixel instead of a texel.
    window.press(Key::Escape);
    let status = window.click_in("Stage", 0.5, 0.5);
    assert!(status.fragment.contains("&at="), "{status:?}");
    assert!(!window.shows(title) && window.shows("of frame 3"));
}

#[test]
fn an_address_reaches_a_step() {
    let window = Window::with_demo("#frame=1&draw=5&at=160,100&step");
    let status = window.remote.status();
    assert!(status.fragment.ends_with("&at=160,100&step"), "{status:?}");
    assert!(window.shows("Registers"));
}

#[test]
fn a_place_that_the_capture_lacks_is_told() {
    let mut window = Window::with_demo("#frame=last");
    assert_eq!(window.remote.status().fragment, "#frame=7");
    for (address, error) in [
        ("#frame=99", "no frame 99"),
        ("#call=99999", "no call 99999"),
        ("#frame=3&draw=9", "no draw 9: frame 3 has 6 draws"),
    ] {
        let told = window.follow(address).unopened.expect(address);
        assert!(told.starts_with(error), "{address}: {told}");
    }
    assert_eq!(window.follow("#call=last").fragment, "#frame=7&call=708");
}

#[test]
fn calls_are_searched() {
    let mut window = Window::with_all_frames();
    window.click("Calls");
    assert!(window.shows("4,028 calls"));
    window.harness.get_by_label("Search").focus();
    window.settle();
    window.harness.event(Event::Text("setScissor".to_owned()));
    window.settle();
    assert!(window.shows("0 of 4,028 calls"));
    window.press(Key::Backspace);
    let field = window.harness.query_all_by_value("setScisso").next().is_some();
    assert!(field, "the field has the text");
    for _ in 0.."setScisso".len() {
        window.harness.key_press(Key::Backspace);
    }
    window.harness.event(Event::Text("PRESENT".to_owned()));
    window.settle();
    assert!(window.shows("48 of 4,028 calls"));
    window.check("search");
}

#[test]
fn a_broken_capture_says_where_and_keeps_what_was_before() {
    let mut lines = first_lines();
    lines[400] = "{\"call\":\"clear\",\"on\":2,\"red\":\"no number\"}".to_owned();
    let mut window = Window::new();
    window.open("broken.s3d.jsonl", lines.join("\n").into_bytes(), "");
    let status = window.remote.status();
    let error = status.error.expect("a message");
    assert!(error.contains("broken.s3d.jsonl: line 401"), "{error}");
    assert!(status.open && window.shows("6 draws"), "the part before it is shown");
    assert!(window.shows("line 401"));
    window.check("broken");

    let mut window = Window::new();
    window.open("no.s3d.jsonl", b"no capture".to_vec(), "");
    let status = window.remote.status();
    assert!(!status.open && status.error.is_some(), "{status:?}");
    assert!(window.shows("no.s3d.jsonl"));
}

#[test]
fn a_frame_is_compared_with_a_picture() {
    let mut window = Window::with_whole_demo();
    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/knot.png");
    window
        .remote
        .send(RemoteRequest::Open(QuestionRole::Baseline, CaptureSource::File(picture.into())));
    window.settle();
    assert!(window.shows("pixels differ"));
    window.click("Difference");
    window.click("Compare with the reference renderer");
    assert!(window.shows("the reference renderer"));
}

#[test]
fn the_whole_frame_of_a_chosen_draw_is_compared() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("same.s3d.jsonl");
    std::fs::write(&file, first_frames()).expect("written");
    let mut window = Window::with_demo("");
    for address in ["#frame=3&draw=4", "#frame=2&draw=1"] {
        let chosen = window.follow(address).fragment;
        let status = window.drop_file(0.75, &file);
        assert_eq!(status.compared.as_deref(), Some("equal"), "{address}");
        assert_eq!(status.fragment, chosen, "the draw stays chosen");
        let moved = window.click("Compare with the frame before").compared.expect("compared");
        assert!(moved.ends_with("pixels differ"), "{address}: {moved}");
        window.click("Show comparison");
        assert!(window.shows("Target"), "{address}");
    }
}

/// Returns the first 400 lines of the demo, with a replacement in one line.
fn changed_demo(line: usize, from: &str, to: &str) -> Vec<u8> {
    let mut lines = first_lines();
    lines.truncate(400);
    assert!(lines[line].contains(from), "{}", lines[line]);
    lines[line] = lines[line].replace(from, to);
    lines.join("\n").into_bytes()
}

#[test]
fn files_that_are_dropped_are_opened_or_compared() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let picture = &folder.join("dropped.png");
    write_png(picture, &RgbaImage::filled(320, 200, [255, 0, 0, 255])).expect("written");
    let capture = folder.join("dropped.s3d.jsonl");
    std::fs::write(&capture, changed_demo(0, "{", "{")).expect("written");
    let mut window = Window::new();
    let status = window.drop_file(0.25, picture);
    let error = status.error.expect("a message");
    assert!(error.contains("open a capture first"), "{error}");
    let status = window.drop_file(0.25, &capture);
    assert!(status.open && status.error.is_none(), "{status:?}");
    let status = window.drop_file(0.75, &capture);
    assert_eq!(status.compared.as_deref(), Some("equal"), "with itself");
    assert_eq!(status.number, 1, "it is not opened anew");
    let status = window.drop_file(0.25, picture);
    let compared = status.compared.expect("a picture is compared wherever it is");
    assert!(compared.ends_with("pixels differ"), "{compared}");
    // If a file can't be opened, the open capture stays open.
    let broken = folder.join("broken.s3d.jsonl");
    std::fs::write(&broken, "no capture").expect("written");
    let status = window.drop_file(0.25, broken);
    assert!(status.open && status.error.is_some(), "{status:?}");
    window.click_in("Comparison", 0.5, 0.5);
    let status = window.click("Pixel");
    assert!(status.events > 0, "questions are answered: {status:?}");
    assert_eq!(window.drop_file(0.25, &capture).number, 2);
    // Opening a folder opens the only capture in it.
    let folder = folder.join("one capture");
    std::fs::create_dir_all(&folder).expect("created");
    let error = window.drop_file(0.25, &folder).error.expect("an empty folder");
    assert!(error.contains("no file ends in .s3d"), "{error}");
    std::fs::copy(&capture, folder.join("knot.s3d.jsonl")).expect("copied");
    let status = window.drop_file(0.25, &folder);
    assert_eq!((status.number, &*status.name), (3, "knot.s3d.jsonl"), "{status:?}");
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn two_captures_are_compared_up_to_the_first_difference() {
    let mut window = Window::new();
    window.open("this.s3d.jsonl", changed_demo(0, "{", "{"), "#frame=2");
    // Edits the draws of frame 2.
    let all = "\"numTriangles\":-1";
    let other = changed_demo(278, all, "\"numTriangles\":900");
    window.remote.send(RemoteRequest::Open(
        QuestionRole::Baseline,
        CaptureSource::Bytes { name: "other.s3d.jsonl".to_owned(), bytes: Arc::from(other) },
    ));
    let status = window.settle();
    let compared = status.compared.expect("both sides are drawn");
    assert!(compared.ends_with("pixels differ"), "{compared}");
    window.check("compare");
    window.click("Find first difference");
    assert!(window.shows("First call that differs: call"));
    assert!(window.shows("first frame: 2 and 2"));
    let links = window.harness.query_all_by_label_contains("First call that differs");
    links.into_iter().next().expect("a link").click();
    let status = window.settle();
    assert!(status.fragment.contains("&call="), "{status:?}");
}

#[test]
fn going_far_back_shows_what_going_on_does() {
    let mut window = Window::with_whole_demo();
    window.press(Key::End);
    window.follow("#frame=12");
    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/knot.png");
    let status = window.drop_file(0.25, picture);
    let compared = status.compared.expect("a comparison");
    let differing = compared.split(' ').next().and_then(|number| number.parse().ok());
    // The README's command allows 20 pixels above the tolerance. Images of wrong frames differ in tens of thousands of
    // pixels.
    assert!(
        compared == "equal" || differing.is_some_and(|pixels: u32| pixels < 2000),
        "{compared}"
    );
    window.click("Show comparison");
    // Seeks backwards to a call, then continues playback from there.
    for (back, frame) in [("#frame=40&draw=5", 40), ("#frame=12&draw=3", 12)] {
        let status = window.follow(back);
        assert!(status.fragment.starts_with(&format!("#frame={frame}&call=")), "{status:?}");
    }
    window.press(Key::Escape);
    window.click("Show comparison");
    assert_eq!(window.settle().compared.as_deref(), Some(&*compared));
}

#[test]
fn keys_fill_the_window_and_the_screen() {
    let mut window = Window::with_demo("");
    assert!(window.shows("6 draws"));
    window.press(Key::F);
    assert!(!window.shows("6 draws") && window.shows("Stage"));
    window.press(Key::F);
    assert!(window.shows("6 draws"));
    // `key_press` sends two events in separate UI frames, but only the last UI frame's commands can be read.
    window.harness.event(Event::Key {
        key: Key::F11,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    });
    window.harness.step();
    let commands: Vec<ViewportCommand> = window
        .harness
        .output()
        .viewport_output
        .values()
        .flat_map(|viewport| viewport.commands.clone())
        .collect();
    assert!(commands.contains(&ViewportCommand::Fullscreen(true)), "{commands:?}");
}

/// On a web page with WebGL, egui shows copies of the canvas in its own textures.
#[test]
fn the_stage_is_shown_by_eguis_own_textures() {
    let own = |gl: EguiGl, context: &Context| gl.with_textures(context.tex_manager());
    let mut window = Window::made((1280.0, 800.0), own);
    window.open("knot.s3d.jsonl", first_frames(), "#frame=2");
    window.check("frame");
}

/// On a web page with WebGPU, frames are copied to the canvas through CPU memory.
#[test]
fn the_stage_is_shown_by_copies() {
    let copied = |gl: EguiGl, context: &Context| {
        let device = gl.device.clone();
        gl.with_textures(context.tex_manager()).replaying_with(move || device.backend())
    };
    let mut window = Window::made((1280.0, 800.0), copied);
    window.open("knot.s3d.jsonl", first_frames(), "#frame=2");
    window.check("frame");
}

#[test]
fn a_small_window_has_its_panels_closed() {
    let mut window = Window::sized(480.0, 640.0);
    window.open("knot.s3d.jsonl", first_frames(), "#frame=0");
    assert!(!window.shows("6 draws"));
    window.check("small");
    window.click("Left panel");
    assert!(window.shows("6 draws"));
}
