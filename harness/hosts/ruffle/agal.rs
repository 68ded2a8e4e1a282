//! Implements Ruffle's `naga-agal` with Molehill's `agal`; replaces `render/naga-agal/src/builder.rs`.

use agal::operand::{Component, WriteMask};
use agal::register::RegisterFile;
use agal::wgsl::{self, BindingAddress, WgslOptions, WgslResource};
use agal::{Endian, Interface, LinkedPair, Program, Rules, Stage, ValidProgram, asm, link, validate};
use naga::Module;
use num_traits::FromPrimitive;

use crate::{
    AgalError, Error, MAX_TEXTURES, MAX_VERTEX_ATTRIBUTES, SHADER_ENTRY_POINT, SamplerConfig, ShaderType,
    VertexAttributeFormat,
};

pub const TEXTURE_SAMPLER_START_BIND_INDEX: u32 = 2;
pub const TEXTURE_START_BIND_INDEX: u32 = 10;

pub struct ParsedBytecode {
    wgsl: String,
    interface: Interface,
}

pub(crate) struct NagaBuilder;

impl NagaBuilder {
    pub fn parse_bytecode(bytes: &[u8]) -> Result<ParsedBytecode, AgalError> {
        if bytes.is_empty() {
            return Err(AgalError::EmptyProgram);
        }
        let stage = if bytes.get(6) == Some(&0) { Stage::Vertex } else { Stage::Fragment };
        let failed = |error: agal::AgalError| flash_error(&error, stage, bytes);
        let program = Program::decode(bytes, Endian::Little, stage).map_err(failed)?;
        let half = validate(program, stage, &Rules::NEWEST).map_err(failed)?;
        let pair = with_partner(half, stage).map_err(failed)?;
        let entry_points = [SHADER_ENTRY_POINT; 2];
        let both = wgsl::emit(&pair, &WgslOptions { bindings, entry_points, ..WgslOptions::default() });
        let wgsl = if stage == Stage::Vertex { both.vertex } else { both.fragment };
        Ok(ParsedBytecode { wgsl, interface: pair.interface().clone() })
    }

    /// Translates a shader. Attribute formats don't matter, because wgpu fills the components that a buffer lacks.
    pub fn build_module(
        parsed: &ParsedBytecode,
        _: &[Option<VertexAttributeFormat>; MAX_VERTEX_ATTRIBUTES],
    ) -> Result<Module, Error> {
        naga::front::wgsl::parse_str(&parsed.wgsl).map_err(|error| Error::Unimplemented(error.to_string()))
    }

    pub fn extract_sampler_configs(
        parsed: &ParsedBytecode,
    ) -> Result<[Option<SamplerConfig>; MAX_TEXTURES], AgalError> {
        Ok([0, 1, 2, 3, 4, 5, 6, 7].map(|n| {
            let sampler = parsed.interface.samplers[n].filter(|sampler| !sampler.ignore_sampler)?;
            // The enumerations of both crates use AGAL's codes.
            Some(SamplerConfig {
                wrapping: FromPrimitive::from_u8(sampler.wrap.code())?,
                filter: FromPrimitive::from_u8(sampler.filter.code())?,
                mipmap: FromPrimitive::from_u8(sampler.mip.code())?,
            })
        }))
    }
}

fn bindings(resource: WgslResource) -> BindingAddress {
    let binding = match resource {
        WgslResource::Constants(Stage::Vertex) => 0,
        WgslResource::Constants(Stage::Fragment) => 1,
        WgslResource::Sampler(_, number) => TEXTURE_SAMPLER_START_BIND_INDEX + u32::from(number),
        WgslResource::Texture(_, number) => TEXTURE_START_BIND_INDEX + u32::from(number),
    };
    BindingAddress { group: 0, binding }
}

/// Links a shader with a generated partner with matching varyings, because Ruffle translates each stage alone.
fn with_partner(half: ValidProgram, stage: Stage) -> Result<LinkedPair, agal::AgalError> {
    let other = if stage == Stage::Vertex { Stage::Fragment } else { Stage::Vertex };
    let mut written = [WriteMask::EMPTY; 8];
    for write in half.steps().iter().filter_map(|step| step.action.dest()) {
        if let (RegisterFile::Varying, Some(mask)) = (write.file, written.get_mut(usize::from(write.number))) {
            *mask = WriteMask::from_bits(mask.bits() | write.mask.bits());
        }
    }
    let mut text = String::new();
    for (n, mask) in written.iter().enumerate() {
        if stage == Stage::Fragment {
            text += &format!("mov v{n}, va0\n");
        } else if let Some(first) = mask.iter().next() {
            let read = Component::ALL.map(|c| if mask.contains(c) { c } else { first }.letter());
            text += &format!("mov ft0, v{n}.{}\n", String::from_iter(read));
        }
    }
    text += if stage == Stage::Vertex { "mov oc, fc0" } else { "mov op, va0" };
    let partner =
        asm::assemble(&text, other, half.program().version()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let partner = validate(partner, other, &Rules::NEWEST)?;
    if stage == Stage::Vertex { link(half, partner) } else { link(partner, half) }
}

/// Returns Ruffle's error with Flash's error number. Ruffle lacks some of Flash's errors.
fn flash_error(error: &agal::AgalError, stage: Stage, bytes: &[u8]) -> AgalError {
    let shader_type = if stage == Stage::Vertex { ShaderType::Vertex } else { ShaderType::Fragment };
    let token = error.token().unwrap_or(0) as usize;
    let operand = if error.message().contains("source operand 2") { 2 } else { 1 };
    let opcode = token.checked_sub(1).and_then(|index| bytes.get(7 + index * 24..)?.first_chunk());
    match error.number() {
        3612 => AgalError::InvalidHeader,
        3620 => AgalError::InvalidOpcode { value: opcode.map_or(0, |it| u32::from_le_bytes(*it)), token, shader_type },
        3638 => AgalError::SamplerRegisterAsSource { operand, token, shader_type },
        3639 => AgalError::IndirectNotAllowed { operand, token, shader_type },
        3640 => AgalError::IndirectOnlyIntoConstants { operand, token, shader_type },
        3646 => AgalError::ReadOutputRegister { operand, token, shader_type },
        3649 => AgalError::WriteSamplerRegister { token, shader_type },
        3651 => AgalError::WriteAttributeRegister { token, shader_type },
        3652 => AgalError::WriteConstantRegister { token, shader_type },
        3696 => AgalError::SamplerConfigMismatch { token, shader_type },
        3749 if error.message().contains("destination") => AgalError::WriteFragmentRegister { token, shader_type },
        3749 => AgalError::FragmentRegisterAsSource { operand, token, shader_type },
        _ => AgalError::InvalidVersion,
    }
}
