//! Errors of arguments and uploads, which are raised with and without error checking.

use context3d::arguments::{Bitmap, BitmapTarget, Rectangle};
use context3d::backend::BackendError;
use context3d::enums::{
    MipFilter, ProgramType, TextureFilter, TextureFormat, VertexFormat, WrapMode,
};
use context3d::errors::ErrorClass;
use context3d::{Error, ErrorCode, Host, Invocation, Profile, Reply, TextureEvent};

use crate::common::{Rig, legal};
use crate::{Case, case};

/// An ATF header of version 0: format and cube flag, log2 of width and height, level count.
const fn atf(format: u8, width: u8, height: u8, levels: u8) -> [u8; 10] {
    [b'A', b'T', b'F', 0, 0, 4, format, width, height, levels]
}

/// The format code that Flash uses for DXT1.
const DXT1: u8 = 0x02;
const CUBE: u8 = 0x80;

fn upload_atf(rig: &mut Rig, format: TextureFormat, data: &[u8]) -> crate::Outcome {
    let texture = legal(rig.context.create_texture(8, 8, format, false, 0));
    rig.context.execute(&Invocation::TextureUploadCompressedFromByteArray {
        texture,
        data: Some(data),
        byte_array_offset: 0,
        is_async: false,
    })
}

fn configure(rig: &mut Rig, width: i32, height: i32) -> crate::Outcome {
    crate::done(rig.context.configure_back_buffer(width, height, 0, false, false, false))
}

fn constants_from_bytes(
    rig: &mut Rig,
    num_registers: i32,
    byte_array_offset: u32,
) -> crate::Outcome {
    rig.context.execute(&Invocation::SetProgramConstantsFromByteArray {
        program_type: ProgramType::Vertex.into(),
        first_register: 0,
        num_registers,
        data: Some(&[0; 32]),
        byte_array_offset,
    })
}

fn constants_from_vector(rig: &mut Rig, num_registers: i32) -> crate::Outcome {
    rig.context.execute(&Invocation::SetProgramConstantsFromVector {
        program_type: ProgramType::Vertex.into(),
        first_register: 0,
        data: Some(&[0.0; 7]),
        num_registers,
    })
}

fn upload_vertices(rig: &mut Rig, offset: i32, start: i32, count: i32) -> crate::Outcome {
    rig.context.execute(&Invocation::VertexBufferUploadFromByteArray {
        buffer: rig.vertices,
        data: Some(&[0; 64]),
        byte_array_offset: offset,
        start_vertex: start,
        num_vertices: count,
    })
}

fn upload_indices(rig: &mut Rig, offset: i32, start: i32, count: i32) -> crate::Outcome {
    rig.context.execute(&Invocation::IndexBufferUploadFromByteArray {
        buffer: rig.indices,
        data: Some(&[0; 12]),
        byte_array_offset: offset,
        start_offset: start,
        count,
    })
}

fn read_back(
    rig: &mut Rig,
    size: u32,
    rect: Option<[f64; 4]>,
    point: Option<[f64; 2]>,
) -> crate::Outcome {
    rig.context.execute(&Invocation::DrawToBitmapData {
        destination: Some(BitmapTarget { width: size, height: size, transparent: true }),
        source_rect: rect.map(|[x, y, width, height]| Rectangle { x, y, width, height }),
        dest_point: point,
    })
}

fn bitmap(side: u32, bgra: Option<&[u8]>) -> Bitmap<'_> {
    Bitmap {
        width: side,
        height: side,
        transparent: true,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: bgra,
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = general();
    cases.extend(sizes());
    cases.extend(textures());
    cases
}

fn general() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(InvalidParameter, "a negative number of instances", |rig| {
            rig.context.draw_triangles_instanced(Some(rig.indices), -1, 0, -1)
        })
        .profile(Profile::StandardExtended),
        case(IndexOutOfBounds, "stream -1", |rig| {
            let stream = Some(rig.vertices);
            crate::done(rig.context.set_vertex_buffer_at(-1, stream, 0, VertexFormat::Float1))
        }),
        case(IndexOutOfBounds, "stream 8, null", |rig| {
            crate::done(rig.context.set_vertex_buffer_at(8, None, 0, VertexFormat::Float1))
        }),
        case(IndexOutOfBounds, "sampler 8", |rig| crate::done(rig.context.set_texture_at(8, None))),
        case(IndexOutOfBounds, "state of sampler -1", |rig| {
            let (filter, mip) = (TextureFilter::Linear, MipFilter::None);
            crate::done(rig.context.set_sampler_state_at(-1, WrapMode::Clamp, filter, mip))
        }),
        case(IndexOutOfBounds, "register -1", |rig| {
            crate::done(rig.context.set_program_constants_from_vector(
                ProgramType::Vertex,
                -1,
                Some(&[0.0; 4]),
                -1,
            ))
        }),
        case(IndexOutOfBounds, "a matrix over the end", |rig| {
            crate::done(rig.context.set_program_constants_from_matrix(
                ProgramType::Fragment,
                25,
                Some(&[0.0; 16]),
                false,
            ))
        }),
        case(NullParameter, "no index buffer", |rig| {
            rig.context.execute(&Invocation::DrawTriangles {
                index_buffer: None,
                first_index: 0,
                num_triangles: -1,
            })
        }),
        case(NotAccepted, "a wrong culling face", |rig| {
            rig.context.execute(&Invocation::SetCulling {
                triangle_face_to_cull: context3d::enums::EnumArg::Unknown("?"),
            })
        }),
        case(Disposed, "an upload into a disposed program", |rig| {
            legal(rig.context.program_dispose(rig.program));
            crate::done(rig.context.program_upload(rig.program, None, None))
        }),
        case(Disposed, "an upload into a disposed texture", |rig| {
            let texture = rig.texture();
            legal(rig.context.texture_dispose(texture));
            crate::done(rig.context.texture_upload_from_byte_array(
                texture,
                Some(&[0; 64]),
                0,
                None,
                0,
            ))
        }),
        case(Disposed, "a disposed target", |rig| {
            let texture = rig.texture();
            legal(rig.context.texture_dispose(texture));
            crate::done(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0))
        }),
        case(Disposed, "a disposed context", |rig| {
            legal(rig.context.dispose(false));
            rig.draw()
        }),
        case(FeatureUnavailable, "wireframe where the device has none", |rig| {
            *rig = Rig::with_caps(Profile::Baseline, |caps| caps.wireframe = false);
            rig.context.execute(&Invocation::SetFillMode {
                fill_mode: context3d::enums::FillMode::Wireframe.into(),
            })
        }),
    ]
}

fn sizes() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(BadInputSize, "a vector too short", |rig| constants_from_vector(rig, 2)),
        case(BadInputSize, "-2 registers", |rig| constants_from_vector(rig, -2)),
        case(BadInputSize, "a byte array too short", |rig| constants_from_bytes(rig, 3, 0)),
        case(BadInputSize, "-1 registers of bytes", |rig| constants_from_bytes(rig, -1, 0)),
        case(BadInputSize, "bytes from the end on", |rig| constants_from_bytes(rig, 0, 32)),
        case(BadInputSize, "vertices past the data", |rig| upload_vertices(rig, 4, 0, 4)),
        case(BadInputSize, "vertices past the buffer", |rig| upload_vertices(rig, 0, 1, 4)),
        case(BadInputSize, "vertices from -1 on", |rig| upload_vertices(rig, 0, -1, 1)),
        case(BadInputSize, "a negative offset", |rig| upload_vertices(rig, -1, 0, 1)),
        case(BadInputSize, "numbers too short", |rig| {
            let buffer = rig.vertices;
            crate::done(rig.context.vertex_buffer_upload_from_vector(
                buffer,
                Some(&[0.0; 15]),
                0,
                4,
            ))
        }),
        case(BadInputSize, "indices past the data", |rig| upload_indices(rig, 2, 0, 6)),
        case(BadInputSize, "indices past the buffer", |rig| upload_indices(rig, 0, 1, 6)),
        case(BadInputSize, "index numbers too short", |rig| {
            let buffer = rig.indices;
            crate::done(rig.context.index_buffer_upload_from_vector(buffer, Some(&[0; 5]), 0, 6))
        }),
        case(BadInputSize, "texels too short", |rig| {
            let texture = rig.target(4, TextureFormat::Bgra);
            crate::done(rig.context.texture_upload_from_byte_array(
                texture,
                Some(&[0; 63]),
                0,
                None,
                0,
            ))
        }),
        case(BadInputSize, "half an ATF header", |rig| {
            upload_atf(rig, TextureFormat::Compressed, &atf(DXT1, 3, 3, 4)[..8])
        }),
        // The error class depends on the SWF version ("configureBackBuffer size errors by SWF version").
        case(BadInputSize, "a small back buffer of an old SWF", |rig| configure(rig, 31, 32))
            .swf(29)
            .class(ErrorClass::Error),
        case(BadInputSize, "an old SWF with depth alone", |rig| {
            crate::done(rig.context.configure_back_buffer(0, 0, 0, true, false, false))
        })
        .swf(29)
        .class(ErrorClass::Error),
        case(DescriptorDepth, "no depth, but the descriptor's", |rig| {
            rig.context
                .set_host(Host { descriptor_depth_and_stencil: Some(true), ..Host::default() });
            configure(rig, 64, 64)
        }),
        case(OutsideStageBounds, "wider than the stage", |rig| {
            let stage = Rectangle { x: 0.0, y: 0.0, width: 63.0, height: 64.0 };
            rig.context.set_host(Host { stage: Some(stage), ..Host::default() });
            configure(rig, 64, 64)
        })
        .profile(Profile::BaselineConstrained),
        case(BackBufferWidth, "all zero", |rig| configure(rig, 0, 0)),
        case(BackBufferWidth, "width before height", |rig| configure(rig, 31, 16385)),
        case(BackBufferHeight, "height", |rig| configure(rig, 32, -1)),
        case(InvalidBitmapData, "an empty destination", |rig| read_back(rig, 0, None, None)),
        case(OutsideStage, "a source off the buffer", |rig| {
            read_back(rig, 8, Some([65.0, 0.0, 1.0, 1.0]), None)
        }),
        case(OutsideStage, "a destination off the bitmap", |rig| {
            read_back(rig, 8, None, Some([0.0, -1.0]))
        }),
        case(OutsideStage, "not a number", |rig| read_back(rig, 8, None, Some([0.0, f64::NAN]))),
        case(NoBackBuffer, "reading an unconfigured buffer", |rig| {
            legal(rig.context.configure_back_buffer(0, 0, 0, false, false, false));
            read_back(rig, 8, None, None)
        })
        .swf(29),
    ]
}

fn textures() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(InvalidBitmapData, "a disposed bitmap", |rig| {
            let texture = rig.texture();
            crate::done(rig.context.texture_upload_from_bitmap_data(
                texture,
                Some(bitmap(4, None)),
                None,
                0,
            ))
        }),
        case(CubeSide, "side 6", |rig| {
            let cube = legal(rig.context.create_cube_texture(4, TextureFormat::Bgra, false, 0));
            crate::done(rig.context.texture_upload_from_byte_array(
                cube,
                Some(&[0; 64]),
                0,
                Some(6),
                0,
            ))
        }),
        case(MipLevel, "a level below 1x1", |rig| {
            let texture = rig.target(4, TextureFormat::Bgra);
            crate::done(rig.context.texture_upload_from_byte_array(
                texture,
                Some(&[0; 64]),
                0,
                None,
                3,
            ))
        }),
        case(MipLevel, "a level of a rectangle", |rig| {
            let texture = rig.context.create_rectangle_texture(4, 4, TextureFormat::Bgra, false);
            crate::done(rig.context.texture_upload_from_byte_array(
                legal(texture),
                Some(&[0; 64]),
                0,
                None,
                1,
            ))
        }),
        case(MipLevel, "ATF with more levels than the texture", |rig| {
            upload_atf(rig, TextureFormat::Compressed, &atf(DXT1, 3, 3, 5))
        }),
        case(AsyncLevel, "level 1 of a byte array", |rig| {
            let texture = rig.target(4, TextureFormat::Bgra);
            rig.context.execute(&Invocation::TextureUploadFromByteArrayAsync {
                texture,
                data: Some(&[0; 64]),
                byte_array_offset: 0,
                side: None,
                miplevel: 1,
            })
        }),
        case(AsyncLevel, "a level that there is not, of a bitmap", |rig| {
            let texture = rig.target(4, TextureFormat::Bgra);
            rig.context.execute(&Invocation::TextureUploadFromBitmapDataAsync {
                texture,
                source: Some(bitmap(4, None)),
                side: None,
                miplevel: 9,
            })
        }),
        case(UploadFailed, "no memory", |rig| {
            let texture = rig.target(4, TextureFormat::Bgra);
            let backend = rig.context.backend_mut();
            backend.fail_next(BackendError::OutOfMemory);
            legal(rig.context.texture_upload_from_byte_array_async(
                texture,
                Some(&[0; 64]),
                0,
                None,
                0,
            ));
            match rig.context.take_texture_event() {
                Some(TextureEvent { error: Some(error), .. }) => Err(Error::Flash(error)),
                _ => Ok(Reply::Done),
            }
        }),
        case(InvalidParameter, "texels for a video texture", |rig| {
            let video = legal(rig.context.create_video_texture()).expect("has video");
            crate::done(rig.context.texture_upload_from_byte_array(
                video,
                Some(&[0; 64]),
                0,
                None,
                0,
            ))
        }),
        case(FormatMismatch, "ATF of another format", |rig| {
            upload_atf(rig, TextureFormat::Bgra, &atf(DXT1, 3, 3, 4))
        }),
        case(FormatMismatch, "a cube for a 2D texture", |rig| {
            upload_atf(rig, TextureFormat::Compressed, &atf(DXT1 | CUBE, 3, 3, 4))
        }),
        case(DecodingFailed, "not ATF", |rig| {
            upload_atf(rig, TextureFormat::Compressed, b"PNG0000000")
        }),
        case(DecodingFailed, "ATF 3 in an old SWF", |rig| {
            let data = [b'A', b'T', b'F', 0, 0, 0, 255, 3, 0, 0, 0, 4, DXT1, 3, 3, 4];
            upload_atf(rig, TextureFormat::Compressed, &data)
        })
        .swf(28),
        case(NotSquare, "a cube of other sides", |rig| {
            upload_atf(rig, TextureFormat::Compressed, &atf(DXT1 | CUBE, 3, 2, 4))
        }),
        // The size is checked before the format (3675), as in Flash Player's output in Ruffle's tests.
        case(SizeMismatch, "another size and another format", |rig| {
            upload_atf(rig, TextureFormat::Bgra, &atf(DXT1, 2, 3, 4))
        }),
    ]
}
