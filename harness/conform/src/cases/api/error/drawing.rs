//! Errors of draws and presents: most are raised only with checking.

use context3d::Profile;

use super::{DrawSetup, ErrorCase, PLAIN, TEXTURED, Unchecked, add_all, texture};
use crate::case::Cases;
use crate::scene_builder::{Done, SIDE, SceneBuilder};
use molehill_capture::Call;
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

/// A program that reads a texture with given options.
macro_rules! sampling {
    ($($name:ident $options:literal)+) => {
        $(const $name: (&str, &str) = (
            "mov op, va0\nmov v0, va0",
            concat!("tex ft0, v0, fs0 <", $options, ">\nmov oc, ft0"),
        );)+
    };
}

sampling! {
    CUBE_MAPPED "cube,linear,clamp,mipnone"
    MIP_MAPPED "2d,linear,clamp,miplinear"
    REPEATING "2d,linear,repeat,mipnone"
    VIDEO "2d,linear,repeat,mipnone,video"
}

const TWO_SAMPLERS: (&str, &str) = (
    "mov op, va0\nmov v0, va0",
    "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>\ntex ft1, v0, fs3 <2d,nearest,clamp,mipnone>\nadd oc, ft0, ft1",
);
const TWO_STREAMS: (&str, &str) = ("add op, va0, va1", "mov oc, fc0");
const TWO_OUTPUTS: (&str, &str) = ("mov op, va0", "mov oc, fc0\nmov fo1, fc1");
const DEPTH: (&str, &str) = ("mov op, va0", "mov oc, fc0\nmov od.x, fc0.x");

pub(super) fn draw_with(
    s: &mut SceneBuilder,
    version: u32,
    program: (&str, &str),
    texture: TextureId,
) -> Done {
    let setup = DrawSetup::new(s)?;
    s.program_of(version, program.0, program.1)?;
    s.bind(0, Some(texture))?;
    s.expect();
    setup.draw(s)
}

pub(super) fn rectangle(s: &mut SceneBuilder) -> Result<TextureId, RecordError> {
    let texture = s.rectangle(3, 5, "bgra")?;
    s.upload_rectangle(texture, vec![0; 60])?;
    Ok(texture)
}

pub(super) fn cube(s: &mut SceneBuilder) -> Result<TextureId, RecordError> {
    let cube = s.cube(4, "bgra")?;
    for side in 0..6 {
        s.upload_cube(cube, vec![0; 64], side, 0)?;
    }
    Ok(cube)
}

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, frames());
    add_all(cases, programs());
    add_all(cases, triangles());
    add_all(cases, samplers());
    add_all(cases, kinds());
    add_all(cases, textures());
    add_all(cases, streams());
    add_all(cases, missing_streams());
}

fn scissored(s: &mut SceneBuilder, x: f64) -> Done {
    let setup = DrawSetup::new(s)?;
    s.scissor(Some([x, 0.0, 8.0, 8.0]))?;
    s.expect();
    setup.draw(s)
}

fn frames() -> Vec<ErrorCase> {
    error_cases! {
        3690 "drawTriangles" [] .on_null_backend() |s| {
            let setup = DrawSetup::new(s)?;
            for _ in 0..32768 {
                s.draw(setup.indices, 0, 0)?;
            }
        } => s.draw(setup.indices, 0, 0);
        3692 "drawTriangles.after_present" [] |s| {
            let setup = DrawSetup::new(s)?;
            s.present()?;
        } => setup.draw(s);
        3692 "present.twice" [] |s| { s.present()?; } => s.present();
        3692 "drawTriangles.after_configureBackBuffer" [] |s| {
            let setup = DrawSetup::new(s)?;
            s.configure(64, 64, 0, false)?;
        } => setup.draw(s);
        3692 "drawTriangles.after_clear_of_nothing" [] |s| {
            let setup = DrawSetup::new(s)?;
            s.present()?;
            s.clear_to([0.0; 4], 1.0, 0, 8)?;
        } => setup.draw(s);
        3777 "drawTriangles" [] .without_back_buffer() |s| {
            s.configure(SIDE, SIDE, 0, false)?;
            let setup = DrawSetup::new(s)?;
        } => setup.draw(s);
        3777 "present" [] .without_back_buffer() |s| {
            s.configure(SIDE, SIDE, 0, false)?;
        } => s.call(Call::Present {});
        2007 "drawTriangles" ["indexBuffer"] |s| => s.call(Call::DrawTriangles {
            index_buffer: None,
            first_index: 0,
            num_triangles: -1,
        });
        3698 "drawTriangles" [] .without_back_buffer() |s| { let setup = DrawSetup::new(s)?; } => setup.draw(s);
        3698 "clear" [] .without_back_buffer() |s| => s.clear([0.0; 4]);
        3698 "present" [] .without_back_buffer() |s| => s.present();
    }
}

fn programs() -> Vec<ErrorCase> {
    error_cases! {
        3600 "drawTriangles.none" [] |s| {
            let setup = DrawSetup::new(s)?;
            s.bind_program(None)?;
        } => setup.draw(s);
        3600 "drawTriangles.disposed" [] |s| {
            let setup = DrawSetup::new(s)?;
            s.on(setup.program.0, molehill_capture::Call::ProgramDispose {})?;
        } => setup.draw(s);
        3600 "drawTriangles.never_uploaded" [] |s| {
            let setup = DrawSetup::new(s)?;
            let program = s.create(molehill_capture::Call::CreateProgram {})?;
            s.bind_program(Some(molehill_capture::objects::ProgramId(program)))?;
        } => setup.draw(s);
        3706 "drawTriangles.right" [] |s| { scissored(s, 32.0) };
        3706 "drawTriangles.left" [] |s| { scissored(s, -8.0) };
        3776 "drawTriangles" [] .profile(Profile::Standard) |s| {
            let setup = DrawSetup::new(s)?;
            s.program_of(2, DEPTH.0, DEPTH.1)?;
            s.configure(SIDE, SIDE, 0, false)?;
            s.clear([0.0; 4])?;
        } => setup.draw(s);
        3774 "drawTriangles.two_outputs" [] .profile(Profile::Standard) |s| {
            let setup = DrawSetup::new(s)?;
            s.program_of(2, TWO_OUTPUTS.0, TWO_OUTPUTS.1)?;
        } => setup.draw(s);
    }
}

fn triangles() -> Vec<ErrorCase> {
    error_cases! {
        3601 "drawTriangles.never_uploaded" [] .unchecked(Unchecked::Succeeds) |s| {
            DrawSetup::new(s)?;
            let indices = s.index_buffer(3)?;
        } => s.draw(indices, 0, -1);
        3602 "drawTriangles.firstIndex" ["1", "-1"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.draw(setup.indices, -1, 1);
        3602 "drawTriangles.numTriangles" ["-2", "0"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.draw(setup.indices, 0, -2);
        3603 "drawTriangles.three" ["3", "0", "6"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.draw(setup.indices, 0, 3);
        3603 "drawTriangles.two_from_1" ["2", "1", "6"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.draw(setup.indices, 1, 2);
        3603 "drawTriangles.largest" ["2147483647", "2147483647", "6"] |s| {
            let setup = DrawSetup::new(s)?;
        } => s.draw(setup.indices, i32::MAX, i32::MAX);
    }
}

fn samplers() -> Vec<ErrorCase> {
    error_cases! {
        3604 "drawTriangles" ["0"] |s| {
            let texture = texture(s)?;
            s.output(Some(texture), false, 0, 0, 0)?;
            draw_with(s, 1, TEXTURED, texture)
        };
        3605 "drawTriangles.disposed" ["0"] |s| {
            let (setup, texture) = (DrawSetup::new(s)?, texture(s)?);
            s.program(TEXTURED.0, TEXTURED.1)?;
            s.bind(0, Some(texture))?;
            s.on(texture.0, molehill_capture::Call::TextureDispose {})?;
        } => setup.draw(s);
        3663 "drawTriangles" ["0"] |s| {
            let setup = DrawSetup::new(s)?;
            s.program(TEXTURED.0, TEXTURED.1)?;
        } => setup.draw(s);
        3695 "drawTriangles" ["0", "3"] |s| {
            let texture = texture(s)?;
            s.bind(3, Some(texture))?;
            draw_with(s, 1, TWO_SAMPLERS, texture)
        };
        3697 "drawTriangles" ["0"] |s| {
            let texture = texture(s)?;
            draw_with(s, 1, PLAIN, texture)
        };
    }
}

fn kinds() -> Vec<ErrorCase> {
    error_cases! {
        3753 "drawTriangles.rectangle" [] |s| {
            let texture = rectangle(s)?;
            draw_with(s, 1, REPEATING, texture)
        };
        3753 "drawTriangles.cube" [] |s| {
            let (setup, cube) = (DrawSetup::new(s)?, cube(s)?);
            s.program(CUBE_MAPPED.0, CUBE_MAPPED.1)?;
            s.bind(0, Some(cube))?;
            s.sampler(0, "clamp_u_repeat_v", "linear", "mipnone")?;
        } => setup.draw(s);
        3755 "drawTriangles" [] |s| {
            let texture = rectangle(s)?;
            draw_with(s, 1, MIP_MAPPED, texture)
        };
        3763 "drawTriangles.rgba_read_as_video" ["0"] |s| {
            let texture = texture(s)?;
            draw_with(s, 1, VIDEO, texture)
        };
        3763 "drawTriangles.compressed_read_as_rgba" ["0"] |s| {
            let texture = s.texture(4, 4, "compressed")?;
            s.upload(texture, vec![0; 64], 0)?;
            draw_with(s, 1, TEXTURED, texture)
        };
    }
}

fn textures() -> Vec<ErrorCase> {
    error_cases! {
        3700 "drawTriangles.never_uploaded" [] |s| {
            let texture = s.texture(4, 4, "bgra")?;
            draw_with(s, 1, TEXTURED, texture)
        };
        3605 "drawTriangles.empty_rectangle" ["0"] |s| {
            let texture = s.rectangle(3, 5, "bgra")?;
            draw_with(s, 1, TEXTURED, texture)
        };
        3700 "drawTriangles.level_0_alone" [] |s| {
            let texture = texture(s)?;
            draw_with(s, 1, MIP_MAPPED, texture)
        };
        3700 "drawTriangles.five_faces" [] |s| {
            let cube = s.cube(4, "bgra")?;
            for side in 0..5 {
                s.upload_cube(cube, vec![0; 64], side, 0)?;
            }
            draw_with(s, 1, CUBE_MAPPED, cube)
        };
        3713 "drawTriangles" [] |s| {
            let texture = s.streaming_texture(16, 16, "bgra", 2)?;
            for level in 1..5 {
                s.upload(texture, vec![0; 256], level)?;
            }
            draw_with(s, 1, TEXTURED, texture)
        };
        3754 "drawTriangles.cube_read_as_2d" [] |s| {
            let cube = cube(s)?;
            draw_with(s, 1, TEXTURED, cube)
        };
        3754 "drawTriangles.2d_read_as_cube" [] |s| {
            let texture = texture(s)?;
            draw_with(s, 1, CUBE_MAPPED, texture)
        };
    }
}

/// An instanced draw with a stream of `elements` elements, at attribute 0 or 1.
fn instanced(s: &mut SceneBuilder, at: i32, elements: usize, instances: i32) -> Done {
    let setup = DrawSetup::new(s)?;
    s.program(TWO_STREAMS.0, TWO_STREAMS.1)?;
    let stream = s.instances(&vec![0.0; elements * 4], 4, 2)?;
    s.stream(1 - at, Some(setup.vertices), 0, "float4")?;
    s.stream(at, Some(stream), 0, "float4")?;
    s.expect();
    s.draw_instanced(setup.indices, instances, 0, -1)
}

fn streams() -> Vec<ErrorCase> {
    error_cases! {
        3607 "drawTriangles" ["1"] |s| {
            let setup = DrawSetup::new(s)?;
            s.stream(1, Some(setup.vertices), 0, "float4")?;
        } => setup.draw(s);
        3608 "drawTriangles.disposed" ["0"] |s| {
            let setup = DrawSetup::new(s)?;
            s.on(
                setup.vertices.0,
                molehill_capture::Call::VertexBufferDispose {},
            )?;
        } => setup.draw(s);
        3608 "drawTriangles.never_uploaded" ["0"] .unchecked(Unchecked::Succeeds) |s| {
            let setup = DrawSetup::new(s)?;
            let buffer = s.vertex_buffer(4, 4)?;
            s.stream(0, Some(buffer), 0, "float4")?;
        } => setup.draw(s);
        3609 "drawTriangles" ["0"] |s| {
            let setup = DrawSetup::new(s)?;
            s.upload_index_numbers(setup.indices, &[4], 5, 1)?;
        } => setup.draw(s);
        3610 "drawTriangles.negative" ["0"] |s| {
            let setup = DrawSetup::new(s)?;
            s.stream(0, Some(setup.vertices), -1, "float4")?;
        } => setup.draw(s);
        // Without checking, data past the buffer reads as zero.
        3610 "drawTriangles.past_the_vertex" ["0"] .unchecked(Unchecked::Succeeds) |s| {
            let setup = DrawSetup::new(s)?;
            s.stream(0, Some(setup.vertices), 4, "float4")?;
        } => setup.draw(s);
    }
}

fn missing_streams() -> Vec<ErrorCase> {
    error_cases! {
        3611 "drawTriangles" ["1"] |s| {
            let setup = DrawSetup::new(s)?;
            s.program(TWO_STREAMS.0, TWO_STREAMS.1)?;
        } => setup.draw(s);
        3785 "drawTrianglesInstanced" ["1"] .profile(Profile::StandardExtended) |s| {
            instanced(s, 1, 2, 5)
        };
        3792 "drawTrianglesInstanced" ["0"] .profile(Profile::StandardExtended) |s| {
            instanced(s, 0, 2, 4)
        };
    }
}
