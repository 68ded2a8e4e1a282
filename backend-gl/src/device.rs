//! [`GlDevice`]: a GL context's state and shared objects, used by all its backends.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use context3d::backend::BackendError;

use crate::backend::Objects;
use crate::binaries::ProgramCache;
use crate::caps::GlCaps;
use crate::gl::{Gl, Handle};
use crate::multisample::Pool;
use crate::program::Translator;
use crate::sampler::Samplers;
use crate::shadow::{Shadow, StateInputs, WindowDefaults};
use crate::texture::Texture;
use crate::texture_blit::TextureBlit;
use crate::workarounds::{Driver, Workaround, Workarounds};
use crate::{GlBackend, readback};

/// Makes a context current when a device needs it. A host provides one with its context, or guarantees that the context
/// is always current; contexts of [`offscreen`](crate::offscreen) have their own.
pub trait MakeCurrent {
    /// Makes the context current on this thread if it isn't. Called first in every call that uses GL, except for draws,
    /// clears and changes of the target while [`MakeCurrent::is_current`] returns true.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if it can't be made current: the device is lost from then on.
    fn make_current(&self) -> Result<(), BackendError>;

    /// Whether the context is current. True must be certain: ask the window system, if other code can make another context
    /// current on this thread. False is always correct, but slower.
    fn is_current(&self) -> bool {
        false
    }

    /// Called at the end of each call that began with [`MakeCurrent::make_current`]: can restore the context that was current
    /// before.
    fn release(&self) {}
}

/// Options for making a [`GlDevice`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Workarounds that are forced on or off: for unknown drivers, and for tests.
    pub workarounds: Workarounds,
    /// Translates programs to GLSL.
    pub translator: Translator,
}

/// A GL context for backends: its functions, capabilities, state, and shared objects.
///
/// A program with four `Stage3D`s has four `Context3D`s, each with its own [`GlBackend`] on one device. They can be
/// used in any order, draw by draw.
///
/// ```no_run
/// # fn host(gl: std::rc::Rc<glow::Context>, loader: &dyn Fn(&str) -> *const std::ffi::c_void)
/// # -> Result<(), context3d::backend::BackendError> {
/// // SAFETY: the window's context is current, and stays so on this thread while the device or a backend of it lives.
/// let device = unsafe { backend_gl::GlDevice::new(gl, loader)? };
/// let (first, second) = (device.backend()?, device.backend()?);
/// // ... the host draws with the context by itself, and then:
/// device.invalidate_state();
/// # Ok(())
/// # }
/// ```
///
/// Several devices on one context also work, but each change between them sets all state again.
#[derive(Clone)]
pub struct GlDevice {
    shared: Rc<Shared>,
}

/// What all clones of a [`GlDevice`] share.
struct Shared {
    gl: Rc<Gl>,
    /// In use during each call.
    device: RefCell<Device>,
    /// Objects of backends that were dropped while the device was in use; deleted by the next call.
    orphans: RefCell<Vec<Objects>>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let device = self.device.get_mut();
        for mut objects in self.orphans.take() {
            if device.enter().is_ok() {
                objects.delete_all(device);
            }
        }
    }
}

impl std::fmt::Debug for GlDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("GlDevice");
        if let Ok(device) = self.shared.device.try_borrow() {
            debug
                .field("version", &device.caps.driver.version)
                .field("renderer", &device.caps.driver.renderer);
        }
        debug.finish_non_exhaustive()
    }
}

impl GlDevice {
    /// The safe part of `new`: the context is current, or `current` makes it so.
    pub(crate) fn with_gl(
        gl: Rc<Gl>,
        current: Option<Rc<dyn MakeCurrent>>,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        let current = Hook(current);
        let device = Device::create(gl, current, options)?;
        device.current.release();
        Ok(Self {
            shared: Rc::new(Shared {
                gl: Rc::clone(&device.gl),
                device: RefCell::new(device),
                orphans: RefCell::default(),
            }),
        })
    }

    /// A backend for one `Context3D`.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context is gone.
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.run(|device| Ok(GlBackend::on(self.clone(), device)))
    }

    /// The driver's description of itself, and its family.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the device is in use.
    pub fn driver(&self) -> Result<Driver, BackendError> {
        Ok(self.borrow()?.caps.driver.clone())
    }

    /// Sets the host's cache of program binaries. Has no effect if the driver doesn't support them.
    pub fn set_program_cache(&self, cache: Arc<dyn ProgramCache>) {
        if let Ok(mut device) = self.shared.device.try_borrow_mut()
            && device.gl.gives_binaries()
        {
            device.binaries = Some(cache);
        }
    }

    /// The active workarounds, including forced ones.
    pub fn workarounds(&self) -> Vec<&'static Workaround> {
        let device = self.shared.device.try_borrow();
        device.map_or_else(|_| Vec::new(), |device| device.caps.workarounds.rows().collect())
    }

    /// Sets GL's state to its defaults, for code that relies on them: everything that [`state`](crate::state) lists.
    /// Includes [`GlDevice::invalidate_state`].
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context is gone.
    pub fn reset_to_gl_defaults(&self) -> Result<(), BackendError> {
        self.run(|device| {
            device.with_state_inputs(Shadow::reset_to_gl_defaults);
            device.dirty = true;
            device.in_frame = false;
            Ok(())
        })
    }

    /// Call this when the GL context is destroyed or about to be, before the device and its backends are dropped: GL is
    /// not called any more, and every call returns [`BackendError::Lost`]. GL objects are not deleted, because the
    /// context's destruction frees them.
    pub fn abandon(&self) {
        self.shared.gl.abandon();
    }

    /// Call this after other code has used the context, before a backend is used again: all state is set again, and
    /// pending GL errors are logged instead of being attributed to a packet.
    ///
    /// Queries, conditional rendering and transform feedback must have ended. Objects of the device and its backends
    /// must not have been modified; reading from bound ones is allowed.
    pub fn invalidate_state(&self) {
        if let Ok(mut device) = self.shared.device.try_borrow_mut() {
            device.dirty = true;
            device.in_frame = false;
        }
    }

    /// Runs an action with the context current.
    pub(crate) fn run<T>(
        &self,
        action: impl FnOnce(&mut Device) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let mut device = self.borrow()?;
        device.settled = 0;
        let result = match device.enter() {
            Ok(()) => {
                for mut objects in self.shared.orphans.take() {
                    objects.delete_all(&mut device);
                }
                let result = action(&mut device);
                device.finish(result)
            }
            Err(error) => Err(error),
        };
        device.current.release();
        result
    }

    /// Runs a draw, a clear or a change of the target of a backend with the context current, with code that takes little
    /// cache space from the driver.
    #[inline]
    pub(crate) fn run_draw(
        &self,
        backend: u64,
        draw: impl FnOnce(&mut Device) -> Result<(), DrawError>,
    ) -> Result<(), DrawError> {
        let mut device = self.borrow()?;
        // Whatever it is, what another backend's draw has set isn't set any more.
        if device.settled != backend {
            device.settled = 0;
        }
        let ready = device.is_ready();
        if !ready && let Err(error) = device.enter() {
            return device.end_draw(Err(error.into()));
        }
        let result = draw(&mut device);
        if ready && result.is_ok() {
            return Ok(());
        }
        device.end_draw(result)
    }

    /// Checks that the device is not lost, for actions that need no context.
    #[inline]
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        match self.shared.gl.is_abandoned() {
            true => Err(BackendError::Lost),
            false => Ok(()),
        }
    }

    /// Keeps the objects of a backend that is dropped while the device is in use, until they can be deleted.
    pub(crate) fn delete_later(&self, objects: Objects) {
        self.shared.orphans.borrow_mut().push(objects);
    }

    /// Borrows the device for one call. It is only in use already if a logger calls back into it.
    #[inline]
    pub(crate) fn borrow(&self) -> Result<RefMut<'_, Device>, BackendError> {
        self.shared.device.try_borrow_mut().map_err(|_| in_use())
    }
}

#[cold]
fn in_use() -> BackendError {
    BackendError::Driver("the device is in use by this thread".to_owned())
}

/// The error of a draw or clear. Boxed, so that a result fits into a register.
pub(crate) type DrawError = Box<BackendError>;

/// What a [`GlDevice`] shares.
pub(crate) struct Device {
    pub(crate) gl: Rc<Gl>,
    pub(crate) caps: GlCaps,
    pub(crate) shadow: Shadow,
    pub(crate) samplers: Samplers,
    pub(crate) pool: Pool,
    /// Created when first needed.
    blit_texture: Option<TextureBlit>,
    vertex_array: Handle<glow::VertexArray>,
    pub(crate) debug_log: bool,
    window: WindowDefaults,
    pub(crate) translator: Translator,
    pub(crate) binaries: Option<Arc<dyn ProgramCache>>,
    /// GL's state may differ from the shadow.
    pub(crate) dirty: bool,
    /// The backend whose last draw left the program, streams and textures as they are now; 0 after anything else.
    pub(crate) settled: u64,
    /// A packet was executed since the last check for errors, so pending errors may be its.
    pub(crate) in_frame: bool,
    /// Last: the context must outlive its objects.
    current: Hook,
}

/// The host's [`MakeCurrent`], if any. Fields that are dropped before it use the context; after it, the thread has its
/// previous context again.
struct Hook(Option<Rc<dyn MakeCurrent>>);

impl Hook {
    /// Makes the context current.
    fn enter(&self) -> Result<(), BackendError> {
        self.0.as_ref().map_or(Ok(()), |current| current.make_current())
    }

    /// Whether the context is current.
    #[inline]
    fn is_current(&self) -> bool {
        match &self.0 {
            Some(current) => current.is_current(),
            None => true,
        }
    }

    fn release(&self) {
        if let Some(current) = &self.0 {
            current.release();
        }
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.release();
    }
}

impl Device {
    fn create(gl: Rc<Gl>, current: Hook, options: &DeviceOptions) -> Result<Self, BackendError> {
        gl.drain_foreign_errors()?;
        gl.activate();
        let forced = options.workarounds;
        let caps = GlCaps::query(&gl, forced, || readback::bgra_renderable(&gl))?;
        log::info!("{} on {}", caps.driver.version, caps.driver.renderer);
        let debug_log = gl.start_debug_log();
        let vertex_array: Handle<glow::VertexArray> = Handle::create(&gl)?;
        let mut device = Self {
            shadow: Shadow::new(Rc::clone(&gl), &caps),
            window: WindowDefaults::query(&gl),
            gl,
            caps,
            samplers: Samplers::default(),
            pool: Pool::new(),
            blit_texture: None,
            vertex_array,
            debug_log,
            translator: options.translator,
            binaries: None,
            dirty: false,
            settled: 0,
            in_frame: false,
            current,
        };
        device.with_state_inputs(Shadow::reset);
        device.gl.check("setting the first state")?;
        Ok(device)
    }

    fn with_state_inputs(&mut self, set: impl FnOnce(&mut Shadow, &StateInputs<'_>)) {
        let inputs = StateInputs {
            caps: &self.caps,
            vertex_array: self.vertex_array.name(),
            debug_log: self.debug_log,
            window: self.window,
        };
        set(&mut self.shadow, &inputs);
    }

    /// Whether a draw can be executed at once.
    #[inline]
    fn is_ready(&mut self) -> bool {
        // If another one was used in between, it may have changed GL's state.
        self.dirty |= !self.gl.activate();
        !self.gl.is_abandoned()
            && !self.dirty
            && self.in_frame
            && !self.debug_log
            && self.current.is_current()
    }

    /// Call this with the result of a draw that failed or was not [ready](Self::is_ready).
    #[cold]
    #[inline(never)]
    fn end_draw(&mut self, result: Result<(), DrawError>) -> Result<(), DrawError> {
        let result = self.finish(result.map_err(|error| *error));
        self.current.release();
        Ok(result?)
    }

    /// Call this before any use of the context.
    #[inline(never)]
    fn enter(&mut self) -> Result<(), BackendError> {
        if self.gl.is_abandoned() {
            return Err(BackendError::Lost);
        }
        let entered = self.current.enter();
        if entered == Err(BackendError::Lost) {
            self.gl.abandon();
        }
        entered?;
        self.dirty |= !self.gl.activate();
        if self.dirty || !self.in_frame {
            self.wake()?;
        }
        Ok(())
    }

    /// Called after other code used the context, and at the first packet of a frame.
    #[cold]
    fn wake(&mut self) -> Result<(), BackendError> {
        self.settled = 0;
        if !self.in_frame {
            if let Err(error) = self.gl.drain_foreign_errors() {
                return self.finish(Err(error));
            }
            if self.debug_log {
                self.gl.drain_debug_log(false);
            }
            self.in_frame = true;
        }
        if self.dirty {
            self.dirty = false;
            self.with_state_inputs(Shadow::reset);
        }
        Ok(())
    }

    /// Logs errors after each packet: a debug context is slow anyway, and an error is most useful beside its packet.
    pub(crate) fn after_packet(&self) -> Result<(), BackendError> {
        self.gl.check_drawing("a packet")
    }

    /// Call this with the result of an action.
    fn finish<T>(&mut self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        if self.debug_log {
            self.gl.drain_debug_log(true);
        }
        result.map_err(|error| self.failed(error))
    }

    /// What fails because the context is gone gets other errors on the way.
    #[cold]
    fn failed(&mut self, error: BackendError) -> BackendError {
        let lost = self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR;
        if lost {
            log::debug!("the context is lost: {error}");
        }
        if !lost && error != BackendError::Lost {
            if self.gl.is_there().is_err() {
                // The last state was set in no context.
                self.dirty = true;
                self.in_frame = false;
            }
            return error;
        }
        self.gl.abandon();
        BackendError::Lost
    }

    /// Checks once per frame whether the context is lost; logs errors of draws, and reports only a lack of memory.
    pub(crate) fn check_frame(&mut self) -> Result<(), BackendError> {
        if self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR {
            return Err(BackendError::Lost);
        }
        self.gl.check_drawing("drawing a frame")?;
        self.in_frame = false;
        Ok(())
    }

    /// Draws a face of a texture, in the base level, into the bound draw framebuffer.
    pub(crate) fn blit_texture(&mut self, texture: &Texture, side: u8) -> Result<(), BackendError> {
        self.settled = 0;
        let (gl, shadow) = (&self.gl, &mut self.shadow);
        let blit_texture = match &mut self.blit_texture {
            Some(blit_texture) => blit_texture,
            None => {
                let made = TextureBlit::create(gl, &self.caps, shadow)?;
                self.blit_texture.insert(made)
            }
        };
        blit_texture.draw(gl, shadow, (texture.target(), side), texture.object());
        Ok(())
    }

    /// Simulates the loss of the device, for tests.
    #[cfg(test)]
    pub(crate) fn lose(&mut self) {
        self.gl.abandon();
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // The objects are gone with the context; deleting them by name could delete another context's objects.
        if self.gl.is_abandoned() || self.current.enter().is_err() {
            self.gl.abandon();
        }
    }
}
