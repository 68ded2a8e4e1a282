//! Injects every possible failure into each GL call of a small program: the C functions report it, and no object leaks.
#![allow(unsafe_code, reason = "the functions are C's")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

use molehill_c::*;
use molehill_testing::trace::{InjectedError, failing_loader, faults, inject, objects, uncounted};

unsafe extern "C" fn load(_: *mut c_void, name: *const c_char) -> *const c_void {
    // SAFETY: the names end with 0.
    failing_loader(unsafe { CStr::from_ptr(name) }.to_str().expect("a name of GL"))
}

/// The record of one run of a program.
#[derive(Default)]
struct Run {
    statuses: Vec<MolehillStatus>,
    left: usize,
}

/// Runs a program with a buffer, a render texture and two frames, and repeats failed calls.
fn play() -> Run {
    let mut run = Run::default();
    let mut call = |function: &mut dyn FnMut() -> MolehillStatus| {
        for _ in 0..2 {
            let status = function();
            run.statuses.push(status);
            if status == MolehillStatus::Ok {
                break;
            }
        }
    };
    let (mut device, mut context) = (MolehillDevice::default(), MolehillContext::default());
    let (mut buffer, mut texture) = (MolehillVertexBuffer::default(), MolehillTexture::default());
    let options = MolehillContextOptions {
        profile: c"standard".as_ptr(),
        swf_version: 30,
        ..Default::default()
    };
    let floats = [0.5f32; 12];
    let mut bgra = vec![0; 64 * 32 * 4];
    let pixels =
        MolehillPixels { pixels: bgra.as_mut_ptr(), length: bgra.len(), ..Default::default() };
    let mut size = MolehillSize { width: 0, height: 0 };
    // SAFETY: the pointers are valid or null; the functions of the loader need no context.
    unsafe {
        // glow reads the list of extensions unchecked.
        call(&mut || {
            uncounted(|| {
                molehill_device_from_loader(
                    Some(load),
                    std::ptr::null_mut(),
                    null(),
                    null(),
                    &raw mut device,
                )
            })
        });
        call(&mut || molehill_context_create(device, &raw const options, &raw mut context));
        if context.id != 0 {
            call(&mut || molehill_context_configure_back_buffer(context, 64, 32, 2, 1, 0, 0));
            call(&mut || {
                molehill_context_create_vertex_buffer(
                    context,
                    4,
                    3,
                    c"staticDraw".as_ptr(),
                    &raw mut buffer,
                )
            });
            call(&mut || {
                molehill_vertex_buffer_upload_from_float_vector(buffer, floats.as_ptr(), 12, 0, 4)
            });
            call(&mut || {
                molehill_context_create_texture(
                    context,
                    16,
                    16,
                    c"bgra".as_ptr(),
                    1,
                    0,
                    &raw mut texture,
                )
            });
            for _ in 0..2 {
                call(&mut || molehill_context_set_render_to_texture(context, texture, 1, 0, 0, 0));
                call(&mut || molehill_context_clear(context, 1.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX));
                call(&mut || molehill_context_set_render_to_back_buffer(context));
                call(&mut || molehill_context_clear(context, 0.0, 1.0, 0.0, 1.0, 1.0, 0, u32::MAX));
                call(&mut || molehill_context_present(context));
                call(&mut || {
                    molehill_context_read_front(context, null(), &raw const pixels, &raw mut size)
                });
            }
            assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
        }
        assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    }
    run.left = objects().values().sum();
    run
}

#[test]
fn every_call_may_fail() {
    let (plain, functions) = inject(None, play);
    assert!(
        plain.statuses.iter().all(|status| *status == MolehillStatus::Ok),
        "{:?}",
        plain.statuses
    );
    assert_eq!(plain.left, 0);
    let mut injections = 0;
    for (number, function) in functions.iter().enumerate() {
        for fault in faults(function) {
            injections += 1;
            let (run, _) = inject(Some((number, fault)), play);
            let what = format!("call {number}, {function}, {fault:?}: {:?}", run.statuses);
            let failed: Vec<_> =
                run.statuses.iter().filter(|status| **status != MolehillStatus::Ok).collect();
            if fault == InjectedError::Lost {
                // The loss of a device is detected, unless no later call uses GL.
                let lost = run.statuses.contains(&MolehillStatus::DeviceLost);
                assert!(!lost || run.statuses.last() != Some(&MolehillStatus::Ok), "{what}");
                assert!(lost || failed.is_empty() && number + 64 > functions.len(), "{what}");
                continue;
            }
            // Only the call with the injected error and a present that reports the error may fail; repetitions succeed.
            assert!(failed.len() <= 2, "{what}");
            assert_eq!(run.statuses.last(), Some(&MolehillStatus::Ok), "{what}");
            let known = [
                MolehillStatus::FlashError,
                MolehillStatus::OutOfMemory,
                MolehillStatus::Driver,
                MolehillStatus::Unsupported,
            ];
            assert!(failed.iter().all(|status| known.contains(status)), "{what}");
            assert!(run.left == 0 || function.starts_with("glDelete"), "{what}: {} left", run.left);
        }
    }
    assert!(injections > 400, "{injections}");
    println!("{} calls, {injections} injections", functions.len());
}
