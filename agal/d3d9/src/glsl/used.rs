//! Collects the registers that a shader uses.

use crate::dataflow;
use crate::declarations::Declarations;
use crate::opcode::{Operation, TextureOp};
use crate::operand::{AddressIndex, Dest, Dimension};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};
use crate::texture_stage::TextureStage;

/// A set of registers by register file; ignores registers past the first 32 of a register file.
#[derive(Clone, Debug, Default)]
pub(super) struct RegisterBits([u32; ShaderFile::ALL.len()]);

impl RegisterBits {
    fn add(&mut self, register: D3d9Register) {
        if let Some(bits) = self.0.get_mut(register.file as usize) {
            *bits |= 1u32.checked_shl(register.number.into()).unwrap_or(0);
        }
    }
    pub(super) fn bits(&self, file: ShaderFile) -> u32 {
        self.0.get(file as usize).copied().unwrap_or(0)
    }
    pub(super) fn has(&self, file: ShaderFile) -> bool {
        self.bits(file) != 0
    }
    pub(super) fn of(&self, file: ShaderFile) -> impl Iterator<Item = D3d9Register> + use<> {
        let bits = self.bits(file);
        let numbers = (0..32).filter(move |bit| bits & 1 << bit != 0);
        numbers.map(move |number| file.at(number))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct UsedRegisters {
    pub(super) registers: RegisterBits,
    pub(super) relative: RegisterBits,
    /// Number of float constants, not defined by the shader, that are read directly: the highest index plus 1.
    pub(super) floats: u16,
    pub(super) integers: u16,
    pub(super) booleans: u16,
    pub(super) samplers: [Option<Dimension>; 16],
}

impl UsedRegisters {
    pub(super) fn of(
        program: &D3d9Program,
        declared: &Declarations,
        stages: &[TextureStage; 8],
    ) -> UsedRegisters {
        let mut used = UsedRegisters::default();
        for (_, instruction) in program.instructions() {
            if !instruction.opcode.is_declaration() {
                used.add(instruction, program, declared, stages);
            }
        }
        used
    }

    fn add(
        &mut self,
        instruction: &D3d9Instruction,
        program: &D3d9Program,
        declared: &Declarations,
        stages: &[TextureStage; 8],
    ) {
        let (version, opcode) = (program.version, instruction.opcode);
        if let Some(dest) = instruction.dest
            && let Some(register) = dest.register(version)
        {
            self.add_register(register, dest.is_relative(), declared);
        }
        dataflow::for_each(instruction, version, None, |read| {
            self.add_register(read.register, read.relative, declared);
        });
        let mut indices = instruction.sources().iter().filter_map(|source| source.index(version));
        if indices.any(|index| index != AddressIndex::Loop) {
            self.registers.add(ShaderFile::Address.at(0));
        }
        if instruction.predicate.is_some() {
            self.registers.add(ShaderFile::Predicate.at(0));
        }
        let Operation::Texture(texture) = opcode.operation() else { return };
        if matches!(texture, TextureOp::Depth | TextureOp::MatrixDepth) {
            self.registers.add(ShaderFile::Depth.at(0));
        }
        if version.is_ps_1() && reads_texels(texture) {
            let number = usize::from(instruction.dest.map_or(0, Dest::number));
            if let Some(sampler) = self.samplers.get_mut(number) {
                *sampler = Some(stages.get(number).copied().unwrap_or_default().dimension);
            }
        }
    }

    fn add_register(&mut self, register: D3d9Register, relative: bool, declared: &Declarations) {
        let D3d9Register { file, number } = register;
        self.registers.add(register);
        if relative {
            self.relative.add(file.at(0));
        }
        let count = number.saturating_add(1);
        match file {
            ShaderFile::Const if !relative && !declared.floats.contains_key(&number) => {
                self.floats = self.floats.max(count);
            }
            ShaderFile::Integer if !declared.integers.contains_key(&number) => {
                self.integers = self.integers.max(count);
            }
            ShaderFile::Boolean if !declared.booleans.contains_key(&number) => {
                self.booleans = self.booleans.max(count);
            }
            ShaderFile::Sampler => {
                if let Some(sampler) = self.samplers.get_mut(usize::from(number)) {
                    *sampler = Some(declared.sampler(number).unwrap_or(Dimension::TwoD));
                }
            }
            _ => {}
        }
    }
}

/// Returns whether a ps_1_x instruction reads the texture of its stage.
fn reads_texels(texture: TextureOp) -> bool {
    use TextureOp as T;
    match texture {
        T::Load | T::LoadGradient | T::LoadLevel | T::Bem { .. } | T::FromRegister(_) => true,
        T::MatrixLoad { .. } | T::Reflect { .. } | T::DotLoad => true,
        T::Coordinate | T::Kill | T::Pad { .. } | T::Dot | T::Depth => false,
        T::MatrixValue | T::MatrixDepth => false,
    }
}
