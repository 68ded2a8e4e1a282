//! Errors of draws and of `present`, most of which are raised only with error checking.

use context3d::arguments::{BitmapTarget, Rectangle};
use context3d::enums::{
    BufferUsage, MipFilter, TextureFilter, TextureFormat, VertexFormat, WrapMode,
};
use context3d::keys::TextureKey;
use context3d::{Error, ErrorCode, ObjectHandle, Profile, Reply};

use crate::common::{PLAIN, Rig, TEXTURED, legal};
use crate::{Case, Outcome, Unchecked, case};

const CUBE_MAPPED: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <cube,linear,clamp,mipnone>\nmov oc, ft0");
const MIP_MAPPED: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,clamp,miplinear>\nmov oc, ft0");
const REPEATING: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,repeat,mipnone>\nmov oc, ft0");
const TWO_SAMPLERS: (&str, &str) = (
    "mov op, va0\nmov v0, va0",
    "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>\ntex ft1, v0, fs3 <2d,nearest,clamp,mipnone>\nadd oc, ft0, ft1",
);
const VIDEO: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,repeat,mipnone,video>\nmov oc, ft0");
const VIDEO_MIPS: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,clamp,miplinear,video>\nmov oc, ft0");
const VIDEO_BIAS: (&str, &str) = (
    "mov op, va0\nmov v0, va0",
    "tex ft0, v0, fs0 <2d,linear,clamp,mipnone,video,1.5>\nmov oc, ft0",
);
const TWO_STREAMS: (&str, &str) = ("add op, va0, va1", "mov oc, fc0");
const TWO_OUTPUTS: (&str, &str) = ("mov op, va0", "mov oc, fc0\nmov fo1, fc1");
const DEPTH: (&str, &str) = ("mov op, va0", "mov oc, fc0\nmov od.x, fc0.x");

fn draw_with(rig: &mut Rig, program: (&str, &str), texture: ObjectHandle<TextureKey>) -> Outcome {
    rig.use_program(program, 1);
    legal(rig.context.set_texture_at(0, Some(texture)));
    rig.draw()
}

fn scissor(rig: &mut Rig, x: f64) -> Outcome {
    legal(rig.context.set_scissor_rectangle(Some(Rectangle {
        x,
        y: 0.0,
        width: 8.0,
        height: 8.0,
    })));
    rig.draw()
}

fn instanced(rig: &mut Rig, at: i32, elements: i32, instances: i32) -> Outcome {
    rig.use_program(TWO_STREAMS, 1);
    let stream = legal(rig.context.create_vertex_buffer_for_instances(
        elements,
        4,
        2,
        BufferUsage::StaticDraw,
    ));
    legal(rig.context.vertex_buffer_upload_from_byte_array(stream, Some(&[0; 64]), 0, 0, elements));
    let format = VertexFormat::Float4;
    legal(rig.context.set_vertex_buffer_at(1 - at, Some(rig.vertices), 0, format));
    legal(rig.context.set_vertex_buffer_at(at, Some(stream), 0, format));
    rig.context.draw_triangles_instanced(Some(rig.indices), instances, 0, -1)
}

/// Draws once more than the limit allows.
fn too_many(rig: &mut Rig) -> Outcome {
    for _ in 0..32768 {
        legal(rig.context.draw_triangles(Some(rig.indices), 0, 0));
    }
    rig.context.draw_triangles(Some(rig.indices), 0, 0)
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = frame();
    cases.extend(triangles());
    cases.extend(samplers());
    cases.extend(streams());
    cases
}

fn frame() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(TooManyDraws, "32769", too_many),
        case(NotCleared, "a draw after present", |rig| {
            legal(rig.context.present());
            rig.draw()
        }),
        case(NotCleared, "a second present", |rig| {
            legal(rig.context.present());
            crate::done(rig.context.present())
        })
        .unchecked(Unchecked::Done),
        case(NotCleared, "a draw after configureBackBuffer", |rig| {
            legal(rig.context.configure_back_buffer(64, 64, 0, false, false, false));
            rig.draw()
        }),
        case(NeverCleared, "the very first draw", |rig| {
            unconfigured(rig);
            legal(rig.context.configure_back_buffer(64, 64, 0, false, false, false));
            rig.draw()
        }),
        case(NoBackBuffer, "a draw", |rig| {
            unconfigured(rig);
            rig.draw()
        }),
        case(NoBackBuffer, "a clear", |rig| {
            unconfigured(rig);
            crate::done(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX))
        }),
        case(NoBackBuffer, "a present", |rig| {
            unconfigured(rig);
            crate::done(rig.context.present())
        }),
        case(NoProgram, "none", |rig| {
            legal(rig.context.set_program(None));
            rig.draw()
        }),
        case(NoProgram, "disposed while bound", |rig| {
            legal(rig.context.program_dispose(rig.program));
            rig.draw()
        }),
        case(NoProgram, "bound after its disposal", |rig| {
            legal(rig.context.set_program(None));
            legal(rig.context.program_dispose(rig.program));
            legal(rig.context.set_program(Some(rig.program)));
            rig.draw()
        }),
        case(NoProgram, "another context's", |rig| {
            legal(rig.context.set_program(Some(Rig::baseline().program)));
            rig.draw()
        }),
        case(NotCleared, "a read after present", |rig| {
            legal(rig.context.present());
            read(rig)
        })
        .unchecked(Unchecked::Done),
        case(NotCleared, "a read before the first clear", |rig| {
            legal(rig.context.configure_back_buffer(64, 64, 0, false, false, false));
            read(rig)
        })
        .unchecked(Unchecked::Done),
        case(NoProgram, "never uploaded", |rig| {
            let program = legal(rig.context.create_program());
            legal(rig.context.set_program(Some(program)));
            rig.draw()
        }),
        case(NoProgram, "lost by a failed upload", |rig| {
            let failed =
                rig.context.program_upload(rig.program, Some([][..].into()), Some([][..].into()));
            assert!(matches!(failed, Err(Error::Flash(_))));
            rig.draw()
        }),
        case(ScissorOutside, "right of the target", |rig| scissor(rig, 64.0)),
        case(ScissorOutside, "left of the target", |rig| scissor(rig, -8.0)),
        case(DepthOutput, "without a depth buffer", |rig| {
            rig.use_program(DEPTH, 2);
            legal(rig.context.configure_back_buffer(64, 64, 0, false, false, false));
            legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
            rig.draw()
        })
        .profile(Profile::Standard),
        case(TargetsAndOutputs, "two outputs, one target", |rig| {
            rig.use_program(TWO_OUTPUTS, 2);
            rig.draw()
        })
        .profile(Profile::Standard),
    ]
}

/// Replaces the context by a new one without a back buffer, with the same error checking.
fn unconfigured(rig: &mut Rig) {
    legal(rig.context.set_program(None));
    let checking = rig.draw().is_err();
    let options = rig.context.options();
    let mut context = context3d::Context3D::new(context3d::backend::NullBackend::new(), options);
    legal(context.set_error_checking(checking));
    rig.indices = legal(context.create_index_buffer(6, BufferUsage::StaticDraw));
    legal(context.index_buffer_upload_from_vector(rig.indices, Some(&[0, 1, 2, 1, 3, 2]), 0, 6));
    rig.vertices = legal(context.create_vertex_buffer(4, 4, BufferUsage::StaticDraw));
    legal(context.vertex_buffer_upload_from_byte_array(rig.vertices, Some(&[0; 64]), 0, 0, 4));
    let format = VertexFormat::Float4;
    legal(context.set_vertex_buffer_at(0, Some(rig.vertices), 0, format));
    rig.program = legal(context.create_program());
    rig.context = context;
    rig.use_program(PLAIN, 1);
}

fn read(rig: &mut Rig) -> Outcome {
    let destination = BitmapTarget { width: 4, height: 4, transparent: true };
    let read = rig.context.draw_to_bitmap_data(Some(destination), None, None);
    crate::made(read)
}

fn triangles() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        case(NoIndexBuffer, "disposed", |rig| {
            legal(rig.context.index_buffer_dispose(rig.indices));
            rig.draw()
        }),
        case(NoIndexBuffer, "another context's, like the stream", |rig| {
            let other = Rig::baseline();
            let (stream, format) = (Some(other.vertices), VertexFormat::Float4);
            legal(rig.context.set_vertex_buffer_at(0, stream, 0, format));
            rig.context.draw_triangles(Some(other.indices), 0, -1)
        }),
        case(NoProgram, "like the index buffer", |rig| {
            let other = Rig::baseline();
            legal(rig.context.set_program(Some(other.program)));
            rig.context.draw_triangles(Some(other.indices), 0, -1)
        }),
        case(NoIndexBuffer, "never uploaded", |rig| {
            let indices = legal(rig.context.create_index_buffer(3, BufferUsage::StaticDraw));
            rig.context.draw_triangles(Some(indices), 0, -1)
        })
        .unchecked(Unchecked::Drawn),
        case(BadDrawRange, "from -1 on", |rig| {
            rig.context.draw_triangles(Some(rig.indices), -1, 1)
        }),
        case(BadDrawRange, "-2 triangles", |rig| {
            rig.context.draw_triangles(Some(rig.indices), 0, -2)
        }),
        case(NotEnoughIndices, "three triangles", |rig| {
            rig.context.draw_triangles(Some(rig.indices), 0, 3)
        }),
        case(NotEnoughIndices, "two triangles from 1 on", |rig| {
            rig.context.draw_triangles(Some(rig.indices), 1, 2)
        }),
        case(NotEnoughIndices, "all from beyond the end on", |rig| {
            rig.context.draw_triangles(Some(rig.indices), 7, -1)
        }),
        case(NotEnoughIndices, "as many as there are numbers", |rig| {
            rig.context.draw_triangles(Some(rig.indices), i32::MAX, i32::MAX)
        }),
    ]
}

fn samplers() -> Vec<Case> {
    use ErrorCode::*;
    vec![
        // The render target can't be sampled [context3d.target.sampled].
        case(SamplesTarget, "the target itself", |rig| {
            let texture = rig.texture();
            legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
            draw_with(rig, TEXTURED, texture)
        }),
        case(InvalidTexture, "disposed while bound", |rig| {
            let texture = rig.texture();
            rig.use_program(TEXTURED, 1);
            legal(rig.context.set_texture_at(0, Some(texture)));
            legal(rig.context.texture_dispose(texture));
            rig.draw()
        }),
        case(InvalidTexture, "bound after its disposal", |rig| {
            let texture = rig.texture();
            legal(rig.context.texture_dispose(texture));
            draw_with(rig, TEXTURED, texture)
        }),
        case(InvalidTexture, "another context's", |rig| {
            // Creates a texture in this context whose key equals the key of the other context's texture.
            rig.texture();
            let texture = Rig::baseline().texture();
            draw_with(rig, TEXTURED, texture)
        }),
        case(InvalidTexture, "an empty rectangle", |rig| {
            let format = TextureFormat::Bgra;
            let texture = legal(rig.context.create_rectangle_texture(4, 4, format, false));
            draw_with(rig, TEXTURED, texture)
        }),
        case(TextureMissing, "none bound", |rig| {
            rig.use_program(TEXTURED, 1);
            rig.draw()
        }),
        case(SamplersDiffer, "linear at 0, nearest at 3", |rig| {
            let texture = rig.texture();
            legal(rig.context.set_texture_at(3, Some(texture)));
            draw_with(rig, TWO_SAMPLERS, texture)
        }),
        case(TextureUnused, "sampler 0", |rig| {
            let texture = rig.texture();
            draw_with(rig, PLAIN, texture)
        }),
        case(IncompleteTexture, "never uploaded", |rig| {
            let texture = rig.target(4, TextureFormat::Bgra);
            draw_with(rig, TEXTURED, texture)
        }),
        case(IncompleteTexture, "mip mapping with level 0 alone", |rig| {
            let texture = rig.texture();
            draw_with(rig, MIP_MAPPED, texture)
        }),
        case(IncompleteTexture, "five faces of a cube", |rig| {
            let cube = legal(rig.context.create_cube_texture(4, TextureFormat::Bgra, false, 0));
            for side in 0..5 {
                legal(rig.context.texture_upload_from_byte_array(
                    cube,
                    Some(&[0; 64]),
                    0,
                    Some(side),
                    0,
                ));
            }
            draw_with(rig, CUBE_MAPPED, cube)
        }),
        case(IncompleteStreaming, "no base level", |rig| {
            let texture = streaming(rig);
            draw_with(rig, TEXTURED, texture)
        }),
        case(MustClamp, "a repeating rectangle", |rig| {
            let texture = rectangle(rig);
            draw_with(rig, REPEATING, texture)
        }),
        case(MustClamp, "a repeating cube", |rig| {
            let cube = cube(rig);
            rig.use_program(CUBE_MAPPED, 1);
            legal(rig.context.set_texture_at(0, Some(cube)));
            let (filter, mip) = (TextureFilter::Linear, MipFilter::None);
            let wrap = WrapMode::ClampURepeatV;
            legal(rig.context.set_sampler_state_at(0, wrap, filter, mip));
            rig.draw()
        }),
        case(DimensionMismatch, "a cube read as 2D", |rig| {
            let cube = cube(rig);
            draw_with(rig, TEXTURED, cube)
        }),
        case(DimensionMismatch, "a 2D texture read as cube", |rig| {
            let texture = rig.texture();
            draw_with(rig, CUBE_MAPPED, texture)
        }),
        case(RectangleMips, "a mip-mapped rectangle", |rig| {
            let texture = rectangle(rig);
            draw_with(rig, MIP_MAPPED, texture)
        }),
        case(VideoMips, "a mip-mapped video", |rig| {
            let texture = video(rig);
            draw_with(rig, VIDEO_MIPS, texture)
        }),
        case(VideoMips, "a video with bias", |rig| {
            let texture = video(rig);
            draw_with(rig, VIDEO_BIAS, texture)
        }),
        case(ReadMode, "video read as rgba", |rig| {
            let texture = video(rig);
            draw_with(rig, TEXTURED, texture)
        }),
        case(ReadMode, "rgba read as video", |rig| {
            let texture = rig.texture();
            draw_with(rig, VIDEO, texture)
        }),
        case(DimensionMismatch, "video read as a cube", |rig| {
            let texture = video(rig);
            draw_with(rig, CUBE_MAPPED, texture)
        }),
        case(IncompleteTexture, "a video without a frame", |rig| {
            let texture = legal(rig.context.create_video_texture()).expect("has video");
            draw_with(rig, VIDEO, texture)
        }),
        case(IncompleteTexture, "an upload that runs", |rig| {
            let texture = rig.texture();
            legal(rig.context.texture_upload_from_byte_array_async(
                texture,
                Some(&[0; 64]),
                0,
                None,
                0,
            ));
            draw_with(rig, TEXTURED, texture)
        }),
        case(ReadMode, "compressed read as rgba", |rig| {
            let texture = rig.target(4, TextureFormat::Compressed);
            legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 64]), 0, None, 0));
            draw_with(rig, TEXTURED, texture)
        }),
    ]
}

/// Creates a streaming texture of 16×16 texels with `streamingLevels` 2, whose levels except the smallest have content.
pub(crate) fn streaming(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    let command = context3d::Invocation::CreateTexture {
        width: 16,
        height: 16,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 2,
    };
    let Reply::Texture(texture) = legal(rig.context.execute(&command)) else {
        panic!("no texture")
    };
    for level in 1..5 {
        legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 256]), 0, None, level));
    }
    texture
}

fn rectangle(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    let texture = rig.context.create_rectangle_texture(3, 5, TextureFormat::Bgra, false);
    let texture = legal(texture);
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 60]), 0, None, 0));
    texture
}

fn video(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    let video = legal(rig.context.create_video_texture()).expect("has video");
    let frame = context3d::arguments::Bitmap {
        width: 2,
        height: 1,
        transparent: false,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: Some(&[0; 8]),
    };
    legal(rig.context.video_texture_frame(video, frame));
    video
}

fn cube(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    let cube = legal(rig.context.create_cube_texture(4, TextureFormat::Bgra, false, 0));
    for side in 0..6 {
        legal(rig.context.texture_upload_from_byte_array(cube, Some(&[0; 64]), 0, Some(side), 0));
    }
    cube
}

fn streams() -> Vec<Case> {
    use ErrorCode::*;
    const FLOAT4: VertexFormat = VertexFormat::Float4;
    vec![
        case(StreamUnused, "stream 1", |rig| {
            legal(rig.context.set_vertex_buffer_at(1, Some(rig.vertices), 0, FLOAT4));
            rig.draw()
        }),
        case(InvalidStream, "disposed while bound", |rig| {
            legal(rig.context.vertex_buffer_dispose(rig.vertices));
            rig.draw()
        }),
        case(InvalidStream, "bound after its disposal", |rig| {
            legal(rig.context.vertex_buffer_dispose(rig.vertices));
            legal(rig.context.set_vertex_buffer_at(0, None, 0, FLOAT4));
            let stream = Some(rig.vertices);
            legal(rig.context.set_vertex_buffer_at(0, stream, 0, FLOAT4));
            rig.draw()
        }),
        case(InvalidStream, "another context's", |rig| {
            let stream = Some(Rig::baseline().vertices);
            legal(rig.context.set_vertex_buffer_at(0, stream, 0, FLOAT4));
            rig.draw()
        }),
        case(InvalidStream, "another context's, outside the vertex", |rig| {
            let stream = Some(Rig::baseline().vertices);
            legal(rig.context.set_vertex_buffer_at(0, stream, -100, FLOAT4));
            rig.draw()
        }),
        case(InvalidStream, "never uploaded", |rig| {
            let buffer = legal(rig.context.create_vertex_buffer(4, 4, BufferUsage::StaticDraw));
            legal(rig.context.set_vertex_buffer_at(0, Some(buffer), 0, FLOAT4));
            rig.draw()
        })
        .unchecked(Unchecked::Drawn),
        case(NotEnoughVertices, "index 4 of 4 vertices", |rig| {
            legal(rig.context.index_buffer_upload_from_vector(rig.indices, Some(&[4]), 5, 1));
            rig.draw()
        }),
        case(StreamOffset, "negative", |rig| {
            legal(rig.context.set_vertex_buffer_at(0, Some(rig.vertices), -1, FLOAT4));
            rig.draw()
        }),
        // Without error checking, the last vertex may end past the buffer.
        case(StreamOffset, "past the vertex", |rig| {
            legal(rig.context.set_vertex_buffer_at(0, Some(rig.vertices), 1, FLOAT4));
            rig.draw()
        })
        .unchecked(Unchecked::Drawn),
        // Without error checking, vertices may overlap the next vertex.
        case(StreamOffset, "past the vertex, into the next", |rig| {
            legal(rig.context.set_vertex_buffer_at(0, Some(rig.vertices), 1, FLOAT4));
            rig.context.draw_triangles(Some(rig.indices), 0, 1)
        })
        .unchecked(Unchecked::Drawn),
        case(StreamMissing, "stream 1", |rig| {
            rig.use_program(TWO_STREAMS, 1);
            rig.draw()
        }),
        case(NotEnoughInstances, "five instances of two by two", |rig| instanced(rig, 1, 2, 5))
            .profile(Profile::StandardExtended),
        case(InstanceStreamFirst, "at 0", |rig| instanced(rig, 0, 2, 4))
            .profile(Profile::StandardExtended),
    ]
}
