//! Writes a shader in any language with WGSL's types and functions. Text writers and syntax tree writers share this
//! single definition of AGAL's results.

use crate::float::{FloatRules, ResultLimit};
use crate::ir::{Address, IrDestination, IrInstruction, IrOperation, IrSource, with_depth};
use crate::isa::opcode::{
    BinaryFormula, BinaryOp, BlockEnd, Derivative, Relation, SampleLevel, Unary, UnaryFormula,
};
use crate::isa::operand::{Component, Swizzle, WriteMask};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOp;
use crate::liveness::is_hoisted;
use crate::token::AgalInstruction;

pub use super::function::{AddedConstant, Function, ValueName};
pub use super::shader::WgslShader;

/// `kil` and the `if` opcodes read one component (error 3703).
const SCALAR: WriteMask = WriteMask::first(1);
const THREE: WriteMask = WriteMask::first(3);

/// Writes a function call: the texts of the function, and its arguments between them. Evaluates to the call's value.
macro_rules! apply {
    ($out:ident, $function:expr $(, $argument:expr)+) => {{
        let (function, mut index) = ($function, 0);
        let arguments = [$({
            $out.part(function, index);
            index += 1;
            $argument
        }),+];
        $out.part(function, index);
        $out.result(function, &arguments)
    }};
}

/// The two sources of an operation.
type SourcePair<'s> = [&'s IrSource; 2];

/// Writes a part of a shader and returns its value.
pub trait Part<'a, W: ShaderWriter<'a>>: FnOnce(&mut W) -> W::Value {}
impl<'a, W: ShaderWriter<'a>, F: FnOnce(&mut W) -> W::Value> Part<'a, W> for F {}

/// Writes a shader in a language with WGSL's types and functions.
///
/// The provided methods define AGAL's results, and call the required methods in textual order. A text writer appends at
/// once; a syntax tree writer creates each value after its arguments. A value has as many components as its mask.
pub trait ShaderWriter<'a>: Sized {
    /// The value of an expression, for a writer of syntax trees.
    type Value: Copy;
    /// True if the language is like GLSL: masks can be assigned to, and conditions are converted to numbers.
    const IS_GLSL: bool = false;

    /// Returns the shader that is being written.
    fn shader(&self) -> &WgslShader<'a>;

    /// Writes the text before an argument of a function, or after its last argument.
    fn part(&mut self, function: Function, argument: usize);
    /// Returns the value of a function call.
    fn result(&mut self, function: Function, arguments: &[Self::Value]) -> Self::Value;
    /// Writes a register with four components, or the depth output, which is a scalar.
    fn register(&mut self, file: RegisterFile, number: u16) -> Self::Value;
    /// Writes a constant with an index. [`ShaderWriter::clamped_index`] limits the index to the bank.
    fn indexed(&mut self, index: impl Part<'a, Self>, offset: i16) -> Self::Value;
    /// Writes the components that `lanes` read through `swizzle`, in order; `value` has `width` components.
    fn components(
        &mut self,
        value: Self::Value,
        width: usize,
        swizzle: Swizzle,
        lanes: WriteMask,
    ) -> Self::Value;
    /// Writes a vector whose components all have this number.
    fn number(&mut self, number: AddedConstant, width: usize) -> Self::Value;
    /// Writes an integer.
    fn integer(&mut self, number: i32) -> Self::Value;
    /// Writes a vector of several values, or of one scalar in each component.
    fn vector(
        &mut self,
        width: usize,
        parts: usize,
        part: impl FnMut(&mut Self, usize) -> Self::Value,
    ) -> Self::Value;
    /// Writes a vector divided by its length, without the limits of [`ShaderWriter::normalized`].
    fn normalize(&mut self, vector: impl Part<'a, Self>) -> Self::Value;
    /// Writes a texture read, whose result has four components.
    fn sample(
        &mut self,
        level: SampleLevel,
        sampler: &SamplerOp,
        coordinates: impl Part<'a, Self>,
    ) -> Self::Value;
    /// Writes the name of a value that was declared with [`ShaderWriter::name`].
    fn named(&mut self, name: ValueName) -> Self::Value;

    /// Declares a name for a value.
    fn name(&mut self, name: ValueName, value: impl Part<'a, Self>);
    /// Assigns to all components of a register, or to one component.
    fn assign(&mut self, dest: &IrDestination, components: WriteMask, value: impl Part<'a, Self>);
    /// Discards the pixel if a condition is true. If the shader delays `kil`, the discard is at the end.
    fn kill(&mut self, condition: impl Part<'a, Self>);
    /// Begins a conditional.
    fn begin_if(&mut self, condition: impl Part<'a, Self>);
    /// Begins the second branch of a conditional.
    fn begin_else(&mut self);
    /// Ends a conditional.
    fn end_if(&mut self);
    /// Ends the statements of an instruction, or a statement that belongs to no instruction.
    fn end_line(&mut self, token: Option<&AgalInstruction>);

    /// Writes all statements of the program.
    fn statements(&mut self) {
        let program = self.shader().program;
        if self.shader().liveness.hoists {
            // Texture reads inside conditionals are written before all other statements.
            for (depth, step) in with_depth(program.steps()) {
                if let IrOperation::Sample(level, _, coordinates, sampler) = &step.action
                    && is_hoisted(depth, step)
                {
                    self.name(hoisted(step), |out| out.lookup(*level, coordinates, sampler));
                    self.end_line(None);
                }
            }
        }
        let tokens = program.program().instructions();
        for ((depth, step), token) in with_depth(program.steps()).zip(tokens) {
            self.statement(depth, step);
            self.end_line(Some(token));
        }
    }

    /// Writes the statements of an instruction inside `depth` conditionals.
    fn statement(&mut self, depth: usize, step: &IrInstruction) {
        match &step.action {
            IrOperation::Block(BlockEnd::Else) => self.begin_else(),
            IrOperation::Block(BlockEnd::End) => self.end_if(),
            IrOperation::If(relation, a, b) => {
                self.begin_if(|out| out.relation(*relation, SCALAR, [a, b]));
            }
            IrOperation::Kill(a) => self.kill(|out| {
                apply!(
                    out,
                    Function::Less,
                    out.source(a, SCALAR),
                    out.number(AddedConstant::ZERO, 1)
                )
            }),
            IrOperation::Unary(op, dest, a) => {
                self.assignment(step, dest, |out| out.unary(*op, dest.mask, a));
            }
            IrOperation::Binary(op, dest, a, b) => {
                self.assignment(step, dest, |out| out.binary(*op, dest.mask, [a, b]));
            }
            IrOperation::Sample(level, dest, coordinates, sampler) => {
                self.assignment(step, dest, |out| {
                    let texel = if is_hoisted(depth, step) {
                        out.named(hoisted(step))
                    } else {
                        out.lookup(*level, coordinates, sampler)
                    };
                    out.components(texel, 4, Swizzle::IDENTITY, dest.mask)
                });
            }
        }
    }

    /// Writes an assignment to the masked components. WGSL can assign one component or all components. For a mask of
    /// two or three components, assigns the whole register. If the mask has gaps, first declares a named value.
    fn assignment(
        &mut self,
        step: &IrInstruction,
        dest: &IrDestination,
        value: impl Part<'a, Self> + Copy,
    ) {
        let mask = dest.mask;
        let limit = if step.limited { ResultLimit::Both } else { ResultLimit::None };
        let value = |out: &mut Self| out.limited(limit, mask, value);
        if Self::IS_GLSL || mask == WriteMask::ALL || mask.len() == 1 {
            self.assign(dest, mask, value);
        } else if let Some([before, after]) = around(mask) {
            let mut parts = [before, mask, after].into_iter().filter(|part| !part.is_empty());
            let count = 1 + usize::from(!before.is_empty()) + usize::from(!after.is_empty());
            self.assign(dest, WriteMask::ALL, |out| {
                out.vector(4, count, |out, _| match parts.next() {
                    Some(kept) if kept != mask => {
                        let register = out.register(dest.file, dest.number);
                        out.components(register, 4, Swizzle::IDENTITY, kept)
                    }
                    _ => value(out),
                })
            });
        } else {
            let name = ValueName { prefix: "t", token: step.token };
            self.name(name, value);
            for (lane, component) in Component::ALL.into_iter().zip(mask.iter()) {
                self.assign(dest, WriteMask::EMPTY.with(component), |out| {
                    let value = out.named(name);
                    out.components(
                        value,
                        mask.len(),
                        Swizzle::IDENTITY,
                        WriteMask::EMPTY.with(lane),
                    )
                });
            }
        }
    }

    /// Writes a source with its swizzle: the components that `lanes` read, in order. A write mask selects lanes without
    /// moving components ([agal.dest.mask]).
    fn source(&mut self, read: &IrSource, lanes: WriteMask) -> Self::Value {
        self.row(read, Component::X, lanes)
    }

    /// Writes a row of the matrix that begins at a source.
    fn row(&mut self, read: &IrSource, row: Component, lanes: WriteMask) -> Self::Value {
        let value = match read.row(row).address {
            Address::Direct(file, number) => self.register(file, number),
            Address::Indirect { file, number, component, offset } => {
                let offset = i16::from(offset) + i16::from(row.bits());
                let index = |out: &mut Self| {
                    let register = out.register(file, number);
                    out.components(register, 4, Swizzle::IDENTITY, WriteMask::EMPTY.with(component))
                };
                self.indexed(index, offset)
            }
        };
        self.components(value, 4, read.swizzle, lanes)
    }

    /// Writes a value within limits, if the target's float rules limit it.
    fn limited(
        &mut self,
        limit: ResultLimit,
        mask: WriteMask,
        value: impl Part<'a, Self>,
    ) -> Self::Value {
        let [least, largest] = [AddedConstant::LEAST, AddedConstant::LARGEST];
        let width = mask.len();
        match self.shader().target.float_rules.limit(limit) {
            ResultLimit::None => value(self),
            ResultLimit::Above => {
                apply!(self, Function::Min, value(self), self.number(largest, width))
            }
            ResultLimit::Both => apply!(
                self,
                Function::Clamp,
                value(self),
                self.number(least, width),
                self.number(largest, width)
            ),
        }
    }

    /// Writes an operation with one source.
    fn unary(&mut self, op: Unary, mask: WriteMask, a: &IrSource) -> Self::Value {
        let function = match op {
            Unary::Formula(formula) => return self.formula(formula, mask, a),
            Unary::Derivative(Derivative::X) => Function::Dpdx,
            // The window's y grows downwards, as in Direct3D ([agal.ddy.sign]).
            Unary::Derivative(Derivative::Y) => Function::Dpdy,
            Unary::Normalize => {
                let vector = self.normalize(|out| out.source(a, THREE));
                return self.components(vector, 3, Swizzle::IDENTITY, mask);
            }
        };
        apply!(self, function, self.source(a, mask))
    }

    /// Writes a formula with one source: one function, or two nested functions.
    fn formula(&mut self, formula: UnaryFormula, mask: WriteMask, a: &IrSource) -> Self::Value {
        let width = mask.len();
        let (limit, functions): (_, &[Function]) = match formula {
            UnaryFormula::Mov => (ResultLimit::None, &[]),
            UnaryFormula::Rcp => {
                return self.limited(ResultLimit::Both, mask, |out| {
                    let one = AddedConstant::ONE;
                    apply!(out, Function::Divide, out.number(one, width), out.source(a, mask))
                });
            }
            UnaryFormula::Frc => (ResultLimit::None, &[Function::Fract]),
            UnaryFormula::Sqt => (ResultLimit::None, &[Function::Sqrt, Function::Abs]),
            UnaryFormula::Rsq => (ResultLimit::Above, &[Function::InverseSqrt, Function::Abs]),
            UnaryFormula::Log => (ResultLimit::Both, &[Function::Log2, Function::Abs]),
            UnaryFormula::Exp => (ResultLimit::Above, &[Function::Exp2]),
            UnaryFormula::Sin => (ResultLimit::None, &[Function::Sin]),
            UnaryFormula::Cos => (ResultLimit::None, &[Function::Cos]),
            UnaryFormula::Abs => (ResultLimit::None, &[Function::Abs]),
            UnaryFormula::Neg => {
                let zero = AddedConstant::ZERO;
                return apply!(
                    self,
                    Function::Subtract,
                    self.number(zero, width),
                    self.source(a, mask)
                );
            }
            UnaryFormula::Sat => (ResultLimit::None, &[Function::Saturate]),
            UnaryFormula::Sgn => (ResultLimit::None, &[Function::Sign]),
        };
        self.limited(limit, mask, |out| match *functions {
            [] => out.source(a, mask),
            [function] => apply!(out, function, out.source(a, mask)),
            [function, inner, ..] => apply!(out, function, apply!(out, inner, out.source(a, mask))),
        })
    }

    /// Writes an operation with two sources.
    fn binary(&mut self, op: BinaryOp, mask: WriteMask, pair: SourcePair<'_>) -> Self::Value {
        match op {
            BinaryOp::Formula(formula) => self.formula2(formula, mask, pair),
            BinaryOp::Compare(relation) => self.compare(relation, mask, pair),
            BinaryOp::Dot(width) => {
                self.vector(mask.len(), 1, |out, _| out.dot(width, pair, Component::X))
            }
            BinaryOp::Cross => {
                let cross = self.between(Function::Cross, THREE, pair);
                self.components(cross, 3, Swizzle::IDENTITY, mask)
            }
            // Each component is the dot product with a row ([agal.matrix.rows]).
            BinaryOp::Matrix { width, .. } => {
                let mut rows = mask.iter();
                self.vector(mask.len(), mask.len(), |out, _| {
                    out.dot(width, pair, rows.next().unwrap_or(Component::X))
                })
            }
        }
    }

    /// Writes a formula with two sources.
    fn formula2(
        &mut self,
        op: BinaryFormula,
        mask: WriteMask,
        pair: SourcePair<'_>,
    ) -> Self::Value {
        let ieee = self.shader().target.float_rules == FloatRules::Ieee;
        let [a, b] = pair;
        match op {
            BinaryFormula::Add => self.between(Function::Add, mask, pair),
            BinaryFormula::Sub => self.between(Function::Subtract, mask, pair),
            BinaryFormula::Mul => self.between(Function::Multiply, mask, pair),
            BinaryFormula::Min => self.between(Function::Min, mask, pair),
            BinaryFormula::Max => self.between(Function::Max, mask, pair),
            BinaryFormula::Div if ieee => self.between(Function::Divide, mask, pair),
            // The division multiplies by a reciprocal, so it rounds twice ([agal.div.lowering]).
            BinaryFormula::Div => self.limited(ResultLimit::Both, mask, |out| {
                let rcp = UnaryFormula::Rcp;
                apply!(out, Function::Multiply, out.source(a, mask), out.formula(rcp, mask, b))
            }),
            BinaryFormula::Pow if ieee => {
                let abs = UnaryFormula::Abs;
                apply!(self, Function::Pow, self.formula(abs, mask, a), self.source(b, mask))
            }
            BinaryFormula::Pow => self.limited(ResultLimit::Above, mask, |out| {
                let log = UnaryFormula::Log;
                apply!(
                    out,
                    Function::Exp2,
                    apply!(out, Function::Multiply, out.formula(log, mask, a), out.source(b, mask))
                )
            }),
        }
    }

    /// Writes 1 in each component for which a comparison is true, otherwise 0.
    fn compare(&mut self, op: Relation, mask: WriteMask, pair: SourcePair<'_>) -> Self::Value {
        let [zero, one] = [AddedConstant::ZERO, AddedConstant::ONE];
        match mask.len() {
            1 if Self::IS_GLSL => apply!(self, Function::ToFloat, self.relation(op, mask, pair)),
            width if Self::IS_GLSL => self.vector(width, 1, |out, _| out.relation(op, mask, pair)),
            width => apply!(
                self,
                Function::Select,
                self.number(zero, width),
                self.number(one, width),
                self.relation(op, mask, pair)
            ),
        }
    }

    /// Writes a comparison such as `a < b` for each component.
    fn relation(&mut self, op: Relation, mask: WriteMask, pair: SourcePair<'_>) -> Self::Value {
        self.operator(op, mask, pair)
    }

    /// Writes a comparison with an operator.
    fn operator(&mut self, op: Relation, mask: WriteMask, pair: SourcePair<'_>) -> Self::Value {
        let function = match op {
            // WGSL's `!=` may be false for NaN ([agal.compare.wgsl]).
            Relation::NotEqual => {
                return apply!(self, Function::Not, self.between(Function::Equal, mask, pair));
            }
            Relation::Equal => Function::Equal,
            Relation::GreaterOrEqual => Function::GreaterOrEqual,
            Relation::Greater => Function::Greater,
            Relation::Less => Function::Less,
        };
        self.between(function, mask, pair)
    }

    /// Writes a function call whose arguments are two sources.
    fn between(&mut self, of: Function, lanes: WriteMask, [a, b]: SourcePair<'_>) -> Self::Value {
        apply!(self, of, self.source(a, lanes), self.source(b, lanes))
    }

    /// Writes the dot product of the first `width` components of `a` and of a row of `b`.
    fn dot(&mut self, width: u8, [a, b]: SourcePair<'_>, row: Component) -> Self::Value {
        let lanes = WriteMask::first(width);
        apply!(self, Function::Dot, self.source(a, lanes), self.row(b, row, lanes))
    }

    /// Writes a texture read. If the host's texture has no alpha, the result has alpha 1.
    fn lookup(&mut self, level: SampleLevel, at: &IrSource, sampler: &SamplerOp) -> Self::Value {
        let shader = self.shader();
        let opaque = shader.of_stage(shader.target.opaque) >> sampler.register & 1 != 0;
        let sample = |out: &mut Self| {
            let lanes = WriteMask::first(sampler.dimension.coordinates());
            out.sample(level, sampler, |out| out.source(at, lanes))
        };
        if opaque { apply!(self, Function::Opaque, sample(self)) } else { sample(self) }
    }

    /// Writes a vector divided by its length, within the limits of the float rules.
    fn normalized(&mut self, vector: impl Part<'a, Self> + Copy) -> Self::Value {
        let squares = |out: &mut Self| apply!(out, Function::Dot, vector(out), vector(out));
        let reciprocal = |out: &mut Self| apply!(out, Function::InverseSqrt, squares(out));
        let zero = AddedConstant::ZERO;
        match self.shader().target.float_rules {
            FloatRules::Direct3D9 => {
                let limited = |out: &mut Self| out.limited(ResultLimit::Above, SCALAR, reciprocal);
                apply!(self, Function::Multiply, vector(self), limited(self))
            }
            FloatRules::Ieee => apply!(
                self,
                Function::Select,
                self.number(zero, 3),
                apply!(self, Function::Multiply, vector(self), reciprocal(self)),
                apply!(self, Function::Greater, squares(self), self.number(zero, 1))
            ),
        }
    }

    /// Writes the index of an indirect read: rounded, then clamped to the bank ([agal.indirect.rounding]
    /// [agal.indirect.outside]). Converting a float outside the range of `i32` is undefined, so the float is clamped,
    /// too.
    fn clamped_index(
        &mut self,
        index: impl Part<'a, Self>,
        offset: impl Part<'a, Self>,
    ) -> Self::Value {
        let last = self.shader().interface().vertex_constants.saturating_sub(1);
        let [lower, upper] = AddedConstant::INDICES;
        let bounded = |out: &mut Self| {
            apply!(out, Function::Clamp, index(out), out.number(lower, 1), out.number(upper, 1))
        };
        let whole = |out: &mut Self| apply!(out, Function::Round, bounded(out));
        let integer = |out: &mut Self| apply!(out, Function::ToInteger, whole(out));
        apply!(
            self,
            Function::Clamp,
            apply!(self, Function::Add, integer(self), offset(self)),
            self.integer(0),
            self.integer(last.into())
        )
    }

    /// Writes the register `iid`: x is the instance index ([agal.iid.x]); y, z and w are those of an attribute with one
    /// component ([agal.iid.others]).
    fn instance(&mut self, number: impl Part<'a, Self> + Copy) -> Self::Value {
        self.vector(4, 4, |out, part| match part {
            0 => apply!(out, Function::ToFloat, number(out)),
            3 => out.number(AddedConstant::ONE, 1),
            _ => out.number(AddedConstant::ZERO, 1),
        })
    }

    /// Writes the depth output, limited because drivers store NaN and infinity differently [agal.float.stored_nan].
    fn depth(&mut self) -> Self::Value {
        apply!(self, Function::Saturate, self.register(RegisterFile::DepthOutput, 0))
    }
}

/// Returns the name of a hoisted texture read.
fn hoisted(step: &IrInstruction) -> ValueName {
    ValueName { prefix: "tex", token: step.token }
}

/// Returns the components below and above a mask; `None` if the mask has gaps.
fn around(mask: WriteMask) -> Option<[WriteMask; 2]> {
    let below = mask.bits().trailing_zeros();
    let lowest = (1u8.checked_shl(below)?).checked_sub(1)?;
    let after = WriteMask::ALL.without(WriteMask::from_bits(mask.bits() | lowest));
    let filled = mask.bits() | lowest;
    (filled & filled.checked_add(1)? == 0).then_some([WriteMask::from_bits(lowest), after])
}
