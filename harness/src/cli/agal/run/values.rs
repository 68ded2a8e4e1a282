//! `va0=1,2,3,4`: initial values of registers.

use agal::interp::{Image, LANES, State};
use agal::limits::MAX_FRAGMENT_SAMPLERS;
use agal::operand::SecondOperand;
use agal::register::RegisterFile;
use agal::sampler::Dimension;
use agal::{Stage, ValidProgram};

use crate::cli::Failure;
use crate::cli::values::{self, REST, picture, spread};

const FACES: u32 = agal::cube::FACES as u32;

/// Values that the state of a run does not have.
pub(super) struct Values {
    pub(super) constants: Vec<[f32; 4]>,
    pub(super) images: Vec<Option<Image>>,
}

impl Values {
    /// Parses `REGISTER=VALUE` for a program, and sets the state.
    pub(super) fn parse(
        valid: &ValidProgram,
        texts: &[&String],
        state: &mut State,
    ) -> Result<Values, Failure> {
        let images = vec![None; MAX_FRAGMENT_SAMPLERS];
        let mut values = Values { constants: Vec::new(), images };
        for text in texts {
            values.set_one(valid, text, state).map_err(Failure::of(text))?;
        }
        Ok(values)
    }

    fn set_one(
        &mut self,
        valid: &ValidProgram,
        text: &str,
        state: &mut State,
    ) -> Result<(), String> {
        let program = valid.program();
        let (register, value) = text.split_once('=').ok_or("not REGISTER=VALUE")?;
        let name = file_name(register);
        let digits = register.get(name.len()..).unwrap_or_default();
        let (stage, version) = (program.stage(), program.agal_version());
        let file = RegisterFile::from_name(name, stage)
            .ok_or_else(|| format!("{stage} programs have no register {name:?}"))?;
        let count = file.version_count(stage, version).unwrap_or(0);
        let number = match digits {
            "" => Some(0),
            digits => digits.parse::<u16>().ok(),
        };
        let number = number
            .filter(|number| *number < count)
            .ok_or_else(|| format!("AGAL {} has {count} of these", version.number()))?;
        match file {
            RegisterFile::Attribute => {
                each(value, vector, |(lane, value)| state.set_attribute(number, lane, value))?;
            }
            RegisterFile::Varying if stage == Stage::Fragment => {
                each(value, vector, |(lane, value)| state.set_varying(number, lane, value))?;
            }
            RegisterFile::Constant => self.constants(number, count, value)?,
            RegisterFile::Sampler => {
                let image = image(value, dimension(valid, number))?;
                if let Some(slot) = self.images.get_mut(usize::from(number)) {
                    *slot = Some(image);
                }
            }
            RegisterFile::InstanceId => {
                each(value, values::number, |(lane, value)| state.set_instance(lane, value))?;
            }
            RegisterFile::Varying
            | RegisterFile::Temporary
            | RegisterFile::Output
            | RegisterFile::DepthOutput => {
                return Err(format!("not an input of {stage} programs"));
            }
        }
        Ok(())
    }

    fn constants(&mut self, first: u16, count: u16, value: &str) -> Result<(), String> {
        let list = value.split('/').map(vector).collect::<Result<Vec<_>, _>>()?;
        let first = usize::from(first);
        let end = first + list.len();
        if end > usize::from(count) {
            return Err(format!("there are {count} constants"));
        }
        if self.constants.len() < end {
            self.constants.resize(end, [0.0; 4]);
        }
        for (slot, value) in self.constants.iter_mut().skip(first).zip(list) {
            *slot = value;
        }
        Ok(())
    }

    /// The values for each program of a pair: those of registers that only vertex programs have, and the others.
    pub(super) fn of_pair<'t>(
        texts: &[&'t String],
    ) -> Result<(Vec<&'t String>, Vec<&'t String>), Failure> {
        let file = |text: &str, stage| {
            let register = text.split('=').next().unwrap_or_default();
            RegisterFile::from_name(file_name(register), stage)
        };
        let varying = Some(RegisterFile::Varying);
        if let Some(text) = texts.iter().find(|text| file(text, Stage::Fragment) == varying) {
            return Err(Failure::of(text)("the vertex program writes this varying"));
        }
        Ok(texts.iter().partition(|text| file(text, Stage::Vertex).is_some()))
    }
}

fn file_name(register: &str) -> &str {
    register.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn vector(text: &str) -> Result<[f32; 4], String> {
    values::vector(text, REST)
}

/// Passes the value of each invocation on.
fn each<T: Copy>(
    text: &str,
    one: impl Fn(&str) -> Result<T, String>,
    set: impl FnMut((usize, T)),
) -> Result<(), String> {
    let values: [T; LANES] = spread(text, one)?;
    values.into_iter().enumerate().for_each(set);
    Ok(())
}

/// The dimension of the texture that the program reads with a sampler; 2D if it reads none.
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

fn image(value: &str, dimension: Dimension) -> Result<Image, String> {
    if let Ok(color) = vector(value) {
        return Ok(Image::constant(dimension, color));
    }
    let ((width, rows), texels) = picture(value)?;
    let height = match dimension {
        Dimension::TwoD => rows,
        Dimension::Cube if rows.checked_div(FACES) == Some(width) && rows.is_multiple_of(FACES) => {
            width
        }
        Dimension::Cube => return Err("a cube needs six squares from top to bottom".to_owned()),
    };
    let image = Image::new(dimension, (width, height), vec![texels]);
    image.map_err(|error| error.to_string())
}
