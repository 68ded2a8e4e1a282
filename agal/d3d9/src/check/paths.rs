//! Rule 25: the outputs that a pixel shader writes on some paths only.

use std::collections::BTreeMap;

use crate::opcode::{Flow, Kind, Opcode};
use crate::operand::WriteMask;
use crate::program::{Instruction, MAX_BLOCKS, Program};
use crate::reads;
use crate::register::{File, Register};
use crate::version::Version;

/// Components of each output: `oC0` to `oC3`, `oDepth`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Masks([u8; 5]);

impl Masks {
    const ALL: Masks = Masks([0xf; 5]);

    fn union(&mut self, other: Masks) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }
    fn intersect(&mut self, other: Masks) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
    }
    /// The outputs that an instruction writes; a depth counts whole.
    fn written(instruction: &Instruction, version: Version) -> Masks {
        let mut masks = Masks::default();
        let register = instruction.dest_register(version);
        let register = register.filter(|_| reads::writes(instruction.opcode));
        let (place, mask) = match register.map(|register| (register.file, register.number)) {
            Some((File::Color, number)) => (number.into(), reads::written(instruction)),
            Some((File::Depth, _)) => (4, WriteMask::ALL),
            _ => return masks,
        };
        if let Some(slot) = masks.0.get_mut(place) {
            *slot = mask.bits();
        }
        masks
    }
    /// The first output with components that another set lacks.
    fn beyond(self, other: Masks) -> Option<(Register, WriteMask)> {
        let lacks = self.0.iter().zip(other.0).map(|(own, other)| own & !other);
        let mut outputs = (0u16..).zip(lacks);
        let (number, mask) = outputs.find(|(_, mask)| *mask != 0)?;
        let register = match number {
            4 => Register::new(File::Depth, 0),
            number => Register::new(File::Color, number),
        };
        Some((register, WriteMask::from_bits(mask)))
    }
}

/// The writes of a routine: the main program or a subroutine.
#[derive(Clone, Copy, Debug, Default)]
struct Routine {
    /// On every path.
    always: Masks,
    /// On any path.
    ever: Masks,
}

struct Block {
    is_loop: bool,
    /// Whether pixels may differ in running the current instruction.
    dynamic: bool,
    /// Of a conditional: what the other path wrote. Of a loop: what all paths that left it wrote.
    other: Masks,
}

/// The writes that not all pixels run: for the number of the instruction, the output and its components. In model 3,
/// only those components that the shader doesn't write on every path.
pub(super) fn partial_writes(program: &Program) -> BTreeMap<u32, (Register, WriteMask)> {
    let version = program.version;
    if version.is_vertex() || version.is_ps_1() {
        return BTreeMap::new();
    }
    let all: Vec<_> = program.instructions().collect();
    let mut routines = BTreeMap::new();
    let mut partial = Vec::new();
    let mut main = Routine::default();
    let mut rest = all.as_slice();
    // Calls go forward, so what they call is known.
    while !rest.is_empty() {
        let is_label = |(_, instruction): &(u32, &Instruction)| instruction.opcode == Opcode::Label;
        let start = rest.iter().rposition(is_label).unwrap_or(0);
        let (before, own) = rest.split_at(start);
        main = routine(own, version, &routines, &mut partial);
        if let Some((_, label)) = own.first().filter(|first| is_label(first)) {
            routines.insert(label.source(0).number(), main);
            main = Routine::default();
        }
        rest = before;
    }
    let always = match version.major() {
        3 => main.always,
        _ => Masks::default(),
    };
    let lacking = |(number, masks): (u32, Masks)| Some((number, masks.beyond(always)?));
    partial.into_iter().filter_map(lacking).collect()
}

/// Follows the paths of a routine, and adds its writes that not all pixels run.
fn routine(
    code: &[(u32, &Instruction)],
    version: Version,
    routines: &BTreeMap<u16, Routine>,
    partial: &mut Vec<(u32, Masks)>,
) -> Routine {
    let mut written = Routine::default();
    let (mut blocks, mut beyond) = (Vec::<Block>::new(), 0usize);
    for (number, instruction) in code {
        let dynamic = blocks.iter().any(|block| block.dynamic);
        let Kind::Flow(flow) = instruction.opcode.kind() else {
            let masks = Masks::written(instruction, version);
            let predicated = instruction.predicate.is_some();
            written.add(masks, !predicated);
            if dynamic || predicated {
                partial.push((*number, masks));
            }
            continue;
        };
        let mut registers = instruction.registers(version);
        let predicate = registers.any(|register| register.file == File::Predicate);
        if is_too_deep(flow, blocks.len(), &mut beyond) {
            continue;
        }
        match flow {
            Flow::If | Flow::IfCompare => blocks.push(Block {
                is_loop: false,
                dynamic: predicate || flow == Flow::IfCompare,
                other: written.always,
            }),
            Flow::Else => {
                if let Some(block) = blocks.last_mut() {
                    std::mem::swap(&mut block.other, &mut written.always);
                }
            }
            Flow::Loop | Flow::Rep => {
                blocks.push(Block { is_loop: true, dynamic: false, other: Masks::ALL })
            }
            // A loop's body counts once, as for rule 14.
            Flow::EndIf | Flow::EndLoop | Flow::EndRep => {
                let other = blocks.pop().map_or(Masks::ALL, |block| block.other);
                written.always.intersect(other);
            }
            Flow::Break | Flow::BreakCompare | Flow::BreakPredicate => {
                leave(&mut blocks, written.always, flow != Flow::Break);
                if flow == Flow::Break {
                    written.always = Masks::ALL;
                }
            }
            Flow::Call | Flow::CallNz => {
                let label = instruction.source(0).number();
                let called = routines.get(&label).copied().unwrap_or_default();
                written.add(called.ever, false);
                if flow == Flow::Call {
                    written.add(called.always, true);
                }
                if dynamic || predicate {
                    partial.push((*number, called.ever));
                }
            }
            Flow::Label | Flow::Ret => {}
        }
    }
    written
}

/// Whether a block is too deep to be followed: `beyond` is the number of those that are open.
fn is_too_deep(flow: Flow, depth: usize, beyond: &mut usize) -> bool {
    let deep = *beyond > 0;
    match flow {
        Flow::If | Flow::IfCompare | Flow::Loop | Flow::Rep => {
            *beyond += usize::from(depth == MAX_BLOCKS);
            depth == MAX_BLOCKS
        }
        Flow::EndIf | Flow::EndLoop | Flow::EndRep => {
            *beyond -= usize::from(deep);
            deep
        }
        Flow::Else => deep,
        Flow::Break | Flow::BreakCompare | Flow::BreakPredicate => false,
        Flow::Call | Flow::CallNz | Flow::Label | Flow::Ret => false,
    }
}

impl Routine {
    fn add(&mut self, masks: Masks, always: bool) {
        self.ever.union(masks);
        if always {
            self.always.union(masks);
        }
    }
}

/// Leaves the innermost loop: after that, pixels may differ in whether they are still in it.
fn leave(blocks: &mut [Block], written: Masks, condition: bool) {
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
