//! Programs.

use crate::packets::{MAX_SAMPLERS, SamplerState, slot_samplers};

/// What a program reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgramInputs {
    /// Bit n: attribute n is read.
    pub(crate) attributes: u16,
    /// Bit n: attribute n affects the result.
    pub(crate) live_attributes: u16,
    /// Bit n: a sampler reads slot n.
    pub(crate) slots: u16,
    /// All of them read 2D textures.
    pub(crate) flat: bool,
}

/// A `Program3D`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its inputs and outputs after a successful upload.
    pub(crate) interface: Option<agal::Interface>,
    pub(crate) inputs: ProgramInputs,
    /// The states that `setProgram` sets, by slot.
    pub(crate) samplers: Vec<(usize, SamplerState)>,
    /// The backend has this object.
    pub(crate) on_device: bool,
    /// Bytes of AGAL, for the memory limit.
    pub(crate) bytes: u64,
}

impl Program {
    /// Stores the interface of a successful upload.
    pub(crate) fn set_interface(&mut self, interface: agal::Interface) {
        self.inputs = ProgramInputs {
            attributes: interface.attributes,
            live_attributes: interface.live_attributes,
            slots: 0,
            flat: true,
        };
        self.samplers.clear();
        for slot in 0..MAX_SAMPLERS {
            for sampler in slot_samplers(&interface, slot) {
                self.inputs.slots |= 1 << slot;
                self.inputs.flat &= sampler.dimension == agal::sampler::Dimension::TwoD;
                if !sampler.ignore_sampler {
                    self.samplers.retain(|(other, _)| *other != slot);
                    self.samplers.push((slot, sampler.into()));
                }
            }
        }
        self.interface = Some(interface);
    }
}
