//! Measures the latency of selecting a draw: opens captures, selects draws, and waits until the stage and all quick
//! answers about the draw are shown.
//!
//! `cargo bench -p molehill-inspector --bench pages -- CAPTURE...`

#[path = "../tests/interface/screen.rs"]
#[allow(dead_code, reason = "pictures are the tests'")]
mod screen;

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::Vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use molehill_inspector::app::{App, Remote, RemoteRequest, RemoteStatus};
use molehill_inspector::link::Link;
use molehill_inspector::source::CaptureSource;
use molehill_inspector::worker::QuestionRole;

use screen::Screen;

/// Views of a draw, by the name of their tab or mode: tabs of the right panel, pictures of the central panel.
const SHOWN: [&str; 7] = ["State", "Programs", "Textures", "Mesh", "Changed", "Overdraw", "Depth"];
/// Distances from one selected draw to the next: a name, and a percentage of the capture's draws; 0 is one draw.
const WAYS: [(&str, isize); 6] =
    [("next", 0), ("1% on", 1), ("33% on", 33), ("before", 0), ("1% back", -1), ("33% back", -33)];
/// Number of measured jumps to distant draws.
const FAR: usize = 10;
const PATIENCE: Duration = Duration::from_secs(300);

struct Window {
    harness: Harness<'static, Option<App>>,
    remote: Remote,
    _screen: Screen,
}

impl Window {
    fn new() -> Window {
        let screen = Screen::open();
        let remote = Remote::default();
        let (of_app, gl, register) = (remote.clone(), screen.gl(), screen.register());
        let harness = Harness::builder()
            .with_size(Vec2::new(1280.0, 800.0))
            .with_max_steps(1)
            .renderer(screen.renderer())
            .build_ui_state(
                move |ui, app: &mut Option<App>| {
                    let gl = gl.clone();
                    let app = app.get_or_insert_with(|| App::new(ui.ctx(), Ok(gl), of_app.clone()));
                    app.show(ui, &mut |texture| register(texture));
                },
                None,
            );
        Window { harness, remote, _screen: screen }
    }

    /// Runs UI frames until the status satisfies `is`; returns the milliseconds.
    fn until(&mut self, is: impl Fn(&RemoteStatus) -> bool) -> f64 {
        let began = Instant::now();
        loop {
            self.harness.step();
            if is(&self.remote.status()) {
                return began.elapsed().as_secs_f64() * 1000.0;
            }
            assert!(began.elapsed() < PATIENCE, "no end");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn choose(&mut self, call: usize) -> f64 {
        let link = Link::parse(&format!("#call={call}")).expect("an address");
        self.remote.send(RemoteRequest::Follow(link));
        self.until(|status| status.shown)
    }

    fn show(&mut self, name: &str) {
        let node = self.harness.query_all_by_label(name).next();
        node.unwrap_or_else(|| panic!("nothing is called {name:?}")).click();
        self.until(|status| status.shown);
    }
}

fn draws(path: &str) -> Vec<usize> {
    use molehill_analysis::{Capture, CaptureLimits, Inspector};
    let capture = Capture::open(
        molehill_capture::CaptureReader::open(path.as_ref()).expect("opened"),
        CaptureLimits::default(),
    );
    let inspector = Inspector::new(capture.expect("read"));
    let frames = inspector.capture().frames().to_vec();
    let passes = frames.iter().map(|frame| inspector.passes(frame.number).expect("a frame"));
    passes.flatten().flat_map(|pass| pass.draws).collect()
}

fn main() {
    env_logger::init();
    for path in std::env::args().skip(1).filter(|arg| arg != "--bench") {
        let draws = draws(&path);
        println!("{path}: {} draws", draws.len());
        let mut window = Window::new();
        let bytes = Arc::from(std::fs::read(&path).expect("read"));
        let name = path.clone();
        window
            .remote
            .send(RemoteRequest::Open(QuestionRole::Main, CaptureSource::Bytes { name, bytes }));
        let opened = window.until(|status| status.open && status.shown);
        let still = window.until(|status| status.idle);
        println!("  open {opened:.0} ms, counts after {still:.0} more");
        let middle = draws.len() / 2;
        print!("  first {:.0} ms, far", window.choose(draws[middle]));
        // Select draws in all parts of the capture, in the same order in every run.
        for jump in 1..=FAR {
            let at = draws.len() * (jump * 7 % (FAR + 1)) / (FAR + 1);
            print!(" {:.0}", window.choose(draws[at]));
        }
        println!(" ms");
        for shown in SHOWN {
            window.show(shown);
            let mut at = middle;
            print!("  {shown:10}");
            for (way, percent) in WAYS {
                let step = match percent {
                    0 => 1 - 2 * isize::from(way == "before"),
                    percent => percent * draws.len().cast_signed() / 100,
                };
                let to = at.cast_signed() + step;
                at = usize::try_from(to).unwrap_or(0).min(draws.len() - 1);
                print!(" {way} {:.0}", window.choose(draws[at]));
            }
            println!(" ms");
        }
    }
}
