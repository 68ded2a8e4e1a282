//! The end of a frame: events, contexts that have ended, and answers to requests.

use std::rc::Rc;

use super::{Event, Native, SharedContext};
use crate::backend::{Backend, BackendCaps, BackendError};
use crate::context::{Context3D, ContextOptions, Ended};
use crate::stage::{Answer, Request};

/// The progress of a `Stage3D`'s frame.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Frame {
    #[default]
    Over,
    /// [`Native::begin_frame`] has answered a request.
    Begun,
    /// This number of texture events is left, and then the answer to a request.
    Ends(usize),
    /// [`Native::next_event`] has answered a request.
    Answered,
}

impl<B: Backend> Native<B> {
    /// Ends the frame of a `Stage3D`, after its code ran, with an empty stack: passes on the events of
    /// [`Native::next_event`]. Call it for all in their order: the last ends the recording's frame.
    pub fn end_frame(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
        mut dispatch: impl FnMut(Event<B>),
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

    /// Begins the frame of a `Stage3D`, before `enterFrame`: does what [`Native::answer`] does, once before a frame's end.
    pub fn begin_frame(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Option<Event<B>> {
        let frame = &self.shared().frame;
        let event = (frame.get() == Frame::Over).then(|| self.answer(swf_version, make)).flatten();
        if event.is_some() {
            frame.set(Frame::Begun);
        }
        event
    }

    /// Returns the next event of a frame that ends: those of [`Native::next_texture_event`], then that of
    /// [`Native::answer`], at last `None`. If a handler requests again, the next frame has the answer.
    pub fn next_event(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Option<Event<B>> {
        let frame = &self.shared().frame;
        let answered = frame.get() == Frame::Answered;
        self.next_texture_event().or_else(|| {
            let event = (!answered).then(|| self.answer(swf_version, make)).flatten()?;
            frame.set(Frame::Answered);
            Some(event)
        })
    }

    /// Returns the next of the texture events that wait at the first call, at last `None`. If a handler uploads again, the
    /// next frame has the event.
    pub fn next_texture_event(&self) -> Option<Event<B>> {
        let frame = &self.shared().frame;
        let left = match frame.replace(Frame::Over) {
            Frame::Over | Frame::Begun => {
                self.with_context(|context| context.texture_events_waiting()).unwrap_or_default()
            }
            Frame::Ends(left) => left,
            Frame::Answered => 0,
        };
        let left = left.checked_sub(1)?;
        let event = self.with_context(Context3D::take_texture_event).flatten()?;
        frame.set(Frame::Ends(left));
        Some(self.texture_event(event))
    }

    /// Answers the request of a `Stage3D`, with an empty stack: takes note of a context that ended, and makes the one
    /// that the program requests, or that replaces a lost one, with the backend that `make` makes. Returns the event to
    /// dispatch. Call it for all four before each `enterFrame`, because a program that requests in a timer's or loader's
    /// event draws in the next `enterFrame` [context3d.request.between]; [`Native::end_frame`] does it after each frame.
    ///
    /// `make` gets the request: one for `software` needs a backend that renders [on the
    /// CPU](crate::backend::BackendCaps::software), and is refused with another one. If it fails because the device is
    /// [lost](BackendError::Lost), the request waits for the next time; any other error refuses it. The `Stage3D`'s
    /// former context ends [context3d.request.again].
    pub fn answer(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
    ) -> Option<Event<B>> {
        let former = self.shared().context.borrow().clone();
        let ended = match &former {
            Some(former) => self.entered(former)?.ended(),
            None => None,
        };
        if let Some(ended) = ended {
            self.shared().stage3d.borrow_mut().context_ended(ended);
            self.shared().context.take();
        }
        let request = self.shared().stage3d.borrow().pending_request().cloned()?;
        let backend = match make(&request) {
            Err(BackendError::Lost) => {
                log::debug!("Stage3D: there is no device at present; the request waits");
                return None;
            }
            Err(error) => {
                self.refuse(&error.to_string());
                None
            }
            Ok(backend) => Some(backend),
        };
        match (self.decide(backend.as_ref().map(Backend::caps), swf_version)?, backend) {
            (Answer::Create(options, request), Some(backend)) => {
                Some(self.grant(backend, options, &request))
            }
            (Answer::Refuse(error, _), _) => {
                Some(Event { error: Some(error), ..Event::new("error", None) })
            }
            (Answer::Create(..), None) => None, // no device grants nothing
        }
    }

    /// Decides the request of a `Stage3D` as [`Native::answer`], for a host that makes the context itself:
    /// [`Stage3D::answer_beside`](crate::Stage3D::answer_beside).
    pub fn decide(&self, device: Option<&BackendCaps>, swf_version: u32) -> Option<Answer> {
        let request = self.shared().stage3d.borrow().pending_request().cloned()?;
        let others = self.player.stages.iter().zip(0..).filter(|(stage, index)| {
            let works = |context: &Rc<SharedContext<B>>| context.is_alive();
            *index != self.stage && stage.context.borrow().as_ref().is_some_and(works)
        });
        let others = others.count() + self.player.others.get();
        let answer =
            self.shared().stage3d.borrow_mut().answer_beside(device, swf_version, others)?;
        if let Answer::Refuse(error, reason) = &answer {
            self.recorder(|it| it.refused(self.index(), &request, error, reason));
        }
        Some(answer)
    }

    /// Takes note of the end of a context that the host made: [`Stage3D::context_ended`](crate::Stage3D::context_ended).
    pub fn context_ended(&self, ended: Ended) {
        self.shared().stage3d.borrow_mut().context_ended(ended);
    }

    /// Makes the context that a request is granted, and ends the former one.
    fn grant(&self, backend: B, options: ContextOptions, request: &Request) -> Event<B> {
        let granted = options.profile;
        let recorded = self.recorder(|recorder| recorder.context(self.index(), request, granted));
        let api = self.shared().stage3d.borrow().create(backend, options);
        let context = SharedContext::new(api, recorded);
        let former = self.shared().context.replace(Some(Rc::clone(&context)));
        if let Some(mut former) = former.as_deref().and_then(|it| self.entered(it))
            && let Err(error) = former.dispose(false)
        {
            self.refuse(&error.to_string());
        }
        let context3d = Some(self.other(&context, None, "Context3D"));
        Event { context3d, ..Event::new("context3DCreate", None) }
    }
}
