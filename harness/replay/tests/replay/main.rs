//! Tests of replays on a backend whose images show the number of presents.

mod contexts;
mod files;
mod objects;
mod pictures;
mod recorded;
mod recorder;
mod table;

use std::cell::Cell;
use std::io::Cursor;
use std::rc::Rc;

use context3d::backend::{Backend, BackendCaps, BackendError, ReadSurface, Region};
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout};

use context3d::backend::{BackendFactory, NullFactory};
use molehill_capture::{CallLine, CaptureReader};
use molehill_replay::image::RgbaImage;
use molehill_replay::report::{RaisedError, ReplayReport};
use molehill_replay::{CallOutcome, ReplayError, ReplayObserver, ReplayOptions, Replayer, run};

/// A backend whose pixels contain the number of presents (red) and the backend's index (green).
struct Counter {
    caps: BackendCaps,
    number: u8,
    size: (u32, u32),
    presents: u8,
    reads: Rc<Cell<u32>>,
    alive: Rc<Cell<i32>>,
    fails: bool,
}

impl Backend for Counter {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match packet {
            Packet::ConfigureBackBuffer(buffer) => self.size = (buffer.width, buffer.height),
            Packet::Present if self.fails => return Err(BackendError::Lost),
            Packet::Present => self.presents += 1,
            _ => {}
        }
        Ok(())
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.reads.set(self.reads.get() + 1);
        out.clear();
        if surface != ReadSurface::Front || self.presents == 0 {
            return Ok((0, 0));
        }
        let Region { width, height, .. } = region.within(self.size);
        for _ in 0..width * height {
            out.extend([self.presents, self.number, 0, 0]);
        }
        Ok((width, height))
    }

    fn read_texels(
        &mut self,
        _: TextureKey,
        _: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        Ok(None)
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.alive.set(self.alive.get() - 1);
    }
}

#[derive(Default)]
struct Counters {
    made: u8,
    alive: Rc<Cell<i32>>,
    reads: Rc<Cell<u32>>,
    fail: bool,
}

impl BackendFactory for Counters {
    type Backend = Counter;

    fn create(&mut self) -> Result<Counter, BackendError> {
        self.made += 1;
        self.alive.set(self.alive.get() + 1);
        Ok(Counter {
            caps: NullFactory.create()?.caps().clone(),
            number: self.made,
            size: (0, 0),
            presents: 0,
            alive: Rc::clone(&self.alive),
            reads: Rc::clone(&self.reads),
            fails: self.fail,
        })
    }
}

/// Records all callbacks of an observer.
#[derive(Default)]
struct Log {
    outcomes: Vec<(u64, CallOutcome)>,
    frames: Vec<(u32, [u8; 4])>,
    last: Option<(u32, [u8; 4])>,
    wants_frames: bool,
    raised: Vec<(u64, u16)>,
}

fn corner(image: &RgbaImage) -> [u8; 4] {
    image.pixel(0, 0).unwrap()
}

impl ReplayObserver for Log {
    fn wants_frame(&mut self, _frame: u32) -> bool {
        self.wants_frames
    }

    fn frame(&mut self, frame: u32, image: &RgbaImage) -> Result<(), String> {
        self.frames.push((frame, corner(image)));
        Ok(())
    }

    fn wants_last_frame(&self) -> bool {
        true
    }

    fn last_frame(&mut self, frame: u32, image: RgbaImage) -> Result<(), String> {
        self.last = Some((frame, corner(&image)));
        Ok(())
    }

    fn called(&mut self, line: u64, _call: &CallLine, outcome: &CallOutcome) -> Result<(), String> {
        if *outcome != CallOutcome::Done {
            self.outcomes.push((line, outcome.clone()));
        }
        Ok(())
    }

    fn raised(&mut self, raised: &RaisedError) -> Result<(), String> {
        self.raised.push((raised.line, raised.error.number()));
        Ok(())
    }
}

/// The stage's colour.
const STAGE: [u8; 4] = [9, 9, 9, 255];

const HEADER: &str = r##"{"stage3dCapture":3,"title":"t","swfVersion":30,"stageWidth":40,"stageHeight":40,"stageColor":"#090909"}"##;

fn request(stage: u64, index: u32, result: u64) -> String {
    format!(
        r#"{{"call":"requestContext3D","on":{stage},"stage3DIndex":{index},"context3DRenderMode":"auto","profile":"baseline","result":{result}}}"#
    )
}

fn configure(context: u64) -> String {
    format!(
        r#"{{"call":"configureBackBuffer","on":{context},"width":32,"height":32,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false}}"#
    )
}

fn clear(context: u64) -> String {
    format!(
        r#"{{"call":"clear","on":{context},"red":0.0,"green":0.0,"blue":0.0,"alpha":1.0,"depth":1.0,"stencil":0,"mask":7}}"#
    )
}

fn present(context: u64) -> String {
    format!(r#"{{"call":"present","on":{context}}}"#)
}

fn frame(number: u32) -> String {
    format!(r#"{{"frame":{number}}}"#)
}

/// Returns a capture line that creates a vertex buffer; 0 `vertices` raise error 3671 [context3d.error.3671].
fn create_vertex_buffer(context: u64, vertices: i32, rest: &str) -> String {
    format!(
        r#"{{"call":"createVertexBuffer","on":{context},"numVertices":{vertices},"data32PerVertex":1,"bufferUsage":"staticDraw"{rest}}}"#
    )
}

fn upload(buffer: u64) -> String {
    format!(
        r#"{{"call":"uploadFromVector","on":{buffer},"dataF64B64":"AAAAAAAAAAA=","startVertex":0,"numVertices":1}}"#
    )
}

fn bind(context: u64, buffer: u64) -> String {
    format!(
        r#"{{"call":"setVertexBufferAt","on":{context},"index":0,"buffer":{buffer},"bufferOffset":0,"format":"float1"}}"#
    )
}

fn dispose(object: u64) -> String {
    format!(r#"{{"call":"dispose","on":{object}}}"#)
}

struct Played {
    log: Log,
    report: ReplayReport,
    made: u8,
    alive: i32,
    /// Number of readbacks of a surface.
    reads: u32,
    result: Result<(), ReplayError>,
}

fn play_with(factory: Counters, options: ReplayOptions, lines: &[String]) -> Played {
    play_for(factory, options, lines, true)
}

/// Replays like `play`, but reads frames before the last only if `wants_frames` is set.
fn play_for(
    factory: Counters,
    options: ReplayOptions,
    lines: &[String],
    wants_frames: bool,
) -> Played {
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    let mut reader = CaptureReader::new(Cursor::new(text.into_bytes())).unwrap();
    let mut replayer = Replayer::new(&reader.header().clone(), factory, options);
    let mut log = Log { wants_frames, ..Log::default() };
    let result = run(&mut reader, &mut replayer, &mut log);
    let factory = replayer.factory();
    let (made, alive, reads) = (factory.made, factory.alive.get(), factory.reads.get());
    Played { log, report: replayer.report().clone(), made, alive, reads, result }
}

fn play(lines: &[String]) -> Played {
    let played = play_with(Counters::default(), ReplayOptions::default(), lines);
    if let Err(error) = &played.result {
        panic!("{error}");
    }
    played
}
