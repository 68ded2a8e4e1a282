//! Injects a failure into every GL call of small programs, one at a time, in each way in which the call can fail.
#![allow(unsafe_code, reason = "a cache of programs")]

mod programs;
mod world;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use crate::common::{APIS, logged};
use backend_gl::offscreen::{Offscreen, OffscreenOptions};
use backend_gl::{GlBackend, GlDevice, ProgramCache};
use context3d::agal::Profile;
use context3d::backend::BackendError;
use context3d::{Context3D, ContextOptions, EndReason, Error};
use context3d_layers::{RecoverableBackend, RecoveryOptions};
use molehill_testing::trace::{
    InjectedError, calls, failing, failing_devices, faults, inject, objects, reopen, uncounted,
};
use world::{OnGl, Program, World};

/// Number of frames in which a call may fail. The image of the next frame is compared.
const FRAMES: usize = 2;
/// Environment variable: makes every call fail on real drivers, not only one call per function and type of failure.
const ALL: &str = "MOLEHILL_INJECT_ALL";

/// Creates devices.
type Devices = Rc<dyn Fn() -> Result<GlDevice, BackendError>>;
/// Creates the backends of a number of contexts.
type Backends<B> = Box<dyn Fn(usize) -> Result<Vec<B>, BackendError>>;
/// The index of the call that fails, and the type of failure.
type Injection = Option<(usize, InjectedError)>;

/// A configuration of backends on which the test programs run.
struct Setting<B> {
    name: String,
    backends: Backends<B>,
    /// True if the program continues after a loss of the device.
    recovers: bool,
    /// True for a debug context: errors are reported in their call, not only in their frame.
    debug: bool,
    /// The setting's index and the number of settings, if only one setting tests each pair of GL function and failure.
    share: Option<(usize, usize)>,
}

/// The record of one run of a program.
#[derive(Default)]
struct Run {
    /// The steps, with the indices of their first GL calls.
    steps: Vec<(String, usize)>,
    /// The readbacks of the last frame.
    seen: BTreeMap<String, Vec<u8>>,
    /// Number of objects by type at the end of the run.
    objects: BTreeMap<&'static str, usize>,
    /// The step during which the injected call failed.
    hit: Option<String>,
    /// True if the failure was reported: returned or logged.
    reported: bool,
    /// True if a call returned the `OutOfMemory` error of an earlier call in the same frame.
    late: bool,
    /// True if a call returned that the device is lost.
    lost: bool,
    wrong: Vec<String>,
}

impl Run {
    /// Runs a step, and repeats it once if it fails.
    fn step<T, B>(
        &mut self,
        name: &str,
        setting: &Setting<B>,
        fault: Injection,
        mut run: impl FnMut() -> Result<T, Error>,
    ) -> Option<T> {
        let first = calls();
        self.steps.push((name.to_owned(), first));
        let result = run();
        let hit = fault.filter(|(number, _)| (first..calls()).contains(number));
        if hit.is_some() {
            self.hit = Some(name.to_owned());
        }
        let silent = logged::take().is_empty() && result.is_ok();
        self.reported |= self.hit.is_some() && !silent;
        let is = |error: &Error, what: BackendError| *error == Error::Backend(what);
        let error = match result {
            Ok(done) => {
                let due = setting.debug && hit.is_some() && name != "open"
                    || hit.is_none() && name.starts_with("present");
                let is_error = matches!(fault, Some((_, InjectedError::Error(_))));
                if is_error && due && self.hit.is_some() && !self.reported {
                    self.wrong.push(format!("not reported by the end of \"{name}\""));
                    self.reported = true; // once
                }
                return Some(done);
            }
            Err(error) => error,
        };
        let losing = matches!(fault, Some((_, InjectedError::Lost))) && self.hit.is_some();
        if losing && name != "open" {
            self.lost |= is(&error, BackendError::Lost);
            if setting.recovers {
                self.wrong.push(format!("\"{name}\": {error:?}"));
            }
            return None;
        }
        let memory = matches!(fault, Some((_, InjectedError::Error(0x505)))) && self.hit.is_some();
        let late = memory
            && !self.late
            && name.starts_with("present")
            && is(&error, BackendError::OutOfMemory);
        self.late |= late;
        if !losing && (hit.is_none() && !late || is(&error, BackendError::Lost)) {
            self.wrong.push(format!("\"{name}\" fails: {error:?}"));
        }
        let again = run();
        logged::take();
        again.map_err(|error| self.wrong.push(format!("\"{name}\" fails again: {error:?}"))).ok()
    }

    fn play<B: OnGl>(&mut self, setting: &Setting<B>, program: &Program<B>, fault: Injection) {
        let options = ContextOptions { profile: Profile::StandardExtended, swf_version: 50 };
        let opened = self.step("open", setting, fault, || {
            let backends = (setting.backends)(program.contexts).map_err(Error::Backend)?;
            Ok(backends.into_iter().map(|backend| Context3D::new(backend, options)).collect())
        });
        // After a failure, the device uses workarounds for the missing features.
        self.reported |= self.hit.is_some();
        let Some(contexts) = opened else { return };
        let mut world = World::new(contexts);
        let frames = (0..=FRAMES).flat_map(|_| &program.frame);
        for step in program.setup.iter().chain(frames) {
            self.step(step.name, setting, fault, || (step.run)(&mut world));
        }
        self.steps.push(("drop".to_owned(), calls()));
        if matches!(fault, Some((_, InjectedError::Lost)))
            && self.hit.as_deref().is_some_and(|hit| hit != "open")
            && !setting.recovers
        {
            let ended = world.contexts.iter_mut().all(|context| {
                // This context has had no call yet.
                let last = context.present();
                self.lost |= last == Err(Error::Backend(BackendError::Lost));
                context.ended() == Some(EndReason::Lost)
            });
            if !ended || !self.lost {
                self.wrong.push("a context has not ended".to_owned());
            }
        }
        self.objects = objects();
        self.seen = std::mem::take(&mut world.seen);
    }
}

/// Runs a program with an injected failure. Returns the run's record and the names of the called GL functions.
fn run<B: OnGl>(
    setting: &Setting<B>,
    program: &Program<B>,
    fault: Injection,
) -> (Run, Vec<&'static str>) {
    let mut run = Run::default();
    logged::take();
    let (left, calls) = inject(fault, || {
        let played = catch_unwind(AssertUnwindSafe(|| run.play(setting, program, fault)));
        if played.is_err() {
            run.wrong.push("a panic".to_owned());
        }
        objects()
    });
    let lost = matches!(fault, Some((_, InjectedError::Lost)));
    let deleting = fault.is_some_and(|(number, _)| calls[number].starts_with("glDelete"));
    if !left.is_empty() && !lost && !deleting {
        run.wrong.push(format!("not deleted: {left:?}"));
    }
    (run, calls)
}

/// Totals over all runs: programs, GL calls, injected failures and findings.
#[derive(Default)]
struct Counts {
    programs: usize,
    calls: usize,
    /// Number of pairs of GL function and failure so far.
    turn: usize,
    injections: BTreeMap<String, usize>,
    findings: BTreeMap<String, usize>,
}

/// Runs a program once for each GL call and type of failure.
fn torture<B: OnGl>(setting: &Setting<B>, program: &Program<B>, counts: &mut Counts) {
    let (plain, functions) = run(setting, program, None);
    assert_eq!(plain.wrong, [""; 0], "{}, {}: without a failure", setting.name, program.name);
    let starts: Vec<usize> = plain.steps.iter().map(|(_, first)| *first).collect();
    let last = program.setup.len() + FRAMES * program.frame.len();
    counts.programs += 1;
    counts.calls += starts[last + 1];
    let mut sites: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, function) in functions[..starts[last + 1]].iter().enumerate() {
        sites.entry(function).or_default().push(number);
    }
    for (function, sites) in sites {
        for fault in faults(function) {
            counts.turn += 1;
            let chosen = match setting.share {
                None => sites.clone(),
                // The pairs of GL function and failure are distributed over the settings.
                Some((turn, of)) if counts.turn % of == turn => {
                    vec![sites[counts.turn * 7 % sites.len()]]
                }
                Some(_) => continue,
            };
            for number in chosen {
                inject_one(setting, program, &plain, (number, function, fault), counts);
            }
        }
    }
}

/// Runs a program with one failing call, and compares the run with a run without failure.
fn inject_one<B: OnGl>(
    setting: &Setting<B>,
    program: &Program<B>,
    plain: &Run,
    (number, function, fault): (usize, &str, InjectedError),
    counts: &mut Counts,
) {
    let (run, _) = run(setting, program, Some((number, fault)));
    *counts.injections.entry(format!("{fault:?}")).or_default() += 1;
    let mut wrong = run.wrong.clone();
    let lost =
        fault == InjectedError::Lost && !setting.recovers && run.hit.as_deref() != Some("open");
    if run.hit.is_none() {
        wrong.push("nothing failed".to_owned());
    }
    let deleting = function.starts_with("glDelete");
    // After a failure while the context is opened, the device may use workarounds, which create other objects.
    let other = deleting || run.hit.as_deref() == Some("open");
    if !lost && !other && run.objects != plain.objects {
        wrong.push(format!("objects {:?}, not {:?}", run.objects, plain.objects));
    }
    for (what, seen) in plain.seen.iter().filter(|_| !lost) {
        if run.seen.get(what) != Some(seen) {
            wrong.push(format!("another \"{what}\""));
        }
    }
    for what in wrong {
        let hit = run.hit.as_deref().unwrap_or("nothing");
        let text =
            format!("{}: {}, \"{hit}\", {function}, {fault:?}: {what}", setting.name, program.name);
        *counts.findings.entry(text).or_default() += 1;
    }
}

fn report(what: &str, counts: &Counts) {
    let injections: usize = counts.injections.values().sum();
    println!(
        "{what}: {} programs, {} calls × {} errors = {injections} injections: {:?}",
        counts.programs,
        counts.calls,
        injections / counts.calls.max(1),
        counts.injections
    );
    let findings: Vec<_> =
        counts.findings.iter().map(|(text, times)| format!("{times} × {text}")).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

fn plain(
    name: &str,
    devices: Devices,
    debug: bool,
    share: Option<(usize, usize)>,
) -> Setting<GlBackend> {
    let backends = move |count| {
        let device = devices()?;
        (0..count).map(|_| device.backend()).collect()
    };
    Setting { name: name.to_owned(), backends: Box::new(backends), recovers: false, debug, share }
}

type Open = Box<dyn FnMut() -> Result<GlBackend, BackendError>>;

fn recovering(
    name: &str,
    devices: Devices,
    share: Option<(usize, usize)>,
) -> Setting<RecoverableBackend<GlBackend, Open>> {
    let backends = move |count| {
        // The contexts share the device until it is lost.
        let current = Rc::new(RefCell::new(None::<GlDevice>));
        let open = |_| {
            let (devices, current) = (Rc::clone(&devices), Rc::clone(&current));
            let open: Open = Box::new(move || {
                if let Some(device) = &*current.borrow()
                    && let Ok(backend) = device.backend()
                {
                    return Ok(backend);
                }
                let device = devices()?;
                current.replace(Some(device.clone()));
                device.backend()
            });
            RecoverableBackend::new(open, RecoveryOptions::default())
        };
        (0..count).map(open).collect()
    };
    Setting {
        name: format!("{name}, recovering"),
        backends: Box::new(backends),
        recovers: true,
        debug: false,
        share,
    }
}

/// A program cache for one device.
#[derive(Debug, Default)]
struct Cache(Mutex<HashMap<String, Vec<u8>>>);

impl ProgramCache for Cache {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().expect("one thread").get(name).cloned()
    }

    fn store(&self, name: &str, bytes: &[u8]) {
        self.0.lock().expect("one thread").insert(name.to_owned(), bytes.to_vec());
    }
}

/// Returns a function that creates devices, each on a new context.
fn driver(options: OffscreenOptions) -> Devices {
    Rc::new(move || {
        reopen();
        let offscreen = uncounted(|| Offscreen::open_with(&failing(options)));
        let device =
            offscreen.map_err(|error| BackendError::Driver(error.to_string()))?.device()?;
        // SAFETY: the cache returns the stored bytes.
        unsafe { device.set_program_cache(Arc::new(Cache::default())) };
        Ok(device)
    })
}

#[test]
fn every_call_may_fail() {
    logged::start();
    let mut counts = Counts::default();
    let devices = failing_devices();
    let devices: Devices = Rc::new(move || {
        reopen();
        devices()
    });
    for program in programs::all() {
        torture(&plain("no GL", Rc::clone(&devices), false, None), &program, &mut counts);
    }
    for program in programs::all().into_iter().filter(|program| program.name != "host") {
        torture(&recovering("no GL", Rc::clone(&devices), None), &program, &mut counts);
    }
    report("without GL", &counts);
}

#[test]
fn every_call_of_a_driver_may_fail() {
    logged::start();
    let share = |turn| std::env::var_os(ALL).is_none().then_some((turn, 24));
    let mut counts = Counts::default();
    for (turn, api) in (0..).step_by(3).zip(APIS) {
        let options = |debug| OffscreenOptions { debug, ..OffscreenOptions::new(api) };
        for program in programs::all() {
            let setting = plain(&api.to_string(), driver(options(false)), false, share(turn));
            torture(&setting, &program, &mut counts);
            let setting =
                plain(&format!("{api} with debug"), driver(options(true)), true, share(turn + 1));
            torture(&setting, &program, &mut counts);
        }
        for program in programs::all().into_iter().filter(|program| program.name != "host") {
            let setting = recovering(&api.to_string(), driver(options(false)), share(turn + 2));
            torture(&setting, &program, &mut counts);
        }
    }
    report("drivers", &counts);
}
