//! Rule 25: outputs that a pixel shader writes only on some paths.

use std::collections::BTreeMap;

use crate::dataflow::{self, WrittenComponents};
use crate::opcode::{D3d9Opcode, FlowControl, Operation};
use crate::operand::WriteMask;
use crate::program::{D3d9Instruction, D3d9Program, MAX_BLOCKS};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

/// The outputs that a routine (the main program or a subroutine) writes.
#[derive(Clone, Debug, Default)]
struct Routine {
    always: WrittenComponents,
    ever: WrittenComponents,
}

struct PathBlock {
    is_loop: bool,
    /// True if some pixels may skip the current instruction.
    dynamic: bool,
    /// The components written in the other branch of a conditional, or before every exit of a loop.
    other: WrittenComponents,
}

fn all() -> WrittenComponents {
    let mut all = WrittenComponents::default();
    all.fill();
    all
}

/// Returns output writes that some pixels skip: instruction index, output register and components. In model 3,
/// components that are written on every path are omitted.
pub(super) fn partial_writes(program: &D3d9Program) -> BTreeMap<u32, (D3d9Register, WriteMask)> {
    let version = program.version;
    if version.is_vertex() || version.is_ps_1() {
        return BTreeMap::new();
    }
    let code: Vec<_> = program.instructions().collect();
    let mut routines = BTreeMap::new();
    let mut partial = Vec::new();
    let mut main = Routine::default();
    let mut rest = code.as_slice();
    // A subroutine only calls subroutines that follow, so the callees are analyzed first.
    while !rest.is_empty() {
        let is_label =
            |(_, instruction): &(u32, &D3d9Instruction)| instruction.opcode == D3d9Opcode::Label;
        let start = rest.iter().rposition(is_label).unwrap_or(0);
        let (before, own) = rest.split_at(start);
        main = routine(own, version, &routines, &mut partial);
        if let Some((_, label)) = own.first().filter(|first| is_label(first)) {
            routines.insert(label.source(0).number(), std::mem::take(&mut main));
        }
        rest = before;
    }
    let always = if version.major() == 3 { main.always } else { WrittenComponents::default() };
    let colors = (0..4).map(|number| ShaderFile::Color.at(number));
    let outputs: Vec<_> = colors.chain([ShaderFile::Depth.at(0)]).collect();
    let lacking = |(number, written): (u32, WrittenComponents)| {
        let missing =
            |output: &D3d9Register| (*output, written.get(*output).without(always.get(*output)));
        let found = outputs.iter().map(missing).find(|(_, missing)| !missing.is_empty())?;
        Some((number, found))
    };
    partial.into_iter().filter_map(lacking).collect()
}

/// Follows the paths of a routine and records the output writes that some pixels skip.
fn routine(
    code: &[(u32, &D3d9Instruction)],
    version: ShaderVersion,
    routines: &BTreeMap<u16, Routine>,
    partial: &mut Vec<(u32, WrittenComponents)>,
) -> Routine {
    let mut written = Routine::default();
    let (mut blocks, mut beyond) = (Vec::<PathBlock>::new(), 0usize);
    for (number, instruction) in code {
        let dynamic = blocks.iter().any(|block| block.dynamic);
        let Operation::Flow(flow) = instruction.opcode.operation() else {
            let own = output(instruction, version);
            let predicated = instruction.predicate.is_some();
            written.add(&own, !predicated);
            if dynamic || predicated {
                partial.push((*number, own));
            }
            continue;
        };
        let predicate = instruction.tests_predicate(version);
        if is_too_deep(flow, blocks.len(), &mut beyond) {
            continue;
        }
        match flow {
            FlowControl::If | FlowControl::IfCompare => blocks.push(PathBlock {
                is_loop: false,
                dynamic: predicate || flow == FlowControl::IfCompare,
                other: written.always.clone(),
            }),
            FlowControl::Else => {
                if let Some(block) = blocks.last_mut() {
                    std::mem::swap(&mut block.other, &mut written.always);
                }
            }
            FlowControl::Loop | FlowControl::Rep => {
                blocks.push(PathBlock { is_loop: true, dynamic: false, other: all() });
            }
            // A loop's body is assumed to run exactly once, as in rule 14.
            FlowControl::EndIf | FlowControl::EndLoop | FlowControl::EndRep => {
                if let Some(block) = blocks.pop() {
                    written.always.intersect(&block.other);
                }
            }
            FlowControl::Break | FlowControl::BreakCompare | FlowControl::BreakPredicate => {
                leave(&mut blocks, &written.always, flow != FlowControl::Break);
                if flow == FlowControl::Break {
                    written.always.fill();
                }
            }
            FlowControl::Call | FlowControl::CallNz => {
                let called = routines.get(&instruction.source(0).number()).cloned();
                let called = called.unwrap_or_default();
                written.add(&called.ever, false);
                if flow == FlowControl::Call {
                    written.add(&called.always, true);
                }
                if dynamic || predicate {
                    partial.push((*number, called.ever));
                }
            }
            FlowControl::Label | FlowControl::Ret => {}
        }
    }
    written
}

/// Returns the output that an instruction writes. A depth write counts as all four components.
fn output(instruction: &D3d9Instruction, version: ShaderVersion) -> WrittenComponents {
    let mut written = WrittenComponents::default();
    match dataflow::write(instruction, version) {
        Some((register, mask)) if register.file == ShaderFile::Color => written.add(register, mask),
        Some((register, _)) if register.file == ShaderFile::Depth => {
            written.add(register, WriteMask::ALL)
        }
        _ => {}
    }
    written
}

/// Returns whether a block is nested too deeply to be tracked. `beyond` counts the open blocks that aren't tracked.
pub(super) fn is_too_deep(flow: FlowControl, depth: usize, beyond: &mut usize) -> bool {
    if flow.opens() {
        *beyond += usize::from(depth == MAX_BLOCKS);
        return depth == MAX_BLOCKS;
    }
    let deep = *beyond > 0 && !flow.closes().is_empty();
    *beyond -= usize::from(deep && flow != FlowControl::Else);
    deep
}

impl Routine {
    fn add(&mut self, written: &WrittenComponents, always: bool) {
        self.ever.union(written);
        if always {
            self.always.union(written);
        }
    }
}

/// Handles a `break`: intersects the loop's writes. If the exit is dynamic, other pixels continue in the loop.
fn leave(blocks: &mut [PathBlock], written: &WrittenComponents, condition: bool) {
    let mut dynamic = condition;
    for block in blocks.iter_mut().rev() {
        if block.is_loop {
            block.other.intersect(written);
            block.dynamic |= dynamic;
            return;
        }
        dynamic |= block.dynamic;
    }
}
