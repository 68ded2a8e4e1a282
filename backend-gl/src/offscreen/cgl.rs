//! CGL, the OpenGL of macOS without a window: core profiles, no OpenGL ES, no optional attributes.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{null, null_mut};

use cgl::{
    CGLChoosePixelFormat, CGLContextObj, CGLCreateContext, CGLDestroyContext,
    CGLDestroyPixelFormat, CGLError, CGLErrorString, CGLGetCurrentContext, CGLPixelFormatAttribute,
    CGLSetCurrentContext, kCGLPFAAllowOfflineRenderers, kCGLPFAOpenGLProfile,
};
use libloading::os::unix::Library;

use super::{Handles, NativeDisplay, System, start};
use crate::offscreen::{Api, EGL_VARIABLE, OffscreenOptions};

/// `kCGLOGLPVersion_GL4_Core` and `kCGLOGLPVersion_3_2_Core`, best first.
const PROFILES: [CGLPixelFormatAttribute; 2] = [0x4100, 0x3200];

/// A context of CGL.
struct CglContext {
    context: CGLContextObj,
    /// The current process, which is linked with the OpenGL framework.
    library: Library,
}

impl System for CglContext {
    fn own(&self) -> Handles {
        Handles::new(null_mut(), self.context)
    }

    fn current_context(&self) -> *mut c_void {
        // SAFETY: the function has no arguments.
        unsafe { CGLGetCurrentContext() }
    }

    fn current(&self) -> Handles {
        Handles::new(null_mut(), self.current_context())
    }

    fn set(&self, Handles { context, .. }: Handles) -> Result<(), String> {
        // SAFETY: the handle is this context, the context that was current before, or null.
        checked("CGLSetCurrentContext", unsafe { CGLSetCurrentContext(context) })
    }

    fn find(&self, name: &str) -> *const c_void {
        // SAFETY: the symbol is only used as an address.
        let symbol = unsafe { self.library.get::<*const c_void>(name.as_bytes()) };
        symbol.map_or(null(), |symbol| symbol.as_raw_ptr().cast_const())
    }
}

impl Drop for CglContext {
    fn drop(&mut self) {
        // SAFETY: this is the context's only owner.
        if let Err(why) = checked("CGLDestroyContext", unsafe { CGLDestroyContext(self.context) }) {
            log::warn!("destroying a context: {why}");
        }
    }
}

fn checked(what: &str, error: CGLError) -> Result<(), String> {
    if error == cgl::kCGLNoError {
        return Ok(());
    }
    // SAFETY: CGL returns a static string that ends with a zero byte.
    let why = unsafe { CStr::from_ptr(CGLErrorString(error)) };
    Err(format!("{what}: {}", why.to_string_lossy()))
}

/// Opens a context of the newest core profile.
pub(super) fn open(options: &OffscreenOptions) -> Result<NativeDisplay, String> {
    if options.api == Api::Gles {
        return Err(format!("macOS has no OpenGL ES: name ANGLE's folder in {EGL_VARIABLE}"));
    }
    if options.compatibility {
        return Err("macOS has no compatibility profile".to_owned());
    }
    let mut last = String::new();
    for profile in PROFILES {
        match create(profile, options) {
            Ok(context) => {
                return start(CglContext { context, library: Library::this() }, options);
            }
            Err(why) => last = why,
        }
    }
    Err(last)
}

fn create(
    profile: CGLPixelFormatAttribute,
    options: &OffscreenOptions,
) -> Result<CGLContextObj, String> {
    let attributes = [kCGLPFAAllowOfflineRenderers, kCGLPFAOpenGLProfile, profile, 0];
    let share = options.share.map_or(null_mut(), |share| share.context);
    let (mut format, mut count, mut context): (_, c_int, _) = (null_mut(), 0, null_mut());
    // SAFETY: the attributes end with 0, and the result pointers are valid. `Share::new` guarantees that the handle is
    // a context. The pixel format is destroyed once.
    unsafe {
        let chosen = CGLChoosePixelFormat(attributes.as_ptr(), &mut format, &mut count);
        checked("CGLChoosePixelFormat", chosen)?;
        if format.is_null() {
            return Err(format!("CGLChoosePixelFormat: no format of profile {profile:#x}"));
        }
        let created = checked("CGLCreateContext", CGLCreateContext(format, share, &mut context));
        CGLDestroyPixelFormat(format);
        created.map(|()| context)
    }
}
