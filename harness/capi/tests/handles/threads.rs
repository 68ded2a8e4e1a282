//! Tests objects that other threads destroy, and frames for GL contexts of other threads.

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

/// Runs `action` on another thread, and waits for its end.
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
        // A destroy function for another kind of object fails.
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

/// Other threads can free the objects of an ended thread; the resources of its contexts count as disposed.
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
    // SAFETY: the names end with 0.
    failing_loader(unsafe { CStr::from_ptr(name) }.to_str().unwrap())
}

/// An object can only be used on its context's thread.
#[test]
fn objects_are_those_of_their_thread() {
    let device = device();
    let texture = texture(context(device));
    elsewhere(move || {
        let own = context(self::device());
        let bound = unsafe { molehill_context_set_texture_at(own, 0, texture) };
        assert_eq!(bound, MolehillStatus::WrongThread);
    });
}

/// Creates a context, with or without a Stage3D.
fn made_by(device: MolehillDevice, stage: Option<MolehillStage3D>) -> MolehillContext {
    let Some(stage) = stage else { return context(device) };
    let mut event = MolehillStageEvent::default();
    unsafe {
        molehill_stage3d_request(stage, c"auto".as_ptr(), c"baseline".as_ptr(), 1);
        molehill_stage3d_end_frame(stage, device, 30, 0, &raw mut event);
    }
    event.context
}

/// GL objects are only deleted in a call with their device, when the host's context is current.
#[test]
fn gl_objects_wait_for_their_device() {
    let alive = || objects().values().sum::<usize>();
    let device = made(|device| unsafe {
        molehill_device_from_loader(Some(load), null_mut(), null(), null(), device)
    });
    let own = alive();
    let stage = made(|stage| unsafe { molehill_stage3d_create(stage) });
    for stage in [None, Some(stage)] {
        let context = made_by(device, stage);
        let configured =
            unsafe { molehill_context_configure_back_buffer(context, 64, 64, 0, 1, 0, 0) };
        assert_eq!(configured, MolehillStatus::Ok);
        texture(context);
        let all = alive();
        assert!(all > own + 2, "{all}, {own}");
        assert_eq!(elsewhere(move || molehill_context_destroy(context)), MolehillStatus::Ok);
        // The failed present doesn't make the device's GL context current, so the GL objects aren't deleted yet.
        assert_eq!(present(context), MolehillStatus::BadHandle);
        assert_eq!(alive(), all);
        assert_eq!(molehill_device_reset_to_gl_defaults(device), MolehillStatus::Ok);
        assert_eq!(alive(), own);
    }
    assert_eq!(elsewhere(move || molehill_device_destroy(device)), MolehillStatus::Ok);
    assert_eq!(molehill_stage3d_destroy(stage), MolehillStatus::Ok);
    assert_eq!(alive(), own, "the device's own objects are the GL context's");
}

/// Runs the VM's thread: a device that shares objects with the render thread's context draws a frame for each message.
/// No frame is dropped, because the render thread requests each frame.
fn vm(
    (display, egl_context): (usize, usize),
    exchange: MolehillFrontExchange,
    frames: &Receiver<u8>,
    drawn: &Sender<()>,
) {
    let options = MolehillDeviceOptions {
        share_display: std::ptr::with_exposed_provenance_mut(display),
        share_context: std::ptr::with_exposed_provenance_mut(egl_context),
        ..Default::default()
    };
    let device = made(|device| unsafe { molehill_device_offscreen(&raw const options, device) });
    let context = context(device);
    let publish = || molehill_context_publish_front(context, exchange);
    assert_eq!(publish(), MolehillStatus::Nothing);
    let configured = unsafe { molehill_context_configure_back_buffer(context, 64, 48, 0, 0, 0, 0) };
    assert_eq!(configured, MolehillStatus::Ok);
    for red in frames {
        let red = f64::from(red) / 255.0;
        unsafe { molehill_context_clear(context, red, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX) };
        assert_eq!(present(context), MolehillStatus::Ok);
        assert_eq!(publish(), MolehillStatus::Ok);
        assert_eq!(publish(), MolehillStatus::Nothing);
        drawn.send(()).unwrap();
    }
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// Returns the first component of a texture.
fn red_of(gl: &glow::Context, texture: u32) -> u8 {
    let mut pixel = [0; 4];
    unsafe {
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

type Egl = DynamicInstance<EGL1_4>;

unsafe extern "C" fn own_load(data: *mut c_void, name: *const c_char) -> *const c_void {
    // SAFETY: the pointer refers to an `Egl`, and the names end with 0.
    let (egl, name) = unsafe { (&*data.cast::<Egl>(), CStr::from_ptr(name)) };
    let function = egl.get_proc_address(name.to_str().unwrap());
    function.map_or(null(), |function| function as *const c_void)
}

/// A VM's thread passes frames to a render thread, as in Lightspark.
#[test]
fn a_render_thread_shows_what_the_vm_presents() {
    let offscreen = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    let gl = offscreen.functions();
    // SAFETY: libEGL is already loaded by `Offscreen`.
    let egl = unsafe { Egl::load_required() }.unwrap();
    let display = egl.get_current_display().unwrap().as_ptr().expose_provenance();
    let shared = egl.get_current_context().unwrap().as_ptr().expose_provenance();
    let exchange = made(|exchange| unsafe { molehill_front_exchange_create(exchange) });
    let acquire = |loader: MolehillLoader| {
        let mut front = MolehillFront::default();
        let egl = std::ptr::from_ref(&egl).cast_mut().cast();
        let status =
            unsafe { molehill_front_exchange_acquire(exchange, loader, egl, &raw mut front) };
        (status, front)
    };
    assert_eq!(acquire(None).0, MolehillStatus::BadArgument);
    assert_eq!(acquire(Some(own_load)).0, MolehillStatus::Nothing);
    let ((draw, frames), (drawn, done)) = (channel(), channel());
    let vm = thread::spawn(move || vm((display, shared), exchange, &frames, &drawn));
    let mut before = None;
    for red in [255u8, 0, 102, 51, 204] {
        draw.send(red).unwrap();
        done.recv().unwrap();
        if let Some((texture, red)) = before {
            assert_eq!(red_of(gl, texture), red, "it is shown until the next one is acquired");
        }
        // The call needs no loader, because an earlier call loaded the GL functions.
        let (status, front) = acquire(None);
        assert_eq!(status, MolehillStatus::Ok);
        assert_eq!((front.width, front.height, front.framebuffer), (64, 48, 0));
        assert_eq!(red_of(gl, front.texture), red);
        before = Some((front.texture, red));
    }
    drop(draw);
    vm.join().unwrap();
    let (texture, red) = before.unwrap();
    assert_eq!(red_of(gl, texture), red, "its context is gone, and it is still shown");
    assert_eq!(acquire(None).0, MolehillStatus::Nothing);
    assert_eq!(molehill_front_exchange_release(exchange), MolehillStatus::Ok);
    assert_eq!(acquire(None).0, MolehillStatus::BadArgument, "a loader again");
    let wrong = MolehillContext { id: exchange.id };
    assert_eq!(molehill_context_destroy(wrong), MolehillStatus::BadHandle);
    for status in [MolehillStatus::Ok, MolehillStatus::BadHandle] {
        assert_eq!(elsewhere(move || molehill_front_exchange_destroy(exchange)), status);
    }
    assert_eq!(acquire(None).0, MolehillStatus::BadHandle);
    assert_eq!(molehill_front_exchange_release(exchange), MolehillStatus::BadHandle);
}

/// A loader may call the library again.
#[test]
fn an_exchange_is_busy_while_it_loads() {
    unsafe extern "C" fn again(data: *mut c_void, _: *const c_char) -> *const c_void {
        let exchange = MolehillFrontExchange { id: data.expose_provenance() as u64 };
        let mut front = MolehillFront::default();
        let status =
            unsafe { molehill_front_exchange_acquire(exchange, Some(again), data, &raw mut front) };
        assert_eq!(status, MolehillStatus::Busy);
        assert_eq!(molehill_front_exchange_release(exchange), MolehillStatus::Busy);
        null()
    }
    let exchange = made(|exchange| unsafe { molehill_front_exchange_create(exchange) });
    let data = std::ptr::with_exposed_provenance_mut(exchange.id.try_into().unwrap());
    let mut front = MolehillFront::default();
    let status =
        unsafe { molehill_front_exchange_acquire(exchange, Some(again), data, &raw mut front) };
    assert_eq!(status, MolehillStatus::Driver);
    assert_eq!(molehill_front_exchange_destroy(exchange), MolehillStatus::Ok);
}
