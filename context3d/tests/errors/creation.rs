//! Errors of object creation, which are raised with and without error checking.

use context3d::backend::{Backend as _, BackendError};
use context3d::enums::{BufferUsage, EnumArg, RenderMode, TextureFormat};
use context3d::{Error, ErrorCode, Host, Invocation, Profile, Reply, RequestResult, Stage3D};

use crate::common::{Rig, legal};
use crate::{Case, case};

fn texture(rig: &mut Rig, width: i32, height: i32, format: TextureFormat) -> crate::Outcome {
    crate::made(rig.context.create_texture(width, height, format, false, 0))
}

fn rectangle(rig: &mut Rig, width: i32, format: TextureFormat) -> crate::Outcome {
    crate::made(rig.context.create_rectangle_texture(width, 1, format, false))
}

fn cube(rig: &mut Rig, size: i32) -> crate::Outcome {
    crate::made(rig.context.create_cube_texture(size, TextureFormat::Bgra, false, 0))
}

fn streaming(rig: &mut Rig, levels: i32) -> crate::Outcome {
    rig.context.execute(&Invocation::CreateTexture {
        width: 16,
        height: 64,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: levels,
    })
}

fn no_memory(rig: &mut Rig) {
    let backend = rig.context.backend_mut();
    backend.fail_next(BackendError::OutOfMemory);
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = buffers();
    cases.extend(textures());
    cases.extend(contexts());
    cases
}

fn contexts() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(NoCreateListener, "nobody listens", |_| {
            let auto = EnumArg::Is(RenderMode::Auto);
            crate::done(Stage3D::new().request(auto, Some("baseline"), false))
        }),
        case(OperationFailed, "no memory for a back buffer", |rig| {
            legal(rig.context.present());
            no_memory(rig);
            crate::done(rig.context.configure_back_buffer(640, 480, 0, true, false, false))
        }),
        case(InBackground, "a present while in the background", |rig| {
            rig.context.set_host(Host { background: true, ..Host::default() });
            crate::done(rig.context.present())
        }),
        case(InBackground, "a program while in the background", |rig| {
            rig.context.set_host(Host { background: true, ..Host::default() });
            crate::made(rig.context.create_program())
        }),
        case(NotAvailable, "no software renderer", |rig| {
            let mut stage = Stage3D::new();
            stage.request(EnumArg::Is(RenderMode::Software), Some("standard"), true)?;
            let mut caps = rig.context.backend().caps().clone();
            caps.software = true;
            match stage.answer(Some(&caps), 30, 0) {
                Some(RequestResult::Refuse(error, _)) => Err(Error::Flash(error)),
                _ => Ok(Reply::Done),
            }
        }),
        case(NotAvailable, "a GPU for software", |rig| {
            let mut stage = Stage3D::new();
            stage.request(EnumArg::Is(RenderMode::Software), Some("baseline"), true)?;
            match stage.answer(Some(rig.context.backend().caps()), 30, 0) {
                Some(RequestResult::Refuse(error, _)) => Err(Error::Flash(error)),
                _ => Ok(Reply::Done),
            }
        }),
        case(NotAvailable, "the device is too small", |rig| {
            let mut stage = Stage3D::new();
            stage.request_matching(Some(&[Some("standard")]), true)?;
            let mut caps = rig.context.backend().caps().clone();
            caps.max_texture_size = 2048;
            match stage.answer(Some(&caps), 30, 0) {
                Some(RequestResult::Refuse(error, _)) => Err(Error::Flash(error)),
                _ => Ok(Reply::Done),
            }
        }),
    ]
}

fn buffers() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(BufferTooBig, "vertices", |rig| {
            crate::made(rig.context.create_vertex_buffer(0x10001, 1, BufferUsage::StaticDraw))
        }),
        case(BufferTooBig, "values a vertex", |rig| {
            crate::made(rig.context.create_vertex_buffer(1, 65, BufferUsage::StaticDraw))
        }),
        case(BufferTooBig, "indices", |rig| {
            crate::made(rig.context.create_index_buffer(0xF0000, BufferUsage::StaticDraw))
        }),
        case(BufferEmpty, "no vertices", |rig| {
            crate::made(rig.context.create_vertex_buffer(0, 1, BufferUsage::StaticDraw))
        }),
        case(BufferEmpty, "-1 values a vertex", |rig| {
            crate::made(rig.context.create_vertex_buffer(1, -1, BufferUsage::StaticDraw))
        }),
        case(BufferEmpty, "no indices", |rig| {
            crate::made(rig.context.create_index_buffer(0, BufferUsage::StaticDraw))
        }),
        case(BufferFailed, "no memory for vertices", |rig| {
            no_memory(rig);
            crate::made(rig.context.create_vertex_buffer(1, 1, BufferUsage::StaticDraw))
        }),
        case(BufferFailed, "no memory for indices", |rig| {
            no_memory(rig);
            crate::made(rig.context.create_index_buffer(1, BufferUsage::StaticDraw))
        }),
        case(ResourceLimit, "4097 programs", |rig| {
            // The context of the test already has one program.
            for _ in 0..4095 {
                legal(rig.context.create_program());
            }
            crate::made(rig.context.create_program())
        }),
        case(ResourceLimit, "a fifth video texture", |rig| {
            for _ in 0..4 {
                legal(rig.context.create_video_texture());
            }
            crate::made(rig.context.create_video_texture())
        }),
        case(InstancesPerElement, "0 instances per element", |rig| {
            crate::made(rig.context.create_vertex_buffer_for_instances(
                1,
                1,
                0,
                BufferUsage::StaticDraw,
            ))
        })
        .profile(Profile::StandardExtended),
        case(NeedsStandardExtended, "a buffer for instances", |rig| {
            crate::made(rig.context.create_vertex_buffer_for_instances(
                1,
                1,
                1,
                BufferUsage::StaticDraw,
            ))
        })
        .profile(Profile::Standard),
        case(NeedsStandardExtended, "an instanced draw", |rig| {
            rig.context.draw_triangles_instanced(Some(rig.indices), 1, 0, -1)
        })
        .profile(Profile::Standard),
    ]
}

fn textures() -> Vec<Case> {
    use ErrorCode::*;
    use TextureFormat::*;
    vec![
        case(TextureEmpty, "no width", |rig| texture(rig, 0, 4, Bgra)),
        case(TextureEmpty, "a negative cube", |rig| cube(rig, i32::MIN)),
        case(TextureEmpty, "no rectangle", |rig| rectangle(rig, 0, Bgra)),
        case(NotPowerOfTwo, "height 6", |rig| texture(rig, 4, 6, Bgra)),
        case(NotPowerOfTwo, "a cube of 6", |rig| cube(rig, 6)),
        case(TextureTooBig, "4096 in baseline", |rig| texture(rig, 4096, 1, Bgra)),
        case(TextureFailed, "no memory", |rig| {
            no_memory(rig);
            texture(rig, 4, 4, Bgra)
        }),
        case(TextureFailed, "larger than the device has", |rig| {
            *rig = Rig::with_caps(Profile::Baseline, |caps| caps.max_texture_size = 1024);
            texture(rig, 2048, 1, Bgra)
        }),
        case(CubeTooBig, "a cube of 2048", |rig| cube(rig, 2048)),
        case(StreamingLevels, "log2 of the smaller side", |rig| streaming(rig, 4)),
        case(StreamingLevels, "negative", |rig| streaming(rig, -1)),
        case(CompressedTooSmall, "4 by 2", |rig| texture(rig, 4, 2, Compressed)),
        case(FormatNotInProfile, "half floats in baselineExtended", |rig| {
            texture(rig, 4, 4, RgbaHalfFloat)
        })
        .profile(Profile::BaselineExtended),
        case(RectangleFormat, "a compressed rectangle", |rig| rectangle(rig, 4, CompressedAlpha)),
        case(RectangleTooBig, "2049 in baseline", |rig| rectangle(rig, 2049, Bgra)),
        case(NeedsBaseline, "a rectangle in baselineConstrained", |rig| rectangle(rig, 4, Bgra))
            .profile(Profile::BaselineConstrained),
    ]
}
