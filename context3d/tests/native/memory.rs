//! Limits on memory and objects: dropped objects don't count, and an exhausted limit makes the VM collect its garbage.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use context3d::backend::{Backend, BackendError, NullBackend};
use context3d::enums::{BufferUsage, EnumArg};
use context3d::native::{ArgumentSlice, Method, Native, NativeResult};
use context3d::packets::Packet;
use context3d::{Error, Invocation, forward_backend};

use super::hosts::{created, started};
use super::{Log, Machine, This, Value, call, request};

fn videos(context: &This, count: usize) -> Vec<This> {
    (0..count).map(|_| created(context, "createVideoTexture", &[])).collect()
}

/// At most four video textures may exist at the same time [context3d.limit.videos] [context3d.video.create].
#[test]
fn objects_that_were_dropped_do_not_count() {
    let (_stage3d, context) = started("baseline");
    let mut all = videos(&context, 4);
    assert_eq!(call(&context, "Context3D", "createVideoTexture", &[]).err(), Some(3691));
    drop(all.pop());
    all.extend(videos(&context, 1));
    assert_eq!(call(&context, "Context3D", "createVideoTexture", &[]).err(), Some(3691));
}

/// Creates a video texture in a VM with garbage. Returns the result and the number of garbage collections.
fn create(
    context: &This,
    garbage: &Rc<RefCell<Vec<This>>>,
) -> (Result<NativeResult<NullBackend>, u16>, usize) {
    let (mut vm, on) = (Machine::default(), Value::Null);
    vm.garbage = Some(Rc::clone(garbage));
    let method = Method::find("Context3D", "createVideoTexture").expect("a method");
    let result = context.call(method, &mut ArgumentSlice::new(&mut vm, &on, &[]));
    (result, vm.collections)
}

/// [context3d.limit.garbage] [context3d.error.3691]
#[test]
fn garbage_is_collected_before_an_error() {
    let [stage3d, ..] = This::stage3ds();
    let log = Log::default();
    stage3d.record(log.clone());
    let context = request(&stage3d, "baseline").expect("a context");
    let garbage = Rc::new(RefCell::new(videos(&context, 4)));
    log.0.take();
    let (made, collections) = create(&context, &garbage);
    assert!(matches!(made, Ok(NativeResult::Created(_))), "{made:?}");
    assert_eq!(collections, 1);
    // The recording contains the dropped objects, followed by the call that succeeded.
    let lines = ["forget", "forget", "forget", "forget", "7 createVideoTexture true"];
    assert_eq!(log.0.take(), lines);
    // Three more video textures fit into the limit of four. The next call requests one garbage collection, and fails.
    let _three = [(); 3].map(|()| {
        let (made, collections) = create(&context, &garbage);
        assert_eq!(collections, 0);
        made.expect("room")
    });
    let (refused, collections) = create(&context, &garbage);
    assert_eq!((refused.err(), collections), (Some(3691), 1));
    // Errors except 3691 don't request a garbage collection.
    let (mut vm, on) = (Machine::default(), Value::Null);
    vm.garbage = Some(garbage);
    let clear = Method::find("Context3D", "clear").expect("a method");
    let unready = context.call(clear, &mut ArgumentSlice::new(&mut vm, &on, &[]));
    assert_eq!((unready.err(), vm.collections), (Some(3698), 0));
}

/// A device whose memory suffices for one vertex buffer.
#[derive(Debug)]
struct Small {
    below: NullBackend,
    buffers: usize,
}

impl Backend for Small {
    forward_backend!(self => self.below; caps read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        if let Packet::CreateVertexBuffer { .. } = packet {
            if self.buffers == 1 {
                return Err(BackendError::OutOfMemory);
            }
            self.buffers += 1;
        }
        if let Packet::DisposeVertexBuffer(_) = packet {
            self.buffers -= 1;
        }
        self.below.execute(packet)
    }
}

/// [context3d.limit.garbage]
#[test]
fn garbage_is_collected_before_the_device_is_out_of_memory() {
    let [stage3d, ..] = Native::<Small>::stage3ds();
    call(&stage3d, "Stage3D", "requestContext3D", &[]).expect("legal");
    let make = || Ok(Small { below: NullBackend::new(), buffers: 0 });
    let context = stage3d.answer(30, |_| make()).and_then(|event| event.context3d);
    let context = context.expect("a context");
    let buffer = Invocation::CreateVertexBuffer {
        num_vertices: 3,
        data32_per_vertex: 1,
        buffer_usage: EnumArg::Is(BufferUsage::StaticDraw),
    };
    let asked = Cell::new(0);
    let garbage = RefCell::new(None);
    let make = |garbage: &RefCell<Option<Native<Small>>>| {
        context.execute_or_collect(&buffer, &mut || {
            asked.set(asked.get() + 1);
            garbage.take().is_some()
        })
    };
    let Ok(NativeResult::Created(first)) = make(&garbage) else { panic!("no memory for one") };
    let failed = make(&garbage).expect_err("the device is full");
    assert!(matches!(&failed, Error::Flash(error) if error.number() == 3672), "{failed}");
    *garbage.borrow_mut() = Some(first);
    let second = make(&garbage);
    assert!(matches!(second, Ok(NativeResult::Created(_))), "{second:?}");
    assert_eq!(asked.get(), 2);
    // Finalizers that run during a collection may use the context.
    let full = context.execute_or_collect(&buffer, &mut || {
        assert!(context.with_context(|_| ()).is_some());
        false
    });
    assert!(matches!(full, Err(Error::Flash(error)) if error.number() == 3672));
}
