//! What is open, what is selected, and which answers have come.

use std::collections::VecDeque;
use std::sync::Arc;

use molehill_inspect::Capture;
use molehill_inspect::marks::Pass;

use crate::link::Link;
use crate::worker::{Outline, Question, Reply, Worker};

/// Answers that are kept.
const MAX_ANSWERS: usize = 48;

/// What is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The frame's place in the capture.
    pub frame: usize,
    /// A call in it.
    pub call: Option<usize>,
    /// A pixel of the stage.
    pub pixel: Option<(u32, u32)>,
    /// What of the pixel is stepped: a draw, and its fragment.
    pub step: Option<(usize, Option<usize>)>,
}

/// What became of a question.
enum Answer {
    Waiting,
    Done(Result<Reply, String>),
}

/// An open capture.
pub struct Session {
    /// The capture.
    pub capture: Arc<Capture>,
    /// Its file's name.
    pub name: String,
    /// What is selected.
    pub selection: Selection,
    /// Whether it stays, so that questions about the whole frame are worth their time.
    pub calm: bool,
    number: u64,
    outline: Option<Result<Outline, String>>,
    answers: VecDeque<(Question, Answer)>,
    wanted: Vec<Question>,
    /// What the link asks for, until the outline tells where it is.
    link: Option<Link>,
}

impl Session {
    /// A capture that was opened as this number, with what a link selects.
    pub fn new(capture: Arc<Capture>, name: String, number: u64, link: Link) -> Session {
        let mut session = Session {
            capture,
            name,
            selection: Selection::default(),
            calm: false,
            number,
            outline: None,
            answers: VecDeque::new(),
            wanted: vec![Question::Outline],
            link: None,
        };
        session.follow(link);
        session
    }

    /// As which it was opened.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Selects what a link says; a draw as soon as it is known.
    pub fn follow(&mut self, link: Link) {
        if let Some(frame) = link.frame {
            let frames = self.capture.frames();
            if let Some(place) = frames.iter().position(|each| each.number == frame) {
                self.select_frame(place);
            }
        }
        if let Some(call) = link.call {
            self.select_call(call);
        }
        if link.at.is_some() {
            self.selection.pixel = link.at;
        }
        self.link = (link.draw.is_some() || link.step).then_some(link);
        self.resolve();
    }

    /// Finds the draw that a link names by its number in the frame.
    fn resolve(&mut self) {
        let Some(Ok(outline)) = &self.outline else {
            return;
        };
        let Some(link) = self.link.take() else {
            return;
        };
        let passes = outline.passes.get(self.selection.frame);
        let mut draws = passes.into_iter().flatten().flat_map(|pass| &pass.draws);
        let draw = link.draw.and_then(|draw| draws.nth(draw.checked_sub(1)?));
        if let Some(call) = draw.copied() {
            self.select_call(call);
        }
        if let (true, Some(call), Some(_)) = (link.step, self.selection.call, self.selection.pixel)
        {
            self.selection.step = Some((call, None));
        }
    }

    /// The link to what is selected.
    pub fn link(&self) -> Link {
        let frame = self.frame().map(|frame| frame.number);
        Link {
            frame,
            call: self.selection.call,
            at: self.selection.pixel,
            step: self.selection.step.is_some(),
            ..Link::default()
        }
    }

    /// The selected frame; `None` in a capture without any.
    pub fn frame(&self) -> Option<&molehill_inspect::capture::Frame> {
        self.capture.frames().get(self.selection.frame)
    }

    /// Selects a frame, as it is at its end. The pixel stays, as it is the same place.
    pub fn select_frame(&mut self, place: usize) {
        let last = self.capture.frames().len().saturating_sub(1);
        let place = place.min(last);
        if place != self.selection.frame || self.selection.call.is_some() {
            self.selection = Selection {
                frame: place,
                pixel: self.selection.pixel,
                ..Selection::default()
            };
        }
    }

    /// Selects a call with its frame.
    pub fn select_call(&mut self, call: usize) {
        if self.capture.call(call).is_err() {
            return;
        }
        let frames = self.capture.frames();
        let place = frames.partition_point(|frame| frame.calls.end <= call);
        self.selection.frame = place.min(frames.len().saturating_sub(1));
        self.selection.call = Some(call);
    }

    /// Selects a pixel of the stage.
    pub fn select_pixel(&mut self, at: (u32, u32)) {
        self.selection.pixel = Some(at);
        self.selection.step = None;
    }

    /// The passes of all frames, once they are known.
    pub fn outline(&self) -> Option<&Outline> {
        self.outline.as_ref()?.as_ref().ok()
    }

    /// The passes of the selected frame.
    pub fn passes(&self) -> &[Pass] {
        let outline = self.outline();
        let passes = outline.and_then(|outline| outline.passes.get(self.selection.frame));
        passes.map_or(&[], Vec::as_slice)
    }

    /// The draw before or after the selection, in the whole capture.
    pub fn neighbour(&self, forward: bool) -> Option<usize> {
        let outline = self.outline()?;
        let all = outline.passes.iter().flatten().flat_map(|pass| &pass.draws);
        let here = self.selection.call;
        let frame = self.frame()?;
        match forward {
            true => {
                let from = here.unwrap_or(frame.calls.end.saturating_sub(1));
                all.copied().find(|draw| *draw > from)
            }
            false => {
                let from = here.unwrap_or(frame.calls.end);
                all.copied().take_while(|draw| *draw < from).last()
            }
        }
    }

    /// Whether a call is a draw that was carried out.
    pub fn is_draw(&self, call: usize) -> bool {
        let mut passes = self.passes().iter();
        passes.any(|pass| pass.draws.binary_search(&call).is_ok())
    }

    /// The answer to a question: it is asked unless it was. `None` as long as there is none.
    pub fn ask(&mut self, question: Question) -> Option<Result<&Reply, &str>> {
        let place = self
            .answers
            .iter()
            .position(|(other, _)| *other == question);
        let Some(place) = place else {
            if !self.wanted.contains(&question) {
                self.wanted.push(question);
            }
            return None;
        };
        match &self.answers.get(place)?.1 {
            Answer::Waiting => None,
            Answer::Done(Ok(reply)) => Some(Ok(reply)),
            Answer::Done(Err(error)) => Some(Err(error)),
        }
    }

    /// An answer that is there already.
    pub fn known(&self, question: &Question) -> Option<&Reply> {
        let mut answers = self.answers.iter();
        match answers.find(|(other, _)| other == question) {
            Some((_, Answer::Done(Ok(reply)))) => Some(reply),
            _ => None,
        }
    }

    /// Whether all answers about the selection are there, which are soon.
    pub fn is_answered(&self) -> bool {
        let mut answers = self.answers.iter();
        !answers.any(|(question, answer)| matches!(answer, Answer::Waiting) && !question.is_slow())
    }

    /// Forgets an answer, because what it was about is another one now.
    pub fn forget(&mut self, question: &Question) {
        self.answers.retain(|(other, _)| other != question);
    }

    /// Takes notice that a question has no answer to come; another capture's is ignored.
    pub fn dropped(&mut self, capture: u64, question: &Question) {
        if capture == self.number {
            self.answers
                .retain(|(other, answer)| other != question || !matches!(answer, Answer::Waiting));
        }
    }

    /// Passes on what is asked.
    pub fn send(&mut self, worker: &Worker) {
        for question in std::mem::take(&mut self.wanted) {
            self.answers.push_back((question.clone(), Answer::Waiting));
            // Nobody waits for the one that it replaces; whoever does asks again.
            if let Some(dropped) = worker.ask(self.number, question) {
                self.forget(&dropped);
            }
        }
        while self.answers.len() > MAX_ANSWERS {
            self.answers.pop_front();
        }
    }

    /// Takes an answer; another capture's is ignored.
    pub fn take(&mut self, capture: u64, question: Question, reply: Result<Reply, String>) {
        if capture != self.number {
            return;
        }
        match reply {
            Ok(Reply::Outline(outline)) => {
                self.outline = Some(Ok(outline));
                self.resolve();
            }
            Err(error) if question == Question::Outline => self.outline = Some(Err(error)),
            reply => {
                if let Some((_, answer)) = self
                    .answers
                    .iter_mut()
                    .find(|(other, _)| *other == question)
                {
                    *answer = Answer::Done(reply);
                }
            }
        }
    }
}
