//! Texture instructions of models 2 and 3.

use shader_core::{Swizzle, WriteMask};

use super::source::{selector, vector};
use super::{Emitter, GlslError};
use crate::opcode::{Load, Texture};
use crate::program::Instruction;
use crate::register::File;

impl Texture {
    /// Whether the instruction reads a texture; in ps_1_x that of its own stage.
    pub(super) fn reads_texels(self) -> bool {
        use Texture as T;
        match self {
            T::Load | T::LoadGradient | T::LoadLevel | T::Bem { .. } | T::FromRegister(_) => true,
            T::MatrixLoad { .. } | T::Reflect { .. } | T::DotLoad => true,
            T::Coordinate | T::Kill | T::Pad { .. } | T::Dot | T::Depth => false,
            T::MatrixValue | T::MatrixDepth => false,
        }
    }
}

impl Emitter<'_> {
    /// The sampler state's LOD bias.
    pub(super) fn bias(&self, sampler: u16) -> f32 {
        let bias = self.target.lod_bias.get(usize::from(sampler));
        bias.copied().unwrap_or(0.0)
    }

    pub(super) fn texture(
        &mut self,
        instruction: &Instruction,
        texture: Texture,
    ) -> Result<(), GlslError> {
        if texture == Texture::Kill {
            self.kill(instruction);
            return Ok(());
        }
        let sampler = instruction.source(1);
        let number = sampler.number();
        let dimension = self.declared.sampler(number);
        let lanes = WriteMask::first(dimension.coordinates());
        let coordinates = self.source(instruction.source(0), lanes);
        let w = || self.source(instruction.source(0), WriteMask::from_bits(8));
        let name = format!("{}s{number}", self.prefix());
        let bias = self.bias(number);
        let with_bias = if bias == 0.0 { String::new() } else { format!(", {bias:?}") };
        let value = match (texture, instruction.load()) {
            (Texture::LoadLevel, _) => format!("textureLod({name}, {coordinates}, {})", w()),
            (Texture::LoadGradient, _) => {
                // No GLSL function takes both gradients and a bias, so the gradients are scaled.
                let scale = match bias {
                    0.0 => String::new(),
                    bias => format!(" * {:?}", bias.exp2()),
                };
                let gradient = |place| self.source(instruction.source(place), lanes) + &scale;
                let [dx, dy] = [2, 3].map(gradient);
                format!("textureGrad({name}, {coordinates}, {dx}, {dy})")
            }
            (Texture::Load, _) if self.vertex() => {
                return Err(self.unsupported("texld in a vertex shader"));
            }
            (_, Some(Load::Project)) => {
                format!("texture({name}, {coordinates} / {}{with_bias})", w())
            }
            (_, Some(Load::Bias)) if bias == 0.0 => {
                format!("texture({name}, {coordinates}, {})", w())
            }
            (_, Some(Load::Bias)) => format!("texture({name}, {coordinates}, {} + {bias:?})", w()),
            _ => format!("texture({name}, {coordinates}{with_bias})"),
        };
        let mask = instruction.dest.map_or(WriteMask::ALL, |dest| dest.mask());
        // The sampler's swizzle applies to the result.
        let selector = selector(sampler.swizzle(), mask);
        self.assign_parts(instruction, mask, &[&value, &selector]);
        Ok(())
    }

    /// Discards where any tested component is below zero (d3d9-shaders.md section 5.3). The pixel continues to run,
    /// since its neighbours need its values for derivatives.
    pub(super) fn kill(&mut self, instruction: &Instruction) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let Some(register) = dest.register(self.version) else {
            return;
        };
        let mask = match self.version.major() {
            1 => WriteMask::first(3),
            _ => dest.mask(),
        };
        let number = register.number;
        let name = match register.file {
            File::Texture if self.version.is_ps_1_1_to_1_3() => format!("coord{number}"),
            File::Input => self.input_name(number),
            _ => register.to_string(),
        };
        let value = format!("{name}{}", selector(Swizzle::IDENTITY, mask));
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
