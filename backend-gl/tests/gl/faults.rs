//! Tests failures of the driver and state changes of a host. An error fails only the call that caused it, and the state
//! cache never records a failed bind.
#![allow(unsafe_code, reason = "the tests' own GL functions")]

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_void};
use std::rc::Rc;

use crate::common::scene::{BLACK, FLAT, FULL, PASS, RED, Scene};
use crate::common::{APIS, logged, undebugged};
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Interpose, Offscreen, OffscreenOptions};
use backend_gl::present::{FrameDestination, PresentRect};
use context3d::backend::{FrameRead, FrameSource as _, PresentedFrame, ReadSurface};
use context3d::enums::{BufferUsage, EnumArg, TextureFormat};
use context3d::{Error, Invocation};

/// Sets a GL error flag that no call has checked.
fn stray(offscreen: &Offscreen) {
    // SAFETY: the context is current.
    unsafe { offscreen.functions().enable(0xFFFF) };
}

fn scene_on(offscreen: &Offscreen) -> Scene {
    let backend = offscreen.backend().expect("a backend");
    Scene::over(api_of(offscreen), backend, (64, 64), 0)
}

fn api_of(offscreen: &Offscreen) -> Api {
    match offscreen.functions().version().is_embedded {
        true => Api::Gles,
        false => Api::OpenGl,
    }
}

/// An unchecked error of a draw is logged and counted: the frame is shown, and the next frame begins.
#[test]
fn a_stray_error_does_not_fail_the_frame() {
    for api in APIS {
        let offscreen = undebugged(&OffscreenOptions::new(api));
        let mut scene = scene_on(&offscreen);
        for frame in 1..=3 {
            scene.clear([1.0, 0.0, 0.0, 1.0]);
            stray(&offscreen);
            scene.call(Invocation::Present {});
            let shown = scene.read(ReadSurface::Front);
            shown.expect((32, 32), RED, "what was presented");
            scene.errors = frame;
            assert_eq!(scene.context.backend_mut().debug_errors(), frame, "{api}");
        }
    }
}

/// A sequence of calls on a scene's context.
type Calls<'a> = &'a dyn Fn(&mut Scene);

/// A creation or upload after a draw doesn't fail because of the draw's error.
#[test]
fn a_creation_fails_only_for_its_own_errors() {
    for api in APIS {
        let offscreen = undebugged(&OffscreenOptions::new(api));
        let mut scene = scene_on(&offscreen);
        let target = scene.texture(8, TextureFormat::Bgra);
        let creations: [(&str, Calls<'_>); 6] = [
            ("a vertex buffer", &|scene| {
                scene.call(Invocation::CreateVertexBuffer {
                    num_vertices: 3,
                    data32_per_vertex: 3,
                    buffer_usage: EnumArg::Is(BufferUsage::StaticDraw),
                });
            }),
            ("a texture level", &|scene| {
                let texture = scene.texture(2, TextureFormat::Bgra);
                scene.texels(texture, None, 0, &[255; 16]);
            }),
            ("a program", &|scene| {
                scene.program(PASS, FLAT);
            }),
            ("a render target", &|scene| {
                scene.target(target, 0);
                scene.clear([1.0, 0.0, 0.0, 1.0]);
                scene.back_buffer();
            }),
            ("a read-back", &|scene| {
                scene.read_texture(target).expect((4, 4), RED, "the target");
            }),
            ("a back buffer", &|scene| {
                scene.call(Invocation::ConfigureBackBuffer {
                    width: 50,
                    height: 50,
                    anti_alias: 4,
                    enable_depth_and_stencil: true,
                    wants_best_resolution: false,
                    wants_best_resolution_on_browser_zoom: false,
                });
            }),
        ];
        for (what, create) in creations {
            scene.clear([0.0, 0.0, 0.0, 1.0]);
            stray(&offscreen);
            create(&mut scene); // fails the test if it fails
            scene.errors += 1;
            let errors = scene.context.backend_mut().debug_errors();
            assert_eq!(errors, scene.errors, "{api}: {what}");
        }
    }
}

/// The signature of `glGenFramebuffers` and `glDeleteFramebuffers`.
type Names = unsafe extern "system" fn(i32, *mut u32);
/// The signature of `glBindFramebuffer`.
type Bind = unsafe extern "system" fn(u32, u32);
/// The signature of `glCheckFramebufferStatus`.
type Status = unsafe extern "system" fn(u32) -> u32;
/// The signature of `glGetInternalformativ`.
type Query = unsafe extern "system" fn(u32, u32, u32, i32, *mut i32);
/// The signature of `glGetStringi`.
type Texts = unsafe extern "system" fn(u32, u32) -> *const c_char;
/// The signature of `glRenderbufferStorageMultisample`.
type Storage = unsafe extern "system" fn(u32, i32, u32, i32, i32);

thread_local! {
    static GEN: Cell<Option<Names>> = const { Cell::new(None) };
    static DELETE: Cell<Option<Names>> = const { Cell::new(None) };
    static BIND: Cell<Option<Bind>> = const { Cell::new(None) };
    /// Maps the framebuffer names 1, 2, … to the driver's names; 0 for a deleted framebuffer.
    static FRAMEBUFFERS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static STATUS: Cell<Option<Status>> = const { Cell::new(None) };
    static QUERY: Cell<Option<Query>> = const { Cell::new(None) };
    static TEXTS: Cell<Option<Texts>> = const { Cell::new(None) };
    static STORAGE: Cell<Option<Storage>> = const { Cell::new(None) };
    /// Number of framebuffers that will still be reported as incomplete.
    static INCOMPLETE: Cell<u32> = const { Cell::new(0) };
    /// Formats and sample counts of allocated renderbuffers.
    static SAMPLES: RefCell<Vec<(u32, i32)>> = const { RefCell::new(Vec::new()) };
}

/// Returns the driver's function, or one of the replacements below.
fn replace(name: &str, real: *const c_void) -> *const c_void {
    // SAFETY: the functions with these names have these types.
    unsafe {
        match name {
            "glGenFramebuffers" => {
                GEN.set(Some(std::mem::transmute::<*const c_void, Names>(real)));
                generate as *const c_void
            }
            "glDeleteFramebuffers" => {
                DELETE.set(Some(std::mem::transmute::<*const c_void, Names>(real)));
                delete as *const c_void
            }
            "glBindFramebuffer" => {
                BIND.set(Some(std::mem::transmute::<*const c_void, Bind>(real)));
                bind as *const c_void
            }
            "glCheckFramebufferStatus" => {
                STATUS.set(Some(std::mem::transmute::<*const c_void, Status>(real)));
                status as *const c_void
            }
            "glGetInternalformativ" => {
                QUERY.set(Some(std::mem::transmute::<*const c_void, Query>(real)));
                query as *const c_void
            }
            "glGetStringi" => {
                TEXTS.set(Some(std::mem::transmute::<*const c_void, Texts>(real)));
                texts as *const c_void
            }
            "glRenderbufferStorageMultisample" => {
                STORAGE.set(Some(std::mem::transmute::<*const c_void, Storage>(real)));
                storage as *const c_void
            }
            _ => real,
        }
    }
}

/// Returns the lowest free name, as some drivers do; Mesa returns increasing names.
extern "system" fn generate(count: i32, names: *mut u32) {
    assert_eq!(count, 1, "glow makes one at a time");
    FRAMEBUFFERS.with_borrow_mut(|all| {
        let free = all.iter().position(|real| *real == 0);
        let index = free.unwrap_or(all.len());
        all.resize(all.len().max(index + 1), 0);
        // SAFETY: one name is written; the caller's pointer is valid for one name.
        unsafe {
            GEN.get().expect("it was loaded")(1, &mut all[index]);
            *names = u32::try_from(index + 1).expect("few");
        }
    });
}

extern "system" fn delete(count: i32, names: *mut u32) {
    assert_eq!(count, 1, "glow deletes one at a time");
    // SAFETY: the caller's pointer and the local pointer each refer to one name.
    unsafe {
        let mut real = real_framebuffer(*names);
        DELETE.get().expect("it was loaded")(1, &mut real);
        let index = usize::try_from(*names - 1).expect("small");
        FRAMEBUFFERS.with_borrow_mut(|all| all[index] = 0);
    }
}

extern "system" fn bind(target: u32, name: u32) {
    // SAFETY: the name comes from the driver.
    unsafe { BIND.get().expect("it was loaded")(target, real_framebuffer(name)) };
}

fn real_framebuffer(name: u32) -> u32 {
    let index = usize::try_from(name).expect("small").checked_sub(1);
    index.map_or(0, |index| FRAMEBUFFERS.with_borrow(|all| all[index]))
}

extern "system" fn status(target: u32) -> u32 {
    let failures = INCOMPLETE.get();
    if failures > 0 {
        INCOMPLETE.set(failures - 1);
        return glow::FRAMEBUFFER_UNSUPPORTED;
    }
    // SAFETY: the arguments of the caller are passed to the driver's function.
    unsafe { STATUS.get().expect("it was loaded")(target) }
}

/// Simulates a driver whose maximum for half floats is two samples.
extern "system" fn query(target: u32, format: u32, name: u32, size: i32, out: *mut i32) {
    // SAFETY: the driver's function receives the caller's arguments, and the caller requests at least one value.
    unsafe {
        QUERY.get().expect("it was loaded")(target, format, name, size, out);
        if format == glow::RGBA16F && name == glow::SAMPLES {
            *out = 2;
        }
    }
}

/// Simulates a driver without the extension that disables conversion to sRGB.
extern "system" fn texts(name: u32, index: u32) -> *const c_char {
    // SAFETY: the driver's function receives the caller's arguments, and its strings end with a zero byte.
    unsafe {
        let text = TEXTS.get().expect("it was loaded")(name, index);
        let hidden = !text.is_null() && CStr::from_ptr(text) == c"GL_EXT_sRGB_write_control";
        if hidden { c"GL_EXT_hidden".as_ptr() } else { text }
    }
}

extern "system" fn storage(target: u32, samples: i32, format: u32, width: i32, height: i32) {
    SAMPLES.with_borrow_mut(|all| all.push((format, samples)));
    // SAFETY: the driver's function receives the caller's arguments.
    unsafe { STORAGE.get().expect("it was loaded")(target, samples, format, width, height) };
}

/// Opens a context with the functions that [`replace`] returns.
fn replaced(api: Api) -> Offscreen {
    let mut options = OffscreenOptions::new(api);
    // SAFETY: `replace` returns functions with the same signatures.
    options.interpose = Some(unsafe { Interpose::new(replace) });
    undebugged(&options)
}

/// The driver reuses the name of a deleted framebuffer, whose creation failed: the new one must be bound anyway.
#[test]
fn a_framebuffer_that_failed_is_not_taken_for_bound() {
    for api in APIS {
        let offscreen = replaced(api);
        let mut scene = scene_on(&offscreen);
        for anti_alias in [0, 4] {
            let textures = [8, 8].map(|side| scene.texture(side, TextureFormat::Bgra));
            scene.target(textures[0], anti_alias);
            INCOMPLETE.set(1);
            let failed = scene.context.execute(&Invocation::Clear {
                red: 0.0,
                green: 1.0,
                blue: 0.0,
                alpha: 1.0,
                depth: 1.0,
                stencil: 0,
                mask: u32::MAX,
            });
            assert!(matches!(failed, Err(Error::Backend(_))), "{failed:?}");
            assert_eq!(INCOMPLETE.get(), 0, "it was asked");
            scene.target(textures[1], anti_alias);
            scene.clear([1.0, 0.0, 0.0, 1.0]);
            let picture = scene.read_texture(textures[1]);
            picture.expect((4, 4), RED, "the next target");
            scene.back_buffer();
        }
        INCOMPLETE.set(1);
        let configure = Invocation::ConfigureBackBuffer {
            width: 64,
            height: 64,
            anti_alias: 0,
            enable_depth_and_stencil: true,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        };
        let failed = scene.context.execute(&configure);
        assert!(failed.is_err(), "{failed:?}");
        scene.call(configure);
        scene.clear([1.0, 0.0, 0.0, 1.0]);
        scene.picture().expect((32, 32), RED, "the next back buffer");
    }
}

/// Each target uses the maximum sample count that the driver supports for the target's format.
#[test]
fn formats_have_their_own_numbers_of_samples() {
    for api in APIS {
        let offscreen = replaced(api);
        let mut scene = scene_on(&offscreen);
        SAMPLES.take();
        for (format, internal, samples) in [
            (TextureFormat::RgbaHalfFloat, glow::RGBA16F, 2),
            (TextureFormat::Bgra, glow::RGBA8, 4),
        ] {
            let texture = scene.texture(8, format);
            scene.target(texture, 4);
            scene.clear([1.0, 0.0, 0.0, 1.0]);
            scene.read_texture(texture).expect((4, 4), RED, "the target");
            let all = SAMPLES.take();
            let expected = [(internal, samples), (glow::DEPTH24_STENCIL8, samples)];
            assert!(expected.iter().all(|it| all.contains(it)), "{api}: {all:?}");
        }
    }
}

/// A readback writes its own memory in order, regardless of the host's pixel-store state.
#[test]
fn pack_state_of_a_host_does_not_move_what_is_read() {
    for api in APIS {
        let offscreen = undebugged(&OffscreenOptions::new(api));
        let mut scene = scene_on(&offscreen);
        scene.clear([1.0, 0.0, 0.0, 1.0]);
        scene.program(PASS, FLAT);
        scene.color([0.0, 0.0, 0.0, 1.0]);
        scene.quad([-1.0, 0.0, 1.0, -1.0], 0.5, [0.0; 4]);
        scene.call(Invocation::Present {});
        let gl = offscreen.functions();
        // SAFETY: the context is current. With the pack state below, GL writes less than twice the image's size.
        unsafe {
            gl.pixel_store_i32(glow::PACK_ROW_LENGTH, 66);
            gl.pixel_store_i32(glow::PACK_SKIP_PIXELS, 1);
            gl.pixel_store_i32(glow::PACK_SKIP_ROWS, 1);
        }
        let padded = FrameRead { stride: 256, ..FrameRead::ALL };
        let mut rgba = vec![7; 256 * 64];
        let backend = scene.context.backend_mut();
        let read = backend.read_frame(&padded, &mut rgba);
        assert_eq!(read, Ok(Some(PresentedFrame { presents: 1, width: 64, height: 64 })));
        let (upper, lower) = rgba.split_at(256 * 32);
        assert!(upper.chunks(4).all(|pixel| pixel == RED), "{api}");
        assert!(lower.chunks(4).all(|pixel| pixel == BLACK), "{api}");
    }
}

/// A host's sRGB texture or window receives the frame's bytes unchanged, also where OpenGL ES can't disable the
/// conversion.
#[test]
fn the_picture_is_not_converted_to_srgb() {
    for api in APIS {
        let mut forced = OffscreenOptions::new(api);
        forced.device.workarounds = "decode-srgb-in-shader=on".parse().expect("a row");
        for offscreen in
            [undebugged(&OffscreenOptions::new(api)), undebugged(&forced), replaced(api)]
        {
            let mut scene = scene_on(&offscreen);
            // The colours are on both segments of the sRGB curve; alpha isn't converted.
            scene.clear([0.5, 0.25, 0.02, 0.75]);
            scene.call(Invocation::Present {});
            let shown = scene.read(ReadSurface::Front).at(0, 0);
            let gl = offscreen.functions();
            let backend = scene.context.backend_mut();
            let names = offscreen.device().expect("a device").workarounds();
            let case = format!("{api}, {names:?}");
            let (texture, framebuffers) = srgb_framebuffers(gl);
            for (destination, framebuffer) in [
                (FrameDestination::Texture(texture.0), framebuffers[0]),
                (FrameDestination::Framebuffer(Some(framebuffers[1].0)), framebuffers[1]),
            ] {
                // SAFETY: the context is current.
                unsafe { gl.enable(glow::FRAMEBUFFER_SRGB) };
                backend.invalidate_state();
                let place = PresentRect {
                    x: 0,
                    y: 0,
                    width: 64,
                    height: 64,
                    bottom_up: false,
                    smooth: false,
                };
                assert_eq!(backend.present_into(destination, &place), Ok(true), "{case}");
                let mut pixel = [0; 4];
                let out = glow::PixelPackData::Slice(Some(&mut pixel));
                // SAFETY: the context is current; one pixel is read.
                unsafe {
                    gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(framebuffer));
                    gl.read_pixels(8, 8, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, out);
                }
                let near = pixel.iter().zip(shown).all(|(one, two)| one.abs_diff(two) <= 1);
                assert!(near, "{case}, {destination:?}: {pixel:?} for {shown:?}");
            }
            backend.invalidate_state();
        }
    }
}

/// Creates a 64×64 sRGB texture, and two framebuffers: with this texture, and with an sRGB renderbuffer of its size.
fn srgb_framebuffers(gl: &glow::Context) -> (glow::Texture, [glow::Framebuffer; 2]) {
    let (target, point) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
    // SAFETY: the context is current.
    unsafe {
        let texture = gl.create_texture().expect("a texture");
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::SRGB8_ALPHA8, 64, 64);
        let buffer = gl.create_renderbuffer().expect("a render buffer");
        gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
        gl.renderbuffer_storage(glow::RENDERBUFFER, glow::SRGB8_ALPHA8, 64, 64);
        let framebuffers = [0; 2].map(|_| gl.create_framebuffer().expect("a framebuffer"));
        gl.bind_framebuffer(target, Some(framebuffers[0]));
        gl.framebuffer_texture_2d(target, point, glow::TEXTURE_2D, Some(texture), 0);
        gl.bind_framebuffer(target, Some(framebuffers[1]));
        gl.framebuffer_renderbuffer(target, point, glow::RENDERBUFFER, Some(buffer));
        (texture, framebuffers)
    }
}

/// If a logger drops a backend during another backend's call, only the dropped backend's objects are deleted.
#[test]
fn a_backend_may_be_dropped_in_a_log_callback() {
    logged::start();
    for api in APIS {
        let offscreen = undebugged(&OffscreenOptions::new(api));
        let mut scene = scene_on(&offscreen);
        let other = Rc::new(RefCell::new(Some(scene_on(&offscreen))));
        let front = |scene: &mut Scene| {
            scene.clear([1.0, 0.0, 0.0, 1.0]);
            scene.call(Invocation::Present {});
            let front = scene.context.backend().front();
            glow::NativeTexture(front.expect("a picture").texture)
        };
        let names = [front(&mut scene), {
            let mut other = other.borrow_mut();
            front(other.as_mut().expect("not dropped yet"))
        }];
        let gl = Rc::clone(offscreen.functions());
        // SAFETY: the context is current.
        let live = || names.map(|name| unsafe { gl.is_texture(name) });
        assert_eq!(live(), [true; 2]);

        scene.clear([0.0, 0.0, 0.0, 1.0]);
        stray(&offscreen);
        let doomed = Rc::clone(&other);
        if let Some(other) = doomed.borrow_mut().as_mut() {
            other.errors = 1; // the device's
        }
        logged::at_the_next(move || drop(doomed.take()));
        scene.texture(2, TextureFormat::Bgra);
        let texture = scene.texture(2, TextureFormat::Bgra);
        scene.texels(texture, None, 0, &[255; 16]);
        assert!(other.borrow().is_none(), "{api}: the logger was called");
        scene.call(Invocation::Present {});
        scene.errors = 1;
        assert_eq!(live(), [true, false], "{api}: after the next call");

        scene.program(PASS, FLAT);
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        scene.quad(FULL, 0.5, [0.0; 4]);
        scene.picture().expect((32, 32), RED, "the one that stays");
        drop(scene);
        assert_eq!(live(), [false; 2], "{api}: after the last one");
    }
}
