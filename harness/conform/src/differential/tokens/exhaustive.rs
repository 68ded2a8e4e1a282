//! Every opcode with every write mask, a covering set of swizzles and every modifier of a version, several instructions
//! to a shader.

use d3d9::opcode::{Comparison, Kind, Opcode, Texture};
use d3d9::operand::{Component, Dest, Modifier, Modifiers, SHIFTS, Source, Swizzle, WriteMask};
use d3d9::register::{File, Register};
use d3d9::{Instruction, Item};
use d3d9::{Program, Version};

use super::frame::{Results, assembled, end, is_valid, item, results, start, whole};
use super::is_tested;

/// Swizzles that select every component in every position; those that every version has come first.
const SWIZZLES: [[u8; 4]; 9] = [
    [0, 1, 2, 3],
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [2, 2, 2, 2],
    [3, 3, 3, 3],
    [1, 2, 0, 3],
    [2, 0, 1, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
];

/// The part of an instruction that varies in addition to mask and swizzle.
#[derive(Clone, Copy)]
enum Variant {
    Source(Modifier),
    Result(u8),
    Shift(u8),
    Compare(Comparison),
}

/// Returns the valid shaders of a version, with one in `thin` of all instructions. Only these instructions are checked.
pub fn exhaustive(version: Version, thin: usize) -> Vec<Program> {
    let (mut programs, mut some) = (Vec::new(), Vec::new());
    let apart = if version.is_ps_1() { Results::Mixed } else { Results::Apart };
    let whole = |some: &[Item]| {
        let texture = some.iter().any(|item| match item {
            Item::Instruction(one) => matches!(one.opcode.kind(), Kind::Texture(_)),
            Item::Comment(_) | Item::Malformed(_) => false,
        });
        // Texture instructions come first in ps_1_1 to ps_1_3.
        let phase = !(texture && version.is_ps_1_1_to_1_3());
        let body = [start(version, apart, phase), some.to_vec()].concat();
        let end = end(version, apart, &body);
        assembled(version, &[&body, &end])
    };
    let room = usize::from(results(version));
    let mut turn = 0usize;
    for &opcode in Opcode::ALL.iter().filter(|opcode| is_tested(**opcode, version)) {
        // A discarded pixel shows no other result, and the destination of some instructions can't be read before it is
        // written again.
        let room = match opcode.kind() {
            Kind::Texture(_) | Kind::Mova | Kind::Setp => 1,
            _ => room,
        };
        for variant in variants(opcode, version) {
            for bits in 1..=15u8 {
                for swizzle in 0..SWIZZLES.len() {
                    turn += 1;
                    if !turn.is_multiple_of(thin.max(1)) {
                        continue;
                    }
                    let index = u16::try_from(some.len()).unwrap_or(0);
                    let made = instruction(opcode, version, variant, (bits, swizzle, index));
                    let made = item(made, version);
                    if is_valid(&whole(std::slice::from_ref(&made))) {
                        some.push(made);
                    }
                    if some.len() == room {
                        programs.push(whole(&some));
                        some.clear();
                    }
                }
            }
        }
        if !some.is_empty() {
            programs.push(whole(&some));
            some.clear();
        }
    }
    // The instructions may break a limit together.
    programs.retain(is_valid);
    programs
}

fn variants(opcode: Opcode, version: Version) -> Vec<Variant> {
    let sources = Modifier::ALL.iter().copied().filter(|modifier| {
        !matches!(modifier, Modifier::Not | Modifier::DivideZ | Modifier::DivideW)
    });
    let mut all: Vec<Variant> = sources.map(Variant::Source).collect();
    all.push(Variant::Result(Modifiers::SATURATE));
    if version.is_ps_1() {
        all.extend(SHIFTS.iter().map(|(bits, _)| Variant::Shift(*bits)));
    }
    if opcode.compares() {
        all = Comparison::ALL.iter().copied().map(Variant::Compare).collect();
    }
    all
}

fn instruction(
    opcode: Opcode,
    version: Version,
    variant: Variant,
    (bits, turn, index): (u8, usize, u16),
) -> Instruction {
    let mut instruction = Instruction::new(opcode);
    let mask = WriteMask::from_bits(bits);
    if opcode.has_dest() {
        instruction.dest = Some(dest(opcode, version, (mask, index), variant));
    }
    if let Variant::Compare(comparison) = variant {
        instruction.set_control(comparison.code());
    }
    for number in 0..opcode.sources(version) {
        let source = source(opcode, version, (number, turn, bits));
        instruction.push_source(match variant {
            Variant::Source(modifier) if number == turn % 3 || opcode.sources(version) == 1 => {
                match opcode.kind() {
                    Kind::Texture(_) => source,
                    _ => source.with_modifier(modifier),
                }
            }
            _ => source,
        });
    }
    instruction
}

fn dest(
    opcode: Opcode,
    version: Version,
    (mask, index): (WriteMask, u16),
    variant: Variant,
) -> Dest {
    let first = if version.is_ps_1() { 0 } else { 4 };
    let register = match opcode.kind() {
        Kind::Mova => Register::new(File::Address, 0),
        Kind::Setp => Register::new(File::Predicate, 0),
        Kind::Texture(_) if version.is_ps_1_1_to_1_3() => Register::new(File::Texture, 2),
        Kind::Texture(Texture::Kill) => Register::new(File::Temp, 0),
        _ => Register::new(File::Temp, first + index),
    };
    let dest = Dest::new(register, mask);
    match variant {
        Variant::Result(bits) => dest.with_modifiers(bits),
        Variant::Shift(bits) => dest.with_shift(bits),
        Variant::Source(_) | Variant::Compare(_) => dest,
    }
}

fn source(opcode: Opcode, version: Version, (number, turn, bits): (usize, usize, u8)) -> Source {
    let varying = match (version.is_vertex(), version.major()) {
        (true, _) | (_, 3) => File::Input,
        _ => File::Texture,
    };
    // Kinds of registers alternate at another rate than swizzles.
    let kinds = [File::Temp, varying, File::Const];
    let kind = kinds.get((turn + number + usize::from(bits)) % kinds.len());
    let file = kind.copied().unwrap_or(File::Temp);
    let register = match (file, version.is_ps_1()) {
        (File::Temp, true) => Register::new(File::Temp, 1),
        (File::Texture, true) => Register::new(File::Texture, u16::from(number == 1)),
        (file, _) => Register::new(file, u16::try_from(number).unwrap_or(0)),
    };
    let lanes = SWIZZLES.get((turn + number * 4) % SWIZZLES.len());
    let lanes = lanes.copied().unwrap_or([0, 1, 2, 3]).map(Component::from_bits);
    let swizzle = Swizzle::new(lanes);
    let scalar = || Swizzle::new([swizzle.get(Component::Y); 4]);
    match (opcode.kind(), number) {
        (Kind::Texture(Texture::Load | Texture::LoadLevel | Texture::LoadGradient), 1) => {
            whole(File::Sampler, u16::from(bits & 1))
        }
        (Kind::Texture(_), _) if version.major() == 1 => whole(File::Texture, 0),
        (Kind::Cross, _) => Source::new(register, Swizzle::IDENTITY),
        // `sgn` overwrites its second and third source, which are scratch registers.
        (Kind::Sgn, 1 | 2) => whole(File::Temp, u16::from(number == 2) + 2),
        (Kind::SinCos, 1 | 2) => whole(File::Const, if number == 1 { 14 } else { 15 }),
        (Kind::Matrix { .. }, 1) => {
            let file = if turn.is_multiple_of(2) { File::Const } else { File::Temp };
            whole(file, 0)
        }
        (Kind::Scalar(_) | Kind::SinCos | Kind::ExpPartial, _) => Source::new(register, scalar()),
        _ => Source::new(register, swizzle),
    }
}
