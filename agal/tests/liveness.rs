//! Tests that GLSL sets enough registers to zero. On every path through a program, the outputs must be those of the
//! program started from zeros, even if all registers that GLSL does not set to zero contain garbage.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use agal::glsl::{Dialect, GlslOptions, emit};
use agal::limits::MAX_NESTING;
use agal::opcode::{AgalOpcode, OpcodeSignature};
use agal::operand::{Component, SecondOperand, WriteMask};
use agal::register::RegisterFile;
use agal::{Program, Rules, Stage, asm, link, validate};
use proptest::collection::vec;
use proptest::prelude::*;

/// The number of registers that a generated program uses in each register file.
const REGISTERS: usize = 3;
/// The number of conditionals for which both outcomes are tried; conditional n has the outcome of conditional n mod
/// `FORKS`.
const FORKS: usize = 6;

/// Returns the text of a valid vertex program for any numbers.
fn text(choices: &[(u8, u8, u8, u8)]) -> String {
    let mut text = String::new();
    // The components of temporaries that every path to the current line writes.
    let mut written = [0u8; REGISTERS];
    // For each open conditional: whether it has an `els`, and whether its branch has an instruction; then the
    // components written before it, and by its first branch.
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
                // Later rows of a matrix may be read without having been written.
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
                    let _ = writeln!(text, "mov v{dest}, {source}");
                }
            }
        }
    }
    for (has_else, filled) in open.into_iter().rev() {
        // An inner conditional counts as an instruction of the outer conditional's branch.
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

/// Returns the components that are written after a conditional: those that both branches wrote.
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

/// Returns the outputs of a program on a path; bit n is the outcome of conditional n. A value is a hash of all
/// operations and operands that computed the value. Registers that aren't set to zero start with garbage.
fn run(program: &Program, is_zeroed: impl Fn(RegisterFile, u16) -> bool, path: usize) -> Registers {
    const GARBAGE: u64 = 0xbad;
    let start = |file, number| if is_zeroed(file, number) { 0 } else { GARBAGE };
    let mut registers = Registers::new();
    let (mut forks, mut open): (usize, Vec<bool>) = (0, Vec::new());
    for (token, instruction) in program.instructions().iter().enumerate() {
        let opcode = instruction.opcode().unwrap();
        match opcode {
            AgalOpcode::Ifl => {
                open.push(path >> (forks % FORKS) & 1 != 0);
                forks += 1;
            }
            AgalOpcode::Els => {
                let chosen = open.pop().unwrap();
                open.push(!chosen);
            }
            AgalOpcode::Eif => drop(open.pop()),
            _ => {}
        }
        if open.contains(&false) || !opcode.signature().has_dest() {
            continue;
        }
        let mut history = vec![token as u64];
        let mut read = |file: RegisterFile, number: u16, components: WriteMask| {
            let values = components.iter().map(|c| registers.get(&(file, number, c)).copied());
            history.extend(values.map(|value| value.unwrap_or(start(file, number))));
        };
        let (dest, one) = (&instruction.dest, &instruction.source1);
        if let OpcodeSignature::Binary(matrix) = opcode.signature()
            && let SecondOperand::Source(two) = instruction.source2()
        {
            let file = two.register_file().unwrap();
            (two.number..)
                .take(matrix.rows().into())
                .for_each(|row| read(file, row, WriteMask::first(3)));
        } else {
            read(one.register_file().unwrap(), one.number, one.swizzle.selected(dest.mask));
        }
        let file = dest.register_file().unwrap();
        for component in dest.mask.iter() {
            registers.insert((file, dest.number, component), hash((&history, component)));
        }
    }
    for varying in (0u16..).take(REGISTERS) {
        for component in Component::ALL {
            let unwritten = start(RegisterFile::Varying, varying);
            registers.entry((RegisterFile::Varying, varying, component)).or_insert(unwritten);
        }
    }
    registers.retain(|(file, ..), _| *file != RegisterFile::Temporary);
    registers
}

/// Returns a fragment program that reads these varyings.
fn fragment(varyings: &[u16]) -> String {
    let reads = varyings.iter().map(|n| format!("mov ft0, v{n}\n"));
    format!("{}mov oc, fc0", reads.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn outputs_stay_the_same(choices in vec(any::<(u8, u8, u8, u8)>(), 0..40), varyings in 0u16..8) {
        let text = text(&choices);
        let read: Vec<u16> =
            (0..3).filter(|n| varyings >> n & 1 != 0 && text.contains(&format!("mov v{n}"))).collect();
        let valid = |text: &str, stage| {
            let program = asm::assemble(text, stage, 2).unwrap();
            let program = validate(program, stage, &Rules::NEWEST);
            program.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))
        };
        let pair = link(valid(&text, Stage::Vertex)?, valid(&fragment(&read), Stage::Fragment)?).unwrap();
        let glsl = emit(&pair, &GlslOptions::new(Dialect::Glsl330)).unwrap().vertex;
        let zeroed = |text: &str| -> Vec<bool> {
            (0..REGISTERS + 2).map(|n| glsl.contains(&text.replace('#', &n.to_string()))).collect()
        };
        let (temporaries, varyings) = (zeroed("    vec4 vt# = vec4(0.0);\n"), zeroed("\n    v# = vec4(0.0);\n"));
        let is_zeroed = |file, number: u16| match file {
            RegisterFile::Temporary => temporaries[usize::from(number)],
            RegisterFile::Varying => varyings[usize::from(number)],
            _ => true,
        };
        for path in 0..1 << FORKS {
            let program = pair.vertex().program();
            let [mut whole, mut emitted] = [run(program, |_, _| true, path), run(program, is_zeroed, path)];
            for outputs in [&mut whole, &mut emitted] {
                outputs.retain(|(file, number, _), _| *file == RegisterFile::Output || read.contains(number));
            }
            prop_assert_eq!(whole, emitted, "path {:b}\n{}\n{}", path, text, glsl);
        }
    }
}
