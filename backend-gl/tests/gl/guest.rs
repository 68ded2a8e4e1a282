//! Tests a device on the host's context: reset to GL defaults, hooks that make the context current, and lost contexts.
#![allow(unsafe_code, reason = "the host's own GL calls, and its EGL")]

use std::cell::Cell;
use std::ffi::c_void;
use std::rc::Rc;

use crate::common::scene::{FLAT, FULL, PASS, RED, Scene, TEXTURED, VARYING};
use crate::common::{APIS, open};
use crate::dirt::{DIRT, Where, work};
use crate::egl::Stranger;
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Interpose, Offscreen, OffscreenOptions};
use backend_gl::{DeviceOptions, GlDevice, MakeCurrent};
use context3d::Invocation;
use context3d::backend::{Backend as _, BackendError, ReadSurface};
use context3d::packets::Packet;

/// Integer parameters, each with its number of values. After the reset, the values must equal those of a new context.
const NUMBERS: &[(u32, usize)] = &[
    (glow::VIEWPORT, 4),
    (glow::SCISSOR_BOX, 4),
    (glow::CURRENT_PROGRAM, 1),
    (glow::VERTEX_ARRAY_BINDING, 1),
    (glow::DRAW_FRAMEBUFFER_BINDING, 1),
    (glow::READ_FRAMEBUFFER_BINDING, 1),
    (glow::RENDERBUFFER_BINDING, 1),
    (glow::ARRAY_BUFFER_BINDING, 1),
    (glow::COPY_READ_BUFFER, 1),
    (glow::COPY_WRITE_BUFFER, 1),
    (glow::PIXEL_PACK_BUFFER_BINDING, 1),
    (glow::PIXEL_UNPACK_BUFFER_BINDING, 1),
    (glow::UNIFORM_BUFFER_BINDING, 1),
    (glow::TRANSFORM_FEEDBACK_BUFFER_BINDING, 1),
    (glow::UNPACK_ALIGNMENT, 1),
    (glow::UNPACK_ROW_LENGTH, 1),
    (glow::UNPACK_SKIP_ROWS, 1),
    (glow::UNPACK_SKIP_PIXELS, 1),
    (glow::UNPACK_IMAGE_HEIGHT, 1),
    (glow::PACK_ALIGNMENT, 1),
    (glow::PACK_ROW_LENGTH, 1),
    (glow::PACK_SKIP_ROWS, 1),
    (glow::PACK_SKIP_PIXELS, 1),
    (glow::ACTIVE_TEXTURE, 1),
    (glow::BLEND_SRC_RGB, 1),
    (glow::BLEND_SRC_ALPHA, 1),
    (glow::BLEND_DST_RGB, 1),
    (glow::BLEND_DST_ALPHA, 1),
    (glow::BLEND_EQUATION_RGB, 1),
    (glow::BLEND_EQUATION_ALPHA, 1),
    (glow::BLEND_COLOR, 4),
    (glow::COLOR_WRITEMASK, 4),
    (glow::COLOR_CLEAR_VALUE, 4),
    (glow::DEPTH_FUNC, 1),
    (glow::DEPTH_WRITEMASK, 1),
    (glow::DEPTH_RANGE, 2),
    (glow::DEPTH_CLEAR_VALUE, 1),
    (glow::STENCIL_FUNC, 1),
    (glow::STENCIL_REF, 1),
    (glow::STENCIL_VALUE_MASK, 1),
    (glow::STENCIL_WRITEMASK, 1),
    (glow::STENCIL_FAIL, 1),
    (glow::STENCIL_PASS_DEPTH_FAIL, 1),
    (glow::STENCIL_PASS_DEPTH_PASS, 1),
    (glow::STENCIL_BACK_FUNC, 1),
    (glow::STENCIL_BACK_REF, 1),
    (glow::STENCIL_BACK_VALUE_MASK, 1),
    (glow::STENCIL_BACK_WRITEMASK, 1),
    (glow::STENCIL_BACK_FAIL, 1),
    (glow::STENCIL_BACK_PASS_DEPTH_FAIL, 1),
    (glow::STENCIL_BACK_PASS_DEPTH_PASS, 1),
    (glow::CULL_FACE_MODE, 1),
    (glow::FRONT_FACE, 1),
    (glow::LINE_WIDTH, 1),
];

/// Integer parameters of OpenGL alone, with numbers of values. Hexadecimal names are parameters of `glClipControl`.
const DESKTOP_NUMBERS: &[(u32, usize)] = &[
    (glow::POLYGON_MODE, 2),
    (glow::UNPACK_SWAP_BYTES, 1),
    (glow::PACK_SWAP_BYTES, 1),
    (glow::CLAMP_READ_COLOR, 1),
    (glow::PROVOKING_VERTEX, 1),
    (0x935C, 1),
    (0x935D, 1),
];

const SWITCHES: &[u32] = &[
    glow::BLEND,
    glow::CULL_FACE,
    glow::DEPTH_TEST,
    glow::DITHER,
    glow::POLYGON_OFFSET_FILL,
    glow::PRIMITIVE_RESTART_FIXED_INDEX,
    glow::RASTERIZER_DISCARD,
    glow::SAMPLE_ALPHA_TO_COVERAGE,
    glow::SAMPLE_COVERAGE,
    glow::SAMPLE_MASK,
    glow::SAMPLE_SHADING,
    glow::SCISSOR_TEST,
    glow::STENCIL_TEST,
    glow::DEBUG_OUTPUT,
    glow::DEBUG_OUTPUT_SYNCHRONOUS,
];

const DESKTOP_SWITCHES: &[u32] = &[
    glow::COLOR_LOGIC_OP,
    glow::DEPTH_CLAMP,
    glow::FRAMEBUFFER_SRGB,
    glow::LINE_SMOOTH,
    glow::MULTISAMPLE,
    glow::POLYGON_OFFSET_LINE,
    glow::POLYGON_OFFSET_POINT,
    glow::POLYGON_SMOOTH,
    glow::PRIMITIVE_RESTART,
    glow::PROGRAM_POINT_SIZE,
    glow::SAMPLE_ALPHA_TO_ONE,
    glow::TEXTURE_CUBE_MAP_SEAMLESS,
    glow::CLIP_DISTANCE0,
    glow::CLIP_DISTANCE7,
];

const STENCIL_MASKS: [u32; 4] = [
    glow::STENCIL_VALUE_MASK,
    glow::STENCIL_WRITEMASK,
    glow::STENCIL_BACK_VALUE_MASK,
    glow::STENCIL_BACK_WRITEMASK,
];

/// Number of texture units whose bindings are checked.
const UNITS: u32 = 32;

/// Queries all parameters of the tables above.
fn snapshot(api: Api, gl: &glow::Context) -> Vec<(u32, Vec<i32>)> {
    let desktop = api == Api::OpenGl;
    let mut all = Vec::new();
    // SAFETY: the context is current, and the table has the number of values of each parameter.
    unsafe {
        let of = |name: u32, count: usize| {
            let mut values = vec![0; count];
            gl.get_parameter_i32_slice(name, &mut values);
            // The mask is initially all ones, but drivers differ in the bits that the stencil buffer lacks.
            if STENCIL_MASKS.contains(&name) {
                values[0] &= 0xFF;
            }
            (name, values)
        };
        let numbers = NUMBERS.iter();
        let more = DESKTOP_NUMBERS.iter().filter(|_| desktop);
        all.extend(numbers.chain(more).map(|(name, count)| of(*name, *count)));
        let switches = SWITCHES.iter();
        let switches = switches.chain(DESKTOP_SWITCHES.iter().filter(|_| desktop));
        all.extend(switches.map(|name| (*name, vec![i32::from(gl.is_enabled(*name))])));
        for unit in 0..UNITS {
            gl.active_texture(glow::TEXTURE0 + unit);
            let bindings =
                [glow::TEXTURE_BINDING_2D, glow::TEXTURE_BINDING_CUBE_MAP, glow::SAMPLER_BINDING];
            all.extend(bindings.map(|name| of(name, 1)));
        }
        gl.active_texture(glow::TEXTURE0);
        assert_eq!(gl.get_error(), glow::NO_ERROR, "{api}: a name is unknown");
    }
    all
}

fn scene_on(api: Api, offscreen: &Offscreen) -> Scene {
    Scene::over(api, offscreen.backend().expect("a backend"), (64, 64), 0)
}

/// After the reset, all state has GL's initial values, regardless of earlier changes.
#[test]
fn everything_is_as_gl_begins() {
    for api in APIS {
        let offscreen = open(api);
        let gl = offscreen.functions();
        // Viewport and scissor differ from the surface's size, so that the initial values don't match by chance.
        // SAFETY: the context is current.
        unsafe {
            gl.viewport(1, 2, 30, 40);
            gl.scissor(5, 6, 70, 80);
        }
        let fresh = snapshot(api, gl);
        let mut scene = scene_on(api, &offscreen);
        let device = scene.context.backend().device().clone();
        let programs = [TEXTURED, VARYING].map(|fragment| scene.program(PASS, fragment));
        let clean = work(&mut scene, programs);
        let touched = snapshot(api, gl);
        let changed = fresh.iter().zip(&touched).filter(|(a, b)| a != b).count();
        assert!(changed > 8, "{api}: {changed} of {}", fresh.len());
        let reset = || {
            device.reset_to_gl_defaults().expect("the context is there");
            let left = snapshot(api, gl);
            for (began, is) in fresh.iter().zip(&left) {
                assert_eq!(began, is, "{api}: {:#06x}", is.0);
            }
        };
        reset();
        assert!(work(&mut scene, programs) == clean, "{api}: and goes on");
        for (name, place, dirty) in DIRT {
            if *place == Where::Desktop && api == Api::Gles {
                continue;
            }
            dirty(gl);
            println!("{api}: {name}");
            reset();
        }
        assert!(work(&mut scene, programs) == clean, "{api}");
    }
}

/// Returns a loader of GL functions for the current context.
pub(crate) fn loader() -> impl Fn(&str) -> *const c_void {
    let egl = crate::egl::load();
    move |name: &str| {
        let address = egl.get_proc_address(name);
        address.map_or(std::ptr::null(), |function| function as *const c_void)
    }
}

/// An abandoned device doesn't delete objects of another context that have the same names.
#[test]
fn an_abandoned_device_calls_nothing() {
    for api in APIS {
        let dying = open(api);
        // SAFETY: the context is current, until the device is abandoned.
        let device = unsafe { GlDevice::from_loader(&loader(), &DeviceOptions::default(), None) };
        let device = device.expect("a device");
        let backend = device.backend().expect("a backend");
        let mut scene = Scene::over(api, backend, (64, 64), 4);
        let programs = [TEXTURED, VARYING].map(|fragment| scene.program(PASS, fragment));
        work(&mut scene, programs);
        drop(dying);
        device.abandon();
        let other = open(api);
        let gl = other.functions();
        // SAFETY: the other context is current; its objects are created and queried in it.
        unsafe {
            let textures: Vec<_> = (0..64).map(|_| gl.create_texture()).collect();
            let buffers: Vec<_> = (0..64).map(|_| gl.create_buffer()).collect();
            for texture in textures.iter().flatten() {
                gl.bind_texture(glow::TEXTURE_2D, Some(*texture));
            }
            for buffer in buffers.iter().flatten() {
                gl.bind_buffer(glow::ARRAY_BUFFER, Some(*buffer));
            }
            let backend = scene.context.backend_mut();
            assert_eq!(backend.execute(Packet::Present), Err(BackendError::Lost));
            let reset = device.reset_to_gl_defaults();
            assert_eq!(reset, Err(BackendError::Lost));
            drop((scene, device));
            assert!(textures.into_iter().flatten().all(|name| gl.is_texture(name)));
            assert!(buffers.into_iter().flatten().all(|name| gl.is_buffer(name)));
            assert_eq!(gl.get_error(), glow::NO_ERROR);
        }
    }
}

/// A [`MakeCurrent`] hook that counts its calls.
struct Counting {
    offscreen: Offscreen,
    asked: Cell<u32>,
    inside: Cell<bool>,
    gone: Rc<Cell<bool>>,
}

impl MakeCurrent for Counting {
    fn make_current(&self) -> Result<(), BackendError> {
        self.asked.set(self.asked.get() + 1);
        self.inside.set(true);
        match self.gone.get() {
            true => Err(BackendError::Lost),
            false => self.offscreen.make_current().map_err(|_| BackendError::Lost),
        }
    }

    fn release(&self) {
        self.inside.set(false);
    }
}

#[test]
fn a_hosts_hook_makes_its_context_current() {
    for api in APIS {
        let offscreen = open(api);
        let stranger = Stranger::beside(&offscreen);
        let gone = Rc::new(Cell::new(false));
        let hook = Rc::new(Counting {
            offscreen,
            asked: Cell::new(0),
            inside: Cell::new(false),
            gone: Rc::clone(&gone),
        });
        let current: Rc<dyn MakeCurrent> = hook.clone();
        stranger.intrude();
        let options = DeviceOptions::default();
        // SAFETY: the hook makes the context current.
        let device = unsafe { GlDevice::from_loader(&loader(), &options, Some(current)) };
        let backend = device.expect("a device").backend().expect("a backend");
        let mut scene = Scene::over(api, backend, (64, 64), 0);
        scene.program(PASS, FLAT);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        let before = hook.asked.get();
        stranger.intrude();
        // The hook doesn't know the last context, so the device calls it for draws too.
        scene.quad(FULL, 0.5, [0.0; 4]);
        stranger.intrude();
        scene.call(Invocation::Present {});
        stranger.intrude();
        scene.read(ReadSurface::Front).expect((8, 8), RED, "the front");
        assert!(hook.asked.get() > before + 3 && !hook.inside.get());
        stranger.intrude();
        assert_eq!(scene.context.backend_mut().debug_errors(), 0);
        gone.set(true);
        let lost = scene.context.backend_mut().execute(Packet::Present);
        assert_eq!(lost, Err(BackendError::Lost));
        assert!(!hook.inside.get());
        // The deletion of the dropped objects doesn't affect the other context.
        stranger.intrude();
        drop(scene);
        assert!(stranger.is_current());
    }
}

/// Simulates a driver that can't create shaders.
fn no_shaders() -> Interpose {
    // SAFETY: the function returns null or the driver's function.
    unsafe {
        Interpose::new(|name, address| match name {
            "glCreateShader" => std::ptr::null(),
            _ => address,
        })
    }
}

#[test]
fn the_thread_gets_back_what_it_had() {
    let stranger = Stranger::beside(&open(APIS[0]));
    for api in APIS {
        let mut options = OffscreenOptions::new(api);
        (options.debug, options.restore) = (true, true);
        stranger.intrude();
        stranger.bind_api(Api::Gles);
        let offscreen = Offscreen::open_with(&options).expect("an EGL");
        assert!(stranger.is_current(), "{api}: a new context");
        assert_eq!(stranger.bound_api(), Api::Gles, "{api}");
        drop(offscreen);
        assert!(stranger.is_current(), "{api}: a context is dropped");
        options.interpose = Some(no_shaders());
        let failed = Offscreen::open_with(&options).map(|_| ());
        assert!(failed.is_err());
        assert!(stranger.is_current(), "{api}: no function, no context");
        options.interpose = None;
        let offscreen = Offscreen::open_with(&options).expect("an EGL");
        let mut scene = scene_on(api, &offscreen);
        assert!(stranger.is_current(), "{api}: a new device");
        scene.program(PASS, FLAT);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        scene.quad(FULL, 0.5, [0.0; 4]);
        assert!(stranger.is_current(), "{api}: a draw");
        scene.picture().expect((8, 8), RED, "the back buffer");
        assert!(stranger.is_current(), "{api}: a read");
        stranger.release();
        scene.call(Invocation::Present {});
        scene.read(ReadSurface::Front).expect((8, 8), RED, "the front");
        assert!(!stranger.is_current(), "{api}: no context");
        stranger.intrude();
        drop((scene, offscreen));
        assert!(stranger.is_current(), "{api}: all is dropped");
    }
}
