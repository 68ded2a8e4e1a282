//! An open capture, with its selection and the cached results of queries.

mod scan;

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;

use molehill_analysis::passes::RenderPass;
use molehill_analysis::pixel::RenderFace;
use molehill_analysis::{Capture, KEPT_BYTES};
use molehill_capture::objects::ObjectId;
use molehill_queries::explain::Explanation;
use scan::FrameSearch;

use crate::link::{Link, only};
use crate::worker::{InspectorQuestion, InspectorWorker, Outline, QuestionReply};

/// Maximum number of cached results, whose total size is limited, too. The oldest results are dropped first.
const MAX_ANSWERS: usize = 48;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionSelection {
    pub(crate) frame: usize,
    pub(crate) call: Option<usize>,
    pub(crate) pixel: Option<(u32, u32)>,
    pub(crate) texture: Option<RenderFace>,
    /// The debugged fragment at the selected pixel: the draw's call, and the fragment's index. Without an index, the
    /// last fragment that passed all tests.
    pub(crate) step: Option<(usize, Option<usize>)>,
    pub(crate) object: Option<ObjectId>,
}

pub(crate) struct Session {
    pub(crate) capture: Arc<Capture>,
    pub(crate) name: String,
    pub(crate) selection: SessionSelection,
    /// True if playback is stopped, the replay and the fast queries have finished, so that slow queries may start.
    pub(crate) settled: bool,
    pub(crate) number: u64,
    outline: Option<Result<Outline, String>>,
    answers: VecDeque<CachedAnswer>,
    /// Maximum total bytes of cached results that aren't shown.
    kept_bytes: usize,
    unsent: Vec<InspectorQuestion>,
    /// A link whose draw or debug step is selected as soon as the outline is known.
    link: Option<Link>,
    /// The error of a link to a missing frame, draw or call, until it is shown.
    pub(crate) not_found: Option<String>,
    history: History,
    /// The draws of the frame's list from top to bottom, if the list is filtered or sorted.
    pub(crate) listed: Option<Vec<usize>>,
    pub(crate) scan: FrameSearch,
    /// True if the capture is compared with its expected image, or with a capture that should be equal.
    pub(crate) expects: bool,
    pub(crate) explain: ExplainSearch,
}

/// The search for the calls that cause the difference between a frame and the compared image.
#[derive(Default)]
pub(crate) struct ExplainSearch {
    pub(crate) runs: bool,
    /// The frame of the search; `found` is the best result so far.
    pub(crate) frame: u32,
    pub(crate) found: Option<Explanation>,
    pub(crate) error: Option<String>,
}

struct CachedAnswer {
    question: InspectorQuestion,
    /// The result, or `None` while the query is pending.
    reply: Option<Result<QuestionReply, String>>,
    bytes: usize,
    /// True if the result was used in this UI frame.
    is_shown: Cell<bool>,
}

/// Maximum number of previous selections.
const MAX_HISTORY: usize = 500;

/// The previous selections, and the selections to which the user can go forward.
#[derive(Default)]
struct History {
    back: VecDeque<SessionSelection>,
    forth: Vec<SessionSelection>,
    /// True while consecutive changes, such as scrubbing, count as one change.
    moving: bool,
}

impl Session {
    /// Creates a session for a capture, and applies a link. `number` is the capture's id in [`InspectorWorker`].
    pub(crate) fn new(capture: Arc<Capture>, name: String, number: u64, link: Link) -> Session {
        let mut session = Session {
            capture,
            name,
            selection: SessionSelection::default(),
            settled: false,
            number,
            outline: None,
            answers: VecDeque::new(),
            kept_bytes: KEPT_BYTES,
            unsent: vec![InspectorQuestion::Outline],
            link: None,
            not_found: None,
            history: History::default(),
            listed: None,
            scan: FrameSearch::default(),
            expects: false,
            explain: ExplainSearch::default(),
        };
        if !link.selects() {
            session.scan = FrameSearch::at_opening();
        }
        session.follow(link);
        session
    }

    /// Applies the selection of a link. When the outline is known, selects the link's draw and debug step.
    pub(crate) fn follow(&mut self, link: Link) {
        if link.selects() {
            self.scan.stay();
        }
        match link.frame.as_ref().map(|frame| frame.frame(&self.capture)) {
            Some(Ok(number)) => self.select_frame(self.index_of(number)),
            Some(Err(error)) => self.not_found = Some(error.to_string()),
            None => {}
        }
        match link.call.as_ref().map(|call| call.call(&self.capture)) {
            Some(Ok(call)) => self.select_call(call),
            Some(Err(error)) => self.not_found = Some(error.to_string()),
            None => {}
        }
        if link.at.is_some() {
            (self.selection.pixel, self.selection.texture) = (link.at, None);
        }
        self.link = (link.draw.is_some() || link.step).then_some(link);
        self.resolve();
    }

    /// Selects the draw of the pending link by its index in the frame, and its debug step.
    fn resolve(&mut self) {
        let Some(Ok(outline)) = &self.outline else { return };
        let Some(link) = self.link.take() else { return };
        let passes = outline.passes.get(self.selection.frame);
        let draws = passes.into_iter().flatten().flat_map(|pass| pass.draws.iter().copied());
        let draws = draws.collect::<Vec<_>>();
        if let Some(draw) = link.draw {
            match draw.checked_sub(1).and_then(|draw| draws.get(draw)) {
                Some(call) => self.select_call(*call),
                None => {
                    let frame = self.frame_number().unwrap_or(0);
                    let error = format!("no draw {draw}: frame {frame} has {} draws", draws.len());
                    self.not_found = Some(error);
                }
            }
        }
        if let (true, Some(call), Some(_)) = (link.step, self.selection.call, self.selection.pixel)
        {
            self.selection.step = Some((call, None));
            // A debug step applies to a pixel of the draw's render target.
            self.selection.texture = self.target(call);
        }
    }

    /// Begins a comparison. `expects` is true if the other side is the expected result.
    pub(crate) fn compare(&mut self, expects: bool) {
        (self.expects, self.explain) = (expects, ExplainSearch::default());
        self.scan.stay();
        let of_old = |question: &InspectorQuestion| {
            matches!(
                question,
                InspectorQuestion::Difference
                    | InspectorQuestion::Wrong(_)
                    | InspectorQuestion::Explain(_)
            )
        };
        self.answers.retain(|answer| !of_old(&answer.question));
    }

    /// Continues the search for the cause of the frame's wrong pixels, if it is running.
    pub(crate) fn explain_on(&mut self) {
        if !self.explain.runs {
            return;
        }
        let question = InspectorQuestion::Explain(self.explain.frame);
        match self.ask(question.clone()) {
            None => return,
            Some(Ok(QuestionReply::Explain(found))) => {
                let (found, goes_on) = (**found).clone();
                (self.explain.runs, self.explain.found) = (goes_on, Some(found));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                let error = Some(error.to_owned());
                self.explain =
                    ExplainSearch { runs: false, error, ..std::mem::take(&mut self.explain) };
            }
        }
        self.forget(&question);
    }

    /// Returns the file name of the capture, without its folder.
    pub(crate) fn file_name(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }

    pub(crate) fn link(&self) -> Link {
        let call = self.selection.call.and_then(|call| u32::try_from(call).ok());
        let step = self.selection.step.is_some();
        // A link can't name a texture. With a debug step, the pixel belongs to the draw's render target.
        let has_pixel = step || self.selection.texture.is_none();
        Link {
            frame: self.frame_number().map(only),
            call: call.map(only),
            at: self.selection.pixel.filter(|_| has_pixel),
            step,
            ..Link::default()
        }
    }

    pub(crate) fn frame(&self) -> Option<&molehill_analysis::capture::CaptureFrame> {
        self.capture.frames().get(self.selection.frame)
    }

    pub(crate) fn frame_number(&self) -> Option<u32> {
        Some(self.frame()?.number)
    }

    /// Returns the selected call, or the last call of the selected frame.
    pub(crate) fn here(&self) -> Option<usize> {
        let last = || self.frame()?.calls.end.checked_sub(1).filter(|call| *call > 0);
        self.selection.call.or_else(last)
    }

    /// Selects the end of the frame with this index; an index too large selects the last frame. Keeps the pixel.
    pub(crate) fn select_frame(&mut self, index: usize) {
        let last = self.capture.frames().len().saturating_sub(1);
        let index = index.min(last);
        if index != self.selection.frame || self.selection.call.is_some() {
            let SessionSelection { pixel, texture, object, .. } = self.selection;
            self.selection = SessionSelection {
                frame: index,
                pixel,
                texture,
                object,
                ..SessionSelection::default()
            };
        }
    }

    /// Selects a call and its frame. Does nothing if the call doesn't exist.
    pub(crate) fn select_call(&mut self, call: usize) {
        if self.capture.call(call).is_err() {
            return;
        }
        let frames = self.capture.frames();
        let index = frames.partition_point(|frame| frame.calls.end <= call);
        self.selection.frame = index.min(frames.len().saturating_sub(1));
        self.selection.call = Some(call);
    }

    /// Changes the selection, and adds the previous selection to the history. Consecutive changes with `moving` add
    /// only one entry to the history.
    pub(crate) fn moved(&mut self, moving: bool, change: impl FnOnce(&mut Session)) {
        let before = self.selection;
        change(self);
        if self.selection == before {
            return;
        }
        self.scan.stay();
        let history = &mut self.history;
        if !(moving && history.moving) {
            history.back.push_back(before);
            history.forth.clear();
        }
        if history.back.len() > MAX_HISTORY {
            history.back.pop_front();
        }
        history.moving = moving;
    }

    /// Returns whether the user can go back, and whether the user can go forward.
    pub(crate) fn can_go(&self) -> [bool; 2] {
        [!self.history.back.is_empty(), !self.history.forth.is_empty()]
    }

    pub(crate) fn go_back(&mut self) {
        if let Some(before) = self.history.back.pop_back() {
            self.history.forth.push(std::mem::replace(&mut self.selection, before));
            self.history.moving = false;
        }
    }

    pub(crate) fn go_forth(&mut self) {
        if let Some(after) = self.history.forth.pop() {
            self.history.back.push_back(std::mem::replace(&mut self.selection, after));
            self.history.moving = false;
        }
    }

    /// Selects a pixel of a texture or, without a texture, of the stage.
    pub(crate) fn select_pixel(&mut self, texture: Option<RenderFace>, at: (u32, u32)) {
        (self.selection.pixel, self.selection.texture) = (Some(at), texture);
        self.selection.step = None;
    }

    /// Returns the passes of all frames, or `None` until they are known.
    pub(crate) fn outline(&self) -> Option<&Outline> {
        self.outline.as_ref()?.as_ref().ok()
    }

    /// Returns the passes of the selected frame. Returns an empty slice until the passes are known.
    pub(crate) fn passes(&self) -> &[RenderPass] {
        let outline = self.outline();
        let passes = outline.and_then(|outline| outline.passes.get(self.selection.frame));
        passes.map_or(&[], Vec::as_slice)
    }

    /// Returns the draw that is `by` draws after the selection; `by` may be negative. If a list of draws is filtered or
    /// sorted, uses the order of that list. A step past the first or last draw returns the first or last draw.
    pub(crate) fn adjacent_draw(&self, by: isize) -> Option<usize> {
        if let (Some(listed), Some(call)) = (&self.listed, self.selection.call)
            && let Some(at) = listed.iter().position(|draw| *draw == call)
        {
            let to = at.saturating_add_signed(by).min(listed.len().saturating_sub(1));
            return listed.get(to).copied().filter(|draw| *draw != call);
        }
        let passes = &self.outline()?.passes;
        let all = passes.iter().flatten().flat_map(|pass| pass.draws.iter().copied());
        let ends = &self.frame()?.calls;
        let skipped = by.unsigned_abs().saturating_sub(1);
        if by > 0 {
            let from = self.selection.call.unwrap_or(ends.end.saturating_sub(1));
            all.filter(|draw| *draw > from).take(skipped + 1).last()
        } else {
            let from = self.selection.call.unwrap_or(ends.end);
            let earlier = all.take_while(|draw| *draw < from).collect::<Vec<_>>();
            earlier.get(earlier.len().saturating_sub(skipped + 1)).copied()
        }
    }

    pub(crate) fn is_draw(&self, call: usize) -> bool {
        let mut passes = self.passes().iter();
        passes.any(|pass| pass.draws.binary_search(&call).is_ok())
    }

    /// Returns the texture face into which a draw or clear of the selected frame renders. Returns `None` for the back
    /// buffer and for other calls.
    pub(crate) fn target(&self, call: usize) -> Option<RenderFace> {
        let mut passes = self.passes().iter();
        // Each clear begins a pass, so it is the first call of its pass.
        let pass = passes
            .find(|pass| pass.calls.start == call || pass.draws.binary_search(&call).is_ok())?;
        pass.targets.first().copied()
    }

    pub(crate) fn is_target(&self, face: RenderFace) -> bool {
        let passes = self.outline().into_iter().flat_map(|all| &all.passes);
        passes.flatten().any(|pass| pass.targets.contains(&face))
    }

    /// Returns the result of a query or its error, or `None` while it is pending. Queues the query if necessary.
    pub(crate) fn ask(
        &mut self,
        question: InspectorQuestion,
    ) -> Option<Result<&QuestionReply, &str>> {
        if self.known(&question).is_none() && !self.unsent.contains(&question) {
            self.unsent.push(question);
            return None;
        }
        Some(self.known(&question)?.as_ref()?.as_ref().map_err(String::as_str))
    }

    /// Returns the cache entry of a query, if the query was queued.
    fn known(
        &self,
        question: &InspectorQuestion,
    ) -> Option<&Option<Result<QuestionReply, String>>> {
        let answer = self.answers.iter().find(|answer| answer.question == *question)?;
        answer.is_shown.set(true);
        Some(&answer.reply)
    }

    /// Returns the result of a query, or `None` while it is pending or if it failed. Queues the query if necessary.
    pub(crate) fn answer(&mut self, question: &InspectorQuestion) -> Option<&QuestionReply> {
        self.ask(question.clone())?.ok()
    }

    /// Like [`Session::answer`], but never queues the query.
    pub(crate) fn cached(&self, question: &InspectorQuestion) -> Option<&QuestionReply> {
        self.known(question)?.as_ref()?.as_ref().ok()
    }

    pub(crate) fn is_answered(&self) -> bool {
        let mut answers = self.answers.iter();
        !answers.any(|CachedAnswer { question, reply, .. }| {
            let later = question.is_slow() || *question == InspectorQuestion::Prepare;
            reply.is_none() && !later
        })
    }

    /// Drops an outdated result, so that the query can be repeated.
    pub(crate) fn forget(&mut self, question: &InspectorQuestion) {
        self.answers.retain(|answer| answer.question != *question);
    }

    /// Forgets a query that the worker dropped, so that it can be queued again. Ignores queries of other captures.
    pub(crate) fn dropped(&mut self, capture: u64, question: &InspectorQuestion) {
        if capture == self.number {
            self.answers.retain(|it| it.question != *question || it.reply.is_some());
        }
    }

    /// Sends the new queries to the worker, and drops results beyond the limits. Call this after each UI frame.
    pub(crate) fn send(&mut self, worker: &InspectorWorker) {
        for question in std::mem::take(&mut self.unsent) {
            let is_shown = Cell::new(true);
            let new = CachedAnswer { question: question.clone(), reply: None, bytes: 0, is_shown };
            self.answers.push_back(new);
            // The replaced query gets no result. The replaced query is queued again if a panel still needs the result.
            if let Some(dropped) = worker.ask(self.number, question) {
                self.forget(&dropped);
            }
        }
        self.drop_oldest();
    }

    /// Drops the oldest results beyond the limits, except for results used since the last call.
    fn drop_oldest(&mut self) {
        let mut bytes: usize = self.answers.iter().map(|answer| answer.bytes).sum();
        let (mut count, most) = (self.answers.len(), self.kept_bytes);
        self.answers.retain(|answer| {
            let is_shown = answer.is_shown.take();
            let goes = (count > MAX_ANSWERS || bytes > most) && !is_shown;
            count -= usize::from(goes);
            bytes -= if goes { answer.bytes } else { 0 };
            !goes
        });
    }

    /// Stores a result. Ignores results of other captures.
    pub(crate) fn take(
        &mut self,
        capture: u64,
        question: InspectorQuestion,
        reply: Result<QuestionReply, String>,
    ) {
        if capture != self.number {
            return;
        }
        match reply {
            Ok(QuestionReply::Outline(outline)) => {
                self.outline = Some(Ok(outline));
                self.resolve();
            }
            Err(error) if question == InspectorQuestion::Outline => self.outline = Some(Err(error)),
            reply => {
                let mut answers = self.answers.iter_mut();
                if let Some(answer) = answers.find(|answer| answer.question == question) {
                    answer.bytes = reply.as_ref().map_or(0, QuestionReply::bytes);
                    answer.reply = Some(reply);
                }
            }
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "../tests/unit/session.rs"]
mod tests;
