//! Recordings: captures of the calls that contexts execute, with annotations of the host: object names, marker regions,
//! ActionScript call stacks.

use std::ffi::c_char;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use context3d::native::CallRecorder;
use context3d::{
    AnyHandle, Error, FlashError, Invocation, Profile, Reply, Request, RequestRefusal, TextureEvent,
};
use molehill_capture::{CaptureHeader, CaptureRecorder, MAX_SIDE};

use crate::context::live;
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::{MolehillObject, MolehillRecording};
use crate::pointers::{MolehillBool, flag, given, text, write};
use crate::registry::{StoreKind, destroy, keep, with};
use crate::sized::{grows, required_sized};
use crate::status::guard;

/// The description of the program in a capture.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillRecordingOptions {
    /// sizeof(MolehillRecordingOptions)
    pub struct_size: usize,
    /// The recording's title; null means an empty title.
    pub title: *const c_char,
    /// The program that writes the recording; null: unknown.
    pub generator: *const c_char,
    /// The SWF's version, 1 to 255.
    pub swf_version: u32,
    /// Width of the stage in stage pixels, 1 to 16384.
    pub stage_width: u32,
    /// Height of the stage in stage pixels, 1 to 16384.
    pub stage_height: u32,
    /// The stage's colour, 0xRRGGBB.
    pub stage_color: u32,
    /// Frames per second; 0: unknown.
    pub frame_rate: f64,
    /// The recording ends before it exceeds about this many bytes; 0: no limit.
    pub limit: u64,
}

grows!(MolehillRecordingOptions);

pub(crate) struct Recording {
    /// The recorder; `None` once the recording has ended.
    recorder: Option<CaptureRecorder<BufWriter<File>>>,
    result: io::Result<()>,
}

impl Recording {
    pub(crate) fn recorder(
        &mut self,
    ) -> Result<&mut CaptureRecorder<BufWriter<File>>, CallFailure> {
        let ended = || CallFailure::Here(MolehillStatus::Io, "the recording has ended".to_owned());
        self.recorder.as_mut().ok_or_else(ended)
    }
}

impl StoreKind for Recording {
    const WHAT: &'static str = "recording";

    fn end(&mut self) {
        if let Some(recorder) = self.recorder.take() {
            self.result = recorder.finish().map(drop);
            if let Err(error) = &self.result {
                log::error!("a recording can't be written: {error}");
            }
        }
    }

    fn leave(&mut self, _elsewhere: bool) {
        self.end();
    }
}

#[cfg(test)]
impl Recording {
    pub(crate) fn objects(&self) -> usize {
        self.recorder.as_ref().map_or(0, CaptureRecorder::objects)
    }
}

/// Calls `action` with a recording. Returns `None` without a recording, or after its end.
pub(crate) fn while_it_runs<T>(
    recording: MolehillRecording,
    action: impl FnOnce(&mut CaptureRecorder<BufWriter<File>>) -> T,
) -> Option<T> {
    with(recording.id, |recording: &mut Recording| Ok(action(recording.recorder()?))).ok()
}

/// Forwards calls on `stage.stage3Ds[index]` to a recording while the recording runs.
pub(crate) struct RecordingForwarder {
    pub(crate) recording: MolehillRecording,
    pub(crate) index: u32,
}

impl CallRecorder for RecordingForwarder {
    fn context(&mut self, _: u32, request: &Request, granted: Profile) -> u64 {
        let id = while_it_runs(self.recording, |it| {
            CallRecorder::context(it, self.index, request, granted)
        });
        id.unwrap_or_default()
    }

    fn refused(&mut self, _: u32, request: &Request, error: &FlashError, reason: &RequestRefusal) {
        let refused = |it: &mut _| CallRecorder::refused(it, self.index, request, error, reason);
        while_it_runs(self.recording, refused);
    }

    fn stage3d(&mut self, _: u32, command: &Invocation<'_>) {
        while_it_runs(self.recording, |it| CallRecorder::stage3d(it, self.index, command));
    }

    fn call(&mut self, context: u64, command: &Invocation<'_>, result: &Result<Reply, Error>) {
        while_it_runs(self.recording, |it| CallRecorder::call(it, context, command, result));
    }

    fn event(&mut self, event: &TextureEvent) {
        while_it_runs(self.recording, |it| it.event(event));
    }

    fn forget(&mut self, object: AnyHandle) {
        while_it_runs(self.recording, |it| it.forget(object));
    }

    /// Does nothing, because the host ends the frame of all Stage3Ds with molehill_recording_end_frame.
    fn end_frame(&mut self) {}
}

/// # Safety
/// The pointer is null or points to options. The strings of the options are null or end with 0.
unsafe fn header(options: &MolehillRecordingOptions) -> Result<CaptureHeader, CallFailure> {
    let sides = 1..=MAX_SIDE;
    if !sides.contains(&options.stage_width) || !sides.contains(&options.stage_height) {
        return Err(CallFailure::argument("the stage's width and height must be from 1 to 16384"));
    }
    if !(1..=255).contains(&options.swf_version) {
        return Err(CallFailure::argument("the SWF version must be from 1 to 255"));
    }
    let [_, red, green, blue] = options.stage_color.to_be_bytes();
    let (title, generator) = unsafe { (text(options.title), text(options.generator)) };
    Ok(CaptureHeader {
        title: title.unwrap_or_default().to_owned(),
        swf_version: options.swf_version,
        stage_width: options.stage_width,
        stage_height: options.stage_height,
        stage_color: [red, green, blue],
        frame_rate: (options.frame_rate.is_finite() && options.frame_rate > 0.0)
            .then_some(options.frame_rate),
        generator: generator.map(str::to_owned),
    })
}

/// Starts a capture in a file: binary if its name ends in `.s3d`, else JSON Lines (`.s3d.jsonl`); null: the file in
/// the environment variable MOLEHILL_RECORD. An existing file is kept: the capture then has a number before its
/// ending, as in `game.1.s3d`. If the variable is not set: MOLEHILL_STATUS_NOTHING and the handle 0, which
/// molehill_context_record accepts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_recording_start(
    path: *const c_char,
    options: *const MolehillRecordingOptions,
    recording: *mut MolehillRecording,
) -> MolehillStatus {
    guard(|| {
        unsafe { write(recording, MolehillRecording::default()) }?;
        let options = unsafe { required_sized(options) }?;
        let header = unsafe { header(&options) }?;
        let limit = given(options.limit).unwrap_or(u64::MAX);
        let recorder = match unsafe { text(path) } {
            Some(path) => CaptureRecorder::create(Path::new(path), &header, limit)?,
            None => match CaptureRecorder::from_env(|| header, limit)? {
                Some(recorder) => recorder,
                None => return Ok(MolehillStatus::Nothing),
            },
        };
        let id = keep(Recording { recorder: Some(recorder), result: Ok(()) });
        unsafe { write(recording, MolehillRecording { id }) }
    })
}

/// Calls `action` with a recording. Returns an error if the recording has ended.
pub(crate) fn with_recorder(
    recording: MolehillRecording,
    action: impl FnOnce(&mut CaptureRecorder<BufWriter<File>>),
) -> MolehillStatus {
    guard(|| {
        with(recording.id, |recording: &mut Recording| {
            let recorder = recording.recorder()?;
            action(recorder);
            match recorder.error() {
                None => Ok(MolehillStatus::Ok),
                Some(error) => Err(CallFailure::Here(MolehillStatus::Io, error.to_string())),
            }
        })
    })
}

/// Ends an SWF frame. MOLEHILL_STATUS_IO if the recording has ended, because of its limit or an error of the file.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_end_frame(recording: MolehillRecording) -> MolehillStatus {
    with_recorder(recording, CaptureRecorder::end_frame)
}

/// Records `stage.stage3Ds[index].x = value`.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_set_x(
    recording: MolehillRecording,
    index: u32,
    value: f64,
) -> MolehillStatus {
    with_recorder(recording, |recorder| recorder.set_x(index, value))
}

/// Records `stage.stage3Ds[index].y = value`.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_set_y(
    recording: MolehillRecording,
    index: u32,
    value: f64,
) -> MolehillStatus {
    with_recorder(recording, |recorder| recorder.set_y(index, value))
}

/// Records `stage.stage3Ds[index].visible = value`.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_set_visible(
    recording: MolehillRecording,
    index: u32,
    value: MolehillBool,
) -> MolehillStatus {
    with_recorder(recording, |recorder| recorder.set_visible(index, flag(value)))
}

/// Ends a recording. Recorded contexts continue to work. Returns MOLEHILL_STATUS_IO if the recording had already ended,
/// or its file can't be written. Any thread may call this function; on a foreign thread, the file is completed later,
/// and a failure is only logged.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_stop(recording: MolehillRecording) -> MolehillStatus {
    guard(|| {
        destroy(recording.id, |recording: &mut Recording| {
            recording.end();
            Ok(std::mem::replace(&mut recording.result, Ok(()))?)
        })
    })
}

/// Names an object in a recording; null: "". Objects of a context that is not recorded get no name.
/// molehill_object_set_name needs no recording, and also names the object in debuggers.
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

/// Opens a marker region of the frame in a recording, such as a pass; regions nest. Null: closes the region that was
/// opened last. molehill_recording_end_frame closes all.
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

/// Sets the ActionScript call stack of the following calls: a line for each function, the innermost first, as
/// `Error.getStackTrace()` lists them. Null: unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_recording_stack(
    recording: MolehillRecording,
    functions: *const c_char,
) -> MolehillStatus {
    let lines = unsafe { text(functions) }.unwrap_or_default().lines();
    let functions: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    with_recorder(recording, |recorder| recorder.stack(&functions))
}
