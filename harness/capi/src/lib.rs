//! Stage3D for hosts in C, C++ and every language that can call C: `libmolehill` with `molehill.h`, and `molehill.hpp`
//! for C++.
//!
//! A host creates a device (in its own GL context, off-screen, or in software) and a context for each `Context3D` of
//! the ActionScript program, and turns each ActionScript call into a call of the corresponding function. Each function
//! returns a status; [`molehill_last_error`] has the details, such as the number, class and message of the error that
//! Flash raises.
//!
//! # A minimal program
//!
//! ```c
#![doc = include_str!("../examples/minimal.c")]
//! ```
//!
//! `install.sh` installs libraries, headers, and files for pkg-config and CMake:
//!
//! ```text
//! sh harness/capi/install.sh --prefix /usr/local
//! cc minimal.c $(pkg-config --cflags --libs molehill)
//! ```
//!
//! # Who frees what
//!
//! | made by | freed by |
//! |---|---|
//! | `molehill_device_*` | [`molehill_device_destroy`]; its contexts continue to work |
//! | [`molehill_context_create`] | [`molehill_context_destroy`], also after `dispose` or a loss; frees its objects |
//! | `molehill_context_create_*` | its `_dispose` function, or [`molehill_object_release`] from a finaliser |
//! | [`molehill_stage3d_create`] | [`molehill_stage3d_destroy`] |
//! | [`molehill_recording_start`] | [`molehill_recording_stop`] |
//!
//! Everything that the host passes (texts, data, structures) belongs to the host and is not used after the call, except
//! the user data of callbacks. What a thread has not destroyed when it ends is leaked, because its GL context may no
//! longer exist; but its recordings are completed. On the main thread, calls work until the process ends, also in the
//! destructors of C++ objects with static storage.
//!
//! # Callbacks
//!
//! A callback must not throw an exception or `longjmp`: the process would end. `molehill.hpp` catches the exceptions of
//! a loader and throws them again after the call.
//!
//! # Handles
//!
//! A handle is a number; 0 is null. Handles are never reused, so a stale handle, another thread's or one of another
//! kind is detected and gives a typed error. An object that was released or belongs to another context counts as
//! disposed: calls on it raise Flash's error 3694, and draws with it fail. Only an invalid pointer, or a loader that returns wrong functions, can crash a
//! call.
//!
//! # Arguments
//!
//! Arguments are those of the ActionScript method, in the same order. `int`, `uint` and `Number` are `int32_t`,
//! `uint32_t` and `double`; a `Boolean` is an integer. A member of an enumeration is its name in UTF-8 as Flash spells
//! it, and null is null: an unknown name raises Flash's error. A `ByteArray` or `Vector` is a pointer and a length;
//! null with length 0 is null. `side` is -1 for textures that are not cubes, `miplevel` 0 for rectangle textures. A
//! created object is returned through the last pointer.
//!
//! # Natives of a VM
//!
//! [`molehill_call`] makes any call by class and name, and takes its arguments from functions of the VM
//! ([`MolehillArguments`], `molehill::Arguments` in C++); [`molehill_property`] reads properties. `MOLEHILL_METHODS`,
//! `MOLEHILL_SETTERS`, `MOLEHILL_PROPERTIES` and `MOLEHILL_CONSTANTS` list them, so that a host declares its classes from
//! the header.
//!
//! # Errors
//!
//! Statuses below 0 are errors; [`MolehillStatus`] lists them. A draw that Flash drops silently is
//! [`MolehillStatus::Skipped`]. [`molehill_last_error`] has the details; its texts are valid until the thread's next
//! [`molehill_last_error`], or its end. A panic, which would be a bug of Molehill, becomes [`MolehillStatus::Internal`], and its
//! context is unusable from then on.
//!
//! # Threads
//!
//! A device, its contexts, a `Stage3D` and a recording belong to the thread that made them; others get
//! [`MolehillStatus::WrongThread`]. Any thread may call [`molehill_object_release`],
//! [`molehill_object_set_user_data`], [`molehill_object_user_data`], [`molehill_set_log`], [`molehill_version`] and
//! [`molehill_last_error`], which returns the thread's own error.
//!
//! # Generated functions
//!
//! `UPDATE=1 cargo test -p molehill-c --test generated` generates the functions for the calls of Stage3D from `context3d`'s table of
//! calls, and `molehill.h`.
// SAFETY of blocks without a comment: the caller's promise, which this page states.
#![allow(unsafe_code, reason = "functions for C get pointers, and their names are not mangled")]
#![allow(
    clippy::missing_safety_doc,
    reason = "this page says for all functions what pointers point to"
)]
#![allow(clippy::too_many_arguments, reason = "as many as ActionScript's")]
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

mod arguments;
mod by_name;
mod cache;
#[rustfmt::skip]
mod calls;
mod context;
mod device;
mod failure;
mod logging;
mod objects;
mod present;
mod recording;
mod recovery;
mod registry;
mod sized;
mod stage3d;
mod status;
#[cfg(test)]
extern crate self as molehill_c; // for what the tests share
#[cfg(test)]
mod tests;
mod thread;

pub use arguments::{
    MolehillBitmap, MolehillBitmapTarget, MolehillBool, MolehillIndexBuffer, MolehillObject,
    MolehillPoint, MolehillProgram, MolehillRectangle, MolehillSize, MolehillTexture,
    MolehillVertexBuffer,
};
pub use by_name::{
    MolehillArguments, MolehillBytes, MolehillFloats, MolehillMatrix, MolehillNumbers,
    MolehillUints, MolehillValue, MolehillValueKind, molehill_call, molehill_property,
};
pub use cache::{MolehillProgramCache, molehill_device_set_program_cache};
pub use calls::*;
pub use context::{
    MolehillContext, MolehillContextInfo, MolehillContextOptions, MolehillEnded, MolehillHost,
    molehill_context_check_position, molehill_context_create, molehill_context_destroy,
    molehill_context_info, molehill_context_lose, molehill_context_record,
    molehill_context_set_host, molehill_context_set_options, molehill_texture_video_size,
};
pub use device::*;
pub use failure::MolehillStatus;
pub use logging::{
    MOLEHILL_ABI_VERSION, MolehillLog, MolehillLogLevel, molehill_abi_version, molehill_set_log,
    molehill_version,
};
pub use objects::{
    MolehillTextureEvent, molehill_context_collect_released, molehill_context_take_texture_event,
    molehill_object_release, molehill_object_set_user_data, molehill_object_user_data,
};
pub use present::*;
pub use recording::{
    MolehillRecording, MolehillRecordingOptions, molehill_recording_end_frame,
    molehill_recording_set_visible, molehill_recording_set_x, molehill_recording_set_y,
    molehill_recording_start, molehill_recording_stop,
};
pub use recovery::MolehillRecovery;
pub use stage3d::*;
pub use status::{MolehillError, MolehillErrorClass, molehill_flash_error, molehill_last_error};
