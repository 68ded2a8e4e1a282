//! Tests a device in the host's GL context, and every way to access the presented frame.
#![cfg(feature = "offscreen")]
#![allow(unsafe_code, reason = "the functions are C's")]

mod host;

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::ptr::null;

use backend_gl::offscreen::{Api, Offscreen};
use host::{Host, Loader};
use molehill_c::*;

use backend_gl::glow::{self, HasContext as _};

/// Creates a context with a back buffer.
fn context(device: MolehillDevice) -> MolehillContext {
    let options = MolehillContextOptions {
        profile: c"standard".as_ptr(),
        swf_version: 30,
        ..Default::default()
    };
    let mut context = MolehillContext::default();
    // SAFETY: the pointers are valid.
    unsafe {
        assert_eq!(
            molehill_context_create(device, &raw const options, &raw mut context),
            MolehillStatus::Ok
        );
        assert_eq!(
            molehill_context_configure_back_buffer(context, 64, 32, 0, 1, 0, 0),
            MolehillStatus::Ok
        );
    }
    context
}

fn destroy(context: MolehillContext, device: MolehillDevice) {
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

fn last_message() -> String {
    let mut error = MolehillError::default();
    // SAFETY: the strings are valid until the next error.
    unsafe {
        assert_eq!(molehill_last_error(&raw mut error), MolehillStatus::Ok);
        let message = CStr::from_ptr(error.message);
        message.to_str().unwrap().to_owned()
    }
}

const WIDTH: usize = 64;

fn shown(
    context: MolehillContext,
    region: *const MolehillRegion,
    delayed: bool,
) -> (MolehillStatus, Vec<u8>) {
    let (status, bgra, _) = read(context, region, delayed);
    (status, bgra)
}

fn read(
    context: MolehillContext,
    region: *const MolehillRegion,
    delayed: bool,
) -> (MolehillStatus, Vec<u8>, (u32, u32)) {
    let mut bgra = vec![0; WIDTH * 32 * 4];
    let pixels = MolehillPixels {
        pixels: bgra.as_mut_ptr(),
        length: bgra.len(),
        stride: WIDTH * 4,
        bottom_up: 1,
        ..Default::default()
    };
    let mut size = MolehillSize { width: 9, height: 9 };
    let read = match delayed {
        true => molehill_context_read_front_delayed,
        false => molehill_context_read_front,
    };
    // SAFETY: the pointers are valid or null.
    let status = unsafe { read(context, region, &raw const pixels, &raw mut size) };
    (status, bgra, (size.width, size.height))
}

fn frame(context: MolehillContext, red: f64) {
    // SAFETY: the function has no pointers.
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

/// Creates a texture of the host with its own framebuffer.
fn target(gl: &glow::Context) -> (glow::Texture, glow::Framebuffer) {
    // SAFETY: the context is current.
    unsafe {
        let (texture, framebuffer) =
            (gl.create_texture().unwrap(), gl.create_framebuffer().unwrap());
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
    let offscreen = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let host = Host::new(offscreen);
    let gl = host.offscreen.functions();
    let current = host.make_current();
    let (status, device) = Loader::new().device(&raw const current);
    assert_eq!(status, MolehillStatus::Ok);
    let context = context(device);
    assert_eq!(shown(context, null(), false).0, MolehillStatus::Nothing);
    frame(context, 1.0);
    assert!(host.asked.get() > 0);

    let red = |status: MolehillStatus, bgra: &[u8]| {
        assert_eq!((status, &bgra[..4]), (MolehillStatus::Ok, &[0, 0, 255, 255][..]));
    };
    let (status, bgra) = shown(context, null(), false);
    red(status, &bgra);
    let region = MolehillRegion { x: 60, y: 30, width: 9, height: 9 };
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
    let mut front = MolehillFront::default();
    let place = MolehillPlacement { width: 64, height: 32, bottom_up: 1, ..Default::default() };
    // SAFETY: the pointers are valid.
    unsafe {
        assert_eq!(molehill_context_front(context, &raw mut front), MolehillStatus::Ok);
        assert_eq!((front.width, front.height), (64, 32));
        assert!(gl.is_texture(glow::NativeTexture(front.texture.try_into().unwrap())));
        let name = texture.0.get();
        let into = molehill_context_present_into_texture(context, name, &raw const place);
        assert_eq!(into, MolehillStatus::Ok);
        assert_eq!(molehill_device_reset_to_gl_defaults(device), MolehillStatus::Ok);
        assert_eq!(first_pixel(gl, Some(framebuffer)), [255, 0, 0, 255]);
        molehill_device_invalidate_state(device);
        frame(context, 0.0);
        let name = framebuffer.0.get();
        let into = molehill_context_present_into_framebuffer(context, name, &raw const place);
        assert_eq!(into, MolehillStatus::Ok);
        assert_eq!(first_pixel(gl, Some(framebuffer)), [0, 0, 0, 255]);
    }
    assert_eq!(molehill_device_abandon(device), MolehillStatus::Ok);
    // SAFETY: the function has no pointers.
    let lost = unsafe { molehill_context_present(context) };
    assert_eq!(lost, MolehillStatus::DeviceLost);
    destroy(context, device);
}

/// A host that uses EGL itself has its own context current after each call.
#[test]
fn a_device_restores_the_hosts_context() {
    let _current = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let egl = Loader::new().egl;
    let its_own = egl.get_current_context();
    assert!(its_own.is_some());
    let still = |call: &str| assert_eq!(egl.get_current_context(), its_own, "{call}");
    let options = MolehillDeviceOptions { restore: 1, ..Default::default() };
    let mut device = MolehillDevice::default();
    // SAFETY: the pointers are valid.
    let made = unsafe { molehill_device_offscreen(&raw const options, &raw mut device) };
    assert_eq!(made, MolehillStatus::Ok);
    still("a new device");
    let context = context(device);
    still("configureBackBuffer");
    frame(context, 1.0);
    still("present");
    let (status, bgra) = shown(context, null(), false);
    assert_eq!((status, bgra[2]), (MolehillStatus::Ok, 255));
    still("read_front");
    destroy(context, device);
    still("destroy");
}

/// If the loader lacks a required function, the error names the function; optional functions aren't needed.
#[test]
fn a_function_that_is_missing_is_named() {
    for api in [Api::OpenGl, Api::Gles] {
        let _current = Offscreen::open(api).expect("an EGL; harness/setup.sh installs one");
        let mut loader = Loader::new();
        let (status, device) = loader.device(null());
        assert_eq!(status, MolehillStatus::Ok);
        assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
        let mut named = BTreeSet::new();
        for name in loader.asked.take() {
            loader.missing = name.clone();
            let (status, device) = loader.device(null());
            if status == MolehillStatus::Ok {
                let context = context(device);
                frame(context, 1.0);
                let (status, bgra) = shown(context, null(), false);
                assert_eq!((status, bgra[2]), (MolehillStatus::Ok, 255), "{name}");
                destroy(context, device);
                continue;
            }
            assert_eq!(status, MolehillStatus::Driver, "{name}");
            let message = last_message();
            assert!(message.contains(&name), "{name}: {message}");
            named.insert(name);
        }
        let desktop = usize::from(api == Api::OpenGl);
        assert_eq!(named.len(), 94 + desktop, "{named:?}");
        for name in ["glBufferData", "glGetString", "glGetShaderInfoLog"] {
            assert!(named.contains(name), "{name}");
        }
    }
}

/// Without a current context GL calls have no effect, so that calls that need a result fail.
#[test]
fn a_host_that_forgets_to_make_its_context_current_gets_errors() {
    let offscreen = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let loader = Loader::new();
    let (status, device) = loader.device(null());
    assert_eq!(status, MolehillStatus::Ok);
    let context = context(device);
    frame(context, 0.0);
    let display = loader.egl.get_current_display().unwrap();
    let forget = || {
        let released = loader.egl.make_current(display, None, None, None);
        released.unwrap();
    };
    // SAFETY: the function has no pointers.
    let present = || unsafe { molehill_context_present(context) };
    let clear = || unsafe { molehill_context_clear(context, 1.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX) };
    let mut texture = MolehillTexture::default();
    let mut create = || unsafe {
        let format = c"bgra".as_ptr();
        molehill_context_create_texture(context, 8, 8, format, 0, 0, &raw mut texture)
    };
    let told = |status: MolehillStatus, call: &str| {
        assert_eq!(status, MolehillStatus::Driver, "{call}");
        let message = last_message();
        assert!(message.contains("no GL context is current"), "{call}: {message}");
    };
    forget();
    told(shown(context, null(), false).0, "read_front");
    told(shown(context, null(), true).0, "read_front_delayed");
    told(clear(), "the first call of a frame");
    told(create(), "createTexture");
    told(loader.device(null()).0, "a new device");
    offscreen.make_current().unwrap();
    assert_eq!(clear(), MolehillStatus::Ok);
    forget();
    // Clears and draws don't detect the missing context.
    assert_eq!(clear(), MolehillStatus::Ok);
    told(present(), "present");
    told(shown(context, null(), false).0, "read_front");
    offscreen.make_current().unwrap();
    frame(context, 1.0);
    let (status, bgra) = shown(context, null(), false);
    assert_eq!((status, bgra[2]), (MolehillStatus::Ok, 255));
    assert_eq!(create(), MolehillStatus::Ok);
    destroy(context, device);
}

/// Creates a device of each kind.
fn devices() -> [MolehillDevice; 2] {
    [molehill_device_offscreen, molehill_device_software].map(|make| {
        let mut device = MolehillDevice::default();
        // SAFETY: the pointers are valid or null.
        let made = unsafe { make(null(), &raw mut device) };
        assert_eq!(made, MolehillStatus::Ok);
        device
    })
}

/// An asynchronous read returns the same pixels as a synchronous read, on every device.
#[test]
fn a_frame_is_read_now_or_later() {
    for device in devices() {
        let context = context(device);
        let mut now = Vec::new();
        for red in [0.2, 0.4, 0.6, 0.8] {
            frame(context, red);
            let (status, pixels) = shown(context, null(), false);
            assert_eq!(status, MolehillStatus::Ok);
            assert!(!now.contains(&pixels));
            now.push(pixels);
            let (status, later) = shown(context, null(), true);
            let last = now.iter().rev().take(2).any(|frame| *frame == later);
            assert!(last || (status, now.len()) == (MolehillStatus::Nothing, 1), "{status:?}");
        }
        destroy(context, device);
    }
}

/// A read of a region outside the frame returns no pixels, on every device.
#[test]
fn a_region_outside_the_picture_is_empty() {
    let region = |x, y, width, height| MolehillRegion { x, y, width, height };
    for device in devices() {
        let context = context(device);
        for outside in
            [region(100, 5, 9, 59), region(5, 100, 9, 59), region(64, 32, 1, 1), region(0, 0, 0, 5)]
        {
            let (status, ..) = read(context, &raw const outside, false);
            assert_eq!(status, MolehillStatus::Nothing, "before the first present");
            frame(context, 1.0);
            for delayed in [false, true] {
                let first = read(context, &raw const outside, delayed);
                let second = read(context, &raw const outside, delayed);
                for (status, bgra, size) in [first, second].into_iter().skip(usize::from(delayed)) {
                    assert_eq!((status, size), (MolehillStatus::Ok, (0, 0)), "{outside:?}");
                    assert!(bgra.iter().all(|byte| *byte == 0));
                }
            }
            // SAFETY: the function has no pointers.
            let again =
                unsafe { molehill_context_configure_back_buffer(context, 64, 32, 0, 1, 0, 0) };
            assert_eq!(again, MolehillStatus::Ok);
        }
        destroy(context, device);
    }
}
