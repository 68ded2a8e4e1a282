//! The interpreter against the driver: the same programs on the same inputs, and whether the results agree.
//!
//! Two exact results seldom follow from two implementations of arithmetic, so what is compared is a result with a range.
//! The range is found by running the interpreter again and again with errors thrown in, each as large as
//! [`error_bound`](::agal::interp::error_bound) allows its opcode: what a program makes of small errors, the range shows, wherever
//! it is discontinuous too. A result outside of it is a fault of the driver, the emitter or the interpreter.
//!
//! Where AGAL and GLSL leave a result open (NaN in `min`, `pow(0, 0)`, the sign of a zero that is divided by; see the table
//! in `agal::interp`), nothing is compared behind it. The comparisons are counted.

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
