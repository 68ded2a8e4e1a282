//! Reads of buffers and textures (hs-5-0.md, 5.3).

use super::code::Lack;
use super::{Emitter, Target, TextureUse};
use crate::hull::Phase;
use crate::names::{Dimension, ReturnType};
use crate::opcode::{Opcode, Type};
use crate::operand::{LETTERS, OperandKind};
use crate::program::Instruction;

/// Letters of the coordinates that a shape takes, and GLSL's name of it.
fn shape(dimension: Dimension) -> Option<(&'static str, &'static str)> {
    Some(match dimension {
        Dimension::Texture1d => ("x", "1D"),
        Dimension::Texture2d => ("xy", "2D"),
        Dimension::Texture3d => ("xyz", "3D"),
        Dimension::TextureCube => ("xyz", "Cube"),
        Dimension::Texture1dArray => ("xy", "1DArray"),
        Dimension::Texture2dArray => ("xyz", "2DArray"),
        Dimension::TextureCubeArray => ("xyzw", "CubeArray"),
        Dimension::Buffer | Dimension::RawBuffer | Dimension::StructuredBuffer => ("x", "Buffer"),
        Dimension::Texture2dMs | Dimension::Texture2dMsArray => return None,
    })
}

impl Emitter<'_> {
    /// GLSL's type of a uniform.
    pub(super) fn sampler_type(&self, texture: &TextureUse) -> String {
        let resource = self.hull.resource(texture.resource);
        let name = resource
            .and_then(|resource| shape(resource.dimension))
            .map_or("2D", |(_, name)| name);
        let shadow = if texture.compares { "Shadow" } else { "" };
        format!("{}sampler{name}{shadow}", self.prefix(texture.resource))
    }

    /// `u` or `i` of integers.
    fn prefix(&self, slot: u32) -> &'static str {
        let Some(resource) = self.hull.resource(slot) else {
            return "";
        };
        match (
            resource.dimension,
            ReturnType::from_code(resource.return_type),
        ) {
            (Dimension::RawBuffer | Dimension::StructuredBuffer, _)
            | (_, Some(ReturnType::Uint)) => "u",
            (_, Some(ReturnType::Sint)) => "i",
            _ => "",
        }
    }

    /// What an instruction reads, as a `uvec4`, the resource's swizzle applied.
    pub(super) fn look_up(
        &mut self,
        phase: &Phase,
        instruction: &Instruction,
    ) -> Result<String, Lack> {
        let sources = instruction.sources();
        let opcode = instruction.opcode();
        let resource = sources
            .iter()
            .find(|operand| operand.kind() == OperandKind::Resource);
        let (Some(operand), Some(declared)) = (
            resource,
            resource.and_then(|r| self.hull.resource(r.fixed(0)?)),
        ) else {
            return Err(opcode.name().to_owned());
        };
        let Some((letters, name)) = shape(declared.dimension) else {
            return Err(format!(
                "{} of {}",
                opcode.name(),
                declared.dimension.name()
            ));
        };
        if name.starts_with("1D") && self.target == Target::Es320 {
            return Err(format!(
                "{} in GLSL {}",
                declared.dimension.name(),
                self.target.name()
            ));
        }
        let read = match opcode {
            Opcode::Ld
            | Opcode::LdRaw
            | Opcode::LdStructured
            | Opcode::Bufinfo
            | Opcode::Resinfo => self.load(phase, instruction, declared.slot, letters)?,
            _ => self.sample(phase, instruction, declared.slot, letters)?,
        };
        let swizzle: String = operand
            .swizzle()
            .iter()
            .filter_map(|c| LETTERS.get(usize::from(*c)))
            .collect();
        Ok(format!("({read}).{swizzle}"))
    }

    fn uniform(&mut self, resource: u32, sampler: Option<u32>, compares: bool) -> String {
        let texture = TextureUse {
            resource,
            sampler,
            compares,
        };
        self.textures.insert(texture);
        texture.name()
    }

    fn load(
        &mut self,
        phase: &Phase,
        instruction: &Instruction,
        slot: u32,
        letters: &str,
    ) -> Result<String, Lack> {
        let opcode = instruction.opcode();
        let name = self.uniform(slot, None, false);
        let address = self.source(phase, instruction, 0);
        let declared = self.hull.resource(slot);
        let stride = declared.map_or(0, |resource| resource.stride);
        let buffer = declared.is_some_and(|resource| {
            shape(resource.dimension).is_some_and(|(_, name)| name == "Buffer")
        });
        // Words of a buffer, each looked at by itself: beyond the end 0 is read.
        let words = |first: String| {
            let one = |more: u32| {
                let place = format!("int(({first}) / 4u + {more}u)");
                format!("({place} < textureSize({name}) ? texelFetch({name}, {place}).x : 0u)")
            };
            format!("uvec4({}, {}, {}, {})", one(0), one(1), one(2), one(3))
        };
        Ok(match opcode {
            Opcode::LdRaw => words(format!("{address}.x")),
            Opcode::LdStructured => {
                let byte = self.source(phase, instruction, 1);
                let inside = format!(
                    "{byte}.x < {stride}u && {address}.x < 0x{:x}u",
                    u32::MAX / stride.max(1)
                );
                format!(
                    "({inside} ? {} : uvec4(0u))",
                    words(format!("{address}.x * {stride}u + {byte}.x"))
                )
            }
            Opcode::Bufinfo => {
                let unit = match declared.map(|resource| resource.dimension) {
                    Some(Dimension::RawBuffer) => " * 4".to_owned(),
                    Some(Dimension::StructuredBuffer) => format!(" * 4 / {}", stride.max(1)),
                    _ => String::new(),
                };
                format!("uvec4(textureSize({name}){unit})")
            }
            Opcode::Resinfo => return self.size(instruction, &name, &address, letters),
            _ if buffer => {
                let texel = self.bits(slot, &format!("texelFetch({name}, int({address}.x))"));
                format!("({address}.x < uint(textureSize({name})) ? {texel} : uvec4(0u))")
            }
            _ => self.texel(instruction, slot, &name, &address, letters)?,
        })
    }

    /// Beyond the texture, or its levels, 0 is read; GLSL leaves it open.
    fn texel(
        &self,
        instruction: &Instruction,
        slot: u32,
        name: &str,
        address: &str,
        letters: &str,
    ) -> Result<String, Lack> {
        let count = letters.len();
        if name.contains("Cube")
            || self.hull.resource(slot).is_some_and(|r| {
                matches!(
                    r.dimension,
                    Dimension::TextureCube | Dimension::TextureCubeArray
                )
            })
        {
            return Err("ld of a cube".to_owned());
        }
        let [u, v, w] = instruction.offsets();
        let place = match count {
            1 => format!("(int({address}.x) + {u})"),
            2 => format!("(ivec2({address}.xy) + ivec2({u}, {v}))"),
            _ => format!("(ivec3({address}.xyz) + ivec3({u}, {v}, {w}))"),
        };
        let size = format!("textureSize({name}, 0) >> int({address}.w)");
        let texel = self.bits(
            slot,
            &format!("texelFetch({name}, {place}, int({address}.w))"),
        );
        let inside = match count {
            1 => format!("{place} >= 0 && {place} < max({size}, 1)"),
            2 => format!(
                "all(greaterThanEqual({place}, ivec2(0))) && all(lessThan({place}, max({size}, ivec2(1))))"
            ),
            _ => format!("all(greaterThanEqual({place}, ivec3(0)))"),
        };
        Ok(format!(
            "({address}.w < 32u && {inside} ? {texel} : uvec4(0u))"
        ))
    }

    fn size(
        &self,
        instruction: &Instruction,
        name: &str,
        address: &str,
        letters: &str,
    ) -> Result<String, Lack> {
        let count = match letters.len() {
            1 => "uvec4(uint(textureSize(NAME, LOD)), 0u, 0u, 0u)",
            2 => "uvec4(textureSize(NAME, LOD), 0u, 0u)",
            _ => "uvec4(textureSize(NAME, LOD), 0u)",
        };
        // The number of levels needs GLSL 430.
        if letters.len() > 3
            || instruction
                .sources()
                .get(1)
                .is_some_and(|t| t.swizzle().contains(&3))
        {
            return Err("the number of levels of resinfo".to_owned());
        }
        let size = count
            .replace("NAME", name)
            .replace("LOD", &format!("int({address}.x)"));
        Ok(match instruction.control(11, 2) {
            2 => size,
            1 => format!("floatBitsToUint(1.0 / vec4({size}))"),
            _ => format!("floatBitsToUint(vec4({size}))"),
        })
    }

    fn sample(
        &mut self,
        phase: &Phase,
        instruction: &Instruction,
        slot: u32,
        letters: &str,
    ) -> Result<String, Lack> {
        use Opcode::*;
        let opcode = instruction.opcode();
        let sources = instruction.sources();
        let after = sources
            .iter()
            .position(|operand| operand.kind() == OperandKind::Sampler);
        let (Some(after), Some(sampler)) = (after, after.and_then(|place| sources.get(place)))
        else {
            return Err(opcode.name().to_owned());
        };
        let compares = matches!(opcode, SampleCLz | Gather4C | Gather4PoC);
        let name = self.uniform(slot, sampler.fixed(0), compares);
        let float = |emitter: &Self, place: usize| {
            format!(
                "uintBitsToFloat({})",
                emitter.source(phase, instruction, place)
            )
        };
        let last = |emitter: &Self, more: usize| float(emitter, after.saturating_add(more));
        let at = format!("{}.{letters}", float(self, 0));
        let spatial = letters
            .len()
            .saturating_sub(usize::from(self.is_array(slot)));
        let [u, v, w] = instruction.offsets();
        let fixed = match ([u, v, w], spatial) {
            ([0, 0, 0], _) => None,
            (_, 1) => Some(format!("{u}")),
            (_, 2) => Some(format!("ivec2({u}, {v})")),
            _ => Some(format!("ivec3({u}, {v}, {w})")),
        };
        let offset = fixed
            .as_ref()
            .map_or(String::new(), |offset| format!(", {offset}"));
        let suffix = if fixed.is_some() { "Offset" } else { "" };
        let gradient = letters.get(..spatial).unwrap_or("xy");
        let read = match opcode {
            SampleL => format!(
                "textureLod{suffix}({name}, {at}, {}.x{offset})",
                last(self, 1)
            ),
            SampleD => {
                let [x, y] = [1, 2].map(|more| format!("{}.{gradient}", last(self, more)));
                format!("textureGrad{suffix}({name}, {at}, {x}, {y}{offset})")
            }
            SampleCLz if letters == "xy" && !self.is_array(slot) => {
                format!(
                    "vec4(textureLod{suffix}({name}, vec3({at}, {}.x), 0.0{offset}))",
                    last(self, 1)
                )
            }
            SampleCLz if letters == "xyz" => {
                let zero = if spatial == 2 {
                    "vec2(0.0)"
                } else {
                    "vec3(0.0)"
                };
                format!(
                    "vec4(textureGrad{suffix}({name}, vec4({at}, {}.x), {zero}, {zero}{offset}))",
                    last(self, 1)
                )
            }
            Gather4 => {
                let channel = sampler.swizzle()[0];
                format!("textureGather{suffix}({name}, {at}{offset}, {channel})")
            }
            Gather4Po => {
                let channel = sampler.swizzle()[0];
                format!(
                    "textureGatherOffset({name}, {at}, ivec2({}.xy), {channel})",
                    self.source(phase, instruction, 1)
                )
            }
            Gather4C => format!(
                "textureGather{suffix}({name}, {at}, {}.x{offset})",
                last(self, 1)
            ),
            Gather4PoC => {
                let place = self.source(phase, instruction, 1);
                format!(
                    "textureGatherOffset({name}, {at}, {}.x, ivec2({place}.xy))",
                    last(self, 1)
                )
            }
            _ => return Err(opcode.name().to_owned()),
        };
        let result = opcode.info().destinations.first();
        Ok(match result {
            Some(Type::F) => format!("floatBitsToUint({read})"),
            _ => self.bits(slot, &read),
        })
    }

    fn is_array(&self, slot: u32) -> bool {
        self.hull.resource(slot).is_some_and(|resource| {
            matches!(
                resource.dimension,
                Dimension::Texture1dArray | Dimension::Texture2dArray | Dimension::TextureCubeArray
            )
        })
    }

    /// A texel as bits.
    fn bits(&self, slot: u32, texel: &str) -> String {
        match self.prefix(slot) {
            "" => format!("floatBitsToUint({texel})"),
            _ => format!("uvec4({texel})"),
        }
    }
}
