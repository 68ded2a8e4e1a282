//! Counts instruction slots like Microsoft's compiler, which prints the count at the end of its listings. The slot
//! count of Direct3D's validator at run time is unknown ([d3d9.slots.model] [d3d9.slots.listing]), but this validator
//! must accept the compiler's output.

use std::fmt;

use crate::opcode::{D3d9Opcode, Operation, TextureOp};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::version::{ShaderVersion, Stage};

/// The instruction slots of a shader, separately for texture instructions and other instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// The instruction slots of texture instructions.
    pub texture: u32,
    /// The instruction slots of instructions that aren't texture instructions.
    pub arithmetic: u32,
}

impl Slots {
    /// Returns the total number of instruction slots.
    pub fn total(self) -> u32 {
        self.texture.saturating_add(self.arithmetic)
    }
    /// Adds two slot counts.
    #[must_use]
    pub fn plus(self, other: Slots) -> Slots {
        Slots {
            texture: self.texture.saturating_add(other.texture),
            arithmetic: self.arithmetic.saturating_add(other.arithmetic),
        }
    }
}

impl fmt::Display for Slots {
    /// Prints `4 instruction slots used (2 texture, 2 arithmetic)`, as in the last line of a listing.
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

pub(crate) fn instruction_slots(instruction: &D3d9Instruction, version: ShaderVersion) -> Slots {
    // Both instructions of a co-issued pair share a slot ([d3d9.instruction.co_issue]).
    if instruction.is_co_issued() && version.is_ps_1() {
        return Slots::default();
    }
    let row = row(instruction.opcode, version);
    let (texture, arithmetic) = match instruction.opcode.operation() {
        // The compiler counts `texldd` as one texture slot and two arithmetic slots.
        Operation::Texture(TextureOp::LoadGradient) => (1, 2),
        Operation::Texture(TextureOp::Bem { luminance: true }) => (1, 1),
        Operation::Texture(_) if !version.is_vertex() => (row, 0),
        _ => (0, row),
    };
    let predicate = u32::from(instruction.predicate.is_some());
    Slots { texture, arithmetic: arithmetic + predicate }
}

/// Returns the slots by the documentation; differs for `lrp`, which the compiler counts as one slot.
fn row(opcode: D3d9Opcode, version: ShaderVersion) -> u32 {
    // `dp4` and `cmp` take two slots only in ps_1_2 and ps_1_3.
    let single =
        matches!(opcode, D3d9Opcode::Dp4 | D3d9Opcode::Cmp) && version == ShaderVersion::Ps14;
    if single || opcode == D3d9Opcode::Lrp {
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

impl D3d9Program {
    /// Returns the total instruction slots of the shader.
    pub fn slots(&self) -> Slots {
        let slots = self.instructions().map(|(_, one)| instruction_slots(one, self.version));
        slots.fold(Slots::default(), Slots::plus)
    }
}
