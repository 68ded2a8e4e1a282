//! Tests navigation in a capture: shortcuts, seeking, back and forward.

use std::time::Instant;

use eframe::egui::{Event, Key, Modifiers, pos2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use crate::window::{PATIENCE, Window, first_frames};

#[test]
fn keys_in_one_ui_frame_all_count() {
    let mut window = Window::with_demo("");
    window.press_at_once(&[Key::ArrowRight; 3]);
    assert_eq!(window.settle().fragment, "#frame=3");
    window.press_at_once(&[Key::ArrowRight, Key::End, Key::ArrowLeft, Key::ArrowLeft]);
    assert_eq!(window.settle().fragment, "#frame=5");
}

#[test]
fn on_the_way_to_a_frame_no_old_picture_passes_for_it() {
    let mut window = Window::with_whole_demo();
    window.click_in("Stage", 0.5, 0.5);
    assert!(window.shows("Pixel 3"), "the pixel's history");
    window.press_at_once(&[Key::End]);
    let (end, mut on_the_way) = (Instant::now() + PATIENCE, 0);
    while !window.remote.status().idle {
        assert!(Instant::now() < end, "no end after {PATIENCE:?}");
        if window.shows("Replaying frame 47") {
            assert!(!window.shows("OpenGL:"), "the old frame's pixel counts as the new one's");
            on_the_way += 1;
        }
        window.harness.step();
    }
    assert!(on_the_way > 0, "it says that it is on the way");
    assert!(!window.shows("Replaying frame"));
}

#[test]
fn alt_and_arrows_go_back_and_forth() {
    let mut window = Window::with_demo("");
    let mut places = vec![window.remote.status().fragment];
    for address in ["#frame=3&draw=2", "#frame=6"] {
        places.push(window.follow(address).fragment);
    }
    places.push(window.press(Key::Period).fragment);
    places.push(window.click_in("Target", 0.4, 0.6).fragment);
    let mut go = |key: Key| {
        window.harness.key_press_modifiers(Modifiers::ALT, key);
        window.settle().fragment
    };
    for place in places.iter().rev().skip(1) {
        assert_eq!(go(Key::ArrowLeft), *place);
    }
    assert_eq!(go(Key::ArrowLeft), places[0], "there is nothing before");
    for place in &places[1..] {
        assert_eq!(go(Key::ArrowRight), *place);
    }
    // The shortcuts for back and forward also work while a text field has the focus.
    window.click("Calls");
    window.harness.get_by_label("Search").focus();
    window.settle();
    window.harness.key_press_modifiers(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(window.settle().fragment, places[places.len() - 2]);
}

#[test]
fn a_value_leads_to_the_call_that_set_it_and_back() {
    let mut window = Window::with_demo("#frame=2&draw=4");
    let draw = window.remote.status().fragment;
    // The State tab links to the calls that set the draw's program and its culling.
    for (link, call) in [("#253", 253), ("#257", 257)] {
        window.click(link);
        assert_eq!(window.remote.status().fragment, format!("#frame=2&call={call}"));
        window.harness.key_press_modifiers(Modifiers::ALT, Key::ArrowLeft);
        assert_eq!(window.settle().fragment, draw);
    }
    // The Textures tab links to the call that wrote a texture's content.
    window.click("Textures");
    window.harness.query_all_by_label_contains("level 0 #").next().expect("a link").click();
    assert!(window.settle().fragment.starts_with("#frame=0&call="));
}

#[test]
fn draws_are_sorted_filtered_and_stepped_in_that_order() {
    let mut window = Window::with_demo("#frame=3");
    window.click("Passed");
    assert!(window.shows("Passed ≥"));
    window.click("Draw 3 #333");
    let numbers = |window: &Window| {
        let rows = window.harness.query_all_by_label_contains("Draw ");
        let mut rows: Vec<_> = rows.filter(|row| row.rect().right() < 300.0).collect();
        rows.sort_by(|one, two| one.rect().top().total_cmp(&two.rect().top()));
        rows.iter().filter_map(|row| row.accesskit_node().label()).collect::<Vec<_>>().join(" ")
    };
    assert!(numbers(&window).starts_with("Draw 3 #333 Draw 4 #345 Draw 5"), "{}", numbers(&window));
    assert_eq!(window.press(Key::Period).fragment, "#frame=3&call=345");
    let last = window.press(Key::PageDown).fragment;
    assert_eq!(window.press(Key::Period).fragment, last, "it is the last one of the list");
    window.harness.get_by_label("Filter").focus();
    window.settle();
    window.harness.event(Event::Text("program#14".to_owned()));
    window.settle();
    assert_eq!(numbers(&window).matches("Draw ").count(), 2, "{}", numbers(&window));
}

#[test]
fn the_list_of_calls_opens_at_the_selected_one_with_all_arguments() {
    let mut window = Window::with_demo("#frame=6&draw=4");
    let call = window.remote.status().fragment.rsplit('=').next().expect("a call").to_owned();
    window.click("Calls");
    let row = format!("  {call}  context#2.drawTriangles(");
    assert!(window.shows(&row), "{row:?}");
    assert!(window.shows("firstIndex: 0"));
    window.click("This frame");
    let label = window.harness.query_all_by_label_contains(" of 708 calls").next();
    assert!(label.is_some(), "only the frame's calls are listed");
}

#[test]
fn objects_show_their_content_and_leave_the_selection() {
    let mut window = Window::with_demo("#frame=3&draw=4");
    let selected = window.remote.status().fragment;
    window.click("Objects");
    window.click("Programs");
    let program = |window: &mut Window| {
        let all = window.harness.query_all_by_label_contains("program#");
        all.into_iter().find(|node| node.rect().right() < 300.0).expect("a program").click();
        window.settle();
    };
    program(&mut window);
    assert!(window.shows("Fragment program") && window.shows("mov oc"));
    window.click("Textures");
    window.click("texture#17 \"256×256 bgra\"");
    assert!(window.shows("at call 345") && window.shows("level 0: 256×256"));
    window.click("Buffers");
    window.click("indices#9 \"6 indices\"");
    assert!(window.shows("2 rows of 3"));
    assert_eq!(window.remote.status().fragment, selected, "frame and draw stay");
    window.check("objects");
}

#[test]
fn an_open_menu_or_dialog_has_the_keys() {
    let mut window = Window::with_demo("#frame=3&draw=4");
    let draw = window.remote.status().fragment;
    for (button, inside) in [("Shortcuts", "Play or pause"), ("Open…", "Path")] {
        window.click(button);
        assert!(window.shows(inside), "{button}");
        assert_eq!(window.press(Key::ArrowDown).fragment, draw, "{button}");
        assert_eq!(window.press(Key::Escape).fragment, draw, "{button}");
        assert!(!window.shows(inside), "{button} is closed");
    }
    assert_eq!(window.press(Key::Escape).fragment, "#frame=3");
}

#[test]
fn states_and_tools_stay_inside_their_panels() {
    for (width, height) in [(900.0, 600.0), (1280.0, 800.0)] {
        let mut window = Window::sized(width, height);
        window.open("knot.s3d.jsonl", first_frames(), "#frame=3&draw=4");
        for value in ["numTriangles", "was ", "float3"] {
            let all = window.harness.query_all_by_label_contains(value);
            let right = all.map(|node| node.rect().right()).fold(0.0, f32::max);
            assert!((1.0..width).contains(&right), "{value} at {right} of {width}");
        }
        let rect = |window: &Window, name: &str| {
            window.harness.query_all_by_label(name).next().expect("it").rect()
        };
        // Drags the right panel to its maximum width.
        let edge = rect(&window, "State").left_center() - vec2(8.0, 0.0);
        window.harness.hover_at(edge);
        window.harness.drag_at(edge);
        window.harness.hover_at(pos2(20.0, edge.y));
        window.harness.drop_at(pos2(20.0, edge.y));
        window.look(&format!("wide-{width}"));
        assert!(rect(&window, "State").left() < edge.x, "it is wider at {width}");
        for tool in ["Overdraw", "Depth", "Stencil"] {
            let (tool, first) = (rect(&window, tool), rect(&window, "After"));
            assert_eq!(tool.height(), first.height(), "in one line at {width}");
            assert!(tool.right() < rect(&window, "State").left(), "in sight at {width}");
        }
    }
}
