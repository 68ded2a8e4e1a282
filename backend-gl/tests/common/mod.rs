//! What all tests of this crate share: a context for each API, or a failure that says what to install.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod scene;

use backend_gl::GlBackend;
use backend_gl::offscreen::{Api, Offscreen, Options};
use backend_gl::workarounds::Workarounds;

/// Both families of GL.
pub(crate) const APIS: [Api; 2] = [Api::OpenGl, Api::Gles];

/// A debug context. A machine without one fails the test: a skipped pixel test proves nothing.
pub(crate) fn open(api: Api) -> Offscreen {
    open_with(api, Workarounds::default())
}

pub(crate) fn open_with(api: Api, workarounds: Workarounds) -> Offscreen {
    let mut options = Options::new(api);
    options.debug = true;
    options.device.workarounds = workarounds;
    match Offscreen::open_with(&options) {
        Ok(offscreen) => offscreen,
        Err(error) => panic!("{error}\nharness/setup.sh installs a software EGL"),
    }
}

/// A backend on a debug context of its own.
pub(crate) fn backend(api: Api) -> GlBackend {
    backend_with(api, Workarounds::default())
}

/// The same with forced remedies.
pub(crate) fn backend_with(api: Api, workarounds: Workarounds) -> GlBackend {
    match open_with(api, workarounds).backend() {
        Ok(backend) => backend,
        Err(error) => panic!("no backend: {error}"),
    }
}

/// Names the variable that keeps a second run from starting a third.
const SECOND_RUN: &str = "BACKEND_GL_SECOND_RUN";

/// Runs this test file again on the oldest GL that is supported, without the extensions that newer ones have: the
/// remedies of `workarounds` must give the same pixels. Mesa listens to these variables; other drivers ignore them.
pub(crate) fn run_again_on_an_old_driver() {
    if std::env::var_os(SECOND_RUN).is_some() {
        return;
    }
    let program = std::env::current_exe().expect("the test's own path");
    let output = std::process::Command::new(program)
        .env(SECOND_RUN, "1")
        .env("MESA_GL_VERSION_OVERRIDE", "3.3")
        .env("MESA_GLES_VERSION_OVERRIDE", "3.0")
        .env(
            "MESA_EXTENSION_OVERRIDE",
            "-GL_ARB_clip_control -GL_EXT_clip_control -GL_ARB_ES2_compatibility",
        )
        .output()
        .expect("the test runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "on an old driver:\n{text}");
}
