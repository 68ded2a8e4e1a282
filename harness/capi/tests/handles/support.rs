//! Objects for tests of the C functions.

use std::ffi::CStr;
use std::ptr::null;

use molehill_c::*;

pub(super) fn made(make: impl FnOnce(*mut u64) -> MolehillStatus) -> u64 {
    let mut handle = 0;
    assert_eq!(make(&raw mut handle), MolehillStatus::Ok, "{:?}", message());
    assert_ne!(handle, 0);
    handle
}

/// Number and text of the last error.
pub(super) fn message() -> (u32, String) {
    let mut error = MolehillError {
        status: MolehillStatus::Ok,
        number: 0,
        token: 0,
        class_name: null(),
        message: null(),
        as3_message: null(),
    };
    // SAFETY: the texts are valid until the next call.
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
    let options = MolehillContextOptions { profile: null(), swf_version: 30 };
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
        title: null(),
        generator: null(),
        swf_version: 30,
        stage_width: 8,
        stage_height: 8,
        stage_color: 0,
        frame_rate: 0.0,
        limit: 0,
    };
    let recording = made(|recording| unsafe {
        molehill_recording_start(name.as_ptr(), &raw const options, recording)
    });
    (path, recording)
}
