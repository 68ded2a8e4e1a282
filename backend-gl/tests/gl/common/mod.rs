//! Shared code of this crate's tests: a context for each API, or a failure that says what to install.

pub(crate) mod logged;
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
    with_options(&options)
}

/// A context without a debug log, as players have it: only there draws take their shortest path.
pub(crate) fn undebugged(options: &Options) -> Offscreen {
    with_options(&Options { debug: false, ..*options })
}

fn with_options(options: &Options) -> Offscreen {
    match Offscreen::open_with(options) {
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
