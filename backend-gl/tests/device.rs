//! Several backends in one GL context, and a host that draws in it too.
#![allow(unsafe_code, reason = "the host's own GL calls, and its EGL")]

mod common;
#[path = "common/egl.rs"]
mod egl;

use std::ffi::c_void;
use std::rc::Rc;

use backend_gl::offscreen::{Api, Offscreen};
use backend_gl::{GlBackend, GlDevice};
use common::scene::{FULL, PASS, Scene, TEXTURED, VARYING, VERTEX};
use common::{APIS, open};
use context3d::{
    BlendFactor, Command, Handle, IndexBufferKey, ProgramKey, Surface, TextureFormat, TextureKey,
    VertexBufferKey, VertexFormat,
};
use glow::HasContext as _;

/// What a player of [`STEPS`] keeps: the same keys in every context.
struct Player {
    scene: Scene,
    number: u8,
    programs: [Handle<ProgramKey>; 2],
    vertices: [Handle<VertexBufferKey>; 2],
    indices: Handle<IndexBufferKey>,
    textures: [Handle<TextureKey>; 2],
}

impl Player {
    fn new(api: Api, backend: GlBackend, number: u8) -> Self {
        let mut scene = Scene::over(api, backend, (64, 64), i32::from(number % 2) * 4);
        let programs = [TEXTURED, VARYING].map(|fragment| scene.program(PASS, fragment));
        let shade = f32::from(number) / 4.0;
        let vertices = [shade, 1.0 - shade].map(|shade| {
            let corner = |x, y, u, v| [x * shade.max(0.5), y, 0.5, u, v, shade, 1.0];
            let corners = [
                corner(-1.0, 1.0, 0.0, 0.0),
                corner(1.0, 1.0, 1.0, 0.0),
                corner(1.0, -1.0, 1.0, 1.0),
                corner(-1.0, -1.0, 0.0, 1.0),
            ];
            scene.vertices(corners.as_flattened(), VERTEX)
        });
        let order: [u16; 6] = match number % 2 {
            0 => [0, 1, 2, 0, 2, 3],
            _ => [1, 2, 3, 1, 3, 0],
        };
        let indices = scene.indices(&order[..6 - usize::from(number / 2) * 3]);
        let textures = [8, 8].map(|side| scene.texture(side, TextureFormat::Bgra));
        scene.texels(
            textures[0],
            None,
            0,
            &[number * 60, 90, 200, 255].repeat(64),
        );
        Self {
            scene,
            number,
            programs,
            vertices,
            indices,
            textures,
        }
    }

    fn draw(&mut self, program: usize, vertices: usize) {
        self.scene.bind(self.programs[program]);
        for (register, (offset, format)) in
            (0..).zip([(0, VertexFormat::Float3), (3, VertexFormat::Float4)])
        {
            self.scene
                .stream(register, self.vertices[vertices], offset, format);
        }
        self.scene.draw(self.indices);
    }

    /// One call or a few that belong together, and at most one draw.
    fn step(&mut self, step: usize) {
        let shade = f64::from(self.number) / 4.0;
        let scene = &mut self.scene;
        match step {
            0 => scene.clear([shade, 0.0, 0.5, 1.0]),
            1 => scene.target(self.textures[1], 4),
            2 => scene.clear([0.0, shade, 0.0, 0.5]),
            3 => {
                scene.bind_texture(0, None);
                self.draw(1, 0);
            }
            4 => scene.back_buffer(),
            5 => {
                let texture = self.textures[usize::from(self.number / 2)];
                scene.bind_texture(0, Some(texture));
                scene.scissor(Some([f64::from(self.number) * 4.0, 8.0, 40.0, 40.0]));
                self.draw(0, 0);
            }
            6 => {
                scene.bind_texture(0, None);
                scene.scissor(None);
                scene.blend(BlendFactor::One, BlendFactor::One);
                self.draw(1, 1);
            }
            7 => {
                scene.bind_texture(0, Some(self.textures[1]));
                scene.blend(BlendFactor::One, BlendFactor::Zero);
                scene.scissor(Some([0.0, 50.0, 64.0, 8.0]));
                self.draw(0, 1);
            }
            8 => scene.texels(self.textures[0], None, 0, &[self.number * 50; 256]),
            _ => {
                scene.scissor(None);
                scene.call(Command::Present {});
            }
        }
    }

    fn picture(&mut self) -> Vec<u8> {
        let picture = self.scene.read(Surface::Front);
        let pixels = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
        pixels.flat_map(|(x, y)| picture.at(x, y)).collect()
    }
}

const STEPS: usize = 10;
const FRAMES: usize = 2;

/// Plays all, a step of each in turn; their pictures.
fn play(players: &mut [Player]) -> Vec<Vec<u8>> {
    for _ in 0..FRAMES {
        for step in 0..STEPS {
            for player in players.iter_mut() {
                player.step(step);
            }
        }
    }
    players.iter_mut().map(Player::picture).collect()
}

/// A device as a host makes it.
fn host_device(offscreen: &Offscreen) -> GlDevice {
    let egl = egl::load();
    let find = |name: &str| {
        let address = egl.get_proc_address(name);
        address.map_or(std::ptr::null(), |function| function as *const c_void)
    };
    offscreen.make_current().expect("it can be made current");
    let gl = Rc::clone(offscreen.functions());
    // SAFETY: the context is current, and no other is made current while the device lives.
    unsafe { GlDevice::new(gl, &find) }.expect("a device")
}

/// Flash has four Stage3Ds.
#[test]
fn four_contexts_alternate_draw_by_draw() {
    for api in APIS {
        let alone: Vec<_> = (0..4)
            .map(|number| {
                let backend = common::backend(api);
                play(&mut [Player::new(api, backend, number)]).remove(0)
            })
            .collect();
        for (number, picture) in alone.iter().enumerate() {
            assert!(!alone[..number].contains(picture), "pictures differ");
        }
        let offscreen = open(api);
        let device = offscreen.device().expect("a device");
        let on = |device: &GlDevice, number| {
            let backend = device.backend().expect("a backend");
            Player::new(api, backend, number)
        };
        let mut players: Vec<_> = (0..4).map(|number| on(&device, number)).collect();
        assert!(play(&mut players) == alone, "{api}: one device");
        // One goes, and the names of its objects with it.
        players.remove(1);
        players.push(on(&device, 1));
        players.rotate_right(2);
        let pictures = play(&mut players);
        for (player, picture) in players.iter().zip(pictures) {
            let expected = &alone[usize::from(player.number)];
            assert!(picture == *expected, "{api}: {}", player.number);
        }
        drop(players);
        let devices = [(); 4].map(|()| host_device(&offscreen));
        let mut players: Vec<_> = (0..4)
            .map(|number| on(&devices[usize::from(number)], number))
            .collect();
        assert!(play(&mut players) == alone, "{api}: a device for each");
    }
}

/// An error that the host didn't fetch is not the fault of what is drawn next.
#[test]
fn errors_of_the_host_are_not_the_frames() {
    for api in APIS {
        let offscreen = open(api);
        let backend = offscreen.backend().expect("a backend");
        let mut player = Player::new(api, backend, 1);
        let gl = offscreen.functions();
        // SAFETY: the context is current.
        let fail = || unsafe { gl.enable(0xFFFF) };
        player.scene.call(Command::Present {});
        fail();
        let first = play(std::slice::from_mut(&mut player));
        fail();
        assert!(player.picture() == first[0], "{api}: at a read");
        fail();
        player.step(0);
        player.step(6);
        fail();
        player.scene.context.backend().invalidate_state();
        player.step(9);
        assert_eq!(player.scene.context.backend_mut().debug_errors(), 0);
    }
}

/// Where there is a piece of state.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Both,
    Desktop,
}

/// A function that glow lacks, of one number.
fn one(name: &str) -> unsafe extern "system" fn(u32) {
    let function = egl::load().get_proc_address(name).expect("OpenGL has it");
    // SAFETY: those of the names below have this signature.
    unsafe { std::mem::transmute(function) }
}

/// The same of two.
fn two(name: &str) -> unsafe extern "system" fn(u32, u32) {
    let function = egl::load().get_proc_address(name).expect("OpenGL has it");
    // SAFETY: those of the names below have this signature.
    unsafe { std::mem::transmute(function) }
}

/// A piece of state: its name, where it is, and what a host does to it.
type Piece = (&'static str, Where, fn(&glow::Context));

/// State that a host may leave behind, one piece at a time.
const DIRT: &[Piece] = {
    use Where::{Both, Desktop};
    /// Each is one or several GL calls.
    macro_rules! dirt {
        ($($name:literal $place:ident: $gl:ident $body:block)+) => {
            &[$(($name, $place, |$gl: &glow::Context| {
                // SAFETY: the context is current; no pointer goes in or out.
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

/// A frame that every piece of [`DIRT`] would spoil: uploads, targets with and without samples, depth, wireframes, reads.
fn work(scene: &mut Scene, programs: [Handle<ProgramKey>; 2]) -> Vec<u8> {
    use context3d::CompareMode::{Always, Less};
    let desktop = scene.api == Api::OpenGl;
    // First what the last frame ended with: nothing is bound or set for it.
    scene.depth(false, Always);
    scene.bind(programs[1]);
    scene.quad(FULL, 0.5, [0.2, 0.4, 0.6, 1.0]);
    let first = scene.picture();
    let texture = scene.texture(4, TextureFormat::RgbaHalfFloat);
    let halves: Vec<u8> = (0..64u16)
        .flat_map(|n| (0x3000 + n * 40).to_le_bytes())
        .collect();
    scene.texels(texture, None, 0, &halves);
    let targets = [(TextureFormat::BgrPacked565, 0), (TextureFormat::Bgra, 4)];
    let targets = targets.map(|(format, samples)| {
        let target = scene.texture(16, format);
        scene.target(target, samples);
        scene.clear([0.2, 0.3, 0.4, 0.5]);
        scene.bind(programs[1]);
        scene.depth(true, Less);
        // The second one is behind the first, and the third cut by the near plane.
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
        scene.call(Command::SetFillMode {
            fill_mode: context3d::Name::Is(context3d::FillMode::Wireframe),
        });
    }
    scene.depth(true, Less);
    scene.quad([0.1, -0.1, 0.9, -0.87], 0.5, [0.3, 0.6, 0.9, 1.0]);
    scene.quad([0.2, -0.1, 0.9, -0.87], 0.5, [0.9, 0.1, 0.9, 1.0]);
    if desktop {
        scene.call(Command::SetFillMode {
            fill_mode: context3d::Name::Is(context3d::FillMode::Solid),
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
    let read = context3d::Backend::read_texels(backend, texture.key(), 0, &mut texels);
    assert!(read.is_ok_and(|layout| layout.is_some()));
    assert_eq!(texels, halves);
    for texture in [texture, targets[0], targets[1]] {
        scene.call(Command::TextureDispose { texture });
    }
    all
}

#[test]
fn a_host_may_leave_any_state_behind() {
    for api in APIS {
        let offscreen = open(api);
        let backend = offscreen.backend().expect("a backend");
        let mut scene = Scene::over(api, backend, (64, 64), 0);
        let programs = [TEXTURED, VARYING].map(|fragment| scene.program(PASS, fragment));
        let clean = work(&mut scene, programs);
        for (name, place, dirty) in DIRT {
            if *place == Where::Desktop && api == Api::Gles {
                continue;
            }
            // In the middle of a frame, too: the target is bound again.
            for middle in [false, true] {
                if middle {
                    scene.clear([0.0; 4]);
                }
                offscreen.make_current().expect("it can be made current");
                dirty(offscreen.functions());
                scene.context.backend().invalidate_state();
                assert!(work(&mut scene, programs) == clean, "{api}: {name}");
                assert_eq!(scene.context.backend_mut().debug_errors(), 0, "{name}");
            }
        }
    }
}
