//! The table of workarounds.

use context3d::packets::MAX_SAMPLERS;

use super::{Condition, Workaround};
use crate::driver::DriverFamily;

macro_rules! workarounds {
    ($($remedy:ident $name:literal $when:ident($condition:expr) {
        what: $what:literal, source: $source:literal, instead: $instead:literal,
    })+) => {
        /// The remedy of a missing feature or a bug. The discriminant is the index of the workaround in the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Remedy {$(#[doc = $instead] $remedy,)+}

        /// Features that a context may lack, according to its extensions, version and limits; then bugs of drivers.
        pub(super) const ROWS: &[Workaround] = &[$(Workaround {
            name: $name,
            what: $what,
            source: $source,
            remedy: $instead,
            when: Condition::$when($condition),
        },)+];
    };
}

workarounds! {
    ClipDepthInShader "clip-depth-in-shader" Lacks(|caps| !caps.clip_control) {
        what: "glClipControl isn't available: clip-space depth can't be 0 to w.",
        source: "glClipControl is in OpenGL 4.5, ARB_clip_control and EXT_clip_control",
        instead: "the vertex shader ends with z = 2z - w, which costs depth precision near 0",
    }
    SwapBgraOnCpu "swap-bgra-on-cpu" Lacks(|caps| !caps.bgra_data) {
        what: "GL_BGRA textures can't be uploaded, rendered to, or mip-mapped.",
        source: "OpenGL ES has GL_BGRA only in EXT_texture_format_BGRA8888, which doesn't define rendering: it is tried",
        instead: "red and blue are swapped before the upload",
    }
    Expand4444OnCpu "expand-4444-on-cpu" Lacks(|caps| caps.es) {
        what: "GL_UNSIGNED_SHORT_4_4_4_4_REV with GL_BGRA isn't available.",
        source: "no version of OpenGL ES has it",
        instead: "texels are expanded to four bytes before the upload",
    }
    Rgb8For565 "rgb8-for-565" Lacks(|caps| !caps.rgb565) {
        what: "GL_RGB565 isn't a storage format.",
        source: "it is in OpenGL 4.1, ARB_ES2_compatibility and OpenGL ES",
        instead: "GL_RGB8, which loses nothing",
    }
    Rgb8ForOpaque "rgb8-for-opaque" Lacks(|caps| caps.web) {
        what: "GL_TEXTURE_SWIZZLE_A isn't available: textures without alpha can't read 1.",
        source: "WebGL 2.0, section 5.18",
        instead: "GL_RGB8; alpha is dropped before the upload",
    }
    NarrowStrides "narrow-strides" Lacks(|caps| caps.web) {
        what: "Vertex strides of 256 bytes aren't available.",
        source: "WebGL 1.0, vertex attribute data stride: up to 255 bytes",
        instead: "BackendCaps::max_vertex_stride is 255: createVertexBuffer rejects 64 values",
    }
    BindIndicesFirst "bind-indices-first" Lacks(|caps| caps.web) {
        what: "A buffer whose first binding was another one can't be bound to GL_ELEMENT_ARRAY_BUFFER.",
        source: "WebGL 2.0, section 5.1, as Chromium implements it",
        instead: "index buffers are bound to GL_ELEMENT_ARRAY_BUFFER at their creation",
    }
    WideIndices "wide-indices" Lacks(|caps| caps.web) {
        what: "The index 65535 begins a new primitive: GL_PRIMITIVE_RESTART_FIXED_INDEX is always on.",
        source: "WebGL 2.0, section 5.18",
        instead: "index buffers have 32 bits an index",
    }
    ReadHalfAsFloat "read-half-as-float" Lacks(|caps| caps.es) {
        what: "glReadPixels rejects GL_UNSIGNED_BYTE for half-float surfaces.",
        source: "OpenGL ES 3.0, section 4.3.1",
        instead: "floats are read and converted",
    }
    DecodeDxtOnCpu "decode-dxt-on-cpu" Lacks(|caps| !caps.public.s3tc) {
        what: "DXT1 and DXT5 textures aren't supported.",
        source: "they are in EXT_texture_compression_s3tc and the extensions that have its parts",
        instead: "BackendCaps::s3tc is false: context3d uploads ETC2 blocks if available; otherwise decodes blocks once, at upload",
    }
    DecodeEtc2OnCpu "decode-etc2-on-cpu" Lacks(|caps| !caps.public.etc2) {
        what: "ETC2 textures aren't supported, or the driver decompresses them in software.",
        source: "WebGL 2 has them only in WEBGL_compressed_texture_etc; OpenGL 4.3 accepts them, and desktop GPUs can't sample them",
        instead: "BackendCaps::etc2 is false: context3d uploads DXT blocks if available; otherwise decodes blocks once, at upload",
    }
    ShareUploadUnit "share-upload-unit" Lacks(|caps| usize::try_from(caps.texture_units).is_ok_and(|units| units <= MAX_SAMPLERS)) {
        what: "No texture unit is available in addition to those of the samplers.",
        source: "GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS",
        instead: "textures are edited on the last sampler's unit, whose binding is set again for the next draw",
    }
    StoreLevels "store-levels" Lacks(|caps| !caps.texture_storage) {
        what: "Textures can't have immutable storage.",
        source: "glTexStorage2D is in OpenGL 4.2, ARB_texture_storage and OpenGL ES",
        instead: "glTexImage2D allocates each level at its first upload",
    }
    NoAnisotropy "no-anisotropy" Lacks(|caps| caps.max_anisotropy <= 1.0) {
        what: "Anisotropic filters aren't supported.",
        source: "they are in OpenGL 4.6 and the extensions texture_filter_anisotropic",
        instead: "anisotropic filters are linear",
    }
    OneSample "one-sample" Lacks(|caps| caps.public.max_samples <= 1) {
        what: "Multisampling isn't supported.",
        source: "GL_MAX_SAMPLES",
        instead: "nothing is antialiased",
    }
    NoHalfFloatTargets "no-half-float-targets" Lacks(|caps| !caps.public.half_float_targets) {
        what: "GL_RGBA16F can't be rendered to.",
        source: "OpenGL ES has it in 3.2 and in EXT_color_buffer_float and EXT_color_buffer_half_float",
        instead: "BackendCaps::half_float_targets is false: setRenderToTexture rejects such textures",
    }
    AttributePointers "attribute-pointers" Lacks(|caps| !caps.vertex_bindings) {
        what: "Vertex buffers can't be bound separately from attribute formats (no glBindVertexBuffer).",
        source: "glBindVertexBuffer is in OpenGL 4.3, ARB_vertex_attrib_binding and OpenGL ES 3.1, and not in WebGL",
        instead: "glVertexAttribPointer for each attribute when its buffer changes, not glBindVertexBuffer for all",
    }
    NoWireframes "no-wireframe" Lacks(|caps| !caps.public.wireframe) {
        what: "Triangles can't be drawn as lines.",
        source: "glPolygonMode isn't in OpenGL ES, as setFillMode isn't on mobile [context3d.fill.mode]",
        instead: "BackendCaps::wireframe is false: setFillMode rejects wireframes",
    }
    DecodeSrgbInShader "decode-srgb-in-shader" Lacks(|caps| !caps.srgb_write_control) {
        what: "Colours that are written to an sRGB framebuffer are always converted from linear to sRGB.",
        source: "GL_FRAMEBUFFER_SRGB is in OpenGL and EXT_sRGB_write_control, and not in WebGL",
        instead: "a shader that converts from sRGB to linear draws the frame into a host's sRGB framebuffer",
    }
    DrawFacesApart "mesa-wireframe-faces" Driver(&[DriverFamily::Llvmpipe, DriverFamily::Softpipe, DriverFamily::Lavapipe]) {
        what: "All lines of wireframes use the front stencil state.",
        source: "the case api.fill_mode.wireframe.stencil_by_face on Mesa 22.3.6",
        instead: "front faces are drawn first, then back faces, each with its own stencil state for both",
    }
}
