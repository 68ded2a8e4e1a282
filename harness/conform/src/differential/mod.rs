//! The interpreter against the driver: the same programs on the same inputs, and whether the results agree.
//!
//! Two implementations of arithmetic seldom give the same bits, so the driver's results are compared with ranges. The
//! interpreter runs a program repeatedly with random errors, each within the [`error_bound`](::agal::interp::error_bound) of its
//! opcode; its results span the range, at discontinuities too. A result outside is a bug of the driver, the emitter or the
//! interpreter.
//!
//! Where AGAL and GLSL leave a result open (NaN in `min`, `pow(0, 0)`, the sign of a zero that is divided by; see the table
//! in `agal::interp`), what depends on it is not compared. The comparisons are counted.

mod agal;
mod drive;
mod error_model;
mod exhaustive;
mod fuzzer;
mod inputs;
mod run;
mod tokens;
mod verdict;

pub use error_model::Driver;
pub use exhaustive::{OpcodeProgram, Topic, inputs, opcode_programs, topics};
pub use fuzzer::{Failure, FuzzOptions, Fuzzer, Reason};
pub use inputs::{Grid, SIDE};
pub use run::{Difference, Job, ProgramRunError, ProgramRunner};
pub use tokens::{
    TokenFailure, TokenFuzzer, TokenOptions, TranslationFuzzer, exhaustive, random_program,
};
pub use verdict::{Tally, Value};
