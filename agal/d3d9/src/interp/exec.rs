//! Executes a [`CompiledShader`].

use agal_core::lanes::{and, flag, map, saturate, select, zip};

use super::compile::{CompiledShader, Op};
use super::{
    D3d9Computation, D3d9Inputs, D3d9Lookup, D3d9RunError, D3d9State, D3d9TraceStep,
    DeclaredSampler, DetailLevel, Direct3D9, LANES, LaneRegister as Value, LaneValues,
    RegisterWrite, RunObserver, TextureSampling, alu,
};
use crate::dataflow;
use crate::float::FloatRules;
use crate::opcode::{D3d9Opcode, Load, Operation, TextureOp};
use crate::operand::{AddressIndex, Component, Dimension, ResultModifiers, Source, SourceModifier};
use crate::register::{D3d9Register, ShaderFile};

pub(super) type ActiveMask = [bool; LANES];

/// An open block or call; `before` contains the lanes that were active at its start.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExecFrame {
    /// A conditional; `first` contains the lanes that took the first branch.
    If {
        before: ActiveMask,
        first: ActiveMask,
    },
    Loop {
        before: ActiveMask,
        /// The number of remaining iterations, including the current one.
        left: i32,
        step: i32,
        /// The value of `aL` in the enclosing loop.
        outer: Option<i32>,
        /// Lanes that left the loop by `break`.
        gone: ActiveMask,
    },
    Call {
        return_to: usize,
        before: ActiveMask,
    },
}

pub(super) struct D3d9Machine<'a> {
    pub(super) compiled: &'a CompiledShader,
    pub(super) state: &'a mut D3d9State,
    pub(super) inputs: &'a D3d9Inputs<'a>,
    pub(super) textures: &'a dyn TextureSampling<Direct3D9>,
    pub(super) active: ActiveMask,
    pub(super) frames: Vec<ExecFrame>,
    pub(super) counter: Option<i32>,
    /// In ps_1_x, the rows of the current texture matrix, and their count.
    pub(super) rows: [LaneValues; 3],
    pub(super) row: usize,
}

impl CompiledShader {
    /// Runs four invocations and stores the outputs in `state`. Fails if the shader executes more instructions than
    /// allowed, or nests calls too deeply.
    pub fn run<M: RunObserver<Direct3D9>>(
        &self,
        state: &mut D3d9State,
        inputs: &D3d9Inputs<'_>,
        textures: &dyn TextureSampling<Direct3D9>,
        max_steps: u32,
        observer: &mut M,
    ) -> Result<(), D3d9RunError> {
        state.clear();
        let mut machine = D3d9Machine {
            compiled: self,
            state,
            inputs,
            textures,
            active: [true; LANES],
            frames: Vec::new(),
            counter: None,
            rows: [[0.0; LANES]; 3],
            row: 0,
        };
        let mut next = 0usize;
        let mut steps = 0u32;
        while let Some(op) = self.ops.get(next) {
            steps = steps.saturating_add(1);
            if steps > max_steps {
                return Err(D3d9RunError::Steps(max_steps));
            }
            let active = machine.active;
            if let Operation::Flow(flow) = op.operation() {
                match machine.flow(op, flow, next)? {
                    Some(index) => next = index,
                    None => break,
                }
            } else {
                if any(active) {
                    machine.op(op, observer);
                }
                next += 1;
            }
            if M::STEPS && any(active) {
                observer.step(&machine.step(op, active));
            }
        }
        machine.finish();
        Ok(())
    }
}

impl D3d9Machine<'_> {
    fn op<M: RunObserver<Direct3D9>>(&mut self, op: &Op, observer: &mut M) {
        let kind = op.operation();
        let Some(target) = op.instruction.dest_register(self.compiled.version) else {
            if kind == Operation::Phase {
                self.phase();
            }
            return;
        };
        match kind {
            Operation::Mova => self.address(op),
            _ if target.file == ShaderFile::Address => self.address(op),
            Operation::Setp => self.set_predicate(op),
            Operation::Texture(TextureOp::Kill) => self.kill(op, target),
            Operation::Texture(texture) => {
                let value = match self.compiled.version.major() {
                    1 => self.texture_1(op, texture, target),
                    _ => self.texture(op, texture),
                };
                if op.instruction.opcode.destination_rules().is_some() {
                    self.store(op, target, value);
                }
            }
            kind => {
                let value = self.value(op, kind, target, observer);
                self.store(op, target, value);
            }
        }
    }

    /// Returns the result of an arithmetic instruction, before modifiers are applied.
    fn value<M: RunObserver<Direct3D9>>(
        &mut self,
        op: &Op,
        kind: Operation,
        target: D3d9Register,
        observer: &mut M,
    ) -> Value {
        let version = self.compiled.version;
        let mut sources = [0, 1, 2].map(|index| self.source(op, index));
        if let Operation::Scalar(_) = kind {
            sources = sources.map(|Value([x, ..])| Value([x; 4]));
        }
        let [a, b, _] = sources;
        let mut rows = [Value::default(); 4];
        let mut value = match kind {
            Operation::Map(formula) | Operation::Scalar(formula) => {
                let sums = if op.limited { self.compiled.rules } else { FloatRules::Ieee };
                alu::formula(formula, [self.compiled.rules, sums], sources)
            }
            Operation::Matrix { rows: count, width } => {
                let mut result = Value::default();
                for ((number, to), row) in (0..u16::from(count)).zip(&mut result.0).zip(&mut rows) {
                    *row = op.source(1).map(|source| self.read(source, number)).unwrap_or_default();
                    *to = alu::dot(&a, row, width);
                }
                result
            }
            Operation::Bem => {
                let Value([x, y, ..]) = b;
                self.bump(&a, [x, y], target.number)
            }
            // A co-issued `cnd` selects its first source regardless of its write mask. Translators of ps_1_x shaders
            // disagree only if the write mask has only alpha ([d3d9.ps1.cnd]).
            Operation::Cnd if op.instruction.is_co_issued() && version.is_ps_1_1_to_1_3() => b,
            kind => alu::special(kind, self.compiled.rules, sources, version.major() == 1),
        };
        if op.limited {
            value = value.map(|value| self.compiled.rules.limited(value));
        }
        observer.computed(&D3d9Computation { operation: kind, version, sources, rows }, &mut value);
        value
    }

    pub(super) fn source(&self, op: &Op, index: usize) -> Value {
        op.source(index).map(|source| self.read(source, 0)).unwrap_or_default()
    }

    /// Reads a source (or one row of a matrix source) with its swizzle and modifier.
    fn read(&self, source: Source, row: u16) -> Value {
        let version = self.compiled.version;
        let Some(register) = source.register(version) else { return Value::default() };
        let number = register.number.saturating_add(row);
        let register = register.file.at(number);
        let value = self.fetch(register, source.index(version));
        let modifier = source.modifier().unwrap_or(SourceModifier::None);
        let value = match modifier {
            SourceModifier::DivideZ => self.divided(&value, Component::Z),
            SourceModifier::DivideW => self.divided(&value, Component::W),
            _ => value,
        };
        let value = value.swizzled(source.swizzle());
        match modifier {
            SourceModifier::None
            | SourceModifier::DivideZ
            | SourceModifier::DivideW
            | SourceModifier::Not => value,
            SourceModifier::Negate => value.map(|a| -a),
            SourceModifier::Bias => value.map(|a| a - 0.5),
            SourceModifier::BiasNegate => value.map(|a| 0.5 - a),
            SourceModifier::Sign => value.map(|a| 2.0 * a - 1.0),
            SourceModifier::SignNegate => value.map(|a| 1.0 - 2.0 * a),
            SourceModifier::Complement => value.map(|a| 1.0 - a),
            SourceModifier::Double => value.map(|a| 2.0 * a),
            SourceModifier::DoubleNegate => value.map(|a| -2.0 * a),
            SourceModifier::Abs => value.map(f32::abs),
            SourceModifier::AbsNegate => value.map(|a| -a.abs()),
        }
    }

    /// Divides all components by the given component ([d3d9.value.quotient]).
    pub(super) fn divided(&self, value: &Value, by: Component) -> Value {
        let by = value.get(by);
        Value(map(value.0, |lanes| zip(lanes, by, |a, b| self.compiled.rules.div(a, b))))
    }

    fn fetch(&self, register: D3d9Register, index: Option<AddressIndex>) -> Value {
        let Some(index) = index else {
            return match register.file {
                ShaderFile::Const => Value::splat(self.constant(register.number.into())),
                _ => self.input(register),
            };
        };
        let mut value = Value::default();
        for lane in 0..LANES {
            let number = i64::from(register.number).saturating_add(self.index(index, lane));
            let reached = |number| self.input(register.file.at(number)).lane(lane);
            let one = match register.file {
                ShaderFile::Const => self.constant(number),
                file => self.reached(file, number).map(reached).unwrap_or_default(),
            };
            value.set_lane(lane, one);
        }
        value
    }

    /// Reads an input register. Below ps_3_0, colours are clamped to 0..1 ([d3d9.linkage.clamp]).
    fn input(&self, register: D3d9Register) -> Value {
        let value = self.state.register(register);
        let version = self.compiled.version;
        if register.file == ShaderFile::Input && !version.is_vertex() && version.major() < 3 {
            return value.map(saturate);
        }
        value
    }

    /// Reads a constant register; registers past the end are zero. In ps_1_x, clamps to -1..1 ([d3d9.ps1.range]).
    fn constant(&self, number: i64) -> [f32; 4] {
        let number = u16::try_from(number).ok();
        let defined = number.and_then(|number| self.compiled.declared.floats.get(&number));
        let input = || self.inputs.floats.get(usize::from(number?));
        let value = defined.or_else(input).copied().unwrap_or_default();
        if self.compiled.version.is_ps_1() {
            map(value, |value| alu::limit(value, 1.0))
        } else {
            value
        }
    }

    pub(super) fn integer(&self, number: u16) -> [i32; 4] {
        let defined = self.compiled.declared.integers.get(&number);
        let input = || self.inputs.integers.get(usize::from(number));
        defined.or_else(input).copied().unwrap_or_default()
    }

    fn boolean(&self, number: u16) -> bool {
        let defined = self.compiled.declared.booleans.get(&number);
        let input = || self.inputs.booleans.get(usize::from(number));
        defined.or_else(input).copied().unwrap_or_default()
    }

    fn index(&self, index: AddressIndex, lane: usize) -> i64 {
        match index {
            AddressIndex::Loop => self.counter.unwrap_or(0).into(),
            AddressIndex::Address(component) => {
                let lanes = self.state.address.get(usize::from(component.bits()));
                lanes.and_then(|lanes| lanes.get(lane)).copied().unwrap_or(0).into()
            }
        }
    }

    /// Returns the register that a relative operand accesses, if it exists; inputs must be declared.
    fn reached(&self, file: ShaderFile, number: i64) -> Option<u16> {
        let number = u16::try_from(number).ok()?;
        let register = file.at(number);
        let declared = file != ShaderFile::Input || self.compiled.declared.mask(register).is_some();
        (declared && number < file.reach(self.compiled.version)).then_some(number)
    }

    pub(super) fn condition(&self, op: &Op) -> ActiveMask {
        let opcode = op.instruction.opcode;
        if let Some(comparison) = op.instruction.comparison().filter(|_| opcode.compares()) {
            let [Value([a, ..]), Value([b, ..])] = [0, 1].map(|index| self.source(op, index));
            return zip(a, b, comparison.holds());
        }
        // In `callnz`, the first source is the label and the second is the condition.
        let source = op.instruction.source(usize::from(opcode == D3d9Opcode::CallNz));
        match source.register(self.compiled.version) {
            Some(register) if register.file != ShaderFile::Predicate => {
                [self.boolean(register.number) != (source.modifier() == Some(SourceModifier::Not));
                    LANES]
            }
            _ => self.flags(source, Component::X),
        }
    }

    fn flags(&self, predicate: Source, component: Component) -> ActiveMask {
        let selected = predicate.swizzle().get(component);
        let lanes = self.state.predicate.get(usize::from(selected.bits()));
        let lanes = lanes.copied().unwrap_or_default();
        map(lanes, |flag| flag != (predicate.modifier() == Some(SourceModifier::Not)))
    }

    fn set_predicate(&mut self, op: &Op) {
        let [a, b] = [0, 1].map(|index| self.source(op, index));
        let Some(comparison) = op.instruction.comparison() else { return };
        for to in op.mask.iter() {
            let truth = zip(a.get(to), b.get(to), comparison.holds());
            if let Some(lanes) = self.state.predicate.get_mut(usize::from(to.bits())) {
                *lanes = select(self.active, truth, *lanes);
            }
        }
    }

    /// Executes `mova`, and `mov` to `a0`, which rounds down in vs_1_1 ([d3d9.address.vs_1_1]).
    fn address(&mut self, op: &Op) {
        let value = self.source(op, 0);
        let floor = self.compiled.version.major() == 1;
        for to in op.mask.iter() {
            let whole = map(value.get(to), |value| alu::address(value, floor));
            let flags = self.writing(op, to);
            if let Some(lanes) = self.state.address.get_mut(usize::from(to.bits())) {
                *lanes = select(flags, whole, *lanes);
            }
        }
    }

    fn writing(&self, op: &Op, to: Component) -> ActiveMask {
        let predicate = op.instruction.predicate;
        predicate.map_or(self.active, |predicate| and(self.flags(predicate, to), self.active))
    }

    fn kill(&mut self, op: &Op, target: D3d9Register) {
        // In ps_1_1 to ps_1_3, `texkill` tests the interpolated coordinate ([d3d9.texkill.coordinate]).
        let value = match (self.compiled.version.major(), target.file) {
            (1, ShaderFile::Texture) => self.state.coordinates(target.number),
            _ => self.input(target),
        };
        for tested in dataflow::read_from_dest(&op.instruction, self.compiled.version).iter() {
            let negative = map(value.get(tested), |value| value < 0.0);
            let killed = and(negative, self.writing(op, tested));
            self.state.alive = without(self.state.alive, killed);
        }
    }

    /// Applies shift, saturation, predicate and write mask, in this order, and writes the destination.
    fn store(&mut self, op: &Op, target: D3d9Register, value: Value) {
        let Some(dest) = op.instruction.dest else { return };
        let (scale, index) = (dest.scale(), dest.index(self.compiled.version));
        let saturates = dest.modifiers().has(ResultModifiers::SATURATE);
        for to in op.mask.iter() {
            let flags = self.writing(op, to);
            let result = map(value.get(to), |value| {
                // Skips a multiplication by 1, which could change the bits of a NaN.
                let scaled = if scale == 1.0 { value } else { value * scale };
                if saturates { saturate(scaled) } else { scaled }
            });
            for (lane, (on, value)) in flags.into_iter().zip(result).enumerate() {
                let number = match index {
                    None => Some(target.number),
                    Some(index) => {
                        let number = self.index(index, lane).saturating_add(target.number.into());
                        self.reached(target.file, number)
                    }
                };
                if let (true, Some(number)) = (on, number)
                    && let Some(register) = self.state.get_mut(target.file.at(number))
                    && let Some(lanes) = register.0.get_mut(usize::from(to.bits()))
                    && let Some(slot) = lanes.get_mut(lane)
                {
                    *slot = value;
                }
            }
        }
    }

    fn texture(&mut self, op: &Op, texture: TextureOp) -> Value {
        let sampler = op.instruction.source(1);
        let dimension = self.compiled.declared.sampler(sampler.number());
        let [coordinates, _, dx, dy] = [0, 1, 2, 3].map(|index| match index {
            1 => Value::default(),
            index => self.source(op, index),
        });
        let w = coordinates.get(Component::W);
        let zero = [0.0; LANES];
        let (coordinates, level) = match (texture, op.instruction.load()) {
            (TextureOp::LoadLevel, _) => (coordinates, DetailLevel::Exactly(w)),
            (TextureOp::LoadGradient, _) => (coordinates, DetailLevel::Gradients(&dx, &dy)),
            (_, Some(Load::Project)) => {
                (self.divided(&coordinates, Component::W), DetailLevel::Implicit(zero))
            }
            (_, Some(Load::Bias)) => (coordinates, DetailLevel::Implicit(w)),
            _ => (coordinates, DetailLevel::Implicit(zero)),
        };
        let dimension = dimension.unwrap_or(Dimension::TwoD);
        let unit = &DeclaredSampler { number: sampler.number(), dimension };
        let texel =
            self.textures.read(&D3d9Lookup { sampler: unit, coordinates: &coordinates, level });
        // The sampler's swizzle applies to the texel that is read.
        texel.swizzled(sampler.swizzle())
    }

    fn finish(&mut self) {
        let version = self.compiled.version;
        if version.is_vertex() && version.major() < 3 {
            for (file, number) in
                [(ShaderFile::ColorVarying, 0), (ShaderFile::ColorVarying, 1), (ShaderFile::Fog, 0)]
            {
                let register = file.at(number);
                self.clamp(register, register);
            }
        }
        if version.is_ps_1() {
            let [color, r0] = [ShaderFile::Color, ShaderFile::Temp].map(|file| file.at(0));
            self.clamp(color, r0);
        }
    }

    fn clamp(&mut self, to: D3d9Register, from: D3d9Register) {
        let value = self.state.register(from);
        if let Some(register) = self.state.get_mut(to) {
            *register = value.map(saturate);
        }
    }

    fn step(&self, op: &Op, active: ActiveMask) -> D3d9TraceStep {
        let target = op.instruction.dest_register(self.compiled.version);
        let target = target.filter(|_| op.instruction.opcode.destination_rules().is_some());
        let written = target.map(|target| {
            let value = match target.file {
                #[expect(clippy::cast_precision_loss, reason = "shown only")]
                ShaderFile::Address => {
                    Value(self.state.address.map(|lanes| lanes.map(|a| a as f32)))
                }
                ShaderFile::Predicate => Value(self.state.predicate.map(|lanes| lanes.map(flag))),
                _ => self.state.register(target),
            };
            RegisterWrite { register: target, mask: op.mask, value }
        });
        D3d9TraceStep { instruction: op.number, written, active, alive: self.state.alive }
    }
}

pub(super) fn without(a: ActiveMask, b: ActiveMask) -> ActiveMask {
    zip(a, b, |a, b| a && !b)
}

pub(super) fn any(a: ActiveMask) -> bool {
    a.contains(&true)
}
