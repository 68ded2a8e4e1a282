//! Finds the sums and products that Direct3D 9's float rules limit ([agal.float.sums]). The crate `agal` uses the same
//! algorithm, so a translation from AGAL to Direct3D 9 clamps the same results.

use std::collections::BTreeSet;

use agal_core::overflow::OverflowEffect;

use crate::dataflow::{self, WrittenComponents};
use crate::opcode::{FlowControl, Operation, TextureOp};
use crate::operand::{Component, ResultModifiers, SourceModifier, WriteMask};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::version::ShaderVersion;

fn effect(instruction: &D3d9Instruction) -> OverflowEffect {
    let divides =
        |modifier| matches!(modifier, Some(SourceModifier::DivideZ | SourceModifier::DivideW));
    match instruction.opcode.operation() {
        Operation::Map(formula) | Operation::Scalar(formula) => formula.overflow(),
        Operation::Cnd => OverflowEffect::Keeps(1),
        Operation::Lit | Operation::ExpPartial => OverflowEffect::Starts(WriteMask::ALL),
        Operation::Derivative { .. } => OverflowEffect::Sum,
        Operation::Dot(_)
        | Operation::Matrix { .. }
        | Operation::Dp2Add
        | Operation::Cross
        | Operation::Dst => OverflowEffect::Products,
        // Only w can be infinite, because xyz is normalized.
        Operation::Normalize => OverflowEffect::Starts(WriteMask::EMPTY.with(Component::W)),
        Operation::Texture(TextureOp::Coordinate) if divides(instruction.source(0).modifier()) => {
            OverflowEffect::Starts(WriteMask::ALL)
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
        | Operation::Meta => OverflowEffect::Ends,
    }
}

/// Returns the indices of the sums and products that depend on a result of `rcp` or a similar instruction. Programs
/// with loops or subroutines aren't analyzed: if such a program has `rcp` or a similar instruction, all sums and
/// products are returned.
pub(crate) fn limited_sums(program: &D3d9Program) -> BTreeSet<u32> {
    let version = program.version;
    let (mut found, mut open) = (BTreeSet::new(), Vec::new());
    let mut limited = WrittenComponents::default();
    let any =
        |is: &dyn Fn(&D3d9Instruction) -> bool| program.instructions().any(|(_, one)| is(one));
    let jumps = any(&|one| {
        matches!(
            one.opcode.operation(),
            Operation::Flow(
                FlowControl::Loop | FlowControl::Rep | FlowControl::Call | FlowControl::CallNz
            )
        )
    });
    if jumps && any(&|one| matches!(effect(one), OverflowEffect::Starts(_))) {
        limited.fill();
    }
    for (number, instruction) in program.instructions() {
        if let Operation::Flow(flow) = instruction.opcode.operation() {
            if flow.opens() {
                open.push(limited.clone());
            } else if flow == FlowControl::Else
                && let Some(other) = open.last_mut()
            {
                std::mem::swap(other, &mut limited);
            } else if !flow.closes().is_empty() {
                limited.union(&open.pop().unwrap_or_default());
            }
        }
        let Some((dest, mask)) = dataflow::write(instruction, version) else { continue };
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

/// Returns the result components that depend on a clamped value, and whether the instruction is a sum or product whose
/// result must be clamped.
fn result(
    instruction: &D3d9Instruction,
    mask: WriteMask,
    version: ShaderVersion,
    limited: &WrittenComponents,
) -> (WriteMask, bool) {
    let operation = instruction.opcode.operation();
    let depends = |index: usize, mask: WriteMask| {
        let source = instruction.source(index);
        let set = source.register(version).map_or(WriteMask::EMPTY, |one| limited.get(one));
        mask.filter(|component| set.contains(source.swizzle().get(component)))
    };
    let count = instruction.sources().len();
    let reads = || {
        // AGAL's `crs` reads all three components for every mask.
        let three = |index: usize| !depends(index, WriteMask::first(3)).is_empty();
        let mut found = operation == Operation::Cross && (0..count).any(three);
        dataflow::for_each(instruction, version, None, |read| {
            found |= !limited.get(read.register).intersection(read.components).is_empty();
        });
        found
    };
    let (result, limits) =
        effect(instruction).result(mask, count, |index| depends(index, mask), reads);
    // The float rules also limit the w component of `nrm`.
    let limits = limits || operation == Operation::Normalize && !result.is_empty();
    let saturates =
        instruction.dest.is_some_and(|dest| dest.modifiers().has(ResultModifiers::SATURATE));
    // In vertex shaders of models 1 and 2, saturation is implemented by `max` and `min`.
    let ends = saturates && !version.is_vertex();
    (if ends { WriteMask::EMPTY } else { result }, limits && !saturates)
}
