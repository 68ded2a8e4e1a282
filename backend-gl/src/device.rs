//! [`GlDevice`]: a GL context with its state and shared objects, used by all its backends.

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
use crate::gl::{GlFunctions, GlHandle, LabelTarget};
use crate::packet::missing;
use crate::shadow::{Shadow, StateInputs, WindowDefaults};
use crate::workarounds::{DriverInfo, Workaround, Workarounds};
pub(crate) use binaries::CacheEntry;
pub use binaries::ProgramCache;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use blit::REPLACE_COLOR;
pub(crate) use blit::{CopyProgram, FRAGMENT_DECODED, TextureBlit, scaling};
use sampler::SamplerObjects;
pub use translator::Translator;

/// Makes a context current when a device needs the context. A host implements `MakeCurrent` for its context, or
/// guarantees that the context is always current. [`offscreen`](crate::offscreen) implements `MakeCurrent`.
pub trait MakeCurrent {
    /// Makes the context current on this thread. Called first in every call that uses GL, except while
    /// [`MakeCurrent::is_current`] returns true in the middle of a frame.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context can't be made current: the device is lost from then on.
    fn make_current(&self) -> Result<(), BackendError>;

    /// Returns whether the context is current on this thread. If other code may switch contexts, an implementation must
    /// query the window system. An implementation may always return false, which is correct, but slower.
    fn is_current(&self) -> bool {
        false
    }

    /// Ends a call that began with [`MakeCurrent::make_current`]. An implementation may restore the previous context.
    fn release(&self) {}
}

/// Options for the creation of a [`GlDevice`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Workarounds that are forced on or off: for unknown drivers, and for tests.
    pub workarounds: Workarounds,
    /// Translates programs to GLSL.
    pub translator: Translator,
    /// The results of shader arithmetic on zero, infinity and NaN. Flash content was written for Direct3D 9's results.
    pub float_rules: FloatRules,
    /// The context shares its objects with the context of the host's renderer: see
    /// [`PictureSource`](crate::PictureSource).
    pub shares: bool,
}

/// A GL context for backends: its functions, capabilities, state, and shared objects.
///
/// A program with four `Stage3D`s has four `Context3D`s, each with its own [`GlBackend`](crate::GlBackend) on one
/// device. The backends may alternate, even between draws.
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
/// Several devices on one context also work, but each switch between them sets all state again.
#[derive(Clone)]
pub struct GlDevice {
    pub(crate) gl: Rc<GlFunctions>,
    #[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "for pictures as textures"))]
    pub(crate) shares: bool,
    /// The state of the device, which each call borrows while it runs.
    device: Rc<RefCell<DeviceState>>,
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
    /// Creates a device; the safe part of `GlDevice::new`. The context is current, or `current` makes it current.
    pub(crate) fn with_gl(
        gl: Rc<GlFunctions>,
        current: Option<Rc<dyn MakeCurrent>>,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        let current = CurrentContext { gl: Rc::clone(&gl), hook: current };
        let device = DeviceState::create(Rc::clone(&gl), current, options)?;
        device.current.release();
        Ok(Self { gl, shares: options.shares, device: Rc::new(RefCell::new(device)) })
    }

    /// Returns the capabilities of the device, for `Stage3D::answer`.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the device is in use.
    pub fn caps(&self) -> Result<BackendCaps, BackendError> {
        Ok(self.borrow()?.caps.public.clone())
    }

    /// Returns the driver's vendor, renderer, version and family.
    ///
    /// # Errors
    /// [`BackendError::Driver`] if the device is in use.
    pub fn driver(&self) -> Result<DriverInfo, BackendError> {
        Ok(self.borrow()?.caps.driver.clone())
    }

    /// Returns the active workarounds, including forced ones.
    pub fn workarounds(&self) -> Vec<&'static Workaround> {
        let device = self.device.try_borrow();
        device.map_or_else(|_| Vec::new(), |device| device.caps.workarounds.rows().collect())
    }

    /// Sets the GL state in the list [`state`](crate::state) to GL's defaults, for code that relies on these defaults.
    /// The call also has the effect of [`GlDevice::invalidate_state`].
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context is gone.
    pub fn reset_to_gl_defaults(&self) -> Result<(), BackendError> {
        let reset = self.run(|device| {
            device.begin_checked()?;
            device.with_state_inputs(Shadow::reset_to_gl_defaults);
            device.gl.check("setting GL's defaults")
        });
        self.invalidate_state();
        reset
    }

    /// Marks the device as lost. Call this if the GL context is destroyed or about to be destroyed, before the device
    /// and its backends are dropped: they don't call GL any more, and every call returns [`BackendError::Lost`]. GL
    /// objects are not deleted, because the context's destruction frees them.
    pub fn abandon(&self) {
        self.gl.abandon();
    }

    /// Prepares the drop of the device while another context may be current. If the device is the last owner of the GL
    /// objects and has no [`MakeCurrent`], only the context's destruction frees the objects.
    pub fn defer_deletion(&self) {
        let device = self.device.try_borrow();
        if Rc::strong_count(&self.device) == 1 && device.is_ok_and(|it| it.current.hook.is_none()) {
            self.abandon();
        }
    }

    /// Makes the device set all state again. Call this after other code has used the context, before a backend is used
    /// again. Pending GL errors are logged, and not attributed to a packet.
    ///
    /// Queries, conditional rendering and transform feedback must have ended. Other code must not modify objects of the
    /// device and its backends; it may read from bound objects.
    pub fn invalidate_state(&self) {
        if let Ok(mut device) = self.device.try_borrow_mut() {
            device.foreign_state = true;
            device.in_frame = false;
        }
    }

    /// Runs an action with the context current and a valid state cache. All GL calls of backends and hosts run inside
    /// this function, and only they change the cache.
    #[inline]
    pub(crate) fn run<T>(
        &self,
        action: impl FnOnce(&mut DeviceState) -> Result<T, BackendError>,
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
                Err(error) => Err(device.classify_error(error)),
            };
            device.current.release();
            result
        }
    }

    /// Measures the device's time for the GL calls of `work` with the driver's timer, and waits for the result. Returns
    /// `None` without a timer (OpenGL has one; OpenGL ES needs `GL_EXT_disjoint_timer_query`), and on a lost device.
    /// `work` must not call this function. Browsers lack `timed`: their timers have no result before the page yields.
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

    /// Sets the program cache: the safe part of `GlDevice::set_program_cache`.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn use_program_cache(&self, cache: Arc<dyn ProgramCache>) {
        if let Ok(mut device) = self.device.try_borrow_mut()
            && device.gl.supports_binaries()
        {
            device.binaries = Some(cache);
        }
    }

    /// Returns an error if the device is lost. Calls that need no GL context use this check.
    #[inline]
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        if self.gl.is_abandoned() { Err(BackendError::Lost) } else { Ok(()) }
    }

    /// Borrows the device for one call. Fails if a logger makes a call during another call.
    #[inline]
    pub(crate) fn borrow(&self) -> Result<RefMut<'_, DeviceState>, BackendError> {
        self.device.try_borrow_mut().map_err(|_| in_use())
    }
}

/// Returns an object's number for its debug label.
pub(crate) fn number(key: impl Key) -> u64 {
    key.data().as_ffi() & u64::from(u32::MAX)
}

#[cold]
fn in_use() -> BackendError {
    BackendError::Driver("the device is in use by this thread".to_owned())
}

/// The state that clones of a [`GlDevice`] share.
pub(crate) struct DeviceState {
    pub(crate) gl: Rc<GlFunctions>,
    pub(crate) caps: GlCaps,
    pub(crate) shadow: Shadow,
    pub(crate) samplers: SamplerObjects,
    blit: Option<TextureBlit>,
    /// The program that draws frames into sRGB framebuffers.
    pub(crate) decoded: Option<CopyProgram>,
    vertex_array: GlHandle<glow::VertexArray>,
    pub(crate) debug_log: bool,
    window: WindowDefaults,
    pub(crate) translator: Translator,
    pub(crate) float_rules: FloatRules,
    pub(crate) binaries: Option<Arc<dyn ProgramCache>>,
    /// True if other code may have changed GL's state.
    foreign_state: bool,
    /// True if a packet was executed since the last check for errors: pending errors may belong to packets.
    pub(crate) in_frame: bool,
    /// `current` is the last field: its drop deletes the GL objects that the earlier fields released.
    current: CurrentContext,
}

/// The GL context, with the host's [`MakeCurrent`] if there is one.
struct CurrentContext {
    gl: Rc<GlFunctions>,
    hook: Option<Rc<dyn MakeCurrent>>,
}

impl CurrentContext {
    /// Makes the context current.
    fn enter(&self) -> Result<(), BackendError> {
        self.hook.as_ref().map_or(Ok(()), |hook| hook.make_current())
    }

    /// Returns whether the context is current.
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
    /// Deletes pending GL objects while the context is current.
    fn drop(&mut self) {
        // An abandoned device may be dropped on any thread.
        if !self.gl.is_abandoned() {
            self.gl.delete_dropped();
            self.release();
        }
    }
}

impl DeviceState {
    fn create(
        gl: Rc<GlFunctions>,
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
            vertex_array: GlHandle::create(&gl)?,
            gl,
            caps,
            samplers: SamplerObjects::default(),
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

    /// Returns whether GL can be used without preparation, as in the middle of a frame.
    #[inline]
    fn is_ready(&mut self) -> bool {
        // If another device was used since this device's last call, that device may have changed GL's state.
        self.foreign_state |= !self.gl.activate();
        !self.gl.is_abandoned()
            && !self.foreign_state
            && self.shadow.is_valid()
            && self.in_frame
            && !self.debug_log
            && self.current.is_current()
    }

    /// Makes the context current and the state cache valid.
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
        if self.foreign_state || !self.shadow.is_valid() {
            self.begin_checked()?;
        }
        Ok(())
    }

    /// Starts a group of GL calls whose errors [`GlFunctions::check`] checks together, such as the creation of an
    /// object. Logs errors of earlier calls first, and sets all state again if the state cache is invalid.
    pub(crate) fn begin_checked(&mut self) -> Result<Rc<GlFunctions>, BackendError> {
        self.gl.log_errors("an earlier call")?;
        if std::mem::take(&mut self.foreign_state) || !self.shadow.is_valid() {
            self.with_state_inputs(Shadow::reset);
            self.gl.check("setting all state")?;
        }
        Ok(Rc::clone(&self.gl))
    }

    /// Ends a call: deletes the GL objects whose handles were dropped during the call.
    #[cold]
    #[inline(never)]
    fn finish<T>(&mut self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        let result = result.map_err(|error| self.classify_error(error));
        // Without a current context, dropped objects wait for the next call.
        if self.gl.is_abandoned() || result.is_err() && self.gl.check_current().is_err() {
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

    /// Classifies the error of a failed call: any error becomes `Lost` if the context is lost. Logs remaining GL
    /// errors, so that they aren't attributed to a later call.
    fn classify_error(&mut self, error: BackendError) -> BackendError {
        let left = self.gl.check("a call that failed");
        let lost = [&Err(error.clone()), &left].contains(&&Err(BackendError::Lost))
            || self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR;
        if lost {
            log::debug!("the context is lost: {error}");
            self.gl.abandon();
            return BackendError::Lost;
        }
        if self.gl.check_current().is_err() {
            // No context was current, so that the last GL calls had no effect.
            self.foreign_state = true;
            self.in_frame = false;
        }
        error
    }

    /// Checks once per frame for a lost context. Logs errors of draws, and returns only `OutOfMemory`.
    pub(crate) fn check_frame(&mut self) -> Result<(), BackendError> {
        if self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR {
            return Err(BackendError::Lost);
        }
        self.gl.check_drawing("drawing a frame")?;
        self.in_frame = false;
        Ok(())
    }

    /// Labels an object for debuggers: `texture5` is the fifth texture, or a later texture that reuses its number.
    pub(crate) fn label<K: Key>(&self, key: K, kind: &str, object: LabelTarget) {
        if self.debug_log {
            self.gl.label(object, &format!("{kind}{}", number(key)));
        }
    }

    /// Creates the programs that draw textures, once. Call this before [`DeviceState::begin_checked`].
    pub(crate) fn make_blit(&mut self) -> Result<(), BackendError> {
        if self.blit.is_none() {
            let gl = self.begin_checked()?;
            let sampler = self.samplers.get(&gl, &self.caps, scaling(false))?;
            self.blit = Some(TextureBlit::create(&gl, &self.caps, &mut self.shadow, sampler)?);
        }
        Ok(())
    }

    /// Returns the programs that draw textures, after [`DeviceState::make_blit`].
    pub(crate) fn blit(&mut self) -> Result<(&TextureBlit, &mut Shadow), BackendError> {
        let blit = self.blit.as_ref().ok_or_else(|| missing("program for copies"))?;
        Ok((blit, &mut self.shadow))
    }
}

impl Drop for DeviceState {
    fn drop(&mut self) {
        // If the context can't be made current, deleting objects by name could delete another context's objects.
        if !self.gl.is_abandoned() && self.current.enter().is_err() {
            self.gl.abandon();
            self.current.release();
        }
    }
}
