//! Statements and expressions. GLSL assigns to masks, and its comparisons of scalars and of vectors differ.

use std::fmt::Write as _;

use super::{Emitter, names};
use crate::float::{LARGEST, Limit};
use crate::ir::{Read, Step, Write};
use crate::isa::opcode::{Relation, SampleLevel};
use crate::isa::operand::{Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, Sampler};
use crate::token::Instruction;
use crate::wgsl::writer::{Function, Name, Number, Shader, Writer};

/// Returns the function that compares vectors.
fn comparison(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "equal(",
        Relation::NotEqual => "notEqual(",
        Relation::GreaterOrEqual => "greaterThanEqual(",
        Relation::Greater => "greaterThan(",
        Relation::Less => "lessThan(",
    }
}

impl<'a> Writer<'a> for Emitter<'a> {
    type Value = ();

    fn shader(&self) -> &Shader<'a> {
        &self.shader
    }

    #[inline]
    fn part(&mut self, function: Function, argument: usize) {
        self.out.push_str(function.glsl().get(argument).copied().unwrap_or_default());
    }

    fn result(&mut self, _: Function, _: &[()]) {}

    fn register(&mut self, file: RegisterFile, number: u16) {
        self.name_of(file, number);
    }

    fn indexed(&mut self, index: impl FnOnce(&mut Self), offset: i16) {
        self.out.put(&["vc[", names::INDEX, "("]);
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

    /// Writes a scalar, which GLSL combines with vectors.
    fn number(&mut self, number: Number, _: usize) {
        self.largest |= number.value.abs() == LARGEST;
        self.out.push_str(number.text);
    }

    fn integer(&mut self, number: i32) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.out.text, "{number}");
    }

    fn vector(&mut self, width: usize, parts: usize, mut part: impl FnMut(&mut Self, usize)) {
        let [before, after] = match width {
            0 | 1 => ["", ""],
            2 => ["vec2(", ")"],
            3 => ["vec3(", ")"],
            _ => ["vec4(", ")"],
        };
        self.out.push_str(before);
        for index in 0..parts {
            self.out.push_str(if index > 0 { ", " } else { "" });
            part(self, index);
        }
        self.out.push_str(after);
    }

    fn normalize(&mut self, vector: impl FnOnce(&mut Self)) {
        self.out.put(&[names::NORMALIZE, "("]);
        vector(self);
        self.out.push(')');
    }

    fn sample(
        &mut self,
        level: SampleLevel,
        sampler: &Sampler,
        coordinates: impl FnOnce(&mut Self),
    ) {
        let [two_d, cube] = match level {
            SampleLevel::Implicit => self.dialect.words().texture,
            SampleLevel::LevelZero => self.dialect.words().texture_lod,
        };
        let function = match sampler.dimension {
            Dimension::TwoD => two_d,
            Dimension::Cube => cube,
        };
        self.out.put(&[function, "("]);
        self.register(RegisterFile::Sampler, sampler.register);
        self.out.push_str(", ");
        coordinates(self);
        let bias = sampler.bias();
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
        self.out.indent();
        self.out.push_str("vec4 ");
        self.named(name);
        self.out.push_str(" = ");
        value(self);
        self.out.push(';');
    }

    fn assign(&mut self, dest: &Write, components: WriteMask, value: impl FnOnce(&mut Self)) {
        self.out.indent();
        self.register(dest.file, dest.number);
        // The depth output is a scalar, and its mask is always x (3756).
        if dest.file != RegisterFile::DepthOutput {
            self.out.components(components);
        }
        self.out.push_str(" = ");
        value(self);
        self.out.push(';');
    }

    fn assignment(&mut self, step: &Step, dest: &Write, value: impl Fn(&mut Self)) {
        let limit = if step.limited { Limit::Both } else { Limit::None };
        self.assign(dest, dest.mask, |out| out.limited(limit, dest.mask, value));
    }

    fn compare(&mut self, relation: Relation, mask: WriteMask, a: &Read, b: &Read) {
        if mask.len() == 1 {
            self.out.push_str("float(");
            self.relation(relation, mask, a, b);
            return self.out.push(')');
        }
        self.vector(mask.len(), 1, |out, _| {
            out.out.push_str(comparison(relation));
            out.source(a, mask);
            out.out.push_str(", ");
            out.source(b, mask);
            out.out.push(')');
        });
    }

    /// Writes a comparison of scalars.
    fn relation(&mut self, relation: Relation, lane: WriteMask, a: &Read, b: &Read) {
        self.source(a, lane);
        self.out.put(&[" ", relation.operator(), " "]);
        self.source(b, lane);
    }

    fn kill(&mut self, condition: impl FnOnce(&mut Self)) {
        self.out.indent();
        self.out.push_str("if (");
        condition(self);
        if self.shader.liveness.late_kill {
            self.out.put(&[") ", names::KILLED, " = true;"]);
        } else {
            self.out.push_str(") discard;");
        }
    }

    fn begin_if(&mut self, condition: impl FnOnce(&mut Self)) {
        self.out.indent();
        self.out.push_str("if (");
        condition(self);
        self.out.push_str(") {");
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
