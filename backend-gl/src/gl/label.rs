//! Names of objects and groups of calls, which debuggers show (`KHR_debug`). Only for contexts where
//! [`Gl::start_debug_log`] said true: browsers have none, and none of this.

#[cfg(not(target_arch = "wasm32"))]
use glow::HasContext as _;

use super::Gl;

/// An object that can have a label.
#[derive(Clone, Copy)]
#[cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, reason = "WebGL takes no labels")
)]
pub(crate) enum Labelled {
    Buffer(glow::Buffer),
    Texture(glow::Texture),
    Program(glow::Program),
    Framebuffer(glow::Framebuffer),
}

#[cfg(not(target_arch = "wasm32"))]
impl Labelled {
    /// Its kind and its name.
    fn name(self) -> (u32, u32) {
        match self {
            Labelled::Buffer(name) => (glow::BUFFER, name.0.get()),
            Labelled::Texture(name) => (glow::TEXTURE, name.0.get()),
            Labelled::Program(name) => (glow::PROGRAM, name.0.get()),
            Labelled::Framebuffer(name) => (glow::FRAMEBUFFER, name.0.get()),
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Gl {
    /// Gives an object that was bound before a label.
    pub(crate) fn label(&self, object: Labelled, label: &str) {
        let (kind, name) = object.name();
        // SAFETY: the context is current (promise of `Gl`); glow passes the label with its length.
        unsafe { self.raw.object_label(kind, name, Some(label)) }
    }

    /// Begins a group of calls.
    pub(crate) fn push_group(&self, text: &str) {
        // SAFETY: as in `label`.
        unsafe {
            let source = glow::DEBUG_SOURCE_APPLICATION;
            self.raw.push_debug_group(source, 0, text);
        }
    }

    /// Ends the group that was begun last.
    pub(crate) fn pop_group(&self) {
        // SAFETY: the context is current (promise of `Gl`); without a group, GL answers with an error code.
        unsafe { self.raw.pop_debug_group() }
    }

    /// The label of an object.
    #[cfg(all(test, feature = "offscreen"))]
    pub(crate) fn label_of(&self, object: Labelled) -> String {
        let (kind, name) = object.name();
        // SAFETY: as in `label`; glow makes room for the longest label.
        unsafe { self.raw.get_object_label(kind, name) }
    }

    /// The messages in the debug log, with those of groups from now on.
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
impl Gl {
    /// Nobody could see it.
    pub(crate) fn label(&self, _object: Labelled, _label: &str) {}

    /// Nobody could see it.
    pub(crate) fn push_group(&self, _text: &str) {}

    /// Nobody could see it.
    pub(crate) fn pop_group(&self) {}
}
