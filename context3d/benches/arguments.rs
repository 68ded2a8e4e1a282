//! Counts the instructions of a frame with 160,000 vector elements, as in a 2D engine, and those of a `memcpy` of the
//! same vectors. Needs valgrind: `cargo bench -p context3d --bench arguments`.

use std::hint::black_box;
use std::process::{Command, exit};
use std::rc::Rc;

use context3d::backend::NullBackend;
use context3d::enums::ProgramType;
use context3d::native::{
    ArgumentSlice, FlashError, Method, Native, NativeResult, VectorCopy, Vm, VmArgument,
};
use context3d::{ObjectHandle, Request};

/// Number of vertex values: 16,000 vertices of 8 values.
const VERTICES: usize = 128_000;
const INDICES: usize = 24_000;
/// Number of draw batches, which each set 16 constant registers.
const BATCHES: usize = 125;
const CONSTANTS: usize = 64;

type Object = Rc<Native<NullBackend>>;

/// A VM value of 16 bytes. The first six variants are those of Ruffle, in Ruffle's order.
#[derive(Clone)]
#[allow(dead_code, reason = "variants that no call passes")]
enum Value {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Integer(i32),
    Text(&'static &'static str),
    Object(Object),
    Numbers(Rc<Vec<f64>>),
    Uints(Rc<Vec<u32>>),
    /// A vector that is stored as an array of values.
    List(Rc<Vec<Value>>),
}

const _: () = assert!(size_of::<Value>() == 16);

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(number) => *number,
        Value::Integer(integer) => f64::from(*integer),
        _ => 0.0,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
fn uint(value: &Value) -> u32 {
    match value {
        Value::Number(number) => *number as u32,
        Value::Integer(integer) => integer.cast_unsigned(),
        _ => 0,
    }
}

enum Numbers<T: context3d::calls::VectorElement> {
    Lent(Rc<Vec<T>>),
    Converted(VectorCopy<T>),
}

impl<T: context3d::calls::VectorElement> std::ops::Deref for Numbers<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Numbers::Lent(numbers) => numbers,
            Numbers::Converted(numbers) => numbers,
        }
    }
}

/// A VM that passes vectors as a whole or element by element.
struct Machine {
    by_element: bool,
}

impl Vm for Machine {
    type Value = Value;
    type Error = u16;
    type Bytes = Vec<u8>;
    type Text = &'static str;
    type Numbers = Numbers<f64>;
    type Floats = Vec<f32>;
    type Uints = Numbers<u32>;

    fn argument(&mut self, value: &Value) -> VmArgument<Machine> {
        match value {
            Value::Undefined | Value::Null => VmArgument::Null,
            Value::Bool(value) => VmArgument::Boolean(*value),
            Value::Integer(integer) => VmArgument::Number(f64::from(*integer)),
            Value::Number(number) => VmArgument::Number(*number),
            Value::Text(text) => VmArgument::Text(**text),
            Value::Object(native) => VmArgument::Object(native.object()),
            Value::Numbers(numbers) => VmArgument::Numbers(Numbers::Lent(Rc::clone(numbers))),
            Value::Uints(uints) => VmArgument::Uints(Numbers::Lent(Rc::clone(uints))),
            Value::List(list) if self.by_element => VmArgument::Vector(list.len()),
            Value::List(list) if list.len() == INDICES => {
                VmArgument::Uints(Numbers::Converted(VectorCopy::new(list, uint)))
            }
            Value::List(list) => {
                VmArgument::Numbers(Numbers::Converted(VectorCopy::new(list, number)))
            }
        }
    }
    fn element(&mut self, vector: &Value, index: usize) -> VmArgument<Machine> {
        let Value::List(list) = vector else { return VmArgument::Other };
        self.argument(&list[index])
    }
    fn property(&mut self, _: &Value, _: &'static str) -> Result<Value, u16> {
        Err(1069)
    }
    fn throw(&mut self, error: &FlashError) -> u16 {
        error.number()
    }
    fn has_create_listener(&mut self, _: &Value) -> Result<bool, u16> {
        Ok(true)
    }
}

/// The `Vector` arguments of one frame's calls: vertices, indices and constants.
#[derive(Clone)]
struct Vectors<N, U> {
    vertices: Rc<Vec<N>>,
    indices: Rc<Vec<U>>,
    constants: Rc<Vec<N>>,
}

impl<N: Clone, U: Clone> Vectors<N, U> {
    fn new(number: &N, index: &U) -> Self {
        let vertices = Rc::new(vec![number.clone(); VERTICES]);
        let constants = Rc::new(vec![number.clone(); CONSTANTS]);
        Vectors { vertices, indices: Rc::new(vec![index.clone(); INDICES]), constants }
    }
}

/// Elements that are copied without conversion.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "only its size matters")]
struct Raw([u64; 2]);

struct Frame {
    context: Object,
    vertices: Object,
    indices: Object,
}

impl Frame {
    fn new() -> Self {
        let mut vm = Machine { by_element: false };
        let mut call = |this: &Native<NullBackend>, name: &str, with: &[i32]| {
            let member = Method::find(this.class()[1], name).expect(name);
            let with: Vec<Value> = with.iter().map(|number| Value::Integer(*number)).collect();
            this.call(member, &mut ArgumentSlice::new(&mut vm, &Value::Null, &with)).expect(name)
        };
        let created = |returned| match returned {
            NativeResult::Created(native) => Rc::new(native),
            other => panic!("{other:?}"),
        };
        let [stage3d, ..] = Native::stage3ds();
        call(&stage3d, "requestContext3D", &[]);
        let make = |_: &Request| Ok(NullBackend::counting());
        let context =
            stage3d.answer(30, make).and_then(|event| event.context3d).expect("a context");
        let vertices = created(call(&context, "createVertexBuffer", &[16_000, 8]));
        let indices = created(call(&context, "createIndexBuffer", &[24_000]));
        Frame { context: Rc::new(context), vertices, indices }
    }

    fn typed(&self, from: &Vectors<f64, u32>) {
        let handle = |native: &Object| native.object().expect("an object");
        let (vertices, indices) = (handle(&self.vertices), handle(&self.indices));
        let (vertices, indices) = (
            ObjectHandle::try_from(vertices).expect("one"),
            ObjectHandle::try_from(indices).expect("one"),
        );
        let done = self.context.with_context(|api| {
            api.vertex_buffer_upload_from_vector(vertices, Some(&from.vertices), 0, 16_000)?;
            api.index_buffer_upload_from_vector(indices, Some(&from.indices), 0, 24_000)?;
            let (vertex, constants) = (ProgramType::Vertex, Some(&from.constants[..]));
            (0..BATCHES)
                .try_for_each(|_| api.set_program_constants_from_vector(vertex, 0, constants, -1))
        });
        done.expect("not in a call").expect("legal");
    }

    fn called(&self, vm: &mut Machine, [vertices, indices, constants]: [Value; 3]) {
        let n = Value::Integer;
        let mut call = |this: &Object, member: Option<Method>, with: &[Value]| {
            let on = Value::Null;
            this.call(member.expect("a member"), &mut ArgumentSlice::new(vm, &on, with))
                .expect("legal");
        };
        let find = |this: &Object| Method::find(this.class()[1], "uploadFromVector");
        call(&self.vertices, find(&self.vertices), &[vertices, n(0), n(16_000)]);
        call(&self.indices, find(&self.indices), &[indices, n(0), n(24_000)]);
        let member = Method::find("Context3D", "setProgramConstantsFromVector");
        for _ in 0..BATCHES {
            let with = [Value::Text(&"vertex"), n(0), constants.clone(), n(-1)];
            call(&self.context, member, &with);
        }
    }
}

fn copy<N: Copy, U: Copy>(from: &Vectors<N, U>, to: &mut (Vec<N>, Vec<U>)) {
    to.0[..VERTICES].copy_from_slice(&from.vertices);
    to.1.copy_from_slice(&from.indices);
    for batch in 0..BATCHES {
        let at = VERTICES + batch * CONSTANTS;
        to.0[at..at + CONSTANTS].copy_from_slice(&from.constants);
    }
}

fn copies<N: Copy + 'static, U: Copy + 'static>(number: N, index: U) -> Box<dyn FnMut()> {
    let from = black_box(Vectors::new(&number, &index));
    let mut to = (vec![number; VERTICES + BATCHES * CONSTANTS], vec![index; INDICES]);
    Box::new(move || copy(&from, black_box(&mut to)))
}

fn lists(by_element: bool) -> Box<dyn FnMut()> {
    let from = black_box(Vectors::new(&Value::Number(0.5), &Value::Integer(7)));
    let with =
        [&from.vertices, &from.indices, &from.constants].map(|it| Value::List(Rc::clone(it)));
    let (frame, mut vm) = (Frame::new(), Machine { by_element });
    Box::new(move || frame.called(&mut vm, with.clone()))
}

type Lane = fn() -> Box<dyn FnMut()>;

/// Each variant's name, and the name of the `memcpy` that it is compared with.
const LANES: [(&str, usize, Lane); 6] = [
    ("memcpy of arrays of numbers", 0, || copies(0.5f64, 7u32)),
    ("calls with slices", 0, || {
        let (frame, from) = (Frame::new(), black_box(Vectors::new(&0.5, &7)));
        Box::new(move || frame.typed(&from))
    }),
    ("calls of a VM that lends arrays of numbers", 0, || {
        let from = black_box(Vectors::new(&0.5, &7));
        let with = [Value::Numbers(from.vertices), Value::Uints(from.indices)];
        let [vertices, indices] = with;
        let with = [vertices, indices, Value::Numbers(from.constants)];
        let (frame, mut vm) = (Frame::new(), Machine { by_element: false });
        Box::new(move || frame.called(&mut vm, with.clone()))
    }),
    ("memcpy of arrays of values", 3, || copies(Raw([1; 2]), Raw([1; 2]))),
    ("calls of a VM that converts arrays of values", 3, || lists(false)),
    ("calls of a VM that describes each element", 3, || lists(true)),
];

#[inline(never)]
fn measured_frame(frame: &mut dyn FnMut()) {
    frame();
}

/// Returns the instruction count of a variant's third frame.
fn instructions(lane: usize, tunables: &str) -> Result<u64, String> {
    let itself = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*measured_frame*")
        .arg(itself)
        .args(["--lane", &lane.to_string()])
        .env("GLIBC_TUNABLES", tunables)
        .output()
        .map_err(|error| format!("valgrind can't be run: {error}"))?;
    let text = String::from_utf8_lossy(&run.stderr);
    let count =
        text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.ok_or_else(|| format!("valgrind has counted nothing:\n{text}"))
}

#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn report() -> Result<(), String> {
    // Callgrind counts a `rep movsb` once per byte. With `vectors`, `memcpy` uses vector instructions instead.
    let vectors = "glibc.cpu.x86_rep_movsb_threshold=1000000000";
    for (title, tunables) in [("memcpy by vector instructions", vectors), ("memcpy by default", "")]
    {
        let counts: Vec<u64> =
            (0..LANES.len()).map(|lane| instructions(lane, tunables)).collect::<Result<_, _>>()?;
        println!("{title}\n  instructions  to memcpy  without the calls with slices");
        for ((name, memcpy, _), count) in LANES.iter().zip(&counts) {
            let ratio = |count: u64| count as f64 / counts[*memcpy] as f64;
            let arguments = ratio(count.saturating_sub(counts[1]));
            println!("  {count:12}  {:9.2}  {arguments:9.2}  {name}", ratio(*count));
        }
    }
    Ok(())
}

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--lane").skip(1);
    let lane = arguments.next().and_then(|lane| LANES.get(lane.parse::<usize>().ok()?));
    if let Some((_, _, lane)) = lane {
        let mut frame = lane();
        // The first two frames allocate buffers that later frames reuse.
        frame();
        frame();
        measured_frame(&mut *frame);
    } else if let Err(error) = report() {
        eprintln!("{error}");
        exit(1);
    }
}
