//! The native layer: members by name, requests of several Stage3Ds, objects, and what is recorded.

use std::cell::RefCell;
use std::rc::Rc;

use context3d::agal::Endian;
use context3d::backend::{BackendError, NullBackend};
use context3d::calls::{Arguments, CALLS, CallKind, HeldBitmap, Member, PROPERTIES, Texts};
use context3d::native::{Event, Native, Record, Returned};
use context3d::{
    AnyHandle, Command, Error, FlashError, Profile, Reply, Request, StageCommand, TextureEvent,
};

/// Numbers and texts; what is thrown is Flash's number, or 0 for the VM's own errors.
#[derive(Default)]
struct Values {
    numbers: Vec<f64>,
    texts: Vec<Option<&'static str>>,
    objects: Vec<Option<AnyHandle>>,
    deaf: bool,
}

impl Values {
    fn numbers(numbers: impl IntoIterator<Item = f64>) -> Self {
        Values { numbers: numbers.into_iter().collect(), ..Values::default() }
    }
}

fn first<T>(from: &mut Vec<T>) -> Result<T, u16> {
    if from.is_empty() { Err(0) } else { Ok(from.remove(0)) }
}

impl Arguments for Values {
    type Error = u16;
    type Bytes = Vec<u8>;
    type Numbers = Vec<f64>;
    type Floats = Vec<f32>;
    type Uints = Vec<u32>;
    type Text = &'static str;
    type Pixels = Vec<u8>;

    fn is_left(&self) -> bool {
        !(self.numbers.is_empty() && self.texts.is_empty() && self.objects.is_empty())
    }
    fn mismatch(&mut self) -> u16 {
        1034
    }
    fn throw(&mut self, error: &FlashError) -> u16 {
        error.number()
    }
    fn listens(&mut self) -> Result<bool, u16> {
        Ok(!self.deaf)
    }
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    fn next_int(&mut self) -> Result<i32, u16> {
        Ok(self.next_number()? as i32)
    }
    fn next_number(&mut self) -> Result<f64, u16> {
        first(&mut self.numbers)
    }
    fn next_bool(&mut self) -> Result<bool, u16> {
        Ok(self.next_number()? != 0.0)
    }
    fn next_string(&mut self) -> Result<Option<&'static str>, u16> {
        first(&mut self.texts)
    }
    fn next_strings(&mut self) -> Result<Option<Texts<&'static str>>, u16> {
        Ok(Some(std::mem::take(&mut self.texts)))
    }
    fn next_object(&mut self) -> Result<Option<AnyHandle>, u16> {
        first(&mut self.objects)
    }
    fn next_bytes(&mut self) -> Result<Option<(Vec<u8>, Endian)>, u16> {
        Err(0)
    }
    fn next_numbers(&mut self) -> Result<Option<Vec<f64>>, u16> {
        Err(0)
    }
    fn next_uints(&mut self) -> Result<Option<Vec<u32>>, u16> {
        Err(0)
    }
    fn next_matrix(&mut self) -> Result<Option<[f64; 16]>, u16> {
        Err(0)
    }
    fn next_rectangle(&mut self) -> Result<Option<[f64; 4]>, u16> {
        Err(0)
    }
    fn next_point(&mut self) -> Result<Option<[f64; 2]>, u16> {
        Err(0)
    }
    fn next_bitmap(&mut self) -> Result<Option<HeldBitmap<Vec<u8>>>, u16> {
        Err(0)
    }
}

type This = Native<NullBackend>;

fn call(
    this: &This,
    class: &str,
    name: &str,
    mut with: Values,
) -> Result<Returned<NullBackend>, u16> {
    this.call(Member::find(class, name).expect(name), &mut with)
}

/// Ends the frame, with a device or without.
fn events(this: &This, device: bool) -> Vec<Event<NullBackend>> {
    let mut events = Vec::new();
    let make = || if device { Ok(NullBackend::new()) } else { Err(BackendError::Lost) };
    this.end_frame(30, make, |event| events.push(event));
    events
}

fn request(this: &This, profile: &'static str) -> Result<This, u16> {
    let texts = vec![Some("auto"), Some(profile)];
    call(this, "Stage3D", "request_context_3d", Values { texts, ..Values::default() })?;
    match events(this, true).pop() {
        Some(Event::Created(context)) => Ok(context),
        Some(Event::Refused(error)) => Err(error.number()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn members_are_found_as_vms_write_them() {
    let snake = |name: &str| -> String {
        let split =
            |c: char| if c.is_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] };
        name.chars().flat_map(split).collect()
    };
    let mut found = 0;
    let programs = CALLS.iter().filter(|call| call.kind != CallKind::Host);
    for (call, class) in programs.flat_map(|call| call.classes.iter().map(move |it| (call, it))) {
        let prefix = if call.kind == CallKind::Setter { "set " } else { "" };
        for name in [format!("{prefix}{}", call.name), format!("{prefix}{}", snake(call.name))] {
            let member = format!("{:?}", Member::find(class, &name).expect(&name));
            assert!(member.contains(&format!("\"{}\"", call.variant)), "{class}.{name}: {member}");
            found += 1;
        }
    }
    for row in PROPERTIES {
        let member = Member::find(row.class, &format!("get_{}", snake(row.name)));
        assert!(format!("{member:?}").contains("Property"), "{row:?}: {member:?}");
        found += 1;
    }
    assert!(found > 120, "{found}");
    let dispose = format!("{:?}", Member::find("TextureBase", "dispose"));
    assert!(dispose.contains("\"TextureDispose\""), "{dispose}");
    for [class, name] in [
        ["Context3D", "profile"],
        ["Texture", "clear"],
        ["Stage3D", "set context3D"],
        ["TextureBase", "uploadFromBitmapData"],
    ] {
        assert!(Member::find(class, name).is_none(), "{class}.{name}");
    }
}

/// [context3d.request.others] [context3d.error.3702] [context3d.error.3688] [context3d.error.2006.position]
#[test]
fn stage3ds_have_positions_and_requests() {
    let stage3ds = This::stage3ds();
    let [first, second, ..] = &stage3ds;
    call(first, "Stage3D", "set x", Values::numbers([12.5])).expect("legal");
    assert!(matches!(
        call(first, "Stage3D", "get_x", Values::default()),
        Ok(Returned::Number(12.5))
    ));
    assert_eq!(call(first, "Stage3D", "set y", Values::numbers([f64::NAN])).err(), Some(2006));
    assert_eq!((first.stage3d().x(), first.stage3d().y(), second.stage3d().x()), (12.5, 0.0, 0.0));
    let deaf = Values { deaf: true, ..Values::default() };
    assert_eq!(call(first, "Stage3D", "requestContext3D", deaf).err(), Some(3688));
    // Without arguments, "auto" and "baseline".
    call(first, "Stage3D", "requestContext3D", Values::default()).expect("legal");
    let without = events(first, false);
    assert!(matches!(&*without, [Event::Refused(error)] if error.number() == 3702), "{without:?}");
    assert!(events(first, true).is_empty(), "it is answered once");
    let matching = Values { texts: vec![Some("standard"), Some("baseline")], ..Values::default() };
    call(first, "Stage3D", "requestContext3DMatchingProfiles", matching).expect("legal");
    let answered = events(first, true);
    let [Event::Created(context)] = &*answered else { panic!("{answered:?}") };
    assert_eq!(context.with_context(|it| it.profile()), Some(Some(Profile::Standard)));
    // A profile that allows one context at a time, beside another one.
    assert_eq!(request(second, "baselineConstrained").err(), Some(3702));
    assert!(request(second, "baseline").is_ok());
}

/// [context3d.life.dispose] [context3d.life.recreate] [context3d.life.foreign] [context3d.error.3694]
#[test]
fn objects_outlive_their_context_and_are_released() {
    let [stage3d, ..] = This::stage3ds();
    assert!(matches!(
        call(&stage3d, "Stage3D", "get context3D", Values::default()),
        Ok(Returned::Null)
    ));
    let context = request(&stage3d, "baseline").expect("a context");
    let there = call(&stage3d, "Stage3D", "get context3D", Values::default());
    assert!(matches!(there, Ok(Returned::Context3D)));
    let create = || {
        let values = Values { texts: vec![Some("staticDraw")], ..Values::numbers([100.0, 2.0]) };
        match call(&context, "Context3D", "createVertexBuffer", values) {
            Ok(Returned::Created("VertexBuffer3D", native)) => native,
            other => panic!("{other:?}"),
        }
    };
    let memory = || match call(&context, "Context3D", "get totalGPUMemory", Values::default()) {
        Ok(Returned::Number(bytes)) => bytes,
        other => panic!("{other:?}"),
    };
    let (bound, loose) = (create(), create());
    assert!(bound.number() != loose.number() && bound.object() != loose.object());
    let before = memory();
    drop(loose);
    context.with_context(|it| it.collect_released().expect("no failure"));
    assert!(memory() < before);
    // A property and a call of another class.
    assert!(call(&bound, "Context3D", "get profile", Values::default()).is_ok());
    assert_eq!(call(&stage3d, "Context3D", "present", Values::default()).err(), Some(1034));

    call(&context, "Context3D", "dispose", Values::default()).expect("legal");
    assert!(!context.is_alive());
    let again = events(&stage3d, true);
    assert!(matches!(&*again, [Event::Created(_)]), "{again:?}");
    assert_eq!(
        call(&bound, "VertexBuffer3D", "uploadFromVector", Values::default()).err(),
        Some(0),
        "no arguments"
    );
    assert_eq!(call(&context, "Context3D", "clear", Values::default()).err(), Some(3694));
    assert!(call(&bound, "VertexBuffer3D", "dispose", Values::default()).is_ok());
}

#[derive(Clone, Default)]
struct Log(Rc<RefCell<Vec<String>>>);

impl Log {
    fn add(&self, text: String) {
        self.0.borrow_mut().push(text);
    }
}

impl Record for Log {
    fn context(&mut self, stage: u32, request: &Request, granted: Profile) -> u64 {
        self.add(format!("context {stage} {:?} {granted}", request.mode));
        7
    }
    fn refused(&mut self, stage: u32, _: &Request, error: &FlashError) {
        self.add(format!("refused {stage} {}", error.number()));
    }
    fn stage3d(&mut self, stage: u32, command: &StageCommand) {
        self.add(format!("stage {stage} {command:?}"));
    }
    fn call(&mut self, context: u64, command: &Command<'_>, result: &Result<Reply, Error>) {
        self.add(format!("{context} {} {}", command.call().name, result.is_ok()));
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
    first.record(log.clone());
    assert!(second.is_recorded());
    call(second, "Stage3D", "set x", Values::numbers([3.0])).expect("legal");
    assert!(call(second, "Stage3D", "set x", Values::numbers([9e9])).is_err());
    let context = request(second, "baseline").expect("a context");
    assert_eq!(call(&context, "Context3D", "clear", Values::default()).err(), Some(3698));
    drop(call(&context, "Context3D", "createProgram", Values::default()));
    call(first, "Stage3D", "requestContext3D", Values::default()).expect("legal");
    assert_eq!(events(first, false).len(), 1);
    for stage3d in &stage3ds[1..] {
        assert!(events(stage3d, true).is_empty());
    }
    let lines = log.0.borrow();
    let expected = [
        "stage 1 SetX(3.0)",
        "stage 1 Request",
        "context 1 Auto baseline",
        "7 clear false",
        "7 createProgram true",
        "forget",
        "stage 0 Request",
        "refused 0 3702",
        "end",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}, not {expected}");
    }
}
