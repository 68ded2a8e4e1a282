//! Test programs that together use every packet. Each program sets up its objects, then shows equal frames that upload,
//! draw and read everything again.

use backend_gl::present::{FrameDestination, FrontFrame, PresentRect};
use context3d::Error;
use context3d::arguments::{ByteOrder, Rectangle};
use context3d::backend::{
    Backend, BackendError, FrameRead, FrameReadError, FrameSource as _, ReadSurface,
};
use context3d::enums::{
    BlendFactor, BufferUsage, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter,
    TextureFormat, TriangleFace, VertexFormat, WrapMode,
};

use super::world::*;

/// Tests buffers, fixed-function state, instances, short streams and released objects.
fn draws<B: Backend + 'static>() -> Program<B> {
    let mut setup = setup(0);
    setup.extend(steps! {
        "create instances": |w| {
            let made = w.first().create_vertex_buffer_for_instances(2, 4, 1, BufferUsage::StaticDraw)?;
            w.vertices.insert("instances", made);
            Ok(())
        };
        "create a short buffer": |w| {
            let made = w.first().create_vertex_buffer(3, 2, BufferUsage::StaticDraw)?;
            w.vertices.insert("short", made);
            Ok(())
        };
    });
    let frame = steps! {
        "upload vertices": |w| fill_vertices(w, "quad", 0);
        "upload indices": |w| fill_indices(w, 0);
        "upload instances": |w| {
            let data = floats(&[0.25, 0.25, 0.0, 1.0, -0.25, -0.25, 0.0, 1.0]);
            let instances = w.vertices("instances")?;
            w.first().vertex_buffer_upload_from_byte_array(instances, Some(&data), 0, 0, 2)
        };
        "upload a short buffer": |w| {
            let short = w.vertices("short")?;
            w.first().vertex_buffer_upload_from_byte_array(short, Some(&floats(&CORNERS)[..24]), 0, 0, 3)
        };
        "clear": |w| clear(w.first(), 0.3, 0.0);
        "set state": |w| {
            bind(w, ("flat", "quad", 0), 0.8, [0.1, 0.5, 0.9, 0.5])?;
            let c = w.first();
            c.set_blend_factors(BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha)?;
            c.set_depth_test(true, CompareMode::LessEqual)?;
            c.set_culling(TriangleFace::None)?;
            c.set_stencil_reference_value(3, 255, 255)?;
            c.set_stencil_actions(
                TriangleFace::FrontAndBack, CompareMode::Always, StencilAction::Set, StencilAction::Keep, StencilAction::Keep,
            )?;
            c.set_scissor_rectangle(Some(Rectangle { x: 4.0, y: 2.0, width: 20.0, height: 26.0 }))
        };
        "draw": |w| draw(w);
        "set other state": |w| {
            bind(w, ("flat", "quad", 0), 1.0, [0.9, 0.1, 0.2, 1.0])?;
            let c = w.first();
            c.set_blend_factors(BlendFactor::One, BlendFactor::Zero)?;
            c.set_color_mask(true, false, true, true)?;
            c.set_culling(TriangleFace::Back)?;
            c.set_stencil_actions(
                TriangleFace::FrontAndBack, CompareMode::NotEqual, StencilAction::Keep, StencilAction::Keep, StencilAction::Keep,
            )?;
            c.set_scissor_rectangle(None)
        };
        "draw again": |w| draw(w);
        "set a stream of instances": |w| {
            bind(w, ("flat", "quad", 0), 0.3, [0.1, 0.9, 0.2, 1.0])?;
            let instances = w.vertices("instances")?;
            let c = w.first();
            c.set_color_mask(true, true, true, true)?;
            c.set_stencil_actions(
                TriangleFace::FrontAndBack, CompareMode::Always, StencilAction::Keep, StencilAction::Keep, StencilAction::Keep,
            )?;
            c.set_depth_test(false, CompareMode::Always)?;
            c.set_vertex_buffer_at(1, Some(instances), 0, VertexFormat::Float4)
        };
        "draw instances": |w| {
            let indices = w.indices(0)?;
            drawn(w.first().draw_triangles_instanced(indices, 2, 0, -1))
        };
        "set a short stream": |w| {
            bind(w, ("flat", "quad", 0), 0.5, [0.9, 0.9, 0.2, 1.0])?;
            let short = w.vertices("short")?;
            let c = w.first();
            if c.backend().caps().wireframe {
                c.set_fill_mode(FillMode::Wireframe)?;
            }
            c.set_vertex_buffer_at(1, Some(short), 0, VertexFormat::Float2)
        };
        "draw past the end of a stream": |w| draw(w);
        "unset state": |w| {
            let c = w.first();
            match c.backend().caps().wireframe {
                true => c.set_fill_mode(FillMode::Solid),
                false => Ok(()),
            }
        };
        "release a buffer": |w| {
            let buffer = w.first().create_vertex_buffer(2, 2, BufferUsage::StaticDraw)?;
            w.first().release_queue().push(buffer);
            Ok(())
        };
        "present": |w| w.first().present();
        "read the picture": |w| w.look("front", 0, ReadSurface::Front);
    };
    Program { name: "draws", contexts: 1, setup, frame }
}

/// Tests uploads of every type, samplers and events.
fn textures<B: Backend + 'static>() -> Program<B> {
    let mut setup = setup(0);
    setup.extend(steps! {
        "upload a textured program": |w| program(w, "textured", 0, TEXTURED);
        "upload a mipped program": |w| program(w, "mipped", 0, MIPPED);
        "upload a program for blocks": |w| program(w, "of blocks", 0, BLOCKS);
        "upload a program that clamps": |w| program(w, "clamped", 0, CLAMPED);
        "upload a program with a cube": |w| program(w, "cube", 0, CUBE);
        "createTexture": |w| plain(w, "plain", TextureFormat::Bgra);
        "create a packed texture": |w| plain(w, "packed", TextureFormat::BgrPacked565);
        "create a half-float texture": |w| plain(w, "halves", TextureFormat::RgbaHalfFloat);
        "create a compressed texture": |w| plain(w, "blocks", TextureFormat::CompressedAlpha);
        "create a texture for later": |w| plain(w, "later", TextureFormat::Bgra);
        "createRectangleTexture": |w| make_texture(w, "rectangle", |c| c.create_rectangle_texture(TEXELS, TEXELS, TextureFormat::Bgra, false));
        "createCubeTexture": |w| make_texture(w, "cube", |c| c.create_cube_texture(TEXELS, TextureFormat::Bgra, false, 0));
    });
    let mut frame = steps! {
        "upload vertices again": |w| fill_vertices(w, "quad", 0);
        "upload indices again": |w| fill_indices(w, 0);
        "clear": |w| clear(w.first(), 0.0, 0.3);
        "upload level 0": |w| upload(w, "plain", (None, 0), 4);
        "upload level 1": |w| upload(w, "plain", (None, 1), 4);
        "upload level 2": |w| upload(w, "plain", (None, 2), 4);
        "upload level 3": |w| upload(w, "plain", (None, 3), 4);
        "upload packed": |w| upload(w, "packed", (None, 0), 2);
        "upload halves": |w| upload(w, "halves", (None, 0), 8);
        "upload blocks": |w| upload(w, "blocks", (None, 0), 4);
        "upload a rectangle": |w| upload(w, "rectangle", (None, 0), 4);
    };
    for side in 0..6 {
        frame.extend(steps! { "upload a face": |w| upload(w, "cube", (Some(side), 0), 4); });
    }
    frame.extend(steps! {
        "upload later": |w| {
            let (texture, data) = (w.texture("later")?, texels(256, 99));
            w.first().texture_upload_from_byte_array_async(texture, Some(&data), 0, None, 0)
        };
        "set a sampler": |w| w.first().set_sampler_state_at(0, WrapMode::Clamp, TextureFilter::Linear, MipFilter::Linear);
        "draw mip levels": |w| show(w, "plain", "mipped", 0.9);
        "set another sampler": |w| w.first().set_sampler_state_at(0, WrapMode::Clamp, TextureFilter::Nearest, MipFilter::None);
        "draw packed texels": |w| show(w, "packed", "textured", 0.8);
        "draw halves": |w| show(w, "halves", "textured", 0.7);
        "draw blocks": |w| show(w, "blocks", "of blocks", 0.6);
        "draw a rectangle": |w| show(w, "rectangle", "clamped", 0.4);
        "draw a cube": |w| show(w, "cube", "cube", 0.3);
        "present": |w| w.first().present();
        "take events": |w| {
            let event = w.first().take_texture_event().map(|event| event.error.is_some());
            w.seen.insert("event".to_owned(), vec![u8::from(event == Some(false))]);
            Ok(())
        };
        "clear again": |w| clear(w.first(), 0.5, 0.3);
        "draw what came later": |w| show(w, "later", "textured", 0.5);
        "unbind": |w| w.first().set_texture_at(0, None);
        "present again": |w| w.first().present();
        "read the picture": |w| w.look("front", 0, ReadSurface::Front);
        "read texels": |w| w.look_at("plain", 0, 1);
        "read blocks": |w| w.look_at("blocks", 0, 0);
        "read halves": |w| w.look_at("halves", 0, 0);
        "read a face": |w| w.look_at("cube", 3, 0);
    });
    Program { name: "textures", contexts: 1, setup, frame }
}

fn target<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    samples: i32,
    (side, output): (i32, i32),
) -> Result<(), Error> {
    let texture = Some(world.texture(name)?);
    world.first().set_render_to_texture(texture, true, samples, side, output)
}

/// Tests render targets with and without samples, several outputs, generated mip levels, and disposal.
fn targets<B: Backend + 'static>() -> Program<B> {
    let mut setup = setup(4);
    setup.extend(steps! {
        "upload a textured program": |w| program(w, "textured", 0, TEXTURED);
        "upload a mipped program": |w| program(w, "mipped", 0, MIPPED);
        "upload a program with outputs": |w| program(w, "outputs", 0, OUTPUTS);
        "create a target": |w| make_texture(w, "one", |c| c.create_texture(TEXELS, TEXELS, TextureFormat::Bgra, true, 0));
        "create another target": |w| make_texture(w, "two", |c| c.create_texture(TEXELS, TEXELS, TextureFormat::Bgra, true, 0));
        "create a packed target": |w| make_texture(w, "packed", |c| c.create_texture(TEXELS, TEXELS, TextureFormat::BgraPacked4444, true, 0));
        "create a cube": |w| make_texture(w, "cube", |c| c.create_cube_texture(TEXELS, TextureFormat::Bgra, true, 0));
    });
    let frame = steps! {
        "upload vertices again": |w| fill_vertices(w, "quad", 0);
        "upload indices again": |w| fill_indices(w, 0);
        "upload a texture": |w| upload(w, "two", (None, 0), 4);
        "setRenderToTexture": |w| target(w, "one", 0, (0, 0));
        "clear a target": |w| clear(w.first(), 0.8, 0.1);
        "draw into a target": |w| {
            bind(w, ("flat", "quad", 0), 0.5, [0.1, 0.8, 0.9, 1.0])?;
            draw(w)
        };
        "set a target with samples": |w| target(w, "two", 4, (0, 0));
        "draw over what was uploaded": |w| {
            bind(w, ("flat", "quad", 0), 0.4, [0.4, 0.8, 0.1, 1.0])?;
            draw(w)
        };
        "set a packed target": |w| target(w, "packed", 4, (0, 0));
        "clear packed": |w| clear(w.first(), 0.4, 0.6);
        "set two outputs": |w| {
            target(w, "cube", 4, (2, 0))?;
            target(w, "one", 4, (0, 1))
        };
        "clear two outputs": |w| clear(w.first(), 0.1, 0.6);
        "draw into two outputs": |w| {
            bind(w, ("outputs", "quad", 0), 0.7, [0.3, 0.4, 0.5, 1.0])?;
            draw(w)
        };
        "setRenderToBackBuffer": |w| w.first().set_render_to_back_buffer();
        "clear": |w| clear(w.first(), 0.0, 0.0);
        "draw what was drawn, with levels": |w| show(w, "one", "mipped", 0.9);
        "draw what had samples": |w| show(w, "two", "textured", 0.4);
        "draw what was packed": |w| show(w, "packed", "textured", 0.2);
        "unbind": |w| w.first().set_texture_at(0, None);
        "read the back buffer": |w| w.look("back", 0, ReadSurface::BackBuffer);
        "create for a moment": |w| make_texture(w, "moment", |c| c.create_texture(TEXELS, TEXELS, TextureFormat::Bgra, true, 0));
        "set it as target": |w| target(w, "moment", 4, (0, 0));
        "clear it": |w| clear(w.first(), 1.0, 1.0);
        "dispose it": |w| {
            let texture = w.texture("moment")?;
            w.first().texture_dispose(texture)
        };
        "present": |w| w.first().present();
        "read the picture": |w| w.look("front", 0, ReadSurface::Front);
        "read a target": |w| w.look_at("one", 0, 0);
        "read a level": |w| w.look_at("one", 0, 2);
        "read a target with samples": |w| w.look_at("two", 0, 0);
        "read a face": |w| w.look_at("cube", 2, 0);
    };
    Program { name: "targets", contexts: 1, setup, frame }
}

/// Copies the frame into the image that the other context displays.
fn present_into<B: OnGl>(
    world: &mut World<B>,
    to: fn(FrontFrame) -> FrameDestination,
) -> Result<(), Error> {
    let front =
        world.contexts[1].backend_mut().gl().front().ok_or(Error::Backend(BackendError::Lost))?;
    let place = PresentRect { x: 4, y: 0, width: 20, height: SIDE, bottom_up: true, smooth: false };
    let presented = world.first().backend_mut().gl().present_into(to(front), &place);
    presented.map(drop).map_err(Error::Backend)
}

/// Tests calls of the host: every way to obtain the frame, state changes, and other sizes.
fn host<B: OnGl + 'static>() -> Program<B> {
    let picture = |w: &mut World<B>, delayed: bool| {
        let mut pixels = vec![0; SIDE as usize * SIDE as usize * 4];
        let backend = w.first().backend_mut().gl();
        let read = FrameRead { order: ByteOrder::Bgra, bottom_up: true, delayed, ..FrameRead::ALL };
        let read = backend.read_frame(&read, &mut pixels);
        match read {
            Ok(_) => drop(w.seen.insert(format!("delayed: {delayed}"), pixels)),
            Err(FrameReadError::Backend(error)) => return Err(Error::Backend(error)),
            Err(error) => panic!("{error}"),
        }
        Ok(())
    };
    let frame = steps! {
        "resize": |w| w.first().configure_back_buffer(50, 40, 2, true, false, false);
        "clear": |w| clear(w.first(), 0.7, 0.2);
        "present the other size": |w| w.first().present();
        "resize again": |w| configure(w, 0, 0);
        "the host has changed state": |w| {
            w.first().backend_mut().gl().invalidate_state();
            Ok(())
        };
        "clear again": |w| clear(w.first(), 0.1, 0.9);
        "upload vertices": |w| fill_vertices(w, "quad", 0);
        "upload indices": |w| fill_indices(w, 0);
        "draw": |w| {
            bind(w, ("flat", "quad", 0), 0.6, [0.7, 0.1, 0.0, 1.0])?;
            draw(w)
        };
        "upload the program again": |w| program(w, "flat", 0, FLAT);
        "draw with it": |w| {
            bind(w, ("flat", "quad", 0), 0.3, [0.0, 0.6, 0.0, 1.0])?;
            draw(w)
        };
        "present": |w| w.first().present();
        "GL's defaults": |w| {
            let device = w.first().backend_mut().gl().device().clone();
            device.reset_to_gl_defaults().map_err(Error::Backend)
        };
        "read_frame": |w| picture(w, false);
        "delayed read_frame": |w| picture(w, true);
        "delayed read_frame again": |w| picture(w, true);
        "present_into a framebuffer":
            |w| present_into(w, |front| FrameDestination::Framebuffer(Some(front.framebuffer)));
        "present_into a texture": |w| present_into(w, |front| FrameDestination::Texture(front.texture));
        "read the destination": |w| w.look("front", 1, ReadSurface::Front);
        "another backend": |w| {
            let device = w.first().backend_mut().gl().device().clone();
            device.backend().map(drop).map_err(Error::Backend)
        };
    };
    let mut setup = setup(0);
    setup.extend(steps! {
        "configure a destination": |w| configure(w, 1, 0);
        "clear a destination": |w| clear(&mut w.contexts[1], 1.0, 1.0);
        "present a destination": |w| w.contexts[1].present();
    });
    Program { name: "host", contexts: 2, setup, frame }
}

/// Tests two contexts on one device that alternate after each call.
fn pair<B: Backend + 'static>() -> Program<B> {
    let mut setup = setup(4);
    setup.extend(steps! {
        "configure the other": |w| configure(w, 1, 0);
        "create the other's vertices": |w| make_vertices(w, "other", 1);
        "create the other's indices": |w| make_indices(w, 1);
        "upload the other's indices": |w| fill_indices(w, 1);
        "upload the other's program": |w| program(w, "other", 1, FLAT);
    });
    let frame = steps! {
        "upload indices again": |w| fill_indices(w, 0);
        "upload the other's indices again": |w| fill_indices(w, 1);
        "clear": |w| clear(w.first(), 0.2, 0.5);
        "clear the other": |w| clear(&mut w.contexts[1], 0.8, 0.5);
        "upload vertices": |w| fill_vertices(w, "quad", 0);
        "upload the other's vertices": |w| fill_vertices(w, "other", 1);
        "draw": |w| {
            bind(w, ("flat", "quad", 0), 0.6, [0.7, 0.1, 0.0, 1.0])?;
            draw(w)
        };
        "draw in the other": |w| {
            bind(w, ("other", "other", 1), 0.4, [0.0, 0.6, 0.0, 1.0])?;
            draw_in(w, 1)
        };
        "present": |w| w.first().present();
        "present the other": |w| w.contexts[1].present();
        "read the picture": |w| w.look("front", 0, ReadSurface::Front);
        "read the other's picture": |w| w.look("front", 1, ReadSurface::Front);
    };
    Program { name: "pair", contexts: 2, setup, frame }
}

/// Returns all programs.
pub(super) fn all<B: OnGl + 'static>() -> Vec<Program<B>> {
    vec![draws(), textures(), targets(), host(), pair()]
}
