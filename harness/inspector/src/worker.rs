//! Reads sources and executes queries about captures, without blocking the UI.
//!
//! There are two job queues, each with its own [`Inspector`](molehill_analysis::Inspector): one for fast queries about
//! the selection, and one for slow queries. A separate thread executes the jobs of each queue. Without threads, the
//! main thread executes all jobs, a time slice in each call of [`InspectorWorker::poll`]. Only the newest query of each
//! type is executed. A new query cancels older queries of its type, and less urgent queries.

mod activity;
mod answer;
mod question;
mod searches;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use molehill_analysis::{Capture, SearchState};

use crate::source::{self, CaptureSource, SourceContent, SourceLoader};
use web_time::Instant;

pub use activity::FrameActivity;
use answer::AnswerFailure;
pub use answer::Outline;
pub use question::{InspectorQuestion, Message, QuestionReply, QuestionRole};
use searches::{ComparisonInput, Searches};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

enum WorkerJob {
    Open(QuestionRole, Box<SourceLoader>),
    Ask(u64, InspectorQuestion),
}

impl WorkerJob {
    fn priority(&self) -> u8 {
        match self {
            WorkerJob::Open(..) => 0,
            WorkerJob::Ask(_, question) => question.priority() + 1,
        }
    }
}

struct WorkerState {
    captures: Mutex<Captures>,
    progress: Arc<source::SourceProgress>,
    closed: AtomicBool,
    answers: Sender<Message>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Clone, Default)]
struct Captures {
    number: u64,
    main: Option<Arc<Capture>>,
    compared: ComparisonInput,
}

#[derive(Default)]
struct WorkerQueue {
    jobs: Mutex<VecDeque<WorkerJob>>,
    ready: Condvar,
    /// Number of queued and executing jobs.
    pending: AtomicU64,
    priority: AtomicU8,
    cancelled: AtomicBool,
    /// Progress of the current job, in thousandths.
    progress: AtomicU32,
    /// End of the current job's time slice, if the jobs are executed on the main thread.
    until: Mutex<Option<Instant>>,
}

impl WorkerQueue {
    /// Queues a job. Replaces a queued job of its type, and cancels a current job that isn't more urgent. Returns the
    /// queued query that `job` replaces.
    fn push(&self, job: WorkerJob) -> Option<InspectorQuestion> {
        let mut jobs = lock(&self.jobs);
        let same = jobs.iter().position(|other| match (other, &job) {
            (WorkerJob::Open(one, _), WorkerJob::Open(two, _)) => one == two,
            (one, two) => one.priority() == two.priority(),
        });
        let old = same.and_then(|at| jobs.remove(at));
        if old.is_none() {
            self.pending.fetch_add(1, Ordering::Relaxed);
        }
        if job.priority() <= self.priority.load(Ordering::Relaxed) {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        jobs.push_back(job);
        self.ready.notify_one();
        match old {
            Some(WorkerJob::Ask(_, question)) => Some(question),
            Some(WorkerJob::Open(..)) | None => None,
        }
    }

    /// Returns the most urgent job. With `urgent`, returns only jobs that open a source, and urgent queries.
    fn take(&self, jobs: &mut VecDeque<WorkerJob>, urgent: bool) -> Option<WorkerJob> {
        let waits = |job: &WorkerJob| match job {
            WorkerJob::Open(..) => true,
            WorkerJob::Ask(_, question) => !urgent || question.is_urgent(),
        };
        let wanted = jobs.iter().enumerate().filter(|(_, job)| waits(job));
        let (priority, at) = wanted.map(|(at, job)| (job.priority(), at)).min()?;
        self.priority.store(priority, Ordering::Relaxed);
        self.cancelled.store(false, Ordering::Relaxed);
        self.progress.store(0, Ordering::Relaxed);
        jobs.remove(at)
    }

    /// Stores the progress of the current job. Returns whether the job may continue.
    fn set_progress(&self, progress: SearchState, shared: &WorkerState) -> ControlFlow<()> {
        let thousandths = progress.done as u64 * 1000 / (progress.of as u64).max(1);
        self.progress.store(u32::try_from(thousandths).unwrap_or(1000), Ordering::Relaxed);
        let until = *lock(&self.until);
        let late = until.is_some_and(|until| Instant::now() >= until);
        let cancelled =
            self.cancelled.load(Ordering::Relaxed) || shared.closed.load(Ordering::Relaxed);
        if late || cancelled { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// First time slice of a query without threads. Each further slice is twice as long, so that queries which restart in
/// each slice finish eventually.
const SLICE: Duration = Duration::from_millis(60);

/// Executes the jobs of a queue, with its own inspector.
struct WorkerLane {
    queue: Arc<WorkerQueue>,
    shared: Arc<WorkerState>,
    inspector: Option<(u64, molehill_analysis::Inspector, Searches)>,
    /// The query that is executed in slices, and the length of its last slice.
    sliced: Option<(InspectorQuestion, Duration)>,
}

impl WorkerLane {
    fn do_one(&mut self, job: WorkerJob) {
        let began = Instant::now();
        let message = match job {
            WorkerJob::Open(role, mut opening) => {
                let until = self.until();
                match opening.advance(&self.shared.progress, until).transpose() {
                    Some(content) => {
                        let name = opening.name();
                        let content = content.map_err(|error| format!("{name}: {error}"));
                        self.opened(role, name, content)
                    }
                    None => return self.requeue(WorkerJob::Open(role, opening)),
                }
            }
            WorkerJob::Ask(capture, question) => match self.answer(capture, &question) {
                Ok(reply) => Message::Answered { capture, question, reply: Ok(reply) },
                Err(AnswerFailure::Cancelled) if self.is_unfinished(&question) => {
                    return self.requeue(WorkerJob::Ask(capture, question));
                }
                Err(AnswerFailure::Cancelled) => Message::Dropped { capture, question },
                Err(AnswerFailure::Failed(reason)) => {
                    Message::Answered { capture, question, reply: Err(reason) }
                }
            },
        };
        log::debug!("{message:?} after {:?}", began.elapsed());
        self.sliced = None;
        self.queue.priority.store(0, Ordering::Relaxed);
        self.queue.pending.fetch_sub(1, Ordering::Relaxed);
        // Sending fails only after the app is closed.
        let _ = self.shared.answers.send(message);
        (self.shared.wake)();
    }

    /// Queues a job again after its time slice, before newer jobs of the same priority.
    fn requeue(&self, job: WorkerJob) {
        lock(&self.queue.jobs).push_front(job);
    }

    fn opened(
        &self,
        role: QuestionRole,
        name: String,
        content: Result<SourceContent, String>,
    ) -> Message {
        let mut captures = self.captures();
        match (&content, role) {
            (Ok(SourceContent::Capture(capture)), QuestionRole::Main) => {
                captures.main = Some(Arc::clone(capture));
                captures.number += 1;
            }
            (Ok(SourceContent::Capture(capture)), QuestionRole::Baseline) => {
                captures.compared =
                    ComparisonInput { capture: Some(Arc::clone(capture)), picture: None };
            }
            // An opened image always becomes the second side of a comparison.
            (Ok(SourceContent::Picture(picture)), _) => {
                captures.compared =
                    ComparisonInput { capture: None, picture: Some(Arc::clone(picture)) };
            }
            (Err(_), _) => {}
        }
        let capture = captures.number;
        *lock(&self.shared.captures) = captures;
        Message::Opened { role, capture, name, content }
    }

    fn captures(&self) -> Captures {
        lock(&self.shared.captures).clone()
    }

    /// Returns whether a query was interrupted only by the end of its time slice.
    fn is_unfinished(&self, question: &InspectorQuestion) -> bool {
        let sliced = self.sliced.as_ref().is_some_and(|(other, _)| other == question);
        sliced && !self.queue.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the end of the time slice, or `None` on a worker thread.
    fn until(&self) -> Option<Instant> {
        *lock(&self.queue.until)
    }

    fn begin_slice(&mut self, job: &WorkerJob) {
        let time = match job {
            WorkerJob::Open(..) => SLICE,
            WorkerJob::Ask(_, question) => {
                let before = self.sliced.take().filter(|(other, _)| other == question);
                let time = before.map_or(SLICE, |(_, time)| time * 2);
                self.sliced = Some((question.clone(), time));
                time
            }
        };
        *lock(&self.queue.until) = Some(Instant::now() + time);
    }

    fn answer(
        &mut self,
        capture: u64,
        question: &InspectorQuestion,
    ) -> Result<QuestionReply, AnswerFailure> {
        let captures = self.captures();
        let main = captures.main.filter(|_| captures.number == capture);
        let main =
            main.ok_or_else(|| AnswerFailure::Failed("another capture was opened".to_owned()))?;
        let fresh = match self.inspector.take() {
            Some((number, inspector, searches)) if number == capture => (inspector, searches),
            _ => {
                let searches = Searches::new(&main);
                let mut inspector = molehill_analysis::Inspector::new(main);
                let (queue, shared) = (Arc::clone(&self.queue), Arc::clone(&self.shared));
                inspector.on_progress(move |progress| queue.set_progress(progress, &shared));
                (inspector, searches)
            }
        };
        let (_, inspector, searches) = self.inspector.insert((capture, fresh.0, fresh.1));
        question.answer(inspector, searches, &captures.compared)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn run(mut self) {
        let queue = Arc::clone(&self.queue);
        loop {
            let mut jobs = lock(&queue.jobs);
            let job = loop {
                if self.shared.closed.load(Ordering::Relaxed) {
                    return;
                }
                match queue.take(&mut jobs, false) {
                    Some(job) => break job,
                    None => jobs = queue.ready.wait(jobs).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(jobs);
            self.do_one(job);
        }
    }
}

/// Starts the worker thread that executes the jobs of a queue. Returns false if the system can't start a thread.
#[cfg(not(target_arch = "wasm32"))]
fn spawn(lane: WorkerLane) -> bool {
    let thread = std::thread::Builder::new().name("inspector".to_owned());
    thread.spawn(move || lane.run()).is_ok()
}

/// Returns false, because a web page has no threads.
#[cfg(target_arch = "wasm32")]
fn spawn(_: WorkerLane) -> bool {
    false
}

pub struct InspectorWorker {
    queues: [Arc<WorkerQueue>; 2],
    shared: Arc<WorkerState>,
    messages: Receiver<Message>,
    /// Executes jobs in [`InspectorWorker::poll`], if there are no worker threads.
    lane: Option<WorkerLane>,
}

impl InspectorWorker {
    /// Starts the worker threads, which call `wake` when [`InspectorWorker::poll`] has a message.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> InspectorWorker {
        InspectorWorker::start(Box::new(wake), &mut spawn)
    }

    /// Like [`InspectorWorker::new`], but `spawn` starts a worker thread and returns whether the thread started.
    fn start(
        wake: Box<dyn Fn() + Send + Sync>,
        spawn: &mut dyn FnMut(WorkerLane) -> bool,
    ) -> InspectorWorker {
        let (answers, messages) = channel();
        let shared = Arc::new(WorkerState {
            captures: Mutex::default(),
            progress: Arc::default(),
            closed: AtomicBool::new(false),
            answers,
            wake,
        });
        let lane = |queue: &Arc<WorkerQueue>| WorkerLane {
            queue: Arc::clone(queue),
            shared: Arc::clone(&shared),
            inspector: None,
            sliced: None,
        };
        let (quick, slow) = (Arc::<WorkerQueue>::default(), Arc::<WorkerQueue>::default());
        let has_thread = spawn(lane(&quick));
        // If the second worker thread can't be started, the first executes all jobs.
        let slow = if has_thread && spawn(lane(&slow)) { slow } else { Arc::clone(&quick) };
        InspectorWorker {
            lane: (!has_thread).then(|| lane(&quick)),
            queues: [quick, slow],
            shared,
            messages,
        }
    }

    /// Starts reading the capture or image of a source. The result is a [`Message::Opened`].
    pub fn open(&self, role: QuestionRole, source: CaptureSource) {
        let [queue, _] = &self.queues;
        queue.push(WorkerJob::Open(role, Box::new(SourceLoader::new(source))));
    }

    /// Queues a query about the capture with this id. Returns the queued query that the new query replaces and cancels.
    pub fn ask(&self, capture: u64, question: InspectorQuestion) -> Option<InspectorQuestion> {
        let [quick, slow] = &self.queues;
        let queue = if question.is_slow() { slow } else { quick };
        queue.push(WorkerJob::Ask(capture, question))
    }

    /// Drops the current slow query about a frame, so that queries about a new selection can start.
    pub fn make_way(&self) {
        let [_, slow] = &self.queues;
        let current = slow.priority.load(Ordering::Relaxed).checked_sub(1);
        slow.cancelled
            .fetch_or(current.is_some_and(InspectorQuestion::is_of_frame), Ordering::Relaxed);
    }

    /// Returns the messages since the last call. Without threads, first executes a job for a time slice. If
    /// `replaying`, executes only jobs that the replay and the lists need.
    pub fn poll(&mut self, replaying: bool) -> Vec<Message> {
        if let Some(lane) = &mut self.lane {
            let queue = Arc::clone(&lane.queue);
            let job = queue.take(&mut lock(&queue.jobs), replaying);
            if let Some(job) = job {
                lane.begin_slice(&job);
                lane.do_one(job);
            }
        }
        self.messages.try_iter().collect()
    }

    pub fn is_busy(&self) -> bool {
        let mut queues = self.queues.iter();
        queues.any(|queue| queue.pending.load(Ordering::Relaxed) > 0)
    }

    /// Returns the progress of the least advanced current job, from 0 to 1.
    pub fn fraction(&self) -> f32 {
        let fractions =
            self.queues.iter().filter(|queue| queue.pending.load(Ordering::Relaxed) > 0);
        let fractions = fractions.map(|queue| queue.progress.load(Ordering::Relaxed));
        f32::from(u16::try_from(fractions.min().unwrap_or(0)).unwrap_or(1000)) / 1000.0
    }

    pub fn progress(&self) -> &source::SourceProgress {
        &self.shared.progress
    }
}

impl Drop for InspectorWorker {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        for queue in &self.queues {
            // Takes the lock, so that no worker thread is between its check of `closed` and its wait.
            let _jobs = lock(&queue.jobs);
            queue.ready.notify_all();
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "../tests/unit/worker.rs"]
mod tests;
