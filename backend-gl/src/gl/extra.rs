//! GL functions that glow lacks, or for which glow assumes UTF-8 from the driver, loaded with the host's loader. For
//! WebGL, `web.rs` replaces this module with the same functions.

use std::borrow::Cow;
use std::ffi::{CStr, c_void};
use std::num::NonZeroU32;
use std::rc::Rc;

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::debug::DebugMessage;
use super::{GlFunctions, SingleValue, functions};

/// glow's context with the host's GL functions.
pub(crate) type HostGl = Rc<glow::Context>;
/// The types of GL's object names.
pub(super) mod names {
    pub(in crate::gl) use glow::{
        NativeBuffer as Buffer, NativeFramebuffer as Framebuffer, NativeProgram as Program,
        NativeRenderbuffer as Renderbuffer, NativeSampler as Sampler, NativeTexture as Texture,
        NativeVertexArray as VertexArray,
    };
}

/// The name of a texture in the host's interface: GL's integer name.
pub type TextureName = NonZeroU32;
/// The name of a framebuffer in the host's interface: GL's integer name.
pub type FramebufferName = NonZeroU32;

pub(crate) fn texture(name: TextureName) -> glow::Texture {
    glow::NativeTexture(name)
}

pub(crate) fn texture_name(texture: glow::Texture) -> TextureName {
    texture.0
}

pub(crate) fn framebuffer(name: FramebufferName) -> glow::Framebuffer {
    glow::NativeFramebuffer(name)
}

pub(crate) fn framebuffer_name(framebuffer: glow::Framebuffer) -> FramebufferName {
    framebuffer.0
}

/// A GL fence: a point in a context's command stream. Contexts of the share group can wait for the fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence(glow::Fence);

// SAFETY: a GL sync is a plain name, which every context of the share group can use on any thread.
unsafe impl Send for Fence {}

impl GlFunctions {
    /// Creates a fence after all commands so far, and flushes them, as other contexts require.
    pub(crate) fn fence(&self) -> Result<Fence, BackendError> {
        // SAFETY: the context is current (promise of `GlFunctions`); plain values.
        let fence = unsafe { self.raw().fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0) };
        self.flush();
        let fence = fence.ok().filter(|glow::NativeFence(sync)| !sync.is_null());
        fence
            .map(Fence)
            .ok_or_else(|| BackendError::Driver("the driver created no fence".to_owned()))
    }

    /// Deletes a texture that has no handle.
    pub(crate) fn delete_texture(&self, texture: glow::Texture) {
        // SAFETY: the context is current (promise of `GlFunctions`); GL checks the name.
        unsafe { self.raw().delete_texture(texture) }
    }

    /// Makes later GL commands wait for a fence on the GPU, without blocking this thread, and deletes the fence.
    pub(crate) fn wait_for(&self, Fence(fence): Fence) {
        // SAFETY: the context is current (promise of `GlFunctions`); GL checks the fence, a name that this context
        // shares.
        unsafe {
            self.raw().wait_sync(fence, 0, glow::TIMEOUT_IGNORED);
            self.raw().delete_sync(fence);
        }
    }
}

/// Returns the locations of an array's elements, given the first and the last one. Returns `None` unless the locations
/// are consecutive; they are on every known driver, but OpenGL doesn't guarantee that.
pub(crate) fn consecutive(
    [first, last]: [&glow::UniformLocation; 2],
    count: usize,
) -> Option<Vec<Option<glow::UniformLocation>>> {
    let locations = first.0..=last.0;
    (locations.clone().count() == count)
        .then(|| locations.map(|number| Some(glow::NativeUniformLocation(number))).collect())
}

type GetStringFn = unsafe extern "system" fn(u32) -> *const u8;
type GetInfoLog = unsafe extern "system" fn(u32, i32, *mut i32, *mut u8);
type UnmapBuffer = unsafe extern "system" fn(u32) -> u8;
type ClampColor = unsafe extern "system" fn(u32, u32);
type ClipControlFn = unsafe extern "system" fn(u32, u32);
type GetGraphicsResetStatus = unsafe extern "system" fn() -> u32;
type DebugMessageControl = unsafe extern "system" fn(u32, u32, u32, i32, *const u32, u8);
type GetDebugMessageLog = unsafe extern "system" fn(
    u32,
    i32,
    *mut u32,
    *mut u32,
    *mut u32,
    *mut u32,
    *mut i32,
    *mut u8,
) -> u32;

/// Maximum number of bytes to read of a compiler log; the rest is discarded.
const MAX_INFO_LOG: usize = 1 << 16;
/// Maximum number of bytes to read of a debug message. Drivers return at most 4096 (`GL_MAX_DEBUG_MESSAGE_LENGTH` on
/// Mesa and NVIDIA).
const MAX_DEBUG_MESSAGE: usize = 1 << 16;

pub(super) struct HostFunctions {
    get_string: GetStringFn,
    get_shader_info_log: GetInfoLog,
    get_program_info_log: GetInfoLog,
    /// `glUnmapBuffer`, because glow's function drops the result.
    unmap_buffer: UnmapBuffer,
    clamp_color: Option<ClampColor>,
    clip_control: Option<ClipControlFn>,
    get_graphics_reset_status: Option<GetGraphicsResetStatus>,
    debug_message_control: Option<DebugMessageControl>,
    get_debug_message_log: Option<GetDebugMessageLog>,
    vertex_bindings: bool,
    format_query: bool,
    texture_storage: bool,
    binaries: bool,
    timer: bool,
}

/// The names of a function, each with its condition in this context; the first name whose condition holds is used. A
/// non-null address doesn't prove support: Mesa and GLVND return an address for every name that begins with "gl".
type Names<'a> = &'a [(bool, &'static str)];

/// Loads a function of type `F`.
///
/// # Safety
/// The loader returns null or the address of a function with exactly the signature `F`, a `fn` pointer type.
unsafe fn find<F: Copy>(loader: &dyn Fn(&str) -> *const c_void, names: Names<'_>) -> Option<F> {
    const {
        assert!(size_of::<F>() == size_of::<*const c_void>());
    }
    let (_, name) = names.iter().find(|(exists, _)| *exists)?;
    let address = loader(name);
    if address.is_null() {
        return None;
    }
    // SAFETY: not null, of the size of a pointer (asserted above), and of type `F` as the caller guarantees.
    Some(unsafe { std::mem::transmute_copy::<*const c_void, F>(&address) })
}

/// Loads a function that every context must have.
///
/// # Safety
/// The safety conditions of [`find`].
unsafe fn required<F: Copy>(
    loader: &dyn Fn(&str) -> *const c_void,
    name: &'static str,
) -> Result<F, BackendError> {
    // SAFETY: the caller guarantees the conditions of `find`.
    let function = unsafe { find(loader, &[(true, name)]) };
    function.ok_or_else(|| BackendError::Driver(format!("the context has no {name}")))
}

impl HostFunctions {
    /// # Safety
    /// `loader` returns null or the address of the GL function with that name, and the context of `raw` is current.
    pub(super) unsafe fn load(
        raw: &glow::Context,
        loader: &dyn Fn(&str) -> *const c_void,
    ) -> Result<Self, BackendError> {
        let version = (raw.version().major, raw.version().minor);
        let es = raw.version().is_embedded;
        let desktop = |since: (u32, u32)| !es && version >= since;
        let has = |name| raw.supported_extensions().contains(name);
        let es_3_2 = es && version >= (3, 2);
        // On desktop KHR functions have no suffix.
        let debug = (es_3_2 || desktop((4, 3)) || (!es && has("GL_KHR_debug")))
            && functions::has(loader, functions::LABELS);
        let debug_khr = es && has("GL_KHR_debug") && functions::has(loader, functions::LABELS_KHR);
        let vertex_bindings =
            version >= if es { (3, 1) } else { (4, 3) } || has("GL_ARB_vertex_attrib_binding");
        let format_query = es || desktop((4, 2)) || has("GL_ARB_internalformat_query");
        let texture_storage = es || desktop((4, 2)) || has("GL_ARB_texture_storage");
        let binaries = es || desktop((4, 1)) || has("GL_ARB_get_program_binary");
        // Timer queries are part of OpenGL 3.3.
        let timer = !es || has("GL_EXT_disjoint_timer_query");
        // SAFETY: the type of each field of `Self` is the signature that the OpenGL registry has for the loaded names.
        unsafe {
            Ok(Self {
                get_string: required(loader, "glGetString")?,
                get_shader_info_log: required(loader, "glGetShaderInfoLog")?,
                get_program_info_log: required(loader, "glGetProgramInfoLog")?,
                unmap_buffer: required(loader, "glUnmapBuffer")?,
                clamp_color: find(loader, &[(desktop((3, 0)), "glClampColor")]),
                clip_control: find(
                    loader,
                    &[
                        (desktop((4, 5)), "glClipControl"),
                        (!es && has("GL_ARB_clip_control"), "glClipControl"),
                        (es && has("GL_EXT_clip_control"), "glClipControlEXT"),
                    ],
                ),
                get_graphics_reset_status: find(
                    loader,
                    &[
                        (es_3_2 || desktop((4, 5)), "glGetGraphicsResetStatus"),
                        (!es && has("GL_KHR_robustness"), "glGetGraphicsResetStatus"),
                        (es && has("GL_KHR_robustness"), "glGetGraphicsResetStatusKHR"),
                        (has("GL_ARB_robustness"), "glGetGraphicsResetStatusARB"),
                        (has("GL_EXT_robustness"), "glGetGraphicsResetStatusEXT"),
                    ],
                ),
                debug_message_control: find(
                    loader,
                    &[(debug, "glDebugMessageControl"), (debug_khr, "glDebugMessageControlKHR")],
                ),
                get_debug_message_log: find(
                    loader,
                    &[(debug, "glGetDebugMessageLog"), (debug_khr, "glGetDebugMessageLogKHR")],
                ),
                vertex_bindings: vertex_bindings
                    && functions::has(loader, functions::VERTEX_BINDINGS),
                format_query: format_query && functions::has(loader, functions::FORMAT_QUERY),
                texture_storage: texture_storage
                    && functions::has(loader, functions::TEXTURE_STORAGE),
                binaries: binaries && functions::has(loader, functions::BINARIES),
                timer: timer && functions::has(loader, functions::TIMER),
            })
        }
    }
}

impl GlFunctions {
    /// Loads the functions that glow lacks.
    ///
    /// # Safety
    /// `raw` was loaded from a context that is current on this thread now and whenever a method of the result runs.
    /// For a function's name, `loader` returns null or the address of this function in the context of `raw`.
    pub(crate) unsafe fn new(
        raw: HostGl,
        loader: &dyn Fn(&str) -> *const c_void,
    ) -> Result<Self, BackendError> {
        // SAFETY: the caller guarantees the conditions of `load`.
        let extra = unsafe { HostFunctions::load(&raw, loader) }?;
        Ok(Self::assemble(raw, extra))
    }

    /// Returns whether the context lists this extension. Hashes a string, so that only initialization may call this.
    pub(crate) fn has_extension(&self, name: &str) -> bool {
        self.raw.supported_extensions().contains(name)
    }

    pub(crate) fn is_web(&self) -> bool {
        false
    }

    /// Checks that a context is current, in case a host doesn't keep its promise. Without a current context, GL
    /// functions have no effect.
    pub(crate) fn check_current(&self) -> Result<(), BackendError> {
        // SAFETY: GL libraries return null without a current context.
        if unsafe { (self.extra.get_string)(glow::VERSION) }.is_null() {
            return Err(BackendError::Driver("no GL context is current on this thread".to_owned()));
        }
        Ok(())
    }

    /// Returns the result of `glGetString`, or an empty string. glow's function panics on null and on invalid UTF-8.
    pub(crate) fn string(&self, name: u32) -> String {
        // SAFETY: the context is current (promise of `GlFunctions`).
        let text = unsafe { (self.extra.get_string)(name) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: not null, so GL guarantees a static string that ends with a zero byte.
        unsafe { CStr::from_ptr(text.cast()) }.to_string_lossy().into_owned()
    }

    pub(crate) fn shader_log(&self, shader: glow::Shader) -> String {
        self.info_log(self.extra.get_shader_info_log, shader.0.get())
    }

    pub(crate) fn program_log(&self, program: glow::Program) -> String {
        self.info_log(self.extra.get_program_info_log, program.0.get())
    }

    fn info_log(&self, get: GetInfoLog, name: u32) -> String {
        let mut buffer = vec![0u8; MAX_INFO_LOG];
        let mut length = 0i32;
        let capacity = i32::try_from(buffer.len()).unwrap_or(i32::MAX);
        // SAFETY: the context is current (promise of `GlFunctions`); GL writes at most `capacity` bytes, the buffer's
        // size.
        unsafe { get(name, capacity, &mut length, buffer.as_mut_ptr()) };
        buffer.truncate(usize::try_from(length).unwrap_or(0));
        String::from_utf8_lossy(&buffer).trim_end().to_owned()
    }

    /// Returns whether [`GlFunctions::clip_depth`] has an effect.
    pub(crate) fn has_clip_control(&self) -> bool {
        self.extra.clip_control.is_some()
    }

    /// Sets the lower left corner as origin, and this range of clip depth, if the context supports it.
    pub(crate) fn clip_depth(&self, range: u32) {
        if let Some(clip_control) = self.extra.clip_control {
            // SAFETY: the context is current (promise of `GlFunctions`); plain enums.
            unsafe { clip_control(glow::LOWER_LEFT, range) };
        }
    }

    /// Sets read clamping to its default, so that floats are read unchanged. OpenGL ES lacks read clamping.
    pub(crate) fn unclamp_reads(&self) {
        if let Some(clamp_color) = self.extra.clamp_color {
            // SAFETY: the context is current (promise of `GlFunctions`); plain enums.
            unsafe { clamp_color(glow::CLAMP_READ_COLOR, glow::FIXED_ONLY) };
        }
    }

    /// Returns whether [`GlFunctions::reset_status`] detects resets.
    pub(crate) fn reports_reset(&self) -> bool {
        self.extra.get_graphics_reset_status.is_some()
            && self.integer(SingleValue::ResetStrategy).cast_unsigned()
                == glow::LOSE_CONTEXT_ON_RESET
    }

    /// Returns whether vertex formats can be set separately from buffers.
    pub(crate) fn has_vertex_bindings(&self) -> bool {
        self.extra.vertex_bindings
    }

    /// Returns whether the driver can be queried for the number of samples of a format.
    pub(crate) fn has_format_query(&self) -> bool {
        self.extra.format_query
    }

    /// Returns whether textures can have immutable storage.
    pub(crate) fn has_texture_storage(&self) -> bool {
        self.extra.texture_storage
    }

    /// Returns whether the driver supports program binaries.
    pub(crate) fn supports_binaries(&self) -> bool {
        self.extra.binaries && self.integer(SingleValue::ProgramBinaryFormats) > 0
    }

    /// Starts the driver's timer; returns `None` without a timer. Only one timer may run.
    pub(crate) fn begin_timer(&self) -> Option<glow::Query> {
        if !self.extra.timer {
            return None;
        }
        // SAFETY: the context is current (promise of `GlFunctions`) and has queries of time.
        unsafe {
            let query = self.raw().create_query().ok()?;
            self.raw().begin_query(glow::TIME_ELAPSED, query);
            // The flush excludes earlier commands, which tile-based drivers would execute inside the timer.
            self.raw().flush();
            Some(query)
        }
    }

    /// Ends the timer, waits, and returns its time in nanoseconds, at most 4.29 seconds.
    pub(crate) fn end_timer(&self, query: glow::Query) -> u32 {
        // SAFETY: the context is current (promise of `GlFunctions`), and `query` is the context's active timer query.
        unsafe {
            self.raw().flush();
            self.raw().end_query(glow::TIME_ELAPSED);
            let time = self.raw().get_query_parameter_u32(query, glow::QUERY_RESULT);
            self.raw().delete_query(query);
            time
        }
    }

    /// Returns the texels unchanged, because native GL accepts any alignment.
    #[inline]
    #[allow(clippy::unused_self, reason = "WebGL's are views of whole elements")]
    pub(super) fn aligned<'a>(&self, data: &'a [u8], _data_type: u32) -> Cow<'a, [u8]> {
        Cow::Borrowed(data)
    }

    /// Waits until GL has written a buffer, and maps the start of the buffer for reading.
    pub(crate) fn mapped(
        &self,
        buffer: glow::Buffer,
        bytes: usize,
        read: impl FnOnce(&[u8]),
    ) -> Result<(), BackendError> {
        let length = i32::try_from(bytes).map_err(|_| BackendError::OutOfMemory)?;
        if bytes == 0 {
            read(&[]);
            return Ok(());
        }
        let target = glow::COPY_READ_BUFFER;
        // SAFETY: the context is current (promise of `GlFunctions`). A non-null mapping has the requested `bytes`, is
        // not written by anything else, and is not used after the buffer is unmapped.
        unsafe {
            self.raw().bind_buffer(target, Some(buffer));
            let mapped = self.raw().map_buffer_range(target, 0, length, glow::MAP_READ_BIT);
            if mapped.is_null() {
                self.check("reading a buffer")?;
                return Err(BackendError::Driver("a buffer can't be mapped".to_owned()));
            }
            read(std::slice::from_raw_parts(mapped, bytes));
            let kept = (self.extra.unmap_buffer)(target) != 0;
            self.check("reading a buffer")?;
            let lost = || BackendError::Driver("a buffer's content was lost".to_owned());
            kept.then_some(()).ok_or_else(lost)
        }
    }

    /// Returns the result of `glGetGraphicsResetStatus`: 0 for a usable context, or if resets are not reported.
    pub(crate) fn reset_status(&self) -> u32 {
        match self.extra.get_graphics_reset_status {
            // SAFETY: the context is current (promise of `GlFunctions`).
            Some(get) => unsafe { get() },
            None => 0,
        }
    }

    /// Returns whether the context has a readable debug log.
    pub(super) fn has_debug_log(&self) -> bool {
        self.extra.get_debug_message_log.is_some()
    }

    /// Enables or disables messages of a severity in the log.
    pub(super) fn log_severity(&self, severity: u32, on: bool) {
        if let Some(control) = self.extra.debug_message_control {
            let any = glow::DONT_CARE;
            // SAFETY: the context is current (promise of `GlFunctions`); no ids are passed, so the pointer isn't read.
            unsafe { control(any, any, severity, 0, std::ptr::null(), u8::from(on)) };
        }
    }

    /// Removes and returns the oldest message of the debug log.
    pub(super) fn next_debug_message(&self, buffer: &mut Vec<u8>) -> Option<DebugMessage> {
        let get = self.extra.get_debug_message_log?;
        buffer.resize(MAX_DEBUG_MESSAGE, 0);
        let (mut source, mut kind, mut id, mut severity, mut length) = (0u32, 0u32, 0u32, 0u32, 0);
        let capacity = i32::try_from(buffer.len()).unwrap_or(i32::MAX);
        // SAFETY: the context is current (promise of `GlFunctions`); one message is requested, so GL writes one value
        // through each pointer and at most `capacity` bytes of text, the buffer's size.
        let received = unsafe {
            get(
                1,
                capacity,
                &mut source,
                &mut kind,
                &mut id,
                &mut severity,
                &mut length,
                buffer.as_mut_ptr(),
            )
        };
        if received == 0 {
            return None;
        }
        let text = buffer.get(..usize::try_from(length).unwrap_or(0)).unwrap_or(&[]);
        let text = String::from_utf8_lossy(text);
        Some(DebugMessage { kind, severity, text: text.trim_end_matches(['\0', '\n']).to_owned() })
    }
}
