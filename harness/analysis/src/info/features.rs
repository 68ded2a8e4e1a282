//! The features of the API that a capture can use.

use crate::calls::uploaded_level;
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, RenderMode, StencilAction, TriangleFace,
};
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Enum, Optional};

/// A feature and the calls that use it.
pub(super) type Feature = (&'static str, fn(&Call) -> bool);

pub(super) const FEATURES: &[Feature] = &[
    (
        "antialiasing",
        |call| matches!(call, Call::ConfigureBackBuffer { anti_alias, .. } | Call::SetRenderToTexture { anti_alias, .. } if *anti_alias > 1),
    ),
    ("mipmaps", |call| upload_level(call).is_some_and(|level| level > 0)),
    ("cube textures", |call| matches!(call, Call::CreateCubeTexture { .. })),
    ("rectangle textures", |call| matches!(call, Call::CreateRectangleTexture { .. })),
    ("ATF", |call| matches!(call, Call::TextureUploadCompressedFromByteArray { .. })),
    ("raw blocks", |call| matches!(call, Call::TextureUploadBlocks { .. })),
    ("asynchronous uploads", |call| {
        matches!(
            call,
            Call::TextureUploadCompressedFromByteArray { is_async: true, .. }
                | Call::TextureUploadFromBitmapDataAsync { .. }
                | Call::TextureUploadFromByteArrayAsync { .. }
        )
    }),
    (
        "streaming textures",
        |call| matches!(call, Call::CreateTexture { streaming_levels, .. } | Call::CreateCubeTexture { streaming_levels, .. } if *streaming_levels > 0),
    ),
    ("render to texture", |call| matches!(call, Call::SetRenderToTexture { texture: Some(_), .. })),
    (
        "several colour outputs",
        |call| matches!(call, Call::SetRenderToTexture { color_output_index, .. } if *color_output_index > 0),
    ),
    ("scissor", |call| matches!(call, Call::SetScissorRectangle { rectangle: Some(_) })),
    ("stencil", uses_stencil),
    (
        "culling",
        |call| matches!(call, Call::SetCulling { triangle_face_to_cull: Enum::Is(face) } if *face != TriangleFace::None),
    ),
    (
        "depth test",
        |call| matches!(call, Call::SetDepthTest { pass_compare_mode: Enum::Is(mode), .. } if *mode != CompareMode::Always),
    ),
    ("blending", |call| {
        matches!(call, Call::SetBlendFactors { source_factor: Enum::Is(source), destination_factor: Enum::Is(destination) }
            if (*source, *destination) != (BlendFactor::One, BlendFactor::Zero))
    }),
    (
        "colour mask",
        |call| matches!(call, Call::SetColorMask { red, green, blue, alpha } if !(*red && *green && *blue && *alpha)),
    ),
    ("sampler states", |call| matches!(call, Call::SetSamplerStateAt { .. })),
    ("instancing", |call| {
        matches!(
            call,
            Call::DrawTrianglesInstanced { .. } | Call::CreateVertexBufferForInstances { .. }
        )
    }),
    ("wireframe", |call| {
        matches!(call, Call::SetFillMode { fill_mode: Enum::Is(FillMode::Wireframe) })
    }),
    ("drawToBitmapData", |call| matches!(call, Call::DrawToBitmapData { .. })),
    ("error checking", |call| matches!(call, Call::SetErrorChecking { value: true })),
    ("big-endian bytecode", |call| {
        let big = |array: &ByteArray| {
            array.0.as_ref().is_some_and(|bytes| bytes.endian == agal::Endian::Big)
        };
        matches!(call, Call::ProgramUpload { vertex_program, fragment_program }
            if big(vertex_program) || big(fragment_program))
    }),
    ("software rendering", |call| {
        matches!(
            call,
            Call::RequestContext3D {
                render_mode: Optional(Some(Enum::Is(RenderMode::Software))),
                ..
            }
        )
    }),
];

fn uses_stencil(call: &Call) -> bool {
    let Call::SetStencilActions {
        compare_mode,
        action_on_both_pass,
        action_on_depth_fail,
        action_on_depth_pass_stencil_fail,
        ..
    } = call
    else {
        return false;
    };
    let actions = [action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail];
    *compare_mode != CompareMode::Always.into()
        || actions.iter().any(|action| **action != StencilAction::Keep.into())
}

/// The level of an upload to a texture; an ATF file includes its levels.
pub(super) fn upload_level(call: &Call) -> Option<u32> {
    uploaded_level(call).map(|(_, level)| level).or(call.atf_file().map(|_| 0))
}
