//! Overflows: the sums and products whose results Direct3D 9's float rules limit ([agal.float.sums]). One pass over the
//! instructions, as over AGAL's, so that a translation computes what its program does.

use std::collections::BTreeSet;

use crate::dataflow::{self, WrittenComponents};
use crate::opcode::{Flow, Formula, Operation, Texture};
use crate::operand::{Component, Modifier, Modifiers, WriteMask};
use crate::program::{Instruction, Program};
use crate::version::Version;

/// The effect of an instruction on the numbers that depend on a limited result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// These components of the result are limited, and so are the sums and products of them.
    Starts(WriteMask),
    /// A sum, component by component: beside the largest float, any usual number is too small to overflow.
    Sum,
    /// A product of two sources, to which a third one may be added, component by component.
    Product,
    /// A sum of products, of which every component depends on all.
    Products,
    /// One of the sources from this one on, or a function of it that can't overflow.
    Keeps(usize),
    /// A small number.
    Ends,
}

impl Effect {
    fn of(instruction: &Instruction) -> Effect {
        let divides = |modifier| matches!(modifier, Some(Modifier::DivideZ | Modifier::DivideW));
        match instruction.opcode.operation() {
            Operation::Map(formula) | Operation::Scalar(formula) => match formula {
                Formula::Rcp | Formula::Rsq | Formula::Exp | Formula::Log | Formula::Pow => {
                    Effect::Starts(WriteMask::ALL)
                }
                Formula::Add | Formula::Sub => Effect::Sum,
                Formula::Mad | Formula::Mul | Formula::Lrp => Effect::Product,
                Formula::Mov | Formula::Min | Formula::Max | Formula::Abs => Effect::Keeps(0),
                Formula::Cmp => Effect::Keeps(1),
                Formula::Slt | Formula::Sge | Formula::Frc => Effect::Ends,
            },
            Operation::Cnd => Effect::Keeps(1),
            Operation::Lit | Operation::ExpPartial => Effect::Starts(WriteMask::ALL),
            Operation::Derivative { .. } => Effect::Sum,
            Operation::Dot(_)
            | Operation::Matrix { .. }
            | Operation::Dp2Add
            | Operation::Cross
            | Operation::Dst => Effect::Products,
            // Only w may be long.
            Operation::Normalize => Effect::Starts(WriteMask::EMPTY.with(Component::W)),
            Operation::Texture(Texture::Coordinate)
                if divides(instruction.source(0).modifier()) =>
            {
                Effect::Starts(WriteMask::ALL)
            }
            Operation::Sgn
            | Operation::SinCos
            | Operation::Bem
            | Operation::Mova
            | Operation::Setp
            | Operation::Flow(_)
            | Operation::Texture(_)
            | Operation::Dcl
            | Operation::Def(_)
            | Operation::Nop
            | Operation::Phase
            | Operation::Meta => Effect::Ends,
        }
    }
}

/// Returns the numbers of the sums and products that depend on a result of `rcp` and the like. In a program with loops
/// or subroutines all sums and products count as such, if there is such a result.
pub(crate) fn limited_sums(program: &Program) -> BTreeSet<u32> {
    let version = program.version;
    let (mut found, mut open) = (BTreeSet::new(), Vec::new());
    let mut limited = WrittenComponents::default();
    let any = |is: &dyn Fn(&Instruction) -> bool| program.instructions().any(|(_, one)| is(one));
    let jumps = any(&|one| {
        matches!(
            one.opcode.operation(),
            Operation::Flow(Flow::Loop | Flow::Rep | Flow::Call | Flow::CallNz)
        )
    });
    if jumps && any(&|one| matches!(Effect::of(one), Effect::Starts(_))) {
        limited.fill();
    }
    for (number, instruction) in program.instructions() {
        if let Operation::Flow(flow) = instruction.opcode.operation() {
            if flow.opens() {
                open.push(limited.clone());
            } else if flow == Flow::Else
                && let Some(other) = open.last_mut()
            {
                std::mem::swap(other, &mut limited);
            } else if !flow.closes().is_empty() {
                limited.union(&open.pop().unwrap_or_default());
            }
        }
        let Some((dest, mask)) = dataflow::write(instruction, version) else {
            continue;
        };
        let (result, is_sum) = result(instruction, mask, version, &limited);
        if is_sum {
            found.insert(number);
        }
        let kept = if jumps || instruction.is_predicated() { mask } else { WriteMask::EMPTY };
        let kept = limited.get(dest).intersection(kept);
        limited.set(dest, limited.get(dest).without(mask).union(kept).union(result));
    }
    found
}

/// The components of the result that depend on a limited one, and whether it is a sum or product to limit.
fn result(
    instruction: &Instruction,
    mask: WriteMask,
    version: Version,
    limited: &WrittenComponents,
) -> (WriteMask, bool) {
    // By source: the components of the result for which it is limited.
    let depending = |index: usize, mask: WriteMask| {
        let source = instruction.source(index);
        let set = source.register(version).map_or(WriteMask::EMPTY, |one| limited.get(one));
        let depends = |component: &Component| set.contains(source.swizzle().get(*component));
        mask.iter().filter(depends).fold(WriteMask::EMPTY, WriteMask::with)
    };
    let count = instruction.sources().len();
    let any = |first: usize, mask: WriteMask| {
        (first..count).fold(WriteMask::EMPTY, |all, index| all.union(depending(index, mask)))
    };
    let effect = Effect::of(instruction);
    let (result, limits) = match effect {
        Effect::Starts(of) => {
            let started = mask.intersection(of);
            (started, instruction.opcode.operation() == Operation::Normalize && !started.is_empty())
        }
        Effect::Sum => {
            let all = (0..count).fold(mask, |all, index| all.intersection(depending(index, mask)));
            (any(0, mask), !all.is_empty())
        }
        Effect::Product => {
            let product = depending(0, mask).union(depending(1, mask));
            (any(0, mask), !product.is_empty())
        }
        Effect::Keeps(first) => (any(first, mask), false),
        Effect::Products => {
            // AGAL's `crs` takes all three components for any mask.
            let crosses = instruction.opcode.operation() == Operation::Cross;
            let mut found = crosses && !any(0, WriteMask::first(3)).is_empty();
            dataflow::for_each(instruction, version, None, |read| {
                found |= !limited.get(read.register).intersection(read.components).is_empty();
            });
            (if found { mask } else { WriteMask::EMPTY }, found)
        }
        Effect::Ends => (WriteMask::EMPTY, false),
    };
    let saturates = instruction.dest.is_some_and(|dest| dest.modifiers().has(Modifiers::SATURATE));
    // Vertex shaders of models 1 and 2 saturate by `max` and `min`.
    let ends = saturates && !version.is_vertex();
    (if ends { WriteMask::EMPTY } else { result }, limits && !saturates)
}
