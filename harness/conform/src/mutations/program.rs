//! Applies deliberate errors (mutations) to AGAL programs.

use std::sync::Arc;

use context3d::agal::opcode::AgalOpcode;
use context3d::agal::operand::{Component, Dest, SecondOperand, SourceOperand, Swizzle, WriteMask};
use context3d::agal::register::RegisterFile;
use context3d::agal::{AgalInstruction, LinkedPair, Program, Rules, Stage, link, validate};

use super::PacketMutation;

/// Returns the mutated pair of programs, or `None` if the mutation doesn't apply to it.
pub(super) fn mutate(pair: &LinkedPair, change: &PacketMutation) -> Option<Arc<LinkedPair>> {
    let mut vertex = pair.vertex().program().clone();
    let mut fragment = pair.fragment().program().clone();
    let tokens = vertex.instructions_mut().iter_mut().chain(fragment.instructions_mut());
    match change {
        PacketMutation::Token(change) => tokens.for_each(change),
        PacketMutation::SamplerOperand(change) => {
            tokens.filter_map(AgalInstruction::sampler_mut).for_each(change);
        }
        PacketMutation::Position(change) => change(&mut vertex),
        _ => return None,
    }
    let vertex = validate(vertex, Stage::Vertex, &Rules::NEWEST).ok()?;
    let fragment = validate(fragment, Stage::Fragment, &Rules::NEWEST).ok()?;
    Some(Arc::new(link(vertex, fragment).ok()?))
}

pub(super) fn replace(token: &mut AgalInstruction, from: AgalOpcode, to: AgalOpcode) {
    if token.opcode() == Some(from) {
        token.set_code(to.code());
    }
}

/// Replaces an instruction of this opcode with a `mov` of its first source.
pub(super) fn to_move(token: &mut AgalInstruction, from: AgalOpcode) {
    if token.opcode() == Some(from) {
        let none = SecondOperand::Source(SourceOperand::default());
        *token = AgalInstruction::new(AgalOpcode::Mov.code(), token.dest, token.source1, none);
    }
}

/// Rotates the write mask of a temporary register by one component: x becomes y, and w becomes x.
pub(super) fn shift_mask(token: &mut AgalInstruction) {
    let bits = token.dest.mask.bits();
    if token.dest.register_file() == Some(RegisterFile::Temporary) {
        token.dest.mask = WriteMask::from_bits(bits << 1 | bits >> 3);
    }
}

pub(super) fn reverse_swizzle(token: &mut AgalInstruction) {
    let [x, y, z, w] = token.source1.swizzle.lanes();
    token.source1.swizzle = Swizzle::new([w, z, y, x]);
}

fn temporary(number: u16, mask: &str) -> Dest {
    let components = mask.chars().filter_map(Component::from_letter);
    Dest {
        number,
        mask: components.fold(WriteMask::EMPTY, WriteMask::with),
        file: RegisterFile::Temporary.code(),
        reserved: 0,
    }
}

fn source(number: u16, swizzle: Swizzle) -> SourceOperand {
    SourceOperand {
        number,
        swizzle,
        file: RegisterFile::Temporary.code(),
        ..SourceOperand::default()
    }
}

/// Writes the position to a temporary register, applies `tokens` to it, and copies it to the output. A token is an
/// opcode, a mask, and the component of the second source that all lanes read (`None`: their own).
pub(super) fn change_position(
    program: &mut Program,
    tokens: &[(AgalOpcode, &str, Option<Component>)],
) {
    let free = free_temporary(program);
    for token in program.instructions_mut() {
        if token.dest.register_file() == Some(RegisterFile::Output) {
            token.dest.file = RegisterFile::Temporary.code();
            token.dest.number = free;
        }
    }
    let whole = source(free, Swizzle::IDENTITY);
    for (opcode, mask, component) in tokens {
        let swizzle = component.map_or(Swizzle::IDENTITY, |component| Swizzle::new([component; 4]));
        let second = match opcode.signature().sources() {
            1 => SourceOperand::default(),
            _ => source(free, swizzle),
        };
        push(program, *opcode, temporary(free, mask), whole, second);
    }
    let output = Dest { file: RegisterFile::Output.code(), ..temporary(0, "xyzw") };
    push(program, AgalOpcode::Mov, output, whole, SourceOperand::default());
}

fn push(
    program: &mut Program,
    opcode: AgalOpcode,
    dest: Dest,
    first: SourceOperand,
    second: SourceOperand,
) {
    let second = SecondOperand::Source(second);
    program.instructions_mut().push(AgalInstruction::new(opcode.code(), dest, first, second));
}

/// Returns the first temporary register that a program doesn't use.
fn free_temporary(program: &Program) -> u16 {
    let temporaries = program.instructions().iter().flat_map(|token| {
        let second = match token.source2() {
            SecondOperand::Source(source) => Some((source.file, source.number)),
            SecondOperand::Sampler(_) => None,
        };
        let AgalInstruction { source1, dest, .. } = token;
        [(source1.file, source1.number), (dest.file, dest.number)].into_iter().chain(second)
    });
    let used = temporaries.filter(|(file, _)| *file == RegisterFile::Temporary.code());
    used.map(|(_, number)| number + 1).max().unwrap_or(0)
}

pub(super) fn truncate_indices(program: &mut Program) {
    let free = free_temporary(program);
    let code = std::mem::take(program.instructions_mut());
    for mut token in code {
        let index = token.source1;
        if index.indirect && index.index_register_file() == Some(RegisterFile::Attribute) {
            let component = Swizzle::new([Component::from_bits(index.index_component); 4]);
            let whole = SourceOperand {
                swizzle: component,
                file: index.index_file,
                ..source(index.number, component)
            };
            let fraction = source(free, Swizzle::new([Component::X; 4]));
            push(program, AgalOpcode::Frc, temporary(free, "x"), whole, SourceOperand::default());
            push(program, AgalOpcode::Sub, temporary(free, "x"), whole, fraction);
            token.source1.number = free;
            token.source1.index_file = fraction.file;
            token.source1.index_component = 0;
        }
        program.instructions_mut().push(token);
    }
}
