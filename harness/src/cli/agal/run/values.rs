//! `va0=1,2,3,4`: initial values of registers.

use agal::interp::{Image, LANES, State};
use agal::limits::MAX_FRAGMENT_SAMPLERS;
use agal::operand::SecondOperand;
use agal::register::RegisterFile;
use agal::sampler::Dimension;
use agal::{LinkedPair, Stage, ValidProgram};

use crate::cli::Failure;
use crate::cli::values::{self, REST, number, picture, spread};

type Each = [[f32; 4]; LANES];

const FACES: u32 = agal::cube::FACES as u32;

pub(super) struct Values {
    attributes: Vec<(u16, Each)>,
    varyings: Vec<(u16, Each)>,
    instances: Option<[u32; LANES]>,
    pub(super) constants: Vec<[f32; 4]>,
    pub(super) images: Vec<Option<Image>>,
}

impl Values {
    /// Parses `REGISTER=VALUE` for a program.
    pub(super) fn parse<'a>(
        valid: &ValidProgram,
        texts: impl Iterator<Item = &'a String>,
    ) -> Result<Values, Failure> {
        let mut values = Values {
            attributes: Vec::new(),
            varyings: Vec::new(),
            instances: None,
            constants: Vec::new(),
            images: vec![None; MAX_FRAGMENT_SAMPLERS],
        };
        for text in texts {
            let fault = |reason: String| Failure(format!("{text}: {reason}"));
            values.set_one(valid, text).map_err(fault)?;
        }
        Ok(values)
    }

    fn set_one(&mut self, valid: &ValidProgram, text: &str) -> Result<(), String> {
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
            RegisterFile::Attribute => self.attributes.push((number, each(value)?)),
            RegisterFile::Varying if stage == Stage::Fragment => {
                self.varyings.push((number, each(value)?));
            }
            RegisterFile::Constant => self.constants(number, count, value)?,
            RegisterFile::Sampler => {
                let image = image(value, dimension(valid, number))?;
                if let Some(slot) = self.images.get_mut(usize::from(number)) {
                    *slot = Some(image);
                }
            }
            RegisterFile::InstanceId => self.instances = Some(instances(value)?),
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

    /// The values of each program of a pair: those of registers that only vertex programs have, and the others.
    pub(super) fn parse_pair(pair: &LinkedPair, texts: &[&String]) -> Result<[Values; 2], Failure> {
        let file = |text: &str, stage| {
            let register = text.split('=').next().unwrap_or_default();
            RegisterFile::from_name(file_name(register), stage)
        };
        let varying = Some(RegisterFile::Varying);
        if let Some(text) = texts.iter().find(|text| file(text, Stage::Fragment) == varying) {
            let reason = "the vertex program writes this varying";
            return Err(Failure(format!("{text}: {reason}")));
        }
        let (vertex, fragment): (Vec<&String>, Vec<&String>) =
            texts.iter().partition(|text| file(text, Stage::Vertex).is_some());
        let parse = |valid, texts: Vec<&String>| Values::parse(valid, texts.into_iter());
        Ok([parse(pair.vertex(), vertex)?, parse(pair.fragment(), fragment)?])
    }

    /// Sets everything except constants and images.
    pub(super) fn set(&self, state: &mut State) {
        for lane in 0..LANES {
            let at = |each: &Each| each.get(lane).copied().unwrap_or_default();
            for (number, each) in &self.attributes {
                state.set_attribute(*number, lane, at(each));
            }
            for (number, each) in &self.varyings {
                state.set_varying(*number, lane, at(each));
            }
            if let Some(instance) = self.instances.as_ref().and_then(|each| each.get(lane)) {
                state.set_instance(lane, *instance);
            }
        }
    }
}

fn file_name(register: &str) -> &str {
    register.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn vector(text: &str) -> Result<[f32; 4], String> {
    values::vector(text, REST)
}

fn each(text: &str) -> Result<Each, String> {
    spread(text, vector)
}

fn instances(text: &str) -> Result<[u32; LANES], String> {
    spread(text, number)
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
