//! The text of a shader.

use std::fmt::Write as _;

use super::Target;
use super::writer::{Function, Name, Number, Shader, Writer};
use crate::float::LARGEST;
use crate::ir::Write;
use crate::isa::opcode::SampleLevel;
use crate::isa::operand::{Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Sampler;
use crate::link::LinkedPair;
use crate::token::Instruction;
use crate::version::Stage;
use agal_core::output::Output;

/// The function for `nrm`.
pub(super) const NORMALIZE: &str = "agal_nrm";
/// The function for the index of an indirect read.
pub(super) const INDEX: &str = "agal_index";
/// The variable for a delayed `kil`.
pub(super) const KILLED: &str = "killed";

/// Approximate length of a statement. Longer ones grow the buffer.
const BYTES_PER_TOKEN: usize = 48;

/// A writer of text.
pub(super) struct Text<'a> {
    pub(super) out: Output,
    pub(super) shader: Shader<'a>,
    /// The text names the largest float.
    pub(super) largest: bool,
}

impl<'a> Text<'a> {
    /// Returns the text of a stage's shader without the helpers.
    pub(super) fn of(pair: &'a LinkedPair, stage: Stage, target: &'a Target<'a>) -> Self {
        let shader = Shader::new(pair, stage, target);
        let out = Output::new(512 + BYTES_PER_TOKEN * shader.program.steps().len());
        let mut text = Text { out, shader, largest: false };
        text.resources();
        text.entry_point();
        text.out.depth = 1;
        text.statements();
        text.results();
        text.out.push_str("}\n");
        text
    }

    /// Writes the name of a register file.
    pub(super) fn file(&mut self, file: RegisterFile) {
        // A valid program uses only files that have a name in its stage.
        self.out.push_str(file.name(self.shader.stage).unwrap_or_default());
    }

    /// Begins a statement, on the line of the previous one unless that has ended.
    fn begin(&mut self) {
        if self.out.text.ends_with('\n') {
            self.out.indent();
        } else {
            self.out.push(' ');
        }
    }
}

impl<'a> Writer<'a> for Text<'a> {
    type Value = ();

    fn shader(&self) -> &Shader<'a> {
        &self.shader
    }

    #[inline]
    fn part(&mut self, function: Function, argument: usize) {
        self.out.push_str(function.wgsl().get(argument).copied().unwrap_or_default());
    }

    fn result(&mut self, _: Function, _: &[()]) {}

    fn register(&mut self, file: RegisterFile, number: u16) {
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

    fn indexed(&mut self, index: impl FnOnce(&mut Self), offset: i16) {
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

    fn number(&mut self, number: Number, width: usize) {
        self.largest |= number.value.abs() == LARGEST;
        self.vector(width, 1, |out, _| out.out.push_str(number.text));
    }

    fn integer(&mut self, number: i32) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.out.text, "{number}");
    }

    fn vector(&mut self, width: usize, parts: usize, mut part: impl FnMut(&mut Self, usize)) {
        let [before, after] = match width {
            0 | 1 => ["", ""],
            2 => ["vec2f(", ")"],
            3 => ["vec3f(", ")"],
            _ => ["vec4f(", ")"],
        };
        self.out.push_str(before);
        for index in 0..parts {
            self.out.push_str(if index > 0 { ", " } else { "" });
            part(self, index);
        }
        self.out.push_str(after);
    }

    fn normalize(&mut self, vector: impl FnOnce(&mut Self)) {
        self.out.put(&[NORMALIZE, "("]);
        vector(self);
        self.out.push(')');
    }

    fn sample(
        &mut self,
        level: SampleLevel,
        sampler: &Sampler,
        coordinates: impl FnOnce(&mut Self),
    ) {
        let bias = sampler.bias();
        self.out.push_str(match level {
            SampleLevel::LevelZero => "textureSampleLevel(",
            SampleLevel::Implicit if bias == 0.0 => "textureSample(",
            SampleLevel::Implicit => "textureSampleBias(",
        });
        self.register(RegisterFile::Sampler, sampler.register);
        self.out.push_str(", ");
        self.register(RegisterFile::Sampler, sampler.register);
        self.out.push_str("_sampler, ");
        coordinates(self);
        match level {
            SampleLevel::LevelZero => self.out.push_str(", 0.0"),
            SampleLevel::Implicit if bias == 0.0 => {}
            // Multiples of 1/8 are exact in decimal. Writing to a `String` cannot fail.
            SampleLevel::Implicit => {
                let _ = write!(self.out.text, ", {bias:?}");
            }
        }
        self.out.push(')');
    }

    fn named(&mut self, name: Name) {
        self.out.numbered(name.prefix, name.token);
    }

    fn name(&mut self, name: Name, value: impl FnOnce(&mut Self)) {
        self.begin();
        self.out.push_str("let ");
        self.named(name);
        self.out.push_str(" = ");
        value(self);
        self.out.push(';');
    }

    fn assign(&mut self, dest: &Write, components: WriteMask, value: impl FnOnce(&mut Self)) {
        self.begin();
        self.register(dest.file, dest.number);
        // The depth output is a scalar, and its mask is always x (3756).
        if dest.file != RegisterFile::DepthOutput {
            self.out.components(components);
        }
        self.out.push_str(" = ");
        value(self);
        self.out.push(';');
    }

    fn kill(&mut self, condition: impl FnOnce(&mut Self)) {
        self.begin();
        self.out.push_str("if ");
        condition(self);
        if self.shader.liveness.late_kill {
            self.out.put(&[" { ", KILLED, " = true; }"]);
        } else {
            self.out.push_str(" { discard; }");
        }
    }

    fn begin_if(&mut self, condition: impl FnOnce(&mut Self)) {
        self.begin();
        self.out.push_str("if ");
        condition(self);
        self.out.push_str(" {");
        self.out.depth = self.out.depth.saturating_add(1);
    }

    fn begin_else(&mut self) {
        self.out.else_block();
    }

    fn end_if(&mut self) {
        self.out.end_block("}");
    }

    fn end_line(&mut self, token: Option<&Instruction>) {
        let comment = self.shader.comment(token);
        self.out.put(&[&comment, "\n"]);
    }
}
