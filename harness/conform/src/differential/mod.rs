//! Differential testing: runs the same programs on the same inputs in the interpreter and on the driver, and compares.
//!
//! Two implementations of floating-point arithmetic seldom agree in every bit, so the driver's results are compared
//! with ranges. The interpreter runs a program repeatedly with random errors, each within the
//! [`error_bound`](::agal::interp::error_bound) of its opcode; the results span the range, also at discontinuities. A
//! result outside of it is a bug of the driver, the emitter or the interpreter.
//!
//! The runs also take what drivers may choose: the operand of `min` that is not NaN, the sign of a zero, a denormal or
//! zero, and in sequences of opcodes the results of joined ones [agal.float.joined]. A result whose runs then have no
//! range in common is not compared. A [`Tally`](molehill_replay::evidence::Tally) has both numbers.

mod agal;
mod drive;
mod error_model;
mod exhaustive;
mod fuzzer;
mod inputs;
mod program;
mod run;
mod sampling;
mod sequences;
mod tokens;
mod verdict;

pub use exhaustive::{OpcodeProgram, Topic, all_inputs, inputs, opcode_programs, topics};
pub(crate) use fuzzer::generated;
pub use fuzzer::{FuzzFailure, FuzzOptions, Fuzzer};
pub use inputs::{Grid, SIDE};
pub use program::{DriverLanguage, Job};
pub use run::{Difference, ProgramRunError, ProgramRunner};
pub use sampling::Driver;
pub use sequences::{Sequence, opcode_pairs, opcode_triple, sequence_inputs, sequence_programs};
pub use tokens::{TranslationFuzzer, compare_tokens, exhaustive, is_tested};
pub use verdict::Value;
