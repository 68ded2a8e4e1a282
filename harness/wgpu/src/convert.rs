//! Converts `context3d`'s enums to those of wgpu.

use context3d::enums::{
    BlendFactor as Factor, CompareMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    VertexFormat as Components, WrapMode,
};
use context3d::packets::{SamplerState, StencilFace};
use wgpu::{
    AddressMode, BlendFactor, CompareFunction, Face, FilterMode, SamplerDescriptor,
    StencilFaceState, StencilOperation, VertexFormat,
};

use crate::version::MipmapFilterMode;

/// Defines a function per enum, with an exhaustive match.
macro_rules! to_wgpu {
    ($($(#[$doc:meta])* $name:ident: $from:ident -> $to:ty { $($member:ident => $value:expr,)+ })+) => {$(
        $(#[$doc])*
        pub(crate) fn $name(value: $from) -> $to {
            match value { $($from::$member => $value),+ }
        }
    )+};
}

to_wgpu! {
    /// Converts a blend factor.
    blend_factor: Factor -> BlendFactor {
        Zero => BlendFactor::Zero,
        One => BlendFactor::One,
        SourceColor => BlendFactor::Src,
        OneMinusSourceColor => BlendFactor::OneMinusSrc,
        SourceAlpha => BlendFactor::SrcAlpha,
        OneMinusSourceAlpha => BlendFactor::OneMinusSrcAlpha,
        DestinationAlpha => BlendFactor::DstAlpha,
        OneMinusDestinationAlpha => BlendFactor::OneMinusDstAlpha,
        DestinationColor => BlendFactor::Dst,
        OneMinusDestinationColor => BlendFactor::OneMinusDst,
    }
    /// Converts the comparison of a depth or stencil test.
    compare: CompareMode -> CompareFunction {
        Always => CompareFunction::Always,
        Equal => CompareFunction::Equal,
        Greater => CompareFunction::Greater,
        GreaterEqual => CompareFunction::GreaterEqual,
        Less => CompareFunction::Less,
        LessEqual => CompareFunction::LessEqual,
        Never => CompareFunction::Never,
        NotEqual => CompareFunction::NotEqual,
    }
    /// Converts a stencil action.
    stencil_action: StencilAction -> StencilOperation {
        Keep => StencilOperation::Keep,
        Zero => StencilOperation::Zero,
        Set => StencilOperation::Replace,
        Invert => StencilOperation::Invert,
        IncrementSaturate => StencilOperation::IncrementClamp,
        DecrementSaturate => StencilOperation::DecrementClamp,
        IncrementWrap => StencilOperation::IncrementWrap,
        DecrementWrap => StencilOperation::DecrementWrap,
    }
    /// Converts the culled face. `FrontAndBack` becomes `None`, because the backend skips draws that cull both faces.
    cull_face: TriangleFace -> Option<Face> {
        None => None,
        Back => Some(Face::Back),
        Front => Some(Face::Front),
        FrontAndBack => None,
    }
    /// Converts a wrap mode to the address modes of u and v.
    wrap: WrapMode -> (AddressMode, AddressMode) {
        Clamp => (AddressMode::ClampToEdge, AddressMode::ClampToEdge),
        Repeat => (AddressMode::Repeat, AddressMode::Repeat),
        ClampURepeatV => (AddressMode::ClampToEdge, AddressMode::Repeat),
        RepeatUClampV => (AddressMode::Repeat, AddressMode::ClampToEdge),
    }
    /// Returns the filter within a level, and the maximum anisotropy. Anisotropic filters are linear
    /// [context3d.sampler.anisotropic].
    filter: TextureFilter -> (FilterMode, u16) {
        Nearest => (FilterMode::Nearest, 1),
        Linear => (FilterMode::Linear, 1),
        Anisotropic2x => (FilterMode::Linear, 2),
        Anisotropic4x => (FilterMode::Linear, 4),
        Anisotropic8x => (FilterMode::Linear, 8),
        Anisotropic16x => (FilterMode::Linear, 16),
    }
    /// Returns the filter between mip levels, and the maximum level that is read.
    mip_filter: MipFilter -> (MipmapFilterMode, f32) {
        None => (MipmapFilterMode::Nearest, 0.0),
        Nearest => (MipmapFilterMode::Nearest, 32.0),
        Linear => (MipmapFilterMode::Linear, 32.0),
    }
    /// Converts the format of a vertex attribute.
    vertex_format: Components -> VertexFormat {
        Float1 => VertexFormat::Float32,
        Float2 => VertexFormat::Float32x2,
        Float3 => VertexFormat::Float32x3,
        Float4 => VertexFormat::Float32x4,
        Bytes4 => VertexFormat::Unorm8x4,
    }
}

/// Converts the stencil test of a face.
pub(crate) fn stencil_face(face: &StencilFace) -> StencilFaceState {
    StencilFaceState {
        compare: compare(face.compare),
        fail_op: stencil_action(face.stencil_fail),
        depth_fail_op: stencil_action(face.depth_fail),
        pass_op: stencil_action(face.both_pass),
    }
}

/// Returns the descriptor of a sampler. wgpu's anisotropy requires linear filters, even between mip levels: the two
/// nearest levels are blended, even if the program selects only the nearest.
pub(crate) fn sampler(state: SamplerState) -> SamplerDescriptor<'static> {
    let ((u, v), (filter, anisotropy)) = (wrap(state.wrap), filter(state.filter));
    let (mipmap, largest) = mip_filter(state.mip);
    let anisotropic = anisotropy > 1;
    SamplerDescriptor {
        address_mode_u: u,
        address_mode_v: v,
        mag_filter: filter,
        min_filter: filter,
        mipmap_filter: if anisotropic { MipmapFilterMode::Linear } else { mipmap },
        lod_max_clamp: largest,
        anisotropy_clamp: anisotropy,
        ..Default::default()
    }
}
