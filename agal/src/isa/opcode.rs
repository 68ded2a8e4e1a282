//! The opcode table: decoder, encoder, assembler, printer, validator and emitter read it.
//!
//! The column "signature" combines operands and operation, so that no row can pair operands with the wrong operation.

use crate::isa::operand::WriteMask;
use crate::version::{AgalVersion, Stage};

pub use crate::isa::formula::{Accuracy, BinaryFormula, Derivative, UnaryFormula};

/// The stages whose programs may use an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stages {
    /// Vertex and fragment programs may use the opcode.
    Both,
    /// Only vertex programs may use the opcode.
    Vertex,
    /// Only fragment programs may use the opcode.
    Fragment,
}

impl Stages {
    /// Returns whether programs of a stage may use the opcode.
    pub fn allows(self, stage: Stage) -> bool {
        match self {
            Stages::Both => true,
            Stages::Vertex => stage == Stage::Vertex,
            Stages::Fragment => stage == Stage::Fragment,
        }
    }
}

/// The operands of an opcode, in the order of the text form, and its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpcodeSignature {
    /// No operands: `els`, `eif`.
    Block(BlockEnd),
    /// One scalar source: `kil`.
    Kill,
    /// Two scalar sources: the four `if` opcodes.
    If(Relation),
    /// A destination and one source.
    Unary(Unary),
    /// A destination and two sources.
    Binary(BinaryOp),
    /// A destination, a source and a sampler.
    Sample(SampleLevel),
}

/// An opcode that ends a branch of a conditional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockEnd {
    /// `els`: the second branch begins.
    Else,
    /// `eif`: the conditional ends.
    End,
}

agal_core::table! {
    /// A comparison of two scalars (`if`), or of each component (`sge`).
    pub enum Relation {
        /// Returns GLSL's operator for scalars, with spaces around it.
        operator: &'static str,
        /// Returns the name of GLSL's function for vectors, with the opening parenthesis.
        function: &'static str,
        /// Returns a function that compares two floats.
        holds: fn(f32, f32) -> bool,
    }
    Equal " == ", "equal(", |a, b| a == b;
    NotEqual " != ", "notEqual(", |a, b| a != b;
    GreaterOrEqual " >= ", "greaterThanEqual(", |a, b| a >= b;
    Greater " > ", "greaterThan(", |a, b| a > b;
    Less " < ", "lessThan(", |a, b| a < b;
}

/// `ifg` means "greater than", like its name and independent translators. One published description of `ifg` says ">="
/// ([agal.ifg.1]).
const IFG: Relation = Greater;

/// An operation with one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// The formula is evaluated for each component.
    Formula(UnaryFormula),
    /// The difference between neighbouring pixels: `ddx`, `ddy`.
    Derivative(Derivative),
    /// The vector xyz divided by its length: `nrm`.
    Normalize,
}

/// An operation with two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// The formula is evaluated for each component.
    Formula(BinaryFormula),
    /// 1 in each component for which the relation holds, otherwise 0.
    Compare(Relation),
    /// The dot product of this many components. All masked components receive the result.
    Dot(u8),
    /// The cross product of the xyz vectors: `crs`.
    Cross,
    /// The product of a matrix and source 1. The rows of the matrix are consecutive registers that begin with source 2.
    Matrix {
        /// The number of rows, which equals the number of result components.
        rows: u8,
        /// The number of components in a row that are multiplied.
        width: u8,
    },
}

/// The level of detail of a texture read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLevel {
    /// The level is computed from neighbouring pixels, and the bias is added: `tex`.
    Implicit,
    /// Level 0 is read: `tld` ([agal.tld.coordinates] [agal.tld.level]).
    LevelZero,
}

/// The components of a source that an opcode reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceReads {
    /// The opcode reads the components of the write mask.
    Masked,
    /// The opcode reads the first 1 to 4 components, for any write mask.
    First(u8),
}

impl SourceReads {
    /// Returns the lanes that are read, before the swizzle, for a write mask.
    pub fn lanes(self, mask: WriteMask) -> WriteMask {
        match self {
            SourceReads::Masked => mask,
            SourceReads::First(count) => WriteMask::first(count),
        }
    }
}

impl Unary {
    /// Returns the components of the source that the operation reads, before the swizzle.
    pub fn reads(self) -> SourceReads {
        match self {
            Unary::Formula(_) | Unary::Derivative(_) => SourceReads::Masked,
            Unary::Normalize => SourceReads::First(3),
        }
    }
}

impl BinaryOp {
    /// Returns the components that are read from source 1, and from source 2 or each row of a matrix.
    pub fn reads(self) -> SourceReads {
        match self {
            BinaryOp::Formula(_) | BinaryOp::Compare(_) => SourceReads::Masked,
            BinaryOp::Dot(width) | BinaryOp::Matrix { width, .. } => SourceReads::First(width),
            BinaryOp::Cross => SourceReads::First(3),
        }
    }
    /// Returns the number of consecutive registers that the operation reads for source 2.
    pub fn rows(self) -> u8 {
        match self {
            BinaryOp::Matrix { rows, .. } => rows,
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
            OpcodeSignature::Unary(Unary::Derivative(_)) => Accuracy::Ulps(1.0),
            OpcodeSignature::Unary(Unary::Normalize) => Accuracy::Ulps(8.0),
            OpcodeSignature::Binary(BinaryOp::Formula(formula)) => formula.accuracy(),
            OpcodeSignature::Binary(BinaryOp::Compare(_)) => Accuracy::Exact,
            OpcodeSignature::Binary(
                BinaryOp::Dot(_) | BinaryOp::Cross | BinaryOp::Matrix { .. },
            ) => Accuracy::Products(4.0),
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
    /// Returns whether the write mask must exclude w (3628), because the result has three components.
    pub fn masks_w(self) -> bool {
        matches!(
            self,
            OpcodeSignature::Unary(Unary::Normalize)
                | OpcodeSignature::Binary(BinaryOp::Cross | BinaryOp::Matrix { rows: 3, .. })
        )
    }
}

use AgalVersion::{V1, V2, V4};
use BinaryOp::{Compare, Cross, Dot, Matrix};
use OpcodeSignature::{If, Kill, Sample};
use Relation::{Equal, Greater, GreaterOrEqual, Less, NotEqual};
use Stages::{Both, Fragment, Vertex};
use {BinaryFormula as Two, UnaryFormula as One};

const fn unary(formula: UnaryFormula) -> OpcodeSignature {
    OpcodeSignature::Unary(Unary::Formula(formula))
}
const fn binary(formula: BinaryFormula) -> OpcodeSignature {
    OpcodeSignature::Binary(BinaryOp::Formula(formula))
}

// [agal.opcode.values]
agal_core::table! {
    /// An instruction of AGAL.
    pub enum AgalOpcode {
        /// Returns the opcode's number in a token.
        code: u32 => from_code(u32),
        /// Returns the opcode's name in text, in lower case as in Adobe's assembler.
        name: &'static str => from_name(&str),
        /// Returns the AGAL version that added the opcode. `None` means that assemblers have the opcode, but no player
        /// supports it (3621).
        since: Option<AgalVersion>,
        /// Returns the stages whose programs may use the opcode.
        stages: Stages,
        /// Returns the operation, and the number and kinds of its operands.
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
    Els 0x20, "els", Some(V2), Both, OpcodeSignature::Block(BlockEnd::Else);
    Eif 0x21, "eif", Some(V2), Both, OpcodeSignature::Block(BlockEnd::End);
    // A texture read with explicit derivatives. No player ever supported `ted`, so only the operands of `ted` are
    // defined.
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

/// The largest opcode value that can raise 3621 ("not implemented") instead of 3620 ("out of range"). A player raised
/// 3620 for 0xFF; the exact end of the range is unknown ([agal.opcode.last]).
pub const LAST_CODE: u32 = 0x2e;
