//! The end of a frame: events, contexts that have ended, and answers to requests.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Event, Hosted, Native, STAGE3DS};
use crate::backend::{Backend, BackendError};
use crate::context::{Context3D, ContextOptions};
use crate::stage::{Answer, Request};

impl<B: Backend> Native<B> {
    /// Ends the frame of a `Stage3D`, after its code ran, with an empty stack: passes on the events of textures that wait
    /// now, and then does what [`Native::answer`] does. Call it for all four in their order: the last ends the
    /// recording's frame.
    pub fn end_frame(
        &self,
        swf_version: u32,
        make: impl FnOnce(&Request) -> Result<B, BackendError>,
        mut dispatch: impl FnMut(Event<B>),
    ) {
        // A handler may start the next upload, whose event belongs to the next frame.
        let waiting = self.with_context(|context| context.texture_events_waiting());
        for _ in 0..waiting.unwrap_or_default() {
            let Some(event) = self.with_context(Context3D::take_texture_event).flatten() else {
                break;
            };
            dispatch(self.texture_event(event));
        }
        self.answer(swf_version, make).map(dispatch);
        if self.stage == STAGE3DS - 1 {
            self.recorder(|recorder| recorder.end_frame());
        }
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
        let former = self.slot().context.borrow().clone();
        let ended = match &former {
            Some(former) => self.enter(former)?.ended(),
            None => None,
        };
        if let Some(ended) = ended {
            self.slot().stage3d.borrow_mut().context_ended(ended);
            self.slot().context.take();
        }
        let request = self.slot().stage3d.borrow().pending_request().cloned()?;
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
        let others = self.stages.slots.iter().zip(0..).filter(|(slot, index)| {
            let works = |context: &Rc<Hosted<B>>| context.is_alive();
            *index != self.stage && slot.context.borrow().as_ref().is_some_and(works)
        });
        let (others, caps) = (others.count(), backend.as_ref().map(Backend::caps));
        let answer = self.slot().stage3d.borrow_mut().answer_beside(caps, swf_version, others)?;
        match (answer, backend) {
            (Answer::Create(options, request), Some(backend)) => {
                Some(self.grant(backend, options, &request))
            }
            (Answer::Refuse(error, reason), _) => {
                self.recorder(|it| it.refused(self.index(), &request, &error, &reason));
                Some(Event { name: "error", target: None, error: Some(error), context3d: None })
            }
            (Answer::Create(..), None) => None, // no device grants nothing
        }
    }

    /// Makes the context that a request is granted, and ends the former one.
    fn grant(&self, backend: B, options: ContextOptions, request: &Request) -> Event<B> {
        let granted = options.profile;
        let recorded = self.recorder(|recorder| recorder.context(self.index(), request, granted));
        let mut api = self.slot().stage3d.borrow().create(backend, options);
        if recorded.is_none() {
            api.set_executor(self.stages.executor.borrow().clone());
        }
        let queue = api.release_queue();
        let context = Rc::new(Hosted { api: RefCell::new(api), queue, recorded });
        let former = self.slot().context.replace(Some(Rc::clone(&context)));
        if let Some(mut former) = former.as_deref().and_then(|it| self.enter(it))
            && let Err(error) = former.dispose(false)
        {
            self.refuse(&error.to_string());
        }
        let context3d = Some(self.other(&context, None, "Context3D"));
        Event { name: "context3DCreate", target: None, error: None, context3d }
    }
}
