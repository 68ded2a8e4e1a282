//! The native layer: methods by name, requests of several Stage3Ds, native objects, and recording.

mod hosts;
mod lent;
mod memory;
mod uploads;
mod video;

use std::cell::RefCell;
use std::rc::Rc;

use context3d::backend::{Backend, BackendError, NullBackend};
use context3d::calls::{Arguments as _, Elements, METHODS, MethodKind};
use context3d::native::{
    ArgumentSlice, BitmapSource, CallRecorder, Endian, FlashError, HostEvent, Method, Native,
    NativeResult, Vm, VmArgument,
};
use context3d::{
    AnyHandle, Error, Invocation, Profile, Reply, Request, RequestRefusal, TextureEvent,
};

#[derive(Clone, Debug)]
enum Value {
    Null,
    Boolean(bool),
    Number(f64),
    Text(&'static str),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Numbers(Vec<f64>),
    Floats(Vec<f32>),
    Uints(Vec<u32>),
    /// A `BitmapData` of 2×1 pixels.
    Bitmap,
    Object(Option<AnyHandle>),
    /// An object with `x`, `y`, `width` and `height`, or with `rawData`.
    Properties(Vec<Value>),
}

fn numbers(numbers: impl IntoIterator<Item = f64>) -> Vec<Value> {
    numbers.into_iter().map(Value::Number).collect()
}

/// A VM whose exceptions are error numbers.
#[derive(Default)]
struct Machine {
    deaf: bool,
    /// The message of the last error.
    text: String,
    /// Objects that the program can't reach, and the number of garbage collections.
    garbage: Option<Rc<RefCell<Vec<This>>>>,
    collections: usize,
}

impl Vm for Machine {
    type Value = Value;
    type Error = u16;
    type Bytes = Vec<u8>;
    type Text = &'static str;
    type Numbers = Vec<f64>;
    type Floats = Vec<f32>;
    type Uints = Vec<u32>;

    fn argument(&mut self, value: &Value) -> VmArgument<Machine> {
        match value {
            Value::Null => VmArgument::Null,
            Value::Boolean(value) => VmArgument::Boolean(*value),
            Value::Number(number) => VmArgument::Number(*number),
            Value::Text(text) => VmArgument::Text(*text),
            Value::Bytes(bytes) => VmArgument::Bytes(bytes.clone(), Endian::from_big(true)),
            Value::List(values) => VmArgument::Vector(values.len()),
            Value::Numbers(numbers) => VmArgument::Numbers(numbers.clone()),
            Value::Floats(numbers) => VmArgument::Floats(numbers.clone()),
            Value::Uints(numbers) => VmArgument::Uints(numbers.clone()),
            Value::Bitmap => {
                VmArgument::Bitmap(BitmapSource::rgba(2, 1, true, Some((0..8).collect())))
            }
            Value::Object(object) => VmArgument::Object(*object),
            Value::Properties(_) => VmArgument::Other,
        }
    }
    fn element(&mut self, vector: &Value, index: usize) -> VmArgument<Machine> {
        let Value::List(values) = vector else { return VmArgument::Other };
        values.get(index).map_or(VmArgument::Null, |value| self.argument(value))
    }
    fn property(&mut self, object: &Value, name: &'static str) -> Result<Value, u16> {
        let Value::Properties(values) = object else { return Err(1069) };
        let index = ["x", "y", "width", "height"].iter().position(|it| *it == name);
        values.get(index.unwrap_or(0)).cloned().ok_or(1069)
    }
    fn throw(&mut self, error: &FlashError) -> u16 {
        self.text = error.as3_message();
        error.number()
    }
    fn collect_garbage(&mut self) -> bool {
        self.collections += 1;
        let garbage = self.garbage.as_ref().map(|garbage| garbage.take());
        garbage.is_some_and(|garbage| !garbage.is_empty())
    }
    fn has_create_listener(&mut self, _: &Value) -> Result<bool, u16> {
        Ok(!self.deaf)
    }
}

#[test]
fn values_become_arguments() {
    let list = |values: &[Value]| Value::List(values.to_vec());
    let values = [
        Value::Number(4_294_967_295.0),
        Value::Number(f64::NAN),
        Value::Boolean(true),
        Value::Number(2.0),
        Value::Null,
        Value::Text("x"),
        Value::Null,
        list(&[Value::Text("y"), Value::Null]),
        Value::Bytes(vec![1, 2]),
        list(&numbers([0.5, 3.0])),
        list(&numbers([0.5])),
        list(&numbers([4_294_967_295.0, 7.0])),
        Value::Numbers(vec![0.5, -1.0]),
        Value::Numbers(vec![0.25]),
        Value::Numbers(vec![-1.0, f64::NAN]),
        Value::Uints(vec![u32::MAX]),
        Value::Uints(vec![3]),
        Value::Uints(vec![5]),
        Value::Floats(vec![0.25, 0.5]),
        Value::Floats(vec![1.5]),
        Value::Floats(vec![-1.0]),
        Value::Properties(vec![Value::Numbers(vec![2.0; 16])]),
        Value::Properties(vec![list(&numbers((0..16).map(f64::from)))]),
        Value::Properties(numbers([1.0, 2.0, 3.0, 4.0])),
        Value::Properties(numbers([5.0, 6.0])),
        Value::Null,
        Value::Bitmap,
        Value::Bitmap,
        Value::Null,
    ];
    let (vm, this) = (&mut Machine::default(), Value::Null);
    let it = &mut ArgumentSlice::new(vm, &this, &values);
    assert_eq!((it.next_uint(), it.next_int()), (Ok(u32::MAX), Ok(0)));
    assert_eq!((it.next_number(), it.next_bool(), it.next_bool()), (Ok(1.0), Ok(true), Ok(false)));
    assert_eq!((it.next_string(), it.next_string()), (Ok(Some("x")), Ok(None)));
    assert_eq!(it.next_strings(), Ok(Some(vec![Some("y"), None])));
    assert_eq!(it.next_bytes(), Ok(Some((vec![1, 2], Endian::Big))));
    macro_rules! next {
        ($next:ident) => {
            it.$next().expect("a vector").expect("not null")
        };
    }
    assert_eq!(*next!(next_numbers), [0.5, 3.0]);
    assert_eq!(*next!(next_floats), [0.5]);
    assert_eq!(*next!(next_uints), [u32::MAX, 7]);
    // If a vector of the VM is already an array of the requested type, it is borrowed.
    let (lent, floats, uints) = (next!(next_numbers), next!(next_floats), next!(next_uints));
    assert!(matches!(&lent, Elements::Lent(numbers) if **numbers == [0.5, -1.0]), "{lent:?}");
    assert_eq!((&*floats, &*uints), (&[0.25f32][..], &[u32::MAX, 0][..]));
    let (lent, numbers, floats) = (next!(next_uints), next!(next_numbers), next!(next_floats));
    assert!(matches!(&lent, Elements::Lent(uints) if **uints == [u32::MAX]), "{lent:?}");
    assert_eq!((&*numbers, &*floats), (&[3.0f64][..], &[5.0f32][..]));
    let (lent, numbers, uints) = (next!(next_floats), next!(next_numbers), next!(next_uints));
    assert!(matches!(&lent, Elements::Lent(floats) if **floats == [0.25, 0.5]), "{lent:?}");
    assert_eq!((&*numbers, &*uints), (&[1.5f64][..], &[u32::MAX][..]));
    assert_eq!(next!(next_matrix), [2.0; 16]);
    let matrix = it.next_matrix().expect("a matrix").expect("not null");
    assert_eq!((matrix[1], matrix[15]), (1.0, 15.0));
    assert_eq!(it.next_rectangle(), Ok(Some([1.0, 2.0, 3.0, 4.0])));
    assert_eq!((it.next_point(), it.next_matrix()), (Ok(Some([5.0, 6.0])), Ok(None)));
    let bitmap = it.next_bitmap().expect("a bitmap").expect("not null");
    assert_eq!(bitmap.pixels.map(|pixels| pixels.len()), Some(8));
    assert_eq!(
        it.next_bitmap_target().map(|it| it.map(|it| (it.width, it.height))),
        Ok(Some((2, 1)))
    );
    assert!(it.has_next() && it.next_object() == Ok(None) && !it.has_next());
    // A missing argument, and arguments of other classes.
    assert_eq!(it.next_number(), Err(1034));
    for value in [Value::Text("x"), list(&[Value::Bitmap]), Value::Properties(Vec::new())] {
        let values = [value];
        macro_rules! take {
            ($next:ident) => {
                ArgumentSlice::new(&mut *vm, &this, &values).$next()
            };
        }
        assert_eq!((take!(next_number), take!(next_uints).err()), (Err(1034), Some(1034)));
        assert_eq!((take!(next_object), take!(next_bytes)), (Err(1034), Err(1034)));
        assert_eq!(take!(next_point), Err(1069));
    }
}

type This = Native<NullBackend>;

fn call<B: Backend>(
    this: &Native<B>,
    class: &str,
    name: &str,
    with: &[Value],
) -> Result<NativeResult<B>, u16> {
    let (vm, on) = (&mut Machine::default(), Value::Null);
    this.call(Method::find(class, name).expect(name), &mut ArgumentSlice::new(vm, &on, with))
}

/// Ends the frame and returns its events. The host has a device if `device` is true.
fn events(this: &This, device: bool) -> Vec<HostEvent<NullBackend>> {
    let mut events = Vec::new();
    let none = || Err(BackendError::Driver("no device".to_owned()));
    let make = |_: &Request| if device { Ok(NullBackend::new()) } else { none() };
    this.end_frame(30, make, |event| events.push(event));
    events
}

fn request(this: &This, profile: &'static str) -> Result<This, u16> {
    call(this, "Stage3D", "request_context_3d", &[Value::Text("auto"), Value::Text(profile)])?;
    let event = events(this, true).pop().expect("an event");
    assert_eq!((event.target, event.name == "error"), (None, event.error.is_some()));
    event.context3d.ok_or_else(|| event.error.expect("an error").number())
}

#[test]
fn members_are_found_as_vms_write_them() {
    let snake = |name: &str| -> String {
        let split =
            |c: char| if c.is_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] };
        name.chars().flat_map(split).collect()
    };
    let mut found = 0;
    for row in METHODS {
        let prefix = match row.kind {
            MethodKind::Method => "",
            MethodKind::Setter => "set ",
            MethodKind::Getter => "get_",
            MethodKind::Host => continue,
        };
        for class in row.classes {
            for name in [row.name, &snake(row.name)].map(|name| format!("{prefix}{name}")) {
                let method = Method::find(class, &name).expect(&name);
                assert_eq!(
                    (method.variant, method.name, method.kind),
                    (row.variant, row.name, row.kind)
                );
                assert!(method.is_of(class), "{class}.{name}");
                found += 1;
            }
        }
    }
    assert!(found > 160, "{found}");
    let dispose = Method::find("TextureBase", "dispose").expect("a method");
    assert_eq!(dispose.variant, "TextureDispose");
    for [class, name] in [
        ["Context3D", "profile"],
        ["Texture", "clear"],
        ["Stage3D", "set context3D"],
        ["TextureBase", "uploadFromBitmapData"],
    ] {
        assert!(Method::find(class, name).is_none(), "{class}.{name}");
    }
}

/// [context3d.request.others] [context3d.error.3702] [context3d.error.3688] [context3d.error.2006.position]
#[test]
fn stage3ds_have_positions_and_requests() {
    let stage3ds = This::stage3ds();
    let [first, second, ..] = &stage3ds;
    call(first, "Stage3D", "set x", &numbers([12.5])).expect("legal");
    assert!(matches!(call(first, "Stage3D", "get_x", &[]), Ok(NativeResult::Number(12.5))));
    assert_eq!(call(first, "Stage3D", "set y", &numbers([f64::NAN])).err(), Some(2006));
    assert_eq!((first.stage3d().x(), first.stage3d().y(), second.stage3d().x()), (12.5, 0.0, 0.0));
    let (deaf, on) = (&mut Machine { deaf: true, ..Machine::default() }, Value::Null);
    let member = Method::find("Stage3D", "requestContext3D").expect("a member");
    assert_eq!(first.call(member, &mut ArgumentSlice::new(deaf, &on, &[])).err(), Some(3688));
    // Without arguments, the request is for "auto" and "baseline".
    call(first, "Stage3D", "requestContext3D", &[]).expect("legal");
    let without = events(first, false);
    let refused = |event: &HostEvent<_>| event.error.as_ref().map(FlashError::number);
    assert!(matches!(&*without, [event] if refused(event) == Some(3702)), "{without:?}");
    assert!(events(first, true).is_empty(), "it is answered once");
    let matching = [Value::List(vec![Value::Text("standard"), Value::Text("baseline")])];
    call(first, "Stage3D", "requestContext3DMatchingProfiles", &matching).expect("legal");
    let answered = events(first, true);
    let [HostEvent { context3d: Some(context), .. }] = &*answered else { panic!("{answered:?}") };
    assert_eq!(context.with_context(|it| it.profile()), Some(Some(Profile::Standard)));
    // A request for a profile that allows a single context is rejected while another context exists.
    assert_eq!(request(second, "baselineConstrained").err(), Some(3702));
    assert!(request(second, "baseline").is_ok());
}

/// [context3d.life.dispose] [context3d.life.recreate] [context3d.life.foreign] [context3d.error.3694]
#[test]
fn objects_outlive_their_context_and_are_released() {
    let [stage3d, ..] = This::stage3ds();
    assert!(matches!(call(&stage3d, "Stage3D", "get context3D", &[]), Ok(NativeResult::Null)));
    let context = request(&stage3d, "baseline").expect("a context");
    let there = call(&stage3d, "Stage3D", "get context3D", &[]);
    assert!(matches!(there, Ok(NativeResult::Context3D)));
    let create = || match call(&context, "Context3D", "createVertexBuffer", &numbers([100.0, 2.0]))
    {
        Ok(NativeResult::Created(native)) => native,
        other => panic!("{other:?}"),
    };
    let memory = || match call(&context, "Context3D", "get totalGPUMemory", &[]) {
        Ok(NativeResult::Number(bytes)) => bytes,
        other => panic!("{other:?}"),
    };
    let (bound, loose) = (create(), create());
    assert!(bound.number() != loose.number() && bound.object() != loose.object());
    assert_eq!(bound.class(), ["flash.display3D", "VertexBuffer3D"]);
    let before = memory();
    drop(loose);
    context.with_context(|it| it.collect_released().expect("no failure"));
    assert!(memory() < before);
    // `setVertexBufferAt` accepts the vertex buffer; `setProgram` rejects the vertex buffer with 1034.
    let object = Value::Object(bound.object());
    let bind = [Value::Number(0.0), object.clone()];
    assert!(call(&context, "Context3D", "setVertexBufferAt", &bind).is_ok());
    assert_eq!(call(&context, "Context3D", "setProgram", &[object]).err(), Some(1034));
    // Reads a property, and calls a method, of another class.
    assert_eq!(call(&bound, "Context3D", "get profile", &[]).err(), Some(1034));
    assert_eq!(call(&stage3d, "Context3D", "present", &[]).err(), Some(1034));

    call(&context, "Context3D", "dispose", &[]).expect("legal");
    assert!(!context.is_alive());
    let again = events(&stage3d, true);
    assert!(matches!(&*again, [HostEvent { name: "context3DCreate", .. }]), "{again:?}");
    let without = call(&bound, "VertexBuffer3D", "uploadFromVector", &[]).err();
    assert_eq!(without, Some(1034), "no arguments");
    assert_eq!(call(&context, "Context3D", "clear", &[]).err(), Some(3694));
    assert!(call(&bound, "VertexBuffer3D", "dispose", &[]).is_ok());
}

#[derive(Clone, Default)]
struct Log(Rc<RefCell<Vec<String>>>);

impl Log {
    fn add(&self, text: String) {
        self.0.borrow_mut().push(text);
    }
}

impl CallRecorder for Log {
    fn context(&mut self, stage: u32, request: &Request, granted: Profile) -> u64 {
        self.add(format!("context {stage} {:?} {granted}", request.mode));
        7
    }
    fn refused(&mut self, stage: u32, _: &Request, error: &FlashError, reason: &RequestRefusal) {
        self.add(format!("refused {stage} {}: {reason}", error.number()));
    }
    fn stage3d(&mut self, stage: u32, command: &Invocation<'_>) {
        self.add(format!("stage {stage} {command:?}"));
    }
    fn call(&mut self, context: u64, command: &Invocation<'_>, result: &Result<Reply, Error>) {
        self.add(format!("{context} {} {}", command.method().name, result.is_ok()));
    }
    fn event(&mut self, event: &TextureEvent) {
        self.add(format!("event {}", event.error.is_some()));
    }
    fn forget(&mut self, _: AnyHandle) {
        self.add("forget".to_owned());
    }
    fn end_frame(&mut self) {
        self.add("end".to_owned());
    }
}

#[test]
fn everything_is_recorded_in_order() {
    let stage3ds = This::stage3ds();
    let [first, second, ..] = &stage3ds;
    let log = Log::default();
    assert!(!first.is_recorded());
    // The recorder doesn't receive the calls of `set y` and `set visible`, because `record` is called after them.
    call(first, "Stage3D", "set y", &numbers([2.0])).expect("legal");
    call(second, "Stage3D", "set visible", &[Value::Boolean(false)]).expect("legal");
    assert_eq!((first.shown_at(), second.shown_at()), (None, None));
    first.record(log.clone());
    assert!(second.is_recorded());
    call(second, "Stage3D", "set x", &numbers([3.0])).expect("legal");
    assert!(call(second, "Stage3D", "set x", &numbers([9e9])).is_err());
    let context = request(second, "baseline").expect("a context");
    assert_eq!(call(&context, "Context3D", "clear", &[]).err(), Some(3698));
    drop(call(&context, "Context3D", "createProgram", &[]));
    call(first, "Stage3D", "requestContext3D", &[]).expect("legal");
    assert_eq!(events(first, false).len(), 1);
    for stage3d in &stage3ds[1..] {
        assert!(events(stage3d, true).is_empty());
    }
    let lines = log.0.borrow();
    let expected = [
        "stage 0 SetY { value: 2.0 }",
        "stage 1 SetVisible { value: false }",
        "stage 1 SetX { value: 3.0 }",
        "stage 1 Request",
        "context 1 Auto baseline",
        "7 clear false",
        "7 createProgram true",
        "forget",
        "stage 0 Request",
        "refused 0 3702: the host has no device for the requested render mode",
        "end",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}, not {expected}");
    }
}
