use std::sync::Arc;

use eframe::egui::{self, CentralPanel, Frame, Panel, RichText, Ui};
use molehill_replay::image::RgbaImage;

use super::{App, keys};
use crate::icons::{self, Icon};
use crate::link::Link;
use crate::panels::compare::Baseline;
use crate::panels::{
    PanelAction, act, activity, calls, compare, edit, link, mesh, object, objects, pixel, programs,
    stage, state, step, tabs, textures, time, transport, tree, warnings, welcome,
};
use crate::session::Session;
use crate::theme::{palette, switch_theme};

choices! { pub(super) enum LeftTab, LEFT_TABS: Frame Calls Objects }

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Center {
    #[default]
    Stage,
    Compare,
}

choices! {
    pub(super) enum RightTab, RIGHT_TABS:
    State Programs Textures Mesh Pixel Time Warnings Object Edit Compare
}

/// Window widths in points: below the first, side panels are initially closed; below the second, only one can be open.
const SMALL: f32 = 900.0;
const NARROW: f32 = 620.0;
/// The right panel's width for a single row of tabs, used if at least `WIDE` points of the window remain.
const TABS: f32 = 494.0;
const WIDE: f32 = 900.0;
/// Minimum window height, in points, at which the activity strip is shown.
const TALL: f32 = 560.0;

#[derive(Default)]
pub(super) struct PanelViews {
    pub(super) left_tab: LeftTab,
    pub(super) center: Center,
    pub(super) right_tab: RightTab,
    pub(super) left: bool,
    pub(super) right: bool,
    /// True if the top and side panels are hidden.
    pub(super) full: bool,
    pub(super) stage: stage::StagePanel,
    pub(super) compare: compare::CompareView,
    pub(super) edit: edit::EditView,
    pub(super) tree: tree::TreeView,
    calls: calls::CallsView,
    objects: objects::ObjectsView,
    object: object::ObjectView,
    state: state::StateView,
    programs: programs::ProgramsView,
    textures: textures::TexturesView,
    mesh: mesh::MeshView,
    step: step::StepView,
    time: time::TimeView,
    /// True if the left panel was open in the last UI frame.
    was_left: bool,
    /// True if `left` and `right` have been initialized from the window's width.
    initialized: bool,
}

impl PanelViews {
    /// In a narrow window, closes all side panels except the last opened one.
    fn one_panel(&mut self, narrow: bool) {
        if narrow && self.left && self.right {
            (self.left, self.right) = (!self.was_left, self.was_left);
        }
        self.was_left = self.left;
    }

    /// Opens the pixel tab if a link selects a pixel.
    pub(super) fn follow(&mut self, link: &Link) {
        if link.at.is_some() {
            self.right_tab = RightTab::Pixel;
        }
    }
}

impl App {
    /// Opens a panel on the right side, by its name in [`App::panels`].
    pub fn show_panel(&mut self, name: &str) {
        let tab = RIGHT_TABS.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
        tab.into_iter().for_each(|(tab, _)| self.views.right_tab = *tab);
    }

    /// Returns the names of the panels on the right side.
    pub fn panels() -> impl Iterator<Item = &'static str> {
        RIGHT_TABS.iter().map(|(_, name)| *name)
    }
}

pub(super) fn show(ui: &mut Ui, app: &mut App, scroll: bool) {
    if !app.views.initialized {
        let small = ui.ctx().content_rect().width() < SMALL;
        (app.views.left, app.views.right, app.views.initialized) = (!small, !small, true);
    }
    let full = app.views.full && app.session.is_some();
    if !full {
        Panel::top("top").show(ui, |ui| top(ui, app));
    }
    if app.session.is_some() {
        Panel::bottom("transport").show(ui, |ui| bottom(ui, app));
    }
    let Some(session) = &mut app.session else {
        let opening = app.opening.as_deref().map(|name| (name, app.worker.progress().fraction()));
        let recent = &app.recent.paths;
        let wanted = CentralPanel::default()
            .show(ui, |ui| welcome::show(ui, opening, app.error.as_deref(), recent));
        return app.want(wanted.inner);
    };
    let views = &mut app.views;
    let width = ui.available_width();
    let narrow = width < NARROW;
    views.one_panel(narrow);
    if views.left && !full {
        let least = if narrow { width - 24.0 } else { 180.0 };
        let panel =
            Panel::left("left").default_size(290.0).size_range(least..=least.max(width * 0.4));
        panel.show(ui, |ui| fixed(ui, |ui| left(ui, session, views, scroll)));
    }
    if views.right && !full {
        let room = ui.available_width();
        let least_default = if room < WIDE { 240.0 } else { TABS };
        let default = (room * 0.45).clamp(least_default, TABS);
        let least = if narrow { width - 24.0 } else { 220.0 };
        let most = least.max(ui.available_width() - 260.0);
        let panel = Panel::right("right").default_size(default).size_range(least..=most);
        let stage = app.player.as_ref().and_then(|player| Some(&**player.screen()?));
        panel.show(ui, |ui| fixed(ui, |ui| right(ui, session, views, stage)));
    }
    if narrow && (views.left || views.right) && !full {
        return drop(CentralPanel::default().show(ui, |_| {}));
    }
    let frame = Frame::central_panel(ui.style()).inner_margin(4.0);
    CentralPanel::default().frame(frame).show(ui, |ui| {
        let footer = if full { 0.0 } else { 18.0 };
        let size = egui::vec2(ui.available_width(), (ui.available_height() - footer).max(40.0));
        ui.allocate_ui(size, |ui| match views.center {
            Center::Stage => {
                let atlas = app.thumbnails.as_ref().map(super::Thumbnails::atlas);
                let stand_in = atlas.as_ref().filter(|_| !app.transport.playing);
                stage::show(ui, session, (app.player.as_ref(), stand_in), &mut views.stage);
            }
            Center::Compare => {
                let baseline = app.baseline.as_ref().and_then(|other| other.player.as_ref());
                let sides = [app.player.as_ref(), baseline].map(|player| player?.screen().cloned());
                let sides = compared(session, views, sides);
                compare::pictures(ui, session, &mut views.compare, sides);
            }
        });
        if !full {
            stage::footer(ui, &views.stage);
        }
    });
}

/// Returns both images of a comparison. An image that isn't drawn yet is `None`.
fn compared(
    session: &mut Session,
    views: &PanelViews,
    [here, baseline]: [Option<Arc<RgbaImage>>; 2],
) -> [Option<Arc<RgbaImage>>; 2] {
    let frame = session.frame_number();
    let before = session.selection.frame.checked_sub(1);
    let before = before.and_then(|before| Some(session.capture.frames().get(before)?.number));
    let mut drawn = |frame: Option<u32>| known!(session.answer, Screen(frame?)).cloned();
    let there = match &views.compare.baseline {
        Baseline::Reference => drawn(frame),
        Baseline::FrameBefore => drawn(before),
        Baseline::Capture(_) | Baseline::Edited => baseline,
        Baseline::Picture(_, image) => Some(Arc::clone(image)),
    };
    [here, there]
}

fn top(ui: &mut Ui, app: &mut App) {
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        let narrow = ui.available_width() < NARROW;
        if !narrow || app.session.is_none() {
            ui.label(RichText::new("Molehill").strong());
        }
        if let Some(session) = &app.session {
            let (tabs, left) = ("Frame, Calls, Objects", &mut app.views.left);
            icons::toggle(ui, Icon::LeftPanel, "Left panel", tabs, left);
            history(ui, session);
            let (capture, header) = (&session.capture, session.capture.header());
            let name = if header.title.is_empty() { &session.name } else { &header.title };
            ui.separator();
            let (width, height) = (header.stage_width, header.stage_height);
            let (frames, calls) = (capture.frames().len(), capture.call_count());
            let hover =
                format!("{}\n{width}×{height}, {frames} frames, {calls} calls", session.name);
            let room = (ui.available_width() - if narrow { 120.0 } else { 240.0 }).max(30.0);
            ui.scope(|ui| {
                ui.set_max_width(room);
                ui.add(egui::Label::new(name).truncate()).on_hover_text(hover);
            });
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let dark = ui.visuals().dark_mode;
            let icon = if dark { Icon::Sun } else { Icon::Moon };
            if icons::button(ui, icon, "Dark or light theme", "L", false).clicked() {
                switch_theme(ui.ctx());
            }
            let can_open = app.session.is_some() && !narrow && !cfg!(target_arch = "wasm32");
            if can_open && ui.button("Open…").clicked() {
                app.choose_file();
            }
            ui.menu_button(if narrow { "?" } else { "Shortcuts" }, |ui| {
                egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
                    for (key, what) in keys::HELP {
                        ui.label(RichText::new(key).monospace());
                        ui.label(what);
                        ui.end_row();
                    }
                });
            });
            if app.session.is_some() {
                let tabs = "State, Programs, Textures, Mesh, Pixel, …";
                icons::toggle(ui, Icon::RightPanel, "Right panel", tabs, &mut app.views.right);
            }
            if app.worker.is_busy() {
                let percent = (app.worker.fraction() * 100.0).round();
                ui.add(egui::Spinner::new().size(14.0))
                    .on_hover_text(format!("Working: {percent} %"));
            }
        });
    });
    if app.session.is_some() {
        messages(ui, app);
    }
    if let Some(session) = &mut app.session {
        place(ui, session);
    }
}

fn history(ui: &mut Ui, session: &Session) {
    let [back, forth] = session.can_go();
    for (icon, name, keys, can, action) in [
        (Icon::Return, "Back", "Alt+Left", back, PanelAction::Back),
        (Icon::Arrow, "Forth", "Alt+Right", forth, PanelAction::Forth),
    ] {
        ui.add_enabled_ui(can, |ui| {
            if icons::button(ui, icon, name, keys, false).clicked() {
                act(ui, action);
            }
        });
    }
}

/// Shows the most important anomaly and its reason.
fn place(ui: &mut Ui, session: &mut Session) {
    let Some(place) = &session.scan.place else { return };
    let index = session.index_of(place.frame);
    let (name, action) = match place.call {
        Some(call) => (format!("Call {call} of frame {}", place.frame), PanelAction::Call(call)),
        None => (format!("Frame {}", place.frame), PanelAction::Frame(index)),
    };
    let is_shown = (session.selection.frame, session.selection.call) == (index, place.call);
    let before = if is_shown { "is shown, because" } else { "is notable, because" };
    let reason = place.reason.as_deref().unwrap_or_default();
    let close = ui.horizontal_wrapped(|ui| {
        let close = icons::button(ui, Icon::Close, "Dismiss", "", false);
        link(ui, name, action);
        ui.label(format!("{before} {reason}"));
        close.clicked()
    });
    if close.inner {
        session.scan.place = None;
    }
}

/// Shows the last error, and the progress of a capture that is being opened.
fn messages(ui: &mut Ui, app: &mut App) {
    if let Some(error) = &app.error {
        let color = palette(ui.visuals()).error;
        let close = ui.horizontal_wrapped(|ui| {
            let close = icons::button(ui, Icon::Close, "Dismiss", "", false);
            ui.label(RichText::new(error).color(color));
            close.clicked()
        });
        if close.inner {
            app.error = None;
        }
    }
    if let Some(name) = &app.opening {
        ui.horizontal(|ui| {
            ui.label(format!("Opening {name}…"));
            let fraction = app.worker.progress().fraction().unwrap_or(0.0);
            ui.add(egui::ProgressBar::new(fraction).desired_width(160.0));
        });
    }
}

fn bottom(ui: &mut Ui, app: &mut App) {
    let Some(session) = &mut app.session else { return };
    ui.add_space(2.0);
    let atlas = app.thumbnails.as_ref().map(super::Thumbnails::atlas);
    let changed = app.thumbnails.as_ref().map_or(&[][..], super::Thumbnails::changed);
    let tall = ui.ctx().content_rect().height() >= TALL;
    let lanes = if tall { activity::lanes(session, changed) } else { Vec::new() };
    transport::timeline(ui, session, atlas.as_ref(), &lanes);
    let replays = app.player.as_ref().filter(|player| !player.arrived && !app.transport.playing);
    let fraction = replays.map(crate::player::InspectorPlayer::fraction);
    let full = &mut app.views.full;
    if transport::buttons(ui, session, &mut app.transport, full, fraction) {
        (app.views.right_tab, app.views.right) = (RightTab::Warnings, true);
    }
    ui.add_space(2.0);
}

/// Shows widgets in the whole panel. Clips content that is too wide, so that it doesn't widen the panel.
fn fixed(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, egui::Sense::hover());
    let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(rect));
    inside.set_clip_rect(rect.intersect(ui.clip_rect()));
    content(&mut inside);
}

fn left(ui: &mut Ui, session: &mut Session, views: &mut PanelViews, scroll: bool) {
    ui.add_space(2.0);
    let before = views.left_tab;
    ui.horizontal(|ui| tabs(ui, &mut views.left_tab, LEFT_TABS));
    // When a list is opened, it scrolls to the selection.
    let scroll = scroll || views.left_tab != before;
    ui.separator();
    match views.left_tab {
        LeftTab::Frame => tree::show(ui, session, &mut views.tree, scroll),
        LeftTab::Calls => calls::show(ui, session, &mut views.calls, scroll),
        LeftTab::Objects => objects::show(ui, session, &mut views.objects),
    }
}

fn right(ui: &mut Ui, session: &mut Session, views: &mut PanelViews, screen: Option<&RgbaImage>) {
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.spacing_mut().button_padding.x = 4.0;
        tabs(ui, &mut views.right_tab, RIGHT_TABS);
    });
    ui.separator();
    let compares = views.center == Center::Compare;
    ui.push_id(views.right_tab as u8, |ui| match views.right_tab {
        RightTab::State => state::show(ui, session, &mut views.state),
        RightTab::Programs => programs::show(ui, session, &mut views.programs),
        RightTab::Textures => textures::show(ui, session, &mut views.textures),
        RightTab::Mesh => mesh::show(ui, session, &mut views.mesh),
        RightTab::Pixel if session.selection.step.is_some() => {
            let mut token = None;
            step::show(ui, session, &mut views.step, &mut token);
            // Highlight the selected instruction in the programs tab, too.
            if token.is_some() {
                (views.programs.vertex, views.programs.chosen) = (false, token);
            }
        }
        RightTab::Pixel => pixel::show(ui, session, screen),
        RightTab::Time => time::show(ui, session, &mut views.time),
        RightTab::Warnings => warnings::show(ui, session),
        RightTab::Object => object::show(ui, session, &mut views.object),
        RightTab::Edit => edit::show(ui, session, &mut views.edit, compares),
        RightTab::Compare => compare::show(ui, session, &mut views.compare, compares),
    });
}
