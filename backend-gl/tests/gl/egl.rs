//! Code that uses EGL on the same thread independently of Molehill.
#![allow(unsafe_code, reason = "the tests' own EGL")]

use backend_gl::offscreen::{Api, Offscreen};
use khronos_egl as egl;

pub(crate) type Egl = egl::DynamicInstance<egl::EGL1_4>;

/// An EGL context that no backend uses.
pub(crate) struct Stranger {
    egl: Egl,
    display: egl::Display,
    context: egl::Context,
}

/// Loads EGL a second time.
pub(crate) fn load() -> Egl {
    // SAFETY: the system's EGL library implements EGL's interface.
    unsafe { Egl::load_required() }.expect("an EGL; harness/setup.sh installs one")
}

impl Stranger {
    /// Opens a context on the display of another context, which becomes current.
    pub(crate) fn beside(offscreen: &Offscreen) -> Self {
        offscreen.make_current().expect("it can be made current");
        let egl = load();
        let display = egl.get_current_display().expect("a display");
        let wanted =
            [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, egl::OPENGL_BIT, egl::NONE];
        let config = egl.choose_first_config(display, &wanted);
        let config = config.expect("configs").expect("a config");
        egl.bind_api(egl::OPENGL_API).expect("OpenGL");
        let attributes = [egl::CONTEXT_MAJOR_VERSION, 3, egl::NONE];
        let context = egl.create_context(display, config, None, &attributes);
        Self { context: context.expect("a context"), display, egl }
    }

    /// Makes this context current without notifying the backends.
    pub(crate) fn intrude(&self) {
        let made = self.egl.make_current(self.display, None, None, Some(self.context));
        made.expect("it can be made current");
    }

    /// Returns whether this context is current.
    pub(crate) fn is_current(&self) -> bool {
        self.egl.get_current_context() == Some(self.context)
    }

    /// Sets the thread's EGL API, which new contexts have.
    pub(crate) fn bind_api(&self, api: Api) {
        let api = match api {
            Api::OpenGl => egl::OPENGL_API,
            Api::Gles => egl::OPENGL_ES_API,
        };
        self.egl.bind_api(api).expect("the API");
    }

    /// Returns the thread's EGL API, which new contexts have.
    pub(crate) fn bound_api(&self) -> Api {
        match self.egl.query_api() {
            egl::OPENGL_API => Api::OpenGl,
            _ => Api::Gles,
        }
    }

    /// Unsets the thread's current context.
    pub(crate) fn release(&self) {
        let released = self.egl.make_current(self.display, None, None, None);
        released.expect("it can be released");
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.egl.destroy_context(self.display, self.context); // a test's end
    }
}
