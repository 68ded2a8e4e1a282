//! A recorder for `context3d::native`, the integration layer for ActionScript VMs.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use context3d::backend::Backend;
use context3d::enums::FlashName as _;
use context3d::native::{CallRecorder, Native};
use context3d::{
    AnyHandle, Error, FlashError, Invocation, Profile, Reply, Request, RequestRefusal, TextureEvent,
};

use crate::header::CaptureHeader;
use crate::object::ObjectId;
use crate::recorder::{CaptureRecorder, ContextRequest, RecordedContext};

/// Starts recording a player's calls, like [`CaptureRecorder::from_env`]. Call this function before each
/// [`Native::answer`], which may create the first context. Does nothing if the variable is not set, or if the player is
/// recorded already. A failure is reported on standard error; nothing is recorded after it.
pub fn record_from_env<B: Backend>(
    stage3d: &Native<B>,
    limit: u64,
    header: impl FnOnce() -> CaptureHeader,
) {
    static FAILED: AtomicBool = AtomicBool::new(false);
    if stage3d.is_recorded() || FAILED.load(Ordering::Relaxed) {
        return;
    }
    match CaptureRecorder::from_env(header, limit) {
        Ok(recorder) => recorder.into_iter().for_each(|recorder| stage3d.record(recorder)),
        Err(_) => FAILED.store(true, Ordering::Relaxed),
    }
}

impl<W: Write> CallRecorder for CaptureRecorder<W> {
    fn context(&mut self, stage: u32, request: &Request, granted: Profile) -> u64 {
        let RecordedContext(ObjectId(id)) =
            described(request, Some(granted), |request| self.request(stage, request));
        id
    }

    fn refused(
        &mut self,
        stage: u32,
        request: &Request,
        error: &FlashError,
        reason: &RequestRefusal,
    ) {
        let (error, reason) = (Some(error), Some(reason));
        described(request, None, |request| self.refused(stage, request, error, reason));
    }

    /// Context requests are recorded when they are granted or rejected, not when they are made.
    fn stage3d(&mut self, stage: u32, invocation: &Invocation<'_>) {
        if let Invocation::SetX { value } = *invocation {
            self.set_x(stage, value);
        } else if let Invocation::SetY { value } = *invocation {
            self.set_y(stage, value);
        } else if let Invocation::SetVisible { value } = *invocation {
            self.set_visible(stage, value);
        }
    }

    fn call(&mut self, context: u64, invocation: &Invocation<'_>, result: &Result<Reply, Error>) {
        self.call(RecordedContext(ObjectId(context)), invocation, result);
    }

    fn event(&mut self, event: &TextureEvent) {
        self.event(event);
    }

    fn forget(&mut self, object: AnyHandle) {
        self.forget(object);
    }

    fn end_frame(&mut self) {
        self.end_frame();
    }
}

fn described<T>(
    request: &Request,
    granted: Option<Profile>,
    action: impl FnOnce(&ContextRequest<'_>) -> T,
) -> T {
    let Request { mode, profiles } = request;
    let names: Vec<_> = profiles.iter().map(|profile| Some(profile.name())).collect();
    action(&ContextRequest {
        render_mode: Some(mode.name()),
        profile: granted.or(profiles.first().copied()).map(Profile::name),
        profiles: (names.len() > 1).then_some(&*names),
    })
}
