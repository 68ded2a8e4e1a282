//! The devices that run cases.

use std::num::NonZeroUsize;

use backend_gl::offscreen::Api;
use context3d::agal::Dialect;
use context3d::{BackendError, NullBackend};

use crate::mutations::{MutatedBackend, Mutation};
use backend_gl::offscreen::GlFactory;
use context3d::{AnyBackend, BackendFactory};
use molehill_reference::{Options, ReferenceBackend};

/// The table of devices.
macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident $text:literal dialect $dialect:expr, draws $draws:literal,
        $open:expr;)+) => {
        /// A backend that can be tested, or be the oracle of another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Device {$($(#[$doc])* $name,)+}

        impl Device {
            /// Every device.
            pub const ALL: &'static [Device] = &[$(Device::$name),+];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Device::$name => $text),+ }
            }

            /// The GLSL dialect of programs that run without drawing, if it can do that.
            pub fn dialect(self) -> Option<Dialect> {
                match self { $(Device::$name => $dialect),+ }
            }

            /// Whether it draws pictures.
            pub fn draws(self) -> bool {
                match self { $(Device::$name => $draws),+ }
            }

            /// Opens the device. OpenGL uses only the option `blocks`.
            ///
            /// # Errors
            /// The machine has no such device.
            pub fn open_with(self, options: Options) -> Result<AnyBackend, BackendError> {
                type Open = fn(Options) -> Result<AnyBackend, BackendError>;
                let open: Open = match self { $(Device::$name => $open),+ };
                open(options)
            }
        }
    };
}

devices! {
    /// Desktop OpenGL.
    Gl "gl" dialect Some(Dialect::Glsl330), draws true, |options| open_gl(Api::OpenGl, options);
    /// OpenGL ES 3.
    Gles "gles" dialect Some(Dialect::Glsl300Es), draws true, |options| open_gl(Api::Gles, options);
    /// The reference renderer.
    Reference "reference" dialect None, draws true, |options| Ok(Box::new(ReferenceBackend::new(options)));
    /// Draws nothing: for testing everything above the backend without a device.
    Null "null" dialect None, draws false, |_| Ok(Box::new(NullBackend::counting()));
}

impl Device {
    /// The oracle for tests of this device.
    pub fn default_oracle(self) -> Device {
        match self {
            Device::Reference => Device::Gl,
            Device::Gl | Device::Gles | Device::Null => Device::Reference,
        }
    }

    /// Opens the device with one thread.
    ///
    /// # Errors
    /// The machine has no such device.
    pub fn open(self) -> Result<AnyBackend, BackendError> {
        self.open_with(single_threaded())
    }

    /// The device with this name.
    pub fn from_name(name: &str) -> Option<Device> {
        let named = |device: &&Device| device.name() == name;
        Device::ALL.iter().find(named).copied()
    }
}

/// Options of the reference renderer with one thread: a run has one process per core.
pub(super) fn single_threaded() -> Options {
    Options {
        threads: Some(NonZeroUsize::MIN),
        ..Options::default()
    }
}

fn open_gl(api: Api, options: Options) -> Result<AnyBackend, BackendError> {
    let factory = GlFactory::new(api);
    let mut factory = match options.blocks {
        true => factory,
        false => factory.without_blocks(),
    };
    Ok(Box::new(factory.create()?))
}

impl BackendFactory for Device {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        self.open()
    }
}

/// A device with an optional mutation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestedDevice {
    pub(super) device: Device,
    pub(super) mutation: Option<&'static Mutation>,
    pub(super) options: Options,
}

impl From<Device> for TestedDevice {
    fn from(device: Device) -> Self {
        TestedDevice {
            device,
            mutation: None,
            options: single_threaded(),
        }
    }
}

impl BackendFactory for TestedDevice {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let backend = self.device.open_with(self.options)?;
        Ok(match self.mutation {
            Some(mutation) => Box::new(MutatedBackend::new(backend, mutation)),
            None => backend,
        })
    }
}
