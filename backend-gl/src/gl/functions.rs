//! The table of GL functions that this crate calls through glow, which panics at a call of a missing function.

use std::ffi::c_void;

/// A function that returns GL functions by name, or null.
type FunctionLoader<'a> = &'a dyn Fn(&str) -> *const c_void;

/// Functions that every context must have. OpenGL ES 3.0 and OpenGL 3.3 contain all these functions, except
/// `glDepthRangef`, which OpenGL before 4.1 has with `GL_ARB_ES2_compatibility`.
#[rustfmt::skip]
const REQUIRED: &[&str] = &[
    "glActiveTexture", "glAttachShader", "glBindBuffer", "glBindFramebuffer", "glBindRenderbuffer", "glBindSampler",
    "glBindTexture", "glBindVertexArray", "glBlendEquation", "glBlendFunc", "glBlitFramebuffer", "glBufferData",
    "glBufferSubData", "glCheckFramebufferStatus", "glClearBufferfi", "glClearBufferfv", "glClearBufferiv",
    "glColorMask", "glCompileShader", "glCompressedTexImage2D", "glCompressedTexSubImage2D", "glCopyBufferSubData", "glCreateProgram",
    "glCreateShader", "glCullFace", "glDeleteBuffers", "glDeleteFramebuffers", "glDeleteProgram",
    "glDeleteRenderbuffers", "glDeleteSamplers", "glDeleteShader", "glDeleteSync", "glDeleteTextures", "glDeleteVertexArrays",
    "glDepthFunc", "glDepthMask", "glDepthRangef", "glDisable", "glDisableVertexAttribArray", "glDrawArrays",
    "glDrawBuffers", "glDrawElements", "glDrawElementsInstanced", "glEnable", "glEnableVertexAttribArray",
    "glFenceSync", "glFlush", "glFramebufferRenderbuffer", "glFramebufferTexture2D", "glFrontFace", "glGenBuffers",
    "glGenFramebuffers", "glGenRenderbuffers", "glGenSamplers", "glGenTextures", "glGenVertexArrays",
    "glGenerateMipmap", "glGetError", "glGetFloatv", "glGetFramebufferAttachmentParameteriv", "glGetIntegerv",
    "glGetProgramInfoLog", "glGetProgramiv",
    "glGetShaderInfoLog", "glGetShaderiv", "glGetString", "glGetStringi", "glGetUniformLocation", "glIsEnabled",
    "glLineWidth", "glLinkProgram", "glMapBufferRange", "glPixelStorei", "glReadBuffer", "glReadPixels",
    "glRenderbufferStorageMultisample", "glSamplerParameterf", "glSamplerParameteri",
    "glScissor", "glShaderSource", "glStencilFuncSeparate", "glStencilMask", "glStencilOpSeparate", "glTexImage2D",
    "glTexParameteri", "glTexSubImage2D", "glUniform1i", "glUniform4fv", "glUnmapBuffer", "glUseProgram",
    "glVertexAttribDivisor", "glVertexAttribPointer", "glViewport", "glWaitSync",
];

/// Functions that every context of OpenGL must have, but no context of OpenGL ES has.
const REQUIRED_DESKTOP: &[&str] = &["glPolygonMode"];

/// Functions that set vertex formats separately from buffers.
pub(super) const VERTEX_BINDINGS: &[&str] = &[
    "glBindVertexBuffer",
    "glVertexAttribBinding",
    "glVertexAttribFormat",
    "glVertexBindingDivisor",
];

/// Functions that query the supported sample counts of a format.
pub(super) const FORMAT_QUERY: &[&str] = &["glGetInternalformativ"];

/// Functions for textures with immutable storage.
pub(super) const TEXTURE_STORAGE: &[&str] = &["glTexStorage2D"];

/// Functions for program binaries.
pub(super) const BINARIES: &[&str] = &["glGetProgramBinary", "glProgramBinary"];

/// Functions for timer queries.
#[rustfmt::skip]
pub(super) const TIMER: &[&str] =
    &["glBeginQuery", "glDeleteQueries", "glEndQuery", "glGenQueries", "glGetQueryObjectuiv"];

/// Functions for labels and groups in debuggers, whose names have the suffix `KHR` in OpenGL ES before 3.2.
pub(super) const LABELS: &[&str] = &["glObjectLabel", "glPopDebugGroup", "glPushDebugGroup"];
pub(super) const LABELS_KHR: &[&str] =
    &["glObjectLabelKHR", "glPopDebugGroupKHR", "glPushDebugGroupKHR"];

/// Returns whether the loader has all of these functions.
pub(super) fn has(loader: FunctionLoader<'_>, names: &[&str]) -> bool {
    names.iter().all(|name| !loader(name).is_null())
}

/// Checks that the loader has all required functions.
pub(crate) fn check(loader: FunctionLoader<'_>, es: bool) -> Result<(), String> {
    let desktop = if es { &[] } else { REQUIRED_DESKTOP };
    let mut names = REQUIRED.iter().chain(desktop);
    match names.find(|name| loader(name).is_null()) {
        None => Ok(()),
        Some(name) => Err(format!("the context has no {name}")),
    }
}

/// Returns whether a function of this name is ever called through glow.
pub(crate) fn is_used(name: &str) -> bool {
    let optional =
        [VERTEX_BINDINGS, FORMAT_QUERY, TEXTURE_STORAGE, BINARIES, TIMER, LABELS, LABELS_KHR];
    let mut tables = [REQUIRED, REQUIRED_DESKTOP].iter().chain(&optional);
    tables.any(|table| table.contains(&name))
}
