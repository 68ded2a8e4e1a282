//! Counts the OpenGL calls of a translation that doesn't track OpenGL state.

use crate::row::Counts;

/// The OpenGL calls of a translation without state tracking, for each Stage3D call that sets state or draws. Uploads
/// and object creation are omitted, because both translations make the same calls for them.
const CALLS: &[(&str, &[&str])] = &[
    ("clear", &["glClearColor", "glClearDepthf", "glClearStencil", "glClear"]),
    ("setBlendFactors", &["glEnable", "glBlendFunc"]),
    ("setColorMask", &["glColorMask"]),
    ("setCulling", &["glEnable", "glCullFace"]),
    ("setDepthTest", &["glEnable", "glDepthFunc", "glDepthMask"]),
    ("setFillMode", &["glPolygonMode"]),
    ("setProgram", &["glUseProgram"]),
    ("setProgramConstantsFromMatrix", &["glUniform4fv"]),
    ("setProgramConstantsFromVector", &["glUniform4fv"]),
    ("setProgramConstantsFromByteArray", &["glUniform4fv"]),
    ("setRenderToBackBuffer", &["glBindFramebuffer", "glViewport"]),
    ("setRenderToTexture", &["glBindFramebuffer", "glViewport"]),
    (
        "setSamplerStateAt",
        &["glTexParameteri", "glTexParameteri", "glTexParameteri", "glTexParameteri"],
    ),
    ("setScissorRectangle", &["glEnable", "glScissor"]),
    ("setStencilActions", &["glEnable", "glStencilFuncSeparate", "glStencilOpSeparate"]),
    ("setStencilReferenceValue", &["glStencilFunc", "glStencilMask"]),
    ("setTextureAt", &["glActiveTexture", "glBindTexture"]),
    ("setVertexBufferAt", &["glBindBuffer", "glVertexAttribPointer", "glEnableVertexAttribArray"]),
    ("drawTriangles", &["glBindBuffer", "glDrawElements"]),
    ("drawTrianglesInstanced", &["glBindBuffer", "glDrawElementsInstanced"]),
];

/// Adds to `counts` the OpenGL calls that one Stage3D call needs without state tracking.
pub(crate) fn add(counts: &mut Counts, name: &str) {
    let row = CALLS.iter().find(|(call, _)| *call == name);
    for call in row.map_or(&[][..], |(_, calls)| calls) {
        *counts.entry(call).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_name_is_flashs() {
        for (name, _) in super::CALLS {
            assert!(context3d::calls::METHODS.iter().any(|call| call.name == *name), "{name}");
        }
    }
}
