//! Tests several backends on one GL context in which a host draws, too.
#![allow(unsafe_code, reason = "the host's own GL calls, and its EGL")]

use std::ffi::c_void;
use std::rc::Rc;

use crate::common::scene::{PASS, Scene, TEXTURED, VARYING, VERTEX};
use crate::common::{APIS, open, undebugged};
use crate::dirt::{DIRT, Where, work};
use backend_gl::glow::HasContext as _;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use backend_gl::{GlBackend, GlDevice};
use context3d::backend::ReadSurface;
use context3d::enums::{BlendFactor, TextureFormat, VertexFormat};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Invocation, ObjectHandle};

/// A context that runs [`STEPS`]. Corresponding objects have equal keys in every context.
struct Player {
    scene: Scene,
    number: u8,
    programs: [ObjectHandle<ProgramKey>; 2],
    vertices: [ObjectHandle<VertexBufferKey>; 2],
    indices: ObjectHandle<IndexBufferKey>,
    textures: [ObjectHandle<TextureKey>; 2],
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
        scene.texels(textures[0], None, 0, &[number * 60, 90, 200, 255].repeat(64));
        Self { scene, number, programs, vertices, indices, textures }
    }

    fn draw(&mut self, program: usize, vertices: usize) {
        self.scene.bind(self.programs[program]);
        for (register, (offset, format)) in
            (0..).zip([(0, VertexFormat::Float3), (3, VertexFormat::Float4)])
        {
            self.scene.stream(register, self.vertices[vertices], offset, format);
        }
        self.scene.draw(self.indices);
    }

    /// Runs one step: one or a few related calls, with at most one draw.
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
                scene.call(Invocation::Present {});
            }
        }
    }

    fn picture(&mut self) -> Vec<u8> {
        let picture = self.scene.read(ReadSurface::Front);
        let pixels = (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y)));
        pixels.flat_map(|(x, y)| picture.at(x, y)).collect()
    }
}

const STEPS: usize = 10;
const FRAMES: usize = 2;

/// Runs all players, alternating after each step, and returns their images.
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

/// Creates a device as a host does: with a current context and a function loader.
fn host_device(offscreen: &Offscreen) -> GlDevice {
    let egl = crate::egl::load();
    let find = |name: &str| {
        let address = egl.get_proc_address(name);
        address.map_or(std::ptr::null(), |function| function as *const c_void)
    };
    offscreen.make_current().expect("it can be made current");
    let gl = Rc::clone(offscreen.functions());
    // SAFETY: the context is current, and no other context is made current while the device lives.
    unsafe { GlDevice::new(gl, &find) }.expect("a device")
}

/// Flash has four Stage3Ds, so a device must support four contexts.
#[test]
fn four_contexts_alternate_draw_by_draw() {
    for api in APIS {
        let alone: Vec<_> = (0..4)
            .map(|number| {
                let backend = crate::common::backend(api);
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
        // Dropping a player frees GL names, which later objects reuse.
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
        let mut players: Vec<_> =
            (0..4).map(|number| on(&devices[usize::from(number)], number)).collect();
        assert!(play(&mut players) == alone, "{api}: a device for each");
    }
}

/// A sequence of calls on a player's context.
type Calls<'a> = &'a dyn Fn(&mut Player);

/// If another context makes a call between two equal draws, the second draw must set all state again.
#[test]
fn a_context_between_two_equal_draws_leaves_no_trace() {
    let between: [(&str, Calls<'_>); 3] = [
        ("a clear", &|other| other.scene.clear([1.0, 0.0, 0.0, 1.0])),
        ("a present", &|other| {
            other.scene.call(Invocation::Present {});
        }),
        ("the end of an antialiased target", &|other| {
            other.scene.target(other.textures[1], 4);
            other.scene.clear([0.0, 1.0, 0.0, 1.0]);
            other.scene.back_buffer();
        }),
    ];
    for api in APIS {
        for (what, between) in between {
            let play = |together: bool| {
                let offscreen = undebugged(&OffscreenOptions::new(api));
                let device = offscreen.device().expect("a device");
                let mut players = [1, 2].map(|number| {
                    let backend = device.backend().expect("a backend");
                    let mut player = Player::new(api, backend, number);
                    player.scene.clear([0.0, 0.0, 0.5, 1.0]);
                    player.scene.bind_texture(0, None);
                    player.draw(1, 0);
                    player
                });
                let [drawing, other] = &mut players;
                drawing.scene.blend(BlendFactor::One, BlendFactor::One);
                drawing.scene.scissor(Some([8.0, 8.0, 40.0, 40.0]));
                drawing.scene.draw(drawing.indices);
                if together {
                    between(other);
                }
                drawing.scene.draw(drawing.indices);
                if !together {
                    between(other);
                }
                players.map(|mut player| {
                    let back = player.scene.picture().rgba;
                    // An error is ignored: if the call between the draws was `Present`, a second `Present` is rejected.
                    let _ = player.scene.context.execute(&Invocation::Present {});
                    (back, player.picture())
                })
            };
            assert!(play(true) == play(false), "{api}: {what}");
        }
    }
}

/// An error that the host didn't fetch is not the fault of what is drawn next.
#[test]
fn the_driver_measures_what_draws_take() {
    for api in APIS {
        let offscreen = open(api);
        let device = offscreen.device().expect("a device");
        let mut player = Player::new(api, offscreen.backend().expect("a backend"), 1);
        let begin = std::time::Instant::now();
        let (done, time) = device.timed(|| {
            player.scene.clear([0.0; 4]);
            (0..500).for_each(|_| player.draw(1, 0));
            true
        });
        // The timer is part of OpenGL 3.3, and an extension of OpenGL ES.
        assert!(done && (time.is_some() || api == Api::Gles), "{api}");
        let plausible = |time: std::time::Duration| !time.is_zero() && time <= begin.elapsed();
        assert!(time.is_none_or(plausible), "{api}: {time:?}");
        let mut backend = offscreen.backend().expect("a backend");
        assert_eq!(backend.debug_errors(), 0, "{api}");
        device.abandon();
        assert_eq!(device.timed(|| 7), (7, None), "{api}: the work is done without a context");
    }
}

#[test]
fn errors_of_the_host_are_not_the_frames() {
    for api in APIS {
        let offscreen = open(api);
        let backend = offscreen.backend().expect("a backend");
        let mut player = Player::new(api, backend, 1);
        let gl = offscreen.functions();
        // SAFETY: the context is current.
        let fail = || unsafe { gl.enable(0xFFFF) };
        player.scene.call(Invocation::Present {});
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
            // In the middle of a frame, the device must bind the target again.
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
