//! [`GlDevice`]: state of a GL context, shared by all its backends.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use context3d::backend::BackendError;

use crate::binaries::ProgramCache;
use crate::caps::GlCaps;
use crate::copy_in::CopyIn;
use crate::gl::{Gl, Handle};
use crate::multisample::Pool;
use crate::program::Translator;
use crate::sampler::Samplers;
use crate::shadow::{Begin, Facts, Shadow};
use crate::texture::Texture;
use crate::workarounds::{Driver, Workaround, Workarounds};
use crate::{GlBackend, readback};

/// Makes a context current when a device needs it. A host gives one with its context, or promises that the context is current
/// anyway; contexts of [`offscreen`](crate::offscreen) bring their own.
pub trait Current {
    /// Asks whether the context is current on this thread, and makes it so unless it is. Called first in every call that
    /// uses GL, but for draws and constants while [`Current::was_last`] says yes.
    ///
    /// # Errors
    /// [`BackendError::Lost`] when it can't be made current: the device is lost from then on.
    fn ensure(&self) -> Result<(), BackendError>;

    /// Whether it is, as far as can be told without a call to the window system. "No" is always right, and slower.
    fn was_last(&self) -> bool {
        false
    }

    /// The end of each call that began with [`Current::ensure`] or [`Current::was_last`]: the place to give the thread back
    /// the context that it had.
    fn leave(&self) {}
}

/// How a [`GlDevice`] is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Remedies that are forced on or off, for people with a driver that isn't known yet, and for tests.
    pub workarounds: Workarounds,
    /// What makes GLSL of programs.
    pub translator: Translator,
}

/// A GL context as backends see it: its functions, what it can do, its state, and the objects that they share.
///
/// A program with four `Stage3D`s has four `Context3D`s, each with a [`GlBackend`] of its own on one device. They may be used
/// in any order, draw by draw.
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
/// Several devices on one context are right as well, but each change from one to another sets all state anew.
#[derive(Clone)]
pub struct GlDevice {
    shared: Rc<RefCell<Device>>,
}

impl std::fmt::Debug for GlDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("GlDevice");
        if let Ok(device) = self.shared.try_borrow() {
            debug
                .field("version", &device.caps.driver.version)
                .field("renderer", &device.caps.driver.renderer);
        }
        debug.finish_non_exhaustive()
    }
}

impl GlDevice {
    /// The part of `new` that needs no promise, or has it from `current`.
    pub(crate) fn with_gl(
        gl: Rc<Gl>,
        current: Option<Rc<dyn Current>>,
        options: &DeviceOptions,
    ) -> Result<Self, BackendError> {
        let current = Hook(current);
        let device = Device::create(gl, current, options)?;
        device.current.leave();
        Ok(Self {
            shared: Rc::new(RefCell::new(device)),
        })
    }

    /// A backend for one `Context3D`.
    ///
    /// # Errors
    /// [`BackendError::Lost`] when the context is gone.
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.run(true, |device| Ok(GlBackend::on(self.clone(), device)))
    }

    /// What the driver says of itself, and which it is.
    ///
    /// # Errors
    /// [`BackendError::Driver`] while the device is in use.
    pub fn driver(&self) -> Result<Driver, BackendError> {
        Ok(self.borrow()?.caps.driver.clone())
    }

    /// Keeps what the driver makes of programs for later runs, in the host's care. No effect where a driver gives no binaries.
    pub fn set_program_cache(&self, cache: Arc<dyn ProgramCache>) {
        if let Ok(mut device) = self.shared.try_borrow_mut()
            && device.gl.gives_binaries()
        {
            device.binaries = Some(cache);
        }
    }

    /// What the driver lacks or gets wrong, and what is forced: the rows by which it is treated.
    pub fn workarounds(&self) -> Vec<&'static Workaround> {
        let device = self.shared.try_borrow();
        device.map_or_else(
            |_| Vec::new(),
            |device| device.caps.workarounds.rows().collect(),
        )
    }

    /// Leaves GL's state as a context begins with, for code that relies on that: all that is listed in [`state`](crate::state).
    /// What follows is as after [`GlDevice::invalidate_state`].
    ///
    /// # Errors
    /// [`BackendError::Lost`] when the context is gone.
    pub fn reset_to_gl_defaults(&self) -> Result<(), BackendError> {
        self.run(true, |device| {
            device.with_facts(Shadow::begin);
            device.dirty = true;
            device.in_frame = false;
            Ok(())
        })
    }

    /// To be called when the GL context died or is about to, before device and backends are dropped: from here on GL is not
    /// called any more, and every call says [`BackendError::Lost`]. What they made in GL is not deleted: it goes with its
    /// context.
    pub fn abandon(&self) {
        if let Ok(mut device) = self.shared.try_borrow_mut() {
            device.lost = true;
            device.gl.abandon();
        }
    }

    /// To be called after other code has used the context, before the next use of a backend: everything that is believed
    /// about GL's state is set anew, and GL errors that are pending are logged, not taken for errors of a packet.
    ///
    /// What has been begun must have been ended: queries, conditional rendering, transform feedback. Objects that the device
    /// and its backends made must not have been touched, but for what is bound to them being read.
    pub fn invalidate_state(&self) {
        if let Ok(mut device) = self.shared.try_borrow_mut() {
            device.dirty = true;
            device.in_frame = false;
        }
    }

    /// Does something with the context current. `ask`: see [`Device::enter`]; no for draws alone.
    #[inline]
    pub(crate) fn run<T>(
        &self,
        ask: bool,
        action: impl FnOnce(&mut Device) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let mut device = self.borrow()?;
        if ask {
            device.settled = 0;
        }
        let result = match device.enter(ask) {
            Ok(()) => {
                let result = action(&mut device);
                device.finish(result)
            }
            Err(error) => Err(error),
        };
        device.current.leave();
        result
    }

    /// For what needs no context.
    #[inline]
    pub(crate) fn alive(&self) -> Result<(), BackendError> {
        match self.shared.try_borrow() {
            Ok(device) if device.lost => Err(BackendError::Lost),
            Ok(_) => Ok(()),
            Err(_) => Err(in_use()),
        }
    }

    /// The device, for the length of one call. It only is in use already if a logger calls back into it.
    #[inline]
    pub(crate) fn borrow(&self) -> Result<RefMut<'_, Device>, BackendError> {
        self.shared.try_borrow_mut().map_err(|_| in_use())
    }
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
    pub(crate) pool: Pool,
    /// Made when first needed.
    copy_in: Option<CopyIn>,
    vertex_array: Handle<glow::VertexArray>,
    pub(crate) debug_log: bool,
    begin: Begin,
    pub(crate) translator: Translator,
    pub(crate) binaries: Option<Arc<dyn ProgramCache>>,
    lost: bool,
    /// GL's state may be another than the shadow believes.
    pub(crate) dirty: bool,
    /// The backend whose last draw left GL's state as it is now; 0 after anything else.
    pub(crate) settled: u64,
    /// A packet was executed since errors were last looked for: those that are pending may be its.
    pub(crate) in_frame: bool,
    /// Last: the context must outlive what is in it.
    current: Hook,
}

/// The host's [`Current`], if it has one. What is dropped before it has the context; then the thread has its own again.
struct Hook(Option<Rc<dyn Current>>);

impl Hook {
    /// Makes the context current. `ask`: even if it is believed to be.
    #[inline]
    fn enter(&self, ask: bool) -> Result<(), BackendError> {
        match &self.0 {
            Some(current) if ask || !current.was_last() => current.ensure(),
            _ => Ok(()),
        }
    }

    #[inline]
    fn leave(&self) {
        if let Some(current) = &self.0 {
            current.leave();
        }
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.leave();
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
            begin: Begin::query(&gl),
            gl,
            caps,
            samplers: Samplers::default(),
            pool: Pool::new(),
            copy_in: None,
            vertex_array,
            debug_log,
            translator: options.translator,
            binaries: None,
            lost: false,
            dirty: false,
            settled: 0,
            in_frame: false,
            current,
        };
        device.with_facts(Shadow::reset);
        device.gl.check("setting the first state")?;
        Ok(device)
    }

    fn with_facts(&mut self, set: impl FnOnce(&mut Shadow, &Facts<'_>)) {
        let facts = Facts {
            caps: &self.caps,
            vertex_array: self.vertex_array.name(),
            debug_log: self.debug_log,
            begin: self.begin,
        };
        set(&mut self.shadow, &facts);
    }

    /// To be called before anything is done with the context. `ask`: whether it is current is asked, not just believed.
    #[inline]
    fn enter(&mut self, ask: bool) -> Result<(), BackendError> {
        if self.lost {
            return Err(BackendError::Lost);
        }
        self.current.enter(ask)?;
        // Not in short: the device must be marked as the active one in any case.
        let others = !self.gl.activate();
        if others || self.dirty || !self.in_frame {
            self.wake(others)?;
        }
        Ok(())
    }

    /// After other code, or at the first packet of a frame.
    #[cold]
    fn wake(&mut self, others: bool) -> Result<(), BackendError> {
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
        if others || self.dirty {
            self.dirty = false;
            self.with_facts(Shadow::reset);
        }
        Ok(())
    }

    /// A debug context is slow anyway, and an error is worth most beside the packet that caused it.
    pub(crate) fn after_packet(&self) -> Result<(), BackendError> {
        self.gl.check("a packet")
    }

    /// To be called with the result of what was done.
    #[inline]
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
            return error;
        }
        self.lost = true;
        BackendError::Lost
    }

    /// Once a frame: is the context still there, and did anything go wrong that no packet noticed?
    pub(crate) fn check_frame(&mut self) -> Result<(), BackendError> {
        if self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR {
            return Err(BackendError::Lost);
        }
        self.gl.check("drawing a frame")?;
        self.in_frame = false;
        Ok(())
    }

    /// Draws a face of a texture, in the largest level that sampling sees, over the bound draw framebuffer.
    pub(crate) fn copy_in(&mut self, texture: &Texture, side: u8) -> Result<(), BackendError> {
        let (gl, shadow) = (&self.gl, &mut self.shadow);
        let copy_in = match &mut self.copy_in {
            Some(copy_in) => copy_in,
            None => {
                let made = CopyIn::create(gl, &self.caps, shadow)?;
                self.copy_in.insert(made)
            }
        };
        copy_in.draw(gl, shadow, (texture.target(), side), texture.name());
        Ok(())
    }

    /// The device is gone, for tests.
    #[cfg(test)]
    pub(crate) fn lose(&mut self) {
        self.lost = true;
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // With the context gone its objects are gone too, and deleting by name would hit another context's.
        if self.lost || self.current.enter(true).is_err() {
            self.gl.abandon();
        }
    }
}
