//! Declarations and constant definitions, which must precede the first executable instruction.

use std::collections::BTreeMap;

use crate::opcode::{Literal, Operation};
use crate::operand::{DeclUsage, Dimension, ResultModifiers, WriteMask};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::{ShaderVersion, Stage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeclaredInput {
    pub(crate) register: D3d9Register,
    pub(crate) mask: WriteMask,
    /// The usage and usage index, if the version declares usages for the register.
    pub(crate) usage: Option<(DeclUsage, u8)>,
    pub(crate) centroid: bool,
}

/// The contents of `dcl`, `def`, `defi` and `defb`. If a constant is defined repeatedly, the last definition wins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    /// Declared inputs and outputs. Each entry declares at least one new component of a register, which bounds the
    /// number of entries.
    pub(crate) interface: Vec<DeclaredInput>,
    samplers: [Option<Option<Dimension>>; 16],
    pub(crate) floats: BTreeMap<u16, [f32; 4]>,
    pub(crate) integers: BTreeMap<u16, [i32; 4]>,
    pub(crate) booleans: BTreeMap<u16, bool>,
}

/// Returns whether `dcl` declares a usage for registers of the register file `file` ([d3d9.dcl.usage]).
pub(crate) fn declares_usage(file: ShaderFile, version: ShaderVersion) -> bool {
    match version.stage() {
        Stage::Vertex => matches!(file, ShaderFile::Input | ShaderFile::Output),
        Stage::Fragment => file == ShaderFile::Input && version.major() == 3,
    }
}

pub(crate) fn is_interface(file: ShaderFile, version: ShaderVersion) -> bool {
    file != ShaderFile::Sampler && file.info(version).is_some_and(|info| info.declared)
}

impl Declarations {
    pub(crate) fn of(program: &D3d9Program) -> Declarations {
        let mut declarations = Declarations::default();
        for (_, instruction) in program.instructions() {
            declarations.add(instruction, program.version);
        }
        declarations
    }

    pub(crate) fn add(&mut self, instruction: &D3d9Instruction, version: ShaderVersion) {
        let (kind, dest) = (instruction.opcode.operation(), instruction.dest);
        let Some((dest, register)) = dest.and_then(|dest| Some((dest, dest.register(version)?)))
        else {
            return;
        };
        let (file, number) = (register.file, register.number);
        match (kind, file) {
            (Operation::Def(Literal::Float), ShaderFile::Const) => {
                self.floats.insert(number, instruction.floats());
            }
            (Operation::Def(Literal::Integer), ShaderFile::Integer) => {
                self.integers.insert(number, instruction.integers());
            }
            (Operation::Def(Literal::Boolean), ShaderFile::Boolean) => {
                self.booleans.insert(number, instruction.boolean());
            }
            (Operation::Dcl, ShaderFile::Sampler) => {
                if let Some(sampler) = self.samplers.get_mut(usize::from(number)) {
                    *sampler = Some(instruction.declaration().dimension());
                }
            }
            (Operation::Dcl, _)
                if is_interface(file, version)
                    && number < file.reach(version)
                    && self.mask(register).is_none_or(|mask| !mask.contains_all(dest.mask())) =>
            {
                let declaration = instruction.declaration();
                let usage = declaration.usage().filter(|_| declares_usage(file, version));
                self.interface.push(DeclaredInput {
                    register,
                    mask: dest.mask(),
                    usage: usage.map(|usage| (usage, declaration.usage_index())),
                    centroid: dest.modifiers().has(ResultModifiers::CENTROID),
                });
            }
            _ => {}
        }
    }

    pub(crate) fn sampler(&self, number: u16) -> Option<Dimension> {
        self.samplers.get(usize::from(number)).copied().flatten()?
    }
    pub(crate) fn has_sampler(&self, number: u16) -> bool {
        self.samplers.get(usize::from(number)).is_some_and(Option::is_some)
    }
    /// Returns the declared texture dimension of the sampler that an instruction reads.
    pub(crate) fn dimension(
        &self,
        read: &D3d9Instruction,
        version: ShaderVersion,
    ) -> Option<Dimension> {
        self.sampler(read.sampler(version)?)
    }
    /// Returns the declared components of a register, or `None` if the register isn't declared.
    pub(crate) fn mask(&self, register: D3d9Register) -> Option<WriteMask> {
        let same = self.interface.iter().filter(|one| one.register == register);
        same.map(|one| one.mask).reduce(WriteMask::union)
    }
    pub(crate) fn of_file(&self, file: ShaderFile) -> impl Iterator<Item = &DeclaredInput> {
        self.interface.iter().filter(move |one| one.register.file == file)
    }
}
