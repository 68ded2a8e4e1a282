//! Implements a host without OpenGL, as `context3d/PLUGIN.md` describes it: the VM's thread has its own device, native
//! methods are called by class and name, and images are passed to a display thread.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use backend_gl::offscreen::{Api, GlFactory, Offscreen};
use backend_gl::present::FrontExchange;
use backend_gl::{GlBackend, GlDevice};
use context3d::agal::{Stage, asm};
use context3d::backend::{FrameSource, TakenFrame};
use context3d::native::{
    ArgumentSlice, Endian, FlashError, Method, Native, NativeResult, STAGE3DS, Vm, VmArgument,
};
use context3d::{Context3D, Request};
use molehill_capture::{CaptureHeader, CaptureReader, CaptureRecord, CaptureRecorder};
use molehill_replay::image::RgbaImage;
use molehill_replay::{ReplayOptions, Replayer};

#[derive(Clone)]
enum Value {
    Null,
    Number(f64),
    Text(&'static str),
    Bytes(Vec<u8>),
    Numbers(Vec<f64>),
    Object(Rc<Native<GlBackend>>),
}

/// An ActionScript exception of the VM, by its error id.
#[derive(Debug, PartialEq)]
struct Thrown(u16);

/// A minimal VM whose objects have no properties.
struct Machine;

impl Vm for Machine {
    type Value = Value;
    type Error = Thrown;
    type Bytes = Vec<u8>;
    type Text = &'static str;
    type Numbers = Vec<f64>;
    type Floats = Vec<f32>;
    type Uints = Vec<u32>;

    fn argument(&mut self, value: &Value) -> VmArgument<Machine> {
        match value {
            Value::Null => VmArgument::Null,
            Value::Number(number) => VmArgument::Number(*number),
            Value::Text(text) => VmArgument::Text(*text),
            Value::Bytes(bytes) => VmArgument::Bytes(bytes.clone(), Endian::Little),
            Value::Numbers(numbers) => VmArgument::Numbers(numbers.clone()),
            Value::Object(native) => VmArgument::Object(native.object()),
        }
    }

    fn property(&mut self, object: &Value, _: &'static str) -> Result<Value, Thrown> {
        Ok(object.clone())
    }

    fn throw(&mut self, error: &FlashError) -> Thrown {
        Thrown(error.number())
    }

    fn has_create_listener(&mut self, _: &Value) -> Result<bool, Thrown> {
        Ok(true)
    }
}

struct Host {
    device: GlDevice,
    stage3ds: [Rc<Native<GlBackend>>; STAGE3DS as usize],
    context: Option<Value>,
    exchange: FrontExchange,
    window: Sender<RgbaImage>,
}

impl Host {
    fn stage3d(&self) -> Value {
        Value::Object(Rc::clone(&self.stage3ds[0]))
    }

    fn call(&self, this: &Value, name: &str, values: &[Value]) -> Result<Value, Thrown> {
        let Value::Object(native) = this else { return Err(Thrown(1009)) };
        let method = Method::find(native.class()[1], name).ok_or(Thrown(1069))?;
        Ok(match native.call(method, &mut ArgumentSlice::new(&mut Machine, this, values))? {
            NativeResult::Created(native) => Value::Object(Rc::new(native)),
            NativeResult::Number(number) => Value::Number(number),
            NativeResult::Boolean(value) => Value::Number(f64::from(u8::from(value))),
            NativeResult::Text(text) => Value::Text(text.leak()),
            NativeResult::Context3D => self.context.clone().expect("a context"),
            NativeResult::Undefined
            | NativeResult::Null
            | NativeResult::Skipped(_)
            | NativeResult::Attach
            | NativeResult::Pending
            | NativeResult::Bitmap(_) => Value::Null,
        })
    }

    /// Returns the value of the getter `stage3D.context3D`.
    fn context3d(&self) -> Value {
        self.call(&self.stage3d(), "get context3D", &[]).expect("a getter")
    }

    /// Ends the SWF frame after its ActionScript code. Returns whether `context3DCreate` must be dispatched.
    fn after_the_frame(&mut self) -> bool {
        let mut created = false;
        for stage3d in &self.stage3ds {
            let backend = |_: &Request| self.device.backend();
            stage3d.end_frame(30, backend, |event| {
                assert_eq!((event.name, event.error), ("context3DCreate", None));
                self.context = event.context3d.map(|native| Value::Object(Rc::new(native)));
                created = true;
            });
        }
        self.stage3ds[0].with_context(|context| send(context, &self.exchange, &self.window));
        created
    }
}

fn send<B: FrameSource>(
    context: &mut Context3D<B>,
    exchange: &B::Exchange,
    window: &Sender<RgbaImage>,
) {
    let taken = context.take_frame(exchange).expect("it is read");
    let Some(TakenFrame::Pixels(width, height, rgba)) = taken else { return };
    let image = RgbaImage::from_rgba(width, height, rgba).expect("a picture");
    window.send(image).expect("the window");
}

/// A recording that remains readable after the Stage3Ds are dropped.
#[derive(Clone, Default)]
struct Recording(Rc<RefCell<Vec<u8>>>);

impl Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn program(stage: Stage, text: &str) -> Value {
    Value::Bytes(asm::assemble(text, stage, 1).expect("a program").encode())
}

/// Runs a SWF that draws a triangle in another colour in each frame.
fn swf(host: &mut Host, frames: u8) -> Result<(), Thrown> {
    let context = host.context3d();
    let n = |number: f64| Value::Number(number);
    host.call(&context, "configureBackBuffer", &[n(64.0), n(64.0), n(0.0)])?;
    let vertices = host.call(&context, "createVertexBuffer", &[n(3.0), n(2.0)])?;
    let corners = Value::Numbers(vec![-1.0, -1.0, 3.0, -1.0, -1.0, 3.0]);
    host.call(&vertices, "uploadFromVector", &[corners, n(0.0), n(3.0)])?;
    let indices = host.call(&context, "createIndexBuffer", &[n(3.0)])?;
    host.call(
        &indices,
        "uploadFromVector",
        &[Value::Numbers(vec![0.0, 1.0, 2.0]), n(0.0), n(3.0)],
    )?;
    let shader = host.call(&context, "createProgram", &[])?;
    let code = [program(Stage::Vertex, "mov op, va0"), program(Stage::Fragment, "mov oc, fc0")];
    host.call(&shader, "upload", &code)?;
    host.call(&context, "setProgram", std::slice::from_ref(&shader))?;
    // Passing a buffer as a program makes the VM itself raise the error.
    let wrong = host.call(&context, "setProgram", std::slice::from_ref(&vertices)).err();
    assert_eq!(wrong, Some(Thrown(1034)));
    assert_eq!(host.call(&context, "setCulling", &[Value::Text("x")]).err(), Some(Thrown(2008)));
    host.call(&context, "setVertexBufferAt", &[n(0.0), vertices, n(0.0), Value::Text("float2")])?;
    for frame in 0..frames {
        let color = Value::Numbers(vec![f64::from(frame) / 8.0, 0.5, 1.0, 1.0]);
        let constants = [Value::Text("fragment"), n(0.0), color];
        host.call(&context, "setProgramConstantsFromVector", &constants)?;
        host.call(&context, "clear", &[])?;
        host.call(&context, "drawTriangles", std::slice::from_ref(&indices))?;
        host.call(&context, "present", &[])?;
        assert!(!host.after_the_frame());
    }
    let driver = host.call(&context, "get driverInfo", &[])?;
    assert!(matches!(driver, Value::Text(text) if text.starts_with("OpenGL")));
    // The context is null immediately, and a new context exists after the frame.
    host.call(&context, "dispose", &[])?;
    assert!(matches!(host.context3d(), Value::Null));
    assert!(host.after_the_frame() && matches!(host.context3d(), Value::Object(..)));
    // The disposed context is another object than the new context.
    assert_eq!(host.call(&context, "clear", &[]).err(), Some(Thrown(3694)));
    Ok(())
}

#[test]
fn a_vm_thread_and_a_render_thread() {
    const FRAMES: u8 = 4;
    let (window, pictures) = channel();
    let vm = thread::spawn(move || {
        let offscreen = Offscreen::open(Api::OpenGl).expect("OpenGL");
        let recording = Recording::default();
        let header = CaptureHeader::new("a host", "a game", 30, [64.0; 2], 60.0, [0; 3]);
        let stage3ds = Native::stage3ds().map(Rc::new);
        stage3ds[0].record(CaptureRecorder::new(recording.clone(), &header, u64::MAX));
        let device = offscreen.device().expect("a device");
        let exchange = FrontExchange::default();
        let mut host = Host { device, stage3ds, context: None, exchange, window };
        assert!(matches!(host.context3d(), Value::Null));
        let profile = [Value::Text("auto"), Value::Text("baseline")];
        host.call(&host.stage3d(), "requestContext3D", &profile).expect("legal");
        assert!(host.after_the_frame());
        swf(&mut host, FRAMES).expect("no exception");
        drop(host);
        recording.0.take()
    });
    let shown: Vec<RgbaImage> = pictures.iter().collect();
    let recording = vm.join().expect("the VM's thread");
    assert_eq!(shown.len(), usize::from(FRAMES));

    let mut reader = CaptureReader::new(Cursor::new(recording)).expect("a capture");
    let factory = GlFactory::new(Api::OpenGl);
    let mut replayer = Replayer::new(&reader.header().clone(), factory, ReplayOptions::default());
    let mut frames = Vec::new();
    for item in &mut reader {
        let (line, record) = item.expect("a line of a capture");
        replayer.record(line, &record).expect("it is replayed");
        if let CaptureRecord::Frame(_) = record {
            frames.push(replayer.screen(line).expect("a picture"));
        }
    }
    assert!(shown.iter().all(|picture| frames.contains(picture)));
    let first = shown.first().and_then(|picture| picture.pixel(32, 32)).expect("a pixel");
    assert_ne!(shown.last().and_then(|picture| picture.pixel(32, 32)), Some(first));
}
