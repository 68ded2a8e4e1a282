//! A small emulator: two ActionScript programs with a Stage3D each, drawn with OpenGL or, if there is none, with the
//! reference renderer. It shows how objects, garbage collection, events, errors, presenting and recording fit together.
//!
//! - [`vm`]: values, objects, a garbage collector with finalisers, a tiny language. It is independent of Stage3D.
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
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::rc::Rc;

use backend_gl::GlDevice;
use backend_gl::offscreen::{Api, Offscreen};
use context3d::agal::{self, asm};
use context3d::backend::{AnyBackend, Backend as _, BackendError, Surface};
use context3d::calls::{Call, CallKind, Value as Property};
use context3d::enums::{FlashName as _, Name};
use context3d::{Answer, Context3D, Stage3D};
use molehill_capture::{Header, RecordedContext, Recorder};
use molehill_reference::{Options, ReferenceBackend};
use molehill_replay::image::{Image, write_png};
use natives::{Resource, Values};
use vm::{BitmapData, Heap, Natives, ObjectId, Outcome, Program, Thrown, Value};

/// A textured cube. The texture is uploaded asynchronously, and drawing begins when it is ready.
const CUBE: &str = include_str!("emulator/cube.as3d");
/// A star that creates a vertex buffer in every frame. The buffers of earlier frames are garbage.
const STAR: &str = include_str!("emulator/star.as3d");

const SWF_VERSION: u32 = 35;
const STAGE: (u32, u32) = (400, 220);
const STAGE_COLOR: [u8; 3] = [40, 44, 52];

/// A `Context3D`, shared by its own VM object and all objects that it created.
struct Shared {
    context: RefCell<Context3D<AnyBackend>>,
    recorded: RecordedContext,
}

/// One of `stage.stage3Ds`, and the program that uses it.
struct Slot {
    stage3d: Stage3D,
    /// The program's `stage3D.context3D`.
    context: Option<(ObjectId, Rc<Shared>)>,
    program: Program,
}

/// Makes a backend for each context.
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

    fn backend(&self) -> Result<AnyBackend, BackendError> {
        Ok(match self {
            Renderer::Gl(device) => Box::new(device.backend()?),
            Renderer::Reference => Box::new(ReferenceBackend::new(Options::default())),
        })
    }
}

/// The state that native methods use.
struct Player<W: Write> {
    recorder: Recorder<W>,
    /// The Stage3D of the running program, for `requestContext3D` and positions; it is moved out of its slot meanwhile.
    stage3d: Stage3D,
    context: Option<(ObjectId, Rc<Shared>)>,
    index: u32,
    listens: bool,
}

impl<W: Write> Player<W> {
    /// A call on a Stage3D.
    fn stage_call(&mut self, name: &str, arguments: &[Value]) -> Outcome {
        let argument = |index: usize| arguments.get(index).unwrap_or(&Value::Null);
        let text = |index| match argument(index) {
            Value::Text(text) => Some(&**text),
            _ => None,
        };
        let number = argument(0).number()?;
        let done = match name {
            "requestContext3D" => {
                let mode = Name::parse(text(0));
                self.stage3d.request(mode, text(1), self.listens)
            }
            "x" => {
                self.recorder.set_x(self.index, number);
                self.stage3d.set_x(number)
            }
            "y" => {
                self.recorder.set_y(self.index, number);
                self.stage3d.set_y(number)
            }
            _ => {
                return Err(Thrown::new("ReferenceError", format!("Error #1069: {name}")));
            }
        };
        natives::reply(done.map(context3d::Reply::from), arguments).map(|_| Value::Null)
    }
}

impl<W: Write> Natives for Player<W> {
    fn call(&mut self, heap: &mut Heap, this: ObjectId, name: &str, values: &[Value]) -> Outcome {
        let class = heap.class(this);
        if class == "Stage3D" {
            return self.stage_call(name, values);
        }
        let resource = heap.native::<Resource<Rc<Shared>>>(this);
        let shared = match resource {
            Some(resource) => &resource.context,
            None => heap.native(this).ok_or(Thrown::new("TypeError", class))?,
        };
        let shared = Rc::clone(shared);
        let Some(call) = Call::find(class, name) else {
            let text = format!("Error #1069: Property {name} not found on {class}.");
            return Err(Thrown::new("ReferenceError", text));
        };
        let mut arguments = Values {
            heap,
            find: &|heap, value| match value {
                Value::Object(id) => heap.native::<Resource<Rc<Shared>>>(*id).map(|r| r.handle),
                _ => None,
            },
            this: resource.map(|resource| resource.handle),
            values,
            next: 0,
        };
        let result = call.with(class, &mut arguments, |command| {
            let result = shared.context.borrow_mut().execute(command);
            self.recorder.call(shared.recorded, command, &result);
            result
        })?;
        let Some(handle) = natives::reply(result, values)? else {
            return Ok(Value::Null);
        };
        let queue = shared.context.borrow().release_queue();
        let resource = Resource { context: Rc::clone(&shared), handle, queue };
        let id = heap.create(call.creates.unwrap_or_default(), resource);
        // Texture events carry this number.
        shared.context.borrow_mut().set_user_data(handle, id.0);
        Ok(Value::Object(id))
    }

    fn get(&mut self, heap: &mut Heap, this: ObjectId, name: &str) -> Option<Value> {
        if heap.class(this) == "Stage3D" {
            let context = self.context.as_ref().map(|(id, _)| Value::Object(*id));
            return (name == "context3D").then(|| context.unwrap_or(Value::Null));
        }
        let context = heap.native::<Rc<Shared>>(this)?.context.borrow();
        Some(match context.property("Context3D", name, None).ok()?? {
            Property::Text(text) => text.map_or(Value::Null, Value::text),
            Property::Number(number) => Value::Number(number),
            Property::Boolean(value) => Value::Boolean(value),
        })
    }

    fn has_setter(&self, class: &str, name: &str) -> bool {
        Call::find(class, name).is_some_and(|call| call.kind == CallKind::Setter)
            || (class == "Stage3D" && matches!(name, "x" | "y"))
    }

    /// Global functions in addition to Stage3D: an assembler, pictures, geometry.
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

/// A square `BitmapData`.
fn bitmap(side: u32, rgba: Vec<u8>) -> Value {
    Value::Bitmap(Rc::new(BitmapData { width: side, height: side, rgba: RefCell::new(rgba) }))
}

/// 8×8 pixels: orange and white.
fn checkers() -> Vec<u8> {
    let texel = |n: usize| match (n / 8 + n % 8) % 2 {
        0 => [255, 140, 0, 255],
        _ => [255; 4],
    };
    (0..64).flat_map(texel).collect()
}

/// A cube's matrix as `Matrix3D.rawData`, column by column: rotated about two axes, with perspective.
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

/// Five triangles around the centre: x, y and brightness of each corner.
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

/// The player with both programs.
pub(crate) struct Emulator<W: Write> {
    renderer: Renderer,
    heap: Heap,
    slots: Vec<Slot>,
    player: Player<W>,
    /// Number of objects that the garbage collector has freed.
    pub(crate) freed: usize,
}

impl<W: Write> Emulator<W> {
    /// Starts both programs and a recording of their calls.
    pub(crate) fn new(recording: W, gl: bool) -> Result<Self, Thrown> {
        let header = Header {
            title: "two Stage3Ds".to_owned(),
            swf_version: SWF_VERSION,
            stage_width: STAGE.0,
            stage_height: STAGE.1,
            stage_color: STAGE_COLOR,
            frame_rate: Some(60.0),
            generator: Some("Molehill's example".to_owned()),
        };
        let mut emulator = Emulator {
            renderer: match gl {
                true => Renderer::open(),
                false => Renderer::Reference,
            },
            heap: Heap::default(),
            slots: Vec::new(),
            player: Player {
                recorder: Recorder::new(recording, &header, 64 << 20),
                stage3d: Stage3D::new(),
                context: None,
                index: 0,
                listens: false,
            },
            freed: 0,
        };
        for source in [CUBE, STAR] {
            let mut program = Program::new(source);
            let stage3d = emulator.heap.create("Stage3D", ());
            program.variables.insert("stage3D".to_owned(), Value::Object(stage3d));
            emulator.slots.push(Slot { stage3d: Stage3D::new(), context: None, program });
        }
        for index in 0..emulator.slots.len() {
            emulator.dispatch(index, "start")?;
        }
        Ok(emulator)
    }

    /// Runs a handler of a slot's program.
    fn dispatch(&mut self, index: usize, event: &str) -> Result<(), Thrown> {
        let (slot, player) = (&mut self.slots[index], &mut self.player);
        player.index = u32::try_from(index).unwrap_or(u32::MAX);
        player.listens = slot.program.listens("context3DCreate");
        std::mem::swap(&mut player.stage3d, &mut slot.stage3d);
        player.context = slot.context.clone();
        let done = slot.program.dispatch(event, &mut self.heap, player);
        std::mem::swap(&mut player.stage3d, &mut slot.stage3d);
        done
    }

    /// One SWF frame.
    pub(crate) fn frame(&mut self) -> Result<(), Box<dyn Error>> {
        for index in 0..self.slots.len() {
            self.dispatch(index, "enterFrame").map_err(uncaught)?;
        }
        for index in 0..self.slots.len() {
            self.texture_events(index)?;
            self.contexts(index)?;
        }
        self.collect();
        self.player.recorder.end_frame();
        Ok(())
    }

    /// Dispatches the events of asynchronous uploads.
    fn texture_events(&mut self, index: usize) -> Result<(), Box<dyn Error>> {
        let Some((_, shared)) = self.slots[index].context.clone() else {
            return Ok(());
        };
        loop {
            let event = shared.context.borrow_mut().take_texture_event();
            let Some(event) = event else { return Ok(()) };
            let name = match event.error {
                None => "textureReady",
                Some(_) => "error",
            };
            let target = Value::Object(ObjectId(event.user_data));
            let variables = &mut self.slots[index].program.variables;
            variables.insert("target".to_owned(), target);
            self.dispatch(index, name).map_err(uncaught)?;
        }
    }

    /// Handles ended contexts and requests for new ones, after the frame's code has run.
    fn contexts(&mut self, index: usize) -> Result<(), Box<dyn Error>> {
        let slot = &mut self.slots[index];
        if let Some((_, shared)) = &slot.context
            && let Some(ended) = shared.context.borrow().ended()
        {
            slot.stage3d.context_ended(ended);
        }
        slot.context.take_if(|(_, shared)| shared.context.borrow().is_disposed());
        if slot.stage3d.pending_request().is_none() {
            return Ok(());
        }
        let backend = self.renderer.backend();
        if let Err(error) = &backend {
            log::error!("{error}");
        }
        let caps = backend.as_ref().ok().map(|backend| backend.caps());
        let answer = slot.stage3d.answer(caps, SWF_VERSION);
        match (answer, backend) {
            (Some(Answer::Create(options, request)), Ok(backend)) => {
                let place = u32::try_from(index).unwrap_or(u32::MAX);
                let recorder = &mut self.player.recorder;
                let shared = Rc::new(Shared {
                    context: RefCell::new(Context3D::new(backend, options)),
                    recorded: recorder.context(place, request.mode.name(), options.profile),
                });
                let id = self.heap.create("Context3D", Rc::clone(&shared));
                self.slots[index].context = Some((id, shared));
                self.dispatch(index, "context3DCreate").map_err(uncaught)?;
            }
            (Some(Answer::Create(..) | Answer::Refuse(_)), _) => {
                self.dispatch(index, "error").map_err(uncaught)?;
            }
            (None, _) => {}
        }
        Ok(())
    }

    /// Collects garbage: finalisers push into the contexts' queues, and the next `present` frees objects that are not
    /// bound.
    fn collect(&mut self) {
        let contexts = self.slots.iter().filter_map(|slot| slot.context.as_ref());
        let contexts: Vec<Value> = contexts.map(|(id, _)| Value::Object(*id)).collect();
        let variables = self.slots.iter().flat_map(|slot| slot.program.variables.values());
        self.freed += self.heap.collect(variables.chain(&contexts));
    }

    /// The stage's picture: its colour, and above it what each Stage3D presented last.
    pub(crate) fn picture(&self) -> Result<Image, Box<dyn Error>> {
        let [red, green, blue] = STAGE_COLOR;
        let mut stage = Image::filled(STAGE.0, STAGE.1, [red, green, blue, 255]);
        for slot in &self.slots {
            let Some((_, shared)) = slot.context.as_ref().filter(|_| slot.stage3d.visible()) else {
                continue;
            };
            let (mut context, mut rgba) = (shared.context.borrow_mut(), Vec::new());
            // A host on OpenGL uses `GlBackend::present_into` instead, without a readback.
            let read = context.backend_mut().read_pixels(Surface::Front, &mut rgba);
            let (width, height) = read?;
            let front = Image::from_rgba(width, height, rgba).ok_or("another size")?;
            let place = [slot.stage3d.x(), slot.stage3d.y()];
            #[expect(clippy::cast_possible_truncation, reason = "-8192..=8191")]
            let [x, y] = place.map(|coordinate| coordinate as i64);
            stage.paste(&front, x, y, true);
        }
        Ok(stage)
    }

    /// A program's variable as text; of a `BitmapData`, its centre pixel.
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

    /// Ends the recording.
    pub(crate) fn finish(self) -> std::io::Result<W> {
        self.player.recorder.finish()
    }
}

/// The message for an error that no program caught.
fn uncaught(error: Thrown) -> String {
    format!("uncaught {}: {}", error.class, error.message)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = arguments.next().ok_or("usage: emulator PICTURE [RECORDING]")?;
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
    println!("{} objects were garbage", emulator.freed);
    emulator.finish()?;
    Ok(())
}
