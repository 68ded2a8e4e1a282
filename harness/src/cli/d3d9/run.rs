//! `molehill d3d9 run`

use std::path::PathBuf;

use ::d3d9::interp::{Images, Inputs, Kernel, LANES, MAX_STEPS, Observer, Register, State, Step};
use ::d3d9::operand::Component;
use ::d3d9::register::{File, Register as RegisterName};
use ::d3d9::{Program, Stage};
use agal::interp::Image;
use agal::sampler::{Dimension, Filter, Mip, Sampler, SamplerFormat, Wrap};
use serde_json::{Value, json};

use super::input;
use crate::cli::values::{REST, number, picture, spread, vector};
use crate::cli::{Failure, Format, Status, output};

/// Runs a shader on given values
#[derive(clap::Args)]
pub(in crate::cli) struct Run {
    /// A shader; - for standard input
    #[arg(value_name = "FILE")]
    shader: PathBuf,
    /// Value of a register
    #[arg(value_name = "REGISTER=VALUE", allow_negative_numbers = true)]
    values: Vec<String>,
    /// Show the result of every instruction
    #[arg(long)]
    trace: bool,
    /// Maximum number of executed instructions
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    steps: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Default)]
struct Values {
    floats: Vec<[f32; 4]>,
    integers: Vec<[i32; 4]>,
    booleans: Vec<bool>,
    textures: Vec<Option<(Image, Sampler)>>,
}

/// An element of a list, which grows if needed.
fn at<T: Clone + Default>(list: &mut Vec<T>, number: u16) -> &mut T {
    let index = usize::from(number);
    if list.len() <= index {
        list.resize(index.saturating_add(1), T::default());
    }
    &mut list[index]
}

/// Parses `0.5,1`; values between slashes are one for each invocation.
fn lanes(text: &str) -> Result<[[f32; 4]; LANES], String> {
    spread(text, |text| vector(text, REST))
}

/// Parses four components: a single number is copied to all of them; otherwise missing ones are 0.
fn four<T: std::str::FromStr + Copy + Default>(text: &str) -> Result<[T; 4], String> {
    if text.contains(',') {
        return vector(text, [T::default(); 4]);
    }
    number(text).map(|one| [one; 4])
}

impl Values {
    fn set(&mut self, text: &str, program: &Program, state: &mut State) -> Result<(), String> {
        let (register, value) = text.split_once('=').ok_or("not REGISTER=VALUE")?;
        let name = register.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = register.get(name.len()..).unwrap_or_default();
        let file = File::from_name(register, program.version)
            .filter(|file| !file.is_numbered())
            .or_else(|| File::from_name(name, program.version))
            .ok_or_else(|| format!("{} has no register {register}", program.version))?;
        let count = file.info(program.version).map_or(0, |info| info.count.max(256));
        let index: u16 = if digits.is_empty() { 0 } else { number(digits)? };
        if index >= count.max(1) {
            return Err(format!("{} has no register {register}", program.version));
        }
        match file {
            File::Const => *at(&mut self.floats, index) = four(value)?,
            File::Integer => *at(&mut self.integers, index) = four(value)?,
            File::Boolean => *at(&mut self.booleans, index) = matches!(value, "1" | "true"),
            File::Sampler => *at(&mut self.textures, index) = Some(texture(value)?),
            File::Input | File::Texture | File::PixelPosition | File::Face => {
                for (lane, value) in lanes(value)?.into_iter().enumerate() {
                    let [x, y, ..] = value;
                    match file {
                        File::Input => state.set_input(index, lane, value),
                        File::Texture => state.set_texcoord(index, lane, value),
                        File::PixelPosition => state.set_pixel_position(lane, [x, y]),
                        _ => state.set_front_face(lane, x >= 0.0),
                    }
                }
            }
            _ => return Err(format!("{register} is not an input")),
        }
        Ok(())
    }
}

fn texture(path: &str) -> Result<(Image, Sampler), String> {
    let (size, texels) = picture(path)?;
    let image = Image::new(Dimension::TwoD, size, vec![texels]);
    let sampler = Sampler {
        register: 0,
        lod_bias: 0,
        format: SamplerFormat::Rgba,
        dimension: Dimension::TwoD,
        centroid: false,
        single: false,
        ignore_sampler: false,
        wrap: Wrap::Repeat,
        mip: Mip::None,
        filter: Filter::Linear,
    };
    let image = image.map_err(|error| error.to_string())?;
    Ok((image, sampler))
}

struct Trace<'a> {
    program: &'a Program,
    text: String,
}

impl Observer for Trace<'_> {
    fn step(&mut self, step: &Step) {
        let mut all = self.program.instructions();
        let instruction = all.find(|(number, _)| *number == step.instruction);
        let reading = instruction.map(|(_, it)| it.readable_text(self.program.version));
        self.text += &format!("{:>4}  {:40}", step.instruction, reading.unwrap_or_default());
        if let Some((register, mask, value)) = step.written {
            let letters: String = mask.iter().map(Component::letter).collect();
            self.text += &format!(" {register}.{letters} = {}", shown(&value));
        }
        self.text.push('\n');
    }
}

/// One value if it is the same for all invocations, else four.
fn shown(value: &Register) -> String {
    let lanes = [0, 1, 2, 3].map(|lane| value.lane(lane).map(|it| it.to_string()).join(","));
    let [first, others @ ..] = &lanes;
    let same = others.iter().all(|other| other == first);
    if same { first.clone() } else { lanes.join(" / ") }
}

impl Run {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = input::one(&self.shader)?;
        let program = match input.shader {
            Ok(program) => program,
            Err(error) => return Ok(refused(&error)),
        };
        let kernel = match Kernel::new(&program) {
            Ok(kernel) => kernel,
            Err(error) => return Ok(refused(&format!("{}: {error}", input.name))),
        };
        let mut state = kernel.state();
        let mut values = Values::default();
        for text in &self.values {
            values.set(text, &program, &mut state).map_err(Failure::of(text))?;
        }
        let inputs = Inputs {
            floats: &values.floats,
            integers: &values.integers,
            booleans: &values.booleans,
            ..Inputs::default()
        };
        let mut trace = Trace { program: &program, text: String::new() };
        let images = Images(&values.textures);
        let result = if self.trace {
            kernel.run(&mut state, &inputs, &images, self.steps, &mut trace)
        } else {
            kernel.run(&mut state, &inputs, &images, self.steps, &mut ())
        };
        if let Err(error) = result {
            return Ok(refused(&format!("{}: {error}", input.name)));
        }
        let outputs = outputs(&program, &state);
        let list = outputs.iter().map(|(register, value)| {
            let lanes = [0, 1, 2, 3].map(|lane| value.lane(lane));
            (register.to_string(), json!(lanes))
        });
        let answer = json!({ "outputs": list.collect::<Value>(), "alive": state.alive() });
        self.format.print(&answer, || {
            let mut text = trace.text;
            for (register, value) in &outputs {
                text += &format!("{register} = {}\n", shown(value));
            }
            if state.alive() != [true; LANES] {
                text += &format!("alive: {:?}\n", state.alive());
            }
            text
        })
    }
}

fn refused(reason: &str) -> Status {
    output::tell(reason);
    Status::Mismatch
}

/// The output registers that the shader writes.
fn outputs(program: &Program, state: &State) -> Vec<(RegisterName, Register)> {
    let mut names: Vec<RegisterName> = Vec::new();
    for (_, instruction) in program.instructions() {
        if let Some(index) = instruction.dest.and_then(|dest| dest.register(program.version))
            && index.file.is_output()
            && !instruction.opcode.is_declaration()
            && !names.contains(&index)
        {
            names.push(index);
        }
    }
    // The output colour of ps_1_x is r0.
    if program.version.stage() == Stage::Fragment && program.version.major() == 1 {
        names.push(RegisterName::new(File::Color, 0));
    }
    names.into_iter().map(|index| (index, state.register(index))).collect()
}
