//! Records GL calls and issues them again.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::CStr;

use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::Offscreen;

use super::table::gl_table;
use super::{P, fault, noop};

/// Maximum number of values of a `glGet` parameter.
const FEW: usize = 64;
/// A pointer argument below this address is an offset into a buffer, or null.
const FIRST_PAGE: usize = 4096;

/// Converts a GL length to bytes.
fn bytes<T: TryInto<usize>>(length: T) -> usize {
    length.try_into().unwrap_or(0)
}

/// Returns the bytes of a string, including the terminating zero.
fn text(string: P) -> usize {
    // SAFETY: the caller of the GL function provides a string that ends with a zero byte.
    unsafe { CStr::from_ptr(string.cast()) }.to_bytes_with_nul().len()
}

/// Returns the bytes of tightly packed texels, in the formats that `backend-gl` uploads.
fn texels(width: i32, height: i32, format: u32, kind: u32) -> usize {
    let parts = match format {
        glow::RED => 1,
        glow::RG => 2,
        glow::RGB => 3,
        _ => 4,
    };
    let texel = match kind {
        glow::UNSIGNED_BYTE => parts,
        glow::HALF_FLOAT => 2 * parts,
        glow::FLOAT => 4 * parts,
        glow::UNSIGNED_INT_8_8_8_8_REV => 4,
        _ => 2,
    };
    bytes(width) * bytes(height) * texel
}

#[derive(Default)]
pub struct CallTrace {
    calls: Vec<GlCall>,
    /// Copies of the memory that calls read or wrote. Pointers in `calls` are offsets into `memory` plus `FIRST_PAGE`.
    memory: Vec<u8>,
    /// Number of bytes that calls read.
    read: u64,
    /// The functions that were called.
    functions: Functions,
    /// `GL_VERSION` of the recorded context; empty if none is current at the end.
    version: String,
    /// True if any recorded function belongs to a driver.
    real: bool,
    /// True if a call may leave no vertex array bound.
    unbinds: bool,
}

/// The error of a call that returned other names or values than in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{call} returned another value than in the recording")]
pub struct CallMismatch {
    pub call: &'static str,
}

thread_local! {
    static REAL: Functions = const { Functions::new() };
    static RECORDING: RefCell<Option<CallTrace>> = const { RefCell::new(None) };
}

/// Records the calls that a closure makes through the recorded contexts of this thread, which must share one driver.
pub fn record<T>(action: impl FnOnce() -> T) -> (T, CallTrace) {
    noop::start();
    let outer = RECORDING.replace(Some(CallTrace::default()));
    let result = action();
    let mut trace = RECORDING.replace(outer).unwrap_or_default();
    trace.functions = REAL.with(Functions::clone);
    trace.version = version(&trace.functions);
    trace.unbinds = trace.calls.iter().any(|call| {
        matches!(
            call,
            GlCall::glBindVertexArray { array: 0, .. } | GlCall::glDeleteVertexArrays { .. }
        )
    });
    (result, trace)
}

/// Returns the address of a function that records its calls and passes them to the driver's function.
pub(super) fn interpose(name: &str, real: P) -> P {
    interposed(name, real, true)
}

/// Returns the address of a function that records its calls and has no other effect.
pub(super) fn recorded_noop(name: &str) -> P {
    interposed(name, noop(name), false)
}

/// Returns the address of a function that may fail, and otherwise passes its calls to `real`. Returns `real` itself for
/// a function that the table lacks.
pub(super) fn failing(name: &str, real: P) -> P {
    if real.is_null() { real } else { failing_instead(name, real) }
}

/// Returns `GL_VERSION` of the current context; empty without a context.
fn version(functions: &Functions) -> String {
    let (get, _) = functions.glGetString.get();
    if get.is_null() {
        return String::new();
    }
    // SAFETY: a pointer that isn't null is `glGetString`, which returns null without a context, or a static string that
    // ends with a zero byte.
    unsafe {
        let text = std::mem::transmute::<P, types::glGetString>(get)(glow::VERSION);
        let text = (!text.is_null()).then(|| CStr::from_ptr(text.cast()));
        text.map_or_else(String::new, |text| text.to_string_lossy().into_owned())
    }
}

fn note(add: impl FnOnce(&mut CallTrace)) {
    RECORDING.with_borrow_mut(|trace| trace.as_mut().map(add));
}

impl CallTrace {
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns the number of bytes that GL read from memory: uploads, constants, sources.
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// Returns the number of calls of each function.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for call in &self.calls {
            *counts.entry(call.name()).or_default() += 1;
        }
        counts
    }

    /// Makes the context current and ready for issuing the calls.
    fn enter(&self, context: &Offscreen) -> Result<(), CallMismatch> {
        /// Pixel-store state for tightly packed client memory.
        const PACKED: [(u32, i32); 8] = [
            (glow::UNPACK_ALIGNMENT, 1),
            (glow::UNPACK_ROW_LENGTH, 0),
            (glow::UNPACK_SKIP_ROWS, 0),
            (glow::UNPACK_SKIP_PIXELS, 0),
            (glow::PACK_ALIGNMENT, 1),
            (glow::PACK_ROW_LENGTH, 0),
            (glow::PACK_SKIP_ROWS, 0),
            (glow::PACK_SKIP_PIXELS, 0),
        ];
        let changed = |call| CallMismatch { call };
        context.make_current().map_err(|_| changed("eglMakeCurrent"))?;
        if self.version.is_empty() || self.version != version(&self.functions) {
            return Err(changed("glGetString"));
        }
        let gl = context.functions();
        // SAFETY: the context is current, and all arguments are plain values.
        unsafe {
            let array = gl.get_parameter_vertex_array(glow::VERTEX_ARRAY_BINDING);
            if array.is_none() || self.unbinds {
                return Err(changed("glBindVertexArray"));
            }
            PACKED.into_iter().for_each(|(name, value)| gl.pixel_store_i32(name, value));
            gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        }
        Ok(())
    }

    /// Copies the memory at a pointer, and returns the offset in `memory` as a pointer.
    fn keep(&mut self, pointer: P, length: usize) -> P {
        if pointer.addr() < FIRST_PAGE {
            return pointer;
        }
        // Copies are aligned to eight bytes.
        self.memory.resize(self.memory.len().next_multiple_of(8), 0);
        let place = self.memory.len() + FIRST_PAGE;
        // SAFETY: the caller of the GL function provides `length` bytes, or GL has just written these bytes.
        let data = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
        self.memory.extend_from_slice(data);
        std::ptr::without_provenance(place)
    }

    /// Copies and joins `glShaderSource`'s strings. Returns the copy's offset in `memory` and its length as pointers.
    fn keep_source(&mut self, count: i32, strings: P, lengths: P) -> (P, P) {
        let mut source = Vec::new();
        for n in 0..bytes(count) {
            // SAFETY: the caller of the GL function provides `count` pointers and, as glow does, `count` lengths.
            unsafe {
                let string = *strings.cast::<*const u8>().add(n);
                let length = bytes(*lengths.cast::<i32>().add(n));
                source.extend_from_slice(std::slice::from_raw_parts(string, length));
            }
        }
        self.read += source.len() as u64;
        let length = std::ptr::without_provenance(source.len());
        // The pointer to a copy is at least `FIRST_PAGE`, and so never an offset into a GL buffer.
        (self.keep(source.as_ptr().cast(), source.len()), length)
    }

    fn kept(&self, pointer: P) -> P {
        match pointer.addr().checked_sub(FIRST_PAGE) {
            Some(place) => self.memory.as_ptr().wrapping_add(place).cast(),
            None => pointer,
        }
    }
}

/// A return value of a GL function that can be compared with the recorded value.
trait ReturnValue {
    fn same(&self, other: &Self) -> bool;
}

macro_rules! compared {
    ($($ty:ty)+) => {$(
        impl ReturnValue for $ty {
            fn same(&self, other: &$ty) -> bool {
                self == other
            }
        }
    )+};
}

compared!(() u8 u32 i32);

impl ReturnValue for P {
    fn same(&self, _: &P) -> bool {
        true // memory of the driver
    }
}

macro_rules! answer {
    () => {
        ()
    };
    ($ty:ty) => {
        $ty
    };
}

macro_rules! or_zero {
    () => {
        Default::default()
    };
    (P) => {
        std::ptr::null()
    };
    ($ty:ident) => {
        0
    };
}

macro_rules! noop_answer {
    ([$($ret:ident)?]) => { or_zero!($($ret)?) };
    ([$($ret:ident)?] $value:expr) => { $value };
}

macro_rules! define {
    ($(
        $name:ident($($arg:ident: $ty:ident),*) $(-> $ret:ident)?
            $(reads $data:ident [$read:expr])? $(source $count:ident $strings:ident $lengths:ident)? $(writes $out:ident [$written:expr])?
            $(= $noop:expr)?;
    )+) => {
        /// The recorded functions: their addresses, with true for functions of the driver.
        #[derive(Clone)]
        struct Functions { $($name: Cell<(P, bool)>,)+ }

        impl Default for Functions {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Functions {
            const fn new() -> Self {
                Functions { $($name: Cell::new((std::ptr::null(), false)),)+ }
            }
        }

        /// A call with its arguments.
        enum GlCall { $($name { $($arg: $ty,)* answer: answer!($($ret)?) },)+ }

        /// The function-pointer types.
        mod types {
            use super::P;
            $(pub(super) type $name = unsafe extern "system" fn($($ty),*) $(-> $ret)?;)+
        }

        /// Functions without effect.
        mod nothing {
            #[allow(unused_imports, reason = "not all rows use all")]
            use super::{P, noop, glow};
            $(
                #[allow(unused_variables, reason = "it does nothing")]
                pub(super) unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
                    noop_answer!([$($ret)?] $($noop)?)
                }
            )+
        }

        /// Functions that record a call and pass it on.
        mod noting {
            use super::*;
            $(
                pub(super) unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
                    let (real, acts) = REAL.with(|real| real.$name.get());
                    // SAFETY: only functions that the driver provides are replaced; the table has GL's signatures.
                    let real = unsafe { std::mem::transmute::<P, types::$name>(real) };
                    // SAFETY: the caller's guarantees are passed on.
                    let answer = unsafe { real($($arg),*) };
                    note(|trace| {
                        trace.real |= acts;
                        $(
                            trace.read += if $data.addr() < FIRST_PAGE { 0 } else { ($read) as u64 };
                            let $data = trace.keep($data, $read);
                        )?
                        $(let ($strings, $lengths) = trace.keep_source($count, $strings, $lengths);)?
                        $(let $out = trace.keep($out, if stringify!($name).starts_with("glGen") { $written } else { 0 });)?
                        trace.calls.push(GlCall::$name { $($arg,)* answer });
                    });
                    answer
                }
            )+
        }

        /// Functions that make a call fail if `inject` demands it, and otherwise call the real function.
        mod failing {
            use super::*;
            $(
                pub(super) unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
                    let words: &[usize] = &[$(fault::GlWord::word($arg)),*];
                    let [.., memory]: [P; _] = [std::ptr::null(), $($data,)? $($out,)?];
                    if let Some(answer) = fault::before(stringify!($name), words, memory) {
                        return fault::GlWord::of(answer);
                    }
                    // SAFETY: as in `noting`.
                    let answer = unsafe {
                        let real = std::mem::transmute::<P, types::$name>(REAL.with(|real| real.$name.get()).0);
                        real($($arg),*)
                    };
                    fault::after(stringify!($name), words, memory, fault::GlWord::word(answer));
                    answer
                }
            )+
        }

        fn failing_instead(name: &str, real: P) -> P {
            match name {
                $(stringify!($name) => {
                    REAL.with(|functions| functions.$name.set((real, true)));
                    failing::$name as types::$name as P
                })+
                _ => real,
            }
        }

        /// Returns the address of the no-op version of a GL function; null if the table lacks the name.
        pub(super) fn noop(name: &str) -> P {
            match name {
                $(stringify!($name) => nothing::$name as types::$name as P,)+
                _ => std::ptr::null(),
            }
        }

        /// Returns a function that records its calls and passes them to `real`; without `acts`, `real` has no effect.
        fn interposed(name: &str, real: P, acts: bool) -> P {
            if real.is_null() {
                return real;
            }
            match name {
                $(stringify!($name) => {
                    REAL.with(|functions| functions.$name.set((real, acts)));
                    noting::$name as types::$name as P
                })+
                _ => std::ptr::null(),
            }
        }

        impl GlCall {
            fn name(&self) -> &'static str {
                match self { $(GlCall::$name { .. } => stringify!($name),)+ }
            }
        }

        impl CallTrace {
            /// Issues the recorded calls again through the recorded functions. `context` must be the recorded one in
            /// the same state, or a new one that has executed the same earlier calls; otherwise, GL reports unknown
            /// names as errors. For functions without effect, pass `None`.
            pub fn issue(&self, context: Option<&Offscreen>) -> Result<(), CallMismatch> {
                match context {
                    Some(context) => self.enter(context)?,
                    None if self.real => return Err(CallMismatch { call: "eglMakeCurrent" }),
                    None => {}
                }
                noop::start();
                let mut scratch = Vec::new();
                for call in &self.calls {
                    // SAFETY: a context with the recorded GL version is current, or the functions have no effect. EGL's
                    // function addresses are valid for all contexts (EGL 1.4, section 3.11). `memory` has a copy of all
                    // bytes that the calls read, and `scratch` is large enough for all bytes that the calls write.
                    // Pixels in `memory` and `scratch` are tightly packed, because `enter` sets the packing, and
                    // `backend-gl` sets no other packing before a transfer. Offsets of attributes and indices are
                    // never addresses, because a vertex array is always bound.
                    unsafe { self.issue_one(&self.functions, call, &mut scratch) }?;
                }
                Ok(())
            }

            #[inline]
            #[allow(unused_variables, reason = "not all rows use all")]
            unsafe fn issue_one(&self, functions: &Functions, call: &GlCall, scratch: &mut Vec<u8>) -> Result<(), CallMismatch> {
                match *call {
                    $(GlCall::$name { $($arg,)* answer } => {
                        $(let $data = self.kept($data);)?
                        $(
                            let text = self.kept($strings);
                            let length = i32::try_from($lengths.addr()).unwrap_or(0);
                            let ($strings, $lengths): (P, P) = ((&raw const text).cast(), (&raw const length).cast());
                            let $count = 1;
                        )?
                        $(
                            let before = self.kept($out);
                            scratch.resize(($written).max(FEW), 0);
                            let $out: P = scratch.as_mut_ptr().cast();
                        )?
                        // SAFETY: the caller guarantees the conditions of `issue`.
                        let now = unsafe {
                            let real = std::mem::transmute::<P, types::$name>(functions.$name.get().0);
                            real($($arg),*)
                        };
                        let same = now.same(&answer);
                        $(
                            let names = stringify!($name).starts_with("glGen");
                            // SAFETY: the names were copied when they were recorded.
                            let same = same && (!names || scratch.get(..$written)
                                == Some(unsafe { std::slice::from_raw_parts(before.cast::<u8>(), $written) }));
                        )?
                        if same { Ok(()) } else { Err(CallMismatch { call: stringify!($name) }) }
                    })+
                }
            }
        }
    };
}

gl_table!(define);
