//! The OpenGL calls of `backend-gl`, recorded where its functions are loaded; and a GL that does nothing.
//!
//! [`record`] gives the calls that a closure makes through a context that was opened with [`recorded`], or through
//! [`NoopFactory::recorded`]. A [`Trace`] counts them by name, and [`Trace::issue`] makes the same calls again, straight
//! through the driver's functions: the floor that a renderer's own time is measured against. With [`NoopFactory`] the calls
//! end in functions that return at once, so that what is left is the renderer's own time.
//!
//! One table lists the functions with their signatures; a function that it lacks isn't there for a recorded context.
//!
//! ```
//! use backend_gl_trace::{NoopFactory, record};
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

mod noop;
mod table;
mod trace;

use std::ffi::c_void;

use backend_gl::offscreen::{Interpose, Options};
use backend_gl::{DeviceOptions, GlBackend, GlDevice};
use context3d::backend::{BackendError, BackendFactory};

pub use trace::{Changed, Trace, record};

/// A pointer to anything.
type P = *const c_void;

/// The same context, with its calls recorded.
pub fn recorded(mut options: Options) -> Options {
    // SAFETY: for every name it gives the address that it got or that of a function with the same signature.
    options.interpose = Some(unsafe { Interpose::new(trace::interpose) });
    options
}

/// Makes backends on a GL whose functions do nothing, an OpenGL 4.5.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopFactory {
    /// The calls are recorded.
    pub recorded: bool,
}

impl BackendFactory for NoopFactory {
    type Backend = GlBackend;

    fn create(&mut self) -> Result<GlBackend, BackendError> {
        let loader: fn(&str) -> P = match self.recorded {
            true => |name| trace::interpose(name, trace::noop(name)),
            false => trace::noop,
        };
        // SAFETY: the functions need no context; the loader gives null or the function of that name and signature.
        unsafe { GlDevice::from_loader(&loader, &DeviceOptions::default(), None) }?.backend()
    }
}
