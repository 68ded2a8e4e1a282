//! Stage3D for hosts in C, C++ and every language that calls C: `libmolehill` with `molehill.h`, and `molehill.hpp` for C++.
//!
//! A host makes a device (in its own GL context, off-screen, or in software), a context for each `Context3D` of the
//! ActionScript program, and turns each ActionScript call into a call of the function of that name. What comes back is a
//! status; behind [`molehill_last_error`] is the error that Flash raises, with number, class and message.
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
//! | `molehill_device_*` | [`molehill_device_destroy`]; its contexts go on |
//! | [`molehill_context_create`] | [`molehill_context_destroy`], also after `dispose` or a loss; frees all its objects |
//! | `molehill_context_create_*` | the object's `_dispose` as the program calls it, or [`molehill_object_release`] from a finaliser |
//! | [`molehill_stage3d_create`] | [`molehill_stage3d_destroy`] |
//! | [`molehill_recording_start`] | [`molehill_recording_stop`] |
//!
//! What the host gives (texts, data, structures) is the host's, and is not used after the call; but for the data that callbacks
//! get. What a thread has not destroyed when it ends stays in memory: its GL context may be gone by then.
//!
//! # Handles
//!
//! A handle is a number. 0 is none: null in ActionScript. No number is given twice, so one that names nothing any more, another
//! thread's or another kind's is found out, and gives a typed error. An object that is gone, or another context's, raises Flash's
//! error 3694 as a disposed one does. Nothing in a call crashes but a pointer that is neither null nor good, and a loader
//! that gives wrong functions.
//!
//! # Arguments
//!
//! They are ActionScript's, in its order. `int`, `uint` and `Number` are `int32_t`, `uint32_t` and `double`; a `Boolean` is a
//! number. A member of an enumeration is its text in UTF-8, as Flash spells it, and null is null: a wrong one raises Flash's own
//! error. A `ByteArray` or `Vector` is a pointer and a length; null with length 0 is null. `side` is -1 for textures that are no
//! cubes, `miplevel` 0 for rectangle textures. What a call makes comes through the last pointer.
//!
//! # Errors
//!
//! Statuses below 0 are errors; [`MolehillStatus`] lists them. A draw that Flash drops in silence is
//! [`MolehillStatus::Skipped`]. [`molehill_last_error`] tells more, and stays until the thread's next error. A panic, which
//! would be a fault of Molehill, becomes [`MolehillStatus::Internal`], and its context can't be used any more.
//!
//! # Threads
//!
//! A device, its contexts, a `Stage3D` and a recording belong to the thread that made them; others get
//! [`MolehillStatus::WrongThread`]. Any thread may call [`molehill_object_release`], [`molehill_object_set_user_data`],
//! [`molehill_object_user_data`], [`molehill_set_log`], [`molehill_last_error`] (each has its own) and [`molehill_version`].
//!
//! # The same from the table
//!
//! The functions for the calls of Stage3D are written by `cargo run -p molehill-c-generate`, from `context3d`'s table of calls;
//! so is `molehill.h`.
#![allow(
    unsafe_code,
    reason = "functions for C get pointers, and their names are not mangled"
)]
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
#[rustfmt::skip]
mod calls;
mod context;
mod device;
mod logging;
mod objects;
mod present;
mod recording;
mod registry;
mod stage3d;
mod status;
#[cfg(test)]
mod tests;

pub use arguments::{
    MolehillBitmap, MolehillBitmapTarget, MolehillBool, MolehillIndexBuffer, MolehillObject,
    MolehillPixelLayout, MolehillPoint, MolehillProgram, MolehillRectangle, MolehillTexture,
    MolehillVertexBuffer,
};
pub use calls::*;
pub use context::{
    MolehillContext, MolehillContextInfo, MolehillContextOptions, MolehillEnded, MolehillHost,
    molehill_context_create, molehill_context_destroy, molehill_context_info,
    molehill_context_lose, molehill_context_record, molehill_context_set_host,
    molehill_context_set_options,
};
pub use device::*;
pub use logging::{MolehillLog, MolehillLogLevel, molehill_set_log, molehill_version};
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
pub use stage3d::*;
pub use status::{MolehillError, MolehillStatus, molehill_last_error};
