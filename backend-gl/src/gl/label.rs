//! Labels of objects and groups of calls for debuggers (`KHR_debug`). Labels need a context for which
//! [`GlFunctions::start_debug_log`] returned true, and are not available in browsers.

#[cfg(not(target_arch = "wasm32"))]
use glow::HasContext as _;

use super::GlFunctions;

/// An object that can have a label.
#[derive(Clone, Copy)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "WebGL takes no labels"))]
pub(crate) enum LabelTarget {
    Buffer(glow::Buffer),
    Texture(glow::Texture),
    Program(glow::Program),
    Framebuffer(glow::Framebuffer),
}

#[cfg(not(target_arch = "wasm32"))]
impl LabelTarget {
    /// Returns the object's type and name.
    fn name(self) -> (u32, u32) {
        match self {
            LabelTarget::Buffer(name) => (glow::BUFFER, name.0.get()),
            LabelTarget::Texture(name) => (glow::TEXTURE, name.0.get()),
            LabelTarget::Program(name) => (glow::PROGRAM, name.0.get()),
            LabelTarget::Framebuffer(name) => (glow::FRAMEBUFFER, name.0.get()),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl GlFunctions {
    /// Labels an object, which must have been bound before.
    pub(crate) fn label(&self, object: LabelTarget, label: &str) {
        let (kind, name) = object.name();
        // SAFETY: the context is current (promise of `GlFunctions`); glow passes the label with its length.
        unsafe { self.raw().object_label(kind, name, Some(label)) }
    }

    /// Begins a debug group.
    pub(crate) fn push_group(&self, text: &str) {
        // SAFETY: as in `label`.
        unsafe {
            let source = glow::DEBUG_SOURCE_APPLICATION;
            self.raw().push_debug_group(source, 0, text);
        }
    }

    /// Ends the current debug group.
    pub(crate) fn pop_group(&self) {
        // SAFETY: the context is current (promise of `GlFunctions`); without a group, GL answers with an error code.
        unsafe { self.raw().pop_debug_group() }
    }

    /// Returns the label of an object.
    #[cfg(all(test, feature = "offscreen"))]
    pub(crate) fn label_of(&self, object: LabelTarget) -> String {
        let (kind, name) = object.name();
        // SAFETY: as in `label`; glow allocates room for the longest label.
        unsafe { self.raw().get_object_label(kind, name) }
    }

    /// Removes and returns the messages of the debug log, and enables messages of groups.
    #[cfg(all(test, feature = "offscreen"))]
    pub(crate) fn take_messages(&self) -> Vec<String> {
        let mut buffer = Vec::new();
        let messages = std::iter::from_fn(|| self.next_debug_message(&mut buffer));
        let texts = messages.map(|message| message.text).collect();
        self.log_severity(glow::DEBUG_SEVERITY_NOTIFICATION, true);
        texts
    }
}

#[cfg(target_arch = "wasm32")]
impl GlFunctions {
    /// Does nothing: WebGL has no object labels.
    pub(crate) fn label(&self, _object: LabelTarget, _label: &str) {}

    /// Does nothing: WebGL has no debug groups.
    pub(crate) fn push_group(&self, _text: &str) {}

    /// Does nothing: WebGL has no debug groups.
    pub(crate) fn pop_group(&self) {}
}
