//! Inputs and outputs by usage, and linkage of vertex and pixel shaders.

use crate::dataflow;
use crate::declarations::{Declarations, DeclaredInput};
use crate::operand::{DeclUsage, WriteMask};
use crate::program::D3d9Program;
use crate::register::{D3d9Register, ShaderFile};
use crate::version::{ShaderVersion, Stage};

/// Returns the declared inputs and outputs except `o#`. Shaders of ps_1_x have no declarations, so all used input
/// registers are returned.
pub(super) fn inputs(program: &D3d9Program, declared: &Declarations) -> Vec<DeclaredInput> {
    let version = program.version;
    if !version.is_ps_1() {
        let inputs =
            declared.interface.iter().filter(|one| one.register.file != ShaderFile::Output);
        return inputs.copied().collect();
    }
    let mut inputs: Vec<DeclaredInput> = Vec::new();
    for (_, instruction) in program.instructions() {
        // The destination register selects the texture stage; `texm3x3vspec` also reads coordinates of earlier stages.
        for register in instruction.registers(version).chain(instruction.dest_register(version)) {
            let is_input = matches!(register.file, ShaderFile::Input | ShaderFile::Texture);
            if is_input && !inputs.iter().any(|input| input.register == register) {
                inputs.push(DeclaredInput {
                    register,
                    mask: WriteMask::ALL,
                    usage: None,
                    centroid: false,
                });
            }
        }
    }
    inputs
}

/// Removes elements whose key occurs earlier in the list.
pub(super) fn distinct<K: PartialEq>(
    list: &[DeclaredInput],
    key: impl Fn(&DeclaredInput) -> K,
) -> Vec<DeclaredInput> {
    let mut kept: Vec<DeclaredInput> = Vec::new();
    for one in list {
        if !kept.iter().any(|other| key(other) == key(one)) {
            kept.push(*one);
        }
    }
    kept
}

/// Returns the pixel shader inputs that come from the vertex shader, one per usage.
pub(super) fn varyings(inputs: &[DeclaredInput]) -> Vec<DeclaredInput> {
    let mut inputs = inputs.to_vec();
    inputs.retain(|input| {
        !matches!(input.register.file, ShaderFile::PixelPosition | ShaderFile::Face)
    });
    distinct(&inputs, usage)
}

/// Returns the usage of an input or output. Registers without a declared usage are linked by number.
pub(super) fn usage(declared: &DeclaredInput) -> (DeclUsage, u8) {
    declared.usage.unwrap_or_else(|| fixed_usage(declared.register))
}

pub(super) fn fixed_usage(register: D3d9Register) -> (DeclUsage, u8) {
    let number = u8::try_from(register.number).unwrap_or(0);
    match register.file {
        ShaderFile::Input | ShaderFile::ColorVarying => (DeclUsage::Color, number),
        ShaderFile::Fog => (DeclUsage::Fog, 0),
        _ => (DeclUsage::TexCoord, number),
    }
}

agal_core::errors! {
    /// The types of errors when two shaders are linked.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum LinkError {
        Stages = "a pair must be a vertex shader and a pixel shader";
        /// Model 3 links only with model 3, lower models with lower models ([d3d9.linkage.registers]).
        Versions(ShaderVersion, ShaderVersion) = "{0} and {1} can't be linked: model 3 can be linked only with model 3";
        Missing { usage: String, components: String } =
            "the pixel shader reads {usage}.{components}, which is not written";
    }
}

pub(super) fn outputs(
    program: &D3d9Program,
    declared: &Declarations,
) -> Vec<((DeclUsage, u8), WriteMask)> {
    if program.version.major() == 3 {
        return declared.of_file(ShaderFile::Output).map(|one| (usage(one), one.mask)).collect();
    }
    let mut written: Vec<((DeclUsage, u8), WriteMask)> = Vec::new();
    for (_, instruction) in program.instructions() {
        let write = dataflow::write(instruction, program.version);
        if let Some((register, mask)) = write
            && matches!(
                register.file,
                ShaderFile::TexCoordVarying | ShaderFile::ColorVarying | ShaderFile::Fog
            )
        {
            let usage = fixed_usage(register);
            match written.iter_mut().find(|(known, _)| *known == usage) {
                Some((_, known)) => *known = known.union(mask),
                None => written.push((usage, mask)),
            }
        }
    }
    written
}

/// Checks whether a vertex and a pixel shader can be linked. In models 1 and 2, inputs that the vertex shader doesn't
/// write are zero. In model 3, the vertex shader's output masks must match the pixel shader's input masks
/// ([d3d9.linkage.missing] [d3d9.linkage.registers]).
pub fn link(vertex: &D3d9Program, pixel: &D3d9Program) -> Result<(), LinkError> {
    if (vertex.version.stage(), pixel.version.stage()) != (Stage::Vertex, Stage::Fragment) {
        return Err(LinkError::Stages);
    }
    if (vertex.version.major() == 3) != (pixel.version.major() == 3) {
        return Err(LinkError::Versions(vertex.version, pixel.version));
    }
    if pixel.version.major() < 3 {
        return Ok(());
    }
    let written = outputs(vertex, &Declarations::of(vertex));
    for input in Declarations::of(pixel).of_file(ShaderFile::Input) {
        let (name, index) = usage(input);
        let found = written.iter().find(|(usage, _)| *usage == (name, index));
        let missing = input.mask.without(found.map_or(WriteMask::EMPTY, |(_, mask)| *mask));
        if !missing.is_empty() {
            let usage = format!("{}{index}", name.name());
            return Err(LinkError::Missing { usage, components: missing.to_string() });
        }
    }
    Ok(())
}
