//! Tests videos, and objects that are unreachable in the VM but not released yet.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use super::support::{context, device, message};
use molehill_c::*;

fn video(context: MolehillContext) -> (MolehillStatus, MolehillTexture) {
    let mut texture = MolehillTexture::default();
    let created = unsafe { molehill_context_create_video_texture(context, &raw mut texture) };
    (created, texture)
}

fn plane(bytes: &[u8], stride: usize) -> MolehillPlane {
    MolehillPlane { data: bytes.as_ptr(), length: bytes.len(), stride }
}

/// [context3d.video.yuv] Decoders pass frames as planes.
#[test]
fn decoders_pass_planes() {
    let (status, texture) = video(context(device()));
    assert_eq!(status, MolehillStatus::Ok);
    let (y, u) = ([128; 64], [128; 64]);
    let none = MolehillPlane { data: null(), length: 0, stride: 0 };
    let nv12 = MolehillYuvFrame {
        width: 5,
        height: 3,
        y: plane(&y, 16),
        u: plane(&u, 8),
        v: none,
        ..Default::default()
    };
    let set = |frame: MolehillYuvFrame| unsafe {
        molehill_video_texture_yuv_frame(texture, &raw const frame)
    };
    assert_eq!(set(nv12), MolehillStatus::Ok, "{:?}", message());
    assert_eq!(set(MolehillYuvFrame { v: plane(&u, 3), bt709: 1, ..nv12 }), MolehillStatus::Ok);
    let mut size = MolehillSize { width: 0, height: 0 };
    let told = unsafe { molehill_texture_video_size(texture, &raw mut size) };
    assert_eq!((told, size.width, size.height), (MolehillStatus::Ok, 5, 3));
    let small = MolehillYuvFrame { u: plane(&u[..13], 8), ..nv12 };
    assert_eq!((set(small), message().0), (MolehillStatus::FlashError, 2015));
    assert_eq!(set(MolehillYuvFrame { y: none, ..nv12 }), MolehillStatus::BadArgument);
    let disposed = unsafe { molehill_texture_dispose(texture) };
    assert_eq!(disposed, MolehillStatus::Ok);
    assert_eq!((set(nv12), message().0), (MolehillStatus::FlashError, 3694));
}

/// [context3d.video.attach] Hosts attach videos to textures.
#[test]
fn hosts_attach_videos() {
    let (_, texture) = video(context(device()));
    let attach = |class: &CStr, name: &CStr| {
        let (on, arguments) = (MolehillObject { id: texture.id }, MolehillArguments::default());
        let (class, name) = (class.as_ptr(), name.as_ptr());
        unsafe { molehill_call(on, class, name, &raw const arguments, null_mut()) }
    };
    assert_eq!(attach(c"VideoTexture", c"attachNetStream"), MolehillStatus::Attach);
    assert_eq!(attach(c"VideoTexture", c"attachCamera"), MolehillStatus::Attach);
    assert_eq!(attach(c"Texture", c"attachCamera"), MolehillStatus::BadArgument);
    let disposed = unsafe { molehill_texture_dispose(texture) };
    assert_eq!(disposed, MolehillStatus::Ok);
    assert_eq!(attach(c"VideoTexture", c"attachCamera"), MolehillStatus::FlashError);
    assert_eq!(message().0, 3694);
}

/// A VM's finalizers release objects during a call that needs their memory [context3d.limit.garbage].
#[test]
fn garbage_is_collected_before_a_call_fails() {
    unsafe extern "C" fn collect(garbage: *mut c_void) -> MolehillBool {
        // SAFETY: the pointer refers to the vector below.
        let garbage = unsafe { &mut *garbage.cast::<Vec<MolehillTexture>>() };
        for texture in garbage.iter() {
            let object = MolehillObject { id: texture.id };
            assert_eq!(molehill_object_release(object), MolehillStatus::Ok);
        }
        MolehillBool::from(garbage.drain(..).len() > 0)
    }
    let context = context(device());
    let mut garbage = Vec::new();
    loop {
        let (status, texture) = video(context);
        if status != MolehillStatus::Ok {
            assert_eq!((status, message().0), (MolehillStatus::FlashError, 3691));
            break;
        }
        garbage.push(texture);
        assert!(garbage.len() < 10000);
    }
    let data = (&raw mut garbage).cast();
    assert_eq!(molehill_context_set_collector(context, Some(collect), data), MolehillStatus::Ok);
    assert_eq!(video(context).0, MolehillStatus::Ok);
    assert!(garbage.is_empty());
    assert_eq!(molehill_context_destroy(context), MolehillStatus::Ok);
}
