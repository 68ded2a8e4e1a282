//! Things that other threads destroy, and pictures for other threads' GL contexts.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::support::{context, device, made, present, record, texture};
use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen};
use khronos_egl::{DynamicInstance, EGL1_4};
use molehill_c::*;
use molehill_testing::trace::{failing_loader, objects};

/// Runs something on another thread, to its end.
fn elsewhere<T: Send + 'static>(action: impl FnOnce() -> T + Send + 'static) -> T {
    thread::spawn(action).join().unwrap()
}

#[test]
fn every_thread_destroys_everything_once() {
    let device = device();
    let context = context(device);
    let stage = made(|stage| unsafe { molehill_stage3d_create(stage) });
    let (path, recording) = record("destroyed.s3d.jsonl");
    let recorded = unsafe { molehill_context_record(context, recording, 0, null()) };
    assert_eq!(recorded, MolehillStatus::Ok);
    assert_eq!(molehill_recording_end_frame(recording), MolehillStatus::Ok);
    elsewhere(move || {
        assert_eq!(present(context), MolehillStatus::WrongThread);
        // Not by another kind's function.
        assert_eq!(
            molehill_device_destroy(MolehillDevice { id: context.id }),
            MolehillStatus::BadHandle
        );
        for status in [MolehillStatus::Ok, MolehillStatus::BadHandle] {
            assert_eq!(molehill_device_destroy(device), status);
            assert_eq!(molehill_context_destroy(context), status);
            assert_eq!(molehill_stage3d_destroy(stage), status);
            assert_eq!(molehill_recording_stop(recording), status);
        }
    });
    assert_eq!(present(context), MolehillStatus::BadHandle);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("{\"frame\":0}\n"), "{text:?}");
    assert_eq!(molehill_context_destroy(context), MolehillStatus::BadHandle);
    std::fs::remove_file(path).unwrap();
}

/// What a thread leaves is freed by others; the objects of its contexts count as disposed.
#[test]
fn what_a_thread_leaves_can_be_destroyed() {
    let (device, context, texture) = elsewhere(|| {
        let device = device();
        let context = context(device);
        (device, context, texture(context))
    });
    assert_eq!(present(context), MolehillStatus::WrongThread);
    for status in [MolehillStatus::Ok, MolehillStatus::BadHandle] {
        assert_eq!(elsewhere(move || molehill_context_destroy(context)), status);
        assert_eq!(molehill_device_destroy(device), status);
    }
    let object = MolehillObject { id: texture.id };
    let mut data = 0;
    let told = unsafe { molehill_object_user_data(object, &raw mut data) };
    assert_eq!(told, MolehillStatus::BadHandle);
    let disposed = unsafe { molehill_texture_dispose(texture) };
    assert_eq!(disposed, MolehillStatus::Ok);
}

unsafe extern "C" fn load(_: *mut c_void, name: *const c_char) -> *const c_void {
    // SAFETY: names end with 0.
    failing_loader(unsafe { CStr::from_ptr(name) }.to_str().unwrap())
}

/// Objects of GL are only deleted in a call with their device, when the host's context is current.
#[test]
fn gl_objects_wait_for_their_device() {
    let alive = || objects().values().sum::<usize>();
    let device = made(|device| unsafe {
        molehill_device_from_loader(Some(load), null_mut(), null(), null(), device)
    });
    let own = alive();
    let context = context(device);
    let configured = unsafe { molehill_context_configure_back_buffer(context, 64, 64, 0, 1, 0, 0) };
    assert_eq!(configured, MolehillStatus::Ok);
    texture(context);
    let all = alive();
    assert!(all > own + 2, "{all}, {own}");
    assert_eq!(elsewhere(move || molehill_context_destroy(context)), MolehillStatus::Ok);
    // A call without the device: another context may be current.
    assert_eq!(present(context), MolehillStatus::BadHandle);
    assert_eq!(alive(), all);
    assert_eq!(molehill_device_reset_to_gl_defaults(device), MolehillStatus::Ok);
    assert_eq!(alive(), own);
    assert_eq!(elsewhere(move || molehill_device_destroy(device)), MolehillStatus::Ok);
    assert_eq!(present(context), MolehillStatus::BadHandle);
    assert_eq!(alive(), own, "the device's own objects are the GL context's");
}

/// A picture on its way to the render thread: the texture and the sync.
type Sent = (u32, usize);

/// The VM's thread: a device that shares objects with the render thread's context draws a frame for each message.
fn vm(
    options: (usize, usize, u32),
    frames: &Receiver<f64>,
    shown: &Sender<(MolehillContext, [Sent; 2])>,
) {
    let (display, egl_context, target) = options;
    let options = MolehillDeviceOptions {
        share_display: std::ptr::with_exposed_provenance_mut(display),
        share_context: std::ptr::with_exposed_provenance_mut(egl_context),
        ..Default::default()
    };
    let device = made(|device| unsafe { molehill_device_offscreen(&raw const options, device) });
    let context = context(device);
    let place = MolehillPlacement { width: 64, height: 64, ..Default::default() };
    let configured = unsafe { molehill_context_configure_back_buffer(context, 64, 64, 0, 0, 0, 0) };
    assert_eq!(configured, MolehillStatus::Ok);
    for red in frames {
        let mut front = MolehillFront::default();
        let mut copied = null_mut();
        unsafe {
            molehill_context_clear(context, red, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX);
            assert_eq!(present(context), MolehillStatus::Ok);
            let acquired = molehill_context_acquire_front(context, &raw mut front);
            assert_eq!(acquired, MolehillStatus::Ok);
            let into = molehill_context_present_into_texture(
                context,
                target,
                &raw const place,
                &raw mut copied,
            );
            assert_eq!(into, MolehillStatus::Ok);
        }
        let syncs = [front.sync, copied].map(|sync| sync.expose_provenance());
        assert!(!syncs.contains(&0));
        shown.send((context, [(front.texture, syncs[0]), (target, syncs[1])])).unwrap();
    }
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// The first component of a texture, after a sync.
fn red_of(gl: &glow::Context, (texture, sync): Sent) -> u8 {
    let mut pixel = [0; 4];
    unsafe {
        if sync != 0 {
            let fence = glow::NativeFence(std::ptr::with_exposed_provenance_mut(sync));
            gl.wait_sync(fence, 0, glow::TIMEOUT_IGNORED);
            gl.delete_sync(fence);
        }
        let framebuffer = gl.create_framebuffer().unwrap();
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let texture = Some(glow::NativeTexture(texture.try_into().unwrap()));
        let (attachment, face) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
        gl.framebuffer_texture_2d(glow::FRAMEBUFFER, attachment, face, texture, 0);
        let out = glow::PixelPackData::Slice(Some(&mut pixel));
        gl.read_pixels(0, 0, 1, 1, glow::RGBA, glow::UNSIGNED_BYTE, out);
        gl.delete_framebuffer(framebuffer);
    }
    pixel[0]
}

/// A VM's thread and a render thread, as in Lightspark: an acquired front keeps its picture until it is released.
#[test]
fn a_render_thread_reads_what_the_vm_presents() {
    let offscreen = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let gl = offscreen.functions();
    let target = unsafe {
        let target = gl.create_texture().unwrap();
        gl.bind_texture(glow::TEXTURE_2D, Some(target));
        gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA8, 64, 64);
        gl.finish();
        target.0.get()
    };
    // SAFETY: libEGL is already loaded by `Offscreen`.
    let egl = unsafe { DynamicInstance::<EGL1_4>::load_required() }.unwrap();
    let display = egl.get_current_display().unwrap().as_ptr().expose_provenance();
    let shared = egl.get_current_context().unwrap().as_ptr().expose_provenance();
    let ((draw, frames), (shown, pictures)) = (channel(), channel());
    let vm = thread::spawn(move || vm((display, shared, target), &frames, &shown));
    let mut held = Vec::new();
    for red in [255u8, 0, 102, 51, 204] {
        draw.send(f64::from(red) / 255.0).unwrap();
        let (context, [front, copy]) = pictures.recv().unwrap();
        assert_eq!(red_of(gl, front), red);
        assert_eq!(red_of(gl, copy), red, "the copy");
        held.push((context, front.0, red));
        for (_, texture, red) in &held {
            assert_eq!(red_of(gl, (*texture, 0)), *red, "it is held");
        }
        if held.len() == 3 {
            let (context, texture, _) = held.remove(0);
            let sync = unsafe {
                let sync = gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0).unwrap();
                gl.flush();
                sync.0.cast()
            };
            let released = unsafe { molehill_context_release_front(context, texture, sync) };
            assert_eq!(released, MolehillStatus::Ok);
        }
    }
    let textures =
        held.iter().map(|(_, texture, _)| *texture).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(textures.len(), held.len());
    // More than can be held; one waits already.
    let (context, texture, _) = held[0];
    for n in 1..18 {
        let released = unsafe { molehill_context_release_front(context, texture, null_mut()) };
        assert_eq!(released == MolehillStatus::Ok, n < 16, "{n}");
    }
    drop(draw);
    vm.join().unwrap();
    let released = unsafe { molehill_context_release_front(context, texture, null_mut()) };
    assert_eq!(released, MolehillStatus::BadHandle);
}
