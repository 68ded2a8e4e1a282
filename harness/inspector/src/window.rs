//! The command line and the window.

use std::cell::Cell;
use std::ffi::CString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use clap::Parser as _;
use clap::builder::PossibleValuesParser;
use eframe::egui::mutex::Mutex;
use eframe::egui::{self, ThemePreference};
use molehill_analysis::FrameSelection;
use molehill_inspector::app::{App, Remote, RemoteRequest, RemoteStatus};
use molehill_inspector::gl::EguiGl;
use molehill_inspector::link::{self, Link};
use molehill_inspector::source::CaptureSource;
use molehill_inspector::worker::QuestionRole;
use molehill_queries::question::place;
use molehill_replay::image::{RgbaImage, write_png};

/// Plays a capture in a window, and shows the draws, state and pixels of its frames
#[derive(clap::Parser)]
#[command(
    name = "molehill-inspector",
    version,
    after_help = "Example:\n  molehill-inspector game.s3d --frame 3 --draw 12 --at 100,80"
)]
struct WindowArguments {
    /// The capture [default: chosen in the window]
    capture: Option<PathBuf>,
    /// A capture or a PNG image to compare with the capture
    #[arg(long, value_name = "FILE", requires = "capture")]
    compare: Option<PathBuf>,
    /// The frame, by its number in the capture, or last
    #[arg(long, value_name = "N", requires = "capture", value_parser = single)]
    frame: Option<FrameSelection>,
    /// A draw of the frame, counted from 1
    #[arg(long, value_name = "N", requires = "capture", conflicts_with = "call")]
    draw: Option<u32>,
    /// A call, by its number in the capture, or last
    #[arg(long, value_name = "N", requires = "capture", value_parser = single)]
    call: Option<FrameSelection>,
    /// Shows the history of this pixel of the stage; with --step, a pixel of the draw's target
    #[arg(long, value_name = "X,Y", requires = "capture", value_parser = place)]
    at: Option<(u32, u32)>,
    /// Runs the program of the draw for this pixel step by step
    #[arg(long, requires = "at")]
    step: bool,
    /// The panel on the right
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = PossibleValuesParser::new(App::panels()))]
    panel: Option<String>,
    /// Writes a screenshot after the replay and all queries have finished, and ends
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// Draws images with N times the width and height, like MOLEHILL_SCALE; MOLEHILL_SAMPLES and the other MOLEHILL_ variables still apply
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    scale: Option<u8>,
    /// The window's size
    #[arg(long, value_name = "WIDTH,HEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// The colours
    #[arg(long, default_value = "system", value_parser = PossibleValuesParser::new(THEMES.map(|(name, _)| name)))]
    theme: String,
}

impl WindowArguments {
    fn link(&self) -> Link {
        Link {
            frame: self.frame.clone(),
            draw: self.draw.map(|draw| draw as usize),
            call: self.call.clone(),
            at: self.at,
            step: self.step,
            ..Link::default()
        }
    }
}

const THEMES: [(&str, ThemePreference); 3] = [
    ("dark", ThemePreference::Dark),
    ("light", ThemePreference::Light),
    ("system", ThemePreference::System),
];

fn single(text: &str) -> Result<FrameSelection, String> {
    link::single(text).map_err(|expected| format!("expected {expected}"))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let size = molehill_capture::pair(text, ',');
    size.ok_or_else(|| "expected width and height, such as 640,480".to_owned())
}

struct WindowState {
    app: App,
    screenshot: Option<PathBuf>,
    /// Number of consecutive UI frames in which nothing was pending.
    idle_frames: u32,
    shot: Option<Arc<Mutex<Option<Arc<egui::ColorImage>>>>>,
    outcome: Rc<Cell<Option<String>>>,
    remote: Remote,
    began: Instant,
}

/// Number of idle UI frames before the screenshot, so that the layout includes the last result.
const IDLE_FRAMES: u32 = 4;

impl eframe::App for WindowState {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        eframe::App::ui(&mut self.app, ui, frame);
        let Some(path) = self.screenshot.clone() else { return };
        let context = ui.ctx();
        context.request_repaint();
        if let Some(shot) = &self.shot {
            if let Some(image) = shot.lock().take() {
                self.outcome.set(save(&path, &image).err());
                self.screenshot = None;
                context.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            return;
        }
        let status = self.remote.status();
        if status.unopened.is_some() {
            self.outcome.set(status.unopened);
            self.screenshot = None;
            return context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        self.idle_frames = if status.complete { self.idle_frames + 1 } else { 0 };
        if self.idle_frames > IDLE_FRAMES {
            let slot = Arc::new(Mutex::new(None));
            let shot = Arc::clone(&slot);
            let callback = egui::ScreenshotCallback::new(move |image| {
                *slot.lock() = Some(image);
            });
            context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
            print_status(&status, self.began);
            self.shot = Some(shot);
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        self.app.clear_color(visuals)
    }
}

/// Prints a line that describes the screenshot, and the displayed error. Ignores write errors.
fn print_status(status: &RemoteStatus, began: Instant) {
    let RemoteStatus { fragment, events, error, .. } = status;
    let seconds = began.elapsed().as_secs_f32();
    if let Some(error) = error {
        let _ = writeln!(std::io::stderr(), "molehill-inspector: {error}");
    }
    let _ = writeln!(
        std::io::stdout(),
        "{fragment}: {events} events of the pixel, after {seconds:.1} s"
    );
}

fn save(path: &std::path::Path, image: &egui::ColorImage) -> Result<(), String> {
    let side = |side: usize| u32::try_from(side).unwrap_or(0);
    let [width, height] = image.size;
    let rgba = image.pixels.iter().flat_map(|pixel| {
        let [r, g, b, _] = pixel.to_array();
        [r, g, b, 255]
    });
    let picture = RgbaImage::from_rgba(side(width), side(height), rgba.collect());
    let picture = picture.ok_or("the screenshot has another size than the window")?;
    write_png(path, &picture).map_err(|error| format!("{}: {error}", path.display()))
}

#[expect(unsafe_code, reason = "the context is the window's")]
fn open_gl(creation: &eframe::CreationContext<'_>) -> Result<EguiGl, String> {
    let functions = creation.gl.clone().ok_or("the window has no OpenGL")?;
    let loader =
        creation.get_proc_address.clone().ok_or("the window has no loader of OpenGL functions")?;
    let loader = move |name: &str| loader(&CString::new(name).unwrap_or_default());
    // SAFETY: eframe keeps the window's context current on this thread, and drops the app before the context.
    unsafe { EguiGl::new(functions, &loader) }.map_err(|error| error.to_string())
}

/// Returns the folder of the window's persistent state.
fn state_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = || Some(PathBuf::from(variable("HOME")?).join(".local/state"));
    let folder = variable("XDG_STATE_HOME").or_else(|| variable("LOCALAPPDATA"));
    Some(folder.map(PathBuf::from).or_else(home)?.join("molehill"))
}

pub(crate) fn main() -> ExitCode {
    env_logger::init();
    let arguments = WindowArguments::parse();
    let remote = Remote::default();
    let link = arguments.link();
    if let Some(path) = arguments.capture {
        remote.send(RemoteRequest::Open(QuestionRole::Main, CaptureSource::File(path)));
        remote.send(RemoteRequest::Follow(link));
    }
    if let Some(path) = arguments.compare {
        remote.send(RemoteRequest::Open(QuestionRole::Baseline, CaptureSource::File(path)));
    }
    let size = arguments.size.unwrap_or((1240, 740));
    let size = [size.0, size.1].map(|side| f32::from(u16::try_from(side).unwrap_or(u16::MAX)));
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Molehill inspector")
            .with_app_id("molehill-inspector")
            .with_inner_size(size)
            .with_clamp_size_to_monitor_size(true)
            .with_min_inner_size([360.0, 300.0])
            .with_drag_and_drop(true),
        // Dithering would change the colours of the displayed stage.
        dithering: false,
        ..eframe::NativeOptions::default()
    };
    let theme = THEMES.iter().find(|(name, _)| *name == arguments.theme);
    let theme = theme.map_or(ThemePreference::System, |(_, theme)| *theme);
    let outcome = Rc::new(Cell::new(None));
    let window_outcome = Rc::clone(&outcome);
    let result = eframe::run_native(
        "molehill-inspector",
        options,
        Box::new(move |creation| {
            creation.egui_ctx.set_theme(theme);
            remote.set_context(creation.egui_ctx.clone());
            let gl = open_gl(creation).map(|mut gl| {
                let options = &mut gl.sharpness.options;
                options.scale = arguments.scale.unwrap_or(options.scale);
                gl
            });
            let mut app = App::new(&creation.egui_ctx, gl, remote.clone());
            if let Some(panel) = arguments.panel {
                app.show_panel(&panel);
            }
            if let Some(folder) = state_folder() {
                app.set_recent_file(folder.join("recent"));
            }
            Ok(Box::new(WindowState {
                app,
                screenshot: arguments.screenshot,
                idle_frames: 0,
                shot: None,
                outcome: window_outcome,
                remote,
                began: Instant::now(),
            }))
        }),
    );
    let failed = result.err().map(|error| error.to_string()).or_else(|| outcome.take());
    match failed {
        None => ExitCode::SUCCESS,
        Some(error) => {
            eprintln!("molehill-inspector: {error}");
            ExitCode::from(2)
        }
    }
}
