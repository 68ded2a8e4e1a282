//! Instruction slots of a shader, as Microsoft's compiler counts them in the last line of its listings. The count of
//! the runtime's validator isn't known ([d3d9.slots.model] [d3d9.slots.listing]); it must have accepted the compiler's
//! output.

use std::fmt;

use crate::opcode::{Opcode, Operation, Texture};
use crate::program::{Instruction, Program};
use crate::version::{Stage, Version};

/// Slots of texture instructions, and of all other instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// The slots of texture instructions.
    pub texture: u32,
    /// The slots of all other instructions.
    pub arithmetic: u32,
}

impl Slots {
    /// Returns the slots of all instructions.
    pub fn total(self) -> u32 {
        self.texture.saturating_add(self.arithmetic)
    }
    /// Adds slots.
    #[must_use]
    pub fn plus(self, other: Slots) -> Slots {
        Slots {
            texture: self.texture.saturating_add(other.texture),
            arithmetic: self.arithmetic.saturating_add(other.arithmetic),
        }
    }
}

impl fmt::Display for Slots {
    /// Writes `4 instruction slots used (2 texture, 2 arithmetic)`, as in the last line of a listing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Slots { texture, arithmetic } = *self;
        let total = self.total();
        let plural = if total == 1 { "" } else { "s" };
        write!(f, "{total} instruction slot{plural} used")?;
        if texture > 0 {
            write!(f, " ({texture} texture, {arithmetic} arithmetic)")?;
        }
        Ok(())
    }
}

pub(crate) fn instruction_slots(instruction: &Instruction, version: Version) -> Slots {
    // The second instruction of a pair shares the first one's slot ([d3d9.instruction.co_issue]).
    if instruction.is_co_issued() && version.is_ps_1() {
        return Slots::default();
    }
    let row = row(instruction.opcode, version);
    let (texture, arithmetic) = match instruction.opcode.operation() {
        // The compiler counts one texture slot and two arithmetic slots.
        Operation::Texture(Texture::LoadGradient) => (1, 2),
        Operation::Texture(Texture::Bem { luminance: true }) => (1, 1),
        Operation::Texture(_) if !version.is_vertex() => (row, 0),
        _ => (0, row),
    };
    let predicate = u32::from(instruction.predicate.is_some());
    Slots { texture, arithmetic: arithmetic + predicate }
}

/// Returns the documentation's count for a version; the compiler counts one for `lrp`.
fn row(opcode: Opcode, version: Version) -> u32 {
    // `dp4` and `cmp` have two slots only in ps_1_2 and ps_1_3.
    let single = matches!(opcode, Opcode::Dp4 | Opcode::Cmp) && version == Version::Ps14;
    if single || opcode == Opcode::Lrp {
        return 1;
    }
    let [vs_1_1, vs, ps_1, ps] = opcode.slots();
    u32::from(match (version.stage(), version.major()) {
        (Stage::Vertex, 1) => vs_1_1,
        (Stage::Vertex, _) => vs,
        (Stage::Fragment, 1) => ps_1,
        (Stage::Fragment, _) => ps,
    })
}

impl Program {
    /// Returns the instruction slots of the shader.
    pub fn slots(&self) -> Slots {
        let slots = self.instructions().map(|(_, one)| instruction_slots(one, self.version));
        slots.fold(Slots::default(), Slots::plus)
    }
}
