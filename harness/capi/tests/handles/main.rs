//! Tests handles, pointers, threads and settings of the host.
#![allow(unsafe_code, reason = "the functions are C's")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "calls of C functions")]

#[cfg(feature = "offscreen")]
mod devices;
mod shaders;
mod stages;
mod support;
#[cfg(feature = "offscreen")]
mod threads;
mod videos;

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use molehill_c::*;
use support::{context, device, made, message, present, record, texture};

fn bind(context: MolehillContext, texture: MolehillTexture) -> MolehillStatus {
    unsafe { molehill_context_set_texture_at(context, 0, texture) }
}

fn object(id: u64) -> MolehillObject {
    MolehillObject { id }
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
    assert_eq!(bind(one, MolehillTexture::default()), MolehillStatus::Ok);
    for gone in [foreign, MolehillTexture { id: 5 }, MolehillTexture { id: u64::MAX }] {
        // An invalid texture makes only the draw fail in Flash; setTextureAt succeeds.
        assert_eq!(bind(one, gone), MolehillStatus::Ok);
        assert_eq!(target(one, gone), MolehillStatus::FlashError);
        assert_eq!(message().0, 3694);
    }
    let program: MolehillProgram =
        made(|program| unsafe { molehill_context_create_program(one, program) });
    for wrong in [device.id, one.id, program.id] {
        assert_eq!(bind(one, MolehillTexture { id: wrong }), MolehillStatus::BadHandle);
    }
    for wrong in [device.id, one.id] {
        assert_eq!(molehill_object_release(object(wrong)), MolehillStatus::BadHandle);
    }
    let dispose = |texture| unsafe { molehill_texture_dispose(texture) };
    assert_eq!(dispose(bound), MolehillStatus::Ok);
    assert_eq!(dispose(MolehillTexture::default()), MolehillStatus::BadHandle);
    assert_eq!(dispose(bound), MolehillStatus::Ok, "again");
    assert_eq!(bind(one, bound), MolehillStatus::Ok);
    assert_eq!(target(one, bound), MolehillStatus::FlashError);
    assert_eq!(message().0, 3694);
    assert_eq!(molehill_object_release(object(bound.id)), MolehillStatus::Nothing);
    assert_eq!(molehill_context_destroy(one), MolehillStatus::Ok);
    assert_eq!(molehill_object_release(object(program.id)), MolehillStatus::Nothing);
    for gone in [0, one.id, 7, device.id, foreign.id] {
        let gone = MolehillContext { id: gone };
        assert_eq!(present(gone), MolehillStatus::BadHandle, "{gone:?}");
        assert_eq!(molehill_context_destroy(gone), MolehillStatus::BadHandle);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    assert_eq!(present(other), MolehillStatus::FlashError, "no back buffer");
    assert_eq!(molehill_context_destroy(other), MolehillStatus::Ok);
}

#[test]
fn other_threads_may_release() {
    let device = device();
    let context = context(device);
    let texture = texture(context);
    let memory = || {
        let mut info = MolehillContextInfo::default();
        let told = unsafe { molehill_context_info(context, &raw mut info) };
        assert_eq!(told, MolehillStatus::Ok);
        info.total_gpu_memory
    };
    assert_ne!(memory(), 0);
    let there = move || {
        assert_eq!(present(context), MolehillStatus::WrongThread);
        assert_eq!(molehill_object_set_user_data(object(texture.id), 9), MolehillStatus::Ok);
        let mut number = 0;
        let told = unsafe { molehill_object_user_data(object(texture.id), &raw mut number) };
        assert_eq!((told, number), (MolehillStatus::Ok, 9));
        assert_eq!(molehill_object_release(object(texture.id)), MolehillStatus::Ok);
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

/// A buffer that is too small for a bitmap is reported as the host's error, not as an error of the program.
#[test]
fn the_memory_of_bitmaps_is_checked() {
    let device = device();
    let context = context(device);
    let texture = texture(context);
    let mut pixels = [0; 1000];
    let mut call = |upload: bool, (width, height), stride, length| unsafe {
        let there = length > 0;
        let source = MolehillBitmap {
            width,
            height,
            transparent: 1,
            pixels: if there { pixels.as_ptr() } else { null() },
            length,
            stride,
            ..Default::default()
        };
        let target = MolehillBitmapTarget {
            width,
            height,
            transparent: 1,
            pixels: if there { pixels.as_mut_ptr() } else { null_mut() },
            length,
            stride,
            ..Default::default()
        };
        if upload {
            molehill_texture_upload_from_bitmap_data(texture, &raw const source, -1, 0)
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

/// If the host doesn't stop a recording, the end of the thread completes it.
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
    assert_eq!(molehill_recording_end_frame(recording), MolehillStatus::WrongThread);
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
    std::fs::remove_file(path).unwrap();
}

/// The program sees the limits, strings and positions that the host sets.
#[test]
fn hosts_decide_limits_texts_and_positions() {
    let device = device();
    let options = MolehillContextOptions {
        profile: c"baselineConstrained".as_ptr(),
        swf_version: 30,
        ..Default::default()
    };
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
    let mut error = MolehillError::default();
    let text = unsafe {
        molehill_last_error(&raw mut error);
        CStr::from_ptr(error.as3_message)
    };
    assert_eq!((number, text), (3780, c"Error #3780"));
    for (x, status) in [(150.0, MolehillStatus::Ok), (151.0, MolehillStatus::FlashError)] {
        let checked = molehill_context_check_position(context, x, 0.0);
        assert_eq!(checked, status, "{x}");
    }
    assert_eq!(message().0, 3723);
    let mut info = MolehillContextInfo::default();
    unsafe { molehill_context_info(context, &raw mut info) };
    assert_eq!(info.ignores_resource_limits, 1);
    let texture = texture(context);
    let mut size = MolehillSize { width: 7, height: 7 };
    let asked = unsafe { molehill_texture_video_size(texture, &raw mut size) };
    assert_eq!((asked, size.width, size.height), (MolehillStatus::Ok, 0, 0));
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// A header of an older or newer version has fewer or more fields.
#[test]
fn structs_of_other_sizes_are_accepted() {
    let device = device();
    let create = |options: *const MolehillContextOptions| {
        let mut context = MolehillContext::default();
        let status = unsafe { molehill_context_create(device, options, &raw mut context) };
        if status == MolehillStatus::Ok {
            assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
        }
        status
    };
    let wrong = c"no profile".as_ptr();
    let profile = std::mem::offset_of!(MolehillContextOptions, profile);
    for (struct_size, status) in [
        (0, MolehillStatus::BadArgument),
        (profile - 1, MolehillStatus::BadArgument),
        (profile + 4, MolehillStatus::BadArgument),
        (profile, MolehillStatus::Ok), // without the profile
        (profile + 8, MolehillStatus::BadArgument),
        (usize::MAX, MolehillStatus::BadArgument),
    ] {
        let options = MolehillContextOptions {
            struct_size,
            profile: wrong,
            swf_version: 30,
            ..Default::default()
        };
        assert_eq!(create(&raw const options), status, "{struct_size}");
    }
    /// A struct of a later version, with more fields.
    #[repr(C)]
    struct Later {
        known: MolehillContextOptions,
        more: u64,
    }
    let struct_size = size_of::<Later>();
    for (more, status) in [(0, MolehillStatus::Ok), (1, MolehillStatus::BadArgument)] {
        let known = MolehillContextOptions { struct_size, swf_version: 30, ..Default::default() };
        let later = Later { known, more };
        assert_eq!(create((&raw const later).cast()), status);
    }
    // A result is written up to the size of the host's struct.
    let context = context(device);
    let last = std::mem::offset_of!(MolehillContextInfo, profile);
    let mut info = MolehillContextInfo {
        struct_size: last,
        profile: wrong,
        driver_info: wrong,
        ..Default::default()
    };
    assert_eq!(unsafe { molehill_context_info(context, &raw mut info) }, MolehillStatus::Ok);
    assert_eq!((info.struct_size, info.profile, info.driver_info), (last, wrong, wrong));
    assert_eq!(info.max_back_buffer_width, 16384);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

/// A host can create Flash errors by number, for its own checks and for objects of destroyed contexts.
#[test]
fn errors_of_flash_are_made_from_numbers() {
    let raise = |number, arguments: &[&CStr]| {
        let pointers: Vec<_> = arguments.iter().map(|it| it.as_ptr()).collect();
        let status = unsafe { molehill_flash_error(number, pointers.as_ptr(), pointers.len()) };
        let mut error = MolehillError::default();
        unsafe { molehill_last_error(&raw mut error) };
        let text = unsafe { CStr::from_ptr(error.as3_message) }.to_str().unwrap().to_owned();
        (status, error.error_class, text)
    };
    let (status, class, text) = raise(3694, &[]);
    assert_eq!((status, class), (MolehillStatus::FlashError, MolehillErrorClass::Error));
    assert_eq!(text, "Error #3694: The object was disposed by an earlier call of dispose() on it.");
    let (_, class, text) = raise(2007, &[c"buffer"]);
    assert_eq!(class, MolehillErrorClass::TypeError);
    assert_eq!(text, "Error #2007: Parameter buffer must be non-null.");
    for number in [0, 1, 99999, u32::MAX] {
        let (status, class, text) = raise(number, &[]);
        assert_eq!((status, class), (MolehillStatus::BadArgument, MolehillErrorClass::None));
        assert_eq!(text, "", "{number}");
    }
    let (device, bytes) = (device(), [0u8; 256]);
    let context = context(device);
    let texture = texture(context);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    unsafe {
        let uploaded =
            molehill_texture_upload_from_byte_array(texture, bytes.as_ptr().cast(), 256, 0, -1, 0);
        assert_eq!((uploaded, message().0), (MolehillStatus::FlashError, 3694));
        assert_eq!(molehill_texture_dispose(texture), MolehillStatus::Ok);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}
