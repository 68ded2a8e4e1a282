//! Writes the text of a shader, in WGSL or GLSL.

use std::fmt::Write as _;

use super::WgslOptions;
use super::writer::{AddedConstant, Function, Part, ShaderWriter, ValueName, WgslShader};
use crate::float::LARGEST;
use crate::ir::{IrDestination, IrSource};
use crate::isa::opcode::{Relation, SampleLevel};
use crate::isa::operand::{Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOp;
use crate::link::LinkedPair;
use crate::token::AgalInstruction;
use crate::version::Stage;
use agal_core::output::ShaderText;

pub(crate) const NORMALIZE: &str = "agal_nrm";
/// The name of the helper function for the index of an indirect read.
pub(crate) const INDEX: &str = "agal_index";
/// The name of the variable that delays a `kil`.
pub(crate) const KILLED: &str = "killed";

/// The approximate length of a statement in bytes, for the initial capacity of the output buffer.
const BYTES_PER_TOKEN: usize = 48;

/// A shader language for the text writer; implementations describe how GLSL and WGSL differ.
pub(crate) trait TextLanguage<'a>: Sized {
    /// The value of [`ShaderWriter::IS_GLSL`].
    const IS_GLSL: bool;
    /// The keyword that declares a named value.
    const NAMED: &'static str;
    /// The beginnings of constructors for vectors with 2, 3 and 4 components.
    const VECTORS: [&'static str; 3];
    /// The texts before and after a condition.
    const CONDITION: [&'static str; 2];
    /// The texts before and after a statement that follows a condition.
    const STATEMENT: [&'static str; 2];

    /// Returns the texts before, between and after the arguments of a function.
    fn parts(function: Function) -> [&'static str; 4];
    /// Writes the name of a register.
    fn register(text: &mut TextWriter<'a, Self>, file: RegisterFile, number: u16) {
        text.register_name(file, number);
    }
    /// Writes a texture read up to its coordinates.
    fn sample(text: &mut TextWriter<'a, Self>, level: SampleLevel, sampler: &SamplerOp);
    /// Returns the texts before, between and after the operands of a comparison; `None` if a [`Function`] expresses it.
    fn comparison(relation: Relation, mask: WriteMask) -> Option<[&'static str; 3]>;
}

/// Writes a shader as text.
pub(crate) struct TextWriter<'a, L> {
    pub(crate) out: ShaderText,
    pub(crate) shader: WgslShader<'a>,
    pub(crate) language: L,
    /// True if the text uses the constant with the largest float.
    pub(crate) largest: bool,
}

impl<'a, L> TextWriter<'a, L> {
    pub(crate) fn new(shader: WgslShader<'a>, language: L) -> Self {
        let out = ShaderText::new(512 + BYTES_PER_TOKEN * shader.program.steps().len());
        TextWriter { out, shader, language, largest: false }
    }

    pub(crate) fn file(&mut self, file: RegisterFile) {
        // Every register file that a valid program uses has a name in the program's stage.
        self.out.push_str(file.name(self.shader.stage).unwrap_or_default());
    }

    /// Writes the name of a register as in the text of AGAL; the number of a constant is in brackets.
    pub(crate) fn register_name(&mut self, file: RegisterFile, number: u16) {
        let several = self.shader.interface().color_outputs != 1;
        match (file, self.shader.stage) {
            (RegisterFile::Output, Stage::Fragment) if several => {
                self.out.numbered("fo", number.into());
            }
            (RegisterFile::Constant, _) => {
                self.file(file);
                self.out.numbered("[", number.into());
                self.out.push(']');
            }
            (RegisterFile::Output | RegisterFile::DepthOutput | RegisterFile::InstanceId, _) => {
                self.file(file);
            }
            (
                RegisterFile::Attribute
                | RegisterFile::Temporary
                | RegisterFile::Varying
                | RegisterFile::Sampler,
                _,
            ) => {
                self.file(file);
                self.out.number(number.into());
            }
        }
    }

    /// Begins a statement: after a line break with the indentation, and otherwise with a space.
    fn begin(&mut self) {
        if self.out.text.ends_with('\n') {
            self.out.indent();
        } else {
            self.out.push(' ');
        }
    }
}

impl<'a, L: TextLanguage<'a>> TextWriter<'a, L> {
    fn condition(&mut self, condition: impl Part<'a, Self>) {
        let [before, after] = L::CONDITION;
        self.begin();
        self.out.push_str(before);
        condition(self);
        self.out.push_str(after);
    }
}

impl<'a, L: TextLanguage<'a>> ShaderWriter<'a> for TextWriter<'a, L> {
    type Value = ();
    const IS_GLSL: bool = L::IS_GLSL;

    fn shader(&self) -> &WgslShader<'a> {
        &self.shader
    }

    #[inline]
    fn part(&mut self, function: Function, argument: usize) {
        self.out.push_str(L::parts(function).get(argument).copied().unwrap_or_default());
    }

    fn result(&mut self, _: Function, _: &[()]) {}

    fn register(&mut self, file: RegisterFile, number: u16) {
        L::register(self, file, number);
    }

    fn indexed(&mut self, index: impl Part<'a, Self>, offset: i16) {
        self.file(RegisterFile::Constant);
        self.out.put(&["[", INDEX, "("]);
        index(self);
        let sign = if offset < 0 { ", -" } else { ", " };
        self.out.numbered(sign, offset.unsigned_abs().into());
        self.out.push_str(")]");
    }

    fn components(&mut self, (): (), width: usize, swizzle: Swizzle, lanes: WriteMask) {
        if lanes.len() != width || swizzle != Swizzle::IDENTITY {
            self.out.selector(swizzle, lanes);
        }
    }

    /// Writes a number: in GLSL a scalar, which can be combined with vectors, in WGSL a vector.
    fn number(&mut self, number: AddedConstant, width: usize) {
        self.largest |= number.value.abs() == LARGEST;
        let width = if L::IS_GLSL { 1 } else { width };
        self.vector(width, 1, |out, _| out.out.push_str(number.text));
    }

    fn integer(&mut self, number: i32) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.out.text, "{number}");
    }

    fn vector(&mut self, width: usize, parts: usize, mut part: impl FnMut(&mut Self, usize)) {
        let before = width.checked_sub(2).and_then(|wide| L::VECTORS.get(wide));
        self.out.push_str(before.copied().unwrap_or_default());
        for index in 0..parts {
            self.out.push_str(if index > 0 { ", " } else { "" });
            part(self, index);
        }
        self.out.push_str(before.map_or("", |_| ")"));
    }

    fn normalize(&mut self, vector: impl Part<'a, Self>) {
        self.out.put(&[NORMALIZE, "("]);
        vector(self);
        self.out.push(')');
    }

    fn sample(
        &mut self,
        level: SampleLevel,
        sampler: &SamplerOp,
        coordinates: impl Part<'a, Self>,
    ) {
        L::sample(self, level, sampler);
        coordinates(self);
        let bias = sampler.bias();
        match level {
            SampleLevel::LevelZero => self.out.push_str(", 0.0"),
            SampleLevel::Implicit if bias == 0.0 => {}
            // Multiples of 1/8 are exact in decimal notation. Writing to a `String` cannot fail.
            SampleLevel::Implicit => {
                let _ = write!(self.out.text, ", {bias:?}");
            }
        }
        self.out.push(')');
    }

    fn named(&mut self, name: ValueName) {
        self.out.numbered(name.prefix, name.token);
    }

    fn name(&mut self, name: ValueName, value: impl Part<'a, Self>) {
        self.begin();
        self.out.push_str(L::NAMED);
        self.named(name);
        self.out.push_str(" = ");
        value(self);
        self.out.push(';');
    }

    fn assign(&mut self, dest: &IrDestination, components: WriteMask, value: impl Part<'a, Self>) {
        self.begin();
        self.register(dest.file, dest.number);
        // The depth output is a scalar, whose mask is always x (3756).
        if dest.file != RegisterFile::DepthOutput {
            self.out.components(components);
        }
        self.out.push_str(" = ");
        value(self);
        self.out.push(';');
    }

    fn relation(&mut self, relation: Relation, mask: WriteMask, [a, b]: [&IrSource; 2]) {
        let Some([before, between, after]) = L::comparison(relation, mask) else {
            return self.operator(relation, mask, [a, b]);
        };
        self.out.push_str(before);
        self.source(a, mask);
        self.out.push_str(between);
        self.source(b, mask);
        self.out.push_str(after);
    }

    fn kill(&mut self, condition: impl Part<'a, Self>) {
        self.condition(condition);
        let [before, after] = L::STATEMENT;
        if self.shader.liveness.late_kill {
            self.out.put(&[before, KILLED, " = true;", after]);
        } else {
            self.out.put(&[before, "discard;", after]);
        }
    }

    fn begin_if(&mut self, condition: impl Part<'a, Self>) {
        self.condition(condition);
        self.out.push('{');
        self.out.depth = self.out.depth.saturating_add(1);
    }

    fn begin_else(&mut self) {
        self.out.else_block();
    }

    fn end_if(&mut self) {
        self.out.end_block("}");
    }

    fn end_line(&mut self, token: Option<&AgalInstruction>) {
        let comment = self.shader.comment(token);
        self.out.put(&[&comment, "\n"]);
    }
}

/// The rules of WGSL for the text writer.
pub(super) struct WgslLanguage;

impl<'a> TextLanguage<'a> for WgslLanguage {
    const IS_GLSL: bool = false;
    const NAMED: &'static str = "let ";
    const VECTORS: [&'static str; 3] = ["vec2f(", "vec3f(", "vec4f("];
    const CONDITION: [&'static str; 2] = ["if ", " "];
    const STATEMENT: [&'static str; 2] = ["{ ", " }"];

    fn parts(function: Function) -> [&'static str; 4] {
        function.wgsl()
    }

    fn sample(text: &mut TextWriter<'a, Self>, level: SampleLevel, sampler: &SamplerOp) {
        text.out.push_str(match level {
            SampleLevel::LevelZero => "textureSampleLevel(",
            SampleLevel::Implicit if sampler.bias() == 0.0 => "textureSample(",
            SampleLevel::Implicit => "textureSampleBias(",
        });
        text.register(RegisterFile::Sampler, sampler.register);
        text.out.push_str(", ");
        text.register(RegisterFile::Sampler, sampler.register);
        text.out.push_str("_sampler, ");
    }

    fn comparison(_: Relation, _: WriteMask) -> Option<[&'static str; 3]> {
        None
    }
}

impl<'a> TextWriter<'a, WgslLanguage> {
    /// Returns the text of one stage's shader, without helper functions.
    pub(super) fn of(pair: &'a LinkedPair, stage: Stage, target: &'a WgslOptions<'a>) -> Self {
        let mut text = TextWriter::new(WgslShader::new(pair, stage, target), WgslLanguage);
        text.resources();
        text.entry_point();
        text.statements();
        text.results();
        text
    }
}
