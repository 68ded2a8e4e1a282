//! Runs AGAL programs in the interpreter: register values, results and the trace.

use agal::interp::{AgalState, CompiledProgram, LANES, LaneRegister, SamplerImages, TexelImage};
use agal::limits::MAX_FRAGMENT_SAMPLERS;
use agal::operand::{SecondOperand, WriteMask};
use agal::register::RegisterFile;
use agal::sampler::Dimension;
use agal::{LinkedPair, Program, Stage, ValidProgram, asm};

use super::written;
use crate::cli::CommandFailure;
use crate::cli::shader::ProgramResult;
use crate::cli::shader::options::Run;
use crate::cli::shader::results::{RegisterValue, StepPrinter, ran};
use crate::cli::shader::values::{assignment, constants, each, floats, number, texture};

pub(super) fn run(
    programs: &[ValidProgram],
    pair: Option<&LinkedPair>,
    texts: &[String],
    options: &Run,
) -> Result<Vec<ProgramResult>, CommandFailure> {
    match (pair, programs) {
        (Some(pair), _) => {
            let (first, second): (Vec<_>, Vec<_>) = of_pair(texts)?;
            let (vertex, state) = run_one(pair.vertex(), &first, None, options)?;
            let (fragment, _) = run_one(pair.fragment(), &second, Some(&state), options)?;
            Ok(vec![vertex, fragment])
        }
        (None, [valid, ..]) => {
            Ok(vec![run_one(valid, &texts.iter().collect::<Vec<_>>(), None, options)?.0])
        }
        (None, []) => Ok(Vec::new()),
    }
}

fn run_one(
    valid: &ValidProgram,
    texts: &[&String],
    before: Option<&AgalState>,
    options: &Run,
) -> Result<(ProgramResult, AgalState), CommandFailure> {
    let program = valid.program();
    let (stage, version) = (program.stage(), program.version());
    let compiled = CompiledProgram::new(valid).with_float_rules(options.floats.rules());
    let mut state = compiled.state();
    let images = vec![None; MAX_FRAGMENT_SAMPLERS];
    let mut values = AgalValues { constants: Vec::new(), images };
    for text in texts {
        values.set(valid, text, &mut state).map_err(CommandFailure::of(text))?;
    }
    if let Some(before) = before {
        let count = RegisterFile::Varying.version_count(stage, version);
        let all = (0..count.unwrap_or(0)).flat_map(|n| (0..LANES).map(move |l| (n, l)));
        for (number, lane) in all {
            state.set_varying(number, lane, before.varying(number, lane));
        }
    }
    let line = |number: u32| {
        let index = usize::try_from(number).unwrap_or(0).wrapping_sub(1);
        let instruction = program.instructions().get(index);
        instruction.map_or_else(String::new, |it| asm::readable_text(it, stage).to_string())
    };
    let name = |register: &(RegisterFile, u16)| register_name(program, register.0, register.1);
    let mut steps = StepPrinter::new(options, line, name);
    compiled.run_with(&mut state, &values.constants, &SamplerImages(&values.images), &mut steps);
    Ok((ran(stage, &results(program, &state), state.alive(), steps.trace), state))
}

/// The input values that the interpreter's state doesn't contain.
struct AgalValues {
    constants: Vec<[f32; 4]>,
    images: Vec<Option<TexelImage>>,
}

impl AgalValues {
    fn set(
        &mut self,
        valid: &ValidProgram,
        text: &str,
        state: &mut AgalState,
    ) -> Result<(), String> {
        let program = valid.program();
        let (name, digits, value) = assignment(text)?;
        let (stage, version) = (program.stage(), program.version());
        let file = RegisterFile::from_name(name, stage)
            .ok_or_else(|| format!("{stage} programs have no register {name:?}"))?;
        let count = file.version_count(stage, version).unwrap_or(0);
        let register = Some(digits.unwrap_or(0)).filter(|register| *register < count);
        let register = register
            .ok_or_else(|| format!("AGAL {} has {count} registers {name}", version.number()))?;
        match file {
            RegisterFile::Attribute => {
                each(value, floats, |(lane, value)| state.set_attribute(register, lane, value))?;
            }
            RegisterFile::Varying if stage == Stage::Fragment => {
                each(value, floats, |(lane, value)| state.set_varying(register, lane, value))?;
            }
            RegisterFile::Constant => {
                constants(&mut self.constants, (register, count), value, floats)?;
            }
            RegisterFile::Sampler => {
                let image = texture(value, Some(dimension(valid, register)))?;
                if let Some(slot) = self.images.get_mut(usize::from(register)) {
                    *slot = Some(image);
                }
            }
            RegisterFile::InstanceId => {
                each(value, number, |(lane, value)| state.set_instance(lane, value))?;
            }
            RegisterFile::Varying
            | RegisterFile::Temporary
            | RegisterFile::Output
            | RegisterFile::DepthOutput => {
                return Err(format!("{name} is not an input of {stage} programs"));
            }
        }
        Ok(())
    }
}

/// Splits register values for a pair into those for the vertex and those for the fragment program.
fn of_pair(texts: &[String]) -> Result<(Vec<&String>, Vec<&String>), CommandFailure> {
    let file = |text: &str, stage| {
        let name = assignment(text).map_or("", |(name, ..)| name);
        RegisterFile::from_name(name, stage)
    };
    let varying = Some(RegisterFile::Varying);
    if let Some(text) = texts.iter().find(|text| file(text, Stage::Fragment) == varying) {
        return Err(CommandFailure::of(text)("the vertex program writes this varying"));
    }
    Ok(texts.iter().partition(|text| file(text, Stage::Vertex).is_some()))
}

/// Returns the dimension of the texture that the program reads with a sampler. For an unused sampler, returns 2D.
fn dimension(valid: &ValidProgram, number: u16) -> Dimension {
    let mut instructions = valid.program().instructions().iter();
    let cube = instructions.any(|instruction| match instruction.source2() {
        SecondOperand::Sampler(sampler) => {
            sampler.number == number
                && Dimension::from_code(sampler.dimension) == Some(Dimension::Cube)
        }
        SecondOperand::Source(_) => false,
    });
    if cube { Dimension::Cube } else { Dimension::TwoD }
}

fn register_name(program: &Program, file: RegisterFile, number: u16) -> String {
    file.text(program.stage(), number).unwrap_or_default()
}

fn results(program: &Program, state: &AgalState) -> Vec<RegisterValue> {
    let files: &[RegisterFile] = match program.stage() {
        Stage::Vertex => &[RegisterFile::Output, RegisterFile::Varying],
        Stage::Fragment => &[RegisterFile::Output, RegisterFile::DepthOutput],
    };
    let mut results = Vec::new();
    for file in files {
        for number in written(program, *file) {
            let mut value = LaneRegister::default();
            for lane in 0..LANES {
                let of_lane = match file {
                    RegisterFile::Varying => state.varying(number, lane),
                    RegisterFile::DepthOutput => [state.depth(lane), 0.0, 0.0, 0.0],
                    _ => state.color(number, lane),
                };
                value.set_lane(lane, of_lane);
            }
            let mask = match file {
                // Only the x component contains the depth ([agal.depth.output]).
                RegisterFile::DepthOutput => WriteMask::first(1),
                _ => WriteMask::ALL,
            };
            results.push(RegisterValue::new(register_name(program, *file, number), mask, &value));
        }
    }
    results
}
