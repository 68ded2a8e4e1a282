//! Liveness analysis of a program: the attributes that affect an output, and the registers that may be read before they
//! are written. AGAL has no loops, so one backward pass is enough.

use crate::ir::{Address, IrInstruction, IrOperation};
use crate::isa::opcode::{BlockEnd, SampleLevel, Unary};
use crate::isa::operand::WriteMask;
use crate::isa::register::{Masks, RegisterFile};
use crate::validate::ValidProgram;

/// The live registers of a program. Bit n of a set is register n.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Liveness {
    /// The attributes that affect an output, a varying that is read, or a `kil`.
    pub attributes: u16,
    /// Temporaries that the program uses.
    pub temporaries: u32,
    /// The temporaries that some path through the program reads before writing.
    pub zeroed: u32,
    /// The varyings that some path through the program doesn't write.
    pub zeroed_varyings: u32,
    /// True if the program uses `nrm`.
    pub normalizes: bool,
    /// True if the program reads constants indirectly.
    pub indexes: bool,
    /// True if a texture is read inside a conditional.
    pub hoists: bool,
    /// True if an instruction after a `kil` uses derivatives.
    pub late_kill: bool,
}

impl Liveness {
    /// Analyses a program. For a vertex program, `varyings` are the varyings that the fragment program reads; for a
    /// fragment program, `varyings` is 0.
    pub fn of(program: &ValidProgram, varyings: u16) -> Liveness {
        let mut live = Liveness::default();
        let mut wanted = LiveRegisters::default();
        for number in bits(varyings.into()) {
            wanted.varyings.add(number, WriteMask::ALL);
        }
        // For each open conditional: the registers read after it, and those read by its second branch.
        let mut open: Vec<(LiveRegisters, LiveRegisters)> = Vec::new();
        // True if an instruction after the current one uses derivatives.
        let mut derivatives = false;
        for step in program.steps().iter().rev() {
            match step.action {
                IrOperation::Block(BlockEnd::End) => open.push((wanted, wanted)),
                IrOperation::Block(BlockEnd::Else) => {
                    if let Some((after, other)) = open.last_mut() {
                        *other = std::mem::replace(&mut wanted, *after);
                    }
                }
                IrOperation::If(..) => {
                    if let Some((_, other)) = open.pop() {
                        wanted.join(&other);
                    }
                }
                IrOperation::Kill(_) => live.late_kill |= derivatives,
                IrOperation::Unary(..) | IrOperation::Binary(..) | IrOperation::Sample(..) => {}
            }
            let hoisted = is_hoisted(open.len(), step);
            live.hoists |= hoisted;
            // Hoisted texture reads precede every `kil`, so their derivatives don't count.
            derivatives |= step.action.takes_derivatives() && !hoisted;
            live.normalizes |= matches!(step.action, IrOperation::Unary(Unary::Normalize, ..));
            if let Some(dest) = step.action.dest()
                && dest.file == RegisterFile::Temporary
            {
                live.temporaries |= bit(dest.number);
            }
            let is_read = wanted.takes(step, varyings);
            step.action.for_each_read(|address, components| {
                live.indexes |= matches!(address, Address::Indirect { .. });
                let (file, number, components) = register(address, components);
                match file {
                    RegisterFile::Temporary => {
                        live.temporaries |= bit(number);
                        if is_read {
                            wanted.temporaries.add(number, components);
                        }
                    }
                    RegisterFile::Attribute if is_read => {
                        live.attributes |= 1u16.checked_shl(number.into()).unwrap_or(0)
                    }
                    _ => {}
                }
            });
        }
        // Registers that the program reads, from its first statement on, without having written them.
        live.zeroed = wanted.temporaries.registers();
        live.zeroed_varyings = wanted.varyings.registers();
        live
    }
}

/// Returns whether a texture read is moved to the start of the shader. GLSL's derivatives are undefined in
/// conditionals. The read can be moved, because the coordinates of a read with derivatives are a varying (3741).
pub(crate) fn is_hoisted(depth: usize, step: &IrInstruction) -> bool {
    depth > 0 && matches!(step.action, IrOperation::Sample(SampleLevel::Implicit, ..))
}

/// Returns the indices of the set bits, lowest first.
pub(crate) fn bits(set: u32) -> impl Iterator<Item = u16> {
    (0..32).filter(move |n| set >> n & 1 != 0)
}

/// Returns the register that a source reads directly, or its index register, with the components that are read.
fn register(address: Address, components: WriteMask) -> (RegisterFile, u16, WriteMask) {
    match address {
        Address::Direct(file, number) => (file, number, components),
        Address::Indirect { file, number, component, .. } => {
            (file, number, WriteMask::EMPTY.with(component))
        }
    }
}

fn bit(number: u16) -> u32 {
    1u32.checked_shl(number.into()).unwrap_or(0)
}

/// The registers that later statements, on some path, read before writing.
#[derive(Clone, Copy, Default)]
struct LiveRegisters {
    temporaries: Masks,
    varyings: Masks,
}

impl LiveRegisters {
    /// Returns whether a later step reads the result. Removes from the live registers the components that the step
    /// writes.
    fn takes(&mut self, step: &IrInstruction, varyings: u16) -> bool {
        let Some(dest) = step.action.dest() else { return true };
        match dest.file {
            RegisterFile::Temporary => self.temporaries.remove(dest.number, dest.mask),
            RegisterFile::Varying => {
                self.varyings.remove(dest.number, dest.mask);
                varyings.checked_shr(dest.number.into()).unwrap_or(0) & 1 != 0
            }
            _ => true,
        }
    }

    fn join(&mut self, other: &LiveRegisters) {
        self.temporaries.join(other.temporaries);
        self.varyings.join(other.varyings);
    }
}
