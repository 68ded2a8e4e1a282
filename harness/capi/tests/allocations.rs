//! Tests that a C host's arguments use bounded memory: an allocator rejects more, which aborts the process unless the
//! library returns an error.
#![allow(unsafe_code, reason = "calls of C functions")]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "calls of C functions")]

use std::alloc::System;
use std::ffi::CString;
use std::ptr::null;

use cap::Cap;
use molehill_c::*;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

const MB: usize = 1 << 20;
/// Memory limit for all objects of a baseline context, whose width and height Flash limits to 2048 pixels.
const OBJECTS: usize = 160 * MB;

/// Runs calls with a limit on the memory that they allocate.
fn within(bytes: usize, calls: impl FnOnce()) {
    let before = MEMORY.allocated();
    MEMORY.set_limit(before + bytes).expect("more than is in use");
    calls();
    MEMORY.set_limit(usize::MAX).expect("no limit");
}

fn made<T: Default>(make: impl FnOnce(*mut T) -> MolehillStatus) -> T {
    let mut handle = T::default();
    assert_eq!(make(&raw mut handle), MolehillStatus::Ok);
    handle
}

fn context(device: MolehillDevice) -> MolehillContext {
    let options = MolehillContextOptions { swf_version: 30, ..Default::default() };
    // SAFETY: the pointers are valid.
    made(|context| unsafe { molehill_context_create(device, &raw const options, context) })
}

/// All checks are in one test, because the memory limit applies to the process.
#[test]
fn arguments_take_bounded_memory() {
    // SAFETY: the options are null, which is allowed, and the other pointer is valid.
    let device = made(|device| unsafe { molehill_device_software(null(), device) });
    let numbers = [0, 1, 1024, 2048, 4096, 65535, 1 << 24, i32::MAX, -1, i32::MIN];
    for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
        within(OBJECTS, || {
            let context = context(device);
            let mut created = 0u64;
            let (bgra, usage) = (c"bgra".as_ptr(), c"staticDraw".as_ptr());
            // SAFETY: the strings end with zero, and `created` is written before it is read. The calls may succeed or
            // fail.
            unsafe {
                let _ = molehill_context_configure_back_buffer(context, a, b, 4, 1, 0, 0);
                let _ = molehill_context_create_texture(
                    context,
                    a,
                    b,
                    bgra,
                    1,
                    b,
                    (&raw mut created).cast(),
                );
                let _ = molehill_context_create_rectangle_texture(
                    context,
                    a,
                    b,
                    bgra,
                    1,
                    (&raw mut created).cast(),
                );
                let _ = molehill_context_create_cube_texture(
                    context,
                    a,
                    bgra,
                    0,
                    b,
                    (&raw mut created).cast(),
                );
                let _ = molehill_context_create_vertex_buffer(
                    context,
                    a,
                    b,
                    usage,
                    (&raw mut created).cast(),
                );
                let _ = molehill_context_create_index_buffer(
                    context,
                    a,
                    usage,
                    (&raw mut created).cast(),
                );
                assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
            }
        });
    }
    // An error message contains the invalid string, and formatting the message copies it.
    let context = context(device);
    for length in [MB, 8 * MB] {
        let text = CString::new(vec![b'x'; length]).expect("no zero");
        within(8 * length + MB, || {
            let mut created = 0u64;
            // SAFETY: as above.
            let status = unsafe {
                molehill_context_create_texture(
                    context,
                    8,
                    8,
                    text.as_ptr(),
                    0,
                    0,
                    (&raw mut created).cast(),
                )
            };
            assert_eq!(status, MolehillStatus::FlashError);
        });
    }
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    // The objects of an ended thread are freed by another thread.
    let before = MEMORY.allocated();
    let leaves = || {
        // SAFETY: null options are allowed, and the other pointers are valid.
        unsafe {
            let device = made(|device| molehill_device_software(null(), device));
            let context = self::context(device);
            molehill_context_configure_back_buffer(context, 2048, 2048, 0, 0, 0, 0);
            (device, context)
        }
    };
    let (device, context) = std::thread::spawn(leaves).join().expect("it ends");
    assert!(MEMORY.allocated() > before + 8 * MB);
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
    assert!(MEMORY.allocated() < before + MB, "{} were kept", MEMORY.allocated() - before);
}
