//! Tests Direct3D 9 shaders: decoding, text, checker, interpreter, GLSL, and translation from AGAL.

/// Creates a table of tuples: commas separate cells, semicolons separate rows.
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
