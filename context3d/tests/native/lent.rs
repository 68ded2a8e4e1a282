//! Memory that a call allocates for its arguments. A VM that lends strings and vectors, or converts its own arrays of
//! values, needs no allocation.

use std::rc::Rc;

use allocation_counter::measure;
use context3d::Request;
use context3d::backend::NullBackend;
use context3d::native::{
    ArgumentSlice, FlashError, Method, Native, NativeResult, VectorCopy, Vm, VmArgument,
};

/// The ways in which a VM passes strings and vectors.
#[derive(Clone, Copy, PartialEq)]
enum Frugal {
    /// Strings are copied, and vectors are passed element by element.
    Copies,
    /// Strings are shared, and arrays of values are converted.
    Converts,
    /// Strings are shared, and number arrays are borrowed.
    Lends,
}

#[derive(Clone)]
enum Value {
    Number(f64),
    Text(Rc<str>),
    Numbers(Rc<[f64]>),
    Uints(Rc<[u32]>),
    Matrix(Rc<[f64]>),
    Object(Rc<Native<NullBackend>>),
}

/// Memory that the VM shares, or a copy.
enum Passed<Shared, Copy> {
    Shared(Shared),
    Copy(Copy),
}

impl<T: ?Sized, Shared, Copy> std::ops::Deref for Passed<Shared, Copy>
where
    Shared: std::ops::Deref<Target = T>,
    Copy: std::ops::Deref<Target = T>,
{
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Passed::Shared(shared) => shared,
            Passed::Copy(copy) => copy,
        }
    }
}

impl Vm for Frugal {
    type Value = Value;
    type Error = u16;
    type Bytes = Vec<u8>;
    type Text = Passed<Rc<str>, String>;
    type Numbers = Passed<Rc<[f64]>, VectorCopy<f64>>;
    type Floats = Vec<f32>;
    type Uints = Passed<Rc<[u32]>, VectorCopy<u32>>;

    fn argument(&mut self, value: &Value) -> VmArgument<Frugal> {
        match (value, *self) {
            (Value::Number(number), _) => VmArgument::Number(*number),
            (Value::Text(text), Frugal::Copies) => VmArgument::Text(Passed::Copy(text.to_string())),
            (Value::Text(text), _) => VmArgument::Text(Passed::Shared(Rc::clone(text))),
            (Value::Numbers(numbers), Frugal::Copies) => VmArgument::Vector(numbers.len()),
            (Value::Numbers(numbers), Frugal::Converts) => {
                VmArgument::Numbers(Passed::Copy(VectorCopy::new(numbers, |number| *number)))
            }
            (Value::Numbers(numbers), Frugal::Lends) => {
                VmArgument::Numbers(Passed::Shared(Rc::clone(numbers)))
            }
            (Value::Uints(uints), Frugal::Copies) => VmArgument::Vector(uints.len()),
            (Value::Uints(uints), Frugal::Converts) => {
                VmArgument::Uints(Passed::Copy(VectorCopy::new(uints, |uint| *uint)))
            }
            (Value::Uints(uints), Frugal::Lends) => {
                VmArgument::Uints(Passed::Shared(Rc::clone(uints)))
            }
            (Value::Matrix(_), _) => VmArgument::Other,
            (Value::Object(native), _) => VmArgument::Object(native.object()),
        }
    }
    fn element(&mut self, vector: &Value, index: usize) -> VmArgument<Frugal> {
        match vector {
            Value::Numbers(numbers) => VmArgument::Number(numbers[index]),
            Value::Uints(uints) => VmArgument::Number(f64::from(uints[index])),
            Value::Number(_) | Value::Text(_) | Value::Matrix(_) | Value::Object(_) => {
                VmArgument::Other
            }
        }
    }
    fn property(&mut self, object: &Value, _: &'static str) -> Result<Value, u16> {
        let Value::Matrix(data) = object else { return Err(1069) };
        Ok(Value::Numbers(Rc::clone(data)))
    }
    fn throw(&mut self, error: &FlashError) -> u16 {
        error.number()
    }
    fn has_create_listener(&mut self, _: &Value) -> Result<bool, u16> {
        Ok(true)
    }
}

fn call(this: &Native<NullBackend>, name: &str, with: &[Value], mut vm: Frugal) -> Value {
    let member = Method::find(this.class()[1], name).expect(name);
    let on = Value::Number(0.0);
    match this.call(member, &mut ArgumentSlice::new(&mut vm, &on, with)) {
        Ok(NativeResult::Created(native)) => Value::Object(Rc::new(native)),
        Ok(_) => on,
        Err(number) => panic!("{name}: {number}"),
    }
}

/// Returns the bytes and the number of allocations in a frame of a 2D engine with 20,000 vertices and 30,000 indices.
fn frame(context: &Native<NullBackend>, vm: Frugal) -> (u64, u64) {
    let n = Value::Number;
    let text = |text: &str| Value::Text(text.into());
    let [vertices, indices] = [
        ("createVertexBuffer", vec![n(20_000.0), n(8.0)]),
        ("createIndexBuffer", vec![n(30_000.0)]),
    ]
    .map(|(name, with)| call(context, name, &with, vm));
    let (Value::Object(vertex_buffer), Value::Object(index_buffer)) = (&vertices, &indices) else {
        panic!("no buffers")
    };
    let points = [Value::Numbers(vec![0.5; 160_000].into()), n(0.0), n(20_000.0)];
    let triangles = [Value::Uints(vec![7; 30_000].into()), n(0.0), n(30_000.0)];
    let calls = [
        (&**vertex_buffer, "uploadFromVector", &points[..]),
        (index_buffer, "uploadFromVector", &triangles),
        (context, "setBlendFactors", &[text("one"), text("oneMinusSourceAlpha")]),
        (context, "setVertexBufferAt", &[n(0.0), vertices.clone(), n(0.0), text("float2")]),
        (context, "setVertexBufferAt", &[n(1.0), vertices.clone(), n(2.0), text("float4")]),
        (
            context,
            "setProgramConstantsFromMatrix",
            &[text("vertex"), n(0.0), Value::Matrix([1.0; 16].into())],
        ),
        (
            context,
            "setProgramConstantsFromVector",
            &[text("fragment"), n(0.0), Value::Numbers([1.0; 4].into())],
        ),
    ];
    // The first frames allocate buffers that later frames reuse.
    let mut taken = (0, 0);
    for _ in 0..2 {
        let measured = measure(|| {
            for (this, name, with) in calls {
                call(this, name, with, vm);
            }
        });
        taken = (measured.bytes_total, measured.count_total);
    }
    taken
}

#[test]
fn vectors_and_lent_strings_take_no_memory() {
    let [stage3d, ..] = Native::<NullBackend>::stage3ds();
    call(&stage3d, "requestContext3D", &[], Frugal::Lends);
    let make = |_: &Request| Ok(NullBackend::counting());
    let event = stage3d.answer(30, make).expect("an answer");
    let context = event.context3d.expect("a context");
    // The only allocations are the copies of six strings.
    let (bytes, count) = frame(&context, Frugal::Copies);
    assert!((1..200).contains(&bytes) && count == 6, "{bytes} bytes, {count} allocations");
    for vm in [Frugal::Converts, Frugal::Lends] {
        assert_eq!(frame(&context, vm), (0, 0));
    }
}

#[test]
fn converted_numbers_share_memory_one_after_the_other() {
    let convert = |numbers: &[u16]| VectorCopy::new(numbers, |number| f64::from(*number));
    drop(convert(&[1; 40]));
    let (first, second) = (convert(&[2, 3]), convert(&[4; 20]));
    assert_eq!((&*first, &*second, &*convert(&[])), (&[2.0, 3.0][..], &[4.0; 20][..], &[][..]));
    drop((first, second));
    let again = |numbers: &[u16]| measure(|| drop(convert(numbers))).count_total;
    assert_eq!((again(&[5; 40]), again(&[6; 3])), (0, 0));
    // A buffer for more than a million elements is not retained.
    let many = vec![7; (1 << 20) + 1];
    assert_eq!((again(&many), again(&many), again(&[8])), (1, 1, 1));
}
