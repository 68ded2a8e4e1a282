//! Text form of shaders: prints listings like Microsoft's compiler, and assembles them ([d3d9.text.synonyms]).
//!
//! ```text
//!     ps_2_0
//!     def c0, 0.5, 0, 0, 1
//!     dcl t0.xy
//!     dcl_2d s0
//!     texld r0, t0, s0
//!     mul r0.xyz, r0, c0.x
//!     mov oC0, r0
//!
//! // approximately 3 instruction slots used (1 texture, 2 arithmetic)
//! ```
//!
//! Additional directives, for streams that assembly language can't express:
//!
//! | directive | meaning |
//! |---|---|
//! | `.words 0x0200001F …` | these dwords, verbatim |
//! | `.trailing 0x…` | dwords after the end token |
//! | `.noend` | the end token is missing |
//! | `//@comment N`, `//@ 42415443 …` | a comment of N dwords, and its dwords; other assemblers ignore these lines |

mod error;
mod listing;
mod number;
mod operand;
mod parse;
mod print;

pub use error::{D3d9TextError, D3d9TextErrors, TextErrorKind};
pub use listing::D3d9Listing;
pub use parse::assemble;
