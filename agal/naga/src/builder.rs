//! Builds a naga module: expressions, the statements that evaluate them, and the current values of AGAL's registers.

use agal::register::{MAX_TRACKED, RegisterFile};
use agal::wgsl::WgslOptions;
use agal::wgsl::writer::{ShaderWriter as _, ValueName, WgslShader};
use agal::{LinkedPair, Stage};

use crate::naga::{
    Block, Constant, Expression, Function, Handle, Literal, Module, Scalar, Span, Statement, Type,
    TypeInner, VectorSize,
};

/// The handle of an expression that gives a value or a pointer.
pub(crate) type ExpressionHandle = Handle<Expression>;

/// A register of AGAL, stored in a variable of the module.
#[derive(Clone, Copy, Default)]
pub(crate) struct AgalVariable {
    /// A pointer to the register's variable, if it has one.
    pub(crate) pointer: Option<ExpressionHandle>,
    /// The expression in scope that has the register's current value, if there is such an expression.
    pub(crate) value: Option<ExpressionHandle>,
}

/// An `if` statement whose end is not built yet.
pub(crate) struct OpenIf {
    pub(crate) condition: ExpressionHandle,
    /// The statements that precede the `if`.
    pub(crate) before: Block,
    /// The statements of the first branch, once it is complete.
    pub(crate) first: Option<Block>,
    /// The length of [`NagaBuilder::known`] at the start of the `if`.
    pub(crate) known: usize,
}

/// The index of the first constant register in [`NagaBuilder::registers`].
const CONSTANTS: usize = RegisterFile::ALL.len() * MAX_TRACKED;

/// Returns the index of a register in [`NagaBuilder::registers`].
fn index(file: RegisterFile, number: u16) -> usize {
    match file {
        RegisterFile::Constant => CONSTANTS + usize::from(number),
        file => file as usize * MAX_TRACKED + usize::from(number),
    }
}

/// Builds the naga module of a shader.
pub(crate) struct NagaBuilder<'a> {
    pub(crate) shader: WgslShader<'a>,
    pub(crate) module: Module,
    pub(crate) function: Function,
    pub(crate) block: Block,
    pub(crate) open: Vec<OpenIf>,
    /// The number of expressions that a `Statement::Emit` already covers, or that need no `Emit` statement.
    evaluated: usize,
    /// The types of a scalar and of vectors with two to four floats.
    pub(crate) floats: [Handle<Type>; 4],
    registers: Vec<AgalVariable>,
    /// The indices of the registers whose value became known in the open conditionals.
    pub(crate) known: Vec<usize>,
    /// A pointer to the array of constants.
    pub(crate) constants: Option<ExpressionHandle>,
    /// The texture and the sampler of each sampler register.
    pub(crate) samplers: Vec<(u16, [ExpressionHandle; 2])>,
    numbers: Vec<(u32, usize, ExpressionHandle)>,
    pub(crate) names: Vec<(ValueName, ExpressionHandle)>,
    /// The boolean variable that delays the discard of `kil` to the end of the shader.
    pub(crate) killed: Option<ExpressionHandle>,
}

impl<'a> NagaBuilder<'a> {
    pub(crate) fn new(pair: &'a LinkedPair, stage: Stage, target: &'a WgslOptions<'a>) -> Self {
        let shader = WgslShader::new(pair, stage, target);
        let mut module = Module::default();
        let floats = [None, Some(VectorSize::Bi), Some(VectorSize::Tri), Some(VectorSize::Quad)];
        let floats = floats.map(|size| {
            let scalar = Scalar::F32;
            let inner =
                size.map_or(TypeInner::Scalar(scalar), |size| TypeInner::Vector { size, scalar });
            module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
        });
        let count = CONSTANTS + usize::from(shader.constants());
        NagaBuilder {
            shader,
            module,
            function: Function::default(),
            block: Block::new(),
            open: Vec::new(),
            evaluated: 0,
            floats,
            registers: vec![AgalVariable::default(); count],
            known: Vec::new(),
            constants: None,
            samplers: Vec::new(),
            numbers: Vec::new(),
            names: Vec::new(),
            killed: None,
        }
    }

    pub(crate) fn finish(mut self) -> Module {
        self.resources();
        self.inputs();
        self.variables();
        self.statements();
        self.results();
        self.entry_point();
        self.module
    }

    pub(crate) fn add_type(&mut self, inner: TypeInner) -> Handle<Type> {
        self.module.types.insert(Type { name: None, inner }, Span::UNDEFINED)
    }

    /// Adds an expression, which the next statement evaluates.
    pub(crate) fn add(&mut self, expression: Expression) -> ExpressionHandle {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// Adds an expression that needs no evaluation: a literal, a constant, an argument or a variable.
    pub(crate) fn add_given(&mut self, expression: Expression) -> ExpressionHandle {
        self.evaluate();
        let value = self.add(expression);
        self.evaluated = self.function.expressions.len();
        value
    }

    /// Adds the statement that evaluates the expressions added since the last statement.
    pub(crate) fn evaluate(&mut self) {
        if self.function.expressions.len() > self.evaluated {
            let range = self.function.expressions.range_from(self.evaluated);
            self.block.push(Statement::Emit(range), Span::UNDEFINED);
            self.evaluated = self.function.expressions.len();
        }
    }

    /// Evaluates the new expressions, then adds a statement.
    pub(crate) fn push(&mut self, statement: Statement) {
        self.evaluate();
        self.block.push(statement, Span::UNDEFINED);
    }

    /// Returns a vector of `width` components that all have the value `number`.
    pub(crate) fn float(&mut self, number: f32, width: usize) -> ExpressionHandle {
        let key = (number.to_bits(), width);
        if let Some(found) = self.numbers.iter().find(|(bits, width, _)| (*bits, *width) == key) {
            return found.2;
        }
        let literal = Expression::Literal(Literal::F32(number));
        let expression = match size(width) {
            None => literal,
            Some(size) => {
                let value = self.module.global_expressions.append(literal, Span::UNDEFINED);
                let splat = Expression::Splat { size, value };
                let init = self.module.global_expressions.append(splat, Span::UNDEFINED);
                let constant = Constant { name: None, ty: self.floats_of(width), init };
                Expression::Constant(self.module.constants.append(constant, Span::UNDEFINED))
            }
        };
        let value = self.add_given(expression);
        self.numbers.push((key.0, width, value));
        value
    }

    pub(crate) fn floats_of(&self, width: usize) -> Handle<Type> {
        let [.., four] = self.floats;
        self.floats.get(width.saturating_sub(1)).copied().unwrap_or(four)
    }

    pub(crate) fn get(&self, file: RegisterFile, number: u16) -> AgalVariable {
        self.registers.get(index(file, number)).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, file: RegisterFile, number: u16, register: AgalVariable) {
        let index = index(file, number);
        if let Some(slot) = self.registers.get_mut(index) {
            *slot = register;
        }
        if !self.open.is_empty() {
            self.known.push(index);
        }
    }

    /// Forgets the known values of registers that were recorded after position `known`.
    pub(crate) fn forget(&mut self, known: usize) {
        for index in self.known.drain(known.min(self.known.len())..) {
            if let Some(register) = self.registers.get_mut(index) {
                register.value = None;
            }
        }
    }
}

/// Returns naga's size of a vector; `None` for a scalar.
pub(crate) fn size(width: usize) -> Option<VectorSize> {
    match width {
        0 | 1 => None,
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        _ => Some(VectorSize::Quad),
    }
}
