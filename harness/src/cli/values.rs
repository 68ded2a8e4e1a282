//! Values of registers on the command line: `1,2,3,4`; between slashes, one value for each invocation of a group; and
//! pictures.

use std::path::Path;
use std::str::FromStr;

use molehill_replay::image::read_png;

/// Values of missing components, as of an attribute's components that its buffer does not hold
/// ([agal.attribute.missing]).
pub(super) const REST: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let parsed = text.trim().parse();
    parsed.map_err(|_| format!("{text:?} is not a number"))
}

/// Parses up to four numbers such as `1,2,3,4`; `rest` has the values of missing ones.
pub(super) fn vector<T: FromStr>(text: &str, mut rest: [T; 4]) -> Result<[T; 4], String> {
    let numbers: Vec<T> = text.split(',').map(number).collect::<Result<_, _>>()?;
    if numbers.len() > rest.len() {
        return Err(format!("{} components, not 1 to 4", numbers.len()));
    }
    rest.iter_mut().zip(numbers).for_each(|(slot, number)| *slot = number);
    Ok(rest)
}

/// Parses one value for all invocations, or values between slashes, one for each.
pub(super) fn spread<T: Copy, const N: usize>(
    text: &str,
    one: impl Fn(&str) -> Result<T, String>,
) -> Result<[T; N], String> {
    let values: Vec<T> = text.split('/').map(one).collect::<Result<_, _>>()?;
    match values.as_slice() {
        [value] => Ok([*value; N]),
        values => {
            <[T; N]>::try_from(values).map_err(|_| format!("{} values, not 1 or {N}", values.len()))
        }
    }
}

/// A picture's size, and its pixels with components from 0 to 1, rows from top to bottom.
pub(super) type Picture = ((u32, u32), Vec<[f32; 4]>);

pub(super) fn picture(path: &str) -> Result<Picture, String> {
    let picture = read_png(Path::new(path)).map_err(|error| error.to_string())?;
    let (pixels, _) = picture.rgba().as_chunks::<4>();
    let texels = pixels.iter().map(|pixel| pixel.map(|channel| f32::from(channel) / 255.0));
    Ok(((picture.width(), picture.height()), texels.collect()))
}

#[cfg(test)]
#[path = "../../tests/unit/values.rs"]
mod tests;
