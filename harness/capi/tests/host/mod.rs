//! A host with its own GL context: its loader, and the callback that makes the context current.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

use backend_gl::offscreen::Offscreen;
use khronos_egl::{DynamicInstance, EGL1_4};
use molehill_c::*;

type Egl = DynamicInstance<EGL1_4>;

/// The data of the host's loader.
pub(crate) struct Loader {
    pub(crate) egl: Egl,
    /// The names of the requested functions.
    pub(crate) asked: RefCell<BTreeSet<String>>,
    /// The name of a function that the loader doesn't find.
    pub(crate) missing: String,
}

impl Loader {
    pub(crate) fn new() -> Self {
        Loader {
            // SAFETY: libEGL is already loaded by `Offscreen`.
            egl: unsafe { Egl::load_required() }.unwrap(),
            asked: RefCell::default(),
            missing: String::new(),
        }
    }

    /// Creates a device in the current context, or in the context that `current` makes current.
    pub(crate) fn device(
        &self,
        current: *const MolehillMakeCurrent,
    ) -> (MolehillStatus, MolehillDevice) {
        let data = std::ptr::from_ref(self).cast_mut().cast();
        let mut device = MolehillDevice::default();
        // SAFETY: all pointers are valid or null, and the loader belongs to this context.
        let status = unsafe {
            molehill_device_from_loader(Some(load), data, current, null(), &raw mut device)
        };
        (status, device)
    }
}

unsafe extern "C" fn load(data: *mut c_void, name: *const c_char) -> *const c_void {
    // SAFETY: the pointer refers to a loader, and the names end with 0.
    let (loader, name) = unsafe { (&*data.cast::<Loader>(), CStr::from_ptr(name)) };
    let name = name.to_str().unwrap();
    loader.asked.borrow_mut().insert(name.to_owned());
    if name == loader.missing {
        return null();
    }
    let function = loader.egl.get_proc_address(name);
    function.map_or(null(), |function| function as *const c_void)
}

/// The `user_data` of the host's callbacks.
pub(crate) struct Host {
    pub(crate) offscreen: Offscreen,
    /// The number of times that the context was made current.
    pub(crate) asked: Cell<u32>,
}

unsafe extern "C" fn make_current(host: *mut c_void) -> MolehillBool {
    // SAFETY: the pointer refers to the host below.
    let host = unsafe { &*host.cast::<Host>() };
    host.asked.set(host.asked.get() + 1);
    host.offscreen.make_current().is_ok().into()
}

impl Host {
    pub(crate) fn new(offscreen: Offscreen) -> Self {
        Host { offscreen, asked: Cell::new(0) }
    }

    /// Returns callbacks that are valid while the host exists.
    pub(crate) fn make_current(&self) -> MolehillMakeCurrent {
        MolehillMakeCurrent {
            make_current: Some(make_current),
            user_data: std::ptr::from_ref(self).cast_mut().cast(),
            ..Default::default()
        }
    }
}
