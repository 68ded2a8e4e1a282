//! The GLSL syntax for the text writer, which emits WGSL and GLSL. Unlike WGSL, GLSL can assign to a write mask, and
//! compares scalars and vectors differently.

use agal_core::glsl::OutputDeclaration;

use super::{GlslEmitter, GlslLanguage};
use crate::isa::opcode::{Relation, SampleLevel};
use crate::isa::operand::WriteMask;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, SamplerOp};
use crate::version::Stage;
use crate::wgsl::text::TextLanguage;
use crate::wgsl::writer::{Function, ShaderWriter as _};

impl<'a> TextLanguage<'a> for GlslLanguage<'a> {
    const IS_GLSL: bool = true;
    const NAMED: &'static str = "vec4 ";
    const VECTORS: [&'static str; 3] = ["vec2(", "vec3(", "vec4("];
    const CONDITION: [&'static str; 2] = ["if (", ") "];
    const STATEMENT: [&'static str; 2] = ["", ""];

    fn parts(function: Function) -> [&'static str; 4] {
        function.glsl()
    }

    fn register(text: &mut GlslEmitter<'a>, file: RegisterFile, number: u16) {
        let dialect = text.language.dialect;
        let built_in = dialect.outputs() == OutputDeclaration::BuiltIn;
        match (file, text.shader.stage) {
            (RegisterFile::Constant, _) => {
                let element = text.language.constants.binary_search(&number);
                let element = u16::try_from(element.unwrap_or_default());
                text.register_name(file, element.unwrap_or_default());
            }
            (RegisterFile::DepthOutput, _) => {
                text.out.push_str(dialect.features().depth_output.word);
            }
            (RegisterFile::Output, Stage::Fragment) if built_in => {
                if text.shader.interface().color_outputs == 1 {
                    text.out.push_str("gl_FragColor");
                } else {
                    text.out.numbered("gl_FragData[", number.into());
                    text.out.push(']');
                }
            }
            (
                RegisterFile::Output
                | RegisterFile::InstanceId
                | RegisterFile::Attribute
                | RegisterFile::Temporary
                | RegisterFile::Varying
                | RegisterFile::Sampler,
                _,
            ) => text.register_name(file, number),
        }
    }

    fn sample(text: &mut GlslEmitter<'a>, level: SampleLevel, sampler: &SamplerOp) {
        let words = text.language.dialect.words();
        let [two_d, cube] = match level {
            SampleLevel::Implicit => words.texture,
            SampleLevel::LevelZero => words.texture_lod,
        };
        let function = match sampler.dimension {
            Dimension::TwoD => two_d,
            Dimension::Cube => cube,
        };
        text.out.put(&[function, "("]);
        text.register(RegisterFile::Sampler, sampler.register);
        text.out.push_str(", ");
    }

    fn comparison(relation: Relation, mask: WriteMask) -> Option<[&'static str; 3]> {
        let scalar = mask.len() == 1;
        Some(if scalar { ["", relation.operator(), ""] } else { [relation.function(), ", ", ")"] })
    }
}
