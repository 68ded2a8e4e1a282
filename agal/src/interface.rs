//! Inputs and outputs: of one program for the linker, and of a pair for the renderer.

use crate::ir::{Address, IrDestination};
use crate::isa::register::{Masks, RegisterFile};
use crate::isa::sampler::SamplerOp;
use crate::version::{AgalVersion, Stage};

/// The number of sampler registers of fragment programs.
pub const MAX_FRAGMENT_SAMPLERS: usize = 16;
/// The number of sampler registers of vertex programs.
pub const MAX_VERTEX_SAMPLERS: usize = 4;

/// The attributes, constants, varyings, samplers and outputs that a pair uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Bit n: a program reads attribute `va<n>`.
    pub attributes: u16,
    /// Bit n: attribute n affects an output. An attribute whose bit is clear affects only varyings that the fragment
    /// program doesn't read.
    pub live_attributes: u16,
    /// The count of constants `vc`: one more than the highest that is read, or 0. For a matrix, only the rows in its
    /// mask count. With indirect addressing, the count includes all constants of the AGAL version: 128, or 250 from
    /// AGAL 2 on, in every profile ([agal.register.counts]). [`glsl::constants`](crate::glsl::constants) returns the
    /// constants that a shader declares.
    pub vertex_constants: u16,
    /// The count of constants `fc`, like `vertex_constants`; `fc` doesn't support indirect addressing.
    pub fragment_constants: u16,
    /// The constants `vc` that are read directly, by their number.
    pub vertex_constants_read: ConstantSet,
    /// The constants `fc` that the fragment program reads.
    pub fragment_constants_read: ConstantSet,
    /// Bit n: the fragment program reads varying `v<n>`.
    pub varyings: u16,
    /// For each sampler `fs<n>` that is used, its fields in AGAL.
    pub samplers: [Option<SamplerOp>; MAX_FRAGMENT_SAMPLERS],
    /// For each sampler `vs<n>` that is used (AGAL 4), its fields.
    pub vertex_samplers: [Option<SamplerOp>; MAX_VERTEX_SAMPLERS],
    /// Bit n: the fragment program writes colour output n.
    pub color_outputs: u8,
    /// True if the fragment program writes depth.
    pub depth_output: bool,
    /// True if the vertex program reads `iid`.
    pub instance_id: bool,
}

/// A set of constant registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantSet([u64; 4]);

impl ConstantSet {
    /// Returns the numbers of the registers, lowest first.
    pub fn iter(self) -> impl Iterator<Item = u16> {
        let bits = self.0.into_iter().flat_map(|word| (0..64).map(move |n| word >> n & 1 != 0));
        (0..).zip(bits).filter_map(|(number, read)| read.then_some(number))
    }

    fn add(&mut self, number: u16) {
        if let Some(word) = self.0.get_mut(usize::from(number / 64)) {
            *word |= 1 << (number % 64);
        }
    }
}

/// Inputs and outputs of one program of either stage, which the verifier collects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegisterUse {
    stage: Stage,
    version: AgalVersion,
    /// For each register file, bit n: the program reads register n.
    read: [u16; RegisterFile::ALL.len()],
    /// For each register file: the components that some instruction writes.
    written: [Masks; RegisterFile::ALL.len()],
    /// The components of varyings that a fragment program reads, by the rules of linkage: all four components of a
    /// swizzle, and every row of a matrix.
    pub(crate) varyings_read: Masks,
    /// The number of declared constants: the highest register that is read plus 1, or all registers of the stage if a
    /// read is indirect.
    pub(crate) constants: u16,
    constants_read: ConstantSet,
    pub(crate) samplers: [Option<SamplerOp>; MAX_FRAGMENT_SAMPLERS],
    pub(crate) derivatives: bool,
}

impl RegisterUse {
    pub(crate) fn new(stage: Stage, version: AgalVersion) -> RegisterUse {
        RegisterUse {
            stage,
            version,
            read: Default::default(),
            written: Default::default(),
            varyings_read: Masks::default(),
            constants: 0,
            constants_read: ConstantSet::default(),
            samplers: [None; MAX_FRAGMENT_SAMPLERS],
            derivatives: false,
        }
    }

    pub(crate) fn read(&mut self, address: Address) {
        match address {
            Address::Direct(file, number) => self.read_register(file, number),
            Address::Indirect { file, number, .. } => {
                self.read_register(file, number);
                let bank = RegisterFile::Constant.version_count(self.stage, self.version);
                (0..bank.unwrap_or(0)).for_each(|number| self.read_constant(number));
            }
        }
    }

    fn read_register(&mut self, file: RegisterFile, number: u16) {
        if file == RegisterFile::Constant {
            self.read_constant(number);
        }
        if let Some(registers) = self.read.get_mut(file.index()) {
            *registers |= 1u16.checked_shl(number.into()).unwrap_or(0);
        }
    }

    fn read_constant(&mut self, number: u16) {
        self.constants = self.constants.max(number.saturating_add(1));
        self.constants_read.add(number);
    }

    pub(crate) fn write(&mut self, dest: &IrDestination) {
        if let Some(registers) = self.written.get_mut(dest.file.index()) {
            registers.add(dest.number, dest.mask);
        }
    }

    pub(crate) fn sample(&mut self, sampler: SamplerOp) {
        if let Some(slot) = self.samplers.get_mut(usize::from(sampler.register)) {
            *slot = Some(sampler);
        }
    }

    /// Returns the registers of the register file `file` that the program reads: bit n is register n, at most 15.
    pub(crate) fn reads(&self, file: RegisterFile) -> u16 {
        self.read.get(file.index()).copied().unwrap_or_default()
    }

    pub(crate) fn writes(&self, file: RegisterFile) -> Masks {
        self.written.get(file.index()).copied().unwrap_or_default()
    }

    /// Returns the colour outputs that a fragment program writes: bit n is output n.
    pub(crate) fn color_outputs(&self) -> u8 {
        let [low, ..] = self.writes(RegisterFile::Output).registers().to_le_bytes();
        low
    }
}

impl Interface {
    /// Returns the interface of a pair. `live` returns the attributes that affect an output if the fragment program
    /// reads these varyings.
    pub(crate) fn of(
        vertex: &RegisterUse,
        fragment: &RegisterUse,
        live: impl FnOnce(u16) -> u16,
    ) -> Interface {
        let attributes = vertex.reads(RegisterFile::Attribute);
        let varyings = fragment.reads(RegisterFile::Varying);
        let written = vertex.writes(RegisterFile::Varying).registers();
        let live_attributes = match written & !u32::from(varyings) {
            0 => attributes,
            _ => live(varyings),
        };
        let mut vertex_samplers = [None; MAX_VERTEX_SAMPLERS];
        for (slot, sampler) in vertex_samplers.iter_mut().zip(vertex.samplers) {
            *slot = sampler;
        }
        Interface {
            attributes,
            live_attributes,
            vertex_constants: vertex.constants,
            fragment_constants: fragment.constants,
            vertex_constants_read: vertex.constants_read,
            fragment_constants_read: fragment.constants_read,
            varyings,
            samplers: fragment.samplers,
            vertex_samplers,
            color_outputs: fragment.color_outputs(),
            depth_output: fragment.writes(RegisterFile::DepthOutput) != Masks::default(),
            instance_id: vertex.reads(RegisterFile::InstanceId) != 0,
        }
    }
}
