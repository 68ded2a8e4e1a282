//! Runs AGAL programs for the page: sets their inputs, and records the registers after each step.

use std::collections::BTreeMap;

use agal::interp::{
    AgalLanguage, AgalState, AgalTraceStep, CompiledProgram, LANES, LaneRegister, RunObserver,
    SamplerImages, TexelImage,
};
use agal::ir::{Address, IrOperation};
use agal::limits::MAX_FRAGMENT_SAMPLERS;
use agal::register::RegisterFile;
use agal::sampler::Dimension;
use agal::{Program, Stage, ValidProgram, asm};
use serde::Serialize;

use crate::settings::PageSettings;
use crate::values::{constant, register, texture};

/// The value of a register by lane and component. Components are texts, because JSON can't express NaN and infinity.
type RegisterLanes = [[String; 4]; LANES];

fn lanes(register: &LaneRegister) -> RegisterLanes {
    std::array::from_fn(|lane| register.lane(lane).map(|value| format!("{value:?}")))
}

/// An input register of a program.
#[derive(Debug, Serialize)]
pub struct InputRegister {
    pub stage: &'static str,
    pub name: String,
    /// The kind of input: `attribute`, `constant`, `varying`, `instance`, `texture` or `cube`.
    pub kind: &'static str,
    /// The input's value as text: from the settings, or a default.
    pub text: String,
    /// The reason why the text is not a valid value. With an error, the register is zero.
    pub error: Option<String>,
    /// The value of the register; `None` for a texture.
    pub value: Option<RegisterLanes>,
    /// The texels if the input is a texture.
    pub texels: Vec<[f32; 4]>,
}

/// An executed instruction.
#[derive(Debug, Serialize)]
pub struct PlayStep {
    pub stage: &'static str,
    pub token: u32,
    /// The line of the instruction in the source text.
    pub line: Option<u32>,
    pub text: String,
    /// The written register, with its write mask and its value after the instruction.
    pub register: Option<String>,
    pub mask: String,
    pub value: Option<RegisterLanes>,
    /// The lanes that execute the current branch. At an `if` or `els`, the current branch is the branch that begins
    /// there.
    pub active: [bool; LANES],
    /// The lanes that are not discarded.
    pub alive: [bool; LANES],
}

/// An input register that a program reads.
type InputRead = (RegisterFile, u16);

/// Returns the input registers that a program reads. An indirect matrix reads all constants from its offset on.
fn reads(valid: &ValidProgram) -> BTreeMap<InputRead, Option<Dimension>> {
    let stage = valid.program().stage();
    let is_input = |file: RegisterFile| match file {
        RegisterFile::Attribute | RegisterFile::Constant | RegisterFile::InstanceId => true,
        RegisterFile::Varying => stage == Stage::Fragment,
        RegisterFile::Temporary
        | RegisterFile::Output
        | RegisterFile::Sampler
        | RegisterFile::DepthOutput => false,
    };
    let mut found = BTreeMap::new();
    for step in valid.steps() {
        step.action.for_each_read(|address, _| {
            let (Address::Direct(file, number) | Address::Indirect { file, number, .. }) = address;
            if is_input(file) {
                found.insert((file, number), None);
            }
            if let Address::Indirect { offset, .. } = address {
                let first = u16::try_from(offset).unwrap_or(0);
                let rows = (first..).take(4).map(|row| ((RegisterFile::Constant, row), None));
                found.extend(rows);
            }
        });
        if let IrOperation::Sample(_, _, _, sampler) = step.action {
            found.insert((RegisterFile::Sampler, sampler.register), Some(sampler.dimension));
        }
    }
    found
}

/// The default attributes: the corners of a square, as positions or texture coordinates.
const CORNERS: &str = "-1,-1,0,1 / 1,-1,0,1 / -1,1,0,1 / 1,1,0,1";
const COORDINATES: &str = "0,1,0,1 / 1,1,0,1 / 0,0,0,1 / 1,0,0,1";
/// The default varyings of the four pixels of a quad.
const QUAD: &str = "0.25,0.25,0,1 / 0.75,0.25,0,1 / 0.25,0.75,0,1 / 0.75,0.75,0,1";
const ROWS: [&str; 4] = ["1,0,0,0", "0,1,0,0", "0,0,1,0", "0,0,0,1"];
const TEXELS: &str = "1,0,0,1 / 0,1,0,1 / 0,0,1,1 / 1,1,1,0.5";
const FACES: &str = "1,0,0 / 0,1,1 / 0,1,0 / 1,0,1 / 0,0,1 / 1,1,0";

/// Returns the kind of an input, and its default value as text.
fn kind(
    stage: Stage,
    (file, number): InputRead,
    dimension: Option<Dimension>,
) -> (&'static str, &'static str) {
    let row = ROWS.get(usize::from(number % 4)).copied().unwrap_or_default();
    match (file, stage, dimension) {
        (RegisterFile::Sampler, _, Some(Dimension::Cube)) => ("cube", FACES),
        (RegisterFile::Sampler, ..) => ("texture", TEXELS),
        (RegisterFile::Attribute, ..) => {
            ("attribute", if number == 0 { CORNERS } else { COORDINATES })
        }
        (RegisterFile::Constant, Stage::Vertex, _) => ("constant", row),
        (RegisterFile::Constant, Stage::Fragment, _) => ("constant", "1,0.5,0.25,1"),
        (RegisterFile::InstanceId, ..) => ("instance", "0,0,0,1"),
        _ => ("varying", QUAD),
    }
}

/// The inputs before a run: registers and textures.
struct Start {
    state: AgalState,
    images: Vec<Option<TexelImage>>,
}

impl Start {
    /// Sets an input register or texture to the value of a text.
    fn set(
        &mut self,
        (file, number): InputRead,
        dimension: Option<Dimension>,
        text: &str,
    ) -> Result<(), String> {
        let index = usize::from(number);
        if let Some(dimension) = dimension {
            let image = texture(text, dimension)?;
            if let Some(slot) = self.images.get_mut(index) {
                *slot = Some(image);
            }
        } else {
            let value = match file {
                RegisterFile::Constant => LaneRegister::splat(constant(text)?),
                _ => register(text)?,
            };
            self.state.set_lanes(file, number, &value);
        }
        Ok(())
    }

    /// Returns the current value of an input register, or the texels of a texture.
    fn shown(
        &self,
        stage: Stage,
        (file, number): InputRead,
    ) -> (Option<RegisterLanes>, Vec<[f32; 4]>) {
        let index = usize::from(number);
        match file {
            RegisterFile::Sampler => {
                let image = self.images.get(index).and_then(Option::as_ref);
                let level = image.and_then(|image| image.level(0));
                (None, level.map_or_else(Vec::new, |(_, _, texels)| texels.to_vec()))
            }
            RegisterFile::Varying if stage == Stage::Vertex => (None, Vec::new()),
            _ => (Some(lanes(self.state.register(file, number))), Vec::new()),
        }
    }
}

/// Records the steps of a run for the page.
struct StepRecorder<'a> {
    program: &'a Program,
    /// For each token, its line in the text.
    lines: &'a [u32],
    steps: &'a mut Vec<PlayStep>,
}

impl RunObserver<AgalLanguage> for StepRecorder<'_> {
    fn step(&mut self, step: &AgalTraceStep) {
        let stage = self.program.stage();
        let index = usize::try_from(step.instruction).unwrap_or(0).wrapping_sub(1);
        let instruction = self.program.instructions().get(index);
        let text = instruction.map(|it| asm::readable_text(it, stage).to_string());
        let written = step.written;
        let name = written.and_then(|written| {
            let (file, number) = written.register;
            file.text(stage, number)
        });
        self.steps.push(PlayStep {
            stage: stage.name(),
            token: step.instruction,
            line: self.lines.get(index).copied(),
            text: text.unwrap_or_default(),
            register: name,
            mask: written.iter().flat_map(|it| it.mask.iter().map(|lane| lane.letter())).collect(),
            value: written.map(|written| lanes(&written.value)),
            active: step.active,
            alive: step.alive,
        });
    }
}

/// Runs a program, or both programs of a pair. The fragment program of a pair receives the varyings of the vertex
/// program, lane by lane. `lines` has the line of each token of each program.
pub(crate) fn run(
    programs: &[ValidProgram],
    lines: &[Vec<u32>],
    settings: &PageSettings,
) -> (Vec<InputRegister>, Vec<PlayStep>) {
    let (mut inputs, mut steps) = (Vec::new(), Vec::new());
    let mut before: Option<AgalState> = None;
    for (index, valid) in programs.iter().enumerate() {
        let program = valid.program();
        let stage = program.stage();
        let kernel = CompiledProgram::new(valid).with_float_rules(settings.float_rules);
        let mut start = Start { state: kernel.state(), images: vec![None; MAX_FRAGMENT_SAMPLERS] };
        for (read, dimension) in reads(valid) {
            if let (RegisterFile::Varying, Some(before)) = (read.0, &before) {
                start.state.set_lanes(read.0, read.1, before.register(read.0, read.1));
                continue;
            }
            let name = read.0.text(stage, read.1).unwrap_or_default();
            let (kind, default) = kind(stage, read, dimension);
            let given = settings.values.iter().find(|(register, _)| *register == name);
            let text = given.map_or(default, |(_, value)| value).to_owned();
            let error = start.set(read, dimension, &text).err();
            let (value, texels) = start.shown(stage, read);
            inputs.push(InputRegister {
                stage: stage.name(),
                name,
                kind,
                text,
                error,
                value,
                texels,
            });
        }
        let lines = lines.get(index).map_or(&[][..], Vec::as_slice);
        let mut recorder = StepRecorder { program, lines, steps: &mut steps };
        let constant = |number| start.state.register(RegisterFile::Constant, number).lane(0);
        let constants: Vec<[f32; 4]> = (0..256).map(constant).collect();
        let images = SamplerImages(&start.images);
        kernel.run_with(&mut start.state, &constants, &images, &mut recorder);
        before = Some(start.state);
    }
    (inputs, steps)
}
