//! The application around the panels: open captures, layout, keyboard shortcuts and dropped files.

mod files;
mod keys;
mod remote;
mod thumbnails;
mod view;

use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{self, Ui};
use molehill_analysis::Capture;

use crate::gl::{CanvasRegister, EguiGl};
use crate::link::Link;
use crate::panels::compare::Baseline;
use crate::panels::files::FilesDialog;
use crate::panels::transport::Transport;
use crate::panels::{PanelAction, compare, edit, take_actions};
use crate::picture::evict_unused;
use crate::player::{InspectorPlayer, PlayPosition};
use crate::session::Session;
use crate::source::{CaptureSource, EDITED, SourceContent};
use crate::theme;
use crate::worker::{InspectorQuestion, InspectorWorker, Message, QuestionRole};
use files::RecentFiles;
pub use remote::{Remote, RemoteRequest, RemoteStatus};
use thumbnails::Thumbnails;
use view::{Center, PanelViews, RightTab};

/// Time budgets of the replay per UI frame: if the window also updates something else, and if it doesn't.
const REPLAY_TIME: Duration = Duration::from_millis(24);
const LONG_REPLAY_TIME: Duration = Duration::from_millis(120);
/// Time budget of the thumbnails per UI frame, after the replay has reached the selection.
const THUMBNAILS_TIME: Duration = Duration::from_millis(8);

/// The capture with which the open capture is compared. Without OpenGL, `player` is `None`.
struct BaselineCapture {
    capture: Arc<Capture>,
    player: Option<InspectorPlayer>,
}

pub struct App {
    worker: InspectorWorker,
    remote: Remote,
    gl: Option<EguiGl>,
    session: Option<Session>,
    player: Option<InspectorPlayer>,
    thumbnails: Option<Thumbnails>,
    baseline: Option<BaselineCapture>,
    views: PanelViews,
    transport: Transport,
    opening: Option<String>,
    recent: RecentFiles,
    files: FilesDialog,
    opening_file: Option<std::path::PathBuf>,
    title: String,
    /// The message of the last error, until the user closes it.
    error: Option<String>,
    /// The error of a source or link that couldn't be opened. The error is kept until another source opens.
    unopened: Option<String>,
    /// The link to apply when the next capture opens.
    link: Link,
    scroll_to_selection: bool,
}

impl App {
    /// Creates an app without a capture. `gl` is the window's OpenGL context. Without OpenGL, the slow reference
    /// renderer renders the stage.
    pub fn new(context: &egui::Context, gl: Result<EguiGl, String>, remote: Remote) -> App {
        theme::apply(context);
        let wake = context.clone();
        let no_gl = "OpenGL is not available; the reference renderer draws instead";
        let error = gl.as_ref().err().map(|error| format!("{no_gl}: {error}"));
        App {
            worker: InspectorWorker::new(move || wake.request_repaint()),
            remote,
            gl: gl.ok(),
            session: None,
            player: None,
            thumbnails: None,
            baseline: None,
            views: PanelViews::default(),
            transport: Transport::default(),
            opening: None,
            recent: RecentFiles::default(),
            files: FilesDialog::default(),
            opening_file: None,
            title: String::new(),
            error,
            unopened: None,
            link: Link::default(),
            scroll_to_selection: false,
        }
    }

    /// Returns whether the app is idle and no thumbnail is pending.
    fn is_complete(&self) -> bool {
        self.is_idle() && self.thumbnails.as_ref().is_none_or(Thumbnails::is_complete)
    }

    /// Returns whether no replay and no query is pending.
    pub fn is_idle(&self) -> bool {
        !self.replays() && !self.worker.is_busy()
    }

    /// Returns whether the reference renderer's images of the selected draw are known, so that they can be shown until
    /// the replay finishes.
    fn has_pictures(&self) -> bool {
        let has = |session: &Session| {
            let call = session.selection.call;
            call.is_some_and(|call| session.cached(&InspectorQuestion::Draw(call)).is_some())
        };
        self.opening.is_none() && self.session.as_ref().is_some_and(has)
    }

    /// Returns whether a capture is being opened, or the replay has not reached the selection.
    fn replays(&self) -> bool {
        let baseline = self.baseline.iter().filter_map(|baseline| baseline.player.as_ref());
        let mut players = self.player.iter().chain(baseline);
        self.opening.is_some() || players.any(InspectorPlayer::replays)
    }

    fn open(&mut self, role: QuestionRole, source: CaptureSource) {
        if role == QuestionRole::Main {
            self.opening = Some(source.name());
            (self.error, self.unopened) = (None, None);
            self.opening_file = match &source {
                CaptureSource::File(path) => Some(path.clone()),
                CaptureSource::Edited(..) | CaptureSource::Bytes { .. } => None,
            };
        }
        self.worker.open(role, source);
    }

    fn handle_requests(&mut self) {
        for request in self.remote.take() {
            match request {
                RemoteRequest::Open(role, source) => self.open(role, source),
                RemoteRequest::Follow(link) => {
                    match (&mut self.session, &self.opening) {
                        (Some(session), None) => {
                            session.moved(false, |session| session.follow(link.clone()));
                        }
                        _ => self.link = link.clone(),
                    }
                    self.views.follow(&link);
                    self.scroll_to_selection = true;
                }
                RemoteRequest::Fail(error) => {
                    self.opening = None;
                    self.refuse(error);
                }
            }
        }
    }

    fn read_answers(&mut self, register: CanvasRegister<'_>) {
        for message in self.worker.poll(self.replays() && self.opening.is_none()) {
            match message {
                Message::Dropped { capture, question } => {
                    if let Some(session) = &mut self.session {
                        session.dropped(capture, &question);
                    }
                }
                Message::Answered { capture, question, reply } => {
                    if let Some(session) = &mut self.session {
                        session.take(capture, question, reply);
                    }
                }
                Message::Opened { role, capture, name, content } => {
                    if role == QuestionRole::Main {
                        self.opening = None;
                    }
                    match (role, content) {
                        (QuestionRole::Main, Ok(SourceContent::Capture(opened))) => {
                            if let Some(path) = self.opening_file.take() {
                                self.recent.add(&path);
                            }
                            self.opened(opened, name, capture, register);
                        }
                        (QuestionRole::Main, Ok(SourceContent::Picture(_)))
                            if self.session.is_none() =>
                        {
                            let hint = "open a capture first, then drop it again";
                            self.refuse(format!("{name} is an image: {hint}"));
                        }
                        (QuestionRole::Baseline, Ok(SourceContent::Capture(opened))) => {
                            self.compare(opened, name, register);
                        }
                        // An opened image always becomes the second side of a comparison.
                        (_, Ok(SourceContent::Picture(image))) => {
                            self.baseline = None;
                            self.begin_comparison(Baseline::Picture(name, image));
                        }
                        (_, Err(error)) => self.refuse(error),
                    }
                }
            }
        }
    }

    /// Shows the error of a source that can't be opened, or of a link to a missing frame or call.
    fn refuse(&mut self, error: String) {
        (self.error, self.unopened) = (Some(error.clone()), Some(error));
    }

    fn opened(
        &mut self,
        capture: Arc<Capture>,
        name: String,
        number: u64,
        register: CanvasRegister<'_>,
    ) {
        let failure = capture.failure();
        self.error =
            failure.map(|text| format!("{name}: {text}; the content before the error is shown"));
        self.baseline = None;
        self.views.compare = compare::CompareView::default();
        self.views.edit = edit::EditView::default();
        self.views.center = Center::Stage;
        self.transport.playing = false;
        (self.player, self.thumbnails) = (None, None);
        if let Some(gl) = &self.gl {
            match InspectorPlayer::new(gl, Arc::clone(&capture), register) {
                Ok(player) => self.player = Some(player),
                Err(error) => self.error = Some(error.to_string()),
            }
            self.thumbnails = Thumbnails::new(gl, &capture, register).ok();
        }
        let link = std::mem::take(&mut self.link);
        self.session = Some(Session::new(capture, name, number, link));
        self.scroll_to_selection = true;
    }

    fn compare(&mut self, capture: Arc<Capture>, name: String, register: CanvasRegister<'_>) {
        let baseline = if name == EDITED { Baseline::Edited } else { Baseline::Capture(name) };
        let player =
            self.gl.as_ref().map(|gl| InspectorPlayer::new(gl, Arc::clone(&capture), register));
        match player.transpose() {
            Ok(player) => self.baseline = Some(BaselineCapture { capture, player }),
            Err(error) => self.error = Some(error.to_string()),
        }
        self.begin_comparison(baseline);
    }

    fn begin_comparison(&mut self, baseline: Baseline) {
        if let Some(session) = &mut self.session {
            session.compare(matches!(baseline, Baseline::Capture(_) | Baseline::Picture(..)));
        }
        self.views.center = Center::Compare;
        if !matches!(baseline, Baseline::Edited) {
            self.views.right_tab = RightTab::Compare;
        } else if matches!(self.views.compare.baseline, Baseline::Edited) {
            return;
        }
        self.views.compare = compare::CompareView::with(baseline);
    }

    /// Advances playback, and replays towards the selection within the time budgets.
    fn replay(&mut self, context: &egui::Context) {
        let Some(session) = &mut self.session else { return };
        let seconds = f64::from(context.input(|input| input.stable_dt).min(0.5));
        // Queries about a new selection wait until the replay has finished.
        let asks = session.settled || !session.is_answered();
        let busy = self.transport.playing || asks || context.input(|it| !it.events.is_empty());
        let budget = if busy { REPLAY_TIME } else { LONG_REPLAY_TIME };
        if let Some(player) = &mut self.player {
            if let Some(frame) = self.transport.tick(session, seconds, player.arrived) {
                session.select_frame(frame);
            }
            // A comparison shows the complete frame of the selected call.
            let call = session.selection.call;
            player.seek(match call.filter(|_| self.views.center == Center::Stage) {
                Some(call) => PlayPosition::Call(call),
                None => PlayPosition::Frame(session.selection.frame),
            });
            if !self.transport.playing
                && let Some(records) = player.wants_shortcut()
                && let Some(shortcut) = known!(session.answer, Shortcut(records))
            {
                player.take_shortcut(shortcut);
            }
            let mut ended = |player: &mut InspectorPlayer, frame: usize| {
                self.thumbnails.iter_mut().for_each(|all| all.take(player, frame));
            };
            player.advance(budget, !self.transport.playing, &mut ended);
            if player.arrived && !self.transport.playing {
                player.read_screen();
            } else if player.failure.is_none() {
                context.request_repaint();
            }
        } else if let Some(frame) = self.transport.tick(session, seconds, true) {
            session.select_frame(frame);
        }
        if self.transport.playing {
            context.request_repaint();
        }
        let arrived = self.player.as_ref().is_none_or(|player| !player.replays());
        let settled = !self.transport.playing && arrived && session.is_answered();
        if std::mem::replace(&mut session.settled, settled) && !settled {
            self.worker.make_way();
        }
        if settled {
            if session.scan_on() {
                self.scroll_to_selection = true;
                context.request_repaint();
            }
            session.explain_on();
            if let Some(thumbnails) = &mut self.thumbnails
                && thumbnails.advance(THUMBNAILS_TIME)
            {
                context.request_repaint_after(Duration::from_millis(30));
            }
        }
        // Web pages don't prepare checkpoints, because they have only one thread.
        if settled && !cfg!(target_arch = "wasm32") {
            session.ask(InspectorQuestion::Prepare);
        }
        self.replay_baseline(context, budget);
    }

    /// Replays the compared capture to the frame with the same number.
    fn replay_baseline(&mut self, context: &egui::Context, budget: Duration) {
        let Some(session) = &self.session else { return };
        let frame = session.frame_number();
        if let (Some(BaselineCapture { capture, player: Some(player) }), Some(number)) =
            (&mut self.baseline, frame)
        {
            let frames = capture.frames();
            let index = frames.iter().position(|frame| frame.number == number);
            let last = frames.len().saturating_sub(1);
            player.seek(PlayPosition::Frame(index.unwrap_or(last)));
            player.advance(budget, true, &mut |_, _| {});
            if player.replays() {
                context.request_repaint();
            }
        }
    }

    fn act(&mut self, actions: impl IntoIterator<Item = PanelAction>) {
        let Some(session) = &mut self.session else { return };
        for action in actions {
            self.scroll_to_selection |=
                !matches!(action, PanelAction::Pixel(..) | PanelAction::Object(_));
            match action {
                PanelAction::Frame(index) => session.moved(false, |it| it.select_frame(index)),
                PanelAction::Scrub(index) => session.moved(true, |it| it.select_frame(index)),
                PanelAction::Call(call) => {
                    self.transport.playing = false;
                    session.moved(false, |session| session.select_call(call));
                }
                PanelAction::Back | PanelAction::Forth => {
                    self.transport.playing = false;
                    if action == PanelAction::Back { session.go_back() } else { session.go_forth() }
                }
                PanelAction::Pixel(texture, at) => {
                    self.transport.playing = false;
                    session.moved(false, |session| session.select_pixel(texture, at));
                    if self.views.right_tab != RightTab::Compare {
                        self.views.right_tab = RightTab::Pixel;
                    }
                    self.views.right = true;
                }
                PanelAction::Step(call, fragment) => {
                    session.moved(false, |session| {
                        session.select_call(call);
                        session.selection.step = Some((call, fragment));
                    });
                    self.views.right_tab = RightTab::Pixel;
                }
                PanelAction::Object(id) => {
                    session.moved(false, |session| session.selection.object = Some(id));
                    self.views.right_tab = RightTab::Object;
                    self.views.right = true;
                }
                PanelAction::EndStep => {
                    session.moved(false, |session| session.selection.step = None)
                }
                PanelAction::Play => {
                    self.transport.playing = !self.transport.playing;
                    session.select_frame(session.selection.frame);
                    self.views.center = Center::Stage;
                }
                PanelAction::Compare(on) => {
                    self.views.center = if on { Center::Compare } else { Center::Stage }
                }
            }
        }
    }

    /// Applies the edits of the Edit tab if the user changed them.
    fn edit(&mut self, context: &egui::Context) {
        let (Some(session), edit) = (&mut self.session, &mut self.views.edit) else { return };
        match edit::take(context) {
            Some(Ok(changes)) => {
                edit.add(changes);
                (self.views.right_tab, self.views.right) = (RightTab::Edit, true);
            }
            Some(Err(error)) => self.error = Some(error),
            None => {}
        }
        if let Some(text) = edit.altered(&session.capture) {
            if text.is_empty() {
                self.views.center = Center::Stage;
                return;
            }
            self.worker.open(
                QuestionRole::Baseline,
                CaptureSource::Edited(Arc::clone(&session.capture), text),
            );
        }
        let drawn = self.baseline.is_some();
        let drawn = drawn && matches!(self.views.compare.baseline, Baseline::Edited);
        self.error = edit.save(session, drawn).or(self.error.take());
        if edit.choosing.is_some() && !self.files.is_open() {
            self.choose_file();
        }
    }

    /// Runs a UI frame. `register` registers an OpenGL texture with egui.
    pub fn show(&mut self, ui: &mut Ui, register: CanvasRegister<'_>) {
        let context = ui.ctx().clone();
        #[cfg(not(target_arch = "wasm32"))]
        self.read_drops(&context);
        self.handle_requests();
        self.read_answers(register);
        keys::handle(&context, self);
        if let Some(error) = self.session.as_mut().and_then(|session| session.not_found.take()) {
            self.refuse(error);
        }
        self.replay(&context);
        if let Some(gl) = &self.gl {
            gl.prepare(ui);
        }
        let scroll = std::mem::take(&mut self.scroll_to_selection);
        view::show(ui, self, scroll);
        let actions = take_actions(&context);
        self.show_drop(&context);
        self.edit(&context);
        if let Some(path) = self.files.show(&context) {
            match self.views.edit.choosing.take() {
                Some(index) => self.views.edit.set_picture(index, &path.display().to_string()),
                None => self.open(QuestionRole::Main, CaptureSource::File(path)),
            }
        } else if !self.files.is_open() {
            self.views.edit.choosing = None;
        }
        self.show_title(&context);
        // Lists can scroll to the selection only once they have content.
        self.scroll_to_selection =
            self.session.as_ref().is_some_and(|session| session.outline().is_none());
        self.act(actions);
        if let Some(session) = &mut self.session {
            session.send(&self.worker);
        }
        evict_unused(&context);
        self.remote.set_status(self.status(&context));
        if (self.scroll_to_selection
            && self.session.as_ref().is_some_and(|session| session.outline().is_some()))
            || (cfg!(target_arch = "wasm32") && self.worker.is_busy())
        {
            context.request_repaint();
        }
        if self.opening.is_some() {
            context.request_repaint_after(Duration::from_millis(50));
        }
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        #[cfg(not(target_arch = "wasm32"))]
        self.show(ui, &mut |texture| frame.register_native_glow_texture(texture));
        // On web pages, egui shows only its own textures: see `EguiGl::with_textures`.
        #[cfg(target_arch = "wasm32")]
        {
            let _ = frame;
            self.show(ui, &mut |_| egui::TextureId::default());
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    #[cfg(target_arch = "wasm32")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }
}
