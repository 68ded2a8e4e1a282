//! The devices that run test cases.

use std::fmt::Display;
use std::num::NonZeroUsize;

use backend_gl::offscreen::{self, Api, GlFactory};
use backend_gl::workarounds::Workarounds;
use backend_gl::{DeviceOptions, Translator};
use context3d::agal::float::FloatRules;
use context3d::agal::glsl::Dialect;
use context3d::backend::{AnyBackend, BackendError, BackendFactory, NullBackend};
use molehill_replay::evidence::Party;

use crate::mutations::api::ApiChange;
use crate::mutations::{MutatedBackend, Mutation};
use molehill_reference::{self as reference, ReferenceBackend};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

agal_core::table! {
    /// The translation of AGAL to GLSL, for devices that use GLSL.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ShaderRoute {
        name: &'static str => from_name(&str),
    }
    /// Direct translation with [`agal::glsl::emit`].
    #[default]
    Agal "agal";
    /// Translation through Direct3D 9 tokens ([`d3d9::from_agal`]), in the lowest shader model that suffices.
    D3d9 "d3d9";
}

impl ShaderRoute {
    /// Returns the AGAL translator for OpenGL devices.
    pub fn translator(self) -> Translator {
        match self {
            ShaderRoute::Agal => Translator::default(),
            ShaderRoute::D3d9 => Translator(|pair, target| {
                let glsl = d3d9::from_agal::emit(pair, target);
                glsl.map_err(|error| BackendError::Unsupported(format!("Direct3D 9: {error}")))
            }),
        }
    }
}

/// The options of a renderer. The command line sets the options, and child processes receive them as JSON.
/// [`RendererOptions::reference`] and [`RendererOptions::gl`] convert the options for the two backends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RendererOptions {
    pub shaders: ShaderRoute,
    /// OpenGL workarounds that are forced on or off.
    #[serde(serialize_with = "write_text", deserialize_with = "read_workarounds")]
    pub workarounds: Workarounds,
    /// The number of threads of the reference renderer. `None` means one thread per core.
    pub threads: Option<NonZeroUsize>,
    /// The reference renderer's sample count for antialiased targets. `None` means the requested sample count.
    pub samples: Option<u8>,
    /// True if compressed ATF blocks are decoded on the CPU.
    pub no_blocks: bool,
    /// The rules for special floats in programs.
    #[serde(serialize_with = "write_text", deserialize_with = "read_float_rules")]
    pub float_rules: FloatRules,
}

impl RendererOptions {
    pub fn reference(&self) -> reference::RasterOptions {
        let RendererOptions { threads, samples, no_blocks, float_rules, .. } = *self;
        let default = reference::RasterOptions::default();
        reference::RasterOptions { threads, samples, blocks: !no_blocks, float_rules, ..default }
    }

    /// Returns the name of a device, followed by the options that change its results.
    pub fn named(&self, device: &str, mutation: Option<&str>) -> String {
        let RendererOptions { shaders, workarounds, threads: _, samples, no_blocks, float_rules } =
            self;
        let shaders = (*shaders != ShaderRoute::default()).then(|| shaders.name());
        let rules = (*float_rules != FloatRules::default()).then(|| float_rules.name());
        let options = [
            ("shaders ", shaders.map(str::to_owned)),
            ("float rules ", rules.map(str::to_owned)),
            ("workarounds ", (!workarounds.is_empty()).then(|| workarounds.to_string())),
            ("samples ", samples.map(|samples| samples.to_string())),
            ("blocks decoded on the CPU", no_blocks.then(String::new)),
            ("mutation ", mutation.map(str::to_owned)),
        ];
        let options = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        options
            .fold(device.to_owned(), |named, (name, value)| format!("{named} with {name}{value}"))
    }

    pub fn gl(&self) -> DeviceOptions {
        let blocks =
            if self.no_blocks { Workarounds::without_blocks() } else { Workarounds::default() };
        DeviceOptions {
            workarounds: blocks.with(self.workarounds),
            translator: self.shaders.translator(),
            float_rules: self.float_rules,
            ..DeviceOptions::default()
        }
    }
}

fn write_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn read_workarounds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Workarounds, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

fn read_float_rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FloatRules, D::Error> {
    let name = String::deserialize(deserializer)?;
    let unknown = || serde::de::Error::custom(format!("unknown float rules {name:?}"));
    FloatRules::from_name(&name).ok_or_else(unknown)
}

/// A function that opens a device with the options of the reference renderer or of OpenGL. wgpu has no options.
pub type BackendOpener =
    fn(reference::RasterOptions, DeviceOptions) -> Result<AnyBackend, BackendError>;

agal_core::table! {
    /// A backend that can be tested, or that can be the oracle of another backend.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ConformDevice {
        name: &'static str => from_name(&str),
        title: &'static str,
        /// The GLSL dialect for programs that run without drawing, or `None` if the device doesn't use GLSL.
        dialect: Option<Dialect>,
        /// The GLSL dialect of tessellation control shaders, or `None` if the device doesn't support tessellation.
        tessellation: Option<Dialect>,
        draws: bool,
        opener: BackendOpener,
    }
    Gl "gl", "OpenGL", Some(Dialect::Glsl330), Some(Dialect::Glsl400), true, |_, device| open_gl(Api::OpenGl, device);
    Gles "gles", "OpenGL ES", Some(Dialect::Glsl300Es), Some(Dialect::Glsl320Es), true, |_, device| open_gl(Api::Gles, device);
    Reference "reference", Party::REFERENCE, None, None, true, |options, _| Ok(Box::new(ReferenceBackend::new(options)));
    /// A wgpu device, available only in builds with the feature `wgpu`.
    Wgpu "wgpu", "wgpu", None, None, true, |_, _| open_wgpu();
    /// A device that draws nothing. The null device tests the API layer above the backend without a driver.
    Null "null", "null backend", None, None, false, |_, _| Ok(Box::new(NullBackend::counting()));
}

impl ConformDevice {
    pub fn default_oracle(self) -> ConformDevice {
        match self {
            ConformDevice::Reference => ConformDevice::Gl,
            ConformDevice::Gl | ConformDevice::Gles | ConformDevice::Wgpu | ConformDevice::Null => {
                ConformDevice::Reference
            }
        }
    }

    /// Opens the device with one thread, because a run starts one process per CPU core.
    pub fn open(self) -> Result<AnyBackend, BackendError> {
        TestedDevice::from(self).create()
    }
}

fn open_gl(api: Api, device: DeviceOptions) -> Result<AnyBackend, BackendError> {
    let options = offscreen::OffscreenOptions {
        device,
        exclusive: true,
        ..offscreen::OffscreenOptions::new(api)
    };
    Ok(Box::new(GlFactory::new(options).create()?))
}

#[cfg(feature = "wgpu-device")]
thread_local! {
    static WGPU: std::cell::RefCell<Option<backend_wgpu::WgpuDevice>> = const { std::cell::RefCell::new(None) };
}

/// Sets the wgpu device of this thread. A web page must open the device itself, because opening is asynchronous.
#[cfg(feature = "wgpu-device")]
pub fn set_wgpu(device: backend_wgpu::WgpuDevice) {
    WGPU.set(Some(device));
}

/// Creates a backend on this thread's wgpu device, which is opened first if it was not opened yet or was lost.
#[cfg(feature = "wgpu-device")]
fn open_wgpu() -> Result<AnyBackend, BackendError> {
    use backend_wgpu::WgpuBackend;
    WGPU.with_borrow_mut(|device| {
        if let Some(made) = device.as_ref().and_then(|device| WgpuBackend::new(device).ok()) {
            return Ok(Box::new(made) as AnyBackend);
        }
        #[cfg(target_arch = "wasm32")]
        return Err(BackendError::Unsupported("WebGPU: the page has opened no device".to_owned()));
        #[cfg(not(target_arch = "wasm32"))]
        {
            let opened = backend_wgpu::open(backend_wgpu::AdapterSelector::Any);
            let opened = opened.map_err(|error| BackendError::Driver(error.to_string()))?;
            let made = WgpuBackend::new(device.insert(opened.share()))?;
            Ok(Box::new(made) as AnyBackend)
        }
    })
}

#[cfg(not(feature = "wgpu-device"))]
fn open_wgpu() -> Result<AnyBackend, BackendError> {
    let text = "wgpu is not in this build; build Molehill with --features wgpu";
    Err(BackendError::Unsupported(text.to_owned()))
}

impl BackendFactory for ConformDevice {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        self.open()
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TestedDevice {
    pub(super) device: ConformDevice,
    pub(super) mutation: Option<&'static Mutation>,
    pub(super) api: Option<ApiChange>,
    pub(super) renderer: RendererOptions,
}

impl From<ConformDevice> for TestedDevice {
    fn from(device: ConformDevice) -> Self {
        let renderer =
            RendererOptions { threads: Some(NonZeroUsize::MIN), ..RendererOptions::default() };
        TestedDevice { device, mutation: None, api: None, renderer }
    }
}

/// A device that draws expected images, with its name for the evidence of a comparison.
#[derive(Clone)]
pub(super) struct Drawer {
    pub(super) device: TestedDevice,
    pub(super) party: Party,
}

impl Drawer {
    pub(super) fn new(device: TestedDevice, mutation: Option<&str>, driver: &str) -> Drawer {
        let name = device.renderer.named(device.device.title(), mutation);
        Drawer { device, party: Party::renderer(name, driver) }
    }
}

impl BackendFactory for TestedDevice {
    type Backend = AnyBackend;

    fn create(&mut self) -> Result<AnyBackend, BackendError> {
        let mut gl = self.renderer.gl();
        if let Some(translator) = self.api.and_then(|change| change.translator()) {
            gl.translator = translator;
        }
        let backend = self.device.opener()(self.renderer.reference(), gl)?;
        Ok(match self.mutation {
            Some(mutation) => Box::new(MutatedBackend::new(backend, mutation)),
            None => backend,
        })
    }
}
