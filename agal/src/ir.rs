//! The checked form of a program: instructions with resolved operands, for translators and analyses.
//!
//! The verifier creates the [`IrInstruction`]s of a [`ValidProgram`](crate::ValidProgram), one per instruction, in
//! order. Registers are in bounds, masks and swizzles fit, conditionals nest, and every operand may be read or written,
//! so a translator can't fail. [`Interface`](crate::Interface) has the registers that a pair shares with the host,
//! [`Liveness`](crate::Liveness) the registers of one program. Only the verifier creates steps: a later version may add
//! fields, but changes none of the present ones.
//!
//! ```
//! use agal::ir::{IrOperation, with_depth};
//! # use agal::{Rules, Stage, asm, validate};
//! # let program = asm::assemble("mov vt0, va0\nmul vt0.x, vt0, vc3\nmov op, vt0", Stage::Vertex, 1)?;
//! # let program = validate(program, Stage::Vertex, &Rules::NEWEST)?;
//! let mut products = 0;
//! for (depth, step) in with_depth(program.steps()) {
//!     if let IrOperation::Binary(_, dest, ..) = step.action {
//!         assert_eq!((depth, dest.mask.len()), (0, 1));
//!         products += 1;
//!     }
//! }
//! assert_eq!(products, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::isa::opcode::{
    AgalOpcode, BinaryOp, BlockEnd, OpcodeSignature, Relation, SampleLevel, Unary,
};
use crate::isa::operand::{Component, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOp;

/// An instruction with checked operands.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct IrInstruction {
    /// The 1-based index of the token in the program, as in Flash's messages.
    pub token: u32,
    /// The opcode of the token.
    pub opcode: AgalOpcode,
    /// The operation with its checked operands.
    pub action: IrOperation,
    /// True for a sum or product that Direct3D 9's float rules limit to the largest float ([agal.float.sums]).
    pub limited: bool,
}

// A program stores one `IrInstruction` per token. A larger `IrInstruction` would need more memory, and each new page of
// memory costs time.
const _: () = assert!(size_of::<IrInstruction>() <= 32);

/// An operation and its checked operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IrOperation {
    /// A branch ends: `els` or `eif`.
    Block(BlockEnd),
    /// `kil`: discards the pixel if the first component of the source is negative.
    Kill(IrSource),
    /// An `if`, which compares the first components of both sources.
    If(Relation, IrSource, IrSource),
    /// A function of one source, written to the masked components.
    Unary(Unary, IrDestination, IrSource),
    /// A function of two sources, written to the masked components.
    Binary(BinaryOp, IrDestination, IrSource, IrSource),
    /// A texture read. The source operand contains the texture coordinates.
    Sample(SampleLevel, IrDestination, IrSource, SamplerOp),
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IrDestination {
    /// A register file that the stage may write.
    pub file: RegisterFile,
    /// The number of the register, which is in bounds.
    pub number: u16,
    /// The written components, at least one.
    pub mask: WriteMask,
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IrSource {
    /// The register to read.
    pub address: Address,
    /// The component that each lane reads.
    pub swizzle: Swizzle,
}

impl IrSource {
    /// Returns the source of row `row` of the matrix that starts at this source. For an indirect source, the row is
    /// added to the offset.
    pub fn row(&self, row: Component) -> IrSource {
        let address = match self.address {
            Address::Direct(file, number) => {
                Address::Direct(file, number.saturating_add(row.bits().into()))
            }
            indirect @ Address::Indirect { .. } => indirect,
        };
        IrSource { address, ..*self }
    }
}

/// The address of a source register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// A register that the stage may read, with its number, which is in bounds.
    Direct(RegisterFile, u16),
    /// `constant[int(index) + offset]`. The index is in an attribute, constant, temporary or `iid`.
    Indirect {
        /// The register file of the index register.
        file: RegisterFile,
        /// The number of the index register.
        number: u16,
        /// The component of the index register.
        component: Component,
        /// The number of the constant for an index of 0.
        offset: i8,
    },
}

impl IrOperation {
    /// Returns the destination of the operation, if it has one.
    pub fn dest(&self) -> Option<IrDestination> {
        match self {
            IrOperation::Block(_) | IrOperation::Kill(_) | IrOperation::If(..) => None,
            IrOperation::Unary(_, dest, _)
            | IrOperation::Binary(_, dest, _, _)
            | IrOperation::Sample(_, dest, _, _) => Some(*dest),
        }
    }

    /// Returns the source registers, each with its number of consecutive registers (rows).
    pub fn sources(&self) -> impl Iterator<Item = (&IrSource, u8)> {
        let (a, b) = match self {
            IrOperation::Block(_) => (None, None),
            IrOperation::Kill(a)
            | IrOperation::Unary(_, _, a)
            | IrOperation::Sample(_, _, a, _) => (Some((a, 1)), None),
            IrOperation::If(_, a, b) => (Some((a, 1)), Some((b, 1))),
            IrOperation::Binary(op, _, a, b) => (Some((a, 1)), Some((b, op.rows()))),
        };
        a.into_iter().chain(b)
    }

    /// Visits every source register with the components that are read, and every row in the mask of a matrix. For an
    /// indirect source, the components are those of the constant.
    pub fn for_each_read(&self, mut visit: impl FnMut(Address, WriteMask)) {
        let mut read = |read: &IrSource, lanes| visit(read.address, read.swizzle.selected(lanes));
        // `kil` and the `if` opcodes read one component (3703).
        let scalar = WriteMask::first(1);
        match self {
            IrOperation::Block(_) => {}
            IrOperation::Kill(a) => read(a, scalar),
            IrOperation::If(_, a, b) => {
                read(a, scalar);
                read(b, scalar);
            }
            IrOperation::Unary(op, dest, a) => read(a, op.reads().lanes(dest.mask)),
            IrOperation::Binary(op, dest, a, b) => {
                let lanes = op.reads().lanes(dest.mask);
                read(a, lanes);
                if let BinaryOp::Matrix { .. } = op {
                    for row in dest.mask.iter() {
                        read(&b.row(row), lanes);
                    }
                } else {
                    read(b, lanes);
                }
            }
            IrOperation::Sample(_, _, a, sampler) => {
                read(a, WriteMask::first(sampler.dimension.coordinates()));
            }
        }
    }

    /// Returns whether the operation uses derivatives, explicitly or for a texture's level of detail.
    pub fn takes_derivatives(&self) -> bool {
        matches!(
            self,
            IrOperation::Sample(SampleLevel::Implicit, ..)
                | IrOperation::Unary(Unary::Derivative(_), ..)
        )
    }
}

/// Returns each step with its number of enclosing conditionals; `if`, `els` and `eif` are outside theirs.
pub fn with_depth(steps: &[IrInstruction]) -> impl Iterator<Item = (usize, &IrInstruction)> {
    steps.iter().scan(0usize, |depth, step| {
        let inner = *depth;
        Some(match step.opcode.signature() {
            OpcodeSignature::If(_) => {
                *depth = inner.saturating_add(1);
                (inner, step)
            }
            OpcodeSignature::Block(BlockEnd::Else) => (inner.saturating_sub(1), step),
            OpcodeSignature::Block(BlockEnd::End) => {
                *depth = inner.saturating_sub(1);
                (*depth, step)
            }
            _ => (inner, step),
        })
    })
}
