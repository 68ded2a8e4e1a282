//! Renders `context3d`'s packets with OpenGL 3.3, OpenGL ES 3.0 or newer, through `glow`.
//!
//! This crate only draws: `context3d` decides what the packets mean. It never checks a Flash program, reads a file or
//! opens a window.
//!
//! # The contract
//!
//! * **The context is current on this thread** at every call of a backend and when it is dropped. [`GlDevice::new`] is
//!   `unsafe` because the host promises this; backends of [`offscreen`] ensure it themselves.
//! * **Packets are valid.** `Context3D` has checked keys, ranges and sizes. Checks that protect GL's memory accesses
//!   are repeated here and return a typed [`BackendError::Driver`](context3d::BackendError::Driver), never a panic.
//! * **The device tracks GL's state** and sets only what differs. A host that uses the context in between calls
//!   [`GlDevice::invalidate_state`] afterwards. GL errors left by the host are logged, at the latest at the first packet of
//!   a frame. Any number of backends can share a [`GlDevice`], which holds the state of the GL context.
//! * **Errors come from the device**: it is lost (also reported by every later call), it is out of memory, or the
//!   driver rejects a shader (with the GLSL, its AGAL, and the driver's log). They are also written to `log`, as are the
//!   driver's debug messages in a debug context.
//!
//! # Coordinates
//!
//! Every surface stores its top row first: uploaded textures, render targets, the back buffer. The vertex shader
//! negates y and the origin stays at GL's lower left, so GL's "bottom" row is the first one in memory. Nothing else
//! needs a flip: uploads, read-backs and the scissor are in memory order, v = 0 is the top row everywhere, and GL's
//! rule for pixels on an edge is Direct3D's top-left rule. Triangles that are clockwise on the screen, Flash's front
//! faces, are counter-clockwise for GL, so `GL_CCW` is the front. Depth is 0..w as in Direct3D, through
//! `glClipControl`, or in the shader if that is missing. Cube faces need no change: both APIs index them alike with the
//! top row first.
//!
//! # Use of `unsafe`
//!
//! In `gl` (thin wrappers on glow, which marks every GL function unsafe; they check the length of client memory that GL
//! reads or writes) and in [`offscreen`] (EGL's extension functions). The workspace denies it everywhere else.
//!
//! # Without a window
//!
//! ```no_run
//! use backend_gl::offscreen::{Api, Offscreen};
//!
//! let offscreen = Offscreen::open(Api::OpenGl)?;
//! let backend = offscreen.backend()?; // give it to `Context3D::new`
//! # drop(backend);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In the host's own context
//!
//! ```no_run
//! # fn host(window_loader: impl Fn(&str) -> *const std::ffi::c_void) -> Result<(), context3d::BackendError> {
//! use std::rc::Rc;
//!
//! // SAFETY: the window's context is current, and stays so on this thread while the backend lives.
//! let (gl, mut backend) = unsafe {
//!     let gl = Rc::new(glow::Context::from_loader_function(|name| window_loader(name)));
//!     (Rc::clone(&gl), backend_gl::GlBackend::new(gl, &window_loader)?)
//! };
//! // ... packets, the last of them `Present`; then the picture goes to the window, turned over, because
//! // a window's first row is its bottom one:
//! if let Some((source, width, height)) = backend.front_framebuffer() {
//!     use glow::HasContext as _;
//!     let (width, height) = (width.cast_signed(), height.cast_signed());
//!     // SAFETY: the context is current; `source` is valid until the backend's next call.
//!     unsafe {
//!         gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(source));
//!         gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, None);
//!         gl.disable(glow::SCISSOR_TEST);
//!         let (mask, filter) = (glow::COLOR_BUFFER_BIT, glow::NEAREST);
//!         gl.blit_framebuffer(0, 0, width, height, 0, height, width, 0, mask, filter);
//!     }
//!     backend.invalidate_state();
//! }
//! # Ok(())
//! # }
//! ```
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout
    )
)]

mod back_buffer;
mod backend;
mod buffer;
mod caps;
mod convert;
mod copy_in;
mod device;
mod draw;
mod execute;
mod gl;
mod multisample;
#[cfg(feature = "offscreen")]
pub mod offscreen;
mod padding;
#[cfg(feature = "offscreen")]
pub mod probe;
mod program;
mod readback;
mod sampler;
mod shadow;
mod target;
mod texture;
mod uniforms;
mod workarounds;

pub use backend::GlBackend;
pub use device::GlDevice;
pub use program::POSITION_BIAS;
