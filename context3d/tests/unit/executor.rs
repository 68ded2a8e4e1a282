use super::*;

fn held() -> (Executor, Arc<Mutex<Vec<Task>>>) {
    let tasks: Arc<Mutex<Vec<Task>>> = Arc::default();
    let kept = Arc::clone(&tasks);
    (Executor::new(10, move |task| kept.lock().expect("no panic").push(task)), tasks)
}

#[test]
fn bytes_in_flight_are_bounded_and_returned() {
    let (executor, tasks) = held();
    let first = executor.reserve(usize::MAX).expect("a single one may be larger").start(|| 1);
    assert!(executor.reserve(1).is_none());
    drop(first);
    assert_eq!(executor.bytes_in_flight(), 0);
    let first = executor.reserve(4).expect("room").start(|| 1);
    let second = executor.reserve(6).expect("room").start(|| 2);
    assert!(executor.clone().reserve(1).is_none(), "clones share their bytes");
    assert_eq!((second.wait().as_deref(), second.is_ended()), (Some(&2), true));
    for task in tasks.lock().expect("no panic").drain(..) {
        task();
    }
    assert_eq!((first.is_ended(), executor.bytes_in_flight()), (true, 10));
    assert_eq!(first.wait().as_deref(), Some(&1));
    drop((first, second));
    assert_eq!(executor.bytes_in_flight(), 0);
}

#[test]
fn a_job_that_panics_ends() {
    let (executor, _) = held();
    let job = executor.reserve(1).expect("room").start(|| -> u8 { panic!("deliberate") });
    assert_eq!((job.wait(), job.is_ended()), (None, true));
}

/// If a thread has begun a job, another thread waits for the result.
#[test]
fn a_job_is_done_once() {
    let (executor, tasks) = held();
    let (begun, begins) = std::sync::mpsc::channel();
    let (go, goes) = std::sync::mpsc::channel();
    let job = executor.reserve(1).expect("room").start(move || {
        begun.send(()).expect("a listener");
        goes.recv().expect("a sender");
        std::thread::current().id()
    });
    let task = tasks.lock().expect("no panic").pop().expect("a task");
    let worker = std::thread::spawn(task);
    begins.recv().expect("it begins");
    assert!(!job.is_ended());
    let worked = worker.thread().id();
    let waiting = Arc::clone(&job);
    let waiter = std::thread::spawn(move || waiting.wait());
    go.send(()).expect("a listener");
    assert_eq!(job.wait().as_deref(), Some(&worked));
    assert_eq!(waiter.join().expect("no panic").as_deref(), Some(&worked));
    worker.join().expect("no panic");
}

#[test]
fn a_pool_ends_with_its_last_executor() {
    let executor = Executor::threads();
    let (go, goes) = std::sync::mpsc::channel::<()>();
    let goes = Mutex::new(goes);
    let goes = Arc::new(goes);
    let jobs: Vec<_> = (0..3)
        .map(|_| {
            let goes = Arc::clone(&goes);
            let work = move || goes.lock().expect("no panic").recv().is_err();
            executor.reserve(1).expect("room").start(work)
        })
        .collect();
    drop(go);
    drop(executor);
    // Each job has run or was cancelled, because no thread works any more.
    assert!(jobs.iter().all(|job| job.is_ended() && job.wait().as_deref() == Some(&true)));
}
