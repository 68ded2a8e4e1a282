//! Counts dependent texture reads: computes the order of each temporary ([d3d9.order.levels] [d3d9.order.arithmetic]).

use crate::dataflow;
use crate::opcode::Operation;
use crate::operand::WriteMask;
use crate::program::D3d9Instruction;
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

/// The highest order of a dependent texture read in ps_2_0, which allows four levels.
pub const MAX_ORDER: u32 = 3;

/// The texture read orders of all temporaries, updated after each instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextureOrder {
    /// For each temporary: its texture read order, and whether it has been written.
    temporaries: [(u32, bool); 32],
    pub(crate) highest: u32,
}

impl TextureOrder {
    /// Returns a temporary's texture read order and whether the temporary has been written; `(0, false)` for other
    /// registers.
    fn get(&self, register: Option<D3d9Register>) -> (u32, bool) {
        let number =
            register.filter(|register| register.file == ShaderFile::Temp).map(|r| r.number);
        let known = number.and_then(|number| self.temporaries.get(usize::from(number)));
        known.copied().unwrap_or_default()
    }

    /// Returns the order of a texture read with the given coordinate and destination registers.
    pub(crate) fn of_read(
        &self,
        coordinate: Option<D3d9Register>,
        dest: Option<D3d9Register>,
    ) -> u32 {
        let from_temporary = coordinate.is_some_and(|register| register.file == ShaderFile::Temp);
        let (old, written) = self.get(dest);
        if !from_temporary && !written {
            return 0;
        }
        self.get(coordinate).0.max(old).saturating_add(1)
    }

    /// Updates the registers' dependent-read orders after an instruction. Returns the order of a texture read.
    pub(crate) fn add(
        &mut self,
        instruction: &D3d9Instruction,
        version: ShaderVersion,
    ) -> Option<u32> {
        let dest = instruction.dest?;
        let target = dest.register(version);
        let read = matches!(instruction.opcode.operation(), Operation::Texture(texture) if texture.has_sampler());
        let order = if read {
            let order = self.of_read(instruction.source(0).register(version), target);
            self.highest = self.highest.max(order);
            order
        } else {
            let kept = target.filter(|_| dest.mask() != WriteMask::ALL);
            let registers = instruction.registers(version).chain(kept);
            registers.map(|register| self.get(Some(register)).0).max().unwrap_or(0)
        };
        if let Some((D3d9Register { file: ShaderFile::Temp, number }, _)) =
            dataflow::write(instruction, version)
            && let Some(known) = self.temporaries.get_mut(usize::from(number))
        {
            *known = (order, true);
        }
        read.then_some(order)
    }
}
