//! The player's buttons, and the timeline with thumbnails.

use eframe::egui::{
    self, Align2, Color32, FontId, Pos2, Rect, RichText, Sense, Stroke, TextureId, Ui, Vec2,
    WidgetInfo,
};

use super::Action;
use crate::icons::{self, Icon};
use crate::session::Session;
use crate::theme::palette;

/// Whether it plays, and how.
pub(crate) struct Transport {
    /// Whether it plays.
    pub(crate) playing: bool,
    /// Times the recording's speed.
    speed: f32,
    /// Starts again after the last frame.
    looping: bool,
    /// Of a frame: what has passed.
    passed: f64,
}

/// Speeds that can be chosen.
const SPEEDS: [f32; 7] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// Frames a second of a capture that doesn't say: those of a new Flash program.
const RATE: f64 = 24.0;

impl Default for Transport {
    fn default() -> Self {
        Transport {
            playing: false,
            speed: 1.0,
            looping: true,
            passed: 0.0,
        }
    }
}

impl Transport {
    /// The frames of the recording in a second.
    pub(crate) fn rate(session: &Session) -> f64 {
        let rate = session.capture.header().frame_rate;
        rate.filter(|rate| rate.is_finite() && *rate > 0.0)
            .unwrap_or(RATE)
    }

    /// The frame to show after some seconds. `arrived`: the one before was shown; a slow machine plays slower.
    pub(crate) fn tick(&mut self, session: &Session, seconds: f64, arrived: bool) -> Option<usize> {
        if !self.playing || !arrived {
            return None;
        }
        self.passed += seconds * Transport::rate(session) * f64::from(self.speed);
        if self.passed < 1.0 {
            return None;
        }
        // Every frame is drawn in any case, so a late one is not left out.
        self.passed = (self.passed - 1.0).min(1.0);
        let (now, count) = (session.selection.frame, session.capture.frames().len());
        match now + 1 < count {
            true => Some(now + 1),
            false if self.looping => Some(0),
            false => {
                self.playing = false;
                None
            }
        }
    }

    /// The next slower or faster speed.
    pub(crate) fn change_speed(&mut self, faster: bool) {
        let at = SPEEDS
            .iter()
            .position(|speed| *speed >= self.speed)
            .unwrap_or(0);
        let at = if faster { at + 1 } else { at.saturating_sub(1) };
        self.speed = SPEEDS.get(at).copied().unwrap_or(self.speed);
    }
}

/// The buttons.
pub(crate) fn buttons(
    ui: &mut Ui,
    session: &Session,
    transport: &mut Transport,
    full: &mut bool,
    fraction: Option<f32>,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        let frames = session.capture.frames().len();
        let now = session.selection.frame;
        let button =
            |ui: &mut Ui, icon, name, keys| icons::button(ui, icon, name, keys, false).clicked();
        if button(ui, Icon::First, "First frame", "Home") {
            actions.push(Action::Frame(0));
        }
        if button(ui, Icon::Back, "Frame before", "Left") {
            actions.push(Action::Frame(now.saturating_sub(1)));
        }
        if button(ui, Icon::StepBack, "Draw before", ",") {
            actions.extend(session.neighbour(false).map(Action::Call));
        }
        let (icon, name) = if transport.playing {
            (Icon::Pause, "Pause")
        } else {
            (Icon::Play, "Play")
        };
        if icons::button(ui, icon, name, "Space", true).clicked() {
            actions.push(Action::Play);
        }
        if button(ui, Icon::Step, "Next draw", ".") {
            actions.extend(session.neighbour(true).map(Action::Call));
        }
        if button(ui, Icon::Next, "Next frame", "Right") {
            actions.push(Action::Frame(now + 1));
        }
        if button(ui, Icon::Last, "Last frame", "End") {
            actions.push(Action::Frame(frames.saturating_sub(1)));
        }
        egui::ComboBox::from_id_salt("speed")
            .width(56.0)
            .selected_text(format!("{}×", transport.speed))
            .show_ui(ui, |ui| {
                for speed in SPEEDS {
                    ui.selectable_value(&mut transport.speed, speed, format!("{speed}×"));
                }
            });
        if icons::button(
            ui,
            Icon::Loop,
            "Start again after the last frame",
            "",
            transport.looping,
        )
        .clicked()
        {
            transport.looping = !transport.looping;
        }
        if icons::button(ui, Icon::Full, "Only the picture", "F", *full).clicked() {
            *full = !*full;
        }
        ui.separator();
        place(ui, session);
        if let Some(fraction) = fraction {
            ui.add(egui::ProgressBar::new(fraction).desired_width(90.0))
                .on_hover_text("Replaying");
        }
    });
}

/// Where it stands.
fn place(ui: &mut Ui, session: &Session) {
    let Some(frame) = session.frame() else { return };
    let last = session
        .capture
        .frames()
        .last()
        .map_or(0, |frame| frame.number);
    let mut text = format!("frame {} / {last}", frame.number);
    if let Some(call) = session.selection.call {
        text += &format!("   call {call}");
        let mut draws = session.passes().iter().flat_map(|pass| &pass.draws);
        let count = draws.clone().count();
        if let Some(at) = draws.position(|draw| *draw == call) {
            text += &format!("   draw {} / {count}", at + 1);
        }
    }
    let whole = |text: RichText| egui::Label::new(text).wrap_mode(egui::TextWrapMode::Extend);
    ui.add(whole(RichText::new(text).monospace()));
    ui.add(whole(
        RichText::new(format!("{} fps", Transport::rate(session))).weak(),
    ));
}

/// Thumbnails that are in one texture.
pub(crate) struct Strip {
    /// egui's.
    pub(crate) texture: TextureId,
    /// Width over height of each.
    pub(crate) aspect: f32,
    /// The part of the texture, by frame; `None` where there is none yet.
    pub(crate) part: Box<dyn Fn(usize) -> Option<Rect>>,
}

/// The timeline: a click or a drag goes there.
pub(crate) fn timeline(
    ui: &mut Ui,
    session: &Session,
    strip: Option<&Strip>,
    actions: &mut Vec<Action>,
) {
    let frames = session.capture.frames().len();
    let height = if strip.is_some() { 46.0 } else { 18.0 };
    let (rect, response) = ui.allocate_exact_size(
        Vec2::new(ui.available_width(), height),
        Sense::click_and_drag(),
    );
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Timeline"));
    if frames == 0 {
        return;
    }
    let painter = ui.painter_at(rect);
    let palette = palette(ui.visuals());
    painter.rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
    #[expect(clippy::cast_precision_loss, reason = "places on the screen")]
    let width = rect.width() / frames as f32;
    #[expect(clippy::cast_precision_loss, reason = "places on the screen")]
    let left = |frame: usize| rect.left() + frame as f32 * width;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped"
    )]
    let frame_at = |x: f32| ((x - rect.left()).max(0.0) / width) as usize;
    if let Some(strip) = strip {
        let step = (height * strip.aspect).max(8.0);
        let mut x = rect.left();
        while x < rect.right() {
            let frame = frame_at(x + step / 2.0).min(frames - 1);
            if let Some(part) = (strip.part)(frame) {
                let place = Rect::from_min_size(Pos2::new(x, rect.top()), Vec2::new(step, height));
                painter.image(strip.texture, place, part, Color32::from_gray(190));
            }
            x += step;
        }
    }
    if let Some(outline) = session.outline() {
        let mut last = usize::MAX;
        for call in outline.troubles.keys() {
            let frame = session
                .capture
                .frames()
                .partition_point(|frame| frame.calls.end <= *call);
            if frame != last {
                let mark = Rect::from_min_size(
                    Pos2::new(left(frame), rect.bottom() - 3.0),
                    Vec2::new(width.max(2.0), 3.0),
                );
                painter.rect_filled(mark, 0.0, palette.error);
                last = frame;
            }
        }
    }
    let now = Rect::from_min_size(
        Pos2::new(left(session.selection.frame), rect.top()),
        Vec2::new(width.max(2.0), height),
    );
    painter.rect_filled(now, 1.0, palette.accent.gamma_multiply(0.25));
    painter.rect_stroke(
        now,
        1.0,
        Stroke::new(2.0, palette.accent),
        egui::StrokeKind::Inside,
    );
    let pointer = response.interact_pointer_pos();
    if let Some(pointer) = pointer.filter(|_| response.dragged() || response.clicked()) {
        let frame = frame_at(pointer.x).min(frames - 1);
        if frame != session.selection.frame || session.selection.call.is_some() {
            actions.push(Action::Frame(frame));
        }
    }
    if let Some(pointer) = response.hover_pos() {
        hover(
            ui,
            session,
            strip,
            frame_at(pointer.x).min(frames - 1),
            Pos2::new(pointer.x, rect.top()),
        );
    }
}

/// A larger thumbnail above the pointer.
fn hover(ui: &Ui, session: &Session, strip: Option<&Strip>, frame: usize, at: Pos2) {
    let number = session
        .capture
        .frames()
        .get(frame)
        .map_or(0, |frame| frame.number);
    let layer = egui::LayerId::new(egui::Order::Tooltip, egui::Id::unique("thumbnail"));
    let painter = ui.ctx().layer_painter(layer);
    let text = format!("frame {number}");
    let size = match strip {
        Some(strip) => Vec2::new(128.0, 128.0 / strip.aspect.max(0.1)),
        None => Vec2::new(80.0, 0.0),
    };
    let screen = ui.ctx().content_rect();
    let x = at.x.clamp(
        screen.left() + size.x / 2.0 + 4.0,
        (screen.right() - size.x / 2.0 - 4.0).max(size.x / 2.0),
    );
    let rect = Rect::from_min_size(
        Pos2::new(x - size.x / 2.0, at.y - size.y - 28.0),
        size + Vec2::new(0.0, 20.0),
    );
    painter.rect_filled(rect.expand(4.0), 4.0, ui.visuals().window_fill);
    if let Some((strip, part)) = strip.and_then(|strip| Some((strip, (strip.part)(frame)?))) {
        painter.image(
            strip.texture,
            Rect::from_min_size(rect.min, size),
            part,
            Color32::WHITE,
        );
    }
    let place = Pos2::new(rect.center().x, rect.bottom() - 8.0);
    painter.text(
        place,
        Align2::CENTER_CENTER,
        text,
        FontId::proportional(12.0),
        ui.visuals().strong_text_color(),
    );
}
