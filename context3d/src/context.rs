//! The context, its objects, and the entry point of all calls.

use std::collections::VecDeque;

use agal::Profile;
use slotmap::Key;

use crate::backend::{Backend, BackendError};
use crate::check::Checked;
use crate::constants::Bank;
use crate::decoded::QueuedEvent;
use crate::dirty::Dirty;
use crate::error::{Error, ErrorCode, SetterError};
use crate::executor::Executor;
use crate::handle::{AnyHandle, ContextId, Handle, IndexBufferKey, OwnQueue, ProgramKey};
use crate::host::Host;
use crate::limits::{Limits, Registers};
use crate::packets::{Draw, MAX_SAMPLERS, MAX_STREAMS, Packet, PipelineId, PipelineState};
use crate::resource::Resources;
use crate::state::{DEFAULT_RASTER, DevicePass, State};

/// Options for creating a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOptions {
    /// The granted profile; decides the limits.
    pub profile: Profile,
    /// The program's SWF version. Errors of `configureBackBuffer` and of ATF files depend on it.
    pub swf_version: u32,
}

/// What a call needs besides its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The device: raises 3768 in the background, and 3694 on a context that has ended.
    Device,
    /// A context that has not ended: else 3694 [context3d.life.setters].
    Context,
    /// Nothing: `dispose` may be repeated [context3d.life.again].
    Nothing,
}

/// Largest conversion buffer, in bytes, that is kept between calls: enough for the largest vertex buffer and a
/// 2048×2048 bitmap, not for a 16384×16384 back buffer.
const SCRATCH_KEPT: usize = 16 << 20;

/// Whether `present` and the setters (the calls that need [`Needs::Context`]) raise 3694 on a context that has ended;
/// otherwise they have no effect. Adobe's text and traces have the other calls only [context3d.life.setters].
const SETTERS_RAISE_WHEN_ENDED: bool = true;

/// Whether a context still works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Alive,
    Over(Ended),
}

/// How a context ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `dispose(false)`: `Stage3D.context3D` becomes null for good.
    Disposed,
    /// `dispose(true)`: a simulated loss.
    DisposedToRecreate,
    /// The device was lost, or the host called [`Context3D::lose`].
    Lost,
}

impl Ended {
    /// Whether Flash makes a new context and dispatches another `context3DCreate`, if there is a listener
    /// [context3d.life.recreate]. [`Stage3D::context_ended`](crate::Stage3D::context_ended) does it.
    pub fn recreates(self) -> bool {
        self != Ended::Disposed
    }
}

/// A `Context3D` over a backend. A clone takes the handles of the original, and has a
/// [`ReleaseQueue`](crate::ReleaseQueue) of its own.
#[derive(Clone)]
pub struct Context3D<B: Backend> {
    pub(crate) backend: B,
    /// The number of the frame that the host took last, and its [`frame_scale`](Context3D::frame_scale).
    pub(crate) taken: (u64, [f64; 2]),
    pub(crate) id: ContextId,
    pub(crate) options: ContextOptions,
    pub(crate) host: Host,
    /// The request was for `software`.
    pub(crate) software: bool,
    /// `Stage3D.x` and `y`.
    pub(crate) position: [f64; 2],
    pub(crate) limits: &'static Limits,
    pub(crate) registers: Registers,
    life: Life,
    pub(crate) state: State,
    pub(crate) resources: Resources,
    pub(crate) vertex_constants: Bank,
    pub(crate) fragment_constants: Bank,
    /// Events that the host has not taken yet.
    pub(crate) texture_events: VecDeque<QueuedEvent>,
    /// Where asynchronous uploads are decoded.
    pub(crate) executor: Executor,
    pub(crate) device_pass: DevicePass,
    /// The packet of the current draw. Kept between draws, because it is too large to build on the stack each time.
    pub(crate) draw: Box<Draw>,
    /// The valid results of checks of this packet.
    pub(crate) checked: Checked,
    /// Buffer for data that is converted for the backend.
    pub(crate) scratch: Vec<u8>,
    /// The queue that finalisers push into.
    pub(crate) release_queue: OwnQueue,
    /// Released objects that were bound when they were last looked at.
    pub(crate) released: Vec<AnyHandle>,
}

impl<B: Backend> Context3D<B> {
    /// A new context: no back buffer, Flash's initial state.
    pub fn new(backend: B, options: ContextOptions) -> Self {
        let draw = Draw {
            state: PipelineState {
                id: PipelineId::new(),
                program: ProgramKey::default(),
                outputs: 1,
                raster: DEFAULT_RASTER,
            },
            index_buffer: IndexBufferKey::default(),
            first_index: 0,
            index_count: 0,
            instances: 1,
            streams: [None; MAX_STREAMS],
            textures: [None; MAX_SAMPLERS],
            scissor: None,
        };
        Context3D {
            backend,
            taken: (0, [1.0; 2]),
            id: ContextId::new(),
            options,
            host: Host::default(),
            software: false,
            position: [0.0; 2],
            limits: Limits::of(options.profile),
            registers: Registers::of(options.profile),
            life: Life::Alive,
            state: State::default(),
            resources: Resources::default(),
            vertex_constants: Bank::default(),
            fragment_constants: Bank::default(),
            texture_events: VecDeque::new(),
            executor: Executor::default(),
            device_pass: DevicePass::default(),
            draw: Box::new(draw),
            checked: Checked::default(),
            scratch: Vec::new(),
            release_queue: OwnQueue::default(),
            released: Vec::new(),
        }
    }

    /// Sets where later asynchronous uploads are decoded; a new context decodes them in their calls.
    pub fn set_executor(&mut self, executor: Executor) {
        self.executor = executor;
    }

    /// Accepts another context's handles, so that both contexts can execute the same calls: for tests that compare two
    /// backends.
    #[doc(hidden)]
    pub fn share_handles<C: Backend>(&mut self, other: &Context3D<C>) {
        self.id = other.id;
    }

    /// The handle of a new object.
    pub(crate) fn handle<K: Key>(&self, key: K) -> Handle<K> {
        Handle::new(self.id, key)
    }

    /// The key of an object that is an argument of a call.
    #[inline]
    pub(crate) fn own<K: Key>(&self, handle: Handle<K>) -> K {
        handle.key_in(self.id)
    }

    /// Makes the next draw check everything, for tests that compare the two.
    #[doc(hidden)]
    #[inline]
    pub fn invalidate_all(&mut self) {
        self.checked.dirty = Dirty::EVERYTHING;
    }

    /// Before every call: 3694 on a context that has ended, 3768 in the background, and what draws must check again.
    #[inline]
    pub(crate) fn begin(&mut self, needs: Needs, dirty: Dirty) -> Result<(), SetterError> {
        let raises = match needs {
            Needs::Device => true,
            Needs::Context => SETTERS_RAISE_WHEN_ENDED,
            Needs::Nothing => false,
        };
        if raises && self.is_disposed() {
            return Err(ErrorCode::Disposed.into());
        }
        if needs == Needs::Device {
            self.check_foreground()?;
        }
        self.checked.dirty = self.checked.dirty.with(dirty);
        Ok(())
    }

    /// 3768 in the background.
    #[inline]
    pub(crate) fn check_foreground(&self) -> Result<(), ErrorCode> {
        if self.host.background { Err(ErrorCode::InBackground) } else { Ok(()) }
    }

    /// The error of a call that failed: a lost device ends the context, and Flash's errors get the host's wording.
    #[cold]
    #[inline(never)]
    pub(crate) fn failed(&mut self, error: impl Into<Error>) -> Box<Error> {
        let error = self.host.worded(error);
        if error == Error::Backend(BackendError::Lost) {
            drop(self.end_life(Ended::Lost));
        }
        Box::new(error)
    }

    /// The backend, for reading pixels.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// The backend. The context doesn't see packets that are executed on it directly.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Whether the context was disposed or its device was lost.
    pub fn is_disposed(&self) -> bool {
        self.life != Life::Alive
    }

    /// How the context ended; `None` while it works.
    pub fn ended(&self) -> Option<Ended> {
        match self.life {
            Life::Alive => None,
            Life::Over(ended) => Some(ended),
        }
    }

    /// Ends the context as if its device were lost, for hosts that detect or simulate a loss. Sends nothing to the
    /// backend. No effect on a context that has ended.
    pub fn lose(&mut self) {
        if !self.is_disposed() {
            self.end_life(Ended::Lost);
        }
    }

    /// Drops all state of the context and returns its resources for the caller to free.
    pub(crate) fn end_life(&mut self, ended: Ended) -> Resources {
        self.life = Life::Over(ended);
        self.state = State::default();
        self.texture_events = VecDeque::new();
        self.scratch = Vec::new();
        self.released = Vec::new();
        std::mem::take(&mut self.resources)
    }

    /// Takes the buffer `scratch` with at least so many bytes of any content. It does not shrink, so that it is not cleared again.
    pub(crate) fn take_scratch(&mut self, bytes: usize) -> Vec<u8> {
        let mut scratch = std::mem::take(&mut self.scratch);
        if scratch.len() < bytes {
            scratch.resize(bytes, 0);
        }
        scratch
    }

    /// Keeps a buffer taken from `scratch`, unless it is larger than [`SCRATCH_KEPT`].
    pub(crate) fn keep_scratch(&mut self, scratch: Vec<u8>) {
        if scratch.capacity() <= SCRATCH_KEPT {
            self.scratch = scratch;
        }
    }

    pub(crate) fn emit(&mut self, packet: Packet<'_>) -> Result<(), Error> {
        self.backend.execute(packet).map_err(Error::Backend)
    }
}
