//! What a host tells about the program in a recording: names of objects, markers, ActionScript's call stacks.

use std::ffi::c_char;

use crate::failure::MolehillStatus;
use crate::handles::MolehillObject;
use crate::handles::MolehillRecording;
use crate::objects::live;
use crate::pointers::text;
use crate::recording::with_recorder;
use crate::status::guard;

/// Names an object in a recording; null: "". An object of a context that is not recorded gets no name.
/// molehill_object_set_name needs no recording, and names it in debuggers, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_recording_name(
    recording: MolehillRecording,
    object: MolehillObject,
    name: *const c_char,
) -> MolehillStatus {
    let name = unsafe { text(name) }.unwrap_or_default();
    guard(|| {
        let handle = live(object.id)?;
        Ok(with_recorder(recording, |recorder| recorder.name(handle, name)))
    })
}

/// Begins a part of the frame in a recording, such as a pass; parts may contain others. Null: ends the part that began
/// last. molehill_recording_end_frame ends all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_recording_marker(
    recording: MolehillRecording,
    name: *const c_char,
) -> MolehillStatus {
    let name = unsafe { text(name) };
    with_recorder(recording, |recorder| match name {
        Some(name) => recorder.begin(name),
        None => recorder.end(),
    })
}

/// Sets the ActionScript functions that make the calls that follow, a line for each, the innermost first, as
/// `Error.getStackTrace()` lists them. Null: they are unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_recording_stack(
    recording: MolehillRecording,
    functions: *const c_char,
) -> MolehillStatus {
    let lines = unsafe { text(functions) }.unwrap_or_default().lines();
    let functions: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    with_recorder(recording, |recorder| recorder.stack(&functions))
}
