//! Events of asynchronous uploads that other threads decode, in a later frame [context3d.upload.async].

use std::sync::mpsc;

use context3d::backend::NullBackend;
use context3d::native::NativeResult;
use context3d::{Executor, Task};

use super::{Log, This, Value, call, events, numbers, request};

/// Creates a compressed texture of 128×128 texels on a device that stores blocks.
fn texture(context: &This) -> This {
    let side = || Value::Number(128.0);
    let [format, target] = [Value::Text("compressed"), Value::Boolean(false)];
    let with = [side(), side(), format, target, Value::Number(0.0)];
    match call(context, "Context3D", "createTexture", &with) {
        Ok(NativeResult::Created(native)) => native,
        other => panic!("{other:?}"),
    }
}

/// Begins an upload whose texels must be compressed.
fn upload(texture: &This) {
    let with = [Value::Bytes(vec![0; 4 * 128 * 128]), Value::Number(0.0), Value::Number(0.0)];
    let begun: Result<NativeResult<NullBackend>, u16> =
        call(texture, "Texture", "uploadFromByteArrayAsync", &with);
    assert!(matches!(begun, Ok(NativeResult::Pending)), "{begun:?}");
}

/// Ends the frame. Returns the targets of the frame's events.
fn frame(stage3d: &This) -> Vec<Option<u64>> {
    let events = events(stage3d, true);
    assert!(events.iter().all(|event| event.name == "textureReady"), "{events:?}");
    events.iter().map(|event| event.target).collect()
}

#[test]
fn the_host_s_threads_decode() {
    let [stage3d, ..] = This::stage3ds();
    let (send, tasks) = mpsc::channel::<Task>();
    stage3d
        .set_executor(Executor::new(usize::MAX, move |task| send.send(task).expect("a listener")));
    let context = request(&stage3d, "baseline").expect("a context");
    let textures = [texture(&context), texture(&context)];
    textures.iter().for_each(upload);
    let [first, second] = [(); 2].map(|()| tasks.try_recv().expect("a task"));
    second();
    assert_eq!(frame(&stage3d), [], "the first is not decoded");
    first();
    assert_eq!(frame(&stage3d), textures.each_ref().map(|texture| Some(texture.number())));
    // A disposed texture dispatches no event, and neither do the textures of an ended context.
    textures.iter().for_each(upload);
    call(&textures[0], "Texture", "dispose", &[]).expect("legal");
    tasks.try_iter().for_each(|task| task());
    assert_eq!(frame(&stage3d), [Some(textures[1].number())]);
    upload(&textures[1]);
    call(&context, "Context3D", "dispose", &numbers([0.0])).expect("legal");
    tasks.try_iter().for_each(|task| task());
    assert_eq!(frame(&stage3d), []);
}

/// Without an executor of the host, the library's threads decode.
#[test]
fn the_library_s_threads_decode() {
    let [stage3d, ..] = This::stage3ds();
    let context = request(&stage3d, "baseline").expect("a context");
    let texture = texture(&context);
    upload(&texture);
    let events = loop {
        let events = frame(&stage3d);
        if !events.is_empty() {
            break events;
        }
        std::thread::yield_now();
    };
    assert_eq!(events, [Some(texture.number())]);
}

/// Recorded contexts decode in the call, so that a replay has equal results.
#[test]
fn recorded_contexts_decode_in_the_call() {
    let [stage3d, ..] = This::stage3ds();
    stage3d.set_executor(Executor::new(usize::MAX, |_| panic!("a task")));
    stage3d.record(Log::default());
    let context = request(&stage3d, "baseline").expect("a context");
    let texture = texture(&context);
    upload(&texture);
    assert_eq!(frame(&stage3d), [Some(texture.number())]);
}
