//! Translates texture instructions of models 2 and 3.

use agal_core::WriteMask;

use super::D3d9Emitter;
use super::instruction::FeatureResult;
use super::source::{masked, selector, vector};
use crate::dataflow;
use crate::opcode::{Load, TextureOp};
use crate::operand::Dimension;
use crate::program::D3d9Instruction;
use crate::register::ShaderFile;

impl D3d9Emitter<'_> {
    pub(super) fn bias(&self, sampler: u16) -> f32 {
        let bias = self.options.lod_bias.get(usize::from(sampler));
        bias.copied().unwrap_or(0.0)
    }

    pub(super) fn texture(
        &mut self,
        number: u32,
        instruction: &D3d9Instruction,
        texture: TextureOp,
    ) -> FeatureResult {
        if texture == TextureOp::Kill {
            self.kill(instruction);
            return Ok(());
        }
        let value = if self.hoisted.contains(&number) {
            format!("hoisted{number}")
        } else {
            self.lookup(instruction, texture)?
        };
        let mask = instruction.mask();
        // The sampler's swizzle applies to the texel that is read.
        let swizzle = instruction.source(1).swizzle();
        self.assign(instruction, mask, &(value + &selector(swizzle, mask)));
        Ok(())
    }

    /// Returns a texture read, an expression with four components.
    pub(super) fn lookup(
        &self,
        read: &D3d9Instruction,
        texture: TextureOp,
    ) -> FeatureResult<String> {
        let number = read.source(1).number();
        let dimension = self.declared.sampler(number).unwrap_or(Dimension::TwoD);
        let lanes = WriteMask::first(dimension.coordinates());
        let coordinates = self.source(read.source(0), lanes);
        let w = || self.source(read.source(0), WriteMask::from_bits(8));
        let name = format!("{}s{number}", self.prefix());
        let bias = self.bias(number);
        let with_bias = if bias == 0.0 { String::new() } else { format!(", {bias:?}") };
        Ok(match (texture, read.load()) {
            (TextureOp::LoadLevel, _) => {
                format!("textureLod({name}, {coordinates}, {})", w())
            }
            (TextureOp::LoadGradient, _) => {
                // No GLSL function accepts both gradients and a bias, so the gradients are scaled.
                let scale =
                    if bias == 0.0 { String::new() } else { format!(" * {:?}", bias.exp2()) };
                let gradient = |index| self.source(read.source(index), lanes) + &scale;
                let [dx, dy] = [2, 3].map(gradient);
                format!("textureGrad({name}, {coordinates}, {dx}, {dy})")
            }
            (TextureOp::Load, _) if self.vertex() => {
                return Err("texld in a vertex shader");
            }
            (_, Some(Load::Project)) => {
                let projected = self.quotient(&coordinates, &w());
                format!("texture({name}, {projected}{with_bias})")
            }
            (_, Some(Load::Bias)) if bias == 0.0 => {
                format!("texture({name}, {coordinates}, {})", w())
            }
            (_, Some(Load::Bias)) => format!("texture({name}, {coordinates}, {} + {bias:?})", w()),
            _ => format!("texture({name}, {coordinates}{with_bias})"),
        })
    }

    /// Emits a discard if a tested component is negative ([d3d9.texkill.components]). A discarded pixel continues as a
    /// helper invocation, because its neighbours need its values for derivatives.
    pub(super) fn kill(&mut self, instruction: &D3d9Instruction) {
        let Some(register) = instruction.dest_register(self.version) else { return };
        let mask = dataflow::read_from_dest(instruction, self.version);
        let number = register.number;
        let name = match register.file {
            ShaderFile::Texture if self.version.is_ps_1_1_to_1_3() => format!("coord{number}"),
            ShaderFile::Input => self.input_name(number),
            _ => register.to_string(),
        };
        let value = name + &masked(mask);
        let mut condition = match mask.len() {
            1 => format!("{value} < 0.0"),
            count => format!("any(lessThan({value}, {}(0.0)))", vector(count)),
        };
        if let Some(predicate) = instruction.predicate {
            let flags = self.predicate(predicate, mask);
            condition = match mask.len() {
                1 => format!("{condition} && {flags}"),
                count => format!(
                    "any(lessThan(mix({0}(0.0), {value}, {flags}), {0}(0.0)))",
                    vector(count)
                ),
            };
        }
        self.line(format_args!("if ({condition}) killed = true;"));
    }
}
