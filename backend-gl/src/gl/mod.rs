//! Thin, checked wrappers of glow. Only this module, the constructors in `open.rs` and `offscreen` may use `unsafe`.
//!
//! The safe functions of this module are sound under one condition: **while such a function runs, the context of
//! [`GlFunctions`] is current on this thread**. The host promises to [`GlDevice::new`](crate::GlDevice::new) that the
//! context is current; `offscreen` makes its own contexts current. GL checks names,
//! enums and ranges and returns an error code. The functions of this module check the length of client memory that GL
//! reads or writes, which GL doesn't check.
//!
//! Platform-dependent functions are in `extra.rs`; `web.rs` replaces that module for WebGL 2.
#![allow(
    unsafe_code,
    reason = "glow marks every GL function unsafe; this module is where each is made safe"
)]

mod debug;
mod draw;
#[cfg_attr(target_arch = "wasm32", path = "web.rs")]
mod extra;
#[cfg(not(target_arch = "wasm32"))]
mod functions;
mod handle;
mod label;
mod objects;
mod state;

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use glow::HasContext as _;

pub(crate) use draw::PixelType;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use extra::Fence;
pub use extra::{FramebufferName, TextureName};
pub(crate) use extra::{HostGl, consecutive, framebuffer, framebuffer_name, texture, texture_name};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use functions::check as check_functions;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use functions::is_used as is_function_used;
pub(crate) use handle::{GlHandle, UniqueName};
pub(crate) use label::LabelTarget;
pub(crate) use objects::{BuildStep, int};
pub(crate) use objects::{GlFormat, PixelSize};
pub(crate) use state::{FourValues, SingleValue};

/// The next id of a [`GlFunctions`]; the first is 1.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The id of the [`GlFunctions`] that this thread used last. Two [`GlFunctions`]s may belong to one context, which
    /// can't be detected.
    static ACTIVE: Cell<u64> = const { Cell::new(0) };
}

/// The GL functions of a context. Each owner of GL objects keeps a reference, to delete its objects.
pub(crate) struct GlFunctions {
    raw: HostGl,
    extra: extra::HostFunctions,
    id: u64,
    /// True if the context is lost or destroyed, so that its objects must not be deleted one by one.
    abandoned: Cell<bool>,
    /// Names of objects whose handles were dropped, to be deleted.
    dropped: RefCell<Vec<handle::DroppedName>>,
    /// Count of GL errors and high-severity debug messages so far.
    problems: Cell<u64>,
    /// True if the error flags were clear at the last check, and no GL function was called since.
    verified: Cell<bool>,
    /// True if a draw ran out of memory, and the error was not reported yet.
    out_of_memory: Cell<bool>,
    /// Count of created objects, for unique ids.
    objects: Cell<u64>,
    /// The index buffer that is known to be bound; reset when the buffer is deleted.
    indices: Cell<Option<extra::names::Buffer>>,
}

impl GlFunctions {
    fn assemble(raw: HostGl, extra: extra::HostFunctions) -> Self {
        Self {
            raw,
            extra,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            abandoned: Cell::new(false),
            dropped: RefCell::default(),
            problems: Cell::new(0),
            verified: Cell::new(false),
            out_of_memory: Cell::new(false),
            objects: Cell::new(0),
            indices: Cell::new(None),
        }
    }

    /// Marks this `GlFunctions` as the active one. Returns false if the thread has used another `GlFunctions` since: if
    /// both belong to one context, GL's state may have changed.
    #[inline]
    pub(crate) fn activate(&self) -> bool {
        let was_active = ACTIVE.replace(self.id) == self.id;
        self.verified.set(self.verified.get() && was_active);
        was_active
    }

    /// Returns the GL functions, for a call that may set an error flag.
    #[inline]
    fn raw(&self) -> &HostGl {
        self.verified.set(false);
        &self.raw
    }

    /// Stops the deletion of objects, because the context is lost or can't be made current any more.
    pub(crate) fn abandon(&self) {
        self.abandoned.set(true);
    }

    /// Returns whether [`GlFunctions::abandon`] was called: GL must not be called any more.
    #[inline]
    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.get()
    }

    /// Returns whether objects wait for [`GlFunctions::delete_dropped`].
    #[inline]
    pub(crate) fn has_dropped(&self) -> bool {
        !self.dropped.borrow().is_empty()
    }

    /// Returns whether an index buffer is known to be bound. The deletion of a bound buffer unbinds it.
    pub(crate) fn has_indices(&self) -> bool {
        self.indices.get().is_some()
    }

    /// Records the bound index buffer; `None` if the binding is unknown.
    pub(crate) fn set_indices(&self, buffer: Option<extra::names::Buffer>) {
        self.indices.set(buffer);
    }

    /// Returns major and minor version, and whether the context is OpenGL ES.
    pub(crate) fn version(&self) -> (u32, u32, bool) {
        let version = self.raw.version();
        (version.major, version.minor, version.is_embedded)
    }
}

/// Wrappers for functions whose arguments are values that GL checks itself, or slices.
macro_rules! plain_calls {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? = $raw:ident;)+) => {
        impl GlFunctions {$(
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                // SAFETY: the context is current (promise of `GlFunctions`), and glow passes slices with their length.
                // Offsets are into bound buffers of the device's vertex array; the host leaves that state alone, or
                // announces changes. GL reports an error for invalid values.
                unsafe { self.raw().$raw($($arg),*) }
            }
        )+}
    };
}
pub(crate) use plain_calls;
