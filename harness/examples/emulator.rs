//! A small emulator: two ActionScript programs with a Stage3D each, drawn with OpenGL or, without OpenGL, with the
//! reference renderer. The example shows objects, garbage collection, events, errors, presenting and recording.
//!
//! - [`vm`]: values, objects, a garbage collector with finalisers, a tiny language. The VM is independent of Stage3D.
//! - [`natives`]: reads the VM's values as the arguments of calls.
//! - this file: the player, with Stage3Ds, contexts, events, the stage's picture, and the recording.
//!
//!     cargo run --example emulator -- picture.png [recording.s3d.jsonl]
//!
//! The recording is a capture: `molehill replay recording.s3d.jsonl --out frames` draws the same pictures.

#[path = "emulator/natives.rs"]
mod natives;
#[path = "emulator/vm.rs"]
mod vm;

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::rc::Rc;

use backend_gl::GlDevice;
use backend_gl::offscreen::{Api, Offscreen};
use context3d::Request;
use context3d::agal::{self, asm};
use context3d::backend::{AnyBackend, Backend as _, BackendError, ReadSurface};
use context3d::enums::{FlashName as _, RenderMode};
use context3d::native::{ArgumentSlice, HostEvent, Method, Native, NativeResult};
use molehill_capture::{CaptureHeader, CaptureRecorder};
use molehill_reference::{RasterOptions, ReferenceBackend};
use molehill_replay::image::{RgbaImage, write_png};
use natives::Calling;
use vm::{BitmapData, Heap, Natives, ObjectId, Outcome, Program, Thrown, Value};

/// A textured cube. The texture is uploaded asynchronously; drawing begins when the upload has finished.
const CUBE: &str = include_str!("emulator/cube.as3d");
/// A program that draws a star and creates a vertex buffer in every frame. The garbage collector frees the buffers of earlier frames.
const STAR: &str = include_str!("emulator/star.as3d");

const SWF_VERSION: u32 = 35;
const STAGE: (u32, u32) = (400, 220);
const STAGE_COLOR: [u8; 3] = [40, 44, 52];

/// One of `stage.stage3Ds`, and the program that uses it.
struct Slot {
    stage3d: ObjectId,
    program: Program,
    host: Host,
}

impl Slot {
    fn native<'a>(&self, heap: &'a Heap) -> Result<&'a Native<AnyBackend>, &'static str> {
        heap.native(self.stage3d).ok_or("a Stage3D")
    }
}

/// State that native methods use, besides the objects.
#[derive(Default)]
struct Host {
    /// The value of the program's `stage3D.context3D`.
    context: Option<ObjectId>,
    /// Objects whose events are pending, by their handles.
    pending: HashMap<u64, ObjectId>,
    /// True if the program has a listener for `context3DCreate`.
    listens: bool,
}

/// The renderer that creates a backend for each context.
enum Renderer {
    Gl(GlDevice),
    Reference,
}

impl Renderer {
    fn open() -> Renderer {
        let device = Offscreen::open(Api::OpenGl).map(|offscreen| offscreen.device());
        match device {
            Ok(Ok(device)) => Renderer::Gl(device),
            Ok(Err(error)) => Renderer::without(&error),
            Err(error) => Renderer::without(&error),
        }
    }

    fn without(error: &dyn Error) -> Renderer {
        eprintln!("{error}; using the reference renderer");
        Renderer::Reference
    }

    /// Creates the backend for a context. A request for `software` never gets a GPU.
    fn backend(&self, request: &Request) -> Result<AnyBackend, BackendError> {
        Ok(match self {
            Renderer::Gl(device) if request.mode == RenderMode::Auto => Box::new(device.backend()?),
            Renderer::Gl(_) | Renderer::Reference => {
                Box::new(ReferenceBackend::new(RasterOptions::default()))
            }
        })
    }
}

impl Host {
    /// Calls a method, setter or getter of an object.
    fn method(
        &mut self,
        heap: &mut Heap,
        this: ObjectId,
        method: Method,
        values: &[Value],
    ) -> Outcome {
        let class = heap.class(this);
        let native = heap.native::<Native<AnyBackend>>(this);
        let native = native.ok_or_else(|| Thrown::new("TypeError", class))?;
        let vm = &mut Calling { heap, listens: self.listens };
        Ok(
            match native.call(method, &mut ArgumentSlice::new(vm, &Value::Object(this), values))? {
                NativeResult::Undefined | NativeResult::Null | NativeResult::Skipped(_) => {
                    Value::Null
                }
                NativeResult::Attach => Value::Null, // this VM has no streams and no cameras
                NativeResult::Boolean(value) => Value::Boolean(value),
                NativeResult::Number(number) => Value::Number(number),
                NativeResult::Text(text) => Value::text(text),
                NativeResult::Created(native) => {
                    Value::Object(heap.create(native.class()[1], native))
                }
                NativeResult::Context3D => self.context.map_or(Value::Null, Value::Object),
                NativeResult::Bitmap(patch) => {
                    if let Some(Value::Bitmap(bitmap)) = values.first() {
                        patch.write_to(
                            &mut bitmap.rgba.borrow_mut(),
                            bitmap.width,
                            natives::LAYOUT,
                        );
                    }
                    Value::Null
                }
                NativeResult::Pending => {
                    self.pending.insert(native.number(), this);
                    Value::Null
                }
            },
        )
    }
}

impl Natives for Host {
    fn call(&mut self, heap: &mut Heap, this: ObjectId, name: &str, values: &[Value]) -> Outcome {
        let class = heap.class(this);
        let setter = || Method::find(class, &format!("set {name}"));
        let text = || format!("Error #1069: Property {name} not found on {class}.");
        let method = Method::find(class, name).or_else(setter);
        let method = method.ok_or_else(|| Thrown::new("ReferenceError", text()))?;
        self.method(heap, this, method, values)
    }

    fn get(&mut self, heap: &mut Heap, this: ObjectId, name: &str) -> Option<Value> {
        let method = Method::find(heap.class(this), &format!("get {name}"))?;
        self.method(heap, this, method, &[]).ok()
    }

    fn has_setter(&self, class: &str, name: &str) -> bool {
        Method::find(class, &format!("set {name}")).is_some()
    }

    /// Calls a global function: an assembler, images, or geometry.
    #[expect(clippy::cast_possible_truncation, reason = "indices and sides, and floats saturate")]
    fn function(&mut self, name: &str, arguments: &[Value]) -> Outcome {
        let numbers = arguments.iter().map(Value::number);
        let numbers = numbers.collect::<Result<Vec<f64>, Thrown>>()?;
        match (name, arguments, &*numbers) {
            ("agal", [Value::Text(stage), Value::Text(source)], _) => {
                let stage = agal::Stage::from_name(stage).unwrap_or(agal::Stage::Vertex);
                let program = asm::assemble(source, stage, 1);
                let program = program.map_err(|error| Thrown::new("Error", error.to_string()))?;
                Ok(Value::Bytes(program.encode().into()))
            }
            ("uint", _, all) => Ok(Value::Uints(all.iter().map(|n| *n as u32).collect())),
            ("add", _, [a, b]) => Ok(Value::Number(a + b)),
            ("checkers", _, []) => Ok(bitmap(8, checkers())),
            ("bitmap", _, [side]) => Ok(bitmap(*side as u32, vec![0; (side * side) as usize * 4])),
            ("turned", _, [frame]) => Ok(Value::Numbers(turned(*frame).into())),
            ("star", _, [frame]) => Ok(Value::Numbers(star(*frame).into())),
            _ => Err(Thrown::new("ReferenceError", format!("Error #1065: {name}"))),
        }
    }
}

/// Creates a square `BitmapData`.
fn bitmap(side: u32, rgba: Vec<u8>) -> Value {
    Value::Bitmap(Rc::new(BitmapData { width: side, height: side, rgba: RefCell::new(rgba) }))
}

/// Returns 8×8 pixels, orange and white.
fn checkers() -> Vec<u8> {
    let texel = |n: usize| match (n / 8 + n % 8) % 2 {
        0 => [255, 140, 0, 255],
        _ => [255; 4],
    };
    (0..64).flat_map(texel).collect()
}

/// Returns a cube's matrix as `Matrix3D.rawData`, column by column: rotated about two axes, with perspective.
fn turned(frame: f64) -> [f64; 16] {
    let ((sy, cy), (sx, cx)) = ((frame * 0.05).sin_cos(), (frame * 0.02 - 0.2).sin_cos());
    let rows = [[cy, 0.0, sy], [sx * sy, cx, -sx * cy], [-cx * sy, sx, cx * cy]];
    let [x, y, z] = rows.map(|row| row.map(|value| value * 1.2));
    let column = |n: usize| [x[n], y[n], z[n] * 0.25, z[n] * 0.5];
    let columns = [column(0), column(1), column(2), [0.0, 0.0, 1.0, 2.4]];
    let mut matrix = [0.0; 16];
    for (to, from) in matrix.iter_mut().zip(columns.concat()) {
        *to = from;
    }
    matrix
}

/// Returns five triangles around the centre: x, y and brightness of each corner.
fn star(frame: f64) -> Vec<f64> {
    let turn = std::f64::consts::TAU / 5.0;
    let corner = |angle: f64, radius: f64| [angle.sin() * radius, angle.cos() * radius];
    let tips = (0..5).map(|n| f64::from(n) * turn + frame * 0.04);
    tips.flat_map(|angle| {
        let [[ax, ay], [bx, by]] = [-0.5, 0.5].map(|side| corner(angle + side * turn, 0.35));
        let [x, y] = corner(angle, 0.9);
        [x, y, 1.0, bx, by, 0.6, ax, ay, 0.6, 0.0, 0.0, 0.3]
    })
    .collect()
}

/// An emulator that runs two Flash programs.
pub(crate) struct Emulator {
    renderer: Renderer,
    heap: Heap,
    slots: Vec<Slot>,
    /// The two Stage3Ds that no program uses.
    unused: Vec<Native<AnyBackend>>,
    /// Number of objects that the garbage collector has freed.
    pub(crate) freed: usize,
}

impl Emulator {
    /// Starts two Flash programs, and a recording of their calls that ends when the emulator is dropped.
    pub(crate) fn new(recording: impl Write + 'static, gl: bool) -> Result<Self, Thrown> {
        let size = [STAGE.0, STAGE.1].map(f64::from);
        let header = CaptureHeader::new(
            "Molehill's example",
            "two Stage3Ds",
            SWF_VERSION,
            size,
            60.0,
            STAGE_COLOR,
        );
        let renderer = if gl { Renderer::open() } else { Renderer::Reference };
        let mut natives = Native::stage3ds().into_iter();
        let mut heap = Heap::default();
        let slots = [CUBE, STAR].into_iter().zip(natives.by_ref()).map(|(source, native)| {
            let mut program = Program::new(source);
            let stage3d = heap.create(native.class()[1], native);
            program.variables.insert("stage3D".to_owned(), Value::Object(stage3d));
            let listens = program.listens("context3DCreate");
            Slot { stage3d, program, host: Host { listens, ..Host::default() } }
        });
        let slots: Vec<Slot> = slots.collect();
        let unused: Vec<Native<AnyBackend>> = natives.collect();
        if let Some(any) = unused.first() {
            any.record(CaptureRecorder::new(recording, &header, 64 << 20));
        }
        let mut emulator = Emulator { renderer, heap, slots, unused, freed: 0 };
        for index in 0..emulator.slots.len() {
            emulator.dispatch(index, "start")?;
        }
        Ok(emulator)
    }

    /// Runs a handler of a slot's program.
    fn dispatch(&mut self, index: usize, event: &str) -> Result<(), Thrown> {
        let Slot { program, host, .. } = &mut self.slots[index];
        program.dispatch(event, &mut self.heap, host)
    }

    /// Runs one SWF frame. First answers context requests since the last frame, for example from timers.
    pub(crate) fn frame(&mut self) -> Result<(), Box<dyn Error>> {
        for index in 0..self.slots.len() {
            let native = self.slots[index].native(&self.heap)?;
            let event = native.answer(SWF_VERSION, |request| self.renderer.backend(request));
            event.map_or(Ok(()), |event| self.pass_on(index, event))?;
        }
        for index in 0..self.slots.len() {
            self.dispatch(index, "enterFrame").map_err(uncaught)?;
        }
        for index in 0..self.slots.len() {
            self.end_frame(index)?;
        }
        for native in &self.unused {
            native.end_frame(SWF_VERSION, |request| self.renderer.backend(request), |_| {});
        }
        self.collect();
        Ok(())
    }

    /// Dispatches the events of a Stage3D after the frame's code has run.
    fn end_frame(&mut self, index: usize) -> Result<(), Box<dyn Error>> {
        let mut events = Vec::new();
        let native = self.slots[index].native(&self.heap)?;
        let make = |request: &Request| self.renderer.backend(request);
        native.end_frame(SWF_VERSION, make, |event| events.push(event));
        events.into_iter().try_for_each(|event| self.pass_on(index, event))
    }

    /// Dispatches an event of a Stage3D or of its textures.
    fn pass_on(
        &mut self,
        index: usize,
        event: HostEvent<AnyBackend>,
    ) -> Result<(), Box<dyn Error>> {
        let Slot { stage3d, program, host } = &mut self.slots[index];
        if let Some(native) = event.context3d {
            host.context = Some(self.heap.create(native.class()[1], native));
        }
        let target = event.target.and_then(|number| host.pending.remove(&number));
        let target = Value::Object(target.unwrap_or(*stage3d));
        program.variables.insert("target".to_owned(), target);
        Ok(program.dispatch(event.name, &mut self.heap, host).map_err(uncaught)?)
    }

    /// Collects garbage. Unreached objects are released, and the next `present` frees those that aren't bound.
    fn collect(&mut self) {
        let hosts = self.slots.iter().map(|slot| &slot.host);
        let kept = hosts.flat_map(|host| host.pending.values().chain(&host.context));
        let kept: Vec<Value> = kept.map(|id| Value::Object(*id)).collect();
        let variables = self.slots.iter().flat_map(|slot| slot.program.variables.values());
        self.freed += self.heap.collect(variables.chain(&kept));
    }

    /// Returns the stage's image: its colour, covered by the last presented image of each Stage3D.
    pub(crate) fn picture(&self) -> Result<RgbaImage, Box<dyn Error>> {
        let [red, green, blue] = STAGE_COLOR;
        let mut stage = RgbaImage::filled(STAGE.0, STAGE.1, [red, green, blue, 255]);
        for slot in &self.slots {
            let native = slot.native(&self.heap)?;
            let Some(place) = native.shown_at() else { continue };
            let mut rgba = Vec::new();
            // A host on OpenGL uses `GlBackend::present_into` instead, without a readback.
            let read = native.with_context(|context| {
                context.backend_mut().read_pixels(ReadSurface::Front, &mut rgba)
            });
            let Some((width, height)) = read.transpose()? else { continue };
            let front = RgbaImage::from_rgba(width, height, rgba).ok_or("another size")?;
            #[expect(clippy::cast_possible_truncation, reason = "-8192..=8191")]
            let [x, y] = place.map(|coordinate| coordinate as i64);
            stage.paste(&front, x, y, true);
        }
        Ok(stage)
    }

    /// Returns a program's variable as a string; of a `BitmapData`, its centre pixel.
    pub(crate) fn variable(&self, index: usize, name: &str) -> String {
        match self.slots[index].program.variables.get(name) {
            Some(Value::Text(text)) => text.to_string(),
            Some(Value::Bitmap(bitmap)) => {
                let middle = (bitmap.height / 2 * bitmap.width + bitmap.width / 2) as usize;
                format!("{:?}", bitmap.rgba.borrow().chunks(4).nth(middle))
            }
            other => format!("{other:?}"),
        }
    }
}

/// Returns the message for an error that no program caught.
fn uncaught(error: Thrown) -> String {
    format!("uncaught {}: {}", error.class, error.message)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("usage: emulator IMAGE [RECORDING]")?;
    let recording: Box<dyn Write> = match arguments.next() {
        Some(path) => Box::new(BufWriter::new(File::create(path)?)),
        None => Box::new(std::io::sink()),
    };
    let mut emulator = Emulator::new(recording, true).map_err(uncaught)?;
    for _ in 0..40 {
        emulator.frame()?;
    }
    write_png(Path::new(&path), &emulator.picture()?)?;
    for index in 0..2 {
        println!("{}", emulator.variable(index, "driver"));
        println!("  caught {}", emulator.variable(index, "error"));
    }
    println!("{} objects were garbage-collected", emulator.freed);
    Ok(())
}
