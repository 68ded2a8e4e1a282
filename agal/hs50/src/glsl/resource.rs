//! Reads from buffers and textures (hs-5-0.md, 5.3).

use shader_core::glsl::Dialect;

use super::code::{Lack, Lines};
use super::{Emitter, TextureUse};
use crate::hull::{Phase, ResourceDeclaration};
use crate::names::{Dimension, ReturnType};
use crate::opcode::{Opcode, Type};
use crate::operand::{Operand, OperandKind};
use crate::program::Instruction;

/// The coordinate components of a dimension, and its name in GLSL types.
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
    /// The GLSL type of a uniform.
    pub(super) fn sampler_type(&self, texture: &TextureUse) -> String {
        let resource = self.hull.resource(texture.resource);
        let shape = resource.and_then(|resource| shape(resource.dimension));
        let name = shape.map_or("2D", |(_, name)| name);
        let shadow = if texture.compares { "Shadow" } else { "" };
        format!("{}sampler{name}{shadow}", resource.map_or("", prefix))
    }

    /// The result of a read instruction as `uvec4`, with the resource operand's swizzle.
    pub(super) fn look_up(
        &mut self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
    ) -> Result<String, Lack> {
        let sources = instruction.sources();
        let opcode = instruction.opcode();
        let is_resource = |operand: &&Operand| operand.kind() == OperandKind::Resource;
        let resource = sources.iter().find(is_resource);
        let declared = resource.and_then(|resource| self.hull.resource(resource.fixed(0)?));
        let (Some(operand), Some(declared)) = (resource, declared.copied()) else {
            return Err(opcode.name().to_owned());
        };
        let kind = declared.dimension.name();
        let Some((letters, name)) = shape(declared.dimension) else {
            return Err(format!("{} of {kind}", opcode.name()));
        };
        if name.starts_with("1D") && self.dialect == Dialect::Glsl320Es {
            return Err(format!("{kind} in GLSL {}", self.dialect.name()));
        }
        use Opcode::{Bufinfo, Ld, LdRaw, LdStructured, Resinfo};
        let read = match opcode {
            Ld | LdRaw | LdStructured | Bufinfo | Resinfo => {
                self.load(lines, phase, instruction, &declared, letters)?
            }
            _ => self.sample(lines, phase, instruction, &declared, letters)?,
        };
        Ok(format!("({read}).{}", operand.swizzle_letters()))
    }

    fn uniform(&mut self, resource: u32, sampler: Option<u32>, compares: bool) -> String {
        let texture = TextureUse { resource, sampler, compares };
        self.textures.insert(texture);
        texture.name()
    }

    fn load(
        &mut self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
        declared: &ResourceDeclaration,
        letters: &str,
    ) -> Result<String, Lack> {
        let opcode = instruction.opcode();
        let name = self.uniform(declared.slot, None, false);
        let address = self.source(lines, phase, instruction, 0);
        let address = lines.variable("uvec4", "a", &address);
        let stride = declared.stride;
        let buffer = shape(declared.dimension).is_some_and(|(_, name)| name == "Buffer");
        // Words of a buffer, each with a bounds check: reads beyond the end give 0.
        let words = |first: String| {
            let one = |more: u32| {
                let place = format!("int({first} / 4u + {more}u)");
                format!("({place} < textureSize({name}) ? texelFetch({name}, {place}).x : 0u)")
            };
            format!("uvec4({}, {}, {}, {})", one(0), one(1), one(2), one(3))
        };
        Ok(match opcode {
            Opcode::LdRaw => words(format!("{address}.x")),
            Opcode::LdStructured => {
                let byte = self.source(lines, phase, instruction, 1);
                let byte = lines.variable("uint", "b", &format!("{byte}.x"));
                let last = u32::MAX / stride.max(1);
                let inside = format!("{byte} < {stride}u && {address}.x < 0x{last:x}u");
                let words = words(format!("({address}.x * {stride}u + {byte})"));
                format!("({inside} ? {words} : uvec4(0u))")
            }
            Opcode::Bufinfo => {
                let unit = match declared.dimension {
                    Dimension::RawBuffer => " * 4".to_owned(),
                    Dimension::StructuredBuffer => format!(" * 4 / {}", stride.max(1)),
                    _ => String::new(),
                };
                format!("uvec4(textureSize({name}){unit})")
            }
            Opcode::Resinfo => return size(instruction, &name, &address, letters.len()),
            _ if buffer => {
                let texel = bits(declared, &format!("texelFetch({name}, int({address}.x))"));
                format!("({address}.x < uint(textureSize({name})) ? {texel} : uvec4(0u))")
            }
            _ => texel(lines, instruction, declared, &name, &address, letters.len())?,
        })
    }

    fn sample(
        &mut self,
        lines: &mut Lines,
        phase: &Phase,
        instruction: &Instruction,
        declared: &ResourceDeclaration,
        letters: &str,
    ) -> Result<String, Lack> {
        use Opcode::*;
        let opcode = instruction.opcode();
        let sources = instruction.sources();
        let is_sampler = |operand: &Operand| operand.kind() == OperandKind::Sampler;
        let Some(after) = sources.iter().position(is_sampler) else {
            return Err(opcode.name().to_owned());
        };
        let sampler = sources.get(after);
        let compares = matches!(opcode, SampleCLz | Gather4C | Gather4PoC);
        let number = sampler.and_then(|sampler| sampler.fixed(0));
        let name = self.uniform(declared.slot, number, compares);
        let channel = sampler.map_or(0, |sampler| sampler.swizzle()[0]);
        let texts = 0..sources.len();
        let texts = texts.map(|place| self.source(lines, phase, instruction, place));
        let texts: Vec<String> = texts.collect();
        let bits_of = |place: usize| texts.get(place).map_or("uvec4(0u)", String::as_str);
        let float = |place: usize| format!("uintBitsToFloat({})", bits_of(place));
        let last = |more: usize| float(after.saturating_add(more));
        let at = format!("{}.{letters}", float(0));
        let array = is_array(declared.dimension);
        let spatial = letters.len().saturating_sub(usize::from(array));
        let fixed = fixed_offset(instruction, spatial);
        let suffix = if fixed.is_some() { "Offset" } else { "" };
        let offset = fixed.map_or(String::new(), |offset| format!(", {offset}"));
        let gradient = letters.get(..spatial).unwrap_or("xy");
        let read = match opcode {
            SampleL => format!("textureLod{suffix}({name}, {at}, {}.x{offset})", last(1)),
            SampleD => {
                let [x, y] = [1, 2].map(|more| format!("{}.{gradient}", last(more)));
                format!("textureGrad{suffix}({name}, {at}, {x}, {y}{offset})")
            }
            SampleCLz if letters == "xy" && !array => {
                let at = format!("vec3({at}, {}.x)", last(1));
                format!("vec4(textureLod{suffix}({name}, {at}, 0.0{offset}))")
            }
            SampleCLz if letters == "xyz" => {
                let at = format!("vec4({at}, {}.x)", last(1));
                let zero = format!("vec{spatial}(0.0)");
                format!("vec4(textureGrad{suffix}({name}, {at}, {zero}, {zero}{offset}))")
            }
            Gather4 => format!("textureGather{suffix}({name}, {at}{offset}, {channel})"),
            Gather4Po => {
                let place = format!("ivec2({}.xy)", bits_of(1));
                format!("textureGatherOffset({name}, {at}, {place}, {channel})")
            }
            Gather4C => format!("textureGather{suffix}({name}, {at}, {}.x{offset})", last(1)),
            Gather4PoC => {
                let place = format!("ivec2({}.xy)", bits_of(1));
                format!("textureGatherOffset({name}, {at}, {}.x, {place})", last(1))
            }
            _ => return Err(opcode.name().to_owned()),
        };
        let result = opcode.info().destinations.first();
        Ok(match result {
            Some(Type::F) => format!("floatBitsToUint({read})"),
            _ => bits(declared, &read),
        })
    }
}

/// The immediate offset in the instruction token, with this many components.
fn fixed_offset(instruction: &Instruction, axes: usize) -> Option<String> {
    match (instruction.offsets(), axes) {
        ([0, 0, 0], _) => None,
        ([u, ..], 1) => Some(format!("{u}")),
        ([u, v, _], 2) => Some(format!("ivec2({u}, {v})")),
        ([u, v, w], _) => Some(format!("ivec3({u}, {v}, {w})")),
    }
}

/// The type prefix for integer textures: `u` or `i`.
fn prefix(resource: &ResourceDeclaration) -> &'static str {
    let kind = ReturnType::from_code(resource.return_type);
    match (resource.dimension, kind) {
        (Dimension::RawBuffer | Dimension::StructuredBuffer, _) => "u",
        (_, Some(ReturnType::Uint)) => "u",
        (_, Some(ReturnType::Sint)) => "i",
        _ => "",
    }
}

/// A texel as bits.
fn bits(resource: &ResourceDeclaration, texel: &str) -> String {
    match prefix(resource) {
        "" => format!("floatBitsToUint({texel})"),
        _ => format!("uvec4({texel})"),
    }
}

fn is_array(dimension: Dimension) -> bool {
    use Dimension::{Texture1dArray, Texture2dArray, Texture2dMsArray, TextureCubeArray};
    matches!(dimension, Texture1dArray | Texture2dArray | Texture2dMsArray | TextureCubeArray)
}

/// Loads one texel at `count` coordinates. Reads beyond the texture, its layers and a full chain of levels give 0, unlike
/// in GLSL. Whether a texture has all levels of the chain can't be queried before GLSL 430.
fn texel(
    lines: &mut Lines,
    instruction: &Instruction,
    resource: &ResourceDeclaration,
    name: &str,
    address: &str,
    count: usize,
) -> Result<String, Lack> {
    if let Dimension::TextureCube | Dimension::TextureCubeArray = resource.dimension {
        return Err("ld of a cube".to_owned());
    }
    // At level 31 no texture has a texel.
    let level = lines.variable("int", "l", &format!("int(min({address}.w, 31u))"));
    let kinds = ["int", "ivec2", "ivec3"];
    let vector = |axes: usize| kinds.get(axes.wrapping_sub(1)).copied().unwrap_or("ivec3");
    let letters = |axes: usize| "xyz".get(..axes).unwrap_or("xyz");
    // Levels halve all axes but the layer.
    let halved = count.saturating_sub(usize::from(is_array(resource.dimension)));
    let (kind, halves) = (vector(count), vector(halved));
    let offsets = instruction.offsets().map(|offset| offset.to_string());
    let offsets: Vec<String> = offsets.into_iter().take(count).collect();
    let axes = (0..count).map(|axis| if axis < halved { level.as_str() } else { "0" });
    let axes: Vec<&str> = axes.collect();
    let place = format!("{kind}({address}.{})", letters(count));
    let place = format!("{place} + {kind}({})", offsets.join(", "));
    let place = lines.variable(kind, "p", &place);
    let size = format!("{kind}(textureSize({name}, 0)) >> {kind}({})", axes.join(", "));
    let size = lines.variable(kind, "s", &size);
    let texel = bits(resource, &format!("texelFetch({name}, {place}, {level})"));
    let exists = match (count, halved) {
        (1, _) => format!("{size} > 0"),
        (_, 1) => format!("{size}.x > 0"),
        _ => format!("any(greaterThan({size}.{}, {halves}(0)))", letters(halved)),
    };
    let inside = match count {
        1 => format!("{exists} && {place} >= 0 && {place} < {size}"),
        _ => format!(
            "{exists} && all(greaterThanEqual({place}, {kind}(0))) && all(lessThan({place}, max({size}, {kind}(1))))"
        ),
    };
    Ok(format!("({inside} ? {texel} : uvec4(0u))"))
}

/// The size of a texture with this many coordinates.
fn size(
    instruction: &Instruction,
    name: &str,
    address: &str,
    count: usize,
) -> Result<String, Lack> {
    let swizzle = instruction.sources().get(1).map(Operand::swizzle);
    // Querying the number of mip levels needs GLSL 430.
    if count > 3 || swizzle.is_some_and(|swizzle| swizzle.contains(&3)) {
        return Err("the number of levels of resinfo".to_owned());
    }
    let size = format!("textureSize({name}, int({address}.x))");
    let size = match count {
        1 => format!("uvec4(uint({size}), 0u, 0u, 0u)"),
        2 => format!("uvec4({size}, 0u, 0u)"),
        _ => format!("uvec4({size}, 0u)"),
    };
    Ok(match instruction.control(11, 2) {
        2 => size,
        1 => format!("floatBitsToUint(1.0 / vec4({size}))"),
        _ => format!("floatBitsToUint(vec4({size}))"),
    })
}
