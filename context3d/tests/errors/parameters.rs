//! Parameter names in the messages of errors #2007 and #2008, and messages with filled placeholders.
//!
//! Source: [context3d.error.2008], `REFERENCE-checks.md` for the names, `REFERENCE-errors.md` for the messages.

use context3d::arguments::Bytecode;
use context3d::enums::{
    CompareMode, EnumArg, ProgramType, RenderMode, StencilAction, TextureFormat, TriangleFace,
    WrapMode,
};
use context3d::errors::ErrorClass;
use context3d::{Error, Invocation, Profile, Stage3D};

use crate::common::{Rig, TEXTURED, legal};

const KEEP: EnumArg<'static, StencilAction> = EnumArg::Is(StencilAction::Keep);
const SOME: Option<Bytecode<'_>> = Some(Bytecode { bytes: &[], endian: agal_little() });

const fn agal_little() -> context3d::agal::Endian {
    context3d::agal::Endian::Little
}

/// Returns the message of the error that a call raises.
#[track_caller]
fn message(rig: &mut Rig, command: &Invocation<'_>) -> String {
    match rig.context.execute(command) {
        Err(Error::Flash(error)) => error.to_string(),
        other => panic!("{command:?}: {other:?}"),
    }
}

fn stencil(
    face: EnumArg<'static, TriangleFace>,
    compare: EnumArg<'static, CompareMode>,
    actions: [EnumArg<'static, StencilAction>; 3],
) -> Invocation<'static> {
    Invocation::SetStencilActions {
        triangle_face: face,
        compare_mode: compare,
        action_on_both_pass: actions[0],
        action_on_depth_fail: actions[1],
        action_on_depth_pass_stencil_fail: actions[2],
    }
}

/// Returns calls and names of string parameters: each call passes null if `null` is true, otherwise an unknown string.
fn strings(rig: &Rig, null: bool) -> Vec<(Invocation<'static>, &'static str)> {
    fn bad<T>(null: bool) -> EnumArg<'static, T> {
        if null { EnumArg::Null } else { EnumArg::Unknown("?") }
    }
    let face = EnumArg::Is(TriangleFace::Front);
    let always = EnumArg::Is(CompareMode::Always);
    let texture = |size| Invocation::CreateTexture {
        width: size,
        height: size,
        format: bad(null),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    let sampler = |wrap, filter, mipfilter| Invocation::SetSamplerStateAt {
        sampler: 0,
        wrap,
        filter,
        mipfilter,
    };
    let linear = EnumArg::Is(context3d::enums::TextureFilter::Linear);
    let clamp = EnumArg::Is(WrapMode::Clamp);
    let no_mips = EnumArg::Is(context3d::enums::MipFilter::None);
    let one = EnumArg::Is(context3d::enums::BlendFactor::One);
    let blend = |source_factor, destination_factor| Invocation::SetBlendFactors {
        source_factor,
        destination_factor,
    };
    let mut calls = vec![
        (texture(4), "textureFormat"),
        // Flash checks the format before the size [context3d.order.texture] [context3d.order.draw].
        (texture(0), "textureFormat"),
        (sampler(bad(null), linear, no_mips), "wrap"),
        (sampler(clamp, bad(null), no_mips), "filter"),
        (sampler(clamp, linear, bad(null)), "mipfilter"),
        (blend(bad(null), one), "sourceFactor"),
        (blend(one, bad(null)), "destinationFactor"),
        (stencil(bad(null), always, [KEEP; 3]), "triangleFace"),
        (stencil(face, bad(null), [KEEP; 3]), "compareMode"),
        (stencil(face, always, [bad(null), KEEP, KEEP]), "actionOnBothPass"),
        (stencil(face, always, [KEEP, bad(null), KEEP]), "actionOnDepthFail"),
        (stencil(face, always, [KEEP, KEEP, bad(null)]), "actionOnDepthPassStencilFail"),
    ];
    calls.extend([
        (Invocation::SetCulling { triangle_face_to_cull: bad(null) }, "triangleFaceToCull"),
        (
            Invocation::SetDepthTest { depth_mask: true, pass_compare_mode: bad(null) },
            "passCompareMode",
        ),
        (
            Invocation::SetVertexBufferAt {
                index: 0,
                buffer: Some(rig.vertices),
                buffer_offset: 0,
                format: bad(null),
            },
            "vertexStreamFormat",
        ),
        (
            Invocation::CreateVertexBuffer {
                num_vertices: 1,
                data32_per_vertex: 1,
                buffer_usage: bad(null),
            },
            "bufferUsage",
        ),
        (
            Invocation::SetProgramConstantsFromVector {
                program_type: bad(null),
                first_register: 0,
                data: Some(&[]),
                num_registers: -1,
            },
            "programType",
        ),
        (Invocation::SetFillMode { fill_mode: bad(null) }, "fillMode"),
    ]);
    calls
}

#[test]
fn a_string_that_is_not_accepted_is_named() {
    let mut rig = Rig::baseline();
    for (command, name) in strings(&rig, false) {
        let expected = format!(
            "ArgumentError: Error #2008: Parameter {name} must be one of the accepted values."
        );
        assert_eq!(message(&mut rig, &command), expected, "{command:?}");
    }
    for (command, name) in strings(&rig, true) {
        let expected = format!("TypeError: Error #2007: Parameter {name} must be non-null.");
        assert_eq!(message(&mut rig, &command), expected, "{command:?}");
    }
    // The format argument is "not checked when the buffer is null".
    let unbound = Invocation::SetVertexBufferAt {
        index: 0,
        buffer: None,
        buffer_offset: -7,
        format: EnumArg::Unknown("?"),
    };
    legal(rig.context.execute(&unbound));
}

#[test]
fn names_are_case_sensitive_and_not_empty() {
    let parse = |text| EnumArg::<TriangleFace>::parse(Some(text));
    assert_eq!(parse("frontAndBack"), EnumArg::Is(TriangleFace::FrontAndBack));
    for wrong in ["FrontAndBack", "", "front ", "frontandback"] {
        assert_eq!(parse(wrong), EnumArg::Unknown(wrong));
    }
    assert_eq!(EnumArg::<TriangleFace>::parse(None), EnumArg::Null);
}

#[test]
fn a_null_reference_is_named() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    let (program, buffer, indices) = (rig.program, rig.vertices, rig.indices);
    let upload = |vertex_program, fragment_program| Invocation::ProgramUpload {
        program,
        vertex_program,
        fragment_program,
    };
    let vertex = EnumArg::Is(ProgramType::Vertex);
    let calls = [
        (upload(None, SOME), "vertexProgram"),
        (upload(SOME, None), "fragmentProgram"),
        (
            Invocation::SetProgramConstantsFromMatrix {
                program_type: vertex,
                first_register: 0,
                matrix: None,
                transposed_matrix: false,
            },
            "matrix",
        ),
        (
            Invocation::SetProgramConstantsFromVector {
                program_type: vertex,
                first_register: 0,
                data: None,
                num_registers: -1,
            },
            "data",
        ),
        (
            Invocation::SetProgramConstantsFromFloatVector {
                program_type: vertex,
                first_register: 0,
                data: None,
                num_registers: -1,
            },
            "data",
        ),
        (
            Invocation::VertexBufferUploadFromFloatVector {
                buffer,
                data: None,
                start_vertex: 0,
                num_vertices: 1,
            },
            "data",
        ),
        (
            Invocation::VertexBufferUploadFromVector {
                buffer,
                data: None,
                start_vertex: 0,
                num_vertices: 1,
            },
            "data",
        ),
        (
            Invocation::IndexBufferUploadFromVector {
                buffer: indices,
                data: None,
                start_offset: 0,
                count: 1,
            },
            "data",
        ),
        (
            Invocation::TextureUploadFromBitmapData {
                texture,
                source: None,
                side: None,
                miplevel: 0,
            },
            "source",
        ),
        (
            Invocation::DrawToBitmapData { destination: None, source_rect: None, dest_point: None },
            "destination",
        ),
    ];
    for (command, name) in calls {
        let expected = format!("TypeError: Error #2007: Parameter {name} must be non-null.");
        assert_eq!(message(&mut rig, &command), expected);
    }
}

#[test]
fn placeholders_are_filled() {
    let mut rig = Rig::baseline();
    legal(rig.context.set_error_checking(true));
    let draw = |index_buffer, first_index, num_triangles| Invocation::DrawTriangles {
        index_buffer: Some(index_buffer),
        first_index,
        num_triangles,
    };
    let indices = rig.indices;
    assert_eq!(
        message(&mut rig, &draw(indices, 3, 2)),
        "RangeError: Error #3603: Not enough indices in this buffer. 2 triangles at offset 3, but there are only 6 \
         indices in buffer."
    );
    assert_eq!(
        message(&mut rig, &draw(indices, -1, 2)),
        "Error: Error #3602: Sanity check on parameters failed, 2 triangles and -1 index offset."
    );
    let large = Invocation::CreateTexture {
        width: 4096,
        height: 8,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    assert_eq!(
        message(&mut rig, &large),
        "ArgumentError: Error #3683: Texture too big (max is 2048x2048)."
    );
    rig.use_program(TEXTURED, 1);
    assert_eq!(
        message(&mut rig, &draw(indices, 0, 1)),
        "Error: Error #3663: Sampler 0 binds an undefined texture."
    );
    let configure = |width, height| Invocation::ConfigureBackBuffer {
        width,
        height,
        anti_alias: 0,
        enable_depth_and_stencil: false,
        wants_best_resolution: false,
        wants_best_resolution_on_browser_zoom: false,
    };
    assert_eq!(
        message(&mut rig, &configure(8, 8)),
        "Error: Error #3780: Requested width of backbuffer is not in allowed range 32 to 16384."
    );
    // The maximum in the message is the device's limit if the profile's limit is higher.
    let mut small = Rig::with_caps(Profile::Baseline, |caps| caps.max_target_size = 4096);
    assert_eq!(
        message(&mut small, &configure(32, 4097)),
        "Error: Error #3781: Requested height of backbuffer is not in allowed range 32 to 4096."
    );
}

#[test]
fn requests_name_what_is_wrong() {
    let auto = EnumArg::Is(RenderMode::Auto);
    let request = |mode, profile| {
        Stage3D::new().request(mode, profile, true).expect_err("accepted").to_string()
    };
    assert!(request(auto, Some("best")).contains("#2008: Parameter profile "));
    assert!(request(auto, None).contains("#2007: Parameter profile "));
    let named = "#2008: Parameter context3DRenderMode ";
    assert!(request(EnumArg::Unknown("?"), Some("baseline")).contains(named));
    let Err(Error::Flash(error)) = Stage3D::new().set_x(f64::NAN) else { panic!("accepted") };
    // Calls other than the setters of x and y raise 2006 as `RangeError` [context3d.error.2006.position].
    assert_eq!((error.number(), error.class()), (2006, ErrorClass::ArgumentError));
}
