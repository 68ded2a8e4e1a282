//! A host as `context3d/PLUGIN.md` describes one for a renderer that is not OpenGL: the VM's thread has a device of its own,
//! natives are called by class and name, and pictures go to the thread that shows them.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::rc::Rc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use backend_gl::offscreen::{Api, GlFactory, Offscreen};
use backend_gl::{GlBackend, GlDevice};
use context3d::agal::{Endian, Stage, asm};
use context3d::calls::{Arguments, HeldBitmap, Member};
use context3d::native::{Event, Native, Returned, STAGE3DS};
use context3d::{AnyHandle, Context3D, FlashError};
use molehill_capture::{Header, Reader, Record, Recorder};
use molehill_replay::image::Image;
use molehill_replay::{Options, Replayer};

#[derive(Clone)]
enum Value {
    Null,
    Number(f64),
    Text(&'static str),
    Bytes(Vec<u8>),
    Numbers(Vec<f64>),
    Uints(Vec<u32>),
    Object(Rc<Native<GlBackend>>, &'static str),
}

/// What the VM throws.
#[derive(Debug, PartialEq)]
struct Thrown(u16);

/// Arguments that the VM has converted already. Missing ones get their defaults.
struct Values<'a> {
    values: std::slice::Iter<'a, Value>,
}

impl<'a> Values<'a> {
    fn next<T>(&mut self, get: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, Thrown> {
        match self.values.next().ok_or(Thrown(1063))? {
            Value::Null => Ok(None),
            value => get(value).map(Some).ok_or(Thrown(1034)),
        }
    }
}

macro_rules! next {
    ($($name:ident $kind:ident($value:ident) -> $type:ty = $get:expr;)+) => {$(
        fn $name(&mut self) -> Result<Option<$type>, Thrown> {
            self.next(|value| if let Value::$kind($value, ..) = value { Some($get) } else { None })
        }
    )+};
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
impl<'a> Arguments for Values<'a> {
    type Error = Thrown;
    type Bytes = &'a [u8];
    type Numbers = &'a [f64];
    type Floats = &'a [f32];
    type Uints = &'a [u32];
    type Text = &'a str;
    type Pixels = &'a [u8];

    fn is_left(&self) -> bool {
        self.values.len() > 0
    }

    fn mismatch(&mut self) -> Thrown {
        Thrown(1034)
    }

    fn throw(&mut self, error: &FlashError) -> Thrown {
        Thrown(error.number())
    }

    fn listens(&mut self) -> Result<bool, Thrown> {
        Ok(true)
    }

    fn next_strings(&mut self) -> Result<Option<Vec<Option<&'a str>>>, Thrown> {
        Err(Thrown(1034))
    }

    fn next_int(&mut self) -> Result<i32, Thrown> {
        Ok(self.next_number()? as i64 as i32)
    }

    fn next_number(&mut self) -> Result<f64, Thrown> {
        let number = self.next(|value| if let Value::Number(n) = value { Some(*n) } else { None });
        Ok(number?.unwrap_or(0.0))
    }

    fn next_bool(&mut self) -> Result<bool, Thrown> {
        Ok(self.next_number()? != 0.0)
    }

    next! {
        next_string Text(text) -> &'a str = *text;
        next_bytes Bytes(bytes) -> (&'a [u8], Endian) = (bytes.as_slice(), Endian::Little);
        next_numbers Numbers(numbers) -> &'a [f64] = numbers.as_slice();
        next_uints Uints(numbers) -> &'a [u32] = numbers.as_slice();
        next_object Object(object) -> AnyHandle = object.object()?;
        next_matrix Numbers(numbers) -> [f64; 16] = numbers.as_slice().try_into().ok()?;
        next_point Numbers(numbers) -> [f64; 2] = numbers.as_slice().try_into().ok()?;
    }

    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, Thrown> {
        Err(Thrown(1034))
    }

    fn next_bitmap(&mut self) -> Result<Option<HeldBitmap<&'a [u8]>>, Thrown> {
        Err(Thrown(1034))
    }
}

struct Host {
    device: GlDevice,
    stage3ds: [Rc<Native<GlBackend>>; STAGE3DS as usize],
    context: Option<Value>,
    window: Sender<Image>,
}

impl Host {
    fn stage3d(&self) -> Value {
        Value::Object(Rc::clone(&self.stage3ds[0]), "Stage3D")
    }

    fn call(&self, this: &Value, name: &str, values: &[Value]) -> Result<Value, Thrown> {
        let Value::Object(native, class) = this else { return Err(Thrown(1009)) };
        let member = Member::find(class, name).ok_or(Thrown(1069))?;
        Ok(match native.call(member, &mut Values { values: values.iter() })? {
            Returned::Created(class, native) => Value::Object(Rc::new(native), class),
            Returned::Number(number) => Value::Number(number),
            Returned::Boolean(value) => Value::Number(f64::from(u8::from(value))),
            Returned::Text(text) => Value::Text(text.leak()),
            Returned::Context3D => self.context.clone().expect("a context"),
            Returned::Undefined | Returned::Null | Returned::Pending | Returned::Bitmap(_) => {
                Value::Null
            }
        })
    }

    /// The getter `stage3D.context3D`.
    fn context3d(&self) -> Value {
        self.call(&self.stage3d(), "get context3D", &[]).expect("a getter")
    }

    /// Returns whether `context3DCreate` is to be dispatched.
    fn after_the_frame(&mut self) -> bool {
        let mut created = false;
        for stage3d in &self.stage3ds {
            stage3d.end_frame(
                30,
                || self.device.backend(),
                |event| match event {
                    Event::Created(native) => {
                        self.context = Some(Value::Object(Rc::new(native), "Context3D"));
                        created = true;
                    }
                    Event::Refused(error) => panic!("{error}"),
                    Event::Texture(event) => panic!("{event:?}"),
                },
            );
        }
        self.stage3ds[0].with_context(|context| send(context, &self.window));
        created
    }
}

fn send(context: &mut Context3D<GlBackend>, window: &Sender<Image>) {
    let mut rgba = Vec::new();
    let taken = context.backend_mut().take_front(&mut rgba).expect("it is read");
    let Some((width, height)) = taken else { return };
    let image = Image::from_rgba(width, height, rgba).expect("a picture");
    window.send(image).expect("the window");
}

/// A recording that outlives the Stage3Ds.
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

fn header() -> Header {
    Header {
        title: "a host".to_owned(),
        swf_version: 30,
        stage_width: 64,
        stage_height: 64,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    }
}

fn program(stage: Stage, text: &str) -> Value {
    Value::Bytes(asm::assemble(text, stage, 1).expect("a program").encode())
}

/// A SWF: a triangle in another colour in each frame.
fn swf(host: &mut Host, frames: u8) -> Result<(), Thrown> {
    let context = host.context3d();
    let n = |number: f64| Value::Number(number);
    host.call(&context, "configureBackBuffer", &[n(64.0), n(64.0), n(0.0)])?;
    let vertices = host.call(&context, "createVertexBuffer", &[n(3.0), n(2.0)])?;
    let corners = Value::Numbers(vec![-1.0, -1.0, 3.0, -1.0, -1.0, 3.0]);
    host.call(&vertices, "uploadFromVector", &[corners, n(0.0), n(3.0)])?;
    let indices = host.call(&context, "createIndexBuffer", &[n(3.0)])?;
    host.call(&indices, "uploadFromVector", &[Value::Uints(vec![0, 1, 2]), n(0.0), n(3.0)])?;
    let shader = host.call(&context, "createProgram", &[])?;
    let code = [program(Stage::Vertex, "mov op, va0"), program(Stage::Fragment, "mov oc, fc0")];
    host.call(&shader, "upload", &code)?;
    host.call(&context, "setProgram", std::slice::from_ref(&shader))?;
    // A buffer is no program: the VM's own error.
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
    // Null at once, and a new context after the frame.
    host.call(&context, "dispose", &[])?;
    assert!(matches!(host.context3d(), Value::Null));
    assert!(host.after_the_frame() && matches!(host.context3d(), Value::Object(..)));
    // The old one is another object.
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
        let stage3ds = Native::stage3ds().map(Rc::new);
        stage3ds[0].record(Recorder::new(recording.clone(), &header(), u64::MAX));
        let device = offscreen.device().expect("a device");
        let mut host = Host { device, stage3ds, context: None, window };
        assert!(matches!(host.context3d(), Value::Null));
        let profile = [Value::Text("auto"), Value::Text("baseline")];
        host.call(&host.stage3d(), "requestContext3D", &profile).expect("legal");
        assert!(host.after_the_frame());
        swf(&mut host, FRAMES).expect("no exception");
        drop(host);
        recording.0.take()
    });
    let shown: Vec<Image> = pictures.iter().collect();
    let recording = vm.join().expect("the VM's thread");
    assert_eq!(shown.len(), usize::from(FRAMES));

    let mut reader = Reader::new(Cursor::new(recording)).expect("a capture");
    let factory = GlFactory::new(Api::OpenGl);
    let mut replayer = Replayer::new(&reader.header().clone(), factory, Options::default());
    let mut frames = Vec::new();
    for item in &mut reader {
        let (line, record) = item.expect("a line of a capture");
        replayer.record(line, &record).expect("it is replayed");
        if let Record::Frame(_) = record {
            frames.push(replayer.screen(line).expect("a picture"));
        }
    }
    assert!(shown.iter().all(|picture| frames.contains(picture)));
    let first = shown.first().and_then(|picture| picture.pixel(32, 32)).expect("a pixel");
    assert_ne!(shown.last().and_then(|picture| picture.pixel(32, 32)), Some(first));
}
