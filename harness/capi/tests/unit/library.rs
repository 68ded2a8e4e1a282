//! Tests panics, callbacks and recordings with access to the crate's internals.
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "calls of C functions")]

#[path = "../handles/support.rs"]
mod support;

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::context::with_context;
use crate::*;
use support::{context, device, message, present, record, texture};

#[test]
fn a_panic_breaks_its_context_alone() {
    let device = device();
    let (broken, whole) = (context(device), context(device));
    let status = status::guard::<()>(|| with_context(broken, |_| panic!("on purpose")));
    assert_eq!(status, MolehillStatus::Internal);
    assert!(message().1.ends_with(": on purpose"), "{:?}", message());
    assert_eq!(present(broken), MolehillStatus::Internal);
    assert!(message().1.contains("an internal error in an earlier call"), "{:?}", message());
    texture(whole);
    assert_eq!(molehill_context_destroy(broken), MolehillStatus::Ok);
    assert_eq!(molehill_context_destroy(whole), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

#[test]
fn a_callback_that_calls_back_finds_the_context_in_use() {
    // Other tests may log at the same time.
    static CONTEXT: AtomicU64 = AtomicU64::new(0);
    static HEARD: Mutex<Vec<MolehillStatus>> = Mutex::new(Vec::new());
    unsafe extern "C" fn hear(_: *mut c_void, _: i32, _: *const c_char, _: *const c_char) {
        let status = present(MolehillContext { id: CONTEXT.load(Ordering::Relaxed) });
        HEARD.lock().unwrap().push(status);
    }
    let device = device();
    let context = context(device);
    CONTEXT.store(context.id, Ordering::Relaxed);
    assert_eq!(molehill_set_log(Some(hear), null_mut(), 5), MolehillStatus::Ok);
    let status = status::guard(|| {
        with_context(context, |_| {
            log::warn!("something");
            Ok(MolehillStatus::Ok)
        })
    });
    assert_eq!(molehill_set_log(None, null_mut(), 0), MolehillStatus::Ok);
    assert_eq!(status, MolehillStatus::Ok);
    let heard = HEARD.lock().unwrap();
    assert!(heard.contains(&MolehillStatus::Busy), "{heard:?}");
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}

#[test]
fn a_recording_has_names_markers_and_stacks() {
    let (path, recording) = record("notes.s3d.jsonl");
    let context = context(device());
    let recorded = unsafe { molehill_context_record(context, recording, 0, null()) };
    assert_eq!(recorded, MolehillStatus::Ok);
    let object = texture(context);
    let (name, functions) = (c"sky", c"at Main/draw()\n\tat Main()\n");
    unsafe {
        let named = |object| molehill_recording_name(recording, object, name.as_ptr());
        assert_eq!(named(MolehillObject { id: object.id }), MolehillStatus::Ok);
        assert_eq!(named(MolehillObject { id: 77 }), MolehillStatus::BadHandle);
        let itself = |object| molehill_object_set_name(object, c"sea".as_ptr());
        assert_eq!(itself(MolehillObject { id: object.id }), MolehillStatus::Ok);
        assert_eq!(itself(MolehillObject { id: 77 }), MolehillStatus::BadHandle);
        for text in [name.as_ptr(), null()] {
            assert_eq!(molehill_recording_marker(recording, text), MolehillStatus::Ok);
        }
        for text in [functions.as_ptr(), null()] {
            assert_eq!(molehill_recording_stack(recording, text), MolehillStatus::Ok);
            present(context);
        }
        let other = MolehillRecording { id: context.id };
        assert_eq!(molehill_recording_marker(other, null()), MolehillStatus::BadHandle);
    }
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
    let lines = std::fs::read_to_string(&path).unwrap();
    for line in [
        "{\"note\":\"name\",\"on\":3,\"text\":\"sky\"}\n{\"note\":\"name\",\"on\":3,\"text\":\"sea\"}\n{\"note\":\"begin\",\"text\":\"sky\"}\n{\"note\":\"end\"}\n",
        "{\"note\":\"stack\",\"number\":0,\"functions\":[\"at Main/draw()\",\"at Main()\"]}\n",
    ] {
        assert!(lines.contains(line), "{line}\n{lines}");
    }
    let presents = lines.lines().filter(|line| line.contains("\"present\""));
    let stacks: Vec<bool> = presents.map(|line| line.ends_with("\"stack\":0}")).collect();
    assert_eq!(stacks, [true, false], "{lines}");
    std::fs::remove_file(path).unwrap();
}

/// A recorder stores objects until they are disposed or released, including by a release on another thread.
#[test]
fn a_recording_forgets_what_another_thread_releases() {
    let (path, recording) = record("forget.s3d");
    let known = || {
        crate::registry::with(recording.id, |it: &mut crate::recording::Recording| Ok(it.objects()))
    };
    let context = context(device());
    let recorded = unsafe { molehill_context_record(context, recording, 0, null()) };
    assert_eq!(recorded, MolehillStatus::Ok);
    let configured = unsafe { molehill_context_configure_back_buffer(context, 64, 64, 0, 0, 0, 0) };
    assert_eq!(configured, MolehillStatus::Ok);
    let textures: Vec<MolehillTexture> = (0..5).map(|_| texture(context)).collect();
    assert_eq!(known().ok(), Some(5));
    let released = textures[..3].to_vec();
    let release = move || {
        released.into_iter().for_each(|it| {
            assert_eq!(molehill_object_release(MolehillObject { id: it.id }), MolehillStatus::Ok)
        })
    };
    std::thread::spawn(release).join().unwrap();
    present(context);
    assert_eq!(known().ok(), Some(2));
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
    assert_eq!(known().ok(), Some(0));
    assert_eq!(molehill_recording_stop(recording), MolehillStatus::Ok);
    std::fs::remove_file(path).unwrap();
}
