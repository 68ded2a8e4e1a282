//! Translates reads from buffers and textures ([hs50.resource.instructions] [hs50.gl.reads]).

use agal_core::{Component, WriteMask};

use super::instructions::{GlslResult, swizzle};
use super::phase::HullEmitter;
use super::{Dialect, HullTextureUse};
use crate::hull::{Hull, HullBinding};
use crate::names::{Dimension, ReturnType};
use crate::tokens::opcode::{HullOpcode, Type};
use crate::tokens::operand::{HullOperand, OperandKind};
use crate::tokens::program::{HullInstruction, field};

/// Maximum number of textures, or texture and sampler combinations, that a dynamically indexed read may select from.
/// GLSL needs a separate read for each texture and sampler that the index can select.
const MAX_CHOICES: usize = 16;

struct ResourceRead {
    slot: u32,
    binding: HullBinding,
    dimension: Dimension,
    letters: &'static str,
}

/// Returns the coordinate components of a texture dimension, and the dimension's suffix in GLSL sampler types.
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

pub(super) fn sampler_type(hull: &Hull, texture: &HullTextureUse) -> String {
    let binding = hull.bindings.get(&(OperandKind::Resource, texture.resource));
    let shape = binding.and_then(|binding| shape(binding.dimension?));
    let name = shape.map_or("2D", |(_, name)| name);
    let shadow = if texture.compares { "Shadow" } else { "" };
    format!("{}sampler{name}{shadow}", binding.map_or("", prefix))
}

impl HullEmitter<'_> {
    /// Returns the result of a resource read as `uvec4`, with the resource operand's swizzle. GLSL can't index samplers
    /// dynamically. For a dynamic index, reads all declared t# and s#, and selects the result ([hs50.resource.chosen]).
    pub(super) fn look_up(&mut self, instruction: &HullInstruction) -> GlslResult {
        let unknown = || instruction.opcode().name().to_owned();
        let operand = instruction.resource().ok_or_else(unknown)?;
        let resources: Vec<_> = self.hull.choices(operand, instruction).collect();
        let sampler = instruction.sampler();
        let samplers: Vec<Option<u32>> = match sampler {
            Some(operand) => {
                self.hull.choices(operand, instruction).map(|(number, _)| Some(number)).collect()
            }
            None => vec![None],
        };
        if resources.len().saturating_mul(samplers.len()) > MAX_CHOICES {
            return Err(format!("a choice between more than {MAX_CHOICES} t# and s#"));
        }
        let index = self.choice(operand);
        let other = sampler.and_then(|sampler| self.choice(sampler));
        let mut text = "uvec4(0u)".to_owned();
        for (slot, binding) in resources {
            for number in &samplers {
                let value = self.look_up_one(instruction, slot, binding, *number)?;
                let pairs = [(&index, Some(slot)), (&other, *number)];
                let tests = pairs.into_iter().filter_map(|(index, number)| {
                    Some(format!("{} == {}u", index.as_ref()?, number?))
                });
                let test = tests.collect::<Vec<_>>().join(" && ");
                text = if test.is_empty() { value } else { format!("({test} ? {value} : {text})") };
            }
        }
        Ok(format!("({text}).{}", swizzle(operand)))
    }

    /// If the operand has a dynamic index, assigns the index to a variable and returns the variable's name.
    fn choice(&mut self, operand: &HullOperand) -> Option<String> {
        operand.indices.first()?.relative()?;
        let index = self.index(operand, 0);
        Some(self.variable("uint", "i", &index))
    }

    fn look_up_one(
        &mut self,
        instruction: &HullInstruction,
        slot: u32,
        binding: HullBinding,
        sampler: Option<u32>,
    ) -> GlslResult {
        let opcode = instruction.opcode();
        let dimension = binding.dimension.ok_or_else(|| opcode.name().to_owned())?;
        let Some((letters, name)) = shape(dimension) else {
            return Err(format!("{} of {}", opcode.name(), dimension.name()));
        };
        if name.starts_with("1D") && self.dialect == Dialect::Glsl320Es {
            return Err(format!("{} in GLSL {}", dimension.name(), self.dialect.name()));
        }
        let read = ResourceRead { slot, binding, dimension, letters };
        use HullOpcode::{Bufinfo, Ld, LdRaw, LdStructured, Resinfo};
        match opcode {
            Ld | LdRaw | LdStructured | Bufinfo | Resinfo => self.load(instruction, &read),
            _ => self.sample(instruction, &read, sampler),
        }
    }

    fn uniform(&mut self, resource: u32, sampler: Option<u32>, compares: bool) -> String {
        let texture = HullTextureUse { resource, sampler, compares };
        self.textures.insert(texture);
        texture.name()
    }

    fn load(&mut self, instruction: &HullInstruction, read: &ResourceRead) -> GlslResult {
        let name = self.uniform(read.slot, None, false);
        let address = self.source(instruction, 0);
        let address = self.variable("uvec4", "a", &address);
        let stride = read.binding.size;
        // Reads four dwords of a buffer, each with a bounds check: reads past the end give 0.
        let words = |first: String| {
            let one = |more: u32| {
                let word = format!("int({first} / 4u + {more}u)");
                format!("({word} < textureSize({name}) ? texelFetch({name}, {word}).x : 0u)")
            };
            format!("uvec4({}, {}, {}, {})", one(0), one(1), one(2), one(3))
        };
        Ok(match instruction.opcode() {
            HullOpcode::LdRaw => words(format!("{address}.x")),
            HullOpcode::LdStructured => {
                let byte = self.source(instruction, 1);
                let byte = self.variable("uint", "b", &format!("{byte}.x"));
                let last = u32::MAX / stride.max(1);
                let inside = format!("{byte} < {stride}u && {address}.x < 0x{last:x}u");
                let words = words(format!("({address}.x * {stride}u + {byte})"));
                format!("({inside} ? {words} : uvec4(0u))")
            }
            HullOpcode::Bufinfo => {
                let unit = match read.dimension {
                    Dimension::RawBuffer => " * 4".to_owned(),
                    Dimension::StructuredBuffer => format!(" * 4 / {}", stride.max(1)),
                    _ => String::new(),
                };
                format!("uvec4(textureSize({name}){unit})")
            }
            HullOpcode::Resinfo => return size(instruction, &name, &address, read.letters.len()),
            _ if read.dimension == Dimension::Buffer => {
                let value = bits(&read.binding, &format!("texelFetch({name}, int({address}.x))"));
                format!("({address}.x < uint(textureSize({name})) ? {value} : uvec4(0u))")
            }
            _ => self.texel(instruction, read, &name, &address)?,
        })
    }

    /// Loads a texel. Unlike in GLSL, reads outside of the texture, its layers or a full mip chain give 0. GLSL below
    /// 430 can't query the number of mip levels.
    fn texel(
        &mut self,
        instruction: &HullInstruction,
        read: &ResourceRead,
        name: &str,
        address: &str,
    ) -> GlslResult {
        if let Dimension::TextureCube | Dimension::TextureCubeArray = read.dimension {
            return Err("ld of a cube".to_owned());
        }
        let count = read.letters.len();
        // No texture has a texel at mip level 31.
        let level = self.variable("int", "l", &format!("int(min({address}.w, 31u))"));
        let kinds = ["int", "ivec2", "ivec3"];
        let vector = |axes: usize| kinds.get(axes.wrapping_sub(1)).copied().unwrap_or("ivec3");
        let letters = |axes: usize| "xyz".get(..axes).unwrap_or("xyz");
        // Each mip level halves all axes except the layer.
        let halved = count.saturating_sub(usize::from(is_array(read.dimension)));
        let (kind, halves) = (vector(count), vector(halved));
        let offsets = instruction.offsets().map(|offset| offset.to_string());
        let offsets = offsets.get(..count).unwrap_or_default().join(", ");
        let axes = (0..count).map(|axis| if axis < halved { level.as_str() } else { "0" });
        let axes: Vec<&str> = axes.collect();
        let texel = format!("{kind}({address}.{}) + {kind}({offsets})", letters(count));
        let texel = self.variable(kind, "p", &texel);
        let size = format!("{kind}(textureSize({name}, 0)) >> {kind}({})", axes.join(", "));
        let size = self.variable(kind, "s", &size);
        let value = bits(&read.binding, &format!("texelFetch({name}, {texel}, {level})"));
        let exists = match (count, halved) {
            (1, _) => format!("{size} > 0"),
            (_, 1) => format!("{size}.x > 0"),
            _ => format!("any(greaterThan({size}.{}, {halves}(0)))", letters(halved)),
        };
        let inside = match count {
            1 => format!("{exists} && {texel} >= 0 && {texel} < {size}"),
            _ => format!(
                "{exists} && all(greaterThanEqual({texel}, {kind}(0))) && all(lessThan({texel}, max({size}, {kind}(1))))"
            ),
        };
        Ok(format!("({inside} ? {value} : uvec4(0u))"))
    }

    fn sample(
        &mut self,
        instruction: &HullInstruction,
        read: &ResourceRead,
        number: Option<u32>,
    ) -> GlslResult {
        use HullOpcode::*;
        let opcode = instruction.opcode();
        let mut sources = instruction.sources().iter();
        let is_sampler = |operand: &HullOperand| operand.kind() == OperandKind::Sampler;
        let after = sources.position(is_sampler).ok_or_else(|| opcode.name().to_owned())?;
        let sampler = instruction.sources().get(after);
        let compares = matches!(opcode, SampleCLz | Gather4C | Gather4PoC);
        let name = self.uniform(read.slot, number, compares);
        let channel = sampler.map_or(0, |sampler| sampler.swizzle().bits() & 3);
        let letters = read.letters;
        let texts = self.sources(instruction);
        let bits_of = |number: usize| texts.get(number).map_or("uvec4(0u)", String::as_str);
        let float = |number: usize| format!("uintBitsToFloat({})", bits_of(number));
        let last = |more: usize| float(after.saturating_add(more));
        let at = format!("{}.{letters}", float(0));
        let array = is_array(read.dimension);
        let spatial = letters.len().saturating_sub(usize::from(array));
        let fixed = fixed_offset(instruction, spatial);
        let suffix = if fixed.is_some() { "Offset" } else { "" };
        let offset = fixed.map_or(String::new(), |offset| format!(", {offset}"));
        let gradient = letters.get(..spatial).unwrap_or("xy");
        let value = match opcode {
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
                format!("textureGatherOffset({name}, {at}, ivec2({}.xy), {channel})", bits_of(1))
            }
            Gather4C => format!("textureGather{suffix}({name}, {at}, {}.x{offset})", last(1)),
            Gather4PoC => {
                let offset = format!("ivec2({}.xy)", bits_of(1));
                format!("textureGatherOffset({name}, {at}, {}.x, {offset})", last(1))
            }
            _ => return Err(opcode.name().to_owned()),
        };
        Ok(match opcode.destinations().first() {
            Some(Type::F) => format!("floatBitsToUint({value})"),
            _ => bits(&read.binding, &value),
        })
    }
}

/// Returns the immediate texel offset from the instruction token, with this many components.
fn fixed_offset(instruction: &HullInstruction, axes: usize) -> Option<String> {
    match (instruction.offsets(), axes) {
        ([0, 0, 0], _) => None,
        ([u, ..], 1) => Some(format!("{u}")),
        ([u, v, _], 2) => Some(format!("ivec2({u}, {v})")),
        ([u, v, w], _) => Some(format!("ivec3({u}, {v}, {w})")),
    }
}

/// Returns the GLSL sampler type prefix of integer textures: `u` or `i`.
fn prefix(binding: &HullBinding) -> &'static str {
    let kind = ReturnType::from_code(binding.return_type);
    match (binding.dimension, kind) {
        (Some(Dimension::RawBuffer | Dimension::StructuredBuffer), _) => "u",
        (_, Some(ReturnType::Uint)) => "u",
        (_, Some(ReturnType::Sint)) => "i",
        _ => "",
    }
}

fn bits(binding: &HullBinding, texel: &str) -> String {
    match prefix(binding) {
        "" => format!("floatBitsToUint({texel})"),
        _ => format!("uvec4({texel})"),
    }
}

fn is_array(dimension: Dimension) -> bool {
    use Dimension::{Texture1dArray, Texture2dArray, Texture2dMsArray, TextureCubeArray};
    matches!(dimension, Texture1dArray | Texture2dArray | Texture2dMsArray | TextureCubeArray)
}

fn size(instruction: &HullInstruction, name: &str, at: &str, count: usize) -> GlslResult {
    let read =
        instruction.sources().get(1).map(|operand| operand.swizzle().selected(WriteMask::ALL));
    // A query of the mip level count requires GLSL 430.
    if count > 3 || read.is_some_and(|read| read.contains(Component::W)) {
        return Err("the number of levels of resinfo".to_owned());
    }
    let size = format!("textureSize({name}, int({at}.x))");
    let size = match count {
        1 => format!("uvec4(uint({size}), 0u, 0u, 0u)"),
        2 => format!("uvec4({size}, 0u, 0u)"),
        _ => format!("uvec4({size}, 0u)"),
    };
    Ok(match instruction.control(field::VALUE, 2) {
        2 => size,
        1 => format!("floatBitsToUint(1.0 / vec4({size}))"),
        _ => format!("floatBitsToUint(vec4({size}))"),
    })
}
