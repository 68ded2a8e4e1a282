//! Errors whose number or values no witness shows.

use super::ErrorKind;

agal_core::table! {
    /// The evidence for an inferred error. Adobe's verifier of 2012 has its rules, but not its numbers.
    pub enum Grade {
        /// Returns the word of the reference.
        name: &'static str,
    }
    /// Condition and order are in Adobe's verifier for AGAL 1, and one message alone fits.
    Measured "measured";
    /// The condition is in Adobe's verifier for AGAL 1; which number it raises, and whether later players kept it, is
    /// unknown.
    Open "open";
}

agal_core::table! {
    /// An inferred error ([agal.error.3625_alone] [agal.opcode.gaps] [agal.check.count]); raised for every
    /// AGAL version.
    pub enum Inferred {
        /// Returns the error of the behaviour.
        kind: ErrorKind,
        /// Returns the evidence for the behaviour.
        grade: Grade,
    }
    /// A constant is the only source of an opcode other than `mov`.
    LoneConstant ErrorKind::BothConstant, Grade::Open;
    /// An opcode of the table that no player runs, such as `sgn`.
    NotImplemented ErrorKind::OpcodeNotImplemented, Grade::Measured;
    /// Tokens are counted as they are read, so %2 is the limit plus one.
    TokenCount ErrorKind::TooManyTokens, Grade::Measured;
}
