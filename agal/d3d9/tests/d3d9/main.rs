//! Direct3D 9 shaders as words, text, translations of AGAL, and what they compute.

/// A table of tuples: cells separated by commas, rows by semicolons.
macro_rules! rows {
    ($($($cell:expr),+;)+) => {
        [$(($($cell),+)),+]
    };
}

mod agreement;
mod check;
mod decode;
mod float_rules;
mod from_agal;
mod fuzzing;
mod glsl;
mod interp;
mod keys;
mod lowered;
mod mutations;
mod native;
mod programs;
mod text;
