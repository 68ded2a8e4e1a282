#![doc = include_str!("../README.md")]
//!
//! # A minimal program
//!
//! ```c
#![doc = include_str!("../examples/minimal.c")]
//! ```
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
mod exchange;
mod failure;
mod handles;
mod logging;
mod markers;
mod objects;
mod pointers;
mod present;
mod recording;
mod recovery;
mod registry;
mod sized;
mod stage3d;
mod stage_frame;
mod status;
#[cfg(test)]
extern crate self as molehill_c; // for what the tests share
#[cfg(test)]
#[path = "../tests/unit/library.rs"]
mod tests;
mod thread;

pub use arguments::{
    MolehillBitmap, MolehillBitmapTarget, MolehillPoint, MolehillRectangle, MolehillSize,
};
pub use by_name::{
    MolehillArguments, MolehillBytes, MolehillFloats, MolehillMatrix, MolehillNumbers,
    MolehillTexts, MolehillUints, MolehillValue, MolehillValueKind, molehill_call,
    molehill_property,
};
pub use cache::{MolehillProgramCache, molehill_device_set_program_cache};
pub use calls::*;
pub use context::{
    MolehillContextInfo, MolehillContextOptions, MolehillEnded, MolehillHost,
    molehill_context_check_position, molehill_context_create, molehill_context_destroy,
    molehill_context_info, molehill_context_lose, molehill_context_set_host,
    molehill_context_set_options,
};
pub use device::*;
pub use exchange::{
    molehill_context_publish_front, molehill_front_exchange_acquire,
    molehill_front_exchange_create, molehill_front_exchange_destroy,
    molehill_front_exchange_release,
};
pub use failure::MolehillStatus;
pub use handles::*;
pub use logging::{
    MOLEHILL_ABI_VERSION, MolehillLog, MolehillLogLevel, molehill_abi_version, molehill_set_log,
    molehill_version,
};
pub use markers::{molehill_recording_marker, molehill_recording_name, molehill_recording_stack};
pub use objects::{
    MolehillTextureEvent, molehill_context_collect_released, molehill_context_take_texture_event,
    molehill_object_release, molehill_object_set_name, molehill_object_set_user_data,
    molehill_object_user_data, molehill_texture_video_size,
};
pub use pointers::MolehillBool;
pub use present::*;
pub use recording::{
    MolehillRecordingOptions, molehill_recording_end_frame, molehill_recording_set_visible,
    molehill_recording_set_x, molehill_recording_set_y, molehill_recording_start,
    molehill_recording_stop,
};
pub use recovery::MolehillRecovery;
pub use stage_frame::{
    MolehillStageEvent, MolehillStageEventKind, molehill_context_record,
    molehill_stage3d_begin_frame, molehill_stage3d_end_frame, molehill_stage3d_record,
};
pub use stage3d::*;
pub use status::{MolehillError, MolehillErrorClass, molehill_flash_error, molehill_last_error};
