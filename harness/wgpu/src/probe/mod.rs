//! Runs AGAL shaders one stage at a time, with exact floats as inputs and outputs.
//!
//! A vertex shader runs for a grid of vertices; added statements at its end store the results in a buffer. A fragment
//! shader runs once for each pixel of a square grid, with float render targets. The varyings have one exact value per
//! pixel, or are linear functions (planes) over the grid, for derivatives and levels of detail.

mod resources;
mod run;
mod text;

use agal::generate::InputTexture;
use agal::{Interface, Stage};
use wgpu::{Device, DeviceDescriptor, ErrorFilter, Features, Queue, TextureView, naga::Module};

pub use agal_naga::module;
pub use text::parse;

use crate::open::describe;
use crate::version::{adapters, pop, wait};

/// A device that runs shaders of one stage.
#[derive(Debug)]
pub struct WgpuRunner {
    device: Device,
    queue: Queue,
    renderer: String,
    /// The width and height of the grid in pixels.
    side: u32,
    /// The render targets: four colours, then depth with stencil.
    targets: [wgpu::Texture; 5],
}

/// The shader of one stage for the default [`WgslOptions`](agal::wgsl::WgslOptions), with its interface.
#[derive(Clone, Copy, Debug)]
pub struct ProbeShader<'a> {
    /// The module of the stage.
    pub module: &'a Module,
    /// The stage that is tested.
    pub stage: Stage,
    /// The interface of the shader pair that contains the tested stage.
    pub interface: &'a Interface,
    /// True if the varyings of a fragment shader are planes over the grid.
    pub linear: bool,
}

/// The inputs of one run, by register number. Missing registers are 0.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRun<'a> {
    /// The attributes or varyings. A register has one value per vertex or pixel, or is a plane: the value at the first
    /// pixel, and its increments to the right and down.
    pub inputs: &'a [Vec<[f32; 4]>],
    /// The constant registers from register 0 on.
    pub constants: &'a [[f32; 4]],
    /// The textures by sampler register.
    pub textures: &'a [Option<InputTexture>],
    /// The instance id that a vertex shader reads.
    pub instance: u32,
}

/// The results of one run: one value per vertex or pixel, in rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeResults {
    /// The position and the varyings, or the colours and the depth, in the order of the interface.
    pub registers: Vec<Vec<[f32; 4]>>,
    /// For each pixel: false if `kil` discarded it.
    pub kept: Vec<bool>,
}

/// The reason why a shader did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WgpuRunError {
    /// No adapter supports the probe. The string names the missing feature.
    Missing(String),
    /// The inputs don't fit the shader. The string names the input.
    Input(String),
    /// The device rejected a shader or its run, for the reason in the string.
    Refused(String),
    /// The device is lost.
    Lost,
}

impl std::error::Error for WgpuRunError {}

impl std::fmt::Display for WgpuRunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WgpuRunError::Missing(text) | WgpuRunError::Input(text) => f.write_str(text),
            WgpuRunError::Refused(reason) => write!(f, "the device rejects the shader: {reason}"),
            WgpuRunError::Lost => f.write_str("the device is lost"),
        }
    }
}

/// The features that only the probe needs: storage writes in vertex shaders, and 32-bit depth with stencil.
const FEATURES: Features = Features::VERTEX_WRITABLE_STORAGE.union(Features::DEPTH32FLOAT_STENCIL8);

impl WgpuRunner {
    /// Opens the first software renderer with a grid of `side` × `side` pixels.
    ///
    /// # Errors
    /// Returns [`WgpuRunError::Missing`] if no adapter supports the probe.
    pub fn open(side: u32) -> Result<WgpuRunner, WgpuRunError> {
        let adapters = adapters();
        let software = |adapter: &&wgpu::Adapter| {
            adapter.get_info().device_type == wgpu::DeviceType::Cpu
                && adapter.features().contains(FEATURES)
        };
        let adapter = adapters.iter().find(software).ok_or_else(|| {
            let text = "no software renderer for Vulkan runs shaders here; install Mesa's lavapipe";
            WgpuRunError::Missing(text.to_owned())
        })?;
        let descriptor = DeviceDescriptor {
            required_features: FEATURES,
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        };
        let (device, queue) = wait(adapter.request_device(&descriptor))
            .map_err(|error| WgpuRunError::Missing(error.to_string()))?;
        let targets = [0, 1, 2, 3, resources::DEPTH].map(|n| resources::target(&device, side, n));
        Ok(WgpuRunner { device, queue, renderer: describe(&adapter.get_info()), side, targets })
    }

    /// Returns the API, name and driver of the device.
    pub fn renderer(&self) -> &str {
        &self.renderer
    }

    /// Runs a shader once for each set of inputs.
    ///
    /// # Errors
    /// Returns a [`WgpuRunError`] if the device rejects the shader or its inputs, or is lost.
    pub fn run(
        &self,
        shader: &ProbeShader<'_>,
        runs: &[ProbeRun<'_>],
    ) -> Result<Vec<ProbeResults>, WgpuRunError> {
        let (job, outputs) = self.checked(|| {
            let job = run::ProbeJob::new(self, shader)?;
            let mut encoder = self.device.create_command_encoder(&Default::default());
            let outputs = runs.iter().map(|run| job.encode(&mut encoder, run));
            let outputs = outputs.collect::<Result<Vec<_>, WgpuRunError>>()?;
            self.queue.submit([encoder.finish()]);
            Ok::<_, WgpuRunError>((job, outputs))
        })??;
        for output in &outputs {
            output.map_async(wgpu::MapMode::Read, .., |_| {});
        }
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        waited.map_err(|_| WgpuRunError::Lost)?;
        outputs.iter().map(|output| job.results(output)).collect()
    }

    /// Creates a pipeline from both modules of a pair, as a draw does.
    ///
    /// # Errors
    /// Returns [`WgpuRunError::Refused`] if the device rejects the pipeline.
    pub fn link(&self, pair: &[Module; 2], interface: &Interface) -> Result<(), WgpuRunError> {
        self.checked(|| resources::link(self, pair, interface))
    }

    /// Runs wgpu calls in an error scope.
    fn checked<T>(&self, run: impl FnOnce() -> T) -> Result<T, WgpuRunError> {
        // In wgpu 27, `push_error_scope` returns `()`.
        let [scope] = [self.device.push_error_scope(ErrorFilter::Validation)];
        let result = run();
        match wait(pop(&self.device, scope)) {
            None => Ok(result),
            Some(error) => Err(WgpuRunError::Refused(error.to_string())),
        }
    }

    fn view(&self, target: usize) -> Option<TextureView> {
        Some(self.targets.get(target)?.create_view(&wgpu::TextureViewDescriptor::default()))
    }
}

/// Returns the indices of the set bits, lowest first.
fn bits(set: u16) -> impl Iterator<Item = u16> + Clone {
    (0..16).filter(move |n| set >> n & 1 != 0)
}
