//! Features that a context may lack, according to its extensions, version and limits.

use context3d::packets::MAX_SAMPLERS;

use super::{Remedy, When, Workaround};
use crate::caps::GlCaps;

const fn row(
    name: &'static str,
    what: &'static str,
    source: &'static str,
    remedy: Remedy,
    lacks: fn(&GlCaps) -> bool,
) -> Workaround {
    Workaround { name, what, source, remedy, when: When::Lacks(lacks) }
}

/// One row for each feature.
pub(super) const MISSING: &[Workaround] = &[
    row(
        "clip-depth-in-shader",
        "Clip space can't be 0..w deep.",
        "glClipControl is in OpenGL 4.5, ARB_clip_control and EXT_clip_control",
        Remedy::ClipDepthInShader,
        |caps| !caps.clip_control,
    ),
    row(
        "swap-bgra-on-cpu",
        "Texels can't be given as B, G, R, A, or textures of them can't be rendered to or mip-mapped.",
        "OpenGL ES has it only in EXT_texture_format_BGRA8888, which leaves the rest open: it is tried",
        Remedy::SwapBgraOnCpu,
        |caps| !caps.bgra_data,
    ),
    row(
        "expand-4444-on-cpu",
        "GL_UNSIGNED_SHORT_4_4_4_4_REV with GL_BGRA isn't there.",
        "no version of OpenGL ES has it",
        Remedy::Expand4444OnCpu,
        |caps| caps.es,
    ),
    row(
        "rgb8-for-565",
        "GL_RGB565 isn't a storage format.",
        "it is in OpenGL 4.1, ARB_ES2_compatibility and OpenGL ES",
        Remedy::Rgb8For565,
        |caps| !caps.rgb565,
    ),
    row(
        "rgb8-for-opaque",
        "GL_TEXTURE_SWIZZLE_A isn't there, by which textures without alpha read 1.",
        "WebGL 2.0, section 5.18",
        Remedy::Rgb8ForOpaque,
        |caps| caps.web,
    ),
    row(
        "narrow-strides",
        "Vertices can't be 256 bytes apart.",
        "WebGL 1.0, vertex attribute data stride: up to 255 bytes",
        Remedy::NarrowStrides,
        |caps| caps.web,
    ),
    row(
        "bind-indices-first",
        "A buffer that was bound elsewhere before can't be bound to GL_ELEMENT_ARRAY_BUFFER.",
        "WebGL 2.0, section 5.1, as Chromium reads it",
        Remedy::BindIndicesFirst,
        |caps| caps.web,
    ),
    row(
        "wide-indices",
        "The index 65535 begins a new primitive: GL_PRIMITIVE_RESTART_FIXED_INDEX is always on.",
        "WebGL 2.0, section 5.18",
        Remedy::WideIndices,
        |caps| caps.web,
    ),
    row(
        "fill-samples-by-drawing",
        "A blit into a multisampled framebuffer is an error.",
        "OpenGL ES 3.0, section 4.3.2",
        Remedy::FillSamplesByDrawing,
        |caps| caps.es,
    ),
    row(
        "read-half-as-float",
        "glReadPixels refuses GL_UNSIGNED_BYTE for half-float surfaces.",
        "OpenGL ES 3.0, section 4.3.1",
        Remedy::ReadHalfAsFloat,
        |caps| caps.es,
    ),
    row(
        "decode-dxt-on-cpu",
        "DXT1 and DXT5 blocks aren't taken.",
        "they are in EXT_texture_compression_s3tc and the extensions that have its parts",
        Remedy::DecodeDxtOnCpu,
        |caps| !caps.public.s3tc,
    ),
    row(
        "decode-etc2-on-cpu",
        "ETC2 blocks aren't taken, or the driver decodes them itself.",
        "WebGL 2 has them only in WEBGL_compressed_texture_etc; OpenGL 4.3 takes them, and desktop GPUs have no use for them",
        Remedy::DecodeEtc2OnCpu,
        |caps| !caps.public.etc2,
    ),
    row(
        "share-upload-unit",
        "There is no texture unit besides those of the samplers.",
        "GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS",
        Remedy::ShareUploadUnit,
        |caps| usize::try_from(caps.texture_units).is_ok_and(|units| units <= MAX_SAMPLERS),
    ),
    row(
        "no-anisotropy",
        "There are no anisotropic filters.",
        "they are in OpenGL 4.6 and the extensions texture_filter_anisotropic",
        Remedy::NoAnisotropy,
        |caps| caps.max_anisotropy <= 1.0,
    ),
    row("one-sample", "Pixels have one sample.", "GL_MAX_SAMPLES", Remedy::OneSample, |caps| {
        caps.public.max_samples <= 1
    }),
    row(
        "no-half-float-targets",
        "GL_RGBA16F can't be rendered to.",
        "OpenGL ES has it in 3.2 and in EXT_color_buffer_float and EXT_color_buffer_half_float",
        Remedy::NoHalfFloatTargets,
        |caps| !caps.public.half_float_targets,
    ),
    row(
        "attribute-pointers",
        "Buffers can't be bound apart from the format of attributes.",
        "glBindVertexBuffer is in OpenGL 4.3, ARB_vertex_attrib_binding and OpenGL ES 3.1, and not in WebGL",
        Remedy::AttributePointers,
        |caps| !caps.vertex_bindings,
    ),
    row(
        "no-wireframe",
        "Triangles can't be drawn as lines.",
        "glPolygonMode isn't in OpenGL ES, as setFillMode isn't on mobile (context3d.md section 6: desktop only)",
        Remedy::NoWireframes,
        |caps| !caps.public.wireframe,
    ),
];
