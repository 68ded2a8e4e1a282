//! The opcode table. Decoder, encoder, assembler, printer, validator and emitter take all facts about opcodes from it.
//!
//! The column "operands and lowering" is one value: the operand shape includes its translation to GLSL, so that a row
//! can't combine a shape with a lowering that doesn't fit.

use crate::isa::operand::WriteMask;
use crate::isa::version::{Stage, Version};

pub use crate::isa::formula::{Accuracy, BinaryFormula, Derivative, UnaryFormula};

/// The programs in which an opcode is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// In both.
    Both,
    /// In vertex programs only.
    Vertex,
    /// In fragment programs only.
    Fragment,
}

impl Stages {
    /// Whether the opcode is allowed in this kind of program.
    pub fn allows(self, stage: Stage) -> bool {
        match self {
            Stages::Both => true,
            Stages::Vertex => stage == Stage::Vertex,
            Stages::Fragment => stage == Stage::Fragment,
        }
    }
}

/// The operands of an opcode, in the order of their text, and their translation to GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// No operand: `els`, `eif`.
    Block(Block),
    /// Source 1, a scalar: `kil`.
    Kill,
    /// Sources 1 and 2, both scalars: the four `if` opcodes.
    If(Relation),
    /// Destination and source 1.
    Unary(Unary),
    /// Destination, source 1 and 2.
    Binary(Binary),
    /// Destination, source 1 and a sampler.
    Sample(Lookup),
}

/// Ends or switches a conditional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Starts the other branch.
    Else,
    /// Ends the conditional.
    End,
}

shader_core::table! {
    /// A comparison, of one scalar pair (`if`) or component by component (`sge`).
    pub enum Relation {
        /// The GLSL operator for scalars.
        scalar: &'static str,
        /// The GLSL function for vectors.
        vector: &'static str,
    }
    Equal "==", "equal";
    NotEqual "!=", "notEqual";
    GreaterOrEqual ">=", "greaterThanEqual";
    Greater ">", "greaterThan";
    Less "<", "lessThan";
}

/// `ifg`: the name says "greater than", one published text ">=". Independent translators use the strict one (agal.md
/// section 4.2, unverified).
const IFG: Relation = Greater;

/// An opcode with one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Component by component.
    Formula(UnaryFormula),
    /// A derivative, component by component.
    Derivative(Derivative),
    /// xyz divided by its length.
    Normalize,
}

/// An opcode with two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Component by component.
    Formula(BinaryFormula),
    /// 1 if the relation holds, else 0.
    Compare(Relation),
    /// The dot product of this many components, replicated to every masked component.
    Dot(u8),
    /// The cross product of xyz.
    Cross,
    /// Source 1 times a matrix whose rows are consecutive registers from source 2 on.
    Matrix {
        /// Number of rows, which is the number of result components.
        rows: u8,
        /// Number of components used of each row.
        width: u8,
    },
}

/// A kind of texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Level of detail from the neighbouring fragments, plus the bias: `tex`.
    Implicit,
    /// Level 0: `tld` (agal.md section 4: normalised coordinates and level 0, unverified).
    LevelZero,
}

/// The components of a source that an opcode reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The components of the write mask.
    Masked,
    /// The first 1, 2, 3 or 4, for any mask.
    First(u8),
}

impl Reads {
    /// The positions, as a mask over x, y, z, w before the swizzle.
    pub fn lanes(self, mask: WriteMask) -> WriteMask {
        match self {
            Reads::Masked => mask,
            Reads::First(count) => WriteMask::first(count),
        }
    }
}

impl Unary {
    /// Maximum difference between a driver's result and the interpreter's.
    pub fn accuracy(self) -> Accuracy {
        match self {
            Unary::Formula(formula) => formula.accuracy(),
            Unary::Derivative(derivative) => derivative.accuracy(),
            Unary::Normalize => Accuracy::Ulps(8.0),
        }
    }
    /// The components read of the source.
    pub fn reads(self) -> Reads {
        match self {
            Unary::Formula(_) | Unary::Derivative(_) => Reads::Masked,
            Unary::Normalize => Reads::First(3),
        }
    }
}

impl Binary {
    /// Maximum difference between a driver's result and the interpreter's.
    pub fn accuracy(self) -> Accuracy {
        match self {
            Binary::Formula(formula) => formula.accuracy(),
            Binary::Compare(_) => Accuracy::Exact,
            Binary::Dot(_) | Binary::Cross | Binary::Matrix { .. } => Accuracy::Products(4.0),
        }
    }
    /// The components read of source 1, and of source 2 (of each row, for a matrix).
    pub fn reads(self) -> Reads {
        match self {
            Binary::Formula(_) | Binary::Compare(_) => Reads::Masked,
            Binary::Dot(width) | Binary::Matrix { width, .. } => Reads::First(width),
            Binary::Cross => Reads::First(3),
        }
    }
    /// Number of consecutive registers that source 2 reads.
    pub fn rows(self) -> u8 {
        match self {
            Binary::Matrix { rows, .. } => rows,
            _ => 1,
        }
    }
}

impl Lowering {
    /// Whether it has a destination.
    pub fn has_dest(self) -> bool {
        matches!(self, Lowering::Unary(_) | Lowering::Binary(_) | Lowering::Sample(_))
    }
    /// Maximum difference between a driver's result and the interpreter's.
    pub fn accuracy(self) -> Accuracy {
        match self {
            Lowering::Block(_) | Lowering::Kill | Lowering::If(_) => Accuracy::Exact,
            Lowering::Unary(unary) => unary.accuracy(),
            Lowering::Binary(binary) => binary.accuracy(),
            Lowering::Sample(_) => Accuracy::Texture,
        }
    }
    /// Number of sources, including a sampler.
    pub fn sources(self) -> usize {
        match self {
            Lowering::Block(_) => 0,
            Lowering::Kill | Lowering::Unary(_) => 1,
            Lowering::If(_) | Lowering::Binary(_) | Lowering::Sample(_) => 2,
        }
    }
    /// Whether the second source is a sampler.
    pub fn has_sampler(self) -> bool {
        matches!(self, Lowering::Sample(_))
    }
    /// Whether the destination's w must be masked (3628): for results with three components.
    pub fn masks_w(self) -> bool {
        matches!(
            self,
            Lowering::Unary(Unary::Normalize)
                | Lowering::Binary(Binary::Cross | Binary::Matrix { rows: 3, .. })
        )
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The value in the token.
    pub code: u32,
    /// The mnemonic.
    pub name: &'static str,
    /// The AGAL version that added it; `None`: assemblers know it, but no player ever supported it (3621).
    pub since: Option<Version>,
    /// The programs that allow it.
    pub stages: Stages,
    /// Its operands and their translation to GLSL.
    pub lowering: Lowering,
}

macro_rules! since {
    (Never) => {
        None
    };
    ($version:ident) => {
        Some(Version::$version)
    };
}

macro_rules! opcodes {
    ($($code:literal $opcode:ident $name:literal $since:ident $stages:ident $lowering:expr;)*) => {
        /// An AGAL instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`")] $opcode,)*
        }

        impl Opcode {
            /// Every opcode, by code.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$opcode,)*];

            /// The opcode's row of the table.
            pub fn info(self) -> &'static OpcodeInfo {
                match self {
                    $(Opcode::$opcode => const { &OpcodeInfo {
                        code: $code,
                        name: $name,
                        since: since!($since),
                        stages: Stages::$stages,
                        lowering: $lowering,
                    } },)*
                }
            }
            /// The opcode with this value in a token.
            pub fn from_code(code: u32) -> Option<Opcode> {
                match code {
                    $($code => Some(Opcode::$opcode),)*
                    _ => None,
                }
            }
            /// The opcode with this mnemonic (lower case, as in Adobe's assembler).
            pub fn from_name(name: &str) -> Option<Opcode> {
                match name {
                    $($name => Some(Opcode::$opcode),)*
                    _ => None,
                }
            }
        }
    };
}

use Binary::{Compare, Cross, Dot, Matrix};
use Relation::{Equal, Greater, GreaterOrEqual, Less, NotEqual};
use Unary::Normalize;

const fn unary(formula: UnaryFormula) -> Lowering {
    Lowering::Unary(Unary::Formula(formula))
}
const fn binary(formula: BinaryFormula) -> Lowering {
    Lowering::Binary(Binary::Formula(formula))
}

// agal.md section 4.
opcodes! {
    // code name text since stages  operands and lowering
    0x00 Mov "mov" V1 Both     unary(UnaryFormula::Mov);
    0x01 Add "add" V1 Both     binary(BinaryFormula::Add);
    0x02 Sub "sub" V1 Both     binary(BinaryFormula::Sub);
    0x03 Mul "mul" V1 Both     binary(BinaryFormula::Mul);
    0x04 Div "div" V1 Both     binary(BinaryFormula::Div);
    0x05 Rcp "rcp" V1 Both     unary(UnaryFormula::Rcp);
    0x06 Min "min" V1 Both     binary(BinaryFormula::Min);
    0x07 Max "max" V1 Both     binary(BinaryFormula::Max);
    0x08 Frc "frc" V1 Both     unary(UnaryFormula::Frc);
    0x09 Sqt "sqt" V1 Both     unary(UnaryFormula::Sqt);
    0x0a Rsq "rsq" V1 Both     unary(UnaryFormula::Rsq);
    0x0b Pow "pow" V1 Both     binary(BinaryFormula::Pow);
    0x0c Log "log" V1 Both     unary(UnaryFormula::Log);
    0x0d Exp "exp" V1 Both     unary(UnaryFormula::Exp);
    0x0e Nrm "nrm" V1 Both     Lowering::Unary(Normalize);
    0x0f Sin "sin" V1 Both     unary(UnaryFormula::Sin);
    0x10 Cos "cos" V1 Both     unary(UnaryFormula::Cos);
    0x11 Crs "crs" V1 Both     Lowering::Binary(Cross);
    0x12 Dp3 "dp3" V1 Both     Lowering::Binary(Dot(3));
    0x13 Dp4 "dp4" V1 Both     Lowering::Binary(Dot(4));
    0x14 Abs "abs" V1 Both     unary(UnaryFormula::Abs);
    0x15 Neg "neg" V1 Both     unary(UnaryFormula::Neg);
    0x16 Sat "sat" V1 Both     unary(UnaryFormula::Sat);
    0x17 M33 "m33" V1 Both     Lowering::Binary(Matrix { rows: 3, width: 3 });
    0x18 M44 "m44" V1 Both     Lowering::Binary(Matrix { rows: 4, width: 4 });
    0x19 M34 "m34" V1 Both     Lowering::Binary(Matrix { rows: 3, width: 4 });
    0x1a Ddx "ddx" V2 Fragment Lowering::Unary(Unary::Derivative(Derivative::X));
    0x1b Ddy "ddy" V2 Fragment Lowering::Unary(Unary::Derivative(Derivative::Y));
    0x1c Ife "ife" V2 Both     Lowering::If(Equal);
    0x1d Ine "ine" V2 Both     Lowering::If(NotEqual);
    0x1e Ifg "ifg" V2 Both     Lowering::If(IFG);
    0x1f Ifl "ifl" V2 Both     Lowering::If(Less);
    0x20 Els "els" V2 Both     Lowering::Block(Block::Else);
    0x21 Eif "eif" V2 Both     Lowering::Block(Block::End);
    // Explicit derivatives; no player ever had it, so its lowering only gives its operands.
    0x26 Ted "ted" Never Fragment Lowering::Sample(Lookup::Implicit);
    0x27 Kil "kil" V1 Fragment Lowering::Kill;
    0x28 Tex "tex" V1 Fragment Lowering::Sample(Lookup::Implicit);
    0x29 Sge "sge" V1 Both     Lowering::Binary(Compare(GreaterOrEqual));
    0x2a Slt "slt" V1 Both     Lowering::Binary(Compare(Less));
    0x2b Sgn "sgn" Never Both  unary(UnaryFormula::Sgn);
    0x2c Seq "seq" V1 Both     Lowering::Binary(Compare(Equal));
    0x2d Sne "sne" V1 Both     Lowering::Binary(Compare(NotEqual));
    0x2e Tld "tld" V4 Vertex   Lowering::Sample(Lookup::LevelZero);
}

/// The greatest value that is "not implemented" (3621) rather than "out of range" (3620). Only large values are known
/// from a player (0xFF is 3620, agal-errors.md); that the last row ends the range is unverified.
pub const LAST_CODE: u32 = 0x2e;

impl Opcode {
    /// The value in the token.
    pub fn code(self) -> u32 {
        self.info().code
    }
    /// The mnemonic.
    pub fn name(self) -> &'static str {
        self.info().name
    }
    /// Operands and lowering.
    pub fn lowering(self) -> Lowering {
        self.info().lowering
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_names_unique() {
        let codes: Vec<u32> = Opcode::ALL.iter().map(|op| op.code()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b));
        assert_eq!(codes.last(), Some(&LAST_CODE));
        for op in Opcode::ALL {
            assert_eq!(Opcode::from_code(op.code()), Some(*op));
            assert_eq!(Opcode::from_name(op.name()), Some(*op));
            assert_eq!(op.name().len(), 3);
        }
    }
}
