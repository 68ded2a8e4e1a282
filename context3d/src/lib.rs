//! Adobe's Stage3D as a library: the API for an emulator's ActionScript VM, and the packets for a renderer.
//!
//! A host creates a [`Context3D`] over a [`Backend`] and passes it every ActionScript call, as a [`Command`] or through
//! the typed methods. Every call follows one rule:
//!
//! ```text
//! check (touches nothing) → apply (state, handles) → emit (packets to the backend)
//! ```
//!
//! - A rejected call changes nothing and returns the error that Flash raises: number, class, message ([`FlashError`]).
//! - Objects are [`Handle`]s. A handle whose object was disposed, or is another context's, raises error 3694.
//! - A draw that Flash silently drops (error checking is off by default) returns [`Reply::Skipped`] with the error that
//!   checking would raise, and never reaches the backend.
//! - A backend gets only valid packets and need not check them: no missing textures, streams or programs, no index out
//!   of range.
//! - Facts that only a player knows come from the host as [`Host`]; events that only a host can dispatch are returned
//!   to it as [`Answer`] and [`TextureEvent`].
//! - No GL, no I/O, no threads, no globals except a counter of contexts; several contexts can exist at once. Drawing
//!   does not allocate.
//!
//! Every call with its errors: [`calls::CALLS`].
//!
//! Facts about Flash cite the page of the project's reference (`context3d.md`, `context3d-errors.md`, `profiles.md`,
//! `textures-and-atf.md`) or the name of a recorded capture; "(unverified)" marks facts without a primary source.
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
mod bound;
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
pub use bound::{Bound, BoundStream, BoundTarget};
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

/// The packets that a backend executes.
pub mod packets {
    pub use crate::packet::*;
}
