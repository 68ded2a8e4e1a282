//! Compares AGAL with its translation to Direct3D 9 tokens, each in its own interpreter.

use std::cell::Cell;

use ::agal::float::FloatRules;
use ::agal::generate::{
    GenerateOptions, GeneratorFeatures, PairGenerator, PairInputs, ProgramPair, seed_bytes, shrink,
};
use ::agal::interp::{
    AgalComputation, AgalLanguage, CompiledProgram, LANES, LaneRegister, RunObserver,
    SamplerImages, TexelImage,
};
use ::agal::opcode::{AgalOpcode, BinaryOp, OpcodeSignature};
use ::agal::sampler::SamplerOp;
use ::agal::{AgalVersion, LinkedPair, Stage};
use arbitrary::Unstructured;
use d3d9::from_agal::{Model, TranslateError, Translation, translate_pair};
use d3d9::interp::{
    CompiledShader, D3d9Inputs as Constants, D3d9Lookup, D3d9RunError, D3d9State, DetailLevel,
    Direct3D9, MAX_STEPS, TextureSampling,
};
use d3d9::operand::Dimension;
use molehill_replay::evidence::ResultTally;

use super::super::agal;
use super::super::drive::outputs;
use super::super::error_model::ErrorModel;
use super::super::fuzzer::{FuzzFailure, failure};
use super::super::inputs::{InputGrid, generated_inputs};
use super::super::program::OutputRegister;
use super::super::range::ResultRange;
use super::{output, textures};
use ::agal::generate::Random;

/// The numbers of interpreter runs with random errors that determine the allowed range of a result. The larger number
/// is used if the driver's result is outside the range of the smaller number of runs. Near a singularity, few runs have
/// results close to the ends of the allowed range.
const RUNS: [u64; 2] = [64, 8192];

const BYTES: usize = 2048;
/// The maximum number of smaller AGAL pairs that are tried to minimize a failure.
const SHRINK_ATTEMPTS: usize = 400;

/// The result of comparing an AGAL pair with its translation in one shader model.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TranslationOutcome {
    Agrees(u64),
    /// The pair depends on behaviour that the translation doesn't preserve.
    Undefined,
    /// The shader model can't express the AGAL pair.
    Beyond(TranslateError),
    Differs(String),
}

fn translated(pair: &LinkedPair, inputs: &PairInputs, model: Model) -> TranslationOutcome {
    let undefined = Cell::new(false);
    let case = TranslatedPair { pair, inputs, grid: InputGrid::new(inputs), undefined };
    let both = match translate_pair(pair, model) {
        Ok(both) => both,
        Err(TranslateError::Invalid(finding)) => {
            return TranslationOutcome::Differs(format!("invalid: {finding}"));
        }
        Err(error) => return TranslationOutcome::Beyond(error),
    };
    match case.tokens(model, &both) {
        Ok(_) if case.undefined.get() => TranslationOutcome::Undefined,
        Ok(found) => case.compare(&found),
        Err(error) => TranslationOutcome::Differs(error.to_string()),
    }
}

/// Compares random AGAL pairs with their translations to every shader model that can express them.
pub struct TranslationFuzzer {
    next: u64,
}

impl TranslationFuzzer {
    pub fn new(seed: u64) -> Self {
        TranslationFuzzer { next: seed }
    }

    /// Compares the next random AGAL pair with its translations. Returns the counts of shader models with equal
    /// results, or the minimized failure. If the pair can't be generated or linked, all counts are zero.
    pub fn step(&mut self) -> Result<ResultTally, Box<FuzzFailure>> {
        let seed = self.next;
        self.next = self.next.wrapping_add(1);
        let bytes = seed_bytes(seed, BYTES);
        let Ok(pair) = PairGenerator::new(options(seed)).pair(&mut Unstructured::new(&bytes))
        else {
            return Ok(ResultTally::default());
        };
        let linked = pair.link().ok();
        match linked.and_then(|it| generated_inputs(it.interface(), seed ^ 0x5eed, 4096)) {
            Some(inputs) => Self::check(&pair, &inputs, seed),
            None => Ok(ResultTally::default()),
        }
    }

    pub fn check(
        pair: &ProgramPair,
        inputs: &PairInputs,
        seed: u64,
    ) -> Result<ResultTally, Box<FuzzFailure>> {
        let mut tally = ResultTally::default();
        for model in Model::ALL.iter().copied() {
            let test = |pair: &LinkedPair| translated(pair, inputs, model);
            match pair.link().map(|linked| test(&linked)) {
                Err(_) | Ok(TranslationOutcome::Beyond(_)) => tally.unsupported += 1,
                Ok(TranslationOutcome::Agrees(values)) => {
                    tally.programs += 1;
                    tally.values += values;
                }
                Ok(TranslationOutcome::Undefined) => tally.undefined += 1,
                Ok(TranslationOutcome::Differs(reason)) => {
                    let differs =
                        |pair: &LinkedPair| matches!(test(pair), TranslationOutcome::Differs(_));
                    let small = shrink(pair, SHRINK_ATTEMPTS, differs);
                    let reason = match small.link().map(|linked| test(&linked)) {
                        Ok(TranslationOutcome::Differs(reason)) => reason,
                        _ => reason,
                    };
                    let reason = format!("model {}: {reason}", model.name());
                    return Err(failure(seed, &small, std::slice::from_ref(inputs), reason));
                }
            }
        }
        Ok(tally)
    }
}

fn options(seed: u64) -> GenerateOptions {
    let version = match seed % 3 {
        0 => AgalVersion::V1,
        1 => AgalVersion::V2,
        _ => AgalVersion::V3,
    };
    GenerateOptions {
        max_tokens: usize::try_from(1 + seed / 3 % 24).unwrap_or(1),
        features: GeneratorFeatures {
            // Indexed reads outside the constant registers differ between AGAL and Direct3D 9 [d3d9.from_agal.outside].
            indirect: false,
            vertex_textures: false,
            ..GeneratorFeatures::ALL
        },
        ..GenerateOptions::new(version)
    }
}

/// Adds the errors of a translation, which may round several times where AGAL rounds once.
struct TranslationErrors {
    model: Option<ErrorModel>,
    /// True if a result is undefined in the translated shader. Pixel shaders compare by a difference, which is NaN for
    /// two infinities [d3d9.from_agal.compare]. `sqt` of 0 or infinity and `sin` of infinity differ from AGAL
    /// [d3d9.from_agal.edges].
    undefined: bool,
}

impl RunObserver<AgalLanguage> for TranslationErrors {
    const STEPS: bool = false;

    fn computed(&mut self, computation: &AgalComputation<'_>, value: &mut LaneRegister) {
        let opcode = computation.opcode;
        let sources = || {
            computation.b.iter().chain([computation.a]).flat_map(|of| of.0.into_iter().flatten())
        };
        self.undefined |= match opcode.signature() {
            OpcodeSignature::Binary(BinaryOp::Compare(_)) => {
                sources().any(|value| !value.is_finite())
            }
            _ if opcode == AgalOpcode::Sqt => {
                sources().any(|value| value == 0.0 || !value.is_finite())
            }
            _ => {
                matches!(opcode, AgalOpcode::Sin | AgalOpcode::Cos)
                    && sources().any(|it| !it.is_finite())
            }
        };
        if let Some(model) = &mut self.model {
            RunObserver::<AgalLanguage>::computed(model, computation, value);
        }
    }
}

struct TranslatedPair<'a> {
    pair: &'a LinkedPair,
    inputs: &'a PairInputs,
    grid: InputGrid<'a>,
    /// Set to true if the tokens computed an undefined result.
    undefined: Cell<bool>,
}

/// The shaders' results: the vertex outputs of one lane, then a flag and the fragment outputs of each lane. The flag is
/// 1 if the fragment was not discarded.
type OutputValues = Vec<f32>;

impl TranslatedPair<'_> {
    /// Collects the outputs of the vertex and fragment programs. `vertex` and `fragment` return the value of an output
    /// register.
    fn gather(
        &self,
        vertex: impl Fn(OutputRegister) -> [f32; 4],
        fragment: impl Fn(OutputRegister, usize) -> [f32; 4],
        alive: [bool; LANES],
    ) -> OutputValues {
        let interface = self.pair.interface();
        let of_vertex = outputs(interface, Stage::Vertex).into_iter();
        let mut results: OutputValues = of_vertex.map(|it| it.pick(vertex(it.register))).collect();
        for (lane, alive) in alive.into_iter().enumerate() {
            results.push(f32::from(u8::from(alive)));
            let of_fragment = outputs(interface, Stage::Fragment).into_iter();
            results.extend(of_fragment.map(|it| it.pick(fragment(it.register, lane))));
        }
        results
    }

    fn agal(&self, observer: &mut TranslationErrors) -> OutputValues {
        let compiled = CompiledProgram::new(self.pair.vertex());
        let mut vertex = compiled.state();
        self.grid.vertices(0, None, |number, lane, value| {
            vertex.set_attribute(number, lane, value);
            vertex.set_instance(lane, self.inputs.instance_id);
        });
        let constants = &self.inputs.vertex_constants;
        compiled.run_with(&mut vertex, constants, &SamplerImages(&self.grid.vertex), observer);
        let compiled = CompiledProgram::new(self.pair.fragment());
        let mut fragment = compiled.state();
        self.grid.pixels(true, 0, None, |number, lane, value| {
            fragment.set_varying(number, lane, value);
        });
        let constants = &self.inputs.fragment_constants;
        compiled.run_with(&mut fragment, constants, &SamplerImages(&self.grid.fragment), observer);
        self.gather(
            |register| agal::output(&vertex, register, 0),
            |register, lane| agal::output(&fragment, register, lane),
            fragment.alive(),
        )
    }

    fn tokens(&self, model: Model, both: &[Translation; 2]) -> Result<OutputValues, D3d9RunError> {
        let [vertex, fragment] = both;
        let three = model == Model::V30;
        let run = |made: &Translation, floats: &[[f32; 4]], set: &dyn Fn(&mut D3d9State)| {
            let compiled = CompiledShader::new(&made.program)?;
            let mut state = compiled.state();
            set(&mut state);
            let constants = Constants { floats, ..Constants::default() };
            let stage = made.program.version.stage();
            let textures = textures(&self.grid, self.pair.interface(), stage);
            let textures = BiasedTextures { textures: &textures, undefined: &self.undefined };
            compiled.run(&mut state, &constants, &textures, MAX_STEPS, &mut ())?;
            Ok(state)
        };
        let vertex = run(vertex, &self.inputs.vertex_constants, &|state| {
            self.grid.vertices(0, None, |number, lane, value| state.set_input(number, lane, value));
        })?;
        let fragment = run(fragment, &self.inputs.fragment_constants, &|state| {
            self.grid.pixels(true, 0, None, |number, lane, value| match three {
                true => state.set_input(number, lane, value),
                false => state.set_texcoord(number, lane, value),
            });
        })?;
        Ok(self.gather(
            |register| output(&vertex, three, register, 0),
            |register, lane| output(&fragment, three, register, lane),
            fragment.alive(),
        ))
    }

    /// Compares the tokens' results with the ranges of AGAL's results.
    fn compare(&self, found: &[f32]) -> TranslationOutcome {
        let [few, many] = RUNS;
        match self.compare_within(found, few) {
            TranslationOutcome::Differs(_) => self.compare_within(found, many),
            agreed => agreed,
        }
    }

    fn compare_within(&self, found: &[f32], runs: u64) -> TranslationOutcome {
        let mut no_errors = TranslationErrors { model: None, undefined: false };
        let mut values: Vec<ResultRange> =
            self.agal(&mut no_errors).into_iter().map(ResultRange::new).collect();
        let mut undefined = no_errors.undefined;
        let same = |(value, found): (&ResultRange, &f32)| value.is(*found);
        if values.iter().zip(found).all(same) {
            return TranslationOutcome::Agrees(found.len() as u64);
        }
        for seed in 0..runs {
            if undefined {
                return TranslationOutcome::Undefined;
            }
            let mut model = ErrorModel::new(Random::new(seed), FloatRules::Direct3D9);
            model.translated = true;
            let mut errors = TranslationErrors { model: Some(model), undefined: false };
            for (value, run) in values.iter_mut().zip(self.agal(&mut errors)) {
                value.include(run);
            }
            undefined = errors.undefined;
        }
        for (index, (value, found)) in values.iter().zip(found).enumerate() {
            if !value.is_undefined() && !value.admits(*found) {
                let (nominal, (low, high)) = (value.nominal, value.range());
                return TranslationOutcome::Differs(format!(
                    "result {index} of the tokens is {found}, but AGAL returns {nominal} ({low}..{high})"
                ));
            }
        }
        let compared = values.iter().filter(|value| !value.is_undefined()).count();
        TranslationOutcome::Agrees(compared as u64)
    }
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
