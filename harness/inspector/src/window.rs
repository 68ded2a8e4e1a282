//! The command line and the window.

use std::cell::Cell;
use std::ffi::CString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use eframe::egui;
use molehill_inspector::app::{App, Remote, Request, Status};
use molehill_inspector::gl::Gl;
use molehill_inspector::link::{self, Link};
use molehill_inspector::source::Source;
use molehill_inspector::worker::Role;
use molehill_replay::image::{Image, write_png};

fn command() -> Command {
    let number = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N").help(help);
        arg.value_parser(value_parser!(u32))
    };
    let file = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("FILE").help(help);
        arg.value_parser(value_parser!(PathBuf))
    };
    Command::new("molehill-inspector")
        .about("Plays a capture and shows what is in its frames, in a window")
        .after_help("Example:\n  molehill-inspector game.s3d --frame 3 --draw 12 --at 100,80")
        .arg(
            Arg::new("capture")
                .value_name("CAPTURE")
                .value_parser(value_parser!(PathBuf))
                .help("The capture; without one the window waits for a file to be dropped"),
        )
        .arg(file(
            "compare",
            "A capture or a PNG picture to compare it with",
        ))
        .arg(number("frame", "The frame, by its number in the capture"))
        .arg(number("draw", "A draw of the frame, counted from 1").conflicts_with("call"))
        .arg(number("call", "A call, by its number in the capture"))
        .arg(
            Arg::new("at")
                .long("at")
                .value_name("X,Y")
                .help("A pixel of the stage, whose history is shown; with --step, of the draw's target")
                .value_parser(|text: &str| link::pixel(text).ok_or("expected X,Y")),
        )
        .arg(
            Arg::new("step")
                .long("step")
                .action(ArgAction::SetTrue)
                .requires("at")
                .help("Steps the program of the draw on that pixel"),
        )
        .arg(file(
            "screenshot",
            "Writes what the window shows once everything is there, and ends",
        ))
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("WIDTH,HEIGHT")
                .help("The window's size")
                .value_parser(|text: &str| link::pixel(text).ok_or("expected WIDTH,HEIGHT")),
        )
        .arg(
            Arg::new("theme")
                .long("theme")
                .value_name("THEME")
                .value_parser(["dark", "light", "system"])
                .default_value("system")
                .help("The colours"),
        )
}

fn read_link(matches: &ArgMatches) -> Link {
    let number = |name: &str| matches.get_one::<u32>(name).copied();
    Link {
        frame: number("frame"),
        draw: number("draw").map(|draw| draw as usize),
        call: number("call").map(|call| call as usize),
        at: matches.get_one::<(u32, u32)>("at").copied(),
        step: matches.get_flag("step"),
        ..Link::default()
    }
}

/// The app with the `--screenshot` option.
struct Window {
    app: App,
    screenshot: Option<PathBuf>,
    /// Consecutive UI frames in which nothing was pending.
    idle_frames: u32,
    taken: Option<Arc<std::sync::Mutex<Option<Arc<egui::ColorImage>>>>>,
    outcome: Rc<Cell<Option<String>>>,
    remote: Remote,
    began: Instant,
}

/// UI frames without anything pending before the screenshot, so that the last answer is laid out.
const IDLE_FRAMES: u32 = 4;

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        eframe::App::ui(&mut self.app, ui, frame);
        let Some(path) = self.screenshot.clone() else {
            return;
        };
        let context = ui.ctx();
        context.request_repaint();
        if let Some(taken) = &self.taken {
            let image = taken.lock().ok().and_then(|mut image| image.take());
            if let Some(image) = image {
                self.outcome.set(save(&path, &image).err());
                self.screenshot = None;
                context.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            return;
        }
        let status = self.remote.status();
        self.idle_frames = if status.complete { self.idle_frames + 1 } else { 0 };
        if self.idle_frames > IDLE_FRAMES {
            let place = Arc::new(std::sync::Mutex::new(None));
            let taken = Arc::clone(&place);
            let callback = egui::ScreenshotCallback::new(move |image| {
                if let Ok(mut place) = place.lock() {
                    *place = Some(image);
                }
            });
            context.send_viewport_cmd(egui::ViewportCommand::Screenshot(callback));
            print_status(&status, self.began);
            self.taken = Some(taken);
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        self.app.clear_color(visuals)
    }
}

/// Prints a line about what the screenshot shows; ignores a closed standard output.
fn print_status(status: &Status, began: Instant) {
    let Status { fragment, events, error, .. } = status;
    let seconds = began.elapsed().as_secs_f32();
    let error = error.as_ref().map_or(String::new(), |error| format!("; {error}"));
    let _ = writeln!(
        std::io::stdout(),
        "{fragment}: {events} events of the pixel, after {seconds:.1} s{error}"
    );
}

fn save(path: &std::path::Path, image: &egui::ColorImage) -> Result<(), String> {
    let side = |side: usize| u32::try_from(side).unwrap_or(0);
    let [width, height] = image.size;
    let rgba = image.pixels.iter().flat_map(|pixel| {
        let [r, g, b, _] = pixel.to_array();
        [r, g, b, 255]
    });
    let picture = Image::from_rgba(side(width), side(height), rgba.collect());
    let picture = picture.ok_or("a picture of another size")?;
    write_png(path, &picture).map_err(|error| format!("{}: {error}", path.display()))
}

#[expect(unsafe_code, reason = "the context is the window's")]
fn open_gl(creation: &eframe::CreationContext<'_>) -> Result<Gl, String> {
    let functions = creation.gl.clone().ok_or("the window has no OpenGL")?;
    let loader = creation.get_proc_address.clone().ok_or("the window has no loader")?;
    let loader = move |name: &str| loader(&CString::new(name).unwrap_or_default());
    // SAFETY: eframe makes the window's context current on this thread and leaves it so; the app is dropped before it.
    unsafe { Gl::new(functions, &loader) }.map_err(|error| error.to_string())
}

pub(crate) fn main() -> ExitCode {
    env_logger::init();
    let matches = command().get_matches();
    let remote = Remote::default();
    if let Some(path) = matches.get_one::<PathBuf>("capture") {
        remote.send(Request::Open(Role::Main, Source::File(path.clone())));
        remote.send(Request::Follow(read_link(&matches)));
    }
    if let Some(path) = matches.get_one::<PathBuf>("compare") {
        remote.send(Request::Open(Role::Baseline, Source::File(path.clone())));
    }
    let size = matches.get_one::<(u32, u32)>("size").copied().unwrap_or((1440, 900));
    let size = [size.0, size.1].map(|side| f32::from(u16::try_from(side).unwrap_or(u16::MAX)));
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_title("Molehill inspector")
            .with_app_id("molehill-inspector")
            .with_inner_size(size)
            .with_min_inner_size([360.0, 300.0])
            .with_drag_and_drop(true),
        // Dithering would change the recording's colours.
        dithering: false,
        ..eframe::NativeOptions::default()
    };
    let theme = match matches.get_one::<String>("theme").map(String::as_str) {
        Some("dark") => egui::ThemePreference::Dark,
        Some("light") => egui::ThemePreference::Light,
        _ => egui::ThemePreference::System,
    };
    let screenshot = matches.get_one::<PathBuf>("screenshot").cloned();
    let outcome = Rc::new(Cell::new(None));
    let window_outcome = Rc::clone(&outcome);
    let ran = eframe::run_native(
        "molehill-inspector",
        options,
        Box::new(move |creation| {
            creation.egui_ctx.set_theme(theme);
            remote.set_context(creation.egui_ctx.clone());
            let app = App::new(&creation.egui_ctx, open_gl(creation), remote.clone());
            Ok(Box::new(Window {
                app,
                screenshot,
                idle_frames: 0,
                taken: None,
                outcome: window_outcome,
                remote,
                began: Instant::now(),
            }))
        }),
    );
    let failed = ran.err().map(|error| error.to_string()).or_else(|| outcome.take());
    match failed {
        None => ExitCode::SUCCESS,
        Some(error) => {
            eprintln!("molehill-inspector: {error}");
            ExitCode::FAILURE
        }
    }
}
