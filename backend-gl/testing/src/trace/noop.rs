//! Return values of the OpenGL functions that have no effect.

use std::cell::Cell;
use std::ffi::{CStr, c_char};

use backend_gl::glow;

use super::P;

/// The result of `glGetString(GL_VERSION)`.
const VERSION: &CStr = c"4.5 (Core Profile) none";
/// The extensions that `backend-gl` uses with OpenGL 4.5.
const EXTENSIONS: [&CStr; 3] = [
    c"GL_EXT_texture_compression_s3tc",
    c"GL_EXT_texture_filter_anisotropic",
    c"GL_KHR_parallel_shader_compile",
];

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// Restarts the object names, so that recordings of the same calls are equal.
pub(super) fn start() {
    LAST.set(0);
}

/// Maximum number of samples.
const SAMPLES: i32 = 4;

/// Returns the name of a new object.
pub(super) fn name() -> u32 {
    LAST.set(LAST.get().wrapping_add(1).max(1));
    LAST.get()
}

/// Writes the names of new objects.
pub(super) fn names(count: i32, names: P) {
    for n in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: the caller of the GL function provides memory for `count` names.
        unsafe { names.cast::<u32>().cast_mut().add(n).write(name()) };
    }
}

/// Implements `glGetIntegerv`.
pub(super) fn integer(name: u32, values: P) {
    let value = match name {
        glow::MAJOR_VERSION => 4,
        glow::MINOR_VERSION => 5,
        glow::NUM_EXTENSIONS => i32::try_from(EXTENSIONS.len()).unwrap_or(0),
        glow::MAX_TEXTURE_SIZE | glow::MAX_CUBE_MAP_TEXTURE_SIZE | glow::MAX_RENDERBUFFER_SIZE => {
            16384
        }
        glow::MAX_SAMPLES => SAMPLES,
        glow::MAX_TEXTURE_IMAGE_UNITS | glow::MAX_VERTEX_ATTRIBS => 16,
        glow::MAX_COMBINED_TEXTURE_IMAGE_UNITS => 96,
        glow::MAX_DRAW_BUFFERS | glow::MAX_COLOR_ATTACHMENTS => 8,
        glow::CONTEXT_PROFILE_MASK => glow::CONTEXT_CORE_PROFILE_BIT.cast_signed(),
        glow::MAX_LABEL_LENGTH => 256,
        _ => 0,
    };
    let count = match name {
        glow::VIEWPORT | glow::SCISSOR_BOX => 4,
        _ => 1,
    };
    for n in 0..count {
        // SAFETY: the caller of the GL function provides memory for the parameter's values.
        unsafe { values.cast::<i32>().cast_mut().add(n).write(value) };
    }
}

/// Implements `glGetFloatv` for parameters with one value.
pub(super) fn float(values: P) {
    // SAFETY: the caller of the GL function provides memory for the value.
    unsafe { values.cast::<f32>().cast_mut().write(16.0) };
}

/// Implements `glGetInternalformativ`.
pub(super) fn samples(values: P) {
    // SAFETY: the caller of the GL function provides memory for at least one value.
    unsafe { values.cast::<i32>().cast_mut().write(SAMPLES) };
}

/// Implements `glGetShaderiv` and `glGetProgramiv`: everything compiles and links, with an empty log.
pub(super) fn status(name: u32, values: P) {
    let well = matches!(name, glow::COMPILE_STATUS | glow::LINK_STATUS);
    // SAFETY: the caller of the GL function provides memory for the value.
    unsafe { values.cast::<i32>().cast_mut().write(i32::from(well)) };
}

/// Implements `glGetString`.
pub(super) fn string(name: u32) -> P {
    let text = match name {
        glow::VERSION => VERSION,
        glow::SHADING_LANGUAGE_VERSION => c"4.50",
        _ => c"noop",
    };
    text.as_ptr().cast()
}

/// Implements `glFenceSync`: returns a pointer that is never dereferenced.
pub(super) fn sync() -> P {
    std::ptr::dangling::<u64>().cast()
}

/// Implements `glGetStringi`.
pub(super) fn extension(index: u32) -> P {
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    EXTENSIONS.get(index).map_or(std::ptr::null(), |name| name.as_ptr().cast())
}

/// Implements `glGetUniformLocation`: the elements of an array have consecutive locations.
pub(super) fn location(name: P) -> i32 {
    // SAFETY: the caller of the GL function provides a string that ends with a zero byte.
    let name = unsafe { CStr::from_ptr(name.cast::<c_char>()) };
    let digits = name.to_bytes().iter().filter(|byte| byte.is_ascii_digit());
    let number = digits
        .fold(0i32, |number, digit| number.wrapping_mul(10).wrapping_add(i32::from(digit - b'0')));
    // The first letter of the name makes the locations of vertex constants (v) and fragment constants (f) distinct.
    number.wrapping_add(i32::from(name.to_bytes().first().copied().unwrap_or(0)) << 16)
}

/// Implements `glMapBufferRange`: returns zeros.
pub(super) fn mapped(length: isize) -> P {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    let fits = usize::try_from(length).is_ok_and(|length| length <= ZEROS.len());
    if fits { ZEROS.as_ptr().cast() } else { std::ptr::null() }
}
