//! Every parameter that takes a string: each accepted one, null, and invalid ones.
//!
//! Source: context3d-errors.md, "Parameter names used by error 2008". Whether null raises 2007 is unverified.

use context3d::Profile;
use context3d::enums::{
    BlendFactor, BufferUsage, CompareMode, FillMode, FlashName, MipFilter, ProgramType,
    StencilAction, TextureFilter, TextureFormat, TriangleFace, VertexFormat, WrapMode,
};

use crate::case::{Cases, Expected};
use crate::expected;
use crate::scene_builder::{Done, SceneBuilder};
use molehill_capture::Call;
use molehill_capture::data::{Enum, Matrix, Numbers};

/// Makes the call with a string.
type With<T> = fn(&mut SceneBuilder, Enum<T>) -> Done;

/// Strings in no enumeration: another case, empty, and with a space.
const WRONG: [(&str, &str); 4] =
    [("upper_case", "ONE"), ("empty", ""), ("spaced", "one "), ("foreign", "größe")];

fn some<T: FlashName>(text: &str) -> Enum<T> {
    Enum::parse(Some(text))
}

/// Rows of parameters: the enumeration, the call, our name of the parameter, Flash's, and the call with a value of it.
macro_rules! parameters {
    ($cases:ident; $($type:ident $call:tt $own:literal $flash:literal |$s:ident, $text:ident| => $with:expr;)+) => {$(
        parameter::<$type>($cases, stringify!($type), $call, $own, $flash, |$s, $text| $with);
    )+};
}

/// All cases of a parameter. Messages have Flash's name of it, cases have ours.
fn parameter<T: FlashName>(
    cases: &mut Cases,
    enumeration: &str,
    call: &str,
    own: &str,
    flash: &'static str,
    with: With<T>,
) {
    let mut add = |tail: &str, expected: Expected, value: Option<&'static str>| {
        let source = "context3d-errors.md, parameter names used by error 2008";
        let above = expected == Expected::Allowed;
        let case =
            cases.calls(format!("api.enum.{call}.{own}.{tail}"), source, expected, move |s| {
                s.expect();
                with(s, Enum::parse(value))
            });
        // Every format, in every profile that has it.
        case.profile(Profile::Standard);
        if above {
            case.on_null_backend();
        }
    };
    for name in expected::names(enumeration) {
        add(name, Expected::Allowed, Some(name));
    }
    add("null", Expected::raises(2007, &[flash]), None);
    for (tail, text) in WRONG {
        let expected = Expected::raises(2008, &[flash]);
        add(tail, expected, Some(text));
    }
}

pub(super) fn add(cases: &mut Cases) {
    fixed_function(cases);
    stencil(cases);
    samplers(cases);
    creation(cases);
    constants(cases);
}

fn fixed_function(cases: &mut Cases) {
    parameters! { cases;
        BlendFactor "setBlendFactors" "sourceFactor" "sourceFactor" |s, text| =>
            s.call(Call::SetBlendFactors { source_factor: text, destination_factor: some("one") });
        BlendFactor "setBlendFactors" "destinationFactor" "destinationFactor" |s, text| =>
            s.call(Call::SetBlendFactors { source_factor: some("one"), destination_factor: text });
        TriangleFace "setCulling" "triangleFaceToCull" "triangleFaceToCull" |s, text| =>
            s.call(Call::SetCulling { triangle_face_to_cull: text });
        CompareMode "setDepthTest" "passCompareMode" "passCompareMode" |s, text| =>
            s.call(Call::SetDepthTest { depth_mask: true, pass_compare_mode: text });
        FillMode "setFillMode" "fillMode" "fillMode" |s, text| => s.call(Call::SetFillMode { fill_mode: text });
    }
}

/// `setStencilActions`.
fn stencil_call(
    s: &mut SceneBuilder,
    face: Enum<TriangleFace>,
    compare: Enum<CompareMode>,
    actions: [Enum<StencilAction>; 3],
) -> Done {
    let [both, depth, fail] = actions;
    s.call(Call::SetStencilActions {
        triangle_face: face,
        compare_mode: compare,
        action_on_both_pass: both,
        action_on_depth_fail: depth,
        action_on_depth_pass_stencil_fail: fail,
    })
}

fn stencil(cases: &mut Cases) {
    const CALL: &str = "setStencilActions";
    parameters! { cases;
        TriangleFace CALL "triangleFace" "triangleFace" |s, text| =>
            stencil_call(s, text, some("always"), ["keep"; 3].map(some));
        CompareMode CALL "compareMode" "compareMode" |s, text| =>
            stencil_call(s, some("front"), text, ["keep"; 3].map(some));
        StencilAction CALL "actionOnBothPass" "actionOnBothPass" |s, text| =>
            stencil_call(s, some("front"), some("always"), [text, some("keep"), some("keep")]);
        StencilAction CALL "actionOnDepthFail" "actionOnDepthFail" |s, text| =>
            stencil_call(s, some("front"), some("always"), [some("keep"), text, some("keep")]);
        StencilAction CALL "actionOnDepthPassStencilFail" "actionOnDepthPassStencilFail" |s, text| =>
            stencil_call(s, some("front"), some("always"), [some("keep"), some("keep"), text]);
    }
}

fn samplers(cases: &mut Cases) {
    const CALL: &str = "setSamplerStateAt";
    fn call(
        s: &mut SceneBuilder,
        wrap: Enum<WrapMode>,
        filter: Enum<TextureFilter>,
        mipfilter: Enum<MipFilter>,
    ) -> Done {
        s.call(Call::SetSamplerStateAt { sampler: 0, wrap, filter, mipfilter })
    }
    parameters! { cases;
        WrapMode CALL "wrap" "wrap" |s, text| => call(s, text, some("linear"), some("mipnone"));
        TextureFilter CALL "filter" "filter" |s, text| => call(s, some("clamp"), text, some("mipnone"));
        MipFilter CALL "mipfilter" "mipfilter" |s, text| => call(s, some("clamp"), some("linear"), text);
    }
}

fn creation(cases: &mut Cases) {
    parameter::<TextureFormat>(
        cases,
        "TextureFormat",
        "createTexture",
        "format",
        "textureFormat",
        |s, format| {
            s.create(Call::CreateTexture {
                width: 4,
                height: 4,
                format,
                optimize_for_render_to_texture: false,
                streaming_levels: 0,
            })
            .map(drop)
        },
    );
    parameter::<TextureFormat>(
        cases,
        "TextureFormat",
        "createCubeTexture",
        "format",
        "textureFormat",
        |s, format| {
            s.create(Call::CreateCubeTexture {
                size: 4,
                format,
                optimize_for_render_to_texture: false,
                streaming_levels: 0,
            })
            .map(drop)
        },
    );
    buffers(cases);
}

fn buffers(cases: &mut Cases) {
    parameter::<BufferUsage>(
        cases,
        "BufferUsage",
        "createVertexBuffer",
        "bufferUsage",
        "bufferUsage",
        |s, buffer_usage| {
            s.create(Call::CreateVertexBuffer {
                num_vertices: 1,
                data32_per_vertex: 1,
                buffer_usage,
            })
            .map(drop)
        },
    );
    parameter::<BufferUsage>(
        cases,
        "BufferUsage",
        "createIndexBuffer",
        "bufferUsage",
        "bufferUsage",
        |s, buffer_usage| {
            s.create(Call::CreateIndexBuffer { num_indices: 1, buffer_usage }).map(drop)
        },
    );
    parameter::<VertexFormat>(
        cases,
        "VertexFormat",
        "setVertexBufferAt",
        "format",
        "vertexStreamFormat",
        |s, format| {
            let buffer = s.vertex_buffer(1, 4)?;
            s.call(Call::SetVertexBufferAt {
                index: 0,
                buffer: Some(buffer),
                buffer_offset: 0,
                format,
            })
        },
    );
}

fn constants(cases: &mut Cases) {
    parameter::<ProgramType>(
        cases,
        "ProgramType",
        "setProgramConstantsFromVector",
        "programType",
        "programType",
        |s, program_type| {
            s.call(Call::SetProgramConstantsFromVector {
                program_type,
                first_register: 0,
                data: Some(Numbers(vec![0.0; 4])),
                num_registers: -1,
            })
        },
    );
    parameter::<ProgramType>(
        cases,
        "ProgramType",
        "setProgramConstantsFromMatrix",
        "programType",
        "programType",
        |s, program_type| {
            s.call(Call::SetProgramConstantsFromMatrix {
                program_type,
                first_register: 0,
                matrix: Some(Matrix(Box::new([0.0; 16]))),
                transposed_matrix: false,
            })
        },
    );
    parameter::<ProgramType>(
        cases,
        "ProgramType",
        "setProgramConstantsFromByteArray",
        "programType",
        "programType",
        |s, program_type| {
            s.call(Call::SetProgramConstantsFromByteArray {
                program_type,
                first_register: 0,
                num_registers: 1,
                data: vec![0; 16].into(),
                byte_array_offset: 0,
            })
        },
    );
}
