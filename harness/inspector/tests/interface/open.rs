//! Tests opening captures, and the images of all frames.

use std::path::PathBuf;

use eframe::egui::{Key, Pos2, ViewportCommand};
use egui_kittest::kittest::Queryable as _;

use crate::window::{Window, first_frames, first_lines};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn an_empty_window_opens_files_the_demo_and_recent_captures() {
    let folder = folder("opened");
    let capture = folder.join("my game.s3d.jsonl");
    std::fs::write(&capture, first_lines()[..400].join("\n")).expect("written");
    std::fs::write(folder.join("notes.txt"), "no capture").expect("written");
    let recent = folder.join("state/recent");
    let mut window = Window::new();
    window.app().set_recent_file(recent.clone());
    window.check("empty");
    window.click("Open a capture…");
    window.harness.get_by_label("Path").focus();
    window.settle();
    window.harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, Key::A);
    window.harness.event(eframe::egui::Event::Text(folder.display().to_string()));
    window.press(Key::Enter);
    assert!(!window.shows("notes.txt"), "only captures and pictures are listed");
    // The file of recent captures is replaced, not overwritten, so another hard link to it keeps the old content.
    std::fs::create_dir_all(folder.join("state")).expect("a folder");
    std::fs::write(&recent, "").expect("written");
    std::fs::hard_link(&recent, folder.join("state/old")).expect("linked");
    window.click("my game.s3d.jsonl");
    assert_eq!(window.remote.status().name, "my game.s3d.jsonl");
    assert_eq!(std::fs::read_to_string(folder.join("state/old")).expect("text"), "");

    let mut window = Window::new();
    window.app().set_recent_file(recent);
    window.settle();
    assert!(window.shows("Recent captures"));
    window.harness.query_all_by_label("opened / my game").next().expect("a link").click();
    window.harness.step();
    let mut titles = Vec::new();
    for _ in 0..600 {
        let commands = window.harness.output().viewport_output.values();
        titles.extend(commands.flat_map(|viewport| viewport.commands.clone()));
        if window.remote.status().open {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(15));
        window.harness.step();
    }
    let titles = titles.into_iter().filter(|command| matches!(command, ViewportCommand::Title(_)));
    let title = ViewportCommand::Title("opened / my game – Molehill inspector".to_owned());
    assert_eq!(titles.collect::<Vec<_>>(), [title]);

    let mut window = Window::new();
    window.settle();
    window.harness.query_all_by_label("Open the demo").next().expect("a link").click();
    // The search for the first fault, which takes seconds, continues.
    window.wait_until(|window| window.remote.status().open && window.shows("6 draws"));
}

#[test]
fn a_draws_overlays_and_the_histogram_are_shown() {
    let mut window = Window::with_demo("#frame=3&draw=5");
    window.click("Histogram");
    let ranges = window.harness.query_all_by_label_contains(" to ").count();
    assert!(ranges >= 4, "a range for each channel, not {ranges}");
    let mut before = "No overlay";
    for name in ["Wireframe", "Failed depth", "Failed stencil", "Back faces"] {
        let choice = window.harness.query_all_by_value(before).next().expect("the choice");
        choice.click();
        window.settle();
        window.click(name);
        before = name;
        let nothing = window.shows("No fragment was rejected by the test");
        assert_eq!(nothing, name == "Failed stencil", "{name}");
        if name == "Wireframe" {
            window.check("overlay");
        }
    }
}

#[test]
fn the_strip_tells_numbers_of_the_frame_under_the_pointer() {
    let mut window = Window::with_demo("");
    let strip = window.harness.query_all_by_label("Timeline").next().expect("it").rect();
    assert!(strip.height() > 46.0, "lanes below the filmstrip");
    window.harness.hover_at(Pos2::new(strip.center().x, strip.bottom() - 4.0));
    window.harness.step();
    window.click_in("Timeline", 0.5, 0.9);
    assert_eq!(window.remote.status().fragment, "#frame=4");
}

#[test]
fn a_narrow_window_has_one_panel_at_a_time() {
    let mut window = Window::sized(390.0, 844.0);
    window.open("knot.s3d.jsonl", first_frames(), "#frame=3&draw=4");
    window.click("Left panel");
    assert!(window.shows("6 draws"));
    window.click("Right panel");
    assert!(window.shows("Raster state") && !window.shows("6 draws"));
    window.click("Left panel");
    assert!(window.shows("6 draws") && !window.shows("Raster state"));
    let screen = window.harness.ctx.content_rect();
    for node in window.harness.query_all_by_role(eframe::egui::accesskit::Role::Button) {
        let place = node.rect();
        assert!(place.left() >= 0.0 && place.right() <= screen.right() + 1.0, "{node:?}");
    }
    window.check("phone");
}
