//! Runs a shader program on the driver and reads back the results.

#[cfg(feature = "wgpu")]
mod vulkan;

use std::fmt;

use agal::sampler::{Filter, SamplerOp};
use agal::{Interface, Stage};
use context3d::enums::TextureFilter;
use context3d::packets::SamplerState;
use molehill_testing::probe::texture::{DriverTexture, ProbeImage, SamplerBinding, TexelData};
use molehill_testing::probe::{
    FragmentProgram, FragmentRun, Interpolation, ShaderRunError, ShaderRunner, Varyings,
    VertexProgram, VertexRun,
};

use super::inputs::{InputGrid, SIDE, columns, faces};
use super::program::{DriverLanguage, OutputRegister, ProgramProperties, TestedProgram};

pub(super) struct DriverResults {
    /// The output values for each vertex or pixel, by register in the order of [`registers`].
    pub(super) registers: Vec<Vec<[f32; 4]>>,
    pub(super) kept: Vec<bool>,
}

impl DriverResults {
    pub(super) fn is_kept(&self, number: usize) -> bool {
        self.kept.get(number).copied().unwrap_or(false)
    }
}

pub(super) trait ProgramDevice {
    fn renderer(&self) -> &str;
    fn run(
        &mut self,
        language: DriverLanguage,
        program: &dyn TestedProgram,
        grids: &[InputGrid<'_>],
    ) -> Result<Vec<DriverResults>, ShaderRunError>;
}

/// One component of an output register of a shader.
#[derive(Clone, Copy)]
pub(super) struct OutputComponent {
    pub(super) register: OutputRegister,
    /// The index of the register in [`registers`].
    index: usize,
    component: u8,
}

impl OutputComponent {
    /// Returns the driver's value of this component, or NaN if the driver returned no value.
    pub(super) fn find(self, found: &DriverResults, number: usize) -> f32 {
        let column = found.registers.get(self.index);
        let register = column.and_then(|column| column.get(number).copied());
        self.pick(register.unwrap_or([f32::NAN; 4]))
    }

    pub(super) fn pick(self, register: [f32; 4]) -> f32 {
        let component = register.get(usize::from(self.component));
        component.copied().unwrap_or(f32::NAN)
    }
}

/// Returns the output registers of a program: the position and the varyings, or the colours and the depth.
pub(super) fn registers(interface: &Interface, stage: Stage) -> Vec<OutputRegister> {
    match stage {
        Stage::Vertex => {
            let varyings = (0..16).filter(|n| interface.varyings >> n & 1 != 0);
            std::iter::once(OutputRegister::Position)
                .chain(varyings.map(OutputRegister::Varying))
                .collect()
        }
        Stage::Fragment => {
            let colors = (0..4).filter(|n| interface.color_outputs >> n & 1 != 0);
            let depth = interface.depth_output.then_some(OutputRegister::Depth);
            colors.map(OutputRegister::Color).chain(depth).collect()
        }
    }
}

/// Returns all written components of a program's output registers.
pub(super) fn outputs(interface: &Interface, stage: Stage) -> Vec<OutputComponent> {
    let registers = registers(interface, stage).into_iter().enumerate();
    let outputs = registers.flat_map(|(index, register)| {
        let count = if register == OutputRegister::Depth { 1 } else { 4 };
        (0..count).map(move |component| OutputComponent { register, index, component })
    });
    outputs.collect()
}

impl fmt::Display for OutputComponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.register {
            OutputRegister::Position => write!(f, "op")?,
            OutputRegister::Varying(n) => write!(f, "v{n}")?,
            OutputRegister::Color(n) => write!(f, "fo{n}")?,
            OutputRegister::Depth => return write!(f, "od.x"),
        }
        let letter = b"xyzw".get(usize::from(self.component));
        write!(f, ".{}", letter.map_or('?', |letter| char::from(*letter)))
    }
}

impl ProgramDevice for ShaderRunner {
    fn renderer(&self) -> &str {
        ShaderRunner::renderer(self)
    }

    fn run(
        &mut self,
        language: DriverLanguage,
        program: &dyn TestedProgram,
        grids: &[InputGrid<'_>],
    ) -> Result<Vec<DriverResults>, ShaderRunError> {
        let DriverLanguage::Glsl(dialect) = language else {
            return Err(ShaderRunError::Input(format!("OpenGL compiles no {language}")));
        };
        let glsl = program.shader(language)?;
        let ProgramProperties { stage, interface, linear, kills } = program.properties();
        match stage {
            Stage::Vertex => {
                let compiled = self.vertex_glsl(&glsl, dialect, interface)?;
                grids.iter().map(|grid| vertices(self, &compiled, interface, grid)).collect()
            }
            Stage::Fragment => {
                let interpolation =
                    if *linear { Interpolation::Linear } else { Interpolation::Flat };
                let compiled =
                    self.fragment_glsl(&glsl, dialect, interpolation, interface, *kills)?;
                grids.iter().map(|grid| pixels(self, &compiled, program, grid)).collect()
            }
        }
    }
}

fn vertices(
    probe: &mut ShaderRunner,
    program: &VertexProgram,
    interface: &Interface,
    grid: &InputGrid<'_>,
) -> Result<DriverResults, ShaderRunError> {
    let inputs = grid.inputs;
    let textures = textures(probe, &inputs.vertex_textures)?;
    let attributes = columns(&inputs.attributes);
    let attributes: Vec<_> = attributes.iter().map(Vec::as_slice).collect();
    let vertices = usize::from(SIDE * SIDE);
    let instance = usize::try_from(inputs.instance_id).unwrap_or(0);
    let run = VertexRun {
        vertices,
        instances: instance + 1,
        attributes: &attributes,
        constants: &inputs.vertex_constants,
        textures: &bindings(&textures, &interface.vertex_samplers),
    };
    let results = probe.run_vertex(program, &run)?;
    let all = instance * vertices..(instance + 1) * vertices;
    let registers = registers(interface, Stage::Vertex).into_iter().map(|register| {
        let values = all.clone().map(|vertex| match register {
            OutputRegister::Varying(n) => results.varying(vertex, n),
            OutputRegister::Position | OutputRegister::Color(_) | OutputRegister::Depth => {
                results.position(vertex)
            }
        });
        values.map(|value| value.unwrap_or([f32::NAN; 4])).collect()
    });
    Ok(DriverResults { registers: registers.collect(), kept: vec![true; vertices] })
}

fn pixels(
    probe: &mut ShaderRunner,
    program: &FragmentProgram,
    tested: &dyn TestedProgram,
    grid: &InputGrid<'_>,
) -> Result<DriverResults, ShaderRunError> {
    let (inputs, ProgramProperties { interface, linear, .. }) = (grid.inputs, tested.properties());
    let textures = textures(probe, &inputs.textures)?;
    let planes: Vec<_> = (0..inputs.varyings.len()).map(|n| grid.plane(n)).collect();
    let flats = columns(&inputs.varyings);
    let flats: Vec<_> = flats.iter().map(Vec::as_slice).collect();
    let pixels = usize::from(SIDE * SIDE);
    let run = FragmentRun {
        varyings: if *linear {
            Varyings::Linear { width: SIDE, height: SIDE, registers: &planes }
        } else {
            Varyings::Flat { pixels, registers: &flats }
        },
        constants: &inputs.fragment_constants,
        textures: &bindings(&textures, &interface.samplers),
    };
    let results = probe.run_fragment(program, &run)?;
    let registers = registers(interface, Stage::Fragment).into_iter().map(|register| {
        let depth = || Some(results.depth()?.iter().map(|depth| [*depth; 4]).collect());
        let values = match register {
            OutputRegister::Color(n) => results.color(n.into()).map(<[_]>::to_vec),
            OutputRegister::Depth | OutputRegister::Position | OutputRegister::Varying(_) => {
                depth()
            }
        };
        values.unwrap_or_default()
    });
    let kept = (0..pixels).map(|pixel| results.is_kept(pixel)).collect();
    Ok(DriverResults { registers: registers.collect(), kept })
}

fn textures(
    probe: &mut ShaderRunner,
    textures: &[Option<agal::generate::InputTexture>],
) -> Result<Vec<Option<DriverTexture>>, ShaderRunError> {
    let textures = textures.iter().map(|texture| {
        let Some(texture) = texture else { return Ok(None) };
        let side = |side: usize| u32::try_from(side).unwrap_or(0);
        let Some(first) = texture.levels.first() else { return Ok(None) };
        let (width, height) = (side(first.width), side(first.height));
        let texels = TexelData::Bytes(&faces(texture));
        probe.texture(&ProbeImage { dimension: texture.dimension, width, height, texels }).map(Some)
    });
    textures.collect()
}

/// Returns the textures with their samplers. Anisotropic filters are replaced by linear ones, like in the interpreter.
fn bindings<'a>(
    textures: &'a [Option<DriverTexture>],
    samplers: &[Option<SamplerOp>],
) -> Vec<Option<SamplerBinding<'a>>> {
    let both = textures.iter().zip(samplers);
    let bound = both.map(|(texture, sampler)| {
        let (texture, sampler) = (texture.as_ref()?, sampler.as_ref()?);
        let mut state = SamplerState::from(sampler);
        if sampler.filter != Filter::Nearest {
            state.filter = TextureFilter::Linear;
        }
        Some(SamplerBinding { texture, state: Some(state) })
    });
    bound.collect()
}
