//! Programs: their shader modules and bind group layouts.

use std::borrow::Cow;
use std::sync::Arc;

use context3d::agal::sampler::{Dimension, SamplerOp};
use context3d::agal::{LinkedPair, Stage, wgsl};
use context3d::backend::BackendError;
use context3d::packets::FIRST_VERTEX_SAMPLER;
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, PipelineLayout,
    PipelineLayoutDescriptor, SamplerBindingType, ShaderModule, ShaderModuleDescriptor,
    ShaderSource, ShaderStages, TextureSampleType, TextureViewDimension,
};

use crate::device::WgpuDevice;
use crate::version::given;

/// The names of the entry points.
pub(crate) const ENTRY_POINTS: [&str; 2] = ["vertex_main", "fragment_main"];
/// The bind group of textures and samplers. Group 0 has the constants.
pub(crate) const TEXTURES: u32 = 1;

/// A sampler register that a program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProgramSampler {
    pub(crate) stage: Stage,
    pub(crate) register: u16,
    /// The sampler index in `setTextureAt`.
    pub(crate) slot: usize,
    pub(crate) dimension: TextureViewDimension,
}

impl ProgramSampler {
    /// Creates a unit for a sampler register. `first` is the index in `setTextureAt` of the stage's first sampler.
    pub(crate) fn new(stage: Stage, first: usize, sampler: &SamplerOp) -> Self {
        let register = sampler.register;
        let slot = first + usize::from(register);
        ProgramSampler { stage, register, slot, dimension: view_dimension(sampler.dimension) }
    }

    /// Returns the bindings of the unit's texture and sampler.
    pub(crate) fn bindings(&self) -> [u32; 2] {
        let ProgramSampler { stage, register, .. } = *self;
        [wgsl::WgslResource::Texture(stage, register), wgsl::WgslResource::Sampler(stage, register)]
            .map(|resource| resource.binding().binding)
    }
}

/// The properties of a draw that require different shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProgramVariant {
    /// By stage, bit n: sampler n must read 1 as alpha.
    pub(crate) opaque: [u16; 2],
    /// True if the render target has a depth buffer, so that the program may write depth.
    pub(crate) depth: bool,
}

/// A program with its shader modules for each variant.
pub(crate) struct WgpuProgram {
    pair: Arc<LinkedPair>,
    /// The id of this upload of the program.
    pub(crate) id: u32,
    modules: Vec<(ProgramVariant, [ShaderModule; 2])>,
    writes_depth: bool,
    /// Bit n: the program declares attribute n.
    pub(crate) attributes: u16,
    /// Bit n: the shader reads attribute n.
    pub(crate) live_attributes: u16,
    /// The number of constant registers in the vertex stage and in the fragment stage.
    pub(crate) constants: [usize; 2],
    pub(crate) units: Vec<ProgramSampler>,
    /// The index of the program's pipeline layout.
    pub(crate) layout: usize,
}

impl WgpuProgram {
    pub(crate) fn compile(
        device: &WgpuDevice,
        layouts: &mut Layouts,
        pair: Arc<LinkedPair>,
        id: u32,
    ) -> Result<Self, BackendError> {
        let interface = pair.interface();
        let vertex = interface.vertex_samplers.iter().flatten();
        let vertex = vertex.map(|it| ProgramSampler::new(Stage::Vertex, FIRST_VERTEX_SAMPLER, it));
        let fragment = interface.samplers.iter().flatten();
        let fragment = fragment.map(|sampler| ProgramSampler::new(Stage::Fragment, 0, sampler));
        let units: Vec<_> = vertex.chain(fragment).collect();
        let mut program = WgpuProgram {
            id,
            modules: Vec::new(),
            writes_depth: interface.depth_output,
            attributes: interface.attributes,
            live_attributes: interface.live_attributes,
            constants: [interface.vertex_constants, interface.fragment_constants].map(usize::from),
            layout: layouts.find(device, &units)?,
            units,
            pair,
        };
        program.modules(device, ProgramVariant { opaque: [0; 2], depth: true })?;
        Ok(program)
    }

    /// Returns the shader modules of both stages for a variant.
    pub(crate) fn modules(
        &mut self,
        device: &WgpuDevice,
        mut variant: ProgramVariant,
    ) -> Result<[ShaderModule; 2], BackendError> {
        variant.depth |= !self.writes_depth;
        if let Some((_, modules)) = self.modules.iter().find(|(made, _)| *made == variant) {
            return Ok(modules.clone());
        }
        let modules = compile(device, &self.pair, variant)?;
        self.modules.push((variant, modules.clone()));
        Ok(modules)
    }

    /// Returns the error for a pipeline that wgpu rejected.
    #[cold]
    pub(crate) fn refused(&self, variant: ProgramVariant, error: BackendError) -> BackendError {
        refused("pipeline", &self.pair, &variant.target(), error)
    }
}

impl ProgramVariant {
    fn target(self) -> wgsl::WgslOptions<'static> {
        wgsl::WgslOptions {
            opaque: self.opaque,
            depth_output: self.depth,
            entry_points: ENTRY_POINTS,
            ..Default::default()
        }
    }
}

/// Compiles a separate module for each stage. With a common module, wgpu would extract the stage for every pipeline.
fn compile(
    device: &WgpuDevice,
    pair: &LinkedPair,
    variant: ProgramVariant,
) -> Result<[ShaderModule; 2], BackendError> {
    let target = variant.target();
    let module = |stage| {
        let descriptor =
            ShaderModuleDescriptor { label: None, source: source(pair, stage, &target) };
        let made = device.checked(|device, _| device.create_shader_module(descriptor));
        made.map_err(|error| refused(stage.name(), pair, &target, error))
    };
    Ok([module(Stage::Vertex)?, module(Stage::Fragment)?])
}

#[cfg(not(target_arch = "wasm32"))]
fn source(
    pair: &LinkedPair,
    stage: Stage,
    target: &wgsl::WgslOptions<'_>,
) -> ShaderSource<'static> {
    ShaderSource::Naga(Cow::Owned(agal_naga::module(pair, stage, target)))
}

/// Returns the WGSL text of a shader, because a browser accepts only text.
#[cfg(target_arch = "wasm32")]
fn source(
    pair: &LinkedPair,
    stage: Stage,
    target: &wgsl::WgslOptions<'_>,
) -> ShaderSource<'static> {
    let texts = wgsl::emit(pair, target);
    ShaderSource::Wgsl(Cow::Owned(match stage {
        Stage::Vertex => texts.vertex,
        Stage::Fragment => texts.fragment,
    }))
}

/// Adds the program's WGSL to wgpu's error about a rejected shader or pipeline.
#[cold]
fn refused(
    stage: &'static str,
    pair: &LinkedPair,
    target: &wgsl::WgslOptions<'_>,
    error: BackendError,
) -> BackendError {
    let BackendError::Driver(log) = error else { return error };
    let source = wgsl::emit_module(pair, target);
    log::debug!("wgpu rejected a shader ({stage}): {log}\n{source}");
    BackendError::CompileFailed { stage, source, log }
}

/// Returns the error for a packet that refers to an unknown object: its creation failed, or the caller has a bug.
#[cold]
pub(crate) fn missing(what: &str) -> BackendError {
    BackendError::Driver(format!("a packet refers to a {what} that doesn't exist"))
}

/// A pipeline layout, which programs with equal samplers share.
pub(crate) struct ProgramLayout {
    units: Vec<ProgramSampler>,
    /// The bind group layout of textures and samplers; `None` without samplers.
    pub(crate) textures: Option<BindGroupLayout>,
    pub(crate) pipeline: PipelineLayout,
}

/// All pipeline layouts of a backend.
pub(crate) struct Layouts {
    pub(crate) constants: BindGroupLayout,
    pub(crate) all: Vec<ProgramLayout>,
}

impl Layouts {
    fn find(
        &mut self,
        device: &WgpuDevice,
        units: &[ProgramSampler],
    ) -> Result<usize, BackendError> {
        if let Some(found) = self.all.iter().position(|layout| layout.units == units) {
            return Ok(found);
        }
        let made = device.checked(|device, _| {
            let textures = (!units.is_empty()).then(|| texture_layout(device, units));
            let layouts =
                [given(&self.constants), given(textures.as_ref().unwrap_or(&self.constants))];
            let count = 1 + usize::from(textures.is_some());
            let pipeline = device.create_pipeline_layout(&PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: layouts.get(..count).unwrap_or_default(),
                ..Default::default()
            });
            ProgramLayout { units: units.to_vec(), textures, pipeline }
        })?;
        self.all.push(made);
        Ok(self.all.len() - 1)
    }
}

/// Creates the bind group layout of these textures and samplers.
pub(crate) fn texture_layout(device: &wgpu::Device, units: &[ProgramSampler]) -> BindGroupLayout {
    let entries = units.iter().flat_map(|unit| {
        let texture = BindingType::Texture {
            sample_type: TextureSampleType::Float { filterable: true },
            view_dimension: unit.dimension,
            multisampled: false,
        };
        let sampler = BindingType::Sampler(SamplerBindingType::Filtering);
        let visibility = visibility(unit.stage);
        let entry =
            move |(binding, ty)| BindGroupLayoutEntry { binding, visibility, ty, count: None };
        unit.bindings().into_iter().zip([texture, sampler]).map(entry)
    });
    group_layout(device, &entries.collect::<Vec<_>>())
}

/// Creates the layout of a bind group.
pub(crate) fn group_layout(
    device: &wgpu::Device,
    entries: &[BindGroupLayoutEntry],
) -> BindGroupLayout {
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries })
}

pub(crate) fn visibility(stage: Stage) -> ShaderStages {
    match stage {
        Stage::Vertex => ShaderStages::VERTEX,
        Stage::Fragment => ShaderStages::FRAGMENT,
    }
}

pub(crate) fn view_dimension(dimension: Dimension) -> TextureViewDimension {
    match dimension {
        Dimension::TwoD => TextureViewDimension::D2,
        Dimension::Cube => TextureViewDimension::Cube,
    }
}
