#![doc = include_str!("../README.md")]
//!
//! # The rule of every call
//!
//! A host creates a [`Context3D`] over a [`Backend`](backend::Backend) and passes it every ActionScript call, as a
//! [`Invocation`] or by the typed methods. Every call follows one rule:
//!
//! ```text
//! check (changes nothing) → apply (state, handles) → emit (packets to the backend)
//! ```
//!
//! - A rejected call has no effect and returns the error that Flash raises: number, class, message ([`FlashError`]).
//! - Objects are [`ObjectHandle`]s. A call on an object that is disposed or belongs to another context raises error
//!   3694; draws with such an object are dropped or raise an error, as in Flash.
//! - A draw that Flash silently drops (error checking is off by default) returns [`Reply::Skipped`] with the error that
//!   checking would raise, and never reaches the backend.
//! - A backend receives only valid packets and needn't check them: no missing textures, streams or programs, no index
//!   out of range.
//! - The host describes its player as [`Host`], and dispatches the events that it receives as
//!   [`RequestResult`] and [`TextureEvent`].
//! - The crate uses no GL, no I/O, and no globals except a counter of contexts; several contexts can exist at once.
//!   Drawing doesn't allocate. Threads exist only for the decoding of asynchronous uploads, if the host wants them
//!   ([`Executor`]).
//!
//! [`plug_in`] describes the integration into an emulator with the layer [`native`]. [`calls::METHODS`] lists all calls
//! with their errors.
//!
//! Facts about Flash cite ids in square brackets, which the pages `REFERENCE*.md` define, or names of recorded
//! captures. Unknown facts have the grade `open` there.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)
)]

pub mod backend;
mod bound;
pub mod calls;
mod check;
mod command;
mod constants;
mod context;
mod convert;
mod decoded;
mod dirty;
mod entry;
pub mod enums;
mod error;
mod executor;
mod format;
mod handle;
mod host;
mod limits;
pub mod native;
mod objects;
pub mod packets;
mod pixels;
#[cfg(not(target_family = "wasm"))]
mod pool;
mod properties;
mod resource;
mod stage;
mod state;
mod texture_event;
mod video_frame;

pub use agal;
pub use agal::Profile;
pub use command::{Invocation, Reply};
pub use context::{Context3D, ContextOptions, EndReason};
pub use error::{Error, ErrorCode, FlashError};
pub use executor::{Executor, Task};
pub use handle::{AnyHandle, ObjectHandle, ReleaseQueue};
pub use host::{DisplayScale, Host};
pub use resource::TextureEvent;
pub use stage::{Request, RequestRefusal, RequestResult, Stage3D};

// `molehill-replay` compiles the page's code, because it depends on all crates that the code uses.
#[cfg_attr(not(doctest), doc = include_str!("../PLUGIN.md"))]
pub mod plug_in {}

/// Arguments and results of calls: programs, rectangles, bitmaps and their memory layout.
pub mod arguments {
    pub use crate::command::{Bytecode, Rectangle};
    pub use crate::pixels::{Bitmap, BitmapPatch, BitmapTarget, ByteOrder, PixelLayout};
}

/// The parts of an [`Error`].
///
/// Errors of the API in the reference (`REFERENCE-checks.md`) that no call of this crate raises, with the reasons:
///
/// | Error | Message | Why it is not raised |
/// |---|---|---|
/// | 1508 | The value specified for argument %1 is invalid. | no verified use by these classes |
/// | 2044 | Unhandled %1:. text=%2 | reported by the host's event dispatcher if the `error` event of 3702 has no listener |
/// | 3606 | Sampler %1 format does not match texture format. | older players' number for 3763 |
/// | 3676 | Platform does not support desired texture format. | a backend stores every format, uncompressed if necessary |
/// | 3680 | Depth texture not implemented yet. | no format string for depth textures: 2008 |
/// | 3685 | Could not create renderer. | a `Stage3D` without a device raises 3702 |
/// | 3686 | 'disabled' format only valid with a null vertex buffer. | historic: current players reject the string with 2008 |
/// | 3687 | Null vertex buffers require the 'disabled' format. | historic: current players ignore the format of a null buffer |
/// | 3699 | Requested Operation failed to complete | no known trigger; device errors are `Error::Backend` |
/// | 3707 | Property can not be set in non full screen mode. | no property of these classes is known to need full screen |
/// | 3724 | This call requires a Context3D that is created with the standard profile. | older players' number: 3779 for colour outputs, 3759 for formats |
/// | 3765 | This call requires a Context3D that is created with the baseline or baselineExtended profile. | no call is known to need them |
pub mod errors {
    pub use crate::error::{AgalError, ErrorClass};
}

/// Keys of objects: the type parameters of [`ObjectHandle`], and the names of objects in packets.
pub mod keys {
    pub use crate::handle::{AnyKey, IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
}

/// Types for tests and for tools that inspect a context: the bound state ([`Context3D::bound`]), the table of limits,
/// the conditions of errors ([`ErrorCode::raised`]), and the error of a draw ([`Context3D::draw_error`]). Hosts and
/// backends need none of the types in `internals`.
pub mod internals {
    pub use crate::bound::{BoundState, BoundStream};
    pub use crate::error::ErrorCondition;
    pub use crate::limits::{ProfileLimits, RegisterCounts};
    pub use crate::state::BoundTarget;
}
