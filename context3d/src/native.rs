//! Integration layer for ActionScript VMs: native objects, calls and properties by name, events, garbage collection and
//! recording.

mod call;
mod frame;
mod video;

use std::borrow::Borrow;
use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use agal::Profile;

use crate::backend::{Backend, FrameSource, TakenFrame};
use crate::command::{Invocation, Reply};
use crate::context::Context3D;
use crate::error::{Error, ErrorCode};
use crate::executor::Executor;
use crate::handle::{AnyHandle, ReleaseQueue};
use crate::host::Host;
use crate::pixels::BitmapPatch;
use crate::resource::TextureEvent;
use crate::stage::{Request, RequestRefusal, Stage3D};

pub use crate::calls::{ArgumentSlice, BitmapSource, Method, VectorCopy, Vm, VmArgument};
pub use crate::error::FlashError;
pub use crate::video_frame::{VideoFrame, VideoPlane, YuvMatrix};
pub use agal::Endian;
pub use video::RenderState;

/// The number of `Stage3D`s of a desktop player [context3d.stage3d.count].
pub const STAGE3DS: u32 = 4;

/// Records the calls of a program. `stage` is the index in `stage.stage3Ds`.
pub trait CallRecorder {
    /// Records a granted request. The result identifies the new context in later calls.
    fn context(&mut self, stage: u32, request: &Request, granted: Profile) -> u64;
    /// Records a rejected request, with the error of its event and the reason, which the event doesn't contain.
    fn refused(
        &mut self,
        stage: u32,
        request: &Request,
        error: &FlashError,
        reason: &RequestRefusal,
    );
    /// Records a call on a `Stage3D`.
    fn stage3d(&mut self, stage: u32, invocation: &Invocation<'_>);
    /// Records a call on a context or one of its objects.
    fn call(&mut self, context: u64, invocation: &Invocation<'_>, result: &Result<Reply, Error>);
    /// Records a dispatched event.
    fn event(&mut self, event: &TextureEvent);
    /// Records that the program can't reach an object any more.
    fn forget(&mut self, object: AnyHandle);
    /// Records the end of an SWF frame.
    fn end_frame(&mut self);
}

/// An event that the host must dispatch.
#[derive(Debug)]
pub struct HostEvent<B: Backend> {
    /// The event's type: `context3DCreate`, `textureReady`, `error` or `renderState`.
    pub name: &'static str,
    /// The [`Native::number`] of the event's target; `None` if the target is the `Stage3D`.
    pub target: Option<u64>,
    /// The error of an `error` event, which is an `ErrorEvent` with its number and text.
    pub error: Option<FlashError>,
    /// For `context3DCreate`, the native object of the new `Stage3D.context3D`.
    pub context3d: Option<Native<B>>,
    /// For `renderState`, the `status` of the `VideoTextureEvent`.
    pub render_state: Option<RenderState>,
}

/// The result of a method or property, for conversion to a VM value.
#[derive(Debug)]
pub enum NativeResult<B: Backend> {
    /// Undefined: the method returns no value.
    Undefined,
    /// ActionScript's `null`.
    Null,
    /// A value of type `Boolean`.
    Boolean(bool),
    /// A value of type `int`, `uint` or `Number`.
    Number(f64),
    /// A value of type `String`.
    Text(String),
    /// A new object of the class [`Native::class`].
    Created(Native<B>),
    /// The VM object that wraps the current [`HostEvent::context3d`].
    Context3D,
    /// The method returns undefined. The VM writes the `BitmapPatch` to the `BitmapData` of the first argument.
    Bitmap(Box<BitmapPatch>),
    /// The method returns undefined: without error checking, Flash silently drops a draw that has this error.
    Skipped(ErrorCode),
    /// The method returns undefined. The host attaches the first argument, a `NetStream`, a `Camera` or null, to this
    /// `VideoTexture`, and passes the video's frames to [`Native::video_frame`].
    Attach,
    /// The method returns undefined. The VM must not collect the object until the object's event is dispatched.
    Pending,
}

/// All `Stage3D`s of a player.
struct StagePlayer<B: Backend> {
    stages: Vec<SharedStage<B>>,
    /// Number of usable contexts of `Stage3D`s that are not in `stages`.
    others: Cell<usize>,
    recorder: RefCell<Option<Box<dyn CallRecorder>>>,
    executor: RefCell<Executor>,
    objects: Cell<u64>,
    /// True while a failure is logged, so that a nested failure isn't logged.
    logs: Cell<bool>,
    /// Buffer for the conversion of video frames.
    frame_bytes: Cell<Vec<u8>>,
}

/// A `Stage3D` and its context, which several native objects share.
struct SharedStage<B: Backend> {
    frame: Cell<frame::FrameProgress>,
    stage3d: RefCell<Stage3D>,
    context: RefCell<Option<Rc<SharedContext<B>>>>,
}

/// A context that native objects share, until the last of them is dropped. After the context's end, calls raise 3694.
struct SharedContext<B: Backend> {
    api: RefCell<Context3D<B>>,
    queue: ReleaseQueue,
    /// The recorder's id of the context.
    recorded: Cell<Option<u64>>,
}

impl<B: Backend> StagePlayer<B> {
    fn new(count: u32) -> Rc<Self> {
        let stage = |_| SharedStage {
            frame: Cell::default(),
            stage3d: RefCell::default(),
            context: RefCell::default(),
        };
        let (stages, recorder) = ((0..count).map(stage).collect(), RefCell::default());
        Rc::new(StagePlayer {
            stages,
            others: 0.into(),
            recorder,
            executor: Executor::threads().into(),
            objects: 0.into(),
            logs: false.into(),
            frame_bytes: Cell::default(),
        })
    }
}

impl<B: Backend> SharedContext<B> {
    fn new(api: Context3D<B>, recorded: Option<u64>) -> Rc<Self> {
        let (queue, recorded) = (api.release_queue(), Cell::new(recorded));
        Rc::new(SharedContext { api: RefCell::new(api), queue, recorded })
    }

    /// Returns whether the context has not ended. A context with a running call counts as usable.
    fn is_alive(&self) -> bool {
        self.api.try_borrow().map_or(true, |api| api.ended().is_none())
    }

    /// Borrows the context for a call. Fails if a running call uses the context.
    fn enter(&self) -> Result<RefMut<'_, Context3D<B>>, Error> {
        let within = |_| {
            Error::Unsupported(
                "a context was used within a running call on the same context".to_owned(),
            )
        };
        self.api.try_borrow_mut().map_err(within)
    }
}

/// The native object behind a VM's `Stage3D`, `Context3D`, buffer, program or texture. If the garbage collector drops
/// it, the object is released; a bound object stays alive until it is unbound.
///
/// Calls from within [`Arguments`](crate::calls::Arguments) are allowed. A nested call on a context with a running
/// call, such as by a logger that runs ActionScript, is not executed and returns [`NativeResult::Undefined`]. All
/// failures for which Flash has no error are logged, and the program continues.
pub struct Native<B: Backend> {
    player: Rc<StagePlayer<B>>,
    stage: u32,
    context: Option<Rc<SharedContext<B>>>,
    object: Option<AnyHandle>,
    class: &'static str,
    number: u64,
}

impl<B: Backend> std::fmt::Debug for Native<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} of stage3Ds[{}]", self.class, self.number, self.stage)
    }
}

impl<B: Backend> HostEvent<B> {
    fn new(name: &'static str, target: Option<u64>) -> Self {
        HostEvent { name, target, error: None, context3d: None, render_state: None }
    }
}

impl<B: Backend> Drop for Native<B> {
    fn drop(&mut self) {
        let Some((context, object)) = self.context.as_ref().zip(self.object) else { return };
        context.queue.push(object);
        self.recorder(|recorder| recorder.forget(object));
    }
}

impl<B: Backend> Native<B> {
    /// Creates the `Stage3D`s of a desktop player [context3d.stage3d.count].
    pub fn stage3ds() -> [Native<B>; STAGE3DS as usize] {
        let player = StagePlayer::new(STAGE3DS);
        std::array::from_fn(|stage| Self::stage3d_of(&player, stage))
    }

    /// Creates a given number of `Stage3D`s.
    pub fn stage3ds_of(count: u32) -> Vec<Native<B>> {
        let player = StagePlayer::new(count);
        (0..player.stages.len()).map(|stage| Self::stage3d_of(&player, stage)).collect()
    }

    fn stage3d_of(player: &Rc<StagePlayer<B>>, stage: usize) -> Native<B> {
        let (player, stage) = (Rc::clone(player), u32::try_from(stage).unwrap_or(u32::MAX));
        Native { player, stage, context: None, object: None, class: "Stage3D", number: 0 }
    }

    /// Wraps a context without a `Stage3D`.
    pub fn from_context(api: Context3D<B>) -> Native<B> {
        let stage3d = Self::stage3d_of(&StagePlayer::new(1), 0);
        stage3d.create_object(&SharedContext::new(api, None), None, "Context3D")
    }

    /// Sets the number of usable contexts of `Stage3D`s that another call created [context3d.request.others].
    pub fn set_others(&self, count: usize) {
        self.player.others.set(count);
    }

    /// Sets the recorder's id of the context, for a context that existed before [`Native::record`].
    pub fn record_context_as(&self, id: u64) {
        if let Some(context) = self.current() {
            context.recorded.set(Some(id));
            self.with_context(|api| api.set_executor(Executor::default()));
        }
    }

    /// Creates a native object of this object's `Stage3D`.
    fn create_object(
        &self,
        context: &Rc<SharedContext<B>>,
        object: Option<AnyHandle>,
        class: &'static str,
    ) -> Native<B> {
        let number = self.player.objects.get() + 1;
        self.player.objects.set(number);
        let (player, context) = (Rc::clone(&self.player), Some(Rc::clone(context)));
        Native { player, stage: self.stage, context, object, class, number }
    }

    fn shared(&self) -> &SharedStage<B> {
        &self.player.stages[self.stage as usize]
    }

    /// Returns the index of the `Stage3D`.
    pub fn index(&self) -> u32 {
        self.stage
    }

    /// Returns the package and name of the object's class, such as `flash.display3D.textures` and `Texture`.
    pub fn class(&self) -> [&'static str; 2] {
        let package = match self.class {
            "Stage3D" => "flash.display",
            class if class.ends_with("Texture") => "flash.display3D.textures",
            _ => "flash.display3D",
        };
        [package, self.class]
    }

    /// Returns the object's id, unique in the player.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the object's handle, for arguments; `None` for a `Stage3D` or `Context3D`.
    pub fn object(&self) -> Option<AnyHandle> {
        self.object
    }

    /// Returns a copy of the `Stage3D`: position, visibility, and the pending request.
    pub fn stage3d(&self) -> Stage3D {
        self.shared().stage3d.borrow().clone()
    }

    /// Returns the player's [`Host`] values.
    pub fn host(&self) -> Host {
        self.shared().stage3d.borrow().host()
    }

    /// Sets the [`Host`] values of the player, for all its present and later contexts. The new `Host` values affect
    /// only later calls. A context that is executing a call keeps its previous `Host` values.
    pub fn set_host(&self, host: Host) {
        for slot in &self.player.stages {
            slot.stage3d.borrow_mut().set_host(host);
            let context = slot.context.borrow().clone();
            if let Some(context) = context
                && let Some(mut api) = self.try_enter(&context)
            {
                api.set_host(host);
            }
        }
    }

    /// Sets the executor for asynchronous uploads of later contexts; initially [`Executor::threads`]. Recorded contexts
    /// decode an upload in the upload call, so that a replay has the events of the recording.
    pub fn set_executor(&self, executor: Executor) {
        self.player.executor.replace(executor);
    }

    /// Returns the position of the `Stage3D`'s image on the stage: x and y of the top left corner. Returns `None` if
    /// the image is not shown.
    pub fn shown_at(&self) -> Option<[f64; 2]> {
        let stage = self.shared().stage3d.borrow();
        (stage.visible() && self.is_alive()).then(|| [stage.x(), stage.y()])
    }

    /// Takes the frame of the `Stage3D`'s context, like [`Context3D::take_frame`]. Returns `None`, too, without a
    /// context and after a failure.
    pub fn take_frame(&self, exchange: &impl Borrow<B::Exchange>) -> Option<TakenFrame>
    where
        B: FrameSource,
    {
        self.with_context(|context| context.take_frame(exchange.borrow()))?.ok()?
    }

    /// Returns [`Context3D::frame_scale`] of the `Stage3D`'s context.
    pub fn shown_scale(&self) -> [f64; 2]
    where
        B: FrameSource,
    {
        self.with_context(|api| api.frame_scale()).unwrap_or([1.0; 2])
    }

    /// Calls `action` with the context of this object or `Stage3D`. Returns `None` without a context, or if the context
    /// has a running call.
    pub fn with_context<T>(&self, action: impl FnOnce(&mut Context3D<B>) -> T) -> Option<T> {
        let current = self.current()?;
        let mut api = current.api.try_borrow_mut().ok()?;
        Some(action(&mut api))
    }

    /// Returns the context of the object or of its `Stage3D`.
    fn current(&self) -> Option<Rc<SharedContext<B>>> {
        self.context.clone().or_else(|| self.shared().context.borrow().clone())
    }

    /// Borrows a context for a call. Logs and returns `None` if a running call uses the context.
    fn try_enter<'a>(&self, context: &'a SharedContext<B>) -> Option<RefMut<'a, Context3D<B>>> {
        context.enter().inspect_err(|error| self.log_failure(&error.to_string())).ok()
    }

    /// Logs a failure. Failures of calls within the logger are ignored.
    fn log_failure(&self, what: &str) {
        if !self.player.logs.replace(true) {
            log::error!("Stage3D: {what}");
            self.player.logs.set(false);
        }
    }

    /// Returns whether the context of the object or `Stage3D` has not ended.
    pub fn is_alive(&self) -> bool {
        self.current().is_some_and(|context| context.is_alive())
    }

    /// Records positions and visibility of the `Stage3D`s, and all later calls. Call this before the first context is
    /// created.
    pub fn record(&self, mut recorder: impl CallRecorder + 'static) {
        for (slot, stage) in self.player.stages.iter().zip(0..) {
            let stage3d = slot.stage3d.borrow().clone();
            stage3d.changes().for_each(|it| recorder.stage3d(stage, &it));
            // The context ids of an earlier recorder are invalid.
            let context = slot.context.borrow();
            context.iter().for_each(|context| context.recorded.set(None));
        }
        let new = Some(Box::new(recorder) as Box<dyn CallRecorder>);
        let old = self.recorder_slot().map(|mut slot| std::mem::replace(&mut *slot, new));
        drop(old);
    }

    /// Returns whether [`Native::record`] was called.
    pub fn is_recorded(&self) -> bool {
        self.player.recorder.try_borrow().map_or(true, |recorder| recorder.is_some())
    }

    fn recorder_slot(&self) -> Option<RefMut<'_, Option<Box<dyn CallRecorder>>>> {
        let slot = self.player.recorder.try_borrow_mut().ok();
        if slot.is_none() {
            self.log_failure("a call from within the recorder is not recorded");
        }
        slot
    }

    fn recorder<T>(&self, action: impl FnOnce(&mut dyn CallRecorder) -> T) -> Option<T> {
        self.recorder_slot()?.as_mut().map(|recorder| action(&mut **recorder))
    }
}
