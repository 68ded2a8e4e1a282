//! The opcode table. Decoder, encoder, assembler, printer, validator and emitter take all facts about opcodes from it.
//!
//! The column "shape" is one value for the operands and the operation, so that no row can combine operands with the
//! wrong operation.

use crate::isa::operand::WriteMask;
use crate::version::{Stage, Version};

pub use crate::isa::formula::{Accuracy, BinaryFormula, Derivative, UnaryFormula};

/// The programs in which an opcode is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// Vertex and fragment programs.
    Both,
    /// Vertex programs only.
    Vertex,
    /// Fragment programs only.
    Fragment,
}

impl Stages {
    /// Returns whether programs of a kind may have the opcode.
    pub fn allows(self, stage: Stage) -> bool {
        match self {
            Stages::Both => true,
            Stages::Vertex => stage == Stage::Vertex,
            Stages::Fragment => stage == Stage::Fragment,
        }
    }
}

/// The operands of an opcode, in the order of their text, and the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpcodeSignature {
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
    Sample(SampleLevel),
}

/// The end of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// `els`: the other branch begins.
    Else,
    /// `eif`: the conditional ends.
    End,
}

agal_core::table! {
    /// A comparison, of one scalar pair (`if`) or component by component (`sge`).
    pub enum Relation {
        /// Returns the operator between scalars in GLSL, with its spaces.
        operator: &'static str,
        /// Returns the beginning of a call of GLSL's function for vectors.
        function: &'static str,
    }
    Equal " == ", "equal(";
    NotEqual " != ", "notEqual(";
    GreaterOrEqual " >= ", "greaterThanEqual(";
    Greater " > ", "greaterThan(";
    Less " < ", "lessThan(";
}

/// `ifg`: greater than, as in the name and in independent translators; one published text has ">=" ([agal.ifg.1]).
const IFG: Relation = Greater;

/// An operation on one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// Component by component.
    Formula(UnaryFormula),
    /// The difference between neighbouring fragments: `ddx`, `ddy`.
    Derivative(Derivative),
    /// xyz divided by its length.
    Normalize,
}

/// An operation on two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// Component by component.
    Formula(BinaryFormula),
    /// 1 if the relation holds, else 0.
    Compare(Relation),
    /// The dot product of this many components, replicated to every masked component.
    Dot(u8),
    /// The cross product of xyz: `crs`.
    Cross,
    /// Source 1 times a matrix whose rows are consecutive registers from source 2 on.
    Matrix {
        /// Number of rows, which is the number of result components.
        rows: u8,
        /// Number of components of a row that are multiplied.
        width: u8,
    },
}

/// The level of detail of a texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLevel {
    /// Level of detail from the neighbouring fragments, plus the bias: `tex`.
    Implicit,
    /// Level 0: `tld` ([agal.tld.coordinates] [agal.tld.level]).
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
    /// Returns the lanes that are read, as a mask before the swizzle.
    pub fn lanes(self, mask: WriteMask) -> WriteMask {
        match self {
            Reads::Masked => mask,
            Reads::First(count) => WriteMask::first(count),
        }
    }
}

impl Unary {
    /// Returns the components of the source that the operation reads.
    pub fn reads(self) -> Reads {
        match self {
            Unary::Formula(_) | Unary::Derivative(_) => Reads::Masked,
            Unary::Normalize => Reads::First(3),
        }
    }
}

impl Binary {
    /// Returns the components that are read of source 1, and of source 2 or of each row of a matrix.
    pub fn reads(self) -> Reads {
        match self {
            Binary::Formula(_) | Binary::Compare(_) => Reads::Masked,
            Binary::Dot(width) | Binary::Matrix { width, .. } => Reads::First(width),
            Binary::Cross => Reads::First(3),
        }
    }
    /// Returns the number of consecutive registers that source 2 reads.
    pub fn rows(self) -> u8 {
        match self {
            Binary::Matrix { rows, .. } => rows,
            _ => 1,
        }
    }
}

impl OpcodeSignature {
    /// Returns whether the opcode has a destination.
    pub fn has_dest(self) -> bool {
        matches!(
            self,
            OpcodeSignature::Unary(_) | OpcodeSignature::Binary(_) | OpcodeSignature::Sample(_)
        )
    }
    /// Returns the maximum difference between a driver's result and the interpreter's.
    pub fn accuracy(self) -> Accuracy {
        match self {
            OpcodeSignature::Block(_) | OpcodeSignature::Kill | OpcodeSignature::If(_) => {
                Accuracy::Exact
            }
            OpcodeSignature::Unary(Unary::Formula(formula)) => formula.accuracy(),
            OpcodeSignature::Unary(Unary::Derivative(derivative)) => derivative.accuracy(),
            OpcodeSignature::Unary(Unary::Normalize) => Accuracy::Ulps(8.0),
            OpcodeSignature::Binary(Binary::Formula(formula)) => formula.accuracy(),
            OpcodeSignature::Binary(Binary::Compare(_)) => Accuracy::Exact,
            OpcodeSignature::Binary(Binary::Dot(_) | Binary::Cross | Binary::Matrix { .. }) => {
                Accuracy::Products(4.0)
            }
            OpcodeSignature::Sample(_) => Accuracy::Texture,
        }
    }
    /// Returns the number of sources, including a sampler.
    pub fn sources(self) -> usize {
        match self {
            OpcodeSignature::Block(_) => 0,
            OpcodeSignature::Kill | OpcodeSignature::Unary(_) => 1,
            OpcodeSignature::If(_) | OpcodeSignature::Binary(_) | OpcodeSignature::Sample(_) => 2,
        }
    }
    /// Returns whether the second operand is a sampler.
    pub fn has_sampler(self) -> bool {
        matches!(self, OpcodeSignature::Sample(_))
    }
    /// Returns whether the destination's w must be masked (3628): for results with three components.
    pub fn masks_w(self) -> bool {
        matches!(
            self,
            OpcodeSignature::Unary(Unary::Normalize)
                | OpcodeSignature::Binary(Binary::Cross | Binary::Matrix { rows: 3, .. })
        )
    }
}

use Binary::{Compare, Cross, Dot, Matrix};
use OpcodeSignature::{If, Kill, Sample};
use Relation::{Equal, Greater, GreaterOrEqual, Less, NotEqual};
use Stages::{Both, Fragment, Vertex};
use Version::{V1, V2, V4};
use {BinaryFormula as Two, UnaryFormula as One};

const fn unary(formula: UnaryFormula) -> OpcodeSignature {
    OpcodeSignature::Unary(Unary::Formula(formula))
}
const fn binary(formula: BinaryFormula) -> OpcodeSignature {
    OpcodeSignature::Binary(Binary::Formula(formula))
}

// [agal.opcode.values]
agal_core::table! {
    /// An instruction of AGAL.
    pub enum Opcode {
        /// Returns the number of the opcode in a token.
        code: u32 => from_code(u32),
        /// Returns the mnemonic (lower case, as in Adobe's assembler).
        name: &'static str => from_name(&str),
        /// Returns the AGAL version that added the opcode. `None` for an opcode of assemblers that no player supports
        /// (3621).
        since: Option<Version>,
        /// Returns the programs in which the opcode is allowed.
        stages: Stages,
        /// Returns the operation with the number and kind of its operands.
        signature: OpcodeSignature,
    }
    Mov 0x00, "mov", Some(V1), Both, unary(One::Mov);
    Add 0x01, "add", Some(V1), Both, binary(Two::Add);
    Sub 0x02, "sub", Some(V1), Both, binary(Two::Sub);
    Mul 0x03, "mul", Some(V1), Both, binary(Two::Mul);
    Div 0x04, "div", Some(V1), Both, binary(Two::Div);
    Rcp 0x05, "rcp", Some(V1), Both, unary(One::Rcp);
    Min 0x06, "min", Some(V1), Both, binary(Two::Min);
    Max 0x07, "max", Some(V1), Both, binary(Two::Max);
    Frc 0x08, "frc", Some(V1), Both, unary(One::Frc);
    Sqt 0x09, "sqt", Some(V1), Both, unary(One::Sqt);
    Rsq 0x0a, "rsq", Some(V1), Both, unary(One::Rsq);
    Pow 0x0b, "pow", Some(V1), Both, binary(Two::Pow);
    Log 0x0c, "log", Some(V1), Both, unary(One::Log);
    Exp 0x0d, "exp", Some(V1), Both, unary(One::Exp);
    Nrm 0x0e, "nrm", Some(V1), Both, OpcodeSignature::Unary(Unary::Normalize);
    Sin 0x0f, "sin", Some(V1), Both, unary(One::Sin);
    Cos 0x10, "cos", Some(V1), Both, unary(One::Cos);
    Crs 0x11, "crs", Some(V1), Both, OpcodeSignature::Binary(Cross);
    Dp3 0x12, "dp3", Some(V1), Both, OpcodeSignature::Binary(Dot(3));
    Dp4 0x13, "dp4", Some(V1), Both, OpcodeSignature::Binary(Dot(4));
    Abs 0x14, "abs", Some(V1), Both, unary(One::Abs);
    Neg 0x15, "neg", Some(V1), Both, unary(One::Neg);
    Sat 0x16, "sat", Some(V1), Both, unary(One::Sat);
    M33 0x17, "m33", Some(V1), Both, OpcodeSignature::Binary(Matrix { rows: 3, width: 3 });
    M44 0x18, "m44", Some(V1), Both, OpcodeSignature::Binary(Matrix { rows: 4, width: 4 });
    M34 0x19, "m34", Some(V1), Both, OpcodeSignature::Binary(Matrix { rows: 3, width: 4 });
    Ddx 0x1a, "ddx", Some(V2), Fragment, OpcodeSignature::Unary(Unary::Derivative(Derivative::X));
    Ddy 0x1b, "ddy", Some(V2), Fragment, OpcodeSignature::Unary(Unary::Derivative(Derivative::Y));
    Ife 0x1c, "ife", Some(V2), Both, If(Equal);
    Ine 0x1d, "ine", Some(V2), Both, If(NotEqual);
    Ifg 0x1e, "ifg", Some(V2), Both, If(IFG);
    Ifl 0x1f, "ifl", Some(V2), Both, If(Less);
    Els 0x20, "els", Some(V2), Both, OpcodeSignature::Block(Block::Else);
    Eif 0x21, "eif", Some(V2), Both, OpcodeSignature::Block(Block::End);
    // Explicit derivatives; no player ever had it, so its shape only gives its operands.
    Ted 0x26, "ted", None, Fragment, Sample(SampleLevel::Implicit);
    Kil 0x27, "kil", Some(V1), Fragment, Kill;
    Tex 0x28, "tex", Some(V1), Fragment, Sample(SampleLevel::Implicit);
    Sge 0x29, "sge", Some(V1), Both, OpcodeSignature::Binary(Compare(GreaterOrEqual));
    Slt 0x2a, "slt", Some(V1), Both, OpcodeSignature::Binary(Compare(Less));
    Sgn 0x2b, "sgn", None, Both, unary(One::Sgn);
    Seq 0x2c, "seq", Some(V1), Both, OpcodeSignature::Binary(Compare(Equal));
    Sne 0x2d, "sne", Some(V1), Both, OpcodeSignature::Binary(Compare(NotEqual));
    Tld 0x2e, "tld", Some(V4), Vertex, Sample(SampleLevel::LevelZero);
}

/// The greatest value that is "not implemented" (3621) rather than "out of range" (3620). Only large values are known
/// from a player (0xFF is 3620); that the last row ends the range is open ([agal.opcode.last]).
pub const LAST_CODE: u32 = 0x2e;
