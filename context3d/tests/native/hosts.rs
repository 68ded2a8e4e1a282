//! Guarantees for hosts: frames end, requests are decided, `Host` values persist, and nested calls don't panic.

use std::cell::RefCell;
use std::rc::Rc;

use context3d::arguments::{Bitmap, PixelLayout, Rectangle};
use context3d::backend::{Backend, BackendError, NullBackend};
use context3d::native::{ArgumentSlice, FlashError, HostEvent, Method, Native, NativeResult};
use context3d::packets::Packet;
use context3d::{
    AnyHandle, Error, Host, Invocation, Profile, Request, RequestRefusal, forward_backend,
};

use super::{Log, Machine, This, Value, call, events, numbers, request};

/// Creates a context in a new player. Returns the `Stage3D` and the context.
pub(super) fn started(profile: &'static str) -> (This, This) {
    let [stage3d, ..] = This::stage3ds();
    let context = request(&stage3d, profile).expect("a context");
    (stage3d, context)
}

pub(super) fn created(context: &This, name: &str, with: &[Value]) -> This {
    match call(context, "Context3D", name, with) {
        Ok(NativeResult::Created(native)) => native,
        other => panic!("{other:?}"),
    }
}

fn texture(context: &This, side: f64, format: &'static str) -> This {
    let [side, streaming] = [side, 0.0].map(Value::Number);
    let with = [side.clone(), side, Value::Text(format), Value::Boolean(false), streaming];
    created(context, "createTexture", &with)
}

/// Begins an asynchronous upload into a texture of 1×1 pixels.
fn upload(texture: &This) -> Result<NativeResult<NullBackend>, u16> {
    let with = [Value::Bytes(vec![0; 4]), Value::Number(0.0), Value::Number(0.0)];
    call(texture, "Texture", "uploadFromByteArrayAsync", &with)
}

/// Ends the frame with a backend from `make`. Returns the names of the events and the numbers of their errors.
fn ended(
    stage3d: &This,
    make: impl FnOnce(&Request) -> Result<NullBackend, BackendError>,
) -> Vec<(&'static str, Option<u16>)> {
    let mut events = Vec::new();
    let mut seen = |event: HostEvent<_>| {
        events.push((event.name, event.error.as_ref().map(FlashError::number)));
    };
    stage3d.end_frame(30, make, &mut seen);
    events
}

/// An event handler starts the next upload, whose event belongs to the next frame, so that the current frame ends
/// [context3d.upload.async] [context3d.frame.upload].
#[test]
fn a_frame_dispatches_the_events_that_wait_at_its_end() {
    let (stage3d, context) = started("baseline");
    let textures = [texture(&context, 1.0, "bgra"), texture(&context, 1.0, "bgra")];
    for texture in &textures {
        assert!(matches!(upload(texture), Ok(NativeResult::Pending)));
    }
    for _ in 0..3 {
        let mut targets = Vec::new();
        stage3d.end_frame(
            30,
            |_| panic!("no request"),
            |event| {
                targets.push(event.target);
                let texture = textures.iter().find(|it| Some(it.number()) == event.target);
                upload(texture.expect("a texture")).expect("legal");
                assert!(targets.len() <= 2, "the frame does not end");
            },
        );
        assert_eq!(targets, textures.each_ref().map(|texture| Some(texture.number())));
    }
    // Disposed textures dispatch no events.
    for texture in &textures {
        call(texture, "Texture", "dispose", &[]).expect("legal");
    }
    assert_eq!(ended(&stage3d, |_| panic!("no request")), []);
}

/// [context3d.frame.dispatch]
#[test]
fn events_of_textures_come_before_the_answer() {
    let (stage3d, context) = started("baseline");
    let textures = ["first", "second"].map(|_| texture(&context, 1.0, "bgra"));
    call(&stage3d, "Stage3D", "requestContext3D", &[]).expect("legal");
    for texture in &textures {
        upload(texture).expect("legal");
    }
    let expected = ["textureReady", "textureReady", "context3DCreate"].map(|name| (name, None));
    assert_eq!(ended(&stage3d, |_| Ok(NullBackend::new())), expected);
}

/// A VM must keep objects alive that wait for an event [context3d.upload.async].
#[test]
fn only_asynchronous_uploads_are_pending() {
    let (stage3d, context) = started("baseline");
    let compressed = texture(&context, 4.0, "compressed");
    // An ATF file of version 0 with one DXT1 block; the records of the other encodings are empty.
    let mut body = vec![3, 2, 2, 1, 0, 0, 8];
    body.extend([0; 14]);
    let mut atf = b"ATF\0\0".to_vec();
    atf.push(u8::try_from(body.len()).expect("small"));
    atf.extend(body);
    let name = "uploadCompressedTextureFromByteArray";
    let upload = |asynchronous| {
        let with = [Value::Bytes(atf.clone()), Value::Number(0.0), Value::Boolean(asynchronous)];
        call(&compressed, "Texture", name, &with)
    };
    let pending = upload(true);
    assert!(matches!(pending, Ok(NativeResult::Pending)), "{pending:?}");
    assert_eq!(ended(&stage3d, |_| panic!("no request")), [("textureReady", None)]);
    let done = upload(false);
    assert!(matches!(done, Ok(NativeResult::Undefined)), "{done:?}");
    assert_eq!(ended(&stage3d, |_| panic!("no request")), []);
}

/// [context3d.request.again]
#[test]
fn a_second_request_ends_the_former_context() {
    let stage3ds = This::stage3ds();
    let [stage3d, other, ..] = &stage3ds;
    let former = request(stage3d, "baseline").expect("a context");
    let texture = texture(&former, 1.0, "bgra");
    // The former context works until the request is granted, and keeps working if the request is rejected.
    call(stage3d, "Stage3D", "requestContext3D", &[]).expect("legal");
    assert_eq!(events(stage3d, false).len(), 1);
    assert!(former.is_alive());
    let next = request(stage3d, "baselineConstrained").expect("another context");
    assert!(!former.is_alive() && next.is_alive());
    assert_eq!(call(&former, "Context3D", "createProgram", &[]).err(), Some(3694));
    assert_eq!(upload(&texture).err(), Some(3694));
    let disposed = former.with_context(|it| it.backend_mut().packets().len()).expect("a context");
    assert!(disposed >= 2, "the texture and the back buffer: {disposed}");
    // The former context can't be restored, and the player now has one context.
    assert!(events(stage3d, true).is_empty());
    assert!(request(other, "baseline").is_ok());
    call(other, "Stage3D", "requestContext3D", &[]).expect("legal");
    // An ended context doesn't count, even before its Stage3D has detected the end [context3d.request.others].
    call(&next, "Context3D", "dispose", &[Value::Boolean(false)]).expect("legal");
    assert!(request(other, "baselineConstrained").is_ok());
}

/// [context3d.request.mode] [context3d.back_buffer.software]
#[test]
fn software_is_answered_by_software_or_refused() {
    let ask = |software: bool| {
        let [stage3d, ..] = This::stage3ds();
        let mode = [Value::Text("software"), Value::Text("baseline")];
        call(&stage3d, "Stage3D", "requestContext3D", &mode).expect("legal");
        let mut caps = NullBackend::new().caps().clone();
        caps.software = software;
        let mut answer = None;
        let make = |request: &Request| {
            assert_eq!(request.profiles, [Profile::Baseline]);
            Ok(NullBackend::new().with_caps(caps))
        };
        stage3d.end_frame(30, make, |event| answer = Some(event));
        answer.expect("an answer")
    };
    assert_eq!(ask(false).error.map(|error| error.number()), Some(3702));
    let context = ask(true).context3d.expect("a context");
    let driver = call(&context, "Context3D", "get driverInfo", &[]);
    assert!(matches!(&driver, Ok(NativeResult::Text(text)) if text.starts_with("Software")));
    let wide = call(&context, "Context3D", "configureBackBuffer", &numbers([2049.0, 64.0, 0.0]));
    assert_eq!(wide.err(), Some(3780));
}

/// The reset of a device may take several frames [context3d.life.loss].
#[test]
fn a_request_waits_while_the_device_is_lost() {
    let (stage3d, context) = started("baseline");
    context.with_context(|context| context.lose());
    let lost = || Err(BackendError::Lost);
    assert_eq!(ended(&stage3d, |_| lost()), []);
    assert_eq!(ended(&stage3d, |_| lost()), []);
    assert_eq!(ended(&stage3d, |_| Ok(NullBackend::new())), [("context3DCreate", None)]);
    assert_eq!(ended(&stage3d, |_| panic!("no request")), []);
    call(&stage3d, "Stage3D", "requestContext3D", &[]).expect("legal");
    assert_eq!(ended(&stage3d, |_| Err(BackendError::OutOfMemory)), [("error", Some(3702))]);
    assert_eq!(ended(&stage3d, |_| panic!("it was refused")), []);
}

/// Programs request a context in a timer event, and draw in the next `enterFrame` [context3d.request.between].
#[test]
fn a_request_is_answered_between_frames() {
    let (stage3d, context) = started("baseline");
    assert!(stage3d.answer(30, |_| panic!("no request")).is_none());
    let texture = texture(&context, 1.0, "bgra");
    upload(&texture).expect("legal");
    call(&stage3d, "Stage3D", "requestContext3D", &[]).expect("legal");
    let event = stage3d.answer(30, |_| Ok(NullBackend::new())).expect("an answer");
    assert!(event.context3d.is_some_and(|it| it.is_alive()));
    // `answer` also detects a lost context.
    stage3d.with_context(|context| context.lose());
    let event = stage3d.answer(30, |_| Ok(NullBackend::new())).expect("another context");
    assert_eq!(event.name, "context3DCreate");
}

/// [context3d.host.messages] [context3d.error.3723]
#[test]
fn facts_of_the_host_belong_to_the_player() {
    let stage3ds = This::stage3ds();
    let [stage3d, other, ..] = &stage3ds;
    let context = request(stage3d, "baselineConstrained").expect("a context");
    let stage = Rectangle { x: 0.0, y: 0.0, width: 100.0, height: 100.0 };
    let facts =
        Host { stage: Some(stage), video_textures: false, error_texts: false, ..Host::default() };
    other.set_host(facts);
    assert_eq!((stage3d.host(), context.with_context(|it| it.host())), (facts, Some(facts)));
    let configure = |context: &This, side: f64| {
        let size = numbers([side, side, 0.0]);
        call(context, "Context3D", "configureBackBuffer", &size).err()
    };
    assert_eq!(configure(&context, 32.0), None);
    let set_x = |x: f64| call(stage3d, "Stage3D", "set x", &numbers([x])).err();
    assert_eq!(set_x(60.0), None);
    assert_eq!(configure(&context, 41.0), Some(3723));
    assert_eq!((configure(&context, 40.0), set_x(61.0)), (None, Some(3723)));
    // A NaN position raises 2006, before the check of the bounds (3723).
    assert_eq!((set_x(f64::NAN), stage3d.stage3d().x()), (Some(2006), 60.0));
    // The next context starts with the same `Host` values and position.
    call(&context, "Context3D", "dispose", &[]).expect("legal");
    let again = events(stage3d, true).pop().and_then(|event| event.context3d);
    let again = again.expect("another context");
    assert_eq!(again.with_context(|it| it.host()), Some(facts));
    assert_eq!(configure(&again, 41.0), Some(3723));
    let wordless = |this: &This, name: &str, with: &[Value]| {
        let (mut vm, on) = (Machine::default(), Value::Null);
        let member = Method::find(this.class()[1], name).expect(name);
        this.call(member, &mut ArgumentSlice::new(&mut vm, &on, with)).expect_err("an error");
        vm.text
    };
    assert_eq!(wordless(&again, "clear", &numbers([f64::NAN])), "Error #3698");
    assert_eq!(wordless(stage3d, "set x", &numbers([9e9])), "Error #2006");
    assert_eq!(wordless(stage3d, "requestContext3D", &[Value::Text("fast")]), "Error #2008");
    call(other, "Stage3D", "requestContext3D", &[]).expect("legal");
    let refused = events(other, false).pop().and_then(|event| event.error);
    assert_eq!(refused.map(|error| error.as3_message()), Some("Error #3702".to_owned()));
}

/// The host, not the program, sets the frames of a `VideoTexture` [context3d.video.frames].
#[test]
fn frames_of_a_video_are_recorded() {
    let [stage3d, ..] = This::stage3ds();
    let log = Log::default();
    stage3d.record(log.clone());
    let context = request(&stage3d, "baseline").expect("a context");
    let video = created(&context, "createVideoTexture", &[]);
    let Some(AnyHandle::Texture(texture)) = video.object() else { panic!("{video:?}") };
    let source = Bitmap {
        width: 1,
        height: 1,
        transparent: false,
        pixels: Some(&[0; 4]),
        layout: PixelLayout::default(),
    };
    let frame = Invocation::VideoTextureFrame { texture, source };
    let event = video.host_call(&frame).expect("legal").expect("an event");
    assert_eq!((event.name, event.target), ("textureReady", Some(video.number())));
    let lines = log.0.take();
    assert_eq!(lines[lines.len() - 2..], ["7 videoFrame true", "event false"]);
    // `host_call` rejects the calls of programs. A failed host call dispatches no event.
    for (this, command) in [(&context, Invocation::Present {}), (&This::stage3ds()[0], frame)] {
        assert!(matches!(this.host_call(&command), Err(Error::Unsupported(_))), "{command:?}");
    }
    call(&video, "VideoTexture", "dispose", &[]).expect("legal");
    assert!(matches!(video.host_call(&frame), Err(Error::Flash(error)) if error.number() == 3694));
    assert_eq!(log.0.take(), ["7 dispose true", "7 videoFrame false"]);
}

type Hook = Rc<RefCell<Option<Rc<dyn Fn()>>>>;

/// A backend that calls into the VM during `execute`, as a host's callback may do.
struct Hooked {
    below: NullBackend,
    hook: Hook,
}

impl std::fmt::Debug for Hooked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hooked")
    }
}

impl Backend for Hooked {
    forward_backend!(self => self.below; caps read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let hook = self.hook.borrow().clone();
        hook.inspect(|hook| hook());
        self.below.execute(packet)
    }
}

thread_local! {
    /// This thread's log messages, and code that runs for each message.
    static LOGGED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static ON_LINE: RefCell<Option<Rc<dyn Fn()>>> = const { RefCell::new(None) };
}

struct Logger;

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, line: &log::Record<'_>) {
        LOGGED.with_borrow_mut(|lines| lines.push(line.args().to_string()));
        let code = ON_LINE.with_borrow(Clone::clone);
        code.inspect(|code| code());
    }
    fn flush(&self) {}
}

/// A host's callback, logger or recorder may run ActionScript during a call.
#[test]
fn a_call_within_a_call_is_not_made() {
    let _ = log::set_logger(&Logger);
    log::set_max_level(log::LevelFilter::Error);
    let hook = Hook::default();
    let stage3ds = Native::<Hooked>::stage3ds();
    let stage3d = &stage3ds[0];
    let make = || Ok(Hooked { below: NullBackend::new(), hook: Rc::clone(&hook) });
    call(stage3d, "Stage3D", "requestContext3D", &[]).expect("legal");
    let context = stage3d.answer(30, |_| make()).and_then(|event| event.context3d);
    let context = Rc::new(context.expect("a context"));
    let configure = || {
        let size = numbers([64.0, 64.0, 0.0]);
        call(&context, "Context3D", "configureBackBuffer", &size)
    };
    let stages = Rc::new(stage3ds);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let within: Rc<dyn Fn()> = {
        let (context, stages, seen) = (Rc::clone(&context), Rc::clone(&stages), Rc::clone(&seen));
        Rc::new(move || {
            let this = |name: &str, with: &[Value]| {
                let class = if name.contains("driver") || name == "present" {
                    &*context
                } else {
                    &stages[0]
                };
                format!("{name} {:?}", call(class, class.class()[1], name, with))
            };
            let lines = [
                this("present", &[]),
                this("get driverInfo", &[]),
                this("set x", &numbers([3.0])),
                this("get x", &[]),
                this("get context3D", &[]),
                format!("alive {}", context.is_alive()),
                format!("with {:?}", context.with_context(|_| ())),
                format!("answer {:?}", stages[0].answer(30, |_| panic!("no request"))),
                format!("video {}", context.host_call(&Invocation::Present {}).is_err()),
            ];
            seen.borrow_mut().extend(lines);
            stages[0].end_frame(30, |_| panic!("no request"), |event| panic!("{event:?}"));
        })
    };
    *hook.borrow_mut() = Some(Rc::clone(&within));
    configure().expect("legal");
    let expected = [
        "present Ok(Undefined)",
        "get driverInfo Ok(Undefined)",
        "set x Ok(Undefined)",
        "get x Ok(Number(0.0))",
        "get context3D Ok(Context3D)",
        "alive true",
        "with None",
        "answer None",
        "video true",
    ];
    assert_eq!(seen.take(), expected);
    let lines = LOGGED.take();
    assert!(
        lines.len() == 5 && lines.iter().all(|line| line.contains("within a running call")),
        "{lines:?}"
    );
    // If a logger makes calls while it writes a message, their failures are not logged.
    ON_LINE.set(Some(Rc::clone(&within)));
    configure().expect("legal");
    ON_LINE.set(None);
    assert!(LOGGED.take().len() == 5 && seen.take().len() == 6 * expected.len());
    // `Host` values that are set during a call apply to other contexts at once, and to new contexts.
    let facts = Host { error_texts: false, ..Host::default() };
    let all = Rc::clone(&stages);
    *hook.borrow_mut() = Some(Rc::new(move || all[1].set_host(facts)));
    configure().expect("legal");
    assert_eq!(stages[0].host(), facts);
    assert_eq!(LOGGED.take().len(), 1);
    *hook.borrow_mut() = None;
}

/// A recorder ([`CallRecorder`](context3d::native::CallRecorder)) may make calls, too.
#[test]
fn a_recorder_that_calls_is_not_recorded() {
    struct Calling(Rc<[This; 4]>, Log);
    impl context3d::native::CallRecorder for Calling {
        fn context(&mut self, _: u32, _: &Request, _: Profile) -> u64 {
            7
        }
        fn refused(&mut self, _: u32, _: &Request, _: &FlashError, _: &RequestRefusal) {}
        fn stage3d(&mut self, stage: u32, _: &Invocation<'_>) {
            self.1.add(format!("stage {stage}"));
            call(&self.0[1], "Stage3D", "set y", &numbers([5.0])).expect("legal");
            self.0[1].record(Log::default());
            assert!(self.0[2].is_recorded());
        }
        fn call(&mut self, _: u64, _: &Invocation<'_>, _: &Result<context3d::Reply, Error>) {}
        fn event(&mut self, _: &context3d::TextureEvent) {}
        fn forget(&mut self, _: AnyHandle) {}
        fn end_frame(&mut self) {}
    }
    let stages = Rc::new(This::stage3ds());
    call(&stages[0], "Stage3D", "set y", &numbers([1.0])).expect("legal");
    let log = Log::default();
    stages[0].record(Calling(Rc::clone(&stages), log.clone()));
    call(&stages[0], "Stage3D", "set x", &numbers([1.0])).expect("legal");
    assert_eq!(stages[1].stage3d().y(), 5.0);
    assert!(log.0.take().starts_with(&["stage 0".to_owned()]));
}
