//! Tests WGL contexts in addition to those of a host.
#![cfg(windows)]
#![allow(unsafe_code, reason = "the host's own calls of WGL and OpenGL")]

use std::ptr::{null_mut, without_provenance_mut};

use backend_gl::glow::{self, HasContext as _};
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions, Route, Share};
use windows_sys::Win32::Graphics::OpenGL::{wglGetCurrentContext, wglMakeCurrent};

fn open(share: Option<Share>, restore: bool) -> Offscreen {
    let route = Some(Route::Wgl);
    let options = Options { route, share, restore, ..Options::new(Api::OpenGl) };
    Offscreen::open_with(&options).expect("WGL")
}

fn current() -> isize {
    // SAFETY: the function has no arguments.
    unsafe { wglGetCurrentContext() }
}

#[test]
fn a_context_shares_the_hosts_objects() {
    let host = open(None, false);
    host.make_current().expect("the host's context");
    let context = without_provenance_mut(current().cast_unsigned());
    // SAFETY: the context lives until the end of the test.
    let share = unsafe { Share::new(null_mut(), context) };
    // SAFETY: the host's context is current.
    let texture = unsafe {
        let texture = host.functions().create_texture().expect("a texture");
        host.functions().bind_texture(glow::TEXTURE_2D, Some(texture));
        texture
    };
    for (share, shared) in [(Some(share), true), (None, false)] {
        let beside = open(share, false);
        // SAFETY: the new context is current.
        assert_eq!(unsafe { beside.functions().is_texture(texture) }, shared);
    }
}

#[test]
fn the_thread_gets_back_its_context() {
    let host = open(None, false);
    host.make_current().expect("the host's context");
    let own = current();
    assert_ne!(own, 0);
    let offscreen = open(None, true);
    assert_eq!(current(), own, "a new context");
    let device = offscreen.device().expect("a device");
    assert_eq!(current(), own, "a new device");
    // SAFETY: null handles unset the thread's current context.
    unsafe { wglMakeCurrent(0, 0) };
    device.reset_to_gl_defaults().expect("the device's context");
    assert_eq!(current(), 0, "a call without a context");
    host.make_current().expect("the host's context");
    drop((device, offscreen));
    assert_eq!(current(), own, "all is dropped");
}

#[test]
fn threads_have_contexts_of_their_own() {
    let opened = || {
        let offscreen = open(None, false);
        offscreen.backend().expect("a backend");
        current()
    };
    let threads = [(); 4].map(|()| std::thread::spawn(opened));
    assert!(threads.into_iter().all(|thread| thread.join().expect("the thread") != 0));
}
