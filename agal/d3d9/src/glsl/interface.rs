//! Inputs and outputs by usage, and linkage between the two stages.

use crate::opcode::Opcode;
use crate::operand::{Dimension, Modifiers, Usage, WriteMask};
use crate::program::Program;
use crate::reads;
use crate::register::{File, Register};
use crate::text::declares_usage;
use crate::version::{Stage, Version};

/// A declared register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) register: Register,
    pub(super) mask: WriteMask,
    pub(super) usage: (Usage, u8),
    pub(super) centroid: bool,
}

/// The declarations of a shader.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Input>,
    samplers: Vec<(u16, Dimension)>,
}

impl Declared {
    pub(super) fn of(program: &Program) -> Declared {
        let mut declared = Declared::default();
        let version = program.version;
        for (_, instruction) in program.instructions() {
            let Some(dest) = instruction.dest.filter(|_| instruction.opcode == Opcode::Dcl) else {
                continue;
            };
            let Some(register) = dest.register(version) else {
                continue;
            };
            let declaration = instruction.declaration();
            if register.file == File::Sampler {
                let dimension = declaration.dimension().unwrap_or(Dimension::TwoD);
                declared.samplers.push((register.number, dimension));
                continue;
            }
            let usage = if declares_usage(register.file, version) {
                let usage = declaration.usage().unwrap_or(Usage::TexCoord);
                (usage, declaration.usage_index())
            } else {
                fixed_usage(register)
            };
            let one = Input {
                register,
                mask: dest.mask(),
                usage,
                centroid: dest.modifiers().has(Modifiers::CENTROID),
            };
            if register.file == File::Output {
                declared.outputs.push(one);
            } else {
                declared.inputs.push(one);
            }
        }
        if version.is_ps_1() {
            declared.undeclared(program);
        }
        declared
    }

    /// Adds inputs for ps_1_x, which has no declarations: all input registers that the shader uses.
    fn undeclared(&mut self, program: &Program) {
        let version = program.version;
        let mut seen = Vec::new();
        for (_, instruction) in program.instructions() {
            // A texture instruction's destination is its stage; `texm3x3vspec` also reads coordinates of earlier
            // stages.
            for register in instruction.registers(version).chain(instruction.dest_register(version))
            {
                let is_input = matches!(register.file, File::Input | File::Texture);
                if is_input && !seen.contains(&register) {
                    seen.push(register);
                    self.inputs.push(Input {
                        register,
                        mask: WriteMask::ALL,
                        usage: fixed_usage(register),
                        centroid: false,
                    });
                }
            }
        }
    }

    pub(super) fn sampler(&self, number: u16) -> Dimension {
        let known = self.samplers.iter().find(|(sampler, _)| *sampler == number);
        known.map_or(Dimension::TwoD, |(_, dimension)| *dimension)
    }
}

/// The usage of a register below 3_0, where registers are linked by number.
pub(super) fn fixed_usage(register: Register) -> (Usage, u8) {
    let number = u8::try_from(register.number).unwrap_or(0);
    match register.file {
        File::Input | File::ColorVarying => (Usage::Color, number),
        File::Fog => (Usage::Fog, 0),
        _ => (Usage::TexCoord, number),
    }
}

/// Why a vertex and a pixel shader can't be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The shaders aren't one vertex and one pixel shader.
    Stages,
    /// vs_3_0 needs ps_3_0, and lower versions need lower ones (d3d9-shaders.md section 5.6).
    Versions(Version, Version),
    /// The pixel shader reads an input that the vertex shader doesn't write.
    Missing {
        /// The usage, such as `texcoord1`.
        usage: String,
        /// The missing components.
        components: String,
    },
}

shader_core::messages! { LinkError {
    Self::Stages => "a pair must be a vertex shader and a pixel shader";
    Self::Versions(vertex, pixel) => "{vertex} and {pixel} can't be linked: model 3 can be linked only with model 3";
    Self::Missing { usage, components } => "the pixel shader reads {usage}.{components}, which is not written";
} }

/// The outputs of a vertex shader: usage and components.
pub(super) fn outputs(program: &Program) -> Vec<((Usage, u8), WriteMask)> {
    let version = program.version;
    let declared = Declared::of(program);
    if version.major() == 3 {
        let outputs = declared.outputs.iter();
        return outputs.map(|one| (one.usage, one.mask)).collect();
    }
    let mut written: Vec<((Usage, u8), WriteMask)> = Vec::new();
    for (_, instruction) in program.instructions() {
        let target = instruction.dest_register(version);
        let Some(register) = target.filter(|_| reads::writes(instruction.opcode)) else {
            continue;
        };
        if matches!(register.file, File::TexCoordVarying | File::ColorVarying | File::Fog) {
            let usage = fixed_usage(register);
            let mask = reads::written(instruction);
            match written.iter_mut().find(|(known, _)| *known == usage) {
                Some((_, known)) => *known = known.union(mask),
                None => written.push((usage, mask)),
            }
        }
    }
    written
}

/// Checks whether a vertex and a pixel shader can be linked.
///
/// # Errors
/// [`LinkError`]. A pixel shader of model 1 or 2 may declare components that the vertex shader doesn't write: they are
/// zero, as in Direct3D. In model 3 the masks must match (d3d9-shaders.md section 5.6).
pub fn link(vertex: &Program, pixel: &Program) -> Result<(), LinkError> {
    let stages = (vertex.version.stage(), pixel.version.stage());
    if stages != (Stage::Vertex, Stage::Fragment) {
        return Err(LinkError::Stages);
    }
    if (vertex.version.major() == 3) != (pixel.version.major() == 3) {
        return Err(LinkError::Versions(vertex.version, pixel.version));
    }
    if pixel.version.major() < 3 {
        return Ok(());
    }
    let written = outputs(vertex);
    for input in Declared::of(pixel).inputs {
        if input.register.file != File::Input {
            continue;
        }
        let found = written.iter().find(|(usage, _)| *usage == input.usage);
        let there = found.map(|(_, mask)| *mask).unwrap_or_default();
        if !there.contains_all(input.mask) {
            let (usage, index) = input.usage;
            return Err(LinkError::Missing {
                usage: format!("{}{index}", usage.name()),
                components: input.mask.without(there).to_string(),
            });
        }
    }
    Ok(())
}
