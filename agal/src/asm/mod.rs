//! Converts text to a [`Program`](crate::Program) and back, in the syntax of Adobe's AGALMiniAssembler
//! ([agal.text.lines] and the facts after it).
//!
//! The result is a program, or [`AsmErrors`]: all errors, each with line, column, the line itself and the most similar
//! valid word. An unknown sampler option is a warning ([`Sections::warnings`]). A program and [`AgalListing`] implement
//! `Display`; the text assembles to the same bytes. [`disassemble`] accepts arbitrary bytes.
//!
//! # The text
//!
//! Each line has one instruction; `//` starts a comment. Bytes that the mini-assembler's syntax can't express are
//! written as directives, lines that start with a dot and have hexadecimal numbers:
//!
//! ```text
//! // version: 2
//! // fragment
//! tex ft0, v0, fs0 <2d,linear,repeat,miplinear,-0.5>
//! .token 0x00000000 0x0f320000 0xe4000000 0x00000000 0x00000000 0x00000000 // mov ft0, va0 (…)
//! mov oc, ft0
//! .bytes 0x28 0x00
//! ```
//!
//! `.token` is one token of 24 bytes as six little-endian words; `.bytes` has the bytes after the last whole token.
//! The comments `// version: N`, `// vertex` and `// fragment` give [`AssembleOptions::sections`] the version and kind
//! of a program. Thus the text of a legal program is also valid for Adobe's assembler.

mod directive;
mod error;
mod lex;
mod listing;
mod operand;
mod parse;
mod print;
mod source;

pub use agal_core::text::MAX_ERRORS;
pub use error::{AsmError, AsmErrorKind, AsmErrors};
pub use listing::{AgalListing, Disassembly, disassemble};
pub(crate) use print::instruction_text;
pub use print::readable_text;
pub use source::{AssembleOptions, Sections, assemble};
