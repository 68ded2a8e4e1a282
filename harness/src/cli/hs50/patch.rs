//! Patches: control points, constant buffers, buffers, textures and samplers as JSON.

use std::fs;
use std::path::PathBuf;

use clap::{Arg, ArgMatches};
use hs50::hull::Hull;
use serde_json::Value;

use crate::cli::values::picture;
use crate::cli::{Failure, arguments};
use agal::sampler::{Dimension, Field, Filter, Mip, OPTIONS, Sampler, Wrap};
use backend_gl_probe::hull::{Bound, Patch, SAMPLER, Texture};

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

pub(super) fn argument() -> Arg {
    let help = "JSON file with control points and buffers [default: generated points]";
    arguments::path("patch", "FILE", help)
}

/// A patch with its bound resources, and its primitive ID in the draw.
pub(super) struct Given {
    pub(super) points: Patch,
    pub(super) bound: Bound,
    pub(super) primitive: u32,
}

pub(super) fn read(matches: &ArgMatches, hull: &Hull) -> Result<Given, Failure> {
    let mut given = Given { points: made_up(hull), bound: Bound::default(), primitive: 0 };
    let Some(path) = matches.get_one::<PathBuf>("patch") else {
        return Ok(given);
    };
    let failure = |reason: String| Failure(format!("{}: {reason}", path.display()));
    let size = fs::metadata(path).map_err(|error| failure(error.to_string()))?.len();
    if size > MAX_BYTES {
        return Err(failure(format!("larger than {} MiB", MAX_BYTES >> 20)));
    }
    let text = fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| failure(error.to_string()))?;
    let members = value.as_object().ok_or_else(|| failure("not an object".to_owned()))?;
    for (key, value) in members {
        take(&mut given, key, value).map_err(|reason| failure(format!("{key}: {reason}")))?;
    }
    Ok(given)
}

fn take(given: &mut Given, key: &str, value: &Value) -> Result<(), String> {
    match key {
        "points" => given.points = list(value)?.iter().map(registers).collect::<Result<_, _>>()?,
        "primitive" => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            given.primitive = number.ok_or("not a 32-bit number")?;
        }
        "cb" => {
            for (slot, value) in slots(value)? {
                given.bound.constants.insert(slot, registers(value)?);
            }
        }
        "t" => {
            for (slot, value) in slots(value)? {
                if let Some(path) = value.as_str() {
                    given.bound.textures.insert(slot, texture(path)?);
                    continue;
                }
                let words = list(value)?.iter().map(word).collect::<Result<_, _>>()?;
                given.bound.words.insert(slot, words);
            }
        }
        "s" => {
            for (slot, value) in slots(value)? {
                given.bound.samplers.insert(slot, sampler(value)?);
            }
        }
        _ => {
            return Err("unknown member; the members are points, primitive, cb, t and s".to_owned());
        }
    }
    Ok(())
}

/// A texture from a picture, without mip levels; six squares below one another make a cube.
fn texture(path: &str) -> Result<Texture, String> {
    let ((width, height), texels) = picture(path)?;
    let faces = u32::from(Dimension::Cube.faces());
    let (dimension, height) = match width.checked_mul(faces) == Some(height) {
        true => (Dimension::Cube, width),
        false => (Dimension::TwoD, height),
    };
    Texture::new(dimension, (width, height), vec![texels]).map_err(|error| error.to_string())
}

/// Sampler options as in AGAL: `nearest,repeat,mipnone`.
fn sampler(value: &Value) -> Result<Sampler, String> {
    let text = value.as_str().ok_or("not text like \"nearest,repeat,mipnone\"")?;
    let mut sampler = SAMPLER;
    for word in text.split(',').map(str::trim) {
        let option = OPTIONS.iter().find(|option| option.name == word);
        let option = option.ok_or_else(|| format!("no sampler option {word:?}"))?;
        match option.field {
            Field::Wrap => sampler.wrap = Wrap::from_code(option.bits).unwrap_or(SAMPLER.wrap),
            Field::Filter => {
                sampler.filter = Filter::from_code(option.bits).unwrap_or(SAMPLER.filter)
            }
            Field::Mip => sampler.mip = Mip::from_code(option.bits).unwrap_or(SAMPLER.mip),
            Field::SamplerFormat | Field::Dimension | Field::Special => {
                return Err(format!("{word:?} is not a filter, wrap mode or mip filter"));
            }
        }
    }
    Ok(sampler)
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| "not an array".to_owned())
}

fn slots(value: &Value) -> Result<impl Iterator<Item = (u32, &Value)>, String> {
    let members = value.as_object().ok_or("not an object of slots")?;
    let numbered = members.iter().map(|(slot, value)| slot.parse().map(|slot| (slot, value)));
    let slots: Result<Vec<_>, _> = numbered.collect();
    slots.map(Vec::into_iter).map_err(|error| format!("slot number: {error}"))
}

fn registers(value: &Value) -> Result<Vec<[u32; 4]>, String> {
    let one = |value: &Value| {
        let components = list(value)?;
        if components.len() > 4 {
            return Err(format!("a register has 4 components, found {}", components.len()));
        }
        let mut register = [0; 4];
        for (slot, value) in register.iter_mut().zip(components) {
            *slot = word(value)?;
        }
        Ok(register)
    };
    list(value)?.iter().map(one).collect()
}

/// A word of 32 bits: a float, or bits as text: `0x3f800000`, `7u`, `-1i`.
fn word(value: &Value) -> Result<u32, String> {
    let bits = match value {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounding to a float is what is wanted"
        )]
        Value::Number(number) => number.as_f64().map(|number| (number as f32).to_bits()),
        Value::String(text) => {
            match (text.strip_prefix("0x"), text.strip_suffix('u'), text.strip_suffix('i')) {
                (Some(hex), ..) => u32::from_str_radix(hex, 16).ok(),
                (_, Some(number), _) => number.parse().ok(),
                (_, _, Some(number)) => number.parse::<i32>().ok().map(i32::cast_unsigned),
                _ => text.parse::<f32>().ok().map(f32::to_bits),
            }
        }
        _ => None,
    };
    bits.ok_or_else(|| {
        format!(
            "{value} is not a value: use a number, or text like \"0x3f800000\", \"7u\", \"-1i\", \"nan\""
        )
    })
}

/// Default control points on a wavy sheet: x and y from -1 to 1, w 1; further registers hold the numbers 1 to 4.
fn made_up(hull: &Hull) -> Patch {
    let count = hull.input_points.max(1);
    let columns = (1..=count).find(|columns| columns * columns >= count).unwrap_or(1);
    let rows = count.div_ceil(columns);
    let spread = |n: u32, of: u32| {
        if of > 1 { 2.0 * small(n) / small(of - 1) - 1.0 } else { 0.0 }
    };
    let point = |n: u32| {
        let (x, y) = match count {
            // The corners of a triangle instead of three corners of a square.
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
