//! Errors whose number or values are inferred, because no source shows them.

use super::ErrorKind;

agal_core::table! {
    /// The evidence for an inferred error. Adobe's verifier of 2012 has the conditions, but not the numbers.
    pub enum Grade {
        /// Returns the grade's name in the reference.
        name: &'static str,
    }
    /// Adobe's verifier for AGAL 1 has the condition and its order, and only one error message fits it.
    Measured "measured";
    /// Adobe's verifier for AGAL 1 has the condition. It is open which number it raises, and whether later players
    /// kept it.
    Open "open";
}

agal_core::table! {
    /// An inferred error, raised for every AGAL version ([agal.error.3625_alone] [agal.opcode.gaps]
    /// [agal.check.count]).
    pub enum InferredError {
        /// Returns the error that is raised.
        kind: ErrorKind,
        /// Returns the evidence for the error.
        grade: Grade,
    }
    /// An opcode other than `mov` has a constant as its only source.
    LoneConstant ErrorKind::BothConstant, Grade::Open;
    /// The opcode is in the table, but no player runs it, such as `sgn`.
    NotImplemented ErrorKind::OpcodeNotImplemented, Grade::Measured;
    /// Tokens are counted while they are read, so %2 is the limit plus one.
    TokenCount ErrorKind::TooManyTokens, Grade::Measured;
}
