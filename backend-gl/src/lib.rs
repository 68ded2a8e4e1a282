//! Renders `context3d`'s packets with OpenGL 3.3, OpenGL ES 3.0 or newer, or WebGL 2, through `glow`.
//!
//! This crate only draws: `context3d` decides what the packets mean. It never checks a Flash program, reads a file or
//! opens a window.
//!
//! # The contract
//!
//! * **The context is current on this thread** at every call of a backend and when it is dropped. The constructors are
//!   `unsafe` because the host promises that, or gives a [`Current`] that sees to it; backends of [`offscreen`] see to it by
//!   themselves.
//! * **Packets are valid.** `Context3D` has checked keys, ranges and sizes. What is checked here again, because GL would read
//!   memory by it or draw garbage, is a typed [`BackendError::Driver`](context3d::backend::BackendError::Driver), never a panic.
//! * **The device owns GL's state.** It knows what GL has and sets only what differs; [`state`] lists what that is. A host that
//!   uses the context in between calls [`GlDevice::invalidate_state`] afterwards, and [`GlDevice::reset_to_gl_defaults`]
//!   before if it relies on a fresh context's state. GL errors that it left are logged, at the first packet of a frame at the
//!   latest. Any number of backends share a [`GlDevice`], which holds what belongs to the GL context.
//! * **Errors are what nobody could foresee**: the device is lost (every later call says so too), memory is out, the driver
//!   refuses a shader (with the GLSL, the AGAL beside it, and the driver's log). They also go to `log`, as do
//!   the driver's debug messages in a debug context.
//! * **A context that dies** takes its objects with it: [`GlDevice::abandon`], then drop the backends and make new ones. What
//!   the program had survives in `context3d`'s `RecoverableBackend`, if the host uses that.
//!
//! # Threads
//!
//! A GL context is current on one thread at a time. So a [`GlDevice`], its backends and an
//! [`Offscreen`](offscreen::Offscreen) are not `Send`: they are made, used and dropped on one thread. Options,
//! [`Workarounds`](workarounds::Workarounds), errors and `GlFactory` are `Send`: a host with a render thread sends these there, and the commands.
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
//! reads or writes), and in [`offscreen`] and `egl_image` (EGL's extension functions). The workspace denies it everywhere else.
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
//! # fn host(window_loader: impl Fn(&str) -> *const std::ffi::c_void) -> Result<(), context3d::backend::BackendError> {
//! use backend_gl::{DeviceOptions, GlDevice, present::{Destination, Placement}};
//!
//! // SAFETY: the window's context is current, and stays so on this thread while the device or a backend of it lives.
//! let device = unsafe { GlDevice::from_loader(&window_loader, &DeviceOptions::default(), None)? };
//! let mut backend = device.backend()?;
//! // ... packets, the last of them `Present`; then the picture goes to the window, turned over, because
//! // a window's first row is its bottom one:
//! if let Some(front) = backend.front() {
//!     let place = Placement {
//!         x: 0,
//!         y: 0,
//!         width: front.width,
//!         height: front.height,
//!         bottom_up: true,
//!         smooth: false,
//!     };
//!     backend.present_into(Destination::Framebuffer(None), &place)?;
//! }
//! // ... and the host draws over it:
//! device.reset_to_gl_defaults()?;
//! // ...
//! device.invalidate_state();
//! # Ok(())
//! # }
//! ```
//!
//! A host that has glow gives its `glow::Context` to [`GlDevice::new`]. The versions of glow that do are a range; [`glow`] is the
//! one that was built with.
//!
//! # In a browser
//!
//! On `wasm32-unknown-unknown` the context is a canvas's, and no constructor is `unsafe`:
//!
//! ```no_run
//! # #[cfg(target_arch = "wasm32")]
//! # fn host(canvas: web_sys::HtmlCanvasElement) -> Result<(), wasm_bindgen::JsValue> {
//! use backend_gl::{DeviceOptions, GlDevice, present::{Destination, Placement}};
//! use wasm_bindgen::JsCast as _;
//!
//! let context = canvas.get_context("webgl2")?.ok_or("no WebGL 2")?;
//! let context: web_sys::WebGl2RenderingContext = context.unchecked_into();
//! let device = GlDevice::from_webgl2(context, &DeviceOptions::default()).map_err(|error| error.to_string())?;
//! let mut backend = device.backend().map_err(|error| error.to_string())?;
//! // ... packets, the last of them `Present`; then the picture goes to the canvas:
//! let (width, height) = (canvas.width(), canvas.height());
//! let place = Placement { x: 0, y: 0, width, height, bottom_up: true, smooth: false };
//! backend.present_into(Destination::Framebuffer(None), &place).map_err(|error| error.to_string())?;
//! # Ok(())
//! # }
//! ```
//!
//! * A canvas that is presented into has a context without `antialias`: WebGL blits into no multisampled framebuffer.
//! * A host that draws with glow too shares its functions with `GlDevice::from_glow`; textures and framebuffers
//!   ([`Front`](present::Front), [`Destination`](present::Destination)) are glow's keys there, not numbers.
//! * **A lost context**: keep `webglcontextlost` from its default and call [`GlDevice::abandon`]; give no packets until
//!   `webglcontextrestored`, then make a new device from the same context. `context3d`'s `RecoverableBackend` does the rest.
//! * WebGL 2 is OpenGL ES 3.0 without some things: the rows of [`workarounds`] that hold for it say what is done instead.
//!   There are no program binaries, no debug log and no [`offscreen`] but OpenGL ES's.
//!
//! # Where the picture goes
//!
//! | the host draws with | what it takes |
//! |---|---|
//! | the same GL context, by itself | [`GlBackend::front`]: a texture to draw with, or a framebuffer to blit from |
//! | the same GL context, straight into a window, a target or a texture | [`GlBackend::present_into`] |
//! | the processor | [`GlBackend::read_front`]: its memory, byte order, stride and direction |
//! | Vulkan, Metal, Direct3D or WebGPU | [`GlBackend::read_front_delayed`]: the same without waiting, a frame late |
//! | another context of the same EGL, or Vulkan on Linux | `egl_image`: an EGLImage or a dma-buf, where EGL and the driver have them |
//!
//! # Systems
//!
//! A host brings a context, current, and a loader of its functions:
//!
//! * **Linux and others with EGL or GLX**: OpenGL 3.3 core or OpenGL ES 3.0; `eglGetProcAddress` finds everything with EGL 1.5 or
//!   `EGL_KHR_get_all_proc_addresses`. [`offscreen`] needs `libEGL.so.1`.
//! * **Windows**: a core context of 3.3 or newer by `WGL_ARB_create_context`. `wglGetProcAddress` gives null for the functions of
//!   OpenGL 1.1: the loader asks `opengl32.dll` for those. Or ANGLE, which is OpenGL ES 3.0 over Direct3D 11.
//! * **Browsers**: WebGL 2, see above.
//! * **macOS**: a core profile of 3.2 or newer, which is OpenGL 4.1 without clip control; the loader is `dlsym`. Or ANGLE over Metal.
//!
//! Libraries for windows (winit with glutin, SDL, GLFW) bring both.
#![cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, reason = "what `internals` shows")
)]
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
mod binaries;
mod buffer;
mod caps;
mod convert;
mod copy_in;
mod device;
mod draw;
#[cfg(not(target_arch = "wasm32"))]
pub mod egl_image;
mod execute;
mod gl;
mod indices;
mod labels;
mod multisample;
#[cfg(feature = "offscreen")]
#[cfg_attr(target_arch = "wasm32", path = "offscreen/web.rs")]
pub mod offscreen;
mod padding;
pub mod present;
mod program;
mod readback;
mod sampler;
mod shadow;
mod strides;
mod target;
mod texture;
mod uniforms;
pub mod workarounds;

/// The version of glow whose types stand in this crate's functions.
pub use glow;

pub use backend::GlBackend;
pub use binaries::ProgramCache;
pub use device::{Current, DeviceOptions, GlDevice};
pub use program::{POSITION_BIAS, Translator};

#[doc = include_str!("state.md")]
pub mod state {
    pub use crate::shadow::state_names as names;
}

/// For `backend-gl-probe`, which has this crate's version. Nothing here is for anybody else, and all of it may change. Who uses
/// it sees to it that the context is current.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    use std::rc::Rc;

    use context3d::backend::BackendError;

    pub use crate::caps::GlCaps;
    pub use crate::convert::BACK_BUFFER as RGBA8;
    pub use crate::copy_in::{KEEP, REPLACE_COLOR, program as covering_program};
    use crate::device::Current;
    pub use crate::gl::{Gl, Handle, Name, Rect, Shader, Texels};
    use crate::offscreen::Offscreen;
    pub use crate::sampler::Samplers;
    pub use crate::shadow::{Begin, Facts, Shadow};
    pub use crate::target::complete;

    /// The functions of a context, to be used only after `ensure` of what comes with them.
    pub fn functions(offscreen: &Offscreen) -> Result<(Rc<Gl>, Rc<dyn Current>), BackendError> {
        offscreen.gl()
    }
}

#[cfg(all(test, feature = "offscreen"))]
mod tests {
    /// As the crate's page says.
    #[test]
    fn what_can_be_sent_is() {
        fn sent<T: Send + Sync>() {}
        sent::<crate::DeviceOptions>();
        sent::<crate::workarounds::Workarounds>();
        sent::<crate::present::ReadError>();
        sent::<crate::offscreen::Options>();
        sent::<crate::offscreen::OffscreenError>();
        sent::<crate::offscreen::GlFactory>();
    }
}
