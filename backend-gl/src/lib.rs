#![doc = include_str!("../README.md")]
//!
//! # The contract
//!
//! * **The context is current on this thread** at every call of a backend and when it is dropped. The constructors are
//!   `unsafe`, because the host guarantees that or provides a [`MakeCurrent`] that makes the context current; backends
//!   of [`offscreen`] make their contexts current themselves.
//! * **Packets are valid.** `Context3D` has validated keys, ranges and sizes. Values that would make GL read outside of
//!   memory or draw garbage are checked again; the error is a typed
//!   [`BackendError::Driver`](context3d::backend::BackendError::Driver), never a panic.
//! * **The device owns GL's state.** It caches the state and sets only changed values; [`state`] lists the state. A
//!   host that uses the context in between calls [`GlDevice::invalidate_state`] afterwards, and
//!   [`GlDevice::reset_to_gl_defaults`] before if it relies on default state. GL errors that the host caused are
//!   logged, at the latest at the first packet of a frame. Any number of backends can share a [`GlDevice`], which owns
//!   the objects of the GL context.
//! * **Errors are failures of the device**: the device is lost (every later call returns the same error), memory is
//!   exhausted, or the driver rejects a shader (with the GLSL, the AGAL as comments, and the driver's log). The device
//!   logs its errors, and in a debug context the driver's debug messages.
//! * **The objects of a destroyed context are gone**: call [`GlDevice::abandon`], drop the backends and create new
//!   ones. `RecoverableBackend` of the crate `context3d-layers` restores the program's objects, if the host uses it.
//!
//! # Threads
//!
//! A GL context is current on one thread at a time. So a [`GlDevice`], its backends and an
//! [`Offscreen`](offscreen::Offscreen) are not `Send`: they must be created, used and dropped on one thread. Options,
//! [`Workarounds`](workarounds::Workarounds), errors and `GlFactory` are `Send`: a host with a render thread sends
//! these and the commands to it.
//!
//! # Coordinates
//!
//! Every surface stores its top row first: uploaded textures, render targets, the back buffer. The vertex shader
//! negates y and the origin stays at GL's lower left, so GL's "bottom" row is the first one in memory. No other value
//! needs a flip: uploads, readbacks and the scissor are in memory order, v = 0 is the top row everywhere, and GL's rule
//! for pixels on an edge is Direct3D's top-left rule. Triangles that are clockwise on the screen, Flash's front faces,
//! are counter-clockwise for GL, so `GL_CCW` is the front. Clip-space depth is 0 to w as in Direct3D, through
//! `glClipControl`, or in the shader without that function. Cube faces need no change: both APIs index them alike with
//! the top row first.
//!
//! # Use of `unsafe`
//!
//! `unsafe` is used in `gl` (thin wrappers of glow, which marks every GL function unsafe; they check the length of
//! client memory that GL reads or writes), and in [`offscreen`] (handles and functions of EGL, WGL and CGL). The
//! workspace denies `unsafe` in all other modules.
//!
//! # Hosts that use glow
//!
//! A host that uses glow passes its `glow::Context` to [`GlDevice::new`]. A range of glow versions is supported;
//! [`glow`] is the version that this crate was built with.
//!
//! # In a browser
//!
//! On `wasm32-unknown-unknown` the context belongs to a canvas, and no constructor is `unsafe`:
//!
//! ```no_run
//! # #[cfg(target_arch = "wasm32")]
//! # fn host(canvas: web_sys::HtmlCanvasElement) -> Result<(), wasm_bindgen::JsValue> {
//! use backend_gl::{DeviceOptions, GlDevice, present::{FrameDestination, PresentRect}};
//! use wasm_bindgen::JsCast as _;
//!
//! let context = canvas.get_context("webgl2")?.ok_or("no WebGL 2")?;
//! let context: web_sys::WebGl2RenderingContext = context.unchecked_into();
//! let device = GlDevice::from_webgl2(context, &DeviceOptions::default()).map_err(|error| error.to_string())?;
//! let mut backend = device.backend().map_err(|error| error.to_string())?;
//! // ... packets, the last of them `Present`; then the picture goes to the canvas:
//! let (width, height) = (canvas.width(), canvas.height());
//! let place = PresentRect { x: 0, y: 0, width, height, bottom_up: true, smooth: false };
//! backend.present_into(FrameDestination::Framebuffer(None), &place).map_err(|error| error.to_string())?;
//! # Ok(())
//! # }
//! ```
//!
//! * To present to a canvas, create its context without `antialias`: WebGL can't blit to a multisampled framebuffer.
//! * A host that also draws with glow shares its functions with `GlDevice::from_glow`; textures and framebuffers
//!   ([`Front`](present::FrontFrame), [`Destination`](present::FrameDestination)) are glow's keys instead of numbers.
//! * **A lost context**: call `preventDefault` on `webglcontextlost`, and [`GlDevice::abandon`]; execute no packets
//!   until `webglcontextrestored`, then create a new device on the same context. `RecoverableBackend` of the crate
//!   `context3d-layers` restores the objects.
//! * WebGL 2 is a subset of OpenGL ES 3.0: [`workarounds`] has a row with a remedy for each missing feature. There are
//!   no program binaries and no debug log, and [`offscreen`] supports OpenGL ES only.
//!
//! # Where the picture goes
//!
//! | the host draws with | use |
//! |---|---|
//! | the same GL context | [`GlBackend::front`]: a texture to draw with, or a framebuffer to blit from |
//! | the same GL context, directly to a window, a target or a texture | [`GlBackend::present_into`] |
//!
//! For these, a host is generic over [`FrameSource`](context3d::backend::FrameSource), which other backends implement, too:
//!
//! | the host draws with | use |
//! |---|---|
//! | another thread's GL context, which shares objects | `publish_frame` with a [`FrontExchange`](present::FrontExchange) |
//! | OpenGL or something else, as wgpu does | `Context3D::take_frame` with the exchange of a [`PictureSource`] |
//! | the CPU | `read_frame`, with the host's byte order, stride and direction |
//! | Vulkan, Metal, Direct3D or WebGPU | `read_frame`, `delayed`: the same without waiting, a frame late |
//!
//! # Systems
//!
//! A host provides a current GL context, and a loader that returns its functions:
//!
//! * **Linux and others with EGL or GLX**: OpenGL 3.3 core or OpenGL ES 3.0; `eglGetProcAddress` finds all functions
//!   with EGL 1.5 or `EGL_KHR_get_all_proc_addresses`. [`offscreen`] needs `libEGL.so.1`, or the library in the folder that
//!   [`EGL_VARIABLE`](offscreen::EGL_VARIABLE) names.
//! * **Windows**: a core context of 3.3 or newer from `WGL_ARB_create_context`. `wglGetProcAddress` returns null for
//!   the functions of OpenGL 1.1, which the loader must get from `opengl32.dll`. Or ANGLE, which is OpenGL ES 3.0 over
//!   Direct3D 11. [`offscreen`] opens WGL in a window that is never shown, or else `libEGL.dll` next to the program.
//! * **Browsers**: WebGL 2, as described above.
//! * **macOS**: a core profile of 3.2 or newer, which is OpenGL 4.1 without clip control; the loader is `dlsym`. Or
//!   ANGLE over Metal. [`offscreen`] opens CGL, which needs no window and no main thread.
//!
//! Window libraries (winit with glutin, SDL, GLFW) provide the context and the loader.

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

mod backend;
mod buffer;
mod caps;
mod convert;
mod detect;
mod device;
mod driver;
mod framebuffer;
mod gl;
#[cfg(feature = "offscreen")]
pub mod offscreen;
#[cfg_attr(target_arch = "wasm32", path = "open_web.rs")]
mod open;
mod packet;
mod program;
mod shadow;
mod target;
mod texture;
pub mod workarounds;

/// The version of glow whose types this crate's functions use.
pub use glow;

pub use backend::GlBackend;
pub use device::{DeviceOptions, GlDevice, MakeCurrent, ProgramCache, Translator};
pub use target::present;
#[cfg(not(target_arch = "wasm32"))]
pub use target::present::PictureSource;

#[doc = include_str!("state.md")]
pub mod state {
    pub use crate::shadow::state_names as names;
}
