//! Tests that recorded calls are only issued on a matching context.

use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use context3d::backend::{Backend, BackendFactory as _};
use context3d::{Context3D, ContextOptions, Profile};
use molehill_testing::trace::{CallMismatch, NoopFactory, record, recorded};

fn frame<B: Backend>(context: &mut Context3D<B>) {
    context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX).expect("a clear");
    context.present().expect("a frame");
}

fn context<B: Backend>(backend: B) -> Context3D<B> {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(backend, options);
    context.configure_back_buffer(64, 64, 0, true, false, false).expect("a back buffer");
    frame(&mut context);
    context
}

#[test]
fn only_a_context_of_the_recorded_version_with_a_vertex_array_is_taken() {
    let refused = |call| Err(CallMismatch { call });
    let open = |api| Offscreen::open_with(&recorded(OffscreenOptions::new(api))).expect("an EGL");
    let offscreens = [Api::OpenGl, Api::Gles].map(open);
    for (own, other) in [(0, 1), (1, 0)] {
        let [own, other] = [&offscreens[own], &offscreens[other]];
        other.device().expect("a device");
        let mut context = context(own.backend().expect("a backend"));
        let ((), trace) = record(|| frame(&mut context));
        assert_eq!(trace.counts()["glClearBufferfv"], 1);
        assert_eq!(trace.issue(None), refused("eglMakeCurrent"));
        assert_eq!(trace.issue(Some(other)), refused("glGetString"));
        assert_eq!(trace.issue(Some(own)), Ok(()));
        own.device().expect("a device").reset_to_gl_defaults().expect("the defaults");
        assert_eq!(trace.issue(Some(own)), refused("glBindVertexArray"));
        frame(&mut context);
        assert_eq!(trace.issue(Some(own)), Ok(()));
    }
}

#[test]
fn functions_that_do_nothing_need_no_context() {
    let mut context = context(NoopFactory { recorded: true }.create().expect("a backend"));
    let ((), trace) = record(|| frame(&mut context));
    assert_eq!(trace.issue(None), Ok(()));
    let ((), unrecorded) = record(|| ());
    assert!(unrecorded.is_empty());
    assert_eq!(unrecorded.issue(None), Ok(()));
}
