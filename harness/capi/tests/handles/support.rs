//! Test helpers for the C functions.

use std::ffi::CStr;
use std::ptr::null;

use molehill_c::*;

pub(super) fn made<T: Copy + Default + PartialEq + std::fmt::Debug>(
    make: impl FnOnce(*mut T) -> MolehillStatus,
) -> T {
    let mut handle = T::default();
    assert_eq!(make(&raw mut handle), MolehillStatus::Ok, "{:?}", message());
    assert_ne!(handle, T::default());
    handle
}

/// Returns the error number and the message of the last error.
pub(super) fn message() -> (u32, String) {
    let mut error = MolehillError::default();
    // SAFETY: the strings are valid until the next call.
    unsafe {
        assert_eq!(molehill_last_error(&raw mut error), MolehillStatus::Ok);
        let text = CStr::from_ptr(error.message).to_str().unwrap();
        (error.number, text.to_owned())
    }
}

pub(super) fn device() -> MolehillDevice {
    made(|device| unsafe { molehill_device_software(null(), device) })
}

pub(super) fn context(device: MolehillDevice) -> MolehillContext {
    let options = MolehillContextOptions { swf_version: 30, ..Default::default() };
    made(|context| unsafe { molehill_context_create(device, &raw const options, context) })
}

pub(super) fn texture(context: MolehillContext) -> MolehillTexture {
    let format = c"bgra".as_ptr();
    made(|texture| unsafe { molehill_context_create_texture(context, 8, 8, format, 0, 0, texture) })
}

pub(super) fn present(context: MolehillContext) -> MolehillStatus {
    unsafe { molehill_context_present(context) }
}

/// Starts a recording in a new file.
pub(super) fn record(name: &str) -> (std::path::PathBuf, MolehillRecording) {
    let path = std::env::temp_dir().join(format!("molehill-c-{}-{name}", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    let options = MolehillRecordingOptions {
        swf_version: 30,
        stage_width: 8,
        stage_height: 8,
        ..Default::default()
    };
    let recording = made(|recording| unsafe {
        molehill_recording_start(name.as_ptr(), &raw const options, recording)
    });
    (path, recording)
}
