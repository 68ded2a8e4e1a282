//! Adobe's Stage3D as a library: what an emulator's ActionScript VM calls, and what a renderer is told.
//!
//! A host makes a [`Context3D`] over a [`Backend`] and gives it every ActionScript call as a [`Command`], or through the
//! typed methods on top of it. Every call follows one rule:
//!
//! ```text
//! check (touches nothing) → apply (state, handles) → emit (packets to the backend)
//! ```
//!
//! - A rejected call leaves everything as it was and gives the error that Flash raises: number, class, message
//!   ([`FlashError`]).
//! - Objects are [`Handle`]s. One whose object was disposed, or is another context's, is recognised as such: that *is*
//!   error 3694.
//! - A draw that Flash silently drops (error checking is off by default) gives [`Reply::Skipped`] with the error that
//!   checking would raise, and reaches no backend.
//! - What a backend gets is valid: it never has to check a packet, and a missing texture, stream or program, or an index
//!   out of range, can't be in one.
//! - What only a player knows comes from the host as [`Host`]; what only a host can do, dispatching events, is given to
//!   it as [`Answer`] and [`TextureEvent`].
//! - No GL, no I/O, no threads, no globals but a counter of contexts; several contexts live side by side. Drawing
//!   allocates nothing.
//!
//! Every call with its errors: [`calls::CALLS`].
//!
//! Facts about Flash are cited by the name of the page of the project's reference that holds them (`context3d.md`,
//! `context3d-errors.md`, `profiles.md`, `textures-and-atf.md`) or by the name of a recorded capture; "(unverified)"
//! marks what no primary source settles.
//!
//! ```
//! use context3d::{BufferUsage, CompareMode, Context3D, ContextOptions, Error, ErrorCode, NullBackend, Profile, Reply, packets::Packet};
//!
//! let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
//! let mut context = Context3D::new(NullBackend::new(), options);
//! context.configure_back_buffer(640, 480, 4, true, false, false)?;
//! context.set_depth_test(true, CompareMode::Less)?;
//! context.clear(0.1, 0.2, 0.3, 1.0, 1.0, 0, u32::MAX)?;
//!
//! // No program is set: Flash drops the draw unless error checking is on.
//! let indices = context.create_index_buffer(3, BufferUsage::StaticDraw)?;
//! assert_eq!(context.draw_triangles(Some(indices), 0, -1)?, Reply::Skipped(ErrorCode::NoProgram));
//! context.set_error_checking(true)?;
//! let Err(Error::Flash(error)) = context.draw_triangles(Some(indices), 0, -1) else { panic!() };
//! assert_eq!(error.to_string(), "Error: Error #3600: No valid program set.");
//!
//! context.present()?;
//! assert_eq!(context.backend().packets().last(), Some(&Packet::Present));
//! # Ok::<(), Error>(())
//! ```

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout
    )
)]

mod backend;
pub mod calls;
mod check;
mod command;
mod constants;
mod context;
mod entry;
mod error;
mod factory;
mod format;
mod host;
mod keys;
mod layer;
mod limits;
mod names;
mod null;
mod objects;
mod packet;
mod pixels;
mod properties;
mod recovery;
mod resource;
mod stage;
mod state;
mod texture_event;

pub use agal;
pub use agal::Profile;
pub use backend::{Backend, BackendCaps, BackendError, Region, Surface};
pub use calls::Command;
pub use command::{Bitmap, BitmapPatch, BitmapTarget, Bytecode, Rectangle, Reply};
pub use context::{Context3D, ContextOptions, Ended};
pub use error::{
    AgalError, Error, ErrorClass, ErrorCode, FlashError, NOT_RAISED, NotRaised, Raised,
};
pub use factory::{AnyBackend, BackendFactory, NullFactory};
pub use host::{Host, Placement, Scale};
pub use keys::{Handle, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
pub use layer::Layer;
pub use limits::{Limits, Registers};
pub use names::{
    BlendFactor, BufferUsage, CompareMode, FillMode, FlashName, MipFilter, Name, ProgramType,
    RenderMode, StencilAction, TextureFilter, TextureFormat, TriangleFace, VertexFormat, WrapMode,
};
pub use null::NullBackend;
pub use objects::{AnyHandle, ReleaseQueue};
pub use pixels::{ByteOrder, PixelLayout};
pub use recovery::{RecoverableBackend, RecoveryOptions};
pub use stage::{Answer, Request, Stage3D};
pub use texture_event::TextureEvent;

/// What a backend is told.
pub mod packets {
    pub use crate::packet::*;
}
