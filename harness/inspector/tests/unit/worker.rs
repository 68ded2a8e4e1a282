//! Tests the worker with and without threads.

use super::*;

const CAPTURE: &[u8] = br##"{"stage3dCapture":1,"title":"","swfVersion":30,"stageWidth":4,"stageHeight":4,"stageColor":"#102030"}
{"call":"requestContext3D","on":1,"result":2,"profile":"baseline","stage3DIndex":0,"context3DRenderMode":"auto"}
{"frame":0}
"##;

/// Returns a worker that can start this many threads.
fn worker_with_threads(mut threads: usize) -> InspectorWorker {
    InspectorWorker::start(Box::new(|| {}), &mut |lane| match threads.checked_sub(1) {
        Some(left) => {
            threads = left;
            spawn(lane)
        }
        None => false,
    })
}

fn next_message(worker: &mut InspectorWorker) -> Message {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(message) = worker.poll(false).into_iter().next() {
            return message;
        }
        assert!(Instant::now() < end, "no answer");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn every_question_is_answered_with_any_number_of_threads() {
    for threads in 0..=2 {
        let mut worker = worker_with_threads(threads);
        let (name, bytes) = ("a capture".to_owned(), Arc::from(CAPTURE));
        worker.open(QuestionRole::Main, CaptureSource::Bytes { name, bytes });
        let Message::Opened { capture, .. } = next_message(&mut worker) else {
            panic!("the capture opens first");
        };
        let quick = InspectorQuestion::State(1);
        for question in
            [InspectorQuestion::Objects, quick.clone(), InspectorQuestion::Outline, quick]
        {
            worker.ask(capture, question.clone());
            let Message::Answered { question: of, .. } = next_message(&mut worker) else {
                panic!("{threads} threads: no answer to {question:?}");
            };
            assert_eq!(of, question, "{threads} threads");
        }
        assert!(!worker.is_busy());
    }
}

#[test]
fn only_slow_questions_about_a_frame_make_way() {
    let worker = worker_with_threads(2);
    let [_, slow] = &worker.queues;
    for (question, gives_way) in [
        (InspectorQuestion::Frame(0), true),
        (InspectorQuestion::Thumbnails(1), true),
        (InspectorQuestion::Outline, false),
        (InspectorQuestion::Scan(4), false),
    ] {
        slow.cancelled.store(false, Ordering::Relaxed);
        slow.priority.store(WorkerJob::Ask(1, question.clone()).priority(), Ordering::Relaxed);
        worker.make_way();
        assert_eq!(slow.cancelled.load(Ordering::Relaxed), gives_way, "{question:?}");
    }
}

/// If the unchanged calls of an edited capture can no longer be read, saving fails and leaves no incomplete file.
#[test]
fn what_cannot_be_saved_whole_is_not_saved() {
    use molehill_analysis::CaptureLimits;
    use molehill_capture::CaptureReader;
    let folder = std::env::temp_dir().join(format!("molehill-save-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, saved) = (folder.join("source.s3d.jsonl"), folder.join("saved.s3d"));
    std::fs::write(&source, CAPTURE).unwrap();
    let limits = CaptureLimits { file_bytes: 0, ..CaptureLimits::default() };
    let capture = Capture::open(CaptureReader::open(&source).unwrap(), limits).unwrap();
    let name = saved.display().to_string();
    let save = |text: Option<&str>| answer::save(&name, text, Some(&capture));
    std::fs::write(&source, &CAPTURE[..150]).unwrap();
    assert!(matches!(save(None), Err(AnswerFailure::Failed(_))));
    let files = std::fs::read_dir(&folder).unwrap();
    assert_eq!(files.map(|file| file.unwrap().path()).collect::<Vec<_>>(), [source]);
    assert!(save(Some("changes")).is_ok() && save(Some("others")).is_err());
    assert_eq!(std::fs::read_to_string(&saved).unwrap(), "changes");
    std::fs::remove_dir_all(folder).unwrap();
}
