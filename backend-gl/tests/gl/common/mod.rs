//! Shared code of this crate's tests: a context for each API, or a failure that names the packages to install.

pub(crate) mod logged;
pub(crate) mod scene;

use backend_gl::GlBackend;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use backend_gl::workarounds::Workarounds;

/// OpenGL and OpenGL ES.
pub(crate) const APIS: [Api; 2] = [Api::OpenGl, Api::Gles];

/// Opens a debug context. If the machine can't create a context, the test fails and is not skipped.
pub(crate) fn open(api: Api) -> Offscreen {
    open_with(api, Workarounds::default())
}

pub(crate) fn open_with(api: Api, workarounds: Workarounds) -> Offscreen {
    let mut options = OffscreenOptions::new(api);
    options.debug = true;
    options.device.workarounds = workarounds;
    with_options(&options)
}

/// Opens a context without a debug log, as in players: only without it do draws take their fast path.
pub(crate) fn undebugged(options: &OffscreenOptions) -> Offscreen {
    with_options(&OffscreenOptions { debug: false, ..*options })
}

fn with_options(options: &OffscreenOptions) -> Offscreen {
    match Offscreen::open_with(options) {
        Ok(offscreen) => offscreen,
        Err(error) => panic!("{error}\nharness/setup.sh installs a software EGL"),
    }
}

/// Creates a backend on a new debug context.
pub(crate) fn backend(api: Api) -> GlBackend {
    backend_with(api, Workarounds::default())
}

/// Like [`backend`], but with forced workarounds.
pub(crate) fn backend_with(api: Api, workarounds: Workarounds) -> GlBackend {
    match open_with(api, workarounds).backend() {
        Ok(backend) => backend,
        Err(error) => panic!("no backend: {error}"),
    }
}
