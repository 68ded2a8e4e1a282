//! What cases run on.

use std::num::NonZeroUsize;

use backend_gl::offscreen::Api;
use context3d::agal::Dialect;
use context3d::{BackendError, NullBackend};

use crate::mutations::{MutatedBackend, Mutation};
use backend_gl::offscreen::GlFactory;
use context3d::{AnyBackend, BackendFactory};
use molehill_reference::{Options, ReferenceBackend};

/// One table of devices.
macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident $text:literal dialect $dialect:expr, draws $draws:literal,
        $open:expr;)+) => {
        /// A backend that can be put to the test, or be the oracle of another one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Device {$($(#[$doc])* $name,)+}

        impl Device {
            /// Every device.
            pub const ALL: &'static [Device] = &[$(Device::$name),+];

            /// Its name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Device::$name => $text),+ }
            }

            /// The dialect of GLSL that its programs become, where programs can be run alone on it.
            pub fn dialect(self) -> Option<Dialect> {
                match self { $(Device::$name => $dialect),+ }
            }

            /// Its pictures mean something.
            pub fn draws(self) -> bool {
                match self { $(Device::$name => $draws),+ }
            }

            /// A new one.
            ///
            /// # Errors
            /// Where there is none on this machine.
            pub fn open(self) -> Result<AnyBackend, BackendError> {
                match self { $(Device::$name => $open),+ }
            }
        }
    };
}

devices! {
    /// Desktop OpenGL.
    Gl "gl" dialect Some(Dialect::Glsl330), draws true, open_gl(Api::OpenGl);
    /// OpenGL ES 3.
    Gles "gles" dialect Some(Dialect::Glsl300Es), draws true, open_gl(Api::Gles);
    /// The reference renderer.
    Reference "reference" dialect None, draws true, Ok(reference(None));
    /// Draws nothing: what is above the backend can be tested without a device.
    Null "null" dialect None, draws false, Ok(Box::new(NullBackend::counting()));
}

impl Device {
    /// Whose pictures are right where this one is put to the test.
    pub fn default_oracle(self) -> Device {
        match self {
            Device::Reference => Device::Gl,
            Device::Gl | Device::Gles | Device::Null => Device::Reference,
        }
    }

    /// The device of a name.
    pub fn from_name(name: &str) -> Option<Device> {
        let named = |device: &&Device| device.name() == name;
        Device::ALL.iter().find(named).copied()
    }
}

/// Draws on the thread that asks: a run has a process for each core.
fn reference(samples: Option<u8>) -> AnyBackend {
    let options = Options {
        threads: Some(NonZeroUsize::MIN),
        samples,
        ..Options::default()
    };
    Box::new(ReferenceBackend::new(options))
}

fn open_gl(api: Api) -> Result<AnyBackend, BackendError> {
    Ok(Box::new(GlFactory::new(api).create()?))
}

impl BackendFactory for Device {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        self.open()
    }
}

/// A device, and what it gets wrong on purpose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    pub(super) device: Device,
    pub(super) mutation: Option<&'static Mutation>,
    /// Samples a pixel of the reference renderer, where it must be as another machine.
    pub(super) samples: Option<u8>,
}

impl From<Device> for Subject {
    fn from(device: Device) -> Self {
        Subject {
            device,
            mutation: None,
            samples: None,
        }
    }
}

impl BackendFactory for Subject {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let backend = match (self.device, self.samples) {
            (Device::Reference, samples @ Some(_)) => reference(samples),
            _ => self.device.open()?,
        };
        Ok(match self.mutation {
            Some(mutation) => Box::new(MutatedBackend::new(backend, mutation)),
            None => backend,
        })
    }
}
