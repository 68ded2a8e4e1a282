//! Values of registers on the command line: `1,2,3,4`, a value for each of the invocations that run together between
//! slashes, and pictures.

use std::path::Path;
use std::str::FromStr;

use molehill_replay::image::read_png;

/// What is missing of a value: an attribute's components that its buffer does not hold (agal.md section 3.2).
pub(super) const REST: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// One number.
///
/// # Errors
/// What is none of this kind.
pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let parsed = text.trim().parse();
    parsed.map_err(|_| format!("{text:?} is not a number"))
}

/// `1,2,3,4` or less: the rest is filled up.
///
/// # Errors
/// What is not a number, and more than four.
pub(super) fn vector<T: FromStr>(text: &str, mut rest: [T; 4]) -> Result<[T; 4], String> {
    let numbers: Vec<T> = text.split(',').map(number).collect::<Result<_, _>>()?;
    if numbers.len() > rest.len() {
        return Err(format!("{} components, not 1 to 4", numbers.len()));
    }
    rest.iter_mut()
        .zip(numbers)
        .for_each(|(slot, number)| *slot = number);
    Ok(rest)
}

/// One value for all invocations, or one for each between slashes.
///
/// # Errors
/// Those of a value, and another count of them.
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

/// A picture's size, and its pixels from 0 to 1, row by row from the top.
pub(super) type Picture = ((u32, u32), Vec<[f32; 4]>);

/// Reads a PNG.
///
/// # Errors
/// What can't be read.
pub(super) fn picture(path: &str) -> Result<Picture, String> {
    let picture = read_png(Path::new(path)).map_err(|error| error.to_string())?;
    let (pixels, _) = picture.rgba().as_chunks::<4>();
    let texels = pixels
        .iter()
        .map(|pixel| pixel.map(|channel| f32::from(channel) / 255.0));
    Ok(((picture.width(), picture.height()), texels.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_filled_up() {
        let vector = |text| vector(text, REST);
        assert_eq!(vector("1"), Ok([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(vector("-1, .5,1e3"), Ok([-1.0, 0.5, 1000.0, 1.0]));
        assert!(vector("nan").unwrap()[0].is_nan());
        assert_eq!(vector("-inf").unwrap()[0], f32::NEG_INFINITY);
        for text in ["", "1,", "x", "1,2,3,4,5", "a.png"] {
            assert!(vector(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn one_value_or_four() {
        let instances = spread::<u32, 4>;
        assert_eq!(instances("7", number), Ok([7; 4]));
        assert_eq!(instances("1/2/3/4", number), Ok([1, 2, 3, 4]));
        for text in ["", "1/2", "1/2/3/4/5", "-1", "1.5"] {
            assert!(instances(text, number).is_err(), "{text:?}");
        }
        let each: [[f32; 4]; 4] = spread("1/2/3/4", |text| vector(text, REST)).unwrap();
        assert_eq!(each[2], [3.0, 0.0, 0.0, 1.0]);
    }
}
