//! [`GlDevice`]: state of a GL context, shared by all its backends.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use context3d::BackendError;

use crate::GlBackend;
use crate::caps::GlCaps;
use crate::copy_in::CopyIn;
use crate::gl::{Gl, Handle};
use crate::multisample::Pool;
use crate::readback;
use crate::sampler::Samplers;
use crate::shadow::Shadow;
use crate::texture::Texture;

/// Keeps a context current; `offscreen` implements it, a host with its own context promises it instead.
pub(crate) trait Current {
    /// Asks whether the context is current on this thread, and makes it so unless it is.
    fn ensure(&self) -> Result<(), BackendError>;

    /// Whether it is, as far as can be told without a call.
    fn was_last(&self) -> bool;
}

/// A GL context as backends see it: its functions, what it can do, its state, and the objects that they share.
///
/// A program with four `Stage3D`s has four `Context3D`s, each with a [`GlBackend`] of its own on one device. They may be used
/// in any order, draw by draw.
///
/// ```no_run
/// # fn host(gl: std::rc::Rc<glow::Context>, loader: &dyn Fn(&str) -> *const std::ffi::c_void)
/// # -> Result<(), context3d::BackendError> {
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
                .field("version", &device.caps.version_text)
                .field("renderer", &device.caps.renderer);
        }
        debug.finish_non_exhaustive()
    }
}

impl GlDevice {
    /// The part of `new` that needs no promise, or has it from `current`.
    pub(crate) fn with_gl(
        gl: Rc<Gl>,
        current: Option<Rc<dyn Current>>,
    ) -> Result<Self, BackendError> {
        let device = Device::create(gl, current)?;
        Ok(Self {
            shared: Rc::new(RefCell::new(device)),
        })
    }

    /// A backend for one `Context3D`.
    ///
    /// # Errors
    /// [`BackendError::Lost`] when the context is gone.
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        let mut device = self.borrow()?;
        device.enter(true)?;
        Ok(GlBackend::on(self.clone(), &mut device))
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

    /// The device, for the length of one call. It only is in use already if a logger calls back into it.
    pub(crate) fn borrow(&self) -> Result<RefMut<'_, Device>, BackendError> {
        self.shared
            .try_borrow_mut()
            .map_err(|_| BackendError::Driver("the device is in use by this thread".to_owned()))
    }
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
    lost: bool,
    /// GL's state may be another than the shadow believes.
    pub(crate) dirty: bool,
    /// A packet was executed since errors were last looked for: those that are pending may be its.
    pub(crate) in_frame: bool,
    /// Last: the context must outlive what is in it.
    current: Option<Rc<dyn Current>>,
}

impl Device {
    fn create(gl: Rc<Gl>, current: Option<Rc<dyn Current>>) -> Result<Self, BackendError> {
        gl.drain_foreign_errors()?;
        gl.activate();
        let caps = GlCaps::query(&gl, || readback::bgra_renderable(&gl))?;
        log::info!("{} on {}", caps.version_text, caps.renderer);
        let debug_log = gl.start_debug_log();
        let vertex_array: Handle<glow::VertexArray> = Handle::create(&gl)?;
        let mut shadow = Shadow::new(Rc::clone(&gl), &caps);
        shadow.reset(&caps, vertex_array.name());
        gl.check("setting the first state")?;
        Ok(Self {
            gl,
            caps,
            shadow,
            samplers: Samplers::new(),
            pool: Pool::new(),
            copy_in: None,
            vertex_array,
            debug_log,
            lost: false,
            dirty: false,
            in_frame: false,
            current,
        })
    }

    /// To be called before anything is done with the context. `ask`: whether it is current is asked, not just believed.
    #[inline]
    pub(crate) fn enter(&mut self, ask: bool) -> Result<(), BackendError> {
        if self.lost {
            return Err(BackendError::Lost);
        }
        if let Some(current) = &self.current
            && (ask || !current.was_last())
        {
            current.ensure()?;
        }
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
            self.shadow.reset(&self.caps, self.vertex_array.name());
        }
        Ok(())
    }

    /// To be called with the result of what was done.
    #[inline]
    pub(crate) fn finish<T>(&mut self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        if self.debug_log {
            self.gl.drain_debug_log(true);
        }
        if let Err(BackendError::Lost) = &result {
            self.lost = true;
        }
        result
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
        let gone = self
            .current
            .as_ref()
            .is_some_and(|current| current.ensure().is_err());
        if self.lost || gone {
            self.gl.abandon();
        }
    }
}
