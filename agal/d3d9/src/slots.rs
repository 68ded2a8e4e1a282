//! Instruction slots of a shader ([d3d9.slots.listing] [d3d9.slots.table]).

use std::fmt;

use crate::declarations::Declarations;
use crate::opcode::{Kind, Load, Opcode, Texture};
use crate::operand::Dimension;
use crate::program::{Instruction, Program};
use crate::version::{Stage, Version};

/// How instruction slots are counted. It isn't known which model the runtime's validator used ([d3d9.slots.model]).
/// [`SlotModel::DEFAULT`] is the compiler's: the runtime must have accepted its output up to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotModel {
    /// As Microsoft's compiler counts, in the last line of its listings.
    Listing,
    /// As the documentation's instruction tables count. In ps_2_x, `no_texture_limit` is the device's
    /// `D3DPS20CAPS_NOTEXINSTRUCTIONLIMIT`.
    Table { no_texture_limit: bool },
}

impl SlotModel {
    pub const DEFAULT: SlotModel = SlotModel::Listing;
}

/// Slots of texture instructions, and of all other instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    pub texture: u32,
    pub arithmetic: u32,
}

impl Slots {
    pub fn total(self) -> u32 {
        self.texture.saturating_add(self.arithmetic)
    }
    #[must_use]
    pub fn plus(self, other: Slots) -> Slots {
        Slots {
            texture: self.texture.saturating_add(other.texture),
            arithmetic: self.arithmetic.saturating_add(other.arithmetic),
        }
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
pub(crate) fn instruction_slots(
    instruction: &Instruction,
    version: Version,
    model: SlotModel,
    dimension: Option<Dimension>,
) -> Slots {
    // The second instruction of a pair shares the first one's slot ([d3d9.instruction.co_issue]).
    if instruction.is_co_issued() && version.is_ps_1() {
        return Slots::default();
    }
    let cube = dimension == Some(Dimension::Cube);
    let (listing, unlimited) = match model {
        SlotModel::Listing => (true, false),
        SlotModel::Table { no_texture_limit } => {
            (false, version.major() == 3 || version == Version::Ps2x && no_texture_limit)
        }
    };
    let row = row(instruction.opcode, version, listing);
    let (texture, arithmetic) = match instruction.opcode.kind() {
        Kind::Texture(Texture::Load) if !listing => (load(instruction, unlimited, cube), 0),
        // The compiler counts one texture slot and two arithmetic slots.
        Kind::Texture(Texture::LoadGradient) if listing => (1, 2),
        Kind::Texture(Texture::LoadLevel) if !listing && cube => (5, 0),
        Kind::Texture(Texture::Kill) if unlimited => (2, 0),
        Kind::Texture(Texture::Bem { luminance: true }) => (1, 1),
        Kind::Texture(_) if !version.is_vertex() => (row, 0),
        _ => (0, row),
    };
    let predicate = u32::from(instruction.predicate.is_some());
    Slots { texture, arithmetic: arithmetic + predicate }
}

/// The table's count for a version; the compiler counts one for `lrp`.
fn row(opcode: Opcode, version: Version, listing: bool) -> u32 {
    // `dp4` and `cmp` have two slots only in ps_1_2 and ps_1_3.
    let single = matches!(opcode, Opcode::Dp4 | Opcode::Cmp) && version == Version::Ps14;
    if single || opcode == Opcode::Lrp && listing {
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

/// Slots of `texld` ([d3d9.slots.texture]).
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
    pub fn slots(&self, model: SlotModel) -> Slots {
        let declared = Declarations::of(self);
        let slots = self.instructions().map(|(_, instruction)| {
            let dimension = declared.dimension(instruction, self.version);
            instruction_slots(instruction, self.version, model, dimension)
        });
        slots.fold(Slots::default(), Slots::plus)
    }
}
