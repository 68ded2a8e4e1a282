//! Writes the values and statements of AGAL's instructions to a naga module.

use agal::AgalInstruction;
use agal::ir::IrDestination;
use agal::opcode::SampleLevel;
use agal::operand::{Component, Swizzle, WriteMask};
use agal::register::RegisterFile;
use agal::sampler::SamplerOp;
use agal::wgsl::writer::{AddedConstant, Function, Part, ShaderWriter, ValueName, WgslShader};

use crate::builder::{AgalVariable, ExpressionHandle, NagaBuilder, OpenIf, size};
use crate::naga::{
    BinaryOperator as B, Block, DerivativeAxis, DerivativeControl, Expression, Literal,
    MathFunction as M, SampleLevel as Level, ScalarKind, Span, Statement, SwizzleComponent,
    UnaryOperator,
};

impl NagaBuilder<'_> {
    fn load(&mut self, pointer: ExpressionHandle) -> ExpressionHandle {
        self.add(Expression::Load { pointer })
    }

    fn take_block(&mut self) -> Block {
        self.evaluate();
        std::mem::take(&mut self.block)
    }
}

impl<'a> ShaderWriter<'a> for NagaBuilder<'a> {
    type Value = ExpressionHandle;

    fn shader(&self) -> &WgslShader<'a> {
        &self.shader
    }

    fn part(&mut self, _: Function, _: usize) {}

    fn result(&mut self, function: Function, arguments: &[ExpressionHandle]) -> ExpressionHandle {
        let &[a, ref more @ ..] = arguments else { return self.float(0.0, 1) };
        let [b, c] = [more.first(), more.get(1)].map(Option::<&ExpressionHandle>::copied);
        let math = |fun| Expression::Math { fun, arg: a, arg1: b, arg2: c, arg3: None };
        let operator = |op| Expression::Binary { op, left: a, right: b.unwrap_or(a) };
        let derivative =
            |axis| Expression::Derivative { axis, ctrl: DerivativeControl::None, expr: a };
        let convert = |kind| Expression::As { expr: a, kind, convert: Some(4) };
        let expression = match function {
            Function::Abs => math(M::Abs),
            Function::Add => operator(B::Add),
            Function::Clamp => math(M::Clamp),
            Function::Cos => math(M::Cos),
            Function::Cross => math(M::Cross),
            Function::Divide => operator(B::Divide),
            Function::Dot => math(M::Dot),
            Function::Dpdx => derivative(DerivativeAxis::X),
            Function::Dpdy => derivative(DerivativeAxis::Y),
            Function::Equal => operator(B::Equal),
            Function::Exp2 => math(M::Exp2),
            Function::Fract => math(M::Fract),
            Function::Greater => operator(B::Greater),
            Function::GreaterOrEqual => operator(B::GreaterEqual),
            Function::InverseSqrt => math(M::InverseSqrt),
            Function::Less => operator(B::Less),
            Function::Log2 => math(M::Log2),
            Function::Max => math(M::Max),
            Function::Min => math(M::Min),
            Function::Multiply => operator(B::Multiply),
            Function::Not => Expression::Unary { op: UnaryOperator::LogicalNot, expr: a },
            Function::Opaque => {
                let color = self.components(a, 4, Swizzle::IDENTITY, WriteMask::first(3));
                let components = vec![color, self.float(1.0, 1)];
                Expression::Compose { ty: self.floats_of(4), components }
            }
            Function::Pow => math(M::Pow),
            Function::Round => math(M::Round),
            Function::Saturate => math(M::Saturate),
            Function::Select => {
                let (accept, condition) = (b.unwrap_or(a), c.unwrap_or(a));
                Expression::Select { condition, accept, reject: a }
            }
            Function::Sign => math(M::Sign),
            Function::Sin => math(M::Sin),
            Function::Sqrt => math(M::Sqrt),
            Function::Subtract => operator(B::Subtract),
            Function::ToFloat => convert(ScalarKind::Float),
            Function::ToInteger => convert(ScalarKind::Sint),
        };
        self.add(expression)
    }

    fn register(&mut self, file: RegisterFile, number: u16) -> ExpressionHandle {
        let AgalVariable { pointer, value } = self.get(file, number);
        if let Some(value) = value {
            return value;
        }
        let pointer = match (pointer, self.constants) {
            (Some(pointer), _) => pointer,
            (None, Some(base)) if file == RegisterFile::Constant => {
                self.add(Expression::AccessIndex { base, index: number.into() })
            }
            // A valid program never reads a register without a value or variable.
            (None, _) => return self.float(0.0, 4),
        };
        let value = self.load(pointer);
        let pointer = Some(pointer).filter(|_| file != RegisterFile::Constant);
        self.set(file, number, AgalVariable { pointer, value: Some(value) });
        value
    }

    fn indexed(&mut self, index: impl Part<'a, Self>, offset: i16) -> ExpressionHandle {
        let index = self.clamped_index(index, |out| out.integer(offset.into()));
        let Some(base) = self.constants else { return self.float(0.0, 4) };
        let pointer = self.add(Expression::Access { base, index });
        self.load(pointer)
    }

    fn components(
        &mut self,
        value: ExpressionHandle,
        width: usize,
        swizzle: Swizzle,
        lanes: WriteMask,
    ) -> ExpressionHandle {
        if lanes.len() == width && swizzle == Swizzle::IDENTITY {
            return value;
        }
        let mut read = lanes.iter().map(|lane| swizzle.get(lane));
        let Some(size) = size(lanes.len()) else {
            let index = read.next().map_or(0, Component::bits).into();
            return self.add(Expression::AccessIndex { base: value, index });
        };
        let pattern = [(); 4].map(|()| match read.next() {
            None | Some(Component::X) => SwizzleComponent::X,
            Some(Component::Y) => SwizzleComponent::Y,
            Some(Component::Z) => SwizzleComponent::Z,
            Some(Component::W) => SwizzleComponent::W,
        });
        self.add(Expression::Swizzle { size, vector: value, pattern })
    }

    fn number(&mut self, number: AddedConstant, width: usize) -> ExpressionHandle {
        self.float(number.value, width)
    }

    fn integer(&mut self, number: i32) -> ExpressionHandle {
        self.add_given(Expression::Literal(Literal::I32(number)))
    }

    fn vector(
        &mut self,
        width: usize,
        parts: usize,
        mut part: impl FnMut(&mut Self, usize) -> ExpressionHandle,
    ) -> ExpressionHandle {
        let components: Vec<ExpressionHandle> = (0..parts).map(|index| part(self, index)).collect();
        match (&components[..], size(width)) {
            (&[value], None) => value,
            (&[value], Some(size)) => self.add(Expression::Splat { size, value }),
            _ => self.add(Expression::Compose { ty: self.floats_of(width), components }),
        }
    }

    fn normalize(&mut self, vector: impl Part<'a, Self>) -> ExpressionHandle {
        let vector = vector(self);
        self.normalized(|_| vector)
    }

    fn sample(
        &mut self,
        level: SampleLevel,
        sampler: &SamplerOp,
        coordinates: impl Part<'a, Self>,
    ) -> ExpressionHandle {
        let coordinate = coordinates(self);
        let level = match level {
            SampleLevel::LevelZero => Level::Exact(self.float(0.0, 1)),
            SampleLevel::Implicit if sampler.bias() == 0.0 => Level::Auto,
            SampleLevel::Implicit => Level::Bias(self.float(sampler.bias(), 1)),
        };
        let found = self.samplers.iter().find(|(register, _)| *register == sampler.register);
        let Some(&(_, [image, sampler])) = found else { return self.float(0.0, 4) };
        self.add(Expression::ImageSample {
            image,
            sampler,
            gather: None,
            coordinate,
            array_index: None,
            offset: None,
            level,
            depth_ref: None,
            clamp_to_edge: false,
        })
    }

    fn named(&mut self, name: ValueName) -> ExpressionHandle {
        let found = self.names.iter().rev().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).unwrap_or_else(|| self.float(0.0, 4))
    }

    fn name(&mut self, name: ValueName, value: impl Part<'a, Self>) {
        let value = value(self);
        self.names.push((name, value));
    }

    fn assign(&mut self, dest: &IrDestination, components: WriteMask, value: impl Part<'a, Self>) {
        let value = value(self);
        // Valid programs write only registers that have a variable.
        let Some(variable) = self.get(dest.file, dest.number).pointer else { return };
        let whole = components == WriteMask::ALL || dest.file == RegisterFile::DepthOutput;
        let mut pointer = variable;
        if !whole {
            let index = components.iter().next().map_or(0, Component::bits).into();
            pointer = self.add(Expression::AccessIndex { base: variable, index });
        }
        self.push(Statement::Store { pointer, value });
        let value = Some(value).filter(|_| whole);
        self.set(dest.file, dest.number, AgalVariable { pointer: Some(variable), value });
    }

    fn kill(&mut self, condition: impl Part<'a, Self>) {
        let condition = condition(self);
        let kill = match self.killed {
            None => Statement::Kill,
            Some(pointer) => {
                let value = self.add_given(Expression::Literal(Literal::Bool(true)));
                Statement::Store { pointer, value }
            }
        };
        let accept = Block::from_vec(vec![kill]);
        self.push(Statement::If { condition, accept, reject: Block::new() });
    }

    fn begin_if(&mut self, condition: impl Part<'a, Self>) {
        let condition = condition(self);
        let (before, known) = (self.take_block(), self.known.len());
        self.open.push(OpenIf { condition, before, first: None, known });
    }

    fn begin_else(&mut self) {
        let first = self.take_block();
        if let Some(open) = self.open.last_mut() {
            open.first = Some(first);
            let known = open.known;
            self.forget(known);
        }
    }

    fn end_if(&mut self) {
        let last = self.take_block();
        let Some(OpenIf { condition, before, first, known }) = self.open.pop() else { return };
        self.forget(known);
        self.block = before;
        let (accept, reject) = match first {
            Some(first) => (first, last),
            None => (last, Block::new()),
        };
        self.block.push(Statement::If { condition, accept, reject }, Span::UNDEFINED);
    }

    fn end_line(&mut self, _: Option<&AgalInstruction>) {}
}
