//! A device in the host's GL context, and every way to get the picture.
#![cfg(feature = "offscreen")]
#![allow(unsafe_code, reason = "the functions are C's")]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

use backend_gl::offscreen::{Api, Offscreen};
use khronos_egl::{DynamicInstance, EGL1_4};
use molehill_c::*;

use backend_gl::glow::{self, HasContext as _};

type Egl = DynamicInstance<EGL1_4>;

unsafe extern "C" fn load(egl: *mut c_void, name: *const c_char) -> *const c_void {
    // SAFETY: the pointer is that of the library below, and names end with 0.
    let (egl, name) = unsafe { (&*egl.cast::<Egl>(), CStr::from_ptr(name)) };
    let function = egl.get_proc_address(name.to_str().unwrap());
    function.map_or(null(), |function| function as *const c_void)
}

/// The data of the host's callbacks.
struct Host {
    offscreen: Offscreen,
    asked: Cell<u32>,
}

unsafe extern "C" fn make_current(host: *mut c_void) -> MolehillBool {
    // SAFETY: the pointer is that of the host below.
    let host = unsafe { &*host.cast::<Host>() };
    host.asked.set(host.asked.get() + 1);
    host.offscreen.make_current().is_ok().into()
}

const WIDTH: usize = 64;

fn shown(
    context: MolehillContext,
    region: *const MolehillRegion,
    delayed: bool,
) -> (MolehillStatus, Vec<u8>) {
    let mut bgra = vec![0; WIDTH * 32 * 4];
    let pixels = MolehillPixels {
        pixels: bgra.as_mut_ptr(),
        length: bgra.len(),
        stride: WIDTH * 4,
        bgra: 1,
        bottom_up: 1,
    };
    let read = match delayed {
        true => molehill_context_read_front_delayed,
        false => molehill_context_read_front,
    };
    // SAFETY: the pointers are valid or null.
    let status = unsafe { read(context, region, &raw const pixels, std::ptr::null_mut()) };
    (status, bgra)
}

fn frame(context: MolehillContext, red: f64) {
    // SAFETY: there are no pointers.
    unsafe {
        assert_eq!(
            molehill_context_clear(context, red, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX),
            MolehillStatus::Ok
        );
        assert_eq!(molehill_context_present(context), MolehillStatus::Ok);
    }
}

fn first_pixel(gl: &glow::Context, framebuffer: Option<glow::Framebuffer>) -> [u8; 4] {
    let mut pixel = [0; 4];
    // SAFETY: the context is current, and the memory holds a pixel.
    unsafe {
        gl.bind_framebuffer(glow::READ_FRAMEBUFFER, framebuffer);
        let out = glow::PixelPackData::Slice(Some(&mut pixel));
        gl.read_pixels(0, 0, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, out);
    }
    pixel
}

/// A texture of the host with its own framebuffer.
fn target(gl: &glow::Context) -> (glow::Texture, glow::Framebuffer) {
    // SAFETY: the context is current.
    unsafe {
        let (texture, framebuffer) = (
            gl.create_texture().unwrap(),
            gl.create_framebuffer().unwrap(),
        );
        gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA8, 64, 32);
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let (attachment, face) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
        gl.framebuffer_texture_2d(glow::FRAMEBUFFER, attachment, face, Some(texture), 0);
        (texture, framebuffer)
    }
}

#[test]
fn a_host_with_a_context_of_its_own() {
    let host = Host {
        offscreen: Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one"),
        asked: Cell::new(0),
    };
    let gl = host.offscreen.functions();
    // SAFETY: libEGL is already loaded by `Offscreen`.
    let egl = unsafe { Egl::load_required() }.unwrap();
    let current = MolehillMakeCurrent {
        make_current: Some(make_current),
        is_current: None,
        release: None,
        user_data: (&raw const host).cast_mut().cast(),
    };
    let options = MolehillContextOptions {
        profile: c"standard".as_ptr(),
        swf_version: 30,
    };
    let (mut device, mut context) = (0, 0);
    // SAFETY: all pointers are valid or null, and the loader is that of this context.
    unsafe {
        let data = (&raw const egl).cast_mut().cast();
        let made = molehill_device_from_loader(
            Some(load),
            data,
            &raw const current,
            null(),
            &raw mut device,
        );
        assert_eq!(made, MolehillStatus::Ok);
        assert_eq!(
            molehill_context_create(device, &raw const options, &raw mut context),
            MolehillStatus::Ok
        );
        assert_eq!(
            molehill_context_configure_back_buffer(context, 64, 32, 0, 1, 0, 0),
            MolehillStatus::Ok
        );
    }
    assert_eq!(shown(context, null(), false).0, MolehillStatus::Nothing);
    frame(context, 1.0);
    assert!(host.asked.get() > 0);

    let red = |status: MolehillStatus, bgra: &[u8]| {
        assert_eq!(
            (status, &bgra[..4]),
            (MolehillStatus::Ok, &[0, 0, 255, 255][..])
        );
    };
    let (status, bgra) = shown(context, null(), false);
    red(status, &bgra);
    let region = MolehillRegion {
        x: 60,
        y: 30,
        width: 9,
        height: 9,
    };
    let (status, bgra) = shown(context, &raw const region, false);
    red(status, &bgra);
    assert_eq!(bgra[16..20], [0; 4], "four pixels a row are inside");
    assert_eq!(shown(context, null(), true).0, MolehillStatus::Nothing);
    frame(context, 0.0);
    let (status, bgra) = shown(context, null(), true);
    red(status, &bgra);

    frame(context, 1.0);
    let (texture, framebuffer) = target(gl);
    assert_eq!(molehill_device_invalidate_state(device), MolehillStatus::Ok);
    let mut front = MolehillFront {
        texture: 0,
        framebuffer: 0,
        width: 0,
        height: 0,
    };
    let place = MolehillPlacement {
        x: 0,
        y: 0,
        width: 64,
        height: 32,
        bottom_up: 1,
        smooth: 0,
    };
    // SAFETY: the pointers are valid.
    unsafe {
        assert_eq!(
            molehill_context_front(context, &raw mut front),
            MolehillStatus::Ok
        );
        assert_eq!((front.width, front.height), (64, 32));
        assert!(gl.is_texture(glow::NativeTexture(front.texture.try_into().unwrap())));
        let into =
            molehill_context_present_into_texture(context, texture.0.get(), &raw const place);
        assert_eq!(into, MolehillStatus::Ok);
        assert_eq!(
            molehill_device_reset_to_gl_defaults(device),
            MolehillStatus::Ok
        );
        assert_eq!(first_pixel(gl, Some(framebuffer)), [255, 0, 0, 255]);
        molehill_device_invalidate_state(device);
        frame(context, 0.0);
        let name = framebuffer.0.get();
        let into = molehill_context_present_into_framebuffer(context, name, &raw const place);
        assert_eq!(into, MolehillStatus::Ok);
        assert_eq!(first_pixel(gl, Some(framebuffer)), [0, 0, 0, 255]);
    }
    assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
    // SAFETY: there are no pointers.
    let lost = unsafe { molehill_context_present(context) };
    assert_eq!(lost, MolehillStatus::DeviceLost);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}
