//! The driver's side: runs a program with its inputs and reads the results.

use std::fmt;

use agal::glsl::Dialect;
use agal::sampler::{Filter, Sampler};
use agal::{Interface, Stage};
use context3d::enums::TextureFilter;
use context3d::packets::SamplerState;
use molehill_testing::probe::texture::{Binding, Image, Texels, Texture};
use molehill_testing::probe::{
    FragmentProgram, FragmentResults, FragmentRun, Interpolation, Probe, ProbeError, Varyings,
    VertexProgram, VertexResults, VertexRun,
};

use super::inputs::{Grid, SIDE, columns, faces};
use super::program::{Properties, Register, TestedProgram};

pub(super) enum DriverResults {
    Vertices(VertexResults, usize),
    Pixels(FragmentResults),
}

/// One component of an output register.
#[derive(Clone, Copy)]
pub(super) struct Output {
    pub(super) register: Register,
    pub(super) component: u8,
}

impl Output {
    /// The driver's value of this component; NaN if there is none.
    pub(super) fn find(self, found: &DriverResults, number: usize) -> f32 {
        let register = match (found, self.register) {
            (DriverResults::Vertices(results, first), Register::Position) => {
                results.position(first + number)
            }
            (DriverResults::Vertices(results, first), Register::Varying(n)) => {
                results.varying(first + number, n)
            }
            (DriverResults::Pixels(results), Register::Color(n)) => {
                results.color(n.into()).and_then(|color| color.get(number).copied())
            }
            (DriverResults::Pixels(results), Register::Depth) => {
                let depth = results.depth().and_then(|depth| depth.get(number));
                depth.map(|depth| [*depth; 4])
            }
            _ => None,
        };
        self.pick(register.unwrap_or([f32::NAN; 4]))
    }

    pub(super) fn pick(self, register: [f32; 4]) -> f32 {
        let component = register.get(usize::from(self.component));
        component.copied().unwrap_or(f32::NAN)
    }
}

/// Returns the components of the registers that a program writes.
pub(super) fn outputs(interface: &Interface, stage: Stage) -> Vec<Output> {
    let registers: Vec<Register> = match stage {
        Stage::Vertex => {
            let varyings = (0..16).filter(|n| interface.varyings >> n & 1 != 0);
            std::iter::once(Register::Position).chain(varyings.map(Register::Varying)).collect()
        }
        Stage::Fragment => {
            let colors = (0..4).filter(|n| interface.color_outputs >> n & 1 != 0);
            let depth = interface.depth_output.then_some(Register::Depth);
            colors.map(Register::Color).chain(depth).collect()
        }
    };
    let outputs = registers.into_iter().flat_map(|register| {
        let count = if matches!(register, Register::Depth) { 1 } else { 4 };
        (0..count).map(move |component| Output { register, component })
    });
    outputs.collect()
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.register {
            Register::Position => write!(f, "op")?,
            Register::Varying(n) => write!(f, "v{n}")?,
            Register::Color(n) => write!(f, "fo{n}")?,
            Register::Depth => return write!(f, "od.x"),
        }
        let letter = b"xyzw".get(usize::from(self.component));
        write!(f, ".{}", letter.map_or('?', |letter| char::from(*letter)))
    }
}

/// A program that the driver has compiled.
pub(super) enum Compiled {
    Vertex(VertexProgram),
    Fragment(FragmentProgram),
}

impl Compiled {
    pub(super) fn new(
        probe: &mut Probe,
        dialect: Dialect,
        program: &dyn TestedProgram,
    ) -> Result<Self, ProbeError> {
        let glsl = program.glsl(dialect)?;
        let Properties { stage, interface, linear, kills } = program.properties();
        match stage {
            Stage::Vertex => probe.vertex_glsl(&glsl, dialect, interface).map(Compiled::Vertex),
            Stage::Fragment => {
                let interpolation =
                    if *linear { Interpolation::Linear } else { Interpolation::Flat };
                let program = probe.fragment_glsl(&glsl, dialect, interpolation, interface, *kills);
                program.map(Compiled::Fragment)
            }
        }
    }

    pub(super) fn run(
        &self,
        probe: &mut Probe,
        tested: &dyn TestedProgram,
        grid: &Grid<'_>,
    ) -> Result<DriverResults, ProbeError> {
        let (inputs, Properties { interface, linear, .. }) = (grid.inputs, tested.properties());
        match self {
            Compiled::Vertex(program) => {
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
                Ok(DriverResults::Vertices(results, instance * vertices))
            }
            Compiled::Fragment(program) => {
                let textures = textures(probe, &inputs.textures)?;
                let planes: Vec<_> = (0..inputs.varyings.len()).map(|n| grid.plane(n)).collect();
                let flats = columns(&inputs.varyings);
                let flats: Vec<_> = flats.iter().map(Vec::as_slice).collect();
                let run = FragmentRun {
                    varyings: if *linear {
                        Varyings::Linear { width: SIDE, height: SIDE, registers: &planes }
                    } else {
                        Varyings::Flat { pixels: usize::from(SIDE * SIDE), registers: &flats }
                    },
                    constants: &inputs.fragment_constants,
                    textures: &bindings(&textures, &interface.samplers),
                };
                Ok(DriverResults::Pixels(probe.run_fragment(program, &run)?))
            }
        }
    }
}

fn textures(
    probe: &mut Probe,
    textures: &[Option<agal::generate::Texture>],
) -> Result<Vec<Option<Texture>>, ProbeError> {
    let textures = textures.iter().map(|texture| {
        let Some(texture) = texture else { return Ok(None) };
        let side = |side: usize| u32::try_from(side).unwrap_or(0);
        let Some(first) = texture.levels.first() else { return Ok(None) };
        let (width, height) = (side(first.width), side(first.height));
        let texels = Texels::Bytes(&faces(texture));
        probe.texture(&Image { dimension: texture.dimension, width, height, texels }).map(Some)
    });
    textures.collect()
}

/// Anisotropic filters are replaced by linear ones on both sides.
fn bindings<'a>(
    textures: &'a [Option<Texture>],
    samplers: &[Option<Sampler>],
) -> Vec<Option<Binding<'a>>> {
    let both = textures.iter().zip(samplers);
    let bound = both.map(|(texture, sampler)| {
        let (texture, sampler) = (texture.as_ref()?, sampler.as_ref()?);
        let mut state = SamplerState::from(sampler);
        if sampler.filter != Filter::Nearest {
            state.filter = TextureFilter::Linear;
        }
        Some(Binding { texture, state: Some(state) })
    });
    bound.collect()
}
