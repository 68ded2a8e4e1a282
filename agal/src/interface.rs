//! What programs read and write: of one program for the linker, of a pair for whoever draws with it.

use crate::checked::{Action, Address, Step};
use crate::opcode::Unary;
use crate::operand::WriteMask;
use crate::register::{MAX_TRACKED, RegisterFile};
use crate::sampler::Sampler;
use crate::version::{Stage, Version};

/// Most fragment samplers of any version.
pub const MAX_FRAGMENT_SAMPLERS: usize = 16;
/// Most vertex samplers of any version.
pub const MAX_VERTEX_SAMPLERS: usize = 4;

/// What a linked pair reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Bit n: attribute `va<n>` is read.
    pub attributes: u16,
    /// Registers `vc0..vc<n-1>` are declared in GLSL as `uniform vec4 vc[n]`; 0 = none. N is one more than the highest
    /// register that is read, of a matrix the rows that its mask keeps. Where one is addressed indirectly it is the whole
    /// bank of the pair's AGAL version, 128 or from AGAL 2 on 250, in every profile (agal.md section 3.1).
    pub vertex_constants: u16,
    /// The same for `fc`, which can't be addressed indirectly.
    pub fragment_constants: u16,
    /// Bit n: varying `v<n>` is read by the fragment program.
    pub varyings: u16,
    /// Sampler `fs<n>` with the fields its AGAL gives.
    pub samplers: [Option<Sampler>; MAX_FRAGMENT_SAMPLERS],
    /// Sampler `vs<n>` (AGAL 4).
    pub vertex_samplers: [Option<Sampler>; MAX_VERTEX_SAMPLERS],
    /// Bit n: colour output n is written.
    pub color_outputs: u8,
    /// `od` is written.
    pub depth_output: bool,
    /// `iid` is read.
    pub instance_id: bool,
}

/// What one program reads and writes, whatever its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Bit n: attribute n is read.
    pub(crate) attributes: u16,
    /// Constants that have to be there: highest used + 1, or the whole bank.
    pub(crate) constants: u16,
    /// Bit n: varying n is read.
    pub(crate) varyings_read: u16,
    /// Components of each varying that are written somewhere.
    pub(crate) varyings_written: [WriteMask; MAX_TRACKED],
    /// Bit n: temporary n is written.
    pub(crate) temporaries: u32,
    /// Samplers that are read.
    pub(crate) samplers: [Option<Sampler>; MAX_FRAGMENT_SAMPLERS],
    /// Components of the position that are written somewhere.
    pub(crate) position: WriteMask,
    /// Bit n: colour output n is written.
    pub(crate) color_outputs: u8,
    /// The depth output is written.
    pub(crate) depth_output: bool,
    /// The instance id is read.
    pub(crate) instance_id: bool,
    /// `ddx` or `ddy` is used.
    pub(crate) derivatives: bool,
}

impl Usage {
    pub(crate) fn of(steps: &[Step], stage: Stage, version: Version) -> Usage {
        let mut usage = Usage {
            attributes: 0,
            constants: 0,
            varyings_read: 0,
            varyings_written: [WriteMask::EMPTY; MAX_TRACKED],
            temporaries: 0,
            samplers: [None; MAX_FRAGMENT_SAMPLERS],
            position: WriteMask::EMPTY,
            color_outputs: 0,
            depth_output: false,
            instance_id: false,
            derivatives: false,
        };
        for step in steps {
            step.action
                .for_each_read(|address, _| usage.read(address, stage, version));
            if let Some(dest) = step.action.dest() {
                usage.write(dest.file, dest.number, dest.mask, stage);
            }
            match step.action {
                Action::Sample(_, _, _, sampler) => {
                    if let Some(slot) = usage.samplers.get_mut(usize::from(sampler.register)) {
                        *slot = Some(sampler);
                    }
                }
                Action::Unary(Unary::Derivative(_), ..) => usage.derivatives = true,
                _ => {}
            }
        }
        usage
    }

    fn read(&mut self, address: Address, stage: Stage, version: Version) {
        match address {
            Address::Direct(file, number) => self.read_register(file, number),
            Address::Indirect { file, number, .. } => {
                self.read_register(file, number);
                let bank = RegisterFile::Constant.version_count(stage, version);
                self.constants = self.constants.max(bank.unwrap_or(0));
            }
        }
    }

    fn read_register(&mut self, file: RegisterFile, number: u16) {
        match file {
            RegisterFile::Attribute => self.attributes |= bit16(number),
            RegisterFile::Constant => {
                self.constants = self.constants.max(number.saturating_add(1));
            }
            RegisterFile::Varying => self.varyings_read |= bit16(number),
            RegisterFile::InstanceId => self.instance_id = true,
            // Temporaries are declared where they are written; the rest cannot be read.
            RegisterFile::Temporary
            | RegisterFile::Output
            | RegisterFile::Sampler
            | RegisterFile::DepthOutput => {}
        }
    }

    fn write(&mut self, file: RegisterFile, number: u16, mask: WriteMask, stage: Stage) {
        match file {
            RegisterFile::Temporary => {
                self.temporaries |= 1u32.checked_shl(number.into()).unwrap_or(0);
            }
            RegisterFile::Varying => {
                if let Some(written) = self.varyings_written.get_mut(usize::from(number)) {
                    *written = written.union(mask);
                }
            }
            RegisterFile::Output if stage == Stage::Vertex => {
                self.position = self.position.union(mask);
            }
            RegisterFile::Output => {
                self.color_outputs |= 1u8.checked_shl(number.into()).unwrap_or(0);
            }
            RegisterFile::DepthOutput => self.depth_output = true,
            RegisterFile::Attribute
            | RegisterFile::Constant
            | RegisterFile::Sampler
            | RegisterFile::InstanceId => {}
        }
    }
}

fn bit16(number: u16) -> u16 {
    1u16.checked_shl(number.into()).unwrap_or(0)
}

impl Interface {
    pub(crate) fn of(vertex: &Usage, fragment: &Usage) -> Interface {
        let mut vertex_samplers = [None; MAX_VERTEX_SAMPLERS];
        for (slot, sampler) in vertex_samplers.iter_mut().zip(vertex.samplers) {
            *slot = sampler;
        }
        Interface {
            attributes: vertex.attributes,
            vertex_constants: vertex.constants,
            fragment_constants: fragment.constants,
            varyings: fragment.varyings_read,
            samplers: fragment.samplers,
            vertex_samplers,
            color_outputs: fragment.color_outputs,
            depth_output: fragment.depth_output,
            instance_id: vertex.instance_id,
        }
    }
}
