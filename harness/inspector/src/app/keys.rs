//! Keyboard shortcuts.

use eframe::egui::{Context, Event, Key, Modifiers, PointerButton, Popup, ViewportCommand};

use super::App;
use crate::panels::PanelAction;
use crate::session::Session;
use crate::theme::switch_theme;

pub(super) const HELP: [(&str, &str); 15] = [
    ("Space", "Play or pause"),
    ("Left Right", "Previous or next frame"),
    (", .", "Previous or next draw"),
    ("Up Down", "Previous or next call"),
    ("Home End", "First or last frame"),
    ("Page Up, Down", "Ten draws backward or forward"),
    ("Alt+Left, Right", "Previous or next selection"),
    ("[ ]", "Slower or faster"),
    ("1 to 6", "After, Before, Changed, Overdraw, Depth, Stencil"),
    ("0", "Fit to window"),
    ("Esc", "Back to the frame"),
    ("G", "Fold or unfold the draw's group"),
    ("F", "Show or hide the panels"),
    ("F11", "Full screen"),
    ("L", "Dark or light theme"),
];

/// Handles the pressed shortcuts in order; one UI frame can contain several. Without a capture, or while a menu or
/// dialog is open, ignores all shortcuts. While a text field has the focus, handles only back and forward.
pub(super) fn handle(context: &Context, app: &mut App) {
    if app.session.is_none() || app.files.is_open() || Popup::is_any_open(context) {
        return;
    }
    let typing = context.egui_wants_keyboard_input();
    let mut pressed = Vec::new();
    context.input_mut(|input| {
        input.events.retain(|event| {
            let key = shortcut(event).filter(|(modifiers, _)| modifiers.alt || !typing);
            pressed.extend(key);
            key.is_none()
        });
    });
    for (modifiers, key) in pressed {
        press(context, app, modifiers, key);
    }
}

/// Returns the key of an event that may be a shortcut. Converts the mouse buttons for back and forward to keys.
fn shortcut(event: &Event) -> Option<(Modifiers, Key)> {
    match event {
        Event::Key { key, pressed: true, modifiers, .. } => {
            let history = matches!(key, Key::ArrowLeft | Key::ArrowRight);
            let other = modifiers.ctrl || modifiers.command || modifiers.mac_cmd;
            let mine = if modifiers.alt { history } else { is_shortcut(*key) };
            (mine && !other).then_some((*modifiers, *key))
        }
        Event::PointerButton { button, pressed: true, .. } => match button {
            PointerButton::Extra1 => Some((Modifiers::ALT, Key::ArrowLeft)),
            PointerButton::Extra2 => Some((Modifiers::ALT, Key::ArrowRight)),
            _ => None,
        },
        _ => None,
    }
}

const MODES: [Key; 6] = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6];

const SHORTCUTS: &str =
    "Down Left Right Up [ ] , End Escape F F11 G Home L 0 PageDown PageUp . Space";

fn is_shortcut(key: Key) -> bool {
    SHORTCUTS.split(' ').any(|name| Key::from_name(name) == Some(key)) || MODES.contains(&key)
}

fn press(context: &Context, app: &mut App, modifiers: Modifiers, key: Key) {
    if modifiers.alt {
        return app.act([if key == Key::ArrowLeft {
            PanelAction::Back
        } else {
            PanelAction::Forth
        }]);
    }
    if let Some(mode) = MODES.iter().position(|mode| *mode == key) {
        return app.views.stage.select_mode(mode);
    }
    match key {
        Key::OpenBracket | Key::CloseBracket => {
            app.transport.change_speed(key == Key::CloseBracket);
        }
        Key::Num0 => app.views.stage.fit(),
        Key::F => app.views.full = !app.views.full,
        Key::G => app.views.tree.groups.fold(),
        Key::F11 => {
            let full = context.input(|input| input.viewport().fullscreen.unwrap_or(false));
            context.send_viewport_cmd(ViewportCommand::Fullscreen(!full));
        }
        Key::L => switch_theme(context),
        key => {
            let action = app.session.as_ref().and_then(|session| selects(session, key));
            app.act(action);
        }
    }
}

fn selects(session: &Session, key: Key) -> Option<PanelAction> {
    let selection = session.selection;
    let last = session.capture.frames().len().saturating_sub(1);
    let here =
        selection.call.or_else(|| session.frame().map(|frame| frame.calls.end.saturating_sub(1)));
    let back = usize::from(selection.call.is_none());
    match key {
        Key::Space => Some(PanelAction::Play),
        Key::ArrowLeft => Some(PanelAction::Frame(selection.frame.saturating_sub(back))),
        Key::ArrowRight => Some(PanelAction::Frame((selection.frame + 1).min(last))),
        Key::Home => Some(PanelAction::Frame(0)),
        Key::End => Some(PanelAction::Frame(last)),
        Key::Comma => session.adjacent_draw(-1).map(PanelAction::Call),
        Key::Period => session.adjacent_draw(1).map(PanelAction::Call),
        Key::PageUp => session.adjacent_draw(-10).map(PanelAction::Call),
        Key::PageDown => session.adjacent_draw(10).map(PanelAction::Call),
        Key::ArrowUp => here.map(|call| PanelAction::Call(call.saturating_sub(1))),
        Key::ArrowDown => here.map(|call| PanelAction::Call(call + 1)),
        Key::Escape => Some(PanelAction::Frame(selection.frame)),
        _ => None,
    }
}
