//! `molehill d3d9 run`

use std::fmt::Write;

use ::d3d9::interp::{
    Images, Inputs, Kernel, LANES, Observer, Register, Settings, State, Step, Texture,
};
use ::d3d9::operand::Component;
use ::d3d9::register::{File, Register as Place};
use ::d3d9::{Program, Stage};
use agal::sampler::{Dimension, Filter, Mip, Sampler, SamplerFormat, Wrap};
use clap::{ArgMatches, Command, value_parser};
use serde_json::json;

use super::input;
use crate::cli::arguments::{self, file, flag, path_of};
use crate::cli::values::{REST, number, picture, spread, vector};
use crate::cli::{Failure, Status, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 run shader.bin t0=0.5,0.5 c0=1 s0=picture.png
  molehill d3d9 run shader.bin v0=0/1/2/3 i0=4,0,1 b0=true --trace
      a value for each of the four invocations: vertices, or the pixels of a quad from the top left

Registers: v# and t# (missing components are 0, 0, 0, 1), c#, i#, b#, vPos, vFace, s# (a PNG, sampled with
bilinear filtering and repeat). Constants defined in the shader take precedence.

Exit status: 0; 1 if the shader can't be run or exceeds --steps; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("run")
        .about("Runs a shader on given values")
        .after_help(AFTER_HELP)
        .arg(file("shader", "A shader; - for standard input").required(true))
        .arg(arguments::values("Value of a register"))
        .arg(flag("trace", "Show the result of every instruction"))
        .arg(
            arguments::option("steps", "N", "Maximum number of executed instructions")
                .value_parser(value_parser!(u32))
                .default_value("1048576"),
        )
        .arg(arguments::json())
}

/// All values from the command line.
#[derive(Default)]
struct Values {
    floats: Vec<[f32; 4]>,
    integers: Vec<[i32; 4]>,
    booleans: Vec<bool>,
    textures: Vec<Option<(Texture, Sampler)>>,
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
    match text.contains(',') {
        true => vector(text, [T::default(); 4]),
        false => number(text).map(|one| [one; 4]),
    }
}

impl Values {
    fn take(&mut self, text: &str, program: &Program, state: &mut State) -> Result<(), String> {
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

fn texture(path: &str) -> Result<(Texture, Sampler), String> {
    let (size, texels) = picture(path)?;
    let image = agal::interp::Image::new(Dimension::TwoD, size, vec![texels]);
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
    Ok((Texture::Image(image), sampler))
}

struct Trace<'a> {
    program: &'a Program,
    text: String,
}

impl Observer for Trace<'_> {
    fn step(&mut self, step: &Step) {
        let mut all = self.program.instructions();
        let instruction = all.find(|(number, _)| *number == step.instruction);
        let reading =
            instruction.map(|(_, i)| i.readable_text(self.program.version)).unwrap_or_default();
        let _ = write!(self.text, "{:>4}  {reading:40}", step.instruction);
        if let Some((register, mask, value)) = step.written {
            let letters: String = mask.iter().map(Component::letter).collect();
            let _ = write!(self.text, " {register}.{letters} = {}", shown(&value));
        }
        self.text.push('\n');
    }
}

/// One value if it is the same for all invocations, else four.
fn shown(value: &Register) -> String {
    let lanes = [0, 1, 2, 3].map(|lane| {
        let components = value.lane(lane).map(|component| format!("{component}"));
        components.join(",")
    });
    let [first, others @ ..] = &lanes;
    match others.iter().all(|other| other == first) {
        true => first.clone(),
        false => lanes.join(" / "),
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::one(&path_of(matches, "shader"))?;
    let refused = |reason: &str| {
        output::tell(reason);
        Ok(Status::Mismatch)
    };
    let program = match input.shader {
        Ok(program) => program,
        Err(error) => return refused(&error),
    };
    let kernel = match Kernel::new(&program) {
        Ok(kernel) => kernel,
        Err(error) => return refused(&format!("{}: {error}", input.name)),
    };
    let mut state = kernel.state();
    let mut values = Values::default();
    for text in matches.get_many::<String>("values").into_iter().flatten() {
        let failed = |reason| Failure(format!("{text}: {reason}"));
        values.take(text, &program, &mut state).map_err(failed)?;
    }
    let inputs = Inputs {
        floats: &values.floats,
        integers: &values.integers,
        booleans: &values.booleans,
        ..Inputs::default()
    };
    let settings = Settings {
        steps: matches.get_one("steps").copied().unwrap_or(Settings::DEFAULT.steps),
    };
    let mut trace = Trace { program: &program, text: String::new() };
    let images = Images(&values.textures);
    let ran = match matches.get_flag("trace") {
        true => kernel.run(&mut state, &inputs, &images, &settings, &mut trace),
        false => kernel.run(&mut state, &inputs, &images, &settings, &mut ()),
    };
    if let Err(error) = ran {
        return refused(&format!("{}: {error}", input.name));
    }
    let outputs = outputs(&program, &state);
    let json = || {
        let list = outputs.iter().map(|(index, value)| {
            let lanes = [0, 1, 2, 3].map(|lane| value.lane(lane));
            (index.to_string(), json!(lanes))
        });
        json!({ "outputs": list.collect::<serde_json::Value>(), "alive": state.alive() })
    };
    let mut text = trace.text;
    for (index, value) in &outputs {
        let _ = writeln!(text, "{index} = {}", shown(value));
    }
    if state.alive() != [true; LANES] {
        let _ = writeln!(text, "alive: {:?}", state.alive());
    }
    output::give(matches, json, || text)?;
    Ok(Status::Success)
}

/// The output registers that the shader writes.
fn outputs(program: &Program, state: &State) -> Vec<(Place, Register)> {
    let mut places: Vec<Place> = Vec::new();
    for (_, instruction) in program.instructions() {
        if let Some(index) = instruction.dest.and_then(|dest| dest.register(program.version))
            && index.file.is_output()
            && !instruction.opcode.is_declaration()
            && !places.contains(&index)
        {
            places.push(index);
        }
    }
    // The output colour of ps_1_x is r0.
    if program.version.stage() == Stage::Fragment && program.version.major() == 1 {
        places.push(Place::new(File::Color, 0));
    }
    places.into_iter().map(|index| (index, state.register(index))).collect()
}
