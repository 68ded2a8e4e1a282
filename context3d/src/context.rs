//! The context itself: what it owns, and the one entry point.

use std::collections::VecDeque;

use agal::Profile;

use crate::backend::{Backend, BackendError};
use crate::calls::Needs;
use crate::constants::Bank;
use crate::error::{Error, ErrorCode};
use crate::host::Host;
use crate::keys::{ContextId, IndexBufferKey, ProgramKey};
use crate::limits::{Limits, Registers};
use crate::objects::{AnyHandle, ReleaseQueue};
use crate::packet::{Draw, MAX_SAMPLERS, MAX_STREAMS, Packet};
use crate::resource::Resources;
use crate::state::{DEFAULT_RASTER, State};
use crate::texture_event::TextureEvent;

/// What a context is created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOptions {
    /// The profile that was granted; decides the limits.
    pub profile: Profile,
    /// Version of the SWF that asks; some errors and AGAL versions depend on it.
    pub swf_version: u32,
}

/// Capacity in bytes up to which the buffer for conversions is kept from one call to the next: the largest vertex buffer
/// and a 2048×2048 bitmap fit, a back buffer of 16384×16384 doesn't.
const SCRATCH_KEPT: usize = 16 << 20;

/// Whether a context still works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Alive,
    /// In every case calls raise 3694.
    Over(Ended),
}

/// How a context came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// `dispose(false)`: for good, `Stage3D.context3D` becomes null.
    Disposed,
    /// `dispose(true)`: a simulated loss.
    DisposedToRecreate,
    /// The device was lost, or the host said so ([`Context3D::lose`]).
    Lost,
}

impl Ended {
    /// Whether a new context and another `context3DCreate` follow by themselves, where a listener is there
    /// (context3d.md section 5). [`Stage3D::context_ended`](crate::Stage3D::context_ended) sees to it.
    pub fn recreates(self) -> bool {
        self != Ended::Disposed
    }
}

/// A `Context3D` over a backend.
pub struct Context3D<B: Backend> {
    pub(crate) backend: B,
    pub(crate) id: ContextId,
    pub(crate) options: ContextOptions,
    pub(crate) host: Host,
    pub(crate) limits: &'static Limits,
    pub(crate) registers: Registers,
    life: Life,
    pub(crate) state: State,
    pub(crate) resources: Resources,
    pub(crate) vertex_constants: Bank,
    pub(crate) fragment_constants: Bank,
    /// Events that the host has not taken yet.
    pub(crate) texture_events: VecDeque<TextureEvent>,
    /// The packet of the draw at hand. Kept, because it is too large to be built on the stack for every draw.
    pub(crate) draw: Box<Draw>,
    /// Data on its way to the backend when it needs conversion.
    pub(crate) scratch: Vec<u8>,
    /// What finalisers push into.
    pub(crate) release_queue: ReleaseQueue,
    /// Released objects that were bound when they were last looked at.
    pub(crate) released: Vec<AnyHandle>,
}

impl<B: Backend> Context3D<B> {
    /// A fresh context: no back buffer, Flash's initial state.
    pub fn new(backend: B, options: ContextOptions) -> Self {
        let draw = Draw {
            program: ProgramKey::default(),
            index_buffer: IndexBufferKey::default(),
            first_index: 0,
            index_count: 0,
            instances: 1,
            streams: [None; MAX_STREAMS],
            short_streams: 0,
            textures: [None; MAX_SAMPLERS],
            raster: DEFAULT_RASTER,
        };
        Context3D {
            backend,
            id: ContextId::new(),
            options,
            host: Host::default(),
            limits: Limits::of(options.profile),
            registers: Registers::of(options.profile),
            life: Life::Alive,
            state: State::default(),
            resources: Resources::default(),
            vertex_constants: Bank::default(),
            fragment_constants: Bank::default(),
            texture_events: VecDeque::new(),
            draw: Box::new(draw),
            scratch: Vec::new(),
            release_queue: ReleaseQueue::default(),
            released: Vec::new(),
        }
    }

    /// What holds for every call, before it: 3694 on a context that has ended, 3768 in the background.
    #[inline]
    pub(crate) fn enter(&self, needs: Needs) -> Result<(), ErrorCode> {
        if needs != Needs::Nothing && self.is_disposed() {
            return Err(ErrorCode::Disposed);
        }
        if needs == Needs::Device && self.host.background {
            return Err(ErrorCode::InBackground);
        }
        Ok(())
    }

    /// What holds for every call, after it: a lost device ends the context.
    #[inline]
    pub(crate) fn leave<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if matches!(result, Err(Error::Backend(BackendError::Lost))) {
            self.end_life(Ended::Lost);
        }
        result
    }

    /// The backend, for reading pixels.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// The backend. Executing packets on it behind the context's back breaks the context's picture of it.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Gives the backend back.
    pub fn into_backend(self) -> B {
        self.backend
    }

    /// The context was disposed, or its device was lost.
    pub fn is_disposed(&self) -> bool {
        self.life != Life::Alive
    }

    /// How it ended; `None` while it works.
    pub fn ended(&self) -> Option<Ended> {
        match self.life {
            Life::Alive => None,
            Life::Over(ended) => Some(ended),
        }
    }

    /// Ends it as if its device were lost: for hosts that know of it first, or that simulate it. The backend is told
    /// nothing. No effect on a context that has ended.
    pub fn lose(&mut self) {
        if !self.is_disposed() {
            self.end_life(Ended::Lost);
        }
    }

    /// Nothing of a dead context is valid: what it knew goes, and is given to whoever has to free it on the device.
    pub(crate) fn end_life(&mut self, ended: Ended) -> Resources {
        self.life = Life::Over(ended);
        self.state = State::default();
        self.texture_events = VecDeque::new();
        self.scratch = Vec::new();
        self.released = Vec::new();
        std::mem::take(&mut self.resources)
    }

    /// Keeps a buffer that was taken from `scratch`, unless it has grown out of proportion.
    pub(crate) fn keep_scratch(&mut self, scratch: Vec<u8>) {
        if scratch.capacity() <= SCRATCH_KEPT {
            self.scratch = scratch;
        }
    }

    pub(crate) fn emit(&mut self, packet: Packet<'_>) -> Result<(), Error> {
        self.backend.execute(packet).map_err(Error::Backend)
    }
}
