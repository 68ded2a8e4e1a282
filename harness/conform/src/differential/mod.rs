//! Differential testing: runs the same programs on the same inputs in the interpreter and on the driver, and compares
//! the results.
//!
//! Two implementations of floating-point arithmetic seldom agree in every bit, so the driver's results are compared
//! with ranges. The interpreter runs a program repeatedly with random errors, each within the
//! [`error_bound`](::agal::interp::error_bound) of its opcode. The allowed range of a result contains the result of
//! every interpreter run. A result outside the range is a bug of the driver, the emitter or the interpreter.
//!
//! The runs also vary choices that drivers may make: the operand of `min` that is not NaN, the sign of a zero, whether
//! a denormal is zero, and the results of joined opcodes [agal.float.joined]. A result that drivers may leave undefined
//! is not compared. A [`ResultTally`](molehill_replay::evidence::ResultTally) counts compared and undefined
//! results.

mod agal;
mod drive;
mod error_model;
mod fuzzer;
mod inputs;
mod program;
mod range;
mod run;
mod sampling;
mod tokens;

pub(crate) use fuzzer::generated;
pub use fuzzer::{FuzzFailure, FuzzOptions, Fuzzer};
pub use inputs::{InputGrid, SIDE};
pub use program::{ComparisonJob, DriverLanguage};
pub use range::ResultRange;
pub use run::{ProgramDifference, ProgramRunError, ProgramRunner};
pub use sampling::SamplingErrors;
pub use tokens::compare_tokens;
