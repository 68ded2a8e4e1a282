//! Dependent texture reads: tracks the order of each temporary's contents (d3d9-shaders.md section 3.5).

use crate::opcode::{Kind, Texture};
use crate::operand::WriteMask;
use crate::program::Instruction;
use crate::reads;
use crate::register::{File, Register};
use crate::version::Version;

/// The highest order of a dependent read in ps_2_0, which allows four levels.
pub const MAX_ORDER: u32 = 3;

/// Orders so far, updated instruction by instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orders {
    /// The order of each temporary's contents, and whether it has been written.
    temporaries: [(u32, bool); 32],
    /// The highest order of a texture instruction.
    pub(crate) highest: u32,
}

fn temporary(register: Option<Register>) -> Option<usize> {
    let register = register.filter(|register| register.file == File::Temp)?;
    Some(register.number.into())
}

impl Orders {
    fn get(&self, number: usize) -> (u32, bool) {
        self.temporaries.get(number).copied().unwrap_or_default()
    }

    /// The order of a texture instruction with this coordinate and destination register.
    pub(crate) fn of_read(&self, coordinate: Option<Register>, dest: Option<Register>) -> u32 {
        let from = temporary(coordinate).map(|number| self.get(number).0);
        let (old, written) = temporary(dest).map_or((0, false), |number| self.get(number));
        match from {
            None if !written => 0,
            from => from.unwrap_or(0).max(old).saturating_add(1),
        }
    }

    /// Updates the orders with an instruction; returns its order if it is a texture read.
    pub(crate) fn add(&mut self, instruction: &Instruction, version: Version) -> Option<u32> {
        let dest = instruction.dest?;
        let target = dest.register(version);
        let read = matches!(
            instruction.opcode.kind(),
            Kind::Texture(Texture::Load | Texture::LoadLevel | Texture::LoadGradient)
        );
        let order = if read {
            let coordinate = instruction.source(0).register(version);
            let order = self.of_read(coordinate, target);
            self.highest = self.highest.max(order);
            order
        } else {
            let sources = instruction.sources().iter();
            let temps = sources.filter_map(|source| temporary(source.register(version)));
            let highest = temps.map(|number| self.get(number).0).max().unwrap_or(0);
            let partly = dest.mask() != WriteMask::ALL;
            let kept = temporary(target).filter(|_| partly);
            highest.max(kept.map_or(0, |number| self.get(number).0))
        };
        if let Some(number) = temporary(target).filter(|_| reads::writes(instruction.opcode))
            && let Some(place) = self.temporaries.get_mut(number)
        {
            *place = (order, true);
        }
        read.then_some(order)
    }
}
