//! GL state changes of a host, and a frame whose image each of them would change.
#![allow(unsafe_code, reason = "the host's own GL calls")]

use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::Api;
use context3d::enums::TextureFormat;
use context3d::keys::ProgramKey;
use context3d::{Invocation, ObjectHandle};

use crate::common::scene::{FULL, Scene};
use crate::egl;

/// The APIs that have a piece of GL state: both, or only desktop OpenGL.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Where {
    Both,
    Desktop,
}

/// Loads a GL function with one integer argument that glow lacks.
fn one(name: &str) -> unsafe extern "system" fn(u32) {
    let function = egl::load().get_proc_address(name).expect("OpenGL has it");
    // SAFETY: the GL functions that are loaded with this helper have one `u32` argument.
    unsafe { std::mem::transmute(function) }
}

/// Loads a GL function with two integer arguments that glow lacks.
fn two(name: &str) -> unsafe extern "system" fn(u32, u32) {
    let function = egl::load().get_proc_address(name).expect("OpenGL has it");
    // SAFETY: the GL functions that are loaded with this helper have two `u32` arguments.
    unsafe { std::mem::transmute(function) }
}

/// A state change: its name, the contexts that have the state, and the host's GL calls.
pub(crate) type Piece = (&'static str, Where, fn(&glow::Context));

/// GL state changes that a host may leave behind, applied one at a time.
pub(crate) const DIRT: &[Piece] = {
    use Where::{Both, Desktop};
    /// Wraps each state change, one or more GL calls, in a function.
    macro_rules! dirt {
        ($($name:literal $place:ident: $gl:ident $body:block)+) => {
            &[$(($name, $place, |$gl: &glow::Context| {
                // SAFETY: the context is current; no pointers are passed.
                unsafe {
                    let _ = $gl;
                    $body
                }
            })),+]
        };
    }
    dirt! {
        "program" Both: gl { gl.use_program(None) }
        "vertex array" Both: gl { gl.bind_vertex_array(None) }
        "attributes" Both: gl {
            gl.disable_vertex_attrib_array(0);
            gl.vertex_attrib_divisor(1, 1);
            gl.enable_vertex_attrib_array(5);
        }
        "framebuffer" Both: gl { gl.bind_framebuffer(glow::FRAMEBUFFER, None) }
        "viewport" Both: gl { gl.viewport(3, 5, 7, 9) }
        "scissor" Both: gl {
            gl.enable(glow::SCISSOR_TEST);
            gl.scissor(1, 2, 3, 4);
        }
        "blend" Both: gl {
            gl.enable(glow::BLEND);
            gl.blend_func(glow::ZERO, glow::ONE);
            gl.blend_equation(glow::FUNC_REVERSE_SUBTRACT);
        }
        "colour mask" Both: gl { gl.color_mask(false, true, false, true) }
        "depth" Both: gl {
            gl.enable(glow::DEPTH_TEST);
            gl.depth_func(glow::NEVER);
            gl.depth_mask(false);
            gl.depth_range_f32(0.25, 0.3);
        }
        "stencil" Both: gl {
            gl.enable(glow::STENCIL_TEST);
            gl.stencil_func(glow::NEVER, 1, 1);
            gl.stencil_mask(0);
        }
        "culling" Both: gl {
            gl.enable(glow::CULL_FACE);
            gl.cull_face(glow::FRONT_AND_BACK);
            gl.front_face(glow::CW);
        }
        "dither" Both: gl { gl.enable(glow::DITHER) }
        "discard" Both: gl { gl.enable(glow::RASTERIZER_DISCARD) }
        "sample coverage" Both: gl {
            gl.enable(glow::SAMPLE_COVERAGE);
            gl.sample_coverage(0.25, false);
        }
        "alpha to coverage" Both: gl { gl.enable(glow::SAMPLE_ALPHA_TO_COVERAGE) }
        "sample mask" Both: gl {
            gl.enable(glow::SAMPLE_MASK);
            two("glSampleMaski")(0, 1);
        }
        "polygon offset" Both: gl {
            gl.enable(glow::POLYGON_OFFSET_FILL);
            gl.polygon_offset(0.0, 1e7);
        }
        "texture units" Both: gl {
            for unit in 0..8 {
                gl.active_texture(glow::TEXTURE0 + unit);
                gl.bind_texture(glow::TEXTURE_2D, None);
                gl.bind_sampler(unit, None);
            }
        }
        "upload rows" Both: gl {
            gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 8);
            gl.pixel_store_i32(glow::UNPACK_SKIP_PIXELS, 1);
            gl.pixel_store_i32(glow::UNPACK_SKIP_ROWS, 1);
            gl.pixel_store_i32(glow::UNPACK_ROW_LENGTH, 3);
        }
        "read rows" Both: gl {
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 8);
            gl.pixel_store_i32(glow::PACK_SKIP_PIXELS, 1);
            gl.pixel_store_i32(glow::PACK_SKIP_ROWS, 1);
            gl.pixel_store_i32(glow::PACK_ROW_LENGTH, 3);
        }
        "pixel buffers" Both: gl {
            for target in [glow::PIXEL_PACK_BUFFER, glow::PIXEL_UNPACK_BUFFER] {
                let buffer = gl.create_buffer().expect("a buffer");
                gl.bind_buffer(target, Some(buffer));
                gl.buffer_data_size(target, 1 << 16, glow::STATIC_DRAW);
            }
        }
        "array and index buffer" Both: gl {
            let buffer = gl.create_buffer().expect("a buffer");
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, Some(buffer));
        }
        "order of bytes" Desktop: gl {
            gl.pixel_store_bool(glow::UNPACK_SWAP_BYTES, true);
            gl.pixel_store_bool(glow::PACK_SWAP_BYTES, true);
        }
        "line width" Desktop: gl { gl.line_width(5.0) }
        "smooth lines" Desktop: gl {
            gl.enable(glow::LINE_SMOOTH);
            gl.enable(glow::POLYGON_SMOOTH);
        }
        "line offset" Desktop: gl {
            gl.enable(glow::POLYGON_OFFSET_LINE);
            gl.polygon_offset(0.0, 1e7);
        }
        "polygon mode" Desktop: gl { gl.polygon_mode(glow::FRONT_AND_BACK, glow::POINT) }
        "clip distances" Desktop: gl {
            for plane in glow::CLIP_DISTANCE0..=glow::CLIP_DISTANCE7 {
                gl.enable(plane);
            }
        }
        "clip control" Desktop: gl {
            two("glClipControl")(glow::UPPER_LEFT, glow::NEGATIVE_ONE_TO_ONE);
        }
        "logic op" Desktop: gl {
            gl.enable(glow::COLOR_LOGIC_OP);
            one("glLogicOp")(glow::INVERT);
        }
        "alpha to one" Desktop: gl { gl.enable(glow::SAMPLE_ALPHA_TO_ONE) }
        "no multisampling" Desktop: gl { gl.disable(glow::MULTISAMPLE) }
        "depth clamp" Desktop: gl { gl.enable(glow::DEPTH_CLAMP) }
        "restart" Desktop: gl {
            gl.enable(glow::PRIMITIVE_RESTART);
            one("glPrimitiveRestartIndex")(2);
        }
        "sRGB" Desktop: gl { gl.enable(glow::FRAMEBUFFER_SRGB) }
    }
};

/// Draws a frame that every change in [`DIRT`] would alter: uploads, targets, samples, depth, wireframes, reads.
pub(crate) fn work(scene: &mut Scene, programs: [ObjectHandle<ProgramKey>; 2]) -> Vec<u8> {
    use context3d::enums::CompareMode::{Always, Less};
    let desktop = scene.api == Api::OpenGl;
    // Depth test and program equal those at the end of the last frame, so that the state cache skips the GL calls.
    scene.depth(false, Always);
    scene.bind(programs[1]);
    scene.quad(FULL, 0.5, [0.2, 0.4, 0.6, 1.0]);
    let first = scene.picture();
    let texture = scene.texture(4, TextureFormat::RgbaHalfFloat);
    let halves: Vec<u8> = (0..64u16).flat_map(|n| (0x3000 + n * 40).to_le_bytes()).collect();
    scene.texels(texture, None, 0, &halves);
    let targets = [(TextureFormat::BgrPacked565, 0), (TextureFormat::Bgra, 4)];
    let targets = targets.map(|(format, samples)| {
        let target = scene.texture(16, format);
        scene.target(target, samples);
        scene.clear([0.2, 0.3, 0.4, 0.5]);
        scene.bind(programs[1]);
        scene.depth(true, Less);
        // The second quad is behind the first, and the near plane clips the third.
        scene.quad([-0.9, 0.83, 0.41, -0.7], 0.5, [0.9, 0.35, 0.17, 0.6]);
        scene.quad(FULL, 0.7, [0.1, 0.55, 0.77, 0.4]);
        scene.quad([-0.5, 0.5, 0.5, -0.5], -0.5, [1.0; 4]);
        target
    });
    scene.back_buffer();
    scene.clear([0.1, 0.0, 0.0, 1.0]);
    scene.depth(false, Always);
    for (texture, corners) in [
        (texture, [-1.0, 1.0, 0.0, 0.0]),
        (targets[0], [0.0, 1.0, 1.0, 0.0]),
        (targets[1], [-1.0, 0.0, 0.0, -1.0]),
    ] {
        scene.bind(programs[0]);
        scene.bind_texture(0, Some(texture));
        scene.picture_quad(corners);
    }
    scene.bind_texture(0, None);
    scene.bind(programs[1]);
    if desktop {
        scene.call(Invocation::SetFillMode {
            fill_mode: context3d::enums::EnumArg::Is(context3d::enums::FillMode::Wireframe),
        });
    }
    scene.depth(true, Less);
    scene.quad([0.1, -0.1, 0.9, -0.87], 0.5, [0.3, 0.6, 0.9, 1.0]);
    scene.quad([0.2, -0.1, 0.9, -0.87], 0.5, [0.9, 0.1, 0.9, 1.0]);
    if desktop {
        scene.call(Invocation::SetFillMode {
            fill_mode: context3d::enums::EnumArg::Is(context3d::enums::FillMode::Solid),
        });
    }
    scene.quad([0.8, -0.1, 0.9, -0.87], 0.4, [0.9, 0.7, 0.9, 1.0]);
    let mut all = Vec::new();
    for picture in [first, scene.picture(), scene.read_texture(targets[1])] {
        let pixels = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
        all.extend(pixels.flat_map(|(x, y)| picture.at(x, y)));
    }
    let backend = scene.context.backend_mut();
    let mut texels = Vec::new();
    let read = context3d::backend::Backend::read_texels(backend, texture.key(), 0, &mut texels);
    assert!(read.is_ok_and(|layout| layout.is_some()));
    assert_eq!(texels, halves);
    for texture in [texture, targets[0], targets[1]] {
        scene.call(Invocation::TextureDispose { texture });
    }
    all
}
