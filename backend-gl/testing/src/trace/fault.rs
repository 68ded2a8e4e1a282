//! Injects an error into one GL call, in each way in which drivers fail, and counts calls and objects.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use backend_gl::glow;

use super::P;

/// The way in which a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedError {
    /// The call is not executed and returns zero; afterwards, `glGetError` returns this error.
    Error(u32),
    /// The context is lost: neither this call nor any later one is executed.
    Lost,
    /// The call is not executed and returns this value without an error; names that it creates are 0.
    Returns(u32),
    /// The driver rejects the shader or program with this log.
    Refused(&'static str),
}

/// Errors that a driver may report for every call.
const ANY: [InjectedError; 3] = [
    InjectedError::Error(glow::INVALID_OPERATION),
    InjectedError::Error(glow::OUT_OF_MEMORY),
    InjectedError::Lost,
];
/// `GL_FRAMEBUFFER_UNSUPPORTED` and `GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT`
const INCOMPLETE: &[InjectedError] =
    &[InjectedError::Returns(0x8CDD), InjectedError::Returns(0x8CD6)];
const REFUSED: &[InjectedError] =
    &[InjectedError::Refused("0:1(1): error: refused"), InjectedError::Refused("")];
const NOTHING: &[InjectedError] = &[InjectedError::Returns(0)];

/// Failures that only particular GL functions can have, in addition to [`ANY`].
const OWN: &[(&str, &[InjectedError])] = &[
    ("glCheckFramebufferStatus", INCOMPLETE),
    ("glCompileShader", REFUSED),
    ("glCreateProgram", NOTHING),
    ("glCreateShader", NOTHING),
    ("glGenBuffers", NOTHING),
    ("glGenFramebuffers", NOTHING),
    ("glGenRenderbuffers", NOTHING),
    ("glGenSamplers", NOTHING),
    ("glGenTextures", NOTHING),
    ("glGenVertexArrays", NOTHING),
    ("glGetString", NOTHING),
    ("glLinkProgram", REFUSED),
    ("glMapBufferRange", NOTHING),
    ("glProgramBinary", REFUSED),
    ("glUnmapBuffer", NOTHING),
];

/// Functions that create an object at the first bind of its name. Later binds of the name fail only on a lost context.
/// The list of calls contains a later bind under the second name of its pair.
const BINDS: [(&str, &str); 2] =
    [("glBindBuffer", "glBindBuffer again"), ("glBindTexture", "glBindTexture again")];

/// Returns all ways in which a function can fail.
pub fn faults(function: &str) -> impl Iterator<Item = InjectedError> {
    // `reports` is true for functions that only report errors or constants, or bind an existing object.
    let reports = ["glGetError", "glGetGraphicsReset", "glGetString"]
        .iter()
        .any(|name| function.starts_with(name))
        || BINDS.iter().any(|(_, again)| *again == function);
    let own = OWN.iter().filter(move |(name, _)| *name == function).flat_map(|(_, own)| *own);
    ANY.into_iter().skip(if reports { 2 } else { 0 }).chain(own.copied())
}

/// The failure to inject, and the calls and objects that are recorded meanwhile.
#[derive(Default)]
struct FaultInjector {
    /// The names of the called functions, in order.
    calls: Vec<&'static str>,
    /// Created objects that were not deleted, by type. A lost context has no objects.
    alive: BTreeSet<(&'static str, u32)>,
    /// The objects that were bound, by function.
    bound: BTreeSet<(&'static str, u32)>,
    /// The index of the call that fails, and the type of failure.
    fault: Option<(usize, InjectedError)>,
    error: u32,
    lost: bool,
    pauses: bool,
    /// Rejected shaders and programs, with their logs.
    refused: BTreeMap<usize, &'static str>,
}

thread_local! {
    static DRIVER: RefCell<FaultInjector> = RefCell::default();
}

/// Runs a closure, and makes the GL call with this 0-based index fail in the failing contexts of this thread. Returns
/// the closure's result and the names of the called GL functions.
pub fn inject<T>(
    fault: Option<(usize, InjectedError)>,
    action: impl FnOnce() -> T,
) -> (T, Vec<&'static str>) {
    DRIVER.set(FaultInjector { fault, ..FaultInjector::default() });
    let result = action();
    (result, DRIVER.take().calls)
}

pub fn calls() -> usize {
    DRIVER.with_borrow(|driver| driver.calls.len())
}

/// Returns the number of objects that were created and not deleted, by type.
pub fn objects() -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    DRIVER.with_borrow(|driver| {
        driver.alive.iter().for_each(|(kind, _)| *counts.entry(*kind).or_default() += 1);
    });
    counts
}

/// Runs code that can't handle failures, without counting its GL calls: glow reads the list of extensions unchecked.
pub fn uncounted<T>(action: impl FnOnce() -> T) -> T {
    DRIVER.with_borrow_mut(|driver| driver.pauses = true);
    let result = action();
    DRIVER.with_borrow_mut(|driver| driver.pauses = false);
    result
}

/// Records the opening of another context: the objects of a lost context don't exist any more.
pub fn reopen() {
    DRIVER.with_borrow_mut(|driver| {
        if std::mem::take(&mut driver.lost) {
            driver.alive.clear();
        }
    });
}

/// A GL value that converts to a number and back.
pub(super) trait GlWord: Sized {
    fn word(self) -> usize;
    fn of(word: usize) -> Self;
}

macro_rules! words {
    ($($ty:ty)+) => {$(
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "names, enums and pointers come back as they were")]
        impl GlWord for $ty {
            fn word(self) -> usize { self as usize }
            fn of(word: usize) -> Self { word as Self }
        }
    )+};
}

words!(u8 i32 u32 u64 isize f32);

impl GlWord for P {
    fn word(self) -> usize {
        self.expose_provenance()
    }
    fn of(word: usize) -> Self {
        std::ptr::with_exposed_provenance(word)
    }
}

impl GlWord for () {
    fn word(self) -> usize {
        0
    }
    fn of(_: usize) -> Self {}
}

/// Handles the start of a call. Returns `Some` with the result of a call that is not executed. `out` points to memory
/// that the call writes.
pub(super) fn before(name: &'static str, args: &[usize], out: P) -> Option<usize> {
    DRIVER.with_borrow_mut(|driver| driver.before(name, args, out))
}

/// Updates the injector's state after the driver has executed a GL call.
pub(super) fn after(name: &'static str, args: &[usize], names: P, answer: usize) {
    DRIVER.with_borrow_mut(|driver| driver.after(name, args, names, answer));
}

fn number(word: usize) -> u32 {
    u32::try_from(word).unwrap_or(u32::MAX)
}

/// Reads the object names that a call receives in memory.
///
/// # Safety
/// `names` points to memory with `count` object names.
unsafe fn names(count: usize, names: P) -> Vec<u32> {
    // SAFETY: the caller guarantees that `names` points to `count` names.
    (0..count).map(|n| unsafe { names.cast::<u32>().add(n).read() }).collect()
}

impl FaultInjector {
    fn before(&mut self, name: &'static str, args: &[usize], out: P) -> Option<usize> {
        if self.pauses {
            return None;
        }
        let first = args.first().copied().unwrap_or(0);
        let fault = self.fault.filter(|(number, _)| *number == self.calls.len());
        let second = args.get(1).map_or(0, |name| number(*name));
        let again = BINDS.iter().find(|(bind, _)| *bind == name);
        let again = again.filter(|_| second == 0 || self.bound.contains(&(name, second)));
        self.calls.push(again.map_or(name, |(_, again)| again));
        match fault.map(|(_, fault)| fault) {
            Some(InjectedError::Error(error)) => {
                self.error = error;
                if matches!(name, "glCompileShader" | "glLinkProgram" | "glProgramBinary") {
                    self.refused.insert(first, "");
                }
                return Some(0);
            }
            Some(InjectedError::Returns(value)) => return usize::try_from(value).ok(),
            Some(InjectedError::Refused(log)) => {
                self.refused.insert(first, log);
                return Some(0);
            }
            Some(InjectedError::Lost) => self.lost = true,
            None => {}
        }
        if self.lost {
            // After a context loss, Mesa returns `GL_CONTEXT_LOST`, `GL_GUILTY_CONTEXT_RESET` or 0.
            let status = if name == "glGetError" { glow::CONTEXT_LOST } else { 0 };
            let reset = name.starts_with("glGetGraphicsResetStatus");
            let status = if reset { glow::GUILTY_CONTEXT_RESET } else { status };
            return usize::try_from(status).ok();
        }
        match name {
            "glGetError" if self.error != 0 => {
                return usize::try_from(std::mem::take(&mut self.error)).ok();
            }
            "glAttachShader" if self.refused.contains_key(&args[1]) => {
                self.refused.insert(first, "a shader was rejected");
            }
            "glGetShaderiv" | "glGetProgramiv" if self.refused.contains_key(&first) => {
                if matches!(number(args[1]), glow::COMPILE_STATUS | glow::LINK_STATUS) {
                    // SAFETY: the caller of the GL function provides memory for the value.
                    unsafe { out.cast::<i32>().cast_mut().write(0) };
                    return Some(0);
                }
            }
            "glGetShaderInfoLog" | "glGetProgramInfoLog" => {
                if let Some(log) = self.refused.get(&first) {
                    let length = log.len().min(args[1]);
                    // SAFETY: the caller of the GL function provides memory for the length and the text.
                    unsafe {
                        let written = std::ptr::with_exposed_provenance_mut::<i32>(args[2]);
                        written.write(i32::try_from(length).unwrap_or(0));
                        out.cast::<u8>().cast_mut().copy_from_nonoverlapping(log.as_ptr(), length);
                    }
                    return Some(0);
                }
            }
            _ => {}
        }
        None
    }

    fn after(&mut self, name: &'static str, args: &[usize], memory: P, answer: usize) {
        let first = args.first().copied().unwrap_or(0);
        // SAFETY: the caller of the GL function provides memory for as many names as the first argument says.
        let many = || unsafe { names(first, memory) };
        if name == "glGetIntegerv" && number(first) == glow::RESET_NOTIFICATION_STRATEGY {
            let lost = glow::LOSE_CONTEXT_ON_RESET.cast_signed();
            // SAFETY: the caller of the GL function provides memory for the value.
            unsafe { memory.cast::<i32>().cast_mut().write(lost) };
        } else if let Some(kind) = name.strip_prefix("glGen").filter(|kind| *kind != "erateMipmap")
        {
            self.alive.extend(many().into_iter().map(|name| (kind, name)));
        } else if BINDS.iter().any(|(bind, _)| *bind == name) {
            self.bound.extend(args.get(1).map(|object| (name, number(*object))));
        } else if let Some(kind) = name.strip_prefix("glCreate") {
            self.alive.insert((kind, number(answer)));
        } else if let Some(kind) = name.strip_prefix("glDelete") {
            if matches!(kind, "Program" | "Shader") {
                self.refused.remove(&first);
                self.alive.remove(&(kind, number(first)));
            } else {
                let bind = BINDS.iter().find(|(bind, _)| bind.contains(kind.trim_end_matches('s')));
                for name in many() {
                    self.alive.remove(&(kind, name));
                    bind.map(|(bind, _)| self.bound.remove(&(bind, name)));
                }
            }
        }
    }
}
