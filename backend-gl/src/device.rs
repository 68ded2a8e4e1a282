//! [`GlDevice`]: a GL context's state and shared objects, used by all its backends.

mod binaries;
mod blit;
mod sampler;
mod translator;

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use context3d::agal::float::FloatRules;
use context3d::backend::{BackendCaps, BackendError};
use slotmap::Key;

use crate::caps::GlCaps;
use crate::gl::{Gl, Handle, Labelled};
use crate::packet::missing;
use crate::shadow::{Shadow, StateInputs, WindowDefaults};
use crate::workarounds::{Driver, Workaround, Workarounds};
pub use binaries::ProgramCache;
pub(crate) use binaries::Stored;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use blit::REPLACE_COLOR;
pub(crate) use blit::{CopyProgram, FRAGMENT_DECODED, TextureBlit, scaling};
use sampler::Samplers;
pub use translator::Translator;

/// Makes a context current when a device needs it. A host provides one with its context, or guarantees that the context
/// is always current; contexts of [`offscreen`](crate::offscreen) have their own.
pub trait MakeCurrent {
    /// Makes the context current on this thread if it isn't. Called first in every call that uses GL, except while
    /// [`MakeCurrent::is_current`] returns true in the middle of a frame.
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
    /// The arithmetic of programs at its edges: Flash's content was made for Direct3D 9's.
    pub float_rules: FloatRules,
    /// The context shares its objects with that of the host's renderer: see [`PictureSource`](crate::PictureSource).
    pub shares: bool,
}

/// A GL context for backends: its functions, capabilities, state, and shared objects.
///
/// A program with four `Stage3D`s has four `Context3D`s, each with its own [`GlBackend`](crate::GlBackend) on one device. They can be
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
    pub(crate) gl: Rc<Gl>,
    #[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "for pictures as textures"))]
    pub(crate) shares: bool,
    /// In use during each call.
    device: Rc<RefCell<Device>>,
}

impl std::fmt::Debug for GlDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("GlDevice");
        if let Ok(device) = self.device.try_borrow() {
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
        let current = CurrentContext { gl: Rc::clone(&gl), hook: current };
        let device = Device::create(Rc::clone(&gl), current, options)?;
        device.current.release();
        Ok(Self { gl, shares: options.shares, device: Rc::new(RefCell::new(device)) })
    }

    /// What the device can do: `Stage3D::answer` needs it.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the device is in use.
    pub fn caps(&self) -> Result<BackendCaps, BackendError> {
        Ok(self.borrow()?.caps.public.clone())
    }

    /// The driver's description of itself, and its family.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the device is in use.
    pub fn driver(&self) -> Result<Driver, BackendError> {
        Ok(self.borrow()?.caps.driver.clone())
    }

    /// The active workarounds, including forced ones.
    pub fn workarounds(&self) -> Vec<&'static Workaround> {
        let device = self.device.try_borrow();
        device.map_or_else(|_| Vec::new(), |device| device.caps.workarounds.rows().collect())
    }

    /// Sets GL's state to its defaults, for code that relies on them: everything that [`state`](crate::state) lists.
    /// Includes [`GlDevice::invalidate_state`].
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context is gone.
    pub fn reset_to_gl_defaults(&self) -> Result<(), BackendError> {
        let reset = self.run(|device| {
            device.attempt()?;
            device.with_state_inputs(Shadow::reset_to_gl_defaults);
            device.gl.check("setting GL's defaults")
        });
        self.invalidate_state();
        reset
    }

    /// Call this when the GL context is destroyed or about to be, before the device and its backends are dropped: GL is
    /// not called any more, and every call returns [`BackendError::Lost`]. GL objects are not deleted, because the
    /// context's destruction frees them.
    pub fn abandon(&self) {
        self.gl.abandon();
    }

    /// Call this before dropping the device while another context may be current. If it is the last owner of the GL objects
    /// and has no [`MakeCurrent`], they are left to the context's destruction.
    pub fn leave(&self) {
        let device = self.device.try_borrow();
        if Rc::strong_count(&self.device) == 1 && device.is_ok_and(|it| it.current.hook.is_none()) {
            self.abandon();
        }
    }

    /// Call this after other code has used the context, before a backend is used again: all state is set again, and
    /// pending GL errors are logged instead of being attributed to a packet.
    ///
    /// Queries, conditional rendering and transform feedback must have ended. Objects of the device and its backends
    /// must not have been modified; reading from bound ones is allowed.
    pub fn invalidate_state(&self) {
        if let Ok(mut device) = self.device.try_borrow_mut() {
            device.foreign_state = true;
            device.in_frame = false;
        }
    }

    /// Runs an action with the context current and its state known to the shadow. Every use of GL by a backend or a host's
    /// call goes through here, and nothing else changes the shadow.
    #[inline]
    pub(crate) fn run<T>(
        &self,
        action: impl FnOnce(&mut Device) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let mut device = self.borrow()?;
        let device = &mut *device;
        if device.is_ready() {
            match action(device) {
                Ok(done) if !device.gl.has_dropped() => Ok(done),
                result => device.finish(result),
            }
        } else {
            let result = match device.enter() {
                Ok(()) => {
                    let result = action(device);
                    device.finish(result)
                }
                Err(error) => Err(device.failed(error)),
            };
            device.current.release();
            result
        }
    }

    /// Measures with the driver how long the device takes for the GL calls of `work`, and waits for it: `None` without a
    /// timer (OpenGL has one, OpenGL ES with `GL_EXT_disjoint_timer_query`), and if the device is lost. `work` must not
    /// measure itself. Not in browsers, which have no result before the page yields.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, Option<Duration>) {
        let query = self.run(|device| Ok(device.gl.begin_timer()));
        let done = work();
        let nanos = match query {
            Ok(Some(query)) => self.run(|device| Ok(device.gl.end_timer(query))).ok(),
            Ok(None) | Err(_) => None,
        };
        (done, nanos.map(|nanos| Duration::from_nanos(nanos.into())))
    }

    /// The safe part of `set_program_cache`.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn use_program_cache(&self, cache: Arc<dyn ProgramCache>) {
        if let Ok(mut device) = self.device.try_borrow_mut()
            && device.gl.gives_binaries()
        {
            device.binaries = Some(cache);
        }
    }

    /// Checks that the device is not lost, for actions that need no context.
    #[inline]
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        if self.gl.is_abandoned() { Err(BackendError::Lost) } else { Ok(()) }
    }

    /// Borrows the device for one call. It is only in use already if a logger calls back into it.
    #[inline]
    pub(crate) fn borrow(&self) -> Result<RefMut<'_, Device>, BackendError> {
        self.device.try_borrow_mut().map_err(|_| in_use())
    }
}

/// The number of an object in labels.
pub(crate) fn number(key: impl Key) -> u64 {
    key.data().as_ffi() & u64::from(u32::MAX)
}

#[cold]
fn in_use() -> BackendError {
    BackendError::Driver("the device is in use by this thread".to_owned())
}

/// What a [`GlDevice`] shares.
pub(crate) struct Device {
    pub(crate) gl: Rc<Gl>,
    pub(crate) caps: GlCaps,
    pub(crate) shadow: Shadow,
    pub(crate) samplers: Samplers,
    blit: Option<TextureBlit>,
    /// The program for pictures in sRGB framebuffers.
    pub(crate) decoded: Option<CopyProgram>,
    vertex_array: Handle<glow::VertexArray>,
    pub(crate) debug_log: bool,
    window: WindowDefaults,
    pub(crate) translator: Translator,
    pub(crate) float_rules: FloatRules,
    pub(crate) binaries: Option<Arc<dyn ProgramCache>>,
    /// Other code may have changed GL's state.
    foreign_state: bool,
    /// A packet was executed since the last check for errors, so pending errors may be its.
    pub(crate) in_frame: bool,
    /// Last: it deletes the objects of the others.
    current: CurrentContext,
}

/// The host's [`MakeCurrent`], if any.
struct CurrentContext {
    gl: Rc<Gl>,
    hook: Option<Rc<dyn MakeCurrent>>,
}

impl CurrentContext {
    /// Makes the context current.
    fn enter(&self) -> Result<(), BackendError> {
        self.hook.as_ref().map_or(Ok(()), |hook| hook.make_current())
    }

    /// Whether the context is current.
    #[inline]
    fn is_current(&self) -> bool {
        self.hook.as_ref().is_none_or(|hook| hook.is_current())
    }

    fn release(&self) {
        if let Some(hook) = &self.hook {
            hook.release();
        }
    }
}

impl Drop for CurrentContext {
    /// Deletes what was dropped before, with the context still current.
    fn drop(&mut self) {
        // What is abandoned may be dropped on any thread.
        if !self.gl.is_abandoned() {
            self.gl.delete_dropped();
            self.release();
        }
    }
}

impl Device {
    fn create(
        gl: Rc<Gl>,
        current: CurrentContext,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        gl.drain_foreign_errors()?;
        gl.activate();
        let caps = GlCaps::query(&gl, options.workarounds)?;
        log::info!("{} on {}", caps.driver.version, caps.driver.renderer);
        let mut device = Self {
            shadow: Shadow::new(Rc::clone(&gl), &caps),
            window: WindowDefaults::query(&gl),
            debug_log: gl.start_debug_log(),
            vertex_array: Handle::create(&gl)?,
            gl,
            caps,
            samplers: Samplers::default(),
            blit: None,
            decoded: None,
            translator: options.translator,
            float_rules: options.float_rules,
            binaries: None,
            foreign_state: false,
            in_frame: false,
            current,
        };
        device.with_state_inputs(Shadow::reset);
        device.gl.delete_dropped();
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

    /// Whether GL can be used at once, as in the middle of a frame.
    #[inline]
    fn is_ready(&mut self) -> bool {
        // If another device was used in between, it may have changed GL's state.
        self.foreign_state |= !self.gl.activate();
        !self.gl.is_abandoned()
            && !self.foreign_state
            && self.shadow.is_certain()
            && self.in_frame
            && !self.debug_log
            && self.current.is_current()
    }

    /// Makes the context current, and its state known.
    #[cold]
    #[inline(never)]
    fn enter(&mut self) -> Result<(), BackendError> {
        if self.gl.is_abandoned() {
            return Err(BackendError::Lost);
        }
        self.current.enter()?;
        if !self.in_frame {
            self.gl.drain_foreign_errors()?;
            if self.debug_log {
                self.gl.drain_debug_log(false);
            }
            self.in_frame = true;
        }
        if self.foreign_state || !self.shadow.is_certain() {
            self.attempt()?;
        }
        Ok(())
    }

    /// Begins calls that fail or succeed together, such as those that make an object: earlier errors are logged, so that
    /// only their own fail them, and what may not have been set is set again. [`Gl::check`] ends them.
    pub(crate) fn attempt(&mut self) -> Result<Rc<Gl>, BackendError> {
        self.gl.log_errors("an earlier call")?;
        if std::mem::take(&mut self.foreign_state) || !self.shadow.is_certain() {
            self.with_state_inputs(Shadow::reset);
            self.gl.check("setting all state")?;
        }
        Ok(Rc::clone(&self.gl))
    }

    /// Ends an action: deletes what it dropped.
    #[cold]
    #[inline(never)]
    fn finish<T>(&mut self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        let result = result.map_err(|error| self.failed(error));
        // Without a context, what was dropped waits for the next call.
        if self.gl.is_abandoned() || result.is_err() && self.gl.is_there().is_err() {
            return result;
        }
        if self.gl.has_dropped() {
            self.gl.delete_dropped();
            if !self.in_frame || self.debug_log {
                let _ = self.gl.check("deleting objects"); // not other code's, as the next frame would have it
            }
        }
        if self.debug_log {
            self.gl.drain_debug_log(true);
            let _ = self.gl.check("reading the debug log"); // nor a later call's
        }
        result
    }

    /// What fails because the context is gone gets other errors on the way. Other errors that it has left are logged, so
    /// that no later call fails for them.
    fn failed(&mut self, error: BackendError) -> BackendError {
        let left = self.gl.check("a call that failed");
        let lost = [&Err(error.clone()), &left].contains(&&Err(BackendError::Lost))
            || self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR;
        if lost {
            log::debug!("the context is lost: {error}");
            self.gl.abandon();
            return BackendError::Lost;
        }
        if self.gl.is_there().is_err() {
            // The last state was set in no context.
            self.foreign_state = true;
            self.in_frame = false;
        }
        error
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

    /// Names an object for debuggers: `texture5` is the fifth texture, unless it took the number of a disposed one.
    pub(crate) fn label<K: Key>(&self, key: K, kind: &str, object: Labelled) {
        if self.debug_log {
            self.gl.label(object, &format!("{kind}{}", number(key)));
        }
    }

    /// Makes the programs that draw textures, once: before an attempt that needs them.
    pub(crate) fn make_blit(&mut self) -> Result<(), BackendError> {
        if self.blit.is_none() {
            let gl = self.attempt()?;
            let sampler = self.samplers.get(&gl, &self.caps, scaling(false))?;
            self.blit = Some(TextureBlit::create(&gl, &self.caps, &mut self.shadow, sampler)?);
        }
        Ok(())
    }

    /// The programs that draw textures, which were made.
    pub(crate) fn blit(&mut self) -> Result<(&TextureBlit, &mut Shadow), BackendError> {
        let blit = self.blit.as_ref().ok_or_else(|| missing("program for copies"))?;
        Ok((blit, &mut self.shadow))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // The objects are gone with the context; deleting them by name could delete another context's objects.
        if !self.gl.is_abandoned() && self.current.enter().is_err() {
            self.gl.abandon();
            self.current.release();
        }
    }
}
