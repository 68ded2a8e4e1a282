//! The playback controls, and the timeline with thumbnails.

use std::collections::BTreeSet;

use eframe::egui::{
    self, Color32, Pos2, Rect, RichText, Sense, Stroke, TextureId, Ui, Vec2, WidgetInfo,
};

use super::activity::{self, ActivityLane};
use super::{PanelAction, act, menu, warnings};
use crate::icons::{self, Icon};
use crate::session::Session;
use crate::theme::palette;

pub(crate) struct Transport {
    pub(crate) playing: bool,
    /// The playback speed, relative to the recorded frame rate.
    speed: f32,
    looping: bool,
    /// Elapsed time since the current frame, in units of frames. After [`Transport::tick`], `elapsed` is at most 1.
    elapsed: f64,
}

const SPEEDS: [(f32, &str); 7] = [
    (0.1, "0.1×"),
    (0.25, "0.25×"),
    (0.5, "0.5×"),
    (1.0, "1×"),
    (2.0, "2×"),
    (4.0, "4×"),
    (8.0, "8×"),
];
/// Default frame rate of captures without a frame rate. New projects in Flash have 24 frames per second.
const DEFAULT_FRAME_RATE: f64 = 24.0;

impl Default for Transport {
    fn default() -> Self {
        Transport { playing: false, speed: 1.0, looping: true, elapsed: 0.0 }
    }
}

impl Transport {
    pub(crate) fn rate(session: &Session) -> f64 {
        let rate = session.capture.header().frame_rate;
        rate.filter(|rate| rate.is_finite() && *rate > 0.0).unwrap_or(DEFAULT_FRAME_RATE)
    }

    /// Advances playback by `seconds`. Returns the index of the next frame once that frame is due. No frame is due
    /// until the current frame was shown (`arrived`), so a slow machine plays more slowly.
    pub(crate) fn tick(&mut self, session: &Session, seconds: f64, arrived: bool) -> Option<usize> {
        if !self.playing || !arrived {
            return None;
        }
        self.elapsed += seconds * Transport::rate(session) * f64::from(self.speed);
        if self.elapsed < 1.0 {
            return None;
        }
        // Late frames are not skipped, because the replay must execute them anyway.
        self.elapsed = (self.elapsed - 1.0).min(1.0);
        let (now, count) = (session.selection.frame, session.capture.frames().len());
        self.playing = self.looping || now + 1 < count;
        self.playing.then_some(if now + 1 < count { now + 1 } else { 0 })
    }

    pub(crate) fn change_speed(&mut self, faster: bool) {
        let at = SPEEDS.iter().position(|(speed, _)| *speed >= self.speed).unwrap_or(0);
        let at = if faster { at + 1 } else { at.saturating_sub(1) };
        self.speed = SPEEDS.get(at).map_or(self.speed, |(speed, _)| *speed);
    }
}

type TransportButton<'b> = (Icon, &'static str, &'static str, &'b dyn Fn() -> Option<PanelAction>);

pub(crate) fn buttons(
    ui: &mut Ui,
    session: &mut Session,
    transport: &mut Transport,
    full: &mut bool,
    fraction: Option<f32>,
) -> bool {
    let row = ui.horizontal_wrapped(|ui| {
        let frames = session.capture.frames().len();
        let now = session.selection.frame;
        let play = if transport.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        let draw = |by| session.adjacent_draw(by).map(PanelAction::Call);
        let buttons: [TransportButton<'_>; 7] = [
            (Icon::First, "First frame", "Home", &|| Some(PanelAction::Frame(0))),
            (Icon::Back, "Previous frame", "Left", &|| {
                Some(PanelAction::Frame(now.saturating_sub(1)))
            }),
            (Icon::StepBack, "Previous draw", ",", &|| draw(-1)),
            (play.0, play.1, "Space", &|| Some(PanelAction::Play)),
            (Icon::Step, "Next draw", ".", &|| draw(1)),
            (Icon::Next, "Next frame", "Right", &|| Some(PanelAction::Frame(now + 1))),
            (Icon::Last, "Last frame", "End", &|| {
                Some(PanelAction::Frame(frames.saturating_sub(1)))
            }),
        ];
        for (icon, name, keys, action) in buttons {
            if icons::button(ui, icon, name, keys, keys == "Space").clicked() {
                act(ui, action());
            }
        }
        menu(ui, 56.0, &mut transport.speed, &SPEEDS);
        icons::toggle(ui, Icon::Loop, "Loop", "", &mut transport.looping);
        icons::toggle(ui, Icon::Maximize, "Hide the panels", "F", full);
        ui.separator();
        let clicked = scan(ui, session); // First: it keeps its place from click to click.
        position(ui, session);
        if let Some(fraction) = fraction {
            ui.add(egui::ProgressBar::new(fraction).desired_width(90.0))
                .on_hover_text("Replaying…");
        }
        clicked
    });
    row.inner
}

/// Shows the button of the search for anomalous frames. After the search, the button selects the next anomaly. Returns
/// true if the user clicked the button.
fn scan(ui: &mut Ui, session: &mut Session) -> bool {
    let (all, scan) = (session.capture.frames().len(), &mut session.scan);
    let what = match (scan.runs, scan.done >= all) {
        (true, _) => format!("Stop at {} of {all} frames", scan.done),
        (false, false) => "Find anomalies".to_owned(),
        (false, true) => format!("Stands out: {}", scan.found.len()),
    };
    let tip = "Draws all frames with the reference renderer and compares each with those around it. The timeline marks \
               anomalies, the Warnings tab lists them, and each click here selects the next one.";
    let button = ui.add(egui::Button::new(what).selected(scan.runs)).on_hover_text(tip);
    if let Some(error) = &scan.error {
        super::failed(ui, error);
    }
    if button.clicked() && scan.done < all {
        scan.runs = !scan.runs;
    } else if button.clicked() {
        let (here, found) = (session.frame_number(), &session.scan.found);
        let mut on = found.iter().skip_while(|outlier| Some(outlier.frame) != here);
        let next = on.find(|outlier| Some(outlier.frame) != here).or(found.first());
        act(ui, next.map(|outlier| warnings::place(session, outlier)));
    }
    button.clicked()
}

fn position(ui: &mut Ui, session: &Session) {
    let Some(frame) = session.frame() else { return };
    let last = session.capture.frames().last().map_or(0, |frame| frame.number);
    let mut text = format!("Frame {} / {last}", frame.number);
    if let Some(call) = session.selection.call {
        text += &format!("   Call {call}");
        let mut draws = session.passes().iter().flat_map(|pass| &pass.draws);
        let count = draws.clone().count();
        if let Some(at) = draws.position(|draw| *draw == call) {
            text += &format!("   Draw {} / {count}", at + 1);
        }
    }
    let whole = |text: RichText| egui::Label::new(text).wrap_mode(egui::TextWrapMode::Extend);
    ui.add(whole(RichText::new(text).monospace()));
    ui.add(whole(RichText::new(format!("{} fps", Transport::rate(session))).weak()));
}

pub(crate) struct ThumbnailAtlas {
    pub(crate) texture: TextureId,
    /// The aspect ratio of a thumbnail: width divided by height.
    pub(crate) aspect: f32,
    /// Returns the texture coordinates (0 to 1) of a frame's thumbnail, or `None` if it isn't drawn yet.
    pub(crate) uv: Box<dyn Fn(usize) -> Option<Rect>>,
}

/// Shows the filmstrip, with the activity strip below it.
pub(crate) fn timeline(
    ui: &mut Ui,
    session: &Session,
    atlas: Option<&ThumbnailAtlas>,
    lanes: &[ActivityLane],
) {
    let frames = session.capture.frames().len();
    let film = if atlas.is_some() { 46.0 } else { 18.0 };
    let height = film + activity::height(lanes);
    let (rect, response) =
        ui.allocate_exact_size(Vec2::new(ui.available_width(), height), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, "Timeline"));
    if frames == 0 {
        return;
    }
    let painter = ui.painter_at(rect);
    let palette = palette(ui.visuals());
    painter.rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
    let width = rect.width() / frames as f32;
    let left = |frame: usize| rect.left() + frame as f32 * width;
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    let frame_at = |x: f32| ((x - rect.left()).max(0.0) / width) as usize;
    if let Some(atlas) = atlas {
        let step = (film * atlas.aspect).max(8.0);
        let mut x = rect.left();
        while x < rect.right() {
            let frame = frame_at(x + step / 2.0).min(frames - 1);
            if let Some(uv) = (atlas.uv)(frame) {
                let cell = Rect::from_min_size(Pos2::new(x, rect.top()), Vec2::new(step, film));
                painter.image(atlas.texture, cell, uv, Color32::from_gray(190));
            }
            x += step;
        }
    }
    marks(ui, session, Rect::from_min_size(rect.min, Vec2::new(rect.width(), film)));
    let mut below = rect;
    below.min.y += film;
    activity::paint(ui, below, lanes);
    let corner = Pos2::new(left(session.selection.frame), rect.top());
    let now = Rect::from_min_size(corner, Vec2::new(width.max(2.0), height));
    painter.rect_filled(now, 1.0, palette.accent.gamma_multiply(0.25));
    painter.rect_stroke(now, 1.0, Stroke::new(2.0, palette.accent), egui::StrokeKind::Inside);
    let pointer = response.interact_pointer_pos();
    if let Some(pointer) = pointer.filter(|_| response.dragged() || response.clicked()) {
        let frame = frame_at(pointer.x).min(frames - 1);
        if frame != session.selection.frame || session.selection.call.is_some() {
            act(ui, PanelAction::Scrub(frame));
        }
    }
    if let Some(pointer) = response.hover_pos() {
        let frame = frame_at(pointer.x).min(frames - 1);
        hover(ui, session, (atlas, lanes), frame, Pos2::new(pointer.x, rect.top()));
    }
}

/// Marks frames with failed or ineffective calls at the bottom, and anomalous frames at the top.
fn marks(ui: &Ui, session: &Session, rect: Rect) {
    let (painter, palette) = (ui.painter_at(rect), palette(ui.visuals()));
    let frames = session.capture.frames();
    let width = rect.width() / frames.len() as f32;
    let mark = |frame: usize, top: f32, color: Color32| {
        let corner = Pos2::new(rect.left() + frame as f32 * width, top);
        let mark = Rect::from_min_size(corner, Vec2::new(width.max(2.0), 4.0));
        painter.rect_filled(mark, 0.0, color);
    };
    let failures = session.outline().into_iter().flat_map(|outline| outline.failures.keys());
    let failed = failures.map(|call| frames.partition_point(|frame| frame.calls.end <= *call));
    failed.collect::<BTreeSet<_>>().into_iter().for_each(|frame| {
        mark(frame, rect.bottom() - 4.0, palette.error);
    });
    for number in session.scan.found.iter().flat_map(|outlier| outlier.frames()) {
        let frame = frames.partition_point(|frame| frame.number < number);
        mark(frame, rect.top(), palette.warning);
    }
}

/// Maximum width of the enlarged frame in points; `REASONS` is the maximum number of listed anomalies.
const HOVER: f32 = 320.0;
const REASONS: usize = 6;

/// Shows an enlarged thumbnail of the frame under the pointer, with its statistics and anomalies.
fn hover(
    ui: &Ui,
    session: &Session,
    (atlas, lanes): (Option<&ThumbnailAtlas>, &[ActivityLane]),
    frame: usize,
    at: Pos2,
) {
    let number = session.capture.frames().get(frame).map_or(0, |frame| frame.number);
    let screen = ui.ctx().content_rect();
    let width = HOVER.min(screen.width() - 32.0);
    let (context, anchor) = (ui.ctx().clone(), Rect::from_min_size(at, Vec2::new(1.0, 1.0)));
    let tip = egui::Tooltip::always_open(context, ui.layer_id(), egui::Id::unique("frame"), anchor);
    tip.width(width).show(|ui| {
        if let Some((atlas, uv)) = atlas.and_then(|atlas| Some((atlas, (atlas.uv)(frame)?))) {
            let height = (width / atlas.aspect.max(0.1)).min(screen.height() * 0.4);
            let size = Vec2::new(height * atlas.aspect, height);
            ui.add(egui::Image::new((atlas.texture, size)).uv(uv));
        }
        ui.strong(format!("Frame {number}"));
        for (text, color) in activity::texts(ui, lanes, frame) {
            ui.colored_label(color, text);
        }
        let found = session.scan.found.iter();
        let found = found.filter(|outlier| outlier.frames().any(|frame| frame == number));
        for outlier in found.take(REASONS) {
            ui.colored_label(palette(ui.visuals()).warning, &outlier.reason);
        }
    });
}
