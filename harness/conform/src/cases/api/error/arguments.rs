//! Errors of arguments and uploads: raised with and without checking.

use context3d::errors::ErrorClass;
use context3d::{ErrorCode, Profile};

use super::{Provoked, Rig, TEXTURED, add_all, provoked, texture};
use crate::case::Cases;
use crate::scene_builder::{Done, SceneBuilder, bitmap};
use molehill_capture::Call;
use molehill_capture::data::{Bitmap, BitmapTarget, ByteArray, Optional};

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, slots());
    add_all(cases, nulls());
    add_all(cases, null_constants_and_programs());
    add_all(cases, constants());
    add_all(cases, uploads());
    add_all(cases, back_buffers());
    add_all(cases, read_backs());
    add_all(cases, textures());
    super::compressed::add(cases);
}

fn slots() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(
            InvalidParameter,
            "drawTrianglesInstanced.negative",
            &[],
            |s| {
                let rig = Rig::new(s)?;
                s.expect();
                s.draw_instanced(rig.indices, -1, 0, -1)
            },
        )
        .profile(Profile::StandardExtended),
        provoked(IndexOutOfBounds, "setVertexBufferAt.negative", &[], |s| {
            let rig = Rig::new(s)?;
            s.expect();
            s.stream(-1, Some(rig.vertices), 0, "float1")
        }),
        provoked(IndexOutOfBounds, "setVertexBufferAt.8", &[], |s| {
            s.expect();
            s.stream(8, None, 0, "float1")
        })
        .only(Profile::Baseline),
        provoked(IndexOutOfBounds, "setTextureAt.8", &[], |s| {
            s.expect();
            s.bind(8, None)
        })
        .only(Profile::Baseline),
        provoked(IndexOutOfBounds, "setTextureAt.negative", &[], |s| {
            s.expect();
            s.bind(-1, None)
        }),
        provoked(IndexOutOfBounds, "setSamplerStateAt.negative", &[], |s| {
            s.expect();
            s.sampler(-1, "clamp", "linear", "mipnone")
        }),
        provoked(
            IndexOutOfBounds,
            "setProgramConstantsFromVector.negative",
            &[],
            |s| {
                s.expect();
                s.constants("vertex", -1, &[[0.0; 4]])
            },
        ),
        provoked(
            IndexOutOfBounds,
            "setProgramConstantsFromMatrix.over_the_end",
            &[],
            |s| {
                s.expect();
                s.matrix("fragment", 25, [0.0; 16], false)
            },
        )
        .only(Profile::Baseline),
    ]
}

fn nulls() -> Vec<Provoked> {
    use ErrorCode::NullParameter;
    vec![
        provoked(NullParameter, "uploadFromVector.vertices", &["data"], |s| {
            let buffer = s.vertex_buffer(1, 1)?;
            s.expect();
            s.on(
                buffer.0,
                Call::VertexBufferUploadFromVector {
                    data: None,
                    start_vertex: 0,
                    num_vertices: 1,
                },
            )
        }),
        provoked(NullParameter, "uploadFromVector.indices", &["data"], |s| {
            let buffer = s.index_buffer(1)?;
            s.expect();
            s.on(
                buffer.0,
                Call::IndexBufferUploadFromVector {
                    data: None,
                    start_offset: 0,
                    count: 1,
                },
            )
        }),
        provoked(NullParameter, "uploadFromBitmapData", &["source"], |s| {
            let texture = texture(s)?;
            s.expect();
            s.upload_bitmap(texture, None, 0)
        }),
        provoked(NullParameter, "drawToBitmapData", &["destination"], |s| {
            s.expect();
            s.call(Call::DrawToBitmapData {
                destination: None,
                source_rect: Optional(None),
                dest_point: Optional(None),
            })
        }),
    ]
}

fn null_constants_and_programs() -> Vec<Provoked> {
    use ErrorCode::NullParameter;
    vec![
        provoked(
            NullParameter,
            "setProgramConstantsFromMatrix",
            &["matrix"],
            |s| {
                s.expect();
                s.call(Call::SetProgramConstantsFromMatrix {
                    program_type: Some("vertex".to_owned()),
                    first_register: 0,
                    matrix: None,
                    transposed_matrix: false,
                })
            },
        ),
        provoked(
            NullParameter,
            "setProgramConstantsFromVector",
            &["data"],
            |s| {
                s.expect();
                s.call(Call::SetProgramConstantsFromVector {
                    program_type: Some("vertex".to_owned()),
                    first_register: 0,
                    data: None,
                    num_registers: -1,
                })
            },
        ),
        provoked(
            NullParameter,
            "upload.vertexProgram",
            &["vertexProgram"],
            |s| {
                let rig = Rig::new(s)?;
                s.expect();
                s.on(
                    rig.program.0,
                    Call::ProgramUpload {
                        vertex_program: ByteArray(None),
                        fragment_program: ByteArray::from(Vec::new()),
                    },
                )
            },
        ),
        provoked(
            NullParameter,
            "upload.fragmentProgram",
            &["fragmentProgram"],
            |s| {
                let rig = Rig::new(s)?;
                s.expect();
                s.on(
                    rig.program.0,
                    Call::ProgramUpload {
                        vertex_program: ByteArray::from(Vec::new()),
                        fragment_program: ByteArray(None),
                    },
                )
            },
        ),
    ]
}

fn constants() -> Vec<Provoked> {
    use ErrorCode::BadInputSize;
    vec![
        provoked(
            BadInputSize,
            "setProgramConstantsFromVector.short",
            &[],
            |s| {
                s.expect();
                s.constants_of("vertex", 0, vec![0.0; 7], 2)
            },
        ),
        provoked(
            BadInputSize,
            "setProgramConstantsFromVector.negative",
            &[],
            |s| {
                s.expect();
                s.constants_of("vertex", 0, vec![0.0; 8], -2)
            },
        ),
        provoked(
            BadInputSize,
            "setProgramConstantsFromByteArray.short",
            &[],
            |s| {
                s.expect();
                s.constants_of_bytes("fragment", 0, 3, vec![0; 32], 0)
            },
        ),
        provoked(
            BadInputSize,
            "setProgramConstantsFromByteArray.negative",
            &[],
            |s| {
                s.expect();
                s.constants_of_bytes("vertex", 0, -1, vec![0; 32], 0)
            },
        ),
        provoked(
            BadInputSize,
            "setProgramConstantsFromByteArray.offset",
            &[],
            |s| {
                s.expect();
                s.constants_of_bytes("vertex", 0, 0, vec![0; 32], 32)
            },
        ),
    ]
}

/// An upload into a buffer of four vertices of sixteen bytes, from sixty-four.
fn vertices(s: &mut SceneBuilder, offset: i32, start: i32, count: i32) -> Done {
    let buffer = s.vertex_buffer(4, 4)?;
    s.expect();
    s.upload_vertices(buffer, vec![0; 64], offset, start, count)
}

/// An upload into a buffer of six indices, from as many.
fn indices(s: &mut SceneBuilder, offset: i32, start: i32, count: i32) -> Done {
    let buffer = s.index_buffer(6)?;
    s.expect();
    s.upload_indices(buffer, vec![0; 12], offset, start, count)
}

fn uploads() -> Vec<Provoked> {
    use ErrorCode::BadInputSize;
    vec![
        provoked(BadInputSize, "vertices.past_the_data", &[], |s| {
            vertices(s, 4, 0, 4)
        }),
        provoked(BadInputSize, "vertices.past_the_buffer", &[], |s| {
            vertices(s, 0, 1, 4)
        }),
        provoked(BadInputSize, "vertices.negative_start", &[], |s| {
            vertices(s, 0, -1, 1)
        }),
        provoked(BadInputSize, "vertices.negative_offset", &[], |s| {
            vertices(s, -1, 0, 1)
        }),
        provoked(BadInputSize, "vertices.largest", &[], |s| {
            vertices(s, 0, i32::MAX, i32::MAX)
        }),
        provoked(BadInputSize, "indices.past_the_data", &[], |s| {
            indices(s, 2, 0, 6)
        }),
        provoked(BadInputSize, "indices.past_the_buffer", &[], |s| {
            indices(s, 0, 1, 6)
        }),
        provoked(BadInputSize, "indices.negative_start", &[], |s| {
            indices(s, 0, -1, 1)
        }),
        provoked(BadInputSize, "indices.numbers", &[], |s| {
            let buffer = s.index_buffer(6)?;
            s.expect();
            s.upload_index_numbers(buffer, &[0; 5], 0, 6)
        }),
        provoked(BadInputSize, "texels.short", &[], |s| {
            let texture = s.texture(4, 4, "bgra")?;
            s.expect();
            s.upload(texture, vec![0; 63], 0)
        }),
        provoked(BadInputSize, "texels.half_float", &[], |s| {
            let texture = s.texture(4, 4, "rgbaHalfFloat")?;
            s.expect();
            s.upload(texture, vec![0; 127], 0)
        })
        .profile(Profile::StandardConstrained),
    ]
}

fn back_buffers() -> Vec<Provoked> {
    use ErrorCode::*;
    const RANGE: &[&str] = &["32", "16384"];
    vec![
        // The class differs here ("configureBackBuffer size errors by SWF version").
        provoked(
            BadInputSize,
            "configureBackBuffer.small_in_old_swf",
            &[],
            |s| {
                s.expect();
                s.configure_as(31, 32, 0, false)
            },
        )
        .swf(29)
        .class(ErrorClass::Error),
        provoked(
            BadInputSize,
            "configureBackBuffer.depth_alone_in_old_swf",
            &[],
            |s| {
                s.expect();
                s.configure_as(0, 0, 0, true)
            },
        )
        .swf(29)
        .class(ErrorClass::Error),
        provoked(BackBufferWidth, "configureBackBuffer.zero", RANGE, |s| {
            s.expect();
            s.configure_as(0, 0, 0, false)
        }),
        provoked(
            BackBufferWidth,
            "configureBackBuffer.before_height",
            RANGE,
            |s| {
                s.expect();
                s.configure_as(31, 16385, 0, false)
            },
        ),
        provoked(
            BackBufferHeight,
            "configureBackBuffer.negative",
            RANGE,
            |s| {
                s.expect();
                s.configure_as(32, -1, 0, false)
            },
        ),
    ]
}

fn read_back(
    s: &mut SceneBuilder,
    size: u32,
    rect: Option<[f64; 4]>,
    point: Option<[f64; 2]>,
) -> Done {
    s.expect();
    let shape = BitmapTarget {
        width: size,
        height: size,
        transparent: true,
        disposed: size == 0,
    };
    s.draw_to_bitmap(shape, rect, point)
}

fn read_backs() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(InvalidBitmapData, "drawToBitmapData.disposed", &[], |s| {
            read_back(s, 0, None, None)
        }),
        provoked(OutsideStage, "drawToBitmapData.source", &[], |s| {
            read_back(s, 8, Some([33.0, 0.0, 1.0, 1.0]), None)
        }),
        provoked(OutsideStage, "drawToBitmapData.destination", &[], |s| {
            read_back(s, 8, None, Some([0.0, -1.0]))
        }),
        provoked(OutsideStage, "drawToBitmapData.nan", &[], |s| {
            read_back(s, 8, None, Some([0.0, f64::NAN]))
        }),
        provoked(NoBackBuffer, "drawToBitmapData", &[], |s| {
            read_back(s, 8, None, None)
        })
        .bare(),
    ]
}

fn textures() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(
            InvalidBitmapData,
            "uploadFromBitmapData.disposed",
            &[],
            |s| {
                let texture = texture(s)?;
                s.expect();
                let Bitmap { shape, .. } = bitmap(0, 0, true, Vec::new());
                let source = Bitmap {
                    shape: BitmapTarget {
                        disposed: true,
                        ..shape
                    },
                    bgra: Vec::new(),
                };
                s.upload_bitmap(texture, Some(source), 0)
            },
        ),
        provoked(CubeSide, "uploadFromByteArray", &[], |s| {
            let cube = s.cube(4, "bgra")?;
            s.expect();
            s.upload_cube(cube, vec![0; 64], 6, 0)
        }),
        provoked(MipLevel, "uploadFromByteArray", &[], |s| {
            let texture = s.texture(4, 4, "bgra")?;
            s.expect();
            s.upload(texture, vec![0; 64], 3)
        }),
        provoked(MipLevel, "uploadFromByteArray.cube", &[], |s| {
            let cube = s.cube(4, "bgra")?;
            s.expect();
            s.upload_cube(cube, vec![0; 64], 0, 3)
        }),
        provoked(MipLevel, "uploadFromBitmapData", &[], |s| {
            let texture = s.texture(4, 4, "bgra")?;
            s.expect();
            s.upload_bitmap(texture, Some(bitmap(1, 1, true, vec![0; 4])), 3)
        }),
        // The program reads it like any other.
        provoked(TextureMissing, "drawTriangles.unbound_again", &["0"], |s| {
            let (rig, texture) = (Rig::new(s)?, texture(s)?);
            s.program(TEXTURED.0, TEXTURED.1)?;
            s.bind(0, Some(texture))?;
            s.bind(0, None)?;
            s.expect();
            rig.draw(s)
        }),
    ]
}
