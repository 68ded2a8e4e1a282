//! Records the OpenGL calls of `backend-gl` at the loader, and provides an OpenGL whose functions have no effect.
//!
//! [`record`] returns the calls that a closure makes through a context that was opened with [`recorded`], or through
//! [`NoopFactory::recorded`]. A [`CallTrace`] counts them by name, and [`CallTrace::issue`] repeats the calls directly
//! through the driver's functions: the minimum time, with which a renderer's time is compared. With [`NoopFactory`],
//! the functions return at once, so that only the renderer's time remains.
//!
//! One table lists the functions with their signatures; a recorded context loads no other functions. [`inject`] makes
//! one call of a [`failing`] context fail, in each of the [`faults`] that its function can have.
//!
//! ```
//! use molehill_testing::trace::{NoopFactory, record};
//! use context3d::backend::BackendFactory as _;
//! use context3d::{Context3D, ContextOptions, Profile};
//!
//! let backend = NoopFactory { recorded: true }.create()?;
//! let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
//! let mut context = Context3D::new(backend, options);
//! context.configure_back_buffer(64, 64, 0, true, false, false)?;
//! let (done, trace) = record(|| {
//!     context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX)?;
//!     context.present()
//! });
//! done?;
//! assert_eq!(trace.counts()["glClearBufferfv"], 1);
//! assert_eq!(trace.issue(None), Ok(()));
//! # Ok::<(), context3d::Error>(())
//! ```
#![allow(
    unsafe_code,
    reason = "the functions of a loader are called through addresses and get addresses of memory"
)]
#![allow(non_camel_case_types, non_snake_case, reason = "names of GL functions")]

mod fault;
mod noop;
mod recording;
mod table;

use std::ffi::c_void;
use std::rc::Rc;

use backend_gl::offscreen::{Interpose, OffscreenOptions};
use backend_gl::{DeviceOptions, GlBackend, GlDevice, glow};
use context3d::backend::{BackendError, BackendFactory};

pub use fault::{InjectedError, calls, faults, inject, objects, reopen, uncounted};
pub use recording::{CallMismatch, CallTrace, record};

/// A pointer to anything.
type P = *const c_void;

/// Returns options for the same context with recorded calls.
pub fn recorded(mut options: OffscreenOptions) -> OffscreenOptions {
    // SAFETY: for every name, the function returns the given address or a function with the same signature.
    options.interpose = Some(unsafe { Interpose::new(recording::interpose) });
    options
}

/// Returns options for the same context with calls that [`inject`] can make fail.
pub fn failing(mut options: OffscreenOptions) -> OffscreenOptions {
    // SAFETY: as in `recorded`; a failing function returns the values that drivers return on failure.
    options.interpose = Some(unsafe { Interpose::new(recording::failing) });
    options
}

/// Returns a function of a simulated OpenGL 4.5 without effect, which [`inject`] can make fail; null for unknown names.
pub fn failing_loader(name: &str) -> *const c_void {
    recording::failing(name, recording::noop(name))
}

/// Creates devices on a simulated OpenGL 4.5 without effect, whose calls [`inject`] can make fail. glow loads the
/// functions only once and before any failure, because its loading code can't handle failures.
pub fn failing_devices() -> impl Fn() -> Result<GlDevice, BackendError> {
    // SAFETY: the functions need no context; the loader returns null or the function with that name and signature.
    let gl = Rc::new(unsafe { glow::Context::from_loader_function(failing_loader) });
    let options = DeviceOptions::default();
    // SAFETY: as for `gl`, no function needs a context, and the loader returns null or the function with the name.
    move || unsafe { GlDevice::with_options(Rc::clone(&gl), &failing_loader, &options, None) }
}

/// Creates backends on an OpenGL 4.5 whose functions have no effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopFactory {
    /// True to record the calls.
    pub recorded: bool,
}

impl BackendFactory for NoopFactory {
    type Backend = GlBackend;

    fn create(&mut self) -> Result<GlBackend, BackendError> {
        let loader: fn(&str) -> P =
            if self.recorded { recording::recorded_noop } else { recording::noop };
        // SAFETY: the functions need no context; the loader returns null or the function with that name and signature.
        unsafe { GlDevice::from_loader(&loader, &DeviceOptions::default(), None) }?.backend()
    }
}
