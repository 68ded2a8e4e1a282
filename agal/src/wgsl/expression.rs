//! Values: sources, arithmetic, texture reads. A value has as many components as the mask of its destination.

use std::fmt::Write as _;

use super::Emitter;
use crate::float::{FloatRules, Limit};
use crate::ir::{Action, Address, Read, Step};
use crate::isa::opcode::{
    Binary, BinaryFormula, Derivative, Relation, SampleLevel, Unary, UnaryFormula,
};
use crate::isa::operand::{Component, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Sampler;
use crate::liveness::is_hoisted;
use crate::version::Stage;

/// The name of the largest float.
pub(super) const LARGEST: &str = "agal_largest";
/// The function for `nrm`.
pub(super) const NORMALIZE: &str = "agal_nrm";
/// The function for the index of an indirect read.
pub(super) const INDEX: &str = "agal_index";
/// The variable for a delayed `kil`.
pub(super) const KILLED: &str = "killed";
/// Prefix of the names of hoisted texture reads; the token's number follows.
pub(super) const HOISTED: &str = "tex";

/// Returns the limit and the text around the source.
const fn unary(formula: UnaryFormula) -> (Limit, [&'static str; 2]) {
    match formula {
        UnaryFormula::Mov => (Limit::None, ["", ""]),
        UnaryFormula::Rcp => (Limit::Both, ["1.0 / ", ""]),
        UnaryFormula::Frc => (Limit::None, ["fract(", ")"]),
        UnaryFormula::Sqt => (Limit::None, ["sqrt(abs(", "))"]),
        UnaryFormula::Rsq => (Limit::Above, ["inverseSqrt(abs(", "))"]),
        UnaryFormula::Log => (Limit::Both, ["log2(abs(", "))"]),
        UnaryFormula::Exp => (Limit::Above, ["exp2(", ")"]),
        UnaryFormula::Sin => (Limit::None, ["sin(", ")"]),
        UnaryFormula::Cos => (Limit::None, ["cos(", ")"]),
        UnaryFormula::Abs => (Limit::None, ["abs(", ")"]),
        UnaryFormula::Neg => (Limit::None, ["0.0 - ", ""]),
        UnaryFormula::Sat => (Limit::None, ["saturate(", ")"]),
        UnaryFormula::Sgn => (Limit::None, ["sign(", ")"]),
    }
}

impl Emitter<'_> {
    /// Appends the name of a register that the stage may use.
    pub(super) fn register(&mut self, file: RegisterFile, number: u16) {
        let several = self.pair.interface().color_outputs != 1;
        match (file, self.stage) {
            (RegisterFile::Output, Stage::Fragment) if several => {
                self.out.numbered("fo", number.into());
            }
            (RegisterFile::Constant, _) => {
                self.name(file);
                self.out.numbered("[", number.into());
                self.out.push(']');
            }
            (RegisterFile::Output | RegisterFile::DepthOutput | RegisterFile::InstanceId, _) => {
                self.name(file);
            }
            (
                RegisterFile::Attribute
                | RegisterFile::Temporary
                | RegisterFile::Varying
                | RegisterFile::Sampler,
                _,
            ) => {
                self.name(file);
                self.out.number(number.into());
            }
        }
    }

    /// Appends the name of a register file.
    pub(super) fn name(&mut self, file: RegisterFile) {
        // A valid program uses only files that have a name in its stage.
        self.out.push_str(file.name(self.stage).unwrap_or_default());
    }

    /// Writes a source with its swizzle: the components that `lanes` read, in order. A write mask selects lanes without
    /// moving them ([agal.dest.mask]).
    pub(super) fn source(&mut self, read: &Read, lanes: WriteMask) {
        self.row(read, Component::X, lanes);
    }

    fn row(&mut self, read: &Read, row: Component, lanes: WriteMask) {
        match read.row(row).address {
            Address::Direct(file, number) => self.register(file, number),
            Address::Indirect { file, number, component, offset } => {
                let offset = i16::from(offset) + i16::from(row.bits());
                self.name(RegisterFile::Constant);
                self.out.put(&["[", INDEX, "("]);
                self.register(file, number);
                self.out.components(WriteMask::EMPTY.with(component));
                let sign = if offset < 0 { ", -" } else { ", " };
                self.out.numbered(sign, offset.unsigned_abs().into());
                self.out.push_str(")]");
            }
        }
        if lanes != WriteMask::ALL || read.swizzle != Swizzle::IDENTITY {
            self.out.selector(read.swizzle, lanes);
        }
    }

    /// Writes a value of a mask's width that a step computes.
    pub(super) fn value(&mut self, step: &Step, mask: WriteMask) {
        let limit = if step.limited { Limit::Both } else { Limit::None };
        self.limited(limit, mask, |out| match &step.action {
            Action::Unary(op, _, a) => out.unary(*op, mask, a),
            Action::Binary(op, _, a, b) => out.binary(*op, mask, a, b),
            Action::Sample(lookup, _, coordinates, sampler) => {
                if is_hoisted(out.out.depth.saturating_sub(1), step) {
                    out.out.numbered(HOISTED, step.token);
                } else {
                    out.lookup(*lookup, coordinates, sampler);
                }
                out.out.components(mask);
            }
            // They have no value.
            Action::Block(_) | Action::Kill(_) | Action::If(..) => {}
        });
    }

    /// Writes a value within its limits, if the target's float rules have any.
    fn limited(&mut self, limit: Limit, mask: WriteMask, value: impl FnOnce(&mut Self)) {
        let limit = self.target.float_rules.limit(limit);
        match limit {
            Limit::None => return value(self),
            Limit::Above => self.out.push_str("min("),
            Limit::Both => self.out.push_str("clamp("),
        }
        value(self);
        if let Limit::Both = limit {
            self.out.push_str(", ");
            self.splat(mask, |out| out.out.put(&["-", LARGEST]));
        }
        self.out.push_str(", ");
        self.splat(mask, |out| out.out.push_str(LARGEST));
        self.out.push(')');
        self.largest = true;
    }

    /// Writes a value of a mask's width of a scalar, or of as many scalars.
    fn splat(&mut self, mask: WriteMask, scalars: impl FnOnce(&mut Self)) {
        let [before, after] = match mask.len() {
            0 | 1 => ["", ""],
            2 => ["vec2f(", ")"],
            3 => ["vec3f(", ")"],
            _ => ["vec4f(", ")"],
        };
        self.out.push_str(before);
        scalars(self);
        self.out.push_str(after);
    }

    fn unary(&mut self, op: Unary, mask: WriteMask, a: &Read) {
        let (limit, [before, after]) = match op {
            Unary::Formula(formula) => unary(formula),
            Unary::Derivative(Derivative::X) => (Limit::None, ["dpdx(", ")"]),
            // Window y grows downwards, as in Direct3D ([agal.ddy.sign]).
            Unary::Derivative(Derivative::Y) => (Limit::None, ["dpdy(", ")"]),
            Unary::Normalize => {
                self.out.put(&[NORMALIZE, "("]);
                self.source(a, WriteMask::first(3));
                self.out.push(')');
                return self.out.three(mask);
            }
        };
        self.limited(limit, mask, |out| {
            out.out.push_str(before);
            out.source(a, mask);
            out.out.push_str(after);
        });
    }

    fn binary(&mut self, op: Binary, mask: WriteMask, a: &Read, b: &Read) {
        match op {
            Binary::Formula(formula) => self.formula(formula, mask, a, b),
            Binary::Compare(relation) => {
                self.out.push_str("select(");
                self.splat(mask, |out| out.out.push_str("0.0"));
                self.out.push_str(", ");
                self.splat(mask, |out| out.out.push_str("1.0"));
                self.out.push_str(", ");
                self.relation(relation, mask, a, b);
                self.out.push(')');
            }
            Binary::Dot(width) => self.splat(mask, |out| out.dot(width, a, b, Component::X)),
            Binary::Cross => {
                self.between(["cross(", ", ", ")"], WriteMask::first(3), a, b);
                self.out.three(mask);
            }
            // Each row is the dot product with one ([agal.matrix.rows]).
            Binary::Matrix { width, .. } => self.splat(mask, |out| {
                for (index, row) in mask.iter().enumerate() {
                    out.out.push_str(if index > 0 { ", " } else { "" });
                    out.dot(width, a, b, row);
                }
            }),
        }
    }

    fn formula(&mut self, formula: BinaryFormula, mask: WriteMask, a: &Read, b: &Read) {
        let ieee = self.target.float_rules == FloatRules::Ieee;
        match formula {
            BinaryFormula::Add => self.between(["", " + ", ""], mask, a, b),
            BinaryFormula::Sub => self.between(["", " - ", ""], mask, a, b),
            BinaryFormula::Mul => self.between(["", " * ", ""], mask, a, b),
            BinaryFormula::Min => self.between(["min(", ", ", ")"], mask, a, b),
            BinaryFormula::Max => self.between(["max(", ", ", ")"], mask, a, b),
            BinaryFormula::Div if ieee => self.between(["", " / ", ""], mask, a, b),
            // A product with a reciprocal has two roundings ([agal.div.lowering]).
            BinaryFormula::Div => self.limited(Limit::Both, mask, |out| {
                out.source(a, mask);
                out.out.push_str(" * ");
                out.unary(Unary::Formula(UnaryFormula::Rcp), mask, b);
            }),
            BinaryFormula::Pow if ieee => self.between(["pow(abs(", "), ", ")"], mask, a, b),
            BinaryFormula::Pow => self.limited(Limit::Above, mask, |out| {
                out.out.push_str("exp2(");
                out.unary(Unary::Formula(UnaryFormula::Log), mask, a);
                out.out.push_str(" * ");
                out.source(b, mask);
                out.out.push(')');
            }),
        }
    }

    /// Writes a comparison such as `a < b`, component by component.
    pub(super) fn relation(&mut self, relation: Relation, mask: WriteMask, a: &Read, b: &Read) {
        match relation {
            // `!=` may be false for NaN ([agal.compare.wgsl]).
            Relation::NotEqual => self.between(["!(", " == ", ")"], mask, a, b),
            Relation::Equal | Relation::GreaterOrEqual | Relation::Greater | Relation::Less => {
                self.source(a, mask);
                self.out.put(&[" ", relation.operator(), " "]);
                self.source(b, mask);
            }
        }
    }

    /// Writes text around and between two sources.
    fn between(&mut self, text: [&str; 3], lanes: WriteMask, a: &Read, b: &Read) {
        let [before, between, after] = text;
        self.out.push_str(before);
        self.source(a, lanes);
        self.out.push_str(between);
        self.source(b, lanes);
        self.out.push_str(after);
    }

    /// Writes the `dot` of the first `width` components of `a` and of a row of `b`.
    fn dot(&mut self, width: u8, a: &Read, b: &Read, row: Component) {
        let lanes = WriteMask::first(width);
        self.out.push_str("dot(");
        self.source(a, lanes);
        self.out.push_str(", ");
        self.row(b, row, lanes);
        self.out.push(')');
    }

    /// Writes a texture read, which gives four components.
    pub(super) fn lookup(&mut self, lookup: SampleLevel, coordinates: &Read, sampler: &Sampler) {
        let bias = sampler.bias();
        let opaque = self.of_stage(self.target.opaque) >> sampler.register & 1 != 0;
        self.out.push_str(if opaque { "vec4f(" } else { "" });
        self.out.push_str(match lookup {
            SampleLevel::LevelZero => "textureSampleLevel(",
            SampleLevel::Implicit if bias == 0.0 => "textureSample(",
            SampleLevel::Implicit => "textureSampleBias(",
        });
        self.register(RegisterFile::Sampler, sampler.register);
        self.out.push_str(", ");
        self.register(RegisterFile::Sampler, sampler.register);
        self.out.push_str("_sampler, ");
        self.source(coordinates, WriteMask::first(sampler.dimension.coordinates()));
        match lookup {
            SampleLevel::LevelZero => self.out.push_str(", 0.0"),
            SampleLevel::Implicit if bias == 0.0 => {}
            // Multiples of 1/8 are exact in decimal. Writing to a `String` cannot fail.
            SampleLevel::Implicit => {
                let _ = write!(self.out.text, ", {bias:?}");
            }
        }
        self.out.push_str(if opaque { ").rgb, 1.0)" } else { ")" });
    }
}
