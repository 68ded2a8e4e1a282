//! Keyboard shortcuts.

use eframe::egui::{Context, Key, Modifiers, ViewportCommand};

use super::App;
use crate::panels::Action;
use crate::theme::switch_theme;

pub(super) const HELP: [(&str, &str); 12] = [
    ("Space", "Play or pause"),
    ("Left Right", "Previous or next frame"),
    (", .", "Previous or next draw"),
    ("Up Down", "Previous or next call"),
    ("Home End", "First or last frame"),
    ("[ ]", "Slower or faster"),
    ("1 to 6", "After, Before, Changed, Overdraw, Depth, Stencil"),
    ("0", "Fit to window"),
    ("Esc", "Back to the frame"),
    ("F", "Show or hide the panels"),
    ("F11", "Full screen"),
    ("L", "Dark or light theme"),
];

/// Handles the pressed shortcuts and returns the resulting actions. Does nothing without a capture, or while a text
/// field has the focus.
pub(super) fn actions(context: &Context, app: &mut App) -> Vec<Action> {
    let Some(session) = &app.session else { return Vec::new() };
    if context.egui_wants_keyboard_input() {
        return Vec::new();
    }
    let selection = session.selection;
    let last = session.capture.frames().len().saturating_sub(1);
    let pressed = |key: Key| context.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let frame = |index: usize| Some(Action::Frame(index));
    let draw = |forward| session.adjacent_draw(forward).map(Action::Call);
    let here =
        selection.call.or_else(|| session.frame().map(|frame| frame.calls.end.saturating_sub(1)));
    let back = usize::from(selection.call.is_none());
    let keys: [(Key, &dyn Fn() -> Option<Action>); 10] = [
        (Key::Space, &|| Some(Action::Play)),
        (Key::ArrowLeft, &|| frame(selection.frame.saturating_sub(back))),
        (Key::ArrowRight, &|| frame((selection.frame + 1).min(last))),
        (Key::Home, &|| frame(0)),
        (Key::End, &|| frame(last)),
        (Key::Comma, &|| draw(false)),
        (Key::Period, &|| draw(true)),
        (Key::ArrowUp, &|| here.map(|call| Action::Call(call.saturating_sub(1)))),
        (Key::ArrowDown, &|| here.map(|call| Action::Call(call + 1))),
        (Key::Escape, &|| frame(selection.frame)),
    ];
    let pressed_keys = keys.iter().filter(|(key, _)| pressed(*key));
    let actions = pressed_keys.filter_map(|(_, action)| action()).collect();
    for (faster, key) in [(false, Key::OpenBracket), (true, Key::CloseBracket)] {
        if pressed(key) {
            app.transport.change_speed(faster);
        }
    }
    let modes = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6];
    for (index, key) in modes.into_iter().enumerate() {
        if pressed(key) {
            app.views.stage.select_mode(index);
        }
    }
    if pressed(Key::Num0) {
        app.views.stage.fit();
    }
    if pressed(Key::F) {
        app.views.full = !app.views.full;
    }
    if pressed(Key::F11) {
        let full = context.input(|input| input.viewport().fullscreen.unwrap_or(false));
        context.send_viewport_cmd(ViewportCommand::Fullscreen(!full));
    }
    if pressed(Key::L) {
        switch_theme(context);
    }
    actions
}
