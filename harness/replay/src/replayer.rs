//! Executes the Stage3D calls of a capture.

mod queries;

use std::borrow::Borrow;

use context3d::arguments::BitmapPatch;
use context3d::backend::{Backend, ReadSurface};
use context3d::enums::{EnumArg, RenderMode};
use context3d::{
    Context3D, ContextOptions, Error, ErrorCode, FlashError, Invocation, Profile, Reply, Stage3D,
    TextureEvent,
};

use super::detached_on_dispose::DetachedOnDispose;
use super::error::{ReplayError, ReplayErrorKind};
use super::report::{RaisedError, ReplayReport, describe};
use super::screen::compose;
use crate::image::RgbaImage;
use context3d::backend::BackendFactory;
use molehill_capture::commands::{Ids, ReplayObject, Resolver, command};
use molehill_capture::data::Enum;
use molehill_capture::errors::{CaptureErrorKind, KeyError};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, CaptureHeader, CapturePosition, CaptureRecord, EventLine};

/// Options of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayOptions {
    /// If true, the replay ends at the first error that Flash raises.
    pub strict: bool,
    /// The profile that replaces the profile of every context, if given.
    pub profile: Option<Profile>,
    /// Image pixels per stage pixel, like the backends' [scale](context3d_layers::Enhancements::scale). 0 means 1.
    pub scale: u8,
}

/// The result of a replayed call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// The call succeeded.
    Done,
    /// The call `drawToBitmapData` succeeded and read these pixels.
    Bitmap(BitmapPatch),
    /// The call raises this Flash error.
    Raised(FlashError),
    /// Flash silently skips this draw, which would raise the error with error checking.
    Skipped(ErrorCode),
    /// Molehill doesn't support this feature of Flash yet.
    Unsupported(String),
    /// The receiver could not be created in the replay, so it would be null in ActionScript.
    OnNull,
}

/// The state of a context of the capture.
#[derive(Clone)]
enum ContextState<B: Backend> {
    /// A requested context on which no call was executed yet.
    Requested { stage: usize, profile: Profile, software: bool },
    /// A context with an open device. When disposed, the context releases its device.
    Open(Box<Context3D<DetachedOnDispose<B>>>),
}

/// The state of a `Stage3D` object of the capture.
#[derive(Clone)]
struct StageState {
    stage3d: Stage3D,
    /// Index in `stage.stage3Ds`; `None` until a context is requested.
    index: Option<u32>,
    /// Index of the context that this Stage3D shows.
    context: Option<usize>,
}

/// Executes the calls of a capture, with a separate backend for each context.
pub struct Replayer<F: BackendFactory> {
    factory: F,
    header: CaptureHeader,
    options: ReplayOptions,
    ids: Ids,
    stages: Vec<StageState>,
    contexts: Vec<ContextState<F::Backend>>,
    /// Number of executed draws of each context; `None` after a present or a readback of its image.
    not_presented: Vec<Option<u64>>,
    report: ReplayReport,
}

impl<F: BackendFactory> Replayer<F> {
    /// Creates a replay without contexts.
    pub fn new(header: &CaptureHeader, factory: F, options: ReplayOptions) -> Self {
        Replayer {
            factory,
            header: header.clone(),
            options,
            ids: Ids::default(),
            stages: Vec::new(),
            contexts: Vec::new(),
            not_presented: Vec::new(),
            report: ReplayReport::default(),
        }
    }

    /// Returns the report about the records that were replayed so far.
    pub fn report(&self) -> &ReplayReport {
        &self.report
    }

    /// Returns the factory that creates the backends.
    pub fn factory(&self) -> &F {
        &self.factory
    }

    /// Replays one record of a capture, and returns the outcome of a call. `number` is the line of the capture, for
    /// messages. Errors: those of [`Replayer::call`].
    pub fn record<C: Borrow<CallLine>, N>(
        &mut self,
        number: u64,
        record: &CaptureRecord<C, N>,
    ) -> Result<Option<CallOutcome>, ReplayError> {
        match record {
            CaptureRecord::Call(call) => return self.call(number, call.borrow()).map(Some),
            CaptureRecord::Frame(_) => self.end_frame(),
            CaptureRecord::Event(event) => self.event(event),
            CaptureRecord::Note(_) => {}
        }
        Ok(None)
    }

    /// Executes one call of the capture. `number` is the line of the capture, for messages. Errors: errors that end the
    /// replay; afterwards only the report is valid.
    pub fn call(&mut self, number: u64, line: &CallLine) -> Result<CallOutcome, ReplayError> {
        self.report.calls += 1;
        if matches!(line.call, Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. }) {
            self.report.draws += 1;
        }
        let played = match self.receiver(number, line)? {
            ReplayObject::Null => Ok((CallOutcome::OnNull, None)),
            ReplayObject::Stage3D(stage) => self.stage_call(number, stage, line),
            receiver => self.context_call(number, receiver, line),
        };
        let (outcome, created) = played?;
        if let Some(id) = line.result {
            self.ids.insert(id, created.unwrap_or(ReplayObject::Null));
        }
        self.record_outcome(number, line, &outcome, created.is_some());
        match outcome {
            CallOutcome::Raised(error) if self.options.strict => {
                Err(ReplayErrorKind::Strict(line.call.name(), error).at(of_line(number)))
            }
            outcome => Ok(outcome),
        }
    }

    /// Ends an SWF frame. Dispatches the events of asynchronous uploads that [`Replayer::event`] has not dispatched.
    pub fn end_frame(&mut self) {
        self.report.frames += 1;
        for slot in &mut self.contexts {
            let ContextState::Open(context) = slot else {
                continue;
            };
            while let Some(event) = context.take_texture_event() {
                note_failure(&event, &mut self.report);
            }
        }
    }

    /// Replays a dispatched event: removes it from the texture's queue. Video frames have no queued events.
    pub fn event(&mut self, line: &EventLine) {
        if let Some(ReplayObject::Texture(index, texture)) = self.ids.get(line.on)
            && let Some(ContextState::Open(context)) = self.contexts.get_mut(index)
        {
            let event = context.take_texture_event_of(texture);
            event.inspect(|event| note_failure(event, &mut self.report));
        }
    }

    /// Returns the current image of the stage. `number` is the line of the capture, for messages.
    ///
    /// The image shows the last presented image of each Stage3D's context over the stage's colour. A disposed context
    /// shows no image, because its back buffer is freed. Errors: the device's errors.
    pub fn screen(&mut self, number: u64) -> Result<RgbaImage, ReplayError> {
        let mut layers = Vec::new();
        for shown in self.visible_contexts() {
            let front = self.read(number, shown.context, ReadSurface::Front)?;
            layers.extend(front.map(|front| (shown, front)));
        }
        Ok(compose(&self.header, self.options.scale.max(1).into(), layers))
    }

    /// Returns the last presented image of the newest context, with the buffer's alpha, unlike [`Replayer::screen`].
    /// Returns `None` before the first present and after the context is disposed. `number` is the line of the capture,
    /// for messages. Errors: the device's errors.
    pub fn front(&mut self, number: u64) -> Result<Option<RgbaImage>, ReplayError> {
        match self.contexts.len().checked_sub(1) {
            Some(newest) => self.surface(number, newest, ReadSurface::Front),
            None => Ok(None),
        }
    }

    /// Returns whether the first error that Flash raises ends the replay.
    pub(super) fn is_strict(&self) -> bool {
        self.options.strict
    }

    /// Returns whether `call` can change what [`Replayer::screen`] shows.
    pub(super) fn changes_screen(call: &Call) -> bool {
        matches!(
            call,
            Call::Present {}
                | Call::Dispose { .. }
                | Call::ConfigureBackBuffer { .. }
                | Call::RequestContext3D { .. }
                | Call::SetX { .. }
                | Call::SetY { .. }
                | Call::SetVisible { .. }
        )
    }

    fn receiver(&mut self, number: u64, line: &CallLine) -> Result<ReplayObject, ReplayError> {
        if let Some(object) = self.ids.get(line.on) {
            return Ok(object);
        }
        if line.call.info().receivers != [molehill_capture::objects::ObjectKind::Stage3D] {
            return Err(unknown_object(number, line.call.name(), line.on));
        }
        let stage = ReplayObject::Stage3D(self.stages.len());
        self.stages.push(StageState { stage3d: Stage3D::new(), index: None, context: None });
        self.ids.insert(line.on, stage);
        Ok(stage)
    }

    fn stage_call(
        &mut self,
        number: u64,
        stage: usize,
        line: &CallLine,
    ) -> Result<(CallOutcome, Option<ReplayObject>), ReplayError> {
        let Some(StageState { stage3d, index, .. }) = self.stages.get_mut(stage) else {
            return Err(unknown_object(number, line.call.name(), line.on));
        };
        let done = match &line.call {
            Call::SetX { value } => stage3d.set_x(*value),
            Call::SetY { value } => stage3d.set_y(*value),
            Call::SetVisible { value } => {
                stage3d.set_visible(*value);
                Ok(())
            }
            Call::RequestContext3D { stage3d_index, .. } => {
                *index = Some(*stage3d_index);
                return self.request(number, stage, line);
            }
            _ => Ok(()),
        };
        outcome(done.map(|()| Reply::Done), number, line.call.name())
            .map(|(outcome, _)| (outcome, None))
    }

    /// Checks the arguments of a request. If the arguments are valid but the recording player rejected the request, the
    /// reason is not in the capture (no listener, no device), and the recorded error is returned.
    fn request(
        &mut self,
        number: u64,
        stage: usize,
        line: &CallLine,
    ) -> Result<(CallOutcome, Option<ReplayObject>), ReplayError> {
        let Call::RequestContext3D { render_mode, profile, profiles, .. } = &line.call else {
            return Ok((CallOutcome::Done, None));
        };
        let granted = profile.0.as_ref().and_then(|name| name.as_deref());
        let checked = match &profiles.0 {
            Some(names) => check_profiles(names.as_deref()),
            None => {
                let mode = render_mode.0.as_ref().map_or(EnumArg::Is(RenderMode::Auto), Enum::name);
                Stage3D::new().request(mode, granted, true)
            }
        };
        if line.result.is_none() {
            let refusal = ErrorCode::ALL.iter().find(|code| line.throws == Some(code.number()));
            let refused = checked.and(refusal.map_or(Ok(()), |code| Err((*code).into())));
            return outcome(refused.map(|()| Reply::Done), number, line.call.name())
                .map(|(outcome, _)| (outcome, None));
        }
        let profile = granted.and_then(Profile::from_name);
        let profile = profile.ok_or_else(|| {
            ReplayErrorKind::Profile(granted.map(str::to_owned)).at(of_line(number))
        })?;
        let profile = self.options.profile.unwrap_or(profile);
        let (outcome, reply) = outcome(checked.map(|()| Reply::Done), number, line.call.name())?;
        if reply.is_none() {
            return Ok((outcome, None));
        }
        let context = ReplayObject::Context(self.contexts.len());
        let software = matches!(render_mode.0, Some(Enum::Is(RenderMode::Software)));
        self.contexts.push(ContextState::Requested { stage, profile, software });
        self.not_presented.push(Some(0));
        Ok((outcome, Some(context)))
    }

    fn context_call(
        &mut self,
        number: u64,
        receiver: ReplayObject,
        line: &CallLine,
    ) -> Result<(CallOutcome, Option<ReplayObject>), ReplayError> {
        let unknown = || unknown_object(number, line.call.name(), line.on);
        let index = receiver.context().ok_or_else(unknown)?;
        self.open(number, index)?;
        let Some(ContextState::Open(context)) = self.contexts.get_mut(index) else {
            return Err(unknown());
        };
        let resolver = Resolver::new(&self.ids);
        let command = command(&line.call, &receiver, &resolver).ok_or_else(unknown)?;
        let result = context.execute(&command);
        if resolver.met_null() {
            self.report.consequential += 1;
            log::info!("line {number}: {}: an argument could not be created", line.call.name());
        }
        if result.is_ok() {
            match command {
                Invocation::Dispose { .. } => context.backend_mut().detach(),
                Invocation::ProgramUpload { .. } => self.report.programs += 1,
                _ => {}
            }
        }
        let (outcome, reply) = outcome(result, number, line.call.name())?;
        if matches!(outcome, CallOutcome::Done | CallOutcome::Bitmap(_)) {
            self.follow_draws(index, &line.call);
        }
        Ok((outcome, reply.and_then(|reply| ReplayObject::created(index, &reply))))
    }

    /// Counts the draws of contexts whose image was never presented or read back.
    fn follow_draws(&mut self, context: usize, call: &Call) {
        let Some(draws) = self.not_presented.get_mut(context) else { return };
        match call {
            Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. } => {
                draws.iter_mut().for_each(|draws| *draws += 1);
                self.report.not_presented += u64::from(draws.is_some());
            }
            Call::Present {} | Call::DrawToBitmapData { .. } => {
                self.report.not_presented -= draws.take().unwrap_or(0);
            }
            _ => {}
        }
    }

    /// Opens a context's device at the context's first call, and then replaces the old context of its Stage3D. The old
    /// context stays usable until the new context's first call, because a program receives the new context some time
    /// after its request.
    fn open(&mut self, number: u64, index: usize) -> Result<(), ReplayError> {
        let Some(&ContextState::Requested { stage, profile, software }) = self.contexts.get(index)
        else {
            return Ok(());
        };
        let before = self.stages.get_mut(stage).and_then(|stage| stage.context.replace(index));
        if let Some(ContextState::Open(old)) =
            before.and_then(|before| self.contexts.get_mut(before))
        {
            // Ignore errors: the old device may be lost, and is no longer used.
            if let Err(error) = old.execute(&Invocation::Dispose { recreate: false }) {
                log::debug!("line {number}: disposing the previous context: {error:?}");
            }
            old.backend_mut().detach();
        }
        let backend = self
            .factory
            .create()
            .map_err(|error| ReplayErrorKind::NoDevice(error).at(of_line(number)))?;
        let options = ContextOptions { profile, swf_version: self.header.swf_version };
        let mut context = Context3D::new(DetachedOnDispose::Attached(backend), options);
        context.set_software(software);
        if let Some(slot) = self.contexts.get_mut(index) {
            *slot = ContextState::Open(Box::new(context));
        }
        self.report.contexts += 1;
        Ok(())
    }

    fn record_outcome(
        &mut self,
        number: u64,
        line: &CallLine,
        outcome: &CallOutcome,
        created: bool,
    ) {
        let call = line.call.name();
        let report = &mut self.report;
        let raised = match outcome {
            CallOutcome::Done | CallOutcome::Bitmap(_) => None,
            CallOutcome::Raised(error) => {
                let (call_number, cause) = (report.calls, error.clone());
                report.errors.add(RaisedError { line: number, call, call_number, error: cause });
                log::info!("line {number}: {call}: {error}");
                Some(error.number())
            }
            CallOutcome::Skipped(error) => {
                *report.skipped.entry(*error).or_default() += 1;
                log::debug!(
                    "line {number}: {call}: dropped; error checking would raise {}",
                    error.number()
                );
                None
            }
            CallOutcome::Unsupported(what) => {
                *report.unsupported.entry(what.clone()).or_default() += 1;
                log::info!("line {number}: {call}: unsupported: {what}");
                None
            }
            CallOutcome::OnNull => {
                report.consequential += 1;
                log::info!(
                    "line {number}: {call}: skipped, object {} could not be created",
                    line.on
                );
                None
            }
        };
        let creates = line.call.creates().is_some();
        report.recorded.thrown += u64::from(line.throws.is_some());
        report.recorded.told += u64::from(creates || line.throws.is_some());
        let other_error = line.throws.is_some() && line.throws != raised;
        let other_result = creates && line.result.is_some() != created;
        let difference = || {
            let named = |error: Option<u16>| error.map_or("none".to_owned(), |it| it.to_string());
            let (here, there) = (named(raised), named(line.throws));
            format!("line {number}: {call}: error {here} here, {there} in the recording player")
        };
        if other_error || other_result {
            report.disagreements += 1;
            log::info!("{}", difference());
            describe(&mut report.recorded.differences, difference);
        } else if line.throws.is_none() && raised.is_some() {
            report.recorded.unrecorded += 1;
            describe(&mut report.recorded.unrecorded_texts, difference);
        }
    }
}

/// Counts a failed asynchronous texture upload in the report.
fn note_failure(event: &TextureEvent, report: &mut ReplayReport) {
    if let Some(error) = &event.error {
        report.failed_uploads += 1;
        log::info!("frame {}: an asynchronous upload: {error}", report.frames);
    }
}

/// Checks the arguments of `requestContext3DMatchingProfiles`. The capture itself contains the granted profile.
fn check_profiles(names: Option<&[Option<String>]>) -> Result<(), Error> {
    let names = names.map(|names| names.iter().map(Option::as_deref).collect::<Vec<_>>());
    Stage3D::new().request_matching(names.as_deref(), true)
}

/// Returns the position of a capture line, without the call's index, because a replay may begin anywhere.
fn of_line(line: u64) -> CapturePosition {
    CapturePosition { line, call: 0 }
}

fn unknown_object(line: u64, record: &'static str, id: ObjectId) -> ReplayError {
    let fault = KeyError::UnknownObject(id);
    let kind = CaptureErrorKind::Key { record, key: "on".to_owned(), fault };
    ReplayErrorKind::Capture(kind).at(of_line(line))
}

/// Converts a result of `context3d` to an outcome for the report, or to an error that ends the replay.
fn outcome(
    result: Result<Reply, Error>,
    line: u64,
    call: &'static str,
) -> Result<(CallOutcome, Option<Reply>), ReplayError> {
    match result {
        Ok(Reply::Skipped(code)) => Ok((CallOutcome::Skipped(code), None)),
        Ok(Reply::Bitmap(patch)) => Ok((CallOutcome::Bitmap(*patch), None)),
        Ok(reply) => Ok((CallOutcome::Done, Some(reply))),
        Err(Error::Flash(error)) => Ok((CallOutcome::Raised(error), None)),
        Err(Error::Unsupported(what)) => Ok((CallOutcome::Unsupported(what), None)),
        Err(Error::Backend(error)) => Err(ReplayErrorKind::Device(call, error).at(of_line(line))),
    }
}
