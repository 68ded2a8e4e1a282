//! The devices that run cases.

use std::num::NonZeroUsize;

use backend_gl::offscreen::{self, Api, GlFactory};
use backend_gl::workarounds::Workarounds;
use backend_gl::{DeviceOptions, Translator};
use context3d::agal::glsl::Dialect;
use context3d::backend::{AnyBackend, BackendError, BackendFactory, NullBackend};

use crate::mutations::front::Change as FrontChange;
use crate::mutations::{MutatedBackend, Mutation};
use molehill_reference::{Options, ReferenceBackend};

/// The path from AGAL to GLSL, on devices that use GLSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shaders {
    /// Direct: [`agal::glsl::emit`].
    #[default]
    Agal,
    /// Through Direct3D 9 tokens ([`d3d9::from_agal`]) of the profile's shader model, or of the lowest higher model
    /// that the program fits in.
    D3d9,
}

impl Shaders {
    /// Every path, with its name on the command line.
    pub const NAMES: [(Shaders, &'static str); 2] =
        [(Shaders::Agal, "agal"), (Shaders::D3d9, "d3d9")];

    /// The path with this name.
    pub fn from_name(name: &str) -> Option<Shaders> {
        let row = Shaders::NAMES.iter().find(|(_, text)| *text == name);
        row.map(|(shaders, _)| *shaders)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Shaders::Agal => "agal",
            Shaders::D3d9 => "d3d9",
        }
    }

    /// The translator option for OpenGL devices.
    pub fn translator(self) -> Translator {
        match self {
            Shaders::Agal => Translator::default(),
            Shaders::D3d9 => Translator(|pair, target| {
                let glsl = d3d9::from_agal::emit(pair, target);
                glsl.map_err(|error| BackendError::Unsupported(format!("Direct3D 9: {error}")))
            }),
        }
    }
}

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

            /// The GLSL dialect for programs that run without drawing; `None` if the device has no GLSL.
            pub fn dialect(self) -> Option<Dialect> {
                match self { $(Device::$name => $dialect),+ }
            }

            /// Whether it draws pictures.
            pub fn draws(self) -> bool {
                match self { $(Device::$name => $draws),+ }
            }

            /// Opens the device. `options` applies to the reference renderer, `gl` to OpenGL devices.
            ///
            /// # Errors
            /// The machine has no such device.
            pub fn open_with(self, options: Options, gl: DeviceOptions) -> Result<AnyBackend, BackendError> {
                type Open = fn(Options, DeviceOptions) -> Result<AnyBackend, BackendError>;
                let open: Open = match self { $(Device::$name => $open),+ };
                open(options, gl)
            }
        }
    };
}

devices! {
    /// Desktop OpenGL.
    Gl "gl" dialect Some(Dialect::Glsl330), draws true, |_, device| open_gl(Api::OpenGl, device);
    /// OpenGL ES 3.
    Gles "gles" dialect Some(Dialect::Glsl300Es), draws true, |_, device| open_gl(Api::Gles, device);
    /// The reference renderer.
    Reference "reference" dialect None, draws true, |options, _| Ok(Box::new(ReferenceBackend::new(options)));
    /// Draws nothing; tests everything above the backend without a device.
    Null "null" dialect None, draws false, |_, _| Ok(Box::new(NullBackend::counting()));
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
        self.open_with(single_threaded(), DeviceOptions::default())
    }

    /// The device with this name.
    pub fn from_name(name: &str) -> Option<Device> {
        let named = |device: &&Device| device.name() == name;
        Device::ALL.iter().find(named).copied()
    }
}

/// Options of the reference renderer with one thread: a run has one process per core.
pub(super) fn single_threaded() -> Options {
    Options { threads: Some(NonZeroUsize::MIN), ..Options::default() }
}

fn open_gl(api: Api, device: DeviceOptions) -> Result<AnyBackend, BackendError> {
    let options = offscreen::Options { device, exclusive: true, ..offscreen::Options::new(api) };
    Ok(Box::new(GlFactory::new(options).create()?))
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
    pub(super) front: Option<FrontChange>,
    pub(super) options: Options,
    pub(super) workarounds: Workarounds,
    pub(super) shaders: Shaders,
}

impl From<Device> for TestedDevice {
    fn from(device: Device) -> Self {
        TestedDevice {
            device,
            mutation: None,
            front: None,
            options: single_threaded(),
            workarounds: Workarounds::default(),
            shaders: Shaders::default(),
        }
    }
}

impl BackendFactory for TestedDevice {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let mutated = self.front.and_then(|change| change.translator());
        let translator = mutated.unwrap_or_else(|| self.shaders.translator());
        let gl = DeviceOptions { workarounds: self.workarounds, translator };
        let backend = self.device.open_with(self.options, gl)?;
        Ok(match self.mutation {
            Some(mutation) => Box::new(MutatedBackend::new(backend, mutation)),
            None => backend,
        })
    }
}
