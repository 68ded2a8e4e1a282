//! Keyboard shortcuts.

use eframe::egui::{Context, Key, Modifiers, ViewportCommand};

use super::App;
use crate::panels::Action;

/// Keys and their actions, for the help menu.
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
    let Some(session) = &app.session else {
        return Vec::new();
    };
    if context.egui_wants_keyboard_input() {
        return Vec::new();
    }
    let selection = session.selection;
    let last = session.capture.frames().len().saturating_sub(1);
    let pressed = |key: Key| context.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let mut actions = Vec::new();
    if pressed(Key::Space) {
        actions.push(Action::Play);
    }
    if pressed(Key::ArrowLeft) {
        let back = usize::from(selection.call.is_none());
        actions.push(Action::Frame(selection.frame.saturating_sub(back)));
    }
    if pressed(Key::ArrowRight) {
        actions.push(Action::Frame((selection.frame + 1).min(last)));
    }
    if pressed(Key::Home) {
        actions.push(Action::Frame(0));
    }
    if pressed(Key::End) {
        actions.push(Action::Frame(last));
    }
    if pressed(Key::Comma) {
        actions.extend(session.adjacent_draw(false).map(Action::Call));
    }
    if pressed(Key::Period) {
        actions.extend(session.adjacent_draw(true).map(Action::Call));
    }
    let here =
        selection.call.or_else(|| session.frame().map(|frame| frame.calls.end.saturating_sub(1)));
    if let (true, Some(call)) = (pressed(Key::ArrowUp), here) {
        actions.push(Action::Call(call.saturating_sub(1)));
    }
    if let (true, Some(call)) = (pressed(Key::ArrowDown), here) {
        actions.push(Action::Call(call + 1));
    }
    if pressed(Key::Escape) {
        actions.push(Action::Frame(selection.frame));
    }
    for (faster, key) in [(false, Key::OpenBracket), (true, Key::CloseBracket)] {
        if pressed(key) {
            app.transport.change_speed(faster);
        }
    }
    for (index, key) in
        [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6].into_iter().enumerate()
    {
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
        super::view::switch_theme(context);
    }
    actions
}
