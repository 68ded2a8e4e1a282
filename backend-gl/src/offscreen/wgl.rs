//! WGL, through glutin: contexts of a window that is never shown.

use std::ffi::{CString, c_void};
use std::num::NonZeroIsize;
use std::ptr::{null, null_mut};

use glutin::api::wgl::config::Config;
use glutin::api::wgl::context::NotCurrentContext;
use glutin::api::wgl::display::Display;
use glutin::config::ConfigTemplateBuilder;
use glutin::context::{
    AsRawContext, ContextApi, ContextAttributes, ContextAttributesBuilder, GlProfile, RawContext,
    Robustness, Version,
};
use glutin::display::GlDisplay as _;
use raw_window_handle::{
    RawDisplayHandle, RawWindowHandle, Win32WindowHandle, WindowsDisplayHandle,
};
use windows_sys::Win32::Foundation::HWND;
use windows_sys::Win32::Graphics::Gdi::GetDC;
use windows_sys::Win32::Graphics::OpenGL::{wglGetCurrentContext, wglGetCurrentDC, wglMakeCurrent};
use windows_sys::Win32::System::LibraryLoader::GetModuleHandleW;
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CS_OWNDC, CreateWindowExW, DefWindowProcW, DestroyWindow, RegisterClassExW, WNDCLASSEXW,
};

use super::{ContextRequirements, Handles, NativeDisplay, System, best, start};
use crate::offscreen::{Api, OffscreenOptions, Share};

#[allow(clippy::cast_possible_truncation, reason = "the size of a small structure")]
const CLASS_SIZE: u32 = size_of::<WNDCLASSEXW>() as u32;

/// A window that is never shown, and stays on the thread that created it.
struct HiddenWindow(HWND);

impl HiddenWindow {
    fn create() -> Result<(Self, RawWindowHandle), String> {
        let failed = |what: &str| format!("{what}: {}", std::io::Error::last_os_error());
        let name = windows_sys::w!("Molehill");
        // SAFETY: the class's name and its function are static. Registering the class again fails without consequences.
        let (instance, window) = unsafe {
            let instance = GetModuleHandleW(null());
            let class = WNDCLASSEXW {
                cbSize: CLASS_SIZE,
                style: CS_OWNDC,
                lpfnWndProc: Some(DefWindowProcW),
                hInstance: instance,
                lpszClassName: name,
                ..std::mem::zeroed()
            };
            RegisterClassExW(&class);
            (instance, CreateWindowExW(0, name, name, 0, 0, 0, 1, 1, 0, 0, instance, null()))
        };
        let handle = NonZeroIsize::new(window).ok_or_else(|| failed("CreateWindowExW"))?;
        let mut handle = Win32WindowHandle::new(handle);
        handle.hinstance = NonZeroIsize::new(instance);
        Ok((HiddenWindow(window), RawWindowHandle::Win32(handle)))
    }
}

impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: the window belongs to this thread, because contexts stay on the thread that opened them.
        unsafe { DestroyWindow(self.0) };
    }
}

/// A context of WGL.
struct WglContext {
    /// The context, which is destroyed before its window.
    context: NotCurrentContext,
    display: Display,
    device: isize,
    _window: HiddenWindow,
}

impl System for WglContext {
    fn own(&self) -> Handles {
        Handles::new(pointer(self.device), raw(&self.context))
    }

    fn current_context(&self) -> *mut c_void {
        // SAFETY: the function has no arguments.
        pointer(unsafe { wglGetCurrentContext() })
    }

    fn current(&self) -> Handles {
        // SAFETY: the function has no arguments.
        let device = pointer(unsafe { wglGetCurrentDC() });
        Handles::new(device, self.current_context())
    }

    fn set(&self, Handles { display: device, context, .. }: Handles) -> Result<(), String> {
        // SAFETY: the handles are this context's own, or were current before, or null.
        let made = unsafe { wglMakeCurrent(device.addr() as isize, context.addr() as isize) };
        if made == 0 {
            return Err(format!("wglMakeCurrent: {}", std::io::Error::last_os_error()));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> *const c_void {
        CString::new(name).map_or(null(), |name| self.display.get_proc_address(&name))
    }
}

/// Converts an integer handle of Windows to a pointer.
fn pointer(handle: isize) -> *mut c_void {
    std::ptr::without_provenance_mut(handle.cast_unsigned())
}

fn raw(context: &NotCurrentContext) -> *mut c_void {
    match context.raw_context() {
        RawContext::Wgl(context) => context.cast_mut(),
        #[allow(unreachable_patterns, reason = "other crates may use glutin with EGL")]
        _ => null_mut(),
    }
}

/// A context of the host, created by WGL.
struct WglShare(Share);

impl AsRawContext for WglShare {
    fn raw_context(&self) -> RawContext {
        RawContext::Wgl(self.0.context)
    }
}

/// Opens a context in a separate window.
pub(super) fn open(options: &OffscreenOptions) -> Result<NativeDisplay, String> {
    let (window, handle) = HiddenWindow::create()?;
    let system = RawDisplayHandle::Windows(WindowsDisplayHandle::new());
    // SAFETY: the window exists, and outlives the display's contexts.
    let (display, context) = unsafe {
        let (device, context) = (wglGetCurrentDC(), wglGetCurrentContext());
        let display = Display::new(system, Some(handle));
        wglMakeCurrent(device, context); // glutin leaves the thread without a context
        let display = display.map_err(|error| error.to_string())?;
        let template = ConfigTemplateBuilder::new().compatible_with_native_window(handle).build();
        let configs = display.find_configs(template).map_err(|error| error.to_string())?;
        let config: Config = { configs }.next().ok_or("no pixel format")?;
        let context = best(options, |wanted| {
            let context = display.create_context(&config, &attributes(wanted, options, handle));
            context.map_err(|error| error.to_string())
        })?;
        (display, context)
    };
    // SAFETY: the window exists; its class reserves a device context for it.
    let device = unsafe { GetDC(window.0) };
    start(WglContext { context, display, device, _window: window }, options)
}

fn attributes(
    wanted: &ContextRequirements,
    options: &OffscreenOptions,
    window: RawWindowHandle,
) -> ContextAttributes {
    let version = Some(Version::new(wanted.version.0, wanted.version.1));
    let attributes = ContextAttributesBuilder::new().with_debug(wanted.debug);
    let attributes = match (options.api, options.compatibility) {
        (Api::OpenGl, false) => attributes.with_profile(GlProfile::Core),
        (Api::OpenGl, true) => attributes.with_profile(GlProfile::Compatibility),
        (Api::Gles, _) => attributes,
    };
    let attributes = attributes.with_context_api(match options.api {
        Api::OpenGl => ContextApi::OpenGl(version),
        Api::Gles => ContextApi::Gles(version),
    });
    let attributes = match wanted.robust {
        true => attributes.with_robustness(Robustness::RobustLoseContextOnReset),
        false => attributes,
    };
    let attributes = match options.share {
        Some(share) => attributes.with_sharing(&WglShare(share)),
        None => attributes,
    };
    attributes.build(Some(window))
}
