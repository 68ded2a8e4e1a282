//! The end of a frame: events, ended contexts, and requests for contexts.

use std::rc::Rc;

use super::{HostEvent, Native, SharedContext};
use crate::backend::{Backend, BackendError};
use crate::context::{Context3D, ContextOptions, EndReason};
use crate::stage::{Request, RequestResult};

/// The progress of the current frame of a `Stage3D`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum FrameProgress {
    #[default]
    Over,
    /// [`Native::begin_frame`] has decided the pending request.
    Begun,
    /// The frame is ending. The number counts the texture events that precede the decision of the request.
    Ends(usize),
    /// [`Native::next_event`] has decided the pending request.
    Answered,
}

impl<B: Backend> Native<B> {
    /// Ends the frame of a `Stage3D`: dispatches the events of [`Native::next_event`]. Call this for each `Stage3D`, in
    /// order, after the frame's ActionScript has returned. The last `Stage3D`'s call also ends the recorded frame.
    pub fn end_frame(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
        mut dispatch: impl FnMut(HostEvent<B>),
    ) {
        let mut make = Some(make);
        let mut make =
            |request: &Request| make.take().map_or(Err(BackendError::Lost), |it| it(request));
        while let Some(event) = self.next_event(swf_version, &mut make) {
            dispatch(event);
        }
        if self.stage as usize + 1 == self.player.stages.len() {
            self.recorder(|recorder| recorder.end_frame());
        }
    }

    /// Begins the frame of a `Stage3D`, before `enterFrame`: calls [`Native::answer`], at most once per frame.
    pub fn begin_frame(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Option<HostEvent<B>> {
        let frame = &self.shared().frame;
        let event =
            (frame.get() == FrameProgress::Over).then(|| self.answer(swf_version, make)).flatten();
        if event.is_some() {
            frame.set(FrameProgress::Begun);
        }
        event
    }

    /// Returns the next event at the end of a frame: first those of [`Native::next_texture_event`], then that of
    /// [`Native::answer`], then `None`. If a handler requests a context again, the next frame decides the request.
    pub fn next_event(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Option<HostEvent<B>> {
        let frame = &self.shared().frame;
        let answered = frame.get() == FrameProgress::Answered;
        self.next_texture_event().or_else(|| {
            let event = (!answered).then(|| self.answer(swf_version, make)).flatten()?;
            frame.set(FrameProgress::Answered);
            Some(event)
        })
    }

    /// Returns the next texture event, and `None` after those that were ready at the frame's first call. If a handler
    /// uploads again, the event belongs to the next frame.
    pub fn next_texture_event(&self) -> Option<HostEvent<B>> {
        let frame = &self.shared().frame;
        let left = match frame.replace(FrameProgress::Over) {
            FrameProgress::Over | FrameProgress::Begun => {
                self.with_context(|context| context.texture_events_waiting()).unwrap_or_default()
            }
            FrameProgress::Ends(left) => left,
            FrameProgress::Answered => 0,
        };
        let left = left.checked_sub(1)?;
        let event = self.with_context(Context3D::take_texture_event).flatten()?;
        frame.set(FrameProgress::Ends(left));
        Some(self.texture_event(event))
    }

    /// Decides the pending request of a `Stage3D`: detects an ended context, and creates the context that the program
    /// requests, or that replaces a lost context, on the backend from `make`. Returns the event to dispatch. Call this
    /// with an empty ActionScript stack, for all `Stage3D`s before each `enterFrame`. A program that requests a context
    /// in a timer's or loader's event draws in the next `enterFrame` [context3d.request.between]. [`Native::end_frame`]
    /// calls this after each frame.
    ///
    /// `make` receives the program's context request, and creates a backend. A request in `software` mode is granted
    /// only with a backend that renders [on the CPU](crate::backend::BackendCaps::software). If `make` returns
    /// [`BackendError::Lost`], the request stays pending; any other error rejects the request. The `Stage3D`'s former
    /// context ends [context3d.request.again].
    pub fn answer(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Option<HostEvent<B>> {
        let former = self.shared().context.borrow().clone();
        let ended = match &former {
            Some(former) => self.try_enter(former)?.ended(),
            None => None,
        };
        if let Some(ended) = ended {
            self.shared().stage3d.borrow_mut().context_ended(ended);
            self.shared().context.take();
        }
        match self.decide(swf_version, make).ok()?? {
            (RequestResult::Create(options, request), Some(backend)) => {
                Some(self.grant(backend, options, &request))
            }
            (RequestResult::Refuse(error, _), _) => {
                Some(HostEvent { error: Some(error), ..HostEvent::new("error", None) })
            }
            (RequestResult::Create(..), None) => None, // without a device, no context can be granted
        }
    }

    /// Decides the request of a `Stage3D` like [`Native::answer`], for a host that creates the context itself. Returns
    /// the answer with the backend from `make`; `None` if the `Stage3D` has no pending request.
    ///
    /// # Errors
    /// [`BackendError::Lost`] from `make`: the request stays pending.
    pub fn decide(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Result<Option<(RequestResult, Option<B>)>, BackendError> {
        let request = self.shared().stage3d.borrow().pending_request().cloned();
        let Some(request) = request else { return Ok(None) };
        let backend = match make(&request) {
            Err(BackendError::Lost) => {
                log::debug!("Stage3D: no device is available; the context request waits");
                return Err(BackendError::Lost);
            }
            Err(error) => {
                self.log_failure(&error.to_string());
                None
            }
            Ok(backend) => Some(backend),
        };
        let others = self.player.stages.iter().zip(0..).filter(|(stage, index)| {
            let works = |context: &Rc<SharedContext<B>>| context.is_alive();
            *index != self.stage && stage.context.borrow().as_ref().is_some_and(works)
        });
        let others = others.count() + self.player.others.get();
        let caps = backend.as_ref().map(Backend::caps);
        let answer = self.shared().stage3d.borrow_mut().answer(caps, swf_version, others);
        if let Some(RequestResult::Refuse(error, reason)) = &answer {
            self.recorder(|it| it.refused(self.index(), &request, error, reason));
        }
        Ok(answer.map(|answer| (answer, backend)))
    }

    /// Removes this context from its `Stage3D`, for a host that frees the object before the frame ends. A context that
    /// has not ended counts as disposed.
    pub fn forget_context(&self) {
        let mut current = self.shared().context.borrow_mut();
        let own = |it: &mut Rc<SharedContext<B>>| {
            self.context.as_ref().is_some_and(|own| Rc::ptr_eq(own, it))
        };
        if let Some(context) = current.take_if(own) {
            let ended = context.api.try_borrow().ok().and_then(|api| api.ended());
            self.context_ended(ended.unwrap_or(EndReason::Disposed));
        }
    }

    /// Notifies the `Stage3D` of the end of a context that the host created:
    /// [`Stage3D::context_ended`](crate::Stage3D::context_ended).
    pub fn context_ended(&self, ended: EndReason) {
        self.shared().stage3d.borrow_mut().context_ended(ended);
    }

    /// Creates the context of a granted request. The previous context of the `Stage3D` ends.
    fn grant(&self, backend: B, options: ContextOptions, request: &Request) -> HostEvent<B> {
        let granted = options.profile;
        let recorded = self.recorder(|recorder| recorder.context(self.index(), request, granted));
        let mut api = self.shared().stage3d.borrow().create(backend, options);
        if recorded.is_none() {
            api.set_executor(self.player.executor.borrow().clone());
        }
        let context = SharedContext::new(api, recorded);
        let former = self.shared().context.replace(Some(Rc::clone(&context)));
        if let Some(mut former) = former.as_deref().and_then(|it| self.try_enter(it))
            && let Err(error) = former.dispose(false)
        {
            self.log_failure(&error.to_string());
        }
        let context3d = Some(self.create_object(&context, None, "Context3D"));
        HostEvent { context3d, ..HostEvent::new("context3DCreate", None) }
    }
}
