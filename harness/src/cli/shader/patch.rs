//! Reads patches for hull shaders from JSON: control points, constant buffers, buffers, textures and samplers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agal::sampler::{Filter, Mip, OPTIONS, SamplerField, SamplerOp, Wrap};
use hs50::hull::Hull;
use serde::{Deserialize, Deserializer, de};

use super::values::texture;
use crate::cli::{CommandFailure, input};
use molehill_testing::probe::hull::{BoundResources, Patch, SAMPLER};

#[derive(clap::Args)]
pub(super) struct PatchArgument {
    /// Hull shaders: JSON file with control points and buffers [default: generated points]
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
}

/// A patch with its bound resources and its primitive ID.
pub(super) struct PatchInput {
    pub(super) points: Patch,
    pub(super) bound: BoundResources,
    pub(super) primitive: u32,
}

/// The content of a JSON file with a patch. The maps contain the resources by slot.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PatchFile {
    points: Option<Vec<Vec<FileRegister>>>,
    primitive: u32,
    cb: BTreeMap<u32, Vec<FileRegister>>,
    t: BTreeMap<u32, PatchResource>,
    s: BTreeMap<u32, String>,
}

/// A register value of up to four components. Missing components are 0.
#[derive(Deserialize)]
struct FileRegister(Vec<PatchWord>);

/// A resource: the path of an image for a texture, or the content of a buffer.
#[derive(Deserialize)]
#[serde(untagged)]
enum PatchResource {
    Picture(String),
    Words(Vec<PatchWord>),
}

/// A 32-bit value, written as a float, or as text that gives its bits: `0x3f800000`, `7u`, `-1i`.
struct PatchWord(u32);

impl<'de> Deserialize<'de> for PatchWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum PatchValue {
            Number(f32),
            Text(String),
        }
        let text = match PatchValue::deserialize(deserializer)? {
            PatchValue::Number(number) => return Ok(PatchWord(number.to_bits())),
            PatchValue::Text(text) => text,
        };
        let bits = match (text.strip_prefix("0x"), text.strip_suffix('u'), text.strip_suffix('i')) {
            (Some(hex), ..) => u32::from_str_radix(hex, 16).ok(),
            (_, Some(number), _) => number.parse().ok(),
            (_, _, Some(number)) => number.parse::<i32>().ok().map(i32::cast_unsigned),
            _ => text.parse::<f32>().ok().map(f32::to_bits),
        };
        let advice = "use a number, or text like \"0x3f800000\", \"7u\", \"-1i\", \"nan\"";
        bits.map(PatchWord)
            .ok_or_else(|| de::Error::custom(format!("{text:?} is not a value: {advice}")))
    }
}

fn registers(registers: Vec<FileRegister>) -> Result<Vec<[u32; 4]>, String> {
    let one = |FileRegister(words): FileRegister| {
        if words.len() > 4 {
            return Err(format!("a register has 4 components, found {}", words.len()));
        }
        let mut register = [0; 4];
        register.iter_mut().zip(words).for_each(|(slot, PatchWord(bits))| *slot = bits);
        Ok(register)
    };
    registers.into_iter().map(one).collect()
}

impl PatchArgument {
    pub(super) fn read(&self, hull: &Hull) -> Result<PatchInput, CommandFailure> {
        let Some(path) = &self.patch else {
            return input(PatchFile::default(), hull).map_err(CommandFailure);
        };
        let bytes = input::bytes(path)?;
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return Err(input::failure(path, "a patch file must be a JSON object"));
        }
        let file = serde_json::from_slice(&bytes).map_err(|error| input::failure(path, error))?;
        input(file, hull).map_err(|reason| input::failure(path, reason))
    }
}

fn input(file: PatchFile, hull: &Hull) -> Result<PatchInput, String> {
    let points = file.points.map(|points| points.into_iter().map(registers).collect());
    let points = points.transpose()?.unwrap_or_else(|| generated(hull));
    let mut bound = BoundResources::default();
    for (slot, values) in file.cb {
        bound.constants.insert(slot, registers(values)?);
    }
    for (slot, resource) in file.t {
        match resource {
            PatchResource::Picture(path) => {
                let texture =
                    texture(&path, None).map_err(|reason| format!("t{slot}: {path}: {reason}"))?;
                bound.textures.insert(slot, texture);
            }
            PatchResource::Words(words) => {
                bound.words.insert(slot, words.into_iter().map(|PatchWord(bits)| bits).collect());
            }
        }
    }
    for (slot, text) in file.s {
        bound.samplers.insert(slot, sampler(&text).map_err(|reason| format!("s{slot}: {reason}"))?);
    }
    Ok(PatchInput { points, bound, primitive: file.primitive })
}

/// Parses sampler options in AGAL's syntax: `nearest,repeat,mipnone`.
fn sampler(text: &str) -> Result<SamplerOp, String> {
    let mut sampler = SAMPLER;
    for word in text.split(',').map(str::trim) {
        let option = OPTIONS.iter().find(|option| option.name == word);
        let option = option.ok_or_else(|| format!("unknown sampler option {word:?}"))?;
        match option.field {
            SamplerField::Wrap => {
                sampler.wrap = Wrap::from_code(option.bits).unwrap_or(SAMPLER.wrap)
            }
            SamplerField::Filter => {
                sampler.filter = Filter::from_code(option.bits).unwrap_or(SAMPLER.filter)
            }
            SamplerField::Mip => sampler.mip = Mip::from_code(option.bits).unwrap_or(SAMPLER.mip),
            SamplerField::SamplerFormat | SamplerField::Dimension | SamplerField::Special => {
                return Err(format!("{word:?} is not a filter, wrap mode or mip filter"));
            }
        }
    }
    Ok(sampler)
}

/// Generates control points on a wavy surface: x and y from -1 to 1, w 1. Register 0 is the position; every other input
/// register contains (1, 2, 3, 4).
fn generated(hull: &Hull) -> Patch {
    let count = hull.input_points.max(1);
    let columns = (1..=count).find(|columns| columns * columns >= count).unwrap_or(1);
    let rows = count.div_ceil(columns);
    let spread = |n: u32, of: u32| {
        if of > 1 { 2.0 * small(n) / small(of - 1) - 1.0 } else { 0.0 }
    };
    let point = |n: u32| {
        let (x, y) = match count {
            // Three control points form a triangle, not three corners of a square.
            3 => {
                [(-1.0, -0.8), (1.0, -0.8), (0.0, 0.9)].get(n as usize).copied().unwrap_or_default()
            }
            _ => (spread(n % columns, columns), spread(n / columns, rows)),
        };
        let element = |register: u32| match register {
            0 => [x, y, 0.4 * (x * 2.0).sin() * (y * 2.0).cos(), 1.0].map(f32::to_bits),
            _ => [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits),
        };
        (0..hull.input_registers).map(element).collect()
    };
    (0..hull.input_points).map(point).collect()
}

fn small(number: u32) -> f32 {
    f32::from(u16::try_from(number).unwrap_or(u16::MAX))
}
