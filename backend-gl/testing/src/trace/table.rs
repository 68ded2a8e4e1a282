//! The table of the GL functions that `backend-gl` calls, with their C signatures.

/// Passes the table to a macro. The columns of a row are:
///
/// ```text
/// glName(argument: type, …) [-> type] [reads pointer [bytes]] [source count strings lengths]
///     [writes pointer [bytes]] [= noop];
/// ```
///
/// - `reads`: client memory that the call reads. Null and offsets (below 4096) are not memory.
/// - `source`: strings of `glShaderSource`, joined.
/// - `writes`: memory that the call writes. If it holds names, they are compared when the call is issued again.
/// - `= noop`: the result or the action of the function without effect; zero by default.
///
/// `P` is an untyped pointer.
macro_rules! gl_table {
    ($define:ident) => {
        $define! {
            glActiveTexture(unit: u32);
            glAttachShader(program: u32, shader: u32);
            glBindBuffer(target: u32, buffer: u32);
            glBindFramebuffer(target: u32, framebuffer: u32);
            glBindRenderbuffer(target: u32, renderbuffer: u32);
            glBindSampler(unit: u32, sampler: u32);
            glBindTexture(target: u32, texture: u32);
            glBindVertexArray(array: u32);
            glBindVertexBuffer(index: u32, buffer: u32, offset: isize, stride: i32);
            glBlendEquation(mode: u32);
            glBlendFunc(source: u32, destination: u32);
            glBlitFramebuffer(x0: i32, y0: i32, x1: i32, y1: i32, u0: i32, v0: i32, u1: i32, v1: i32, mask: u32, filter: u32);
            glBufferData(target: u32, size: isize, data: P, usage: u32) reads data [bytes(size)];
            glBufferSubData(target: u32, offset: isize, size: isize, data: P) reads data [bytes(size)];
            glCheckFramebufferStatus(target: u32) -> u32 = glow::FRAMEBUFFER_COMPLETE;
            glClampColor(target: u32, clamp: u32);
            glClearBufferfi(buffer: u32, draw_buffer: i32, depth: f32, stencil: i32);
            glClearBufferfv(buffer: u32, draw_buffer: i32, value: P) reads value [if buffer == glow::COLOR { 16 } else { 4 }];
            glClearBufferiv(buffer: u32, draw_buffer: i32, value: P) reads value [4];
            glClipControl(origin: u32, depth: u32);
            glClipControlEXT(origin: u32, depth: u32);
            glColorMask(red: u8, green: u8, blue: u8, alpha: u8);
            glCompileShader(shader: u32);
            glCompressedTexImage2D(target: u32, level: i32, format: u32, width: i32, height: i32, border: i32, size: i32, data: P)
                reads data [bytes(size)];
            glCompressedTexSubImage2D(target: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, size: i32, data: P)
                reads data [bytes(size)];
            glCopyBufferSubData(from: u32, to: u32, from_offset: isize, to_offset: isize, size: isize);
            glCreateProgram() -> u32 = noop::name();
            glCreateShader(kind: u32) -> u32 = noop::name();
            glCullFace(mode: u32);
            glDeleteBuffers(count: i32, names: P) reads names [bytes(count) * 4];
            glDeleteFramebuffers(count: i32, names: P) reads names [bytes(count) * 4];
            glDeleteProgram(program: u32);
            glDeleteRenderbuffers(count: i32, names: P) reads names [bytes(count) * 4];
            glDeleteSamplers(count: i32, names: P) reads names [bytes(count) * 4];
            glDeleteShader(shader: u32);
            glDeleteSync(sync: P);
            glDeleteTextures(count: i32, names: P) reads names [bytes(count) * 4];
            glDeleteVertexArrays(count: i32, names: P) reads names [bytes(count) * 4];
            glDepthFunc(compare: u32);
            glDepthMask(write: u8);
            glDepthRangef(near: f32, far: f32);
            glDisable(capability: u32);
            glDisableVertexAttribArray(index: u32);
            glDrawArrays(mode: u32, first: i32, count: i32);
            glDrawBuffers(count: i32, buffers: P) reads buffers [bytes(count) * 4];
            glDrawElements(mode: u32, count: i32, kind: u32, offset: P);
            glDrawElementsInstanced(mode: u32, count: i32, kind: u32, offset: P, instances: i32);
            glEnable(capability: u32);
            glEnableVertexAttribArray(index: u32);
            glFenceSync(condition: u32, flags: u32) -> P = noop::sync();
            glFinish();
            glFlush();
            glFramebufferRenderbuffer(target: u32, attachment: u32, kind: u32, renderbuffer: u32);
            glFramebufferTexture2D(target: u32, attachment: u32, kind: u32, texture: u32, level: i32);
            glFrontFace(winding: u32);
            glGenBuffers(count: i32, names: P) writes names [bytes(count) * 4] = noop::names(count, names);
            glGenFramebuffers(count: i32, names: P) writes names [bytes(count) * 4] = noop::names(count, names);
            glGenRenderbuffers(count: i32, names: P) writes names [bytes(count) * 4] = noop::names(count, names);
            glGenSamplers(count: i32, names: P) writes names [bytes(count) * 4] = noop::names(count, names);
            glGenTextures(count: i32, names: P) writes names [bytes(count) * 4] = noop::names(count, names);
            glGenVertexArrays(count: i32, names: P) writes names [bytes(count) * 4] = noop::names(count, names);
            glGenerateMipmap(target: u32);
            glGetError() -> u32;
            glGetFloatv(name: u32, values: P) writes values [FEW] = noop::float(values);
            glGetFramebufferAttachmentParameteriv(target: u32, attachment: u32, name: u32, value: P) writes value [4];
            glGetGraphicsResetStatus() -> u32;
            glGetGraphicsResetStatusKHR() -> u32;
            glGetIntegerv(name: u32, values: P) writes values [FEW] = noop::integer(name, values);
            glGetInternalformativ(target: u32, format: u32, name: u32, count: i32, values: P)
                writes values [bytes(count) * 4] = noop::samples(values);
            glGetProgramBinary(program: u32, size: i32, length: P, format: P, binary: P) writes binary [bytes(size)];
            glGetProgramInfoLog(program: u32, size: i32, length: P, text: P) writes text [bytes(size)];
            glGetProgramiv(program: u32, name: u32, values: P) writes values [FEW] = noop::status(name, values);
            glGetShaderInfoLog(shader: u32, size: i32, length: P, text: P) writes text [bytes(size)];
            glGetShaderiv(shader: u32, name: u32, values: P) writes values [FEW] = noop::status(name, values);
            glGetString(name: u32) -> P = noop::string(name);
            glGetStringi(name: u32, index: u32) -> P = noop::extension(index);
            glGetUniformLocation(program: u32, name: P) -> i32 reads name [text(name)] = noop::location(name);
            glIsEnabled(capability: u32) -> u8;
            glLineWidth(width: f32);
            glLinkProgram(program: u32);
            glMapBufferRange(target: u32, offset: isize, length: isize, access: u32) -> P = noop::mapped(length);
            glPixelStorei(name: u32, value: i32);
            glPolygonMode(face: u32, mode: u32);
            glProgramBinary(program: u32, format: u32, binary: P, length: i32) reads binary [bytes(length)];
            glReadBuffer(buffer: u32);
            glReadPixels(x: i32, y: i32, width: i32, height: i32, format: u32, kind: u32, pixels: P)
                writes pixels [bytes(width) * bytes(height) * 16];
            glRenderbufferStorage(target: u32, format: u32, width: i32, height: i32);
            glRenderbufferStorageMultisample(target: u32, samples: i32, format: u32, width: i32, height: i32);
            glSamplerParameterf(sampler: u32, name: u32, value: f32);
            glSamplerParameteri(sampler: u32, name: u32, value: i32);
            glScissor(x: i32, y: i32, width: i32, height: i32);
            glShaderSource(shader: u32, count: i32, strings: P, lengths: P) source count strings lengths;
            glStencilFuncSeparate(face: u32, compare: u32, reference: i32, mask: u32);
            glStencilMask(mask: u32);
            glStencilOpSeparate(face: u32, stencil_fail: u32, depth_fail: u32, pass: u32);
            glTexImage2D(target: u32, level: i32, internal: i32, width: i32, height: i32, border: i32, format: u32, kind: u32, data: P)
                reads data [texels(width, height, format, kind)];
            glTexParameteri(target: u32, name: u32, value: i32);
            glTexStorage2D(target: u32, levels: i32, internal: u32, width: i32, height: i32);
            glTexSubImage2D(target: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, kind: u32, data: P)
                reads data [texels(width, height, format, kind)];
            glUniform1i(location: i32, value: i32);
            glUniform4fv(location: i32, count: i32, values: P) reads values [bytes(count) * 16];
            glUnmapBuffer(target: u32) -> u8 = 1;
            glUseProgram(program: u32);
            glVertexAttribBinding(attribute: u32, binding: u32);
            glVertexAttribDivisor(index: u32, divisor: u32);
            glVertexAttribFormat(index: u32, size: i32, kind: u32, normalized: u8, offset: u32);
            glVertexAttribPointer(index: u32, size: i32, kind: u32, normalized: u8, stride: i32, offset: P);
            glVertexBindingDivisor(binding: u32, divisor: u32);
            glViewport(x: i32, y: i32, width: i32, height: i32);
            glWaitSync(sync: P, flags: u32, timeout: u64);
        }
    };
}
pub(crate) use gl_table;
