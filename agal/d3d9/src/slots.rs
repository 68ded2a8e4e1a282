//! Instruction slots of a shader (d3d9-shaders.md sections 3.2 and 3.3).

use std::fmt;

use crate::opcode::{Kind, Load, Opcode, Texture};
use crate::operand::Dimension;
use crate::program::{Instruction, Program};
use crate::register::File;
use crate::version::{Stage, Version};

/// How instruction slots are counted. It isn't known which model the runtime's validator used (d3d9-shaders.md section
/// 3.2). [`SlotModel::DEFAULT`] is the compiler's: the runtime must have accepted its output up to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotModel {
    /// As Microsoft's compiler counts, in the last line of its listings.
    Listing,
    /// As the documentation's instruction tables count.
    Table {
        /// ps_2_x: the device has `D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT`.
        no_texture_limit: bool,
    },
}

impl SlotModel {
    /// The compiler's model.
    pub const DEFAULT: SlotModel = SlotModel::Listing;
}

/// Instruction slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Slots of texture instructions.
    pub texture: u32,
    /// Slots of all other instructions.
    pub arithmetic: u32,
}

impl Slots {
    /// The sum of both.
    pub fn total(self) -> u32 {
        self.texture.saturating_add(self.arithmetic)
    }
    /// Adds two counts.
    #[must_use]
    pub fn plus(self, other: Slots) -> Slots {
        Slots::new(
            self.texture.saturating_add(other.texture),
            self.arithmetic.saturating_add(other.arithmetic),
        )
    }
    const fn new(texture: u32, arithmetic: u32) -> Slots {
        Slots { texture, arithmetic }
    }
}

impl fmt::Display for Slots {
    /// `4 instruction slots used (2 texture, 2 arithmetic)`, as in the last line of a listing.
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

/// The slots of one instruction. `dimension` is that of the sampler it reads.
pub fn instruction_slots(
    instruction: &Instruction,
    version: Version,
    model: SlotModel,
    dimension: Option<Dimension>,
) -> Slots {
    // The second instruction of a pair shares the first one's slot (d3d9-shaders.md section 1.11).
    if instruction.is_co_issued() && version.is_ps_1() {
        return Slots::default();
    }
    let opcode = instruction.opcode;
    let predicate = u32::from(instruction.predicate.is_some());
    let cube = dimension == Some(Dimension::Cube);
    let unlimited = match model {
        SlotModel::Listing => false,
        SlotModel::Table { no_texture_limit } => {
            version.major() == 3 || version == Version::Ps2x && no_texture_limit
        }
    };
    let listing = model == SlotModel::Listing;
    let slots = match opcode.kind() {
        Kind::Texture(Texture::Load) if !listing => {
            Slots::new(load(instruction, unlimited, cube), 0)
        }
        // The compiler counts one texture slot and two arithmetic slots.
        Kind::Texture(Texture::LoadGradient) if listing => Slots::new(1, 2),
        Kind::Texture(Texture::LoadLevel) if !listing && cube => Slots::new(5, 0),
        Kind::Texture(Texture::Kill) if unlimited => Slots::new(2, 0),
        Kind::Texture(Texture::Bem { luminance: true }) => Slots::new(1, 1),
        Kind::Texture(_) if !version.is_vertex() => Slots::new(row(opcode, version, model), 0),
        _ => Slots::new(0, row(opcode, version, model)),
    };
    slots.plus(Slots::new(0, predicate))
}

/// The table's count for a version; the compiler counts one for `lrp`.
fn row(opcode: Opcode, version: Version, model: SlotModel) -> u32 {
    if opcode == Opcode::Lrp && model == SlotModel::Listing {
        return 1;
    }
    // Two slots only in ps_1_2 and ps_1_3.
    if matches!(opcode, Opcode::Dp4 | Opcode::Cmp) && version == Version::Ps14 {
        return 1;
    }
    let [vs_1_1, vs, ps_1, ps] = opcode.info().slots;
    u32::from(match (version.stage(), version.major()) {
        (Stage::Vertex, 1) => vs_1_1,
        (Stage::Vertex, _) => vs,
        (Stage::Fragment, 1) => ps_1,
        (Stage::Fragment, _) => ps,
    })
}

/// Slots of `texld` (d3d9-shaders.md section 3.3).
fn load(instruction: &Instruction, unlimited: bool, cube: bool) -> u32 {
    match instruction.load() {
        _ if !unlimited => 1,
        Some(Load::Plain) if !cube => 1,
        Some(Load::Bias) => 6,
        Some(Load::Project) if !cube => 3,
        _ => 4,
    }
}

impl Program {
    /// The slots of all instructions.
    pub fn slots(&self, model: SlotModel) -> Slots {
        let mut dimensions = [None; 16];
        let mut slots = Slots::default();
        for (_, instruction) in self.instructions() {
            if instruction.opcode == Opcode::Dcl
                && let Some(register) = instruction.dest_register(self.version)
                && register.file == File::Sampler
                && let Some(place) = dimensions.get_mut(usize::from(register.number))
            {
                *place = instruction.declaration().dimension();
            }
            let sampler = instruction.sampler(self.version).map(usize::from);
            let dimension = sampler.and_then(|sampler| dimensions.get(sampler).copied().flatten());
            let more = instruction_slots(instruction, self.version, model, dimension);
            slots = slots.plus(more);
        }
        slots
    }
}

impl Instruction {
    /// The number of the sampler that the instruction reads.
    pub fn sampler(&self, version: Version) -> Option<u16> {
        if !matches!(self.opcode.kind(), Kind::Texture(_)) {
            return None;
        }
        let mut registers = self.registers(version);
        let sampler = registers.find(|register| register.file == File::Sampler)?;
        Some(sampler.number)
    }
}
