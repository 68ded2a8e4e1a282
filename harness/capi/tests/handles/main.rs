//! Handles, pointers, threads and facts of the host.
#![allow(unsafe_code, reason = "the functions are C's")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "calls of C functions")]

mod support;

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use molehill_c::*;
use support::{context, device, made, message, present, record, texture};

fn bind(context: MolehillContext, texture: MolehillTexture) -> MolehillStatus {
    unsafe { molehill_context_set_texture_at(context, 0, texture) }
}

fn target(context: MolehillContext, texture: MolehillTexture) -> MolehillStatus {
    unsafe { molehill_context_set_render_to_texture(context, texture, 0, 0, 0, 0) }
}

#[test]
fn handles_that_name_nothing_any_more_are_found_out() {
    let device = device();
    let (one, other) = (context(device), context(device));
    let (bound, foreign) = (texture(one), texture(other));
    assert_eq!(bind(one, bound), MolehillStatus::Ok);
    assert_eq!(bind(one, 0), MolehillStatus::Ok);
    for gone in [foreign, 5, u64::MAX] {
        // As in Flash, the draw fails and not the setter.
        assert_eq!(bind(one, gone), MolehillStatus::Ok);
        assert_eq!(target(one, gone), MolehillStatus::FlashError);
        assert_eq!(message().0, 3694);
    }
    for wrong in [device, one] {
        assert_eq!(bind(one, wrong), MolehillStatus::BadHandle);
    }
    let program = made(|program| unsafe { molehill_context_create_program(one, program) });
    assert_eq!(bind(one, program), MolehillStatus::BadHandle);
    unsafe {
        assert_eq!(molehill_texture_dispose(one, bound), MolehillStatus::Ok);
        assert_eq!(molehill_texture_dispose(one, 0), MolehillStatus::BadHandle);
    }
    assert_eq!(bind(one, bound), MolehillStatus::Ok);
    assert_eq!(target(one, bound), MolehillStatus::FlashError);
    assert_eq!(message().0, 3694);
    assert_eq!(molehill_object_release(bound), MolehillStatus::Nothing);
    assert_eq!(molehill_context_destroy(one), MolehillStatus::Ok);
    assert_eq!(molehill_object_release(program), MolehillStatus::Nothing);
    for gone in [0, one, 7, device, foreign] {
        assert_eq!(present(gone), MolehillStatus::BadHandle, "{gone:#x}");
        assert_eq!(molehill_context_destroy(gone), MolehillStatus::BadHandle);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    assert_eq!(present(other), MolehillStatus::FlashError, "no back buffer");
    assert_eq!(molehill_context_destroy(other), MolehillStatus::Ok);
}

#[test]
fn other_threads_may_release_and_no_more() {
    let device = device();
    let context = context(device);
    let texture = texture(context);
    let memory = || {
        let mut info = std::mem::MaybeUninit::uninit();
        unsafe {
            assert_eq!(molehill_context_info(context, info.as_mut_ptr()), MolehillStatus::Ok);
            info.assume_init().total_gpu_memory
        }
    };
    assert_ne!(memory(), 0);
    let there = move || {
        assert_eq!(present(context), MolehillStatus::WrongThread);
        assert_eq!(molehill_device_destroy(device), MolehillStatus::WrongThread);
        assert_eq!(molehill_object_set_user_data(texture, 9), MolehillStatus::Ok);
        let mut number = 0;
        let told = unsafe { molehill_object_user_data(texture, &raw mut number) };
        assert_eq!((told, number), (MolehillStatus::Ok, 9));
        assert_eq!(molehill_object_release(texture), MolehillStatus::Ok);
    };
    std::thread::spawn(there).join().unwrap();
    assert_eq!(molehill_context_collect_released(context), MolehillStatus::Ok);
    assert_eq!(memory(), 0);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

#[test]
fn pointers_are_looked_at() {
    let device = device();
    let context = context(device);
    let numbers = [0.0; 8];
    let upload = |pointer: *const f64, length| unsafe {
        let stage = c"vertex".as_ptr();
        molehill_context_set_program_constants_from_vector(context, stage, 0, pointer, length, 1)
    };
    assert_eq!(upload(numbers.as_ptr(), 8), MolehillStatus::Ok);
    assert_eq!(upload(null(), 0), MolehillStatus::FlashError);
    assert_eq!(message().0, 2007);
    assert_eq!(upload(null(), 8), MolehillStatus::BadArgument);
    assert_eq!(upload(numbers.as_ptr().wrapping_byte_add(1), 7), MolehillStatus::BadArgument);
    assert_eq!(upload(numbers.as_ptr(), usize::MAX), MolehillStatus::BadArgument);
    unsafe {
        let created = molehill_context_create_program(context, null_mut());
        assert_eq!(created, MolehillStatus::BadArgument);
        let blended =
            molehill_context_set_blend_factors(context, c"one".as_ptr(), c"\xFF".as_ptr());
        assert_eq!(blended, MolehillStatus::FlashError);
    }
    assert_eq!(
        message(),
        (2008, "Parameter destinationFactor must be one of the accepted values.".to_owned())
    );
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// Memory that is too small is the host's mistake, not the program's.
#[test]
fn the_memory_of_bitmaps_is_checked() {
    let device = device();
    let context = context(device);
    let texture = texture(context);
    let mut pixels = [0; 1000];
    let mut call = |upload: bool, (width, height), stride, length| unsafe {
        let layout = MolehillPixelLayout { stride, ..Default::default() };
        let there = length > 0;
        let source = MolehillBitmap {
            width,
            height,
            transparent: 1,
            pixels: if there { pixels.as_ptr() } else { null() },
            length,
            layout,
        };
        let target = MolehillBitmapTarget {
            width,
            height,
            transparent: 1,
            pixels: if there { pixels.as_mut_ptr() } else { null_mut() },
            length,
            layout,
        };
        if upload {
            molehill_texture_upload_from_bitmap_data(context, texture, &raw const source, -1, 0)
        } else {
            molehill_context_draw_to_bitmap_data(context, &raw const target, null(), null())
        }
    };
    let configured = unsafe { molehill_context_configure_back_buffer(context, 64, 64, 0, 0, 0, 0) };
    assert_eq!(configured, MolehillStatus::Ok);
    let cleared = unsafe { molehill_context_clear(context, 0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX) };
    assert_eq!(cleared, MolehillStatus::Ok);
    for (size, stride, length, expected) in [
        ((8, 8), 0, 256, MolehillStatus::Ok),
        ((8, 8), 0, 257, MolehillStatus::Ok),
        ((8, 8), 40, 312, MolehillStatus::Ok),
        ((8, 8), 0, 255, MolehillStatus::BadArgument),
        ((8, 8), 0, 4, MolehillStatus::BadArgument),
        ((8, 8), 40, 311, MolehillStatus::BadArgument),
        ((8, 8), 31, 1000, MolehillStatus::BadArgument),
        ((u32::MAX, u32::MAX), 0, 1000, MolehillStatus::BadArgument),
        ((8, 8), usize::MAX, 1000, MolehillStatus::BadArgument),
        ((8, 8), 0, 0, MolehillStatus::FlashError), // disposed
    ] {
        for upload in [true, false] {
            let status = call(upload, size, stride, length);
            let row = format!("{size:?}, {stride}, {length}, {upload}: {:?}", message());
            assert_eq!(status, expected, "{row}");
        }
    }
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// A host may forget to stop it.
#[test]
fn a_thread_that_ends_completes_its_recordings() {
    let there = || {
        let (path, recording) = record("thread.s3d.jsonl");
        for _ in 0..3 {
            assert_eq!(molehill_recording_end_frame(recording), MolehillStatus::Ok);
        }
        (path, recording)
    };
    let (path, recording) = std::thread::spawn(there).join().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("{\"frame\":2}\n"), "{text:?}");
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::WrongThread);
    std::fs::remove_file(path).unwrap();
}

/// What the host says of the player is what the program sees.
#[test]
fn hosts_decide_limits_texts_and_positions() {
    let device = device();
    let options =
        MolehillContextOptions { profile: c"baselineConstrained".as_ptr(), swf_version: 30 };
    let context =
        made(|context| unsafe { molehill_context_create(device, &raw const options, context) });
    let configure =
        |side| unsafe { molehill_context_configure_back_buffer(context, side, side, 0, 0, 0, 0) };
    let stage = MolehillRectangle { x: 0.0, y: 0.0, width: 200.0, height: 200.0 };
    let host = MolehillHost {
        has_placement: 1,
        stage,
        max_back_buffer: 100,
        ignore_resource_limits: 1,
        no_error_texts: 1,
        ..MolehillHost::default()
    };
    assert_eq!(configure(50), MolehillStatus::Ok);
    unsafe {
        let set = molehill_context_set_host(context, &raw const host);
        assert_eq!(set, MolehillStatus::Ok);
    }
    assert_eq!(configure(101), MolehillStatus::FlashError);
    let (number, _) = message();
    let mut error = std::mem::MaybeUninit::<MolehillError>::uninit();
    let text = unsafe {
        molehill_last_error(error.as_mut_ptr());
        CStr::from_ptr(error.assume_init().as3_message)
    };
    assert_eq!((number, text), (3780, c"Error #3780"));
    for (x, status) in [(150.0, MolehillStatus::Ok), (151.0, MolehillStatus::FlashError)] {
        let checked = molehill_context_check_position(context, x, 0.0);
        assert_eq!(checked, status, "{x}");
    }
    assert_eq!(message().0, 3723);
    let mut info = std::mem::MaybeUninit::uninit();
    let info = unsafe {
        molehill_context_info(context, info.as_mut_ptr());
        info.assume_init()
    };
    assert_eq!(info.ignores_resource_limits, 1);
    let texture = texture(context);
    let mut size = MolehillSize { width: 7, height: 7 };
    let asked = unsafe { molehill_texture_video_size(context, texture, &raw mut size) };
    assert_eq!((asked, size.width, size.height), (MolehillStatus::Ok, 0, 0));
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}
