//! The features of Stage3D that a capture can use.

use context3d::enums::{
    BlendFactor, CompareMode, FillMode, RenderMode, StencilAction, TriangleFace,
};
use molehill_analysis::calls::{is_asynchronous, uploaded_level};
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Enum, OptionalParameter};

/// A feature's name, and a function that returns whether a call uses the feature.
pub(super) type CallFeature = (&'static str, fn(&Call) -> bool);

macro_rules! features {
    ($($name:literal: $pattern:pat $(if $guard:expr)?,)+) => {
        pub(super) const FEATURES: &[CallFeature] = &[$(($name, |call| matches!(call, $pattern $(if $guard)?)),)+];
    };
}

features! {
    "antialiasing": Call::ConfigureBackBuffer { anti_alias, .. } | Call::SetRenderToTexture { anti_alias, .. }
        if *anti_alias > 1,
    "mipmaps": call if upload_level(call).is_some_and(|level| level > 0),
    "cube textures": Call::CreateCubeTexture { .. },
    "rectangle textures": Call::CreateRectangleTexture { .. },
    "ATF": Call::TextureUploadCompressedFromByteArray { .. },
    "raw blocks": Call::TextureUploadBlocks { .. },
    "asynchronous uploads": call if is_asynchronous(call),
    "streaming textures": Call::CreateTexture { streaming_levels, .. } | Call::CreateCubeTexture { streaming_levels, .. }
        if *streaming_levels > 0,
    "render to texture": Call::SetRenderToTexture { texture: Some(_), .. },
    "several colour outputs": Call::SetRenderToTexture { color_output_index, .. } if *color_output_index > 0,
    "scissor": Call::SetScissorRectangle { rectangle: Some(_) },
    "stencil": Call::SetStencilActions {
        compare_mode, action_on_both_pass: both, action_on_depth_fail: depth, action_on_depth_pass_stencil_fail: stencil, ..
    } if *compare_mode != CompareMode::Always.into() || [both, depth, stencil].iter().any(|it| **it != StencilAction::Keep.into()),
    "culling": Call::SetCulling { triangle_face_to_cull: Enum::Is(face) } if *face != TriangleFace::None,
    "depth test": Call::SetDepthTest { pass_compare_mode: Enum::Is(mode), .. } if *mode != CompareMode::Always,
    "blending": Call::SetBlendFactors { source_factor: Enum::Is(source), destination_factor: Enum::Is(destination) }
        if (*source, *destination) != (BlendFactor::One, BlendFactor::Zero),
    "colour mask": Call::SetColorMask { red, green, blue, alpha } if !(*red && *green && *blue && *alpha),
    "sampler states": Call::SetSamplerStateAt { .. },
    "instancing": Call::DrawTrianglesInstanced { .. } | Call::CreateVertexBufferForInstances { .. },
    "wireframe": Call::SetFillMode { fill_mode: Enum::Is(FillMode::Wireframe) },
    "drawToBitmapData": Call::DrawToBitmapData { .. },
    "error checking": Call::SetErrorChecking { value: true },
    "big-endian bytecode": Call::ProgramUpload { vertex_program, fragment_program }
        if is_big(vertex_program) || is_big(fragment_program),
    "software rendering":
        Call::RequestContext3D { render_mode: OptionalParameter(Some(Enum::Is(RenderMode::Software))), .. },
}

fn is_big(array: &ByteArray) -> bool {
    array.0.as_ref().is_some_and(|bytes| bytes.endian == agal::Endian::Big)
}

/// Returns the mip level of a texture upload. Returns 0 for an ATF file, which contains all its mip levels.
pub(super) fn upload_level(call: &Call) -> Option<u32> {
    uploaded_level(call).map(|(_, level)| level).or(call.atf_file().map(|_| 0))
}
