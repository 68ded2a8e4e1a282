//! Parses register values from the command line: `1,2,3,4`, values for each invocation between slashes, and images.

use std::path::Path;
use std::str::FromStr;

use agal::interp::{LANES, TexelImage};
use agal::sampler::Dimension;
use molehill_replay::image::read_png;

/// The default values of missing components, like those of an attribute ([agal.attribute.missing]).
const MISSING: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let parsed = text.trim().parse();
    parsed.map_err(|_| format!("{text:?} is not a number"))
}

/// Parses up to four numbers such as `1,2,3,4`. `rest` contains the values of missing components.
pub(super) fn vector<T: FromStr>(text: &str, mut rest: [T; 4]) -> Result<[T; 4], String> {
    let numbers: Vec<T> = text.split(',').map(number).collect::<Result<_, _>>()?;
    if numbers.len() > rest.len() {
        return Err(format!("a register has 1 to 4 components, found {}", numbers.len()));
    }
    rest.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
    Ok(rest)
}

/// Parses one value for all invocations, or a value for each invocation, separated by slashes.
fn spread<T: Copy, const N: usize>(
    text: &str,
    one: impl Fn(&str) -> Result<T, String>,
) -> Result<[T; N], String> {
    let values: Vec<T> = text.split('/').map(one).collect::<Result<_, _>>()?;
    match values.as_slice() {
        [value] => Ok([*value; N]),
        values => <[T; N]>::try_from(values)
            .map_err(|_| format!("expected 1 or {N} values, found {}", values.len())),
    }
}

/// Splits an argument `REGISTER=VALUE` into the register's letters, its index if given, and the value.
pub(super) fn assignment(text: &str) -> Result<(&str, Option<u16>, &str), String> {
    let (register, value) = text.split_once('=').ok_or("must be REGISTER=VALUE")?;
    let name = register.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let digits = register.get(name.len()..).filter(|digits| !digits.is_empty());
    Ok((name, digits.map(number).transpose()?, value))
}

/// Parses one to four numbers. Missing components are those of [`MISSING`].
pub(super) fn floats(text: &str) -> Result<[f32; 4], String> {
    vector(text, MISSING)
}

/// Parses a value for each invocation, and passes the invocation with its value to the function `set`.
pub(super) fn each<T: Copy>(
    text: &str,
    one: impl Fn(&str) -> Result<T, String>,
    set: impl FnMut((usize, T)),
) -> Result<(), String> {
    let values: [T; LANES] = spread(text, one)?;
    values.into_iter().enumerate().for_each(set);
    Ok(())
}

/// Sets constants from index `first` to values between slashes. The shader has `count` constants.
pub(super) fn constants<T: Copy + Default>(
    constants: &mut Vec<T>,
    (first, count): (u16, u16),
    text: &str,
    one: impl Fn(&str) -> Result<T, String>,
) -> Result<(), String> {
    let list = text.split('/').map(one).collect::<Result<Vec<_>, _>>()?;
    let end = usize::from(first) + list.len();
    if end > usize::from(count) {
        return Err(format!("there are {count} constants"));
    }
    if constants.len() < end {
        constants.resize(end, T::default());
    }
    constants.iter_mut().skip(first.into()).zip(list).for_each(|(slot, value)| *slot = value);
    Ok(())
}

/// Returns a texture of one colour, or a texture from an image file, without mip levels. If no dimension is given, an
/// image of six squares from top to bottom becomes a cube.
pub(super) fn texture(text: &str, dimension: Option<Dimension>) -> Result<TexelImage, String> {
    if let (Ok(color), Some(dimension)) = (floats(text), dimension) {
        return Ok(TexelImage::constant(dimension.faces(), color));
    }
    let picture = read_png(Path::new(text)).map_err(|error| error.to_string())?;
    let (pixels, _) = picture.rgba().as_chunks::<4>();
    let texels = pixels.iter().map(|pixel| pixel.map(|channel| f32::from(channel) / 255.0));
    let (width, height) = (picture.width(), picture.height());
    let six = width.checked_mul(Dimension::Cube.faces().into()) == Some(height);
    let (dimension, height) = match dimension {
        Some(Dimension::Cube) if !six => {
            return Err("a cube needs six squares from top to bottom".to_owned());
        }
        Some(Dimension::Cube) => (Dimension::Cube, width),
        None if six => (Dimension::Cube, width),
        Some(Dimension::TwoD) | None => (Dimension::TwoD, height),
    };
    let image =
        TexelImage::new(dimension.faces(), (width, height), vec![texels.collect::<Vec<_>>()]);
    image.map_err(|error| error.to_string())
}

#[cfg(test)]
#[path = "../../../tests/unit/values.rs"]
mod tests;
