//! Runs the app without a display, and simulates user input.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{Context, DroppedFile, Event, Key, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use molehill_inspector::app::{App, Remote, RemoteRequest, RemoteStatus};
use molehill_inspector::gl::EguiGl;
use molehill_inspector::link::Link;
use molehill_inspector::source::CaptureSource;
use molehill_inspector::worker::QuestionRole;

use crate::screen::Screen;

pub(crate) const DEMO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../captures/knot.s3d.jsonl");
/// Number of the demo's frames in most tests. The whole demo has 48 frames, and its thumbnails take seconds.
const FRAMES: u32 = 8;
/// The sizes of the demo's stage, back buffer and render target, and the sizes in most tests. The reference renderer
/// draws the smaller pictures in a quarter of the time.
const SIZES: [[&str; 2]; 3] = [
    [r#""stageWidth":640,"stageHeight":400"#, r#""stageWidth":320,"stageHeight":200"#],
    [r#""width":640,"height":400"#, r#""width":320,"height":200"#],
    [r#""width":512,"height":512"#, r#""width":256,"height":256"#],
];
/// Maximum duration of a query, even on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// Initial pause between UI frames while a query is pending. The pause doubles up to a maximum, because UI frames take
/// processor time from the worker.
const PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(80);

/// Returns the lines of the demo's first frames, at half the width and height.
pub(crate) fn first_lines() -> Vec<String> {
    let mut lines = half_size();
    let end = format!("{{\"frame\":{}}}", FRAMES - 1);
    let last = lines.iter().position(|line| *line == end).expect("the last frame");
    lines.truncate(last + 1);
    lines
}

/// Returns the lines of the whole demo at half the width and height.
fn half_size() -> Vec<String> {
    let demo = std::fs::read_to_string(DEMO).expect("the demo");
    let mut lines: Vec<String> = demo.lines().map(str::to_owned).collect();
    for [whole, half] in SIZES {
        let line = lines.iter_mut().find(|line| line.contains(whole)).expect("a size");
        *line = line.replace(whole, half);
    }
    lines
}

/// Returns a capture of the demo's first frames.
pub(crate) fn first_frames() -> Vec<u8> {
    first_lines().join("\n").into_bytes()
}

/// The app without a visible window.
pub(crate) struct Window {
    pub(crate) harness: Harness<'static, Option<App>>,
    pub(crate) remote: Remote,
    screen: Screen,
}

impl Window {
    pub(crate) fn new() -> Window {
        Window::sized(1280.0, 800.0)
    }

    pub(crate) fn sized(width: f32, height: f32) -> Window {
        Window::made((width, height), |gl, _| gl)
    }

    /// Opens a window, and lets `change` select the canvases and backends.
    pub(crate) fn made(
        (width, height): (f32, f32),
        change: impl Fn(EguiGl, &Context) -> EguiGl + 'static,
    ) -> Window {
        let screen = Screen::open();
        let remote = Remote::default();
        let (of_app, gl, register) = (remote.clone(), screen.gl(), screen.register());
        let harness = Harness::builder()
            .with_size(Vec2::new(width, height))
            .with_max_steps(1)
            .renderer(screen.renderer())
            .build_ui_state(
                move |ui, app: &mut Option<App>| {
                    let app = app.get_or_insert_with(|| {
                        App::new(ui.ctx(), Ok(change(gl.clone(), ui.ctx())), of_app.clone())
                    });
                    app.show(ui, &mut |texture| register(texture));
                },
                None,
            );
        Window { harness, remote, screen }
    }

    /// Opens a window with the demo's first frames, and selects the frame or call of a link. An empty address selects
    /// the first frame.
    pub(crate) fn with_demo(address: &str) -> Window {
        let mut window = Window::new();
        let address = if address.is_empty() { "#frame=0" } else { address };
        window.open("knot.s3d.jsonl", first_frames(), address);
        window
    }

    /// Opens a window with all frames of the demo, and selects the first frame.
    pub(crate) fn with_all_frames() -> Window {
        let mut window = Window::new();
        window.open("knot.s3d.jsonl", half_size().join("\n").into_bytes(), "#frame=0");
        window
    }

    /// Opens a window with the unchanged demo, and selects the first frame.
    pub(crate) fn with_whole_demo() -> Window {
        let mut window = Window::new();
        window.open("knot.s3d.jsonl", std::fs::read(DEMO).expect("the demo"), "#frame=0");
        window
    }

    pub(crate) fn open(&mut self, name: &str, bytes: Vec<u8>, address: &str) {
        let name = name.to_owned();
        let bytes = Arc::from(bytes);
        self.remote
            .send(RemoteRequest::Open(QuestionRole::Main, CaptureSource::Bytes { name, bytes }));
        self.follow(address);
    }

    /// Selects the frame or call of a link.
    pub(crate) fn follow(&mut self, address: &str) -> RemoteStatus {
        self.remote.send(RemoteRequest::Follow(Link::parse(address).expect("an address")));
        self.settle()
    }

    /// Runs UI frames until no query is pending and all results are laid out.
    pub(crate) fn settle(&mut self) -> RemoteStatus {
        let end = Instant::now() + PATIENCE;
        let (mut idle_frames, mut pause) = (0, PAUSE);
        while idle_frames < 4 {
            assert!(Instant::now() < end, "no end after {PATIENCE:?}");
            self.harness.step();
            idle_frames += 1;
            if !self.remote.status().idle {
                idle_frames = 0;
                std::thread::sleep(pause);
                pause = MAX_PAUSE.min(2 * pause);
            }
        }
        self.remote.status()
    }

    /// Runs UI frames until a condition is true.
    pub(crate) fn wait_until(&mut self, condition: impl Fn(&Window) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !condition(self) {
            assert!(Instant::now() < end, "no end after {PATIENCE:?}");
            std::thread::sleep(PAUSE);
            self.harness.step();
        }
    }

    pub(crate) fn app(&mut self) -> &mut App {
        self.harness.step();
        self.harness.state_mut().as_mut().expect("it runs")
    }

    /// Clicks the first widget with this label.
    pub(crate) fn click(&mut self, name: &str) -> RemoteStatus {
        let node = self.harness.query_all_by_label(name).next();
        node.unwrap_or_else(|| panic!("nothing is called {name:?}")).click();
        self.settle()
    }

    /// Clicks a position in an image widget, given as fractions of the widget's width and height.
    pub(crate) fn click_in(&mut self, name: &str, x: f32, y: f32) -> RemoteStatus {
        let rect = self.harness.query_all_by_label(name).next().expect("the picture").rect();
        let at = Pos2::new(rect.left() + rect.width() * x, rect.top() + rect.height() * y);
        self.harness.hover_at(at);
        for pressed in [true, false] {
            self.harness.event(Event::PointerButton {
                pos: at,
                button: PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            });
            self.harness.step();
        }
        self.settle()
    }

    /// Clicks a texel of a square image that fits its widget.
    pub(crate) fn click_texel(&mut self, name: &str, size: f32, x: f32, y: f32) -> RemoteStatus {
        let node = self.harness.query_all_by_label(name).next();
        let place = node.expect("the picture").rect().size();
        let zoom = (place.min_elem() - 16.0) / size;
        let zoom = if zoom >= 1.0 { zoom.floor() } else { zoom };
        let share = |texel: f32, room: f32| 0.5 + (texel + 0.5 - size / 2.0) * zoom / room;
        self.click_in(name, share(x, place.x), share(y, place.y))
    }

    /// Drops a file at a horizontal position, given as a fraction of the window's width.
    pub(crate) fn drop_file(&mut self, x: f32, file: impl Into<PathBuf>) -> RemoteStatus {
        let width = self.harness.ctx.content_rect().width();
        self.harness.hover_at(Pos2::new(width * x, 300.0));
        let file = Arc::new(Dropped(file.into()));
        self.harness.input_mut().dropped_files.push(file);
        self.harness.step();
        self.settle()
    }

    pub(crate) fn press(&mut self, key: Key) -> RemoteStatus {
        self.harness.key_press(key);
        self.settle()
    }

    /// Presses several keys in a single UI frame.
    pub(crate) fn press_at_once(&mut self, keys: &[Key]) {
        let events = keys.iter().map(|key| Event::Key {
            key: *key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        });
        self.harness.input_mut().events.extend(events);
        self.harness.step();
    }

    /// Returns whether the label of any widget contains this text.
    pub(crate) fn shows(&self, text: &str) -> bool {
        self.harness.query_all_by_label_contains(text).next().is_some()
    }

    /// Writes an image of the window, if the environment specifies a folder for images.
    fn save(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("MOLEHILL_LOOK") else { return };
        let context = self.harness.ctx.clone();
        let path = Path::new(&folder).join(format!("{name}.png"));
        self.screen.save(&context, self.harness.output(), &path);
    }

    /// Waits until nothing is pending, and writes an image of the window if the environment requests it.
    pub(crate) fn look(&mut self, name: &str) {
        self.settle();
        self.save(name);
    }

    /// Compares the window with the image `name` in `tests/pictures`.
    pub(crate) fn check(&mut self, name: &str) {
        self.harness.remove_cursor();
        self.settle();
        self.wait_until(|window| window.remote.status().complete);
        self.save(name);
        let context = self.harness.ctx.clone();
        self.screen.check(&context, self.harness.output(), name);
    }
}

/// A file that is dropped on the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

/// Makes the window's own OpenGL context current, because the dropped app deletes OpenGL objects.
impl Drop for Window {
    fn drop(&mut self) {
        self.screen.make_current();
    }
}
