//! The shared captures whose edges Flash Player drew with samples that are known: the reference renderer draws them with
//! the same.

mod common;

use std::path::Path;
use std::process::ExitCode;

use context3d::packets::Packet;
use context3d::{Backend as _, BackendCaps, BackendError, Layer};
use harness::image::{Image, compare, read_png};
use harness::reference::{Options, ReferenceBackend};
use harness::replay::{Observer, Replayer, run};
use harness::trace::Reader;
use libtest_mimic::Arguments;

/// The captures that Flash Player drew with eight samples a pixel, and the frame that was kept.
const CAPTURES: [(&str, u32); 2] = [("blend", 0), ("rotating_cube", 1)];

/// A renderer that takes eight samples where four are asked for.
struct Eight(ReferenceBackend);

impl Layer for Eight {
    type Below = ReferenceBackend;

    fn capabilities(&self) -> &BackendCaps {
        self.0.caps()
    }

    fn below(&mut self) -> Result<&mut ReferenceBackend, BackendError> {
        Ok(&mut self.0)
    }

    fn packet(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match packet {
            Packet::ConfigureBackBuffer(mut shape) if shape.samples == 4 => {
                shape.samples = 8;
                self.0.execute(Packet::ConfigureBackBuffer(shape))
            }
            packet => self.0.execute(packet),
        }
    }
}

/// Keeps one frame, and ends there.
struct Only {
    number: u32,
    image: Option<Image>,
}

impl Observer for Only {
    fn wants(&mut self, frame: u32) -> bool {
        frame == self.number
    }

    fn frame(&mut self, _: u32, image: &Image) -> Result<(), String> {
        self.image = Some(image.clone());
        Err("enough".to_owned())
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let name = "flash_players_edges_are_met_with_its_samples";
    let trials = common::shared("captures", |folder| {
        vec![common::trial(name, folder, edges_are_met)]
    });
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Not one pixel is off by more than a unit or two, edges included.
fn edges_are_met(shared: &Path) {
    for (name, number) in CAPTURES {
        let folder = shared.join(name);
        let mut reader = Reader::open(&folder.join("capture.s3d.jsonl")).expect("a capture");
        let header = reader.header().clone();
        let factory = || Ok(Eight(ReferenceBackend::new(Options::default())));
        let mut replayer = Replayer::new(&header, factory, harness::replay::Options::default());
        let mut only = Only {
            number,
            image: None,
        };
        run(&mut reader, &mut replayer, &mut only).expect_err("it is ended");
        let expected = read_png(&folder.join("expected.png")).expect("a picture");
        let comparison = compare(&only.image.expect("a frame"), &expected, 2);
        assert!(comparison.passes(0), "{name}: {comparison:?}");
    }
}
