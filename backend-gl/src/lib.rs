//! Renders `context3d`'s packets with OpenGL 3.3, OpenGL ES 3.0 or newer, through `glow`.
//!
//! Packets go in, pixels come out; what the packets mean is decided above, in `context3d`. This crate never checks what a
//! Flash program did, never reads a file and never opens a window.
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
mod draw;
mod execute;
mod gl;
#[cfg(feature = "offscreen")]
pub mod offscreen;
mod program;
mod readback;
mod sampler;
mod shadow;
mod target;
mod texture;
mod uniforms;
mod workarounds;

pub use backend::GlBackend;
