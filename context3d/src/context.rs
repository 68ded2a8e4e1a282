//! The context: its state, its life cycle, and the common start of all calls.

use std::collections::VecDeque;

use agal::Profile;
use slotmap::Key;

use crate::backend::{Backend, BackendError};
use crate::check::DrawChecks;
use crate::constants::DirtyConstants;
use crate::decoded::QueuedEvent;
use crate::dirty::DirtyFlags;
use crate::error::{Error, ErrorCode, SetterError};
use crate::executor::Executor;
use crate::handle::{AnyHandle, ContextId, IndexBufferKey, ObjectHandle, OwnQueue, ProgramKey};
use crate::host::Host;
use crate::limits::{ProfileLimits, RegisterCounts};
use crate::packets::{Draw, MAX_SAMPLERS, MAX_STREAMS, Packet, PipelineId, PipelineState};
use crate::resource::ResourceTable;
use crate::state::{ContextFields, DEFAULT_RASTER, DevicePass};

/// Options for creating a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOptions {
    /// The granted profile, which determines the limits.
    pub profile: Profile,
    /// The program's SWF version, on which errors of `configureBackBuffer` and of ATF files depend.
    pub swf_version: u32,
}

/// The state of the context that a call requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRequires {
    /// The context must not have ended (3694), and the application must be in the foreground (3768).
    Device,
    /// The context must not have ended (3694); the application may be in the background [context3d.life.setters].
    Context,
    /// The context may have any state: `dispose` may be repeated [context3d.life.again].
    Nothing,
}

/// Maximum size of the conversion buffer that is retained between calls, in bytes: enough for the largest vertex buffer
/// and a 2048×2048 bitmap, but not for a 16384×16384 back buffer.
const SCRATCH_KEPT: usize = 16 << 20;

/// If true, `present` and setters ([`CallRequires::Context`]) raise 3694 on an ended context; if false, these calls
/// have no effect. Adobe's documentation and traces cover only calls with [`CallRequires::Device`]
/// [context3d.life.setters].
const SETTERS_RAISE_WHEN_ENDED: bool = true;

/// The life cycle of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Alive,
    Over(EndReason),
}

/// The reason for which a context ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The program called `dispose(false)`: `Stage3D.context3D` stays null.
    Disposed,
    /// The program called `dispose(true)`, which simulates a lost device.
    DisposedToRecreate,
    /// The device was lost, or the host called [`Context3D::lose`].
    Lost,
}

impl EndReason {
    /// Returns whether Flash creates a new context and dispatches another `context3DCreate`, if a listener exists
    /// [context3d.life.recreate]. [`Stage3D::context_ended`](crate::Stage3D::context_ended) requests the new context.
    pub fn recreates(self) -> bool {
        self != EndReason::Disposed
    }
}

/// A `Context3D` on a backend. A clone accepts the handles of the original, and has a separate
/// [`ReleaseQueue`](crate::ReleaseQueue).
#[derive(Clone)]
pub struct Context3D<B: Backend> {
    pub(crate) backend: B,
    /// The number of the last frame that the host took, and its [`frame_scale`](Context3D::frame_scale).
    pub(crate) taken: (u64, [f64; 2]),
    pub(crate) id: ContextId,
    pub(crate) options: ContextOptions,
    pub(crate) host: Host,
    /// The program requested the context in `software` mode.
    pub(crate) software: bool,
    /// The position of the Stage3D: its `x` and `y`.
    pub(crate) position: [f64; 2],
    pub(crate) limits: &'static ProfileLimits,
    pub(crate) registers: RegisterCounts,
    life: Life,
    pub(crate) state: ContextFields,
    pub(crate) resources: ResourceTable,
    pub(crate) vertex_constants: DirtyConstants,
    pub(crate) fragment_constants: DirtyConstants,
    /// The events that the host has not dispatched yet.
    pub(crate) texture_events: VecDeque<QueuedEvent>,
    /// The executor that decodes asynchronous uploads.
    pub(crate) executor: Executor,
    pub(crate) device_pass: DevicePass,
    /// The packet of the current draw. Later draws reuse the packet, because building a packet on the stack for each
    /// draw is too slow.
    pub(crate) draw: Box<Draw>,
    /// Results of checks of earlier draws that are still valid.
    pub(crate) checked: DrawChecks,
    /// Buffer in which data is converted for the backend.
    pub(crate) scratch: Vec<u8>,
    /// The queue of objects that the VM's garbage collector has finalised.
    pub(crate) release_queue: OwnQueue,
    /// Released objects that were still bound at the last collection.
    pub(crate) released: Vec<AnyHandle>,
}

impl<B: Backend> Context3D<B> {
    /// Creates a context with Flash's initial state and without a back buffer.
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
            limits: ProfileLimits::of(options.profile),
            registers: RegisterCounts::of(options.profile),
            life: Life::Alive,
            state: ContextFields::default(),
            resources: ResourceTable::default(),
            vertex_constants: DirtyConstants::default(),
            fragment_constants: DirtyConstants::default(),
            texture_events: VecDeque::new(),
            executor: Executor::default(),
            device_pass: DevicePass::default(),
            draw: Box::new(draw),
            checked: DrawChecks::default(),
            scratch: Vec::new(),
            release_queue: OwnQueue::default(),
            released: Vec::new(),
        }
    }

    /// Sets the executor for later asynchronous uploads. The default executor decodes in the upload call.
    pub fn set_executor(&mut self, executor: Executor) {
        self.executor = executor;
    }

    /// Makes this context accept another context's handles, so that tests can execute the same calls on two backends.
    #[doc(hidden)]
    pub fn share_handles<C: Backend>(&mut self, other: &Context3D<C>) {
        self.id = other.id;
    }

    /// Returns the handle of a new object.
    pub(crate) fn handle<K: Key>(&self, key: K) -> ObjectHandle<K> {
        ObjectHandle::new(self.id, key)
    }

    /// Returns the key of an object that a call received as an argument.
    #[inline]
    pub(crate) fn own<K: Key>(&self, handle: ObjectHandle<K>) -> K {
        handle.key_in(self.id)
    }

    /// Makes the next draw repeat all checks.
    #[doc(hidden)]
    #[inline]
    pub fn invalidate_all(&mut self) {
        self.checked.dirty = DirtyFlags::EVERYTHING;
    }

    /// The first step of every call: raises 3694 on an ended context and 3768 in the background, and sets the dirty
    /// flags of the call.
    #[inline]
    pub(crate) fn begin(
        &mut self,
        needs: CallRequires,
        dirty: DirtyFlags,
    ) -> Result<(), SetterError> {
        let raises = match needs {
            CallRequires::Device => true,
            CallRequires::Context => SETTERS_RAISE_WHEN_ENDED,
            CallRequires::Nothing => false,
        };
        if raises && self.is_disposed() {
            return Err(ErrorCode::Disposed.into());
        }
        if needs == CallRequires::Device {
            self.check_foreground()?;
        }
        self.checked.dirty = self.checked.dirty.with(dirty);
        Ok(())
    }

    /// Raises 3768 if the application is in the background.
    #[inline]
    pub(crate) fn check_foreground(&self) -> Result<(), ErrorCode> {
        if self.host.background { Err(ErrorCode::InBackground) } else { Ok(()) }
    }

    /// Handles the error of a call: a lost device ends the context, and Flash's errors get the host's wording.
    #[cold]
    #[inline(never)]
    pub(crate) fn call_error(&mut self, error: impl Into<Error>) -> Box<Error> {
        let error = self.host.with_host_wording(error);
        if error == Error::Backend(BackendError::Lost) {
            drop(self.end_life(EndReason::Lost));
        }
        Box::new(error)
    }

    /// Returns the backend.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// Returns the backend. Packets that are executed directly on the backend don't change the context's state.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Returns whether the context was disposed or its device was lost.
    pub fn is_disposed(&self) -> bool {
        self.life != Life::Alive
    }

    /// Returns the reason for which the context ended; `None` while it is usable.
    pub fn ended(&self) -> Option<EndReason> {
        match self.life {
            Life::Alive => None,
            Life::Over(ended) => Some(ended),
        }
    }

    /// Ends the context as if its device were lost, for hosts that detect or simulate a loss. The call sends no packet
    /// to the backend, and has no effect on an ended context.
    pub fn lose(&mut self) {
        if !self.is_disposed() {
            self.end_life(EndReason::Lost);
        }
    }

    /// Drops all state of the context, and returns its resources, which the caller frees.
    pub(crate) fn end_life(&mut self, ended: EndReason) -> ResourceTable {
        self.life = Life::Over(ended);
        self.state = ContextFields::default();
        self.texture_events = VecDeque::new();
        self.scratch = Vec::new();
        self.released = Vec::new();
        std::mem::take(&mut self.resources)
    }

    /// Takes the buffer `scratch`, enlarged to at least this many bytes of undefined content. The buffer never shrinks,
    /// so that it is zeroed only once.
    pub(crate) fn take_scratch(&mut self, bytes: usize) -> Vec<u8> {
        let mut scratch = std::mem::take(&mut self.scratch);
        if scratch.len() < bytes {
            scratch.resize(bytes, 0);
        }
        scratch
    }

    /// Returns a buffer to `scratch`, unless it is larger than [`SCRATCH_KEPT`].
    pub(crate) fn keep_scratch(&mut self, scratch: Vec<u8>) {
        if scratch.capacity() <= SCRATCH_KEPT {
            self.scratch = scratch;
        }
    }

    pub(crate) fn emit(&mut self, packet: Packet<'_>) -> Result<(), Error> {
        self.backend.execute(packet).map_err(Error::Backend)
    }
}
