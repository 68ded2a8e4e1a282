//! Errors whose number or values are inferred, because no source shows them.

use super::ErrorKind;

agal_core::table! {
    /// The certainty of an inferred error number. Adobe's verifier of 2012 tests the condition of each error, but has
    /// no error numbers.
    pub enum Grade {
        /// Returns the name of the certainty in the reference pages (`REFERENCE*.md`).
        name: &'static str,
    }
    /// Adobe's verifier for AGAL 1 checks the condition of the inferred error at a known position, and only one error
    /// message describes the condition.
    Measured "measured";
    /// Adobe's verifier for AGAL 1 checks the condition of the inferred error. The error's number is unknown, and later
    /// players may accept the program.
    Open "open";
}

agal_core::table! {
    /// An inferred error, raised for every AGAL version ([agal.error.3625_alone] [agal.opcode.gaps]
    /// [agal.check.count]).
    pub enum InferredError {
        /// Returns the error that is raised.
        kind: ErrorKind,
        /// Returns the certainty of the error's number.
        grade: Grade,
    }
    /// An opcode other than `mov` has a constant as its only source.
    LoneConstant ErrorKind::BothConstant, Grade::Open;
    /// The opcode is in the table, but no player runs it, such as `sgn`.
    NotImplemented ErrorKind::OpcodeNotImplemented, Grade::Measured;
    /// Tokens are counted while they are read, so %2 is the limit plus one.
    TokenCount ErrorKind::TooManyTokens, Grade::Measured;
}
