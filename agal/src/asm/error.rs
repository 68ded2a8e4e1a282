//! Errors of AGAL's assembler.

use agal_core::text::{ShortWord, TextError, TextErrors};

/// An error in a text of AGAL.
pub type AsmError = TextError<AsmErrorKind>;
/// The errors in a text of AGAL.
pub type AsmErrors = TextErrors<AsmErrorKind>;

agal_core::errors! {
    /// The kinds of errors in texts of AGAL.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum AsmErrorKind {
        UnknownVersion(String) = "AGAL version {0} does not exist";
        UnknownOpcode(String) = "unknown opcode `{}`" [ShortWord(.0)];
        OpcodeNeedsVersion { name: &'static str, version: u32 } = "`{name}` needs AGAL {version}";
        OpcodeNotInStage { name: &'static str, stage: &'static str } = "`{name}` is not allowed in {stage} programs";
        OperandCount { name: &'static str, expected: usize, found: usize } =
            "`{name}` takes {expected} operands, found {found}";
        UnknownRegister(String) = "unknown register `{}`" [ShortWord(.0)];
        RegisterNotInStage { register: String, stage: &'static str } =
            "`{}` is not in {stage} programs" [ShortWord(register)];
        RegisterNeedsVersion { register: String, version: u32 } = "`{}` needs AGAL {version}" [ShortWord(register)];
        RegisterOutOfRange { register: String, count: u16 } =
            "`{}` is out of range: there are {count} registers" [ShortWord(register)];
        BadComponents(String) = "`{}` is not one to four of x, y, z, w" [ShortWord(.0)];
        RelativeNotAllowed = "relative addressing is allowed only for vertex constants as a source: `vc[va0.x+4]`";
        IndexComponent = "the index must have one component: `vc[va0.x]`";
        OffsetOutOfRange(String) = "the offset `{}` is not from -128 to 255" [ShortWord(.0)];
        /// A warning: Adobe's assembler reads an unknown sampler option as a bias ([agal.text.unknown_option]).
        UnknownOption(String) = "warning: unknown sampler option `{}`, read as a bias of 0" [ShortWord(.0)];
        BiasOutOfRange(String) = "the LOD bias `{}` is not from -16 to 15.875" [ShortWord(.0)];
        OptionsNotAllowed(&'static str) = "`{0}` has no sampler and takes no options";
        UnknownDirective(String) = "unknown directive `{}`" [ShortWord(.0)];
        BadNumber { text: String, bits: u32 } =
            "`{}` is not a {bits}-bit hexadecimal number with `0x`" [ShortWord(text)];
        NumberCount { name: &'static str, least: usize, most: usize, found: usize } =
            "`{name}` takes {least}{} numbers, found {found}" [up_to(*least, *most)];
        AfterTheLastToken = "nothing can follow `.bytes`";
        /// The disassembler writes `.header` for bytes without an AGAL header, which are not a program.
        BrokenHeader = "a text with `.header` can't be assembled: its bytes had no AGAL header";
        Expected(&'static str) = "expected {0}";
        MissingSection(&'static str) = "the section `// {0}` is missing";
        DuplicateSection(&'static str) = "there is more than one section `// {0}`";
        LateVersion = "the version must come before the first section and instruction";
    }
}

fn up_to(least: usize, most: usize) -> String {
    if least == most { String::new() } else { format!(" to {most}") }
}
