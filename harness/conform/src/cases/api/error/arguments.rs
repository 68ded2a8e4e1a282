//! Errors of arguments and uploads: raised with and without checking.

use context3d::Profile;
use context3d::enums::ProgramType;
use context3d::errors::ErrorClass;

use super::{DrawSetup, ErrorCase, TEXTURED, add_all, texture};
use crate::case::Cases;
use crate::scene_builder::{Done, SceneBuilder, bitmap};
use molehill_capture::Call;
use molehill_capture::data::{
    Bitmap, BitmapTarget, ByteArray, CubeSide, MipLevel, Numbers, Optional,
};

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

fn slots() -> Vec<ErrorCase> {
    error_cases! {
        2004 "drawTrianglesInstanced.negative" [] .profile(Profile::StandardExtended) |s| {
            let setup = DrawSetup::new(s)?;
        } => s.draw_instanced(setup.indices, -1, 0, -1);
        2006 "setVertexBufferAt.negative" [] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.stream(-1, Some(setup.vertices), 0, "float1");
        2006 "setVertexBufferAt.8" [] .only(Profile::Baseline) |s| => s.stream(8, None, 0, "float1");
        2006 "setTextureAt.8" [] .only(Profile::Baseline) |s| => s.bind(8, None);
        2006 "setTextureAt.negative" [] |s| => s.bind(-1, None);
        2006 "setSamplerStateAt.negative" [] |s| => s.sampler(-1, "clamp", "linear", "mipnone");
        2006 "setProgramConstantsFromVector.negative" [] |s| => s.constants("vertex", -1, &[[0.0; 4]]);
        2006 "setProgramConstantsFromMatrix.over_the_end" [] .only(Profile::Baseline) |s| =>
            s.matrix("fragment", 25, [0.0; 16], false);
    }
}

fn nulls() -> Vec<ErrorCase> {
    error_cases! {
        2007 "uploadFromVector.vertices" ["data"] |s| {
            let buffer = s.vertex_buffer(1, 1)?;
        } => s.on(
            buffer.0,
            Call::VertexBufferUploadFromVector {
                data: None,
                start_vertex: 0,
                num_vertices: 1,
            },
        );
        2007 "uploadFromFloatVector" ["data"] |s| {
            let buffer = s.vertex_buffer(1, 1)?;
        } => s.on(
            buffer.0,
            Call::VertexBufferUploadFromFloatVector {
                data: None,
                start_vertex: 0,
                num_vertices: 1,
            },
        );
        2007 "uploadFromVector.indices" ["data"] |s| {
            let buffer = s.index_buffer(1)?;
        } => s.on(buffer.0, Call::IndexBufferUploadFromVector { data: None, start_offset: 0, count: 1, });
        2007 "uploadFromByteArray.vertices" ["data"] |s| {
            let buffer = s.vertex_buffer(1, 1)?;
        } => s.on(
            buffer.0,
            Call::VertexBufferUploadFromByteArray {
                data: ByteArray(None),
                byte_array_offset: 0,
                start_vertex: 0,
                num_vertices: 1,
            },
        );
        2007 "uploadFromByteArray.indices" ["data"] |s| {
            let buffer = s.index_buffer(1)?;
        } => s.on(
            buffer.0,
            Call::IndexBufferUploadFromByteArray {
                data: ByteArray(None),
                byte_array_offset: 0,
                start_offset: 0,
                count: 1,
            },
        );
        2007 "uploadFromByteArray.texture" ["data"] |s| {
            let texture = texture(s)?;
        } => s.on(
            texture.0,
            Call::TextureUploadFromByteArray {
                data: ByteArray(None),
                byte_array_offset: 0,
                side: CubeSide(None),
                miplevel: MipLevel(Some(0)),
            },
        );
        2007 "uploadCompressedTextureFromByteArray" ["data"] |s| {
            let texture = s.texture(4, 4, "compressed")?;
        } => s.on(
            texture.0,
            Call::TextureUploadCompressedFromByteArray {
                data: ByteArray(None),
                byte_array_offset: 0,
                is_async: false,
            },
        );
        3669 "uploadFromVector.vertices" [] |s| {
            let buffer = s.vertex_buffer(2, 1)?;
        } => s.on(
            buffer.0,
            Call::VertexBufferUploadFromVector {
                data: Some(Numbers(vec![0.0])),
                start_vertex: 0,
                num_vertices: 2,
            },
        );
        3791 "uploadFromBitmapDataAsync" [] |s| {
            let texture = texture(s)?;
        } => s.on(
            texture.0,
            Call::TextureUploadFromBitmapDataAsync {
                source: Some(bitmap(2, 2, true, vec![0; 16])),
                side: CubeSide(None),
                miplevel: MipLevel(Some(1)),
            },
        );
        3791 "uploadFromByteArrayAsync" [] |s| {
            let texture = texture(s)?;
        } => s.on(
            texture.0,
            Call::TextureUploadFromByteArrayAsync {
                data: ByteArray::from(vec![0; 16]),
                byte_array_offset: 0,
                side: CubeSide(None),
                miplevel: MipLevel(Some(1)),
            },
        );
        3673 "uploadFromBitmapData" [] |s| {
            let cube = s.cube(4, "bgra")?;
        } => s.on(
            cube.0,
            Call::TextureUploadFromBitmapData {
                source: Some(bitmap(4, 4, true, vec![0; 64])),
                side: CubeSide(Some(6)),
                miplevel: MipLevel(Some(0)),
            },
        );
        2007 "uploadFromBitmapData" ["source"] |s| {
            let texture = texture(s)?;
        } => s.upload_bitmap(texture, None, 0);
        2007 "drawToBitmapData" ["destination"] |s| =>
            s.call(Call::DrawToBitmapData {
                destination: None,
                source_rect: Optional(None),
                dest_point: Optional(None),
            });
    }
}

fn null_constants_and_programs() -> Vec<ErrorCase> {
    error_cases! {
        2007 "setProgramConstantsFromMatrix" ["matrix"] |s| =>
            s.call(Call::SetProgramConstantsFromMatrix {
                program_type: ProgramType::Vertex.into(),
                first_register: 0,
                matrix: None,
                transposed_matrix: false,
            });
        2007 "setProgramConstantsFromVector" ["data"] |s| =>
            s.call(Call::SetProgramConstantsFromVector {
                program_type: ProgramType::Vertex.into(),
                first_register: 0,
                data: None,
                num_registers: -1,
            });
        2007 "upload.vertexProgram" ["vertexProgram"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.on(
            setup.program.0,
            Call::ProgramUpload {
                vertex_program: ByteArray(None),
                fragment_program: ByteArray::from(Vec::new()),
            },
        );
        2007 "upload.fragmentProgram" ["fragmentProgram"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.on(
            setup.program.0,
            Call::ProgramUpload {
                vertex_program: ByteArray::from(Vec::new()),
                fragment_program: ByteArray(None),
            },
        );
    }
}

fn constants() -> Vec<ErrorCase> {
    error_cases! {
        3669 "setProgramConstantsFromVector.short" [] |s| => s.constants_of("vertex", 0, vec![0.0; 7], 2);
        3669 "setProgramConstantsFromFloatVector.short" [] |s| => s.constants_of_floats("vertex", 0, vec![0.0; 7], 2);
        3669 "setProgramConstantsFromVector.negative" [] |s| => s.constants_of("vertex", 0, vec![0.0; 8], -2);
        3669 "setProgramConstantsFromByteArray.short" [] |s| =>
            s.constants_of_bytes("fragment", 0, 3, vec![0; 32], 0);
        3669 "setProgramConstantsFromByteArray.negative" [] |s| =>
            s.constants_of_bytes("vertex", 0, -1, vec![0; 32], 0);
        3669 "setProgramConstantsFromByteArray.offset" [] |s| =>
            s.constants_of_bytes("vertex", 0, 0, vec![0; 32], 32);
    }
}

/// An upload into a buffer of four vertices of 16 bytes, from 64 bytes.
fn vertices(s: &mut SceneBuilder, offset: i32, start: i32, count: i32) -> Done {
    let buffer = s.vertex_buffer(4, 4)?;
    s.expect();
    s.upload_vertices(buffer, vec![0; 64], offset, start, count)
}

/// An upload of six indices into a buffer of six.
fn indices(s: &mut SceneBuilder, offset: i32, start: i32, count: i32) -> Done {
    let buffer = s.index_buffer(6)?;
    s.expect();
    s.upload_indices(buffer, vec![0; 12], offset, start, count)
}

fn uploads() -> Vec<ErrorCase> {
    error_cases! {
        3669 "vertices.past_the_data" [] |s| { vertices(s, 4, 0, 4) };
        3669 "vertices.past_the_buffer" [] |s| { vertices(s, 0, 1, 4) };
        3669 "vertices.negative_start" [] |s| { vertices(s, 0, -1, 1) };
        3669 "vertices.negative_offset" [] |s| { vertices(s, -1, 0, 1) };
        3669 "vertices.largest" [] |s| { vertices(s, 0, i32::MAX, i32::MAX) };
        3669 "indices.past_the_data" [] |s| { indices(s, 2, 0, 6) };
        3669 "indices.past_the_buffer" [] |s| { indices(s, 0, 1, 6) };
        3669 "indices.negative_start" [] |s| { indices(s, 0, -1, 1) };
        3669 "indices.numbers" [] |s| {
            let buffer = s.index_buffer(6)?;
        } => s.upload_index_numbers(buffer, &[0; 5], 0, 6);
        3669 "texels.short" [] |s| {
            let texture = s.texture(4, 4, "bgra")?;
        } => s.upload(texture, vec![0; 63], 0);
        3669 "texels.half_float" [] .profile(Profile::StandardConstrained) |s| {
            let texture = s.texture(4, 4, "rgbaHalfFloat")?;
        } => s.upload(texture, vec![0; 127], 0);
    }
}

fn back_buffers() -> Vec<ErrorCase> {
    // The null backend's limit: devices have their own.
    const RANGE: &[&str] = &["32", "16384"];
    error_cases! {
        // The class differs here ("configureBackBuffer size errors by SWF version").
        3669 "configureBackBuffer.small_in_old_swf" [] .swf(29).class(ErrorClass::Error) |s| =>
            s.configure_as(31, 32, 0, false);
        3669 "configureBackBuffer.depth_alone_in_old_swf" [] .swf(29).class(ErrorClass::Error) |s| =>
            s.configure_as(0, 0, 0, true);
        3780 "configureBackBuffer.zero" RANGE .on_null_backend() |s| => s.configure_as(0, 0, 0, false);
        3780 "configureBackBuffer.before_height" RANGE .on_null_backend() |s| => s.configure_as(31, 16385, 0, false);
        3781 "configureBackBuffer.negative" RANGE .on_null_backend() |s| => s.configure_as(32, -1, 0, false);
    }
}

fn read_back(
    s: &mut SceneBuilder,
    size: u32,
    rect: Option<[f64; 4]>,
    point: Option<[f64; 2]>,
) -> Done {
    s.expect();
    let shape = BitmapTarget { width: size, height: size, transparent: true, disposed: size == 0 };
    s.draw_to_bitmap(shape, rect, point)
}

fn read_backs() -> Vec<ErrorCase> {
    error_cases! {
        2015 "drawToBitmapData.disposed" [] |s| { read_back(s, 0, None, None) };
        3692 "drawToBitmapData.after_present" [] |s| {
            s.present()?;
            read_back(s, 8, None, None)
        };
        3692 "drawToBitmapData.before_clear" [] .without_back_buffer() |s| {
            s.configure(32, 32, 0, false)?;
            read_back(s, 8, None, None)
        };
        3802 "drawToBitmapData.source" [] |s| { read_back(s, 8, Some([33.0, 0.0, 1.0, 1.0]), None) };
        3802 "drawToBitmapData.destination" [] |s| { read_back(s, 8, None, Some([0.0, -1.0])) };
        3802 "drawToBitmapData.nan" [] |s| { read_back(s, 8, None, Some([0.0, f64::NAN])) };
        3698 "drawToBitmapData" [] .without_back_buffer() |s| { read_back(s, 8, None, None) };
    }
}

fn textures() -> Vec<ErrorCase> {
    error_cases! {
        2015 "uploadFromBitmapData.disposed" [] |s| {
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
        };
        3673 "uploadFromByteArray" [] |s| {
            let cube = s.cube(4, "bgra")?;
        } => s.upload_cube(cube, vec![0; 64], 6, 0);
        3674 "uploadFromByteArray" [] |s| {
            let texture = s.texture(4, 4, "bgra")?;
        } => s.upload(texture, vec![0; 64], 3);
        3674 "uploadFromByteArray.cube" [] |s| {
            let cube = s.cube(4, "bgra")?;
        } => s.upload_cube(cube, vec![0; 64], 0, 3);
        3674 "uploadFromBitmapData" [] |s| {
            let texture = s.texture(4, 4, "bgra")?;
        } => s.upload_bitmap(texture, Some(bitmap(1, 1, true, vec![0; 4])), 3);
        // A sampler that was unbound again is like one that was never set.
        3663 "drawTriangles.unbound_again" ["0"] |s| {
            let (setup, texture) = (DrawSetup::new(s)?, texture(s)?);
            s.program(TEXTURED.0, TEXTURED.1)?;
            s.bind(0, Some(texture))?;
            s.bind(0, None)?;
        } => setup.draw(s);
    }
}
