//! Runs AGAL programs as Direct3D 9 tokens in the interpreter of tokens, which thus takes the place of a driver.

use std::cell::Cell;

use ::agal::Stage;
use ::agal::interp::lanes::saturate;
use ::agal::interp::{LANES, LaneRegister, SamplerImages, TexelImage};
use ::agal::sampler::SamplerOp;
use context3d::backend::BackendError;
use d3d9::from_agal::Model;
use d3d9::interp::{
    CompiledShader, D3d9Inputs as Constants, D3d9Lookup, D3d9RunError, DetailLevel, Direct3D9,
    MAX_STEPS, TextureSampling,
};
use d3d9::operand::Dimension;
use molehill_testing::probe::ShaderRunError;

use super::super::drive::{DriverResults, ProgramDevice, registers};
use super::super::inputs::{InputGrid, SIDE};
use super::super::program::{DriverLanguage, OutputRegister, ProgramProperties, TestedProgram};
use super::{output, set};

impl ProgramDevice for Model {
    fn renderer(&self) -> &str {
        self.name()
    }

    fn run(
        &mut self,
        _: DriverLanguage,
        program: &dyn TestedProgram,
        grids: &[InputGrid<'_>],
    ) -> Result<Vec<DriverResults>, ShaderRunError> {
        let tokens = program.tokens(*self)?;
        let failed = |error: D3d9RunError| BackendError::Driver(error.to_string());
        let compiled = CompiledShader::new(&tokens).map_err(failed)?;
        let undefined = Cell::new(false);
        let run = |grid| interpret(*self, &compiled, program.properties(), grid, &undefined);
        let results = grids.iter().map(run).collect::<Result<_, _>>().map_err(failed)?;
        if undefined.get() {
            return Err(ShaderRunError::Input("gradients of a cube texture".to_owned()));
        }
        Ok(results)
    }
}

/// Runs a translated program for all invocations of a grid.
fn interpret(
    model: Model,
    compiled: &CompiledShader,
    properties: &ProgramProperties,
    grid: &InputGrid<'_>,
    undefined: &Cell<bool>,
) -> Result<DriverResults, D3d9RunError> {
    let ProgramProperties { stage, ref interface, linear, .. } = *properties;
    let (floats, images, samplers) = match stage {
        Stage::Vertex => {
            (&grid.inputs.vertex_constants, &grid.vertex, &interface.vertex_samplers[..])
        }
        Stage::Fragment => {
            (&grid.inputs.fragment_constants, &grid.fragment, &interface.samplers[..])
        }
    };
    let textures = images.iter().zip(samplers);
    let textures = textures.map(|(image, sampler)| Some((image.clone()?, (*sampler)?)));
    let textures = BiasedTextures { textures: &textures.collect::<Vec<_>>(), undefined };
    let constants = Constants { floats, ..Constants::default() };
    let (outputs, three) = (registers(interface, stage), model == Model::V30);
    let count = usize::from(SIDE * SIDE);
    let unknown = vec![vec![[f32::NAN; 4]; count]; outputs.len()];
    let mut results = DriverResults { registers: unknown, kept: vec![false; count] };
    for group in 0..InputGrid::groups() {
        let mut state = compiled.state();
        set(&mut state, model.version(stage), (linear, u16::MAX), (grid, group), None);
        compiled.run(&mut state, &constants, &textures, MAX_STEPS, &mut ())?;
        for (lane, alive) in {
                state.alive().into_iter().enumerate() {
            let number = properties.invocation(group, u16::try_from(lane).unwrap_or(0));
            results.kept[number] = alive;
            for (column, register) in results.registers.iter_mut().zip(&outputs) {
                let value = output(&state, three, *register, lane);
                let clamped = *register == OutputRegister::Depth;
                column[number] = if clamped { value.map(saturate) } else { value };
            }
        }
    }
    Ok(results)
}

/// Textures that are sampled with the program's own sampler fields, including the level-of-detail bias.
struct BiasedTextures<'a> {
    textures: &'a [Option<(TexelImage, SamplerOp)>],
    /// Set to true if a cube texture is sampled with explicit gradients: AGAL may apply them to other cube faces.
    undefined: &'a Cell<bool>,
}

impl TextureSampling<Direct3D9> for BiasedTextures<'_> {
    fn read(&self, lookup: &D3d9Lookup<'_>) -> LaneRegister {
        let images = SamplerImages(self.textures);
        let bias = images.get(lookup.sampler).map_or(0.0, |(_, sampler)| sampler.bias());
        // A level-of-detail bias scales gradients by a power of two.
        let scaled = |step: &LaneRegister| {
            LaneRegister(step.0.map(|lanes| lanes.map(|step| step * bias.exp2())))
        };
        let gradients = match lookup.level {
            DetailLevel::Gradients(dx, dy) => [scaled(dx), scaled(dy)],
            _ => [LaneRegister::default(); 2],
        };
        let [dx, dy] = &gradients;
        let level = match lookup.level {
            DetailLevel::Implicit(_) => DetailLevel::Implicit([bias; LANES]),
            DetailLevel::Gradients(..) => {
                let cube = lookup.sampler.dimension == Dimension::Cube;
                self.undefined.set(self.undefined.get() || cube);
                DetailLevel::Gradients(dx, dy)
            }
            DetailLevel::Exactly(level) => DetailLevel::Exactly(level),
        };
        images.read(&D3d9Lookup { level, ..*lookup })
    }
}
