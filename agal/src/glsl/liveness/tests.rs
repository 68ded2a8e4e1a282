//! Liveness changes no result: on every path through a program, with dead statements removed and all registers that are
//! not zeroed filled with garbage, the outputs are those of the whole program started from zeros.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Liveness, bit};
use crate::ir::{Action, Address};
use crate::isa::opcode::Block;
use crate::isa::operand::{Component, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::version::{MAX_NESTING, Rules, Stage};
use crate::validate::{ValidProgram, validate};

/// Registers of each file in a generated program.
const REGISTERS: usize = 3;
/// Number of conditionals whose both outcomes are tried; later ones repeat them.
const FORKS: usize = 6;

/// Text of a valid vertex program, from any numbers.
fn text(choices: &[(u8, u8, u8, u8)]) -> String {
    let mut text = String::new();
    // Components of the temporaries that are written on every path to here.
    let mut written = [0u8; REGISTERS];
    // For each open conditional: whether it has an `els`, and whether its branch has an instruction; what was written
    // before it, and by its first branch.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut states: Vec<([u8; REGISTERS], [u8; REGISTERS])> = Vec::new();
    for &(kind, dest, mask, source) in choices {
        let (dest, mask) = (usize::from(dest) % REGISTERS, 1 + mask % 15);
        match (kind % 8, open.last().copied()) {
            (0, _) if open.len() < MAX_NESTING => {
                open.iter_mut().for_each(|(_, filled)| *filled = true);
                text += "ifl va0.x, vc0.y\n";
                open.push((false, false));
                states.push((written, written));
            }
            (1, Some((false, true))) => {
                text += "els\n";
                open.pop();
                open.push((true, false));
                if let Some((before, first)) = states.last_mut() {
                    *first = std::mem::replace(&mut written, *before);
                }
            }
            (2, Some((has_else, true))) => {
                text += "eif\n";
                open.pop();
                written = after(states.pop(), has_else, written);
            }
            (kind, _) => {
                open.iter_mut().for_each(|(_, filled)| *filled = true);
                let letters: String =
                    WriteMask::from_bits(mask).iter().map(Component::letter).collect();
                let from = usize::from(source) % REGISTERS;
                let component = Component::from_bits(source >> 4);
                // Rows of a matrix are read whether they were written or not.
                if source >> 6 == 3 && written[from] == 0xf {
                    let _ = writeln!(text, "m33 vt{from}.xyz, va0, vt{from}");
                    continue;
                }
                let source = if written[from] & (1 << component.bits()) != 0 {
                    format!("vt{from}.{}", component.letter())
                } else {
                    format!("va{from}")
                };
                if kind < 6 {
                    let _ = writeln!(text, "mov vt{dest}.{letters}, {source}");
                    written[dest] |= mask;
                } else {
                    let _ = writeln!(text, "mov v{dest}.{letters}, {source}");
                }
            }
        }
    }
    for (has_else, filled) in open.into_iter().rev() {
        // The inner conditional is an instruction of the outer one's branch.
        text += if filled { "eif\n" } else { "mov vt0.x, va0\neif\n" };
        written = after(states.pop(), has_else, written);
    }
    let used: Vec<usize> = (0..REGISTERS).filter(|n| written[*n] != 0).collect();
    text += "mov op, va0\n";
    for register in used {
        let letters = WriteMask::from_bits(written[register]);
        for letter in letters.iter().map(Component::letter) {
            let _ = writeln!(text, "mov op.{letter}, vt{register}.{letter}");
        }
    }
    text
}

/// The components that are written after a conditional: those of both branches.
fn after(
    state: Option<([u8; REGISTERS], [u8; REGISTERS])>,
    has_else: bool,
    mut written: [u8; REGISTERS],
) -> [u8; REGISTERS] {
    let (before, first) = state.unwrap_or_default();
    let other = if has_else { first } else { before };
    for (one, two) in written.iter_mut().zip(other) {
        *one &= two;
    }
    written
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

type Registers = HashMap<(RegisterFile, u16, Component), u64>;

/// The outputs of a program on a path; bit n is the outcome of the n-th conditional. A value is the history of its
/// computation. With `live`, dead statements are left out.
fn run(program: &ValidProgram, live: Option<&Liveness>, path: usize) -> Registers {
    const GARBAGE: u64 = 0xbad;
    let zero = |file, number| match (live, file) {
        (Some(live), RegisterFile::Temporary) => live.zeroed & bit(number) != 0,
        (Some(live), RegisterFile::Varying) => live.zeroed_varyings & bit(number) != 0,
        _ => true,
    };
    let start = |file, number| if zero(file, number) { 0 } else { GARBAGE };
    let mut registers = Registers::new();
    let (mut forks, mut open): (usize, Vec<bool>) = (0, Vec::new());
    for (index, step) in program.steps().iter().enumerate() {
        match step.action {
            Action::If(..) => {
                open.push(path >> (forks % FORKS) & 1 != 0);
                forks += 1;
            }
            Action::Block(Block::Else) => {
                let taken = open.pop().unwrap();
                open.push(!taken);
            }
            Action::Block(Block::End) => drop(open.pop()),
            _ => {}
        }
        let skipped = open.contains(&false) || live.is_some_and(|live| !live.is_live(index));
        let Some(dest) = step.action.dest().filter(|_| !skipped) else {
            continue;
        };
        let mut history = vec![u64::from(step.token)];
        step.action.for_each_read(|address, components| {
            if let Address::Direct(file, number) = address {
                let read = |c| registers.get(&(file, number, c)).copied();
                let values = components.iter().map(read);
                history.extend(values.map(|value| value.unwrap_or(start(file, number))));
            }
        });
        for component in dest.mask.iter() {
            let place = (dest.file, dest.number, component);
            registers.insert(place, hash((&history, component)));
        }
    }
    for varying in (0u16..).take(REGISTERS) {
        for component in Component::ALL {
            let place = (RegisterFile::Varying, varying, component);
            let unwritten = start(RegisterFile::Varying, varying);
            registers.entry(place).or_insert(unwritten);
        }
    }
    registers.retain(|(file, ..), _| *file != RegisterFile::Temporary);
    registers
}

fn is_kept(varyings: u16, (file, number, _): &(RegisterFile, u16, Component)) -> bool {
    *file == RegisterFile::Output || u32::from(varyings) & bit(*number) != 0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outputs_stay_the_same(choices in vec(any::<(u8, u8, u8, u8)>(), 0..40), varyings in 0u16..8) {
        let text = text(&choices);
        let program = crate::asm::assemble(&text, Stage::Vertex, 2).unwrap();
        let program = validate(program, Stage::Vertex, &Rules::NEWEST);
        let program = program.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let live = Liveness::of(&program, varyings);
        for path in 0..1 << FORKS {
            let [whole, planned] = [None, Some(&live)].map(|live| {
                let mut outputs = run(&program, live, path);
                outputs.retain(|place, _| is_kept(varyings, place));
                outputs
            });
            prop_assert_eq!(whole, planned, "path {:b}\n{}", path, text);
        }
    }
}
