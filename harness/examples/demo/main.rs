//! The demo: a woven torus knot over a mirror floor, recorded through the API.
//!
//! The geometry and images are generated, and the four AGAL programs are next to this file. Each frame renders the
//! mirrored knot into a texture, then the backdrop, the floor with that texture, the knot and a ring of lights. The
//! recording needs no OpenGL: calls are checked and recorded, not drawn.
//!
//!     cargo run --example demo -- knot.s3d.jsonl

mod math;
mod mesh;
mod scene;
mod stage;
mod texture;

use std::error::Error;
use std::io::Write;

use context3d::backend::NullBackend;

use molehill_capture::CaptureHeader;
use molehill_replay::record::{CallWriter, RecordError};

/// SWF frames of the demo.
pub(crate) const FRAMES: u32 = 48;
/// Size of the stage and of the back buffer in pixels.
pub(crate) const SIZE: (u32, u32) = (640, 400);

/// Records the demo. Every run writes the same bytes.
pub(crate) fn record<W: Write>(output: W) -> Result<W, RecordError> {
    let header = CaptureHeader {
        title: "Molehill demo: torus knot over a mirror floor".to_owned(),
        swf_version: 30,
        stage_width: SIZE.0,
        stage_height: SIZE.1,
        stage_color: [0; 3],
        frame_rate: Some(24.0),
        generator: Some("molehill demo".to_owned()),
    };
    let recorder = CallWriter::new(output, &header, || Ok(NullBackend::counting()))?;
    let mut stage = stage::Stage::open(recorder)?;
    let scene = scene::Scene::build(&mut stage)?;
    for frame in 0..FRAMES {
        scene.draw(&mut stage, f64::from(frame) / f64::from(FRAMES))?;
    }
    Ok(stage.finish()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("the capture to write is missing")?;
    std::fs::write(path, record(Vec::new())?)?;
    Ok(())
}
