//! THE opcode table. Decoder, encoder, assembler, printer, validator and emitter read only this.
//!
//! The column "operands and lowering" is one value: the operand shape that carries how it becomes GLSL, so that a row
//! cannot pair a shape with a lowering that does not fit it.

use crate::isa::operand::WriteMask;
use crate::isa::version::{Stage, Version};

pub use crate::isa::formula::Formula;

/// In which programs an opcode is allowed.
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
    /// Is the opcode allowed in this kind of program?
    pub fn allows(self, stage: Stage) -> bool {
        match self {
            Stages::Both => true,
            Stages::Vertex => stage == Stage::Vertex,
            Stages::Fragment => stage == Stage::Fragment,
        }
    }
}

/// The operands that an opcode has, in the order of their text, and how they become GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lower {
    /// No operand: `els`, `eif`.
    Block(Block),
    /// Source 1, a scalar: `kil`.
    Kill,
    /// Source 1 and 2, both scalars: the four `if`s.
    If(Relation),
    /// Destination and source 1.
    Unary(Unary),
    /// Destination, source 1 and 2.
    Binary(Binary),
    /// Destination, source 1 and a sampler.
    Sample(Lookup),
}

/// Closes or turns a conditional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// The other branch begins.
    Else,
    /// The conditional ends.
    End,
}

macro_rules! relations {
    ($($relation:ident $scalar:literal $vector:literal;)*) => {
        /// A comparison, of one scalar pair (`if`) or component by component (`sge`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Relation {
            $(#[doc = concat!("`", $scalar, "`")] $relation,)*
        }

        impl Relation {
            /// GLSL's operator on scalars.
            pub fn scalar(self) -> &'static str {
                match self {
                    $(Relation::$relation => $scalar,)*
                }
            }
            /// GLSL's function on vectors.
            pub fn vector(self) -> &'static str {
                match self {
                    $(Relation::$relation => $vector,)*
                }
            }
        }
    };
}

relations! {
    Equal          "==" "equal";
    NotEqual       "!=" "notEqual";
    GreaterOrEqual ">=" "greaterThanEqual";
    Greater        ">"  "greaterThan";
    Less           "<"  "lessThan";
}

/// `ifg`: its name says "greater than", one published text ">=". Independent translators use the strict one
/// (agal.md section 4.2, unverified).
const IFG: Relation = Greater;

/// A result of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Component by component.
    Formula(Formula),
    /// The same, but taken across neighbouring fragments.
    Derivative(Formula),
    /// xyz over its length.
    Normalize,
}

/// A result of two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Component by component.
    Formula(Formula),
    /// 1 where the relation holds, else 0.
    Compare(Relation),
    /// The dot product of the first components, to every masked component.
    Dot(u8),
    /// The cross product of xyz.
    Cross,
    /// Source 1 times the consecutive registers from source 2 on, each one row.
    Matrix {
        /// Rows: components of the result.
        rows: u8,
        /// Components of each row that count.
        width: u8,
    },
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Level of detail from the neighbouring fragments, plus the bias: `tex`.
    Implicit,
    /// Level 0: `tld` (agal.md section 4: normalised coordinates and level 0, unverified).
    LevelZero,
}

/// Which components of a source an opcode looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Those that the write mask names.
    Masked,
    /// The first 1, 2, 3 or 4, whatever the mask.
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
    /// What is read of the source.
    pub fn reads(self) -> Reads {
        match self {
            Unary::Formula(_) | Unary::Derivative(_) => Reads::Masked,
            Unary::Normalize => Reads::First(3),
        }
    }
}

impl Binary {
    /// What is read of source 1, and of source 2 (of each row, where it is a matrix).
    pub fn reads(self) -> Reads {
        match self {
            Binary::Formula(_) | Binary::Compare(_) => Reads::Masked,
            Binary::Dot(width) | Binary::Matrix { width, .. } => Reads::First(width),
            Binary::Cross => Reads::First(3),
        }
    }
    /// How many consecutive registers source 2 names.
    pub fn rows(self) -> u8 {
        match self {
            Binary::Matrix { rows, .. } => rows,
            _ => 1,
        }
    }
}

impl Lower {
    /// Has it a destination?
    pub fn has_dest(self) -> bool {
        matches!(self, Lower::Unary(_) | Lower::Binary(_) | Lower::Sample(_))
    }
    /// How many sources are read, a sampler included.
    pub fn sources(self) -> usize {
        match self {
            Lower::Block(_) => 0,
            Lower::Kill | Lower::Unary(_) => 1,
            Lower::If(_) | Lower::Binary(_) | Lower::Sample(_) => 2,
        }
    }
    /// Is the second source a sampler?
    pub fn has_sampler(self) -> bool {
        matches!(self, Lower::Sample(_))
    }
    /// Must the destination's w be masked (3628)? True of results with three components.
    pub fn masks_w(self) -> bool {
        matches!(
            self,
            Lower::Unary(Unary::Normalize)
                | Lower::Binary(Binary::Cross | Binary::Matrix { rows: 3, .. })
        )
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The opcode, which is also the row's key.
    pub opcode: Opcode,
    /// The value in the token.
    pub code: u32,
    /// The mnemonic.
    pub name: &'static str,
    /// The AGAL version that brought it; `None`: known to assemblers, but no player ever ran it (3621).
    pub since: Option<Version>,
    /// Where it is allowed.
    pub stages: Stages,
    /// Its operands and how they become GLSL.
    pub lower: Lower,
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
    ($($code:literal $opcode:ident $name:literal $since:ident $stages:ident $lower:expr;)*) => {
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
                        opcode: Opcode::$opcode,
                        code: $code,
                        name: $name,
                        since: since!($since),
                        stages: Stages::$stages,
                        lower: $lower,
                    } },)*
                }
            }
            /// The opcode that a token's value names.
            pub fn from_code(code: u32) -> Option<Opcode> {
                match code {
                    $($code => Some(Opcode::$opcode),)*
                    _ => None,
                }
            }
            /// The opcode that a mnemonic names (lower case, as in Adobe's assembler).
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
use Unary::{Derivative, Normalize};

const fn unary(formula: Formula) -> Lower {
    Lower::Unary(Unary::Formula(formula))
}
const fn binary(formula: Formula) -> Lower {
    Lower::Binary(Binary::Formula(formula))
}

// agal.md section 4.
opcodes! {
    // code name text since stages  operands and lowering
    0x00 Mov "mov" V1 Both     unary(Formula::Mov);
    0x01 Add "add" V1 Both     binary(Formula::Add);
    0x02 Sub "sub" V1 Both     binary(Formula::Sub);
    0x03 Mul "mul" V1 Both     binary(Formula::Mul);
    0x04 Div "div" V1 Both     binary(Formula::Div);
    0x05 Rcp "rcp" V1 Both     unary(Formula::Rcp);
    0x06 Min "min" V1 Both     binary(Formula::Min);
    0x07 Max "max" V1 Both     binary(Formula::Max);
    0x08 Frc "frc" V1 Both     unary(Formula::Frc);
    0x09 Sqt "sqt" V1 Both     unary(Formula::Sqt);
    0x0a Rsq "rsq" V1 Both     unary(Formula::Rsq);
    0x0b Pow "pow" V1 Both     binary(Formula::Pow);
    0x0c Log "log" V1 Both     unary(Formula::Log);
    0x0d Exp "exp" V1 Both     unary(Formula::Exp);
    0x0e Nrm "nrm" V1 Both     Lower::Unary(Normalize);
    0x0f Sin "sin" V1 Both     unary(Formula::Sin);
    0x10 Cos "cos" V1 Both     unary(Formula::Cos);
    0x11 Crs "crs" V1 Both     Lower::Binary(Cross);
    0x12 Dp3 "dp3" V1 Both     Lower::Binary(Dot(3));
    0x13 Dp4 "dp4" V1 Both     Lower::Binary(Dot(4));
    0x14 Abs "abs" V1 Both     unary(Formula::Abs);
    0x15 Neg "neg" V1 Both     unary(Formula::Neg);
    0x16 Sat "sat" V1 Both     unary(Formula::Sat);
    0x17 M33 "m33" V1 Both     Lower::Binary(Matrix { rows: 3, width: 3 });
    0x18 M44 "m44" V1 Both     Lower::Binary(Matrix { rows: 4, width: 4 });
    0x19 M34 "m34" V1 Both     Lower::Binary(Matrix { rows: 3, width: 4 });
    0x1a Ddx "ddx" V2 Fragment Lower::Unary(Derivative(Formula::Ddx));
    0x1b Ddy "ddy" V2 Fragment Lower::Unary(Derivative(Formula::Ddy));
    0x1c Ife "ife" V2 Both     Lower::If(Equal);
    0x1d Ine "ine" V2 Both     Lower::If(NotEqual);
    0x1e Ifg "ifg" V2 Both     Lower::If(IFG);
    0x1f Ifl "ifl" V2 Both     Lower::If(Less);
    0x20 Els "els" V2 Both     Lower::Block(Block::Else);
    0x21 Eif "eif" V2 Both     Lower::Block(Block::End);
    // Explicit derivatives; no player ever had it, so its lowering is only its operand shape.
    0x26 Ted "ted" Never Fragment Lower::Sample(Lookup::Implicit);
    0x27 Kil "kil" V1 Fragment Lower::Kill;
    0x28 Tex "tex" V1 Fragment Lower::Sample(Lookup::Implicit);
    0x29 Sge "sge" V1 Both     Lower::Binary(Compare(GreaterOrEqual));
    0x2a Slt "slt" V1 Both     Lower::Binary(Compare(Less));
    0x2b Sgn "sgn" Never Both  unary(Formula::Sgn);
    0x2c Seq "seq" V1 Both     Lower::Binary(Compare(Equal));
    0x2d Sne "sne" V1 Both     Lower::Binary(Compare(NotEqual));
    0x2e Tld "tld" V4 Vertex   Lower::Sample(Lookup::LevelZero);
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
    pub fn lower(self) -> Lower {
        self.info().lower
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
            assert_eq!(op.info().opcode, *op);
            assert_eq!(Opcode::from_code(op.code()), Some(*op));
            assert_eq!(Opcode::from_name(op.name()), Some(*op));
            assert_eq!(op.name().len(), 3);
        }
    }
}
