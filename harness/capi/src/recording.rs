//! Recordings: captures of the calls that contexts execute.

use std::ffi::c_char;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use context3d::{AnyHandle, Error, Invocation, Profile, Reply, TextureEvent};
use molehill_capture::{Header, MAX_SIDE, RecordedContext, Recorder};

use crate::failure::{Failure, MolehillStatus};
use crate::handles::MolehillRecording;
use crate::pointers::{MolehillBool, flag, text, write};
use crate::registry::{Kind, Released, destroy, keep, with};
use crate::sized::{grows, required_sized};
use crate::status::guard;

/// The description of the program in a capture.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillRecordingOptions {
    /// sizeof(MolehillRecordingOptions)
    pub struct_size: usize,
    /// Any text; null: "".
    pub title: *const c_char,
    /// The program that writes the recording; null: unknown.
    pub generator: *const c_char,
    /// 1 to 255.
    pub swf_version: u32,
    /// Stage pixels, 1 to 16384.
    pub stage_width: u32,
    /// Stage pixels, 1 to 16384.
    pub stage_height: u32,
    /// 0xRRGGBB
    pub stage_color: u32,
    /// Frames per second; 0: unknown.
    pub frame_rate: f64,
    /// The recording ends before it exceeds about this many bytes; 0: no limit.
    pub limit: u64,
}

grows!(MolehillRecordingOptions);

pub(crate) struct Recording {
    /// `None` once it has ended.
    recorder: Option<Recorder<BufWriter<File>>>,
    result: io::Result<()>,
}

/// The connection of a context to a recording.
#[derive(Clone)]
pub(crate) struct Joined {
    recording: MolehillRecording,
    context: RecordedContext,
    released: Released,
}

impl Recording {
    fn recorder(&mut self) -> Result<&mut Recorder<BufWriter<File>>, Failure> {
        let ended = || Failure::Here(MolehillStatus::Io, "the recording has ended".to_owned());
        self.recorder.as_mut().ok_or_else(ended)
    }

    pub(crate) fn join(
        &mut self,
        recording: MolehillRecording,
        index: u32,
        mode: &str,
        profile: Profile,
    ) -> Result<Joined, Failure> {
        let context = self.recorder()?.context(index, mode, profile);
        Ok(Joined { recording, context, released: Released::default() })
    }
}

impl Kind for Recording {
    const WHAT: &'static str = "recording";

    /// Completes the file.
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
    /// Number of live objects in the recording.
    pub(crate) fn objects(&self) -> usize {
        self.recorder.as_ref().map_or(0, Recorder::objects)
    }
}

/// Calls `action` with a recording, unless there is none or it has ended: the program goes on without it.
pub(crate) fn while_it_runs(
    recording: MolehillRecording,
    action: impl FnOnce(&mut Recorder<BufWriter<File>>),
) {
    let ended = with(recording.id, |recording: &mut Recording| {
        action(recording.recorder()?);
        Ok(())
    });
    drop(ended);
}

/// Records a call, if the context is recorded.
pub(crate) fn call(
    joined: &mut Option<Joined>,
    command: &Invocation<'_>,
    result: &Result<Reply, Error>,
) {
    let Some(on) = joined.as_ref().map(|joined| joined.context) else {
        return;
    };
    record(joined, |recorder| recorder.call(on, command, result));
    if matches!(command, Invocation::Present {}) {
        forget_released(joined);
    }
}

/// The list to which released objects of a context are added.
pub(crate) fn released(joined: Option<&Joined>) -> Option<Released> {
    joined.map(|joined| Arc::clone(&joined.released))
}

/// Passes released objects to the recorder, which then forgets them.
pub(crate) fn forget_released(joined: &mut Option<Joined>) {
    let Some(released) = released(joined.as_ref()) else {
        return;
    };
    let gone = std::mem::take(&mut *released.lock().unwrap_or_else(PoisonError::into_inner));
    if !gone.is_empty() {
        record(joined, |recorder| {
            gone.into_iter().for_each(|object| recorder.forget(object));
        });
    }
}

/// Records an event that the host dispatches, if the context is recorded.
pub(crate) fn event(joined: &mut Option<Joined>, event: &TextureEvent) {
    record(joined, |recorder| recorder.event(event));
}

/// Names an object, if the context is recorded.
pub(crate) fn name(joined: &mut Option<Joined>, object: AnyHandle, text: &str) {
    record(joined, |recorder| recorder.name(object, text));
}

fn record(joined: &mut Option<Joined>, action: impl FnOnce(&mut Recorder<BufWriter<File>>)) {
    let Some(Joined { recording, .. }) = *joined else {
        return;
    };
    let written = with(recording.id, |recording: &mut Recording| {
        action(recording.recorder()?);
        Ok(())
    });
    if written.is_err() {
        // The recording was stopped.
        *joined = None;
    }
}

/// # Safety
/// The pointer is null or points to options, whose texts are null or end with 0.
unsafe fn header(options: &MolehillRecordingOptions) -> Result<Header, Failure> {
    let sides = 1..=MAX_SIDE;
    if !sides.contains(&options.stage_width) || !sides.contains(&options.stage_height) {
        return Err(Failure::argument("the stage's size is not from 1 to 16384"));
    }
    if !(1..=255).contains(&options.swf_version) {
        return Err(Failure::argument("the SWF version is not from 1 to 255"));
    }
    let [_, red, green, blue] = options.stage_color.to_be_bytes();
    let (title, generator) = unsafe { (text(options.title), text(options.generator)) };
    Ok(Header {
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

/// Starts a capture in a file: binary if its name ends in `.s3d`, else JSON Lines (`.s3d.jsonl`); null: the file in the
/// environment variable MOLEHILL_RECORD. No file is replaced: if it exists, the capture has a number before its ending,
/// as in `game.1.s3d`. If the variable is not set: MOLEHILL_STATUS_NOTHING and the handle 0, which
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
        let limit = match options.limit {
            0 => u64::MAX,
            limit => limit,
        };
        let recorder = match unsafe { text(path) } {
            Some(path) => Recorder::create(Path::new(path), &header, limit)?,
            None => match Recorder::from_env(|| header, limit)? {
                Some(recorder) => recorder,
                None => return Ok(MolehillStatus::Nothing),
            },
        };
        let id = keep(|_| Recording { recorder: Some(recorder), result: Ok(()) });
        unsafe { write(recording, MolehillRecording { id }) }?;
        Ok(MolehillStatus::Ok)
    })
}

/// Calls `action` with a recording, and reports if it has ended before.
pub(crate) fn with_recorder(
    recording: MolehillRecording,
    action: impl FnOnce(&mut Recorder<BufWriter<File>>),
) -> MolehillStatus {
    guard(|| {
        with(recording.id, |recording: &mut Recording| {
            let recorder = recording.recorder()?;
            action(recorder);
            match recorder.error() {
                None => Ok(MolehillStatus::Ok),
                Some(error) => Err(Failure::Here(MolehillStatus::Io, error.to_string())),
            }
        })
    })
}

/// Ends an SWF frame. MOLEHILL_STATUS_IO if the recording has ended, because of its limit or an error of the file.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_end_frame(recording: MolehillRecording) -> MolehillStatus {
    with_recorder(recording, Recorder::end_frame)
}

/// `stage.stage3Ds[index].x = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_set_x(
    recording: MolehillRecording,
    index: u32,
    value: f64,
) -> MolehillStatus {
    with_recorder(recording, |recorder| recorder.set_x(index, value))
}

/// `stage.stage3Ds[index].y = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_set_y(
    recording: MolehillRecording,
    index: u32,
    value: f64,
) -> MolehillStatus {
    with_recorder(recording, |recorder| recorder.set_y(index, value))
}

/// `stage.stage3Ds[index].visible = value`
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_set_visible(
    recording: MolehillRecording,
    index: u32,
    value: MolehillBool,
) -> MolehillStatus {
    with_recorder(recording, |recorder| recorder.set_visible(index, flag(value)))
}

/// Ends a recording. Contexts continue without it. MOLEHILL_STATUS_IO if it had ended before, or can't be written. Any
/// thread; on another one than its own, the file is completed later, and a failure is only logged.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_recording_stop(recording: MolehillRecording) -> MolehillStatus {
    guard(|| {
        destroy(recording.id, |recording: &mut Recording| {
            recording.end();
            Ok(std::mem::replace(&mut recording.result, Ok(()))?)
        })
    })
}
