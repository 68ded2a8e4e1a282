//! Fast element-wise conversion of a slice to another element type.

/// Number of elements that are converted at once, in a loop without branches that compilers vectorize.
const STEP: usize = 16;

/// Converts elements of `from` into `to`, until one of the slices ends.
#[inline]
pub(crate) fn convert<T, U>(to: &mut [T], from: &[U], element: impl Fn(&U) -> T) {
    let len = to.len().min(from.len());
    let (to_steps, to_rest) = to[..len].as_chunks_mut::<STEP>();
    let (from_steps, from_rest) = from[..len].as_chunks::<STEP>();
    for (to, from) in to_steps.iter_mut().zip(from_steps) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = element(from);
        }
    }
    for (to, from) in to_rest.iter_mut().zip(from_rest) {
        *to = element(from);
    }
}

/// Converts ActionScript's `Number` to a 32-bit float.
#[allow(clippy::cast_possible_truncation, reason = "Stage3D's data is 32-bit floats")]
pub(crate) fn single(value: f64) -> f32 {
    value as f32
}
