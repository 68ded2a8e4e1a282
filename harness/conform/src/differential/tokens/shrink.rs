//! Minimizes a failing shader.

use d3d9::Program;
use d3d9::operand::{Modifier, Swizzle};
use d3d9::{Instruction, Item, Version};

use super::frame::{self, is_valid};

const ATTEMPTS: usize = 600;

/// The smallest failing valid shader that was found.
pub(super) fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut attempts = 0usize;
    loop {
        let before = best.clone();
        let mut length = best.items.len() / 2;
        while length > 0 {
            let mut at = 0;
            while at < best.items.len() {
                let mut smaller = best.clone();
                let end = (at + length).min(smaller.items.len());
                smaller.items.drain(at..end);
                if !take(&mut best, smaller, &mut attempts, &mut fails) {
                    at += 1;
                }
            }
            length /= 2;
        }
        blocks(&mut best, &mut attempts, &mut fails);
        for index in 0..best.items.len() {
            for simpler in simpler(best.items.get(index), best.version) {
                let mut smaller = best.clone();
                if let Some(item) = smaller.items.get_mut(index) {
                    *item = simpler;
                }
                take(&mut best, smaller, &mut attempts, &mut fails);
            }
        }
        if best == before || attempts >= ATTEMPTS {
            return best;
        }
    }
}

fn take(
    best: &mut Program,
    smaller: Program,
    attempts: &mut usize,
    fails: &mut impl FnMut(&Program) -> bool,
) -> bool {
    if *attempts >= ATTEMPTS || smaller == *best || !is_valid(&smaller) {
        return false;
    }
    *attempts += 1;
    let fails = fails(&smaller);
    if fails {
        *best = smaller;
    }
    fails
}

/// Removes the two instructions that open and close a block.
fn blocks(best: &mut Program, attempts: &mut usize, fails: &mut impl FnMut(&Program) -> bool) {
    let is_flow = |item: &Item| match item {
        Item::Instruction(one) => matches!(one.opcode.kind(), d3d9::opcode::Kind::Flow(_)),
        Item::Comment(_) | Item::Malformed(_) => false,
    };
    let mut first = 0;
    while first < best.items.len() {
        let smaller = (first + 1..best.items.len()).find_map(|second| {
            let both = [first, second].map(|index| best.items.get(index).is_some_and(is_flow));
            let mut smaller = (both == [true, true]).then(|| best.clone())?;
            smaller.items.remove(second);
            smaller.items.remove(first);
            is_valid(&smaller).then_some(smaller)
        });
        let is_removed = smaller.is_some_and(|smaller| take(best, smaller, attempts, fails));
        if !is_removed {
            first += 1;
        }
    }
}

/// Simpler forms of the instruction: without predicate, without modifiers, with identity swizzles.
fn simpler(item: Option<&Item>, version: Version) -> Vec<Item> {
    let Some(Item::Instruction(instruction)) = item else {
        return Vec::new();
    };
    let with = |keep_predicate: bool, keep_result: bool, plain: Option<usize>, whole: bool| {
        let mut made = Instruction::new(instruction.opcode);
        made.token = instruction.token;
        made.dest = instruction.dest.map(|dest| {
            if keep_result {
                dest
            } else {
                d3d9::operand::Dest { word: dest.word & !0x0ff0_0000, ..dest }
            }
        });
        if keep_predicate {
            made.predicate = instruction.predicate;
        } else {
            made.token &= !(1 << 28);
        }
        for (index, source) in instruction.sources().iter().enumerate() {
            let mut source = *source;
            if plain == Some(index) {
                source = source.with_modifier(Modifier::None);
                if whole {
                    let bits = u32::from(Swizzle::IDENTITY.bits());
                    source.word = source.word & !0x00ff_0000 | bits << 16;
                }
            }
            made.push_source(source);
        }
        for literal in instruction.literals() {
            made.push_literal(*literal);
        }
        made
    };
    let mut all = vec![with(false, true, None, false), with(true, false, None, false)];
    for index in 0..instruction.sources().len() {
        all.push(with(true, true, Some(index), false));
        all.push(with(true, true, Some(index), true));
    }
    all.into_iter().map(|made| frame::item(made, version)).collect()
}
